// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_HDF5_HPP
#define PARHELION_IO_HDF5_HPP

#include <parhelion/io/file_sharing.hpp>
#include <parhelion/io/item_range.hpp>
#include <parhelion/io/output_file.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion::io {

/// \brief Whether files that are opened for reading from now on are read in a child of this process; false at first.
///
/// Damaged files can make the HDF5 library crash or run for ever. In a child process that is an error like any other. A
/// child is forked for every open file, so programs that must not be forked, as some that use MPI, must read files
/// themselves. If the system cannot start another process, the file is read without one.
void read_hdf5_in_child(bool yes);

/// \brief An HDF5 or netCDF-4 file opened for reading.
///
/// Variables are datasets. Those of groups are named by their paths, such as `forecast/day1/flux`; the root group has
/// the empty path. Every call that fails throws parhelion::Error with the file, the variable and the reason; HDF5
/// itself prints nothing. Not for several threads at a time, as HDF5 itself.
class Hdf5File {
 public:
  /// \throws parhelion::Error when the file is missing, not readable, no regular file, truncated or not HDF5; netCDF-3
  ///         is told apart
  explicit Hdf5File(std::string path);
  ~Hdf5File();
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File& operator=(Hdf5File&& other) noexcept;
  Hdf5File(Hdf5File const&) = delete;
  Hdf5File& operator=(Hdf5File const&) = delete;

  std::string const& path() const { return m_path; }

  /// Names of all variables of a group, without its path, sorted. A group that is missing has none.
  std::vector<std::string> variables(std::string const& group = {}) const;

  /// The same for the groups in a group.
  std::vector<std::string> groups(std::string const& group = {}) const;

  bool exists(std::string const& variable) const;

  /// Extents of a variable, slowest first; empty for a scalar.
  std::vector<std::size_t> shape(std::string const& variable) const;

  /// All values of a numeric variable in row-major order, whatever its type and byte order in the file.
  /// \throws parhelion::Error also when they do not fit into memory, or need an HDF5 filter that is not installed
  std::vector<double> read(std::string const& variable) const;

  /// The same for `count` entries of the first dimension from `first` on.
  std::vector<double> read(std::string const& variable, std::size_t first, std::size_t count) const;

  /// The same for ranges of the first dimensions, and all of the dimensions behind them.
  std::vector<double> read(std::string const& variable, std::vector<ItemRange> const& ranges) const;

  /// The strings of a one-dimensional text variable: of fixed or variable length, or netCDF characters in
  /// (entry, character). Trailing blanks and zeros are removed.
  std::vector<std::string> read_strings(std::string const& variable) const;

  /// A text attribute of a variable or group, or of the file where `variable` is empty; nothing where it is missing or
  /// a number.
  std::optional<std::string> text_attribute(std::string const& variable, std::string const& attribute) const;

  /// The values of a numeric attribute; nothing where it is missing or text.
  std::optional<std::vector<double>> number_attribute(std::string const& variable, std::string const& attribute) const;

 private:
  class Remote;

  std::size_t rows_at_a_time(std::string const& variable) const;

  std::string m_path;
  std::int64_t m_id = -1;
  std::unique_ptr<Remote> m_remote;  // where the file is read in a child
};

/// The types that NetcdfWriter stores numbers in.
enum class NetcdfType { int32, float32, float64 };

/// The value of an attribute: text, a whole number or a real one.
class AttributeValue {
 public:
  AttributeValue(std::string text) : m_value(std::move(text)) {}
  AttributeValue(char const* text) : m_value(std::string(text)) {}
  AttributeValue(double number) : m_value(number) {}
  template <std::integral Whole>
  requires(!std::same_as<Whole, bool>) AttributeValue(Whole number) {
    if (std::in_range<std::int64_t>(number))
      m_value = static_cast<std::int64_t>(number);
    else
      m_value = static_cast<std::uint64_t>(number);
  }
  AttributeValue(bool) = delete;  // netCDF has no such attributes

  std::variant<std::string, std::int64_t, std::uint64_t, double> const& value() const { return m_value; }

  /// In words; a number with the fewest digits that give it again.
  std::string text() const;

 private:
  std::variant<std::string, std::int64_t, std::uint64_t, double> m_value;
};

/// Names and values of attributes, in the order in which they are written. Bytes of text that are not valid UTF-8 are
/// written as U+FFFD, the replacement character; text beyond 60,000 bytes, which HDF5 cannot store, is cut off.
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

