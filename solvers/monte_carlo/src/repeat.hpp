// SPDX-License-Identifier: BSD-3-Clause
// Repetitions until the error is small enough, by one process or by several that divide the cells among themselves.
#ifndef PARHELION_MONTE_CARLO_REPEAT_HPP
#define PARHELION_MONTE_CARLO_REPEAT_HPP

#include "solver_kernels.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace parhelion::monte_carlo::Impl {

/// Root mean square of the errors, in percent of the largest source.
inline double relative_error(HostResults const& results) {
  double square = 0;
  double largest = 0;
  std::size_t const n = results.q.size();
  for (std::size_t i = 0; i < n; ++i) {
    square += results.q_error.data()[i] * results.q_error.data()[i];
    largest = std::max(largest, std::abs(results.q.data()[i]));
  }
  double const rms = std::sqrt(square / static_cast<double>(std::max<std::size_t>(n, 1)));
  return largest > 0 ? 100 * rms / largest : 0;
}

/// One process. Ranks of several provide the same functions.
struct Alone {
  static constexpr int size = 1;

  /// The items that this rank computes; none where begin == end.
  Share share(std::size_t nitem) const { return {0, nitem}; }

  /// Completes an array over the items first .. first + n - 1 of nitem, of which this rank knows those of its share.
  void gather(double* /*array*/, std::size_t /*first*/, std::size_t /*n*/, std::size_t /*nitem*/) const {}

  /// What the first rank says to a question.
  template <class Question>
  bool decide(Question const& question) const {
    return question();
  }

  /// Whether something holds on any rank.
  bool any(bool here) const { return here; }

  /// Does what may throw on some ranks only; then all throw, so that none waits for one that has left.
  template <class Action>
  void together(Action const& action) const {
    action();
  }

  /// Refuses, on all ranks, numbers that differ between ranks.
  void agree(std::string_view /*what*/, std::initializer_list<double> /*numbers*/) const {}
};

/// Cells and faces of walls that results are of.
inline std::size_t items_of(HostResults const& results) {
  std::size_t nitem = results.q.size();
  for (auto const& flux : results.wall_flux) nitem += flux.size();
  return nitem;
}

/// Completes results of which each rank has those of its share. Arrays that are empty stay so.
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

/// The columns of a share.
inline Sums part_of(Sums const& all, Share const& share, std::size_t nitem) {
  if (all.sum.extent(0) != static_cast<std::size_t>(quantities) || all.sum.extent(1) != nitem)
    throw Error("monte_carlo::compute_sources",
                fmt::format("sums of shape ({}, {}), expected ({}, {})", all.sum.extent(0), all.sum.extent(1),
                            int(quantities), nitem));
  std::size_t const items = share.end - share.begin;
  Sums part;
  part.repetitions = all.repetitions;
  part.sum = HostArray<double**>("parhelion::monte_carlo::sums", int(quantities), items);
  for (std::size_t q = 0; q < static_cast<std::size_t>(quantities); ++q)
    for (std::size_t i = 0; i < items; ++i) part.sum(q, i) = all.sum(q, share.begin + i);
  if (all.begun == 0) return part;
  if (all.rays.size() != nitem || all.of_begun.extent(0) != static_cast<std::size_t>(all.begun) ||
      all.of_begun.extent(1) != static_cast<std::size_t>(quantities) || all.of_begun.extent(2) != nitem)
    throw Error("monte_carlo::compute_sources",
                fmt::format("{} repetitions that have begun, with rays of {} cells and faces and sums of shape ({}, "
                            "{}, {}), expected {} and ({}, {}, {})",
                            all.begun, all.rays.size(), all.of_begun.extent(0), all.of_begun.extent(1),
                            all.of_begun.extent(2), nitem, all.begun, int(quantities), nitem));
  part.begun = all.begun;
  part.rays.assign(all.rays.begin() + static_cast<std::ptrdiff_t>(share.begin),
                   all.rays.begin() + static_cast<std::ptrdiff_t>(share.end));
  part.of_begun = HostArray<double***>("parhelion::monte_carlo::of_begun", all.begun, int(quantities), items);
  for (std::size_t r = 0; r < part.of_begun.extent(0); ++r)
    for (std::size_t q = 0; q < static_cast<std::size_t>(quantities); ++q)
      for (std::size_t i = 0; i < items; ++i) part.of_begun(r, q, i) = all.of_begun(r, q, share.begin + i);
  return part;
}

