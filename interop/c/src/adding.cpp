// SPDX-License-Identifier: BSD-3-Clause
#include "common/arrays.hpp"
#include "common/devices.hpp"
#include "common/objects.hpp"
#include "common/plans.hpp"
#include "common/structs.hpp"

#include <parhelion/adding/device_adding.hpp>
#include <parhelion/adding/host_adding.hpp>
#include <parhelion/adding/scattering.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::C {

namespace {

using namespace parhelion::adding;
using Host = Kokkos::DefaultHostExecutionSpace;

std::vector<ArrayDescription> const& input_descriptions() {
  static auto const descriptions = descriptions_of<AddingInput<Host, double>>();
  return descriptions;
}

std::vector<ArrayDescription> const& result_descriptions() {
  static auto const descriptions = descriptions_of<AddingResult<Host, double>>();
  return descriptions;
}

/// The arrays of a call.
struct Call {
  HostAddingInput input;
  std::vector<ArrayRef> result;
  bool levels = false;
  std::optional<int> device;  ///< of the arrays

  ConstArrayRef const& of(std::string_view name) const {
    auto const& descriptions = input_descriptions();
    std::size_t i = 0;
    while (descriptions.at(i).name != name) ++i;
    return input.arrays[i];
  }
  bool has(std::string_view name) const { return of(name).data != nullptr; }

  /// \param may_be_on_device whether its arrays may
  Call(char const* where, parhelion_adding_input const& in, parhelion_adding_output const& out, bool may_be_on_device) {
    CallArrays arrays(where, may_be_on_device);
    // Their extents are those of all others.
    auto const planck = arrays.required_input("planck", in.planck);
    auto const mu = arrays.required_input("mu", in.mu);
    Dimensions sizes;
    if (planck.rank != 2 || planck.empty())
      throw ShapeError(
          where, fmt::format("planck has shape {}, expected (profile, layer), at least (1, 1)", shape_text(planck)));
    if (mu.rank != 2 || mu.empty())
      throw ShapeError(where,
                       fmt::format("mu has shape {}, expected (profile or 1, angle), at least (1, 1)", shape_text(mu)));
    std::int64_t const nprofile = planck.extents[0];
    std::int64_t const nlay = planck.extents[1];
    std::int64_t const nangle = mu.extents[1];
    sizes = {{dimension::profile, nprofile}, {dimension::layer, nlay},      {dimension::level, nlay + 1},
             {dimension::angle, nangle},     {dimension::angle_in, nangle}, {dimension::angle_in_and_sun, nangle + 1},
             {dimension::matrix, -1}};

    auto const member = [&](std::string_view name) -> std::pair<parhelion_array const*, Entries> {
      if (name == "optical_depth") return {&in.optical_depth, Entries::real};
      if (name == "transmittance") return {&in.transmittance, Entries::real};
      if (name == "planck") return {&in.planck, Entries::real};
      if (name == "mu") return {&in.mu, Entries::real};
      if (name == "weight") return {&in.weight, Entries::real};
      if (name == "planck_sfc") return {&in.planck_sfc, Entries::real};
      if (name == "emissivity") return {&in.emissivity, Entries::real};
      if (name == "specular_reflectivity") return {&in.specular_reflectivity, Entries::real};
      if (name == "reflectivity") return {&in.reflectivity, Entries::real};
      if (name == "cosmic") return {&in.cosmic, Entries::real};
      if (name == "cos_sun") return {&in.cos_sun, Entries::real};
      if (name == "solar_irradiance") return {&in.solar_irradiance, Entries::real};
      if (name == "direct_reflectivity") return {&in.direct_reflectivity, Entries::real};
      if (name == "single_scattering_albedo") return {&in.single_scattering_albedo, Entries::real};
      if (name == "phase") return {&in.phase, Entries::integer};
      if (name == "phase_forward") return {&in.phase_forward, Entries::real};
      if (name == "phase_backward") return {&in.phase_backward, Entries::real};
      return {nullptr, Entries::real};  // derivatives are not part of this interface
    };
    for (auto const& description : input_descriptions()) {
      auto const [given, entries] = member(description.name);
      auto& array = input.arrays.emplace_back();
      if (given == nullptr) continue;
      bool const needed = !description.optional && description.name != "optical_depth" && description.name != "weight";
      array = needed ? arrays.required_input(description.name, *given, entries)
                     : arrays.input(description.name, *given, entries);
      if (array.data != nullptr) check_extents(where, description, array, sizes);
    }
    if (!has("optical_depth") && !has("transmittance"))
      throw ArgumentError(where, "optical_depth and transmittance are absent, expected one of them");
    check_companions(where, {"cos_sun", "solar_irradiance", "direct_reflectivity"});
    check_companions(where, {"single_scattering_albedo", "phase", "phase_forward", "phase_backward"});
    for (auto const& [one, other] :
         {std::pair("transmittance", "optical_depth"), std::pair("specular_reflectivity", "reflectivity"),
          std::pair("single_scattering_albedo", "transmittance")})
      if (has(one) && has(other))
        throw ArgumentError(where, fmt::format("{} and {} are given, expected one of them", one, other));
    if (has("single_scattering_albedo") && !has("weight"))
      throw ArgumentError(where, "weight is absent, expected one with single_scattering_albedo");

    auto const result_member = [&](std::string_view name) -> parhelion_array const* {
      if (name == "toa") return &out.toa;
      if (name == "up") return &out.up;
      if (name == "dn") return &out.dn;
      if (name == "up_emergent") return &out.up_emergent;
      return nullptr;
    };
    bool any = false;
    for (auto const& description : result_descriptions()) {
      auto const* const given = result_member(description.name);
      auto& array = result.emplace_back();
      if (given == nullptr) continue;
      array = arrays.output(description.name, *given);
      if (array.data == nullptr) continue;
      check_extents(where, description, array, sizes);
      any = true;
      levels = levels || description.name != "toa";
    }
    if (!any) throw ArgumentError(where, "there is no array for results, expected at least one");
    device = arrays.device();
  }

