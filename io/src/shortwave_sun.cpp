// SPDX-License-Identifier: BSD-3-Clause
#include "shortwave_sun.hpp"

#include "radiation_flags.hpp"
#include "radiation_layouts.hpp"
#include "shortwave_input.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/sun.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace parhelion::io::Impl {

using fluxes::SolarVariability;

namespace {

constexpr std::size_t nband = fluxes::nbnd_sw;

// Numbers that each column has several of, or all columns the same.
struct Vectors {
  Field field = {};
  std::size_t n = 0;

  // Of a column of those that are read.
  double operator()(std::size_t c, std::size_t i) const {
    return field.converted(field.shape.size() > 1 ? c * n + i : i);
  }
};

Dimensions dimensions_of_vectors(Hdf5File const& file, std::string const& name, char const* names, std::size_t ncol,
                                 std::size_t n) {
  if (file.shape(name).size() == 1) return {"the same for all columns", {n}};
  return {names, {ncol, n}};
}

std::optional<Vectors> read_vectors(Hdf5File const& file, std::string const& name, Quantity const& quantity,
                                    char const* names, Grid const& grid, ItemRange const& columns, std::size_t n) {
  if (!file.exists(name)) return std::nullopt;
  auto const dimensions = dimensions_of_vectors(file, name, names, grid.ncol, n);
  return Vectors{read_field(file, name, quantity, dimensions, dimensions.shape.size() > 1 ? Ranges{columns} : Ranges{}),
                 n};
}

// Whether columns have an array that a flag may switch off for some of them.
struct Given {
  bool there;
  Flag has;

