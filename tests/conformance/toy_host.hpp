// SPDX-License-Identifier: BSD-3-Clause
// The toy solver called from host arrays.
#ifndef PARHELION_TESTING_TOY_HOST_HPP
#define PARHELION_TESTING_TOY_HOST_HPP

#include "toy_case.hpp"

#include <parhelion/core/host_driver.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace parhelion::Testing {

/// Columns and fluxes in host memory, of any layout.
template <class Real, class Layout>
struct HostArrays {
  Kokkos::View<Real**, Layout, Kokkos::HostSpace> optical_depth, temperature, flux_up, flux_dn;
  Kokkos::View<Real*, Layout, Kokkos::HostSpace> temperature_sfc;

  std::vector<ConstArrayRef> input() const {
    return {array_ref(optical_depth), array_ref(temperature), array_ref(temperature_sfc)};
  }
  std::vector<ArrayRef> result() const { return {array_ref(flux_up), array_ref(flux_dn)}; }
};

template <class Real, class Layout = Kokkos::LayoutRight>
HostArrays<Real, Layout> host_arrays(int ncol, int nlay) {
  auto const layout = [](int n, int m) {
    // Rows that are longer than what is used.
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>)
      return Kokkos::LayoutStride(n, m + 3, m, 1);
    else
      return Layout(n, m);
  };
  HostArrays<Real, Layout> host;
  host.optical_depth = decltype(host.optical_depth)("parhelion::Testing::tau", layout(ncol, nlay));
  host.temperature = decltype(host.temperature)("parhelion::Testing::t", layout(ncol, nlay));
  host.flux_up = decltype(host.flux_up)("parhelion::Testing::up", layout(ncol, nlay + 1));
  host.flux_dn = decltype(host.flux_dn)("parhelion::Testing::dn", layout(ncol, nlay + 1));
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>)
    host.temperature_sfc = decltype(host.temperature_sfc)("parhelion::Testing::t_sfc", Kokkos::LayoutStride(ncol, 2));
  else
    host.temperature_sfc = decltype(host.temperature_sfc)("parhelion::Testing::t_sfc", ncol);
  Kokkos::DefaultHostExecutionSpace const space;
  auto const columns = grey_columns<Kokkos::DefaultHostExecutionSpace, double>(space, ncol, nlay);
  for (int c = 0; c < ncol; ++c) {
    host.temperature_sfc(c) = static_cast<Real>(columns.temperature_sfc(c));
    for (int k = 0; k < nlay; ++k) {
      host.optical_depth(c, k) = static_cast<Real>(columns.optical_depth(c, k));
      host.temperature(c, k) = static_cast<Real>(columns.temperature(c, k));
    }
  }
  return host;
}

template <class Space, class Real>
HostDriver<ToySolver<Space, Real>> make_driver(std::vector<ConstArrayRef> const& input,
                                               std::vector<ArrayRef> const& result, HostOptions const& options,
                                               Space const& space = Space(), bool refuse_not_finite = true) {
  using S = ToySolver<Space, Real>;
  int const nlay = static_cast<int>(input[0].extents[1]);
  return HostDriver<S>(space,
                       {.where = "grey fluxes",
                        .item = dimension::column,
                        .input = ArrayShapes::of(descriptions_of<typename S::input_type>(), input, dimension::column),
                        .result = ArrayShapes::of(descriptions_of<typename S::result_type>(),
                                                  {result.begin(), result.end()}, dimension::column),
                        .items = input[0].extents[0],
                        .make_model = [](Space const&) { return NoModel(); },
                        .capacity =
                            [nlay](int ncol) {
                              return typename S::capacity_type{ncol, nlay};
                            },
                        .refuse_not_finite = refuse_not_finite},
                       options);
}

template <class Space, class Real, class Arrays>
HostReport solve(Arrays const& arrays, HostOptions const& options = {}, Space const& space = Space()) {
  auto driver = make_driver<Space, Real>(arrays.input(), arrays.result(), options, space);
  HostReport report;
  driver.solve(arrays.input(), arrays.result(), {}, options.progress, report);
  return report;
}

template <class A, class B>
double largest_difference(A const& a, B const& b) {
  double largest = 0;
  for (std::size_t c = 0; c < a.extent(0); ++c)
    for (std::size_t k = 0; k < a.extent(1); ++k)
      largest = std::max(largest, std::abs(static_cast<double>(a(c, k)) - static_cast<double>(b(c, k))));
  return largest;
}

}  // namespace parhelion::Testing

#endif
