// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/rrtmg/host_longwave.hpp>

#include "column_checks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/core/stream.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion::rrtmg {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

constexpr char const* where = "longwave";
constexpr double extra_layer_top = 0.01;  // [Pa]

// --- the arrays one by one ---------------------------------------------------------------------------------------

constexpr int no_layers = -1;

// These call action(name, dimension of the layers or levels, array...) for every array of all that they are given.
template <class Action, class... Each>
void walk_columns(Action const& action, Each&... each) {
  action("pressure_lay", 1, each.pressure_lay...);
  action("pressure_lev", 1, each.pressure_lev...);
  action("temperature_lay", 1, each.temperature_lay...);
  action("temperature_lev", 1, each.temperature_lev...);
  action("temperature_sfc", no_layers, each.temperature_sfc...);
  action("emissivity_sfc", no_layers, each.emissivity_sfc...);
  action("mole_ratio", 2, each.mole_ratio...);
  action("aerosol", 1, each.aerosol...);
}

template <class Action, class... Each>
void walk_clouds(Action const& action, Each&... each) {
  action("fraction", 1, each.fraction...);
  action("ice_path", 1, each.ice_path...);
  action("liquid_path", 1, each.liquid_path...);
  action("decorrelation_length", no_layers, each.decorrelation_length...);
  action("fraction_gpt", 1, each.fraction_gpt...);
  action("ice_path_gpt", 1, each.ice_path_gpt...);
  action("liquid_path_gpt", 1, each.liquid_path_gpt...);
  action("optical_depth_gpt", 1, each.optical_depth_gpt...);
  action("ice_size", 1, each.ice_size...);
  action("liquid_size", 1, each.liquid_size...);
  action("input", no_layers, each.input...);
  action("ice_optics", no_layers, each.ice_optics...);
  action("liquid_optics", no_layers, each.liquid_optics...);
}

template <class Action, class... Each>
void walk_fluxes(Action const& action, Each&... each) {
  action("flux_up", 1, each.flux_up...);
  action("flux_dn", 1, each.flux_dn...);
  action("heating_rate", 1, each.heating_rate...);
  action("flux_up_clear", 1, each.flux_up_clear...);
  action("flux_dn_clear", 1, each.flux_dn_clear...);
  action("heating_rate_clear", 1, each.heating_rate_clear...);
  action("dflux_up_dt", 1, each.dflux_up_dt...);
  action("dflux_up_clear_dt", 1, each.dflux_up_clear_dt...);
  action("flux_up_band", 1, each.flux_up_band...);
  action("flux_dn_band", 1, each.flux_dn_band...);
}

/// One column of all arrays that calls may have: what counts are their extents.
template <class Real>
struct Shapes {
  Columns<Host, Real> columns;
  Clouds<Host, Real> clouds;
  Fluxes<Host, Real> fluxes;
};

template <class Real>
Shapes<Real> make_shapes(int nlay, Clouds<Host, Real> const& clouds, bool aerosol, FluxOutputs wanted) {
  // Emissivities have room for one a band.
  Shapes<Real> shapes{.columns = make_columns<Host, Real>(1, nlay, nbnd, aerosol),
                      .clouds = {},
                      .fluxes = make_fluxes<Host, Real>(1, nlay, wanted)};
  if (clouds.of_layers()) shapes.clouds = make_layer_clouds<Host, Real>(1, nlay);
  if (clouds.of_gpoints()) shapes.clouds = make_gpoint_clouds<Host, Real>(1, nlay, clouds.optical_depth_gpt.size() > 0);
  if (clouds.of_layers() && clouds.decorrelation_length.size() > 0)
    shapes.clouds.decorrelation_length = Array<Real*, Host>("parhelion::rrtmg::decorrelation_length", 1);
  return shapes;
}

// --- the arrays of a chunk ---------------------------------------------------------------------------------------

