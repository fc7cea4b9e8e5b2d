// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/monte_carlo/solver.hpp>

#include "solver_kernels.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::monte_carlo {

namespace {

constexpr char const* where = "monte_carlo::Solver";

// Enough lanes to keep a large device busy several times over. Hosts only need enough to forget how long a kernel takes
// to start.
template <class Space>
constexpr std::size_t enough_items = runs_on_host<Space> ? 1U << 14U : 1U << 20U;

// A batch begins and ends with reading and writing sums: with so many rays of a cell that is not noticed.
constexpr int enough_rays = 32;

// Cells or faces that no batch is to have less of.
template <class Space>
std::size_t fewest_items(Space const& space, int repetitions) {
  std::size_t const lanes =
      runs_on_host<Space> ? 128 * static_cast<std::size_t>(space.concurrency()) : enough_items<Space>;
  return std::max<std::size_t>(1, lanes / static_cast<std::size_t>(repetitions));
}

// Cells and faces of a share that follow each other and have had as many rays.
struct Stretch {
  std::size_t begin, end;
  int rays;
};

}  // namespace

void check(Options const& options) {
  auto const refuse = [](std::string const& name, auto value, char const* expected) {
    throw Error("check", fmt::format("{} = {}, expected {}", name, value, expected));
  };
  if (options.repetitions < 2) refuse("repetitions", options.repetitions, "two or more: their scatter is the error");
  if (options.rays < options.repetitions) refuse("rays", options.rays, "no fewer than repetitions");
  if (options.rays > (1 << 30)) refuse("rays", options.rays, "no more than 2^30");
  if (!(std::isfinite(options.saturation))) refuse("saturation", options.saturation, "a finite length");
  if (!(options.window_share >= 0 && options.window_share < 1)) refuse("window_share", options.window_share, "[0, 1)");
  if (options.grids < 0 || options.grids > most_levels) refuse("grids", options.grids, "0 to 12");
  if (options.first_steps < 1 || options.first_steps > 1024) refuse("first_steps", options.first_steps, "1 to 1024");
  double absorbed = 0;
  bool ended = false;
  for (int i = 0; i < most_levels - 1; ++i) {
    double const share = options.absorbed[i];
    absorbed += share;
    if (!(share >= 0 && absorbed < 1) || (ended && share > 0))
      refuse(fmt::format("absorbed[{}]", i), share, "shares above 0, up to the last one, that sum to less than 1");
    ended = share == 0;
  }
  if (!(options.tolerance > 0 && options.tolerance < 1)) refuse("tolerance", options.tolerance, "(0, 1)");
  if (options.nodes != 0 && (options.nodes < 2 || options.nodes > 1 << 16))
    refuse("nodes", options.nodes, "0 or 2 to 65536");
  if (!(options.coldest >= 0 && std::isfinite(options.coldest))) refuse("coldest", options.coldest, "a temperature");
  if (!(options.warmest >= 0 && std::isfinite(options.warmest))) refuse("warmest", options.warmest, "a temperature");
}

double repetitions_in(Sums const& sums, int rays) {
  double followed = 0;
  for (int const of_item : sums.rays) followed += of_item;
  double const all = static_cast<double>(sums.rays.size()) * rays;
  return sums.repetitions + (sums.begun > 0 && all > 0 ? sums.begun * followed / all : 0);
}

namespace Impl {

template <KokkosExecutionSpace Space>
void narrow(Space const& space, Array<double*, Space> const& from, Array<float*, Space> const& to) {
  Kokkos::parallel_for(
      "parhelion::monte_carlo::narrow", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(to.extent(0))),
      KOKKOS_LAMBDA(int i) { to(i) = static_cast<float>(from(i)); });
}

}  // namespace Impl

