// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/coefficient_kind.hpp>

#include "input_file.hpp"
#include "netcdf/any_netcdf.hpp"
#include "rrtmg_record_lengths.hpp"

#include <parhelion/core/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace parhelion::io {

CoefficientKind coefficient_kind(std::string const& path) {
  constexpr char const* expected =
      "expected coefficients of RRTMG_LW or RRTMG_SW (RRTMG_LW_DATA, RRTMG_SW_DATA), a definition file of ecCKD or a "
      "gas optics file of RRTMGP";
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable)) throw Error(path, "no such file");
  if (std::filesystem::is_directory(path, unreadable)) throw Error(path, std::string("is a folder, ") + expected);
  if (begins_as_hdf5(path) || begins_as_netcdf3(path)) {
    AnyNetcdf const file(path);
    if (file.text_attribute("", "constituent_id")) return CoefficientKind::ecckd;
    if (file.exists("gas_names") && file.exists("kmajor")) return CoefficientKind::rrtmgp;
    throw Error(path, std::string("has neither the attribute constituent_id of ecCKD nor gas_names and kmajor of "
                                  "RRTMGP, ") +
                          expected);
  }
  refuse_special(path);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(path, std::string("cannot be opened: ") + std::strerror(errno));
  unsigned char bytes[4] = {};
  stream.read(reinterpret_cast<char*>(bytes), sizeof bytes);
  std::uint64_t length = 0;
  for (unsigned char const byte : bytes) length = length << 8 | byte;
  auto const is_in = [&](auto const& lengths) {
    return std::find(std::begin(lengths), std::end(lengths), length) != std::end(lengths);
  };
  if (stream.gcount() == sizeof bytes && is_in(rrtmg_lw_first_record)) return CoefficientKind::rrtmg_lw;
  if (stream.gcount() == sizeof bytes && is_in(rrtmg_sw_first_record)) return CoefficientKind::rrtmg_sw;
  throw Error(path, std::string("is neither netCDF nor begins with a record of RRTMG, ") + expected);
}

GasOpticsModel gas_optics_of_files(std::vector<std::string> const& paths) {
  for (auto const& path : paths) {
    std::error_code unreadable;
    if (!std::filesystem::is_regular_file(path, unreadable)) continue;
    switch (coefficient_kind(path)) {
      case CoefficientKind::ecckd:
        return GasOpticsModel::ecckd;
      case CoefficientKind::rrtmgp:
        return GasOpticsModel::rrtmgp;
      default:
        return GasOpticsModel::rrtmg;
    }
  }
  return GasOpticsModel::rrtmg;
}

}  // namespace parhelion::io
