#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`parhelion coefficients` on files in the layout of AER's rrtmg_lw.nc, which are made here from RRTMG_LW_DATA.DBL."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import netCDF4
    import numpy as np
except ImportError:
    print("skipped: there is no netCDF4 for Python")
    sys.exit(77)

PROGRAM = os.environ["PARHELION_PROGRAM"]
FORTRAN = pathlib.Path(os.environ["PARHELION_REFERENCE_DATA"]) / "rrtmg_lw/RRTMG_LW_DATA.DBL"

# The layout, as public readers of the file have it.
DIMENSIONS = {"GPointSet": 2, "Band": 16, "Absorber": 12, "GPoint": 16, "keylower": 9, "keyupper": 5, "Tdiff": 5,
              "plower": 13, "pupper": 47, "Tself": 10, "Tforeign": 4, "T": 19}
ABSORBERS = ("N2", "CCL4", "CFC11", "CFC12", "CFC22", "H2O", "CO2", "O3", "N2O", "CO", "CH4", "O2")
OF_BAND = ("GPointSet", "Band")
VARIABLES = {
    "PlanckFractionLowerAtmos": OF_BAND + ("keylower", "GPoint"),
    "PlanckFractionUpperAtmos": OF_BAND + ("keyupper", "GPoint"),
    "KeySpeciesAbsorptionCoefficientsLowerAtmos": OF_BAND + ("GPoint", "plower", "Tdiff", "keylower"),
    "KeySpeciesAbsorptionCoefficientsUpperAtmos": OF_BAND + ("GPoint", "pupper", "Tdiff", "keyupper"),
    "AbsorptionCoefficientsLowerAtmos": OF_BAND + ("Absorber", "GPoint", "T", "keylower"),
    "AbsorptionCoefficientsUpperAtmos": OF_BAND + ("Absorber", "GPoint", "T", "keyupper"),
    "H20SelfAbsorptionCoefficients": OF_BAND + ("GPoint", "Tself"),
    "H20ForeignAbsorptionCoefficients": OF_BAND + ("GPoint", "Tforeign")}

# The arrays of each record before the two continua: Planck fractions and key species of the lower and the upper half,
# with their numbers of species ratios, and other gases, below (-) or above (+); halocarbons (*) have neither.
RECORDS = (
    "f1 F1 k1 K1 -N2:1 +N2:1", "f1 F1 k1 K1", "f9 F5 k9 K5 -N2O:9 +N2O:5", "f9 F5 k9 K5",
    "f9 F5 k9 K5 -O3:9 *CCL4", "f1 k1 -CO2:1 *CFC11 *CFC12", "f9 F1 k9 K1 -CO2:9 +CO2:1",
    "f1 F1 k1 K1 -CO2:1 +CO2:1 -N2O:1 +N2O:1 -O3:1 *CFC12 *CFC22", "f9 F1 k9 K1 -N2O:9 +N2O:1", "f1 F1 k1 K1",
    "f1 F1 k1 K1 -O2:1 +O2:1", "f9 k9", "f9 F1 k9 -CO2:9 -CO:9 +O3:1", "f1 F1 k1 K1", "f9 k9 -N2:9", "f9 F1 k9 K1")


def blocks(band):
    """Name, part behind (set, band), and shape of the arrays of a record; values in C's order."""
    for word in RECORDS[band].split():
        half = "LowerAtmos" if word[0] in "fk-*" else "UpperAtmos"
        if word[0] in "fF":
            n = int(word[1:])
            yield "PlanckFraction" + half, (slice(n), slice(16))
        elif word[0] in "kK":
            n = int(word[1:])
            levels = 13 if word[0] == "k" else 47
            yield "KeySpeciesAbsorptionCoefficients" + half, (slice(16), slice(levels), slice(5), slice(n))
        elif word[0] == "*":
            yield "AbsorptionCoefficients" + half, (ABSORBERS.index(word[1:]), slice(16), slice(1), slice(1))
        else:
            name, n = word[1:].split(":")
            yield "AbsorptionCoefficients" + half, (ABSORBERS.index(name), slice(16), slice(19), slice(int(n)))
    yield "H20SelfAbsorptionCoefficients", (slice(16), slice(10))
    yield "H20ForeignAbsorptionCoefficients", (slice(16), slice(4))


