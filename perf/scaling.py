#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints a table of reports of perf_monte_carlo_scaling: scaling.py REPORT.json...

Speedup and efficiency are those against the run of the fewest ranks of the same problem: of strong runs by time, of
weak ones by rays per second, and by crossings per second in the last column.
"""
import json
import sys


def main():
    groups = {}
    for path in sys.argv[1:]:
        with open(path) as file:
            run = json.load(file)
        per_rank = [n / (run["ranks"] if run["scaling"] == "weak" and axis == 2 else 1)
                    for axis, n in enumerate(run["cells"])]
        key = (run["scaling"], run["case"], run["space"], run["real"], *map(int, per_rank), run["rays"], run["repetitions"])
        groups.setdefault(key, []).append(run)
    if not groups:
        sys.exit(__doc__)
    for key, runs in sorted(groups.items()):
        print("{} {} {} {}, {} x {} x {} cells, {} rays in {} repetitions".format(*key))
        print(f"{'ranks':>6} {'time [s]':>10} {'gather [s]':>10} {'fastest':>8} {'speedup':>8} {'efficiency':>10} "
              f"{'of crossings':>12}  checksum")
        runs.sort(key=lambda run: run["ranks"])
        first = runs[0]
        for run in runs:
            more = run["ranks"] / first["ranks"]
            speedup = run["rays_in_all"] / run["time_s"] / (first["rays_in_all"] / first["time_s"])
            crossings = run["crossings/s"] / first["crossings/s"]
            print(f"{run['ranks']:6} {run['time_s']:10.4f} {run['gather_s']:10.4f} "
                  f"{run['fastest_compute_s'] / run['slowest_compute_s']:8.1%} {speedup:8.2f} {speedup / more:10.1%} "
                  f"{crossings / more:12.1%}  {run['checksum']}")


if __name__ == "__main__":
    main()
