// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_HOST_MONTE_CARLO_HPP
#define PARHELION_MONTE_CARLO_HOST_MONTE_CARLO_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace parhelion::monte_carlo {

/// The state of a run between any two of its rays: everything that it needs to continue.
struct Pause {
  Sums sums;
  int planned = 0;  ///< repetitions that were planned; used if a target_error may have added some
};

/// Where and for how long a problem in host memory is worked on.
struct HostMonteCarloOptions {
  std::string space = {};  ///< execution space by name, empty for the default one
  Precision precision = Precision::float64;

  /// Repetitions are added, of rays / repetitions each, until the root mean square of q_error is below this share [%]
  /// of the largest |q|; 0: no more than Options::repetitions.
  double target_error = 0;
  int most_repetitions = 4096;  ///< with a target_error

  /// An earlier run of the same problem and options, which continues to the same bits as if it had not been stopped.
  std::optional<Pause> resume;

  /// Called once when all is prepared, before the first ray.
  std::function<void()> prepared;

  /// Called after about part_seconds, in the middle of long repetitions and after several where they are short, with
  /// the repetitions done, of which the last one may be a fraction, and those to be done as far as is known; false:
  /// stop here.
  std::function<bool(double done, int all)> progress;
  double part_seconds = 0.5;  ///< 0: after as few rays as possible, which takes longer in all

  /// Called, in the middle of repetitions, too, once checkpoint_seconds have passed since the last call or the
  /// beginning, or more where a call takes long: a twentieth of the time at most goes into it.
  std::function<void(Pause const&)> checkpoint;
  double checkpoint_seconds = 10;
};

/// What a run did.
struct HostMonteCarloReport {
  int repetitions = 0;       ///< in the results, with those of an earlier run
  double reached_error = 0;  ///< root mean square of q_error [% of the largest |q|]
  double setup_seconds = 0;  ///< checks, tables and copies to the device
  double solve_seconds = 0;  ///< of all repetitions of this run
  double total_seconds = 0;  ///< of the call
  double crossings = 0;      ///< of cells by rays, with those of an earlier run
  double crossings_of_this_run = 0;
  std::size_t device_bytes = 0;
  Pause pause;        ///< from which to continue
  std::string space;  ///< where it ran
};

/// \brief Radiative source, incident radiation and fluxes at walls of a problem in host memory.
/// \param problem gas, walls and spectrum
/// \param options how rays are drawn and followed
/// \param host    where and for how long; callbacks
/// \param report  filled unless it is null
/// \throws parhelion::Error where problem or options are refused
HostResults compute_sources(Problem const& problem, Options const& options, HostMonteCarloOptions const& host = {},
                            HostMonteCarloReport* report = nullptr);

/// Memory that compute_sources() takes beside the problem, and the grids that it makes.
struct HostMonteCarloPlan {
  std::size_t host_bytes = 0;    ///< results and checkpoints
  std::size_t device_bytes = 0;  ///< of the execution space, which may be the host's
  int nodes = 0;                 ///< of the table of the spectrum: as Options::nodes they need not be looked for again
  std::size_t cells = 0;         ///< of all grids
  int grids = 0;                 ///< that lie over each other
};

/// \brief What compute_sources() will need, known before it allocates anything large.
/// \param problem, options, host as for compute_sources()
/// \throws parhelion::Error where problem or options are refused
HostMonteCarloPlan plan_sources(Problem const& problem, Options const& options, HostMonteCarloOptions const& host = {});

/// Cells, and faces of walls where their fluxes are computed.
std::size_t count_items(Problem const& problem, Options const& options);

}  // namespace parhelion::monte_carlo

#endif
