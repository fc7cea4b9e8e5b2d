# SPDX-License-Identifier: BSD-3-Clause
"""Suns that differ between columns, as weights of the solar spectra."""

import numpy

from . import _core
from ._description import SHORTWAVE
from ._solvers import option_values

SUNS = ("kurucz_unscaled", "kurucz", "mean_cycle", "cycle", "indices", "scaled_bands")  # isolvar from -2
# What a sun is given by, and RRTMG_SW's names of flags; those of `HAS` say whether a number of a column counts.
SUN_NUMBERS = ("total_irradiance", "distance_factor", "cycle_fraction", "solar_indices", "band_factors")
SUN_FLAGS = {"sun": "isolvar", "day_of_year": "dyofyr"}
HAS = {"solar_indices": "has_indsolvar", "cycle_fraction": "has_indsolvar", "band_factors": "has_bndsolvar"}
UNSET_BY_0 = ("total_irradiance", "distance_factor")  # which a call refuses
LENGTHS = {"solar_indices": (2,), "band_factors": (14,)}


def solar_weights(numbers, count, precision, solver=None):
    """Weights of the solar spectra and factors on bands, (column, ...).

    `numbers` has arrays of columns or values for all by the names above; `sun` is `isolvar` or a name. The spectra are
    those of the model of `solver`, or those of RRTMG.
    """
    spread = {name: value if isinstance(value, str) else
              numpy.broadcast_to(value, (count, *LENGTHS.get(name, ()))).tolist() for name, value in numbers.items()}
    known, suns = {}, []
    for column in range(count):
        sun = {name: value if isinstance(value, str) else value[column] for name, value in spread.items()}
        key = repr(sun)
        if key not in known:
            known[key] = sun_of_column(sun, solver)
        suns.append(known[key])
    weights, factors = (numpy.asarray(each, precision) for each in zip(*suns))
    return weights, factors


def sun_of_column(sun, solver):
    """Weights of the solar spectra and factors on bands."""
    sun = {name: value for name, value in sun.items() if name not in HAS.values() and sun.get(HAS.get(name), 1)}
    if not isinstance(sun.get("sun", ""), str):
        sun["sun"] = SUNS[max(sun["sun"], -2) + 2]
    # As numbers of a column 0 is no distance at which the sun shines, and an irradiance that is not given.
    dark = sun.get("distance_factor") == 0 and not sun.get("day_of_year")
    sun = {name: value for name, value in sun.items() if value != 0 or name not in UNSET_BY_0}
    weights, factors = solver.solar_weights(**sun) if solver else _core.sun(option_values(SHORTWAVE.numbers, sun))
    return [0.] * len(weights) if dark else weights, factors
