#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes atmospheres that are given by formula, as input of `parhelion fluxes` in the column layout.

- The analytic soundings of RCEMIP for 295, 300 and 305 K: Wing et al. (2018), doi:10.5194/gmd-11-793-2018.
- The U.S. Standard Atmosphere 1976 (NOAA-S/T 76-1562), with a water vapour profile made for this script.
- A section from pole to pole: soundings of RCEMIP's form over the sea surface temperatures "Qobs" of
  Neale & Hoskins (2000), doi:10.1006/asle.2000.0022.

All have RCEMIP's ozone and well-mixed gases, no halocarbons, a surface that is black in the longwave, and RCEMIP's
albedo. Over RCEMIP's soundings shines its sun, over the others that of an equinox at noon. With --clouds all have two
overcast ones: of droplets between 1 and 2 km, and a thin cirrus at 10 km.
"""

import python_modules

python_modules.need("numpy", "h5py")

import h5py
import numpy as np

import input_files
from input_files import describe

# 60 layers up to 71 km (0.04 hPa): 100 m thick at the surface, 1.9 km at the top.
HEIGHT_LEV = 71e3 * (np.arange(61) / 60) ** 1.6
HEIGHT_LAY = 0.5 * (HEIGHT_LEV[:-1] + HEIGHT_LEV[1:])

MOLAR_MASS_RATIO = 28.966 / 18.016  # dry air over water
WELL_MIXED = {"co2vmr": 348e-6, "ch4vmr": 1650e-9, "n2ovmr": 306e-9, "o2vmr": 0.209}  # RCEMIP; O2 of dry air
ALBEDO_NAMES = {
    "asdir": "ultraviolet and visible, direct",
    "asdif": "ultraviolet and visible, diffuse",
    "aldir": "near infrared, direct",
    "aldif": "near infrared, diffuse",
}
ABSENT = ("cfc11vmr", "cfc12vmr", "cfc22vmr", "ccl4vmr")  # RCEMIP sets them to zero

# Wing et al. (2018), Table 2 and text
Z_Q1, Z_Q2 = 4000.0, 7500.0  # shape of the humidity profile [m]
Q_T = 1e-14  # specific humidity above the tropopause [kg kg-1]
GAMMA = 0.0067  # lapse rate of virtual temperature [K m-1]
P_0 = 1014.8  # surface pressure [hPa]
GRAVITY, R_DRY = 9.79764, 287.04
SURFACE_HUMIDITY = {295.0: 0.01200, 300.0: 0.01865, 305.0: 0.02400}  # [kg kg-1]
Z_T = 15000.0  # tropopause [m]
ALBEDO = 0.07
SOLAR_CONSTANT, ZENITH_ANGLE = 551.58, 42.05  # [W m-2], [degrees]: as much light as the tropics have in a day and night


def rcemip_sounding(z, t_sfc, q_sfc, z_t):
    """Pressure [hPa], temperature [K] and mole ratio of water vapour at heights z [m]: Wing et al. (2018), Eqs. 2-6."""
    q = np.where(z <= z_t, q_sfc * np.exp(-z / Z_Q1 - (z / Z_Q2) ** 2), Q_T)
    tv_sfc = t_sfc * (1 + 0.608 * q_sfc)
    tv_t = tv_sfc - GAMMA * z_t
    tv = np.maximum(tv_sfc - GAMMA * z, tv_t)
    p_t = P_0 * (tv_t / tv_sfc) ** (GRAVITY / (R_DRY * GAMMA))
    below = P_0 * (tv / tv_sfc) ** (GRAVITY / (R_DRY * GAMMA))
    above = p_t * np.exp(-GRAVITY * (z - z_t) / (R_DRY * tv_t))
    return np.where(z <= z_t, below, above), tv / (1 + 0.608 * q), q / (1 - q) * MOLAR_MASS_RATIO


def standard_atmosphere(z):
    """The same for the U.S. Standard Atmosphere 1976, z being geopotential height.

    The standard has no water. Here it is 7750 ppmv at the surface, falls with height as in RCEMIP's soundings and stays
    at 4.5 ppmv where that would be less. This follows the AFGL atmosphere of the same name within a few ppmv at 5 km.
    """
    base = np.array([0.0, 11e3, 20e3, 32e3, 47e3, 51e3, 71e3])
    lapse = np.array([-6.5e-3, 0.0, 1e-3, 2.8e-3, 0.0, -2.8e-3, -2e-3])
    g_over_r = 9.80665 * 28.9644e-3 / 8.31432
    t_base, p_base = [288.15], [1013.25]

    def above(layer, dz):
        t = t_base[layer] + lapse[layer] * dz
        if lapse[layer] == 0:
            return t, p_base[layer] * np.exp(-g_over_r * dz / t_base[layer])
        return t, p_base[layer] * (t / t_base[layer]) ** (-g_over_r / lapse[layer])

    for layer in range(len(base) - 1):
        t, p = above(layer, base[layer + 1] - base[layer])
        t_base.append(t)
        p_base.append(p)
    values = [above(layer, h - base[layer]) for h, layer in zip(z, np.searchsorted(base, z, side="right") - 1)]
    t, p = np.array(values).T
    water = np.maximum(7750e-6 * np.exp(-z / Z_Q1 - (z / Z_Q2) ** 2), 4.5e-6)
    return p, t, water


def section(latitude):
    """Surface temperature [K], its specific humidity and tropopause height [m] of a column of the section."""
    s = np.sin(1.5 * np.deg2rad(latitude)) ** 2 if abs(latitude) < 60 else 1.0
    t_sfc = 273.15 + 13.5 * (2 - s - s * s)
    # 80 % of saturation over water, Bolton (1980), Eq. 10: the mean of RCEMIP's three soundings.
    e = 0.8 * 6.112 * np.exp(17.67 * (t_sfc - 273.15) / (t_sfc - 29.65))
    q_sfc = 0.622 * e / (P_0 - 0.378 * e)
    # The tropopause is where virtual temperature has fallen to that of the 300 K sounding: high over warm water.
    tv_t = 300.0 * (1 + 0.608 * SURFACE_HUMIDITY[300.0]) - GAMMA * Z_T
    return t_sfc, q_sfc, (t_sfc * (1 + 0.608 * q_sfc) - tv_t) / GAMMA


def ozone(p):
    """Mole ratio of ozone at pressure p [hPa]: Wing et al. (2018), Eq. 1."""
    return 3.6478e-6 * p**0.83209 * np.exp(-p / 11.3515)


def make_columns():
    """Names, latitudes, surface temperatures and profile functions of all columns."""
    columns = []
    for t_sfc, q_sfc in SURFACE_HUMIDITY.items():
        columns.append(
            (f"RCEMIP {t_sfc:.0f} K", 0.0, t_sfc, lambda z, t=t_sfc, q=q_sfc: rcemip_sounding(z, t, q, Z_T))
        )
    columns.append(("U.S. Standard Atmosphere 1976", 45.0, 288.15, standard_atmosphere))
    for latitude in np.arange(-90.0, 91.0, 5.0):
        t_sfc, q_sfc, z_t = section(latitude)
        name = f"section at {abs(latitude):.0f} {'N' if latitude > 0 else 'S' if latitude < 0 else ''}".strip()
        columns.append((name, latitude, t_sfc, lambda z, t=t_sfc, q=q_sfc, h=z_t: rcemip_sounding(z, t, q, h)))
    return columns


def clouds():
    """Cloud variables (values, units, name) of the layers of a column."""
    low = (HEIGHT_LAY > 1e3) & (HEIGHT_LAY < 2e3)
    high = abs(HEIGHT_LAY - 10e3) < 500
    values = {  # of the low cloud, of the high one
        "cldfrac": (1.0, 1.0, "1", "cloud fraction"),
        "clwp": (40.0, 0.0, "g m-2", "water path of droplets in the cloud"),
        "rel": (10.0, 0.0, "um", "effective radius of droplets"),
        "ciwp": (0.0, 2.0, "g m-2", "water path of ice in the cloud"),
        "rei": (0.0, 40.0, "um", "generalised effective size of ice particles"),
    }
    return {name: (np.where(low, a, np.where(high, b, 0.0)), *words) for name, (a, b, *words) in values.items()}


def write(path, arguments):
    columns = make_columns()
    at_lay = [profile(HEIGHT_LAY) for _, _, _, profile in columns]
    at_lev = [profile(HEIGHT_LEV) for _, _, _, profile in columns]
    play, tlay, water = (np.array([each[i] for each in at_lay]) for i in range(3))
    plev, tlev = (np.array([each[i] for each in at_lev]) for i in range(2))

    layers, levels = ("column", "layer"), ("column", "level")
    ratio = "mole ratio to dry air"
    variables = {
        "plev": (levels, plev, "hPa", "air pressure at the interfaces of layers"),
        "play": (layers, play, "hPa", "air pressure of layers"),
        "tlev": (levels, tlev, "K", "air temperature at the interfaces of layers"),
        "tlay": (layers, tlay, "K", "air temperature of layers"),
        "tsfc": (("column",), np.array([each[2] for each in columns]), "K", "surface temperature"),
        "emis": (("column",), np.ones(len(columns)), "1", "surface emissivity"),
        "h2ovmr": (layers, water, "mol mol-1", ratio),
        "o3vmr": (layers, ozone(play), "mol mol-1", ratio),
        "lat": (("column",), np.array([each[1] for each in columns]), "degrees_north", "latitude"),
    }
    rcemip = np.array([each[0].startswith("RCEMIP") for each in columns])
    # At the poles the sun of the equinox is at the horizon, where it gives no light.
    angle = np.where(rcemip, ZENITH_ANGLE, abs(variables["lat"][1]))
    cosine = np.where(angle < 90, np.cos(np.deg2rad(angle)), 0.0)
    variables["coszen"] = (("column",), cosine, "1", "cosine of the solar zenith angle")
    variables["scon"] = (("column",), np.where(rcemip, SOLAR_CONSTANT, 0.0), "W m-2", "solar constant; 0: built in")
    for name, words in ALBEDO_NAMES.items():
        variables[name] = (("column",), np.full(len(columns), ALBEDO), "1", f"surface albedo, {words}")
    for name, value in WELL_MIXED.items():
        variables[name] = (layers, np.full_like(play, value), "mol mol-1", ratio)
    for name in ABSENT:
        variables[name] = (layers, np.zeros_like(play), "mol mol-1", ratio)
    if arguments.clouds:
        for name, (values, units, long_name) in clouds().items():
            variables[name] = (layers, np.tile(values, (len(columns), 1)), units, long_name)

    with h5py.File(path, "w", track_order=True) as file:
        describe(file, Conventions="CF-1.10", title="Atmospheres given by formula",
                 references="doi:10.5194/gmd-11-793-2018; NOAA-S/T 76-1562; doi:10.1006/asle.2000.0022",
                 vertical_order="index 0 is the lowest layer and the surface interface")
        for name, size in (("column", play.shape[0]), ("layer", play.shape[1]), ("level", plev.shape[1])):
            # The words by which netCDF-4 knows a dimension that is no variable.
            file.create_dataset(name, (size,), ">f4").make_scale(
                f"This is a netCDF dimension but not a netCDF variable. {size:10d}"
            )
        variables["column_label"] = (("column",), np.array([each[0] for each in columns], dtype=object), None, "name")
        for name, (dimensions, values, units, long_name) in variables.items():
            dtype = h5py.string_dtype() if units is None else "f8"
            dataset = file.create_dataset(name, data=values, dtype=dtype)
            for axis, dimension in enumerate(dimensions):
                dataset.dims[axis].attach_scale(file[dimension])
            describe(dataset, long_name=long_name)
            if units is not None:
                describe(dataset, units=units)


def add_options(parser):
    parser.add_argument("--clouds", action="store_true", help="also two clouds, which need RRTMG's gas optics")


if __name__ == "__main__":
    input_files.main(__doc__, "OUT.nc", write, add_options)