/// The extents that an array of n columns has on the device, where columns may be deeper.
template <class View>
std::array<std::size_t, View::rank()> extents_of_chunk(View const& host, int layers, int n, bool extra_layer) {
  std::array<std::size_t, View::rank()> extents;
  for (std::size_t r = 0; r < View::rank(); ++r) extents[r] = host.extent(r);
  extents[0] = static_cast<std::size_t>(n);
  if (layers != no_layers && extra_layer) ++extents[static_cast<std::size_t>(layers)];
  return extents;
}

/// Gives arrays of a chunk their places, the same in each stage for the same n.
class Places {
 public:
  Places(int n, bool extra_layer) : m_n(n), m_extra_layer(extra_layer) {}

  /// Points both Views to the place of an array like `host`; to nothing where that is empty.
  template <class HostView, class Staged, class Device>
  void take(HostView const& host, int layers, std::byte* host_memory, std::byte* device_memory, Staged& staged,
            Device& device) {
    staged = Staged();
    device = Device();
    if (host.size() == 0) return;
    auto const extents = extents_of_chunk(host, layers, m_n, m_extra_layer);
    std::size_t size = sizeof(typename Device::non_const_value_type);
    for (std::size_t extent : extents) size *= extent;
    std::size_t const offset = m_layout.take(size);
    // Without memory, only the size is wanted.
    if (host_memory == nullptr) return;
    staged = view_of<Staged>(host_memory + offset, extents);
    device = view_of<Device>(device_memory + offset, extents);
  }

  std::size_t bytes() const { return m_layout.bytes(); }

 private:
  int m_n;
  bool m_extra_layer;
  StreamLayout m_layout;
};

/// A chunk of columns, clouds and fluxes in one memory.
template <class Space, class Real>
struct Chunk {
  Columns<Space, Real> columns;
  Clouds<Space, Real> clouds;
  Fluxes<Space, Real> fluxes;
};

template <class Real, class HostReal>
std::size_t bytes_of_input(int n, Shapes<HostReal> const& shapes, bool extra_layer) {
  Places places(n, extra_layer);
  Chunk<Host, Real> chunk;
  auto const take = [&](char const*, int layers, auto const& host, auto& device) {
    auto staged = device;
    places.take(host, layers, nullptr, nullptr, staged, device);
  };
  walk_columns(take, shapes.columns, chunk.columns);
  walk_clouds(take, shapes.clouds, chunk.clouds);
  return places.bytes();
}

template <class Real, class HostReal>
std::size_t bytes_of_output(int n, Shapes<HostReal> const& shapes, bool extra_layer) {
  Places places(n, extra_layer);
  Chunk<Host, Real> chunk;
  auto const take = [&](char const*, int layers, auto const& host, auto& device) {
    auto staged = device;
    places.take(host, layers, nullptr, nullptr, staged, device);
  };
  walk_fluxes(take, shapes.fluxes, chunk.fluxes);
  return places.bytes();
}

/// Fills the highest layer of columns that are one layer deeper than the caller's.
template <class Real>
void fill_extra_layer(Columns<Host, Real> const& columns) {
  int const extra = columns.nlay() - 1;
  Kokkos::parallel_for("parhelion::rrtmg::extra_layer", Kokkos::RangePolicy<Host>(0, columns.ncol()), [=](int c) {
    Real const temperature = columns.temperature_lay(c, extra - 1);
    columns.pressure_lay(c, extra) = static_cast<Real>(0.5) * columns.pressure_lev(c, extra);
    columns.pressure_lev(c, extra + 1) = static_cast<Real>(extra_layer_top);
    columns.temperature_lay(c, extra) = temperature;
    columns.temperature_lev(c, extra) = columns.temperature_lev(c, extra + 1) = temperature;
    for (int gas = 0; gas < ngas; ++gas) columns.mole_ratio(c, gas, extra) = columns.mole_ratio(c, gas, extra - 1);
  });
  Host().fence("parhelion::rrtmg::extra_layer");
}

