// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_DEVICE_TABLES_HPP
#define PARHELION_FLUXES_DEVICE_TABLES_HPP

#include <parhelion/core/copies.hpp>
#include <parhelion/core/types.hpp>

#include <string>

namespace parhelion::fluxes::Impl {

/// \brief A table on the device of `space`. Fences.
/// \param fill  called with a View in host memory
/// \param n0,n1 extents of a table of one or two dimensions
template <class ViewType, class ExecutionSpace, class Fill>
ViewType to_device(ExecutionSpace const& space, std::string const& label, Fill const& fill, int n0, int n1 = 0) {
  using Mutable = typename ViewType::non_const_type;
  auto const how = Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::fluxes::" + label);
  Mutable device;
  if constexpr (ViewType::rank() == 1)
    device = Mutable(how, n0);
  else
    device = Mutable(how, n0, n1);
  auto const host = Kokkos::create_mirror_view(device);
  fill(host);
  copy_array(space, device, host);
  space.fence("parhelion::fluxes::to_device");
  return device;
}

}  // namespace parhelion::fluxes::Impl

#endif
