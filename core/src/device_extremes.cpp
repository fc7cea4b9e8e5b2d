// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/device_extremes.hpp>

#include <cstdint>
#include <string>

namespace parhelion {

namespace {

template <class Values>
struct FindExtremes {
  Values values;

  KOKKOS_FUNCTION void operator()(std::int64_t i, Kokkos::MinMaxScalar<double>& found) const {
    double const value = values(i);
    // Comparisons with NaN are false.
    if (value < found.min_val) found.min_val = value;
    if (value > found.max_val) found.max_val = value;
  }
};

/// A team reads the values side by side, and one of its threads adds them.
template <class Space, class Values>
struct SumInOrder {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  static constexpr int tile = 1024;

  Values values;

  KOKKOS_FUNCTION void operator()(Team const& team, double& sum) const {
    auto* const read = static_cast<double*>(team.team_scratch(0).get_shmem(tile * sizeof(double)));
    auto const all = static_cast<std::int64_t>(values.size());
    double of_tiles = 0;
    for (std::int64_t first = 0; first < all; first += tile) {
      int const n = all - first < tile ? static_cast<int>(all - first) : tile;
      for (int i = team.team_rank(); i < n; i += team.team_size()) read[i] = values(first + i);
      team.team_barrier();
      if (team.team_rank() == 0)
        for (int i = 0; i < n; ++i) of_tiles += read[i];
      team.team_barrier();
    }
    if (team.team_rank() == 0) sum += of_tiles;
  }
};

}  // namespace

template <KokkosExecutionSpace ExecutionSpace>
Extremes extremes_of(ExecutionSpace const& space,
                     Kokkos::View<double const*, typename ExecutionSpace::memory_space> const& values) {
  static std::string const label = "parhelion::core::extremes_of";
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  using Values = Kokkos::View<double const*, typename ExecutionSpace::memory_space>;
  Kokkos::MinMaxScalar<double> found;
  Kokkos::parallel_reduce(label, Policy(space, 0, static_cast<std::int64_t>(values.size())),
                          FindExtremes<Values>{values}, Kokkos::MinMax<double>(found));
  return {found.min_val, found.max_val};
}

template <KokkosExecutionSpace ExecutionSpace>
double sum_in_order(ExecutionSpace const& space,
                    Kokkos::View<double const*, typename ExecutionSpace::memory_space> const& values) {
  static std::string const label = "parhelion::core::sum_in_order";
  using Values = Kokkos::View<double const*, typename ExecutionSpace::memory_space>;
  using Sum = SumInOrder<ExecutionSpace, Values>;
  constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 256;
  double sum = 0;
  Kokkos::parallel_reduce(label,
                          Kokkos::TeamPolicy<ExecutionSpace>(space, 1, threads)
                              .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Sum::tile * sizeof(double)))),
                          Sum{values}, sum);
  return sum;
}

#define PARHELION_INSTANTIATE(SPACE)                                                                    \
  template Extremes extremes_of(SPACE const&, Kokkos::View<double const*, SPACE::memory_space> const&); \
  template double sum_in_order(SPACE const&, Kokkos::View<double const*, SPACE::memory_space> const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
