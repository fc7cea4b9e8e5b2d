// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/forward_model.hpp>

#include "forward_kernel.hpp"
#include "ray_steps.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/core/lanes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace parhelion::ega {

namespace {

constexpr char const* where = "ForwardModel";

// As many rays as fit: a batch must fill the device twice, once with a thread a ray when they are traced.
int default_batch(ForwardCapacity const& capacity, bool on_host) {
  constexpr double most_bytes = 2.5e9;
  double const bytes = static_cast<double>(capacity.npoint) * sizeof(RayPoint) +
                       static_cast<double>(capacity.ngas) * capacity.nchannel * 16;
  int const most = on_host ? 1024 : 65536;
  return std::clamp(static_cast<int>(most_bytes / bytes), 1, std::min(capacity.nray, most));
}

template <class Space>
int batch_of(ForwardCapacity const& capacity, ForwardTuning const& tuning) {
  return tuning.batch > 0 ? std::min(tuning.batch, capacity.nray) : default_batch(capacity, runs_on_host<Space>);
}

// Scratch that a ray takes in ForwardKernel.
template <class Real>
std::size_t ray_scratch(int threads, int lanes) {
  auto const t = static_cast<std::size_t>(threads);
  auto const w = static_cast<std::size_t>(lanes);
  std::size_t const per_point = sizeof(Impl::SegmentTerms<Real>) + sizeof(Impl::SegmentPlace) +
                                t * (sizeof(Impl::Corners<Real>) + sizeof(Impl::LookupPlace) + (1 + w) * sizeof(Real));
  return Impl::chunk * per_point + 3 * w * sizeof(Real);
}

template <class Real>
Impl::ForwardCut cut_for(ForwardTuning const& tuning, ForwardCapacity const& capacity, int lanes, bool on_host) {
  if (on_host) return {1, 1};
  int const nray = tuning.nray > 0 ? tuning.nray : capacity.nray;
  int const blocks = (capacity.nchannel + lanes - 1) / lanes;
  // As many threads of a ray as keep a large device busy when rays are few.
  double const warps = static_cast<double>(nray) * blocks * lanes / 32;
  int threads = 1;
  while (threads < capacity.ngas && threads < 4 && warps * threads < 8000) threads *= 2;
  threads = std::min(threads, capacity.ngas);
  if (tuning.gas_threads > 0) threads = std::min(tuning.gas_threads, capacity.ngas);
  // Few channels leave lanes of a warp to other rays, as far as these have room: devices have 48 KB of scratch a team.
  auto const room = static_cast<int>((std::size_t(32) << 10U) / ray_scratch<Real>(threads, lanes));
  int rays = std::max(1, std::min(32 / (lanes * threads), room));
  if (tuning.rays_per_team > 0) rays = tuning.rays_per_team;
  return {threads, rays};
}

}  // namespace

template <KokkosExecutionSpace Space, Floating Real>
ForwardModel<Space, Real>::ForwardModel(Space const& space, ForwardCapacity const& capacity,
                                        ForwardTuning const& tuning)
    : m_capacity(capacity), m_tuning(tuning) {
  require_kokkos(where);
  for (int const number : {capacity.nray, capacity.ngas, capacity.nchannel, capacity.npoint})
    if (number <= 0)
      throw Error(where,
                  fmt::format("capacity for {} rays, {} gases, {} channels and {} points, expected positive numbers",
                              capacity.nray, capacity.ngas, capacity.nchannel, capacity.npoint));
  if (tuning.gas_threads < 0 || tuning.rays_per_team < 0 ||
      std::max(1, tuning.gas_threads) * std::max(1, tuning.rays_per_team) * lanes_of<Space>(capacity.nchannel) >
          Impl::most_team_lanes)
    throw Error(where,
                fmt::format("{} threads for each of {} rays with {} channels side by side, expected no more than {} "
                            "in all",
                            tuning.gas_threads, tuning.rays_per_team, lanes_of<Space>(capacity.nchannel),
                            Impl::most_team_lanes));
  m_tuning.batch = batch_of<Space>(capacity, tuning);
  int const lanes = lanes_of<Space>(capacity.nchannel);
  int const padded = (capacity.nchannel + lanes - 1) / lanes * lanes;
  auto const label = [&](std::string const& name) {
    return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::ega::ForwardModel::" + name);
  };
  m_rays.point = Array<RayPoint**, Space>(label("point"), m_tuning.batch, capacity.npoint);
  m_rays.end = Array<RayEnd*, Space>(label("end"), m_tuning.batch);
  if (tuning.keep_places) m_rays.place = Array<double** [3], Space>(label("place"), m_tuning.batch, capacity.npoint);
  m_path = Array<Real***, Space>(label("path"), m_tuning.batch, capacity.ngas, padded);
  m_last = Array<std::uint64_t***, Space>(label("last"), m_tuning.batch, capacity.ngas, padded);
  m_means = Array<double** [3], Space>(label("means"), m_tuning.batch, padded / lanes * capacity.ngas);
}

