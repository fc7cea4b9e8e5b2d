// SPDX-License-Identifier: BSD-3-Clause
#include "common/arrays.hpp"
#include "common/coefficients.hpp"
#include "common/objects.hpp"
#include "common/plans.hpp"
#include "common/structs.hpp"

#include <parhelion/core/memory.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion::C {

namespace {

using namespace parhelion::fluxes;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int max_nlay = 10000;
constexpr int automatic_ncol = 1024;
constexpr double default_heat_capacity = 1004;
constexpr double default_gravity = 9.8066;

constexpr std::array<char const*, PARHELION_NGAS> gas_names{"h2o", "co2",  "o3",    "n2o",   "co",   "ch4",
                                                            "o2",  "ccl4", "cfc11", "cfc12", "cfc22"};
static_assert(PARHELION_NGAS == ngas);

// From the units of this interface to those of the solver.
constexpr double to_g_per_kg = 1e3;
constexpr double to_um_per_m = 1e6;

/// What calls of a Longwave have in common.
struct Options {
  parhelion_longwave_options given;
  HostLongwaveOptions host;
  Overlap overlap = Overlap::maximum_random;
  int ncol = automatic_ncol;
  int nlay = 0;

  Options(char const* where, parhelion_longwave_options const& options) : given(options) {
    bool const simple = choice(where, "model", given.model, PARHELION_RRTMG_LW, PARHELION_SIMPLE) == PARHELION_SIMPLE;
    choice(where, "vertical_order", given.vertical_order, PARHELION_SURFACE_FIRST, PARHELION_TOP_FIRST);
    choice(where, "clouds", given.clouds, PARHELION_CLOUDS_NONE, PARHELION_CLOUDS_OF_GPOINTS);
    choice(where, "checks", given.checks, PARHELION_CHECK_REFUSE, PARHELION_CHECK_TRUST);
    nlay = choice(where, "nlay", given.nlay, 1, max_nlay);
    ncol = choice(where, "ncol", given.ncol, 0, std::numeric_limits<int>::max());
    if (ncol == 0) ncol = automatic_ncol;
    int const which =
        choice(where, "overlap", given.overlap, PARHELION_OVERLAP_DEFAULT, PARHELION_OVERLAP_EXPONENTIAL_RANDOM);
    if (which != PARHELION_OVERLAP_DEFAULT) overlap = static_cast<Overlap>(which);
    if (given.cloud_optical_depth != 0 && given.clouds != PARHELION_CLOUDS_OF_GPOINTS)
      throw ArgumentError(where, "cloud_optical_depth is set, expected that only with PARHELION_CLOUDS_OF_GPOINTS");
    if (simple && given.coefficients != nullptr)
      throw ArgumentError(where, "coefficients is given, expected NULL with PARHELION_SIMPLE, which has none");
    for (auto const& [name, value] : {std::pair{"heat_capacity", given.heat_capacity}, {"gravity", given.gravity}})
      if (!(value >= 0) || !std::isfinite(value))
        throw ArgumentError(where,
                            fmt::format("{} = {}, expected a positive number, or 0 for the default", name, value));
    if (given.heat_capacity == 0) given.heat_capacity = default_heat_capacity;
    if (given.gravity == 0) given.gravity = default_gravity;
    host.precision = precision_of(where, given.precision);
    host.transmittance = choice(where, "transmittance", given.transmittance, PARHELION_TRANSMITTANCE_EXACT,
                                PARHELION_TRANSMITTANCE_TABLE) == PARHELION_TRANSMITTANCE_TABLE
                             ? Transmittance::table
                             : Transmittance::exact;
    host.chunk = chunk_of(where, given.chunk);
    host.devices = devices_of(where, given.devices);
    host.extra_layer = given.extra_layer != 0;
    host.outputs = {.clear = given.clear != 0, .derivative = given.derivative != 0, .bands = given.bands != 0};
    host.out_of_range = C::out_of_range_of(where, given.out_of_range);
    host.clip_clouds = given.checks != PARHELION_CHECK_REFUSE;
    if (given.checks == PARHELION_CHECK_TRUST) host.out_of_range = OutOfRange::extrapolate;
  }

  bool top_first() const { return given.vertical_order == PARHELION_TOP_FIRST; }
  bool clips() const { return given.checks != PARHELION_CHECK_REFUSE; }