def records():
    words = FORTRAN.read_bytes()
    found, at = [], 0
    while at < len(words):
        size = int.from_bytes(words[at:at + 4], "big")
        found.append(np.frombuffer(words, ">f8", size // 8, at + 4))
        at += size + 8
    return found


def write(path, kind="NETCDF3_CLASSIC", without=(), shorter=(), spoil=None):
    with netCDF4.Dataset(path, "w", format=kind) as file:
        for name, size in DIMENSIONS.items():
            file.createDimension(name, size - (name in shorter))
        if shorter:
            file.set_auto_mask(False)
        values = {name: np.zeros([DIMENSIONS[d] for d in dimensions]) for name, dimensions in VARIABLES.items()}
        for band, record in enumerate(records()):
            at = 0
            for name, part in blocks(band):
                place = values[name][(0, band) + part]
                place[...] = record[at:at + place.size].reshape(place.shape)
                at += place.size
            assert at == record.size, band
        if spoil:
            spoil(values)
        for name, dimensions in VARIABLES.items():
            if name not in without:
                variable = file.createVariable(name, "f8", dimensions)
                variable[...] = values[name][tuple(slice(len(file.dimensions[d])) for d in dimensions)]


class Conversion(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.input, self.output = self.folder / "rrtmg_lw.nc", self.folder / "RRTMG_LW_DATA.DBL"

    def convert(self, *options):
        return subprocess.run([PROGRAM, "coefficients", self.input, "-o", self.output, *options], text=True,
                              capture_output=True, check=False)

    def expect_refusal(self, message):
        before = sorted(self.folder.iterdir())
        found = self.convert()
        self.assertEqual((found.returncode, found.stdout), (1, ""))
        self.assertIn(message, found.stderr)
        self.assertEqual(found.stderr.count("\n"), 1)
        self.assertEqual(sorted(self.folder.iterdir()), before, "something was written")

    def test_same_bytes(self):
        for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4"):
            with self.subTest(kind):
                write(self.input, kind)
                found = self.convert()
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertIn("of 16 bands", found.stdout)
                self.assertEqual(self.output.read_bytes(), FORTRAN.read_bytes())

    def test_refusals(self):
        self.expect_refusal("no such file")
        self.input.write_text("not netCDF", encoding="utf-8")
        self.expect_refusal("cannot be opened as a netCDF file")
        write(self.input, without=("H20SelfAbsorptionCoefficients",))
        self.expect_refusal("H20SelfAbsorptionCoefficients: missing")
        write(self.input, shorter=("pupper",))
        self.expect_refusal("has shape (2, 16, 16, 46, 5, 5), expected at least (1, 1, 16, 47, 5, 1)")

        def not_finite(values):
            values["KeySpeciesAbsorptionCoefficientsLowerAtmos"][0, 2, 3, 4, 1, 5] = np.nan
        write(self.input, spoil=not_finite)
        self.expect_refusal("KeySpeciesAbsorptionCoefficientsLowerAtmos(0, 2, 3, 4, 1, 5) = nan")

        def negative(values):
            values["H20ForeignAbsorptionCoefficients"][0, 0, 0, 0] = -1
        write(self.input, spoil=negative)
        self.expect_refusal("record 1")

    def test_input_is_not_written_over(self):
        write(self.input)
        before = self.input.read_bytes()
        self.output = self.input
        self.expect_refusal("is the input file")
        self.assertEqual(self.input.read_bytes(), before)


if __name__ == "__main__":
    if not FORTRAN.is_file():
        print("skipped: no reference data")
        sys.exit(77)
    if "has no netCDF" in subprocess.run([PROGRAM, "coefficients", "--help"], text=True, capture_output=True,
                                         check=False).stdout:
        print("skipped: this build has no netCDF library")
        sys.exit(77)
    unittest.main(verbosity=2)
