// SPDX-License-Identifier: BSD-3-Clause
// How the Monte Carlo solver scales over MPI ranks, a rank a GPU, or a rank a core or several on CPUs.
//
//   mpirun -n N perf_monte_carlo_scaling [--cells N] [--rays N] [--repetitions N] [--real float|double] [--weak]
//                                        [--calls N] [--output report.json]
//
// Strong scaling: the same cells whatever the number of ranks. Weak: --cells are those of one rank; cells and box grow
// along z, which is periodic, with the number of ranks, so that cells keep their size and each rank its number of rays.
// Results of strong runs are the same bits for any number of ranks: their checksum shows it.
//
// Google Benchmark is not made for this: each process would choose how often it repeats what all have to do together.
#include "machine.hpp"
#include "monte_carlo_problem.hpp"

#include <parhelion/monte_carlo/distributed.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;

struct Arguments {
  int cells = 64;
  int calls = 5;
  std::string real = "float";
  bool weak = false;
  std::string output;
  Options options;
};

struct World {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  // among those of this host
};

World world() {
  World result;
  MPI_Comm_rank(MPI_COMM_WORLD, &result.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &result.size);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &result.local_rank);
  MPI_Comm_free(&host);
  return result;
}

/// Ranks of a host take its devices in turn, whichever program started them: Kokkos knows the ranks of some only.
Kokkos::InitializationSettings device_of(World const& self) {
  Kokkos::InitializationSettings settings;
  int const devices = Kokkos::num_devices();
  if (devices > 0) settings.set_device_id(self.local_rank % devices);
  return settings;
}

/// Where a rank runs, of fixed size to be gathered.
struct Place {
  char host[MPI_MAX_PROCESSOR_NAME] = {};
  int device = -1;  ///< as Kokkos counts them; -1: it runs on the host
};

std::vector<Place> places(World const& self) {
  Place own;
  int length = 0;
  MPI_Get_processor_name(own.host, &length);
  own.device = Kokkos::device_id();
  std::vector<Place> all(static_cast<std::size_t>(self.size));
  MPI_Gather(&own, sizeof(Place), MPI_BYTE, all.data(), sizeof(Place), MPI_BYTE, 0, MPI_COMM_WORLD);
  return all;
}

Problem problem_for(Arguments const& arguments, World const& self) {
  int const n = arguments.cells;
  if (!arguments.weak) return Perf::monte_carlo_problem({n, n, n});
  Problem problem = Perf::monte_carlo_problem({n, n, n * self.size});
  auto& z = problem.grid.faces[2];
  z = uniform_faces(n * self.size, z.back() * self.size);
  return problem;
}

/// FNV-1a of all bits of the results.
std::uint64_t checksum(HostResults const& results) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  auto const add = [&](auto const& array) {
    auto const* const bytes = reinterpret_cast<unsigned char const*>(array.data());
    for (std::size_t i = 0; i < array.size() * sizeof(double); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3U;
  };
  add(results.q);
  add(results.q_error);
  add(results.incident);
  for (std::size_t side = 0; side < 6; ++side) {
    add(results.wall_flux[side]);
    add(results.wall_flux_error[side]);
  }
  return hash;
}

/// Seconds of a call.
struct Call {
  double all = 0;      ///< until the last rank is done
  double slowest = 0;  ///< the longest time that a rank computes
  double fastest = 0;
  std::vector<double> compute;  ///< of each rank, on rank 0

  double gather() const { return all - slowest; }
};

struct Measured {
  Call median;
  double setup = 0;      ///< of the slowest rank
  double items = 0;      ///< cells and faces
  double crossings = 0;  ///< of a call
  std::uint64_t hash = 0;
};

