// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/derivatives.hpp>

#include "adjoint_kernels.hpp"
#include "adjoint_path.hpp"
#include "solver_checks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/workspace.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace parhelion::ega {

namespace {

constexpr char const* where = "parhelion::ega::AdjointModel";

template <class Space>
int padded_channels(int nchannel) {
  int const lanes = lanes_of<Space>(nchannel);
  return (nchannel + lanes - 1) / lanes * lanes;
}

// Workspace of a ray of a batch [bytes].
template <class Space, class Real>
std::size_t bytes_per_ray(ForwardCapacity const& capacity) {
  auto const points = static_cast<std::size_t>(capacity.npoint);
  auto const gases = static_cast<std::size_t>(capacity.ngas);
  auto const channels = static_cast<std::size_t>(padded_channels<Space>(capacity.nchannel));
  std::size_t const per_point = sizeof(Impl::RayPoint) + sizeof(Impl::RayStep) + gases * sizeof(Impl::LookupPoint) +
                                (gases * Impl::growth_values + Impl::segment_values) * channels * sizeof(Real);
  return points * per_point + (gases * Impl::path_adjoints + 1) * channels * sizeof(Real) + sizeof(Impl::RaySummary);
}

template <class Space, class Real>
int batch_of(ForwardCapacity const& capacity, AdjointTuning const& tuning) {
  std::size_t const limit = tuning.memory_limit > 0 ? tuning.memory_limit : std::size_t(1) << 30;
  std::size_t const most = runs_on_host<Space> ? 1024 : 16384;
  int const batch =
      tuning.batch > 0
          ? tuning.batch
          : static_cast<int>(std::clamp(limit / bytes_per_ray<Space, Real>(capacity), std::size_t(1), most));
  return std::min(batch, capacity.nray);
}

template <class Space, class Functor>
void launch(Space const& space, std::string const& label, int count, Functor const& functor) {
  Kokkos::parallel_for("parhelion::ega::" + label,
                       Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>(
                           space, 0, count, Kokkos::ChunkSize(runs_on_host<Space> ? 1 : 128)),
                       functor);
}

/// The workspace of a solver.
template <class Space, class Real>
struct Blocks {
  Impl::AirProfiles<Space> profiles;
  Impl::Rays<Space> rays;
  WorkspaceArray<Impl::LookupPoint***, Space> lookup;  ///< (ray, point, gas)
  WorkspaceArray<Real*****, Space> growth;             ///< (ray, point, gas, GrowthValue, channel)
  WorkspaceArray<Real****, Space> segment;             ///< (ray, point, SegmentValue, channel)
  WorkspaceArray<Real****, Space> state;               ///< adjoint of a gas's path, (ray, gas, PathAdjoint, channel)
  WorkspaceArray<Real**, Space> sun;                   ///< derivative with respect to RaySummary::sun, (ray, channel)
};

template <class Space, class Real, class Work>
Blocks<Space, Real> take_blocks(Work& work, ForwardCapacity const& capacity, int batch) {
  int const padded = padded_channels<Space>(capacity.nchannel);
  int const npoint = capacity.npoint;
  int const ngas = capacity.ngas;
  Blocks<Space, Real> blocks;
  blocks.profiles = Impl::take_profiles<Space>(work, capacity.nprofile, capacity.nlev);
  blocks.rays.point = work.template take<Impl::RayPoint**>("point", batch, npoint);
  blocks.rays.summary = work.template take<Impl::RaySummary*>("summary", batch);
  blocks.rays.step = work.template take<Impl::RayStep**>("step", batch, npoint);
  blocks.lookup = work.template take<Impl::LookupPoint***>("lookup", batch, npoint, ngas);
  blocks.growth =
      work.template take<Real*****>("growth", batch, npoint, ngas, static_cast<int>(Impl::growth_values), padded);
  blocks.segment =
      work.template take<Real****>("segment", batch, npoint, static_cast<int>(Impl::segment_values), padded);
  blocks.state = work.template take<Real****>("state", batch, ngas, static_cast<int>(Impl::path_adjoints), padded);
  blocks.sun = work.template take<Real**>("sun", batch, padded);
  return blocks;
}

}  // namespace

template <KokkosExecutionSpace Space, Floating Real>
struct AdjointModel<Space, Real>::Content {
  model_type model;
  ForwardCapacity capacity;
  int batch;
  Workspace<Space> work;
  Blocks<Space, Real> blocks;
  NotFinite<Space> not_finite;

  Content(Space const& space, model_type const& its_model, ForwardCapacity const& its_capacity,
          AdjointTuning const& tuning)
      : model(its_model),
        capacity(its_capacity),
        batch(batch_of<Space, Real>(capacity, tuning)),
        work(space, AdjointModel::workspace_bytes(space, capacity, tuning) - NotFinite<Space>::bytes(),
             "parhelion::ega::AdjointModel::workspace"),
        blocks(take_blocks<Space, Real>(work, capacity, batch)),
        not_finite(space) {}
};

