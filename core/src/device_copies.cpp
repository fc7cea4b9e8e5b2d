// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/device_copies.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/error_kinds.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>

namespace parhelion {

namespace {

template <class Copy, int most>
struct CopyKernel {
  Copy copies[most];
  int n;

  template <class Copied>
  KOKKOS_FUNCTION static double read(Copied const& copy, std::int64_t at) {
    return copy.from_type == static_cast<int>(ValueType::float32)
               ? static_cast<double>(static_cast<float const*>(copy.from)[at])
               : static_cast<double const*>(copy.from)[at];
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    int c = 0;
    while (c + 1 < n && i >= copies[c + 1].first) ++c;
    Copy const& copy = copies[c];
    std::int64_t rest = i - copy.first;
    std::int64_t from = 0;
    std::int64_t to = 0;
    for (int d = 4; d-- > 0;) {
      std::int64_t const index = rest % copy.extent[d];
      rest /= copy.extent[d];
      from += index * copy.from_stride[d];
      to += index * copy.to_stride[d];
    }
    if (copy.to_type == static_cast<int>(ValueType::int32)) {
      static_cast<std::int32_t*>(copy.to)[to] =
          copy.from == nullptr ? 0 : static_cast<std::int32_t const*>(copy.from)[from];
      return;
    }
    double value = copy.from == nullptr ? 0 : read(copy, from);
    if (copy.maps) {
      value *= copy.factor;
      // Comparisons with NaN are false.
      value = value < copy.lowest ? copy.lowest : value > copy.highest ? copy.highest : value;
    }
    if (copy.to_type == static_cast<int>(ValueType::float32))
      static_cast<float*>(copy.to)[to] = static_cast<float>(value);
    else
      static_cast<double*>(copy.to)[to] = value;
  }
};

}  // namespace

template <KokkosExecutionSpace ExecutionSpace>
void DeviceCopies<ExecutionSpace>::add(ConstArrayRef const& from, ArrayRef const& to, ValueMap const& map) {
  constexpr char const* where = "DeviceCopies";
  if (to.empty()) return;
  bool const zeros = from.data == nullptr;
  if (to.rank > 4 || (!zeros && from.rank != to.rank))
    throw ShapeError(where, fmt::format("an array of {} dimensions cannot be copied to one of {}", from.rank, to.rank));
  if (!zeros && (from.type == ValueType::int32) != (to.type == ValueType::int32))
    throw ShapeError(where, "integers can only be copied to integers");
  if (m_n == static_cast<int>(m_copies.size())) throw Error(where, fmt::format("more than {} copies", m_copies.size()));
  Copy copy{.from = from.data,
            .to = to.data,
            .from_stride = {},
            .to_stride = {},
            .extent = {1, 1, 1, 1},
            .from_type = static_cast<std::int32_t>(from.type),
            .to_type = static_cast<std::int32_t>(to.type),
            .first = 0,
            .factor = map.factor,
            .lowest = map.lowest,
            .highest = map.highest,
            .maps = !map.changes_nothing()};
  // The fastest dimension of `to` comes last.
  std::array<int, max_array_rank> order = {};
  for (int d = 0; d < to.rank; ++d) {
    auto const i = static_cast<std::size_t>(d);
    if (!zeros && from.extents[i] != to.extents[i])
      throw ShapeError(where,
                       fmt::format("dimension {} has {} entries, expected {}", d, from.extents[i], to.extents[i]));
    if (to.extents[i] > std::numeric_limits<std::int32_t>::max())
      throw ShapeError(where, fmt::format("dimension {} has {} entries, expected fewer than 2^31", d, to.extents[i]));
    int at = d;
    for (; at > 0 && std::abs(to.strides[static_cast<std::size_t>(order[static_cast<std::size_t>(at - 1)])]) <
                         std::abs(to.strides[i]);
         --at)
      order[static_cast<std::size_t>(at)] = order[static_cast<std::size_t>(at - 1)];
    order[static_cast<std::size_t>(at)] = d;
  }
  for (int k = 0; k < to.rank; ++k) {
    auto const d = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
    int const loop = 4 - to.rank + k;
    copy.extent[loop] = static_cast<std::int32_t>(to.extents[d]);
    copy.from_stride[loop] = zeros ? 0 : from.strides[d];
    copy.to_stride[loop] = to.strides[d];
  }
  m_copies[static_cast<std::size_t>(m_n++)] = copy;
}

template <KokkosExecutionSpace ExecutionSpace>
void DeviceCopies<ExecutionSpace>::run(ExecutionSpace const& space) {
  static std::string const label = "parhelion::core::device_copies";
  for (int begin = 0; begin < m_n; begin += most_copies) {
    CopyKernel<Copy, most_copies> kernel;
    kernel.n = std::min(most_copies, m_n - begin);
    std::int64_t entries = 0;
    for (int c = 0; c < kernel.n; ++c) {
      Copy& copy = kernel.copies[c];
      copy = m_copies[static_cast<std::size_t>(begin + c)];
      copy.first = entries;
      std::int64_t of_copy = 1;
      for (int const extent : copy.extent) of_copy *= extent;
      entries += of_copy;
    }
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
    // Otherwise the host would wait for the last kernel whose arguments are as large.
    Kokkos::parallel_for(label, light_weight(Policy(space, 0, entries)), kernel);
  }
  m_n = 0;
}

#define PARHELION_INSTANTIATE(SPACE) template class DeviceCopies<SPACE>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
