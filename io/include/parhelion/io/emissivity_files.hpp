// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_EMISSIVITY_FILES_HPP
#define PARHELION_IO_EMISSIVITY_FILES_HPP

#include <parhelion/ega/problem.hpp>
#include <parhelion/io/hdf5.hpp>

#include <memory>
#include <string>
#include <vector>

namespace parhelion::io {

/// The layouts of files of emissivity tables. Numbers of the binary ones are little endian.
enum class TableFormat {
  text,            ///< lines of pressure [hPa], temperature [K], column density [molecules cm-2] and emissivity
  scatter_binary,  ///< jurassic-scatter: np, p[np], nt[np]; for each pressure T[nt], nu[nt]; for each T u[nu], eps[nu]
  reference_binary,  ///< jurassic 1.10 and later (TBLFMT = 2): every count and list stands where it is used first
  hdf5               ///< parhelion's own: one or many tables, see pack_tables
};

/// Name of a layout as the program has it: text, scatter, reference, hdf5.
std::string name_of(TableFormat format);

/// \brief The layout of a file, found in its content; its name plays no part.
/// \throws parhelion::Error naming the file when it cannot be read or fits no layout: then byte, what was found there
///         and what was expected by the layout that it fits best
TableFormat recognise_table(std::string const& path);

/// Which gas and channel a table belongs to.
struct TableLabel {
  std::string gas;
  double wavenumber = 0;  ///< [cm-1]

  bool empty() const { return gas.empty(); }
};

/// \brief Reads a table of any layout and checks it.
///
/// Column densities above 1e30 and emissivities outside [0, 1] are dropped in text, and at the end of curves in the
/// binary layouts, so that a table is the same in every layout. (The model's own code keeps them in binary tables.)
///
/// In text, lines that do not open with four numbers are skipped. Another pressure or temperature than in the line
/// before begins a new curve, whose first point is always taken. Further points are added where both column density and
/// emissivity exceed those of the point that was taken or added last; others replace the last point of the curve.
///
/// Curves begin at the origin. A first point of emissivity 0 is not beyond it: in text and the binary layouts the next
/// point takes its place. (Where such a point is not the origin itself, the model's own code has no emissivity up to
/// its column density; here it rises from the origin on.)
///
/// \param path     file of one table
/// \param expected where it is not empty, an HDF5 table of another gas or channel is refused; other layouts do not hold
///                 what they belong to
/// \param left_out number of points that were dropped, where it is not null
/// \throws parhelion::Error naming the file and the line or byte, what was found and what was expected, where the file
///         is truncated or longer than its table, a count is impossible, pressures or temperatures do not ascend,
///         nothing of a curve or table is left, or ega::validate refuses
ega::EmissivityTable read_table(std::string const& path, TableLabel const& expected = {},
                                std::size_t* left_out = nullptr);

/// \brief Writes a table, under a temporary name first. Text has as many digits as give the same numbers again.
/// \param path   file to write
/// \param table  not empty
/// \param format layout of the file
/// \param label  what the table belongs to: needed in HDF5, a comment in text, not stored in the binary layouts
/// \param note   a comment in text, the title in HDF5, not stored in the binary layouts; one line
/// \throws parhelion::Error when the table is empty or bad, a needed label is missing, or the file cannot be written
void write_table(std::string const& path, ega::EmissivityTable const& table, TableFormat format,
                 TableLabel const& label = {}, std::string const& note = {});

/// The names that files of a gas and a channel have: BASE_NU_GAS.SUFFIX with NU to four decimals.
std::string table_path(std::string const& base, double wavenumber, std::string const& gas, std::string const& suffix);

/// The same for filters: BASE_NU.filt.
std::string filter_path(std::string const& base, double wavenumber);

/// \brief Writes the tables of gases in channels into one HDF5 file that loads fast.
///
/// The file holds `gas_name`, `wavenumber`, grids of pressures and temperatures, each grid once (first_pressure of a
/// grid, pressure, first_temperature of a pressure, temperature), and in `table_grid` (gas, channel) the number of the
/// grid of a table, -1 where there is none. Group channel_N holds the tables of channel N, gas after gas: points
/// (curve), and column_density, emissivity (point), float32. It is built in memory.
///
/// \param path        file to write
/// \param gases       names, all different
/// \param wavenumbers of the channels [cm-1], all different
/// \param tables      asked once for every gas in every channel, channel by channel; empty tables are left out
/// \param attributes  of the file, such as title
/// \throws parhelion::Error when gases or channels repeat, no gas has a table, a table is bad, or the file cannot be
///         written; what was there before is then still there
void pack_tables(std::string const& path, std::vector<std::string> const& gases, std::vector<double> const& wavenumbers,
                 ega::TableProvider const& tables, Attributes const& attributes = {});

/// \brief A file that pack_tables or write_table made. Tables are read when they are needed.
///
/// Copies share the file. Not for several threads at a time, as HDF5 itself.
class PackedTables {
 public:
  /// \throws parhelion::Error when the file was not made by these, or is damaged
  explicit PackedTables(std::string const& path);