  void check_companions(char const* where, std::initializer_list<char const*> names) const {
    char const* present = nullptr;
    for (auto const* const each : names)
      if (has(each)) present = each;
    for (auto const* const each : names)
      if (present != nullptr && !has(each))
        throw ArgumentError(where, fmt::format("{} is absent, expected one with {}", each, present));
  }
};

/// The calls that a solver was made for.
struct MadeFor {
  std::vector<ConstArrayRef> like;  ///< extents only
  std::int64_t nprofile = 0;
  bool levels = false;
  Strategy strategy = Strategy::automatic;

  MadeFor() = default;
  MadeFor(Call const& call, Strategy chosen)
      : nprofile(call.of("planck").extents[0]), levels(call.levels), strategy(chosen) {
    for (auto array : call.input.arrays) {
      if (array.empty()) array.rank = 0;
      array.data = nullptr;
      like.push_back(array);
    }
  }

  bool fits(Call const& call, Strategy wanted) const {
    if (like.empty() || wanted != strategy || (call.levels && !levels)) return false;
    for (std::size_t i = 0; i < like.size(); ++i) {
      auto const& description = input_descriptions()[i];
      auto const& array = call.input.arrays[i];
      if (description.name == "single_scattering_albedo" && array.empty() != (like[i].rank == 0)) return false;
      if (array.empty()) continue;
      if (array.rank != like[i].rank) return false;
      // Profiles may be any number, but what they share has been made to be shared.
      bool const shared = nprofile > 1 && like[i].extents[0] == 1;
      if (shared && array.extents[0] > 1) return false;
      for (std::size_t d = 1; d < static_cast<std::size_t>(array.rank); ++d)
        if (array.extents[d] != like[i].extents[d]) return false;
    }
    return true;
  }
};

/// A solver for arrays on the host.
struct Made {
  MadeFor made_for;
  std::optional<HostAdding> solver;
};

using Driver = AnyDriver<HostAddingInput, std::vector<ArrayRef>>;
template <class Space>
using DriverOn = DriverOfStreams<Space, DeviceAdding<Space>, HostAddingInput, std::vector<ArrayRef>>;

class Adding final : public Object {
 public:
  static constexpr char const* name = "adding";

  Adding(char const* where, parhelion_adding_options const& options) : m_instances(text_of(options.space)) {
    m_options.precision = precision_of(where, options.precision);
    m_options.chunk = chunk_of(where, options.chunk);
    m_options.devices = devices_of(where, options.devices);
    m_order = choice(where, "vertical_order", options.vertical_order, PARHELION_SURFACE_FIRST, PARHELION_TOP_FIRST) ==
                      PARHELION_TOP_FIRST
                  ? VerticalOrder::top_first
                  : VerticalOrder::surface_first;
  }

  Bytes bytes() const {
    Bytes all;
    for (auto const& made : m_made)
      if (made.solver) all.add(made.solver->plan());
    if (m_driver) all.device += m_driver->bytes();
    return all;
  }

