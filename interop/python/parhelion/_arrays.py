# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of a call: numbers and missing dimensions spread by strides of 0, results allocated where the input is."""

import contextlib
import numbers
import sys

import numpy

from . import _core

# Libraries whose arrays on a device are made and put in order here, and how to ask for the pointer of the current
# stream and to make another one current; arrays of others are made by the caller.
DEVICE_LIBRARIES = {
    "cupy": (lambda library: library.cuda.get_current_stream().ptr,
             lambda library, stream: library.cuda.ExternalStream(stream)),
}


def library_of(array):
    return type(array).__module__.partition(".")[0]


def number_of_stream(stream):
    """The pointer of a stream: an integer, or an object of CuPy, PyTorch, or with __cuda_stream__."""
    if isinstance(stream, numbers.Integral) and not isinstance(stream, bool):
        found = int(stream)
    elif hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        found = (protocol() if callable(protocol) else protocol)[1]
    elif hasattr(stream, "ptr"):
        found = stream.ptr
    elif hasattr(stream, "cuda_stream"):
        found = stream.cuda_stream
    else:
        raise TypeError(f"stream: is {type(stream)}, expected an integer or a stream of CuPy or PyTorch")
    if not isinstance(found, int) or not 0 <= found < 2**64:
        raise ValueError(f"stream = {found}, expected a pointer")
    return found


class Call:
    """The arrays of one call of a solver.

    `arrays` are (description, name, object) of all arguments that are there.
    """

    def __init__(self, solver, arrays, stream=None):
        self.solver = solver
        present = [array for _, _, array in arrays if not is_number(array)]
        device = [array for array in present if is_on_device(array)]
        self.library = library_of(device[0]) if device else "numpy"
        self.stream = self.stream_of(stream, device)
        made = []
        for description, name, array in arrays:
            made.append((description, name, array if is_number(array) else self.wrap(description, name, array)))
        self.dtype = next((array.type for description, _, array in made
                           if not is_number(array) and not description.integers), "float64")
        self.arrays = [(description, name,
                        self.wrap(description, name, self.make_number(description, name, array))
                        if is_number(array) else array) for description, name, array in made]
        if stream is None and device:
            self.refuse_other_streams()
        self.sizes = self.find_sizes()
        self.has_item = self.solver.item == "" or any(self.shows_item(d, a) for d, _, a in self.arrays)

    def stream_of(self, stream, device):
        if stream is not None:
            return number_of_stream(stream)
        if self.library in DEVICE_LIBRARIES:
            return DEVICE_LIBRARIES[self.library][0](sys.modules[self.library])
        for array in device:
            interface = getattr(array, "__cuda_array_interface__", None)
            found = interface.get("stream") if isinstance(interface, dict) else None
            if isinstance(found, int) and not hasattr(array, "__dlpack__"):
                return 0 if found == 1 else found
        return 0

    def refuse_other_streams(self):
        for _, name, array in self.arrays:
            if array.stream is not None and array.stream != self.stream:
                raise ValueError(f"{name}: is in the order of stream {array.stream}, the call in that of "
                                 f"{self.stream}; synchronize them and give stream=")

    def wrap(self, description, name, array, written=False):
        if not written:
            array = unmasked(name, array)
        elif isinstance(array, numpy.ma.MaskedArray):
            raise ValueError(f"{name}: is a masked array, expected one without a mask, since results have none")
        return _core.Array(name, array, description.integers, written, self.stream)

    def make_number(self, description, name, value):
        """A number as an array of no dimensions, where the others are."""
        if description.integers:
            if not isinstance(value, numbers.Integral) or not -2**31 <= value < 2**31:
                raise TypeError(f"{name} = {value!r}, expected an integer of 32 bits")
            dtype = "int32"
        else:
            value, dtype = real(name, value), self.dtype
        if self.library == "numpy":
            return numpy.asarray(value, dtype)
        if self.library not in DEVICE_LIBRARIES:
            raise TypeError(f"{name} = {value!r}: a number cannot be put where arrays of {self.library} are; "
                            f"expected an array of {self.library}")
        with self.on_stream() as library:
            return library.full((), value, dtype)

    @contextlib.contextmanager
    def on_stream(self):
        """The library of the arrays; what it makes is in the order of the call's stream."""
        library = sys.modules[self.library]
        current, external = DEVICE_LIBRARIES[self.library]
        with contextlib.nullcontext() if current(library) == self.stream else external(library, self.stream):
            yield library

    def shows_item(self, description, array):
        """Whether an array has the first dimension of results."""
        dimensions = description.dimensions_of(len(array.shape))
        if not array.shape or len(array.shape) < len(dimensions):
            return False
        return dimensions[0].removesuffix(" or 1") == self.solver.item

    def find_sizes(self):
        """The extents of dimensions: those of the first array that has another one than 1."""
        sizes = dict(self.solver.fixed)
        for description, _, array in self.arrays:
            dimensions = description.dimensions_of(len(array.shape))
            for dimension, extent in zip(reversed(dimensions), reversed(array.shape)):
                if extent != 1:
                    sizes.setdefault(dimension.removesuffix(" or 1"), extent)
        for dimension, (other, more) in self.solver.sums.items():
            if other not in sizes and dimension in sizes:
                sizes[other] = max(1, sizes[dimension] - more)
            sizes[dimension] = max(1, sizes.get(other, 1) + more)
        return sizes

    def spread_all(self):
        """Spreads the arrays, when all sizes are known."""
        for description, _, array in self.arrays:
            self.spread(description, array)

    def spread(self, description, array):
        """Gives an array the dimensions and extents that it lacks; what disagrees is left for the solver to refuse."""
        dimensions = description.dimensions_of(len(array.shape))
        missing = len(dimensions) - len(array.shape)
        if missing < 0 or len(array.shape) < description.least:
            return
        shape = []
        for dimension, extent in zip(dimensions, [1] * missing + array.shape):
            one_is_enough = dimension.endswith(" or 1")
            shape.append(self.sizes.get(dimension, 1) if extent == 1 and not one_is_enough else extent)
        if shape != array.shape:
            array.spread(shape)

    def allocate(self, description, name, dimensions):
        shape = tuple(self.sizes.get(dimension, 1) for dimension in dimensions)
        if not self.has_item and dimensions and dimensions[0] == self.solver.item:
            shape = shape[1:]
        dtype = "int32" if description.integers else self.dtype
        if self.library == "numpy":
            return numpy.empty(shape, dtype)
        if self.library in DEVICE_LIBRARIES:
            with self.on_stream() as library:
                return library.empty(shape, dtype)
        raise TypeError(f"{name}: parhelion cannot allocate arrays of {self.library}: give out={{\"{name}\": ...}} "
                        f"with an array of shape {shape} and type {dtype} on the device")

    def result(self, description, name, given, dimensions):
        """An array for a result: the caller's or a new one, and as the solver takes it."""
        array = given if given is not None else self.allocate(description, name, dimensions)
        wrapped = self.wrap(description, name, array, written=True)
        if len(wrapped.shape) == len(dimensions) - 1 and dimensions[0] == self.solver.item:
            wrapped.spread([1, *wrapped.shape])
        return array, wrapped


