// SPDX-License-Identifier: BSD-3-Clause
// Copies of whole arrays between a host and a device.
#ifndef PARHELION_CORE_COPIES_HPP
#define PARHELION_CORE_COPIES_HPP

#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

namespace parhelion {

namespace Impl {

/// \brief Enqueues copies of bytes to and from the memory of an execution space; on a host they are then made.
///
/// core/src/copies.cpp compiles them for all execution spaces.
template <KokkosExecutionSpace ExecutionSpace>
struct ByteCopies {
  static void from_host(ExecutionSpace const& space, void* to, void const* from, std::size_t n);
  static void to_host(ExecutionSpace const& space, void* to, void const* from, std::size_t n);
  static void within(ExecutionSpace const& space, void* to, void const* from, std::size_t n);
};

/// Copies within host memory, after what was enqueued.
template <KokkosExecutionSpace ExecutionSpace>
void copy_on_host(ExecutionSpace const& space, void* to, void const* from, std::size_t n);

[[noreturn]] void refuse_copy(std::string const& to, std::string const& from);

template <KokkosView View>
inline constexpr bool is_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;

/// Whether there is nothing between the entries of an array.
template <KokkosView View>
bool is_contiguous(View const& array) {
  return array.span() == array.size();
}

}  // namespace Impl

/// \brief Enqueues the copy of an array to one of the same extents, values and layout; does not fence.
///
/// It copies bytes. Kokkos::deep_copy does, too, but also has the compiler make loops for arrays of other strides, and
/// these were a tenth of all code that it made.
/// \param space execution space instance, on whose device arrays are that are not in host memory
/// \param to    overwritten
/// \param from  of the same rank, extents, values and layout
/// \throws parhelion::Error if extents differ or an array is not contiguous
template <KokkosExecutionSpace ExecutionSpace, KokkosView To, KokkosView From>
void copy_array(ExecutionSpace const& space, To const& to, From const& from) {
  static_assert(std::is_same_v<typename To::value_type, typename From::non_const_value_type>, "copies do not convert");
  static_assert(To::rank() == From::rank() &&
                    (To::rank() < 2 || std::is_same_v<typename To::array_layout, typename From::array_layout>),
                "copies keep the layout");
  bool fits = Impl::is_contiguous(to) && Impl::is_contiguous(from);
  for (std::size_t d = 0; d < To::rank(); ++d) fits = fits && to.extent(d) == from.extent(d);
  if (!fits) Impl::refuse_copy(to.label(), from.label());
  if (to.size() == 0 || to.data() == from.data()) return;
  std::size_t const n = to.size() * sizeof(typename To::value_type);
  if constexpr (Impl::is_on_host<To> && Impl::is_on_host<From>)
    Impl::copy_on_host(space, to.data(), from.data(), n);
  else if constexpr (Impl::is_on_host<From>)
    Impl::ByteCopies<ExecutionSpace>::from_host(space, to.data(), from.data(), n);
  else if constexpr (Impl::is_on_host<To>)
    Impl::ByteCopies<ExecutionSpace>::to_host(space, to.data(), from.data(), n);
  else
    Impl::ByteCopies<ExecutionSpace>::within(space, to.data(), from.data(), n);
}

/// \brief Sets all entries of an array in host memory.
/// \param array contiguous
/// \param value of each entry
/// \throws parhelion::Error if the array is not contiguous
template <KokkosView View>
void fill_array(View const& array, typename View::value_type const& value) {
  static_assert(Impl::is_on_host<View>);
  if (!Impl::is_contiguous(array)) Impl::refuse_copy(array.label(), "a number");
  std::fill_n(array.data(), array.size(), value);
}

/// \brief An array in host memory with the values of another one: the same, where that is in host memory already.
///        Allocates and fences.
/// \param space see copy_array()
/// \param array in host memory or on the device
template <KokkosExecutionSpace ExecutionSpace, KokkosView View>
auto host_copy(ExecutionSpace const& space, View const& array) {
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), array);
  if constexpr (!std::is_same_v<std::remove_const_t<decltype(host)>, View>) copy_array(space, host, array);
  space.fence("parhelion::core::host_copy");
  return host;
}

/// \brief The same for an array whose values any instance may have set.
/// \param array in host memory or on the device of the default instance
template <KokkosView View>
auto host_copy(View const& array) {
  Kokkos::fence();
  return host_copy(typename View::execution_space(), array);
}

/// \brief Sets the values of an array, whichever instance may use it. Fences.
/// \param array  contiguous, in host memory or on the device of the default instance
/// \param values an array of the same extents and layout, or a number
/// \throws parhelion::Error if extents differ or an array is not contiguous
template <KokkosView View, class Values>
void assign_array(View const& array, Values const& values) {
  Kokkos::fence();
  if constexpr (Kokkos::is_view_v<Values>) {
    using Space = typename std::conditional_t<Impl::is_on_host<View>, Values, View>::execution_space;
    copy_array(Space(), array, values);
    Kokkos::fence();
  } else {
    auto const host = Kokkos::create_mirror_view(array);
    fill_array(host, static_cast<typename View::value_type>(values));
    if constexpr (!Impl::is_on_host<View>) assign_array(array, host);
  }
}

}  // namespace parhelion

#endif
