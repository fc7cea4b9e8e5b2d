// SPDX-License-Identifier: BSD-3-Clause
// The shortwave's input of atmosphere files.
#include <parhelion/io/radiation_files.hpp>

#include "radiation_testing.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;
using fluxes::SolarVariability;

namespace {

io::RadiationOptions shortwave_alone() { return {.longwave = false, .shortwave = true}; }
io::RadiationOptions both_ranges() { return {.longwave = true, .shortwave = true}; }

io::RadiationInput read_shortwave(SyntheticFile const& file, io::RadiationOptions const& options = shortwave_alone()) {
  return read(file, options);
}

std::string shortwave_refusal(SyntheticFile const& file, io::RadiationOptions const& options = shortwave_alone()) {
  return refusal(file, options);
}

SyntheticFile gpoint_file() {
  auto file = shortwave_file();
  add_shortwave_gpoint_clouds(file);
  return file;
}

SyntheticFile layer_file() {
  auto file = shortwave_file();
  add_layer_clouds(file);
  return file;
}

SyntheticFile aerosol_file() {
  auto file = shortwave_file();
  add_shortwave_aerosol(file);
  return file;
}

// A file with all that both ranges need.
SyntheticFile file_of_both() {
  auto file = column_file();
  add_sun(file);
  return file;
}

template <class Damage>
std::string refusal_of(SyntheticFile file, Damage const& damage,
                       io::RadiationOptions const& options = shortwave_alone()) {
  damage(file);
  return shortwave_refusal(file, options);
}

// The weights of a column's suns.
std::vector<double> weights_of(io::RadiationInput const& input, std::size_t column) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < fluxes::nsolar; ++i) weights.push_back(input.shortwave_columns.solar_weights(column, i));
  return weights;
}

std::vector<double> weights_of(fluxes::SolarOptions const& options) {
  auto const source = fluxes::solar_source(options);
  return {source.weights.begin(), source.weights.end()};
}

}  // namespace

// --- columns ---

// Models with two bands take no albedos of two ranges.
TEST(ShortwaveFiles, AlbedosOfRangesBecomeThoseOfTheModel) {
  auto source = shortwave_file();
  auto options = shortwave_alone();
  options.uvvis_shares = {1, 0.25, 0};
  auto const columns = read_shortwave(source, options).shortwave_columns;
  ASSERT_EQ(columns.albedo_direct.extent(1), 3U);
  ASSERT_EQ(columns.albedo_diffuse.extent(1), 3U);
  for (std::size_t c = 0; c < ncol; ++c)
    for (std::size_t i = 0; i < 3; ++i) {
      auto const mean = [&](std::string const& above, std::string const& below) {
        return options.uvvis_shares[i] * source[above].values[c] +
               (1 - options.uvvis_shares[i]) * source[below].values[c];
      };
      EXPECT_DOUBLE_EQ(columns.albedo_direct(c, i), mean("asdir", "aldir"));
      EXPECT_DOUBLE_EQ(columns.albedo_diffuse(c, i), mean("asdif", "aldif"));
    }
}

TEST(ShortwaveFiles, ColumnLayout) {
  auto source = shortwave_file();
  auto const input = read_shortwave(source);
  auto const& columns = input.shortwave_columns;
  ASSERT_EQ(columns.ncol(), 3);
  ASSERT_EQ(columns.nlay(), 4);
  EXPECT_EQ(input.nsite, 3);
  EXPECT_EQ(values_of(columns.cos_zenith), source["coszen"].values);
  ASSERT_EQ(columns.albedo_direct.extent(1), 2U);
  for (std::size_t c = 0; c < ncol; ++c) {
    EXPECT_EQ(columns.albedo_direct(c, 0), source["asdir"].values[c]);
    EXPECT_EQ(columns.albedo_direct(c, 1), source["aldir"].values[c]);
    EXPECT_EQ(columns.albedo_diffuse(c, 0), source["asdif"].values[c]);
    EXPECT_EQ(columns.albedo_diffuse(c, 1), source["aldif"].values[c]);
    EXPECT_EQ(weights_of(input, c), weights_of(fluxes::SolarOptions{})) << "NRLSSI2, mean of the cycle";
    for (std::size_t k = 0; k < nlay; ++k) {
      EXPECT_EQ(columns.pressure_lay(c, k), 100. * source["play"](c, k));
      EXPECT_EQ(columns.temperature_lay(c, k), source["tlay"](c, k));
      for (auto const& [gas, name] :
           {std::pair(Gas::h2o, "h2ovmr"), std::pair(Gas::co2, "co2vmr"), std::pair(Gas::o3, "o3vmr"),
            std::pair(Gas::ch4, "ch4vmr"), std::pair(Gas::o2, "o2vmr")})
        EXPECT_EQ(columns.vmr(c, static_cast<int>(gas), k), source[name](c, k)) << name;
    }
  }
  EXPECT_EQ(columns.solar_band_factors.size(), 0U);
  EXPECT_EQ(columns.temperature_lev.size(), 0U);
  EXPECT_EQ(columns.aerosol_input.size(), 0U);
  EXPECT_FALSE(input.shortwave_has_clouds);
  EXPECT_FALSE(input.shortwave_clouds.any());
}

