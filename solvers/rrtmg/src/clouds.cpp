// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/rrtmg/clouds.hpp>

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/rrtmg/bands.hpp>
#include <parhelion/rrtmg/cloud_optics.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace parhelion::rrtmg {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
template <class Real>
using CloudsOnHost = Clouds<Host, Real>;

template <class ExecutionSpace, class Real>
void allocate_common(Clouds<ExecutionSpace, Real>& clouds, int ncol, int nlay) {
  auto const field = [&](std::string const& label) { return Array<Real**, ExecutionSpace>(label, ncol, nlay); };
  auto const option = [&](std::string const& label, auto value) {
    Array<int*, ExecutionSpace> const view(label, ncol);
    Kokkos::deep_copy(view, static_cast<int>(value));
    return view;
  };
  clouds.ice_size = field("parhelion::rrtmg::ice_size");
  clouds.liquid_size = field("parhelion::rrtmg::liquid_size");
  clouds.input = option("parhelion::rrtmg::cloud_input", CloudInput::water_path);
  clouds.ice_optics = option("parhelion::rrtmg::ice_optics", IceOptics::fu);
  clouds.liquid_optics = option("parhelion::rrtmg::liquid_optics", LiquidOptics::hu_stamnes);
}

constexpr double largest = std::numeric_limits<double>::max();

/// What ClippedClouds tells apart, in its order.
enum Kind { fraction_kind, water_path_kind, size_kind, optical_depth_kind, nkind };

/// What a value of clouds is and may be.
struct Quantity {
  char const* name;
  Kind kind;
  char const* unit;
  SizeRange range;
};

/// Calls action(quantity, value, position) for every value of a column that counts; the position is (layer), or
/// (layer, g-point). What decides whether others count comes before them, so that an action may change it.
template <class Real, class Action>
void walk_column(CloudsOnHost<Real> const& clouds, std::size_t column, Action const& action) {
  auto const ice = static_cast<IceOptics>(clouds.ice_optics(column));
  auto const liquid = static_cast<LiquidOptics>(clouds.liquid_optics(column));
  Quantity const ice_size{"ice_size", size_kind, "um", size_range(ice)};
  Quantity const liquid_size{"liquid_size", size_kind, "um", size_range(liquid)};
  bool const by_path = clouds.input(column) == static_cast<int>(CloudInput::water_path);
  std::size_t const nlay = clouds.ice_size.extent(1);
  for (std::size_t k = 0; k < nlay; ++k) {
    bool has_ice = false;
    bool has_liquid = false;
    // At most one of both loops has anything to go through.
    if (clouds.of_layers()) {
      std::array const at{k};
      Real& fraction = clouds.fraction(column, k);
      Real& ice_path = clouds.ice_path(column, k);
      Real& liquid_path = clouds.liquid_path(column, k);
      action(Quantity{"fraction", fraction_kind, "", {0, 1}}, fraction, at);
      action(Quantity{"ice_path", water_path_kind, "g m-2", {0, largest}}, ice_path, at);
      action(Quantity{"liquid_path", water_path_kind, "g m-2", {0, largest}}, liquid_path, at);
      has_ice = fraction > 0 && ice_path > 0;
      has_liquid = fraction > 0 && liquid_path > 0;
    } else {
      for (std::size_t g = 0; g < clouds.fraction_gpt.extent(2); ++g) {
        std::array const at{k, g};
        Real& fraction = clouds.fraction_gpt(column, k, g);
        action(Quantity{"fraction_gpt", fraction_kind, "", {0, 1}}, fraction, at);
        if (by_path) {
          Real& ice_path = clouds.ice_path_gpt(column, k, g);
          Real& liquid_path = clouds.liquid_path_gpt(column, k, g);
          action(Quantity{"ice_path_gpt", water_path_kind, "g m-2", {0, largest}}, ice_path, at);
          action(Quantity{"liquid_path_gpt", water_path_kind, "g m-2", {0, largest}}, liquid_path, at);
          has_ice = has_ice || (fraction >= 1 && ice_path > 0);
          has_liquid = has_liquid || (fraction >= 1 && liquid_path > 0);
        } else {
          Real& depth = clouds.optical_depth_gpt(column, k, g);
          action(Quantity{"optical_depth_gpt", optical_depth_kind, "", {0, largest}}, depth, at);
        }
      }
    }
    std::array const at{k};
    if (has_ice) action(ice_size, clouds.ice_size(column, k), at);
    if (has_liquid && liquid != LiquidOptics::all_bands) action(liquid_size, clouds.liquid_size(column, k), at);
  }
}

std::string in_words(SizeRange range) {
  if (range.largest < largest) return fmt::format("{:g} to {:g}", range.smallest, range.largest);
  return fmt::format("a number of at least {:g}", range.smallest);
}

