# SPDX-License-Identifier: BSD-3-Clause
"""Solvers for datasets of xarray, with the names and units of CF."""

import dataclasses
import math
import re
import typing

import numpy
import xarray

from . import __version__
from ._description import GASES as RRTMG_GASES
from ._description import LONGWAVE, SHORTWAVE, Solver
from ._solvers import ALL_GASES, Longwave, Shortwave, mapping_of, option_values, refuse_unknown
from ._solvers import longwave as compute_longwave
from ._solvers import shortwave as compute_shortwave
from ._suns import HAS, SUN_FLAGS, SUN_NUMBERS, solar_weights

# Units that are understood and their factors to those of the calls.
PRESSURE = ("Pa, hPa, mbar or kPa", {
    **dict.fromkeys(("Pa", "pascal", "pascals"), 1.),
    **dict.fromkeys(("hPa", "mbar", "mb", "millibar", "millibars", "hectopascal"), 100.), "kPa": 1000.})
TEMPERATURE = ("K", dict.fromkeys(("K", "kelvin", "Kelvin", "degK"), 1.))
PLAIN = ("1", dict.fromkeys(("", "1"), 1.))
FRACTION = ("1 or %", {"": 1., "1": 1., "%": 1e-2, "percent": 1e-2})
MOLE_RATIO = ("mol mol-1, 1, ppmv, ppbv, pptv or a number such as 1.e-6", {
    **dict.fromkeys(("mol mol-1", "mol/mol", "mol mol^-1", "mole mole-1"), 1.),
    **dict.fromkeys(("ppmv", "ppm"), 1e-6), **dict.fromkeys(("ppbv", "ppb"), 1e-9),
    **dict.fromkeys(("pptv", "ppt"), 1e-12)})
NUMBER = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)(?: mol mol-1)?$")
WATER_PATH = ("kg m-2 or g m-2", {
    **dict.fromkeys(("kg m-2", "kg/m2", "kg/m^2", "kg m^-2"), 1.),
    **dict.fromkeys(("g m-2", "g/m2", "g/m^2", "g m^-2"), 1e-3)})
SIZE = ("m, um, micron or micrometer", {
    **dict.fromkeys(("m", "meter", "metre"), 1.),
    **dict.fromkeys(("um", "micron", "microns", "micrometer", "micrometers", "micrometre", "micrometres", "\u00b5m"),
                    1e-6)})
LENGTH = ("m or km", {"m": 1., "km": 1000.})
ANGLE = ("degree or radian", {**dict.fromkeys(("degree", "degrees"), math.pi / 180),
                              **dict.fromkeys(("radian", "radians", "rad"), 1.)})
WAVENUMBER = ("cm-1", dict.fromkeys(("cm-1", "cm^-1", "1/cm"), 1.))
IRRADIANCE = ("W m-2", dict.fromkeys(("W m-2", "W/m2", "W/m^2", "W m^-2"), 1.))

