// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SHORTWAVE_HPP
#define PARHELION_FLUXES_SHORTWAVE_HPP

#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/rrtmg_sw/gas_optics.hpp>
#include <parhelion/fluxes/shortwave_clouds.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>

#include <parhelion/core/solver.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace parhelion::fluxes {

/// The two-stream approximation of a layer (Meador & Weaver 1980).
enum class TwoStream : int {
  pifm = 0,        ///< practical improved flux method: Zdunkowski, Welch & Korb (1980), RRTMG_SW's
  eddington = 1,   ///< delta-Eddington: Joseph, Wiscombe & Weinman (1976)
  quadrature = 2,  ///< discrete ordinates: Liou (1973)
};

/// What counts as the direct beam.
enum class DirectBeam : int {
  scaled = 0,   ///< also the forward peak of scattering, which delta scaling leaves in the beam
  unscaled = 1  ///< light that nothing has scattered
};

/// The largest columns that a solver object is made for.
struct ShortwaveCapacity {
  int nlay = 0;  ///< layers, >= 1; any number of columns
  // Of models that are read from a file, see their capacity().
  std::vector<int> gpoints = {};  ///< g-points that share their lists of absorption terms
  int nband = 0;                  ///< bands of fluxes and of the surface
};

/// How layers and heating rates are computed, and how the work is divided.
struct ShortwaveTuning {
  /// Exact: exponentials, and the solution of the two-stream equations without special cases. Table: RRTMG_SW to the
  /// digit, with its table of 10001 transmittances, thresholds, light of 1e-10 at night and no heating of the highest
  /// layer; for comparison with the original.
  Transmittance transmittance = Transmittance::exact;
  TwoStream two_stream = TwoStream::pifm;
  DirectBeam direct = DirectBeam::scaled;
  /// Layers whose absorption terms a team keeps at a time; 0: automatic. It changes the speed and nothing else.
  int layers_per_block = 0;
  /// Heat capacity of air at constant pressure [J kg-1 K-1] and gravity [m s-2], by which heating rates scale; 0: those
  /// of the model, 1004 and, with RRTMG_SW, 9.8066, with ecCKD and RRTMGP 9.80665.
  double heat_capacity = 0;
  double gravity = 0;
};

/// The input of a solver of shortwave fluxes. Layer 0 is next to the surface.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
struct ShortwaveInput {
  ShortwaveColumns<ExecutionSpace, Real> columns = {};
  ShortwaveClouds<ExecutionSpace, Real> clouds = {};  ///< none where all its arrays are empty

  ShortwaveInput() = default;
  ShortwaveInput(ShortwaveColumns<ExecutionSpace, Real> the_columns,
                 ShortwaveClouds<ExecutionSpace, Real> the_clouds = {})
      : columns(std::move(the_columns)), clouds(std::move(the_clouds)) {}

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    ShortwaveColumns<ExecutionSpace, Real>::for_each_array(action, sets.columns...);
    ShortwaveClouds<ExecutionSpace, Real>::for_each_array(action, sets.clouds...);
  }
};

/// \brief Shortwave fluxes and heating rates of columns, clear or cloudy: absorption and scattering of sunlight.
///
/// Layers are two-stream operators after delta scaling, joined by adding (Oreopoulos & Barker 1999,
/// doi:10.1002/qj.49712555414). A sweep from the surface up makes the reflection of all below each level, and the map
/// of each layer from the light that enters it; a sweep down applies these maps. Optical depths never reach main
/// memory. Columns at night (cosine of the zenith angle of at most 0) get zeros and cost nothing, except with
/// Transmittance::table.
///
/// A Solver, whose items are columns.
///
/// \tparam Model ShortwaveGasOptics, ecckd::Shortwave or rrtmgp::Shortwave of <ExecutionSpace, Real>
template <class Model>
class Shortwave {
 public:
  using execution_space = typename Model::execution_space;
  using value_type = typename Model::value_type;
  using model_type = Model;
  using capacity_type = ShortwaveCapacity;
  using tuning_type = ShortwaveTuning;
  using input_type = ShortwaveInput<execution_space, value_type>;
  using result_type = ShortwaveFluxes<execution_space, value_type>;

  /// \brief Allocates the workspace; may fence.
  /// \param space    execution space instance
  /// \param model    gas optics
  /// \param capacity most layers that `solve` will be given
  /// \param tuning   see ShortwaveTuning
  /// \throws parhelion::Error when capacity.nlay < 1, or heat capacity or gravity are negative or not finite
  Shortwave(execution_space const& space, Model const& model, ShortwaveCapacity const& capacity,
            ShortwaveTuning const& tuning = {});
  Shortwave(Shortwave&&) noexcept;
  Shortwave& operator=(Shortwave&&) noexcept;
  ~Shortwave();

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
  static std::size_t workspace_bytes(execution_space const& space, ShortwaveCapacity const& capacity,
                                     ShortwaveTuning const& tuning = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace parhelion::fluxes

#endif
