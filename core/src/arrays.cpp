// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/arrays.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/error_kinds.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>

namespace parhelion {

// --- descriptions --------------------------------------------------------------------------------------------------

std::string describe(ValueRange const& range) {
  constexpr ValueRange any{};
  bool const has_lowest = range.lowest > any.lowest;
  bool const has_highest = range.highest < any.highest;
  if (!has_lowest && !has_highest) return "a finite number";
  if (has_lowest && has_highest) {
    if (range.above_lowest) return fmt::format("more than {:g} and at most {:g}", range.lowest, range.highest);
    return fmt::format("{:g} to {:g}", range.lowest, range.highest);
  }
  if (has_highest) return fmt::format("a number of at most {:g}", range.highest);
  if (!range.above_lowest) return fmt::format("a number of at least {:g}", range.lowest);
  return range.lowest == 0 ? "a positive number" : fmt::format("a number above {:g}", range.lowest);
}

void Dimensions::set(std::string_view name, std::int64_t size) {
  for (std::size_t i = 0; i < m_n; ++i)
    if (m_sizes[i].first == name) {
      m_sizes[i].second = size;
      return;
    }
  if (m_n == m_sizes.size()) throw Error("Dimensions", fmt::format("more than {} dimensions", m_sizes.size()));
  m_sizes[m_n++] = {name, size};
}

std::int64_t Dimensions::operator[](std::string_view name) const {
  for (std::size_t i = 0; i < m_n; ++i)
    if (m_sizes[i].first == name) return m_sizes[i].second;
  return -1;
}

// --- checks --------------------------------------------------------------------------------------------------------

void check_extents(std::string_view where, ArrayDescription const& description, ConstArrayRef const& array,
                   Dimensions& dimensions) {
  if (description.optional && array.empty()) return;
  // Called for every solve: does not allocate if the array is right.
  auto expected = array.extents;
  bool const right_rank = array.rank == description.rank();
  bool right = right_rank;
  for (int d = 0; right_rank && d < array.rank; ++d) {
    auto const i = static_cast<std::size_t>(d);
    std::int64_t const found = array.extents[i];
    std::string_view const name = description.dimensions[i];
    if (found == 1 && description.may_be_one_in(d)) continue;
    std::int64_t known = dimensions[name];
    if (known < 0 && found > 0) dimensions.set(name, known = found);
    expected[i] = known < 0 ? 1 : known;
    right = right && found == expected[i];
  }
  if (right) return;
  if (!right_rank)
    throw ShapeError(
        where, fmt::format("{} has {} dimensions, expected {}: ({})", description.name, array.rank, description.rank(),
                           fmt::join(description.dimensions.begin(),
                                     description.dimensions.begin() + description.rank(), ", ")));
  throw ShapeError(where, fmt::format("{} has shape ({}), expected ({})", description.name,
                                      fmt::join(array.extents.begin(), array.extents.begin() + array.rank, ", "),
                                      fmt::join(expected.begin(), expected.begin() + array.rank, ", ")));
}

namespace {

/// The entry at a position in the order of the indices, and its indices.
std::array<std::int64_t, max_array_rank> indices_of(ConstArrayRef const& array, std::int64_t position) {
  std::array<std::int64_t, max_array_rank> index = {};
  for (int d = array.rank; d-- > 0;) {
    auto const i = static_cast<std::size_t>(d);
    index[i] = position % array.extents[i];
    position /= array.extents[i];
  }
  return index;
}

template <class Value>
std::int64_t first_outside(ConstArrayRef const& array, ValueRange const& range, double factor) {
  std::int64_t const n = array.size();
  auto const* const data = static_cast<Value const*>(array.data);
  // Row by row of the last dimension.
  auto const last = static_cast<std::size_t>(std::max(array.rank - 1, 0));
  std::int64_t const row = array.rank > 0 ? array.extents[last] : 1;
  std::int64_t const stride = array.rank > 0 ? array.strides[last] : 1;
  for (std::int64_t first = 0; first < n; first += row) {
    auto const index = indices_of(array, first);
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < last; ++d) offset += index[d] * array.strides[d];
    bool good = true;
    for (std::int64_t i = 0; i < row; ++i)
      good &= range.contains(factor * static_cast<double>(data[offset + i * stride]));
    if (good) continue;
    for (std::int64_t i = 0; i < row; ++i)
      if (!range.contains(factor * static_cast<double>(data[offset + i * stride]))) return first + i;
  }
  return -1;
}

template <class Value>
void refuse(std::string_view where, ArrayDescription const& description, ConstArrayRef const& array,
            std::int64_t position, std::string_view expected, double factor) {
  auto const index = indices_of(array, position);
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank); ++d) offset += index[d] * array.strides[d];
  bool const unit = description.unit != "1" && !description.unit.empty();
  Value const found = static_cast<Value const*>(array.data)[offset];
  throw Error(where, fmt::format("{}({}) = {}{}{}, expected {}", description.name,
                                 fmt::join(index.begin(), index.begin() + array.rank, ", "),
                                 factor == 1 ? fmt::format("{}", found)
                                             : fmt::format("{}", factor * static_cast<double>(found)),
                                 unit ? " " : "", unit ? description.unit : "",
                                 expected.empty() ? describe(description.range) : std::string(expected)));
}