# For each argument: units, names of variables, and CF's standard names. Names are looked for first.
OF_COLUMNS = {
    "pressure_lay": (PRESSURE, ("pressure_lay", "play", "pres_layer"), ("air_pressure",)),
    "pressure_lev": (PRESSURE, ("pressure_lev", "plev", "pres_level"), ("air_pressure",)),
    "temperature_lay": (TEMPERATURE, ("temperature_lay", "tlay", "temp_layer"), ("air_temperature",)),
    "temperature_lev": (TEMPERATURE, ("temperature_lev", "tlev", "temp_level"), ("air_temperature",)),
}
OF_CLOUDS = {
    "fraction": (FRACTION, ("cldfrac",), ("cloud_area_fraction_in_atmosphere_layer",)),
    "ice_path": (WATER_PATH, ("ciwp",), ()),
    "liquid_path": (WATER_PATH, ("clwp",), ()),
    "ice_size": (SIZE, ("rei", "reicmcl"), ()),
    "liquid_size": (SIZE, ("rel", "relqmcl"), ()),
    "decorrelation_length": (LENGTH, ("decorrelation_length",), ()),
    "fraction_gpt": (PLAIN, ("cldfmcl",), ()),
    "ice_path_gpt": (WATER_PATH, ("ciwpmcl",), ()),
    "liquid_path_gpt": (WATER_PATH, ("clwpmcl",), ()),
    "optical_depth_gpt": (PLAIN, ("taucmcl",), ()),
}
# Aerosol by type, for RRTMGP.
OF_AEROSOL_TYPES = {
    "aerosol_type": (PLAIN, ("aerosol_type",), ()),
    "aerosol_size": (SIZE, ("aerosol_size",), ()),
    "aerosol_mass": (WATER_PATH, ("aerosol_mass",), ()),
    "relative_humidity": (FRACTION, ("relative_humidity",), ("relative_humidity",)),
}
OF_SURFACE = {
    "temperature_sfc": (TEMPERATURE, ("temperature_sfc", "tsfc", "surface_temperature"),
                        ("surface_temperature", "surface_skin_temperature")),
    "emissivity_sfc": (PLAIN, ("emissivity_sfc", "emis", "surface_emissivity"), ("surface_longwave_emissivity",)),
}
# The shortwave's, and what stands for them: the albedo of both kinds of radiation, that of two ranges, and the angle.
OF_SUN = {
    "cos_zenith": (PLAIN, ("cos_zenith", "coszen"), ("cosine_of_solar_zenith_angle",)),
    "solar_zenith_angle": (ANGLE, ("solar_zenith_angle",), ("solar_zenith_angle",)),
    "albedo_direct": (FRACTION, ("albedo_direct",), ()),
    "albedo_diffuse": (FRACTION, ("albedo_diffuse",), ()),
    "surface_albedo": (FRACTION, ("surface_albedo",), ("surface_albedo",)),
    **{name: (FRACTION, (name,), ()) for name in ("asdir", "aldir", "asdif", "aldif")},
    "total_irradiance": (IRRADIANCE, ("total_irradiance", "scon", "total_solar_irradiance"), ()),
    "distance_factor": (PLAIN, ("distance_factor", "adjes"), ()),
    "cycle_fraction": (PLAIN, ("cycle_fraction", "solcycfrac"), ()),
    "solar_indices": (PLAIN, ("solar_indices", "indsolvar"), ()),
    "band_factors": (PLAIN, ("band_factors", "bndsolvar"), ()),
}
OF_SCATTERING = {
    "aerosol_optical_depth": (PLAIN, ("aerosol_optical_depth", "tauaer"), ()),
    "aerosol_single_scattering_albedo": (PLAIN, ("aerosol_single_scattering_albedo", "ssaaer"), ()),
    "aerosol_asymmetry": (PLAIN, ("aerosol_asymmetry", "asmaer"), ()),
    "aerosol_550nm": (PLAIN, ("aerosol_550nm", "ecaer"), ()),
    "single_scattering_albedo_gpt": (PLAIN, ("ssacmcl",), ()),
    "asymmetry_gpt": (PLAIN, ("asmcmcl",), ()),
    "forward_fraction_gpt": (PLAIN, ("fsfcmcl",), ()),
}
GASES = {
    "h2o": (("h2o", "h2ovmr", "water_vapor"), "water_vapor"),
    "co2": (("co2", "co2vmr", "carbon_dioxide_GM"), "carbon_dioxide"),
    "o3": (("o3", "o3vmr", "ozone"), "ozone"),
    "n2o": (("n2o", "n2ovmr", "nitrous_oxide_GM"), "nitrous_oxide"),
    "co": (("co", "covmr", "carbon_monoxide_GM"), "carbon_monoxide"),
    "ch4": (("ch4", "ch4vmr", "methane_GM"), "methane"),
    "o2": (("o2", "o2vmr", "oxygen_GM"), "molecular_oxygen"),
    "ccl4": (("ccl4", "ccl4vmr", "carbon_tetrachloride_GM"), "carbon_tetrachloride"),
    "cfc11": (("cfc11", "cfc11vmr", "cfc11_GM"), "cfc11"),
    "cfc12": (("cfc12", "cfc12vmr", "cfc12_GM"), "cfc12"),
    "cfc22": (("cfc22", "cfc22vmr", "hcfc22_GM"), "hcfc22"),
    "n2": (("n2", "nitrogen_GM"), "molecular_nitrogen"),
    **{gas: ((gas, f"{gas}_GM"), gas) for gas in ("hfc143a", "hfc125", "hfc23", "hfc32", "hfc134a")},
    "cf4": (("cf4", "cf4_GM"), "cf4"),
    "no2": (("no2",), "nitrogen_dioxide"),
}
GASES = {gas: ((*names, f"vmr_{gas}", f"{gas}_mole_fraction"), name) for gas, (names, name) in GASES.items()}
# Names of sizes of ice that are those of RRTMG's optics, and not the effective diameters of RRTMGP.
RRTMG_ICE = ("rei", "reicmcl")
OVERLAPS = ("none", "random", "maximum_random", "maximum", "exponential", "exponential_random")  # icld
# Arguments that a factor of the call brings to its units.
GROUPS = {
    **dict.fromkeys(("pressure_lay", "pressure_lev"), "pressure_factor"),
    **dict.fromkeys(("ice_path", "liquid_path", "ice_path_gpt", "liquid_path_gpt"), "path_factor"),
    **dict.fromkeys(("ice_size", "liquid_size"), "particle_size_factor"),
}
# Those whose variable may have a prefix, since the other range has one of the same name.
SHARED = ("aerosol_optical_depth", "aerosol_single_scattering_albedo", "aerosol_asymmetry", "fraction_gpt",
          "ice_path_gpt", "liquid_path_gpt", "optical_depth_gpt", "single_scattering_albedo_gpt", "asymmetry_gpt",
          "forward_fraction_gpt", "ice_size", "liquid_size")
SPECTRAL_DIMENSIONS = ("band", "bnd", "band_lw", "lw_band", "band_sw", "sw_band", "gpt", "gpt_lw", "lw_gpt", "gpt_sw",
                       "sw_gpt", "g_point", "interval", "aerosol_type", "two")
OF_LEVELS = ("pressure_lev", "temperature_lev")
OF_LAYERS = ("pressure_lay", "temperature_lay")

def standard_names(what):
    """Of the results of a range of the spectrum."""
    clear = "_assuming_clear_sky"
    fluxes = {"flux_up": f"upwelling_{what}_flux_in_air", "flux_dn": f"downwelling_{what}_flux_in_air",
              "heating_rate": f"tendency_of_air_temperature_due_to_{what}_heating"}
    return {**fluxes, **{name + "_clear": each + clear for name, each in fluxes.items()}}


@dataclasses.dataclass(frozen=True)
class Range:
    """What differs between the longwave and the shortwave."""

    solver: Solver
    compute: typing.Callable
    kind: type  # of its objects
    arguments: dict
    needed: tuple
    gases: tuple
    flags: dict  # RRTMG's, as attributes of a dataset or as its variables; those of clouds first
    spectra: dict  # arguments with a dimension of so many entries, or of one of several numbers
    spectra_or_none: tuple  # those of them that may lack it
    other: dict  # lengths of that dimension by which a variable is told to be the other range's
    standard_names: dict
    bounds: str  # the variable with the wavenumbers where intervals of the surface meet, for ecCKD
    prefix: str = ""  # of variables where both ranges have the same name
    gas_optics: str = "rrtmg"  # the model


