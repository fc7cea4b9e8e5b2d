// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks of shortwave fluxes share: columns to solve, and what a solve is measured by.
#ifndef PARHELION_PERF_SUNLIT_COLUMNS_HPP
#define PARHELION_PERF_SUNLIT_COLUMNS_HPP

#include "longwave_columns.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>
#include <parhelion/fluxes/sun.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace parhelion::Perf {

/// \brief The columns of the longwave's benchmarks under a sun of random height.
/// \param air     whose arrays are shared
/// \param weights of the solar spectra, as the model has them
/// \param sizes   of the model
template <class Space, class Real>
ShortwaveColumns<Space, Real> sunlit_columns(Columns<Space, Real> const& air,
                                             std::array<double, nsolar> const& weights = solar_source({}).weights,
                                             ModelSizes const& sizes = rrtmg_sw_sizes) {
  int const ncol = air.ncol();
  int const nlay = air.nlay();
  auto columns = make_shortwave_columns<Space, Real>(ncol, nlay, 2, sizes);
  columns.pressure_lay = air.pressure_lay;
  columns.pressure_lev = air.pressure_lev;
  columns.temperature_lay = air.temperature_lay;
  columns.vmr = air.vmr;
  auto const cosine = Kokkos::create_mirror_view(columns.cos_zenith);
  auto const direct = Kokkos::create_mirror_view(columns.albedo_direct);
  auto const diffuse = Kokkos::create_mirror_view(columns.albedo_diffuse);
  auto const of_sun = Kokkos::create_mirror_view(columns.solar_weights);
  for_each_column(ncol, [=](int c) {
    cosine(c) = static_cast<Real>(0.01 + 0.99 * random_number(11 * static_cast<std::uint64_t>(c) + 5));
    for (int part = 0; part < 2; ++part) {
      direct(c, part) = static_cast<Real>(0.05 + 0.3 * random_number(13 * static_cast<std::uint64_t>(c) + 1));
      diffuse(c, part) = static_cast<Real>(0.06 + 0.3 * random_number(13 * static_cast<std::uint64_t>(c) + 2));
    }
    for (int s = 0; s < nsolar; ++s) of_sun(c, s) = static_cast<Real>(weights[static_cast<std::size_t>(s)]);
  });
  parhelion::assign_array(columns.cos_zenith, cosine);
  parhelion::assign_array(columns.albedo_direct, direct);
  parhelion::assign_array(columns.albedo_diffuse, diffuse);
  parhelion::assign_array(columns.solar_weights, of_sun);
  return columns;
}

// Operations for one g-point and layer beside its absorption terms: three exponentials of 15 operations, the two-stream
// operator 60 (a root or a division counts as one), adding 15, the downward sweep 8 and sums 3.
inline constexpr double two_stream_operations = 131;

}  // namespace parhelion::Perf

#endif