/// \brief The sums of all ranks, of which each knows those of its share; the same repetitions have begun on all.
/// \param begun repetitions; 0 where none has begun
/// \param rays  those of a repetition
template <class Space, class Real, class Ranks>
Sums sums_of_all(Ranks const& ranks, std::optional<ReciprocalMonteCarlo<Space, Real>> const& solver, Space const& space,
                 Share const& share, std::size_t nitem, int begun) {
  constexpr auto nquantity = static_cast<std::size_t>(quantities);
  Sums all;
  std::vector<double> rays;
  ranks.together([&] {
    all.sum = HostArray<double**>("parhelion::monte_carlo::sums", int(quantities), nitem);
    all.begun = begun;
    if (begun > 0) {
      all.of_begun = HostArray<double***>("parhelion::monte_carlo::of_begun", begun, int(quantities), nitem);
      rays.resize(nitem);
    }
    if (!solver) return;
    Sums const part = solver->sums(space);
    for (std::size_t i = 0; i < share.end - share.begin; ++i) {
      for (std::size_t q = 0; q < nquantity; ++q) all.sum(q, share.begin + i) = part.sum(q, i);
      if (begun == 0) continue;
      rays[share.begin + i] = part.rays[i];
      for (std::size_t r = 0; r < all.of_begun.extent(0); ++r)
        for (std::size_t q = 0; q < nquantity; ++q) all.of_begun(r, q, share.begin + i) = part.of_begun(r, q, i);
    }
  });
  for (std::size_t q = 0; q < nquantity; ++q) ranks.gather(all.sum.data() + q * nitem, 0, nitem, nitem);
  if (begun == 0) return all;
  ranks.gather(rays.data(), 0, nitem, nitem);
  all.rays.assign(rays.begin(), rays.end());
  for (std::size_t row = 0; row < all.of_begun.extent(0) * nquantity; ++row)
    ranks.gather(all.of_begun.data() + row * nitem, 0, nitem, nitem);
  return all;
}

/// Cells that rays have crossed.
inline double crossings_of(Sums const& sums) {
  double crossings = 0;
  for (std::size_t item = 0; item < sums.sum.extent(1); ++item) {
    crossings += sums.sum(of_crossings, item);
    for (int r = 0; r < sums.begun; ++r) crossings += sums.of_begun(r, of_crossings, item);
  }
  return crossings;
}

/// \brief Repetitions that compute_sources() works on together, at most.
/// \param together as many as are best, see ReciprocalMonteCarlo
inline int most_together(int together, Options const& options, HostMonteCarloOptions const& host) {
  int all = options.repetitions;
  if (host.target_error > 0) all = std::max({all, host.most_repetitions, host.resume ? host.resume->planned : 0});
  return std::max(std::min(together, all), host.resume ? host.resume->sums.begun : 0);
}