  /// Clouds that have the arrays that calls may have.
  template <class Real>
  Clouds<Host, Real> clouds_like() const {
    Clouds<Host, Real> clouds;
    if (given.clouds == PARHELION_CLOUDS_OF_LAYERS) {
      clouds = make_layer_clouds<Host, Real>(1, nlay);
      clouds.decorrelation_length = decltype(clouds.decorrelation_length)("parhelion::C::decorrelation_length", 1);
    }
    if (given.clouds == PARHELION_CLOUDS_OF_GPOINTS)
      clouds = make_gpoint_clouds<Host, Real>(1, nlay, given.cloud_optical_depth != 0);
    return clouds;
  }
};

class Longwave final : public Object {
 public:
  static constexpr char const* name = "longwave";

  Longwave(char const* where, parhelion_longwave_options const& options)
      : m_options(where, options), m_instances(text_of(options.space)) {
    if (options.model == PARHELION_RRTMG_LW) m_coefficients = rrtmg_lw_coefficients(text_of(options.coefficients));
    m_options.given.space = m_options.given.coefficients = nullptr;  // they are the caller's
    m_instances.with([&](auto const& space, bool of_region) { solver<double>(space, of_region, m_options.nlay); });
  }

  /// Memory of the solvers.
  Bytes bytes() const {
    Bytes all;
    for (auto const& [key, each] : m_solvers)
      all.add(std::visit([](auto const& solver) { return solver->plan(); }, each));
    return all;
  }

  void solve(char const* where, parhelion_longwave_input const& input, parhelion_longwave_output const& output) {
    m_instances.with([&](auto const& space, bool of_region) {
      if (input.pressure_lay.type == PARHELION_FLOAT32)
        solve_on<float>(where, space, of_region, input, output);
      else
        solve_on<double>(where, space, of_region, input, output);
    });
  }

  OutOfRangeCounts const& counts() const { return m_counts; }

 private:
  template <class Real>
  using Solver = std::unique_ptr<HostLongwave<Real>>;

  /// The solver of calls with arrays of this precision and number of layers, on this instance.
  template <class Real, class Space>
  HostLongwave<Real>& solver(Space const& space, bool of_region, int nlay) {
    auto const key = std::tuple(std::is_same_v<Real, float>, of_region, nlay);
    auto found = m_solvers.find(key);
    if (found == m_solvers.end()) {
      Solver<Real> made;
      outside_parallel_regions([&] {
        auto const* const coefficients = m_coefficients ? m_coefficients.get() : nullptr;
        auto const like = m_options.clouds_like<Real>();
        made = std::make_unique<HostLongwave<Real>>(space, m_options.ncol, nlay, like, m_options.given.aerosol != 0,
                                                    coefficients, m_options.host);
      });
      found = m_solvers.emplace(key, std::move(made)).first;
    }
    return *std::get<Solver<Real>>(found->second);
  }

  void count(std::string const& what, std::size_t n) {
    if (n == 0) return;
    for (auto& [name, number] : m_counts)
      if (name == what) {
        number += n;
        return;
      }
    m_counts.emplace_back(what, n);
  }

  /// The arrays of a call: copies of the solver's precision and units, of which the results are copied back.
  template <class Real>
  class Copies {
   public:
    Copies(char const* where, HostThreads threads, Options const& options)
        : m_where(where), m_threads(std::move(threads)), m_options(options) {}

    Dimensions dimensions = {};
    std::int64_t ncol = 0;

    /// The array of the caller, surface first, its columns spread.
    template <class Ref>
    Ref oriented(ArrayDescription const& description, Ref array) const {
      if (int const d = description.vertical(); m_options.top_first() && d >= 0 && d < array.rank)
        return array.reversed(d);
      return array;
    }

    template <class View>
    void allocate(View& view, std::vector<std::int64_t> const& extents) {
      std::size_t n = 1;
      typename View::array_layout layout;
      for (std::size_t d = 0; d < extents.size(); ++d) n *= layout.dimension[d] = static_cast<std::size_t>(extents[d]);
      using Value = typename View::non_const_value_type;
      m_memory.push_back(std::make_unique<std::byte[]>(n * sizeof(Value)));
      view = View(reinterpret_cast<Value*>(m_memory.back().get()), layout);
    }

