// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_problem.hpp>

#include <parhelion/core/error.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/jurassic_files.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace parhelion::io {

namespace {

std::string continua_folder(ProblemFiles const& files) {
  if (!files.continua.empty()) return files.continua;
  auto const file = find_data_file(
      "continuum coefficients", "", {"ctmh2o.txt", "continua/ctmh2o.txt"},
      "say with --continua DIR where they are, or switch them off with CTM_CO2, CTM_H2O, CTM_N2 and CTM_O2");
  return std::filesystem::path(file).parent_path().string();
}

// With the filter of another channel, gases and the Planck function would be of different wavenumbers.
ega::Filter read_filter_around(std::string const& path, double centre) {
  constexpr double rounding = 0.5e-4;  // of the four decimals in names of files [cm-1]
  auto filter = read_filter(path);
  double const first = filter.wavenumber.front(), last = filter.wavenumber.back();
  if (centre < first - rounding || centre > last + rounding)
    throw Error(path, fmt::format("has wavenumbers from {} to {} cm-1, expected a range with {} cm-1, the centre of "
                                  "its channel",
                                  first, last, centre));
  return filter;
}

}  // namespace

ega::ContinuumSwitches needed_continua(JurassicControl const& control) {
  ega::ContinuumSwitches needed;
  auto const reached = [&](double lowest, double highest) {
    for (double const nu : control.channels.wavenumber)
      if (nu >= lowest && nu <= highest) return true;
    return false;
  };
  auto const& on = control.options.continua;
  needed.co2 = on.co2 && ega::find_gas(control.gases, "CO2") >= 0 && reached(0, 4000);
  needed.h2o = on.h2o && ega::find_gas(control.gases, "H2O") >= 0 && reached(0, 20000);
  needed.n2 = on.n2 && reached(2120, 2605);
  needed.o2 = on.o2 && reached(1360, 1805);
  return needed;
}

ega::Problem read_jurassic_problem(JurassicControl const& control, ProblemFiles const& files,
                                   std::vector<std::string>* inputs) {
  auto const is_read = [&](std::string const& path) {
    if (inputs != nullptr) inputs->push_back(path);
    return path;
  };
  ega::Problem problem;
  problem.name = control.path;
  problem.gases = control.gases;
  problem.channels = control.channels;
  problem.options = control.options;
  TableFiles const tables({.base = resolve_path(control, control.table_base),
                           .folder = files.tables,
                           .first = control.table_format == 1 ? TableFormat::text : TableFormat::scatter_binary,
                           .missing_allowed = files.missing_tables_allowed},
                          control.gases, control.channels.wavenumber);
  for (int c = 0; c < control.channels.size(); ++c) {
    problem.channels.filter.push_back(
        read_filter_around(is_read(tables.filter_path(c)), control.channels.wavenumber[static_cast<std::size_t>(c)]));
    for (int g = 0; g < problem.ngas(); ++g) is_read(tables.find(g, c));
  }
  problem.tables = tables;
  auto const needed = needed_continua(control);
  if (needed.co2 || needed.h2o || needed.n2 || needed.o2) {
    auto const folder = continua_folder(files);
    problem.continua = read_continua(folder, needed);
    for (auto const* const name : {"ctmco2.txt", "ctmh2o.txt", "ctmh2o_xfcrev.txt", "ctmn2.txt", "ctmo2.txt"})
      is_read((std::filesystem::path(folder) / name).string());
  }
  if (!control.field_of_view.empty())
    problem.field_of_view = read_field_of_view(is_read(resolve_path(control, control.field_of_view)));
  return problem;
}

}  // namespace parhelion::io
