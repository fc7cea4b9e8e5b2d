// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_HOST_THREADS_HPP
#define PARHELION_CORE_HOST_THREADS_HPP

#include <parhelion/core/types.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace parhelion {

/// \brief The threads of an execution space instance of a host, whatever its type.
///
/// For loops over host arrays in blocks: each block costs a call of a function object.
class HostThreads {
 public:
  /// The threads of the default host execution space.
  HostThreads();

  /// \brief The threads of an instance; if it is on a device, those of the default host execution space.
  /// \param space execution space instance
  template <KokkosExecutionSpace ExecutionSpace>
  explicit HostThreads(ExecutionSpace const& space);

  /// \brief Calls body(0) ... body(n - 1), each once, with dynamic scheduling; returns when all are done. Does not
  ///        allocate.
  /// \param label of the kernel, `parhelion::...`
  /// \param n     blocks
  /// \param body  callable with the number of a block, by several threads at a time
  template <class Body>
  void for_each(std::string const& label, std::size_t n, Body const& body) const {
    m_for_each(label, n, &body, [](void const* its_body, std::size_t i) { (*static_cast<Body const*>(its_body))(i); });
  }

 private:
  using Call = void (*)(void const* body, std::size_t i);

  std::function<void(std::string const& label, std::size_t n, void const* body, Call call)> m_for_each;
};

}  // namespace parhelion

#endif
