// SPDX-License-Identifier: BSD-3-Clause
// The checks of host arrays before they are computed with: impossible values are refused; values outside the range of a
// model are refused, clipped or accepted, as the caller chooses.
#ifndef PARHELION_FLUXES_COLUMN_CHECKS_HPP
#define PARHELION_FLUXES_COLUMN_CHECKS_HPP

#include <parhelion/core/host_threads.hpp>
#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/validity.hpp>

namespace parhelion::fluxes::Impl {

/// Arrays in host memory of any strides, which are only read.
template <class Real>
using AnyColumns = Columns<Kokkos::DefaultHostExecutionSpace, Real const, Kokkos::LayoutStride>;
template <class Real>
using AnyClouds = Clouds<Kokkos::DefaultHostExecutionSpace, Real const, Kokkos::LayoutStride>;

template <class Real>
struct CheckedColumns {
  AnyColumns<Real> columns;       ///< to compute with: the caller's arrays, or clipped copies
  OutOfRangeCounts out_of_range;  ///< by array: values that are clipped, or that the model is to extrapolate to
};

/// Refuses columns with impossible values, see fluxes::validate.
template <class Real>
void validate(HostThreads const& threads, AnyColumns<Real> const& columns);

/// Checks columns, and clips copies of them if that is asked for.
/// \throws parhelion::Error as validate() does for the columns that are returned; with OutOfRange::refuse also naming
/// the
///         first value that is out of range
template <class Real>
CheckedColumns<Real> check_columns(HostThreads const& threads, AnyColumns<Real> const& columns,
                                   Validity const& validity, OutOfRange what_then);

/// Refuses clouds, see fluxes::validate.
template <class Real>
void validate(HostThreads const& threads, AnyClouds<Real> const& clouds, int ncol, int nlay);

/// \brief The same, but values that can be clipped are clipped, in copies.
/// \param clipped number of clipped values, overwritten
/// \return the caller's arrays where no value was out of range, else clipped copies
template <class Real>
AnyClouds<Real> clip(HostThreads const& threads, AnyClouds<Real> const& clouds, int ncol, int nlay,
                     ClippedClouds& clipped);

}  // namespace parhelion::fluxes::Impl

#endif
