// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/narrow_band.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parhelion::monte_carlo {

namespace {

constexpr double weight_tolerance = 1e-6;
constexpr double gap_tolerance = 1e-3;

void expect_size(std::string const& where, char const* name, std::size_t found, char const* like, std::size_t expected,
                 std::size_t least) {
  if (found != expected)
    throw Error(where, fmt::format("{} has {} entries, expected {} as {}", name, found, expected, like));
  if (found < least) throw Error(where, fmt::format("{} has {} entries, expected at least {}", name, found, least));
}

template <class Good>
void expect_each(std::string const& where, char const* name, char const* unit, std::vector<double> const& values,
                 char const* expected, Good const& good) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || !good(values[i]))
      throw Error(where, fmt::format("{}({}) = {}{}, expected {}", name, i, values[i], unit, expected));
}

void expect_ascending(std::string const& where, char const* name, char const* unit, std::vector<double> const& values) {
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(values[i] > values[i - 1]))
      throw Error(where, fmt::format("{0}({1}) = {2}{3}, expected more than {0}({4}) = {5}{3}", name, i, values[i],
                                     unit, i - 1, values[i - 1]));
}

void check_bands(NarrowBandTable const& t, std::string const& where) {
  auto const not_negative = [](double x) { return x >= 0; };
  expect_each(where, "band_left", " cm-1", t.band_left, "a finite number >= 0", not_negative);
  expect_each(where, "band_right", " cm-1", t.band_right, "a finite number >= 0", not_negative);
  expect_each(where, "band_centre", " cm-1", t.band_centre, "a finite number >= 0", not_negative);
  for (std::size_t b = 0; b < t.band_centre.size(); ++b) {
    double const left = t.band_left[b], right = t.band_right[b], centre = t.band_centre[b];
    if (!(right > left))
      throw Error(where, fmt::format("band_right({0}) = {1} cm-1, expected more than band_left({0}) = {2} cm-1", b,
                                     right, left));
    if (!(centre > left && centre < right))
      throw Error(where, fmt::format("band_centre({}) = {} cm-1, expected a number between {} and {} cm-1, the limits "
                                     "of the band",
                                     b, centre, left, right));
    if (b == 0) continue;
    double const before = t.band_right[b - 1];
    double const tolerance = gap_tolerance * std::min(right - left, before - t.band_left[b - 1]);
    if (!(std::abs(left - before) <= tolerance))
      throw Error(where, fmt::format("band_left({}) = {} cm-1, expected band_right({}) = {} cm-1 within {:.3g} cm-1", b,
                                     left, b - 1, before, tolerance));
  }
}

void check_quadrature(NarrowBandTable const& t, std::string const& where) {
  expect_each(where, "g", "", t.g, "a number in [0, 1]", [](double x) { return x >= 0 && x <= 1; });
  expect_ascending(where, "g", "", t.g);
  expect_each(where, "w", "", t.weight, "a positive finite number", [](double x) { return x > 0; });
  double sum = 0;
  for (double const w : t.weight) sum += w;
  if (!(std::abs(sum - 1) <= weight_tolerance))
    throw Error(where, fmt::format("the {} weights w add up to {}, expected 1 within {:g}", t.weight.size(), sum,
                                   weight_tolerance));
}

}  // namespace

void validate(NarrowBandTable const& t, std::string const& where_or_empty) {
  std::string const where = where_or_empty.empty() ? "validate" : where_or_empty;
  std::size_t const nband = t.band_centre.size(), ntemperature = t.temperature.size(), ng = t.g.size();
  expect_size(where, "band_centre", nband, "band_centre", nband, 1);
  expect_size(where, "band_left", t.band_left.size(), "band_centre", nband, 1);
  expect_size(where, "band_right", t.band_right.size(), "band_centre", nband, 1);
  expect_size(where, "temperature", ntemperature, "temperature", ntemperature, 2);
  expect_size(where, "g", ng, "g", ng, 1);
  expect_size(where, "w", t.weight.size(), "g", ng, 1);
  expect_shape(where, t.absorption, "k", {nband, ntemperature, ng});

  check_bands(t, where);
  expect_each(where, "temperature", " K", t.temperature, "a positive finite number", [](double x) { return x > 0; });
  expect_ascending(where, "temperature", " K", t.temperature);
  check_quadrature(t, where);
  expect_values(where, t.absorption, "k", "m-1", "a finite number >= 0", [](double x) { return x >= 0; });
  for (std::size_t b = 0; b < nband; ++b)
    for (std::size_t i = 0; i < ntemperature; ++i)
      for (std::size_t q = 1; q < ng; ++q)
        if (!(t.absorption(b, i, q) >= t.absorption(b, i, q - 1)))
          throw Error(where, fmt::format("k({0}, {1}, {2}) = {3} m-1, expected at least k({0}, {1}, {4}) = {5} m-1", b,
                                         i, q, t.absorption(b, i, q), q - 1, t.absorption(b, i, q - 1)));
}

}  // namespace parhelion::monte_carlo
