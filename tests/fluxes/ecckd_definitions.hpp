// SPDX-License-Identifier: BSD-3-Clause
// Small definitions of ecCKD, made up, and the formulas of its gas optics in the plainest form.
#ifndef PARHELION_TESTS_ECCKD_DEFINITIONS_HPP
#define PARHELION_TESTS_ECCKD_DEFINITIONS_HPP

#include <parhelion/fluxes/ecckd/definition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace parhelion::Testing {

/// \brief A definition with every code of concentration, and with extents that no file has.
/// \param longwave or of the shortwave
/// \param ngpoint  of two bands
inline fluxes::ecckd::Definition made_up_definition(bool longwave, int ngpoint = 19) {
  using fluxes::ecckd::Concentration;
  fluxes::ecckd::Definition d;
  d.where = "made up";
  d.is_longwave = longwave;
  constexpr int np = 7, nt = 3, nx = 4;
  auto const ng = static_cast<std::size_t>(ngpoint);
  for (int p = 0; p < np; ++p) d.pressure.push_back(10 * std::exp(1.5 * p));
  for (int t = 0; t < nt; ++t)
    for (int p = 0; p < np; ++p) d.temperature.push_back(180 + 8 * p + 25 * t);
  auto const coefficients = [&](int gas, int n) {
    std::vector<double> values;
    for (int row = 0; row < n; ++row)
      for (std::size_t g = 0; g < ng; ++g)
        values.push_back(1e-4 * (gas + 1) * (1 + 0.3 * std::sin(1. + gas + 2.7 * row + 1.3 * static_cast<double>(g))) *
                         std::exp(0.3 * static_cast<double>(g) - 2));
    return values;
  };
  d.gases.push_back({"composite", Concentration::none, {}, 0, coefficients(0, nt * np)});
  d.gases.push_back({"co2", Concentration::linear, {}, 0, coefficients(900, nt * np)});
  fluxes::ecckd::GasTable water{"h2o", Concentration::table, {}, 0, coefficients(80, nx * nt * np)};
  for (int x = 0; x < nx; ++x) water.mole_fraction.push_back(1e-6 * std::exp(3. * x));
  d.gases.push_back(water);
  d.gases.push_back({"ch4", Concentration::relative_linear, {}, 1.8e-6, coefficients(3000000, nt * np)});
  if (longwave) {
    for (int t = 0; t < 12; ++t) {
      d.temperature_planck.push_back(150 + 20. * t);
      for (std::size_t g = 0; g < ng; ++g)
        d.planck_function.push_back(std::pow((150 + 20. * t) / 300, 4. + 0.2 * static_cast<double>(g)) *
                                    (1 + static_cast<double>(g)));
    }
  } else {
    for (std::size_t g = 0; g < ng; ++g) {
      d.solar_irradiance.push_back(3 + std::cos(static_cast<double>(g)));
      d.rayleigh_molar_scattering.push_back(1e-7 * (1 + static_cast<double>(g * g)));
    }
  }
  for (int i = 0; i < 4; ++i) {
    d.wavenumber1.push_back(10000 + 4000. * i);
    d.wavenumber2.push_back(14000 + 4000. * i);
  }
  for (std::size_t g = 0; g < ng; ++g) {
    bool const second = g >= ng / 2;
    d.band_number.push_back(second ? 1 : 0);
    for (int i = 0; i < 4; ++i)
      d.gpoint_fraction.push_back((i >= 2) == second || (g == 0 && i < 3) ? 0.5 / (1 + static_cast<double>(g)) : 0);
  }
  d.wavenumber1_band = {10000, 18000};
  d.wavenumber2_band = {18000, 26000};
  return d;
}

/// A layer of ecCKD's input: half-levels are named as seen from above.
struct EcckdLayer {
  double pressure_top, pressure_bottom;         ///< [Pa]
  double temperature_top, temperature_bottom;   ///< [K]
  std::map<std::string, double> mole_fraction;  ///< of gases; others are absent
};

