// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_TESTING_TOY_CASE_HPP
#define PARHELION_TESTING_TOY_CASE_HPP

#include "conformance.hpp"
#include "toy_solver.hpp"

#include <limits>

namespace parhelion::Testing {

/// Columns whose optical depths and temperatures differ from column to column and layer to layer.
template <class Space, class Real>
GreyColumns<Space, Real> grey_columns(Space const& space, int ncol, int nlay) {
  Array<Real**, Space> const tau("parhelion::Testing::tau", ncol, nlay), t("parhelion::Testing::t", ncol, nlay);
  Array<Real*, Space> const t_sfc("parhelion::Testing::t_sfc", ncol);
  auto const tau_h = Kokkos::create_mirror_view(tau);
  auto const t_h = Kokkos::create_mirror_view(t);
  auto const t_sfc_h = Kokkos::create_mirror_view(t_sfc);
  for (int c = 0; c < ncol; ++c) {
    t_sfc_h(c) = static_cast<Real>(280 + c % 17);
    for (int k = 0; k < nlay; ++k) {
      tau_h(c, k) = static_cast<Real>(0.05 * (nlay - k) + 0.01 * (c % 11));
      t_h(c, k) = static_cast<Real>(285 - 3 * k + c % 7);
    }
  }
  Kokkos::deep_copy(space, tau, tau_h);
  Kokkos::deep_copy(space, t, t_h);
  Kokkos::deep_copy(space, t_sfc, t_sfc_h);
  space.fence();
  return {tau, t, t_sfc};
}

template <class Space, class Real, Fault fault>
struct ConformanceCase<ToySolver<Space, Real, fault>> {
  using S = ToySolver<Space, Real, fault>;
  static constexpr int ncol = 5, nlay = 4;

  static NoModel model(Space const&) { return {}; }
  static typename S::capacity_type capacity() { return {ncol, nlay}; }
  static NoTuning tuning() { return {}; }
  static GreyColumns<Space, Real> input(Space const& space) { return grey_columns<Space, Real>(space, ncol, nlay); }
  static GreyFluxes<Space, Real> result(Space const&) {
    return {Array<Real**, Space>("parhelion::Testing::up", ncol, nlay + 1),
            Array<Real**, Space>("parhelion::Testing::dn", ncol, nlay + 1)};
  }
  static void spoil(Space const& space, GreyColumns<Space, Real>& input, int item) {
    typename decltype(input.temperature)::non_const_type const temperature("parhelion::Testing::t", ncol, nlay);
    Kokkos::deep_copy(space, temperature, input.temperature);
    Kokkos::deep_copy(space, Kokkos::subview(temperature, item, Kokkos::ALL), std::numeric_limits<Real>::quiet_NaN());
    space.fence();
    input.temperature = temperature;
  }
};

}  // namespace parhelion::Testing

#endif
