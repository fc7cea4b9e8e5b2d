// SPDX-License-Identifier: BSD-3-Clause
// The results of a solver and the sums from which it goes on: to arrays on the device, and to the host and back.
#include "reciprocal_parts.hpp"
#include "result_extents.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parhelion::monte_carlo {

namespace {

using Impl::PendingRays;

constexpr char const* where = Impl::name_of_solver;

/// The standard deviation of the mean of n repetitions, from the sums of their values and squares.
KOKKOS_INLINE_FUNCTION double standard_error(double sum, double square, double n) {
  double const scatter = square - sum * sum / n;
  return n > 1 ? Kokkos::sqrt((scatter > 0 ? scatter : 0) / (n * (n - 1))) : 0;
}

/// Stores the results of the items: cells, then faces.
/// \tparam Real of the results
template <KokkosExecutionSpace Space, Floating Real>
struct Store {
  WorkspaceArray<double**, Space> sums;
  Impl::Faces faces;
  int first, ncell;
  double n;  ///< repetitions
  Real *q, *q_error, *incident;
  Real *flux[6], *flux_error[6];

  KOKKOS_FUNCTION void operator()(int i) const {
    int const item = first + i;
    double const sum = sums(Impl::of_value, i);
    double const value = sum / n;
    double const error = standard_error(sum, sums(Impl::of_square, i), n);
    if (item < ncell) {
      double const radiance = sums(Impl::of_incident, i) / n;
      q[item] = static_cast<Real>(value);
      if (q_error != nullptr) q_error[item] = static_cast<Real>(error);
      if (incident != nullptr) incident[item] = static_cast<Real>(radiance > 0 ? radiance : 0);
      return;
    }
    int const face = item - ncell;
    int side = 0;
    while (face >= faces.first[side + 1]) ++side;
    int const place = face - faces.first[side];
    // The direction into the box is that of the axis at the lower side only.
    if (flux[side] != nullptr) flux[side][place] = static_cast<Real>(side % 2 == 1 ? -value : value);
    if (flux_error[side] != nullptr) flux_error[side][place] = static_cast<Real>(error);
  }
};

/// Stores the errors of averages over planes across x, y and z and over the box.
/// \tparam Real of the results
template <KokkosExecutionSpace Space, Floating Real>
struct StorePlanes {
  WorkspaceArray<double**, Space> planes;
  int first[4];  ///< plane of each axis; that of the box
  double n;      ///< repetitions
  Real* error[4];

  KOKKOS_FUNCTION void operator()(int plane) const {
    int axis = 0;
    while (axis < 3 && plane >= first[axis + 1]) ++axis;
    if (error[axis] == nullptr) return;
    error[axis][plane - first[axis]] =
        static_cast<Real>(standard_error(planes(Impl::of_value, plane), planes(Impl::of_square, plane), n));
  }
};

}  // namespace

template <KokkosExecutionSpace Space, Floating Real>
template <Floating Out>
void ReciprocalMonteCarlo<Space, Real>::Parts::check_call(input_type const& input,
                                                          Results<Space, Out> const& result) const {
  if (input.repetitions < 0) throw Error(where, fmt::format("repetitions = {}, expected 0 or more", input.repetitions));
  check_extents(where, input, dimensions());
  std::vector<ConstArrayRef> all;
  Results<Space, Out>::for_each_array(
      [&](ArrayDescription const&, auto const& view) { all.push_back(array_ref(view)); }, result);
  Impl::check_extents_of_results(where, dimensions(), has_flux(), all);
}

