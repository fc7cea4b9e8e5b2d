// SPDX-License-Identifier: BSD-3-Clause
// What the clouds of the longwave and of the shortwave have in common when they are read.
#ifndef PARHELION_IO_CLOUD_READER_HPP
#define PARHELION_IO_CLOUD_READER_HPP

#include "radiation_fields.hpp"
#include "radiation_flags.hpp"
#include "spectral_arrays.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/radiation_files.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::io::Impl {

/// Reads the variables of clouds.
struct CloudReader {
  Hdf5File const& file;
  CloudOptions const& options;
  bool shortwave;  ///< whose arrays of g-points are read
  bool top_first;
  Grid grid;                ///< of the file
  ItemRange columns;        ///< those that are read
  std::size_t ngpt;         ///< of the range
  std::vector<bool> clear;  ///< columns, of those that are read, whose clouds do not count
  Flag icld;
  /// Of RRTMGP and ecCKD, where tables are the optics of particles.
  std::optional<fluxes::ParticleSizes> tables;
  GasOpticsModel model;

  std::size_t ncol() const { return columns.count; }
  std::size_t nlay() const { return grid.nlay; }

  /// A flag of all columns of the file, and of one that is read.
  Flag flag(std::string const& name, bool (*valid)(double value), char const* expected) const {
    return read_flag(file, name, grid.ncol, valid, expected);
  }
  int of_column(Flag const& flag, std::size_t c) const { return flag.values[columns.first + c]; }

  /// The name under which the file has an array of the range; empty where it has none.
  std::string name_of(std::string const& name) const {
    return shortwave ? shortwave_name(file, name, grid) : longwave_name(file, name, grid);
  }

  /// \brief Reads a variable that is there.
  ///
  /// Values of ignored columns are not checked, and become 0. Where clipping follows, every finite value is accepted.
  Field field(std::string const& name, Quantity const& quantity, Dimensions const& dimensions,
              std::vector<bool> const& ignored) const;

  /// Copies a variable (column, layer), where it is there.
  void profiles(std::string const& name, Quantity const& quantity, HostArray<double**> const& to) const;

  /// The same for one (column, layer, gpt).
  void spectra(std::string const& name, Quantity const& quantity, HostArray<double***> const& to,
               std::vector<bool> const& ignored) const;

  /// Refuses a file without a variable that others need. They would have no effect: a missing variable counts as 0.
  void need(std::string const& name, std::string const& why) const;
};

/// \brief The reader of a file whose clouds count; nothing where it has none, or `icld` is 0 in all columns.
/// \param has_clouds set to whether the file has variables of clouds of the range, even if `icld` is 0
/// \throws parhelion::Error where options or flags ask for what the file does not have
/// \param all     what is read
/// \param options those of clouds, which may differ from all.clouds; they live as long as the reader
std::optional<CloudReader> make_cloud_reader(Hdf5File const& file, RadiationOptions const& all,
                                             CloudOptions const& options, RadiationInput const& input, bool shortwave,
                                             bool& has_clouds);

/// \brief Refuses clouds that the gas optics cannot have.
/// \param variable of the clouds
/// \throws parhelion::Error where there are no optics of particles
void refuse_clouds_without_optics(Hdf5File const& file, RadiationOptions const& options, std::string const& variable);

/// The overlap of the options, else that of icld, else maximum-random.
fluxes::Overlap overlap_of_layers(CloudReader const& reader);

/// One for each column; empty where the overlap needs none.
HostArray<double*> decorrelation_lengths(CloudReader const& reader, fluxes::Overlap overlap);

/// A range of sizes in the unit of the file: "5 to 140 um".
std::string describe(fluxes::SizeRange const& range, Field const& sizes);

