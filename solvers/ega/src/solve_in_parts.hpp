// SPDX-License-Identifier: BSD-3-Clause
// The way of a calculation through a device: blocks of channels whose tables fit it, and in each of them chunks of
// rays.
#ifndef PARHELION_EGA_SOLVE_IN_PARTS_HPP
#define PARHELION_EGA_SOLVE_IN_PARTS_HPP

#include "host_forward.hpp"
#include "names.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace parhelion::ega::Impl {

/// A chunk of rays in a block of channels.
template <class Space, class Real>
struct Part {
  Model<Space, Real> model;
  Atmosphere<Space> atmosphere;
  Observation<Space> observation;
  Spectra<Space, Real> spectra;
  int first_ray;
  int first_channel;

  int nray() const { return observation.nray(); }
  int nchannel() const { return model.nchannel; }
};

/// \brief Brings the spectra of a part to their place among all.
/// \param room points that a ray may have
/// \param where opens messages
/// \throws parhelion::Error where a ray had no room for its points
template <class Space, class Real>
void store_spectra(Part<Space, Real> const& part, int room, HostSpectra const& to, std::string const& where) {
  auto const radiance = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.spectra.radiance);
  auto const transmittance = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.spectra.transmittance);
  auto const end = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.spectra.end);
  for (int r = 0; r < part.nray(); ++r) {
    int const ray = part.first_ray + r;
    check_end(end(r), ray, room, where);
    to.points(ray) = end(r).npoint;
    to.tangent(ray, 0) = end(r).tangent.altitude;
    to.tangent(ray, 1) = end(r).tangent.longitude;
    to.tangent(ray, 2) = end(r).tangent.latitude;
    for (int c = 0; c < part.nchannel(); ++c) {
      to.radiance(ray, part.first_channel + c) = static_cast<double>(radiance(r, c));
      to.transmittance(ray, part.first_channel + c) = static_cast<double>(transmittance(r, c));
    }
  }
}

/// \brief The model of channels [first, last): that of an earlier call, where it was kept, or a new one, which is kept
///        where it is of all channels.
template <class Space, class Real>
Model<Space, Real> model_of_block(Space const& space, Problem const& problem, int first, int last, KeptModel& kept,
                                  HostEgaReport& report) {
  if (auto const* const model = std::any_cast<Model<Space, Real>>(&kept.model)) return *model;
  Kokkos::Timer const load;
  auto const model = make_model<Space, Real>(space, problem, first, last);
  report.load_seconds += load.seconds();
  if (last - first == problem.nchannel()) kept.model = model;
  return model;
}

/// How rays and channels are cut for a device.
struct Cut {
  int block;   ///< channels at a time
  int chunk;   ///< rays at a time
  int npoint;  ///< that a ray may have
  ForwardCapacity capacity(int ngas) const {
    return {.nray = chunk, .ngas = ngas, .nchannel = block, .npoint = npoint};
  }
};

/// \brief Rays at a time where progress is watched: so few that it moves, and so many that the machine stays busy.
template <class Space>
int watched_chunk(Space const& space, int chunk, int nray, int block) {
  constexpr int steps = 64;
  int const busy = runs_on_host<Space> ? 8 * space.concurrency() : (1 << 20) / std::max(1, block);
  return std::min(chunk, std::max({1, busy, (nray + steps - 1) / steps}));
}

