// SPDX-License-Identifier: BSD-3-Clause
#include "emissivity/formats.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace parhelion::io {

static_assert(std::endian::native == std::endian::little, "binary tables are read as they lie in the file");

using ega::EmissivityTable;

namespace {

// Why bytes are no table of a layout.
struct Misfit {
  std::size_t byte = 0;
  std::string problem;

  bool fits() const { return problem.empty(); }
};

// Goes through a binary table from count to count. Nothing is allocated that the file does not hold.
class BinaryWalk {
 public:
  BinaryWalk(std::vector<char> const& bytes, TableFormat format) : m_bytes(bytes), m_format(format) {}

  // Points that were not taken over into the table.
  std::size_t left_out() const { return m_left_out; }

  // `table` is filled where it is not null.
  Misfit go(EmissivityTable* table) {
    try {
      walk(table);
    } catch (Misfit const& misfit) {
      return misfit;
    }
    return {};
  }

 private:
  void walk(EmissivityTable* table) {
    m_at = 0;
    bool const ahead = m_format == TableFormat::scatter_binary;  // counts stand ahead of what they count
    auto const np = count("pressures", sizeof(double) + sizeof(std::int32_t));
    auto const pressures = m_at;
    skip(np * sizeof(double), "pressures");
    if (table != nullptr) {
      begin_table(*table);
      append(table->pressure_hPa, pressures, np);
      table->column_density.reserve(m_bytes.size() / (2 * sizeof(float)));
      table->emissivity.reserve(m_bytes.size() / (2 * sizeof(float)));
    }
    std::size_t temperature_counts = m_at;
    if (ahead) {
      skip(np * sizeof(std::int32_t), "numbers of temperatures");
      // All at once: it tells the layouts apart early.
      for (m_pressure = 0; m_pressure < static_cast<int>(np); ++m_pressure)
        count_at(temperature_counts + static_cast<std::size_t>(m_pressure) * sizeof(std::int32_t), "temperatures",
                 sizeof(double) + sizeof(std::int32_t));
    }
    for (m_pressure = 0; m_pressure < static_cast<int>(np); ++m_pressure) {
      m_temperature = -1;
      auto const nt = ahead ? count_at(temperature_counts, "temperatures", sizeof(double) + sizeof(std::int32_t))
                            : count("temperatures", sizeof(double) + sizeof(std::int32_t));
      temperature_counts += sizeof(std::int32_t);
      auto const temperatures = m_at;
      skip(nt * sizeof(double), "temperatures");
      if (table != nullptr) append(table->temperature, temperatures, nt);
      std::size_t point_counts = m_at;
      if (ahead) skip(nt * sizeof(std::int32_t), "numbers of points");
      for (m_temperature = 0; m_temperature < static_cast<int>(nt); ++m_temperature) {
        auto const nu =
            ahead ? count_at(point_counts, "points", 2 * sizeof(float)) : count("points", 2 * sizeof(float));
        point_counts += sizeof(std::int32_t);
        auto const curve = m_at;
        skip(2 * nu * sizeof(float), "points");
        if (table != nullptr) append_curve(*table, curve, nu);
      }
      if (table != nullptr) end_pressure(*table);
    }
    if (m_at != m_bytes.size())
      throw Misfit{m_at,
                   fmt::format("{} more bytes follow the table, expected the end of the file", m_bytes.size() - m_at)};
  }

  std::string place() const {
    if (m_pressure < 0) return "";
    return m_temperature < 0 ? fmt::format(" of pressure {}", m_pressure)
                             : fmt::format(" of pressure {}, temperature {}", m_pressure, m_temperature);
  }

  void skip(std::size_t size, char const* what) {
    if (size > m_bytes.size() - m_at)
      throw Misfit{m_at,
                   fmt::format("{} bytes are left, expected {} with {}{}", m_bytes.size() - m_at, size, what, place())};
    m_at += size;
  }

  template <class T>
  T value_at(std::size_t byte) const {
    T value;
    std::memcpy(&value, m_bytes.data() + byte, sizeof(T));
    return value;
  }

  // The count at a byte that is in the file, of things that have `size` bytes or more each from here on.
  std::size_t count_at(std::size_t byte, char const* what, std::size_t size) const {
    auto const value = value_at<std::int32_t>(byte);
    auto const most = (m_bytes.size() - m_at) / size;
    if (value < 1 || static_cast<std::size_t>(value) > most)
      throw Misfit{byte, fmt::format("number of {}{} is {}, expected 1 to {}, which is what the rest of the file holds",
                                     what, place(), value, most)};
    return static_cast<std::size_t>(value);
  }

  std::size_t count(char const* what, std::size_t size) {
    auto const byte = m_at;
    skip(sizeof(std::int32_t), what);
    return count_at(byte, what, size);
  }

