// SPDX-License-Identifier: BSD-3-Clause
// What calls from host arrays do before they compute: possible columns pass, and what becomes of those that are outside
// the range of a model is an option.
#ifndef PARHELION_RRTMG_SRC_COLUMN_CHECKS_HPP
#define PARHELION_RRTMG_SRC_COLUMN_CHECKS_HPP

#include <parhelion/rrtmg/columns.hpp>
#include <parhelion/rrtmg/validity.hpp>

namespace parhelion::rrtmg::Impl {

template <class Real>
struct CheckedColumns {
  Columns<Kokkos::DefaultHostExecutionSpace, Real>
      columns;                    ///< to compute with: the caller's arrays, or clipped copies
  OutOfRangeCounts out_of_range;  ///< by array: values that are clipped, or that the model is to extrapolate to
};

/// \param columns contiguous
/// \throws parhelion::Error as validate() does, of clipped columns where they are clipped; with OutOfRange::refuse also
///         naming the first value that is out of range
template <class Real>
CheckedColumns<Real> check_columns(Columns<Kokkos::DefaultHostExecutionSpace, Real> const& columns,
                                   Validity const& validity, OutOfRange what_then);

}  // namespace parhelion::rrtmg::Impl

#endif
