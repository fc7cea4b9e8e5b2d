// SPDX-License-Identifier: BSD-3-Clause
#include "shortwave_reference.hpp"

#include "rrtmg_sw/coefficient_table.hpp"
#include "rrtmg_sw/reference_tables.hpp"
#include "transfer.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::fluxes;
using namespace parhelion::fluxes::rrtmg_sw;
using parhelion::Testing::message_of;

BandRows<double> const& band_rows(CoefficientTable const& table, int band) {
  return table.bands.at(static_cast<std::size_t>(band - first_band));
}

// Values of rows of a band: in each row those of its g-points.
double row_value(CoefficientTable const& table, int row, int number, int g) {
  return table.values.at(static_cast<std::size_t>(row + number * row_stride + g));
}

// Where an array of the tables lies among the rows, and whether the g-point is its last (fastest) index.
struct Place {
  int row;
  int rows;
  bool gpoint_last;
  double factor = 1;
};

Place place_of(BandRows<double> const& band, std::string const& name, int rows) {
  auto const& lower = band.half[0];
  auto const& upper = band.half[1];
  if (name == "ka") return {lower.key_row, rows, false};
  if (name == "kb") return {upper.key_row, rows, false};
  if (name == "selfref") return {lower.self_row, rows, false};
  if (name == "forref") return {lower.foreign_row, rows, false};
  if (name == "rayl" || name == "rayla") return {lower.rayleigh_row, rows, true};
  if (name == "raylb") return {upper.rayleigh_row, rows, true};
  if (name == "abso3a" || name == "absco2") return {lower.absorber_row[0], rows, true};
  if (name == "abso3b" || name == "absh2o") return {upper.absorber_row[0], rows, true};
  if (name == "absch4") return {upper.absorber_row[0], rows, true};
  if (name == "sfluxref") return {band.solar_row, rows, true};
  if (name == "irradnce") return {band.solar_row + rows * row_stride, rows, true};
  return {-1, 0, true};
}

TEST(ShortwaveCoefficients, AreThoseOfTheReferenceModelAfterItsReduction) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_sw/rrtmg_sw_tables.nc");
  PARHELION_REQUIRE_DATA(coefficients, Testing::shortwave_coefficient_file);
  io::Hdf5File const file(path);
  auto const& table = Testing::reference_shortwave_coefficients().table();
  int compared = 0;
  for (int number = first_band; number < first_band + nbnd_sw; ++number)
    for (char const* const name : {"ka", "kb", "selfref", "forref", "rayl", "rayla", "raylb", "abso3a", "abso3b",
                                   "absch4", "absh2o", "absco2", "sfluxref", "irradnce"}) {
      auto const variable = fmt::format("reduced_b{}_{}", number, name);
      if (!file.exists(variable)) continue;
      auto const& band = band_rows(table, number);
      auto const expected = file.read(variable);
      int const rows = static_cast<int>(expected.size()) / band.ng;
      auto const place = place_of(band, name, rows);
      ASSERT_GE(place.row, 0) << variable;
      // In band 27 the file's irradiance is scaled.
      double const factor = number == 27 && name == std::string("sfluxref") ? 50.15 / 48.37 : 1;
      ++compared;
      for (int row = 0; row < rows; ++row)
        for (int g = 0; g < band.ng; ++g) {
          double const other =
              factor * expected[static_cast<std::size_t>(place.gpoint_last ? row * band.ng + g : g * rows + row)];
          ASSERT_NEAR(row_value(table, place.row, row, g), other, 1e-15 * std::abs(other))
              << variable << ", row " << row << ", g-point " << g;
        }
    }
  EXPECT_EQ(compared, 15 + 2 * nbnd_sw);
}

// Sum over the g-points of all bands, each with its first species ratio.
double solar_sum(CoefficientTable const& table, SolarSpectrum spectrum) {
  double sum = 0;
  for (auto const& band : table.bands)
    for (int g = 0; g < band.ng; ++g)
      sum += row_value(table, band.solar_row, static_cast<int>(spectrum) * band.solar_species_ratios, g);
  return sum;
}

TEST(ShortwaveCoefficients, SunsAddUpToTheirIrradiance) {
  auto const synthetic = Testing::synthetic_shortwave_coefficients().table();
  EXPECT_NEAR(solar_sum(synthetic, SolarSpectrum::quiet_sun), 1360.367, 5e-4);
  EXPECT_NEAR(solar_sum(synthetic, SolarSpectrum::faculae), 0.98971, 5e-6);
  EXPECT_NEAR(solar_sum(synthetic, SolarSpectrum::sunspots), -0.50793, 5e-6);
  // Of 14 bands with 100 W m-2 one is scaled.
  EXPECT_NEAR(solar_sum(synthetic, SolarSpectrum::kurucz), 100 * (13 + 50.15 / 48.37), 1e-10);
}

