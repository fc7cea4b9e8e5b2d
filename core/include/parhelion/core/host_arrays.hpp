// SPDX-License-Identifier: BSD-3-Clause
// What calls from host arrays to host arrays have in common: checks of the caller's arrays, and the way to the device
// and back.
#ifndef PARHELION_CORE_HOST_ARRAYS_HPP
#define PARHELION_CORE_HOST_ARRAYS_HPP

#include <parhelion/core/types.hpp>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion {

namespace Impl {

template <KokkosView View>
std::vector<std::size_t> extents_of(View const& view) {
  std::vector<std::size_t> extents(View::rank());
  for (std::size_t r = 0; r < View::rank(); ++r) extents[r] = view.extent(r);
  return extents;
}

void check_extents(std::string_view where, std::string_view name, std::vector<std::size_t> const& extents,
                   std::initializer_list<std::size_t> expected);

[[noreturn]] void refuse_value(std::string_view where, std::string_view name, std::vector<std::size_t> const& extents,
                               std::size_t position, double value, std::string_view unit, std::string_view expected);

// Copies rows between arrays of any layouts and precisions, of `to`'s extents but for the first. Where `reversed`, the
// second index counts from the other end.
template <class From, class To>
struct ConvertRows {
  using Value = typename To::non_const_value_type;

  From from;
  To to;
  int from_first;
  int to_first;
  bool reversed;

  void operator()(int row) const {
    auto const extent = [&](int dimension) { return static_cast<int>(to.extent(dimension)); };
    int const p = from_first + row;
    int const q = to_first + row;
    if constexpr (To::rank() == 1) {
      to(q) = static_cast<Value>(from(p));
    } else {
      for (int i = 0; i < extent(1); ++i) {
        int const from_i = reversed ? extent(1) - 1 - i : i;
        if constexpr (To::rank() == 2) {
          to(q, i) = static_cast<Value>(from(p, from_i));
        } else {
          for (int j = 0; j < extent(2); ++j) {
            if constexpr (To::rank() == 3) {
              to(q, i, j) = static_cast<Value>(from(p, from_i, j));
            } else {
              for (int k = 0; k < extent(3); ++k) to(q, i, j, k) = static_cast<Value>(from(p, from_i, j, k));
            }
          }
        }
      }
    }
  }
};

template <class From, class To>
void convert_rows(From const& from, int from_first, To const& to, int to_first, int n, bool reversed) {
  static_assert(To::rank() >= 1 && To::rank() <= 4 && From::rank() == To::rank(), "arrays of one to four dimensions");
  Kokkos::parallel_for("parhelion::core::convert_rows", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, n),
                       ConvertRows<From, To>{from, to, from_first, to_first, reversed});
  Kokkos::DefaultHostExecutionSpace().fence("parhelion::core::convert_rows");
}

}  // namespace Impl

/// \brief Refuses an array of other extents: `where: name has shape (2, 3), expected (2, 4)`.
/// \throws parhelion::Error
template <KokkosView View>
void expect_shape(std::string_view where, View const& view, std::string_view name,
                  std::initializer_list<std::size_t> expected) {
  Impl::check_extents(where, name, Impl::extents_of(view), expected);
}

/// \brief Refuses the first value that is not finite or that `good` does not accept:
///        `where: name(3, 17) = -4 K, expected a positive number`.
/// \param where    opens the message
/// \param view     in host memory, row-major
/// \param name     of the array in the message
/// \param unit     of the values, empty for none
/// \param expected what is accepted, in words
/// \param good     callable, says whether a value is accepted
/// \throws parhelion::Error
template <KokkosView View, class Good>
void expect_values(std::string_view where, View const& view, std::string_view name, std::string_view unit,
                   std::string_view expected, Good const& good) {
  auto const* const data = view.data();
  for (std::size_t i = 0; i < view.size(); ++i) {
    auto const value = static_cast<double>(data[i]);
    if (!std::isfinite(value) || !good(value))
      Impl::refuse_value(where, name, Impl::extents_of(view), i, value, unit, expected);
  }
}

/// The rows [first, last) of a View: those with these values of the first index.
template <KokkosView View>
auto rows(View const& view, int first, int last) {
  std::pair<int, int> const range(first, last);
  if constexpr (View::rank() == 1)
    return Kokkos::subview(view, range);
  else if constexpr (View::rank() == 2)
    return Kokkos::subview(view, range, Kokkos::ALL);
  else if constexpr (View::rank() == 3)
    return Kokkos::subview(view, range, Kokkos::ALL, Kokkos::ALL);
  else
    return Kokkos::subview(view, range, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
}

/// \brief Copies rows [first, first + to.extent(0)) of a host array to all rows of a device array, whose layout and
///        precision may be others. Fences.
/// \param space    execution space instance
/// \param from     host array
/// \param to       device array, all of which is overwritten
/// \param first    row of the host array that becomes row 0
/// \param reversed whether the second index counts from the other end on the device
template <KokkosExecutionSpace ExecutionSpace, KokkosView From, KokkosView To>
void to_device(ExecutionSpace const& space, From const& from, To const& to, int first, bool reversed = false) {
  auto const stage =
      Kokkos::create_mirror_view(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), to);
  Impl::convert_rows(from, first, stage, 0, static_cast<int>(to.extent(0)), reversed);
  Kokkos::deep_copy(space, to, stage);
  space.fence("parhelion::core::to_device");
}

/// \brief The way back: all rows of a device array to the rows of a host array from `first` on. Fences.
/// \param space    execution space instance
/// \param from     device array
/// \param to       may end earlier than `from` in dimensions other than the first, unless `reversed`
/// \param first    row of the host array to which row 0 is copied
/// \param reversed whether the second index counts from the other end on the device
template <KokkosExecutionSpace ExecutionSpace, KokkosView From, KokkosView To>
void to_host(ExecutionSpace const& space, From const& from, To const& to, int first, bool reversed = false) {
  auto const stage =
      Kokkos::create_mirror_view(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), from);
  Kokkos::deep_copy(space, stage, from);
  space.fence("parhelion::core::to_host");
  Impl::convert_rows(stage, 0, to, first, static_cast<int>(from.extent(0)), reversed);
}

}  // namespace parhelion

#endif
