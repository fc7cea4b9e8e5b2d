// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/derivatives.hpp>

#include "adjoint_kernels.hpp"
#include "adjoint_path.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/core/lanes.hpp>

#include <fmt/format.h>

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

// What a ray of a batch takes.
template <class Space, class Real>
std::size_t bytes_per_ray(ForwardCapacity const& capacity) {
  auto const points = static_cast<std::size_t>(capacity.npoint);
  auto const gases = static_cast<std::size_t>(capacity.ngas);
  auto const channels = static_cast<std::size_t>(padded_channels<Space>(capacity.nchannel));
  std::size_t const per_point = sizeof(RayPoint) + sizeof(RayStep) + gases * sizeof(LookupPoint) +
                                (gases * Impl::growth_values + Impl::segment_values) * channels * sizeof(Real);
  return points * per_point + (gases * Impl::path_adjoints + 1) * channels * sizeof(Real) + sizeof(RayEnd);
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
void launch(Space const& space, std::string const& label, int number, Functor const& functor) {
  Kokkos::parallel_for("parhelion::ega::" + label,
                       Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>(
                           space, 0, number, Kokkos::ChunkSize(runs_on_host<Space> ? 1 : 128)),
                       functor);
}

}  // namespace

template <KokkosExecutionSpace Space, Floating Real>
AdjointModel<Space, Real>::AdjointModel(Space const& space, ForwardCapacity const& capacity,
                                        AdjointTuning const& tuning)
    : m_capacity(capacity) {
  require_kokkos(where);
  for (int const number : {capacity.nray, capacity.ngas, capacity.nchannel, capacity.npoint})
    if (number <= 0)
      throw Error(where,
                  fmt::format("capacity for {} rays, {} gases, {} channels and {} points, expected positive numbers",
                              capacity.nray, capacity.ngas, capacity.nchannel, capacity.npoint));
  m_batch = batch_of<Space, Real>(capacity, tuning);
  int const padded = padded_channels<Space>(capacity.nchannel);
  auto const label = [&](std::string const& name) {
    return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::ega::AdjointModel::" + name);
  };
  m_rays.point = Array<RayPoint**, Space>(label("point"), m_batch, capacity.npoint);
  m_rays.end = Array<RayEnd*, Space>(label("end"), m_batch);
  m_rays.step = Array<RayStep**, Space>(label("step"), m_batch, capacity.npoint);
  m_lookup = Array<LookupPoint***, Space>(label("lookup"), m_batch, capacity.npoint, capacity.ngas);
  m_growth = Array<Real*****, Space>(label("growth"), m_batch, capacity.npoint, capacity.ngas,
                                     static_cast<int>(Impl::growth_values), padded);
  m_segment = Array<Real****, Space>(label("segment"), m_batch, capacity.npoint, static_cast<int>(Impl::segment_values),
                                     padded);
  m_state =
      Array<Real****, Space>(label("state"), m_batch, capacity.ngas, static_cast<int>(Impl::path_adjoints), padded);
  m_sun = Array<Real**, Space>(label("sun"), m_batch, padded);
}

template <KokkosExecutionSpace Space, Floating Real>
void AdjointModel<Space, Real>::solve(Space const& space, Model<Space, Real> const& model,
                                      Atmosphere<Space> const& atmosphere, Observation<Space> const& observation,
                                      Spectra<Space, Real> const& spectra,
                                      Derivatives<Space, Real> const& derivatives) const {
  int const nray = observation.nray();
  int const padded = model.nblock() * model.tables.lanes;
  if (nray > m_capacity.nray || model.ngas() != m_capacity.ngas || padded > static_cast<int>(m_sun.extent(1)))
    throw Error(where,
                fmt::format("{} rays, {} gases and {} channels, expected no more than {}, as many as {}, and no "
                            "more than {}",
                            nray, model.ngas(), model.nchannel, m_capacity.nray, m_capacity.ngas, m_capacity.nchannel));
  auto const rays = static_cast<std::size_t>(nray);
  auto const channels = static_cast<std::size_t>(model.nchannel);
  expect_shape(where, spectra.radiance, "radiance", {rays, channels});
  expect_shape(where, spectra.transmittance, "transmittance", {rays, channels});
  expect_shape(where, spectra.end, "end", {rays});
  expect_shape(where, derivatives.radiance, "derivatives",
               {rays, static_cast<std::size_t>(derivative_rows(model.ngas())),
                static_cast<std::size_t>(atmosphere.nlev()), channels});
  if (atmosphere.ngas() != model.ngas())
    throw Error(where, fmt::format("the atmosphere has {} gases, expected {}", atmosphere.ngas(), model.ngas()));

  RayOptions const options = Impl::ray_options(model.options);
  for (int first = 0; first < nray; first += m_batch) {
    int const number = std::min(m_batch, nray - first);
    trace_rays(space, atmosphere, observation, options, first, m_rays);
    launch(space, "find_lookup_points", number * model.ngas(),
           Impl::FindLookupPoints<Space, Real>{model, atmosphere, observation, m_rays, first, m_lookup});
    auto const walk = [&]<int pack, bool float_slopes>() {
      int const items = number * padded / pack;
      launch(space, "grow_with_slopes", items * model.ngas(),
             Impl::GrowWithSlopes<Space, Real, pack, float_slopes>{model, m_rays, m_lookup, m_growth});
      launch(space, "integrate_and_return", items,
             Impl::IntegrateAndReturn<Space, Real, pack>{model, atmosphere, observation, m_rays, first, m_lookup,
                                                         m_growth, m_segment, m_state, m_sun, spectra, derivatives});
      // A straight ray does not depend on the atmosphere.
      if (options.refraction)
        launch(space, "return_along_path", items,
               Impl::ReturnAlongPath<Space, Real, pack>{model, atmosphere, observation, m_rays, options, first,
                                                        m_segment, m_sun, derivatives});
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
std::size_t AdjointModel<Space, Real>::workspace_bytes(ForwardCapacity const& capacity, AdjointTuning const& tuning) {
  return static_cast<std::size_t>(batch_of<Space, Real>(capacity, tuning)) * bytes_per_ray<Space, Real>(capacity);
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)    \
  template class AdjointModel<SPACE, float>; \
  template class AdjointModel<SPACE, double>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega
