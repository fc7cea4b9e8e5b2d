#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests performance_page.py on reports whose figures are known."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "performance_page.py")
GPU = "Kokkos Version: 4.6.99;CUDA_VERSION = 13000 = version 13.0;Kokkos::Cuda[ 0 ] NVIDIA TEST 80GB HBM3 : Selected;"
CORE = "Kokkos Version: 4.6.99;Kokkos::OpenMP thread_pool_topology[ 1 x 1 x 1 ];"
TEMPLATE = "# Performance\n\n{{machines}}\n\n{{headlines}}\n\n{{fluxes}}\n\n{{plots}}\n\n{{monte_carlo}}\n"


def run_of(name, repetitions=3, **figures):
    return {"name": name, "run_name": f"{name}/manual_time", "run_type": "aggregate", "aggregate_name": "median",
            "repetitions": repetitions, "real_time": 5.0, "cpu_time": 5.0, "time_unit": "ms", "copy_bytes/s": 4e12,
            "peak_flops/s": 6e13, "fraction_of_copy": 0.004, "fraction_of_peak": 0.0351, **figures}


def report(runs, configuration=GPU, revision="abc"):
    return {"context": {"parhelion_revision": revision, "kokkos_configuration": configuration, "processor": "A core",
                        "compiler": "13.3.0", "build_type": "Release", "cxx_flags": ""}, "benchmarks": runs}


def longwave(space="Cuda", ncol=16384, **figures):
    return [run_of(f"rrtmg_exact/{space}/{real}/ncol:{ncol}/nlay:51/block:0", **{"columns/s": rate, **figures})
            for real, rate in (("float", 4.2849e6), ("double", 2.4638e6))]


