// SPDX-License-Identifier: BSD-3-Clause
#include "common/arrays.hpp"
#include "common/objects.hpp"
#include "common/plans.hpp"
#include "common/structs.hpp"

#include <parhelion/core/memory.hpp>
#include <parhelion/io/narrow_band_files.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
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

class MonteCarlo final : public Object {
 public:
  static constexpr char const* name = "monte_carlo";

  MonteCarlo(char const* where, parhelion_monte_carlo_options const& options) : m_instances(text_of(options.space)) {
    m_host.space = m_instances.space();
    m_host.precision = precision_of(where, options.precision);
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

  /// The spectrum; everything else is made by each call.
  Bytes bytes() const { return {.host = m_spectrum_bytes, .device = 0}; }

  void solve(char const* where, parhelion_monte_carlo_input const& in, parhelion_monte_carlo_output const& out) {
    CallArrays arrays(where, false);
    m_instances.with([&](auto const& space, bool) { solve_on(where, space, arrays, in, out); });
  }

 private:
  template <class Space>
  void solve_on(char const* where, Space const& space, CallArrays& arrays, parhelion_monte_carlo_input const& in,
                parhelion_monte_carlo_output const& out) const {
    HostThreads const threads(space);
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
      ArrayDescription named = description;
      named.name = name;
      check_extents(where, named, array, sizes);
      typename View::array_layout layout;
      for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = static_cast<std::size_t>(array.extents[d]);
      view = View(Kokkos::view_alloc(std::string("parhelion::C::monte_carlo"), Kokkos::WithoutInitializing), layout);
      copies.add(array, array_ref(view));
    };
    // The names live as long as the messages about them.
    std::vector<std::string> names;
    for (std::size_t side = 0; side < side_names.size(); ++side)
      for (auto const* const what : {"face_temperature", "wall_flux", "wall_flux_error"})
        names.push_back(std::string_view(what) == "face_temperature" ? fmt::format("sides[{}].{}", side, what)
                                                                     : fmt::format("{}[{}]", what, side));
    bring(describe_temperature(), "temperature", in.temperature, problem.temperature, true);
    bring(describe_mole_fraction(), "mole_fraction", in.mole_fraction, problem.mole_fraction, false);
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
      bring(describe_face_temperature(side), names[3 * side], given.face_temperature, boundary.face_temperature, false);
    }
    copies.run(threads);

    // Where the results go.
    auto options = m_options;
    options.walls = false;
    std::vector<ArrayRef> wanted;
    auto const prepare = [&](ArrayDescription const& description, std::string_view name, parhelion_array const& given,
                             bool required) {
      auto const array = required ? arrays.required_output(name, given) : arrays.output(name, given);
      if (array.data != nullptr) {
        ArrayDescription named = description;
        named.name = name;
        check_extents(where, named, array, sizes);
      }
      wanted.push_back(array);
    };
    auto const descriptions = descriptions_of<HostResults>();
    prepare(descriptions.at(0), "q", out.q, true);
    prepare(descriptions.at(1), "q_error", out.q_error, false);
    prepare(descriptions.at(2), "incident", out.incident, false);
    for (bool const errors : {false, true})
      for (std::size_t side = 0; side < side_names.size(); ++side) {
        auto const& name_here = names[3 * side + (errors ? 2 : 1)];
        auto const& given = errors ? out.wall_flux_error[side] : out.wall_flux[side];
        prepare(errors ? describe_wall_flux_error(side) : describe_wall_flux(side), name_here, given, false);
        if (wanted.back().data == nullptr) continue;
        if (!problem.boundaries[side].is_wall())
          throw ArgumentError(where, fmt::format("{} is given, but sides[{}] is periodic", name_here, side));
        options.walls = true;
      }

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
    if (stream != nullptr) throw ArgumentError(where, "stream is given, expected NULL with arrays on the host");
    object->solve(where, in, out);
  });
}

int parhelion_monte_carlo_destroy(parhelion_monte_carlo* monte_carlo) {
  return guarded([&] { C::destroy<C::MonteCarlo>("parhelion_monte_carlo_destroy", monte_carlo); });
}