template <class Value>
void check_values_of(std::string_view where, ArrayDescription const& description, ConstArrayRef const& array,
                     std::string_view expected, double factor) {
  if (auto const position = first_outside<Value>(array, description.range, factor); position >= 0)
    refuse<Value>(where, description, array, position, expected, factor);
}

}  // namespace

namespace {

/// The dimensions of an array of more than one entry, in the order of their strides.
OutsideCounts::Loops loops_over(ConstArrayRef const& array) {
  std::array<std::size_t, max_array_rank> order = {};
  std::size_t n = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank); ++d) {
    if (array.extents[d] <= 1) continue;
    std::size_t at = n++;
    for (; at > 0 && std::abs(array.strides[order[at - 1]]) > std::abs(array.strides[d]); --at)
      order[at] = order[at - 1];
    order[at] = d;
  }
  OutsideCounts::Loops loops;
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t const extent = array.extents[order[i]];
    std::int64_t const stride = array.strides[order[i]];
    if (int const last = loops.n - 1; last >= 0 && stride == loops.extent[last] * loops.stride[last]) {
      loops.extent[last] *= extent;
    } else {
      loops.extent[loops.n] = extent;
      loops.stride[loops.n++] = stride;
    }
  }
  if (loops.n == 0) loops = {.extent = {1}, .stride = {1}, .n = 1};
  return loops;
}

template <class Value>
std::int64_t count_outside_in_row(Value const* data, std::int64_t n, std::int64_t stride, double lowest,
                                  double highest) {
  auto const from = static_cast<Value>(lowest);
  auto const to = static_cast<Value>(highest);
  // A counter as wide as the values, so that the loop can be vectorized.
  using Count = std::conditional_t<sizeof(Value) == 8, std::int64_t, std::int32_t>;
  Count good = 0;
  if (stride == 1)
    for (std::int64_t i = 0; i < n; ++i)
      good += static_cast<Count>(data[i] >= from) & static_cast<Count>(data[i] <= to);
  else
    for (std::int64_t i = 0; i < n; ++i)
      good += static_cast<Count>(data[i * stride] >= from) & static_cast<Count>(data[i * stride] <= to);
  return n - static_cast<std::int64_t>(good);
}

// Blocks of the fastest loop, or several of short ones.
constexpr std::int64_t block_of_count = 8192;

template <class Value, class Job>
std::int64_t count_outside_in_block(Job const& job, std::int64_t number) {
  auto const& loops = job.loops;
  std::int64_t const row = loops.extent[0];
  auto const row_at = [&](std::int64_t r) {
    auto const* data = static_cast<Value const*>(job.array.data);
    for (int d = 1; d < loops.n; ++d) {
      data += r % loops.extent[d] * loops.stride[d];
      r /= loops.extent[d];
    }
    return data;
  };
  if (job.blocks_of_row > 1) {
    std::int64_t const first = number % job.blocks_of_row * block_of_count;
    return count_outside_in_row(row_at(number / job.blocks_of_row) + first * loops.stride[0],
                                std::min(block_of_count, row - first), loops.stride[0], job.lowest, job.highest);
  }
  std::int64_t const end = std::min(job.array.size() / row, (number + 1) * job.rows_of_block);
  std::int64_t outside = 0;
  for (std::int64_t r = number * job.rows_of_block; r < end; ++r)
    outside += count_outside_in_row(row_at(r), row, loops.stride[0], job.lowest, job.highest);
  return outside;
}

}  // namespace

