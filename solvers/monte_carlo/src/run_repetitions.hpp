// SPDX-License-Identifier: BSD-3-Clause
// Runs repetitions until the error is small enough, on one device or on several of one process or of several that share
// the cells.
#ifndef PARHELION_MONTE_CARLO_RUN_REPETITIONS_HPP
#define PARHELION_MONTE_CARLO_RUN_REPETITIONS_HPP

#include "batch.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace parhelion::monte_carlo::Impl {

/// \brief A part of a range of items. The sizes of parts differ by at most one, the largest are the first.
/// \param all   the range
/// \param part  0 .. parts - 1
/// \param parts number of them
/// \return a range that is empty (begin == end) if there are more parts than items
inline ItemRange part_of_range(ItemRange const& all, int part, int parts) {
  std::size_t const items = all.end - all.begin;
  auto const n = static_cast<std::size_t>(parts);
  auto const cut = [&](std::size_t i) { return all.begin + items / n * i + std::min(i, items % n); };
  return {cut(static_cast<std::size_t>(part)), cut(static_cast<std::size_t>(part) + 1)};
}

/// A single process. The ranks of a distributed run provide the same functions.
struct SingleProcess {
  static constexpr int size = 1;

  /// The items that this rank computes; none if begin == end.
  ItemRange items(std::size_t nitem) const { return {0, nitem}; }

  /// Completes an array over the items first .. first + n - 1 of nitem, of which each rank has its own.
  void gather(double* /*array*/, std::size_t /*first*/, std::size_t /*n*/, std::size_t /*nitem*/) const {}

  /// The first rank's answer to a question, on all ranks.
  template <class Question>
  bool broadcast_decision(Question const& question) const {
    return question();
  }

  /// Replaces numbers by their sums over ranks.
  void add_up(std::vector<std::int64_t>& /*numbers*/) const {}

  /// The first rank's numbers, on all ranks.
  void broadcast(double* /*numbers*/, std::size_t /*n*/) const {}

  /// Whether a condition holds on any rank.
  bool any(bool here) const { return here; }

  /// Runs an action that may throw on some ranks only; all ranks then throw, so that none waits for another for ever.
  template <class Action>
  void collectively(Action const& action) const {
    action();
  }

  /// Throws on all ranks if numbers differ between ranks.
  void require_agreement(std::string_view /*what*/, std::initializer_list<double> /*numbers*/) const {}
};

/// The number of cells and faces of walls in results.
inline std::size_t items_of(HostResults const& results) {
  std::size_t nitem = results.q.size();
  for (auto const& flux : results.wall_flux) nitem += flux.size();
  return nitem;
}

/// Completes results of which each rank has its own items. Empty arrays stay empty.
template <class Ranks>
void gather(Ranks const& ranks, HostResults const& results) {
  std::size_t const nitem = items_of(results);
  for (auto const* array : {&results.q, &results.q_error, &results.incident})
    ranks.gather(array->data(), 0, array->size(), nitem);
  std::size_t first = results.q.size();
  for (std::size_t side = 0; side < 6; ++side) {
    for (auto const* array : {&results.wall_flux[side], &results.wall_flux_error[side]})
      ranks.gather(array->data(), first, array->size(), nitem);
    first += results.wall_flux[side].size();
  }
}

/// Errors of averages over planes, of which the first rank has all, on all ranks.
template <class Ranks>
void broadcast_planes(Ranks const& ranks, HostResults const& results) {
  for (auto const& of_axis : results.q_plane_error) ranks.broadcast(of_axis.data(), of_axis.size());
  ranks.broadcast(results.q_box_error.data(), results.q_box_error.size());
}

