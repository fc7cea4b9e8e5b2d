// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of radiances along rays: growth with its slopes, then integration and the backward pass.
#ifndef PARHELION_EGA_ADJOINT_KERNELS_HPP
#define PARHELION_EGA_ADJOINT_KERNELS_HPP

#include "continuum_slopes.hpp"
#include "continuum_terms.hpp"
#include "growth_slopes.hpp"
#include "rays.hpp"

#include <parhelion/core/solver.hpp>
#include <parhelion/core/workspace.hpp>
#include <parhelion/ega/derivatives.hpp>

#include <cstddef>
#include <cstdint>

namespace parhelion::ega::Impl {

/// The arguments with which the tables of a gas are evaluated for a segment.
struct LookupPoint {
  double pressure;     ///< [Pa]; mean over the path with Curtis-Godson
  double temperature;  ///< [K]; likewise
  double column;       ///< of the gas in the segment, or in the path with Curtis-Godson [molecules cm-2]
};

/// Stored quantities of the growth in a segment. The transmittance of the path by the gas is exp(-d); the slopes are
/// derivatives of d behind the segment.
enum GrowthValue {
  segment_emissivity,  ///< or `opaque`, in which case there are no slopes
  by_depth,            ///< d before the segment
  by_column,
  by_pressure,
  by_temperature,
  growth_values
};

/// Stored quantities of a segment. In the backward pass, derivatives replace quantities that are no longer needed.
enum SegmentValue {
  emissivity_of,     ///< of all absorbers of the segment
  transmittance_to,  ///< from the observer to the segment
  downward_to,       ///< radiance that enters the segment from the side of the observer
  segment_values,
  by_altitude = emissivity_of,   ///< derivative of the radiance with respect to the altitude of the point [m-1]
  by_length = transmittance_to,  ///< the same, with respect to the length of the segment [m-1]
};

/// \brief Derivatives of the radiance with respect to quantities of the path behind a point.
///
/// These are the optical depth of a gas and, for Curtis-Godson means, the column and the column times pressure and
/// temperature.
enum PathAdjoint { of_depth, of_column, of_pressure, of_temperature, path_adjoints };

/// Finds the arguments with which the tables of a gas are evaluated along a ray.
template <class Space, Floating Real>
struct FindLookupPoints {
  Model<Space, Real> model;
  AirProfiles<Space> atmosphere;
  Observation<Space> observation;
  Rays<Space> rays;
  int first;
  WorkspaceArray<LookupPoint***, Space> lookup;

  KOKKOS_FUNCTION void operator()(int item) const {
    int const ray = item / model.ngas();
    int const gas = item % model.ngas();
    int const profile = observation.profile.size() > 0 ? observation.profile(first + ray) : 0;
    double const* const mole_fraction = &atmosphere.mole_fraction(profile, gas, 0);
    bool const means = model.options.method == Method::curtis_godson;
    double u = 0;
    double up = 0;
    double ut = 0;
    for (int i = 0; i < rays.summary(ray).npoint; ++i) {
      RayPoint const point = rays.point(ray, i);
      LookupPlace const here = lookup_place(point);
      double const column = air_column(point) * LevelPosition(point.position, atmosphere.nlev()).of(mole_fraction);
      u += column;
      up += column * here.pressure;
      ut += column * here.temperature;
      lookup(ray, i, gas) = means ? LookupPoint{u > 0 ? up / u : here.pressure, u > 0 ? ut / u : here.temperature, u}
                                  : LookupPoint{here.pressure, here.temperature, column};
    }
  }
};

/// Follows one gas along one ray in `pack` channels, up to where it is opaque, and stores the slopes of its growth.
template <class Space, Floating Real, int pack, bool float_slopes>
struct GrowWithSlopes {
  Model<Space, Real> model;
  Rays<Space> rays;
  WorkspaceArray<LookupPoint***, Space> lookup;
  WorkspaceArray<Real*****, Space> growth;