template <KokkosExecutionSpace Space, Floating Real>
struct Solver<Space, Real>::Parts {
  Options options;
  Share share;
  std::size_t ncell = 0;
  std::size_t nface = 0;
  int rays = 0;  ///< of a repetition
  int first = 0;
  int done = 0;
  int begun = 0;              ///< repetitions that are worked on
  std::vector<Stretch> todo;  ///< what is left of these, in the order in which it is done
  double rate = 0;            ///< rays a second, as measured; 0: not yet
  double largest = 0;         ///< batch so far [rays]
  DeviceField<Space, Real> field;
  Impl::DeviceSpectrum<Space, Real> spectrum;
  Impl::Faces faces;
  Array<double**, Space> sums;                      ///< (quantity, item of the share)
  Array<double***, Space> partial;                  ///< (repetition that has begun, quantity, item of the share)
  Array<double*, Space> wide;                       ///< temperatures on their way to float
  Array<Impl::SharedRay<Real>**, Space> cell_rays;  ///< (repetition that has begun, ray of a batch)
  Array<Impl::SharedRay<Real>**, Space> face_rays;

  std::size_t items() const { return share.end - share.begin; }

  void allocate(Space const& space, int repetitions);
  void begin(Space const& space, int repetitions);
  double enqueue(Space const& space, double budget);
  Impl::Batch<Space, Real> batch(Stretch const& stretch, int ray_end) const;
};

// Arrays for repetitions that are worked on together.
template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::Parts::allocate(Space const& space, int repetitions) {
  if (static_cast<int>(partial.extent(0)) >= repetitions) return;
  auto const label = [&](char const* name) {
    return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::monte_carlo::") + name);
  };
  partial = Array<double***, Space>(label("partial"), repetitions, Impl::quantities, items());
  if (options.directions != Directions::shared) return;
  int const drawn = Impl::rays_drawn(rays, repetitions);
  cell_rays = Array<Impl::SharedRay<Real>**, Space>(label("cell_rays"), repetitions, drawn);
  face_rays = Array<Impl::SharedRay<Real>**, Space>(label("face_rays"), repetitions, drawn);
}

// Repetitions that have begun go on, as many as asked for; otherwise all of these begin.
template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::Parts::begin(Space const& space, int repetitions) {
  if (begun > 0) {
    begun = std::min(begun, repetitions);
    return;
  }
  allocate(space, repetitions);
  begun = repetitions;
  todo = {{0, items(), 0}};
}

template <KokkosExecutionSpace Space, Floating Real>
Impl::Batch<Space, Real> Solver<Space, Real>::Parts::batch(Stretch const& stretch, int ray_end) const {
  return {field,
          spectrum,
          faces,
          options,
          rays,
          first + done,
          begun,
          static_cast<int>(ncell),
          share.begin,
          share.end,
          share.begin + stretch.begin,
          share.begin + stretch.end,
          stretch.rays,
          ray_end,
          partial,
          cell_rays,
          face_rays,
          sums};
}

// Enqueues batches of about `budget` rays in all, in all repetitions that have begun, or what is left of these; returns
// how many. As many cells as possible go together, with fewer rays of each: they share what they read of the spectrum,
// and no thread has to wait long for the last one.
template <KokkosExecutionSpace Space, Floating Real>
double Solver<Space, Real>::Parts::enqueue(Space const& space, double budget) {
  double enqueued = 0;
  while (!todo.empty() && enqueued < budget) {
    Stretch now = todo.front();
    std::size_t const size = now.end - now.begin;
    double const of_each = (budget - enqueued) / begun;
    double const wanted = std::max(of_each / enough_rays, static_cast<double>(fewest_items(space, begun)));
    if (wanted < static_cast<double>(size)) {
      auto const parts = static_cast<std::size_t>(std::ceil(static_cast<double>(size) / wanted));
      now.end = now.begin + (size + parts - 1) / parts;
    }
    auto const items = static_cast<double>(now.end - now.begin);
    int const most = options.directions == Directions::shared
                         ? std::min(rays - now.rays, static_cast<int>(cell_rays.extent(1)))
                         : rays - now.rays;
    int const more = std::max(1, static_cast<int>(std::min<double>(most, of_each / items)));
    Impl::run(space, batch(now, now.rays + more));
    enqueued += items * more * begun;
    // What is behind, in this stretch, has had fewer rays.
    Stretch const behind{now.end, todo.front().end, now.rays};
    now.rays += more;
    todo.front() = now;
    if (behind.begin < behind.end) todo.insert(todo.begin() + 1, behind);
    if (now.rays >= rays) todo.erase(todo.begin());
  }
  return enqueued;
}

