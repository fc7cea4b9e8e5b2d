#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws how shortwave fluxes of RFMIP's atmospheres differ from published ones, of which there is a file for each
quantity: at the sites of the first experiment, and in the mean of each experiment.

    plot_rfmip.py --up RSU.nc --down RSD.nc -o PLOT.png "NRLSSI2=sw.nc" "Kurucz=kurucz.nc"

The results are written by `parhelion fluxes rfmip_atmospheres.nc --shortwave -o sw.nc`, with `--sun kurucz` the other
one. Means are over sites in sunlight, with the weights of the file.
"""
import argparse
import sys
import textwrap

from plotting import COLOURS, at_end, h5py, np, plt, words

W_M2 = "W m$^{-2}$"
# Quantity: variable, and whether its level is the surface.
QUANTITIES = {"downward at the surface": ("rsd", True), "upward at the top": ("rsu", False)}
MARKS = ("o", "^")


class Comparison:
    """Differences of a result from the published fluxes, (expt, site), at sites in sunlight."""

    def __init__(self, path, published):
        with h5py.File(path) as file:
            self.entering = at_end(file, "rsd", False)
            self.weight = file["profile_weight"][...]
            self.labels = words(file["expt_label"])
            self.difference = {what: at_end(file, name, surface) - published[what]
                               for what, (name, surface) in QUANTITIES.items()}
        self.sunlit = self.entering[0] > 0

    def means(self, what):
        return np.average(self.difference[what][:, self.sunlit], axis=1, weights=self.weight[self.sunlit])


def draw(comparisons, path):
    figure, (sites, means) = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained", width_ratios=(1.2, 1))
    for colour, (name, each) in zip(COLOURS, comparisons.items()):
        for mark, what in zip(MARKS, QUANTITIES):
            look = {"color": colour, "marker": mark, "label": f"{name}: {what}"}
            sites.scatter(each.entering[0, each.sunlit], each.difference[what][0, each.sunlit], s=18, alpha=0.8, **look)
            mean = each.means(what)
            means.scatter(mean, range(len(mean)), s=25, **look)
    first = next(iter(comparisons.values()))
    sites.set(xlabel=f"Flux that enters at the top [{W_M2}]", ylabel=f"Difference [{W_M2}]",
              title=f"{first.labels[0]}, {first.sunlit.sum()} sites in sunlight")
    sites.axhline(0, color="0.4", linewidth=0.8)
    sites.legend(loc="upper left", fontsize="small", framealpha=0.9)
    means.set(xlabel=f"Mean difference [{W_M2}]", title="Means over these sites")
    means.axvline(0, color="0.4", linewidth=0.8)
    means.set_yticks(range(len(first.labels)), [textwrap.fill(label, 30) for label in first.labels], fontsize="small")
    means.invert_yaxis()
    for axes in (sites, means):
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", metavar="NAME=RESULT.nc")
    parser.add_argument("--up", required=True, metavar="RSU.nc", help="published upward fluxes")
    parser.add_argument("--down", required=True, metavar="RSD.nc", help="published downward fluxes")
    parser.add_argument("-o", "--output", required=True, metavar="PLOT.png")
    args = parser.parse_args()
    published, comparisons = {}, {}
    for what, (name, surface) in QUANTITIES.items():
        with h5py.File(args.down if name == "rsd" else args.up) as file:
            published[what] = at_end(file, name, surface)
    for each in args.results:
        name, equals, path = each.rpartition("=")
        if not equals:
            parser.error(f"{each}: expected NAME=RESULT.nc")
        comparisons[name] = Comparison(path, published)
    draw(comparisons, args.output)
    for name, each in comparisons.items():
        for what in QUANTITIES:
            mean, largest = each.means(what), np.abs(each.difference[what][:, each.sunlit]).max(axis=1)
            print(f"{name}, {what}: mean {mean[0]:.2f} ({mean.min():.2f} to {mean.max():.2f}), largest "
                  f"{largest[0]:.2f} (of all {largest.max():.2f}) W m-2")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, KeyError) as error:
        sys.exit(f"plot_rfmip.py: {error}")
