#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Radiation in a box: the bits of the program for built-in cases, sides, and what is refused."""
import numpy
import parhelion
from python_testing import DATA, Case, main, needs_data, needs_program, program, scratch, h5py

SIDES = ("x_low", "x_high", "y_low", "y_high", "z_low", "z_high")


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def arguments_of(file):
    """Arguments of monte_carlo() for a result of the program, which holds its problem."""
    arguments = {name: file[name][:] for name in ("x", "y", "z", "temperature", "mole_fraction") if name in file}
    sides = {}
    for side in SIDES:
        group = file["boundaries"][side]
        if text(group.attrs["type"]) == "periodic":
            sides[side] = "periodic"
            continue
        temperature = group["temperature"][:] if "temperature" in group else float(group.attrs["temperature"])
        sides[side] = {"temperature": temperature, "reflectivity": 1 - float(group.attrs["emissivity"])}
    return {**arguments, "sides": sides}


def box():
    """A small box of grey gas between two walls."""
    return {"gas": "grey", "absorption": 1., "rays": 64, "x": numpy.linspace(0, 1, 5), "y": numpy.linspace(0, 1, 3),
            "z": numpy.linspace(0, 2, 3), "temperature": 800. + 50. * numpy.arange(16.).reshape(4, 2, 2),
            "sides": {"x_low": {"temperature": 500.}, "x_high": {"temperature": 600., "reflectivity": 0.5},
                      "y": "periodic", "z": "periodic"}}


class SameAsProgram(Case):
    def compare(self, case, *options, **ours):
        path = scratch(self) / "out.nc"
        program("monte-carlo", "--case", case, "--cells", "6,5,4", "--rays", 128, "--seed", 3, *options, "-o", path)
        with h5py.File(path) as file:
            found = parhelion.monte_carlo(**arguments_of(file), rays=128, seed=3, **ours)
            for name, theirs in (("q", "q_radiative"), ("q_error", "q_radiative_error"),
                                 ("incident", "incident_radiation"),
                                 ("q_plane_error_x", "q_radiative_plane_error_x"),
                                 ("q_plane_error_y", "q_radiative_plane_error_y"),
                                 ("q_plane_error_z", "q_radiative_plane_error_z")):
                self.assert_same(found[name], file[theirs][:], name)
            self.assert_same(found.q_box_error, file["q_radiative_box_error"][()].reshape(1), "q_box_error")
            for name in ("wall_flux", "wall_flux_error"):
                self.assertEqual(sorted(found[name]), sorted(file[name]))
                for side, flux in found[name].items():
                    self.assert_same(flux, file[name][side][:], f"{name}: {side}")
            self.assertEqual(found.repetitions, 8)

    @needs_program
    def test_grey_slab(self):
        self.compare("case02", gas="grey", absorption=1.)

    @needs_program
    def test_shared_and_independent_directions(self):
        for directions in ("shared", "independent"):
            self.compare("case02", "--directions", directions, gas="grey", absorption=1., directions=directions)

    @needs_program
    def test_grey_cube_of_means(self):
        self.compare("case04", "--launch", "volume", gas="grey", absorption=5., ray_origin="volume")

    @needs_program
    def test_grey_walls(self):
        self.compare("wall_grey_lin1_e0.5_1", gas="grey", absorption=1.)

    @needs_program
    @needs_data("mc/h2o_nbck.h5")
    def test_narrow_bands(self):
        table = DATA / "mc/h2o_nbck.h5"
        self.compare("case10", "--spectrum", table, gas="narrow_bands", narrow_bands=table)


