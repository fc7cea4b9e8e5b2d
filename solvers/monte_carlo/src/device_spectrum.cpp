// SPDX-License-Identifier: BSD-3-Clause
#include "device_spectrum.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/interpolate.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::monte_carlo::Impl {

namespace {

constexpr int max_nodes = 4096;
constexpr int hilbert_cells = 1024;

// The tolerated error of the table.
Tabulated tabulate(Spectrum const& spectrum, Options const& options, double t_low, double t_high) {
  if (options.nodes > 0) return spectrum.tabulate(t_low, t_high, options.nodes);
  constexpr double tolerance = 2e-5;
  return spectrum.tabulate_within(t_low, t_high, tolerance, max_nodes);
}

// The position along the Hilbert curve of a cell of n x n cells, n a power of two. Each step of the loop descends into
// the quarter that contains the cell, rotating or mirroring the coordinates.
std::int64_t along_hilbert(int n, int x, int y) {
  std::int64_t way = 0;
  for (int half = n / 2; half > 0; half /= 2) {
    int const right = (x & half) != 0 ? 1 : 0;
    int const upper = (y & half) != 0 ? 1 : 0;
    way += std::int64_t(half) * half * (right != 0 ? 3 - upper : upper);
    if (upper == 0) {
      if (right != 0) {
        x = n - 1 - x;
        y = n - 1 - y;
      }
      std::swap(x, y);
    }
  }
  return way;
}

// Points in their order along the spectral coordinate from 0 to 1.
std::vector<int> order_of(std::vector<double> const& probability, std::vector<double> const& absorption,
                          SpectralOrder order) {
  auto const n = probability.size();
  std::vector<int> by_absorption(n);
  std::iota(by_absorption.begin(), by_absorption.end(), 0);
  if (order == SpectralOrder::table) return by_absorption;
  std::stable_sort(by_absorption.begin(), by_absorption.end(), [&](int a, int b) {
    return absorption[static_cast<std::size_t>(a)] < absorption[static_cast<std::size_t>(b)];
  });
  if (order == SpectralOrder::absorption) return by_absorption;
  // The position of each point on both axes: the probability of all points before it plus half of its own.
  std::vector<int> x(n);
  std::vector<int> y(n);
  auto const place = [&](double& before, double own) {
    int const cell = clamped_index((before + own / 2) * hilbert_cells, 0, hilbert_cells - 1);
    before += own;
    return cell;
  };
  double before = 0;
  for (int const s : by_absorption)
    x[static_cast<std::size_t>(s)] = place(before, probability[static_cast<std::size_t>(s)]);
  before = 0;
  for (std::size_t s = 0; s < n; ++s) y[s] = place(before, probability[s]);
  std::vector<std::int64_t> way(n);
  for (std::size_t s = 0; s < n; ++s) way[s] = along_hilbert(hilbert_cells, x[s], y[s]);
  std::vector<int> result = by_absorption;
  std::stable_sort(result.begin(), result.end(),
                   [&](int a, int b) { return way[static_cast<std::size_t>(a)] < way[static_cast<std::size_t>(b)]; });
  return result;
}

template <class Space, class Real>
struct Upload {
  Space space;

  template <class T, class Values>
  Array<T*, Space> operator()(std::string const& name, Values const& values) const {
    Array<T*, Space> const to(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::monte_carlo::" + name),
                              std::max<std::size_t>(values.size(), 1));
    auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), to);
    for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<T>(values[i]);
    copy_array(space, to, host);
    space.fence("parhelion::monte_carlo::upload");
    return to;
  }
};

