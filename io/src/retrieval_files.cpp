// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/retrieval_files.hpp>

#include "jurassic/text.hpp"
#include "observation_variables.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace parhelion::io {

namespace {

constexpr double metres_per_km = 1e3;
constexpr double pascals_per_hPa = 1e2;

// Squares of standard deviations have to be numbers, too.
constexpr double least_error = 1e-30;
constexpr double greatest_error = 1e30;

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

// The text before a percent sign at its end, if there is one.
std::optional<std::string_view> before_percent(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.back() != '%') return std::nullopt;
  return trimmed(text.substr(0, text.size() - 1));
}

}  // namespace

// --- noise -------------------------------------------------------------------------------------------------------

std::optional<double> noise_percentage(std::string const& text) {
  constexpr double least = 1e-9;
  constexpr double greatest = 1e9;
  auto const number = parse_number(before_percent(text).value_or(trimmed(text)));
  if (number && !(*number >= least && *number <= greatest))
    throw Error("noise", fmt::format("{}, expected a percentage from {} to {}, or the name of a file", in_quotes(text),
                                     least, greatest));
  return number;
}

std::vector<double> noise_of_strongest(std::string const& path, HostArray<double**> const& measured, double percent) {
  std::vector<double> noise;
  for (std::size_t c = 0; c < measured.extent(1); ++c) {
    double strongest = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t r = 0; r < measured.extent(0); ++r) strongest = std::fmax(strongest, std::abs(measured(r, c)));
    noise.push_back(percent / 100 * strongest);
    if (noise.back() < least_error)
      throw Error(path, fmt::format("the strongest radiance of channel {} is {}, expected one of which {} % is a noise "
                                    "of at least {}",
                                    c, strongest, percent, least_error));
  }
  return noise;
}

std::vector<double> read_noise(std::string const& path, JurassicControl const& control) {
  auto const& wavenumber = control.channels.wavenumber;
  // As the names of tables have it.
  auto const key = [](double nu) { return std::llround(nu * 1e4); };
  std::map<long long, double> known;
  TextReader reader(path);
  while (reader.next()) {
    auto const row = reader.numbers(2, "2: wavenumber, noise");
    constexpr double highest = 1e9;  // can be counted in units of its fourth decimal
    reader.expect(row[0] > 0 && row[0] < highest, "wavenumber", row[0], "cm-1", "a wavenumber above 0");
    reader.expect(row[1] >= least_error && row[1] <= greatest_error, "noise", row[1],
                  control.options.brightness_temperature ? "K" : "W m-2 sr-1 (cm-1)-1",
                  fmt::format("a number from {} to {}", least_error, greatest_error));
    if (!known.try_emplace(key(row[0]), row[1]).second)
      reader.fail(fmt::format("wavenumber = {:.4f} cm-1, expected one that is not there before", row[0]));
  }
  std::vector<double> noise;
  for (std::size_t c = 0; c < wavenumber.size(); ++c) {
    auto const found = known.find(key(wavenumber[c]));
    if (found == known.end())
      reader.fail_file(fmt::format("has no noise of channel {}, expected a line for {:.4f} cm-1", c, wavenumber[c]));
    noise.push_back(found->second);
  }
  return noise;
}

HostArray<double**> noise_of_rays(std::vector<double> const& noise, int nray) {
  HostArray<double**> all("parhelion::io::noise", size_of(nray), noise.size());
  for (std::size_t r = 0; r < all.extent(0); ++r)
    for (std::size_t c = 0; c < noise.size(); ++c) all(r, c) = noise[c];
  return all;
}

// --- prior knowledge ---------------------------------------------------------------------------------------------

std::string PriorError::text() const {
  return fmt::format("{}={}{},{}", quantity, value, percent ? "%" : "", correlation_length / metres_per_km);
}

