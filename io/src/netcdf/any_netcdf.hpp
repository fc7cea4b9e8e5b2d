// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_ANY_NETCDF_HPP
#define PARHELION_IO_ANY_NETCDF_HPP

#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/netcdf.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parhelion::io {

/// \brief A file opened for reading as netCDF-4 with HDF5, or as netCDF-3 with the netCDF library.
///
/// Functions are those of Hdf5File.
class AnyNetcdf {
 public:
  /// \throws parhelion::Error as Hdf5File and NetcdfFile
  explicit AnyNetcdf(std::string const& path);

  std::string const& path() const;
  bool exists(std::string const& variable) const;
  std::vector<std::size_t> shape(std::string const& variable) const;
  std::vector<double> read(std::string const& variable) const;
  std::optional<std::string> text_attribute(std::string const& variable, std::string const& attribute) const;
  std::optional<std::vector<double>> number_attribute(std::string const& variable, std::string const& attribute) const;

 private:
  std::variant<Hdf5File, NetcdfFile> m_file;
};

}  // namespace parhelion::io

#endif
