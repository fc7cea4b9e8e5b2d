// SPDX-License-Identifier: BSD-3-Clause
// Objects that are made before Kokkos is initialized, or live on after it has been finalized.
#ifndef PARHELION_CORE_LIFETIME_HPP
#define PARHELION_CORE_LIFETIME_HPP

#include <Kokkos_Core.hpp>

#include <string_view>
#include <utility>

namespace parhelion {

/// \brief Refuses work while Kokkos does not run; Kokkos itself would end the process.
/// \param where what was called
/// \throws parhelion::Error that says whether Kokkos has not been initialized yet, or has been finalized already
void require_kokkos(std::string_view where);

/// \brief For destructors of what owns Views: leaves the members where they are once Kokkos has been finalized.
///
/// Their memory went with Kokkos's runtime, and Kokkos ends the process when a View is released after that. What is
/// moved away here is never destroyed; the members that are left own nothing.
template <class... Members>
void leave_if_kokkos_is_gone(Members&... members) noexcept {
  if (Kokkos::is_initialized()) return;
  (static_cast<void>(new Members(std::move(members))), ...);
}

}  // namespace parhelion

#endif
