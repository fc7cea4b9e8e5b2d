// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SUBCOLUMNS_HPP
#define PARHELION_FLUXES_SUBCOLUMNS_HPP

#include <parhelion/fluxes/columns.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Subcolumns of partly cloudy columns, one for each g-point, in which a layer is cloudy or clear (Pincus, Barker &
/// Morcrette 2003, doi:10.1029/2002JD003322). Whether it is, is a function of (seed, column, g-point, layer).
namespace parhelion::fluxes {

/// How clouds of different layers lie over each other; values are those of `icld`.
enum class Overlap : int {
  random = 1,
  maximum_random = 2,     ///< maximum within neighbouring cloudy layers, random where a clear one lies between
  maximum = 3,            ///< all over each other
  exponential = 4,        ///< from maximum to random with the distance
  exponential_random = 5  ///< the same within neighbouring cloudy layers, random where a clear one lies between
};

/// Names of the overlaps: random, maximum-random, maximum, exponential, exponential-random.
std::vector<std::string> const& overlap_names();

/// \throws parhelion::Error naming those that there are
Overlap overlap_of(std::string const& name);

std::string const& name_of(Overlap overlap);

/// Whether an overlap goes from maximum to random with the distance.
KOKKOS_INLINE_FUNCTION bool is_exponential(Overlap overlap) {
  return overlap == Overlap::exponential || overlap == Overlap::exponential_random;
}

inline constexpr double default_decorrelation_length = 2500;  ///< [m]

/// \brief Distance over which the overlap of clouds decreases by a factor of e [m], from 1.4 to 3.6 km: Oreopoulos et
///        al. (2012), doi:10.5194/acp-12-9097-2012.
/// \param latitude    [degrees north]
/// \param day_of_year 1 .. 366
double decorrelation_length(double latitude, int day_of_year);

/// \brief Correlation of the clouds of each layer with those of the layer above: exp(-distance / length).
///
/// The distance is that between the middles of both, from pressure and temperature.
/// \param space   execution space instance; work is enqueued there and not fenced
/// \param columns pressure_lay and temperature_lev are used
/// \param length  [m], (ncol), > 0
/// \param result  [1], (ncol, nlay), in (0, 1); 0 in the highest layer
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void overlap_correlation(ExecutionSpace const& space, Columns<ExecutionSpace, Real> const& columns,
                         Array<Real*, ExecutionSpace> const& length, Array<Real**, ExecutionSpace> const& result);

/// \brief Draws which layers are cloudy in each subcolumn. Enqueues and returns.
/// \param space        execution space instance; work is enqueued there and not fenced
/// \param overlap      how clouds of different layers overlap
/// \param seed         other seeds give independent subcolumns
/// \param fraction     cloud fraction [1], (ncol, nlay), in [0, 1]; layer 0 is next to the surface
/// \param correlation  as from overlap_correlation(); may be empty unless the overlap is exponential
/// \param first_column number of the first column among all, so that chunks give the same results as one call
/// \param cloudy       1 or 0, (ncol, nlay, any number of g-points)
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void draw_subcolumns(ExecutionSpace const& space, Overlap overlap, std::uint64_t seed, std::uint32_t first_column,
                     Array<Real**, ExecutionSpace> const& fraction, Array<Real**, ExecutionSpace> const& correlation,
                     Array<std::uint8_t***, ExecutionSpace> const& cloudy);

}  // namespace parhelion::fluxes

#endif
