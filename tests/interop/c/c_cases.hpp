// SPDX-License-Identifier: BSD-3-Clause
// A call of each solver of the C interface, with all that it needs, and the same in C++.
#ifndef PARHELION_TESTS_INTEROP_C_CASES_HPP
#define PARHELION_TESTS_INTEROP_C_CASES_HPP

#include "caller_array.hpp"

#include "../../ega/synthetic_problem.hpp"
#include "../../fluxes/synthetic_coefficients.hpp"
#include "../../fluxes/synthetic_columns.hpp"
#include "../../fluxes/synthetic_shortwave.hpp"
#include "../../fluxes/synthetic_shortwave_coefficients.hpp"

#include <parhelion/adding/host_adding.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/jurassic_problem.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::Testing {

using Members = std::vector<std::pair<std::string, parhelion_array*>>;

#define PARHELION_MEMBER(NAME) \
  { #NAME, &s.NAME }
inline Members members(parhelion_longwave_input& s) {
  Members all{PARHELION_MEMBER(pressure_lay),
              PARHELION_MEMBER(pressure_lev),
              PARHELION_MEMBER(temperature_lay),
              PARHELION_MEMBER(temperature_lev),
              PARHELION_MEMBER(temperature_sfc),
              PARHELION_MEMBER(emissivity_sfc),
              PARHELION_MEMBER(aerosol),
              PARHELION_MEMBER(fraction),
              PARHELION_MEMBER(ice_path),
              PARHELION_MEMBER(liquid_path),
              PARHELION_MEMBER(decorrelation_length),
              PARHELION_MEMBER(fraction_gpt),
              PARHELION_MEMBER(ice_path_gpt),
              PARHELION_MEMBER(liquid_path_gpt),
              PARHELION_MEMBER(optical_depth_gpt),
              PARHELION_MEMBER(ice_size),
              PARHELION_MEMBER(liquid_size),
              PARHELION_MEMBER(cloud_input),
              PARHELION_MEMBER(ice_optics),
              PARHELION_MEMBER(liquid_optics),
              PARHELION_MEMBER(aerosol_type),
              PARHELION_MEMBER(aerosol_size),
              PARHELION_MEMBER(aerosol_mass),
              PARHELION_MEMBER(relative_humidity),
              PARHELION_MEMBER(incident_flux)};
  for (int gas = 0; gas < PARHELION_NGAS_ALL; ++gas)
    all.emplace_back(parhelion_gas_name(gas),
                     gas < PARHELION_NGAS ? &s.gases[gas] : &s.more_gases[gas - PARHELION_NGAS]);
  return all;
}
inline Members members(parhelion_longwave_output& s) {
  return {PARHELION_MEMBER(flux_up),       PARHELION_MEMBER(flux_dn),           PARHELION_MEMBER(heating_rate),
          PARHELION_MEMBER(flux_up_clear), PARHELION_MEMBER(flux_dn_clear),     PARHELION_MEMBER(heating_rate_clear),
          PARHELION_MEMBER(dflux_up_dt),   PARHELION_MEMBER(dflux_up_clear_dt), PARHELION_MEMBER(flux_up_band),
          PARHELION_MEMBER(flux_dn_band),  PARHELION_MEMBER(surface_share)};
}
inline Members members(parhelion_shortwave_input& s) {
  Members all{PARHELION_MEMBER(pressure_lay),
              PARHELION_MEMBER(pressure_lev),
              PARHELION_MEMBER(temperature_lay),
              PARHELION_MEMBER(temperature_lev),
              PARHELION_MEMBER(cos_zenith),
              PARHELION_MEMBER(albedo_direct),
              PARHELION_MEMBER(albedo_diffuse),
              PARHELION_MEMBER(solar_weights),
              PARHELION_MEMBER(solar_band_factors),
              PARHELION_MEMBER(aerosol_optical_depth),
              PARHELION_MEMBER(aerosol_single_scattering_albedo),
              PARHELION_MEMBER(aerosol_asymmetry),
              PARHELION_MEMBER(aerosol_550nm),
              PARHELION_MEMBER(aerosol_input),
              PARHELION_MEMBER(fraction),
              PARHELION_MEMBER(ice_path),
              PARHELION_MEMBER(liquid_path),
              PARHELION_MEMBER(decorrelation_length),
              PARHELION_MEMBER(fraction_gpt),
              PARHELION_MEMBER(ice_path_gpt),
              PARHELION_MEMBER(liquid_path_gpt),
              PARHELION_MEMBER(optical_depth_gpt),
              PARHELION_MEMBER(single_scattering_albedo_gpt),
              PARHELION_MEMBER(asymmetry_gpt),
              PARHELION_MEMBER(forward_fraction_gpt),
              PARHELION_MEMBER(ice_size),
              PARHELION_MEMBER(liquid_size),
              PARHELION_MEMBER(cloud_input),
              PARHELION_MEMBER(ice_optics),
              PARHELION_MEMBER(liquid_optics),
              PARHELION_MEMBER(aerosol_type),
              PARHELION_MEMBER(aerosol_size),
              PARHELION_MEMBER(aerosol_mass),
              PARHELION_MEMBER(relative_humidity)};
  for (int gas = 0; gas < PARHELION_NGAS_ALL; ++gas)
    all.emplace_back(parhelion_gas_name(gas),
                     gas < PARHELION_NGAS ? &s.gases[gas] : &s.more_gases[gas - PARHELION_NGAS]);
  return all;
}
inline Members members(parhelion_shortwave_output& s) {
  return {PARHELION_MEMBER(flux_up),
          PARHELION_MEMBER(flux_dn),
          PARHELION_MEMBER(flux_dn_direct),
          PARHELION_MEMBER(heating_rate),
          PARHELION_MEMBER(flux_dn_uvvis),
          PARHELION_MEMBER(flux_dn_nir),
          PARHELION_MEMBER(flux_dn_direct_uvvis),
          PARHELION_MEMBER(flux_dn_direct_nir),
          PARHELION_MEMBER(flux_up_clear),
          PARHELION_MEMBER(flux_dn_clear),
          PARHELION_MEMBER(flux_dn_direct_clear),
          PARHELION_MEMBER(heating_rate_clear),
          PARHELION_MEMBER(flux_dn_uvvis_clear),
          PARHELION_MEMBER(flux_dn_nir_clear),
          PARHELION_MEMBER(flux_dn_direct_uvvis_clear),
          PARHELION_MEMBER(flux_dn_direct_nir_clear),
          PARHELION_MEMBER(flux_up_band),
          PARHELION_MEMBER(flux_dn_band),
          PARHELION_MEMBER(flux_dn_direct_band)};
}
inline Members members(parhelion_adding_input& s) {
  return {PARHELION_MEMBER(optical_depth),
          PARHELION_MEMBER(transmittance),
          PARHELION_MEMBER(planck),
          PARHELION_MEMBER(mu),
          PARHELION_MEMBER(weight),
          PARHELION_MEMBER(planck_sfc),
          PARHELION_MEMBER(emissivity),
          PARHELION_MEMBER(specular_reflectivity),
          PARHELION_MEMBER(reflectivity),
          PARHELION_MEMBER(cosmic),
          PARHELION_MEMBER(cos_sun),
          PARHELION_MEMBER(solar_irradiance),
          PARHELION_MEMBER(direct_reflectivity),
          PARHELION_MEMBER(single_scattering_albedo),
          PARHELION_MEMBER(phase),
          PARHELION_MEMBER(phase_forward),
          PARHELION_MEMBER(phase_backward)};
}
inline Members members(parhelion_adding_output& s) {
  return {PARHELION_MEMBER(toa), PARHELION_MEMBER(up), PARHELION_MEMBER(dn), PARHELION_MEMBER(up_emergent)};
}
inline Members members(parhelion_spectra_input& s) {
  return {PARHELION_MEMBER(altitude),
          PARHELION_MEMBER(pressure),
          PARHELION_MEMBER(temperature),
          PARHELION_MEMBER(mole_fraction),
          PARHELION_MEMBER(extinction),
          PARHELION_MEMBER(cloud_height),
          PARHELION_MEMBER(cloud_depth),
          PARHELION_MEMBER(cloud_extinction),
          PARHELION_MEMBER(surface_altitude),
          PARHELION_MEMBER(surface_pressure),
          PARHELION_MEMBER(surface_temperature),
          PARHELION_MEMBER(surface_emissivity),
          PARHELION_MEMBER(time),
          PARHELION_MEMBER(observer_altitude),
          PARHELION_MEMBER(observer_longitude),
          PARHELION_MEMBER(observer_latitude),
          PARHELION_MEMBER(view_point_altitude),
          PARHELION_MEMBER(view_point_longitude),
          PARHELION_MEMBER(view_point_latitude),
          PARHELION_MEMBER(profile)};
}
inline Members members(parhelion_spectra_output& s) {
  return {PARHELION_MEMBER(radiance),         PARHELION_MEMBER(transmittance),     PARHELION_MEMBER(npoint),
          PARHELION_MEMBER(tangent_altitude), PARHELION_MEMBER(tangent_longitude), PARHELION_MEMBER(tangent_latitude)};
}
inline Members members(parhelion_monte_carlo_input& s) {
  Members all{PARHELION_MEMBER(x), PARHELION_MEMBER(y), PARHELION_MEMBER(z), PARHELION_MEMBER(temperature),
              PARHELION_MEMBER(mole_fraction)};
  for (int side = 0; side < 6; ++side)
    all.emplace_back("face_temperature" + std::to_string(side), &s.sides[side].face_temperature);
  return all;
}
inline Members members(parhelion_monte_carlo_output& s) {
  Members all{PARHELION_MEMBER(q),
              PARHELION_MEMBER(q_error),
              PARHELION_MEMBER(incident),
              PARHELION_MEMBER(q_plane_error_x),
              PARHELION_MEMBER(q_plane_error_y),
              PARHELION_MEMBER(q_plane_error_z),
              PARHELION_MEMBER(q_box_error)};
  for (int side = 0; side < 6; ++side) all.emplace_back("wall_flux" + std::to_string(side), &s.wall_flux[side]);
  for (int side = 0; side < 6; ++side)
    all.emplace_back("wall_flux_error" + std::to_string(side), &s.wall_flux_error[side]);
  return all;
}
#undef PARHELION_MEMBER

/// A call: options of the object, arrays by their names in the structs, and members that are not arrays.
template <class TheOptions, class TheHandle, class TheInput, class TheOutput>
struct Case {
  using Options = TheOptions;
  using Handle = TheHandle;
  using Input = TheInput;
  using Output = TheOutput;

  Options options = {};
  Input input = {};
  Output output = {};
  std::map<std::string, CallerArray> in = {}, out = {};

  Case() {
    options.size = sizeof(options);
    input.size = sizeof(input);
    output.size = sizeof(output);
  }

  /// Puts the arrays into the structs.
  void describe() {
    for (auto const& [name, member] : members(input)) {
      auto const found = in.find(name);
      *member = found == in.end() ? parhelion_array{} : found->second.describe();
    }
    for (auto const& [name, member] : members(output)) {
      auto const found = out.find(name);
      *member = found == out.end() ? parhelion_array{} : found->second.describe();
    }
  }

  bool guards_are_untouched() const {
    for (auto const* const arrays : {&in, &out})
      for (auto const& [name, array] : *arrays)
        if (!array.guards_are_untouched()) return false;
    return true;
  }
};

// The functions of each solver under one name.
#define PARHELION_FUNCTIONS(NAME)                                                              \
  inline int c_create(parhelion_##NAME##_options const* options, parhelion_##NAME** made) {    \
    return parhelion_##NAME##_create(options, made);                                           \
  }                                                                                            \
  inline int c_bytes(parhelion_##NAME const* object, std::size_t* host, std::size_t* device) { \
    return parhelion_##NAME##_bytes(object, host, device);                                     \
  }                                                                                            \
  inline int c_solve(parhelion_##NAME* object, parhelion_##NAME##_input const* in,             \
                     parhelion_##NAME##_output const* out, void* stream = nullptr) {           \
    return parhelion_##NAME##_solve(object, in, out, stream);                                  \
  }                                                                                            \
  inline int c_status(parhelion_##NAME* object) { return parhelion_##NAME##_status(object); }  \
  inline int c_destroy(parhelion_##NAME* object) { return parhelion_##NAME##_destroy(object); }
PARHELION_FUNCTIONS(longwave)
PARHELION_FUNCTIONS(shortwave)
PARHELION_FUNCTIONS(adding)
PARHELION_FUNCTIONS(spectra)
PARHELION_FUNCTIONS(monte_carlo)
#undef PARHELION_FUNCTIONS

using LongwaveCase =
    Case<parhelion_longwave_options, parhelion_longwave, parhelion_longwave_input, parhelion_longwave_output>;
using ShortwaveCase =
    Case<parhelion_shortwave_options, parhelion_shortwave, parhelion_shortwave_input, parhelion_shortwave_output>;
using AddingCase = Case<parhelion_adding_options, parhelion_adding, parhelion_adding_input, parhelion_adding_output>;
using SpectraCase =
    Case<parhelion_spectra_options, parhelion_spectra, parhelion_spectra_input, parhelion_spectra_output>;
using MonteCarloCase = Case<parhelion_monte_carlo_options, parhelion_monte_carlo, parhelion_monte_carlo_input,
                            parhelion_monte_carlo_output>;

/// The message of the last error of this thread.
inline std::string last_error() {
  std::string text(parhelion_last_error(nullptr, 0), '\0');
  parhelion_last_error(text.data(), text.size());
  text.pop_back();
  return text;
}

// --- longwave ------------------------------------------------------------------------------------------------------

/// \brief Writes a coefficient file as the originals have them: records of a band each, big-endian.
/// \param integers how many numbers stand before the integer of each record; -1: it has none
template <std::size_t Bands>
std::string write_records(std::string const& path, std::array<std::vector<double>, Bands> const& records,
                          std::array<int, Bands> const& integers) {
  std::ofstream file(path, std::ios::binary);
  auto const put = [&](std::uint64_t bits, int bytes) {
    for (int b = bytes; b-- > 0;) file.put(static_cast<char>(bits >> (8 * b) & 0xff));
  };
  constexpr std::uint64_t some_level = 20;
  for (std::size_t band = 0; band < Bands; ++band) {
    auto const& record = records[band];
    std::uint64_t const length = 8 * record.size() + (integers[band] >= 0 ? 4 : 0);
    put(length, 4);
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (static_cast<int>(i) == integers[band]) put(some_level, 4);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &record[i], sizeof(bits));
      put(bits, 8);
    }
    put(length, 4);
  }
  return path;
}

/// Writes the synthetic coefficients as a file.
inline std::string write_synthetic_coefficients(std::string const& folder) {
  std::array<int, fluxes::nbnd> no_integers;
  no_integers.fill(-1);
  return write_records(folder + "/RRTMG_LW_DATA.DBL", synthetic_records(), no_integers);
}

/// The same of the shortwave.
inline std::string write_synthetic_shortwave_coefficients(std::string const& folder) {
  return write_records(folder + "/RRTMG_SW_DATA.DBL", synthetic_shortwave_records(),
                       fluxes::shortwave_record_integers());
}

/// The atmosphere of a case in C++, in the precision of its arrays.
template <class Real>
struct LongwaveInCxx {
  using Host = Kokkos::DefaultHostExecutionSpace;
  fluxes::Columns<Host, Real> columns;
  fluxes::Clouds<Host, Real> clouds;
};

enum class CloudsOf { none, layers, gpoints };

/// \brief Clouds of g-points made of clouds of layers: cloudy where a scattered number is below the fraction.
inline fluxes::HostClouds gpoint_clouds(fluxes::HostClouds const& layers, int ncol, int nlay) {
  auto clouds = fluxes::make_gpoint_clouds<Kokkos::DefaultHostExecutionSpace, double>(ncol, nlay, false);
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) {
      clouds.ice_size(c, k) = layers.ice_size(c, k);
      clouds.liquid_size(c, k) = layers.liquid_size(c, k);
      for (int g = 0; g < 140; ++g) {
        double const number = 0.618033988749895 * (g + 140 * (k + nlay * c));
        clouds.fraction_gpt(c, k, g) = number - std::floor(number) < layers.fraction(c, k) ? 1 : 0;
        clouds.ice_path_gpt(c, k, g) = layers.ice_path(c, k);
        clouds.liquid_path_gpt(c, k, g) = layers.liquid_path(c, k);
      }
    }
  return clouds;
}

