# SPDX-License-Identifier: BSD-3-Clause
"""Solvers for datasets of xarray, with the names and units of CF."""

import re

import numpy
import xarray

from . import __version__
from ._description import LONGWAVE
from ._solvers import longwave as compute_longwave
from ._solvers import refuse_unknown

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

# For each argument: units, names of variables, and CF's standard names. Names are looked for first.
ARGUMENTS = {
    "pressure_lay": (PRESSURE, ("pressure_lay", "play", "pres_layer"), ("air_pressure",)),
    "pressure_lev": (PRESSURE, ("pressure_lev", "plev", "pres_level"), ("air_pressure",)),
    "temperature_lay": (TEMPERATURE, ("temperature_lay", "tlay", "temp_layer"), ("air_temperature",)),
    "temperature_lev": (TEMPERATURE, ("temperature_lev", "tlev", "temp_level"), ("air_temperature",)),
    "temperature_sfc": (TEMPERATURE, ("temperature_sfc", "tsfc", "surface_temperature"),
                        ("surface_temperature", "surface_skin_temperature")),
    "emissivity_sfc": (PLAIN, ("emissivity_sfc", "emis", "surface_emissivity"), ("surface_longwave_emissivity",)),
    "aerosol": (PLAIN, ("tauaer",), ()),
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
}
# Flags of RRTMG_LW, as attributes of a dataset or as its variables.
FLAGS = {"cloud_input": "inflglw", "ice_optics": "iceflglw", "liquid_optics": "liqflglw"}
OVERLAPS = ("none", "random", "maximum_random", "maximum", "exponential", "exponential_random")  # icld
NEEDED = ("pressure_lay", "pressure_lev", "temperature_lay", "temperature_lev", "temperature_sfc", "emissivity_sfc")
# Arguments that a factor of the call brings to its units.
GROUPS = {
    **dict.fromkeys(("pressure_lay", "pressure_lev"), "pressure_factor"),
    **dict.fromkeys(("ice_path", "liquid_path", "ice_path_gpt", "liquid_path_gpt"), "path_factor"),
    **dict.fromkeys(("ice_size", "liquid_size"), "particle_size_factor"),
}
OF_LEVELS = ("pressure_lev", "temperature_lev")
OF_LAYERS = ("pressure_lay", "temperature_lay")

STANDARD_NAMES = {
    "flux_up": "upwelling_longwave_flux_in_air",
    "flux_dn": "downwelling_longwave_flux_in_air",
    "heating_rate": "tendency_of_air_temperature_due_to_longwave_heating",
    "flux_up_clear": "upwelling_longwave_flux_in_air_assuming_clear_sky",
    "flux_dn_clear": "downwelling_longwave_flux_in_air_assuming_clear_sky",
    "heating_rate_clear": "tendency_of_air_temperature_due_to_longwave_heating_assuming_clear_sky",
}


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
    """Finds the arguments of the longwave solver in a dataset."""

    def __init__(self, dataset, names):
        if not isinstance(dataset, xarray.Dataset):
            raise TypeError(f"dataset: is {type(dataset)}, expected an xarray.Dataset")
        refuse_unknown("names", names, [*ARGUMENTS, *GASES], "argument")
        self.dataset = dataset
        self.names = names
        self.layer, self.level = self.vertical_dimensions()

    def named(self, argument, names):
        """A variable by its name, if the dataset has one."""
        if argument in self.names:
            name = self.names[argument]
            if name not in self.dataset.variables:
                raise ValueError(f"names: the dataset has no variable {name!r} for {argument}")
            return self.dataset[name]
        found = [name for name in names if name in self.dataset.variables and name not in self.names.values()]
        if len(found) > 1:
            raise ValueError(f"{argument}: the dataset has {' and '.join(found)}, expected one of them; names= chooses")
        return self.dataset[found[0]] if found else None

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
        layers = self.named("pressure_lay", ARGUMENTS["pressure_lay"][1])
        levels = self.named("pressure_lev", ARGUMENTS["pressure_lev"][1])
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
        _, names, standard_names = ARGUMENTS[argument]
        found = self.named(argument, names)
        if found is None and standard_names:
            vertical = {**dict.fromkeys(OF_LEVELS, self.level), **dict.fromkeys(OF_LAYERS, self.layer)}.get(argument)
            found = self.by_standard_name(argument, standard_names, vertical)
        if found is None and argument in NEEDED:
            shown = [*names, *(f"one with the standard name {name}" for name in standard_names)]
            raise ValueError(f"{argument}: the dataset has no such variable, expected {' or '.join(shown)}")
        return found

    def find_gas(self, gas):
        """A gas, and whether it is said to be of dry air."""
        names, substance = GASES[gas]
        dry, any_air = f"mole_fraction_of_{substance}_in_dry_air", f"mole_fraction_of_{substance}_in_air"
        found = self.named(gas, names)
        if found is None:
            found = self.by_standard_name(gas, (dry, any_air))
        return found, found is not None and found.attrs.get("standard_name") == dry


