#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result of `parhelion fluxes`: heating rates, and outgoing radiation over places where the file has them (a
map of the first experiment of RFMIP input, a section over latitude of columns), fluxes where it has not. Where the file
has clouds, clear sky stands beside it, and a panel shows what the clouds change. Of a file with both ranges the
longwave is drawn, unless --shortwave is given."""

import plotting
from plotting import COLOURS, clip_axis, np, plt, style

MANY = "#8FA3B0"
# Range: names of upward flux, downward flux and heating rate, of columns and of RFMIP's sites.
LONGWAVE = ("longwave", ("flux_up", "flux_dn", "heating_rate"), ("rlu", "rld", "heating_rate"))
SHORTWAVE = ("shortwave", ("sw_flux_up", "sw_flux_dn", "sw_heating_rate"), ("rsu", "rsd", "sw_heating_rate"))
W_M2 = "W m$^{-2}$"
K_DAY = "K day$^{-1}$"


class Result:
    """What is drawn: columns of one experiment, pressures in hPa, the vertical order whatever it is in the file."""

    def __init__(self, file, shortwave=False):
        self.rfmip = "pres_level" in file
        has_longwave, has_shortwave = ("rlu" in file or "flux_up" in file), ("rsu" in file or "sw_flux_up" in file)
        chosen = SHORTWAVE if shortwave or (has_shortwave and not has_longwave) else LONGWAVE
        self.range = chosen[0]
        names = chosen[2 if self.rfmip else 1]
        pressures = ("pres_level", "pres_layer") if self.rfmip else ("plev", "play")
        plotting.need_variables(file, (*names[:2], *pressures, names[2]), "fluxes")
        self.file = file
        first = 0 if self.rfmip else slice(None)
        self.flux_up, self.flux_dn, self.heating_rate = (file[name][first] for name in names)
        self.p_lev, self.p_lay = (file[name][:] / 100 for name in pressures)
        count = len(self.p_lay)
        columns = np.arange(count)
        self.top, self.surface = self.p_lev.argmin(axis=1), self.p_lev.argmax(axis=1)
        self.outgoing = self.flux_up[columns, self.top]
        self.cloudy = f"{names[0]}_clear" in file
        if self.cloudy:
            self.heating_rate_clear = file[f"{names[2]}_clear"][first]
            self.outgoing_clear = file[f"{names[0]}_clear"][first][columns, self.top]
            # What clouds add to the net flux into the planet and into the surface.
            self.effect_top = self.outgoing_clear - self.outgoing
            down = self.flux_dn - file[f"{names[1]}_clear"][first]
            up = self.flux_up - file[f"{names[0]}_clear"][first]
            self.effect_surface = (down - up)[columns, self.surface]
        nowhere = np.full(count, np.nan)
        self.lat = file["lat"][:] if "lat" in file else nowhere
        self.lon = file["lon"][:] if "lon" in file else nowhere
        self.weight = file["profile_weight"][:] if "profile_weight" in file else np.ones(count)
        self.labels = plotting.words(file["column_label"]) if "column_label" in file else []
        self.experiment = plotting.words(file["expt_label"])[0] if "expt_label" in file else ""
        self.title = plotting.text(file, "title")
        self.section = columns[:0] if self.has_map() else longest_section(self.lat)
        apart = np.setdiff1d(columns, self.section)
        # Columns drawn one by one: those with a name beside a section, or all when they are few.
        self.named = list(apart) if not self.rfmip and len(apart) <= len(COLOURS) else []

    def has_map(self):
        return not np.isnan(self.lat).all() and not np.isnan(self.lon).all()

    def label(self, i):
        return self.labels[i] if self.labels else f"column {i}"

    def mean(self, field):
        return np.average(field, axis=0, weights=self.weight)


def longest_section(latitude):
    """The longest run of columns along which latitude rises or falls, in its order; none below three columns."""
    longest = range(0)
    for sign in (1, -1):
        begin = 0
        for i in range(len(latitude)):
            if i > begin and not sign * (latitude[i] - latitude[i - 1]) > 0:
                begin = i
            if not np.isnan(latitude[i]) and i + 1 - begin > len(longest):
                longest = range(begin, i + 1)
    section = np.array(longest, dtype=int)
    return section[np.argsort(latitude[section])] if len(section) > 2 else section[:0]


def pressure_axis(axes, p, scale):
    axes.set_yscale(scale)
    axes.set_ylim(p.max(), max(p[p > 0].min(), 1e-3) if scale == "log" else 0)
    if scale == "log":
        plotting.plain_numbers(axes.yaxis)
    axes.set_ylabel("Pressure [hPa]")
    axes.grid(color="0.9")


def draw_heating(axes, result, field, what, scale, clear=None):
    """Profiles of a field in K/day of all layers; `clear` in thin lines beside it."""
    others = [i for i in range(len(result.p_lay)) if i not in result.named]
    for n, i in enumerate(others):
        kind = "sites" if result.rfmip else "other columns" if result.named else "columns"
        axes.plot(field[i], result.p_lay[i], color=MANY, linewidth=0.6, alpha=0.6,
                  label=f"{len(others)} {kind}" if n == 0 else None)
    if others and not result.named:
        mean = "weighted mean" if result.rfmip else "mean"
        axes.plot(result.mean(field), result.mean(result.p_lay), color="black", linewidth=2, label=mean)
        if clear is not None:
            axes.plot(result.mean(clear), result.mean(result.p_lay), color="black", linewidth=1, linestyle="--",
                      label=f"{mean}, clear sky")
    for n, i in enumerate(result.named):
        axes.plot(field[i], result.p_lay[i], linewidth=1.8, label=result.label(i), **style(n))
        if clear is not None:
            axes.plot(clear[i], result.p_lay[i], linewidth=0.8, color=COLOURS[n], alpha=0.8,
                      label="the same, clear sky" if n == len(result.named) - 1 else None)
    axes.axvline(0, color="0.4", linewidth=0.8)
    # The highest layer is where the atmosphere ends: its heating is a matter of the grid and may exceed all else.
    below = np.arange(field.shape[1]) != result.p_lay.argmin(axis=1)[:, None]
    bold = [field[i][below[i]] for i in result.named]
    note = clip_axis(axes, field, field[below] if below.any() else field, np.concatenate([*bold, []]), K_DAY)
    axes.set_xlabel(f"{what} [{K_DAY}]{note}")
    pressure_axis(axes, result.p_lay, scale)
    # With clouds lines reach far out at the ground and at the top, and "best" is in the middle of some.
    axes.legend(loc="best" if clear is None else (0.02, 0.08), fontsize="small", framealpha=0.9)


def draw_map(figure, axes, result, values, what, colours="viridis"):
    lon = (result.lon + 180) % 360 - 180
    marks = axes.scatter(lon, result.lat, c=values, cmap=colours, s=55, edgecolors="black", linewidths=0.4,
                         clip_on=False, zorder=3)
    figure.colorbar(marks, ax=axes, label=f"{what} [{W_M2}]", pad=0.02)
    axes.set(xlim=(-180, 180), ylim=(-90, 90), xlabel="Longitude [degrees east]", ylabel="Latitude [degrees north]")
    axes.set_xticks(range(-180, 181, 60))
    axes.set_yticks(range(-90, 91, 30))
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.set_title(f"{what}, {'weighted ' if result.rfmip else ''}mean {result.mean(values):.1f} {W_M2}")


def draw_section(axes, result, lines, what):
    """Lines (values of all columns, label) over the latitudes of the section."""
    for n, (values, label) in enumerate(lines):
        axes.plot(result.lat[result.section], values[result.section], marker="o", markersize=4, label=label, **style(n))
    axes.set(xlabel="Latitude [degrees north]", ylabel=f"{what} [{W_M2}]", title=what)
    axes.xaxis.set_major_locator(plotting.matplotlib.ticker.MaxNLocator(steps=[1, 2, 3, 5, 10]))
    axes.grid(color="0.9")
    if len(lines) > 1:
        axes.legend(loc="best", fontsize="small", framealpha=0.9)


def draw_fluxes(axes, result, scale):
    if result.named:
        for n, i in enumerate(result.named):
            axes.plot(result.flux_up[i], result.p_lev[i], label=result.label(i), **style(n))
            axes.plot(result.flux_dn[i], result.p_lev[i], alpha=0.5, **style(n))
    else:
        for field, colour, label in ((result.flux_up, COLOURS[0], "upward"), (result.flux_dn, COLOURS[1], "downward")):
            for i in range(len(field)):
                axes.plot(field[i], result.p_lev[i], color=colour, linewidth=0.7, alpha=0.5,
                          label=label if i == 0 else None)
    axes.set_xlabel(f"{result.range.capitalize()} flux [{W_M2}]" + (", upward strong, downward pale" if result.named else ""))
    axes.set_title("Fluxes")
    pressure_axis(axes, result.p_lev, scale)
    axes.legend(loc="best", fontsize="small", framealpha=0.9)


def draw_cloud_effect(figure, axes, result, scale):
    lines = [(result.effect_top, "at the top"), (result.effect_surface, "at the surface")]
    if result.has_map():
        draw_map(figure, axes, result, result.effect_top, "Cloud effect at the top", "magma")
    elif len(result.section) > 0:
        draw_section(axes, result, lines, "Cloud effect: gain of net downward flux")
    else:
        effect = result.heating_rate - result.heating_rate_clear
        draw_heating(axes, result, effect, "Heating rate less that of clear sky", scale)
        means = ", ".join(f"{np.mean(values):.1f} {W_M2} {where}" for values, where in lines)
        axes.set_title(f"Cloud effect, mean gain of net downward flux:\n{means}")


def draw(result, arguments):
    if arguments.shortwave:
        result = Result(result.file, shortwave=True)
    scale = arguments.pressure
    with_map = result.has_map()
    wide = 1.7 if with_map else 1.1
    ratios = [1, wide] + [wide] * result.cloudy
    figure, axes = plt.subplots(1, len(ratios), figsize=(5 * sum(ratios), 5.5), layout="constrained",
                                width_ratios=ratios)
    draw_heating(axes[0], result, result.heating_rate, f"{result.range.capitalize()} heating rate", scale,
                 result.heating_rate_clear if result.cloudy else None)
    axes[0].set_title("Heating rate")
    outgoing = f"Outgoing {result.range} radiation"
    if with_map:
        draw_map(figure, axes[1], result, result.outgoing, outgoing)
    elif len(result.section) > 0:
        clear = [(result.outgoing_clear, "clear sky")] if result.cloudy else []
        draw_section(axes[1], result, [(result.outgoing, "with clouds" if clear else None), *clear], outgoing)
    else:
        draw_fluxes(axes[1], result, scale)
    if result.cloudy:
        draw_cloud_effect(figure, axes[2], result, scale)
    title = ": ".join(filter(None, (result.title, result.experiment)))
    figure.suptitle(arguments.title if arguments.title is not None else title)
    return figure


def add_options(parser):
    parser.add_argument("--shortwave", action="store_true", help="draw the shortwave, also where there is the longwave")
    parser.add_argument("--pressure", choices=("log", "linear"), default="log", help="pressure axis (default: log)")


if __name__ == "__main__":
    plotting.main(__doc__, "fluxes", Result, draw, add_options)
