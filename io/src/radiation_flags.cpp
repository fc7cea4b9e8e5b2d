// SPDX-License-Identifier: BSD-3-Clause
#include "radiation_flags.hpp"

#include "plain_values.hpp"

#include <parhelion/core/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace parhelion::io::Impl {

namespace {

std::vector<double> numbers_of_attribute(Hdf5File const& file, std::string const& name, char const* kind) {
  if (auto const numbers = file.number_attribute("", name)) return *numbers;
  auto const text = file.text_attribute("", name).value_or("");
  double number = 0.;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(file.path(), fmt::format("attribute {} = {}, expected a {} number", name, text, kind));
  return {number};
}

// What the file has, one value or one for each column; `found.values` are still unchecked.
Setting find_numbers(Hdf5File const& file, std::string const& name, std::size_t ncol, char const* kind) {
  Setting found{name};
  bool const attribute = file.number_attribute("", name) || file.text_attribute("", name);
  if (attribute && file.exists(name))
    throw Error(fmt::format("{}: {}", file.path(), name), "is a variable and an attribute, expected one of them");
  if (attribute) {
    found.name = "attribute " + name;
    found.values = numbers_of_attribute(file, name, kind);
    if (found.values.size() != 1)
      throw Error(file.path(), fmt::format("{} has {} values, expected 1", found.name, found.values.size()));
  } else if (file.exists(name)) {
    auto const shape = file.shape(name);
    found.of_columns = shape == Shape{ncol};
    if (!found.of_columns && !shape.empty() && shape != Shape{1})
      refuse_shape(file, name, shape, fmt::format("() or (column) = ({})", ncol));
    refuse_packed(file, name, fmt::format("{}: {}", file.path(), name));
    found.values = file.read(name);
  }
  return found;
}

// One value for each column, of those that were found.
template <class Number>
OfColumns<Number> for_each_column(Setting const& found, std::size_t ncol, double factor) {
  OfColumns<Number> all{found.name, found.of_columns};
  if (found.there()) all.values.resize(ncol);
  for (std::size_t c = 0; c < all.values.size(); ++c)
    all.values[c] = static_cast<Number>(found.values[found.of_columns ? c : 0] * factor);
  return all;
}

}  // namespace

Flag read_flag(Hdf5File const& file, std::string const& name, std::size_t ncol, bool (*valid)(double value),
               char const* expected) {
  auto const found = find_numbers(file, name, ncol, "whole");
  auto const fills = file.exists(name) ? fill_values(file, name) : std::vector<double>();
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    double const value = found.values[i];
    if (std::find(fills.begin(), fills.end(), value) != fills.end())
      throw Error(file.path(),
                  fmt::format("{} is a missing value ({:.10g}), expected {}", found.at(i), value, expected));
    if (!valid(value)) throw Error(file.path(), fmt::format("{} = {:.10g}, expected {}", found.at(i), value, expected));
  }
  return for_each_column<int>(found, ncol, 1.);
}

Setting read_setting(Hdf5File const& file, std::string const& name, std::size_t ncol, Quantity const& quantity) {
  auto const found = find_numbers(file, name, ncol, "real");
  if (!found.there()) return found;
  bool const variable = file.exists(name);
  auto const unit = variable ? file.text_attribute(name, "units").value_or("") : "";
  auto const factor = quantity.factor(unit);
  if (!factor)
    throw Error(fmt::format("{}: {}", file.path(), name),
                fmt::format("units = \"{}\", expected {}", unit, quantity.units));
  auto const fills = variable ? fill_values(file, name) : std::vector<double>();
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    double const value = found.values[i];
    if (std::find(fills.begin(), fills.end(), value) != fills.end())
      throw Error(file.path(),
                  fmt::format("{} is a missing value ({:.10g}), expected {}", found.at(i), value, quantity.expected));
    if (!std::isfinite(value) || !quantity.valid(value * *factor))
      throw Error(file.path(),
                  fmt::format("{} = {:.10g}{}{}, expected {}", found.at(i), value,
                              unit.empty() || unit == "1" ? "" : " ", unit == "1" ? "" : unit, quantity.expected));
  }
  return for_each_column<double>(found, ncol, *factor);
}

bool is_whole(double value) { return std::abs(value) < 1e6 && value == std::floor(value); }

Flag read_icld(Hdf5File const& file, std::size_t ncol) {
  return read_flag(
      file, "icld", ncol, [](double flag) { return is_whole(flag) && flag >= -1. && flag <= 5.; },
      "0 (no clouds), 1 to 5 (an overlap), or -1 (left to the clouds themselves)");
}

bool all_clear(Flag const& icld) {
  return icld.there() && std::all_of(icld.values.begin(), icld.values.end(), [](int flag) { return flag == 0; });
}

}  // namespace parhelion::io::Impl
