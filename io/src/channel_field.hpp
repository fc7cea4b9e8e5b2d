// SPDX-License-Identifier: BSD-3-Clause
// A synthetic turbulent channel flow in the box of that in section 6 of Silvestri & Pecnik (2019).
#ifndef PARHELION_IO_CHANNEL_FIELD_HPP
#define PARHELION_IO_CHANNEL_FIELD_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/grid.hpp>

#include <numbers>

namespace parhelion::io::Impl {

inline constexpr double channel_length = 4 * std::numbers::pi;  // along x [m]
inline constexpr double channel_height = 2;                     // along y [m]
inline constexpr double channel_width = 2 * std::numbers::pi;   // along z [m]
inline constexpr double channel_hot = 955;                      // wall at the lower end of y [K]
inline constexpr double channel_cold = 573;                     // wall at the upper end of y [K]

/// \brief Temperatures of a turbulent channel: a field to measure with, not a solution of any equation.
///
/// A logarithmic mean profile between the walls plus random Fourier modes, whose variance falls with the wavenumber as
/// its power -5/3, that vanish at the walls; clipped to the temperatures of the walls. Periodic along x and z. A place
/// has the same temperature on every grid and machine, but for rounding.
/// \param grid of the box
/// \return [K], (x, y, z), in [channel_cold, channel_hot]
HostArray<double***> channel_temperature(monte_carlo::Grid const& grid);

}  // namespace parhelion::io::Impl

#endif
