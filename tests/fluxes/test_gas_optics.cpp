// SPDX-License-Identifier: BSD-3-Clause
#include "reference.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/rrtmg_lw/gas_optics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using Host = Kokkos::DefaultHostExecutionSpace;

// Optical depths and Planck fractions of columns, on the host, in double.
template <class Space, class Real>
void host_gas_optics(fluxes::HostColumns const& columns, HostArray<double***>& tau, HostArray<double***>& fraction) {
  Space const space;
  fluxes::GasOptics<Space, Real> const model(Testing::reference_coefficients());
  auto const device = Testing::to_device<Space, Real>(columns);
  Array<Real***, Space> const device_tau("tau", columns.ncol(), columns.nlay(), fluxes::ngpt);
  Array<Real***, Space> const device_fraction("fraction", columns.ncol(), columns.nlay(), fluxes::ngpt);
  fluxes::compute_gas_optics(space, model, device, device_tau, device_fraction);
  space.fence();
  auto const fetch = [](auto const& from, HostArray<double***>& to) {
    auto const mirror = parhelion::host_copy(from);
    to = HostArray<double***>("host", from.extent(0), from.extent(1), from.extent(2));
    for (std::size_t i = 0; i < from.size(); ++i) to.data()[i] = mirror.data()[i];
  };
  fetch(device_tau, tau);
  fetch(device_fraction, fraction);
}

template <class Pair>
struct GasOpticsTest : testing::Test {};
TYPED_TEST_SUITE(GasOpticsTest, Testing::SpacesAndReals, Testing::PairName);

TYPED_TEST(GasOpticsTest, MatchesTheReferenceModel) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/debug_a.nc");
  using Real = typename TypeParam::Real;
  io::Hdf5File const file(path);
  HostArray<double***> tau, fraction;
  host_gas_optics<typename TypeParam::ExecutionSpace, Real>(Testing::read_reference_columns(file), tau, fraction);
  // In float an absorption coefficient is interpolated between neighbours of up to 100 times its size.
  double const relative = std::is_same_v<Real, double> ? 1e-10 : 2e-4;
  double const absolute = std::is_same_v<Real, double> ? 1e-14 : 2e-6;
  for (auto const& [mine, name] : std::array{std::pair(tau, "taug"), std::pair(fraction, "fracs")}) {
    auto const expected = file.read(name);
    ASSERT_EQ(expected.size(), mine.size());
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      double const excess = std::abs(mine.data()[i] - expected[i]) / (absolute + relative * std::abs(expected[i]));
      if (!(excess <= worst)) {
        worst = excess;
        at = i;
      }
    }
    std::size_t const nlay = mine.extent(1);
    EXPECT_LE(worst, 1) << name << " of column " << at / (nlay * fluxes::ngpt) << ", layer " << at / fluxes::ngpt % nlay
                        << ", g-point " << at % fluxes::ngpt << ": " << mine.data()[at] << ", expected "
                        << expected[at];
  }
}

// Absorption of at least 0 and Planck fractions that share out what a band emits make fluxes that can be.
TEST(Coefficients, ThatMakeImpossibleFluxesAreRefused) {
  std::array<std::vector<double>, fluxes::nbnd> good;
  auto const sizes = fluxes::record_values();
  for (std::size_t b = 0; b < good.size(); ++b) good[b].assign(static_cast<std::size_t>(sizes[b]), 1. / 16);
  EXPECT_NO_THROW(fluxes::Coefficients{good});
  auto const with = [&](std::size_t band, std::size_t number, double value) {
    auto spoiled = good;
    spoiled[band][number] = value;
    return Testing::message_of([&] { fluxes::Coefficients(spoiled, "file"); });
  };
  EXPECT_EQ(with(0, 3, -0.5), "file: record 1: number 4 of 5664 is -0.5, expected a number of at least 0");
  EXPECT_EQ(with(15, 13503, -1e-30),
            "file: record 16: number 13504 of 13504 is -1e-30, expected a number of at least 0");
  EXPECT_EQ(with(4, 31359, std::nan("")),
            "file: record 5: number 31360 of 31360 is nan, expected a number of at least 0");
  // Of band 3, with two species below and above, 9 and 5 sets of fractions stand first.
  std::string const fractions = "Planck fractions, add up to 1.0625, expected 1 within 0.0001";
  EXPECT_EQ(with(2, 0, 0.125), "file: record 3: numbers 1 to 16 of 32864, " + fractions);
  EXPECT_EQ(with(2, 14 * 16 - 1, 0.125), "file: record 3: numbers 209 to 224 of 32864, " + fractions);
  EXPECT_EQ(with(2, 14 * 16, 1e6), "(no parhelion::Error)") << "absorption may be as large as it likes";
  EXPECT_EQ(with(2, 0, 1. / 16 + 0.9e-4), "(no parhelion::Error)");
}

}  // namespace
