#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program with spoiled inputs and spoiled command lines.

A case is good where the program succeeds with results that can be, or refuses with one line that begins with
"parhelion: " and leaves no trace. All else is a failure: a crash, a time-out, an error of a library that reached the
user, files left behind, results that are not finite. What a case does depends on the seed, its kind and its number
alone:

    tests/fuzz/fuzz.py --program build/bin/parhelion --cases 1000 --seed 7 --kinds columns,ega --jobs 2
    tests/fuzz/fuzz.py --program build/bin/parhelion --seed 7 --case ega:123

Inputs, command and messages of failures are kept in the folder --keep.
"""
import argparse
import collections
import concurrent.futures
import json
import multiprocessing
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

import commands
import judge
import mutations
import seeds

ALL_KINDS = ("columns", "rfmip", "adding", "ega", "tables", "coefficients", "box", "spectrum", "checkpoint", "command",
             "retrieve")


def printable(word):
    return word.decode("utf-8", "backslashreplace") if isinstance(word, bytes) else word


ATTEMPTS = 6  # what cannot apply is no change


def change_a_file(seed, folder, rng):
    """Changes one of a seed's files. Returns what it did, in words."""
    for _ in range(ATTEMPTS):
        name = rng.choice(sorted(seed.targets))
        if what := mutations.change_file(folder / name, seed.targets[name], rng):
            return f"{name}: {what}"
    return None


