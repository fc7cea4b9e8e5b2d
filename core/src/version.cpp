// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/version.hpp>

namespace parhelion {

char const* version() { return PARHELION_VERSION; }

}  // namespace parhelion
