// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_HOST_THREADS_HPP
#define PARHELION_CORE_HOST_THREADS_HPP

#include <parhelion/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace parhelion {

/// \brief The threads of an execution space instance of a host, whatever its type.
///
/// For loops over host arrays in blocks: each block costs a call of a function object.
class HostThreads {
 public:
  /// From so many entries of arrays on, other threads are woken. The number was chosen, and not tuned.
  static constexpr std::int64_t worth_several_threads = 65536;

  /// The threads of the default host execution space; in a region of OpenMP the calling thread alone.
  HostThreads();

  /// \brief The threads of an instance; if it is on a device, those of the default host execution space.
  /// \param space execution space instance
  template <KokkosExecutionSpace ExecutionSpace>
  explicit HostThreads(ExecutionSpace const& space);

  /// \brief Calls body(0) ... body(n - 1), each once, with dynamic scheduling; returns when all are done. Does not
  ///        allocate.
  ///
  /// Little work is done by the calling thread: sooner than it would wake others, which calls of other threads at the
  /// same time would wait for, too.
  /// \param label   of the kernel, `parhelion::...`
  /// \param n       blocks
  /// \param body    callable with the number of a block, by several threads at a time
  /// \param entries of arrays that all blocks together read or write, where that says how much work there is
  template <class Body>
  void for_each(std::string const& label, std::size_t n, Body const& body,
                std::int64_t entries = worth_several_threads) const {
    if (n < 2 || entries < worth_several_threads) {
      for (std::size_t i = 0; i < n; ++i) body(i);
      return;
    }
    m_for_each(label, n, &body, [](void const* its_body, std::size_t i) { (*static_cast<Body const*>(its_body))(i); });
  }

 private:
  using Call = void (*)(void const* body, std::size_t i);

  std::function<void(std::string const& label, std::size_t n, void const* body, Call call)> m_for_each;
};

}  // namespace parhelion

#endif
