// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include "testing.hpp"

#include <cstring>
#include <limits>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::ClippedClouds;
using fluxes::CloudInput;
using fluxes::HostClouds;
using fluxes::IceOptics;
using fluxes::LiquidOptics;
using fluxes::ngpt;
using fluxes::Overlap;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int ncol = 3;
constexpr int nlay = 4;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// One cloud of ice and one of droplets in each column.
HostClouds layer_clouds() {
  auto const clouds = fluxes::make_layer_clouds<Host, double>(ncol, nlay);
  for (int c = 0; c < ncol; ++c) {
    clouds.fraction(c, 1) = 0.5;
    clouds.liquid_path(c, 1) = 0.03;
    clouds.liquid_size(c, 1) = 12e-6;
    clouds.fraction(c, 3) = 1;
    clouds.ice_path(c, 3) = 5e-3;
    clouds.ice_size(c, 3) = 40e-6;
  }
  return clouds;
}

// The same in some g-points.
HostClouds gpoint_clouds(bool optical_depth) {
  auto const clouds = fluxes::make_gpoint_clouds<Host, double>(ncol, nlay, optical_depth);
  for (int c = 0; c < ncol; ++c)
    for (int g = 0; g < ngpt; g += 5) {
      clouds.fraction_gpt(c, 1, g) = 1;
      clouds.liquid_path_gpt(c, 1, g) = 0.03;
      clouds.liquid_size(c, 1) = 12e-6;
      clouds.fraction_gpt(c, 3, g) = 1;
      clouds.ice_path_gpt(c, 3, g) = 5e-3;
      clouds.ice_size(c, 3) = 40e-6;
    }
  return clouds;
}

template <class Spoil>
std::string refusal(HostClouds clouds, Spoil const& spoil) {
  spoil(clouds);
  return message_of([&] { fluxes::validate(clouds, ncol, nlay); });
}

template <class Spoil>
std::string clip_refusal(HostClouds clouds, Spoil const& spoil) {
  spoil(clouds);
  return message_of([&] { (void)fluxes::clip(clouds, ncol, nlay); });
}

constexpr char const* accepted = "(no parhelion::Error)";

template <class Space>
struct MakeCloudsTest : testing::Test {};
TYPED_TEST_SUITE(MakeCloudsTest, Spaces, SpaceName);

TYPED_TEST(MakeCloudsTest, AreZeroWithTheUsualOptions) {
  auto const expect_equal = [](auto const& view, auto value, std::size_t size) {
    ASSERT_EQ(view.size(), size);
    auto const host = parhelion::host_copy(view);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(host.data()[i], value);
  };
  auto const expect_common = [&](auto const& clouds) {
    expect_equal(clouds.ice_size, 0, 6);
    expect_equal(clouds.liquid_size, 0, 6);
    expect_equal(clouds.input, static_cast<int>(CloudInput::water_path), 2);
    expect_equal(clouds.ice_optics, static_cast<int>(IceOptics::fu), 2);
    expect_equal(clouds.liquid_optics, static_cast<int>(LiquidOptics::hu_stamnes), 2);
  };
  auto const of_layers = fluxes::make_layer_clouds<TypeParam, float>(2, 3);
  EXPECT_TRUE(of_layers.of_layers());
  EXPECT_FALSE(of_layers.of_gpoints());
  expect_equal(of_layers.fraction, 0, 6);
  expect_equal(of_layers.ice_path, 0, 6);
  expect_equal(of_layers.liquid_path, 0, 6);
  EXPECT_EQ(of_layers.decorrelation_length.size(), 0U);
  expect_common(of_layers);
  auto const of_gpoints = fluxes::make_gpoint_clouds<TypeParam, double>(2, 3, true);
  EXPECT_TRUE(of_gpoints.of_gpoints());
  EXPECT_FALSE(of_gpoints.of_layers());
  expect_equal(of_gpoints.fraction_gpt, 0, 6 * ngpt);
  expect_equal(of_gpoints.ice_path_gpt, 0, 6 * ngpt);
  expect_equal(of_gpoints.liquid_path_gpt, 0, 6 * ngpt);
  expect_equal(of_gpoints.optical_depth_gpt, 0, 6 * ngpt);
  expect_common(of_gpoints);
  EXPECT_EQ((fluxes::make_gpoint_clouds<TypeParam, float>(2, 3, false).optical_depth_gpt.size()), 0U);
}

