#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests cores.py with a program whose rates are known."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cores.py")

# 100 columns/s for one thread on the first core and 140 on another, 180 for two threads. It must be bound to the cores
# that its places name.
PROGRAM = """#!{python}
import json, os
threads = int(os.environ["OMP_NUM_THREADS"])
cores = {{int(place) for place in os.environ["OMP_PLACES"].replace("{{", "").replace("}}", "").split(",")}}
bound = os.sched_getaffinity(0) == cores and len(cores) == threads
rate = 180 if threads == 2 else 100 if cores == {{{first}}} else 140
run = dict(name="longwave", **{{"columns/s": rate}})
print(json.dumps(dict(benchmarks=[run] * {number} if bound else [])))
"""


class Cores(unittest.TestCase):
    def setUp(self):
        self.cores = sorted(os.sched_getaffinity(0))[:2]
        if len(self.cores) < 2:
            self.skipTest("this machine lets the test use one core only")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = os.path.join(folder.name, "program")

    def write(self, number=1):
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(python=sys.executable, first=self.cores[0], number=number))
        os.chmod(self.program, 0o755)

    def run_script(self, cores=None):
        cores = cores or ",".join(map(str, self.cores))
        return subprocess.run([sys.executable, SCRIPT, self.program, "longwave", "--cores", cores, "--rounds", "2"],
                              capture_output=True, text=True, check=False)

    def test_compares_with_the_mean_of_the_cores(self):
        self.write()
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("threads on 2 cores: 1.500 times one core (1.500 to 1.500)", result.stdout)
        self.assertIn("programs on 2 cores: 2.000 times one core", result.stdout)

    def test_refuses_what_it_cannot_compare(self):
        for number, found in ((2, "selects 2 benchmarks"), (0, "selects 0 benchmarks")):
            self.write(number)
            result = self.run_script()
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(found, result.stderr)
        for cores in (str(self.cores[0]), f"{self.cores[0]},{self.cores[0]}", f"{self.cores[0]},99999", "a,b"):
            result = self.run_script(cores)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("expected two or more of", result.stderr)
        os.remove(self.program)
        result = self.run_script()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("No such file", result.stderr)


if __name__ == "__main__":
    unittest.main()
