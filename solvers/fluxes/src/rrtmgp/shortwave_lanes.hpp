// SPDX-License-Identifier: BSD-3-Clause
// The shortwave gas optics of RRTMGP as the kernel sees them.
#ifndef PARHELION_FLUXES_RRTMGP_SHORTWAVE_LANES_HPP
#define PARHELION_FLUXES_RRTMGP_SHORTWAVE_LANES_HPP

#include "lane_optics.hpp"
#include "rrtmgp/lane_clouds.hpp"
#include "rrtmgp/layer_terms.hpp"
#include "rrtmgp/tables.hpp"
#include "shortwave_optics.hpp"
#include "two_stream.hpp"

#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>
#include <parhelion/fluxes/shortwave.hpp>

#include <cstddef>
#include <vector>

namespace parhelion::fluxes::Impl {

template <class ExecutionSpace, class Real>
struct ShortwaveOptics<rrtmgp::Shortwave<ExecutionSpace, Real>> {
  using Tables = rrtmgp::Tables<ExecutionSpace, Real>;
  static constexpr int width = vector_lanes<ExecutionSpace, Real>;
  static constexpr int layers = vector_lanes<ExecutionSpace, Real>;
  using State = rrtmgp::State<Real, layers>;
  using Terms = AbsorptionTerms<Real, layers, 2>;
  using Exact = ExactTwoStream<Real, false>;
  using Clouds = rrtmgp::ShortwaveLaneClouds<ExecutionSpace, Real>;
  static constexpr bool has_shares = true;
  static constexpr bool uses_levels = false;
  static constexpr bool limits_sum = false;
  static constexpr bool has_table = false;
  static constexpr bool has_clouds = true;
  static constexpr double least_cosine =
      0x1p-26;  // square root of the smallest relative difference of numbers in double
  static constexpr bool has_gpoint_surface = false;
  static constexpr bool has_aerosol_types = true;
  static constexpr bool scales_aerosol_alone = true;
  static constexpr double heat_capacity = rrtmgp::constants::heat_capacity;
  static constexpr double gravity = rrtmgp::constants::gravity;

  Tables tables;
  rrtmgp::AerosolTables<ExecutionSpace, Real> aerosol_tables;

  explicit ShortwaveOptics(rrtmgp::Shortwave<ExecutionSpace, Real> const& model)
      : tables(model.tables()),
        aerosol_tables(model.aerosol_tables()),
        m_gpoints(&model.gpoints()),
        m_pairs(&model.pairs()),
        m_bands(&model.bands()) {}

  // --- on the host ---

  /// The terms of a band point to the first of its g-points.
  std::vector<ShortwaveLane> lanes() const {
    return make_lanes(*m_gpoints, std::vector<int>(m_gpoints->size()), [this](int gpoint) { return band(gpoint); });
  }

  static int nlane(ShortwaveCapacity const& capacity) {
    int n = 0;
    for (int const of_list : capacity.gpoints) n += of_list;
    return (n + lane_multiple - 1) / lane_multiple * lane_multiple;
  }
  static int nlist(ShortwaveCapacity const& capacity) { return static_cast<int>(capacity.gpoints.size()); }
  static int nband(ShortwaveCapacity const& capacity) { return capacity.nband; }

  /// All lanes may belong to both parts of the spectrum.
  static int nlane_uvvis() { return 0; }
  double uvvis_share(int gpoint) const {
    return rrtmgp::uvvis_share((*m_bands)[static_cast<std::size_t>(band(gpoint))]);
  }

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
  KOKKOS_INLINE_FUNCTION Real const* values() const { return tables.values.data(); }

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION int region(AnyColumns const& columns, int column, int layer) const {
    return tables.is_upper(columns.pressure_lay(column, layer)) ? 1 : 0;
  }

  /// The irradiance of the sun does not depend on it.
  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION static int reference_pressure(AnyColumns const&, int, int) {
    return 0;
  }

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION void set_state(State& state, AnyColumns const& columns, int column, int first,
                                        int last) const {
    rrtmgp::set_state(state, tables, columns, column, first, last);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, typename Terms::Packs packs, int band, State const& state) const {
    rrtmgp::set_terms(terms, packs, tables, band, state);
  }

  /// Vertical optical depths of the aerosol of a layer, not scaled.
  KOKKOS_INLINE_FUNCTION LayerOptics<Real> aerosol(ShortwaveColumns<ExecutionSpace, Real> const& columns, int column,
                                                   int layer, int band) const {
    auto const state =
        aerosol_tables.state(columns.aerosol_type(column, layer), columns.aerosol_size(column, layer),
                             columns.aerosol_mass(column, layer), columns.relative_humidity(column, layer));
    return aerosol_tables.template optics<true>(state, band);
  }

  struct Sun {};
  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION static Sun sun(int, AnyColumns const&, int, unsigned char const*, int) {
    return {};
  }

  /// \brief Irradiance of a lane normal to the beam [W m-2].
  /// \param weights of the solar spectra, see solar_source(): 1 the quiet sun, 2 faculae, 3 sunspots
  template <class Weights>
  KOKKOS_INLINE_FUNCTION Real irradiance(ShortwaveLane const& lane, Sun const&, Weights const& weights) const {
    Real const* const spectra = values() + tables.bands(lane.list).solar_row + lane.position;
    return weights(1) * spectra[0] + weights(2) * spectra[tables.stride] + weights(3) * spectra[2 * tables.stride];
  }

 private:
  // Of the model, which lives longer.
  std::vector<int> const* m_gpoints;
  std::vector<int> const* m_pairs;
  std::vector<BandLimits> const* m_bands;
};

}  // namespace parhelion::fluxes::Impl

#endif
