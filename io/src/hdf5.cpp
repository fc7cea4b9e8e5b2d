// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/hdf5.hpp>

#include "child_process.hpp"
#include "input_file.hpp"
#include "plain_values.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <string_view>

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

namespace parhelion::io {

namespace {

namespace fs = std::filesystem;

// Keeps HDF5 from printing its errors while it lives: they become part of parhelion's.
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

std::string label(std::string const& path, std::string const& variable) {
  return variable.empty() ? path : fmt::format("{}: {}", path, variable);
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

std::string group_of(std::string const& path) {
  auto const slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string last_of(std::string const& path) { return path.substr(path.rfind('/') + 1); }

std::string joined(std::string const& group, std::string const& name) {
  return group.empty() ? name : group + "/" + name;
}

Handle open_dataset(hid_t file, std::string const& path, std::string const& name) {
  // Asked first because the reason that HDF5 gives for a missing dataset reads badly.
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) throw Error(label(path, name), "missing");
  hid_t const id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) throw Error(label(path, name), "cannot be opened: " + hdf5_reason());
  return {id, H5Dclose};
}

}  // namespace

// --- reading in a child ------------------------------------------------------------------------------------------

namespace {

bool in_child = false;

// What the child that reads a file is asked.
enum class Question : char { variables, groups, exists, shape, rows, read, strings, text, numbers };

// The child is ended by a signal when an answer has taken it this long [s of the processor]: HDF5 goes in circles in
// some damaged files. Values are asked for in pieces, each of which takes less than a second as a rule.
constexpr int seconds_for_values = 60, seconds_for_others = 20;

// Answers with a sign that all went well and the bytes, or with what went wrong.
template <class Work>
void answer(Connection& connection, int seconds, Work const& work) {
  itimerval const limit{{}, {seconds, 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  bool good = true;
  std::string bytes;
  try {
    work(bytes);
  } catch (std::exception const& error) {
    good = false;
    bytes = error.what();
  }
  connection.send(&good, sizeof good);
  connection.send_message(bytes);
}

}  // namespace

void read_hdf5_in_child(bool yes) { in_child = yes; }

// The file as a child has it open.
class Hdf5File::Remote {
 public:
  explicit Remote(std::string path)
      : m_path(std::move(path)), m_child([this](Connection& connection) { serve(connection); }) {}

  bool started() const { return m_child.started(); }

  // Takes the answer to a question of `variable`, or to none: how opening the file went.
  std::string take_answer(std::string const& variable) {
    try {
      bool good = false;
      m_child.connection().receive(&good, sizeof good);
      auto bytes = m_child.connection().receive_message();
      if (good) return bytes;
      throw Error(m_path, without_path(bytes));
    } catch (ConnectionEnded const&) {
      refuse_ended(variable);
    }
  }

  template <class Result, class... More>
  Result ask(Question question, std::string const& variable, More const&... more) {
    std::string request(1, static_cast<char>(question));
    put(request, variable);
    (put(request, more), ...);
    try {
      m_child.connection().send_message(request);
    } catch (ConnectionEnded const&) {
      refuse_ended(variable);
    }
    std::string const bytes = take_answer(variable);
    std::string_view rest = bytes;
    Result result{};
    take(rest, result);
    return result;
  }

 private:
  std::string without_path(std::string const& message) const {
    return message.starts_with(m_path + ": ") ? message.substr(m_path.size() + 2) : message;
  }

  [[noreturn]] void refuse_ended(std::string const& variable) {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    int const signal = m_child.ending_signal();
    if (signal == SIGKILL)
      throw Error(label(m_path, variable), "the process that read it was killed, as where there is too little memory");
    throw Error(label(m_path, variable), fmt::format("damaged HDF5: HDF5 {}.{}.{} {} reading it", major, minor, release,
                                                     signal == SIGPROF ? "does not come to an end"
                                                                       : fmt::format("crashes (signal {})", signal)));
  }

  // What the child does: all that HDF5 has to do with the file.
  void serve(Connection& connection) const {
    in_child = false;
    std::optional<Hdf5File> file;
    answer(connection, seconds_for_others, [&](std::string&) { file.emplace(m_path); });
    while (file) {
      auto const request = connection.receive_message();
      std::string_view rest = request;
      auto const question = static_cast<Question>(rest.front());
      rest.remove_prefix(1);
      std::string variable, name;
      std::size_t first = 0, count = 0;
      take(rest, variable);
      if (question == Question::text || question == Question::numbers) take(rest, name);
      if (question == Question::read) {
        take(rest, first);
        take(rest, count);
      }
      answer(connection, question == Question::read ? seconds_for_values : seconds_for_others, [&](std::string& to) {
        switch (question) {
          case Question::variables:
            return put(to, file->variables(variable));
          case Question::groups:
            return put(to, file->groups(variable));
          case Question::exists:
            return put(to, file->exists(variable));
          case Question::shape:
            return put(to, file->shape(variable));
          case Question::rows:
            return put(to, file->rows_at_a_time(variable));
          case Question::read:
            return put(to, file->read(variable, first, count));
          case Question::strings:
            return put(to, file->read_strings(variable));
          case Question::text:
            return put(to, file->text_attribute(variable, name));
          case Question::numbers:
            return put(to, file->number_attribute(variable, name));
        }
      });
    }
  }

  std::string m_path;
  ChildProcess m_child;
};

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
  if (std::string_view(magic, 3) == "CDF" && (magic[3] == 1 || magic[3] == 2 || magic[3] == 5))
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

// The number of values in some rows of a variable, refused where there are no such rows or no memory for them.
std::size_t count_in_rows(std::string const& where, std::vector<std::size_t> dims, std::size_t first,
                          std::size_t count) {
  std::size_t const rows = dims.empty() ? 1 : dims.front();
  if (first > rows || count > rows - first)
    throw Error(where, fmt::format("has shape {}, expected at least {} entries in the first dimension",
                                   shape_text(dims), first + count));
  if (!dims.empty()) dims.front() = count;
  // Whoever reads copies the values into arrays of his own.
  return dims.empty() ? count : count_that_fits(where, dims, 2 * sizeof(double));
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
  constexpr std::size_t piece = std::size_t(1) << 24;
  auto const chunk = chunks(dataset);
  std::size_t const rows = chunk.empty() ? 1 : std::max<std::size_t>(chunk.front(), 1);
  return std::max<std::size_t>(piece / row / rows, 1) * rows;  // every chunk is unpacked once
}

std::vector<double> Hdf5File::read(std::string const& variable, std::size_t first, std::size_t count) const {
  std::string const where = label(m_path, variable);
  if (m_remote) {
    auto const size = count_in_rows(where, shape(variable), first, count);
    auto const step = size == 0 ? 1 : m_remote->ask<std::size_t>(Question::rows, variable);
    std::vector<double> values;
    values.reserve(size);
    auto at = first;
    do {
      auto const end = std::min(first + count, at / step * step + step);
      auto const piece = m_remote->ask<std::vector<double>>(Question::read, variable, at, end - at);
      values.insert(values.end(), piece.begin(), piece.end());
      at = end;
    } while (at < first + count);
    return values;
  }
  Quiet const quiet;
  Handle const dataset = open_dataset(m_id, m_path, variable);
  Handle const type(H5Dget_type(dataset), H5Tclose);
  if (!is_number(type)) throw Error(where, "does not hold numbers");

  auto dims = extents(dataset);
  std::size_t const size = count_in_rows(where, dims, first, count);
  if (size == 0) return {};
  // HDF5 makes up zeros for what was never written.
  if (H5Dget_storage_size(dataset) == 0) throw Error(where, "was never written");

  Handle const file_space(H5Dget_space(dataset), H5Sclose);
  Handle const memory_space(H5Scopy(file_space), H5Sclose);
  if (!dims.empty()) {
    dims.front() = count;
    std::vector<hsize_t> start(dims.size(), 0);
    start.front() = first;
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

std::string AttributeValue::text() const {
  return std::visit([](auto const& value) { return fmt::format("{}", value); }, m_value);
}

namespace {

// Text as an attribute can hold it.
std::string storable(std::string const& text) {
  constexpr std::size_t most_bytes = 60000;
  constexpr std::string_view cut = " ...";
  auto bytes = valid_utf8(text);
  if (bytes.size() <= most_bytes) return bytes;
  auto size = most_bytes - cut.size();
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
  m_dimensions.push_back({path, size});
  return static_cast<int>(m_dimensions.size()) - 1;
}

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
  for (auto const& value : values) {
    if (!is_utf8(value)) throw Error(label(m_path, name), fmt::format("\"{}\" is not valid UTF-8", valid_utf8(value)));
    pointers.push_back(value.c_str());
  }
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
