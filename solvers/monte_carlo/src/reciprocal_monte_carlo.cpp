// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include "reciprocal_parts.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::monte_carlo {

namespace {

using Impl::Blocks;
using Impl::PendingRays;

constexpr char const* where = Impl::name_of_solver;

// Enough lanes to fill a large device several times. A host only needs enough to hide the time that a kernel takes to
// start.
template <class Space>
constexpr std::size_t enough_items = runs_on_host<Space> ? 1U << 14U : 1U << 20U;

// A batch begins by reading sums and ends by writing them. With this many rays of a cell the cost is negligible.
constexpr std::size_t enough_rays = 32;

// The least number of cells or faces of a batch.
template <class Space>
std::size_t min_items(Space const& space, int repetitions) {
  std::size_t const lanes =
      runs_on_host<Space> ? 128 * static_cast<std::size_t>(space.concurrency()) : enough_items<Space>;
  return std::max<std::size_t>(1, lanes / static_cast<std::size_t>(repetitions));
}

}  // namespace

double repetitions_in(Accumulators const& sums, int rays) {
  double followed = 0;
  for (int const of_item : sums.rays) followed += of_item;
  double const all = static_cast<double>(sums.rays.size()) * rays;
  return sums.repetitions + (sums.unfinished > 0 && all > 0 ? sums.unfinished * followed / all : 0);
}

namespace {

// The number of rays that are drawn for tiles at a time.
template <KokkosExecutionSpace Space>
std::size_t rays_drawn(MonteCarloCapacity const& capacity) {
  // Of a tile of any place, whose cells the solver may have in part.
  std::size_t const tiles =
      capacity.tile > 0 ? (capacity.items.end - capacity.items.begin) / static_cast<std::size_t>(capacity.tile) + 2 : 1;
  auto const repetitions = static_cast<std::size_t>(capacity.repetitions);
  // Of the smallest batch that fills a device, and of a few tiles however many repetitions there are.
  std::size_t const of_batch = enough_items<Space> / static_cast<std::size_t>(tile_size) * enough_rays;
  return std::min(tiles * repetitions * static_cast<std::size_t>(capacity.rays),
                  std::max(of_batch, 4 * enough_rays * repetitions));
}

template <KokkosExecutionSpace Space, Floating Real, class AnyWorkspace>
Blocks<Space, Real> take_blocks(AnyWorkspace& workspace, MonteCarloCapacity const& capacity) {
  Blocks<Space, Real> blocks;
  std::size_t const items = capacity.items.end - capacity.items.begin;
  blocks.temperature = workspace.template take<Real*>("temperature", capacity.ncell);
  blocks.mean = workspace.template take<Real*>("mean", capacity.ncells);
  blocks.variance = workspace.template take<Real*>("variance", capacity.ncells);
  blocks.cell = workspace.template take<CellTemperature<Real>*>("cell", capacity.ncells);
  blocks.sums = workspace.template take<double**>("sums", int(Impl::quantities), items);
  blocks.partial = workspace.template take<double***>("partial", capacity.repetitions, int(Impl::quantities), items);
  blocks.cell_rays = workspace.template take<Impl::SharedRay<Real>*>("cell_rays", rays_drawn<Space>(capacity));
  blocks.face_rays = workspace.template take<Impl::SharedRay<Real>*>("face_rays", rays_drawn<Space>(capacity));
  blocks.averages = workspace.template take<std::int64_t**>("averages", capacity.repetitions, capacity.nplane);
  blocks.planes = workspace.template take<double**>("planes", 2, capacity.nplane + 1);
  return blocks;
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t bytes_of_blocks(MonteCarloCapacity const& capacity) {
  WorkspaceSize<Space> size;
  (void)take_blocks<Space, Real>(size, capacity);
  return size.bytes();
}

}  // namespace

template <KokkosExecutionSpace Space, Floating Real>
ReciprocalMonteCarlo<Space, Real>::Parts::Parts(Space const& space, model_type const& the_model,
                                                MonteCarloCapacity const& the_capacity)
    : model(the_model),
      capacity(the_capacity),
      workspace(space, bytes_of_blocks<Space, Real>(capacity), "parhelion::monte_carlo::workspace"),
      blocks(take_blocks<Space, Real>(workspace, capacity)),
      not_finite(space) {
  field = arrays().field;
  field.temperature = blocks.temperature;
  field.mean = blocks.mean;
  field.variance = blocks.variance;
  field.cell = blocks.cell;
  if constexpr (!runs_on_host<Space>)
    staging =
        Staging(Kokkos::view_alloc(Kokkos::WithoutInitializing, "parhelion::monte_carlo::staging"), capacity.ncell);
}

namespace {

// From a View on the same device.
template <KokkosExecutionSpace Space, Floating Real, class From>
void copy_temperature(Space const& space, From const& from, WorkspaceArray<Real*, Space> const& to,
                      NotFinite<Space> const& not_finite) {
  Kokkos::parallel_for(
      "parhelion::monte_carlo::copy_temperature",
      light_weight(Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(to.extent(0)))), KOKKOS_LAMBDA(int cell) {
        Real const temperature = from[cell];
        not_finite.check(temperature, cell);
        to(cell) = temperature;
      });
}

template <KokkosExecutionSpace Space, Floating Real>
void check_temperature(Space const& space, WorkspaceArray<Real*, Space> const& temperature,
                       NotFinite<Space> const& not_finite) {
  Kokkos::parallel_for(
      "parhelion::monte_carlo::check_temperature",
      light_weight(Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(temperature.extent(0)))),
      KOKKOS_LAMBDA(int cell) { not_finite.check(temperature(cell), cell); });
}

