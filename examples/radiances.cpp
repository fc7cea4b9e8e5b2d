// SPDX-License-Identifier: BSD-3-Clause
// The radiance of a cloudy column seen by a satellite, and the layers from which it comes.
#include <parhelion/parhelion.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using namespace parhelion;
  using namespace parhelion::adding;
  int const nlay = 10;
  int const ngauss = 4;
  int const nangle = ngauss + 1;  // one more for the direction of the satellite, with weight 0
  auto const rule = gauss_legendre(ngauss, 0, 1);

  HostProfiles air;  // one profile, layer 0 next to the surface
  air.optical_depth = HostArray<double**>("optical_depth", 1, nlay);
  air.planck = HostArray<double**>("planck", 1, nlay);
  air.single_scattering_albedo = HostArray<double**>("albedo", 1, nlay);
  air.phase = HostArray<int**>("phase", 1, nlay);
  for (int k = 0; k < nlay; ++k) {
    bool const cloud = k == 3 || k == 4;
    air.optical_depth(0, k) = cloud ? 1.5 : 0.05;
    air.planck(0, k) = planck_radiance(900., 288. - 6.5 * k);  // at 900 cm-1
    air.single_scattering_albedo(0, k) = cloud ? 0.6 : 0;
    air.phase(0, k) = cloud ? 0 : -1;
  }
  air.mu = HostArray<double**>("mu", 1, nangle);
  air.weight = HostArray<double**>("weight", 1, nangle);
  for (int i = 0; i < ngauss; ++i) {
    air.mu(0, i) = rule.nodes[i];
    air.weight(0, i) = rule.weights[i];
  }
  air.mu(0, ngauss) = 0.8;
  air.planck_sfc = HostArray<double*>("planck_sfc", 1);
  air.planck_sfc(0) = planck_radiance(900., 290.);
  air.emissivity = HostArray<double**>("emissivity", 1, nangle);
  for (int i = 0; i < nangle; ++i) air.emissivity(0, i) = 1;
  // Phase function 1 + 0.9 cos, in Legendre polynomials: the linear term has the sign of the hemisphere.
  air.phase_forward = HostArray<double****>("forward", 1, 1, nangle, nangle + 1);
  air.phase_backward = HostArray<double****>("backward", 1, 1, nangle, nangle + 1);
  for (int i = 0; i < nangle; ++i)
    for (int j = 0; j < nangle; ++j) {
      air.phase_forward(0, 0, i, j) = 0.5 + 0.45 * air.mu(0, i) * air.mu(0, j);
      air.phase_backward(0, 0, i, j) = 0.5 - 0.45 * air.mu(0, i) * air.mu(0, j);
    }

  HostArray<double**> const seed("seed", 1, nangle);
  seed(0, ngauss) = 1;  // the derivatives of the radiance towards the satellite
  HostRadiances const result = compute_radiances({air, {}, seed});
  std::printf("radiance %.5f W m-2 sr-1 (cm-1)-1\n", result.radiances.up_emergent(0, nlay, ngauss));
  std::printf("weight of the layers from the surface up:");
  for (int k = 0; k < nlay; ++k) std::printf(" %.3f", result.derivative.planck(0, k));
  std::printf("\n");
}
