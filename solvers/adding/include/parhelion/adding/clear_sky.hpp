// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_CLEAR_SKY_HPP
#define PARHELION_ADDING_CLEAR_SKY_HPP

#include <parhelion/adding/profiles.hpp>

#include <parhelion/core/checked_extents.hpp>
#include <parhelion/core/dual.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/workspace.hpp>

#include <cstddef>

namespace parhelion::Impl {
struct LaunchRequest;
}

namespace parhelion::adding {

/// \brief How the work of ClearSky is divided. 0: automatic.
///
/// Callers that solve in chunks set nprofile so that the division of the work, and with it rounding, does not depend on
/// the chunk. The other parameters are for measurements; only strategy and layers_per_run affect results, by rounding.
struct ClearSkyTuning {
  Strategy strategy = Strategy::automatic;  ///< how layers are combined
  int nprofile = 0;                         ///< number of profiles by which work is divided; 0: that of the capacity
  int angles_per_lane = 0;                  ///< largest number of angles of a lane
  int layers_per_run = 0;                   ///< layers of a run in a scan
  int lanes = 0;                            ///< neighbouring profiles of a team on a device
  int threads = 0;                          ///< threads of a team on a device
};

/// \brief Radiances of profiles that emit and absorb and do not scatter, their tangent-linear and adjoint.
///
/// The adding method without scattering: along each angle the radiance I obeys I_out = t I_in + (1 - t) B in every
/// layer, with t = exp(-optical depth / mu). The maps of layers compose associatively (Grant &
/// Hunt 1969, doi:10.1098/rspa.1969.0187), so that a column can be computed by a sweep or a scan.
///
/// A Solver whose items are profiles.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class ClearSky {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;
  using model_type = NoModel;
  using capacity_type = Capacity;
  using tuning_type = ClearSkyTuning;
  using input_type = AddingInput<ExecutionSpace, Real>;
  using result_type = AddingResult<ExecutionSpace, Real>;

  /// \brief Allocates the workspace; may fence.
  /// \param space    execution space instance
  /// \param model    none
  /// \param capacity largest problem. It determines how work is divided, so that the results of a profile have the same
  ///                 bits whatever other profiles are in a call.
  /// \param tuning   how the work is divided
  /// \throws parhelion::Error when a number of `capacity` is not positive
  ClearSky(ExecutionSpace const& space, NoModel const& model, Capacity const& capacity,
           ClearSkyTuning const& tuning = {});
  ClearSky(ClearSky&&) noexcept = default;
  ClearSky& operator=(ClearSky&&) noexcept = default;
  ~ClearSky() { leave_if_kokkos_is_gone(m_not_finite); }

  /// \brief Radiances, tangent-linear radiances and derivatives, as far as the result has arrays for them.
  ///
  /// Neither allocates nor fences. Calls of the same object on different instances must not overlap: they share the
  /// workspace. Values are not checked. The results of a profile have the same bits in all runs and whatever other
  /// profiles are in the call.
  ///
  /// \param space  execution space instance; work is enqueued there and not fenced
  /// \param input  profiles without scattering; layer 0 is next to the surface
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
                                     ClearSkyTuning const& tuning = {});

 private:
  /// The workspace of a call.
  struct Blocks {
    WorkspaceArray<Real**, ExecutionSpace> columns;      ///< (what, profile)
    WorkspaceArray<Real**, ExecutionSpace> dn_sfc;       ///< (angle, profile)
    WorkspaceArray<Dual<Real>***, ExecutionSpace> runs;  ///< (what, angle, profile)
    WorkspaceArray<Real****, ExecutionSpace> levels;     ///< (what, angle, level, profile of a block)
  };
  template <class AnyWorkspace>
  static Blocks take_blocks(AnyWorkspace& workspace, Capacity const& capacity);
  static int profiles_per_block(Capacity const& capacity);
  static std::size_t needed_bytes(Capacity const& capacity);
  parhelion::Impl::LaunchRequest request() const;
  void radiances(ExecutionSpace const& space, input_type const& input, Radiances<ExecutionSpace, Real> const& wanted);
  void tangent_linear(ExecutionSpace const& space, input_type const& input,
                      ProfileArray<Real**, ExecutionSpace> const& tangent_toa);
  void adjoint(ExecutionSpace const& space, input_type const& input, Gradient<ExecutionSpace, Real> const& derivative);

  Capacity m_capacity;
  ClearSkyTuning m_tuning;
  Workspace<ExecutionSpace> m_workspace;
  Blocks m_blocks;
  NotFinite<ExecutionSpace> m_not_finite;
  CheckedExtents m_checked;
};

}  // namespace parhelion::adding

#endif
