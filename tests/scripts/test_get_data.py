#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/get-data.sh against a server on this machine: what it fetches, and how it fails."""
import hashlib
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

from scripts_testing import (COEFFICIENTS, PATHS, RFMIP, SCRIPTS, SHORTWAVE, copy_get_data, environment, put, server,
                             skip_without)

CONTENTS = {COEFFICIENTS: b"coefficients", SHORTWAVE: b"shortwave coefficients", RFMIP: b"atmospheres" * 1000}


class GetData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.home = self.root / "home"
        self.home.mkdir()
        self.data = self.home / ".local/share/parhelion"
        self.script = self.root / "get-data.sh"
        copy_get_data(self.script, CONTENTS)

    def get(self, mirror, *sets, **more):
        return subprocess.run([self.script, *sets], env=environment(self.home, mirror, **more), capture_output=True, text=True,
                              timeout=120, check=False)

    def names(self):
        return sorted(path.name for path in self.data.iterdir())

    def test_fetches_all_and_says_licence_and_citation(self):
        put(self.root / "web", CONTENTS)
        with server(self.root / "web") as (mirror, asked):
            outcome = self.get(mirror)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertEqual(asked, list(PATHS.values()))
        self.assertEqual(self.names(), sorted(CONTENTS))
        for name, content in CONTENTS.items():
            self.assertEqual((self.data / name).read_bytes(), content)
            self.assertEqual((self.data / name).stat().st_mode & 0o777, 0o644)
            self.assertIn(f"written to {self.data / name}", outcome.stdout)
        for words in ("BSD 3-Clause", "10.1029/97JD00237", "10.1029/2008JD009944", "ShareAlike 4.0", "10.5194/gmd-9-3447-2016"):
            self.assertIn(words, outcome.stdout)

    def test_the_usual_set_has_a_name(self):
        put(self.root / "web", CONTENTS)
        with server(self.root / "web") as (mirror, asked):
            outcome = self.get(mirror, "rrtmg")
        self.assertEqual((outcome.returncode, asked), (0, list(PATHS.values())))

    def test_second_run_asks_nobody(self):
        put(self.root / "web", CONTENTS)
        with server(self.root / "web") as (mirror, asked):
            self.get(mirror)
            before = {path: path.stat().st_mtime_ns for path in self.data.iterdir()}
            del asked[:]
            outcome = self.get(mirror)
        self.assertEqual((outcome.returncode, asked), (0, []))
        self.assertEqual(outcome.stdout.count("is there already"), 3)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in self.data.iterdir()})

    def test_goes_where_xdg_says(self):
        put(self.root / "web", CONTENTS)
        with server(self.root / "web") as (mirror, _):
            outcome = self.get(mirror, XDG_DATA_HOME=str(self.root / "xdg data"))
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual((self.root / "xdg data/parhelion" / RFMIP).read_bytes(), CONTENTS[RFMIP])
        self.assertFalse(self.data.exists())

    def test_wrong_content_is_not_kept(self):
        put(self.root / "web", {**CONTENTS, COEFFICIENTS: b"coefficientz"})
        with server(self.root / "web") as (mirror, _):
            outcome = self.get(mirror)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn(f"{COEFFICIENTS}: {mirror}/{PATHS[COEFFICIENTS]} has the SHA-256 "
                      f"{hashlib.sha256(b'coefficientz').hexdigest()}, expected "
                      f"{hashlib.sha256(b'coefficients').hexdigest()}: not kept", outcome.stderr)
        self.assertEqual(self.names(), [SHORTWAVE, RFMIP])

    def test_what_is_not_on_the_server(self):
        put(self.root / "web", {name: content for name, content in CONTENTS.items() if name != RFMIP})
        with server(self.root / "web") as (mirror, _):
            outcome = self.get(mirror)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn(f"get-data.sh: {RFMIP}: {mirror}/{PATHS[RFMIP]} is not there", outcome.stderr)
        self.assertEqual(self.names(), [COEFFICIENTS, SHORTWAVE])

    def test_no_network(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # nobody listens there
            mirror = f"http://127.0.0.1:{unused.getsockname()[1]}"
            outcome = self.get(mirror)
        self.assertEqual(outcome.returncode, 1)
        self.assertEqual(outcome.stderr.count(f"{mirror} cannot be reached: is there a network?"), 3)
        self.assertEqual(self.names(), [])

    def test_no_such_host(self):
        outcome = self.get("http://no-such-host.invalid")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("http://no-such-host.invalid cannot be reached", outcome.stderr)

    def test_another_file_of_that_name_is_left_alone(self):
        self.data.mkdir(parents=True)
        (self.data / COEFFICIENTS).write_bytes(b"the user's own")
        put(self.root / "web", CONTENTS)
        with server(self.root / "web") as (mirror, asked):
            outcome = self.get(mirror)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn(f"{self.data / COEFFICIENTS} is another file than the one expected, and is left alone", outcome.stderr)
        self.assertEqual((self.data / COEFFICIENTS).read_bytes(), b"the user's own")
        self.assertEqual(asked, [PATHS[SHORTWAVE], PATHS[RFMIP]])
        self.assertEqual(self.names(), sorted(CONTENTS))

    def test_sets_of_other_models(self):
        """Definitions of ecCKD by their SHA-256, and files of RRTMGP, of which two have a git blob id alone."""
        text = self.script.read_text(encoding="utf-8")
        ecckd = re.findall(r"for_ecrad (\S+) [0-9a-f]{64}$", text, re.MULTILINE)
        rrtmgp = re.findall(r"of_rrtmgp (\S+) ([0-9a-f]{40,64})$", text, re.MULTILINE)
        self.assertEqual((len(ecckd), len(rrtmgp)), (5, 12))
        web = self.root / "web"
        homes = {name: re.search(rf"{name}=(\S+)", text)[1] for name in ("data_of_ecrad", "data_of_rrtmgp")}
        for home in homes.values():
            self.assertRegex(home, r"^[\w-]+/[\w-]+/[0-9a-f]{40}")
            (web / home).mkdir(parents=True)
        for name in ecckd:
            (web / homes["data_of_ecrad"] / f"{name}_ckd-definition.nc").write_bytes(b"definition")
        for name, _ in rrtmgp:
            (web / homes["data_of_rrtmgp"] / name).write_bytes(b"optics")
        text = re.sub(r"(for_ecrad \S+) [0-9a-f]{64}", rf"\1 {hashlib.sha256(b'definition').hexdigest()}", text)
        text = re.sub(r"(of_rrtmgp \S+) [0-9a-f]{64}", rf"\1 {hashlib.sha256(b'optics').hexdigest()}", text)
        blob = hashlib.sha1(b"blob 6\0optics").hexdigest()
        self.script.write_text(re.sub(r"(of_rrtmgp \S+) [0-9a-f]{40}$", rf"\1 {blob}", text, flags=re.MULTILINE),
                               encoding="utf-8")
        with server(web) as (mirror, _):
            outcome = self.get(mirror, "ecckd", "rrtmgp")
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertEqual(self.names(), sorted([f"{name}_ckd-definition.nc" for name in ecckd] +
                                              [name for name, _ in rrtmgp]))
        (web / homes["data_of_rrtmgp"] / "rrtmgp-gas-lw-g256.nc").write_bytes(b"others")
        (self.data / "rrtmgp-gas-lw-g256.nc").unlink()
        with server(web) as (mirror, _):
            outcome = self.get(mirror, "rrtmgp")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn(f"has the git blob id {hashlib.sha1(b'blob 6' + bytes(1) + b'others').hexdigest()}, expected {blob}",
                      outcome.stderr)
        self.assertEqual(self.get(mirror, "rrtmgq").returncode, 2)

    def test_set_of_fluxes_to_compare_with(self):
        text = self.script.read_text(encoding="utf-8")
        web, names = self.root / "web", []
        for function, home, name_of in (
                ("of_ckdmip", re.search(r"ckdmip_of_ecrad=(\S+)", text)[1], "ckdmip_evaluation1_{}_present_reduced.nc"),
                ("of_rfmip", "".join(re.search(r"fluxes_of_rte=(\S+)\$\(\s+\)(\S+)", text).groups()),
                 "{}_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc")):
            self.assertRegex(home, r"^[\w-]+/[\w-]+/[0-9a-f]{40}/")
            (web / home).mkdir(parents=True)
            for short in re.findall(rf"{function} (\w+) [0-9a-f]{{64}}$", text, re.MULTILINE):
                names.append(name_of.format(short))
                (web / home / names[-1]).write_bytes(b"fluxes")
            text = re.sub(rf"({function} \w+) [0-9a-f]{{64}}", rf"\1 {hashlib.sha256(b'fluxes').hexdigest()}", text)
        self.assertEqual(len(names), 7)
        self.script.write_text(text, encoding="utf-8")
        with server(web) as (mirror, _):
            outcome = self.get(mirror, "truth")
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertEqual(self.names(), sorted(names))
        self.assertIn("10.5194/gmd-13-6501-2020", outcome.stdout)

    def test_homes_are_public_ones_at_fixed_commits(self):
        text = (SCRIPTS / "get-data.sh").read_text(encoding="utf-8")
        self.assertIn("mirror=${PARHELION_DATA_MIRROR:-https://raw.githubusercontent.com}", text)
        for path in PATHS.values():
            self.assertRegex(path, r"^[\w-]+/[\w-]+/[0-9a-f]{40}/")

    def test_sums_are_those_of_the_reference_data(self):
        folder = pathlib.Path(os.environ.get("PARHELION_TEST_DATA") or os.environ.get("PARHELION_REFERENCE_DATA") or "/nonexistent")
        text = (SCRIPTS / "get-data.sh").read_text(encoding="utf-8")
        for name, path in ((COEFFICIENTS, folder / "rrtmg_lw" / COEFFICIENTS),
                           (SHORTWAVE, folder / "rrtmg_lw" / SHORTWAVE), (RFMIP, folder / "rfmip" / RFMIP)):
            with self.subTest(name):
                if not path.is_file():
                    self.skipTest(f"there is no {path}")
                expected = re.search(rf"get {re.escape(name)} ([0-9a-f]{{64}})", text)[1]
                self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), expected)
        others = {folder / f"ecckd/original/{name}_ckd-definition.nc": expected
                  for name, expected in re.findall(r"for_ecrad (\S+) ([0-9a-f]{64})", text)}
        others |= {folder / "rrtmgp" / name: expected
                   for name, expected in re.findall(r"of_rrtmgp (\S+) ([0-9a-f]{64})", text)}
        # Those of CKDMIP are converted there.
        others |= {folder / f"rrtmgp/published/{name}_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc": expected
                   for name, expected in re.findall(r"of_rfmip (\w+) ([0-9a-f]{64})", text)}
        for path, expected in others.items():
            if path.is_file():  # RRTMGP's gas optics are nowhere among the reference data
                self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), expected, path)


if __name__ == "__main__":
    skip_without("curl")
    unittest.main()