  std::string const& path() const;
  std::vector<std::string> const& gases() const;
  std::vector<double> const& wavenumbers() const;

  /// Number of a gas, whatever its case, or of the channel of a wavenumber to four decimals; -1 where there is none.
  int find_gas(std::string const& gas) const;
  int find_channel(double wavenumber) const;

  /// Whether the table of a gas in a channel, as numbered here, is in the file.
  bool holds(int gas, int channel) const;

  /// The table of a gas in a channel, as numbered here; empty where the file has none.
  /// \throws parhelion::Error when the file is damaged, or ega::validate refuses
  ega::EmissivityTable read(int gas, int channel) const;

 private:
  struct Content;
  std::shared_ptr<Content const> m_content;
};

/// Where tables are looked for.
struct TableSource {
  std::string base = {};                  ///< beginning of their names, such as `tables/boxcar`
  std::string folder = {};                ///< replaces the folder of `base`; empty: that of `base`
  TableFormat first = TableFormat::text;  ///< text: .tab is tried before .bin; else .bin first
  bool missing_allowed = false;           ///< gases without a table are transparent
};

/// \brief The tables of a calculation: finds that of a gas in a channel among files.
///
/// Looked at in this order: BASE.h5 (see pack_tables), then BASE_NU_GAS.bin and .tab in the order of
/// TableSource::first, then BASE_NU_GAS.h5. The content decides about the layout, not the suffix. Copies share the open
/// file.
class TableFiles {
 public:
  /// \throws parhelion::Error when BASE.h5 is there and cannot be used
  TableFiles(TableSource const& source, std::vector<std::string> gases, std::vector<double> wavenumbers);

  /// \brief The table of a gas in a channel, by their numbers in the constructor's lists.
  ///
  /// Empty where it is missing or has less than ega::min_pressures pressures, if that is allowed.
  /// \throws parhelion::Error when the table is bad, or when it is missing and that is not allowed: naming every path
  ///         that was tried
  ega::EmissivityTable read(int gas, int channel) const;

  /// Calls read; for ega::Problem::tables.
  ega::EmissivityTable operator()(int gas, int channel) const { return read(gas, channel); }

  /// The file that read would take; empty where there is none.
  std::string find(int gas, int channel) const;

  /// The file of a channel's filter, whether it is there or not.
  std::string filter_path(int channel) const;

 private:
  std::vector<std::string> candidates(int gas, int channel) const;
  void check(int gas, int channel) const;

  std::string m_base;
  TableFormat m_first;
  bool m_missing_allowed;
  std::vector<std::string> m_gases;
  std::vector<double> m_wavenumbers;
  std::shared_ptr<PackedTables const> m_packed;
};

}  // namespace parhelion::io

#endif
