// SPDX-License-Identifier: BSD-3-Clause
#include "rte_input.hpp"

#include "cloud_reader.hpp"
#include "radiation_clouds.hpp"
#include "radiation_layouts.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace parhelion::io::Impl {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using fluxes::IceOptics;
using fluxes::LiquidOptics;

constexpr char const* mask_name = "cloud_mask";

struct RteVariable {
  char const* name;
  Quantity const& quantity;
};

// (column, layer) all of them.
std::array<RteVariable, 4> cloud_variables() {
  return {{{"lwp", water_path}, {"iwp", water_path}, {"rel", particle_size}, {"dei", particle_size}}};
}

std::array<RteVariable, 4> particle_variables() {
  return {{{"aerosol_type", aerosol_type},
           {"aerosol_size", particle_size},
           {"aerosol_mass", aerosol_mass},
           {"relative_humidity", relative_humidity}}};
}

bool has_clouds(Hdf5File const& file) { return file.exists("lwp") || file.exists("iwp"); }

// The mask of a range: the one under its own name, or the one for both if its g-points are those of the range.
std::string name_of_mask(Hdf5File const& file, Grid const& grid, bool shortwave) {
  auto const fits = [&](std::string const& name, SpectralSizes const& sizes) {
    auto const shape = file.shape(name);
    return shape.size() == 3 && shape.back() == sizes.ngpoint;
  };
  std::string const own = std::string(shortwave_prefix) + mask_name;
  if (shortwave && file.exists(own)) return own;
  if (!file.exists(mask_name)) return "";
  bool const of_other = !fits(mask_name, grid.sizes(shortwave)) && fits(mask_name, grid.sizes(!shortwave));
  if (of_other)
    throw Error(fmt::format("{}: {}", file.path(), shortwave ? own : mask_name),
                fmt::format("missing: {} is that of the {}, expected one of {} g-points for the {}", mask_name,
                            shortwave ? "longwave" : "shortwave", grid.sizes(shortwave).ngpoint,
                            shortwave ? "shortwave" : "longwave"));
  return mask_name;
}

// What the clouds of both ranges share.
struct RteClouds {
  Hdf5File const& file;
  RadiationOptions const& all;
  CloudOptions const& options;
  Grid grid;
  ItemRange columns;
  bool top_first;
  std::optional<Field> lwp = {}, iwp = {}, rel = {}, dei = {};

  Dimensions layers() const { return {"(column, layer)", {grid.ncol, grid.nlay}}; }
  std::optional<Field> read(char const* name, Quantity const& quantity) const {
    if (!file.exists(name)) return std::nullopt;
    return read_field(file, name, options.clip ? any_finite(quantity) : quantity, layers(), {columns});
  }
  // Place in the file of a layer counted from the surface.
  std::size_t at(std::size_t c, std::size_t k) const { return c * grid.nlay + (top_first ? grid.nlay - 1 - k : k); }
};

double path_at(std::optional<Field> const& path, std::size_t i) { return path ? path->converted(i) : 0.; }

// The size of particles at a place, checked.
double checked_size(RteClouds const& from, std::optional<Field> const& sizes, char const* name, std::size_t i,
                    fluxes::SizeRange const& range) {
  if (!sizes) throw Error(fmt::format("{}: {}", from.file.path(), name), "missing: there is such water in clouds");
  if (!from.options.clip && !range.holds(sizes->converted(i)))
    throw Error(from.file.path(),
                fmt::format("{} = {}, expected {}", sizes->at(i), sizes->value(i), describe(range, *sizes)));
  return sizes->converted(i);
}

// How the optics of a model have sizes.
struct SizesOfModel {
  fluxes::SizeRange radius;
  fluxes::SizeRange diameter;   // of ice, as the file has it
  double of_diameter;           // what a diameter is multiplied by
  bool no_ice_of_such = false;  // the size of ice is neither a diameter nor a radius
};

