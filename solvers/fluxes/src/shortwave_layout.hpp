// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SHORTWAVE_LAYOUT_HPP
#define PARHELION_FLUXES_SHORTWAVE_LAYOUT_HPP

#include "shortwave_optics.hpp"

#include <parhelion/core/machine.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>

namespace parhelion::fluxes::Impl {

/// \brief How the shortwave kernel of one model is laid out on an execution space.
///
/// The numbers for devices were measured on an H200.
template <class Model>
struct ShortwaveLayout {
  using ExecutionSpace = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Machine = MachineTraits<ExecutionSpace>;
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  static constexpr bool in_float = sizeof(Real) <= 4;
  static constexpr int vector_length = Machine::lanes;

  /// Layers whose absorption terms a team keeps at a time: more are faster until the team's scratch memory leaves no
  /// room for other teams on the multiprocessor, and so it is with the numbers below.
  template <bool cloudy>
  static constexpr int default_layers_per_block = on_host               ? 16
                                                  : in_float && !cloudy ? 5
                                                                        : 4;
  /// Layers whose interpolation is prepared at a time, where layers do not lie side by side.
  template <bool cloudy>
  static constexpr int states_at_once = on_host              ? 32
                                        : in_float || cloudy ? Machine::lanes / 2
                                                             : Machine::lanes;
  /// Levels whose fluxes are kept at a time.
  template <bool cloudy>
  static constexpr int levels_at_once = on_host               ? 8
                                        : in_float || !cloudy ? 4
                                                              : 2;

  /// Threads of the largest team for which the kernel is compiled, and the registers that each may use.
  static constexpr int max_threads = 128;
  template <bool cloudy>
  static constexpr int registers = in_float ? (cloudy ? 64 : 56) : (cloudy ? 128 : 96);

  /// Teams of that size that a multiprocessor holds.
  template <bool cloudy>
  static constexpr int teams = teams_per_multiprocessor<Machine>(max_threads, registers<cloudy>);
  template <bool cloudy>
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<max_threads, teams<cloudy>>>;

  /// Vectors of threads in a team.
  static int team_size(int nlane) {
    return on_host ? 1 : std::min((nlane + vector_length - 1) / vector_length, max_threads / vector_length);
  }

  /// Teams that are certain to run at the same time, as far as registers are concerned.
  /// \param concurrency of the execution space
  template <bool cloudy>
  static int resident_teams(int concurrency, int nlane) {
    if (on_host) return concurrency;
    double const share = static_cast<double>(max_threads * teams<cloudy>) / Machine::resident_threads;
    return std::max(1, static_cast<int>(concurrency * share) / (team_size(nlane) * vector_length));
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
