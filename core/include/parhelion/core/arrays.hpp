// SPDX-License-Identifier: BSD-3-Clause
// Arrays described once: name, unit, dimensions, range. Checks, copies and file formats follow the description.
#ifndef PARHELION_CORE_ARRAYS_HPP
#define PARHELION_CORE_ARRAYS_HPP

#include <parhelion/core/host_threads.hpp>
#include <parhelion/core/types.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion {

/// The most dimensions that a described array has.
inline constexpr int max_array_rank = 5;

/// \brief The values that an array may hold. What is not finite is in no range.
struct ValueRange {
  double lowest = std::numeric_limits<double>::lowest();
  double highest = std::numeric_limits<double>::max();
  bool above_lowest = false;  ///< whether `lowest` itself is outside

  constexpr bool contains(double value) const {
    return (above_lowest ? value > lowest : value >= lowest) && value <= highest;
  }
};

/// The ranges that most quantities have.
namespace ranges {
inline constexpr ValueRange finite{};
inline constexpr ValueRange not_negative{.lowest = 0};
inline constexpr ValueRange positive{.lowest = 0, .above_lowest = true};
inline constexpr ValueRange zero_to_one{.lowest = 0, .highest = 1};
inline constexpr ValueRange above_zero_to_one{.lowest = 0, .highest = 1, .above_lowest = true};
}  // namespace ranges

/// \brief A range in words, for messages and documents: "a number of at least 0", "more than 0 and at most 1".
std::string describe(ValueRange const& range);

/// Names of dimensions, as messages, files and documents write them. Layers and levels are vertical.
namespace dimension {
inline constexpr std::string_view column = "column";
inline constexpr std::string_view profile = "profile";
inline constexpr std::string_view ray = "ray";
inline constexpr std::string_view layer = "layer";
inline constexpr std::string_view level = "level";
inline constexpr std::string_view band = "band";
inline constexpr std::string_view gpoint = "gpoint";
inline constexpr std::string_view gas = "gas";
inline constexpr std::string_view angle = "angle";
inline constexpr std::string_view channel = "channel";
}  // namespace dimension

/// \brief What is known of an array of an input or a result.
struct ArrayDescription {
  std::string_view name;     ///< of the member, and in messages and documents
  std::string_view unit;     ///< as UDUNITS spells it, "1" for a pure number; "radiance" where it is the caller's
  std::string_view meaning;  ///< a phrase, as the attribute long_name
  std::string_view standard_name = {};  ///< of the CF conventions, empty where they have none
  /// The dimensions in the order of the indices; unused ones are empty.
  std::array<std::string_view, max_array_rank> dimensions = {};
  ValueRange range = ranges::finite;
  bool optional = false;  ///< whether the array may be empty
  /// Dimensions, counted from 0, that may have the extent 1 where one value stands for all: one bit for each.
  unsigned may_be_one = 0;

  constexpr int rank() const {
    int n = 0;
    while (n < max_array_rank && !dimensions[static_cast<std::size_t>(n)].empty()) ++n;
    return n;
  }

  /// Which dimension counts layers or levels, -1: none. Index 0 is next to the surface.
  constexpr int vertical() const { return position_of(dimension::layer, dimension::level); }

  /// Whether a dimension may have the extent 1 where one value stands for all.
  constexpr bool may_be_one_in(int dimension) const {
    return (may_be_one >> static_cast<unsigned>(dimension) & 1U) != 0;
  }

  /// Which dimension has one of the names, -1: none.
  template <std::convertible_to<std::string_view>... Names>
  constexpr int position_of(Names const&... names) const {
    for (int d = 0; d < rank(); ++d)
      if (((dimensions[static_cast<std::size_t>(d)] == names) || ...)) return d;
    return -1;
  }
};

namespace Impl {
/// An action on arrays that does nothing. (A lambda in the concept below is more than nvcc takes.)
struct NoAction {
  template <class... Views>
  void operator()(ArrayDescription const& /*description*/, Views&... /*views*/) const {}
};
}  // namespace Impl

/// \brief A struct of Views that describes them.
///
/// `T::for_each_array(action, sets...)` calls `action(ArrayDescription, view...)` for each array in a fixed order, with
/// the views that the sets, which may be in other spaces and precisions, have in its place.
template <class T>
concept DescribedArrays = requires(T& arrays) {
  T::for_each_array(Impl::NoAction(), arrays);
};

/// What the entries of an array are.
enum class ValueType : int { float32, float64, int32 };

