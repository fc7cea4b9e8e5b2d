# SPDX-License-Identifier: BSD-3-Clause
"""The functions and objects of the five solvers."""

import collections.abc
import difflib
import inspect
import os
import typing

import numpy

from . import _core
from ._arrays import Call, is_number, real_of_host, reals
from ._description import (ADDING, FACES, GASES, LONGWAVE, MONTE_CARLO, MORE_GASES, SHORTWAVE, SIDES, SPECTRA, Array)
from ._docs import docstring_of_function, docstring_of_solve, docstring_of_type


class Result(collections.abc.Mapping):
    """Results by name, as keys and as attributes."""

    def __init__(self, values):
        self._values = dict(values)

    def __getitem__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise KeyError(f"{name}: {self._what(name)}") from None

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"{name}: {self._what(name)}") from None

    def _what(self, name):
        return f"no such result; there are {', '.join(self._values)}"

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __dir__(self):
        return [*super().__dir__(), *self._values]

    def __repr__(self):
        shown = (f"{name}: {value.dtype}{tuple(value.shape)}" if hasattr(value, "shape") else f"{name}: {value!r}"
                 for name, value in self._values.items())
        return f"<parhelion result: {', '.join(shown)}>"


def refuse_unknown(where, given, known, what="argument"):
    for name in given:
        if name not in known:
            nearest = difflib.get_close_matches(str(name), known, n=1, cutoff=0.)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise TypeError(f"{where} has no {what} {name!r}{hint}")


def mapping_of(name, value, known, what):
    if not isinstance(value, collections.abc.Mapping):
        raise TypeError(f"{name}: is {type(value)}, expected a mapping from names of {what}")
    refuse_unknown(name, value, known, what)
    return value


def option_value(option, value):
    """A value of an option as the struct has it."""
    if option.kind == "choice":
        if not isinstance(value, str):
            raise TypeError(f"{option.name}: is {type(value)}, expected one of {', '.join(option.choices)}")
        value = dict(option.aliases).get(value, value)
        if value not in option.choices:
            raise ValueError(f"{option.name} = {value!r}, expected one of {', '.join(option.choices)}")
        return _core.constants[option.constant(value)]
    if option.kind == "flag":
        if not isinstance(value, (bool, numpy.bool_, int)) or value not in (0, 1):
            raise TypeError(f"{option.name} = {value!r}, expected True or False")
        return int(value)
    if option.kind == "names":
        names = [value] if isinstance(value, str) or not isinstance(value, collections.abc.Iterable) else list(value)
        if not all(isinstance(name, str) for name in names):
            raise TypeError(f"{option.name} = {value!r}, expected names")
        if not all(names) or not names:  # no text at all would count as that of the default
            raise ValueError(f"{option.name} = {value!r}, expected at least one name; leave it out for the default")
        return ",".join(names).encode("utf-8", "surrogateescape")
    if option.kind == "integer" and isinstance(value, str):
        known = {word.rpartition("_")[2]: word for word in option.words}
        if value not in known:
            raise TypeError(f"{option.name} = {value!r}, expected a number{''.join(f' or {each!r}' for each in known)}")
        return _core.constants["PARHELION_" + known[value].upper()]
    if option.kind == "text":
        if not isinstance(value, str):
            raise TypeError(f"{option.name}: is {type(value)}, expected a string")
        return value.encode("utf-8", "surrogateescape")
    if option.kind == "path":
        if not isinstance(value, (str, bytes, os.PathLike)):
            raise TypeError(f"{option.name}: is {type(value)}, expected a path")
        return os.fsencode(value)
    if option.kind == "reals":
        return reals_of(option, value)
    if isinstance(value, bool):
        raise TypeError(f"{option.name} = {value!r}, expected a number")
    if option.positive:  # the struct has 0 where nothing is given
        number = value.item() if isinstance(value, numpy.ndarray) and value.ndim == 0 else value
        if is_number(number) and not number > 0:
            raise ValueError(f"{option.name} = {number}, expected a positive number; leave it out for the default")
    return value


