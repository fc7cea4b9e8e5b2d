#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws how fast fluxes are computed by the number of columns and of layers, from reports of perf_longwave, of
perf_shortwave or of perf_k_distributions.

    growth.py -o PLOT.png [--fluxes longwave|shortwave|k_distributions] "H200=FOLDER" "one core=REPORT.json"

Each machine has its name and its report, or the folder of its reports, made with

    run_all.sh BIN FOLDER Cuda longwave longwave_growth

--fluxes chooses among reports of several programs. Of one thread of a host, columns per second of its own time are
drawn. For each pair of machines the number of columns from which on the first is the faster is printed.
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

from reports import ReportError, Reports

# Okabe & Ito's colours stay apart for all kinds of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
LINES = {"float": "-", "double": "--"}
RRTMG_SKIES = {"exact": "clear sky", "all_sky": "all sky, clear sky beside"}
# Of each kind of fluxes: the usual number of layers, and the benchmarks with what they compute.
KINDS = {
    "longwave": (51, {f"rrtmg_{sky}": title for sky, title in RRTMG_SKIES.items()}),
    "shortwave": (51, {f"rrtmg_sw_{sky}": title for sky, title in RRTMG_SKIES.items()}),
    "k_distributions": (60, {"ecckd_longwave": "ecCKD, longwave", "ecckd_shortwave": "ecCKD, shortwave",
                             "rrtmgp_longwave": "RRTMGP, longwave", "rrtmgp_shortwave": "RRTMGP, shortwave"}),
}
NAME = re.compile(r"(\w+)/\w+/(float|double)/ncol:(\d+)/nlay:(\d+)/block:0")
COLUMNS = 16384


def read(path):
    """By kind: columns per second by (benchmark, precision), and in these by (columns, layers)."""
    try:
        reports = Reports(path)
        result = {}
        for name in reports.runs:
            found = NAME.fullmatch(name)
            kind = next((kind for kind, (_, names) in KINDS.items() if found and found[1] in names), None)
            if kind:
                benchmark, precision, ncol, nlay = found.groups()
                result.setdefault(kind, {}).setdefault((benchmark, precision), {})[int(ncol), int(nlay)] = (
                    reports.value(name, "rate"))
    except ReportError as error:
        sys.exit(f"growth.py: {error}")
    return result


def along(rates, axis, layers):
    """The sizes and rates where the other size is the usual one."""
    usual = (layers, COLUMNS)[axis]
    points = sorted((size[axis], value) for size, value in rates.items() if size[1 - axis] == usual)
    return [size for size, _ in points], [value for _, value in points]


def crossing(first, second, layers):
    """Columns from which on the first is the faster, between the sizes measured by the logarithms; nothing where it is
    never or always."""
    sizes = sorted({size for size in first if size[1] == layers} & set(second))
    gain = [(math.log(ncol), math.log(first[ncol, nlay] / second[ncol, nlay])) for ncol, nlay in sizes]
    for (x0, y0), (x1, y1) in zip(gain, gain[1:]):
        if y0 <= 0 < y1:
            return math.exp(x0 - y0 * (x1 - x0) / (y1 - y0))
    return None


def draw(kind, machines, path):
    layers, titles = KINDS[kind]
    measured = {benchmark for rates in machines.values() for benchmark, _ in rates}
    titles = {benchmark: title for benchmark, title in titles.items() if benchmark in measured}
    figure, panels = plt.subplots(len(titles), 2, figsize=(10, 1 + 3.25 * len(titles)), sharey="row", squeeze=False,
                                  layout="constrained")
    for row, (benchmark, title) in zip(panels, titles.items()):
        for axes, axis in zip(row, (0, 1)):
            for colour, (name, rates) in zip(COLOURS, machines.items()):
                for precision, line in LINES.items():
                    sizes, values = along(rates.get((benchmark, precision), {}), axis, layers)
                    axes.plot(sizes, values, line, color=colour, marker="o", markersize=3,
                              label=f"{name}, {precision}")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.grid(alpha=0.3)
            axes.set_xlabel(f"columns of {layers} layers" if axis == 0 else f"layers of {COLUMNS} columns")
        ticks = [20, 35, layers, 100, 140, 200]
        row[1].set_xticks(ticks, ticks)
        row[1].minorticks_off()
        row[1].set_xlim(18, 220)
        row[0].set_ylabel("columns per second")
        row[0].set_title(title, loc="left")
    lines, names = panels[0, 0].get_legend_handles_labels()
    panels[0, 1].legend(lines, names, fontsize="small", loc="lower left")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", metavar="NAME=REPORTS")
    parser.add_argument("-o", "--output", required=True, metavar="PLOT.png")
    parser.add_argument("--fluxes", choices=KINDS, help="which, where the reports have several")
    args = parser.parse_args()
    machines = {}
    for each in args.reports:
        name, equals, path = each.rpartition("=")
        if not equals:
            parser.error(f"{each}: expected NAME=REPORTS")
        machines[name] = read(path)
    if len(machines) > len(COLOURS):
        parser.error(f"{len(machines)} machines, expected at most {len(COLOURS)}")
    kinds = {args.fluxes} if args.fluxes else {kind for found in machines.values() for kind in found}
    if not kinds:
        parser.error("no benchmarks of fluxes")
    if len(kinds) != 1:
        parser.error(f"reports of {', '.join(sorted(kinds))}: choose one with --fluxes")
    kind = kinds.pop()
    for name, found in machines.items():
        if kind not in found:
            parser.error(f"{name}: no benchmarks of {kind}")
    machines = {name: found[kind] for name, found in machines.items()}
    draw(kind, machines, args.output)
    layers, titles = KINDS[kind]
    for first in machines:
        for second in machines:
            for key in machines[first]:
                if first != second and key in machines[second]:
                    at = crossing(machines[first][key], machines[second][key], layers)
                    if at is not None:
                        print(f"{titles[key[0]]}, {key[1]}: {first} is faster than {second} from {at:.0f} columns on")


if __name__ == "__main__":
    main()