// Points of probability 0 are left out: their emission and absorption do not contribute.
template <class Space, class Real>
Choice<Space, Real> make_choice(Space const& space, std::vector<double> probability,
                                std::vector<double> const& absorption, SpectralOrder order, double solid_angle) {
  double const sum = std::accumulate(probability.begin(), probability.end(), 0.);
  for (double& p : probability) p = sum > 0 ? p / sum : 1. / static_cast<double>(probability.size());
  std::vector<int> const places = order_of(probability, absorption, order);
  std::vector<int> drawn;
  std::vector<double> cumulative;
  std::vector<double> weight(probability.size(), 0.);
  double before = 0;
  for (int const s : places) {
    double const p = probability[static_cast<std::size_t>(s)];
    if (p <= 0) continue;
    before += p;
    drawn.push_back(s);
    cumulative.push_back(before);
    weight[static_cast<std::size_t>(s)] = solid_angle / p;
  }
  cumulative.back() = 1;
  Upload<Space, Real> const upload{space};
  return {upload.template operator()<double>("cumulative", cumulative), upload.template operator()<int>("order", drawn),
          upload.template operator()<Real>("weight", weight)};
}

// The temperatures of a side for which sources are tabulated.
int nodes_of_walls(ProblemNumbers const& numbers) {
  constexpr int nodes = 512;
  bool const many =
      std::any_of(numbers.faces.begin(), numbers.faces.end(), [](auto const& faces) { return faces.has_value(); });
  return many ? nodes : 1;
}

template <class Space, class Real>
DeviceWalls<Space, Real> make_walls(Space const& space, Problem const& problem, ProblemNumbers const& numbers,
                                    double t_low, double t_high) {
  DeviceWalls<Space, Real> walls;
  std::vector<double> temperature;
  int const n = nodes_of_walls(numbers);
  int const npoint = problem.spectrum.npoint();
  walls.source = Array<Real***, Space>(Kokkos::view_alloc(space, "parhelion::monte_carlo::wall_source"), 6, npoint, n);
  auto const source = Kokkos::create_mirror_view(Kokkos::HostSpace(), walls.source);
  for (std::size_t side = 0; side < 6; ++side) {
    Boundary const& boundary = problem.boundaries[side];
    walls.is_wall[side] = boundary.is_wall();
    if (!boundary.is_wall()) continue;
    walls.emissivity[side] = static_cast<Real>(boundary.emissivity);
    walls.first_face[side] = static_cast<int>(temperature.size());
    auto const [n0, n1] = face_extents(problem.grid, static_cast<int>(side));
    if (numbers.faces[side]) walls.stride[side] = static_cast<int>(n1);
    temperature.insert(temperature.end(), numbers.faces[side] ? n0 * n1 : 1, boundary.temperature);
    auto const [coldest, warmest] = numbers.faces[side].value_or(Extremes{boundary.temperature, boundary.temperature});
    walls.looked_up[side] = coldest >= t_low && warmest <= t_high;
    double const spacing = n > 1 ? (warmest - coldest) / (n - 1) : 0;
    walls.first[side] = static_cast<Real>(coldest);
    walls.inverse_spacing[side] = spacing > 0 ? static_cast<Real>(1 / spacing) : Real(0);
    for (int i = 0; i < n; ++i) {
      // A wall of one temperature has one column of values.
      if (i > 0 && spacing == 0) {
        for (int s = 0; s < npoint; ++s) source(side, s, i) = source(side, s, 0);
        continue;
      }
      auto const values = problem.spectrum.sources(coldest + i * spacing);
      for (int s = 0; s < npoint; ++s) source(side, s, i) = static_cast<Real>(values[static_cast<std::size_t>(s)]);
    }
  }
  copy_array(space, walls.source, source);
  space.fence("parhelion::monte_carlo::make_walls");
  walls.temperature = Upload<Space, Real>{space}.template operator()<Real>("wall_temperature", temperature);
  return walls;
}

