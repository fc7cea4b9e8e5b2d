// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/scattering.hpp>

#include <parhelion/core/device.hpp>

#include "scattering_steps.hpp"
#include "sensitivity_kernels.hpp"

namespace parhelion::adding {

namespace {

/// Refuses what neither direction can do, and returns the strategy.
template <class Space, class Real>
Strategy check(char const* where, Space const& space, Profiles<Space, Real> const& profiles,
               Perturbation<Space, Real> const& perturbation, Capacity const& capacity, Strategy strategy) {
  if (strategy == Strategy::automatic)
    strategy = capacity.strategy != Strategy::automatic
                   ? capacity.strategy
                   : choose_scattering_strategy(space, profiles.nprofile(), profiles.nlay(), profiles.nangle());
  Impl::check_scattering(where, profiles, capacity, strategy);
  if (!capacity.derivatives)
    throw Error(where, "sensitivities are asked for, but the solver was made with capacity.derivatives = false");
  Impl::expect_empty(where, "the perturbation's transmittance", perturbation.transmittance,
                     "expected optical_depth where there is scattering");
  Impl::check_column(where, perturbation, profiles);
  int const np = profiles.nprofile();
  int const n = profiles.nangle();
  Impl::expect_extents_if_any(where, "the perturbation's single_scattering_albedo",
                              perturbation.single_scattering_albedo, std::array{np, profiles.nlay()});
  std::array const matrices{np, profiles.nphase(), n, n + 1};
  Impl::expect_extents_if_any(where, "the perturbation's phase_forward", perturbation.phase_forward, matrices);
  Impl::expect_extents_if_any(where, "the perturbation's phase_backward", perturbation.phase_backward, matrices);
  return strategy;
}

template <class Space, class Real>
Impl::LayerDerivatives<Space, Real> derivatives(Impl::ScatteringSteps<Space, Real> const& steps) {
  return {steps.layer()};
}

template <class Space, class Real>
int layer_packs(Impl::ScatteringSteps<Space, Real> const& steps) {
  return Impl::Memory<Space, Real>::packs(steps.nlayer(), Impl::LayerLanes<Space>::width);
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void Scattering<ExecutionSpace, Real>::tangent_linear(ExecutionSpace const& space,
                                                      Profiles<ExecutionSpace, Real> const& profiles,
                                                      Perturbation<ExecutionSpace, Real> const& perturbation,
                                                      ProfileArray<Real**, ExecutionSpace> const& tangent_toa,
                                                      Strategy strategy) const {
  constexpr char const* where = "Scattering::tangent_linear";
  strategy = check(where, space, profiles, perturbation, m_capacity, strategy);
  Impl::expect_extents(where, "tangent_toa", tangent_toa, std::array{profiles.nprofile(), profiles.nangle()});
  Impl::ScatteringSteps<ExecutionSpace, Real> const steps(space, profiles, *m_memory, strategy, true);
  steps.make_operators();
  steps.add_upward({});
  steps.template pass_downward<Impl::Downward::radiance>();
  if (steps.sun() && perturbation.optical_depth.size() > 0)
    steps.range("parhelion::Adding::beam_tangent", profiles.nprofile(),
                Impl::BeamTangent<ExecutionSpace, Real>{profiles, steps.memory, perturbation});
  steps.range("parhelion::Adding::clear_tangents", steps.nlayer(),
              Impl::ClearTangents<ExecutionSpace, Real>{profiles, steps.memory, perturbation});
  steps.teams("parhelion::Adding::layer_tangents", layer_packs(steps),
              Impl::LayerTangents<ExecutionSpace, Real>{derivatives(steps), steps.memory, perturbation});
  steps.teams("parhelion::Adding::add_tangents", steps.npack(),
              Impl::AddTangents<ExecutionSpace, Real>{{profiles, steps.memory}, perturbation, tangent_toa});
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void Scattering<ExecutionSpace, Real>::adjoint(ExecutionSpace const& space,
                                               Profiles<ExecutionSpace, Real> const& profiles,
                                               ProfileArray<Real const**, ExecutionSpace> const& adjoint_toa,
                                               Perturbation<ExecutionSpace, Real> const& derivative,
                                               Strategy strategy) const {
  constexpr char const* where = "Scattering::adjoint";
  strategy = check(where, space, profiles, derivative, m_capacity, strategy);
  Impl::expect_extents(where, "adjoint_toa", adjoint_toa, std::array{profiles.nprofile(), profiles.nangle()});
  Impl::ScatteringSteps<ExecutionSpace, Real> const steps(space, profiles, *m_memory, strategy, true);
  steps.make_operators();
  steps.add_upward({});
  steps.template pass_downward<Impl::Downward::radiance>();
  steps.template pass_downward<Impl::Downward::adjoint>(adjoint_toa);
  steps.range("parhelion::Adding::clear_adjoints", steps.nlayer(),
              Impl::ClearAdjoints<ExecutionSpace, Real>{profiles, steps.memory, derivative});
  steps.teams("parhelion::Adding::layer_adjoints", layer_packs(steps),
              Impl::LayerAdjoints<ExecutionSpace, Real>{derivatives(steps), steps.memory, derivative});
  if (derivative.phase_forward.size() > 0 || derivative.phase_backward.size() > 0)
    steps.range("parhelion::Adding::phase_adjoints",
                profiles.nprofile() * profiles.nphase() * profiles.nangle() * (profiles.nangle() + 1),
                Impl::PhaseAdjoints<ExecutionSpace, Real>{profiles, steps.memory, derivative});
  steps.range("parhelion::Adding::surface_adjoints", profiles.nprofile(),
              Impl::SurfaceAdjoints<ExecutionSpace, Real>{profiles, steps.memory, derivative});
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                              \
  template void Scattering<SPACE, REAL>::tangent_linear(SPACE const&, Profiles<SPACE, REAL> const&,          \
                                                        Perturbation<SPACE, REAL> const&,                    \
                                                        ProfileArray<REAL**, SPACE> const&, Strategy) const; \
  template void Scattering<SPACE, REAL>::adjoint(SPACE const&, Profiles<SPACE, REAL> const&,                 \
                                                 ProfileArray<REAL const**, SPACE> const&,                   \
                                                 Perturbation<SPACE, REAL> const&, Strategy) const;
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::adding
