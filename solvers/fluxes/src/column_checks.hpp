// SPDX-License-Identifier: BSD-3-Clause
// The checks of host arrays before they are computed with: impossible values are refused or clipped; values outside the
// range of a model are refused, clipped or accepted, as the caller chooses.
#ifndef PARHELION_FLUXES_COLUMN_CHECKS_HPP
#define PARHELION_FLUXES_COLUMN_CHECKS_HPP

#include <parhelion/core/host_threads.hpp>
#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/validity.hpp>

namespace parhelion::fluxes::Impl {

/// Arrays in host memory of any strides, which are only read.
template <class Real>
using AnyColumns = Columns<Kokkos::DefaultHostExecutionSpace, Real const, Kokkos::LayoutStride>;
template <class Real>
using AnyClouds = Clouds<Kokkos::DefaultHostExecutionSpace, Real const, Kokkos::LayoutStride>;

/// How input is checked.
struct CheckOptions {
  Checks checks = Checks::refuse;
  OutOfRange out_of_range = OutOfRange::refuse;
  bool clip_clouds = false;

  bool clips_clouds() const { return clip_clouds || checks == Checks::clip || out_of_range == OutOfRange::clip; }
};

/// \brief The checks of the calls of an object. Does not allocate in calls whose values are all in range.
class InputChecks {
 public:
  /// \brief Checks columns and clouds.
  /// \param threads  that check
  /// \param input    of the call
  /// \param validity of the model
  /// \param options  see CheckOptions
  /// \param report   counts are overwritten
  /// \return what to compute with: the caller's arrays, or clipped copies, which live until the next call
  /// \throws parhelion::Error as fluxes::validate does for the arrays that are returned; with OutOfRange::refuse also
  ///         naming the first value that is out of range
  LongwaveArrays check(HostThreads const& threads, LongwaveArrays const& input, Validity const& validity,
                       CheckOptions const& options, HostLongwaveReport& report);

  /// \brief What copies of the arrays do to the values: factors and, where values are clipped, ranges.
  /// \param number of the array in the descriptions of LongwaveInput
  static ValueMap map_of(std::size_t number, ArrayDescription const& description, LongwaveArrays const& input,
                         CheckOptions const& options);

 private:
  template <class Real>
  LongwaveArrays check_of(HostThreads const& threads, LongwaveArrays const& input, Validity const& validity,
                          CheckOptions const& options, HostLongwaveReport& report);

  OutsideCounts m_counts;
  // Clipped copies, of float or double.
  Columns<Kokkos::DefaultHostExecutionSpace, float> m_float_columns;
  Columns<Kokkos::DefaultHostExecutionSpace, double> m_double_columns;
  Clouds<Kokkos::DefaultHostExecutionSpace, float> m_float_clouds;
  Clouds<Kokkos::DefaultHostExecutionSpace, double> m_double_clouds;
};

/// What brings values of the caller to the units of Clouds.
struct CloudFactors {
  double path = 1;
  double size = 1;

  /// Of an array of Clouds. Lengths other than sizes have no factor.
  double of(ArrayDescription const& description) const {
    if (description.unit == "kg m-2") return path;
    return description.name == "ice_size" || description.name == "liquid_size" ? size : 1;
  }
};

/// Refuses clouds, see fluxes::validate.
template <class Real>
void validate(HostThreads const& threads, AnyClouds<Real> const& clouds, int ncol, int nlay,
              CloudFactors const& factors = {});

/// Refuses wrong extents and options of clouds, but looks at no other values.
template <class Real>
void check_frame(char const* where, AnyClouds<Real> const& clouds, std::size_t ncol, std::size_t nlay);

/// \brief The same, but values that can be clipped are clipped, in a copy, which has the units of Clouds.
/// \param clipped number of clipped values, overwritten
/// \param copy    set to clipped copies, unless no value was out of range
/// \return whether any value was
template <class Real>
bool clip(HostThreads const& threads, AnyClouds<Real> const& clouds, int ncol, int nlay, ClippedClouds& clipped,
          Clouds<Kokkos::DefaultHostExecutionSpace, Real>& copy, CloudFactors const& factors = {});

}  // namespace parhelion::fluxes::Impl

#endif
