// SPDX-License-Identifier: BSD-3-Clause
// What the longwave and the shortwave of the C interface have in common: options, arrays of columns and clouds, and
// objects that compute on the host and on devices.
#ifndef PARHELION_C_FLUX_SOLVERS_HPP
#define PARHELION_C_FLUX_SOLVERS_HPP

#include "arrays.hpp"
#include "coefficients.hpp"
#include "devices.hpp"
#include "objects.hpp"
#include "plans.hpp"
#include "structs.hpp"

#include <parhelion/core/solver.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/fluxes/column_arrays.hpp>
#include <parhelion/fluxes/gases.hpp>
#include <parhelion/fluxes/model_description.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::C {

// --- options -------------------------------------------------------------------------------------------------------

/// Options of all calls that both have.
struct FluxOptions {
  fluxes::Overlap overlap = fluxes::Overlap::maximum_random;
  int ncol = 0;  ///< of a call, by which the work is divided
  int nlay = 0;
  int clouds = PARHELION_CLOUDS_NONE;
  bool top_first = false;
  bool interpolates_levels = false;
  GasOptics optics = {};
  // Of the model, once its data are there.
  fluxes::ModelDescription model = {};
  double total_irradiance = 0;      ///< of its sun [W m-2]
  fluxes::GasSet not_offered = {};  ///< gases that it knows, and calls do not give

  /// Whether calls may leave out pressures and temperatures of layers.
  bool levels_suffice() const { return model.uses_levels && !interpolates_levels; }
};

namespace Impl {

/// Refuses gases that a model needs and that calls would not give.
void refuse_not_offered(char const* where, fluxes::GasSet const& gases);

/// Reads the members of one type; the others of a struct are checked by the caller.
FluxOptions flux_options(char const* where, std::int32_t vertical_order, std::int32_t clouds, std::int64_t ncol,
                         std::int64_t nlay, std::int32_t overlap);
Checks checks_of(char const* where, std::int32_t value);
bool is_table(char const* where, std::int32_t transmittance);
void check_constants(char const* where, double heat_capacity, double gravity);

/// \brief Sets what an object has to know of its model.
/// \param data LongwaveData or ShortwaveData
/// \throws FileError where data do not go together; ArgumentError where a gas that it needs is not offered
template <class Data>
void set_model(char const* where, Data const& data, FluxOptions& options) {
  auto const& optics = options.optics;
  if (optics.rrtmgp) refuse_not_offered(where, required_gases(*optics.rrtmgp).without(optics.offered));
  options.model = reading([&] { return data.description(); });
  if (optics.ecckd) refuse_not_offered(where, options.model.required.without(optics.offered));
  auto const known = optics.rrtmgp ? known_gases(*optics.rrtmgp) : options.model.known;
  options.not_offered = known.without(optics.offered);
}

}  // namespace Impl

/// \brief Reads what the options of both have, and files of gas optics but those of RRTMG.
/// \param longwave the range
/// \param given   parhelion_longwave_options or parhelion_shortwave_options
/// \param options HostLongwaveOptions or HostShortwaveOptions, whose common members are set, but not the transmittance
template <class Given, class HostOptions>
FluxOptions read_flux_options(char const* where, bool longwave, Given const& given, HostOptions& options) {
  auto common = Impl::flux_options(where, given.vertical_order, given.clouds, given.ncol, given.nlay, given.overlap);
  Impl::check_constants(where, given.heat_capacity, given.gravity);
  options.tuning.heat_capacity = given.heat_capacity;
  options.tuning.gravity = given.gravity;
  options.precision = precision_of(where, given.precision);
  options.chunk = chunk_of(where, given.chunk);
  options.devices = devices_of(where, given.devices);
  options.out_of_range = C::out_of_range_of(where, given.out_of_range);
  options.checks = Impl::checks_of(where, given.checks);
  common.interpolates_levels =
      choice(where, "level_temperatures", given.level_temperatures, PARHELION_LEVEL_TEMPERATURES_GIVEN,
             PARHELION_LEVEL_TEMPERATURES_INTERPOLATED) == PARHELION_LEVEL_TEMPERATURES_INTERPOLATED;
  options.level_temperatures =
      common.interpolates_levels ? fluxes::LevelTemperatures::interpolated : fluxes::LevelTemperatures::given;
  common.optics = gas_optics_of(where, longwave,
                                {.model = given.model,
                                 .coefficients = text_of(given.coefficients),
                                 .cloud_optics = text_of(given.cloud_optics),
                                 .aerosol_optics = text_of(given.aerosol_optics),
                                 .gases = text_of(given.gases),
                                 .ice_roughness = given.ice_roughness,
                                 .droplet_scattering = text_of(given.droplet_scattering),
                                 .ice_scattering = text_of(given.ice_scattering),
                                 .cloud_averaging = given.cloud_averaging});
  return common;
}

