// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_NETCDF_HPP
#define PARHELION_IO_NETCDF_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::io {

/// Whether this build has the netCDF library, which NetcdfFile needs.
bool can_read_netcdf();

/// \brief A netCDF file of any format opened for reading with the netCDF library: for netCDF-3, which HDF5 cannot open.
///
/// Every call that fails throws parhelion::Error with the file, the variable and the reason. Not for several threads at
/// a time, as the library itself.
class NetcdfFile {
 public:
  /// \throws parhelion::Error when the file is missing, no regular file or not netCDF, and without the library, with
  ///         the command that converts it to netCDF-4
  explicit NetcdfFile(std::string path);
  ~NetcdfFile();
  NetcdfFile(NetcdfFile&& other) noexcept;
  NetcdfFile& operator=(NetcdfFile&& other) noexcept;
  NetcdfFile(NetcdfFile const&) = delete;
  NetcdfFile& operator=(NetcdfFile const&) = delete;

  std::string const& path() const { return m_path; }

  bool exists(std::string const& variable) const;

  /// Extents of a variable, slowest first; empty for a scalar.
  std::vector<std::size_t> shape(std::string const& variable) const;

  /// Whether a variable holds floats or doubles.
  bool holds_reals(std::string const& variable) const;

  /// All values of a numeric variable in row-major order.
  std::vector<double> read(std::string const& variable) const;

  /// Those of a block, which must lie in the variable.
  /// \param variable its name
  /// \param start    index of the block's first value along each dimension, slowest first
  /// \param count    number of values along each
  std::vector<double> read(std::string const& variable, std::vector<std::size_t> const& start,
                           std::vector<std::size_t> const& count) const;

  /// The values of a numeric attribute; nothing where it is missing or text.
  std::optional<std::vector<double>> number_attribute(std::string const& variable, std::string const& attribute) const;

  /// A text attribute of a variable, or of the file where `variable` is empty; nothing where it is missing or a number.
  std::optional<std::string> text_attribute(std::string const& variable, std::string const& attribute) const;

 private:
  std::string m_path;
  int m_id = -1;
};

}  // namespace parhelion::io

#endif
