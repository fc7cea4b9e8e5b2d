#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads, and the beginning and end of processes."""
import concurrent.futures
import threading
import time

import parhelion
from python_testing import SIMPLE, SOURCE, Case, columns, main, python

SOLVE = f"""
import sys
sys.path.insert(0, {str(SOURCE / "tests/interop/python")!r})
from python_testing import SIMPLE, columns
import parhelion
"""


class Threads(Case):
    def test_an_object_for_each_thread(self):
        values = columns(200, 40)
        expected = parhelion.longwave(**values, **SIMPLE)

        def work(_):
            with parhelion.Longwave(nlay=40, **SIMPLE) as solver:
                return [solver.solve(**values) for _ in range(5)]
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            for results in threads.map(work, range(4)):
                for result in results:
                    self.assert_same_results(result, expected)

    def test_python_runs_during_a_solve(self):
        """Another thread counts while this one solves; it could not if the interpreter's lock were held."""
        solver = parhelion.Longwave(nlay=60, **SIMPLE)
        ncol, seconds = 500, 0.
        while seconds < 0.05 and ncol < 500000:
            ncol *= 2
            values = columns(ncol, 60)
            begin = time.perf_counter()
            solver.solve(**values)
            seconds = time.perf_counter() - begin
        begun, done, count = threading.Event(), threading.Event(), 0

        def solve():
            begun.set()
            solver.solve(**values)
            done.set()
        thread = threading.Thread(target=solve)
        thread.start()
        begun.wait()
        while not done.is_set():
            time.sleep(0.001)
            count += 1
        thread.join()
        self.assertGreater(count, 5)

    def test_one_object_in_two_threads(self):
        values = columns(2000, 60)
        solver = parhelion.Longwave(nlay=60, **SIMPLE)
        expected = solver.solve(**values)
        refused, results = [], []

        def solve():
            """Until the other thread has met a call; either may be the one that is refused."""
            for _ in range(1000):
                try:
                    results[:] = [solver.solve(**values)]
                except RuntimeError as error:
                    self.assertIn("in use by another thread", str(error))
                if refused:
                    break
        thread = threading.Thread(target=solve)
        thread.start()
        while thread.is_alive():
            try:
                solver.bytes()
            except RuntimeError as error:
                refused.append(str(error))
        thread.join()
        for result in results:
            self.assert_same_results(result, expected)
        self.assertTrue(refused)
        self.assertIn("in use by another thread", refused[0])
        self.assert_same_results(solver.solve(**values), expected)


class Processes(Case):
    def expect(self, text, output="", **environment):
        status, out, err = python(text, **environment)
        self.assertEqual((status, out.strip(), err), (0, output, ""))

    def test_import_leaves_no_message(self):
        self.expect("import parhelion")

    def test_solve_and_exit_leave_no_message(self):
        self.expect(SOLVE + "print(parhelion.longwave(**columns(), **SIMPLE).flux_up.shape)", "(5, 13)")

    def test_object_that_outlives_kokkos(self):
        self.expect(SOLVE + "import builtins\n"
                    "builtins.keep = parhelion.Longwave(nlay=12, **SIMPLE)\n"
                    "keep.solve(**columns())")

    def test_call_after_the_end(self):
        self.expect(SOLVE + "solver = parhelion.Longwave(nlay=12, **SIMPLE)\n"
                    "parhelion._core.finalize()\n"
                    "for call in (lambda: solver.solve(**columns()), lambda: parhelion.Longwave(nlay=12, **SIMPLE)):\n"
                    "    try:\n"
                    "        call()\n"
                    "    except RuntimeError as error:\n"
                    "        print('RuntimeError', 'finalized' in str(error))\n"
                    "solver.close()", "RuntimeError True\nRuntimeError True")

    def test_initialize(self):
        self.expect(SOLVE + "parhelion.initialize(threads=1)\n"
                    "parhelion.initialize()\n"
                    "print(parhelion.longwave(**columns(), **SIMPLE).flux_up.shape)", "(5, 13)")

    def test_fork(self):
        """Threads are not there in a process that is forked: a call would wait for them without end."""
        fork = ("import os, signal, warnings\n"
                "warnings.simplefilter('ignore')\n"  # of Python itself, from 3.12 on, about the same
                "def child():\n"
                "    signal.alarm(60)\n"
                "    try:\n"
                "        print(parhelion.longwave(**columns(), **SIMPLE).flux_up.shape, flush=True)\n"
                "    except RuntimeError as error:\n"
                "        print('spawn' in str(error), flush=True)\n"
                "    os._exit(0)\n"
                "def fork():\n"
                "    number = os.fork() or child()\n"
                "    print(os.waitpid(number, 0)[1], flush=True)\n")
        solve = "parhelion.longwave(**columns(), **SIMPLE)\n"
        self.expect(SOLVE + fork + "fork()\n" + solve + "fork()", "(5, 13)\n0\nTrue\n0", OMP_NUM_THREADS="2")
        self.expect(SOLVE + fork + solve + "fork()", "(5, 13)\n0", OMP_NUM_THREADS="1")
        self.expect(SOLVE + fork + "parhelion.initialize(threads=1)\n" + solve + "fork()", "(5, 13)\n0",
                    OMP_NUM_THREADS="2")

    def test_bad_settings(self):
        for call, kind in (("device='fast'", "ValueError"), ("device=-1", "ValueError"), ("device=1.5", "TypeError"),
                           ("threads=0", "ValueError"), ("threads='2'", "TypeError"), ("threads=2**40", "ValueError"),
                           ("device=100000", "RuntimeError")):
            self.expect("import parhelion\ntry:\n    parhelion.initialize(" + call + ")\n"
                        "except Exception as error:\n    print(type(error).__name__)", kind)

    def test_exception_ends_quietly(self):
        status, _, err = python(SOLVE + "parhelion.longwave(**{**columns(), 'temperature_sfc': -1.}, **SIMPLE)")
        self.assertEqual(status, 1)
        self.assertIn("ValueError", err.splitlines()[-1])

    def test_processes_that_this_python_starts(self):
        self.expect("import subprocess, sys\n"
                    "text = 'import parhelion; print(parhelion.__version__)'\n"
                    "subprocess.run([sys.executable, '-c', text], check=True)", parhelion.__version__)


if __name__ == "__main__":
    main()