template <KokkosExecutionSpace Space>
void clear(Space const& space, WorkspaceArray<double**, Space> const& sums) {
  auto const rows = static_cast<int>(sums.extent(0));
  Kokkos::parallel_for(
      "parhelion::monte_carlo::clear",
      light_weight(Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(sums.extent(1)))), KOKKOS_LAMBDA(int item) {
        for (int quantity = 0; quantity < rows; ++quantity) sums(quantity, item) = 0;
      });
}

}  // namespace

// Continues the unfinished repetitions, at most as many as asked for; where there are none, begins as many.
template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::Parts::begin(int repetitions) {
  if (unfinished > 0) {
    unfinished = std::min(unfinished, repetitions);
    return;
  }
  unfinished = repetitions;
  pending = {{0, nitem(), 0}};
}

template <KokkosExecutionSpace Space, Floating Real>
Impl::Batch<Space, Real> ReciprocalMonteCarlo<Space, Real>::Parts::batch(PendingRays const& block, int ray_end) const {
  auto const& [begin, end] = capacity.items;
  return {.field = field,
          .spectrum = arrays().spectrum,
          .faces = arrays().faces,
          .options = arrays().options,
          .tolerance = static_cast<Real>(arrays().options.tolerance),
          .rays = rays(),
          .first_repetition = first + done,
          .repetitions = unfinished,
          .ncell = static_cast<int>(capacity.ncell),
          .items_begin = begin,
          .items_end = end,
          .begin = begin + block.begin,
          .end = begin + block.end,
          .ray_begin = block.rays,
          .ray_end = ray_end,
          .partial = blocks.partial,
          .cell_rays = blocks.cell_rays,
          .face_rays = blocks.face_rays,
          .sums = blocks.sums,
          .averages = blocks.averages,
          .planes = blocks.planes,
          .not_finite = not_finite};
}

// All rays of the unfinished repetitions, which have been followed.
template <KokkosExecutionSpace Space, Floating Real>
Impl::Batch<Space, Real> ReciprocalMonteCarlo<Space, Real>::Parts::completed() const {
  if (!pending.empty())
    throw Error(where, "repetitions are unfinished, expected all of their rays to have been followed");
  return batch({0, nitem(), 0}, rays());
}

