// SPDX-License-Identifier: BSD-3-Clause
// The device's side of spectra: the solver by itself, its tuning, and rays that it cannot follow.
#include <parhelion/core/copies.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/ega/forward_model.hpp>
#include <parhelion/ega/host_ega.hpp>

#include "forward_testing.hpp"
#include "kokkos_manners.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

TYPED_TEST_SUITE(EgaForward, SpacesAndReals, PairName);

template <class Space, class Real>
struct OnDevice {
  Space space;
  Model<Space, Real> model;
  ForwardInput<Space> input;
  Spectra<Space, Real> spectra;
  ForwardCapacity capacity;

  OnDevice(Problem const& problem, HostAtmosphere const& a, HostObservation const& rays)
      : model(make_model<Space, Real>(space, problem, 0, problem.nchannel())),
        input{make_device_arrays<Atmosphere<Space>>(space, a), make_device_arrays<Observation<Space>>(space, rays)},
        spectra(make_spectra<Real>(space, rays.nray(), problem.nchannel())),
        capacity{.nray = rays.nray(),
                 .ngas = problem.ngas(),
                 .nchannel = problem.nchannel(),
                 .npoint = max_points(problem.options, a),
                 .nprofile = a.nprofile(),
                 .nlev = a.nlev()} {}

  HostSpectra solve(ForwardTuning const& tuning = {}) {
    ForwardModel<Space, Real> solver(space, model, capacity, tuning);
    solver.solve(space, input, spectra);
    space.fence();
    return host();
  }

  HostSpectra host() const {
    auto out = make_spectra<double>(Kokkos::DefaultHostExecutionSpace(), spectra.radiance.extent_int(0),
                                    spectra.radiance.extent_int(1));
    HostSpectra::for_each_array(
        [](ArrayDescription const&, auto const& to, auto const& from) {
          auto const copy = parhelion::host_copy(from);
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = copy.data()[i];
        },
        out, spectra);
    return out;
  }
};

TYPED_TEST(EgaForward, TuningDoesNotChangeResults) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  auto const problem = small_problem(4, 10);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  OnDevice<Space, Real> device(problem, a, rays);
  auto const plain = device.solve({.gas_threads = 1});
  for (int const batch : {1, 2, 4}) expect_same(device.solve({.gas_threads = 1, .batch = batch}), plain, "batch");
  expect_same(device.solve({.gas_threads = 1, .rays_per_team = 3}), plain, "rays of a team");
  expect_same(device.solve({.gas_threads = 1, .nray = 100000}), plain, "number of rays");
  for (int const threads : {2, 3, 4}) {
    // Gases come together in another order.
    expect_near(device.solve({.gas_threads = threads}), plain, 4 * 300 * this->ulp, "threads of gases");
    expect_same(device.solve({.gas_threads = threads, .rays_per_team = 2, .batch = 3}),
                device.solve({.gas_threads = threads}), "threads of gases, rays of a team");
  }
  expect_near(this->solve(problem, a, rays), plain, 4 * 300 * this->ulp);
}

TYPED_TEST(EgaForward, RaysWithoutRoomAreNotNumbers) {
  OnDevice<typename TestFixture::Space, typename TestFixture::Real> device(
      small_problem(2, 3), small_atmosphere({"CO2", "H2O"}), joined({limb_rays({20e3}), nadir_rays({0})}));
  device.capacity.npoint = 70;  // enough for 60 steps down, not for the limb
  auto const spectra = device.solve();
  ForwardModel<typename TestFixture::Space, typename TestFixture::Real> solver(device.space, device.model,
                                                                               device.capacity);
  solver.solve(device.space, device.input, device.spectra);
  EXPECT_EQ(solver.status(device.space).first_not_finite, 0);
  EXPECT_TRUE(solver.status(device.space).good());
  EXPECT_EQ(spectra.npoint(0), -1);
  EXPECT_GT(spectra.npoint(1), 60);
  for (int c = 0; c < 3; ++c) {
    EXPECT_TRUE(std::isnan(spectra.radiance(0, c)));
    EXPECT_TRUE(std::isnan(spectra.transmittance(0, c)));
    EXPECT_GT(spectra.radiance(1, c), 0);
  }
}

