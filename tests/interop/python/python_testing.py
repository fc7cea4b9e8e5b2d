# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python module share: files that scripts make, results of the program, columns by formula."""

import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

try:
    import h5py
except ImportError:
    print("skipped: this Python has no h5py, by which input is made and results are read")
    sys.exit(77)

# What ctest says; by hand, `parhelion-python test_....py` finds the same.
SOURCE = pathlib.Path(__file__).resolve().parents[3]
PYTHON = os.environ.get("PARHELION_PYTHON_COMMAND", sys.executable)
PROGRAM = os.environ.get("PARHELION_PROGRAM") or shutil.which("parhelion", path=os.path.dirname(PYTHON))
DATA = pathlib.Path(os.environ.get("PARHELION_TEST_DATA") or os.environ.get("PARHELION_REFERENCE_DATA") or "nowhere")
COEFFICIENTS = DATA / "rrtmg_lw/RRTMG_LW_DATA.DBL"
SW_COEFFICIENTS = DATA / "rrtmg_lw/RRTMG_SW_DATA.DBL"

needs_program = unittest.skipUnless(PROGRAM, "the program is not built")


def needs_data(*names):
    """Skips a test without files of the reference data, and says which it looked for."""
    missing = [name for name in names if not (DATA / name).is_file()]
    for name in names:
        where = f"not found in {DATA}" if name in missing else f"found: {DATA / name}"
        print(f"reference data {name} {where}")
    return unittest.skipIf(missing, f"needs {', '.join(missing)} of the reference data")


def scratch(test):
    """A folder for a test."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


def make(script, *arguments):
    subprocess.run([sys.executable, SOURCE / "scripts" / script, *arguments], check=True)


def program(*arguments, cwd=None):
    subprocess.run([PROGRAM, *map(str, arguments), "--quiet"], check=True, cwd=cwd)


def python(text, **environment):
    """Runs a text in a Python of its own; gives its status and all that it prints."""
    done = subprocess.run([PYTHON, "-c", text], capture_output=True, text=True, check=False, timeout=300,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


@functools.cache
def column_pressures(nlay):
    """Of layers and levels [Pa], the surface first."""
    levels = 101325. * numpy.linspace(1, 0.001, nlay + 1) ** 1.5
    return 0.5 * (levels[1:] + levels[:-1]), levels


def columns(ncol=5, nlay=12, dtype="float64"):
    """Arguments of longwave() for the simple spectral model, all different, and its options."""
    layers, levels = column_pressures(nlay)
    column = numpy.arange(ncol)[:, None] % 10

    def temperature(pressure):
        return 295 - 2. * column - 75 * (1 - (pressure / 101325.) ** 0.3)
    values = {
        "pressure_lay": numpy.tile(layers, (ncol, 1)),
        "pressure_lev": numpy.tile(levels, (ncol, 1)),
        "temperature_lay": temperature(layers),
        "temperature_lev": temperature(levels),
        "temperature_sfc": 297 - 2. * column[:, 0],
        "emissivity_sfc": 0.99 - 0.01 * column[:, 0],
    }
    gases = {"h2o": 0.02 * (layers / 101325.) ** 3 + 1e-6 * column, "co2": 4e-4 + 1e-5 * column + 0 * layers}

    def of_type(array):
        return numpy.ascontiguousarray(array, dtype)
    return {**{name: of_type(value) for name, value in values.items()},
            "gases": {name: of_type(value) for name, value in gases.items()}}


def sunny_columns(ncol=5, nlay=12, dtype="float64"):
    """Arguments of shortwave() like those of columns()."""
    values = columns(ncol, nlay, dtype)
    column = numpy.arange(ncol)
    for name in ("temperature_lev", "temperature_sfc", "emissivity_sfc"):
        del values[name]
    values["gases"]["o3"] = numpy.full((ncol, nlay), 3e-6, dtype)
    values["cos_zenith"] = numpy.asarray(0.9 - 0.2 * column, dtype)
    values["albedo_direct"] = numpy.asarray(0.1 + 0.05 * column, dtype)
    values["albedo_diffuse"] = numpy.asarray(0.05 + 0.05 * column, dtype)
    return values


SIMPLE = {"model": "simple"}


class Case(unittest.TestCase):
    def assert_same(self, found, expected, what=""):
        """The same bits, shape and type."""
        found, expected = numpy.asarray(found), numpy.asarray(expected)
        self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype), what)
        if not numpy.array_equal(found, expected, equal_nan=True):
            self.fail(f"{what}: differs by up to {numpy.nanmax(numpy.abs(found - expected))}")

    def assert_same_results(self, found, expected):
        self.assertEqual(sorted(found), sorted(expected))
        for name in found:
            self.assert_same(found[name], expected[name], name)

    def assert_raises(self, kind, expression, call, *arguments, **keywords):
        """An exception of exactly this kind, whose one line has the expression."""
        with self.assertRaisesRegex(kind, expression) as caught:
            call(*arguments, **keywords)
        self.assertIs(type(caught.exception), kind)
        self.assertNotIn("\n", str(caught.exception))


def main():
    """Runs the tests of a file; 77 where all of them or some were skipped for want of something."""
    result = unittest.main(exit=False, verbosity=1).result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.skipped:
        sys.exit(77)
