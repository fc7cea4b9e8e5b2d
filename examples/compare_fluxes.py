#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Largest differences between two results of `parhelion fluxes`, or between one and a file of reference fluxes.

    compare_fluxes.py RESULT.nc OTHER.nc

Both hold the same columns in the same vertical order. The names of either layout are known, and RRTMG_LW's own (uflx,
dflx, hr). Heating rates are compared where the pressure of the layer is 1 hPa or more: above, layers are so thin that
the rounding of a flux is a large heating rate.
"""
import os
import sys

# Finds a python3 that has the modules below.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
import python_modules

python_modules.need("numpy", "h5py")

import h5py
import numpy as np

QUANTITIES = {
    "flux up [W m-2]": ("flux_up", "rlu", "uflx"),
    "flux down [W m-2]": ("flux_dn", "rld", "dflx"),
    "heating rate, p >= 1 hPa [K day-1]": ("heating_rate", "hr"),
}


def read(file, names):
    return next((file[name][...].astype(float) for name in names if name in file), None)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with h5py.File(arguments[0]) as result, h5py.File(arguments[1]) as other:
        pressure = read(result, ("play", "pres_layer"))  # of layers [Pa], for one experiment
        for label, names in QUANTITIES.items():
            a, b = read(result, names), read(other, names)
            if a is None or b is None:
                continue
            difference = np.abs(a - b)
            if "heating_rate" in names:
                difference = np.where(pressure >= 100, difference, 0)
            where = np.unravel_index(difference.argmax(), difference.shape)
            place = ", ".join(map(str, where))
            print(f"{label:<36} largest difference {difference.max():.3g} at ({place}), mean {difference.mean():.2g}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(f"compare_fluxes.py: {error}")
