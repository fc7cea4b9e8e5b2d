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

#define PARHELION_INSTANTIATE(SPACE) \
  template Extremes extremes_of(SPACE const&, Kokkos::View<double const*, SPACE::memory_space> const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
