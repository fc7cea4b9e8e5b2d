// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>

#include "rrtmg_lw/coefficient_table.hpp"
#include "rrtmg_lw/reference_tables.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace parhelion::fluxes {

namespace {

using namespace rrtmg_lw;
using Kind = RecordArray::Kind;

double reference_ratio(std::vector<Gas> const& keys, int level) {
  if (keys.size() < 2 || level == 0) return 0;
  auto const& ratios = vmr_ref[level - 1];
  return ratios[static_cast<int>(keys[0])] / ratios[static_cast<int>(keys[1])];
}

HalfRows<double> describe(BandDescription const& band, Half which) {
  BandHalf const& half = band.half(which);
  HalfRows<double> table{};
  table.nkey = static_cast<int>(half.keys.size());
  for (int k = 0; k < table.nkey; ++k) table.key[k] = static_cast<int>(half.keys[k]);
  table.planck_species_ratios = species_ratios(band, which);
  table.species_ratios = half.first_key_rows_only ? 0 : table.planck_species_ratios;
  table.key_row = table.planck_row = table.self_row = table.foreign_row = -1;
  table.planck_ratio = reference_ratio(half.keys, half.planck_level);
  table.nminor = static_cast<int>(half.minors.size());
  for (int m = 0; m < table.nminor; ++m) {
    MinorGas const& minor = half.minors[m];
    Excess const excess = minor.excess.value_or(Excess{0, 0, 0});
    table.minor[m] = {.amount = minor.amount,
                      .gas = static_cast<int>(minor.gas),
                      .species_ratios = species_ratios(band, which),
                      .row = -1,
                      .species_ratio = reference_ratio(half.keys, minor.species_level),
                      .limit = excess.limit,
                      .offset = excess.offset,
                      .power = excess.power,
                      .reference = excess.reference};
  }
  table.nhalocarbon = static_cast<int>(half.halocarbons.size());
  for (int h = 0; h < table.nhalocarbon; ++h) table.halocarbon[h] = static_cast<int>(half.halocarbons[h]);
  auto const correction = half.correction.value_or(PressureCorrection{0, 0, 1, false});
  table.correction_strength = correction.strength;
  table.correction_from = correction.from;
  table.correction_over = correction.over;
  table.correction_only_below = correction.only_below_from;
  return table;
}

// Notes the first row of an array of the record. Arrays of both halves are noted in both.
void place(BandRows<double>& table, BandDescription const& band, RecordArray const& array, int row) {
  auto& lower = table.half[0];
  auto& upper = table.half[1];
  auto& half = table.half[static_cast<int>(array.half)];
  switch (array.kind) {
    case Kind::planck_fraction:
      half.planck_row = row;
      if (band.upper.planck_of_lower && array.half == Half::lower) upper.planck_row = row;
      break;
    case Kind::key:
      half.key_row = row;
      break;
    case Kind::minor:
      half.minor[array.index].row = row;
      break;
    case Kind::halocarbon:
      lower.halocarbon_row[array.index] = upper.halocarbon_row[array.index] = row;
      break;
    case Kind::self_continuum:
      lower.self_row = band.lower.self_continuum ? row : -1;
      break;
    case Kind::foreign_continuum:
      lower.foreign_row = band.lower.foreign_continuum ? row : -1;
      upper.foreign_row = band.upper.foreign_continuum ? row : -1;
      break;
  }
}

// Planck fractions have at most five digits in the published table, so that the 16 of a band add up to 1 within 2e-5.
constexpr double fraction_tolerance = 1e-4;

// With absorption of at least 0 and fractions that add up to 1, no flux can be negative or above that of the warmest
// black body, whatever the atmosphere is.
void check_record(BandDescription const& band, std::vector<double> const& record, std::string const& where) {
  std::size_t first = 0;
  for (auto const& array : band.record) {
    auto const rows = static_cast<std::size_t>(values_per_g(band, array));
    for (std::size_t i = first; i < first + rows * ng_original; ++i)
      if (!(record[i] >= 0) || !std::isfinite(record[i]))
        throw Error(where, fmt::format("number {} of {} is {}, expected a number of at least 0", i + 1, record.size(),
                                       record[i]));
    for (std::size_t row = 0; array.kind == Kind::planck_fraction && row < rows; ++row) {
      double sum = 0;
      for (std::size_t g = 0; g < ng_original; ++g) sum += record[first + row * ng_original + g];
      if (std::abs(sum - 1) > fraction_tolerance)
        throw Error(where,
                    fmt::format("numbers {} to {} of {}, Planck fractions, add up to {:.6g}, expected 1 within {:g}",
                                first + row * ng_original + 1, first + (row + 1) * ng_original, record.size(), sum,
                                fraction_tolerance));
    }
    first += rows * ng_original;
  }
}

}  // namespace

Coefficients::Coefficients(std::array<std::vector<double>, nbnd> const& records, std::string const& where) {
  CoefficientTable result;
  auto const expected = record_values();
  for (int b = 0; b < nbnd; ++b) {
    BandDescription const& band = band_descriptions()[b];
    auto const& record = records[b];
    if (static_cast<int>(record.size()) != expected[b])
      throw Error(where,
                  fmt::format("record of band {} has {} values, expected {}", b + 1, record.size(), expected[b]));
    check_record(band, record, fmt::format("{}: record {}", where, b + 1));
    auto& rows_of_band = result.bands[b];
    rows_of_band.ng = band.ng();
    rows_of_band.diffusivity = band.diffusivity;
    rows_of_band.half[0] = describe(band, Half::lower);
    rows_of_band.half[1] = describe(band, Half::upper);

    double const* source = record.data();
    for (auto const& array : band.record) {
      int const rows = values_per_g(band, array);
      bool const sum = array.kind == Kind::planck_fraction;
      bool const scaled = array.half == Half::upper && !band.upper.g_scaling.empty() &&
                          (array.kind == Kind::key || array.kind == Kind::minor);
      int const first = static_cast<int>(result.values.size());
      result.values.resize(first + static_cast<std::size_t>(rows) * row_stride, 0.0);
      place(rows_of_band, band, array, first);
      // In the file the original g-point is the slowest index of every array.
      int original = 0;
      for (int g = 0; g < band.ng(); ++g) {
        int const end = original + band.merged[g];
        double weight_sum = 0;
        for (int o = original; o < end; ++o) weight_sum += quadrature_weight[o];
        for (int row = 0; row < rows; ++row) {
          double value = 0;
          // Planck fractions stand with the g-point first (fastest), all else with the g-point last.
          for (int o = original; o < end; ++o)
            value += sum ? source[row * ng_original + o] : source[o * rows + row] * (quadrature_weight[o] / weight_sum);
          result.values[first + row * row_stride + g] = scaled ? value * band.upper.g_scaling[g] : value;
        }
        original = end;
      }
      source += static_cast<std::ptrdiff_t>(rows) * ng_original;
    }
  }
  result.values.resize(result.values.size() + row_stride, 0.0);
  m_table = std::make_shared<CoefficientTable const>(std::move(result));
}

}  // namespace parhelion::fluxes
