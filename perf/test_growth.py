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


def report(space, rate_of, optics="rrtmg"):
    """A device that computes rate_of(columns) columns of 51 layers per second."""
    runs = []
    for sky in ("exact", "all_sky"):
        for ncol in (64, 256, 1024, 4096):
            name = f"{optics}_{sky}/{space}/float/ncol:{ncol}/nlay:51/block:0/manual_time"
            runs += [{"name": name, "run_name": name, "run_type": "iteration", "columns/s": factor * rate_of(ncol)}
                     for factor in (0.5, 1, 3)]
    return {"context": {}, "benchmarks": runs}


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
        for optics in ("rrtmg", "rrtmg_sw"):
            self.check_crossing(optics)

    def check_crossing(self, optics):
        gpu = self.path("gpu.json", report("Cuda", lambda ncol: 10 * ncol, optics))
        cpu = self.path("cpu.json", report("OpenMP", lambda ncol: 5120, optics))
        done = self.run_script(f"G={gpu}", f"C={cpu}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(),
                         ["clear sky, float: G is faster than C from 512 columns on",
                          "all sky, clear sky beside, float: G is faster than C from 512 columns on"])
        with open(self.path("plot.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_refusals(self):
        two = report("Cuda", lambda ncol: 1)
        two["benchmarks"] += report("OpenMP", lambda ncol: 1)["benchmarks"]
        done = self.run_script("G=" + self.path("two.json", two))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("runs of Cuda, OpenMP, expected of one", done.stderr)
        self.assertFalse(os.path.exists(self.path("plot.png")))
        longwave = self.path("lw.json", report("Cuda", lambda ncol: 1))
        shortwave = self.path("sw.json", report("Cuda", lambda ncol: 1, "rrtmg_sw"))
        done = self.run_script(f"A={longwave}", f"B={shortwave}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("reports of perf_longwave and of perf_shortwave, expected those of one", done.stderr)
        done = self.run_script(self.path("two.json"))
        self.assertIn("expected NAME=REPORT.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