/// The columns of a range of items.
inline Accumulators part_of(Accumulators const& all, ItemRange const& items, std::size_t nitem) {
  if (all.sum.extent(0) != static_cast<std::size_t>(quantities) || all.sum.extent(1) != nitem)
    throw Error("monte_carlo::compute_sources",
                fmt::format("sums of shape ({}, {}), expected ({}, {})", all.sum.extent(0), all.sum.extent(1),
                            int(quantities), nitem));
  std::size_t const n = items.end - items.begin;
  Accumulators part;
  part.repetitions = all.repetitions;
  part.sum = HostArray<double**>("parhelion::monte_carlo::accumulators", int(quantities), n);
  for (std::size_t q = 0; q < static_cast<std::size_t>(quantities); ++q)
    for (std::size_t i = 0; i < n; ++i) part.sum(q, i) = all.sum(q, items.begin + i);
  part.planes = all.planes;
  if (all.unfinished == 0) return part;
  if (all.rays.size() != nitem || all.unfinished_sum.extent(0) != static_cast<std::size_t>(all.unfinished) ||
      all.unfinished_sum.extent(1) != static_cast<std::size_t>(quantities) || all.unfinished_sum.extent(2) != nitem)
    throw Error("monte_carlo::compute_sources",
                fmt::format("{} unfinished repetitions, with rays of {} cells and faces and sums of shape ({}, "
                            "{}, {}), expected {} and ({}, {}, {})",
                            all.unfinished, all.rays.size(), all.unfinished_sum.extent(0), all.unfinished_sum.extent(1),
                            all.unfinished_sum.extent(2), nitem, all.unfinished, int(quantities), nitem));
  part.unfinished = all.unfinished;
  part.rays.assign(all.rays.begin() + static_cast<std::ptrdiff_t>(items.begin),
                   all.rays.begin() + static_cast<std::ptrdiff_t>(items.end));
  part.unfinished_sum =
      HostArray<double***>("parhelion::monte_carlo::unfinished_sum", all.unfinished, int(quantities), n);
  for (std::size_t r = 0; r < part.unfinished_sum.extent(0); ++r)
    for (std::size_t q = 0; q < static_cast<std::size_t>(quantities); ++q)
      for (std::size_t i = 0; i < n; ++i) part.unfinished_sum(r, q, i) = all.unfinished_sum(r, q, items.begin + i);
  return part;
}

/// The items of this process, and the devices that share them: one instance, one range and one solver of each.
template <class Space, class Real>
struct DeviceParts {
  std::vector<Space> spaces;
  std::vector<ItemRange> items;
  std::vector<ReciprocalMonteCarlo<Space, Real>> solvers;  ///< none where there are more ranks than items

  /// Calls an action with instance, items and solver of each device.
  template <class Action>
  void for_each(Action const& action) {
    for (std::size_t i = 0; i < solvers.size(); ++i) action(spaces[i], items[i], solvers[i]);
  }

  /// The share of the rays of unfinished repetitions that has been followed.
  double unfinished_fraction() const {
    double followed = 0;
    double all = 0;
    for (std::size_t i = 0; i < solvers.size(); ++i) {
      auto const n = static_cast<double>(items[i].end - items[i].begin);
      followed += n * solvers[i].unfinished_fraction();
      all += n;
    }
    return all > 0 ? followed / all : 0;
  }
};

/// \brief The sums of all devices of all ranks, of which each has its own items.
/// \param nplane     planes whose sums are known; 0: they are not
/// \param unfinished number of unfinished repetitions, the same on all ranks
template <class Space, class Real, class Ranks>
Accumulators sums_of_all(Ranks const& ranks, DeviceParts<Space, Real>& parts, std::size_t nitem, std::size_t nplane,
                         int unfinished) {
  constexpr auto nquantity = static_cast<std::size_t>(quantities);
  Accumulators all;
  std::vector<double> rays;
  ranks.collectively([&] {
    all.sum = HostArray<double**>("parhelion::monte_carlo::accumulators", int(quantities), nitem);
    if (nplane > 0) all.planes = HostArray<double**>("parhelion::monte_carlo::planes", 2, nplane + 1);
    all.unfinished = unfinished;
    if (unfinished > 0) {
      all.unfinished_sum =
          HostArray<double***>("parhelion::monte_carlo::unfinished_sum", unfinished, int(quantities), nitem);
      rays.resize(nitem);
    }
    parts.for_each([&](Space const& space, ItemRange const& items, auto const& solver) {
      Accumulators const part = solver.accumulators(space);
      if (nplane > 0) Kokkos::deep_copy(all.planes, part.planes);  // the same of each
      for (std::size_t i = 0; i < items.end - items.begin; ++i) {
        for (std::size_t q = 0; q < nquantity; ++q) all.sum(q, items.begin + i) = part.sum(q, i);
        if (unfinished == 0) continue;
        rays[items.begin + i] = part.rays[i];
        for (std::size_t r = 0; r < all.unfinished_sum.extent(0); ++r)
          for (std::size_t q = 0; q < nquantity; ++q)
            all.unfinished_sum(r, q, items.begin + i) = part.unfinished_sum(r, q, i);
      }
    });
  });
  for (std::size_t q = 0; q < nquantity; ++q) ranks.gather(all.sum.data() + q * nitem, 0, nitem, nitem);
  ranks.broadcast(all.planes.data(), all.planes.size());
  if (unfinished == 0) return all;
  ranks.gather(rays.data(), 0, nitem, nitem);
  all.rays.assign(rays.begin(), rays.end());
  for (std::size_t row = 0; row < all.unfinished_sum.extent(0) * nquantity; ++row)
    ranks.gather(all.unfinished_sum.data() + row * nitem, 0, nitem, nitem);
  return all;
}

