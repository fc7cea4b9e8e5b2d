// SPDX-License-Identifier: BSD-3-Clause
// The memory that this process may still use.
#ifndef PARHELION_CORE_MEMORY_HPP
#define PARHELION_CORE_MEMORY_HPP

#include <parhelion/core/types.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace parhelion {

/// \brief Bytes of host memory that this process can still allocate.
///
/// The smallest of: the available memory of the machine, and what the control groups (version 1 or 2) of the process
/// and the limits of its address space and data segment (`ulimit -v`, `ulimit -d`) leave. Memory that only caches files
/// counts as available. If none of these can be read, the largest number.
std::size_t available_host_memory();

/// \brief Bytes of memory of the device behind an instance that are not in use. On a host, available_host_memory().
template <KokkosExecutionSpace ExecutionSpace>
std::size_t available_device_memory(ExecutionSpace const& space);

/// A readable number of bytes, such as "12.3 MB".
std::string bytes_text(std::size_t bytes);

/// \brief Refuses work that needs more host memory than is available.
/// \param where  what needs the memory: a file, an array, a call
/// \param needed [bytes]
/// \param advice how to make it fit, such as "a smaller --chunk makes it fit"; may be empty
/// \throws parhelion::Error with both numbers and the advice
void require_host_memory(std::string_view where, std::size_t needed, std::string_view advice);

}  // namespace parhelion

#endif