    /// Copies an input, if it is there.
    template <class View>
    void bring(ArrayDescription const& description, ConstArrayRef array, View& view) {
      if (array.data == nullptr) return;
      array = spread(array, ncol);
      check_extents(m_where, description, array, dimensions);
      if (array.empty()) return;
      if (array.type != ValueType::int32 && array.type != value_type_of<Real>())
        throw ShapeError(m_where,
                         fmt::format("{}.type differs from that of pressure_lay, expected the same", description.name));
      allocate(view, {array.extents.begin(), array.extents.begin() + array.rank});
      m_in.add(oriented(description, array), array_ref(view));
    }

    /// Copies a gas, if it is there.
    void bring_gas(std::size_t gas, ConstArrayRef const& array,
                   typename Columns<Host, Real>::template View<Real***> const& vmr) {
      if (array.data == nullptr) return;
      ArrayDescription const description{.name = gas_names[gas],
                                         .unit = "1",
                                         .meaning = "moles of gas per mole of dry air",
                                         .dimensions = {dimension::column, dimension::layer}};
      auto const all = spread(array, ncol);
      check_extents(m_where, description, all, dimensions);
      if (all.type != value_type_of<Real>())
        throw ShapeError(m_where,
                         fmt::format("{}.type differs from that of pressure_lay, expected the same", description.name));
      ArrayRef to = array_ref(vmr).part(1, static_cast<std::int64_t>(gas), 1);
      to.rank = 2;
      to.extents = {ncol, dimensions[dimension::layer]};
      to.strides = {static_cast<std::int64_t>(vmr.stride(0)), static_cast<std::int64_t>(vmr.stride(2))};
      m_in.add(oriented(description, all), to);
    }

    /// Makes room for a result, if it is wanted.
    template <class View>
    void prepare(ArrayDescription const& description, ArrayRef const& array, View& view) {
      if (array.data == nullptr) return;
      check_extents(m_where, description, array, dimensions);
      if (array.empty()) return;
      allocate(view, {array.extents.begin(), array.extents.begin() + array.rank});
      m_out.add(array_ref(view), oriented(description, array));
    }

    void copy_in() { m_in.run(m_threads); }
    void copy_out() { m_out.run(m_threads); }

   private:
    char const* m_where;
    HostThreads m_threads;
    Options const& m_options;
    ArrayCopies m_in, m_out;
    std::vector<std::unique_ptr<std::byte[]>> m_memory;
  };

  template <class View>
  static void scale(View const& view, double factor) {
    using Value = typename View::non_const_value_type;
    if (factor == 1) return;
    for (std::size_t i = 0; i < view.size(); ++i)
      view.data()[i] = static_cast<Value>(static_cast<double>(view.data()[i]) * factor);
  }

  /// Sets finite values to the nearest end of a range, and counts them.
  template <class View>
  void clip(std::string const& what, View const& view, double lowest, double highest) {
    using Value = typename View::non_const_value_type;
    std::size_t n = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
      auto& value = view.data()[i];
      if (!std::isfinite(value) || (value >= lowest && value <= highest)) continue;
      value = static_cast<Value>(value < lowest ? lowest : highest);
      ++n;
    }
    count(what, n);
  }

  template <class Real, class Space>
  void solve_on(char const* where, Space const& space, bool of_region, parhelion_longwave_input const& in,
                parhelion_longwave_output const& out);

  Options m_options;
  Instances m_instances;
  std::shared_ptr<Coefficients const> m_coefficients;
  std::map<std::tuple<bool, bool, int>, std::variant<Solver<float>, Solver<double>>> m_solvers;
  OutOfRangeCounts m_counts;
};

double factor_of(char const* where, char const* name, double given) {
  if (!(given >= 0) || !std::isfinite(given))
    throw ArgumentError(where, fmt::format("{} = {}, expected a positive number, or 0 for 1", name, given));
  return given == 0 ? 1 : given;
}

