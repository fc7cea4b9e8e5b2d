#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Longwave fluxes: the bits of the program, results that are asked for, objects, and what is refused."""

import numpy
import parhelion
from python_testing import (COEFFICIENTS, DATA, SIMPLE, Case, columns, main, make, needs_data, needs_program, program,
                            scratch, h5py)

GASES = ("h2o", "co2", "o3", "n2o", "ch4", "o2", "ccl4", "cfc11", "cfc12", "cfc22")


def arguments_of(file):
    """Arguments of longwave() for a file in the column layout, as its arrays are."""
    names = {"pressure_lay": "play", "pressure_lev": "plev", "temperature_lay": "tlay", "temperature_lev": "tlev",
             "temperature_sfc": "tsfc", "emissivity_sfc": "emis"}
    arguments = {ours: file[theirs][:] for ours, theirs in names.items()}
    arguments["gases"] = {gas: file[f"{gas}vmr"][:] for gas in GASES if f"{gas}vmr" in file}
    arguments["pressure_factor"] = 100. if file["play"].attrs["units"] in (b"hPa", "hPa") else 1.
    return arguments


class SameAsProgram(Case):
    def compare(self, found, path, names=("flux_up", "flux_dn", "heating_rate")):
        with h5py.File(path) as file:
            for name in names:
                self.assert_same(found[name], file[name][:], name)

    @needs_program
    def test_simple_model(self):
        folder = scratch(self)
        make("analytic_atmospheres.py", folder / "in.nc")
        program("fluxes", folder / "in.nc", "--gas-optics", "simple", "-o", folder / "out.nc")
        with h5py.File(folder / "in.nc") as file:
            found = parhelion.longwave(**arguments_of(file), model="simple")
        self.compare(found, folder / "out.nc")

    @needs_program
    @needs_data("rrtmg_lw/RRTMG_LW_DATA.DBL", "rrtmg_lw/case_clear_a.nc")
    def test_rrtmg_clear(self):
        folder, path = scratch(self), DATA / "rrtmg_lw/case_clear_a.nc"
        program("fluxes", path, "--coefficients", COEFFICIENTS, "--derivative", "--bands", "-o", folder / "out.nc")
        with h5py.File(path) as file:
            found = parhelion.longwave(**arguments_of(file), coefficients=COEFFICIENTS, derivative=True, bands=True)
        self.compare(found, folder / "out.nc", list(found))
        self.assertEqual(set(found), {"flux_up", "flux_dn", "heating_rate", "dflux_up_dt", "flux_up_band",
                                      "flux_dn_band"})

    @needs_program
    @needs_data("rrtmg_lw/RRTMG_LW_DATA.DBL", "rrtmg_lw/case_cloud_a.nc")
    def test_rrtmg_clouds_of_gpoints(self):
        folder, path = scratch(self), DATA / "rrtmg_lw/case_cloud_a.nc"
        program("fluxes", path, "--coefficients", COEFFICIENTS, "-o", folder / "out.nc")
        with h5py.File(path) as file:
            clouds = {"fraction_gpt": "cldfmcl", "ice_path_gpt": "ciwpmcl", "liquid_path_gpt": "clwpmcl",
                      "optical_depth_gpt": "taucmcl", "ice_size": "reicmcl", "liquid_size": "relqmcl",
                      "cloud_input": "inflglw", "ice_optics": "iceflglw", "liquid_optics": "liqflglw"}
            values = {ours: file[name][:] for ours, name in clouds.items()}
            values["fraction_gpt"] = values["fraction_gpt"].astype("float64")
            found = parhelion.longwave(**arguments_of(file), **values, path_factor=1e-3, particle_size_factor=1e-6,
                                       clear=True, coefficients=COEFFICIENTS)
        self.compare(found, folder / "out.nc", list(found))
        self.assertIn("flux_up_clear", found)

    @needs_program
    @needs_data("rrtmg_lw/RRTMG_LW_DATA.DBL")
    def test_clouds_of_layers(self):
        folder = scratch(self)
        make("analytic_atmospheres.py", "--clouds", folder / "in.nc")
        program("fluxes", folder / "in.nc", "--coefficients", COEFFICIENTS, "--overlap", "exponential", "--seed", 7,
                "-o", folder / "out.nc")
        clouds = {"fraction": "cldfrac", "ice_path": "ciwp", "liquid_path": "clwp", "ice_size": "rei",
                  "liquid_size": "rel"}
        with h5py.File(folder / "in.nc") as file:
            found = parhelion.longwave(**arguments_of(file), **{ours: file[name][:] for ours, name in clouds.items()},
                                       path_factor=1e-3, particle_size_factor=1e-6, overlap="exponential", seed=7,
                                       coefficients=COEFFICIENTS, clear=True)
        self.compare(found, folder / "out.nc", list(found))


