#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result of `parhelion ega -o RESULT.nc`: spectra of some rays, and radiance and transmittance over the
altitude of tangent points where the file holds a limb scan."""

import argparse
import os
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Okabe & Ito's colours, which stay apart for all kinds of colour vision; lines differ in their dashes too.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
DASHES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]
MARKERS = ["o", "s", "^", "v", "D", "X"]
RADIANCE = "Radiance [W m$^{-2}$ sr$^{-1}$ (cm$^{-1}$)$^{-1}$]"
BRIGHTNESS = "Brightness temperature [K]"
# Up to here a line shows where its points are.
FEW = 60


class Result:
    """What is drawn: radiances or brightness temperatures over (ray, channel), NaN where they are masked."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.brightness = "brightness_temperature" in file
            name = "brightness_temperature" if self.brightness else "radiance"
            missing = [each for each in (name, "transmittance", "wavenumber", "tangent_altitude",
                                     "tangent_longitude", "tangent_latitude") if each not in file]
            if missing:
                raise ValueError(f"no {', no '.join(missing)}: not a result of parhelion ega")
            self.wavenumber = file["wavenumber"][:]
            self.values, self.transmittance = file[name][:], file["transmittance"][:]
            self.altitude, self.longitude, self.latitude = (
                file[f"tangent_{each}"][:] for each in ("altitude", "longitude", "latitude"))
            self.altitude = self.altitude / 1000
            title = file.attrs.get("title", "")
            self.title = title.decode() if isinstance(title, bytes) else str(title)
        self.label = BRIGHTNESS if self.brightness else RADIANCE

    def place(self, ray):
        """Where a ray is nearest to the ground, or ends there."""
        if self.altitude[ray] > 0.1:
            return f"{self.altitude[ray]:.1f} km"
        latitude, longitude = round(self.latitude[ray], 1), round(self.longitude[ray], 1)
        return f"{abs(latitude)}°{'S' if latitude < 0 else 'N'} {abs(longitude)}°{'W' if longitude < 0 else 'E'}"

    def limb(self):
        """Rays with a tangent point above the ground, by its altitude; none where they are all the same."""
        rays = np.flatnonzero(self.altitude > 0.1)
        rays = rays[np.argsort(self.altitude[rays])]
        return rays if len(rays) > 1 and np.ptp(self.altitude[rays]) > 0.01 else rays[:0]


def spread(numbers):
    """Some of many, from the first to the last."""
    if len(numbers) <= len(COLOURS):
        return list(numbers)
    return [numbers[i] for i in np.linspace(0, len(numbers) - 1, len(COLOURS)).round().astype(int)]


