#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes profiles that are given by formula, as input of `parhelion adding`: what a satellite sees at 900 cm-1, in the
atmospheric window.

- Group `clear`: RCEMIP's soundings for 295, 300 and 305 K (Wing et al. 2018, doi:10.5194/gmd-11-793-2018), which absorb
  by water vapour alone, grey, over a black surface.
- Group `cloud`: the sounding for 300 K with a cloud at 5 km whose optical depth is 0, 0.3, 1, 3, 10 and 30. It scatters
  half of what it takes out, with the phase function of Henyey & Greenstein (1941), doi:10.1086/144246.

Radiances are in six directions that stand for all, and in a seventh, straight up, which a satellite looks at. The
perturbation for the tangent-linear is a surface that is 1 K warmer.
"""

import python_modules

python_modules.need("numpy", "h5py")

import h5py
import numpy as np

import input_files
from analytic_atmospheres import SURFACE_HUMIDITY, Z_T, rcemip_sounding

WAVENUMBER = 900.0  # [cm-1]
HEIGHT_LEV = np.linspace(20e3, 0, 41)  # index 0 is the top
HEIGHT_LAY = 0.5 * (HEIGHT_LEV[:-1] + HEIGHT_LEV[1:])
VAPOUR_ABSORPTION = 0.015  # [m2 kg-1]
CLOUD_LAYER = int(np.argmin(abs(HEIGHT_LAY - 5e3)))
CLOUD_DEPTH = np.array([0.0, 0.3, 1.0, 3.0, 10.0, 30.0])
ALBEDO, ASYMMETRY = 0.5, 0.6
GAUSS = 6  # directions of the quadrature


def planck(temperature):
    """Planck radiance [W m-2 sr-1 (cm-1)-1], CODATA 2018."""
    first, second = 1.191042972e-8, 1.438776877  # 2 h c2 [W m-2 sr-1 (cm-1)-4], h c / k [K cm]
    return first * WAVENUMBER**3 / np.expm1(second * WAVENUMBER / temperature)


def angles():
    """Cosines of zenith angles and weights: Gauss-Legendre on [0, 1], and 1 with weight 0."""
    nodes, weights = np.polynomial.legendre.leggauss(GAUSS)
    return np.append(0.5 * (nodes + 1), 1.0), np.append(0.5 * weights, 0.0)


def phase_matrices(mu):
    """Into the same and into the other hemisphere, (angle, angle + 1): the series of Legendre polynomials as far as the
    quadrature integrates it, so that rows sum to 1 with the weights. There is no sun: the last column is 0."""
    orders = np.arange(2 * GAUSS)
    values = np.polynomial.legendre.legvander(mu, len(orders) - 1)  # (angle, order)
    terms = 0.5 * (2 * orders + 1) * ASYMMETRY**orders
    forward = (values * terms) @ values.T
    backward = (values * terms * (-1.0) ** orders) @ values.T
    return [np.pad(matrix, ((0, 0), (0, 1))) for matrix in (forward, backward)]


def sounding(t_sfc):
    """Planck radiances of layers and optical depths of their water vapour."""
    p, t, ratio = rcemip_sounding(HEIGHT_LAY, t_sfc, SURFACE_HUMIDITY[t_sfc], Z_T)
    density = 100 * p / (461.5 * t) * ratio  # of vapour [kg m-3]
    return planck(t), VAPOUR_ABSORPTION * density * -np.diff(HEIGHT_LEV)


def profiles(t_sfc):
    """Variables of profiles without clouds over black surfaces."""
    mu, weight = angles()
    count = len(t_sfc)
    radiance, depth = (np.array(each) for each in zip(*map(sounding, t_sfc)))
    return {
        "od": depth,
        "planck_atm": radiance,
        "planck_sfc": planck(np.array(t_sfc)),
        "mu": np.tile(mu, (count, 1)),
        "weight": np.tile(weight, (count, 1)),
        "emissivity": np.ones((count, len(mu))),
        "reflectivity": np.zeros((count, len(mu), len(mu))),
    }


def clouds():
    """The same of the sounding for 300 K with clouds."""
    count = len(CLOUD_DEPTH)
    variables = profiles([300.0] * count)
    depth = variables["od"]
    depth[:, CLOUD_LAYER] += CLOUD_DEPTH
    albedo, kind = np.zeros(depth.shape), np.zeros(depth.shape, dtype=int)
    albedo[:, CLOUD_LAYER] = ALBEDO * CLOUD_DEPTH / depth[:, CLOUD_LAYER]
    kind[:, CLOUD_LAYER] = CLOUD_DEPTH > 0
    forward, backward = phase_matrices(variables["mu"][0])
    variables.update(ssa=albedo, type=kind, pff_types=np.tile(forward, (count, 1, 1, 1)),
                     pbb_types=np.tile(backward, (count, 1, 1, 1)))
    return variables


def write_group(group, variables, t_sfc):
    for name, values in variables.items():
        group[name] = values
    for name in ("planck_atm", "planck_sfc"):
        input_files.describe(group[name], units="W m-2 sr-1 (cm-1)-1")
    group["tl_in/planck_sfc"] = planck(np.array(t_sfc) + 1) - planck(np.array(t_sfc))


def write(path, _):
    with h5py.File(path, "w") as file:
        input_files.describe(file, title=f"Profiles given by formula, {WAVENUMBER:.0f} cm-1",
                             references="doi:10.5194/gmd-11-793-2018")
        clear = list(SURFACE_HUMIDITY)
        write_group(file.create_group("clear"), profiles(clear), clear)
        write_group(file.create_group("cloud"), clouds(), [300.0] * len(CLOUD_DEPTH))


if __name__ == "__main__":
    input_files.main(__doc__, "OUT.h5", write)