/// \brief Adds completed repetitions to the sums of all devices of all ranks.
/// \param unfinished number of them
template <class Space, class Real, class Ranks>
void complete(Ranks const& ranks, DeviceParts<Space, Real>& parts, std::size_t nplane, int unfinished) {
  if (ranks.size == 1 && parts.solvers.size() == 1) {
    parts.solvers.front().complete(parts.spaces.front());
    return;
  }
  std::vector<std::int64_t> planes;
  ranks.collectively([&] {
    planes.assign(static_cast<std::size_t>(unfinished) * nplane, 0);
    parts.for_each([&](Space const& space, ItemRange const&, auto& solver) {
      auto const of_part = solver.plane_averages(space);
      std::transform(planes.begin(), planes.end(), of_part.begin(), planes.begin(), std::plus<>());
    });
  });
  ranks.add_up(planes);
  ranks.collectively([&] {
    parts.for_each([&](Space const& space, ItemRange const&, auto& solver) { solver.complete(space, planes); });
  });
}

/// The number of cells that rays have crossed.
inline double crossings_of(Accumulators const& sums) {
  double crossings = 0;
  for (std::size_t item = 0; item < sums.sum.extent(1); ++item) {
    crossings += sums.sum(of_crossings, item);
    for (int r = 0; r < sums.unfinished; ++r) crossings += sums.unfinished_sum(r, of_crossings, item);
  }
  return crossings;
}

/// \brief The largest number of repetitions that compute_sources() computes concurrently.
/// \param best the number that suits the device, see ReciprocalMonteCarlo::concurrent_repetitions
inline int max_concurrent_repetitions(int best, Options const& options, HostMonteCarloOptions const& host) {
  int all = options.repetitions;
  if (host.target_error > 0) all = std::max({all, host.max_repetitions, host.resume ? host.resume->planned : 0});
  return std::max(std::min(best, all), host.resume ? host.resume->accumulators.unfinished : 0);
}

/// \brief The number of devices of this process that share items.
/// \param nitem items of this process
/// \throws parhelion::Error where there are not as many devices as are asked for
template <class Space>
int devices_for(std::size_t nitem, Options const& options, HostMonteCarloOptions const& host) {
  int const devices = devices_to_use("monte_carlo", Space::name(), host.devices, number_of_devices<Space>());
  auto const most = static_cast<int>(std::clamp<std::size_t>(nitem, 1, static_cast<std::size_t>(devices)));
  if (host.devices > 0) return most;
  // Of all devices, as many as have enough to do: no fewer repetitions than one best computes concurrently.
  int busy = most;
  while (busy > 1 && ReciprocalMonteCarlo<Space, double>::concurrent_repetitions(
                         nitem / static_cast<std::size_t>(busy)) > options.repetitions)
    --busy;
  return busy;
}

/// \brief An instance on each of some devices.
/// \param space the first one
template <class Space>
std::vector<Space> instances_from(Space const& space, int devices) {
  std::vector<Space> instances{space};
  if (devices == 1) return instances;
  auto const all = instances_on_devices(space, devices, 1);
  for (std::size_t i = 1; i < all.size(); ++i) instances.push_back(all[i].front());
  return instances;
}

