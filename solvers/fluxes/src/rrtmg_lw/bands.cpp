// SPDX-License-Identifier: BSD-3-Clause
#include "rrtmg_lw/band_descriptions.hpp"
#include "rrtmg_lw/reference_tables.hpp"

namespace parhelion::fluxes {

namespace rrtmg_lw {

namespace {

using Kind = RecordArray::Kind;
using enum Gas;

constexpr RecordArray fraction_lower{Kind::planck_fraction, Half::lower};
constexpr RecordArray fraction_upper{Kind::planck_fraction, Half::upper};
constexpr RecordArray key_lower{Kind::key, Half::lower};
constexpr RecordArray key_upper{Kind::key, Half::upper};

constexpr RecordArray minor_lower(int index = 0) { return {Kind::minor, Half::lower, index}; }
constexpr RecordArray minor_upper(int index = 0) { return {Kind::minor, Half::upper, index}; }
constexpr RecordArray halocarbon(int index = 0) { return {Kind::halocarbon, Half::lower, index}; }

// Every record ends with the two continua of water vapour.
std::vector<RecordArray> record(std::vector<RecordArray> arrays) {
  arrays.push_back({Kind::self_continuum});
  arrays.push_back({Kind::foreign_continuum});
  return arrays;
}

MinorGas plain(Gas gas, int species_level = 0) { return {gas, MinorAmount::column, species_level}; }
MinorGas limited(Gas gas, Excess excess, int species_level = 0) {
  return {gas, MinorAmount::limited_column, species_level, excess};
}
MinorGas scaled(MinorAmount amount, Gas gas, int species_level = 0) { return {gas, amount, species_level}; }

constexpr Excess excess_n2o{1.5, 0.5, 0.65};
constexpr Excess excess_co2(double offset, double power, double reference = 0) {
  return {3.0, offset, power, reference};
}

std::array<BandDescription, nbnd> make_bands() {
  std::vector<int> const pairs(8, 2);
  std::vector<int> const ones(16, 1);

  // 10-350 cm-1: H2O, N2
  BandDescription const b1{
      .wavenumber_low = 10,
      .wavenumber_high = 350,
      .merged = {1, 1, 2, 2, 2, 2, 2, 2, 1, 1},
      .lower = {.keys = {h2o},
                .self_continuum = true,
                .foreign_continuum = true,
                .minors = {scaled(MinorAmount::nitrogen, h2o)},
                .correction = PressureCorrection{-0.15, 250, 154.4, true}},
      .upper = {.keys = {h2o},
                .foreign_continuum = true,
                .minors = {scaled(MinorAmount::nitrogen, h2o)},
                .correction = PressureCorrection{0.15, 0, 95.6, false}},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper, minor_lower(), minor_upper()})};

  // 350-500 cm-1: H2O
  BandDescription const b2{.wavenumber_low = 350,
                           .wavenumber_high = 500,
                           .merged = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2},
                           .diffusivity = {1.55, 0.25, -12.0},
                           .lower = {.keys = {h2o},
                                     .self_continuum = true,
                                     .foreign_continuum = true,
                                     .correction = PressureCorrection{0.05, 100, 900, false}},
                           .upper = {.keys = {h2o}, .foreign_continuum = true},
                           .record = record({fraction_lower, fraction_upper, key_lower, key_upper})};