SizesOfModel sizes_of_model(RteClouds const& from) {
  if (auto const& tables = from.all.validity.particle_sizes) {
    if (from.all.model != GasOpticsModel::ecckd) return {tables->liquid, tables->ice, 1.};
    return {tables->liquid, {2. * tables->ice.smallest, tables->ice.largest}, 0.5};
  }
  auto const ice = from.options.ice_optics.value_or(IceOptics::fu);
  auto const radius = fluxes::size_range(ice);
  double const largest = radius.largest < 1. ? 2. * radius.largest : radius.largest;
  return {.radius = fluxes::size_range(from.options.liquid_optics.value_or(LiquidOptics::hu_stamnes)),
          .diameter = {2. * radius.smallest, largest},
          .of_diameter = 0.5,
          .no_ice_of_such = ice == IceOptics::fu};
}

// Sizes, and for RRTMG the optics that go with them.
template <class Clouds, class Cloudy>
void fill_particles(RteClouds const& from, Clouds const& clouds, Cloudy const& cloudy) {
  auto const sizes = sizes_of_model(from);
  auto const liquid = from.options.liquid_optics.value_or(LiquidOptics::hu_stamnes);
  for (std::size_t c = 0; c < from.columns.count; ++c) {
    clouds.ice_optics(c) = static_cast<int>(from.options.ice_optics.value_or(IceOptics::fu));
    clouds.liquid_optics(c) = static_cast<int>(liquid);
    for (std::size_t k = 0; k < from.grid.nlay; ++k) {
      std::size_t const i = from.at(c, k);
      if (!cloudy(c, k)) continue;
      bool const without_size = liquid == LiquidOptics::all_bands && !from.all.validity.particle_sizes;
      if (path_at(from.lwp, i) > 0. && !without_size)
        clouds.liquid_size(c, k) = checked_size(from, from.rel, "rel", i, sizes.radius);
      if (!(path_at(from.iwp, i) > 0.)) continue;
      if (sizes.no_ice_of_such)
        throw Error(from.file.path(),
                    fmt::format("{} = {}: the sizes of ice (dei) are diameters, expected an --ice-optics of effective "
                                "radii, such as streamer: those of fu are generalised effective sizes",
                                from.iwp->at(i), from.iwp->value(i)));
      clouds.ice_size(c, k) = sizes.of_diameter * checked_size(from, from.dei, "dei", i, sizes.diameter);
    }
  }
}

// Clouds of a range, made by `make_layers(ncol, nlay)` and `make_gpoints(ncol, nlay)`.
template <class MakeLayers, class MakeGpoints>
auto read_clouds_of_range(RteClouds const& from, bool shortwave, MakeLayers const& make_layers,
                          MakeGpoints const& make_gpoints) {
  std::size_t const ncol = from.columns.count, nlay = from.grid.nlay, ngpt = from.grid.sizes(shortwave).ngpoint;
  auto const mask = name_of_mask(from.file, from.grid, shortwave);
  bool const of_layers = mask.empty();
  auto clouds = make_layers(static_cast<int>(ncol), static_cast<int>(nlay));
  for (std::size_t c = 0; c < ncol; ++c)
    for (std::size_t k = 0; k < nlay; ++k) {
      clouds.liquid_path(c, k) = path_at(from.lwp, from.at(c, k));
      clouds.ice_path(c, k) = path_at(from.iwp, from.at(c, k));
      clouds.fraction(c, k) = clouds.liquid_path(c, k) > 0. || clouds.ice_path(c, k) > 0. ? 1. : 0.;
    }
  clouds.first_column = static_cast<std::uint32_t>(from.columns.first);
  if (of_layers) {
    fill_particles(from, clouds, [](std::size_t, std::size_t) { return true; });
    return clouds;
  }
  if (from.all.model != GasOpticsModel::rrtmg) {
    clouds.fraction = {};
    clouds.fraction_gpt = HostArray<double***>("parhelion::io::cloud_mask", ncol, nlay, ngpt);
  } else {  // RRTMG has the water of g-points
    clouds = make_gpoints(static_cast<int>(ncol), static_cast<int>(nlay));
    clouds.first_column = static_cast<std::uint32_t>(from.columns.first);
    for (std::size_t c = 0; c < ncol; ++c)
      for (std::size_t k = 0; k < nlay; ++k)
        for (std::size_t g = 0; g < ngpt; ++g) {
          clouds.liquid_path_gpt(c, k, g) = path_at(from.lwp, from.at(c, k));
          clouds.ice_path_gpt(c, k, g) = path_at(from.iwp, from.at(c, k));
        }
  }
  copy_spectra(
      read_field(from.file, mask, cloud_mask, {"(column, layer, gpt)", {from.grid.ncol, nlay, ngpt}}, {from.columns}),
      from.top_first, clouds.fraction_gpt);
  fill_particles(from, clouds, [&](std::size_t c, std::size_t k) {
    for (std::size_t g = 0; g < ngpt; ++g)
      if (clouds.fraction_gpt(c, k, g) > 0.) return true;
    return false;
  });
  return clouds;
}

