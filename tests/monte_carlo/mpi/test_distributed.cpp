// SPDX-License-Identifier: BSD-3-Clause
// Several processes compute the same bits as one. Started by mpirun with any number of processes.
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/distributed.hpp>

#include "comparisons.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using Testing::same_bits;

int failures = 0;
int rank = 0;

void expect(bool holds, std::string const& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
}

void expect_same(HostResults const& a, HostResults const& b, std::string const& what) {
  expect(same_bits(a.q, b.q), what + ": q");
  for (std::size_t axis = 0; axis < 3; ++axis)
    expect(same_bits(a.q_plane_error[axis], b.q_plane_error[axis]), what + ": planes across " + axis_names[axis]);
  expect(same_bits(a.q_box_error, b.q_box_error), what + ": box");
  expect(same_bits(a.q_error, b.q_error), what + ": q_error");
  expect(same_bits(a.incident, b.incident), what + ": incident");
  for (std::size_t side = 0; side < 6; ++side) {
    expect(same_bits(a.wall_flux[side], b.wall_flux[side]), what + ": wall_flux." + side_names[side]);
    expect(same_bits(a.wall_flux_error[side], b.wall_flux_error[side]), what + ": wall_flux_error." + side_names[side]);
  }
}

// Walls across x and y, one with a temperature for each face, and one that is a mirror.
Problem small_box(int nx, int ny, int nz) {
  Problem problem;
  problem.grid.faces = {uniform_faces(nx, 1), stretched_faces(ny, 1, 1), uniform_faces(nz, 1)};
  problem.temperature = HostArray<double***>("temperature", nx, ny, nz);
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k) problem.temperature(i, j, k) = 600 + 100 * i + 30 * j - 20 * k;
  problem.boundaries[0].temperature = 900;
  problem.boundaries[3].face_temperature = HostArray<double**>("faces", nx, nz);
  for (int i = 0; i < nx; ++i)
    for (int k = 0; k < nz; ++k) problem.boundaries[3].face_temperature(i, k) = 500 + 50 * i + 25 * k;
  problem.boundaries[4].type = problem.boundaries[5].type = BoundaryType::periodic;
  return problem;
}

void test_same_as_alone() {
  auto const problem = small_box(5, 4, 3);
  for (Directions const directions : {Directions::independent, Directions::shared, Directions::tiles})
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      std::string const kind = std::string(directions == Directions::shared  ? "shared"
                                           : directions == Directions::tiles ? "tiles"
                                                                             : "independent") +
                               (precision == Precision::float32 ? ", float" : ", double");
      Options options;
      options.rays = 3 * 32;
      options.repetitions = 3;
      options.directions = directions;
      HostMonteCarloOptions host;
      host.precision = precision;
      HostMonteCarloReport alone, together;
      auto const expected = compute_sources(problem, options, host, &alone);
      auto const found = compute_distributed(MPI_COMM_WORLD, problem, options, host, &together);
      expect_same(expected, found, kind);
      validate(found, problem);
      expect(same_bits(alone.checkpoint.accumulators.sum, together.checkpoint.accumulators.sum), kind + ": sums");
      expect(alone.crossings == together.crossings, kind + ": crossings");
      expect(together.repetitions == 3, kind + ": repetitions");

      // Stopped by rank 0 after one repetition, however long that takes, and resumed from sums.
      int calls = 0;
      host.part_seconds = 1e6;
      host.progress = [&](double, int) {
        ++calls;
        return false;
      };
      compute_distributed(MPI_COMM_WORLD, problem, options, host, &together);
      expect(together.repetitions == 1, kind + ": stopped");
      expect(calls == (rank == 0 ? 1 : 0), kind + ": progress on rank 0");
      host.progress = nullptr;
      host.resume = together.checkpoint;
      expect_same(expected, compute_distributed(MPI_COMM_WORLD, problem, options, host), kind + ", resumed");
      host.resume.reset();

      // Stopped within a repetition, gone on by all and by one.
      host.part_seconds = 0;
      calls = 0;
      host.progress = [&](double, int) { return ++calls < 3; };  // the first repetition has far more parts
      compute_distributed(MPI_COMM_WORLD, problem, options, host, &together);
      expect(together.checkpoint.accumulators.unfinished == 1 && together.repetitions < 3,
             kind + ": stopped within a repetition");
      host.progress = nullptr;
      host.part_seconds = 0.5;
      host.resume = together.checkpoint;
      expect_same(expected, compute_distributed(MPI_COMM_WORLD, problem, options, host), kind + ", gone on by all");
      expect_same(expected, compute_sources(problem, options, host), kind + ", gone on by one");
      host.resume.reset();

      // As many repetitions as one process finds that it needs.
      host.target_error = 2;
      auto const precise = compute_sources(problem, options, host, &alone);
      expect_same(precise, compute_distributed(MPI_COMM_WORLD, problem, options, host, &together),
                  kind + ", with a target");
      expect(alone.repetitions == together.repetitions, kind + ": repetitions with a target");

      options.walls = false;
      host.target_error = 0;
      auto const gas = compute_distributed(MPI_COMM_WORLD, problem, options, host);
      expect(same_bits(expected.q, gas.q), kind + ": q without walls");
      expect(gas.wall_flux[0].size() == 0, kind + ": fluxes that were not asked for");
    }
}

