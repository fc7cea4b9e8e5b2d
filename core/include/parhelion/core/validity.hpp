// SPDX-License-Identifier: BSD-3-Clause
// What happens to input outside of the range for which a model was made.
#ifndef PARHELION_CORE_VALIDITY_HPP
#define PARHELION_CORE_VALIDITY_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion {

/// What is done with finite input outside of a model's range of validity.
enum class OutOfRange {
  refuse,      ///< throw parhelion::Error that names variable, index, value and range
  clip,        ///< take the nearest end of the range, and count
  extrapolate  ///< continue by the model's own rule to finite values, and count
};

/// Their names in the order of their values: refuse, clip, extrapolate.
std::vector<std::string> const& out_of_range_names();

/// \param name one of out_of_range_names()
/// \throws parhelion::Error that lists the names
OutOfRange out_of_range_of(std::string_view name);

std::string const& name_of(OutOfRange what);

/// A closed interval of values for which a model was made, in the unit of the variable.
struct ValidRange {
  double lowest;
  double highest;

  /// False for what is not a number.
  constexpr bool contains(double value) const { return value >= lowest && value <= highest; }

  /// The nearest value in the range; the lowest for what is not a number.
  constexpr double nearest(double value) const {
    return value >= lowest ? (value <= highest ? value : highest) : lowest;
  }
};

/// Variables and how many of their values were out of range, in the order in which they are checked.
using OutOfRangeCounts = std::vector<std::pair<std::string, std::size_t>>;

/// "3 of temperature_lay, 1 of pressure_lev", without variables that count nothing; "none" where all do.
std::string describe(OutOfRangeCounts const& counts);

/// The sum over all variables.
std::size_t total(OutOfRangeCounts const& counts);

}  // namespace parhelion

#endif
