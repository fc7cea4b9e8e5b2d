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

/// The largest number of nodes that the functions below give.
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

/// \brief Gauss-Jacobi quadrature for the flux of a radiance: integral from 0 to 1 of f(mu) mu dmu =
///        sum of weights[i] f(nodes[i]).
///
/// mu is the cosine of the zenith angle; the flux of the radiance I is 2 pi times the integral. The factor mu is in the
/// weights, which are positive and sum to 1/2. Exact where f is a polynomial of degree 2n - 1; the nodes are the zeros
/// of the Jacobi polynomial P_n^(0,1)(2 mu - 1). With n = 1 it is the node 2/3, the diffusivity secant 1.5. Hogan
/// (2023), doi:10.1002/qj.4598, compares it with other choices of angles.
///
/// \param n number of nodes, 1 .. max_quadrature_nodes
/// \throws parhelion::Error where n is out of range
QuadratureRule gauss_flux(int n);

}  // namespace parhelion

#endif
