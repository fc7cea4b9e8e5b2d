// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_RRTMGP_FILES_HPP
#define PARHELION_IO_RRTMGP_FILES_HPP

#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>

#include <string>

namespace parhelion::io {

/// \brief Reads a gas optics file of RRTMGP, of the longwave or of the shortwave, as distributed (netCDF-4).
///
/// All dimensions are read. The coordinate variable temperature_Planck is not: in some files it does not hold
/// temperatures, and the axis runs from the first to the last temp_ref in all.
///
/// \param path name of the file
/// \return the k-distribution, checked
/// \throws parhelion::Error when the file is missing or of another kind, a variable is missing or has another shape
///         than others say, or fluxes::rrtmgp::check() refuses the numbers
fluxes::rrtmgp::KDistribution read_rrtmgp_gas_optics(std::string const& path);

/// \brief Finds a gas optics file of RRTMGP.
/// \param longwave      of the longwave, otherwise of the shortwave
/// \param explicit_path the path that the user gave; empty for a search of the smaller and then the larger set of
///                      g-points in the places of find_data_file
/// \throws parhelion::Error that lists where it was looked for and says where users get it
std::string find_rrtmgp_gas_optics(bool longwave, std::string const& explicit_path = {});

}  // namespace parhelion::io

#endif
