// SPDX-License-Identifier: BSD-3-Clause
// Arrays of callers.
#ifndef PARHELION_C_ARRAYS_HPP
#define PARHELION_C_ARRAYS_HPP

#include "errors.hpp"

#include <parhelion/core/arrays.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parhelion::C {

/// What the entries of an array are to be.
enum class Entries { real, integer };

/// \brief The arrays of a call, checked one after another.
///
/// Every array is refused that has an unknown type, an impossible rank, an extent below 1 or beyond what `int` holds,
/// is not aligned, or reaches beyond all addresses; and results whose entries lie on each other or on those of another
/// array. Of arrays with gaps only those are found that begin at the same entry, as two may be interlaced. All arrays
/// of a call are in one place: on the host, or on one device.
class CallArrays {
 public:
  /// \param where  begins messages
  /// \param device whether arrays may be on a device
  CallArrays(char const* where, bool device) : m_where(where), m_device_allowed(device) {}

  /// An array that is read; without data where it is absent.
  ConstArrayRef input(std::string_view name, parhelion_array const& array, Entries entries = Entries::real);

  /// The same; refused where it is absent.
  ConstArrayRef required_input(std::string_view name, parhelion_array const& array, Entries entries = Entries::real);

  /// An array that is written; without data where it is absent.
  ArrayRef output(std::string_view name, parhelion_array const& array, Entries entries = Entries::real);
  ArrayRef required_output(std::string_view name, parhelion_array const& array, Entries entries = Entries::real);

  /// Whether the arrays so far are on a device, and its number.
  std::optional<int> device() const { return m_device; }

 private:
  ArrayRef convert(std::string_view name, parhelion_array const& array, Entries entries);
  [[noreturn]] void refuse_absent(std::string_view name) const;
  void refuse_overlap(std::string_view name, ArrayRef const& array, bool written);

  /// Where an array lies.
  struct Memory {
    std::array<char, 32> name = {};  ///< as much of it as fits
    bool written = false;
    std::uintptr_t origin = 0;  ///< of the entry whose indices are all 0
    std::uintptr_t begin = 0, end = 0;
    bool without_gaps = false;
  };

  char const* m_where;
  bool m_device_allowed;
  std::string m_first = {};  ///< name of the first array
  std::optional<int> m_device = {};
  std::array<Memory, 128> m_memory = {};  ///< of the arrays so far; calls have fewer, and do not allocate
  std::size_t m_n = 0;
};

/// A reference whose first dimension, of extent 1, is made longer: all its indices have the same values.
ConstArrayRef spread(ConstArrayRef array, std::int64_t n);

/// The shape of an array in messages: "(2, 3)".
std::string shape_text(ConstArrayRef const& array);

}  // namespace parhelion::C

#endif
