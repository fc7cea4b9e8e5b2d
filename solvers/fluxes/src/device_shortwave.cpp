// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/device_shortwave.hpp>

#include "device_calls.hpp"
#include "shortwave_setup.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/enqueue.hpp>

#include <type_traits>

namespace parhelion::fluxes {

namespace {

/// Writes values that the kernel itself holds.
template <class View>
struct WriteSun {
  View to;
  double values[Impl::sun_values];

  KOKKOS_INLINE_FUNCTION void operator()(int i) const { to(i) = values[i]; }
};

}  // namespace

namespace Impl {

template <KokkosExecutionSpace ExecutionSpace>
class ShortwaveOnDevice : public DeviceCalls<ShortwaveCalls, ExecutionSpace> {
 public:
  ShortwaveOnDevice(ExecutionSpace const& space, HostShortwaveOptions const& the_options)
      : DeviceCalls<ShortwaveCalls, ExecutionSpace>(space, the_options),
        m_sun(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::fluxes::sun"), sun_values) {}

  void complete(ExecutionSpace const& space, ShortwaveArrays& input) const {
    this->complete_clouds(input);
    if (input.sun) write(space, *input.sun);
    complete_columns(input, m_sun.data(), needs_levels);
  }

  bool uses_level_temperatures(ShortwaveArrays const& input) const { return uses_levels(input, needs_levels); }

  bool needs_levels = false;

 private:
  using Values = Kokkos::View<double*, typename ExecutionSpace::memory_space>;

  void write(ExecutionSpace const& space, SolarSource const& sun) const {
    auto const values = values_of(sun);
    WriteSun<Values> kernel{.to = m_sun, .values = {}};
    std::copy(values.begin(), values.end(), kernel.values);
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>>;
    Kokkos::parallel_for(watched_label("parhelion::fluxes::write_sun"),
                         light_weight(Policy(space, 0, static_cast<int>(sun_values))), kernel);
  }

  Values m_sun;
};

}  // namespace Impl

template <KokkosExecutionSpace Space>
DeviceShortwave<Space>::DeviceShortwave(Space const& space, int ncol, int nlay, HostShortwaveClouds const& clouds,
                                        AerosolArrays aerosol, ShortwaveData const& data,
                                        HostShortwaveOptions const& options) {
  require_kokkos("DeviceShortwave");
  Impl::check_options(ncol, nlay, clouds.any(), aerosol, data, options);
  auto const model = data.description();
  auto const shapes = Impl::make_shapes(nlay, clouds, aerosol, options.outputs, model.sizes, Impl::needs_levels(data),
                                        Impl::has_aerosol_types(data));
  Impl::with_model<Space>(data, options, [&](auto const& make_model) {
    using Model = std::decay_t<decltype(make_model(space))>;
    m_parts = std::make_unique<Impl::DeviceCallsOfModel<Impl::ShortwaveCalls, Impl::ShortwaveOnDevice<Space>, Model>>(
        space, model.sizes, Impl::make_setup<Model>(ncol, nlay, shapes, options, make_model, model), ncol, options);
  });
  m_parts->needs_levels = Impl::needs_levels(data);
  m_parts->set_absent_gases(space, Impl::absent_gases(data));
}

template <KokkosExecutionSpace Space>
DeviceShortwave<Space>::~DeviceShortwave() {
  leave_if_kokkos_is_gone(m_parts);
}
template <KokkosExecutionSpace Space>
DeviceShortwave<Space>::DeviceShortwave(DeviceShortwave&&) noexcept = default;
template <KokkosExecutionSpace Space>
DeviceShortwave<Space>& DeviceShortwave<Space>::operator=(DeviceShortwave&&) noexcept = default;

template <KokkosExecutionSpace Space>
void DeviceShortwave<Space>::compute(Space const& space, ShortwaveArrays const& input,
                                     std::vector<ArrayRef> const& fluxes) {
  m_parts->solve(space, input, fluxes);
}

template <KokkosExecutionSpace Space>
SolveStatus DeviceShortwave<Space>::status(Space const& space) {
  return m_parts->status(space);
}

template <KokkosExecutionSpace Space>
std::size_t DeviceShortwave<Space>::bytes() const {
  return m_parts->bytes();
}

#define PARHELION_INSTANTIATE(SPACE) template class DeviceShortwave<SPACE>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::fluxes