template <KokkosExecutionSpace Space, Floating Real>
Solver<Space, Real>::Solver(Space const& space, Problem const& problem, Options const& options, Share const& share)
    : m_parts(std::make_unique<Parts>()) {
  require_kokkos(where);
  check(options);
  check(problem);
  Parts& p = *m_parts;
  p.options = options;
  p.rays = options.rays / options.repetitions;
  p.ncell = problem.grid.size();
  for (std::size_t side = 0; side < 6; ++side) {
    p.faces.first[side] = static_cast<int>(p.nface);
    if (!options.walls || !problem.boundaries[side].is_wall()) continue;
    auto const [n0, n1] = face_extents(problem.grid, static_cast<int>(side));
    p.nface += n0 * n1;
  }
  p.faces.first[6] = static_cast<int>(p.nface);
  p.share = share;
  if (share.end == 0) p.share = {0, p.ncell + p.nface};
  if (p.share.begin >= p.share.end || p.share.end > p.ncell + p.nface)
    throw Error(where, fmt::format("share of items {} to {}, expected a part of 0 to {}", p.share.begin, p.share.end,
                                   p.ncell + p.nface));
  p.field = make_device_field<Space, Real>(space, problem, options);
  p.spectrum = Impl::make_device_spectrum<Space, Real>(space, problem, options, Impl::table_range(problem, options));
  p.sums = Array<double**, Space>("parhelion::monte_carlo::sums", Impl::quantities, p.items());
  // Here, as an allocation would wait for the device later on.
  if constexpr (!std::is_same_v<Real, double>) p.wide = Array<double*, Space>("parhelion::monte_carlo::wide", p.ncell);
  space.fence("parhelion::monte_carlo::Solver");
}

template <KokkosExecutionSpace Space, Floating Real>
Solver<Space, Real>::~Solver() {
  leave_if_kokkos_is_gone(m_parts);
}
template <KokkosExecutionSpace Space, Floating Real>
Solver<Space, Real>::Solver(Solver&&) noexcept = default;
template <KokkosExecutionSpace Space, Floating Real>
Solver<Space, Real>& Solver<Space, Real>::operator=(Solver&&) noexcept = default;

template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::set_temperature(Space const& space, HostArray<double const***> const& temperature) {
  Parts& p = *m_parts;
  if (temperature.size() != p.ncell)
    throw Error(where, fmt::format("temperature of {} cells, expected {}", temperature.size(), p.ncell));
  Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const flat(temperature.data(),
                                                                                                     p.ncell);
  if constexpr (std::is_same_v<Real, double>) {
    Kokkos::deep_copy(space, p.field.temperature, flat);
  } else {
    Kokkos::deep_copy(space, p.wide, flat);
    Impl::narrow(space, p.wide, p.field.temperature);
  }
  update_temperature(space, p.field, p.options);
}

template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::restart(Space const& space, int first) {
  m_parts->first = first;
  m_parts->done = 0;
  m_parts->begun = 0;
  m_parts->todo.clear();
  Kokkos::deep_copy(space, m_parts->sums, 0.);
}

template <KokkosExecutionSpace Space, Floating Real>
int Solver<Space, Real>::together(std::size_t items) {
  return static_cast<int>(std::max<std::size_t>(1, enough_items<Space> / std::max<std::size_t>(items, 1)));
}

template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::solve(Space const& space, int repetitions) {
  Parts& p = *m_parts;
  while (repetitions > 0) {
    p.begin(space, std::min(repetitions, together(p.items())));
    p.begun = std::min(p.begun, repetitions);
    repetitions -= p.begun;
    p.enqueue(space, std::numeric_limits<double>::infinity());
    complete(space);
  }
}