// One cell, no walls: all but one rank have nothing to do.
void test_more_ranks_than_cells() {
  auto problem = small_box(1, 1, 1);
  Boundary periodic;
  periodic.type = BoundaryType::periodic;
  problem.boundaries.fill(periodic);
  Options options;
  options.rays = 16;
  options.repetitions = 2;
  expect_same(compute_sources(problem, options), compute_distributed(MPI_COMM_WORLD, problem, options), "one cell");
}

void test_ranges() {
  for (std::size_t const n : {0U, 1U, 7U, 60U})
    for (int const size : {1, 2, 3, 8}) {
      std::size_t next = 0;
      for (int r = 0; r < size; ++r) {
        ItemRange const part = items_of_rank(n, r, size);
        expect(part.begin == next, "ranges are contiguous");
        std::size_t const items = part.end - part.begin;
        auto const ranks = static_cast<std::size_t>(size);
        expect(items == n / ranks || items == (n + ranks - 1) / ranks, "ranges have the same size");
        next = part.end;
      }
      expect(next == n, "ranges cover all items");
    }
}

void test_refusals() {
  Options options;
  options.tolerance = 2;
  try {
    compute_distributed(MPI_COMM_WORLD, small_box(2, 2, 2), options);
    expect(false, "options are refused");
  } catch (Error const& error) {
    expect(std::string(error.what()) == "validate: tolerance = 2, expected (0, 1)", error.what());
  }
}

/// The message of the exception of a call; empty if there is none.
template <class Call>
std::string thrown_by(Call const& call) {
  try {
    call();
  } catch (std::exception const& error) {
    return error.what();
  }
  return {};
}

// An exception on one rank ends the call on all ranks, and the next call works.
void test_failure_of_one_rank() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const last = size - 1;
  auto const problem = small_box(4, 3, 2);
  Options options;
  options.rays = 32;
  options.repetitions = 4;
  auto const compute_together = [&](Options const& own_options, HostMonteCarloOptions const& host) {
    return compute_distributed(MPI_COMM_WORLD, problem, own_options, host);
  };
  auto const expect_failure = [&](int who, std::string const& reason, std::string const& found) {
    std::string const expected =
        rank == who ? reason : "compute_distributed: rank " + std::to_string(who) + " failed: " + reason;
    expect(found == expected, "'" + found + "', expected '" + expected + "'");
  };

  HostMonteCarloOptions host;
  host.progress = [](double, int) -> bool { throw std::runtime_error("stopped by progress"); };
  expect_failure(0, "stopped by progress", thrown_by([&] { compute_together(options, host); }));

  host = {};
  host.checkpoint_seconds = 0;
  host.on_checkpoint = [&](Checkpoint const&) {
    if (rank == last) throw std::runtime_error("no space left");
  };
  expect_failure(last, "no space left", thrown_by([&] { compute_together(options, host); }));

  Options refused = options;
  if (rank == last) refused.tolerance = 2;
  expect_failure(last, "validate: tolerance = 2, expected (0, 1)", thrown_by([&] { compute_together(refused, {}); }));

  host = {};
  if (rank == last) host.space = "abacus";
  std::string const reason = thrown_by([] { resolve_execution_space("abacus"); });
  expect_failure(last, reason, thrown_by([&] { compute_together(options, host); }));

  host = {};
  host.resume.emplace();
  host.resume->accumulators.sum =
      HostArray<double**>("sums", 4, rank == 0 ? 1 : problem.grid.size() + 2 * 3 * 2 + 2 * 4 * 2);
  std::string const found = thrown_by([&] { compute_together(options, host); });
  expect(found.find("sums of shape (4, 1)") != std::string::npos, "'" + found + "', expected a refusal of the sums");

  if (size > 1) {
    Options differ = options;
    if (rank == last) differ.repetitions = 2;
    expect(thrown_by([&] { compute_together(differ, {}); }).find("ranks differ in one of") != std::string::npos,
           "repetitions that differ are refused");
  }

  expect_same(compute_sources(problem, options), compute_together(options, {}), "after failures");
}

// Solvers that a program keeps, their results gathered on one rank or on all.
void test_gather_results() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  auto const problem = small_box(5, 4, 3);
  Options options;
  options.rays = 32;
  options.repetitions = 2;
  auto const expected = compute_sources(problem, options);
  Kokkos::DefaultExecutionSpace const space;
  for (int const root : {-1, 0, size - 1}) {
    auto const results = make_results(problem);
    std::size_t nitem = results.q.size();
    for (auto const& flux : results.wall_flux) nitem += flux.size();
    using Solver = ReciprocalMonteCarlo<Kokkos::DefaultExecutionSpace, double>;
    Solver solver(space, DeviceProblem<Kokkos::DefaultExecutionSpace, double>(space, problem, options),
                  Solver::capacity_for(problem, options, items_of_rank(nitem, rank, size)));
    while (!solver.advance(space, options.repetitions, 1)) {
    }
    // With the averages over planes of all ranks each one knows their errors.
    auto planes = solver.plane_averages(space);
    MPI_Allreduce(MPI_IN_PLACE, planes.data(), static_cast<int>(planes.size()), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    solver.complete(space, planes);
    solver.fetch(space, results);
    gather_results(MPI_COMM_WORLD, results, root);
    if (root < 0 || rank == root) expect_same(expected, results, "gathered by " + std::to_string(root));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    test_ranges();
    test_same_as_alone();
    test_more_ranks_than_cells();
    test_refusals();
    test_failure_of_one_rank();
    test_gather_results();
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d failures\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
