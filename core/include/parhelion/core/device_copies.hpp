// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_DEVICE_COPIES_HPP
#define PARHELION_CORE_DEVICE_COPIES_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>

#include <array>
#include <cstdint>

namespace parhelion {

/// \brief Copies between arrays in the memory of an execution space, of any strides, with a change of precision: a
///        single kernel for all of them.
///
/// Neighbouring threads write neighbouring entries, and each reads several that are neighbours where it can.
template <KokkosExecutionSpace ExecutionSpace>
class DeviceCopies {
 public:
  /// \brief Adds a copy between two arrays of the same extents.
  /// \param from of any strides; without data: zeros
  /// \param to   of any strides, at most four dimensions; float or double for float or double, integers for integers
  /// \param map  what is done with the values, not with integers
  /// \throws parhelion::Error on arrays that cannot be copied
  void add(ConstArrayRef const& from, ArrayRef const& to, ValueMap const& map = {});

  /// \brief Enqueues the copies and clears the list; neither allocates nor fences.
  void run(ExecutionSpace const& space);

  static constexpr int loops = 4;  ///< of a copy, as many as an array may have dimensions

  /// A copy, as the kernel has it.
  struct Copy {
    void const* from;
    void* to;
    std::int64_t from_stride[loops], to_stride[loops];  ///< of the loops [entries]
    std::int32_t extent[loops];                         ///< of the loops, from the slowest to the fastest of `to`
    std::int32_t from_type, to_type;                    ///< ValueType
    std::int32_t grouped;                               ///< the loop of which a thread copies several entries
    std::int32_t groups;                                ///< of entries of that loop
    std::int64_t first;                                 ///< threads of the copies before
    double factor, lowest, highest;
    bool maps;

    std::int64_t threads() const {
      std::int64_t n = 1;
      for (int d = 0; d < loops; ++d) n *= d == grouped ? groups : extent[d];
      return n;
    }
  };
  static constexpr int most_copies = 16;  ///< of a kernel, whose arguments have to fit into 4 kB

 private:
  std::array<Copy, 48> m_copies = {};
  int m_n = 0;
};

}  // namespace parhelion

#endif
