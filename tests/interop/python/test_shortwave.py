#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shortwave fluxes: the bits of the program, the reference's, results that are asked for, objects, the sun, and what is
refused."""

import numpy
import parhelion
from python_testing import (DATA, SW_COEFFICIENTS, Case, h5py, main, needs_data, needs_program, program, scratch,
                            sunny_columns)

COEFFICIENTS = SW_COEFFICIENTS
TABLE = {"transmittance": "table", "coefficients": COEFFICIENTS, "out_of_range": "extrapolate"}
EXACT = {"coefficients": COEFFICIENTS}
NAMES = {"flux_up": "swuflx", "flux_dn": "swdflx", "heating_rate": "swhr", "flux_up_clear": "swuflxc",
         "flux_dn_clear": "swdflxc", "heating_rate_clear": "swhrc", "flux_dn_direct": "swdirflx",
         "flux_dn_direct_clear": "swdirflxc", "flux_dn_uvvis": "swdflx_uv", "flux_dn_nir": "swdflx_nir",
         "flux_dn_direct_uvvis": "swdirflx_uv", "flux_dn_direct_nir": "swdirflx_nir"}
SUNS = {-1: "kurucz", 0: "mean_cycle", 1: "cycle", 2: "indices", 3: "scaled_bands"}


def arguments_of(file, rows):
    """Arguments for columns of a file of the reference data, all of which have the sun of the first."""
    names = {"pressure_lay": "play", "pressure_lev": "plev", "temperature_lay": "tlay", "cos_zenith": "coszen"}
    first = rows.start
    arguments = {ours: file[theirs][rows] for ours, theirs in names.items()}
    arguments["gases"] = {gas: file[f"{gas}vmr"][rows] for gas in ("h2o", "co2", "o3", "ch4", "o2")}
    for kind, name in (("direct", "dir"), ("diffuse", "dif")):
        arguments[f"albedo_{kind}"] = numpy.stack([file[f"as{name}"][rows], file[f"al{name}"][rows]], axis=1)
    arguments.update(sun=SUNS[int(file["isolvar"][first])], total_irradiance=float(file["scon"][first]) or None,
                     day_of_year=int(file["dyofyr"][first]), pressure_factor=100.)
    if arguments["day_of_year"] == 0:
        arguments["distance_factor"] = float(file["adjes"][first])
    if file["has_indsolvar"][first]:
        arguments.update(solar_indices=file["indsolvar"][first], cycle_fraction=float(file["solcycfrac"][first]))
    if file["has_bndsolvar"][first]:
        arguments["band_factors"] = list(file["bndsolvar"][first])
    return arguments


class SameAsProgram(Case):
    @needs_program
    @needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL", "rrtmg_sw/case_sw_clear_a.nc")
    def test_clear(self):
        folder, path = scratch(self), DATA / "rrtmg_sw/case_sw_clear_a.nc"
        program("fluxes", path, "--shortwave", "--coefficients", COEFFICIENTS, "--bands", "-o", folder / "out.nc")
        with h5py.File(path) as file, h5py.File(folder / "out.nc") as results:
            for column in range(32):
                rows = slice(column, column + 1)
                found = parhelion.shortwave(**arguments_of(file, rows), **EXACT, parts=True, bands=True)
                self.assertEqual(len(found), 11)
                for name in found:
                    self.assert_same(found[name], results[f"sw_{name}"][rows], name)


class Reference(Case):
    def compare(self, found, file, rows):
        for ours, theirs in NAMES.items():
            limit = 1e-7 if "heating" in ours else 1e-8
            numpy.testing.assert_allclose(found[ours], file[theirs][rows], rtol=0, atol=limit, err_msg=ours)

    @needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL", "rrtmg_sw/case_sw_clear_a.nc")
    def test_clear(self):
        with h5py.File(DATA / "rrtmg_sw/case_sw_clear_a.nc") as file:
            for column in range(32):
                rows = slice(column, column + 1)
                found = parhelion.shortwave(**arguments_of(file, rows), **TABLE, clear=True, parts=True)
                self.compare(found, file, rows)

    @needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL", "rrtmg_sw/case_sw_aerosol_a.nc")
    def test_clouds_and_aerosol(self):
        clouds = {"fraction_gpt": "cldfmcl", "ice_path_gpt": "ciwpmcl", "liquid_path_gpt": "clwpmcl",
                  "optical_depth_gpt": "taucmcl", "single_scattering_albedo_gpt": "ssacmcl",
                  "asymmetry_gpt": "asmcmcl", "forward_fraction_gpt": "fsfcmcl", "ice_size": "reicmcl",
                  "liquid_size": "relqmcl", "cloud_input": "inflgsw", "ice_optics": "iceflgsw",
                  "liquid_optics": "liqflgsw"}
        aerosol = {"aerosol_optical_depth": "tauaer", "aerosol_single_scattering_albedo": "ssaaer",
                   "aerosol_asymmetry": "asmaer", "aerosol_550nm": "ecaer", "aerosol_input": "iaer"}
        with h5py.File(DATA / "rrtmg_sw/case_sw_aerosol_a.nc") as file:
            for column in range(32):
                rows = slice(column, column + 1)
                values = {ours: file[name][rows] for ours, name in aerosol.items()}
                if file["icld"][column]:
                    values.update({ours: file[name][rows] for ours, name in clouds.items()})
                    values["fraction_gpt"] = values["fraction_gpt"].astype("float64")
                found = parhelion.shortwave(**arguments_of(file, rows), **values, path_factor=1e-3,
                                            particle_size_factor=1e-6, **TABLE, clear=True, parts=True)
                self.compare(found, file, rows)


@needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL")
class Results(Case):
    def test_names(self):
        result = parhelion.shortwave(**sunny_columns(), **EXACT)
        self.assertEqual(list(result), ["flux_up", "flux_dn", "flux_dn_direct", "heating_rate"])
        self.assertEqual(result.counts, (0, "none"))
        self.assertEqual(result.flux_up.shape, (5, 13))
        more = parhelion.shortwave(**sunny_columns(), **EXACT, clear=True, parts=True, bands=True)
        self.assertEqual(len(more), 19)
        self.assertEqual(more.flux_up_band.shape, (5, 13, 14))
        numpy.testing.assert_allclose(more.flux_dn_band.sum(axis=-1), more.flux_dn, rtol=1e-12)
        numpy.testing.assert_allclose(more.flux_dn_uvvis + more.flux_dn_nir, more.flux_dn, rtol=1e-12)
        self.assert_same(more.flux_dn_clear, more.flux_dn)

    def test_night_is_dark(self):
        values = sunny_columns()
        values["cos_zenith"][1] = -0.2
        found = parhelion.shortwave(**values, **EXACT)
        self.assertTrue((found.flux_dn[1] == 0).all())
        self.assertTrue((found.flux_dn[[0, 2, 3, 4]] > 0).all())

    def test_object_is_called_again_with_other_columns(self):
        whole = sunny_columns(7)
        expected = parhelion.shortwave(**whole, **EXACT)
        with parhelion.Shortwave(nlay=12, ncol=7, **EXACT) as solver:
            for rows in (slice(0, 7), slice(2, 3), slice(3, 6)):
                part = {name: value[rows] for name, value in whole.items() if name != "gases"}
                part["gases"] = {gas: value[rows] for gas, value in whole["gases"].items()}
                self.assert_same_results(solver.solve(**part), {name: expected[name][rows] for name in expected})
            self.assertEqual(solver.counts(), (0, "none"))
            solver.status()
        self.assert_raises(RuntimeError, "has been closed", solver.solve, **whole)

    def test_strides_order_and_types(self):
        values = sunny_columns()
        expected = parhelion.shortwave(**values, **EXACT)

        def turned(array):
            return numpy.asfortranarray(array)[:, ::-1] if array.ndim == 2 else array
        flipped = {name: turned(value) for name, value in values.items() if name != "gases"}
        flipped["gases"] = {gas: turned(value) for gas, value in values["gases"].items()}
        found = parhelion.shortwave(**flipped, **EXACT, vertical_order="top_first")
        for name in expected:
            self.assert_same(found[name][:, ::-1], expected[name], name)
        single = parhelion.shortwave(**sunny_columns(dtype="float32"), **EXACT, precision="float32")
        self.assertEqual(single.flux_up.dtype, "float32")
        numpy.testing.assert_allclose(single.flux_dn, expected.flux_dn, rtol=1e-4, atol=0.05)

    def test_numbers_count_for_all_columns(self):
        values = sunny_columns()
        values["albedo_direct"][:] = 0.2
        values["albedo_diffuse"][:] = 0.2
        expected = parhelion.shortwave(**values, **EXACT)
        values.update(albedo_direct=0.2, albedo_diffuse=0.2)
        self.assert_same_results(parhelion.shortwave(**values, **EXACT), expected)

    def test_numbers_count_for_all_bands_and_types(self):
        def solve(**more):
            return parhelion.shortwave(**sunny_columns(), **EXACT, **more)
        aerosol = {"aerosol_optical_depth": 0.1, "aerosol_single_scattering_albedo": 0.9, "aerosol_asymmetry": 0.5}
        expected = solve(**{name: numpy.full((5, 12, 14), value) for name, value in aerosol.items()})
        self.assert_same_results(solve(**aerosol), expected)
        expected = solve(aerosol_550nm=numpy.full((5, 12, 6), 0.1))
        for depth in (0.1, numpy.full((12, 1), 0.1)):
            self.assert_same_results(solve(aerosol_550nm=depth), expected)
        weights = numpy.array([0., 1., 1., 1.])
        expected = solve(solar_weights=weights, solar_band_factors=numpy.full((5, 14), 0.5))
        self.assert_same_results(solve(solar_weights=weights, solar_band_factors=0.5), expected)
        self.assert_same_results(solve(solar_weights=1.), solve(solar_weights=numpy.ones((5, 4))))

    def test_sun(self):
        values = sunny_columns()
        top = parhelion.shortwave(**values, **EXACT, sun="kurucz", total_irradiance=1361.).flux_dn[:, -1]
        numpy.testing.assert_allclose(top, 1361. * values["cos_zenith"], rtol=1e-5)
        half = parhelion.shortwave(**values, **EXACT, sun="kurucz", total_irradiance=1361., distance_factor=0.5)
        numpy.testing.assert_allclose(half.flux_dn[:, -1], top / 2, rtol=1e-12)
        bands = parhelion.shortwave(**values, **EXACT, sun="kurucz", total_irradiance=1361., band_factors=[0.5] * 14)
        numpy.testing.assert_allclose(bands.flux_dn[:, -1], top / 2, rtol=1e-12)
        weights = numpy.zeros((5, 4))
        weights[:, 0] = 1361 / 1368.22 * numpy.arange(5)
        own = parhelion.shortwave(**values, **EXACT, solar_weights=weights)
        numpy.testing.assert_allclose(own.flux_dn[:, -1], top * numpy.arange(5), rtol=1e-12)

    def test_subcolumns_are_the_longwaves(self):
        clouds = {"fraction": 0.4, "ice_path": 0., "liquid_path": 0.05, "liquid_size": 1e-5, "ice_size": 3e-5}
        shape = (5, 12)
        clouds = {name: numpy.full(shape, value) for name, value in clouds.items()}
        first = parhelion.shortwave(**sunny_columns(), **clouds, **EXACT, clear=True, seed=3)
        again = parhelion.shortwave(**sunny_columns(), **clouds, **EXACT, clear=True, seed=3)
        other = parhelion.shortwave(**sunny_columns(), **clouds, **EXACT, clear=True, seed=4)
        self.assert_same_results(first, again)
        self.assertTrue((first.flux_dn[:, 0] != other.flux_dn[:, 0]).any())
        self.assertTrue((first.flux_dn[:, 0] < first.flux_dn_clear[:, 0]).all())

    def test_clipped_values_are_counted(self):
        values = sunny_columns()
        values["albedo_direct"][2] = 1.0000001
        self.assert_raises(ValueError, r"albedo_direct\(2", parhelion.shortwave, **values, **EXACT)
        count, text = parhelion.shortwave(**values, **EXACT, checks="clip").counts
        self.assertEqual(count, 1)
        self.assertIn("1 of albedo_direct", text)


@needs_data("rrtmg_lw/RRTMG_SW_DATA.DBL")
class Refusals(Case):
    def refuse(self, kind, expression, **changes):
        self.assert_raises(kind, expression, parhelion.shortwave, **{**sunny_columns(), **EXACT, **changes})

    def test_arguments(self):
        self.refuse(TypeError, "shortwave.. has no argument 'cos_zenit'; did you mean 'cos_zenith'", cos_zenit=1.)
        self.refuse(ValueError, "cos_zenith", cos_zenith=None)
        self.refuse(ValueError, "cos_zenith", cos_zenith=numpy.full(5, 1.5))
        self.refuse(ValueError, "albedo_diffuse has shape", albedo_direct=numpy.ones((5, 3)))
        self.refuse(ValueError, "albedo_direct", albedo_direct=numpy.ones((5, 3)), albedo_diffuse=numpy.ones((5, 3)))
        self.refuse(ValueError, "aerosol_optical_depth|aerosol_asymmetry",
                    aerosol_optical_depth=numpy.zeros((5, 12, 14)))

    def test_sun(self):
        self.refuse(ValueError, "sun = 'moon', expected one of mean_cycle, kurucz", sun="moon")
        self.refuse(ValueError, r"band_factors: has shape \(3,\), expected 14 numbers", band_factors=[1., 2., 3.])
        self.refuse(TypeError, "solar_indices = 'two', expected 2 numbers", solar_indices="two")
        self.refuse(ValueError, r"cycle_fraction: has shape \(2,\), expected a number", cycle_fraction=[0.1, 0.2])
        for numbers in (["1", "1"], [True, True], [1j, 1.], numpy.ones(2, bool)):
            self.refuse(TypeError, "solar_indices.*, expected 2 numbers", solar_indices=numbers)
        self.refuse(TypeError, "cycle_fraction = True, expected a number", cycle_fraction=True)
        self.refuse(ValueError, "solar_indices: has 1 masked values, expected an array without a mask",
                    solar_indices=numpy.ma.masked_equal([1., 0.], 0.))
        self.refuse(ValueError, "day_of_year", day_of_year=400)
        for name in ("total_irradiance", "distance_factor"):
            for value in (0., -1., numpy.nan):
                self.refuse(ValueError, f"{name} = {value}, expected a positive number; leave it out", **{name: value})
        self.refuse(ValueError, "solar_weights", solar_weights=numpy.ones((5, 4)), total_irradiance=1361.)
        self.refuse(ValueError, "band28_level = 50, expected 42 or 58", band28_level=50)


if __name__ == "__main__":
    main()
