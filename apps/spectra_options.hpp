// SPDX-License-Identifier: BSD-3-Clause
// What the subcommands for infrared spectra have in common: options that name a case and its files.
#ifndef PARHELION_APPS_SPECTRA_OPTIONS_HPP
#define PARHELION_APPS_SPECTRA_OPTIONS_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/problem.hpp>
#include <parhelion/io/jurassic_control.hpp>

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace parhelion::Apps {

struct SpectraOptions {
  std::string control;
  std::string atmosphere;
  std::string observation;
  std::string tables;
  std::string continua;
  std::string table_slopes = "double";
  double memory = 0;  // [GB]
  int chunk = 0;
  bool allow_missing_tables = false;

  std::size_t memory_limit() const { return static_cast<std::size_t>(memory * 1e9); }
};

/// Adds the options that name the files of a case: control, atmosphere and observation.
void add_case_options(CLI::App& command, SpectraOptions& options);

/// Adds the options that say where tables are and how they are used.
void add_table_options(CLI::App& command, SpectraOptions& options);

/// A case as its files have it.
struct SpectraInput {
  io::JurassicControl control;
  ega::HostAtmosphere atmosphere;
  ega::HostObservation observation;
};

/// Reads control file, atmosphere and observation; says, where not `quiet`, which keys of the control file mean
/// nothing.
/// Where `measured` is not null, it gets the radiances of the observation, see io::read_jurassic_observation.
SpectraInput read_case(SpectraOptions const& options, bool quiet, HostArray<double**>* measured = nullptr);

/// Reads all else that a calculation needs.
ega::Problem read_problem(SpectraOptions const& options, io::JurassicControl const& control);

}  // namespace parhelion::Apps

#endif
