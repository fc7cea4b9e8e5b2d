#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the JSON reports of the benchmarks: a table of one, the ratios of two, or a check that one is complete.

    compare.py REPORT.json                    a table of columns or profiles per second and fractions of the limits
    compare.py BASELINE.json REPORT.json      ratios of the medians; exit status 1 where one is below --least
    compare.py --check REPORT.json            exit status 1 where a benchmark failed or a figure is missing
"""
import argparse
import json
import statistics
import sys

RATES = ("columns/s", "profiles/s", "rays/s")
COUNTERS = ("bytes/s", "fraction_of_copy", "flops/s", "fraction_of_peak")
CONTEXT = ("parhelion_revision", "processor", "compiler", "build_type", "kokkos_configuration")
OF_HOSTS = ("model_day", "model_step", "host_arrays", "callers")


def load(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"compare.py: {path}: {error}")


def rate(run):
    """Columns or profiles per second; nothing where a run reports neither."""
    return next((run[name] for name in RATES if name in run), None)


def medians(report):
    """Median of the rate of each benchmark over its repetitions, or the report's own where it has no repetitions."""
    rates = {}
    for run in report["benchmarks"]:
        if run.get("run_type") == "iteration" and rate(run) is not None:
            rates.setdefault(run["run_name"], []).append(run)
    result = {run["run_name"]: run for run in report["benchmarks"]
              if run.get("aggregate_name") == "median" and rate(run) is not None}
    for name, runs in rates.items():
        middle = statistics.median_low([rate(run) for run in runs])
        result[name] = next(run for run in runs if rate(run) == middle)
    return result


def check(report, path):
    problems = [f"context lacks {key}" for key in CONTEXT if not report["context"].get(key)]
    runs = report["benchmarks"]
    if not runs:
        problems.append("no benchmark ran")
    for run in runs:
        if run.get("run_type") == "aggregate" and run.get("aggregate_name") != "median":
            continue  # a deviation may be 0
        if run.get("error_occurred"):
            problems.append(f"{run['name']}: {run.get('error_message')}")
        else:
            # What a call of a host takes is not a matter of the device's limits alone.
            counters = () if run["name"].startswith(OF_HOSTS) else COUNTERS
            problems += [f"{run['name']}: {key} = {run.get(key)}" for key in counters if not run.get(key, 0) > 0]
            if not (rate(run) or 0) > 0:
                problems.append(f"{run['name']}: neither of {', '.join(RATES)}")
    for problem in problems:
        print(f"compare.py: {path}: {problem}", file=sys.stderr)
    if not problems:
        print(f"{path}: {len(runs)} benchmarks, complete")
    return 1 if problems else 0


def table(report):
    print(f"{report['context'].get('processor')}, revision {report['context'].get('parhelion_revision')}")
    print(f"{'benchmark':<64}{'rate [1/s]':>12}{'of copy':>9}{'of peak':>9}")
    for name, run in medians(report).items():
        # Calls from host arrays have no such fractions.
        of_copy, of_peak = (f"{run[key]:.3f}" if key in run else "-"
                            for key in ("fraction_of_copy", "fraction_of_peak"))
        print(f"{name:<64}{rate(run):>12.4g}{of_copy:>9}{of_peak:>9}")
    return 0


def ratios(baseline, report, least):
    before, after = medians(baseline), medians(report)
    common = [name for name in before if name in after]
    if not common:
        print("compare.py: the reports have no benchmark in common", file=sys.stderr)
        return 1
    slower = 0
    for name in common:
        ratio = rate(after[name]) / rate(before[name])
        slower += ratio < least
        print(f"{name:<64}{ratio:>8.3f}{'  slower' if ratio < least else ''}")
    return 1 if slower else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", metavar="REPORT.json")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--least", type=float, default=0.9, help="least ratio that passes (default 0.9)")
    arguments = parser.parse_args()
    reports = [load(path) for path in arguments.reports]
    if arguments.check:
        return max(check(report, path) for report, path in zip(reports, arguments.reports))
    if len(reports) == 1:
        return table(reports[0])
    if len(reports) == 2:
        return ratios(*reports, arguments.least)
    parser.error("one or two reports")


if __name__ == "__main__":
    sys.exit(main())