TEST(ShortwaveFiles, AlbedoOfEachBand) {
  auto file = shortwave_file();
  for (char const* const name : {"asdir", "asdif", "aldir", "aldif"}) file.remove(name);
  auto const add = [&](char const* name, double first) {
    Variable albedos{{ncol, 14}, {}, {{"units", "1"}}};
    for (std::size_t i = 0; i < ncol * 14; ++i) albedos.values.push_back(first + 0.01 * static_cast<double>(i));
    file.variables[name] = albedos;
  };
  add("albedo_direct", 0.1);
  add("albedo_diffuse", 0.5);
  auto const input = read_shortwave(file);
  EXPECT_EQ(values_of(input.shortwave_columns.albedo_direct), file["albedo_direct"].values);
  EXPECT_EQ(values_of(input.shortwave_columns.albedo_diffuse), file["albedo_diffuse"].values);

  auto options = shortwave_alone();
  options.band_order = io::BandOrder::wavenumber;
  auto const turned = read_shortwave(file, options);
  for (std::size_t c = 0; c < ncol; ++c)
    for (std::size_t b = 0; b < 14; ++b) {
      std::size_t const of_file = b == 13 ? 0 : b + 1;
      EXPECT_EQ(turned.shortwave_columns.albedo_direct(c, b), file["albedo_direct"](c, of_file)) << b;
      EXPECT_EQ(turned.shortwave_columns.albedo_diffuse(c, b), file["albedo_diffuse"](c, of_file)) << b;
    }

  options = shortwave_alone();
  options.part = {1, 3};
  EXPECT_EQ(read_shortwave(file, options).shortwave_columns.albedo_diffuse(0, 3), file["albedo_diffuse"](1, 3));

  // Neither is looked at where the longwave alone is asked for.
  auto both = column_file();
  both.variables["albedo_direct"] = {{2}, {not_a_number, 0.}, {{"role", "input"}}};
  EXPECT_EQ(shortwave_refusal(both, {}), nothing_refused);

  EXPECT_EQ(refusal_of(file, [](auto& damaged) { damaged.remove("albedo_diffuse"); }),
            "albedo_diffuse: missing: the shortwave needs the albedo for direct and for diffuse radiation");
  EXPECT_EQ(refusal_of(file, [](auto& damaged) { damaged["albedo_direct"](1, 2) = 1.5; }),
            "albedo_direct(1, 2) = 1.5, expected an albedo from 0 to 1");
  EXPECT_EQ(refusal_of(file,
                       [](auto& damaged) {
                         damaged["albedo_direct"].shape = {14, ncol};
                       }),
            "albedo_direct: has shape (14, 3), expected (column) = (3) or (column, band) = (3, 14)");
  EXPECT_EQ(refusal_of(file,
                       [](auto& damaged) {
                         damaged.variables["aldir"] = {{ncol}, {0., 0., 0.}};
                       }),
            "albedo_direct: is there, and so is aldir, expected albedos of each band or of two ranges");
}

TEST(ShortwaveFiles, EitherVerticalOrderGivesTheSame) {
  for (auto const& source : {gpoint_file(), layer_file(), aerosol_file()}) {
    auto file = source;
    auto const as_is = read_shortwave(file);
    file.turn_upside_down();
    auto const turned = read_shortwave(file);
    ASSERT_TRUE(turned.top_first);
    using Columns = fluxes::HostShortwaveColumns;
    Columns::for_each_array([](ArrayDescription const& array, auto const& a,
                               auto const& b) { EXPECT_EQ(values_of(a), values_of(b)) << array.name; },
                            as_is.shortwave_columns, turned.shortwave_columns);
    fluxes::HostShortwaveClouds::for_each_array(
        [](ArrayDescription const& array, auto const& a, auto const& b) {
          EXPECT_EQ(values_of(a), values_of(b)) << array.name;
        },
        as_is.shortwave_clouds, turned.shortwave_clouds);
  }
}

TEST(ShortwaveFiles, WhatIsMissing) {
  auto const without = [](char const* name) {
    return refusal_of(shortwave_file(), [&](auto& file) { file.remove(name); });
  };
  EXPECT_EQ(without("coszen"), "coszen: missing: the shortwave needs the cosine of the solar zenith angle");
  for (std::string const name : {"asdir", "asdif", "aldir", "aldif"})
    EXPECT_EQ(without(name.c_str()),
              name +
                  ": missing: the shortwave needs the albedo of the surface: asdir, asdif (for direct and diffuse "
                  "radiation from 16000 cm-1 up), aldir, aldif (below), or albedo_direct, albedo_diffuse of each band");
  for (std::string const name : {"h2ovmr", "co2vmr", "o3vmr", "ch4vmr", "o2vmr"})
    EXPECT_EQ(without(name.c_str()), name + ": missing: the gas optics need this gas");
  for (std::string const name : {"plev", "play", "tlay"}) EXPECT_EQ(without(name.c_str()), name + ": missing");
  EXPECT_EQ(shortwave_refusal(shortwave_file(), both_ranges()), "emis: missing");
  EXPECT_EQ(shortwave_refusal(shortwave_file(), {}),
            "emis: missing: the longwave needs it; --shortwave computes the shortwave alone");
}

TEST(ShortwaveFiles, ValuesOutOfRange) {
  auto const bad = [](char const* name, double value) {
    return refusal_of(shortwave_file(), [&](auto& file) { file[name].values[1] = value; });
  };
  EXPECT_EQ(bad("coszen", 1.01), "coszen(1) = 1.01, expected a cosine from -1 to 1");
  EXPECT_EQ(bad("coszen", not_a_number), "coszen(1) = nan, expected a cosine from -1 to 1");
  EXPECT_EQ(bad("aldif", -0.1), "aldif(1) = -0.1, expected an albedo from 0 to 1");
  EXPECT_EQ(refusal_of(shortwave_file(), [](auto& file) { file["tlay"].values[1] = 100.; }),
            "tlay(0, 1) = 100 K, expected 160 to 400 K");
  EXPECT_EQ(refusal_of(shortwave_file(), [](auto& file) { file["ch4vmr"].values[0] = -1e-9; }),
            "ch4vmr(0, 0) = -1e-09 mol mol-1, expected a mixing ratio from 0 to 1 mol mol-1");
  auto clipped = shortwave_file();
  clipped["tlay"].values[1] = 100.;
  auto options = shortwave_alone();
  options.out_of_range = OutOfRange::clip;
  auto const input = read_shortwave(clipped, options);
  EXPECT_EQ(input.shortwave_columns.temperature_lay(0, 1), 160.);
  EXPECT_EQ(input.out_of_range, (OutOfRangeCounts{{"tlay", 1}}));
}

// --- input of the other range ---

