#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Datasets of xarray with CF names and units: those of the program's files, other dimensions, units and orders."""
import sys

import numpy
import parhelion
from python_testing import (COEFFICIENTS, DATA, SIMPLE, Case, columns, main, needs_data, needs_program, program,
                            python, scratch, h5py)

try:
    import xarray
except ImportError:
    print("skipped: there is no xarray")
    sys.exit(77)
import parhelion.xarray


def cf_dataset(values=None):
    """Columns over (time, place) with names of our own, CF's standard names, and the vertical in the middle."""
    values = columns(6) if values is None else values
    described = {
        "p": ("pressure_lay", ("lay",), "Pa", "air_pressure"),
        "p_half": ("pressure_lev", ("lev",), "Pa", "air_pressure"),
        "t": ("temperature_lay", ("lay",), "K", "air_temperature"),
        "t_half": ("temperature_lev", ("lev",), "K", "air_temperature"),
        "skin": ("temperature_sfc", (), "K", "surface_temperature"),
        "eps": ("emissivity_sfc", (), "1", "surface_longwave_emissivity"),
        "q": ("h2o", ("lay",), "mol mol-1", "mole_fraction_of_water_vapor_in_air"),
        "c": ("co2", ("lay",), "mol mol-1", "mole_fraction_of_carbon_dioxide_in_air"),
    }
    variables = {}
    for name, (argument, vertical, units, standard_name) in described.items():
        array = values["gases"][argument] if argument in values["gases"] else values[argument]
        array = numpy.moveaxis(array.reshape((2, 3, *array.shape[1:])), 1, -1)
        variables[name] = (("time", *vertical, "place"), array, {"units": units, "standard_name": standard_name})
    coordinates = {"time": [0., 6.], "lat": ("place", [-10., 0., 10.])}
    return xarray.Dataset(variables, coordinates)


def in_file_order(array):
    """(column, vertical) as (time, place, vertical)."""
    return array.reshape((2, 3, *array.shape[1:]))


@needs_program
class SameAsProgram(Case):
    def compare(self, name, names, **options):
        folder = scratch(self)
        program("fluxes", DATA / name, "--coefficients", COEFFICIENTS, "-o", folder / "out.nc")
        with xarray.open_dataset(DATA / name, decode_times=False) as dataset:
            found = parhelion.xarray.longwave(dataset, coefficients=COEFFICIENTS, dtype="float64", **options)
        with h5py.File(folder / "out.nc") as file:
            for ours, theirs in names.items():
                self.assert_same(found[ours].values, file[theirs][:], ours)
        return found

    @needs_data("rrtmg_lw/RRTMG_LW_DATA.DBL", "rfmip/rfmip_atmospheres.nc")
    def test_rfmip(self):
        found = self.compare("rfmip/rfmip_atmospheres.nc",
                             {"flux_up": "rlu", "flux_dn": "rld", "heating_rate": "heating_rate"})
        self.assertEqual(found.flux_up.dims, ("expt", "site", "level"))
        self.assertEqual(found.attrs["vertical_order"], "index 0 is the highest layer")
        self.assertIn("lat", found.coords)

    @needs_data("rrtmg_lw/RRTMG_LW_DATA.DBL", "rrtmg_lw/case_clear_a.nc")
    def test_columns(self):
        self.compare("rrtmg_lw/case_clear_a.nc", {name: name for name in ("flux_up", "flux_dn", "heating_rate")})

    @needs_data("rrtmg_lw/RRTMG_LW_DATA.DBL", "rrtmg_lw/case_cloud_a.nc")
    def test_clouds(self):
        names = ("flux_up", "flux_dn", "heating_rate", "flux_up_clear", "flux_dn_clear", "heating_rate_clear")
        self.compare("rrtmg_lw/case_cloud_a.nc", {name: name for name in names}, clear=True)


class Import(Case):
    def test_by_first_use(self):
        self.assertEqual(python("import parhelion; print(parhelion.xarray.longwave.__name__)"), (0, "longwave\n", ""))
        self.assert_raises(AttributeError, "no attribute 'xarrays'", getattr, parhelion, "xarrays")


