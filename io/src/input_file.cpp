// SPDX-License-Identifier: BSD-3-Clause
#include "input_file.hpp"

#include <parhelion/core/error.hpp>

#include <fstream>

#include <sys/stat.h>

namespace parhelion::io {

std::string special_kind(std::string const& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) return {};
  if (S_ISFIFO(about.st_mode)) return "a FIFO";
  if (S_ISSOCK(about.st_mode)) return "a socket";
  return "a device";
}

void refuse_special(std::string const& path) {
  if (auto const kind = special_kind(path); !kind.empty())
    throw Error(path, "is " + kind + ", expected a regular file, which can be read from any place");
}

namespace {

// The first bytes of a regular file, as many as there are.
std::string opening(std::string const& path, std::size_t size) {
  if (!special_kind(path).empty()) return {};
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

}  // namespace

bool begins_as_hdf5(std::string const& path) { return opening(path, hdf5_signature.size()) == hdf5_signature; }

bool is_netcdf3(std::string_view bytes) {
  return bytes.size() >= 4 && bytes.starts_with("CDF") && (bytes[3] == 1 || bytes[3] == 2 || bytes[3] == 5);
}

bool begins_as_netcdf3(std::string const& path) { return is_netcdf3(opening(path, 4)); }

}  // namespace parhelion::io
