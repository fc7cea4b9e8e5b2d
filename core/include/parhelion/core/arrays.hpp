// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of arrays: name, unit, dimensions, range. Checks, copies and file formats are derived from them.
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

/// The largest number of dimensions of a described array.
inline constexpr int max_array_rank = 5;

/// \brief The range of the values of an array. Values that are not finite are in no range.
struct ValueRange {
  double lowest = std::numeric_limits<double>::lowest();
  double highest = std::numeric_limits<double>::max();
  bool above_lowest = false;  ///< whether `lowest` itself is outside

  constexpr bool contains(double value) const {
    return (above_lowest ? value > lowest : value >= lowest) && value <= highest;
  }
};

/// The most common ranges.
namespace ranges {
inline constexpr ValueRange finite{};
inline constexpr ValueRange not_negative{.lowest = 0};
inline constexpr ValueRange positive{.lowest = 0, .above_lowest = true};
inline constexpr ValueRange zero_to_one{.lowest = 0, .highest = 1};
inline constexpr ValueRange above_zero_to_one{.lowest = 0, .highest = 1, .above_lowest = true};
}  // namespace ranges

/// \brief A range in words, for messages and documents: "a number of at least 0", "more than 0 and at most 1".
std::string describe(ValueRange const& range);

/// Names of dimensions in messages, files and documents. Layers and levels are vertical.
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

/// \brief The description of an array of an input or a result.
struct ArrayDescription {
  std::string_view name;  ///< name of the member, also in messages and documents
  std::string_view unit;  ///< as in UDUNITS, "1" for a pure number; "radiance" if it is the caller's unit of radiances
  std::string_view meaning;             ///< a phrase, for the attribute long_name
  std::string_view standard_name = {};  ///< CF standard name, empty if there is none
  /// The dimensions in the order of the indices; unused ones are empty.
  std::array<std::string_view, max_array_rank> dimensions = {};
  ValueRange range = ranges::finite;
  bool optional = false;  ///< whether the array may be empty
  /// Bit mask of the dimensions that may have the extent 1 if all values are the same.
  unsigned may_be_one = 0;

  constexpr int rank() const {
    int n = 0;
    while (n < max_array_rank && !dimensions[static_cast<std::size_t>(n)].empty()) ++n;
    return n;
  }

  /// The dimension of layers or levels, -1: none. Index 0 is next to the surface.
  constexpr int vertical() const { return position_of(dimension::layer, dimension::level); }

  /// Whether a dimension may have the extent 1 if all values are the same.
  constexpr bool may_be_one_in(int dimension) const {
    return (may_be_one >> static_cast<unsigned>(dimension) & 1U) != 0;
  }

  /// The dimension with one of the names, -1: none.
  template <std::convertible_to<std::string_view>... Names>
  constexpr int position_of(Names const&... names) const {
    for (int d = 0; d < rank(); ++d)
      if (((dimensions[static_cast<std::size_t>(d)] == names) || ...)) return d;
    return -1;
  }
};

namespace Impl {
/// An action on arrays that does nothing. (nvcc does not accept a lambda in the concept below.)
struct NoAction {
  template <class... Views>
  void operator()(ArrayDescription const& /*description*/, Views&... /*views*/) const {}
};
}  // namespace Impl

/// \brief A struct of Views that describes them.
///
/// `T::for_each_array(action, sets...)` calls `action(ArrayDescription, view...)` for each array in a fixed order, with
/// the corresponding views of the sets, which may be in other spaces and precisions.
template <class T>
concept DescribedArrays = requires(T& arrays) {
  T::for_each_array(Impl::NoAction(), arrays);
};

/// The types of entries of an array.
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

/// Size of an entry [bytes].
constexpr std::size_t bytes_of(ValueType type) { return type == ValueType::float64 ? 8 : 4; }

/// \brief A reference to an array in memory that others own; type, rank and strides are known at run time.
///
/// \tparam Void `void const` for arrays that are only read, otherwise `void`
template <class Void>
struct BasicArrayRef {
  Void* data = nullptr;  ///< the entry whose indices are all 0
  ValueType type = ValueType::float64;
  int rank = 0;
  std::array<std::int64_t, max_array_rank> extents = {};
  std::array<std::int64_t, max_array_rank> strides = {};  ///< [entries]; may be negative

