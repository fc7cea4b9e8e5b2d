// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_SCATTERING_HPP
#define PARHELION_ADDING_SCATTERING_HPP

#include <parhelion/adding/profiles.hpp>

#include <parhelion/core/checked_extents.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/workspace.hpp>

#include <cstddef>
#include <memory>

namespace parhelion::adding {

namespace Impl {
template <class Space, class Real>
struct Memory;
}

/// How the work of Scattering is divided. 0: automatic.
struct ScatteringTuning {
  /// How layers are combined; the runs of team_scan have the square root of the number of layers.
  Strategy strategy = Strategy::automatic;
  /// Number of profiles by which Strategy::automatic chooses; 0: that of the capacity. Callers that solve in chunks set
  /// it so that the choice, and with it rounding, does not depend on the chunk.
  int nprofile = 0;
};

/// \brief Radiances of profiles that emit, absorb and scatter, their tangent-linear and adjoint.
///
/// The adding method on discrete angles for azimuth order 0: each layer has matrices of reflection and transmission,
/// and layers are combined by the star product (Grant & Hunt 1969, doi:10.1098/rspa.1969.0187). Layers that do not
/// scatter (albedo up to 1e-10, or no phase matrix) cost no more than in a clear sky. As in CRTM, albedos are limited
/// to 0.999999, except in layers of optical depth below 1e-8 (in which the sun's beam is not a source) and in the
/// source of the sun's beam; a perturbation of an albedo above the limit affects only that source. The operators of
/// layers are computed in double; layers are combined in Real.
///
/// Derivatives: with R and T the operator of a layer, I the radiance that enters it and l the adjoint of the radiance
/// that leaves it, the derivative with respect to R and T is the outer product of l and I; l obeys the transposed
/// equations and is computed by the same passes over layers in the opposite direction. Radiances, tangent-linear
/// radiances and derivatives of one call share the operators of the layers.
///
/// A Solver whose items are profiles.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class Scattering {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;
  using model_type = NoModel;
  using capacity_type = Capacity;
  using tuning_type = ScatteringTuning;
  using input_type = AddingInput<ExecutionSpace, Real>;
  using result_type = AddingResult<ExecutionSpace, Real>;

  /// \brief Allocates the workspace; may fence.
  /// \param space    execution space instance
  /// \param model    none
  /// \param capacity largest problem
  /// \param tuning   how the work is divided
  /// \throws parhelion::Error when a number of `capacity` is not positive
  Scattering(ExecutionSpace const& space, NoModel const& model, Capacity const& capacity,
             ScatteringTuning const& tuning = {});
  Scattering(Scattering&&) noexcept = default;
  Scattering& operator=(Scattering&&) noexcept = default;
  ~Scattering() { leave_if_kokkos_is_gone(m_not_finite); }

  /// \brief Radiances, tangent-linear radiances and derivatives, as far as the result has arrays for them.
  ///
  /// Neither allocates nor fences. Calls of the same object on different instances must not overlap: they share the
  /// workspace. Values are not checked.
  ///
  /// \param space  execution space instance; work is enqueued there and not fenced
  /// \param input  layer 0 is next to the surface
  /// \param result arrays that are not empty are overwritten
  /// \throws parhelion::Error on mismatched extents, members that cannot be honoured or more than the capacity, before
  ///         anything is enqueued
  void solve(ExecutionSpace const& space, input_type const& input, result_type const& result);

  /// \brief The first profile with a radiance or a derivative that is not finite. Fences.
  ///
  /// It looks at the calls since the last call of this function.
  ///
  /// \param space execution space instance of the calls
  SolveStatus status(ExecutionSpace const& space) { return m_not_finite.status(space); }

  /// Device memory of the solver [bytes].
  std::size_t workspace_bytes() const { return m_workspace.capacity_bytes() + NotFinite<ExecutionSpace>::bytes(); }

  /// \brief The memory that a solver of this capacity would need [bytes].
  /// \param space    as for the constructor
  /// \param capacity as for the constructor
  /// \param tuning   as for the constructor
  /// \throws parhelion::Error as the constructor
  static std::size_t workspace_bytes(ExecutionSpace const& space, Capacity const& capacity,
                                     ScatteringTuning const& tuning = {});

 private:
  Capacity m_capacity;
  Strategy m_strategy;
  Workspace<ExecutionSpace> m_workspace;
  std::shared_ptr<Impl::Memory<ExecutionSpace, Real> const> m_memory;
  NotFinite<ExecutionSpace> m_not_finite;
  CheckedExtents m_checked;
};

/// \brief The strategy that Strategy::automatic chooses with scattering, by measured thresholds.
/// \param space    execution space instance
/// \param nprofile number of profiles
/// \param nlay     number of layers
/// \param nangle   number of angles
template <KokkosExecutionSpace ExecutionSpace>
Strategy choose_scattering_strategy(ExecutionSpace const& space, int nprofile, int nlay, int nangle);

}  // namespace parhelion::adding

#endif
