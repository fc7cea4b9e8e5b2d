// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/output_file.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace parhelion::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = ".parhelion-", suffix = ".tmp";

thread_local OutputGroup* current_group = nullptr;

fs::path folder_of(fs::path const& path) {
  auto const folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// A name in the folder of `path` that no other file of this process has.
std::string temporary_name(fs::path const& path) {
  static int count = 0;
  return (folder_of(path) / fmt::format("{}{}-{}{}", prefix, ::getpid(), ++count, suffix)).string();
}

// The file that a link points to in the end, whether it is there or not; `path` itself where it is no link.
std::string resolved(std::string const& path) {
  constexpr int max_links = 40;  // as Linux has it
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < max_links && fs::is_symlink(target, error); ++i) {
    auto const next = fs::read_symlink(target, error);
    if (error) return path;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

bool same_file(std::string const& first, std::string const& second) {
  struct stat a {
  }, b{};
  bool const first_exists = ::stat(first.c_str(), &a) == 0, second_exists = ::stat(second.c_str(), &b) == 0;
  if (first_exists != second_exists) return false;
  if (first_exists) return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  // Of a relative path whose beginning is not there weakly_canonical would leave all as it is.
  std::error_code error;
  auto const canonical = [&](std::string const& path) {
    return fs::weakly_canonical(fs::absolute(resolved(path), error), error);
  };
  return canonical(first) == canonical(second);
}

// An input that does not exist cannot be lost.
void refuse_input(std::string const& name, std::string const& input) {
  std::error_code error;
  if (!input.empty() && fs::exists(input, error) && same_file(name, input))
    throw Error(name, fmt::format("is the input file{}, which is not written over", name == input ? "" : " " + input));
}

// Removes the temporary files in a folder whose processes have ended: their locks are free.
void remove_abandoned(fs::path const& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    auto const name = entry->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    int const descriptor = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

// A new, locked file; its name goes to `name`. The error number, negative, where none can be made.
int make_temporary(std::string const& target, std::string& name) {
  while (true) {
    name = temporary_name(target);
    int const descriptor = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;  // of a process of that number on another machine
    if (descriptor < 0) return -errno;
    // On file systems without locks, abandoned files are never removed. Between open and lock another process may have
    // removed this file as an abandoned one.
    struct stat status {};
    ::flock(descriptor, LOCK_EX | LOCK_NB);
    if (::fstat(descriptor, &status) == 0 && status.st_nlink > 0) return descriptor;
    ::close(descriptor);
  }
}

}  // namespace

void check_writable(std::string const& name, std::string const& input) {
  if (name.empty()) throw Error("output file", "its name is empty");
  refuse_input(name, input);
  std::error_code error;
  if (fs::exists(name, error) && !fs::is_directory(name, error) && !fs::is_regular_file(name, error))
    throw Error(name, "cannot be written: is not a regular file");
  std::string const path = resolved(name);
  auto const folder = folder_of(path);
  if (fs::is_directory(path, error) || !fs::path(path).has_filename())
    throw Error(name, "cannot be written: is a folder");
  if (!fs::exists(folder, error)) throw Error(name, fmt::format("cannot be written: no folder {}", folder.string()));
  if (!fs::is_directory(folder, error))
    throw Error(name, fmt::format("cannot be written: {} is not a folder", folder.string()));
  if (fs::is_symlink(path, error)) throw Error(name, "cannot be written: is a link that leads to itself");
  if (fs::exists(path, error) && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    throw Error(name, fmt::format("cannot be written: {}", std::strerror(errno)));
  // Permissions, quotas and read-only file systems all show when a file is made, and only then for certain.
  std::string probe;
  int const descriptor = make_temporary(path, probe);
  if (descriptor < 0)
    throw Error(name, fmt::format("cannot be written: folder {}: {}", folder.string(), std::strerror(-descriptor)));
  ::unlink(probe.c_str());
  ::close(descriptor);
  remove_abandoned(folder);
}

void check_files(std::vector<std::string> const& inputs, std::vector<std::string> const& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    for (auto const& input : inputs) refuse_input(outputs[i], input);
    check_writable(outputs[i]);
    for (std::size_t j = 0; j < i; ++j)
      if (!outputs[j].empty() && same_file(outputs[i], outputs[j]))
        throw Error(outputs[i], "is asked for twice, expected a file of its own for each result");
  }
}

// --- one file ----------------------------------------------------------------------------------------------------

OutputFile::OutputFile(std::string path) : m_path(std::move(path)) {
  check_writable(m_path);
  m_target = resolved(m_path);
  m_descriptor = make_temporary(m_target, m_temporary);
  if (m_descriptor < 0) throw Error(m_path, fmt::format("cannot be written: {}", std::strerror(-m_descriptor)));
  struct stat old {};
  if (::stat(m_target.c_str(), &old) == 0) {
    // The owner first, as a change of owner takes special permissions away. Only root may give files away.
    [[maybe_unused]] int const ignored = ::fchown(m_descriptor, old.st_uid, old.st_gid);
    ::fchmod(m_descriptor, old.st_mode & 07777);
  }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_target(std::move(other.m_target)),
      m_temporary(std::move(other.m_temporary)),
      m_descriptor(std::exchange(other.m_descriptor, -1)) {}

OutputFile::~OutputFile() {
  if (m_descriptor < 0) return;
  ::unlink(m_temporary.c_str());
  ::close(m_descriptor);
}

void OutputFile::fail(int error) {
  ::unlink(m_temporary.c_str());
  ::close(std::exchange(m_descriptor, -1));
  throw Error(m_path, fmt::format("cannot be written: {}", std::strerror(error)));
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const written = ::write(m_descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) fail(errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (m_descriptor < 0) throw Error(m_path, "has been completed before");
  // Some file systems tell only here that there was no space.
  if (::fsync(m_descriptor) != 0 && errno != EINVAL) fail(errno);
  if (current_group != nullptr)
    current_group->m_files.push_back(std::move(*this));
  else
    rename();
}

void OutputFile::rename() {
  if (std::rename(m_temporary.c_str(), m_target.c_str()) != 0) fail(errno);
  ::close(std::exchange(m_descriptor, -1));
}

// --- several -----------------------------------------------------------------------------------------------------

OutputGroup::OutputGroup() {
  if (current_group != nullptr) throw Error("OutputGroup", "this thread has one already, expected one at a time");
  current_group = this;
}

OutputGroup::~OutputGroup() { current_group = nullptr; }

void OutputGroup::commit() {
  for (auto& file : m_files) file.rename();
  m_files.clear();
}

}  // namespace parhelion::io
