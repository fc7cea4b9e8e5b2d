// SPDX-License-Identifier: BSD-3-Clause
// What the drivers of the longwave and of the shortwave solver, for arrays of hosts and of devices, have in common.
#ifndef PARHELION_FLUXES_CALL_SETUP_HPP
#define PARHELION_FLUXES_CALL_SETUP_HPP

#include "column_checks.hpp"

#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/fluxes/model_description.hpp>

#include <fmt/format.h>

#include <vector>

namespace parhelion::fluxes::Impl {

/// One column of each array that calls may have, of which only the extents are used.
template <class Calls, class Real>
struct Shapes {
  OwnColumns<Calls, Real> columns;
  OwnClouds<Calls, Real> clouds;
  typename Calls::template Fluxes<Host, Real> fluxes;
};

template <class Calls, class Real>
ArrayShapes input_shapes(Shapes<Calls, Real> const& shapes) {
  using Input = typename Calls::template Input<Host, Real>;
  return ArrayShapes::of(descriptions_of<Input>(), const_array_refs(Input(shapes.columns, shapes.clouds)),
                         dimension::column);
}

template <class Calls, class Real>
ArrayShapes flux_shapes(Shapes<Calls, Real> const& shapes) {
  using Fluxes = typename Calls::template Fluxes<Host, Real>;
  return ArrayShapes::of(descriptions_of<Fluxes>(), const_array_refs(shapes.fluxes), dimension::column);
}

/// Clouds of layers with a mask of g-points, from those with a fraction.
template <class Clouds>
Clouds masked(Clouds clouds, int ngpoint) {
  clouds.fraction_gpt = decltype(clouds.fraction_gpt)("parhelion::fluxes::fraction_gpt", clouds.fraction.extent(0),
                                                      clouds.fraction.extent(1), ngpoint);
  clouds.fraction = {};
  return clouds;
}

/// Arrays of aerosol of types.
template <class Columns>
void add_aerosol_types(Columns& columns, int nlay) {
  using Field = decltype(columns.aerosol_size);
  columns.aerosol_type = decltype(columns.aerosol_type)("parhelion::fluxes::aerosol_type", 1, nlay);
  columns.aerosol_size = Field("parhelion::fluxes::aerosol_size", 1, nlay);
  columns.aerosol_mass = Field("parhelion::fluxes::aerosol_mass", 1, nlay);
  columns.relative_humidity = Field("parhelion::fluxes::relative_humidity", 1, nlay);
}

template <class Calls>
void check_extents_of_calls(int ncol, int nlay) {
  if (ncol < 1) throw Error(Calls::where, fmt::format("ncol = {}, expected at least 1", ncol));
  if (nlay < 1) throw Error(Calls::where, fmt::format("nlay = {}, expected at least 1", nlay));
}

[[noreturn]] inline void refuse_without_optics(char const* where, ModelDescription const& model) {
  throw Error(where, fmt::format("there are clouds, of which {} was given no optics", model.name));
}

template <class Options>
HostOptions host_options(Options const& options) {
  return {.space = options.space, .precision = options.precision, .chunk = options.chunk, .devices = options.devices};
}

/// The set-up of a driver, with the tuning of the options.
/// \param capacity of the model, for any number of layers
template <class Calls, class Model, class Real, class MakeModel, class Capacity>
DriverSetup<typename Calls::template Solver<Model>> setup_of_calls(int ncol, int nlay,
                                                                   Shapes<Calls, Real> const& shapes,
                                                                   typename Calls::Options const& options,
                                                                   MakeModel const& make_model, Capacity capacity,
                                                                   ModelSizes const& sizes) {
  capacity.nlay = nlay;
  return {.where = Calls::where,
          .item = dimension::column,
          .input = input_shapes(shapes),
          .result = flux_shapes(shapes),
          .items = ncol,
          .dimensions = Calls::dimensions(sizes),
          .make_model = make_model,
          .capacity = [capacity](int) { return capacity; },
          .tuning = options.tuning};
}

/// \brief The arrays of a call in the order of the descriptions of the input, and what copies do to their values.
/// \param descriptions of the input
/// \param n_gas        gases of the model
/// \param ordered      overwritten; refers to `input`
template <class Calls>
void order_arrays(typename Calls::Arrays const& input, std::vector<ArrayDescription> const& descriptions,
                  CheckOptions const& checks, int n_gas, std::vector<InputArray>& ordered) {
  auto const arrays = input.in_order();
  ordered.resize(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    ordered[i] = InputArray(*arrays[i], InputChecks<Calls>::map_of(i, descriptions[i], input, checks));
    if (arrays[i] != &input.vmr || !input.vmr.empty()) continue;
    InputArray& gases = ordered[i];
    gases.array = input.pressure_lay;
    gases.array.rank = 3;
    gases.array.extents = {input.ncol(), n_gas, input.nlay()};
    gases.dimension = 1;
    gases.parts = input.gases.data();
  }
}

/// Gives a chunk of a call what its clouds are drawn by.
template <class Clouds>
void set_subcolumns(Clouds& clouds, ColumnArrays const& input, std::int64_t first) {
  clouds.overlap = input.overlap;
  clouds.seed = input.seed;
  clouds.first_column = input.first_column + static_cast<std::uint32_t>(first);
}

}  // namespace parhelion::fluxes::Impl

#endif
