// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/host_ega.hpp>

#include "host_forward.hpp"
#include "names.hpp"
#include "prepared_problem.hpp"
#include "solve_in_parts.hpp"
#include "source.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/ega/forward_model.hpp>
#include <parhelion/ega/model_constants.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace parhelion::ega {

namespace {

constexpr std::size_t default_memory_limit = std::size_t(16) << 30;

// Bytes of a channel.
struct ChannelBytes {
  std::size_t device;  // where curves of one pressure and temperature are as long as their longest
  std::size_t tables;  // as they are read
};

ChannelBytes channel_bytes(Problem const& problem, int channel) {
  ChannelBytes bytes{(source_temperatures + channel_coefficients + channel_numbers) * sizeof(double), 0};
  for (int g = 0; g < problem.ngas(); ++g) {
    auto const table = problem.tables(g, channel);
    auto const curves = table.temperature.size();
    bytes.device += (table.npoint() + curves) * sizeof(CurvePoint) * 9 / 8 + curves * 48;
    bytes.tables += table.npoint() * 2 * sizeof(float) + curves * (sizeof(double) + sizeof(std::int64_t));
  }
  return bytes;
}

// Nothing beside the spectra.
template <class Space, class Real>
struct SpectraPass {
  static constexpr char const* where = "compute_spectra";
  struct Results {};

  static int chunk(HostEgaOptions const& options, int nray, int) {
    return std::min(nray, options.chunk > 0 ? options.chunk : 65536);
  }
  static std::size_t ray_bytes(int) { return 0; }
  static auto make_solver(Space const& space, ForwardCapacity const& capacity, int nray) {
    return ForwardModel<Space, Real>(space, capacity, {.nray = nray});
  }
  static std::size_t workspace_bytes(Space const&, ForwardCapacity const& capacity, int nray) {
    return ForwardModel<Space, Real>::workspace_bytes(capacity, {.nray = nray});
  }
  static Results make_results(Space const&, Impl::Part<Space, Real> const&) { return {}; }
  static void solve(Space const& space, ForwardModel<Space, Real> const& solver, Impl::Part<Space, Real> const& part,
                    Results const&) {
    solver.solve(space, part.model, part.atmosphere, part.observation, part.spectra);
  }
  static void store(Impl::Part<Space, Real> const&, Results const&) {}
};

}  // namespace

