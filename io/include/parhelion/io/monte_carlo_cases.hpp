// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_MONTE_CARLO_CASES_HPP
#define PARHELION_IO_MONTE_CARLO_CASES_HPP

#include <parhelion/monte_carlo/problem.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

// Problems of the Monte Carlo solver that are built in: those of table 1 of Silvestri & Pecnik (2019), J. Comput. Phys.
// X 3, 100032, slabs with grey walls, and a synthetic turbulent channel. Slabs lie between walls across x; along y and
// z they are periodic with the same length.
namespace parhelion::io {

/// The grid of a built-in case.
struct CaseOptions {
  std::array<int, 3> cells{64, 64, 64};  ///< along x, y and z, each >= 1
  double stretch = 0;                    ///< strength of stretched_faces along the axes between walls; 0: uniform
  OutOfRange out_of_range = OutOfRange::refuse;  ///< see validate(Problem)
};

/// What a built-in case is.
struct CaseDescription {
  std::string name;        ///< for example case10_h2o_parab1_black
  std::string short_name;  ///< for example case10; empty: none
  std::string gas;         ///< grey, or the gas whose spectrum built_in_case needs
  std::string text;        ///< one line: gas, temperatures, size, walls
};

/// Names of all built-in cases: case01_grey_lin1_black to case14_h2o_3dimens_black, wall_*, channel.
std::vector<std::string> const& case_names();

/// \brief What a case is.
/// \param name a name or a short name
/// \throws parhelion::Error naming all cases where there is none of that name
CaseDescription const& case_description(std::string const& name);

/// \brief A table of all cases for help texts: a line each, with name and text.
std::string case_list();

/// \brief A built-in case; validate() accepts it.
///
/// Temperatures are those of the case's formula at the centres of cells.
/// \param name     a name or a short name
/// \param options  its grid
/// \param spectrum of the gas that the case's description names; it is not known whether it is that one. None for grey
///                 cases, which have their own
/// \throws parhelion::Error where there is no such case, options are out of range, a spectrum is missing or given to a
///         grey case, or does not hold the temperatures of the case
monte_carlo::Problem built_in_case(std::string const& name, CaseOptions const& options = {},
                                   std::optional<monte_carlo::Spectrum> const& spectrum = std::nullopt);

}  // namespace parhelion::io

#endif
