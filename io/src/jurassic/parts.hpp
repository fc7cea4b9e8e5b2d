// SPDX-License-Identifier: BSD-3-Clause
// What JURASSIC's files have in common: units, digits, and rays with their channels.
#ifndef PARHELION_IO_JURASSIC_PARTS_HPP
#define PARHELION_IO_JURASSIC_PARTS_HPP

#include "jurassic/text.hpp"

#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/observation.hpp>

#include <cstddef>

namespace parhelion::io {

inline constexpr double metres_per_km = 1e3;
inline constexpr double pascals_per_hPa = 1e2;

inline double from_per_km(double value) { return value / metres_per_km; }
inline double to_per_km(double value) { return value * metres_per_km; }

inline std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

/// Refuses digits that are not 1 to all_digits.
void check_digits(char const* function, int digits);

bool is_masked(ega::HostObservation const& observation, std::size_t ray, std::size_t channel);

/// Refuses rays whose arrays do not agree.
/// \param nchannel channels of the masks
void check_rays(char const* function, ega::HostObservation const& observation, std::size_t nchannel);

/// Refuses spectra that do not belong to the rays.
void check_spectra(char const* function, ega::HostObservation const& observation, ega::HostSpectra const& spectra,
                   std::size_t nchannel);

using HostPlaces = ega::Places<Kokkos::DefaultHostExecutionSpace, double>;

/// Altitude, longitude and latitude of place i.
void print_place(TextWriter& file, HostPlaces const& places, std::size_t i, int digits);

}  // namespace parhelion::io

#endif
