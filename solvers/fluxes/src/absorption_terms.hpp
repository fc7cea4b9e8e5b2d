// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_ABSORPTION_TERMS_HPP
#define PARHELION_FLUXES_ABSORPTION_TERMS_HPP

#include <parhelion/core/lanes.hpp>

namespace parhelion::fluxes::Impl {

/// \brief The optical depth of layers as a sum over rows of a coefficient table.
///
/// The weights hold the interpolation in pressure, temperature and species ratio, and the amounts of all gases. They
/// are the same for all g-points of a list (in RRTMG, those of a band), so that each g-point has tau_g = sum of weight
/// * row[g]. Rows come in pairs of neighbours. `width` layers have their terms side by side: the same list of pairs, to
/// whose end a layer may add pairs of its own.
///
/// \tparam nsecond pairs of rows of further sums: Planck fractions or Planck radiances in the longwave, Rayleigh
///                 scattering in the shortwave
template <class Real, int width = 1, int nsecond = 1>
struct AbsorptionTerms {
  struct Pair {
    Real weight[2][width];
    unsigned row[width];  ///< the first of the two
  };
  static constexpr int seconds = nsecond;
  int first_pair;     ///< where its pairs begin among those of all terms, if they are together
  int count;          ///< pairs that all layers have
  int more[width];    ///< pairs after them that a layer has
  Real depth[width];  ///< further optical depth, such as that of aerosol
  Real second_weight[nsecond][2][width];
  unsigned second_row[nsecond][width];
};

/// Optical depths of `width` neighbouring g-points in one of the layers of the terms.
/// \param pairs  those of the terms
/// \param values the rows, from the first of the g-points on
/// \param stride values from a row to the next one
template <int width, class Real, class Terms>
KOKKOS_INLINE_FUNCTION void sum_terms(Terms const& terms, typename Terms::Pair const* pairs, int layer,
                                      Real const* values, int stride, Real (&tau)[width]) {
  Real const depth = terms.depth[layer];
  Real sum[width];  // can stay in registers, unlike the array of the caller
  for (int l = 0; l < width; ++l) sum[l] = depth;
  int const n = terms.count + terms.more[layer];
  for (auto const *pair = pairs, *end = pair + n; pair != end; ++pair) {
    Real const weight0 = pair->weight[0][layer];
    Real const weight1 = pair->weight[1][layer];
    Real const* const row = values + pair->row[layer];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) sum[l] += weight0 * row[l] + weight1 * row[stride + l];
  }
  for (int l = 0; l < width; ++l) tau[l] = sum[l];
}

/// A further sum of the terms, over `n` of their further pairs from the pair `first` on, as above.
template <int first = 0, int n = 1, int width, class Real, class Terms>
KOKKOS_INLINE_FUNCTION void second_sum(Terms const& terms, int layer, Real const* values, int stride,
                                       Real (&sum)[width]) {
  for (int pair = first; pair < first + n; ++pair) {
    Real const weight0 = terms.second_weight[pair][0][layer];
    Real const weight1 = terms.second_weight[pair][1][layer];
    Real const* const row = values + terms.second_row[pair][layer];
    if (pair == first) {
      PARHELION_LANES
      for (int l = 0; l < width; ++l) sum[l] = weight0 * row[l] + weight1 * row[stride + l];
    } else {
      PARHELION_LANES
      for (int l = 0; l < width; ++l) sum[l] += weight0 * row[l] + weight1 * row[stride + l];
    }
  }
}

}  // namespace parhelion::fluxes::Impl

#endif