  KOKKOS_FUNCTION void operator()(int item) const {
    auto const& tables = model.tables;
    int const packs = model.nblock() * tables.lanes / pack;
    int const channel = item % packs * pack;
    int const gas = item / packs % model.ngas();
    int const ray = item / packs / model.ngas();
    int const grid = tables.block_grid(channel / tables.lanes, gas);
    if (grid == -1) return;
    bool const means = model.options.method == Method::curtis_godson;
    int const n = rays.summary(ray).npoint;
    Walk walk;
    for (int c = 0; c < 4; ++c) {
      walk.curve[c] = -1;
      for (int l = 0; l < pack; ++l) walk.last[c][l] = 0;
    }
    Real emissivity[pack];
    bool open[pack];
    for (int l = 0; l < pack; ++l) {
      emissivity[l] = 0;
      open[l] = tables.grid(gas, channel + l) >= 0;
    }
    for (int i = 0; i < n; ++i) {
      LookupPoint const point = lookup(ray, i, gas);
      for (int l = 0; l < pack; ++l) {
        walk.from[l] = means ? Real(0) : emissivity[l];
        walk.grown[l] = 0;
        for (int v = 0; v < growth_values; ++v) walk.slope[v][l] = 0;
      }
      if (grid >= 0) {
        add_corners<pack>(point, grid, gas, channel, 0, walk);
      } else {
        // Tables on several grids: one channel after another, each with its own corners.
        for (int l = 0; l < pack; ++l) {
          for (int c = 0; c < 4; ++c) walk.curve[c] = -1;
          if (open[l]) add_corners<1>(point, tables.grid(gas, channel + l), gas, channel, l, walk);
        }
      }
      Real* const to = &growth(ray, i, gas, 0, channel);
      std::size_t const stride = growth.extent(4);
      bool any = false;
      for (int l = 0; l < pack; ++l) {
        // As in GasPath::walk.
        Real const before = emissivity[l];
        bool const clamped = walk.from[l] + walk.grown[l] < Real(0);
        Real const after = clamped ? Real(0) : walk.from[l] + walk.grown[l];
        open[l] = open[l] && 1 - before >= opaque_transmittance<Real> && after < Real(1);
        to[segment_emissivity * stride + l] =
            open[l] ? (means || clamped ? after - before : walk.grown[l]) / (1 - before) : Real(opaque);
        Real const inverse = open[l] && !clamped ? 1 / (1 - after) : Real(0);
        to[by_depth * stride + l] = means ? Real(0) : walk.slope[by_depth][l] * (1 - before) * inverse;
        for (int v = by_column; v < growth_values; ++v) to[v * stride + l] = walk.slope[v][l] * inverse;
        if (open[l]) emissivity[l] = after;
        any = any || open[l];
      }
      if (!any) break;
    }
  }

 private:
  struct Walk {
    int last[4][pack];      ///< the points used last on the curves
    std::int64_t curve[4];  ///< the curves of these points
    Real from[pack];        ///< emissivity where growth begins
    Real grown[pack];
    Real slope[growth_values][pack];  ///< slopes of the growth; by_depth holds that with respect to `from`
  };