/// \brief What compute_sources() does behind its checks. Each rank gets all results; report's times and device_bytes
/// are its own.
template <class Space, class Real, class Ranks>
void repeat(Space const& space, Problem const& problem, Options const& options, HostMonteCarloOptions const& host,
            Ranks const& ranks, HostResults const& results, HostMonteCarloReport& report) {
  Kokkos::Timer const setup;
  std::size_t const nitem = items_of(results);
  Share const share = ranks.share(nitem);
  using Solver = ReciprocalMonteCarlo<Space, Real>;
  std::optional<Solver> solver;  // none where there are more ranks than items
  int const most = most_together(Solver::together(nitem / static_cast<std::size_t>(ranks.size)), options, host);
  int done = 0;
  int begun = 0;
  int all = options.repetitions;
  double crossed = 0;
  ranks.together([&] {
    if (share.begin < share.end) {
      DeviceProblem<Space, Real> const model(space, problem, options);
      auto capacity = Solver::capacity_for(problem, options, share);
      capacity.repetitions = most;
      solver.emplace(space, model, capacity);
      report.device_bytes = model.bytes() + solver->workspace_bytes();
    }
    if (!host.resume) return;
    auto const part = part_of(host.resume->sums, share, nitem);
    if (solver) solver->resume(space, part);
    done = part.repetitions;
    begun = part.begun;
    crossed = crossings_of(host.resume->sums);
    if (host.target_error > 0) all = std::max(all, host.resume->planned);
  });
  ranks.agree("cells and faces, repetitions done, begun and planned, target_error",
              {static_cast<double>(nitem), static_cast<double>(done), static_cast<double>(begun),
               static_cast<double>(all), host.target_error});
  report.setup_seconds = setup.seconds();
  report.space = space.name();

  auto const fetch = [&] {
    ranks.together([&] {
      if (solver) solver->fetch(space, results);
    });
    gather(ranks, results);
  };
  // Looks only where all are done: a run that was stopped and goes on then looks where it would have looked anyway.
  auto const plan = [&] {
    if (host.target_error <= 0 || done < all) return;
    fetch();
    double const error = relative_error(results);
    // Errors fall as one over the root of the number of repetitions.
    if (error > host.target_error)
      all = std::max(all, static_cast<int>(std::min<double>(
                              host.most_repetitions, std::ceil(done * std::pow(error / host.target_error, 2)) + 1)));
  };
  auto const pause = [&] {
    Pause result;
    result.planned = all;
    result.sums = sums_of_all(ranks, solver, space, share, nitem, begun);
    result.sums.repetitions = done;
    return result;
  };

  // Short repetitions go together, which keeps a device busy on small grids; long ones are worked on in parts, between
  // which those who are told or asked do not wait long.
  constexpr double short_seconds = 0.1;
  // Not much of the time goes into checkpoints, however long one takes.
  constexpr double share_of_checkpoints = 0.05;
  bool const tells = ranks.decide([&] { return static_cast<bool>(host.progress); });
  bool const saves = ranks.decide([&] { return static_cast<bool>(host.checkpoint); });
  int at_a_time = tells || saves ? 1 : most;
  Kokkos::Timer const timer;
  Kokkos::Timer since_checkpoint;
  Kokkos::Timer since_begin;
  double until_checkpoint = host.checkpoint_seconds;
  bool go_on = true;
  ranks.together([&] {
    if (host.prepared) host.prepared();
  });
  plan();
  while (go_on && done < all) {
    if (begun == 0) {
      begun = std::min(at_a_time, most);
      since_begin.reset();
    }
    begun = std::min(begun, all - done);
    bool ended = true;
    ranks.together([&] { ended = !solver || solver->advance(space, begun, host.part_seconds); });
    double of_begun = solver ? begun * solver->share_of_begun() : 0;
    if (!ranks.any(!ended)) {
      ranks.together([&] {
        if (solver) solver->complete(space);
      });
      done += begun;
      begun = 0;
      of_begun = 0;
      if (ranks.decide([&] { return since_begin.seconds() < short_seconds; }))
        at_a_time = std::min(2 * at_a_time, most);
      plan();
    }
    if (tells) go_on = ranks.decide([&] { return host.progress(done + of_begun, all); });
    if (saves && ranks.decide([&] { return since_checkpoint.seconds() >= until_checkpoint; })) {
      Kokkos::Timer const writing;
      Pause const now = pause();
      ranks.together([&] {
        if (host.checkpoint) host.checkpoint(now);
      });
      until_checkpoint = std::max(host.checkpoint_seconds, writing.seconds() / share_of_checkpoints);
      since_checkpoint.reset();
    }
  }
  fetch();
  report.solve_seconds = timer.seconds();
  report.repetitions = done;
  report.reached_error = relative_error(results);
  report.pause = pause();
  report.crossings = crossings_of(report.pause.sums);
  report.crossings_of_this_run = report.crossings - crossed;
}

/// \brief compute_sources() by ranks.
template <class Ranks>
HostResults compute_by(Ranks const& ranks, Problem const& problem, Options const& options,
                       HostMonteCarloOptions const& host, HostMonteCarloReport* report) {
  Kokkos::Timer const total;
  HostResults results;
  ranks.together([&] {
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
  with_execution_space(host.space, [&]<class Space>(Space const& space) {
    if (host.precision == Precision::float32)
      repeat<Space, float>(space, problem, options, host, ranks, results, own);
    else
      repeat<Space, double>(space, problem, options, host, ranks, results, own);
  });
  own.total_seconds = total.seconds();
  if (report != nullptr) *report = own;
  return results;
}

}  // namespace parhelion::monte_carlo::Impl

#endif
