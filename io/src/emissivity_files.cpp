// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/emissivity_files.hpp>

#include "input_file.hpp"
#include "plain_values.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace parhelion::io {

static_assert(std::endian::native == std::endian::little, "binary tables are read as they lie in the file");

namespace {

namespace fs = std::filesystem;
using ega::EmissivityTable;

constexpr std::string_view cache_signature = "JURASSIC 0  Binary Emissivity Tables";

// Points beyond these are left out.
constexpr double largest_column_density = 1e30;  // [molecules cm-2]

bool in_range(double column_density, double emissivity) {
  // Written so that NaN is in range: it is refused later, not left out.
  return !(column_density < 0 || column_density > largest_column_density || emissivity < 0 || emissivity > 1);
}

// The same of numbers as they are stored: the float of the largest column density is above it.
bool in_range(float column_density, float emissivity) {
  bool const largest = column_density == static_cast<float>(largest_column_density);
  return in_range(largest ? largest_column_density : column_density, double(emissivity));
}

std::string wavenumber_text(double wavenumber) { return fmt::format("{:.4f}", wavenumber); }

std::string text_of(TableLabel const& label) {
  return fmt::format("{} at {} cm-1", label.gas, wavenumber_text(label.wavenumber));
}

// Owns an open file.
class Descriptor {
 public:
  explicit Descriptor(int number) : m_number(number) {}
  ~Descriptor() {
    if (m_number >= 0) ::close(m_number);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  operator int() const { return m_number; }

 private:
  int m_number;
};

// All bytes of a file.
std::vector<char> read_bytes(std::string const& path) {
  refuse_special(path);  // what a file holds is told from its first bytes, and then it is read
  Descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0)
    throw Error(path, errno == ENOENT ? "no such file" : fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat about;
  if (::fstat(file, &about) != 0) throw Error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (S_ISDIR(about.st_mode)) throw Error(path, "is a folder, expected a file of emissivities");
  if (about.st_size == 0) throw Error(path, "is empty, expected a file of emissivities");
  auto const size = static_cast<std::size_t>(about.st_size);
  require_host_memory(path, 2 * size, "");  // its numbers take as much again
  std::vector<char> bytes(size);
  std::size_t done = 0;
  while (done < bytes.size()) {
    auto const count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (count == 0) throw Error(path, fmt::format("ends after {} bytes, expected {}", done, bytes.size()));
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

void write_bytes(std::string const& name, std::string_view bytes) {
  OutputFile file(name);
  file.write(bytes);
  file.commit();
}

void begin(EmissivityTable& table) {
  table.first_temperature.push_back(0);
  table.first_point.push_back(0);
}

void end_curve(EmissivityTable& table) { table.first_point.push_back(static_cast<std::int64_t>(table.npoint())); }

void end_pressure(EmissivityTable& table) {
  table.first_temperature.push_back(static_cast<std::int64_t>(table.temperature.size()));
}

// ---- Text -----------------------------------------------------------------------------------------------------------

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// Reads a number at `begin` as scanf does; returns where it ends, nullptr where there is none.
char const* read_number(char const* begin, char const* end, double& value) {
  while (begin != end && is_blank(*begin)) ++begin;
  if (begin != end && *begin == '+' && begin + 1 != end && begin[1] != '-') ++begin;
  auto const [after, error] = std::from_chars(begin, end, value);
  if (error == std::errc::invalid_argument) return nullptr;
  // Too large or too small for the type: infinite or zero.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(begin, after).c_str(), nullptr);
  // An exponent without digits, which from_chars leaves.
  if (after != end && (*after == 'e' || *after == 'E')) return nullptr;
  return after;
}

EmissivityTable read_text(std::string const& path, std::vector<char> const& bytes, std::size_t& left_out) {
  EmissivityTable table;
  begin(table);
  auto const refuse = [&](std::size_t line, std::string const& problem) {
    throw Error(path, fmt::format("line {}: {}", line, problem));
  };
  // Real tables have some forty bytes a line.
  table.column_density.reserve(bytes.size() / 40);
  table.emissivity.reserve(bytes.size() / 40);

  std::string_view opening;  // pressure and temperature of the last line as they stand there, and the blank after them
  double pressure = 0, temperature = 0;
  float last_u = 0, last_emissivity = 0;
  std::size_t line = 0;
  char const* const file_end = bytes.data() + bytes.size();
  for (char const* at = bytes.data(); at != file_end;) {
    auto const* const found = static_cast<char const*>(std::memchr(at, '\n', static_cast<std::size_t>(file_end - at)));
    char const* const line_end = found == nullptr ? file_end : found;
    char const* const start = std::exchange(at, found == nullptr ? file_end : found + 1);
    ++line;

    double next_pressure = pressure, next_temperature = temperature, u = 0, emissivity = 0;
    char const* read = start;
    // Most lines open as the one before.
    if (!opening.empty() && std::string_view(start, line_end).starts_with(opening)) {
      read += opening.size();
    } else {
      read = read_number(read, line_end, next_pressure);
      if (read != nullptr) read = read_number(read, line_end, next_temperature);
      if (read == nullptr) continue;
      opening = read != line_end && is_blank(*read) ? std::string_view(start, read + 1) : std::string_view();
    }
    read = read_number(read, line_end, u);
    if (read != nullptr) read = read_number(read, line_end, emissivity);
    if (read == nullptr || !in_range(u, emissivity)) {
      if (read != nullptr) ++left_out;
      // What this line opened with has not begun a curve.
      if (next_pressure != pressure || next_temperature != temperature) opening = {};
      continue;
    }

    bool const first = table.pressure_hPa.empty();
    bool const new_pressure = first || next_pressure != pressure;
    bool const new_curve = new_pressure || next_temperature != temperature;
    if (new_curve && !first) end_curve(table);
    if (new_pressure) {
      if (!first) end_pressure(table);
      if (!first && !(next_pressure > pressure))
        refuse(line, fmt::format("pressure {} hPa after {} hPa, expected ascending ones", next_pressure, pressure));
      table.pressure_hPa.push_back(next_pressure);
    } else if (new_curve && !(next_temperature > temperature)) {
      refuse(line, fmt::format("temperature {} K after {} K at pressure {} hPa, expected ascending ones",
                               next_temperature, temperature, pressure));
    }
    pressure = next_pressure;
    temperature = next_temperature;

    auto const stored_u = static_cast<float>(u), stored_emissivity = static_cast<float>(emissivity);
    bool const beyond = new_curve || (stored_u > last_u && stored_emissivity > last_emissivity);
    // Curves begin at the origin. A first point without emissivity is not beyond it: the next one takes its place.
    bool const replaces_first = !new_curve && table.emissivity.back() == 0 &&
                                table.npoint() == static_cast<std::size_t>(table.first_point.back()) + 1;
    if (new_curve) table.temperature.push_back(temperature);
    if (beyond && !replaces_first) {
      table.column_density.push_back(stored_u);
      table.emissivity.push_back(stored_emissivity);
    } else {
      table.column_density.back() = stored_u;
      table.emissivity.back() = stored_emissivity;
    }
    if (beyond) {
      last_u = stored_u;
      last_emissivity = stored_emissivity;
    }
  }
  if (table.pressure_hPa.empty())
    throw Error(path, fmt::format("none of {} lines opens with pressure, temperature, column density up to {} "
                                  "molecules cm-2 and emissivity from 0 to 1",
                                  line, largest_column_density));
  end_curve(table);
  end_pressure(table);
  return table;
}

std::string comment(std::string const& note) { return note.empty() ? "" : fmt::format("# {}\n", note); }

std::string text_of(EmissivityTable const& table, TableLabel const& label, std::string const& note) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}{}", comment(note), comment(label.empty() ? "" : text_of(label)));
  fmt::format_to(out, "# $1 = pressure [hPa]\n# $2 = temperature [K]\n# $3 = column density [molecules cm-2]\n");
  fmt::format_to(out, "# $4 = emissivity [1]\n");
  for (std::size_t p = 0; p < table.pressure_hPa.size(); ++p)
    for (auto t = table.first_temperature[p]; t < table.first_temperature[p + 1]; ++t) {
      auto const curve = static_cast<std::size_t>(t);
      // The fewest digits that give the number again.
      auto const opening = fmt::format("{} {} ", table.pressure_hPa[p], table.temperature[curve]);
      fmt::format_to(out, "\n");
      auto const end = static_cast<std::size_t>(table.first_point[curve + 1]);
      for (auto i = static_cast<std::size_t>(table.first_point[curve]); i < end; ++i)
        fmt::format_to(out, "{}{} {}\n", opening, table.column_density[i], table.emissivity[i]);
    }
  return fmt::to_string(text);
}

// ---- Binary ---------------------------------------------------------------------------------------------------------

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
      begin(*table);
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
    // As in text: a first point without emissivity is no more than the origin, where curves begin.
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

// The binary layout that bytes have.
TableFormat recognise_binary(std::string const& path, std::vector<char> const& bytes) {
  auto const scatter = BinaryWalk(bytes, TableFormat::scatter_binary).go(nullptr);
  if (scatter.fits()) return TableFormat::scatter_binary;
  auto const reference = BinaryWalk(bytes, TableFormat::reference_binary).go(nullptr);
  if (reference.fits()) return TableFormat::reference_binary;
  auto const& best = scatter.byte > reference.byte ? scatter : reference;
  if (best.byte == 0 && bytes.size() >= 4) {
    std::uint32_t count;
    std::memcpy(&count, bytes.data(), sizeof count);
    count = __builtin_bswap32(count);
    constexpr std::uint32_t most_pressures = 1000;
    if (count > 0 && count <= most_pressures)
      throw Error(path, fmt::format("byte 0: number of pressures is {} in big-endian order, expected little-endian "
                                    "numbers",
                                    count));
  }
  throw Error(path, fmt::format("byte {}: {} (as {} table; it is neither text nor HDF5)", best.byte, best.problem,
                                scatter.byte > reference.byte ? "jurassic-scatter" : "jurassic binary"));
}

void put(std::string& bytes, void const* values, std::size_t size) {
  bytes.append(static_cast<char const*>(values), size);
}

void put_count(std::string& bytes, std::int64_t count) {
  auto const stored = static_cast<std::int32_t>(count);
  put(bytes, &stored, sizeof stored);
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

// The layout of bytes that are a whole file, or the first ones where they tell.
TableFormat recognise(std::string const& path, std::vector<char> const& bytes) {
  std::string_view const all(bytes.data(), bytes.size());
  if (all.starts_with(hdf5_signature)) return TableFormat::hdf5;
  if (all.starts_with(cache_signature))
    throw Error(
        path,
        "is a table cache of jurassic-gpu, which belongs to one build of that program, expected text, binary or "
        "HDF5 tables");
  // The counts that open a binary table are small numbers of four bytes: some of them are zero. No text has that.
  if (all.substr(0, 4).find('\0') == std::string_view::npos) {
    auto const zero = all.find('\0');
    if (zero == std::string_view::npos) return TableFormat::text;
    throw Error(path, fmt::format("byte {}: zero, expected text, or a binary table that opens with the number of its "
                                  "pressures, or HDF5",
                                  zero));
  }
  return recognise_binary(path, bytes);
}

}  // namespace

std::string name_of(TableFormat format) {
  switch (format) {
    case TableFormat::text:
      return "text";
    case TableFormat::scatter_binary:
      return "scatter";
    case TableFormat::reference_binary:
      return "reference";
    case TableFormat::hdf5:
      return "hdf5";
  }
  return {};
}

TableFormat recognise_table(std::string const& path) {
  if (begins_as_hdf5(path)) return TableFormat::hdf5;  // which may be large
  return recognise(path, read_bytes(path));
}

namespace {

EmissivityTable read_packed(std::string const& path, TableLabel const& expected) {
  PackedTables const packed(path);
  bool const single = packed.gases().size() == 1 && packed.wavenumbers().size() == 1;
  if (expected.empty() && !single)
    throw Error(path, fmt::format("holds tables of {} gases in {} channels, expected one table", packed.gases().size(),
                                  packed.wavenumbers().size()));
  if (expected.empty()) return packed.read(0, 0);
  int const gas = packed.find_gas(expected.gas);
  int const channel = packed.find_channel(expected.wavenumber);
  if (gas >= 0 && channel >= 0 && packed.holds(gas, channel)) return packed.read(gas, channel);
  throw Error(path,
              single ? fmt::format("holds the table of {}, expected {}",
                                   text_of({packed.gases().front(), packed.wavenumbers().front()}), text_of(expected))
                     : fmt::format("holds no table of {}", text_of(expected)));
}

}  // namespace

EmissivityTable read_table(std::string const& path, TableLabel const& expected, std::size_t* left_out) {
  std::size_t count = 0;
  auto const report = [&] {
    if (left_out != nullptr) *left_out = count;
  };
  if (begins_as_hdf5(path)) {
    report();
    return read_packed(path, expected);
  }
  auto const bytes = read_bytes(path);
  auto const format = recognise(path, bytes);
  EmissivityTable table;
  if (format == TableFormat::text) {
    table = read_text(path, bytes, count);
  } else {
    BinaryWalk walk(bytes, format);
    auto const misfit = walk.go(&table);
    if (!misfit.fits()) throw Error(path, fmt::format("byte {}: {}", misfit.byte, misfit.problem));
    count = walk.left_out();
  }
  validate(table, path);
  report();
  return table;
}

void write_table(std::string const& path, EmissivityTable const& table, TableFormat format, TableLabel const& label,
                 std::string const& note) {
  std::string const where = fmt::format("{} cannot be written", path);
  if (table.empty()) throw Error(where, "the table is empty");
  validate(table, where);
  if (note.find('\n') != std::string::npos) throw Error(where, "the note has several lines, expected one");
  switch (format) {
    case TableFormat::text:
      return write_bytes(path, text_of(table, label, note));
    case TableFormat::scatter_binary:
    case TableFormat::reference_binary:
      return write_bytes(path, bytes_of(table, format));
    case TableFormat::hdf5:
      if (label.empty()) throw Error(where, "HDF5 needs the gas and the wavenumber of the table, which are not known");
      return pack_tables(
          path, {label.gas}, {label.wavenumber}, [&](int, int) { return table; },
          note.empty() ? Attributes{} : Attributes{{"title", note}});
  }
}

std::string table_path(std::string const& base, double wavenumber, std::string const& gas, std::string const& suffix) {
  return fmt::format("{}_{}_{}.{}", base, wavenumber_text(wavenumber), gas, suffix);
}

std::string filter_path(std::string const& base, double wavenumber) {
  return fmt::format("{}_{}.filt", base, wavenumber_text(wavenumber));
}

// ---- Many tables in one file ----------------------------------------------------------------------------------------

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

// ---- Finding tables -------------------------------------------------------------------------------------------------

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
