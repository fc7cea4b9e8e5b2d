// SPDX-License-Identifier: BSD-3-Clause
// Longwave fluxes of a column of air that is given by formula, with the simple spectral model, which needs no file.
#include <parhelion/parhelion.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using namespace parhelion::fluxes;
  int const nlay = 50;
  HostColumns const air = make_columns<Kokkos::DefaultHostExecutionSpace, double>(1, nlay, 1);
  for (int k = 0; k <= nlay; ++k) {  // level 0 is the surface
    air.pressure_lev(0, k) = 1e5 * (nlay - k) / nlay;
    air.temperature_lev(0, k) = 210 + 80 * air.pressure_lev(0, k) / 1e5;
  }
  for (int k = 0; k < nlay; ++k) {  // layer k lies between levels k and k + 1
    double const p = air.pressure_lay(0, k) = (air.pressure_lev(0, k) + air.pressure_lev(0, k + 1)) / 2;
    air.temperature_lay(0, k) = 210 + 80 * p / 1e5;
    air.vmr(0, int(Gas::h2o), k) = 0.012 * (p / 1e5) * (p / 1e5);
    air.vmr(0, int(Gas::co2), k) = 4e-4;
  }
  air.temperature_sfc(0) = 290;
  air.emissivity_sfc(0, 0) = 1;
  HostFluxes const fluxes = compute_longwave(air, SimpleSpectralData());  // or RRTMG_LW's Coefficients
  std::printf("outgoing %.2f W m-2, down at the surface %.2f W m-2, lowest layer %.2f K day-1\n",
              fluxes.flux_up(0, nlay), fluxes.flux_dn(0, 0), fluxes.heating_rate(0, 0));
}
