// SPDX-License-Identifier: BSD-3-Clause
// Files that replace older ones only when they are complete.
#ifndef PARHELION_IO_OUTPUT_FILE_HPP
#define PARHELION_IO_OUTPUT_FILE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::io {

/// \brief A file that is written under a temporary name in the folder of its target and renamed when it is complete.
///
/// Until commit() the target is unchanged, and without commit() it remains so. A link stands for the file that it
/// points to, whether that exists or not. A target that exists keeps its permissions. The temporary file is locked
/// while its process runs: temporary files that killed processes have left in the folder are removed.
class OutputFile {
 public:
  /// \throws parhelion::Error where check_writable does, or when no file can be made in the folder
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  /// The name of the file as it was given, for messages.
  std::string const& path() const { return m_path; }

  /// The name of the file until commit(), for other processes that write into it.
  std::string const& temporary_path() const { return m_temporary; }

  /// \throws parhelion::Error when the disk is full, for example; nothing is left behind
  void write(std::string_view bytes);

  /// Completes the file and gives it its name, or leaves the name to the current OutputGroup.
  /// \throws parhelion::Error as write; the old file is then still there
  void commit();

 private:
  friend class OutputGroup;
  void rename();
  [[noreturn]] void fail(int error);

  std::string m_path;
  std::string m_target;
  std::string m_temporary;
  int m_descriptor = -1;
};

/// \brief Several files that get their names together, when all of them are complete.
///
/// Files that OutputFile::commit(), and with it any writer of parhelion, completes on this thread while the group
/// exists keep their temporary names until commit() of the group. Without it the targets are unchanged. A thread can
/// have one group at a time.
class OutputGroup {
 public:
  OutputGroup();
  ~OutputGroup();
  OutputGroup(OutputGroup const&) = delete;
  OutputGroup& operator=(OutputGroup const&) = delete;

  /// Gives the files their names.
  /// \throws parhelion::Error when a file cannot be renamed
  void commit();

 private:
  friend class OutputFile;
  std::vector<OutputFile> m_files;
};

/// \brief Refuses an output file that cannot be written, before time is spent on its content.
/// \param path  name of the file that will be written
/// \param input a file that must not be written over; empty for none
/// \throws parhelion::Error when the folder is missing or not writable, when `path` exists and is write-protected or
///         not a regular file, or when it is `input`
void check_writable(std::string const& path, std::string const& input = {});

/// \brief The same for all outputs of a run, none of which may be one of its inputs or another output.
///
/// Files are compared by device and inode, those that do not exist by their resolved paths.
/// \param inputs  files that are read; empty names are passed over
/// \param outputs files that will be written; empty names are passed over
/// \throws parhelion::Error as check_writable, and when two outputs are one file
void check_files(std::vector<std::string> const& inputs, std::vector<std::string> const& outputs);

}  // namespace parhelion::io

#endif
