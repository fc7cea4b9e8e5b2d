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

  /// \brief Calls body(0) ... body(n - 1), each once, with dynamic scheduling; returns when all are done.
  /// \param label of the kernel, `parhelion::...`
  /// \param n     blocks
  /// \param body  may be called by several threads at a time
  void for_each(std::string const& label, std::size_t n, std::function<void(std::size_t)> const& body) const {
    m_for_each(label, n, body);
  }

 private:
  std::function<void(std::string const&, std::size_t, std::function<void(std::size_t)> const&)> m_for_each;
};

}  // namespace parhelion

#endif
