// SPDX-License-Identifier: BSD-3-Clause
// A file that a child of this process reads, see read_hdf5_in_child().
#ifndef PARHELION_IO_HDF5_REMOTE_HPP
#define PARHELION_IO_HDF5_REMOTE_HPP

#include <parhelion/io/hdf5.hpp>

#include "hdf5/child_process.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace parhelion::io {

/// Values of a variable are asked for in pieces of about this size [bytes], or in stored pieces of the file that are
/// larger. While a variable is read, the answer with a piece and its values are in memory beside all its values.
inline constexpr std::size_t piece_bytes = std::size_t(1) << 24;

/// The questions to the child that reads a file.
enum class Question : char { variables, groups, exists, shape, rows, read, strings, text, numbers };

inline void put(std::string& to, ItemRange const& range) {
  put(to, range.first);
  put(to, range.count);
}

inline void take(std::string_view& from, ItemRange& range) {
  take(from, range.first);
  take(from, range.count);
}

/// The file as a child has it open. The child alone calls HDF5.
class Hdf5File::Remote {
 public:
  explicit Remote(std::string path);

  bool started() const { return m_child.started(); }

  /// Takes the answer to a question about `variable`; about none: how opening the file went.
  std::string take_answer(std::string const& variable);

  template <class Result, class... More>
  Result ask(Question question, std::string const& variable, More const&... more) {
    std::string request(1, static_cast<char>(question));
    put(request, variable);
    (put(request, more), ...);
    try {
      m_child.connection().send_message(request);
    } catch (ConnectionEnded const&) {
      refuse_ended(variable);
    }
    std::string const bytes = take_answer(variable);
    std::string_view rest = bytes;
    Result result{};
    take(rest, result);
    return result;
  }

 private:
  std::string without_path(std::string const& message) const;
  [[noreturn]] void refuse_ended(std::string const& variable);
  void serve(Connection& connection) const;

  std::string m_path;
  ChildProcess m_child;
};

}  // namespace parhelion::io

#endif
