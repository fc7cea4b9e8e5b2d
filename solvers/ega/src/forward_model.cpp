// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/forward_model.hpp>

#include "forward_kernel.hpp"
#include "solver_checks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/machine.hpp>
#include <parhelion/core/workspace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parhelion::ega {

namespace {

constexpr char const* where = "ForwardModel";

// As many rays as fit: a batch must fill the device even when they are traced, with one thread for each ray.
int default_batch(ForwardCapacity const& capacity, bool on_host) {
  constexpr double max_bytes = 2.5e9;
  double const bytes = static_cast<double>(capacity.npoint) * sizeof(Impl::RayPoint) +
                       static_cast<double>(capacity.ngas) * capacity.nchannel * 16;
  int const most = on_host ? 1024 : 65536;
  return std::clamp(static_cast<int>(max_bytes / bytes), 1, std::min(capacity.nray, most));
}

template <class Space>
int batch_of(ForwardCapacity const& capacity, ForwardTuning const& tuning) {
  return tuning.batch > 0 ? std::min(tuning.batch, capacity.nray) : default_batch(capacity, runs_on_host<Space>);
}

// Scratch memory of a ray in ForwardKernel.
template <class Real>
std::size_t ray_scratch(int threads, int lanes, int points) {
  auto const t = static_cast<std::size_t>(threads);
  auto const w = static_cast<std::size_t>(lanes);
  std::size_t const per_point = sizeof(Impl::SegmentTerms<Real>) + sizeof(Impl::SegmentPlace) +
                                t * (sizeof(Impl::Corners<Real>) + sizeof(Impl::LookupPlace) + (1 + w) * sizeof(Real));
  return static_cast<std::size_t>(points) * per_point + 3 * w * sizeof(Real);
}

template <class Space, class Real>
Impl::ForwardCut cut_for(ForwardTuning const& tuning, ForwardCapacity const& capacity, int lanes) {
  using Machine = MachineTraits<Space>;
  if (runs_on_host<Space>) return {1, 1, 16};
  int const nray = tuning.nray > 0 ? tuning.nray : capacity.nray;
  int const blocks = (capacity.nchannel + lanes - 1) / lanes;
  // Enough threads for each ray to keep a large device busy if there are few rays.
  double const warps = static_cast<double>(nray) * blocks * lanes / Machine::lanes;
  int threads = 1;
  while (threads < capacity.ngas && threads < 4 && warps * threads < 8000) threads *= 2;
  threads = std::min(threads, capacity.ngas);
  if (tuning.gas_threads > 0) threads = std::min(tuning.gas_threads, capacity.ngas);
  // Threads of a ray wait for each other less often if they have more points. Few channels leave their room to other
  // rays.
  bool const is_roomy =
      static_cast<std::size_t>(std::max(1, tuning.rays_per_team)) * ray_scratch<Real>(threads, lanes, 32) <=
      Machine::team_scratch_bytes;
  int const points = threads > 1 && lanes >= Machine::lanes && is_roomy ? 32 : 16;
  // With few channels, other rays use the remaining lanes of a warp, within two thirds of a team's scratch memory.
  constexpr std::size_t scratch = Machine::team_scratch_bytes / 3 * 2;
  auto const room = static_cast<int>(scratch / ray_scratch<Real>(threads, lanes, points));
  int rays = std::max(1, std::min(Machine::lanes / (lanes * threads), room));
  if (tuning.rays_per_team > 0) rays = tuning.rays_per_team;
  return {threads, rays, points};
}

/// The number of channels, padded to whole blocks.
template <class Space>
int padded_channels(int nchannel) {
  int const lanes = lanes_of<Space>(nchannel);
  return (nchannel + lanes - 1) / lanes * lanes;
}

/// The workspace of a solver.
template <class Space, class Real>
struct Blocks {
  Impl::AirProfiles<Space> profiles;
  Impl::Rays<Space> rays;
  WorkspaceArray<Real***, Space> path;           ///< emissivity so far, (ray, gas, channel)
  WorkspaceArray<std::uint64_t***, Space> last;  ///< the points used last at the four corners
  WorkspaceArray<double** [3], Space> means;     ///< Curtis-Godson sums, (ray, gas of a block of channels)
};

template <class Space, class Real, class Work>
Blocks<Space, Real> take_blocks(Work& work, ForwardCapacity const& capacity, int batch) {
  int const padded = padded_channels<Space>(capacity.nchannel);
  Blocks<Space, Real> blocks;
  blocks.profiles = Impl::take_profiles<Space>(work, capacity.nprofile, capacity.nlev);
  blocks.rays.point = work.template take<Impl::RayPoint**>("point", batch, capacity.npoint);
  blocks.rays.summary = work.template take<Impl::RaySummary*>("summary", batch);
  blocks.path = work.template take<Real***>("path", batch, capacity.ngas, padded);
  blocks.last = work.template take<std::uint64_t***>("last", batch, capacity.ngas, padded);
  blocks.means =
      work.template take<double** [3]>("means", batch, padded / lanes_of<Space>(capacity.nchannel) * capacity.ngas);
  return blocks;
}

void check_tuning(ForwardTuning const& tuning, int lanes) {
  if (tuning.gas_threads < 0 || tuning.rays_per_team < 0 ||
      std::max(1, tuning.gas_threads) * std::max(1, tuning.rays_per_team) * lanes > Impl::max_team_lanes)
    throw Error(where,
                fmt::format("{} threads for each of {} rays with {} channels side by side, expected no more than {} "
                            "in all",
                            tuning.gas_threads, tuning.rays_per_team, lanes, Impl::max_team_lanes));
}

/// Copies the points of rays to the record.
template <class Space>
struct RecordPoints {
  Impl::Rays<Space> rays;
  PathRecord<Space> record;
  int first;

