// SPDX-License-Identifier: BSD-3-Clause
// The simple spectral model as the longwave kernel sees it.
#ifndef PARHELION_FLUXES_SIMPLE_SIMPLE_SPECTRAL_LANES_HPP
#define PARHELION_FLUXES_SIMPLE_SIMPLE_SPECTRAL_LANES_HPP

#include "absorption_terms.hpp"
#include "clouds/lane_clouds.hpp"
#include "lane_optics.hpp"
#include "simple/simple_tables.hpp"
#include "transfer.hpp"

#include <parhelion/fluxes/longwave.hpp>

#include <parhelion/core/constants.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/planck.hpp>

#include <algorithm>
#include <vector>

namespace parhelion::fluxes::Impl {

template <class ExecutionSpace, class Real>
struct LaneOptics<SimpleSpectral<ExecutionSpace, Real>> {
  using Tables = simple::SimpleTables<ExecutionSpace, Real>;
  static constexpr int width = lanes_per_thread<ExecutionSpace, Real>;
  static constexpr int layers = 1;
  struct State {
    Real water, co2;  ///< [kg m-2], times p / p_ref
  };
  using Terms = AbsorptionTerms<Real, 1, 1, 1>;  // a single pair
  using Exact = ExactTransfer;
  using Clouds = LaneClouds<ExecutionSpace, Real>;
  static constexpr PlanckSource source = PlanckSource::lane;
  static constexpr bool has_one_list = true;
  static constexpr bool has_angles = false;
  static constexpr bool may_fit_secants = false;
  static constexpr bool may_scatter = false;
  static constexpr bool has_table = false;
  static constexpr bool has_clouds = false;
  static constexpr bool has_band_aerosol = false;
  static constexpr bool has_gpoint_surface = false;
  static constexpr bool has_aerosol_types = false;
  static constexpr bool has_derivative = false;
  static constexpr bool has_bands = false;
  static constexpr double heat_capacity = Tables::heat_capacity;
  static constexpr double gravity = parhelion::constants::standard_gravity;

  Tables tables;

  explicit LaneOptics(SimpleSpectral<ExecutionSpace, Real> const& model) : tables(model.tables()) {}

  static std::vector<LaneGroup> groups() {
    static_assert(Tables::nlane % width == 0, "the padding must fill the last group");
    std::vector<LaneGroup> result;
    for (int first = 0; first < Tables::nwavenumber; first += width)
      result.push_back({0, first, first, first, std::min(width, Tables::nwavenumber - first)});
    return result;
  }

  static int nlane(LongwaveCapacity const&) { return static_cast<int>(groups().size()) * width; }
  static int nlist(LongwaveCapacity const&) { return 1; }
  static int nband(LongwaveCapacity const&) { return nbnd; }

  KOKKOS_INLINE_FUNCTION static constexpr int stride() { return Tables::nlane; }
  KOKKOS_INLINE_FUNCTION static constexpr int nlist() { return 1; }
  /// Of the surface; there are no fluxes of bands.
  KOKKOS_INLINE_FUNCTION static constexpr int nband() { return nbnd; }
  KOKKOS_INLINE_FUNCTION static constexpr int nplanck() { return Tables::nlane; }
  KOKKOS_INLINE_FUNCTION static constexpr int nsecant() { return 1; }
  KOKKOS_INLINE_FUNCTION static int secant_of(LaneGroup const&) { return 0; }
  static int band(int) { return 0; }
  static int pairs(int) { return 1; }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return tables.kappa.data(); }

  KOKKOS_INLINE_FUNCTION int region(Columns<ExecutionSpace, Real> const&, int, int) const { return 0; }

  KOKKOS_INLINE_FUNCTION void set_state(State& state, Columns<ExecutionSpace, Real> const& columns, int column,
                                        int layer, int) const {
    constexpr Real water = static_cast<Real>(Tables::molar_mass_water / Tables::molar_mass_dry);
    constexpr Real co2 = static_cast<Real>(Tables::molar_mass_co2 / Tables::molar_mass_dry);
    Real const mass = (columns.pressure_lev(column, layer) - columns.pressure_lev(column, layer + 1)) /
                      static_cast<Real>(parhelion::constants::standard_gravity);
    Real const scaled = mass * (columns.pressure_lay(column, layer) / static_cast<Real>(Tables::pressure_ref));
    state.water = water * scaled * columns.vmr(column, static_cast<int>(Gas::h2o), layer);
    state.co2 = co2 * scaled * columns.vmr(column, static_cast<int>(Gas::co2), layer);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, typename Terms::Packs packs, int, State const& state) const {
    terms.count = 1;
    terms.more[0] = 0;
    terms.depth[0] = 0;
    packs[0] = {{{{state.water}}, {{state.co2}}}, {{0}}};
  }

  using AtTemperature = Real;
  KOKKOS_INLINE_FUNCTION static AtTemperature at_temperature(Real temperature) { return temperature; }

  /// Planck radiance of the interval around a wavenumber [W m-2 sr-1].
  KOKKOS_INLINE_FUNCTION Real planck(int lane, Real temperature) const {
    return tables.width(lane) * planck_radiance(tables.wavenumber(lane), temperature);
  }

  /// Never called: the solver has no derivatives with this model.
  KOKKOS_INLINE_FUNCTION Real planck_derivative(int, Real) const { return 0; }

  KOKKOS_INLINE_FUNCTION int emissivity_band(int lane) const { return tables.band(lane); }

  struct WaterPath {
    KOKKOS_INLINE_FUNCTION WaterPath& operator+=(WaterPath const&) { return *this; }
  };
  KOKKOS_INLINE_FUNCTION WaterPath water_path(Columns<ExecutionSpace, Real> const&, int, int) const { return {}; }
  KOKKOS_INLINE_FUNCTION Real secant(int, WaterPath const&, Real) const {
    return static_cast<Real>(Tables::diffusivity);
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