LONGWAVE_RANGE = Range(
    solver=LONGWAVE, compute=compute_longwave, kind=Longwave,
    arguments={**OF_COLUMNS, **OF_SURFACE, "aerosol": (PLAIN, ("aerosol", "tauaer"), ()), **OF_CLOUDS,
               **OF_AEROSOL_TYPES, "incident_flux": (IRRADIANCE, ("incident_flux",), ())},
    needed=("pressure_lay", "pressure_lev", "temperature_lay", "temperature_lev", "temperature_sfc", "emissivity_sfc"),
    gases=RRTMG_GASES,
    flags={"cloud_input": "inflglw", "ice_optics": "iceflglw", "liquid_optics": "liqflglw"},
    spectra={"aerosol": 16, "emissivity_sfc": 16, "incident_flux": 140,
             **dict.fromkeys((name for name in OF_CLOUDS if "_gpt" in name), 140)},
    spectra_or_none=("emissivity_sfc",),
    other={16: 14, 140: 112},
    standard_names=standard_names("longwave"),
    bounds="lw_emissivity_bound")

SHORTWAVE_RANGE = Range(
    solver=SHORTWAVE, compute=compute_shortwave, kind=Shortwave,
    arguments={**OF_COLUMNS, **OF_SUN, **OF_CLOUDS, **OF_SCATTERING, **OF_AEROSOL_TYPES},
    needed=("pressure_lay", "pressure_lev", "temperature_lay"),
    gases=("h2o", "co2", "o3", "ch4", "o2"),
    flags={"cloud_input": "inflgsw", "ice_optics": "iceflgsw", "liquid_optics": "liqflgsw", "aerosol_input": "iaer"},
    spectra={"albedo_direct": 14, "albedo_diffuse": 14, "solar_indices": 2, "band_factors": 14,
             "aerosol_optical_depth": 14, "aerosol_single_scattering_albedo": 14, "aerosol_asymmetry": 14,
             "aerosol_550nm": 6,
             **dict.fromkeys((name for name in (*OF_CLOUDS, *OF_SCATTERING) if "_gpt" in name), 112)},
    spectra_or_none=("albedo_direct", "albedo_diffuse"),
    other={14: 16, 112: 140},
    standard_names={**standard_names("shortwave"), "flux_dn_direct": "direct_downwelling_shortwave_flux_in_air"},
    bounds="sw_albedo_bound",
    prefix="sw_")


def describe(variable):
    return f"{variable.name}({', '.join(variable.dims)})"


def factor_of(variable, units):
    """The factor of the units of a variable; units that are not known are refused."""
    expected, known = units
    unit = str(variable.attrs.get("units", "")).strip()
    if unit in known:
        return known[unit]
    number = NUMBER.match(unit) if units is MOLE_RATIO else None
    if number and float(number[1]) > 0:
        return float(number[1])
    found = f"units = {unit!r}" if "units" in variable.attrs else "has no attribute units"
    raise ValueError(f"{variable.name}: {found}, expected {expected}")


