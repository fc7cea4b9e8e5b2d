// SPDX-License-Identifier: BSD-3-Clause
// The longwave gas optics of RRTMGP as the kernel sees them.
#ifndef PARHELION_FLUXES_RRTMGP_LONGWAVE_LANES_HPP
#define PARHELION_FLUXES_RRTMGP_LONGWAVE_LANES_HPP

#include "lane_optics.hpp"
#include "rrtmgp/lane_clouds.hpp"
#include "rrtmgp/layer_terms.hpp"
#include "rrtmgp/tables.hpp"
#include "transfer.hpp"

#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace parhelion::fluxes::Impl {

template <class ExecutionSpace, class Real>
struct LaneOptics<rrtmgp::Longwave<ExecutionSpace, Real>> {
  using Tables = rrtmgp::Tables<ExecutionSpace, Real>;
  // Bands of published files have 8 or 16 g-points.
  static constexpr int width = lanes_per_thread<ExecutionSpace, Real>;
  static constexpr int layers = vector_lanes<ExecutionSpace, Real>;
  using State = rrtmgp::State<Real, layers>;
  using Terms = AbsorptionTerms<Real, layers, 4>;
  using Exact = ExactTransfer;
  using Clouds = rrtmgp::LaneClouds<ExecutionSpace, Real>;
  static constexpr PlanckSource source = PlanckSource::level_fractions;
  static constexpr bool has_one_list = false;
  static constexpr bool has_angles = true;
  static constexpr bool may_fit_secants = true;
  static constexpr bool may_scatter = true;
  static constexpr bool has_table = false;
  static constexpr bool has_clouds = true;
  static constexpr bool has_band_aerosol = true;
  static constexpr bool has_gpoint_surface = false;
  static constexpr bool has_aerosol_types = true;
  static constexpr bool has_derivative = true;
  static constexpr bool has_bands = true;
  static constexpr double heat_capacity = rrtmgp::constants::heat_capacity;
  static constexpr double gravity = rrtmgp::constants::gravity;

  Tables tables;
  rrtmgp::AerosolTables<ExecutionSpace, Real> aerosol_tables;
  int angles;
  bool fits_secants;
  rrtmgp::Scattering scattering;
  Real secants[rrtmgp::Angles::most];
  Real weights[rrtmgp::Angles::most];

  explicit LaneOptics(rrtmgp::Longwave<ExecutionSpace, Real> const& model)
      : tables(model.tables()),
        aerosol_tables(model.aerosol_tables()),
        angles(model.angles().n),
        fits_secants(model.angles().optimal),
        scattering(model.scattering()),
        m_gpoints(&model.gpoints()),
        m_pairs(&model.pairs()) {
    for (int i = 0; i < rrtmgp::Angles::most; ++i) {
      secants[i] = i < angles ? static_cast<Real>(1 / model.angles().cosine(i)) : 0;
      weights[i] = i < angles ? static_cast<Real>(model.angles().weight(i)) : 0;
    }
  }

  // --- on the host ---

  /// The terms of a band point to the first of its g-points. Threads that run in step have lists of similar length.
  std::vector<LaneGroup> groups() const {
    auto result = make_groups(width, *m_gpoints, std::vector<int>(m_gpoints->size()), angles);
    std::stable_sort(result.begin(), result.end(),
                     [this](LaneGroup const& a, LaneGroup const& b) { return pairs(a.list) < pairs(b.list); });
    return result;
  }

  static int nlane(LongwaveCapacity const& capacity) {
    int groups = 0;
    for (int const n : capacity.gpoints) groups += (n + width - 1) / width;
    return groups * capacity.angles * width;
  }
  static int nlist(LongwaveCapacity const& capacity) { return static_cast<int>(capacity.gpoints.size()); }
  static int nband(LongwaveCapacity const& capacity) { return capacity.nband; }

