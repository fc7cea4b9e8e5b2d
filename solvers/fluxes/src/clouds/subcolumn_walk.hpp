// SPDX-License-Identifier: BSD-3-Clause
// A subcolumn, from layer to layer downwards.
#ifndef PARHELION_FLUXES_CLOUDS_SUBCOLUMN_WALK_HPP
#define PARHELION_FLUXES_CLOUDS_SUBCOLUMN_WALK_HPP

#include <parhelion/core/impl/random.hpp>
#include <parhelion/fluxes/subcolumns.hpp>

namespace parhelion::fluxes::Impl {

/// \brief Correlation of a layer's clouds with those of the layer above, see overlap_correlation().
template <class AnyColumns>
KOKKOS_INLINE_FUNCTION double layer_correlation(AnyColumns const& columns, int column, int layer, double length) {
  if (layer + 1 == columns.nlay()) return 0;
  // Gas constant of dry air over gravity [m K-1].
  constexpr double scale = 287.05 / 9.8066;
  double const ratio = double(columns.pressure_lay(column, layer)) / double(columns.pressure_lay(column, layer + 1));
  double const distance = scale * double(columns.temperature_lev(column, layer + 1)) * Kokkos::log(ratio);
  return Kokkos::exp(-distance / length);
}

/// The cloudiness of a layer, in parts of 2^32: subcolumns compare integers, so that they are the same everywhere.
struct LayerCloudiness {
  std::uint64_t clear;   ///< one minus the cloud fraction
  std::uint32_t follow;  ///< correlation with the layer above

  KOKKOS_INLINE_FUNCTION LayerCloudiness(double fraction, double correlation)
      : clear(static_cast<std::uint64_t>((1 - fraction) * 0x1p32)),
        follow(correlation < 1 ? static_cast<std::uint32_t>(correlation * 0x1p32) : 0xffffffffU) {}

  KOKKOS_INLINE_FUNCTION bool has_cloud() const { return clear < (std::uint64_t(1) << 32U); }
};

/// \brief A uniform random rank for each layer, related to that of the layer above as the overlap says.
///
/// The layer is cloudy where the rank is at least one minus the cloud fraction (Raisanen et al. 2004,
/// doi:10.1256/qj.03.99).
struct SubcolumnWalk {
  Overlap overlap;
  std::uint64_t seed;
  std::uint32_t column;
  std::uint32_t gpoint;
  std::uint32_t rank = 0;  ///< in parts of 2^32

  /// \brief The next layer down.
  /// \param here,above its cloudiness and that of the layer above it, clear above the highest
  KOKKOS_INLINE_FUNCTION bool is_cloudy(int layer, LayerCloudiness const& here, LayerCloudiness const& above) {
    // The rank of a clear layer affects no other layer, except with exponential overlap.
    if (!here.has_cloud() && overlap != Overlap::exponential) return false;
    switch (overlap) {
      case Overlap::random:
        rank = word(layer, 0);
        break;
      case Overlap::maximum:
        rank = word(0, 2);
        break;
      case Overlap::maximum_random:
        if (!above.has_cloud() || rank < above.clear)
          rank = static_cast<std::uint32_t>(word(layer, 0) * above.clear >> 32U);
        break;
      default: {
        bool const apart = overlap == Overlap::exponential_random && !above.has_cloud();
        if (apart || !(word(layer, 1) < here.follow)) rank = static_cast<std::uint32_t>(word(layer, 0));
      }
    }
    return rank >= here.clear;
  }

 private:
  // Four layers share a call of the generator.
  KOKKOS_INLINE_FUNCTION std::uint64_t word(int layer, std::uint32_t purpose) const {
    parhelion::Impl::PhiloxBlock const words =
        parhelion::Impl::philox(seed, static_cast<std::uint32_t>(layer) / 4, gpoint, column, purpose);
    int const which = layer % 4;
    return which < 2 ? (which == 0 ? words.word[0] : words.word[1]) : (which == 2 ? words.word[2] : words.word[3]);
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