  /// Adds the growth at the four corners in `n` lanes of the pack, from `lane` on.
  template <int n>
  KOKKOS_INLINE_FUNCTION void add_corners(LookupPoint const& point, int grid, int gas, int channel, int lane,
                                          Walk& walk) const {
    auto const& tables = model.tables;
    bool const means = model.options.method == Method::curtis_godson;
    int const block = channel / tables.lanes;
    int const first_lane = channel % tables.lanes + lane;
    auto const corners = find_corners<Real>(tables, grid, point.pressure, point.temperature, means);
    auto const slopes = corner_slopes<Real>(tables, grid, corners, point.pressure, point.temperature, means);
    Real const column = static_cast<Real>(point.column);
    for (int c = 0; c < 4; ++c) {
      std::int64_t const curve = tables.first_curve(block, gas) + corners.curve[c];
      int* const last = walk.last[c] + lane;
      if (curve != walk.curve[c]) {
        walk.curve[c] = curve;
        int const* const most = &tables.npoint(curve, first_lane);
        for (int l = 0; l < n; ++l)
          if (last[l] > most[l]) last[l] = most[l];
      }
      auto const curves = curves_from(tables, curve, first_lane);
      for (int l = 0; l < n; ++l) {
        auto const grown =
            means ? look_up_with_slopes<Real, float_slopes>(curves.from(l), column, last[l])
                  : grow_with_slopes<Real, float_slopes>(curves.from(l), walk.from[lane + l], column, last[l]);
        walk.grown[lane + l] += corners.weight[c] * grown.growth;
        walk.slope[by_depth][lane + l] += corners.weight[c] * grown.by_emissivity;
        walk.slope[by_column][lane + l] += corners.weight[c] * grown.by_column;
        walk.slope[by_pressure][lane + l] += slopes.by_pressure[c] * grown.growth;
        walk.slope[by_temperature][lane + l] += slopes.by_temperature[c] * grown.growth;
      }
    }
  }
};

/// The contribution of the surface at the end of a ray, and its derivatives.
template <Floating Real>
struct SurfaceSlopes {
  Real radiance = 0;
  Real by_transmittance = 0;
  Real by_downward = 0;
  Real by_air_temperature = 0;  ///< [.. K-1]; 0 if the surface has its own temperature
  Real by_sun = 0;
};

/// As ForwardKernel::finish, with derivatives.
template <Floating Real, class Space>
KOKKOS_INLINE_FUNCTION SurfaceSlopes<Real> surface_slopes(Model<Space, Real> const& model,
                                                          AirProfiles<Space> const& atmosphere, int profile,
                                                          RaySummary const& summary, int channel, Real transmittance,
                                                          Real downward) {
  SurfaceSlopes<Real> surface;
  if (!summary.surface || model.options.surface == SurfaceType::none) return surface;
  double temperature = summary.surface_temperature;
  bool own_temperature = false;
  Real emissivity = 1;
  if (atmosphere.has_surface()) {
    own_temperature = atmosphere.surface_temperature(profile) > 0;
    if (own_temperature) temperature = atmosphere.surface_temperature(profile);
    int const nodes = static_cast<int>(atmosphere.surface_emissivity.extent(1));
    int const node = model.index(ChannelIndex::surface_node, channel);
    Real const e0 = static_cast<Real>(atmosphere.surface_emissivity(profile, node));
    Real const e1 = static_cast<Real>(atmosphere.surface_emissivity(profile, nodes > 1 ? node + 1 : node));
    emissivity = e0 + model.coefficient(ChannelCoefficient::surface_weight, channel) * (e1 - e0);
  }
  auto const at = source_place<Real>(temperature);
  Real const source = source_of(model, at, channel);
  surface.radiance = emissivity * source * transmittance;
  surface.by_transmittance = emissivity * source;
  if (!own_temperature)
    surface.by_air_temperature =
        emissivity * transmittance * source_rise(model, at, channel) * static_cast<Real>(1 / source_spacing);
  if (emissivity < Real(1) && model.options.surface >= SurfaceType::reflection) {
    Real reflected = downward;
    Real const share = 1 - emissivity;
    surface.by_downward = transmittance * share;
    if (model.options.surface >= SurfaceType::sunlight) {
      Real const sun = model.coefficient(ChannelCoefficient::sun_radiance, channel) * static_cast<Real>(summary.sun);
      reflected += sun * transmittance;
      surface.by_transmittance += sun * transmittance * share;
      surface.by_sun =
          model.coefficient(ChannelCoefficient::sun_radiance, channel) * transmittance * transmittance * share;
    }
    surface.radiance += reflected * transmittance * share;
    surface.by_transmittance += reflected * share;
  }
  return surface;
}

/// \brief Integrates one ray in `pack` channels, then goes back from its end to the observer.
template <class Space, Floating Real, int pack>
struct IntegrateAndReturn {
  Model<Space, Real> model;
  AirProfiles<Space> atmosphere;
  Observation<Space> observation;
  Rays<Space> rays;
  int first;  ///< index of the first ray of the batch
  WorkspaceArray<LookupPoint***, Space> lookup;
  WorkspaceArray<Real*****, Space> growth;
  WorkspaceArray<Real****, Space> segment;
  WorkspaceArray<Real****, Space> state;
  WorkspaceArray<Real**, Space> sun;
  SpectraDerivatives<Space, Real> result;
  NotFinite<Space> not_finite;

