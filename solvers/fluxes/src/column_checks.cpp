// SPDX-License-Identifier: BSD-3-Clause
#include "column_checks.hpp"

#include "aerosol_checks.hpp"
#include "pressure_order.hpp"
#include "solver_constants.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace parhelion::fluxes {

namespace {

using namespace Impl;

constexpr char const* where = "validate";

// --- possible values ---------------------------------------------------------------------------------------------

/// The description of a gas, as an array of its own.
ArrayDescription describe_gas(int gas) {
  return {.name = name_of(static_cast<Gas>(gas)),
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
      for (int gas = 0; gas < static_cast<int>(view.extent(1)); ++gas)
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

bool is_pressure(ArrayDescription const& description) { return description.name.starts_with("pressure_"); }
bool is_temperature(ArrayDescription const& description) { return description.name.starts_with("temperature_"); }

/// Whether models have ranges for an array.
bool has_range_of_model(ArrayDescription const& description) {
  return is_pressure(description) || is_temperature(description) || description.name == "vmr";
}

/// Whether a range has ends that values can be set to.
bool has_nearest(ValueRange const& range) { return range.lowest > ranges::finite.lowest && !range.above_lowest; }

/// Whether impossible values of an array of columns are clipped with Checks::clip.
bool is_clipped(ArrayDescription const& description) {
  return has_nearest(description.range) && !is_pressure(description);
}

template <class View>
constexpr bool of_numbers = std::is_floating_point_v<typename View::non_const_value_type>;

/// The descriptions of the input, and which of its arrays hold integers.
struct Described {
  std::vector<ArrayDescription> descriptions;
  std::vector<bool> integers;
};

template <class Calls>
Described const& described() {
  static Described const all = [] {
    Described found;
    typename Calls::template Input<Host, double> const set;
    std::decay_t<decltype(set)>::for_each_array(
        [&]<class View>(ArrayDescription const& description, View const&) {
          found.descriptions.push_back(description);
          found.integers.push_back(!of_numbers<View>);
        },
        set);
    return found;
  }();
  return all;
}

/// Refuses impossible values in those arrays that models have ranges for, or in the others.
template <class Real, class Set>
void check_amounts(HostThreads const& threads, Set const& columns, bool with_range_of_model, bool by_gas = false) {
  Set::for_each_array(
      [&]<class View>(ArrayDescription const& array_description, View const& array) {
        if constexpr (of_numbers<View>) {
          if (has_range_of_model(array_description) != with_range_of_model) return;
          for_array_or_gases(array_description, array, by_gas,
                             [&](ArrayDescription const& description, auto const& view) {
                               if (any_outside<Real>(threads, description, array_ref(view)))
                                 check_values(where, description, array_ref(view));
                             });
        }
      },
      columns);
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
        [&]<class View>(ArrayDescription const& description, View const& view) {
          if constexpr (of_numbers<View>) {
            std::string_view const name = description.name;
            if (temperatures && name == "temperature_lay" && validity.uses_layers)
              action(description, view, validity.temperature, at_layer);
            if (temperatures && name == "temperature_lev") action(description, view, validity.temperature, at_level);
            if (temperatures && name == "temperature_sfc") action(description, view, validity.temperature, at_surface);
            if (!temperatures && is_pressure(description)) {
              auto const range = name == "pressure_lev" ? validity.pressure_of_levels() : validity.pressure;
              action(description, view, range, everywhere(range));
            }
            if (!temperatures && name == "vmr")
              for_array_or_gases(description, view, by_gas, [&](ArrayDescription const& its, auto const& values) {
                action(its, values, validity.vmr, everywhere(validity.vmr));
              });
          }
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

template <class Set>
OutOfRangeCounts count_out_of_range(Set const& columns, Validity const& validity, bool by_gas) {
  OutOfRangeCounts counts;
  walk_ranges(columns, validity, by_gas,
              [&](ArrayDescription const& description, auto const& view, ValidRange, auto const& range_of) {
                std::size_t n = 0;
                for_each_outside(view, range_of, [&](auto const&, std::size_t, ValidRange) { ++n; });
                if (n > 0) counts.emplace_back(description.name, n);
              });
  return counts;
}

template <class Set>
void refuse_out_of_range(Set const& columns, Validity const& validity, bool by_gas) {
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
template <class Set>
void refuse_not_finite(Set const& columns, Validity const& validity, bool by_gas) {
  walk_ranges(columns, validity, by_gas, [](ArrayDescription description, auto const& view, ValidRange, auto const&) {
    description.range = ranges::finite;
    check_values(where, description, array_ref(view));
  });
}

/// Counts impossible values in those arrays in which these are clipped. What is not finite counts, too, and is to be
/// refused afterwards.
template <class Calls, class Real>
void count_impossible_amounts(HostThreads const& threads, typename Calls::Arrays const& input, int n_gas,
                              OutOfRangeCounts& counts) {
  auto const add = [&](std::string_view name, ConstArrayRef const& array, ValueRange const& range) {
    auto const values = values_in<Real>(range);
    auto const n = count_outside(threads, array, values.lowest, values.highest);
    if (n > 0) counts.emplace_back(name, static_cast<std::size_t>(n));
  };
  auto const& all = described<Calls>();
  auto const ordered = input.in_order();
  for (bool const gases : {true, false})
    for (std::size_t i = 0; i < Calls::Arrays::first_of_clouds; ++i) {
      auto const& description = all.descriptions[i];
      if (all.integers[i] || !is_clipped(description) || (description.name == "vmr") != gases) continue;
      add(description.name, *ordered[i], description.range);
      for (int gas = 0; gases && input.vmr.empty() && gas < n_gas; ++gas)
        add(describe_gas(gas).name, input.gases[static_cast<std::size_t>(gas)], description.range);
    }
}

/// Replaces values outside the range of a model by its nearest end.
template <class Set>
void clip_to_model(Set const& columns, Validity const& validity) {
  walk_ranges(columns, validity, false,
              [](ArrayDescription const&, auto const& view, ValidRange, auto const& range_of) {
                for_each_outside(view, range_of, []<class Real>(Real& value, std::size_t, ValidRange range) {
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

/// Reads arrays of columns into memory of our own, in the units of the columns.
template <class Calls, class Real>
OwnColumns<Calls, Real> copy_of(HostThreads const& threads, typename Calls::Arrays const& input, int n_gas,
                                CheckOptions const& options) {
  OwnColumns<Calls, Real> copy;
  ArrayCopies copies;
  auto const ordered = input.in_order();
  std::size_t number = 0;
  std::decay_t<decltype(copy)>::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& its) {
        std::size_t const i = number++;
        ConstArrayRef const& from = *ordered[i];
        bool const of_gases = description.name == "vmr" && from.empty();
        if (from.empty() && !of_gases) return;
        typename View::array_layout layout;
        for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = static_cast<std::size_t>(from.extents[d]);
        if (of_gases) {
          layout.dimension[0] = static_cast<std::size_t>(input.ncol());
          layout.dimension[1] = static_cast<std::size_t>(n_gas);
          layout.dimension[2] = static_cast<std::size_t>(input.nlay());
        }
        its =
            View(Kokkos::view_alloc("parhelion::fluxes::" + std::string(description.name), Kokkos::WithoutInitializing),
                 layout);
        auto const map = InputChecks<Calls>::map_of(i, description, input, options);
        if (!of_gases) {
          copies.add(from, array_ref(its), map);
          return;
        }
        for (int gas = 0; gas < n_gas; ++gas)
          copies.add(input.gases[static_cast<std::size_t>(gas)], array_ref(its).slice(1, gas), map);
      },
      copy);
  copies.run(threads);
  return copy;
}

/// Arrays of columns or clouds of our own in place of those of the caller.
/// \param first position of the first in in_order()
template <DescribedArrays Set, class Arrays>
void use(Set const& set, std::size_t first, Arrays& input) {
  auto const ordered = input.in_order();
  Set::for_each_array([&](ArrayDescription const&, auto const& view) { *ordered[first++] = array_ref(view); }, set);
}

/// The arrays of clouds of the caller.
template <class Calls, class Real>
AnyClouds<Calls, Real> clouds_of(typename Calls::Arrays const& input) {
  AnyClouds<Calls, Real> clouds;
  auto const ordered = input.in_order();
  std::size_t i = Calls::Arrays::first_of_clouds;
  AnyClouds<Calls, Real>::for_each_array(
      [&]<class View>(ArrayDescription const&, View& view) { view = view_of<View>(*ordered[i++]); }, clouds);
  clouds.overlap = input.overlap;
  clouds.seed = input.seed;
  clouds.first_column = input.first_column;
  return clouds;
}

CloudFactors factors_of(ColumnArrays const& input, std::optional<ParticleSizes> const& sizes = {}) {
  return {input.path_factor, input.size_factor, sizes};
}

/// Whether an array may be absent because something else is given in its place.
bool has_substitute(LongwaveArrays const& input, ArrayDescription const& description) {
  return description.name == "vmr" && input.vmr.empty();
}
bool has_substitute(ShortwaveArrays const& input, ArrayDescription const& description) {
  return (description.name == "vmr" && input.vmr.empty()) ||
         (description.name == "solar_weights" && input.solar_weights.empty());
}

/// Refuses arrays with wrong extents or types.
template <class Calls>
void check_shapes(typename Calls::Arrays const& input, ModelSizes const& sizes) {
  std::int64_t const ncol = input.pressure_lay.extents[0];
  std::int64_t const nlay = input.pressure_lay.extents[1];
  if (input.pressure_lay.rank == 2 && (ncol < 1 || nlay < 1))
    throw ShapeError(where, fmt::format("pressure_lay has shape ({}, {}), expected at least (1, 1)", ncol, nlay));
  Dimensions dimensions = Calls::dimensions(sizes);
  dimensions.set(dimension::column, ncol);
  dimensions.set(dimension::layer, nlay);
  dimensions.set(dimension::level, nlay + 1);
  auto const check_type = [&](std::string_view name, ConstArrayRef const& array) {
    if (!array.empty() && array.type != input.pressure_lay.type)
      throw ShapeError(where, fmt::format("{} has another type than pressure_lay, expected the same", name));
  };
  auto const& all = described<Calls>();
  auto const ordered = input.in_order();
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    auto const& description = all.descriptions[i];
    // Those of clouds are checked with the clouds.
    if (i < Calls::Arrays::first_of_clouds && !has_substitute(input, description))
      parhelion::check_extents(where, description, *ordered[i], dimensions);
    if (!all.integers[i])
      check_type(description.name, *ordered[i]);
    else if (!ordered[i]->empty() && ordered[i]->type != ValueType::int32)
      throw ShapeError(where, fmt::format("{} has numbers of floating point, expected integers", description.name));
  }
  if (!input.vmr.empty()) return;
  for (int gas = 0; gas < sizes.ngas; ++gas) {
    auto const& array = input.gases[static_cast<std::size_t>(gas)];
    if (array.empty()) continue;
    auto const description = describe_gas(gas);
    parhelion::check_extents(where, description, array, dimensions);
    check_type(description.name, array);
  }
}

/// \brief Whether all values of clouds are in ranges that do not depend on each other: a quick look, without which
///        each value would be checked for itself.
template <class Calls, class Real>
void count_clouds(OutsideCounts& counts, typename Calls::Arrays const& input, AnyClouds<Calls, Real> const& clouds,
                  std::optional<ParticleSizes> const& of_model) {
  constexpr double largest_size = std::numeric_limits<double>::max();
  auto const add = [&](ConstArrayRef const& array, ValueRange const& range, double factor = 1) {
    auto const values = values_in<Real>(range, factor);
    if (!array.empty()) counts.add(array, values.lowest, values.highest);
  };
  auto const& all = described<Calls>();
  auto const ordered = input.in_order();
  for (std::size_t i = Calls::Arrays::first_of_clouds; i < ordered.size(); ++i)
    if (auto const& description = all.descriptions[i]; !all.integers[i] && has_nearest(description.range))
      add(*ordered[i], description.range, factors_of(input).of(description));
  // The sizes that are in the ranges of the optics of all columns.
  SizeRange ice{0, largest_size}, droplets{0, largest_size};
  auto const narrow = [](SizeRange& range, SizeRange const& by) {
    range = {std::max(range.smallest, by.smallest), std::min(range.largest, by.largest)};
  };
  if (of_model) ice = of_model->ice, droplets = of_model->liquid;
  for (std::size_t c = 0; !of_model && c < clouds.ice_optics.extent(0); ++c) {
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

void check_parts(char const* its_where, ShortwaveArrays const& input, ModelSizes const& sizes) {
  auto const refuse = [&](std::string const& what) { throw ArgumentError(its_where, what); };
  if (!input.albedo_direct.empty()) expect_albedos(its_where, input.albedo_direct.extents[1], sizes);
  if (input.solar_weights.empty() && !input.sun) refuse("solar_weights is absent, and there is no sun, expected one");
  if (!input.solar_weights.empty() && input.sun) refuse("there are solar_weights and a sun, expected one of both");
  bool const optical = !input.aerosol_optical_depth.empty();
  if (optical == input.aerosol_single_scattering_albedo.empty() || optical == input.aerosol_asymmetry.empty())
    refuse("expected all of aerosol_optical_depth, aerosol_single_scattering_albedo and aerosol_asymmetry, or none");
  if (optical && !input.aerosol_550nm.empty() && input.aerosol_input.empty())
    refuse("there are aerosol_optical_depth and aerosol_550nm, expected aerosol_input to choose between them");
  if (input.of_layers() && is_exponential(input.overlap) && input.temperature_lev.empty())
    refuse("temperature_lev is absent, expected it for clouds of layers that overlap exponentially");
  check_aerosol_parts(its_where, input);
}

void check_parts(char const* its_where, LongwaveArrays const& input, ModelSizes const& sizes) {
  if (!input.emissivity_sfc.empty())
    expect_emissivities(its_where, input.emissivity_sfc.extents[0], input.emissivity_sfc.extents[1], sizes);
  check_aerosol_parts(its_where, input);
}

template <class Calls>
ValueMap InputChecks<Calls>::map_of(std::size_t number, ArrayDescription const& description, Arrays const& input,
                                    CheckOptions const& options) {
  ValueMap map;
  bool const of_cloud = number >= Arrays::first_of_clouds;
  if (of_cloud)
    map.factor = factors_of(input).of(description);
  else if (is_pressure(description))
    map.factor = input.pressure_factor;
  bool const clips = of_cloud
                         ? options.checks != Checks::trust && options.clips_clouds() && has_nearest(description.range)
                         : options.checks == Checks::clip && is_clipped(description);
  if (clips) {
    map.lowest = description.range.lowest;
    if (description.range.highest < ranges::finite.highest) map.highest = description.range.highest;
  }
  return map;
}

template <class Calls>
template <class Real>
auto InputChecks<Calls>::check_of(HostThreads const& threads, Arrays const& input, Validity const& validity,
                                  ModelSizes const& sizes, CheckOptions const& options, typename Calls::Report& report)
    -> Arrays {
  int const ncol = input.ncol();
  int const nlay = input.nlay();
  Arrays used = input;
  AnyClouds<Calls, Real> const clouds = clouds_of<Calls, Real>(input);
  check_frame<Calls, Real>("validate", clouds, static_cast<std::size_t>(ncol), static_cast<std::size_t>(nlay), sizes);
  check_aerosol_input(where, input);
  if (options.checks == Checks::trust) return used;
  check_aerosol_types(where, input);
  std::size_t const sizes_outside =
      validity.particle_sizes
          ? check_aerosol_sizes<Real>(where, input, validity.particle_sizes->aerosol, options.clips_clouds())
          : 0;

  // A quick look at everything. It finds out of range what may not be, and then there is a closer look.
  m_counts.clear();
  auto const add = [&](ConstArrayRef const& array, ValueRange const& range, double factor = 1) {
    auto const values = values_in<Real>(range, factor);
    m_counts.add(array, values.lowest, values.highest);
  };
  auto const of_model = [](ValidRange const& range) {
    return ValueRange{.lowest = range.lowest, .highest = range.highest};
  };
  auto const& all = described<Calls>();
  auto const ordered = input.in_order();
  for (std::size_t i = 0; i < Arrays::first_of_clouds; ++i) {
    auto const& description = all.descriptions[i];
    ConstArrayRef const& array = *ordered[i];
    if (all.integers[i]) continue;
    if (is_pressure(description)) {
      if (description.range.above_lowest) add(array, description.range);
      add(array, of_model(description.name == "pressure_lev" ? validity.pressure_of_levels() : validity.pressure),
          input.pressure_factor);
    } else if (is_temperature(description)) {
      bool const counts = description.name != "temperature_lay" || validity.uses_layers;
      add(array, counts ? of_model(validity.temperature) : description.range);
    } else if (description.name == "vmr") {
      add(array, of_model(validity.vmr));
      if (array.empty())
        for (int gas = 0; gas < sizes.ngas; ++gas)
          add(input.gases[static_cast<std::size_t>(gas)], of_model(validity.vmr));
    } else {
      add(array, description.range);
    }
  }
  std::size_t const of_columns = m_counts.size();
  count_clouds<Calls, Real>(m_counts, input, clouds, validity.particle_sizes);
  m_counts.run(threads);
  std::int64_t outside = 0;
  std::int64_t outside_clouds = 0;
  for (std::size_t i = 0; i < m_counts.size(); ++i) (i < of_columns ? outside : outside_clouds) += m_counts.of(i);

  if (outside > 0) {
    auto& copy = copies<Real>().columns;
    bool const by_gas = input.vmr.empty();
    if (options.checks == Checks::clip)
      count_impossible_amounts<Calls, Real>(threads, input, sizes.ngas, report.out_of_range);
    copy = copy_of<Calls, Real>(threads, input, sizes.ngas, options);
    auto const any = refer_to<AnyColumns<Calls, Real>>(copy);
    if (options.out_of_range == OutOfRange::clip)
      refuse_not_finite(any, validity, by_gas);
    else  // its message says that the value is impossible, not only out of range
      check_amounts<Real>(threads, any, true, by_gas);
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
    check_amounts<Real>(threads, any, true, by_gas);
    check_amounts<Real>(threads, any, false);
    check_pressure_order<Real>(where, threads, any.pressure_lay, any.pressure_lev);
  } else {
    check_pressure_order<Real>(where, threads, view_of<AnyField<Real>>(input.pressure_lay),
                               view_of<AnyField<Real>>(input.pressure_lev), input.pressure_factor);
  }
  if (sizes_outside > 0) {
    auto& sizes = copies<Real>().columns.aerosol_size;
    sizes = clipped_aerosol_sizes<Real>(threads, input, validity.particle_sizes->aerosol);
    used.aerosol_size = array_ref(sizes);
    report.out_of_range.emplace_back("aerosol_size", sizes_outside);
  }
  if (outside_clouds > 0) {
    auto& clipped = copies<Real>().clouds;
    if (!options.clips_clouds()) {
      validate_clouds<Calls, Real>(threads, clouds, ncol, factors_of(input, validity.particle_sizes));
    } else if (Impl::clip_clouds<Calls, Real>(threads, clouds, ncol, report.clipped, clipped,
                                              factors_of(input, validity.particle_sizes))) {
      use(clipped, Arrays::first_of_clouds, used);
      used.path_factor = used.size_factor = 1;
    }
  }
  return used;
}

template <class Calls>
auto InputChecks<Calls>::check(HostThreads const& threads, Arrays const& input, Validity const& validity,
                               ModelSizes const& sizes, CheckOptions const& options, typename Calls::Report& report)
    -> Arrays {
  report.clipped = {};
  report.out_of_range.clear();
  check_shapes<Calls>(input, sizes);
  check_parts(where, input, sizes);
  return input.pressure_lay.type == ValueType::float32
             ? check_of<float>(threads, input, validity, sizes, options, report)
             : check_of<double>(threads, input, validity, sizes, options, report);
}

template class InputChecks<LongwaveCalls>;
template class InputChecks<ShortwaveCalls>;

}  // namespace Impl

namespace {

template <class Calls, class Real>
void validate_columns(OwnColumns<Calls, Real> const& columns, ModelSizes const& sizes) {
  HostThreads const threads;
  auto const any = refer_to<AnyColumns<Calls, Real>>(columns);
  auto const arrays = arrays_of(columns, OwnClouds<Calls, Real>());
  check_shapes<Calls>(arrays, sizes);
  check_parts(where, arrays, sizes);
  check_aerosol_input(where, arrays);
  check_aerosol_types(where, arrays);
  check_amounts<Real>(threads, any, true);
  check_amounts<Real>(threads, any, false);
  check_pressure_order<Real>(where, threads, any.pressure_lay, any.pressure_lev);
}

}  // namespace

template <Floating Real>
void validate(Columns<Host, Real> const& columns, ModelSizes const& sizes) {
  validate_columns<LongwaveCalls, Real>(columns, sizes);
}

template <Floating Real>
void validate(ShortwaveColumns<Host, Real> const& columns, ModelSizes const& sizes) {
  validate_columns<ShortwaveCalls, Real>(columns, sizes);
}

template void validate(Columns<Host, float> const&, ModelSizes const&);
template void validate(Columns<Host, double> const&, ModelSizes const&);
template void validate(ShortwaveColumns<Host, float> const&, ModelSizes const&);
template void validate(ShortwaveColumns<Host, double> const&, ModelSizes const&);

}  // namespace parhelion::fluxes