class Boxes(Case):
    def test_object(self):
        values = box()
        expected = parhelion.monte_carlo(**values)
        options = {name: values.pop(name) for name in ("gas", "absorption", "rays")}
        with parhelion.MonteCarlo(**options) as solver:
            for _ in range(2):
                found = solver.solve(**values)
                self.assert_same(found.q, expected.q)
        self.assertEqual(list(found.wall_flux), ["x_low", "x_high"])
        self.assertEqual(found.wall_flux["x_low"].shape, (2, 2))

    def test_temperature_of_faces(self):
        values = box()
        expected = parhelion.monte_carlo(**values)
        values["sides"]["x_low"] = {"temperature": numpy.full((2, 2), 500.)}
        # What faces emit is interpolated from 512 temperatures.
        largest = numpy.abs(expected.q).max()
        numpy.testing.assert_allclose(parhelion.monte_carlo(**values).q, expected.q, rtol=0, atol=1e-4 * largest)
        values["sides"]["x_low"] = {"temperature": numpy.full((2, 2), 900.)}
        self.assertGreater(numpy.abs(parhelion.monte_carlo(**values).q - expected.q).max(), 1e-2 * largest)

    def test_what_counts_for_all_cells(self):
        values = {**box(), "mole_fraction": 0.5}
        found = parhelion.monte_carlo(**values)
        values["mole_fraction"] = numpy.full((4, 2, 2), 0.5)
        self.assert_same(found.q, parhelion.monte_carlo(**values).q)

    def test_results_in_given_arrays(self):
        expected = parhelion.monte_carlo(**box())
        out = {"q": numpy.empty((4, 2, 2))[:, ::-1], "wall_flux": {"x_high": numpy.empty((2, 2))}}
        found = parhelion.monte_carlo(**box(), out=out)
        self.assertIs(found.q, out["q"])
        self.assertIs(found.wall_flux["x_high"], out["wall_flux"]["x_high"])
        self.assert_same(found.q, expected.q)
        self.assert_same(found.wall_flux["x_high"], expected.wall_flux["x_high"])

    def test_each_result_alone(self):
        expected = parhelion.monte_carlo(**box())
        for name in ("q_error", "incident", "q_box_error"):
            found = parhelion.monte_carlo(**box(), results=[name])
            self.assertEqual(list(found), [name, "reached_error", "repetitions"])
            self.assert_same(found[name], expected[name])
        found = parhelion.monte_carlo(**box(), results="wall_flux")
        self.assert_same(found.wall_flux["x_low"], expected.wall_flux["x_low"])

    def test_zeros_are_no_defaults(self):
        for name in ("pressure", "rays", "repetitions", "seed", "max_repetitions"):
            self.assert_raises(ValueError, f"{name} = 0, expected a positive number; leave it out for the default",
                               parhelion.monte_carlo, **{**box(), name: 0})
        self.assertEqual(numpy.abs(parhelion.monte_carlo(**{**box(), "absorption": 0.}).q).max(), 0)

    def test_refusals(self):
        def refuse(kind, expression, **changes):
            self.assert_raises(kind, expression, parhelion.monte_carlo, **{**box(), **changes})
        sides = box()["sides"]
        refuse(ValueError, "sides: missing", sides=None)
        refuse(ValueError, "sides: lacks z_low", sides={name: sides[name] for name in ("x_low", "x_high", "y")})
        refuse(ValueError, "sides: has y_low and y", sides={**sides, "y_low": "periodic"})
        refuse(ValueError, "sides.'y_low'. = 'wall', expected", sides={**sides, "y": "wall"})
        refuse(ValueError, "sides.'x_low'.: lacks temperature", sides={**sides, "x_low": {}})
        refuse(TypeError, "'x_low'. has no property of a wall 'emissivity'",
               sides={**sides, "x_low": {"temperature": 500., "emissivity": 1.}})
        refuse(ValueError, "reflectivity", sides={**sides, "x_low": {"temperature": 500., "reflectivity": 1.5}})
        refuse(ValueError, "temperature", temperature=numpy.full((4, 2, 3), 900.))
        refuse(ValueError, "x", x=numpy.linspace(1, 0, 5))
        refuse(ValueError, "gas = 'gray', expected one of grey,", gas="gray")
        refuse(FileNotFoundError, "no_such.h5", gas="narrow_bands", narrow_bands="no_such.h5")
        refuse(ValueError, "out: wall_flux: y_low is periodic", out={"wall_flux": {"y_low": numpy.empty((4, 2))}})


if __name__ == "__main__":
    main()