  KOKKOS_FUNCTION void operator()(int item) const {
    int const packs = model.nblock() * model.tables.lanes / pack;
    int const ray = item / packs;
    int const channel = item % packs * pack;
    int const profile = observation.profile.size() > 0 ? observation.profile(first + ray) : 0;
    int const left = model.nchannel - channel;
    int const live = left < pack ? left : pack;
    if (live <= 0) return;
    int count[pack];
    Real radiance[pack];
    Real transmittance[pack];
    Real downward[pack];
    integrate(ray, profile, channel, count, radiance, transmittance, downward);

    RaySummary const& summary = rays.summary(ray);
    bool const failed = summary.npoint < 0;
    Real const nothing = failed ? Kokkos::Experimental::quiet_NaN_v<Real> : Real(0);
    Real by_air_temperature[pack];
    for (int l = 0; l < pack; ++l) {
      auto const surface =
          surface_slopes(model, atmosphere, profile, summary, channel + l, transmittance[l], downward[l]);
      if (l < live) {
        Real const sum = nothing + radiance[l] + surface.radiance;
        Real const passed = nothing + transmittance[l];
        result.spectra.radiance(first + ray, channel + l) = sum;
        result.spectra.transmittance(first + ray, channel + l) = passed;
        not_finite.check(sum + passed, first + ray);
      }
      transmittance[l] = surface.by_transmittance;
      downward[l] = surface.by_downward;
      by_air_temperature[l] = surface.by_air_temperature;
      sun(ray, channel + l) = surface.by_sun;
    }
    if (channel == 0) store_summary(result.spectra, first + ray, summary);
    for (int row = 0; row < static_cast<int>(result.derivative.extent(1)); ++row)
      for (int level = 0; level < atmosphere.nlev(); ++level) {
        Real* const to = &result.derivative(first + ray, row, level, channel);
        for (int l = 0; l < live; ++l) to[l] = nothing;
      }
    go_back(ray, profile, channel, live, count, transmittance, downward, by_air_temperature);
  }

 private:
  KOKKOS_INLINE_FUNCTION bool in_tables(int gas, int channel) const {
    return model.tables.block_grid(channel / model.tables.lanes, gas) != -1;
  }

  KOKKOS_INLINE_FUNCTION SegmentTerms<Real> terms_of(int profile, int channel, RayPoint const& point) const {
    int const first_of_block = channel / model.tables.lanes * model.tables.lanes;
    return segment_terms(model, atmosphere, profile, first_of_block, point, segment_place(point, atmosphere.nlev()));
  }

  /// \brief From the observer to the end.
  /// \param count number of segments before the first opaque one
  KOKKOS_INLINE_FUNCTION void integrate(int ray, int profile, int channel, int* count, Real* radiance,
                                        Real* transmittance, Real* downward) const {
    std::size_t const stride = growth.extent(4);
    for (int l = 0; l < pack; ++l) {
      count[l] = 0;
      radiance[l] = 0;
      transmittance[l] = 1;
      downward[l] = 0;
    }
    int const n = rays.summary(ray).npoint;
    ChannelTerms<Real, pack> channels{};
    channels.load(model, atmosphere, channel);
    for (int i = 0; i < n; ++i) {
      Real gases[pack];
      for (int l = 0; l < pack; ++l) gases[l] = 0;
      for (int g = 0; g < model.ngas(); ++g) {
        if (!in_tables(g, channel)) continue;
        Real const* const from = &growth(ray, i, g, segment_emissivity, channel);
        int const* const grid = &model.tables.grid(g, channel);
        // There are no stored quantities behind an opaque segment.
        for (int l = 0; l < pack; ++l) gases[l] = overlap(gases[l], grid[l] >= 0 && count[l] == i ? from[l] : Real(0));
      }
      auto const terms = terms_of(profile, channel, rays.point(ray, i));
      Real* const kept = &segment(ray, i, 0, channel);
      for (int l = 0; l < pack; ++l) {
        Real const depth =
            continuum_depth(model, terms, channels, l) + extinction_depth(atmosphere, profile, terms, channels, l);
        auto const attenuation = attenuate_exp2(depth * static_cast<Real>(-1.4426950408889634074));
        bool const open = count[l] == i && gases[l] <= Real(1);
        Real const emissivity = open ? gases[l] + (1 - gases[l]) * attenuation.absorptivity : Real(0);
        Real const emitted = source_of(model, terms.source, channel + l) * emissivity;
        kept[emissivity_of * stride + l] = emissivity;
        kept[transmittance_to * stride + l] = transmittance[l];
        kept[downward_to * stride + l] = downward[l];
        radiance[l] += emitted * transmittance[l];
        transmittance[l] *= 1 - emissivity;
        downward[l] = downward[l] * (1 - emissivity) + emitted;
        if (open) count[l] = i + 1;
      }
    }
  }

