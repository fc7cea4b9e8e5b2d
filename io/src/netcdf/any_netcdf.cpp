// SPDX-License-Identifier: BSD-3-Clause
#include "netcdf/any_netcdf.hpp"

#include "input_file.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::vector<double> AnyNetcdf::read(std::string const& variable, std::vector<std::size_t> const& expected) const {
  if (auto const found = shape(variable); found != expected)
    throw Error(fmt::format("{}: {}", path(), variable),
                fmt::format("has shape ({}), expected ({})", fmt::join(found, ", "), fmt::join(expected, ", ")));
  return read(variable);
}

}  // namespace parhelion::io