bool any_positive(std::optional<Field> const& field) {
  return field && std::any_of(field->values.begin(), field->values.end(), [](double value) { return value > 0.; });
}

void read_rte_clouds(Hdf5File const& file, RadiationOptions const& all, CloudOptions const& options,
                     RadiationInput& input) {
  CloudOptions of_layers = options;
  of_layers.ice_optics.reset();
  of_layers.liquid_optics.reset();
  of_layers.clip = false;
  refuse_cloud_options(file.path(), of_layers,
                       "clouds of RTE+RRTMGP's layout are overcast, or have a mask of g-points");
  if (!has_clouds(file)) {
    refuse_cloud_options(file.path(), {.ice_optics = options.ice_optics, .liquid_optics = options.liquid_optics},
                         "the file has no clouds");
    return;
  }
  RteClouds from{.file = file,
                 .all = all,
                 .options = options,
                 .grid = grid_of(all, input),
                 .columns = input.sites,
                 .top_first = input.top_first};
  from.lwp = from.read("lwp", water_path);
  from.iwp = from.read("iwp", water_path);
  bool const without_optics =
      (all.model == GasOpticsModel::ecckd || all.model == GasOpticsModel::rrtmgp) && !all.cloud_optics;
  if (without_optics) {
    for (auto const* const path : {&from.lwp, &from.iwp})
      if (any_positive(*path)) refuse_clouds_without_optics(file, all, (*path)->name);
    return;
  }
  from.rel = from.read("rel", particle_size);
  from.dei = from.read("dei", particle_size);
  if (all.longwave) {
    input.has_clouds = true;
    input.clouds = read_clouds_of_range(
        from, false, [](int ncol, int nlay) { return fluxes::make_layer_clouds<Host, double>(ncol, nlay); },
        [](int ncol, int nlay) { return fluxes::make_gpoint_clouds<Host, double>(ncol, nlay, false); });
  }
  if (all.shortwave) {
    input.shortwave_has_clouds = true;
    input.shortwave_clouds = read_clouds_of_range(
        from, true, [](int ncol, int nlay) { return fluxes::make_shortwave_layer_clouds<Host, double>(ncol, nlay); },
        [](int ncol, int nlay) { return fluxes::make_shortwave_gpoint_clouds<Host, double>(ncol, nlay, false); });
  }
}

// The sizes of a layer's aerosol for which the model has properties, but for rounding.
ValidRange sizes_of_type(fluxes::SizeRange const& of_model, double type) {
  using fluxes::rrtmgp::AerosolType;
  constexpr double infinity = std::numeric_limits<double>::infinity(), slack = 1. - fluxes::SizeRange::tolerance;
  bool const has_size =
      type == static_cast<double>(AerosolType::dust) || type == static_cast<double>(AerosolType::sea_salt);
  return has_size ? ValidRange{of_model.smallest * slack, of_model.largest / slack} : ValidRange{-infinity, infinity};
}