def unmasked(name, array):
    """An array as it is, or that of NumPy which an object makes of itself, without a mask, behind which is no value."""
    if hasattr(array, "__array__") and not hasattr(array, "__dlpack_device__") and \
            not hasattr(array, "__cuda_array_interface__"):
        array = numpy.asanyarray(array)  # which keeps the mask, unlike asarray()
    if not isinstance(array, numpy.ma.MaskedArray):
        return array
    if count := numpy.ma.count_masked(array):
        raise ValueError(f"{name}: has {count} masked values, expected an array without a mask")
    return array.data


def real_of_host(name, value):
    """A number, or an array of NumPy of a type that calls take."""
    if is_number(value):
        return real(name, value)
    array = unmasked(name, value)
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"{name}: is {type(array)}, expected a number or an array of NumPy")
    if array.dtype not in (numpy.float32, numpy.float64):
        raise TypeError(f"{name}: has entries of type {array.dtype}, expected float32 or float64")
    return array


def real(name, number):
    """A number as Python's float."""
    try:
        return float(number)
    except OverflowError:
        raise ValueError(f"{name}: is an integer beyond the range of float64, expected a number in it") from None


def reals(name, value, expected):
    """Numbers that are copied, of any type, as float64, with None for what is not a number; others are refused."""
    try:
        found = numpy.ma.asarray(value)
        if found.dtype == object and all(each is None or is_number(each) for each in found.flat):
            found = found.astype("float64")
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or found.dtype.kind not in "fiu":
        shown = f": has entries of type {found.dtype}" if hasattr(value, "__array__") else f" = {value!r}"
        raise TypeError(f"{name}{shown}, expected {expected}")
    return unmasked(name, found).astype("float64")


def is_number(value):
    """Whether it is a number, which has no memory yet. Those of NumPy count, whatever their type."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, numpy.bool_))


def is_on_device(array):
    if isinstance(array, numpy.ndarray):
        return False
    try:
        if hasattr(array, "__dlpack_device__"):
            return array.__dlpack_device__()[0] not in (1, 3, 11)  # DLPack's numbers of memory of the host
        return hasattr(array, "__cuda_array_interface__")
    except (TypeError, IndexError):
        return False