class Reader:
    """Finds the arguments of a solver in a dataset."""

    def __init__(self, dataset, names, of_range):
        if not isinstance(dataset, xarray.Dataset):
            raise TypeError(f"dataset: is {type(dataset)}, expected an xarray.Dataset")
        self.range = of_range
        self.dataset = dataset
        self.names = mapping_of("names", {} if names is None else names, [*of_range.arguments, *GASES], "argument")
        self.layer = self.level = None
        self.layer, self.level = self.vertical_dimensions()

    def named(self, argument, names):
        """A variable by its name, if the dataset has one."""
        if argument in self.names:
            name = self.names[argument]
            if name not in self.dataset.variables:
                raise ValueError(f"names: the dataset has no variable {name!r} for {argument}")
            return self.dataset[name]
        prefixed = [self.range.prefix + name for name in names if self.range.prefix] if argument in SHARED else []
        found = [name for name in (*prefixed, *names) if name in self.dataset.variables and self.is_meant(argument, name) and
                 name not in self.names.values() and not self.is_of_other_range(argument, self.dataset[name])]
        if any(name in prefixed for name in found):
            found = [name for name in found if name in prefixed]
        if len(found) > 1:
            raise ValueError(f"{argument}: the dataset has {' and '.join(found)}, expected one of them; names= chooses")
        return self.dataset[found[0]] if found else None

    def is_meant(self, argument, name):
        """Whether a variable of this name is what the model takes."""
        if self.range.gas_optics == "rrtmgp" and argument == "ice_size" and name in RRTMG_ICE:
            raise ValueError(f"{name}: is a size of the optics of RRTMG, expected effective diameters for those of RRTMGP; "
                             "names={\"ice_size\": ...} names them")
        return True

    def is_of_other_range(self, argument, variable):
        """Whether a variable has the other range's number of bands or g-points, and not that of this one."""
        own = self.range.spectra.get(argument)
        lengths = [variable.sizes[name] for name in variable.dims if name not in (self.layer, self.level)]
        return self.range.other.get(own) in lengths and own not in lengths

    def by_standard_name(self, argument, standard_names, dimension=None):
        """A variable by its standard name; where several differ by their vertical dimension, that with this one."""
        found = [self.dataset[name] for name, variable in self.dataset.variables.items()
                 if variable.attrs.get("standard_name") in standard_names]
        if dimension is not None:
            found = [variable for variable in found if dimension in variable.dims]
        if len(found) > 1:
            raise ValueError(f"{argument}: {' and '.join(describe(each) for each in found)} have the standard name "
                             f"{found[0].attrs['standard_name']}, expected one of them; names= chooses")
        return found[0] if found else None

    def vertical_dimensions(self):
        """The dimensions of layers and of levels: those in which their pressures differ."""
        layers = self.named("pressure_lay", OF_COLUMNS["pressure_lay"][1])
        levels = self.named("pressure_lev", OF_COLUMNS["pressure_lev"][1])
        if layers is None or levels is None:
            layers, levels = self.two_pressures(layers, levels)
        of_layers = [name for name in layers.dims if name not in levels.dims]
        of_levels = [name for name in levels.dims if name not in layers.dims]
        if len(of_layers) != 1 or len(of_levels) != 1:
            raise ValueError(f"{describe(layers)}, {describe(levels)}: expected one dimension of layers and one of "
                             "levels in which they differ")
        self.pressures = {"pressure_lay": layers, "pressure_lev": levels}
        return of_layers[0], of_levels[0]

    def two_pressures(self, layers, levels):
        """Pressures by their standard names: that of levels has one more in the vertical."""
        known = [self.dataset[name] for name, variable in self.dataset.variables.items()
                 if variable.attrs.get("standard_name") == "air_pressure"]
        known = [each for each in known if all(one is None or each.name != one.name for one in (layers, levels))]
        pairs = []
        for lay in [layers] if layers is not None else known:
            for lev in [levels] if levels is not None else known:
                of_layers, of_levels = set(lay.dims) - set(lev.dims), set(lev.dims) - set(lay.dims)
                if len(of_layers) == len(of_levels) == 1 and lev.sizes[min(of_levels)] == lay.sizes[min(of_layers)] + 1:
                    pairs.append((lay, lev))
        if len(pairs) != 1:
            shown = ", ".join(describe(each) for each in known) or "none"
            raise ValueError(f"pressure_lay, pressure_lev: expected two variables with the standard name air_pressure, "
                             f"that of levels with one more in the vertical; found {shown}; names= chooses")
        return pairs[0]

    def find(self, argument):
        if argument in self.pressures:
            return self.pressures[argument]
        _, names, standard = self.range.arguments[argument]
        found = self.named(argument, names)
        if found is None and standard:
            vertical = {**dict.fromkeys(OF_LEVELS, self.level), **dict.fromkeys(OF_LAYERS, self.layer)}.get(argument)
            found = self.by_standard_name(argument, standard, vertical)
        if found is None and argument in self.range.needed:
            self.refuse_missing(argument)
        return found

    def refuse_missing(self, *arguments):
        """Says by which names one of several arguments would have been found."""
        known = [self.range.arguments[each] for each in arguments]
        shown = [*(name for _, names, _ in known for name in names),
                 *(f"one with the standard name {name}" for _, _, standard in known for name in standard)]
        raise ValueError(f"{arguments[0]}: the dataset has no such variable, expected {' or '.join(shown)}")

    def find_gas(self, gas):
        """A gas, and whether it is said to be of dry air."""
        names, substance = GASES[gas]
        if self.range.gas_optics == "ecckd":  # whose CFC11 stands for many
            names = tuple("cfc11eq_GM" if name == "cfc11_GM" else name for name in names)
        dry, any_air = f"mole_fraction_of_{substance}_in_dry_air", f"mole_fraction_of_{substance}_in_air"
        found = self.named(gas, names)
        if found is None:
            found = self.by_standard_name(gas, (dry, any_air))
        return found, found is not None and found.attrs.get("standard_name") == dry


class Columns:
    """Variables with the dimensions (columns..., vertical, others) as arrays (column, vertical, others)."""

    def __init__(self, reader, variables):
        self.range = reader.range
        self.vertical = (reader.layer, reader.level)
        self.sizes = {}
        # In the order of the variable that has most of them.
        for argument, variable in sorted(variables.items(), key=lambda item: -item[1].ndim):
            spectrum = self.spectrum(argument, variable)
            self.sizes.update((name, variable.sizes[name]) for name in variable.dims
                              if name not in self.vertical and name not in spectrum)
        self.shape = tuple(self.sizes.values())

    def spectrum(self, argument, variable):
        """The dimension of bands, g-points or other numbers of a point, as a tuple; () for none."""
        if argument not in self.range.spectra:
            return ()
        count = self.range.spectra[argument]
        counts = count if isinstance(count, tuple) else (count,)
        found = [name for name in variable.dims if name not in self.vertical and variable.sizes[name] in counts]
        named = [name for name in found if name in SPECTRAL_DIMENSIONS]
        if argument in self.range.spectra_or_none and not named:
            return ()
        if len(named or found) != 1:
            what = "g-points" if argument.endswith("_gpt") or argument == "incident_flux" else "types" if count == 6 \
                else "numbers" if count == 2 else "bands or intervals" if isinstance(count, tuple) else "bands"
            raise ValueError(f"{describe(variable)}: expected one dimension of {' or '.join(map(str, counts))} {what}")
        return tuple(named or found)

    def array(self, argument, variable, values=None):
        """Shape (column, ...); what a variable does not depend on is spread without a copy where that can be."""
        values = variable.values if values is None else values
        spectrum = self.spectrum(argument, variable)
        vertical = tuple(name for name in variable.dims if name in self.vertical)
        order = tuple(name for name in self.sizes if name in variable.dims)
        values = values.transpose([variable.dims.index(name) for name in (*order, *vertical, *spectrum)])
        inner = values.shape[len(order):]
        if not order:
            return values.reshape((1, *inner)) if inner else values.reshape(())
        missing = tuple(slice(None) if name in order else numpy.newaxis for name in self.sizes)
        return numpy.broadcast_to(values[missing], (*self.shape, *inner)).reshape((-1, *inner))


