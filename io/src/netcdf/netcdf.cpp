// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/netcdf.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

namespace parhelion::io {

namespace {

void succeeded(std::string const& where, int status) {
  if (status != NC_NOERR) throw Error(where, fmt::format("cannot be read: {}", nc_strerror(status)));
}

std::string label(std::string const& path, std::string const& variable) {
  return fmt::format("{}: {}", path, variable);
}

int find(int file, std::string const& path, std::string const& variable) {
  int id = 0;
  if (nc_inq_varid(file, variable.c_str(), &id) != NC_NOERR) throw Error(label(path, variable), "missing");
  return id;
}

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

// Bytes of a value in a netCDF-3 file.
std::size_t bytes_of(nc_type type) {
  switch (type) {
    case NC_BYTE:
    case NC_CHAR:
    case NC_UBYTE:
      return 1;
    case NC_SHORT:
    case NC_USHORT:
      return 2;
    case NC_DOUBLE:
    case NC_INT64:
    case NC_UINT64:
      return 8;
    default:
      return 4;
  }
}

/// \brief The least number of bytes of a netCDF-3 file, from the layout of the format (NetCDF Users Guide, "File Format
///        Specifications"): the library reads zeros beyond the end of a file that was cut off.
class Netcdf3Length {
 public:
  Netcdf3Length(int file, int format)
      : m_file(file), m_count(format == NC_FORMAT_64BIT_DATA ? 8 : 4), m_begin(format == NC_FORMAT_CLASSIC ? 4 : 8) {}

  // In floating point, which a damaged header cannot make overflow.
  double least() {
    int ndim = 0, nvariable = 0, nattribute = 0, unlimited = -1;
    if (nc_inq(m_file, &ndim, &nvariable, &nattribute, &unlimited) != NC_NOERR) return 0;
    std::size_t header = 4 + m_count + 3 * list();
    std::vector<std::size_t> lengths(static_cast<std::size_t>(ndim));
    for (int d = 0; d < ndim; ++d) {
      char text[NC_MAX_NAME + 1] = {};
      nc_inq_dim(m_file, d, text, &lengths[static_cast<std::size_t>(d)]);
      header += name(text) + m_count;
    }
    header += attributes(NC_GLOBAL, nattribute);
    double data = 0;
    for (int v = 0; v < nvariable; ++v) {
      char text[NC_MAX_NAME + 1] = {};
      nc_type type = NC_NAT;
      int rank = 0, count = 0, dimensions[NC_MAX_VAR_DIMS] = {};
      nc_inq_var(m_file, v, text, &type, &rank, dimensions, &count);
      auto const nindex = static_cast<std::size_t>(rank);
      header += name(text) + m_count + nindex * m_count + list() + attributes(v, count) + 4 + m_count + m_begin;
      double bytes = static_cast<double>(bytes_of(type));
      for (std::size_t d = 0; d < nindex; ++d)
        bytes *= static_cast<double>(lengths[static_cast<std::size_t>(dimensions[d])]);
      // Records are not padded where they are all of one variable.
      bool const is_record = rank > 0 && dimensions[0] == unlimited;
      data += is_record ? bytes : 4 * std::ceil(bytes / 4);
    }
    return static_cast<double>(header) + data - 3;  // the last padding may be missing
  }

 private:
  std::size_t list() const { return 4 + m_count; }
  std::size_t name(char const* text) const { return m_count + padded(std::string_view(text).size()); }

  std::size_t attributes(int variable, int count) const {
    std::size_t bytes = 0;
    for (int a = 0; a < count; ++a) {
      char text[NC_MAX_NAME + 1] = {};
      nc_type type = NC_NAT;
      std::size_t length = 0;
      nc_inq_attname(m_file, variable, a, text);
      nc_inq_att(m_file, variable, text, &type, &length);
      bytes += name(text) + 4 + m_count + padded(length * bytes_of(type));
    }
    return bytes;
  }