// Rays that have no direction, among others: an observer outside of the atmosphere would never get there, and one
// inside of it would take steps to nowhere.
TYPED_TEST(EgaForward, RaysWithoutGeometryAreNotNumbers) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  auto problem = small_problem(2, 3);
  problem.options.surface = SurfaceType::sunlight;
  auto const a = small_atmosphere(problem.gases);
  auto const good = joined({limb_rays({20e3}), nadir_rays({0, 1, 2})});
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<HostObservation> cases;
  for (double const observer : {700e3, 10e3})
    for (double const value : {std::nan(""), infinity, -infinity})
      for (int array = 0; array < 7; ++array) {
        auto const rays = joined({good});
        rays.observer.altitude(2) = observer;
        std::array const arrays{rays.time,
                                rays.observer.altitude,
                                rays.observer.longitude,
                                rays.observer.latitude,
                                rays.view_point.altitude,
                                rays.view_point.longitude,
                                rays.view_point.latitude};
        arrays[static_cast<std::size_t>(array)](2) = value;
        cases.push_back(rays);
      }
  auto const nowhere = joined({good});
  copy_ray(nowhere, 2, good, 1);
  nowhere.observer.altitude(2) = nowhere.view_point.altitude(2);
  cases.push_back(nowhere);

  OnDevice<Space, Real> device(problem, a, good);
  ForwardModel<Space, Real> solver(device.space, device.model, device.capacity);
  solver.solve(device.space, device.input, device.spectra);
  EXPECT_TRUE(solver.status(device.space).good());
  auto const expected = device.host();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    device.input.observation = make_device_arrays<Observation<Space>>(device.space, cases[i]);
    solver.solve(device.space, device.input, device.spectra);
    EXPECT_EQ(solver.status(device.space).first_not_finite, 2);
    auto const spectra = device.host();
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(spectra.npoint(r), r == 2 ? -1 : expected.npoint(r));
      for (int c = 0; c < 3; ++c) {
        if (r == 2) {
          EXPECT_TRUE(std::isnan(spectra.radiance(r, c)));
          EXPECT_TRUE(std::isnan(spectra.transmittance(r, c)));
        } else {
          EXPECT_EQ(spectra.radiance(r, c), expected.radiance(r, c));
          EXPECT_EQ(spectra.transmittance(r, c), expected.transmittance(r, c));
        }
      }
    }
  }
}

TYPED_TEST(EgaForward, SolveHasGoodManners) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  OnDevice<Space, Real> device(small_problem(3, 9), small_atmosphere({"CO2", "H2O", "O3"}), limb_and_nadir());
  Space const space = another_instance<Space>();
  ForwardModel<Space, Real> solver(space, device.model, device.capacity, {.batch = 4});
  auto const step = [&] { solver.solve(space, device.input, device.spectra); };
  step();
  space.fence();
  auto const report = watch(step);
  space.fence();
  expect_good_manners(report, space);
  EXPECT_GE(solver.workspace_bytes(), 4 * static_cast<std::size_t>(device.capacity.npoint) * 4 * sizeof(double));
  EXPECT_GT(device.model.bytes(), 0U);
}

TYPED_TEST(EgaForward, LabelsAreOurs) {
  auto const problem = small_problem(2, 3);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  this->solve(problem, a, rays);
  auto const report = watch([&] { this->solve(problem, a, rays); });
  // Kokkos's own kernels, fills of Views among them, have its names.
  for (auto const& label : report.labels)
    EXPECT_TRUE(label.find("parhelion::") != std::string::npos || label.starts_with("Kokkos::")) << label;
  for (auto const& label : report.allocations)
    EXPECT_TRUE(label.starts_with("parhelion::") || label.starts_with("Kokkos::")) << label;
}

TYPED_TEST(EgaForward, WhatDoesNotFitTheSolverIsNamed) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  OnDevice<Space, Real> device(small_problem(2, 3), small_atmosphere({"CO2", "H2O"}), limb_and_nadir());
  auto const refusal = [&](ForwardCapacity const& capacity) {
    return message_of([&] {
      ForwardModel<Space, Real> solver(device.space, device.model, capacity);
      solver.solve(device.space, device.input, device.spectra);
    });
  };
  auto capacity = device.capacity;
  capacity.npoint = 0;
  EXPECT_NE(refusal(capacity).find("expected positive numbers"), std::string::npos);
  capacity = device.capacity;
  capacity.nlev = 1;
  EXPECT_NE(refusal(capacity).find("and at least 2 levels"), std::string::npos);
  capacity = device.capacity;
  capacity.nray = 6;
  EXPECT_EQ(refusal(capacity), "ForwardModel: 7 rays and 1 profiles of 31 levels, expected no more than 6, 1 and 31");
  capacity = device.capacity;
  capacity.nchannel = 2;
  EXPECT_EQ(refusal(capacity),
            "ForwardModel: the model has 2 gases and 3 channels, expected 2 gases and no more than 2 channels");
  capacity = device.capacity;
  capacity.ngas = 3;
  EXPECT_EQ(refusal(capacity),
            "ForwardModel: the model has 2 gases and 3 channels, expected 3 gases and no more than 3 channels");
  device.input.atmosphere.cloud_height = Array<double*, Space>("parhelion::Testing::height", 1);
  EXPECT_EQ(refusal(device.capacity),
            "ForwardModel: cloud_height is given and cloud_extinction is not given, expected both or none");
  device.input.atmosphere.cloud_height = {};
  device.spectra.radiance = Array<Real**, Space>("parhelion::Testing::radiance", 7, 2);
  EXPECT_NE(refusal(device.capacity).find("radiance has shape (7, 2), expected (7, 3)"), std::string::npos);
}

}  // namespace
