#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Datasets of xarray with CF names and units: those of the program's files, other dimensions, units and orders."""
import sys

import numpy
import parhelion
from python_testing import (COEFFICIENTS, DATA, SIMPLE, SW_COEFFICIENTS, Case, columns, h5py, main, needs_data,
                            needs_program, program, python, scratch, sunny_columns)

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
    def compare(self, name, names, solver="longwave", **options):
        folder = scratch(self)
        coefficients = COEFFICIENTS if solver == "longwave" else SW_COEFFICIENTS
        program("fluxes", DATA / name, f"--{solver}", "--coefficients", coefficients, "-o", folder / "out.nc")
        with xarray.open_dataset(DATA / name, decode_times=False) as dataset:
            found = getattr(parhelion.xarray, solver)(dataset, coefficients=coefficients, dtype="float64", **options)
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

    def compare_shortwave(self, name, more=(), **options):
        names = ("flux_up", "flux_dn", "flux_dn_direct", "heating_rate", *more)
        return self.compare(name, {each: f"sw_{each}" for each in names}, "shortwave", **options)

    @needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL", "rfmip/rfmip_atmospheres.nc")
    def test_shortwave_of_rfmip(self):
        found = self.compare("rfmip/rfmip_atmospheres.nc",
                             {"flux_up": "rsu", "flux_dn": "rsd", "flux_dn_direct": "sw_flux_dn_direct",
                              "heating_rate": "sw_heating_rate"}, "shortwave")
        self.assertEqual(found.flux_up.dims, ("expt", "site", "level"))
        self.assertEqual(found.flux_dn_direct.attrs["standard_name"], "direct_downwelling_shortwave_flux_in_air")

    @needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL", "rrtmg_sw/case_sw_clear_a.nc")
    def test_suns_of_columns(self):
        self.compare_shortwave("rrtmg_sw/case_sw_clear_a.nc")

    @needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL", "rrtmg_sw/case_sw_cloud_a.nc")
    def test_shortwave_clouds(self):
        more = ("flux_up_clear", "flux_dn_clear", "heating_rate_clear")
        self.compare_shortwave("rrtmg_sw/case_sw_cloud_a.nc", more, clear=True)


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
        self.assert_raises(TypeError, "names: is <class 'list'>, expected a mapping", self.solve, dataset, names=["a"])

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


def sunny_dataset():
    """Columns over (time, place) with names of the program's files, for both ranges."""
    values = {**columns(6), **sunny_columns(6)}
    names = {"pressure_lay": ("play", "Pa"), "pressure_lev": ("plev", "Pa"), "temperature_lay": ("tlay", "K"),
             "temperature_lev": ("tlev", "K"), "temperature_sfc": ("tsfc", "K"), "emissivity_sfc": ("emis", "1"),
             "cos_zenith": ("coszen", "1")}
    arrays = {name: (values[ours], unit) for ours, (name, unit) in names.items()}
    arrays.update({f"{gas}vmr": (array, "mol mol-1") for gas, array in values["gases"].items()})
    for kind, name in (("direct", "dir"), ("diffuse", "dif")):
        for each in "sl":
            arrays[f"a{each}{name}"] = values[f"albedo_{kind}"], "1"

    def dimensions(array):
        return ("time", "place", *({12: ("lay",), 13: ("lev",)}[array.shape[1]] if array.ndim > 1 else ()))
    return xarray.Dataset({name: (dimensions(array), in_file_order(array), {"units": unit})
                           for name, (array, unit) in arrays.items()})


@needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL")
class Shortwave(Case):
    def solve(self, dataset, **more):
        return parhelion.xarray.shortwave(dataset, **{"coefficients": SW_COEFFICIENTS, **more})

    def setUp(self):
        self.values = sunny_columns(6)
        self.dataset = sunny_dataset()

    def expected(self, **more):
        return parhelion.shortwave(**{**self.values, "coefficients": SW_COEFFICIENTS, **more})

    def check(self, found, expected):
        for name, array in expected.items():
            vertical = "lay" if name.startswith("heating_rate") else "lev"
            self.assert_same(found[name].transpose("time", "place", vertical, ...).values, in_file_order(array), name)

    def test_results(self):
        found = self.solve(self.dataset, clear=True, parts=True, bands=True)
        self.check(found, self.expected(clear=True, parts=True, bands=True))
        self.assertEqual(found.flux_dn_band.dims, ("time", "place", "lev", "band"))
        self.assertEqual(found.band.size, 14)
        self.assertEqual(found.heating_rate.attrs["standard_name"],
                         "tendency_of_air_temperature_due_to_shortwave_heating")
        self.assertEqual(found.attrs["title"], "shortwave fluxes and heating rates")

    def test_total_heating_rate(self):
        longwave = parhelion.xarray.longwave(self.dataset, **SIMPLE)
        shortwave = self.solve(self.dataset)
        total = parhelion.xarray.total_heating_rate(longwave, shortwave)
        self.assert_same(total.values, longwave.heating_rate.values + shortwave.heating_rate.values)
        self.assertEqual(total.dims, ("time", "place", "lay"))
        self.assertEqual(total.attrs["standard_name"], "tendency_of_air_temperature_due_to_radiative_heating")
        fewer = self.solve(self.dataset.isel(place=slice(2)))
        self.assert_raises(ValueError, "heating_rate: .*expected those of one dataset",
                           parhelion.xarray.total_heating_rate, longwave, fewer)
        for name, dimension, first, second in (("time", "time", [0., 6.], [6., 12.]),
                                               ("lat", "place", [0., 1., 2.], [0., 1., 3.])):
            here = longwave.assign_coords({name: (dimension, first)})
            there = shortwave.assign_coords({name: (dimension, second)})
            self.assert_raises(ValueError, f"{name}: that of the longwave differs from that of the shortwave",
                               parhelion.xarray.total_heating_rate, here, there)

    def test_what_the_shortwave_does_not_use_may_be_anything(self):
        expected = self.solve(self.dataset)
        dataset = self.dataset.copy(deep=True)
        for name in ("tsfc", "tlev", "emis"):
            dataset[name].values[...] = numpy.nan
        dataset["n2ovmr"] = dataset.tlev
        dataset["tauaer"] = (("time", "place", "lay", "band"), numpy.full((2, 3, 12, 16), numpy.nan), {"units": "1"})
        self.assertTrue(self.solve(dataset).identical(expected))

    def test_height_of_the_sun(self):
        angle = numpy.degrees(numpy.arccos(self.dataset.coszen.values))
        for unit, values in (("degree", angle), ("radian", numpy.radians(angle))):
            dataset = self.dataset.drop_vars("coszen").assign(
                sza=(("time", "place"), values, {"units": unit, "standard_name": "solar_zenith_angle"}))
            numpy.testing.assert_allclose(self.solve(dataset).flux_dn.values, self.solve(self.dataset).flux_dn.values,
                                          rtol=1e-11)
        dataset.sza.values[0, 0] = numpy.pi / 2
        self.assertTrue((self.solve(dataset).flux_dn.values[0, 0] == 0).all())

    def test_albedo(self):
        expected = self.expected(albedo_direct=0.3, albedo_diffuse=0.3)
        without = self.dataset.drop_vars(["asdir", "asdif", "aldir", "aldif"])
        of_all = without.assign(surface_albedo=((), 0.3, {"units": "1"}))
        self.check(self.solve(of_all), expected)
        of_bands = without.assign(albedo_direct=(("sw_band",), numpy.full(14, 0.3), {"units": "1"}),
                                  albedo_diffuse=((), 30., {"units": "%"}))
        self.check(self.solve(of_bands), expected)
        bright = numpy.linspace(0, 0.9, 14)
        of_bands = without.assign(
            albedo_direct=(("sw_band", "place"), numpy.tile(bright, (3, 1)).T, {"units": "1"}),
            albedo_diffuse=(("sw_band",), bright, {"units": "1"}))
        bands = numpy.tile(bright, (6, 1))
        self.check(self.solve(of_bands), self.expected(albedo_direct=bands, albedo_diffuse=bands))

    def test_sun_of_columns(self):
        at_top = self.solve(self.dataset, sun="kurucz", total_irradiance=1368.22).flux_dn.values[:, :, -1]
        distance = xarray.DataArray([0.97, 1.03], dims=("time",), attrs={"units": "1"})
        dataset = self.dataset.assign(adjes=distance)
        found = self.solve(dataset, sun="kurucz", total_irradiance=1368.22).flux_dn.values[:, :, -1]
        numpy.testing.assert_allclose(found, at_top * distance.values[:, None], rtol=1e-12)
        dataset["scon"] = ("place", [1400., 1360., 1000.], {"units": "W m-2"})
        found = self.solve(dataset, sun="kurucz").flux_dn.values[:, :, -1]
        numpy.testing.assert_allclose(
            found, at_top * distance.values[:, None] * numpy.array([1400., 1360., 1000.]) / 1368.22, rtol=1e-12)
        # What the call says counts in the place of variables.
        again = self.solve(dataset, sun="kurucz", total_irradiance=1368.22, distance_factor=1.)
        self.assert_same(again.flux_dn.values[:, :, -1], at_top)
        dataset["isolvar"] = ("time", numpy.array([-1, 0], "int32"))
        mixed = self.solve(dataset).flux_dn.values
        self.assert_same(mixed[0], self.solve(dataset, sun="kurucz").flux_dn.values[0])
        self.assert_same(mixed[1], self.solve(dataset, sun="mean_cycle").flux_dn.values[1])
        dataset["adjes"] = (("time",), [1., 0.], {"units": "1"})
        self.assertTrue((self.solve(dataset).flux_dn.values[1] == 0).all())
        dataset["isolvar"] = ("time", numpy.array([-1, 4], "int32"))
        self.assert_raises(ValueError, "isolvar: expected -1", self.solve, dataset)

    def test_zeros_of_the_sun(self):
        """Variables have what files mean by 0; numbers of the call cannot be 0, with such variables or without."""
        expected = self.solve(self.dataset)
        spectrum = self.dataset.assign(scon=((), 0., {"units": "W m-2"}))
        numpy.testing.assert_allclose(self.solve(spectrum).flux_dn, expected.flux_dn, rtol=1e-6)
        dark = self.dataset.assign(adjes=((), 0., {"units": "1"}))
        self.assertTrue((self.solve(dark).flux_dn.values == 0).all())
        for dataset in (self.dataset, spectrum, dark):
            for name in ("total_irradiance", "distance_factor"):
                self.assert_raises(ValueError, f"{name} = 0.0, expected a positive number", self.solve, dataset,
                                   **{name: 0.})

    def test_flags(self):
        for name, value in (("dyofyr", 2**32 + 1), ("dyofyr", 1.5), ("isolvar", 2**32 - 1), ("iaer", -2**31 - 1),
                            ("iaer", numpy.nan)):
            self.assert_raises(ValueError, f"^{name}: has {value}, expected whole numbers of 32 bits", self.solve,
                               self.dataset.assign({name: ((), value)}))
        self.assert_raises(ValueError, "^iaer: has entries of type .*, expected whole numbers", self.solve,
                           self.dataset.assign_attrs(iaer="6"))

    def test_aerosol(self):
        depth = numpy.linspace(0, 0.2, 12 * 14).reshape(12, 14)
        variables = {"tauaer": depth, "ssaaer": numpy.full((12, 14), 0.8), "asmaer": numpy.full((12, 14), 0.6)}
        found = self.dataset.assign({name: (("lay", "band"), array, {"units": "1"})
                                     for name, array in variables.items()})
        # The longwave's has the name, and the shortwave's a prefix.
        found = found.rename(tauaer="sw_tauaer", band="sw_band").assign(
            tauaer=(("lay", "band"), numpy.zeros((12, 16)), {"units": "1"}))

        def of_columns(array):
            return numpy.tile(array, (6, 1, 1))
        expected = self.expected(aerosol_optical_depth=of_columns(depth),
                                 aerosol_single_scattering_albedo=of_columns(variables["ssaaer"]),
                                 aerosol_asymmetry=of_columns(variables["asmaer"]))
        self.check(self.solve(found), expected)
        found.attrs["iaer"] = 0
        self.check(self.solve(found), self.expected())

    def test_clouds_of_layers(self):
        layers = {"cldfrac": 0.5, "ciwp": 0., "clwp": 50., "rei": 30., "rel": 10.}
        units = {"cldfrac": "1", "ciwp": "g m-2", "clwp": "g m-2", "rei": "um", "rel": "um"}
        dataset = self.dataset.assign({name: (("lay",), numpy.full(12, value), {"units": units[name]})
                                       for name, value in layers.items()})
        ours = {"fraction": 0.5, "ice_path": 0., "liquid_path": 50., "ice_size": 30., "liquid_size": 10.}
        clouds = {name: numpy.full((6, 12), value) for name, value in ours.items()}
        clouds.update(path_factor=1e-3, particle_size_factor=1e-6, seed=5)
        self.check(self.solve(dataset, seed=5), self.expected(**clouds))
        temperature = columns(6)["temperature_lev"]
        self.check(self.solve(dataset, seed=5, overlap="exponential"),
                   self.expected(**clouds, temperature_lev=temperature, overlap="exponential"))

    def test_refusals(self):
        def refuse(expression, dataset, **more):
            self.assert_raises(ValueError, expression, self.solve, dataset, **more)
        refuse("cos_zenith: the dataset has no such variable, expected cos_zenith or coszen or solar_zenith_angle",
               self.dataset.drop_vars("coszen"))
        refuse("albedo_direct: the dataset has no such variable, expected albedo_direct or",
               self.dataset.drop_vars(["asdir", "asdif", "aldir", "aldif"]))
        refuse("aldif: the dataset has no such variable, expected aldif", self.dataset.drop_vars("aldif"))
        refuse("albedo_direct: the dataset has asdir and surface_albedo, expected one of them",
               self.dataset.assign(surface_albedo=((), 0.3, {"units": "1"})))
        self.dataset.coszen.attrs["units"] = "degree"
        refuse("coszen: units = 'degree', expected 1", self.dataset)
        self.assert_raises(TypeError, "parhelion.xarray.shortwave.. has no argument 'suns'; did you mean 'sun'",
                           self.solve, self.dataset, suns="kurucz")


if __name__ == "__main__":
    main()
