// SPDX-License-Identifier: BSD-3-Clause
// What the drivers of the longwave solver, for arrays of hosts and of devices, have in common.
#ifndef PARHELION_FLUXES_LONGWAVE_SETUP_HPP
#define PARHELION_FLUXES_LONGWAVE_SETUP_HPP

#include "call_setup.hpp"

namespace parhelion::fluxes::Impl {

inline constexpr double extra_layer_top = 0.01;  // [Pa]

template <class Real>
Shapes<LongwaveCalls, Real> make_shapes(int nlay, Clouds<Host, Real> const& clouds, bool aerosol, FluxOutputs wanted) {
  // Room for an emissivity of each band.
  Shapes<LongwaveCalls, Real> shapes{.columns = make_columns<Host, Real>(1, nlay, nbnd, aerosol),
                                     .clouds = {},
                                     .fluxes = make_fluxes<Host, Real>(1, nlay, wanted)};
  if (clouds.of_layers()) shapes.clouds = make_layer_clouds<Host, Real>(1, nlay);
  if (clouds.of_gpoints()) shapes.clouds = make_gpoint_clouds<Host, Real>(1, nlay, clouds.optical_depth_gpt.size() > 0);
  if (clouds.of_layers() && clouds.decorrelation_length.size() > 0)
    shapes.clouds.decorrelation_length = Array<Real*, Host>("parhelion::fluxes::decorrelation_length", 1);
  return shapes;
}

inline void check_options(int ncol, int nlay, bool clouds, bool aerosol, bool simple,
                          HostLongwaveOptions const& options) {
  check_extents_of_calls<LongwaveCalls>(ncol, nlay);
  if (!simple) return;
  auto const refuse = [](char const* what) {
    throw Error(LongwaveCalls::where,
                fmt::format("the simple spectral model has no {}; use RRTMG_LW's coefficients", what));
  };
  if (clouds) refuse("clouds");
  if (aerosol) refuse("aerosol");
  if (options.outputs.derivative) refuse("derivatives");
  if (options.outputs.bands) refuse("fluxes of bands");
  if (options.transmittance == Transmittance::table) refuse("table of transmittances");
}

/// Calls action(make_model) with the precision of the options; make_model(space) makes the model on the device of an
/// instance.
template <class Space, class Action>
void with_model(Coefficients const* coefficients, HostLongwaveOptions const& options, Action const& action) {
  auto const with_precision = [&]<class Real>(Real) {
    if (coefficients != nullptr)
      action([&](Space const& on) { return GasOptics<Space, Real>(on, *coefficients); });
    else
      action([](Space const& on) { return SimpleSpectral<Space, Real>(on); });
  };
  if (options.precision == Precision::float32)
    with_precision(float());
  else
    with_precision(double());
}

/// The set-up of a driver.
template <class Model, class Real, class MakeModel>
DriverSetup<Longwave<Model>> make_setup(int ncol, int nlay, Shapes<LongwaveCalls, Real> const& shapes,
                                        HostLongwaveOptions const& options, MakeModel const& make_model) {
  int const deep = nlay + (options.extra_layer ? 1 : 0);
  auto setup = setup_of_calls<LongwaveCalls, Model>(ncol, deep, shapes, options, make_model);
  if (options.extra_layer) setup.padding = {{dimension::layer, 1}, {dimension::level, 1}};
  setup.tuning.transmittance = options.transmittance;
  return setup;
}

}  // namespace parhelion::fluxes::Impl

#endif
