// SPDX-License-Identifier: BSD-3-Clause
#include "common/arrays.hpp"
#include "common/devices.hpp"
#include "common/objects.hpp"
#include "common/plans.hpp"
#include "common/structs.hpp"

#include <parhelion/core/memory.hpp>
#include <parhelion/io/narrow_band_files.hpp>
#include <parhelion/monte_carlo/device_monte_carlo.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

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

using namespace parhelion::monte_carlo;

constexpr int max_int = std::numeric_limits<int>::max();

/// A number, or its default where it is 0.
template <class Value>
Value or_default(Value value, Value its_default) {
  return value == 0 ? its_default : value;
}

using Driver = AnyDriver<DeviceBox, std::vector<ArrayRef>>;
template <class Space>
using DriverOn = DriverOfStreams<Space, DeviceMonteCarlo<Space>, DeviceBox, std::vector<ArrayRef>>;

/// The names of the arrays of a side in messages, which live as long as the messages about them.
struct NamesOfSide {
  std::string face_temperature, wall_flux, wall_flux_error;
};

std::array<NamesOfSide, 6> names_of_sides() {
  std::array<NamesOfSide, 6> names;
  for (std::size_t side = 0; side < names.size(); ++side)
    names[side] = {fmt::format("sides[{}].face_temperature", side), fmt::format("wall_flux[{}]", side),
                   fmt::format("wall_flux_error[{}]", side)};
  return names;
}

/// Checks the extents of an array that is there, which has another name here than in its description.
void check_named(char const* where, ArrayDescription description, std::string_view name, ConstArrayRef const& array,
                 Dimensions& sizes) {
  if (array.data == nullptr) return;
  description.name = name;
  check_extents(where, description, array, sizes);
}

class MonteCarlo final : public Object {
 public:
  static constexpr char const* name = "monte_carlo";

  MonteCarlo(char const* where, parhelion_monte_carlo_options const& options) : m_instances(text_of(options.space)) {
    m_host.space = m_instances.space();
    m_host.precision = precision_of(where, options.precision);
    m_host.devices = devices_of(where, options.devices);
    with_resolved_execution_space(m_host.space, [&]<class Space>(Space const&) {
      (void)devices_to_use(where, Space::name(), m_host.devices, number_of_devices<Space>());
    });
    m_host.target_error = options.target_error;
    if (!(options.target_error >= 0) || !std::isfinite(options.target_error))
      throw ArgumentError(
          where, fmt::format("target_error = {} %, expected a finite number of at least 0", options.target_error));
    m_host.max_repetitions =
        or_default(choice(where, "max_repetitions", options.max_repetitions, 0, max_int), m_host.max_repetitions);
    m_options.rays = or_default(choice(where, "rays", options.rays, 0, max_int), m_options.rays);
    m_options.repetitions =
        or_default(choice(where, "repetitions", options.repetitions, 0, max_int), m_options.repetitions);
    m_options.seed = or_default(options.seed, m_options.seed);
    m_options.ray_origin = choice(where, "ray_origin", options.ray_origin, PARHELION_ORIGIN_CENTRE,
                                  PARHELION_ORIGIN_VOLUME) == PARHELION_ORIGIN_VOLUME
                               ? RayOrigin::volume
                               : RayOrigin::centre;
    constexpr Directions directions[] = {Directions::tiles, Directions::shared, Directions::independent};
    m_options.directions = directions[choice(where, "directions", options.directions, PARHELION_DIRECTIONS_TILES,
                                             PARHELION_DIRECTIONS_INDEPENDENT)];
    m_out_of_range = C::out_of_range_of(where, options.out_of_range);
    validate(m_options);
    int const gas = choice(where, "gas", options.gas, PARHELION_GAS_GREY, PARHELION_GAS_NARROW_BANDS);
    if ((gas == PARHELION_GAS_NARROW_BANDS) != (options.narrow_bands != nullptr))
      throw ArgumentError(where, gas == PARHELION_GAS_NARROW_BANDS
                                     ? "narrow_bands is NULL, expected a file with PARHELION_GAS_NARROW_BANDS"
                                     : "narrow_bands is given, expected NULL without PARHELION_GAS_NARROW_BANDS");
    switch (gas) {
      case PARHELION_GAS_GREY:
        m_spectrum = Spectrum::grey(options.absorption);
        break;
      case PARHELION_GAS_GREY_GASES:
        m_spectrum = Spectrum::weighted_sum_of_grey_gases();
        break;
      default: {
        auto const table = reading([&] { return io::read_narrow_band(options.narrow_bands); });
        m_spectrum = Spectrum::narrow_band(table);
        m_spectrum_bytes = sizeof(double) * table.absorption.size();
      }
    }
  }

