// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_FORWARD_MODEL_HPP
#define PARHELION_EGA_FORWARD_MODEL_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>
#include <parhelion/ega/device_atmosphere.hpp>
#include <parhelion/ega/model.hpp>
#include <parhelion/ega/rays.hpp>

#include <cstddef>

namespace parhelion::ega {

/// Results of a forward calculation, on a device.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Spectra {
  Array<Real**, ExecutionSpace> radiance;       ///< [W m-2 sr-1 (cm-1)-1], (ray, channel)
  Array<Real**, ExecutionSpace> transmittance;  ///< of the whole path [1], (ray, channel)
  Array<RayEnd*, ExecutionSpace> end;           ///< (ray)
};

/// Where the kernel leaves what happens along rays: members of HostLineOfSight. Empty: nowhere.
template <KokkosExecutionSpace ExecutionSpace>
struct PathRecord {
  Array<double****, ExecutionSpace> path_transmittance;    ///< (ray, point, gas, channel)
  Array<double***, ExecutionSpace> segment_transmittance;  ///< (ray, point, channel), as the next ones
  Array<double***, ExecutionSpace> segment_emissivity;
  Array<double***, ExecutionSpace> optical_depth;  ///< of continua and extinction
  Array<double***, ExecutionSpace> extinction;     ///< optical depth of aerosol and cloud
  Array<double***, ExecutionSpace> planck;
  Array<double***, ExecutionSpace> transmittance;
  Array<double***, ExecutionSpace> radiance;
};

/// The largest problem that a solver object is made for.
struct ForwardCapacity {
  int nray = 0;      ///< rays of a call
  int ngas = 0;      ///< of the model
  int nchannel = 0;  ///< of the model
  int npoint = 0;    ///< points of a ray, see most_points
};

/// How the work is divided. 0: chosen automatically. Only gas_threads changes results, by rounding.
struct ForwardTuning {
  int gas_threads = 0;       ///< threads that share the gases of a ray
  int rays_per_team = 0;     ///< rays of a team
  int batch = 0;             ///< rays whose points are in memory at a time
  int nray = 0;              ///< number of rays for which work is divided, 0: those of the capacity
  bool keep_places = false;  ///< whether Rays::place is filled
};

/// \brief Radiances along rays by the emissivity growth approximation (or Curtis-Godson means).
///
/// Rays are traced by a kernel of their own; growth of emissivity, continua, source and integration along the ray are
/// one kernel. Baumeister & Hoffmann (2022), doi:10.5194/gmd-15-1855-2022; Weinreb & Neuendorffer (1973),
/// doi:10.1175/1520-0469(1973)030<0662:MTAHPT>2.0.CO;2.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class ForwardModel {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Allocates the workspace; may fence.
  /// \throws parhelion::Error when a number of `capacity` is not positive
  ForwardModel(ExecutionSpace const& space, ForwardCapacity const& capacity, ForwardTuning const& tuning = {});
  ForwardModel(ForwardModel const&) = default;
  ForwardModel(ForwardModel&&) noexcept = default;
  ForwardModel& operator=(ForwardModel const&) = default;
  ForwardModel& operator=(ForwardModel&&) noexcept = default;
  ~ForwardModel() { leave_if_kokkos_is_gone(m_rays, m_path, m_last, m_means); }

  /// \brief Radiances and transmittances.
  ///
  /// Neither allocates nor fences. Values are not checked. A ray that has more points than the capacity gets NaN and
  /// RayEnd::npoint -1.
  /// \param space       execution space instance; work is enqueued there and not fenced
  /// \param model, atmosphere, observation see there
  /// \param spectra     overwritten
  /// \param record      filled where it has extents; only double precision and calls of one batch keep it
  /// \throws parhelion::Error on mismatched extents or more than the capacity, before anything is enqueued
  void solve(ExecutionSpace const& space, Model<ExecutionSpace, Real> const& model,
             Atmosphere<ExecutionSpace> const& atmosphere, Observation<ExecutionSpace> const& observation,
             Spectra<ExecutionSpace, Real> const& spectra, PathRecord<ExecutionSpace> const& record = {}) const;

  /// The rays of the last batch of the last call, for looking at single rays.
  Rays<ExecutionSpace> const& rays() const { return m_rays; }

  /// Device memory that the solver holds [bytes].
  std::size_t workspace_bytes() const { return workspace_bytes(m_capacity, m_tuning); }

  /// What a solver would hold.
  static std::size_t workspace_bytes(ForwardCapacity const& capacity, ForwardTuning const& tuning = {});

 private:
  ForwardCapacity m_capacity;
  ForwardTuning m_tuning;
  Rays<ExecutionSpace> m_rays;
  Array<Real***, ExecutionSpace> m_path;           ///< emissivity so far, (ray, gas, channel)
  Array<std::uint64_t***, ExecutionSpace> m_last;  ///< where it was looked up last at the four corners
  Array<double** [3], ExecutionSpace> m_means;     ///< Curtis-Godson sums, (ray, gas of a block of channels)
};

}  // namespace parhelion::ega

#endif
