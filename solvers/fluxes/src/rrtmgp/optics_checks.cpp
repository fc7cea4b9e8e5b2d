// SPDX-License-Identifier: BSD-3-Clause
// The checks of the tables of clouds and aerosol. Variables have the names that they have in RRTMGP's files.
#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::fluxes::rrtmgp {

namespace {

using Extents = std::vector<std::size_t>;

// Limits that files hold in single precision agree with those in double to this, relatively.
constexpr double same_limit = 1e-6;

bool agree(double a, double b) { return std::abs(a - b) <= same_limit * std::max(std::abs(a), std::abs(b)); }

std::size_t product_of(Extents const& extents) {
  std::size_t n = 1;
  for (auto const extent : extents) n *= extent;
  return n;
}

/// "(2, 3)" of the number of a value in an array in row-major order.
std::string indices(std::size_t number, Extents const& extents) {
  Extents at(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    at[d] = number % extents[d];
    number /= extents[d];
  }
  return fmt::format("({})", fmt::join(at, ", "));
}

struct Checker {
  std::string const& where;

  [[noreturn]] void refuse(std::string const& problem) const { throw Error(where, problem); }

  void size(char const* name, std::size_t found, Extents const& extents) const {
    if (found != product_of(extents))
      refuse(fmt::format("{} has {} values, expected {} = ({})", name, found, product_of(extents),
                         fmt::join(extents, ", ")));
  }

  /// Refuses a value that is not in the range.
  void value(char const* name, std::string const& at, double found, ValueRange const& range, char const* unit) const {
    if (!(std::isfinite(found) && range.contains(found)))
      refuse(fmt::format("{}{} = {:g}{}{}, expected {}", name, at, found, *unit == '\0' ? "" : " ", unit,
                         describe(range)));
  }

  /// Refuses an array of another size, or with a value that is not in the range.
  void values(char const* name, std::vector<double> const& found, Extents const& extents, ValueRange const& range,
              char const* unit) const {
    size(name, found.size(), extents);
    for (std::size_t i = 0; i < found.size(); ++i) value(name, indices(i, extents), found[i], range, unit);
  }

  void bands(SpectralBands const& bands) const {
    auto const nband = static_cast<std::size_t>(bands.nband());
    if (nband == 0) refuse("bnd_limits_wavenumber has no band, expected at least one");
    values("bnd_limits_wavenumber", bands.wavenumbers, {nband, 2}, ranges::not_negative, "cm-1");
    for (std::size_t b = 0; b < nband; ++b)
      if (!(bands.wavenumbers[2 * b] < bands.wavenumbers[2 * b + 1]))
        refuse(
            fmt::format("bnd_limits_wavenumber({}, 1) = {:g} cm-1, expected more than the {:g} cm-1 at which the "
                        "band begins",
                        b, bands.wavenumbers[2 * b + 1], bands.wavenumbers[2 * b]));
    if (bands.gpoints.empty()) return;
    size("bnd_limits_gpt", bands.gpoints.size(), {nband, 2});
    int next = 1;
    for (std::size_t b = 0; b < nband; ++b) {
      int const first = bands.gpoints[2 * b];
      int const last = bands.gpoints[2 * b + 1];
      if (first != next)
        refuse(fmt::format("bnd_limits_gpt({}, 0) = {}, expected {}, the next g-point", b, first, next));
      if (last < first)
        refuse(fmt::format("bnd_limits_gpt({}, 1) = {}, expected at least {}, where the band begins", b, last, first));
      next = last + 1;
    }
  }
};

struct ParticleNames {
  char const *smallest, *largest, *extinction, *albedo, *asymmetry;
};

void check_particles(Checker const& checker, ParticleTable const& table, ParticleNames const& names, Extents extents) {
  checker.value(names.smallest, "", table.smallest, ranges::positive, "m");
  checker.value(names.largest, "", table.largest, ranges::positive, "m");
  if (!(table.largest > table.smallest))
    checker.refuse(fmt::format("{} = {:g} m, expected more than the {:g} m of {}", names.largest, table.largest,
                               table.smallest, names.smallest));
  if (table.nsize < 2)
    checker.refuse(fmt::format("{} has {} sizes, expected at least 2", names.extinction, table.nsize));
  extents.push_back(static_cast<std::size_t>(table.nsize));
  checker.values(names.extinction, table.extinction, extents, ranges::not_negative, "m2 kg-1");
  checker.values(names.albedo, table.single_scattering, extents, ranges::zero_to_one, "");
  checker.values(names.asymmetry, table.asymmetry, extents, {.lowest = -1, .highest = 1}, "");
}

/// What differs, in words; nothing where the bands are the same.
std::optional<std::string> difference(SpectralBands const& bands, SpectralBands const& expected) {
  if (bands.nband() != expected.nband())
    return fmt::format("has {} bands, expected {}, those of the gas optics", bands.nband(), expected.nband());
  for (int b = 0; b < bands.nband(); ++b) {
    auto const at = static_cast<std::size_t>(2 * b);
    auto const &found = bands.wavenumbers, &wanted = expected.wavenumbers;
    if (!agree(found[at], wanted[at]) || !agree(found[at + 1], wanted[at + 1]))
      return fmt::format(
          "bnd_limits_wavenumber({}) = {:g} to {:g} cm-1, expected {:g} to {:g} cm-1, the band of the "
          "gas optics",
          b, found[at], found[at + 1], wanted[at], wanted[at + 1]);
    if (bands.gpoints.empty()) continue;
    if (bands.gpoints[at] != expected.gpoints[at] || bands.gpoints[at + 1] != expected.gpoints[at + 1])
      return fmt::format("bnd_limits_gpt({}) = {} to {}, expected {} to {}, those of the gas optics", b,
                         bands.gpoints[at], bands.gpoints[at + 1], expected.gpoints[at], expected.gpoints[at + 1]);
  }
  return {};
}

}  // namespace

