#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Subcommands that several ranks share, started by mpiexec: results, written by all ranks together and by the first
one, refusals, ranks that are killed, and what a program without MPI says when it is started so."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

PROGRAM = os.environ["PARHELION_PROGRAM"]
SCRIPTS = pathlib.Path(os.environ["PARHELION_SCRIPTS"])
MPIEXEC = shlex.split(os.environ["PARHELION_MPIEXEC"])
DATA = pathlib.Path(os.environ.get("PARHELION_REFERENCE_DATA", ""))
RANKS = (1, 2, 3, 4)
# Values of PARHELION_PARALLEL_HDF5 that the program takes: ranks write together, or the first one writes.
WAYS = os.environ["PARHELION_WAYS"].split(",")
together = unittest.skipUnless("yes" in WAYS, "HDF5 is not parallel")


def environment(threads=1, **more):
    ours = {key: value for key, value in os.environ.items() if key != "PARHELION_DATA"}
    ours.update(OMP_NUM_THREADS=str(threads), **more)
    return ours


def start(ranks, arguments, program=(PROGRAM,), **more):
    words = [*program, *map(str, arguments)]
    if ranks > 0:
        words = MPIEXEC + [str(ranks)] + words
    return subprocess.Popen(words, env=environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def run(ranks, *arguments, **more):
    """The exit status, standard output, and the lines of parhelion on standard error but warnings."""
    process = start(ranks, arguments, **more)
    out, err = process.communicate(timeout=300)
    ours = [line for line in err.splitlines() if line.startswith("parhelion: ")]
    return process.returncode, out, ours, err


def datasets(path):
    """All datasets of a file: shape, type and bytes."""
    found = {}

    def add(name, item):
        if isinstance(item, h5py.Dataset):
            values = item[()]
            found[name] = (item.shape, str(item.dtype),
                           list(values) if item.dtype == object else np.asarray(values).tobytes())
    with h5py.File(path) as file:
        file.visititems(add)
    return found


def attributes(path):
    """Those of a file but what tells the time and the command, such as counts of what was clipped."""
    with h5py.File(path) as file:
        return {name: str(value) for name, value in file.attrs.items() if name not in ("history", "_NCProperties")}


def without_warning(lines):
    return [line for line in lines if not line.startswith("parhelion: warning: ")]


class Ranks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for script, name in (("analytic_atmospheres.py", "atmospheres.nc"), ("analytic_profiles.py", "profiles.h5"),
                             ("analytic_limb.py", "limb")):
            subprocess.run([sys.executable, SCRIPTS / script, cls.folder / name], check=True,
                           stdout=subprocess.DEVNULL)
        channels = [f"{nu}" for nu in (670, 676, 694, 700, 716, 724, 730, 734, 742, 748)]
        status, _, _, err = run(0, "tables", "synthetic", "--gases", "CO2,O3", "--channels", ",".join(channels), "-o",
                                cls.folder / "limb" / "tables.h5", "--quiet")
        assert status == 0, err

    def setUp(self):
        self.out = pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def expect_same(self, name, *arguments, ranks=RANKS, text=(), all_ways=False):
        """Runs with several numbers of ranks, and compares with what one process without MPI writes. Ranks write
        together if they can; the first one writes for the last number of ranks, too, or for all of them."""
        one = self.out / f"{name}.nc"
        extra = [word for option in text for word in (f"--{option}", self.out / f"{name}.{option}")]
        status, _, _, err = run(0, *arguments, "-o", one, "--quiet", *extra)
        self.assertEqual(status, 0, err)
        expected = datasets(one)
        self.assertGreater(len(expected), 3)
        runs = [(n, way) for n in ranks for way in (WAYS if n > 1 and (all_ways or n == ranks[-1]) else WAYS[:1])]
        for n, way in runs:
            with self.subTest(name=name, ranks=n, parallel_hdf5=way):
                several = self.out / f"{name}_{n}.nc"
                extra = [word for option in text for word in (f"--{option}", self.out / f"{name}_{n}.{option}")]
                status, out, ours, err = run(n, *arguments, "-o", several, "--quiet", *extra,
                                             PARHELION_PARALLEL_HDF5=way)
                self.assertEqual((status, out, without_warning(ours)), (0, "", []), err)
                found = datasets(several)
                self.assertEqual(list(found), list(expected))
                for each, values in expected.items():
                    self.assertEqual(found[each], values, each)
                self.assertEqual(attributes(several), attributes(one))
                for option in text:
                    self.assertEqual((self.out / f"{name}_{n}.{option}").read_bytes(),
                                     (self.out / f"{name}.{option}").read_bytes(), option)
        left = [path.name for path in self.out.iterdir() if path.name.startswith(".")]
        self.assertEqual(left, [], "temporary files")

    def expect_refusal(self, ranks, message, *arguments, status=1):
        before = sorted(path.name for path in self.out.iterdir())
        code, out, ours, err = run(ranks, *arguments)
        self.assertEqual(code, status, err)
        self.assertEqual(out, "")
        ours = without_warning(ours)
        self.assertEqual(len(ours), 1, err)
        self.assertIn(message, ours[0])
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), before, "something was written")

    # --- results -----------------------------------------------------------------------------------------------------

    def test_columns(self):
        self.expect_same("columns", "fluxes", self.folder / "atmospheres.nc", "--gas-optics", "simple", all_ways=True)

    def test_more_ranks_than_columns(self):
        few = self.folder / "few.nc"
        self.copy_columns(few, 2)
        self.expect_same("few", "fluxes", few, "--gas-optics", "simple", ranks=(3, 4), all_ways=True)

    def test_sites_of_rfmip(self):
        path = self.folder / "rfmip.nc"
        write_rfmip(path)
        self.expect_same("rfmip", "fluxes", path, "--gas-optics", "simple", all_ways=True)
        self.expect_same("rfmip_one", "fluxes", path, "--gas-optics", "simple", "--experiment", "2", ranks=(2, 4))
        self.expect_same("rfmip_clip", "fluxes", path, "--gas-optics", "simple", "--out-of-range", "clip", ranks=(3,))

    def test_clouds_of_the_reference_case(self):
        case, coefficients = DATA / "rrtmg_lw/case_cloud_a.nc", DATA / "rrtmg_lw/RRTMG_LW_DATA.DBL"
        if not (case.is_file() and coefficients.is_file()):
            self.skipTest("no reference data")
        self.expect_same("cloud", "fluxes", case, "--coefficients", coefficients, "--bands", "--derivative")

    def test_shortwave_of_the_reference_cases(self):
        coefficients = DATA / "rrtmg_lw/RRTMG_SW_DATA.DBL"
        for name in ("cloud", "aerosol"):
            case = DATA / f"rrtmg_sw/case_sw_{name}_a.nc"
            if not (case.is_file() and coefficients.is_file()):
                self.skipTest("no reference data")
            self.expect_same(f"sw_{name}", "fluxes", case, "--shortwave", "--coefficients", coefficients, "--bands")

    def test_both_ranges(self):
        files = [DATA / "rrtmg_lw" / name for name in ("RRTMG_LW_DATA.DBL", "RRTMG_SW_DATA.DBL")]
        rfmip = DATA / "rfmip/rfmip_atmospheres.nc"
        if not all(path.is_file() for path in (*files, rfmip)):
            self.skipTest("no reference data")
        self.expect_same("both", "fluxes", rfmip, "--longwave", "--shortwave", "--experiment", "2", "--coefficients",
                         files[1], "--coefficients", files[0], ranks=(3,))

    def test_subcolumns_depend_on_the_column_of_the_file(self):
        coefficients = DATA / "rrtmg_lw/RRTMG_LW_DATA.DBL"
        if not coefficients.is_file():
            self.skipTest("no reference data")
        path = self.cloudy_columns("cloudy.nc", 0.5)
        self.expect_same("subcolumns", "fluxes", path, "--coefficients", coefficients, "--overlap", "exponential",
                         "--seed", "7")

    # Definitions of ecCKD, gas optics of RRTMGP, and the options that name them for each range.

    def need_data(self, *names):
        for name in names:
            if not (DATA / name).is_file():
                self.skipTest(f"no reference data: {name}")
        return [DATA / name for name in names]

    def ecckd(self):
        longwave, shortwave = self.need_data("ecckd/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc",
                                             "ecckd/ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc")
        return self.of_ranges(longwave, shortwave)

    def rrtmgp(self):
        return self.of_ranges(*self.need_data("rrtmgp/synthetic-gas-lw-g128.nc", "rrtmgp/synthetic-gas-sw-g112.nc"))

    @staticmethod
    def of_ranges(longwave, shortwave, option="--coefficients"):
        return {"lw": (option, longwave), "sw": (option, shortwave), "both": (option, longwave, option, shortwave)}

    WORDS = {"lw": ("--longwave",), "sw": ("--shortwave",), "both": ("--longwave", "--shortwave")}

    def expect_same_in_all_ranges(self, name, path, coefficients, *more, longwave=(), shortwave=(), sets=tuple(WORDS)):
        for each in sets:
            options = (*(longwave if each != "sw" else ()), *(shortwave if each != "lw" else ()))
            self.expect_same(f"{name}_{each}", "fluxes", path, *self.WORDS[each], *coefficients[each], *options, *more)

    def rte_columns(self, kind):
        """What a case of RTE+RRTMGP has for the longwave, for the shortwave, and a file of both."""
        longwave, shortwave = self.need_data(f"rrtmgp/case_{kind}_a_lw.nc", f"rrtmgp/case_{kind}_a_sw.nc")
        both = self.folder / f"{kind}.nc"
        shutil.copy(longwave, both)
        both.chmod(0o644)
        with h5py.File(both, "a") as target, h5py.File(shortwave) as source:
            for name in ("mu0", "albedo_direct", "albedo_diffuse", "total_solar_irradiance", "cloud_mask"):
                if name in source:
                    source.copy(name, target, f"sw_{name}" if name == "cloud_mask" else name)
        return {"lw": longwave, "sw": shortwave, "both": both}

    def test_ecckd_in_the_layout_of_ecrad(self):
        case, = self.need_data("ecckd/case_clear_a.nc")
        self.expect_same_in_all_ranges("ecrad", case, self.ecckd(), "--bands", longwave=("--derivative",))

    def test_k_distributions_in_the_layout_of_ckdmip(self):
        path, = self.need_data("ecckd/ckdmip/ckdmip_evaluation1_concentrations_present_reduced.nc")
        sun = ("--mu0", "0.5", "--albedo", "0.15")
        self.expect_same_in_all_ranges("ckdmip", path, self.ecckd(), shortwave=sun)
        # Its highest layer lies above RRTMGP's tables: what is clipped is counted over all ranks.
        self.expect_same_in_all_ranges("ckdmip_rrtmgp", path, self.rrtmgp(), "--out-of-range", "clip", shortwave=sun,
                                       sets=("both",))

    def test_k_distributions_in_the_layout_of_rte(self):
        path = self.rte_columns("clear")
        for each in self.WORDS:
            self.expect_same_in_all_ranges("rte", path[each], self.rrtmgp(), "--bands", sets=(each,),
                                           longwave=("--angles", "3", "--derivative"))
        few = self.rte_columns("fewgases")["lw"]
        self.expect_same_in_all_ranges("few", few, self.rrtmgp(), "--level-temperatures", "interpolate", "--angles",
                                       "optimal", sets=("lw",))

    def test_clouds_and_aerosol_of_rrtmgp(self):
        path = self.rte_columns("allsky")
        clouds = self.of_ranges(*self.need_data("rrtmgp/rrtmgp-clouds-lw-bnd.nc", "rrtmgp/rrtmgp-clouds-sw-bnd.nc"),
                                "--cloud-optics")
        aerosol = self.of_ranges(*self.need_data("rrtmgp/rrtmgp-aerosols-merra-lw.nc",
                                                 "rrtmgp/rrtmgp-aerosols-merra-sw.nc"), "--aerosol-optics")
        for each, scattering in (("lw", "none"), ("lw", "two-stream"), ("sw", None), ("both", "rescaling")):
            self.expect_same_in_all_ranges(f"allsky_{scattering}", path[each], self.rrtmgp(), *clouds[each],
                                           *aerosol[each], sets=(each,),
                                           longwave=("--scattering", scattering) if scattering else ())

    def test_subcolumns_of_rrtmgp(self):
        clouds = self.of_ranges(*self.need_data("rrtmgp/rrtmgp-clouds-lw-bnd.nc", "rrtmgp/rrtmgp-clouds-sw-bnd.nc"),
                                "--cloud-optics")
        path = self.cloudy_columns("half_cloudy.nc", 0.5)
        with h5py.File(path, "a") as file:
            file.attrs["iceflglw"] = file.attrs["iceflgsw"] = np.int32(2)
        self.expect_same_in_all_ranges("subcolumns_rrtmgp", path, self.rrtmgp(), *clouds["both"], "--seed", "7",
                                       "--out-of-range", "clip", sets=("both",))

    def test_k_distributions_of_rfmip(self):
        path, = self.need_data("rfmip/rfmip_atmospheres.nc")
        for name, coefficients in (("ecckd", self.ecckd()), ("rrtmgp", self.rrtmgp())):
            self.expect_same_in_all_ranges(f"rfmip_{name}", path, coefficients, "--experiment", "2", sets=("both",))

    def test_refusal_with_a_k_distribution_is_that_of_the_lowest_column(self):
        case, = self.need_data("ecckd/case_clear_a.nc")
        spoiled = self.folder / "spoiled_ecrad.nc"
        shutil.copy(case, spoiled)
        spoiled.chmod(0o644)
        with h5py.File(spoiled, "a") as file:
            file["o3_mole_fraction"][35, 3] = file["o3_mole_fraction"][12, 4] = -1
        arguments = ("fluxes", spoiled, "--longwave", *self.ecckd()["lw"], "-o", self.out / "refused.nc")
        _, _, alone, _ = run(0, *arguments)
        self.assertIn("o3_mole_fraction(12, 4)", alone[0])
        self.expect_refusal(3, "o3_mole_fraction(12, 4)", *arguments)

    def test_profiles(self):
        self.expect_same("profiles", "adding", self.folder / "profiles.h5", "--levels", "--tangent", "--adjoint",
                         all_ways=True)

    def test_rays(self):
        limb = self.folder / "limb"
        arguments = ("ega", "--control", limb / "case.ctl", "--atmosphere", limb / "atm.tab")
        self.expect_same("rays", *arguments, "--observation", limb / "obs.tab", text=("kernel",))
        self.expect_same("rays_alone", *arguments, "--observation", limb / "obs.tab", ranks=(3,))
        few = limb / "few.tab"
        lines = [line for line in (limb / "obs.tab").read_text().splitlines() if line and not line.startswith("#")]
        few.write_text("\n".join(lines[:2]) + "\n")
        self.expect_same("few_rays", *arguments, "--observation", few, ranks=(3, 4), text=("los",))

    def test_rays_of_a_field_of_view(self):
        limb = self.folder / "limb"
        (limb / "fov.tab").write_text("-1 0.5\n0 1\n1 0.5\n")
        control = limb / "fov.ctl"
        control.write_text((limb / "case.ctl").read_text() + "\nFOV = fov.tab\n")
        lines = [line for line in (limb / "obs.tab").read_text().splitlines() if line and not line.startswith("#")]
        observation = limb / "two_times.tab"
        moved = [" ".join(["60"] + line.split()[1:]) for line in lines[:8]]
        observation.write_text("\n".join(lines[:7] + moved) + "\n")
        self.expect_same("view", "ega", "--control", control, "--atmosphere", limb / "atm.tab", "--observation",
                         observation)

    def test_cells(self):
        self.expect_same("cells", "monte-carlo", "--case", "case01", "--cells", "6,4,2", "--rays", "256", all_ways=True)

    def test_more_ranks_than_cells(self):
        self.expect_same("cell", "monte-carlo", "--case", "case01", "--cells", "1", "--rays", "64", "--no-walls",
                         ranks=(3,), all_ways=True)

    # --- messages ----------------------------------------------------------------------------------------------------

    def test_summary_is_printed_once(self):
        limb = self.folder / "limb"
        # Lines behind the second that tell results, and no times.
        for lines, arguments in (
                (2, ("fluxes", self.folder / "atmospheres.nc", "--gas-optics", "simple")),
                (0, ("adding", self.folder / "profiles.h5")),
                (10, ("ega", "--control", limb / "case.ctl", "--atmosphere", limb / "atm.tab", "--observation",
                      limb / "obs.tab")),
                (4, ("monte-carlo", "--case", "case01", "--cells", "4,2,2", "--rays", "64"))):
            with self.subTest(arguments[0]):
                output = self.out / f"{arguments[0]}.nc"
                _, alone, _, _ = run(0, *arguments, "-o", output)
                for way in WAYS:
                    status, out, _, err = run(3, *arguments, "-o", output, PARHELION_PARALLEL_HDF5=way)
                    self.assertEqual(status, 0, err)
                    self.assertEqual(out.count("written to"), 1, out)
                    self.assertEqual(out.count(" 3 ranks"), 1, out)
                    # What the summary says of the results is that of one process.
                    self.assertEqual(out.splitlines()[2:2 + lines], alone.splitlines()[2:2 + lines])

    def test_dry_run(self):
        status, out, ours, err = run(2, "fluxes", self.folder / "atmospheres.nc", "--gas-optics", "simple", "--dry-run")
        self.assertEqual((status, without_warning(ours)), (0, []), err)
        self.assertEqual(out.count("nothing computed"), 1, out)
        self.assertIn("2, of which the first has this plan", out)

    @together
    def test_ranks_that_write_together_need_less_memory(self):
        needed = {}
        for way in WAYS:
            status, out, _, err = run(4, "fluxes", self.folder / "atmospheres.nc", "--gas-optics", "simple",
                                      "--dry-run", "-o", self.out / "dry.nc", PARHELION_PARALLEL_HDF5=way)
            self.assertEqual(status, 0, err)
            number, unit = re.search(r"host memory +([\d.]+) (\w+) of ", out).groups()
            needed[way] = float(number) * {"B": 1, "kB": 1e3, "MB": 1e6}[unit]
        self.assertLess(needed["yes"], needed["no"])

    def test_refusal_is_that_of_the_lowest_column(self):
        spoiled = self.folder / "spoiled.nc"
        for columns, named in (((5,), 5), ((5, 1), 1), ((0, 5), 0)):
            shutil.copy(self.folder / "atmospheres.nc", spoiled)
            with h5py.File(spoiled, "a") as file:
                for column in columns:
                    file["tlay"][column, 3] = -4
            message = f"spoiled.nc: tlay({named}, 3) = -4 K, expected a positive finite temperature"
            self.expect_refusal(3, message, "fluxes", spoiled, "--gas-optics", "simple", "-o", self.out / "refused.nc")

    def test_refusal_of_a_profile_has_the_index_of_the_file(self):
        spoiled = self.folder / "spoiled.h5"
        shutil.copy(self.folder / "profiles.h5", spoiled)
        with h5py.File(spoiled, "a") as file:
            file["cloud/od"][5, 2] = -1
        arguments = ("adding", spoiled, "-o", self.out / "refused.nc")
        _, _, alone, _ = run(0, *arguments)
        self.expect_refusal(3, "od(5, 2) = -1", *arguments)
        _, _, together, _ = run(3, *arguments)
        self.assertEqual(without_warning(together), alone)

    def test_refusals_of_all(self):
        output = self.out / "refused.nc"
        self.expect_refusal(3, "no such file", "fluxes", self.out / "none.nc", "--gas-optics", "simple", "-o", output)
        self.expect_refusal(3, "expected all or one of", "adding", self.folder / "profiles.h5", "--group", "x")
        self.expect_refusal(2, "no folder", "monte-carlo", "--case", "case01", "--cells", "2", "-o",
                            self.out / "none" / "out.nc")
        self.expect_refusal(2, "--devices: '2', expected 1", "fluxes", self.folder / "atmospheres.nc", "--devices", "2",
                            status=2)
        self.expect_refusal(2, "started as 2 ranks, which do not share its work", "tables", "info",
                            self.folder / "limb" / "tables.h5")

    def test_wishes_how_to_write(self):
        for wish in ("perhaps", *({"yes", "no"} - {"no", *WAYS})):
            status, out, ours, err = run(2, "fluxes", "--help", PARHELION_PARALLEL_HDF5=wish)
            self.assertEqual((status, out, len(ours)), (1, "", 1), err)
            self.assertIn(f"PARHELION_PARALLEL_HDF5: '{wish}', expected ", ours[0])

    @together
    def test_a_folder_that_fills_up_ends_all_with_one_message(self):
        many = self.folder / "many.nc"
        self.copy_columns(many, 2500)
        output = self.out / "full.nc"
        output.write_text("the old one")
        arguments = ("fluxes", many, "--gas-optics", "simple", "--quiet", "-o", output)
        status, _, _, err = run(2, *arguments)
        self.assertEqual(status, 0, err)
        limit = 1 << 20
        self.assertGreater(output.stat().st_size, 3 * limit)
        output.write_text("the old one")
        # A limit on the size of files stands for a disk that fills up. Ranks that talk by TCP need no files for it.
        words = ["sh", "-c", f"trap '' XFSZ; ulimit -f {limit // 512}; exec \"$@\"", "sh", PROGRAM]
        status, out, ours, err = run(2, *arguments, program=words, OMPI_MCA_btl="self,tcp",
                                     PARHELION_PARALLEL_HDF5="yes")
        self.assertEqual((status, out, len(without_warning(ours))), (1, "", 1), err)
        self.assertEqual(ours[-1], f"parhelion: {output}: cannot be written: File too large")
        self.assertEqual(output.read_text(), "the old one")
        self.assertEqual([path.name for path in self.out.iterdir()], ["full.nc"])

    def test_usage_is_said_once(self):
        status, out, ours, err = run(3, "fluxes", "--no-such-option")
        self.assertEqual((status, out, len(ours)), (2, "", 1), err)
        status, out, _, _ = run(3, "fluxes", "--help")
        self.assertEqual((status, out.count("Usage:")), (0, 1), out)

    def test_too_many_threads_are_one_line(self):
        cores = len(os.sched_getaffinity(0))
        arguments = ("fluxes", self.folder / "atmospheres.nc", "--gas-optics", "simple", "--quiet")
        _, _, ours, err = run(2, *arguments, threads=cores)
        self.assertEqual(len(ours), 1, err)
        self.assertIn(f"warning: 2 ranks on one machine have {2 * cores} threads together, and {cores} core", ours[0])
        if cores >= 2:
            self.assertEqual(run(2, *arguments, threads=1)[2], [])

    # --- a rank that ends --------------------------------------------------------------------------------------------

    def test_a_killed_rank_leaves_no_output(self):
        output = self.out / "killed.nc"
        process = start(3, ("monte-carlo", "--case", "case01", "--cells", "24", "--rays", "4096000", "-o", output,
                            "--quiet"))
        ranks = []
        for _ in range(300):
            time.sleep(0.1)
            ranks = children(process.pid)
            if len(ranks) == 3:
                break
        self.assertEqual(len(ranks), 3)
        time.sleep(2)
        os.kill(ranks[-1], signal.SIGKILL)
        process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        self.assertFalse(output.exists())
        self.assertEqual([path.name for path in self.out.iterdir() if not path.name.startswith(".")], [])

    @together
    def test_a_rank_that_is_killed_while_all_write_leaves_the_old_file(self):
        many = self.folder / "many_more.nc"
        self.copy_columns(many, 20000)
        arguments = ("fluxes", many, "--gas-optics", "simple", "--quiet", "-o")
        expected = self.out / "expected.nc"
        status, _, _, err = run(0, *arguments, expected)
        self.assertEqual(status, 0, err)
        whole = datasets(expected)
        output = self.out / "killed.nc"
        hits = 0
        for _ in range(10):
            output.write_text("the old one")
            left = set(self.out.glob(".parhelion-*.tmp"))
            process = start(3, (*arguments, output), PARHELION_PARALLEL_HDF5="yes")
            while process.poll() is None:
                # What the first rank has made, when the others are about to open it.
                if any(size_of(path) > 0 for path in set(self.out.glob(".parhelion-*.tmp")) - left):
                    for rank in children(process.pid)[-1:]:
                        os.kill(rank, signal.SIGKILL)
                    break
                time.sleep(0.0005)
            process.communicate(timeout=120)
            if output.read_bytes() == b"the old one":
                self.assertNotEqual(process.returncode, 0)
                hits += 1
            else:
                self.assertEqual(datasets(output), whole)  # the rank was killed too late
            if hits == 2:
                break
        self.assertEqual(hits, 2)
        # What they leave is found by the next run.
        status, _, _, err = run(2, *arguments, output)
        self.assertEqual(status, 0, err)
        self.assertEqual(datasets(output), whole)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["expected.nc", "killed.nc"])

    def cloudy_columns(self, name, fraction):
        path = self.folder / name
        subprocess.run([sys.executable, SCRIPTS / "analytic_atmospheres.py", path, "--clouds"], check=True,
                       stdout=subprocess.DEVNULL)
        with h5py.File(path, "a") as file:
            file["cldfrac"][...] *= fraction
        return path

    def copy_columns(self, path, n):
        with h5py.File(self.folder / "atmospheres.nc") as source, h5py.File(path, "w") as target:
            columns = source["plev"].shape[0]
            for name, item in source.items():
                values = item[()]
                if item.shape and item.shape[0] == columns:
                    values = values[np.arange(n) % columns]
                target[name] = values
                if "units" in item.attrs:
                    target[name].attrs["units"] = item.attrs["units"]