TEST(ShortwaveCoefficients, KuruczsSunAddsUpToItsIrradiance) {
  PARHELION_REQUIRE_DATA(coefficients, Testing::shortwave_coefficient_file);
  auto const& table = Testing::reference_shortwave_coefficients().table();
  EXPECT_NEAR(solar_sum(table, SolarSpectrum::kurucz), 1368.222, 5e-4);
}

// What the gases of a half are, in words: keys, then gases that absorb alike, then the grey one.
std::string gases(HalfRows<double> const& half) {
  static char const* const name[] = {"H2O", "CO2", "O3", "N2O", "CO", "CH4", "O2"};
  std::string result;
  for (int k = 0; k < half.nkey; ++k) result += fmt::format(" {}", name[half.key[k]]);
  if (half.self_row >= 0) result += " self";
  if (half.foreign_row >= 0) result += " foreign";
  for (int a = 0; a < half.nabsorber; ++a) result += fmt::format(" +{}", name[half.absorber[a]]);
  if (half.grey_gas >= 0) result += fmt::format(" grey {}", name[half.grey_gas]);
  return result.empty() ? "" : result.substr(1);
}

TEST(ShortwaveCoefficients, BandsAreDescribedAsTheyAre) {
  struct Expected {
    char const* lower;
    char const* upper;
    double ratio;  // of two keys below
    int solar_half, solar_layer, solar_ratios, ng;
  };
  // Iacono et al. (2008) and the list of RRTMG_SW.
  std::array<Expected, nbnd_sw> const expected{
      {{"H2O CH4 self foreign", "CH4", 252.131, 0, 0, 1, 6},
       {"H2O CO2 self foreign", "H2O CO2 foreign", 0.364641, 1, 30, 5, 12},
       {"H2O CH4 self foreign", "CH4", 38.9589, 0, 6, 9, 8},
       {"H2O CO2 self foreign", "CO2", 5.49281, 0, 3, 9, 8},
       {"H2O self foreign +CH4", "H2O foreign +CH4", 0, 0, 0, 1, 10},
       {"H2O CO2 self foreign", "H2O CO2 foreign", 0.0045321, 0, 8, 9, 10},
       {"H2O O2 self foreign grey O2", "O2 grey O2", 1.6 * 0.022708, 0, 2, 9, 2},
       {"H2O self foreign", "", 0, 0, 0, 1, 10},
       {"H2O O2 self foreign +O3", "O2 +O3", 0.124692, 0, 1, 9, 8},
       {"H2O +O3", "+O3", 0, 0, 0, 1, 6},
       {"", "", 0, 0, 0, 1, 6},
       {"O3", "O3", 0, 0, 0, 1, 8},
       {"O3 O2", "O3 O2", 6.67029e-07, 1, 42, 5, 6},
       {"H2O self foreign +CO2", "CO2 +H2O", 0, 0, 0, 1, 12}}};
  auto const& table = Testing::synthetic_shortwave_coefficients().table();
  int gpoints = 0;
  for (int number = first_band; number < first_band + nbnd_sw; ++number) {
    SCOPED_TRACE(fmt::format("band {}", number));
    auto const b = static_cast<std::size_t>(number - first_band);
    auto const& band = table.bands[b];
    EXPECT_EQ(gases(band.half[0]), expected[b].lower);
    EXPECT_EQ(gases(band.half[1]), expected[b].upper);
    EXPECT_DOUBLE_EQ(band.half[0].key_ratio, expected[b].ratio);
    EXPECT_DOUBLE_EQ(band.half[1].key_ratio, band.half[1].nkey == 2 ? expected[b].ratio : 0);
    EXPECT_DOUBLE_EQ(band.half[0].key_factor, number == 23 ? 1.029 : 1);
    EXPECT_DOUBLE_EQ(band.half[1].key_factor, number == 22 ? 1.6 : 1);
    EXPECT_EQ(band.half[0].species_ratios, band.half[0].nkey == 2 ? 9 : 1);
    EXPECT_EQ(band.half[1].species_ratios, band.half[1].nkey == 2 ? 5 : 1);
    EXPECT_EQ(band.half[0].rayleigh_species_ratios, number == 24 ? 9 : 1);
    EXPECT_EQ(band.half[1].rayleigh_species_ratios, 1);
    EXPECT_EQ(band.half[0].rayleigh_row == band.half[1].rayleigh_row, number != 24);
    for (auto const& half : band.half) {
      EXPECT_GE(half.rayleigh_row, 0);
      EXPECT_EQ(half.key_row >= 0, half.nkey > 0);
      EXPECT_DOUBLE_EQ(half.grey, half.grey_gas >= 0 ? 4.35e-4 / 700 : 0);
    }
    EXPECT_EQ(band.solar_half, expected[b].solar_half);
    EXPECT_EQ(band.solar_layer, expected[b].solar_layer);
    EXPECT_EQ(band.solar_species_ratios, expected[b].solar_ratios);
    EXPECT_EQ(band.ng, expected[b].ng);
    EXPECT_EQ(shortwave_bands()[b].ng, expected[b].ng);
    EXPECT_EQ(is_uvvis(static_cast<int>(b)), number >= 25 && number <= 28);
    gpoints += band.ng;
    // Where all g-points scatter alike there is one number.
    bool const has_number = number != 23 && (number < 24 || number > 27);
    for (int g = 1; g < band.ng; ++g)
      EXPECT_EQ(row_value(table, band.half[0].rayleigh_row, 0, g) == row_value(table, band.half[0].rayleigh_row, 0, 0),
                has_number);
  }
  EXPECT_EQ(gpoints, ngpt_sw);
}

