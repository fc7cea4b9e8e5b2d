// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/host_shortwave.hpp>

#include "host_calls.hpp"
#include "shortwave_setup.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/host_driver.hpp>

#include <memory>
#include <type_traits>
#include <vector>

namespace parhelion::fluxes {

namespace Impl {

class ShortwaveStreams : public HostCalls<ShortwaveCalls> {
 public:
  using HostCalls<ShortwaveCalls>::HostCalls;

  template <class Real>
  void fill_padding(std::vector<ArrayRef> const& /*staged*/) const {}

  /// Completes a call that was checked.
  void complete(ShortwaveArrays& input) {
    if (input.sun) m_sun = values_of(*input.sun);
    complete_columns(input, m_sun.data(), needs_levels);
  }

  bool needs_levels = false;

 private:
  SunValues m_sun = {};  ///< of the present call
};

}  // namespace Impl

namespace {

using namespace Impl;

template <class Model>
using StreamsOfModel = HostCallsOfModel<ShortwaveCalls, ShortwaveStreams, Model>;

}  // namespace

HostShortwavePlan plan_shortwave(int ncol, int nlay, HostShortwaveClouds const& clouds, AerosolArrays aerosol,
                                 ShortwaveData const& data, HostShortwaveOptions const& options) {
  require_kokkos("plan_shortwave");
  check_options(ncol, nlay, clouds.any(), aerosol, data, options);
  auto const model = data.description();
  auto const shapes =
      make_shapes(nlay, clouds, aerosol, options.outputs, model.sizes, needs_levels(data), has_aerosol_types(data));
  HostShortwavePlan plan;
  with_execution_space(options.space, [&]<class Space>(Space const& space) {
    with_model<Space>(data, options, [&](auto const& make_model) {
      using Model = std::decay_t<decltype(make_model(space))>;
      plan = HostDriver<Shortwave<Model>>::plan(
          space, make_setup<Model>(ncol, nlay, shapes, options, make_model, model), host_options(options));
    });
  });
  return plan;
}

template <Floating HostReal>
template <KokkosExecutionSpace Space>
HostShortwave<HostReal>::HostShortwave(Space const& space, int ncol, int nlay,
                                       ShortwaveClouds<host_space, HostReal> const& clouds, AerosolArrays aerosol,
                                       ShortwaveData const& data, HostShortwaveOptions const& options) {
  require_kokkos("HostShortwave");
  check_options(ncol, nlay, clouds.any(), aerosol, data, options);
  auto const model = data.description();
  auto const shapes =
      make_shapes(nlay, clouds, aerosol, options.outputs, model.sizes, needs_levels(data), has_aerosol_types(data));
  with_model<Space>(data, options, [&](auto const& make_model) {
    using Model = std::decay_t<decltype(make_model(space))>;
    m_streams = std::make_unique<StreamsOfModel<Model>>(
        space, nlay, model.validity, model.sizes, make_setup<Model>(ncol, nlay, shapes, options, make_model, model),
        options);
  });
  m_streams->needs_levels = needs_levels(data);
  m_streams->set_absent_gases(absent_gases(data));
}

template <Floating HostReal>
HostShortwave<HostReal>::HostShortwave(int ncol, int nlay, ShortwaveClouds<host_space, HostReal> const& clouds,
                                       AerosolArrays aerosol, ShortwaveData const& data,
                                       HostShortwaveOptions const& options) {
  require_kokkos("HostShortwave");
  with_execution_space(options.space, [&](auto const& space) {
    *this = HostShortwave(space, ncol, nlay, clouds, aerosol, data, options);
  });
}

template <Floating HostReal>
HostShortwave<HostReal>::~HostShortwave() {
  leave_if_kokkos_is_gone(m_streams);
}

template <Floating HostReal>
HostShortwave<HostReal>::HostShortwave(HostShortwave&&) noexcept = default;

template <Floating HostReal>
HostShortwave<HostReal>& HostShortwave<HostReal>::operator=(HostShortwave&&) noexcept = default;

template <Floating HostReal>
void HostShortwave<HostReal>::compute(ShortwaveArrays const& input, std::vector<ArrayRef> const& fluxes,
                                      HostShortwaveReport* report) {
  compute_call(*m_streams, input, fluxes, report, uses_levels(input, m_streams->needs_levels),
               [&](ShortwaveArrays& checked) { m_streams->complete(checked); });
}

template <Floating HostReal>
HostShortwavePlan const& HostShortwave<HostReal>::plan() const {
  return m_streams->plan();
}

HostShortwaveFluxes compute_shortwave(HostShortwaveColumns const& columns, HostShortwaveClouds const& clouds,
                                      ShortwaveData const& data, HostShortwaveOptions const& options,
                                      HostShortwaveReport* report) {
  Kokkos::Timer const timer;
  HostShortwave<double> shortwave(columns.ncol(), columns.nlay(), clouds, AerosolArrays(columns), data, options);
  auto const fluxes =
      make_shortwave_fluxes<Host, double>(columns.ncol(), columns.nlay(), options.outputs, data.description().sizes);
  shortwave.compute(columns, clouds, fluxes, report);
  if (report != nullptr) report->total_seconds = timer.seconds();
  return fluxes;
}

HostShortwaveFluxes compute_shortwave(HostShortwaveColumns const& columns, ShortwaveData const& data,
                                      HostShortwaveOptions const& options, HostShortwaveReport* report) {
  return compute_shortwave(columns, HostShortwaveClouds(), data, options, report);
}

template class HostShortwave<float>;
template class HostShortwave<double>;

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                           \
  template HostShortwave<REAL>::HostShortwave(SPACE const&, int, int, ShortwaveClouds<Host, REAL> const&, \
                                              AerosolArrays, ShortwaveData const&, HostShortwaveOptions const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE
#undef PARHELION_INSTANTIATE_REAL

}  // namespace parhelion::fluxes
