// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>

#include "scattering_steps.hpp"
#include "sensitivity_kernels.hpp"

namespace parhelion::adding::Impl {

template <class Space, class Real>
void enqueue_tangent(ScatteringSteps<Space, Real> const& steps, Perturbation<Space, Real> const& perturbation,
                     ProfileArray<Real**, Space> const& tangent_toa) {
  auto const& profiles = steps.profiles;
  if (steps.sun() && perturbation.optical_depth.size() > 0)
    steps.range("parhelion::Adding::beam_tangent", profiles.nprofile(),
                BeamTangent<Space, Real>{profiles, steps.memory, perturbation});
  steps.range("parhelion::Adding::clear_tangents", steps.nlayer(),
              ClearTangents<Space, Real>{profiles, steps.memory, perturbation});
  steps.layer_teams("parhelion::Adding::layer_tangents",
                    LayerTangents<Space, Real>{{steps.layer()}, steps.memory, perturbation});
  steps.teams("parhelion::Adding::add_tangents", steps.npack(), 1,
              AddTangents<Space, Real>{{profiles, steps.memory}, perturbation, tangent_toa, steps.not_finite});
}

template <class Space, class Real>
void enqueue_adjoint(ScatteringSteps<Space, Real> const& steps, ProfileArray<Real const**, Space> const& adjoint_toa,
                     Gradient<Space, Real> const& derivative) {
  auto const& profiles = steps.profiles;
  DerivativeSink<Space, Real> const sink{derivative, steps.not_finite};
  steps.template pass_downward<Downward::adjoint>(adjoint_toa);
  steps.range("parhelion::Adding::clear_adjoints", steps.nlayer(),
              ClearAdjoints<Space, Real>{profiles, steps.memory, sink});
  steps.layer_teams("parhelion::Adding::layer_adjoints",
                    LayerAdjoints<Space, Real>{{steps.layer()}, steps.memory, sink});
  if (derivative.phase_forward.size() > 0 || derivative.phase_backward.size() > 0)
    steps.range("parhelion::Adding::phase_adjoints",
                profiles.nprofile() * profiles.nphase() * profiles.nangle() * (profiles.nangle() + 1),
                PhaseAdjoints<Space, Real>{profiles, steps.memory, sink});
  steps.range("parhelion::Adding::surface_adjoints", profiles.nprofile(),
              SurfaceAdjoints<Space, Real>{profiles, steps.memory, sink});
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                                \
  template void enqueue_tangent(ScatteringSteps<SPACE, REAL> const&, Perturbation<SPACE, REAL> const&,         \
                                ProfileArray<REAL**, SPACE> const&);                                           \
  template void enqueue_adjoint(ScatteringSteps<SPACE, REAL> const&, ProfileArray<REAL const**, SPACE> const&, \
                                Perturbation<SPACE, REAL> const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::adding::Impl