TEST(Clouds, GoodOnesAreAccepted) {
  auto const nothing = [](HostClouds const&) {};
  EXPECT_EQ(refusal(HostClouds(), nothing), accepted);
  EXPECT_EQ(refusal(layer_clouds(), nothing), accepted);
  EXPECT_EQ(refusal(gpoint_clouds(false), nothing), accepted);
  EXPECT_EQ(refusal(gpoint_clouds(true), [](auto& c) { c.input(1) = 0; }), accepted);
  EXPECT_EQ(fluxes::clip(layer_clouds(), ncol, nlay).all(), 0);
  EXPECT_EQ(fluxes::clip(gpoint_clouds(true), ncol, nlay).all(), 0);
  EXPECT_EQ(fluxes::clip(HostClouds(), ncol, nlay).all(), 0);
}

TEST(Clouds, ValuesOfLayersThatAreRefused) {
  auto const of_layers = [](auto const& spoil) { return refusal(layer_clouds(), spoil); };
  EXPECT_EQ(of_layers([](auto& c) { c.fraction(2, 1) = 1.5; }), "validate: fraction(2, 1) = 1.5, expected 0 to 1");
  EXPECT_EQ(of_layers([](auto& c) { c.fraction(0, 3) = -0.1; }), "validate: fraction(0, 3) = -0.1, expected 0 to 1");
  EXPECT_EQ(of_layers([](auto& c) { c.fraction(1, 0) = nan_value; }),
            "validate: fraction(1, 0) = nan, expected 0 to 1");
  EXPECT_EQ(of_layers([](auto& c) { c.ice_path(1, 2) = -3; }),
            "validate: ice_path(1, 2) = -3 kg m-2, expected a number of at least 0");
  EXPECT_EQ(of_layers([](auto& c) { c.liquid_path(1, 1) = infinity; }),
            "validate: liquid_path(1, 1) = inf kg m-2, expected a number of at least 0");
  EXPECT_EQ(of_layers([](auto& c) { c.ice_size(2, 3) = 140.5e-6; }),
            "validate: ice_size(2, 3) = 0.0001405 m, expected 5e-06 to 0.00014");
  EXPECT_EQ(of_layers([](auto& c) { c.liquid_size(0, 1) = 2e-6; }),
            "validate: liquid_size(0, 1) = 2e-06 m, expected 2.5e-06 to 6e-05");
  // The first column counts.
  EXPECT_EQ(of_layers([](auto& c) { c.fraction(2, 0) = c.ice_path(1, 3) = -1; }),
            "validate: ice_path(1, 3) = -1 kg m-2, expected a number of at least 0");
}

