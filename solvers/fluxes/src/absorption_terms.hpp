// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_ABSORPTION_TERMS_HPP
#define PARHELION_FLUXES_ABSORPTION_TERMS_HPP

#include <parhelion/core/impl/address_in_registers.hpp>
#include <parhelion/core/lanes.hpp>

#include <type_traits>

namespace parhelion::fluxes::Impl {

/// \brief The packs of a list in one layer.
/// \tparam apart whether those of other layers are between them; otherwise they are neighbours
template <class Pack, bool apart>
struct PacksOfLayer {
  Pack* first;
  int distance;  ///< from a pack to the next one

  KOKKOS_INLINE_FUNCTION PacksOfLayer(Pack* at, int packs_apart = 1) : first(at), distance(apart ? packs_apart : 1) {}
  KOKKOS_INLINE_FUNCTION Pack& operator[](unsigned pack) const {
    return first[apart ? static_cast<int>(pack) * distance : static_cast<int>(pack)];
  }
};

/// Nothing, or words beside the values of a struct, so that neighbouring structs begin in different banks of scratch
/// memory.
template <int words>
struct BankPadding {
  unsigned unused[words];
};
template <>
struct BankPadding<0> {};

/// \brief The optical depth of layers as a sum over rows of a coefficient table.
///
/// The weights hold the interpolation in pressure, temperature and species ratio, and the amounts of all gases. They
/// are the same for all g-points of a list (in RRTMG, those of a band), so that each g-point has tau_g = sum of weight
/// * row[g]. Rows come in pairs of neighbours. `width` layers have their terms side by side: the same list of pairs, to
/// whose end a layer may add pairs of its own.
///
/// \tparam nsecond  pairs of rows of further sums: Planck fractions or Planck radiances in the longwave, Rayleigh
///                  scattering in the shortwave
/// \tparam together pairs that are read at a time. A device reads weights and rows of four with three loads, and has
///                  the loads of their rows in flight at the same time.
template <class Real, int width = 1, int nsecond = 1, int together = width == 1 ? 4 : 1>
struct AbsorptionTerms : BankPadding<(together > 1 && nsecond == 4 && sizeof(Real) == 4) ? 4 : 0> {
  /// Pairs that are read at a time; PairList writes them.
  struct alignas(together > 1 ? 16 : alignof(Real)) Pack {
    Real weight[2][together][width];
    unsigned row[together][width];  ///< the first of the two
  };
  /// Whether a device reads its further pairs together, too: four of them.
  static constexpr bool has_four_seconds = together > 1 && nsecond == 4;
  /// Pairs of rows of further sums.
  struct alignas(has_four_seconds ? 16 : alignof(Real)) Second {
    Real weight[nsecond][2][width];
    unsigned row[nsecond][width];  ///< the first of the two
  };
  /// Lanes of a device that make the terms of neighbouring layers write to different banks of scratch memory, if the
  /// packs of these layers are neighbours. (With other models that was no gain.)
  static constexpr bool layers_between = has_four_seconds;
  using Packs = PacksOfLayer<Pack, layers_between>;
  using ConstPacks = PacksOfLayer<Pack const, layers_between>;
  static constexpr int seconds = nsecond;
  static constexpr int pack_size = together;
  static constexpr int lanes = width;
  int first_pack;     ///< where its pairs begin among those of all terms, if they are together
  int count;          ///< pairs that all layers have
  int more[width];    ///< pairs after them that a layer has
  Real depth[width];  ///< further optical depth, such as that of aerosol
  Second second;

  /// Packs that hold n pairs.
  static KOKKOS_INLINE_FUNCTION constexpr int packs(int n) {
    return static_cast<int>((static_cast<unsigned>(n) + together - 1) / together);
  }

