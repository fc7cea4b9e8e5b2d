// SPDX-License-Identifier: BSD-3-Clause
// The gas optics of RRTMG_SW as the shortwave kernel sees them.
#ifndef PARHELION_FLUXES_RRTMG_SW_GAS_OPTICS_LANES_HPP
#define PARHELION_FLUXES_RRTMG_SW_GAS_OPTICS_LANES_HPP

#include "clouds/shortwave_lane_clouds.hpp"
#include "lane_optics.hpp"
#include "rrtmg_sw/band_descriptions.hpp"
#include "rrtmg_sw/band_terms.hpp"
#include "shortwave_optics.hpp"
#include "two_stream.hpp"

#include <parhelion/fluxes/rrtmg_sw/gas_optics.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace parhelion::fluxes::Impl {

template <class ExecutionSpace, class Real>
struct ShortwaveOptics<ShortwaveGasOptics<ExecutionSpace, Real>> {
  static constexpr int width = vector_lanes<ExecutionSpace, Real>;
  static constexpr int layers = vector_lanes<ExecutionSpace, Real>;
  using State = rrtmg_sw::InterpolationState<Real, layers>;
  using Terms = AbsorptionTerms<Real, layers>;
  using Exact = ExactTwoStream<Real>;
  using Clouds = ShortwaveLaneClouds<ExecutionSpace, Real>;
  static constexpr bool has_shares = false;
  static constexpr bool uses_levels = false;
  static constexpr bool limits_sum = false;
  static constexpr bool has_table = true;
  static constexpr bool has_clouds = true;
  static constexpr double least_cosine = 1e-10;
  static constexpr bool has_gpoint_surface = false;
  static constexpr bool has_aerosol_types = false;
  static constexpr bool scales_aerosol_alone = false;
  static constexpr double heat_capacity = rrtmg_lw::model_constants::heat_capacity;
  static constexpr double gravity = rrtmg_lw::model_constants::gravity;

  rrtmg_sw::GasOpticsTables<ExecutionSpace, Real> tables;

  explicit ShortwaveOptics(ShortwaveGasOptics<ExecutionSpace, Real> const& model) : tables(model.tables()) {}

  static int nlane(ShortwaveCapacity const&) { return static_cast<int>(lanes().size()); }
  static int nlist(ShortwaveCapacity const&) { return nbnd_sw; }
  static int nband(ShortwaveCapacity const&) { return nbnd_sw; }

  KOKKOS_INLINE_FUNCTION static constexpr auto stride() { return ConstantStride<rrtmg_sw::row_stride>(); }
  KOKKOS_INLINE_FUNCTION static constexpr int nlist() { return nbnd_sw; }
  KOKKOS_INLINE_FUNCTION static constexpr int nband() { return nbnd_sw; }

  static int pairs(int band) {
    return rrtmg_sw::max_pairs(rrtmg_sw::band_descriptions()[static_cast<std::size_t>(band)]);
  }

  static std::vector<ShortwaveLane> lanes() {
    // Threads that run in step have lists of similar length.
    std::vector<int> order(nbnd_sw);
    std::vector<int> first_gpoint(nbnd_sw);
    int gpoint = 0;
    for (int band = 0; band < nbnd_sw; ++band) {
      order[static_cast<std::size_t>(band)] = band;
      first_gpoint[static_cast<std::size_t>(band)] = gpoint;
      gpoint += shortwave_bands()[static_cast<std::size_t>(band)].ng;
    }
    std::stable_sort(order.begin(), order.end(),
                     [](int a, int b) { return is_uvvis(a) != is_uvvis(b) ? is_uvvis(a) : pairs(a) < pairs(b); });
    std::vector<ShortwaveLane> result;
    for (bool const uvvis : {true, false}) {
      for (int const band : order)
        if (is_uvvis(band) == uvvis)
          for (int g = 0; g < shortwave_bands()[static_cast<std::size_t>(band)].ng; ++g)
            result.push_back({band, g, first_gpoint[static_cast<std::size_t>(band)] + g, band});
      ShortwaveLane padding = result.back();
      padding.gpoint = -1;
      while (result.size() % lane_multiple != 0) result.push_back(padding);
    }
    return result;
  }

  static int nlane_uvvis() {
    int n = 0;
    for (int band = 0; band < nbnd_sw; ++band)
      if (is_uvvis(band)) n += shortwave_bands()[static_cast<std::size_t>(band)].ng;
    return (n + lane_multiple - 1) / lane_multiple * lane_multiple;
  }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return tables.values.data(); }

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION int region(AnyColumns const& columns, int column, int layer) const {
    return rrtmg_lw::is_upper(columns.pressure_lay(column, layer)) ? 1 : 0;
  }

  /// Counted from 1.
  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION int reference_pressure(AnyColumns const& columns, int column, int layer) const {
    Real const pressure = columns.pressure_lay(column, layer);
    return rrtmg_lw::reference_pressure(Kokkos::log(pressure / 100), rrtmg_lw::is_upper(pressure)) + 1;
  }

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION void set_state(State& state, AnyColumns const& columns, int column, int first,
                                        int last) const {
    rrtmg_lw::set_interpolation_state(state, tables, columns, column, first, last);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, typename Terms::Packs packs, int band, State const& state) const {
    rrtmg_sw::set_terms(terms, packs, tables, band, state);
  }

  using Sun = rrtmg_sw::SolarPosition<Real>;

  /// \param reference_pressure of each layer
  /// \param lower              number of layers of region 0
  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION Sun sun(int band, AnyColumns const& columns, int column,
                                 unsigned char const* reference_pressure, int lower) const {
    auto const& rows = tables.bands(band);
    int const layer = rrtmg_sw::solar_layer([&](int l) { return static_cast<int>(reference_pressure[l]); }, lower,
                                            columns.nlay(), rows.solar_half == 1, rows.solar_layer);
    return rrtmg_sw::solar_position(tables, rows, columns, column, layer);
  }

  /// Irradiance of a lane normal to the beam [W m-2].
  template <class Weights>
  KOKKOS_INLINE_FUNCTION Real irradiance(ShortwaveLane const& lane, Sun const& sun, Weights const& weights) const {
    return rrtmg_sw::solar_irradiance(tables.bands(lane.list), values() + lane.position, sun, weights);
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
