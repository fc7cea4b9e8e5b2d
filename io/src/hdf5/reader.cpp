// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/hdf5.hpp>

#include "hdf5/handle.hpp"
#include "hdf5/remote.hpp"
#include "input_file.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>

namespace parhelion::io {

namespace {

namespace fs = std::filesystem;

bool in_child = false;

std::string shape_text(std::vector<std::size_t> const& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

std::vector<std::size_t> extents(hid_t dataset) {
  Handle const space(H5Dget_space(dataset), H5Sclose);
  int const rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(rank, 0)));
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  return {dims.begin(), dims.end()};
}

bool is_number(hid_t type) {
  auto const kind = H5Tget_class(type);
  return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

// The text of `size` bytes at most, without the padding of any of HDF5's and netCDF's conventions.
std::string trimmed(char const* text, std::size_t size) {
  std::string result(text, strnlen(text, size));
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

// Text in memory as HDF5 has it in the file, which spares a conversion between character sets.
hid_t make_text_type(hid_t like, std::size_t size) {
  hid_t const type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_cset(type, H5Tget_cset(like));
  H5Tset_strpad(type, size == H5T_VARIABLE ? H5T_STR_NULLTERM : H5Tget_strpad(like));
  return type;
}

// Values of an array that is to be read, refused where they cannot fit into memory.
std::size_t count_that_fits(std::string const& where, std::vector<std::size_t> const& shape, std::size_t bytes_of_one) {
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  std::size_t bytes = bytes_of_one;
  for (auto const extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > std::numeric_limits<std::ptrdiff_t>::max())
      throw Error(where, fmt::format("has shape {}, more than any memory holds", shape_text(shape)));
  constexpr std::size_t always_fits = std::size_t(1) << 24;  // spares the question
  if (bytes > always_fits) require_host_memory(fmt::format("{}: shape {}", where, shape_text(shape)), bytes, "");
  return bytes / bytes_of_one;
}

// Reads the strings of a dataset or an attribute: `read` is called with the type in memory and the buffer.
template <class Read>
std::vector<std::string> read_text(std::string const& where, hid_t type, hid_t space, Read const& read, bool& good) {
  auto const points = H5Sget_simple_extent_npoints(space);
  auto const count = static_cast<std::size_t>(std::max<hssize_t>(points, 0));
  bool const variable = H5Tis_variable_str(type) > 0;
  std::size_t const size = variable ? sizeof(char*) : H5Tget_size(type);
  std::vector<std::string> result;
  good = true;
  if (count_that_fits(where, {count}, size + sizeof(std::string)) == 0) return result;
  if (variable) {
    Handle const memory(make_text_type(type, H5T_VARIABLE), H5Tclose);
    std::vector<char*> pointers(count, nullptr);
    good = read(memory, pointers.data()) >= 0;
    if (!good) return result;
    for (char const* const text : pointers) result.push_back(text == nullptr ? "" : trimmed(text, std::strlen(text)));
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
  } else {
    Handle const memory(make_text_type(type, size), H5Tclose);
    std::string buffer(count * size, '\0');
    good = read(memory, buffer.data()) >= 0;
    if (!good) return result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(trimmed(buffer.data() + i * size, size));
  }
  return result;
}

Handle open_dataset(hid_t file, std::string const& path, std::string const& name) {
  // Asked first because the reason that HDF5 gives for a missing dataset reads badly.
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) throw Error(label(path, name), "missing");
  hid_t const id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) throw Error(label(path, name), "cannot be opened: " + hdf5_reason());
  return {id, H5Dclose};
}

}  // namespace

void read_hdf5_in_child(bool yes) { in_child = yes; }

// --- opening -----------------------------------------------------------------------------------------------------