PriorError prior_error_of(std::string const& text) {
  auto const refuse = [&](std::string_view expected) {
    throw Error("prior error", fmt::format("{}, expected {}", in_quotes(text), expected));
  };
  std::string_view const form = "QUANTITY=VALUE,LENGTH_KM or QUANTITY=VALUE%,LENGTH_KM, such as O3=40%,4";
  auto const equals = text.rfind('=');
  auto const comma = text.rfind(',');
  if (equals == std::string::npos || comma == std::string::npos || comma < equals) refuse(form);
  std::string_view const all = text;
  PriorError error;
  error.quantity = trimmed(all.substr(0, equals));
  auto const value = trimmed(all.substr(equals + 1, comma - equals - 1));
  error.percent = before_percent(value).has_value();
  auto const deviation = parse_number(before_percent(value).value_or(value));
  auto const length = parse_number(trimmed(all.substr(comma + 1)));
  if (error.quantity.empty() || !deviation || !length) refuse(form);
  if (!(*deviation >= least_error && *deviation <= greatest_error))
    refuse(fmt::format("a VALUE from {} to {}", least_error, greatest_error));
  constexpr double longest = 1e6;
  if (!(*length >= 0 && *length <= longest)) refuse(fmt::format("a LENGTH_KM from 0 to {}", longest));
  error.value = *deviation;
  error.correlation_length = *length * metres_per_km;
  return error;
}

namespace {

// A profile of the atmosphere: a quantity and the number of its gas or window.
using Profile = std::pair<ega::Quantity, int>;

Profile profile_of(ega::Element const& element) { return {element.quantity, element.which}; }

// The profiles to which elements belong, in the order of the elements.
std::vector<Profile> profiles_of(std::vector<ega::Element> const& elements) {
  std::vector<Profile> profiles;
  for (auto const& element : elements)
    if (profiles.empty() || profiles.back() != profile_of(element)) profiles.push_back(profile_of(element));
  return profiles;
}

std::string name_of(Profile const& profile, std::vector<std::string> const& gases) {
  return quantity_name({profile.first, profile.second, 0}, gases);
}

// Whether `text` is `beginning` and the number of a window.
bool is_window(std::string_view text, std::string_view beginning, int window) {
  return text.substr(0, beginning.size()) == beginning && text.substr(beginning.size()) == std::to_string(window);
}

// Whether a name is one of the names of a profile.
bool means(std::string const& name, Profile const& profile, std::vector<std::string> const& gases) {
  auto const capitals = upper_case(name);
  auto const [quantity, which] = profile;
  if (int const gas = ega::find_gas(gases, name); gas >= 0)
    return quantity == ega::Quantity::mole_fraction && which == gas;
  switch (quantity) {
    case ega::Quantity::pressure:
      return capitals == "P" || capitals == "PRESSURE";
    case ega::Quantity::temperature:
      return capitals == "T" || capitals == "TEMPERATURE";
    case ega::Quantity::extinction:
      return capitals == "K" || is_window(capitals, "K", which) || is_window(capitals, "EXTINCT_WINDOW_", which) ||
             is_window(capitals, "EXTINCTION_WINDOW_", which);
    default:
      return false;
  }
}

// The prior error of a quantity for which the user gave none.
PriorError default_error(ega::Quantity quantity) {
  switch (quantity) {
    case ega::Quantity::pressure:
      return {.quantity = {}, .value = 1, .percent = true, .correlation_length = 10e3};
    case ega::Quantity::temperature:
      return {.quantity = {}, .value = 10, .percent = false, .correlation_length = 4e3};
    case ega::Quantity::mole_fraction:
      return {.quantity = {}, .value = 50, .percent = true, .correlation_length = 4e3};
    default:
      return {.quantity = {}, .value = 1e-3, .percent = false, .correlation_length = 4e3};
  }
}

retrieval::ProfilePrior prior_of(Profile const& profile, PriorError const& error) {
  bool const pressure = profile.first == ega::Quantity::pressure;
  double const unit = pressure ? pascals_per_hPa : profile.first == ega::Quantity::extinction ? 1 / metres_per_km : 1;
  if (!error.percent) return {retrieval::StateScale::absolute, {error.value * unit}, error.correlation_length};
  return {pressure ? retrieval::StateScale::logarithmic : retrieval::StateScale::relative,
          {error.value / 100},
          error.correlation_length};
}

double value_of(ega::HostAtmosphere const& atmosphere, ega::Element const& element) {
  switch (element.quantity) {
    case ega::Quantity::pressure:
      return atmosphere.pressure(0, element.level);
    case ega::Quantity::temperature:
      return atmosphere.temperature(0, element.level);
    case ega::Quantity::mole_fraction:
      return atmosphere.mole_fraction(0, element.which, element.level);
    default:
      return atmosphere.extinction(0, element.which, element.level);
  }
}

}  // namespace