def style(n, few):
    """Chosen lines may be more than there are colours: then both repeat, but not together."""
    dashes = DASHES[(n + n // len(COLOURS)) % len(DASHES)]
    marks = {"marker": MARKERS[n % len(MARKERS)], "markersize": 4} if few else {}
    return {"color": COLOURS[n % len(COLOURS)], "linestyle": dashes, "linewidth": 1.4, **marks}


def draw_spectrum(axes, result, rays):
    order = np.argsort(result.wavenumber)
    few = len(order) <= FEW
    for n, ray in enumerate(rays):
        look = style(n, few)
        if not few and len(rays) <= len(COLOURS):
            look.update(linestyle="-", linewidth=1)  # dashes get lost in many lines of a spectrum
        axes.plot(result.wavenumber[order], result.values[ray, order], label=f"{ray}: {result.place(ray)}", **look)
    axes.set(xlabel="Wavenumber [cm$^{-1}$]", ylabel=result.label, title="Spectrum")
    axes.grid(color="0.9")
    limb = np.any(result.altitude[rays] > 0.1)
    axes.legend(title="Ray: tangent point" if limb else "Ray: place on the ground", loc="best", fontsize="small", framealpha=0.9)


def draw_limb(left, right, result, channels):
    rays = result.limb()
    few = len(rays) <= FEW
    for n, channel in enumerate(channels):
        label = f"{result.wavenumber[channel]:.4g} cm$^{{-1}}$"
        left.plot(result.values[rays, channel], result.altitude[rays], label=label, **style(n, few))
        right.plot(result.transmittance[rays, channel], result.altitude[rays], label=label, **style(n, few))
    shown = result.values[np.ix_(rays, channels)]
    if not result.brightness and np.any(shown > 0):
        left.set_xscale("log")
        # Rays at the top see almost nothing: seven decades are enough.
        left.set_xlim(left=max(np.nanmin(shown[shown > 0]), np.nanmax(shown) * 1e-7) / 1.5)
    left.set(xlabel=result.label, ylabel="Altitude of the tangent point [km]", title="Limb scan")
    right.set(xlabel="Transmittance", title="Transmittance", xlim=(-0.03, 1.03))
    for axes in (left, right):
        axes.grid(color="0.9")
    right.legend(title="Channel", loc="best", fontsize="small", framealpha=0.9)
    right.sharey(left)
    right.tick_params(labelleft=False)


def draw(result, arguments):
    limb = len(result.limb()) > 0
    if arguments.draw == "limb" and not limb:
        raise ValueError("no two tangent points at different altitudes: not a limb scan")
    rays = chosen(arguments.rays, len(result.values), "ray") or spread(
        result.limb() if limb else np.arange(len(result.values)))
    channels = chosen(arguments.channels, len(result.wavenumber), "channel") or spread(np.argsort(result.wavenumber))
    with_limb = limb and arguments.draw != "spectrum"
    # A spectrum of one channel says nothing that the scan does not say.
    with_spectrum = arguments.draw == "spectrum" or not with_limb or (
        arguments.draw == "all" and len(result.wavenumber) > 1)
    panels = with_spectrum + 2 * with_limb
    figure, axes = plt.subplots(1, panels, figsize=((0, 8, 10, 15)[panels], 5.5), layout="constrained", squeeze=False,
                                width_ratios=[1.4] * with_spectrum + [1, 0.8] * with_limb)
    if with_spectrum:
        draw_spectrum(axes[0, 0], result, rays)
    if with_limb:
        draw_limb(axes[0, -2], axes[0, -1], result, channels)
    figure.suptitle(arguments.title if arguments.title is not None else result.title)
    return figure


def chosen(text, count, what):
    """The numbers of a list with commas; none where there is no list."""
    numbers = []
    for word in filter(None, (text or "").split(",")):
        if not word.strip().isdigit() or int(word) >= count:
            raise ValueError(f"no {what} {word}, expected 0 to {count - 1}")
        numbers.append(int(word))
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", metavar="RESULT.nc", help="file that parhelion ega wrote")
    parser.add_argument("-o", "--output", metavar="PICTURE.png", help="picture to write (default: RESULT.png)")
    parser.add_argument("--draw", choices=("all", "spectrum", "limb"), default="all",
                        help="what to draw (default: all that the file has)")
    parser.add_argument("--rays", metavar="N,N,...", help="rays of the spectrum, counted from 0 (default: up to six)")
    parser.add_argument("--channels", metavar="N,N,...",
                        help="channels of the limb scan, counted from 0 (default: up to six)")
    parser.add_argument("--title", help="title of the picture (default: that of the file)")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.result):
        sys.exit(f"{parser.prog}: {arguments.result}: no such file")
    output = arguments.output or os.path.splitext(arguments.result)[0] + ".png"
    try:
        figure = draw(Result(arguments.result), arguments)
    except (OSError, ValueError) as error:
        sys.exit(f"{parser.prog}: {arguments.result}: {error}")
    try:
        figure.savefig(output, dpi=150)
    except (OSError, ValueError) as error:
        sys.exit(f"{parser.prog}: {output}: {error}")
    print(output)


if __name__ == "__main__":
    main()
