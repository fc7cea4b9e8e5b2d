// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_C_COEFFICIENTS_HPP
#define PARHELION_C_COEFFICIENTS_HPP

#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>
#include <parhelion/fluxes/rrtmg_sw/coefficients.hpp>

#include <memory>
#include <string>

namespace parhelion::C {

/// \brief The coefficients of RRTMG_LW; those of one file are kept while any object uses them.
/// \param path the file; empty: searched in PARHELION_DATA, then in the working folder, then where io::find_data_file
///             searches
/// \throws FileError
std::shared_ptr<fluxes::Coefficients const> rrtmg_lw_coefficients(std::string const& path);

/// The same of RRTMG_SW.
std::shared_ptr<fluxes::ShortwaveCoefficients const> rrtmg_sw_coefficients(std::string const& path);

}  // namespace parhelion::C

#endif
