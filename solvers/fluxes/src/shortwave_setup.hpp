// SPDX-License-Identifier: BSD-3-Clause
// What the drivers of the shortwave solver, for arrays of hosts and of devices, have in common.
#ifndef PARHELION_FLUXES_SHORTWAVE_SETUP_HPP
#define PARHELION_FLUXES_SHORTWAVE_SETUP_HPP

#include "call_setup.hpp"

#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <variant>

namespace parhelion::fluxes::Impl {

template <class Real>
Shapes<ShortwaveCalls, Real> make_shapes(int nlay, ShortwaveClouds<Host, Real> const& clouds, AerosolArrays aerosol,
                                         ShortwaveOutputs wanted, ModelSizes const& sizes, bool needs_levels,
                                         bool aerosol_types) {
  using Field = Array<Real**, Host>;
  using Field3 = Array<Real***, Host>;
  // Room for as many albedos as there may be, and a factor of each band.
  int const nalbedo = sizes.has_gpoint_surface ? std::max(sizes.nband, sizes.ngpoint) : sizes.nband;
  Shapes<ShortwaveCalls, Real> shapes{.columns = make_shortwave_columns<Host, Real>(1, nlay, nalbedo, sizes),
                                      .clouds = {},
                                      .fluxes = make_shortwave_fluxes<Host, Real>(1, nlay, wanted, sizes)};
  auto& columns = shapes.columns;
  columns.solar_band_factors = Field("parhelion::fluxes::solar_band_factors", 1, sizes.nband);
  if (aerosol.optical) {
    columns.aerosol_optical_depth = Field3("parhelion::fluxes::aerosol_optical_depth", 1, nlay, sizes.nband);
    columns.aerosol_single_scattering_albedo = columns.aerosol_asymmetry = columns.aerosol_optical_depth;
  }
  if (aerosol.types) columns.aerosol_550nm = Field3("parhelion::fluxes::aerosol_550nm", 1, nlay, naerosol);
  if (aerosol.optical || aerosol.types)
    columns.aerosol_input = Array<int*, Host>("parhelion::fluxes::aerosol_input", 1);
  // Clouds that overlap exponentially need level temperatures, and so does ecCKD.
  if (clouds.of_layers() || needs_levels)
    columns.temperature_lev = Field("parhelion::fluxes::temperature_lev", 1, nlay + 1);
  if (clouds.of_layers()) {
    shapes.clouds = make_shortwave_layer_clouds<Host, Real>(1, nlay);
    if (clouds.decorrelation_length.size() > 0)
      shapes.clouds.decorrelation_length = Array<Real*, Host>("parhelion::fluxes::decorrelation_length", 1);
  }
  if (clouds.has_mask())
    shapes.clouds =
        masked<ShortwaveClouds<Host, Real>>(make_shortwave_layer_clouds<Host, Real>(1, nlay), sizes.ngpoint);
  else if (clouds.of_gpoints())
    shapes.clouds =
        make_shortwave_gpoint_clouds<Host, Real>(1, nlay, clouds.optical_depth_gpt.size() > 0, sizes.ngpoint);
  if (aerosol_types) add_aerosol_types(columns, nlay);
  return shapes;
}

/// Calls action(make_model) with the precision of the options; make_model(space) makes the model on the device of an
/// instance.
template <class Space, class Action>
void with_model(ShortwaveData const& data, HostShortwaveOptions const& options, Action const& action) {
  auto const with_precision = [&]<class Real>(Real) {
    if (auto const* const coefficients = std::get_if<ShortwaveCoefficients const*>(&data.data()))
      action([&](Space const& on) { return ShortwaveGasOptics<Space, Real>(on, **coefficients, options.band28); });
    else if (auto const* const definition = std::get_if<ecckd::Definition const*>(&data.data()))
      action([&](Space const& on) { return ecckd::Shortwave<Space, Real>(on, **definition, data.ecckd_clouds()); });
    else if (auto const* const setup = std::get_if<rrtmgp::ShortwaveSetup>(&data.data()))
      action([&](Space const& on) {
        return rrtmgp::Shortwave<Space, Real>(on, *setup->k, setup->gases, setup->particles);
      });
  };
  if (options.precision == Precision::float32)
    with_precision(float());
  else
    with_precision(double());
}

/// The set-up of a driver.
template <class Model, class Real, class MakeModel>
DriverSetup<Shortwave<Model>> make_setup(int ncol, int nlay, Shapes<ShortwaveCalls, Real> const& shapes,
                                         HostShortwaveOptions const& options, MakeModel const& make_model,
                                         ModelDescription const& model) {
  ShortwaveCapacity capacity;
  capacity.gpoints = model.gpoints;
  capacity.nband = model.sizes.nband;
  return setup_of_calls<ShortwaveCalls, Model>(ncol, nlay, shapes, options, make_model, capacity, model.sizes);
}

/// Refuses what a model does not have.
inline void check_options(int ncol, int nlay, bool clouds, AerosolArrays aerosol, ShortwaveData const& data,
                          HostShortwaveOptions const& options) {
  check_extents_of_calls<ShortwaveCalls>(ncol, nlay);
  if (std::holds_alternative<ShortwaveCoefficients const*>(data.data())) return;
  auto const refuse = [&](char const* what) {
    throw Error(ShortwaveCalls::where,
                fmt::format("{} has no {}; use RRTMG_SW's coefficients", data.description().name, what));
  };
  if (clouds && !data.has_cloud_optics()) refuse_without_optics(ShortwaveCalls::where, data.description());
  if (aerosol.types) refuse("aerosol of types given at 550 nm");
  if (options.tuning.transmittance == Transmittance::table) refuse("table of transmittances");
}

/// Whether calls may have aerosol of types with particle sizes.
inline bool has_aerosol_types(ShortwaveData const& data) {
  auto const* const setup = std::get_if<rrtmgp::ShortwaveSetup>(&data.data());
  return setup != nullptr && setup->particles.aerosol != nullptr;
}

/// Whether calls of a model need level temperatures whatever the clouds.
inline bool needs_levels(ShortwaveData const& data) { return data.description().uses_levels; }

/// \brief Whether a call needs level temperatures: for its gases, or for clouds that overlap exponentially.
/// \param of_gases whether the model needs them
inline bool uses_levels(ShortwaveArrays const& input, bool of_gases) {
  return of_gases || (input.of_layers() && is_exponential(input.overlap));
}

/// What a call needs of the sun: the weights of the spectra, then the factors of the bands.
inline constexpr std::size_t sun_values = SolarSource().weights.size() + SolarSource().band_factors.size();
using SunValues = std::array<double, sun_values>;

inline SunValues values_of(SolarSource const& sun) {
  SunValues values;
  auto const end = std::copy(sun.weights.begin(), sun.weights.end(), values.begin());
  std::copy(sun.band_factors.begin(), sun.band_factors.end(), end);
  return values;
}

/// \brief Completes a call that was checked: arrays of the sun that is the same in all columns, and no arrays that are
///        not needed.
/// \param sun          where the values of the call's sun are, if it has one
/// \param needs_levels whether the model needs level temperatures
/// \throws parhelion::Error where it needs them and they are absent
inline void complete_columns(ShortwaveArrays& input, double const* sun, bool needs_levels) {
  if (needs_levels && input.temperature_lev.empty())
    throw ShapeError(ShortwaveCalls::where, "temperature_lev is absent, expected it, as the gas optics need it");
  if (!uses_levels(input, needs_levels)) input.temperature_lev = {};
  if (input.aerosol_optical_depth.empty() && input.aerosol_550nm.empty()) input.aerosol_input = {};
  if (!input.sun) return;
  auto const of_all_columns = [&](double const* values, int n) {
    ConstArrayRef array;
    array.data = values;
    array.type = ValueType::float64;
    array.rank = 2;
    array.extents = {input.ncol(), n};
    array.strides = {0, 1};
    return array;
  };
  input.solar_weights = of_all_columns(sun, nsolar);
  auto const& factors = input.sun->band_factors;
  bool const all_one = std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; });
  if (input.solar_band_factors.empty() && !all_one)
    input.solar_band_factors = of_all_columns(sun + nsolar, static_cast<int>(factors.size()));
}

}  // namespace parhelion::fluxes::Impl

#endif
