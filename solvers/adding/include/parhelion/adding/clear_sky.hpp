// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_CLEAR_SKY_HPP
#define PARHELION_ADDING_CLEAR_SKY_HPP

#include <parhelion/adding/profiles.hpp>

#include <parhelion/core/dual.hpp>
#include <parhelion/core/workspace.hpp>

#include <cstddef>

namespace parhelion::Impl {
struct LaunchRequest;
}

namespace parhelion::adding {

/// \brief How the work of ClearSky is divided. 0: chosen automatically.
///
/// nprofile is for callers that solve in chunks: the division of the work, and with it rounding, then does not depend
/// on the chunk. The others are for measurements; of them only layers_per_run changes results, by rounding.
struct ClearSkyTuning {
  int angles_per_lane = 0;  ///< most angles for which a lane uses what it has loaded of a layer
  int layers_per_run = 0;   ///< layers of a run, in a scan
  int lanes = 0;            ///< neighbouring profiles of a team, on a device
  int threads = 0;          ///< threads of a team, on a device
  int nprofile = 0;         ///< number of profiles for which work is divided, 0: those of the capacity
};

/// \brief Radiances of profiles that emit and absorb and do not scatter.
///
/// The adding method without scattering: along each angle the radiance I obeys I_out = t I_in + (1 - t) B in every
/// layer, with t = exp(-optical depth / mu). The maps compose associatively (Grant & Hunt 1969,
/// doi:10.1098/rspa.1969.0187), so that a column is swept or scanned.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class ClearSky {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Allocates the workspace; may fence.
  /// \param space    execution space instance
  /// \param capacity largest problem. How work is cut follows from it and not from a call, so that a profile has the
  /// same
  ///                 bits whichever others are in the call.
  /// \param tuning   see there
  /// \throws parhelion::Error when a number of `capacity` is not positive
  ClearSky(ExecutionSpace const& space, Capacity const& capacity, ClearSkyTuning const& tuning = {});

  /// \brief Radiances.
  ///
  /// Neither allocates nor fences. Calls of the same object on different instances must not overlap: they share the
  /// workspace. Values are not checked.
  ///
  /// \param space     execution space instance; work is enqueued there and not fenced
  /// \param profiles  without scattering; layer 0 is next to the surface
  /// \param radiances those that have extents are overwritten
  /// \param strategy  how layers are composed. With each a profile has the same bits from run to run and whatever
  ///                  other profiles are in the call.
  /// \throws parhelion::Error on mismatched extents, members that cannot be honoured or more than the capacity, before
  ///         anything is enqueued
  void solve(ExecutionSpace const& space, Profiles<ExecutionSpace, Real> const& profiles,
             Radiances<ExecutionSpace, Real> const& radiances, Strategy strategy = Strategy::automatic) const;

  /// \brief The change of the upward radiance at the top due to a small change of the profiles, to first order.
  /// \param space        execution space instance; work is enqueued there and not fenced
  /// \param profiles     the atmospheres, as for solve
  /// \param perturbation the change; empty members count as zero
  /// \param tangent_toa  (profile, angle), overwritten
  /// \param strategy     as for solve
  void tangent_linear(ExecutionSpace const& space, Profiles<ExecutionSpace, Real> const& profiles,
                      Perturbation<ExecutionSpace, Real> const& perturbation,
                      ProfileArray<Real**, ExecutionSpace> const& tangent_toa,
                      Strategy strategy = Strategy::automatic) const;

  /// \brief The derivative of sum over angles of adjoint_toa * (upward radiance at the top), profile by profile.
  /// \param space       execution space instance; work is enqueued there and not fenced
  /// \param profiles    the atmospheres, as for solve
  /// \param adjoint_toa (profile, angle)
  /// \param derivative  members that have extents are overwritten
  /// \param strategy    as for solve
  void adjoint(ExecutionSpace const& space, Profiles<ExecutionSpace, Real> const& profiles,
               ProfileArray<Real const**, ExecutionSpace> const& adjoint_toa,
               Perturbation<ExecutionSpace, Real> const& derivative, Strategy strategy = Strategy::automatic) const;

  /// Device memory that the solver holds [bytes].
  std::size_t workspace_bytes() const { return m_workspace.capacity_bytes(); }

  /// What a solver for this capacity would hold [bytes].
  /// \throws parhelion::Error as the constructor
  static std::size_t workspace_bytes(ExecutionSpace const&, Capacity const& capacity) { return needed_bytes(capacity); }

 private:
  /// What a call keeps between its kernels.
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
  parhelion::Impl::LaunchRequest request(Strategy strategy) const;

  Capacity m_capacity;
  ClearSkyTuning m_tuning;
  Workspace<ExecutionSpace> m_workspace;
  Blocks m_blocks;
};

}  // namespace parhelion::adding

#endif