// From the means of pairs with weights: three numbers of rows, in the midst of an array, at the ends of a band.
TEST(ShortwaveCoefficients, RowsAreWeightedMeansOfTheRecord) {
  auto const records = Testing::synthetic_shortwave_records();
  auto const& table = Testing::synthetic_shortwave_coefficients().table();
  // Band 24 merges pairs; its record begins with 9 rows of Rayleigh coefficients, then comes one more.
  auto const& band = band_rows(table, 24);
  auto const& record = records[24 - first_band];
  auto const mean = [](double first, double second, std::size_t at) {
    double const w0 = quadrature_weight[at], w1 = quadrature_weight[at + 1];
    return (w0 * first + w1 * second) / (w0 + w1);
  };
  for (std::size_t ratio : {0, 4, 8}) {
    double const expected = mean(record[16 * ratio + 14], record[16 * ratio + 15], 14);
    EXPECT_NEAR(row_value(table, band.half[0].rayleigh_row, static_cast<int>(ratio), 7), expected, 1e-15 * expected);
  }
  double const upper = mean(record[144], record[145], 0);
  EXPECT_NEAR(row_value(table, band.half[1].rayleigh_row, 0, 0), upper, 1e-15 * upper);
  // The keys below: 585 rows, after a number and two gases.
  std::size_t const keys = 144 + 16 + 1 + 32;
  for (std::size_t row : {0, 300, 584}) {
    double const expected = mean(record[keys + 585 * 6 + row], record[keys + 585 * 7 + row], 6);
    EXPECT_NEAR(row_value(table, band.half[0].key_row, static_cast<int>(row), 3), expected, 1e-15 * expected);
  }
  // Rows are padded with zeros.
  EXPECT_EQ(row_value(table, band.half[0].key_row, 584, 8), 0);
  for (int i = 1; i <= row_stride; ++i) EXPECT_EQ(table.values[table.values.size() - static_cast<std::size_t>(i)], 0);
}

TEST(ShortwaveCoefficients, RecordsHaveTheSizesOfTheFile) {
  // Bytes of the records with reals of 8 bytes, and where the integer stands.
  std::array<int, nbnd_sw> const bytes{106772, 227732, 107796, 107796, 40460, 228244, 107796,
                                       10252,  109324, 8836,   256,    38668, 225940, 40588};
  std::array<int, nbnd_sw> const before{2, 2, 2, 2, 1, 2, 2, 17, 161, 16, -1, 17, 2, 1};
  for (std::size_t b = 0; b < nbnd_sw; ++b) {
    EXPECT_EQ(shortwave_record_values()[b] * 8 + (before[b] < 0 ? 0 : 4), bytes[b]) << b;
    EXPECT_EQ(shortwave_record_integers()[b], before[b]) << b;
  }
}

