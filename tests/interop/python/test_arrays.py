#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of any strides and types, numbers, spreading, results in given arrays, vertical order, other libraries."""
import contextlib
import sys
import types
import unittest.mock

import numpy
import parhelion
from python_testing import SIMPLE, Case, columns, main


def each(values, change):
    """Arguments with all arrays changed."""
    return {name: {gas: change(array) for gas, array in value.items()} if name == "gases" else change(value)
            for name, value in values.items()}


def solve(values, **more):
    return parhelion.longwave(**values, **SIMPLE, **more)


class Strides(Case):
    def setUp(self):
        self.values = columns()
        self.expected = solve(self.values)

    def test_column_fastest(self):
        self.assert_same_results(solve(each(self.values, numpy.asfortranarray)), self.expected)

    def test_padded_and_sliced(self):
        def pad(array):
            wide = numpy.full([3 * n + 2 for n in array.shape], numpy.nan, array.dtype)
            place = tuple(slice(1, 1 + 3 * n, 3) for n in array.shape)
            wide[place] = array
            return wide[place]
        self.assert_same_results(solve(each(self.values, pad)), self.expected)

    def test_negative_strides(self):
        def turn(array):
            return numpy.ascontiguousarray(array[::-1])[::-1]
        self.assert_same_results(solve(each(self.values, turn)), self.expected)

    def test_input_is_not_changed(self):
        before = each(self.values, numpy.copy)
        frozen = each(self.values, numpy.copy)
        each(frozen, lambda array: array.setflags(write=False))
        solve(frozen)
        each({"all": frozen}, lambda values: [self.assert_same(values[name], before[name]) for name in before
                                              if name != "gases"])

    def test_strides_that_are_no_multiple(self):
        record = numpy.zeros((5, 12), [("p", "f8"), ("flag", "i1")])
        record["p"] = self.values["pressure_lay"]
        self.assert_raises(ValueError, "pressure_lay: .*aligned|pressure_lay: .*stride|pressure_lay: does not lie",
                           solve, {**self.values, "pressure_lay": record["p"]})
        even = numpy.zeros((5, 12), [("p", "f8"), ("more", "f8")])
        even["p"] = self.values["pressure_lay"]
        self.assert_same_results(solve({**self.values, "pressure_lay": even["p"]}), self.expected)


class Spreading(Case):
    def setUp(self):
        self.values = columns()
        self.values["emissivity_sfc"][:] = 0.98
        self.values["gases"]["co2"][:] = 4e-4
        self.expected = solve(self.values)

    def test_numbers(self):
        for number in (0.98, numpy.float64(0.98)):
            values = {**self.values, "emissivity_sfc": number, "gases": {**self.values["gases"], "co2": 4e-4}}
            self.assert_same_results(solve(values), self.expected)
        # A number has the type of the arrays.
        single = {**columns(dtype="float32"), "emissivity_sfc": 0.98}
        self.assertEqual(solve(single).flux_up.dtype, "float32")

    def test_numbers_that_do_not_fit(self):
        for number in (10**400, -10**400):
            self.assert_raises(ValueError, "temperature_sfc: is an integer beyond the range of float64", solve,
                               {**self.values, "temperature_sfc": number})

    def test_lower_ranks_and_extents_of_one(self):
        values = self.values
        for emissivity in (values["emissivity_sfc"][:, None], values["emissivity_sfc"][:1],
                           numpy.array(0.98)):
            self.assert_same_results(solve({**values, "emissivity_sfc": emissivity}), self.expected)
        for co2 in (numpy.full(12, 4e-4), numpy.full((1, 12), 4e-4), numpy.full((5, 1), 4e-4)):
            self.assert_same_results(solve({**values, "gases": {**values["gases"], "co2": co2}}), self.expected)
        pressures = {name: values[name][0] for name in ("pressure_lay", "pressure_lev")}
        self.assert_same_results(solve({**values, **pressures}), self.expected)

    def test_one_column_without_its_dimension(self):
        one = each(self.values, lambda array: array[3])
        found = solve(one)
        self.assertEqual(found.flux_up.shape, (13,))
        self.assert_same_results(found, {name: self.expected[name][3] for name in self.expected})
        out = {"flux_up": numpy.empty(13)}
        self.assert_same(solve(one, out=out).flux_up, self.expected.flux_up[3])

    def test_column_of_one_stays(self):
        one = each(self.values, lambda array: array[3:4])
        self.assertEqual(solve(one).flux_up.shape, (1, 13))

    def test_spread_arrays_are_no_results(self):
        out = {"flux_up": numpy.lib.stride_tricks.as_strided(numpy.empty(13), (5, 13), (0, 8))}
        self.assert_raises(ValueError, "flux_up", solve, self.values, out=out)


