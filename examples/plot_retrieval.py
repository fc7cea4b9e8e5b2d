#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Profiles and averaging kernels of the example `retrieval`.

    example_retrieval > retrieval.txt && plot_retrieval.py retrieval.txt PICTURE.png
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def read(path):
    """Names of the elements, their columns, and the averaging kernel."""
    with open(path) as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    elements = [line for line in lines if not line[0].lstrip("-")[0].isdigit()]
    kernel = np.array([line for line in lines if line[0].lstrip("-")[0].isdigit()], float)
    return [line[0] for line in elements], np.array([line[1:] for line in elements], float), kernel


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    names, columns, kernel = read(arguments[0])
    profiles = list(dict.fromkeys(names))
    figure, axes = plt.subplots(len(profiles), 3, figsize=(12, 4.5 * len(profiles)), squeeze=False, sharey=True)
    for (left, middle, right), profile in zip(axes, profiles):
        rows = np.flatnonzero(np.array(names) == profile)
        altitude, truth, prior, found, _, noise, total, response = columns[rows].T
        left.plot(truth, altitude, "k", label="truth")
        left.plot(prior, altitude, "0.6", linestyle="--", label="a priori")
        left.errorbar(found, altitude, xerr=total, fmt="C0o", markersize=3, linewidth=1, label="retrieved")
        left.set_xlabel(profile)
        left.set_ylabel("altitude [km]")
        left.legend(fontsize="small")
        middle.fill_betweenx(altitude, -total, total, color="C0", alpha=0.2, label="total error")
        middle.fill_betweenx(altitude, -noise, noise, color="C0", alpha=0.4, label="noise")
        middle.plot(found - truth, altitude, "C0", label="retrieved - truth")
        middle.plot(prior - truth, altitude, "0.6", linestyle="--", label="a priori - truth")
        middle.set_xlabel(profile)
        middle.legend(loc="lower right", fontsize="small")
        for row, colour in zip(rows, plt.cm.viridis(np.linspace(0, 0.9, len(rows)))):
            right.plot(kernel[row, rows], altitude, color=colour)
        right.plot(response, altitude, "k", label="row sum")
        right.axvline(1, color="0.8", linewidth=0.8)
        right.set_xlabel("averaging kernel [1]")
        right.legend(loc="upper center", fontsize="small")
    figure.tight_layout()
    figure.savefig(arguments[1], dpi=100)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