// The number of cells or faces of which enough rays can be drawn at a time.
template <KokkosExecutionSpace Space, Floating Real>
double ReciprocalMonteCarlo<Space, Real>::Parts::items_of_room(int rays_left) const {
  auto const of_tile = static_cast<double>(unfinished) * std::min(static_cast<int>(enough_rays), rays_left);
  // Less two tiles, which a batch may have in part, and one that end_of_tile() may add.
  return std::max(1., static_cast<double>(blocks.cell_rays.size()) / of_tile - 3) * tile_size;
}

// The number of rays of each of the cells and faces of a block that can be drawn at a time.
template <KokkosExecutionSpace Space, Floating Real>
int ReciprocalMonteCarlo<Space, Real>::Parts::rays_of_room(PendingRays const& block) const {
  auto const begin = Impl::place_of(capacity.ncell, capacity.items.begin + block.begin);
  auto const end = Impl::place_of(capacity.ncell, capacity.items.begin + block.end);
  auto const directions = arrays().options.directions;
  int const tiles =
      std::max(Impl::tiles_of(directions, begin.cell, end.cell).n, Impl::tiles_of(directions, begin.face, end.face).n);
  return static_cast<int>(blocks.cell_rays.size()) / (tiles * unfinished);
}

// The end of the tile that item `end` of the solver is in, so that batches do not cut tiles without need.
template <KokkosExecutionSpace Space, Floating Real>
std::size_t ReciprocalMonteCarlo<Space, Real>::Parts::end_of_tile(std::size_t end) const {
  constexpr std::size_t size = tile_size;
  std::size_t const item = capacity.items.begin + end;
  std::size_t const first = item <= capacity.ncell ? 0 : capacity.ncell;
  std::size_t const whole = first + (item - first + size - 1) / size * size;
  return (item <= capacity.ncell ? std::min(whole, capacity.ncell) : whole) - capacity.items.begin;
}

// Enqueues batches of about `budget` rays in total, in all unfinished repetitions, or all that are pending; returns
// their number. A batch has as many cells as possible and rather fewer rays of each: cells share what they read of the
// spectrum, and no thread waits long for the last one.
template <KokkosExecutionSpace Space, Floating Real>
double ReciprocalMonteCarlo<Space, Real>::Parts::enqueue(Space const& space, double budget) {
  double enqueued = 0;
  auto const directions = arrays().options.directions;
  while (!pending.empty() && enqueued < budget) {
    PendingRays now = pending.front();
    std::size_t const size = now.end - now.begin;
    int const left = rays() - now.rays;
    double const of_each = (budget - enqueued) / unfinished;
    double wanted = std::max(of_each / enough_rays, static_cast<double>(min_items(space, unfinished)));
    if (directions == Directions::tiles) wanted = std::min(wanted, items_of_room(left));
    if (wanted < static_cast<double>(size)) {
      auto const parts = static_cast<std::size_t>(std::ceil(static_cast<double>(size) / wanted));
      now.end = now.begin + (size + parts - 1) / parts;
      if (directions == Directions::tiles) now.end = std::min(end_of_tile(now.end), now.begin + size);
    }
    auto const items = static_cast<double>(now.end - now.begin);
    int const most = directions == Directions::independent ? left : std::min(left, rays_of_room(now));
    int const more = std::max(1, static_cast<int>(std::min<double>(most, of_each / items)));
    Impl::enqueue_batch(space, batch(now, now.rays + more));
    enqueued += items * more * unfinished;
    // The rest of this block has had fewer rays.
    PendingRays const behind{now.end, pending.front().end, now.rays};
    now.rays += more;
    pending.front() = now;
    if (behind.begin < behind.end) pending.insert(pending.begin() + 1, behind);
    if (now.rays >= rays()) pending.erase(pending.begin());
  }
  return enqueued;
}