/// \brief A case with all results.
/// \param coefficients path of the file; empty: the simple model, without clouds, bands and derivatives
template <class Real>
LongwaveCase longwave_case(int ncol, int nlay, std::string const& coefficients, CloudsOf which, Style style,
                           LongwaveInCxx<Real>* in_cxx = nullptr) {
  bool const simple = coefficients.empty();
  style.type = std::is_same_v<Real, float> ? PARHELION_FLOAT32 : PARHELION_FLOAT64;
  LongwaveCase c;
  c.options.model = simple ? PARHELION_SIMPLE : PARHELION_RRTMG_LW;
  c.options.coefficients = simple ? nullptr : coefficients.c_str();
  c.options.ncol = ncol;
  c.options.nlay = nlay;
  c.options.clouds = which == CloudsOf::none     ? PARHELION_CLOUDS_NONE
                     : which == CloudsOf::layers ? PARHELION_CLOUDS_OF_LAYERS
                                                 : PARHELION_CLOUDS_OF_GPOINTS;
  auto const columns = synthetic_columns(ncol, nlay, simple ? 1 : 16);
  auto const layers = synthetic_clouds(ncol, nlay);
  fluxes::HostClouds clouds;
  if (which == CloudsOf::layers) clouds = layers;
  if (which == CloudsOf::gpoints) clouds = gpoint_clouds(layers, ncol, nlay);
  fluxes::HostColumns::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (view.size() > 0 && description.name != "vmr") c.in.emplace(description.name, CallerArray::of(view, style));
      },
      columns);
  for (int gas = 0; gas < PARHELION_NGAS; ++gas)
    c.in.emplace(parhelion_gas_name(gas),
                 CallerArray::of(Kokkos::subview(columns.vmr, Kokkos::ALL, gas, Kokkos::ALL), style));
  fluxes::HostClouds::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (view.size() == 0) return;
        std::string name(description.name);
        if (name == "input") name = "cloud_input";
        c.in.emplace(name, CallerArray::of(view, style));
      },
      clouds);
  c.input.seed = clouds.seed;

  c.options.clear = which == CloudsOf::none ? 0 : 1;
  c.options.bands = c.options.derivative = simple ? 0 : 1;
  auto const level = [&] { return CallerArray({ncol, nlay + 1}, style); };
  auto const layer = [&] { return CallerArray({ncol, nlay}, style); };
  c.out.emplace("flux_up", level());
  c.out.emplace("flux_dn", level());
  c.out.emplace("heating_rate", layer());
  if (c.options.clear != 0) {
    c.out.emplace("flux_up_clear", level());
    c.out.emplace("flux_dn_clear", level());
    c.out.emplace("heating_rate_clear", layer());
  }
  if (!simple) {
    c.out.emplace("dflux_up_dt", level());
    if (c.options.clear != 0) c.out.emplace("dflux_up_clear_dt", level());
    c.out.emplace("flux_up_band", CallerArray({ncol, nlay + 1, 16}, style));
    c.out.emplace("flux_dn_band", CallerArray({ncol, nlay + 1, 16}, style));
  }

  if (in_cxx != nullptr) {
    using Host = Kokkos::DefaultHostExecutionSpace;
    in_cxx->columns = host_copy<fluxes::Columns<Host, Real>>(HostThreads(), columns);
    in_cxx->clouds = host_copy<fluxes::Clouds<Host, Real>>(HostThreads(), clouds);
    in_cxx->clouds.seed = clouds.seed;
  }
  return c;
}

