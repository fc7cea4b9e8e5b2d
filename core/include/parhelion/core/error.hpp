// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_ERROR_HPP
#define PARHELION_CORE_ERROR_HPP

#include <stdexcept>
#include <string>
#include <string_view>

namespace parhelion {

/// \brief The exception of all host-level calls that refuse their input.
///
/// The message is one line: where, what was found, what was expected, for example
/// `atmosphere.nc: temp_layer(3, 17) = -4 K, expected a positive finite temperature`.
class Error : public std::runtime_error {
 public:
  /// \param where   the function, or the file and dataset, that refuses
  /// \param problem what was found and what was expected
  Error(std::string_view where, std::string_view problem)
      : std::runtime_error(std::string(where) + ": " + std::string(problem)) {}
};

}  // namespace parhelion

#endif