class Types(Case):
    def test_types_are_kept(self):
        for dtype in ("float32", "float64"):
            found = solve(columns(dtype=dtype))
            self.assertEqual({found[name].dtype for name in found}, {numpy.dtype(dtype)})

    def test_other_types(self):
        values = columns()
        for dtype in ("int32", "int64", "float16", "complex128", "object", "bool", "S4", ">f8", "datetime64[s]"):
            array = numpy.ones((5, 12)).astype(dtype)
            self.assert_raises(TypeError, "temperature_lay: has entries of type", solve,
                               {**values, "temperature_lay": array})
        for other in ([[1., 2.]], (1., 2.), "text", b"bytes", True, object(), {}, 1j):
            self.assert_raises(TypeError, "temperature_lay: is <class", solve, {**values, "temperature_lay": other})

    def test_mixed_types(self):
        values = columns()
        values["temperature_lay"] = values["temperature_lay"].astype("float32")
        self.assert_raises(ValueError, "temperature_lay", solve, values)

    def test_masked_arrays(self):
        values = columns()
        masked = numpy.ma.masked_invalid(values["temperature_lay"])
        self.assert_same_results(solve({**values, "temperature_lay": masked}), solve(values))
        masked[1, 2] = numpy.ma.masked
        self.assert_raises(ValueError, "temperature_lay: has 1 masked values", solve,
                           {**values, "temperature_lay": masked})

        class Variable:
            """As those of netCDF4, which make themselves masked arrays."""

            def __array__(self, dtype=None, copy=None):
                return masked
        self.assert_raises(ValueError, "temperature_lay: has 1 masked values", solve,
                           {**values, "temperature_lay": Variable()})
        masked[1, 2] = 250.
        self.assertGreater(solve({**values, "temperature_lay": Variable()}).flux_up[1, 0], 0)


class Outputs(Case):
    def test_given_arrays(self):
        values = columns()
        expected = solve(values)
        out = {"flux_up": numpy.full((13, 5), numpy.nan).T, "heating_rate": numpy.full((5, 24), -1.)[:, ::2]}
        found = solve(values, out=out)
        self.assertIs(found.flux_up, out["flux_up"])
        self.assert_same_results(found, expected)
        self.assertTrue(numpy.all(out["heating_rate"].base[:, 1::2] == -1.))

    def test_bad_arrays(self):
        values = columns()
        frozen = numpy.empty((5, 13))
        frozen.setflags(write=False)
        for array, kind, expression in (
                (frozen, ValueError, "flux_up: is read-only"),
                (numpy.ma.masked_array(numpy.empty((5, 13))), ValueError,
                 "flux_up: is a masked array, expected one without a mask"),
                (numpy.empty((5, 13), int), TypeError, "flux_up: has entries of type int64"),
                (numpy.empty((5, 12)), ValueError, "flux_up"),
                (numpy.empty((13, 5)), ValueError, "flux_up"),
                (1., TypeError, "flux_up"),
                ([0.], TypeError, "flux_up: is <class 'list'>"),
        ):
            self.assert_raises(kind, expression, solve, values, out={"flux_up": array})
        self.assert_raises(TypeError, "out: is <class 'list'>, expected a mapping", solve, values, out=[frozen])


class Order(Case):
    def test_top_first(self):
        values = columns()
        expected = solve(values)

        def turn(array):
            return array[:, ::-1] if array.ndim == 2 else array
        found = solve(each(values, turn), vertical_order="top_first")
        self.assert_same_results({name: found[name][:, ::-1] for name in found}, expected)
        self.assert_raises(ValueError, "pressure", solve, each(values, turn))


class OfHost:
    """An array that another library shows by DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, *, stream=None):
        assert stream is None
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OfDevice:
    """What looks like an array on a device. Nothing is there: parhelion must not look at it."""

    def __init__(self, like, **more):
        self.__cuda_array_interface__ = {"shape": like.shape, "typestr": like.dtype.str, "data": (1 << 40, False),
                                         "strides": like.strides, "version": 3, **more}


class OfDeviceByDlpack:
    """The same by DLPack, which writes down in the order of which stream it is asked for."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return 2, 0


class FakeCupy(types.ModuleType):
    """What the module uses of CuPy, without a device."""

    def __init__(self):
        super().__init__("cupy")
        self.made, self.current = [], [99]
        self.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=self.current[-1]),
                                          ExternalStream=self.external)

        class ndarray(OfDevice):  # pylint: disable=invalid-name  # as it is called there
            __module__ = "cupy"
        self.ndarray = ndarray

    @contextlib.contextmanager
    def external(self, stream):
        self.current.append(stream)
        yield
        self.current.pop()

    def array(self, like):
        return self.ndarray(like, stream=self.current[-1])

    def empty(self, shape, dtype):
        self.made.append((shape, dtype, self.current[-1]))
        return self.array(numpy.empty(shape, dtype))

    def full(self, shape, value, dtype):
        self.made.append((shape, value, dtype, self.current[-1]))
        return self.array(numpy.full(shape, value, dtype))