  KOKKOS_FUNCTION void operator()(int ray) const {
    Impl::RaySummary const summary = rays.summary(ray);
    int const to = first + ray;
    record.surface_air(to) = summary.surface ? summary.surface_temperature : 0;
    for (int i = 0; i < summary.npoint; ++i) {
      Impl::RayPoint const point = rays.point(ray, i);
      record.pressure(to, i) = point.pressure;
      record.temperature(to, i) = point.temperature;
      record.length(to, i) = point.length;
      record.position(to, i) = point.position;
      // For gases without tables.
      for (std::size_t g = 0; g < record.gas_transmittance.extent(2); ++g)
        for (std::size_t c = 0; c < record.gas_transmittance.extent(3); ++c) record.gas_transmittance(to, i, g, c) = 1;
    }
  }
};

}  // namespace

template <KokkosExecutionSpace Space, Floating Real>
struct ForwardModel<Space, Real>::Content {
  model_type model;
  ForwardCapacity capacity;
  ForwardTuning tuning;
  Workspace<Space> work;
  Blocks<Space, Real> blocks;
  NotFinite<Space> not_finite;

  Content(Space const& space, model_type const& its_model, ForwardCapacity const& its_capacity,
          ForwardTuning const& its_tuning)
      : model(its_model),
        capacity(its_capacity),
        tuning(its_tuning),
        work(space, ForwardModel::workspace_bytes(space, capacity, tuning) - NotFinite<Space>::bytes(),
             "parhelion::ega::ForwardModel::workspace"),
        not_finite(space) {
    tuning.batch = batch_of<Space>(capacity, tuning);
    blocks = take_blocks<Space, Real>(work, capacity, tuning.batch);
  }
};

template <KokkosExecutionSpace Space, Floating Real>
ForwardModel<Space, Real>::ForwardModel(Space const& space, model_type const& model, ForwardCapacity const& capacity,
                                        ForwardTuning const& tuning) {
  static_assert(Solver<ForwardModel>);
  require_kokkos(where);
  Impl::check_capacity(where, capacity);
  Impl::check_model(where, Impl::extents_of(model), capacity);
  m_content = std::make_unique<Content>(space, model, capacity, tuning);
}