  // 500-630 cm-1: H2O, CO2; N2O
  BandDescription const b3{
      .wavenumber_low = 500,
      .wavenumber_high = 630,
      .merged = ones,
      .diffusivity = {1.58, 0.22, -11.7},
      .lower = {.keys = {h2o, co2},
                .planck_level = 9,
                .self_continuum = true,
                .foreign_continuum = true,
                .minors = {limited(n2o, excess_n2o, 3)}},
      .upper = {.keys = {h2o, co2},
                .planck_level = 13,
                .foreign_continuum = true,
                .minors = {limited(n2o, excess_n2o, 13)}},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper, minor_lower(), minor_upper()})};

  // 630-700 cm-1: H2O, CO2 below, O3, CO2 above
  BandDescription const b4{
      .wavenumber_low = 630,
      .wavenumber_high = 700,
      .merged = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3},
      .lower = {.keys = {h2o, co2}, .planck_level = 11, .self_continuum = true, .foreign_continuum = true},
      .upper = {.keys = {o3, co2},
                .planck_level = 13,
                .g_scaling = {1, 1, 1, 1, 1, 1, 1, 0.92, 0.88, 1.07, 1.1, 0.99, 0.88, 0.943}},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper})};

  // 700-820 cm-1: H2O, CO2 below, O3, CO2 above; O3, CCl4
  BandDescription const b5{
      .wavenumber_low = 700,
      .wavenumber_high = 820,
      .merged = ones,
      .diffusivity = {1.54, 0.13, -0.72},
      .lower = {.keys = {h2o, co2},
                .planck_level = 5,
                .self_continuum = true,
                .foreign_continuum = true,
                .minors = {plain(o3, 7)},
                .halocarbons = {ccl4}},
      .upper = {.keys = {o3, co2}, .planck_level = 43, .halocarbons = {ccl4}},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper, minor_lower(), halocarbon()})};

  // 820-980 cm-1: H2O below; CO2, CFC-11, CFC-12
  BandDescription const b6{.wavenumber_low = 820,
                           .wavenumber_high = 980,
                           .merged = pairs,
                           .diffusivity = {1.454, 0.446, -0.243},
                           .lower = {.keys = {h2o},
                                     .self_continuum = true,
                                     .foreign_continuum = true,
                                     .minors = {limited(co2, excess_co2(2, 0.77))},
                                     .halocarbons = {cfc11, cfc12}},
                           .upper = {.halocarbons = {cfc11, cfc12}, .planck_of_lower = true},
                           .record = record({fraction_lower, key_lower, minor_lower(), halocarbon(0), halocarbon(1)})};

  // 980-1080 cm-1: H2O, O3 below, O3 above; CO2
  BandDescription const b7{
      .wavenumber_low = 980,
      .wavenumber_high = 1080,
      .merged = {2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2},
      .diffusivity = {1.89, -0.10, 0.19},
      .lower = {.keys = {h2o, o3},
                .planck_level = 3,
                .self_continuum = true,
                .foreign_continuum = true,
                .minors = {limited(co2, excess_co2(3, 0.79), 3)}},
      .upper = {.keys = {o3},
                .minors = {limited(co2, excess_co2(2, 0.79))},
                .g_scaling = {1, 1, 1, 1, 1, 0.92, 0.88, 1.07, 1.1, 0.99, 0.855, 1}},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper, minor_lower(), minor_upper()})};

  // 1080-1180 cm-1: H2O below, O3 above; CO2, O3, N2O, CFC-12, CFC-22
  BandDescription const b8{
      .wavenumber_low = 1080,
      .wavenumber_high = 1180,
      .merged = pairs,
      .diffusivity = {1.33, 0.40, -0.062},
      .lower = {.keys = {h2o},
                .self_continuum = true,
                .foreign_continuum = true,
                .minors = {limited(co2, excess_co2(2, 0.65)), plain(o3), plain(n2o)},
                .halocarbons = {cfc12, cfc22}},
      .upper = {.keys = {o3}, .minors = {limited(co2, excess_co2(2, 0.65)), plain(n2o)}, .halocarbons = {cfc12, cfc22}},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper, minor_lower(0), minor_upper(0),
                        minor_lower(2), minor_upper(1), minor_lower(1), halocarbon(0), halocarbon(1)})};

  // 1180-1390 cm-1: H2O, CH4 below, CH4 above; N2O
  BandDescription const b9{
      .wavenumber_low = 1180,
      .wavenumber_high = 1390,
      .merged = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2},
      .diffusivity = {1.668, -0.006, 0.414},
      .lower = {.keys = {h2o, ch4},
                .planck_level = 9,
                .self_continuum = true,
                .foreign_continuum = true,
                .minors = {limited(n2o, excess_n2o, 3)}},
      .upper = {.keys = {ch4}, .minors = {limited(n2o, excess_n2o)}},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper, minor_lower(), minor_upper()})};

  // 1390-1480 cm-1: H2O
  BandDescription const b10{.wavenumber_low = 1390,
                            .wavenumber_high = 1480,
                            .merged = {2, 2, 2, 2, 4, 4},
                            .lower = {.keys = {h2o}, .self_continuum = true, .foreign_continuum = true},
                            .upper = {.keys = {h2o}, .foreign_continuum = true},
                            .record = record({fraction_lower, fraction_upper, key_lower, key_upper})};

  // 1480-1800 cm-1: H2O; O2
  BandDescription const b11{
      .wavenumber_low = 1480,
      .wavenumber_high = 1800,
      .merged = {1, 1, 2, 2, 2, 2, 3, 3},
      .lower = {.keys = {h2o},
                .self_continuum = true,
                .foreign_continuum = true,
                .minors = {scaled(MinorAmount::column_over_density, o2)}},
      .upper = {.keys = {h2o}, .foreign_continuum = true, .minors = {scaled(MinorAmount::column_over_density, o2)}},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper, minor_lower(), minor_upper()})};

  // 1800-2080 cm-1: H2O, CO2 below, transparent and dark above
  BandDescription const b12{
      .wavenumber_low = 1800,
      .wavenumber_high = 2080,
      .merged = {1, 1, 1, 1, 2, 2, 4, 4},
      .lower = {.keys = {h2o, co2}, .planck_level = 10, .self_continuum = true, .foreign_continuum = true},
      .record = record({fraction_lower, key_lower})};

  // 2080-2250 cm-1: H2O, N2O below; CO2, CO below, O3 above
  BandDescription const b13{
      .wavenumber_low = 2080,
      .wavenumber_high = 2250,
      .merged = {3, 3, 4, 6},
      .lower = {.keys = {h2o, n2o},
                .planck_level = 5,
                .self_continuum = true,
                .foreign_continuum = true,
                .minors = {limited(co2, excess_co2(2, 0.68, 3.55e-4), 1), plain(co, 3)}},
      .upper = {.minors = {plain(o3)}},
      .record = record({fraction_lower, fraction_upper, key_lower, minor_lower(0), minor_lower(1), minor_upper(0)})};

  // 2250-2380 cm-1: CO2
  BandDescription const b14{.wavenumber_low = 2250,
                            .wavenumber_high = 2380,
                            .merged = {8, 8},
                            .lower = {.keys = {co2}, .self_continuum = true, .foreign_continuum = true},
                            .upper = {.keys = {co2}},
                            .record = record({fraction_lower, fraction_upper, key_lower, key_upper})};

  // 2380-2600 cm-1: N2O, CO2 below, transparent and dark above; N2
  BandDescription const b15{.wavenumber_low = 2380,
                            .wavenumber_high = 2600,
                            .merged = {8, 8},
                            .lower = {.keys = {n2o, co2},
                                      .planck_level = 1,
                                      .self_continuum = true,
                                      .foreign_continuum = true,
                                      .minors = {scaled(MinorAmount::broadening_over_density, h2o, 1)}},
                            .record = record({fraction_lower, key_lower, minor_lower()})};

  // 2600-3250 cm-1: H2O, CH4 below, CH4 above
  BandDescription const b16{
      .wavenumber_low = 2600,
      .wavenumber_high = 3250,
      .merged = {4, 12},
      .lower = {.keys = {h2o, ch4}, .planck_level = 6, .self_continuum = true, .foreign_continuum = true},
      .upper = {.keys = {ch4}, .first_key_rows_only = true},
      .record = record({fraction_lower, fraction_upper, key_lower, key_upper})};

  return {b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16};
}

}  // namespace