// --- shortwave -----------------------------------------------------------------------------------------------------

/// The atmosphere of a case in C++, in the precision of its arrays.
template <class Real>
struct ShortwaveInCxx {
  using Host = Kokkos::DefaultHostExecutionSpace;
  fluxes::ShortwaveColumns<Host, Real> columns;
  fluxes::ShortwaveClouds<Host, Real> clouds;
};

/// \brief A case with aerosol of both kinds and all results.
/// \param coefficients path of the file
template <class Real>
ShortwaveCase shortwave_case(int ncol, int nlay, std::string const& coefficients, CloudsOf which, Style style,
                             ShortwaveInCxx<Real>* in_cxx = nullptr) {
  style.type = std::is_same_v<Real, float> ? PARHELION_FLOAT32 : PARHELION_FLOAT64;
  ShortwaveCase c;
  c.options.coefficients = coefficients.c_str();
  c.options.ncol = ncol;
  c.options.nlay = nlay;
  c.options.clouds = which == CloudsOf::none     ? PARHELION_CLOUDS_NONE
                     : which == CloudsOf::layers ? PARHELION_CLOUDS_OF_LAYERS
                                                 : PARHELION_CLOUDS_OF_GPOINTS;
  c.options.cloud_optical_properties = which == CloudsOf::gpoints ? 1 : 0;
  c.options.aerosol_optical = c.options.aerosol_types = 1;
  auto columns = synthetic_shortwave_columns(ncol, nlay, 2);
  add_synthetic_aerosol(columns);
  fluxes::HostShortwaveClouds clouds;
  if (which == CloudsOf::layers) clouds = synthetic_shortwave_clouds(ncol, nlay);
  if (which == CloudsOf::gpoints) clouds = synthetic_shortwave_gpoint_clouds(ncol, nlay);
  auto const add = [&](ArrayDescription const& description, auto const& view) {
    if (view.size() == 0 || description.name == "vmr") return;
    std::string name(description.name);
    if (name == "input") name = "cloud_input";
    c.in.emplace(name, CallerArray::of(view, style));
  };
  fluxes::HostShortwaveColumns::for_each_array(add, columns);
  fluxes::HostShortwaveClouds::for_each_array(add, clouds);
  for (int gas = 0; gas < PARHELION_NGAS; ++gas)
    c.in.emplace(parhelion_gas_name(gas),
                 CallerArray::of(Kokkos::subview(columns.vmr, Kokkos::ALL, gas, Kokkos::ALL), style));
  c.input.seed = clouds.seed;

  c.options.clear = which == CloudsOf::none ? 0 : 1;
  c.options.parts = c.options.bands = 1;
  auto const made = fluxes::make_shortwave_fluxes<Kokkos::DefaultHostExecutionSpace, double>(
      1, 1, {.clear = c.options.clear != 0, .parts = true, .bands = true});
  fluxes::HostShortwaveFluxes::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (view.size() == 0) return;
        int const n = description.dimensions[1] == dimension::layer ? nlay : nlay + 1;
        c.out.emplace(description.name, description.rank() == 3 ? CallerArray({ncol, n, PARHELION_SW_NBAND}, style)
                                                                : CallerArray({ncol, n}, style));
      },
      made);

  if (in_cxx != nullptr) {
    using Host = Kokkos::DefaultHostExecutionSpace;
    in_cxx->columns = host_copy<fluxes::ShortwaveColumns<Host, Real>>(HostThreads(), columns);
    in_cxx->clouds = host_copy<fluxes::ShortwaveClouds<Host, Real>>(HostThreads(), clouds);
    in_cxx->clouds.seed = clouds.seed;
  }
  return c;
}