TEST(ShortwaveFiles, InputOfTheOtherRangeIsReadPast) {
  // What the longwave alone has may hold anything; attributes say that it is input.
  auto file = file_of_both();
  add_gpoint_clouds(file);
  add_aerosol(file);
  for (auto& [name, variable] : file.variables) variable.text_attributes["role"] = "input";
  for (char const* const name : {"tlev", "tsfc", "emis", "n2ovmr", "cfc11vmr", "ciwpmcl", "tauaer"})
    file[name].values[0] = not_a_number;
  file.number_attributes["icld"] = 2.;
  auto const input = read_shortwave(file);
  EXPECT_FALSE(input.shortwave_has_clouds);
  EXPECT_EQ(input.shortwave_columns.aerosol_optical_depth.size(), 0U);
  EXPECT_EQ(values_of(input.shortwave_columns.pressure_lay),
            values_of(read_shortwave(shortwave_file()).columns.pressure_lay));
  EXPECT_EQ(input.shortwave_columns.vmr(0, static_cast<int>(Gas::n2o), 0), 0.);

  // And the other way round.
  auto other = file_of_both();
  add_shortwave_gpoint_clouds(other);
  add_shortwave_aerosol(other);
  other.variables["isolvar"] = {{ncol}, {7., 7., 7.}, {}, {}, Stored::int32};
  other.variables["ecaer"] = {{1}, {not_a_number}};
  for (auto& [name, variable] : other.variables) variable.text_attributes["role"] = "input";
  for (char const* const name : {"coszen", "asdir", "ssaaer", "tauaer", "ciwpmcl", "fsfcmcl"})
    other[name].values[0] = not_a_number;
  other.number_attributes["icld"] = 2.;
  auto const longwave = read_shortwave(other, {});
  EXPECT_FALSE(longwave.has_clouds);
  EXPECT_FALSE(longwave.clouds.any());
  EXPECT_EQ(longwave.columns.aerosol.size(), 0U);
  EXPECT_EQ(longwave.shortwave_columns.cos_zenith.size(), 0U);
  EXPECT_EQ(values_of(longwave.columns.emissivity_sfc),
            values_of(read_shortwave(column_file(), {}).columns.emissivity_sfc));
}

TEST(ShortwaveFiles, BothRangesShareProfiles) {
  auto const file = file_of_both();
  auto const input = read_shortwave(file, both_ranges());
  EXPECT_EQ(input.shortwave_columns.pressure_lay.data(), input.columns.pressure_lay.data());
  EXPECT_EQ(input.shortwave_columns.pressure_lev.data(), input.columns.pressure_lev.data());
  EXPECT_EQ(input.shortwave_columns.temperature_lay.data(), input.columns.temperature_lay.data());
  EXPECT_EQ(input.shortwave_columns.vmr.data(), input.columns.vmr.data());
  auto const longwave = read_shortwave(file, {});
  EXPECT_EQ(values_of(input.columns.vmr), values_of(longwave.columns.vmr));
  EXPECT_EQ(values_of(input.columns.temperature_lev), values_of(longwave.columns.temperature_lev));
  EXPECT_EQ(values_of(input.shortwave_columns.cos_zenith),
            values_of(read_shortwave(file).shortwave_columns.cos_zenith));
}

TEST(ShortwaveFiles, ArraysOfTheSameNameAreToldByTheirLastDimensionOrPrefix) {
  auto file = file_of_both();
  add_gpoint_clouds(file);
  add_aerosol(file);
  auto const longwave = read_shortwave(file, {});
  add_shortwave_gpoint_clouds(file, "sw_");
  add_shortwave_aerosol(file, "sw_");
  auto const input = read_shortwave(file, both_ranges());
  EXPECT_EQ(values_of(input.clouds.fraction_gpt), values_of(longwave.clouds.fraction_gpt));
  EXPECT_EQ(values_of(input.columns.aerosol), values_of(longwave.columns.aerosol));
  auto alone = gpoint_file();
  add_shortwave_aerosol(alone);
  auto const shortwave = read_shortwave(alone);
  for (auto const& each : {input, read_shortwave(file)}) {
    auto const &clouds = each.shortwave_clouds, &expected = shortwave.shortwave_clouds;
    EXPECT_EQ(values_of(clouds.fraction_gpt), values_of(expected.fraction_gpt));
    EXPECT_EQ(values_of(clouds.asymmetry_gpt), values_of(expected.asymmetry_gpt));
    EXPECT_EQ(values_of(clouds.ice_size), values_of(expected.ice_size));
    EXPECT_EQ(values_of(each.shortwave_columns.aerosol_optical_depth),
              values_of(shortwave.shortwave_columns.aerosol_optical_depth));
  }
  // Sizes serve both unless there are others for the shortwave.
  file.remove("sw_reicmcl");
  EXPECT_EQ(values_of(read_shortwave(file, both_ranges()).shortwave_clouds.ice_size),
            of_columns(in_si(file["reicmcl"].values, 1e-6), {true, false, true}));

  alone.variables["sw_cldfmcl"] = alone["cldfmcl"];
  EXPECT_EQ(shortwave_refusal(alone), "cldfmcl: is the shortwave's, and so is sw_cldfmcl, expected one of them");
  EXPECT_EQ(refusal_of(gpoint_file(),
                       [](auto& damaged) {
                         damaged["ciwpmcl"].shape = {ncol, 112, nlay};
                       }),
            "ciwpmcl: has shape (3, 112, 4), expected (column, layer, gpt) = (3, 4, 112)");
  EXPECT_EQ(refusal_of(aerosol_file(),
                       [](auto& damaged) {
                         damaged["ssaaer"].shape = {ncol, 14, nlay};
                       }),
            "ssaaer: has shape (3, 14, 4), expected (column, layer, band) = (3, 4, 14)");
}