/// \brief The calculation of compute_sources(), after its checks. Each rank gets all results; the times, devices and
///        device_bytes of the report are its own.
/// \param spaces instances, which share the items of this rank
template <class Space, class Real, class Ranks>
void run_repetitions(std::vector<Space> const& spaces, Problem const& problem, Options const& options,
                     HostMonteCarloOptions const& host, Ranks const& ranks, HostResults& results,
                     HostMonteCarloReport& report) {
  Kokkos::Timer const setup;
  std::size_t const nitem = items_of(results);
  ItemRange const of_rank = ranks.items(nitem);
  using Solver = ReciprocalMonteCarlo<Space, Real>;
  DeviceParts<Space, Real> parts;
  auto const devices = static_cast<int>(spaces.size());
  // That of the first rank, as all ranks compute the same repetitions at a time, however many devices they have.
  double most_of_first = max_concurrent_repetitions(
      Solver::concurrent_repetitions(nitem / static_cast<std::size_t>(ranks.size * devices)), options, host);
  ranks.broadcast(&most_of_first, 1);
  int const most = static_cast<int>(most_of_first);
  int done = 0;
  int unfinished = 0;
  int all = options.repetitions;
  double crossed = 0;
  ranks.collectively([&] {
    for (int device = 0; device < devices; ++device) {
      ItemRange const items = part_of_range(of_rank, device, devices);
      if (items.begin == items.end) break;
      Space const& space = spaces[static_cast<std::size_t>(device)];
      DeviceProblem<Space, Real> const model(space, problem, options);
      auto capacity = Solver::capacity_for(problem, options, items);
      capacity.repetitions = most;
      parts.solvers.emplace_back(space, model, capacity);
      parts.spaces.push_back(space);
      parts.items.push_back(items);
      report.device_bytes = std::max(report.device_bytes, model.bytes() + parts.solvers.back().workspace_bytes());
    }
    report.devices = static_cast<int>(parts.solvers.size());
    if (!host.resume) return;
    auto const& from = host.resume->accumulators;
    parts.for_each([&](Space const& space, ItemRange const& items, Solver& solver) {
      solver.resume(space, part_of(from, items, nitem));
    });
    done = from.repetitions;
    unfinished = from.unfinished;
    crossed = crossings_of(from);
    if (host.target_error > 0) all = std::max(all, host.resume->planned);
  });
  // Checkpoints of former versions have no sums over planes.
  bool const knows_planes =
      !host.resume || host.resume->accumulators.repetitions == 0 || host.resume->accumulators.planes.size() > 0;
  if (!knows_planes) {
    results.q_plane_error = {};
    results.q_box_error = {};
  }
  std::size_t const nplane = planes_of(problem.grid);
  ranks.require_agreement("cells and faces, repetitions done, unfinished and planned, target_error",
                          {static_cast<double>(nitem), static_cast<double>(done), static_cast<double>(unfinished),
                           static_cast<double>(all), host.target_error});
  report.setup_seconds = setup.seconds();
  report.space = Space::name();

  auto const fetch = [&] {
    ranks.collectively([&] {
      parts.for_each([&](Space const& space, ItemRange const&, Solver& solver) { solver.fetch(space, results); });
    });
    gather(ranks, results);
    broadcast_planes(ranks, results);
  };
  // The error is looked at only when all planned repetitions are done, so that a run that is stopped and continued
  // looks at the same points as one that is not.
  auto const plan = [&] {
    if (host.target_error <= 0 || done < all) return;
    fetch();
    double const error = summarize(results, problem).relative_error();
    // Errors fall with the inverse square root of the number of repetitions.
    if (error > host.target_error)
      all = std::max(all, static_cast<int>(std::min<double>(
                              host.max_repetitions, std::ceil(done * std::pow(error / host.target_error, 2)) + 1)));
  };
  auto const make_checkpoint = [&] {
    Checkpoint result;
    result.planned = all;
    result.accumulators = sums_of_all(ranks, parts, nitem, knows_planes ? nplane : 0, unfinished);
    result.accumulators.repetitions = done;
    return result;
  };

  // Short repetitions are computed concurrently, which keeps a device busy on small grids. Long ones are computed in
  // parts, between which the callbacks are called.
  constexpr double short_seconds = 0.1;
  // Checkpoints take no more than this share of the time, however long one takes.
  constexpr double share_of_checkpoints = 0.05;
  bool const tells = ranks.broadcast_decision([&] { return static_cast<bool>(host.progress); });
  bool const saves = ranks.broadcast_decision([&] { return static_cast<bool>(host.on_checkpoint); });
  int at_a_time = tells || saves ? 1 : most;
  Kokkos::Timer const timer;
  Kokkos::Timer since_checkpoint;
  Kokkos::Timer since_begin;
  double until_checkpoint = host.checkpoint_seconds;
  bool go_on = true;
  ranks.collectively([&] {
    if (host.on_prepared) host.on_prepared();
  });
  plan();
  while (go_on && done < all) {
    if (unfinished == 0) {
      unfinished = std::min(at_a_time, most);
      since_begin.reset();
    }
    unfinished = std::min(unfinished, all - done);
    bool ended = true;
    ranks.collectively([&] {
      ended = Solver::advance(std::span<Space const>(parts.spaces), parts.solvers, unfinished, host.part_seconds);
    });
    double of_unfinished = unfinished * parts.unfinished_fraction();
    if (!ranks.any(!ended)) {
      complete(ranks, parts, nplane, unfinished);
      done += unfinished;
      unfinished = 0;
      of_unfinished = 0;
      if (ranks.broadcast_decision([&] { return since_begin.seconds() < short_seconds; }))
        at_a_time = std::min(2 * at_a_time, most);
      plan();
    }
    if (tells) go_on = ranks.broadcast_decision([&] { return host.progress(done + of_unfinished, all); });
    if (saves && ranks.broadcast_decision([&] { return since_checkpoint.seconds() >= until_checkpoint; })) {
      Kokkos::Timer const writing;
      Checkpoint const now = make_checkpoint();
      ranks.collectively([&] {
        if (host.on_checkpoint) host.on_checkpoint(now);
      });
      until_checkpoint = std::max(host.checkpoint_seconds, writing.seconds() / share_of_checkpoints);
      since_checkpoint.reset();
    }
  }
  fetch();
  report.solve_seconds = timer.seconds();
  report.repetitions = done;
  report.reached_error = summarize(results, problem).relative_error();
  report.checkpoint = make_checkpoint();
  report.crossings = crossings_of(report.checkpoint.accumulators);
  report.crossings_of_this_run = report.crossings - crossed;
}