// --- adding --------------------------------------------------------------------------------------------------------

/// Numbers in [0, 1) without order, the same on every machine.
inline double scattered(std::size_t i) {
  double const x = 0.618033988749895 * static_cast<double>(i + 1);
  return x - std::floor(x);
}

/// Profiles under the sun; with isotropic scattering or without any.
inline adding::HostProfiles sunny_profiles(int nprofile, int nlay, int nangle, bool scatter) {
  adding::HostProfiles p;
  auto const make = [](auto& view, std::size_t first, double lowest, double highest, auto... extents) {
    view = std::decay_t<decltype(view)>("parhelion::test", static_cast<std::size_t>(extents)...);
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = lowest + (highest - lowest) * scattered(i + first);
  };
  make(p.optical_depth, 0, 0, 0.6, nprofile, nlay);
  make(p.planck, 100, 50, 150, nprofile, nlay);
  make(p.mu, 200, 0.1, 1, nprofile, nangle);
  make(p.planck_sfc, 300, 100, 200, nprofile);
  make(p.emissivity, 400, 0.6, 1, nprofile, nangle);
  make(p.reflectivity, 500, 0, 0.5 / nangle, nprofile, nangle, nangle);
  make(p.cosmic, 600, 0, 5, nprofile);
  make(p.cos_sun, 700, 0.2, 1, nprofile);
  make(p.solar_irradiance, 800, 0, 1000, nprofile);
  make(p.direct_reflectivity, 900, 0, 0.3, nprofile, nangle);
  if (!scatter) return p;
  make(p.weight, 0, 1. / nangle, 1. / nangle, nprofile, nangle);
  make(p.single_scattering_albedo, 1000, 0, 0.95, nprofile, nlay);
  p.phase = HostArray<int**>("parhelion::test", static_cast<std::size_t>(nprofile), static_cast<std::size_t>(nlay));
  for (std::size_t i = 0; i < p.phase.size(); ++i) p.phase.data()[i] = static_cast<int>(i % 3) - 1;
  make(p.phase_forward, 0, 0.75, 0.75, nprofile, 2, nangle, nangle + 1);
  make(p.phase_backward, 0, 0.25, 0.25, nprofile, 2, nangle, nangle + 1);
  return p;
}

