// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_RECIPROCAL_MONTE_CARLO_HPP
#define PARHELION_MONTE_CARLO_RECIPROCAL_MONTE_CARLO_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/device_problem.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace parhelion::monte_carlo {

/// Cells and faces of walls that a solver computes: all or, of a run on several ranks, a part.
struct Share {
  std::size_t begin = 0;  ///< number of the first cell, then of the first face behind all cells
  std::size_t end = 0;    ///< one past the last; 0: all
};

/// What a solver has memory for, see ReciprocalMonteCarlo::capacity_for.
struct MonteCarloCapacity {
  std::size_t ncell = 0;   ///< cells of the problem
  std::size_t ncells = 0;  ///< of all grids that lie over each other
  Share share = {};        ///< cells and faces to be computed
  int rays = 0;            ///< of a repetition that all cells share; 0: each cell has its own
  int repetitions = 0;     ///< that are worked on together, >= 1
};

/// What a solver is given.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
struct MonteCarloInput {
  /// Of the gas at the centres of cells [K], (x, y, z). What lies outside the problem's tables is taken as at their
  /// ends.
  Array<Real const***, ExecutionSpace> temperature = {};
  int first_repetition = 0;  ///< number of the first repetition: others have other rays
  int repetitions = 0;       ///< 0: Options::repetitions

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    action(describe_temperature(), sets.temperature...);
  }
};

/// \brief Sums over the repetitions so far, from which a run can be continued to the same bits. Host memory.
struct Sums {
  int repetitions = 0;  ///< that are complete
  /// (quantity, cell or face): sums of the source or the net flux into the box, of its square, and of incident
  /// radiation over repetitions.
  HostArray<double**> sum;

  // Where the repetitions are that have begun and are not complete.
  int begun = 0;          ///< how many, which are worked on together
  std::vector<int> rays;  ///< those that have been followed in each of them, by cell or face; empty: none
  HostArray<double***>
      of_begun;  ///< (repetition, quantity, cell or face): sums over these rays, 0 where there are none
};

/// \brief Repetitions in sums, of which those that have begun count by their rays.
/// \param sums of a run
/// \param rays of a repetition
double repetitions_in(Sums const& sums, int rays);

/// \brief Reciprocal Monte Carlo for the radiative source of cells and the net flux at walls.
///
/// Emission-based, with spectral points drawn for all cells from one distribution: Silvestri & Pecnik (2019), J.
/// Comput. Phys. X 3, 100032; Zhang, Gicquel & Taine (2012), doi:10.1016/j.ijheatmasstransfer.2012.06.009. What a cell
/// or face gets depends on the seed, its number and the options alone, not on who computes it, or when.
///
/// A Solver, whose items are cells and, behind them, faces of walls. Beside solve(), which computes a result at once,
/// there are the steps that it consists of, for programs that save, continue or divide a run.
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

  /// \brief Allocates the workspace, and takes the temperature of the problem; may fence.
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
  /// \param share   cells and faces to be computed
  /// \throws parhelion::Error where problem or options are refused, or there are no such cells and faces
  static MonteCarloCapacity capacity_for(Problem const& problem, Options const& options, Share const& share = {});

  /// \brief How many repetitions of so many cells and faces are best worked on together.
  /// \param items cells and faces
  static int together(std::size_t items);

  /// \brief Device memory that a solver would hold beside the model [bytes].
  /// \param space    execution space instance
  /// \param capacity as for the constructor
  /// \param tuning   none
  static std::size_t workspace_bytes(ExecutionSpace const& space, MonteCarloCapacity const& capacity,
                                     NoTuning const& tuning = {});

  /// Device memory that the solver holds beside the model [bytes].
  std::size_t workspace_bytes() const;

  /// \brief Source, incident radiation and fluxes at walls of a temperature field.
  ///
  /// Neither allocates nor fences. Forgets what was computed before. Calls of the same object on different instances
  /// must not overlap: they share the workspace.
  ///
  /// \param space  execution space instance; work is enqueued there and not fenced
  /// \param input  see there
  /// \param result cells and faces of the share are overwritten, in the arrays that have extents
  /// \throws parhelion::Error on mismatched extents or repetitions below 0, before anything is enqueued
  void solve(ExecutionSpace const& space, input_type const& input, result_type const& result);

  /// \brief The first cell, or face behind all cells, since the last question, whose temperature or result is not
  ///        finite. Fences `space`.
  SolveStatus status(ExecutionSpace const& space);

  /// \brief Changes the temperature of the gas, from host memory. Waits for what is enqueued, and does not allocate.
  /// \param space       execution space instance
  /// \param temperature of the gas at the centres of cells [K], (x, y, z), float or double, of any strides; not needed
  ///                    afterwards
  /// \throws parhelion::Error on other extents
  void set_temperature(ExecutionSpace const& space, ConstArrayRef const& temperature);

  /// \brief The same from a View in host memory.
  /// \param space       execution space instance
  /// \param temperature as above
  template <KokkosView View>
  void set_temperature(ExecutionSpace const& space, View const& temperature) {
    set_temperature(space, ConstArrayRef(array_ref(temperature)));
  }

  /// \brief Forgets all repetitions; does not fence.
  /// \param space execution space instance
  /// \param first number of the repetition that is the next one
  void restart(ExecutionSpace const& space, int first = 0);

  /// \brief Enqueues repetitions more, of which those that have begun are the first. Neither fences nor allocates.
  /// \param space       execution space instance
  /// \param repetitions how many
  void accumulate(ExecutionSpace const& space, int repetitions);

  /// \brief Works for a limited time on repetitions, all together, and fences: for programs that want to stop, save or
  ///        report between any two of their rays. Whatever the times are, bits are those of accumulate().
  /// \param space       execution space instance
  /// \param repetitions 1 to those of the capacity; where some have begun, these go on, as many of them as this at most
  /// \param seconds     as long, as far as that can be foreseen from what was measured before; 0: as little as possible
  /// \return whether all of their rays have been followed; complete() then adds them to the sums
  /// \throws parhelion::Error where repetitions are out of range
  bool advance(ExecutionSpace const& space, int repetitions, double seconds);

  /// \brief Adds the repetitions that advance() has ended; does not fence.
  /// \param space execution space instance
  /// \throws parhelion::Error where rays are missing
  void complete(ExecutionSpace const& space);

  /// \brief What is known so far, to host memory; fences.
  /// \param space   execution space instance
  /// \param results set of host arrays, float or double, of any strides, such as HostResults; those that are empty are
  ///                not wanted, and cells and faces that are not of the share keep what they have
  /// \throws parhelion::Error on other extents
  template <DescribedArrays Set>
  void fetch(ExecutionSpace const& space, Set const& results) const {
    fetch(space, array_refs(results));
  }

  /// \brief The same.
  /// \param space   execution space instance
  /// \param results in the order of the descriptions of Results
  void fetch(ExecutionSpace const& space, std::vector<ArrayRef> const& results) const;

  /// \brief The sums so far; fences.
  /// \param space execution space instance
  Sums sums(ExecutionSpace const& space) const;

  /// \brief Goes on from the sums of another run; fences.
  /// \param space execution space instance
  /// \param sums  of the same cells and faces; no more repetitions have begun than the capacity has
  /// \throws parhelion::Error where they are of others
  void resume(ExecutionSpace const& space, Sums const& sums);

  int repetitions() const;                              ///< complete so far
  double share_of_begun() const;                        ///< of the rays of repetitions that have begun: done, 0 to 1
  double crossings(ExecutionSpace const& space) const;  ///< of cells by rays, so far; fences

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace parhelion::monte_carlo

#endif
