# SPDX-License-Identifier: BSD-3-Clause
"""Lets a script that was started with any python3 run in one that has the modules it needs.

    import python_modules
    python_modules.need("numpy", "h5py")

goes before the import of these modules. Where one of them is missing, the script starts again by python.sh, which looks
for another python3 and, where there is none, says what to install.
"""

import importlib.util
import os
import sys


def need(*names):
    if all(importlib.util.find_spec(name) is not None for name in names):
        return
    starter = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python.sh")
    os.execv(starter, [starter, *sys.argv])
