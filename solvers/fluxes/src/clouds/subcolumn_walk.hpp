// SPDX-License-Identifier: BSD-3-Clause
// Subcolumns, from layer to layer downwards.
#ifndef PARHELION_FLUXES_CLOUDS_SUBCOLUMN_WALK_HPP
#define PARHELION_FLUXES_CLOUDS_SUBCOLUMN_WALK_HPP

#include <parhelion/core/impl/random.hpp>
#include <parhelion/core/lanes.hpp>
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

/// What the random numbers of a subcolumn are for: those of different purposes are independent.
enum class RankPurpose : std::uint32_t { rank, follows, column };

/// \brief The next layer down: a uniform random rank for each layer, in parts of 2^32, related to that of the layer
///        above as the overlap says.
///
/// A layer is cloudy where the rank is at least one minus the cloud fraction (Raisanen et al. 2004,
/// doi:10.1256/qj.03.99). The rank of a clear layer affects no other layer, except with exponential overlap.
/// \param here,above cloudiness of the layer and of that above it, clear above the highest
/// \param words      callable (layer, purpose, to): random words of `n` subcolumns
/// \param rank       of `n` subcolumns, at first 0
template <int n, class Words>
KOKKOS_INLINE_FUNCTION void next_ranks(Overlap overlap, int layer, LayerCloudiness const& here,
                                       LayerCloudiness const& above, Words const& words, std::uint32_t (&rank)[n]) {
  if (!here.has_cloud() && overlap != Overlap::exponential) return;
  std::uint32_t word[n];
  std::uint32_t is_new[n];
  std::uint32_t any = 0;
  switch (overlap) {
    case Overlap::random:
      words(layer, RankPurpose::rank, rank);
      break;
    case Overlap::maximum:
      words(0, RankPurpose::column, rank);
      break;
    case Overlap::maximum_random: {
      std::uint32_t const apart = above.has_cloud() ? 0 : 1;
      for (int l = 0; l < n; ++l) is_new[l] = apart | (rank[l] < above.clear ? 1U : 0U);
      for (int l = 0; l < n; ++l) any |= is_new[l];
      if (any == 0) break;
      words(layer, RankPurpose::rank, word);
      PARHELION_LANES
      for (int l = 0; l < n; ++l)
        rank[l] = is_new[l] != 0 ? static_cast<std::uint32_t>(word[l] * above.clear >> 32U) : rank[l];
      break;
    }
    default: {
      bool const apart = overlap == Overlap::exponential_random && !above.has_cloud();
      for (int l = 0; l < n; ++l) is_new[l] = 1;
      if (!apart) {
        words(layer, RankPurpose::follows, word);
        for (int l = 0; l < n; ++l) is_new[l] = word[l] < here.follow ? 0 : 1;
      }
      for (int l = 0; l < n; ++l) any |= is_new[l];
      if (any == 0) break;
      words(layer, RankPurpose::rank, word);
      PARHELION_LANES
      for (int l = 0; l < n; ++l) rank[l] = is_new[l] != 0 ? word[l] : rank[l];
    }
  }
}

/// The random words of a subcolumn in four layers, from layer / 4 * 4 on: they share a call of the generator.
KOKKOS_INLINE_FUNCTION parhelion::Impl::PhiloxBlock rank_words(std::uint64_t seed, int layer, std::uint32_t gpoint,
                                                               std::uint32_t column, RankPurpose purpose) {
  return parhelion::Impl::philox(seed, static_cast<std::uint32_t>(layer) / 4, gpoint, column,
                                 static_cast<std::uint32_t>(purpose));
}

/// \brief A subcolumn, from layer to layer downwards; see next_ranks().
struct SubcolumnWalk {
  Overlap overlap;
  std::uint64_t seed;
  std::uint32_t column;
  std::uint32_t gpoint;
  std::uint32_t rank = 0;

