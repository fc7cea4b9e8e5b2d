// SPDX-License-Identifier: BSD-3-Clause
// Calls from arrays on a device to arrays there, of the longwave and of the shortwave.
#ifndef PARHELION_FLUXES_DEVICE_CALLS_HPP
#define PARHELION_FLUXES_DEVICE_CALLS_HPP

#include "call_completion.hpp"
#include "call_setup.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device_driver.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>

#include <utility>
#include <vector>

namespace parhelion::fluxes::Impl {

/// \brief The calls of an object, whatever the model and the precision of the computation.
/// \tparam Calls LongwaveCalls or ShortwaveCalls
template <class Calls, KokkosExecutionSpace ExecutionSpace>
class DeviceCalls {
 public:
  using Arrays = typename Calls::Arrays;
  using Options = typename Calls::Options;

  DeviceCalls(ExecutionSpace const& space, Options the_options)
      : options(std::move(the_options)),
        m_defaults(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::fluxes::cloud_defaults"), 3) {
    auto const host = Kokkos::create_mirror_view(m_defaults);
    host(0) = static_cast<int>(CloudInput::water_path);
    host(1) = static_cast<int>(IceOptics::fu);
    host(2) = static_cast<int>(LiquidOptics::hu_stamnes);
    copy_array(space, m_defaults, host);
    space.fence("parhelion::fluxes::DeviceCalls");
  }
  virtual ~DeviceCalls() = default;
  DeviceCalls(DeviceCalls const&) = delete;
  DeviceCalls& operator=(DeviceCalls const&) = delete;

  virtual void solve(ExecutionSpace const& space, Arrays const& input, std::vector<ArrayRef> const& fluxes) = 0;
  virtual SolveStatus status(ExecutionSpace const& space) = 0;
  virtual std::size_t bytes() const = 0;

  /// Says what becomes of gases that calls do not give; fences.
  void set_absent_gases(ExecutionSpace const& space, AbsentGases absent) {
    m_absent = std::move(absent);
    m_default_gases = decltype(m_default_gases)(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::fluxes::default_gases"),
        m_absent.defaults.size());
    auto const host = Kokkos::create_mirror_view(m_default_gases);
    for (std::size_t i = 0; i < m_absent.defaults.size(); ++i) host(i) = m_absent.defaults[i].second;
    copy_array(space, m_default_gases, host);
    space.fence("parhelion::fluxes::set_absent_gases");
  }

  /// \brief Gives a call gases with a default, and room for level temperatures where they are to be interpolated.
  /// \param needs_levels whether the call needs level temperatures
  /// \return whether they are
  /// \throws parhelion::Error where the model needs a gas that is absent, or levels cannot be interpolated
  bool complete_input(Arrays& input, bool needs_levels) const {
    refuse_absent_gases(Calls::where, m_absent, input);
    add_default_gases(m_absent, m_default_gases.data(), ValueType::float64, input);
    if (options.level_temperatures != LevelTemperatures::interpolated || !needs_levels) return false;
    check_layers_of_levels(Calls::where, input);
    // An array of the right shape, whose copy on the device is overwritten.
    input.temperature_lev = input.pressure_lev;
    return true;
  }

  /// Gives clouds the options that they lack.
  void complete_clouds(Arrays& input) const {
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

  Options options;

 private:
  Kokkos::View<int*, typename ExecutionSpace::memory_space> m_defaults;
  Kokkos::View<double*, typename ExecutionSpace::memory_space> m_default_gases;
  AbsentGases m_absent;
};

/// \brief The same with a model.
/// \tparam Base LongwaveOnDevice or ShortwaveOnDevice, with `complete(space, input)`, which gives a call what it lacks,
///              and `uses_level_temperatures(input)`
template <class Calls, class Base, class Model>
class DeviceCallsOfModel final : public Base {
 public:
  using Space = typename Model::execution_space;
  using Driver = DeviceDriver<typename Calls::template Solver<Model>>;

  DeviceCallsOfModel(Space const& space, ModelSizes const& sizes, typename Driver::Setup setup, int ncol,
                     typename Calls::Options const& its_options)
      : Base(space, its_options), m_sizes(sizes), m_driver(space, std::move(setup), ncol) {}

  void solve(Space const& space, typename Calls::Arrays const& given, std::vector<ArrayRef> const& fluxes) override {
    m_input = given;
    bool const interpolated = this->complete_input(m_input, this->uses_level_temperatures(m_input));
    check_parts(Calls::where, m_input, m_sizes);
    this->complete(space, m_input);
    CheckOptions checks;
    checks.checks = this->options.checks;
    order_arrays<Calls>(m_input, m_descriptions, checks, m_sizes.ngas, m_arrays);
    m_interpolates = interpolated ? &space : nullptr;
    m_driver.solve(space, m_arrays, fluxes, [this](typename Driver::input_type& in, std::int64_t first) {
      set_subcolumns(in.clouds, m_input, first);
      if (m_interpolates != nullptr) interpolate_on_device(*m_interpolates, in.columns);
    });
  }

  SolveStatus status(Space const& space) override { return m_driver.status(space); }
  std::size_t bytes() const override { return m_driver.bytes(); }

 private:
  ModelSizes m_sizes;
  Driver m_driver;
  typename Calls::Arrays m_input;
  std::vector<ArrayDescription> m_descriptions = descriptions_of<typename Driver::input_type>();
  std::vector<InputArray> m_arrays;
  Space const* m_interpolates = nullptr;  ///< in whose order the levels of the present call are interpolated
};

}  // namespace parhelion::fluxes::Impl

#endif
