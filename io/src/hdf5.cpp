// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/hdf5.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace parhelion::io {

namespace {

namespace fs = std::filesystem;

// Keeps HDF5 from printing its errors while it lives: they go into ours.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &m_function, &m_data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, m_function, m_data); }
  Quiet(Quiet const&) = delete;
  Quiet& operator=(Quiet const&) = delete;

 private:
  H5E_auto2_t m_function = nullptr;
  void* m_data = nullptr;
};

// What HDF5 says about the call that failed last, at the place where it failed.
std::string hdf5_reason() {
  std::string reason;
  auto const first = [](unsigned depth, H5E_error2_t const* error, void* result) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(result) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &reason);
  for (char& c : reason)
    if (c == '\n') c = ' ';  // errors are one line
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

// Owns an identifier of HDF5.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : m_id(id), m_close(close) {}
  ~Handle() {
    if (m_id >= 0) m_close(m_id);
  }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  operator hid_t() const { return m_id; }
  explicit operator bool() const { return m_id >= 0; }

 private:
  hid_t m_id;
  herr_t (*m_close)(hid_t);
};

std::string shape_text(std::vector<std::size_t> const& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

std::size_t product(std::vector<std::size_t> const& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
}

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

// Reads the strings of a dataset or an attribute: `read` is called with the type in memory and the buffer.
template <class Read>
std::vector<std::string> read_text(hid_t type, hid_t space, Read const& read, bool& good) {
  auto const points = H5Sget_simple_extent_npoints(space);
  auto const count = static_cast<std::size_t>(std::max<hssize_t>(points, 0));
  std::vector<std::string> result;
  good = true;
  if (count == 0) return result;
  if (H5Tis_variable_str(type) > 0) {
    Handle const memory(make_text_type(type, H5T_VARIABLE), H5Tclose);
    std::vector<char*> pointers(count, nullptr);
    good = read(memory, pointers.data()) >= 0;
    if (!good) return result;
    for (char const* const text : pointers) result.push_back(text == nullptr ? "" : trimmed(text, std::strlen(text)));
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
  } else {
    std::size_t const size = H5Tget_size(type);
    Handle const memory(make_text_type(type, size), H5Tclose);
    std::string buffer(count * size, '\0');
    good = read(memory, buffer.data()) >= 0;
    if (!good) return result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(trimmed(buffer.data() + i * size, size));
  }
  return result;
}

std::string group_of(std::string const& path) {
  auto const slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string last_of(std::string const& path) { return path.substr(path.rfind('/') + 1); }

std::string joined(std::string const& group, std::string const& name) {
  return group.empty() ? name : group + "/" + name;
}

std::string label(std::string const& path, std::string const& variable) {
  return variable.empty() ? path : fmt::format("{}: {}", path, variable);
}

Handle open_dataset(hid_t file, std::string const& path, std::string const& name) {
  // Asked first because the reason that HDF5 gives for a missing dataset reads badly.
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) throw Error(label(path, name), "missing");
  hid_t const id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) throw Error(label(path, name), "cannot be opened: " + hdf5_reason());
  return {id, H5Dclose};
}

}  // namespace

