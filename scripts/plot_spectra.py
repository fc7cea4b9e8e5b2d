#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result of `parhelion ega -o RESULT.nc`: spectra of some rays, and radiance and transmittance over the
altitude of tangent points where the file holds a limb scan."""

import plotting
from plotting import COLOURS, chosen, np, plt, spread

MARKERS = ["o", "s", "^", "v", "D", "X"]
RADIANCE = "Radiance [W m$^{-2}$ sr$^{-1}$ (cm$^{-1}$)$^{-1}$]"
BRIGHTNESS = "Brightness temperature [K]"
# Up to here a line shows where its points are.
FEW = 60


class Result:
    """What is drawn: radiances or brightness temperatures over (ray, channel), NaN where they are masked."""

    def __init__(self, file):
        self.brightness = "brightness_temperature" in file
        name = "brightness_temperature" if self.brightness else "radiance"
        plotting.need_variables(file, (name, "transmittance", "wavenumber", "tangent_altitude", "tangent_longitude",
                                       "tangent_latitude"), "ega")
        self.wavenumber = file["wavenumber"][:]
        self.values, self.transmittance = file[name][:], file["transmittance"][:]
        self.altitude, self.longitude, self.latitude = (
            file[f"tangent_{each}"][:] for each in ("altitude", "longitude", "latitude"))
        self.altitude = self.altitude / 1000
        self.title = plotting.text(file, "title")
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


def style(n, few):
    """As other scripts draw lines, with marks where there are few points."""
    marks = {"marker": MARKERS[n % len(MARKERS)], "markersize": 4} if few else {}
    return {**plotting.style(n), "linewidth": 1.4, **marks}


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
    axes.legend(title="Ray: tangent point" if limb else "Ray: place on the ground", loc="best", fontsize="small",
                framealpha=0.9)


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


def add_options(parser):
    parser.add_argument("--draw", choices=("all", "spectrum", "limb"), default="all",
                        help="what to draw (default: all that the file has)")
    parser.add_argument("--rays", metavar="N,N,...", help="rays of the spectrum, counted from 0 (default: up to six)")
    parser.add_argument("--channels", metavar="N,N,...",
                        help="channels of the limb scan, counted from 0 (default: up to six)")


if __name__ == "__main__":
    plotting.main(__doc__, "ega", Result, draw, add_options)
