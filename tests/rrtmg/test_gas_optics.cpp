// SPDX-License-Identifier: BSD-3-Clause
#include "reference.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/rrtmg/gas_optics.hpp>
#include <parhelion/rrtmg/interpolation_state.hpp>
#include <parhelion/rrtmg/reference_tables.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using namespace parhelion;
using Host = Kokkos::DefaultHostExecutionSpace;

// Optical depths and Planck fractions of columns, on the host, in double.
template <class Space, class Real>
void host_gas_optics(rrtmg::HostColumns const& columns, HostArray<double***>& tau, HostArray<double***>& fraction) {
  Space const space;
  rrtmg::GasOptics<Space, Real> const model(Testing::reference_coefficients());
  auto const device = Testing::to_device<Space, Real>(columns);
  Array<Real***, Space> const device_tau("tau", columns.ncol(), columns.nlay(), rrtmg::ngpt);
  Array<Real***, Space> const device_fraction("fraction", columns.ncol(), columns.nlay(), rrtmg::ngpt);
  rrtmg::compute_gas_optics(space, model, device, device_tau, device_fraction);
  space.fence();
  auto const fetch = [](auto const& from, HostArray<double***>& to) {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from);
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
    EXPECT_LE(worst, 1) << name << " of column " << at / (nlay * rrtmg::ngpt) << ", layer " << at / rrtmg::ngpt % nlay
                        << ", g-point " << at % rrtmg::ngpt << ": " << mine.data()[at] << ", expected " << expected[at];
  }
}

}  // namespace
