// SPDX-License-Identifier: BSD-3-Clause
#include "rrtmgp/particle_tables.hpp"

#include "device_tables.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace parhelion::fluxes::rrtmgp {

namespace {

/// Properties at a point: extinction, single scattering albedo, asymmetry parameter.
struct Properties {
  double extinction, albedo, asymmetry;
};

/// The rows of `nentry` entries from properties(entry, point).
template <class Real, class ExecutionSpace, class Function>
PropertyRows<ExecutionSpace, Real> make_rows(ExecutionSpace const& space, std::string const& label, int nentry,
                                             int npoint, Function const& properties) {
  int const width = (npoint + row_padding + row_padding - 2) / row_padding * row_padding;
  auto const fill = [&](auto const& host) {
    fill_array(host, Real(0));
    for (int entry = 0; entry < nentry; ++entry)
      for (int point = 0; point < npoint; ++point) {
        Properties const of = properties(entry, point);
        host(4 * entry, point) = static_cast<Real>(of.extinction);
        host(4 * entry + 1, point) = static_cast<Real>(1 - of.albedo);
        host(4 * entry + 2, point) = static_cast<Real>(of.albedo);
        host(4 * entry + 3, point) = static_cast<Real>(of.asymmetry);
      }
  };
  return {Impl::to_device<Array<Real const**, ExecutionSpace>>(space, label, fill, 4 * nentry, width)};
}

template <class Real, class ExecutionSpace>
Array<Real const*, ExecutionSpace> to_device(ExecutionSpace const& space, std::string const& label,
                                             std::vector<double> const& values) {
  auto const fill = [&](auto const& host) {
    for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<Real>(values[i]);
  };
  return Impl::to_device<Array<Real const*, ExecutionSpace>>(space, label, fill, static_cast<int>(values.size()));
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
CloudTables<ExecutionSpace, Real> make_cloud_tables(ExecutionSpace const& space, CloudOptics const& optics,
                                                    int roughness) {
  check(optics);
  if (roughness < 1 || roughness > optics.nroughness)
    throw Error(optics.where,
                fmt::format("the ice roughness {} is asked for, expected 1 to {}", roughness, optics.nroughness));
  CloudTables<ExecutionSpace, Real> tables;
  int const npoint = tables.npoint = optics.npoint();
  tables.by_gpoint = optics.by_gpoint();
  auto const rows = [&](char const* label, ParticleTable const& table, int first_point) {
    return make_rows<Real>(space, label, table.nsize, npoint, [&](int size, int point) {
      auto const i = static_cast<std::size_t>((first_point + point) * table.nsize + size);
      return Properties{table.extinction[i], table.single_scattering[i], table.asymmetry[i]};
    });
  };
  auto const sizes = [](ParticleTable const& table) {
    return typename CloudTables<ExecutionSpace, Real>::Sizes{
        static_cast<Real>(table.smallest), static_cast<Real>((table.nsize - 1) / (table.largest - table.smallest)),
        table.nsize, static_cast<Real>(table.nsize - 1)};
  };
  tables.liquid = rows("rrtmgp_liquid", optics.liquid, 0);
  tables.ice = rows("rrtmgp_ice", optics.ice, (roughness - 1) * npoint);
  tables.liquid_sizes = sizes(optics.liquid);
  tables.ice_sizes = sizes(optics.ice);
  return tables;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
AerosolTables<ExecutionSpace, Real> make_aerosol_tables(ExecutionSpace const& space, AerosolOptics const& optics) {
  check(optics);
  AerosolTables<ExecutionSpace, Real> tables;
  tables.nbin = optics.nbin();
  tables.nhumidity = optics.nhumidity();
  tables.nband = optics.nband();
  // The entries of all types one after the other: the table that each comes from, and its number there.
  struct Entry {
    std::vector<double> const* table;
    int number, of;
  };
  std::vector<Entry> entries;
  auto const add = [&](AerosolType type, std::vector<double> const& table, int n) {
    tables.first[static_cast<std::size_t>(type)] = static_cast<int>(entries.size());
    for (int i = 0; i < n; ++i) entries.push_back({&table, i, n});
  };
  add(AerosolType::dust, optics.dust, tables.nbin);
  add(AerosolType::sea_salt, optics.sea_salt, tables.nbin * tables.nhumidity);
  add(AerosolType::sulfate, optics.sulfate, tables.nhumidity);
  add(AerosolType::black_carbon_hydrophilic, optics.black_carbon_hydrophilic, tables.nhumidity);
  add(AerosolType::black_carbon_hydrophobic, optics.black_carbon_hydrophobic, 1);
  add(AerosolType::organic_carbon_hydrophilic, optics.organic_carbon_hydrophilic, tables.nhumidity);
  add(AerosolType::organic_carbon_hydrophobic, optics.organic_carbon_hydrophobic, 1);
  tables.table = make_rows<Real>(
      space, "rrtmgp_aerosol", static_cast<int>(entries.size()), tables.nband, [&](int number, int band) {
        Entry const& entry = entries[static_cast<std::size_t>(number)];
        auto const i = static_cast<std::size_t>((band * entry.of + entry.number) * naerosol_value);
        auto const& values = *entry.table;
        return Properties{values[i], values[i + 1], values[i + 2]};
      });
  std::vector<double> begins;
  for (std::size_t bin = 0; bin < optics.bin_limits.size(); bin += 2)
    begins.push_back(optics.bin_limits[bin] * (1 - SizeRange::tolerance));
  tables.bin_begins = to_device<Real>(space, "rrtmgp_aerosol_bins", begins);
  tables.humidity = to_device<Real>(space, "rrtmgp_aerosol_humidity", optics.humidity);
  return tables;
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                            \
  template CloudTables<SPACE, REAL> make_cloud_tables<SPACE, REAL>(SPACE const&, CloudOptics const&, int); \
  template AerosolTables<SPACE, REAL> make_aerosol_tables<SPACE, REAL>(SPACE const&, AerosolOptics const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE
#undef PARHELION_INSTANTIATE_REAL

}  // namespace parhelion::fluxes::rrtmgp
