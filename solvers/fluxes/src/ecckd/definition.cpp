// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/ecckd/definition.hpp>

#include "missing_value.hpp"

#include <parhelion/fluxes/gases.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace parhelion::fluxes::ecckd {

namespace {

// Steps by which an entry of an axis may be away from its even place: files hold single precision.
constexpr double uneven = 0.01;

class Checker {
 public:
  explicit Checker(Definition const& definition) : m_definition(definition) {}

  void all() const {
    axes();
    spectrum();
    gases();
    if (m_definition.is_longwave) {
      longwave();
    } else {
      shortwave();
    }
  }

 private:
  using Dimensions = std::vector<std::size_t>;

  [[noreturn]] void refuse(std::string const& variable, std::string const& problem) const {
    throw Error(fmt::format("{}: {}", m_definition.where, variable), problem);
  }

  static std::string index_text(std::size_t at, Dimensions const& dimensions) {
    std::vector<std::size_t> index(dimensions.size());
    for (std::size_t d = dimensions.size(); d-- > 0; at /= dimensions[d]) index[d] = at % dimensions[d];
    return fmt::format("({})", fmt::join(index, ", "));
  }

  // Finite numbers of at least `least`, or more than that.
  void numbers(std::string const& variable, std::vector<double> const& values, Dimensions const& dimensions,
               double least, bool more_than_least, std::string_view unit) const {
    std::size_t expected = 1;
    for (auto const n : dimensions) expected *= n;
    if (values.size() != expected)
      refuse(variable, fmt::format("has {} values, expected {}", values.size(), fmt::join(dimensions, " x ")));
    for (std::size_t i = 0; i < values.size(); ++i) {
      double const value = values[i];
      if (std::isfinite(value) && value < fluxes::Impl::missing_from &&
          (more_than_least ? value > least : value >= least))
        continue;
      throw Error(fmt::format("{}: {}{} = {}{}{}", m_definition.where, variable, index_text(i, dimensions), value,
                              unit.empty() ? "" : " ", unit),
                  fmt::format("expected a finite number {} {} that is not a missing value",
                              more_than_least ? "above" : "of at least", least));
    }
  }

  // Entries at even distances of what `map` makes of them; at least two.
  void even(std::string const& variable, std::vector<double> const& values, std::string_view in,
            std::function<double(double)> const& map) const {
    if (values.size() < 2) refuse(variable, fmt::format("has {} values, expected at least 2", values.size()));
    double const first = map(values.front());
    double const step = (map(values.back()) - first) / static_cast<double>(values.size() - 1);
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (!(values[i] > values[i - 1]))
        refuse(variable, fmt::format("values {} and {} are {} and {}, expected increasing values", i - 1, i,
                                     values[i - 1], values[i]));
      double const place = (map(values[i]) - first) / step;
      if (std::abs(place - static_cast<double>(i)) > uneven)
        refuse(variable, fmt::format("value {} is {}, expected steps that are even in {}", i, values[i], in));
    }
  }

  static double identity(double x) { return x; }
  static double logarithm(double x) { return std::log(x); }

  void axes() const {
    auto const& pressure = m_definition.pressure;
    numbers("pressure", pressure, {pressure.size()}, 0, true, "Pa");
    even("pressure", pressure, "ln(pressure)", logarithm);
    std::size_t const np = pressure.size();
    std::size_t const nt = static_cast<std::size_t>(m_definition.ntemperature());
    auto const& temperature = m_definition.temperature;
    numbers("temperature", temperature, {nt, np}, 0, true, "K");
    if (nt < 2) refuse("temperature", fmt::format("has {} temperatures at each pressure, expected at least 2", nt));
    double const step = temperature[np] - temperature[0];
    for (std::size_t p = 0; p < np; ++p)
      for (std::size_t t = 1; t < nt; ++t) {
        double const here = temperature[t * np + p] - temperature[(t - 1) * np + p];
        if (!(here > 0) || std::abs(here - step) > uneven * step)
          refuse("temperature",
                 fmt::format("from ({}, {}) to ({}, {}) grows by {} K, expected the step of all, {} K above 0", t - 1,
                             p, t, p, here, step));
      }
  }

  void spectrum() const {
    auto const& d = m_definition;
    std::size_t const ng = d.band_number.size();
    std::size_t const nw = d.wavenumber1.size();
    std::size_t const nb = d.wavenumber1_band.size();
    if (ng == 0) refuse("band_number", "has 0 values, expected at least one g-point");
    if (nw == 0) refuse("wavenumber1", "has 0 values, expected at least one interval");
    if (nb == 0) refuse("wavenumber1_band", "has 0 values, expected at least one band");
    intervals("wavenumber1", d.wavenumber1, "wavenumber2", d.wavenumber2);
    intervals("wavenumber1_band", d.wavenumber1_band, "wavenumber2_band", d.wavenumber2_band);
    numbers("gpoint_fraction", d.gpoint_fraction, {ng, nw}, 0, false, "");
    for (std::size_t g = 0; g < ng; ++g) {
      if (d.band_number[g] < 0 || d.band_number[g] >= static_cast<int>(nb))
        refuse(fmt::format("band_number({}) = {}", g, d.band_number[g]), fmt::format("expected 0 to {}", nb - 1));
      if (g > 0 && d.band_number[g] < d.band_number[g - 1])
        refuse(fmt::format("band_number({}) = {}", g, d.band_number[g]),
               fmt::format("expected at least the {} before it", d.band_number[g - 1]));
    }
    if (!d.solar_spectral_irradiance.empty())
      numbers("solar_spectral_irradiance", d.solar_spectral_irradiance, {nw}, 0, false, "W m-2");
  }

