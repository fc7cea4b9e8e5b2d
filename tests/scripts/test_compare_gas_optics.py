#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/compare_gas_optics.py makes of fluxes whose errors are known, of reports of benchmarks, and, where the
reference data are there, of CKDMIP's fluxes."""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

SCRIPTS = pathlib.Path(os.environ["PARHELION_SCRIPTS"])
PROGRAM = os.environ["PARHELION_PROGRAM"]
DATA = pathlib.Path(os.environ.get("PARHELION_REFERENCE_DATA", ""))
sys.path.append(str(SCRIPTS))
specification = importlib.util.spec_from_file_location("compare_gas_optics", SCRIPTS / "compare_gas_optics.py")
compare = importlib.util.module_from_spec(specification)
sys.modules["compare_gas_optics"] = compare  # dataclasses look there
specification.loader.exec_module(compare)

LEVELS = np.array([0.0, 1e3, 1e4, 3e4, 6e4, 1e5])
SUNS = np.array([0.2, 0.6])


def write(path, **variables):
    """A file of variables (values, units)."""
    with h5py.File(path, "w") as file:
        for name, (values, units) in variables.items():
            file[name] = values
            file[name].attrs["units"] = np.bytes_(units)  # which netCDF-3 has, too


class Comparison(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def script(self, *arguments, data="/nonexistent"):
        """Runs the script where coefficients are those of a folder; gives its status, output and messages."""
        ours = {key: value for key, value in os.environ.items() if key not in ("PARHELION_DATA", "XDG_DATA_HOME")}
        ours.update(HOME=str(self.folder), PARHELION_DATA=str(data))
        command = [sys.executable, SCRIPTS / "compare_gas_optics.py", "--program", PROGRAM, "-o",
                   self.folder / "plot.png", *arguments]
        done = subprocess.run(command, env=ours, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    # --- figures -----------------------------------------------------------------------------------------------------

    def test_heating_rates(self):
        # 1 W m-2 that stays in 100 hPa of air.
        down = np.array([[5.0, 4.0, 4.0]])
        rates = compare.heating_rates(np.zeros((1, 3)), down, np.array([[0.0, 1e4, 2e4]]))
        np.testing.assert_allclose(rates, [[9.80665 / 1004 * 86400 / 1e4, 0]], rtol=1e-12)

    def test_errors_of_known_fluxes(self):
        truth = compare.Truth.__new__(compare.Truth)
        truth.pressure = np.array([[1.0, 200.0, 1e3, 1e5], [1.0, 200.0, 1e3, 1e5]])
        truth.up, truth.down = np.full((2, 4), 200.0), np.full((2, 4), 300.0)
        up, down = truth.up.copy(), truth.down.copy()
        up[:, 0] += [1, -3]
        down[:, -1] += [0, 4]
        errors = compare.errors_of(up, down, truth)
        self.assertAlmostEqual(errors.bias[compare.TOP], -1)
        self.assertAlmostEqual(errors.rms[compare.TOP], np.sqrt(5))
        self.assertAlmostEqual(errors.bias[compare.SURFACE], 2)
        self.assertAlmostEqual(errors.rms[compare.SURFACE], np.sqrt(8))
        # The highest layer has what is missing at the top, the lowest one what is more at the surface.
        per_day = 9.80665 / 1004 * 86400
        high, low = per_day * np.sqrt(5) / 199, per_day * np.sqrt(8) / 9.9e4
        np.testing.assert_allclose(errors.profile, [high, 0, low], rtol=1e-9, atol=1e-12)
        # Of the pressures from 2 to 400 Pa the highest layer has those to 200.
        share = (np.cbrt(200) - np.cbrt(2)) / (np.cbrt(400) - np.cbrt(2))
        self.assertAlmostEqual(errors.heating[compare.ABOVE], high * np.sqrt(share))
        share = (np.cbrt(1e5) - np.cbrt(1e3)) / (np.cbrt(1e5) - np.cbrt(400))
        self.assertAlmostEqual(errors.heating[compare.BELOW], low * np.sqrt(share))

    def test_departures_from_published_fluxes(self):
        ours = np.full((3, 2, 4), 250.0)
        published = ours.copy()
        ours[0] += 1           # present day: 1 more everywhere
        ours[1, :, 0] += [4, 1]  # a change that departs by (3 x 3 + 0) / 4 at the top
        pressure = np.tile([1.0, 1e3, 1e4, 1e5], (2, 1))
        for name, values in (("result.nc", ours), ("rlu_x.nc", published), ("rld_x.nc", published)):
            # The published files begin at the surface: the order of a file does not matter.
            flip = slice(None, None, -1 if name != "result.nc" else 1)
            with h5py.File(self.folder / name, "w") as file:
                file["rlu"] = file["rld"] = values[..., flip]
                file["pres_level"] = pressure[:, flip]
                file["profile_weight"] = [3.0, 1.0]
                file["expt_label"] = np.array(["now", "other", "same"], dtype=h5py.string_dtype())
        found = compare.departure_of(self.folder / "result.nc", self.folder, "longwave")
        self.assertAlmostEqual(found.mean[compare.TOP], 1)
        self.assertAlmostEqual(found.rms[compare.TOP], 1)
        value, label = found.change[compare.TOP]
        self.assertEqual((round(value, 9), label), (2.25, "other"))
        value, label = found.change[compare.SURFACE]
        self.assertEqual((round(value, 9), label), (-1, "other"))

    def test_nothing_is_minus_zero(self):
        self.assertEqual(compare.number(-0.001).strip(), "0.00")
        self.assertEqual(compare.number(-0.006).strip(), "-0.01")

    # --- speeds ------------------------------------------------------------------------------------------------------

    def report(self, runs):
        path = self.folder / "report.json"
        path.write_text(json.dumps({"benchmarks": runs}), encoding="utf-8")
        return [str(path)]

    def test_speeds_of_reports(self):
        name = "ecckd_longwave/Cuda/{}/ncol:{}/nlay:60/block:0/manual_time"
        single, double = name.format("float", 16384), name.format("double", 16384)
        small = name.format("float", 512)
        runs = [{"run_name": single, "run_type": "iteration", "columns/s": rate} for rate in (9e6, 2e6, 3e6)]
        runs += [{"run_name": double, "run_type": "aggregate", "aggregate_name": kind, "columns/s": rate}
                 for kind, rate in (("mean", 7.0), ("median", 1.5e6), ("stddev", 8.0))]
        runs += [{"run_name": small, "run_type": "iteration", "columns/s": 1.0}]
        deep = [each.replace("nlay:60", "nlay:100") for each in (single, double)]
        runs += [{"run_name": each, "run_type": "iteration", "columns/s": 1.0} for each in deep]
        models = compare.known_models()
        compare.read_speeds(models, self.report(runs), ["simple:longwave:51=4e6,2.5e6"])
        speeds = {model.name: model.speeds for model in models}
        self.assertEqual(speeds, {"RRTMG": {}, "RRTMGP": {}, "ecCKD": {"longwave": (60, 3e6, 1.5e6)},
                                  "simple": {"longwave": (51, 4e6, 2.5e6)}})

    def test_speeds_are_compared_layer_by_layer(self):
        models = compare.known_models()
        compare.read_speeds(models, [], ["rrtmg:longwave:50=4e6,2e6", "ecckd:longwave:100=3e6,2.5e6",
                                         "ecckd:shortwave:60=1e6,1e6"])
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            compare.print_speeds(models)
        rows = [line.split() for line in output.getvalue().splitlines()]
        self.assertEqual([row for row in rows if row and row[0] in ("RRTMGP", "ecCKD", "simple")],
                         [["ecCKD", "1.50", "2.50", "-", "-"]])

    def test_speeds_of_two_machines_are_refused(self):
        runs = [{"run_name": f"simple/{space}/float/ncol:1/nlay:2/block:0/manual_time", "run_type": "iteration",
                 "columns/s": 1.0} for space in ("Cuda", "OpenMP")]
        with self.assertRaisesRegex(ValueError, "runs on Cuda, OpenMP, expected one"):
            compare.read_speeds(compare.known_models(), self.report(runs), [])
        for wrong in ("simple:longwave=1,2", "none:longwave:60=1,2", "simple:infrared:60=1,2"):
            with self.assertRaisesRegex(ValueError, f"{wrong}: expected MODEL:RANGE:LAYERS"):
                compare.read_speeds(compare.known_models(), [], [wrong])

    # --- the script --------------------------------------------------------------------------------------------------

    def write_ckdmip(self, up=0.0, down=0.0):
        """Columns whose truth of the longwave is what the simple model makes of them, and these numbers less."""
        layers = 0.5 * (LEVELS[1:] + LEVELS[:-1])
        warm = np.arange(3.0)[:, None]
        pressure = np.tile(LEVELS, (3, 1))
        write(self.folder / "x_concentrations_y.nc", pressure_hl=(pressure, "Pa"),
              temperature_hl=(220 + 60 * LEVELS / 1e5 + warm, "K"),
              h2o_mole_fraction_fl=(0.01 * (layers / 1e5) ** 3 + 0 * warm, "1"),
              co2_mole_fraction_fl=(np.full((3, 5), 4e-4), "1"))
        fluxes = self.folder / "fluxes.nc"
        subprocess.run([PROGRAM, "fluxes", self.folder / "x_concentrations_y.nc", "--gas-optics", "simple", "-o",
                        fluxes, "--quiet"], check=True)
        with h5py.File(fluxes) as file:
            write(self.folder / "x_lw_fluxes_y.nc", pressure_hl=(pressure, "Pa"),
                  flux_up_lw=(file["flux_up"][...] - up, "W m-2"), flux_dn_lw=(file["flux_dn"][...] - down, "W m-2"))
        entering = np.broadcast_to(1000 * SUNS[:, None], (3, 2, 6)).copy()
        write(self.folder / "x_sw_fluxes_y.nc", pressure_hl=(pressure, "Pa"), mu0=(SUNS, "1"),
              flux_dn_sw=(entering, "W m-2"), flux_up_sw=(0.3 * entering, "W m-2"))

    def test_known_errors_are_found(self):
        self.write_ckdmip(up=2, down=-3)
        status, out, err = self.script("--ckdmip", self.folder)
        self.assertEqual(status, 0, err)
        line = next(line for line in out.splitlines() if line.startswith("simple"))
        self.assertEqual(line.split(), ["simple", "2.00", "2.00", "-3.00", "3.00", "0.000", "0.000", "-", "-", "-"])
        for name in ("RRTMG", "RRTMGP", "ecCKD"):
            self.assertIn(f"{name} was not computed: its coefficients are not here "
                          f"(scripts/get-data.sh {name.lower()})\n", out)
        self.assertTrue((self.folder / "plot.png").read_bytes().startswith(b"\x89PNG"))

    def test_atmospheres_under_each_sun(self):
        self.write_ckdmip()
        truth = compare.Truth(self.folder, "shortwave", self.folder)
        path = self.folder / "sunlit.nc"
        compare.write_atmospheres(self.folder, path, truth)
        with h5py.File(path) as file:
            np.testing.assert_allclose(file["cos_solar_zenith_angle"], np.tile(SUNS, 3))
            np.testing.assert_allclose(file["total_solar_irradiance"], 1000)
            np.testing.assert_allclose(file["sw_albedo"], 0.3)
            self.assertEqual(file["temperature_hl"][1, 0], file["temperature_hl"][0, 0])
            self.assertEqual(file["temperature_hl"][2, 0], file["temperature_hl"][0, 0] + 1)
            self.assertEqual(file["ccl4_mole_fraction_fl"][...].max(), 0)

    @unittest.skipUnless(shutil.which("nccopy"), "there is no nccopy")
    def test_fetched_files_in_netcdf_3(self):
        fetched = self.folder / ".local/share/parhelion"
        fetched.mkdir(parents=True)
        self.write_ckdmip(up=2)
        for path in self.folder.glob("x_*_y.nc"):
            subprocess.run(["nccopy", "-k", "classic", path, fetched / path.name], check=True)
            self.assertEqual((fetched / path.name).read_bytes()[:3], b"CDF")
        status, out, err = self.script()
        self.assertEqual(status, 0, err)
        line = next(line for line in out.splitlines() if line.startswith("simple"))
        self.assertEqual(line.split()[:5], ["simple", "2.00", "2.00", "0.00", "0.00"])

    def test_refusals(self):
        self.write_ckdmip()
        for arguments, message in (
                (("--ckdmip", "/nonexistent"), "0 files *_lw_fluxes_*.nc, expected one"),
                (("--ckdmip", self.folder, "--rfmip", "x.nc"), "--rfmip and --published belong together"),
                (("--ckdmip", self.folder, "--also", self.folder / "fluxes.nc"), "fluxes.nc: has neither")):
            with self.subTest(message):
                status, out, err = self.script(*arguments)
                self.assertNotEqual(status, 0)
                self.assertEqual(out, "")
                self.assertIn(message, err)
                self.assertFalse((self.folder / "plot.png").exists())
        # Fluxes of other columns than those of the concentrations.
        with h5py.File(self.folder / "x_lw_fluxes_y.nc", "a") as file:
            file["pressure_hl"][1, 3] *= 1.01
        self.assertIn("of different columns", self.script("--ckdmip", self.folder)[2])

    def test_reference_data(self):
        ckdmip, rrtmgp = DATA / "ecckd/ckdmip", DATA / "rrtmgp"
        if not (ckdmip.is_dir() and rrtmgp.is_dir() and (DATA / "rrtmg_lw").is_dir()):
            self.skipTest("no reference data")
        # Made-up coefficients of RRTMGP under the names of the real ones: they are found and used.
        for made_up, name in (("lw-g128", "lw-g128"), ("sw-g112", "sw-g112")):
            (self.folder / f"rrtmgp-gas-{name}.nc").symlink_to(rrtmgp / f"synthetic-gas-{made_up}.nc")
        status, out, err = self.script("--ckdmip", ckdmip, "--rfmip", DATA / "rfmip/rfmip_atmospheres.nc",
                                       "--published", rrtmgp / "published", data=f"{self.folder}:{DATA}")
        self.assertEqual(status, 0, err)
        self.assertNotIn("was not computed", out)
        rows = [line.split() for line in out.splitlines()]
        found = [row[:5] for row in rows if row and row[0] == "ecCKD"]
        # What ecRad's own program makes of these atmospheres: bias and root mean square at the top and at the surface.
        self.assertEqual(found[0], ["ecCKD", "-0.01", "0.14", "-0.03", "0.42"])
        self.assertEqual(len(found), 4)
        self.assertEqual(sum(row[0] == "RRTMGP" for row in rows if row), 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
