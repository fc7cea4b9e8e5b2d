#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes reports of benchmarks, with invented figures, under the names that the documents use."""

import json


def of_longwave(space, rate):
    """As perf_longwave's, for perf/compare.py and perf/growth.py."""
    runs = []
    for sky in ("rrtmg_exact", "rrtmg_all_sky"):
        for ncol in (64, 1024, 16384):
            name = f"{sky}/{space}/float/ncol:{ncol}/nlay:51/block:0/manual_time"
            runs.append({"name": name, "run_name": name, "run_type": "iteration", "fraction_of_copy": 0.1,
                         "fraction_of_peak": 0.1, "columns/s": rate * ncol / (ncol + 500)})
    return {"context": {"processor": "none", "parhelion_revision": "none"}, "benchmarks": runs}


def of_scaling(ranks, scaling):
    """As perf_monte_carlo_scaling's, for perf/scaling.py."""
    time = 0.2 / ranks if scaling == "strong" else 0.2
    return {"ranks": ranks, "scaling": scaling, "case": "case10", "space": "Cuda", "real": "float", "rays": 4096,
            "cells": [64, 64, 64 * (ranks if scaling == "weak" else 1)], "repetitions": 8, "rays_in_all": 1e9,
            "time_s": time, "gather_s": 0.001, "fastest_compute_s": time, "slowest_compute_s": time,
            "crossings/s": 1e9 * ranks, "checksum": "0"}


def main():
    reports = {name: of_longwave("Cuda", 1e6) for name in ("new", "old", "report", "baseline", "h200")}
    reports.update(cores=of_longwave("OpenMP", 1e5), core=of_longwave("Serial", 1e4))
    for scaling, end in (("strong", ""), ("weak", "_weak")):
        reports.update({f"one{end}": of_scaling(1, scaling), f"two{end}": of_scaling(2, scaling)})
    for name, content in reports.items():
        with open(f"{name}.json", "w", encoding="utf-8") as file:
            json.dump(content, file)


if __name__ == "__main__":
    main()
