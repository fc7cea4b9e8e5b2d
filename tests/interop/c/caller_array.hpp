// SPDX-License-Identifier: BSD-3-Clause
// Arrays as a caller of the C interface has them: with any strides, in memory that is otherwise full of guards.
#ifndef PARHELION_TESTS_INTEROP_CALLER_ARRAY_HPP
#define PARHELION_TESTS_INTEROP_CALLER_ARRAY_HPP

#include <parhelion.h>

#include <parhelion/core/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

namespace parhelion::Testing {

/// How a caller keeps its arrays.
struct Style {
  std::int32_t type = PARHELION_FLOAT64;  ///< of numbers; integers have their own
  bool first_fastest = false;             ///< as in Fortran
  int padding = 0;                        ///< entries between rows that do not belong to the array
  bool backwards = false;                 ///< whether addresses fall with the last index
};

using Index = std::array<std::int64_t, 4>;

/// \brief An array of a caller. Bytes that are not part of it are 0xff: NaN, or -1.
class CallerArray {
 public:
  CallerArray() = default;

  /// \param extents 1 to 4 of them
  /// \param style   how it is kept
  /// \param integer whether its entries are integers
  CallerArray(std::vector<std::int64_t> const& extents, Style const& style, bool integer = false) {
    m_array.type = integer ? PARHELION_INT32 : style.type;
    m_array.where = PARHELION_HOST;
    m_array.rank = static_cast<std::int32_t>(extents.size());
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      std::size_t const d = style.first_fastest ? i : extents.size() - 1 - i;
      m_array.extent[d] = extents[d];
      m_array.stride[d] = stride;
      stride = stride * extents[d] + style.padding;
    }
    std::size_t const last = extents.size() - 1;
    std::int64_t const begin = style.padding;  // guards before it, too
    m_offset = begin;
    if (style.backwards) {
      m_offset += (extents[last] - 1) * m_array.stride[last];
      m_array.stride[last] = -m_array.stride[last];
    }
    m_memory.resize(static_cast<std::size_t>(begin + stride + style.padding) + 1);
    std::memset(m_memory.data(), 0xff, m_memory.size() * sizeof(double));
  }

  /// An array with the values of a View.
  template <KokkosView View>
  static CallerArray of(View const& view, Style const& style, double factor = 1) {
    std::vector<std::int64_t> extents;
    for (std::size_t d = 0; d < View::rank(); ++d) extents.push_back(static_cast<std::int64_t>(view.extent(d)));
    CallerArray result(extents, style, std::is_integral_v<typename View::non_const_value_type>);
    result.for_each([&](Index const& i) { result.set(i, factor * static_cast<double>(at(view, i))); });
    return result;
  }

  /// The entry of a View.
  template <KokkosView View>
  static auto& at(View const& view, Index const& i) {
    std::size_t offset = 0;
    for (std::size_t d = 0; d < View::rank(); ++d) offset += static_cast<std::size_t>(i[d]) * view.stride(d);
    return view.data()[offset];
  }

  /// For a call. It refers to this array, which must not be moved or copied meanwhile.
  parhelion_array describe() {
    parhelion_array array = m_array;
    array.data = address({});
    return array;
  }

  bool empty() const { return m_memory.empty(); }
  std::int32_t type() const { return m_array.type; }
  int rank() const { return m_array.rank; }
  std::int64_t extent(int d) const { return m_array.extent[d]; }

  void for_each(std::function<void(Index const&)> const& action) const {
    Index i = {};
    Index n = {1, 1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_array.rank); ++d) n[d] = m_array.extent[d];
    for (i[0] = 0; i[0] < n[0]; ++i[0])
      for (i[1] = 0; i[1] < n[1]; ++i[1])
        for (i[2] = 0; i[2] < n[2]; ++i[2])
          for (i[3] = 0; i[3] < n[3]; ++i[3]) action(i);
  }

  double value(Index const& i) const {
    void const* const at = const_cast<CallerArray*>(this)->address(i);
    if (type() == PARHELION_FLOAT64) return *static_cast<double const*>(at);
    if (type() == PARHELION_FLOAT32) return static_cast<double>(*static_cast<float const*>(at));
    return *static_cast<std::int32_t const*>(at);
  }

  void set(Index const& i, double value) {
    void* const at = address(i);
    if (type() == PARHELION_FLOAT64)
      *static_cast<double*>(at) = value;
    else if (type() == PARHELION_FLOAT32)
      *static_cast<float*>(at) = static_cast<float>(value);
    else
      *static_cast<std::int32_t*>(at) = static_cast<std::int32_t>(value);
  }

  /// Whether all bytes that are not part of the array are as they were.
  bool guards_are_untouched() const {
    auto copy = *this;
    std::size_t const size = type() == PARHELION_FLOAT64 ? 8 : 4;
    copy.for_each([&](Index const& i) { std::memset(copy.address(i), 0xff, size); });
    auto const* const bytes = reinterpret_cast<unsigned char const*>(copy.m_memory.data());
    for (std::size_t i = 0; i < copy.m_memory.size() * sizeof(double); ++i)
      if (bytes[i] != 0xff) return false;
    return true;
  }

 private:
  void* address(Index const& i) {
    std::int64_t offset = m_offset;
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_array.rank); ++d) offset += i[d] * m_array.stride[d];
    return reinterpret_cast<unsigned char*>(m_memory.data()) + offset * (type() == PARHELION_FLOAT64 ? 8 : 4);
  }

  parhelion_array m_array = {};
  std::int64_t m_offset = 0;  ///< of the first entry [entries]
  std::vector<double> m_memory;
};

}  // namespace parhelion::Testing

#endif
