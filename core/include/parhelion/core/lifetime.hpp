// SPDX-License-Identifier: BSD-3-Clause
// Objects that are constructed before Kokkos is initialized, or destroyed after it has been finalized.
#ifndef PARHELION_CORE_LIFETIME_HPP
#define PARHELION_CORE_LIFETIME_HPP

#include <Kokkos_Core.hpp>

#include <string_view>
#include <utility>

namespace parhelion {

/// \brief Throws if Kokkos is not initialized; Kokkos itself would end the process.
/// \param where the called function
/// \throws parhelion::Error that says whether Kokkos has not been initialized or has been finalized
void require_kokkos(std::string_view where);

/// \brief For destructors of owners of Views: leaks the members if Kokkos has been finalized.
///
/// Kokkos ends the process if a View is released after that. The members are moved to objects that are never destroyed;
/// the remaining members own nothing.
template <class... Members>
void leave_if_kokkos_is_gone(Members&... members) noexcept {
  if (Kokkos::is_initialized()) return;
  (static_cast<void>(new Members(std::move(members))), ...);
}

}  // namespace parhelion

#endif