  int band(int gpoint) const {
    int band = 0;
    for (int after = m_gpoints->front(); gpoint >= after; after += (*m_gpoints)[static_cast<std::size_t>(band)]) ++band;
    return band;
  }
  int pairs(int band) const { return (*m_pairs)[static_cast<std::size_t>(band)]; }

  // --- in kernels ---

  KOKKOS_INLINE_FUNCTION int stride() const { return tables.stride; }
  KOKKOS_INLINE_FUNCTION int nlist() const { return tables.nband; }
  KOKKOS_INLINE_FUNCTION int nband() const { return tables.nband; }
  KOKKOS_INLINE_FUNCTION int nplanck() const { return tables.nband; }
  KOKKOS_INLINE_FUNCTION int nsecant() const { return angles; }
  KOKKOS_INLINE_FUNCTION static int secant_of(LaneGroup const& group) { return group.angle; }
  KOKKOS_INLINE_FUNCTION Real weight(LaneGroup const& group) const { return weights[group.angle]; }
  KOKKOS_INLINE_FUNCTION Real const* values() const { return tables.values.data(); }

  KOKKOS_INLINE_FUNCTION int region(Columns<ExecutionSpace, Real> const& columns, int column, int layer) const {
    return tables.is_upper(columns.pressure_lay(column, layer)) ? 1 : 0;
  }

  KOKKOS_INLINE_FUNCTION void set_state(State& state, Columns<ExecutionSpace, Real> const& columns, int column,
                                        int first, int last) const {
    rrtmgp::set_state(state, tables, columns, column, first, last);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, typename Terms::Packs packs, int band, State const& state) const {
    rrtmgp::set_terms(terms, packs, tables, band, state);
  }

  /// \brief Vertical optical depths of the aerosol of a layer, not scaled.
  /// \tparam scatters whether its scattering counts
  template <bool scatters>
  KOKKOS_INLINE_FUNCTION LayerOptics<Real> aerosol(Columns<ExecutionSpace, Real> const& columns, int column, int layer,
                                                   int band) const {
    auto const state =
        aerosol_tables.state(columns.aerosol_type(column, layer), columns.aerosol_size(column, layer),
                             columns.aerosol_mass(column, layer), columns.relative_humidity(column, layer));
    return aerosol_tables.template optics<scatters>(state, band);
  }

  using AtTemperature = typename Tables::AtTemperature;
  KOKKOS_INLINE_FUNCTION AtTemperature at_temperature(Real kelvin) const { return tables.at_temperature(kelvin); }

  /// Planck radiance of a band [W m-2 sr-1].
  KOKKOS_INLINE_FUNCTION Real planck(int band, AtTemperature const& at) const {
    return tables.planck_radiance(band, at);
  }

  /// Its change for a temperature that is 1 K higher, which stands for the derivative [W m-2 sr-1 K-1].
  KOKKOS_INLINE_FUNCTION Real planck_derivative(int band, AtTemperature const& at) const {
    return tables.planck_change(band, at);
  }

  KOKKOS_INLINE_FUNCTION int emissivity_band(int band) const { return band; }

  struct WaterPath {
    KOKKOS_INLINE_FUNCTION WaterPath& operator+=(WaterPath const&) { return *this; }
  };
  KOKKOS_INLINE_FUNCTION WaterPath water_path(Columns<ExecutionSpace, Real> const&, int, int) const { return {}; }

  /// Secant of an angle.
  KOKKOS_INLINE_FUNCTION Real secant(int angle, WaterPath const&, Real) const { return secants[angle]; }

  /// Secant of the optimal angle.
  /// \param depth vertical optical depth of the gases of the whole column
  KOKKOS_INLINE_FUNCTION Real fitted_secant(int band, Real depth) const {
    auto const& of_band = tables.bands(band);
    return of_band.angle_slope * Kokkos::exp(-depth) + of_band.angle_intercept;
  }

 private:
  // Of the model, which lives longer.
  std::vector<int> const* m_gpoints;
  std::vector<int> const* m_pairs;
};

}  // namespace parhelion::fluxes::Impl

#endif
