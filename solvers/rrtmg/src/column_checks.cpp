// SPDX-License-Identifier: BSD-3-Clause
#include "column_checks.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/rrtmg/host_longwave.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace parhelion::rrtmg {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

constexpr char const* where = "validate";
constexpr char const* not_negative = "a number of at least 0";

/// Values that are not in [lowest, highest], which all threads of the host count.
template <class View>
std::size_t count_outside(View const& view, typename View::value_type lowest, typename View::value_type highest) {
  constexpr std::size_t block = 8192;
  // Counts as wide as the values let the loop run on vectors.
  using Value = typename View::non_const_value_type;
  using Count = std::conditional_t<sizeof(Value) == 8, std::int64_t, std::int32_t>;
  std::size_t const n = view.size();
  auto const* const data = view.data();
  std::size_t bad = 0;
  Kokkos::parallel_reduce(
      "parhelion::rrtmg::count_outside", Kokkos::RangePolicy<Host>(0, (n + block - 1) / block),
      [=](std::size_t b, std::size_t& sum) {
        std::size_t const end = std::min(n, (b + 1) * block);
        Count good = 0;
        for (std::size_t i = b * block; i < end; ++i)
          good += static_cast<Count>(data[i] >= lowest) & static_cast<Count>(data[i] <= highest);
        sum += end - b * block - static_cast<std::size_t>(good);
      },
      bad);
  return bad;
}

/// Refuses the first value out of [lowest, highest].
template <class View>
void check_values(View const& view, char const* name, char const* unit, char const* expected,
                  typename View::value_type lowest,
                  typename View::value_type highest = std::numeric_limits<typename View::value_type>::max()) {
  if (count_outside(view, lowest, highest) > 0)
    expect_values(where, view, name, unit, expected, [=](double x) { return x >= lowest && x <= highest; });
}

// --- what is possible --------------------------------------------------------------------------------------------

template <class Real>
void check_extents(Columns<Host, Real> const& columns) {
  std::size_t const ncol = columns.pressure_lay.extent(0);
  std::size_t const nlay = columns.pressure_lay.extent(1);
  if (ncol < 1 || nlay < 1)
    throw Error(where, fmt::format("pressure_lay has shape ({}, {}), expected at least (1, 1)", ncol, nlay));
  std::size_t const nlev = nlay + 1;
  expect_shape(where, columns.temperature_lay, "temperature_lay", {ncol, nlay});
  expect_shape(where, columns.pressure_lev, "pressure_lev", {ncol, nlev});
  expect_shape(where, columns.temperature_lev, "temperature_lev", {ncol, nlev});
  expect_shape(where, columns.temperature_sfc, "temperature_sfc", {ncol});
  expect_shape(where, columns.emissivity_sfc, "emissivity_sfc",
               {ncol, columns.emissivity_sfc.extent(1) == 1 ? 1 : std::size_t(nbnd)});
  expect_shape(where, columns.mole_ratio, "mole_ratio", {ncol, std::size_t(ngas), nlay});
  if (columns.aerosol.size() > 0) expect_shape(where, columns.aerosol, "aerosol", {ncol, nlay, std::size_t(nbnd)});
}

/// Of what models have ranges for.
template <class Real>
void check_amounts(Columns<Host, Real> const& columns) {
  constexpr Real least = std::numeric_limits<Real>::denorm_min();
  constexpr char const* positive = "a positive number";
  check_values(columns.pressure_lay, "pressure_lay", "Pa", positive, least);
  check_values(columns.pressure_lev, "pressure_lev", "Pa", not_negative, 0);
  check_values(columns.temperature_lay, "temperature_lay", "K", positive, least);
  check_values(columns.temperature_lev, "temperature_lev", "K", positive, least);
  check_values(columns.temperature_sfc, "temperature_sfc", "K", positive, least);
  check_values(columns.mole_ratio, "mole_ratio", "", not_negative, 0);
}

template <class Real>
void check_emissivity_and_aerosol(Columns<Host, Real> const& columns) {
  check_values(columns.emissivity_sfc, "emissivity_sfc", "", "0 to 1", 0, 1);
  check_values(columns.aerosol, "aerosol", "", not_negative, 0);
}