template <KokkosExecutionSpace Space, Floating Real>
ReciprocalMonteCarlo<Space, Real>::ReciprocalMonteCarlo(Space const& space, model_type const& model,
                                                        MonteCarloCapacity const& capacity,
                                                        NoTuning const& /*tuning*/) {
  static_assert(Solver<ReciprocalMonteCarlo>);
  require_kokkos(where);
  auto const& arrays = model.arrays();
  std::size_t const ncells = cells_of_all({arrays.field.level, arrays.field.level + arrays.field.nlevel});
  std::size_t const nitem = model.ncell() + model.nface();
  auto const& n = arrays.field.level[0].ncell;
  auto const nplane = static_cast<std::size_t>(n[0] + n[1] + n[2]);
  MonteCarloCapacity needed;
  Impl::set_rays(needed, arrays.options);
  auto const& part = capacity.items;
  if (capacity.ncell != model.ncell() || capacity.ncells != ncells || capacity.nplane != nplane ||
      capacity.rays != needed.rays || capacity.tile != needed.tile || capacity.repetitions < 1 ||
      part.begin >= part.end || part.end > nitem)
    throw Error(
        where, fmt::format(
                   "capacity of {} cells, {} in all grids, {} planes, items {} to {}, {} shared rays, tiles of {} "
                   "and {} repetitions, expected {} cells, {} in all grids, {} planes, a part of the items 0 "
                   "to {}, {} shared rays, tiles of {} and 1 or more repetitions",
                   capacity.ncell, capacity.ncells, capacity.nplane, part.begin, part.end, capacity.rays, capacity.tile,
                   capacity.repetitions, model.ncell(), ncells, nplane, nitem, needed.rays, needed.tile));
  m_parts = std::make_unique<Parts>(space, model, capacity);
  m_parts->take_temperature(space, arrays.temperature);
  restart(space);
  space.fence("parhelion::monte_carlo::ReciprocalMonteCarlo");
}

template <KokkosExecutionSpace Space, Floating Real>
ReciprocalMonteCarlo<Space, Real>::~ReciprocalMonteCarlo() {
  leave_if_kokkos_is_gone(m_parts);
}
template <KokkosExecutionSpace Space, Floating Real>
ReciprocalMonteCarlo<Space, Real>::ReciprocalMonteCarlo(ReciprocalMonteCarlo&&) noexcept = default;
template <KokkosExecutionSpace Space, Floating Real>
ReciprocalMonteCarlo<Space, Real>& ReciprocalMonteCarlo<Space, Real>::operator=(ReciprocalMonteCarlo&&) noexcept =
    default;