class Results(Case):
    def test_attributes_and_keys(self):
        result = parhelion.longwave(**columns(), **SIMPLE)
        self.assertEqual(list(result), ["flux_up", "flux_dn", "heating_rate"])
        self.assertIs(result.flux_up, result["flux_up"])
        self.assertIn("flux_up", dir(result))
        self.assertEqual(result.counts, (0, "none"))
        self.assert_raises(AttributeError, "flux_ups: no such result; there are flux_up, ", getattr, result, "flux_ups")
        self.assertEqual(result.flux_up.shape, (5, 13))
        self.assertEqual(result.heating_rate.shape, (5, 12))

    def test_object_is_called_again_with_other_columns(self):
        whole = columns(7)
        expected = parhelion.longwave(**whole, **SIMPLE)
        with parhelion.Longwave(nlay=12, ncol=7, **SIMPLE) as solver:
            for rows in (slice(0, 7), slice(2, 3), slice(3, 6)):
                part = {name: value[rows] for name, value in whole.items() if name != "gases"}
                part["gases"] = {gas: value[rows] for gas, value in whole["gases"].items()}
                found = solver.solve(**part)
                self.assert_same_results(found, {name: expected[name][rows] for name in expected})
            host, device = solver.bytes()
            self.assertGreater(host, 0)
            self.assertGreaterEqual(device, 0)
        self.assert_raises(RuntimeError, "has been closed", solver.solve, **whole)

    def test_fewer_layers_than_made_for(self):
        expected = parhelion.longwave(**columns(nlay=9), **SIMPLE)
        self.assert_same_results(parhelion.Longwave(nlay=12, **SIMPLE).solve(**columns(nlay=9)), expected)

    def test_some_results_are_enough(self):
        expected = parhelion.longwave(**columns(), **SIMPLE)
        for names in (["flux_up"], ["flux_dn", "heating_rate"]):
            found = parhelion.longwave(**columns(), **SIMPLE, results=names)
            self.assertEqual(list(found), names)
            self.assert_same_results(found, {name: expected[name] for name in names})
        self.assertEqual(list(parhelion.longwave(**columns(), **SIMPLE, results="flux_dn")), ["flux_dn"])

    def test_heating_rates_follow_heat_capacity(self):
        first = parhelion.longwave(**columns(), **SIMPLE, heat_capacity=1004.)
        second = parhelion.longwave(**columns(), **SIMPLE, heat_capacity=2008.)
        numpy.testing.assert_allclose(first.heating_rate, 2 * second.heating_rate, rtol=1e-14)

    def test_precision_of_calculation(self):
        double, single = columns(), columns(dtype="float32")
        exact = parhelion.longwave(**double, **SIMPLE)
        for values in (double, single):
            found = parhelion.longwave(**values, **SIMPLE, precision="float32")
            self.assertEqual(found.flux_up.dtype, values["pressure_lay"].dtype)
            numpy.testing.assert_allclose(found.flux_up, exact.flux_up, rtol=2e-5)
        rounded = parhelion.longwave(**single, **SIMPLE)
        numpy.testing.assert_allclose(rounded.flux_up, exact.flux_up, rtol=2e-6)

    def test_clipped_values_are_counted(self):
        values = columns()
        values["emissivity_sfc"][2] = 1.0000001
        values["gases"]["h2o"][1, 3] = -1e-12
        self.assert_raises(ValueError, r"emissivity_sfc\(2", parhelion.longwave,
                           **{**values, "gases": columns()["gases"]}, **SIMPLE)
        count, text = parhelion.longwave(**values, **SIMPLE, checks="clip").counts
        self.assertEqual(count, 2)
        self.assertIn("1 of emissivity_sfc", text)


@needs_data("rrtmg_lw/RRTMG_LW_DATA.DBL")
class Spectral(Case):
    """Arrays whose last dimension has an extent that the model knows."""

    def test_numbers_and_extents_of_one(self):
        def solve(**more):
            return parhelion.longwave(**columns(), **more, coefficients=COEFFICIENTS)
        expected = solve(aerosol=numpy.full((5, 12, 16), 0.1))
        for aerosol in (0.1, numpy.full((5, 12, 1), 0.1), numpy.full((12, 1), 0.1), numpy.full(16, 0.1)):
            self.assert_same_results(solve(aerosol=aerosol), expected)
        expected = solve(incident_flux=numpy.full((5, 140), 0.01))
        for flux in (0.01, numpy.full((5, 1), 0.01)):
            self.assert_same_results(solve(incident_flux=flux), expected)
        clouds = {"fraction_gpt": 1., "ice_path_gpt": 0.01, "liquid_path_gpt": 0.02}
        sizes = {"ice_size": 5e-5, "liquid_size": 1e-5}
        expected = solve(**{name: numpy.full((5, 12, 140), value) for name, value in clouds.items()}, **sizes)
        self.assert_same_results(solve(**clouds, **sizes), expected)
        self.assert_raises(ValueError, r"aerosol has shape \(5, 12, 14\), expected \(5, 12, 16\)", solve,
                           aerosol=numpy.zeros((5, 12, 14)))


