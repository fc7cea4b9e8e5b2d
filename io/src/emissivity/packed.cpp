// SPDX-License-Identifier: BSD-3-Clause
// Many tables in one HDF5 file.
#include "emissivity/formats.hpp"
#include "plain_values.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace parhelion::io {

using ega::EmissivityTable;

namespace {

constexpr char const* packed_layout = "parhelion emissivity tables 1";

std::string channel_group(int channel) { return fmt::format("channel_{}", channel); }

// Pressures and temperatures that tables share.
struct Grid {
  std::vector<double> pressure_hPa;
  std::vector<std::int64_t> first_temperature;
  std::vector<double> temperature;

  bool operator==(Grid const&) const = default;
};

void add_list(NetcdfWriter& writer, std::string const& name, std::string const& dimension,
              std::vector<double> const& values, Attributes const& attributes, NetcdfType type) {
  writer.dimension(dimension, values.size());
  writer.variable(name, {dimension}, values, attributes, type);
}

void add_grids(NetcdfWriter& writer, std::vector<Grid> const& grids) {
  std::vector<double> first_pressure{0}, pressure, first_temperature{0}, temperature;
  for (auto const& grid : grids) {
    auto const shift = static_cast<double>(temperature.size());
    pressure.insert(pressure.end(), grid.pressure_hPa.begin(), grid.pressure_hPa.end());
    temperature.insert(temperature.end(), grid.temperature.begin(), grid.temperature.end());
    for (std::size_t p = 1; p < grid.first_temperature.size(); ++p)
      first_temperature.push_back(shift + static_cast<double>(grid.first_temperature[p]));
    first_pressure.push_back(static_cast<double>(pressure.size()));
  }
  add_list(writer, "first_pressure", "grid_edge", first_pressure,
           {{"long_name", "number of the first pressure of a grid; the last entry is the number of pressures"}},
           NetcdfType::int32);
  add_list(writer, "pressure", "pressures", pressure, {{"long_name", "pressures of the grids"}, {"units", "hPa"}},
           NetcdfType::float64);
  add_list(writer, "first_temperature", "pressure_edge", first_temperature,
           {{"long_name", "number of the first temperature of a pressure; the last entry is that of temperatures"}},
           NetcdfType::int32);
  add_list(writer, "temperature", "temperatures", temperature,
           {{"long_name", "temperatures of the grids"}, {"units", "K"}}, NetcdfType::float64);
}

// The tables of a channel, one after the other.
struct ChannelLists {
  std::vector<double> points, column_density, emissivity;

  void append(EmissivityTable const& table) {
    for (std::size_t c = 0; c + 1 < table.first_point.size(); ++c)
      points.push_back(static_cast<double>(table.first_point[c + 1] - table.first_point[c]));
    column_density.insert(column_density.end(), table.column_density.begin(), table.column_density.end());
    emissivity.insert(emissivity.end(), table.emissivity.begin(), table.emissivity.end());
  }

  void write(NetcdfWriter& writer, std::string const& group) const {
    writer.group(group);
    writer.dimension(group + "/curve", points.size());
    writer.dimension(group + "/point", column_density.size());
    writer.variable(group + "/points", {"curve"}, points, {{"long_name", "number of points of a curve"}},
                    NetcdfType::int32);
    writer.variable(group + "/column_density", {"point"}, column_density,
                    {{"long_name", "column density"}, {"units", "cm-2"}}, NetcdfType::float32);
    writer.variable(group + "/emissivity", {"point"}, emissivity, {{"long_name", "emissivity"}, {"units", "1"}},
                    NetcdfType::float32);
  }
};

// Gases and channels that can be told from each other. `before` comes before the message, behind the file's name.
void check_axes(std::vector<std::string> const& gases, std::vector<double> const& wavenumbers, std::string const& path,
                std::string const& before) {
  auto const refuse = [&](std::string const& problem) { throw Error(path, before + problem); };
  if (gases.empty() || wavenumbers.empty())
    refuse(fmt::format("{} gases in {} channels, expected one or more of both", gases.size(), wavenumbers.size()));
  for (auto gas = gases.begin(); gas != gases.end(); ++gas)
    if (gas->empty() || !is_utf8(*gas) || ega::find_gas({gases.begin(), gas}, *gas) >= 0)
      refuse(
          fmt::format("gas '{}', expected names that differ{}", valid_utf8(*gas), is_utf8(*gas) ? "" : ", in UTF-8"));
  for (std::size_t c = 0; c < wavenumbers.size(); ++c) {
    double const wavenumber = wavenumbers[c];
    if (!(wavenumber > 0 && std::isfinite(wavenumber)))
      refuse(fmt::format("wavenumber {} cm-1, expected a positive one", wavenumber));
    for (std::size_t other = 0; other < c; ++other)
      if (wavenumber_text(wavenumbers[other]) == wavenumber_text(wavenumber))
        refuse(fmt::format("wavenumber {} cm-1 twice", wavenumber_text(wavenumber)));
  }
}

}  // namespace

