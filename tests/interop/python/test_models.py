#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ecCKD and RRTMGP: the bits of the program, the reference's fluxes, what objects tell, datasets, and what is refused."""

import numpy
import parhelion
from python_testing import DATA, Case, h5py, main, needs_data, needs_program, program, scratch

try:
    import xarray
except ImportError:
    xarray = None

ECCKD_LW = "ecckd/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc"
ECCKD_SW = "ecckd/ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc"
ECCKD_CASE = "ecckd/case_clear_a.nc"
RRTMGP_LW = "rrtmgp/synthetic-gas-lw-g128.nc"
RRTMGP_SW = "rrtmgp/synthetic-gas-sw-g112.nc"
SKY_LW, SKY_SW = "rrtmgp/case_allsky_a_lw.nc", "rrtmgp/case_allsky_a_sw.nc"
CLEAR_LW, CLEAR_SW = "rrtmgp/case_clear_a_lw.nc", "rrtmgp/case_clear_a_sw.nc"
OF_ECCKD = {"pressure_lev": "pressure_hl", "temperature_lev": "temperature_hl"}
OF_RRTMGP = {"pressure_lay": "play", "pressure_lev": "plev", "temperature_lay": "tlay"}
TOP = {"vertical_order": "top_first"}  # as all the files have it
PROGRAM_NAMES = {"surface_share": "lw_derivative"}


def ecckd_columns(file, longwave):
    names = {**OF_ECCKD, **({"temperature_sfc": "skin_temperature", "emissivity_sfc": "lw_emissivity"} if longwave else
                            {"cos_zenith": "cos_solar_zenith_angle", "albedo_direct": "sw_albedo",
                             "albedo_diffuse": "sw_albedo"})}
    arguments = {ours: file[theirs][()] for ours, theirs in names.items()}
    arguments["gases"] = {name.removesuffix("_mole_fraction"): file[name][()] for name in file
                          if name.endswith("_mole_fraction")}
    if not longwave:
        arguments["total_irradiance"] = float(file["total_solar_irradiance"][()])
    return arguments


def rrtmgp_columns(file, longwave):
    names = {**OF_RRTMGP, **({"temperature_lev": "tlev", "temperature_sfc": "tsfc", "emissivity_sfc": "emissivity"}
                             if longwave else {"cos_zenith": "mu0", "albedo_direct": "albedo_direct",
                                               "albedo_diffuse": "albedo_diffuse"})}
    arguments = {ours: file[theirs][()] for ours, theirs in names.items()}
    arguments["gases"] = {name.removeprefix("vmr_"): file[name][()] for name in file if name.startswith("vmr_")}
    return arguments


def particles(file):
    """Clouds with a mask of g-points and aerosol of types, and the options with which they are computed."""
    names = {"liquid_path": "lwp", "ice_path": "iwp", "liquid_size": "rel", "ice_size": "dei",
             "fraction_gpt": "cloud_mask", "aerosol_mass": "aerosol_mass", "relative_humidity": "relative_humidity"}
    arguments = {ours: file[theirs][()].astype("float64") for ours, theirs in names.items()}
    arguments.update(aerosol_type=file["aerosol_type"][()].astype("int32"),
                     aerosol_size=1e-6 * file["aerosol_size"][()], path_factor=1e-3, particle_size_factor=1e-6)
    options = {name: DATA / "rrtmgp" / file.attrs[name].decode() for name in ("cloud_optics", "aerosol_optics")}
    return arguments, {**options, "ice_roughness": int(file.attrs["ice_roughness"][0])}


def solar_weights(coefficients, irradiances):
    with parhelion.Shortwave(nlay=1, coefficients=coefficients) as solver:
        return numpy.stack([solver.solar_weights(total_irradiance=float(each))[0] for each in irradiances])


