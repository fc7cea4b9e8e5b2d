// SPDX-License-Identifier: BSD-3-Clause
// The steps that radiances and sensitivities share; each enqueues some kernels.
#ifndef PARHELION_ADDING_SCATTERING_STEPS_HPP
#define PARHELION_ADDING_SCATTERING_STEPS_HPP

#include "scattering_kernels.hpp"

namespace parhelion::adding::Impl {

/// One call, with the memory for its profiles.
template <class Space, class Real>
struct ScatteringSteps {
  Space space;
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;
  NotFinite<Space> not_finite;

  static constexpr int width = Algebra<Space, Real>::width;

  ScatteringSteps(Space const& space_, Profiles<Space, Real> const& profiles_, Memory<Space, Real> const& memory_,
                  NotFinite<Space> const& not_finite_, Strategy strategy, bool levels)
      : space(space_), profiles(profiles_), memory(memory_), not_finite(not_finite_) {
    memory.hierarchy = Hierarchy(profiles.nlay(), strategy);
    memory.nangle = profiles.nangle();
    memory.levels = levels;
  }

  bool sun() const { return profiles.solar_irradiance.size() > 0; }
  int nlayer() const { return profiles.nprofile() * profiles.nlay(); }
  int npack() const { return Memory<Space, Real>::packs(profiles.nprofile(), width); }
  LayerOperator<Space, Real> layer() const { return {profiles, profiles.nangle(), sun()}; }

  template <class Functor>
  void range(char const* label, int count, Functor const& functor) const {
    if (count > 0) Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0, count), functor);
  }

  /// \param parts iterations of each of `count` packs
  template <class Body>
  void teams(char const* label, int count, int parts, Body const& body) const {
    team_loop(space, label, count, parts, profiles.nangle(), memory.slots, body);
  }

  /// The same for all packs of the layers that scatter.
  template <class Body>
  void layer_teams(char const* label, Body const& body) const {
    team_loop(space, label, Memory<Space, Real>::packs(nlayer(), LayerLanes<Space>::width), 1, layer().order(),
              memory.slots, body);
  }

  void make_operators() const {
    range("parhelion::Adding::find_zero_phases", static_cast<int>(profiles.phase_forward.extent(0)) * profiles.nphase(),
          FindZeroPhases<Space, Real>{profiles, memory});
    using List = ListLayers<Space, Real>;
    Kokkos::parallel_scan("parhelion::Adding::list_layers",
                          Kokkos::RangePolicy<Space>(space, 0, List::nparts(nlayer())), List{profiles, memory});
    if (sun())
      range("parhelion::Adding::attenuate_beam", profiles.nprofile(), AttenuateBeam<Space, Real>{profiles, memory});
    layer_teams("parhelion::Adding::make_operators", MakeOperators<Space, Real>{layer(), memory});
  }

  void add_upward(Radiances<Space, Real> const& radiances) const {
    auto const& h = memory.hierarchy;
    for (int level = 0; level < h.top; ++level)
      teams("parhelion::Adding::compose_runs", npack(), h.nrun(level),
            ComposeRuns<Space, Real>{{profiles, memory}, level});
    // The layers need to be processed only if there are results at their boundaries.
    int const last = memory.levels || radiances.up_emergent.size() > 0 ? 0 : h.top;
    for (int level = h.top; level >= last; --level)
      teams("parhelion::Adding::add_upward", npack(), h.nrun(level),
            AddUpward<Space, Real>{{profiles, memory}, radiances, not_finite, level});
  }

  template <Downward what>
  void pass_downward(ProfileArray<Real const**, Space> const& adjoint_toa = {}) const {
    auto const& h = memory.hierarchy;
    for (int level = h.top; level >= 0; --level)
      teams(what == Downward::radiance ? "parhelion::Adding::pass_downward" : "parhelion::Adding::pass_adjoint",
            npack(), h.nrun(level), PassDownward<Space, Real, what>{{profiles, memory}, adjoint_toa, level});
  }
};

/// Enqueues the tangent-linear radiances at the top; needs the radiances at all levels.
template <class Space, class Real>
void enqueue_tangent(ScatteringSteps<Space, Real> const& steps, Perturbation<Space, Real> const& perturbation,
                     ProfileArray<Real**, Space> const& tangent_toa);

/// Enqueues the derivatives; needs the radiances at all levels.
template <class Space, class Real>
void enqueue_adjoint(ScatteringSteps<Space, Real> const& steps, ProfileArray<Real const**, Space> const& adjoint_toa,
                     Gradient<Space, Real> const& derivative);

}  // namespace parhelion::adding::Impl

#endif
