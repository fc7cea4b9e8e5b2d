// SPDX-License-Identifier: BSD-3-Clause
// Clouds of a file in the column layout as the shortwave has them, and what RRTMG_SW's flags in it ask for.
#include "cloud_reader.hpp"
#include "shortwave_input.hpp"

#include <parhelion/fluxes/cloud_optics.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace parhelion::io::Impl {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using fluxes::CloudInput;
using fluxes::HostShortwaveClouds;
using fluxes::IceOptics;
using fluxes::LiquidOptics;

// Optical properties of g-points, where inflgsw is 0.
struct OpticalProperty {
  char const* name;
  Quantity const& quantity;
  HostArray<double***> HostShortwaveClouds::*array;
};

std::array<OpticalProperty, 4> optical_properties() {
  return {{{"taucmcl", optical_depth, &HostShortwaveClouds::optical_depth_gpt},
           {"ssacmcl", single_scattering_albedo, &HostShortwaveClouds::single_scattering_albedo_gpt},
           {"asmcmcl", asymmetry, &HostShortwaveClouds::asymmetry_gpt},
           {"fsfcmcl", forward_fraction, &HostShortwaveClouds::forward_fraction_gpt}}};
}

// The numbers of the optics of particles: of the file, of the options, or as they stand.
template <class Optics>
Flag read_optics(CloudReader const& reader, char const* name, char const* expected, bool (*valid)(double),
                 std::optional<Optics> const& wanted, HostArray<int*> const& to) {
  auto const flag = reader.flag(name, valid, expected);
  if (flag.there() && wanted)
    throw Error(fmt::format("{}: {}", reader.file.path(), flag.name),
                "is in the file, but other particle optics were asked for");
  for (std::size_t c = 0; c < reader.ncol(); ++c) {
    if (flag.there()) to(c) = reader.of_column(flag, c);
    if (wanted) to(c) = static_cast<int>(*wanted);
  }
  return flag;
}

// RRTMG_SW has no option 0: where there is such water that is refused, elsewhere it says nothing and becomes `other`.
template <class Counts>
void replace_zero(CloudReader const& reader, std::vector<bool> const& ignored, Flag const& flag, char const* water,
                  char const* expected, HostArray<int*> const& optics, int other, Counts const& counts) {
  for (std::size_t c = 0; c < reader.ncol(); ++c) {
    if (optics(c) != 0) continue;
    for (std::size_t k = 0; k < reader.nlay() && !ignored[c]; ++k)
      if (counts(c, k))
        throw Error(reader.file.path(), fmt::format("{} = 0, but there is {} in clouds, expected {}: RRTMG_SW has no 0",
                                                    flag.at(reader.columns.first + c), water, expected));
    optics(c) = other;
  }
}

// Sizes and optics, the same for both kinds of clouds; see the longwave's.
template <class HasIce, class HasLiquid>
void read_particles(CloudReader const& reader, std::vector<bool> const& ignored, HostShortwaveClouds const& clouds,
                    char const* ice, char const* liquid, HasIce const& has_ice, HasLiquid const& has_liquid) {
  if (reader.tables) return read_sizes_of_tables(reader, ignored, "iceflgsw", ice, liquid, clouds, has_ice, has_liquid);
  auto const iceflgsw = read_optics(
      reader, "iceflgsw", "1, 2 or 3", [](double flag) { return is_whole(flag) && flag >= 0. && flag <= 3.; },
      reader.options.ice_optics, clouds.ice_optics);
  auto const liqflgsw = read_optics(
      reader, "liqflgsw", "1", [](double flag) { return flag == 0. || flag == 1.; }, reader.options.liquid_optics,
      clouds.liquid_optics);
  replace_zero(reader, ignored, iceflgsw, "ice", "1, 2 or 3", clouds.ice_optics, static_cast<int>(IceOptics::fu),
               has_ice);
  replace_zero(reader, ignored, liqflgsw, "liquid water", "1", clouds.liquid_optics,
               static_cast<int>(LiquidOptics::hu_stamnes), has_liquid);
  read_sizes_of_flag(reader, ignored, ice, "iceflgsw", clouds.ice_size, clouds.ice_optics, has_ice,
                     [](int optics) { return fluxes::size_range(static_cast<IceOptics>(optics)); });
  read_sizes_of_flag(reader, ignored, liquid, "liqflgsw", clouds.liquid_size, clouds.liquid_optics, has_liquid,
                     [](int optics) { return fluxes::size_range(static_cast<LiquidOptics>(optics)); });
}

