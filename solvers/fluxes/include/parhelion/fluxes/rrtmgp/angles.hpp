// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMGP_ANGLES_HPP
#define PARHELION_FLUXES_RRTMGP_ANGLES_HPP

namespace parhelion::fluxes::rrtmgp {

/// \brief The angles that stand for a hemisphere in the longwave.
///
/// Cosines and weights are those of Gauss-Jacobi-5 quadrature (Hogan 2023, doi:10.1002/qj.4598, table 1).
struct Angles {
  static constexpr int most = 4;
  int n = 1;  ///< 1 to `most`
  bool optimal =
      false;  ///< one angle for each column and g-point, by the fit of the band to the column's transmittance

  /// Cosine of angle i, from 0.
  double cosine(int i) const;
  /// Its share in the flux.
  double weight(int i) const;
};

}  // namespace parhelion::fluxes::rrtmgp

#endif