class PerformancePage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for name in ("docs/images", "perf/results/gpu", "perf/results/core"):
            os.makedirs(os.path.join(self.root, name))
        with open(os.path.join(HERE, "performance_page.json"), encoding="utf-8") as file:
            self.settings = {**json.load(file), "devices": [{"folder": "gpu"}], "host": {"folder": "core"}}
        self.settings["peers"]["rrtmg_lw"]["rrtmg_exact"] = 6000
        self.write("perf/performance_page.json", self.settings)
        self.write("perf/performance_page.md", TEMPLATE)
        self.write("README.md", "# Title\n\n<!-- made by perf/performance_page.py: begin -->\nold\n"
                                "<!-- made by perf/performance_page.py: end -->\n\nrest\n")
        self.write("perf/results/gpu/longwave.json", report(longwave()))
        # 4096 columns in 0.128 s of the thread.
        self.write("perf/results/core/longwave.json", report(longwave("OpenMP", 4096, cpu_time=128.0), CORE))

    def write(self, name, content):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))

    def read(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8") as file:
            return file.read()

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, "--root", self.root, *arguments], capture_output=True, text=True,
                              check=False)

    def refusal(self, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual(done.returncode, 1)
        return done.stderr

    def test_figures(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.read("docs/performance.md")
        self.assertIn("- [NVIDIA TEST](../perf/results/gpu/), revision abc, CUDA 13.0: 4.00 TB/s, 60 and 60 TFLOP/s\n",
                      page)
        self.assertIn("- [A core](../perf/results/core/), one thread, revision abc", page)
        self.assertIn("| longwave, RRTMG, clear sky, 16384 columns x 51 layers | 4.28 (3.5 %) | 2.46 (3.5 %) |", page)
        self.assertIn("| longwave, RRTMG, clear sky | 4.28, 2.46 | 0.40 %, 0.40 % | 3.5 %, 3.5 % | 32.0, 32.0 | 5.3 |",
                      page)
        readme = self.read("README.md")
        self.assertTrue(readme.startswith("# Title\n\n<!--") and readme.endswith("-->\n\nrest\n"))
        self.assertNotIn("old", readme)
        self.assertIn("| on one NVIDIA TEST | float | double |\n|---|---|---|\n| longwave, RRTMG, clear sky, 16384 "
                      "columns x 51 layers | 4.28 million columns/s | 2.46 million columns/s |", readme)
        self.assertIn("Measured at revision abc", readme)
        self.assertIn("host arrays are named, with one thread of the host.", " ".join(readme.split()))

    def test_threads_of_the_host_are_said(self):
        of_host = "Kokkos::OpenMP thread_pool_topology[ 1 x 8 x 1 ];"
        self.write("perf/results/gpu/longwave.json", report(longwave(), GPU + of_host))
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("host arrays are named, with 8 threads of the host.", " ".join(self.read("README.md").split()))

    def test_what_was_not_measured_is_said(self):
        self.assertEqual(self.run_script().returncode, 0)
        page = " ".join(self.read("docs/performance.md").split())
        self.assertNotIn("| shortwave, ecCKD", page)
        self.assertIn("Not in the reports: longwave, RRTMG, all sky; shortwave, RRTMG, clear sky;", page)
        self.assertIn("time step of a model.", page)
        self.assertIn("Not in the reports: 64^3, 6000, 4, tiles (the default), float;", page)
        self.assertNotIn("None", page)

    def test_check(self):
        self.assertIn("-old", self.refusal("--check"))
        self.assertEqual(self.read("README.md").count("old"), 1)  # it has written nothing
        self.assertFalse(os.path.exists(os.path.join(self.root, "docs/performance.md")))
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(self.run_script("--check").returncode, 0)
        page = self.read("docs/performance.md")
        self.write("docs/performance.md", page.replace("4.28", "4.29"))
        self.assertIn("+| longwave, RRTMG, clear sky | 4.28, 2.46", self.refusal("--check"))

    def test_more_repetitions_count(self):
        once = [{**run, "repetitions": 1, "columns/s": 1} for run in longwave()]
        self.write("perf/results/gpu/growth.json", report(once))
        self.assertEqual(self.run_script().returncode, 0)
        self.assertIn("4.28, 2.46", self.read("docs/performance.md"))

    def test_plots(self):
        self.write("docs/images/shortwave_growth.png", "")
        self.assertEqual(self.run_script().returncode, 0)
        self.assertIn("\n\n![Shortwave](images/shortwave_growth.png)\n\n", self.read("docs/performance.md"))

    def test_two_machines(self):
        shutil.copytree(os.path.join(self.root, "perf/results/gpu"), os.path.join(self.root, "perf/results/other"))
        self.write("perf/results/other/longwave.json",
                   report(longwave(**{"columns/s": 5.5e6}), GPU.replace("TEST", "OTHER"), "unknown"))
        self.settings["devices"].append({"folder": "other", "revision": "def"})
        self.write("perf/performance_page.json", self.settings)
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.read("docs/performance.md")
        self.assertIn("- [NVIDIA OTHER](../perf/results/other/), revision def", page)
        self.assertIn("| NVIDIA TEST, float | NVIDIA TEST, double | NVIDIA OTHER, float | NVIDIA OTHER, double |", page)
        self.assertIn("| 4.28 (3.5 %) | 2.46 (3.5 %) | 5.50 (3.5 %) | 5.50 (3.5 %) | million columns/s |", page)

    def test_host_of_a_device(self):
        # One thread of a program that was built for a GPU.
        self.write("perf/results/core/longwave.json", report(longwave("OpenMP", 4096, cpu_time=64.0), GPU + CORE))
        self.assertEqual(self.run_script().returncode, 0)
        page = self.read("docs/performance.md")
        self.assertIn("- [A core](../perf/results/core/), one thread, revision abc, GCC 13.3.0: ", page)
        self.assertIn("| 64.0, 64.0 | 11 |", page)

    def test_refusals(self):
        self.write("perf/results/gpu/shortwave.json", report([], revision="other"))
        self.assertIn("parhelion_revision other, and abc in the reports beside it", self.refusal().replace("\n", " "))
        self.write("perf/results/gpu/shortwave.json", report([{**longwave()[0], "error_occurred": True,
                                                               "error_message": "a flux is not finite"}]))
        self.assertIn("a flux is not finite", self.refusal())
        self.write("perf/results/gpu/shortwave.json", "{")
        self.assertIn("shortwave.json", self.refusal())
        os.remove(os.path.join(self.root, "perf/results/gpu/shortwave.json"))
        self.write("perf/results/core/longwave.json", report(longwave("OpenMP"), CORE.replace("1 x 1 x", "1 x 4 x")))
        self.assertIn("core: reports of several threads, expected of one", self.refusal())
        self.write("perf/results/core/longwave.json", report(longwave("OpenMP"), CORE))
        self.write("perf/performance_page.md", "{{nonsense}}\n")
        self.assertIn("no section nonsense", self.refusal())
        self.write("perf/performance_page.md", "- a\n" * 130)
        self.assertIn("the page has 130 lines, expected at most 120", self.refusal())
        self.write("perf/performance_page.md", TEMPLATE)
        self.settings["devices"][0]["revision"] = "def"
        self.write("perf/performance_page.json", self.settings)
        self.assertIn("names revision def, and the reports name abc", self.refusal())
        self.assertFalse(os.path.exists(os.path.join(self.root, "docs/performance.md")))


if __name__ == "__main__":
    unittest.main()
