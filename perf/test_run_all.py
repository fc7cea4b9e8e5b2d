#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests run_all.sh on programs that write what they are told to."""
import json
import os
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_all.sh")
GOOD = '{"context": {"parhelion_revision": "unknown"}, "benchmarks": [{"run_name": "a"}]}'
PROGRAM = """#!/bin/bash
for word in "$@"; do [[ $word == --benchmark_out=* ]] && out=${word#*=}; done
"""


class RunAll(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin, self.out = (os.path.join(folder.name, name) for name in ("bin", "out"))
        os.mkdir(self.bin)
        for name in ("longwave", "shortwave", "k_distributions", "clear_sky", "scattering", "ega", "monte_carlo",
                     "c_interface"):
            self.program(name, f"echo '{GOOD}' > \"$out\"")

    def program(self, name, does):
        path = os.path.join(self.bin, f"perf_{name}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM + does + "\n")
        os.chmod(path, 0o755)

    def run_script(self, *arguments, **environment):
        return subprocess.run([SCRIPT, self.bin, self.out, *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, **environment})

    def test_all(self):
        done = self.run_script(PARHELION_REVISION="abc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.out)), sorted(f"{name}.json" for name in (
            "longwave", "longwave_growth", "shortwave", "shortwave_growth", "k_distributions", "k_distributions_growth",
            "clear_sky", "scattering", "ega", "monte_carlo", "c_interface")))
        with open(os.path.join(self.out, "ega.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["context"]["parhelion_revision"], "abc")

    def test_failures_do_not_end_it(self):
        self.program("longwave", f"echo '{GOOD}' > \"$out\"; echo 'no device' >&2; exit 3")
        self.program("shortwave", "echo '{}' > \"$out\"")
        self.program("clear_sky", 'echo \'{"run_name": "a",\n"error_occurred": true,\n"error_message": "not finite"}\' '
                                  '> "$out"')
        self.program("ega", f"echo '{GOOD}' > \"$out\"; echo 'perf_ega: no tables' >&2")
        self.program("monte_carlo", "sleep 60")
        os.remove(os.path.join(self.bin, "perf_scattering"))
        done = self.run_script("Cuda", "longwave", "shortwave", "clear_sky", "scattering", "ega", "monte_carlo",
                               "k_distributions", "nonsense", PARHELION_PERF_TIMEOUT="1")
        self.assertEqual(done.returncode, 1)
        failures = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
        for expected, line in zip(("longwave: perf_longwave ended with status 3", "shortwave: perf_shortwave measured",
                                   "clear_sky: a benchmark of perf_clear_sky failed", "scattering: no program",
                                   "ega: some benchmarks were left out", "monte_carlo: perf_monte_carlo ended with "
                                   "status 124", "nonsense: no run of this name"), failures, strict=True):
            self.assertIn(expected, line)
        for message in ("no device", "not finite", "perf_ega: no tables"):
            self.assertIn(message, done.stderr)
        # Reports are there where they are whole.
        self.assertEqual(sorted(name for name in os.listdir(self.out) if name.endswith(".json")),
                         ["ega.json", "k_distributions.json"])

    def test_old_reports_go(self):
        self.assertEqual(self.run_script("Cuda", "ega").returncode, 0)
        self.program("ega", "exit 1")
        self.assertEqual(self.run_script("Cuda", "ega").returncode, 1)
        self.assertNotIn("ega.json", os.listdir(self.out))

    def test_usage(self):
        self.assertEqual(self.run_script("Fast").returncode, 2)
        self.assertEqual(subprocess.run([SCRIPT], capture_output=True, check=False).returncode, 2)
        done = subprocess.run([SCRIPT, "--commands", "OpenMP", "ega"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 1))
        self.assertTrue(done.stdout.startswith("perf_ega --benchmark_filter='^ega/OpenMP/"))


if __name__ == "__main__":
    unittest.main()
