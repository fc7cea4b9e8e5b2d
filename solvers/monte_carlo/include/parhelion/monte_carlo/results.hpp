// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_RESULTS_HPP
#define PARHELION_MONTE_CARLO_RESULTS_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace parhelion::monte_carlo {

/// \brief The description of the errors of averages over planes.
/// \param axis 0 .. 2, that the planes are across
ArrayDescription describe_plane_error(std::size_t axis);

/// \brief The description of the net fluxes through the faces of a side.
/// \param side 0 .. 5
ArrayDescription describe_wall_flux(std::size_t side);

/// \brief The same of their errors.
/// \param side 0 .. 5
ArrayDescription describe_wall_flux_error(std::size_t side);

/// \brief Results. Errors are standard deviations of the estimate.
///
/// All arrays but `q` may be empty: they are then not computed.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
struct Results {
  /// Power emitted minus absorbed [W m-3], (x, y, z): positive where the gas cools.
  Array<Real***, ExecutionSpace> q = {};
  Array<Real***, ExecutionSpace> q_error = {};   ///< [W m-3], (x, y, z), >= 0
  Array<Real***, ExecutionSpace> incident = {};  ///< radiance integrated over all directions [W m-2], (x, y, z), >= 0

  /// Errors of the averages of q over the cells of each plane across the axes [W m-3], (x), (y) and (z), >= 0. Averages
  /// are weighted by volumes. Those of a part of the cells are not known; they keep their values then.
  std::array<Array<Real*, ExecutionSpace>, 3> q_plane_error = {};
  Array<Real*, ExecutionSpace> q_box_error = {};  ///< the same of the average over the box [W m-3], (1)

  /// Net flux through the wall, positive in the direction of the ascending coordinate [W m-2], over the faces of each
  /// side as Boundary::face_temperature, in the order of side_names; empty for periodic sides.
  std::array<Array<Real**, ExecutionSpace>, 6> wall_flux = {};
  std::array<Array<Real**, ExecutionSpace>, 6> wall_flux_error = {};  ///< [W m-2], >= 0

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    action(ArrayDescription{.name = "q_radiative",
                            .unit = "W m-3",
                            .meaning = "radiative power emitted minus absorbed, positive where the gas cools",
                            .dimensions = cell_dimensions},
           sets.q...);
    action(ArrayDescription{.name = "q_radiative_error",
                            .unit = "W m-3",
                            .meaning = "standard deviation of q_radiative",
                            .dimensions = cell_dimensions,
                            .range = ranges::not_negative,
                            .optional = true},
           sets.q_error...);
    action(ArrayDescription{.name = "incident_radiation",
                            .unit = "W m-2",
                            .meaning = "radiance integrated over all directions",
                            .dimensions = cell_dimensions,
                            .range = ranges::not_negative,
                            .optional = true},
           sets.incident...);
    for (std::size_t axis = 0; axis < 3; ++axis) action(describe_plane_error(axis), sets.q_plane_error[axis]...);
    action(ArrayDescription{.name = "q_radiative_box_error",
                            .unit = "W m-3",
                            .meaning = "standard deviation of the average of q_radiative over the box",
                            .dimensions = {"box"},
                            .range = ranges::not_negative,
                            .optional = true,
                            .may_be_one = 1},
           sets.q_box_error...);
    for (std::size_t side = 0; side < side_names.size(); ++side)
      action(describe_wall_flux(side), sets.wall_flux[side]...);
    for (std::size_t side = 0; side < side_names.size(); ++side)
      action(describe_wall_flux_error(side), sets.wall_flux_error[side]...);
  }
};

/// Results in host memory.
using HostResults = Results<Kokkos::DefaultHostExecutionSpace>;

/// \brief Results of a problem with all arrays allocated and zero.
/// \param problem one that validate() accepts
HostResults make_results(Problem const& problem);

/// \brief Checks results: extents, which sides have fluxes, finite numbers, errors and incident radiation not negative.
/// \param results any
/// \param problem the problem that they belong to
/// \param where   opens the message, such as the name of a file; empty: the function
/// \throws parhelion::Error naming the array, the index, the value and what was expected
void validate(HostResults const& results, Problem const& problem, std::string const& where = {});

/// Results in a few numbers.
struct ResultSummary {
  double largest_q = 0;  ///< largest |q| [W m-3]
  double rms_error = 0;  ///< root mean square of q_error [W m-3]
  /// Root mean squares of q_plane_error [W m-3], and q_box_error [W m-3]; none without them.
  std::optional<std::array<double, 3>> plane_error;
  std::optional<double> box_error;
  double net_emission = 0;        ///< q integrated over the box [W]
  std::optional<double> outflow;  ///< net flux out of the box, integrated over walls [W]; none without fluxes

  /// rms_error in percent of largest_q; 0 if that is 0.
  double relative_error() const { return largest_q > 0 ? 100 * rms_error / largest_q : 0; }
};

/// \brief Summarizes results.
/// \param results with q and q_error
/// \param problem the problem that they belong to
ResultSummary summarize(HostResults const& results, Problem const& problem);

}  // namespace parhelion::monte_carlo

#endif
