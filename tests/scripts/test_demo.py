#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/demo.sh makes of the data that are there, that it is told to fetch, or that it cannot have. Building,
computing and drawing are stood in for by scripts that write down how they were called."""
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

from scripts_testing import COEFFICIENTS, RFMIP, SCRIPTS, SHORTWAVE, copy_get_data, environment, put, server, skip_without

CONTENTS = {COEFFICIENTS: b"coefficients", SHORTWAVE: b"shortwave coefficients", RFMIP: b"atmospheres"}
RECORD = '#!/bin/sh\necho "$(basename "$0") $*" >> "$RECORD"\n'


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.home = self.root / "home"
        self.data = self.home / ".local/share/parhelion"
        self.clone = self.root / "clone"
        for path in (self.home, self.clone / "scripts", self.clone / "build/bin"):
            path.mkdir(parents=True)
        shutil.copy(SCRIPTS / "demo.sh", self.clone / "scripts")
        copy_get_data(self.clone / "scripts/get-data.sh", CONTENTS)
        for name in ("scripts/setup.sh", "scripts/python.sh", "build/bin/parhelion"):
            (self.clone / name).write_text(RECORD, encoding="utf-8")
            (self.clone / name).chmod(0o755)

    def demo(self, *arguments, mirror="http://127.0.0.1:9", terminal_says=None, **more):
        """Runs the demo, on a terminal where there is an answer; gives its status, output and what it ran."""
        record = self.root / "record"
        record.write_text("", encoding="utf-8")
        ours = environment(self.home, mirror, RECORD=str(record), **more)
        command = [self.clone / "scripts/demo.sh", *arguments]
        if terminal_says is None:
            outcome = subprocess.run(command, env=ours, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                     timeout=120, check=False)
            status, output = outcome.returncode, outcome.stdout + outcome.stderr
        else:
            controller, terminal = pty.openpty()
            with subprocess.Popen(command, env=ours, stdin=terminal, stdout=terminal, stderr=terminal) as running:
                os.close(terminal)
                os.write(controller, terminal_says.encode())
                output = ""
                try:
                    while chunk := os.read(controller, 4096):
                        output += chunk.decode()
                except OSError:  # the other end is closed
                    pass
                status = running.wait(timeout=120)
            os.close(controller)
        self.assertEqual(status, 0, output)
        return output.replace("\r", ""), record.read_text(encoding="utf-8")

    def put_data(self, *names):
        self.data.mkdir(parents=True, exist_ok=True)
        for name in names:
            (self.data / name).write_bytes(CONTENTS[name])

    def expect_simple_only(self, output, ran):
        self.assertIn("RRTMG_LW was not run: the simple spectral model, which needs no data, computed all fluxes here.", output)
        self.assertIn("scripts/get-data.sh fetches the data for it.", output)
        self.assertIn("There is no rfmip_atmospheres.nc, so the atmospheres of RFMIP were left out.", output)
        self.assertIn("parhelion fluxes demo/analytic.nc -o demo/analytic_fluxes.nc --gas-optics simple\n", ran)
        self.assertNotIn("rrtmg", ran)

    def expect_rrtmg(self, output, ran):
        self.assertIn(f"parhelion fluxes {self.data / RFMIP} -o demo/rfmip_fluxes.nc --gas-optics rrtmg "
                      f"--coefficients {self.data / COEFFICIENTS}\n", ran)
        self.assertNotIn("There is no", output)
        self.assertNotIn("was not run", output)

    def test_without_data_and_terminal_the_simple_model_runs(self):
        output, ran = self.demo()
        self.expect_simple_only(output, ran)
        self.assertNotIn("Fetch", output)

    def test_fetched_data_are_found(self):
        self.put_data(*CONTENTS)
        output, ran = self.demo()
        self.expect_rrtmg(output, ran)

    def test_data_of_the_variable_come_first(self):
        self.put_data(*CONTENTS)
        folder = self.root / "own"
        folder.mkdir()
        (folder / RFMIP).write_bytes(b"x")
        _, ran = self.demo(PARHELION_DATA=str(folder))
        self.assertIn(f"parhelion fluxes {folder / RFMIP} ", ran)

    def test_rfmip_without_coefficients(self):
        self.put_data(RFMIP)
        output, ran = self.demo()
        self.assertIn("RRTMG_LW was not run", output)
        self.assertIn(f"parhelion fluxes {self.data / RFMIP} -o demo/rfmip_fluxes.nc --gas-optics simple\n", ran)

    def test_fetches_when_told(self):
        put(self.root / "web", CONTENTS)
        with server(self.root / "web") as (mirror, _):
            output, ran = self.demo("--get-data", mirror=mirror)
        self.assertIn("doi:10.5194/gmd-9-3447-2016", output)
        self.expect_rrtmg(output, ran)

    def test_fetches_when_the_terminal_agrees(self):
        put(self.root / "web", CONTENTS)
        with server(self.root / "web") as (mirror, _):
            output, ran = self.demo(mirror=mirror, terminal_says="\n")
        self.assertIn(f"Fetch them from GitHub into {self.data}? [Y/n]", output)
        self.expect_rrtmg(output, ran)

    def test_fetches_nothing_when_the_terminal_does_not(self):
        put(self.root / "web", CONTENTS)
        for answer in ("n\n", "\x04"):  # the second is the end of the input
            with self.subTest(answer), server(self.root / "web") as (mirror, asked):
                output, ran = self.demo(mirror=mirror, terminal_says=answer)
                self.assertEqual(asked, [])
                self.expect_simple_only(output, ran)

    def test_asks_nobody_when_told_not_to_fetch(self):
        output, ran = self.demo("--no-data", terminal_says="")
        self.assertNotIn("[Y/n]", output)
        self.expect_simple_only(output, ran)

    def test_no_network(self):
        output, ran = self.demo("--get-data")
        self.assertIn("http://127.0.0.1:9 cannot be reached: is there a network?", output)
        self.assertIn("Not all data could be fetched (see above); try again with scripts/get-data.sh.", output)
        self.expect_simple_only(output, ran)


if __name__ == "__main__":
    skip_without("curl")
    unittest.main()
