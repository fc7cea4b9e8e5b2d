// SPDX-License-Identifier: BSD-3-Clause
#include "radiation_clouds.hpp"

#include "cloud_reader.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace parhelion::io::Impl {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using fluxes::CloudInput;
using fluxes::HostClouds;
using fluxes::IceOptics;
using fluxes::LiquidOptics;

// Sets the optics of particles to those of the file or of the options; where neither has any they stay as they are.
template <class Optics>
void read_optics(CloudReader const& reader, std::string const& name, Optics (*of_number)(int, std::string const&),
                 std::optional<Optics> const& wanted, HostArray<int*> const& to) {
  auto const flag = reader.flag(name, is_whole, "a whole number");
  if (flag.there() && wanted)
    throw Error(fmt::format("{}: {}", reader.file.path(), flag.name),
                "is in the file, but other particle optics were asked for");
  for (std::size_t c = 0; c < reader.ncol(); ++c) {
    if (flag.there())
      to(c) = static_cast<int>(of_number(reader.of_column(flag, c),
                                         fmt::format("{}: {}", reader.file.path(), flag.at(reader.columns.first + c))));
    else if (wanted)
      to(c) = static_cast<int>(*wanted);
  }
}

// Sizes and optics, the same for both kinds of clouds.
// `has_ice(column, layer)` and `has_liquid(column, layer)` say where there is such water in a cloud; columns that are
// ignored are not asked.
template <class HasIce, class HasLiquid>
void read_particles(CloudReader const& reader, std::vector<bool> const& ignored, HostClouds const& clouds,
                    char const* ice, char const* liquid, HasIce const& has_ice, HasLiquid const& has_liquid) {
  if (reader.tables) return read_sizes_of_tables(reader, ignored, "iceflglw", ice, liquid, clouds, has_ice, has_liquid);
  read_optics(reader, "iceflglw", fluxes::ice_optics, reader.options.ice_optics, clouds.ice_optics);
  read_optics(reader, "liqflglw", fluxes::liquid_optics, reader.options.liquid_optics, clouds.liquid_optics);
  read_sizes_of_flag(reader, ignored, ice, "iceflglw", clouds.ice_size, clouds.ice_optics, has_ice,
                     [](int optics) { return fluxes::size_range(static_cast<IceOptics>(optics)); });
  read_sizes_of_flag(
      reader, ignored, liquid, "liqflglw", clouds.liquid_size, clouds.liquid_optics,
      [&](std::size_t c, std::size_t k) {
        return clouds.liquid_optics(c) != static_cast<int>(LiquidOptics::all_bands) && has_liquid(c, k);
      },
      [](int optics) { return fluxes::size_range(static_cast<LiquidOptics>(optics)); });
}

HostClouds read_gpoint_clouds(CloudReader const& reader) {
  auto const inflglw = reader.flag(
      "inflglw", [](double flag) { return flag == 0. || flag == 2.; },
      "0 (optical depths) or 2 (water paths); 1 is not available with McICA in RRTMG_LW");
  refuse_optical_clouds(reader, inflglw);
  if (!inflglw.there() && !reader.name_of("taucmcl").empty())
    reader.need("inflglw", "it says where taucmcl counts and where the water paths do");
  reader.need("cldfmcl", "other variables of clouds of g-points are there");

  // Columns whose optical depths are not used, and columns whose water paths are not used.
  std::vector<bool> not_by_depth = reader.clear, not_by_path = reader.clear;
  auto const by_depth = [&](std::size_t column) {
    return inflglw.there() && inflglw.values[column] == static_cast<int>(CloudInput::optical_depth);
  };
  for (std::size_t c = 0; c < reader.ncol(); ++c) {
    (by_depth(reader.columns.first + c) ? not_by_path : not_by_depth)[c] = true;
  }
  // The arrays are the same in all parts of a file.
  bool optical_depths = false;
  for (std::size_t c = 0; c < reader.grid.ncol; ++c)
    optical_depths = optical_depths || (by_depth(c) && !(reader.icld.there() && reader.icld.values[c] == 0));
  if (optical_depths) reader.need("taucmcl", "inflglw = 0 needs it");
  auto clouds = fluxes::make_gpoint_clouds<Host, double>(
      static_cast<int>(reader.ncol()), static_cast<int>(reader.nlay()), optical_depths, static_cast<int>(reader.ngpt));
  for (std::size_t c = 0; c < reader.ncol(); ++c)
    if (!not_by_depth[c]) clouds.input(c) = static_cast<int>(CloudInput::optical_depth);
  reader.spectra("cldfmcl", cloud_fraction, clouds.fraction_gpt, reader.clear);
  reader.spectra("ciwpmcl", water_path, clouds.ice_path_gpt, not_by_path);
  reader.spectra("clwpmcl", water_path, clouds.liquid_path_gpt, not_by_path);
  if (optical_depths) reader.spectra("taucmcl", optical_depth, clouds.optical_depth_gpt, not_by_depth);

  auto const any_in_cloud = [&](HostArray<double***> const& path, std::size_t c, std::size_t k) {
    return any_water(clouds.fraction_gpt, path, c, k, 1.);
  };
  read_particles(
      reader, not_by_path, clouds, "reicmcl", "relqmcl",
      [&](std::size_t c, std::size_t k) { return any_in_cloud(clouds.ice_path_gpt, c, k); },
      [&](std::size_t c, std::size_t k) { return any_in_cloud(clouds.liquid_path_gpt, c, k); });
  return clouds;
}

