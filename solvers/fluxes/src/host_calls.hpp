// SPDX-License-Identifier: BSD-3-Clause
// Calls from host arrays to host arrays, of the longwave and of the shortwave.
#ifndef PARHELION_FLUXES_HOST_CALLS_HPP
#define PARHELION_FLUXES_HOST_CALLS_HPP

#include "call_completion.hpp"
#include "call_setup.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace parhelion::fluxes::Impl {

/// \brief The calls of an object, whatever the model and the precision of the computation.
/// \tparam Calls LongwaveCalls or ShortwaveCalls
template <class Calls>
class HostCalls {
 public:
  using Arrays = typename Calls::Arrays;
  using Options = typename Calls::Options;
  using Report = typename Calls::Report;

  HostCalls(HostThreads its_threads, int layers, Validity const& model_validity, ModelSizes const& model_sizes,
            Options the_options)
      : threads(std::move(its_threads)),
        nlay(layers),
        validity(model_validity),
        sizes(model_sizes),
        options(std::move(the_options)) {}
  virtual ~HostCalls() = default;
  HostCalls(HostCalls const&) = delete;
  HostCalls& operator=(HostCalls const&) = delete;

  virtual HostPlan const& plan() const = 0;
  virtual void solve(Arrays const& input, std::vector<ArrayRef> const& fluxes, HostReport& report) = 0;

  /// Says what becomes of gases that calls do not give.
  void set_absent_gases(AbsentGases absent) {
    m_absent = std::move(absent);
    for (auto const& [gas, fraction] : m_absent.defaults) {
      m_doubles.push_back(fraction);
      m_floats.push_back(static_cast<float>(fraction));
    }
  }

  /// \brief Gives a call gases with a default, and level temperatures where it needs them and they are not given.
  /// \throws parhelion::Error where the model needs a gas that is absent, or levels cannot be interpolated
  void complete_input(Arrays& input, bool needs_levels) {
    refuse_absent_gases(Calls::where, m_absent, input);
    bool const floats = input.pressure_lay.type == ValueType::float32;
    add_default_gases(m_absent, floats ? static_cast<void const*>(m_floats.data()) : m_doubles.data(),
                      floats ? ValueType::float32 : ValueType::float64, input);
    if (options.level_temperatures == LevelTemperatures::interpolated && needs_levels)
      m_levels.interpolate(Calls::where, threads, input);
  }

  CheckOptions checks() const {
    return {.checks = options.checks, .out_of_range = options.out_of_range, .clip_clouds = options.clip_clouds};
  }

  HostThreads threads;  ///< that check
  int nlay;             ///< the most of a call, without an extra one
  Validity validity;
  ModelSizes sizes;
  Options options;
  InputChecks<Calls> input_checks;

 private:
  AbsentGases m_absent;
  std::vector<float> m_floats;
  std::vector<double> m_doubles;
  LevelsOfHost m_levels;
};

/// \brief The same with a model.
/// \tparam Base LongwaveStreams or ShortwaveStreams, with `template <class Real> fill_padding(staged)`, which fills
///              what copies to a chunk leave
template <class Calls, class Base, class Model>
class HostCallsOfModel final : public Base {
 public:
  using Space = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Driver = HostDriver<typename Calls::template Solver<Model>>;

  HostCallsOfModel(Space const& space, int layers, Validity const& validity, ModelSizes const& sizes,
                   typename Driver::Setup setup, typename Calls::Options const& its_options)
      : Base(HostThreads(space), layers, validity, sizes, its_options),
        m_driver(space, std::move(setup), host_options(its_options)) {}

  HostPlan const& plan() const override { return m_driver.plan(); }

  void solve(typename Calls::Arrays const& input, std::vector<ArrayRef> const& fluxes, HostReport& report) override {
    // Held by reference, so that the function object is small and does not allocate.
    auto const prepare = [&](typename Driver::input_type& in, std::vector<ArrayRef> const& staged, std::int64_t first,
                             int) {
      set_subcolumns(in.clouds, input, first);
      this->template fill_padding<Real>(staged);
    };
    order_arrays<Calls>(input, m_descriptions, this->checks(), this->sizes.ngas, m_arrays);
    m_driver.solve(m_arrays, fluxes, std::ref(prepare), this->options.progress, report);
  }

 private:
  std::vector<ArrayDescription> m_descriptions = descriptions_of<typename Driver::input_type>();
  std::vector<InputArray> m_arrays;
  Driver m_driver;
};

/// \brief Checks and solves a call.
/// \param needs_levels whether the call needs level temperatures
/// \param complete called with the arrays after the checks, before they are copied
template <class Calls, class Complete>
void compute_call(HostCalls<Calls>& calls, typename Calls::Arrays const& input, std::vector<ArrayRef> const& fluxes,
                  typename Calls::Report* report, bool needs_levels, Complete const& complete) {
  Kokkos::Timer const timer;
  typename Calls::Report own;
  auto& told = report != nullptr ? *report : own;
  auto completed = input;
  calls.complete_input(completed, needs_levels);
  auto checked = calls.input_checks.check(calls.threads, completed, calls.validity, calls.sizes, calls.checks(), told);
  if (input.nlay() > calls.nlay)
    throw ShapeError(Calls::where,
                     fmt::format("columns have {} layers, expected at most {}", input.nlay(), calls.nlay));
  complete(checked);
  calls.solve(checked, fluxes, told);
  told.total_seconds = timer.seconds();
}

}  // namespace parhelion::fluxes::Impl

#endif
