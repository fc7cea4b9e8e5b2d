// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_SOLVER_HPP
#define PARHELION_MONTE_CARLO_SOLVER_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>
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
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class Solver {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Copies a problem to the device; fences.
  /// \param space   execution space instance, whose device is used
  /// \param problem gas, walls and spectrum; not needed afterwards
  /// \param options how rays are drawn and followed
  /// \param share   cells and faces to be computed, see Share
  /// \throws parhelion::Error where check(problem) or check(options) refuse
  Solver(ExecutionSpace const& space, Problem const& problem, Options const& options, Share const& share = {});
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  /// \brief Changes the temperature of the gas [K], (x, y, z). The host array must last until the next fence.
  ///
  /// Tables cover the problem's temperatures and Options::coldest to warmest; what lies outside is taken as at the
  /// ends.
  void set_temperature(ExecutionSpace const& space, HostArray<double const***> const& temperature);

  /// Forgets all repetitions; the next ones begin at `first`.
  void restart(ExecutionSpace const& space, int first = 0);

  /// \brief Enqueues repetitions more, of which those that have begun are the first. Neither fences nor allocates, but
  ///        the first time or for more at a time.
  void solve(ExecutionSpace const& space, int repetitions);

  /// \brief Works for a limited time on repetitions, all together, and fences: for programs that want to stop, save or
  ///        report between any two of their rays. Whatever the times are, bits are those of solve().
  /// \param space       execution space instance
  /// \param repetitions >= 1; where some have begun, these go on, as many of them as this at most
  /// \param seconds     as long, as far as that can be foreseen from what was measured before; 0: as little as possible
  /// \return whether all of their rays have been followed; complete() then adds them to the sums
  bool advance(ExecutionSpace const& space, int repetitions, double seconds);

  /// \brief Adds the repetitions that advance() has ended; does not fence.
  /// \throws parhelion::Error where rays are missing
  void complete(ExecutionSpace const& space);

  /// How many repetitions of so many cells and faces are best worked on together.
  static int together(std::size_t items);

  /// \brief What is known so far; fences.
  /// \param space   execution space instance
  /// \param results arrays as make_results; cells and faces that are not of the share keep what they have
  void fetch(ExecutionSpace const& space, Results const& results) const;

  /// \brief The sums so far, fences; and how to go on from them.
  Sums sums(ExecutionSpace const& space) const;
  void resume(ExecutionSpace const& space, Sums const& sums);

  int repetitions() const;                              ///< complete so far
  double share_of_begun() const;                        ///< of the rays of repetitions that have begun: done, 0 to 1
  double crossings(ExecutionSpace const& space) const;  ///< of cells by rays, so far; fences
  std::size_t ncell() const;                            ///< of the whole problem
  std::size_t nface() const;                            ///< of walls, of the whole problem
  std::size_t bytes() const;                            ///< of device memory

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

/// \brief Checks options.
/// \throws parhelion::Error naming the option, its value and what was expected
void check(Options const& options);

}  // namespace parhelion::monte_carlo

#endif
