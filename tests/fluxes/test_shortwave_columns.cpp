// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/shortwave_clouds.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>

#include "testing.hpp"

#include <map>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::fluxes;

template <class Pair>
struct ShortwaveColumnsTest : testing::Test {};
TYPED_TEST_SUITE(ShortwaveColumnsTest, Testing::SpacesAndReals, Testing::PairName);

// The arrays of a set that are allocated: their extents by their names in the descriptions.
template <class Set>
std::map<std::string, std::vector<std::size_t>> allocated(Set const& set) {
  std::map<std::string, std::vector<std::size_t>> result;
  Set::for_each_array(
      [&](ArrayDescription const& description, auto const& array) {
        if (array.size() == 0) return;
        auto& extents = result[std::string(description.name)];
        for (std::size_t i = 0; i < array.rank(); ++i) extents.push_back(array.extent(i));
      },
      set);
  return result;
}

// Whether all allocated arrays of real numbers of a set are zero.
template <class Set>
bool all_zero(Set const& set) {
  bool zero = true;
  Set::for_each_array(
      [&](ArrayDescription const&, auto const& array) {
        using Value = typename std::decay_t<decltype(array)>::non_const_value_type;
        auto const host = parhelion::host_copy(array);
        if constexpr (!std::is_integral_v<Value>)
          for (std::size_t i = 0; i < host.size(); ++i) zero = zero && host.data()[i] == 0;
      },
      set);
  return zero;
}

using Extents = std::map<std::string, std::vector<std::size_t>>;

TYPED_TEST(ShortwaveColumnsTest, AreAllocatedAndZero) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const columns = make_shortwave_columns<Space, Real>(3, 4);
  Extents const expected{{"pressure_lay", {3, 4}},   {"pressure_lev", {3, 5}}, {"temperature_lay", {3, 4}},
                         {"vmr", {3, ngas, 4}},      {"cos_zenith", {3}},      {"albedo_direct", {3, 2}},
                         {"albedo_diffuse", {3, 2}}, {"solar_weights", {3, 4}}};
  EXPECT_EQ(allocated(columns), expected);
  EXPECT_TRUE(all_zero(columns));
  EXPECT_EQ(columns.ncol(), 3);
  EXPECT_EQ(columns.nlay(), 4);
  auto const of_bands = make_shortwave_columns<Space, Real>(3, 4, nbnd_sw);
  EXPECT_EQ(of_bands.albedo_direct.extent(1), 14U);
  EXPECT_EQ(of_bands.albedo_diffuse.extent(1), 14U);
}

TYPED_TEST(ShortwaveColumnsTest, FluxesAreThoseThatAreWanted) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const with = [](ShortwaveOutputs wanted) { return allocated(make_shortwave_fluxes<Space, Real>(3, 4, wanted)); };
  Extents const always{{"flux_up", {3, 5}}, {"flux_dn", {3, 5}}, {"flux_dn_direct", {3, 5}}, {"heating_rate", {3, 4}}};
  EXPECT_EQ(with({}), always);
  auto expected = always;
  for (auto const& [name, extents] : always) expected[name + "_clear"] = extents;
  EXPECT_EQ(with({.clear = true}), expected);
  std::vector<std::string> const parts{"flux_dn_uvvis", "flux_dn_nir", "flux_dn_direct_uvvis", "flux_dn_direct_nir"};
  expected = always;
  for (auto const& part : parts) expected[part] = {3, 5};
  EXPECT_EQ(with({.parts = true}), expected);
  for (auto const& [name, extents] : Extents(expected)) expected[name + "_clear"] = extents;
  for (char const* const name : {"flux_up_band", "flux_dn_band", "flux_dn_direct_band"})
    expected[name] = {3, 5, nbnd_sw};
  EXPECT_EQ(with({.clear = true, .parts = true, .bands = true}), expected);
}

TYPED_TEST(ShortwaveColumnsTest, CloudsAreOfLayersOrGPoints) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Extents const common{
      {"ice_size", {3, 4}}, {"liquid_size", {3, 4}}, {"input", {3}}, {"ice_optics", {3}}, {"liquid_optics", {3}}};
  auto const with = [&](std::vector<std::string> const& names, std::vector<std::size_t> const& extents) {
    auto result = common;
    for (auto const& name : names) result[name] = extents;
    return result;
  };
  auto const layers = make_shortwave_layer_clouds<Space, Real>(3, 4);
  EXPECT_EQ(allocated(layers), with({"fraction", "ice_path", "liquid_path"}, {3, 4}));
  EXPECT_TRUE(all_zero(layers));
  EXPECT_TRUE(layers.of_layers());
  EXPECT_FALSE(layers.of_gpoints());

  std::vector<std::string> names{"fraction_gpt", "ice_path_gpt", "liquid_path_gpt"};
  auto const paths = make_shortwave_gpoint_clouds<Space, Real>(3, 4, false);
  EXPECT_EQ(allocated(paths), with(names, {3, 4, ngpt_sw}));
  EXPECT_TRUE(paths.of_gpoints());
  for (char const* const name :
       {"optical_depth_gpt", "single_scattering_albedo_gpt", "asymmetry_gpt", "forward_fraction_gpt"})
    names.push_back(name);
  auto const optical = make_shortwave_gpoint_clouds<Space, Real>(3, 4, true);
  EXPECT_EQ(allocated(optical), with(names, {3, 4, ngpt_sw}));
  EXPECT_TRUE(all_zero(optical));

  auto const option = [](auto const& array) {
    auto const host = parhelion::host_copy(array);
    EXPECT_EQ(host(0), host(2));
    return host(0);
  };
  EXPECT_EQ(option(layers.input), static_cast<int>(CloudInput::water_path));
  EXPECT_EQ(option(layers.ice_optics), static_cast<int>(IceOptics::fu));
  EXPECT_EQ(option(layers.liquid_optics), static_cast<int>(LiquidOptics::hu_stamnes));
}

}  // namespace