/// A position in a table of n entries: never quite at its end.
struct EcckdPosition {
  std::size_t index;
  double fraction;
  EcckdPosition(double position, std::size_t n) {
    double const limited = std::clamp(position, 0., static_cast<double>(n) - 1.0001);
    index = static_cast<std::size_t>(limited);
    fraction = limited - static_cast<double>(index);
  }
};

/// Moles of dry air per area [mol m-2].
inline double ecckd_moles(EcckdLayer const& layer) {
  return (layer.pressure_bottom - layer.pressure_top) / (9.80665 * 0.001 * 28.970);
}

/// Optical depth of one of the gases at all g-points, which may be negative.
inline std::vector<double> ecckd_optical_depth(fluxes::ecckd::Definition const& d, fluxes::ecckd::GasTable const& gas,
                                               EcckdLayer const& layer) {
  using fluxes::ecckd::Concentration;
  double const temperature =
      (layer.temperature_top * layer.pressure_top + layer.temperature_bottom * layer.pressure_bottom) /
      (layer.pressure_top + layer.pressure_bottom);
  double const pressure = (layer.pressure_top + layer.pressure_bottom) / 2;
  std::size_t const np = d.pressure.size(), nt = d.temperature.size() / np, ng = d.band_number.size();
  EcckdPosition const p(
      (std::log(pressure) - std::log(d.pressure[0])) / (std::log(d.pressure[1]) - std::log(d.pressure[0])), np);
  double const lowest = (1 - p.fraction) * d.temperature[p.index] + p.fraction * d.temperature[p.index + 1];
  EcckdPosition const t((temperature - lowest) / (d.temperature[np] - d.temperature[0]), nt);
  auto const found = layer.mole_fraction.find(gas.name);
  double const x = found == layer.mole_fraction.end() ? 0 : found->second;
  EcckdPosition c(0, 2);
  if (gas.dependence == Concentration::table) {
    auto const& axis = gas.mole_fraction;
    double const step = (std::log(axis.back()) - std::log(axis.front())) / static_cast<double>(axis.size() - 1);
    c = EcckdPosition((std::log(std::max(x, axis.front())) - std::log(axis.front())) / step, axis.size());
  }
  double amount = ecckd_moles(layer);
  if (gas.dependence == Concentration::linear || gas.dependence == Concentration::table) amount *= x;
  if (gas.dependence == Concentration::relative_linear) amount *= x - gas.reference_mole_fraction;
  std::vector<double> tau(ng, 0.);
  for (std::size_t ic = 0; ic < (gas.dependence == Concentration::table ? 2U : 1U); ++ic)
    for (std::size_t it = 0; it < 2; ++it)
      for (std::size_t ip = 0; ip < 2; ++ip) {
        double const weight = (gas.dependence != Concentration::table ? 1
                               : ic == 0                              ? 1 - c.fraction
                                                                      : c.fraction) *
                              (it == 0 ? 1 - t.fraction : t.fraction) * (ip == 0 ? 1 - p.fraction : p.fraction);
        std::size_t const row = ((c.index + ic) * nt + t.index + it) * np + p.index + ip;
        for (std::size_t g = 0; g < ng; ++g) tau[g] += amount * weight * gas.molar_absorption[row * ng + g];
      }
  return tau;
}

/// Planck irradiance of a g-point at a temperature.
inline double ecckd_planck(fluxes::ecckd::Definition const& d, double kelvin, std::size_t g) {
  auto const& axis = d.temperature_planck;
  std::size_t const ng = d.band_number.size();
  double const y = (kelvin - axis[0]) / (axis[1] - axis[0]);
  if (y < 0) return d.planck_function[g] * kelvin / axis[0];
  auto const entry = std::min(static_cast<std::size_t>(y), axis.size() - 2);
  double const fraction = y - static_cast<double>(entry);
  return (1 - fraction) * d.planck_function[entry * ng + g] + fraction * d.planck_function[(entry + 1) * ng + g];
}

}  // namespace parhelion::Testing

#endif