// A bound of what a ray can add to the source of a cell [W m-3]: solid angle times absorption coefficient times source,
// over the probability of the point.
double largest_value(Problem const& problem, ProblemNumbers const& numbers, Tabulated const& table,
                     std::vector<double> const& weight_of_point, std::vector<double> const& sources) {
  double const sum = std::accumulate(weight_of_point.begin(), weight_of_point.end(), 0.);
  double const amount =
      (numbers.mole_fraction ? numbers.mole_fraction->highest : 1) * problem.pressure / reference_pressure;
  double largest = 0;
  for (int s = 0; s < table.npoint(); ++s) {
    double const probability = weight_of_point[static_cast<std::size_t>(s)] / sum;
    if (!(probability > 0)) continue;
    double absorption = 0;
    for (int i = 0; i < table.nnode(); ++i) absorption = std::max(absorption, table.absorption(s, i));
    largest = std::max(largest, absorption * amount * sources[static_cast<std::size_t>(s)] / probability);
  }
  // Twice the solid angle: the parabolas of sources may exceed the largest one.
  return 8 * std::numbers::pi * largest;
}

// The largest distance between two walls; if there are no walls, the shortest side of the box.
double largest_distance(Problem const& problem) {
  double largest = 0;
  double smallest = problem.grid.length(0);
  for (int axis = 0; axis < 3; ++axis) {
    smallest = std::min(smallest, problem.grid.length(axis));
    if (problem.boundaries[static_cast<std::size_t>(2 * axis)].is_wall())
      largest = std::max(largest, problem.grid.length(axis));
  }
  return largest > 0 ? largest : smallest;
}

}  // namespace

TemperatureRange table_range(Problem const& problem, ProblemNumbers const& numbers, Options const& options) {
  auto const [coldest, warmest] = numbers.temperature;
  TemperatureRange const range = problem.spectrum.temperature_range();
  // Between the centres of cells, and towards walls, the gas may be warmer or colder than at the centres.
  double low = coldest - 0.1 * (warmest - coldest);
  double high = warmest + 0.1 * (warmest - coldest);
  for (std::size_t i = 0; i < problem.boundaries.size(); ++i) {
    auto const& side = problem.boundaries[i];
    if (!side.is_wall() || numbers.faces[i] || !range.holds(side.temperature)) continue;
    // Walls that are much colder or warmer than the gas do not extend the range.
    if (side.temperature > coldest - (warmest - coldest)) low = std::min(low, side.temperature);
    if (side.temperature < warmest + (warmest - coldest)) high = std::max(high, side.temperature);
  }
  if (options.coldest > 0) low = std::min(low, options.coldest);
  if (options.warmest > 0) high = std::max(high, options.warmest);
  low = std::max(low, range.lowest);
  high = std::min(high, range.highest);
  if (high > low) return {low, high};
  // A single temperature: any interval around it will do.
  double const wider = std::max(1., 1e-3 * high);
  return {std::max(range.lowest, low - wider), std::min(range.highest, high + wider)};
}

int nodes_of_table(Problem const& problem, ProblemNumbers const& numbers, Options const& options) {
  auto const [low, high] = table_range(problem, rounded(numbers), options);
  return tabulate(problem.spectrum, options, low, high).nnode();
}

std::size_t wall_sources(Problem const& problem, ProblemNumbers const& numbers) {
  return 6 * static_cast<std::size_t>(problem.spectrum.npoint()) * static_cast<std::size_t>(nodes_of_walls(numbers));
}

