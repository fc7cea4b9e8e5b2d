#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Profiles and averaging kernels of the example `retrieval`.

    example_retrieval > retrieval.txt && plot_retrieval.py retrieval.txt PICTURE.png
"""
import os
import sys

# The drawing is that of scripts/plot_retrieval.py, which draws results of `parhelion retrieve`.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts")
from plot_retrieval import Profile, draw_all, np


def read(path):
    """Profiles as the example prints them: lines of named elements, then those of the averaging kernel."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    elements = [line for line in lines if not line[0].lstrip("-")[0].isdigit()]
    kernel = np.array([line for line in lines if line[0].lstrip("-")[0].isdigit()], float)
    names = [line[0] for line in elements]
    columns = np.array([line[1:] for line in elements], float)
    if columns.ndim != 2 or columns.shape[1] != 8 or kernel.shape != (len(names), len(names)):
        raise ValueError("not what the example `retrieval` prints")
    profiles = []
    for name in dict.fromkeys(names):
        rows = np.flatnonzero(np.array(names) == name)
        altitude, truth, prior, value, _, noise, total, response = columns[rows].T
        quantity, unit = name.rstrip("]").split("[")
        name = {"T": "Temperature"}.get(quantity, quantity)
        profiles.append(Profile(name, unit, altitude, value, prior, noise, total, response, kernel[np.ix_(rows, rows)],
                                truth=truth))
    return profiles


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        figure = draw_all(read(arguments[0]), "Retrieval from simulated limb spectra")
        figure.savefig(arguments[1], dpi=100)
    except (OSError, ValueError) as error:
        sys.exit(f"plot_retrieval.py: {arguments[0]}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