  void solve(char const* where, parhelion_adding_input const& in, parhelion_adding_output const& out, void* stream) {
    Call call(where, in, out, computes_on_device(m_instances));
    call.input.order = m_order;
    if (call.device) {
      solve_on_device(where, call, stream);
      return;
    }
    refuse_stream(where, stream);
    m_instances.with([&](auto const& space, bool of_region) {
      auto& made = m_made[of_region ? 1 : 0];
      // Chosen for each call, so that its result does not depend on earlier ones.
      auto const strategy = strategy_of(space, call);
      if (!made.made_for.fits(call, strategy)) outside_parallel_regions([&] { made = make(space, call, strategy); });
      made.solver->compute(call.input, call.result);
    });
  }

  void status(char const* where) {
    // Calls with host arrays have looked at all their results.
    auto const before = std::exchange(m_before, {});
    auto const now = m_driver ? m_driver->status() : SolveStatus();
    refuse_not_finite(where, "profile", before.good() ? now : before);
  }

 private:
  template <class Space>
  static Strategy strategy_of(Space const& space, Call const& call) {
    if (!call.has("single_scattering_albedo")) return Strategy::automatic;
    auto const& planck = call.of("planck");
    return choose_scattering_strategy(space, static_cast<int>(planck.extents[0]), static_cast<int>(planck.extents[1]),
                                      static_cast<int>(call.of("mu").extents[1]));
  }

  void solve_on_device(char const* where, Call const& call, void* stream) {
    on_device(where, m_instances, *call.device, [&]<class Space>(Space const& space) {
      auto const strategy = strategy_of(space, call);
      // With room for fewer profiles the work would be divided more finely than necessary.
      if (m_driver && m_driver_made_for.fits(call, strategy) &&
          call.of("planck").extents[0] <= m_driver_made_for.nprofile)
        return;
      if (m_driver) m_before = m_driver->status();  // waits for the work that uses its memory
      m_driver.reset();
      m_driver = std::make_unique<DriverOn<Space>>(DeviceAdding<Space>(space, call.input, options_of(call, strategy)));
      m_driver_made_for = MadeFor(call, strategy);
    });
    m_driver->compute(stream, call.input, call.result);
  }

  HostAddingOptions options_of(Call const& call, Strategy strategy) const {
    auto options = m_options;
    options.space = m_instances.space();
    options.levels = call.levels;
    options.strategy = strategy;
    return options;
  }

  template <class Space>
  Made make(Space const& space, Call const& call, Strategy strategy) const {
    auto const options = options_of(call, strategy);
    Made made;
    made.made_for = MadeFor(call, strategy);
    auto const plan = plan_radiances(call.input, options);
    require_host_memory("adding", plan.host_bytes + (runs_on_host<Space> ? plan.device_bytes : 0),
                        "a smaller chunk makes it fit");
    made.solver.emplace(space, call.input, options);
    return made;
  }

  HostAddingOptions m_options;
  VerticalOrder m_order = VerticalOrder::surface_first;
  Instances m_instances;
  Made m_made[2];  ///< of calls outside of parallel regions, and inside
  MadeFor m_driver_made_for;
  std::unique_ptr<Driver> m_driver;  ///< for arrays on a device
  SolveStatus m_before;              ///< of drivers before it
};

}  // namespace

}  // namespace parhelion::C

using namespace parhelion;
using C::guarded;

int parhelion_adding_create(parhelion_adding_options const* options, parhelion_adding** adding) {
  constexpr char const* where = "parhelion_adding_create";
  return guarded([&] {
    if (adding == nullptr) throw ArgumentError(where, "adding is NULL, expected where to put the object");
    *adding = nullptr;
    auto const copy = C::read_struct(where, "options", options);
    C::require_running(where);
    *adding = C::handle_of<parhelion_adding>(std::make_unique<C::Adding>(where, copy));
  });
}

int parhelion_adding_bytes(parhelion_adding const* adding, size_t* host, size_t* device) {
  return guarded([&] {
    C::InUse<C::Adding> const object("parhelion_adding_bytes", adding);
    object->bytes().tell(host, device);
  });
}

int parhelion_adding_solve(parhelion_adding* adding, parhelion_adding_input const* input,
                           parhelion_adding_output const* output, void* stream) {
  constexpr char const* where = "parhelion_adding_solve";
  return guarded([&] {
    C::InUse<C::Adding> const object(where, adding);
    auto const in = C::read_struct(where, "input", input);
    auto const out = C::read_struct(where, "output", output);
    object->solve(where, in, out, stream);
  });
}

int parhelion_adding_status(parhelion_adding* adding) {
  constexpr char const* where = "parhelion_adding_status";
  return guarded([&] { C::InUse<C::Adding>(where, adding)->status(where); });
}

int parhelion_adding_destroy(parhelion_adding* adding) {
  return guarded([&] { C::destroy<C::Adding>("parhelion_adding_destroy", adding); });
}