  bool operator()(std::size_t column) const { return has.there() ? has.values[column] == 1 : there; }
};

Given read_given(Hdf5File const& file, std::string const& name, std::size_t ncol) {
  std::string const flag = "has_" + name;
  Given const given{file.exists(name),
                    read_flag(
                        file, flag, ncol, [](double value) { return value == 0. || value == 1.; }, "0 or 1")};
  auto const& values = given.has.values;
  if (!given.there && std::find(values.begin(), values.end(), 1) != values.end())
    need(file, name, flag + " = 1 needs it");
  return given;
}

// All that a file says of the sun.
struct Sun {
  Flag isolvar, dyofyr;
  Setting scon, adjes, solcycfrac;
  Given has_indsolvar, has_bndsolvar;
};

Sun read_sun(Hdf5File const& file, std::size_t ncol) {
  return {.isolvar = read_flag(
              file, "isolvar", ncol, [](double flag) { return is_whole(flag) && flag <= 3.; },
              "-1 (Kurucz), 0 to 3 (NRLSSI2), or less (Kurucz, not scaled)"),
          .dyofyr = read_flag(
              file, "dyofyr", ncol, [](double flag) { return is_whole(flag) && flag >= 0. && flag <= 366.; },
              "a day of the year from 1 to 366, or 0"),
          .scon = read_setting(file, "scon", ncol, solar_irradiance),
          .adjes = read_setting(file, "adjes", ncol, solar_factor),
          .solcycfrac = read_setting(file, "solcycfrac", ncol, cycle_fraction),
          .has_indsolvar = read_given(file, "indsolvar", ncol),
          .has_bndsolvar = read_given(file, "bndsolvar", ncol)};
}

SolarVariability variability_of(int isolvar) { return static_cast<SolarVariability>(std::max(isolvar, -2)); }

void set_sun(fluxes::HostShortwaveColumns const& columns, std::size_t column, fluxes::SolarOptions const& options,
             std::string const& where) {
  auto const source = fluxes::solar_source(options, where);
  for (std::size_t i = 0; i < fluxes::nsolar; ++i) columns.solar_weights(column, i) = source.weights[i];
  for (std::size_t b = 0; b < columns.solar_band_factors.extent(1); ++b)
    columns.solar_band_factors(column, b) = source.band_factors[b];
}

void set_suns(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  auto const grid = grid_of(options, input);
  auto const sun = read_sun(file, grid.ncol);
  if (sun.isolvar.there() && options.sun)
    throw Error(fmt::format("{}: {}", file.path(), sun.isolvar.name), "is in the file, but a sun was asked for");
  auto const& range = input.sites;
  auto const indsolvar = read_vectors(file, "indsolvar", solar_index, "(column, two)", grid, range, 2);
  auto const bndsolvar = read_vectors(file, "bndsolvar", solar_factor, "(column, band)", grid, range, nband);
  auto& columns = input.shortwave_columns;
  if (bndsolvar)
    columns.solar_band_factors = HostArray<double**>("parhelion::io::solar_band_factors", range.count, nband);
  for (std::size_t c = 0; c < range.count; ++c) {
    std::size_t const i = range.first + c;
    fluxes::SolarOptions of_column{.variability = options.sun.value_or(SolarVariability::mean_cycle)};
    if (sun.isolvar.there()) of_column.variability = variability_of(sun.isolvar.values[i]);
    if (sun.scon.there()) of_column.total_irradiance = sun.scon.values[i];
    if (sun.adjes.there()) of_column.distance_factor = sun.adjes.values[i];
    if (sun.dyofyr.there()) of_column.day_of_year = sun.dyofyr.values[i];
    bool const indices = sun.has_indsolvar(i);
    if (indices) of_column.indices = {{(*indsolvar)(c, 0), (*indsolvar)(c, 1)}};
    if (of_column.variability == SolarVariability::cycle) {
      bool const fraction = sun.solcycfrac.there() && (indices || !sun.has_indsolvar.has.there());
      if (fraction != indices)
        throw Error(
            fmt::format("{}: {}", file.path(), fraction ? "indsolvar" : "solcycfrac"),
            fmt::format("missing: {} = 1 needs both {}", sun.isolvar.at(i),
                        fraction ? "it and solcycfrac; 1, 1 leaves the amplitudes as they are" : "it and indsolvar"));
      if (fraction) of_column.cycle_fraction = sun.solcycfrac.values[i];
    }
    if (sun.has_bndsolvar(i)) {
      auto& factors = of_column.band_factors.emplace();
      for (std::size_t b = 0; b < nband; ++b)
        factors[static_cast<std::size_t>(band_of_file(options.band_order, static_cast<int>(b)))] = (*bndsolvar)(c, b);
    }
    set_sun(columns, c, of_column, fmt::format("{}: sun of column {}", file.path(), i));
  }
}

// Room for the indices of each column, and for the factor of the spectrum that they make.
void make_indices(RadiationInput& input, std::size_t ncol) {
  input.solar_indices = HostArray<double**>("parhelion::io::solar_indices", ncol, 2);
  fill_array(input.solar_indices, std::numeric_limits<double>::quiet_NaN());
  input.solar_spectrum_factor = HostArray<double*>("parhelion::io::solar_spectrum_factor", ncol);
}

// The irradiance of models that have a sun of their own, of which a file in the column layout may say how bright it is.
void set_irradiances(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  auto const grid = grid_of(options, input);
  auto const sun = read_sun(file, grid.ncol);
  auto const& range = input.sites;
  constexpr int of_indices = static_cast<int>(SolarVariability::indices);
  bool const takes_indices = options.model == GasOpticsModel::rrtmgp;
  auto const indices = read_vectors(file, "indsolvar", solar_index, "(column, two)", grid, range, 2);
  if (takes_indices &&
      std::find(sun.isolvar.values.begin(), sun.isolvar.values.end(), of_indices) != sun.isolvar.values.end())
    make_indices(input, range.count);
  input.solar_irradiance = HostArray<double*>("parhelion::io::solar_irradiance", range.count);
  for (std::size_t c = 0; c < range.count; ++c) {
    std::size_t const i = range.first + c;
    int const variability = sun.isolvar.there() ? sun.isolvar.values[i] : 0;
    bool const has_indices = takes_indices && variability == of_indices;
    if (variability != 0 && !has_indices)
      throw Error(file.path(),
                  fmt::format("{} = {}, expected 0{} with {}, which has its own solar spectrum", sun.isolvar.at(i),
                              variability, takes_indices ? " or 2" : "", name_of(options.model)));
    if (has_indices && !sun.has_indsolvar(i))
      throw Error(fmt::format("{}: indsolvar", file.path()),
                  fmt::format("missing: {} = 2 needs it", sun.isolvar.at(i)));
    double const scon = sun.scon.there() ? sun.scon.values[i] : 0.;
    int const day = sun.dyofyr.there() ? sun.dyofyr.values[i] : 0;
    double const factor = day > 0 ? fluxes::sun_distance_factor(day) : sun.adjes.there() ? sun.adjes.values[i] : 1.;
    input.solar_irradiance(c) = (scon > 0. ? scon : options.solar_irradiance) * factor;
    if (!has_indices) continue;
    for (std::size_t which = 0; which < 2; ++which) input.solar_indices(c, which) = (*indices)(c, which);
    if (!(scon > 0.)) input.solar_spectrum_factor(c) = factor;
  }
}

// The sun in a layout that does not describe it in RRTMG_SW's way.
void read_plain_suns(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  char const* name = "total_solar_irradiance";
  constexpr char const* of_ecrad = "solar_irradiance";  // as ecRad's own program calls it
  if (input.layout == RadiationLayout::ecrad && file.exists(of_ecrad)) {
    if (file.exists(name))
      throw Error(fmt::format("{}: {}", file.path(), of_ecrad), fmt::format("is there beside {}, expected one", name));
    name = of_ecrad;
  }
  auto const total = read_setting(file, name, static_cast<std::size_t>(input.nsite_of_file), solar_irradiance);
  set_suns_of(
      options, input, total.there(), [&](std::size_t c) { return total.values[input.sites.first + c]; },
      fmt::format("{}: sun", file.path()));
  auto const ncol = static_cast<std::size_t>(input.nsite_of_file);
  auto const mg = read_setting(file, "mg_index", ncol, solar_index),
             sb = read_setting(file, "sb_index", ncol, solar_index);
  if (options.model != GasOpticsModel::rrtmgp || !(mg.there() || sb.there())) return;
  make_indices(input, input.sites.count);
  for (std::size_t c = 0; c < input.sites.count; ++c) {
    if (mg.there()) input.solar_indices(c, 0) = mg.values[input.sites.first + c];
    if (sb.there()) input.solar_indices(c, 1) = sb.values[input.sites.first + c];
    input.solar_spectrum_factor(c) = total.there() ? 0. : 1.;
  }
}

}  // namespace

