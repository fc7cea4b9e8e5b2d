// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/shortwave_clouds.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>

#include <parhelion/core/device.hpp>

#include <string>

namespace parhelion::fluxes {

namespace {

std::string label_of(char const* name) { return std::string("parhelion::fluxes::") + name; }

// Clouds whose options, of every column, are water_path, fu and hu_stamnes.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveClouds<ExecutionSpace, Real> make_clouds(int ncol, int nlay) {
  using Field = Array<Real**, ExecutionSpace>;
  using Options = Array<int*, ExecutionSpace>;
  ShortwaveClouds<ExecutionSpace, Real> clouds;
  clouds.ice_size = Field(label_of("ice_size"), ncol, nlay);
  clouds.liquid_size = Field(label_of("liquid_size"), ncol, nlay);
  clouds.input = Options(label_of("input"), ncol);
  clouds.ice_optics = Options(label_of("ice_optics"), ncol);
  clouds.liquid_optics = Options(label_of("liquid_optics"), ncol);
  Kokkos::deep_copy(clouds.input, static_cast<int>(CloudInput::water_path));
  Kokkos::deep_copy(clouds.ice_optics, static_cast<int>(IceOptics::fu));
  Kokkos::deep_copy(clouds.liquid_optics, static_cast<int>(LiquidOptics::hu_stamnes));
  return clouds;
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveColumns<ExecutionSpace, Real> make_shortwave_columns(int ncol, int nlay, int nalbedo,
                                                              ModelSizes const& sizes) {
  using Column = Array<Real*, ExecutionSpace>;
  using Field = Array<Real**, ExecutionSpace>;
  using Field3 = Array<Real***, ExecutionSpace>;
  return {.pressure_lay = Field(label_of("pressure_lay"), ncol, nlay),
          .pressure_lev = Field(label_of("pressure_lev"), ncol, nlay + 1),
          .temperature_lay = Field(label_of("temperature_lay"), ncol, nlay),
          .vmr = Field3(label_of("vmr"), ncol, sizes.ngas, nlay),
          .cos_zenith = Column(label_of("cos_zenith"), ncol),
          .albedo_direct = Field(label_of("albedo_direct"), ncol, nalbedo),
          .albedo_diffuse = Field(label_of("albedo_diffuse"), ncol, nalbedo),
          .solar_weights = Field(label_of("solar_weights"), ncol, nsolar)};
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveFluxes<ExecutionSpace, Real> make_shortwave_fluxes(int ncol, int nlay, ShortwaveOutputs wanted,
                                                            ModelSizes const& sizes) {
  using Field = Array<Real**, ExecutionSpace>;
  using Field3 = Array<Real***, ExecutionSpace>;
  auto const allocate = [](char const* name) {
    return Kokkos::view_alloc(label_of(name), Kokkos::WithoutInitializing);
  };
  auto const levels = [&](char const* name, bool is_wanted) {
    return is_wanted ? Field(allocate(name), ncol, nlay + 1) : Field();
  };
  auto const layers = [&](char const* name, bool is_wanted) {
    return is_wanted ? Field(allocate(name), ncol, nlay) : Field();
  };
  auto const of_bands = [&](char const* name) {
    return wanted.bands ? Field3(allocate(name), ncol, nlay + 1, sizes.nband) : Field3();
  };
  bool const clear_parts = wanted.clear && wanted.parts;
  return {.flux_up = levels("flux_up", true),
          .flux_dn = levels("flux_dn", true),
          .flux_dn_direct = levels("flux_dn_direct", true),
          .heating_rate = layers("heating_rate", true),
          .flux_dn_uvvis = levels("flux_dn_uvvis", wanted.parts),
          .flux_dn_nir = levels("flux_dn_nir", wanted.parts),
          .flux_dn_direct_uvvis = levels("flux_dn_direct_uvvis", wanted.parts),
          .flux_dn_direct_nir = levels("flux_dn_direct_nir", wanted.parts),
          .flux_up_clear = levels("flux_up_clear", wanted.clear),
          .flux_dn_clear = levels("flux_dn_clear", wanted.clear),
          .flux_dn_direct_clear = levels("flux_dn_direct_clear", wanted.clear),
          .heating_rate_clear = layers("heating_rate_clear", wanted.clear),
          .flux_dn_uvvis_clear = levels("flux_dn_uvvis_clear", clear_parts),
          .flux_dn_nir_clear = levels("flux_dn_nir_clear", clear_parts),
          .flux_dn_direct_uvvis_clear = levels("flux_dn_direct_uvvis_clear", clear_parts),
          .flux_dn_direct_nir_clear = levels("flux_dn_direct_nir_clear", clear_parts),
          .flux_up_band = of_bands("flux_up_band"),
          .flux_dn_band = of_bands("flux_dn_band"),
          .flux_dn_direct_band = of_bands("flux_dn_direct_band")};
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveClouds<ExecutionSpace, Real> make_shortwave_layer_clouds(int ncol, int nlay) {
  using Field = Array<Real**, ExecutionSpace>;
  auto clouds = make_clouds<ExecutionSpace, Real>(ncol, nlay);
  clouds.fraction = Field(label_of("fraction"), ncol, nlay);
  clouds.ice_path = Field(label_of("ice_path"), ncol, nlay);
  clouds.liquid_path = Field(label_of("liquid_path"), ncol, nlay);
  return clouds;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveClouds<ExecutionSpace, Real> make_shortwave_gpoint_clouds(int ncol, int nlay, bool optical, int ngpoint) {
  auto clouds = make_clouds<ExecutionSpace, Real>(ncol, nlay);
  auto const of_gpoints = [&](char const* name) {
    return Array<Real***, ExecutionSpace>(label_of(name), ncol, nlay, ngpoint);
  };
  clouds.fraction_gpt = of_gpoints("fraction_gpt");
  clouds.ice_path_gpt = of_gpoints("ice_path_gpt");
  clouds.liquid_path_gpt = of_gpoints("liquid_path_gpt");
  if (optical) {
    clouds.optical_depth_gpt = of_gpoints("optical_depth_gpt");
    clouds.single_scattering_albedo_gpt = of_gpoints("single_scattering_albedo_gpt");
    clouds.asymmetry_gpt = of_gpoints("asymmetry_gpt");
    clouds.forward_fraction_gpt = of_gpoints("forward_fraction_gpt");
  }
  return clouds;
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                               \
  template ShortwaveColumns<SPACE, REAL> make_shortwave_columns(int, int, int, ModelSizes const&);            \
  template ShortwaveFluxes<SPACE, REAL> make_shortwave_fluxes(int, int, ShortwaveOutputs, ModelSizes const&); \
  template ShortwaveClouds<SPACE, REAL> make_shortwave_layer_clouds(int, int);                                \
  template ShortwaveClouds<SPACE, REAL> make_shortwave_gpoint_clouds(int, int, bool, int);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
