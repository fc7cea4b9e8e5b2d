// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/child_process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace parhelion::io {

Connection::~Connection() { ::close(m_descriptor); }

void Connection::send(void const* bytes, std::size_t size) {
  auto const* at = static_cast<char const*>(bytes);
  while (size > 0) {
    // Without a signal where the other end is closed.
    auto const sent = ::send(m_descriptor, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw ConnectionEnded();
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void Connection::receive(void* bytes, std::size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    auto const got = ::recv(m_descriptor, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw ConnectionEnded();
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}

void Connection::send_message(std::string_view bytes) {
  std::uint64_t const size = bytes.size();
  send(&size, sizeof size);
  send(bytes.data(), bytes.size());
}

std::string Connection::receive_message() {
  std::uint64_t size = 0;
  receive(&size, sizeof size);
  std::string bytes(size, '\0');
  receive(bytes.data(), bytes.size());
  return bytes;
}

namespace {

// Keeps the child from what its parent does: reacting to signals, printing, leaving a core file.
void settle_in_child() {
  for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, SIG_IGN);
  for (int const number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) std::signal(number, SIG_DFL);
  rlimit const none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  int const nowhere = ::open("/dev/null", O_RDWR);
  for (int const number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, number);
}

}  // namespace

ChildProcess::ChildProcess(std::function<void(Connection&)> const& work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  m_id = ::fork();
  if (m_id == 0) {
    settle_in_child();
    ::close(ends[0]);
    try {
      Connection connection(ends[1]);
      work(connection);
    } catch (...) {  // nobody is left to tell
    }
    ::_exit(0);  // what the original has buffered is the original's to write
  }
  ::close(ends[1]);
  if (m_id < 0)
    ::close(ends[0]);
  else
    m_connection.emplace(ends[0]);
}

ChildProcess::~ChildProcess() {
  if (m_id <= 0) return;
  ::kill(m_id, SIGKILL);
  ending_signal();
}

int ChildProcess::ending_signal() {
  while (m_id > 0) {
    if (::waitpid(m_id, &m_status, 0) < 0 && errno == EINTR) continue;
    m_id = -1;
  }
  return WIFSIGNALED(m_status) ? WTERMSIG(m_status) : 0;
}

void put(std::string& to, std::string const& text) {
  put(to, text.size());
  to += text;
}

void take(std::string_view& from, std::string& text) {
  std::size_t size = 0;
  take(from, size);
  text = from.substr(0, size);
  from.remove_prefix(size);
}

}  // namespace parhelion::io
