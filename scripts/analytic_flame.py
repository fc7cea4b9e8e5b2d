#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes hot gas in a box that is given by formula, as input of `parhelion monte-carlo`: a round jet along z between
cold grey walls across x and y, 1 m wide and 2 m long, periodic along z. The gas is grey."""

import python_modules

python_modules.need("numpy", "h5py")

import h5py
import numpy as np

import input_files

CELLS = (16, 16, 8)
LENGTHS = (1.0, 1.0, 2.0)  # [m]
HOT, COLD = 1600.0, 500.0  # [K]
WIDTH = 0.18  # of the jet [m]


def write(path, _):
    faces = [np.linspace(0, length, count + 1) for length, count in zip(LENGTHS, CELLS)]
    x, y, z = np.meshgrid(*((each[1:] + each[:-1]) / 2 for each in faces), indexing="ij")
    # The jet sways along the box.
    distance = np.hypot(x - 0.5, y - 0.5 - 0.1 * np.sin(2 * np.pi * z / LENGTHS[2]))
    with h5py.File(path, "w") as file:
        input_files.describe(file, title="Hot jet given by formula", spectrum="grey, 1 m-1")
        for name, each in zip("xyz", faces):
            file[name] = each
            input_files.describe(file[name], units="m", long_name="faces of cells")
        file["temperature"] = COLD + (HOT - COLD) * np.exp(-((distance / WIDTH) ** 2))
        input_files.describe(file["temperature"], units="K")
        for axis in "xyz":
            for side in ("low", "high"):
                boundary = file.create_group(f"boundaries/{axis}_{side}")
                input_files.describe(boundary, type="periodic" if axis == "z" else "wall")
                if axis != "z":
                    boundary.attrs["emissivity"] = 0.8
                    boundary.attrs["temperature"] = COLD


if __name__ == "__main__":
    input_files.main(__doc__, "OUT.h5", write)
