// SPDX-License-Identifier: BSD-3-Clause
#include "coefficient_values.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

namespace parhelion::io {

namespace {

// The symbol of a unit.
std::string_view symbol_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> symbols{{{"micron", "um"},
                                                                                   {"microns", "um"},
                                                                                   {"micrometer", "um"},
                                                                                   {"micrometers", "um"},
                                                                                   {"\u00b5m", "um"},
                                                                                   {"pascal", "Pa"},
                                                                                   {"kelvin", "K"},
                                                                                   {"Kelvin", "K"},
                                                                                   {"degK", "K"},
                                                                                   {"meter", "m"},
                                                                                   {"metre", "m"},
                                                                                   {"unitless", ""},
                                                                                   {"fraction", ""}}};
  for (auto const& [word, symbol] : symbols)
    if (word == name) return symbol;
  return name;
}

// The exponents of the symbols of a product: of "W m-2" 1 and -2.
std::map<std::string, int> exponents(std::string_view text) {
  std::map<std::string, int> result;
  auto const is_of_name = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) == 0 &&
           std::string_view(" .*^/()-+").find(c) == std::string_view::npos;
  };
  int sign = 1, of_parentheses = 1;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '/') sign = -1;
    if (text[i] == '(') of_parentheses = std::exchange(sign, 1);
    if (text[i] == ')') of_parentheses = 1;
    if (!is_of_name(text[i])) {
      ++i;
      continue;
    }
    std::size_t const begin = i;
    while (i < text.size() && is_of_name(text[i])) ++i;
    std::string const symbol(symbol_of(text.substr(begin, i - begin)));
    while (i < text.size() && (text[i] == '^' || text[i] == '*')) ++i;
    int exponent = 1;
    if (i < text.size() && text[i] == '+') ++i;
    if (auto const [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), exponent);
        error == std::errc())
      i = static_cast<std::size_t>(end - text.data());
    if (!symbol.empty()) result[symbol] += of_parentheses * sign * exponent;
    sign = 1;
  }
  std::erase_if(result, [](auto const& one) { return one.second == 0; });
  return result;
}

}  // namespace

bool same_units(std::string_view a, std::string_view b) { return exponents(a) == exponents(b); }

}  // namespace parhelion::io
