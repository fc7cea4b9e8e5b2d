// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_ECCKD_FILES_HPP
#define PARHELION_IO_ECCKD_FILES_HPP

#include <parhelion/fluxes/ecckd/cloud_optics.hpp>
#include <parhelion/fluxes/ecckd/definition.hpp>

#include <string>

namespace parhelion::io {

/// \brief Reads a definition file of ecCKD, of the longwave or of the shortwave, as distributed with ecRad.
///
/// netCDF-3 needs the netCDF library, netCDF-4 does not. Extents, gases and bands are those of the file.
///
/// \param path name of the file, which opens the messages
/// \throws parhelion::Error when the file is missing or of another kind, and naming the variable when one is missing,
///         has another shape, or holds what ecckd::check() refuses
fluxes::ecckd::Definition read_ecckd_definition(std::string const& path);

/// \brief Reads optical properties of droplets or of ice at fine spectral resolution from a scattering file of ecRad,
///        such as mie_droplet_scattering.nc.
///
/// netCDF-3 needs the netCDF library, netCDF-4 does not. Wavenumbers and radii are those of the file.
///
/// \param path name of the file, which opens the messages
/// \throws parhelion::Error when the file is missing, and naming the variable when one is missing, has another shape or
///         unit, or holds what ecckd::check() refuses
fluxes::ecckd::ScatteringTable read_ecckd_scattering(std::string const& path);

/// \brief Finds a definition file of ecCKD.
/// \param longwave      of the longwave, otherwise of the shortwave
/// \param explicit_path the path that the user gave; empty for a search of the definitions of 32 g-points, and of those
///                      of 64, in the places of find_data_file
/// \throws parhelion::Error that lists where it was looked for and says where users get it
std::string find_ecckd_definition(bool longwave, std::string const& explicit_path = {});

}  // namespace parhelion::io

#endif