  /// The next layer down; arguments as for next_ranks().
  KOKKOS_INLINE_FUNCTION bool is_cloudy(int layer, LayerCloudiness const& here, LayerCloudiness const& above) {
    std::uint32_t ranks[1] = {rank};
    auto const words = [this](int of, RankPurpose purpose, std::uint32_t(&to)[1]) {
      auto const four = rank_words(seed, of, gpoint, column, purpose);
      int const which = of % 4;
      to[0] = which < 2 ? (which == 0 ? four.word[0] : four.word[1]) : (which == 2 ? four.word[2] : four.word[3]);
    };
    next_ranks(overlap, layer, here, above, words, ranks);
    rank = ranks[0];
    return rank >= here.clear;
  }
};

/// \brief The subcolumns of `n` g-points. A host makes vectors of them and keeps the random words of four layers.
template <int n>
struct Subcolumns {
  Overlap overlap;
  std::uint64_t seed;
  std::uint32_t column;

  /// \brief All layers, from the top down.
  /// \param cloudiness of each layer of the column
  /// \param mask       bit of layer % 32 in word layer / 32 of each g-point; words are `stride` apart
  KOKKOS_INLINE_FUNCTION void draw(LayerCloudiness const* cloudiness, int nlay, std::uint32_t const (&gpoint)[n],
                                   std::uint32_t* mask, int stride) const {
    if constexpr (n == 1) {
      SubcolumnWalk walk{overlap, seed, column, gpoint[0]};
      auto const step = [&walk](int layer, LayerCloudiness const& here, LayerCloudiness const& above,
                                std::uint32_t(&bits)[1]) {
        if (walk.is_cloudy(layer, here, above)) bits[0] |= std::uint32_t(1) << (layer % 32);
      };
      for_each_layer(cloudiness, nlay, mask, stride, step);
    } else {
      std::uint32_t rank[n] = {};
      std::uint32_t four[2][4][n];
      int drawn[2] = {-1, -1};
      auto const words = [&](int of, RankPurpose purpose, std::uint32_t(&to)[n]) {
        int const which = purpose == RankPurpose::follows ? 1 : 0;
        if (drawn[which] != of / 4) {
          drawn[which] = of / 4;
          auto& kept = four[which];
          PARHELION_LANES
          for (int l = 0; l < n; ++l) {
            auto const block = rank_words(seed, of, gpoint[l], column, purpose);
            kept[0][l] = block.word[0];
            kept[1][l] = block.word[1];
            kept[2][l] = block.word[2];
            kept[3][l] = block.word[3];
          }
        }
        for (int l = 0; l < n; ++l) to[l] = four[which][of % 4][l];
      };
      auto const step = [&](int layer, LayerCloudiness const& here, LayerCloudiness const& above,
                            std::uint32_t(&bits)[n]) {
        next_ranks(overlap, layer, here, above, words, rank);
        if (!here.has_cloud()) return;
        auto const clear = static_cast<std::uint32_t>(here.clear);
        std::uint32_t const bit = std::uint32_t(1) << (layer % 32);
        PARHELION_LANES
        for (int l = 0; l < n; ++l) bits[l] |= rank[l] >= clear ? bit : 0;
      };
      for_each_layer(cloudiness, nlay, mask, stride, step);
    }
  }

 private:
  template <class Step>
  KOKKOS_INLINE_FUNCTION static void for_each_layer(LayerCloudiness const* cloudiness, int nlay, std::uint32_t* mask,
                                                    int stride, Step const& step) {
    for (int word = (nlay + 31) / 32 - 1; word >= 0; --word) {
      std::uint32_t bits[n] = {};
      int const last = word * 32 + 32 < nlay ? word * 32 + 31 : nlay - 1;
      for (int layer = last; layer >= word * 32; --layer) {
        LayerCloudiness const above = layer + 1 < nlay ? cloudiness[layer + 1] : LayerCloudiness(0, 0);
        step(layer, cloudiness[layer], above, bits);
      }
      for (int l = 0; l < n; ++l) mask[word * stride + l] = bits[l];
    }
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
