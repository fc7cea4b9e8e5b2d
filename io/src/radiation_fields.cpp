// SPDX-License-Identifier: BSD-3-Clause
#include "radiation_fields.hpp"

#include "plain_values.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace parhelion::io::Impl {

// --- units -------------------------------------------------------------------------------------------------------

namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, std::array<std::string_view, N> const& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<double> pressure_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 3>{"Pa", "pascal", "pascals"})) return 1.;
  if (is_one_of(unit, std::array<std::string_view, 6>{"hPa", "mbar", "mb", "millibar", "millibars", "hectopascal"}))
    return 100.;
  if (unit == "kPa") return 1000.;
  return std::nullopt;
}

std::optional<double> temperature_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 4>{"K", "kelvin", "Kelvin", "degK"})) return 1.;
  return std::nullopt;
}

std::optional<double> vmr_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 5>{"", "mol mol-1", "mol/mol", "mol mol^-1", "mole mole-1"}))
    return 1.;
  if (unit == "ppmv" || unit == "ppm") return 1e-6;
  if (unit == "ppbv" || unit == "ppb") return 1e-9;
  if (unit == "pptv" || unit == "ppt") return 1e-12;
  double factor = 0.;  // "1", "1.e-6", "1e-9 mol mol-1"
  auto const [end, error] = std::from_chars(unit.data(), unit.data() + unit.size(), factor);
  std::string_view const rest(end, static_cast<std::size_t>(unit.data() + unit.size() - end));
  if (error == std::errc() && (rest.empty() || rest == " mol mol-1") && std::isfinite(factor) && factor > 0.)
    return factor;
  return std::nullopt;
}

std::optional<double> plain_factor(std::string const& unit) {
  if (unit.empty() || unit == "1") return 1.;
  return std::nullopt;
}

std::optional<double> latitude_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 9>{"", "degrees_north", "degree_north", "degrees_N", "degree_N",
                                                      "degreesN", "degreeN", "degrees", "degree"}))
    return 1.;
  return std::nullopt;
}

std::optional<double> longitude_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 9>{"", "degrees_east", "degree_east", "degrees_E", "degree_E",
                                                      "degreesE", "degreeE", "degrees", "degree"}))
    return 1.;
  return std::nullopt;
}

std::optional<double> water_path_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 4>{"g m-2", "g/m2", "g/m^2", "g m^-2"})) return 1e-3;
  if (is_one_of(unit, std::array<std::string_view, 4>{"kg m-2", "kg/m2", "kg/m^2", "kg m^-2"})) return 1.;
  return std::nullopt;
}

std::optional<double> size_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 8>{"um", "micron", "microns", "micrometer", "micrometers",
                                                      "micrometre", "micrometres", "\u00b5m"}))
    return 1e-6;
  if (is_one_of(unit, std::array<std::string_view, 3>{"m", "meter", "metre"})) return 1.;
  return std::nullopt;
}

std::optional<double> angle_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 3>{"degree", "degrees", "deg"})) return 1.;
  return std::nullopt;
}

std::optional<double> wavenumber_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 2>{"cm-1", "cm^-1"})) return 1.;
  return std::nullopt;
}

std::optional<double> irradiance_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 5>{"", "W m-2", "W/m2", "W/m^2", "W m^-2"})) return 1.;
  return std::nullopt;
}

bool any_value(double) { return true; }
bool not_negative(double value) { return value >= 0.; }
bool zero_to_one(double value) { return value >= 0. && value <= 1.; }
bool minus_one_to_one(double value) { return value >= -1. && value <= 1.; }

}  // namespace

Quantity const layer_pressure{pressure_factor, "Pa, hPa, mbar or kPa", [](double p) { return p > 0.; },
                              "a positive finite pressure"};
Quantity const level_pressure{pressure_factor, "Pa, hPa, mbar or kPa", not_negative, "a finite pressure of at least 0"};
Quantity const temperature{temperature_factor, "K", [](double t) { return t > 0.; }, "a positive finite temperature"};
Quantity const vmr{vmr_factor, "mol mol-1, 1, ppmv, ppbv, pptv or a number such as 1.e-6", not_negative,
                   "a mixing ratio from 0 to 1 mol mol-1"};
// CF allows dimensionless variables without units, but a mixing ratio might then be one of masses.
Quantity const emissivity{plain_factor, "1", zero_to_one, "an emissivity from 0 to 1", true};
Quantity const weight{plain_factor, "1", not_negative, "a finite weight of at least 0", true};
Quantity const latitude{latitude_factor, "degrees_north", [](double l) { return l >= -90. && l <= 90.; },
                        "a latitude from -90 to 90", true};
Quantity const longitude{longitude_factor, "degrees_east", [](double l) { return l >= -180. && l <= 360.; },
                         "a longitude from -180 to 360", true};
Quantity const cloud_fraction{plain_factor, "1", zero_to_one, "a cloud fraction from 0 to 1", true};
Quantity const water_path{water_path_factor, "g m-2 or kg m-2", not_negative, "a finite water path of at least 0"};
Quantity const optical_depth{plain_factor, "1", not_negative, "a finite optical depth of at least 0", true};
Quantity const particle_size{size_factor, "um, micron, micrometer or m", any_value, "a finite size"};

Quantity const single_scattering_albedo{plain_factor, "1", zero_to_one, "a single scattering albedo from 0 to 1", true};
Quantity const asymmetry{plain_factor, "1", minus_one_to_one, "an asymmetry parameter from -1 to 1", true};
Quantity const forward_fraction{plain_factor, "1", zero_to_one, "a fraction from 0 to 1", true};
Quantity const albedo{plain_factor, "1", zero_to_one, "an albedo from 0 to 1", true};
Quantity const cos_zenith{plain_factor, "1", minus_one_to_one, "a cosine from -1 to 1", true};
Quantity const zenith_angle{angle_factor, "degree", [](double a) { return a >= 0. && a <= 180.; },
                            "an angle from 0 to 180 degrees"};