std::string quantity_name(ega::Element const& element, std::vector<std::string> const& gases) {
  switch (element.quantity) {
    case ega::Quantity::pressure:
      return "pressure";
    case ega::Quantity::temperature:
      return "temperature";
    case ega::Quantity::mole_fraction:
      return gases.at(size_of(element.which));
    default:
      return fmt::format("extinction_window_{}", element.which);
  }
}

std::vector<ega::Element> chosen_elements(JurassicControl const& control, ega::HostAtmosphere const& atmosphere) {
  auto elements = ega::elements_of(control.elements, atmosphere);
  if (elements.empty())
    throw Error(control.path,
                "chooses no level of the atmosphere, expected RETT_ZMIN and RETT_ZMAX, RETQ_ZMIN[0] and RETQ_ZMAX[0], "
                "RETP_ZMIN and RETP_ZMAX, or RETK_ZMIN[0] and RETK_ZMAX[0] [km] with levels between them");
  return elements;
}

std::vector<PriorError> prior_errors_of_state(JurassicControl const& control, std::vector<ega::Element> const& elements,
                                              std::vector<PriorError> const& said) {
  auto const profiles = profiles_of(elements);
  std::vector<PriorError> errors;
  std::vector<bool> known(profiles.size());
  for (auto const& profile : profiles) {
    errors.push_back(default_error(profile.first));
    errors.back().quantity = name_of(profile, control.gases);
  }
  for (auto const& error : said) {
    bool used = false;
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      if (!means(error.quantity, profiles[i], control.gases)) continue;
      if (known[i])
        throw Error(error.text(), fmt::format("a second prior error of {}, expected one", errors[i].quantity));
      auto const name = errors[i].quantity;
      errors[i] = error;
      errors[i].quantity = name;
      known[i] = used = true;
    }
    if (used) continue;
    std::vector<std::string> names;
    for (auto const& each : errors) names.push_back(each.quantity);
    throw Error(error.text(), fmt::format("{} is not in the state that {} chooses, expected one of {}",
                                          in_quotes(error.quantity), control.path, fmt::join(names, ", ")));
  }
  return errors;
}

retrieval::RetrievalChoice retrieval_choice(JurassicControl const& control, ega::HostAtmosphere const& atmosphere,
                                            std::string const& path, std::vector<ega::Element> const& elements,
                                            std::vector<PriorError> const& errors) {
  retrieval::RetrievalChoice choice;
  choice.elements = control.elements;
  choice.mole_fraction.resize(control.gases.size());
  choice.extinction.resize(size_of(control.nwindow));
  auto const profiles = profiles_of(elements);
  if (errors.size() != profiles.size())
    throw Error("retrieval_choice", fmt::format("{} prior errors, expected those of the {} quantities of the state",
                                                errors.size(), profiles.size()));
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    auto const& [quantity, which] = profiles[i];
    auto const prior = prior_of(profiles[i], errors[i]);
    for (auto const& element : elements)
      if (errors[i].percent && profile_of(element) == profiles[i] && !(value_of(atmosphere, element) > 0))
        throw Error(path, fmt::format("{} at {} km is {}, expected a positive value, because its prior error is in "
                                      "percent of it; give one without %",
                                      errors[i].quantity, atmosphere.altitude(0, element.level) / metres_per_km,
                                      value_of(atmosphere, element)));
    (quantity == ega::Quantity::pressure        ? choice.pressure
     : quantity == ega::Quantity::temperature   ? choice.temperature
     : quantity == ega::Quantity::mole_fraction ? choice.mole_fraction[size_of(which)]
                                                : choice.extinction[size_of(which)]) = prior;
  }
  return choice;
}

// --- results -----------------------------------------------------------------------------------------------------

