// SPDX-License-Identifier: BSD-3-Clause
#include "common/arrays.hpp"
#include "common/coefficients.hpp"
#include "common/devices.hpp"
#include "common/objects.hpp"
#include "common/plans.hpp"
#include "common/structs.hpp"

#include <parhelion/core/validity.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/device_longwave.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::C {

namespace {

using namespace parhelion::fluxes;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int max_nlay = 10000;
constexpr int automatic_ncol = 1024;

constexpr std::array<char const*, PARHELION_NGAS> gas_names{"h2o", "co2",  "o3",    "n2o",   "co",   "ch4",
                                                            "o2",  "ccl4", "cfc11", "cfc12", "cfc22"};
static_assert(PARHELION_NGAS == ngas);

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
    host.tuning.heat_capacity = given.heat_capacity;
    host.tuning.gravity = given.gravity;
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
    host.checks = given.checks == PARHELION_CHECK_CLIP    ? Checks::clip
                  : given.checks == PARHELION_CHECK_TRUST ? Checks::trust
                                                          : Checks::refuse;
  }

  bool top_first() const { return given.vertical_order == PARHELION_TOP_FIRST; }

  /// Clouds that have the arrays that calls may have.
  HostClouds clouds_like() const {
    HostClouds clouds;
    if (given.clouds == PARHELION_CLOUDS_OF_LAYERS) {
      clouds = make_layer_clouds<Host, double>(1, nlay);
      clouds.decorrelation_length = decltype(clouds.decorrelation_length)("parhelion::C::decorrelation_length", 1);
    }
    if (given.clouds == PARHELION_CLOUDS_OF_GPOINTS)
      clouds = make_gpoint_clouds<Host, double>(1, nlay, given.cloud_optical_depth != 0);
    return clouds;
  }
};

using Driver = AnyDriver<LongwaveArrays, std::vector<ArrayRef>>;
template <class Space>
using DriverOn = DriverOfStreams<Space, DeviceLongwave<Space>, LongwaveArrays, std::vector<ArrayRef>>;

double factor_of(char const* where, char const* name, double given) {
  if (!(given >= 0) || !std::isfinite(given))
    throw ArgumentError(where, fmt::format("{} = {}, expected a positive number, or 0 for 1", name, given));
  return given == 0 ? 1 : given;
}

class Longwave final : public Object {
 public:
  static constexpr char const* name = "longwave";

  Longwave(char const* where, parhelion_longwave_options const& options)
      : m_options(where, options), m_instances(text_of(options.space)) {
    if (options.model == PARHELION_RRTMG_LW) m_coefficients = rrtmg_lw_coefficients(text_of(options.coefficients));
    m_options.given.space = m_options.given.coefficients = nullptr;  // they are the caller's
    m_instances.with([&](auto const& space, bool of_region) { make_solver(space, of_region); });
  }

  /// Memory of the solvers.
  Bytes bytes() const {
    Bytes all;
    for (auto const& solver : m_solvers)
      if (solver) all.add(solver->plan());
    if (m_device) all.device += m_device->bytes();
    return all;
  }

  void solve(char const* where, parhelion_longwave_input const& in, parhelion_longwave_output const& out,
             void* stream) {
    // All arrays are looked at before anything is done.
    CallArrays arrays(where, computes_on_device(m_instances));
    set_columns(where, arrays, in);
    set_clouds(where, arrays, in);
    set_fluxes(where, arrays, out);
    if (arrays.device()) {
      solve_on_device(where, *arrays.device(), stream);
      return;
    }
    refuse_stream(where, stream);
    m_instances.with([&](auto const& space, bool of_region) {
      make_solver(space, of_region);
      m_solvers[of_region ? 1 : 0]->compute(m_input, m_fluxes, &m_report);
    });
    for (auto const& [what, n] : m_report.out_of_range) count(what, n);
    auto const& clipped = m_report.clipped;
    count("fraction", static_cast<std::size_t>(clipped.fractions));
    count("water_path", static_cast<std::size_t>(clipped.water_paths));
    count("particle_size", static_cast<std::size_t>(clipped.sizes));
    count("optical_depth", static_cast<std::size_t>(clipped.optical_depths));
  }

