#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Uses the Python module of an installation, without any file.

    consumer.py PREFIX [refused]

With `refused` this Python lacks the C library that the installation needs: the module has to say how it is started.
"""
import pathlib
import sys

import numpy as np

prefix, refused = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] == ["refused"]
try:
    import parhelion
except ImportError as error:
    assert refused and "parhelion-python" in str(error), error
    print(error)
    sys.exit()
assert not refused, "expected that the module refuses this Python"
assert prefix in pathlib.Path(parhelion.__file__).resolve().parents, parhelion.__file__

levels = np.linspace(1e5, 0, 51)
layers = (levels[1:] + levels[:-1]) / 2
fluxes = parhelion.longwave(
    model="simple", pressure_lay=layers, pressure_lev=levels, temperature_lay=210 + 80 * layers / 1e5,
    temperature_lev=210 + 80 * levels / 1e5, temperature_sfc=290., emissivity_sfc=1.,
    gases={"h2o": 0.012 * (layers / 1e5) ** 2, "co2": 4e-4})
print(f"outgoing {fluxes.flux_up[-1]:.2f} W m-2, down at the surface {fluxes.flux_dn[0]:.2f} W m-2")
assert abs(fluxes.flux_up[-1] - 271.47) < 0.01, "expected the fluxes of examples/fluxes.cpp"

black = parhelion.adding(optical_depth=np.full(3, 0.5), planck=np.full(3, 7.), mu=np.array([0.5]),
                         weight=np.array([1.]), planck_sfc=7., emissivity=1.)
assert abs(black.toa[0] - 7.) < 1e-12, "expected Planck's radiance of what has one temperature"

edges = np.linspace(0, 1, 3)
wall = {"temperature": 900.}
box = parhelion.monte_carlo(gas="grey", absorption=1., rays=64, x=edges, y=edges, z=edges,
                            temperature=np.full((2, 2, 2), 900.), sides={"x": wall, "y": wall, "z": wall})
emitted = 4 * 5.670374419e-8 * 900.**4
assert abs(box.q).max() < 1e-6 * emitted, "expected no source where everything has one temperature"
print(f"parhelion {parhelion.__version__} for Python, in {prefix}")