template <KokkosExecutionSpace Space, Floating Real>
bool Solver<Space, Real>::advance(Space const& space, int repetitions, double seconds) {
  Parts& p = *m_parts;
  p.begin(space, repetitions);
  // Guesses and differences between cells must not make a batch much longer than was meant.
  constexpr double growth = 16;
  Kokkos::Timer const timer;
  for (double left = seconds; !p.todo.empty();) {
    // A short batch ends what a long one has left of the time.
    double const aim = left > 0.3 * seconds ? 0.8 * left : left;
    double const budget = p.rate > 0    ? std::min(p.rate * aim, growth * p.largest)
                          : seconds > 0 ? 64. * space.concurrency()
                                        : 1;
    Kokkos::Timer const one;
    double const rays = p.enqueue(space, std::max(budget, 1.));
    space.fence("parhelion::monte_carlo::Solver::advance");
    p.rate = rays / std::max(one.seconds(), 1e-6);
    p.largest = std::max(p.largest, rays);
    left = seconds - timer.seconds();
    if (left <= 0.1 * seconds) break;
  }
  return p.todo.empty();
}

template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::complete(Space const& space) {
  Parts& p = *m_parts;
  if (!p.todo.empty()) throw Error(where, "repetitions are not at their end, expected all of their rays");
  if (p.begun == 0) return;
  Impl::add_up(space, p.batch({0, p.items(), 0}, p.rays));
  p.done += p.begun;
  p.begun = 0;
}

template <KokkosExecutionSpace Space, Floating Real>
double Solver<Space, Real>::share_of_begun() const {
  Parts const& p = *m_parts;
  if (p.begun == 0) return 0;
  double left = 0;
  for (Stretch const& stretch : p.todo)
    left += static_cast<double>(stretch.end - stretch.begin) * (p.rays - stretch.rays);
  return 1 - left / (static_cast<double>(p.items()) * p.rays);
}

template <KokkosExecutionSpace Space, Floating Real>
Sums Solver<Space, Real>::sums(Space const& space) const {
  Parts const& p = *m_parts;
  Sums result;
  result.repetitions = p.done;
  result.sum = HostArray<double**>("parhelion::monte_carlo::sums", Impl::quantities, p.items());
  space.fence("parhelion::monte_carlo::Solver::sums");
  Kokkos::deep_copy(result.sum, p.sums);
  if (p.begun == 0) return result;
  result.begun = p.begun;
  result.rays.assign(p.items(), p.rays);
  for (Stretch const& stretch : p.todo)
    std::fill(result.rays.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
              result.rays.begin() + static_cast<std::ptrdiff_t>(stretch.end), stretch.rays);
  // Where no ray has been, nothing has been written.
  auto const partial = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p.partial);
  result.of_begun = HostArray<double***>("parhelion::monte_carlo::of_begun", p.begun, Impl::quantities, p.items());
  for (int r = 0; r < p.begun; ++r)
    for (int q = 0; q < Impl::quantities; ++q)
      for (std::size_t item = 0; item < p.items(); ++item)
        if (result.rays[item] > 0) result.of_begun(r, q, item) = partial(r, q, item);
  return result;
}

template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::resume(Space const& space, Sums const& sums) {
  Parts& p = *m_parts;
  if (sums.sum.extent(0) != static_cast<std::size_t>(Impl::quantities) || sums.sum.extent(1) != p.items())
    throw Error(where, fmt::format("sums of shape ({}, {}), expected ({}, {})", sums.sum.extent(0), sums.sum.extent(1),
                                   int(Impl::quantities), p.items()));
  if (sums.begun < 0 || (sums.begun > 0 && sums.rays.size() != p.items()))
    throw Error(where, fmt::format("rays of {} cells and faces in {} repetitions that have begun, expected {}",
                                   sums.rays.size(), sums.begun, p.items()));
  auto const& of_begun = sums.of_begun;
  if (sums.begun > 0 &&
      (of_begun.extent(0) != static_cast<std::size_t>(sums.begun) ||
       of_begun.extent(1) != static_cast<std::size_t>(Impl::quantities) || of_begun.extent(2) != p.items()))
    throw Error(where, fmt::format("sums of repetitions that have begun of shape ({}, {}, {}), expected ({}, {}, {})",
                                   of_begun.extent(0), of_begun.extent(1), of_begun.extent(2), sums.begun,
                                   int(Impl::quantities), p.items()));
  for (std::size_t item = 0; item < sums.rays.size(); ++item)
    if (sums.rays[item] < 0 || sums.rays[item] > p.rays)
      throw Error(where, fmt::format("rays({}) = {}, expected 0 to {}", item, sums.rays[item], p.rays));
  space.fence("parhelion::monte_carlo::Solver::resume");
  Kokkos::deep_copy(p.sums, sums.sum);
  p.done = sums.repetitions;
  p.begun = sums.begun;
  p.todo.clear();
  if (p.begun == 0) return;
  p.allocate(space, p.begun);
  auto const partial = Kokkos::create_mirror_view(Kokkos::HostSpace(), p.partial);
  for (int r = 0; r < p.begun; ++r)
    for (int q = 0; q < Impl::quantities; ++q)
      for (std::size_t item = 0; item < p.items(); ++item) partial(r, q, item) = of_begun(r, q, item);
  Kokkos::deep_copy(space, p.partial, partial);
  space.fence("parhelion::monte_carlo::Solver::resume");
  for (std::size_t item = 0; item < p.items(); ++item) {
    if (sums.rays[item] == p.rays) continue;
    if (!p.todo.empty() && p.todo.back().end == item && p.todo.back().rays == sums.rays[item])
      ++p.todo.back().end;
    else
      p.todo.push_back({item, item + 1, sums.rays[item]});
  }
}