/// Forgets texts of a caller, which are gone after the call that has read them.
template <class Given>
void forget_texts(Given& given) {
  for (auto* const text : {&given.space, &given.coefficients, &given.cloud_optics, &given.aerosol_optics, &given.gases,
                           &given.droplet_scattering, &given.ice_scattering})
    *text = nullptr;
}

/// \brief Clouds that have the arrays that calls may have.
/// \tparam Clouds  HostClouds or HostShortwaveClouds
/// \param layers   makes clouds of layers
/// \param gpoints  makes clouds of g-points
template <class Clouds, class MakeLayers, class MakeGpoints>
Clouds clouds_of_calls(FluxOptions const& options, MakeLayers const& layers, MakeGpoints const& gpoints) {
  Clouds clouds;
  if (options.clouds == PARHELION_CLOUDS_OF_LAYERS || options.clouds == PARHELION_CLOUDS_MASKED) {
    clouds = layers();
    clouds.decorrelation_length = decltype(clouds.decorrelation_length)("parhelion::C::decorrelation_length", 1);
  }
  if (options.clouds == PARHELION_CLOUDS_MASKED) {
    clouds.fraction_gpt = decltype(clouds.fraction_gpt)("parhelion::C::fraction_gpt", 1, options.nlay, 1);
    clouds.fraction = {};
    clouds.decorrelation_length = {};
  }
  if (options.clouds == PARHELION_CLOUDS_OF_GPOINTS) clouds = gpoints();
  return clouds;
}

// --- arrays --------------------------------------------------------------------------------------------------------

/// The gas of a number, which has its place in `gases` or `more_gases` of the input.
/// \tparam Input parhelion_longwave_input or parhelion_shortwave_input
template <class Input>
parhelion_array const& gas_of(Input const& in, int gas) {
  return gas < PARHELION_NGAS ? in.gases[gas] : in.more_gases[gas - PARHELION_NGAS];
}

/// The gases of a call.
template <class Input>
fluxes::GasSet gases_given(Input const& in) {
  fluxes::GasSet set;
  for (int gas = 0; gas < PARHELION_NGAS_ALL; ++gas)
    if (gas_of(in, gas).data != nullptr) set.insert(static_cast<fluxes::Gas>(gas));
  return set;
}

/// A factor of a caller, of whom 0 means 1.
double factor_of(char const* where, char const* name, double given);

/// The arrays of columns and clouds of a call, oriented surface first, with one value for all columns spread.
class ColumnReader {
 public:
  /// \param pressure_lay of the call, from which the number of columns is
  /// \param pressure_lev which has it where the model does without pressures of layers
  ColumnReader(char const* where, CallArrays& arrays, FluxOptions const& options, parhelion_array const& pressure_lay,
               parhelion_array const& pressure_lev);

  ConstArrayRef const& pressure_lay() const { return m_pressure_lay; }
  FluxOptions const& options() const { return m_options; }

  /// The values of the lower levels of layers, where a model does without those of layers.
  static ConstArrayRef layers_of_levels(ConstArrayRef const& levels);
  std::int64_t ncol() const { return m_ncol; }

