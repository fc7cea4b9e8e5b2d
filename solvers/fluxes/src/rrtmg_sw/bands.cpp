// SPDX-License-Identifier: BSD-3-Clause
#include "rrtmg_sw/band_descriptions.hpp"
#include "rrtmg_sw/reference_tables.hpp"

#include <cstddef>

namespace parhelion::fluxes {

namespace rrtmg_sw {

namespace {

using Kind = RecordItem::Kind;
using enum Gas;

constexpr int ntemperature = 5;
constexpr int npressure_upper = npressure_ref - npressure_lower + 1;
constexpr int nratio_lower = 9;
constexpr int nratio_upper = 5;

constexpr RecordItem solar_layer{.kind = Kind::solar_layer};
constexpr RecordItem rayleigh_number{.kind = Kind::rayleigh_number};
constexpr RecordItem self{.kind = Kind::self_continuum, .rows = 10};

constexpr RecordItem key_ratio(double expected) { return {.kind = Kind::key_ratio, .expected = expected}; }

constexpr RecordItem rayleigh(Halves halves = Halves::both, int ratios = 1) {
  return {.kind = Kind::rayleigh, .halves = halves, .rows = ratios, .gpoint_first = true};
}

constexpr RecordItem absorber(Gas gas, Halves halves) { return {.kind = Kind::absorber, .halves = halves, .gas = gas}; }

constexpr RecordItem key_lower(int ratios = 1) {
  return {.kind = Kind::key, .halves = Halves::lower, .rows = ratios * ntemperature * npressure_lower};
}

constexpr RecordItem key_upper(int ratios = 1) {
  return {.kind = Kind::key, .halves = Halves::upper, .rows = ratios * ntemperature * npressure_upper};
}

// The third and fourth temperature serve in the upper atmosphere.
constexpr RecordItem foreign(int temperatures) { return {.kind = Kind::foreign_continuum, .rows = temperatures}; }

constexpr RecordItem solar(int ratios = 1) { return {.kind = Kind::solar, .rows = ratios, .gpoint_first = true}; }

// Water vapour as a key comes with both its continua in the lower atmosphere, with the foreign one above.
constexpr BandHalf water_below(Gas other) {
  return {.keys = {h2o, other}, .self_continuum = true, .foreign_continuum = true};
}
constexpr BandHalf water_below() { return {.keys = {h2o}, .self_continuum = true, .foreign_continuum = true}; }

std::array<BandDescription, nbnd_sw> make_bands() {
  // The oxygen continuum for each 1e20 molecules cm-2, and what makes lines and continuum of the lines [1].
  constexpr GreyGas oxygen_continuum{o2, 4.35e-4 / (350.0 * 2.0)};
  constexpr double oxygen_lines = 1.6;

  // 2600-3250 cm-1: H2O, CH4 below, CH4 above
  BandDescription const b16{.wavenumber_low = 2600,
                            .wavenumber_high = 3250,
                            .merged = {2, 2, 2, 2, 4, 4},
                            .lower = water_below(ch4),
                            .upper = {.keys = {ch4}},
                            .record = {rayleigh_number, key_ratio(252.131), solar_layer, key_lower(nratio_lower),
                                       key_upper(), self, foreign(3), solar()}};

  // 3250-4000 cm-1: H2O, CO2
  BandDescription const b17{.wavenumber_low = 3250,
                            .wavenumber_high = 4000,
                            .merged = {1, 1, 1, 1, 1, 2, 1, 2, 1, 2, 1, 2},
                            .lower = water_below(co2),
                            .upper = {.keys = {h2o, co2}, .foreign_continuum = true},
                            .solar = SolarRatio{Half::upper, 30},
                            .record = {rayleigh_number, key_ratio(0.364641), solar_layer, key_lower(nratio_lower),
                                       key_upper(nratio_upper), self, foreign(4), solar(nratio_upper)}};

  // 4000-4650 cm-1: H2O, CH4 below, CH4 above
  BandDescription const b18{.wavenumber_low = 4000,
                            .wavenumber_high = 4650,
                            .merged = {1, 1, 1, 1, 2, 2, 4, 4},
                            .lower = water_below(ch4),
                            .upper = {.keys = {ch4}},
                            .solar = SolarRatio{Half::lower, 6},
                            .record = {rayleigh_number, key_ratio(38.9589), solar_layer, key_lower(nratio_lower),
                                       key_upper(), self, foreign(3), solar(nratio_lower)}};

  // 4650-5150 cm-1: H2O, CO2 below, CO2 above
  BandDescription const b19{.wavenumber_low = 4650,
                            .wavenumber_high = 5150,
                            .merged = {1, 1, 1, 1, 2, 2, 4, 4},
                            .lower = water_below(co2),
                            .upper = {.keys = {co2}},
                            .solar = SolarRatio{Half::lower, 3},
                            .record = {rayleigh_number, key_ratio(5.49281), solar_layer, key_lower(nratio_lower),
                                       key_upper(), self, foreign(3), solar(nratio_lower)}};

  // 5150-6150 cm-1: H2O; CH4
  BandDescription const b20{.wavenumber_low = 5150,
                            .wavenumber_high = 6150,
                            .merged = {1, 1, 1, 1, 1, 1, 1, 1, 2, 6},
                            .lower = water_below(),
                            .upper = {.keys = {h2o}, .foreign_continuum = true},
                            .record = {rayleigh_number, solar_layer, absorber(ch4, Halves::both), key_lower(),
                                       key_upper(), self, foreign(4), solar()}};

  // 6150-7700 cm-1: H2O, CO2
  BandDescription const b21{.wavenumber_low = 6150,
                            .wavenumber_high = 7700,
                            .merged = {1, 1, 1, 1, 1, 1, 1, 1, 2, 6},
                            .lower = water_below(co2),
                            .upper = {.keys = {h2o, co2}, .foreign_continuum = true},
                            .solar = SolarRatio{Half::lower, 8},
                            .record = {rayleigh_number, key_ratio(0.0045321), solar_layer, key_lower(nratio_lower),
                                       key_upper(nratio_upper), self, foreign(4), solar(nratio_lower)}};

  // 7700-8050 cm-1: H2O, O2 below, O2 above; continuum of O2
  BandDescription const b22{.wavenumber_low = 7700,
                            .wavenumber_high = 8050,
                            .merged = {8, 8},
                            .lower = {.keys = {h2o, o2},
                                      .ratio_factor = oxygen_lines,
                                      .self_continuum = true,
                                      .foreign_continuum = true,
                                      .grey = oxygen_continuum},
                            .upper = {.keys = {o2}, .amount_factor = oxygen_lines, .grey = oxygen_continuum},
                            .solar = SolarRatio{Half::lower, 2},
                            .record = {rayleigh_number, key_ratio(0.022708), solar_layer, key_lower(nratio_lower),
                                       key_upper(), self, foreign(3), solar(nratio_lower)}};

  // 8050-12850 cm-1: H2O below
  BandDescription const b23{.wavenumber_low = 8050,
                            .wavenumber_high = 12850,
                            .merged = {2, 2, 1, 1, 1, 1, 1, 1, 2, 4},
                            .lower = water_below(),
                            .record = {rayleigh(),
                                       {.kind = Kind::amount_factor, .expected = 1.029},
                                       solar_layer,
                                       key_lower(),
                                       self,
                                       foreign(3),
                                       solar()}};

  // 12850-16000 cm-1: H2O, O2 below, O2 above; O3
  BandDescription const b24{
      .wavenumber_low = 12850,
      .wavenumber_high = 16000,
      .merged = {2, 2, 2, 2, 2, 2, 2, 2},
      .lower = water_below(o2),
      .upper = {.keys = {o2}},
      .solar = SolarRatio{Half::lower, 1},
      .record = {rayleigh(Halves::lower, nratio_lower), rayleigh(Halves::upper), key_ratio(0.124692), solar_layer,
                 absorber(o3, Halves::lower), absorber(o3, Halves::upper), key_lower(nratio_lower), key_upper(), self,
                 foreign(3), solar(nratio_lower)}};

  // 16000-22650 cm-1: H2O below; O3
  BandDescription const b25{.wavenumber_low = 16000,
                            .wavenumber_high = 22650,
                            .merged = {1, 1, 2, 2, 4, 6},
                            .lower = {.keys = {h2o}},
                            .record = {rayleigh(), solar_layer, absorber(o3, Halves::lower),
                                       absorber(o3, Halves::upper), key_lower(), solar()}};

  // 22650-29000 cm-1: nothing absorbs
  BandDescription const b26{
      .wavenumber_low = 22650, .wavenumber_high = 29000, .merged = {1, 1, 2, 2, 4, 6}, .record = {rayleigh(), solar()}};

  // 29000-38000 cm-1: O3
  BandDescription const b27{.wavenumber_low = 29000,
                            .wavenumber_high = 38000,
                            .merged = {1, 1, 1, 1, 1, 1, 4, 6},
                            .lower = {.keys = {o3}},
                            .upper = {.keys = {o3}},
                            .record = {rayleigh(),
                                       {.kind = Kind::solar_factor, .expected = 50.15 / 48.37},
                                       solar_layer,
                                       key_lower(),
                                       key_upper(),
                                       solar()}};

  // 38000-50000 cm-1: O3, O2. The file's integer is 58, which GasOptics chooses as an option.
  BandDescription const b28{.wavenumber_low = 38000,
                            .wavenumber_high = 50000,
                            .merged = {1, 1, 2, 2, 4, 6},
                            .lower = {.keys = {o3, o2}},
                            .upper = {.keys = {o3, o2}},
                            .solar = SolarRatio{Half::upper, 42},
                            .record = {rayleigh_number, key_ratio(6.67029e-07), solar_layer, key_lower(nratio_lower),
                                       key_upper(nratio_upper), solar(nratio_upper)}};

  // 820-2600 cm-1: H2O below, CO2 above; CO2 below, H2O above
  BandDescription const b29{
      .wavenumber_low = 820,
      .wavenumber_high = 2600,
      .merged = {1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1},
      .lower = water_below(),
      .upper = {.keys = {co2}},
      .record = {rayleigh_number, solar_layer, absorber(h2o, Halves::upper), absorber(co2, Halves::lower), key_lower(),
                 key_upper(), self, foreign(4), solar()}};

  return {b16, b17, b18, b19, b20, b21, b22, b23, b24, b25, b26, b27, b28, b29};
}

}  // namespace

std::array<BandDescription, nbnd_sw> const& band_descriptions() {
  static std::array<BandDescription, nbnd_sw> const all = make_bands();
  return all;
}

int species_ratios(BandDescription const& band, Half half) {
  if (band.half(half).keys.n < 2) return 1;
  return half == Half::lower ? nratio_lower : nratio_upper;
}

bool is_number(RecordItem const& item) { return item.kind <= Kind::solar_factor; }

int real_values(RecordItem const& item) {
  if (item.kind == Kind::solar_layer) return 0;
  return is_number(item) ? 1 : item.rows * ng_original;
}

}  // namespace rrtmg_sw

std::array<Band, nbnd_sw> const& shortwave_bands() {
  static std::array<Band, nbnd_sw> const all = [] {
    std::array<Band, nbnd_sw> result{};
    for (std::size_t b = 0; b < result.size(); ++b) {
      auto const& band = rrtmg_sw::band_descriptions()[b];
      result[b] = {band.wavenumber_low, band.wavenumber_high, band.ng()};
    }
    return result;
  }();
  return all;
}

bool is_uvvis(int band) { return shortwave_bands()[static_cast<std::size_t>(band)].wavenumber_low >= uvvis_from; }

std::array<int, nbnd_sw> const& shortwave_record_values() {
  static std::array<int, nbnd_sw> const all = [] {
    std::array<int, nbnd_sw> result{};
    for (std::size_t b = 0; b < result.size(); ++b)
      for (auto const& item : rrtmg_sw::band_descriptions()[b].record) result[b] += rrtmg_sw::real_values(item);
    return result;
  }();
  return all;
}

std::array<int, nbnd_sw> const& shortwave_record_integers() {
  static std::array<int, nbnd_sw> const all = [] {
    std::array<int, nbnd_sw> result{};
    for (std::size_t b = 0; b < result.size(); ++b) {
      result[b] = -1;
      int before = 0;
      for (auto const& item : rrtmg_sw::band_descriptions()[b].record) {
        if (item.kind == rrtmg_sw::RecordItem::Kind::solar_layer) result[b] = before;
        before += rrtmg_sw::real_values(item);
      }
    }
    return result;
  }();
  return all;
}

}  // namespace parhelion::fluxes
