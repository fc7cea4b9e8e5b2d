// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LONGWAVE_LAYOUT_HPP
#define PARHELION_FLUXES_LONGWAVE_LAYOUT_HPP

#include "lane_optics.hpp"

#include <parhelion/core/machine.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>

namespace parhelion::fluxes::Impl {

/// \brief How the longwave kernel of one model is laid out on an execution space.
///
/// The numbers for devices were measured on an H200.
template <class Model>
struct LongwaveLayout {
  using ExecutionSpace = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Optics = LaneOptics<Model>;
  using Machine = MachineTraits<ExecutionSpace>;
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  static constexpr bool in_float = sizeof(Real) <= 4;
  static constexpr int vector_length = Machine::lanes;

  /// Layers whose absorption terms a team keeps at a time: more are faster until the team's scratch memory leaves no
  /// room for other teams on the multiprocessor (perf/results/2026-11-22-h200/NOTES.md).
  template <bool cloudy>
  static constexpr int default_layers_per_block = on_host                                           ? 16
                                                  : Optics::source == PlanckSource::rows            ? (in_float ? 8 : 6)
                                                  : Optics::source == PlanckSource::level_fractions ? (in_float ? 5 : 3)
                                                  : Optics::has_one_list                            ? (in_float ? 8 : 4)
                                                  : in_float                                        ? (cloudy ? 8 : 7)
                                                                                                    : (cloudy ? 3 : 5);

  /// Scratch memory of a team of a device up to which a multiprocessor of an H100 holds the teams that have registers.
  /// It held half of them with 41.5 kB in clear sky, 41.9 kB in float and 42.8 kB in double below clouds.
  static constexpr std::size_t most_team_bytes = 40UL * 1024;

  /// Layers whose states are prepared at a time. A thread of a device takes nearly as long for one layer as for one of
  /// each of its lanes, and the others of its team wait for it less often. On a host a vector of layers is of one
  /// block.
  static constexpr int most_layers_of_states = on_host ? 1 : 16;
  static constexpr int least_layers_of_states = on_host ? 1 : 8;

  struct Layers {
    int of_block, of_states;
  };

  /// \brief Layers of a block and of states, with which a team has no more than most_team_bytes. A deep column has
  ///        fewer states at a time, and then smaller blocks: at least half of those of a shallow one, with which more
  ///        teams are no gain.
  /// \param wanted layers of a block, or 0: chosen here
  /// \param bytes  callable (Layers): scratch memory of a team
  template <bool cloudy, class Bytes>
  static Layers layers(int wanted, Bytes const& bytes) {
    int const most = wanted > 0 ? wanted : default_layers_per_block<cloudy>;
    int const least = wanted > 0 ? wanted : (most + 1) / 2;
    if (!on_host)
      for (int of_block = most; of_block >= least; --of_block)
        for (int const of_states : {most_layers_of_states, least_layers_of_states})
          if (bytes({of_block, of_states}) <= most_team_bytes) return {of_block, of_states};
    return {most, least_layers_of_states};
  }

  /// Whether the kernel has so much at hand in double that with 96 registers loads of rows wait for each other.
  template <bool cloudy>
  static constexpr bool needs_most_in_double = cloudy || Optics::source == PlanckSource::level_fractions;

  /// Threads of a team for which the kernel is compiled, at least those of the largest, and the registers that each may
  /// use: with few, more teams hide more latency, but leave less room for rows of coefficients in the first cache, and
  /// registers are spilled, which costs more than either.
  template <bool cloudy>
  static constexpr int max_threads = in_float || !needs_most_in_double<cloudy> ? 320 : 480;
  template <bool cloudy>
  static constexpr int registers = in_float ? (cloudy || !Optics::has_one_list ? 96 : 64)
                                            : (needs_most_in_double<cloudy> ? 128 : 96);

  /// Teams of that size that a multiprocessor holds.
  template <bool cloudy>
  static constexpr int teams = teams_per_multiprocessor<Machine>(max_threads<cloudy>, registers<cloudy>);
  template <bool cloudy>
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<max_threads<cloudy>, teams<cloudy>>>;

  /// Vectors of threads in a team that has so many lane groups.
  static int team_size(int groups) {
    constexpr int most = 320;  // with and without clouds
    return on_host ? 1 : std::min((groups + vector_length - 1) / vector_length, most / vector_length);
  }

  /// \brief Teams that solve a column together where there are so few columns that this is faster, otherwise 1.
  /// \param resident see below
  template <bool cloudy>
  static int parts_of_column(int resident, int ncol, int nlay, int layers_per_block) {
    int const blocks = (nlay + layers_per_block - 1) / layers_per_block + 1;  // one more where two regions meet
    int const parts = std::min(resident / ncol, blocks);
    // With clouds each team takes the subcolumns through the layers above its own.
    constexpr int least = cloudy ? 3 : 2;
    return parts < least ? 1 : parts;
  }

  /// Teams that are certain to run at the same time, as far as registers are concerned.
  /// \param concurrency of the execution space
  template <bool cloudy>
  static int resident_teams(int concurrency, int groups) {
    if (on_host) return concurrency;
    double const share = static_cast<double>(max_threads<cloudy> * teams<cloudy>) / Machine::resident_threads;
    return std::max(1, static_cast<int>(concurrency * share) / (team_size(groups) * vector_length));
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
