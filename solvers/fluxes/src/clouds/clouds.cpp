// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/clouds.hpp>

#include "column_checks.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/arrays.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

namespace parhelion::fluxes {

namespace {

using namespace Impl;

template <class ExecutionSpace, class Real>
void allocate_common(Clouds<ExecutionSpace, Real>& clouds, int ncol, int nlay) {
  auto const field = [&](std::string const& label) { return Array<Real**, ExecutionSpace>(label, ncol, nlay); };
  auto const option = [&](std::string const& label, auto value) {
    Array<int*, ExecutionSpace> const view(label, ncol);
    Kokkos::deep_copy(view, static_cast<int>(value));
    return view;
  };
  clouds.ice_size = field("parhelion::fluxes::ice_size");
  clouds.liquid_size = field("parhelion::fluxes::liquid_size");
  clouds.input = option("parhelion::fluxes::cloud_input", CloudInput::water_path);
  clouds.ice_optics = option("parhelion::fluxes::ice_optics", IceOptics::fu);
  clouds.liquid_optics = option("parhelion::fluxes::liquid_optics", LiquidOptics::hu_stamnes);
}

constexpr double largest = std::numeric_limits<double>::max();

/// The kinds of values that ClippedClouds counts, in its order.
enum Kind { fraction_kind, water_path_kind, size_kind, optical_depth_kind, optical_property_kind, nkind };

/// The name, unit and range of a value of clouds.
struct Quantity {
  char const* name;
  Kind kind;
  char const* unit;
  SizeRange range;
  double factor = 1;  ///< of the value, to have the unit