  void status(char const* where) {
    // Calls with host arrays have looked at all their results.
    if (m_device) refuse_not_finite(where, "column", m_device->status());
  }

  OutOfRangeCounts const& counts() const { return m_counts; }

 private:
  template <class Space>
  void make_solver(Space const& space, bool of_region) {
    auto& solver = m_solvers[of_region ? 1 : 0];
    if (solver) return;
    outside_parallel_regions([&] {
      solver =
          std::make_unique<HostLongwave<double>>(space, m_options.ncol, m_options.nlay, m_options.clouds_like(),
                                                 m_options.given.aerosol != 0, m_coefficients.get(), m_options.host);
    });
  }

  void count(std::string_view what, std::size_t n) {
    if (n == 0) return;
    for (auto& [known, number] : m_counts)
      if (known == what) {
        number += n;
        return;
      }
    m_counts.emplace_back(what, n);
  }

  /// The array surface first.
  template <class Ref>
  Ref oriented(Ref const& array, int vertical) const {
    return m_options.top_first() && vertical < array.rank ? array.reversed(vertical) : array;
  }

  void set_columns(char const* where, CallArrays& arrays, parhelion_longwave_input const& in) {
    LongwaveArrays& input = m_input;
    input = {};
    input.pressure_factor = factor_of(where, "pressure_factor", in.pressure_factor);
    input.path_factor = factor_of(where, "path_factor", in.path_factor);
    input.size_factor = factor_of(where, "particle_size_factor", in.particle_size_factor);
    auto const pressure_lay = arrays.required_input("pressure_lay", in.pressure_lay);
    if (pressure_lay.rank != 2 || pressure_lay.empty() || pressure_lay.extents[1] > m_options.nlay)
      throw ShapeError(where, fmt::format("pressure_lay has shape {}, expected (column, layer) with 1 to {} layers",
                                          shape_text(pressure_lay), m_options.nlay));
    m_ncol = pressure_lay.extents[0];
    auto const field = [&](ConstArrayRef const& array) { return oriented(spread(array, m_ncol), 1); };
    input.pressure_lay = oriented(pressure_lay, 1);
    input.pressure_lev = field(arrays.required_input("pressure_lev", in.pressure_lev));
    input.temperature_lay = field(arrays.required_input("temperature_lay", in.temperature_lay));
    input.temperature_lev = field(arrays.required_input("temperature_lev", in.temperature_lev));
    input.temperature_sfc = spread(arrays.required_input("temperature_sfc", in.temperature_sfc), m_ncol);
    auto emissivity = arrays.required_input("emissivity_sfc", in.emissivity_sfc);
    if (emissivity.rank == 1) {
      emissivity.rank = 2;
      emissivity.extents[1] = 1;
      emissivity.strides[1] = 0;
    }
    input.emissivity_sfc = spread(emissivity, m_ncol);
    for (std::size_t gas = 0; gas < gas_names.size(); ++gas)
      input.gases[gas] = field(arrays.input(gas_names[gas], in.gases[gas]));
    input.aerosol = field(arrays.input("aerosol", in.aerosol));
  }

