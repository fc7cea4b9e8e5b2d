#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares threads on several cores of this machine with one core.

    cores.py PROGRAM FILTER [--cores 0,1] [--rounds N] [--seconds S]

PROGRAM is a benchmark program, and FILTER a regular expression that selects one of its benchmarks on hosts. Each round
runs it one after the other

- with one thread on each of the cores alone; the mean of these runs is what the others are compared with,
- with a thread on each of the cores,
- several times at once, with one thread on each of the cores: what this machine can give.

A machine whose cores share power or caches, or that has other work, gives several programs less than the number of
cores, too. Ratios are of runs of the same round; their medians over the rounds are printed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

from reports import RATES


def start(options, cores):
    """The program with a thread on each of these cores."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(len(cores)), OMP_PROC_BIND="spread",
                       OMP_PLACES=",".join(f"{{{core}}}" for core in cores))
    command = [options.program, f"--benchmark_filter={options.filter}", f"--benchmark_min_time={options.seconds}",
               "--benchmark_repetitions=1", "--benchmark_format=json"]
    try:
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, cores))
    except OSError as error:
        sys.exit(f"cores.py: {options.program}: {error.strerror}")


def rate(process, options):
    """What the program computes in a second, or an end with what it says."""
    report, message = process.communicate()
    try:
        runs = json.loads(report)["benchmarks"]
    except ValueError:
        sys.exit(f"cores.py: {options.program}: exit status {process.returncode}, no report: {message.strip()[-500:]}")
    if len(runs) != 1:
        names = ", ".join(run["name"] for run in runs[:3]) or "none"
        sys.exit(f"cores.py: {options.filter}: selects {len(runs)} benchmarks ({names}), expected one")
    if runs[0].get("error_occurred"):
        sys.exit(f"cores.py: {runs[0]['name']}: {runs[0].get('error_message')}")
    found = next((runs[0][name] for name in RATES if name in runs[0]), None)
    if found is None:
        sys.exit(f"cores.py: {runs[0]['name']}: no {', '.join(RATES)}")
    return found


def of_cores(text):
    """The cores to use, each once."""
    try:
        cores = [int(word) for word in text.split(",")]
    except ValueError:
        cores = []
    allowed = os.sched_getaffinity(0)
    if len(cores) < 2 or len(set(cores)) < len(cores) or not allowed.issuperset(cores):
        raise argparse.ArgumentTypeError(f"{text}: expected two or more of {', '.join(map(str, sorted(allowed)))}")
    return cores


def positive(kind):
    def convert(text):
        value = kind(text)
        if not 0 < value < 1e6:
            raise ValueError
        return value
    convert.__name__ = "number above 0"
    return convert


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("filter")
    parser.add_argument("--cores", type=of_cores, default="0,1", help="numbers of the cores (default: 0,1)")
    parser.add_argument("--rounds", type=positive(int), default=6, help="default: 6")
    parser.add_argument("--seconds", type=positive(float), default=4, help="of each measurement, default: 4")
    options = parser.parse_args()

    ratios = {"threads": [], "programs": []}
    print(f"{'one core':>12} {'threads':>12} {'ratio':>7} {'programs':>12} {'ratio':>7}")
    for _ in range(options.rounds):
        one = statistics.mean(rate(start(options, [core]), options) for core in options.cores)
        threads = rate(start(options, options.cores), options)
        programs = sum([rate(process, options) for process in [start(options, [core]) for core in options.cores]])
        ratios["threads"].append(threads / one)
        ratios["programs"].append(programs / one)
        print(f"{one:12.4g} {threads:12.4g} {threads / one:7.3f} {programs:12.4g} {programs / one:7.3f}", flush=True)
    for name, values in ratios.items():
        print(f"{name} on {len(options.cores)} cores: {statistics.median(values):.3f} times one core"
              f" ({min(values):.3f} to {max(values):.3f})")


if __name__ == "__main__":
    main()
