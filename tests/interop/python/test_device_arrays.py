#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of a CUDA device without any library: memory of the driver, shown by __cuda_array_interface__ and by DLPack.

Needs nothing but NumPy and a build with CUDA; otherwise it says what is missing.
"""
import ctypes
import sys
import unittest

import numpy


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def load_driver():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        skip(f"there is no driver of CUDA: {error}")
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        skip("there is no CUDA device")
    return driver


DRIVER = load_driver()

try:
    import parhelion
except ImportError as error:
    skip(f"the module cannot be imported: {error}")

try:
    parhelion.Adding(space="CUDA").close()
except Exception as error:  # pylint: disable=broad-except
    skip(f"this build does not compute on CUDA devices: {error}")


def require(status, what):
    if status != 0:
        raise RuntimeError(f"{what} returned {status}")


def use_device(number=0):
    """Makes the context current that programs on a device share."""
    device, context = ctypes.c_int(0), ctypes.c_void_p()
    require(DRIVER.cuDeviceGet(ctypes.byref(device), number), "cuDeviceGet")
    require(DRIVER.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    require(DRIVER.cuCtxSetCurrent(context), "cuCtxSetCurrent")


class Memory:
    """A copy of an array of NumPy on the device, with its strides."""

    def __init__(self, array):
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        self.pointer = ctypes.c_uint64(0)
        self.bytes = max(array.nbytes, 1)
        require(DRIVER.cuMemAlloc_v2(ctypes.byref(self.pointer), ctypes.c_size_t(self.bytes)), "cuMemAlloc")
        text = array.tobytes(order="A")
        require(DRIVER.cuMemcpyHtoD_v2(self.pointer, text, ctypes.c_size_t(array.nbytes)), "cuMemcpyHtoD")

    def __del__(self):
        DRIVER.cuMemFree_v2(self.pointer)

    def fetch(self):
        text = ctypes.create_string_buffer(self.bytes)
        require(DRIVER.cuCtxSynchronize(), "cuCtxSynchronize")
        require(DRIVER.cuMemcpyDtoH_v2(text, self.pointer, ctypes.c_size_t(self.bytes)), "cuMemcpyDtoH")
        count = int(numpy.prod(self.shape))
        return numpy.frombuffer(text.raw, self.dtype, count).reshape(self.shape, order=self.order)


class ByInterface(Memory):
    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.pointer.value, False),
                "strides": self.strides, "version": 3}


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


NEW_CAPSULE = ctypes.pythonapi.PyCapsule_New
NEW_CAPSULE.restype = ctypes.py_object
NEW_CAPSULE.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class ByDlpack(Memory):
    streams = []  # with which arrays were asked for

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        ByDlpack.streams.append(stream)
        rank = len(self.shape)
        self.extents = (ctypes.c_int64 * max(rank, 1))(*self.shape)
        self.steps = (ctypes.c_int64 * max(rank, 1))(*(step // self.dtype.itemsize for step in self.strides))
        code = {"i": 0, "f": 2}[self.dtype.kind]
        self.managed = Managed(Tensor(self.pointer.value, Device(2, 0), rank, code, 8 * self.dtype.itemsize, 1,
                                      self.extents, self.steps, 0), None, None)
        return NEW_CAPSULE(ctypes.addressof(self.managed), b"dltensor", None)


def mapped(values, change):
    """The same arguments with other arrays."""
    if isinstance(values, dict):
        return {name: mapped(value, change) for name, value in values.items()}
    return change(values) if isinstance(values, numpy.ndarray) else values


def columns(dtype, ncol=7, nlay=12):
    levels = numpy.tile(101325. * numpy.linspace(1, 0.001, nlay + 1) ** 1.5, (ncol, 1))
    layers = 0.5 * (levels[:, 1:] + levels[:, :-1])
    column = numpy.arange(ncol)[:, None]
    values = {"pressure_lay": layers, "pressure_lev": levels, "temperature_lay": 220 + 75 * (layers / 101325.) - column,
              "temperature_lev": 220 + 75 * (levels / 101325.) - column, "temperature_sfc": 297. - column[:, 0],
              "emissivity_sfc": 0.99 - 0.01 * column[:, 0],
              "gases": {"h2o": 0.02 * (layers / 101325.) ** 3, "co2": 4e-4 + 1e-5 * column + 0 * layers}}
    return mapped(values, lambda array: array.astype(dtype))


def profiles(dtype, nprofile=6, nlay=5, nangle=3):
    rows = numpy.arange(nprofile)[:, None]
    values = {"optical_depth": 0.1 + 0.05 * numpy.arange(nlay) + 0.01 * rows,
              "planck": 90. - 5 * numpy.arange(nlay) + rows,
              "mu": numpy.tile(numpy.linspace(0.2, 0.8, nangle), (nprofile, 1)),
              "planck_sfc": 100. + rows[:, 0], "emissivity": numpy.full((nprofile, nangle), 0.9),
              "reflectivity": numpy.full((nprofile, nangle, nangle), 0.1 / nangle)}
    return mapped(values, lambda array: array.astype(dtype))


class DeviceArrays(unittest.TestCase):
    def compare(self, make, values, results, host=()):
        """The bits of NumPy's arrays.

        `host` are names of arguments that stay on the host.
        """
        with make() as solver:
            expected = solver.solve(**values, results=results)
            for kind in (ByInterface, ByDlpack):
                for order in ("C", "F"):
                    def bring(array, kind=kind, order=order):
                        return kind(numpy.array(array, order=order))
                    there = {name: value if name in host else mapped(value, bring) for name, value in values.items()}
                    out = {name: bring(numpy.full_like(expected[name], numpy.nan)) for name in results}
                    for _ in range(2):
                        found = solver.solve(**there, results=results, out=out)
                        solver.status()
                        for name in results:
                            self.assertIs(found[name], out[name])
                            numpy.testing.assert_array_equal(found[name].fetch(), expected[name], f"{kind} {name}")

    def test_longwave(self):
        for dtype in ("float64", "float32"):
            values = columns(dtype)
            self.compare(lambda: parhelion.Longwave(space="CUDA", model="simple", nlay=12, ncol=4), values,
                         ("flux_up", "flux_dn", "heating_rate"))

    def test_adding(self):
        for dtype in ("float64", "float32"):
            self.compare(lambda: parhelion.Adding(space="CUDA"), profiles(dtype), ("toa", "up", "dn", "up_emergent"))

    def test_monte_carlo(self):
        cells = numpy.arange(6 * 4 * 5).reshape(6, 4, 5)
        values = {"x": numpy.linspace(0, 1, 7), "y": numpy.linspace(0, 0.5, 5), "z": numpy.linspace(0, 2, 6),
                  "temperature": 500. + 1000 * (0.618033988749895 * cells % 1),
                  "mole_fraction": 0.2 + 0.8 * (0.381966011250105 * cells % 1),
                  "sides": {"x_low": {"temperature": 400. + numpy.arange(20.).reshape(4, 5)},
                            "x_high": {"temperature": numpy.full((4, 5), 600.), "reflectivity": 0.5},
                            "y": "periodic", "z": "periodic"}}
        self.compare(lambda: parhelion.MonteCarlo(space="CUDA", gas="grey", absorption=1.5, rays=64, repetitions=4),
                     values, ("q", "q_error", "incident"), host=("x", "y", "z"))

    def test_stream(self):
        """The call works in the order of a stream of the caller, to which DLPack hands arrays over."""
        stream = ctypes.c_void_p()
        require(DRIVER.cuStreamCreate(ctypes.byref(stream), 1), "cuStreamCreate")
        values = profiles("float64")
        with parhelion.Adding(space="CUDA") as solver:
            expected = solver.solve(**values, results=("toa",))
            out = {"toa": ByDlpack(numpy.full_like(expected["toa"], numpy.nan))}
            ByDlpack.streams.clear()
            solver.solve(**mapped(values, ByDlpack), results=("toa",), out=out, stream=stream.value)
            self.assertEqual(set(ByDlpack.streams), {stream.value})
            require(DRIVER.cuStreamSynchronize(stream), "cuStreamSynchronize")
            numpy.testing.assert_array_equal(out["toa"].fetch(), expected["toa"])
            solver.status()
        require(DRIVER.cuStreamDestroy_v2(stream), "cuStreamDestroy")

    def test_what_is_not_finite(self):
        values = profiles("float64")
        values["planck"][4, 2] = numpy.nan
        with parhelion.Adding(space="CUDA") as solver:
            out = {"toa": ByInterface(numpy.zeros((6, 3)))}
            solver.solve(**mapped(values, ByInterface), results=("toa",), out=out)
            with self.assertRaisesRegex(parhelion.NotFiniteError, "profile"):
                solver.status()
            solver.status()

    def test_refusals(self):
        values = profiles("float64")
        with parhelion.Adding(space="CUDA") as solver:
            mixed = {**mapped(values, ByInterface), "planck": values["planck"]}
            with self.assertRaisesRegex(Exception, "expected"):
                solver.solve(**mixed, results=("toa",), out={"toa": ByInterface(numpy.zeros((6, 3)))})
            with self.assertRaisesRegex(TypeError, "cannot allocate"):
                solver.solve(**mapped(values, ByInterface))


if __name__ == "__main__":
    use_device()
    unittest.main(verbosity=1)