Hdf5File::Hdf5File(std::string path) : m_path(std::move(path)) {
  std::error_code unreadable;
  if (!fs::exists(m_path, unreadable)) throw Error(m_path, unreadable ? unreadable.message() : "no such file");
  if (fs::is_directory(m_path, unreadable)) throw Error(m_path, "is a folder, expected an HDF5 or netCDF-4 file");
  refuse_special(m_path);
  errno = 0;
  std::ifstream stream(m_path, std::ios::binary);
  if (!stream) throw Error(m_path, std::string("cannot be opened: ") + std::strerror(errno));
  char magic[4] = {};
  stream.read(magic, sizeof magic);
  if (stream.gcount() == 0) throw Error(m_path, "is empty, expected an HDF5 or netCDF-4 file");
  if (is_netcdf3(std::string_view(magic, sizeof magic)))
    throw Error(m_path, "is a netCDF-3 file, expected netCDF-4; convert it: nccopy -k nc4 OLD.nc NEW.nc");

  if (in_child) {
    m_remote = std::make_unique<Remote>(m_path);
    if (m_remote->started()) {
      m_remote->take_answer("");
      return;
    }
    m_remote.reset();
  }
  Quiet const quiet;
  if (H5Fis_hdf5(m_path.c_str()) <= 0) throw Error(m_path, "is not an HDF5 or netCDF-4 file");
  m_id = H5Fopen(m_path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (m_id < 0) throw Error(m_path, "damaged or truncated HDF5: " + hdf5_reason());
}

Hdf5File::~Hdf5File() {
  Quiet const quiet;
  if (m_id >= 0) H5Fclose(m_id);
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : m_path(std::move(other.m_path)), m_id(std::exchange(other.m_id, -1)), m_remote(std::move(other.m_remote)) {}

Hdf5File& Hdf5File::operator=(Hdf5File&& other) noexcept {
  std::swap(m_path, other.m_path);
  std::swap(m_id, other.m_id);
  std::swap(m_remote, other.m_remote);
  return *this;
}

namespace {

// The kind of object at a path; H5I_BADID where there is none.
H5I_type_t kind_of(hid_t file, std::string const& path) {
  if (H5Lexists(file, path.c_str(), H5P_DEFAULT) <= 0) return H5I_BADID;
  Handle const object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  return object ? H5Iget_type(object) : H5I_BADID;
}

// Names of the objects of one kind in a group, sorted.
std::vector<std::string> names_in(hid_t file, std::string const& path, std::string const& group, H5I_type_t kind) {
  std::string const start = group.empty() ? "/" : group;
  std::vector<std::string> names;
  if (!group.empty() && kind_of(file, group) != H5I_GROUP) return names;
  H5G_info_t info;
  if (H5Gget_info_by_name(file, start.c_str(), &info, H5P_DEFAULT) < 0)
    throw Error(label(path, group), "damaged HDF5: " + hdf5_reason());
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    auto const name_of = [&](char* name, std::size_t size) {
      return H5Lget_name_by_idx(file, start.c_str(), H5_INDEX_NAME, H5_ITER_INC, i, name, size, H5P_DEFAULT);
    };
    auto const length = name_of(nullptr, 0);
    if (length < 0) throw Error(label(path, group), "damaged HDF5: " + hdf5_reason());
    std::string name(static_cast<std::size_t>(length), '\0');
    name_of(name.data(), name.size() + 1);
    if (kind_of(file, joined(group, name)) == kind) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> Hdf5File::variables(std::string const& group) const {
  if (m_remote) return m_remote->ask<std::vector<std::string>>(Question::variables, group);
  Quiet const quiet;
  return names_in(m_id, m_path, group, H5I_DATASET);
}

std::vector<std::string> Hdf5File::groups(std::string const& group) const {
  if (m_remote) return m_remote->ask<std::vector<std::string>>(Question::groups, group);
  Quiet const quiet;
  return names_in(m_id, m_path, group, H5I_GROUP);
}

bool Hdf5File::exists(std::string const& variable) const {
  if (m_remote) return m_remote->ask<bool>(Question::exists, variable);
  Quiet const quiet;
  return kind_of(m_id, variable) == H5I_DATASET;
}

std::vector<std::size_t> Hdf5File::shape(std::string const& variable) const {
  if (m_remote) return m_remote->ask<std::vector<std::size_t>>(Question::shape, variable);
  Quiet const quiet;
  return extents(open_dataset(m_id, m_path, variable));
}

std::vector<double> Hdf5File::read(std::string const& variable) const {
  auto const dims = shape(variable);
  return read(variable, 0, dims.empty() ? 1 : dims.front());
}

namespace {

// The number of values in ranges of a variable, refused where there are no such entries or no memory for them.
std::size_t count_in(std::string const& where, std::vector<std::size_t> dims, std::vector<ItemRange> const& ranges) {
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    std::size_t const entries = d < dims.size() ? dims[d] : 1;
    if (ranges[d].first > entries || ranges[d].count > entries - ranges[d].first)
      throw Error(where, fmt::format("has shape {}, expected at least {} entries in the {} dimension", shape_text(dims),
                                     ranges[d].end(), d == 0 ? "first" : "next"));
    if (d < dims.size()) dims[d] = ranges[d].count;
  }
  // Twice the size, because callers copy the values into their own arrays.
  return dims.empty() ? ranges.front().count : count_that_fits(where, dims, 2 * sizeof(double));
}

// The extents of the pieces that a dataset is stored in; empty where it lies in one.
std::vector<hsize_t> chunks(hid_t dataset) {
  Handle const creation(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(creation) != H5D_CHUNKED) return {};
  std::array<hsize_t, H5S_MAX_RANK> dims{};
  int const rank = H5Pget_chunk(creation, static_cast<int>(dims.size()), dims.data());
  return {dims.begin(), dims.begin() + std::max(rank, 0)};
}

// The filter that a dataset needs and this HDF5 does not have, in words; empty where it has them all.
std::string missing_filter(hid_t dataset) {
  Handle const creation(H5Dget_create_plist(dataset), H5Pclose);
  for (int i = 0; i < H5Pget_nfilters(creation); ++i) {
    std::array<char, 64> name{};
    unsigned flags = 0, settings = 0;
    std::size_t no_values = 0;
    auto const id = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &no_values, nullptr, name.size(),
                                   name.data(), &settings);
    if (id < 0 || H5Zfilter_avail(id) > 0) continue;
    name.back() = '\0';
    return fmt::format("{}{}", name.front() == '\0' ? "" : std::string(name.data()) + ", ",
                       fmt::format("number {}", id));
  }
  return {};
}

[[noreturn]] void refuse_unread(std::string const& where, hid_t dataset) {
  std::string const reason = hdf5_reason();
  auto const filter = missing_filter(dataset);
  if (filter.empty()) throw Error(where, "cannot be read: " + reason);
  throw Error(where,
              fmt::format("is packed by an HDF5 filter that is not installed ({}), expected one that is, such as "
                          "gzip: h5repack -f GZIP=4 OLD NEW where it is installed",
                          filter));
}

}  // namespace

std::size_t Hdf5File::rows_at_a_time(std::string const& variable) const {
  Quiet const quiet;
  Handle const dataset = open_dataset(m_id, m_path, variable);
  auto const dims = extents(dataset);
  std::size_t row = sizeof(double);
  for (std::size_t i = 1; i < dims.size(); ++i)
    if (__builtin_mul_overflow(row, std::max<std::size_t>(dims[i], 1), &row)) return 1;
  auto const chunk = chunks(dataset);
  std::size_t const rows = chunk.empty() ? 1 : std::max<std::size_t>(chunk.front(), 1);
  return std::max<std::size_t>(piece_bytes / row / rows, 1) * rows;  // every chunk is unpacked once
}

std::vector<double> Hdf5File::read(std::string const& variable, std::size_t first, std::size_t count) const {
  return read(variable, std::vector{ItemRange{first, count}});
}

std::vector<double> Hdf5File::read(std::string const& variable, std::vector<ItemRange> const& ranges) const {
  std::string const where = label(m_path, variable);
  if (ranges.empty()) return read(variable);
  if (m_remote) {
    auto const size = count_in(where, shape(variable), ranges);
    auto const step = size == 0 ? 1 : m_remote->ask<std::size_t>(Question::rows, variable);
    std::vector<double> values;
    values.reserve(size);
    auto piece = ranges;
    auto at = ranges.front().first;
    do {
      auto const end = std::min(ranges.front().end(), at / step * step + step);
      piece.front() = {at, end - at};
      auto const part = m_remote->ask<std::vector<double>>(Question::read, variable, piece);
      values.insert(values.end(), part.begin(), part.end());
      at = end;
    } while (at < ranges.front().end());
    return values;
  }
  Quiet const quiet;
  Handle const dataset = open_dataset(m_id, m_path, variable);
  Handle const type(H5Dget_type(dataset), H5Tclose);
  if (!is_number(type)) throw Error(where, "does not hold numbers");

  auto dims = extents(dataset);
  std::size_t const size = count_in(where, dims, ranges);
  if (size == 0) return {};
  // HDF5 makes up zeros for what was never written.
  if (H5Dget_storage_size(dataset) == 0) throw Error(where, "was never written");

  Handle const file_space(H5Dget_space(dataset), H5Sclose);
  Handle const memory_space(H5Scopy(file_space), H5Sclose);
  if (!dims.empty()) {
    std::vector<hsize_t> start(dims.size(), 0);
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      start[d] = ranges[d].first;
      dims[d] = ranges[d].count;
    }
    std::vector<hsize_t> const block(dims.begin(), dims.end());
    H5Sset_extent_simple(memory_space, static_cast<int>(block.size()), block.data(), nullptr);
    H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr);
  }
  std::vector<double> values(size);
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, values.data()) < 0)
    refuse_unread(where, dataset);
  return values;
}

