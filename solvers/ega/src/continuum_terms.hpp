// SPDX-License-Identifier: BSD-3-Clause
// Continuum absorption and extinction of a segment: terms of the segment and terms of the channel.
#ifndef PARHELION_EGA_CONTINUUM_TERMS_HPP
#define PARHELION_EGA_CONTINUUM_TERMS_HPP

#include "source.hpp"

#include <parhelion/core/exponential.hpp>
#include <parhelion/ega/jurassic_constants.hpp>
#include <parhelion/ega/model.hpp>
#include <parhelion/ega/validity.hpp>
#include "air_profiles.hpp"
#include "rays.hpp"

namespace parhelion::ega::Impl {

/// A vertical position: the level below and the fraction of the interval.
struct LevelPosition {
  int level;
  double weight;

  LevelPosition() = default;
  KOKKOS_INLINE_FUNCTION LevelPosition(double position, int nlev) {
    level = clamped_index(position, 0, nlev - 2);
    weight = position - level;
  }
  KOKKOS_INLINE_FUNCTION double of(double const* levels) const {
    return levels[level] + weight * (levels[level + 1] - levels[level]);
  }
};

/// Column of air in a segment [molecules cm-2]: that of a gas with mole fraction 1.
KOKKOS_INLINE_FUNCTION double air_column(RayPoint const& point) {
  return 1e-4 * point.pressure / (jurassic_constants::boltzmann * point.temperature) * point.length;
}

/// The arguments with which tables are evaluated.
struct LookupPlace {
  double pressure;     ///< [Pa]
  double temperature;  ///< [K]
};

/// Out of range, tables and continua are evaluated at the nearest end of the range. NaN stays NaN.
KOKKOS_INLINE_FUNCTION LookupPlace lookup_place(RayPoint const& point) {
  double const t = point.temperature;
  return {point.pressure > highest_pressure ? highest_pressure : point.pressure,
          t < lowest_temperature    ? lowest_temperature
          : t > highest_temperature ? highest_temperature
                                    : t};
}

/// Quantities of a segment that all gases use.
struct SegmentPlace {
  LookupPlace lookup;
  double air;  ///< column of air [molecules cm-2]
  LevelPosition level;
};

KOKKOS_INLINE_FUNCTION SegmentPlace segment_place(RayPoint const& point, int nlev) {
  return {lookup_place(point), air_column(point), LevelPosition(point.position, nlev)};
}

/// Quantities of a segment that all channels use.
template <Floating Real>
struct SegmentTerms {
  Real co2_296, co2_260, co2_230;  ///< factors of the CO2 coefficients
  Real h2o;                        ///< factor of the H2O continuum without the wavenumber
  Real h2o_mixing_ratio;
  Real n2, o2;       ///< factors of the collision-induced absorption
  Real temperature;  ///< temperature of the continua
  Real inverse_temperature;
  SourcePlace<Real> source;
  Real extinction;    ///< optical depth of aerosol in the window of the first channel
  Real length;        ///< [m]
  Real cloud_length;  ///< length times the shape of the cloud [m]
  int level;
  Real level_weight;
};

template <Floating Real, class Space>
KOKKOS_INLINE_FUNCTION SegmentTerms<Real> segment_terms(Model<Space, Real> const& model,
                                                        AirProfiles<Space> const& atmosphere, int profile,
                                                        int first_channel, RayPoint const& point,
                                                        SegmentPlace const& place) {
  SegmentTerms<Real> terms{};
  double const t = place.lookup.temperature;
  LevelPosition const at = place.level;
  double const column = place.air;
  double const relative_pressure = point.pressure / jurassic_constants::standard_pressure;
  if (model.co2 >= 0) {
    double const u = column * at.of(&atmosphere.mole_fraction(profile, model.co2, 0));
    double const factor = u / (jurassic_constants::avogadro * 1000) * relative_pressure;
    terms.co2_296 = static_cast<Real>(factor * 4.208754e-4 * (t - 230) * (t - 260));
    terms.co2_260 = static_cast<Real>(-factor * 9.259259e-4 * (t - 230) * (t - 296));
    terms.co2_230 = static_cast<Real>(factor * 5.050505e-4 * (t - 260) * (t - 296));
  }
  if (model.h2o >= 0) {
    double const q = at.of(&atmosphere.mole_fraction(profile, model.h2o, 0));
    terms.h2o = static_cast<Real>(column * q * (296 / t) * relative_pressure * 1e-20);
    terms.h2o_mixing_ratio = static_cast<Real>(q);
  }
  if (model.collisions) {
    double const density = relative_pressure * 273 / t;
    // 0.1 km-1 = 1e-4 m-1
    double const factor = 1e-4 * density * density * point.length;
    constexpr double n2 = 0.79;
    constexpr double o2 = 0.21;
    terms.n2 = static_cast<Real>(factor * n2 * (n2 + (1 - n2) * (1.294 - 0.4545 * t / 296)));
    terms.o2 = static_cast<Real>(factor * o2);
  }
  terms.temperature = static_cast<Real>(t);
  terms.inverse_temperature = static_cast<Real>(1 / t);
  terms.source = source_place<Real>(point.temperature);
  terms.extinction = static_cast<Real>(
      point.length * at.of(&atmosphere.extinction(profile, model.index(ChannelIndex::window, first_channel), 0)));
  terms.length = static_cast<Real>(point.length);
  if (atmosphere.has_cloud()) {
    AirInterval const& air = atmosphere.air(profile, at.level);
    double const altitude = air.altitude + at.weight / air.inverse_depth;
    double const off = (altitude - atmosphere.cloud_height(profile)) / atmosphere.cloud_depth(profile);
    terms.cloud_length = static_cast<Real>(point.length * Kokkos::exp(-0.5 * off * off));
  }
  terms.level = at.level;
  terms.level_weight = static_cast<Real>(at.weight);
  return terms;
}

/// Quantities of `pack` neighbouring channels that a segment uses.
template <Floating Real, int pack>
struct ChannelTerms {
  int first;  ///< index of the first channel
  Real co2[3][pack];
  Real h2o_self[pack], h2o_self_log[pack], h2o_foreign[pack];
  Real n2[pack], n2_beta[pack], o2[pack], o2_beta[pack];
  Real wavenumber[pack];
  int own_window[pack];  ///< window if it is not that of the first channel of the block, otherwise -1
  int cloud_node[pack];
  Real cloud_weight[pack];

