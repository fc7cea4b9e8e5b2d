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

/// The state of a run between any two of its rays: everything that is needed to continue it.
struct Checkpoint {
  Accumulators accumulators;
  int planned = 0;  ///< planned repetitions; needed with a target_error, which may have added some
};

/// Options of compute_sources(): where and for how long it runs, and callbacks.
struct HostMonteCarloOptions {
  std::string space = {};  ///< execution space by name, empty for the default one
  Precision precision = Precision::float64;
  /// Number of devices of this process that share the cells and faces: 1 for the one that Kokkos was initialized with,
  /// as is usual with MPI; 0 for all that the process sees, or fewer where not all would have enough to do. The results
  /// have the same bits for any number.
  int devices = 1;

  /// If > 0, repetitions (of rays / repetitions rays each) are added until the root mean square of q_error is below
  /// this percentage of the largest |q|. 0: Options::repetitions and no more.
  double target_error = 0;
  int max_repetitions = 4096;  ///< limit with a target_error

  /// An earlier run of the same problem and options, to be continued. Results have the same bits as without a stop.
  std::optional<Checkpoint> resume;

  /// Called once after the preparations, before the first ray.
  std::function<void()> on_prepared;

  /// Called about every part_seconds, also within long repetitions, with the number of repetitions done, which may be
  /// fractional, and the number planned so far. Returns whether to continue.
  std::function<bool(double done, int all)> progress;
  double part_seconds = 0.5;  ///< 0: after as few rays as possible, which makes the run slower

  /// Called about every checkpoint_seconds, also within repetitions; less often where a call takes long, so that the
  /// calls take no more than 5 % of the time.
  std::function<void(Checkpoint const&)> on_checkpoint;
  double checkpoint_seconds = 10;
};

/// Report of a run.
struct HostMonteCarloReport {
  int repetitions = 0;       ///< in the results, including those of an earlier run
  double reached_error = 0;  ///< root mean square of q_error [% of the largest |q|]
  double setup_seconds = 0;  ///< checks, tables and copies to the device
  double solve_seconds = 0;  ///< repetitions of this run
  double total_seconds = 0;  ///< the whole call
  double crossings = 0;      ///< cells that rays have crossed, including those of an earlier run
  double crossings_of_this_run = 0;
  int devices = 0;               ///< that have computed
  std::size_t device_bytes = 0;  ///< memory of each device; the most where they differ
  Checkpoint checkpoint;         ///< the final state, from which the run can be continued
  std::string space;             ///< execution space
};

/// \brief Radiative source, incident radiation and fluxes at walls of a problem in host memory.
/// \param problem gas, walls and spectrum
/// \param options how rays are drawn and followed
/// \param host    execution space, precision, devices, target and callbacks, which the calling thread calls
/// \param report  filled unless it is nullptr
/// \throws parhelion::Error where problem or options are refused, or there are not as many devices
HostResults compute_sources(Problem const& problem, Options const& options, HostMonteCarloOptions const& host = {},
                            HostMonteCarloReport* report = nullptr);

/// \brief The same on an execution space instance of the caller; the space of the options is ignored.
///
/// Several threads of a caller may each have an instance. Instances of OpenMP must be made outside any parallel region.
/// \param space   instance that computes; those of further devices are made
/// \param problem as above
/// \param options as above
/// \param host    as above
/// \param report  as above
template <KokkosExecutionSpace ExecutionSpace>
HostResults compute_sources(ExecutionSpace const& space, Problem const& problem, Options const& options,
                            HostMonteCarloOptions const& host = {}, HostMonteCarloReport* report = nullptr);

/// The memory that compute_sources() needs in addition to the problem, and the size of its grids and tables.
struct HostMonteCarloPlan {
  std::size_t host_bytes = 0;    ///< results and checkpoints
  int devices = 0;               ///< number of devices that will compute
  std::size_t device_bytes = 0;  ///< memory of each device, which may be that of the host
  int nodes = 0;                 ///< nodes of the table of the spectrum; Options::nodes may be set to it
  std::size_t cells = 0;         ///< cells of all grids
  int grids = 0;                 ///< grids, from the finest to the coarsest
};

/// \brief What compute_sources() will need. Allocates nothing large.
/// \param problem, options, host as for compute_sources()
/// \throws parhelion::Error where problem or options are refused
HostMonteCarloPlan plan_sources(Problem const& problem, Options const& options, HostMonteCarloOptions const& host = {});

/// The number of cells plus, if fluxes at walls are computed, the faces of walls.
std::size_t count_items(Problem const& problem, Options const& options);

}  // namespace parhelion::monte_carlo

#endif