  void intervals(std::string const& low_name, std::vector<double> const& low, std::string const& high_name,
                 std::vector<double> const& high) const {
    numbers(low_name, low, {low.size()}, 0, false, "cm-1");
    numbers(high_name, high, {low.size()}, 0, true, "cm-1");
    for (std::size_t i = 0; i < low.size(); ++i)
      if (!(high[i] > low[i]))
        refuse(fmt::format("{}({}) = {} cm-1", high_name, i, high[i]),
               fmt::format("expected more than {}, {} cm-1", low_name, low[i]));
  }

  void gases() const {
    auto const& d = m_definition;
    std::vector<std::string> names;
    for (auto const& gas : d.gases) names.push_back(gas.name);
    check_gas_names(d.where, names);
    for (auto const& gas : d.gases) table(gas);
  }

  void table(GasTable const& gas) const {
    int const code = static_cast<int>(gas.dependence);
    std::string const code_name = gas.name + "_conc_dependence_code";
    if (code < 0 || code > 3) refuse(fmt::format("{} = {}", code_name, code), "expected 0, 1, 2 or 3");
    if (gas.name == composite_gas && gas.dependence != Concentration::none)
      refuse(fmt::format("{} = {}", code_name, code), "expected 0: its amount is not given");
    Dimensions dimensions{static_cast<std::size_t>(m_definition.ntemperature()), m_definition.pressure.size(),
                          m_definition.band_number.size()};
    if (gas.dependence == Concentration::table) {
      std::string const name = gas.name + "_mole_fraction";
      numbers(name, gas.mole_fraction, {gas.mole_fraction.size()}, 0, true, "mol mol-1");
      even(name, gas.mole_fraction, fmt::format("ln({})", name), logarithm);
      dimensions.insert(dimensions.begin(), gas.mole_fraction.size());
    }
    if (gas.dependence == Concentration::relative_linear)
      numbers(gas.name + "_reference_mole_fraction", {gas.reference_mole_fraction}, {1}, 0, false, "mol mol-1");
    numbers(gas.name + "_molar_absorption_coeff", gas.molar_absorption, dimensions, 0, false, "m2 mol-1");
  }

  void longwave() const {
    auto const& d = m_definition;
    numbers("temperature_planck", d.temperature_planck, {d.temperature_planck.size()}, 0, true, "K");
    even("temperature_planck", d.temperature_planck, "kelvins", identity);
    numbers("planck_function", d.planck_function, {d.temperature_planck.size(), d.band_number.size()}, 0, false,
            "W m-2");
    std::size_t const ng = d.band_number.size();
    for (std::size_t i = ng; i < d.planck_function.size(); ++i)
      if (double const colder = d.planck_function[i - ng]; d.planck_function[i] < colder)
        refuse(fmt::format("planck_function{} = {} W m-2", index_text(i, {d.temperature_planck.size(), ng}),
                           d.planck_function[i]),
               fmt::format("expected at least {}, that of the temperature before", colder));
  }

  void shortwave() const {
    auto const& d = m_definition;
    std::size_t const ng = d.band_number.size();
    numbers("solar_irradiance", d.solar_irradiance, {ng}, 0, false, "W m-2");
    double sum = 0;
    for (double const value : d.solar_irradiance) sum += value;
    if (!(sum > 0)) refuse("solar_irradiance", "adds up to 0 W m-2, expected more");
    numbers("rayleigh_molar_scattering_coeff", d.rayleigh_molar_scattering, {ng}, 0, false, "m2 mol-1");
  }

  Definition const& m_definition;
};

}  // namespace

void check_gas_names(std::string const& where, std::vector<std::string> const& names) {
  std::string const variable = where + ": constituent_id";
  std::set<int> seen;
  for (auto const& name : names) {
    int number = -1;
    if (name != composite_gas) {
      auto const gas = find_gas(name);
      if (!gas)
        throw Error(variable, fmt::format("names the gas {}, which is not known, expected {} or names of gases such "
                                          "as h2o",
                                          name, composite_gas));
      number = static_cast<int>(*gas);
    }
    if (!seen.insert(number).second)
      throw Error(variable, fmt::format("names {} twice, expected different gases", name));
  }
  if (seen.count(-1) == 0)
    throw Error(variable, fmt::format("names {}, expected {} among them", fmt::join(names, " "), composite_gas));
}

void check(Definition const& definition) { Checker(definition).all(); }

std::vector<double> share_above(Definition const& definition, double wavenumber) {
  auto const part = [&](double low, double high) { return std::clamp((high - wavenumber) / (high - low), 0., 1.); };
  std::vector<double> shares;
  std::size_t const nw = definition.wavenumber1.size();
  for (std::size_t g = 0; g < definition.band_number.size(); ++g) {
    double above = 0, all = 0;
    for (std::size_t i = 0; i < nw; ++i) {
      double const low = definition.wavenumber1[i], high = definition.wavenumber2[i];
      double const width = definition.gpoint_fraction[g * nw + i] * (high - low);
      above += width * part(low, high);
      all += width;
    }
    auto const band = static_cast<std::size_t>(definition.band_number[g]);
    shares.push_back(all > 0 ? std::min(above / all, 1.)
                             : part(definition.wavenumber1_band[band], definition.wavenumber2_band[band]));
  }
  return shares;
}

}  // namespace parhelion::fluxes::ecckd
