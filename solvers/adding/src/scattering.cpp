// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/scattering.hpp>

#include <parhelion/core/device.hpp>

#include "scattering_steps.hpp"

#include <array>
#include <utility>

namespace parhelion::adding {

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
std::size_t Scattering<ExecutionSpace, Real>::workspace_bytes(ExecutionSpace const& space, Capacity const& capacity) {
  for (auto const& [value, name] :
       std::array{std::pair(capacity.nprofile, "nprofile"), std::pair(capacity.nlay, "nlay"),
                  std::pair(capacity.nangle, "nangle"), std::pair(capacity.nphase, "nphase")})
    if (value < 1) throw Error("Scattering", fmt::format("capacity.{} = {}, expected at least 1", name, value));
  WorkspaceSize<ExecutionSpace> size;
  Impl::Memory<ExecutionSpace, Real>::take(space, size, capacity);
  return size.bytes();
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Scattering<ExecutionSpace, Real>::Scattering(ExecutionSpace const& space, Capacity const& capacity)
    : m_capacity(capacity),
      m_workspace(space, workspace_bytes(space, capacity), "parhelion::Adding::workspace"),
      m_memory(std::make_shared<Impl::Memory<ExecutionSpace, Real>>(
          Impl::Memory<ExecutionSpace, Real>::take(space, m_workspace, capacity))) {}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void Scattering<ExecutionSpace, Real>::solve(ExecutionSpace const& space,
                                             Profiles<ExecutionSpace, Real> const& profiles,
                                             Radiances<ExecutionSpace, Real> const& radiances,
                                             Strategy strategy) const {
  if (strategy == Strategy::automatic)
    strategy = m_capacity.strategy != Strategy::automatic
                   ? m_capacity.strategy
                   : choose_scattering_strategy(space, profiles.nprofile(), profiles.nlay(), profiles.nangle());
  Impl::check_scattering("Scattering::solve", profiles, m_capacity, strategy);
  int const nlev = profiles.nlev();
  Impl::check_radiances("Scattering::solve", radiances, profiles);
  bool const levels = radiances.up.size() > 0 || radiances.dn.size() > 0;
  if (levels && !m_capacity.levels && !m_capacity.derivatives)
    throw Error("Scattering::solve", "radiances at all levels are asked for, but capacity.levels = false");

  Impl::ScatteringSteps<ExecutionSpace, Real> const steps(space, profiles, *m_memory, strategy, levels);
  steps.make_operators();
  steps.add_upward(radiances);
  if (!levels) return;
  steps.template pass_downward<Impl::Downward::radiance>();
  steps.range("parhelion::Adding::give_levels", profiles.nprofile() * nlev * profiles.nangle(),
              Impl::GiveLevels<ExecutionSpace, Real>{{profiles, steps.memory}, radiances});
}

template <KokkosExecutionSpace ExecutionSpace>
Strategy choose_scattering_strategy(ExecutionSpace const& space, int nprofile, int nlay, int nangle) {
  // A scan does about three times the adding of a sweep, and the layers' operators, which are most of the work, are
  // made for all layers at a time either way. Measured on an H200 with 60 layers: scans and sweep meet at 1000 to 1500
  // profiles for 4 and 8 angles, at 500 to 600 for 16. That is where the teams of a sweep, one a profile, fill an
  // eighth of the device. On a host only many threads for few profiles would gain, and a choice by the number of
  // threads would give each number of threads its own rounding: hosts sweep.
  if constexpr (runs_on_host<ExecutionSpace>) {
    return Strategy::sweep;
  } else {
    using Alg = Impl::Algebra<ExecutionSpace, double>;
    constexpr int shortest_scan = 8;
    constexpr double share = 0.125;
    double const threads = static_cast<double>((nprofile + Alg::width - 1) / Alg::width) * Alg::team_size(nangle);
    return nlay < shortest_scan || threads >= share * space.concurrency() ? Strategy::sweep : Strategy::team_scan;
  }
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                 \
  template Scattering<SPACE, REAL>::Scattering(SPACE const&, Capacity const&);                  \
  template std::size_t Scattering<SPACE, REAL>::workspace_bytes(SPACE const&, Capacity const&); \
  template void Scattering<SPACE, REAL>::solve(SPACE const&, Profiles<SPACE, REAL> const&,      \
                                               Radiances<SPACE, REAL> const&, Strategy) const;
#define PARHELION_INSTANTIATE(SPACE)        \
  PARHELION_INSTANTIATE_REAL(SPACE, float)  \
  PARHELION_INSTANTIATE_REAL(SPACE, double) \
  template Strategy choose_scattering_strategy(SPACE const&, int, int, int);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::adding