class Launched(unittest.TestCase):
    """What the environment says of a launcher."""

    def test_wishes(self):
        process = start(0, ("fluxes", "--help"), PARHELION_MPI="perhaps")
        _, err = process.communicate()
        self.assertEqual((process.returncode, err), (1, "parhelion: PARHELION_MPI: 'perhaps', expected yes or no\n"))
        # As when a process of an MPI job starts the program.
        status, out, _, err = run(0, "fluxes", "--help", PARHELION_MPI="no", OMPI_COMM_WORLD_SIZE="4")
        self.assertEqual((status, out.count("Usage:")), (0, 1), err)

    def test_without_mpi(self):
        if MPIEXEC:
            self.skipTest("this build has MPI")
        status, _, ours, _ = run(0, "fluxes", "--help", OMPI_COMM_WORLD_SIZE="4")
        self.assertEqual((status, len(ours)), (1, 1))
        self.assertIn("this build has no MPI", ours[0])


def size_of(path):
    """That of a file; 0 where it has gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def children(pid):
    """The processes of the program below a launcher."""
    found = []
    for path in pathlib.Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            command = (path / "cmdline").read_bytes().split(b"\0")[0].decode()
        except OSError:
            continue
        if int(fields[1]) == pid and os.path.basename(command) == os.path.basename(PROGRAM):
            found.append(int(path.name))
    return sorted(found)


def write_rfmip(path):
    """Two experiments at five sites."""
    nexpt, nsite, nlay = 2, 5, 12
    level = 1e5 * 0.6 ** np.arange(nlay + 1)
    layer = 0.5 * (level[1:] + level[:-1])
    warm = np.arange(nexpt)[:, None, None] * 2.0 + np.arange(nsite)[None, :, None]

    def temperature(p):
        return np.maximum(200.0, 285 + warm + 20 * np.log(p / 1e5))
    with h5py.File(path, "w") as file:
        def add(name, values, units):
            file[name] = values
            file[name].attrs["units"] = units
        add("pres_level", np.tile(level, (nsite, 1)), "Pa")
        add("pres_layer", np.tile(layer, (nsite, 1)), "Pa")
        add("temp_level", temperature(level), "K")
        add("temp_layer", temperature(layer), "K")
        add("surface_temperature", 287 + warm[:, :, 0], "K")
        add("surface_emissivity", np.linspace(0.9, 1, nsite), "1")
        add("water_vapor", np.broadcast_to(0.01 * (layer / 1e5) ** 3 + 3e-6, (nexpt, nsite, nlay)).copy(), "1")
        add("carbon_dioxide_GM", np.array([400.0, 800.0]), "1.e-6")
        add("profile_weight", np.arange(1.0, nsite + 1), "1")
        add("lat", np.linspace(-40, 40, nsite), "degrees_north")
        file["expt_label"] = np.array(["now", "double"], dtype=h5py.string_dtype())


if __name__ == "__main__":
    if not MPIEXEC:
        del Ranks
    unittest.main(verbosity=2)
