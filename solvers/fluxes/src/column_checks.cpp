// SPDX-License-Identifier: BSD-3-Clause
#include "column_checks.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace parhelion::fluxes {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Impl::AnyColumns;

constexpr char const* where = "validate";

// --- possible values ---------------------------------------------------------------------------------------------

template <class Real>
void check_extents(AnyColumns<Real> const& columns) {
  std::int64_t const ncol = columns.ncol();
  std::int64_t const nlay = columns.nlay();
  if (ncol < 1 || nlay < 1)
    throw Error(where, fmt::format("pressure_lay has shape ({}, {}), expected at least (1, 1)", ncol, nlay));
  parhelion::check_extents(where, columns,
                           {{dimension::column, ncol},
                            {dimension::layer, nlay},
                            {dimension::level, nlay + 1},
                            {dimension::gas, ngas},
                            {dimension::band, nbnd}});
}

template <class Real>
bool any_outside(HostThreads const& threads, ArrayDescription const& description, ConstArrayRef const& array) {
  double const least = description.range.above_lowest ? static_cast<double>(std::numeric_limits<Real>::denorm_min())
                                                      : description.range.lowest;
  double const most = std::min(description.range.highest, static_cast<double>(std::numeric_limits<Real>::max()));
  return count_outside(threads, array, least, most) > 0;
}

/// Whether models have ranges for an array.
bool has_range_of_model(ArrayDescription const& description) {
  return description.name != "emissivity_sfc" && description.name != "aerosol";
}

/// Refuses impossible values in those arrays that models have ranges for, or in the others.
template <class Real>
void check_amounts(HostThreads const& threads, AnyColumns<Real> const& columns, bool with_range_of_model) {
  AnyColumns<Real>::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (has_range_of_model(description) == with_range_of_model &&
            any_outside<Real>(threads, description, array_ref(view)))
          check_values(where, description, array_ref(view));
      },
      columns);
}

template <class Real>
void check_order(HostThreads const& threads, AnyColumns<Real> const& columns) {
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  auto const& pressure_lev = columns.pressure_lev;
  auto const& pressure_lay = columns.pressure_lay;
  // The pressure of a layer may lie outside its own interfaces, as in the halves of a layer that was split.
  auto const below = [&](int c, int k) { return k == 0 ? pressure_lev(c, 0) : pressure_lay(c, k - 1); };
  auto const falls = [&](int c, int k) { return pressure_lev(c, k + 1) < pressure_lev(c, k); };
  auto const lies_within = [&](int c, int k) {
    return pressure_lay(c, k) <= below(c, k) && pressure_lay(c, k) >= pressure_lev(c, nlay);
  };
  // Blocks of columns, in the order in which they lie in memory.
  constexpr int block = 64;
  bool const columns_first = pressure_lev.stride(0) < pressure_lev.stride(1);
  std::atomic<int> worst = ncol;
  threads.for_each("parhelion::fluxes::check_pressures", static_cast<std::size_t>((ncol + block - 1) / block),
                   [&](std::size_t b) {
                     int const begin = static_cast<int>(b) * block;
                     int const end = std::min(ncol, begin + block);
                     std::array<std::uint8_t, block> good;
                     good.fill(1);
                     auto const look = [&](int c, int k) {
                       good[static_cast<std::size_t>(c - begin)] &=
                           static_cast<std::uint8_t>(falls(c, k)) & static_cast<std::uint8_t>(lies_within(c, k));
                     };
                     if (columns_first)
                       for (int k = 0; k < nlay; ++k)
                         for (int c = begin; c < end; ++c) look(c, k);
                     else
                       for (int c = begin; c < end; ++c)
                         for (int k = 0; k < nlay; ++k) look(c, k);
                     for (int c = begin; c < end; ++c) {
                       if (good[static_cast<std::size_t>(c - begin)] != 0) continue;
                       int first = worst;
                       while (c < first && !worst.compare_exchange_weak(first, c)) {
                       }
                       return;
                     }
                   });
  int const c = worst;
  if (c >= ncol) return;
  for (int k = 0; k < nlay; ++k) {
    if (!falls(c, k))
      throw Error(where, fmt::format("pressure_lev({}, {}) = {} Pa, expected less than the {} Pa below", c, k + 1,
                                     pressure_lev(c, k + 1), pressure_lev(c, k)));
    if (!lies_within(c, k))
      throw Error(where, fmt::format("pressure_lay({}, {}) = {} Pa, expected no more than the {} Pa below and no less "
                                     "than the {} Pa at the top",
                                     c, k, pressure_lay(c, k), below(c, k), pressure_lev(c, nlay)));
  }
}