/// \brief Writes a file that netCDF-4 readers open: ncdump, xarray, netCDF4.
///
/// The file is built in memory; commit() writes it as an OutputFile: what was there before stays whole until then.
/// Without commit() nothing has happened.
///
/// Names may be paths into groups that have been added, such as `forecast/day1/flux`. A variable knows the dimensions
/// of its own group and of the groups around it, by their names without path. Names that netCDF does not take, and
/// strings that are not valid UTF-8, are refused.
///
/// Several processes can write a file together. Each of them makes a writer, says with share() which entries of a
/// dimension it has, and adds its own values of variables over that dimension; of all else, what the first process adds
/// counts. Processes without entries need not add anything. Their values are written by commit().
class NetcdfWriter {
 public:
  /// \param path    name of the file, replaced if it exists
  /// \param deflate compression level, 0 (none) to 9; 0 where processes share the file
  /// \param sharing the processes that write the file together, which live longer than this; nullptr: this one alone
  /// \throws parhelion::Error when the folder is missing or not writable or `path` is not a regular file
  explicit NetcdfWriter(std::string path, int deflate = 0, FileSharing const* sharing = nullptr);
  ~NetcdfWriter();
  NetcdfWriter(NetcdfWriter const&) = delete;
  NetcdfWriter& operator=(NetcdfWriter const&) = delete;

  /// Adds attributes of the file, such as title.
  void attributes(Attributes const& attributes);

  /// Adds attributes of a group or variable that has been added before.
  void attributes(std::string const& object, Attributes const& attributes);

  /// Adds a group; that around it has been added before.
  void group(std::string const& path, Attributes const& attributes = {});

  /// Adds a dimension without coordinate variable.
  void dimension(std::string const& name, std::size_t size);

  /// Whether the file has a dimension of this name, in its root group.
  bool has_dimension(std::string const& name) const;

  /// \brief Says which entries of a dimension this process has, where processes share the file; without it all have
  ///        all.
  /// \param dimension that has been added, with its path
  /// \param range     may be empty; those of all processes together are the whole dimension
  void share(std::string const& dimension, ItemRange const& range);

  /// The entries of a dimension of the root group that this process has.
  ItemRange range(std::string const& dimension) const;

  /// Adds a dimension and its coordinate variable, which holds one value an entry.
  void coordinate(std::string const& name, std::span<double const> values, Attributes const& attributes,
                  NetcdfType type = NetcdfType::float64);

  /// \brief Adds a variable.
  /// \param name       path of the variable, see above
  /// \param dimensions names of dimensions added before, slowest first; none for a scalar
  /// \param values     in row-major order, all that the dimensions hold, or those of the entries that this process has
  /// \param attributes of the variable, such as units
  /// \param type       of the numbers in the file
  void variable(std::string const& name, std::vector<std::string> const& dimensions, std::span<double const> values,
                Attributes const& attributes, NetcdfType type = NetcdfType::float64);

  /// Adds a variable of strings over one dimension.
  void strings(std::string const& name, std::string const& dimension, std::span<std::string const> values,
               Attributes const& attributes);

  /// Completes the file and gives it its name; collective where processes share the file. Nothing may be added
  /// afterwards.
  /// \throws parhelion::Error when the disk is full, for example; the old file is then still there, the new one is not
  void commit();

 private:
  struct Dimension {
    std::string path;
    std::size_t size;
    ItemRange own;  ///< entries that this process has
  };
  // Values of this process that are written by commit().
  struct Piece {
    std::string variable;
    std::string dimension;  ///< path of the one that is shared
    std::size_t axis;       ///< of this dimension
    ItemRange own;          ///< entries that this process has
    std::vector<double> values;
  };
  Dimension const& find_dimension(std::string const& variable, std::string const& dimension) const;
  int add_dimension(std::string const& path, std::size_t size);
  void attach_dimensions(std::int64_t dataset, std::string const& variable, std::vector<std::string> const& dimensions);
  std::int64_t create(std::string const& name, std::vector<std::string> const& dimensions, std::int64_t type);
  void add_attributes(std::int64_t object, std::string const& where, Attributes const& attributes);
  void check_name(std::string const& path) const;
  bool makes_file() const { return m_sharing == nullptr || m_sharing->part().index == 0; }
  void write_pieces(std::string temporary) const;
  void write_piece(std::int64_t file, std::int64_t transfer, std::string const& variable) const;
  [[noreturn]] void fail(std::string const& what) const;

  std::string m_path;
  int m_deflate;
  FileSharing const* m_sharing;
  std::int64_t m_id = -1;
  std::vector<Dimension> m_dimensions;
  std::vector<Piece> m_pieces;
};

/// \brief Writes a file of one process, or of several together; collective where they share it.
/// \param path    name of the file, replaced if it exists
/// \param sharing the processes; nullptr: this one alone
/// \param add     adds what the file holds
/// \throws parhelion::Error as the functions of NetcdfWriter, in all processes if in one
void write_netcdf(std::string const& path, FileSharing const* sharing,
                  std::function<void(NetcdfWriter& file)> const& add);

}  // namespace parhelion::io

#endif
