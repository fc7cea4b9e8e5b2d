// SPDX-License-Identifier: BSD-3-Clause
// What the drivers of the longwave solver, for arrays of hosts and of devices, have in common.
#ifndef PARHELION_FLUXES_LONGWAVE_SETUP_HPP
#define PARHELION_FLUXES_LONGWAVE_SETUP_HPP

#include "call_setup.hpp"

#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>

#include <algorithm>
#include <variant>

namespace parhelion::fluxes::Impl {

inline constexpr double extra_layer_top = 0.01;      // [Pa]
inline constexpr double extra_layer_pressure = 0.5;  // of the interface below it

template <class Real>
Shapes<LongwaveCalls, Real> make_shapes(int nlay, Clouds<Host, Real> const& clouds, bool aerosol,
                                        HostLongwaveOptions const& options, ModelSizes const& sizes,
                                        bool aerosol_types) {
  // Room for as many emissivities as there may be.
  int const nemis = sizes.has_gpoint_surface ? std::max(sizes.nband, sizes.ngpoint) : sizes.nband;
  Shapes<LongwaveCalls, Real> shapes{.columns = make_columns<Host, Real>(1, nlay, nemis, aerosol, sizes),
                                     .clouds = {},
                                     .fluxes = make_fluxes<Host, Real>(1, nlay, options.outputs, sizes)};
  if (clouds.of_layers()) shapes.clouds = make_layer_clouds<Host, Real>(1, nlay);
  if (clouds.has_mask())
    shapes.clouds = masked<Clouds<Host, Real>>(make_layer_clouds<Host, Real>(1, nlay), sizes.ngpoint);
  else if (clouds.of_gpoints())
    shapes.clouds = make_gpoint_clouds<Host, Real>(1, nlay, clouds.optical_depth_gpt.size() > 0, sizes.ngpoint);
  if (clouds.of_layers() && clouds.decorrelation_length.size() > 0)
    shapes.clouds.decorrelation_length = Array<Real*, Host>("parhelion::fluxes::decorrelation_length", 1);
  if (aerosol_types) add_aerosol_types(shapes.columns, nlay);
  if (options.incident_flux)
    shapes.columns.incident_flux = Array<Real**, Host>("parhelion::fluxes::incident_flux", 1, sizes.ngpoint);
  return shapes;
}

inline void check_options(int ncol, int nlay, bool clouds, bool aerosol, LongwaveData const& data,
                          HostLongwaveOptions const& options) {
  check_extents_of_calls<LongwaveCalls>(ncol, nlay);
  bool const simple = std::holds_alternative<SimpleSpectralData>(data.data());
  if (std::holds_alternative<Coefficients const*>(data.data())) return;
  auto const refuse = [&](char const* what) {
    throw Error(LongwaveCalls::where,
                simple ? fmt::format("the simple spectral model has no {}; use RRTMG_LW's coefficients", what)
                       : fmt::format("{} has no {}; use RRTMG_LW's coefficients", data.description().name, what));
  };
  auto const* const rrtmgp = std::get_if<rrtmgp::LongwaveSetup>(&data.data());
  if (clouds && simple) refuse("clouds");
  if (clouds && !data.has_cloud_optics()) refuse_without_optics(LongwaveCalls::where, data.description());
  if (rrtmgp == nullptr && aerosol) refuse("aerosol");
  if (rrtmgp != nullptr && rrtmgp->scattering == rrtmgp::Scattering::two_stream && options.outputs.derivative)
    throw Error(LongwaveCalls::where, "there are no derivatives with two-stream scattering");
  if (options.transmittance == Transmittance::table) refuse("table of transmittances");
  if (!simple) return;
  if (options.outputs.derivative || options.outputs.share) refuse("derivatives");
  if (options.outputs.bands) refuse("fluxes of bands");
  if (options.incident_flux) refuse("incident flux");
}

/// Calls action(make_model) with the precision of the options; make_model(space) makes the model on the device of an
/// instance.
template <class Space, class Action>
void with_model(LongwaveData const& data, HostLongwaveOptions const& options, Action const& action) {
  auto const with_precision = [&]<class Real>(Real) {
    if (auto const* const coefficients = std::get_if<Coefficients const*>(&data.data()))
      action([&](Space const& on) { return GasOptics<Space, Real>(on, **coefficients); });
    else if (auto const* const definition = std::get_if<ecckd::Definition const*>(&data.data()))
      action([&](Space const& on) { return ecckd::Longwave<Space, Real>(on, **definition, data.ecckd_clouds()); });
    else if (auto const* const setup = std::get_if<rrtmgp::LongwaveSetup>(&data.data()))
      action([&](Space const& on) {
        return rrtmgp::Longwave<Space, Real>(on, *setup->k, setup->gases, setup->angles, setup->particles,
                                             setup->scattering);
      });
    else
      action([](Space const& on) { return SimpleSpectral<Space, Real>(on); });
  };
  if (options.precision == Precision::float32)
    with_precision(float());
  else
    with_precision(double());
}

/// Whether calls may have aerosol of types.
inline bool has_aerosol_types(LongwaveData const& data) {
  auto const* const setup = std::get_if<rrtmgp::LongwaveSetup>(&data.data());
  return setup != nullptr && setup->particles.aerosol != nullptr;
}

/// The set-up of a driver.
template <class Model, class Real, class MakeModel>
DriverSetup<Longwave<Model>> make_setup(int ncol, int nlay, Shapes<LongwaveCalls, Real> const& shapes,
                                        HostLongwaveOptions const& options, MakeModel const& make_model,
                                        ModelDescription const& model) {
  int const deep = nlay + (options.extra_layer ? 1 : 0);
  LongwaveCapacity capacity;
  capacity.gpoints = model.gpoints;
  capacity.nband = model.sizes.nband;
  capacity.angles = model.angles;
  capacity.scatters = model.scatters;
  auto setup = setup_of_calls<LongwaveCalls, Model>(ncol, deep, shapes, options, make_model, capacity, model.sizes);
  if (options.extra_layer) setup.padding = {{dimension::layer, 1}, {dimension::level, 1}};
  setup.tuning.transmittance = options.transmittance;
  return setup;
}

}  // namespace parhelion::fluxes::Impl

#endif