def longwave(dataset, *, names=None, mole_fractions="dry", dtype=None, **options):
    """Computes longwave fluxes and heating rates of a dataset with CF names and units.

    Variables are found by the names that files of `parhelion fluxes` have (such as plev, tlay, h2ovmr, or pres_level,
    temp_layer, water_vapor), or by their standard names: air_pressure and air_temperature of layers and of levels,
    surface_temperature, surface_longwave_emissivity, mole_fraction_of_..._in_air. They may have any other dimensions in
    any order, such as (time, level, lat, lon); those that lack some count for all. Units are those of the attributes,
    and others than the known ones are refused. Which end of the vertical is the surface is seen from the pressure.

    Parameters
    ----------
    dataset : xarray.Dataset
    names : mapping
        From arguments of parhelion.longwave() or gases to names of variables, where the dataset has others.
    mole_fractions : "dry" or "moist"
        What mole_fraction_of_..._in_air and variables without a standard name are: moles per mole of dry air, as in the
        files of RFMIP, or per mole of air with its water vapour, which are converted.
    dtype : "float64" or "float32"
        Type of the arrays of a call and of the result; by default that of the temperature of layers.
    **options
        Options and numbers of parhelion.longwave(), but for vertical_order and the factors.

    With the options `model` or `coefficients` other gas optics compute than RRTMG's: bands, g-points and gases are those
    of the model then, and ecCKD needs no temperatures of layers and takes emissivities of g-points, too.

    Returns
    -------
    xarray.Dataset
        Fluxes and heating rates in the dimensions and the vertical order of the input, with its coordinates.
    """
    return compute(LONGWAVE_RANGE, dataset, names, mole_fractions, dtype, options)


def shortwave(dataset, *, names=None, mole_fractions="dry", dtype=None, **options):
    """Computes shortwave fluxes and heating rates of a dataset with CF names and units.

    Variables are found as by longwave(), in the same datasets, and beside them the sun and the albedo: coszen, or
    solar_zenith_angle (also by its standard name); asdir, asdif, aldir and aldif, or albedo_direct and albedo_diffuse
    with a dimension of 14 bands or without, or surface_albedo for both kinds of radiation (also by its standard name).
    Numbers of the sun may be variables, too, and differ between columns: scon or total_solar_irradiance, adjes, dyofyr,
    isolvar, solcycfrac, indsolvar, bndsolvar; a number of the call counts in the place of the variable.

    Parameters
    ----------
    dataset : xarray.Dataset
    names : mapping
        From arguments of parhelion.shortwave() or gases to names of variables, where the dataset has others.
    mole_fractions : "dry" or "moist"
        As for longwave().
    dtype : "float64" or "float32"
        Type of the arrays of a call and of the result; by default that of the temperature of layers.
    **options
        Options and numbers of parhelion.shortwave(), but for vertical_order and the factors.

    Returns
    -------
    xarray.Dataset
        Fluxes and heating rates in the dimensions and the vertical order of the input, with its coordinates.
    """
    return compute(SHORTWAVE_RANGE, dataset, names, mole_fractions, dtype, options)


def total_heating_rate(longwave_result, shortwave_result):
    """The heating rate by longwave and shortwave radiation of the same dataset.

    Parameters
    ----------
    longwave_result, shortwave_result : xarray.Dataset
        What longwave() and shortwave() gave.

    Returns
    -------
    xarray.DataArray
        heating_rate_total [K day-1], in the dimensions of the longwave's heating rate.
    """
    parts = [each.heating_rate for each in (longwave_result, shortwave_result)]
    orders = [each.attrs.get("vertical_order") for each in (longwave_result, shortwave_result)]
    if dict(parts[0].sizes) != dict(parts[1].sizes) or orders[0] != orders[1]:
        raise ValueError(f"heating_rate: {dict(parts[0].sizes)}, {orders[0]}, of the longwave, and "
                         f"{dict(parts[1].sizes)}, {orders[1]}, of the shortwave, expected those of one dataset")
    for name, each in parts[0].coords.items():
        if name in parts[1].coords and not each.variable.equals(parts[1].coords[name].variable):
            raise ValueError(f"{name}: that of the longwave differs from that of the shortwave, expected those of one "
                             "dataset")
    total = parts[0] + parts[1]
    total.name = "heating_rate_total"
    total.attrs = {"units": "K day-1", "long_name": "heating rate by longwave and shortwave radiation",
                   "standard_name": "tendency_of_air_temperature_due_to_radiative_heating"}
    return total


OF_MODEL = ("model", "coefficients", "cloud_optics", "aerosol_optics")


def weights_of_intervals(of_range, dataset, object_of_model):
    """How much values of intervals of wavenumber count in each g-point; None where surfaces are not of intervals."""
    if of_range.bounds not in getattr(dataset, "variables", ()):
        return None
    bounds = dataset[of_range.bounds]
    if object_of_model is None or object_of_model.model.gas_optics != "ecckd":
        raise ValueError(f"{of_range.bounds}: is of intervals of the surface, which ecCKD takes, expected none")
    return object_of_model.interval_weights(in_units(bounds, WAVENUMBER, "float64"))


def of_model(of_range, model, options, weights):
    """A range as another model than RRTMG has it; `weights` are those of intervals of the surface, or None."""
    bands, gpoints = ((16, 140) if of_range.kind is Longwave else (14, 112))
    count = {bands: model.nband, gpoints: model.ngpoint}
    spectra = {name: n if name in ("solar_indices", "band_factors", "aerosol_550nm") else count.get(n, n)
               for name, n in of_range.spectra.items()}
    if model.gas_optics == "ecckd":  # which also takes surfaces of g-points, and of intervals
        numbers = (model.nband, model.ngpoint) if weights is None else (weights.shape[1],)
        spectra.update((name, numbers) for name in of_range.spectra_or_none)
    interpolated = options.get("level_temperatures") == "interpolated"
    not_needed = ["temperature_lay"] if model.uses_levels and not interpolated else []
    if interpolated:
        not_needed.append("temperature_lev")
    arguments = {name: each for name, each in of_range.arguments.items() if name not in not_needed}
    return dataclasses.replace(of_range, arguments=arguments, spectra=spectra, other={},
                               needed=tuple(name for name in of_range.needed if name in arguments),
                               gases=tuple(gas for gas in ALL_GASES if model.gases[gas] != "none"),
                               gas_optics=model.gas_optics)