std::array<BandDescription, nbnd> const& band_descriptions() {
  static std::array<BandDescription, nbnd> const all = make_bands();
  return all;
}

int species_ratios(BandDescription const& band, Half half) {
  if (band.half(half).keys.size() < 2) return 1;
  return half == Half::lower ? 9 : 5;
}

int values_per_g(BandDescription const& band, RecordArray const& array) {
  constexpr int ntemperature = 5;
  constexpr int npressure_upper = npressure_ref - npressure_lower + 1;
  constexpr int ntemperature_minor = 19;
  int const ratios = species_ratios(band, array.half);
  switch (array.kind) {
    case Kind::planck_fraction:
      return ratios;
    case Kind::key:
      return ratios * ntemperature * (array.half == Half::lower ? npressure_lower : npressure_upper);
    case Kind::minor:
      return ratios * ntemperature_minor;
    case Kind::halocarbon:
      return 1;
    case Kind::self_continuum:
      return 10;
    case Kind::foreign_continuum:
      return 4;
  }
  return 0;
}

}  // namespace rrtmg_lw

std::array<Band, nbnd> const& bands() {
  static std::array<Band, nbnd> const all = [] {
    std::array<Band, nbnd> result{};
    for (std::size_t b = 0; b < result.size(); ++b) {
      auto const& band = rrtmg_lw::band_descriptions()[b];
      result[b] = {band.wavenumber_low, band.wavenumber_high, band.ng()};
    }
    return result;
  }();
  return all;
}

std::array<int, nbnd> record_values() {
  std::array<int, nbnd> result{};
  for (std::size_t b = 0; b < result.size(); ++b) {
    auto const& band = rrtmg_lw::band_descriptions()[b];
    for (auto const& array : band.record) result[b] += rrtmg_lw::ng_original * rrtmg_lw::values_per_g(band, array);
  }
  return result;
}

}  // namespace parhelion::fluxes
