// SPDX-License-Identifier: BSD-3-Clause
// Uses something compiled of each library, so that it links only if they and what they need in turn are found.
#include <parhelion/parhelion.hpp>

#include <iostream>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  std::cout << "parhelion runs on " << parhelion::resolve_execution_space("") << '\n';
  auto const fluxes = parhelion::fluxes::make_fluxes<Kokkos::DefaultHostExecutionSpace, double>(2, 3);
  if (fluxes.flux_up.extent(1) != 4) return 1;
  if (parhelion::retrieval::exponential_covariance({0, 1}, {1, 1}, 1).extent(0) != 2) return 1;
  try {
    parhelion::io::Hdf5File const file{"no-such-file.nc"};
    return 2;
  } catch (parhelion::Error const& error) {
    std::cout << "refused as it should be: " << error.what() << '\n';
  }
  return 0;
}
