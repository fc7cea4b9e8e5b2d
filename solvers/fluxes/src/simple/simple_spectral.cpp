// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/simple/simple_spectral.hpp>

#include "simple/simple_tables.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <cmath>
#include <memory>
#include <string>

namespace parhelion::fluxes {

namespace {

/// kappa(nu) = peak exp(-|nu - centre| / decay)
struct Triangle {
  int gas;        // 0 H2O, 1 CO2
  double peak;    // [m2 kg-1]
  double centre;  // [cm-1]
  double decay;   // [cm-1]
};

constexpr Triangle triangles[] = {{0, 282, 0, 64}, {0, 24, 1600, 52}, {1, 110, 667, 12}};
constexpr double lowest = 0;      // edge of the first interval [cm-1]
constexpr double highest = 3500;  // edge of the last
constexpr double first = 50;      // first wavenumber
constexpr double last = 3000;     // last

int band_of(double wavenumber) {
  for (int b = 0; b < nbnd; ++b)
    if (wavenumber < bands()[b].wavenumber_high) return b;
  return nbnd - 1;
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
SimpleSpectral<ExecutionSpace, Real>::SimpleSpectral(ExecutionSpace const& space) {
  using Tables = simple::SimpleTables<ExecutionSpace, Real>;
  constexpr int nlane = Tables::nlane;
  constexpr int ngas_absorbing = Tables::ngas_absorbing;
  using Numbers = Array<Real*, ExecutionSpace>;
  auto const named = [&](char const* label) { return Kokkos::view_alloc(space, std::string(label)); };
  Numbers const kappa_device(named("parhelion::fluxes::simple_kappa"), ngas_absorbing * nlane);
  Numbers const wavenumber_device(named("parhelion::fluxes::simple_wavenumber"), nlane);
  Numbers const width_device(named("parhelion::fluxes::simple_width"), nlane);
  Array<int*, ExecutionSpace> const band_device(named("parhelion::fluxes::simple_band"), nlane);
  space.fence("parhelion::fluxes::SimpleSpectral");  // the mirrors may be the Views themselves, now zero
  auto const kappa_host = Kokkos::create_mirror_view(kappa_device);
  auto const wavenumber_host = Kokkos::create_mirror_view(wavenumber_device);
  auto const width_host = Kokkos::create_mirror_view(width_device);
  auto const band_host = Kokkos::create_mirror_view(band_device);

  auto const at = [](int i) { return first + i * (last - first) / (nwavenumber - 1); };
  for (int i = 0; i < nlane; ++i) {
    if (i >= nwavenumber) {
      // Padding: the width of its interval is zero, so that its wavenumber does not matter.
      wavenumber_host(i) = static_cast<Real>(last);
      band_host(i) = nbnd - 1;
      continue;
    }
    double const nu = at(i);
    double const low = i == 0 ? lowest : 0.5 * (at(i - 1) + nu);
    double const high = i == nwavenumber - 1 ? highest : 0.5 * (nu + at(i + 1));
    wavenumber_host(i) = static_cast<Real>(nu);
    width_host(i) = static_cast<Real>(high - low);
    band_host(i) = band_of(nu);
    double sum[ngas_absorbing] = {};
    for (auto const& t : triangles) sum[t.gas] += t.peak * std::exp(-std::abs(nu - t.centre) / t.decay);
    for (int gas = 0; gas < ngas_absorbing; ++gas) kappa_host(gas * nlane + i) = static_cast<Real>(sum[gas]);
  }
  copy_array(space, kappa_device, kappa_host);
  copy_array(space, wavenumber_device, wavenumber_host);
  copy_array(space, width_device, width_host);
  copy_array(space, band_device, band_host);
  space.fence("parhelion::fluxes::SimpleSpectral");
  m_tables = std::make_shared<Tables const>(
      Tables{.kappa = kappa_device, .wavenumber = wavenumber_device, .width = width_device, .band = band_device});
}

#define PARHELION_INSTANTIATE(SPACE)           \
  template class SimpleSpectral<SPACE, float>; \
  template class SimpleSpectral<SPACE, double>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
