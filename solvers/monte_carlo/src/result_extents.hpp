// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_RESULT_EXTENTS_HPP
#define PARHELION_MONTE_CARLO_RESULT_EXTENTS_HPP

#include <parhelion/core/arrays.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace parhelion::monte_carlo::Impl {

/// The number of arrays of results, in the order of their descriptions, that are not of walls.
inline constexpr std::size_t of_walls = 7;

/// \brief Refuses results whose extents are not those of a grid, and fluxes of sides without fluxes.
/// \param where    begins the message
/// \param cells    along the axes, see Grid::dimensions
/// \param has_flux whether each side has fluxes
/// \param arrays   in the order of the descriptions, on any device
/// \throws parhelion::Error naming the array, what was found and what was expected
void check_extents_of_results(std::string_view where, Dimensions cells, std::array<bool, 6> const& has_flux,
                              std::vector<ConstArrayRef> const& arrays);

}  // namespace parhelion::monte_carlo::Impl

#endif
