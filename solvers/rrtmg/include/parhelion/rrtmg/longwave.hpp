// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_RRTMG_LONGWAVE_HPP
#define PARHELION_RRTMG_LONGWAVE_HPP

#include <parhelion/rrtmg/cloud_optics.hpp>
#include <parhelion/rrtmg/clouds.hpp>
#include <parhelion/rrtmg/columns.hpp>
#include <parhelion/rrtmg/gas_optics.hpp>
#include <parhelion/rrtmg/impl/lane_group.hpp>
#include <parhelion/rrtmg/simple_spectral.hpp>

#include <parhelion/core/workspace.hpp>

#include <cstddef>

namespace parhelion::rrtmg {

/// How the transmittance of a layer is computed from its optical depth.
enum class Transmittance {
  exact,  ///< exponential
  table   ///< nearest entry of RRTMG_LW's table of 10001, series below 0.06
};

/// How the work is divided. This affects the speed only: results have the same bits for any values.
struct LongwaveTuning {
  int layers_per_block = 0;  ///< layers that a team works on at a time; 0: chosen automatically
};

/// \brief Longwave fluxes and heating rates of columns, clear or cloudy: absorption and emission without scattering.
///
/// One diffuse direction each way represents the hemispheres (RRTMG's fits of the diffusivity secant, Iacono et al.
/// 2008, doi:10.1029/2008JD009944). The source varies linearly with optical depth within a layer (Clough et al. 1992,
/// doi:10.1029/92JD01419). Optical depths never reach main memory: a team of threads makes the interpolation weights of
/// a few layers and its lanes, each a g-point, use them at once.
///
/// \tparam Model GasOptics<ExecutionSpace, Real> or SimpleSpectral<ExecutionSpace, Real>
template <class Model>
class Longwave {
 public:
  using execution_space = typename Model::execution_space;
  using value_type = typename Model::value_type;

  /// \brief Allocates the workspace; may fence.
  /// \param space    execution space instance
  /// \param model    gas optics
  /// \param max_nlay most layers that `solve` will be given
  /// \param transmittance the table is for comparison with RRTMG_LW; only GasOptics has it
  /// \param tuning   how the work is divided
  /// \throws parhelion::Error when max_nlay < 1, or with the table and SimpleSpectral
  Longwave(execution_space const& space, Model const& model, int max_nlay,
           Transmittance transmittance = Transmittance::exact, LongwaveTuning tuning = {});
  Longwave(Longwave&&) noexcept = default;
  Longwave& operator=(Longwave&&) noexcept = default;
  ~Longwave() { leave_if_kokkos_is_gone(m_model, m_table, m_groups, m_sets, m_cloud_optics, m_bad_numbers); }

  /// \brief Fluxes and heating rates.
  ///
  /// Neither allocates nor fences. Calls of the same object on different instances must not overlap: they share the
  /// workspace. Values are not checked; found_bad_numbers tells whether a result is not finite.
  ///
  /// \param space   execution space instance; work is enqueued there and not fenced
  /// \param columns the atmosphere; layer 0 is next to the surface
  /// \param fluxes  overwritten; level 0 is the surface
  /// \throws parhelion::Error on mismatched extents, before anything is enqueued
  void solve(execution_space const& space, Columns<execution_space, value_type> const& columns,
             Fluxes<execution_space, value_type> const& fluxes) const;

  /// \brief The same with clouds; only GasOptics supports them.
  /// \param space   execution space instance; work is enqueued there and not fenced
  /// \param columns the atmosphere
  /// \param clouds  none if all its arrays are empty
  /// \param fluxes  overwritten
  void solve(execution_space const& space, Columns<execution_space, value_type> const& columns,
             Clouds<execution_space, value_type> const& clouds,
             Fluxes<execution_space, value_type> const& fluxes) const;

  /// Whether a `solve` since the last call of this has produced a flux that is not finite. Fences `space`.
  bool found_bad_numbers(execution_space const& space) const;

  /// Device memory that the solver holds beside the model [bytes].
  std::size_t workspace_bytes() const { return m_workspace.capacity_bytes(); }

  /// The same for a solver that has not been constructed yet.
  static std::size_t workspace_bytes(execution_space const& space, int max_nlay, Transmittance transmittance);

 private:
  Model m_model;
  int m_max_nlay;
  Transmittance m_transmittance;
  int m_layers_per_block;
  int m_nteam;
  Workspace<execution_space> m_workspace;
  WorkspaceArray<value_type****, execution_space> m_upward;  ///< layer maps of the upward sweep
  Array<value_type const**, execution_space> m_table;        ///< transmittance and source weight
  Array<Impl::LaneGroup const*, execution_space> m_groups;
  Impl::SetTable<execution_space> m_sets;
  CloudOptics<execution_space, value_type> m_cloud_optics;
  Array<int*, execution_space> m_bad_numbers;
};

}  // namespace parhelion::rrtmg

#endif
