// SPDX-License-Identifier: BSD-3-Clause
#include "column_checks.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace parhelion::fluxes {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Impl::AnyClouds;
using Impl::AnyColumns;
using Impl::CheckOptions;

constexpr char const* where = "validate";

// --- possible values ---------------------------------------------------------------------------------------------

/// The description of a gas, as an array of its own.
ArrayDescription describe_gas(int gas) {
  constexpr std::array<std::string_view, ngas> names{"h2o", "co2",  "o3",    "n2o",   "co",   "ch4",
                                                     "o2",  "ccl4", "cfc11", "cfc12", "cfc22"};
  return {.name = names.at(static_cast<std::size_t>(gas)),
          .unit = "1",
          .meaning = "moles of gas per mole of dry air",
          .dimensions = {dimension::column, dimension::layer},
          .range = ranges::not_negative,
          .optional = true};
}

/// \brief Calls action(description, view) for an array, or, for mole ratios that were given gas by gas, for those of
/// each.
template <class View, class Action>
void for_array_or_gases(ArrayDescription const& description, View const& view, bool by_gas, Action const& action) {
  if constexpr (View::rank() == 3) {
    if (by_gas && description.name == "vmr") {
      for (int gas = 0; gas < ngas; ++gas)
        action(describe_gas(gas), Kokkos::subview(view, Kokkos::ALL, gas, Kokkos::ALL));
      return;
    }
  }
  action(description, view);
}

/// The values of an array in its own precision that are in a range.
struct OfArray {
  double lowest, highest;
};

template <class Real>
OfArray values_in(ValueRange const& range, double factor = 1) {
  return {.lowest = range.above_lowest
                        ? static_cast<double>(std::numeric_limits<Real>::denorm_min())
                        : std::max(range.lowest / factor, static_cast<double>(std::numeric_limits<Real>::lowest())),
          .highest = std::min(range.highest / factor, static_cast<double>(std::numeric_limits<Real>::max()))};
}

template <class Real>
bool any_outside(HostThreads const& threads, ArrayDescription const& description, ConstArrayRef const& array) {
  auto const values = values_in<Real>(description.range);
  return count_outside(threads, array, values.lowest, values.highest) > 0;
}

/// Whether models have ranges for an array.
bool has_range_of_model(ArrayDescription const& description) {
  return description.name != "emissivity_sfc" && description.name != "aerosol";
}

/// Refuses impossible values in those arrays that models have ranges for, or in the others.
template <class Real>
void check_amounts(HostThreads const& threads, AnyColumns<Real> const& columns, bool with_range_of_model,
                   bool by_gas = false) {
  AnyColumns<Real>::for_each_array(
      [&](ArrayDescription const& array_description, auto const& array) {
        if (has_range_of_model(array_description) != with_range_of_model) return;
        for_array_or_gases(array_description, array, by_gas,
                           [&](ArrayDescription const& description, auto const& view) {
                             if (any_outside<Real>(threads, description, array_ref(view)))
                               check_values(where, description, array_ref(view));
                           });
      },
      columns);
}

