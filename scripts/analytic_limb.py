#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a limb scan that is given by formula, as input of `parhelion ega` and `parhelion retrieve`, into a folder:

  case.ctl      what is computed: CO2 and O3 in ten channels, and which levels are retrieved
  atm.tab       an atmosphere, which a retrieval takes for what is known before
  truth.tab     the same with a wave in temperature and another one in ozone
  obs.tab       a satellite at 800 km that looks at 25 tangent points from 8 to 56 km
  tables_*.filt filters of the channels

The absorption is not among them: `parhelion tables synthetic` makes its tables. Needs nothing but python3.
"""

import argparse
import math
import os
import sys

GASES = ("CO2", "O3")
CHANNELS = (670, 676, 694, 700, 716, 724, 730, 734, 742, 748)  # [cm-1]
ALTITUDES = range(0, 72, 2)  # of levels [km]
TANGENTS = range(8, 58, 2)  # [km]
SATELLITE = 800.0  # [km]
EARTH_RADIUS = 6367.421  # [km], of the model

CONTROL = f"""\
# What is in the atmosphere, in the order of its columns
NG = {len(GASES)}
{{gases}}

# Channels [cm-1]
ND = {len(CHANNELS)}
{{channels}}

# Tables and filters: files that begin with this name, beside this file
TBLBASE = tables

# No continua, which need files of coefficients
CTM_CO2 = 0
CTM_H2O = 0
CTM_N2 = 0
CTM_O2 = 0

# Steps along rays: at most 10 km, and 1 km in the vertical
RAYDS = 10
RAYDZ = 1

# Pressures follow from temperatures, from this altitude [km] up and down
HYDZ = 30

# What is retrieved, and what --kernel differentiates by: levels [km] of temperature and of the second gas
RETT_ZMIN = 12
RETT_ZMAX = 60
RETQ_ZMIN[1] = 12
RETQ_ZMAX[1] = 56
"""


def temperature(z):
    """[K] at z [km]: a tropopause near 16 km, a stratopause at 50 km."""
    return 220 + 45 * math.exp(-(((z - 50) / 14) ** 2)) + 50 * math.exp(-((z / 8) ** 2))


def ozone(z):
    """Mole fraction: 8 ppm at 33 km."""
    return 8e-6 * math.exp(-(((z - 33) / 13) ** 2)) + 3e-8


def levels(with_waves):
    """Altitude [km], pressure [hPa], temperature and mole fraction of ozone of each level. Pressures are those of a
    scale height of 7 km: the program makes them hydrostatic."""
    for z in ALTITUDES:
        window = math.exp(-(((z - 31) / 12) ** 4)) if with_waves else 0.0
        yield (z, 1013.25 * math.exp(-z / 7), temperature(z) + 5 * window * math.sin((z - 20) / 4),
               ozone(z) * (1 + 0.2 * window * math.cos((z - 24) / 5)))


def atmosphere(with_waves):
    lines = ["# time [s], altitude [km], longitude, latitude [degree], pressure [hPa], temperature [K], CO2, O3 [1], "
             "extinction [km-1]"]
    lines += [f"0 {z} 0 0 {p:.6e} {t:.4f} 4e-4 {q:.6e} 0" for z, p, t, q in levels(with_waves)]
    return "\n".join(lines) + "\n"


def observation():
    """The tangent point is where a straight line from the satellite is nearest to the ground."""
    lines = ["# time [s]; altitude [km], longitude, latitude [degree] of the satellite, of the place it looks at and "
             "of the tangent point; radiances and transmittances of the channels, which are results and 0 here"]
    for z in TANGENTS:
        latitude = math.degrees(math.acos((EARTH_RADIUS + z) / (EARTH_RADIUS + SATELLITE)))
        lines.append(f"0 {SATELLITE:g} 0 0 {z} 0 {latitude:.10f} 0 0 0" + 2 * len(CHANNELS) * " 0")
    return "\n".join(lines) + "\n"


def files():
    gases = "\n".join(f"EMITTER[{i}] = {gas}" for i, gas in enumerate(GASES))
    channels = "\n".join(f"NU[{i}] = {nu}.0" for i, nu in enumerate(CHANNELS))
    yield "case.ctl", CONTROL.format(gases=gases, channels=channels)
    yield "atm.tab", atmosphere(False)
    yield "truth.tab", atmosphere(True)
    yield "obs.tab", observation()
    for nu in CHANNELS:
        yield f"tables_{nu:.4f}.filt", f"# wavenumber [cm-1], weight\n{nu - 1} 1\n{nu} 1\n{nu + 1} 1\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", help="folder to write to, which is made where it is missing")
    arguments = parser.parse_args()
    try:
        os.makedirs(arguments.folder, exist_ok=True)
        for name, content in files():
            with open(os.path.join(arguments.folder, name), "w", encoding="utf-8") as file:
                file.write(content)
    except OSError as error:
        sys.exit(f"{parser.prog}: {arguments.folder}: {error}")


if __name__ == "__main__":
    main()