  /// The spectrum, and what calls with arrays on a device keep; everything else is made by each call.
  Bytes bytes() const { return {.host = m_spectrum_bytes, .device = m_driver ? m_driver->bytes() : 0}; }

  void solve(char const* where, parhelion_monte_carlo_input const& in, parhelion_monte_carlo_output const& out,
             void* stream) {
    if (computes_on_device(m_instances) && in.temperature.data != nullptr && in.temperature.where == PARHELION_DEVICE) {
      solve_on_device(where, in, out, stream);
      return;
    }
    refuse_stream(where, stream);
    m_instances.with([&](auto const& space, bool) { solve_on(where, space, in, out); });
  }

  void status(char const* where) {
    // Calls with host arrays have looked at all their results.
    if (m_driver) refuse_not_finite(where, "cell or face", m_driver->status());
  }

 private:
  /// The box without its arrays, but for the grid, which is always on the host.
  Problem box_of(char const* where, HostThreads const& threads, parhelion_monte_carlo_input const& in) const {
    CallArrays arrays(where, false);
    Problem problem;
    problem.spectrum = m_spectrum;
    problem.pressure = or_default(in.pressure, reference_pressure);
    parhelion_array const* const faces[3] = {&in.x, &in.y, &in.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const array = arrays.required_input(axis_names[axis], *faces[axis]);
      if (array.rank != 1 || array.extents[0] < 2)
        throw ShapeError(where, fmt::format("{} has shape {}, expected (number of cells + 1), at least (2)",
                                            axis_names[axis], shape_text(array)));
      problem.grid.faces[axis].resize(static_cast<std::size_t>(array.extents[0]));
      ArrayRef to;
      to.data = problem.grid.faces[axis].data();
      to.rank = 1;
      to.extents[0] = array.extents[0];
      to.strides[0] = 1;
      ArrayCopies copies;
      copies.add(array, to);
      copies.run(threads);
    }
    validate(problem.grid, where);
    for (std::size_t side = 0; side < side_names.size(); ++side) {
      auto const& given = in.sides[side];
      auto& boundary = problem.boundaries[side];
      std::string const which = fmt::format("sides[{}]", side);
      if (choice(where, (which + ".type").c_str(), given.type, PARHELION_SIDE_WALL, PARHELION_SIDE_PERIODIC) ==
          PARHELION_SIDE_PERIODIC)
        boundary.type = BoundaryType::periodic;
      if (!(given.reflectivity >= 0 && given.reflectivity <= 1))
        throw Error(where, fmt::format("{}.reflectivity = {}, expected 0 to 1", which, given.reflectivity));
      boundary.emissivity = 1 - given.reflectivity;
      boundary.temperature = given.temperature;
    }
    return problem;
  }