TEST(ShortwaveFiles, CloudsOrAerosolOfOneRangeAloneAreRefusedWithBoth) {
  auto file = file_of_both();
  add_gpoint_clouds(file);
  EXPECT_EQ(shortwave_refusal(file, both_ranges()),
            "cldfmcl: has clouds of the longwave alone, expected clouds of the shortwave, too: cldfmcl (column, layer, "
            "gpt) = (3, 4, 112); a name may begin with sw_");
  file.number_attributes["icld"] = 0.;
  EXPECT_EQ(shortwave_refusal(file, both_ranges()), nothing_refused) << "turned off";
  file = file_of_both();
  add_shortwave_gpoint_clouds(file);
  EXPECT_EQ(shortwave_refusal(file, both_ranges()),
            "cldfmcl: has clouds of the shortwave alone, expected clouds of the longwave, too: cldfmcl (column, layer, "
            "gpt) = (3, 4, 140)");
  file = file_of_both();
  add_layer_clouds(file);
  auto const input = read_shortwave(file, both_ranges());
  EXPECT_TRUE(input.clouds.of_layers());
  EXPECT_TRUE(input.shortwave_clouds.of_layers());

  file = file_of_both();
  add_aerosol(file);
  EXPECT_EQ(shortwave_refusal(file, both_ranges()),
            "tauaer: has aerosol of the longwave alone, expected that of the shortwave, too: tauaer (column, layer, "
            "band) = (3, 4, 14); a name may begin with sw_, or ecaer");
  std::fill(file["tauaer"].values.begin(), file["tauaer"].values.end(), 0.);
  EXPECT_EQ(shortwave_refusal(file, both_ranges()), nothing_refused) << "zero is no aerosol";
  file = file_of_both();
  add_shortwave_aerosol(file);
  EXPECT_EQ(shortwave_refusal(file, both_ranges()),
            "tauaer: has aerosol of the shortwave alone, expected that of the longwave, too: tauaer (column, layer, "
            "band) = (3, 4, 16)");
  file.number_attributes["iaer"] = 0.;
  EXPECT_EQ(shortwave_refusal(file, both_ranges()), nothing_refused);
}

// --- the sun ---

TEST(ShortwaveFiles, SunOfEachColumn) {
  auto file = shortwave_file();
  auto const flags = [](std::vector<double> const& values) { return Variable{{ncol}, values, {}, {}, Stored::int32}; };
  file.variables["isolvar"] = flags({1., 2., 3.});
  file.variables["scon"] = {{ncol}, {0., 0., 1361.}, {{"units", "W m-2"}}};
  file.variables["adjes"] = {{ncol}, {1.02, 0.98, 1.}, {{"units", "1"}}};
  file.variables["dyofyr"] = flags({0., 0., 200.});
  file.variables["solcycfrac"] = {{ncol}, {0.3, 0., 0.}};
  file.variables["has_indsolvar"] = flags({1., 1., 0.});
  file.variables["indsolvar"] = {{ncol, 2}, {1.1, 0.9, 0.16, 1000., 1., 1.}};
  file.variables["has_bndsolvar"] = flags({0., 0., 1.});
  Variable factors{{ncol, 14}, {}};
  for (std::size_t i = 0; i < ncol * 14; ++i) factors.values.push_back(0.9 + 0.001 * static_cast<double>(i));
  file.variables["bndsolvar"] = factors;

  std::vector<fluxes::SolarOptions> expected(3);
  expected[0] = {
      .variability = SolarVariability::cycle, .indices = {{1.1, 0.9}}, .cycle_fraction = 0.3, .distance_factor = 1.02};
  expected[1] = {.variability = SolarVariability::indices, .indices = {{0.16, 1000.}}, .distance_factor = 0.98};
  expected[2] = {.variability = SolarVariability::scaled_bands, .total_irradiance = 1361., .day_of_year = 200};
  auto& of_bands = expected[2].band_factors.emplace();
  for (std::size_t b = 0; b < 14; ++b) of_bands[b] = factors(2, b);
  auto const input = read_shortwave(file);
  ASSERT_EQ(input.shortwave_columns.solar_band_factors.extent(1), 14U);
  for (std::size_t c = 0; c < ncol; ++c) {
    auto const source = fluxes::solar_source(expected[c]);
    EXPECT_EQ(weights_of(input, c), weights_of(expected[c])) << c;
    for (std::size_t b = 0; b < 14; ++b)
      EXPECT_EQ(input.shortwave_columns.solar_band_factors(c, b), source.band_factors[b]) << c << ' ' << b;
  }
  // In the order of wavenumbers the band that is the last in the original comes first.
  auto options = shortwave_alone();
  options.band_order = io::BandOrder::wavenumber;
  auto const by_wavenumber = read_shortwave(file, options);
  for (std::size_t b = 0; b < 14; ++b)
    EXPECT_EQ(by_wavenumber.shortwave_columns.solar_band_factors(2, b), factors(2, b == 13 ? 0 : b + 1)) << b;

  // One for all columns.
  auto plain = shortwave_file();
  plain.number_attributes["isolvar"] = -1.;
  plain.variables["scon"] = {{}, {1365.}, {{"units", "W m-2"}}};
  plain.variables["bndsolvar"] = {{14}, std::vector<double>(14, 0.5)};
  auto const same = read_shortwave(plain);
  fluxes::SolarOptions kurucz{.variability = SolarVariability::kurucz, .total_irradiance = 1365.};
  kurucz.band_factors.emplace().fill(0.5);
  for (std::size_t c = 0; c < ncol; ++c) {
    EXPECT_EQ(weights_of(same, c), weights_of(kurucz));
    EXPECT_EQ(same.shortwave_columns.solar_band_factors(c, 5), fluxes::solar_source(kurucz).band_factors[5]);
  }
}

TEST(ShortwaveFiles, SunThatWasAskedFor) {
  auto options = shortwave_alone();
  options.sun = SolarVariability::kurucz;
  auto file = shortwave_file();
  EXPECT_EQ(weights_of(read_shortwave(file, options), 1), weights_of({.variability = SolarVariability::kurucz}));
  EXPECT_EQ(weights_of(read_shortwave(rfmip_file(), options), 0),
            weights_of({.variability = SolarVariability::kurucz, .total_irradiance = 1361.}));
  file.variables["isolvar"] = {{ncol}, {0., 0., 0.}, {}, {}, Stored::int32};
  EXPECT_EQ(shortwave_refusal(file, options), "isolvar: is in the file, but a sun was asked for");
  EXPECT_EQ(shortwave_refusal(file), nothing_refused);
  // Less than -1 is -2.
  file["isolvar"].values[0] = -5.;
  EXPECT_EQ(weights_of(read_shortwave(file), 0), weights_of({.variability = SolarVariability::kurucz_unscaled}));
}

