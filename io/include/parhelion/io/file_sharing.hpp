// SPDX-License-Identifier: BSD-3-Clause
// Several processes that write one file together, as the ranks of MPI do through a parallel HDF5.
#ifndef PARHELION_IO_FILE_SHARING_HPP
#define PARHELION_IO_FILE_SHARING_HPP

#include <parhelion/io/item_range.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace parhelion::io {

/// \brief The processes that write a file together: what a writer asks of them, and does not know itself.
///
/// This library does not use MPI. A program that does implements this interface, and all its processes call the same
/// writer in the same order. Functions are collective: all processes call them.
class FileSharing {
 public:
  virtual ~FileSharing() = default;

  /// The part of the items that this process has. The first part makes the file and gives it its name.
  virtual Part part() const = 0;

  /// Runs an action. If it throws in one process, this function throws in all.
  virtual void collectively(std::function<void()> const& action) const = 0;

  /// Gives all processes the text of the first one.
  virtual void broadcast(std::string& text) const = 0;

  /// \brief Sets in lists of properties of HDF5 how processes open a file and transfer values together.
  /// \param access   identifier of a list of the class H5P_FILE_ACCESS
  /// \param transfer identifier of a list of the class H5P_DATASET_XFER
  virtual void set_properties(std::int64_t access, std::int64_t transfer) const = 0;
};

/// The items of a file that a process writes.
struct SharedItems {
  FileSharing const* sharing = nullptr;  ///< nullptr: this process writes the file alone
  ItemRange range = {};                  ///< items of this process
  std::size_t of_file = 0;               ///< items of all processes
};

}  // namespace parhelion::io

#endif