template <class Real, class Space>
void Longwave::solve_on(char const* where, Space const& space, bool of_region, parhelion_longwave_input const& in,
                        parhelion_longwave_output const& out) {
  double const pressure_factor = factor_of(where, "pressure_factor", in.pressure_factor);
  double const path_factor = factor_of(where, "path_factor", in.path_factor) * to_g_per_kg;
  double const size_factor = factor_of(where, "particle_size_factor", in.particle_size_factor) * to_um_per_m;

  // All arrays are checked before anything is copied.
  CallArrays arrays(where, false);
  Copies<Real> copies(where, HostThreads(space), m_options);
  auto const pressure_lay = arrays.required_input("pressure_lay", in.pressure_lay);
  if (pressure_lay.rank != 2 || pressure_lay.empty() || pressure_lay.extents[1] > m_options.nlay)
    throw ShapeError(where, fmt::format("pressure_lay has shape {}, expected (column, layer) with 1 to {} layers",
                                        shape_text(pressure_lay), m_options.nlay));
  copies.ncol = pressure_lay.extents[0];
  int const nlay = static_cast<int>(pressure_lay.extents[1]);
  copies.dimensions = {{dimension::column, copies.ncol}, {dimension::layer, nlay}, {dimension::level, nlay + 1},
                       {dimension::gas, ngas},           {dimension::band, nbnd},  {dimension::gpoint, ngpt}};

  auto emissivity = arrays.required_input("emissivity_sfc", in.emissivity_sfc);
  if (emissivity.rank == 1) {
    emissivity.rank = 2;
    emissivity.extents[1] = 1;
    emissivity.strides[1] = 0;
  }
  std::map<std::string_view, ConstArrayRef, std::less<>> const given_columns{
      {"pressure_lay", pressure_lay},
      {"pressure_lev", arrays.required_input("pressure_lev", in.pressure_lev)},
      {"temperature_lay", arrays.required_input("temperature_lay", in.temperature_lay)},
      {"temperature_lev", arrays.required_input("temperature_lev", in.temperature_lev)},
      {"temperature_sfc", arrays.required_input("temperature_sfc", in.temperature_sfc)},
      {"emissivity_sfc", emissivity},
      {"aerosol", arrays.input("aerosol", in.aerosol)}};
  auto const integers = Entries::integer;
  std::map<std::string_view, ConstArrayRef, std::less<>> const given_clouds{
      {"fraction", arrays.input("fraction", in.fraction)},
      {"ice_path", arrays.input("ice_path", in.ice_path)},
      {"liquid_path", arrays.input("liquid_path", in.liquid_path)},
      {"decorrelation_length", arrays.input("decorrelation_length", in.decorrelation_length)},
      {"fraction_gpt", arrays.input("fraction_gpt", in.fraction_gpt)},
      {"ice_path_gpt", arrays.input("ice_path_gpt", in.ice_path_gpt)},
      {"liquid_path_gpt", arrays.input("liquid_path_gpt", in.liquid_path_gpt)},
      {"optical_depth_gpt", arrays.input("optical_depth_gpt", in.optical_depth_gpt)},
      {"ice_size", arrays.input("ice_size", in.ice_size)},
      {"liquid_size", arrays.input("liquid_size", in.liquid_size)},
      {"input", arrays.input("cloud_input", in.cloud_input, integers)},
      {"ice_optics", arrays.input("ice_optics", in.ice_optics, integers)},
      {"liquid_optics", arrays.input("liquid_optics", in.liquid_optics, integers)}};

  Columns<Host, Real> columns;
  decltype(columns)::for_each_array(
      [&](ArrayDescription const& description, auto& view) {
        auto const found = given_columns.find(description.name);
        if (found != given_columns.end()) copies.bring(description, found->second, view);
      },
      columns);
  copies.allocate(columns.vmr, {copies.ncol, ngas, nlay});
  for (std::size_t gas = 0; gas < gas_names.size(); ++gas)
    copies.bring_gas(gas, arrays.input(gas_names[gas], in.gases[gas]), columns.vmr);

  bool any_clouds = false;
  for (auto const& [name, array] : given_clouds) any_clouds = any_clouds || array.data != nullptr;
  Clouds<Host, Real> clouds;
  if (any_clouds) {
    auto const refuse_unless = [&](bool good, char const* expected) {
      if (!good) throw ArgumentError(where, fmt::format("there are arrays of clouds, expected {}", expected));
    };
    auto const all_of = [&](std::initializer_list<char const*> names) {
      for (auto const* const each : names)
        if (given_clouds.at(each).data == nullptr) return false;
      return true;
    };
    refuse_unless(m_options.given.clouds != PARHELION_CLOUDS_NONE, "none, because the object was made without clouds");
    if (m_options.given.clouds == PARHELION_CLOUDS_OF_LAYERS)
      refuse_unless(all_of({"fraction", "ice_path", "liquid_path", "ice_size", "liquid_size"}),
                    "fraction, ice_path, liquid_path, ice_size and liquid_size among them");
    else
      refuse_unless(all_of({"fraction_gpt", "ice_path_gpt", "liquid_path_gpt", "ice_size", "liquid_size"}),
                    "fraction_gpt, ice_path_gpt, liquid_path_gpt, ice_size and liquid_size among them");
    decltype(clouds)::for_each_array(
        [&](ArrayDescription const& description, auto& view) {
          copies.bring(description, given_clouds.at(description.name), view);
        },
        clouds);
    auto const fill = [&](auto& view, int value) {
      if (view.size() > 0) return;
      copies.allocate(view, {copies.ncol});
      std::fill_n(view.data(), view.size(), value);
    };
    fill(clouds.input, static_cast<int>(CloudInput::water_path));
    fill(clouds.ice_optics, static_cast<int>(IceOptics::fu));
    fill(clouds.liquid_optics, static_cast<int>(LiquidOptics::hu_stamnes));
    clouds.overlap = m_options.overlap;
    clouds.seed = in.seed;
    clouds.first_column = in.first_column;
  }

  std::map<std::string_view, ArrayRef, std::less<>> const results{
      {"flux_up", arrays.required_output("flux_up", out.flux_up)},
      {"flux_dn", arrays.required_output("flux_dn", out.flux_dn)},
      {"heating_rate", arrays.required_output("heating_rate", out.heating_rate)},
      {"flux_up_clear", arrays.output("flux_up_clear", out.flux_up_clear)},
      {"flux_dn_clear", arrays.output("flux_dn_clear", out.flux_dn_clear)},
      {"heating_rate_clear", arrays.output("heating_rate_clear", out.heating_rate_clear)},
      {"dflux_up_dt", arrays.output("dflux_up_dt", out.dflux_up_dt)},
      {"dflux_up_clear_dt", arrays.output("dflux_up_clear_dt", out.dflux_up_clear_dt)},
      {"flux_up_band", arrays.output("flux_up_band", out.flux_up_band)},
      {"flux_dn_band", arrays.output("flux_dn_band", out.flux_dn_band)}};
  auto const is_there = [&](char const* each) { return results.at(each).data != nullptr; };
  auto const made_for = [&](bool given, char const* name_of_array, bool option, char const* name_of_option) {
    if (given && !option)
      throw ArgumentError(where, fmt::format("{} is given, expected none, because the object was made without {}",
                                             name_of_array, name_of_option));
  };
  made_for(columns.aerosol.size() > 0, "aerosol", m_options.given.aerosol != 0, "aerosol");
  made_for(clouds.optical_depth_gpt.size() > 0, "optical_depth_gpt", m_options.given.cloud_optical_depth != 0,
           "cloud_optical_depth");
  made_for(is_there("flux_up_clear"), "flux_up_clear", m_options.given.clear != 0, "clear");
  made_for(is_there("dflux_up_dt"), "dflux_up_dt", m_options.given.derivative != 0, "derivative");
  made_for(is_there("flux_up_band"), "flux_up_band", m_options.given.bands != 0, "bands");
  bool const clear = is_there("flux_up_clear");
  if (clear != is_there("flux_dn_clear") || clear != is_there("heating_rate_clear"))
    throw ArgumentError(where, "expected all of flux_up_clear, flux_dn_clear and heating_rate_clear, or none");
  if (is_there("dflux_up_clear_dt") && !(clear && is_there("dflux_up_dt")))
    throw ArgumentError(where, "dflux_up_clear_dt is given, expected flux_up_clear and dflux_up_dt with it");
  if (is_there("flux_up_band") != is_there("flux_dn_band"))
    throw ArgumentError(where, "expected both of flux_up_band and flux_dn_band, or none");
  Fluxes<Host, Real> fluxes;
  decltype(fluxes)::for_each_array([&](ArrayDescription const& description,
                                       auto& view) { copies.prepare(description, results.at(description.name), view); },
                                   fluxes);

  copies.copy_in();
  for (auto const* const view : {&columns.pressure_lay, &columns.pressure_lev}) scale(*view, pressure_factor);
  for (auto const* const view : {&clouds.ice_path, &clouds.liquid_path}) scale(*view, path_factor);
  for (auto const* const view : {&clouds.ice_path_gpt, &clouds.liquid_path_gpt}) scale(*view, path_factor);
  for (auto const* const view : {&clouds.ice_size, &clouds.liquid_size}) scale(*view, size_factor);
  if (m_options.clips()) {
    constexpr double largest = std::numeric_limits<Real>::max();
    clip("emissivity_sfc", columns.emissivity_sfc, 0, 1);
    clip("aerosol", columns.aerosol, 0, largest);
    for (std::size_t gas = 0; gas < gas_names.size(); ++gas)
      for (std::size_t c = 0; c < columns.vmr.extent(0); ++c)
        clip(gas_names[gas],
             typename Columns<Host, Real>::template View<Real*>(&columns.vmr(c, gas, 0), columns.vmr.extent(2)), 0,
             largest);
  }

  HostLongwaveReport report;
  solver<Real>(space, of_region, nlay).compute(columns, clouds, fluxes, &report);
  double const heating =
      (m_options.given.gravity / default_gravity) * (default_heat_capacity / m_options.given.heat_capacity);
  scale(fluxes.heating_rate, heating);
  scale(fluxes.heating_rate_clear, heating);
  copies.copy_out();

  for (auto const& [what, n] : report.out_of_range) count(what, n);
  auto const& clipped = report.clipped;
  for (auto const& [what, n] : {std::pair{"fraction", clipped.fractions},
                                {"water_path", clipped.water_paths},
                                {"particle_size", clipped.sizes},
                                {"optical_depth", clipped.optical_depths}})
    count(what, static_cast<std::size_t>(n));
}

}  // namespace

}  // namespace parhelion::C

