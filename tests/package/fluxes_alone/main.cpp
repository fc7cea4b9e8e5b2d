// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/parhelion.hpp>

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
  static_assert(PARHELION_VERSION_NUMBER >= 100);
  Kokkos::ScopeGuard const guard(argc, argv);
  auto const fluxes = parhelion::fluxes::make_fluxes<Kokkos::DefaultHostExecutionSpace, double>(2, 3);
  std::cout << "parhelion " << parhelion::version() << '\n';
  return fluxes.flux_up.extent(1) == 4 && parhelion::version() == std::string_view(PARHELION_VERSION) ? 0 : 1;
}
