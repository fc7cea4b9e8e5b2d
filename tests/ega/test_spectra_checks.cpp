// SPDX-License-Identifier: BSD-3-Clause
#include "host_forward.hpp"  // of the solver
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

// Enough rays for several threads, of which each has several blocks.
constexpr int nray = 40000;
constexpr int nchannel = 3;

struct SpectraChecks : testing::Test {
  Problem problem = small_problem(1, nchannel);
  HostAtmosphere atmosphere = small_atmosphere(problem.gases);
  HostObservation rays = limb_rays({10e3});
  HostSpectra spectra = ega::Impl::unknown_spectra(HostThreads(), nray, nchannel);

  SpectraChecks() {
    // Any radiance from 0 on is possible with sunlight.
    problem.options.surface = SurfaceType::sunlight;
    parhelion::assign_array(spectra.radiance, 0.1);
    parhelion::assign_array(spectra.transmittance, 0.5);
  }

  std::string refusal(ega::Impl::Air air = ega::Impl::Air::given) const {
    return message_of([&] { ega::Impl::check_plausible(HostThreads(), problem, atmosphere, rays, spectra, air); });
  }
};

TEST_F(SpectraChecks, UnknownSpectraAreNotNumbersInAllRays) {
  auto const unknown = ega::Impl::unknown_spectra(HostThreads(), nray, nchannel);
  for (int r = 0; r < nray; ++r)
    for (int c = 0; c < nchannel; ++c)
      ASSERT_TRUE(std::isnan(unknown.radiance(r, c)) && std::isnan(unknown.transmittance(r, c))) << r << " " << c;
}

TEST_F(SpectraChecks, TheFirstRayThatCannotBeIsNamed) {
  EXPECT_EQ(refusal(), "(no parhelion::Error)");
  spectra.radiance(nray - 1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(),
            "compute_spectra: radiance(39999, 1) = inf W m-2 sr-1 (cm-1)-1, expected a finite number of at "
            "least 0");
  spectra.transmittance(20000, 2) = 1.5;
  EXPECT_EQ(refusal(), "compute_spectra: transmittance(20000, 2) = 1.5, expected 0 to 1");
  spectra.radiance(20000, 0) = -1;
  EXPECT_EQ(refusal(),
            "compute_spectra: radiance(20000, 0) = -1 W m-2 sr-1 (cm-1)-1, expected a finite number of at "
            "least 0");
  spectra.radiance(7, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(),
            "compute_spectra: radiance(7, 2) = nan W m-2 sr-1 (cm-1)-1, expected a finite number of at "
            "least 0");
}

// A few cancelled terms of a field of view leave less than zero.
TEST_F(SpectraChecks, RoundingAroundZeroIsNoFault) {
  spectra.radiance(nray / 2, 0) = -0.5e-10;
  EXPECT_EQ(refusal(), "(no parhelion::Error)");
  spectra.radiance(nray / 2, 0) = -2e-10;
  EXPECT_NE(refusal(), "(no parhelion::Error)");
}

TEST_F(SpectraChecks, ATrialLosesWhatCannotBeAndNothingElse) {
  spectra.radiance(nray - 1, 1) = std::numeric_limits<double>::infinity();
  spectra.transmittance(20000, 2) = 1.5;
  EXPECT_EQ(refusal(ega::Impl::Air::trial), "(no parhelion::Error)");
  for (int r = 0; r < nray; ++r)
    for (int c = 0; c < nchannel; ++c) {
      ASSERT_EQ(std::isnan(spectra.radiance(r, c)), r == nray - 1 && c == 1) << r << " " << c;
      ASSERT_EQ(std::isnan(spectra.transmittance(r, c)), r == 20000 && c == 2) << r << " " << c;
    }
}

}  // namespace
