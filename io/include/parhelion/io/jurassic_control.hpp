// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_JURASSIC_CONTROL_HPP
#define PARHELION_IO_JURASSIC_CONTROL_HPP

#include <parhelion/ega/channels.hpp>
#include <parhelion/ega/problem.hpp>

#include <string>
#include <vector>

namespace parhelion::io {

/// The content of a control file of JURASSIC, in SI units (metres in place of kilometres).
struct JurassicControl {
  std::string path;                ///< the file
  std::vector<std::string> gases;  ///< EMITTER, (gas)
  ega::Channels channels;          ///< NU, WINDOW, CLNU, SFNU; filters are in files of their own and empty here
  int nwindow = 1;                 ///< NW
  ega::ModelOptions options;       ///< FORMOD, CTM_*, REFRAC, RAYDS, RAYDZ, HYDZ, SFTYPE, SFSZA, WRITE_BBT
  std::string table_base = "-";    ///< TBLBASE as written
  int table_format = 1;            ///< TBLFMT: 1 text, 2 binary
  std::string field_of_view;       ///< FOV as written, empty where there is none
  ega::ElementChoice elements;     ///< RETP_ZMIN, RETP_ZMAX, RETT_*, RETQ_*, RETK_*
  bool write_matrix = false;       ///< WRITE_MATRIX
  /// Keys that are known but mean nothing to a forward calculation, such as those of retrievals, in capitals and in the
  /// order of the file. So are those of emitters, channels and windows beyond NG, ND and NW.
  std::vector<std::string> unused;
};

/// \brief Reads and checks a control file of JURASSIC: lines `KEY = VALUE`, `#` starts a comment.
///
/// Keys may be in small letters. `KEY[*]` stands for all indices; where a line `KEY[3]` fits as well, the first of the
/// two in the file counts. What the file does not say is as JURASSIC's version 1.12 has it. A path may hold blanks.
///
/// Keys of JURASSIC's sister programs are known, too; see JurassicControl::unused.
///
/// \throws parhelion::Error naming file, line, key, what was found and what was expected: for keys that no program
///         knows, keys without value, index where it needs one or number where it needs one, a key that is there twice
///         with different values, emitters or channels that are missing, values out of range, and what would change
///         results and cannot be honoured (scattering, FORMOD 2, cloud and surface elements of a Jacobian)
JurassicControl read_jurassic_control(std::string const& path);

/// \brief The path of a file, or the beginning of paths of files as TBLBASE is, that a control file names.
///
/// A relative path counts from the folder of the control file or, if there is nothing, from the working folder; if
/// there is nothing either, the result is the first of the two.
std::string resolve_path(JurassicControl const& control, std::string const& path);

}  // namespace parhelion::io

#endif