/// The type of the entries of a View.
template <class Value>
constexpr ValueType value_type_of() {
  using Plain = std::remove_cv_t<Value>;
  static_assert(std::is_same_v<Plain, float> || std::is_same_v<Plain, double> || std::is_same_v<Plain, int>,
                "described arrays hold float, double or int");
  if constexpr (std::is_same_v<Plain, float>) return ValueType::float32;
  if constexpr (std::is_same_v<Plain, double>) return ValueType::float64;
  return ValueType::int32;
}

/// Bytes of an entry.
constexpr std::size_t bytes_of(ValueType type) { return type == ValueType::float64 ? 8 : 4; }

/// \brief An array in memory that somebody else owns, whatever its type, rank and strides are.
///
/// \tparam Void `void const` for arrays that are only read, else `void`
template <class Void>
struct BasicArrayRef {
  Void* data = nullptr;  ///< the entry whose indices are all 0
  ValueType type = ValueType::float64;
  int rank = 0;
  std::array<std::int64_t, max_array_rank> extents = {};
  std::array<std::int64_t, max_array_rank> strides = {};  ///< [entries]; may be negative

  /// Number of entries; 0 for an array that is not there.
  std::int64_t size() const {
    if (data == nullptr) return 0;
    std::int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extents[static_cast<std::size_t>(d)];
    return n;
  }
  bool empty() const { return size() == 0; }

  /// The entries [first, first + n) of a dimension.
  BasicArrayRef part(int dimension, std::int64_t first, std::int64_t n) const {
    auto result = *this;
    auto const d = static_cast<std::size_t>(dimension);
    result.advance(first * strides[d]);
    result.extents[d] = n;
    return result;
  }

  /// The same entries, with the index of a dimension counted from its other end.
  BasicArrayRef reversed(int dimension) const {
    auto result = *this;
    auto const d = static_cast<std::size_t>(dimension);
    if (extents[d] > 0) result.advance((extents[d] - 1) * strides[d]);
    result.strides[d] = -strides[d];
    return result;
  }

  operator BasicArrayRef<void const>() const requires(!std::is_const_v<Void>) {
    return {data, type, rank, extents, strides};
  }

 private:
  void advance(std::int64_t entries) {
    using Byte = std::conditional_t<std::is_const_v<Void>, std::byte const, std::byte>;
    data = static_cast<Byte*>(data) + entries * static_cast<std::int64_t>(bytes_of(type));
  }
};
using ArrayRef = BasicArrayRef<void>;
using ConstArrayRef = BasicArrayRef<void const>;

/// \brief A View as an array whose type is known at run time. Empty Views have no data.
template <KokkosView View>
auto array_ref(View const& view) {
  using Value = typename View::value_type;
  using Ref = std::conditional_t<std::is_const_v<Value>, ConstArrayRef, ArrayRef>;
  static_assert(View::rank() <= max_array_rank, "described arrays have at most five dimensions");
  Ref ref;
  ref.type = value_type_of<Value>();
  ref.rank = static_cast<int>(View::rank());
  for (std::size_t d = 0; d < View::rank(); ++d) {
    ref.extents[d] = static_cast<std::int64_t>(view.extent(d));
    ref.strides[d] = static_cast<std::int64_t>(view.stride(d));
  }
  ref.data = view.size() == 0 ? nullptr : view.data();
  return ref;
}

/// \brief The arrays of a set in the order of its descriptions, in host memory.
template <DescribedArrays Set>
std::vector<ArrayRef> array_refs(Set const& set) {
  std::vector<ArrayRef> refs;
  Set::for_each_array([&](ArrayDescription const&, auto const& view) { refs.push_back(array_ref(view)); }, set);
  return refs;
}

/// The same of a set that is only read, whatever its Views allow.
template <DescribedArrays Set>
std::vector<ConstArrayRef> const_array_refs(Set const& set) {
  std::vector<ConstArrayRef> refs;
  Set::for_each_array([&](ArrayDescription const&, auto const& view) { refs.push_back(array_ref(view)); }, set);
  return refs;
}

/// \brief A set that refers to the arrays of another one, in a layout and constness that its own convert to.
template <DescribedArrays To, DescribedArrays From>
To refer_to(From const& from) {
  To to{};
  To::for_each_array(
      [](ArrayDescription const&, auto& its, auto const& other) {
        if (other.size() > 0) its = other;
      },
      to, from);
  return to;
}