  /// \brief Back to the observer.
  /// \param transmittance, downward derivatives of the radiance with respect to those at the end
  KOKKOS_INLINE_FUNCTION void go_back(int ray, int profile, int channel, int live, int const* count,
                                      Real* transmittance, Real* downward, Real const* by_air_temperature) const {
    std::size_t const stride = growth.extent(4);
    bool const means = model.options.method == Method::curtis_godson;
    int const n = rays.summary(ray).npoint;
    for (int g = 0; g < model.ngas(); ++g)
      for (int s = 0; s < path_adjoints; ++s)
        for (int l = 0; l < pack; ++l) state(ray, g, s, channel + l) = 0;
    for (int i = n - 1; i >= 0; --i) {
      RayPoint const point = rays.point(ray, i);
      LevelPosition const at(point.position, atmosphere.nlev());
      AirInterval const& air = atmosphere.air(profile, at.level);
      auto const terms = terms_of(profile, channel, point);
      auto const factors = continuum_factors(model, atmosphere, profile, point);
      Real* const kept = &segment(ray, i, 0, channel);
      // Derivatives of the radiance with respect to optical depth, pressure etc. of the segment.
      Real depth[pack];
      Real pressure[pack];
      Real temperature[pack];
      Real length[pack];
      Real altitude[pack];
      Real co2[pack];
      Real h2o[pack];
      for (int l = 0; l < pack; ++l) {
        int const c = channel + l;
        Real const source = source_of(model, terms.source, c);
        bool const open = i < count[l];
        Real const emissivity = kept[emissivity_of * stride + l];
        Real const passed = kept[transmittance_to * stride + l];
        Real const by_source = emissivity * (passed + downward[l]);
        Real const by_emissivity =
            (source - transmittance[l]) * passed + downward[l] * (source - kept[downward_to * stride + l]);
        depth[l] = open ? by_emissivity * (1 - emissivity) : Real(0);
        transmittance[l] = transmittance[l] * (1 - emissivity) + source * emissivity;
        downward[l] *= 1 - emissivity;
        temperature[l] = by_source * source_rise(model, terms.source, c) * static_cast<Real>(1 / source_spacing);
        if (i == n - 1) temperature[l] += by_air_temperature[l];
        auto const continuum = continuum_slopes(model, terms, factors, c);
        pressure[l] = depth[l] * continuum.pressure;
        temperature[l] += depth[l] * continuum.temperature;
        length[l] = depth[l] * continuum.length;
        co2[l] = depth[l] * continuum.co2;
        h2o[l] = depth[l] * continuum.h2o;
      }
      add_extinction(ray, profile, channel, live, at, air, terms, depth, length, altitude);
      add_gases(ray, profile, channel, live, i, means, at, point, air, count, depth, co2, h2o, pressure, temperature,
                length, altitude);
      double const below = static_cast<double>(1 - at.weight);
      add_to_levels(ray, derivative_row::pressure, at.level, channel, live,
                    static_cast<Real>(below * point.pressure / air.pressure),
                    static_cast<Real>(at.weight * point.pressure / atmosphere_pressure(profile, at.level, air)),
                    pressure);
      add_to_levels(ray, derivative_row::temperature, at.level, channel, live, static_cast<Real>(below),
                    static_cast<Real>(at.weight), temperature);
      Real const pressure_slope = static_cast<Real>(point.pressure * air.pressure_slope);
      Real const temperature_slope = static_cast<Real>(air.temperature_slope);
      for (int l = 0; l < pack; ++l) {
        kept[by_altitude * stride + l] =
            altitude[l] + pressure[l] * pressure_slope + temperature[l] * temperature_slope;
        kept[by_length * stride + l] = length[l];
      }
    }
  }