/// A case with all results.
inline AddingCase adding_case(adding::HostProfiles const& profiles, Style const& style) {
  AddingCase c;
  c.options.vertical_order =
      profiles.order == adding::VerticalOrder::top_first ? PARHELION_TOP_FIRST : PARHELION_SURFACE_FIRST;
  adding::Profiles<Kokkos::DefaultHostExecutionSpace, double>::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (view.size() > 0) c.in.emplace(description.name, CallerArray::of(view, style));
      },
      profiles);
  std::int64_t const n = profiles.nprofile();
  c.out.emplace("toa", CallerArray({n, profiles.nangle()}, style));
  for (auto const* const name : {"up", "dn", "up_emergent"})
    c.out.emplace(name, CallerArray({n, profiles.nlev(), profiles.nangle()}, style));
  return c;
}

// --- spectra -------------------------------------------------------------------------------------------------------

/// \brief Writes a control file with two gases in three channels, and its tables and filters.
/// \return its path
inline std::string write_control(std::string const& folder) {
  std::string const base = folder + "/boxcar";
  std::vector<std::string> const gases{"CO2", "H2O"};
  std::string text = "TBLBASE = " + base + "\nTBLFMT = 2\nNG = 2\nEMITTER[0] = CO2\nEMITTER[1] = H2O\nND = 3\n";
  for (int channel = 0; channel < 3; ++channel) {
    double const nu = 700 + 7 * channel;
    text += "NU[" + std::to_string(channel) + "] = " + std::to_string(nu) + "\n";
    std::ofstream(io::filter_path(base, nu)) << nu - 0.5 << " 1\n" << nu << " 1\n" << nu + 0.5 << " 1\n";
    for (int gas = 0; gas < 2; ++gas)
      io::write_table(io::table_path(base, nu, gases[static_cast<std::size_t>(gas)], "bin"),
                      small_table(io::synthetic_band(gas, nu), {.npressure = ega::min_pressures}),
                      io::TableFormat::scatter_binary);
  }
  text += "CTM_CO2 = 0\nCTM_H2O = 0\nCTM_N2 = 0\nCTM_O2 = 0\nRAYDZ = 1\n";
  std::ofstream(folder + "/case.ctl") << text;
  return folder + "/case.ctl";
}