def compute(of_range, dataset, names, mole_fractions, dtype, options):
    """Results of a range of the spectrum."""
    if not any(options.get(name) is not None for name in OF_MODEL):
        weights_of_intervals(of_range, dataset, None)
        return compute_of(of_range, dataset, names, mole_fractions, dtype, options, None)
    with of_range.kind(nlay=1, **{name: options[name] for name in OF_MODEL if name in options}) as solver:
        weights = weights_of_intervals(of_range, dataset, solver)
        if solver.model.gas_optics in ("rrtmgp", "ecckd"):
            of_range = of_model(of_range, solver.model, options, weights)
        return compute_of(of_range, dataset, names, mole_fractions, dtype, options, solver, weights)


def compute_of(of_range, dataset, names, mole_fractions, dtype, options, object_of_model, weights=None):
    """The same for a model: an object of it, or None, which stands for RRTMG; weights of intervals of the surface."""
    solver = of_range.solver
    uses_levels = object_of_model is not None and object_of_model.model.uses_levels
    # The names of calls; those of the decorrelation length and of the sun may be options or variables.
    numbers = [each.name for each in solver.numbers if each.name not in GROUPS.values()]
    known = [each.name for each in solver.options if not each.seen and each.name != "vertical_order"] + numbers
    refuse_unknown(f"parhelion.xarray.{solver.name}()", options, [*known, "names", "mole_fractions", "dtype"])
    if mole_fractions not in ("dry", "moist"):
        raise ValueError(f"mole_fractions = {mole_fractions!r}, expected dry or moist")
    if dtype not in (None, "float32", "float64"):
        raise ValueError(f"dtype = {dtype!r}, expected float64 or float32")
    reader = Reader(dataset, names, of_range)
    with_clouds, options = cloud_options(dataset, options)
    variables = {argument: found for argument in wanted(of_range, with_clouds, options, uses_levels)
                 if (found := reader.find(argument)) is not None}
    gases = {gas: found for gas in of_range.gases if (found := reader.find_gas(gas))[0] is not None}
    gas_variables = {gas: variable for gas, (variable, _) in gases.items()}
    sun = {}
    if of_range.kind is Shortwave:
        sun = {argument: variables.pop(argument) for argument in SUN_NUMBERS if argument in variables}
        sun = {argument: variable for argument, variable in sun.items() if argument not in options}
        refuse_incomplete_sun(reader, variables)
    columns = Columns(reader, {**variables, **gas_variables, **sun})
    refuse_missing([*variables.values(), *gas_variables.values(), *sun.values()])

    of_air = next(name for name in ("temperature_lay", "temperature_lev") if name in variables)
    precision = dtype or ("float32" if variables[of_air].dtype == numpy.float32 else "float64")
    factors = common_factors(of_range, variables)
    arguments = {argument: columns.array(argument, variable,
                                         in_units(variable, of_range.arguments[argument][0], precision,
                                                  argument in factors))
                 for argument, variable in variables.items()}
    if weights is not None:
        of_intervals = [argument for argument in of_range.spectra_or_none
                        if argument in variables and columns.spectrum(argument, variables[argument])]
        if not of_intervals:
            raise ValueError(f"{of_range.bounds}: expected {' or '.join(of_range.spectra_or_none)} with a dimension of "
                             f"{weights.shape[1]} intervals")
        arguments.update((argument, (arguments[argument] @ weights.T).astype(precision)) for argument in of_intervals)
    arguments.update(flags(dataset, columns, with_clouds, arguments))
    if of_range.gas_optics == "ecckd" and "ice_size" in variables:
        refuse_generalised_size(of_range, variables["ice_size"], arguments.get("ice_optics"))
    if of_range.kind is Shortwave:
        numbers_of_sun = {argument: columns.array(argument, variable, in_units(
            variable, of_range.arguments[argument][0], "float64")) for argument, variable in sun.items()}
        options = sun_and_surface(dataset, columns, variables, arguments, numbers_of_sun, options, precision,
                                  object_of_model)
    if "aerosol_type" in arguments:
        variable = variables["aerosol_type"]
        numbers = whole_numbers(variable.name, variable.values)
        arguments["aerosol_type"] = columns.array("aerosol_type", variable, numbers)
    ratios = {gas: columns.array(gas, variable, in_units(variable, MOLE_RATIO, precision))
              for gas, variable in gas_variables.items()}
    if mole_fractions == "moist":
        ratios = of_dry_air(ratios, [gas for gas, (_, dry) in gases.items() if dry])
    ratios = {gas: of_layers(gas, gas_variables[gas], ratio, reader.layer) for gas, ratio in ratios.items()}

    pressure = arguments["pressure_lev"]
    falls = pressure[..., 0] > pressure[..., -1]
    if not (numpy.all(falls) or not numpy.any(falls)):
        raise ValueError(f"{variables['pressure_lev'].name}: falls with the index in some columns and rises in others, "
                         "expected one vertical order")
    order = "surface_first" if numpy.all(falls) else "top_first"
    if columns.shape and arguments[of_air].shape[0] != numpy.prod(columns.shape):
        count = int(numpy.prod(columns.shape))
        air = arguments[of_air]
        arguments[of_air] = numpy.broadcast_to(air, (count, *air.shape[1:]))
    result = of_range.compute(**arguments, gases=ratios, vertical_order=order,
                              **{GROUPS[argument]: factor for argument, factor in factors.items()}, **options)
    return make_dataset(dataset, result, columns, reader, variables, order)