template <KokkosExecutionSpace Space, Floating Real>
template <Floating Out>
void ReciprocalMonteCarlo<Space, Real>::Parts::store(Space const& space, Results<Space, Out> const& result) const {
  Store<Space, Out> store{.sums = blocks.sums,
                          .faces = arrays().faces,
                          .first = static_cast<int>(capacity.items.begin),
                          .ncell = static_cast<int>(capacity.ncell),
                          .n = static_cast<double>(done),
                          .q = result.q.data(),
                          .q_error = result.q_error.data(),
                          .incident = result.incident.data(),
                          .flux = {},
                          .flux_error = {}};
  for (std::size_t side = 0; side < 6; ++side) {
    store.flux[side] = result.wall_flux[side].data();
    store.flux_error[side] = result.wall_flux_error[side].data();
  }
  Kokkos::parallel_for("parhelion::monte_carlo::store",
                       light_weight(Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(nitem()))), store);
  if (!knows_planes) return;
  StorePlanes<Space, Out> store_planes{
      .planes = blocks.planes, .first = {}, .n = static_cast<double>(done), .error = {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    store_planes.first[axis + 1] = store_planes.first[axis] + field.level[0].ncell[axis];
    store_planes.error[axis] = result.q_plane_error[axis].data();
  }
  store_planes.error[3] = result.q_box_error.data();
  Kokkos::parallel_for("parhelion::monte_carlo::store_planes",
                       light_weight(Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(blocks.planes.extent(1)))),
                       store_planes);
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::solve(Space const& space, input_type const& input, result_type const& result) {
  m_parts->check_call(input, result);
  follow(space, input);
  m_parts->store(space, result);
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::solve_in_double(Space const& space, input_type const& input,
                                                        Results<Space, double> const& result) {
  m_parts->check_call(input, result);
  follow(space, input);
  m_parts->store(space, result);
}

template <KokkosExecutionSpace Space, Floating Real>
Accumulators ReciprocalMonteCarlo<Space, Real>::accumulators(Space const& space) const {
  Parts const& p = *m_parts;
  Accumulators result;
  result.repetitions = p.done;
  result.sum = HostArray<double**>("parhelion::monte_carlo::accumulators", Impl::quantities, p.nitem());
  copy_array(space, result.sum, p.blocks.sums);
  if (p.knows_planes) {
    result.planes = HostArray<double**>("parhelion::monte_carlo::planes", 2, p.capacity.nplane + 1);
    copy_array(space, result.planes, p.blocks.planes);
  }
  space.fence("parhelion::monte_carlo::accumulators");
  if (p.unfinished == 0) return result;
  result.unfinished = p.unfinished;
  result.rays.assign(p.nitem(), p.rays());
  for (PendingRays const& block : p.pending)
    std::fill(result.rays.begin() + static_cast<std::ptrdiff_t>(block.begin),
              result.rays.begin() + static_cast<std::ptrdiff_t>(block.end), block.rays);
  // Where no ray has been followed, nothing has been written.
  auto const partial = host_copy(space, p.blocks.partial);
  result.unfinished_sum =
      HostArray<double***>("parhelion::monte_carlo::unfinished_sum", p.unfinished, Impl::quantities, p.nitem());
  for (int r = 0; r < p.unfinished; ++r)
    for (int q = 0; q < Impl::quantities; ++q)
      for (std::size_t item = 0; item < p.nitem(); ++item)
        if (result.rays[item] > 0) result.unfinished_sum(r, q, item) = partial(r, q, item);
  return result;
}

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::resume(Space const& space, Accumulators const& sums) {
  Parts& p = *m_parts;
  if (sums.sum.extent(0) != static_cast<std::size_t>(Impl::quantities) || sums.sum.extent(1) != p.nitem())
    throw Error(where, fmt::format("sums of shape ({}, {}), expected ({}, {})", sums.sum.extent(0), sums.sum.extent(1),
                                   int(Impl::quantities), p.nitem()));
  if (sums.unfinished < 0 || (sums.unfinished > 0 && sums.rays.size() != p.nitem()))
    throw Error(where, fmt::format("rays of {} cells and faces in {} unfinished repetitions, expected {}",
                                   sums.rays.size(), sums.unfinished, p.nitem()));
  auto const& unfinished_sum = sums.unfinished_sum;
  if (sums.unfinished > 0 &&
      (unfinished_sum.extent(0) != static_cast<std::size_t>(sums.unfinished) ||
       unfinished_sum.extent(1) != static_cast<std::size_t>(Impl::quantities) || unfinished_sum.extent(2) != p.nitem()))
    throw Error(where, fmt::format("sums of unfinished repetitions of shape ({}, {}, {}), expected ({}, {}, {})",
                                   unfinished_sum.extent(0), unfinished_sum.extent(1), unfinished_sum.extent(2),
                                   sums.unfinished, int(Impl::quantities), p.nitem()));
  if (sums.unfinished > p.capacity.repetitions)
    throw Error(where, fmt::format("{} unfinished repetitions, expected no more than {}", sums.unfinished,
                                   p.capacity.repetitions));
  for (std::size_t item = 0; item < sums.rays.size(); ++item)
    if (sums.rays[item] < 0 || sums.rays[item] > p.rays())
      throw Error(where, fmt::format("rays({}) = {}, expected 0 to {}", item, sums.rays[item], p.rays()));
  if (sums.planes.size() > 0 && (sums.planes.extent(0) != 2 || sums.planes.extent(1) != p.capacity.nplane + 1))
    throw Error(where, fmt::format("sums of planes of shape ({}, {}), expected (2, {})", sums.planes.extent(0),
                                   sums.planes.extent(1), p.capacity.nplane + 1));
  copy_array(space, p.blocks.sums, sums.sum);
  p.knows_planes = sums.planes.size() > 0 || sums.repetitions == 0;
  if (sums.planes.size() > 0)
    copy_array(space, p.blocks.planes, sums.planes);
  else
    Kokkos::deep_copy(space, p.blocks.planes, 0.);
  space.fence("parhelion::monte_carlo::resume");
  p.done = sums.repetitions;
  p.unfinished = sums.unfinished;
  p.pending.clear();
  if (p.unfinished == 0) return;
  auto const partial = Kokkos::create_mirror_view(Kokkos::HostSpace(), p.blocks.partial);
  for (int r = 0; r < p.unfinished; ++r)
    for (int q = 0; q < Impl::quantities; ++q)
      for (std::size_t item = 0; item < p.nitem(); ++item) partial(r, q, item) = unfinished_sum(r, q, item);
  copy_array(space, p.blocks.partial, partial);
  space.fence("parhelion::monte_carlo::resume");
  for (std::size_t item = 0; item < p.nitem(); ++item) {
    if (sums.rays[item] == p.rays()) continue;
    if (!p.pending.empty() && p.pending.back().end == item && p.pending.back().rays == sums.rays[item])
      ++p.pending.back().end;
    else
      p.pending.push_back({item, item + 1, sums.rays[item]});
  }
}

namespace {

// Writes an entry, counted in the order of the indices, of an array that may be empty.
void put(ArrayRef const& array, std::size_t entry, double value) {
  if (array.empty()) return;
  auto left = static_cast<std::int64_t>(entry);
  std::int64_t offset = 0;
  for (auto d = static_cast<std::size_t>(array.rank); d-- > 0;) {
    offset += left % array.extents[d] * array.strides[d];
    left /= array.extents[d];
  }
  if (array.type == ValueType::float32)
    static_cast<float*>(array.data)[offset] = static_cast<float>(value);
  else
    static_cast<double*>(array.data)[offset] = value;
}

// Results in the order of their descriptions.
void store(Accumulators const& sums, Impl::Faces const& faces, ItemRange const& items, std::size_t ncell,
           std::vector<ArrayRef> const& results) {
  double const n = sums.repetitions;
  for (std::size_t i = 0; i < items.end - items.begin; ++i) {
    std::size_t const item = items.begin + i;
    double const sum = sums.sum(Impl::of_value, i);
    double const square = sums.sum(Impl::of_square, i);
    double const value = n > 0 ? sum / n : 0;
    double const error = n > 0 ? standard_error(sum, square, n) : 0;
    if (item < ncell) {
      put(results[0], item, value);
      put(results[1], item, error);
      put(results[2], item, n > 0 ? std::max(0., sums.sum(Impl::of_incident, i) / n) : 0);
      continue;
    }
    auto const face = static_cast<int>(item - ncell);
    std::size_t side = 0;
    while (face >= faces.first[side + 1]) ++side;
    auto const place = static_cast<std::size_t>(face - faces.first[side]);
    // The direction into the box is that of the axis at the lower side only.
    put(results[Impl::of_walls + side], place, side % 2 == 1 ? -value : value);
    put(results[Impl::of_walls + 6 + side], place, error);
  }
}

// Errors of averages over planes across x, y and z and over the box, which are known.
void store_planes(Accumulators const& sums, int const (&ncell)[3], std::vector<ArrayRef> const& results) {
  double const n = sums.repetitions;
  std::size_t plane = 0;
  for (std::size_t kind = 0; kind < 4; ++kind) {
    auto const planes = kind < 3 ? static_cast<std::size_t>(ncell[kind]) : 1;
    for (std::size_t i = 0; i < planes; ++i, ++plane)
      put(results[3 + kind], i,
          n > 0 ? standard_error(sums.planes(Impl::of_value, plane), sums.planes(Impl::of_square, plane), n) : 0);
  }
}

}  // namespace

template <KokkosExecutionSpace Space, Floating Real>
void ReciprocalMonteCarlo<Space, Real>::fetch(Space const& space, std::vector<ArrayRef> const& results) const {
  Parts const& p = *m_parts;
  if (results.size() != descriptions_of<HostResults>().size())
    throw Error(
        where, fmt::format("{} arrays of results, expected {}", results.size(), descriptions_of<HostResults>().size()));
  Impl::check_extents_of_results(where, p.dimensions(), p.has_flux(), {results.begin(), results.end()});
  auto const sums = accumulators(space);
  store(sums, p.arrays().faces, p.capacity.items, p.capacity.ncell, results);
  if (sums.planes.size() > 0) store_planes(sums, p.field.level[0].ncell, results);
}

template <KokkosExecutionSpace Space, Floating Real>
double ReciprocalMonteCarlo<Space, Real>::crossings(Space const& space) const {
  Accumulators const all = accumulators(space);
  double result = 0;
  for (std::size_t i = 0; i < all.sum.extent(1); ++i) result += all.sum(Impl::of_crossings, i);
  return result;
}

#define PARHELION_IMPL_INSTANTIATE_REAL(SPACE, REAL)                                                           \
  template void ReciprocalMonteCarlo<SPACE, REAL>::solve(SPACE const&, input_type const&, result_type const&); \
  template void ReciprocalMonteCarlo<SPACE, REAL>::solve_in_double(SPACE const&, input_type const&,            \
                                                                   Results<SPACE, double> const&);             \
  template Accumulators ReciprocalMonteCarlo<SPACE, REAL>::accumulators(SPACE const&) const;                   \
  template void ReciprocalMonteCarlo<SPACE, REAL>::resume(SPACE const&, Accumulators const&);                  \
  template void ReciprocalMonteCarlo<SPACE, REAL>::fetch(SPACE const&, std::vector<ArrayRef> const&) const;    \
  template double ReciprocalMonteCarlo<SPACE, REAL>::crossings(SPACE const&) const;
#define PARHELION_IMPL_INSTANTIATE(SPACE)       \
  PARHELION_IMPL_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_IMPL_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE
#undef PARHELION_IMPL_INSTANTIATE_REAL

}  // namespace parhelion::monte_carlo
