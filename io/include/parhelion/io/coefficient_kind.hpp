// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_COEFFICIENT_KIND_HPP
#define PARHELION_IO_COEFFICIENT_KIND_HPP

#include <string>

namespace parhelion::io {

/// The files of coefficients of gases that are told apart.
enum class CoefficientKind { rrtmg_lw, rrtmg_sw, ecckd, rrtmgp };

/// \brief What kind of coefficients a file holds, from what is in it; its name does not matter.
///
/// Files of RRTMG are told by the length of their first record, those of ecCKD by the attribute constituent_id, and
/// those of RRTMGP by the variables gas_names and kmajor.
///
/// \throws parhelion::Error when the file is missing, not a regular file, or of none of these kinds
CoefficientKind coefficient_kind(std::string const& path);

}  // namespace parhelion::io

#endif
