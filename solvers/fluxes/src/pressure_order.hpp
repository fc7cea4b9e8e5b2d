// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_PRESSURE_ORDER_HPP
#define PARHELION_FLUXES_PRESSURE_ORDER_HPP

#include <parhelion/core/host_threads.hpp>
#include <parhelion/core/types.hpp>

namespace parhelion::fluxes::Impl {

/// A field of columns in host memory, of any strides.
template <class Real>
using AnyField = Kokkos::View<Real const**, Kokkos::LayoutStride, Kokkos::HostSpace>;

/// \brief Refuses columns whose pressures do not fall from the surface to the top.
///
/// Every call checks this for every value, so that it is optimized, unlike what looks more closely after a problem was
/// found.
/// \param where        begins messages
/// \param threads      that check
/// \param pressure_lay of layers, (column, layer), surface first
/// \param pressure_lev of levels, (column, level), surface first
/// \param factor       by which pressures are multiplied to be in Pa
/// \throws parhelion::Error naming the first value, in the order of the indices
template <class Real>
void check_pressure_order(char const* where, HostThreads const& threads, AnyField<Real> const& pressure_lay,
                          AnyField<Real> const& pressure_lev, double factor = 1);

}  // namespace parhelion::fluxes::Impl

#endif
