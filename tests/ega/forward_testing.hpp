// SPDX-License-Identifier: BSD-3-Clause
// What the tests of spectra share: their suite, comparisons, rays, and surfaces and clouds of atmospheres.
#ifndef PARHELION_TESTS_EGA_FORWARD_TESTING_HPP
#define PARHELION_TESTS_EGA_FORWARD_TESTING_HPP

#include <parhelion/ega/host_ega.hpp>

#include "comparisons.hpp"
#include "synthetic_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace parhelion::Testing {

/// The suite of spectra in all spaces and precisions; each file of it has its TYPED_TEST_SUITE.
template <class P>
struct EgaForward : testing::Test {
  using Space = typename P::ExecutionSpace;
  using Real = typename P::Real;

  /// Rounding of one operation.
  static constexpr double ulp = std::numeric_limits<Real>::epsilon();

  static ega::HostEgaOptions options() {
    return {.space = Space::name(), .precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64};
  }
  static ega::HostSpectra solve(ega::Problem const& problem, ega::HostAtmosphere const& atmosphere,
                                ega::HostObservation const& rays) {
    return ega::compute_spectra(problem, atmosphere, rays, options());
  }
};

/// To the last bit.
inline void expect_same(ega::HostSpectra const& a, ega::HostSpectra const& b, std::string const& what = {}) {
  EXPECT_TRUE(same_bits(a.radiance, b.radiance)) << what << " radiance";
  EXPECT_TRUE(same_bits(a.transmittance, b.transmittance)) << what << " transmittance";
  for (std::size_t r = 0; r < a.npoint.extent(0); ++r) {
    EXPECT_EQ(a.tangent.altitude(r), b.tangent.altitude(r)) << what;
    EXPECT_EQ(a.tangent.longitude(r), b.tangent.longitude(r)) << what;
    EXPECT_EQ(a.tangent.latitude(r), b.tangent.latitude(r)) << what;
    EXPECT_EQ(a.npoint(r), b.npoint(r)) << what;
  }
}

/// Radiances relative to the largest of their channel, transmittances absolutely.
inline void expect_near(ega::HostSpectra const& a, ega::HostSpectra const& b, double tolerance,
                        std::string const& what = {}) {
  for (std::size_t c = 0; c < a.radiance.extent(1); ++c) {
    double largest = 0;
    for (std::size_t r = 0; r < a.radiance.extent(0); ++r) largest = std::max(largest, b.radiance(r, c));
    for (std::size_t r = 0; r < a.radiance.extent(0); ++r) {
      EXPECT_NEAR(a.radiance(r, c), b.radiance(r, c), tolerance * largest) << what << " at " << r << ", " << c;
      EXPECT_NEAR(a.transmittance(r, c), b.transmittance(r, c), tolerance) << what << " at " << r << ", " << c;
    }
  }
}

inline ega::HostObservation limb_and_nadir() {
  return joined({limb_rays({5e3, 17e3, 33e3, 55e3}), nadir_rays({0, 4, 9})});
}

inline void set_surface(ega::HostAtmosphere& a, double altitude, double temperature,
                        std::vector<double> const& emissivity) {
  a.surface_altitude = HostArray<double*>("altitude", 1);
  a.surface_pressure = HostArray<double*>("pressure", 1);
  a.surface_temperature = HostArray<double*>("temperature", 1);
  a.surface_emissivity = HostArray<double**>("emissivity", 1, emissivity.size());
  a.surface_altitude(0) = altitude;
  a.surface_temperature(0) = temperature;
  for (std::size_t i = 0; i < emissivity.size(); ++i) a.surface_emissivity(0, i) = emissivity[i];
}

inline void set_cloud(ega::HostAtmosphere& a, double height, double depth, std::vector<double> const& extinction) {
  a.cloud_height = HostArray<double*>("height", 1);
  a.cloud_depth = HostArray<double*>("depth", 1);
  a.cloud_extinction = HostArray<double**>("extinction", 1, extinction.size());
  a.cloud_height(0) = height;
  a.cloud_depth(0) = depth;
  for (std::size_t i = 0; i < extinction.size(); ++i) a.cloud_extinction(0, i) = extinction[i];
}

}  // namespace parhelion::Testing

#endif
