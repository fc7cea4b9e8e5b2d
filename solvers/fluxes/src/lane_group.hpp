// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LANE_GROUP_HPP
#define PARHELION_FLUXES_LANE_GROUP_HPP

#include <parhelion/core/types.hpp>

#include <cstddef>

namespace parhelion::fluxes::Impl {

/// Neighbouring g-points of a band that one thread handles at a time.
struct LaneGroup {
  int set;     ///< whose terms they share
  int first;   ///< position of the first in the rows of the set
  int planck;  ///< Planck interval of all of them, or of the first where each lane has its own
  int gpoint;  ///< number of the first among all g-points
  int n;       ///< lanes that are g-points; the others of the group are padding
};

/// What kernels need to know of the sets of terms (bands).
template <class ExecutionSpace>
struct SetTable {
  Array<int const*, ExecutionSpace> first_lane;  ///< (set)
  Array<int const*, ExecutionSpace> lanes;       ///< (set): how many follow, with those of padding
  Array<int const*, ExecutionSpace> first_pair;  ///< (set): pairs that the sets before may have
  Array<int const*, ExecutionSpace> pairs;       ///< (set): pairs that the set may have
  Array<int const*, ExecutionSpace> order;       ///< sets, those with as many pairs beside each other
  int npair = 0;                                 ///< pairs that all may have

  static constexpr std::size_t bytes_of_set = 5 * sizeof(int);
};

}  // namespace parhelion::fluxes::Impl

#endif
