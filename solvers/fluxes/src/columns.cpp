// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/columns.hpp>

#include <parhelion/core/device.hpp>

namespace parhelion::fluxes {

namespace {

template <class ViewType, class... Extents>
ViewType allocate(char const* label, Extents... extents) {
  return ViewType(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), extents...);
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Columns<ExecutionSpace, Real> make_columns(int ncol, int nlay, int nemis, bool aerosol, ModelSizes const& sizes) {
  using Field = Array<Real**, ExecutionSpace>;
  using Field3 = Array<Real***, ExecutionSpace>;
  return {.pressure_lay = allocate<Field>("parhelion::fluxes::pressure_lay", ncol, nlay),
          .pressure_lev = allocate<Field>("parhelion::fluxes::pressure_lev", ncol, nlay + 1),
          .temperature_lay = allocate<Field>("parhelion::fluxes::temperature_lay", ncol, nlay),
          .temperature_lev = allocate<Field>("parhelion::fluxes::temperature_lev", ncol, nlay + 1),
          .temperature_sfc = allocate<Array<Real*, ExecutionSpace>>("parhelion::fluxes::temperature_sfc", ncol),
          .emissivity_sfc = allocate<Field>("parhelion::fluxes::emissivity_sfc", ncol, nemis),
          .vmr = Field3("parhelion::fluxes::vmr", ncol, sizes.ngas, nlay),
          .aerosol = aerosol ? allocate<Field3>("parhelion::fluxes::aerosol", ncol, nlay, sizes.nband) : Field3()};
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Fluxes<ExecutionSpace, Real> make_fluxes(int ncol, int nlay, FluxOutputs wanted, ModelSizes const& sizes) {
  using Field = Array<Real**, ExecutionSpace>;
  using Field3 = Array<Real***, ExecutionSpace>;
  auto const field = [&](char const* label, int n, bool is_wanted) {
    return is_wanted ? allocate<Field>(label, ncol, n) : Field();
  };
  auto const of_bands = [&](char const* label) {
    return wanted.bands ? allocate<Field3>(label, ncol, nlay + 1, sizes.nband) : Field3();
  };
  return {
      .flux_up = field("parhelion::fluxes::flux_up", nlay + 1, true),
      .flux_dn = field("parhelion::fluxes::flux_dn", nlay + 1, true),
      .heating_rate = field("parhelion::fluxes::heating_rate", nlay, true),
      .flux_up_clear = field("parhelion::fluxes::flux_up_clear", nlay + 1, wanted.clear),
      .flux_dn_clear = field("parhelion::fluxes::flux_dn_clear", nlay + 1, wanted.clear),
      .heating_rate_clear = field("parhelion::fluxes::heating_rate_clear", nlay, wanted.clear),
      .dflux_up_dt = field("parhelion::fluxes::dflux_up_dt", nlay + 1, wanted.derivative),
      .dflux_up_clear_dt = field("parhelion::fluxes::dflux_up_clear_dt", nlay + 1, wanted.derivative && wanted.clear),
      .flux_up_band = of_bands("parhelion::fluxes::flux_up_band"),
      .flux_dn_band = of_bands("parhelion::fluxes::flux_dn_band"),
      .surface_share = field("parhelion::fluxes::surface_share", nlay + 1, wanted.share)};
}

#define PARHELION_INSTANTIATE(SPACE)                                                    \
  template Columns<SPACE, float> make_columns(int, int, int, bool, ModelSizes const&);  \
  template Columns<SPACE, double> make_columns(int, int, int, bool, ModelSizes const&); \
  template Fluxes<SPACE, float> make_fluxes(int, int, FluxOutputs, ModelSizes const&);  \
  template Fluxes<SPACE, double> make_fluxes(int, int, FluxOutputs, ModelSizes const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