/// \brief compute_sources() on ranks.
/// \param with_space calls its argument with the execution space instance, that of the first device
template <class Ranks, class WithSpace>
HostResults compute_sources_on(WithSpace const& with_space, Ranks const& ranks, Problem const& problem,
                               Options const& options, HostMonteCarloOptions const& host,
                               HostMonteCarloReport* report) {
  Kokkos::Timer const total;
  HostResults results;
  ranks.collectively([&] {
    if (!(host.target_error >= 0 && std::isfinite(host.target_error)))
      throw Error("compute_sources",
                  fmt::format("target_error = {} %, expected a finite number >= 0", host.target_error));
    validate(problem);
    validate(options);
    resolve_execution_space(host.space);
    results = make_results(problem);
    if (!options.walls) results.wall_flux = results.wall_flux_error = {};
  });
  HostMonteCarloReport own;
  with_space([&]<class Space>(Space const& space) {
    std::vector<Space> spaces;
    ranks.collectively([&] {
      ItemRange const items = ranks.items(items_of(results));
      spaces = instances_from(space, devices_for<Space>(items.end - items.begin, options, host));
    });
    if (host.precision == Precision::float32)
      run_repetitions<Space, float>(spaces, problem, options, host, ranks, results, own);
    else
      run_repetitions<Space, double>(spaces, problem, options, host, ranks, results, own);
  });
  own.total_seconds = total.seconds();
  if (report != nullptr) *report = own;
  return results;
}

/// The same on the execution space of the options.
template <class Ranks>
HostResults compute_sources_by(Ranks const& ranks, Problem const& problem, Options const& options,
                               HostMonteCarloOptions const& host, HostMonteCarloReport* report) {
  return compute_sources_on([&](auto const& run) { with_execution_space(host.space, run); }, ranks, problem, options,
                            host, report);
}

}  // namespace parhelion::monte_carlo::Impl

#endif