template <KokkosExecutionSpace Space, Floating Real>
void ForwardModel<Space, Real>::solve(Space const& space, Model<Space, Real> const& model,
                                      Atmosphere<Space> const& atmosphere, Observation<Space> const& observation,
                                      Spectra<Space, Real> const& spectra, PathRecord<Space> const& record) const {
  int const nray = observation.nray();
  if (nray > m_capacity.nray || model.ngas() != m_capacity.ngas || model.nchannel > m_capacity.nchannel ||
      model.tables.lanes > lanes_of<Space>(m_capacity.nchannel))
    throw Error(where,
                fmt::format("{} rays, {} gases and {} channels, expected no more than {}, as many as {}, and no "
                            "more than {}",
                            nray, model.ngas(), model.nchannel, m_capacity.nray, m_capacity.ngas, m_capacity.nchannel));
  auto const rays = static_cast<std::size_t>(nray);
  auto const channels = static_cast<std::size_t>(model.nchannel);
  expect_shape(where, spectra.radiance, "radiance", {rays, channels});
  expect_shape(where, spectra.transmittance, "transmittance", {rays, channels});
  expect_shape(where, spectra.end, "end", {rays});
  if (atmosphere.ngas() != model.ngas())
    throw Error(where, fmt::format("the atmosphere has {} gases, expected {}", atmosphere.ngas(), model.ngas()));

  Impl::ForwardCut const cut = cut_for<Real>(m_tuning, m_capacity, model.tables.lanes, runs_on_host<Space>);
  [[maybe_unused]] bool const float_slopes = model.options.table_slopes == TableSlopes::float32;
  for (int first = 0; first < nray; first += m_tuning.batch) {
    int const number = std::min(m_tuning.batch, nray - first);
    trace_rays(space, atmosphere, observation, Impl::ray_options(model.options), first, m_rays);
    bool const keep = record.radiance.size() > 0;
    bool const is_usual = model.options.method == Method::growth && model.tables.shared_grids && !keep;
    Impl::ForwardWork<Space, Real> const work{model,  atmosphere, observation, m_rays,  first,  number, cut,
                                              m_path, m_last,     m_means,     spectra, record, keep};
    auto const launch = [&]<bool slopes_in_float>() {
      if (is_usual)
        Impl::LaunchForward<Space, Real, slopes_in_float, true>::launch(space, work);
      else
        Impl::LaunchForward<Space, Real, slopes_in_float, false>::launch(space, work);
    };
    if constexpr (std::is_same_v<Real, double>) {
      if (float_slopes)
        launch.template operator()<true>();
      else
        launch.template operator()<false>();
    } else {
      launch.template operator()<true>();
    }
  }
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t ForwardModel<Space, Real>::workspace_bytes(ForwardCapacity const& capacity, ForwardTuning const& tuning) {
  auto const lanes = static_cast<std::size_t>(lanes_of<Space>(capacity.nchannel));
  auto const blocks = (static_cast<std::size_t>(capacity.nchannel) + lanes - 1) / lanes;
  auto const points = static_cast<std::size_t>(capacity.npoint);
  auto const gases = static_cast<std::size_t>(capacity.ngas);
  std::size_t const place = tuning.keep_places ? 3 * sizeof(double) : 0;
  return static_cast<std::size_t>(batch_of<Space>(capacity, tuning)) *
         (points * (sizeof(RayPoint) + place) + sizeof(RayEnd) +
          gases * blocks * (lanes * (sizeof(Real) + sizeof(std::uint64_t)) + 3 * sizeof(double)));
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)    \
  template class ForwardModel<SPACE, float>; \
  template class ForwardModel<SPACE, double>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega
