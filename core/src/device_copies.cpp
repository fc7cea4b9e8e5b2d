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

/// Entries of the loop of groups that a thread copies: of floats they fill a sector of the cache.
constexpr int group = 8;

template <class Copy, int loops, int most>
struct CopyKernel {
  Copy copies[most];
  int n;

  /// Reads all before it converts one, so that a device waits once.
  template <class Value>
  KOKKOS_FUNCTION static void read(Value const* from, std::int64_t stride, int count, double* values) {
    Value read_values[group];
    for (int k = 0; k < group; ++k) read_values[k] = k < count ? from[k * stride] : Value(0);
    for (int k = 0; k < group; ++k) values[k] = read_values[k];
  }

  template <class Value>
  KOKKOS_FUNCTION static void write(Value* to, std::int64_t stride, int count, double const* values) {
    for (int k = 0; k < group; ++k)
      if (k < count) to[k * stride] = static_cast<Value>(values[k]);
  }

  template <class Function>
  KOKKOS_FUNCTION static void with_type(std::int32_t type, Function const& function) {
    if (type == static_cast<int>(ValueType::float32))
      function(float());
    else if (type == static_cast<int>(ValueType::float64))
      function(double());
    else
      function(std::int32_t());
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    int c = 0;
    while (c + 1 < n && i >= copies[c + 1].first) ++c;
    Copy const& copy = copies[c];
    // Divisions of 64 bits would take longer than the copy.
    auto rest = static_cast<std::uint32_t>(i - copy.first);
    std::int64_t from = 0;
    std::int64_t to = 0;
    int count = 0;
    for (int d = loops; d-- > 0;) {
      auto const extent = static_cast<std::uint32_t>(d == copy.grouped ? copy.groups : copy.extent[d]);
      std::uint32_t const quotient = extent == 1 ? rest : rest / extent;
      auto index = static_cast<std::int64_t>(rest - quotient * extent);
      rest = quotient;
      if (d == copy.grouped) {
        index *= group;
        count = static_cast<int>(Kokkos::min<std::int64_t>(group, copy.extent[d] - index));
      }
      from += index * copy.from_stride[d];
      to += index * copy.to_stride[d];
    }
    std::int64_t const from_stride = copy.from_stride[copy.grouped];
    std::int64_t const to_stride = copy.to_stride[copy.grouped];
    double values[group] = {};
    if (copy.from != nullptr)
      with_type(copy.from_type, [&]<class Value>(Value) {
        read<Value>(static_cast<Value const*>(copy.from) + from, from_stride, count, values);
      });
    if (copy.maps) {
      for (double& value : values) {
        double const scaled = value * copy.factor;
        // Comparisons with NaN are false.
        value = scaled < copy.lowest ? copy.lowest : scaled > copy.highest ? copy.highest : scaled;
      }
    }
    with_type(copy.to_type,
              [&]<class Value>(Value) { write<Value>(static_cast<Value*>(copy.to) + to, to_stride, count, values); });
  }
};

}  // namespace

template <KokkosExecutionSpace ExecutionSpace>
void DeviceCopies<ExecutionSpace>::add(ConstArrayRef const& from, ArrayRef const& to, ValueMap const& map) {
  constexpr char const* where = "DeviceCopies";
  if (to.empty()) return;
  bool const zeros = from.data == nullptr;
  if (to.rank > loops || (!zeros && from.rank != to.rank))
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
            .grouped = 0,
            .groups = 1,
            .first = 0,
            .factor = map.factor,
            .lowest = map.lowest,
            .highest = map.highest,
            .maps = to.type != ValueType::int32 && !map.changes_nothing()};
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
    int const loop = loops - to.rank + k;
    copy.extent[loop] = static_cast<std::int32_t>(to.extents[d]);
    copy.from_stride[loop] = zeros ? 0 : from.strides[d];
    copy.to_stride[loop] = to.strides[d];
  }
  // Neighbouring threads write neighbouring entries, and a thread reads entries that are near one another.
  copy.grouped = loops - 2;
  for (int d = loops - 2; d-- > 0;)
    if (copy.extent[d] > 1 &&
        (copy.extent[copy.grouped] == 1 || std::abs(copy.from_stride[d]) < std::abs(copy.from_stride[copy.grouped])))
      copy.grouped = d;
  copy.groups = (copy.extent[copy.grouped] - 1) / group + 1;
  if (copy.threads() > std::numeric_limits<std::uint32_t>::max())
    throw ShapeError(where, fmt::format("{} entries, expected fewer than 2^32 groups of {}", to.size(), group));
  m_copies[static_cast<std::size_t>(m_n++)] = copy;
}

template <KokkosExecutionSpace ExecutionSpace>
void DeviceCopies<ExecutionSpace>::run(ExecutionSpace const& space) {
  static std::string const label = "parhelion::core::device_copies";
  for (int begin = 0; begin < m_n; begin += most_copies) {
    CopyKernel<Copy, loops, most_copies> kernel;
    kernel.n = std::min(most_copies, m_n - begin);
    std::int64_t threads = 0;
    for (int c = 0; c < kernel.n; ++c) {
      Copy& copy = kernel.copies[c];
      copy = m_copies[static_cast<std::size_t>(begin + c)];
      copy.first = threads;
      threads += copy.threads();
    }
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
    // Otherwise the host would wait for the last kernel whose arguments are as large.
    Kokkos::parallel_for(label, light_weight(Policy(space, 0, threads)), kernel);
  }
  m_n = 0;
}

#define PARHELION_INSTANTIATE(SPACE) template class DeviceCopies<SPACE>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