std::vector<std::string> Hdf5File::read_strings(std::string const& variable) const {
  if (m_remote) return m_remote->ask<std::vector<std::string>>(Question::strings, variable);
  Quiet const quiet;
  std::string const where = label(m_path, variable);
  Handle const dataset = open_dataset(m_id, m_path, variable);
  Handle const type(H5Dget_type(dataset), H5Tclose);
  Handle const space(H5Dget_space(dataset), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING) throw Error(where, "does not hold text");
  auto const dims = extents(dataset);
  bool const characters = dims.size() == 2 && H5Tis_variable_str(type) <= 0 && H5Tget_size(type) == 1;
  if (dims.size() != 1 && !characters)
    throw Error(where, fmt::format("has shape {}, expected one dimension of strings", shape_text(dims)));

  bool good = false;
  auto const read = [&](hid_t memory, void* buffer) {
    return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
  };
  if (!characters) {
    auto texts = read_text(where, type, space, read, good);
    if (!good) refuse_unread(where, dataset);
    return texts;
  }
  std::vector<char> buffer(count_that_fits(where, dims, 1));
  Handle const memory(make_text_type(type, 1), H5Tclose);
  if (!buffer.empty() && read(memory, buffer.data()) < 0) refuse_unread(where, dataset);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < dims[0]; ++i) texts.push_back(trimmed(buffer.data() + i * dims[1], dims[1]));
  return texts;
}