class OtherLibraries(Case):
    def test_dlpack_of_the_host(self):
        values = columns()
        expected = solve(values)
        self.assert_same_results(solve(each(values, OfHost)), expected)
        turned = each(values, lambda array: OfHost(numpy.asfortranarray(array)))
        out = {"flux_up": OfHost(numpy.empty((5, 13)))}
        found = solve(turned, out=out)
        self.assertIs(found.flux_up, out["flux_up"])
        self.assert_same(found.flux_up.array, expected.flux_up)
        self.assert_raises(TypeError, "pressure_lay: has entries of type DLPack's", solve,
                           {**values, "pressure_lay": OfHost(numpy.ones((5, 12), int))})
        # NumPy does not export what is read only.
        fixed = values["pressure_lay"].copy()
        fixed.flags.writeable = False
        self.assert_raises(TypeError, "pressure_lay: is not exported by its __dlpack__", solve,
                           {**values, "pressure_lay": OfHost(fixed)})

    def test_what_numpy_can_see(self):
        class Wrapped:
            def __init__(self, array):
                self.array = array

            def __array__(self):
                return self.array
        values = columns()
        self.assert_same_results(solve(each(values, Wrapped)), solve(values))

    def on_device(self, **more):
        values = each(columns(), lambda array: OfDevice(array, **more))
        out = {"flux_up": OfDevice(numpy.empty((5, 13))), "flux_dn": OfDevice(numpy.empty((5, 13))),
               "heating_rate": OfDevice(numpy.empty((5, 12)))}
        return values, out

    def test_device_arrays_without_a_device(self):
        values, out = self.on_device()
        for stream in (None, 0):
            self.assert_raises(RuntimeError, "device", solve, values, out=out, stream=stream)
        with self.assertRaises((RuntimeError, ValueError)):  # a build for hosts refuses either
            solve(values, out=out, stream=77)

    def test_device_arrays_need_results_and_arrays(self):
        values, out = self.on_device()
        self.assert_raises(TypeError, r"flux_up: parhelion cannot allocate arrays of .*: give out=.*\(5, 13\)", solve,
                           values)
        self.assert_raises(TypeError, "emissivity_sfc = 1.0: a number cannot be put where arrays of", solve,
                           {**values, "emissivity_sfc": 1.}, out=out)

    def test_host_and_device(self):
        values, out = self.on_device()
        self.assert_raises(RuntimeError, "device", solve, {**columns(), "temperature_sfc": values["temperature_sfc"]},
                           out=out)

    def test_streams(self):
        values, out = self.on_device(stream=5)
        values["pressure_lev"] = OfDevice(columns()["pressure_lev"], stream=6)
        self.assert_raises(ValueError, "pressure_lev: is in the order of stream 6, the call in that of 5", solve,
                           values, out=out)
        self.assert_raises(TypeError, "stream: is <class 'str'>", solve, values, out=out, stream="5")
        self.assert_raises(ValueError, "stream = -5", solve, values, out=out, stream=-5)
        self.assert_raises(ValueError, "stream", solve, columns(), stream=5)

    def test_dlpack_of_a_device(self):
        for stream, expected in ((None, 1), (0, 1), (77, 77)):
            values = each(columns(), OfDeviceByDlpack)
            out = {name: OfDeviceByDlpack(numpy.empty((5, 12 if name == "heating_rate" else 13)))
                   for name in ("flux_up", "flux_dn", "heating_rate")}
            with self.assertRaises((RuntimeError, ValueError)):
                solve(values, out=out, stream=stream)
            self.assertEqual(values["pressure_lay"].streams, [expected])

    def test_cupy_allocates_on_the_stream_of_the_call(self):
        for stream, expected in ((None, 99), (44, 44)):
            cupy = FakeCupy()
            with unittest.mock.patch.dict(sys.modules, {"cupy": cupy}):
                values = each(columns(dtype="float32"), cupy.array)
                values["emissivity_sfc"] = 0.5
                with self.assertRaises((RuntimeError, ValueError)):
                    solve(values, stream=stream)
            self.assertEqual(cupy.made[0], ((), 0.5, "float32", expected))
            self.assertIn(((5, 13), "float32", expected), cupy.made)
            self.assertIn(((5, 12), "float32", expected), cupy.made)

    def test_damaged_interfaces(self):
        values, out = self.on_device()
        for damage, expression in (
                ({"shape": None}, "with entries of other types"), ({"data": 5}, "with entries of other types"),
                ({"typestr": "<f2"}, "has entries of type <f2"), ({"typestr": ""}, "has entries of type"),
                ({"typestr": "<f99999999999"}, "has entries of type"), ({"strides": (8,)}, "strides of another rank"),
                ({"strides": (8, 3)}, "a stride of 3 bytes"), ({"data": (0, False)}, "has no memory"),
                ({"shape": (-1, 12)}, "extent -1"), ({"shape": (1,) * 9, "strides": None}, "has 9 dimensions"),
                ({"shape": (1 << 62, 1 << 62), "strides": None}, "nlay = 4611686018427387904")):
            array = OfDevice(columns()["pressure_lay"], **damage)
            with self.assertRaisesRegex((TypeError, ValueError), expression):
                solve({**values, "pressure_lay": array}, out=out)


if __name__ == "__main__":
    main()
