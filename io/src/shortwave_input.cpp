// SPDX-License-Identifier: BSD-3-Clause
#include "shortwave_input.hpp"

#include "cloud_reader.hpp"
#include "radiation_layouts.hpp"
#include "shortwave_sun.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <utility>

namespace parhelion::io::Impl {

using fluxes::AerosolInput;
using fluxes::nbnd_sw;

namespace {

constexpr std::size_t nband = nbnd_sw, ntype = fluxes::naerosol;

// What to say of a variable without which there is no shortwave.
char const* why_needed(std::string const& name) {
  return name == "coszen"
             ? "the shortwave needs the cosine of the solar zenith angle"
             : "the shortwave needs the albedo of the surface: asdir, asdif (for direct and diffuse "
               "radiation from 16000 cm-1 up), aldir, aldif (below), or albedo_direct, albedo_diffuse of each "
               "band";
}

// Of two ranges of wavenumbers, or of each band.
constexpr std::array range_albedos{"asdir", "aldir", "asdif", "aldif"};
constexpr std::array band_albedos{"albedo_direct", "albedo_diffuse"};

constexpr char const* asked_cosine = "a cosine of the solar zenith angle";
constexpr char const* asked_albedo = "an albedo";

// --- albedo ------------------------------------------------------------------------------------------------------

// One albedo for all columns and wavenumbers.
void set_albedo(fluxes::HostShortwaveColumns& columns, std::size_t ncol, double value) {
  for (auto* const array : {&columns.albedo_direct, &columns.albedo_diffuse}) {
    *array = HostArray<double**>("parhelion::io::albedo", ncol, 1);
    fill_array(*array, value);
  }
}

// Which of the variables of the albedo a file in the column layout has: those of each band rather than of two ranges.
bool has_band_albedos(Hdf5File const& file) {
  auto const is_there = [&](char const* name) { return file.exists(name); };
  auto const* const of_bands = std::find_if(band_albedos.begin(), band_albedos.end(), is_there);
  auto const* const of_range = std::find_if(range_albedos.begin(), range_albedos.end(), is_there);
  if (of_bands == band_albedos.end()) return false;
  if (of_range != range_albedos.end())
    throw Error(fmt::format("{}: {}", file.path(), *of_bands),
                fmt::format("is there, and so is {}, expected albedos of each band or of two ranges", *of_range));
  return true;
}

bool of_two_ranges(Hdf5File const& file, RadiationLayout layout) {
  return layout == RadiationLayout::column && !has_band_albedos(file);
}

// The variables of the albedo for direct and for diffuse radiation that are not of two ranges.
std::array<std::string, 2> albedo_names(Hdf5File const& file, RadiationLayout layout) {
  if (layout != RadiationLayout::ecrad) return {band_albedos[0], band_albedos[1]};
  std::string const direct = "sw_albedo_direct", both = "sw_albedo";
  return {file.exists(direct) ? direct : both, both};
}

void check_albedos(Hdf5File const& file, RadiationOptions const& options, RadiationLayout layout, Grid const& grid) {
  std::vector<std::string> names(range_albedos.begin(), range_albedos.end());
  bool const of_ranges = of_two_ranges(file, layout);
  if (!of_ranges) {
    auto const others = albedo_names(file, layout);
    names.assign(others.begin(), others.end());
  }
  for (auto const& name : names) {
    refuse_asked(file, name, options.albedo.has_value(), asked_albedo);
    if (options.albedo) continue;
    need(file, name,
         of_ranges ? why_needed(name) : "the shortwave needs the albedo for direct and for diffuse radiation");
    if (!of_ranges) bands_of_surface(file, name, layout, options, grid.ncol, grid.shortwave);
    check_field(file, name, albedo,
                of_ranges ? Dimensions{"(column)", {grid.ncol}} : Dimensions{"(column, band)", file.shape(name)});
  }
}

// Albedos of two ranges as those of the bands or g-points that have these shares in the first one.
HostArray<double**> weighted(HostArray<double**> const& of_ranges, std::vector<double> const& shares) {
  HostArray<double**> albedos(of_ranges.label(), of_ranges.extent(0), shares.size());
  for (std::size_t c = 0; c < of_ranges.extent(0); ++c)
    for (std::size_t i = 0; i < shares.size(); ++i)
      albedos(c, i) = shares[i] * of_ranges(c, 0) + (1 - shares[i]) * of_ranges(c, 1);
  return albedos;
}

void read_albedos(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  auto const grid = grid_of(options, input);
  auto& columns = input.shortwave_columns;
  std::size_t const ncol = input.sites.count;
  if (options.albedo) return set_albedo(columns, ncol, *options.albedo);
  std::array const arrays{&columns.albedo_direct, &columns.albedo_diffuse};
  bool const of_ranges = of_two_ranges(file, input.layout);
  auto const names = albedo_names(file, input.layout);
  std::size_t n = of_ranges ? 2 : 1;
  if (!of_ranges)
    for (auto const& name : names)
      n = std::max(n, bands_of_surface(file, name, input.layout, options, grid.ncol, grid.shortwave));
  columns.albedo_direct = HostArray<double**>("parhelion::io::albedo_direct", ncol, n);
  columns.albedo_diffuse = HostArray<double**>("parhelion::io::albedo_diffuse", ncol, n);
  if (of_ranges) {
    for (std::size_t i = 0; i < range_albedos.size(); ++i) {
      auto const field = read_field(file, range_albedos[i], albedo, {"(column)", {grid.ncol}}, {input.sites});
      for (std::size_t c = 0; c < ncol; ++c) (*arrays[i / 2])(c, i % 2) = field.converted(c);
    }
    if (!options.uvvis_shares.empty())
      for (auto* const array : arrays) *array = weighted(*array, options.uvvis_shares);
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto field = read_surface(file, names[i], albedo, input.sites, options);
    std::size_t const of_file = field.shape.size() > 1 ? field.shape[1] : 1;
    if (of_file > 1 && input.layout == RadiationLayout::column) to_original_order(field, options.band_order);
    for (std::size_t c = 0; c < ncol; ++c)
      for (std::size_t b = 0; b < n; ++b) (*arrays[i])(c, b) = field.converted(c * of_file + (of_file > 1 ? b : 0));
  }
}

// The cosine of the solar zenith angle of each column.
void read_cos_zenith(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  auto& mu0 = input.shortwave_columns.cos_zenith;
  mu0 = HostArray<double*>("parhelion::io::cos_zenith", input.sites.count);
  if (options.cos_zenith) return fill_array(mu0, *options.cos_zenith);
  Dimensions const all_columns{"(column)", {static_cast<std::size_t>(input.nsite_of_file)}};
  auto const field = read_field(file, names_of(input.layout).cos_zenith, cos_zenith, all_columns, {input.sites});
  for (std::size_t c = 0; c < input.sites.count; ++c) mu0(c) = field.converted(c);
}

// --- aerosol -----------------------------------------------------------------------------------------------------

// What the aerosol of each column of a file is given by.
struct AerosolKinds {
  std::vector<int> values;  // as AerosolInput, of all columns of the file
  std::string why;          // arrays are needed: "iaer = 10 needs it"