/// \brief Reads sizes and checks those that count, as the solver does: where there is such water in a cloud.
/// \param ignored   columns whose sizes do not count
/// \param name      of the variable
/// \param optics_of callable (column): what needs the sizes, for messages: "iceflglw = 3"
/// \param to        receives the sizes
/// \param counts    callable (column, layer): whether a size counts; columns that are ignored are not asked
/// \param range_of  callable (column): the sizes that there may be
template <class OpticsOf, class Counts, class RangeOf>
void read_sizes(CloudReader const& reader, std::vector<bool> const& ignored, std::string const& name,
                OpticsOf const& optics_of, HostArray<double**> const& to, Counts const& counts,
                RangeOf const& range_of) {
  std::optional<Field> sizes;
  if (auto const there = reader.name_of(name); !there.empty()) {
    sizes = reader.field(there, particle_size, {"(column, layer)", {reader.grid.ncol, reader.nlay()}}, ignored);
    copy_profiles(*sizes, reader.top_first, to, 0);
  }
  for (std::size_t i = 0; i < reader.ncol() * reader.nlay(); ++i) {
    std::size_t const c = i / reader.nlay(), k = i % reader.nlay();  // k counts as the file does
    if (ignored[c] || !counts(c, reader.top_first ? reader.nlay() - 1 - k : k)) continue;
    if (!sizes)
      throw Error(fmt::format("{}: {}", reader.file.path(), name),
                  fmt::format("missing: {} needs sizes", optics_of(c)));
    fluxes::SizeRange const range = range_of(c);
    if (!reader.options.clip && !range.holds(sizes->converted(i)))
      throw Error(reader.file.path(), fmt::format("{} = {}, expected {} with {}", sizes->at(i), sizes->value(i),
                                                  describe(range, *sizes), optics_of(c)));
  }
}

/// \brief The same for the optics of RRTMG.
/// \param flag     the name of the flag of the optics, for messages
/// \param optics   of each column
/// \param range_of callable (optics): the sizes that there may be
template <class Counts, class RangeOf>
void read_sizes_of_flag(CloudReader const& reader, std::vector<bool> const& ignored, std::string const& name,
                        char const* flag, HostArray<double**> const& to, HostArray<int*> const& optics,
                        Counts const& counts, RangeOf const& range_of) {
  read_sizes(
      reader, ignored, name, [&](std::size_t c) { return fmt::format("{} = {}", flag, optics(c)); }, to, counts,
      [&](std::size_t c) { return range_of(optics(c)); });
}

/// \brief The same for the tables of RRTMGP, whose sizes of ice are diameters, and of ecCKD, where they are radii.
///
/// The file's are effective radii, unless the flag of the optics of ice says that they are another size.
/// \param flag        the name of that flag
/// \param ice,liquid  names of the variables
/// \param clouds      receives sizes of ice and radii of droplets
/// \param has_ice,has_liquid callable (column, layer), as `counts` above
template <class Clouds, class HasIce, class HasLiquid>
void read_sizes_of_tables(CloudReader const& reader, std::vector<bool> const& ignored, char const* flag,
                          char const* ice, char const* liquid, Clouds const& clouds, HasIce const& has_ice,
                          HasLiquid const& has_liquid) {
  bool const of_rrtmgp = reader.model == GasOpticsModel::rrtmgp;
  auto const optics = reader.flag(
      flag, [](double value) { return is_whole(value) && value >= 0. && value <= 3.; }, "0, 1, 2 or 3");
  constexpr int generalised = static_cast<int>(fluxes::IceOptics::fu);
  for (std::size_t i = 0; optics.there() && i < reader.ncol() * reader.nlay(); ++i) {
    std::size_t const c = i / reader.nlay(), k = i % reader.nlay();
    if (!ignored[c] && reader.of_column(optics, c) == generalised && has_ice(c, k))
      throw Error(reader.file.path(),
                  fmt::format("{} = {}: {} is a generalised effective size, expected an effective radius (0, 1 or 2){}",
                              optics.at(reader.columns.first + c), generalised, ice,
                              of_rrtmgp ? ", of which the diameter for RRTMGP is twice" : ""));
  }
  double const of_radius = of_rrtmgp ? 2. : 1.;
  auto const tables = [&](std::size_t) { return of_rrtmgp ? "RRTMGP's cloud optics" : "ecCKD's cloud optics"; };
  auto const& sizes = *reader.tables;
  read_sizes(reader, ignored, ice, tables, clouds.ice_size, has_ice, [&](std::size_t) {
    return fluxes::SizeRange{sizes.ice.smallest / of_radius, sizes.ice.largest / of_radius};
  });
  for (std::size_t c = 0; c < reader.ncol(); ++c)
    for (std::size_t k = 0; k < reader.nlay(); ++k) clouds.ice_size(c, k) *= of_radius;
  read_sizes(reader, ignored, liquid, tables, clouds.liquid_size, has_liquid,
             [&](std::size_t) { return sizes.liquid; });
}

/// Refuses clouds that are given by their optical properties, which RRTMGP does not take here.
void refuse_optical_clouds(CloudReader const& reader, Flag const& inflg);

/// \brief Whether a cloud of g-points holds water somewhere in a layer.
/// \param lowest the least fraction that counts as a cloud
bool any_water(HostArray<double***> const& fraction, HostArray<double***> const& path, std::size_t column,
               std::size_t layer, double lowest);

}  // namespace parhelion::io::Impl

#endif