class Columns:
    """Variables with the dimensions (columns..., vertical, others) as arrays (column, vertical, others)."""

    def __init__(self, reader, variables):
        self.vertical = (reader.layer, reader.level)
        self.sizes = {}
        # In the order of the variable that has most of them.
        for argument, variable in sorted(variables.items(), key=lambda item: -item[1].ndim):
            spectrum = self.spectrum(argument, variable)
            self.sizes.update((name, variable.sizes[name]) for name in variable.dims
                              if name not in self.vertical and name not in spectrum)
        self.shape = tuple(self.sizes.values())

    def spectrum(self, argument, variable):
        """The dimension of bands or g-points, as a tuple; () for none."""
        of_gpoints = argument.endswith("_gpt")
        if argument not in ("aerosol", "emissivity_sfc") and not of_gpoints:
            return ()
        found = [name for name in variable.dims
                 if name not in self.vertical and variable.sizes[name] == (140 if of_gpoints else 16)]
        named = [name for name in found if name in ("band", "bnd", "band_lw", "lw_band", "gpt", "g_point")]
        if argument == "emissivity_sfc" and not named:
            return ()
        if len(named or found) != 1:
            raise ValueError(f"{describe(variable)}: expected one dimension of {140 if of_gpoints else 16} "
                             f"{'g-points' if of_gpoints else 'bands'}")
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

    Returns
    -------
    xarray.Dataset
        Fluxes and heating rates in the dimensions and the vertical order of the input, with its coordinates.
    """
    # The names of calls; that of the decorrelation length may be an option or a variable.
    numbers = [each.name for each in LONGWAVE.numbers if not each.name.endswith("_factor")]
    known = [each.name for each in LONGWAVE.options if not each.seen and each.name != "vertical_order"] + numbers
    refuse_unknown("parhelion.xarray.longwave()", options, [*known, "names", "mole_fractions", "dtype"])
    if mole_fractions not in ("dry", "moist"):
        raise ValueError(f"mole_fractions = {mole_fractions!r}, expected dry or moist")
    if dtype not in (None, "float32", "float64"):
        raise ValueError(f"dtype = {dtype!r}, expected float64 or float32")
    reader = Reader(dataset, dict(names or {}))
    with_clouds, options = cloud_options(dataset, options)
    variables = {argument: found for argument in ARGUMENTS
                 if (with_clouds or argument in NEEDED or argument == "aerosol")
                 and (found := reader.find(argument)) is not None}
    gases = {gas: found for gas in GASES if (found := reader.find_gas(gas))[0] is not None}
    gas_variables = {gas: variable for gas, (variable, _) in gases.items()}
    columns = Columns(reader, {**variables, **gas_variables})
    refuse_missing([*variables.values(), *gas_variables.values()])

    precision = dtype or ("float32" if variables["temperature_lay"].dtype == numpy.float32 else "float64")
    factors = common_factors(variables)
    arguments = {argument: columns.array(argument, variable,
                                         in_units(variable, ARGUMENTS[argument][0], precision, argument in factors))
                 for argument, variable in variables.items()}
    arguments.update(flags(dataset, columns, with_clouds))
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
    if columns.shape and arguments["temperature_lay"].shape[0] != numpy.prod(columns.shape):
        count = int(numpy.prod(columns.shape))
        lay = arguments["temperature_lay"]
        arguments["temperature_lay"] = numpy.broadcast_to(lay, (count, *lay.shape[1:]))
    result = compute_longwave(**arguments, gases=ratios, vertical_order=order,
                              **{GROUPS[argument]: factor for argument, factor in factors.items()}, **options)
    return make_dataset(dataset, result, columns, reader, variables, order)


def common_factors(variables):
    """The factors of arguments whose group has one unit, with which the call itself brings them to its own."""
    found = {argument: factor_of(variable, ARGUMENTS[argument][0]) for argument, variable in variables.items()
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
    """A flag of RRTMG_LW as an array of whole numbers, or None."""
    values = dataset[name].values if name in dataset.variables else dataset.attrs.get(name)
    if values is None:
        return None
    values = numpy.atleast_1d(numpy.asarray(values))
    if values.dtype.kind not in "iuf" or numpy.any(values != numpy.floor(values)):
        raise ValueError(f"{name}: expected whole numbers")
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


def flags(dataset, columns, with_clouds):
    """Flags of cloud optics, of each column."""
    found = {}
    for argument, name in FLAGS.items():
        values = flag(dataset, name) if with_clouds else None
        if values is None:
            continue
        if name in dataset.variables and dataset[name].ndim:
            values = columns.array(argument, dataset[name], values.reshape(dataset[name].shape))
        found[argument] = values.reshape(-1)
    return found


def make_dataset(dataset, result, columns, reader, variables, order):
    """The results with CF names, in the dimensions of the input."""
    dimensions = {"column": tuple(columns.sizes), "layer": (reader.layer,), "level": (reader.level,), "band": ("band",)}
    values = {}
    for entry in LONGWAVE.outputs:
        if entry.name not in result:
            continue
        names = sum((dimensions[name] for name in entry.dimensions), ())
        array = result[entry.name]
        inner = array.shape[array.ndim - len(entry.dimensions) + 1:]
        attributes = {"units": entry.unit, "long_name": entry.meaning.replace("`", "")}
        if entry.name in STANDARD_NAMES:
            attributes["standard_name"] = STANDARD_NAMES[entry.name]
        values[entry.name] = (names, array.reshape((*columns.shape, *inner)), attributes)
    kept = {*columns.sizes, reader.layer, reader.level}
    coordinates = {name: each for name, each in dataset.coords.items() if set(each.dims) <= kept}
    for argument in ("pressure_lay", "pressure_lev"):
        coordinates.setdefault(variables[argument].name, variables[argument])
    if "flux_up_band" in values:
        coordinates["band"] = ("band", numpy.arange(1, 17), {"long_name": "band"})
    first = "layer next to the surface" if order == "surface_first" else "highest layer"
    attributes = {"Conventions": "CF-1.10", "title": "longwave fluxes and heating rates",
                  "source": f"parhelion {__version__}", "vertical_order": f"index 0 is the {first}"}
    return xarray.Dataset(values, coordinates, attributes)
