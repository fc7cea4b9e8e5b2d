// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_files.hpp>

#include "jurassic/parts.hpp"
#include "jurassic/text.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::io {

namespace {

enum class First { ascending, any };

// The columns of a file of finite numbers with at least two lines, the first of which may have to ascend.
std::vector<std::vector<double>> read_columns(std::string const& path, std::vector<std::string> const& names,
                                              First first) {
  TextReader reader(path);
  auto const expected = fmt::format("{} ({})", names.size(), fmt::join(names, ", "));
  std::vector<std::vector<double>> columns(names.size());
  while (reader.next()) {
    auto const row = reader.numbers(names.size(), expected);
    for (std::size_t i = 0; i < names.size(); ++i) reader.expect(true, names[i], row[i], "", "a finite number");
    if (first == First::ascending && !columns[0].empty() && !(row[0] > columns[0].back()))
      reader.fail(
          fmt::format("{} = {}, expected more than {} of the line before", names[0], row[0], columns[0].back()));
    for (std::size_t i = 0; i < names.size(); ++i) columns[i].push_back(row[i]);
  }
  if (columns[0].size() < 2)
    reader.fail_file(fmt::format("holds {} lines of numbers, expected at least 2", columns[0].size()));
  return columns;
}

void expect_weight(std::string const& path, std::vector<double> const& weights) {
  double sum = 0;
  for (double const weight : weights) sum += weight;
  if (!(sum > 0 && std::isfinite(sum)))
    throw Error(path, fmt::format("has weights that sum to {}, expected a sum above 0", sum));
}

}  // namespace

ega::Filter read_filter(std::string const& path) {
  auto columns = read_columns(path, {"wavenumber [cm-1]", "weight"}, First::ascending);
  expect_weight(path, columns[1]);
  return {std::move(columns[0]), std::move(columns[1])};
}

ega::FieldOfView read_field_of_view(std::string const& path) {
  auto columns = read_columns(path, {"offset [km]", "weight"}, First::any);
  expect_weight(path, columns[1]);
  for (auto& offset : columns[0]) offset *= metres_per_km;
  return {std::move(columns[0]), std::move(columns[1])};
}

ega::ContinuumTables read_continua(std::string const& folder, ega::ContinuumSwitches const& switches) {
  auto const read = [&](char const* what, char const* name, std::vector<std::string> const& columns) {
    auto const path = (std::filesystem::path(folder) / name).string();
    std::error_code error;
    if (!std::filesystem::exists(path, error)) throw Error(path, fmt::format("missing, expected {}", what));
    return read_columns(path, columns, First::ascending);
  };
  ega::ContinuumTables tables;
  if (switches.co2) {
    auto c = read("the coefficients of the CO2 continuum", "ctmco2.txt",
                  {"wavenumber [cm-1]", "coefficient at 296 K", "coefficient at 260 K", "coefficient at 230 K"});
    tables.co2 = {std::move(c[0]), std::move(c[1]), std::move(c[2]), std::move(c[3])};
  }
  if (switches.h2o) {
    auto c =
        read("the coefficients of the H2O continuum", "ctmh2o.txt",
             {"wavenumber [cm-1]", "self coefficient at 296 K", "self coefficient at 260 K", "foreign coefficient"});
    auto x = read("the correction of the H2O self continuum", "ctmh2o_xfcrev.txt", {"wavenumber [cm-1]", "factor"});
    tables.h2o = {std::move(c[0]), std::move(c[1]), std::move(c[2]), std::move(c[3]), std::move(x[0]), std::move(x[1])};
  }
  auto const collision = [&](char const* what, char const* name) -> ega::ContinuumTables::Collision {
    auto c = read(what, name, {"wavenumber [cm-1]", "B", "beta [K]"});
    return {std::move(c[0]), std::move(c[1]), std::move(c[2])};
  };
  if (switches.n2) tables.n2 = collision("the coefficients of the N2 continuum", "ctmn2.txt");
  if (switches.o2) tables.o2 = collision("the coefficients of the O2 continuum", "ctmo2.txt");
  return tables;
}

}  // namespace parhelion::io