template <KokkosExecutionSpace Space, Floating Real>
DeviceSpectrum<Space, Real> make_device_spectrum(Space const& space, Problem const& problem,
                                                 ProblemNumbers const& exact_numbers, Options const& options) {
  ProblemNumbers const numbers = rounded(exact_numbers);
  auto const [t_low, t_high] = table_range(problem, numbers, options);
  Tabulated const table = tabulate(problem.spectrum, options, t_low, t_high);
  int const npoint = table.npoint();
  int const nnode = table.nnode();
  DeviceSpectrum<Space, Real> device;
  device.steps = {static_cast<Real>(table.first), static_cast<Real>(1 / table.spacing)};
  device.node =
      Array<SpectralNode<Real>**, Space>(Kokkos::view_alloc(space, "parhelion::monte_carlo::spectrum"), npoint, nnode);
  auto const node = Kokkos::create_mirror_view(Kokkos::HostSpace(), device.node);
  // The step at the last node is extrapolated.
  auto const step = [&](auto const& value, int s, int i) {
    if (i < nnode - 1) return value(s, i + 1) - value(s, i);
    double const before = value(s, i) - value(s, i - 1);
    return nnode < 3 ? before : 2 * before - (value(s, i - 1) - value(s, i - 2));
  };
  for (int s = 0; s < npoint; ++s)
    for (int i = 0; i < nnode; ++i)
      node(s, i) = {static_cast<Real>(table.absorption(s, i)), static_cast<Real>(step(table.absorption, s, i)),
                    static_cast<Real>(table.source(s, i)), static_cast<Real>(step(table.source, s, i))};
  copy_array(space, device.node, node);
  space.fence("parhelion::monte_carlo::make_device_spectrum");

  double const amount = numbers.mean_amount;
  double warmest = t_high;
  for (std::size_t side = 0; side < problem.boundaries.size(); ++side) {
    if (!problem.boundaries[side].is_wall()) continue;
    warmest = std::max(warmest, problem.boundaries[side].temperature);
    if (numbers.faces[side]) warmest = std::max(warmest, numbers.faces[side]->highest);
  }
  double const distance = largest_distance(problem);
  double const saturation = options.saturation < 0 ? 0.3 * distance : options.saturation;
  std::vector<double> absorption(static_cast<std::size_t>(npoint));
  std::vector<double> of_cells(absorption.size());
  std::vector<double> of_walls(absorption.size());
  double cells = 0;
  double black = 0;
  auto const sources = problem.spectrum.sources(warmest);
  for (std::size_t s = 0; s < absorption.size(); ++s) {
    double const kappa = table.absorption(static_cast<int>(s), nnode - 1) * amount;
    double const source = sources[s];
    absorption[s] = kappa;
    of_cells[s] = kappa * source / (1 + saturation * kappa);
    of_walls[s] = source * (0.1 + kappa * distance / (1 + kappa * distance));
    cells += of_cells[s];
    black += source;
  }
  for (std::size_t s = 0; s < absorption.size(); ++s) {
    double const source = sources[s];
    double const share = cells > 0 ? options.window_share : 1;
    of_cells[s] = (cells > 0 ? (1 - share) * of_cells[s] / cells : 0) + (black > 0 ? share * source / black : 0);
  }
  double const pi = std::acos(-1.);
  device.of_cells = make_choice<Space, Real>(space, of_cells, absorption, options.order, 4 * pi);
  device.of_walls = make_choice<Space, Real>(space, of_walls, absorption, options.order, pi);
  device.walls = make_walls<Space, Real>(space, problem, numbers, t_low, t_high);
  device.largest_value = largest_value(problem, numbers, table, of_cells, sources);
  return device;
}

template <KokkosExecutionSpace Space, Floating Real>
void bring_face_temperatures(Space const& space, DeviceWalls<Space, Real> const& walls, ProblemArrays const& arrays) {
  for (std::size_t side = 0; side < 6; ++side)
    if (walls.is_wall[side] && walls.stride[side] > 0)
      bring(space, arrays.face_temperature[side], arrays.on_device,
            contiguous(walls.temperature.data() + walls.first_face[side], arrays.face_temperature[side]));
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)                                                                          \
  template DeviceSpectrum<SPACE, float> make_device_spectrum(SPACE const&, Problem const&, ProblemNumbers const&,  \
                                                             Options const&);                                      \
  template DeviceSpectrum<SPACE, double> make_device_spectrum(SPACE const&, Problem const&, ProblemNumbers const&, \
                                                              Options const&);                                     \
  template void bring_face_temperatures(SPACE const&, DeviceWalls<SPACE, float> const&, ProblemArrays const&);     \
  template void bring_face_temperatures(SPACE const&, DeviceWalls<SPACE, double> const&, ProblemArrays const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::monte_carlo::Impl