  bool holds(double value) const {
    double const scaled = value * factor;
    return kind == size_kind ? range.holds(scaled) : scaled >= range.smallest && scaled <= range.largest;
  }
};

/// Whether clouds have properties of scattering.
template <class Set>
constexpr bool scatters = requires(Set const& clouds) {
  clouds.asymmetry_gpt;
};

/// Calls action(quantity, value, position) for every value of a column that counts; the position is (layer), or
/// (layer, g-point). Values that decide whether others count come before them, so that an action may change them.
template <class Calls, class Set, class Action>
void walk_column(Set const& clouds, std::size_t column, CloudFactors const& factors, Action const& action) {
  auto const ice = static_cast<IceOptics>(clouds.ice_optics(column));
  auto const liquid = static_cast<LiquidOptics>(clouds.liquid_optics(column));
  auto const& of_model = factors.sizes;
  Quantity const ice_size{"ice_size", size_kind, "m", of_model ? of_model->ice : size_range(ice), factors.size};
  Quantity const liquid_size{"liquid_size", size_kind, "m", of_model ? of_model->liquid : size_range(liquid),
                             factors.size};
  bool const droplets_have_sizes = of_model || liquid != LiquidOptics::all_bands;
  bool const by_path = clouds.input(column) == static_cast<int>(CloudInput::water_path);
  bool const masked = clouds.has_mask();
  std::size_t const nlay = clouds.ice_size.extent(1);
  for (std::size_t k = 0; k < nlay; ++k) {
    bool has_ice = false;
    bool has_liquid = false;
    if (clouds.of_layers()) {
      auto& fraction = clouds.fraction(column, k);
      action(Quantity{"fraction", fraction_kind, "", {0, 1}}, fraction, std::array{k});
    }
    if (clouds.of_layers() || masked) {
      std::array const at{k};
      auto& ice_path = clouds.ice_path(column, k);
      auto& liquid_path = clouds.liquid_path(column, k);
      action(Quantity{"ice_path", water_path_kind, "kg m-2", {0, largest}, factors.path}, ice_path, at);
      action(Quantity{"liquid_path", water_path_kind, "kg m-2", {0, largest}, factors.path}, liquid_path, at);
    }
    // Clouds are given either for layers or for g-points.
    if (clouds.of_layers()) {
      bool const cloudy = clouds.fraction(column, k) > 0;
      has_ice = cloudy && clouds.ice_path(column, k) > 0;
      has_liquid = cloudy && clouds.liquid_path(column, k) > 0;
    } else {
      for (std::size_t g = 0; g < clouds.fraction_gpt.extent(2); ++g) {
        std::array const at{k, g};
        auto& fraction = clouds.fraction_gpt(column, k, g);
        action(Quantity{"fraction_gpt", fraction_kind, "", {0, 1}}, fraction, at);
        bool const cloudy = fraction > 0 && fraction >= Calls::cloudy_fraction;
        if (masked) {
          has_ice = has_ice || (cloudy && clouds.ice_path(column, k) > 0);
          has_liquid = has_liquid || (cloudy && clouds.liquid_path(column, k) > 0);
        } else if (by_path) {
          auto& ice_path = clouds.ice_path_gpt(column, k, g);
          auto& liquid_path = clouds.liquid_path_gpt(column, k, g);
          action(Quantity{"ice_path_gpt", water_path_kind, "kg m-2", {0, largest}, factors.path}, ice_path, at);
          action(Quantity{"liquid_path_gpt", water_path_kind, "kg m-2", {0, largest}, factors.path}, liquid_path, at);
          has_ice = has_ice || (cloudy && ice_path > 0);
          has_liquid = has_liquid || (cloudy && liquid_path > 0);
        } else {
          auto& depth = clouds.optical_depth_gpt(column, k, g);
          action(Quantity{"optical_depth_gpt", optical_depth_kind, "", {0, largest}}, depth, at);
          if constexpr (scatters<Set>) {
            auto const look = [&](char const* name, auto& value, SizeRange range) {
              action(Quantity{name, optical_property_kind, "", range}, value, at);
            };
            look("single_scattering_albedo_gpt", clouds.single_scattering_albedo_gpt(column, k, g), {0, 1});
            look("asymmetry_gpt", clouds.asymmetry_gpt(column, k, g), {-1, 1});
            look("forward_fraction_gpt", clouds.forward_fraction_gpt(column, k, g), {0, 1});
          }
        }
      }
    }
    std::array const at{k};
    if (has_ice) action(ice_size, clouds.ice_size(column, k), at);
    if (has_liquid && droplets_have_sizes) action(liquid_size, clouds.liquid_size(column, k), at);
  }
}

std::string in_words(SizeRange range) {
  if (range.largest < largest) return fmt::format("{:g} to {:g}", range.smallest, range.largest);
  return fmt::format("a number of at least {:g}", range.smallest);
}

// Columns that a thread checks at a time.
constexpr int block = 16;

std::size_t blocks_of(int ncol) { return static_cast<std::size_t>((ncol + block - 1) / block); }

/// Throws at the first value for which `refuses(quantity, value)` is true; threads check columns in parallel.
template <class Calls, class Real, class Refuses>
void refuse_values(HostThreads const& threads, char const* where, AnyClouds<Calls, Real> const& clouds, int ncol,
                   CloudFactors const& factors, Refuses const& refuses) {
  static std::string const label = "parhelion::fluxes::check_clouds";
  std::atomic<int> first = ncol;
  threads.for_each(label, blocks_of(ncol), [&](std::size_t b) {
    int const begin = static_cast<int>(b) * block;
    for (int column = begin; column < std::min(ncol, begin + block); ++column) {
      bool refused = false;
      walk_column<Calls>(
          clouds, static_cast<std::size_t>(column), factors,
          [&](Quantity const& quantity, Real value, auto const&) { refused = refused || refuses(quantity, value); });
      if (!refused) continue;
      int least = first;
      while (column < least && !first.compare_exchange_weak(least, column)) {
      }
      return;
    }
  });
  int const column = first;
  if (column >= ncol) return;
  walk_column<Calls>(
      clouds, static_cast<std::size_t>(column), factors,
      [&](Quantity const& quantity, Real value, auto const& position) {
        if (!refuses(quantity, value)) return;
        auto const found = quantity.factor == 1 ? fmt::format("{}", value)
                                                : fmt::format("{:.10g}", quantity.factor * static_cast<double>(value));
        throw Error(where,
                    fmt::format("{}({}, {}) = {}{}{}, expected {}", quantity.name, column, fmt::join(position, ", "),
                                found, *quantity.unit == '\0' ? "" : " ", quantity.unit, in_words(quantity.range)));
      });
}

/// Counts values that are out of range and, in a set that may be written, sets them to the nearest end of their range.
template <class Calls, class Set>
ClippedClouds count_or_clip(HostThreads const& threads, Set const& clouds, int ncol, CloudFactors const& factors = {}) {
  static std::string const label = "parhelion::fluxes::clip_clouds";
  std::array<std::atomic<int>, nkind> all = {};
  threads.for_each(label, blocks_of(ncol), [&](std::size_t b) {
    int here[nkind] = {};
    int const begin = static_cast<int>(b) * block;
    for (int column = begin; column < std::min(ncol, begin + block); ++column)
      walk_column<Calls>(clouds, static_cast<std::size_t>(column), factors,
                         [&]<class Value>(Quantity const& quantity, Value& value, auto const&) {
                           if (quantity.holds(value)) return;
                           ++here[quantity.kind];
                           if constexpr (!std::is_const_v<Value>)
                             value = static_cast<Value>(value < quantity.range.smallest ? quantity.range.smallest
                                                                                        : quantity.range.largest);
                         });
    for (std::size_t kind = 0; kind < nkind; ++kind) all[kind] += here[kind];
  });
  return {.fractions = all[fraction_kind],
          .water_paths = all[water_path_kind],
          .sizes = all[size_kind],
          .optical_depths = all[optical_depth_kind],
          .optical_properties = all[optical_property_kind]};
}

template <class View>
void refuse_array(char const* where, View const& view, char const* name, char const* others) {
  if (view.size() > 0) throw Error(where, fmt::format("{} is there, expected none in {}", name, others));
}

}  // namespace

namespace Impl {

template <class Calls, class Real>
void check_frame(char const* where, AnyClouds<Calls, Real> const& clouds, std::size_t ncol, std::size_t nlay,
                 ModelSizes const& sizes) {
  auto const ngpoint = static_cast<std::size_t>(sizes.ngpoint);
  constexpr bool scattering = scatters<AnyClouds<Calls, Real>>;
  // Calls action(view, name) for the optical properties beside the optical depth.
  auto const for_scattering = [&]([[maybe_unused]] auto const& action) {
    if constexpr (scattering) {
      action(clouds.single_scattering_albedo_gpt, "single_scattering_albedo_gpt");
      action(clouds.asymmetry_gpt, "asymmetry_gpt");
      action(clouds.forward_fraction_gpt, "forward_fraction_gpt");
    }
  };
  if (clouds.of_layers() && clouds.of_gpoints())
    throw Error(where, "fraction and fraction_gpt are there, expected clouds either of layers or of g-points");
  if (clouds.of_layers()) {
    expect_shape(where, clouds.fraction, "fraction", {ncol, nlay});
    expect_shape(where, clouds.ice_path, "ice_path", {ncol, nlay});
    expect_shape(where, clouds.liquid_path, "liquid_path", {ncol, nlay});
  } else {
    char const* const others = clouds.of_gpoints() ? "clouds of g-points" : "clouds without fraction";
    if (clouds.has_mask()) {
      expect_shape(where, clouds.ice_path, "ice_path", {ncol, nlay});
      expect_shape(where, clouds.liquid_path, "liquid_path", {ncol, nlay});
    } else {
      refuse_array(where, clouds.ice_path, "ice_path", others);
      refuse_array(where, clouds.liquid_path, "liquid_path", others);
    }
    refuse_array(where, clouds.decorrelation_length, "decorrelation_length", others);
  }
  if (clouds.of_gpoints()) {
    expect_shape(where, clouds.fraction_gpt, "fraction_gpt", {ncol, nlay, ngpoint});
    if (clouds.has_mask()) {
      refuse_array(where, clouds.liquid_path_gpt, "liquid_path_gpt", "clouds of layers with a mask");
      refuse_array(where, clouds.optical_depth_gpt, "optical_depth_gpt", "clouds of layers with a mask");
    } else {
      expect_shape(where, clouds.ice_path_gpt, "ice_path_gpt", {ncol, nlay, ngpoint});
      expect_shape(where, clouds.liquid_path_gpt, "liquid_path_gpt", {ncol, nlay, ngpoint});
    }
    if (clouds.optical_depth_gpt.size() > 0)
      expect_shape(where, clouds.optical_depth_gpt, "optical_depth_gpt", {ncol, nlay, ngpoint});
    for_scattering([&](auto const& view, char const* name) {
      if (clouds.optical_depth_gpt.size() > 0)
        expect_shape(where, view, name, {ncol, nlay, ngpoint});
      else
        refuse_array(where, view, name, "clouds without optical_depth_gpt");
    });
  } else {
    char const* const others = clouds.of_layers() ? "clouds of layers" : "clouds without fraction_gpt";
    refuse_array(where, clouds.ice_path_gpt, "ice_path_gpt", others);
    refuse_array(where, clouds.liquid_path_gpt, "liquid_path_gpt", others);
    refuse_array(where, clouds.optical_depth_gpt, "optical_depth_gpt", others);
    for_scattering([&](auto const& view, char const* name) { refuse_array(where, view, name, others); });
  }
  if (!clouds.any()) return;
  expect_shape(where, clouds.ice_size, "ice_size", {ncol, nlay});
  expect_shape(where, clouds.liquid_size, "liquid_size", {ncol, nlay});
  expect_shape(where, clouds.input, "input", {ncol});
  expect_shape(where, clouds.ice_optics, "ice_optics", {ncol});
  expect_shape(where, clouds.liquid_optics, "liquid_optics", {ncol});

  auto const by_path = static_cast<int>(CloudInput::water_path);
  auto const by_depth = static_cast<int>(CloudInput::optical_depth);
  auto const refuse = [&](char const* name, std::size_t column, int value, char const* expected) {
    throw Error(where, fmt::format("{}({}) = {}, expected {}", name, column, value, expected));
  };
  for (std::size_t c = 0; c < ncol; ++c) {
    int const input = clouds.input(c);
    int const ice = clouds.ice_optics(c);
    int const liquid = clouds.liquid_optics(c);
    if (input != by_path && clouds.of_layers()) refuse("input", c, input, "2 (water paths) in clouds of layers");
    if (input != by_path && input != by_depth)
      refuse("input", c, input,
             scattering ? "0 (optical properties) or 2 (water paths)" : "0 (optical depths) or 2 (water paths)");
    if (input == by_depth && clouds.optical_depth_gpt.size() == 0)
      refuse("input", c, input, "2 (water paths) where there is no optical_depth_gpt");
    if (ice < 0 || ice > 3) refuse("ice_optics", c, ice, "0, 1, 2 or 3");
    if (liquid < 0 || liquid > 1) refuse("liquid_optics", c, liquid, "0 or 1");
    if (Calls::has_all_bands || input != by_path) continue;
    if (ice == static_cast<int>(IceOptics::all_bands))
      refuse("ice_optics", c, ice, "1, 2 or 3, as the shortwave has no optics of all bands");
    if (liquid == static_cast<int>(LiquidOptics::all_bands))
      refuse("liquid_optics", c, liquid, "1, as the shortwave has no optics of all bands");
  }
  if (!clouds.of_layers()) return;
  auto const overlap = static_cast<int>(clouds.overlap);
  if (overlap < static_cast<int>(Overlap::random) || overlap > static_cast<int>(Overlap::exponential_random))
    throw Error(where, fmt::format("overlap = {}, expected 1 to 5", overlap));
  if (!is_exponential(clouds.overlap) || clouds.decorrelation_length.size() == 0) return;
  expect_shape(where, clouds.decorrelation_length, "decorrelation_length", {ncol});
  for (std::size_t c = 0; c < ncol; ++c)
    if (Real const length = clouds.decorrelation_length(c); !(length > 0) || !std::isfinite(length))
      throw Error(where, fmt::format("decorrelation_length({}) = {} m, expected a positive number", c, length));
}

}  // namespace Impl

namespace {

template <class Calls, class Real>
void refuse_what_cannot_be_clipped(HostThreads const& threads, AnyClouds<Calls, Real> const& clouds, int ncol,
                                   CloudFactors const& factors = {}) {
  if (clouds.any())
    refuse_values<Calls, Real>(threads, "clip", clouds, ncol, factors,
                               [](Quantity const&, Real value) { return !std::isfinite(value); });
}

/// The same clouds, their scalars included.
template <class Calls, class Real>
AnyClouds<Calls, Real> any_clouds(OwnClouds<Calls, Real> const& clouds) {
  auto any = refer_to<AnyClouds<Calls, Real>>(clouds);
  any.overlap = clouds.overlap;
  any.seed = clouds.seed;
  any.first_column = clouds.first_column;
  return any;
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Clouds<ExecutionSpace, Real> make_layer_clouds(int ncol, int nlay) {
  using Field = Array<Real**, ExecutionSpace>;
  Clouds<ExecutionSpace, Real> clouds{.fraction = Field("parhelion::fluxes::cloud_fraction", ncol, nlay),
                                      .ice_path = Field("parhelion::fluxes::ice_path", ncol, nlay),
                                      .liquid_path = Field("parhelion::fluxes::liquid_path", ncol, nlay)};
  allocate_common(clouds, ncol, nlay);
  return clouds;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Clouds<ExecutionSpace, Real> make_gpoint_clouds(int ncol, int nlay, bool optical_depth, int ngpoint) {
  using Field = Array<Real***, ExecutionSpace>;
  Clouds<ExecutionSpace, Real> clouds{
      .fraction_gpt = Field("parhelion::fluxes::cloud_fraction_gpt", ncol, nlay, ngpoint),
      .ice_path_gpt = Field("parhelion::fluxes::ice_path_gpt", ncol, nlay, ngpoint),
      .liquid_path_gpt = Field("parhelion::fluxes::liquid_path_gpt", ncol, nlay, ngpoint)};
  if (optical_depth)
    clouds.optical_depth_gpt = Field("parhelion::fluxes::cloud_optical_depth_gpt", ncol, nlay, ngpoint);
  allocate_common(clouds, ncol, nlay);
  return clouds;
}

namespace Impl {

template <class Calls, class Real>
void validate_clouds(HostThreads const& threads, AnyClouds<Calls, Real> const& clouds, int ncol,
                     CloudFactors const& factors) {
  if (clouds.any())
    refuse_values<Calls, Real>(threads, "validate", clouds, ncol, factors, [](Quantity const& quantity, Real value) {
      return !std::isfinite(value) || !quantity.holds(value);
    });
}

template <class Calls, class Real>
bool clip_clouds(HostThreads const& threads, AnyClouds<Calls, Real> const& clouds, int ncol, ClippedClouds& clipped,
                 OwnClouds<Calls, Real>& copy, CloudFactors const& factors) {
  refuse_what_cannot_be_clipped<Calls, Real>(threads, clouds, ncol, factors);
  clipped = {};
  if (!clouds.any() || count_or_clip<Calls>(threads, clouds, ncol, factors).all() == 0) return false;
  copy = {};
  ArrayCopies copies;
  OwnClouds<Calls, Real>::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& its, auto const& other) {
        if (other.size() == 0) return;
        typename View::array_layout layout;
        for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = other.extent(d);
        its = View(Kokkos::view_alloc("parhelion::" + std::string(description.name), Kokkos::WithoutInitializing),
                   layout);
        copies.add(array_ref(other), array_ref(its), {.factor = factors.of(description)});
      },
      copy, clouds);
  copies.run(threads);
  copy.overlap = clouds.overlap;
  copy.seed = clouds.seed;
  copy.first_column = clouds.first_column;
  clipped = count_or_clip<Calls>(threads, copy, ncol, {.sizes = factors.sizes});
  return true;
}

}  // namespace Impl

namespace {

template <class Calls, class Real>
AnyClouds<Calls, Real> checked_frame(char const* where, OwnClouds<Calls, Real> const& clouds, int ncol, int nlay) {
  auto const any = any_clouds<Calls, Real>(clouds);
  check_frame<Calls, Real>(where, any, static_cast<std::size_t>(ncol), static_cast<std::size_t>(nlay), Calls::of_rrtmg);
  return any;
}

template <class Calls, class Real>
void validate_own(OwnClouds<Calls, Real> const& clouds, int ncol, int nlay) {
  validate_clouds<Calls, Real>(HostThreads(), checked_frame<Calls, Real>("validate", clouds, ncol, nlay), ncol);
}

template <class Calls, class Real>
ClippedClouds clip_own(OwnClouds<Calls, Real> const& clouds, int ncol, int nlay) {
  refuse_what_cannot_be_clipped<Calls, Real>(HostThreads(), checked_frame<Calls, Real>("clip", clouds, ncol, nlay),
                                             ncol);
  return clouds.any() ? count_or_clip<Calls>(HostThreads(), clouds, ncol) : ClippedClouds();
}

template <class Calls, class Real>
ClippedClouds count_own(OwnClouds<Calls, Real> const& clouds, int ncol, int nlay) {
  auto const any = checked_frame<Calls, Real>("clip", clouds, ncol, nlay);
  refuse_what_cannot_be_clipped<Calls, Real>(HostThreads(), any, ncol);
  return clouds.any() ? count_or_clip<Calls>(HostThreads(), any, ncol) : ClippedClouds();
}

}  // namespace

template <Floating Real>
void validate(Clouds<Host, Real> const& clouds, int ncol, int nlay) {
  validate_own<LongwaveCalls, Real>(clouds, ncol, nlay);
}

template <Floating Real>
void validate(ShortwaveClouds<Host, Real> const& clouds, int ncol, int nlay) {
  validate_own<ShortwaveCalls, Real>(clouds, ncol, nlay);
}

template <Floating Real>
ClippedClouds clip(Clouds<Host, Real> const& clouds, int ncol, int nlay) {
  return clip_own<LongwaveCalls, Real>(clouds, ncol, nlay);
}

template <Floating Real>
ClippedClouds clip(ShortwaveClouds<Host, Real> const& clouds, int ncol, int nlay) {
  return clip_own<ShortwaveCalls, Real>(clouds, ncol, nlay);
}

template <Floating Real>
ClippedClouds count_to_clip(Clouds<Host, Real> const& clouds, int ncol, int nlay) {
  return count_own<LongwaveCalls, Real>(clouds, ncol, nlay);
}

template <Floating Real>
ClippedClouds count_to_clip(ShortwaveClouds<Host, Real> const& clouds, int ncol, int nlay) {
  return count_own<ShortwaveCalls, Real>(clouds, ncol, nlay);
}

#define PARHELION_INSTANTIATE(SPACE)                                     \
  template Clouds<SPACE, float> make_layer_clouds(int, int);             \
  template Clouds<SPACE, double> make_layer_clouds(int, int);            \
  template Clouds<SPACE, float> make_gpoint_clouds(int, int, bool, int); \
  template Clouds<SPACE, double> make_gpoint_clouds(int, int, bool, int);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

#define PARHELION_INSTANTIATE(CALLS, REAL)                                                                             \
  template void validate(Impl::OwnClouds<CALLS, REAL> const&, int, int);                                               \
  template ClippedClouds clip(Impl::OwnClouds<CALLS, REAL> const&, int, int);                                          \
  template ClippedClouds count_to_clip(Impl::OwnClouds<CALLS, REAL> const&, int, int);                                 \
  template void Impl::validate_clouds<CALLS, REAL>(HostThreads const&, AnyClouds<CALLS, REAL> const&, int,             \
                                                   CloudFactors const&);                                               \
  template void Impl::check_frame<CALLS, REAL>(char const*, AnyClouds<CALLS, REAL> const&, std::size_t, std::size_t,   \
                                               ModelSizes const&);                                                     \
  template bool Impl::clip_clouds<CALLS, REAL>(HostThreads const&, AnyClouds<CALLS, REAL> const&, int, ClippedClouds&, \
                                               OwnClouds<CALLS, REAL>&, CloudFactors const&);
PARHELION_INSTANTIATE(LongwaveCalls, float)
PARHELION_INSTANTIATE(LongwaveCalls, double)
PARHELION_INSTANTIATE(ShortwaveCalls, float)
PARHELION_INSTANTIATE(ShortwaveCalls, double)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::fluxes
