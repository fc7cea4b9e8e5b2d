// SPDX-License-Identifier: BSD-3-Clause
// The gas optics of RRTMG_LW as the longwave kernel sees them.
#ifndef PARHELION_FLUXES_RRTMG_LW_GAS_OPTICS_LANES_HPP
#define PARHELION_FLUXES_RRTMG_LW_GAS_OPTICS_LANES_HPP

#include "clouds/lane_clouds.hpp"
#include "lane_optics.hpp"
#include "rrtmg_lw/band_terms.hpp"
#include "transfer.hpp"

#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/rrtmg_lw/gas_optics.hpp>

#include <parhelion/core/interpolate.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace parhelion::fluxes::Impl {

template <class ExecutionSpace, class Real>
struct LaneOptics<GasOptics<ExecutionSpace, Real>> {
  static constexpr int width = vector_lanes<ExecutionSpace, Real>;
  static constexpr int layers = vector_lanes<ExecutionSpace, Real>;
  using State = rrtmg_lw::InterpolationState<Real, layers>;
  using Terms = AbsorptionTerms<Real, layers>;
  using Exact = ExactTransfer;
  using Clouds = LaneClouds<ExecutionSpace, Real>;
  static constexpr PlanckSource source = PlanckSource::interval;
  static constexpr bool has_one_list = false;
  static constexpr bool has_angles = false;
  static constexpr bool may_fit_secants = false;
  static constexpr bool may_scatter = false;
  static constexpr bool has_table = true;
  static constexpr bool has_clouds = true;
  static constexpr bool has_band_aerosol = true;
  static constexpr bool has_gpoint_surface = false;
  static constexpr bool has_aerosol_types = false;
  static constexpr bool has_derivative = true;
  static constexpr bool has_bands = true;
  static constexpr double heat_capacity = rrtmg_lw::model_constants::heat_capacity;
  static constexpr double gravity = rrtmg_lw::model_constants::gravity;

  rrtmg_lw::GasOpticsTables<ExecutionSpace, Real> tables;
  /// Temperatures [K] from which and up to which the table of Planck radiances of RRTMG_LW is used, if necessary
  /// extrapolated from its last intervals; PlanckRows beyond.
  Real table_from = static_cast<Real>(rrtmg_lw::planck_table_lowest);
  Real table_to = static_cast<Real>(rrtmg_lw::planck_table_highest);

  explicit LaneOptics(GasOptics<ExecutionSpace, Real> const& model) : tables(model.tables()) {}

  static std::vector<LaneGroup> groups() {
    std::vector<LaneGroup> result;
    int gpoint = 0;
    for (int b = 0; b < nbnd; ++b)
      for (int g = 0; g < bands()[b].ng; g += width) {
        int const n = std::min(width, bands()[b].ng - g);
        result.push_back({b, g, b, gpoint, n});
        gpoint += n;
      }
    // Threads that run in step then have lists of similar length.
    std::stable_sort(result.begin(), result.end(),
                     [](LaneGroup const& a, LaneGroup const& b) { return pairs(a.list) < pairs(b.list); });
    return result;
  }

  static int nlane(LongwaveCapacity const&) { return static_cast<int>(groups().size()) * width; }
  static int nlist(LongwaveCapacity const&) { return nbnd; }
  static int nband(LongwaveCapacity const&) { return nbnd; }

  KOKKOS_INLINE_FUNCTION static constexpr auto stride() { return ConstantStride<rrtmg_lw::row_stride>(); }
  KOKKOS_INLINE_FUNCTION static constexpr int nlist() { return nbnd; }
  KOKKOS_INLINE_FUNCTION static constexpr int nband() { return nbnd; }
  KOKKOS_INLINE_FUNCTION static constexpr int nplanck() { return nbnd; }
  KOKKOS_INLINE_FUNCTION static constexpr int nsecant() { return nbnd; }
  KOKKOS_INLINE_FUNCTION static int secant_of(LaneGroup const& group) { return group.list; }

  static int band(int gpoint) {
    int b = 0;
    while (gpoint >= bands()[b].ng) gpoint -= bands()[b++].ng;
    return b;
  }

