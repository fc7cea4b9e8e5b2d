// SPDX-License-Identifier: BSD-3-Clause
// Arrays of a set in other layouts: with the first index fastest, and padded.
#ifndef PARHELION_TESTS_RRTMG_OTHER_LAYOUTS_HPP
#define PARHELION_TESTS_RRTMG_OTHER_LAYOUTS_HPP

#include <parhelion/core/arrays.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

namespace parhelion::Testing {

/// The same arrays in another layout: padded where that is one of strides.
template <class Layout, class Set>
struct InLayout;
template <class Layout, template <KokkosExecutionSpace, FloatingEntry, class> class Set, class Real>
struct InLayout<Layout, Set<Kokkos::DefaultHostExecutionSpace, Real, Kokkos::LayoutRight>> {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using type = Set<Host, Real, Layout>;

  static type from(Set<Host, Real, Kokkos::LayoutRight> const& arrays, bool with_values) {
    type other;
    type::for_each_array(
        [&]<class View>(ArrayDescription const& description, View& to, auto const& given) {
          if (given.size() == 0) return;
          std::string const label(description.name);
          std::array<std::size_t, 3> n{1, 1, 1};
          for (std::size_t d = 0; d < View::rank(); ++d) n[d] = given.extent(d);
          if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
            // Columns fastest, with gaps of three behind them.
            Layout layout;
            std::size_t stride = 1;
            for (std::size_t d = 0; d < View::rank(); ++d) {
              layout.dimension[d] = n[d];
              layout.stride[d] = stride;
              stride *= n[d] + (d == 0 ? 3 : 0);
            }
            to = View(label, layout);
          } else {
            Layout layout;
            for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = n[d];
            to = View(label, layout);
          }
          ArrayCopies copies;
          if (with_values) copies.add(array_ref(given), array_ref(to));
          copies.run(Host());
        },
        other, arrays);
    return other;
  }
};

template <class Layout, class Set>
auto in_layout(Set const& arrays, bool with_values = true) {
  return InLayout<Layout, Set>::from(arrays, with_values);
}

}  // namespace parhelion::Testing

#endif