  /// \brief Where results go, in the order of the descriptions of Results.
  /// \param walls set to whether there are any of walls
  static std::vector<ArrayRef> results_of(char const* where, CallArrays& arrays, Problem const& problem,
                                          parhelion_monte_carlo_output const& out, bool& walls) {
    auto sizes = problem.grid.dimensions();
    auto const descriptions = descriptions_of<HostResults>();
    auto const names = names_of_sides();
    std::vector<ArrayRef> wanted;
    auto const want = [&](ArrayDescription const& description, std::string_view name_here,
                          parhelion_array const& given) {
      wanted.push_back(wanted.empty() ? arrays.required_output(name_here, given) : arrays.output(name_here, given));
      check_named(where, description, name_here, wanted.back(), sizes);
    };
    want(descriptions.at(0), "q", out.q);
    want(descriptions.at(1), "q_error", out.q_error);
    want(descriptions.at(2), "incident", out.incident);
    want(descriptions.at(3), "q_plane_error_x", out.q_plane_error_x);
    want(descriptions.at(4), "q_plane_error_y", out.q_plane_error_y);
    want(descriptions.at(5), "q_plane_error_z", out.q_plane_error_z);
    sizes.set("box", 1);
    want(descriptions.at(6), "q_box_error", out.q_box_error);
    walls = false;
    for (bool const errors : {false, true})
      for (std::size_t side = 0; side < side_names.size(); ++side) {
        auto const& name_here = errors ? names[side].wall_flux_error : names[side].wall_flux;
        want(errors ? describe_wall_flux_error(side) : describe_wall_flux(side), name_here,
             errors ? out.wall_flux_error[side] : out.wall_flux[side]);
        if (wanted.back().data == nullptr) continue;
        if (!problem.boundaries[side].is_wall())
          throw ArgumentError(where, fmt::format("{} is given, but sides[{}] is periodic", name_here, side));
        walls = true;
      }
    return wanted;
  }

  void solve_on_device(char const* where, parhelion_monte_carlo_input const& in,
                       parhelion_monte_carlo_output const& out, void* stream) {
    if (m_host.target_error > 0)
      throw DeviceError(where, fmt::format("target_error = {} %, expected 0 with arrays on a device, whose errors are "
                                           "not looked at",
                                           m_host.target_error));
    DeviceBox box;
    m_instances.with([&](auto const& space, bool) { box.problem = box_of(where, HostThreads(space), in); });
    CallArrays arrays(where, true);
    auto sizes = box.problem.grid.dimensions();
    auto const take = [&](ConstArrayRef& array, ArrayDescription const& description, std::string_view name_here,
                          parhelion_array const& given, bool required) {
      array = required ? arrays.required_input(name_here, given) : arrays.input(name_here, given);
      check_named(where, description, name_here, array, sizes);
    };
    take(box.temperature, describe_temperature(), "temperature", in.temperature, true);
    take(box.mole_fraction, describe_mole_fraction(), "mole_fraction", in.mole_fraction, false);
    auto const names = names_of_sides();
    for (std::size_t side = 0; side < side_names.size(); ++side)
      take(box.face_temperature[side], describe_face_temperature(side), names[side].face_temperature,
           in.sides[side].face_temperature, false);
    bool walls = false;
    auto const results = results_of(where, arrays, box.problem, out, walls);
    on_device(where, m_instances, arrays.device().value_or(0), [&]<class Space>(Space const&) {
      if (!m_driver)
        m_driver =
            std::make_unique<DriverOn<Space>>(DeviceMonteCarlo<Space>(m_options, m_host.precision, m_out_of_range));
    });
    m_driver->compute(stream, box, results);
    if (out.reached_error != nullptr) *out.reached_error = std::numeric_limits<double>::quiet_NaN();
    if (out.repetitions != nullptr) *out.repetitions = m_options.repetitions;
  }

