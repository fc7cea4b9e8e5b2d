// SPDX-License-Identifier: BSD-3-Clause
// The longwave gas optics of ecCKD as the kernel sees them.
#ifndef PARHELION_FLUXES_ECCKD_LONGWAVE_LANES_HPP
#define PARHELION_FLUXES_ECCKD_LONGWAVE_LANES_HPP

#include "absorption_terms.hpp"
#include "ecckd/layer_terms.hpp"
#include "ecckd/mean_source.hpp"
#include "lane_optics.hpp"
#include "rrtmgp/lane_clouds.hpp"

#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/longwave.hpp>

#include <algorithm>
#include <vector>

namespace parhelion::fluxes::Impl {

template <class ExecutionSpace, class Real>
struct LaneOptics<ecckd::Longwave<ExecutionSpace, Real>> {
  using Tables = ecckd::Tables<ExecutionSpace, Real>;
  static constexpr int width = vector_lanes<ExecutionSpace, Real>;
  static constexpr int layers = vector_lanes<ExecutionSpace, Real>;
  using State = ecckd::LayerState<Real, layers>;
  using Terms = AbsorptionTerms<Real, layers, 2, ecckd::pairs_together<Real, layers>>;
  using Exact = ecckd::MeanSourceTransfer;
  using Clouds = rrtmgp::LaneClouds<ExecutionSpace, Real>;
  static constexpr PlanckSource source = PlanckSource::rows;
  static constexpr bool has_one_list = true;
  static constexpr bool has_angles = false;
  static constexpr bool may_fit_secants = false;
  static constexpr bool may_scatter = false;
  static constexpr bool has_table = false;
  static constexpr bool has_clouds = true;
  static constexpr bool has_band_aerosol = false;
  static constexpr bool has_gpoint_surface = true;
  static constexpr bool has_aerosol_types = false;
  static constexpr bool has_derivative = true;
  static constexpr bool has_bands = true;
  static constexpr double heat_capacity = ecckd::model_constants::heat_capacity;
  static constexpr double gravity = ecckd::model_constants::gravity;

  Tables tables;
  int const* band_of_gpoints;  ///< on the host

  explicit LaneOptics(ecckd::Longwave<ExecutionSpace, Real> const& model)
      : tables(model.tables()), band_of_gpoints(model.band_of_gpoints().data()) {}

  static int nlane(LongwaveCapacity const& capacity) {
    int n = 0;
    for (int const gpoints : capacity.gpoints) n += (gpoints + width - 1) / width * width;
    return n;
  }
  static int nlist(LongwaveCapacity const&) { return 1; }
  static int nband(LongwaveCapacity const& capacity) { return capacity.nband; }

  /// All g-points share a list.
  KOKKOS_INLINE_FUNCTION static constexpr int nlist() { return 1; }
  KOKKOS_INLINE_FUNCTION static constexpr int nsecant() { return 1; }
  KOKKOS_INLINE_FUNCTION static int secant_of(LaneGroup const&) { return 0; }
  KOKKOS_INLINE_FUNCTION int nband() const { return tables.nband; }
  KOKKOS_INLINE_FUNCTION static constexpr int nplanck() { return 0; }
  KOKKOS_INLINE_FUNCTION int stride() const { return tables.stride; }
  int pairs(int) const { return tables.npair; }
  int band(int gpoint) const { return band_of_gpoints[gpoint]; }

  std::vector<LaneGroup> groups() const {
    static_assert(Tables::lane_multiple % width == 0, "the padding must fill the last group");
    std::vector<LaneGroup> result;
    for (int first = 0; first < tables.ngpoint; first += width)
      result.push_back({0, first, first, first, std::min(width, tables.ngpoint - first)});
    return result;
  }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return tables.values.data(); }

  KOKKOS_INLINE_FUNCTION int region(Columns<ExecutionSpace, Real> const&, int, int) const { return 0; }

  KOKKOS_INLINE_FUNCTION void set_state(State& state, Columns<ExecutionSpace, Real> const& columns, int column,
                                        int first, int) const {
    ecckd::set_state(state, tables, columns, column, first);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, typename Terms::Packs packs, int, State const& state) const {
    ecckd::set_longwave_terms(terms, packs, tables, state);
  }

  using AtTemperature = typename Tables::AtTemperature;
  KOKKOS_INLINE_FUNCTION AtTemperature at_temperature(Real kelvin) const { return tables.at_temperature(kelvin); }

  /// Planck radiance of a g-point [W m-2 sr-1]; of padding 0.
  KOKKOS_INLINE_FUNCTION Real planck(int lane, AtTemperature const& at) const {
    return inverse_pi * tables.of_rows(at.row, at.weight, lane);
  }

  /// Its derivative with respect to temperature [W m-2 sr-1 K-1]: that of the interpolation.
  KOKKOS_INLINE_FUNCTION Real planck_derivative(int lane, AtTemperature const& at) const {
    return inverse_pi * tables.of_rows(at.row, at.slope, lane);
  }

  /// The band of a g-point, in which the surface and the fluxes of bands are given.
  KOKKOS_INLINE_FUNCTION int emissivity_band(int lane) const { return tables.band(lane); }

  struct WaterPath {
    KOKKOS_INLINE_FUNCTION WaterPath& operator+=(WaterPath const&) { return *this; }
  };
  KOKKOS_INLINE_FUNCTION WaterPath water_path(Columns<ExecutionSpace, Real> const&, int, int) const { return {}; }
  KOKKOS_INLINE_FUNCTION Real secant(int, WaterPath const&, Real) const {
    return static_cast<Real>(ecckd::model_constants::diffusivity);
  }

 private:
  static constexpr Real inverse_pi = static_cast<Real>(1 / Kokkos::numbers::pi);
};

}  // namespace parhelion::fluxes::Impl

#endif
