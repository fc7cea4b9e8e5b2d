// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_NAMES_HPP
#define PARHELION_EGA_NAMES_HPP

#include <string>

namespace parhelion::ega::Impl {

/// The begin of a message: the name of the input or, if it has none, that of the function.
inline std::string name_or(std::string const& name, std::string const& function) {
  return name.empty() ? function : name;
}

}  // namespace parhelion::ega::Impl

#endif
