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
FEW_LW = "rrtmgp/case_fewgases_a_lw.nc"


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


def scattering_files(folder):
    """Scattering files of ecRad's layout, made up, and the options that name them."""
    wavenumber, radius = numpy.array([10., 500., 1500., 4000., 20000., 50000.]), 1e-6 * numpy.array([2., 22., 42., 62.])
    paths = {"droplet_scattering": folder / "droplets.nc", "ice_scattering": folder / "ice.nc"}
    for path, extinction in zip(paths.values(), (150., 60.)):
        with h5py.File(path, "w") as file:
            for name, values, units in (("wavenumber", wavenumber, "cm-1"), ("effective_radius", radius, "m")):
                file[name] = values
                file[name].attrs["units"] = numpy.bytes_(units)
            shape = (radius.size, wavenumber.size)
            file["mass_extinction_coefficient"] = numpy.broadcast_to((extinction * 1e-5 / radius)[:, None], shape)
            file["single_scattering_albedo"] = numpy.broadcast_to(numpy.where(wavenumber > 10000, 0.9999, 0.5), shape)
            file["asymmetry_factor"] = numpy.full(shape, 0.85)
    return paths


def layer_clouds(ncol, nlay):
    """Clouds of layers, in kg m-2 and m."""
    column, layer = numpy.meshgrid(numpy.arange(ncol), numpy.arange(nlay), indexing="ij")
    return {"fraction": numpy.clip(0.5 + 0.8 * numpy.sin(1.3 * column + 0.15 * layer), 0., 1.),
            "liquid_path": numpy.where(layer > nlay // 2, 0.02 + 0.01 * numpy.cos(2. * layer), 0.),
            "ice_path": numpy.where(layer < nlay // 2, 0.01, 0.), "liquid_size": 1e-6 * (10. + 4 * numpy.sin(layer)),
            "ice_size": 1e-6 * (40. + 30 * numpy.sin(0.9 * column + layer))}


def cloudy_file(folder, file, clouds):
    """A file in the column layout with the atmosphere of an ecCKD case, the surface first, and clouds of layers."""
    path = folder / "cloudy.nc"

    def put(name, dimensions, values, units):
        output[name] = values
        output[name].attrs["units"] = numpy.bytes_(units)
        for place, dimension in enumerate(dimensions):
            if dimension in output:
                output[name].dims[place].attach_scale(output[dimension])

    levels = file["pressure_hl"][()]
    ncol, nlev = levels.shape
    with h5py.File(path, "w") as output:
        for dimension, size in (("column", ncol), ("layer", nlev - 1), ("level", nlev)):
            output[dimension] = numpy.arange(float(size))
            output[dimension].make_scale(dimension)
        of_levels, of_layers, of_columns = ("column", "level"), ("column", "layer"), ("column",)
        put("plev", of_levels, levels[:, ::-1] / 100, "hPa")
        put("tlev", of_levels, file["temperature_hl"][()][:, ::-1], "K")
        put("play", of_layers, 0.5 * (levels[:, 1:] + levels[:, :-1])[:, ::-1] / 100, "hPa")
        temperature = file["temperature_hl"][()]
        put("tlay", of_layers, 0.5 * (temperature[:, 1:] + temperature[:, :-1])[:, ::-1], "K")
        put("tsfc", of_columns, file["skin_temperature"][()], "K")
        put("emis", of_columns, file["lw_emissivity"][()], "1")
        for name in ("asdir", "asdif", "aldir", "aldif"):
            put(name, of_columns, file["sw_albedo"][()], "1")
        put("coszen", of_columns, file["cos_solar_zenith_angle"][()], "1")
        for name in file:
            if name.endswith("_mole_fraction"):
                put(name.removesuffix("_mole_fraction") + "vmr", of_layers, file[name][()][:, ::-1], "1")
        for name, ours, factor, units in (("cldfrac", "fraction", 1., "1"), ("ciwp", "ice_path", 1e3, "g m-2"),
                                          ("clwp", "liquid_path", 1e3, "g m-2"), ("rei", "ice_size", 1e6, "um"),
                                          ("rel", "liquid_size", 1e6, "um")):
            put(name, of_layers, factor * clouds[ours], units)
    return path


def read_columns(path, longwave):
    """The arguments of a call, as they are in a file of the column layout: hPa, g m-2 and um."""
    names = {"pressure_lev": "plev", "temperature_lev": "tlev", "fraction": "cldfrac", "ice_path": "ciwp",
             "liquid_path": "clwp", "ice_size": "rei", "liquid_size": "rel",
             **({"temperature_sfc": "tsfc", "emissivity_sfc": "emis"} if longwave else
                {"cos_zenith": "coszen"})}
    with h5py.File(path) as file:
        arguments = {ours: file[theirs][()] for ours, theirs in names.items()}
        if not longwave:  # of wavenumbers from 16000 cm-1 up, and below
            arguments["albedo_direct"] = numpy.stack([file["asdir"][()], file["aldir"][()]], axis=1)
            arguments["albedo_diffuse"] = numpy.stack([file["asdif"][()], file["aldif"][()]], axis=1)
        arguments["gases"] = {name.removesuffix("vmr"): file[name][()] for name in file if name.endswith("vmr")}
    return {**arguments, "pressure_factor": 100., "path_factor": 1e-3, "particle_size_factor": 1e-6}


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

    @needs_data(ECCKD_LW, ECCKD_SW, ECCKD_CASE)
    def test_clouds_of_ecckd(self):
        folder = scratch(self)
        files = scattering_files(folder)
        with h5py.File(DATA / ECCKD_CASE) as file:
            path = cloudy_file(folder, file, layer_clouds(40, 60))
        words = ["--droplet-scattering", files["droplet_scattering"], "--ice-scattering", files["ice_scattering"]]
        for averaging in ("thick", "thin"):
            options = {**files, "cloud_averaging": averaging, "clear": True}
            found = parhelion.longwave(**read_columns(path, True), **options, coefficients=DATA / ECCKD_LW)
            self.assertGreater(numpy.max(found.flux_dn - found.flux_dn_clear), 1.)
            self.compare(found, path, "--coefficients", DATA / ECCKD_LW, *words, "--cloud-averaging", averaging)
            # The file says nothing of the sun: what holds then is one rule of all interfaces.
            found = parhelion.shortwave(**read_columns(path, False), **options, coefficients=DATA / ECCKD_SW,
                                        parts=True)
            self.compare(found, path, "--shortwave", "--coefficients", DATA / ECCKD_SW, *words, "--cloud-averaging",
                         averaging)

    @needs_data(ECCKD_LW, RRTMGP_LW, ECCKD_CASE, CLEAR_LW)
    def test_incident_flux(self):
        for source, coefficients, read, gpoints in ((ECCKD_CASE, ECCKD_LW, ecckd_columns, 32),
                                                    (CLEAR_LW, RRTMGP_LW, rrtmgp_columns, 128)):
            path = scratch(self) / "lit.nc"
            path.write_bytes((DATA / source).read_bytes())
            flux = numpy.linspace(0, 0.3, 40 * gpoints).reshape((40, gpoints))
            with h5py.File(path, "a") as file:
                file["incident_flux"] = flux
                file["incident_flux"].attrs["units"] = numpy.bytes_("W m-2")
                arguments = read(file, True)
            found = parhelion.longwave(**arguments, **TOP, coefficients=DATA / coefficients, incident_flux=flux)
            numpy.testing.assert_allclose(found.flux_dn[:, 0], flux.sum(axis=1), rtol=1e-12)
            self.compare(found, path, "--coefficients", DATA / coefficients)

    @needs_data(RRTMGP_LW, FEW_LW)
    def test_few_gases_of_rrtmgp(self):
        # A file in which a gas that the case lacks scales others, as those of RTE+RRTMGP may have it.
        coefficients = scratch(self) / "scaled.nc"
        coefficients.write_bytes((DATA / RRTMGP_LW).read_bytes())
        with h5py.File(coefficients, "a") as file:
            scaling = file["scaling_gas_lower"][()]
            for place, letters in enumerate(file["minor_gases_lower"][()]):
                if b"".join(letters).strip() in (b"n2o", b"o3", b"co2"):
                    scaling[place] = list("cfc11".ljust(scaling.shape[1]))
                    file["scale_by_complement_lower"][place] = 0
                    file["minor_scales_with_density_lower"][place] = 1
            # As bytes: to HDF5 a text of one letter that ends by a 0 byte is empty.
            names = file["scaling_gas_lower"].id
            names.write(h5py.h5s.ALL, h5py.h5s.ALL, scaling, mtype=names.get_type())
        with h5py.File(DATA / FEW_LW) as file:
            arguments = rrtmgp_columns(file, True)
        self.assertNotIn("cfc11", arguments["gases"])
        found = parhelion.longwave(**arguments, **TOP, coefficients=coefficients)
        self.compare(found, DATA / FEW_LW, "--coefficients", coefficients)
        # To objects a gas that is absent does not exist, either, whatever they have computed before.
        with parhelion.Longwave(nlay=60, ncol=10, **TOP, coefficients=coefficients) as solver:
            with_none = {**arguments, "gases": {**arguments["gases"], "cfc11": 0.}}
            for _ in range(2):
                self.assert_same_results(solver.solve(**arguments), found)
                different = solver.solve(**with_none)
                self.assertGreater(numpy.max(numpy.abs(different.flux_dn - found.flux_dn)), 1e-3)
        offered = [*arguments["gases"], "cfc11"]
        with parhelion.Longwave(nlay=60, **TOP, coefficients=coefficients, gases=offered) as solver:
            self.assert_same_results(solver.solve(**arguments), found)

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
            self.assertEqual(solver.missing("co2"), solver.missing(["co2"]))
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

    @needs_data(ECCKD_LW, ECCKD_SW, RRTMGP_LW, ECCKD_CASE)
    def test_surfaces_of_intervals(self):
        with h5py.File(DATA / ECCKD_CASE) as file:
            longwave, shortwave = ecckd_columns(file, True), ecckd_columns(file, False)
        with parhelion.Longwave(nlay=60, **TOP, coefficients=DATA / ECCKD_LW) as solver:
            weights = solver.interval_weights([800., 1200.])
            self.assertEqual(weights.shape, (32, 3))
            numpy.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-14)
            numpy.testing.assert_array_equal(solver.interval_weights([]), numpy.ones((32, 1)))
            of_one = solver.solve(**{**longwave, "emissivity_sfc": 0.9})
            of_gpoints = solver.solve(**{**longwave, "emissivity_sfc": numpy.full((40, 3), 0.9) @ weights.T})
            numpy.testing.assert_allclose(of_gpoints.flux_up, of_one.flux_up, rtol=1e-13)
            self.assert_raises(ValueError, r"between\(1\) = 800", solver.interval_weights, [1200., 800.])
            self.assert_raises(ValueError, r"between: has shape \(1, 1\)", solver.interval_weights, [[800.]])
            self.assert_raises(TypeError, "between = 'x', expected wavenumbers", solver.interval_weights, "x")
            self.assert_raises(ValueError, "between: has 1 masked values", solver.interval_weights,
                               numpy.ma.masked_equal([800., 1200.], 800.))
            self.assert_raises(ValueError, "emissivity_sfc", solver.solve,
                               **{**longwave, "emissivity_sfc": numpy.full((40, 3), 0.9)})
        with parhelion.Shortwave(nlay=60, **TOP, coefficients=DATA / ECCKD_SW) as solver:
            weights = solver.interval_weights([5000., 14000.])
            albedo = numpy.tile([0.3, 0.3, 0.1], (40, 1)) @ weights.T
            found = solver.solve(**{**shortwave, "albedo_direct": albedo, "albedo_diffuse": albedo})
            brighter = solver.solve(**{**shortwave, "albedo_direct": 0.3, "albedo_diffuse": 0.3})
            self.assertTrue(numpy.all(found.flux_up[:, 0] <= brighter.flux_up[:, 0]))
            self.assertGreater(numpy.max(brighter.flux_up - found.flux_up), 5.)
        with parhelion.Longwave(nlay=3, coefficients=DATA / RRTMGP_LW) as solver:
            self.assert_raises(ValueError, "the model is RRTMGP, expected ecCKD", solver.interval_weights, [800.])

    @needs_data(ECCKD_LW, ECCKD_CASE)
    def test_what_ecckd_refuses(self):
        with h5py.File(DATA / ECCKD_CASE) as file:
            arguments = ecckd_columns(file, True)
        call = {**arguments, **TOP, "coefficients": DATA / ECCKD_LW}
        files = scattering_files(scratch(self))
        self.assert_raises(ValueError, "droplet_scattering is given, expected ice_scattering", parhelion.longwave,
                           **call, droplet_scattering=files["droplet_scattering"])
        self.assert_raises(ValueError, "cloud_averaging = 'mean'", parhelion.longwave, **call, **files,
                           cloud_averaging="mean")
        self.assert_raises(OSError, "ckd-definition", parhelion.longwave, **call,
                           **dict.fromkeys(files, DATA / ECCKD_LW))
        self.assert_raises(FileNotFoundError, "nowhere", parhelion.longwave, **call, **dict.fromkeys(files, "nowhere"))
        self.assert_raises(ValueError, "of which ecCKD was given no optics", parhelion.longwave, **call,
                           **layer_clouds(40, 60))
        self.assert_raises(ValueError, "incident_flux", parhelion.longwave, **call, incident_flux=numpy.ones((40, 31)))
        self.assert_raises(ValueError, r"incident_flux\(3, 7\) = -1", parhelion.longwave, **call,
                           incident_flux=numpy.where(numpy.arange(40 * 32).reshape((40, 32)) == 103, -1., 1.))

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

    @needs_data(ECCKD_LW, ECCKD_SW, ECCKD_CASE)
    def test_clouds_and_surfaces_of_ecckd(self):
        folder = scratch(self)
        files = {**scattering_files(folder), "clear": True}
        with h5py.File(DATA / ECCKD_CASE) as file:
            path = cloudy_file(folder, file, layer_clouds(40, 60))
        with xarray.open_dataset(path) as dataset:
            dataset = dataset.load()
        expected = parhelion.longwave(**read_columns(path, True), **files, coefficients=DATA / ECCKD_LW)
        found = parhelion.xarray.longwave(dataset, **files, coefficients=DATA / ECCKD_LW)
        for name in expected:
            self.assert_same(found[name], expected[name], name)
        expected = parhelion.shortwave(**read_columns(path, False), **files, coefficients=DATA / ECCKD_SW)
        found = parhelion.xarray.shortwave(dataset, **files, coefficients=DATA / ECCKD_SW)
        for name in expected:
            self.assert_same(found[name], expected[name], name)
        dataset.attrs["iceflglw"] = 3
        self.assert_raises(ValueError, "rei: is a generalised effective size, as iceflglw = 3 says",
                           parhelion.xarray.longwave, dataset, **files, coefficients=DATA / ECCKD_LW)
        del dataset.attrs["iceflglw"]

        # Emissivities and radiation that enters at the top, of g-points.
        columns = {name: array for name, array in read_columns(path, True).items()
                   if name not in ("fraction", "ice_path", "liquid_path", "ice_size", "liquid_size")}
        emissivity = numpy.linspace(0.8, 1., 40 * 32).reshape((40, 32))
        dataset = dataset.drop_vars(["cldfrac", "ciwp", "clwp", "rei", "rel", "emis"]).assign(
            emis=(("column", "gpt"), emissivity, {"units": "1"}),
            incident_flux=(("gpt",), numpy.full(32, 0.25), {"units": "W m-2"}))
        expected = parhelion.longwave(**{**columns, "emissivity_sfc": emissivity}, coefficients=DATA / ECCKD_LW,
                                      incident_flux=numpy.full((40, 32), 0.25))
        found = parhelion.xarray.longwave(dataset, coefficients=DATA / ECCKD_LW)
        for name in expected:
            self.assert_same(found[name], expected[name], name)
        few = dataset.drop_vars("incident_flux").assign(incident_flux=(("few",), numpy.ones(31), {"units": "W m-2"}))
        self.assert_raises(ValueError, "incident_flux.few.: expected one dimension of 32 g-points",
                           parhelion.xarray.longwave, few, coefficients=DATA / ECCKD_LW)
        # Of intervals of wavenumber.
        with parhelion.Longwave(nlay=1, coefficients=DATA / ECCKD_LW) as solver:
            weights = solver.interval_weights([800., 1200.])
        bounds = {"units": "cm-1"}
        of_intervals = numpy.stack([numpy.linspace(0.8, 1., 40), numpy.ones(40), numpy.full(40, 0.9)], axis=1)
        expected = parhelion.longwave(**{**columns, "emissivity_sfc": of_intervals @ weights.T},
                                      coefficients=DATA / ECCKD_LW)
        intervals = dataset.drop_vars(["incident_flux", "emis"]).assign(
            emis=(("column", "interval"), of_intervals, {"units": "1"}),
            lw_emissivity_bound=(("bound",), [800., 1200.], bounds))
        found = parhelion.xarray.longwave(intervals, coefficients=DATA / ECCKD_LW)
        for name in expected:
            self.assert_same(found[name], expected[name], name)
        black = intervals.drop_vars("emis").assign(emis=(("interval",), numpy.ones(3), {"units": "1"}))
        found = parhelion.xarray.longwave(black, coefficients=DATA / ECCKD_LW)
        expected = parhelion.longwave(**{**columns, "emissivity_sfc": 1.}, coefficients=DATA / ECCKD_LW)
        numpy.testing.assert_allclose(found.flux_up, expected.flux_up, rtol=1e-13)
        self.assert_raises(ValueError, "lw_emissivity_bound: is of intervals of the surface, which ecCKD takes",
                           parhelion.xarray.longwave, intervals, model="simple")
        self.assert_raises(ValueError, "lw_emissivity_bound: expected emissivity_sfc with a dimension of 3 intervals",
                           parhelion.xarray.longwave,
                           intervals.drop_vars("emis").assign(emis=((), 1., {"units": "1"})),
                           coefficients=DATA / ECCKD_LW)
        self.assert_raises(ValueError, "lw_emissivity_bound: units = 'm', expected cm-1", parhelion.xarray.longwave,
                           intervals.drop_vars("lw_emissivity_bound").assign(
                               lw_emissivity_bound=(("bound",), [800., 1200.], {"units": "m"})),
                           coefficients=DATA / ECCKD_LW)
        albedo = numpy.linspace(0., 0.5, 32)
        dataset = dataset.drop_vars(["asdir", "asdif", "aldir", "aldif"]).assign(
            albedo_direct=(("sw_gpt",), albedo, {"units": "1"}), albedo_diffuse=((), 0.2, {"units": "1"}))
        columns = {name: array for name, array in read_columns(path, False).items() if name in columns or
                   name == "cos_zenith"}
        expected = parhelion.shortwave(**columns, albedo_direct=numpy.tile(albedo, (40, 1)),
                                       albedo_diffuse=numpy.full((40, 32), 0.2), coefficients=DATA / ECCKD_SW)
        found = parhelion.xarray.shortwave(dataset, coefficients=DATA / ECCKD_SW)
        for name in expected:
            self.assert_same(found[name], expected[name], name)

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

    @needs_data(RRTMGP_LW, CLEAR_LW, "rrtmgp/rrtmgp-aerosols-merra-lw.nc")
    def test_types_of_aerosol(self):
        with h5py.File(DATA / CLEAR_LW) as file:
            arguments = rrtmgp_columns(file, True)
        options = {"coefficients": DATA / RRTMGP_LW, "aerosol_optics": DATA / "rrtmgp/rrtmgp-aerosols-merra-lw.nc"}
        aerosol = {"aerosol_size": 1e-6, "aerosol_mass": 1e-5, "relative_humidity": 0.5}
        expected = parhelion.longwave(**arguments, **aerosol, **TOP, **options, aerosol_type=2)
        units = {"aerosol_size": "m", "aerosol_mass": "kg m-2"}
        dataset = self.dataset(arguments, self.UNITS).assign(
            {name: ((), value, {"units": units.get(name, "1")}) for name, value in aerosol.items()})

        def solve(kind):
            return parhelion.xarray.longwave(dataset.assign(aerosol_type=((), kind, {"units": "1"})), **options)
        for kind in (2, 2., numpy.int16(2)):
            self.assert_same(solve(kind).flux_up, expected.flux_up)
        for kind in (1.7, -0.9, 2**32 + 2):
            self.assert_raises(ValueError, f"aerosol_type: has {kind}, expected whole numbers of 32 bits", solve, kind)


if __name__ == "__main__":
    main()