template <class Real>
void check_order(Columns<Host, Real> const& columns) {
  std::size_t const ncol = columns.pressure_lay.extent(0);
  std::size_t const nlay = columns.pressure_lay.extent(1);
  auto const falls = [=](std::size_t c, std::size_t k) {
    return columns.pressure_lev(c, k + 1) < columns.pressure_lev(c, k);
  };
  // A layer may stand for more than its own interfaces enclose, as the halves of a layer that was split do.
  auto const below = [=](std::size_t c, std::size_t k) {
    return k == 0 ? columns.pressure_lev(c, 0) : columns.pressure_lay(c, k - 1);
  };
  auto const lies_within = [=](std::size_t c, std::size_t k) {
    Real const p = columns.pressure_lay(c, k);
    return p <= below(c, k) && p >= columns.pressure_lev(c, nlay);
  };
  std::size_t worst = ncol;
  Kokkos::parallel_reduce(
      "parhelion::rrtmg::check_pressures", Kokkos::RangePolicy<Host>(0, ncol),
      [=](std::size_t c, std::size_t& first) {
        bool good = true;
        for (std::size_t k = 0; k < nlay; ++k) good = good && falls(c, k) && lies_within(c, k);
        if (!good && c < first) first = c;
      },
      Kokkos::Min<std::size_t>(worst));
  if (worst >= ncol) return;
  for (std::size_t k = 0; k < nlay; ++k) {
    if (!falls(worst, k))
      throw Error(where, fmt::format("pressure_lev({}, {}) = {} Pa, expected less than the {} Pa below", worst, k + 1,
                                     columns.pressure_lev(worst, k + 1), columns.pressure_lev(worst, k)));
    if (!lies_within(worst, k))
      throw Error(where, fmt::format("pressure_lay({}, {}) = {} Pa, expected no more than the {} Pa below and no less "
                                     "than the {} Pa at the top",
                                     worst, k, columns.pressure_lay(worst, k), below(worst, k),
                                     columns.pressure_lev(worst, nlay)));
  }
}

// --- where a model is valid --------------------------------------------------------------------------------------

/// \brief Calls action(array, name, unit, range, range_of) for all that models have ranges for.
///
/// What is in `range` is valid whatever the pressure is; range_of(i) is the range of the value i of the array.
template <class Real, class Action>
void walk_ranges(Columns<Host, Real> const& columns, Validity const& validity, Action const& action) {
  auto const everywhere = [](ValidRange range) { return [range](std::size_t) { return range; }; };
  auto const at_pressure = [&](auto const& pressure) {
    auto const* const data = pressure.data();
    return [data, &validity](std::size_t i) { return validity.temperature_at(data[i]); };
  };
  std::size_t const nlev = columns.pressure_lev.extent(1);
  auto const* const surface = columns.pressure_lev.data();
  auto const at_surface = [surface, nlev, &validity](std::size_t c) {
    return validity.temperature_at(surface[c * nlev]);
  };
  // Temperatures first: their ranges are those of pressures that have not been clipped.
  action(columns.temperature_lay, "temperature_lay", "K", validity.temperature, at_pressure(columns.pressure_lay));
  action(columns.temperature_lev, "temperature_lev", "K", validity.temperature, at_pressure(columns.pressure_lev));
  action(columns.temperature_sfc, "temperature_sfc", "K", validity.temperature, at_surface);
  action(columns.pressure_lay, "pressure_lay", "Pa", validity.pressure, everywhere(validity.pressure));
  action(columns.pressure_lev, "pressure_lev", "Pa", validity.pressure, everywhere(validity.pressure));
  action(columns.mole_ratio, "mole_ratio", "", validity.mole_ratio, everywhere(validity.mole_ratio));
}

/// Whether every value is in the range that does not depend on pressure, and possible.
template <class Real>
bool is_well_inside(Columns<Host, Real> const& columns, Validity const& validity) {
  std::size_t outside =
      count_outside(columns.pressure_lay, std::numeric_limits<Real>::denorm_min(), std::numeric_limits<Real>::max());
  walk_ranges(columns, validity, [&](auto const& view, char const*, char const*, ValidRange range, auto const&) {
    outside += count_outside(view, static_cast<Real>(range.lowest), static_cast<Real>(range.highest));
  });
  return outside == 0;
}