void pack_tables(std::string const& path, std::vector<std::string> const& gases, std::vector<double> const& wavenumbers,
                 ega::TableProvider const& tables, Attributes const& attributes) {
  check_axes(gases, wavenumbers, path, "cannot be written: ");

  NetcdfWriter writer(path);
  writer.attributes({{"layout", packed_layout}});
  writer.attributes(attributes);
  writer.dimension("gas", gases.size());
  writer.dimension("channel", wavenumbers.size());
  writer.strings("gas_name", "gas", gases, {{"long_name", "name of the gas"}});
  writer.variable("wavenumber", {"channel"}, wavenumbers, {{"long_name", "centre of the channel"}, {"units", "cm-1"}});

  std::vector<Grid> grids;
  std::vector<double> table_grid(gases.size() * wavenumbers.size(), -1);
  for (std::size_t channel = 0; channel < wavenumbers.size(); ++channel) {
    ChannelLists lists;
    for (std::size_t gas = 0; gas < gases.size(); ++gas) {
      auto const table = tables(static_cast<int>(gas), static_cast<int>(channel));
      if (table.empty()) continue;
      validate(table, fmt::format("{}: {}", path, text_of({gases[gas], wavenumbers[channel]})));
      Grid grid{table.pressure_hPa, table.first_temperature, table.temperature};
      auto const known = std::find(grids.begin(), grids.end(), grid);
      table_grid[gas * wavenumbers.size() + channel] = static_cast<double>(known - grids.begin());
      if (known == grids.end()) grids.push_back(std::move(grid));
      lists.append(table);
    }
    if (!lists.points.empty()) lists.write(writer, channel_group(static_cast<int>(channel)));
  }
  if (grids.empty()) throw Error(path, "cannot be written: no gas has a table");
  add_grids(writer, grids);
  writer.variable("table_grid", {"gas", "channel"}, table_grid,
                  {{"long_name", "number of the grid of a table; -1 where there is no table"}}, NetcdfType::int32);
  writer.commit();
}

struct PackedTables::Content {
  explicit Content(std::string const& path);

  std::vector<double> read(std::string const& variable, std::size_t size) const;
  std::vector<std::int64_t> read_edges(std::string const& variable, std::size_t size, std::size_t last) const;
  std::size_t size_of(std::string const& variable) const;
  int grid_of(std::size_t gas, std::size_t channel) const { return table_grid[gas * wavenumbers.size() + channel]; }

  Hdf5File file;
  std::vector<std::string> gases;
  std::vector<double> wavenumbers;
  std::vector<Grid> grids;
  std::vector<int> table_grid;  // (gas, channel)
};

std::size_t PackedTables::Content::size_of(std::string const& variable) const {
  auto const shape = file.shape(variable);
  if (shape.size() != 1)
    throw Error(fmt::format("{}: {}", file.path(), variable),
                fmt::format("has shape ({}), expected one dimension", fmt::join(shape, ", ")));
  return shape.front();
}

std::vector<double> PackedTables::Content::read(std::string const& variable, std::size_t size) const {
  auto const found = size_of(variable);
  if (found != size)
    throw Error(fmt::format("{}: {}", file.path(), variable), fmt::format("has {} entries, expected {}", found, size));
  return file.read(variable);
}

// First indices: ascending from 0 to `last`, one more than there are owners.
std::vector<std::int64_t> PackedTables::Content::read_edges(std::string const& variable, std::size_t size,
                                                            std::size_t last) const {
  auto const values = read(variable, size);
  if (values.empty()) throw Error(fmt::format("{}: {}", file.path(), variable), "has 0 entries, expected one or more");
  auto const refuse = [&](std::size_t i, std::string const& expected) {
    throw Error(fmt::format("{}: {}({})", file.path(), variable, i),
                fmt::format("{}, expected {}", values[i], expected));
  };
  std::vector<std::int64_t> edges;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0 && values[i] != 0) refuse(i, "0");
    if (i > 0 && !(values[i] > values[i - 1] && values[i] == std::floor(values[i])))
      refuse(i, fmt::format("a whole number above {}", values[i - 1]));
    if (!(values[i] <= static_cast<double>(last))) refuse(i, fmt::format("at most {}", last));
    edges.push_back(static_cast<std::int64_t>(values[i]));
  }
  if (edges.back() != static_cast<std::int64_t>(last)) refuse(size - 1, fmt::format("{}", last));
  return edges;
}