template <class Real>
void check_order(HostThreads const& threads, AnyColumns<Real> const& columns, double factor = 1) {
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
  static std::string const label = "parhelion::fluxes::check_pressures";
  threads.for_each(label, static_cast<std::size_t>((ncol + block - 1) / block), [&](std::size_t b) {
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
  auto const in_pascal = [factor](Real pressure) {
    return factor == 1 ? fmt::format("{}", pressure) : fmt::format("{}", factor * static_cast<double>(pressure));
  };
  for (int k = 0; k < nlay; ++k) {
    if (!falls(c, k))
      throw Error(where, fmt::format("pressure_lev({}, {}) = {} Pa, expected less than the {} Pa below", c, k + 1,
                                     in_pascal(pressure_lev(c, k + 1)), in_pascal(pressure_lev(c, k))));
    if (!lies_within(c, k))
      throw Error(where, fmt::format("pressure_lay({}, {}) = {} Pa, expected no more than the {} Pa below and no less "
                                     "than the {} Pa at the top",
                                     c, k, in_pascal(pressure_lay(c, k)), in_pascal(below(c, k)),
                                     in_pascal(pressure_lev(c, nlay))));
  }
}

// --- where a model is valid --------------------------------------------------------------------------------------

/// \brief Calls action(description, view, range, range_of) for all arrays that models have ranges for.
///
/// What is in `range` is valid whatever the pressure is; range_of(column, k) is the range of a value of the layer or
/// level k.
template <class Set, class Action>
void walk_ranges(Set const& columns, Validity const& validity, bool by_gas, Action const& action) {
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
          if (!temperatures && name == "vmr")
            for_array_or_gases(description, view, by_gas, [&](ArrayDescription const& its, auto const& values) {
              action(its, values, validity.vmr, everywhere(validity.vmr));
            });
        },
        columns);
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
OutOfRangeCounts count_out_of_range(AnyColumns<Real> const& columns, Validity const& validity, bool by_gas) {
  OutOfRangeCounts counts;
  walk_ranges(columns, validity, by_gas,
              [&](ArrayDescription const& description, auto const& view, ValidRange, auto const& range_of) {
                std::size_t n = 0;
                for_each_outside(view, range_of, [&](auto const&, std::size_t, ValidRange) { ++n; });
                if (n > 0) counts.emplace_back(description.name, n);
              });
  return counts;
}

template <class Real>
void refuse_out_of_range(AnyColumns<Real> const& columns, Validity const& validity, bool by_gas) {
  walk_ranges(columns, validity, by_gas,
              [](ArrayDescription const& description, auto const& view, ValidRange, auto const& range_of) {
                std::string const unit(description.unit == "1" ? "" : description.unit);
                for_each_outside(view, range_of, [&](auto const& value, std::size_t position, ValidRange range) {
                  parhelion::Impl::refuse_value(
                      where, description.name, parhelion::Impl::extents_of(view), position, static_cast<double>(value),
                      unit,
                      fmt::format("{:g} to {:g}{}{}", range.lowest, range.highest, unit.empty() ? "" : " ", unit));
                });
              });
}

/// Refuses values that are not finite, which cannot be clipped.
template <class Real>
void refuse_not_finite(AnyColumns<Real> const& columns, Validity const& validity, bool by_gas) {
  walk_ranges(columns, validity, by_gas, [](ArrayDescription description, auto const& view, ValidRange, auto const&) {
    description.range = ranges::finite;
    check_values(where, description, array_ref(view));
  });
}

/// Counts values below 0, and emissivities above 1, in those arrays in which these are clipped. What is not finite
/// counts, too, and is to be refused afterwards.
template <class Real>
void count_impossible_amounts(HostThreads const& threads, LongwaveArrays const& input, OutOfRangeCounts& counts) {
  auto const add = [&](std::string_view name, ConstArrayRef const& array, ValueRange const& range) {
    auto const values = values_in<Real>(range);
    auto const n = count_outside(threads, array, values.lowest, values.highest);
    if (n > 0) counts.emplace_back(name, static_cast<std::size_t>(n));
  };
  add("vmr", input.vmr, ranges::not_negative);
  for (int gas = 0; input.vmr.empty() && gas < ngas; ++gas)
    add(describe_gas(gas).name, input.gases[static_cast<std::size_t>(gas)], ranges::not_negative);
  add("emissivity_sfc", input.emissivity_sfc, ranges::zero_to_one);
  add("aerosol", input.aerosol, ranges::not_negative);
}

/// Replaces values outside the range of a model by its nearest end.
template <class Real>
void clip_to_model(Columns<Host, Real> const& columns, Validity const& validity) {
  walk_ranges(columns, validity, false,
              [](ArrayDescription const&, auto const& view, ValidRange, auto const& range_of) {
                for_each_outside(view, range_of, [](auto& value, std::size_t, ValidRange range) {
                  value = static_cast<Real>(range.nearest(static_cast<double>(value)));
                });
              });
}

/// A View of an array of the caller.
template <class View>
View view_of(ConstArrayRef const& array) {
  if (array.empty()) return {};
  Kokkos::LayoutStride layout;
  for (std::size_t d = 0; d < View::rank(); ++d) {
    layout.dimension[d] = static_cast<std::size_t>(array.extents[d]);
    layout.stride[d] = static_cast<std::size_t>(array.strides[d]);
  }
  return View(static_cast<typename View::pointer_type>(array.data), layout);
}

/// Reads arrays of columns into memory of our own, in the units of Columns.
template <class Real>
Columns<Host, Real> copy_of(HostThreads const& threads, LongwaveArrays const& input, CheckOptions const& options) {
  int const ncol = input.ncol();
  int const nlay = input.nlay();
  auto const copy =
      make_columns<Host, Real>(ncol, nlay, static_cast<int>(input.emissivity_sfc.extents[1]), !input.aerosol.empty());
  ArrayCopies copies;
  auto const add = [&](ConstArrayRef const& from, auto const& to, ValueMap const& map = {}) {
    if (!from.empty()) copies.add(from, array_ref(to), map);
  };
  ValueMap const amounts{.lowest = options.checks == Checks::clip ? 0 : ValueMap().lowest};
  ValueMap const pressures{.factor = input.pressure_factor};
  add(input.pressure_lay, copy.pressure_lay, pressures);
  add(input.pressure_lev, copy.pressure_lev, pressures);
  add(input.temperature_lay, copy.temperature_lay);
  add(input.temperature_lev, copy.temperature_lev);
  add(input.temperature_sfc, copy.temperature_sfc);
  ValueMap emissivities = amounts;
  if (options.checks == Checks::clip) emissivities.highest = 1;
  add(input.emissivity_sfc, copy.emissivity_sfc, emissivities);
  add(input.aerosol, copy.aerosol, amounts);
  if (!input.vmr.empty())
    add(input.vmr, copy.vmr, amounts);
  else
    for (int gas = 0; gas < ngas; ++gas)
      if (auto const& from = input.gases[static_cast<std::size_t>(gas)]; !from.empty())
        copies.add(from, array_ref(copy.vmr).slice(1, gas), amounts);
  copies.run(threads);
  return copy;
}

/// Arrays of columns or clouds of our own in place of those of the caller.
/// \param first position of the first in LongwaveArrays::in_order()
template <DescribedArrays Set>
void use(Set const& set, std::size_t first, LongwaveArrays& input) {
  auto const ordered = input.in_order();
  Set::for_each_array([&](ArrayDescription const&, auto const& view) { *ordered[first++] = array_ref(view); }, set);
}

/// The arrays of clouds of the caller.
template <class Real>
AnyClouds<Real> clouds_of(LongwaveArrays const& input) {
  AnyClouds<Real> clouds;
  auto const ordered = input.in_order();
  std::size_t i = LongwaveArrays::first_of_clouds;
  AnyClouds<Real>::for_each_array(
      [&]<class View>(ArrayDescription const&, View& view) { view = view_of<View>(*ordered[i++]); }, clouds);
  clouds.overlap = input.overlap;
  clouds.seed = input.seed;
  clouds.first_column = input.first_column;
  return clouds;
}

Impl::CloudFactors factors_of(LongwaveArrays const& input) { return {input.path_factor, input.size_factor}; }

/// Refuses arrays with wrong extents or types.
void check_shapes(LongwaveArrays const& input) {
  std::int64_t const ncol = input.pressure_lay.extents[0];
  std::int64_t const nlay = input.pressure_lay.extents[1];
  if (input.pressure_lay.rank == 2 && (ncol < 1 || nlay < 1))
    throw ShapeError(where, fmt::format("pressure_lay has shape ({}, {}), expected at least (1, 1)", ncol, nlay));
  Dimensions dimensions{{dimension::column, ncol},
                        {dimension::layer, nlay},
                        {dimension::level, nlay + 1},
                        {dimension::gas, ngas},
                        {dimension::band, nbnd}};
  auto const check_type = [&](std::string_view name, ConstArrayRef const& array) {
    if (!array.empty() && array.type != input.pressure_lay.type)
      throw ShapeError(where, fmt::format("{} has another type than pressure_lay, expected the same", name));
  };
  bool const of_gases = input.vmr.empty();
  static auto const descriptions = descriptions_of<LongwaveInput<Host, double>>();
  auto const ordered = input.in_order();
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    auto const& description = descriptions[i];
    // Those of clouds are checked with the clouds.
    if (i < LongwaveArrays::first_of_clouds && !(of_gases && description.name == "vmr"))
      parhelion::check_extents(where, description, *ordered[i], dimensions);
    if (i < LongwaveArrays::first_of_integers)
      check_type(description.name, *ordered[i]);
    else if (!ordered[i]->empty() && ordered[i]->type != ValueType::int32)
      throw ShapeError(where, fmt::format("{} has numbers of floating point, expected integers", description.name));
  }
  if (!of_gases) return;
  for (int gas = 0; gas < ngas; ++gas) {
    auto const& array = input.gases[static_cast<std::size_t>(gas)];
    if (array.empty()) continue;
    auto const description = describe_gas(gas);
    parhelion::check_extents(where, description, array, dimensions);
    check_type(description.name, array);
  }
}