  /// Pressure at the upper level of an interval [Pa].
  KOKKOS_INLINE_FUNCTION double atmosphere_pressure(int profile, int level, AirInterval const& air) const {
    if (level + 2 < atmosphere.nlev()) return atmosphere.air(profile, level + 1).pressure;
    return air.pressure * Kokkos::exp(air.pressure_slope / air.inverse_depth);
  }

  /// Adds to the derivatives with respect to the values of a row at a level and the one above.
  KOKKOS_INLINE_FUNCTION void add_to_levels(int ray, int row, int level, int channel, int live, Real lower, Real upper,
                                            Real const* values) const {
    Real* const below = &result.derivative(first + ray, row, level, channel);
    Real* const above = &result.derivative(first + ray, row, level + 1, channel);
    for (int l = 0; l < live; ++l) {
      below[l] += lower * values[l];
      above[l] += upper * values[l];
    }
  }

  /// Aerosol and cloud.
  KOKKOS_INLINE_FUNCTION void add_extinction(int ray, int profile, int channel, int live, LevelPosition const& at,
                                             AirInterval const& air, SegmentTerms<Real> const& terms, Real const* depth,
                                             Real* length, Real* altitude) const {
    Real by_extinction[pack];
    for (int l = 0; l < pack; ++l) {
      double const* const levels =
          &atmosphere.extinction(profile, model.index(ChannelIndex::window, channel + l), at.level);
      length[l] += depth[l] * static_cast<Real>(levels[0] + at.weight * (levels[1] - levels[0]));
      by_extinction[l] = depth[l] * terms.length;
      altitude[l] = by_extinction[l] * static_cast<Real>((levels[1] - levels[0]) * air.inverse_depth);
    }
    add_to_levels(ray, derivative_row::extinction(model.ngas()), at.level, channel, live,
                  static_cast<Real>(1 - at.weight), static_cast<Real>(at.weight), by_extinction);
    if (!atmosphere.has_cloud()) return;
    int const nodes = static_cast<int>(atmosphere.cloud_extinction.extent(1));
    double const spread = atmosphere.cloud_depth(profile);
    double const off = (air.altitude + at.weight / air.inverse_depth - atmosphere.cloud_height(profile)) / spread;
    Real const shape = static_cast<Real>(Kokkos::exp(-0.5 * off * off));
    Real const length_slope = static_cast<Real>(-off / spread) * terms.cloud_length;
    for (int l = 0; l < pack; ++l) {
      int const node = model.index(ChannelIndex::cloud_node, channel + l);
      Real const c0 = static_cast<Real>(atmosphere.cloud_extinction(profile, node));
      Real const c1 = static_cast<Real>(atmosphere.cloud_extinction(profile, nodes > 1 ? node + 1 : node));
      Real const extinction = c0 + model.coefficient(ChannelCoefficient::cloud_weight, channel + l) * (c1 - c0);
      length[l] += depth[l] * extinction * shape;
      altitude[l] += depth[l] * extinction * length_slope;
    }
  }

