// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/handle.hpp"

#include <fmt/format.h>

namespace parhelion::io {

std::string hdf5_reason() {
  std::string reason;
  auto const first = [](unsigned depth, H5E_error2_t const* error, void* result) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(result) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &reason);
  for (char& c : reason)
    if (c == '\n') c = ' ';  // errors are one line
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

std::string label(std::string const& path, std::string const& variable) {
  return variable.empty() ? path : fmt::format("{}: {}", path, variable);
}

std::string group_of(std::string const& path) {
  auto const slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string last_of(std::string const& path) { return path.substr(path.rfind('/') + 1); }

std::string joined(std::string const& group, std::string const& name) {
  return group.empty() ? name : group + "/" + name;
}

}  // namespace parhelion::io
