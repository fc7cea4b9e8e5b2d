// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/io/hdf5.hpp>

#include "clouds/cloud_absorption.hpp"

#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::fluxes;
using namespace parhelion::fluxes::Impl;
using parhelion::Testing::message_of;

template <class Pair>
struct CloudOpticsTest : testing::Test {};
TYPED_TEST_SUITE(CloudOpticsTest, Testing::SpacesAndReals, Testing::PairName);

template <class Optics, class Real>
KOKKOS_INLINE_FUNCTION Real coefficient(Optics const& optics, IceOptics kind, Real size, int band) {
  return optics.of_ice(kind, size, band);
}
template <class Optics, class Real>
KOKKOS_INLINE_FUNCTION Real coefficient(Optics const& optics, LiquidOptics kind, Real size, int band) {
  return optics.of_liquid(kind, size, band);
}

// Absorption coefficients of particles of one size in all bands, as a kernel sees them.
template <class Space, class Real, class Kind>
std::vector<double> coefficients(CloudOptics<Space, Real> const& optics, Kind kind, double size) {
  Array<Real*, Space> const device("coefficients", nbnd);
  auto const one = static_cast<Real>(size);
  Kokkos::parallel_for(
      "coefficients", Kokkos::RangePolicy<Space>(0, nbnd),
      KOKKOS_LAMBDA(int band) { device(band) = coefficient(optics, kind, one, band); });
  auto const host = parhelion::host_copy(device);
  return {host.data(), host.data() + nbnd};
}

template <class Real>
void expect_all_near(std::vector<double> const& mine, std::vector<double> const& expected, std::string const& what) {
  double const relative = std::is_same_v<Real, double> ? 1e-13 : 2e-6;
  for (std::size_t band = 0; band < nbnd; ++band)
    EXPECT_NEAR(mine[band], expected[band], relative * std::abs(expected[band])) << what << ", band " << band;
}

TYPED_TEST(CloudOpticsTest, CoefficientsAreThoseOfTheTables) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/rrtmg_lw_tables.nc");
  using Real = typename TypeParam::Real;
  io::Hdf5File const file(path);
  auto const optics = make_cloud_optics<typename TypeParam::ExecutionSpace, Real>({});
  auto const grey = file.read("absice0");
  auto const broad = file.read("absice1");
  // Bands 1, 2, 3 to 5, 6 to 8 and the others.
  int const first_of_broad[] = {0, 1, 2, 5, 8, nbnd};
  for (double const radius : {10., 13., 29.5, 130.}) {
    expect_all_near<Real>(coefficients(optics, IceOptics::all_bands, radius),
                          std::vector<double>(nbnd, grey[0] + grey[1] / radius), "all bands");
    if (!size_range(IceOptics::broad_bands).holds(1e-6 * radius)) continue;
    std::vector<double> expected;
    for (std::size_t i = 0; i < 5; ++i)
      expected.resize(static_cast<std::size_t>(first_of_broad[i + 1]), broad[2 * i] + broad[2 * i + 1] / radius);
    expect_all_near<Real>(coefficients(optics, IceOptics::broad_bands, radius), expected, "broad bands");
  }
  auto const expect_table = [&](auto kind, std::string const& name, double first, double step, std::size_t n) {
    auto const table = file.read(name);
    ASSERT_EQ(table.size(), nbnd * n);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> node, quarter;
      for (std::size_t band = 0; band < nbnd; ++band) {
        double const here = table[band * n + i];
        node.push_back(here);
        if (i + 1 < n) quarter.push_back(0.75 * here + 0.25 * table[band * n + i + 1]);
      }
      double const size = first + step * static_cast<double>(i);
      expect_all_near<Real>(coefficients(optics, kind, size), node, name + " at " + std::to_string(size));
      if (i + 1 < n)
        expect_all_near<Real>(coefficients(optics, kind, size + step / 4), quarter,
                              name + " above " + std::to_string(size));
    }
  };
  expect_table(IceOptics::streamer, "absice2", 5, 3, nice_streamer);
  expect_table(IceOptics::fu, "absice3", 5, 3, nice_fu);
  expect_table(LiquidOptics::hu_stamnes, "absliq1", 2.5, 1, nliquid);
  expect_all_near<Real>(coefficients(optics, LiquidOptics::all_bands, 10),
                        std::vector<double>(nbnd, file.read("absliq0").at(0)), "absliq0");
  // Beyond the last node, at 59.5 um, on the same line.
  auto const table = file.read("absliq1");
  std::vector<double> last;
  for (std::size_t band = 0; band < nbnd; ++band)
    last.push_back(1.5 * table[band * nliquid + nliquid - 1] - 0.5 * table[band * nliquid + nliquid - 2]);
  expect_all_near<Real>(coefficients(optics, LiquidOptics::hu_stamnes, 60), last, "absliq1 at 60");
}