  /// Growth and mole fractions.
  KOKKOS_INLINE_FUNCTION void add_gases(int ray, int profile, int channel, int live, int i, bool means,
                                        LevelPosition const& at, RayPoint const& point, AirInterval const& air,
                                        int const* count, Real const* depth, Real const* co2, Real const* h2o,
                                        Real* pressure, Real* temperature, Real* length, Real* altitude) const {
    std::size_t const stride = growth.extent(4);
    double const column_per_length = 1e-4 * point.pressure / (jurassic_constants::boltzmann * point.temperature);
    Real const column = static_cast<Real>(column_per_length * point.length);
    LookupPlace const here = lookup_place(point);
    // Out of range, tables are evaluated at the end of the range and do not depend on pressure and temperature.
    Real const pressure_counts = here.pressure == point.pressure ? Real(1) : Real(0);
    Real const temperature_counts = here.temperature == point.temperature ? Real(1) : Real(0);
    // Sum of the derivatives with respect to columns times mole fractions.
    Real by_air[pack];
    for (int l = 0; l < pack; ++l) by_air[l] = 0;
    for (int g = 0; g < model.ngas(); ++g) {
      double const* const levels = &atmosphere.mole_fraction(profile, g, at.level);
      Real const q = static_cast<Real>(levels[0] + at.weight * (levels[1] - levels[0]));
      Real const slope = static_cast<Real>((levels[1] - levels[0]) * air.inverse_depth);
      Real by_mole_fraction[pack];
      for (int l = 0; l < pack; ++l) by_mole_fraction[l] = g == model.co2 ? co2[l] : Real(0);
      if (g == model.h2o)
        for (int l = 0; l < pack; ++l) by_mole_fraction[l] += h2o[l];
      if (in_tables(g, channel)) {
        Real const* const grown = &growth(ray, i, g, 0, channel);
        Real* const path = &state(ray, g, 0, channel);
        int const* const grid = &model.tables.grid(g, channel);
        LookupPoint const place = means ? lookup(ray, i, g) : LookupPoint{0, 0, 0};
        Real const inverse = means && place.column > 0 ? static_cast<Real>(1 / place.column) : Real(0);
        for (int l = 0; l < pack; ++l) {
          bool const used = i < count[l] && grid[l] >= 0;
          Real const behind = depth[l] + path[of_depth * stride + l];
          Real by_column_of_gas = used ? behind * grown[by_column * stride + l] : Real(0);
          Real by_p = used ? behind * grown[by_pressure * stride + l] : Real(0);
          Real by_t = used ? behind * grown[by_temperature * stride + l] : Real(0);
          path[of_depth * stride + l] = used ? behind * grown[by_depth * stride + l] - depth[l] : Real(0);
          if (means) {
            // Derivatives with respect to sums along the path, of which this segment is a part.
            by_column_of_gas = path[of_column * stride + l] +=
                by_column_of_gas -
                (by_p * static_cast<Real>(place.pressure) + by_t * static_cast<Real>(place.temperature)) * inverse;
            by_p = path[of_pressure * stride + l] += by_p * inverse;
            by_t = path[of_temperature * stride + l] += by_t * inverse;
            by_column_of_gas += by_p * static_cast<Real>(here.pressure) + by_t * static_cast<Real>(here.temperature);
            by_p *= column * q;
            by_t *= column * q;
          }
          pressure[l] += by_p * pressure_counts;
          temperature[l] += by_t * temperature_counts;
          by_air[l] += by_column_of_gas * q;
          by_mole_fraction[l] += by_column_of_gas * column;
        }
      }
      for (int l = 0; l < pack; ++l) altitude[l] += by_mole_fraction[l] * slope;
      add_to_levels(ray, derivative_row::first_gas + g, at.level, channel, live, static_cast<Real>(1 - at.weight),
                    static_cast<Real>(at.weight), by_mole_fraction);
    }
    Real const per_pressure = static_cast<Real>(1 / point.pressure);
    Real const per_kelvin = static_cast<Real>(1 / point.temperature);
    for (int l = 0; l < pack; ++l) {
      pressure[l] += by_air[l] * column * per_pressure;
      temperature[l] -= by_air[l] * column * per_kelvin;
      length[l] += by_air[l] * static_cast<Real>(column_per_length);
    }
  }
};

}  // namespace parhelion::ega::Impl

#endif