void check(CloudOptics const& optics) {
  Checker const checker{optics.where};
  checker.bands(optics.bands);
  if (optics.nroughness < 1)
    checker.refuse(fmt::format("extice has {} roughnesses of ice, expected at least 1", optics.nroughness));
  auto const npoint = static_cast<std::size_t>(optics.npoint());
  check_particles(checker, optics.liquid, {"radliq_lwr", "radliq_upr", "extliq", "ssaliq", "asyliq"}, {npoint});
  check_particles(checker, optics.ice, {"diamice_lwr", "diamice_upr", "extice", "ssaice", "asyice"},
                  {static_cast<std::size_t>(optics.nroughness), npoint});
}

bool same_bands(SpectralBands const& bands, SpectralBands const& expected) { return !difference(bands, expected); }

void expect_bands(std::string const& where, SpectralBands const& bands, SpectralBands const& expected) {
  if (auto const problem = difference(bands, expected)) throw Error(where, *problem);
}

void check(AerosolOptics const& optics) {
  Checker const checker{optics.where};
  checker.bands(optics.bands);
  if (!optics.bands.gpoints.empty()) checker.refuse("has g-points, expected properties by band");
  auto const nband = static_cast<std::size_t>(optics.nband());
  auto const nbin = static_cast<std::size_t>(optics.nbin());
  auto const nrh = optics.humidity.size();
  if (nbin == 0) checker.refuse("merra_aero_bin_lims has no bin, expected at least one");
  checker.values("merra_aero_bin_lims", optics.bin_limits, {nbin, 2}, ranges::not_negative, "m");
  for (std::size_t bin = 0; bin < nbin; ++bin) {
    double const lower = optics.bin_limits[2 * bin];
    double const upper = optics.bin_limits[2 * bin + 1];
    if (!(upper > lower))
      checker.refuse(
          fmt::format("merra_aero_bin_lims({}, 1) = {:g} m, expected more than the {:g} m at which the bin "
                      "begins",
                      bin, upper, lower));
    if (bin > 0 && !agree(lower, optics.bin_limits[2 * bin - 1]))
      checker.refuse(fmt::format("merra_aero_bin_lims({}, 0) = {:g} m, expected {:g} m, where the bin before it ends",
                                 bin, lower, optics.bin_limits[2 * bin - 1]));
  }
  if (nrh < 2) checker.refuse(fmt::format("aero_rh has {} humidities, expected at least 2", nrh));
  checker.values("aero_rh", optics.humidity, {nrh}, ranges::not_negative, "");
  for (std::size_t i = 1; i < nrh; ++i)
    if (!(optics.humidity[i] > optics.humidity[i - 1]))
      checker.refuse(fmt::format("aero_rh({}) = {:g}, expected more than the {:g} before it", i, optics.humidity[i],
                                 optics.humidity[i - 1]));
  auto const table = [&](char const* name, std::vector<double> const& values, Extents extents) {
    extents.push_back(naerosol_value);
    checker.size(name, values.size(), extents);
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const which = i % naerosol_value;
      checker.value(name, indices(i, extents), values[i],
                    which == 0   ? ranges::not_negative
                    : which == 1 ? ranges::zero_to_one
                                 : ValueRange{.lowest = -1, .highest = 1},
                    which == 0 ? "m2 kg-1" : "");
    }
  };
  table("aero_dust_tbl", optics.dust, {nband, nbin});
  table("aero_salt_tbl", optics.sea_salt, {nband, nbin, nrh});
  table("aero_sulf_tbl", optics.sulfate, {nband, nrh});
  table("aero_bcar_rh_tbl", optics.black_carbon_hydrophilic, {nband, nrh});
  table("aero_bcar_tbl", optics.black_carbon_hydrophobic, {nband});
  table("aero_ocar_rh_tbl", optics.organic_carbon_hydrophilic, {nband, nrh});
  table("aero_ocar_tbl", optics.organic_carbon_hydrophobic, {nband});
}

}  // namespace parhelion::fluxes::rrtmgp