  static int pairs(int band) {
    return rrtmg_lw::max_pairs(rrtmg_lw::band_descriptions()[static_cast<std::size_t>(band)]);
  }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return tables.values.data(); }

  KOKKOS_INLINE_FUNCTION int region(Columns<ExecutionSpace, Real> const& columns, int column, int layer) const {
    return rrtmg_lw::is_upper(columns.pressure_lay(column, layer)) ? 1 : 0;
  }

  KOKKOS_INLINE_FUNCTION void set_state(State& state, Columns<ExecutionSpace, Real> const& columns, int column,
                                        int first, int last) const {
    rrtmg_lw::set_interpolation_state(state, tables, columns, column, first, last);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, typename Terms::Packs packs, int band, State const& state) const {
    rrtmg_lw::set_terms(terms, packs, tables, band, state);
  }

  /// A temperature in the tables of Planck radiances, see PlanckRows; beyond them the last interval is extrapolated.
  struct AtTemperature {
    int entry;
    Real fraction;
  };
  KOKKOS_INLINE_FUNCTION AtTemperature at_temperature(Real temperature) const {
    bool const cold = temperature < table_from;
    int const last = cold                     ? rrtmg_lw::PlanckRows::cold - 1
                     : temperature > table_to ? rrtmg_lw::PlanckRows::warm - 2
                                              : rrtmg_lw::ntemperature_planck - 2;
    Real const position = cold ? temperature * static_cast<Real>(rrtmg_lw::PlanckRows::cold_per_kelvin)
                               : temperature - static_cast<Real>(rrtmg_lw::planck_table_lowest);
    int const entry = clamped_index(position, 0, last);
    return {entry + (cold ? 0 : rrtmg_lw::PlanckRows::cold), position - static_cast<Real>(entry)};
  }

  /// Planck radiance of a band [W m-2 sr-1].
  KOKKOS_INLINE_FUNCTION Real planck(int band, AtTemperature const& at) const {
    return interpolate(tables.planck, band, at);
  }

  /// Its derivative with respect to temperature [W m-2 sr-1 K-1].
  KOKKOS_INLINE_FUNCTION Real planck_derivative(int band, AtTemperature const& at) const {
    return interpolate(tables.planck_derivative, band, at);
  }

  KOKKOS_INLINE_FUNCTION int emissivity_band(int planck) const { return planck; }

  /// Columns of water vapour and of moist air, whose ratio gives the precipitable water.
  struct WaterPath {
    Real water = 0;
    Real moist_air = 0;
    KOKKOS_INLINE_FUNCTION WaterPath& operator+=(WaterPath const& other) {
      water += other.water;
      moist_air += other.moist_air;
      return *this;
    }
  };

  KOKKOS_INLINE_FUNCTION WaterPath water_path(Columns<ExecutionSpace, Real> const& columns, int column,
                                              int layer) const {
    Real const ratio = columns.vmr(column, static_cast<int>(Gas::h2o), layer);
    Real const dry =
        rrtmg_lw::dry_column(columns.pressure_lev(column, layer) - columns.pressure_lev(column, layer + 1), ratio);
    return {dry * ratio, dry * (1 + ratio)};
  }

  /// Secant of the angle that stands for the hemisphere, from precipitable water.
  KOKKOS_INLINE_FUNCTION Real secant(int band, WaterPath const& path, Real pressure_sfc) const {
    rrtmg_lw::DiffusivityFit const& fit = tables.bands(band).diffusivity;
    Real const mass_fraction = static_cast<Real>(rrtmg_lw::model_constants::molar_mass_water) * path.water /
                               (static_cast<Real>(rrtmg_lw::model_constants::molar_mass_dry) * path.moist_air);
    Real const precipitable_cm =
        mass_fraction * pressure_sfc / static_cast<Real>(10 * rrtmg_lw::model_constants::gravity);
    if (fit.b == 0) return static_cast<Real>(fit.a);
    Real const fitted =
        static_cast<Real>(fit.a) + static_cast<Real>(fit.b) * Kokkos::exp(static_cast<Real>(fit.c) * precipitable_cm);
    return Kokkos::fmin(Kokkos::fmax(fitted, static_cast<Real>(1.5)), static_cast<Real>(1.8));
  }

 private:
  KOKKOS_INLINE_FUNCTION static Real interpolate(Array<Real const**, ExecutionSpace> const& table, int band,
                                                 AtTemperature const& at) {
    Real const* const row = table.data() + (at.entry * nbnd + band);
    return row[0] + at.fraction * (row[nbnd] - row[0]);
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
