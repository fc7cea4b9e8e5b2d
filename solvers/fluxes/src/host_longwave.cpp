// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/host_longwave.hpp>

#include "column_checks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/host_driver.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion::fluxes {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

constexpr char const* where = "longwave";
constexpr double extra_layer_top = 0.01;  // [Pa]

// --- the set-up of all calls ----------------------------------------------------------------------------------------

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

/// Fills the highest layer of columns that are one layer deeper than the caller's.
template <class Real>
void fill_extra_layer(Columns<Host, Real> const& columns) {
  int const extra = columns.nlay() - 1;
  for (int c = 0; c < columns.ncol(); ++c) {
    Real const temperature = columns.temperature_lay(c, extra - 1);
    columns.pressure_lay(c, extra) = static_cast<Real>(0.5) * columns.pressure_lev(c, extra);
    columns.pressure_lev(c, extra + 1) = static_cast<Real>(extra_layer_top);
    columns.temperature_lay(c, extra) = temperature;
    columns.temperature_lev(c, extra) = columns.temperature_lev(c, extra + 1) = temperature;
    for (int gas = 0; gas < ngas; ++gas) columns.vmr(c, gas, extra) = columns.vmr(c, gas, extra - 1);
  }
}

void check_options(int ncol, int nlay, bool clouds, bool aerosol, bool simple, HostLongwaveOptions const& options) {
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

HostOptions host_options(HostLongwaveOptions const& options) {
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

// --- checks of a call --------------------------------------------------------------------------------------------

void check_room_for_extra_layer(HostLongwaveInput const& input) {
  auto const& levels = input.pressure_lev;
  for (int c = 0; c < input.ncol(); ++c) {
    std::int64_t const at = c * levels.strides[0] + input.nlay() * levels.strides[1];
    double const top = input.pressure_factor * (levels.type == ValueType::float32
                                                    ? static_cast<double>(static_cast<float const*>(levels.data)[at])
                                                    : static_cast<double const*>(levels.data)[at]);
    if (top <= extra_layer_top * (1 + 1e-6))
      throw Error("extra layer", fmt::format("column {} ends at {:g} Pa; there is no room for a layer below {:g} Pa", c,
                                             top, extra_layer_top));
  }
}

}  // namespace

// --- the model and the precision of the computation, known at run time --------------------------------------------

namespace Impl {

class LongwaveStreams {
 public:
  LongwaveStreams(HostThreads its_threads, int layers, Validity const& model_validity, HostLongwaveOptions the_options)
      : threads(std::move(its_threads)), nlay(layers), validity(model_validity), options(std::move(the_options)) {}
  virtual ~LongwaveStreams() = default;
  LongwaveStreams(LongwaveStreams const&) = delete;
  LongwaveStreams& operator=(LongwaveStreams const&) = delete;

  virtual HostPlan const& plan() const = 0;
  virtual void solve(HostLongwaveInput const& input, std::vector<ArrayRef> const& fluxes, HostReport& report) = 0;

  CheckOptions checks() const {
    return {.checks = options.checks, .out_of_range = options.out_of_range, .clip_clouds = options.clip_clouds};
  }

  HostThreads threads;  ///< that check
  int nlay;             ///< the most of a call, without an extra one
  Validity validity;
  HostLongwaveOptions options;
  InputChecks input_checks;
};

}  // namespace Impl

namespace {

template <class Model>
class StreamsOfModel final : public Impl::LongwaveStreams {
 public:
  using Space = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Driver = HostDriver<Longwave<Model>>;

  StreamsOfModel(Space const& space, int layers, typename Driver::Setup setup, HostLongwaveOptions const& its_options)
      : Impl::LongwaveStreams(HostThreads(space), layers, Model::validity, its_options),
        m_driver(space, std::move(setup), host_options(its_options)) {}

  HostPlan const& plan() const override { return m_driver.plan(); }

  void solve(HostLongwaveInput const& input, std::vector<ArrayRef> const& fluxes, HostReport& report) override {
    // Held by reference, so that the function object is small and does not allocate.
    auto const prepare = [&](typename Driver::input_type& in, std::vector<ArrayRef> const& staged, std::int64_t first,
                             int) {
      in.clouds.overlap = input.overlap;
      in.clouds.seed = input.seed;
      in.clouds.first_column = input.first_column + static_cast<std::uint32_t>(first);
      // In the extra layer copies leave zeros, which is right for clouds and aerosol.
      if (options.extra_layer) fill_extra_layer(views_of<Columns<Host, Real>>(staged));
    };
    set_arrays(input);
    m_driver.solve(m_arrays, fluxes, std::ref(prepare), options.progress, report);
  }

 private:
  /// The arrays in the order of their descriptions, and what copies do to them.
  void set_arrays(HostLongwaveInput const& input) {
    std::array const arrays{&input.pressure_lay,
                            &input.pressure_lev,
                            &input.temperature_lay,
                            &input.temperature_lev,
                            &input.temperature_sfc,
                            &input.emissivity_sfc,
                            &input.vmr,
                            &input.aerosol,
                            &input.fraction,
                            &input.ice_path,
                            &input.liquid_path,
                            &input.decorrelation_length,
                            &input.fraction_gpt,
                            &input.ice_path_gpt,
                            &input.liquid_path_gpt,
                            &input.optical_depth_gpt,
                            &input.ice_size,
                            &input.liquid_size,
                            &input.input,
                            &input.ice_optics,
                            &input.liquid_optics};
    m_arrays.resize(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i)
      m_arrays[i] = InputArray(*arrays[i], Impl::InputChecks::map_of(m_descriptions[i], input, checks()));
    if (!input.vmr.empty()) return;
    InputArray& gases = m_arrays[6];
    gases.array = input.pressure_lay;
    gases.array.rank = 3;
    gases.array.extents = {input.ncol(), ngas, input.nlay()};
    gases.dimension = 1;
    gases.parts = input.gases.data();
  }

  std::vector<ArrayDescription> m_descriptions = descriptions_of<typename Driver::input_type>();
  std::vector<InputArray> m_arrays;
  Driver m_driver;
};

}  // namespace

HostLongwavePlan plan_longwave(int ncol, int nlay, HostClouds const& clouds, bool aerosol,
                               Coefficients const* coefficients, HostLongwaveOptions const& options) {
  require_kokkos("plan_longwave");
  check_options(ncol, nlay, clouds.any(), aerosol, coefficients == nullptr, options);
  auto const shapes = make_shapes(nlay, clouds, aerosol, options.outputs);
  HostLongwavePlan plan;
  with_execution_space(options.space, [&]<class Space>(Space const& space) {
    with_model<Space>(coefficients, options, [&](auto const& make_model) {
      using Model = std::decay_t<decltype(make_model(space))>;
      plan = HostDriver<Longwave<Model>>::plan(
          space, make_setup<Model>(ncol, nlay, input_shapes(shapes), flux_shapes(shapes), options, make_model),
          host_options(options));
    });
  });
  return plan;
}

template <Floating HostReal>
template <KokkosExecutionSpace Space>
HostLongwave<HostReal>::HostLongwave(Space const& space, int ncol, int nlay, Clouds<host_space, HostReal> const& clouds,
                                     bool aerosol, Coefficients const* coefficients,
                                     HostLongwaveOptions const& options) {
  require_kokkos("HostLongwave");
  check_options(ncol, nlay, clouds.any(), aerosol, coefficients == nullptr, options);
  auto const shapes = make_shapes(nlay, clouds, aerosol, options.outputs);
  with_model<Space>(coefficients, options, [&](auto const& make_model) {
    using Model = std::decay_t<decltype(make_model(space))>;
    m_streams = std::make_unique<StreamsOfModel<Model>>(
        space, nlay, make_setup<Model>(ncol, nlay, input_shapes(shapes), flux_shapes(shapes), options, make_model),
        options);
  });
}

template <Floating HostReal>
HostLongwave<HostReal>::HostLongwave(int ncol, int nlay, Clouds<host_space, HostReal> const& clouds, bool aerosol,
                                     Coefficients const* coefficients, HostLongwaveOptions const& options) {
  require_kokkos("HostLongwave");
  with_execution_space(options.space, [&](auto const& space) {
    *this = HostLongwave(space, ncol, nlay, clouds, aerosol, coefficients, options);
  });
}

template <Floating HostReal>
HostLongwave<HostReal>::~HostLongwave() {
  leave_if_kokkos_is_gone(m_streams);
}

template <Floating HostReal>
HostLongwave<HostReal>::HostLongwave(HostLongwave&&) noexcept = default;

template <Floating HostReal>
HostLongwave<HostReal>& HostLongwave<HostReal>::operator=(HostLongwave&&) noexcept = default;

template <Floating HostReal>
void HostLongwave<HostReal>::compute(HostLongwaveInput const& input, std::vector<ArrayRef> const& fluxes,
                                     HostLongwaveReport* report) {
  Kokkos::Timer const timer;
  HostLongwaveReport own;
  HostLongwaveReport& told = report != nullptr ? *report : own;
  auto& streams = *m_streams;
  auto const checked = streams.input_checks.check(streams.threads, input, streams.validity, streams.checks(), told);
  if (input.nlay() > streams.nlay)
    throw ShapeError(where, fmt::format("columns have {} layers, expected at most {}", input.nlay(), streams.nlay));
  if (streams.options.extra_layer) check_room_for_extra_layer(checked);
  streams.solve(checked, fluxes, told);
  told.total_seconds = timer.seconds();
}

template <Floating HostReal>
HostLongwavePlan const& HostLongwave<HostReal>::plan() const {
  return m_streams->plan();
}

HostFluxes compute_longwave(HostColumns const& columns, HostClouds const& clouds, Coefficients const* coefficients,
                            HostLongwaveOptions const& options, HostLongwaveReport* report) {
  Kokkos::Timer const timer;
  HostLongwave<double> longwave(columns.ncol(), columns.nlay(), clouds, columns.aerosol.size() > 0, coefficients,
                                options);
  auto const fluxes = make_fluxes<Host, double>(columns.ncol(), columns.nlay(), options.outputs);
  longwave.compute(columns, clouds, fluxes, report);
  if (report != nullptr) report->total_seconds = timer.seconds();
  return fluxes;
}

HostFluxes compute_longwave(HostColumns const& columns, Coefficients const* coefficients,
                            HostLongwaveOptions const& options, HostLongwaveReport* report) {
  return compute_longwave(columns, HostClouds(), coefficients, options, report);
}

template class HostLongwave<float>;
template class HostLongwave<double>;

#define PARHELION_INSTANTIATE(SPACE)                                                                     \
  template HostLongwave<float>::HostLongwave(SPACE const&, int, int, Clouds<Host, float> const&, bool,   \
                                             Coefficients const*, HostLongwaveOptions const&);           \
  template HostLongwave<double>::HostLongwave(SPACE const&, int, int, Clouds<Host, double> const&, bool, \
                                              Coefficients const*, HostLongwaveOptions const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::fluxes
