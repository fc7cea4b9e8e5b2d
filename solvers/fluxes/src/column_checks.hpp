// SPDX-License-Identifier: BSD-3-Clause
// The checks of host arrays before they are computed with: impossible values are refused or clipped; values outside the
// range of a model are refused, clipped or accepted, as the caller chooses. They are the same for the longwave and the
// shortwave, and follow the descriptions of their arrays.
#ifndef PARHELION_FLUXES_COLUMN_CHECKS_HPP
#define PARHELION_FLUXES_COLUMN_CHECKS_HPP

#include "call_kinds.hpp"

#include <parhelion/core/host_threads.hpp>
#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/validity.hpp>

#include <optional>

namespace parhelion::fluxes::Impl {

/// How input is checked.
struct CheckOptions {
  Checks checks = Checks::refuse;
  OutOfRange out_of_range = OutOfRange::refuse;
  bool clip_clouds = false;

  bool clips_clouds() const { return clip_clouds || checks == Checks::clip || out_of_range == OutOfRange::clip; }
};

/// \brief The checks of the calls of an object. Does not allocate in calls whose values are all in range.
/// \tparam Calls LongwaveCalls or ShortwaveCalls
template <class Calls>
class InputChecks {
 public:
  using Arrays = typename Calls::Arrays;

  /// \brief Checks columns and clouds.
  /// \param threads  that check
  /// \param input    of the call
  /// \param validity of the model
  /// \param sizes    of the model
  /// \param options  see CheckOptions
  /// \param report   counts are overwritten
  /// \return what to compute with: the caller's arrays, or clipped copies, which live until the next call
  /// \throws parhelion::Error as fluxes::validate does for the arrays that are returned; with OutOfRange::refuse also
  ///         naming the first value that is out of range
  Arrays check(HostThreads const& threads, Arrays const& input, Validity const& validity, ModelSizes const& sizes,
               CheckOptions const& options, typename Calls::Report& report);

  /// \brief What copies of the arrays do to the values: factors and, where values are clipped, ranges.
  /// \param number of the array in the descriptions of the input
  static ValueMap map_of(std::size_t number, ArrayDescription const& description, Arrays const& input,
                         CheckOptions const& options);

 private:
  template <class Real>
  Arrays check_of(HostThreads const& threads, Arrays const& input, Validity const& validity, ModelSizes const& sizes,
                  CheckOptions const& options, typename Calls::Report& report);

  /// Clipped copies.
  template <class Real>
  struct Copies {
    OwnColumns<Calls, Real> columns;
    OwnClouds<Calls, Real> clouds;
  };

  template <class Real>
  Copies<Real>& copies() {
    if constexpr (std::is_same_v<Real, float>)
      return m_floats;
    else
      return m_doubles;
  }

  OutsideCounts m_counts;
  Copies<float> m_floats;
  Copies<double> m_doubles;
};

/// \brief Refuses arrays that do not go together, without a look at values: on hosts and devices.
void check_parts(char const* where, ShortwaveArrays const& input, ModelSizes const& sizes);
void check_parts(char const* where, LongwaveArrays const& input, ModelSizes const& sizes);

/// What brings values of the caller to the units of Clouds, and the sizes that are valid in these.
struct CloudFactors {
  double path = 1;
  double size = 1;
  std::optional<ParticleSizes> sizes = {};  ///< of the model; nothing: those of the optics of the column

  /// Of an array of Clouds. Lengths other than sizes have no factor.
  double of(ArrayDescription const& description) const {
    if (description.unit == "kg m-2") return path;
    return description.name == "ice_size" || description.name == "liquid_size" ? size : 1;
  }
};

/// Refuses values of clouds, see fluxes::validate. check_frame() has accepted them.
template <class Calls, class Real>
void validate_clouds(HostThreads const& threads, AnyClouds<Calls, Real> const& clouds, int ncol,
                     CloudFactors const& factors = {});

/// Refuses wrong extents and options of clouds, but looks at no other values.
template <class Calls, class Real>
void check_frame(char const* where, AnyClouds<Calls, Real> const& clouds, std::size_t ncol, std::size_t nlay,
                 ModelSizes const& sizes);

/// \brief The same as validate_clouds, but values that can be clipped are clipped, in a copy, which has the units of
///        Clouds.
/// \param clipped number of clipped values, overwritten
/// \param copy    set to clipped copies, unless no value was out of range
/// \return whether any value was
template <class Calls, class Real>
bool clip_clouds(HostThreads const& threads, AnyClouds<Calls, Real> const& clouds, int ncol, ClippedClouds& clipped,
                 OwnClouds<Calls, Real>& copy, CloudFactors const& factors = {});

}  // namespace parhelion::fluxes::Impl

#endif
