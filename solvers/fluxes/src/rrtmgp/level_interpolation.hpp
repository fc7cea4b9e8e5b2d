// SPDX-License-Identifier: BSD-3-Clause
// The temperature of a level by those of layers, for hosts and devices.
#ifndef PARHELION_FLUXES_RRTMGP_LEVEL_INTERPOLATION_HPP
#define PARHELION_FLUXES_RRTMGP_LEVEL_INTERPOLATION_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace parhelion::fluxes::rrtmgp {

/// The values of a column by the index of the layer or level, times a factor.
template <class Real>
struct ColumnValues {
  Real const* first;
  std::ptrdiff_t stride;  ///< [entries]
  double factor = 1;

  KOKKOS_INLINE_FUNCTION double operator()(int k) const { return factor * static_cast<double>(first[k * stride]); }
};

/// Those of a View (column, layer or level).
template <class Field>
KOKKOS_INLINE_FUNCTION ColumnValues<typename Field::non_const_value_type> column_values(Field const& field,
                                                                                        int column) {
  return {&field(column, 0), static_cast<std::ptrdiff_t>(field.stride(1))};
}

/// \brief The temperature of a level of a column, see interpolate_level_temperatures().
/// \param p,t  pressures and temperatures of layers, by index
/// \param q    pressures of levels, by index
/// \param nlay layers, >= 1; two neighbouring ones have different pressures
/// \param k    the level
template <class Real>
KOKKOS_INLINE_FUNCTION double level_temperature(ColumnValues<Real> const& p, ColumnValues<Real> const& q,
                                                ColumnValues<Real> const& t, int nlay, int k) {
  if (k > 0 && k < nlay) {
    double const below = p(k - 1);
    double const above = p(k);
    double const level = q(k);
    return (below * t(k - 1) * (level - above) + above * t(k) * (below - level)) / (level * (below - above));
  }
  int const layer = k == 0 ? 0 : nlay - 1;
  int const next = k == 0 ? 1 : nlay - 2;
  return nlay == 1 ? t(layer) : t(layer) + (q(k) - p(layer)) * (t(next) - t(layer)) / (p(next) - p(layer));
}

}  // namespace parhelion::fluxes::rrtmgp

#endif