inline ega::HostObservation some_rays() { return joined({limb_rays({10e3, 25e3}), nadir_rays({0.5, 3})}); }

/// A case with all results.
inline SpectraCase spectra_case(std::string const& control, ega::HostAtmosphere const& atmosphere,
                                ega::HostObservation const& rays, Style const& style) {
  SpectraCase c;
  c.options.control = control.c_str();
  ega::Atmosphere<Kokkos::DefaultHostExecutionSpace>::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (view.size() > 0) c.in.emplace(description.name, CallerArray::of(view, style));
      },
      atmosphere);
  ega::HostObservation::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (view.size() > 0) c.in.emplace(description.name, CallerArray::of(view, style));
      },
      rays);
  std::int64_t const nray = rays.nray();
  c.out.emplace("radiance", CallerArray({nray, 3}, style));
  c.out.emplace("transmittance", CallerArray({nray, 3}, style));
  c.out.emplace("npoint", CallerArray({nray}, style, true));
  for (auto const* const name : {"tangent_altitude", "tangent_longitude", "tangent_latitude"})
    c.out.emplace(name, CallerArray({nray}, style));
  return c;
}

// --- Monte Carlo ---------------------------------------------------------------------------------------------------

/// A small box of grey gas, periodic in y, with walls of different temperatures and reflectivities.
inline monte_carlo::Problem small_box(int nx = 3, int ny = 2, int nz = 4) {
  monte_carlo::Problem box;
  box.grid.faces = {monte_carlo::uniform_faces(nx, 1), monte_carlo::uniform_faces(ny, 0.5),
                    monte_carlo::stretched_faces(nz, 2, 1)};
  box.spectrum = monte_carlo::Spectrum::grey(1.5);
  auto const cells = [&](auto& array, double lowest, double highest) {
    array = HostArray<double***>("parhelion::test", static_cast<std::size_t>(nx), static_cast<std::size_t>(ny),
                                 static_cast<std::size_t>(nz));
    for (std::size_t i = 0; i < array.size(); ++i) array.data()[i] = lowest + (highest - lowest) * scattered(i);
  };
  cells(box.temperature, 500, 1500);
  cells(box.mole_fraction, 0.2, 1);
  box.pressure = 9e4;
  box.boundaries[2].type = box.boundaries[3].type = monte_carlo::BoundaryType::periodic;
  box.boundaries[0].temperature = 400;
  box.boundaries[1].temperature = 900;
  box.boundaries[1].emissivity = 1 - 0.25;
  auto& faces = box.boundaries[4].face_temperature;
  faces = HostArray<double**>("parhelion::test", static_cast<std::size_t>(nx), static_cast<std::size_t>(ny));
  for (std::size_t i = 0; i < faces.size(); ++i) faces.data()[i] = 300 + 500 * scattered(i);
  return box;
}