// Clouds of which the flag does not say that they are given by optical depths would lose those that they have.
void refuse_depths_without_flag(CloudReader const& reader, HostArray<double***> const& fraction) {
  auto const name = reader.name_of("taucmcl");
  if (name.empty()) return;
  auto const depth = reader.field(
      name, optical_depth, {"(column, layer, gpt)", {reader.grid.ncol, reader.nlay(), reader.ngpt}}, reader.clear);
  for (std::size_t i = 0; i < depth.values.size(); ++i) {
    std::size_t const g = i % reader.ngpt, k = i / reader.ngpt % reader.nlay(), c = i / reader.ngpt / reader.nlay();
    if (depth.values[i] != 0. && fraction(c, reader.top_first ? reader.nlay() - 1 - k : k, g) > 0.)
      throw Error(reader.file.path(), fmt::format("{} = {}, but there is no inflgsw, without which clouds are given by "
                                                  "their water paths; expected inflgsw = 0 where {} counts",
                                                  depth.at(i), depth.value(i), name));
  }
}

HostShortwaveClouds read_gpoint_clouds(CloudReader const& reader) {
  auto const inflgsw = reader.flag(
      "inflgsw", [](double flag) { return flag == 0. || flag == 2.; },
      "0 (optical properties) or 2 (water paths); RRTMG_SW refuses 1, too");
  refuse_optical_clouds(reader, inflgsw);
  reader.need("cldfmcl", "other variables of clouds of g-points are there");

  // Columns whose optical properties are not used, and columns whose water paths are not used.
  std::vector<bool> not_by_depth = reader.clear, not_by_path = reader.clear;
  auto const by_depth = [&](std::size_t column) {
    return inflgsw.there() && inflgsw.values[column] == static_cast<int>(CloudInput::optical_depth);
  };
  for (std::size_t c = 0; c < reader.ncol(); ++c)
    (by_depth(reader.columns.first + c) ? not_by_path : not_by_depth)[c] = true;
  // The arrays are the same in all parts of a file.
  bool optical = false;
  for (std::size_t c = 0; c < reader.grid.ncol; ++c)
    optical = optical || (by_depth(c) && !(reader.icld.there() && reader.icld.values[c] == 0));
  auto clouds = fluxes::make_shortwave_gpoint_clouds<Host, double>(
      static_cast<int>(reader.ncol()), static_cast<int>(reader.nlay()), optical, static_cast<int>(reader.ngpt));
  for (std::size_t c = 0; c < reader.ncol(); ++c)
    if (!not_by_depth[c]) clouds.input(c) = static_cast<int>(CloudInput::optical_depth);
  reader.spectra("cldfmcl", cloud_fraction, clouds.fraction_gpt, reader.clear);
  reader.spectra("ciwpmcl", water_path, clouds.ice_path_gpt, not_by_path);
  reader.spectra("clwpmcl", water_path, clouds.liquid_path_gpt, not_by_path);
  if (optical)
    for (auto const& each : optical_properties()) {
      reader.need(each.name, "inflgsw = 0 needs it");
      reader.spectra(each.name, each.quantity, clouds.*each.array, not_by_depth);
    }
  if (!inflgsw.there()) refuse_depths_without_flag(reader, clouds.fraction_gpt);

  constexpr double any_fraction = std::numeric_limits<double>::min();
  read_particles(
      reader, not_by_path, clouds, "reicmcl", "relqmcl",
      [&](std::size_t c, std::size_t k) {
        return any_water(clouds.fraction_gpt, clouds.ice_path_gpt, c, k, any_fraction);
      },
      [&](std::size_t c, std::size_t k) {
        return any_water(clouds.fraction_gpt, clouds.liquid_path_gpt, c, k, any_fraction);
      });
  return clouds;
}

HostShortwaveClouds read_layer_clouds(CloudReader const& reader) {
  reader.flag(
      "inflgsw", [](double flag) { return flag == 2.; }, "2: clouds of layers are given by their water paths");
  reader.need("cldfrac", "other variables of clouds of layers are there");
  auto clouds = fluxes::make_shortwave_layer_clouds<Host, double>(static_cast<int>(reader.ncol()),
                                                                  static_cast<int>(reader.nlay()));
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

void read_shortwave_clouds(Hdf5File const& file, RadiationOptions const& all, CloudOptions const& options,
                           RadiationInput& input) {
  for (auto const& [unknown, water] : {std::pair(options.ice_optics == IceOptics::all_bands, "ice"),
                                       std::pair(options.liquid_optics == LiquidOptics::all_bands, "droplets")})
    if (unknown)
      throw Error(file.path(),
                  fmt::format("optics of {} for all bands were asked for, but the shortwave has none", water));
  auto const reader = make_cloud_reader(file, all, options, input, true, input.shortwave_has_clouds);
  if (!reader) return;
  auto& clouds = input.shortwave_clouds;
  clouds = first_of_layers(file).empty() ? read_gpoint_clouds(*reader) : read_layer_clouds(*reader);
  clouds.first_column = static_cast<std::uint32_t>(input.sites.first);
}

}  // namespace parhelion::io::Impl