HostClouds read_layer_clouds(CloudReader const& reader) {
  reader.flag(
      "inflglw", [](double flag) { return flag == 2.; }, "2: clouds of layers are given by their water paths");
  reader.need("cldfrac", "other variables of clouds of layers are there");
  auto clouds =
      fluxes::make_layer_clouds<Host, double>(static_cast<int>(reader.ncol()), static_cast<int>(reader.nlay()));
  clouds.overlap = overlap_of_layers(reader);
  clouds.seed = reader.options.seed.value_or(0);
  clouds.decorrelation_length = decorrelation_lengths(reader, clouds.overlap);
  reader.profiles("cldfrac", cloud_fraction, clouds.fraction);
  reader.profiles("ciwp", water_path, clouds.ice_path);
  reader.profiles("clwp", water_path, clouds.liquid_path);
  read_particles(
      reader, reader.clear, clouds, "rei", "rel",
      [&](std::size_t c, std::size_t k) { return clouds.fraction(c, k) > 0. && clouds.ice_path(c, k) > 0.; },
      [&](std::size_t c, std::size_t k) { return clouds.fraction(c, k) > 0. && clouds.liquid_path(c, k) > 0.; });
  return clouds;
}

}  // namespace

std::size_t check_clouds(Hdf5File const& file, Grid const& grid) {
  if (all_clear(read_icld(file, grid.ncol))) return 0;
  std::size_t values = 0;
  Dimensions const layers{"(column, layer)", {grid.ncol, grid.nlay}},
      gpoints{"(column, layer, gpt)", {grid.ncol, grid.nlay, grid.longwave.ngpoint}};
  auto const check = [&](char const* name, Quantity const& quantity, Dimensions const& dimensions) {
    auto const there = longwave_name(file, name, grid);
    if (there.empty()) return;
    check_field(file, there, quantity, dimensions);
    values += dimensions.shape.size() > 2 ? dimensions.shape.back() : 1;
  };
  check("cldfmcl", cloud_fraction, gpoints);
  check("ciwpmcl", water_path, gpoints);
  check("clwpmcl", water_path, gpoints);
  // Which columns count of this one, if any, flags say that are read with it.
  if (!longwave_name(file, "taucmcl", grid).empty()) values += grid.longwave.ngpoint;
  check("reicmcl", particle_size, layers);
  check("relqmcl", particle_size, layers);
  check("cldfrac", cloud_fraction, layers);
  check("ciwp", water_path, layers);
  check("clwp", water_path, layers);
  check("rei", particle_size, layers);
  check("rel", particle_size, layers);
  return values;
}

void read_clouds(Hdf5File const& file, RadiationOptions const& all, CloudOptions const& options,
                 RadiationInput& input) {
  auto const idrv = read_flag(
      file, "idrv", static_cast<std::size_t>(input.nsite_of_file), [](double flag) { return flag == 0. || flag == 1.; },
      "0 or 1");
  input.derivative = std::any_of(idrv.values.begin(), idrv.values.end(), [](int flag) { return flag != 0; });
  auto const reader = make_cloud_reader(file, all, options, input, false, input.has_clouds);
  if (!reader) return;
  input.clouds = first_of_layers(file).empty() ? read_gpoint_clouds(*reader) : read_layer_clouds(*reader);
  input.clouds.first_column = static_cast<std::uint32_t>(input.sites.first);
}

}  // namespace parhelion::io::Impl