  template <class Space>
  KOKKOS_INLINE_FUNCTION void load(Model<Space, Real> const& model, AirProfiles<Space> const& atmosphere, int channel) {
    first = channel;
    int const block_window = model.index(ChannelIndex::window, channel / model.tables.lanes * model.tables.lanes);
    for (int l = 0; l < pack; ++l) {
      int const c = channel + l;
      if (model.co2 >= 0) {
        co2[0][l] = model.coefficient(ChannelCoefficient::co2_296, c);
        co2[1][l] = model.coefficient(ChannelCoefficient::co2_260, c);
        co2[2][l] = model.coefficient(ChannelCoefficient::co2_230, c);
      }
      if (model.h2o >= 0) {
        wavenumber[l] = model.coefficient(ChannelCoefficient::wavenumber, c);
        h2o_self[l] = model.coefficient(ChannelCoefficient::h2o_self_296, c);
        h2o_self_log[l] = model.coefficient(ChannelCoefficient::h2o_self_log, c);
        h2o_foreign[l] = model.coefficient(ChannelCoefficient::h2o_foreign, c);
      }
      if (model.collisions) {
        n2[l] = model.coefficient(ChannelCoefficient::n2_strength, c);
        n2_beta[l] = model.coefficient(ChannelCoefficient::n2_beta, c);
        o2[l] = model.coefficient(ChannelCoefficient::o2_strength, c);
        o2_beta[l] = model.coefficient(ChannelCoefficient::o2_beta, c);
      }
      int const own = model.index(ChannelIndex::window, c);
      own_window[l] = own == block_window ? -1 : own;
      if (atmosphere.has_cloud()) {
        cloud_node[l] = model.index(ChannelIndex::cloud_node, c);
        cloud_weight[l] = model.coefficient(ChannelCoefficient::cloud_weight, c);
      }
    }
  }
};

/// Optical depth of aerosol and cloud in a segment and channel.
template <Floating Real, int pack, class Space>
KOKKOS_INLINE_FUNCTION Real extinction_depth(AirProfiles<Space> const& atmosphere, int profile,
                                             SegmentTerms<Real> const& terms, ChannelTerms<Real, pack> const& channels,
                                             int l) {
  Real depth = terms.extinction;
  if (channels.own_window[l] >= 0) {
    double const* const levels = &atmosphere.extinction(profile, channels.own_window[l], 0);
    Real const k0 = static_cast<Real>(levels[terms.level]);
    Real const k1 = static_cast<Real>(levels[terms.level + 1]);
    depth = terms.length * (k0 + terms.level_weight * (k1 - k0));
  }
  if (atmosphere.has_cloud()) {
    int const nodes = static_cast<int>(atmosphere.cloud_extinction.extent(1));
    int const node = channels.cloud_node[l];
    Real const c0 = static_cast<Real>(atmosphere.cloud_extinction(profile, node));
    Real const c1 = static_cast<Real>(atmosphere.cloud_extinction(profile, nodes > 1 ? node + 1 : node));
    depth += terms.cloud_length * (c0 + channels.cloud_weight[l] * (c1 - c0));
  }
  return depth;
}

/// Optical depth of the continua in a segment and channel.
template <Floating Real, int pack, class Space>
KOKKOS_INLINE_FUNCTION Real continuum_depth(Model<Space, Real> const& model, SegmentTerms<Real> const& terms,
                                            ChannelTerms<Real, pack> const& channels, int l) {
  Real depth = 0;
  if (model.co2 >= 0)
    depth +=
        terms.co2_296 * channels.co2[0][l] + terms.co2_260 * channels.co2[1][l] + terms.co2_230 * channels.co2[2][l];
  if (model.h2o >= 0) {
    Real const nu = channels.wavenumber[l];
    // tanh(x) = (1 - exp(-2x)) / (1 + exp(-2x)) with x = 0.7193876 nu / T
    constexpr Real exponent = static_cast<Real>(-2 * 0.7193876 * 1.4426950408889634074);
    auto const thermal = fast_attenuate_exp2(exponent * nu * terms.inverse_temperature);
    Real const self = channels.h2o_self[l] * exp_minus(-channels.h2o_self_log[l] * (296 - terms.temperature));
    Real const q = terms.h2o_mixing_ratio;
    depth += nu * terms.h2o * thermal.absorptivity / (1 + thermal.transmittance) *
             (q * self + (1 - q) * channels.h2o_foreign[l]);
  }
  if (model.collisions) {
    Real const warm = static_cast<Real>(1. / 296) - terms.inverse_temperature;
    depth += terms.n2 * channels.n2[l] * exp_minus(-channels.n2_beta[l] * warm) +
             terms.o2 * channels.o2[l] * exp_minus(-channels.o2_beta[l] * warm);
  }
  return depth;
}

}  // namespace parhelion::ega::Impl

#endif