@needs_program
class SameAsProgram(Case):
    def compare(self, found, path, *options):
        folder = scratch(self)
        program("fluxes", path, *options, "-o", folder / "out.nc")
        prefix = "sw_" if "--shortwave" in options else ""
        with h5py.File(folder / "out.nc") as results:
            for name in found:
                theirs = PROGRAM_NAMES.get(name, prefix + name)
                self.assert_same(found[name], results[theirs][()], name)

    @needs_data(ECCKD_LW, ECCKD_SW, ECCKD_CASE)
    def test_ecckd(self):
        with h5py.File(DATA / ECCKD_CASE) as file:
            found = parhelion.longwave(**ecckd_columns(file, True), **TOP, coefficients=DATA / ECCKD_LW,
                                       derivative=True, bands=True)
            self.assertIn("surface_share", found)
            self.assertEqual(found.flux_up_band.shape[-1], 1)
            self.compare(found, DATA / ECCKD_CASE, "--coefficients", DATA / ECCKD_LW, "--derivative", "--bands")
            found = parhelion.shortwave(**ecckd_columns(file, False), **TOP, coefficients=DATA / ECCKD_SW, parts=True,
                                        bands=True)
            self.compare(found, DATA / ECCKD_CASE, "--shortwave", "--coefficients", DATA / ECCKD_SW, "--bands")

    @needs_data(RRTMGP_LW, RRTMGP_SW, CLEAR_LW, CLEAR_SW)
    def test_rrtmgp(self):
        with h5py.File(DATA / CLEAR_LW) as file:
            for options, words in (({}, ()), ({"angles": 3}, ("--angles", "3")),
                                   ({"angles": "optimal"}, ("--angles", "optimal")),
                                   ({"level_temperatures": "interpolated"}, ("--level-temperatures", "interpolate"))):
                arguments = rrtmgp_columns(file, True)
                if words[:1] == ("--level-temperatures",):
                    del arguments["temperature_lev"]
                found = parhelion.longwave(**arguments, **TOP, coefficients=DATA / RRTMGP_LW, derivative=True,
                                           bands=True, **options)
                self.assertNotIn("surface_share", found)
                self.compare(found, DATA / CLEAR_LW, "--coefficients", DATA / RRTMGP_LW, "--derivative", "--bands",
                             *words)
        with h5py.File(DATA / CLEAR_SW) as file:
            weights = solar_weights(DATA / RRTMGP_SW, file["total_solar_irradiance"][()])
            found = parhelion.shortwave(**rrtmgp_columns(file, False), **TOP, solar_weights=weights, parts=True,
                                        bands=True, coefficients=DATA / RRTMGP_SW)
            self.compare(found, DATA / CLEAR_SW, "--shortwave", "--coefficients", DATA / RRTMGP_SW, "--bands")

    @needs_data(RRTMGP_LW, RRTMGP_SW, SKY_LW, SKY_SW)
    def test_rrtmgp_with_particles(self):
        for scattering in ("none", "rescaling", "two_stream"):
            with h5py.File(DATA / SKY_LW) as file:
                arguments, options = particles(file)
                found = parhelion.longwave(**rrtmgp_columns(file, True), **arguments, **TOP, **options,
                                           coefficients=DATA / RRTMGP_LW, scattering=scattering, clear=True)
            words = [word for name in ("cloud_optics", "aerosol_optics")
                     for word in ("--" + name.replace("_", "-"), options[name])]
            self.compare(found, DATA / SKY_LW, "--coefficients", DATA / RRTMGP_LW, *words, "--scattering",
                         scattering.replace("_", "-"))
        with h5py.File(DATA / SKY_SW) as file:
            arguments, options = particles(file)
            weights = solar_weights(DATA / RRTMGP_SW, file["total_solar_irradiance"][()])
            found = parhelion.shortwave(**rrtmgp_columns(file, False), **arguments, **TOP, **options,
                                        solar_weights=weights, coefficients=DATA / RRTMGP_SW, clear=True)
        words = [word for name in ("cloud_optics", "aerosol_optics")
                 for word in ("--" + name.replace("_", "-"), options[name])]
        self.compare(found, DATA / SKY_SW, "--shortwave", "--coefficients", DATA / RRTMGP_SW, *words)


