// SPDX-License-Identifier: BSD-3-Clause
// The treatment of input outside the range of validity of a model.
#ifndef PARHELION_CORE_VALIDITY_HPP
#define PARHELION_CORE_VALIDITY_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion {

/// What to do with impossible values of the input, such as a negative amount that is due to rounding.
enum class Checks {
  refuse,  ///< throw a parhelion::Error that names variable, index, value and range
  clip,    ///< use the nearest possible value, and count, where the solver documents it; refuse others
  trust    ///< do not look at values
};

/// What to do with finite input outside the range of validity of a model.
enum class OutOfRange {
  refuse,      ///< throw a parhelion::Error that names variable, index, value and range
  clip,        ///< use the nearest end of the range, and count
  extrapolate  ///< extrapolate as documented for the model, and count
};

/// The names in the order of the values: refuse, clip, extrapolate.
std::vector<std::string> const& out_of_range_names();

/// \param name one of out_of_range_names()
/// \throws parhelion::Error that lists the names
OutOfRange out_of_range_of(std::string_view name);

std::string const& name_of(OutOfRange what);

/// A closed interval of valid values, in the unit of the variable.
struct ValidRange {
  double lowest;
  double highest;

  /// False for NaN.
  constexpr bool contains(double value) const { return value >= lowest && value <= highest; }

  /// The nearest value in the range; the lowest one for NaN.
  constexpr double nearest(double value) const {
    return value >= lowest ? (value <= highest ? value : highest) : lowest;
  }
};

/// The number of values out of range for each variable, in the order in which they are checked.
using OutOfRangeCounts = std::vector<std::pair<std::string, std::size_t>>;

/// A text such as "3 of temperature_lay, 1 of pressure_lev", without variables whose count is 0; "none" if all are 0.
std::string describe(OutOfRangeCounts const& counts);

/// The sum over all variables.
std::size_t total(OutOfRangeCounts const& counts);

}  // namespace parhelion

#endif
