// SPDX-License-Identifier: BSD-3-Clause

#include "clouds/subcolumn_walk.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace parhelion::fluxes {

std::vector<std::string> const& overlap_names() {
  static std::vector<std::string> const names{"random", "maximum-random", "maximum", "exponential",
                                              "exponential-random"};
  return names;
}

Overlap overlap_of(std::string const& name) {
  auto const& names = overlap_names();
  auto const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error("overlap", fmt::format("'{}', expected {}", name, fmt::join(names, ", ")));
  return static_cast<Overlap>(found - names.begin() + 1);
}

std::string const& name_of(Overlap overlap) { return overlap_names().at(static_cast<std::size_t>(overlap) - 1); }

double decorrelation_length(double latitude, int day_of_year) {
  // Of a bell over latitude [km, degrees], whose top moves north and south by 7 degrees with the seasons.
  constexpr double least = 1.4315;
  constexpr double more = 2.1219;
  constexpr double width = 25.584;
  constexpr double travel = 7;
  double const top =
      day_of_year > 181 ? -4 * travel / 365 * (day_of_year - 272) : 4 * travel / 365 * (day_of_year - 91);
  double const off = (latitude - top) / width;
  return 1000 * (least + more * std::exp(-off * off));
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void overlap_correlation(ExecutionSpace const& space, Columns<ExecutionSpace, Real> const& columns,
                         Array<Real*, ExecutionSpace> const& length, Array<Real**, ExecutionSpace> const& result) {
  constexpr char const* where = "overlap_correlation";
  auto const ncol = static_cast<std::size_t>(columns.ncol());
  auto const nlay = static_cast<std::size_t>(columns.nlay());
  expect_shape(where, length, "length", {ncol});
  expect_shape(where, result, "result", {ncol, nlay});
  Kokkos::parallel_for(
      "parhelion::fluxes::overlap_correlation",
      Kokkos::MDRangePolicy<ExecutionSpace, Kokkos::Rank<2>>(space, {0, 0}, {columns.ncol(), columns.nlay()}),
      KOKKOS_LAMBDA(int column, int layer) {
        result(column, layer) =
            static_cast<Real>(Impl::layer_correlation(columns, column, layer, double(length(column))));
      });
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void draw_subcolumns(ExecutionSpace const& space, Overlap overlap, std::uint64_t seed, std::uint32_t first_column,
                     Array<Real**, ExecutionSpace> const& fraction, Array<Real**, ExecutionSpace> const& correlation,
                     Array<std::uint8_t***, ExecutionSpace> const& cloudy) {
  constexpr char const* where = "draw_subcolumns";
  auto const ncol = fraction.extent(0);
  auto const nlay = fraction.extent(1);
  bool const needed = is_exponential(overlap);
  if (needed || correlation.size() > 0) expect_shape(where, correlation, "correlation", {ncol, nlay});
  auto const ngpoint = cloudy.extent(2);
  expect_shape(where, cloudy, "cloudy", {ncol, nlay, ngpoint});
  Kokkos::parallel_for(
      "parhelion::fluxes::draw_subcolumns",
      Kokkos::MDRangePolicy<ExecutionSpace, Kokkos::Rank<2>>(space, {0, 0},
                                                             {static_cast<int>(ncol), static_cast<int>(ngpoint)}),
      KOKKOS_LAMBDA(int column, int gpoint) {
        Impl::SubcolumnWalk walk{overlap, seed, first_column + static_cast<std::uint32_t>(column),
                                 static_cast<std::uint32_t>(gpoint)};
        Impl::LayerCloudiness above(0, 0);
        for (int layer = static_cast<int>(nlay) - 1; layer >= 0; --layer) {
          Impl::LayerCloudiness const here(double(fraction(column, layer)),
                                           needed ? double(correlation(column, layer)) : 0.);
          cloudy(column, layer, gpoint) = walk.is_cloudy(layer, here, above) ? 1 : 0;
          above = here;
        }
      });
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                                   \
  template void overlap_correlation(SPACE const&, Columns<SPACE, REAL> const&, Array<REAL*, SPACE> const&,        \
                                    Array<REAL**, SPACE> const&);                                                 \
  template void draw_subcolumns(SPACE const&, Overlap, std::uint64_t, std::uint32_t, Array<REAL**, SPACE> const&, \
                                Array<REAL**, SPACE> const&, Array<std::uint8_t***, SPACE> const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE
#undef PARHELION_INSTANTIATE_REAL

}  // namespace parhelion::fluxes
