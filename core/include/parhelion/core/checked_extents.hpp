// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_CHECKED_EXTENTS_HPP
#define PARHELION_CORE_CHECKED_EXTENTS_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>

#include <cstddef>
#include <vector>

namespace parhelion {

/// \brief The extents of the arrays of the last call of a solver, so that a similar call need not be checked again.
///
/// A call on a device may take a few microseconds, in which there is no time to compare all descriptions. Each object
/// is for sets of the same types.
class CheckedExtents {
 public:
  /// \brief Calls `check` unless the arrays have the extents of those that passed it last.
  /// \param check callable without arguments; throws if extents are wrong
  /// \param sets  the arrays of the call
  template <class Check, DescribedArrays... Sets>
  void operator()(Check const& check, Sets const&... sets) {
    if (m_extents.empty()) {
      std::size_t n = 0;
      auto const count = [&]<KokkosView View>(ArrayDescription const& /* description */, View const& /* view */) {
        n += View::rank();
      };
      (Sets::for_each_array(count, sets), ...);
      m_extents.resize(n);
    }
    std::size_t different = 0;
    std::size_t* extent = m_extents.data();
    auto const compare = [&]<KokkosView View>(ArrayDescription const& /* description */, View const& view) {
      for (std::size_t d = 0; d < View::rank(); ++d) {
        different |= *extent ^ view.extent(d);
        *extent++ = view.extent(d);
      }
    };
    (Sets::for_each_array(compare, sets), ...);
    if (m_passed && different == 0) return;
    m_passed = false;
    check();
    m_passed = true;
  }

 private:
  std::vector<std::size_t> m_extents;
  bool m_passed = false;
};

}  // namespace parhelion

#endif
