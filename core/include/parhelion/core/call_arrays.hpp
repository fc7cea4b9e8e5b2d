// SPDX-License-Identifier: BSD-3-Clause
// The arrays of calls of a HostDriver or a DeviceDriver: their shapes, and their places in the memory of a chunk.
#ifndef PARHELION_CORE_CALL_ARRAYS_HPP
#define PARHELION_CORE_CALL_ARRAYS_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion {

/// \brief The arrays of calls, and their extents except the number of items.
///
/// A missing array has no dimensions here.
struct ArrayShapes {
  std::vector<std::vector<std::int64_t>> extents;  ///< in the order of the descriptions; that of the items is 0

  /// \param descriptions of the arrays
  /// \param arrays       in the order of the descriptions
  /// \param item         name of the dimension that is divided into chunks
  static ArrayShapes of(std::vector<ArrayDescription> const& descriptions, std::vector<ConstArrayRef> const& arrays,
                        std::string_view item);
};

/// Dimensions in which the arrays on the device are longer than those of the caller, and by how much.
using Padding = std::vector<std::pair<std::string_view, int>>;

namespace Impl {

/// The extents of an array; a missing one has no dimensions.
struct Shape {
  int rank = 0;
  std::array<std::int64_t, max_array_rank> extents = {};

  bool missing() const { return rank == 0; }
  /// Number of entries.
  std::size_t size() const {
    std::size_t n = 1;
    for (int d = 0; d < rank; ++d) n *= static_cast<std::size_t>(extents[static_cast<std::size_t>(d)]);
    return n;
  }
};

/// \brief The shape of an array without the number of items: 0 in that dimension, unless it is the same for all.
/// \param array may be missing
Shape shape_of_items(ArrayDescription const& description, ConstArrayRef const& array, std::string_view item);

/// Whether an array is the same for all items: no extent of its shape is that of the items.
bool is_shared(Shape const& shape);

/// What a set of Views has of an array.
struct ViewKind {
  ValueType type;
  bool first_is_fastest;  ///< whether its first index is the fastest, otherwise the last one
};

/// The Views of a set, in the order of its descriptions.
template <DescribedArrays Set>
std::vector<ViewKind> view_kinds_of() {
  std::vector<ViewKind> kinds;
  Set set{};
  Set::for_each_array(
      [&]<class View>(ArrayDescription const&, View&) {
        kinds.push_back({value_type_of<typename View::non_const_value_type>(),
                         std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>});
      },
      set);
  return kinds;
}

[[noreturn]] void refuse_number_of_arrays(std::string_view where, std::size_t input, std::size_t expected_input,
                                          std::size_t result, std::size_t expected_result);

/// The most dimensions of arrays that are reordered on a device, for which DeviceCopies has loops.
inline constexpr int max_reordered_rank = 4;

/// The dimensions of an array in the order in which it is in memory, the slowest one first.
using MemoryOrder = std::array<int, max_array_rank>;

/// Sizes of the arrays of a set [bytes]: those that are shared by all items come first.
struct SetBytes {
  std::size_t shared = 0;
  std::size_t all = 0;
};

/// The places of the arrays of some items in a block of memory, one after another.
struct Places {
  std::vector<Shape> shapes = {};
  std::vector<std::size_t> offsets = {};  ///< in the block [bytes]
  SetBytes bytes = {};
};

/// \brief The input or the results of calls.
struct CallArrays {
  std::vector<ArrayDescription> descriptions;
  std::vector<ViewKind> kinds;
  std::vector<Shape> reserved;      ///< the shapes that calls may have
  std::vector<Shape> present = {};  ///< those of the present call

  /// \tparam Set   of Views
  /// \param shapes that calls may have
  template <DescribedArrays Set>
  static CallArrays of(ArrayShapes const& shapes) {
    return CallArrays(descriptions_of<Set>(), view_kinds_of<Set>(), shapes);
  }

  CallArrays(std::vector<ArrayDescription> descriptions_of_set, std::vector<ViewKind> kinds_of_set,
             ArrayShapes const& shapes);

