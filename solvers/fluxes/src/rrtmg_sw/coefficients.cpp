// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/rrtmg_sw/coefficients.hpp>

#include "rrtmg_sw/band_descriptions.hpp"
#include "rrtmg_sw/coefficient_table.hpp"
#include "rrtmg_sw/reference_tables.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace parhelion::fluxes {

namespace {

using namespace rrtmg_sw;
using Kind = RecordItem::Kind;

// A number that differs by more is that of another version; files of 4-byte reals differ by 1e-7.
constexpr double version_tolerance = 1e-4;

HalfRows<double> describe(BandDescription const& band, Half which) {
  BandHalf const& half = band.half(which);
  HalfRows<double> rows{};
  rows.nkey = half.keys.n;
  for (int k = 0; k < rows.nkey; ++k) rows.key[k] = static_cast<int>(half.keys.gas[static_cast<std::size_t>(k)]);
  rows.key_factor = half.amount_factor;
  rows.species_ratios = species_ratios(band, which);
  rows.key_row = rows.self_row = rows.foreign_row = rows.rayleigh_row = -1;
  for (int& row : rows.absorber_row) row = -1;
  rows.grey_gas = half.grey ? static_cast<int>(half.grey->gas) : -1;
  rows.grey = half.grey ? half.grey->coefficient : 0;
  return rows;
}

void check_record(BandDescription const& band, std::vector<double> const& record, std::string const& where) {
  for (std::size_t i = 0; i < record.size(); ++i)
    if (!(record[i] >= 0) || !std::isfinite(record[i]))
      throw Error(where, fmt::format("number {} of {} is {}, expected a number of at least 0", i + 1, record.size(),
                                     record[i]));
  std::size_t at = 0;
  for (auto const& item : band.record) {
    if (item.expected > 0 && std::abs(record[at] / item.expected - 1) > version_tolerance)
      throw Error(where, fmt::format("number {} of {} is {:.9g}, expected {:.9g}, as it is in RRTMG_SW 5.0: the file "
                                     "is of another version",
                                     at + 1, record.size(), record[at], item.expected));
    at += static_cast<std::size_t>(real_values(item));
  }
}

// Notes a number of the record, which is not Kurucz's factor, or the first row of an array.
void note(BandRows<double>& rows, BandDescription const& band, RecordItem const& item, double number, int row) {
  for (int h = 0; h < 2; ++h) {
    Half const which = h == 0 ? Half::lower : Half::upper;
    if (item.halves != Halves::both && (item.halves == Halves::lower) != (which == Half::lower)) continue;
    auto& half = rows.half[h];
    auto const& described = band.half(which);
    switch (item.kind) {
      case Kind::key_ratio:
        if (half.nkey == 2) half.key_ratio = described.ratio_factor * number;
        break;
      case Kind::amount_factor:
        if (half.nkey == 1) half.key_factor = number;
        break;
      case Kind::rayleigh_number:
      case Kind::rayleigh:
        half.rayleigh_row = row;
        half.rayleigh_species_ratios = item.rows;
        break;
      case Kind::absorber:
        half.absorber[half.nabsorber] = static_cast<int>(item.gas);
        half.absorber_row[half.nabsorber++] = row;
        break;
      case Kind::key:
        half.key_row = row;
        break;
      case Kind::self_continuum:
        half.self_row = described.self_continuum ? row : -1;
        break;
      case Kind::foreign_continuum:
        half.foreign_row = described.foreign_continuum ? row : -1;
        break;
      case Kind::solar_layer:
      case Kind::solar_factor:
      case Kind::solar:
        break;
    }
  }
}

// Adds rows to the table: of each, value(row, original) for the original g-points, merged as means or sums, times
// `factor`. Gives the place of the first.
template <class Value>
int add_rows(CoefficientTable& table, BandDescription const& band, int rows, bool sum, Value const& value,
             double factor = 1) {
  std::size_t const first = table.values.size();
  table.values.resize(first + static_cast<std::size_t>(rows) * row_stride, 0.0);
  std::size_t original = 0;
  for (std::size_t g = 0; g < band.merged.size(); ++g) {
    std::size_t const end = original + static_cast<std::size_t>(band.merged[g]);
    double weight_sum = 0;
    for (std::size_t o = original; o < end; ++o) weight_sum += quadrature_weight[o];
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      double merged = 0;
      for (std::size_t o = original; o < end; ++o)
        merged += sum ? value(row, o) : value(row, o) * (quadrature_weight[o] / weight_sum);
      table.values[first + row * row_stride + g] = factor * merged;
    }
    original = end;
  }
  return static_cast<int>(first);
}

}  // namespace

ShortwaveCoefficients::ShortwaveCoefficients(std::array<std::vector<double>, nbnd_sw> const& records,
                                             std::string const& where) {
  CoefficientTable result;
  std::size_t solar_row = 0;  // of nrlssi2
  for (std::size_t b = 0; b < nbnd_sw; ++b) {
    BandDescription const& band = band_descriptions()[b];
    auto const& record = records[b];
    std::string const here = fmt::format("{}: record {} (band {})", where, b + 1, first_band + static_cast<int>(b));
    auto const expected = static_cast<std::size_t>(shortwave_record_values()[b]);
    if (record.size() != expected)
      throw Error(here, fmt::format("holds {} numbers, expected {}", record.size(), expected));
    check_record(band, record, here);

    auto& rows = result.bands[b];
    rows.ng = band.ng();
    rows.half[0] = describe(band, Half::lower);
    rows.half[1] = describe(band, Half::upper);
    rows.solar_half = band.solar && band.solar->half == Half::upper ? 1 : 0;
    rows.solar_layer = band.solar ? band.solar->layer : 0;

    double kurucz_factor = 1;
    double const* source = record.data();
    for (auto const& item : band.record) {
      double const number = *source;
      auto const stride = static_cast<std::size_t>(item.rows);
      auto const of_record = [&](std::size_t row, std::size_t original) {
        return item.gpoint_first ? source[row * ng_original + original] : source[original * stride + row];
      };
      int row = -1;
      if (item.kind == Kind::solar_factor) {
        kurucz_factor = number;
      } else if (item.kind == Kind::rayleigh_number) {
        row = static_cast<int>(result.values.size());
        result.values.resize(result.values.size() + row_stride, 0.0);
        for (int g = 0; g < rows.ng; ++g) result.values[static_cast<std::size_t>(row + g)] = number;
      } else if (item.kind == Kind::solar) {
        rows.solar_species_ratios = item.rows;
        rows.solar_row = add_rows(result, band, item.rows, true, of_record, kurucz_factor);
        int const others = (nsolar - 1) * item.rows;
        add_rows(result, band, others, true,
                 [&](std::size_t row_of_band, std::size_t g) { return nrlssi2[solar_row + row_of_band][g]; });
        solar_row += static_cast<std::size_t>(others);
      } else if (!is_number(item)) {
        row = add_rows(result, band, item.rows, false, of_record);
      }
      note(rows, band, item, number, row);
      source += real_values(item);
    }
  }
  result.values.resize(result.values.size() + row_stride, 0.0);
  m_table = std::make_shared<CoefficientTable const>(std::move(result));
}

}  // namespace parhelion::fluxes
