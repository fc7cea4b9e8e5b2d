// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_COEFFICIENT_KIND_HPP
#define PARHELION_IO_COEFFICIENT_KIND_HPP

#include <string>
#include <vector>

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

/// The models of gas optics, whatever the range of the spectrum.
enum class GasOpticsModel { rrtmg, simple, ecckd, rrtmgp };

/// The name of a model as options have it: "rrtmg".
std::string name_of(GasOpticsModel model);

/// \brief The model that files of coefficients are of: that of the first regular file among them, `rrtmg` without any.
///
/// What comes through a pipe can be read only once, and only by the reader of RRTMG, so it is not looked at.
/// \param paths of the files
/// \throws parhelion::Error where that file is of no known kind
GasOpticsModel gas_optics_of_files(std::vector<std::string> const& paths);

}  // namespace parhelion::io

#endif