// --- how the work is cut -----------------------------------------------------------------------------------------

void check_options(int ncol, int nlay, bool clouds, bool aerosol, bool simple, HostLongwaveOptions const& options) {
  if (ncol < 1) throw Error(where, fmt::format("ncol = {}, expected at least 1", ncol));
  if (nlay < 1) throw Error(where, fmt::format("nlay = {}, expected at least 1", nlay));
  if (options.chunk < 0)
    throw Error(where, fmt::format("chunk = {}, expected at least 1, or 0 for a choice", options.chunk));
  if (options.devices < 0)
    throw Error(where, fmt::format("devices = {}, expected at least 1, or 0 for all", options.devices));
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

/// All but the workspaces.
template <class Space, class Real, class HostReal>
HostLongwavePlan cut_work(int ncol, Shapes<HostReal> const& shapes, HostLongwaveOptions const& options) {
  // Three chunks of this fill a device; larger ones leave it less to overlap (docs/performance.md), and pinned memory
  // is dear.
  constexpr int most_columns = 1024;
  constexpr std::size_t most_bytes = std::size_t(1) << 28;
  constexpr int most_streams = runs_on_host<Space> ? 1 : 3;

  auto const bytes = [&](int n) {
    return bytes_of_input<Real>(n, shapes, options.extra_layer) + bytes_of_output<Real>(n, shapes, options.extra_layer);
  };
  auto const quotient = [](int a, int b) { return a / b + (a % b > 0 ? 1 : 0); };
  int const there = number_of_devices<Space>();
  if (options.devices > there)
    throw Error(where, fmt::format("devices = {}, expected at most the {} that {} has here", options.devices, there,
                                   Space::name()));
  int const devices = options.devices > 0 ? options.devices : there;

  HostLongwavePlan plan;
  plan.space = Space::name();
  plan.chunk = options.chunk;
  if (plan.chunk == 0) {
    plan.chunk = std::min<int>(most_columns, static_cast<int>(std::max<std::size_t>(1, most_bytes / bytes(1))));
  }
  plan.chunk = std::min(plan.chunk, ncol);
  int const nchunk = quotient(ncol, plan.chunk);
  plan.devices = std::min(devices, nchunk);
  plan.streams = std::min(most_streams, quotient(nchunk, plan.devices));
  std::size_t const streams = static_cast<std::size_t>(plan.streams);
  plan.device_bytes = streams * bytes(plan.chunk);
  plan.host_bytes = runs_on_host<Space> ? 0 : static_cast<std::size_t>(plan.devices) * plan.device_bytes;
  return plan;
}

/// Calls action(space, make_model) with the space and precision of the options; make_model(space) brings the model to
/// the device of an instance.
template <class Action>
void with_model(Coefficients const* coefficients, HostLongwaveOptions const& options, Action const& action) {
  with_execution_space(options.space, [&]<class Space>(Space const& space) {
    auto const with_precision = [&]<class Real>(Real) {
      if (coefficients != nullptr)
        action(space, [&](Space const& on) { return GasOptics<Space, Real>(on, *coefficients); });
      else
        action(space, [](Space const& on) { return SimpleSpectral<Space, Real>(on); });
    };
    if (options.precision == Precision::float32)
      with_precision(float());
    else
      with_precision(double());
  });
}

// --- checks of a call --------------------------------------------------------------------------------------------

/// Refuses an array that copies would misread, or that memory was not made for.
template <class View, class Shape>
void check_array(char const* name, View const& view, Shape const& shape) {
  if (view.size() == 0) return;
  if (shape.size() == 0)
    throw Error(where, fmt::format("{} is there, expected none, as this was made for calls without", name));
  if (!view.span_is_contiguous()) throw Error(where, fmt::format("{} is not contiguous", name));
}

template <class HostReal>
void check_fluxes(Fluxes<Host, HostReal> const& fluxes, Fluxes<Host, HostReal> const& shapes, std::size_t ncol) {
  walk_fluxes(
      [&](char const* name, int, auto const& view, auto const& shape) {
        check_array(name, view, shape);
        if (shape.size() == 0) return;
        if constexpr (std::decay_t<decltype(view)>::rank() == 2)
          expect_shape(where, view, name, {ncol, shape.extent(1)});
        else
          expect_shape(where, view, name, {ncol, shape.extent(1), shape.extent(2)});
      },
      fluxes, shapes);
}

template <class HostReal>
void check_room_for_extra_layer(Columns<Host, HostReal> const& columns) {
  int const nlay = columns.nlay();
  for (int c = 0; c < columns.ncol(); ++c) {
    double const top = columns.pressure_lev(c, nlay);
    if (top <= extra_layer_top * (1 + 1e-6))
      throw Error("extra layer", fmt::format("column {} ends at {:g} Pa; there is no room for a layer below {:g} Pa", c,
                                             top, extra_layer_top));
  }
}

template <class HostReal>
Clouds<Host, HostReal> copy_of(Clouds<Host, HostReal> const& clouds) {
  auto copy = clouds;
  walk_clouds(
      []<class View>(char const*, int, View& view) {
        if (view.size() == 0) return;
        View const from = view;
        view = View(Kokkos::view_alloc(from.label(), Kokkos::WithoutInitializing), from.layout());
        Kokkos::deep_copy(view, from);
      },
      copy);
  return copy;
}

}  // namespace

