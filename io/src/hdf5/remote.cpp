// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/remote.hpp"

#include "hdf5/handle.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <hdf5.h>

#include <csignal>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include <sys/time.h>

namespace parhelion::io {

namespace {

// A signal ends the child when an answer takes longer than this [seconds of processor time]: HDF5 loops for ever in
// some damaged files. Values are asked for in pieces, each of which usually takes less than a second.
constexpr int seconds_for_values = 60, seconds_for_others = 20;

// Answers with whether all went well, and then with the bytes or the error message.
template <class Work>
void answer(Connection& connection, int seconds, Work const& work) {
  itimerval const limit{{}, {seconds, 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  bool good = true;
  std::string bytes;
  try {
    work(bytes);
  } catch (std::exception const& error) {
    good = false;
    bytes = error.what();
  }
  connection.send(&good, sizeof good);
  connection.send_message(bytes);
}

}  // namespace

Hdf5File::Remote::Remote(std::string path)
    : m_path(std::move(path)), m_child([this](Connection& connection) { serve(connection); }) {}

std::string Hdf5File::Remote::take_answer(std::string const& variable) {
  try {
    bool good = false;
    m_child.connection().receive(&good, sizeof good);
    auto bytes = m_child.connection().receive_message();
    if (good) return bytes;
    throw Error(m_path, without_path(bytes));
  } catch (ConnectionEnded const&) {
    refuse_ended(variable);
  }
}

std::string Hdf5File::Remote::without_path(std::string const& message) const {
  return message.starts_with(m_path + ": ") ? message.substr(m_path.size() + 2) : message;
}

void Hdf5File::Remote::refuse_ended(std::string const& variable) {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  int const signal = m_child.ending_signal();
  if (signal == SIGKILL)
    throw Error(label(m_path, variable), "the process that read it was killed, as where there is too little memory");
  throw Error(label(m_path, variable),
              fmt::format("damaged HDF5: HDF5 {}.{}.{} {} reading it", major, minor, release,
                          signal == SIGPROF ? "does not come to an end" : fmt::format("crashes (signal {})", signal)));
}

// What the child does.
void Hdf5File::Remote::serve(Connection& connection) const {
  read_hdf5_in_child(false);
  std::optional<Hdf5File> file;
  answer(connection, seconds_for_others, [&](std::string&) { file.emplace(m_path); });
  while (file) {
    auto const request = connection.receive_message();
    std::string_view rest = request;
    auto const question = static_cast<Question>(rest.front());
    rest.remove_prefix(1);
    std::string variable, name;
    std::vector<ItemRange> ranges;
    take(rest, variable);
    if (question == Question::text || question == Question::numbers) take(rest, name);
    if (question == Question::read) take(rest, ranges);
    answer(connection, question == Question::read ? seconds_for_values : seconds_for_others, [&](std::string& to) {
      switch (question) {
        case Question::variables:
          return put(to, file->variables(variable));
        case Question::groups:
          return put(to, file->groups(variable));
        case Question::exists:
          return put(to, file->exists(variable));
        case Question::shape:
          return put(to, file->shape(variable));
        case Question::rows:
          return put(to, file->rows_at_a_time(variable));
        case Question::read:
          return put(to, file->read(variable, ranges));
        case Question::strings:
          return put(to, file->read_strings(variable));
        case Question::text:
          return put(to, file->text_attribute(variable, name));
        case Question::numbers:
          return put(to, file->number_attribute(variable, name));
      }
    });
  }
}

}  // namespace parhelion::io