  bool any(AerosolInput kind) const {
    return std::find(values.begin(), values.end(), static_cast<int>(kind)) != values.end();
  }
};

AerosolKinds aerosol_kinds(Hdf5File const& file, Grid const& grid) {
  auto const iaer = read_flag(
      file, "iaer", grid.ncol, [](double flag) { return flag == 0. || flag == 6. || flag == 10.; },
      "0 (no aerosol), 6 (ecaer) or 10 (tauaer, ssaaer, asmaer)");
  if (iaer.there()) return {iaer.values, ""};
  bool const optical = std::any_of(aerosol_variables.begin(), aerosol_variables.end(),
                                   [&](char const* name) { return !shortwave_name(file, name, grid).empty(); });
  bool const types = file.exists("ecaer");
  if (optical && types)
    need(file, "iaer", "it says where ecaer counts (6), and where the optical properties of aerosol do (10)");
  auto const kind = optical ? AerosolInput::optical : types ? AerosolInput::types : AerosolInput::none;
  return {std::vector<int>(grid.ncol, static_cast<int>(kind)), "other variables of aerosol are there"};
}

struct AerosolProperty {
  Quantity const& quantity;
  HostArray<double***> fluxes::HostShortwaveColumns::*array;
};

// In the order of aerosol_variables.
std::array<AerosolProperty, 3> aerosol_properties() {
  using Columns = fluxes::HostShortwaveColumns;
  return {{{optical_depth, &Columns::aerosol_optical_depth},
           {single_scattering_albedo, &Columns::aerosol_single_scattering_albedo},
           {asymmetry, &Columns::aerosol_asymmetry}}};
}

std::string name_of_aerosol(Hdf5File const& file, char const* name, Grid const& grid, AerosolKinds const& kinds) {
  auto const there = shortwave_name(file, name, grid);
  if (there.empty())
    throw Error(fmt::format("{}: {}", file.path(), name),
                "missing: " + (kinds.why.empty() ? "iaer = 10 needs it" : kinds.why));
  return there;
}

void read_aerosol(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  auto const grid = grid_of(options, input);
  auto const kinds = aerosol_kinds(file, grid);
  auto const& range = input.sites;
  auto& columns = input.shortwave_columns;
  auto const ignored_but = [&](AerosolInput kind) {
    std::vector<bool> ignored(range.count);
    for (std::size_t c = 0; c < range.count; ++c) ignored[c] = kinds.values[range.first + c] != static_cast<int>(kind);
    return ignored;
  };
  if (kinds.any(AerosolInput::optical)) {
    auto const ignored = ignored_but(AerosolInput::optical);
    Dimensions const dimensions{"(column, layer, band)", {grid.ncol, grid.nlay, nband}};
    for (std::size_t i = 0; i < aerosol_variables.size(); ++i) {
      auto const property = aerosol_properties()[i];
      auto field = read_field(file, name_of_aerosol(file, aerosol_variables[i], grid, kinds), property.quantity,
                              dimensions, {range}, ignored);
      to_original_order(field, options.band_order);
      auto& array = columns.*property.array;
      array = HostArray<double***>("parhelion::io::aerosol", range.count, grid.nlay, nband);
      copy_spectra(field, input.top_first, array);
    }
  }
  if (kinds.any(AerosolInput::types)) {
    need(file, "ecaer", "iaer = 6 needs it");
    auto const field =
        read_field(file, "ecaer", optical_depth, {"(column, layer, aerosol_type)", {grid.ncol, grid.nlay, ntype}},
                   {range}, ignored_but(AerosolInput::types));
    columns.aerosol_550nm = HostArray<double***>("parhelion::io::aerosol_550nm", range.count, grid.nlay, ntype);
    copy_spectra(field, input.top_first, columns.aerosol_550nm);
  }
  if (kinds.any(AerosolInput::optical) || kinds.any(AerosolInput::types)) {
    columns.aerosol_input = HostArray<int*>("parhelion::io::aerosol_input", range.count);
    for (std::size_t c = 0; c < range.count; ++c) columns.aerosol_input(c) = kinds.values[range.first + c];
  }
  // Whether there is any in the other parts is not known here.
  if (options.part.parts == 1)
    drop_aerosol_without_depth(columns, has_positive(columns.aerosol_optical_depth),
                               has_positive(columns.aerosol_550nm));
}

void check_sun_and_albedo(Hdf5File const& file, RadiationOptions const& options, RadiationLayout layout,
                          Grid const& grid) {
  std::string const mu0 = names_of(layout).cos_zenith;
  refuse_asked(file, mu0, options.cos_zenith.has_value(), asked_cosine);
  if (!options.cos_zenith) {
    need(file, mu0, why_needed("coszen"));
    check_field(file, mu0, cos_zenith, {"(column)", {grid.ncol}});
  }
  check_albedos(file, options, layout, grid);
}

// Says what only one of both ranges has.
[[noreturn]] void refuse_other(Hdf5File const& file, std::string const& name, std::string const& what,
                               std::string const& expected) {
  throw Error(fmt::format("{}: {}", file.path(), name), fmt::format("{}, expected {}", what, expected));
}

}  // namespace

void need(Hdf5File const& file, std::string const& name, std::string const& why) {
  if (!file.exists(name)) throw Error(fmt::format("{}: {}", file.path(), name), "missing: " + why);
}

void to_original_order(Field& field, BandOrder order) {
  std::size_t const n = field.shape.back();
  auto const as_read = field.values;
  for (std::size_t i = 0; i < as_read.size(); ++i)
    field.values[i / n * n + static_cast<std::size_t>(band_of_file(order, static_cast<int>(i % n)))] = as_read[i];
}

bool is_shortwave_variable(std::string const& name) {
  auto const holds = [&](auto const& names, std::string_view each) {
    return std::find(names.begin(), names.end(), each) != names.end();
  };
  if (holds(shortwave_flag_variables, name) || holds(shortwave_variables, name)) return true;
  std::string_view plain = name;
  if (plain.starts_with(shortwave_prefix)) plain.remove_prefix(std::strlen(shortwave_prefix));
  bool const prefixed = plain.size() < name.size();
  return holds(aerosol_variables, plain) || holds(gpoint_variables, plain) ||
         (prefixed && holds(gpoint_size_variables, plain));
}

void refuse_aerosol_of_rrtmg(Hdf5File const& file, RadiationOptions const& options) {
  for (std::string const name : {"tauaer", "sw_tauaer", "ecaer"}) {
    if (!file.exists(name)) continue;
    auto const depths = file.read(name);
    if (std::any_of(depths.begin(), depths.end(), [](double depth) { return depth > 0.; }))
      throw Error(fmt::format("{}: {}", file.path(), name),
                  fmt::format("is aerosol as RRTMG has it, expected none with {}", name_of(options.model)));
  }
}

ShortwaveSizes check_shortwave(Hdf5File const& file, RadiationOptions const& options, RadiationLayout layout,
                               Grid const& grid) {
  check_sun_and_albedo(file, options, layout, grid);
  if (layout != RadiationLayout::column) return {};
  check_suns(file, options, grid);

  ShortwaveSizes sizes;
  auto const count = [&](std::size_t n) {
    sizes.values += n;
    sizes.largest = std::max(sizes.largest, n);
  };
  auto const kinds = options.model == GasOpticsModel::rrtmg ? aerosol_kinds(file, grid) : AerosolKinds{};
  if (kinds.any(AerosolInput::optical))
    for (std::size_t i = 0; i < aerosol_variables.size(); ++i) {
      check_field(file, name_of_aerosol(file, aerosol_variables[i], grid, kinds), aerosol_properties()[i].quantity,
                  {"(column, layer, band)", {grid.ncol, grid.nlay, nband}});
      count(nband);
    }
  if (kinds.any(AerosolInput::types)) {
    need(file, "ecaer", "iaer = 6 needs it");
    check_field(file, "ecaer", optical_depth, {"(column, layer, aerosol_type)", {grid.ncol, grid.nlay, ntype}});
    count(ntype);
  }
  if (all_clear(read_icld(file, grid.ncol))) return sizes;
  for (std::string const name : gpoint_variables) {
    auto const there = shortwave_name(file, name, grid);
    if (there.empty()) continue;
    // Units are checked with the values: a column may not use the array.
    Dimensions const dimensions{"(column, layer, gpt)", {grid.ncol, grid.nlay, grid.shortwave.ngpoint}};
    if (auto const found = file.shape(there); found != dimensions.shape)
      refuse_shape(file, there, found, fmt::format("{} = {}", dimensions.names, describe(dimensions.shape)));
    count(grid.shortwave.ngpoint);
  }
  for (std::string const name : layer_variables)
    if (file.exists(name)) count(1);
  return sizes;
}

void read_shortwave(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  read_cos_zenith(file, options, input);
  read_albedos(file, options, input);
  read_suns(file, options, input);
  if (input.layout == RadiationLayout::column && options.model == GasOpticsModel::rrtmg)
    read_aerosol(file, options, input);
}

void check_shortwave_sites(Hdf5File const& file, RadiationOptions const& options, std::size_t nsite) {
  Dimensions const sites{"(site)", {nsite}};
  refuse_asked(file, "solar_zenith_angle", options.cos_zenith.has_value(), asked_cosine);
  refuse_asked(file, "surface_albedo", options.albedo.has_value(), asked_albedo);
  if (!options.cos_zenith) need(file, "solar_zenith_angle", "the shortwave needs it");
  if (!options.albedo) need(file, "surface_albedo", "the shortwave needs it");
  if (!options.cos_zenith) check_field(file, "solar_zenith_angle", zenith_angle, sites);
  if (!options.albedo) check_field(file, "surface_albedo", albedo, sites);
  if (file.exists("total_solar_irradiance")) check_field(file, "total_solar_irradiance", solar_irradiance, sites);
}

void read_shortwave_sites(Hdf5File const& file, RadiationOptions const& options, std::size_t nexpt,
                          RadiationInput& input) {
  Dimensions const sites{"(site)", {static_cast<std::size_t>(input.nsite_of_file)}};
  std::optional<Field> angle, reflected, irradiance;
  if (!options.cos_zenith) angle = read_field(file, "solar_zenith_angle", zenith_angle, sites, {input.sites});
  if (!options.albedo) reflected = read_field(file, "surface_albedo", albedo, sites, {input.sites});
  if (file.exists("total_solar_irradiance"))
    irradiance = read_field(file, "total_solar_irradiance", solar_irradiance, sites, {input.sites});
  std::size_t const nsite = input.sites.count, ncol = nexpt * nsite;
  auto& columns = input.shortwave_columns;
  columns.cos_zenith = HostArray<double*>("parhelion::io::cos_zenith", ncol);
  set_albedo(columns, ncol, options.albedo.value_or(0.));
  for (std::size_t c = 0; c < ncol; ++c) {
    std::size_t const site = c % nsite;
    if (angle) {
      // The cosine of a right angle is not quite 0 in binary numbers.
      double const degrees = angle->converted(site);
      columns.cos_zenith(c) = degrees == 90. ? 0. : std::cos(degrees * (std::numbers::pi / 180.));
    } else {
      columns.cos_zenith(c) = *options.cos_zenith;
    }
    if (reflected) columns.albedo_direct(c, 0) = columns.albedo_diffuse(c, 0) = reflected->converted(site);
  }
  set_suns_of(
      options, input, irradiance.has_value(), [&](std::size_t c) { return irradiance->converted(c % nsite); },
      fmt::format("{}: sun", file.path()));
}

void refuse_one_sided(Hdf5File const& file, RadiationOptions const& options, RadiationInput const& input) {
  auto const grid = grid_of(options, input);
  std::string const with_prefix = fmt::format("; a name may begin with {}", shortwave_prefix);
  auto const arrays = [&](char const* names, std::size_t n, bool shortwave) {
    return fmt::format("clouds of the {}, too: {} = ({}, {}, {}){}", shortwave ? "shortwave" : "longwave", names,
                       grid.ncol, grid.nlay, n, shortwave ? with_prefix : "");
  };
  bool const lw_clouds = input.clouds.any(), sw_clouds = input.shortwave_clouds.any();
  if (lw_clouds != sw_clouds)
    refuse_other(file, first_of_gpoints(file, grid, sw_clouds),
                 lw_clouds ? "has clouds of the longwave alone" : "has clouds of the shortwave alone",
                 arrays("cldfmcl (column, layer, gpt)", grid.sizes(lw_clouds).ngpoint, lw_clouds));
  if (options.model != GasOpticsModel::rrtmg) return;  // others have no aerosol of bands

  auto const lw_name = longwave_name(file, "tauaer", grid);
  auto const kinds = aerosol_kinds(file, grid);
  bool const lw_has = !lw_name.empty(), sw_has = kinds.any(AerosolInput::optical) || kinds.any(AerosolInput::types);
  if (lw_has && !sw_has && has_positive(input.columns.aerosol))
    refuse_other(file, lw_name, "has aerosol of the longwave alone",
                 fmt::format("that of the shortwave, too: tauaer (column, layer, band) = ({}, {}, {}){}, or ecaer",
                             grid.ncol, grid.nlay, nbnd_sw, with_prefix));
  auto const& sw = input.shortwave_columns;
  if (sw_has && !lw_has && (has_positive(sw.aerosol_optical_depth) || has_positive(sw.aerosol_550nm)))
    refuse_other(file, kinds.any(AerosolInput::optical) ? shortwave_name(file, "tauaer", grid) : "ecaer",
                 "has aerosol of the shortwave alone",
                 fmt::format("that of the longwave, too: tauaer (column, layer, band) = ({}, {}, {})", grid.ncol,
                             grid.nlay, fluxes::nbnd));
}

}  // namespace parhelion::io::Impl

namespace parhelion::io {

int band_of_file(BandOrder order, int index) {
  if (order == BandOrder::original) return index;
  return index == 0 ? fluxes::nbnd_sw - 1 : index - 1;
}

void drop_aerosol_without_depth(fluxes::HostShortwaveColumns& columns, bool optical, bool types) {
  auto const drop = [&](fluxes::AerosolInput kind) {
    for (std::size_t c = 0; c < columns.aerosol_input.extent(0); ++c)
      if (columns.aerosol_input(c) == static_cast<int>(kind)) columns.aerosol_input(c) = 0;
  };
  if (!optical) {
    drop(fluxes::AerosolInput::optical);
    columns.aerosol_optical_depth = columns.aerosol_single_scattering_albedo = columns.aerosol_asymmetry = {};
  }
  if (!types) {
    drop(fluxes::AerosolInput::types);
    columns.aerosol_550nm = {};
  }
  if (!optical && !types) columns.aerosol_input = {};
}

}  // namespace parhelion::io
