// SPDX-License-Identifier: BSD-3-Clause
// Options and input files that the subcommands for infrared spectra have in common.
#ifndef PARHELION_APPS_SPECTRA_OPTIONS_HPP
#define PARHELION_APPS_SPECTRA_OPTIONS_HPP

#include "common_options.hpp"
#include "plan.hpp"

#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/problem.hpp>
#include <parhelion/io/jurassic_control.hpp>

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
  ega::TableSlopes table_slopes = ega::TableSlopes::float64;
  double memory = 0;  ///< [GB]; 0: automatic
  bool allow_missing_tables = false;
};

/// Adds the options that name the files of a case: control, atmosphere and observation.
void add_case_options(CLI::App& command, SpectraOptions& options);

/// Adds the options that say where tables are and how the model is run.
void add_model_options(CLI::App& command, SpectraOptions& options);

/// The contents of the files of a case.
struct SpectraInput {
  io::JurassicControl control;
  ega::HostAtmosphere atmosphere;
  ega::HostObservation observation;
};

/// \brief Reads control file, atmosphere and observation.
/// \param quiet    do not warn about unused keys of the control file
/// \param measured if not nullptr, set to the radiances of the observation, see io::read_jurassic_observation
SpectraInput read_case(SpectraOptions const& options, bool quiet, HostArray<double**>* measured = nullptr);

/// Reads everything else that a calculation needs. None of `outputs` may be one of the files that are read, now or
/// later.
ega::Problem read_problem(SpectraOptions const& options, io::JurassicControl const& control,
                          std::vector<std::string> const& outputs);

/// Options of the library's calls.
ega::HostEgaOptions ega_options(SpectraOptions const& options, CommonOptions const& common);

/// \brief The plan of a command, from the requirements that the library reports.
/// \param subject what is computed
/// \param advice  how to make it need less memory
Plan spectra_plan(std::string const& subject, ega::HostEgaReport const& report, std::string const& advice);

char const* name_of(ega::Method method);

/// A line of the summary about values out of range; empty if there are none.
std::string out_of_range_line(OutOfRange what, OutOfRangeCounts const& counts);

}  // namespace parhelion::Apps

#endif