void check_suns(Hdf5File const& file, RadiationOptions const& options, Grid const& grid) {
  if (options.model != GasOpticsModel::rrtmg) return;
  if (file.exists("indsolvar"))
    check_field(file, "indsolvar", solar_index,
                dimensions_of_vectors(file, "indsolvar", "(column, two)", grid.ncol, 2));
  if (file.exists("bndsolvar"))
    check_field(file, "bndsolvar", solar_factor,
                dimensions_of_vectors(file, "bndsolvar", "(column, band)", grid.ncol, nband));
}

void set_suns_of(RadiationOptions const& options, RadiationInput& input, bool given,
                 std::function<double(std::size_t)> const& irradiance_of, std::string const& where) {
  std::size_t const ncol = input.shortwave_columns.cos_zenith.extent(0);
  bool const rrtmg = options.model == GasOpticsModel::rrtmg;
  if (rrtmg)
    input.shortwave_columns.solar_weights = HostArray<double**>("parhelion::io::solar_weights", ncol, fluxes::nsolar);
  else
    input.solar_irradiance = HostArray<double*>("parhelion::io::solar_irradiance", ncol);
  for (std::size_t c = 0; c < ncol; ++c) {
    double const irradiance = given ? irradiance_of(c) : 0.;
    // To RRTMG_SW, and in RFMIP's layout, 0 stands for the irradiance of the spectrum.
    bool const dark = given && irradiance == 0. && input.layout != RadiationLayout::rfmip;
    if (rrtmg)
      set_sun(input.shortwave_columns, c,
              {.variability = options.sun.value_or(SolarVariability::mean_cycle),
               .total_irradiance = irradiance,
               .distance_factor = dark ? 0. : 1.},
              where);
    else
      input.solar_irradiance(c) = given ? irradiance : options.solar_irradiance;
  }
}

void read_suns(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  if (input.layout != RadiationLayout::column) return read_plain_suns(file, options, input);
  if (options.model != GasOpticsModel::rrtmg) return set_irradiances(file, options, input);
  input.shortwave_columns.solar_weights =
      HostArray<double**>("parhelion::io::solar_weights", input.sites.count, fluxes::nsolar);
  set_suns(file, options, input);
}

}  // namespace parhelion::io::Impl
