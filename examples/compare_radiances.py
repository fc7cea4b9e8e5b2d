#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Largest relative differences between two results of `parhelion adding`, or between one and a file of reference cases.

    compare_radiances.py RESULT.nc OTHER.nc [LEAST]

Groups and variables are matched by their names; where OTHER has a variable in quad precision (NAME_quad) that one is
taken. Differences are relative to the value in OTHER, or to LEAST (1e-300) where that is larger.
"""
import os
import sys

# Finds a python3 that has the modules below.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
import python_modules

python_modules.need("numpy", "h5py")

import h5py
import numpy as np


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    least = float(arguments[2]) if len(arguments) == 3 else 1e-300
    with h5py.File(arguments[0]) as result, h5py.File(arguments[1]) as other:
        found = []

        def visit(name, item):
            partner = name + "_quad" if name + "_quad" in other else name
            if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" and partner in other:
                found.append((name, item[...], other[partner][...]))

        result.visititems(visit)
        for name, a, b in found:
            if a.shape == b.shape:
                difference = np.abs(a - b) / np.maximum(np.abs(b), least)
                where = np.unravel_index(difference.argmax(), difference.shape)
                print(f"{name:<32} largest relative difference {difference.max():.2g} at ({', '.join(map(str, where))})")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(f"compare_radiances.py: {error}")