class Reference(Case):
    def compare(self, found, file, limit, **names):
        for ours, theirs in names.items():
            numpy.testing.assert_allclose(found[ours], file[theirs][()], rtol=0, atol=limit, err_msg=ours)

    @needs_data(ECCKD_LW, ECCKD_CASE)
    def test_ecckd(self):
        with h5py.File(DATA / ECCKD_CASE) as file:
            found = parhelion.longwave(**ecckd_columns(file, True), **TOP, coefficients=DATA / ECCKD_LW, model="ecckd",
                                       derivative=True)
            self.compare(found, file, 1e-10, flux_up="lw_fsck32_flux_up", flux_dn="lw_fsck32_flux_dn")
            self.compare(found, file, 3e-13, surface_share="lw_fsck32_derivative")

    @needs_data(RRTMGP_LW, RRTMGP_SW, CLEAR_LW, CLEAR_SW)
    def test_rrtmgp(self):
        with h5py.File(DATA / CLEAR_LW) as file:
            found = parhelion.longwave(**rrtmgp_columns(file, True), **TOP, coefficients=DATA / RRTMGP_LW,
                                       model="rrtmgp")
            self.compare(found, file, 1e-9, flux_up="n1_flux_up", flux_dn="n1_flux_dn")
        with h5py.File(DATA / CLEAR_SW) as file:
            weights = solar_weights(DATA / RRTMGP_SW, file["total_solar_irradiance"][()])
            found = parhelion.shortwave(**rrtmgp_columns(file, False), **TOP, coefficients=DATA / RRTMGP_SW,
                                        solar_weights=weights)
            self.compare(found, file, 1e-6, flux_up="flux_up", flux_dn="flux_dn", flux_dn_direct="flux_dir")


