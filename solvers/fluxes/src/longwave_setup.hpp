// SPDX-License-Identifier: BSD-3-Clause
// What the drivers of the longwave solver, for arrays of hosts and of devices, have in common.
#ifndef PARHELION_FLUXES_LONGWAVE_SETUP_HPP
#define PARHELION_FLUXES_LONGWAVE_SETUP_HPP

#include "column_checks.hpp"

#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

namespace parhelion::fluxes::Impl {

using Host = Kokkos::DefaultHostExecutionSpace;

inline constexpr char const* where = "longwave";
inline constexpr double extra_layer_top = 0.01;  // [Pa]

/// One column of each array that calls may have, of which only the extents are used.
template <class Real>
struct Shapes {
  Columns<Host, Real> columns;
  Clouds<Host, Real> clouds;
  Fluxes<Host, Real> fluxes;
};

template <class Real>
Shapes<Real> make_shapes(int nlay, Clouds<Host, Real> const& clouds, bool aerosol, FluxOutputs wanted) {
  // Room for an emissivity of each band.
  Shapes<Real> shapes{.columns = make_columns<Host, Real>(1, nlay, nbnd, aerosol),
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
  if (ncol < 1) throw Error(where, fmt::format("ncol = {}, expected at least 1", ncol));
  if (nlay < 1) throw Error(where, fmt::format("nlay = {}, expected at least 1", nlay));
  if (!simple) return;
  auto const refuse = [](char const* what) {
    throw Error(where, fmt::format("the simple spectral model has no {}; use RRTMG_LW's coefficients", what));
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

inline HostOptions host_options(HostLongwaveOptions const& options) {
  return {.space = options.space, .precision = options.precision, .chunk = options.chunk, .devices = options.devices};
}

/// The set-up of the host driver.
template <class Model, class MakeModel>
typename HostDriver<Longwave<Model>>::Setup make_setup(int ncol, int nlay, ArrayShapes const& input,
                                                       ArrayShapes const& fluxes, HostLongwaveOptions const& options,
                                                       MakeModel const& make_model) {
  int const deep = nlay + (options.extra_layer ? 1 : 0);
  typename HostDriver<Longwave<Model>>::Setup setup{
      .where = where,
      .item = dimension::column,
      .input = input,
      .result = fluxes,
      .items = ncol,
      .dimensions = {{dimension::gas, ngas}, {dimension::band, nbnd}, {dimension::gpoint, ngpt}},
      .make_model = make_model,
      .capacity = [deep](int) { return LongwaveCapacity{deep}; },
      .tuning = options.tuning};
  if (options.extra_layer) setup.padding = {{dimension::layer, 1}, {dimension::level, 1}};
  setup.tuning.transmittance = options.transmittance;
  return setup;
}

template <class Real>
ArrayShapes input_shapes(Shapes<Real> const& shapes) {
  using Input = LongwaveInput<Host, Real>;
  return ArrayShapes::of(descriptions_of<Input>(), const_array_refs(Input(shapes.columns, shapes.clouds)),
                         dimension::column);
}

template <class Real>
ArrayShapes flux_shapes(Shapes<Real> const& shapes) {
  return ArrayShapes::of(descriptions_of<Fluxes<Host, Real>>(), const_array_refs(shapes.fluxes), dimension::column);
}

/// \brief The arrays of a call in the order of the descriptions of LongwaveInput, and what copies do to their values.
/// \param descriptions of LongwaveInput
/// \param ordered      overwritten; refers to `input`
inline void order_arrays(LongwaveArrays const& input, std::vector<ArrayDescription> const& descriptions,
                         CheckOptions const& checks, std::vector<InputArray>& ordered) {
  constexpr std::size_t position_of_gases = 6;
  auto const arrays = input.in_order();
  ordered.resize(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i)
    ordered[i] = InputArray(*arrays[i], InputChecks::map_of(i, descriptions[i], input, checks));
  if (!input.vmr.empty()) return;
  InputArray& gases = ordered[position_of_gases];
  gases.array = input.pressure_lay;
  gases.array.rank = 3;
  gases.array.extents = {input.ncol(), ngas, input.nlay()};
  gases.dimension = 1;
  gases.parts = input.gases.data();
}

}  // namespace parhelion::fluxes::Impl

#endif
