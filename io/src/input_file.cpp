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

bool begins_as_hdf5(std::string const& path) {
  if (!special_kind(path).empty()) return false;
  std::ifstream stream(path, std::ios::binary);
  std::string opening(hdf5_signature.size(), '\0');
  stream.read(opening.data(), static_cast<std::streamsize>(opening.size()));
  return opening == hdf5_signature;
}

}  // namespace parhelion::io
