// SPDX-License-Identifier: BSD-3-Clause
// What calls from host arrays do before they compute: possible columns pass, and what becomes of those that are outside
// the range of a model is an option.
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

/// Refuses impossible columns, see fluxes::validate.
template <class Real>
void validate(HostThreads const& threads, AnyColumns<Real> const& columns);

/// \throws parhelion::Error as validate() does, of clipped columns where they are clipped; with OutOfRange::refuse also
///         naming the first value that is out of range
template <class Real>
CheckedColumns<Real> check_columns(HostThreads const& threads, AnyColumns<Real> const& columns,
                                   Validity const& validity, OutOfRange what_then);

/// Refuses clouds, see fluxes::validate.
template <class Real>
void validate(HostThreads const& threads, AnyClouds<Real> const& clouds, int ncol, int nlay);

/// \brief The same, but values that can be clipped are in range in what is returned: the caller's arrays, or copies.
/// \param clipped gets how many there are
template <class Real>
AnyClouds<Real> clip(HostThreads const& threads, AnyClouds<Real> const& clouds, int ncol, int nlay,
                     ClippedClouds& clipped);

}  // namespace parhelion::fluxes::Impl

#endif