TEST(ShortwaveFiles, SunsThatCannotBe) {
  auto const bad = [](std::string const& name, double value, std::string const& unit = "") {
    return refusal_of(shortwave_file(), [&](auto& file) {
      file.variables[name] = {{ncol}, {0., 0., value}};
      if (!unit.empty()) file[name].text_attributes["units"] = unit;
    });
  };
  EXPECT_EQ(bad("isolvar", 4.), "isolvar(2) = 4, expected -1 (Kurucz), 0 to 3 (NRLSSI2), or less (Kurucz, not scaled)");
  EXPECT_EQ(bad("dyofyr", 367.), "dyofyr(2) = 367, expected a day of the year from 1 to 366, or 0");
  for (char const* const attribute : {"_FillValue", "missing_value"}) {
    auto const missing = [&](std::string const& name, double value) {
      return refusal_of(shortwave_file(), [&](auto& file) {
        file.variables[name] = {{ncol}, {0., 0., value}, {}, {{attribute, value}}, Stored::int32};
      });
    };
    EXPECT_EQ(
        missing("isolvar", 3.),
        "isolvar(2) is a missing value (3), expected -1 (Kurucz), 0 to 3 (NRLSSI2), or less (Kurucz, not scaled)");
    EXPECT_EQ(missing("dyofyr", 1.),
              "dyofyr(2) is a missing value (1), expected a day of the year from 1 to 366, or 0");
    EXPECT_EQ(missing("has_indsolvar", 1.), "has_indsolvar(2) is a missing value (1), expected 0 or 1");
  }
  EXPECT_EQ(bad("scon", -1., "W m-2"), "scon(2) = -1 W m-2, expected a finite irradiance of at least 0");
  EXPECT_EQ(bad("scon", 1361., "kW m-2"), "scon: units = \"kW m-2\", expected W m-2");
  EXPECT_EQ(bad("adjes", not_a_number), "adjes(2) = nan, expected a finite factor of at least 0");
  EXPECT_EQ(bad("solcycfrac", 1.5), "solcycfrac(2) = 1.5, expected a place in the solar cycle from 0 to 1");
  EXPECT_EQ(bad("has_bndsolvar", 1.), "bndsolvar: missing: has_bndsolvar = 1 needs it");
  EXPECT_EQ(bad("has_indsolvar", 2.), "has_indsolvar(2) = 2, expected 0 or 1");
  EXPECT_EQ(refusal_of(shortwave_file(),
                       [](auto& file) {
                         file.variables["bndsolvar"] = {{ncol, 16}, std::vector<double>(48)};
                       }),
            "bndsolvar: has shape (3, 16), expected (column, band) = (3, 14)");
  EXPECT_EQ(refusal_of(shortwave_file(),
                       [](auto& file) {
                         file.variables["bndsolvar"] = {{14}, std::vector<double>(14, -1.)};
                       }),
            "bndsolvar(0) = -1, expected a finite factor of at least 0");
  // A place in the solar cycle counts with amplitudes only, and the other way round.
  auto const cycle = [](char const* name, Variable const& variable) {
    return refusal_of(shortwave_file(), [&](auto& file) {
      file.number_attributes["isolvar"] = 1.;
      file.variables[name] = variable;
    });
  };
  EXPECT_EQ(cycle("solcycfrac", {{}, {0.5}}),
            "indsolvar: missing: attribute isolvar = 1 needs both it and solcycfrac; 1, 1 leaves the amplitudes as "
            "they are");
  EXPECT_EQ(cycle("indsolvar", {{2}, {1., 1.}}),
            "solcycfrac: missing: attribute isolvar = 1 needs both it and indsolvar");
  auto neither = shortwave_file();
  neither.number_attributes["isolvar"] = 1.;
  EXPECT_EQ(shortwave_refusal(neither), nothing_refused);
}

// --- aerosol ---

TEST(ShortwaveFiles, Aerosol) {
  auto file = aerosol_file();
  auto const input = read_shortwave(file);
  auto const& columns = input.shortwave_columns;
  EXPECT_EQ(values_of(columns.aerosol_optical_depth), file["tauaer"].values);
  EXPECT_EQ(values_of(columns.aerosol_single_scattering_albedo), file["ssaaer"].values);
  EXPECT_EQ(values_of(columns.aerosol_asymmetry), file["asmaer"].values);
  EXPECT_EQ(flags_of(columns.aerosol_input), (std::vector<int>{10, 10, 10})) << "as without iaer";
  EXPECT_EQ(columns.aerosol_550nm.size(), 0U);

  auto options = shortwave_alone();
  options.band_order = io::BandOrder::wavenumber;
  auto const turned = read_shortwave(file, options);
  for (std::size_t b = 0; b < 14; ++b)
    EXPECT_EQ(turned.shortwave_columns.aerosol_optical_depth(2, 3, b), file["tauaer"](2, 3, b == 13 ? 0 : b + 1)) << b;

  Variable types{{ncol, nlay, 6}, {}};
  for (std::size_t i = 0; i < ncol * nlay * 6; ++i) types.values.push_back(0.001 * static_cast<double>(i));
  auto of_types = shortwave_file();
  of_types.variables["ecaer"] = types;
  auto const alone = read_shortwave(of_types);
  EXPECT_EQ(values_of(alone.shortwave_columns.aerosol_550nm), types.values);
  EXPECT_EQ(flags_of(alone.shortwave_columns.aerosol_input), (std::vector<int>{6, 6, 6}));

  // Both kinds, each in its columns; what does not count is not looked at.
  file.variables["ecaer"] = types;
  EXPECT_EQ(shortwave_refusal(file),
            "iaer: missing: it says where ecaer counts (6), and where the optical properties of aerosol do (10)");
  file.variables["iaer"] = {{ncol}, {10., 0., 6.}, {}, {}, Stored::int32};
  file["tauaer"](2, 0, 0) = not_a_number;
  file["ecaer"](0, 0, 0) = not_a_number;
  auto const mixed = read_shortwave(file);
  EXPECT_EQ(flags_of(mixed.shortwave_columns.aerosol_input), (std::vector<int>{10, 0, 6}));
  EXPECT_EQ(values_of(mixed.shortwave_columns.aerosol_asymmetry),
            of_columns(file["asmaer"].values, {true, false, false}));
  EXPECT_EQ(values_of(mixed.shortwave_columns.aerosol_550nm), of_columns(types.values, {false, false, true}));

  // Zero is no aerosol.
  for (double& depth : file["tauaer"].values) depth = 0.;
  auto const without = read_shortwave(file);
  EXPECT_EQ(without.shortwave_columns.aerosol_optical_depth.size(), 0U);
  EXPECT_EQ(flags_of(without.shortwave_columns.aerosol_input), (std::vector<int>{0, 0, 6}));
  file.number_attributes["iaer"] = 0.;
  file.remove("iaer");
  EXPECT_EQ(read_shortwave(file).shortwave_columns.aerosol_input.size(), 0U);
}

