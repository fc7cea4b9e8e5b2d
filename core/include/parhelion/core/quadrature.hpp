// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_QUADRATURE_HPP
#define PARHELION_CORE_QUADRATURE_HPP

#include <vector>

namespace parhelion {

/// Nodes in ascending order, and the weight of each.
struct QuadratureRule {
  std::vector<double> nodes;
  std::vector<double> weights;
};

/// The largest number of nodes.
inline constexpr int max_quadrature_nodes = 64;

/// \brief Gauss-Legendre quadrature: integral of f over [lower, upper] = sum of weights[i] f(nodes[i]).
///
/// Exact for polynomials of degree 2n - 1. The weights are positive and sum to upper - lower.
/// Newton's iteration on the Legendre polynomial, Press et al. (2007), Numerical Recipes, section 4.6.
///
/// \param n     number of nodes, 1 .. max_quadrature_nodes
/// \param lower, upper finite limits, lower < upper
/// \throws parhelion::Error where an argument is out of range
QuadratureRule gauss_legendre(int n, double lower = -1, double upper = 1);

}  // namespace parhelion

#endif
