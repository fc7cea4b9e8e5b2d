// SPDX-License-Identifier: BSD-3-Clause
// Checks of numerical options with readable messages: those of CLI11 print limits with 309 digits.
#ifndef PARHELION_APPS_NUMBER_CHECKS_HPP
#define PARHELION_APPS_NUMBER_CHECKS_HPP

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <functional>
#include <string>
#include <system_error>

namespace parhelion::Apps {

/// \brief Whether all of a text is a number in decimal digits, which is then in `number`.
///
/// CLI11 by itself takes signs, blanks and hexadecimal digits, 010 for 8, and for what is too large the largest number.
template <class Number>
bool is_number(std::string const& text, Number& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// \brief Whole numbers in a range. For Option::transform(): 010 becomes 10.
/// \param name in the help
template <std::integral Whole>
CLI::Validator whole_number(Whole least, Whole most, std::string const& name) {
  return {[least, most](std::string& text) {
            Whole number = 0;
            if (!is_number(text, number) || number < least || number > most)
              return text + ", expected a whole number from " + std::to_string(least) + " to " + std::to_string(most);
            text = std::to_string(number);
            return std::string();
          },
          name};
}

/// The same, whose name is the range.
inline CLI::Validator whole_number(int least, int most) {
  return whole_number(least, most, "INT in [" + std::to_string(least) + " - " + std::to_string(most) + "]");
}

inline CLI::Validator number_check(std::string const& name, std::string const& expected,
                                   std::function<bool(double)> const& is_good) {
  return {[expected, is_good](std::string const& text) {
            double number = 0;
            bool const good = is_number(text, number) && std::isfinite(number) && is_good(number);
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
