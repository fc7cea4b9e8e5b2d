#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The judge of spoiled inputs, shown programs that misbehave."""
import os
import signal
import tempfile
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

import judge

REFUSAL = "echo 'parhelion: in.nc: no such file' >&2; exit 1"


class Judge(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        self.good = self.folder / "good"
        with h5py.File(self.good, "w") as file:
            file["rad_up"] = np.ones(3)
            file.attrs["title"] = "a result"
        (self.folder / "in.nc").write_bytes(b"an input")

    def tearDown(self):
        self.scratch.cleanup()

    def problem(self, script, command=("adding", "in.nc", "-o", "out.nc"), timeout=10, memory=0):
        before = judge.snapshot(self.folder)
        outcome = judge.run(["sh", "-c", script], self.folder, timeout, memory)
        return judge.problem_of(outcome, before, judge.snapshot(self.folder), self.folder, list(command)) or ""

    def result(self, **values):
        """What is wrong with a result that holds these values."""
        with h5py.File(self.good, "w") as file:
            for name, value in values.items():
                file[name] = value
        return self.problem("cp good out.nc")

    def test_success_and_refusal_are_good(self):
        self.assertEqual(self.problem("cp good out.nc"), "")
        (self.folder / "out.nc").unlink()
        self.assertEqual(self.problem(REFUSAL), "")
        self.assertEqual(self.problem("echo 'parhelion: --x: bad' >&2; echo \"Try 'parhelion --help'.\" >&2; exit 2"), "")

    def test_ends_that_are_none(self):
        self.assertIn("signal 11", self.problem("kill -SEGV $$"))
        self.assertIn("time-out", self.problem("sleep 100", timeout=0.2))
        self.assertIn("exit status 3", self.problem("exit 3"))
        self.assertIn("exit status 139", self.problem("exit 139"))

    def test_messages(self):
        for script, problem in (("exit 1", "0 lines"), ("echo word >&2; exit 1", "does not begin"),
                                ("echo 'parhelion: std::bad_alloc' >&2; exit 1", "of the inside"),
                                ("echo 'parhelion: vector::_M_default_append' >&2; exit 1", "of the inside"),
                                ("echo 'parhelion: a' >&2; echo b >&2; exit 1", "2 lines"),
                                ("echo 'parhelion: a' >&2; exit 2", "1 lines"),
                                ("printf 'parhelion: a\\033[31m\\n' >&2; exit 1", "control characters"),
                                ("printf 'parhelion: a' >&2; exit 1", "end of line"),
                                ("echo 'x.cpp:3: runtime error: y' >&2; exit 0", "runtime error"),
                                ("cp good out.nc; echo news >&2", "words on standard error")):
            self.assertIn(problem, self.problem(script), script)

    def test_files(self):
        self.assertIn("files left", self.problem("touch out.nc; " + REFUSAL))
        self.assertIn("files left", self.problem("echo >> in.nc; " + REFUSAL))
        self.assertIn("temporary", self.problem("cp good out.nc; touch .parhelion-1-1.tmp"))
        self.assertIn("input was changed", self.problem("cp good out.nc; echo >> in.nc"))
        for name in ("out.nc", ".parhelion-1-1.tmp"):
            (self.folder / name).unlink()
        self.assertIn("without the result", self.problem("true"))

    def test_results(self):
        self.assertEqual(self.result(rad_up=[1.0], heating_rate=[-1.0]), "")
        self.assertIn("not finite", self.result(rad_up=[np.nan]))
        self.assertIn("not finite", self.result(heating_rate=[np.inf]))
        self.assertIn("negative", self.result(rad_up=[-1.0]))
        self.assertIn("above 1", self.result(transmittance=[1.5]))
        self.assertIn("no latitude", self.result(lat=[95.0]))
        self.assertIn("not UTF-8", self.result(label=np.array([b"\xff"])))
        self.assertIn("cannot be read", self.problem("head -c 300 good > out.nc"))
        self.assertIn("in the summary", self.problem("cp good out.nc; echo mean nan"))

    def test_black_bodies(self):
        with h5py.File(self.folder / "in.nc", "w") as file:
            file["tlev"] = [300.0]
        with h5py.File(self.good, "w") as file:
            file["flux_up"] = [700.0]
        self.assertIn("black body", self.problem("cp good out.nc", ("fluxes", "in.nc", "-o", "out.nc")))

    def test_calls_in_children(self):
        self.assertEqual(judge.in_a_child(10, max, 1, 2), 2)
        with self.assertRaisesRegex(RuntimeError, "ZeroDivisionError"):
            judge.in_a_child(10, divmod, 1, 0)
        with self.assertRaisesRegex(judge.Lost, "signal 9"):
            judge.in_a_child(10, lambda: os.kill(os.getpid(), signal.SIGKILL))
        with self.assertRaisesRegex(judge.Lost, f"signal {int(signal.SIGALRM)}"):
            judge.in_a_child(1, time.sleep, 60)


if __name__ == "__main__":
    unittest.main()