/// \brief Whether all values of clouds are in ranges that do not depend on each other: a quick look, without which
///        each value would be checked for itself.
template <class Real>
void count_clouds(OutsideCounts& counts, LongwaveArrays const& input, AnyClouds<Real> const& clouds) {
  constexpr double largest_size = std::numeric_limits<double>::max();
  auto const add = [&](ConstArrayRef const& array, ValueRange const& range, double factor = 1) {
    auto const values = values_in<Real>(range, factor);
    if (!array.empty()) counts.add(array, values.lowest, values.highest);
  };
  for (auto const* array : {&input.fraction, &input.fraction_gpt}) add(*array, ranges::zero_to_one);
  for (auto const* array : {&input.ice_path, &input.liquid_path, &input.ice_path_gpt, &input.liquid_path_gpt})
    add(*array, ranges::not_negative, input.path_factor);
  add(input.optical_depth_gpt, ranges::not_negative);
  // The sizes that are in the ranges of the optics of all columns.
  SizeRange ice{0, largest_size}, droplets{0, largest_size};
  auto const narrow = [](SizeRange& range, SizeRange const& by) {
    range = {std::max(range.smallest, by.smallest), std::min(range.largest, by.largest)};
  };
  for (std::size_t c = 0; c < clouds.ice_optics.extent(0); ++c) {
    narrow(ice, size_range(static_cast<IceOptics>(clouds.ice_optics(c))));
    narrow(droplets, size_range(static_cast<LiquidOptics>(clouds.liquid_optics(c))));
  }
  auto const add_sizes = [&](ConstArrayRef const& array, SizeRange const& range) {
    double const slack = 1 - SizeRange::tolerance;
    add(array, {.lowest = range.smallest * slack, .highest = range.largest / slack}, input.size_factor);
  };
  add_sizes(input.ice_size, ice);
  add_sizes(input.liquid_size, droplets);
}

}  // namespace