TEST(ShortwaveFiles, AerosolThatCannotBe) {
  auto const bad = [](auto const& damage) { return refusal_of(aerosol_file(), damage); };
  EXPECT_EQ(bad([](auto& file) { file["ssaaer"](1, 2, 3) = 1.5; }),
            "ssaaer(1, 2, 3) = 1.5, expected a single scattering albedo from 0 to 1");
  EXPECT_EQ(bad([](auto& file) { file["asmaer"](1, 2, 3) = -1.5; }),
            "asmaer(1, 2, 3) = -1.5, expected an asymmetry parameter from -1 to 1");
  EXPECT_EQ(bad([](auto& file) { file["tauaer"](1, 2, 3) = -0.1; }),
            "tauaer(1, 2, 3) = -0.1, expected a finite optical depth of at least 0");
  EXPECT_EQ(bad([](auto& file) { file.remove("asmaer"); }), "asmaer: missing: other variables of aerosol are there");
  EXPECT_EQ(bad([](auto& file) {
              file.remove("ssaaer");
              file.number_attributes["iaer"] = 10.;
            }),
            "ssaaer: missing: iaer = 10 needs it");
  EXPECT_EQ(bad([](auto& file) { file.number_attributes["iaer"] = 6.; }), "ecaer: missing: iaer = 6 needs it");
  EXPECT_EQ(bad([](auto& file) { file.number_attributes["iaer"] = 5.; }),
            "attribute iaer = 5, expected 0 (no aerosol), 6 (ecaer) or 10 (tauaer, ssaaer, asmaer)");
}

// --- clouds ---

