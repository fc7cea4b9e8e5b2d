#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the first python3 that has the modules of parhelion's scripts: one from pyenv or a module may come first on
# PATH and lack them while the distribution's own has them.
#
#   scripts/python.sh SCRIPT [ARGUMENT...]
set -euo pipefail
has_modules='import sys, importlib.util as u; sys.exit(any(u.find_spec(m) is None for m in ("numpy", "h5py", "matplotlib")))'
for python in python3 /usr/bin/python3; do
  if "$python" -c "$has_modules" 2> /dev/null; then exec "$python" "$@"; fi
done
echo "python.sh: no python3 with numpy, h5py and matplotlib (on Debian: apt install python3-numpy python3-h5py" \
     "python3-matplotlib)" >&2
exit 1