std::size_t OutsideCounts::add(ConstArrayRef const& array, double lowest, double highest) {
  Job job{.array = array,
          .lowest = lowest,
          .highest = highest,
          .loops = {},
          .blocks_of_row = 1,
          .rows_of_block = 1,
          .first_block = m_nblock,
          .outside = 0};
  if (!array.empty()) {
    job.loops = loops_over(array);
    std::int64_t const row = job.loops.extent[0];
    std::int64_t const rows = array.size() / row;
    job.blocks_of_row = (row + block_of_count - 1) / block_of_count;
    job.rows_of_block = std::max<std::int64_t>(1, block_of_count / row);
    m_nblock += static_cast<std::size_t>(job.blocks_of_row > 1 ? rows * job.blocks_of_row
                                                               : (rows + job.rows_of_block - 1) / job.rows_of_block);
  }
  m_jobs.push_back(job);
  return m_jobs.size() - 1;
}

void OutsideCounts::run(HostThreads const& threads) {
  static std::string const label = "parhelion::core::count_outside";
  m_outside_of_block.assign(m_nblock, 0);
  std::int64_t entries = 0;
  for (Job const& job : m_jobs) entries += job.array.empty() ? 0 : job.array.size();
  auto const count_in_block = [&](std::size_t b) {
    // The last job that begins at or before the block; arrays without entries have no block.
    auto const after = std::upper_bound(m_jobs.begin(), m_jobs.end(), b,
                                        [](std::size_t block, Job const& job) { return block < job.first_block; });
    Job const& job = *(after - 1);
    auto const number = static_cast<std::int64_t>(b - job.first_block);
    m_outside_of_block[b] = job.array.type == ValueType::float32 ? count_outside_in_block<float>(job, number)
                                                                 : count_outside_in_block<double>(job, number);
  };
  threads.for_each(label, m_nblock, count_in_block, entries);
  for (std::size_t j = 0; j < m_jobs.size(); ++j) {
    std::size_t const end = j + 1 < m_jobs.size() ? m_jobs[j + 1].first_block : m_nblock;
    m_jobs[j].outside = 0;
    for (std::size_t b = m_jobs[j].first_block; b < end; ++b) m_jobs[j].outside += m_outside_of_block[b];
  }
}

std::int64_t OutsideCounts::all() const {
  std::int64_t sum = 0;
  for (Job const& job : m_jobs) sum += job.outside;
  return sum;
}

void OutsideCounts::clear() {
  m_jobs.clear();
  m_nblock = 0;
}

std::int64_t count_outside(HostThreads const& threads, ConstArrayRef const& array, double lowest, double highest) {
  OutsideCounts counts;
  counts.add(array, lowest, highest);
  counts.run(threads);
  return counts.all();
}

void check_values(std::string_view where, ArrayDescription const& description, ConstArrayRef const& array,
                  std::string_view expected, double factor) {
  if (array.empty()) return;
  switch (array.type) {
    case ValueType::float32:
      return check_values_of<float>(where, description, array, expected, factor);
    case ValueType::float64:
      return check_values_of<double>(where, description, array, expected, factor);
    case ValueType::int32:
      return check_values_of<int>(where, description, array, expected, 1);
  }
}

// --- copies --------------------------------------------------------------------------------------------------------

namespace {

// Large enough that the overhead of a piece is small, and small enough to balance the work.
constexpr std::int64_t piece_entries = 8192;
// Both sides of a tile fit into the first-level cache.
constexpr std::int64_t tile = 32;

struct Loop {
  std::int64_t n, from_stride, to_stride;
};

/// The loops of a copy, at least two, from the slowest to the fastest.
struct CopyLoops {
  std::array<Loop, max_array_rank + 2> loop = {};
  std::size_t n = 0;
};

/// The loops of a copy, ordered by descending stride in `to`; loops that are contiguous in both arrays are joined.
CopyLoops loops_of(ConstArrayRef const& from, ArrayRef const& to) {
  std::array<Loop, max_array_rank> sorted = {};
  std::size_t n = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(to.rank); ++d) {
    if (to.extents[d] == 1) continue;
    // Insertion keeps the order of equal strides.
    Loop const loop{to.extents[d], from.strides[d], to.strides[d]};
    std::size_t at = n++;
    for (; at > 0 && std::abs(sorted[at - 1].to_stride) < std::abs(loop.to_stride); --at) sorted[at] = sorted[at - 1];
    sorted[at] = loop;
  }
  CopyLoops merged;
  for (std::size_t i = 0; i < n; ++i) {
    Loop const& loop = sorted[i];
    Loop* const last = merged.n > 0 ? &merged.loop[merged.n - 1] : nullptr;
    if (last != nullptr && last->to_stride == loop.n * loop.to_stride && last->from_stride == loop.n * loop.from_stride)
      *last = {last->n * loop.n, loop.from_stride, loop.to_stride};
    else
      merged.loop[merged.n++] = loop;
  }
  while (merged.n < 2) {
    std::copy_backward(merged.loop.begin(), merged.loop.begin() + merged.n, merged.loop.begin() + merged.n + 1);
    merged.loop[0] = {1, 0, 0};
    ++merged.n;
  }
  return merged;
}

