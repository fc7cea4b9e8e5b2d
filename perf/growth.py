#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws how fast fluxes are computed by the number of columns and of layers, from reports of perf_longwave or of
perf_shortwave.

    growth.py -o PLOT.png "H200=h200.json" "16 cores=cpu.json"

Each machine has its name and its report, made with

    perf_longwave --benchmark_filter='rrtmg_(exact|all_sky)/.*/block:0' --benchmark_repetitions=3 \\
        --benchmark_out=cpu.json
    perf_shortwave --benchmark_filter='rrtmg_sw_(exact|all_sky)/.*/block:0' --benchmark_repetitions=3 \\
        --benchmark_out=cpu.json

For each pair of machines the number of columns from which on the first is the faster is printed.
"""
import argparse
import math
import os
import re
import sys

# Finds a python3 that has the modules below.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
import python_modules

python_modules.need("matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from compare import load, medians, rate

# Okabe & Ito's colours stay apart for all kinds of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
SKIES = {"exact": "clear sky", "all_sky": "all sky, clear sky beside"}
LINES = {"float": "-", "double": "--"}
NAME = re.compile(r"(rrtmg|rrtmg_sw)_(exact|all_sky)/(\w+)/(float|double)"
                  r"/ncol:(\d+)/nlay:(\d+)/block:0/manual_time")
LAYERS, COLUMNS = 51, 16384


def read(path):
    """The optics, and columns per second by (sky, precision), and in these by (columns, layers)."""
    result = {}
    spaces, optics = set(), set()
    for name, run in medians(load(path)).items():
        found = NAME.fullmatch(name)
        if found:
            which, sky, space, precision, ncol, nlay = found.groups()
            spaces.add(space)
            optics.add(which)
            result.setdefault((sky, precision), {})[int(ncol), int(nlay)] = rate(run)
    if len(spaces) != 1:
        sys.exit(f"growth.py: {path}: runs of {', '.join(sorted(spaces)) or 'no execution space'}, expected of one")
    if len(optics) != 1:
        sys.exit(f"growth.py: {path}: longwave and shortwave, expected one of them")
    return optics.pop(), result


def along(rates, axis):
    """The sizes and rates where the other size is the usual one."""
    usual = (LAYERS, COLUMNS)[axis]
    points = sorted((size[axis], value) for size, value in rates.items() if size[1 - axis] == usual)
    return [size for size, _ in points], [value for _, value in points]


def crossing(first, second):
    """Columns from which on the first is the faster, between the sizes measured by the logarithms; nothing where it is
    never or always."""
    sizes = sorted({size for size in first if size[1] == LAYERS} & set(second))
    gain = [(math.log(ncol), math.log(first[ncol, nlay] / second[ncol, nlay])) for ncol, nlay in sizes]
    for (x0, y0), (x1, y1) in zip(gain, gain[1:]):
        if y0 <= 0 < y1:
            return math.exp(x0 - y0 * (x1 - x0) / (y1 - y0))
    return None


def draw(machines, path):
    figure, panels = plt.subplots(2, 2, figsize=(10, 7.5), sharey="row", layout="constrained")
    for row, (sky, title) in zip(panels, SKIES.items()):
        for axes, axis in zip(row, (0, 1)):
            for colour, (name, report) in zip(COLOURS, machines.items()):
                for precision, line in LINES.items():
                    sizes, rates = along(report.get((sky, precision), {}), axis)
                    axes.plot(sizes, rates, line, color=colour, marker="o", markersize=3, label=f"{name}, {precision}")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.grid(alpha=0.3)
            axes.set_xlabel(f"columns of {LAYERS} layers" if axis == 0 else f"layers of {COLUMNS} columns")
        row[1].set_xticks([20, 35, 51, 75, 100, 140, 200], [20, 35, 51, 75, 100, 140, 200])
        row[1].minorticks_off()
        row[0].set_ylabel("columns per second")
        row[0].set_title(title, loc="left")
    lines, names = panels[0, 0].get_legend_handles_labels()
    panels[0, 1].legend(lines, names, fontsize="small", loc="lower left")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", metavar="NAME=REPORT.json")
    parser.add_argument("-o", "--output", required=True, metavar="PLOT.png")
    args = parser.parse_args()
    machines, optics = {}, set()
    for each in args.reports:
        name, equals, path = each.rpartition("=")
        if not equals:
            parser.error(f"{each}: expected NAME=REPORT.json")
        which, machines[name] = read(path)
        optics.add(which)
    if len(optics) > 1:
        parser.error("reports of perf_longwave and of perf_shortwave, expected those of one")
    if len(machines) > len(COLOURS):
        parser.error(f"{len(machines)} machines, expected at most {len(COLOURS)}")
    draw(machines, args.output)
    for first in machines:
        for second in machines:
            for key in machines[first]:
                if first != second and key in machines[second]:
                    at = crossing(machines[first][key], machines[second][key])
                    if at is not None:
                        print(f"{SKIES[key[0]]}, {key[1]}: {first} is faster than {second} from {at:.0f} columns on")


if __name__ == "__main__":
    main()
