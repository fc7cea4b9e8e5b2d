// SPDX-License-Identifier: BSD-3-Clause
// The shortwave gas optics of ecCKD as the kernel sees them.
#ifndef PARHELION_FLUXES_ECCKD_SHORTWAVE_LANES_HPP
#define PARHELION_FLUXES_ECCKD_SHORTWAVE_LANES_HPP

#include "absorption_terms.hpp"
#include "clouds/shortwave_lane_clouds.hpp"
#include "ecckd/layer_terms.hpp"
#include "lane_optics.hpp"
#include "rrtmgp/lane_clouds.hpp"
#include "shortwave_optics.hpp"
#include "two_stream.hpp"

#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/shortwave.hpp>

#include <vector>

namespace parhelion::fluxes::Impl {

template <class ExecutionSpace, class Real>
struct ShortwaveOptics<ecckd::Shortwave<ExecutionSpace, Real>> {
  using Tables = ecckd::Tables<ExecutionSpace, Real>;
  static constexpr int width = vector_lanes<ExecutionSpace, Real>;
  static constexpr int layers = vector_lanes<ExecutionSpace, Real>;
  using State = ecckd::LayerState<Real, layers>;
  using Terms = AbsorptionTerms<Real, layers, 1, ecckd::pairs_together<Real, layers>>;
  using Exact = ExactTwoStream<Real, false, false>;
  using Clouds = rrtmgp::ShortwaveLaneClouds<ExecutionSpace, Real>;
  static constexpr bool has_shares = true;
  static constexpr bool uses_levels = true;
  static constexpr bool limits_sum = true;
  static constexpr bool has_table = false;
  static constexpr bool has_clouds = true;
  static constexpr double least_cosine = 1e-10;
  static constexpr bool has_gpoint_surface = true;
  static constexpr bool has_aerosol_types = false;
  static constexpr bool scales_aerosol_alone = true;
  static constexpr double heat_capacity = ecckd::model_constants::heat_capacity;
  static constexpr double gravity = ecckd::model_constants::gravity;

  Tables tables;
  int const* band_of_gpoints;       ///< on the host
  double const* shares_of_gpoints;  ///< on the host

  explicit ShortwaveOptics(ecckd::Shortwave<ExecutionSpace, Real> const& model)
      : tables(model.tables()),
        band_of_gpoints(model.band_of_gpoints().data()),
        shares_of_gpoints(model.uvvis_share().data()) {}

  static int nlane(ShortwaveCapacity const& capacity) {
    int n = 0;
    for (int const gpoints : capacity.gpoints) n += gpoints;
    return (n + lane_multiple - 1) / lane_multiple * lane_multiple;
  }
  static int nlist(ShortwaveCapacity const&) { return 1; }
  static int nband(ShortwaveCapacity const& capacity) { return capacity.nband; }

  /// All g-points share a list.
  KOKKOS_INLINE_FUNCTION static constexpr int nlist() { return 1; }
  KOKKOS_INLINE_FUNCTION int nband() const { return tables.nband; }
  KOKKOS_INLINE_FUNCTION int stride() const { return tables.stride; }
  int pairs(int) const { return tables.npair; }
  int nlane_uvvis() const { return tables.stride; }
  double uvvis_share(int gpoint) const { return shares_of_gpoints[gpoint]; }

  /// The g-points in their order, and padding.
  std::vector<ShortwaveLane> lanes() const {
    static_assert(Tables::lane_multiple == lane_multiple, "the rows are padded as the lanes are");
    return make_lanes({tables.ngpoint}, {0}, [this](int gpoint) { return band_of_gpoints[gpoint]; });
  }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return tables.values.data(); }

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION int region(AnyColumns const&, int, int) const {
    return 0;
  }

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION int reference_pressure(AnyColumns const&, int, int) const {
    return 0;
  }

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION void set_state(State& state, AnyColumns const& columns, int column, int first, int) const {
    ecckd::set_state(state, tables, columns, column, first);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, typename Terms::Packs packs, int, State const& state) const {
    ecckd::set_shortwave_terms(terms, packs, tables, state);
  }

  /// The irradiance of the sun does not depend on the atmosphere.
  struct Sun {};

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION Sun sun(int, AnyColumns const&, int, unsigned char const*, int) const {
    return {};
  }

  /// Irradiance of a lane normal to the beam [W m-2].
  /// \param weights of which number 0 is the irradiance of all g-points [W m-2]
  template <class Weights>
  KOKKOS_INLINE_FUNCTION Real irradiance(ShortwaveLane const& lane, Sun const&, Weights const& weights) const {
    return lane.gpoint < 0 ? Real(0) : weights(0) * tables.solar_share(lane.gpoint);
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
