// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LAYER_VALUES_HPP
#define PARHELION_FLUXES_LAYER_VALUES_HPP

#include <parhelion/core/lanes.hpp>

namespace parhelion::fluxes::Impl {

/// \brief Values of neighbouring layers, side by side.
///
/// Where there are enough layers it is one load of a vector: values that come from main memory are then fetched for all
/// arrays of a column at a time, which many loads of single values would not leave a processor room for.
/// \param from of the first layer
/// \param n    layers from that one on, at least 1; where they are fewer than the width, the last one is repeated
/// \param to   overwritten
template <class Real, int width>
KOKKOS_INLINE_FUNCTION void layer_values(Real const* from, int n, Real (&to)[width]) {
  if (width == 1 || n >= width) {
    PARHELION_LANES
    for (int l = 0; l < width; ++l) to[l] = from[l];
  } else {
    for (int l = 0; l < width; ++l) to[l] = from[n - 1];
    for (int l = 0; l < n; ++l) to[l] = from[l];
  }
}

}  // namespace parhelion::fluxes::Impl

#endif