/// The descriptions of a set in their order.
template <DescribedArrays Set>
std::vector<ArrayDescription> descriptions_of() {
  std::vector<ArrayDescription> result;
  Set const set{};
  Set::for_each_array([&](ArrayDescription const& description, auto const&) { result.push_back(description); }, set);
  return result;
}

/// \brief How many columns, layers, angles ... there are.
class Dimensions {
 public:
  Dimensions() = default;
  Dimensions(std::initializer_list<std::pair<std::string_view, std::int64_t>> sizes) : m_sizes(sizes) {}

  void set(std::string_view name, std::int64_t size);

  /// The size of a dimension, -1 where it is not known.
  std::int64_t operator[](std::string_view name) const;

 private:
  std::vector<std::pair<std::string_view, std::int64_t>> m_sizes;
};

/// \brief Refuses an array that is missing or has other extents than its dimensions:
///        `where: name has shape (2, 3), expected (2, 4)`.
///
/// A dimension whose size is not known gets the extent of this array.
/// \throws parhelion::Error
void check_extents(std::string_view where, ArrayDescription const& description, ConstArrayRef const& array,
                   Dimensions& dimensions);

/// \brief The same for all arrays of a set, on hosts and devices.
/// \return the dimensions, those of the set included
template <DescribedArrays Set>
Dimensions check_extents(std::string_view where, Set const& set, Dimensions dimensions) {
  Set::for_each_array([&](ArrayDescription const& description,
                          auto const& view) { check_extents(where, description, array_ref(view), dimensions); },
                      set);
  return dimensions;
}

/// \brief Refuses the first value, in the order of the indices, that is not finite or out of range:
///        `where: name(3, 17) = -4 K, expected a positive number`.
/// \param where       opens the message
/// \param description of the array: name, unit and range
/// \param array       in host memory; may be empty
/// \param expected    what is expected, in words; empty: describe() of the range
/// \throws parhelion::Error
void check_values(std::string_view where, ArrayDescription const& description, ConstArrayRef const& array,
                  std::string_view expected = {});

/// \brief How many values of an array are not in [lowest, highest], those that are no numbers among them.
/// \param threads those that count
/// \param array   of float or double, in host memory, of any strides; may be empty
/// \param lowest,highest in the precision of the array
std::int64_t count_outside(HostThreads const& threads, ConstArrayRef const& array, double lowest, double highest);

/// \brief Copies between arrays in host memory of any strides, with a change of precision, all in one pass.
///
/// Every entry is written once. Arrays whose fastest dimensions differ are transposed in tiles.
class ArrayCopies {
 public:
  /// \brief Notes a copy of all that both arrays have.
  /// \param from lives until run()
  /// \param to   of the same rank; where it is larger than `from`, the rest becomes zero. Integers go to integers.
  void add(ConstArrayRef const& from, ArrayRef const& to);

  /// \brief Makes the copies that were noted, and forgets them. Returns when they are done.
  /// \param host the instance whose threads copy
  template <KokkosExecutionSpace HostSpace>
  void run(HostSpace const& host);

  /// \brief The same by threads of an instance whose type is not known.
  /// \param threads those that copy
  void run(HostThreads const& threads);

  /// A piece of a copy: two inner loops, whose entries are apart by the strides.
  struct Piece {
    void const* from;  ///< nullptr: zeros
    void* to;
    std::int64_t n[2];            ///< of the outer and the inner loop
    std::int64_t from_stride[2];  ///< [entries]
    std::int64_t to_stride[2];
    ValueType from_type;
    ValueType to_type;
  };

 private:
  void add_pieces(ConstArrayRef const& from, ArrayRef const& to);

  std::vector<Piece> m_pieces;
};

/// \brief Copies of the arrays of a set in host memory, in the layout and precision of another set. Allocates.
/// \param threads those that copy
/// \param from    arrays in host memory of any strides; those that are empty stay so. What is no array is not copied.
template <DescribedArrays To, DescribedArrays From>
To host_copy(HostThreads const& threads, From const& from) {
  To to{};
  ArrayCopies copies;
  To::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& its, auto const& other) {
        if (other.size() == 0) return;
        typename View::array_layout layout;
        for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = other.extent(d);
        its = View(Kokkos::view_alloc("parhelion::" + std::string(description.name), Kokkos::WithoutInitializing),
                   layout);
        copies.add(array_ref(other), array_ref(its));
      },
      to, from);
  copies.run(threads);
  return to;
}

}  // namespace parhelion

#endif
