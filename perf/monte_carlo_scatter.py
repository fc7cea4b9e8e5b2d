#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs `parhelion monte-carlo` with several seeds and prints how its results scatter, of cells and of plane averages.

    scripts/python.sh perf/monte_carlo_scatter.py [--runs N] [--cells N] [--rays N] [options of parhelion monte-carlo]

Scatter is the standard deviation over runs, its root mean square over all cells, or over the averages of all planes
across the first axis, in percent of the largest source. Errors that cells share are in an average as they are in a
cell; independent ones are smaller by the square root of the number of cells in a plane.
"""

import argparse
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np


def sources(arguments, directions, others):
    """q_radiative of all runs: (run, x, y, z) [W m-3]."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.nc"
        for seed in range(1, arguments.runs + 1):
            subprocess.run([arguments.program, "monte-carlo", "--case", arguments.case, "--cells", arguments.cells,
                            "--rays", arguments.rays, "--directions", directions, "--seed", str(seed), "--no-walls",
                            "--quiet", "-o", result, *others], check=True)
            with h5py.File(result) as file:
                found.append(file["q_radiative"][:])
    return np.array(found)


def scatter(values, largest):
    """Root mean square of the standard deviations over the first axis [%]."""
    return 100 * np.sqrt(np.mean(np.var(values, axis=0, ddof=1))) / largest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="parhelion")
    parser.add_argument("--case", default="case10")
    parser.add_argument("--runs", type=int, default=12, help="two or more")
    parser.add_argument("--cells", default="32")
    parser.add_argument("--rays", default="1024")
    arguments, others = parser.parse_known_args()
    print(f"{arguments.case}, {arguments.cells} cells, {arguments.rays} rays, {arguments.runs} runs")
    for directions in ("shared", "independent"):
        q = sources(arguments, directions, others)
        largest = abs(q.mean(axis=0)).max()
        of_cells, of_planes = scatter(q, largest), scatter(q.mean(axis=(2, 3)), largest)
        print(f"{directions:12} cells {of_cells:.3f} %, plane averages {of_planes:.3f} %")


if __name__ == "__main__":
    main()