  void set_clouds(char const* where, CallArrays& arrays, parhelion_longwave_input const& in) {
    LongwaveArrays& input = m_input;
    auto const integers = Entries::integer;
    auto const field = [&](ConstArrayRef const& array) { return oriented(spread(array, m_ncol), 1); };
    input.fraction = field(arrays.input("fraction", in.fraction));
    input.ice_path = field(arrays.input("ice_path", in.ice_path));
    input.liquid_path = field(arrays.input("liquid_path", in.liquid_path));
    input.decorrelation_length = spread(arrays.input("decorrelation_length", in.decorrelation_length), m_ncol);
    input.fraction_gpt = field(arrays.input("fraction_gpt", in.fraction_gpt));
    input.ice_path_gpt = field(arrays.input("ice_path_gpt", in.ice_path_gpt));
    input.liquid_path_gpt = field(arrays.input("liquid_path_gpt", in.liquid_path_gpt));
    input.optical_depth_gpt = field(arrays.input("optical_depth_gpt", in.optical_depth_gpt));
    input.ice_size = field(arrays.input("ice_size", in.ice_size));
    input.liquid_size = field(arrays.input("liquid_size", in.liquid_size));
    input.input = spread(arrays.input("cloud_input", in.cloud_input, integers), m_ncol);
    input.ice_optics = spread(arrays.input("ice_optics", in.ice_optics, integers), m_ncol);
    input.liquid_optics = spread(arrays.input("liquid_optics", in.liquid_optics, integers), m_ncol);
    input.overlap = m_options.overlap;
    input.seed = in.seed;
    input.first_column = in.first_column;

    std::array const of_layers{&input.fraction, &input.ice_path, &input.liquid_path};
    std::array const of_gpoints{&input.fraction_gpt, &input.ice_path_gpt, &input.liquid_path_gpt};
    std::array const of_both{&input.ice_size, &input.liquid_size};
    std::array const others{&input.decorrelation_length, &input.optical_depth_gpt, &input.input, &input.ice_optics,
                            &input.liquid_optics};
    auto const is_there = [](ConstArrayRef const* array) { return array->data != nullptr; };
    auto const all = [&](auto const& set) { return std::all_of(set.begin(), set.end(), is_there); };
    auto const any = [&](auto const& set) { return std::any_of(set.begin(), set.end(), is_there); };
    if (!any(of_layers) && !any(of_gpoints) && !any(of_both) && !any(others)) return;
    auto const refuse_unless = [&](bool good, char const* expected) {
      if (!good) throw ArgumentError(where, fmt::format("there are arrays of clouds, expected {}", expected));
    };
    auto const clouds = m_options.given.clouds;
    refuse_unless(clouds != PARHELION_CLOUDS_NONE, "none, because the object was made without clouds");
    if (clouds == PARHELION_CLOUDS_OF_LAYERS)
      refuse_unless(all(of_layers) && all(of_both) && !any(of_gpoints),
                    "fraction, ice_path, liquid_path, ice_size and liquid_size among them, and none of g-points");
    else
      refuse_unless(all(of_gpoints) && all(of_both) && !any(of_layers),
                    "fraction_gpt, ice_path_gpt, liquid_path_gpt, ice_size and liquid_size among them, and none of "
                    "layers");
    if (arrays.device()) return;  // the driver has them on the device
    auto const complete = [&](ConstArrayRef& array, int const& value) {
      if (array.data != nullptr) return;
      array.data = &value;
      array.type = ValueType::int32;
      array.rank = 1;
      array.extents = {m_ncol};
      array.strides = {};
    };
    static constexpr int water_path = static_cast<int>(CloudInput::water_path);
    static constexpr int fu = static_cast<int>(IceOptics::fu);
    static constexpr int hu_stamnes = static_cast<int>(LiquidOptics::hu_stamnes);
    complete(input.input, water_path);
    complete(input.ice_optics, fu);
    complete(input.liquid_optics, hu_stamnes);
  }