// --- where a model is valid --------------------------------------------------------------------------------------

/// \brief Calls action(description, view, range, range_of) for all arrays that models have ranges for.
///
/// What is in `range` is valid whatever the pressure is; range_of(column, k) is the range of a value of the layer or
/// level k.
template <class Set, class Action>
void walk_ranges(Set const& columns, Validity const& validity, Action const& action) {
  auto const everywhere = [](ValidRange range) { return [range](int, int) { return range; }; };
  auto const at_layer = [&](int c, int k) { return validity.temperature_at(columns.pressure_lay(c, k)); };
  auto const at_level = [&](int c, int k) { return validity.temperature_at(columns.pressure_lev(c, k)); };
  auto const at_surface = [&](int c, int) { return validity.temperature_at(columns.pressure_lev(c, 0)); };
  // Temperatures first, because their ranges depend on the pressures before these are clipped.
  for (bool const temperatures : {true, false})
    Set::for_each_array(
        [&](ArrayDescription const& description, auto const& view) {
          if (!has_range_of_model(description)) return;
          std::string_view const name = description.name;
          if (temperatures && name == "temperature_lay") action(description, view, validity.temperature, at_layer);
          if (temperatures && name == "temperature_lev") action(description, view, validity.temperature, at_level);
          if (temperatures && name == "temperature_sfc") action(description, view, validity.temperature, at_surface);
          if (!temperatures && (name == "pressure_lay" || name == "pressure_lev"))
            action(description, view, validity.pressure, everywhere(validity.pressure));
          if (!temperatures && name == "vmr") action(description, view, validity.vmr, everywhere(validity.vmr));
        },
        columns);
}

/// Whether every value is in the range that does not depend on pressure, and possible.
template <class Real>
bool is_well_inside(HostThreads const& threads, AnyColumns<Real> const& columns, Validity const& validity) {
  std::int64_t outside = count_outside(threads, array_ref(columns.pressure_lay),
                                       static_cast<double>(std::numeric_limits<Real>::denorm_min()),
                                       static_cast<double>(std::numeric_limits<Real>::max()));
  walk_ranges(columns, validity, [&](ArrayDescription const&, auto const& view, ValidRange range, auto const&) {
    outside += count_outside(threads, array_ref(view), range.lowest,
                             std::min(range.highest, static_cast<double>(std::numeric_limits<Real>::max())));
  });
  return outside == 0;
}

/// Calls action(value, position, range) for each value that is out of its range, in the order of the indices.
template <class View, class RangeOf, class Action>
void for_each_outside(View const& view, RangeOf const& range_of, Action const& action) {
  auto const n = [&](std::size_t d) { return static_cast<int>(view.extent(d)); };
  std::size_t position = 0;
  auto const look = [&](auto& value, ValidRange const& range) {
    if (!range.contains(static_cast<double>(value))) action(value, position, range);
    ++position;
  };
  if constexpr (View::rank() == 1) {
    for (int c = 0; c < n(0); ++c) look(view(c), range_of(c, 0));
  } else if constexpr (View::rank() == 2) {
    for (int c = 0; c < n(0); ++c)
      for (int k = 0; k < n(1); ++k) look(view(c, k), range_of(c, k));
  } else {
    for (int c = 0; c < n(0); ++c)
      for (int gas = 0; gas < n(1); ++gas)
        for (int k = 0; k < n(2); ++k) look(view(c, gas, k), range_of(c, k));
  }
}

