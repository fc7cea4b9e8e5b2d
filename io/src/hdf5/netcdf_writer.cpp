// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/hdf5.hpp>

#include "hdf5/handle.hpp"
#include "plain_values.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <hdf5.h>
#include <hdf5_hl.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace parhelion::io {

NetcdfWriter::NetcdfWriter(std::string path, int deflate, FileSharing const* sharing)
    : m_path(std::move(path)), m_deflate(deflate), m_sharing(sharing) {
  Quiet const quiet;
  if (deflate < 0 || deflate > 9)
    throw Error("NetcdfWriter", fmt::format("deflate = {}, expected a level from 0 to 9", deflate));
  if (deflate > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0)
    throw Error("NetcdfWriter", "this HDF5 was built without compression");
  if (deflate > 0 && sharing != nullptr)
    throw Error("NetcdfWriter", fmt::format("deflate = {}, expected 0 where processes share a file", deflate));
  if (makes_file()) check_writable(m_path);
  // netCDF-4 lists dimensions, variables and attributes in the order of their creation.
  Handle const creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  // In memory, because HDF5 1.10 cannot cope with a disk that fills up: closing the file fails then, and HDF5 crashes
  // when the program ends. The name is one that is not there, nor can be: HDF5 would read an old file first.
  Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, std::size_t(1) << 20, false);
  static int count = 0;
  m_id = H5Fcreate(fmt::format("/dev/null/{}", ++count).c_str(), H5F_ACC_TRUNC, creation, access);
  if (m_id < 0) fail("cannot be created");
}

NetcdfWriter::~NetcdfWriter() {
  Quiet const quiet;
  if (m_id >= 0) H5Fclose(m_id);
}

void NetcdfWriter::fail(std::string const& what) const {
  throw Error(m_path, fmt::format("{}: {}", what, hdf5_reason()));
}

NetcdfWriter::Dimension const& NetcdfWriter::find_dimension(std::string const& variable,
                                                            std::string const& dimension) const {
  std::string group = group_of(variable);
  while (true) {
    auto const found = std::find_if(m_dimensions.begin(), m_dimensions.end(),
                                    [&](Dimension const& each) { return each.path == joined(group, dimension); });
    if (found != m_dimensions.end()) return *found;
    if (group.empty()) break;
    group = group_of(group);
  }
  throw Error(label(m_path, variable), fmt::format("dimension {} has not been added", dimension));
}

std::string AttributeValue::text() const {
  return std::visit([](auto const& value) { return fmt::format("{}", value); }, m_value);
}

namespace {

// Text as an attribute can hold it.
std::string storable(std::string const& text) {
  constexpr std::size_t max_bytes = 60000;
  constexpr std::string_view cut = " ...";
  auto bytes = valid_utf8(text);
  if (bytes.size() <= max_bytes) return bytes;
  auto size = max_bytes - cut.size();
  while ((static_cast<unsigned char>(bytes[size]) & 0xc0) == 0x80) --size;  // between characters
  return bytes.substr(0, size).append(cut);
}

}  // namespace