  /// An array whose first dimension is that of columns and, if it has more, whose second is that of layers or levels.
  ConstArrayRef field(char const* name, parhelion_array const& array);
  ConstArrayRef required_field(char const* name, parhelion_array const& array);
  /// The same of integers.
  ConstArrayRef of_integers(char const* name, parhelion_array const& array);

  /// An array whose first dimension is that of columns, without layers or levels.
  ConstArrayRef of_columns(char const* name, parhelion_array const& array, Entries entries = Entries::real);
  ConstArrayRef required_of_columns(char const* name, parhelion_array const& array);

  /// The same where (column) may stand for (column, 1).
  ConstArrayRef required_of_bands(char const* name, parhelion_array const& array);

  /// The same with a value that holds in all columns, in memory that lives on.
  ConstArrayRef constant(int const& value) const;

  CallArrays& arrays() { return m_arrays; }

 private:
  ConstArrayRef spread_columns(ConstArrayRef const& array) const { return spread(array, m_ncol); }
  ConstArrayRef oriented(ConstArrayRef const& array) const;

  char const* m_where;
  CallArrays& m_arrays;
  FluxOptions const& m_options;
  ConstArrayRef m_pressure_lay;
  std::int64_t m_ncol = 0;
};

/// Refuses an array that is given though the object was made without it.
void refuse_unless_made_for(char const* where, bool given, char const* array, bool option, char const* name_of_option);

/// \brief Reads the arrays of columns that both have, and the factors.
/// \param in parhelion_longwave_input or parhelion_shortwave_input
template <class Input>
void read_columns(char const* where, ColumnReader& reader, Input const& in, fluxes::ColumnArrays& input) {
  input.pressure_factor = factor_of(where, "pressure_factor", in.pressure_factor);
  input.path_factor = factor_of(where, "path_factor", in.path_factor);
  input.size_factor = factor_of(where, "particle_size_factor", in.particle_size_factor);
  input.pressure_lay = reader.pressure_lay();
  input.pressure_lev = reader.required_field("pressure_lev", in.pressure_lev);
  auto const& options = reader.options();
  bool const levels_suffice = options.levels_suffice();
  input.temperature_lay = levels_suffice ? reader.field("temperature_lay", in.temperature_lay)
                                         : reader.required_field("temperature_lay", in.temperature_lay);
  input.temperature_lev = reader.field("temperature_lev", in.temperature_lev);
  if (levels_suffice && input.temperature_lay.data == nullptr)
    input.temperature_lay = ColumnReader::layers_of_levels(input.temperature_lev);
  for (int gas = 0; gas < PARHELION_NGAS_ALL; ++gas) {
    auto const which = static_cast<fluxes::Gas>(gas);
    auto& its = input.gases[static_cast<std::size_t>(gas)];
    its = reader.field(fluxes::name_of(which).data(), gas_of(in, gas));
    if (its.data != nullptr && options.not_offered.contains(which))
      throw ArgumentError(where, fmt::format("{} is given, expected none, because it is not among the gases that the "
                                             "object was made for",
                                             fluxes::name_of(which)));
  }
  input.aerosol_type = reader.of_integers("aerosol_type", in.aerosol_type);
  input.aerosol_size = reader.field("aerosol_size", in.aerosol_size);
  input.aerosol_mass = reader.field("aerosol_mass", in.aerosol_mass);
  input.relative_humidity = reader.field("relative_humidity", in.relative_humidity);
  bool const of_types = options.optics.aerosol != nullptr;
  for (auto const& [name, array] : {std::pair{"aerosol_type", &input.aerosol_type},
                                    {"aerosol_size", &input.aerosol_size},
                                    {"aerosol_mass", &input.aerosol_mass},
                                    {"relative_humidity", &input.relative_humidity}})
    refuse_unless_made_for(where, array->data != nullptr, name, of_types, "aerosol_optics");
}