/// \brief Cuts the work of a pass over input that has been checked, and says what that needs.
/// \param kept   as for solve_in_parts
/// \param report as for plan_forward; `load_seconds` grows by what looking at tables takes
template <class Space, class Real, class Pass>
Cut plan_parts(Space const& space, Problem const& problem, HostAtmosphere const& atmosphere, int nray,
               HostEgaOptions const& options, KeptModel& kept, Pass const& pass, HostEgaReport& report) {
  std::string const where = name_or(problem.name, Pass::where);
  if (options.chunk < 0)
    throw Error(where, fmt::format("chunk = {}, expected at least 1, or 0 for a choice", options.chunk));
  report.precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
  int const nchannel = problem.nchannel();
  if (nray == 0 || nchannel == 0) return {};
  if (!kept.cut) {
    Kokkos::Timer const load;
    kept.cut = cut_channels(problem, options, lanes_of<Space>, runs_on_host<Space>);
    report.load_seconds += load.seconds();
  }
  Cut cut{kept.cut->block, pass.chunk(options, nray, kept.cut->block), 0};
  if (options.progress && options.chunk == 0) cut.chunk = watched_chunk(space, cut.chunk, nray, cut.block);
  double range = 0;
  double highest = 0;
  for (int p = 0; p < atmosphere.nprofile(); ++p) {
    double const top = atmosphere.altitude(p, atmosphere.nlev() - 1);
    range = std::max(range, top - lowest_altitude(atmosphere, p));
    highest = std::max(highest, top);
  }
  cut.npoint =
      most_points({.step = problem.options.step, .vertical_step = problem.options.vertical_step}, range, highest);

  report.space = Space::name();
  report.channels_per_block = cut.block;
  report.channel_blocks = (nchannel + cut.block - 1) / cut.block;
  report.chunk = cut.chunk;
  report.table_bytes = kept.cut->table_bytes;
  std::size_t const of_chunk =
      static_cast<std::size_t>(cut.chunk) *
      (2 * sizeof(Real) * static_cast<std::size_t>(cut.block) + sizeof(RayEnd) + 56 + pass.ray_bytes(cut.block));
  report.device_bytes = report.table_bytes + kept.cut->loading_bytes +
                        pass.workspace_bytes(space, cut.capacity(problem.ngas()), nray) + of_chunk;
  report.host_bytes = kept.cut->staging_bytes + (runs_on_host<Space> ? 0 : of_chunk);
  return cut;
}

/// \brief Solves all rays in all channels, part by part, of input that has been checked.
///
/// A pass says what is done with a part beside its spectra. It has
/// - where: name of the call, opens messages and names fences
/// - chunk(options, nray, nchannel): rays at a time, for blocks of so many channels
/// - make_solver(space, capacity, nray): what works on parts of no more than the capacity, of so many rays in all
/// - workspace_bytes(space, capacity, nray): device memory of that
/// - make_results(space, part): where more than spectra is left
/// - ray_bytes(nchannel): device memory of that for a ray
/// - solve(space, solver, part, results): enqueues the work
/// - store(part, results): brings the results to the host
/// \param kept    filled, and used where it was filled by the same problem with the same options
/// \param spectra overwritten
/// \param report  as planned; members but out_of_range and host_bytes are overwritten
template <class Space, class Real, class Pass>
void solve_in_parts(Space const& space, Problem const& problem, HostAtmosphere const& atmosphere,
                    HostObservation const& observation, HostEgaOptions const& options, KeptModel& kept,
                    Pass const& pass, HostSpectra const& spectra, HostEgaReport& report) {
  Kokkos::Timer const total;
  int const nray = observation.nray();
  int const nchannel = problem.nchannel();
  std::size_t const planned = report.host_bytes;
  Cut const cut = plan_parts<Space, Real>(space, problem, atmosphere, nray, options, kept, pass, report);
  report.host_bytes = planned;
  if (nray == 0 || nchannel == 0) return;
  int const block = cut.block;
  auto const device_atmosphere = make_device_atmosphere(space, atmosphere);
  auto const solver = pass.make_solver(space, cut.capacity(problem.ngas()), nray);
  std::string const where = name_or(observation.name, Pass::where);

  std::string const name = std::string("parhelion::ega::") + Pass::where;
  std::int64_t done = 0;
  std::int64_t const all = static_cast<std::int64_t>(nray) * nchannel;
  if (options.progress) options.progress(done, all);
  for (int first = 0; first < nchannel; first += block) {
    int const last = std::min(first + block, nchannel);
    auto const model = model_of_block<Space, Real>(space, problem, first, last, kept, report);
    for (int ray = 0; ray < nray; ray += cut.chunk) {
      int const number = std::min(cut.chunk, nray - ray);
      auto const label = [&](char const* array) {
        return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::ega::") + array);
      };
      Part<Space, Real> const part{model,
                                   device_atmosphere,
                                   make_device_observation(space, observation_rows(observation, ray, ray + number)),
                                   {Array<Real**, Space>(label("radiance"), number, last - first),
                                    Array<Real**, Space>(label("transmittance"), number, last - first),
                                    Array<RayEnd*, Space>(label("end"), number)},
                                   ray,
                                   first};
      auto const results = pass.make_results(space, part);
      space.fence(name);
      Kokkos::Timer const solve;
      pass.solve(space, solver, part, results);
      space.fence(name);
      report.solve_seconds += solve.seconds();
      store_spectra(part, cut.npoint, spectra, where);
      pass.store(part, results);
      done += static_cast<std::int64_t>(number) * (last - first);
      if (options.progress) options.progress(done, all);
    }
  }
  report.total_seconds = total.seconds();
}

}  // namespace parhelion::ega::Impl

#endif