  template <class Space>
  void solve_on(char const* where, Space const& space, parhelion_monte_carlo_input const& in,
                parhelion_monte_carlo_output const& out) const {
    HostThreads const threads(space);
    Problem problem = box_of(where, threads, in);
    CallArrays arrays(where, false);
    auto sizes = problem.grid.dimensions();
    // What the copies and the results take, before they are made.
    double const cells = static_cast<double>(problem.grid.ncell(0)) * problem.grid.ncell(1) * problem.grid.ncell(2);
    double const needed = 5 * sizeof(double) * cells;
    require_host_memory(where, static_cast<std::size_t>(std::min(needed, 0x1p60)), "");

    ArrayCopies copies;
    auto const bring = [&]<class View>(ArrayDescription const& description, std::string_view name,
                                       parhelion_array const& given, View& view, bool required) {
      auto const array = required ? arrays.required_input(name, given) : arrays.input(name, given);
      if (array.data == nullptr) return;
      check_named(where, description, name, array, sizes);
      typename View::array_layout layout;
      for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = static_cast<std::size_t>(array.extents[d]);
      view = View(Kokkos::view_alloc(std::string("parhelion::C::monte_carlo"), Kokkos::WithoutInitializing), layout);
      copies.add(array, array_ref(view));
    };
    bring(describe_temperature(), "temperature", in.temperature, problem.temperature, true);
    bring(describe_mole_fraction(), "mole_fraction", in.mole_fraction, problem.mole_fraction, false);
    auto const names = names_of_sides();
    for (std::size_t side = 0; side < side_names.size(); ++side)
      bring(describe_face_temperature(side), names[side].face_temperature, in.sides[side].face_temperature,
            problem.boundaries[side].face_temperature, false);
    copies.run(threads);

    // Where the results go.
    auto options = m_options;
    auto const wanted = results_of(where, arrays, problem, out, options.walls);

    auto const plan_of = [&](Problem const& of) {
      auto const plan = plan_sources(of, options, m_host);
      require_host_memory("monte_carlo", plan.host_bytes + (runs_on_host<Space> ? plan.device_bytes : 0), "");
    };
    validate(problem, where, m_out_of_range);
    OutOfRangeCounts counts;
    Problem const computed =
        m_out_of_range == OutOfRange::refuse ? problem : in_range(problem, m_out_of_range, counts, where);
    plan_of(computed);
    HostMonteCarloReport report;
    HostResults const results = compute_sources(space, computed, options, m_host, &report);

    ArrayCopies back;
    std::size_t i = 0;
    HostResults::for_each_array(
        [&](ArrayDescription const&, auto const& view) {
          auto const& to = wanted[i++];
          if (!to.empty()) back.add(array_ref(view), to);
        },
        results);
    back.run(threads);
    if (out.reached_error != nullptr) *out.reached_error = report.reached_error;
    if (out.repetitions != nullptr) *out.repetitions = report.repetitions;
  }

  Instances m_instances;
  HostMonteCarloOptions m_host;
  Options m_options;
  OutOfRange m_out_of_range = OutOfRange::refuse;
  Spectrum m_spectrum;
  std::size_t m_spectrum_bytes = 0;
  std::unique_ptr<Driver> m_driver;  ///< for arrays on a device
};

}  // namespace

}  // namespace parhelion::C

using namespace parhelion;
using C::guarded;

int parhelion_monte_carlo_create(parhelion_monte_carlo_options const* options, parhelion_monte_carlo** monte_carlo) {
  constexpr char const* where = "parhelion_monte_carlo_create";
  return guarded([&] {
    if (monte_carlo == nullptr) throw ArgumentError(where, "monte_carlo is NULL, expected where to put the object");
    *monte_carlo = nullptr;
    auto const copy = C::read_struct(where, "options", options);
    C::require_running(where);
    *monte_carlo = C::handle_of<parhelion_monte_carlo>(std::make_unique<C::MonteCarlo>(where, copy));
  });
}

int parhelion_monte_carlo_bytes(parhelion_monte_carlo const* monte_carlo, size_t* host, size_t* device) {
  return guarded([&] {
    C::InUse<C::MonteCarlo> const object("parhelion_monte_carlo_bytes", monte_carlo);
    object->bytes().tell(host, device);
  });
}

int parhelion_monte_carlo_solve(parhelion_monte_carlo* monte_carlo, parhelion_monte_carlo_input const* input,
                                parhelion_monte_carlo_output const* output, void* stream) {
  constexpr char const* where = "parhelion_monte_carlo_solve";
  return guarded([&] {
    C::InUse<C::MonteCarlo> const object(where, monte_carlo);
    auto const in = C::read_struct(where, "input", input);
    auto const out = C::read_struct(where, "output", output);
    object->solve(where, in, out, stream);
  });
}

int parhelion_monte_carlo_status(parhelion_monte_carlo* monte_carlo) {
  constexpr char const* where = "parhelion_monte_carlo_status";
  return guarded([&] { C::InUse<C::MonteCarlo>(where, monte_carlo)->status(where); });
}

int parhelion_monte_carlo_destroy(parhelion_monte_carlo* monte_carlo) {
  return guarded([&] { C::destroy<C::MonteCarlo>("parhelion_monte_carlo_destroy", monte_carlo); });
}
