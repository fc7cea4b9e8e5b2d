// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/rrtmg/columns.hpp>

#include <parhelion/core/device.hpp>

namespace parhelion::rrtmg {

namespace {

template <class ViewType, class... Extents>
ViewType allocate(char const* label, Extents... extents) {
  return ViewType(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), extents...);
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Columns<ExecutionSpace, Real> make_columns(int ncol, int nlay, int nemis) {
  using Field = Array<Real**, ExecutionSpace>;
  return {.pressure_lay = allocate<Field>("parhelion::rrtmg::pressure_lay", ncol, nlay),
          .pressure_lev = allocate<Field>("parhelion::rrtmg::pressure_lev", ncol, nlay + 1),
          .temperature_lay = allocate<Field>("parhelion::rrtmg::temperature_lay", ncol, nlay),
          .temperature_lev = allocate<Field>("parhelion::rrtmg::temperature_lev", ncol, nlay + 1),
          .temperature_sfc = allocate<Array<Real*, ExecutionSpace>>("parhelion::rrtmg::temperature_sfc", ncol),
          .emissivity_sfc = allocate<Field>("parhelion::rrtmg::emissivity_sfc", ncol, nemis),
          .mole_ratio = Array<Real***, ExecutionSpace>("parhelion::rrtmg::mole_ratio", ncol, ngas, nlay)};
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Fluxes<ExecutionSpace, Real> make_fluxes(int ncol, int nlay) {
  using Field = Array<Real**, ExecutionSpace>;
  return {.flux_up = allocate<Field>("parhelion::rrtmg::flux_up", ncol, nlay + 1),
          .flux_dn = allocate<Field>("parhelion::rrtmg::flux_dn", ncol, nlay + 1),
          .heating_rate = allocate<Field>("parhelion::rrtmg::heating_rate", ncol, nlay)};
}

#define PARHELION_INSTANTIATE(SPACE)                           \
  template Columns<SPACE, float> make_columns(int, int, int);  \
  template Columns<SPACE, double> make_columns(int, int, int); \
  template Fluxes<SPACE, float> make_fluxes(int, int);         \
  template Fluxes<SPACE, double> make_fluxes(int, int);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::rrtmg