namespace {

char const* unit_of(ega::Quantity quantity) {
  switch (quantity) {
    case ega::Quantity::pressure:
      return "Pa";
    case ega::Quantity::temperature:
      return "K";
    case ega::Quantity::mole_fraction:
      return "1";
    default:
      return "m-1";
  }
}

retrieval::StateScale scale_of(retrieval::RetrievalChoice const& choice, ega::Element const& element) {
  switch (element.quantity) {
    case ega::Quantity::pressure:
      return choice.pressure.scale;
    case ega::Quantity::temperature:
      return choice.temperature.scale;
    case ega::Quantity::mole_fraction:
      return choice.mole_fraction.at(size_of(element.which)).scale;
    default:
      return choice.extinction.at(size_of(element.which)).scale;
  }
}

// Change of the value by that of the element of the state.
std::vector<double> state_scales(retrieval::HostRetrieval const& retrieval, retrieval::RetrievalChoice const& choice) {
  std::vector<double> scales;
  for (std::size_t i = 0; i < retrieval.elements.size(); ++i) {
    auto const scale = scale_of(choice, retrieval.elements[i]);
    scales.push_back(scale == retrieval::StateScale::absolute   ? 1
                     : scale == retrieval::StateScale::relative ? retrieval.prior[i]
                                                                : retrieval.value[i]);
  }
  return scales;
}

void check_retrieval(retrieval::HostRetrieval const& retrieval, ega::HostObservation const& observation,
                     HostArray<double**> const& measured, std::vector<double> const& noise,
                     JurassicControl const& control) {
  constexpr char const* where = "write_retrieval_netcdf";
  std::size_t const n = retrieval.elements.size();
  std::size_t const nray = size_of(observation.nray());
  std::size_t const nchannel = control.channels.wavenumber.size();
  for (auto const* list : {&retrieval.value, &retrieval.prior, &retrieval.prior_error, &retrieval.total_error,
                           &retrieval.noise_error, &retrieval.smoothing_error, &retrieval.response})
    if (list->size() != n)
      throw Error(where,
                  fmt::format("a list of the retrieval has {} values, expected the {} of elements", list->size(), n));
  if (noise.size() != nchannel)
    throw Error(where, fmt::format("noise has {} values, expected those of the {} channels", noise.size(), nchannel));
  expect_shape(where, retrieval.estimate.averaging_kernel, "averaging_kernel", {n, n});
  expect_shape(where, retrieval.estimate.covariance, "covariance", {n, n});
  expect_shape(where, retrieval.radiance, "radiance", {nray, nchannel});
  expect_shape(where, measured, "measured", {nray, nchannel});
}

void write_elements(NetcdfWriter& file, retrieval::HostRetrieval const& retrieval,
                    retrieval::RetrievalChoice const& choice, std::vector<std::string> const& gases) {
  auto const& elements = retrieval.elements;
  std::size_t const n = elements.size();
  auto const of_levels = [&](HostArray<double**> const& profile) {
    std::vector<double> values;
    for (auto const& element : elements) values.push_back(profile(0, element.level));
    return values;
  };
  std::vector<std::string> names;
  std::vector<std::string> units;
  for (auto const& element : elements) {
    names.push_back(quantity_name(element, gases));
    units.emplace_back(unit_of(element.quantity));
  }
  file.variable(
      "altitude", {"element"}, of_levels(retrieval.atmosphere.altitude),
      {{"long_name", "altitude of the element"}, {"standard_name", "altitude"}, {"units", "m"}, {"positive", "up"}});
  file.variable("pressure", {"element"}, of_levels(retrieval.atmosphere.pressure),
                {{"long_name", "retrieved or a priori pressure at the level of the element"},
                 {"standard_name", "air_pressure"},
                 {"units", "Pa"}});
  file.strings("quantity", "element", names, {{"long_name", "what the element is a value of"}});
  file.strings("unit", "element", units, {{"long_name", "unit of value, prior and errors"}});
  std::string const coordinates = "quantity unit altitude pressure";
  std::string const in_units = "in the unit that the variable unit has for the element";
  for (auto const& [name, values, what] :
       {std::tuple("value", &retrieval.value, "retrieved value"),
        std::tuple("prior", &retrieval.prior, "a priori value"),
        std::tuple("prior_error", &retrieval.prior_error, "standard deviation of the a priori value"),
        std::tuple("noise_error", &retrieval.noise_error, "standard deviation that the noise of the measurement makes"),
        std::tuple("smoothing_error", &retrieval.smoothing_error,
                   "standard deviation that the prior and the width of the averaging kernel make"),
        std::tuple("total_error", &retrieval.total_error, "standard deviation by noise and smoothing together")})
    file.variable(name, {"element"}, *values,
                  {{"long_name", what}, {"coordinates", coordinates}, {"comment", in_units}});
  file.variable("response", {"element"}, retrieval.response,
                {{"long_name", "sum of the row of the averaging kernel over the elements of the same quantity"},
                 {"units", "1"},
                 {"coordinates", coordinates},
                 {"comment", "near 1 the measurement makes the value, near 0 the prior"}});

  auto const scales = state_scales(retrieval, choice);
  file.variable("state_scale", {"element"}, scales,
                {{"long_name", "change of the value by that of the element of the state"},
                 {"coordinates", coordinates},
                 {"comment",
                  "1 where the state holds the value, else in its unit: the a priori value where the state holds the "
                  "ratio to that, the value where it holds its logarithm"}});
  auto const matrix = [&](HostArray<double**> const& values, std::span<double const> factors) {
    std::vector<double> all;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) all.push_back(values(i, j) * (factors.empty() ? 1 : factors[i] * factors[j]));
    return all;
  };
  file.variable("averaging_kernel", {"element", "other_element"}, matrix(retrieval.estimate.averaging_kernel, {}),
                {{"long_name", "derivative of an element of the retrieved state by another one of the true state"},
                 {"coordinates", coordinates},
                 {"comment",
                  "in the units of the elements of the state; of values: times state_scale of the element over that of "
                  "the other element. Its trace is degrees_of_freedom"}});
  file.variable(
      "covariance", {"element", "other_element"}, matrix(retrieval.estimate.covariance, scales),
      {{"long_name", "total covariance of two retrieved values"},
       {"coordinates", coordinates},
       {"comment", "in the product of the units of both elements; the roots of its diagonal are total_error"}});
}