using namespace parhelion;
using C::guarded;

int parhelion_longwave_create(parhelion_longwave_options const* options, parhelion_longwave** longwave) {
  constexpr char const* where = "parhelion_longwave_create";
  return guarded([&] {
    if (longwave == nullptr) throw ArgumentError(where, "longwave is NULL, expected where to put the object");
    *longwave = nullptr;
    auto const copy = C::read_struct(where, "options", options);
    C::require_running(where);
    *longwave = C::handle_of<parhelion_longwave>(std::make_unique<C::Longwave>(where, copy));
  });
}

int parhelion_longwave_bytes(parhelion_longwave const* longwave, size_t* host, size_t* device) {
  return guarded([&] {
    C::InUse<C::Longwave> const object("parhelion_longwave_bytes", longwave);
    object->bytes().tell(host, device);
  });
}

int parhelion_longwave_solve(parhelion_longwave* longwave, parhelion_longwave_input const* input,
                             parhelion_longwave_output const* output, void* stream) {
  constexpr char const* where = "parhelion_longwave_solve";
  return guarded([&] {
    C::InUse<C::Longwave> const object(where, longwave);
    auto const in = C::read_struct(where, "input", input);
    auto const out = C::read_struct(where, "output", output);
    if (stream != nullptr) throw ArgumentError(where, "stream is given, expected NULL with arrays on the host");
    object->solve(where, in, out);
  });
}

int parhelion_longwave_status(parhelion_longwave* longwave) {
  // Calls with host arrays have looked at all their results.
  return guarded([&] { C::InUse<C::Longwave> const object("parhelion_longwave_status", longwave); });
}

int parhelion_longwave_counts(parhelion_longwave const* longwave, char* text, size_t size, int64_t* count) {
  return guarded([&] {
    C::InUse<C::Longwave> const object("parhelion_longwave_counts", longwave);
    C::write_text(describe(object->counts()), text, size);
    if (count != nullptr) *count = static_cast<std::int64_t>(total(object->counts()));
  });
}

int parhelion_longwave_destroy(parhelion_longwave* longwave) {
  return guarded([&] { C::destroy<C::Longwave>("parhelion_longwave_destroy", longwave); });
}