  /// \brief Where the packs of a list begin in layer kk of nkk.
  /// \param before most packs of all lists before
  /// \param most   most packs of the list
  static KOKKOS_INLINE_FUNCTION constexpr int first_pack_of(int before, int most, int kk, int nkk) {
    return before * nkk + (layers_between ? kk : kk * most);
  }
};

/// A distance of rows that is known when the kernel is compiled, and then part of its instructions.
template <int distance>
struct ConstantStride {
  KOKKOS_INLINE_FUNCTION constexpr operator int() const { return distance; }
};

/// \brief The pairs of terms, which are written one after the other.
///
/// What is left of the last pack has no weight.
template <class Terms>
class PairList {
 public:
  using Pack = typename Terms::Pack;

  explicit KOKKOS_INLINE_FUNCTION PairList(typename Terms::Packs packs) : m_packs(packs) {}

  /// Goes on to the next pair, to write it. The first call goes to the first pair.
  KOKKOS_INLINE_FUNCTION void next() {
    ++m_at;
    if constexpr (Terms::pack_size > 1)
      if (place(m_at).in_pack == 0) m_packs[place(m_at).pack] = Pack{};
  }
  /// Prepares to write so many pairs after the present one.
  KOKKOS_INLINE_FUNCTION void reserve(int more) const {
    if constexpr (Terms::pack_size > 1)
      for (int pack = Terms::packs(count()); pack < Terms::packs(count() + more); ++pack)
        m_packs[static_cast<unsigned>(pack)] = Pack{};
  }
  /// Pairs up to the present one.
  KOKKOS_INLINE_FUNCTION int count() const { return m_at + 1; }

  /// Weights of a row of a pair, in all layers.
  KOKKOS_INLINE_FUNCTION auto& weight(int which, int pair) const {
    return m_packs[place(pair).pack].weight[which][place(pair).in_pack];
  }
  /// First rows of a pair, in all layers.
  KOKKOS_INLINE_FUNCTION auto& row(int pair) const { return m_packs[place(pair).pack].row[place(pair).in_pack]; }
  /// The same of the present pair.
  KOKKOS_INLINE_FUNCTION auto& weight(int which) const { return weight(which, m_at); }
  KOKKOS_INLINE_FUNCTION auto& row() const { return row(m_at); }

 private:
  struct Place {
    unsigned pack, in_pack;
  };
  static KOKKOS_INLINE_FUNCTION Place place(int pair) {
    auto const n = static_cast<unsigned>(pair);
    return {n / Terms::pack_size, n % Terms::pack_size};
  }

  typename Terms::Packs m_packs;
  int m_at = -1;
};

/// Optical depths of `width` neighbouring g-points in one of the layers of the terms.
/// \param packs  their pairs
/// \param values the rows, from the first of the g-points on
/// \param stride values from a row to the next one, an int or a ConstantStride
template <int width, class Real, class Terms, class Stride>
KOKKOS_INLINE_FUNCTION void sum_terms(Terms const& terms, typename Terms::ConstPacks packs, int layer,
                                      Real const* values, Stride stride, Real (&tau)[width]) {
  constexpr int together = Terms::pack_size;
  Real const depth = terms.depth[layer];
  int const n = Terms::packs(terms.count + terms.more[layer]);
  if constexpr (together > 1) {
    static_assert(width == 1);
    // Two sums, so that each row takes one fused multiplication and addition, and does not wait for that before it.
    Real const* const first = parhelion::Impl::address_in_registers(values);
    [[maybe_unused]] Real const* const second =
        parhelion::Impl::address_in_registers(values + static_cast<int>(stride));
    Real sum0 = depth;
    Real sum1 = 0;
    PARHELION_DO_NOT_UNROLL
    for (auto const *pack = packs.first, *end = pack + n * packs.distance; pack != end; pack += packs.distance) {
      auto const now = *pack;
      Real of_first[together], of_second[together];
      PARHELION_UNROLL
      for (int i = 0; i < together; ++i) {
        Real const* const row = first + now.row[i][layer];
        of_first[i] = *row;
        if constexpr (std::is_same_v<Stride, int>)
          of_second[i] = second[now.row[i][layer]];
        else
          of_second[i] = row[stride];
      }
      PARHELION_UNROLL
      for (int i = 0; i < together; ++i) {
        sum0 += now.weight[0][i][layer] * of_first[i];
        sum1 += now.weight[1][i][layer] * of_second[i];
      }
    }
    tau[0] = sum0 + sum1;
  } else {
    Real sum[width];  // can stay in registers, unlike the array of the caller
    for (int l = 0; l < width; ++l) sum[l] = depth;
    for (auto const *pack = packs.first, *end = pack + n; pack != end; ++pack) {
      Real const weight0 = pack->weight[0][0][layer];
      Real const weight1 = pack->weight[1][0][layer];
      Real const* const row = values + pack->row[0][layer];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) sum[l] += weight0 * row[l] + weight1 * row[stride + l];
    }
    for (int l = 0; l < width; ++l) tau[l] = sum[l];
  }
}

