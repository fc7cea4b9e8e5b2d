// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/lifetime.hpp>

namespace parhelion {

void require_kokkos(std::string_view where) {
  if (Kokkos::is_initialized()) return;
  throw StateError(where, Kokkos::is_finalized() ? "Kokkos has been finalized, expected use before Kokkos::finalize"
                                                 : "Kokkos is not initialized, expected Kokkos::initialize before");
}

}  // namespace parhelion