template <KokkosExecutionSpace Space, Floating Real>
ForwardModel<Space, Real>::ForwardModel(ForwardModel&&) noexcept = default;

template <KokkosExecutionSpace Space, Floating Real>
ForwardModel<Space, Real>& ForwardModel<Space, Real>::operator=(ForwardModel&&) noexcept = default;

template <KokkosExecutionSpace Space, Floating Real>
ForwardModel<Space, Real>::~ForwardModel() {
  leave_if_kokkos_is_gone(m_content);
}

template <KokkosExecutionSpace Space, Floating Real>
void ForwardModel<Space, Real>::solve(Space const& space, input_type const& input, result_type const& result) {
  auto const& model = m_content->model;
  auto const& capacity = m_content->capacity;
  auto const& tuning = m_content->tuning;
  auto const& blocks = m_content->blocks;
  auto const& not_finite = m_content->not_finite;
  auto const dimensions = Impl::check_input(where, input, Impl::extents_of(model), capacity);
  check_extents(where, result, dimensions);
  bool const keep = result.path.pressure.size() > 0;
  PathRecord<Space>::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if ((view.size() > 0) != keep)
          throw Error(where, fmt::format("{} is {} and pressure of the path is {}, expected both or none",
                                         description.name, keep ? "not given" : "given", keep ? "given" : "not given"));
      },
      result.path);
  if (keep && std::is_same_v<Real, float>) throw Error(where, "paths are recorded in double precision only");

  int const nray = input.observation.nray();
  auto const profiles = Impl::fill_profiles(space, input.atmosphere, blocks.profiles);
  Impl::ForwardCut const cut = cut_for<Space, Real>(tuning, capacity, model.tables.lanes);
  [[maybe_unused]] bool const float_slopes = model.options.table_slopes == TableSlopes::float32;
  bool const is_usual = model.options.method == Method::growth && model.tables.shared_grids && !keep;
  for (int first = 0; first < nray; first += tuning.batch) {
    int const count = std::min(tuning.batch, nray - first);
    Impl::Rays<Space> rays = blocks.rays;
    if (keep)
      rays.place = WorkspaceArray<double***, Space>(result.path.place, std::pair(first, first + count), Kokkos::ALL,
                                                    Kokkos::ALL);
    Impl::trace_rays(space, profiles, input.observation, Impl::ray_options(model.options), first, rays);
    if (keep)
      Kokkos::parallel_for("parhelion::ega::record_points", Kokkos::RangePolicy<Space>(space, 0, count),
                           RecordPoints<Space>{rays, result.path, first});
    Impl::ForwardWork<Space, Real> const forward{model,        profiles,       input.observation.profile,
                                                 rays,         first,          count,
                                                 cut,          blocks.path,    blocks.last,
                                                 blocks.means, result.spectra, result.path,
                                                 keep,         not_finite};
    auto const launch = [&]<bool slopes_in_float>() {
      if (is_usual)
        Impl::LaunchForward<Space, Real, slopes_in_float, true>::launch(space, forward);
      else
        Impl::LaunchForward<Space, Real, slopes_in_float, false>::launch(space, forward);
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
SolveStatus ForwardModel<Space, Real>::status(Space const& space) {
  return m_content->not_finite.status(space);
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t ForwardModel<Space, Real>::workspace_bytes() const {
  return m_content->work.capacity_bytes() + NotFinite<Space>::bytes();
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t ForwardModel<Space, Real>::workspace_bytes(Space const&, ForwardCapacity const& capacity,
                                                       ForwardTuning const& tuning) {
  Impl::check_capacity(where, capacity);
  check_tuning(tuning, lanes_of<Space>(capacity.nchannel));
  WorkspaceSize<Space> size;
  take_blocks<Space, Real>(size, capacity, batch_of<Space>(capacity, tuning));
  return size.bytes() + NotFinite<Space>::bytes();
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)    \
  template class ForwardModel<SPACE, float>; \
  template class ForwardModel<SPACE, double>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega
