// SPDX-License-Identifier: BSD-3-Clause
// A subcolumn, layer after layer from the top.
#ifndef PARHELION_RRTMG_IMPL_SUBCOLUMN_WALK_HPP
#define PARHELION_RRTMG_IMPL_SUBCOLUMN_WALK_HPP

#include <parhelion/core/impl/random.hpp>
#include <parhelion/rrtmg/subcolumns.hpp>

namespace parhelion::rrtmg::Impl {

/// \brief A rank in (0, 1) of each layer, uniform, which goes on from layer to layer as the overlap says: the layer is
///        cloudy where the rank is above one minus the cloud fraction (Raisanen et al. 2004, doi:10.1256/qj.03.99).
struct SubcolumnWalk {
  Overlap overlap;
  std::uint64_t seed;
  std::uint32_t column;
  std::uint32_t gpoint;
  double rank = 0;
  double fraction_above = -1;  ///< negative: no layer yet

  /// \brief The next layer down.
  /// \param fraction    its cloud fraction
  /// \param correlation with the layer above
  KOKKOS_INLINE_FUNCTION bool is_cloudy(int layer, double fraction, double correlation) {
    // Of maximum overlap the layers of a subcolumn have one rank.
    bool const one = overlap == Overlap::maximum;
    FourWords const words =
        random_words(seed, one ? 0xffffffffU : static_cast<std::uint32_t>(layer), gpoint, column, 0);
    double const fresh = unit(words.word[0]);
    bool const first = fraction_above < 0;
    if (first || one || overlap == Overlap::random) {
      rank = fresh;
    } else if (overlap == Overlap::maximum_random) {
      if (!(rank > 1 - fraction_above)) rank = fresh * (1 - fraction_above);
    } else {
      bool const apart = overlap == Overlap::exponential_random && !(fraction > 0 && fraction_above > 0);
      if (apart || !(unit(words.word[1]) < correlation)) rank = fresh;
    }
    fraction_above = fraction;
    return rank > 1 - fraction;
  }
};

}  // namespace parhelion::rrtmg::Impl

#endif
