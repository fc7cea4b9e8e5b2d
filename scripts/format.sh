#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Brings the C++ sources into the form that .clang-format describes.
#
#   scripts/format.sh [--check]    --check changes nothing, shows what is not in form and exits with 1
#
# Releases of clang-format differ in what they make of the same rules, so one release counts: Debian 12's. Exits with
# 77 where it is not there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
release=14
for tool in clang-format-$release clang-format; do
  if "$tool" --version 2> /dev/null | grep -q "version $release\."; then found=$tool; break; fi
done
[ -n "${found:-}" ] || { echo "skipped: no clang-format $release (apt install clang-format-$release)"; exit 77; }
case ${1:-} in
  --check) mode=(--dry-run -Werror) ;;
  "") mode=(-i) ;;
  *) echo "usage: format.sh [--check]" >&2; exit 2 ;;
esac
find apps core examples interop io perf solvers tests \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) -print0 |
  xargs -0 "$found" "${mode[@]}"