Hdf5File::Hdf5File(std::string path) : m_path(std::move(path)) {
  std::error_code unreadable;
  if (!fs::exists(m_path, unreadable)) throw Error(m_path, unreadable ? unreadable.message() : "no such file");
  if (fs::is_directory(m_path, unreadable)) throw Error(m_path, "is a folder, expected an HDF5 or netCDF-4 file");
  errno = 0;
  std::ifstream stream(m_path, std::ios::binary);
  if (!stream) throw Error(m_path, std::string("cannot be opened: ") + std::strerror(errno));
  char magic[4] = {};
  stream.read(magic, sizeof magic);
  if (stream.gcount() == 0) throw Error(m_path, "is empty, expected an HDF5 or netCDF-4 file");
  if (std::string_view(magic, 3) == "CDF" && (magic[3] == 1 || magic[3] == 2 || magic[3] == 5))
    throw Error(m_path, "is a netCDF-3 file, expected netCDF-4; convert it: nccopy -k nc4 OLD.nc NEW.nc");

  Quiet const quiet;
  if (H5Fis_hdf5(m_path.c_str()) <= 0) throw Error(m_path, "is not an HDF5 or netCDF-4 file");
  m_id = H5Fopen(m_path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (m_id < 0) throw Error(m_path, "damaged or truncated HDF5: " + hdf5_reason());
}

Hdf5File::~Hdf5File() {
  Quiet const quiet;
  if (m_id >= 0) H5Fclose(m_id);
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept : m_path(std::move(other.m_path)), m_id(std::exchange(other.m_id, -1)) {}

Hdf5File& Hdf5File::operator=(Hdf5File&& other) noexcept {
  std::swap(m_path, other.m_path);
  std::swap(m_id, other.m_id);
  return *this;
}

namespace {

// What kind of object a path leads to; H5I_BADID where it leads nowhere.
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
  Quiet const quiet;
  return names_in(m_id, m_path, group, H5I_DATASET);
}

std::vector<std::string> Hdf5File::groups(std::string const& group) const {
  Quiet const quiet;
  return names_in(m_id, m_path, group, H5I_GROUP);
}

bool Hdf5File::exists(std::string const& variable) const {
  Quiet const quiet;
  return kind_of(m_id, variable) == H5I_DATASET;
}

std::vector<std::size_t> Hdf5File::shape(std::string const& variable) const {
  Quiet const quiet;
  return extents(open_dataset(m_id, m_path, variable));
}

std::vector<double> Hdf5File::read(std::string const& variable) const {
  auto const dims = shape(variable);
  return read(variable, 0, dims.empty() ? 1 : dims.front());
}

std::vector<double> Hdf5File::read(std::string const& variable, std::size_t first, std::size_t count) const {
  Quiet const quiet;
  std::string const where = label(m_path, variable);
  Handle const dataset = open_dataset(m_id, m_path, variable);
  Handle const type(H5Dget_type(dataset), H5Tclose);
  if (!is_number(type)) throw Error(where, "does not hold numbers");

  auto dims = extents(dataset);
  std::size_t const rows = dims.empty() ? 1 : dims.front();
  if (first > rows || count > rows - first)
    throw Error(where, fmt::format("has shape {}, expected at least {} entries in the first dimension",
                                   shape_text(dims), first + count));
  if (!dims.empty()) dims.front() = count;
  std::size_t const size = product(dims);
  if (size == 0) return {};
  // HDF5 makes up zeros for what was never written.
  if (H5Dget_storage_size(dataset) == 0) throw Error(where, "was never written");

  Handle const file_space(H5Dget_space(dataset), H5Sclose);
  Handle const memory_space(H5Scopy(file_space), H5Sclose);
  if (!dims.empty()) {
    std::vector<hsize_t> start(dims.size(), 0);
    start.front() = first;
    std::vector<hsize_t> const block(dims.begin(), dims.end());
    H5Sset_extent_simple(memory_space, static_cast<int>(block.size()), block.data(), nullptr);
    H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr);
  }
  std::vector<double> values;
  try {
    values.resize(size);
  } catch (std::exception const&) {  // std::bad_alloc or std::length_error
    throw Error(where, fmt::format("{} values do not fit into memory", size));
  }
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, values.data()) < 0)
    throw Error(where, "cannot be read: " + hdf5_reason());
  return values;
}

std::vector<std::string> Hdf5File::read_strings(std::string const& variable) const {
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
    auto texts = read_text(type, space, read, good);
    if (!good) throw Error(where, "cannot be read: " + hdf5_reason());
    return texts;
  }
  std::vector<char> buffer(product(dims));
  Handle const memory(make_text_type(type, 1), H5Tclose);
  if (!buffer.empty() && read(memory, buffer.data()) < 0) throw Error(where, "cannot be read: " + hdf5_reason());
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
  Quiet const quiet;
  Handle const id = open_attribute(m_id, m_path, variable, attribute);
  if (!id) return std::nullopt;
  Handle const type(H5Aget_type(id), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING) return std::nullopt;
  Handle const space(H5Aget_space(id), H5Sclose);
  bool good = false;
  auto const texts = read_text(
      type, space, [&](hid_t memory, void* buffer) { return H5Aread(id, memory, buffer); }, good);
  if (!good) throw Error(label(m_path, variable), fmt::format("attribute {}: {}", attribute, hdf5_reason()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::optional<std::vector<double>> Hdf5File::number_attribute(std::string const& variable,
                                                              std::string const& attribute) const {
  Quiet const quiet;
  Handle const id = open_attribute(m_id, m_path, variable, attribute);
  if (!id) return std::nullopt;
  Handle const type(H5Aget_type(id), H5Tclose);
  if (!is_number(type)) return std::nullopt;
  Handle const space(H5Aget_space(id), H5Sclose);
  std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0)));
  if (!values.empty() && H5Aread(id, H5T_NATIVE_DOUBLE, values.data()) < 0)
    throw Error(label(m_path, variable), fmt::format("attribute {}: {}", attribute, hdf5_reason()));
  return values;
}