TEST(ShortwaveFiles, CloudsOfGpoints) {
  auto source = gpoint_file();
  auto const input = read_shortwave(source);
  auto const& clouds = input.shortwave_clouds;
  EXPECT_TRUE(input.shortwave_has_clouds);
  ASSERT_TRUE(clouds.of_gpoints());
  EXPECT_EQ(values_of(clouds.fraction_gpt), source["cldfmcl"].values);
  // The second column is given by optical properties, the others by water paths; what does not count is not read.
  std::vector<bool> const by_path{true, false, true}, by_depth{false, true, false};
  EXPECT_EQ(values_of(clouds.ice_path_gpt), of_columns(in_si(source["ciwpmcl"].values, 1e-3), by_path));
  EXPECT_EQ(values_of(clouds.liquid_path_gpt), of_columns(in_si(source["clwpmcl"].values, 1e-3), by_path));
  EXPECT_EQ(values_of(clouds.optical_depth_gpt), of_columns(source["taucmcl"].values, by_depth));
  EXPECT_EQ(values_of(clouds.single_scattering_albedo_gpt), of_columns(source["ssacmcl"].values, by_depth));
  EXPECT_EQ(values_of(clouds.asymmetry_gpt), of_columns(source["asmcmcl"].values, by_depth));
  EXPECT_EQ(values_of(clouds.forward_fraction_gpt), of_columns(source["fsfcmcl"].values, by_depth));
  EXPECT_EQ(values_of(clouds.ice_size), of_columns(in_si(source["reicmcl"].values, 1e-6), by_path));
  EXPECT_EQ(values_of(clouds.liquid_size), of_columns(in_si(source["relqmcl"].values, 1e-6), by_path));
  EXPECT_EQ(flags_of(clouds.input), (std::vector<int>{2, 0, 2}));
  EXPECT_EQ(flags_of(clouds.ice_optics), (std::vector<int>{3, 3, 1})) << "0 says nothing where there is no such water";
  EXPECT_EQ(flags_of(clouds.liquid_optics), (std::vector<int>{1, 1, 1}));

  // Without flags: water paths, fu, hu-stamnes, or what was asked for.
  for (char const* const name : {"inflgsw", "iceflgsw", "liqflgsw", "taucmcl"}) source.remove(name);
  EXPECT_EQ(flags_of(read_shortwave(source).shortwave_clouds.input), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(flags_of(read_shortwave(source).shortwave_clouds.ice_optics), (std::vector<int>{3, 3, 3}));
  auto options = shortwave_alone();
  options.clouds.ice_optics = fluxes::IceOptics::streamer;
  EXPECT_EQ(flags_of(read_shortwave(source, options).shortwave_clouds.ice_optics), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(shortwave_refusal(gpoint_file(), options),
            "iceflgsw: is in the file, but other particle optics were asked for");
  options.clouds.ice_optics = fluxes::IceOptics::all_bands;
  EXPECT_EQ(shortwave_refusal(source, options),
            "optics of ice for all bands were asked for, but the shortwave has none");
}

TEST(ShortwaveFiles, CloudsOfLayers) {
  auto source = layer_file();
  auto const input = read_shortwave(source);
  auto const& clouds = input.shortwave_clouds;
  EXPECT_TRUE(input.shortwave_has_clouds);
  ASSERT_TRUE(clouds.of_layers());
  EXPECT_EQ(values_of(clouds.fraction), source["cldfrac"].values);
  EXPECT_EQ(values_of(clouds.ice_path), in_si(source["ciwp"].values, 1e-3));
  EXPECT_EQ(values_of(clouds.liquid_path), in_si(source["clwp"].values, 1e-3));
  EXPECT_EQ(values_of(clouds.ice_size), in_si(source["rei"].values, 1e-6));
  EXPECT_EQ(values_of(clouds.liquid_size), in_si(source["rel"].values, 1e-6));
  EXPECT_EQ(clouds.overlap, fluxes::Overlap::maximum_random);
  auto options = shortwave_alone();
  options.clouds = {.overlap = fluxes::Overlap::random, .seed = 7};
  EXPECT_EQ(read_shortwave(source, options).shortwave_clouds.overlap, fluxes::Overlap::random);
  EXPECT_EQ(read_shortwave(source, options).shortwave_clouds.seed, 7U);

  // Exponential overlaps need temperatures of interfaces.
  source.number_attributes["icld"] = 4.;
  EXPECT_EQ(shortwave_refusal(source), "tlev: missing");
  auto const tlev = column_file()["tlev"];
  source.variables["tlev"] = tlev;
  auto const exponential = read_shortwave(source);
  EXPECT_EQ(values_of(exponential.shortwave_columns.temperature_lev), tlev.values);
  EXPECT_EQ(values_of(exponential.shortwave_clouds.decorrelation_length),
            std::vector<double>(3, fluxes::default_decorrelation_length));
}

TEST(ShortwaveFiles, WithoutCloudsWhereIcldIsZero) {
  auto file = gpoint_file();
  file.variables["icld"] = {{ncol}, {2., 0., 2.}, {}, {}, Stored::int32};
  file["asmcmcl"](1, 0, 0) = not_a_number;
  auto const input = read_shortwave(file);
  EXPECT_EQ(values_of(input.shortwave_clouds.fraction_gpt), of_columns(file["cldfmcl"].values, {true, false, true}));
  EXPECT_EQ(input.shortwave_clouds.optical_depth_gpt.size(), 0U) << "no column with clouds has optical properties";
  EXPECT_EQ(flags_of(input.shortwave_clouds.input), (std::vector<int>{2, 2, 2}));
  file.remove("icld");
  file.number_attributes["icld"] = 0.;
  auto const clear = read_shortwave(file);
  EXPECT_TRUE(clear.shortwave_has_clouds);
  EXPECT_FALSE(clear.shortwave_clouds.any());
}

TEST(ShortwaveFiles, CloudsThatCannotBe) {
  auto const bad = [](auto const& damage) { return refusal_of(gpoint_file(), damage); };
  for (std::string const name : {"taucmcl", "ssacmcl", "asmcmcl", "fsfcmcl"})
    EXPECT_EQ(bad([&](auto& file) { file.remove(name); }), name + ": missing: inflgsw = 0 needs it");
  EXPECT_EQ(bad([](auto& file) { file.remove("cldfmcl"); }),
            "cldfmcl: missing: other variables of clouds of g-points are there");
  EXPECT_EQ(bad([](auto& file) { file["inflgsw"].values[0] = 1.; }),
            "inflgsw(0) = 1, expected 0 (optical properties) or 2 (water paths); RRTMG_SW refuses 1, too");
  EXPECT_EQ(bad([](auto& file) { file["iceflgsw"].values[2] = 0.; }),
            "iceflgsw(2) = 0, but there is ice in clouds, expected 1, 2 or 3: RRTMG_SW has no 0");
  EXPECT_EQ(bad([](auto& file) { file["liqflgsw"].values[0] = 0.; }),
            "liqflgsw(0) = 0, but there is liquid water in clouds, expected 1: RRTMG_SW has no 0");
  EXPECT_EQ(bad([](auto& file) { file["iceflgsw"].values[2] = 4.; }), "iceflgsw(2) = 4, expected 1, 2 or 3");
  EXPECT_EQ(bad([](auto& file) { file["reicmcl"](2, 1) = 12.; }),
            "reicmcl(2, 1) = 12 um, expected 13 to 130 um with iceflgsw = 1");
  EXPECT_EQ(bad([](auto& file) { file["relqmcl"](0, 1) = 2.; }),
            "relqmcl(0, 1) = 2 um, expected 2.5 to 60 um with liqflgsw = 1");
  EXPECT_EQ(bad([](auto& file) { file["relqmcl"](1, 1) = 2.; }), nothing_refused);
  EXPECT_EQ(bad([](auto& file) { file["ssacmcl"](1, 2, 3) = 1.1; }),
            "ssacmcl(1, 2, 3) = 1.1, expected a single scattering albedo from 0 to 1");
  EXPECT_EQ(bad([](auto& file) { file["fsfcmcl"](1, 2, 3) = -0.1; }),
            "fsfcmcl(1, 2, 3) = -0.1, expected a fraction from 0 to 1");
  EXPECT_EQ(bad([](auto& file) { file.remove("inflgsw"); }).substr(0, 80),
            std::string("taucmcl(0, 0, 0) = 0.2, but there is no inflgsw, without which clouds are given by their ")
                .substr(0, 80));
  auto layers = layer_file();
  layers.number_attributes["inflgsw"] = 0.;
  EXPECT_EQ(shortwave_refusal(layers),
            "attribute inflgsw = 0, expected 2: clouds of layers are given by their water paths");
  auto both = gpoint_file();
  add_layer_clouds(both);
  EXPECT_EQ(shortwave_refusal(both), "has clouds of g-points (cldfmcl) and of layers (cldfrac), expected one of them");
  auto none = shortwave_file();
  none.number_attributes["icld"] = 2.;
  EXPECT_TRUE(has(shortwave_refusal(none), "attribute icld = 2, but no clouds are there, expected one of cldfmcl, "));
}

// --- RFMIP ---

TEST(ShortwaveFiles, RfmipLayout) {
  auto file = rfmip_file();
  for (char const* const name : {"temp_level", "surface_temperature", "surface_emissivity", "nitrous_oxide_GM"})
    file.remove(name);
  auto const input = read_shortwave(file);
  auto const& columns = input.shortwave_columns;
  ASSERT_EQ(columns.ncol(), 6);
  ASSERT_EQ(columns.albedo_direct.extent(1), 1U);
  for (std::size_t e = 0; e < nexpt; ++e)
    for (std::size_t s = 0; s < nsite; ++s) {
      std::size_t const c = e * nsite + s;
      double const degrees = file["solar_zenith_angle"].values[s];
      EXPECT_NEAR(columns.cos_zenith(c), std::cos(degrees * std::acos(-1.) / 180.), 1e-15);
      EXPECT_EQ(columns.albedo_direct(c, 0), file["surface_albedo"].values[s]);
      EXPECT_EQ(columns.albedo_diffuse(c, 0), file["surface_albedo"].values[s]);
      EXPECT_EQ(weights_of(input, c),
                weights_of(fluxes::SolarOptions{.total_irradiance = file["total_solar_irradiance"].values[s]}));
      for (std::size_t k = 0; k < nlay; ++k)
        EXPECT_EQ(columns.temperature_lay(c, k), file["temp_layer"](e, s, nlay - 1 - k));
    }
  EXPECT_EQ(columns.cos_zenith(1), 0.) << "90 degrees are night";

  auto one = shortwave_alone();
  one.experiment = "2";
  EXPECT_EQ(read_shortwave(file, one).shortwave_columns.ncol(), 3);
  file.remove("total_solar_irradiance");
  EXPECT_EQ(weights_of(read_shortwave(file), 0), weights_of(fluxes::SolarOptions{}));
  auto const bad = [](auto const& damage, io::RadiationOptions const& options = shortwave_alone()) {
    return refusal_of(rfmip_file(), damage, options);
  };
  EXPECT_EQ(bad([](auto& damaged) { damaged.remove("surface_albedo"); }),
            "surface_albedo: missing: the shortwave needs it");
  EXPECT_EQ(bad([](auto& damaged) { damaged.remove("solar_zenith_angle"); }),
            "solar_zenith_angle: missing: the shortwave needs it");
  EXPECT_EQ(bad([](auto& damaged) { damaged["solar_zenith_angle"].values[1] = 190.; }),
            "solar_zenith_angle(1) = 190 degree, expected an angle from 0 to 180 degrees");
  EXPECT_EQ(bad([](auto& damaged) { damaged["solar_zenith_angle"].text_attributes["units"] = "radian"; }),
            "solar_zenith_angle: units = \"radian\", expected degree");
  EXPECT_EQ(bad([](auto& damaged) {
              damaged.variables["ecaer"] = {{1}, {0.}};
            }),
            "ecaer: cannot be honoured: the RFMIP layout has neither clouds nor aerosol");
  EXPECT_EQ(bad([](auto& damaged) {
              damaged.variables["isolvar"] = {{1}, {0.}};
            }),
            "isolvar: cannot be honoured: the RFMIP layout has total_solar_irradiance in its place");
  EXPECT_EQ(shortwave_refusal(rfmip_file(), both_ranges()), nothing_refused);
}

// --- files that people have ---

TEST(ShortwaveFiles, PartsOfAFile) {
  auto file = gpoint_file();
  add_shortwave_aerosol(file);
  file.variables["scon"] = {{ncol}, {1360., 1361., 1362.}, {{"units", "W m-2"}}};
  auto const whole = read_shortwave(file);
  for (int part = 0; part < 4; ++part) {
    auto options = shortwave_alone();
    options.part = {part, 4};
    auto const input = read_shortwave(file, options);
    ASSERT_EQ(input.sites.empty(), part == 3);
    if (part == 3) continue;
    auto const c = static_cast<std::size_t>(part);
    ASSERT_EQ(input.shortwave_columns.ncol(), 1);
    EXPECT_EQ(input.shortwave_columns.cos_zenith(0), whole.shortwave_columns.cos_zenith(c));
    EXPECT_EQ(weights_of(input, 0), weights_of(whole, c));
    EXPECT_EQ(input.shortwave_columns.aerosol_asymmetry(0, 1, 2), whole.shortwave_columns.aerosol_asymmetry(c, 1, 2));
    EXPECT_EQ(input.shortwave_clouds.asymmetry_gpt(0, 1, 2), whole.shortwave_clouds.asymmetry_gpt(c, 1, 2));
    EXPECT_EQ(input.shortwave_clouds.input(0), whole.shortwave_clouds.input(c));
    EXPECT_EQ(input.shortwave_clouds.first_column, c);
  }
}

TEST(ShortwaveFiles, ReferenceCases) {
  for (std::string const name : {"clear", "cloud", "aerosol"}) {
    PARHELION_REQUIRE_DATA(path, "rrtmg_sw/case_sw_" + name + "_a.nc");
    auto const input = io::read_radiation_input(path, shortwave_alone());
    io::Hdf5File const file(path);
    auto const& columns = input.shortwave_columns;
    ASSERT_EQ(columns.ncol(), 32);
    ASSERT_EQ(columns.nlay(), 51);
    EXPECT_EQ(values_of(columns.cos_zenith), file.read("coszen"));
    EXPECT_EQ(values_of(columns.pressure_lev), in_si(file.read("plev"), 100.));
    auto const aldif = file.read("aldif"), adjes = file.read("adjes"), isolvar = file.read("isolvar"),
               iaer = file.read("iaer");
    for (std::size_t c = 0; c < 32; ++c) {
      EXPECT_EQ(columns.albedo_diffuse(c, 1), aldif[c]);
      EXPECT_EQ(columns.solar_weights(c, 0) > 0, isolvar[c] < 0) << "Kurucz";
      EXPECT_EQ(columns.aerosol_input.size() > 0 ? columns.aerosol_input(c) : 0, iaer[c]);
    }
    EXPECT_EQ(input.shortwave_clouds.of_gpoints(), name != "clear");
    if (name == "cloud") {
      EXPECT_EQ(values_of(input.shortwave_clouds.fraction_gpt), file.read("cldfmcl"));
      EXPECT_GT(input.shortwave_clouds.optical_depth_gpt.size(), 0U);
      EXPECT_EQ(columns.aerosol_input.size(), 0U);
    }
    if (name == "aerosol") {
      EXPECT_EQ(flags_of(input.shortwave_clouds.input)[26], 2);
      EXPECT_EQ(flags_of(input.shortwave_clouds.input)[27], 0);
      EXPECT_EQ(columns.aerosol_asymmetry.extent(2), 14U);
      EXPECT_EQ(columns.aerosol_550nm.extent(2), 6U);
    }
  }
}
