// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/device_longwave.hpp>

#include "device_calls.hpp"
#include "longwave_setup.hpp"

#include <parhelion/core/device.hpp>

#include <type_traits>

namespace parhelion::fluxes {

namespace Impl {

template <KokkosExecutionSpace ExecutionSpace>
class LongwaveOnDevice : public DeviceCalls<LongwaveCalls, ExecutionSpace> {
 public:
  using DeviceCalls<LongwaveCalls, ExecutionSpace>::DeviceCalls;

  void complete(ExecutionSpace const& /*space*/, LongwaveArrays& input) const { this->complete_clouds(input); }
  bool uses_level_temperatures(LongwaveArrays const& /*input*/) const { return true; }
};

}  // namespace Impl

template <KokkosExecutionSpace Space>
DeviceLongwave<Space>::DeviceLongwave(Space const& space, int ncol, int nlay, HostClouds const& clouds, bool aerosol,
                                      LongwaveData const& data, HostLongwaveOptions const& options) {
  require_kokkos("DeviceLongwave");
  Impl::check_options(ncol, nlay, clouds.any(), aerosol, data, options);
  if (options.extra_layer)
    throw ArgumentError(Impl::LongwaveCalls::where,
                        "extra_layer is asked for, which there is for arrays on the host only");
  auto const model = data.description();
  auto const shapes = Impl::make_shapes(nlay, clouds, aerosol, options, model.sizes, Impl::has_aerosol_types(data));
  Impl::with_model<Space>(data, options, [&](auto const& make_model) {
    using Model = std::decay_t<decltype(make_model(space))>;
    m_parts = std::make_unique<Impl::DeviceCallsOfModel<Impl::LongwaveCalls, Impl::LongwaveOnDevice<Space>, Model>>(
        space, model.sizes, Impl::make_setup<Model>(ncol, nlay, shapes, options, make_model, model), ncol, options);
  });
  m_parts->set_absent_gases(space, Impl::absent_gases(data));
}

template <KokkosExecutionSpace Space>
DeviceLongwave<Space>::~DeviceLongwave() {
  leave_if_kokkos_is_gone(m_parts);
}
template <KokkosExecutionSpace Space>
DeviceLongwave<Space>::DeviceLongwave(DeviceLongwave&&) noexcept = default;
template <KokkosExecutionSpace Space>
DeviceLongwave<Space>& DeviceLongwave<Space>::operator=(DeviceLongwave&&) noexcept = default;

template <KokkosExecutionSpace Space>
void DeviceLongwave<Space>::compute(Space const& space, LongwaveArrays const& input,
                                    std::vector<ArrayRef> const& fluxes) {
  m_parts->solve(space, input, fluxes);
}

template <KokkosExecutionSpace Space>
SolveStatus DeviceLongwave<Space>::status(Space const& space) {
  return m_parts->status(space);
}

template <KokkosExecutionSpace Space>
std::size_t DeviceLongwave<Space>::bytes() const {
  return m_parts->bytes();
}

#define PARHELION_INSTANTIATE(SPACE) template class DeviceLongwave<SPACE>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::fluxes