template <KokkosExecutionSpace Space, Floating Real>
AdjointModel<Space, Real>::AdjointModel(Space const& space, model_type const& model, ForwardCapacity const& capacity,
                                        AdjointTuning const& tuning) {
  static_assert(Solver<AdjointModel>);
  require_kokkos(where);
  Impl::check_capacity(where, capacity);
  Impl::check_model(where, Impl::extents_of(model), capacity);
  m_content = std::make_unique<Content>(space, model, capacity, tuning);
}

template <KokkosExecutionSpace Space, Floating Real>
AdjointModel<Space, Real>::AdjointModel(AdjointModel&&) noexcept = default;

template <KokkosExecutionSpace Space, Floating Real>
AdjointModel<Space, Real>& AdjointModel<Space, Real>::operator=(AdjointModel&&) noexcept = default;

template <KokkosExecutionSpace Space, Floating Real>
AdjointModel<Space, Real>::~AdjointModel() {
  leave_if_kokkos_is_gone(m_content);
}

template <KokkosExecutionSpace Space, Floating Real>
void AdjointModel<Space, Real>::solve(Space const& space, input_type const& input, result_type const& result) {
  auto const& model = m_content->model;
  auto const& capacity = m_content->capacity;
  auto const& batch = m_content->batch;
  auto const& blocks = m_content->blocks;
  auto const& not_finite = m_content->not_finite;
  auto dimensions = Impl::check_input(where, input, Impl::extents_of(model), capacity);
  dimensions.set(dimension::row, derivative_row::count(model.ngas()));
  check_extents(where, result, dimensions);

  auto const& observation = input.observation;
  int const nray = observation.nray();
  int const padded = model.nblock() * model.tables.lanes;
  auto const profiles = Impl::fill_profiles(space, input.atmosphere, blocks.profiles);
  Impl::RayOptions const options = Impl::ray_options(model.options);
  for (int first = 0; first < nray; first += batch) {
    int const count = std::min(batch, nray - first);
    Impl::trace_rays(space, profiles, observation, options, first, blocks.rays);
    launch(space, "find_lookup_points", count * model.ngas(),
           Impl::FindLookupPoints<Space, Real>{model, profiles, observation, blocks.rays, first, blocks.lookup});
    auto const walk = [&]<int pack, bool float_slopes>() {
      int const items = count * padded / pack;
      launch(space, "grow_with_slopes", items * model.ngas(),
             Impl::GrowWithSlopes<Space, Real, pack, float_slopes>{model, blocks.rays, blocks.lookup, blocks.growth});
      launch(space, "integrate_and_return", items,
             Impl::IntegrateAndReturn<Space, Real, pack>{model, profiles, observation, blocks.rays, first,
                                                         blocks.lookup, blocks.growth, blocks.segment, blocks.state,
                                                         blocks.sun, result, not_finite});
      // The path of a straight ray does not depend on the atmosphere.
      if (options.refraction)
        launch(space, "return_along_path", items,
               Impl::ReturnAlongPath<Space, Real, pack>{model, profiles, observation, blocks.rays, options, first,
                                                        blocks.segment, blocks.sun, result.derivative});
    };
    constexpr int width = lanes_per_thread<Space, double>;
    bool const wide = model.tables.lanes % width == 0;
    bool const in_float = std::is_same_v<Real, float> || model.options.table_slopes == TableSlopes::float32;
    if (in_float && wide)
      walk.template operator()<width, true>();
    else if (in_float)
      walk.template operator()<1, true>();
    else if constexpr (std::is_same_v<Real, double>) {
      if (wide)
        walk.template operator()<width, false>();
      else
        walk.template operator()<1, false>();
    }
  }
}

template <KokkosExecutionSpace Space, Floating Real>
SolveStatus AdjointModel<Space, Real>::status(Space const& space) {
  return m_content->not_finite.status(space);
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t AdjointModel<Space, Real>::workspace_bytes() const {
  return m_content->work.capacity_bytes() + NotFinite<Space>::bytes();
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t AdjointModel<Space, Real>::workspace_bytes(Space const&, ForwardCapacity const& capacity,
                                                       AdjointTuning const& tuning) {
  Impl::check_capacity(where, capacity);
  WorkspaceSize<Space> size;
  take_blocks<Space, Real>(size, capacity, batch_of<Space, Real>(capacity, tuning));
  return size.bytes() + NotFinite<Space>::bytes();
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)    \
  template class AdjointModel<SPACE, float>; \
  template class AdjointModel<SPACE, double>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega
