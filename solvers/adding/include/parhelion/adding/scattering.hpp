// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_SCATTERING_HPP
#define PARHELION_ADDING_SCATTERING_HPP

#include <parhelion/adding/profiles.hpp>

#include <parhelion/core/workspace.hpp>

#include <cstddef>
#include <memory>

namespace parhelion::adding {

namespace Impl {
template <class Space, class Real>
struct Memory;
}

/// \brief Radiances of profiles that emit, absorb and scatter.
///
/// The adding method on discrete angles for azimuth order 0: each layer has matrices of reflection and transmission,
/// and layers compose by the star product (Grant & Hunt 1969, doi:10.1098/rspa.1969.0187). Layers that do not scatter
/// (albedo up to 1e-10, or no phase matrix) cost no more than in a clear sky. Albedos are capped at 0.999999, but in
/// layers of optical depth below 1e-8 (to which the sun's beam is no source) and in the source of the sun's beam:
/// CRTM's conventions. A layer's operator is made in double whatever Real is; composing is done in Real.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class Scattering {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Allocates the workspace; may fence.
  /// \throws parhelion::Error when a number of `capacity` is not positive
  Scattering(ExecutionSpace const& space, Capacity const& capacity);

  /// \brief Radiances.
  ///
  /// Neither allocates nor fences. Calls of the same object on different instances must not overlap: they share the
  /// workspace. Values are not checked.
  ///
  /// \param space     execution space instance; work is enqueued there and not fenced
  /// \param profiles  layer 0 is next to the surface
  /// \param radiances those that have extents are overwritten
  /// \param strategy  how layers are composed; the runs of team_scan have the square root of the number of layers
  /// \throws parhelion::Error on mismatched extents, members that cannot be honoured or more than the capacity, before
  ///         anything is enqueued
  void solve(ExecutionSpace const& space, Profiles<ExecutionSpace, Real> const& profiles,
             Radiances<ExecutionSpace, Real> const& radiances, Strategy strategy = Strategy::automatic) const;

  /// \brief The change of the upward radiance at the top due to a small change of the profiles, to first order.
  ///
  /// An albedo above the cap changes nothing but the source of the sun's beam.
  ///
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
  ///
  /// With R and T the operator of a layer, I the radiance that enters it and l the adjoint of what leaves it, the
  /// derivative by R and T is the product l I of vectors; l obeys the transposed equations and is found by the same
  /// passes over layers in the other direction.
  ///
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
  static std::size_t workspace_bytes(ExecutionSpace const& space, Capacity const& capacity);

 private:
  Capacity m_capacity;
  Workspace<ExecutionSpace> m_workspace;
  std::shared_ptr<Impl::Memory<ExecutionSpace, Real> const> m_memory;
};

/// The strategy that `Strategy::automatic` stands for: measured crossovers.
template <KokkosExecutionSpace ExecutionSpace>
Strategy choose_scattering_strategy(ExecutionSpace const& space, int nprofile, int nlay, int nangle);

}  // namespace parhelion::adding

#endif
