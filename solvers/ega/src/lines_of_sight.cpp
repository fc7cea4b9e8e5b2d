// SPDX-License-Identifier: BSD-3-Clause
// Model quantities at each point of single rays.
#include "block_run.hpp"
#include "host_forward.hpp"
#include "names.hpp"
#include "source.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/ega/forward_model.hpp>
#include <parhelion/ega/jurassic_constants.hpp>

#include <fmt/format.h>

#include <any>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace parhelion::ega {

namespace {

constexpr char const* function = "compute_lines_of_sight";

using Host = Kokkos::DefaultHostExecutionSpace;

// The contribution of the surface to the radiance in all channels.
template <class Space>
void add_surface(HostAtmosphere const& host, int profile, Model<Space, double> const& model, HostLineOfSight& sight) {
  auto const source = host_copy(model.source);
  auto const index = host_copy(model.indices);
  auto const coefficients = host_copy(model.coefficients);
  auto const coefficient = [&](ChannelCoefficient which, int c) { return coefficients(static_cast<int>(which), c); };
  auto const at = Impl::source_place<double>(sight.surface_temperature);
  int const last = sight.npoint() - 1;
  for (auto* array : {&sight.surface_emissivity, &sight.surface_planck, &sight.surface_emission})
    *array = HostArray<double*>("parhelion::ega::line_of_sight", model.nchannel);
  for (int c = 0; c < model.nchannel; ++c) {
    sight.surface_emissivity(c) = 1;
    if (host.has_surface()) {
      int const nodes = static_cast<int>(host.surface_emissivity.extent(1));
      int const node = index(static_cast<int>(ChannelIndex::surface_node), c);
      sight.surface_emissivity(c) =
          linear(host.surface_emissivity(profile, node), host.surface_emissivity(profile, nodes > 1 ? node + 1 : node),
                 coefficient(ChannelCoefficient::surface_weight, c));
    }
    sight.surface_planck(c) = linear(source(at.index, c), source(at.index + 1, c), at.weight);
    if (at.beyond > 0)
      sight.surface_planck(c) *= Impl::planck_beyond(coefficient(ChannelCoefficient::wavenumber, c), at.beyond);
    sight.surface_emission(c) = sight.surface_emissivity(c) * sight.surface_planck(c) * sight.transmittance(last, c);
  }
}

// The result of one ray.
HostLineOfSight to_host_sight(HostAtmosphere const& host, ForwardResult<Host, double> const& result, int ray,
                              int profile) {
  auto const& record = result.path;
  auto const& tangent = result.spectra.tangent;
  HostLineOfSight sight;
  sight.ray = ray;
  int const ngas = record.gas_transmittance.extent_int(2);
  int const nchannel = record.gas_transmittance.extent_int(3);
  int const n = result.spectra.npoint(0);
  sight.tangent = {tangent.altitude(0), tangent.longitude(0), tangent.latitude(0)};
  if (record.surface_air(0) > 0) {
    bool const own = host.has_surface() && host.surface_temperature(profile) > 0;
    sight.surface_temperature = own ? host.surface_temperature(profile) : record.surface_air(0);
  }
  sight.mole_fraction = HostArray<double**>("parhelion::ega::mole_fraction", n, ngas);
  sight.column_density = HostArray<double**>("parhelion::ega::column_density", n, ngas);
  sight.path_transmittance = HostArray<double***>("parhelion::ega::path_transmittance", n, ngas, nchannel);
  auto const wanted = [&](HostArray<double**>& to, HostArray<double***> const& from) {
    to = HostArray<double**>("parhelion::ega::line_of_sight", n, nchannel);
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < nchannel; ++c) to(i, c) = from(0, i, c);
  };
  wanted(sight.extinction, record.extinction);
  wanted(sight.continuum, record.optical_depth);
  wanted(sight.segment_transmittance, record.segment_transmittance);
  wanted(sight.segment_emissivity, record.segment_emissivity);
  wanted(sight.planck, record.planck);
  wanted(sight.transmittance, record.path_transmittance);
  wanted(sight.radiance, record.path_radiance);
  for (int i = 0; i < n; ++i) {
    double const pressure = record.pressure(0, i);
    double const temperature = record.temperature(0, i);
    double const length = record.length(0, i);
    double const position = record.position(0, i);
    sight.place.push_back(to_place({record.place(0, i, 0), record.place(0, i, 1), record.place(0, i, 2)}));
    sight.pressure.push_back(pressure);
    sight.temperature.push_back(temperature);
    sight.length.push_back(length);
    int const level = clamped_index(position, 0, host.nlev() - 2);
    double const weight = position - level;
    for (int g = 0; g < ngas; ++g) {
      double const below = host.mole_fraction(profile, g, level);
      double const q = below + weight * (host.mole_fraction(profile, g, level + 1) - below);
      sight.mole_fraction(i, g) = q;
      sight.column_density(i, g) = 1e-4 * q * pressure / (jurassic_constants::boltzmann * temperature) * length;
      for (int c = 0; c < nchannel; ++c) sight.path_transmittance(i, g, c) = record.gas_transmittance(0, i, g, c);
    }
    for (int c = 0; c < nchannel; ++c) {
      // Per length; 0 for a segment of length 0.
      double const inverse = length > 0 ? 1 / length : 0;
      sight.extinction(i, c) *= inverse;
      sight.continuum(i, c) *= inverse;
    }
  }
  return sight;
}

