// SPDX-License-Identifier: BSD-3-Clause
// Finds the tables of gases in channels among files.
#include "emissivity/formats.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

namespace parhelion::io {

using ega::EmissivityTable;

namespace fs = std::filesystem;

TableFiles::TableFiles(TableSource const& source, std::vector<std::string> gases, std::vector<double> wavenumbers)
    : m_base(source.folder.empty() ? source.base
                                   : (fs::path(source.folder) / fs::path(source.base).filename()).string()),
      m_first(source.first),
      m_missing_allowed(source.missing_allowed),
      m_gases(std::move(gases)),
      m_wavenumbers(std::move(wavenumbers)) {
  if (fs::path(m_base).filename().empty())
    throw Error("emissivity tables",
                fmt::format("base of their names is '{}', expected a folder and the beginning of a "
                            "name, such as tables/boxcar",
                            m_base));
  if (fs::exists(m_base + ".h5")) m_packed = std::make_shared<PackedTables const>(m_base + ".h5");
}

void TableFiles::check(int gas, int channel) const {
  if (gas < 0 || gas >= static_cast<int>(m_gases.size()) || channel < 0 ||
      channel >= static_cast<int>(m_wavenumbers.size()))
    throw Error("TableFiles", fmt::format("gas {} in channel {}, expected one of {} in one of {}", gas, channel,
                                          m_gases.size(), m_wavenumbers.size()));
}

std::vector<std::string> TableFiles::candidates(int gas, int channel) const {
  std::vector<std::string> suffixes{"bin", "tab", "h5"};
  if (m_first == TableFormat::text) std::swap(suffixes[0], suffixes[1]);
  std::vector<std::string> paths;
  for (auto const& suffix : suffixes)
    paths.push_back(table_path(m_base, m_wavenumbers[static_cast<std::size_t>(channel)],
                               m_gases[static_cast<std::size_t>(gas)], suffix));
  return paths;
}

std::string TableFiles::find(int gas, int channel) const {
  check(gas, channel);
  if (m_packed) {
    int const packed_gas = m_packed->find_gas(m_gases[static_cast<std::size_t>(gas)]);
    int const packed_channel = m_packed->find_channel(m_wavenumbers[static_cast<std::size_t>(channel)]);
    if (packed_gas >= 0 && packed_channel >= 0 && m_packed->holds(packed_gas, packed_channel)) return m_packed->path();
  }
  for (auto const& path : candidates(gas, channel))
    if (fs::exists(path)) return path;
  return {};
}

EmissivityTable TableFiles::read(int gas, int channel) const {
  check(gas, channel);
  TableLabel const label{m_gases.at(static_cast<std::size_t>(gas)),
                         m_wavenumbers.at(static_cast<std::size_t>(channel))};
  auto const path = find(gas, channel);
  if (path.empty()) {
    if (m_missing_allowed) return {};
    auto tried = candidates(gas, channel);
    tried.insert(tried.begin(), m_base + ".h5");
    throw Error(fmt::format("emissivity table of {}", text_of(label)),
                fmt::format("missing, looked for {}", fmt::join(tried, ", ")));
  }
  auto table = m_packed && path == m_packed->path()
                   ? m_packed->read(m_packed->find_gas(label.gas), m_packed->find_channel(label.wavenumber))
                   : read_table(path, label);
  if (table.npressure() >= ega::min_pressures) return table;
  if (m_missing_allowed) return {};
  throw Error(path, fmt::format("{} pressures in the table of {}, expected {} or more", table.npressure(),
                                text_of(label), ega::min_pressures));
}

std::string TableFiles::filter_path(int channel) const {
  check(0, channel);
  return io::filter_path(m_base, m_wavenumbers[static_cast<std::size_t>(channel)]);
}

}  // namespace parhelion::io