TEST(Clouds, ValuesOfGPointsThatAreRefused) {
  auto const by_path = [](auto const& spoil) { return refusal(gpoint_clouds(false), spoil); };
  EXPECT_EQ(by_path([](auto& c) { c.fraction_gpt(2, 1, 139) = 1.5; }),
            "validate: fraction_gpt(2, 1, 139) = 1.5, expected 0 to 1");
  EXPECT_EQ(by_path([](auto& c) { c.ice_path_gpt(0, 1, 7) = -1; }),
            "validate: ice_path_gpt(0, 1, 7) = -1 kg m-2, expected a number of at least 0");
  EXPECT_EQ(by_path([](auto& c) { c.liquid_path_gpt(0, 1, 7) = nan_value; }),
            "validate: liquid_path_gpt(0, 1, 7) = nan kg m-2, expected a number of at least 0");
  EXPECT_EQ(by_path([](auto& c) { c.ice_size(1, 3) = 4e-6; }),
            "validate: ice_size(1, 3) = 4e-06 m, expected 5e-06 to 0.00014");
  EXPECT_EQ(by_path([](auto& c) { c.liquid_size(1, 1) = 61e-6; }),
            "validate: liquid_size(1, 1) = 6.1e-05 m, expected 2.5e-06 to 6e-05");
  auto const by_depth = [](auto const& spoil) {
    auto const clouds = gpoint_clouds(true);
    clouds.input(1) = 0;
    return refusal(clouds, spoil);
  };
  EXPECT_EQ(by_depth([](auto& c) { c.optical_depth_gpt(1, 2, 5) = -0.5; }),
            "validate: optical_depth_gpt(1, 2, 5) = -0.5, expected a number of at least 0");
  // What another input would use does not count.
  EXPECT_EQ(by_depth([](auto& c) { c.optical_depth_gpt(0, 2, 5) = -0.5; }), accepted);
  EXPECT_EQ(by_depth([](auto& c) { c.ice_path_gpt(1, 3, 0) = -1; }), accepted);
  EXPECT_EQ(by_depth([](auto& c) { c.ice_size(1, 3) = 0; }), accepted);
}

TEST(Clouds, SizesCountWhereOpticsNeedThem) {
  auto const of_layers = [](IceOptics ice, LiquidOptics liquid, double ice_size, double liquid_size) {
    return refusal(layer_clouds(), [&](auto& c) {
      c.ice_optics(1) = static_cast<int>(ice);
      c.liquid_optics(1) = static_cast<int>(liquid);
      c.ice_size(1, 3) = ice_size;
      c.liquid_size(1, 1) = liquid_size;
    });
  };
  EXPECT_EQ(of_layers(IceOptics::all_bands, LiquidOptics::hu_stamnes, 9e-6, 12e-6),
            "validate: ice_size(1, 3) = 9e-06 m, expected a number of at least 1e-05");
  EXPECT_EQ(of_layers(IceOptics::all_bands, LiquidOptics::all_bands, 5e-3, nan_value), accepted);
  EXPECT_EQ(of_layers(IceOptics::broad_bands, LiquidOptics::hu_stamnes, 12e-6, 12e-6),
            "validate: ice_size(1, 3) = 1.2e-05 m, expected 1.3e-05 to 0.00013");
  EXPECT_EQ(of_layers(IceOptics::streamer, LiquidOptics::hu_stamnes, 131e-6, 2.5e-6), accepted);
  EXPECT_EQ(of_layers(IceOptics::streamer, LiquidOptics::hu_stamnes, 132e-6, 60e-6),
            "validate: ice_size(1, 3) = 0.000132 m, expected 5e-06 to 0.000131");
  EXPECT_EQ(of_layers(IceOptics::fu, LiquidOptics::hu_stamnes, 140e-6, 60e-6), accepted);
  // Nor where there is no cloud, or no water of that kind.
  EXPECT_EQ(refusal(layer_clouds(),
                    [](auto& c) {
                      c.fraction(1, 3) = 0;
                      c.ice_size(1, 3) = nan_value;
                      c.liquid_path(2, 1) = 0;
                      c.liquid_size(2, 1) = -1;
                    }),
            accepted);
  EXPECT_EQ(refusal(gpoint_clouds(false),
                    [](auto& c) {
                      for (int g = 0; g < ngpt; ++g) c.fraction_gpt(1, 3, g) = 0.99;
                      c.ice_size(1, 3) = nan_value;
                    }),
            accepted);
}

