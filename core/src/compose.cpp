// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/compose.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

namespace parhelion::Impl {

void check_compose(std::string const& label, int ncol, int nlay) {
  if (ncol < 0) throw Error("compose_columns", fmt::format("ncol = {}, expected >= 0", ncol));
  if (nlay < 0) throw Error("compose_columns", fmt::format("nlay = {}, expected >= 0", nlay));
  if (!label.starts_with("parhelion::"))
    throw Error("compose_columns", fmt::format("label '{}', expected it to begin with 'parhelion::'", label));
}

}  // namespace parhelion::Impl