  /// Size of the arrays of n items [bytes].
  std::size_t bytes(std::string_view item, std::int64_t n, Padding const& padding) const;

  /// \brief Gives the arrays of n items of the present call places.
  /// \param item   dimension of the items
  /// \param places overwritten
  void place(std::string_view item, std::int64_t n, Padding const& padding, Places& places) const;

  /// References to the arrays at their places in a block, in the layout of the Views.
  void refer(Places const& places, std::byte* block, std::vector<ArrayRef>& arrays) const;

  /// \brief The same with dimensions in another order.
  /// \param orders of each array
  void refer(Places const& places, std::vector<MemoryOrder> const& orders, std::byte* block,
             std::vector<ArrayRef>& arrays) const;

  /// \brief The order of the dimensions of an array of a caller, if another dimension is the fastest than in the View;
  ///        otherwise that of the View.
  /// \param i      number of the description
  /// \param given  array of the caller
  /// \param places of the arrays
  /// \param order  overwritten
  /// \return whether the order is not that of the View
  bool set_order(std::size_t i, ConstArrayRef const& given, Places const& places, MemoryOrder& order) const;
};

/// \brief An array in place of one that may consist of parts, with the strides of the first part that is not missing.
///        Its data are not to be used.
ConstArrayRef with_strides(InputArray const& input);

/// \brief The arrays of calls, and the shapes of those of the present call.
struct CallShapes {
  std::string_view where;  ///< begins messages
  std::string_view item;   ///< the dimension that is divided into chunks
  Dimensions dimensions;   ///< sizes that are the same in all calls
  Padding padding;
  CallArrays input, result;

  /// \brief Checks the arrays of a call and sets their shapes.
  /// \return number of items
  /// \throws parhelion::Error where arrays are not those that calls may have
  int check(std::vector<InputArray> const& of_input, std::vector<ArrayRef> const& of_result);
};

/// \brief Adds the copies of the items [first, first + n) of an input array.
/// \tparam Copies     ArrayCopies or DeviceCopies
/// \param description of the array
/// \param shared      whether it does not depend on the items
/// \param to          of the same extents, or larger
template <class Copies>
void add_copies(Copies& copies, ArrayDescription const& description, InputArray const& input, std::string_view item,
                bool shared, int first, int n, ArrayRef const& to) {
  int const d = description.position_of(item);
  if (input.parts == nullptr) {
    copies.add(shared ? input.array : input.array.part(d, first, n), to, input.map);
    return;
  }
  // The dimension of the items in a part, which lacks that of the parts.
  int const d_of_part = d > input.dimension ? d - 1 : d;
  for (std::int64_t i = 0; i < input.array.extents[static_cast<std::size_t>(input.dimension)]; ++i) {
    auto const& part = input.parts[i];
    copies.add(part.empty() ? ConstArrayRef()
               : shared     ? part
                            : part.part(d_of_part, first, n),
               to.slice(input.dimension, i), input.map);
  }
}

/// A View of memory that others own, with the extents of the array, in the layout of the View.
template <KokkosView View>
void place(View& view, std::byte* memory, Shape const& shape) {
  using Layout = typename View::array_layout;
  static_assert(std::is_same_v<Layout, Kokkos::LayoutRight> || std::is_same_v<Layout, Kokkos::LayoutLeft>,
                "arrays on devices are contiguous");
  if (shape.missing()) {
    view = View();
    return;
  }
  Layout layout;
  for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = static_cast<std::size_t>(shape.extents[d]);
  view = View(reinterpret_cast<typename View::pointer_type>(memory), layout);
}

/// Sets the Views of a set to the places of their arrays in a block of memory.
template <DescribedArrays Set>
void set_views(Set& set, Places const& places, std::byte* block) {
  std::size_t i = 0;
  Set::for_each_array(
      [&](ArrayDescription const&, auto& view) {
        place(view, block + places.offsets[i], places.shapes[i]);
        ++i;
      },
      set);
}

}  // namespace Impl

}  // namespace parhelion

#endif
