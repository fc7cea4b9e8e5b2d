#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result of `parhelion fluxes`: heating rates, and outgoing longwave radiation over places where the file has
them (a map of the first experiment of RFMIP input, a section over latitude of columns), fluxes where it has not."""

import argparse
import os
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker
import numpy as np

# Okabe & Ito's colours, which stay apart for all kinds of colour vision; lines differ in their dashes too.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
DASHES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]
MANY = "#8FA3B0"
W_M2 = "W m$^{-2}$"


class Result:
    """What is drawn: columns of one experiment, pressures in hPa, the vertical order whatever it is in the file."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.rfmip = "rlu" in file
            names = ("rlu", "rld", "pres_level", "pres_layer") if self.rfmip else ("flux_up", "flux_dn", "plev", "play")
            missing = [name for name in (*names, "heating_rate") if name not in file]
            if missing:
                raise ValueError(f"no {', no '.join(missing)}: not a result of parhelion fluxes")
            first = 0 if self.rfmip else slice(None)
            self.flux_up, self.flux_dn = file[names[0]][first], file[names[1]][first]
            self.heating_rate = file["heating_rate"][first]
            self.p_lev, self.p_lay = file[names[2]][:] / 100, file[names[3]][:] / 100
            count = self.p_lay.shape[0]
            nothing = np.full(count, np.nan)
            self.lat = file["lat"][:] if "lat" in file else nothing
            self.lon = file["lon"][:] if "lon" in file else nothing
            self.weight = file["profile_weight"][:] if "profile_weight" in file else np.ones(count)
            self.labels = [text.decode() for text in file["column_label"]] if "column_label" in file else []
            self.experiment = file["expt_label"][0].decode() if "expt_label" in file else ""
            title = file.attrs.get("title", "")
            self.title = title.decode() if isinstance(title, bytes) else str(title)
        self.outgoing = self.flux_up[np.arange(count), self.p_lev.argmin(axis=1)]


def pressure_axis(axes, p, scale):
    axes.set_yscale(scale)
    axes.set_ylim(p.max(), max(p[p > 0].min(), 1e-3) if scale == "log" else 0)
    if scale == "log":
        axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylabel("Pressure [hPa]")
    axes.grid(color="0.9")


def named_columns(result):
    """Columns drawn one by one: those with a name and no place, or all when they are few."""
    if result.rfmip:
        return []
    apart = [i for i, lat in enumerate(result.lat) if np.isnan(lat)]
    return apart if len(apart) <= len(COLOURS) else []


def label_of(result, i):
    return result.labels[i] if result.labels else f"column {i}"


def robust_range(values, bold):
    """Limits that hold the bold lines and all but the extremes of the rest, which thin layers at the ground have."""
    low, high = np.percentile(values, [0.3, 99.7])
    for line in bold:
        low, high = min(low, line.min()), max(high, line.max())
    margin = 0.04 * max(high - low, 1e-3)
    return low - margin, high + margin


def draw_heating(axes, result, scale):
    named = named_columns(result)
    others = [i for i in range(len(result.p_lay)) if i not in named]
    for n, i in enumerate(others):
        label = f"{len(others)} {'sites' if result.rfmip else 'other columns' if named else 'columns'}" if n == 0 else None
        axes.plot(result.heating_rate[i], result.p_lay[i], color=MANY, linewidth=0.6, alpha=0.6, label=label)
    bold = [result.heating_rate[i] for i in named]
    if others and not named:
        mean = [np.average(field, axis=0, weights=result.weight) for field in (result.heating_rate, result.p_lay)]
        bold.append(mean[0])
        axes.plot(*mean, color="black", linewidth=2, label="weighted mean" if result.rfmip else "mean")
    for n, i in enumerate(named):
        axes.plot(result.heating_rate[i], result.p_lay[i], color=COLOURS[n], linestyle=DASHES[n], linewidth=1.8,
                  label=label_of(result, i))
    axes.axvline(0, color="0.4", linewidth=0.8)
    left, right = robust_range(result.heating_rate, bold)
    axes.set_xlim(left, right)
    outside = np.count_nonzero((result.heating_rate < left) | (result.heating_rate > right))
    note = f"\n{outside} of {result.heating_rate.size} values lie outside" if outside else ""
    axes.set_xlabel("Longwave heating rate [K day$^{-1}$]" + note)
    axes.set_title("Heating rate")
    pressure_axis(axes, result.p_lay, scale)
    axes.legend(loc="best", fontsize="small", framealpha=0.9)