namespace {

void store(Sums const& sums, Share const& share, std::size_t ncell, Results const& results) {
  double const n = sums.repetitions;
  std::size_t item = 0;
  auto const one = [&](double* value, double* error, double* incident) {
    double const sum = sums.sum(Impl::of_value, item);
    double const square = sums.sum(Impl::of_square, item);
    *value = n > 0 ? sum / n : 0;
    if (error != nullptr) *error = n > 1 ? std::sqrt(std::max(0., square - sum * sum / n) / (n * (n - 1))) : 0;
    if (incident != nullptr) *incident = n > 0 ? std::max(0., sums.sum(Impl::of_incident, item) / n) : 0;
    ++item;
  };
  auto const at = [](auto const& array, std::size_t i) { return array.size() > 0 ? array.data() + i : nullptr; };
  for (std::size_t cell = share.begin; cell < std::min(share.end, ncell); ++cell)
    one(results.q.data() + cell, at(results.q_error, cell), at(results.incident, cell));
  std::size_t face = ncell;
  for (std::size_t side = 0; side < 6; ++side) {
    auto const& flux = results.wall_flux[side];
    for (std::size_t i = 0; i < flux.size(); ++i, ++face) {
      if (face < share.begin || face >= share.end) continue;
      one(flux.data() + i, at(results.wall_flux_error[side], i), nullptr);
      // Into the box is along the axis at the lower end only.
      if (side % 2 == 1) flux.data()[i] = -flux.data()[i];
    }
  }
}

}  // namespace

template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::fetch(Space const& space, Results const& results) const {
  store(sums(space), m_parts->share, m_parts->ncell, results);
}

template <KokkosExecutionSpace Space, Floating Real>
int Solver<Space, Real>::repetitions() const {
  return m_parts->done;
}

template <KokkosExecutionSpace Space, Floating Real>
double Solver<Space, Real>::crossings(Space const& space) const {
  Sums const all = sums(space);
  double result = 0;
  for (std::size_t i = 0; i < all.sum.extent(1); ++i) result += all.sum(Impl::of_crossings, i);
  return result;
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t Solver<Space, Real>::ncell() const {
  return m_parts->ncell;
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t Solver<Space, Real>::nface() const {
  return m_parts->nface;
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t Solver<Space, Real>::bytes() const {
  auto const bytes = [](auto const& view) {
    return view.size() * sizeof(typename std::decay_t<decltype(view)>::value_type);
  };
  Parts const& p = *m_parts;
  return bytes(p.field.face) + bytes(p.field.cell) + bytes(p.field.mean) + bytes(p.field.variance) +
         bytes(p.field.amount) + bytes(p.field.temperature) + bytes(p.spectrum.node) + bytes(p.spectrum.walls.source) +
         bytes(p.sums) + bytes(p.wide) + bytes(p.partial) + bytes(p.cell_rays) + bytes(p.face_rays);
}

#define PARHELION_IMPL_INSTANTIATE(SPACE) \
  template class Solver<SPACE, float>;    \
  template class Solver<SPACE, double>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::monte_carlo