namespace Impl {

ValueMap InputChecks::map_of(std::size_t number, ArrayDescription const& description, LongwaveArrays const& input,
                             CheckOptions const& options) {
  ValueMap map;
  std::string_view const name = description.name;
  if (name == "pressure_lay" || name == "pressure_lev")
    map.factor = input.pressure_factor;
  else
    map.factor = factors_of(input).of(description);
  bool const clips_amounts =
      options.checks == Checks::clip && (name == "vmr" || name == "aerosol" || name == "emissivity_sfc");
  bool const clips_cloud = options.checks != Checks::trust && options.clips_clouds() &&
                           number >= LongwaveArrays::first_of_clouds && description.range.lowest == 0 &&
                           !description.range.above_lowest;
  if (clips_amounts || clips_cloud) {
    map.lowest = description.range.lowest;
    if (description.range.highest == 1) map.highest = 1;
  }
  return map;
}

template <class Real>
LongwaveArrays InputChecks::check_of(HostThreads const& threads, LongwaveArrays const& input, Validity const& validity,
                                     CheckOptions const& options, HostLongwaveReport& report) {
  int const ncol = input.ncol();
  int const nlay = input.nlay();
  LongwaveArrays used = input;
  AnyClouds<Real> const clouds = clouds_of<Real>(input);
  check_frame("validate", clouds, static_cast<std::size_t>(ncol), static_cast<std::size_t>(nlay));
  if (options.checks == Checks::trust) return used;

  // A quick look at everything. It finds out of range what may not be, and then there is a closer look.
  m_counts.clear();
  auto const add = [&](ConstArrayRef const& array, ValueRange const& range, double factor = 1) {
    auto const values = values_in<Real>(range, factor);
    m_counts.add(array, values.lowest, values.highest);
  };
  auto const of_model = [](ValidRange const& range) {
    return ValueRange{.lowest = range.lowest, .highest = range.highest};
  };
  add(input.pressure_lay, ranges::positive);
  add(input.pressure_lay, of_model(validity.pressure), input.pressure_factor);
  add(input.pressure_lev, of_model(validity.pressure), input.pressure_factor);
  add(input.temperature_lay, of_model(validity.temperature));
  add(input.temperature_lev, of_model(validity.temperature));
  add(input.temperature_sfc, of_model(validity.temperature));
  add(input.vmr, of_model(validity.vmr));
  if (input.vmr.empty())
    for (auto const& gas : input.gases) add(gas, of_model(validity.vmr));
  add(input.emissivity_sfc, ranges::zero_to_one);
  add(input.aerosol, ranges::not_negative);
  std::size_t const of_columns = m_counts.size();
  count_clouds(m_counts, input, clouds);
  m_counts.run(threads);
  std::int64_t outside = 0;
  std::int64_t outside_clouds = 0;
  for (std::size_t i = 0; i < m_counts.size(); ++i) (i < of_columns ? outside : outside_clouds) += m_counts.of(i);

  Columns<Host, Real>& copy = [this]() -> Columns<Host, Real>& {
    if constexpr (std::is_same_v<Real, float>)
      return m_float_columns;
    else
      return m_double_columns;
  }();
  if (outside > 0) {
    bool const by_gas = input.vmr.empty();
    if (options.checks == Checks::clip) count_impossible_amounts<Real>(threads, input, report.out_of_range);
    copy = copy_of<Real>(threads, input, options);
    auto const any = refer_to<AnyColumns<Real>>(copy);
    if (options.out_of_range == OutOfRange::clip)
      refuse_not_finite(any, validity, by_gas);
    else
      check_amounts(threads, any, true,
                    by_gas);  // its message says that the value is impossible, not only out of range
    auto const of_model_range = count_out_of_range(any, validity, by_gas);
    if (!of_model_range.empty() && options.out_of_range == OutOfRange::refuse)
      refuse_out_of_range(any, validity, by_gas);
    if (!of_model_range.empty() && options.out_of_range == OutOfRange::clip) {
      clip_to_model(copy, validity);
      use(copy, 0, used);
      used.gases = {};
      used.pressure_factor = 1;
    }
    for (auto const& count : of_model_range) report.out_of_range.push_back(count);
    check_amounts(threads, any, true, by_gas);
    check_amounts(threads, any, false);
    check_order(threads, any);
  } else {
    AnyColumns<Real> pressures;
    pressures.pressure_lay = view_of<decltype(pressures.pressure_lay)>(input.pressure_lay);
    pressures.pressure_lev = view_of<decltype(pressures.pressure_lev)>(input.pressure_lev);
    check_order(threads, pressures, input.pressure_factor);
  }
  if (outside_clouds > 0) {
    Clouds<Host, Real>& clipped = [this]() -> Clouds<Host, Real>& {
      if constexpr (std::is_same_v<Real, float>)
        return m_float_clouds;
      else
        return m_double_clouds;
    }();
    if (!options.clips_clouds()) {
      validate(threads, clouds, ncol, nlay, factors_of(input));
    } else if (clip(threads, clouds, ncol, nlay, report.clipped, clipped, factors_of(input))) {
      use(clipped, LongwaveArrays::first_of_clouds, used);
      used.path_factor = used.size_factor = 1;
    }
  }
  return used;
}

LongwaveArrays InputChecks::check(HostThreads const& threads, LongwaveArrays const& input, Validity const& validity,
                                  CheckOptions const& options, HostLongwaveReport& report) {
  report.clipped = {};
  report.out_of_range.clear();
  check_shapes(input);
  return input.pressure_lay.type == ValueType::float32 ? check_of<float>(threads, input, validity, options, report)
                                                       : check_of<double>(threads, input, validity, options, report);
}

}  // namespace Impl

template <Floating Real>
void validate(Columns<Host, Real> const& columns) {
  HostThreads const threads;
  auto const any = refer_to<AnyColumns<Real>>(columns);
  check_shapes(arrays_of(columns, Clouds<Host, Real>()));
  check_amounts(threads, any, true);
  check_amounts(threads, any, false);
  check_order(threads, any);
}

template void validate(Columns<Host, float> const&);
template void validate(Columns<Host, double> const&);

}  // namespace parhelion::fluxes