TYPED_TEST(CloudOpticsTest, OpticalDepthsAreThoseOfTheReferenceModel) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/debug_a.nc");
  PARHELION_REQUIRE_DATA(tables, "rrtmg_lw/rrtmg_lw_tables.nc");
  using Real = typename TypeParam::Real;
  io::Hdf5File const file(path);
  auto const optics = make_cloud_optics<typename TypeParam::ExecutionSpace, Real>({});
  auto const band_of = io::Hdf5File(tables).read("ngb");
  auto const shape = file.shape("taucmc");
  auto const ice = file.read("iceflglw"), liquid = file.read("liqflglw"), fraction = file.read("cldfmcl"),
             ice_path = file.read("ciwpmcl"), liquid_path = file.read("clwpmcl"), ice_size = file.read("reicmcl"),
             liquid_size = file.read("relqmcl"), expected = file.read("taucmc");
  std::size_t clouds = 0;
  double worst = 0;
  for (std::size_t column = 0; column < shape[0]; ++column)
    for (std::size_t layer = 0; layer < shape[1]; ++layer) {
      std::size_t const at = column * shape[1] + layer;
      auto const of_ice_kind = ice_optics(static_cast<int>(ice[column]), "test");
      auto const of_liquid_kind = liquid_optics(static_cast<int>(liquid[column]), "test");
      std::vector<double> of_ice(nbnd), of_liquid(nbnd);
      if (ice_size[at] > 0) {
        ASSERT_TRUE(size_range(of_ice_kind).holds(1e-6 * ice_size[at])) << ice_size[at];
        of_ice = coefficients(optics, of_ice_kind, ice_size[at]);
      }
      if (liquid_size[at] > 0) {
        ASSERT_TRUE(size_range(of_liquid_kind).holds(1e-6 * liquid_size[at])) << liquid_size[at];
        of_liquid = coefficients(optics, of_liquid_kind, liquid_size[at]);
      }
      for (std::size_t g = 0; g < shape[2]; ++g) {
        std::size_t const i = at * shape[2] + g;
        auto const band = static_cast<std::size_t>(band_of[g]) - 1;
        double const mine = fraction[i] == 1 ? ice_path[i] * of_ice[band] + liquid_path[i] * of_liquid[band] : 0;
        clouds += expected[i] > 0;
        worst = std::max(worst, std::abs(mine - expected[i]) / (1e-30 + std::abs(expected[i])) * (mine != expected[i]));
      }
    }
  EXPECT_GT(clouds, 1000U);
  EXPECT_LT(worst, (std::is_same_v<Real, double> ? 1e-13 : 2e-6));
}

TEST(CloudOptics, WrongOptionsAreRefused) {
  EXPECT_EQ(message_of([] { ice_optics(4, "in.nc: iceflglw(2)"); }),
            "in.nc: iceflglw(2): iceflglw = 4, expected 0, 1, 2 or 3");
  EXPECT_EQ(message_of([] { ice_optics(-1, "x"); }), "x: iceflglw = -1, expected 0, 1, 2 or 3");
  EXPECT_EQ(message_of([] { liquid_optics(2, "x"); }), "x: liqflglw = 2, expected 0 or 1");
  EXPECT_TRUE(size_range(IceOptics::fu).holds(140e-6));
  EXPECT_FALSE(size_range(IceOptics::fu).holds(140.5e-6));
  EXPECT_FALSE(size_range(IceOptics::streamer).holds(4.9e-6));
  EXPECT_FALSE(size_range(IceOptics::broad_bands).holds(131e-6));
  EXPECT_FALSE(size_range(IceOptics::all_bands).holds(9e-6));
  EXPECT_FALSE(size_range(LiquidOptics::hu_stamnes).holds(2.4e-6));
}

}  // namespace
