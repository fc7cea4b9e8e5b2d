// SPDX-License-Identifier: BSD-3-Clause
#include "cloud_reader.hpp"

#include "radiation_clouds.hpp"
#include "radiation_layouts.hpp"

#include <parhelion/core/copies.hpp>

#include <fmt/ranges.h>

#include <cmath>
#include <limits>

namespace parhelion::io::Impl {

using fluxes::Overlap;

Field CloudReader::field(std::string const& name, Quantity const& quantity, Dimensions const& dimensions,
                         std::vector<bool> const& ignored) const {
  return read_field(file, name, options.clip ? any_finite(quantity) : quantity, dimensions, {columns}, ignored);
}

void CloudReader::profiles(std::string const& name, Quantity const& quantity, HostArray<double**> const& to) const {
  if (file.exists(name))
    copy_profiles(field(name, quantity, {"(column, layer)", {grid.ncol, grid.nlay}}, clear), top_first, to, 0);
}

void CloudReader::spectra(std::string const& name, Quantity const& quantity, HostArray<double***> const& to,
                          std::vector<bool> const& ignored) const {
  auto const there = name_of(name);
  if (there.empty()) return;
  Dimensions const dimensions{"(column, layer, gpt)", {grid.ncol, grid.nlay, ngpt}};
  copy_spectra(field(there, quantity, dimensions, ignored), top_first, to);
}

void CloudReader::need(std::string const& name, std::string const& why) const {
  if (name_of(name).empty()) throw Error(fmt::format("{}: {}", file.path(), name), "missing: " + why);
}

namespace {

// An option that only clouds of layers have; nullptr where none is set.
char const* wish_for_layers(CloudOptions const& options) {
  if (options.overlap) return "an overlap";
  if (options.seed) return "a seed";
  if (options.decorrelation_length || options.day) return "a decorrelation length";
  return nullptr;
}

char const* wish_for_clouds(CloudOptions const& options) {
  if (auto const wish = wish_for_layers(options)) return wish;
  if (options.ice_optics) return "optics of ice";
  if (options.liquid_optics) return "optics of droplets";
  return nullptr;
}

void refuse_wish(std::string const& path, char const* wish, std::string const& why) {
  if (wish != nullptr) throw Error(path, fmt::format("{} was asked for, but {}", wish, why));
}

}  // namespace

void refuse_cloud_options(std::string const& path, CloudOptions const& options, std::string const& why) {
  refuse_wish(path, wish_for_clouds(options), why);
  if (options.clip) refuse_wish(path, "clipping", why);
}

void refuse_clouds_without_optics(Hdf5File const& file, RadiationOptions const& options, std::string const& variable) {
  if (options.model == GasOpticsModel::ecckd && !options.cloud_optics)
    throw Error(fmt::format("{}: {}", file.path(), variable),
                "has clouds, which ecckd needs scattering files for (--droplet-scattering and --ice-scattering)");
  if (options.model == GasOpticsModel::rrtmgp && !options.cloud_optics)
    throw Error(fmt::format("{}: {}", file.path(), variable),
                "has clouds, which rrtmgp needs cloud optics for (--cloud-optics)");
}

std::optional<CloudReader> make_cloud_reader(Hdf5File const& file, RadiationOptions const& all,
                                             CloudOptions const& options, RadiationInput const& input, bool shortwave,
                                             bool& has_clouds) {
  Grid const grid = grid_of(all, input);
  CloudReader reader{.file = file,
                     .options = options,
                     .shortwave = shortwave,
                     .top_first = input.top_first,
                     .grid = grid,
                     .columns = input.sites,
                     .ngpt = grid.sizes(shortwave).ngpoint,
                     .clear = std::vector<bool>(input.sites.count, false),
                     .icld = read_icld(file, grid.ncol),
                     .tables = all.validity.particle_sizes,
                     .model = all.model};
  auto const gpoints = first_of_gpoints(file, grid, shortwave);
  auto const layers = first_of_layers(file);
  has_clouds = !gpoints.empty() || !layers.empty();
  bool const anybody_has = has_clouds || !first_of_gpoints(file, grid, !shortwave).empty();
  for (std::size_t c = 0; c < reader.icld.values.size(); ++c) {
    if (c >= reader.columns.first && c < reader.columns.end())
      reader.clear[c - reader.columns.first] = reader.icld.values[c] == 0;
    if (reader.icld.values[c] > 0 && !anybody_has) {
      std::vector<char const*> names(gpoint_variables.begin(), gpoint_variables.end() - (shortwave ? 0 : 3));
      names.insert(names.end(), gpoint_size_variables.begin(), gpoint_size_variables.end());
      names.insert(names.end(), layer_variables.begin(), layer_variables.end());
      throw Error(file.path(), fmt::format("{} = {}, but no clouds are there, expected one of {}", reader.icld.at(c),
                                           reader.icld.values[c], fmt::join(names, ", ")));
    }
  }
  if (layers.empty()) refuse_wish(file.path(), wish_for_layers(options), "the file has no clouds of layers");
  if (!has_clouds) refuse_wish(file.path(), wish_for_clouds(options), "the file has no clouds");
  if (!has_clouds || all_clear(reader.icld)) return std::nullopt;
  refuse_clouds_without_optics(file, all, gpoints.empty() ? layers : gpoints);
  if (!gpoints.empty() && !layers.empty())
    throw Error(file.path(),
                fmt::format("has clouds of g-points ({}) and of layers ({}), expected one of them", gpoints, layers));
  return reader;
}

void refuse_optical_clouds(CloudReader const& reader, Flag const& inflg) {
  for (std::size_t c = 0; reader.model == GasOpticsModel::rrtmgp && c < inflg.values.size(); ++c)
    if (inflg.values[c] == 0)
      throw Error(reader.file.path(),
                  fmt::format("{} = 0: clouds are given by their optical properties, expected 2, water paths, with "
                              "rrtmgp",
                              inflg.at(c)));
}

Overlap overlap_of_layers(CloudReader const& reader) {
  if (reader.options.overlap) return *reader.options.overlap;
  int found = 0;
  for (std::size_t c = 0; c < reader.icld.values.size(); ++c) {
    int const here = reader.icld.values[c];
    if (here < 1) continue;  // clear, or says nothing
    if (found != 0 && here != found)
      throw Error(reader.file.path(), fmt::format("{} = {} after {} in another column, expected one overlap for all",
                                                  reader.icld.at(c), here, found));
    found = here;
  }
  return found == 0 ? Overlap::maximum_random : static_cast<Overlap>(found);
}

HostArray<double*> decorrelation_lengths(CloudReader const& reader, Overlap overlap) {
  auto const& options = reader.options;
  bool const wanted = options.decorrelation_length || options.day;
  if (options.decorrelation_length && options.day)
    throw Error(reader.file.path(), "a decorrelation length and a day for one were asked for, expected one of them");
  if (!fluxes::is_exponential(overlap)) {
    if (wanted)
      throw Error(
          reader.file.path(),
          "a decorrelation length was asked for, expected an exponential or exponential-random overlap with it");
    return {};
  }
  double const length = options.decorrelation_length.value_or(fluxes::default_decorrelation_length);
  if (!(length > 0. && std::isfinite(length)))
    throw Error(reader.file.path(),
                fmt::format("a decorrelation length of {:g} m was asked for, expected a positive one", length));
  HostArray<double*> const lengths("parhelion::io::decorrelation_length", reader.ncol());
  fill_array(lengths, length);
  if (options.day) {
    if (*options.day < 1 || *options.day > 366)
      throw Error(reader.file.path(), fmt::format("day {} was asked for, expected 1 to 366", *options.day));
    reader.need("lat", "decorrelation lengths of latitude were asked for");
    auto const lat = read_field(reader.file, "lat", latitude, {"(column)", {reader.grid.ncol}}, {reader.columns});
    for (std::size_t c = 0; c < reader.ncol(); ++c)
      lengths(c) = fluxes::decorrelation_length(lat.converted(c), *options.day);
  }
  return lengths;
}

std::string describe(fluxes::SizeRange const& range, Field const& sizes) {
  double const smallest = range.smallest / sizes.factor;
  if (range.largest == std::numeric_limits<double>::max()) return fmt::format("{:g} {} or more", smallest, sizes.unit);
  return fmt::format("{:g} to {:g} {}", smallest, range.largest / sizes.factor, sizes.unit);
}

bool any_water(HostArray<double***> const& fraction, HostArray<double***> const& path, std::size_t column,
               std::size_t layer, double lowest) {
  for (std::size_t g = 0; g < path.extent(2); ++g)
    if (fraction(column, layer, g) >= lowest && path(column, layer, g) > 0.) return true;
  return false;
}

}  // namespace parhelion::io::Impl