def draw_map(figure, axes, result):
    lon = (result.lon + 180) % 360 - 180
    marks = axes.scatter(lon, result.lat, c=result.outgoing, cmap="viridis", s=55, edgecolors="black", linewidths=0.4,
                         clip_on=False, zorder=3)
    figure.colorbar(marks, ax=axes, label=f"Outgoing longwave radiation [{W_M2}]", pad=0.02)
    axes.set(xlim=(-180, 180), ylim=(-90, 90), xlabel="Longitude [degrees east]", ylabel="Latitude [degrees north]")
    axes.set_xticks(range(-180, 181, 60))
    axes.set_yticks(range(-90, 91, 30))
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    mean = np.average(result.outgoing, weights=result.weight)
    axes.set_title(f"Outgoing longwave radiation, {'weighted ' if result.rfmip else ''}mean {mean:.1f} {W_M2}")


def draw_section(axes, result):
    here = np.flatnonzero(~np.isnan(result.lat))
    here = here[np.argsort(result.lat[here])]
    axes.plot(result.lat[here], result.outgoing[here], "o-", color=COLOURS[0], markersize=4)
    axes.set(xlabel="Latitude [degrees north]", ylabel=f"Outgoing longwave radiation [{W_M2}]")
    axes.set_title("Outgoing longwave radiation")
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(steps=[1, 2, 3, 5, 10]))
    axes.grid(color="0.9")


def draw_fluxes(axes, result, scale):
    named = named_columns(result)
    if named:
        for n, i in enumerate(named):
            axes.plot(result.flux_up[i], result.p_lev[i], color=COLOURS[n], linestyle=DASHES[n], label=label_of(result, i))
            axes.plot(result.flux_dn[i], result.p_lev[i], color=COLOURS[n], linestyle=DASHES[n], alpha=0.5)
    else:
        for field, colour, label in ((result.flux_up, COLOURS[0], "upward"), (result.flux_dn, COLOURS[1], "downward")):
            for i in range(len(field)):
                axes.plot(field[i], result.p_lev[i], color=colour, linewidth=0.7, alpha=0.5, label=label if i == 0 else None)
    axes.set_xlabel(f"Longwave flux [{W_M2}]" + (", upward strong, downward pale" if named else ""))
    axes.set_title("Fluxes")
    pressure_axis(axes, result.p_lev, scale)
    axes.legend(loc="best", fontsize="small", framealpha=0.9)


def draw(result, title, scale):
    with_map = not np.isnan(result.lat).all() and not np.isnan(result.lon).all()
    figure, (left, right) = plt.subplots(1, 2, figsize=(13 if with_map else 11, 5.5), layout="constrained",
                                         width_ratios=(1, 1.7) if with_map else (1, 1.1))
    draw_heating(left, result, scale)
    if with_map:
        draw_map(figure, right, result)
    elif np.count_nonzero(~np.isnan(result.lat)) > 1:
        draw_section(right, result)
    else:
        draw_fluxes(right, result, scale)
    figure.suptitle(title if title is not None else ": ".join(filter(None, (result.title, result.experiment))))
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", metavar="RESULT.nc", help="file that parhelion fluxes wrote")
    parser.add_argument("-o", "--output", metavar="PICTURE.png", help="picture to write (default: RESULT.png)")
    parser.add_argument("--title", help="title of the picture (default: that of the file)")
    parser.add_argument("--pressure", choices=("log", "linear"), default="log", help="pressure axis (default: log)")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.result):
        sys.exit(f"{parser.prog}: {arguments.result}: no such file")
    output = arguments.output or os.path.splitext(arguments.result)[0] + ".png"
    try:
        figure = draw(Result(arguments.result), arguments.title, arguments.pressure)
    except (OSError, ValueError) as error:
        sys.exit(f"{parser.prog}: {arguments.result}: {error}")
    try:
        figure.savefig(output, dpi=150)
    except (OSError, ValueError) as error:
        sys.exit(f"{parser.prog}: {output}: {error}")
    print(output)


if __name__ == "__main__":
    main()