def reals_of(option, value):
    """So many numbers as an option has; one of them may be a number."""
    expected = "a number" if option.count == 1 else f"{option.count} numbers"
    found = numpy.atleast_1d(reals(option.name, value, expected))
    if found.shape != (option.count,):
        raise ValueError(f"{option.name}: has shape {numpy.shape(value)}, expected {expected}")
    return found.tolist()


def option_values(options, given):
    return {option.name: option_value(option, given[option.name]) for option in options
            if given.get(option.name) is not None}


class Prepared(typing.NamedTuple):
    """A call whose arrays have been looked at."""

    call: Call
    present: dict  # arguments by name
    rest: object  # what is no array
    out: object
    results: object


class Solver:
    """What the objects of all solvers have in common."""

    description = None
    core = None

    def __init__(self, **options):
        refuse_unknown(f"{type(self).__name__}()", options, [option.name for option in self.description.options],
                       "option")
        values = option_values(self.description.options, options)
        self._options = options
        initialize_once()
        with path_errors(self.description, options):
            self._object = self.core(values)

    @classmethod
    def _prepare(cls, arguments):
        """The arrays of a call and what else it has. Needs no object, so that one can be made for them."""
        description = cls.description
        known = [each.name for each in (*description.inputs, *description.numbers)]
        others = {name: arguments.pop(name, None) for name in ("out", "results", "stream")}
        refuse_unknown(f"{cls.__name__}.solve()", arguments, known)
        present = {name: value for name, value in arguments.items() if value is not None}
        arrays, rest = cls._arrays(present)
        return Prepared(Call(description, arrays, others["stream"]), present, rest, others["out"], others["results"])

    def _solve(self, arguments):
        return self._run(self._prepare(arguments))

    def _run(self, prepared):
        refuse_forked()
        description, call = self.description, prepared.call
        self._complete(call)
        call.spread_all()
        given = mapping_of("out", prepared.out if prepared.out is not None else {},
                           [each.name for each in description.outputs], "result")
        named = self._names(prepared.results, given)
        inputs = self._inputs(call, prepared.rest)
        inputs.update(option_values(description.numbers, prepared.present))
        outputs, shown = {}, {}
        computed = named | self._computed_anyway()
        for each in description.outputs:
            if each.name in computed:
                result, outputs[each.name] = self._result(call, each, given.get(each.name), prepared.rest)
                if each.name in named:
                    shown[each.name] = result
        shown.update(self._object.solve(inputs, outputs, call.stream))
        return Result(shown)

    def bytes(self):
        """The memory that the object holds on host and device [bytes]."""
        return self._object.bytes()

    def status(self):
        """Waits for calls with device arrays, and raises NotFiniteError if a result of them is not finite."""
        self._object.status()

    def close(self):
        """Releases the memory; the object cannot be used any more."""
        self._object.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @classmethod
    def _arrays(cls, present):
        """(description, name, array) of all arrays, and what is no array."""
        return [(each, each.name, present[each.name]) for each in cls.description.inputs if each.name in present], {}

    def _complete(self, call):
        """Adds sizes that only the object knows."""

    def _inputs(self, call, rest):
        del rest
        return {name: array for _, name, array in call.arrays}

    def _names(self, results, given):
        """The results that are computed."""
        known = [each.name for each in self.description.outputs]
        if results is None:
            return {*(self.description.usual or self._asked_for()), *given}
        names = (results,) if isinstance(results, str) else tuple(results)
        refuse_unknown("results", names, known, "result")
        return {*names, *given}

    def _asked_for(self):
        """The results that the options ask for."""
        return {each.name for each in self.description.outputs
                if all(self._options.get(option) for option in each.when.split()) and self._has(each)}

    def _computed_anyway(self):
        """The results that a call computes whether they are named or not."""
        return set()

    def _has(self, each):
        """Whether the object can compute a result that its options ask for."""
        return not each.models

    def _result(self, call, each, given, rest):
        del rest
        return call.result(each, each.name, given, each.dimensions)


ALL_GASES = GASES + MORE_GASES
SUN_NUMBERS = ("sun", "day_of_year", "total_irradiance", "distance_factor", "solar_indices", "cycle_fraction",
               "band_factors")
ROLES = ("none", "optional", "default", "required")
GAS_OPTICS = ("of_file", "simple", "rrtmg", "rrtmgp", "ecckd")  # in the order of their numbers


