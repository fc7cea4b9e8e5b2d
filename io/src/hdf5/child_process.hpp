// SPDX-License-Identifier: BSD-3-Clause
// A child of this process that answers questions, and may crash without harm.
#ifndef PARHELION_IO_CHILD_PROCESS_HPP
#define PARHELION_IO_CHILD_PROCESS_HPP

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace parhelion::io {

/// Thrown where the process at the other end of a connection is gone.
struct ConnectionEnded {};

/// One end of a stream of bytes between two processes.
class Connection {
 public:
  explicit Connection(int descriptor) : m_descriptor(descriptor) {}
  ~Connection();
  Connection(Connection const&) = delete;
  Connection& operator=(Connection const&) = delete;

  /// \throws ConnectionEnded
  void send(void const* bytes, std::size_t size);
  void receive(void* bytes, std::size_t size);

  /// A number of bytes, and then these.
  void send_message(std::string_view bytes);
  std::string receive_message();

 private:
  int m_descriptor;
};

/// \brief A forked copy of this process, which does `work` with its end of a connection and ends.
///
/// It has no threads but its own one, prints nothing, and leaves the end of this process's connection, Ctrl-C and its
/// like to its parent. The destructor ends it.
class ChildProcess {
 public:
  explicit ChildProcess(std::function<void(Connection&)> const& work);
  ~ChildProcess();
  ChildProcess(ChildProcess const&) = delete;
  ChildProcess& operator=(ChildProcess const&) = delete;

  /// False where the system has no room for another process.
  bool started() const { return m_connection.has_value(); }

  Connection& connection() { return *m_connection; }

  /// The signal that ended it, 0 where it has ended in another way. Waits for the end.
  int ending_signal();

 private:
  pid_t m_id = -1;
  int m_status = 0;
  std::optional<Connection> m_connection;
};

// --- values as bytes ---------------------------------------------------------------------------------------------

// Declared before they are defined, because they call each other.
void put(std::string& to, std::string const& text);
void take(std::string_view& from, std::string& text);
template <class T>
void put(std::string& to, std::vector<T> const& values);
template <class T>
void take(std::string_view& from, std::vector<T>& values);

/// Appends the bytes of a value.
template <class T>
requires std::is_arithmetic_v<T>
void put(std::string& to, T value) { to.append(reinterpret_cast<char const*>(&value), sizeof value); }

/// Takes the bytes of a value away from the beginning of those that `put` has made.
template <class T>
requires std::is_arithmetic_v<T>
void take(std::string_view& from, T& value) {
  from.copy(reinterpret_cast<char*>(&value), sizeof value);
  from.remove_prefix(sizeof value);
}

template <class T>
void put(std::string& to, std::optional<T> const& value) {
  put(to, value.has_value());
  if (value) put(to, *value);
}

template <class T>
void take(std::string_view& from, std::optional<T>& value) {
  bool there = false;
  take(from, there);
  if (there) take(from, value.emplace());
}

template <class T>
void put(std::string& to, std::vector<T> const& values) {
  put(to, values.size());
  if constexpr (std::is_arithmetic_v<T>)
    to.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
  else
    for (auto const& value : values) put(to, value);
}

template <class T>
void take(std::string_view& from, std::vector<T>& values) {
  std::size_t size = 0;
  take(from, size);
  values.resize(size);
  if constexpr (std::is_arithmetic_v<T>) {
    from.copy(reinterpret_cast<char*>(values.data()), size * sizeof(T));
    from.remove_prefix(size * sizeof(T));
  } else {
    for (auto& value : values) take(from, value);
  }
}

}  // namespace parhelion::io

#endif