/// Throws at the first value of which `refuses(quantity, value)` holds; all columns are looked at at the same time.
template <class Real, class Refuses>
void refuse_values(char const* where, CloudsOnHost<Real> const& clouds, int ncol, Refuses const& refuses) {
  int first = ncol;
  Kokkos::parallel_reduce(
      "parhelion::rrtmg::check_clouds", Kokkos::RangePolicy<Host>(0, ncol),
      [&](int column, int& least) {
        bool refused = false;
        walk_column(clouds, column, [&](Quantity const& quantity, Real value, auto const&) {
          refused = refused || refuses(quantity, value);
        });
        if (refused && column < least) least = column;
      },
      Kokkos::Min<int>(first));
  if (first >= ncol) return;
  walk_column(clouds, first, [&](Quantity const& quantity, Real value, auto const& position) {
    if (refuses(quantity, value))
      throw Error(
          where, fmt::format("{}({}, {}) = {}{}{}, expected {}", quantity.name, first, fmt::join(position, ", "), value,
                             *quantity.unit == '\0' ? "" : " ", quantity.unit, in_words(quantity.range)));
  });
}

/// Counts what is out of range, and brings it to the nearest end of the range where `changes`.
template <class Real>
ClippedClouds count_or_clip(CloudsOnHost<Real> const& clouds, int ncol, bool changes) {
  ClippedClouds all;
  Kokkos::parallel_reduce(
      "parhelion::rrtmg::clip_clouds", Kokkos::RangePolicy<Host>(0, ncol),
      [&](int column, int& fractions, int& water_paths, int& sizes, int& optical_depths) {
        int here[nkind] = {};
        walk_column(clouds, column, [&](Quantity const& quantity, Real& value, auto const&) {
          if (quantity.range.holds(value)) return;
          ++here[quantity.kind];
          if (changes)
            value =
                static_cast<Real>(value < quantity.range.smallest ? quantity.range.smallest : quantity.range.largest);
        });
        fractions += here[fraction_kind];
        water_paths += here[water_path_kind];
        sizes += here[size_kind];
        optical_depths += here[optical_depth_kind];
      },
      all.fractions, all.water_paths, all.sizes, all.optical_depths);
  return all;
}

template <class View>
void refuse_array(char const* where, View const& view, char const* name, char const* others) {
  if (view.size() > 0) throw Error(where, fmt::format("{} is there, expected none in {}", name, others));
}

/// Refuses what is wrong with extents and options, which no clipping can help.
template <class Real>
void check_frame(char const* where, CloudsOnHost<Real> const& clouds, std::size_t ncol, std::size_t nlay) {
  if (clouds.of_layers() && clouds.of_gpoints())
    throw Error(where, "fraction and fraction_gpt are there, expected clouds either of layers or of g-points");
  if (clouds.of_layers()) {
    expect_shape(where, clouds.fraction, "fraction", {ncol, nlay});
    expect_shape(where, clouds.ice_path, "ice_path", {ncol, nlay});
    expect_shape(where, clouds.liquid_path, "liquid_path", {ncol, nlay});
  } else {
    char const* const others = clouds.of_gpoints() ? "clouds of g-points" : "clouds without fraction";
    refuse_array(where, clouds.ice_path, "ice_path", others);
    refuse_array(where, clouds.liquid_path, "liquid_path", others);
    refuse_array(where, clouds.decorrelation_length, "decorrelation_length", others);
  }
  if (clouds.of_gpoints()) {
    expect_shape(where, clouds.fraction_gpt, "fraction_gpt", {ncol, nlay, std::size_t(ngpt)});
    expect_shape(where, clouds.ice_path_gpt, "ice_path_gpt", {ncol, nlay, std::size_t(ngpt)});
    expect_shape(where, clouds.liquid_path_gpt, "liquid_path_gpt", {ncol, nlay, std::size_t(ngpt)});
    if (clouds.optical_depth_gpt.size() > 0)
      expect_shape(where, clouds.optical_depth_gpt, "optical_depth_gpt", {ncol, nlay, std::size_t(ngpt)});
  } else {
    char const* const others = clouds.of_layers() ? "clouds of layers" : "clouds without fraction_gpt";
    refuse_array(where, clouds.ice_path_gpt, "ice_path_gpt", others);
    refuse_array(where, clouds.liquid_path_gpt, "liquid_path_gpt", others);
    refuse_array(where, clouds.optical_depth_gpt, "optical_depth_gpt", others);
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
    if (input != by_path && clouds.of_layers()) refuse("input", c, input, "2 (water paths) in clouds of layers");
    if (input != by_path && input != by_depth) refuse("input", c, input, "0 (optical depths) or 2 (water paths)");
    if (input == by_depth && clouds.optical_depth_gpt.size() == 0)
      refuse("input", c, input, "2 (water paths) where there is no optical_depth_gpt");
    if (clouds.ice_optics(c) < 0 || clouds.ice_optics(c) > 3)
      refuse("ice_optics", c, clouds.ice_optics(c), "0, 1, 2 or 3");
    if (clouds.liquid_optics(c) < 0 || clouds.liquid_optics(c) > 1)
      refuse("liquid_optics", c, clouds.liquid_optics(c), "0 or 1");
  }
  if (!clouds.of_layers()) return;
  auto const overlap = static_cast<int>(clouds.overlap);
  if (overlap < static_cast<int>(Overlap::random) || overlap > static_cast<int>(Overlap::exponential_random))
    throw Error(where, fmt::format("overlap = {}, expected 1 to 5", overlap));
  bool const exponential = clouds.overlap == Overlap::exponential || clouds.overlap == Overlap::exponential_random;
  if (!exponential || clouds.decorrelation_length.size() == 0) return;
  expect_shape(where, clouds.decorrelation_length, "decorrelation_length", {ncol});
  expect_values(where, clouds.decorrelation_length, "decorrelation_length", "m", "a positive number",
                [](double x) { return x > 0; });
}

