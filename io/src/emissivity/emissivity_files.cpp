// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes one table in any layout.
#include "emissivity/formats.hpp"
#include "input_file.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace parhelion::io {

using ega::EmissivityTable;

namespace {

constexpr std::string_view cache_signature = "JURASSIC 0  Binary Emissivity Tables";

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
  return recognise_binary_table(path, bytes);
}

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

std::string wavenumber_text(double wavenumber) { return fmt::format("{:.4f}", wavenumber); }

std::string text_of(TableLabel const& label) {
  return fmt::format("{} at {} cm-1", label.gas, wavenumber_text(label.wavenumber));
}

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
  auto table =
      format == TableFormat::text ? read_text_table(path, bytes, count) : read_binary_table(path, bytes, format, count);
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

}  // namespace parhelion::io