NetcdfWriter::NetcdfWriter(std::string path, int deflate) : m_path(std::move(path)), m_deflate(deflate) {
  Quiet const quiet;
  if (deflate < 0 || deflate > 9)
    throw Error("NetcdfWriter", fmt::format("deflate = {}, expected a level from 0 to 9", deflate));
  if (deflate > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0)
    throw Error("NetcdfWriter", "this HDF5 was built without compression");
  check_writable(m_path);
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

void NetcdfWriter::add_attributes(std::int64_t object, std::string const& where, Attributes const& attributes) {
  for (auto const& [name, value] : attributes) {
    Handle const type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_size(type, std::max<std::size_t>(value.size(), 1));
    Handle const space(H5Screate(value.empty() ? H5S_NULL : H5S_SCALAR), H5Sclose);
    Handle const id(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!id || (!value.empty() && H5Awrite(id, type, value.data()) < 0))
      fail(fmt::format("{}: attribute {} cannot be written", where, name));
  }
}

void NetcdfWriter::attributes(Attributes const& attributes) {
  Quiet const quiet;
  Handle const root(H5Gopen2(m_id, "/", H5P_DEFAULT), H5Gclose);
  add_attributes(root, "file", attributes);
}

void NetcdfWriter::number_attribute(std::string const& object, std::string const& name, double value) {
  Quiet const quiet;
  Handle const owner(H5Oopen(m_id, object.c_str(), H5P_DEFAULT), H5Oclose);
  Handle const space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle const id(H5Acreate2(owner, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!id || H5Awrite(id, H5T_NATIVE_DOUBLE, &value) < 0)
    fail(fmt::format("{}: attribute {} cannot be written", object, name));
}

void NetcdfWriter::group(std::string const& path, Attributes const& attributes) {
  Quiet const quiet;
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

// Whole rows up to about a megabyte: what deflate packs at a time.
std::vector<hsize_t> chunk_of(std::vector<hsize_t> dims) {
  constexpr hsize_t most_values = hsize_t(1) << 17;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    auto const inner =
        std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(i) + 1, dims.end(), hsize_t(1), std::multiplies<>());
    dims[i] = std::min(dims[i], std::max<hsize_t>(1, most_values / inner));
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
  m_dimensions.push_back({path, size});
  return static_cast<int>(m_dimensions.size()) - 1;
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
  std::size_t size = 1;
  for (auto const& dimension : dimensions) size *= find_dimension(name, dimension).size;
  if (values.size() != size)
    throw Error(label(m_path, name), fmt::format("has {} values, expected {}", values.size(), size));
  Handle const dataset(create(name, dimensions, file_type(type)), H5Dclose);
  if (H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(fmt::format("{} cannot be written", name));
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
  for (auto const& value : values) pointers.push_back(value.c_str());
  if (H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
    fail(fmt::format("{} cannot be written", name));
  attach_dimensions(dataset, name, {dimension});
  add_attributes(dataset, name, attributes);
}

void NetcdfWriter::commit() {
  Quiet const quiet;
  if (m_id < 0) throw Error(m_path, "has been completed before");
  if (H5Fflush(m_id, H5F_SCOPE_GLOBAL) < 0) fail("cannot be completed");
  // The size of the file, and where HDF5's memory driver keeps it: without a copy, which might be large.
  auto const size = H5Fget_file_image(m_id, nullptr, 0);
  void* handle = nullptr;
  if (size < 0 || H5Fget_vfd_handle(m_id, H5P_DEFAULT, &handle) < 0) fail("cannot be completed");
  char const* const bytes = *static_cast<char**>(handle);

  OutputFile file(m_path);
  file.write({bytes, static_cast<std::size_t>(size)});
  file.commit();
  H5Fclose(std::exchange(m_id, -1));
}

}  // namespace parhelion::io