def wanted(of_range, with_clouds, options, uses_levels):
    """The arguments that are looked for in a dataset."""
    of_clouds = [name for name in of_range.arguments if name in OF_CLOUDS or name.endswith("_gpt")]
    left_out = [] if with_clouds else of_clouds
    exponential = with_clouds and str(options.get("overlap", "")).startswith("exponential")
    if of_range.kind is Shortwave and not exponential and not uses_levels:
        left_out = [*left_out, "temperature_lev"]
    if options.get("aerosol_optics") is None:
        left_out = [*left_out, *OF_AEROSOL_TYPES]
    return [name for name in of_range.arguments if name not in left_out]


ALBEDOS = (("albedo_direct", "albedo_diffuse"), ("asdir", "aldir", "asdif", "aldif"), ("surface_albedo",))


def refuse_incomplete_sun(reader, variables):
    """There has to be one description of the sun's height and one of the albedo."""
    for kinds in ((("cos_zenith",), ("solar_zenith_angle",)), ALBEDOS):
        there = [[name for name in kind if name in variables] for kind in kinds]
        given = [kind for kind in there if kind]
        if not given:
            reader.refuse_missing(*(name for kind in kinds for name in kind))
        if len(given) > 1:
            raise ValueError(f"{kinds[0][0]}: the dataset has {' and '.join(kind[0] for kind in given)}, expected one "
                             "of them")
        kind = kinds[there.index(given[0])]
        if len(given[0]) < len(kind):
            reader.refuse_missing(next(name for name in kind if name not in variables))


def sun_and_surface(dataset, columns, variables, arguments, numbers, options, precision, object_of_model):
    """Brings sun and albedo to the arguments of the call; the options without what the arguments say."""
    if "solar_zenith_angle" in arguments:
        angle = arguments.pop("solar_zenith_angle")
        # As the program does it: the cosine of a right angle is not quite 0 in binary numbers.
        cosine = [0. if each == math.pi / 2 else math.cos(each) for each in angle.ravel().tolist()]
        arguments["cos_zenith"] = numpy.asarray(cosine, precision).reshape(angle.shape)
    of_bands = [name for name in ("albedo_direct", "albedo_diffuse")
                if name in variables and columns.spectrum(name, variables[name])]
    if "surface_albedo" in arguments:
        arguments["albedo_direct"] = arguments["albedo_diffuse"] = arguments.pop("surface_albedo")
    elif "asdir" in arguments:
        for kind in ("direct", "diffuse"):
            ranges = [arguments.pop(f"a{each}{kind[:3]}") for each in ("s", "l")]
            arguments[f"albedo_{kind}"] = numpy.stack(numpy.broadcast_arrays(*map(numpy.atleast_1d, ranges)), axis=-1)
    elif len(of_bands) == 1:
        name = "albedo_direct" if "albedo_direct" not in of_bands else "albedo_diffuse"
        arguments[name] = numpy.repeat(numpy.atleast_1d(arguments[name])[:, numpy.newaxis],
                                       arguments[of_bands[0]].shape[-1], axis=-1)
    numbers, options = split_sun(dataset, columns, numbers, options)
    if numbers:
        weights, factors = solar_weights(numbers, int(numpy.prod(columns.shape)), precision, object_of_model)
        arguments["solar_weights"] = weights
        if numpy.any(factors != 1):
            arguments["solar_band_factors"] = factors
    return options


def split_sun(dataset, columns, numbers, options):
    """Numbers of the sun of columns, and the options without them; none where the options have them all."""
    numbers = dict(numbers)
    for argument, name in SUN_FLAGS.items():
        if argument not in options and (values := flag_of_columns(dataset, columns, name)) is not None:
            numbers[argument] = values
    if "sun" in numbers and numpy.any(numbers["sun"] > 3):
        raise ValueError("isolvar: expected -1 (Kurucz), 0 to 3 (NRLSSI2), or less (Kurucz, not scaled)")
    if not numbers:
        return {}, options
    for argument, name in HAS.items():
        if argument in numbers and (values := flag_of_columns(dataset, columns, name)) is not None:
            numbers[name] = values
    of_call = {name: options[name] for name in (*SUN_NUMBERS, *SUN_FLAGS) if name in options}
    option_values(SHORTWAVE.numbers, of_call)  # which refuses more than variables may have
    return {**numbers, **of_call}, {name: value for name, value in options.items() if name not in of_call}


def common_factors(of_range, variables):
    """The factors of arguments whose group has one unit, with which the call itself brings them to its own."""
    found = {argument: factor_of(variable, of_range.arguments[argument][0]) for argument, variable in variables.items()
             if argument in GROUPS}
    return {argument: factor for argument, factor in found.items()
            if all(other == factor for name, other in found.items() if GROUPS[name] == GROUPS[argument])}


def in_units(variable, units, dtype, as_it_is=False):
    """Values in the unit of the calls, of this type, copied only where something changes."""
    if variable.dtype.kind not in "fiu":
        raise TypeError(f"{variable.name}: has entries of type {variable.dtype}, expected numbers")
    factor = factor_of(variable, units)
    values = variable.values
    if factor != 1 and not as_it_is:
        values = values.astype("float64") * factor
    return values.astype(dtype, copy=False)


