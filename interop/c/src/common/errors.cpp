// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

namespace parhelion::C {

namespace {

thread_local std::string t_message;

int keep(int status, char const* message) noexcept {
  try {
    t_message = message;
  } catch (...) {
    t_message = "no memory";  // fits into the object itself
  }
  return status;
}

}  // namespace

int status_of_current_exception() noexcept {
  try {
    throw;
  } catch (ArgumentError const& error) {
    return keep(PARHELION_ERROR_ARGUMENT, error.what());
  } catch (ShapeError const& error) {
    return keep(PARHELION_ERROR_SHAPE, error.what());
  } catch (StateError const& error) {
    return keep(PARHELION_ERROR_STATE, error.what());
  } catch (DeviceError const& error) {
    return keep(PARHELION_ERROR_DEVICE, error.what());
  } catch (FileError const& error) {
    return keep(PARHELION_ERROR_FILE, error.what());
  } catch (MemoryError const& error) {
    return keep(PARHELION_ERROR_MEMORY, error.what());
  } catch (NotFiniteError const& error) {
    return keep(PARHELION_ERROR_NOT_FINITE, error.what());
  } catch (Error const& error) {
    return keep(PARHELION_ERROR_VALUE, error.what());
  } catch (std::bad_alloc const&) {
    return keep(PARHELION_ERROR_MEMORY, "not enough memory");
  } catch (std::exception const& error) {
    // Kokkos says what failed in words only.
    std::string_view const text = error.what();
    bool const memory = text.find("failed to allocate") != std::string_view::npos;
    bool const device = text.find("cuda") != std::string_view::npos || text.find("hip") != std::string_view::npos;
    return keep(memory   ? PARHELION_ERROR_MEMORY
                : device ? PARHELION_ERROR_DEVICE
                         : PARHELION_ERROR_INTERNAL,
                text.empty() ? "an error without a message" : error.what());
  } catch (...) {
    return keep(PARHELION_ERROR_INTERNAL, "an error without a message");
  }
}

std::string const& last_message() noexcept { return t_message; }

void throw_as_file_error(Error const& error) {
  std::string_view const text = error.what();
  auto const end = text.find(": ");
  if (end == std::string_view::npos) throw FileError("file", text);
  throw FileError(text.substr(0, end), text.substr(end + 2));
}

void write_text(std::string const& from, char* text, std::size_t size) noexcept {
  if (text == nullptr || size == 0) return;
  std::size_t const n = std::min(from.size(), size - 1);
  std::memcpy(text, from.data(), n);
  text[n] = '\0';
}

}  // namespace parhelion::C