class Datasets(Case):
    def solve(self, dataset, **more):
        return parhelion.xarray.longwave(dataset, **{**SIMPLE, **more})

    def setUp(self):
        self.expected = parhelion.longwave(**columns(6), **SIMPLE)
        self.dataset = cf_dataset()

    def check(self, found):
        for name, array in self.expected.items():
            vertical = "lay" if name == "heating_rate" else "lev"
            self.assert_same(found[name].transpose("time", "place", vertical).values, in_file_order(array), name)

    def test_standard_names(self):
        found = self.solve(self.dataset)
        self.check(found)
        self.assertEqual(found.flux_up.dims, ("time", "place", "lev"))
        self.assertEqual(found.flux_up.attrs["standard_name"], "upwelling_longwave_flux_in_air")
        self.assertEqual(found.flux_up.attrs["units"], "W m-2")
        self.assertEqual(found.heating_rate.attrs["standard_name"],
                         "tendency_of_air_temperature_due_to_longwave_heating")
        self.assertEqual(found.attrs["Conventions"], "CF-1.10")
        self.assertEqual(sorted(found.coords), ["lat", "p", "p_half", "time"])

    def test_dimensions_in_any_order(self):
        for dimensions in (("lay", "place", "lev", "time"), ("place", "time", "lev", "lay")):
            self.check(self.solve(self.dataset.transpose(*dimensions)))

    def test_pressure_as_coordinate(self):
        one = self.dataset.assign({name: self.dataset[name].isel(time=0, place=0) for name in ("p", "p_half")})
        self.check(self.solve(one.set_coords(["p", "p_half"])))

    def test_one_column(self):
        found = self.solve(self.dataset.isel(time=1, place=2))
        self.assertEqual(found.flux_up.dims, ("lev",))
        self.assert_same(found.flux_up.values, self.expected.flux_up[5])

    def test_what_counts_for_all(self):
        values = columns(6)
        values["gases"]["co2"][:] = 4e-4
        values["emissivity_sfc"][:] = 0.98
        self.expected = parhelion.longwave(**values, **SIMPLE)
        units = {"units": "ppmv", "standard_name": "mole_fraction_of_carbon_dioxide_in_air"}
        dataset = cf_dataset(values).drop_vars(["c", "eps"])
        for dimensions, array in (((), 400.), (("place",), numpy.full(3, 400.)), (("lay",), numpy.full(12, 400.))):
            whole = dataset.assign(c=(dimensions, array, units),
                                   emis=((), 0.98, {"units": "1"}))
            found = self.solve(whole)
            numpy.testing.assert_allclose(found.flux_up.values, in_file_order(self.expected.flux_up), rtol=1e-14)

    def test_vertical_order(self):
        found = self.solve(self.dataset.isel(lay=slice(None, None, -1), lev=slice(None, None, -1)))
        self.assertEqual(found.attrs["vertical_order"], "index 0 is the highest layer")
        self.check(found.isel(lay=slice(None, None, -1), lev=slice(None, None, -1)))
        mixed = self.dataset.copy(deep=True)
        mixed.p_half.values[0, :, 0] = mixed.p_half.values[0, ::-1, 0]
        self.assert_raises(ValueError, "p_half: falls with the index in some columns", self.solve, mixed)

    def test_units(self):
        for unit, factor in (("hPa", 100.), ("mbar", 100.), ("kPa", 1000.)):
            dataset = self.dataset.copy(deep=True)
            for name in ("p", "p_half"):
                dataset[name] = dataset[name] / factor
                dataset[name].attrs = {"units": unit, "standard_name": "air_pressure"}
            numpy.testing.assert_allclose(self.solve(dataset).flux_up.values, self.solve(self.dataset).flux_up.values,
                                          rtol=1e-13)
        dataset["p_half"] = dataset.p_half * 1000.
        dataset.p_half.attrs = {"units": "Pa", "standard_name": "air_pressure"}
        numpy.testing.assert_allclose(self.solve(dataset).flux_up.values, self.solve(self.dataset).flux_up.values,
                                      rtol=1e-13)

    def test_refused_units(self):
        for name, unit, expected in (("p", "atm", "Pa, hPa, mbar or kPa"), ("t", "degC", "K"), ("skin", "celsius", "K"),
                                     ("q", "kg kg-1", "mol mol-1, 1, ppmv"), ("eps", "W m-2", "1"), ("q", "-1", "mol")):
            dataset = self.dataset.copy()
            dataset[name].attrs["units"] = unit
            self.assert_raises(ValueError, f"^{name}: units = '{unit}', expected {expected}", self.solve, dataset)
        del self.dataset.t.attrs["units"]
        self.assert_raises(ValueError, "^t: has no attribute units, expected K", self.solve, self.dataset)

    def test_mole_fractions_of_moist_air(self):
        moist = self.dataset.copy(deep=True)
        dry = 1 - moist.q.values / (1 + moist.q.values)
        moist.c.values *= dry
        moist.q.values[:] = moist.q.values / (1 + moist.q.values)
        found = self.solve(moist, mole_fractions="moist")
        numpy.testing.assert_allclose(found.flux_up.values, in_file_order(self.expected.flux_up), rtol=1e-12)
        self.assertTrue(numpy.any(self.solve(moist).flux_up.values != found.flux_up.values))

    def test_names(self):
        dataset = self.dataset.drop_vars("skin").assign(
            sst=self.dataset.skin.drop_attrs() if hasattr(self.dataset, "drop_attrs") else self.dataset.skin)
        dataset.sst.attrs = {"units": "K"}
        self.assert_raises(ValueError, "temperature_sfc: the dataset has no such variable, expected temperature_sfc or",
                           self.solve, dataset)
        self.check(self.solve(dataset, names={"temperature_sfc": "sst"}))
        self.assert_raises(ValueError, "no variable 'tskin' for temperature_sfc", self.solve, dataset,
                           names={"temperature_sfc": "tskin"})
        self.assert_raises(TypeError, "names has no argument 'tsfc'", self.solve, dataset, names={"tsfc": "sst"})

    def test_two_candidates(self):
        dataset = self.dataset.assign(other=self.dataset.skin)
        self.assert_raises(ValueError, "temperature_sfc: .* have the standard name surface_temperature", self.solve,
                           dataset)

    def test_other_refusals(self):
        self.assert_raises(TypeError, "dataset: is <class 'dict'>, expected an xarray.Dataset", self.solve, {})
        self.assert_raises(TypeError, "has no argument 'overlaps'; did you mean 'overlap'", self.solve, self.dataset,
                           overlaps="random")
        self.assert_raises(ValueError, "pressure_lay, pressure_lev: expected two variables", self.solve,
                           self.dataset.drop_vars("p_half"))
        hole = self.dataset.copy(deep=True)
        hole.t.values[1, 4, 2] = numpy.nan
        self.assert_raises(ValueError, r"^t\(1, 4, 2\): is missing", self.solve, hole)


if __name__ == "__main__":
    main()