  template <class T>
  void append(std::vector<T>& values, std::size_t byte, std::size_t size) const {
    auto const old = values.size();
    values.resize(old + size);
    std::memcpy(values.data() + old, m_bytes.data() + byte, size * sizeof(T));
  }

  void append_curve(EmissivityTable& table, std::size_t byte, std::size_t size) {
    auto const at = [&](std::size_t i) { return value_at<float>(byte + i * sizeof(float)); };
    std::size_t left = size;
    while (left > 0 && !in_range(at(left - 1), at(size + left - 1))) --left;
    if (left == 0)
      throw Misfit{byte, fmt::format("all {} points{} have column densities above {} molecules cm-2 or emissivities "
                                     "outside 0 to 1",
                                     size, place(), largest_column_density)};
    m_left_out += size - left;
    // As in text: curves begin at the origin, so that a first point without emissivity is left out.
    std::size_t first = 0;
    while (first + 1 < left && at(size + first) == 0) ++first;
    append(table.column_density, byte + first * sizeof(float), left - first);
    append(table.emissivity, byte + (size + first) * sizeof(float), left - first);
    end_curve(table);
  }

  std::vector<char> const& m_bytes;
  TableFormat m_format;
  std::size_t m_at = 0;
  std::size_t m_left_out = 0;
  int m_pressure = -1;
  int m_temperature = -1;
};

void put(std::string& bytes, void const* values, std::size_t size) {
  bytes.append(static_cast<char const*>(values), size);
}

void put_count(std::string& bytes, std::int64_t count) {
  auto const stored = static_cast<std::int32_t>(count);
  put(bytes, &stored, sizeof stored);
}

}  // namespace

TableFormat recognise_binary_table(std::string const& path, std::vector<char> const& bytes) {
  auto const scatter = BinaryWalk(bytes, TableFormat::scatter_binary).go(nullptr);
  if (scatter.fits()) return TableFormat::scatter_binary;
  auto const reference = BinaryWalk(bytes, TableFormat::reference_binary).go(nullptr);
  if (reference.fits()) return TableFormat::reference_binary;
  auto const& best = scatter.byte > reference.byte ? scatter : reference;
  if (best.byte == 0 && bytes.size() >= 4) {
    std::uint32_t count;
    std::memcpy(&count, bytes.data(), sizeof count);
    count = __builtin_bswap32(count);
    constexpr std::uint32_t max_pressures = 1000;
    if (count > 0 && count <= max_pressures)
      throw Error(path, fmt::format("byte 0: number of pressures is {} in big-endian order, expected little-endian "
                                    "numbers",
                                    count));
  }
  throw Error(path, fmt::format("byte {}: {} (as {} table; it is neither text nor HDF5)", best.byte, best.problem,
                                scatter.byte > reference.byte ? "jurassic-scatter" : "jurassic binary"));
}

EmissivityTable read_binary_table(std::string const& path, std::vector<char> const& bytes, TableFormat format,
                                  std::size_t& left_out) {
  EmissivityTable table;
  BinaryWalk walk(bytes, format);
  auto const misfit = walk.go(&table);
  if (!misfit.fits()) throw Error(path, fmt::format("byte {}: {}", misfit.byte, misfit.problem));
  left_out += walk.left_out();
  return table;
}

std::string bytes_of(EmissivityTable const& table, TableFormat format) {
  bool const ahead = format == TableFormat::scatter_binary;
  auto const& first = table.first_temperature;
  std::size_t const np = table.pressure_hPa.size();
  std::string bytes;
  bytes.reserve(16 * (np + table.temperature.size()) + 2 * sizeof(float) * table.npoint());
  put_count(bytes, static_cast<std::int64_t>(np));
  put(bytes, table.pressure_hPa.data(), np * sizeof(double));
  if (ahead)
    for (std::size_t p = 0; p < np; ++p) put_count(bytes, first[p + 1] - first[p]);
  for (std::size_t p = 0; p < np; ++p) {
    if (!ahead) put_count(bytes, first[p + 1] - first[p]);
    auto const begin = static_cast<std::size_t>(first[p]), end = static_cast<std::size_t>(first[p + 1]);
    put(bytes, table.temperature.data() + begin, (end - begin) * sizeof(double));
    auto const points = [&](std::size_t curve) { return table.first_point[curve + 1] - table.first_point[curve]; };
    if (ahead)
      for (std::size_t c = begin; c < end; ++c) put_count(bytes, points(c));
    for (std::size_t c = begin; c < end; ++c) {
      if (!ahead) put_count(bytes, points(c));
      auto const size = static_cast<std::size_t>(points(c)) * sizeof(float);
      put(bytes, table.column_density.data() + table.first_point[c], size);
      put(bytes, table.emissivity.data() + table.first_point[c], size);
    }
  }
  return bytes;
}

}  // namespace parhelion::io
