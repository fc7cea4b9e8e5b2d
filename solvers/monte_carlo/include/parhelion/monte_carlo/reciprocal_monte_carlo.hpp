// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_RECIPROCAL_MONTE_CARLO_HPP
#define PARHELION_MONTE_CARLO_RECIPROCAL_MONTE_CARLO_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/device_problem.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace parhelion::monte_carlo {

/// \brief A range of items: the cells of the box in their order, followed by the faces of walls.
///
/// A solver computes all of them or, on each of several ranks, a part.
struct ItemRange {
  std::size_t begin = 0;  ///< index of the first item
  std::size_t end = 0;    ///< one past the last; 0: all items
};

/// The size of the problem that a solver allocates memory for, see ReciprocalMonteCarlo::capacity_for.
struct MonteCarloCapacity {
  std::size_t ncell = 0;   ///< cells of the problem
  std::size_t ncells = 0;  ///< cells of all grids, from the finest to the coarsest
  std::size_t nplane = 0;  ///< planes of cells across all axes: the sum of the numbers of cells along them
  ItemRange items = {};    ///< cells and faces to be computed
  int rays = 0;            ///< rays of a repetition, where cells share them; 0: each cell has its own
  int tile = 0;            ///< cells that share them: tile_size; 0: all do, or none
  int repetitions = 0;     ///< that are computed concurrently, >= 1
};

/// The input of a solver.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
struct MonteCarloInput {
  /// Temperature of the gas at the centres of cells [K], (x, y, z). Where it is outside the range of the problem's
  /// tables, their nearest end is used.
  Array<Real const***, ExecutionSpace> temperature = {};
  int first_repetition = 0;  ///< index of the first repetition; each repetition has its own rays
  int repetitions = 0;       ///< 0: Options::repetitions

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    action(describe_temperature(), sets.temperature...);
  }
};

/// \brief Sums over the repetitions so far, in host memory.
///
/// A run that continues from them gives the same bits as one that was not interrupted.
struct Accumulators {
  int repetitions = 0;  ///< complete ones
  /// (quantity, cell or face): sums of the source or the net flux into the box, of its square, and of incident
  /// radiation over repetitions.
  HostArray<double**> sum;
  /// (quantity, plane): sums of the average of the source over a plane, and of its square, over repetitions, for planes
  /// across x, y and z and last the box. Empty: not known, as in a part of the cells.
  HostArray<double**> planes;

  // The state of repetitions that have begun and are not complete.
  int unfinished = 0;     ///< number of them; they are computed concurrently
  std::vector<int> rays;  ///< rays that have been followed in each of them, by cell or face; empty: none
  /// Sums over these rays, (repetition, quantity, cell or face), 0 where there are none.
  HostArray<double***> unfinished_sum;
};

/// \brief The number of repetitions that accumulators hold; unfinished ones count by the fraction of their rays.
/// \param sums of a run
/// \param rays of each cell in a repetition
double repetitions_in(Accumulators const& sums, int rays);