template <class From, class To, class Change>
void convert(ArrayCopies::Piece const& piece, Change const& change) {
  auto const* const from = static_cast<From const*>(piece.from);
  auto* const to = static_cast<To*>(piece.to);
  for (std::int64_t i = 0; i < piece.n[0]; ++i) {
    From const* const source = from + i * piece.from_stride[0];
    To* const target = to + i * piece.to_stride[0];
    if (piece.from_stride[1] == 1 && piece.to_stride[1] == 1)
      for (std::int64_t j = 0; j < piece.n[1]; ++j) target[j] = static_cast<To>(change(source[j]));
    else
      for (std::int64_t j = 0; j < piece.n[1]; ++j)
        target[j * piece.to_stride[1]] = static_cast<To>(change(source[j * piece.from_stride[1]]));
  }
}

template <class From, class To>
void convert(ArrayCopies::Piece const& piece) {
  if (piece.map.changes_nothing() || std::is_same_v<From, int>) {
    convert<From, To>(piece, [](From value) { return value; });
    return;
  }
  ValueMap const map = piece.map;
  convert<From, To>(piece, [map](From value) {
    double const scaled = static_cast<double>(value) * map.factor;
    // One selection after the other makes vectors possible. Comparisons with NaN are false.
    double const raised = scaled < map.lowest ? map.lowest : scaled;
    return raised > map.highest ? map.highest : raised;
  });
}

template <class To>
void fill_zeros(ArrayCopies::Piece const& piece) {
  auto* const to = static_cast<To*>(piece.to);
  for (std::int64_t i = 0; i < piece.n[0]; ++i)
    for (std::int64_t j = 0; j < piece.n[1]; ++j) to[i * piece.to_stride[0] + j * piece.to_stride[1]] = To(0);
}

template <class To>
void copy_to(ArrayCopies::Piece const& piece) {
  if (piece.from == nullptr)
    fill_zeros<To>(piece);
  else if constexpr (std::is_same_v<To, int>)
    convert<int, int>(piece);
  else if (piece.from_type == ValueType::float32)
    convert<float, To>(piece);
  else
    convert<double, To>(piece);
}

void copy_piece(ArrayCopies::Piece const& piece) {
  switch (piece.to_type) {
    case ValueType::float32:
      return copy_to<float>(piece);
    case ValueType::float64:
      return copy_to<double>(piece);
    case ValueType::int32:
      return copy_to<int>(piece);
  }
}

}  // namespace