Quantity const wavenumber{wavenumber_factor, "cm-1", not_negative, "a finite wavenumber of at least 0"};
Quantity const solar_irradiance{irradiance_factor, "W m-2", not_negative, "a finite irradiance of at least 0", true};
Quantity const solar_factor{plain_factor, "1", not_negative, "a finite factor of at least 0", true};
Quantity const solar_index{plain_factor, "1", any_value, "a finite number", true};
Quantity const cycle_fraction{plain_factor, "1", zero_to_one, "a place in the solar cycle from 0 to 1", true};

Quantity const cloud_mask{plain_factor, "1", [](double m) { return m == 0. || m == 1.; }, "0 or 1", true};
Quantity const aerosol_type{plain_factor, "1", [](double t) { return t >= 0. && t <= 7. && t == std::floor(t); },
                            "a type from 0 to 7", true};
Quantity const aerosol_mass{water_path_factor, "g m-2 or kg m-2", not_negative, "a finite mass of at least 0"};
Quantity const relative_humidity{plain_factor, "1", not_negative, "a finite relative humidity of at least 0", true};

Quantity any_finite(Quantity quantity) {
  quantity.valid = any_value;
  quantity.expected = "a finite number";
  return quantity;
}

// --- reading and checking one variable ---------------------------------------------------------------------------

std::string Field::at(std::size_t i) const {
  Shape index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; i /= shape[d]) index[d] = i % shape[d];
  for (std::size_t d = 0; d < first.size(); ++d) index[d] += first[d];
  return fmt::format("{}({})", name, fmt::join(index, ", "));
}

std::string Field::value(std::size_t i) const {
  bool const without = unit.empty() || unit == "1";
  return fmt::format("{:.10g}{}{}", values[i], without ? "" : " ", without ? "" : unit);
}

std::string describe(Shape const& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

void refuse_shape(Hdf5File const& file, std::string const& name, Shape const& found, std::string const& expected) {
  throw Error(fmt::format("{}: {}", file.path(), name),
              fmt::format("has shape {}, expected {}", describe(found), expected));
}

void RangeCheck::refuse(Hdf5File const& file, Field const& field, std::size_t i, ValidRange const& range) {
  bool const dimensionless = vmr.factor(field.unit).has_value();
  double const factor = dimensionless ? 1. : field.factor;
  throw Error(file.path(), fmt::format("{} = {}, expected {}{:.10g} to {:.10g} {}", field.at(i), field.value(i),
                                       dimensionless ? "a mixing ratio from " : "", range.lowest / factor,
                                       range.highest / factor, dimensionless ? "mol mol-1" : field.unit));
}

Field check_field(Hdf5File const& file, std::string const& name, Quantity const& quantity,
                  Dimensions const& dimensions) {
  std::string const where = fmt::format("{}: {}", file.path(), name);
  if (!file.exists(name)) throw Error(where, "missing");
  if (auto const found = file.shape(name); found != dimensions.shape)
    refuse_shape(file, name, found, fmt::format("{} = {}", dimensions.names, describe(dimensions.shape)));

  Field field;
  field.name = name;
  auto const unit = file.text_attribute(name, "units");
  if (!unit && !quantity.bare) throw Error(where, fmt::format("has no attribute units, expected {}", quantity.units));
  field.unit = unit.value_or("");
  auto const factor = quantity.factor(field.unit);
  if (!factor) throw Error(where, fmt::format("units = \"{}\", expected {}", field.unit, quantity.units));
  field.factor = *factor;
  refuse_packed(file, name, where);
  field.shape = dimensions.shape;
  return field;
}

Field read_field(Hdf5File const& file, std::string const& name, Quantity const& quantity, Dimensions const& dimensions,
                 Ranges const& ranges, std::vector<bool> const& ignored) {
  auto field = check_field(file, name, quantity, dimensions);
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    field.first.push_back(ranges[d].first);
    field.shape[d] = ranges[d].count;
  }
  field.values = file.read(name, ranges);

  auto const fills = fill_values(file, name);
  std::size_t const row = ignored.empty() ? 1 : field.values.size() / ignored.size();
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (!ignored.empty() && ignored[i / row]) {
      field.values[i] = 0.;
      continue;
    }
    double const value = field.values[i];
    if (std::find(fills.begin(), fills.end(), value) != fills.end())
      throw Error(file.path(),
                  fmt::format("{} is a missing value ({:.10g}), expected {}", field.at(i), value, quantity.expected));
    if (!std::isfinite(value) || !quantity.valid(value * field.factor))
      throw Error(file.path(), fmt::format("{} = {}, expected {}", field.at(i), field.value(i), quantity.expected));
  }
  return field;
}

void copy_profiles(Field const& field, bool top_first, HostArray<double**> const& to, std::size_t column) {
  std::size_t const n = field.shape.back();
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    std::size_t const k = i % n;
    to(column + i / n, top_first ? n - 1 - k : k) = field.converted(i);
  }
}

void copy_spectra(Field const& field, bool top_first, HostArray<double***> const& to) {
  std::size_t const nlay = field.shape.at(1), n = field.shape.at(2);
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    std::size_t const k = i / n % nlay;
    to(i / (n * nlay), top_first ? nlay - 1 - k : k, i % n) = field.converted(i);
  }
}

}  // namespace parhelion::io::Impl