namespace {

// The attribute of a variable, or of the file where `variable` is empty; an invalid handle where there is none.
Handle open_attribute(hid_t file, std::string const& path, std::string const& variable, std::string const& attribute) {
  Handle const object(variable.empty() ? H5Oopen(file, "/", H5P_DEFAULT) : H5Oopen(file, variable.c_str(), H5P_DEFAULT),
                      H5Oclose);
  if (!object) throw Error(label(path, variable), "cannot be opened: " + hdf5_reason());
  if (H5Aexists(object, attribute.c_str()) <= 0) return {-1, H5Aclose};
  hid_t const id = H5Aopen(object, attribute.c_str(), H5P_DEFAULT);
  if (id < 0) throw Error(label(path, variable), fmt::format("attribute {}: {}", attribute, hdf5_reason()));
  return {id, H5Aclose};
}

}  // namespace

std::optional<std::string> Hdf5File::text_attribute(std::string const& variable, std::string const& attribute) const {
  if (m_remote) return m_remote->ask<std::optional<std::string>>(Question::text, variable, attribute);
  Quiet const quiet;
  Handle const id = open_attribute(m_id, m_path, variable, attribute);
  if (!id) return std::nullopt;
  Handle const type(H5Aget_type(id), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING) return std::nullopt;
  Handle const space(H5Aget_space(id), H5Sclose);
  std::string const where = fmt::format("{}: attribute {}", label(m_path, variable), attribute);
  bool good = false;
  auto const texts = read_text(
      where, type, space, [&](hid_t memory, void* buffer) { return H5Aread(id, memory, buffer); }, good);
  if (!good) throw Error(where, hdf5_reason());
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::optional<std::vector<double>> Hdf5File::number_attribute(std::string const& variable,
                                                              std::string const& attribute) const {
  if (m_remote) return m_remote->ask<std::optional<std::vector<double>>>(Question::numbers, variable, attribute);
  Quiet const quiet;
  Handle const id = open_attribute(m_id, m_path, variable, attribute);
  if (!id) return std::nullopt;
  Handle const type(H5Aget_type(id), H5Tclose);
  if (!is_number(type)) return std::nullopt;
  Handle const space(H5Aget_space(id), H5Sclose);
  std::string const where = fmt::format("{}: attribute {}", label(m_path, variable), attribute);
  auto const count = static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
  std::vector<double> values(count_that_fits(where, {count}, sizeof(double)));
  if (!values.empty() && H5Aread(id, H5T_NATIVE_DOUBLE, values.data()) < 0) throw Error(where, hdf5_reason());
  return values;
}

}  // namespace parhelion::io
