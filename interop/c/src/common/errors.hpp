// SPDX-License-Identifier: BSD-3-Clause
// Exceptions become statuses, and messages of the calling thread.
#ifndef PARHELION_C_ERRORS_HPP
#define PARHELION_C_ERRORS_HPP

#include <parhelion.h>

#include <parhelion/core/error_kinds.hpp>

#include <string>
#include <utility>

namespace parhelion::C {

/// \brief Keeps the message of the exception that is being handled for the calling thread.
/// \return its status
int status_of_current_exception() noexcept;

/// Calls the action of a function of the C interface. Returns its status; nothing is thrown.
template <class Action>
int guarded(Action const& action) noexcept {
  try {
    action();
    return PARHELION_SUCCESS;
  } catch (...) {
    return status_of_current_exception();
  }
}

/// The last message of the calling thread.
std::string const& last_message() noexcept;

/// Throws a FileError with the message of an error of a reader.
[[noreturn]] void throw_as_file_error(Error const& error);

/// Calls an action that reads files: what it refuses is an error of a file.
template <class Action>
auto reading(Action const& action) {
  try {
    return action();
  } catch (FileError const&) {
    throw;
  } catch (MemoryError const&) {
    throw;
  } catch (Error const& error) {
    throw_as_file_error(error);
  }
}

/// \brief Writes as much of a text as fits, ended by a 0 byte.
/// \param text where to; may be null if size is 0
/// \param size of `text` [bytes]
void write_text(std::string const& from, char* text, std::size_t size) noexcept;

}  // namespace parhelion::C

#endif