def gas_of(name, where="gases"):
    """The name of a gas as the solvers have it, of a name in use."""
    if isinstance(name, str) and name in ALL_GASES:
        return name
    try:
        return ALL_GASES[_core.find_gas(name)]
    except (TypeError, ValueError):
        refuse_unknown(where, [name], ALL_GASES, "gas")
        raise


def gases_of(mapping):
    """A mapping from gases as the solvers name them, in their order; those that are None are left out."""
    if not isinstance(mapping, collections.abc.Mapping):
        raise TypeError(f"gases: is {type(mapping)}, expected a mapping from names of gas")
    found = {}
    for name, value in mapping.items():
        gas = gas_of(name)
        if value is None:
            continue
        if gas in found:
            raise ValueError(f"gases: has {gas} twice, expected one of its names")
        found[gas] = value
    return {gas: found[gas] for gas in ALL_GASES if gas in found}


class Model(typing.NamedTuple):
    """What there is to know of the gas optics of an object. Ranges are (lowest, highest), and both belong to them."""

    name: str  # such as "RRTMG_LW"
    gas_optics: str  # "rrtmg", "rrtmgp", "ecckd" or "simple"
    uses_levels: bool  # whether it needs pressures and temperatures of levels, and none of layers
    nband: int
    ngpoint: int
    bands: numpy.ndarray  # wavenumbers [cm-1], (band, 2)
    gases: dict  # of all gases: "required", "default", "optional" (0 where it is absent) or "none" (no effect)
    defaults: dict  # moles per mole of dry air of gases with the role "default"
    temperature: tuple  # of layers, levels and the surface [K]
    low_pressure: float  # where the pressure is less than this [Pa],
    lowest_temperature: float  # temperatures may go down to this [K]
    pressure: tuple  # of layers [Pa]
    level_pressure: tuple  # of levels [Pa]
    mole_ratio: tuple  # of each gas to dry air [1]
    liquid_size: tuple  # effective radius of droplets [m]; (0, 0) without optics of clouds of its own
    ice_size: tuple  # effective diameter of ice particles, with ecCKD their radius [m], likewise
    aerosol_size: tuple  # radius of dust and sea salt [m], likewise
    total_irradiance: float  # of its sun at 1 au, unless a call says it [W m-2]; 0 in the longwave


class ColumnSolver(Solver):
    """What the solvers of fluxes of columns have in common."""

    _model = None

    @property
    def model(self):
        """What there is to know of the gas optics: bands, gases, ranges of validity."""
        if self._model is None:
            told = self._object.model()
            told["gas_optics"] = GAS_OPTICS[told["gas_optics"]]
            told["bands"] = numpy.array(told["bands"]).T
            told["defaults"] = {gas: ratio for gas, (role, ratio) in told["gases"].items() if ROLES[role] == "default"}
            told["gases"] = {gas: ROLES[role] for gas, (role, _) in told["gases"].items()}
            self._model = Model(**told)
        return self._model

    def interval_weights(self, between):
        """ecCKD: how much a surface's value of each interval of wavenumber counts in each g-point, (gpt, interval).

        `between` are the wavenumbers where an interval ends and the next begins [cm-1], increasing; the first one
        reaches down to 0, the last one up to infinity. `of_intervals @ weights.T` are emissivities or albedos of
        g-points, from those of (column, interval).
        """
        limits = reals("between", between, "wavenumbers")
        if limits.ndim != 1:
            raise ValueError(f"between: has shape {limits.shape}, expected one dimension")
        return numpy.array(self._object.interval_weights(limits.tolist())).reshape((-1, limits.size + 1))

    def missing(self, gases):
        """The gases that the model requires and that are not among these: a mapping as for a call, or names."""
        if isinstance(gases, str):
            gases = [gases]
        names = gases_of(gases) if isinstance(gases, collections.abc.Mapping) else map(gas_of, gases)
        told = self._object.missing([ALL_GASES.index(name) for name in names])
        return told.split(", ") if told else []

    def _computed_anyway(self):
        return self._asked_for()

    def _has(self, each):
        return not each.models or self.model.gas_optics in each.models

    @classmethod
    def _arrays(cls, present):
        arrays = []
        for each in cls.description.inputs:
            if each.name not in present:
                continue
            if each.name == "gases":
                arrays += [(each, name, array) for name, array in gases_of(present["gases"]).items()]
            else:
                arrays.append((each, each.name, present[each.name]))
        return arrays, {}

    @classmethod
    def _options_for(cls, present):
        """The options of an object that is made for the arguments of a call."""
        masked = "fraction_gpt" in present and "ice_path" in present
        return {"clouds": "of_layers" if "fraction" in present else "masked" if masked else
                "of_gpoints" if "fraction_gpt" in present else "none",
                "gases": tuple(gases_of(present.get("gases", {}))) or None}

    def _complete(self, call):
        call.sizes.update(band=self.model.nband, gpt=self.model.ngpoint)

    def _inputs(self, call, rest):
        found = super()._inputs(call, rest)
        found["gases"] = [found.pop(name, None) for name in GASES]
        found["more_gases"] = [found.pop(name, None) for name in MORE_GASES]
        return found

    def counts(self):
        """How many values of calls were out of their range and clipped or extrapolated, and of which arrays."""
        return self._object.counts()