class Models(Case):
    @needs_data(ECCKD_LW, RRTMGP_SW, "rrtmgp/rrtmgp-clouds-sw-bnd.nc")
    def test_what_objects_tell(self):
        with parhelion.Longwave(nlay=4, coefficients=DATA / ECCKD_LW) as solver:
            model = solver.model
            self.assertEqual((model.name, model.gas_optics, model.ngpoint), ("ecCKD", "ecckd", 32))
            self.assertTrue(model.uses_levels)
            self.assertEqual(model.bands.shape, (model.nband, 2))
            self.assertEqual((model.temperature, model.pressure), ((100., 400.), (0., numpy.inf)))
            self.assertEqual(model.total_irradiance, 0)
            self.assertEqual(len(model.gases), 19)
            self.assertEqual([model.gases[gas] for gas in ("h2o", "ch4", "cf4")], ["required", "default", "none"])
            self.assertEqual(sorted(model.defaults), ["ch4", "n2o"])
            self.assertEqual(solver.missing({"Carbon_Dioxide": 1}), ["h2o", "o3", "cfc11", "cfc12"])
            self.assertEqual(solver.missing(["water", "o3", "co2", "cfc-11", "cfc-12"]), [])
        with parhelion.Shortwave(nlay=4, coefficients=DATA / RRTMGP_SW,
                                 cloud_optics=DATA / "rrtmgp/rrtmgp-clouds-sw-bnd.nc") as solver:
            model = solver.model
            self.assertEqual((model.gas_optics, model.nband, model.ngpoint), ("rrtmgp", 14, 112))
            self.assertFalse(model.uses_levels)
            self.assertGreater(model.ice_size[1], model.ice_size[0])
            self.assertEqual(model.aerosol_size, (0., 0.))
            own, factors = solver.solar_weights()
            numpy.testing.assert_array_equal(factors, numpy.ones(14))
            scaled, _ = solver.solar_weights(total_irradiance=2 * model.total_irradiance)
            numpy.testing.assert_allclose(scaled, 2 * own, rtol=1e-14)
            # What is not given of the indices is as the file says.
            same, _ = solver.solar_weights(sun="indices", solar_indices=(None, float("nan")))
            numpy.testing.assert_array_equal(same, own)
            # Without sunspots their weight is that of the quiet sun's index (Coddington et al. 2016).
            no_spots, _ = solver.solar_weights(sun="indices", solar_indices=(None, 0.))
            self.assertAlmostEqual(no_spots[3] / no_spots[1], -0.00066696, delta=1e-15)
            self.assert_raises(ValueError, "sun = -1", solver.solar_weights, sun="kurucz")
            self.assert_raises(TypeError, "has no argument 'radiance'", solver.solar_weights, radiance=1.)

    @needs_data(ECCKD_LW, ECCKD_CASE)
    def test_gases(self):
        with h5py.File(DATA / ECCKD_CASE) as file:
            arguments = ecckd_columns(file, True)
        call = {**TOP, "coefficients": DATA / ECCKD_LW}
        all_given = parhelion.longwave(**arguments, **call)
        renamed = {**arguments["gases"], "carbon_dioxide": arguments["gases"]["co2"]}
        del renamed["co2"]
        self.assert_same_results(parhelion.longwave(**{**arguments, "gases": renamed}, **call), all_given)
        twice = {**arguments["gases"], "CO2": arguments["gases"]["co2"]}
        self.assert_raises(ValueError, "has co2 twice", parhelion.longwave, **{**arguments, "gases": twice}, **call)
        unknown = {**arguments["gases"], "phlogiston": 1e-6}
        self.assert_raises(TypeError, "no gas 'phlogiston'", parhelion.longwave, **{**arguments, "gases": unknown},
                           **call)
        lacking = {gas: array for gas, array in arguments["gases"].items() if gas not in ("h2o", "o3")}
        self.assert_raises(ValueError, "gases lacks h2o, o3", parhelion.longwave, **{**arguments, "gases": lacking},
                           **call)
        with parhelion.Longwave(nlay=60, **call) as solver:
            self.assert_raises(ValueError, "h2o, o3 are absent", solver.solve, **{**arguments, "gases": lacking})
            defaults = {gas: array for gas, array in arguments["gases"].items() if gas not in solver.model.defaults}
            found = solver.solve(**{**arguments, "gases": defaults})
            expected = solver.solve(**{**arguments, "gases": {**defaults, **solver.model.defaults}})
            self.assert_same_results(found, expected)
            # An extent of levels is enough where gases are numbers.
            few = {name: arguments[name] for name in ("pressure_lev", "temperature_lev")}
            found = solver.solve(**few, temperature_sfc=290., emissivity_sfc=1., gases=dict.fromkeys(defaults, 1e-7))
            self.assertEqual((found.flux_up.shape, found.heating_rate.shape), ((40, 61), (40, 60)))

    @needs_data(RRTMGP_LW, CLEAR_LW, "rrtmgp/rrtmgp-clouds-lw-bnd.nc")
    def test_what_is_refused(self):
        with h5py.File(DATA / CLEAR_LW) as file:
            arguments = rrtmgp_columns(file, True)
        call = {**arguments, **TOP, "coefficients": DATA / RRTMGP_LW}
        self.assert_raises(ValueError, "angles = 5", parhelion.longwave, **call, angles=5)
        self.assert_raises(TypeError, "angles = 'best', expected a number or 'optimal'", parhelion.longwave, **call,
                           angles="best")
        self.assert_raises(ValueError, "scattering = 'some'", parhelion.longwave, **call, scattering="some")
        self.assert_raises(ValueError, "model = 'rttov'", parhelion.longwave, **call, model="rttov")
        self.assert_raises(OSError, "RRTMG", parhelion.longwave, **call, model="rrtmg")
        self.assert_raises(FileNotFoundError, "nowhere", parhelion.longwave, **call, cloud_optics="nowhere")
        self.assert_raises(ValueError, "ice_roughness = 9", parhelion.longwave, **call,
                           cloud_optics=DATA / "rrtmgp/rrtmgp-clouds-lw-bnd.nc", ice_roughness=9)
        self.assert_raises(ValueError, "temperature_lev is given", parhelion.longwave, **call,
                           level_temperatures="interpolated")
        self.assert_raises(ValueError, "emissivity_sfc", parhelion.longwave,
                           **{**call, "emissivity_sfc": arguments["emissivity_sfc"][:, :14]})
        self.assert_raises(ValueError, "surface_share is given", parhelion.longwave, **call,
                           results=("flux_up", "flux_dn", "heating_rate", "surface_share"))
        self.assert_raises(TypeError, "gases = 3, expected names", parhelion.Longwave, nlay=3, gases=3)


