// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/ega/continua.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <tuple>
#include <utility>

namespace parhelion::ega {

namespace {

struct Column {
  char const* name;
  std::vector<double> const* values;
};

// Checks a table and locates a wavenumber in it.
GridPosition<double> place_in(std::string const& where, char const* continuum, std::vector<double> const& grid,
                              std::initializer_list<Column> columns, double wavenumber) {
  if (grid.empty())
    throw Error(where, fmt::format("the {} table is empty, expected one that holds {} cm-1 (or the continuum off)",
                                   continuum, wavenumber));
  for (auto const& [name, values] : columns)
    if (values->size() != grid.size())
      throw Error(where, fmt::format("{} of the {} table has {} values, expected those of its {} wavenumbers", name,
                                     continuum, values->size(), grid.size()));
  for (std::size_t i = 1; i < grid.size(); ++i)
    if (!(grid[i] > grid[i - 1]))
      throw Error(where, fmt::format("wavenumber({}) = {} cm-1 of the {} table, expected more than {} cm-1", i, grid[i],
                                     continuum, grid[i - 1]));
  if (grid.size() < 2 || !(wavenumber >= grid.front() && wavenumber <= grid.back()))
    throw Error(where, fmt::format("the {} table reaches from {} to {} cm-1, expected one that holds {} cm-1",
                                   continuum, grid.front(), grid.back(), wavenumber));
  return locate(grid.data(), static_cast<int>(grid.size()), wavenumber);
}

// Correction of the far wing of the foreign continuum in JURASSIC: half width 190 cm-1 around 370 cm-1, a quarter less
// at the centre.
double foreign_correction(double wavenumber) {
  double const v = (wavenumber - 370) * (wavenumber - 370);
  return 1 - 0.25 * 36100 / (v + 1e-8 * v * v * v + 36100);
}

}  // namespace

ContinuumCoefficients continuum_coefficients(ContinuumTables const& tables, ContinuumSwitches const& switches,
                                             double wavenumber, std::string const& where_or_empty) {
  std::string const where = where_or_empty.empty() ? "continuum_coefficients" : where_or_empty;
  if (!std::isfinite(wavenumber))
    throw Error(where, fmt::format("wavenumber = {} cm-1, expected a finite number", wavenumber));
  ContinuumCoefficients c;
  if (switches.co2 && wavenumber >= 0 && wavenumber < 4000) {
    auto const& t = tables.co2;
    auto const at = place_in(where, "CO2 continuum", t.wavenumber,
                             {{"at_296", &t.at_296}, {"at_260", &t.at_260}, {"at_230", &t.at_230}}, wavenumber);
    c.co2_296 = interpolate(t.at_296.data(), at);
    c.co2_260 = interpolate(t.at_260.data(), at);
    c.co2_230 = interpolate(t.at_230.data(), at);
  }
  if (switches.h2o && wavenumber >= 0 && wavenumber < 20000) {
    auto const& t = tables.h2o;
    auto const at =
        place_in(where, "H2O continuum", t.wavenumber,
                 {{"self_296", &t.self_296}, {"self_260", &t.self_260}, {"foreign", &t.foreign}}, wavenumber);
    double const self_296 = interpolate(t.self_296.data(), at);
    double const self_260 = interpolate(t.self_260.data(), at);
    if (!(self_296 > 0 && self_260 > 0))
      throw Error(where, fmt::format("the H2O self continuum is {} at 296 K and {} at 260 K at {} cm-1, expected "
                                     "positive numbers",
                                     self_296, self_260, wavenumber));
    double correction = 1;
    if (wavenumber > 820 && wavenumber < 960)
      correction = interpolate(t.correction.data(), place_in(where, "H2O self correction", t.correction_wavenumber,
                                                             {{"correction", &t.correction}}, wavenumber));
    c.h2o_self_296 = correction * self_296;
    c.h2o_self_log = std::log(self_260 / self_296) / (296 - 260);
    c.h2o_foreign = interpolate(t.foreign.data(), at) * foreign_correction(wavenumber);
  }
  auto const collision = [&where, wavenumber](char const* name, ContinuumTables::Collision const& t) {
    auto const at = place_in(where, name, t.wavenumber, {{"strength", &t.strength}, {"beta", &t.beta}}, wavenumber);
    return std::pair(interpolate(t.strength.data(), at), interpolate(t.beta.data(), at));
  };
  if (switches.n2 && wavenumber >= 2120 && wavenumber <= 2605)
    std::tie(c.n2_strength, c.n2_beta) = collision("N2 continuum", tables.n2);
  if (switches.o2 && wavenumber >= 1360 && wavenumber <= 1805)
    std::tie(c.o2_strength, c.o2_beta) = collision("O2 continuum", tables.o2);
  return c;
}

}  // namespace parhelion::ega
