// SPDX-License-Identifier: BSD-3-Clause
// What the longwave and the shortwave of the C interface have in common: options, arrays of columns and clouds, and
// objects that compute on the host and on devices.
#ifndef PARHELION_C_FLUX_SOLVERS_HPP
#define PARHELION_C_FLUX_SOLVERS_HPP

#include "arrays.hpp"
#include "devices.hpp"
#include "objects.hpp"
#include "plans.hpp"
#include "structs.hpp"

#include <parhelion/core/validity.hpp>
#include <parhelion/fluxes/column_arrays.hpp>

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
};

namespace Impl {

/// Reads the members of one type; the others of a struct are checked by the caller.
FluxOptions flux_options(char const* where, std::int32_t vertical_order, std::int32_t clouds, std::int64_t ncol,
                         std::int64_t nlay, std::int32_t overlap);
Checks checks_of(char const* where, std::int32_t value);
bool is_table(char const* where, std::int32_t transmittance);
void check_constants(char const* where, double heat_capacity, double gravity);

}  // namespace Impl

/// \brief Reads what the options of both have.
/// \param given   parhelion_longwave_options or parhelion_shortwave_options
/// \param options HostLongwaveOptions or HostShortwaveOptions, whose common members are set, but not the transmittance
template <class Given, class HostOptions>
FluxOptions read_flux_options(char const* where, Given const& given, HostOptions& options) {
  auto const common =
      Impl::flux_options(where, given.vertical_order, given.clouds, given.ncol, given.nlay, given.overlap);
  Impl::check_constants(where, given.heat_capacity, given.gravity);
  options.tuning.heat_capacity = given.heat_capacity;
  options.tuning.gravity = given.gravity;
  options.precision = precision_of(where, given.precision);
  options.chunk = chunk_of(where, given.chunk);
  options.devices = devices_of(where, given.devices);
  options.out_of_range = C::out_of_range_of(where, given.out_of_range);
  options.checks = Impl::checks_of(where, given.checks);
  return common;
}

// --- arrays --------------------------------------------------------------------------------------------------------

/// The names of the gases, in the order of their numbers.
extern std::array<char const*, PARHELION_NGAS> const gas_names;

/// A factor of a caller, of whom 0 means 1.
double factor_of(char const* where, char const* name, double given);

/// The arrays of columns and clouds of a call, oriented surface first, with one value for all columns spread.
class ColumnReader {
 public:
  /// \param pressure_lay of the call, from which the number of columns is
  ColumnReader(char const* where, CallArrays& arrays, FluxOptions const& options, parhelion_array const& pressure_lay);

  ConstArrayRef const& pressure_lay() const { return m_pressure_lay; }
  std::int64_t ncol() const { return m_ncol; }

  /// An array whose first dimension is that of columns and, if it has more, whose second is that of layers or levels.
  ConstArrayRef field(char const* name, parhelion_array const& array);
  ConstArrayRef required_field(char const* name, parhelion_array const& array);

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

/// \brief Reads the arrays of columns that both have, and the factors.
/// \param in parhelion_longwave_input or parhelion_shortwave_input
template <class Input>
void read_columns(char const* where, ColumnReader& reader, Input const& in, fluxes::ColumnArrays& input) {
  input.pressure_factor = factor_of(where, "pressure_factor", in.pressure_factor);
  input.path_factor = factor_of(where, "path_factor", in.path_factor);
  input.size_factor = factor_of(where, "particle_size_factor", in.particle_size_factor);
  input.pressure_lay = reader.pressure_lay();
  input.pressure_lev = reader.required_field("pressure_lev", in.pressure_lev);
  input.temperature_lay = reader.required_field("temperature_lay", in.temperature_lay);
  for (std::size_t gas = 0; gas < gas_names.size(); ++gas)
    input.gases[gas] = reader.field(gas_names[gas], in.gases[gas]);
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

/// Refuses an array that is given though the object was made without it.
void refuse_unless_made_for(char const* where, bool given, char const* array, bool option, char const* name_of_option);

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
      : m_options(where, options), m_instances(text_of(options.space)) {
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
    if (m_device) refuse_not_finite(where, "column", m_device->status());
  }

  OutOfRangeCounts const& counts() const { return m_counts; }

 private:
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

}  // namespace parhelion::C

#endif
