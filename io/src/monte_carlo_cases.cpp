// SPDX-License-Identifier: BSD-3-Clause
#include "channel_field.hpp"

#include <parhelion/core/constants.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace parhelion::io {

namespace {

using monte_carlo::Boundary;
using monte_carlo::BoundaryType;
using monte_carlo::Problem;
using monte_carlo::Spectrum;
using monte_carlo::stretched_faces;
using monte_carlo::uniform_faces;

constexpr double pi = std::numbers::pi;

// Temperatures of the gas: equations 18 to 22 of the paper.
enum class Profile { lin1, lin2, linear_500_1000, parab1, parab2, isothermal_1000, sine, product };

struct Profiled {
  char const* text;
  double wall[2];  // [K], at the lower and the upper end of x; for boxes everywhere
};

Profiled described(Profile profile) {
  switch (profile) {
    case Profile::lin1:
      return {"T = 500 + 1000 x K, walls 500 and 1500 K", {500, 1500}};
    case Profile::lin2:
      return {"T = 295 + 10 x K, walls 295 and 305 K", {295, 305}};
    case Profile::linear_500_1000:
      return {"T = 500 + 500 x K, walls 500 and 1000 K", {500, 1000}};
    case Profile::parab1:
      return {"T = 500 + 2000 x - 2000 x^2 K, walls 500 K", {500, 500}};
    case Profile::parab2:
      return {"T = 500 + 8000 x/L - 8000 (x/L)^2 K, walls 500 K", {500, 500}};
    case Profile::isothermal_1000:
      return {"T = 1000 K, walls 0 K", {0, 0}};
    case Profile::sine:
      return {"sigma T^4 / pi = sin(pi x) sin(pi y) sin(pi z) W m-2 sr-1, walls 0 K", {0, 0}};
    case Profile::product:
      return {"T = 500 + 2000 p - 2000 p^2 K with p = x y z, walls 500 K", {500, 500}};
  }
  return {};
}

double parabola(double x) { return 500 + 2000 * x - 2000 * x * x; }

double temperature_at(Profile profile, double length, double x, double y, double z) {
  switch (profile) {
    case Profile::lin1:
      return 500 + 1000 * x;
    case Profile::lin2:
      return 295 + 10 * x;
    case Profile::linear_500_1000:
      return 500 + 500 * x;
    case Profile::parab1:
      return parabola(x);
    case Profile::parab2:
      return 500 + 8000 * (x / length) * (1 - x / length);
    case Profile::isothermal_1000:
      return 1000;
    case Profile::sine:
      return std::pow(pi / constants::stefan_boltzmann * (std::sin(pi * x) * std::sin(pi * y) * std::sin(pi * z)),
                      0.25);
    case Profile::product:
      return parabola(x * y * z);
  }
  return 0;
}

struct Definition {
  char const* name;
  char const* gas;
  double absorption;  // of grey gases [m-1]
  double length;      // [m]
  Profile profile;
  bool box;  // walls all around
  double emissivity[2];
};

constexpr char const* grey = "grey";
constexpr char const* h2o = "H2O";
constexpr char const* co2 = "CO2";
constexpr char const* mixture = "mixture of 11.6 % CO2 and 15.5 % H2O";

constexpr Definition definitions[] = {
    {"case01_grey_lin1_black", grey, 1, 1, Profile::lin1, false, {1, 1}},
    {"case02_grey_parab1_black", grey, 1, 1, Profile::parab1, false, {1, 1}},
    {"case03_grey_cube_k0.5", grey, 0.5, 1, Profile::sine, true, {1, 1}},
    {"case04_grey_cube_k5", grey, 5, 1, Profile::sine, true, {1, 1}},
    {"case05_h2o_iso1000_L0.1", h2o, 0, 0.1, Profile::isothermal_1000, false, {1, 1}},
    {"case06_h2o_iso1000_L1", h2o, 0, 1, Profile::isothermal_1000, false, {1, 1}},
    {"case07_co2_lin2_black", co2, 0, 1, Profile::lin2, false, {1, 1}},
    {"case08_co2_lin2_e0_1", co2, 0, 1, Profile::lin2, false, {0, 1}},
    {"case09_co2_lin2_e0.1_0.1", co2, 0, 1, Profile::lin2, false, {0.1, 0.1}},
    {"case10_h2o_parab1_black", h2o, 0, 1, Profile::parab1, false, {1, 1}},
    {"case11_co2_parab1_black", co2, 0, 1, Profile::parab1, false, {1, 1}},
    {"case12_mix_parab2_L0.2", mixture, 0, 0.2, Profile::parab2, false, {1, 1}},
    {"case13_mix_parab2_L4", mixture, 0, 4, Profile::parab2, false, {1, 1}},
    {"case14_h2o_3dimens_black", h2o, 0, 1, Profile::product, true, {1, 1}},
    {"wall_grey_lin1_e0.1_0.1", grey, 1, 1, Profile::lin1, false, {0.1, 0.1}},
    {"wall_grey_parab1_e0_1", grey, 1, 1, Profile::parab1, false, {0, 1}},
    {"wall_grey_lin1_e0.5_1", grey, 1, 1, Profile::lin1, false, {0.5, 1}},
    {"wall_h2o_parab1_e0.1_0.1", h2o, 0, 1, Profile::parab1, false, {0.1, 0.1}},
    {"wall_h2o_lin500_1000_e0_1", h2o, 0, 1, Profile::linear_500_1000, false, {0, 1}},
    {"wall_h2o_parab1_e0.5_1", h2o, 0, 1, Profile::parab1, false, {0.5, 1}},
};

constexpr char const* channel = "channel";

bool is_grey(Definition const& definition) { return definition.absorption > 0; }

CaseDescription description_of(Definition const& d) {
  CaseDescription description{d.name, {}, d.gas, {}};
  if (description.name.rfind("case", 0) == 0) description.short_name = description.name.substr(0, 6);
  std::string const gas = is_grey(d) ? fmt::format("grey {} m-1", d.absorption) : d.gas;
  std::string const shape = d.box ? fmt::format("cube of {} m", d.length) : fmt::format("slab of {} m", d.length);
  std::string const walls =
      d.emissivity[0] == 1 && d.emissivity[1] == 1
          ? "black"
          : fmt::format("of emissivity {} at the lower and {} at the upper end", d.emissivity[0], d.emissivity[1]);
  description.text = fmt::format("{}, {}, {}, {}", gas, shape, described(d.profile).text, walls);
  return description;
}

std::vector<CaseDescription> describe_all() {
  std::vector<CaseDescription> all;
  std::transform(std::begin(definitions), std::end(definitions), std::back_inserter(all), description_of);
  all.push_back(
      {channel,
       {},
       h2o,
       "H2O, synthetic turbulent channel of 4 pi x 2 x 2 pi m, black walls of 955 and 573 K across y, periodic "
       "along x and z"});
  return all;
}

std::vector<CaseDescription> const& descriptions() {
  static auto const all = describe_all();
  return all;
}

// Number of a case in the list of descriptions, which is that of definitions and the channel.
std::size_t find_case(std::string const& name) {
  auto const& all = descriptions();
  auto const found = std::find_if(all.begin(), all.end(), [&](CaseDescription const& each) {
    return !name.empty() && (each.name == name || each.short_name == name);
  });
  if (found == all.end())
    throw Error("built-in case", fmt::format("'{}', expected one of {}", name, fmt::join(case_names(), ", ")));
  return static_cast<std::size_t>(found - all.begin());
}

Boundary periodic() {
  Boundary side;
  side.type = BoundaryType::periodic;
  return side;
}

Boundary wall(double emissivity, double temperature) {
  Boundary side;
  side.emissivity = emissivity;
  side.temperature = temperature;
  return side;
}

void set_definition(Definition const& d, CaseOptions const& options, Problem& problem) {
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    bool const walls = d.box || axis == 0;
    problem.grid.faces[a] = walls ? stretched_faces(options.cells[a], d.length, options.stretch)
                                  : uniform_faces(options.cells[a], d.length);
    for (std::size_t end = 0; end < 2; ++end)
      problem.boundaries[2 * a + end] = walls ? wall(d.emissivity[end], described(d.profile).wall[end]) : periodic();
  }
  auto const& grid = problem.grid;
  problem.temperature =
      HostArray<double***>(Kokkos::view_alloc("parhelion::MonteCarlo::temperature", Kokkos::WithoutInitializing),
                           grid.ncell(0), grid.ncell(1), grid.ncell(2));
  auto const x = grid.centres(0), y = grid.centres(1), z = grid.centres(2);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < y.size(); ++j)
      for (std::size_t k = 0; k < z.size(); ++k)
        problem.temperature(i, j, k) = temperature_at(d.profile, d.length, x[i], y[j], z[k]);
}

