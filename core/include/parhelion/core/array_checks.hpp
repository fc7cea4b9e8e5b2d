// SPDX-License-Identifier: BSD-3-Clause
// Checks of single arrays in host memory. Those of a set that describes its arrays are in arrays.hpp.
#ifndef PARHELION_CORE_ARRAY_CHECKS_HPP
#define PARHELION_CORE_ARRAY_CHECKS_HPP

#include <parhelion/core/types.hpp>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace parhelion {

namespace Impl {

template <KokkosView View>
std::vector<std::size_t> extents_of(View const& view) {
  std::vector<std::size_t> extents(View::rank());
  for (std::size_t r = 0; r < View::rank(); ++r) extents[r] = view.extent(r);
  return extents;
}

void expect_extents(std::string_view where, std::string_view name, std::vector<std::size_t> const& extents,
                    std::initializer_list<std::size_t> expected);

[[noreturn]] void refuse_value(std::string_view where, std::string_view name, std::vector<std::size_t> const& extents,
                               std::size_t position, double value, std::string_view unit, std::string_view expected);

}  // namespace Impl

/// \brief Refuses an array of other extents: `where: name has shape (2, 3), expected (2, 4)`.
/// \param where    begins the message
/// \param view     whose extents are compared
/// \param name     of the array in the message
/// \param expected the extents that it must have
/// \throws parhelion::Error
template <KokkosView View>
void expect_shape(std::string_view where, View const& view, std::string_view name,
                  std::initializer_list<std::size_t> expected) {
  // Does not allocate if the array is right.
  bool right = expected.size() == View::rank();
  std::size_t d = 0;
  for (std::size_t const extent : expected) right = right && view.extent(d++) == extent;
  if (!right) Impl::expect_extents(where, name, Impl::extents_of(view), expected);
}

/// \brief Refuses the first value that is not finite or that `good` does not accept:
///        `where: name(3, 17) = -4 K, expected a positive number`.
/// \param where    begins the message
/// \param view     in host memory, row-major, without padding
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

}  // namespace parhelion

#endif
