// SPDX-License-Identifier: BSD-3-Clause
// What the subcommands for infrared spectra have in common: options that name a case and its files.
#ifndef PARHELION_APPS_SPECTRA_OPTIONS_HPP
#define PARHELION_APPS_SPECTRA_OPTIONS_HPP

#include "plan.hpp"

#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/problem.hpp>
#include <parhelion/io/jurassic_control.hpp>

#include <cstddef>
#include <string>
#include <vector>

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
  int devices = 1;
  bool allow_missing_tables = false;
  OutOfRange out_of_range = OutOfRange::refuse;

  std::size_t memory_limit() const;  ///< [bytes], 0 for none
};

/// Adds the options that name the files of a case: control, atmosphere and observation.
void add_case_options(CLI::App& command, SpectraOptions& options);

/// Adds the options that say where tables are and how the model is used.
void add_model_options(CLI::App& command, SpectraOptions& options);

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

/// Reads all else that a calculation needs. None of `outputs` may be one of the files that are read, here or later.
ega::Problem read_problem(SpectraOptions const& options, io::JurassicControl const& control,
                          std::vector<std::string> const& outputs);

/// What is going to be done, of `subject`, from what the library says it needs.
/// \param advice what makes it need less memory
Plan spectra_plan(std::string const& subject, ega::HostEgaReport const& report, std::string const& advice);

char const* name_of(Precision precision);
char const* name_of(ega::Method method);

}  // namespace parhelion::Apps

#endif