void NetcdfWriter::add_attributes(std::int64_t object, std::string const& where, Attributes const& attributes) {
  auto const write = [&](std::string const& name, hid_t stored, hid_t type, hid_t space, void const* value) {
    Handle const id(H5Acreate2(object, name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!id || (value != nullptr && H5Awrite(id, type, value) < 0))
      fail(fmt::format("{}: attribute {} cannot be written", where, name));
  };
  Handle const scalar(H5Screate(H5S_SCALAR), H5Sclose), nothing(H5Screate(H5S_NULL), H5Sclose);
  for (auto const& [name, attribute] : attributes) {
    auto const& value = attribute.value();
    if (auto const* const text = std::get_if<std::string>(&value)) {
      auto const bytes = storable(*text);
      Handle const type(H5Tcopy(H5T_C_S1), H5Tclose);
      H5Tset_cset(type, H5T_CSET_UTF8);
      H5Tset_size(type, std::max<std::size_t>(bytes.size(), 1));
      write(name, type, type, bytes.empty() ? nothing : scalar, bytes.empty() ? nullptr : bytes.data());
    } else if (auto const* const whole = std::get_if<std::int64_t>(&value)) {
      bool const small = *whole == static_cast<std::int32_t>(*whole);  // what every reader knows
      write(name, small ? H5T_STD_I32LE : H5T_STD_I64LE, H5T_NATIVE_INT64, scalar, whole);
    } else if (auto const* const large = std::get_if<std::uint64_t>(&value)) {
      write(name, H5T_STD_U64LE, H5T_NATIVE_UINT64, scalar, large);
    } else {
      write(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scalar, std::get_if<double>(&value));
    }
  }
}

void NetcdfWriter::attributes(Attributes const& attributes) { this->attributes("/", attributes); }

void NetcdfWriter::attributes(std::string const& object, Attributes const& attributes) {
  Quiet const quiet;
  Handle const owner(H5Oopen(m_id, object.c_str(), H5P_DEFAULT), H5Oclose);
  if (!owner) fail(fmt::format("{} cannot be opened", object));
  add_attributes(owner, object == "/" ? "file" : object, attributes);
}

void NetcdfWriter::check_name(std::string const& path) const {
  if (!is_netcdf_name(last_of(path)))
    throw Error(m_path, fmt::format("\"{}\" is no name that netCDF takes", valid_utf8(path)));
}

void NetcdfWriter::group(std::string const& path, Attributes const& attributes) {
  Quiet const quiet;
  check_name(path);
  Handle const creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  Handle const group(H5Gcreate2(m_id, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  if (!group) fail(fmt::format("{} cannot be created", path));
  add_attributes(group, path, attributes);
}

namespace {

hid_t file_type(NetcdfType type) {
  switch (type) {
    case NetcdfType::int32:
      return H5T_STD_I32LE;
    case NetcdfType::float32:
      return H5T_IEEE_F32LE;
    case NetcdfType::float64:
      return H5T_IEEE_F64LE;
  }
  return H5I_INVALID_HID;
}

// The pieces that are compressed one by one: whole rows, up to about a megabyte.
std::vector<hsize_t> chunk_of(std::vector<hsize_t> dims) {
  constexpr hsize_t max_values = hsize_t(1) << 17;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    auto const inner =
        std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(i) + 1, dims.end(), hsize_t(1), std::multiplies<>());
    dims[i] = std::min(dims[i], std::max<hsize_t>(1, max_values / inner));
  }
  return dims;
}

// The netCDF-4 library knows dimensions by these numbers, which keep their order.
void write_dimension_number(hid_t dataset, int number) {
  Handle const space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle const id(H5Acreate2(dataset, "_Netcdf4Dimid", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(id, H5T_NATIVE_INT, &number);
}

}  // namespace

std::int64_t NetcdfWriter::create(std::string const& name, std::vector<std::string> const& dimensions,
                                  std::int64_t type) {
  check_name(name);
  std::vector<hsize_t> dims;
  dims.reserve(dimensions.size());
  for (auto const& dimension : dimensions) dims.push_back(find_dimension(name, dimension).size);
  Handle const creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  if (m_deflate > 0 && !dims.empty() && H5Tis_variable_str(type) <= 0) {
    auto const chunk = chunk_of(dims);
    H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, static_cast<unsigned>(m_deflate));
  }
  Handle const space(
      dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
      H5Sclose);
  hid_t const id = H5Dcreate2(m_id, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (id < 0) fail(fmt::format("{} cannot be created", name));
  return id;
}

int NetcdfWriter::add_dimension(std::string const& path, std::size_t size) {
  if (size == 0) throw Error(label(m_path, path), "size = 0, expected a positive number");
  m_dimensions.push_back({path, size, {0, size}});
  return static_cast<int>(m_dimensions.size()) - 1;
}

void NetcdfWriter::share(std::string const& dimension, ItemRange const& range) {
  auto const found = std::find_if(m_dimensions.begin(), m_dimensions.end(),
                                  [&](Dimension const& each) { return each.path == dimension; });
  if (found == m_dimensions.end()) throw Error(label(m_path, dimension), "this dimension has not been added");
  if (range.end() > found->size)
    throw Error(label(m_path, dimension), fmt::format("entries {} to {} are shared, expected at most {} of them",
                                                      range.first, range.end(), found->size));
  found->own = range;
}

ItemRange NetcdfWriter::range(std::string const& dimension) const { return find_dimension("", dimension).own; }

bool NetcdfWriter::has_dimension(std::string const& name) const {
  return std::any_of(m_dimensions.begin(), m_dimensions.end(),
                     [&](Dimension const& each) { return each.path == name; });
}

void NetcdfWriter::dimension(std::string const& name, std::size_t size) {
  Quiet const quiet;
  int const number = add_dimension(name, size);
  Handle const dataset(create(name, {last_of(name)}, H5T_IEEE_F32BE), H5Dclose);
  // The words by which the netCDF-4 library tells such a dataset from a variable.
  auto const mark = fmt::format("This is a netCDF dimension but not a netCDF variable. {:10d}", size);
  if (H5DSset_scale(dataset, mark.c_str()) < 0) fail(fmt::format("{} cannot be made a dimension", name));
  write_dimension_number(dataset, number);
}

void NetcdfWriter::coordinate(std::string const& name, std::span<double const> values, Attributes const& attributes,
                              NetcdfType type) {
  Quiet const quiet;
  int const number = add_dimension(name, values.size());
  Handle const dataset(create(name, {last_of(name)}, file_type(type)), H5Dclose);
  if (H5DSset_scale(dataset, last_of(name).c_str()) < 0) fail(fmt::format("{} cannot be made a dimension", name));
  write_dimension_number(dataset, number);
  if (H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(fmt::format("{} cannot be written", name));
  add_attributes(dataset, name, attributes);
}

void NetcdfWriter::attach_dimensions(std::int64_t dataset, std::string const& variable,
                                     std::vector<std::string> const& dimensions) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    Handle const scale(H5Dopen2(m_id, find_dimension(variable, dimensions[i]).path.c_str(), H5P_DEFAULT), H5Dclose);
    if (H5DSattach_scale(dataset, scale, static_cast<unsigned>(i)) < 0)
      fail(fmt::format("{}: dimensions cannot be attached", variable));
  }
}

void NetcdfWriter::variable(std::string const& name, std::vector<std::string> const& dimensions,
                            std::span<double const> values, Attributes const& attributes, NetcdfType type) {
  Quiet const quiet;
  std::size_t size = 1, own = 1;
  std::optional<Piece> piece;
  for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
    auto const& dimension = find_dimension(name, dimensions[axis]);
    size *= dimension.size;
    own *= dimension.own.count;
    if (dimension.own.count < dimension.size)
      piece = {.variable = name, .dimension = dimension.path, .axis = axis, .own = dimension.own, .values = {}};
  }
  bool const shared = piece && values.size() == own;
  if (values.size() != size && !shared)
    throw Error(label(m_path, name), fmt::format("has {} values, expected {}", values.size(), size));
  Handle const dataset(create(name, dimensions, file_type(type)), H5Dclose);
  if (shared) {
    piece->values.assign(values.begin(), values.end());
    m_pieces.push_back(std::move(*piece));
  } else if (H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(fmt::format("{} cannot be written", name));
  }
  attach_dimensions(dataset, name, dimensions);
  add_attributes(dataset, name, attributes);
}

void NetcdfWriter::strings(std::string const& name, std::string const& dimension, std::span<std::string const> values,
                           Attributes const& attributes) {
  Quiet const quiet;
  auto const size = find_dimension(name, dimension).size;
  if (values.size() != size)
    throw Error(label(m_path, name), fmt::format("has {} values, expected {}", values.size(), size));
  Handle const type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  Handle const dataset(create(name, {dimension}, type), H5Dclose);
  std::vector<char const*> pointers;
  for (auto const& value : values) {
    if (!is_utf8(value)) throw Error(label(m_path, name), fmt::format("\"{}\" is not valid UTF-8", valid_utf8(value)));
    pointers.push_back(value.c_str());
  }
  if (H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
    fail(fmt::format("{} cannot be written", name));
  attach_dimensions(dataset, name, {dimension});
  add_attributes(dataset, name, attributes);
}

namespace {

// Takes space on the disk for a file of so many bytes, where the file system can: MPI may wait for ever in a collective
// call that fails in one process because the disk is full.
void reserve(std::string const& temporary, std::string const& path, hsize_t bytes) {
  int const descriptor = ::open(temporary.c_str(), O_WRONLY | O_CLOEXEC);
  int const error = descriptor < 0 || ::fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0 ? errno : 0;
  if (descriptor >= 0) ::close(descriptor);
  if (error != 0 && error != EOPNOTSUPP && error != ENOSYS)
    throw Error(path, fmt::format("cannot be written: {}", std::strerror(error)));
}

hsize_t bytes_of(hid_t file, std::string const& variable) {
  Handle const dataset(H5Dopen2(file, variable.c_str(), H5P_DEFAULT), H5Dclose);
  Handle const space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
  return static_cast<hsize_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type);
}

}  // namespace

void NetcdfWriter::commit() {
  Quiet const quiet;
  std::optional<OutputFile> file;
  auto const write = [&] {
    if (m_id < 0) throw Error(m_path, "has been completed before");
    if (makes_file()) {
      if (H5Fflush(m_id, H5F_SCOPE_GLOBAL) < 0) fail("cannot be completed");
      // The size of the file, and where HDF5's memory driver keeps it: without a copy, which might be large.
      auto const size = H5Fget_file_image(m_id, nullptr, 0);
      void* handle = nullptr;
      if (size < 0 || H5Fget_vfd_handle(m_id, H5P_DEFAULT, &handle) < 0) fail("cannot be completed");
      char const* const bytes = *static_cast<char**>(handle);
      file.emplace(m_path);
      file->write({bytes, static_cast<std::size_t>(size)});
      auto all = static_cast<hsize_t>(size);
      for (auto const& piece : m_pieces) all += bytes_of(m_id, piece.variable);
      if (!m_pieces.empty()) reserve(file->temporary_path(), m_path, all);
    }
    if (m_sharing == nullptr) file->commit();
    H5Fclose(std::exchange(m_id, -1));
  };
  if (m_sharing == nullptr) return write();
  m_sharing->collectively(write);
  write_pieces(file ? file->temporary_path() : "");
  m_sharing->collectively([&] {
    if (file) file->commit();
  });
}

// The file of the first process has all but the values of which each process has a part. HDF5 gives them their places
// when all open it together. Every process makes the same calls in the same order, whatever fails in one of them, as
// the others would wait for it.
void NetcdfWriter::write_pieces(std::string temporary) const {
  m_sharing->broadcast(temporary);
  // Of each variable its name and its shared dimension, a line each, which names cannot contain.
  std::string lines;
  for (auto const& piece : m_pieces) lines += piece.variable + "\n" + piece.dimension + "\n";
  m_sharing->broadcast(lines);
  if (lines.empty()) return;
  std::vector<std::string> variables;
  Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  m_sharing->collectively([&] {
    std::istringstream list(lines);
    for (std::string variable, path; std::getline(list, variable) && std::getline(list, path);) {
      auto const dimension = std::find_if(m_dimensions.begin(), m_dimensions.end(),
                                          [&](Dimension const& each) { return each.path == path; });
      auto const piece =
          std::find_if(m_pieces.begin(), m_pieces.end(), [&](Piece const& each) { return each.variable == variable; });
      if (piece == m_pieces.end() && dimension != m_dimensions.end() && !dimension->own.empty())
        throw Error(label(m_path, variable),
                    fmt::format("process {} has no values, expected those of {} {} to {}", m_sharing->part().index,
                                path, dimension->own.first, dimension->own.end() - 1));
      variables.push_back(variable);
    }
    if (::access(temporary.c_str(), W_OK) != 0)
      throw Error(m_path, fmt::format("process {} cannot write it: {}; expected a folder that all processes see",
                                      m_sharing->part().index, std::strerror(errno)));
    m_sharing->set_properties(access, transfer);
  });
  // Where it fails in some of them the others leave the file open, as closing it would wait for all.
  hid_t file = H5I_INVALID_HID;
  m_sharing->collectively([&] {
    file = H5Fopen(temporary.c_str(), H5F_ACC_RDWR, access);
    if (file < 0) fail("cannot be opened by all processes");
  });
  m_sharing->collectively([&] {
    std::optional<Error> failed;
    for (auto const& variable : variables) {
      try {
        write_piece(file, transfer, variable);
      } catch (Error const& error) {
        if (!failed) failed = error;
      }
    }
    bool const flushed = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    std::string const reason = flushed ? "" : hdf5_reason();
    if ((H5Fclose(file) < 0 || !flushed) && !failed)
      failed = Error(m_path, fmt::format("cannot be completed: {}", flushed ? hdf5_reason() : reason));
    if (failed) throw *failed;
  });
}

// The values of this process, if it has any.
void NetcdfWriter::write_piece(std::int64_t file, std::int64_t transfer, std::string const& variable) const {
  auto const piece =
      std::find_if(m_pieces.begin(), m_pieces.end(), [&](Piece const& each) { return each.variable == variable; });
  Handle const dataset(H5Dopen2(file, variable.c_str(), H5P_DEFAULT), H5Dclose);
  Handle const there(H5Dget_space(dataset), H5Sclose);
  auto const rank = static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(there), 1));
  std::vector<hsize_t> first(rank, 0), count(rank, 1);
  H5Sget_simple_extent_dims(there, count.data(), nullptr);
  if (piece != m_pieces.end() && !piece->values.empty()) {
    first[piece->axis] = piece->own.first;
    count[piece->axis] = piece->own.count;
    H5Sselect_hyperslab(there, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
  } else {
    H5Sselect_none(there);
  }
  Handle const here(H5Screate_simple(static_cast<int>(rank), count.data(), nullptr), H5Sclose);
  double const nothing = 0;
  bool const some = H5Sget_select_npoints(there) > 0;
  if (!some) H5Sselect_none(here);
  if (H5Dwrite(dataset, H5T_NATIVE_DOUBLE, here, there, transfer, some ? piece->values.data() : &nothing) < 0)
    fail(fmt::format("{} cannot be written", variable));
}

void write_netcdf(std::string const& path, FileSharing const* sharing,
                  std::function<void(NetcdfWriter& file)> const& add) {
  std::optional<NetcdfWriter> file;
  auto const build = [&] {
    file.emplace(path, 0, sharing);
    add(*file);
  };
  if (sharing == nullptr)
    build();
  else
    sharing->collectively(build);
  file->commit();
}

}  // namespace parhelion::io