  int m_file;
  std::size_t m_count;  // bytes of a number of elements
  std::size_t m_begin;  // bytes of an offset in the file
};

void refuse_truncated(std::string const& path, int file) {
  int format = 0;
  if (nc_inq_format(file, &format) != NC_NOERR) return;
  if (format != NC_FORMAT_CLASSIC && format != NC_FORMAT_64BIT_OFFSET && format != NC_FORMAT_64BIT_DATA) return;
  double const least = Netcdf3Length(file, format).least();
  auto const found = std::filesystem::file_size(path);
  if (static_cast<double>(found) < least)
    throw Error(path, fmt::format("truncated: has {} bytes, expected at least {:.0f}", found, least));
}

}  // namespace

bool can_read_netcdf() { return true; }

NetcdfFile::NetcdfFile(std::string path) : m_path(std::move(path)) {
  std::error_code unreadable;
  if (!std::filesystem::exists(m_path, unreadable)) throw Error(m_path, "no such file");
  if (std::filesystem::is_directory(m_path, unreadable)) throw Error(m_path, "is a folder, expected a netCDF file");
  if (!std::filesystem::is_regular_file(m_path, unreadable))
    throw Error(m_path, "is a FIFO or a device, expected a regular file");
  if (int const status = nc_open(m_path.c_str(), NC_NOWRITE, &m_id); status != NC_NOERR) {
    m_id = -1;
    throw Error(m_path, fmt::format("cannot be opened as a netCDF file: {}", nc_strerror(status)));
  }
  try {
    refuse_truncated(m_path, m_id);
  } catch (...) {
    nc_close(m_id);
    throw;
  }
}

NetcdfFile::~NetcdfFile() {
  if (m_id >= 0) nc_close(m_id);
}

NetcdfFile::NetcdfFile(NetcdfFile&& other) noexcept
    : m_path(std::move(other.m_path)), m_id(std::exchange(other.m_id, -1)) {}

NetcdfFile& NetcdfFile::operator=(NetcdfFile&& other) noexcept {
  std::swap(m_path, other.m_path);
  std::swap(m_id, other.m_id);
  return *this;
}

bool NetcdfFile::exists(std::string const& variable) const {
  int id = 0;
  return nc_inq_varid(m_id, variable.c_str(), &id) == NC_NOERR;
}

std::vector<std::size_t> NetcdfFile::shape(std::string const& variable) const {
  std::string const where = label(m_path, variable);
  int const id = find(m_id, m_path, variable);
  int rank = 0;
  succeeded(where, nc_inq_varndims(m_id, id, &rank));
  std::vector<int> dimensions(static_cast<std::size_t>(rank));
  succeeded(where, nc_inq_vardimid(m_id, id, dimensions.data()));
  std::vector<std::size_t> result;
  for (int const dimension : dimensions) {
    result.emplace_back();
    succeeded(where, nc_inq_dimlen(m_id, dimension, &result.back()));
  }
  return result;
}

bool NetcdfFile::holds_reals(std::string const& variable) const {
  nc_type type = NC_NAT;
  succeeded(label(m_path, variable), nc_inq_vartype(m_id, find(m_id, m_path, variable), &type));
  return type == NC_FLOAT || type == NC_DOUBLE;
}

std::vector<double> NetcdfFile::read(std::string const& variable) const {
  auto const count = shape(variable);
  return read(variable, std::vector<std::size_t>(count.size(), 0), count);
}

std::vector<double> NetcdfFile::read(std::string const& variable, std::vector<std::size_t> const& start,
                                     std::vector<std::size_t> const& count) const {
  std::string const where = label(m_path, variable);
  int const id = find(m_id, m_path, variable);
  nc_type type = NC_NAT;
  succeeded(where, nc_inq_vartype(m_id, id, &type));
  if (type == NC_CHAR || type == NC_STRING) throw Error(where, "holds text, expected numbers");
  std::vector<double> values(std::accumulate(count.begin(), count.end(), std::size_t(1), std::multiplies<>()));
  succeeded(where, nc_get_vara_double(m_id, id, start.data(), count.data(), values.data()));
  return values;
}

std::optional<std::vector<double>> NetcdfFile::number_attribute(std::string const& variable,
                                                                std::string const& attribute) const {
  int const id = find(m_id, m_path, variable);
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(m_id, id, attribute.c_str(), &type, &length) != NC_NOERR || type == NC_CHAR || type == NC_STRING)
    return std::nullopt;
  std::vector<double> values(length);
  succeeded(label(m_path, variable), nc_get_att_double(m_id, id, attribute.c_str(), values.data()));
  return values;
}

std::optional<std::string> NetcdfFile::text_attribute(std::string const& variable, std::string const& attribute) const {
  int const id = variable.empty() ? NC_GLOBAL : find(m_id, m_path, variable);
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(m_id, id, attribute.c_str(), &type, &length) != NC_NOERR || type != NC_CHAR) return std::nullopt;
  std::string text(length, '\0');
  succeeded(label(m_path, variable.empty() ? attribute : variable),
            nc_get_att_text(m_id, id, attribute.c_str(), text.data()));
  text.erase(text.find_last_not_of(std::string_view(" \0", 2)) + 1);
  return text;
}

}  // namespace parhelion::io
