// SPDX-License-Identifier: BSD-3-Clause
// What the reader and the writer of HDF5 files share: identifiers, messages and paths.
#ifndef PARHELION_IO_HDF5_HANDLE_HPP
#define PARHELION_IO_HDF5_HANDLE_HPP

#include <hdf5.h>

#include <string>

namespace parhelion::io {

/// Keeps HDF5 from printing its errors while an object of this class exists: they become part of parhelion's.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &m_function, &m_data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, m_function, m_data); }
  Quiet(Quiet const&) = delete;
  Quiet& operator=(Quiet const&) = delete;

 private:
  H5E_auto2_t m_function = nullptr;
  void* m_data = nullptr;
};

/// The reason that HDF5 gives for the failure of the last call, at the place where it failed.
std::string hdf5_reason();

/// Owns an identifier of HDF5.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : m_id(id), m_close(close) {}
  ~Handle() {
    if (m_id >= 0) m_close(m_id);
  }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  operator hid_t() const { return m_id; }
  explicit operator bool() const { return m_id >= 0; }

 private:
  hid_t m_id;
  herr_t (*m_close)(hid_t);
};

/// "path: variable", or the path alone.
std::string label(std::string const& path, std::string const& variable);

/// The group of a path, empty for the root group, and the name within it.
std::string group_of(std::string const& path);
std::string last_of(std::string const& path);
std::string joined(std::string const& group, std::string const& name);

}  // namespace parhelion::io

#endif
