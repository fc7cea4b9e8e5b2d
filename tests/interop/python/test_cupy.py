#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of CuPy: input, results and stream of a call stay on the device, and the results have the bits of NumPy's.

Needs CuPy with a CUDA device and a build with CUDA; otherwise it says what is missing.
"""
import sys
import unittest

import numpy


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


try:
    import cupy
except ImportError as error:
    skip(f"there is no CuPy: {error}")

try:
    cupy.zeros(1).get()
except Exception as error:  # pylint: disable=broad-except
    skip(f"CuPy has no device: {error}")

try:
    import parhelion
    parhelion.Adding(space="CUDA").close()
except Exception as error:  # pylint: disable=broad-except
    skip(f"this build does not compute on CUDA devices: {error}")


def columns(dtype, ncol=9, nlay=20):
    """Columns whose temperatures and humidities differ."""
    levels = numpy.tile(101325. * numpy.linspace(1, 0.001, nlay + 1) ** 1.5, (ncol, 1))
    layers = 0.5 * (levels[:, 1:] + levels[:, :-1])
    column = numpy.arange(ncol)[:, None]
    values = {"pressure_lay": layers, "pressure_lev": levels, "temperature_lay": 220 + 75 * (layers / 101325.) - column,
              "temperature_lev": 220 + 75 * (levels / 101325.) - column, "temperature_sfc": 297. - column[:, 0],
              "emissivity_sfc": 0.99 - 0.01 * column[:, 0]}
    gases = {"h2o": 0.02 * (layers / 101325.) ** 3, "co2": 4e-4 + 1e-5 * column + 0 * layers}
    return ({name: value.astype(dtype) for name, value in values.items()},
            {name: value.astype(dtype) for name, value in gases.items()})


class CupyArrays(unittest.TestCase):
    RESULTS = ("flux_up", "flux_dn", "heating_rate")

    def check(self, dtype, order, stream):
        values, gases = columns(dtype)
        with parhelion.Longwave(space="CUDA", model="simple", nlay=20, ncol=4) as solver:
            expected = solver.solve(**values, gases=gases, results=self.RESULTS)
            with stream:
                def bring(array):
                    return cupy.asarray(array, order=order)
                there = {name: bring(value) for name, value in values.items()}
                out = {name: cupy.full(expected[name].shape, numpy.nan, dtype, order=order) for name in self.RESULTS}
                places = {name: array.data.ptr for name, array in out.items()}
                found = solver.solve(**there, gases={name: bring(value) for name, value in gases.items()},
                                     results=self.RESULTS, out=out, stream=stream.ptr)
                # What follows on the stream needs no fence.
                doubled = {name: 2 * found[name] for name in self.RESULTS}
            stream.synchronize()
            solver.status()
            for name in self.RESULTS:
                self.assertIs(found[name], out[name])
                self.assertEqual(found[name].data.ptr, places[name])
                numpy.testing.assert_array_equal(found[name].get(), expected[name])
                numpy.testing.assert_array_equal(doubled[name].get(), 2 * expected[name])

    def test_longwave(self):
        for dtype in ("float64", "float32"):
            for order in ("C", "F"):
                self.check(dtype, order, cupy.cuda.Stream(non_blocking=True))

    def test_slices(self):
        """Every second column of an array, without a copy."""
        values, gases = columns("float64")
        with parhelion.Longwave(space="CUDA", model="simple", nlay=20, ncol=4) as solver:
            expected = solver.solve(**values, gases=gases, results=self.RESULTS)
            wide = {name: cupy.asarray(numpy.repeat(value, 2, axis=0))[::2] for name, value in values.items()}
            out = {name: cupy.full((18, expected[name].shape[1]), numpy.nan)[::2] for name in self.RESULTS}
            cupy.cuda.Device().synchronize()
            solver.solve(**wide, gases={name: cupy.asarray(value) for name, value in gases.items()},
                         results=self.RESULTS, out=out)
            solver.status()
            for name in self.RESULTS:
                numpy.testing.assert_array_equal(out[name].get(), expected[name])
                self.assertTrue(cupy.isnan(out[name].base[1::2]).all())


if __name__ == "__main__":
    unittest.main(verbosity=1)
