// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_GAS_SET_HPP
#define PARHELION_FLUXES_GAS_SET_HPP

#include <parhelion/fluxes/gases.hpp>

#include <cstdint>
#include <initializer_list>

namespace parhelion::fluxes {

/// A set of gases.
class GasSet {
 public:
  constexpr GasSet() = default;
  constexpr GasSet(std::initializer_list<Gas> gases) {
    for (Gas const gas : gases) insert(gas);
  }

  /// All gases that parhelion knows.
  static constexpr GasSet all() {
    GasSet set;
    set.m_bits = (std::uint32_t(1) << ngas_all) - 1;
    return set;
  }

  constexpr void insert(Gas gas) { m_bits |= bit(gas); }
  constexpr bool contains(Gas gas) const { return (m_bits & bit(gas)) != 0; }
  constexpr bool empty() const { return m_bits == 0; }

  /// The gases of this set that are not in the other one.
  constexpr GasSet without(GasSet const& other) const {
    GasSet set;
    set.m_bits = m_bits & ~other.m_bits;
    return set;
  }

  friend constexpr bool operator==(GasSet const&, GasSet const&) = default;

 private:
  static constexpr std::uint32_t bit(Gas gas) { return std::uint32_t(1) << static_cast<int>(gas); }

  std::uint32_t m_bits = 0;
};

}  // namespace parhelion::fluxes

#endif