void ArrayCopies::add_pieces(ConstArrayRef const& from, ArrayRef const& to, ValueMap const& map) {
  if (to.empty()) return;
  CopyLoops all = loops_of(from, to);
  auto& loops = all.loop;
  bool const zeros = from.data == nullptr;
  std::size_t const inner = all.n - 1;
  // The loop with the smallest steps in `from` is the second one, so that both run through a tile.
  std::size_t outer = inner - 1;
  bool tiled = false;
  if (!zeros) {
    std::size_t smallest = inner;
    for (std::size_t l = 0; l < all.n; ++l)
      if (loops[l].n > 1 && std::abs(loops[l].from_stride) < std::abs(loops[smallest].from_stride)) smallest = l;
    tiled = smallest != inner;
    if (tiled) outer = smallest;
  }
  std::swap(loops[outer], loops[inner - 1]);
  outer = inner - 1;
  // Addresses that are multiples of 4 kB apart share few places of a cache, which the rows of a tile would fill. It is
  // then better to read along a row and to write across rows.
  auto const row_bytes = loops[inner].from_stride * static_cast<std::int64_t>(bytes_of(from.type));
  if (tiled && row_bytes % 4096 == 0) std::swap(loops[outer], loops[inner]);
  std::int64_t const at_once_inner = tiled ? tile : piece_entries;
  std::int64_t const at_once_outer =
      tiled ? tile : std::max<std::int64_t>(1, piece_entries / std::min(loops[inner].n, piece_entries));

  auto const from_size = static_cast<std::int64_t>(bytes_of(from.type));
  auto const to_size = static_cast<std::int64_t>(bytes_of(to.type));
  std::array<std::int64_t, max_array_rank> index = {};
  for (bool more = true; more;) {
    std::int64_t from_offset = 0;
    std::int64_t to_offset = 0;
    for (std::size_t l = 0; l < outer; ++l) {
      from_offset += index[l] * loops[l].from_stride;
      to_offset += index[l] * loops[l].to_stride;
    }
    for (std::int64_t i = 0; i < loops[outer].n; i += at_once_outer)
      for (std::int64_t j = 0; j < loops[inner].n; j += at_once_inner) {
        std::int64_t const f = from_offset + i * loops[outer].from_stride + j * loops[inner].from_stride;
        std::int64_t const t = to_offset + i * loops[outer].to_stride + j * loops[inner].to_stride;
        m_pieces.push_back(
            {.from = zeros ? nullptr : static_cast<std::byte const*>(from.data) + f * from_size,
             .to = static_cast<std::byte*>(to.data) + t * to_size,
             .n = {std::min(at_once_outer, loops[outer].n - i), std::min(at_once_inner, loops[inner].n - j)},
             .from_stride = {loops[outer].from_stride, loops[inner].from_stride},
             .to_stride = {loops[outer].to_stride, loops[inner].to_stride},
             .from_type = from.type,
             .to_type = to.type,
             .map = map});
      }
    more = false;
    for (std::size_t l = outer; l-- > 0 && !more;) {
      more = ++index[l] < loops[l].n;
      if (!more) index[l] = 0;
    }
  }
}

void ArrayCopies::add(ConstArrayRef const& from, ArrayRef const& to, ValueMap const& map) {
  constexpr char const* where = "ArrayCopies";
  if (from.data == nullptr) {
    ConstArrayRef nothing;
    nothing.type = to.type;
    add_pieces(nothing, to, {});
    return;
  }
  if (from.rank != to.rank)
    throw Error(where, fmt::format("an array of {} dimensions cannot be copied to one of {}", from.rank, to.rank));
  if ((from.type == ValueType::int32) != (to.type == ValueType::int32))
    throw Error(where, "integers can only be copied to integers");
  auto common = to;
  for (int d = 0; d < to.rank; ++d) {
    auto const i = static_cast<std::size_t>(d);
    std::int64_t const both = std::min(from.extents[i], to.extents[i]);
    if (both < to.extents[i]) {
      // The part beyond `from` in this dimension, within it in the previous ones.
      add({}, common.part(d, both, to.extents[i] - both));
    }
    common.extents[i] = both;
  }
  if (!from.empty()) add_pieces(from, common, map);
}

std::int64_t ArrayCopies::entries() const {
  std::int64_t sum = 0;
  for (Piece const& piece : m_pieces) sum += piece.n[0] * piece.n[1];
  return sum;
}

template <KokkosExecutionSpace HostSpace>
void ArrayCopies::run(HostSpace const& host) {
  static_assert(runs_on_host<HostSpace>, "copies between arrays in host memory are made by the host");
  static std::string const label = "parhelion::core::array_copies";
  if (entries() < HostThreads::worth_several_threads) {
    host.fence(label);
    for (Piece const& piece : m_pieces) copy_piece(piece);
  } else {
    auto const* const pieces = m_pieces.data();
    Kokkos::parallel_for(watched_label(label.c_str()),
                         Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Dynamic>>(host, 0, m_pieces.size()),
                         [=](std::size_t i) { copy_piece(pieces[i]); });
    host.fence(label);
  }
  m_pieces.clear();
}

void ArrayCopies::run(HostThreads const& threads) {
  static std::string const label = "parhelion::core::array_copies";
  threads.for_each(
      label, m_pieces.size(), [&](std::size_t i) { copy_piece(m_pieces[i]); }, entries());
  m_pieces.clear();
}

#define PARHELION_INSTANTIATE(SPACE) template void ArrayCopies::run(SPACE const&);
PARHELION_FOR_EACH_HOST_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