template <class Real>
Measured measure(Arguments const& arguments, World const& self) {
  using Space = Kokkos::DefaultExecutionSpace;
  Options const& options = arguments.options;
  auto const problem = problem_for(arguments, self);
  auto const results = make_results(problem);
  std::size_t nitem = results.q.size();
  for (auto const& flux : results.wall_flux) nitem += flux.size();
  ItemRange const items = items_of_rank(nitem, self.rank, self.size);
  if (items.begin == items.end) throw std::runtime_error("more ranks than cells");

  Space const space;
  double const before = MPI_Wtime();
  using Solver = ReciprocalMonteCarlo<Space, Real>;
  Solver solver(space, DeviceProblem<Space, Real>(space, problem, options),
                Solver::capacity_for(problem, options, items));
  double const setup = MPI_Wtime() - before;

  auto const call = [&] {
    Call result;
    MPI_Barrier(MPI_COMM_WORLD);
    double const begin = MPI_Wtime();
    solver.restart(space);
    solver.accumulate(space, options.repetitions);
    space.fence();
    double const compute = MPI_Wtime() - begin;
    solver.fetch(space, results);
    gather_results(MPI_COMM_WORLD, results, 0);
    double const all = MPI_Wtime() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&all, &result.all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&compute, &result.slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&compute, &result.fastest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    result.compute.resize(static_cast<std::size_t>(self.size));
    MPI_Gather(&compute, 1, MPI_DOUBLE, result.compute.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return result;
  };
  call();  // allocates, and sets up connections
  std::vector<Call> calls;
  for (int i = 0; i < arguments.calls; ++i) calls.push_back(call());
  auto const middle = calls.begin() + static_cast<std::ptrdiff_t>((calls.size() - 1) / 2);
  std::nth_element(calls.begin(), middle, calls.end(), [](Call const& a, Call const& b) { return a.all < b.all; });

  Measured measured;
  measured.median = *middle;
  measured.items = static_cast<double>(nitem);
  MPI_Allreduce(&setup, &measured.setup, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double const crossings = solver.crossings(space);
  MPI_Allreduce(&crossings, &measured.crossings, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (self.rank == 0) {
    validate(results, problem);
    measured.hash = checksum(results);
  }
  return measured;
}

std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

void report(Arguments const& arguments, World const& self, std::vector<Place> const& where, Measured const& measured) {
  Options const& options = arguments.options;
  Call const& median = measured.median;
  int const nz = arguments.weak ? arguments.cells * self.size : arguments.cells;
  std::string const scaling = arguments.weak ? "weak" : "strong";
  std::string const space = Kokkos::DefaultExecutionSpace::name();
  std::string const hash = fmt::format("{:016x}", measured.hash);
  double const rays = measured.items * (options.rays / options.repetitions) * options.repetitions;
  double const rate = measured.crossings / median.all;
  std::string devices;
  for (std::size_t r = 0; r < where.size(); ++r) devices += fmt::format("{}{}", r == 0 ? "" : ",", where[r].device);
  fmt::print(
      "{} ranks={} devices={} {} {} {} cells={}x{}x{} rays={} repetitions={} time={:.6f}s compute={:.6f}..{:.6f}s "
      "gather={:.6f}s setup={:.3f}s crossings/s={:.4g} checksum={}\n",
      scaling, self.size, devices, space, arguments.real, Perf::monte_carlo_case(), arguments.cells, arguments.cells,
      nz, options.rays, options.repetitions, median.all, median.fastest, median.slowest, median.gather(),
      measured.setup, rate, hash);
  if (arguments.output.empty()) return;

  std::string json = "{\n  \"context\": {\n";
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  for (auto const& [key, value] : Perf::description_of_run())
    json += fmt::format("    {}: {},\n", quoted(key), quoted(value));
  json += fmt::format("    \"mpi\": {}\n  }},\n  \"places\": [\n", quoted(version));
  for (std::size_t r = 0; r < where.size(); ++r)
    json += fmt::format("    {{\"rank\": {}, \"host\": {}, \"device\": {}, \"compute_s\": {:.9g}}}{}\n", r,
                        quoted(where[r].host), where[r].device, median.compute[r], r + 1 < where.size() ? "," : "");
  json += fmt::format(
      "  ],\n  \"scaling\": {}, \"ranks\": {}, \"space\": {}, \"real\": {}, \"case\": {},\n  \"cells\": [{}, {}, {}], "
      "\"rays\": {}, \"repetitions\": {}, \"calls\": {},\n",
      quoted(scaling), self.size, quoted(space), quoted(arguments.real), quoted(Perf::monte_carlo_case()),
      arguments.cells, arguments.cells, nz, options.rays, options.repetitions, arguments.calls);
  json += fmt::format(
      "  \"time_s\": {:.9g}, \"slowest_compute_s\": {:.9g}, \"fastest_compute_s\": {:.9g}, \"gather_s\": {:.9g}, "
      "\"setup_s\": {:.9g},\n  \"rays_in_all\": {:.0f}, \"crossings\": {:.0f}, \"crossings/s\": {:.9g},\n  "
      "\"checksum\": {}\n}}\n",
      median.all, median.slowest, median.fastest, median.gather(), measured.setup, rays, measured.crossings, rate,
      quoted(hash));
  std::ofstream file(arguments.output);
  file << json;
  file.close();
  if (!file) throw std::runtime_error(arguments.output + ": cannot be written");
}

int run(int argc, char** argv) {
  World const self = world();
  constexpr int bad_usage = 2;
  Arguments arguments;
  CLI::App program("Scaling of the Monte Carlo solver over MPI ranks", "perf_monte_carlo_scaling");
  program.option_defaults()->always_capture_default();
  program.add_option("--cells", arguments.cells, "Cells along each axis; with --weak of one rank")
      ->check(CLI::Range(1, 1024));
  program.add_option("--rays", arguments.options.rays, "Rays of a cell over all repetitions")
      ->check(CLI::PositiveNumber);
  program.add_option("--repetitions", arguments.options.repetitions, "Repetitions")->check(CLI::Range(2, 4096));
  program.add_option("--real", arguments.real, "Precision")->check(CLI::IsMember({"float", "double"}));
  program.add_flag("--weak", arguments.weak, "Cells along z and the box's length grow with the number of ranks");
  program.add_option("--calls", arguments.calls, "Calls that are timed; the median counts")->check(CLI::Range(1, 1000));
  program.add_option("--output", arguments.output, "JSON report");
  try {
    program.parse(argc, argv);
  } catch (CLI::Success const& request) {  // --help
    return self.rank == 0 ? program.exit(request) : 0;
  } catch (CLI::ParseError const& error) {
    if (self.rank == 0) fmt::print(stderr, "perf_monte_carlo_scaling: {}\n", error.what());
    return bad_usage;
  }

  Kokkos::ScopeGuard const guard(device_of(self));
  try {
    auto const where = places(self);
    auto const measured =
        arguments.real == "float" ? measure<float>(arguments, self) : measure<double>(arguments, self);
    if (self.rank == 0) report(arguments, self, where, measured);
  } catch (std::exception const& error) {
    // Others may wait for this rank in a collective call.
    fmt::print(stderr, "perf_monte_carlo_scaling: rank {}: {}\n", self.rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const status = run(argc, argv);
  MPI_Finalize();
  return status;
}
