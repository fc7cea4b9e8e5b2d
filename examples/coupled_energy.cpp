// SPDX-License-Identifier: BSD-3-Clause
// A flow with radiation: the temperature of a gas between a hot and a cold wall, with conduction, a given wind along x,
// and the radiative source. It is computed every few steps, while the flow continues with the previous one. First with
// rays whose sums over the box are accurate enough to check that energy is conserved, then with fewer rays, to see how
// far their noise moves the mean temperature, by which cells share directions.
#include <parhelion/parhelion.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using Space = Kokkos::DefaultExecutionSpace;
using Field = HostArray<double***>;

constexpr double heat_capacity = 430;               // of the gas per volume [J m-3 K-1]
constexpr double conductivity = 50;                 // effective, with eddies [W m-1 K-1]
constexpr double wind = 2;                          // in the middle [m s-1]
constexpr double wall_temperature[] = {1200, 700};  // [K]

/// One explicit finite-volume step in a box that is periodic along x and z and has walls across y.
/// \return heat that left through the walls by conduction [J]
double step(Grid const& grid, Field const& old, Field const& source, double dt, bool blows, Field const& now) {
  int const n[3] = {grid.ncell(0), grid.ncell(1), grid.ncell(2)};
  double const d[3] = {grid.width(0, 0), grid.width(1, 0), grid.width(2, 0)};
  double lost = 0;
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k) {
        double const t = old(i, j, k);
        double const west = old((i + n[0] - 1) % n[0], j, k), east = old((i + 1) % n[0], j, k);
        double const back = old(i, j, (k + n[2] - 1) % n[2]), front = old(i, j, (k + 1) % n[2]);
        // Heat flux into the cell through a face [W m-2] times its area over the volume.
        double gain = conductivity * ((west + east - 2 * t) / (d[0] * d[0]) + (back + front - 2 * t) / (d[2] * d[2]));
        for (int side = 0; side < 2; ++side) {
          int const next = side == 0 ? j - 1 : j + 1;
          bool const wall = next < 0 || next == n[1];
          double const flux = wall ? conductivity * (wall_temperature[side] - t) / (d[1] / 2)
                                   : conductivity * (old(i, next, k) - t) / d[1];
          gain += flux / d[1];
          if (wall) lost -= flux * d[0] * d[2] * dt;
        }
        double const y = grid.centre(1, j);
        if (blows) gain += heat_capacity * wind * 4 * y * (1 - y) * (west - t) / d[0];
        now(i, j, k) = t + dt * (gain - source(i, j, k)) / heat_capacity;
      }
  return lost;
}

/// A stable time step [s].
double time_step(int cells) { return 0.25 * heat_capacity / conductivity / (6. * cells * cells); }

double total(Grid const& grid, Field const& field) {
  double sum = 0;
  for (std::size_t i = 0; i < field.size(); ++i) sum += field.data()[i];
  return sum * grid.length(0) * grid.length(1) * grid.length(2) / static_cast<double>(field.size());
}

/// A box, and how its gas and its radiation are computed.
struct Flow {
  int cells, steps, every;
  bool blows;
  Problem problem;
};

Flow make_flow(int cells, int steps, int every, bool blows) {
  Flow flow{cells, steps, every, blows, {}};
  auto& problem = flow.problem;  // its spectrum is a weighted sum of grey gases, which needs no file
  problem.grid.faces = {uniform_faces(cells, 1), uniform_faces(cells, 1), uniform_faces(cells, 1)};
  for (std::size_t side : {0U, 1U, 4U, 5U}) problem.boundaries[side].type = BoundaryType::periodic;
  for (std::size_t side : {0U, 1U}) problem.boundaries[2 + side].temperature = wall_temperature[side];
  Field const now("temperature", cells, cells, cells);
  double const pi = std::acos(-1.);
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j)
      for (int k = 0; k < cells; ++k)
        now(i, j, k) = 950 + 80 * std::cos(2 * pi * problem.grid.centre(0, i)) *
                                 std::sin(pi * problem.grid.centre(1, j)) *
                                 std::cos(2 * pi * problem.grid.centre(2, k));
  problem.temperature = now;
  return flow;
}

