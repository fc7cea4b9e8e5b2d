// SPDX-License-Identifier: BSD-3-Clause
// The source function of a channel: its table, and the extrapolation beyond its ends.
#ifndef PARHELION_EGA_SOURCE_HPP
#define PARHELION_EGA_SOURCE_HPP

#include <parhelion/core/interpolate.hpp>
#include <parhelion/ega/channels.hpp>
#include <parhelion/ega/jurassic_constants.hpp>
#include <parhelion/ega/model.hpp>

namespace parhelion::ega::Impl {

inline constexpr double source_spacing =
    (source_last_temperature - source_first_temperature) / (source_temperatures - 1);

/// The position of a temperature in the source tables.
template <Floating Real>
struct SourcePlace {
  int index;    ///< index of the node below
  Real weight;  ///< weight of the node above
  Real beyond;  ///< 0 within the tables; otherwise the temperature [K], and the other members are those of the nearest
                ///< end
};

template <Floating Real>
KOKKOS_INLINE_FUNCTION SourcePlace<Real> source_place(double temperature) {
  double const steps = (temperature - source_first_temperature) / source_spacing;
  int const i = clamped_index(steps, 0, source_temperatures - 2);
  if (temperature < source_first_temperature) return {0, Real(0), static_cast<Real>(temperature)};
  if (temperature > source_last_temperature) return {source_temperatures - 2, Real(1), static_cast<Real>(temperature)};
  return {i, static_cast<Real>(steps - i), Real(0)};
}

/// \brief The ratio of the Planck radiance at a temperature beyond the tables to that at their nearest end, at one
///        wavenumber. It extrapolates the table of a narrow channel to positive values, continuously at the end.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_beyond(Real wavenumber, Real temperature) {
  double const t = static_cast<double>(temperature);
  double const photon = jurassic_constants::second_radiation * static_cast<double>(wavenumber);
  double const here = photon / t;
  double const at_end = photon / (t < source_first_temperature ? source_first_temperature : source_last_temperature);
  return static_cast<Real>(Kokkos::exp(at_end - here) * (Kokkos::expm1(-at_end) / Kokkos::expm1(-here)));
}

/// Source of a channel [W m-2 sr-1 (cm-1)-1].
template <Floating Real, class Space>
KOKKOS_INLINE_FUNCTION Real source_of(Model<Space, Real> const& model, SourcePlace<Real> const& at, int channel) {
  Real const below = model.source(at.index, channel);
  Real const above = model.source(at.index + 1, channel);
  Real const source = below + at.weight * (above - below);
  return at.beyond > 0 ? source * planck_beyond(model.coefficient(ChannelCoefficient::wavenumber, channel), at.beyond)
                       : source;
}

/// The derivative of the source with respect to temperature times source_spacing.
template <Floating Real, class Space>
KOKKOS_INLINE_FUNCTION Real source_rise(Model<Space, Real> const& model, SourcePlace<Real> const& at, int channel) {
  if (at.beyond > 0) {
    Real const photon = static_cast<Real>(jurassic_constants::second_radiation) *
                        model.coefficient(ChannelCoefficient::wavenumber, channel) / at.beyond;
    return source_of(model, at, channel) * photon / at.beyond / -Kokkos::expm1(-photon) *
           static_cast<Real>(source_spacing);
  }
  return model.source(at.index + 1, channel) - model.source(at.index, channel);
}

}  // namespace parhelion::ega::Impl

#endif
