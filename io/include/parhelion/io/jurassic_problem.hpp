// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_JURASSIC_PROBLEM_HPP
#define PARHELION_IO_JURASSIC_PROBLEM_HPP

#include <parhelion/ega/problem.hpp>
#include <parhelion/io/jurassic_control.hpp>

#include <string>
#include <vector>

namespace parhelion::io {

/// The places of those files of a problem that its control file does not name.
struct ProblemFiles {
  std::string tables = {};              ///< folder of emissivity tables and filters; empty: that of TBLBASE
  std::string continua = {};            ///< folder of continuum coefficients; empty: where find_data_file finds them
  bool missing_tables_allowed = false;  ///< gases without a table are transparent
};

/// The continua that are switched on and reach a channel: only their coefficients are needed.
ega::ContinuumSwitches needed_continua(JurassicControl const& control);

/// \brief The problem of a control file: its options, filters, continuum coefficients and field of view are read, its
///        tables are found. They are read when they are needed.
/// \param control the control file
/// \param files   folders that it does not name
/// \param inputs  where it is not null, the names of all files that are read, here or later, are added: none of them
///                may be written over
/// \throws parhelion::Error where a file is missing or bad, see read_filter, read_continua, read_field_of_view and
///         TableFiles, or where the filter of a channel does not reach its wavenumber
ega::Problem read_jurassic_problem(JurassicControl const& control, ProblemFiles const& files = {},
                                   std::vector<std::string>* inputs = nullptr);

}  // namespace parhelion::io

#endif
