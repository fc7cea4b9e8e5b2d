// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/device_longwave.hpp>

#include "longwave_setup.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/device_driver.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>

#include <utility>

namespace parhelion::fluxes {

namespace Impl {

template <KokkosExecutionSpace ExecutionSpace>
class LongwaveOnDevice {
 public:
  LongwaveOnDevice(ExecutionSpace const& space, HostLongwaveOptions the_options)
      : options(std::move(the_options)),
        m_defaults(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::fluxes::cloud_defaults"), 3) {
    auto const host = Kokkos::create_mirror_view(m_defaults);
    host(0) = static_cast<int>(CloudInput::water_path);
    host(1) = static_cast<int>(IceOptics::fu);
    host(2) = static_cast<int>(LiquidOptics::hu_stamnes);
    Kokkos::deep_copy(space, m_defaults, host);
    space.fence("parhelion::fluxes::DeviceLongwave");
  }
  virtual ~LongwaveOnDevice() = default;
  LongwaveOnDevice(LongwaveOnDevice const&) = delete;
  LongwaveOnDevice& operator=(LongwaveOnDevice const&) = delete;

  virtual void solve(ExecutionSpace const& space, LongwaveArrays const& input, std::vector<ArrayRef> const& fluxes) = 0;
  virtual SolveStatus status(ExecutionSpace const& space) = 0;
  virtual std::size_t bytes() const = 0;

  /// Gives clouds the options that they lack.
  void complete(LongwaveArrays& input) const {
    if (!input.any_clouds()) return;
    int which = 0;
    for (auto* const array : {&input.input, &input.ice_optics, &input.liquid_optics}) {
      if (array->data == nullptr) {
        array->data = m_defaults.data() + which;
        array->type = ValueType::int32;
        array->rank = 1;
        array->extents = {input.ncol()};
        array->strides = {};
      }
      ++which;
    }
  }

  HostLongwaveOptions options;

 private:
  Kokkos::View<int*, typename ExecutionSpace::memory_space> m_defaults;
};

}  // namespace Impl

namespace {

template <class Model>
class OnDeviceWithModel final : public Impl::LongwaveOnDevice<typename Model::execution_space> {
 public:
  using Space = typename Model::execution_space;
  using Driver = DeviceDriver<Longwave<Model>>;

  OnDeviceWithModel(Space const& space, typename Driver::Setup setup, int ncol, HostLongwaveOptions const& its_options)
      : Impl::LongwaveOnDevice<Space>(space, its_options), m_driver(space, std::move(setup), ncol) {}

  void solve(Space const& space, LongwaveArrays const& given, std::vector<ArrayRef> const& fluxes) override {
    m_input = given;
    this->complete(m_input);
    Impl::CheckOptions checks;
    checks.checks = this->options.checks;
    Impl::order_arrays(m_input, m_descriptions, checks, m_arrays);
    m_driver.solve(space, m_arrays, fluxes, [this](typename Driver::input_type& in, std::int64_t first) {
      in.clouds.overlap = m_input.overlap;
      in.clouds.seed = m_input.seed;
      in.clouds.first_column = m_input.first_column + static_cast<std::uint32_t>(first);
    });
  }

  SolveStatus status(Space const& space) override { return m_driver.status(space); }
  std::size_t bytes() const override { return m_driver.bytes(); }

 private:
  Driver m_driver;
  LongwaveArrays m_input;
  std::vector<ArrayDescription> m_descriptions = descriptions_of<typename Driver::input_type>();
  std::vector<InputArray> m_arrays;
};

}  // namespace

template <KokkosExecutionSpace Space>
DeviceLongwave<Space>::DeviceLongwave(Space const& space, int ncol, int nlay, HostClouds const& clouds, bool aerosol,
                                      Coefficients const* coefficients, HostLongwaveOptions const& options) {
  require_kokkos("DeviceLongwave");
  Impl::check_options(ncol, nlay, clouds.any(), aerosol, coefficients == nullptr, options);
  if (options.extra_layer)
    throw ArgumentError(Impl::where, "extra_layer is asked for, which there is for arrays on the host only");
  auto const shapes = Impl::make_shapes(nlay, clouds, aerosol, options.outputs);
  Impl::with_model<Space>(coefficients, options, [&](auto const& make_model) {
    using Model = std::decay_t<decltype(make_model(space))>;
    m_parts = std::make_unique<OnDeviceWithModel<Model>>(
        space,
        Impl::make_setup<Model>(ncol, nlay, Impl::input_shapes(shapes), Impl::flux_shapes(shapes), options, make_model),
        ncol, options);
  });
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