TEST(Clouds, FramesThatAreRefused) {
  auto const of_layers = [](auto const& spoil) {
    auto const message = refusal(layer_clouds(), spoil);
    // Clipping does not help.
    EXPECT_EQ(clip_refusal(layer_clouds(), spoil), "clip" + message.substr(std::strlen("validate")));
    return message;
  };
  EXPECT_EQ(of_layers([](auto& c) { c.fraction_gpt = gpoint_clouds(false).fraction_gpt; }),
            "validate: fraction and fraction_gpt are there, expected clouds either of layers or of g-points");
  EXPECT_EQ(of_layers([](auto& c) { c.ice_path_gpt = gpoint_clouds(false).ice_path_gpt; }),
            "validate: ice_path_gpt is there, expected none in clouds of layers");
  EXPECT_EQ(of_layers([](auto& c) { c.fraction = {}; }),
            "validate: ice_path is there, expected none in clouds without fraction");
  EXPECT_EQ(of_layers([](auto& c) { c.ice_path = {}; }), "validate: ice_path has shape (0, 0), expected (3, 4)");
  EXPECT_EQ(of_layers([](auto& c) { c.fraction = fluxes::make_layer_clouds<Host, double>(3, 5).fraction; }),
            "validate: fraction has shape (3, 5), expected (3, 4)");
  EXPECT_EQ(of_layers([](auto& c) { c.liquid_optics = {}; }), "validate: liquid_optics has shape (0), expected (3)");
  EXPECT_EQ(of_layers([](auto& c) { c.input(1) = 0; }),
            "validate: input(1) = 0, expected 2 (water paths) in clouds of layers");
  EXPECT_EQ(of_layers([](auto& c) { c.ice_optics(2) = 4; }), "validate: ice_optics(2) = 4, expected 0, 1, 2 or 3");
  EXPECT_EQ(of_layers([](auto& c) { c.liquid_optics(0) = -1; }), "validate: liquid_optics(0) = -1, expected 0 or 1");
  EXPECT_EQ(of_layers([](auto& c) { c.overlap = static_cast<Overlap>(6); }), "validate: overlap = 6, expected 1 to 5");
  auto const lengths = [](double last) {
    Array<double*, Host> const view("lengths", ncol);
    parhelion::assign_array(view, 2000.);
    view(ncol - 1) = last;
    return view;
  };
  EXPECT_EQ(of_layers([&](auto& c) {
              c.overlap = Overlap::exponential;
              c.decorrelation_length = lengths(0);
            }),
            "validate: decorrelation_length(2) = 0 m, expected a positive number");
  EXPECT_EQ(of_layers([](auto& c) {
              c.overlap = Overlap::exponential_random;
              c.decorrelation_length = Array<double*, Host>("lengths", 2);
            }),
            "validate: decorrelation_length has shape (2), expected (3)");
  EXPECT_EQ(refusal(layer_clouds(), [&](auto& c) { c.decorrelation_length = lengths(-1); }), accepted)
      << "this overlap does not use it";
  EXPECT_EQ(refusal(layer_clouds(), [](auto& c) { c.overlap = Overlap::exponential; }), accepted)
      << "there is a default";

  auto const of_gpoints = [](bool depth, auto const& spoil) { return refusal(gpoint_clouds(depth), spoil); };
  EXPECT_EQ(of_gpoints(true, [](auto& c) { c.input(2) = 1; }),
            "validate: input(2) = 1, expected 0 (optical depths) or 2 (water paths)");
  EXPECT_EQ(of_gpoints(false, [](auto& c) { c.input(2) = 0; }),
            "validate: input(2) = 0, expected 2 (water paths) where there is no optical_depth_gpt");
  EXPECT_EQ(of_gpoints(false, [](auto& c) { c.liquid_path = layer_clouds().liquid_path; }),
            "validate: liquid_path is there, expected none in clouds of g-points");
  EXPECT_EQ(of_gpoints(false, [](auto& c) { c.fraction_gpt = {}; }),
            "validate: ice_path_gpt is there, expected none in clouds without fraction_gpt");
}

