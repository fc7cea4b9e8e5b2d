// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_RRTMGP_CLOUD_FILES_HPP
#define PARHELION_IO_RRTMGP_CLOUD_FILES_HPP

#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>

#include <string>

namespace parhelion::io {

/// \brief Reads a file of cloud optics of RRTMGP as distributed: `rrtmgp-clouds-lw-bnd.nc`, `-sw-g112.nc` and so on.
///
/// Sizes are read in um and extinction in m2 g-1; the result has m and m2 kg-1. Numbers of bands, g-points, sizes and
/// roughnesses are those of the file. A file whose tables have one entry a band is by band, otherwise it is by g-point
/// and has bnd_limits_gpt.
///
/// \param path name of the file, in netCDF-4
/// \throws parhelion::Error that names file, variable, what was found and what was expected: where a variable is
///         missing or has another shape or unit, or check() refuses what was read
fluxes::rrtmgp::CloudOptics read_rrtmgp_cloud_optics(std::string const& path);

/// \brief Reads a file of aerosol optics of RRTMGP as distributed: `rrtmgp-aerosols-merra-lw.nc` and `-sw.nc`.
///
/// Limits of size bins are read in um; the result has m. Numbers of bands, bins and humidities are those of the file.
///
/// \param path name of the file, in netCDF-4
/// \throws parhelion::Error as read_rrtmgp_cloud_optics
fluxes::rrtmgp::AerosolOptics read_rrtmgp_aerosol_optics(std::string const& path);

}  // namespace parhelion::io

#endif
