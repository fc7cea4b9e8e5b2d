#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a group of a result of `parhelion adding -o RESULT.nc`: radiances at the top over the angle, and what else the
file has: radiances at all levels (--levels), what the perturbation changes (--tangent), and which layers the radiance
comes from (--adjoint: its derivatives by their Planck radiances)."""

import plotting
from plotting import chosen, np, plt, spread, style


class Result:
    """The groups of a file and what they hold, by the names of variables."""

    NAMES = ("mu", "rad_up", "full_up", "full_dn", "tl_out/rad_toa", "ad_out/planck_atm", "ad_out/planck_sfc")

    def __init__(self, file):
        groups = {name: group for name, group in file.items()
                  if isinstance(group, plotting.h5py.Group) and "rad_up" in group}
        if not groups:
            plotting.need_variables(file, ("group with rad_up",), "adding")
        self.groups = {name: self.read(group) for name, group in groups.items()}
        units = {name: plotting.text(group["rad_up"], "units") for name, group in groups.items()}
        # In Matplotlib's mathematics -1 is a superscript.
        self.units = {name: each.replace("-1", "$^{-1}$").replace("-2", "$^{-2}$") for name, each in units.items()}
        self.title = plotting.text(file, "title")

    def read(self, group):
        return {name: group[name][:] for name in self.NAMES if name in group}


def plain(axes, title, x, y):
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(color="0.9")
    axes.legend(title="Profile", loc="best", fontsize="small", framealpha=0.9)


def over_angle(axes, mu, values, profiles, title, label):
    for n, i in enumerate(profiles):
        order = np.argsort(mu[i])
        axes.plot(np.degrees(np.arccos(mu[i][order])), values[i][order], marker="o", markersize=4, label=i, **style(n))
    plain(axes, title, "Zenith angle [degree]", label)


def over_levels(axes, group, profiles, angle, unit):
    for n, i in enumerate(profiles):
        levels = np.arange(group["full_up"].shape[1])
        axes.plot(group["full_up"][i, :, angle], levels, label=i, **style(n))
        axes.plot(group["full_dn"][i, :, angle], levels, alpha=0.5, **style(n))
    axes.invert_yaxis()
    plain(axes, f"At all levels, {zenith(group, profiles, angle)}", f"Radiance{unit}, upward strong, downward pale",
          "Level, 0 is the top")


def over_layers(axes, group, profiles):
    derivative, of_surface = group["ad_out/planck_atm"], group["ad_out/planck_sfc"]
    for n, i in enumerate(profiles):
        label = f"{i}, surface {of_surface[i]:.2f}"
        axes.plot(derivative[i], np.arange(derivative.shape[1]), label=label, **style(n))
    axes.invert_yaxis()
    plain(axes, "Where the radiance comes from", "Derivative by the layer's Planck radiance [1]",
          "Layer, 0 is the highest")


def zenith(group, profiles, angle):
    return f"{np.degrees(np.arccos(group['mu'][profiles[0], angle])):.0f} degree"


def draw(result, arguments):
    name = arguments.group or next(iter(result.groups))
    if name not in result.groups:
        raise ValueError(f"no group {name}, expected one of {', '.join(result.groups)}")
    group, unit = result.groups[name], f" [{result.units[name]}]" if result.units[name] else ""
    mu = group["mu"]
    profiles = chosen(arguments.profiles, len(mu), "profile") or spread(range(len(mu)))
    angle = (chosen(arguments.angle, mu.shape[1], "angle") or [mu.shape[1] - 1])[0]
    panels = [lambda axes: over_angle(axes, mu, group["rad_up"][:, 0], profiles, "Upward at the top",
                                      f"Radiance{unit}")]
    if "full_up" in group:
        panels.append(lambda axes: over_levels(axes, group, profiles, angle, unit))
    if "tl_out/rad_toa" in group:
        panels.append(lambda axes: over_angle(axes, mu, group["tl_out/rad_toa"], profiles, "What the perturbation adds",
                                              f"Change of the radiance{unit}"))
    if "ad_out/planck_atm" in group:
        panels.append(lambda axes: over_layers(axes, group, profiles))
    rows = 2 if len(panels) == 4 else 1
    columns = len(panels) // rows
    figure, axes = plt.subplots(rows, columns, figsize=(6 * columns, 4.8 * rows), layout="constrained", squeeze=False)
    for panel, place in zip(panels, axes.flat):
        panel(place)
    figure.suptitle(arguments.title if arguments.title is not None else f"{result.title}: group {name}")
    return figure


def add_options(parser):
    parser.add_argument("--group", metavar="NAME", help="group to draw (default: the first)")
    parser.add_argument("--profiles", metavar="N,N,...", help="profiles, counted from 0 (default: up to six)")
    parser.add_argument("--angle", metavar="N", help="angle of radiances at levels, counted from 0 (default: the last)")


if __name__ == "__main__":
    plotting.main(__doc__, "adding", Result, draw, add_options)
