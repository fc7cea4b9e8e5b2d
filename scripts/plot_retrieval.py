#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result of `parhelion retrieve -o RESULT.nc`: for each retrieved profile its values with what was known
before, its errors, and the rows of the averaging kernel."""

import dataclasses

import plotting
from plotting import np, plt

# Units of quantities in a picture and their factors from those of a file, which are SI. All others are mole fractions.
UNITS = {"temperature": ("K", 1), "pressure": ("hPa", 1e-2), "extinction": ("km$^{-1}$", 1e3)}


@dataclasses.dataclass
class Profile:
    """A retrieved profile: arrays over its elements, in the unit of the picture."""

    name: str
    unit: str
    altitude: np.ndarray  # [km]
    value: np.ndarray
    prior: np.ndarray
    noise_error: np.ndarray
    total_error: np.ndarray
    response: np.ndarray
    averaging_kernel: np.ndarray  # (element, element) of this profile
    smoothing_error: np.ndarray | None = None
    truth: np.ndarray | None = None  # where it is known


def read(file):
    names = ("value", "prior", "noise_error", "smoothing_error", "total_error", "response")
    plotting.need_variables(file, (*names, "averaging_kernel", "altitude", "quantity"), "retrieve")
    columns = {name: file[name][:] for name in names}
    kernel, altitude = file["averaging_kernel"][:], file["altitude"][:] / 1000
    quantities = plotting.words(file["quantity"])
    profiles = []
    for quantity in dict.fromkeys(quantities):
        rows = np.flatnonzero(np.array(quantities) == quantity)
        unit, factor = UNITS.get(quantity.split("_")[0]) or unit_of_mole_fraction(columns["value"][rows])
        name = quantity.replace("_", " ").capitalize() if quantity.split("_")[0] in UNITS else quantity
        mine = {each: values[rows] * (1 if each == "response" else factor) for each, values in columns.items()}
        profiles.append(Profile(name, unit, altitude[rows], averaging_kernel=kernel[np.ix_(rows, rows)], **mine))
    return profiles, summary(file.attrs), plotting.text(file, "title")


def unit_of_mole_fraction(values):
    """That in which the largest value is a tenth or more."""
    largest = np.max(np.abs(values), initial=0)
    units = (("1", 1), ("ppm", 1e6), ("ppb", 1e9), ("ppt", 1e12))
    return next((each for each in units if largest * each[1] >= 0.1), units[-1])


def summary(attributes):
    """What the file says of the whole retrieval."""
    parts = []
    if "converged" in attributes:
        parts.append("converged" if np.all(attributes["converged"] == 1) else "NOT CONVERGED")
    for name, words in (("chi_square", "chi-square"), ("residual_chi_square", "of the residual"),
                        ("degrees_of_freedom", "degrees of freedom")):
        if name in attributes:
            parts.append(f"{words} {float(np.ravel(attributes[name])[0]):.3g}")
    return ", ".join(parts)


def draw_profile(left, middle, right, profile):
    altitude, value, prior = profile.altitude, profile.value, profile.prior
    noise, total, smoothing = profile.noise_error, profile.total_error, profile.smoothing_error
    label = f"{profile.name} [{profile.unit}]"
    if profile.truth is not None:
        left.plot(profile.truth, altitude, "k", label="truth")
    left.plot(prior, altitude, "0.6", linestyle="--", label="a priori")
    left.errorbar(value, altitude, xerr=total, fmt="C0o", markersize=3, linewidth=1, label="retrieved")
    left.set(xlabel=label, ylabel="Altitude [km]")

    # Departures from the truth where it is known, else from the prior.
    middle.fill_betweenx(altitude, -total, total, color="C0", alpha=0.2, label="total error")
    middle.fill_betweenx(altitude, -noise, noise, color="C0", alpha=0.4, label="noise error")
    if smoothing is not None:
        middle.plot(smoothing, altitude, "C1", linestyle=":", label="smoothing error")
        middle.plot(-smoothing, altitude, "C1", linestyle=":")
    if profile.truth is not None:
        middle.plot(value - profile.truth, altitude, "C0", label="retrieved - truth")
        middle.plot(prior - profile.truth, altitude, "0.6", linestyle="--", label="a priori - truth")
    else:
        middle.plot(value - prior, altitude, "k", label="retrieved - a priori")
    middle.axvline(0, color="0.8", linewidth=0.8)
    middle.set_xlabel(f"{profile.name}: differences and errors [{profile.unit}]")

    count = len(altitude)
    for row, colour in enumerate(plt.cm.viridis(np.linspace(0, 0.9, count))):
        right.plot(profile.averaging_kernel[row], altitude, color=colour,
                   label="rows, from low to high" if row == 0 else None)
    right.plot(profile.response, altitude, "k", label="response: sum of the row")
    right.axvline(1, color="0.8", linewidth=0.8)
    right.set_xlabel(f"{profile.name}: averaging kernel [1]")
    for axes in (left, middle, right):
        axes.grid(color="0.92")
        axes.legend(loc="best", fontsize="small", framealpha=0.9)


def draw_all(profiles, title):
    if not profiles:
        raise ValueError("no retrieved profiles")
    figure, axes = plt.subplots(len(profiles), 3, figsize=(13, 4.5 * len(profiles)), squeeze=False, sharey="row",
                                layout="constrained")
    for row, profile in zip(axes, profiles):
        draw_profile(*row, profile)
    figure.suptitle(title)
    return figure


def draw(result, arguments):
    profiles, about, title = result
    heading = "\n".join(filter(None, (title, about)))
    return draw_all(profiles, arguments.title if arguments.title is not None else heading)


if __name__ == "__main__":
    plotting.main(__doc__, "retrieve", read, draw)
