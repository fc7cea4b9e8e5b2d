// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_DERIVATIVES_HPP
#define PARHELION_EGA_DERIVATIVES_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <cstddef>

namespace parhelion::ega {

/// Which rows derivatives have: pressure, temperature, one mixing ratio after the other, extinction.
enum DerivativeRow { pressure_row, temperature_row, mixing_ratio_row };

/// Rows of derivatives for a number of gases.
KOKKOS_INLINE_FUNCTION constexpr int derivative_rows(int ngas) { return mixing_ratio_row + ngas + 1; }

/// \brief Derivatives of radiances by the values that a ray's profile has at its levels, in SI units.
///
/// The last row is the extinction of the window that the channel has; those of other windows play no part.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Derivatives {
  Array<Real****, ExecutionSpace> radiance;  ///< (ray, row, level, channel)
};

/// Where the tables of a gas are looked up for a segment.
struct LookupPoint {
  double pressure;     ///< [Pa]; Curtis-Godson: mean over the path
  double temperature;  ///< [K], the same
  double column;       ///< of the gas [molecules cm-2]; Curtis-Godson: of the path
};

/// How the work is divided. 0: chosen automatically. Results do not depend on it.
struct AdjointTuning {
  int batch = 0;                 ///< rays that are worked on at a time
  std::size_t memory_limit = 0;  ///< of the workspace [bytes]; at least one ray is worked on
};

/// \brief Radiances along rays and their derivatives with respect to all levels of all profiles, in reverse mode.
///
/// The derivatives are those of the model as it is computed: of tables that are linear between their nodes, and with
/// the path of the ray, whose refraction depends on pressure and temperature. Where the model has a kink they are those
/// of one side. Cost does not depend on the number of levels: three kernels walk along the rays, one forward that keeps
/// the slopes of growth for each gas, one forward that integrates and back to the observer, and one back along the
/// path. Giering & Kaminski (1998), doi:10.1145/293686.293695, for the method.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class AdjointModel {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Allocates the workspace; may fence.
  /// \throws parhelion::Error when a number of `capacity` is not positive
  AdjointModel(ExecutionSpace const& space, ForwardCapacity const& capacity, AdjointTuning const& tuning = {});
  AdjointModel(AdjointModel const&) = default;
  AdjointModel(AdjointModel&&) noexcept = default;
  AdjointModel& operator=(AdjointModel const&) = default;
  AdjointModel& operator=(AdjointModel&&) noexcept = default;
  ~AdjointModel() { leave_if_kokkos_is_gone(m_rays, m_lookup, m_growth, m_segment, m_state, m_sun); }

  /// \brief Radiances, transmittances and derivatives of the radiances.
  ///
  /// Neither allocates nor fences. Values are not checked. A ray that has more points than the capacity gets NaN and
  /// RayEnd::npoint -1. Radiances agree with those of ForwardModel to rounding.
  /// \param space       execution space instance; work is enqueued there and not fenced
  /// \param model, atmosphere, observation see there
  /// \param spectra     overwritten
  /// \param derivatives overwritten
  /// \throws parhelion::Error on mismatched extents or more than the capacity, before anything is enqueued
  void solve(ExecutionSpace const& space, Model<ExecutionSpace, Real> const& model,
             Atmosphere<ExecutionSpace> const& atmosphere, Observation<ExecutionSpace> const& observation,
             Spectra<ExecutionSpace, Real> const& spectra, Derivatives<ExecutionSpace, Real> const& derivatives) const;

  /// Device memory that the solver holds [bytes].
  std::size_t workspace_bytes() const { return workspace_bytes(m_capacity, {.batch = m_batch}); }

  /// What a solver would hold.
  static std::size_t workspace_bytes(ForwardCapacity const& capacity, AdjointTuning const& tuning = {});

 private:
  ForwardCapacity m_capacity;
  int m_batch;
  Rays<ExecutionSpace> m_rays;
  Array<LookupPoint***, ExecutionSpace> m_lookup;  ///< (ray, point, gas)
  Array<Real*****, ExecutionSpace> m_growth;       ///< (ray, point, gas, GrowthValue, channel)
  Array<Real****, ExecutionSpace> m_segment;       ///< (ray, point, SegmentValue, channel)
  Array<Real****, ExecutionSpace> m_state;         ///< adjoint of a gas's path, (ray, gas, PathAdjoint, channel)
  Array<Real**, ExecutionSpace> m_sun;             ///< derivative by RayEnd::sun, (ray, channel)
};

}  // namespace parhelion::ega

#endif