void set_channel(CaseOptions const& options, Problem& problem) {
  problem.grid.faces[0] = uniform_faces(options.cells[0], Impl::channel_length);
  problem.grid.faces[1] = stretched_faces(options.cells[1], Impl::channel_height, options.stretch);
  problem.grid.faces[2] = uniform_faces(options.cells[2], Impl::channel_width);
  problem.boundaries = {periodic(), periodic(), wall(1, Impl::channel_hot), wall(1, Impl::channel_cold),
                        periodic(), periodic()};
  problem.temperature = Impl::channel_temperature(problem.grid);
}

}  // namespace

std::vector<std::string> const& case_names() {
  static auto const names = [] {
    std::vector<std::string> all;
    for (auto const& each : descriptions()) all.push_back(each.name);
    return all;
  }();
  return names;
}

CaseDescription const& case_description(std::string const& name) { return descriptions()[find_case(name)]; }

std::string case_list() {
  std::size_t widest = 0;
  for (auto const& name : case_names()) widest = std::max(widest, name.size());
  std::string list;
  for (auto const& each : descriptions()) list += fmt::format("{:{}}  {}\n", each.name, widest, each.text);
  return list;
}

Problem built_in_case(std::string const& name, CaseOptions const& options, std::optional<Spectrum> const& spectrum) {
  auto const number = find_case(name);
  auto const& description = descriptions()[number];
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (options.cells[axis] < 1)
      throw Error(description.name, fmt::format("{} cells along {}, expected at least 1", options.cells[axis],
                                                monte_carlo::axis_names[axis]));
  bool const own = description.gas == grey;
  if (own && spectrum)
    throw Error(description.name, fmt::format("spectrum '{}' was given, expected none: the case has its own, {}",
                                              spectrum->name(), description.text));
  if (!own && !spectrum)
    throw Error(
        description.name,
        fmt::format("no spectrum was given, expected that of {}, such as a file of narrow bands", description.gas));
  Problem problem;
  if (number < std::size(definitions)) {
    auto const& definition = definitions[number];
    set_definition(definition, options, problem);
    problem.spectrum = own ? Spectrum::grey(definition.absorption) : *spectrum;
  } else {
    set_channel(options, problem);
    problem.spectrum = *spectrum;
  }
  validate(problem, description.name, options.out_of_range);
  return problem;
}

}  // namespace parhelion::io