  void set_fluxes(char const* where, CallArrays& arrays, parhelion_longwave_output const& out) {
    auto const of = [&](char const* array_name, parhelion_array const& array) {
      return oriented(arrays.output(array_name, array), 1);
    };
    auto const required = [&](char const* array_name, parhelion_array const& array) {
      return oriented(arrays.required_output(array_name, array), 1);
    };
    // In the order of the descriptions of Fluxes.
    m_fluxes.clear();
    m_fluxes.push_back(required("flux_up", out.flux_up));
    m_fluxes.push_back(required("flux_dn", out.flux_dn));
    m_fluxes.push_back(required("heating_rate", out.heating_rate));
    m_fluxes.push_back(of("flux_up_clear", out.flux_up_clear));
    m_fluxes.push_back(of("flux_dn_clear", out.flux_dn_clear));
    m_fluxes.push_back(of("heating_rate_clear", out.heating_rate_clear));
    m_fluxes.push_back(of("dflux_up_dt", out.dflux_up_dt));
    m_fluxes.push_back(of("dflux_up_clear_dt", out.dflux_up_clear_dt));
    m_fluxes.push_back(of("flux_up_band", out.flux_up_band));
    m_fluxes.push_back(of("flux_dn_band", out.flux_dn_band));
    auto const made_for = [&](bool given, char const* name_of_array, bool option, char const* name_of_option) {
      if (given && !option)
        throw ArgumentError(where, fmt::format("{} is given, expected none, because the object was made without {}",
                                               name_of_array, name_of_option));
    };
    auto const& options = m_options.given;
    made_for(!m_input.aerosol.empty(), "aerosol", options.aerosol != 0, "aerosol");
    made_for(!m_input.optical_depth_gpt.empty(), "optical_depth_gpt", options.cloud_optical_depth != 0,
             "cloud_optical_depth");
    made_for(out.flux_up_clear.data != nullptr, "flux_up_clear", options.clear != 0, "clear");
    made_for(out.dflux_up_dt.data != nullptr, "dflux_up_dt", options.derivative != 0, "derivative");
    made_for(out.flux_up_band.data != nullptr, "flux_up_band", options.bands != 0, "bands");
    bool const clear = out.flux_up_clear.data != nullptr;
    if (clear != (out.flux_dn_clear.data != nullptr) || clear != (out.heating_rate_clear.data != nullptr))
      throw ArgumentError(where, "expected all of flux_up_clear, flux_dn_clear and heating_rate_clear, or none");
    bool const derivative = out.dflux_up_dt.data != nullptr;
    if ((out.dflux_up_clear_dt.data != nullptr) != (clear && derivative))
      throw ArgumentError(where,
                          "expected dflux_up_clear_dt where there are both flux_up_clear and dflux_up_dt, and "
                          "only there");
    if ((out.flux_up_band.data != nullptr) != (out.flux_dn_band.data != nullptr))
      throw ArgumentError(where, "expected both of flux_up_band and flux_dn_band, or none");
  }

  void solve_on_device(char const* where, int device, void* stream) {
    on_device(where, m_instances, device, [&]<class Space>(Space const& space) {
      if (!m_device)
        m_device = std::make_unique<DriverOn<Space>>(
            DeviceLongwave<Space>(space, m_options.ncol, m_options.nlay, m_options.clouds_like(),
                                  m_options.given.aerosol != 0, m_coefficients.get(), m_options.host));
    });
    m_device->compute(stream, m_input, m_fluxes);
  }

  Options m_options;
  Instances m_instances;
  std::shared_ptr<Coefficients const> m_coefficients;
  std::unique_ptr<HostLongwave<double>> m_solvers[2];  ///< for calls from outside and inside of parallel regions
  std::unique_ptr<Driver> m_device;
  OutOfRangeCounts m_counts;
  // Of the present call; members, so that calls do not allocate.
  LongwaveArrays m_input;
  std::vector<ArrayRef> m_fluxes;
  HostLongwaveReport m_report;
  std::int64_t m_ncol = 0;
};

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
    object->solve(where, in, out, stream);
  });
}

int parhelion_longwave_status(parhelion_longwave* longwave) {
  constexpr char const* where = "parhelion_longwave_status";
  return guarded([&] { C::InUse<C::Longwave>(where, longwave)->status(where); });
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