/// Reads the arrays of clouds that both have.
template <class Input>
void read_clouds(ColumnReader& reader, Input const& in, FluxOptions const& options, fluxes::ColumnArrays& input) {
  input.fraction = reader.field("fraction", in.fraction);
  input.ice_path = reader.field("ice_path", in.ice_path);
  input.liquid_path = reader.field("liquid_path", in.liquid_path);
  input.decorrelation_length = reader.of_columns("decorrelation_length", in.decorrelation_length);
  input.fraction_gpt = reader.field("fraction_gpt", in.fraction_gpt);
  input.ice_path_gpt = reader.field("ice_path_gpt", in.ice_path_gpt);
  input.liquid_path_gpt = reader.field("liquid_path_gpt", in.liquid_path_gpt);
  input.optical_depth_gpt = reader.field("optical_depth_gpt", in.optical_depth_gpt);
  input.ice_size = reader.field("ice_size", in.ice_size);
  input.liquid_size = reader.field("liquid_size", in.liquid_size);
  input.input = reader.of_columns("cloud_input", in.cloud_input, Entries::integer);
  input.ice_optics = reader.of_columns("ice_optics", in.ice_optics, Entries::integer);
  input.liquid_optics = reader.of_columns("liquid_optics", in.liquid_optics, Entries::integer);
  input.overlap = options.overlap;
  input.seed = in.seed;
  input.first_column = in.first_column;
}

/// \brief Refuses arrays of clouds that do not go together, or that the object was not made for, and completes the
///        options of columns where the arrays are on the host.
/// \param other_cloud an array of clouds beside those that both have; may be absent
void check_clouds(char const* where, ColumnReader& reader, FluxOptions const& options, fluxes::ColumnArrays& input,
                  ConstArrayRef const& other_cloud = {});

/// \brief Adds results in the order of the descriptions of the fluxes.
class FluxWriter {
 public:
  FluxWriter(CallArrays& arrays, FluxOptions const& options, std::vector<ArrayRef>& fluxes)
      : m_arrays(arrays), m_options(options), m_fluxes(fluxes) {
    m_fluxes.clear();
  }

  void required(char const* name, parhelion_array const& array) { add(m_arrays.required_output(name, array)); }
  void optional(char const* name, parhelion_array const& array) { add(m_arrays.output(name, array)); }

 private:
  void add(ArrayRef const& array) {
    m_fluxes.push_back(m_options.top_first && array.rank > 1 ? array.reversed(1) : array);
  }

  CallArrays& m_arrays;
  FluxOptions const& m_options;
  std::vector<ArrayRef>& m_fluxes;
};

// --- objects -------------------------------------------------------------------------------------------------------

/// \brief An object that computes fluxes of columns, with host arrays and with arrays on its device.
///
/// \tparam Kind says what is particular to the longwave or the shortwave: types `Options` (made of `where` and the
///         caller's options, with `common`, a FluxOptions), `GivenOptions`, `Input`, `Output` (structs of the caller),
///         `Arrays`, `Report`, `HostSolver`; `name`; and functions `host_solver(space, options)`,
///         `device_driver(space, options)`, `read(where, arrays, options, in, out, input, fluxes)`
template <class Kind>
class FluxSolver final : public Object {
 public:
  static constexpr char const* name = Kind::name;

