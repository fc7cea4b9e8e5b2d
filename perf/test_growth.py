#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests growth.py on reports whose rates are known."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "growth.py")


BENCHMARKS = {"longwave": ("rrtmg_exact", "rrtmg_all_sky"), "shortwave": ("rrtmg_sw_exact", "rrtmg_sw_all_sky"),
              "k_distributions": ("ecckd_longwave", "rrtmgp_shortwave")}
TITLES = {"longwave": ("clear sky", "all sky, clear sky beside"),
          "shortwave": ("clear sky", "all sky, clear sky beside"),
          "k_distributions": ("ecCKD, longwave", "RRTMGP, shortwave")}
DEVICE = "Kokkos::Cuda[ 0 ] A device : Selected;"


def report(space, rate_of, kind="longwave", configuration=DEVICE):
    """A device that computes rate_of(columns) columns per second, as the median of three repetitions."""
    runs = []
    layers = 60 if kind == "k_distributions" else 51
    for benchmark in BENCHMARKS[kind]:
        for ncol in (64, 256, 1024, 4096):
            name = f"{benchmark}/{space}/float/ncol:{ncol}/nlay:{layers}/block:0/manual_time"
            runs += [{"name": name, "run_name": name, "run_type": "aggregate", "aggregate_name": which,
                      "repetitions": 3, "cpu_time": ncol / rate_of(ncol), "time_unit": "s",
                      "columns/s": factor * rate_of(ncol)} for which, factor in (("mean", 3), ("median", 1))]
    return {"context": {"kokkos_configuration": configuration}, "benchmarks": runs}


class Growth(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)
        return path

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, "-o", self.path("plot.png"), *arguments], capture_output=True,
                              text=True, check=False)

    def test_crossing(self):
        # One is ten times the number of columns, the other one always the same: they meet at 512 columns.
        for kind in BENCHMARKS:
            with self.subTest(kind):
                gpu = self.path("gpu.json", report("Cuda", lambda ncol: 10 * ncol, kind))
                cpu = self.path("cpu.json", report("OpenMP", lambda ncol: 5120, kind, "16 threads"))
                self.check_crossing(TITLES[kind], f"G={gpu}", f"C={cpu}")

    def check_crossing(self, titles, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(),
                         [f"{title}, float: G is faster than C from 512 columns on" for title in titles])
        with open(self.path("plot.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_folder(self):
        # Of folders with reports of several programs one is chosen.
        for name, rate in (("G", lambda ncol: 10 * ncol), ("C", lambda ncol: 5120)):
            os.mkdir(self.path(name))
            for kind in BENCHMARKS:
                self.path(os.path.join(name, f"{kind}.json"), report("Cuda", rate, kind))
        folders = (f"G={self.path('G')}", f"C={self.path('C')}")
        self.assertIn("choose one with --fluxes", self.run_script(*folders).stderr)
        self.check_crossing(TITLES["shortwave"], "--fluxes", "shortwave", *folders)

    def test_one_thread(self):
        # Of a thread its own time counts, though the rate says otherwise.
        slow = report("OpenMP", lambda ncol: 5120, configuration="Kokkos::OpenMP thread_pool_topology[ 1 x 1 x 1 ];")
        for run in slow["benchmarks"]:
            run["columns/s"] /= 100
        self.check_crossing(TITLES["longwave"], "G=" + self.path("gpu.json", report("Cuda", lambda ncol: 10 * ncol)),
                            "C=" + self.path("cpu.json", slow))

    def test_refusals(self):
        two = report("Cuda", lambda ncol: 1)
        two["benchmarks"] += report("OpenMP", lambda ncol: 1)["benchmarks"]
        done = self.run_script("G=" + self.path("two.json", two))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("runs of Cuda, OpenMP, expected of one", done.stderr)
        self.assertFalse(os.path.exists(self.path("plot.png")))
        longwave = self.path("lw.json", report("Cuda", lambda ncol: 1))
        shortwave = self.path("sw.json", report("Cuda", lambda ncol: 1, "shortwave"))
        done = self.run_script(f"A={longwave}", f"B={shortwave}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("reports of longwave, shortwave: choose one with --fluxes", done.stderr)
        done = self.run_script(self.path("two.json"))
        self.assertIn("expected NAME=REPORTS", done.stderr)
        other = report("Cuda", lambda ncol: 1)
        for run in other["benchmarks"]:
            run["run_name"] = run["run_name"].replace("rrtmg", "other")
        self.assertIn("no benchmarks of fluxes", self.run_script("A=" + self.path("other.json", other)).stderr)
        done = self.run_script("--fluxes", "k_distributions", f"A={longwave}")
        self.assertIn("A: no benchmarks of k_distributions", done.stderr)
        self.assertFalse(os.path.exists(self.path("plot.png")))


if __name__ == "__main__":
    unittest.main()
