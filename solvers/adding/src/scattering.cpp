// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/scattering.hpp>

#include <parhelion/core/device.hpp>

#include "checks.hpp"
#include "scattering_steps.hpp"

#include <fmt/format.h>

#include <utility>

namespace parhelion::adding {

namespace {

/// The strategy of a solver, the same in all calls.
template <class Space>
Strategy chosen(Space const& space, Capacity const& capacity, ScatteringTuning const& tuning) {
  for (auto const& [value, name] : {std::pair(capacity.nprofile, "nprofile"), std::pair(capacity.nlay, "nlay"),
                                    std::pair(capacity.nangle, "nangle"), std::pair(capacity.nphase, "nphase")})
    if (value < 1) throw Error("Scattering", fmt::format("capacity.{} = {}, expected at least 1", name, value));
  if (tuning.strategy != Strategy::automatic) return tuning.strategy;
  return choose_scattering_strategy(space, tuning.nprofile > 0 ? tuning.nprofile : capacity.nprofile, capacity.nlay,
                                    capacity.nangle);
}

template <class Space, class Real>
std::size_t needed_bytes(Space const& space, Capacity const& capacity, Strategy strategy) {
  WorkspaceSize<Space> size;
  Impl::Memory<Space, Real>::take(space, size, capacity, strategy);
  return size.bytes();
}

template <class Space, class Real>
void check(AddingInput<Space, Real> const& input, AddingResult<Space, Real> const& result, Capacity const& capacity) {
  constexpr char const* where = "Scattering::solve";
  auto const& profiles = input.profiles;
  Impl::expect_empty(where, "transmittance", profiles.transmittance,
                     "expected optical_depth where there is scattering");
  if (!profiles.scatters())
    throw Error(where, "single_scattering_albedo is empty, expected one, as ClearSky solves what does not scatter");
  Impl::expect_capacity(where, "phase matrices a profile", profiles.nphase(), capacity.nphase);
  Impl::check_arrays(where, input, result, capacity);
  if (profiles.phase_forward.extent(0) != profiles.phase_backward.extent(0))
    throw Error(where, fmt::format("phase_backward is for {} profiles, expected {} as phase_forward",
                                   profiles.phase_backward.extent(0), profiles.phase_forward.extent(0)));
  if ((result.radiances.up.size() > 0 || result.radiances.dn.size() > 0) && !capacity.levels && !capacity.derivatives)
    throw Error(where, "radiances at all levels are requested, but capacity.levels = false");
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
std::size_t Scattering<ExecutionSpace, Real>::workspace_bytes(ExecutionSpace const& space, Capacity const& capacity,
                                                              ScatteringTuning const& tuning) {
  return needed_bytes<ExecutionSpace, Real>(space, capacity, chosen(space, capacity, tuning)) +
         NotFinite<ExecutionSpace>::bytes();
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Scattering<ExecutionSpace, Real>::Scattering(ExecutionSpace const& space, NoModel const& /* model */,
                                             Capacity const& capacity, ScatteringTuning const& tuning)
    : m_capacity(capacity),
      m_strategy(chosen(space, capacity, tuning)),
      m_workspace(space, needed_bytes<ExecutionSpace, Real>(space, capacity, m_strategy),
                  "parhelion::Adding::workspace"),
      m_memory(std::make_shared<Impl::Memory<ExecutionSpace, Real>>(
          Impl::Memory<ExecutionSpace, Real>::take(space, m_workspace, capacity, m_strategy))),
      m_not_finite(space) {
  static_assert(Solver<Scattering>);
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void Scattering<ExecutionSpace, Real>::solve(ExecutionSpace const& space, input_type const& input,
                                             result_type const& result) {
  m_checked([&] { check(input, result, m_capacity); }, input, result);
  auto const& profiles = input.profiles;
  if (profiles.nprofile() == 0) return;
  bool const levels = result.radiances.up.size() > 0 || result.radiances.dn.size() > 0;
  bool const tangent = result.tangent_toa.size() > 0;
  bool const derivative = Impl::any_array(result.derivative);
  Impl::ScatteringSteps<ExecutionSpace, Real> const steps(space, profiles, *m_memory, m_not_finite, m_strategy,
                                                          levels || tangent || derivative);
  steps.make_operators();
  steps.add_upward(result.radiances);
  if (!steps.memory.levels) return;
  steps.template pass_downward<Impl::Downward::radiance>();
  if (levels)
    steps.range("parhelion::Adding::give_levels", profiles.nprofile() * profiles.nlev() * profiles.nangle(),
                Impl::GiveLevels<ExecutionSpace, Real>{{profiles, steps.memory}, result.radiances, m_not_finite});
  if (tangent) Impl::enqueue_tangent(steps, input.perturbation, result.tangent_toa);
  if (derivative) Impl::enqueue_adjoint(steps, input.adjoint_toa, result.derivative);
}

template <KokkosExecutionSpace ExecutionSpace>
Strategy choose_scattering_strategy(ExecutionSpace const& space, int nprofile, int nlay, int nangle) {
  // A scan needs about three times the additions of a sweep; the operators of the layers, which are most of the work,
  // are computed for all layers at once in both. Measured on an H100 with 60 layers, a scan is faster up to about 3500
  // profiles with 4 angles, 1200 with 8 and 300 with 16. There the threads of a sweep fill 2 to 5 percent of the
  // device. Hosts always sweep: a scan would only help with many threads for few profiles, and a choice by the number
  // of threads would make rounding depend on it.
  if constexpr (runs_on_host<ExecutionSpace>) {
    return Strategy::sweep;
  } else {
    using Alg = Impl::Algebra<ExecutionSpace, double>;
    constexpr int shortest_scan = 8;
    constexpr double share = 0.04;
    double const threads = static_cast<double>((nprofile + Alg::width - 1) / Alg::width) * Alg::lanes(nangle);
    return nlay < shortest_scan || threads >= share * space.concurrency() ? Strategy::sweep : Strategy::team_scan;
  }
}

#define PARHELION_INSTANTIATE(SPACE)        \
  template class Scattering<SPACE, float>;  \
  template class Scattering<SPACE, double>; \
  template Strategy choose_scattering_strategy(SPACE const&, int, int, int);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::adding
