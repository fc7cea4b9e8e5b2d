// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LONGWAVE_HPP
#define PARHELION_FLUXES_LONGWAVE_HPP

#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/rrtmg_lw/gas_optics.hpp>
#include <parhelion/fluxes/simple/simple_spectral.hpp>

#include <parhelion/core/solver.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace parhelion::fluxes {

/// How the transmittance of a layer is computed from its optical depth.
enum class Transmittance {
  exact,  ///< exponential
  table   ///< nearest entry of RRTMG_LW's table of 10001, series below 0.06
};

/// The largest columns that a solver object is made for.
struct LongwaveCapacity {
  int nlay = 0;  ///< layers, >= 1; any number of columns
  // Of models that are read from a file, see their capacity().
  std::vector<int> gpoints = {};  ///< g-points that share their lists of absorption terms
  int nband = 0;                  ///< bands of fluxes and of the surface
  int angles = 1;                 ///< of the radiation
  bool scatters = false;          ///< whether particles scatter
};

/// How transmittances and heating rates are computed, and how the work is divided.
struct LongwaveTuning {
  /// The table is for comparison with the original; only GasOptics has it.
  Transmittance transmittance = Transmittance::exact;
  /// Layers whose interpolation a team keeps at a time; 0: automatic. It changes the speed and nothing else: results
  /// have the same bits for any value.
  int layers_per_block = 0;
  /// Heat capacity of air at constant pressure [J kg-1 K-1] and gravity [m s-2], by which heating rates scale; 0: those
  /// of the model, 1004 and, with RRTMG_LW, 9.8066, with all others 9.80665.
  double heat_capacity = 0;
  double gravity = 0;
};

/// The input of a solver of longwave fluxes. Layer 0 is next to the surface.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
struct LongwaveInput {
  Columns<ExecutionSpace, Real> columns = {};
  Clouds<ExecutionSpace, Real> clouds = {};  ///< none where all its arrays are empty; SimpleSpectral has none

  LongwaveInput() = default;
  LongwaveInput(Columns<ExecutionSpace, Real> the_columns, Clouds<ExecutionSpace, Real> the_clouds = {})
      : columns(std::move(the_columns)), clouds(std::move(the_clouds)) {}

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    Columns<ExecutionSpace, Real>::for_each_array(action, sets.columns...);
    Clouds<ExecutionSpace, Real>::for_each_array(action, sets.clouds...);
  }
};

/// \brief Longwave fluxes and heating rates of columns, clear or cloudy: absorption and emission.
///
/// One diffuse direction each way represents the hemispheres, with the secant 1.66 or RRTMG's fits (Iacono et al. 2008,
/// doi:10.1029/2008JD009944); RRTMGP may have several, or a fit of its own (rrtmgp::Angles). Clouds and aerosol absorb
/// and do not scatter, unless the model is RRTMGP with another rrtmgp::Scattering than `none`. The source varies
/// linearly with optical depth within a layer (Clough et al. 1992, doi:10.1029/92JD01419). Optical depths never reach
/// main memory: a team of threads makes the interpolation weights of a few layers, which its lanes, each a g-point, use
/// at once.
///
/// A Solver, whose items are columns.
///
/// \tparam Model GasOptics, SimpleSpectral, ecckd::Longwave or rrtmgp::Longwave of <ExecutionSpace, Real>
template <class Model>
class Longwave {
 public:
  using execution_space = typename Model::execution_space;
  using value_type = typename Model::value_type;
  using model_type = Model;
  using capacity_type = LongwaveCapacity;
  using tuning_type = LongwaveTuning;
  using input_type = LongwaveInput<execution_space, value_type>;
  using result_type = Fluxes<execution_space, value_type>;

  /// \brief Allocates the workspace; may fence.
  /// \param space    execution space instance
  /// \param model    gas optics
  /// \param capacity most layers that `solve` will be given
  /// \param tuning   see LongwaveTuning
  /// \throws parhelion::Error when capacity.nlay < 1, heat capacity or gravity are negative or not finite, or a table
  ///         is asked for with SimpleSpectral
  Longwave(execution_space const& space, Model const& model, LongwaveCapacity const& capacity,
           LongwaveTuning const& tuning = {});
  Longwave(Longwave&&) noexcept;
  Longwave& operator=(Longwave&&) noexcept;
  ~Longwave();

  /// \brief Fluxes and heating rates.
  ///
  /// Neither allocates nor fences. Calls of the same object on different instances must not overlap: they share the
  /// workspace. Values are not checked.
  ///
  /// \param space  execution space instance; work is enqueued there and not fenced
  /// \param input  the atmosphere; layer 0 is next to the surface
  /// \param fluxes overwritten; level 0 is the surface
  /// \throws parhelion::Error on mismatched extents, before anything is enqueued
  void solve(execution_space const& space, input_type const& input, result_type const& fluxes);

  /// \brief The first column with a flux that has not been finite since the last call of this function. Fences
  ///        `space`.
  SolveStatus status(execution_space const& space);

  /// Device memory that the solver holds beside the model [bytes].
  std::size_t workspace_bytes() const;

  /// \brief The same for a solver that has not been constructed yet.
  /// \param space    execution space instance
  /// \param capacity as for the constructor
  /// \param tuning   as for the constructor
  /// \throws parhelion::Error as the constructor
  static std::size_t workspace_bytes(execution_space const& space, LongwaveCapacity const& capacity,
                                     LongwaveTuning const& tuning = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace parhelion::fluxes

#endif