  FluxSolver(char const* where, typename Kind::GivenOptions const& options)
      : m_options(where, options), m_instances(text_of(options.space)), m_gases(m_options.common.model.known) {
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

  void solve(char const* where, typename Kind::Input const& in, typename Kind::Output const& out, void* stream) {
    // All arrays are looked at before anything is done.
    CallArrays arrays(where, computes_on_device(m_instances));
    m_input = {};
    Kind::read(where, arrays, m_options, in, out, m_input, m_fluxes);
    take_gases(gases_given(in));
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
    count("optical_property", static_cast<std::size_t>(clipped.optical_properties));
  }

  void status(char const* where) {
    // Calls with host arrays have looked at all their results.
    auto found = std::exchange(m_status_before, SolveStatus());
    if (m_device)
      if (auto const now = m_device->status(); found.good()) found = now;
    refuse_not_finite(where, "column", found);
  }

  OutOfRangeCounts const& counts() const { return m_counts; }
  typename Kind::Options const& options() const { return m_options; }

 private:
  /// \brief Has the solvers made anew where the gases of a call are others than those they were made for.
  ///
  /// Only to RRTMGP it matters whether a gas is absent or its amount is 0. A call that lacks gases which the model
  /// needs is left to the solver, which refuses it.
  void take_gases(fluxes::GasSet const& given) {
    auto& options = m_options.common;
    if (!options.optics.rrtmgp || !options.model.required.without(given).empty()) return;
    auto const known = options.model.known;
    auto const gases = known.without(known.without(given));
    if (gases == m_gases) return;
    if (m_device)
      if (auto const status = m_device->status(); m_status_before.good()) m_status_before = status;
    m_device.reset();
    for (auto& solver : m_solvers) solver.reset();
    m_gases = options.optics.offered = gases;
  }

  template <class Space>
  void make_solver(Space const& space, bool of_region) {
    auto& solver = m_solvers[of_region ? 1 : 0];
    if (solver) return;
    outside_parallel_regions(
        [&] { solver = std::make_unique<typename Kind::HostSolver>(Kind::host_solver(space, m_options)); });
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

  void solve_on_device(char const* where, int device, void* stream) {
    on_device(where, m_instances, device, [&]<class Space>(Space const& space) {
      if (!m_device) {
        auto driver = Kind::device_driver(space, m_options);
        m_device =
            std::make_unique<DriverOfStreams<Space, decltype(driver), typename Kind::Arrays, std::vector<ArrayRef>>>(
                std::move(driver));
      }
      m_device->compute(stream, m_input, m_fluxes);
    });
  }

  typename Kind::Options m_options;
  Instances m_instances;
  std::unique_ptr<typename Kind::HostSolver> m_solvers[2];  ///< for calls from outside and inside of parallel regions
  std::unique_ptr<AnyDriver<typename Kind::Arrays, std::vector<ArrayRef>>> m_device;
  fluxes::GasSet m_gases;       ///< those that the solvers were made for
  SolveStatus m_status_before;  ///< of a driver that another one has replaced
  OutOfRangeCounts m_counts;
  // Of the present call; members, so that calls do not allocate.
  typename Kind::Arrays m_input;
  std::vector<ArrayRef> m_fluxes;
  typename Kind::Report m_report;
};

// The functions of the interface.

template <class Solver, class Handle, class GivenOptions>
void create_flux_solver(char const* where, GivenOptions const* options, Handle** handle) {
  if (handle == nullptr)
    throw ArgumentError(where, fmt::format("{} is NULL, expected where to put the object", Solver::name));
  *handle = nullptr;
  auto const copy = read_struct(where, "options", options);
  require_running(where);
  *handle = handle_of<Handle>(std::make_unique<Solver>(where, copy));
}

template <class Solver, class Input, class Output>
void call_flux_solver(char const* where, void const* handle, Input const* input, Output const* output, void* stream) {
  InUse<Solver> const object(where, handle);
  auto const in = read_struct(where, "input", input);
  auto const out = read_struct(where, "output", output);
  object->solve(where, in, out, stream);
}

template <class Solver>
void tell_counts(char const* where, void const* handle, char* text, std::size_t size, std::int64_t* count) {
  InUse<Solver> const object(where, handle);
  write_text(describe(object->counts()), text, size);
  if (count != nullptr) *count = static_cast<std::int64_t>(total(object->counts()));
}

/// \brief Tells what there is to know of the model of an object.
void tell_model(char const* where, FluxOptions const& options, parhelion_model* model);
void tell_bands(char const* where, FluxOptions const& options, double* wavenumber_low, double* wavenumber_high);
void tell_gas(char const* where, FluxOptions const& options, std::int32_t gas, std::int32_t* role,
              double* default_mole_ratio);
/// \param given gases that a call gives
void tell_missing(FluxOptions const& options, fluxes::GasSet const& given, char* text, std::size_t size,
                  std::int64_t* count);
void tell_interval_weights(char const* where, FluxOptions const& options, double const* between, std::int64_t nbetween,
                           double* weights);

}  // namespace parhelion::C

#endif