class Refusals(Case):
    def refuse(self, kind, expression, **changes):
        self.assert_raises(kind, expression, parhelion.longwave, **{**columns(), **SIMPLE, **changes})

    def test_unknown_names(self):
        self.refuse(TypeError, "longwave.. has no argument 'presure_lay'; did you mean 'pressure_lay'", presure_lay=1.)
        self.refuse(TypeError, "gases has no gas 'cfc13'; did you mean 'cfc1", gases={"cfc13": 1.})
        self.refuse(TypeError, "results has no result 'flux'; did you mean 'flux_", results=("flux",))
        self.refuse(TypeError, "out has no result 'flux_net'", out={"flux_net": numpy.empty((5, 13))})
        self.assert_raises(TypeError, "Longwave.. has no option 'layers'", parhelion.Longwave, layers=3)

    def test_options(self):
        self.refuse(ValueError, "checks = 'ignore', expected one of refuse, clip, trust", checks="ignore")
        self.refuse(TypeError, "checks: is <class 'int'>, expected one of", checks=1)
        self.refuse(TypeError, "clear = 'yes', expected True or False", clear="yes")
        self.assertIn("flux_up_clear", parhelion.longwave(**columns(), **SIMPLE, clear=numpy.True_))
        of_any = parhelion.Longwave(nlay=12, gases=(name for name in ["h2o", "co2"]), **SIMPLE)
        self.assert_same_results(of_any.solve(**columns()), parhelion.longwave(**columns(), **SIMPLE))
        for names in ([], "", ["h2o", ""]):
            self.assert_raises(ValueError, "gases = .*, expected at least one name", parhelion.Longwave, nlay=12,
                               gases=names, **SIMPLE)
        self.refuse(RuntimeError, "no such space", space="no such space")
        self.refuse(ValueError, "seed = -1, expected an integer from 0", seed=-1)
        self.refuse(TypeError, "gravity: is <class 'str'>, expected a number", gravity="9.8")
        self.refuse(TypeError, "coefficients: is <class 'int'>, expected a path", coefficients=5)
        self.assert_raises(ValueError, "nlay", parhelion.Longwave, **SIMPLE)

    def test_zeros_are_no_defaults(self):
        for name in ("heat_capacity", "gravity", "pressure_factor", "path_factor", "particle_size_factor", "angles"):
            for zero in (0, 0., numpy.zeros(()), numpy.float32(0)):
                self.refuse(ValueError, f"{name} = 0.*, expected a positive number; leave it out for the default",
                            **{name: zero})
        expected = parhelion.longwave(**columns(), **SIMPLE)
        found = parhelion.longwave(**columns(), **SIMPLE, heat_capacity=None, chunk=0, seed=0, first_column=0)
        self.assert_same(found.heating_rate, expected.heating_rate)

    def test_shapes_and_values(self):
        values = columns()
        self.refuse(ValueError, "pressure_lev", pressure_lev=values["pressure_lev"][:, 1:])
        self.refuse(ValueError, "temperature_lay", temperature_lay=values["temperature_lay"][:3])
        self.refuse(ValueError, "temperature_sfc", temperature_sfc=values["temperature_lay"])
        self.refuse(ValueError, "h2o", gases={"h2o": values["pressure_lev"], "co2": 4e-4})
        self.refuse(ValueError, "temperature_sfc.3", temperature_sfc=numpy.array([290, 290, 290, numpy.nan, 290]))
        self.refuse(ValueError, "pressure_lay", pressure_lay=None)
        self.refuse(ValueError, "temperature_lay: has 5 dimensions", temperature_lay=numpy.ones((1, 1, 1, 5, 12)))

    def test_files(self):
        self.assert_raises(FileNotFoundError, "no_such_file", parhelion.longwave, **columns(),
                           coefficients="/tmp/no_such_file")
        path = scratch(self) / "RRTMG_LW_DATA"
        path.write_bytes(b"not coefficients")
        self.assert_raises(OSError, "RRTMG_LW_DATA", parhelion.longwave, **columns(), coefficients=path)

    def test_results_that_object_is_not_made_for(self):
        solver = parhelion.Longwave(nlay=12, **SIMPLE)
        self.assert_raises(ValueError, "flux_up_clear", solver.solve, **columns(),
                           results=("flux_up", "flux_dn", "heating_rate", "flux_up_clear", "flux_dn_clear",
                                    "heating_rate_clear"))


if __name__ == "__main__":
    main()