/// \brief The same for twice as many g-points, on a host: both halves share what is read of the terms.
template <int width, class Real, class Terms, class Stride>
KOKKOS_INLINE_FUNCTION void sum_terms(Terms const& terms, typename Terms::ConstPacks packs, int layer,
                                      Real const* values, Stride stride, Real (&tau)[2][width]) {
  static_assert(Terms::pack_size == 1);
  Real first[width], second[width];  // can stay in registers, unlike the arrays of the caller
  for (int l = 0; l < width; ++l) first[l] = second[l] = terms.depth[layer];
  int const n = Terms::packs(terms.count + terms.more[layer]);
  for (auto const *pack = packs.first, *end = pack + n; pack != end; ++pack) {
    Real const weight0 = pack->weight[0][0][layer];
    Real const weight1 = pack->weight[1][0][layer];
    Real const* const row = values + pack->row[0][layer];
    Real const* const next = row + stride;
    PARHELION_LANES
    for (int l = 0; l < width; ++l) first[l] += weight0 * row[l] + weight1 * next[l];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) second[l] += weight0 * row[width + l] + weight1 * next[width + l];
  }
  for (int l = 0; l < width; ++l) tau[0][l] = first[l];
  for (int l = 0; l < width; ++l) tau[1][l] = second[l];
}

/// A further sum of the terms, over `n` of their further pairs from the pair `first` on, as above.
template <int first = 0, int n = 1, int width, class Real, class Terms, class Stride>
KOKKOS_INLINE_FUNCTION void second_sum(Terms const& terms, int layer, Real const* values, Stride stride,
                                       Real (&sum)[width]) {
  if constexpr (Terms::has_four_seconds) {
    static_assert(width == 1 && first == 0 && n == 4 && std::is_same_v<Stride, int>);
    Real const* const from = parhelion::Impl::address_in_registers(values);
    Real const* const next = parhelion::Impl::address_in_registers(values + stride);
    auto const now = terms.second;
    Real of_first[n], of_next[n];
    PARHELION_UNROLL
    for (int pair = 0; pair < n; ++pair) {
      of_first[pair] = from[now.row[pair][layer]];
      of_next[pair] = next[now.row[pair][layer]];
    }
    sum[0] = 0;
    PARHELION_UNROLL
    for (int pair = 0; pair < n; ++pair)
      sum[0] += now.weight[pair][0][layer] * of_first[pair] + now.weight[pair][1][layer] * of_next[pair];
  } else {
    for (int pair = first; pair < first + n; ++pair) {
      Real const weight0 = terms.second.weight[pair][0][layer];
      Real const weight1 = terms.second.weight[pair][1][layer];
      Real const* const row = values + terms.second.row[pair][layer];
      if (pair == first) {
        PARHELION_LANES
        for (int l = 0; l < width; ++l) sum[l] = weight0 * row[l] + weight1 * row[stride + l];
      } else {
        PARHELION_LANES
        for (int l = 0; l < width; ++l) sum[l] += weight0 * row[l] + weight1 * row[stride + l];
      }
    }
  }
}

}  // namespace parhelion::fluxes::Impl

#endif
