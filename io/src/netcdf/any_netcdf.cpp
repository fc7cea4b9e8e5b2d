// SPDX-License-Identifier: BSD-3-Clause
#include "netcdf/any_netcdf.hpp"

#include "input_file.hpp"

namespace parhelion::io {

namespace {

std::variant<Hdf5File, NetcdfFile> open(std::string const& path) {
  if (begins_as_netcdf3(path)) return NetcdfFile(path);
  return Hdf5File(path);
}

}  // namespace

AnyNetcdf::AnyNetcdf(std::string const& path) : m_file(open(path)) {}

std::string const& AnyNetcdf::path() const {
  return std::visit([](auto const& file) -> std::string const& { return file.path(); }, m_file);
}

bool AnyNetcdf::exists(std::string const& variable) const {
  return std::visit([&](auto const& file) { return file.exists(variable); }, m_file);
}

std::vector<std::size_t> AnyNetcdf::shape(std::string const& variable) const {
  return std::visit([&](auto const& file) { return file.shape(variable); }, m_file);
}

std::vector<double> AnyNetcdf::read(std::string const& variable) const {
  return std::visit([&](auto const& file) { return file.read(variable); }, m_file);
}

std::optional<std::string> AnyNetcdf::text_attribute(std::string const& variable, std::string const& attribute) const {
  return std::visit([&](auto const& file) { return file.text_attribute(variable, attribute); }, m_file);
}

std::optional<std::vector<double>> AnyNetcdf::number_attribute(std::string const& variable,
                                                               std::string const& attribute) const {
  return std::visit([&](auto const& file) { return file.number_attribute(variable, attribute); }, m_file);
}

}  // namespace parhelion::io