void write_radiances(NetcdfWriter& file, retrieval::HostRetrieval const& retrieval,
                     ega::HostObservation const& observation, HostArray<double**> const& measured,
                     std::vector<double> const& noise, JurassicControl const& control) {
  auto const nray = size_of(observation.nray());
  write_channels_and_times(file, control.channels.wavenumber, observation);
  std::vector<double> view_point;
  for (std::size_t r = 0; r < nray; ++r) view_point.push_back(observation.view_point.altitude(r));
  file.variable("view_point_altitude", {"ray"}, view_point,
                {{"long_name", "altitude of the view point"}, {"standard_name", "altitude"}, {"units", "m"}});
  bool const kelvin = control.options.brightness_temperature;
  std::string const what = kelvin ? "brightness temperature" : "radiance by wavenumber";
  std::string const unit = kelvin ? "K" : "W m-2 sr-1 (cm-1)-1";
  std::string const coordinates = "time view_point_altitude wavenumber";
  auto const write = [&](std::string const& name, HostArray<double**> const& values, std::string const& of) {
    file.variable(
        name, {"ray", "channel"}, std::span(values.data(), values.size()),
        {{"long_name", what + of}, {"units", unit}, {"coordinates", coordinates}, {"comment", "NaN: not used"}});
  };
  write("radiance_fit", retrieval.radiance, " of the retrieved atmosphere");
  write("radiance_measured", measured, " that was measured");
  file.variable("radiance_noise", {"channel"}, noise,
                {{"long_name", "standard deviation of the noise of the measured " + what},
                 {"units", unit},
                 {"coordinates", "wavenumber"},
                 {"comment", "NaN: no radiance of the channel is used"}});
}

}  // namespace

void write_retrieval_netcdf(std::string const& path, retrieval::HostRetrieval const& retrieval,
                            retrieval::RetrievalChoice const& choice, ega::HostObservation const& observation,
                            HostArray<double**> const& measured, std::vector<double> const& noise,
                            JurassicControl const& control, Provenance const& provenance) {
  check_retrieval(retrieval, observation, measured, noise, control);
  NetcdfWriter file(path);
  file.attributes(global_attributes(provenance, "elements of a quantity from the lowest level upwards"));
  file.attributes({{"degrees_of_freedom", retrieval.estimate.degrees_of_freedom},
                   {"chi_square", retrieval.chi_square},
                   {"residual_chi_square", retrieval.residual_chi_square},
                   {"converged", retrieval.estimate.converged ? 1 : 0},
                   {"iterations", retrieval.estimate.iterations},
                   {"measurements", retrieval.measurements},
                   {"information_content", retrieval.estimate.information}});
  // The dimensions of a variable have different names in CF.
  file.dimension("element", retrieval.elements.size());
  file.dimension("other_element", retrieval.elements.size());
  file.dimension("ray", size_of(observation.nray()));
  file.dimension("channel", control.channels.wavenumber.size());
  write_elements(file, retrieval, choice, control.gases);
  write_radiances(file, retrieval, observation, measured, noise, control);
  file.commit();
}

}  // namespace parhelion::io