/// \brief Reciprocal Monte Carlo for the radiative source of cells and the net flux at walls.
///
/// Emission-based, with spectral points drawn for all cells from one distribution: Silvestri & Pecnik (2019), J.
/// Comput. Phys. X 3, 100032; Zhang, Gicquel & Taine (2012), doi:10.1016/j.ijheatmasstransfer.2012.06.009. The result
/// of a cell or face depends only on the seed, its index and the options, not on the thread or rank that computes it.
///
/// A Solver whose items are the cells, followed by the faces of walls. solve() computes a result in one call; its steps
/// are also available by themselves, for programs that save, continue or distribute a run.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class ReciprocalMonteCarlo {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;
  using model_type = DeviceProblem<ExecutionSpace, Real>;
  using capacity_type = MonteCarloCapacity;
  using tuning_type = NoTuning;
  using input_type = MonteCarloInput<ExecutionSpace, Real>;
  using result_type = Results<ExecutionSpace, Real>;

  /// \brief Allocates the workspace and sets the temperature of the problem; may fence.
  /// \param space    execution space instance, on the device of the model
  /// \param model    the problem on the device
  /// \param capacity as capacity_for() gives it for the same problem and options
  /// \param tuning   none
  /// \throws parhelion::Error where the capacity is not that of the problem
  ReciprocalMonteCarlo(ExecutionSpace const& space, model_type const& model, MonteCarloCapacity const& capacity,
                       NoTuning const& tuning = {});
  ~ReciprocalMonteCarlo();
  ReciprocalMonteCarlo(ReciprocalMonteCarlo&&) noexcept;
  ReciprocalMonteCarlo& operator=(ReciprocalMonteCarlo&&) noexcept;

  /// \brief The memory that a problem needs.
  /// \param problem one that validate() accepts
  /// \param options likewise
  /// \param items   cells and faces to be computed
  /// \throws parhelion::Error where problem or options are refused, or the range is empty or too large
  static MonteCarloCapacity capacity_for(Problem const& problem, Options const& options, ItemRange const& items = {});

  /// \brief The number of repetitions that is best computed concurrently.
  /// \param items number of cells and faces
  static int concurrent_repetitions(std::size_t items);

  /// \brief Device memory that a solver would need in addition to the model [bytes].
  /// \param space    execution space instance
  /// \param capacity as for the constructor
  /// \param tuning   none
  static std::size_t workspace_bytes(ExecutionSpace const& space, MonteCarloCapacity const& capacity,
                                     NoTuning const& tuning = {});

  /// Device memory of the solver in addition to the model [bytes].
  std::size_t workspace_bytes() const;

  /// \brief Source, incident radiation and fluxes at walls of a temperature field.
  ///
  /// Neither allocates nor fences. Discards earlier repetitions. Calls of the same object on different instances must
  /// not overlap: they share the workspace.
  ///
  /// \param space  execution space instance; work is enqueued there and not fenced
  /// \param input  see there
  /// \param result overwritten at the cells and faces of the capacity, in the arrays that are not empty
  /// \throws parhelion::Error on mismatched extents or repetitions below 0, before anything is enqueued
  void solve(ExecutionSpace const& space, input_type const& input, result_type const& result);

  /// \brief The same with results in double precision, as fetch() gives them.
  void solve_in_double(ExecutionSpace const& space, input_type const& input,
                       Results<ExecutionSpace, double> const& result);

  /// \brief The first item (cell, or face behind all cells) whose temperature or result has not been finite since the
  ///        last call of this function. Fences `space`.
  SolveStatus status(ExecutionSpace const& space);

  /// \brief Changes the temperature of the gas, from host memory. Waits for enqueued work; does not allocate.
  /// \param space       execution space instance
  /// \param temperature of the gas at the centres of cells [K], (x, y, z), float or double, of any strides; it is not
  ///                    needed afterwards
  /// \throws parhelion::Error on other extents
  void set_temperature(ExecutionSpace const& space, ConstArrayRef const& temperature);

  /// \brief The same from a View in host memory.
  /// \param space       execution space instance
  /// \param temperature as above
  template <KokkosView View>
  void set_temperature(ExecutionSpace const& space, View const& temperature) {
    set_temperature(space, ConstArrayRef(array_ref(temperature)));
  }

  /// \brief Discards all repetitions; does not fence.
  /// \param space execution space instance
  /// \param first index of the next repetition
  void restart(ExecutionSpace const& space, int first = 0);

  /// \brief Enqueues further repetitions, beginning with the unfinished ones. Neither fences nor allocates.
  /// \param space       execution space instance
  /// \param repetitions number of them, the unfinished ones included
  void accumulate(ExecutionSpace const& space, int repetitions);

  /// \brief Computes repetitions concurrently for a limited time, and fences. For programs that stop, save or report
  ///        within repetitions. The results have the bits of accumulate(), however the time is divided.
  /// \param space       execution space instance
  /// \param repetitions 1 to those of the capacity; where there are unfinished ones, at most this many of them continue
  /// \param seconds     time to spend, estimated from the speed so far; 0: as few rays as possible
  /// \return whether all of their rays have been followed; complete() then adds them to the sums
  /// \throws parhelion::Error where repetitions are out of range
  bool advance(ExecutionSpace const& space, int repetitions, double seconds);

  /// \brief The same of several solvers, which compute at the same time where their instances are on different devices.
  /// \param spaces      execution space instances, one of each solver
  /// \param solvers     whose cells and faces usually are parts of one problem
  /// \param repetitions as above
  /// \param seconds     as above
  /// \return whether all rays of all solvers have been followed
  /// \throws parhelion::Error where repetitions are out of range
  static bool advance(std::span<ExecutionSpace const> spaces, std::span<ReciprocalMonteCarlo> solvers, int repetitions,
                      double seconds);

  /// \brief Adds the repetitions that advance() has completed to the sums; does not fence.
  /// \param space execution space instance
  /// \throws parhelion::Error where rays are missing
  void complete(ExecutionSpace const& space);

  /// \brief The averages over planes of the repetitions that advance() has completed, as far as the cells of the
  ///        capacity are part of them, as integers whose sums over ranks are exact. Fences.
  /// \param space execution space instance
  /// \return of each repetition and plane across x, y and z; those of all ranks are to be added up
  /// \throws parhelion::Error where rays are missing
  std::vector<std::int64_t> plane_averages(ExecutionSpace const& space);

  /// \brief complete() of a rank that has a part of the cells; fences.
  /// \param space  execution space instance
  /// \param planes sums of plane_averages() over all ranks
  /// \throws parhelion::Error where rays are missing, or the number of averages is another one
  void complete(ExecutionSpace const& space, std::vector<std::int64_t> const& planes);

  /// \brief Copies the results so far to host memory; fences.
  /// \param space   execution space instance
  /// \param results set of host arrays, float or double, of any strides, such as HostResults; empty arrays are left
  ///                out, and cells and faces outside the capacity's range keep their values
  /// \throws parhelion::Error on other extents
  template <DescribedArrays Set>
  void fetch(ExecutionSpace const& space, Set const& results) const {
    fetch(space, array_refs(results));
  }

  /// \brief The same for references to arrays.
  /// \param space   execution space instance
  /// \param results in the order of the descriptions of Results
  void fetch(ExecutionSpace const& space, std::vector<ArrayRef> const& results) const;

  /// \brief The sums so far; fences.
  /// \param space execution space instance
  Accumulators accumulators(ExecutionSpace const& space) const;

  /// \brief Continues from the sums of another run; fences.
  /// \param space execution space instance
  /// \param sums  of the same cells and faces, with no more unfinished repetitions than the capacity has
  /// \throws parhelion::Error where they do not fit
  void resume(ExecutionSpace const& space, Accumulators const& sums);

  int repetitions() const;             ///< complete so far
  double unfinished_fraction() const;  ///< share of the rays of unfinished repetitions that has been followed, 0 to 1
  double crossings(ExecutionSpace const& space) const;  ///< of cells by rays, so far; fences

 private:
  struct Parts;
  void follow(ExecutionSpace const& space, input_type const& input);

  std::unique_ptr<Parts> m_parts;
};

}  // namespace parhelion::monte_carlo

#endif