// --- the streams -------------------------------------------------------------------------------------------------

namespace Impl {

template <class HostReal>
class HostStreams {
 public:
  HostStreams(Shapes<HostReal> shapes, Validity const& validity, HostLongwaveOptions options)
      : m_shapes(std::move(shapes)), m_validity(validity), m_options(std::move(options)) {}
  virtual ~HostStreams() = default;
  HostStreams(HostStreams const&) = delete;
  HostStreams& operator=(HostStreams const&) = delete;

  HostLongwavePlan const& plan() const { return m_plan; }

  void compute(Columns<Host, HostReal> const& columns, Clouds<Host, HostReal> const& clouds,
               Fluxes<Host, HostReal> const& fluxes, HostLongwaveReport& report) {
    Kokkos::Timer const timer;
    report = {.plan = m_plan};
    int const ncol = columns.ncol();
    int const nlay = m_shapes.columns.nlay();
    if (columns.nlay() != nlay)
      throw Error(where, fmt::format("columns have {} layers, expected {}", columns.nlay(), nlay));
    auto const check = [](char const* name, int, auto const& view, auto const& shape) {
      check_array(name, view, shape);
    };
    walk_columns(check, columns, m_shapes.columns);
    walk_clouds(check, clouds, m_shapes.clouds);
    check_fluxes(fluxes, m_shapes.fluxes, static_cast<std::size_t>(ncol));
    auto const checked = check_columns(columns, m_validity, m_options.out_of_range);
    report.out_of_range = checked.out_of_range;
    if (m_options.extra_layer) check_room_for_extra_layer(checked.columns);
    auto used = clouds;
    if (!m_options.clip_clouds && m_options.out_of_range != OutOfRange::clip)
      validate(clouds, ncol, nlay);
    else if (count_to_clip(clouds, ncol, nlay).all() > 0) {
      used = copy_of(clouds);
      report.clipped = clip(used, ncol, nlay);
    }
    stream(checked.columns, used, fluxes, report);
    report.total_seconds = timer.seconds();
  }

 protected:
  virtual void stream(Columns<Host, HostReal> const& columns, Clouds<Host, HostReal> const& clouds,
                      Fluxes<Host, HostReal> const& fluxes, HostLongwaveReport& report) = 0;

  Shapes<HostReal> m_shapes;
  Validity m_validity;
  HostLongwaveOptions m_options;
  HostLongwavePlan m_plan;
};

}  // namespace Impl