TEST(Clouds, ClippingBringsValuesToTheirRangeAndCounts) {
  auto const clouds = layer_clouds();
  clouds.fraction(0, 1) = 1.25;
  clouds.fraction(1, 3) = -0.5;
  clouds.ice_path(2, 0) = -1;
  clouds.liquid_path(2, 2) = -2;
  clouds.liquid_path(2, 3) = -3;
  clouds.ice_size(0, 3) = 4e-6;
  clouds.ice_size(1, 3) = 1e-3;  // no cloud after clipping
  clouds.ice_size(2, 3) = 150e-6;
  clouds.liquid_size(0, 1) = 1e-6;
  clouds.liquid_size(1, 1) = 60.5e-6;
  ClippedClouds const counted = fluxes::count_to_clip(clouds, ncol, nlay);
  EXPECT_EQ(clouds.fraction(0, 1), 1.25) << "counting changes nothing";
  EXPECT_EQ(clouds.ice_size(0, 3), 4e-6);
  ClippedClouds const clipped = fluxes::clip(clouds, ncol, nlay);
  for (auto const& counts : {counted, clipped}) {
    EXPECT_EQ(counts.fractions, 2);
    EXPECT_EQ(counts.water_paths, 3);
    EXPECT_EQ(counts.sizes, 4);
    EXPECT_EQ(counts.optical_depths, 0);
    EXPECT_EQ(counts.all(), 9);
  }
  EXPECT_EQ(clouds.fraction(0, 1), 1);
  EXPECT_EQ(clouds.fraction(1, 3), 0);
  EXPECT_EQ(clouds.ice_path(2, 0), 0);
  EXPECT_EQ(clouds.liquid_path(2, 2), 0);
  EXPECT_EQ(clouds.liquid_path(2, 3), 0);
  EXPECT_EQ(clouds.ice_size(0, 3), 5e-6);
  EXPECT_EQ(clouds.ice_size(1, 3), 1e-3);
  EXPECT_EQ(clouds.ice_size(2, 3), 140e-6);
  EXPECT_EQ(clouds.liquid_size(0, 1), 2.5e-6);
  EXPECT_EQ(clouds.liquid_size(1, 1), 60e-6);
  EXPECT_EQ(clouds.fraction(1, 1), 0.5) << "what was in range stays";
  EXPECT_EQ(clouds.ice_path(0, 3), 5e-3);
  fluxes::validate(clouds, ncol, nlay);
  EXPECT_EQ(fluxes::clip(clouds, ncol, nlay).all(), 0);
}

TEST(Clouds, ClippingOfGPoints) {
  auto const clouds = gpoint_clouds(true);
  clouds.input(2) = 0;
  clouds.fraction_gpt(0, 0, 3) = 2;  // cloudy after clipping
  clouds.ice_path_gpt(0, 0, 3) = 1;
  clouds.ice_size(0, 0) = 3e-6;
  clouds.fraction_gpt(0, 2, 3) = -1;
  clouds.liquid_path_gpt(1, 2, 0) = -1;
  clouds.liquid_path_gpt(2, 2, 0) = -1;  // not used
  clouds.optical_depth_gpt(2, 1, 9) = -4;
  ClippedClouds const counted = fluxes::count_to_clip(clouds, ncol, nlay);
  ClippedClouds const clipped = fluxes::clip(clouds, ncol, nlay);
  for (auto const& counts : {counted, clipped}) {
    EXPECT_EQ(counts.fractions, 2);
    EXPECT_EQ(counts.water_paths, 1);
    EXPECT_EQ(counts.sizes, 1);
    EXPECT_EQ(counts.optical_depths, 1);
  }
  EXPECT_EQ(clouds.fraction_gpt(0, 0, 3), 1);
  EXPECT_EQ(clouds.fraction_gpt(0, 2, 3), 0);
  EXPECT_EQ(clouds.ice_size(0, 0), 5e-6);
  EXPECT_EQ(clouds.liquid_path_gpt(1, 2, 0), 0);
  EXPECT_EQ(clouds.liquid_path_gpt(2, 2, 0), -1);
  EXPECT_EQ(clouds.optical_depth_gpt(2, 1, 9), 0);
  fluxes::validate(clouds, ncol, nlay);
}