class Longwave(ColumnSolver):
    description = LONGWAVE
    core = _core.Longwave

    @classmethod
    def _options_for(cls, present):
        return {**super()._options_for(present), "cloud_optical_depth": "optical_depth_gpt" in present,
                "aerosol": "aerosol" in present, "incident_flux": "incident_flux" in present}


class Shortwave(ColumnSolver):
    description = SHORTWAVE
    core = _core.Shortwave

    def solar_weights(self, **sun):
        """The sun as a call takes it in `solar_weights` and `solar_band_factors`, for columns with different suns.

        `sun` are numbers of the sun as solve() takes them. With ecCKD and RRTMGP the weights are in proportion to
        total_irradiance. Returns weights of four spectra, and factors on RRTMG's bands, which are all 1 with others.
        """
        numbers = [each for each in SHORTWAVE.numbers if each.name in SUN_NUMBERS]
        refuse_unknown("Shortwave.solar_weights()", sun, [each.name for each in numbers])
        weights, factors = self._object.sun(option_values(numbers, sun))
        return numpy.array(weights), numpy.array(factors)

    @classmethod
    def _options_for(cls, present):
        return {**super()._options_for(present), "cloud_optical_properties": "optical_depth_gpt" in present,
                "aerosol_optical": "aerosol_optical_depth" in present, "aerosol_types": "aerosol_550nm" in present}


class Adding(Solver):
    description = ADDING
    core = _core.Adding


class Spectra(Solver):
    description = SPECTRA
    core = _core.Spectra

    @property
    def gases(self):
        """The gases of the control file, in the order of `mole_fraction`."""
        return self._object.gases()

    @property
    def wavenumbers(self):
        """The wavenumbers of the channels [cm-1]."""
        return self._object.wavenumbers()

    def _solve(self, arguments):
        if isinstance(arguments.get("mole_fraction"), collections.abc.Mapping):
            arguments["mole_fraction"] = self._stack(arguments["mole_fraction"])
        return super()._solve(arguments)

    def _stack(self, fractions):
        gases = self.gases
        mapping_of("mole_fraction", fractions, gases, "gas")
        each = {}
        for gas in gases:
            if fractions.get(gas) is None:
                raise ValueError(f"mole_fraction: lacks {gas}, expected all of {', '.join(gases)}")
            each[gas] = real_of_host(f"mole_fraction: {gas}", fractions[gas])
        arrays = {gas: value for gas, value in each.items() if not is_number(value) and value.ndim > 0}
        if not arrays:
            raise ValueError("mole_fraction: expected an array (level) or (profile, level) of at least one gas")
        first = next(iter(arrays))
        for gas, array in arrays.items():
            if array.dtype != arrays[first].dtype:
                raise ValueError(f"mole_fraction: {gas} has another type than {first}, expected the same")
        dtype = arrays[first].dtype
        return numpy.stack(numpy.broadcast_arrays(*(numpy.asarray(value, dtype) for value in each.values())), axis=-2)

    def _complete(self, call):
        call.sizes["channel"] = len(self.wavenumbers)

    def _computed_anyway(self):
        return {"radiance"}