namespace {

template <class Model, class HostReal>
class ModelStreams final : public Impl::HostStreams<HostReal> {
 public:
  using Space = typename Model::execution_space;
  using Real = typename Model::value_type;

  /// \param make_model callable (instance): the model on the device of that instance
  template <class MakeModel>
  ModelStreams(Space const& space, int ncol, Shapes<HostReal> const& shapes, HostLongwaveOptions const& options,
               MakeModel const& make_model)
      : Impl::HostStreams<HostReal>(shapes, Model::validity, options) {
    bool const extra = options.extra_layer;
    HostLongwavePlan& plan = this->m_plan;
    plan = cut_work<Space, Real>(ncol, shapes, options);
    auto const instances = instances_on_devices(space, plan.devices, plan.streams);
    std::vector<Model> models;
    for (auto const& device : instances) models.push_back(make_model(device.front()));
    std::size_t const input = bytes_of_input<Real>(plan.chunk, shapes, extra);
    std::size_t const output = bytes_of_output<Real>(plan.chunk, shapes, extra);
    int const nlay = shapes.columns.nlay() + (extra ? 1 : 0);
    // Consecutive chunks go to different devices.
    for (std::size_t stream = 0; stream < static_cast<std::size_t>(plan.streams); ++stream)
      for (std::size_t device = 0; device < instances.size(); ++device) {
        Space const& on = instances[device][stream];
        m_stages.push_back({.space = on,
                            .solver = {on, models[device], nlay, options.transmittance, options.tuning},
                            .input = {on, input, "parhelion::rrtmg::stream_input"},
                            .output = {on, output, "parhelion::rrtmg::stream_output"}});
      }
    plan.device_bytes += static_cast<std::size_t>(plan.streams) * m_stages.front().solver.workspace_bytes();
  }

 private:
  /// What a chunk needs on its way, of which each stage has its own.
  struct Stage {
    Space space;
    Longwave<Model> solver;
    TwinMemory<Space> input, output;
    Chunk<Host, Real> staged = {};
    Chunk<Space, Real> device = {};
  };

  /// Converts a chunk into the memory from which it is copied. Returns how many bytes that are.
  std::size_t bring_in(Stage& stage, Columns<Host, HostReal> const& columns, Clouds<Host, HostReal> const& clouds,
                       int first, int n) const {
    bool const extra = this->m_options.extra_layer;
    Places places(n, extra);
    HostCopies<HostReal, Real> copies;
    auto const take = [&](char const*, int layers, auto const& from, auto& staged, auto& device) {
      places.take(from, layers, stage.input.host(), stage.input.device(), staged, device);
      if (from.size() == 0) return;
      if constexpr (std::is_same_v<typename std::decay_t<decltype(from)>::value_type, int>)
        std::copy_n(from.data() + first, n, staged.data());
      else
        copies.add(rows(from, first, first + n), staged);
    };
    walk_columns(take, columns, stage.staged.columns, stage.device.columns);
    walk_clouds(take, clouds, stage.staged.clouds, stage.device.clouds);
    stage.device.clouds.overlap = clouds.overlap;
    stage.device.clouds.seed = clouds.seed;
    stage.device.clouds.first_column = clouds.first_column + static_cast<std::uint32_t>(first);
    copies.run();
    // Copies leave the extra layer zero: right for clouds and aerosol.
    if (extra) fill_extra_layer(stage.staged.columns);
    return places.bytes();
  }

  /// Gives the fluxes of a chunk their place. Returns how many bytes they take.
  std::size_t place_output(Stage& stage, int n) const {
    Places places(n, this->m_options.extra_layer);
    walk_fluxes(
        [&](char const*, int layers, auto const& shape, auto& staged, auto& device) {
          places.take(shape, layers, stage.output.host(), stage.output.device(), staged, device);
        },
        this->m_shapes.fluxes, stage.staged.fluxes, stage.device.fluxes);
    return places.bytes();
  }

