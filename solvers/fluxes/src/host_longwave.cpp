// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/host_longwave.hpp>

#include "host_calls.hpp"
#include "longwave_setup.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/host_driver.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion::fluxes {

namespace {

using namespace Impl;

/// \brief Fills the highest layer of columns that are one layer deeper than the caller's.
/// \param of_level whether it gets the temperature of the caller's highest level, otherwise of the highest layer
template <class Real>
void fill_extra_layer(Columns<Host, Real> const& columns, bool of_level) {
  int const extra = columns.nlay() - 1;
  for (int c = 0; c < columns.ncol(); ++c) {
    Real const temperature = of_level ? columns.temperature_lev(c, extra) : columns.temperature_lay(c, extra - 1);
    columns.pressure_lay(c, extra) = static_cast<Real>(extra_layer_pressure) * columns.pressure_lev(c, extra);
    columns.pressure_lev(c, extra + 1) = static_cast<Real>(extra_layer_top);
    columns.temperature_lay(c, extra) = temperature;
    columns.temperature_lev(c, extra) = columns.temperature_lev(c, extra + 1) = temperature;
    for (int gas = 0; gas < static_cast<int>(columns.vmr.extent(1)); ++gas)
      columns.vmr(c, gas, extra) = columns.vmr(c, gas, extra - 1);
  }
}

// --- checks of a call --------------------------------------------------------------------------------------------

void check_room_for_extra_layer(LongwaveArrays const& input, ValidRange const& pressures) {
  auto const& levels = input.pressure_lev;
  for (int c = 0; c < input.ncol(); ++c) {
    std::int64_t const at = c * levels.strides[0] + input.nlay() * levels.strides[1];
    double const top = input.pressure_factor * (levels.type == ValueType::float32
                                                    ? static_cast<double>(static_cast<float const*>(levels.data)[at])
                                                    : static_cast<double const*>(levels.data)[at]);
    if (top <= extra_layer_top * (1 + 1e-6))
      throw Error("extra layer", fmt::format("column {} ends at {:g} Pa; there is no room for a layer below {:g} Pa", c,
                                             top, extra_layer_top));
    if (!pressures.contains(extra_layer_pressure * top))
      throw Error(
          "extra layer",
          fmt::format("column {} ends at {:g} Pa, so that the layer has {:g} Pa, expected a pressure of at least "
                      "the {:g} Pa of the tables",
                      c, top, extra_layer_pressure * top, pressures.lowest));
  }
}

}  // namespace

namespace Impl {

class LongwaveStreams : public HostCalls<LongwaveCalls> {
 public:
  using HostCalls<LongwaveCalls>::HostCalls;

  /// In the extra layer copies leave zeros, which is right for clouds and aerosol.
  template <class Real>
  void fill_padding(std::vector<ArrayRef> const& staged) const {
    if (options.extra_layer) fill_extra_layer(views_of<Columns<Host, Real>>(staged), extends_level);
  }

  bool extends_level = false;  ///< whether an extra layer has the temperature of the highest level
};

}  // namespace Impl

namespace {

template <class Model>
using StreamsOfModel = HostCallsOfModel<LongwaveCalls, LongwaveStreams, Model>;

}  // namespace

HostLongwavePlan plan_longwave(int ncol, int nlay, HostClouds const& clouds, bool aerosol, LongwaveData const& data,
                               HostLongwaveOptions const& options) {
  require_kokkos("plan_longwave");
  check_options(ncol, nlay, clouds.any(), aerosol, data, options);
  auto const model = data.description();
  auto const shapes = make_shapes(nlay, clouds, aerosol, options, model.sizes, has_aerosol_types(data));
  HostLongwavePlan plan;
  with_execution_space(options.space, [&]<class Space>(Space const& space) {
    with_model<Space>(data, options, [&](auto const& make_model) {
      using Model = std::decay_t<decltype(make_model(space))>;
      plan = HostDriver<Longwave<Model>>::plan(space, make_setup<Model>(ncol, nlay, shapes, options, make_model, model),
                                               host_options(options));
    });
  });
  return plan;
}

