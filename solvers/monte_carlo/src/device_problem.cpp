// SPDX-License-Identifier: BSD-3-Clause
#include "device_arrays.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/lifetime.hpp>
#include <parhelion/monte_carlo/device_problem.hpp>

#include <utility>
#include <vector>

namespace parhelion::monte_carlo {

namespace Impl {

Faces faces_of(Problem const& problem, Options const& options) {
  Faces faces;
  for (std::size_t side = 0; side < 6; ++side) {
    faces.first[side + 1] = faces.first[side];
    if (!options.walls || !problem.boundaries[side].is_wall()) continue;
    auto const [n0, n1] = face_extents(problem.grid, static_cast<int>(side));
    faces.first[side + 1] += static_cast<int>(n0 * n1);
  }
  return faces;
}

template <KokkosExecutionSpace Space, Floating Real>
std::shared_ptr<DeviceArrays<Space, Real>> make_device_arrays(Space const& space, Problem const& problem,
                                                              ProblemNumbers const& numbers, Options const& options) {
  auto arrays = std::make_shared<DeviceArrays<Space, Real>>();
  arrays->options = options;
  arrays->faces = faces_of(problem, options);
  arrays->field = make_device_field<Space, Real>(space, problem, numbers, options);
  arrays->spectrum = make_device_spectrum<Space, Real>(space, problem, numbers, options);
  arrays->field.steps = arrays->spectrum.steps;
  arrays->temperature = Array<Real*, Space>(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::monte_carlo::temperature_of_problem"),
      problem.grid.size());
  return arrays;
}

template <KokkosExecutionSpace Space, Floating Real>
void bring_arrays(Space const& space, DeviceArrays<Space, Real> const& to, ProblemArrays const& from, double pressure) {
  bring(space, from.temperature, from.on_device, contiguous(to.temperature.data(), from.temperature));
  bring_amount(space, to.field, from, pressure);
  bring_face_temperatures(space, to.spectrum.walls, from);
}

}  // namespace Impl

template <KokkosExecutionSpace Space, Floating Real>
DeviceProblem<Space, Real>::DeviceProblem(Space const& space, Problem const& problem, Options const& options) {
  require_kokkos("monte_carlo::DeviceProblem");
  validate(options);
  validate(problem);
  auto const arrays = Impl::make_device_arrays<Space, Real>(space, problem, Impl::numbers_of(problem), options);
  Impl::bring_arrays(space, *arrays, Impl::ProblemArrays::of(problem), problem.pressure);
  space.fence("parhelion::monte_carlo::DeviceProblem");
  m_arrays = arrays;
}

template <KokkosExecutionSpace Space, Floating Real>
DeviceProblem<Space, Real>::DeviceProblem(std::shared_ptr<Impl::DeviceArrays<Space, Real> const> arrays)
    : m_arrays(std::move(arrays)) {}

template <KokkosExecutionSpace Space, Floating Real>
DeviceProblem<Space, Real>::~DeviceProblem() {
  leave_if_kokkos_is_gone(m_arrays);
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t DeviceProblem<Space, Real>::ncell() const {
  return m_arrays->temperature.size();
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t DeviceProblem<Space, Real>::nface() const {
  return static_cast<std::size_t>(m_arrays->faces.n());
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t DeviceProblem<Space, Real>::bytes() const {
  auto const bytes = [](auto const&... views) {
    return ((views.size() * sizeof(typename std::decay_t<decltype(views)>::value_type)) + ...);
  };
  auto const& [options, faces, field, spectrum, temperature] = *m_arrays;
  return bytes(field.face, field.crossing, field.amount, temperature, spectrum.node, spectrum.walls.source,
               spectrum.walls.temperature, spectrum.of_cells.cumulative, spectrum.of_cells.order,
               spectrum.of_cells.weight, spectrum.of_walls.cumulative, spectrum.of_walls.order,
               spectrum.of_walls.weight);
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t DeviceProblem<Space, Real>::bytes(Problem const& problem, Options const& options) {
  std::vector<double> faces;
  auto const numbers = Impl::numbers_of(problem);
  auto const levels = levels_of(problem, numbers, options, faces);
  std::size_t const cells = cells_of_all(levels);
  std::size_t crossings = 0;
  for (auto const& level : levels)
    for (int const n : level.ncell) crossings += 2 * static_cast<std::size_t>(n);
  auto const npoint = static_cast<std::size_t>(problem.spectrum.npoint());
  std::size_t of_walls = 0;
  for (auto const& side : problem.boundaries)
    if (side.is_wall()) of_walls += std::max<std::size_t>(1, side.face_temperature.size());
  std::size_t const reals = faces.size() + 4 * crossings + (problem.mole_fraction.size() > 0 ? cells : 1) +
                            problem.grid.size() +
                            4 * npoint * static_cast<std::size_t>(Impl::nodes_of_table(problem, numbers, options)) +
                            Impl::wall_sources(problem, numbers) + of_walls + 2 * npoint;
  return reals * sizeof(Real) + 2 * npoint * (sizeof(double) + sizeof(int));
}

#define PARHELION_IMPL_INSTANTIATE_FOR(SPACE, REAL)                                   \
  template class DeviceProblem<SPACE, REAL>;                                          \
  template std::shared_ptr<Impl::DeviceArrays<SPACE, REAL>> Impl::make_device_arrays( \
      SPACE const&, Problem const&, ProblemNumbers const&, Options const&);           \
  template void Impl::bring_arrays(SPACE const&, DeviceArrays<SPACE, REAL> const&, ProblemArrays const&, double);
#define PARHELION_IMPL_INSTANTIATE(SPACE)      \
  PARHELION_IMPL_INSTANTIATE_FOR(SPACE, float) \
  PARHELION_IMPL_INSTANTIATE_FOR(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE
#undef PARHELION_IMPL_INSTANTIATE_FOR

}  // namespace parhelion::monte_carlo
