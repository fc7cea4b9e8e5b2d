#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs `parhelion monte-carlo` with several seeds and prints how its results scatter: those of cells, of averages over
planes and of the average over the box.

    scripts/python.sh perf/monte_carlo_scatter.py [--runs N] [--cells N] [--rays N] [options of parhelion monte-carlo]

Scatter is the standard deviation over runs [W m-3], its root mean square over all cells or over all planes across an
axis. Behind it stands its ratio to the root mean square of the errors that the runs report, which is 1 if they are
honest. Errors that cells share are in an average as they are in a cell; independent ones are smaller by the square root
of the number of cells.
"""

import argparse
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

KINDS = ("cells", "x planes", "y planes", "z planes", "box")
ERRORS = ("q_radiative_error", "q_radiative_plane_error_x", "q_radiative_plane_error_y", "q_radiative_plane_error_z",
          "q_radiative_box_error")


def averages(file):
    """q_radiative of cells, its averages over planes and its average over the box [W m-3]."""
    q = file["q_radiative"][:]
    widths = [np.diff(file[f"{axis}_bounds"][:])[:, 0] for axis in "xyz"]
    volumes = widths[0][:, None, None] * widths[1][:, None] * widths[2]
    planes = [(q * volumes).sum(axis=others) / volumes.sum(axis=others) for others in ((1, 2), (0, 2), (0, 1))]
    return [q, *planes, (q * volumes).sum() / volumes.sum()]


def runs_of(arguments, directions, others):
    """For each kind: values of all runs, and the mean squares of the reported errors."""
    values, reported = [[] for _ in KINDS], [[] for _ in KINDS]
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.nc"
        for seed in range(1, arguments.runs + 1):
            subprocess.run([arguments.program, "monte-carlo", "--case", arguments.case, "--cells", arguments.cells,
                            "--rays", arguments.rays, "--directions", directions, "--seed", str(seed), "--no-walls",
                            "--quiet", "-o", result, *others], check=True)
            with h5py.File(result) as file:
                for kind, value in enumerate(averages(file)):
                    values[kind].append(value)
                    if ERRORS[kind] in file:
                        reported[kind].append(np.mean(np.square(file[ERRORS[kind]][()])))
    return [np.array(of_kind) for of_kind in values], [np.mean(of_kind) if of_kind else np.nan for of_kind in reported]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="parhelion")
    parser.add_argument("--case", default="case10")
    parser.add_argument("--runs", type=int, default=24, help="two or more")
    parser.add_argument("--cells", default="32")
    parser.add_argument("--rays", default="1024")
    parser.add_argument("--kinds", default="tiles,shared,independent", help="of directions, separated by commas")
    arguments, others = parser.parse_known_args()
    print(f"{arguments.case}, {arguments.cells} cells, {arguments.rays} rays, {arguments.runs} runs")
    print("scatter [W m-3] and its ratio to the reported error")
    for directions in arguments.kinds.split(","):
        values, reported = runs_of(arguments, directions, others)
        scatter = [np.sqrt(np.mean(np.var(of_kind, axis=0, ddof=1))) for of_kind in values]
        text = [f"{kind} {found:.4g} ({found / np.sqrt(square):.2f})"
                for kind, found, square in zip(KINDS, scatter, reported)]
        print(f"{directions:12}", ", ".join(text), f"; largest source {abs(values[0].mean(axis=0)).max():.4g}")


if __name__ == "__main__":
    main()