void read_aerosol_particles(Hdf5File const& file, RadiationOptions const& all, RangeCheck& check,
                            RadiationInput& input) {
  if (!file.exists("aerosol_type") && !file.exists("aerosol_mass")) return;
  Grid const grid = grid_of(all, input);
  Dimensions const layers{"(column, layer)", {grid.ncol, grid.nlay}};
  Ranges const ranges{input.sites};
  auto const read = [&](char const* name, Quantity const& quantity) {
    if (!file.exists(name))
      throw Error(fmt::format("{}: {}", file.path(), name), "missing: other variables of aerosol are there");
    return read_field(file, name, quantity, layers, ranges);
  };
  auto const type = read("aerosol_type", aerosol_type), mass = read("aerosol_mass", aerosol_mass);
  bool any = false;
  for (std::size_t i = 0; i < type.values.size(); ++i) {
    if (type.values[i] == 0. || mass.values[i] == 0.) continue;
    any = true;
    if (all.model != GasOpticsModel::rrtmgp || !all.aerosol_optics)
      throw Error(
          file.path(),
          fmt::format("{} = {}, {} = {}: has aerosol, {}", type.at(i), type.value(i), mass.at(i), mass.value(i),
                      all.model == GasOpticsModel::rrtmgp ? "which rrtmgp needs aerosol optics for (--aerosol-optics)"
                                                          : fmt::format("expected none with {}", name_of(all.model))));
  }
  if (!any && all.part.parts == 1) return;
  auto size = read("aerosol_size", particle_size);
  if (all.validity.particle_sizes)
    check(file, size,
          [&](std::size_t i) { return sizes_of_type(all.validity.particle_sizes->aerosol, type.values[i]); });
  auto const humidity = read("relative_humidity", relative_humidity);
  std::size_t const ncol = input.sites.count;
  auto& columns = input.columns;
  columns.aerosol_type = HostArray<int**>("parhelion::io::aerosol_type", ncol, grid.nlay);
  columns.aerosol_size = HostArray<double**>("parhelion::io::aerosol_size", ncol, grid.nlay);
  columns.aerosol_mass = HostArray<double**>("parhelion::io::aerosol_mass", ncol, grid.nlay);
  columns.relative_humidity = HostArray<double**>("parhelion::io::relative_humidity", ncol, grid.nlay);
  HostArray<double**> const types("parhelion::io::aerosol_type", ncol, grid.nlay);
  copy_profiles(type, input.top_first, types, 0);
  copy_profiles(size, input.top_first, columns.aerosol_size, 0);
  copy_profiles(mass, input.top_first, columns.aerosol_mass, 0);
  copy_profiles(humidity, input.top_first, columns.relative_humidity, 0);
  std::transform(types.data(), types.data() + types.size(), columns.aerosol_type.data(),
                 [](double each) { return static_cast<int>(each); });
  input.shortwave_columns.aerosol_type = columns.aerosol_type;
  input.shortwave_columns.aerosol_size = columns.aerosol_size;
  input.shortwave_columns.aerosol_mass = columns.aerosol_mass;
  input.shortwave_columns.relative_humidity = columns.relative_humidity;
}

}  // namespace

bool is_rte_variable(std::string const& name) {
  auto const holds = [&](auto const& variables) {
    return std::any_of(variables.begin(), variables.end(), [&](RteVariable const& each) { return name == each.name; });
  };
  return holds(cloud_variables()) || holds(particle_variables()) || name == mask_name ||
         name == std::string(shortwave_prefix) + mask_name;
}

std::size_t check_rte_input(Hdf5File const& file, RadiationOptions const& options, Grid const& grid) {
  Dimensions const layers{"(column, layer)", {grid.ncol, grid.nlay}};
  std::size_t values = 0;
  auto const check = [&](auto const& variables) {
    for (auto const& [name, quantity] : variables) {
      if (!file.exists(name)) continue;
      check_field(file, name, quantity, layers);
      ++values;
    }
  };
  check(cloud_variables());
  check(particle_variables());
  bool const with_optics = options.model == GasOpticsModel::rrtmg || options.cloud_optics;
  if (!has_clouds(file) || !with_optics) return values;
  for (bool const shortwave : {false, true}) {
    if (!(shortwave ? options.shortwave : options.longwave)) continue;
    auto const mask = name_of_mask(file, grid, shortwave);
    if (mask.empty()) continue;
    std::size_t const ngpt = grid.sizes(shortwave).ngpoint;
    check_field(file, mask, cloud_mask, {"(column, layer, gpt)", {grid.ncol, grid.nlay, ngpt}});
    values += 3 * ngpt;
  }
  return values;
}

void read_rte_input(Hdf5File const& file, RadiationOptions const& all, CloudOptions const& options, RangeCheck& check,
                    RadiationInput& input) {
  read_rte_clouds(file, all, options, input);
  read_aerosol_particles(file, all, check, input);
}

}  // namespace parhelion::io::Impl