TEST(Clouds, WhatIsNotFiniteIsNotClippedAndNothingElseIs) {
  auto const clouds = layer_clouds();
  clouds.fraction(0, 1) = 1.25;
  clouds.ice_size(2, 3) = nan_value;
  EXPECT_EQ(message_of([&] { (void)fluxes::clip(clouds, ncol, nlay); }),
            "clip: ice_size(2, 3) = nan m, expected 5e-06 to 0.00014");
  EXPECT_EQ(clouds.fraction(0, 1), 1.25);
  EXPECT_EQ(clip_refusal(layer_clouds(), [](auto& c) { c.fraction(1, 2) = infinity; }),
            "clip: fraction(1, 2) = inf, expected 0 to 1");
}

TEST(Clouds, InFloat) {
  auto const clouds = fluxes::make_layer_clouds<Host, float>(2, 2);
  clouds.fraction(1, 1) = 1;
  clouds.liquid_path(1, 1) = 1;
  clouds.liquid_size(1, 1) = 1e-7F;
  EXPECT_EQ(message_of([&] { fluxes::validate(clouds, 2, 2); }),
            "validate: liquid_size(1, 1) = 1e-07 m, expected 2.5e-06 to 6e-05");
  EXPECT_EQ(fluxes::clip(clouds, 2, 2).sizes, 1);
  EXPECT_EQ(clouds.liquid_size(1, 1), 2.5e-6F);
}

// Ends of ranges in float, and those computed from um, are off by their rounding.
TEST(Clouds, RoundingDoesNotMoveEndsOutOfTheirRange) {
  auto const expect_good = []<class Real>(Real micrometre) {
    struct Case {
      IceOptics optics;
      double smallest, largest;
    };
    for (auto const& [optics, smallest, largest] :
         {Case{IceOptics::all_bands, 10, 1000}, Case{IceOptics::broad_bands, 13, 130},
          Case{IceOptics::streamer, 5, 131}, Case{IceOptics::fu, 5, 140}}) {
      auto const clouds = fluxes::make_layer_clouds<Host, Real>(1, 2);
      parhelion::assign_array(clouds.ice_optics, static_cast<int>(optics));
      parhelion::assign_array(clouds.fraction, Real(1));
      parhelion::assign_array(clouds.ice_path, Real(1));
      parhelion::assign_array(clouds.liquid_path, Real(1));
      clouds.ice_size(0, 0) = static_cast<Real>(smallest) * micrometre;
      clouds.ice_size(0, 1) = static_cast<Real>(largest) * micrometre;
      clouds.liquid_size(0, 0) = static_cast<Real>(2.5) * micrometre;
      clouds.liquid_size(0, 1) = static_cast<Real>(60) * micrometre;
      EXPECT_EQ(message_of([&] { fluxes::validate(clouds, 1, 2); }), accepted) << int(optics);
      EXPECT_EQ(fluxes::clip(clouds, 1, 2).all(), 0) << int(optics);
      clouds.ice_size(0, 0) *= static_cast<Real>(1 - 1e-6);
      clouds.liquid_size(0, 1) *= static_cast<Real>(1 + 1e-6);
      EXPECT_EQ(fluxes::clip(clouds, 1, 2).sizes, 2) << int(optics);
      EXPECT_EQ(message_of([&] { fluxes::validate(clouds, 1, 2); }), accepted) << int(optics);
    }
  };
  expect_good(1e-6F);
  expect_good(1e-6);
}

}  // namespace