template <class Real>
OutOfRangeCounts count_out_of_range(AnyColumns<Real> const& columns, Validity const& validity) {
  OutOfRangeCounts counts;
  walk_ranges(columns, validity,
              [&](ArrayDescription const& description, auto const& view, ValidRange, auto const& range_of) {
                std::size_t n = 0;
                for_each_outside(view, range_of, [&](auto const&, std::size_t, ValidRange) { ++n; });
                if (n > 0) counts.emplace_back(description.name, n);
              });
  return counts;
}

template <class Real>
void refuse_out_of_range(AnyColumns<Real> const& columns, Validity const& validity) {
  walk_ranges(
      columns, validity, [](ArrayDescription const& description, auto const& view, ValidRange, auto const& range_of) {
        std::string const unit(description.unit == "1" ? "" : description.unit);
        for_each_outside(view, range_of, [&](auto const& value, std::size_t position, ValidRange range) {
          parhelion::Impl::refuse_value(
              where, description.name, parhelion::Impl::extents_of(view), position, static_cast<double>(value), unit,
              fmt::format("{:g} to {:g}{}{}", range.lowest, range.highest, unit.empty() ? "" : " ", unit));
        });
      });
}

/// Refuses values that are not finite, which cannot be clipped.
template <class Real>
void refuse_not_finite(AnyColumns<Real> const& columns, Validity const& validity) {
  walk_ranges(columns, validity, [](ArrayDescription description, auto const& view, ValidRange, auto const&) {
    description.range = ranges::finite;
    check_values(where, description, array_ref(view));
  });
}

template <class Real>
AnyColumns<Real> clipped(HostThreads const& threads, AnyColumns<Real> const& columns, Validity const& validity) {
  auto ranged = columns;
  ranged.emissivity_sfc = {};
  ranged.aerosol = {};
  auto const copy = host_copy<Columns<Host, Real>>(threads, ranged);
  walk_ranges(copy, validity, [](ArrayDescription const&, auto const& view, ValidRange, auto const& range_of) {
    for_each_outside(view, range_of, [](auto& value, std::size_t, ValidRange range) {
      value = static_cast<Real>(range.nearest(static_cast<double>(value)));
    });
  });
  auto result = refer_to<AnyColumns<Real>>(copy);
  result.emissivity_sfc = columns.emissivity_sfc;
  result.aerosol = columns.aerosol;
  return result;
}

}  // namespace

namespace Impl {

template <class Real>
void validate(HostThreads const& threads, AnyColumns<Real> const& columns) {
  check_extents(columns);
  check_amounts(threads, columns, true);
  check_amounts(threads, columns, false);
  check_order(threads, columns);
}

template <class Real>
CheckedColumns<Real> check_columns(HostThreads const& threads, AnyColumns<Real> const& columns,
                                   Validity const& validity, OutOfRange what_then) {
  CheckedColumns<Real> checked{columns, {}};
  check_extents(columns);
  if (!is_well_inside(threads, columns, validity)) {
    if (what_then == OutOfRange::clip)
      refuse_not_finite(columns, validity);
    else
      check_amounts(threads, columns, true);  // its message says that the value is impossible, not only out of range
    checked.out_of_range = count_out_of_range(columns, validity);
    if (!checked.out_of_range.empty() && what_then == OutOfRange::refuse) refuse_out_of_range(columns, validity);
    if (!checked.out_of_range.empty() && what_then == OutOfRange::clip)
      checked.columns = clipped(threads, columns, validity);
    check_amounts(threads, checked.columns, true);
  }
  check_amounts(threads, columns, false);
  check_order(threads, checked.columns);
  return checked;
}

}  // namespace Impl

template <Floating Real>
void validate(Columns<Host, Real> const& columns) {
  Impl::validate(HostThreads(), refer_to<AnyColumns<Real>>(columns));
}

#define PARHELION_INSTANTIATE(REAL)                                                                    \
  template void validate(Columns<Host, REAL> const&);                                                  \
  template void Impl::validate(HostThreads const&, AnyColumns<REAL> const&);                           \
  template Impl::CheckedColumns<REAL> Impl::check_columns(HostThreads const&, AnyColumns<REAL> const&, \
                                                          Validity const&, OutOfRange);
PARHELION_INSTANTIATE(float)
PARHELION_INSTANTIATE(double)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::fluxes