template <class Real>
void refuse_what_cannot_be_clipped(CloudsOnHost<Real> const& clouds, int ncol, int nlay) {
  check_frame("clip", clouds, static_cast<std::size_t>(ncol), static_cast<std::size_t>(nlay));
  if (clouds.any())
    refuse_values("clip", clouds, ncol, [](Quantity const&, Real value) { return !std::isfinite(value); });
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Clouds<ExecutionSpace, Real> make_layer_clouds(int ncol, int nlay) {
  using Field = Array<Real**, ExecutionSpace>;
  Clouds<ExecutionSpace, Real> clouds{.fraction = Field("parhelion::rrtmg::cloud_fraction", ncol, nlay),
                                      .ice_path = Field("parhelion::rrtmg::ice_path", ncol, nlay),
                                      .liquid_path = Field("parhelion::rrtmg::liquid_path", ncol, nlay)};
  allocate_common(clouds, ncol, nlay);
  return clouds;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Clouds<ExecutionSpace, Real> make_gpoint_clouds(int ncol, int nlay, bool optical_depth) {
  using Field = Array<Real***, ExecutionSpace>;
  Clouds<ExecutionSpace, Real> clouds{.fraction_gpt = Field("parhelion::rrtmg::cloud_fraction_gpt", ncol, nlay, ngpt),
                                      .ice_path_gpt = Field("parhelion::rrtmg::ice_path_gpt", ncol, nlay, ngpt),
                                      .liquid_path_gpt = Field("parhelion::rrtmg::liquid_path_gpt", ncol, nlay, ngpt)};
  if (optical_depth) clouds.optical_depth_gpt = Field("parhelion::rrtmg::cloud_optical_depth_gpt", ncol, nlay, ngpt);
  allocate_common(clouds, ncol, nlay);
  return clouds;
}

template <Floating Real>
void validate(CloudsOnHost<Real> const& clouds, int ncol, int nlay) {
  check_frame("validate", clouds, static_cast<std::size_t>(ncol), static_cast<std::size_t>(nlay));
  if (clouds.any())
    refuse_values("validate", clouds, ncol, [](Quantity const& quantity, Real value) {
      return !std::isfinite(value) || !quantity.range.holds(value);
    });
}

template <Floating Real>
ClippedClouds clip(CloudsOnHost<Real> const& clouds, int ncol, int nlay) {
  refuse_what_cannot_be_clipped(clouds, ncol, nlay);
  return clouds.any() ? count_or_clip(clouds, ncol, true) : ClippedClouds();
}

template <Floating Real>
ClippedClouds count_to_clip(CloudsOnHost<Real> const& clouds, int ncol, int nlay) {
  refuse_what_cannot_be_clipped(clouds, ncol, nlay);
  return clouds.any() ? count_or_clip(clouds, ncol, false) : ClippedClouds();
}

#define PARHELION_INSTANTIATE(SPACE)                                \
  template Clouds<SPACE, float> make_layer_clouds(int, int);        \
  template Clouds<SPACE, double> make_layer_clouds(int, int);       \
  template Clouds<SPACE, float> make_gpoint_clouds(int, int, bool); \
  template Clouds<SPACE, double> make_gpoint_clouds(int, int, bool);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

#define PARHELION_INSTANTIATE(REAL)                                 \
  template void validate(Clouds<Host, REAL> const&, int, int);      \
  template ClippedClouds clip(Clouds<Host, REAL> const&, int, int); \
  template ClippedClouds count_to_clip(Clouds<Host, REAL> const&, int, int);
PARHELION_INSTANTIATE(float)
PARHELION_INSTANTIATE(double)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::rrtmg