/// \brief The flow with the radiation of independent directions, whose sums have errors that are known.
/// \return the mean temperature at the end [K]
double check_energy(Flow const& flow, Options const& options) {
  auto const& [cells, steps, every, blows, problem] = flow;
  Field now("temperature", cells, cells, cells), next("next", cells, cells, cells);
  Kokkos::deep_copy(now, problem.temperature);
  Space const space;
  using Solver = ReciprocalMonteCarlo<Space, float>;
  Solver solver(space, DeviceProblem<Space, float>(space, problem, options), Solver::capacity_for(problem, options));
  auto const radiation = make_results(problem);

  auto const enqueue = [&](int number) {
    solver.set_temperature(space, now);
    solver.restart(space, number * options.repetitions);  // other rays each time: errors do not add up
    solver.accumulate(space, options.repetitions);
  };
  double const volume = 1. / (1. * cells * cells * cells);
  double const area = 1. / (1. * cells * cells);
  // Radiation through the walls [W], and the variance of its difference to the loss of the gas.
  auto const through_walls = [&](double& variance) {
    double sum = 0;
    variance = 0;
    for (std::size_t i = 0; i < radiation.q.size(); ++i) variance += std::pow(radiation.q_error.data()[i] * volume, 2);
    for (std::size_t side : {2U, 3U})
      for (std::size_t i = 0; i < radiation.wall_flux[side].size(); ++i) {
        sum += (side == 3 ? area : -area) * radiation.wall_flux[side].data()[i];
        variance += std::pow(radiation.wall_flux_error[side].data()[i] * area, 2);
      }
    return sum;
  };

  // Radiation alone, for its time and for the first steps.
  enqueue(0);
  space.fence();
  Kokkos::Timer const alone;
  enqueue(0);
  space.fence();
  double const radiation_seconds = alone.seconds();
  solver.fetch(space, radiation);

  double const dt = time_step(cells);
  double const before = heat_capacity * total(problem.grid, now);
  double conducted = 0, radiated = 0, variance = 0, exchanged = 0, flow_seconds = 0, steps_variance = 0;
  double wall_power = through_walls(steps_variance);
  int solves = 0, known_for = 0;
  Kokkos::Timer const all;
  for (int s = 0; s < steps; ++s) {
    if (s % every == 0) {
      if (s > 0) {  // what was enqueued `every` steps ago
        variance += steps_variance * std::pow(known_for * dt, 2);
        known_for = 0;
        solver.fetch(space, radiation);
        wall_power = through_walls(steps_variance);
      }
      enqueue(++solves);
    }
    Kokkos::Timer const flow;
    conducted += step(problem.grid, now, radiation.q, dt, blows, next);
    std::swap(now, next);
    flow_seconds += flow.seconds();
    ++known_for;
    radiated += wall_power * dt;
    for (std::size_t i = 0; i < radiation.q.size(); ++i) exchanged += std::abs(radiation.q.data()[i]) * volume * dt;
  }
  variance += steps_variance * std::pow(known_for * dt, 2);
  space.fence();
  double const seconds = all.seconds();

  double const after = heat_capacity * total(problem.grid, now);
  double const drift = (after - before + conducted + radiated) / exchanged;
  double const error = std::sqrt(variance) / exchanged;
  std::printf("gas %+.1f J, conduction through the walls %.1f J, radiation through the walls %.1f J\n", after - before,
              conducted, radiated);
  std::printf("energy drift %.3f %% of %.1f J exchanged by radiation, stochastic error %.3f %%\n", 100 * drift,
              exchanged, 100 * error);
  std::printf("energy is %s\n", std::abs(drift) <= 3 * error ? "conserved" : "NOT conserved");
  if (runs_on_host<Space>)
    std::printf("hidden behind radiation: 0 %% of the flow's time: %s works before accumulate() returns\n",
                Space::name());
  else
    std::printf("hidden behind radiation: %.0f %% of the flow's time\n",
                100 * std::clamp((solves * radiation_seconds + flow_seconds - seconds) / flow_seconds, 0., 1.));
  return total(problem.grid, now);
}

/// \brief The flow with the radiation of other rays.
/// \param seed  of the random numbers
/// \param error set to what the reported errors of the box's average make of the mean temperature [K]
/// \return the mean temperature at the end [K]
double mean_temperature(Flow const& flow, Options options, std::uint64_t seed, double& error) {
  options.seed = seed;
  Field now("temperature", flow.cells, flow.cells, flow.cells), next("next", flow.cells, flow.cells, flow.cells);
  Kokkos::deep_copy(now, flow.problem.temperature);
  Space const space;
  using Solver = ReciprocalMonteCarlo<Space, float>;
  Solver solver(space, DeviceProblem<Space, float>(space, flow.problem, options),
                Solver::capacity_for(flow.problem, options));
  auto radiation = make_results(flow.problem);
  radiation.wall_flux = radiation.wall_flux_error = {};
  double variance = 0;
  for (int s = 0; s < flow.steps; ++s) {
    if (s % flow.every == 0) {
      solver.set_temperature(space, now);
      solver.restart(space, s / flow.every * options.repetitions);
      solver.accumulate(space, options.repetitions);
      solver.fetch(space, radiation);
      double const seconds = std::min(flow.every, flow.steps - s) * time_step(flow.cells);
      variance += std::pow(radiation.q_box_error(0) * seconds / heat_capacity, 2);
    }
    step(flow.problem.grid, now, radiation.q, time_step(flow.cells), flow.blows, next);
    std::swap(now, next);
  }
  error = std::sqrt(variance);
  return total(flow.problem.grid, now);
}

}  // namespace

// coupled_energy [CELLS [STEPS [EVERY [WIND]]]]
int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  auto const argument = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  Flow const flow = make_flow(std::max(2, argument(1, 8)), std::max(1, argument(2, 40)), std::max(1, argument(3, 5)),
                              argument(4, 1) != 0);
  Options options;
  options.rays = 512;
  options.repetitions = 8;
  options.directions = Directions::independent;  // errors of neighbouring cells cancel in sums
  options.ray_origin = RayOrigin::volume;        // means of cells, whose sum agrees with the fluxes at walls,
  options.grids = 1;                             // most closely if distant cells are not coarsened
  options.tolerance = 1e-4;
  options.coldest = 600;  // temperatures that the gas may come to have
  options.warmest = 1300;
  double const precise = check_energy(flow, options);

  // What noise that cells have in common does to the mean temperature.
  options.rays = 64;
  options.walls = false;
  constexpr int runs = 4;
  std::printf("drift of the mean temperature from that with 512 independent rays, by 64 rays of\n");
  for (auto const directions : {Directions::shared, Directions::tiles, Directions::independent}) {
    options.directions = directions;
    double square = 0, reported = 0;
    for (int run = 0; run < runs; ++run) {
      double error = 0;
      square += std::pow(mean_temperature(flow, options, 100U + static_cast<unsigned>(run), error) - precise, 2) / runs;
      reported += error * error / runs;
    }
    char const* const names[] = {"each cell's own directions", "directions that all cells share",
                                 "directions of tiles, the default"};
    std::printf("  %-34s %8.4f K (by the reported errors %.4f K)\n", names[static_cast<int>(directions)],
                std::sqrt(square), std::sqrt(reported));
  }
}
