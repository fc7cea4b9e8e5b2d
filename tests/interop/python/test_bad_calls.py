#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random bad calls: each either succeeds with results of the right shapes or raises one of the exceptions that are
documented, with one line; none of them ends the process, and good calls between them give what they gave before.

    test_bad_calls.py [--cases N] [--seed S] [--case I]

A case depends on the seed and its number alone. Another program than Python's has to watch for the end of the process:
the number of the case that runs is in the file that PARHELION_BAD_CALLS_LOG names, if it is set.
"""
import argparse
import faulthandler
import os
import pathlib
import random
import sys
import tempfile

import numpy
import parhelion
from parhelion._description import SOLVERS
from python_testing import PROGRAM, SIMPLE, columns
from test_adding import profiles
from test_arrays import OfDevice, OfHost
from test_monte_carlo import box
from test_shortwave import COEFFICIENTS, sunny_columns

ALLOWED = (TypeError, ValueError, RuntimeError, OSError, MemoryError, parhelion.NotFiniteError)
KINDS = {solver.name: solver for solver in SOLVERS}
# Options that decide how long a call takes.
COSTLY = {"rays", "repetitions", "max_repetitions", "target_error", "chunk"}


class Folder:
    """A limb scan for the spectra, if there is the program that makes its tables."""

    def __init__(self):
        self.cleanups = []
        self.arguments = None
        if PROGRAM:
            from test_spectra import arguments_of, limb
            self.path = limb(self)
            self.arguments = {"control": self.path / "case.ctl", **arguments_of(self.path)}

    def addCleanup(self, function):
        self.cleanups.append(function)

    def clean(self):
        for function in self.cleanups:
            function()


def good_calls(folder):
    """Arguments of calls that succeed, anew each time, by the name of the function."""
    calls = {
        "longwave": {**columns(3, 6), **SIMPLE},
        "adding": {**profiles(), "results": ("toa", "up")},
        "monte_carlo": box(),
    }
    if COEFFICIENTS.is_file():
        calls["shortwave"] = {**sunny_columns(3, 6), "sun": "kurucz", "band_factors": [1.] * 14,
                              "coefficients": COEFFICIENTS}
    if folder.arguments:
        calls["spectra"] = {name: value.copy() if isinstance(value, numpy.ndarray) else value
                            for name, value in folder.arguments.items()}
    return calls


def other_shape(rng, array):
    shape = list(array.shape)
    change = rng.randrange(5)
    if change == 0:
        shape.append(rng.choice((1, 2, 16)))
    elif change == 1 and shape:
        shape.pop(rng.randrange(len(shape)))
    elif change == 2 and shape:
        shape[rng.randrange(len(shape))] = rng.choice((0, 1, 2, 3, 7, 13))
    elif change == 3:
        rng.shuffle(shape)
    else:
        shape = [1] * rng.randrange(7)
    if array.size and numpy.prod(shape, dtype=int):
        return numpy.resize(array, shape)
    return numpy.empty(shape, array.dtype)


def other_values(rng, array):
    changed = numpy.array(array)
    if not changed.size or changed.dtype.kind not in "fi":
        return changed
    values = (numpy.nan, numpy.inf, -numpy.inf, -1., 0., 1e-300, -1e-12, 1e30, 1.0000001, 5e-324)
    if changed.dtype.kind == "i":
        values = (-1, -2, 2**31 - 1, -2**31, 7)
    count = rng.choice((1, changed.size))
    for place in rng.sample(range(changed.size), count):
        changed.flat[place] = numpy.asarray(rng.choice(values)).astype(changed.dtype)
    return changed


def other_memory(rng, array):
    """The same values in another layout, or what is no memory at all."""
    change = rng.randrange(8)
    if change == 0:
        return numpy.asfortranarray(array)
    if change == 1 and array.ndim:
        return numpy.ascontiguousarray(array[::-1])[::-1]
    if change == 2:
        frozen = numpy.array(array)
        frozen.setflags(write=False)
        return frozen
    if change == 3:
        record = numpy.zeros(array.shape, [("value", array.dtype), ("flag", "i1")])
        record["value"] = array
        return record["value"]
    if change == 4:
        return OfHost(array)
    if change == 5:
        least = rng.choice((1e9, 0))
        # Objects that are no numbers have no order.
        return numpy.ma.masked_array(array, mask=False if array.dtype == object else numpy.array(array) > least)
    if change == 6:
        return OfDevice(array, **rng.choice(({}, {"strides": None}, {"data": (0, False)}, {"shape": (2**40, 2)},
                                             {"strides": (-8,) * array.ndim}, {"typestr": "<i8"}, {"shape": "12"})))
    return numpy.broadcast_to(array[..., :1], array.shape) if array.ndim else array


def junk(rng):
    return rng.choice((None, True, 0, -1, 1, 2**31, -2**31 - 1, 2**63 - 1, 2**64, 0.5, float("nan"), float("inf"), "",
                       "text", "\0", b"\xff", [], [1.], (), {}, {"x": 1}, object(), 1j, numpy.float32(3), max,
                       numpy.array("text"), numpy.array(None), numpy.zeros(0), "\udcff", "nearest" * 1000))


def mutate(rng, value):
    if isinstance(value, dict):
        changed = dict(value)
        name = rng.choice([*changed, "other", 5])
        changed[name] = mutate(rng, changed.get(name))
        if rng.random() < 0.2:
            changed.pop(rng.choice(list(changed)))
        return changed
    if isinstance(value, numpy.ndarray):
        change = rng.choice(("shape", "shape", "values", "values", "values", "memory", "memory", "type", "junk"))
        if change == "shape":
            return other_shape(rng, value)
        if change == "values":
            return other_values(rng, value)
        if change == "memory":
            return other_memory(rng, value)
        if change == "type":
            kinds = ("float32", "float16", "int32", "int64", ">f8", "complex64", "object", "longdouble", "bool",
                     "S3")
            with numpy.errstate(all="ignore"):
                try:
                    return value.astype(rng.choice(kinds))
                except (TypeError, ValueError):  # a text or None that NumPy itself cannot make a number of
                    return value
    return junk(rng)


def mutated(rng, name, arguments):
    solver = KINDS[name]
    arguments = dict(arguments)
    for _ in range(rng.choice((1, 1, 2, 3))):
        change = rng.randrange(8)
        options = [option for option in solver.options if not option.seen and option.name not in COSTLY]
        if change < 5:
            argument = rng.choice([each for each in arguments if each not in COSTLY])
            arguments[argument] = mutate(rng, arguments[argument])
        elif change == 5:
            option = rng.choice(options)
            # Values are not looked at with "trust", so that a bad one would be the caller's fault.
            choices = [choice for choice in option.choices if choice != "trust"]
            arguments[option.name] = rng.choice(choices) if choices and rng.random() < 0.8 else junk(rng)
        elif change == 6:
            entry = rng.choice(solver.inputs)
            arguments[entry.name] = rng.choice((0.5, numpy.full((3, 6), 0.5), numpy.ones(3, "int32"), junk(rng)))
        else:
            entry = rng.choice(solver.outputs)
            array = mutate(rng, numpy.empty([rng.choice((1, 2, 3, 4, 5, 6, 7)) for _ in entry.dimensions]))
            arguments[rng.choice(("out", "results", "stream", "other"))] = rng.choice(
                ({entry.name: array}, {"other": array}, [entry.name], (), junk(rng)))
    return arguments


def judge(result):
    """A call that succeeds has arrays as results."""
    for name, value in result.items():
        for each in value.values() if isinstance(value, dict) else [value]:
            if not isinstance(each, (numpy.ndarray, OfHost, float, int)):
                raise AssertionError(f"{name} is {type(each)}")


def run(seed, number, folder):
    """Runs a case and says how it ended."""
    rng = random.Random(f"{seed}:{number}")
    calls = good_calls(folder)
    name = rng.choice(sorted(calls))
    arguments = mutated(rng, name, calls[name])
    try:
        judge(getattr(parhelion, name)(**arguments))
    except ALLOWED as error:
        message = str(error)
        if not message or "\n" in message or len(message) > 20000:
            raise AssertionError(f"message of {type(error).__name__}: {message!r}") from error
        return f"{name}: {type(error).__name__}: {message}"
    return f"{name}: succeeded"


def expected_results(folder):
    return {name: getattr(parhelion, name)(**arguments) for name, arguments in good_calls(folder).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="run this one alone, and say how it ended")
    arguments = parser.parse_args()
    faulthandler.enable()
    os.chdir(tempfile.gettempdir())
    log = os.environ.get("PARHELION_BAD_CALLS_LOG")
    folder = Folder()
    failures, ends = 0, {}
    try:
        expected = expected_results(folder)
        numbers = range(arguments.cases) if arguments.case is None else [arguments.case]
        for number in numbers:
            if log:
                pathlib.Path(log).write_text(f"{arguments.seed} {number}\n", encoding="utf-8")
            try:
                end = run(arguments.seed, number, folder)
            except Exception as error:  # pylint: disable=broad-except  # every other one is a finding
                failures += 1
                print(f"--seed {arguments.seed} --case {number}: {type(error).__name__}: {error}")
                continue
            if arguments.case is not None:
                print(end)
            ends[end.split(": ")[1]] = ends.get(end.split(": ")[1], 0) + 1
        for name, result in expected_results(folder).items():
            for each, array in result.items():
                if isinstance(array, numpy.ndarray) and not numpy.array_equal(array, expected[name][each]):
                    failures += 1
                    print(f"{name}: {each} differs after the bad calls")
    finally:
        folder.clean()
    print(f"{len(numbers)} calls, {failures} failures; " + ", ".join(f"{count} {end}" for end, count in ends.items()))
    # As many kinds of ends as there are without any damage would say that nothing was tried.
    few = arguments.case is None and (ends.get("ValueError", 0) < len(numbers) // 10 or
                                      ends.get("TypeError", 0) < len(numbers) // 10)
    return 1 if failures or few else 0


if __name__ == "__main__":
    sys.exit(main())
