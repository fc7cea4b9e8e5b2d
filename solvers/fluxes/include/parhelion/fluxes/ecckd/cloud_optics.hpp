// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_ECCKD_CLOUD_OPTICS_HPP
#define PARHELION_FLUXES_ECCKD_CLOUD_OPTICS_HPP

#include <parhelion/fluxes/ecckd/definition.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>

#include <string>
#include <vector>

/// \file
/// Clouds and surfaces for ecCKD: what is known at wavenumbers or in spectral intervals is averaged to g-points, as
/// ecRad does. The g-points of a definition say which intervals they are made of (Hogan & Matricardi 2022,
/// doi:10.1029/2022MS003033); within these the solar spectrum of the definition weights what is averaged, or the Planck
/// function of 5777 K in the shortwave and of 273.15 K in the longwave where it has none.
///
/// ecRad's results were not at hand for a comparison: tests hold these functions to their formulas and limits.
namespace parhelion::fluxes::ecckd {

/// \brief Optical properties of one kind of particles at fine spectral resolution, as a scattering file of ecRad has
///        them.
///
/// Arrays of several dimensions are in row-major order.
struct ScatteringTable {
  std::string where = "scattering table";  ///< opens the messages, such as the name of the file
  std::vector<double> wavenumber;          ///< [cm-1], increasing
  std::vector<double> effective_radius;    ///< of droplets or ice particles [m], increasing in even steps
  std::vector<double> mass_extinction;     ///< (radius, wavenumber) [m2 kg-1], >= 0
  std::vector<double> single_scattering;   ///< albedo (radius, wavenumber) [1], 0..1
  std::vector<double> asymmetry;           ///< parameter (radius, wavenumber) [1], -1..1
};

/// \brief Refuses a table that cannot be computed with.
/// \throws parhelion::Error that names file, variable, what was found and what was expected: arrays of other sizes,
///         numbers that are not finite or out of their range, axes that do not increase, radii in uneven steps
void check(ScatteringTable const& table);

/// How the single scattering albedo of a g-point follows from those of its wavenumbers.
enum class CloudAveraging {
  thick,  ///< so that an infinitely thick cloud reflects what it reflects on average; the default of ecRad
  thin    ///< the mean, weighted by extinction
};

/// \brief How much a value at each wavenumber counts in the mean over a g-point. Between neighbours values are taken
///        to vary linearly, and beyond the ends not at all.
/// \param definition that check() takes
/// \param wavenumber of the values [cm-1], increasing, at least one
/// \return (g-point, wavenumber) [1], >= 0, adding up to 1 for each g-point
/// \throws parhelion::Error where wavenumbers do not increase
std::vector<double> wavenumber_weights(Definition const& definition, std::vector<double> const& wavenumber);

/// \brief How much a value of each spectral interval, such as an albedo, counts in the mean over a g-point.
/// \param definition that check() takes
/// \param between    wavenumbers where one interval ends and the next begins [cm-1], increasing; the first interval
///                   reaches down to 0 and the last one up to infinity, so that there is one interval more than these
/// \return (g-point, interval) [1], >= 0, adding up to 1 for each g-point
/// \throws parhelion::Error where the wavenumbers do not increase
std::vector<double> interval_weights(Definition const& definition, std::vector<double> const& between);

/// \brief Averages optical properties of clouds to the g-points of a definition.
///
/// Properties are delta-scaled (forward fraction: the square of the asymmetry parameter), averaged and scaled back, so
/// that what is averaged is what two streams see. Extinction is averaged as it is, the single scattering albedo as
/// `averaging` says, and the asymmetry parameter with the scattering as its weight.
/// \param definition that check() takes
/// \param liquid     of droplets
/// \param ice        of ice particles
/// \param averaging  of single scattering albedos
/// \return tables by g-point, which go with this definition alone, of droplets and of ice of one roughness; the sizes
/// of
///         both are effective radii
/// \throws parhelion::Error where check() refuses a table
rrtmgp::CloudOptics average_clouds(Definition const& definition, ScatteringTable const& liquid,
                                   ScatteringTable const& ice, CloudAveraging averaging = CloudAveraging::thick);

}  // namespace parhelion::fluxes::ecckd

#endif
