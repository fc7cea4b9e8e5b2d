// SPDX-License-Identifier: BSD-3-Clause
// Checks of numerical options with readable messages: those of CLI11 print limits with 309 digits.
#ifndef PARHELION_APPS_NUMBER_CHECKS_HPP
#define PARHELION_APPS_NUMBER_CHECKS_HPP

#include <CLI/CLI.hpp>

#include <cmath>
#include <functional>
#include <string>

namespace parhelion::Apps {

inline CLI::Validator number_check(std::string const& name, std::string const& expected,
                                   std::function<bool(double)> const& is_good) {
  return {[expected, is_good](std::string const& text) {
            double number = 0;
            bool const good = CLI::detail::lexical_cast(text, number) && std::isfinite(number) && is_good(number);
            return good ? std::string() : text + ", expected " + expected;
          },
          name};
}

/// Finite numbers above 0.
inline CLI::Validator positive_number() {
  return number_check("POSITIVE", "a number above 0", [](double x) { return x > 0; });
}

/// Finite numbers of at least 0.
inline CLI::Validator not_negative_number() {
  return number_check("NONNEGATIVE", "a number of at least 0", [](double x) { return x >= 0; });
}

}  // namespace parhelion::Apps

#endif
