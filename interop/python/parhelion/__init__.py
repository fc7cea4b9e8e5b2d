# SPDX-License-Identifier: BSD-3-Clause
"""Radiative transfer on CPUs and GPUs.

    longwave(), Longwave        longwave fluxes and heating rates of columns
    shortwave(), Shortwave      shortwave fluxes and heating rates of columns
    adding(), Adding            radiances of layers that emit, absorb and scatter
    spectra(), Spectra          infrared spectra along rays
    monte_carlo(), MonteCarlo   radiation in a box of gas with walls
    xarray.longwave()           longwave fluxes of a dataset with CF names and units
    xarray.shortwave()          shortwave fluxes of a dataset
    initialize()                chooses the device, before anything is computed

Functions take all arguments as keywords and return a result whose arrays are its attributes and its keys. Objects keep
their memory from call to call. Units are those of the SI; help(parhelion.longwave) lists them.
"""

import atexit as _atexit
import importlib as _importlib

try:
    from . import _core
except ImportError as _error:
    if "GLIBC" in str(_error):
        raise ImportError(f"parhelion was built with a Kokkos that needs a newer C library than that of this Python: "
                          f"start Python by parhelion-python, which is installed with it ({_error})") from None
    raise

from ._core import NotFiniteError
from ._solvers import (Adding, Longwave, MonteCarlo, Result, Shortwave, Spectra, adding, initialize, longwave,
                       monte_carlo, shortwave, spectra)

__version__ = _core.__version__
__all__ = ["Adding", "Longwave", "MonteCarlo", "NotFiniteError", "Result", "Shortwave", "Spectra", "adding",
           "initialize", "longwave", "monte_carlo", "shortwave", "spectra"]


def __getattr__(name):
    """parhelion.xarray, which needs xarray, is imported by its first use."""
    if name == "xarray":
        return _importlib.import_module(".xarray", __name__)
    raise AttributeError(f"module 'parhelion' has no attribute {name!r}")


@_atexit.register
def _finalize():
    """Objects that are still there release their memory, and can be destroyed later."""
    try:
        _core.finalize()
    except RuntimeError:  # a thread still computes, and the process ends anyway
        pass
