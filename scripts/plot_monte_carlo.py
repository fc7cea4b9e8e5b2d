#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result of `parhelion monte-carlo -o RESULT.nc`: the radiative source, averaged over planes, along the first
axis between walls, and a slice of it as an image."""

import csv
import os

import plotting
from plotting import COLOURS, np, plt, text

COLOUR, REFERENCE_COLOUR = COLOURS[:2]
AXES = "xyz"
# Up to here a profile shows where its points are.
FEW = 80


class Result:
    """What is drawn: the source over (x, y, z) and the standard deviations of its means over planes, in one unit."""

    def __init__(self, file):
        plotting.need_variables(file, ("q_radiative", "boundaries", *AXES), "monte-carlo")
        self.q = file["q_radiative"][:]
        names = [f"q_radiative_plane_error_{each}" for each in AXES]
        self.plane_errors = [file[each][:] for each in names] if all(each in file for each in names) else None
        self.faces = [file[each][:] for each in AXES]
        walls = [axis for axis, name in enumerate(AXES) if text(file[f"boundaries/{name}_low"], "type") == "wall"]
        self.title = text(file, "title")
        self.axis = walls[0] if walls else 0
        thousands = np.max(np.abs(self.q)) >= 1e4
        self.scale, self.unit = (1e-3, "kW m$^{-3}$") if thousands else (1, "W m$^{-3}$")

    def centres(self, axis):
        return (self.faces[axis][1:] + self.faces[axis][:-1]) / 2

    def profile(self, axis):
        """Means over planes across an axis, weighted by area, and their standard deviation."""
        first, second = (each for each in range(3) if each != axis)
        weight = np.outer(np.diff(self.faces[first]), np.diff(self.faces[second]))
        weight = weight / np.sum(weight)
        planes = np.moveaxis(self.q, axis, 0)
        mean = np.tensordot(planes, weight, 2)
        return mean, None if self.plane_errors is None else self.plane_errors[axis]


def read_reference(path):
    """Columns x [m] and Q [W m-3] of a table with commas and a heading; lines of # are skipped."""
    if not os.path.exists(path):
        raise ValueError(f"{path}: no such file")
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#") and line.strip())
        names = {name.strip().split(" ")[0].split("[")[0]: name for name in rows.fieldnames or []}
        if "x" not in names or "Q" not in names:
            raise ValueError(f"{path}: columns {', '.join(names) or 'none'}, expected x and Q among them")
        table = np.array([(float(row[names["x"]]), float(row[names["Q"]])) for row in rows])
    if len(table) == 0:
        raise ValueError(f"{path}: no lines")
    return table[np.argsort(table[:, 0])]


def draw_profile(axes, result, axis, reference):
    mean, error = result.profile(axis)
    centres = result.centres(axis)
    if reference is not None:
        axes.plot(reference[:, 0], reference[:, 1] * result.scale, color=REFERENCE_COLOUR, linewidth=1.2,
                  label="Reference")
    few = len(centres) <= FEW
    axes.errorbar(centres, mean * result.scale, None if error is None else error * result.scale, color=COLOUR,
                  linewidth=0 if reference is not None else 1.2, elinewidth=1, capsize=2 if few else 0,
                  marker="o" if few or reference is not None else "", markersize=3.5 if few else 1.5,
                  label="Mean of planes" + ("" if error is None else ", one standard deviation"))
    axes.axhline(0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(xlabel=f"{AXES[axis]} [m]", ylabel=f"Emitted minus absorbed [{result.unit}]", title="Profile")
    axes.grid(color="0.9")
    axes.legend(loc="best", fontsize="small", framealpha=0.9)


def draw_slice(figure, axes, result, axis, across, place):
    faces = result.faces[across]
    if place is None:
        place = (faces[0] + faces[-1]) / 2
    if not faces[0] <= place <= faces[-1]:
        raise ValueError(f"no {AXES[across]} = {place:g} m, expected {faces[0]:g} to {faces[-1]:g} m")
    cell = min(int(np.searchsorted(faces, place, side="right")) - 1, len(faces) - 2)
    shown = np.take(result.q, cell, axis=across) * result.scale
    first, second = (each for each in range(3) if each != across)
    if first != axis:  # the axis of the profile is that to the right
        first, second, shown = second, first, shown.T
    # White is 0: red where gas cools, blue where it is heated.
    largest = np.max(np.abs(shown)) or 1
    image = axes.pcolormesh(result.faces[first], result.faces[second], shown.T, cmap="RdBu_r", vmin=-largest,
                            vmax=largest)
    if 0.2 < np.ptp(result.faces[first]) / np.ptp(result.faces[second]) < 5:
        axes.set_aspect("equal")
    axes.set(xlabel=f"{AXES[first]} [m]", ylabel=f"{AXES[second]} [m]",
             title=f"Cells at {AXES[across]} = {result.centres(across)[cell]:.3g} m")
    figure.colorbar(image, ax=axes, label=f"Emitted minus absorbed [{result.unit}]")


def draw(result, arguments):
    axis = result.axis if arguments.axis is None else AXES.index(arguments.axis)
    others = [each for each in range(3) if each != axis]
    across = others[-1] if arguments.across is None else AXES.index(arguments.across)
    if across == axis:
        raise ValueError(f"--across {AXES[across]} is the axis of the profile, expected another one")
    reference = None if arguments.reference is None else read_reference(arguments.reference)
    figure, axes = plt.subplots(1, 2, figsize=(13, 5.2), layout="constrained", width_ratios=[1.1, 1])
    draw_profile(axes[0], result, axis, reference)
    draw_slice(figure, axes[1], result, axis, across, arguments.at)
    figure.suptitle(arguments.title if arguments.title is not None else result.title)
    return figure


def add_options(parser):
    parser.add_argument("--axis", choices=AXES, help="axis of the profile (default: the first between walls)")
    parser.add_argument("--across", choices=AXES, help="axis across the slice (default: the last of the others)")
    parser.add_argument("--at", type=float, metavar="PLACE", help="place of the slice on it [m] (default: the middle)")
    parser.add_argument("--reference", metavar="FILE.csv",
                        help="another profile to draw: columns x [m], along the axis, and Q [W m-3]")


if __name__ == "__main__":
    plotting.main(__doc__, "monte-carlo", Result, draw, add_options)