class MonteCarlo(Solver):
    description = MONTE_CARLO
    core = _core.MonteCarlo

    def _computed_anyway(self):
        return {"q"}

    @classmethod
    def _arrays(cls, present):
        sides = sides_of(present.pop("sides", None))
        arrays, _ = super()._arrays(present)
        for side, values in zip(SIDES, sides):
            temperature = values.get("temperature")
            if temperature is not None and not is_number(temperature):
                dimensions = FACES[SIDES.index(side) // 2]
                arrays.append((Array("temperature", dimensions, "K", "of a wall"), f"sides[{side!r}]: temperature",
                               temperature))
        return arrays, sides

    def _inputs(self, call, rest):
        arrays = super()._inputs(call, rest)
        sides = []
        for side, values in zip(SIDES, rest):
            temperature = values.get("temperature", 0.)
            walls = arrays.pop(f"sides[{side!r}]: temperature", None)
            sides.append({"type": _core.constants["PARHELION_SIDE_" + values["type"].upper()],
                          "reflectivity": values.get("reflectivity", 0.),
                          "temperature": 0. if walls is not None else temperature, "face_temperature": walls})
        return {**arrays, "sides": sides}

    def _result(self, call, each, given, rest):
        if each.dimensions:
            return super()._result(call, each, given, rest)
        given = mapping_of(each.name, given if given is not None else {}, SIDES, "side")
        shown, wrapped = {}, []
        for index, side in enumerate(SIDES):
            if rest[index]["type"] == "periodic":
                if side in given:
                    raise ValueError(f"out: {each.name}: {side} is periodic, expected a wall")
                wrapped.append(None)
                continue
            array, core = call.result(Array(side, FACES[index // 2], each.unit, each.meaning), f"{each.name}: {side}",
                                      given.get(side), FACES[index // 2])
            shown[side] = array
            wrapped.append(core)
        return shown, wrapped


def sides_of(sides):
    """The six sides of a box, each as a mapping with "type"."""
    if sides is None:
        raise ValueError("sides: missing, expected a mapping with " + ", ".join(SIDES))
    axes = ("x", "y", "z")
    mapping_of("sides", sides, (*SIDES, *axes), "side")
    found = []
    for side in SIDES:
        if side in sides and side[0] in sides:
            raise ValueError(f"sides: has {side} and {side[0]}, expected one of the two")
        value = sides.get(side, sides.get(side[0]))
        name = f"sides[{side!r}]"
        if value is None:
            raise ValueError(f"sides: lacks {side}, expected all of {', '.join(SIDES)}")
        if isinstance(value, str):
            if value != "periodic":
                raise ValueError(f"{name} = {value!r}, expected \"periodic\" or a mapping with the wall's temperature")
            found.append({"type": "periodic"})
            continue
        mapping_of(name, value, ("temperature", "reflectivity"), "property of a wall")
        if value.get("temperature") is None:
            raise ValueError(f"{name}: lacks temperature")
        found.append({"type": "wall", **value})
    return found


class path_errors:
    """Says that a file is missing where that is why an object could not be made."""

    def __init__(self, description, options):
        paths = [option.name for option in description.options if option.kind == "path"]
        self.given = [options[name] for name in paths if options.get(name) is not None]

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind is OSError and (not self.given or not all(os.path.exists(path) for path in self.given)):
            raise FileNotFoundError(str(error)) from None
        return False


THREADS = os.environ.get("OMP_NUM_THREADS", "")  # as it is when OpenMP reads it
_initialized = False
_threads_stay = False  # whether Kokkos has threads that a process does not have after a fork
_forked = False  # whether this process is one without them


def note_fork():
    global _forked
    _forked = _initialized and _threads_stay


os.register_at_fork(after_in_child=note_fork)


def refuse_forked():
    """Refuses to compute where that would wait for threads without end."""
    if _forked:
        raise RuntimeError("parhelion: had been started when this process was forked, and its threads stayed behind; "
                           "expected processes that are started with \"spawn\" or before the first object is made, or "
                           "initialize(threads=1)")


def initialize_once():
    """What the first object does if initialize() has not been called."""
    refuse_forked()
    if not _initialized:
        initialize()


def initialize(*, device=None, threads=None):
    """Starts Kokkos, with which parhelion computes; once, before anything is computed.

    Without this call the first object starts it with the defaults. If another library in this process has started
    Kokkos, that one is used.

    Parameters
    ----------
    device : int, "rank" or "current"
        The number of the device, from 0; "rank", the default: the one with the number of this process on its node, from
        the launcher's environment; "current": the one that the calling thread has selected, with CuPy for example.
    threads : int
        Threads of the host; by default OMP_NUM_THREADS or all cores.
    """
    global _initialized, _threads_stay
    refuse_forked()
    settings = {}
    if isinstance(device, str):
        names = {"rank": "PARHELION_DEVICE_BY_RANK", "current": "PARHELION_DEVICE_CURRENT"}
        if device not in names:
            raise ValueError(f"device = {device!r}, expected a number, \"rank\" or \"current\"")
        settings["device_by"] = _core.constants[names[device]]
    elif device is not None:
        if isinstance(device, bool) or not hasattr(device, "__index__"):
            raise TypeError(f"device: is {type(device)}, expected a number, \"rank\" or \"current\"")
        if not 0 <= device < 2**31 - 1:
            raise ValueError(f"device = {device}, expected a number of at least 0")
        settings["device"] = int(device) + 1
    if threads is not None:
        if isinstance(threads, bool) or not hasattr(threads, "__index__"):
            raise TypeError(f"threads: is {type(threads)}, expected a number")
        if threads < 1:
            raise ValueError(f"threads = {threads}, expected at least 1")
        settings["threads"] = threads
    _core.initialize(settings)
    if not _initialized:  # later calls do not change it
        _threads_stay = str(threads or THREADS).partition(",")[0].strip() != "1"
    _initialized = True


def compute(solver_type, options, arguments):
    """Makes an object, calls it once and releases it."""
    with solver_type(**options) as solver:
        return solver.solve(**arguments)


def compute_columns(solver_type, options, arguments):
    """The same, for an object that is made for the arrays of the call."""
    prepared = solver_type._prepare(arguments)
    sizes = prepared.call.sizes
    made_for = {"ncol": sizes.get("column", 1), "nlay": sizes.get("layer", 1),
                **solver_type._options_for(prepared.present)}
    with solver_type(**made_for, **options) as solver:
        result = solver._run(prepared)
        solver.status()
        result.counts = solver.counts()
        return result


def function_of(solver_type, compute_by):
    """The function of a solver."""
    description = solver_type.description
    options = [option.name for option in description.options if not option.seen]
    known = [*(each.name for each in (*description.inputs, *description.numbers)), *options, "out", "results", "stream"]

    def function(**arguments):
        refuse_unknown(f"{description.name}()", arguments, known)
        chosen = {name: arguments.pop(name) for name in options if name in arguments}
        return compute_by(solver_type, chosen, arguments)

    function.__name__ = function.__qualname__ = description.name
    function.__module__ = "parhelion"
    function.__doc__ = docstring_of_function(description)
    function.__signature__ = signature(known)
    return function


def signature(names, first=()):
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature([*first, *(inspect.Parameter(name, keyword, default=None) for name in names)])


for each_type in (Longwave, Shortwave, Adding, Spectra, MonteCarlo):
    each = each_type.description
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    each_type.__module__ = "parhelion"
    each_type.__doc__ = docstring_of_type(each)
    each_type.__signature__ = signature([option.name for option in each.options])

    def solve(self, **arguments):
        return self._solve(arguments)
    solve.__doc__ = docstring_of_solve(each)
    solve.__qualname__ = f"{each_type.__name__}.solve"
    solve.__signature__ = signature([entry.name for entry in (*each.inputs, *each.numbers)] +
                                    ["out", "results", "stream"], [own])
    each_type.solve = solve

longwave = function_of(Longwave, compute_columns)
shortwave = function_of(Shortwave, compute_columns)
adding = function_of(Adding, compute)
spectra = function_of(Spectra, compute)
monte_carlo = function_of(MonteCarlo, compute)