def refuse_missing(variables):
    for variable in variables:
        if variable.dtype.kind == "f" and bool(variable.isnull().any()):
            where = numpy.unravel_index(int(numpy.argmax(numpy.isnan(variable.values))), variable.shape)
            index = ", ".join(str(int(i)) for i in where)
            raise ValueError(f"{variable.name}({index}): is missing or not a number")


def of_layers(gas, variable, ratio, layer):
    """A gas that does not depend on the layer as (column, 1), which is spread."""
    if layer in variable.dims:
        return ratio
    if ratio.ndim > 1:
        raise ValueError(f"{gas}: {describe(variable)} is given at levels, expected layers")
    return ratio[..., numpy.newaxis] if ratio.ndim else ratio.reshape((1, 1))


def of_dry_air(ratios, dry):
    """Moles per mole of dry air, from moles per mole of air but for those that are `dry` already."""
    if "h2o" not in ratios or "h2o" in dry:
        raise ValueError("mole_fractions = 'moist': expected water vapour as mole fraction in (moist) air")
    water = ratios["h2o"]

    def divide(ratio):
        vapour = water if water.ndim > 1 or ratio.ndim < 2 else water[..., numpy.newaxis]
        return (ratio if ratio.ndim == vapour.ndim else ratio[..., numpy.newaxis]) / (1 - vapour)
    return {gas: ratio if gas in dry else divide(ratio) for gas, ratio in ratios.items()}


def flag(dataset, name):
    """A flag of RRTMG as an array of whole numbers, or None."""
    values = dataset[name].values if name in dataset.variables else dataset.attrs.get(name)
    if values is None:
        return None
    return whole_numbers(name, numpy.atleast_1d(numpy.asarray(values)))


def whole_numbers(name, values):
    """An array as integers of 32 bits, which all values have to be."""
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{name}: has entries of type {values.dtype}, expected whole numbers")
    limits = numpy.iinfo("int32")
    bad = values[~((values == numpy.floor(values)) & (values >= limits.min) & (values <= limits.max))]
    if bad.size:
        raise ValueError(f"{name}: has {bad[0]}, expected whole numbers of 32 bits")
    return values.astype("int32")


def cloud_options(dataset, options):
    """Whether there are clouds, and options with the overlap that the dataset has."""
    values = flag(dataset, "icld")
    if values is None:
        return True, options
    if numpy.any(values != values.flat[0]) or not -1 <= values.flat[0] < len(OVERLAPS):
        raise ValueError(f"icld: expected one number from -1 to {len(OVERLAPS) - 1} for all columns")
    number = int(values.flat[0])
    if number > 0 and "cldfrac" in dataset.variables and "overlap" not in options:
        options = {**options, "overlap": OVERLAPS[number]}
    return number != 0, options


def flag_of_columns(dataset, columns, name):
    """A flag as an array (column), or of one entry for all; None where the dataset has none."""
    values = flag(dataset, name)
    if values is not None and name in dataset.variables and dataset[name].ndim:
        values = columns.array(name, dataset[name], values.reshape(dataset[name].shape))
    return None if values is None else values.reshape(-1)


def flags(dataset, columns, with_clouds, arguments):
    """Flags of cloud optics and of aerosol, of each column."""
    found = {argument: flag_of_columns(dataset, columns, name) for argument, name in columns.range.flags.items()
             if with_clouds or argument not in LONGWAVE_RANGE.flags}
    if not any(name.startswith("aerosol") for name in arguments) and not numpy.any(found.get("aerosol_input")):
        found.pop("aerosol_input", None)
    return {argument: values for argument, values in found.items() if values is not None}


GENERALISED_SIZE = 3  # RRTMG's optics of ice by Fu, whose sizes are neither radii nor diameters


def refuse_generalised_size(of_range, variable, ice_optics):
    """Refuses sizes of ice that a dataset says to be no radii."""
    if variable.name in RRTMG_ICE and ice_optics is not None and numpy.any(ice_optics == GENERALISED_SIZE):
        raise ValueError(f"{variable.name}: is a generalised effective size, as {of_range.flags['ice_optics']} = "
                         f"{GENERALISED_SIZE} says, expected an effective radius")


def make_dataset(dataset, result, columns, reader, variables, order):
    """The results with CF names, in the dimensions of the input."""
    dimensions = {"column": tuple(columns.sizes), "layer": (reader.layer,), "level": (reader.level,), "band": ("band",)}
    values = {}
    for entry in reader.range.solver.outputs:
        if entry.name not in result:
            continue
        names = sum((dimensions[name] for name in entry.dimensions), ())
        array = result[entry.name]
        inner = array.shape[array.ndim - len(entry.dimensions) + 1:]
        attributes = {"units": entry.unit, "long_name": entry.meaning.replace("`", "")}
        if entry.name in reader.range.standard_names:
            attributes["standard_name"] = reader.range.standard_names[entry.name]
        values[entry.name] = (names, array.reshape((*columns.shape, *inner)), attributes)
    kept = {*columns.sizes, reader.layer, reader.level}
    coordinates = {name: each for name, each in dataset.coords.items() if set(each.dims) <= kept}
    for argument in ("pressure_lay", "pressure_lev"):
        coordinates.setdefault(variables[argument].name, variables[argument])
    if "flux_up_band" in values:
        coordinates["band"] = ("band", numpy.arange(1, values["flux_up_band"][1].shape[-1] + 1), {"long_name": "band"})
    first = "layer next to the surface" if order == "surface_first" else "highest layer"
    attributes = {"Conventions": "CF-1.10", "title": f"{reader.range.solver.name} fluxes and heating rates",
                  "source": f"parhelion {__version__}", "vertical_order": f"index 0 is the {first}"}
    return xarray.Dataset(values, coordinates, attributes)
