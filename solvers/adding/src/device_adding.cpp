// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/device_adding.hpp>

#include "adding_setup.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/device_driver.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace parhelion::adding {

namespace Impl {

template <KokkosExecutionSpace ExecutionSpace>
class AddingOnDevice {
 public:
  AddingOnDevice() = default;
  virtual ~AddingOnDevice() = default;
  AddingOnDevice(AddingOnDevice const&) = delete;
  AddingOnDevice& operator=(AddingOnDevice const&) = delete;

  virtual void solve(ExecutionSpace const& space, HostAddingInput const& input,
                     std::vector<ArrayRef> const& result) = 0;
  virtual SolveStatus status(ExecutionSpace const& space) = 0;
  virtual std::size_t bytes() const = 0;
};

}  // namespace Impl

namespace {

constexpr char const* where = "adding";

/// Without the sun its angle is arbitrary and must not lead to infinity times 0.
template <class Space, class Real>
struct TurnSun {
  ProfileArray<Real const*, Space> irradiance;
  Real* cos_sun;

  KOKKOS_FUNCTION void operator()(int p) const {
    if (!(irradiance(p) > 0)) cos_sun[p] = 1;
  }
};

template <class Solver>
class OnDeviceWith final : public Impl::AddingOnDevice<typename Solver::execution_space> {
 public:
  using Space = typename Solver::execution_space;
  using Real = typename Solver::value_type;
  using Driver = DeviceDriver<Solver>;

  OnDeviceWith(Space const& space, typename Driver::Setup const& setup, int chunk) : m_driver(space, setup, chunk) {}

  void solve(Space const& space, HostAddingInput const& given, std::vector<ArrayRef> const& wanted) override {
    if (given.arrays.size() != m_descriptions.size() || wanted.size() != m_result_descriptions.size())
      parhelion::Impl::refuse_number_of_arrays(where, given.arrays.size(), m_descriptions.size(), wanted.size(),
                                               m_result_descriptions.size());
    m_given = given.arrays;
    m_result = wanted;
    // Weights are for scattering.
    if (m_given[m_albedo].empty()) m_given[m_weight] = {};
    if (given.order == VerticalOrder::top_first) {
      Impl::reverse(m_given, m_descriptions);
      Impl::reverse(m_result, m_result_descriptions);
    }
    m_input.assign(m_given.begin(), m_given.end());
    m_driver.solve(space, m_input, m_result, [&](typename Driver::input_type& in, std::int64_t) {
      auto const& sun = in.profiles.cos_sun;
      if (sun.size() == 0) return;
      static std::string const label = "parhelion::Adding::turn_sun";
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(sun.size())),
                           TurnSun<Space, Real>{in.profiles.solar_irradiance, const_cast<Real*>(sun.data())});
    });
  }

  SolveStatus status(Space const& space) override { return m_driver.status(space); }
  std::size_t bytes() const override { return m_driver.bytes(); }

 private:
  Driver m_driver;
  std::vector<ArrayDescription> const& m_descriptions = Impl::input_descriptions();
  std::vector<ArrayDescription> const& m_result_descriptions = Impl::result_descriptions();
  std::size_t m_albedo = Impl::position(m_descriptions, "single_scattering_albedo");
  std::size_t m_weight = Impl::position(m_descriptions, "weight");
  // Of the present call; members, so that calls do not allocate.
  std::vector<ConstArrayRef> m_given;
  std::vector<InputArray> m_input;
  std::vector<ArrayRef> m_result;
};

}  // namespace

template <KokkosExecutionSpace Space>
DeviceAdding<Space>::DeviceAdding(Space const& space, HostAddingInput const& like, HostAddingOptions const& options) {
  require_kokkos("DeviceAdding");
  Impl::check_shapes(like, where, {});
  Strategy const strategy = Impl::strategy_for(space, like, options);
  Impl::with_solver<Space>(Impl::InputArrays(like).scatters(), options.precision, [&]<class Solver>() {
    auto const setup = Impl::make_setup<Solver>(space, where, like, options, strategy);
    int const chunk = HostDriver<Solver>::plan(space, setup, {.chunk = options.chunk}).chunk;
    m_parts = std::make_unique<OnDeviceWith<Solver>>(space, setup, chunk);
  });
}

template <KokkosExecutionSpace Space>
DeviceAdding<Space>::~DeviceAdding() {
  leave_if_kokkos_is_gone(m_parts);
}
template <KokkosExecutionSpace Space>
DeviceAdding<Space>::DeviceAdding(DeviceAdding&&) noexcept = default;
template <KokkosExecutionSpace Space>
DeviceAdding<Space>& DeviceAdding<Space>::operator=(DeviceAdding&&) noexcept = default;

template <KokkosExecutionSpace Space>
void DeviceAdding<Space>::compute(Space const& space, HostAddingInput const& input,
                                  std::vector<ArrayRef> const& result) {
  m_parts->solve(space, input, result);
}

template <KokkosExecutionSpace Space>
SolveStatus DeviceAdding<Space>::status(Space const& space) {
  return m_parts->status(space);
}

template <KokkosExecutionSpace Space>
std::size_t DeviceAdding<Space>::bytes() const {
  return m_parts->bytes();
}

#define PARHELION_INSTANTIATE(SPACE) template class DeviceAdding<SPACE>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::adding
