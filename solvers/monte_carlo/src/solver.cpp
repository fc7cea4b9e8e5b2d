// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/monte_carlo/solver.hpp>

#include "solver_kernels.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace parhelion::monte_carlo {

namespace {

constexpr char const* where = "monte_carlo::Solver";

// Enough lanes to keep a large device busy several times over.
constexpr int enough_items = 1 << 20;

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
  DeviceField<Space, Real> field;
  Impl::DeviceSpectrum<Space, Real> spectrum;
  Impl::Faces faces;
  Array<double**, Space> sums;                      ///< (quantity, item of the share)
  Array<double***, Space> partial;                  ///< (repetition of a batch, quantity, item of the share)
  Array<double*, Space> wide;                       ///< temperatures on their way to float
  Array<Impl::SharedRay<Real>**, Space> cell_rays;  ///< (repetition of a batch, ray)
  Array<Impl::SharedRay<Real>**, Space> face_rays;

  std::size_t items() const { return share.end - share.begin; }
};

template <KokkosExecutionSpace Space, Floating Real>
Solver<Space, Real>::Solver(Space const& space, Problem const& problem, Options const& options, Share const& share)
    : m_parts(std::make_unique<Parts>()) {
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
  auto const [coldest, warmest] =
      std::minmax_element(problem.temperature.data(), problem.temperature.data() + problem.temperature.size());
  TemperatureRange const range = problem.spectrum.temperature_range();
  // Between the centres of cells, and towards walls, gas is warmer or colder than in them.
  double low = *coldest - 0.1 * (*warmest - *coldest);
  double high = *warmest + 0.1 * (*warmest - *coldest);
  for (auto const& side : problem.boundaries) {
    if (!side.is_wall() || side.face_temperature.size() > 0 || !range.holds(side.temperature)) continue;
    // A wall much colder or warmer than the gas is none of its temperatures.
    if (side.temperature > *coldest - (*warmest - *coldest)) low = std::min(low, side.temperature);
    if (side.temperature < *warmest + (*warmest - *coldest)) high = std::max(high, side.temperature);
  }
  if (options.coldest > 0) low = std::min(low, options.coldest);
  if (options.warmest > 0) high = std::max(high, options.warmest);
  low = std::max(low, range.lowest);
  high = std::min(high, range.highest);
  p.spectrum = Impl::make_device_spectrum<Space, Real>(space, problem, options, low, high);
  p.sums = Array<double**, Space>("parhelion::monte_carlo::sums", Impl::quantities, p.items());
  // Here, as an allocation would wait for the device later on.
  if constexpr (!std::is_same_v<Real, double>) p.wide = Array<double*, Space>("parhelion::monte_carlo::wide", p.ncell);
  space.fence("parhelion::monte_carlo::Solver");
}

template <KokkosExecutionSpace Space, Floating Real>
Solver<Space, Real>::~Solver() = default;
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
  Kokkos::deep_copy(space, m_parts->sums, 0.);
}

template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::solve(Space const& space, int repetitions) {
  Parts& p = *m_parts;
  int const most =
      std::max(1, static_cast<int>(static_cast<std::size_t>(enough_items) / std::max<std::size_t>(p.items(), 1)));
  int const batch = runs_on_host<Space> ? 1 : std::min(repetitions, most);
  auto const label = [&](char const* name) {
    return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::monte_carlo::") + name);
  };
  if (static_cast<int>(p.partial.extent(0)) < batch) {
    p.partial = Array<double***, Space>(label("partial"), batch, Impl::quantities, p.items());
    if (p.options.directions == Directions::shared) {
      p.cell_rays = Array<Impl::SharedRay<Real>**, Space>(label("cell_rays"), batch, p.rays);
      p.face_rays = Array<Impl::SharedRay<Real>**, Space>(label("face_rays"), batch, p.rays);
    }
  }
  for (int begin = 0; begin < repetitions; begin += batch) {
    int const n = std::min(batch, repetitions - begin);
    Impl::Batch<Space, Real> const work{p.field,
                                        p.spectrum,
                                        p.faces,
                                        p.options,
                                        p.rays,
                                        p.first + p.done,
                                        n,
                                        static_cast<int>(p.ncell),
                                        p.share.begin,
                                        p.share.end,
                                        p.partial,
                                        p.cell_rays,
                                        p.face_rays,
                                        p.sums};
    Impl::run(space, work);
    p.done += n;
  }
}

template <KokkosExecutionSpace Space, Floating Real>
Sums Solver<Space, Real>::sums(Space const& space) const {
  Parts const& p = *m_parts;
  Sums result;
  result.repetitions = p.done;
  result.sum = HostArray<double**>("parhelion::monte_carlo::sums", Impl::quantities, p.items());
  space.fence("parhelion::monte_carlo::Solver::sums");
  Kokkos::deep_copy(result.sum, p.sums);
  return result;
}

template <KokkosExecutionSpace Space, Floating Real>
void Solver<Space, Real>::resume(Space const& space, Sums const& sums) {
  Parts& p = *m_parts;
  if (sums.sum.extent(0) != static_cast<std::size_t>(Impl::quantities) || sums.sum.extent(1) != p.items())
    throw Error(where, fmt::format("sums of shape ({}, {}), expected ({}, {})", sums.sum.extent(0), sums.sum.extent(1),
                                   int(Impl::quantities), p.items()));
  space.fence("parhelion::monte_carlo::Solver::resume");
  Kokkos::deep_copy(p.sums, sums.sum);
  p.done = sums.repetitions;
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
