// SPDX-License-Identifier: BSD-3-Clause
#include "conformance.hpp"

#include <parhelion/core/host_driver.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include <limits>

namespace parhelion::Testing {

template <class Space, class Real>
struct ConformanceCase<monte_carlo::ReciprocalMonteCarlo<Space, Real>> {
  using S = monte_carlo::ReciprocalMonteCarlo<Space, Real>;

  static monte_carlo::Problem problem() {
    monte_carlo::Problem box;
    box.grid.faces = {monte_carlo::uniform_faces(4, 1), monte_carlo::uniform_faces(3, 1),
                      monte_carlo::uniform_faces(2, 1)};
    box.temperature = HostArray<double***>("parhelion::Testing::temperature", 4, 3, 2);
    for (std::size_t i = 0; i < 24; ++i) box.temperature.data()[i] = 700 + 10. * static_cast<double>(i);
    for (std::size_t side : {2U, 3U}) box.boundaries[side].type = monte_carlo::BoundaryType::periodic;
    for (std::size_t side : {0U, 1U, 4U, 5U}) box.boundaries[side].temperature = 600;
    box.boundaries[1].emissivity = 0.5;
    return box;
  }
  // Otherwise slopes carry what is not finite into the cells around.
  static monte_carlo::Options options() {
    return {.rays = 64, .repetitions = 4, .reconstruction = monte_carlo::Reconstruction::constant, .grids = 1};
  }

  static typename S::model_type model(Space const& space) { return {space, problem(), options()}; }
  static typename S::capacity_type capacity() { return S::capacity_for(problem(), options()); }
  static typename S::tuning_type tuning() { return {}; }

  static typename S::input_type input(Space const& space) {
    auto const box = problem();
    monte_carlo::MonteCarloInput<Kokkos::DefaultHostExecutionSpace> host;
    host.temperature = box.temperature;
    return make_device_arrays<typename S::input_type>(space, host);
  }
  static typename S::result_type result(Space const& space) {
    return make_device_arrays<typename S::result_type>(space, monte_carlo::make_results(problem()));
  }
  static void spoil(Space const& space, typename S::input_type& input, int item) {
    Array<Real***, Space> const spoilt(Kokkos::view_alloc(space, "parhelion::Testing::spoilt"), 4, 3, 2);
    Kokkos::deep_copy(space, spoilt, input.temperature);
    Kokkos::deep_copy(space, Kokkos::subview(spoilt, 0, item / 2, item % 2), std::numeric_limits<Real>::quiet_NaN());
    space.fence();
    input.temperature = spoilt;
  }
};

namespace {

using OfMonteCarlo = SolversOf<monte_carlo::ReciprocalMonteCarlo>::type;

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(MonteCarlo, Conformance, OfMonteCarlo, SolverName);

}  // namespace parhelion::Testing
