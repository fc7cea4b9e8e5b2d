// SPDX-License-Identifier: BSD-3-Clause
// A build without the netCDF library.
#include <parhelion/io/netcdf.hpp>

#include <parhelion/core/error.hpp>

#include <utility>

namespace parhelion::io {

namespace {

[[noreturn]] void refuse(std::string const& path) {
  throw Error(path,
              "needs the netCDF library, which this build does not have; expected netCDF-4, convert it: "
              "nccopy -k nc4 OLD.nc NEW.nc");
}

}  // namespace

bool can_read_netcdf() { return false; }

NetcdfFile::NetcdfFile(std::string path) : m_path(std::move(path)) { refuse(m_path); }
NetcdfFile::~NetcdfFile() = default;
NetcdfFile::NetcdfFile(NetcdfFile&& other) noexcept : m_path(std::move(other.m_path)), m_id(other.m_id) {}
NetcdfFile& NetcdfFile::operator=(NetcdfFile&& other) noexcept {
  std::swap(m_path, other.m_path);
  return *this;
}

// There is no object whose functions could be called.
bool NetcdfFile::exists(std::string const&) const { refuse(m_path); }
std::vector<std::size_t> NetcdfFile::shape(std::string const&) const { refuse(m_path); }
bool NetcdfFile::holds_reals(std::string const&) const { refuse(m_path); }
std::vector<double> NetcdfFile::read(std::string const&) const { refuse(m_path); }
std::vector<double> NetcdfFile::read(std::string const&, std::vector<std::size_t> const&,
                                     std::vector<std::size_t> const&) const {
  refuse(m_path);
}
std::optional<std::vector<double>> NetcdfFile::number_attribute(std::string const&, std::string const&) const {
  refuse(m_path);
}
std::optional<std::string> NetcdfFile::text_attribute(std::string const&, std::string const&) const { refuse(m_path); }

}  // namespace parhelion::io