  /// Number of entries; 0 for a missing array.
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

  /// The entries with an index in a dimension, which the result does not have.
  BasicArrayRef slice(int dimension, std::int64_t index) const {
    auto result = *this;
    auto const d = static_cast<std::size_t>(dimension);
    result.advance(index * strides[d]);
    for (std::size_t i = d; i + 1 < max_array_rank; ++i) {
      result.extents[i] = extents[i + 1];
      result.strides[i] = strides[i + 1];
    }
    --result.rank;
    return result;
  }

  /// The same entries, with the index of a dimension reversed.
  BasicArrayRef reversed(int dimension) const {
    auto result = *this;
    auto const d = static_cast<std::size_t>(dimension);
    if (extents[d] > 0) result.advance((extents[d] - 1) * strides[d]);
    result.strides[d] = -strides[d];
    return result;
  }

  template <class Const>
  operator BasicArrayRef<Const>() const requires(!std::is_const_v<Void> && std::is_same_v<Const, void const>) {
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

/// \brief A reference to a View. Empty Views have no data.
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

/// \brief References to the arrays of a set in host memory, in the order of its descriptions.
template <DescribedArrays Set>
std::vector<ArrayRef> array_refs(Set const& set) {
  std::vector<ArrayRef> refs;
  Set::for_each_array([&](ArrayDescription const&, auto const& view) { refs.push_back(array_ref(view)); }, set);
  return refs;
}

/// The same, for reading only.
template <DescribedArrays Set>
std::vector<ConstArrayRef> const_array_refs(Set const& set) {
  std::vector<ConstArrayRef> refs;
  Set::for_each_array([&](ArrayDescription const&, auto const& view) { refs.push_back(array_ref(view)); }, set);
  return refs;
}

/// \brief A set that refers to the arrays of another one, whose Views must be convertible to its own.
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

/// The descriptions of the arrays of a set.
template <DescribedArrays Set>
std::vector<ArrayDescription> descriptions_of() {
  std::vector<ArrayDescription> result;
  Set const set{};
  Set::for_each_array([&](ArrayDescription const& description, auto const&) { result.push_back(description); }, set);
  return result;
}

/// \brief The sizes of dimensions: the numbers of columns, layers, angles etc. Does not allocate.
class Dimensions {
 public:
  Dimensions() = default;
  Dimensions(std::initializer_list<std::pair<std::string_view, std::int64_t>> sizes) {
    for (auto const& [name, size] : sizes) set(name, size);
  }

  /// \throws parhelion::Error for more than 16 dimensions
  void set(std::string_view name, std::int64_t size);

  /// The size of a dimension, -1 if it is not known.
  std::int64_t operator[](std::string_view name) const;

 private:
  std::array<std::pair<std::string_view, std::int64_t>, 16> m_sizes = {};
  std::size_t m_n = 0;
};

/// \brief Refuses an array that is missing or has other extents than its dimensions:
///        `where: name has shape (2, 3), expected (2, 4)`.
///
/// A dimension of unknown size gets the extent of this array.
/// \throws parhelion::Error
void check_extents(std::string_view where, ArrayDescription const& description, ConstArrayRef const& array,
                   Dimensions& dimensions);

/// \brief The same for all arrays of a set, on hosts and devices.
/// \return the dimensions, including those of the set
template <DescribedArrays Set>
Dimensions check_extents(std::string_view where, Set const& set, Dimensions dimensions) {
  Set::for_each_array([&](ArrayDescription const& description,
                          auto const& view) { check_extents(where, description, array_ref(view), dimensions); },
                      set);
  return dimensions;
}

/// \brief Refuses the first value, in the order of the indices, that is not finite or out of range:
///        `where: name(3, 17) = -4 K, expected a positive number`.
/// \param where       begins the message
/// \param description of the array: name, unit and range
/// \param array       in host memory; may be empty
/// \param expected    what is expected, in words; empty: describe() of the range
/// \param factor      by which entries are multiplied to have the unit of the description
/// \throws parhelion::Error
void check_values(std::string_view where, ArrayDescription const& description, ConstArrayRef const& array,
                  std::string_view expected = {}, double factor = 1);

/// \brief The numbers of values of arrays that are outside of ranges, all counted in one parallel loop.
///
/// For repeated use: memory is allocated once.
class OutsideCounts {
 public:
  /// \brief Adds an array.
  /// \param array   of float or double, in host memory, of any strides; may be empty
  /// \param lowest,highest the range, in the precision of the array. NaN is outside of any range.
  /// \return its number, for of()
  std::size_t add(ConstArrayRef const& array, double lowest, double highest);

  /// Counts the values of the arrays that were added.
  void run(HostThreads const& threads);

  /// The number of values outside, after run().
  std::int64_t of(std::size_t number) const { return m_jobs[number].outside; }
  /// That of all arrays.
  std::int64_t all() const;

  /// The number of arrays.
  std::size_t size() const { return m_jobs.size(); }

  /// Forgets the arrays.
  void clear();

  /// \brief The loops over an array, from the fastest to the slowest, neighbouring ones joined.
  struct Loops {
    std::int64_t extent[max_array_rank];
    std::int64_t stride[max_array_rank];
    int n = 0;
  };

 private:
  struct Job {
    ConstArrayRef array;
    double lowest, highest;
    Loops loops;
    std::int64_t blocks_of_row, rows_of_block;
    std::size_t first_block;
    std::int64_t outside;
  };

  std::vector<Job> m_jobs;
  std::vector<std::int64_t> m_outside_of_block;
  std::size_t m_nblock = 0;
};

/// \brief The number of values of an array that are not in [lowest, highest], including NaN, see OutsideCounts.
std::int64_t count_outside(HostThreads const& threads, ConstArrayRef const& array, double lowest, double highest);

/// \brief What a copy does with values: it multiplies them by a factor and then replaces those outside of a range by
///        its nearest end. NaN stays NaN.
struct ValueMap {
  double factor = 1;
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();

  constexpr bool changes_nothing() const {
    return factor == 1 && lowest == -std::numeric_limits<double>::infinity() &&
           highest == std::numeric_limits<double>::infinity();
  }
};

/// \brief An input array of a call: one array, or one for each index of a dimension, such as one for each gas.
///
/// Values mean what their description says after the map has been applied.
struct InputArray {
  ConstArrayRef array;              ///< with parts, only its extents count, and that its data are not null
  int dimension = -1;               ///< the dimension whose indices have a part each; -1: there are no parts
  ConstArrayRef const* parts = {};  ///< of one dimension less than the array; absent ones count as 0
  ValueMap map = {};

  InputArray() = default;
  InputArray(ConstArrayRef the_array, ValueMap the_map = {}) : array(the_array), map(the_map) {}
};

/// \brief Copies between arrays in host memory of any strides, with a change of precision, all in one pass.
///
/// Every entry is written once. Arrays with different fastest dimensions are transposed in tiles.
class ArrayCopies {
 public:
  /// \brief Adds a copy between two arrays.
  /// \param from must live until run(); without data: zeros
  /// \param to   of the same rank; if it is larger than `from`, the rest is set to 0. Integers are copied to integers
  ///             only.
  /// \param map  what is done with the values, not with integers
  void add(ConstArrayRef const& from, ArrayRef const& to, ValueMap const& map = {});

  /// \brief Makes the added copies and clears the list. Returns when they are done.
  /// \param host instance whose threads copy
  template <KokkosExecutionSpace HostSpace>
  void run(HostSpace const& host);

  /// \brief The same with the threads of an instance of any type.
  /// \param threads threads that copy
  void run(HostThreads const& threads);

  /// A piece of a copy: two inner loops over entries with these strides.
  struct Piece {
    void const* from;  ///< nullptr: zeros
    void* to;
    std::int64_t n[2];            ///< of the outer and the inner loop
    std::int64_t from_stride[2];  ///< [entries]
    std::int64_t to_stride[2];
    ValueType from_type;
    ValueType to_type;
    ValueMap map;
  };

 private:
  void add_pieces(ConstArrayRef const& from, ArrayRef const& to, ValueMap const& map);
  /// That are written.
  std::int64_t entries() const;

  std::vector<Piece> m_pieces;
};

/// \brief Copies the arrays of a set in host memory to the layout and precision of another set. Allocates.
/// \param threads threads that copy
/// \param from    arrays in host memory with any strides; empty ones stay empty. Other members are not copied.
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