namespace Impl {

ChannelCut cut_channels(Problem const& problem, HostEgaOptions const& options, int (*lanes)(int), bool on_host) {
  std::size_t const limit = options.memory_limit > 0 ? options.memory_limit
                            : on_host                ? std::min(default_memory_limit, available_host_memory() / 2)
                                                     : default_memory_limit;
  int const nchannel = problem.nchannel();
  // Channels differ; some of them tell how much is needed without reading all tables twice.
  ChannelBytes largest{0, 0};
  int const samples = std::min(nchannel, std::max(3, nchannel / 32));
  for (int i = 0; i < samples; ++i) {
    auto const one =
        channel_bytes(problem, static_cast<int>(std::int64_t(i) * (nchannel - 1) / std::max(1, samples - 1)));
    largest = {std::max(largest.device, one.device), std::max(largest.tables, one.tables)};
  }
  // Lanes without a channel take as much room as the others.
  auto const padded = [&](int n) { return (n + lanes(n) - 1) / lanes(n) * lanes(n); };
  auto const cut = [&](int n) {
    return ChannelCut{n, static_cast<std::size_t>(padded(n)) * largest.device,
                      on_host ? static_cast<std::size_t>(n) * largest.tables : 0,
                      on_host ? 0 : static_cast<std::size_t>(padded(n)) * largest.device + n * largest.tables};
  };
  auto const fits = [&](int n) { return cut(n).table_bytes + cut(n).loading_bytes <= limit; };
  int block = static_cast<int>(std::min<std::size_t>(limit / largest.device, static_cast<std::size_t>(nchannel)));
  while (block > 1 && !fits(block)) --block;
  if (block < 1 || !fits(block))
    throw Error(name_or(problem.name, "compute_spectra"),
                fmt::format("the tables of one channel take {} in memory, expected no more than the limit of {}",
                            bytes_text(cut(1).table_bytes + cut(1).loading_bytes), bytes_text(limit)));
  if (block < nchannel) {
    int full = block;
    while (padded(full) != full) --full;
    if (2 * full > block) block = full;
  }
  return cut(block);
}

HostObservation observation_rows(HostObservation const& all, int first, int last) {
  HostObservation part;
  part.time = rows(all.time, first, last);
  part.observer = rows(all.observer, first, last);
  part.view_point = rows(all.view_point, first, last);
  if (all.profile.size() > 0) part.profile = rows(all.profile, first, last);
  return part;
}

void check_end(RayEnd const& end, int ray, int room, std::string const& where) {
  if (end.npoint < 0)
    throw Error(where, fmt::format("ray {} has more than {} points: refraction holds it in the atmosphere", ray, room));
}

HostSpectra make_spectra(int nray, int nchannel) {
  HostSpectra spectra;
  spectra.radiance = HostArray<double**>("parhelion::ega::radiance", nray, nchannel);
  spectra.transmittance = HostArray<double**>("parhelion::ega::transmittance", nray, nchannel);
  spectra.tangent = HostArray<double* [3]>("parhelion::ega::tangent", nray);
  spectra.points = HostArray<int*>("parhelion::ega::points", nray);
  return spectra;
}

std::size_t spectra_bytes(int nray, int nchannel) {
  return static_cast<std::size_t>(nray) *
         (2 * sizeof(double) * static_cast<std::size_t>(nchannel) + 3 * sizeof(double));
}

void validate_problem(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                      std::string const& function) {
  std::string const where = name_or(problem.name, function);
  validate(atmosphere);
  validate(observation, atmosphere.nprofile());
  auto const& channels = problem.channels;
  auto const refuse = [&](std::string const& problem_text) { throw Error(where, problem_text); };
  if (problem.gases.size() != static_cast<std::size_t>(atmosphere.ngas()))
    refuse(fmt::format("the atmosphere has {} gases, expected {}", atmosphere.ngas(), problem.gases.size()));
  if (problem.gases.empty()) refuse("there are no gases, expected at least one");
  for (std::size_t g = 0; g < problem.gases.size(); ++g)
    if (find_gas({problem.gases[g]}, atmosphere.gases[g]) < 0)
      refuse(fmt::format("gas {} of the atmosphere is {}, expected {}", g, atmosphere.gases[g], problem.gases[g]));
  auto const n = channels.wavenumber.size();
  if (channels.window.size() != n || channels.filter.size() != n)
    refuse(
        fmt::format("{} channels have {} windows and {} filters", n, channels.window.size(), channels.filter.size()));
  for (std::size_t c = 0; c < n; ++c) {
    if (!(channels.wavenumber[c] > 0) || !std::isfinite(channels.wavenumber[c]))
      refuse(fmt::format("wavenumber({}) = {} cm-1, expected a positive finite number", c, channels.wavenumber[c]));
    if (channels.window[c] < 0 || channels.window[c] >= atmosphere.nwindow())
      refuse(fmt::format("window({}) = {}, expected 0 to {}", c, channels.window[c], atmosphere.nwindow() - 1));
  }
  // Nodes that nothing is given at are not looked at.
  auto const check_nodes = [&](char const* what, auto const& values, char const* name,
                               std::vector<double> const& nodes) {
    if (nodes.size() != values.extent(1))
      refuse(fmt::format("{} has {} nodes, expected {}", what, values.extent(1), nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!std::isfinite(nodes[i]) || (i > 0 && !(nodes[i] > nodes[i - 1])))
        refuse(fmt::format("{}({}) = {} cm-1, expected a finite number{}", name, i, nodes[i],
                           i > 0 ? fmt::format(" above {} cm-1", nodes[i - 1]) : ""));
  };
  if (atmosphere.has_cloud())
    check_nodes("cloud_extinction", atmosphere.cloud_extinction, "cloud_wavenumber", channels.cloud_wavenumber);
  if (atmosphere.has_surface())
    check_nodes("surface_emissivity", atmosphere.surface_emissivity, "surface_wavenumber", channels.surface_wavenumber);
  auto const& options = problem.options;
  if (!(options.step > 0) || !std::isfinite(options.step))
    refuse(fmt::format("step = {} m, expected a positive finite number", options.step));
  if (!(options.vertical_step >= 0) || !std::isfinite(options.vertical_step))
    refuse(fmt::format("vertical_step = {} m, expected a finite number, 0 for no limit", options.vertical_step));
  if (options.solar_zenith_angle && !(*options.solar_zenith_angle >= 0 && *options.solar_zenith_angle <= 180))
    refuse(fmt::format("solar_zenith_angle = {} degree, expected a number from 0 to 180", *options.solar_zenith_angle));
  if (!problem.tables) refuse("there is no provider of tables");
  if (observation.masked.size() > 0 && observation.masked.extent(1) != n)
    refuse(fmt::format("masked has {} channels, expected {}", observation.masked.extent(1), n));
  auto const balanced = in_balance(problem, atmosphere);
  for (int r = 0; r < observation.nray(); ++r) {
    double const lowest = lowest_altitude(balanced, observation.profile.size() > 0 ? observation.profile(r) : 0);
    if (observation.observer(r, 0) < lowest)
      throw Error(name_or(observation.name, function),
                  fmt::format("observer({}) is at {:g} km, expected no lower than the ground at {:g} km", r,
                              observation.observer(r, 0) / 1000, lowest / 1000));
  }
}

HostAtmosphere computed_atmosphere(Problem const& problem, HostAtmosphere const& atmosphere, OutOfRange what,
                                   OutOfRangeCounts& counts, std::string const& where) {
  counts.clear();
  auto const valid = in_valid_range(atmosphere, what, counts, name_or(atmosphere.name, where));
  if (!problem.options.hydrostatic_reference) return valid;
  // Balance gives levels other pressures.
  OutOfRangeCounts in_balance_counts;
  auto const balanced = in_valid_range(in_balance(problem, valid), what, in_balance_counts,
                                       name_or(atmosphere.name, where) + " in balance");
  for (auto const& [variable, n] : in_balance_counts)
    for (auto& [known, all] : counts)
      if (known == variable && known == "pressure") all = std::max(all, n);
  return balanced;
}

void plan_forward(Problem const& problem, HostAtmosphere const& atmosphere, int nray, HostEgaOptions const& options,
                  KeptModel& kept, HostEgaReport& report) {
  with_execution_space(options.space, [&](auto const& space) {
    using Space = std::decay_t<decltype(space)>;
    if (options.precision == Precision::float32)
      plan_parts<Space, float>(space, problem, atmosphere, nray, options, kept, SpectraPass<Space, float>(), report);
    else
      plan_parts<Space, double>(space, problem, atmosphere, nray, options, kept, SpectraPass<Space, double>(), report);
  });
  report.host_bytes += spectra_bytes(nray, problem.nchannel());
}

HostSpectra forward(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                    HostEgaOptions const& options, KeptModel& kept, HostEgaReport& report) {
  HostSpectra const spectra = make_spectra(observation.nray(), problem.nchannel());
  with_execution_space(options.space, [&](auto const& space) {
    using Space = std::decay_t<decltype(space)>;
    if (options.precision == Precision::float32)
      solve_in_parts<Space, float>(space, problem, atmosphere, observation, options, kept, SpectraPass<Space, float>(),
                                   spectra, report);
    else
      solve_in_parts<Space, double>(space, problem, atmosphere, observation, options, kept,
                                    SpectraPass<Space, double>(), spectra, report);
  });
  return spectra;
}

double brightness_temperature(double wavenumber, double radiance) {
  return model::second_radiation * wavenumber /
         std::log1p(model::first_radiation * wavenumber * wavenumber * wavenumber / radiance);
}

namespace {

// The radiance of a channel whose filter sees a black body of a temperature [K] and nothing else is no more than this,
// that at the wavenumber of the filter where the black body is brightest. Filters whose weights differ in sign have no
// such bound.
double brightest(Filter const& filter, double temperature) {
  if (filter.wavenumber.empty() ||
      std::any_of(filter.weight.begin(), filter.weight.end(), [](double w) { return w < 0; }))
    return std::numeric_limits<double>::infinity();
  constexpr double at_maximum = 2.8214393721220787;  // of x^3 / (exp(x) - 1)
  double const nu = std::clamp(at_maximum * temperature / model::second_radiation, filter.wavenumber.front(),
                               filter.wavenumber.back());
  return model::first_radiation * nu * nu * nu / std::expm1(model::second_radiation * nu / temperature);
}

// [K], of air and surface.
double warmest_of(HostAtmosphere const& atmosphere) {
  double warmest = 0;
  for (auto const& [values, n] : {std::pair(atmosphere.temperature.data(), atmosphere.temperature.size()),
                                  std::pair(atmosphere.surface_temperature.data(),
                                            atmosphere.has_surface() ? atmosphere.surface_temperature.size() : 0)})
    for (std::size_t i = 0; i < n; ++i) warmest = std::max(warmest, values[i]);
  return warmest;
}

// How much brighter than a black body the surface makes a channel: not at all, unless emissivities beyond the outermost
// wavenumbers that they are given at, where they go on linearly, are outside of 0 to 1. Below, it reflects more.
double brightened_by_surface(Problem const& problem, HostAtmosphere const& atmosphere, int channel) {
  auto const& nodes = problem.channels.surface_wavenumber;
  double most = 1;
  if (!atmosphere.has_surface() || nodes.size() < 2) return most;
  auto const at = locate(nodes, static_cast<int>(nodes.size()), problem.channels.wavenumber[channel]);
  for (int profile = 0; profile < atmosphere.nprofile(); ++profile) {
    double const emissivity = interpolate([&](int i) { return atmosphere.surface_emissivity(profile, i); }, at);
    most = std::max({most, emissivity, 1 - emissivity});
  }
  return most;
}

}  // namespace

void mind_the_impossible(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                         HostSpectra const& spectra, Air air) {
  auto const& ratios = atmosphere.mixing_ratio;
  bool const goes_on = air == Air::trial && std::any_of(ratios.data(), ratios.data() + ratios.size(),
                                                        [](double ratio) { return ratio < 0; });
  double const warmest = warmest_of(atmosphere);
  bool const bounded = problem.options.surface != SurfaceType::sunlight && warmest >= source_first_temperature &&
                       warmest <= source_last_temperature;
  // What adds up to zero in a field of view, of radiances that rise to its other side, leaves the rounding of some
  // hundred weighted terms.
  constexpr double left_of_zero = 1e-9;
  int const nray = static_cast<int>(spectra.radiance.extent(0));
  for (int c = 0; c < static_cast<int>(spectra.radiance.extent(1)); ++c) {
    // A chord of the table of sources lies no higher than its warmer end.
    double const most = bounded ? brightest(problem.channels.filter[c], warmest + source_spacing) *
                                      brightened_by_surface(problem, atmosphere, c)
                                : std::numeric_limits<double>::infinity();
    double largest = 0;
    for (int r = 0; r < nray; ++r)
      if (std::isfinite(spectra.radiance(r, c))) largest = std::max(largest, std::abs(spectra.radiance(r, c)));
    for (int r = 0; r < nray; ++r) {
      // Each gas and the continua round a few times at each point, at worst in single precision, all one way.
      double const rounding = 4. * spectra.points(r) * (problem.ngas() + 1) * std::numeric_limits<float>::epsilon();
      auto const mind = [&](double& value, char const* name, char const* unit, double least, double limit) {
        if (goes_on ? std::isfinite(value) : value >= -least && value <= limit * (1 + rounding)) return;
        if (air == Air::given)
          throw Error(name_or(observation.name, "compute_spectra"),
                      fmt::format("{}({}, {}) = {:.6g}{}, expected {}", name, r, c, value, unit,
                                  std::isfinite(limit) ? fmt::format("0 to {:.6g}{}", limit, unit)
                                                       : std::string("a finite number of at least 0")));
        value = std::numeric_limits<double>::quiet_NaN();
      };
      mind(spectra.radiance(r, c), "radiance", " W m-2 sr-1 (cm-1)-1", left_of_zero * largest, most);
      mind(spectra.transmittance(r, c), "transmittance", "", left_of_zero, 1);
    }
  }
}

namespace {

void expect_finite(HostSpectra const& spectra, HostObservation const& observation) {
  expect_values(name_or(observation.name, "compute_spectra"), spectra.radiance, "radiance", "", "a finite number",
                [](double) { return true; });
}

void apply_options(Problem const& problem, HostObservation const& observation, HostSpectra const& spectra) {
  for (int r = 0; r < static_cast<int>(spectra.radiance.extent(0)); ++r)
    for (int c = 0; c < problem.nchannel(); ++c) {
      double& radiance = spectra.radiance(r, c);
      if (problem.options.brightness_temperature)
        radiance = brightness_temperature(problem.channels.wavenumber[c], radiance);
      if (observation.masked.size() > 0 && observation.masked(r, c))
        radiance = std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace

void finish_spectra(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                    HostSpectra const& spectra, Air air) {
  mind_the_impossible(problem, atmosphere, observation, spectra, air);
  if (!(problem.field_of_view.empty() && problem.field_of_view.weight.empty())) {
    apply_field_of_view(problem.field_of_view, observation, spectra, observation.name);
    mind_the_impossible(problem, atmosphere, observation, spectra, air);
  }
  apply_options(problem, observation, spectra);
}

void finish_moved_spectra(Problem const& problem, HostObservation const& observation, HostSpectra const& spectra,
                          Air air) {
  if (air == Air::given) expect_finite(spectra, observation);
  apply_field_of_view(problem.field_of_view, observation, spectra, observation.name);
  apply_options(problem, observation, spectra);
}

HostAtmosphere in_balance(Problem const& problem, HostAtmosphere const& atmosphere) {
  if (!problem.options.hydrostatic_reference) return atmosphere;
  HostAtmosphere balanced = atmosphere;
  balanced.pressure = HostArray<double**>("parhelion::ega::pressure", atmosphere.nprofile(), atmosphere.nlev());
  Kokkos::deep_copy(balanced.pressure, atmosphere.pressure);
  make_hydrostatic(balanced, *problem.options.hydrostatic_reference);
  return balanced;
}

}  // namespace Impl

HostSpectra Impl::spectra_of(Problem const& problem, HostAtmosphere const& atmosphere,
                             HostObservation const& observation, HostEgaOptions const& options, KeptModel& kept,
                             HostEgaReport& report, Air air) {
  Kokkos::Timer const total;
  plan_forward(problem, atmosphere, observation.nray(), options, kept, report);
  if (options.before) options.before(report);
  auto const spectra = forward(problem, atmosphere, observation, options, kept, report);
  finish_spectra(problem, atmosphere, observation, spectra, air);
  report.total_seconds = total.seconds();
  return spectra;
}

namespace {

HostSpectra checked_spectra(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaOptions const& options, Impl::KeptModel& kept,
                            HostEgaReport* report) {
  Impl::validate_problem(problem, atmosphere, observation);
  HostEgaReport own;
  auto& told = report != nullptr ? *report : own;
  told = {};
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, told.out_of_range, "compute_spectra");
  return Impl::spectra_of(problem, computed, observation, options, kept, told, Impl::Air::given);
}

}  // namespace

HostEgaReport plan_spectra(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                           HostEgaOptions const& options) {
  Impl::validate_problem(problem, atmosphere, observation);
  HostEgaReport report;
  Impl::KeptModel kept;
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, report.out_of_range, "compute_spectra");
  Impl::plan_forward(problem, computed, observation.nray(), options, kept, report);
  return report;
}

HostSpectra compute_spectra(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaOptions const& options, HostEgaReport* report) {
  Impl::KeptModel of_this_call;
  return checked_spectra(problem, atmosphere, observation, options, of_this_call, report);
}

HostSpectra compute_spectra(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaReport* report) {
  auto& content = Impl::PreparedAccess::content(prepared);
  auto const spectra = checked_spectra(content.problem, atmosphere, observation, content.options, content.kept, report);
  content.forget_tables();
  return spectra;
}

namespace {

// What the surface sends to the observer in all channels.
template <class Space>
void add_surface(HostAtmosphere const& host, int profile, Model<Space, double> const& model, HostLineOfSight& sight) {
  auto const host_copy = [](auto const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  auto const source = host_copy(model.source);
  auto const number = host_copy(model.number);
  auto const coefficient = host_copy(model.coefficient);
  auto const at = Impl::source_place<double>(sight.surface_temperature);
  int const last = sight.npoint() - 1;
  for (auto* array : {&sight.surface_emissivity, &sight.surface_planck, &sight.surface_emission})
    *array = HostArray<double*>("parhelion::ega::line_of_sight", model.nchannel);
  for (int c = 0; c < model.nchannel; ++c) {
    sight.surface_emissivity(c) = 1;
    if (host.has_surface()) {
      int const nodes = static_cast<int>(host.surface_emissivity.extent(1));
      int const node = number(surface_node, c);
      sight.surface_emissivity(c) =
          linear(host.surface_emissivity(profile, node), host.surface_emissivity(profile, nodes > 1 ? node + 1 : node),
                 coefficient(surface_weight, c));
    }
    sight.surface_planck(c) = linear(source(at.index, c), source(at.index + 1, c), at.weight);
    if (at.beyond > 0) sight.surface_planck(c) *= Impl::planck_beyond(coefficient(wavenumber, c), at.beyond);
    sight.surface_emission(c) = sight.surface_emissivity(c) * sight.surface_planck(c) * sight.transmittance(last, c);
  }
}

// The one ray of the last call of a solver.
template <class Space>
HostLineOfSight to_host_sight(HostAtmosphere const& host, HostObservation const& host_observation,
                              Model<Space, double> const& model, ForwardModel<Space, double> const& solver,
                              Array<RayEnd*, Space> const& device_end, PathRecord<Space> const& record, int ray) {
  auto const host_copy = [](auto const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  auto const end = host_copy(device_end);
  auto const point = host_copy(solver.rays().point);
  auto const place = host_copy(solver.rays().place);
  Impl::check_end(end(0), ray, static_cast<int>(point.extent(1)),
                  Impl::name_or(host_observation.name, "compute_lines_of_sight"));
  HostLineOfSight sight;
  sight.ray = ray;
  int const ngas = model.ngas();
  int const nchannel = model.nchannel;
  int const n = end(0).npoint;
  int const profile = host_observation.profile.size() > 0 ? host_observation.profile(0) : 0;
  sight.tangent = end(0).tangent;
  if (end(0).surface) {
    bool const own = host.has_surface() && host.surface_temperature(profile) > 0;
    sight.surface_temperature = own ? host.surface_temperature(profile) : end(0).surface_temperature;
  }
  sight.mixing_ratio = HostArray<double**>("parhelion::ega::mixing_ratio", n, ngas);
  sight.column_density = HostArray<double**>("parhelion::ega::column_density", n, ngas);
  sight.path_transmittance = HostArray<double***>("parhelion::ega::path_transmittance", n, ngas, nchannel);
  auto const wanted = [&](HostArray<double**>& to, auto const& from_device) {
    to = HostArray<double**>("parhelion::ega::line_of_sight", n, nchannel);
    auto const from = host_copy(from_device);
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < nchannel; ++c) to(i, c) = from(0, i, c);
  };
  wanted(sight.extinction, record.extinction);
  wanted(sight.continuum, record.optical_depth);
  wanted(sight.segment_transmittance, record.segment_transmittance);
  wanted(sight.segment_emissivity, record.segment_emissivity);
  wanted(sight.planck, record.planck);
  wanted(sight.transmittance, record.transmittance);
  wanted(sight.radiance, record.radiance);
  auto const path = host_copy(record.path_transmittance);
  for (int i = 0; i < n; ++i) {
    RayPoint const& at = point(0, i);
    sight.place.push_back(to_place({place(0, i, 0), place(0, i, 1), place(0, i, 2)}));
    sight.pressure.push_back(at.pressure);
    sight.temperature.push_back(at.temperature);
    sight.length.push_back(at.length);
    int const level = clamped_index(at.position, 0, host.nlev() - 2);
    double const weight = at.position - level;
    for (int g = 0; g < ngas; ++g) {
      double const below = host.mixing_ratio(profile, g, level);
      double const q = below + weight * (host.mixing_ratio(profile, g, level + 1) - below);
      sight.mixing_ratio(i, g) = q;
      sight.column_density(i, g) = 1e-4 * q * at.pressure / (model::boltzmann * at.temperature) * at.length;
      for (int c = 0; c < nchannel; ++c) sight.path_transmittance(i, g, c) = path(0, i, g, c);
    }
    for (int c = 0; c < nchannel; ++c) {
      // Per length; a segment of no length shows none.
      double const inverse = at.length > 0 ? 1 / at.length : 0;
      sight.extinction(i, c) *= inverse;
      sight.continuum(i, c) *= inverse;
    }
  }
  if (end(0).surface && model.options.surface != SurfaceType::none) add_surface(host, profile, model, sight);
  return sight;
}

template <class Space>
std::vector<HostLineOfSight> lines_of_sight_on(Space const& space, Problem const& problem, HostAtmosphere const& host,
                                               HostObservation const& observation, std::vector<int> const& rays) {
  auto const atmosphere = make_device_atmosphere(space, host);
  RayOptions const ray_options{.step = problem.options.step, .vertical_step = problem.options.vertical_step};
  int const npoint = most_points(ray_options, atmosphere.longest_range, atmosphere.highest);
  int const ngas = problem.ngas();
  int const nchannel = problem.nchannel();
  auto const model = make_model<Space, double>(space, problem, 0, nchannel);
  ForwardModel<Space, double> const solver(space, {.nray = 1, .ngas = ngas, .nchannel = nchannel, .npoint = npoint},
                                           {.keep_places = true});
  Spectra<Space, double> const spectra{Array<double**, Space>("parhelion::ega::radiance", 1, nchannel),
                                       Array<double**, Space>("parhelion::ega::transmittance", 1, nchannel),
                                       Array<RayEnd*, Space>("parhelion::ega::end", 1)};
  auto const array = [&] { return Array<double***, Space>("parhelion::ega::record", 1, npoint, nchannel); };
  PathRecord<Space> const record{Array<double****, Space>("parhelion::ega::record", 1, npoint, ngas, nchannel),
                                 array(),
                                 array(),
                                 array(),
                                 array(),
                                 array(),
                                 array(),
                                 array()};
  std::vector<HostLineOfSight> sights;
  for (int const ray : rays) {
    auto const one = Impl::observation_rows(observation, ray, ray + 1);
    Kokkos::deep_copy(space, record.path_transmittance, 1.);
    solver.solve(space, model, atmosphere, make_device_observation(space, one), spectra, record);
    space.fence("parhelion::ega::compute_lines_of_sight");
    sights.push_back(to_host_sight(host, one, model, solver, spectra.end, record, ray));
  }
  return sights;
}

// The pass of which a part is one ray in all channels.
template <class Space>
struct SightPass : SpectraPass<Space, double> {
  static constexpr char const* where = "compute_lines_of_sight";

  static int chunk(HostEgaOptions const&, int, int) { return 1; }
  // What is recorded along the ray.
  static std::size_t record_bytes(ForwardCapacity const& capacity) {
    return sizeof(double) * static_cast<std::size_t>(capacity.npoint) * static_cast<std::size_t>(capacity.nchannel) *
           static_cast<std::size_t>(capacity.ngas + 7);
  }
  static std::size_t workspace_bytes(Space const&, ForwardCapacity const& capacity, int) {
    return ForwardModel<Space, double>::workspace_bytes(capacity, {.keep_places = true}) + record_bytes(capacity);
  }
};

// Checks the input, and says what is needed.
HostAtmosphere plan_sights(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                           std::vector<int> const& rays, HostEgaOptions const& options, HostEgaReport& report) {
  char const* const where = "compute_lines_of_sight";
  Impl::validate_problem(problem, atmosphere, observation, where);
  for (int const ray : rays)
    if (ray < 0 || ray >= observation.nray())
      throw Error(Impl::name_or(observation.name, where),
                  fmt::format("ray {}, expected 0 to {}", ray, observation.nray() - 1));
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, report.out_of_range, where);
  HostEgaOptions all_channels = options;
  all_channels.memory_limit = std::numeric_limits<std::size_t>::max();
  all_channels.progress = {};
  with_execution_space(options.space, [&](auto const& space) {
    using Space = std::decay_t<decltype(space)>;
    Impl::KeptModel kept;
    auto const cut = Impl::plan_parts<Space, double>(space, problem, computed, observation.nray(), all_channels, kept,
                                                     SightPass<Space>(), report);
    report.host_bytes +=
        (rays.size() + (runs_on_host<Space> ? 0 : 1)) * SightPass<Space>::record_bytes(cut.capacity(problem.ngas()));
  });
  return computed;
}

}  // namespace

HostEgaReport plan_lines_of_sight(Problem const& problem, HostAtmosphere const& atmosphere,
                                  HostObservation const& observation, std::vector<int> const& rays,
                                  HostEgaOptions const& options) {
  HostEgaReport report;
  plan_sights(problem, atmosphere, observation, rays, options, report);
  return report;
}

std::vector<HostLineOfSight> compute_lines_of_sight(Problem const& problem, HostAtmosphere const& atmosphere,
                                                    HostObservation const& observation, std::vector<int> const& rays,
                                                    HostEgaOptions const& options) {
  HostEgaReport report;
  auto const computed = plan_sights(problem, atmosphere, observation, rays, options, report);
  if (options.before) options.before(report);
  std::vector<HostLineOfSight> sights;
  with_execution_space(options.space, [&](auto const& space) {
    sights = lines_of_sight_on(space, problem, computed, observation, rays);
  });
  return sights;
}

}  // namespace parhelion::ega
