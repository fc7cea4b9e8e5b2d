#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Radiances of layers: the bits of the program, shapes that are spread, and what is refused."""
import numpy
import parhelion
from python_testing import DATA, Case, main, make, needs_data, needs_program, program, scratch, h5py

NAMES = {"optical_depth": "od", "planck": "planck_atm", "mu": "mu", "weight": "weight", "planck_sfc": "planck_sfc",
         "emissivity": "emissivity", "reflectivity": "reflectivity", "cosmic": "cosmic", "cos_sun": "cos_sun",
         "solar_irradiance": "solar_irradiance", "direct_reflectivity": "direct_reflectivity"}
ALL = ("toa", "up", "dn", "up_emergent")


def arguments_of(group):
    """Arguments of adding() for a group in the layout of the program, index 0 at the top."""
    arguments = {ours: group[theirs][:] for ours, theirs in NAMES.items() if theirs in group}
    kinds = "_types" if "pff_types" in group else ""
    if f"pff{kinds}" in group:
        arguments["single_scattering_albedo"] = group["ssa"][:]
        arguments["phase_forward"] = group[f"pff{kinds}"][:]
        arguments["phase_backward"] = group[f"pbb{kinds}"][:]
        shape = group["od"].shape
        arguments["phase"] = (group["type"][:] - 1 if kinds else
                              numpy.broadcast_to(numpy.arange(shape[1]), shape)).astype("int32")
    return {**arguments, "vertical_order": "top_first"}


def profiles(nprofile=3, nlay=4, nangle=2):
    """Arguments of adding() without scattering, all different."""
    rows = numpy.arange(nprofile)[:, None]
    return {"optical_depth": 0.1 + 0.05 * numpy.arange(nlay) + 0.01 * rows,
            "planck": 90. - 5 * numpy.arange(nlay) + rows,
            "mu": numpy.tile(numpy.linspace(0.2, 0.8, nangle), (nprofile, 1)),
            "weight": numpy.full((nprofile, nangle), 1 / nangle), "planck_sfc": 100. + rows[:, 0],
            "emissivity": numpy.full((nprofile, nangle), 0.9), "cosmic": numpy.zeros(nprofile),
            "reflectivity": numpy.full((nprofile, nangle, nangle), 0.1 / nangle)}


class SameAsProgram(Case):
    def compare(self, path):
        folder = scratch(self)
        program("adding", path, "--levels", "-o", folder / "out.nc")
        with h5py.File(path) as file, h5py.File(folder / "out.nc") as expected:
            for name, group in file.items():
                found = parhelion.adding(**arguments_of(group), results=ALL)
                for ours, theirs in (("up_emergent", "rad_up"), ("up", "full_up"), ("dn", "full_dn")):
                    self.assert_same(found[ours], expected[name][theirs][:], f"{name}: {ours}")
                self.assert_same(found.toa, expected[name]["rad_up"][:, 0], f"{name}: toa")

    @needs_program
    def test_analytic_profiles(self):
        path = scratch(self) / "in.h5"
        make("analytic_profiles.py", path)
        self.compare(path)

    @needs_program
    @needs_data("ada/scatter.h5", "ada/clear.h5")
    def test_reference_profiles(self):
        for name in ("scatter", "clear"):
            self.compare(DATA / f"ada/{name}.h5")


class Arrays(Case):
    def test_results_that_are_named(self):
        values = profiles()
        self.assertEqual(list(parhelion.adding(**values)), ["toa"])
        found = parhelion.adding(**values, results=("dn", "up"))
        self.assertEqual(list(found), ["up", "dn"])
        self.assertEqual(found.up.shape, (3, 5, 2))
        self.assertEqual(list(parhelion.adding(**values, results="up_emergent")), ["up_emergent"])

    def test_vertical_orders(self):
        values = profiles()
        found = parhelion.adding(**values, results=ALL)
        turned = {**values, "optical_depth": values["optical_depth"][:, ::-1], "planck": values["planck"][:, ::-1]}
        other = parhelion.adding(**turned, vertical_order="top_first", results=ALL)
        self.assert_same(other.toa, found.toa)
        for name in ("up", "dn", "up_emergent"):
            self.assert_same(other[name][:, ::-1], found[name], name)

    def test_what_counts_for_all_profiles(self):
        values = profiles()
        expected = parhelion.adding(**values, results=ALL)
        spread = {**values, "mu": values["mu"][0], "weight": values["weight"][:1], "emissivity": 0.9, "cosmic": 0.,
                  "reflectivity": values["reflectivity"][0]}
        self.assert_same_results(parhelion.adding(**spread, results=ALL), expected)

    def test_one_profile(self):
        values = profiles()
        expected = parhelion.adding(**values, results=ALL)
        one = parhelion.adding(**{name: value[1] for name, value in values.items()}, results=ALL)
        self.assertEqual(one.up.shape, (5, 2))
        self.assert_same_results(one, {name: expected[name][1] for name in expected})

    def test_object(self):
        values = profiles()
        expected = parhelion.adding(**values)
        with parhelion.Adding() as solver:
            for _ in range(2):
                self.assert_same_results(solver.solve(**values), expected)

    def test_refusals(self):
        def refuse(kind, expression, **changes):
            self.assert_raises(kind, expression, parhelion.adding, **{**profiles(), **changes})
        refuse(ValueError, "shape", planck=numpy.ones((3, 5)))
        refuse(ValueError, "optical_depth", optical_depth=-numpy.ones((3, 4)))
        refuse(TypeError, "phase: has entries of type int64, expected int32", phase=numpy.zeros((3, 4), "int64"))
        refuse(TypeError, "phase = 0.5, expected an integer", phase=0.5)
        refuse(TypeError, "'albedo'; did you mean", albedo=1.)
        refuse(ValueError, "reflectivity", reflectivity=0.1)


if __name__ == "__main__":
    main()