template <Floating HostReal>
template <KokkosExecutionSpace Space>
HostLongwave<HostReal>::HostLongwave(Space const& space, int ncol, int nlay, Clouds<host_space, HostReal> const& clouds,
                                     bool aerosol, LongwaveData const& data, HostLongwaveOptions const& options) {
  require_kokkos("HostLongwave");
  check_options(ncol, nlay, clouds.any(), aerosol, data, options);
  auto const model = data.description();
  auto const shapes = make_shapes(nlay, clouds, aerosol, options, model.sizes, has_aerosol_types(data));
  with_model<Space>(data, options, [&](auto const& make_model) {
    using Model = std::decay_t<decltype(make_model(space))>;
    m_streams = std::make_unique<StreamsOfModel<Model>>(
        space, nlay, model.validity, model.sizes, make_setup<Model>(ncol, nlay, shapes, options, make_model, model),
        options);
  });
  m_streams->set_absent_gases(absent_gases(data));
  // RRTMG_LW's rule is that of the original; to ecCKD temperatures of layers do not count, and RTE's levels have their
  // own.
  m_streams->extends_level = std::holds_alternative<ecckd::Definition const*>(data.data()) ||
                             std::holds_alternative<rrtmgp::LongwaveSetup>(data.data());
}

template <Floating HostReal>
HostLongwave<HostReal>::HostLongwave(int ncol, int nlay, Clouds<host_space, HostReal> const& clouds, bool aerosol,
                                     LongwaveData const& data, HostLongwaveOptions const& options) {
  require_kokkos("HostLongwave");
  with_execution_space(options.space, [&](auto const& space) {
    *this = HostLongwave(space, ncol, nlay, clouds, aerosol, data, options);
  });
}

template <Floating HostReal>
HostLongwave<HostReal>::~HostLongwave() {
  leave_if_kokkos_is_gone(m_streams);
}

template <Floating HostReal>
HostLongwave<HostReal>::HostLongwave(HostLongwave&&) noexcept = default;

template <Floating HostReal>
HostLongwave<HostReal>& HostLongwave<HostReal>::operator=(HostLongwave&&) noexcept = default;

template <Floating HostReal>
void HostLongwave<HostReal>::compute(LongwaveArrays const& input, std::vector<ArrayRef> const& fluxes,
                                     HostLongwaveReport* report) {
  compute_call(*m_streams, input, fluxes, report, true, [&](LongwaveArrays const& checked) {
    if (m_streams->options.extra_layer) check_room_for_extra_layer(checked, m_streams->validity.pressure);
  });
}

template <Floating HostReal>
HostLongwavePlan const& HostLongwave<HostReal>::plan() const {
  return m_streams->plan();
}

HostFluxes compute_longwave(HostColumns const& columns, HostClouds const& clouds, LongwaveData const& data,
                            HostLongwaveOptions const& options, HostLongwaveReport* report) {
  Kokkos::Timer const timer;
  auto of_call = options;
  of_call.incident_flux = columns.incident_flux.size() > 0;
  HostLongwave<double> longwave(columns.ncol(), columns.nlay(), clouds, columns.aerosol.size() > 0, data, of_call);
  auto const fluxes =
      make_fluxes<Host, double>(columns.ncol(), columns.nlay(), options.outputs, data.description().sizes);
  longwave.compute(columns, clouds, fluxes, report);
  if (report != nullptr) report->total_seconds = timer.seconds();
  return fluxes;
}

HostFluxes compute_longwave(HostColumns const& columns, LongwaveData const& data, HostLongwaveOptions const& options,
                            HostLongwaveReport* report) {
  return compute_longwave(columns, HostClouds(), data, options, report);
}

template class HostLongwave<float>;
template class HostLongwave<double>;

#define PARHELION_INSTANTIATE(SPACE)                                                                     \
  template HostLongwave<float>::HostLongwave(SPACE const&, int, int, Clouds<Host, float> const&, bool,   \
                                             LongwaveData const&, HostLongwaveOptions const&);           \
  template HostLongwave<double>::HostLongwave(SPACE const&, int, int, Clouds<Host, double> const&, bool, \
                                              LongwaveData const&, HostLongwaveOptions const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::fluxes
