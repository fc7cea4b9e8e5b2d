# SPDX-License-Identifier: BSD-3-Clause
"""What the solvers take and give: names, dimensions, units and meanings of options, arguments and results.

Everything that needs to know them looks here: calls, docstrings and the tables of the reference. The names are those of
the structs in parhelion.h; a test compares both.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Option:
    """A member of a struct of options, or a number of a struct of input."""

    name: str
    kind: str  # "text", "path", "names", "flag", "integer", "real", "reals", or "choice"
    meaning: str
    unit: str = ""
    prefix: str = ""  # of the enumeration's values in the header, for a choice
    choices: tuple = ()  # the first is the default; names of the enumeration's values in lower case
    default: str = ""  # in words
    count: int = 0  # of reals
    seen: bool = False  # the function sees it from its arrays, and does not take it
    positive: bool = False  # a number above 0; the struct has 0 where it is not given
    words: tuple = ()  # names of values of an integer: of the enumeration's, in lower case
    aliases: tuple = ()  # pairs of older names of choices and what they are called now

    def constant(self, choice):
        return self.prefix + choice.upper()


@dataclasses.dataclass(frozen=True)
class Array:
    """An array of input or of results."""

    name: str
    dimensions: tuple  # their names; "profile or 1": extent 1 stands for all profiles
    unit: str
    meaning: str
    limits: str = ""
    integers: bool = False
    rank: int = 0  # how many of the dimensions every array has: the others may be left out; 0: all of them
    least: int = 0  # of dimensions that an argument has to have, which are not spread
    when: str = ""  # the option without which the result is not computed
    models: tuple = ()  # the models that have the result; empty: all

    def dimensions_of(self, rank):
        """The dimensions of an array of so many."""
        return self.dimensions[:max(rank, self.rank)] if self.rank else self.dimensions


@dataclasses.dataclass(frozen=True)
class Solver:
    name: str  # of the function
    title: str
    summary: str
    options: tuple
    inputs: tuple
    numbers: tuple  # of a call, beside its arrays
    outputs: tuple
    item: str = ""  # the dimension that results do not have when no argument has it
    sums: dict = dataclasses.field(default_factory=dict)  # dimensions with so many more than another one has
    fixed: dict = dataclasses.field(default_factory=dict)  # extents that are the same in all calls
    usual: tuple = ()  # results that are computed unless others are named; empty: all

    @property
    def type_name(self):
        return "".join(word.capitalize() for word in self.name.split("_"))


SPACE = Option("space", "text", 'execution space: "CUDA", "OpenMP", "Serial"...', default="that of the build")
PRECISION = Option("precision", "choice", "of the calculation, whatever that of the arrays", prefix="PARHELION_",
                   choices=("float64", "float32"))
VERTICAL_ORDER = Option("vertical_order", "choice", "which end of a column has index 0", prefix="PARHELION_",
                        choices=("surface_first", "top_first"))


def devices(what):
    return Option("devices", "integer", f"devices that {what} of host arrays; -1: all", default="one")


DEVICES = devices("compute chunks")


def chunk(what):
    return Option("chunk", "integer", f"{what} that are computed at a time; results do not depend on it",
                  default="automatic")


def out_of_range(what):
    return Option("out_of_range", "choice", f"what is done with {what} outside the range of the model",
                  prefix="PARHELION_OUT_OF_RANGE_", choices=("refuse", "clip", "extrapolate"))


GASES = ("h2o", "co2", "o3", "n2o", "co", "ch4", "o2", "ccl4", "cfc11", "cfc12", "cfc22")  # `gases` of the struct
MORE_GASES = ("n2", "hfc143a", "hfc125", "hfc23", "hfc32", "hfc134a", "cf4", "no2")  # `more_gases`

LAYERS, LEVELS, COLUMNS = ("column", "layer"), ("column", "level"), ("column",)
BANDS, GPOINTS = ("column", "layer", "band"), ("column", "layer", "gpt")

CHECKS = Option("checks", "choice", "what is done with input that is not as it should be: the call fails, values are "
                "replaced by the nearest end of their range in copies and counted, or values are not looked at",
                prefix="PARHELION_CHECK_", choices=("refuse", "clip", "trust"))
OVERLAP = Option("overlap", "choice", "how clouds of layers overlap; the default is maximum_random",
                 prefix="PARHELION_OVERLAP_",
                 choices=("default", "random", "maximum_random", "maximum", "exponential", "exponential_random"))
OF_HEATING = (Option("heat_capacity", "real", "of air at constant pressure, for heating rates", "J kg-1 K-1",
                     default="1004", positive=True),
              Option("gravity", "real", "for heating rates", "m s-2",
                     default="9.8066 with RRTMG, otherwise 9.80665", positive=True))


def model(*choices):
    return Option("model", "choice", "the gas optics: that of `coefficients` (RRTMG without a file), or this one",
                  prefix="PARHELION_GAS_OPTICS_", choices=("of_file", *choices), aliases=(("rrtmg_lw", "of_file"),))


def coefficients(which, example):
    return Option("coefficients", "path", f"file {which}_DATA or {which}_DATA.DBL, a definition of ecCKD, or gas optics "
                  f"of RRTMGP such as {example}",
                  default="that of `model`, found in PARHELION_DATA, the working folder or the installation")


LEVEL_TEMPERATURES = Option("level_temperatures", "choice", "whether calls give `temperature_lev`, or it is "
                            "interpolated from the layers where it is needed", prefix="PARHELION_LEVEL_TEMPERATURES_",
                            choices=("given", "interpolated"))
PARTICLE_FILES = (
    Option("cloud_optics", "path", "RRTMGP: file of the optics of clouds, by band or by g-point",
           default="there are no clouds"),
    Option("aerosol_optics", "path", "RRTMGP: file of the optics of aerosol by type; calls may then have "
           "`aerosol_type` and the three beside it", default="none"),
)
GASES_OF_CALLS = Option("gases", "names", "the gases that calls may give, for which RRTMGP's tables are made before "
                        "the first call", default="all that the model knows", seen=True)
ICE_ROUGHNESS = Option("ice_roughness", "integer", "RRTMGP: of ice in `cloud_optics`, from 1 (smooth) on", default="2",
                       positive=True)
SCATTERING_FILES = (
    Option("droplet_scattering", "path", "ecCKD: scattering file of ecRad for droplets; both or none",
           default="there are no clouds"),
    Option("ice_scattering", "path", "ecCKD: the same for ice particles", default="there are no clouds"),
    Option("cloud_averaging", "choice", "ecCKD: how single scattering albedos of clouds become those of g-points: so "
           "that a very thick cloud reflects the mean, or as the mean weighted by extinction",
           prefix="PARHELION_CLOUD_AVERAGING_", choices=("thick", "thin")),
)
AEROSOL_TYPES = (
    Array("aerosol_type", LAYERS, "", "RRTMGP: type of aerosol: 0: none, 1: dust, 2: sea salt, 3: sulfate, 4 and 5: "
          "black carbon, hydrophilic and hydrophobic, 6 and 7: organic carbon, likewise; all four or none",
          integers=True),
    Array("aerosol_size", LAYERS, "m", "RRTMGP: radius of dust and sea salt", ">= 0"),
    Array("aerosol_mass", LAYERS, "kg m-2", "RRTMGP: mass of aerosol", ">= 0"),
    Array("relative_humidity", LAYERS, "1", "RRTMGP: relative humidity", ">= 0"),
)
LAYER_CLOUDS = (
    Array("fraction", LAYERS, "1", "clouds of layers: cloud fraction", "0 to 1"),
    Array("ice_path", LAYERS, "kg m-2", "clouds of layers: ice of the cloudy part", ">= 0"),
    Array("liquid_path", LAYERS, "kg m-2", "clouds of layers: liquid water of the cloudy part", ">= 0"),
    Array("decorrelation_length", COLUMNS, "m", "clouds of layers: for exponential overlaps; 2500 m if absent", "> 0"),
)
COLUMN_NUMBERS = (
    Option("seed", "integer", "of the subcolumns that are drawn for clouds of layers", default="0"),
    Option("first_column", "integer", "number of the first column among all, on which its subcolumns depend",
           default="0"),
    Option("pressure_factor", "real", "brings pressures to Pa: 100 for hPa", default="1", positive=True),
    Option("path_factor", "real", "brings water paths to kg m-2: 1e-3 for g m-2", default="1", positive=True),
    Option("particle_size_factor", "real", "brings sizes to m: 1e-6 for um", default="1", positive=True),
)

LONGWAVE = Solver(
    name="longwave",
    title="longwave fluxes and heating rates of columns",
    summary="Gases, clouds and aerosol absorb and emit; RRTMGP's clouds and aerosol may scatter, too. With RRTMG and the "
            "simple spectral model a gas that is absent counts as 0; ecCKD and RRTMGP refuse calls without gases that "
            "they need, and to RRTMGP others that are absent do not exist. ecCKD and the simple spectral model have no "
            "aerosol, and the latter no clouds.",
    options=(
        SPACE,
        PRECISION,
        model("rrtmg", "rrtmgp", "ecckd", "simple"),
        coefficients("RRTMG_LW", "rrtmgp-gas-lw-g128.nc"),
        VERTICAL_ORDER,
        Option("ncol", "integer", "expected columns of a call, by which the work is divided", default="automatic",
               seen=True),
        Option("nlay", "integer", "most layers of a call; has to be given", seen=True),
        Option("clouds", "choice", "how calls give clouds, if they have any", prefix="PARHELION_CLOUDS_",
               choices=("none", "of_layers", "of_gpoints", "masked"), seen=True),
        Option("cloud_optical_depth", "flag", "calls may have `optical_depth_gpt`", seen=True),
        Option("aerosol", "flag", "calls may have `aerosol`", seen=True),
        Option("clear", "flag", "also results without clouds"),
        Option("derivative", "flag", "also derivatives with respect to the surface temperature"),
        Option("bands", "flag", "also the fluxes of bands"),
        OVERLAP,
        Option("transmittance", "choice", "exponential, or by the table of RRTMG_LW for the same digits",
               prefix="PARHELION_TRANSMITTANCE_", choices=("exact", "table")),
        Option("extra_layer", "flag", "adds a layer from the top of the columns to 0.01 Pa"),
        CHECKS,
        out_of_range("temperatures, pressures and mole ratios"),
        *OF_HEATING,
        chunk("columns"),
        DEVICES,
        *PARTICLE_FILES,
        GASES_OF_CALLS,
        LEVEL_TEMPERATURES,
        Option("angles", "integer", "RRTMGP: 1 to 4 angles, or one for each column and g-point by the fit of the file",
               words=("angles_optimal",), default="1", positive=True),
        Option("scattering", "choice", "RRTMGP: how scattering by clouds and aerosol counts: not at all, as absorption "
               "that is rescaled, or in two-stream layers, which have no derivative",
               prefix="PARHELION_SCATTERING_", choices=("none", "rescaling", "two_stream")),
        ICE_ROUGHNESS,
        *SCATTERING_FILES,
        Option("incident_flux", "flag", "calls may have `incident_flux`", seen=True),
    ),
    inputs=(
        Array("pressure_lay", LAYERS, "Pa", "pressure of layers; not needed by ecCKD", "> 0"),
        Array("pressure_lev", LEVELS, "Pa", "pressure of interfaces", ">= 0"),
        Array("temperature_lay", LAYERS, "K", "temperature of layers; not needed by ecCKD", "> 0"),
        Array("temperature_lev", LEVELS, "K", "temperature of interfaces", "> 0"),
        Array("temperature_sfc", COLUMNS, "K", "temperature of the surface's skin", "> 0"),
        Array("emissivity_sfc", ("column", "band or 1"), "1", "emissivity of the surface, one value or one for each of "
              "the bands of the model, with ecCKD also of its g-points: see Longwave.interval_weights()", "0 to 1",
              rank=1),
        Array("gases", LAYERS, "1", "moles of gas per mole of dry air: a mapping with arrays of " +
              ", ".join(GASES + MORE_GASES) + " or names in use such as methane", ">= 0"),
        Array("aerosol", BANDS, "1", "absorption optical depth of aerosol in the bands of the model", ">= 0"),
        *LAYER_CLOUDS,
        Array("fraction_gpt", GPOINTS, "1", "clouds of g-points: cloudy where it is 1, clear where less"),
        Array("ice_path_gpt", GPOINTS, "kg m-2", "clouds of g-points: ice", ">= 0"),
        Array("liquid_path_gpt", GPOINTS, "kg m-2", "clouds of g-points: liquid water", ">= 0"),
        Array("optical_depth_gpt", GPOINTS, "1", "clouds of g-points: absorption optical depth", ">= 0"),
        Array("ice_size", LAYERS, "m", "size of ice particles, as `ice_optics` has it, with RRTMGP their effective "
              "diameter, with ecCKD their effective radius"),
        Array("liquid_size", LAYERS, "m", "effective radius of droplets"),
        Array("cloud_input", COLUMNS, "", "0: clouds are given by optical depth, 2: by water paths; 2 if absent",
              integers=True),
        Array("ice_optics", COLUMNS, "", "RRTMG_LW's iceflglw, 0 to 3; 3 (Fu) if absent", integers=True),
        Array("liquid_optics", COLUMNS, "", "RRTMG_LW's liqflglw, 0 to 1; 1 (Hu and Stamnes) if absent",
              integers=True),
        *AEROSOL_TYPES,
        Array("incident_flux", ("column", "gpt"), "W m-2", "downward flux that enters at the top, of each g-point of "
              "the model; 0 if absent", ">= 0"),
    ),
    numbers=COLUMN_NUMBERS,
    outputs=(
        Array("flux_up", LEVELS, "W m-2", "upward flux, positive"),
        Array("flux_dn", LEVELS, "W m-2", "downward flux, positive"),
        Array("heating_rate", LAYERS, "K day-1", "heating rate, negative where the layer cools"),
        Array("flux_up_clear", LEVELS, "W m-2", "`flux_up` without clouds", when="clear"),
        Array("flux_dn_clear", LEVELS, "W m-2", "`flux_dn` without clouds", when="clear"),
        Array("heating_rate_clear", LAYERS, "K day-1", "`heating_rate` without clouds", when="clear"),
        Array("dflux_up_dt", LEVELS, "W m-2 K-1", "derivative of `flux_up` by the surface temperature",
              when="derivative"),
        Array("dflux_up_clear_dt", LEVELS, "W m-2 K-1", "the same without clouds", when="clear derivative"),
        Array("flux_up_band", ("column", "level", "band"), "W m-2", "`flux_up` of each of the bands of the model", when="bands"),
        Array("flux_dn_band", ("column", "level", "band"), "W m-2", "`flux_dn` of each of the bands of the model", when="bands"),
        Array("surface_share", LEVELS, "1", "ecCKD: what is left of a change of the upward flux at the surface whose "
              "spectrum is that of the flux; files have it as lw_derivative", when="derivative", models=("ecckd",)),
    ),
    item="column",
    sums={"level": ("layer", 1)},
)

SHORTWAVE = Solver(
    name="shortwave",
    title="shortwave fluxes and heating rates of columns",
    summary="With RRTMG H2O, CO2, O3, CH4 and O2 absorb, and a gas that is absent counts as 0; ecCKD and RRTMGP refuse "
            "calls without gases that they need, and to RRTMGP others that are absent do not exist. Air, clouds and "
            "aerosol scatter. Bands are in the model's order, RRTMG's from 2600 to 50000 cm-1 with 820-2600 cm-1 as "
            "the last. Columns at night get zeros and cost nothing, except with the table of transmittances.",
    options=(
        SPACE,
        PRECISION,
        VERTICAL_ORDER,
        coefficients("RRTMG_SW", "rrtmgp-gas-sw-g112.nc"),
        Option("ncol", "integer", "expected columns of a call, by which the work is divided", default="automatic",
               seen=True),
        Option("nlay", "integer", "most layers of a call; has to be given", seen=True),
        Option("clouds", "choice", "how calls give clouds, if they have any", prefix="PARHELION_CLOUDS_",
               choices=("none", "of_layers", "of_gpoints", "masked"), seen=True),
        Option("cloud_optical_properties", "flag", "calls may have `optical_depth_gpt` and the three beside it",
               seen=True),
        Option("aerosol_optical", "flag", "calls may have `aerosol_optical_depth` and the two beside it", seen=True),
        Option("aerosol_types", "flag", "calls may have `aerosol_550nm`", seen=True),
        Option("clear", "flag", "also results without clouds"),
        Option("parts", "flag", "also the fluxes from 16000 cm-1 up and below"),
        Option("bands", "flag", "also the fluxes of bands"),
        OVERLAP,
        Option("transmittance", "choice", "exponential, or by the table of RRTMG_SW and with all that it does, for the "
               "same digits", prefix="PARHELION_TRANSMITTANCE_", choices=("exact", "table")),
        Option("two_stream", "choice", "the two-stream approximation of layers", prefix="PARHELION_TWO_STREAM_",
               choices=("pifm", "eddington", "quadrature")),
        Option("direct", "choice", "whether the direct beam has the forward peak of scattering in it",
               prefix="PARHELION_DIRECT_", choices=("scaled", "unscaled")),
        Option("band28_level", "integer", "reference level of the sun in 38000-50000 cm-1: 42, or 58 as in WRF and "
               "MPAS", default="42", positive=True),
        CHECKS,
        out_of_range("temperatures, pressures and mole ratios"),
        *OF_HEATING,
        chunk("columns"),
        DEVICES,
        *PARTICLE_FILES,
        GASES_OF_CALLS,
        model("rrtmg", "rrtmgp", "ecckd"),
        LEVEL_TEMPERATURES,
        ICE_ROUGHNESS,
        *SCATTERING_FILES,
    ),
    inputs=(
        Array("pressure_lay", LAYERS, "Pa", "pressure of layers; not needed by ecCKD", "> 0"),
        Array("pressure_lev", LEVELS, "Pa", "pressure of interfaces", ">= 0"),
        Array("temperature_lay", LAYERS, "K", "temperature of layers; not needed by ecCKD", "> 0"),
        Array("temperature_lev", LEVELS, "K", "temperature of interfaces; only ecCKD and clouds of layers that "
              "overlap exponentially need it", "> 0"),
        Array("gases", LAYERS, "1", "moles of gas per mole of dry air: a mapping with arrays, as for the longwave", ">= 0"),
        Array("cos_zenith", COLUMNS, "1", "cosine of the solar zenith angle; night where <= 0", "-1 to 1"),
        Array("albedo_direct", ("column", "albedo or 1"), "1", "albedo of the surface for direct radiation: one value, "
              "one for each band of the model, two where it has other numbers of bands (from 16000 cm-1 up, and below), "
              "or with ecCKD also one for each g-point: see Shortwave.interval_weights()", "0 to 1", rank=1),
        Array("albedo_diffuse", ("column", "albedo or 1"), "1", "the same for diffuse radiation, of the same shape",
              "0 to 1", rank=1),
        Array("solar_weights", ("column", "spectrum"), "1", "weights of four solar spectra, with the sun's distance, "
              "in place of `sun` and what follows it: Kurucz; quiet sun, faculae and sunspots of NRLSSI2, the spectra "
              "of RRTMGP, too; with ecCKD the first is the irradiance in W m-2; see Shortwave.solar_weights()"),
        Array("solar_band_factors", ("column", "band"), "1", "further factor on each band of the model; 1 if absent",
              ">= 0"),
        Array("aerosol_optical_depth", BANDS, "1", "optical depth of aerosol in the bands of the model: all three or none", ">= 0"),
        Array("aerosol_single_scattering_albedo", BANDS, "1", "of aerosol in the bands of the model", "0 to 1"),
        Array("aerosol_asymmetry", BANDS, "1", "of aerosol in the bands of the model", "-1 to 1"),
        Array("aerosol_550nm", ("column", "layer", "type"), "1", "optical depth at 550 nm of six types of aerosol: "
              "continental average, maritime, desert, urban, volcanic active, stratospheric background", ">= 0"),
        Array("aerosol_input", COLUMNS, "", "0: no aerosol, 6: of types, 10: by optical properties; what there are "
              "arrays of if absent", integers=True),
        *LAYER_CLOUDS,
        Array("fraction_gpt", GPOINTS, "1", "clouds of g-points: cloud fraction", "0 to 1"),
        Array("ice_path_gpt", GPOINTS, "kg m-2", "clouds of g-points: ice", ">= 0"),
        Array("liquid_path_gpt", GPOINTS, "kg m-2", "clouds of g-points: liquid water", ">= 0"),
        Array("optical_depth_gpt", GPOINTS, "1", "clouds of g-points: before delta scaling: all four or none", ">= 0"),
        Array("single_scattering_albedo_gpt", GPOINTS, "1", "clouds of g-points", "0 to 1"),
        Array("asymmetry_gpt", GPOINTS, "1", "clouds of g-points", "-1 to 1"),
        Array("forward_fraction_gpt", GPOINTS, "1", "clouds of g-points: scattered light that counts as unscattered",
              "0 to 1"),
        Array("ice_size", LAYERS, "m", "size of ice particles, as `ice_optics` has it, with RRTMGP their effective "
              "diameter, with ecCKD their effective radius"),
        Array("liquid_size", LAYERS, "m", "effective radius of droplets, with RRTMG 2.5e-6 to 6e-5"),
        Array("cloud_input", COLUMNS, "", "0: clouds are given by optical properties, 2: by water paths; 2 if absent",
              integers=True),
        Array("ice_optics", COLUMNS, "", "RRTMG_SW's iceflgsw, 1 to 3; 3 (Fu) if absent", integers=True),
        Array("liquid_optics", COLUMNS, "", "RRTMG_SW's liqflgsw, 1 (Hu and Stamnes)", integers=True),
        *AEROSOL_TYPES,
    ),
    numbers=(
        *COLUMN_NUMBERS,
        Option("sun", "choice", "NRLSSI2's mean of the solar cycle, Kurucz, Kurucz that nothing scales, NRLSSI2 at a "
               "place in the cycle, by indices of faculae and sunspots, or the mean with factors on bands; ecCKD and "
               "RRTMGP have their own, which is the first, and RRTMGP takes indices, too",
               prefix="PARHELION_SUN_",
               choices=("mean_cycle", "kurucz", "kurucz_unscaled", "cycle", "indices", "scaled_bands")),
        Option("day_of_year", "integer", "1 to 366, from which the sun's distance follows", default="distance_factor"),
        Option("total_irradiance", "real", "at 1 au", "W m-2", default="that of the spectrum, with ecCKD 1361",
               positive=True),
        Option("distance_factor", "real", "factor by the distance of the sun", default="1", positive=True),
        Option("solar_indices", "reals", "amplitudes of faculae and sunspots with \"cycle\", Mg and sunspot index with "
               "\"indices\"; to RRTMGP what is not a number is as its file says", count=2, default="none"),
        Option("cycle_fraction", "reals", "place in the solar cycle, 0 to 1", count=1, default="none"),
        Option("band_factors", "reals", "factor on each band, with \"kurucz\" and \"scaled_bands\"", count=14,
               default="none"),
    ),
    outputs=(
        Array("flux_up", LEVELS, "W m-2", "upward flux, positive"),
        Array("flux_dn", LEVELS, "W m-2", "downward flux, direct and diffuse, positive"),
        Array("flux_dn_direct", LEVELS, "W m-2", "downward flux of the direct beam, positive"),
        Array("heating_rate", LAYERS, "K day-1", "heating rate, positive where the layer warms"),
        Array("flux_dn_uvvis", LEVELS, "W m-2", "`flux_dn` from 16000 cm-1 up", when="parts"),
        Array("flux_dn_nir", LEVELS, "W m-2", "`flux_dn` below", when="parts"),
        Array("flux_dn_direct_uvvis", LEVELS, "W m-2", "`flux_dn_direct` from 16000 cm-1 up", when="parts"),
        Array("flux_dn_direct_nir", LEVELS, "W m-2", "`flux_dn_direct` below", when="parts"),
        Array("flux_up_clear", LEVELS, "W m-2", "`flux_up` without clouds", when="clear"),
        Array("flux_dn_clear", LEVELS, "W m-2", "`flux_dn` without clouds", when="clear"),
        Array("flux_dn_direct_clear", LEVELS, "W m-2", "`flux_dn_direct` without clouds", when="clear"),
        Array("heating_rate_clear", LAYERS, "K day-1", "`heating_rate` without clouds", when="clear"),
        Array("flux_dn_uvvis_clear", LEVELS, "W m-2", "`flux_dn_uvvis` without clouds", when="clear parts"),
        Array("flux_dn_nir_clear", LEVELS, "W m-2", "`flux_dn_nir` without clouds", when="clear parts"),
        Array("flux_dn_direct_uvvis_clear", LEVELS, "W m-2", "`flux_dn_direct_uvvis` without clouds",
              when="clear parts"),
        Array("flux_dn_direct_nir_clear", LEVELS, "W m-2", "`flux_dn_direct_nir` without clouds", when="clear parts"),
        Array("flux_up_band", ("column", "level", "band"), "W m-2", "`flux_up` of each band of the model", when="bands"),
        Array("flux_dn_band", ("column", "level", "band"), "W m-2", "`flux_dn` of each band of the model", when="bands"),
        Array("flux_dn_direct_band", ("column", "level", "band"), "W m-2", "`flux_dn_direct` of each band of the model",
              when="bands"),
    ),
    item="column",
    sums={"level": ("layer", 1)},
    fixed={"type": 6, "spectrum": 4},
)

PROFILES, PROFILE_ANGLES = ("profile", "layer"), ("profile", "angle")
RADIANCES = ("profile", "level", "angle")
MATRICES = ("profile or 1", "matrix", "angle out", "angle in and sun")

ADDING = Solver(
    name="adding",
    title="radiances of layers that emit, absorb and scatter",
    summary="Radiances have the unit of the Planck radiances. Angles are directions of one hemisphere. Absent arrays "
            "do not count.",
    options=(SPACE, PRECISION, VERTICAL_ORDER, chunk("profiles"), DEVICES),
    inputs=(
        Array("optical_depth", PROFILES, "1", "vertical optical depth", ">= 0"),
        Array("transmittance", ("profile", "layer", "angle"), "1", "of layers, instead, without scattering"),
        Array("planck", PROFILES, "radiance", "Planck radiance of layers", ">= 0"),
        Array("mu", ("profile or 1", "angle"), "1", "cosines of zenith angles", "0 to 1"),
        Array("weight", ("profile or 1", "angle"), "1", "quadrature weights, whose sum is 1"),
        Array("planck_sfc", ("profile",), "radiance", "Planck radiance of the surface", ">= 0"),
        Array("emissivity", PROFILE_ANGLES, "1", "of the surface", "0 to 1"),
        Array("specular_reflectivity", PROFILE_ANGLES, "1", "of the surface; not together with `reflectivity`"),
        Array("reflectivity", ("profile", "angle out", "angle in"), "1", "of the surface", least=2),
        Array("cosmic", ("profile",), "radiance", "that enters at the top", ">= 0"),
        Array("cos_sun", ("profile",), "1", "cosine of the sun's zenith angle"),
        Array("solar_irradiance", ("profile",), "radiance sr", "on a plane across the beam"),
        Array("direct_reflectivity", PROFILE_ANGLES, "1", "pi times reflected radiance per irradiance of the beam"),
        Array("single_scattering_albedo", PROFILES, "1", "of layers; absent: no scattering"),
        Array("phase", PROFILES, "", "index of a layer's phase matrix or -1", integers=True),
        Array("phase_forward", MATRICES, "1", "phase matrices into the same hemisphere; the last column is the sun's",
              least=3),
        Array("phase_backward", MATRICES, "1", "phase matrices into the other hemisphere", least=3),
    ),
    numbers=(),
    outputs=(
        Array("toa", PROFILE_ANGLES, "radiance", "upward radiance at the top"),
        Array("up", RADIANCES, "radiance", "upward radiance at each level, positive"),
        Array("dn", RADIANCES, "radiance", "downward radiance at each level, without the sun's beam, positive"),
        Array("up_emergent", RADIANCES, "radiance", "upward radiance of everything below the level"),
    ),
    item="profile",
    sums={"level": ("layer", 1), "angle in and sun": ("angle", 1), "angle out": ("angle", 0), "angle in": ("angle", 0)},
    usual=("toa",),
)

PROFILE_LEVELS, RAY, RAY_CHANNELS = ("profile", "level"), ("ray",), ("ray", "channel")

SPECTRA = Solver(
    name="spectra",
    title="infrared spectra along rays",
    summary="By the emissivity growth approximation. Level 0 is the lowest: altitudes ascend.",
    options=(
        SPACE,
        PRECISION,
        Option("control", "path", "control file in JURASSIC's format: gases, channels, continua, surface, field of "
               "view"),
        Option("tables", "path", "folder of emissivity tables and filters", default="that of the control file"),
        Option("continua", "path", "folder of continuum coefficients", default="found like those of the longwave"),
        Option("missing_tables_allowed", "flag", "gases without a table are transparent"),
        out_of_range("values"),
        Option("memory_limit", "integer", "for tables on the device", "bytes", default="automatic"),
        chunk("rays"),
        DEVICES,
    ),
    inputs=(
        Array("altitude", PROFILE_LEVELS, "m", "above the reference sphere"),
        Array("pressure", PROFILE_LEVELS, "Pa", "pressure", "> 0"),
        Array("temperature", PROFILE_LEVELS, "K", "temperature", "> 0"),
        Array("mole_fraction", ("profile", "gas", "level"), "1", "moles of gas per mole of air, in the order of the "
              "control file; or a mapping with an array (profile, level) for each gas", least=2),
        Array("extinction", ("profile", "window", "level"), "m-1", "of aerosol; absent: 0", ">= 0"),
        Array("cloud_height", ("profile",), "m", "cloud layer: altitude of its middle"),
        Array("cloud_depth", ("profile",), "m", "cloud layer: standard deviation of its Gaussian shape", "> 0"),
        Array("cloud_extinction", ("profile", "node"), "m-1", "cloud layer: in its middle"),
        Array("surface_altitude", ("profile",), "m", "the surface: all four or none"),
        Array("surface_pressure", ("profile",), "Pa", "if > 0, the surface is not below this pressure"),
        Array("surface_temperature", ("profile",), "K", "if <= 0, that of the air"),
        Array("surface_emissivity", ("profile", "node"), "1", "emissivity of the surface", "0 to 1"),
        Array("time", RAY, "s", "since 2000-01-01T00:00Z; absent: 0"),
        Array("observer_altitude", RAY, "m", "of the instrument"),
        Array("observer_longitude", RAY, "degrees east", "of the instrument; absent: 0"),
        Array("observer_latitude", RAY, "degrees north", "of the instrument; absent: 0"),
        Array("view_point_altitude", RAY, "m", "of a point on the line of sight"),
        Array("view_point_longitude", RAY, "degrees east", "of the point; absent: 0"),
        Array("view_point_latitude", RAY, "degrees north", "of the point"),
        Array("profile", RAY, "", "index of the ray's profile; absent: 0", integers=True),
    ),
    numbers=(),
    outputs=(
        Array("radiance", RAY_CHANNELS, "W m-2 sr-1 (cm-1)-1", "or K, if the control file asks for it"),
        Array("transmittance", RAY_CHANNELS, "1", "of the whole path"),
        Array("npoint", RAY, "", "points of the line of sight", integers=True),
        Array("tangent_altitude", RAY, "m", "of the tangent point"),
        Array("tangent_longitude", RAY, "degrees east", "of the tangent point"),
        Array("tangent_latitude", RAY, "degrees north", "of the tangent point"),
    ),
    item="ray",
)

CELLS = ("x", "y", "z")
SIDES = ("x_low", "x_high", "y_low", "y_high", "z_low", "z_high")
FACES = (("y", "z"), ("x", "z"), ("x", "y"))  # of the sides across each axis

MONTE_CARLO = Solver(
    name="monte_carlo",
    title="radiation in a box of gas with walls",
    summary="By reciprocal Monte Carlo. The box is periodic or has grey diffuse walls.",
    options=(
        SPACE,
        PRECISION,
        Option("gas", "choice", "the absorption of the gas: one coefficient, weighted sum of grey gases of H2O and "
               "CO2, or narrow bands with correlated k", prefix="PARHELION_GAS_",
               choices=("grey", "grey_gases", "narrow_bands")),
        Option("absorption", "real", "of the grey gas at 1 atm", "m-1", default="0"),
        Option("narrow_bands", "path", "HDF5 file of narrow bands"),
        Option("rays", "integer", "of each cell and face of a wall", default="4096", positive=True),
        Option("repetitions", "integer", "whose scatter gives the errors, at least 2", default="8", positive=True),
        Option("seed", "integer", "of the random numbers", default="1", positive=True),
        Option("ray_origin", "choice", "results are those at the centres of cells, or means over cells",
               prefix="PARHELION_ORIGIN_", choices=("centre", "volume")),
        out_of_range("values"),
        Option("target_error", "real", "repetitions are added until the error is this part of the largest |q|", "%",
               default="none"),
        Option("max_repetitions", "integer", "limit with a target_error", default="4096", positive=True),
        Option("directions", "choice", "which cells share the directions of their rays, so that their errors go "
               "together: 32 neighbouring ones along z, all, or none", prefix="PARHELION_DIRECTIONS_",
               choices=("tiles", "shared", "independent")),
        devices("share the cells"),
    ),
    inputs=(
        Array("x", ("x face",), "m", "faces of the cells, ascending, with any spacing; always on the host"),
        Array("y", ("y face",), "m", "the same"),
        Array("z", ("z face",), "m", "the same"),
        Array("temperature", CELLS, "K", "of the gas", ">= 0"),
        Array("mole_fraction", CELLS, "1", "of the absorbing gas; absent: 1", "0 to 1"),
        Array("sides", (), "", "a mapping with " + ", ".join(SIDES) + ', or x, y, z for both sides: "periodic", or a '
              "mapping with `temperature` [K], a number or an array of the wall's faces, and `reflectivity`, "
              "1 - emissivity, 0 if left out"),
    ),
    numbers=(Option("pressure", "real", "of the gas", "Pa", default="101325", positive=True),),
    outputs=(
        Array("q", CELLS, "W m-3", "power emitted minus absorbed, positive where the gas cools"),
        Array("q_error", CELLS, "W m-3", "standard deviation of `q`"),
        Array("incident", CELLS, "W m-2", "radiance over all directions"),
        Array("wall_flux", (), "W m-2", "a mapping from walls to fluxes through their faces: net, positive in the "
              "direction of the ascending coordinate"),
        Array("wall_flux_error", (), "W m-2", "standard deviations of `wall_flux`"),
        Array("q_plane_error_x", ("x",), "W m-3", "standard deviation of the average of `q` over planes across x"),
        Array("q_plane_error_y", ("y",), "W m-3", "the same across y"),
        Array("q_plane_error_z", ("z",), "W m-3", "the same across z"),
        Array("q_box_error", ("box",), "W m-3", "standard deviation of the average of `q` over the box, one number"),
    ),
    sums={"x": ("x face", -1), "y": ("y face", -1), "z": ("z face", -1)},
)

# Numbers of a result that are no arrays.
EXTRA = {"monte_carlo": (("reached_error", "%", "root mean square of `q_error`, of the largest |q|; not a number with "
                         "arrays on a device"),
                         ("repetitions", "", "that were made"))}

SOLVERS = (LONGWAVE, SHORTWAVE, ADDING, SPECTRA, MONTE_CARLO)