template <KokkosExecutionSpace Space, Floating Real>
MonteCarloCapacity ReciprocalMonteCarlo<Space, Real>::capacity_for(Problem const& problem, Options const& options,
                                                                   ItemRange const& items) {
  validate(options);
  validate(problem);
  MonteCarloCapacity capacity;
  capacity.ncell = problem.grid.size();
  capacity.nplane = Impl::planes_of(problem.grid);
  std::vector<double> faces;
  capacity.ncells = cells_of_all(levels_of(problem, Impl::numbers_of(problem), options, faces));
  std::size_t const nitem = capacity.ncell + static_cast<std::size_t>(Impl::faces_of(problem, options).n());
  capacity.items = items.end == 0 ? ItemRange{0, nitem} : items;
  if (capacity.items.begin >= capacity.items.end || capacity.items.end > nitem)
    throw Error(where, fmt::format("items {} to {}, expected a part of 0 to {}", items.begin, items.end, nitem));
  Impl::set_rays(capacity, options);
  capacity.repetitions =
      std::min(concurrent_repetitions(capacity.items.end - capacity.items.begin), options.repetitions);
  return capacity;
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t ReciprocalMonteCarlo<Space, Real>::workspace_bytes(Space const& /*space*/,
                                                               MonteCarloCapacity const& capacity,
                                                               NoTuning const& /*tuning*/) {
  return bytes_of_blocks<Space, Real>(capacity) + NotFinite<Space>::bytes();
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t ReciprocalMonteCarlo<Space, Real>::workspace_bytes() const {
  return m_parts->workspace.capacity_bytes() + NotFinite<Space>::bytes();
}

template <KokkosExecutionSpace Space, Floating Real>
template <class Temperature>
void ReciprocalMonteCarlo<Space, Real>::Parts::take_temperature(Space const& space, Temperature const& temperature) {
  copy_temperature<Space, Real>(space, temperature.data(), field.temperature, not_finite);
  update_temperature(space, field, arrays().options);
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::set_temperature(Space const& space, ConstArrayRef const& temperature) {
  Parts& p = *m_parts;
  auto cells = p.dimensions();
  check_extents(where, describe_temperature(), temperature, cells);
  // Kernels may still read the last one, and a copy the staging memory.
  space.fence("parhelion::monte_carlo::set_temperature");
  auto const& n = p.field.level[0].ncell;
  ArrayRef to = array_ref(Kokkos::View<Real***, Kokkos::LayoutRight, Kokkos::HostSpace>(
      runs_on_host<Space> ? p.field.temperature.data() : p.staging.data(), n[0], n[1], n[2]));
  ArrayCopies copies;
  copies.add(temperature, to);
  if constexpr (runs_on_host<Space>) {
    copies.run(space);
  } else {
    copies.run(Kokkos::DefaultHostExecutionSpace());
    copy_array(space, p.field.temperature, p.staging);
  }
  check_temperature<Space, Real>(space, p.field.temperature, p.not_finite);
  update_temperature(space, p.field, p.arrays().options);
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::restart(Space const& space, int first) {
  m_parts->first = first;
  m_parts->done = 0;
  m_parts->unfinished = 0;
  m_parts->pending.clear();
  m_parts->knows_planes = true;
  clear(space, m_parts->blocks.sums);
  clear(space, m_parts->blocks.planes);
}

template <KokkosExecutionSpace Space, Floating Real>
SolveStatus ReciprocalMonteCarlo<Space, Real>::status(Space const& space) {
  return m_parts->not_finite.status(space);
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::follow(Space const& space, input_type const& input) {
  m_parts->take_temperature(space, input.temperature);
  restart(space, input.first_repetition);
  accumulate(space, input.repetitions > 0 ? input.repetitions : m_parts->arrays().options.repetitions);
}

template <KokkosExecutionSpace Space, Floating Real>
int ReciprocalMonteCarlo<Space, Real>::concurrent_repetitions(std::size_t items) {
  return static_cast<int>(std::max<std::size_t>(1, enough_items<Space> / std::max<std::size_t>(items, 1)));
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::accumulate(Space const& space, int repetitions) {
  Parts& p = *m_parts;
  while (repetitions > 0) {
    p.begin(std::min(repetitions, p.capacity.repetitions));
    p.unfinished = std::min(p.unfinished, repetitions);
    repetitions -= p.unfinished;
    p.enqueue(space, std::numeric_limits<double>::infinity());
    complete(space);
  }
}

template <KokkosExecutionSpace Space, Floating Real>
bool ReciprocalMonteCarlo<Space, Real>::advance(Space const& space, int repetitions, double seconds) {
  return advance(std::span(&space, 1), std::span(this, 1), repetitions, seconds);
}

template <KokkosExecutionSpace Space, Floating Real>
bool ReciprocalMonteCarlo<Space, Real>::advance(std::span<Space const> spaces, std::span<ReciprocalMonteCarlo> solvers,
                                                int repetitions, double seconds) {
  for (ReciprocalMonteCarlo& solver : solvers) {
    Parts& p = *solver.m_parts;
    if (repetitions < 1 || repetitions > p.capacity.repetitions)
      throw Error(where,
                  fmt::format("{} concurrent repetitions, expected 1 to {}", repetitions, p.capacity.repetitions));
    p.begin(repetitions);
  }
  auto const ended = [&] {
    return std::all_of(solvers.begin(), solvers.end(),
                       [](auto const& solver) { return solver.m_parts->pending.empty(); });
  };
  // Limits how much longer than intended a batch can become because the estimate was wrong or cells differ.
  constexpr double growth = 16;
  std::vector<double> rays(solvers.size());
  Kokkos::Timer const timer;
  for (double left = seconds; !ended();) {
    // A long batch is followed by a short one that uses the rest of the time.
    double const aim = left > 0.3 * seconds ? 0.8 * left : left;
    Kokkos::Timer const one;
    // All devices get their work before the first one is waited for.
    for (std::size_t i = 0; i < solvers.size(); ++i) {
      Parts& p = *solvers[i].m_parts;
      double const budget = p.rate > 0    ? std::min(p.rate * aim, growth * p.largest)
                            : seconds > 0 ? 64. * spaces[i].concurrency()
                                          : 1;
      rays[i] = p.enqueue(spaces[i], std::max(budget, 1.));
    }
    // A device that is waited for after a slower one seems as slow, and from then on keeps its pace. This costs
    // nothing, as a repetition ends with the slowest.
    for (std::size_t i = 0; i < solvers.size(); ++i) {
      if (rays[i] == 0) continue;
      Parts& p = *solvers[i].m_parts;
      spaces[i].fence("parhelion::monte_carlo::advance");
      p.rate = rays[i] / std::max(one.seconds(), 1e-6);
      p.largest = std::max(p.largest, rays[i]);
    }
    left = seconds - timer.seconds();
    if (left <= 0.1 * seconds) break;
  }
  return ended();
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::complete(Space const& space) {
  Parts& p = *m_parts;
  auto const batch = p.completed();
  if (p.unfinished == 0) return;
  if (p.has_all_cells())
    Impl::enqueue_averages(space, batch);
  else
    p.knows_planes = false;
  p.complete(space);
}

template <KokkosExecutionSpace Space, Floating Real>
std::vector<std::int64_t> ReciprocalMonteCarlo<Space, Real>::plane_averages(Space const& space) {
  Parts& p = *m_parts;
  auto const batch = p.completed();
  Impl::enqueue_averages(space, batch);
  auto const all = host_copy(space, p.blocks.averages);
  return {all.data(), all.data() + static_cast<std::size_t>(p.unfinished) * all.extent(1)};
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::complete(Space const& space, std::vector<std::int64_t> const& planes) {
  Parts& p = *m_parts;
  (void)p.completed();
  auto const& averages = p.blocks.averages;
  if (planes.size() != static_cast<std::size_t>(p.unfinished) * averages.extent(1))
    throw Error(where, fmt::format("{} averages over planes, expected {} of each of {} repetitions", planes.size(),
                                   averages.extent(1), p.unfinished));
  if (p.unfinished == 0) return;
  auto const mirror = Kokkos::create_mirror_view(Kokkos::HostSpace(), averages);
  space.fence("parhelion::monte_carlo::complete");
  std::copy(planes.begin(), planes.end(), mirror.data());
  copy_array(space, averages, mirror);
  space.fence("parhelion::monte_carlo::complete");
  p.complete(space);
}

// Adds completed repetitions, whose averages over planes are there, to the sums.
template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::Parts::complete(Space const& space) {
  auto const batch = completed();
  Impl::enqueue_sums(space, batch);
  if (knows_planes) Impl::enqueue_sums_of_planes(space, batch);
  done += unfinished;
  unfinished = 0;
}

template <KokkosExecutionSpace Space, Floating Real>
double ReciprocalMonteCarlo<Space, Real>::unfinished_fraction() const {
  Parts const& p = *m_parts;
  if (p.unfinished == 0) return 0;
  double left = 0;
  for (PendingRays const& block : p.pending)
    left += static_cast<double>(block.end - block.begin) * (p.rays() - block.rays);
  return 1 - left / (static_cast<double>(p.nitem()) * p.rays());
}

template <KokkosExecutionSpace Space, Floating Real>
int ReciprocalMonteCarlo<Space, Real>::repetitions() const {
  return m_parts->done;
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)            \
  template class ReciprocalMonteCarlo<SPACE, float>; \
  template class ReciprocalMonteCarlo<SPACE, double>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::monte_carlo