// All channels are one block, and every ray is a separate call.
HostEgaOptions sight_options(HostEgaOptions options) {
  options.memory_limit = std::numeric_limits<std::size_t>::max();
  options.chunk = 1;
  options.devices = 1;
  options.progress = {};
  return options;
}

template <class Space>
Impl::BlockRun<ForwardModel<Space, double>> sight_run(Space const& space, Impl::Call const& call,
                                                      Impl::KeptModel& kept) {
  return {space, call, kept, {.function = function, .tuning = {.nray = 1}, .paths = true}};
}

// Bytes of the record along a ray.
std::size_t record_bytes(Dimensions const& sizes) {
  std::size_t values = 0;
  for (auto const& description : descriptions_of<PathRecord<Host>>()) {
    std::size_t n = 1;
    for (int d = 1; d < description.rank(); ++d)
      n *= static_cast<std::size_t>(sizes[description.dimensions[static_cast<std::size_t>(d)]]);
    values += n;
  }
  return values * sizeof(double);
}

// Checks the input and plans the work.
HostAtmosphere plan_sights(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                           std::vector<int> const& rays, HostEgaOptions const& options, Impl::KeptModel& kept,
                           HostEgaReport& report) {
  Impl::validate_problem(problem, atmosphere, observation, function);
  for (int const ray : rays)
    if (ray < 0 || ray >= observation.nray())
      throw Error(Impl::name_or(observation.name, function),
                  fmt::format("ray {}, expected 0 to {}", ray, observation.nray() - 1));
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, report.out_of_range, function);
  auto const of_sights = sight_options(options);
  with_execution_space(options.space, [&]<class Space>(Space const& space) {
    auto run = sight_run(space, Impl::Call{problem, computed, observation, of_sights}, kept);
    run.plan(report);
    report.plan.host_bytes += (rays.size() + 1) * record_bytes(run.sizes(problem.nchannel()));
  });
  return computed;
}

template <class Space>
std::vector<HostLineOfSight> lines_of_sight_on(Space const& space, Impl::Call const& call, std::vector<int> const& rays,
                                               Impl::KeptModel& kept) {
  using S = ForwardModel<Space, double>;
  std::vector<HostLineOfSight> sights;
  auto run = sight_run(space, call, kept);
  HostEgaReport report;
  run.plan(report);
  run.for_each_block(report, [&](HostDriver<S>& driver, int, int nchannel) {
    auto sizes = run.sizes(nchannel);
    sizes.set(dimension::ray, 1);
    auto const result = Impl::make_host_arrays<ForwardResult<Host, double>>(sizes, true);
    auto const model = std::any_cast<std::vector<Model<Space, double>>>(kept.models).front();
    for (int const ray : rays) {
      run.solve(driver, ray, 1, nchannel, array_refs(result), result.spectra.npoint, report);
      int const profile = call.observation.profile.size() > 0 ? call.observation.profile(ray) : 0;
      auto sight = to_host_sight(call.atmosphere, result, ray, profile);
      if (sight.surface_temperature > 0 && model.options.surface != SurfaceType::none)
        add_surface(call.atmosphere, profile, model, sight);
      sights.push_back(sight);
    }
  });
  return sights;
}

}  // namespace

HostEgaReport plan_lines_of_sight(Problem const& problem, HostAtmosphere const& atmosphere,
                                  HostObservation const& observation, std::vector<int> const& rays,
                                  HostEgaOptions const& options) {
  HostEgaReport report;
  Impl::KeptModel kept;
  plan_sights(problem, atmosphere, observation, rays, options, kept, report);
  return report;
}

std::vector<HostLineOfSight> compute_lines_of_sight(Problem const& problem, HostAtmosphere const& atmosphere,
                                                    HostObservation const& observation, std::vector<int> const& rays,
                                                    HostEgaOptions const& options) {
  HostEgaReport report;
  Impl::KeptModel kept;
  auto const computed = plan_sights(problem, atmosphere, observation, rays, options, kept, report);
  if (options.on_plan) options.on_plan(report);
  auto const of_sights = sight_options(options);
  std::vector<HostLineOfSight> sights;
  with_execution_space(options.space, [&](auto const& space) {
    sights = lines_of_sight_on(space, Impl::Call{problem, computed, observation, of_sights}, rays, kept);
  });
  return sights;
}

}  // namespace parhelion::ega