class Fuzzer:
    """What all cases share."""

    def __init__(self, arguments, all_seeds, work):
        self.arguments, self.work = arguments, work
        self.seeds = collections.defaultdict(list)
        for seed in all_seeds:
            self.seeds[seed.kind].append(seed)
            self.seeds["command"].append(seed)

    def plan(self, kind, number):
        """The seed, the options and the changes of a case."""
        rng = random.Random(f"{self.arguments.seed} {kind} {number}")
        seed = rng.choice(self.seeds[kind])
        options = rng.choice(seed.options) if seed.options and rng.random() < 0.5 else []
        count = rng.choices((0, 1, 2, 3), (1, 70, 20, 9))[0]
        return seed, options, [rng.getrandbits(64) for _ in range(count)]

    def attempt(self, kind, seed, options, changes, folder):
        """Makes a case in a folder and runs it. Returns what is wrong, and all about it."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(seed.folder, folder)
        command = seed.command + options
        how = {"environment": {}, "streams": ""}
        said = []
        if kind == "command":
            commands.make_surroundings(folder)
        for change in changes:
            rng = random.Random(change)
            if kind == "command":
                attempts = (commands.change_command(seed, command, how, folder, rng) for _ in range(ATTEMPTS))
                what = next(filter(None, attempts), None)
            else:
                try:
                    what = judge.in_a_child(20, change_a_file, seed, folder, rng)
                except judge.Lost as lost:  # a file that was damaged before and that HDF5 does not survive
                    what = f"a change that ended with {lost}"
            if what:
                said.append(what)
        before = judge.snapshot(folder)
        limits = (self.arguments.timeout, self.arguments.memory << 20)
        outcome = judge.run([self.arguments.program] + command, folder, *limits, **how)
        problem = judge.problem_of(outcome, before, judge.snapshot(folder), folder, command, how["streams"])
        return problem, {"outcome": outcome, "command": command, "how": how, "said": said}

    def case(self, which):
        kind, number = which
        seed, options, changes = self.plan(kind, number)
        folder = self.work / f"case-{os.getpid()}"
        begin = time.monotonic()
        problem, about = self.attempt(kind, seed, options, changes, folder)
        seconds = time.monotonic() - begin
        shared = False
        if problem:
            for fewer in [changes[:n] + changes[n + 1:] for n in range(len(changes))] if len(changes) > 1 else []:
                other, smaller = self.attempt(kind, seed, options, fewer, folder)
                if other == problem:
                    changes, about = fewer, smaller
                    break
            self.attempt(kind, seed, options, changes, folder)
            if re.match("signal|time-out", problem):
                files = [folder / name for name, of in seed.targets.items() if of == "hdf5" and (folder / name).exists()]
                shared = judge.shared_with_hdf5(files, self.arguments.timeout, self.arguments.memory << 20)
            self.keep(kind, number, seed, folder, problem, about, shared)
        outcome = about["outcome"]
        shutil.rmtree(folder, ignore_errors=True)
        message = re.sub(r"[0-9.e+-]+", "#", outcome.err.decode("utf-8", "replace")[:60]) if outcome.code else ""
        return kind, number, problem, outcome.code, message, shared, about["said"], seconds

    def keep(self, kind, number, seed, folder, problem, about, shared):
        to = Path(self.arguments.keep) / f"{kind}-{number}"
        shutil.rmtree(to, ignore_errors=True)
        ignore = lambda root, names: [name for name in names if not os.path.isfile(os.path.join(root, name))
                                      and not os.path.isdir(os.path.join(root, name))]
        shutil.copytree(folder, to, symlinks=True, ignore=ignore)
        outcome, how = about["outcome"], about["how"]
        command = " ".join(shlex.quote(printable(word)) for word in [self.arguments.program] + about["command"])
        setting = " ".join(f"{name}={shlex.quote(value)}" for name, value in how["environment"].items())
        (to / "case.txt").write_text(
            f"{problem}{' (HDF5 itself)' if shared else ''}\nseed {self.arguments.seed}, {kind}:{number}, {seed.name}\n"
            f"changes: {json.dumps(about['said'])}\n{setting} {command} {how['streams']}\nexit status {outcome.code}\n"
            f"--- standard error\n{outcome.err.decode('utf-8', 'backslashreplace')[-5000:]}\n--- standard output\n"
            f"{outcome.out.decode('utf-8', 'backslashreplace')[-3000:]}\n", errors="backslashreplace")


FUZZER = None


def run_case(which):
    try:
        return FUZZER.case(which)
    except Exception as error:  # a fault of this script is a failure, and no reason to lose the others
        return *which, f"fuzz.py: {type(error).__name__}: {error}", 0, "", False, [], 0.0


def check_seeds(fuzzer):
    """Nothing would be shown by a program that refuses everything: what was not spoiled has to succeed."""
    for kind, of_kind in sorted(fuzzer.seeds.items()):
        if kind == "command":
            continue
        for seed in of_kind:
            problem, about = fuzzer.attempt(kind, seed, [], [], fuzzer.work / "seed")
            if problem or about["outcome"].code != 0:
                print(f"seed {kind} {seed.name}: {problem or 'refused'}: {about['outcome'].err.decode()}"
                      f"  {' '.join(about['command'])}", file=sys.stderr)
                return False
    return True


def report(fuzzer, results, seconds):
    failures = [each for each in results if each[2] and not each[5]]
    shared = [each for each in results if each[2] and each[5]]
    print(f"\n{'kind':<14} {'cases':>7} {'success':>8} {'refused':>8} {'usage':>6} {'messages':>9} {'slowest':>8} "
          f"{'failures':>9}")
    for kind in fuzzer.arguments.kinds:
        of_kind = [each for each in results if each[0] == kind]
        codes = collections.Counter(each[3] for each in of_kind)
        messages = len({each[4] for each in of_kind if each[4]})
        failed = sum(1 for each in of_kind if each[2] and not each[5])
        slowest = max(of_kind, key=lambda each: each[7])
        print(f"{kind:<14} {len(of_kind):>7} {codes[0]:>8} {codes[1]:>8} {codes[2]:>6} {messages:>9} {slowest[7]:>6.1f} s "
              f"{failed:>9}   {kind}:{slowest[1]} was slowest")
    groups = collections.defaultdict(list)
    for each in failures:
        groups[each[0], each[2]].append(each)
    for (kind, problem), of_group in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"\n{len(of_group)} of {kind}: {problem}")
        for each in of_group[:4]:
            print(f"    {kind}:{each[1]}  {'; '.join(each[6])[:150]}")
    if shared:
        print(f"\n{len(shared)} crashes or hangs inside HDF5 that h5py or ncdump shares on the same file:",
              " ".join(f"{each[0]}:{each[1]}" for each in shared[:20]))
    print(f"\n{len(results)} cases in {seconds:.0f} s, {len(failures)} failures"
          + (f", kept in {fuzzer.arguments.keep}" if failures else ""))
    return 1 if failures else 0


def main():
    global FUZZER
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program to run")
    parser.add_argument("--cases", type=int, default=200, help="cases of each kind (default: 200)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (default: 0)")
    parser.add_argument("--seed", type=int, default=1, help="other seeds make other cases (default: 1)")
    parser.add_argument("--kinds", default=",".join(ALL_KINDS), help=f"of {', '.join(ALL_KINDS)} (default: all)")
    parser.add_argument("--case", metavar="KIND:N", help="one case alone, shown and kept")
    parser.add_argument("--jobs", type=int, default=2, help="programs that run at a time (default: 2)")
    parser.add_argument("--timeout", type=float, default=20, help="most seconds of a case (default: 20)")
    parser.add_argument("--memory", type=int, default=1500, metavar="MB",
                        help="limit of the program's address space, 0 for none as sanitizers need it (default: 1500)")
    parser.add_argument("--keep", default="fuzz-failures", help="folder of failures (default: fuzz-failures)")
    arguments = parser.parse_args()
    arguments.program = os.path.abspath(arguments.program)
    arguments.kinds = [arguments.case.split(":")[0]] if arguments.case else arguments.kinds.split(",")
    for kind in arguments.kinds:
        if kind not in ALL_KINDS:
            parser.error(f"kind {kind} is not one of {', '.join(ALL_KINDS)}")
    if not arguments.memory:
        os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1")
        os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

    memory = Path("/dev/shm")
    place = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="parhelion-fuzz-", dir=place) as work:
        def program(words, folder, may_fail=False):
            outcome = judge.run([arguments.program] + words, folder, 60, 0)
            if outcome.code != 0 and not may_fail:
                sys.exit(f"fuzz.py: the program fails to make an input: {' '.join(words)}: {outcome.err.decode()}")
            return outcome.code == 0

        work = Path(work)
        FUZZER = Fuzzer(arguments, seeds.make_seeds(work / "seeds", program), work)
        if arguments.case:
            number = int(arguments.case.split(":")[1])
            seed, options, changes = FUZZER.plan(arguments.kinds[0], number)
            problem, about = FUZZER.attempt(arguments.kinds[0], seed, options, changes, work / "case")
            FUZZER.keep(arguments.kinds[0], number, seed, work / "case", problem or "good", about, False)
            print((Path(arguments.keep) / f"{arguments.kinds[0]}-{number}" / "case.txt").read_text())
            return 1 if problem else 0
        # A program may lack a subcommand that is made just now.
        arguments.kinds = [kind for kind in arguments.kinds if FUZZER.seeds[kind]]
        if not check_seeds(FUZZER):
            return 1
        begin = time.monotonic()
        numbers = range(arguments.first, arguments.first + arguments.cases)
        cases = [(kind, number) for number in numbers for kind in arguments.kinds]
        results = []
        # Unlike multiprocessing's own pool, this one says so when one of its processes dies.
        with concurrent.futures.ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("fork")) as pool:
            for result in pool.map(run_case, cases, chunksize=4):
                results.append(result)
                if result[2]:
                    print(f"{result[0]}:{result[1]} {result[2]}{' (HDF5 itself)' if result[5] else ''}", flush=True)
                if sys.stderr.isatty():
                    print(f"\r{len(results)} of {len(cases)}, {sum(1 for each in results if each[2])} failures",
                          end="", file=sys.stderr)
        return report(FUZZER, results, time.monotonic() - begin)


if __name__ == "__main__":
    sys.exit(main())