/// A case with all results.
inline MonteCarloCase monte_carlo_case(monte_carlo::Problem const& box, Style const& style) {
  MonteCarloCase c;
  c.options.gas = PARHELION_GAS_GREY;
  c.options.absorption = 1.5;
  c.options.rays = 64;
  c.options.repetitions = 4;
  c.input.pressure = box.pressure;
  char const* const axes[] = {"x", "y", "z"};
  std::int64_t n[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const& faces = box.grid.faces[axis];
    n[axis] = static_cast<std::int64_t>(faces.size()) - 1;
    c.in.emplace(axes[axis],
                 CallerArray::of(Kokkos::View<double const*, Kokkos::HostSpace>(faces.data(), faces.size()), style));
  }
  c.in.emplace("temperature", CallerArray::of(box.temperature, style));
  c.in.emplace("mole_fraction", CallerArray::of(box.mole_fraction, style));
  for (auto const* const name : {"q", "q_error", "incident"})
    c.out.emplace(name, CallerArray({n[0], n[1], n[2]}, style));
  for (std::size_t axis = 0; axis < 3; ++axis)
    c.out.emplace(std::string("q_plane_error_") + axes[axis], CallerArray({n[axis]}, style));
  c.out.emplace("q_box_error", CallerArray({1}, style));
  for (std::size_t side = 0; side < 6; ++side) {
    auto const& wall = box.boundaries[side];
    auto& there = c.input.sides[side];
    there.type = wall.is_wall() ? PARHELION_SIDE_WALL : PARHELION_SIDE_PERIODIC;
    there.reflectivity = 1 - wall.emissivity;
    there.temperature = wall.temperature;
    if (wall.face_temperature.size() > 0)
      c.in.emplace("face_temperature" + std::to_string(side), CallerArray::of(wall.face_temperature, style));
    if (!wall.is_wall()) continue;
    std::size_t const axis = side / 2;
    for (auto const* const name : {"wall_flux", "wall_flux_error"})
      c.out.emplace(name + std::to_string(side), CallerArray({n[axis == 0 ? 1 : 0], n[axis == 2 ? 1 : 2]}, style));
  }
  return c;
}

}  // namespace parhelion::Testing

#endif