TEST(ShortwaveCoefficients, ThatAreNotThoseOfRrtmgAreRefused) {
  auto const good = Testing::synthetic_shortwave_records();
  EXPECT_NO_THROW(ShortwaveCoefficients{good});
  auto const with = [&](int band, std::size_t number, double value) {
    auto spoiled = good;
    spoiled[static_cast<std::size_t>(band - first_band)].at(number) = value;
    return message_of([&] { ShortwaveCoefficients(spoiled, "file"); });
  };
  EXPECT_EQ(with(16, 3, -0.5), "file: record 1 (band 16): number 4 of 13346 is -0.5, expected a number of at least 0");
  EXPECT_EQ(with(26, 31, std::nan("")),
            "file: record 11 (band 26): number 32 of 32 is nan, expected a number of at least 0");
  EXPECT_EQ(with(29, 5072, std::numeric_limits<double>::infinity()),
            "file: record 14 (band 29): number 5073 of 5073 is inf, expected a number of at least 0");
  std::string const version = ", as it is in RRTMG_SW 5.0: the file is of another version";
  EXPECT_EQ(with(16, 1, 252.2), "file: record 1 (band 16): number 2 of 13346 is 252.2, expected 252.131" + version);
  EXPECT_EQ(with(23, 16, 1.03), "file: record 8 (band 23): number 17 of 1281 is 1.03, expected 1.029" + version);
  EXPECT_EQ(with(27, 16, 1), "file: record 12 (band 27): number 17 of 4833 is 1, expected 1.03679967" + version);
  EXPECT_EQ(with(28, 1, 0), "file: record 13 (band 28): number 2 of 28242 is 0, expected 6.67029e-07" + version);
  EXPECT_EQ(with(23, 16, 1.029f), "(no parhelion::Error)") << "a file of 4-byte reals";
  auto shorter = good;
  shorter[9].pop_back();
  EXPECT_EQ(message_of([&] { ShortwaveCoefficients(shorter, "file"); }),
            "file: record 10 (band 25): holds 1103 numbers, expected 1104");
}

// What the coefficient file lacks.
TEST(ShortwaveTables, AreThoseOfTheReferenceModel) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_sw/rrtmg_sw_tables.nc");
  io::Hdf5File const file(path);
  auto const expect_equal = [&](std::string const& name, auto const& rows) {
    std::vector<double> mine;
    for (auto const& row : rows) mine.insert(mine.end(), row.begin(), row.end());
    EXPECT_EQ(mine, file.read(name)) << name;
  };
  auto const expect_equal_row = [&](std::string const& name, auto const& row) {
    EXPECT_EQ(std::vector<double>(row.begin(), row.end()), file.read(name)) << name;
  };
  std::size_t row = 0;
  for (int number = first_band; number < first_band + nbnd_sw; ++number)
    for (char const* const name : {"irradnce", "facbrght", "snsptdrk"}) {
      auto const variable = fmt::format("{}_b{}", name, number);
      for (std::size_t i = 0, n = file.read(variable).size() / ng_original; i < n; ++i, ++row)
        for (std::size_t g = 0; g < ng_original; ++g)
          ASSERT_EQ(nrlssi2.at(row)[g], file.read(variable)[i * ng_original + g]) << variable;
    }
  EXPECT_EQ(row, nrlssi2.size());
  expect_equal_row("mg_index", facular_index);
  expect_equal_row("sb_index", sunspot_index);
  for (std::size_t i = 0; i < ebert_curry.size(); ++i) {
    auto const& of = ebert_curry[i];
    std::array const values{of.a, of.b, of.c, of.d, of.e, of.f};
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_EQ(values[k], file.read(fmt::format("{}bari", "abcdef"[k]))[i]);
  }
  expect_equal("extice2", ice_streamer.extinction);
  expect_equal("ssaice2", ice_streamer.albedo);
  expect_equal("asyice2", ice_streamer.asymmetry);
  expect_equal("extice3", ice_fu.extinction);
  expect_equal("ssaice3", ice_fu.albedo);
  expect_equal("asyice3", ice_fu.asymmetry);
  expect_equal("fdlice3", fu_forward);
  expect_equal("extliq1", liquid_hu_stamnes.extinction);
  expect_equal("ssaliq1", liquid_hu_stamnes.albedo);
  expect_equal("asyliq1", liquid_hu_stamnes.asymmetry);
  expect_equal("rsrtaua", aerosol_types.extinction);
  expect_equal("rsrpiza", aerosol_types.albedo);
  expect_equal("rsrasya", aerosol_types.asymmetry);
  // What it has in common with RRTMG_LW.
  expect_equal_row("ln_pressure_ref", ln_pressure_ref);
  expect_equal_row("temperature_ref", temperature_ref);
  expect_equal_row("quadrature_weight", quadrature_weight);
  auto const table = fluxes::Impl::make_transfer_table<Kokkos::DefaultHostExecutionSpace, double>();
  auto const transmittance = file.read("exp_table");
  ASSERT_EQ(table.extent(0), transmittance.size());
  for (std::size_t i = 0; i < transmittance.size(); ++i) ASSERT_EQ(table(i, 0), transmittance[i]) << i;
}

}  // namespace