class Datasets(Case):
    def setUp(self):
        if xarray is None:
            self.skipTest("this Python has no xarray")

    @staticmethod
    def dataset(arguments, units):
        """A dataset with the names of arguments."""
        dimensions = {"pressure_lay": ("column", "layer"), "temperature_lay": ("column", "layer"),
                      "pressure_lev": ("column", "level"), "temperature_lev": ("column", "level")}
        variables = {name: (dimensions.get(name, ("column",) if numpy.ndim(array) == 1 else ("column", "band")), array,
                            {"units": units.get(name, "1")})
                     for name, array in arguments.items() if name not in ("gases", "total_irradiance")}
        variables.update((gas, (("column", "layer"), array, {"units": "1"})) for gas, array in arguments["gases"].items())
        return xarray.Dataset(variables)

    UNITS = {"pressure_lay": "Pa", "pressure_lev": "Pa", "temperature_lay": "K", "temperature_lev": "K",
             "temperature_sfc": "K"}

    @needs_data(ECCKD_LW, ECCKD_SW, ECCKD_CASE)
    def test_ecckd(self):
        with h5py.File(DATA / ECCKD_CASE) as file:
            longwave, shortwave = ecckd_columns(file, True), ecckd_columns(file, False)
        expected = parhelion.longwave(**longwave, **TOP, coefficients=DATA / ECCKD_LW, derivative=True)
        # Datasets tell layers from levels by the pressures of both, of which only the latter count.
        levels = longwave["pressure_lev"]
        longwave["pressure_lay"] = 0.5 * (levels[:, 1:] + levels[:, :-1])
        found = parhelion.xarray.longwave(self.dataset(longwave, self.UNITS), coefficients=DATA / ECCKD_LW,
                                          derivative=True)
        for name in expected:
            self.assert_same(found[name], expected[name], name)
        shortwave["pressure_lay"] = longwave["pressure_lay"]
        dataset = self.dataset(shortwave, self.UNITS)
        dataset["total_irradiance"] = ("column", numpy.full(40, shortwave["total_irradiance"]), {"units": "W m-2"})
        del shortwave["pressure_lay"]
        expected = parhelion.shortwave(**shortwave, **TOP, coefficients=DATA / ECCKD_SW, bands=True)
        found = parhelion.xarray.shortwave(dataset, coefficients=DATA / ECCKD_SW, bands=True)
        for name in expected:
            self.assert_same(found[name], expected[name], name)
        self.assertEqual(found.flux_up_band.dims, ("column", "level", "band"))

    @needs_data(RRTMGP_LW, CLEAR_LW, "rrtmgp/rrtmgp-clouds-lw-bnd.nc")
    def test_rrtmgp(self):
        with h5py.File(DATA / CLEAR_LW) as file:
            arguments = rrtmgp_columns(file, True)
        options = {"coefficients": DATA / RRTMGP_LW, "bands": True}
        found = parhelion.xarray.longwave(self.dataset(arguments, self.UNITS), **options)
        expected = parhelion.longwave(**arguments, **TOP, **options)
        for name in expected:
            self.assert_same(found[name], expected[name], name)
        del arguments["temperature_lev"]
        found = parhelion.xarray.longwave(self.dataset(arguments, self.UNITS), **options,
                                          level_temperatures="interpolated")
        expected = parhelion.longwave(**arguments, **TOP, **options, level_temperatures="interpolated")
        self.assert_same(found.flux_up, expected.flux_up)
        dataset = self.dataset(arguments, self.UNITS)
        dataset["rei"] = (("column", "layer"), 0 * arguments["temperature_lay"] + 20., {"units": "um"})
        self.assert_raises(ValueError, "rei: is a size of the optics of RRTMG", parhelion.xarray.longwave, dataset,
                           **options, cloud_optics=DATA / "rrtmgp/rrtmgp-clouds-lw-bnd.nc",
                           level_temperatures="interpolated")


if __name__ == "__main__":
    main()