PackedTables::Content::Content(std::string const& path) : file(path) {
  auto const layout = file.text_attribute("", "layout");
  if (layout != packed_layout)
    throw Error(path, fmt::format("attribute layout is {}, expected '{}'", layout ? "'" + *layout + "'" : "missing",
                                  packed_layout));
  gases = file.read_strings("gas_name");
  wavenumbers = read("wavenumber", size_of("wavenumber"));
  check_axes(gases, wavenumbers, path, "");

  auto const pressure = read("pressure", size_of("pressure"));
  auto const temperature = read("temperature", size_of("temperature"));
  auto const first_temperature = read_edges("first_temperature", pressure.size() + 1, temperature.size());
  auto const first_pressure = read_edges("first_pressure", size_of("first_pressure"), pressure.size());
  for (std::size_t g = 0; g + 1 < first_pressure.size(); ++g) {
    auto const [p0, p1] = std::pair(first_pressure[g], first_pressure[g + 1]);
    auto const [t0, t1] =
        std::pair(first_temperature[static_cast<std::size_t>(p0)], first_temperature[static_cast<std::size_t>(p1)]);
    Grid grid{{pressure.begin() + p0, pressure.begin() + p1}, {}, {temperature.begin() + t0, temperature.begin() + t1}};
    for (auto p = p0; p <= p1; ++p)
      grid.first_temperature.push_back(first_temperature[static_cast<std::size_t>(p)] - t0);
    grids.push_back(std::move(grid));
  }

  std::vector<std::size_t> const expected{gases.size(), wavenumbers.size()};
  if (auto const shape = file.shape("table_grid"); shape != expected)
    throw Error(path + ": table_grid",
                fmt::format("has shape ({}), expected ({})", fmt::join(shape, ", "), fmt::join(expected, ", ")));
  auto const values = file.read("table_grid");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= -1 && values[i] < static_cast<double>(grids.size()) && values[i] == std::floor(values[i])))
      throw Error(fmt::format("{}: table_grid({}, {})", path, i / wavenumbers.size(), i % wavenumbers.size()),
                  fmt::format("{}, expected -1 to {}", values[i], static_cast<int>(grids.size()) - 1));
    table_grid.push_back(static_cast<int>(values[i]));
  }
}

PackedTables::PackedTables(std::string const& path) : m_content(std::make_shared<Content const>(path)) {}

std::string const& PackedTables::path() const { return m_content->file.path(); }
std::vector<std::string> const& PackedTables::gases() const { return m_content->gases; }
std::vector<double> const& PackedTables::wavenumbers() const { return m_content->wavenumbers; }

int PackedTables::find_gas(std::string const& gas) const { return ega::find_gas(m_content->gases, gas); }

int PackedTables::find_channel(double wavenumber) const {
  auto const& all = m_content->wavenumbers;
  auto const found = std::find_if(all.begin(), all.end(),
                                  [&](double each) { return wavenumber_text(each) == wavenumber_text(wavenumber); });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

bool PackedTables::holds(int gas, int channel) const {
  return m_content->grid_of(static_cast<std::size_t>(gas), static_cast<std::size_t>(channel)) >= 0;
}

EmissivityTable PackedTables::read(int gas, int channel) const {
  if (!holds(gas, channel)) return {};
  auto const& content = *m_content;
  auto const c = static_cast<std::size_t>(channel);
  std::string const group = channel_group(channel);

  // Curves of this table follow those of the gases before it.
  std::size_t before = 0, all = 0;
  for (std::size_t g = 0; g < content.gases.size(); ++g) {
    int const grid = content.grid_of(g, c);
    if (grid < 0) continue;
    all += content.grids[static_cast<std::size_t>(grid)].temperature.size();
    if (static_cast<int>(g) < gas) before = all;
  }
  auto const points = content.read(group + "/points", all);
  auto const& grid = content.grids[static_cast<std::size_t>(content.grid_of(static_cast<std::size_t>(gas), c))];
  EmissivityTable table{grid.pressure_hPa, grid.first_temperature, grid.temperature, {0}, {}, {}};
  std::size_t first = 0, size = 0;
  for (std::size_t i = 0; i < before + grid.temperature.size(); ++i) {
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    if (!(points[i] >= 1 && points[i] <= most && points[i] == std::floor(points[i])))
      throw Error(fmt::format("{}: {}/points({})", path(), group, i),
                  fmt::format("{}, expected a positive whole number", points[i]));
    (i < before ? first : size) += static_cast<std::size_t>(points[i]);
    if (i >= before) table.first_point.push_back(static_cast<std::int64_t>(size));
  }
  auto const read = [&](char const* name) {
    auto const values = content.file.read(group + name, first, size);
    return std::vector<float>(values.begin(), values.end());
  };
  table.column_density = read("/column_density");
  table.emissivity = read("/emissivity");
  validate(table, fmt::format("{}: {}", path(), text_of({gases()[static_cast<std::size_t>(gas)], wavenumbers()[c]})));
  return table;
}

}  // namespace parhelion::io