  void stream(Columns<Host, HostReal> const& columns, Clouds<Host, HostReal> const& clouds,
              Fluxes<Host, HostReal> const& fluxes, HostLongwaveReport& report) override {
    int const ncol = columns.ncol();
    Kokkos::Timer timer;
    auto const start = [&](int stage, int first, int n) {
      Stage& s = m_stages[static_cast<std::size_t>(stage)];
      s.input.to_device(s.space, bring_in(s, columns, clouds, first, n));
      std::size_t const output = place_output(s, n);
      if (first == 0) timer.reset();
      s.solver.solve(s.space, s.device.columns, s.device.clouds, s.device.fluxes);
      s.output.to_host(s.space, output);
    };
    auto const finish = [&](int stage, int first, int n) {
      Stage& s = m_stages[static_cast<std::size_t>(stage)];
      bool const bad = s.solver.found_bad_numbers(s.space);
      report.solve_seconds = timer.seconds();
      if (bad) throw Error(where, fmt::format("a flux of columns {} to {} is not finite", first, first + n - 1));
      HostCopies<Real, HostReal> copies;
      walk_fluxes(
          [&](char const*, int, auto const& from, auto const& to) {
            if (to.size() > 0) copies.add(from, rows(to, first, first + n));
          },
          s.staged.fluxes, fluxes);
      copies.run();
      if (this->m_options.progress) this->m_options.progress(first + n, ncol);
    };
    try {
      stream_chunks(ncol, this->m_plan.chunk, static_cast<int>(m_stages.size()), start, finish);
    } catch (...) {
      // Nothing of this call may be under way when the caller takes the arrays back, or count in the next.
      for (auto const& s : m_stages) (void)s.solver.found_bad_numbers(s.space);
      throw;
    }
  }

  std::vector<Stage> m_stages;
};

}  // namespace

HostLongwavePlan plan_longwave(int ncol, int nlay, HostClouds const& clouds, bool aerosol,
                               Coefficients const* coefficients, HostLongwaveOptions const& options) {
  require_kokkos("plan_longwave");
  check_options(ncol, nlay, clouds.any(), aerosol, coefficients == nullptr, options);
  auto const shapes = make_shapes(nlay, clouds, aerosol, options.outputs);
  HostLongwavePlan plan;
  with_model(coefficients, options, [&](auto const& space, auto const& make_model) {
    using Model = std::decay_t<decltype(make_model(space))>;
    plan = cut_work<typename Model::execution_space, typename Model::value_type>(ncol, shapes, options);
    plan.device_bytes +=
        static_cast<std::size_t>(plan.streams) *
        Longwave<Model>::workspace_bytes(space, nlay + (options.extra_layer ? 1 : 0), options.transmittance);
  });
  return plan;
}

template <Floating HostReal>
HostLongwave<HostReal>::HostLongwave(int ncol, int nlay, Clouds<host_space, HostReal> const& clouds, bool aerosol,
                                     Coefficients const* coefficients, HostLongwaveOptions const& options) {
  require_kokkos("HostLongwave");
  check_options(ncol, nlay, clouds.any(), aerosol, coefficients == nullptr, options);
  auto const shapes = make_shapes(nlay, clouds, aerosol, options.outputs);
  with_model(coefficients, options, [&](auto const& space, auto const& make_model) {
    using Model = std::decay_t<decltype(make_model(space))>;
    m_streams = std::make_unique<ModelStreams<Model, HostReal>>(space, ncol, shapes, options, make_model);
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
void HostLongwave<HostReal>::compute(Columns<host_space, HostReal> const& columns,
                                     Clouds<host_space, HostReal> const& clouds,
                                     Fluxes<host_space, HostReal> const& fluxes, HostLongwaveReport* report) {
  HostLongwaveReport own;
  m_streams->compute(columns, clouds, fluxes, report != nullptr ? *report : own);
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

}  // namespace parhelion::rrtmg