/// Calls action(i, range) for each value that is out of its range, in the order of the array.
template <class View, class RangeOf, class Action>
void for_each_outside(View const& view, RangeOf const& range_of, Action const& action) {
  for (std::size_t i = 0; i < view.size(); ++i)
    if (ValidRange const range = range_of(i); !range.contains(static_cast<double>(view.data()[i]))) action(i, range);
}

template <class Real>
OutOfRangeCounts count_out_of_range(Columns<Host, Real> const& columns, Validity const& validity) {
  OutOfRangeCounts counts;
  walk_ranges(columns, validity,
              [&](auto const& view, char const* name, char const*, ValidRange, auto const& range_of) {
                std::size_t n = 0;
                for_each_outside(view, range_of, [&](std::size_t, ValidRange) { ++n; });
                if (n > 0) counts.emplace_back(name, n);
              });
  return counts;
}

template <class Real>
void refuse_out_of_range(Columns<Host, Real> const& columns, Validity const& validity) {
  walk_ranges(columns, validity,
              [](auto const& view, char const* name, char const* unit, ValidRange, auto const& range_of) {
                for_each_outside(view, range_of, [&](std::size_t i, ValidRange range) {
                  parhelion::Impl::refuse_value(
                      where, name, parhelion::Impl::extents_of(view), i, static_cast<double>(view.data()[i]), unit,
                      fmt::format("{:g} to {:g}{}{}", range.lowest, range.highest, *unit == '\0' ? "" : " ", unit));
                });
              });
}

template <class View>
View copy_of(View const& view) {
  View const copy(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(view.label())), view.layout());
  Kokkos::deep_copy(copy, view);
  return copy;
}

template <class Real>
Columns<Host, Real> clipped(Columns<Host, Real> const& columns, Validity const& validity) {
  auto copy = columns;
  copy.temperature_lay = copy_of(columns.temperature_lay);
  copy.temperature_lev = copy_of(columns.temperature_lev);
  copy.temperature_sfc = copy_of(columns.temperature_sfc);
  copy.pressure_lay = copy_of(columns.pressure_lay);
  copy.pressure_lev = copy_of(columns.pressure_lev);
  copy.mole_ratio = copy_of(columns.mole_ratio);
  walk_ranges(copy, validity, [](auto const& view, char const*, char const*, ValidRange, auto const& range_of) {
    for_each_outside(view, range_of, [&](std::size_t i, ValidRange range) {
      view.data()[i] = static_cast<Real>(range.nearest(static_cast<double>(view.data()[i])));
    });
  });
  return copy;
}

}  // namespace

template <Floating Real>
void validate(Columns<Host, Real> const& columns) {
  check_extents(columns);
  check_amounts(columns);
  check_emissivity_and_aerosol(columns);
  check_order(columns);
}

template <class Real>
Impl::CheckedColumns<Real> Impl::check_columns(Columns<Host, Real> const& columns, Validity const& validity,
                                               OutOfRange what_then) {
  CheckedColumns<Real> checked{columns, {}};
  check_extents(columns);
  if (!is_well_inside(columns, validity)) {
    if (what_then == OutOfRange::clip)
      walk_ranges(columns, validity, [](auto const& view, char const* name, char const* unit, ValidRange, auto const&) {
        expect_values(where, view, name, unit, "a finite number", [](double) { return true; });
      });
    else
      check_amounts(columns);  // says more than a range does of what is impossible
    checked.out_of_range = count_out_of_range(columns, validity);
    if (!checked.out_of_range.empty() && what_then == OutOfRange::refuse) refuse_out_of_range(columns, validity);
    if (!checked.out_of_range.empty() && what_then == OutOfRange::clip) checked.columns = clipped(columns, validity);
    check_amounts(checked.columns);
  }
  check_emissivity_and_aerosol(columns);
  check_order(checked.columns);
  return checked;
}

#define PARHELION_INSTANTIATE(REAL)                   \
  template void validate(Columns<Host, REAL> const&); \
  template Impl::CheckedColumns<REAL> Impl::check_columns(Columns<Host, REAL> const&, Validity const&, OutOfRange);
PARHELION_INSTANTIATE(float)
PARHELION_INSTANTIATE(double)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::rrtmg
