// SPDX-License-Identifier: BSD-3-Clause
// The reference cases of RRTMG_SW as input of the solver, and runs of it.
#ifndef PARHELION_TESTS_SHORTWAVE_CASES_HPP
#define PARHELION_TESTS_SHORTWAVE_CASES_HPP

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/shortwave.hpp>
#include <parhelion/fluxes/sun.hpp>
#include <parhelion/io/hdf5.hpp>

#include "shortwave_reference.hpp"
#include "testing.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace parhelion::Testing {

using ShortwaveHost = Kokkos::DefaultHostExecutionSpace;
using HostShortwaveInput = fluxes::ShortwaveInput<ShortwaveHost, double>;

/// The input of a reference case: hPa become Pa, g m-2 kg m-2, um m.
inline HostShortwaveInput read_shortwave_case(io::Hdf5File const& file) {
  using fluxes::Gas;
  auto const shape = file.shape("play");
  int const ncol = static_cast<int>(shape.at(0));
  int const nlay = static_cast<int>(shape.at(1));
  HostShortwaveInput input(fluxes::make_shortwave_columns<ShortwaveHost, double>(ncol, nlay, 2));
  auto& columns = input.columns;
  auto const fill = [&](auto& view, char const* name, double factor = 1, auto... extents) {
    using View = std::decay_t<decltype(view)>;
    if constexpr (sizeof...(extents) > 0) view = View(std::string(name), extents...);
    auto const values = file.read(name);
    ASSERT_EQ(values.size(), view.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i)
      view.data()[i] = static_cast<typename View::value_type>(factor * values[i]);
  };
  fill(columns.pressure_lay, "play", 100);
  fill(columns.pressure_lev, "plev", 100);
  fill(columns.temperature_lay, "tlay");
  fill(columns.cos_zenith, "coszen");
  for (auto const& [gas, name] :
       {std::pair(Gas::h2o, "h2ovmr"), std::pair(Gas::co2, "co2vmr"), std::pair(Gas::o3, "o3vmr"),
        std::pair(Gas::n2o, "n2ovmr"), std::pair(Gas::ch4, "ch4vmr"), std::pair(Gas::o2, "o2vmr")}) {
    auto const values = file.read(name);
    for (int c = 0; c < ncol; ++c)
      for (int k = 0; k < nlay; ++k) columns.vmr(c, static_cast<int>(gas), k) = values[c * nlay + k];
  }
  auto const number = [&](char const* name, int c) { return file.read(name)[static_cast<std::size_t>(c)]; };
  columns.solar_band_factors = decltype(columns.solar_band_factors)("factors", ncol, fluxes::nbnd_sw);
  for (int c = 0; c < ncol; ++c) {
    columns.albedo_direct(c, 0) = number("asdir", c);
    columns.albedo_direct(c, 1) = number("aldir", c);
    columns.albedo_diffuse(c, 0) = number("asdif", c);
    columns.albedo_diffuse(c, 1) = number("aldif", c);
    fluxes::SolarOptions sun{.variability = static_cast<fluxes::SolarVariability>(int(number("isolvar", c))),
                             .total_irradiance = number("scon", c),
                             .distance_factor = number("adjes", c),
                             .day_of_year = int(number("dyofyr", c))};
    if (number("has_indsolvar", c) != 0)
      sun.indices = std::array{number("indsolvar", 2 * c), number("indsolvar", 2 * c + 1)};
    sun.cycle_fraction = number("solcycfrac", c);
    if (number("has_bndsolvar", c) != 0) {
      sun.band_factors.emplace();
      for (int b = 0; b < fluxes::nbnd_sw; ++b)
        (*sun.band_factors)[static_cast<std::size_t>(b)] = number("bndsolvar", c * fluxes::nbnd_sw + b);
    }
    auto const source = fluxes::solar_source(sun);
    for (int s = 0; s < fluxes::nsolar; ++s) columns.solar_weights(c, s) = source.weights[static_cast<std::size_t>(s)];
    for (int b = 0; b < fluxes::nbnd_sw; ++b)
      columns.solar_band_factors(c, b) = source.band_factors[static_cast<std::size_t>(b)];
  }
  if (file.exists("tauaer")) {
    fill(columns.aerosol_optical_depth, "tauaer", 1, ncol, nlay, fluxes::nbnd_sw);
    fill(columns.aerosol_single_scattering_albedo, "ssaaer", 1, ncol, nlay, fluxes::nbnd_sw);
    fill(columns.aerosol_asymmetry, "asmaer", 1, ncol, nlay, fluxes::nbnd_sw);
    fill(columns.aerosol_550nm, "ecaer", 1, ncol, nlay, fluxes::naerosol);
    fill(columns.aerosol_input, "iaer", 1, ncol);
  }
  if (!file.exists("cldfmcl")) return input;
  auto& clouds = input.clouds;
  clouds = fluxes::make_shortwave_gpoint_clouds<ShortwaveHost, double>(ncol, nlay, true);
  fill(clouds.fraction_gpt, "cldfmcl");
  fill(clouds.ice_path_gpt, "ciwpmcl", 1e-3);
  fill(clouds.liquid_path_gpt, "clwpmcl", 1e-3);
  fill(clouds.optical_depth_gpt, "taucmcl");
  fill(clouds.single_scattering_albedo_gpt, "ssacmcl");
  fill(clouds.asymmetry_gpt, "asmcmcl");
  fill(clouds.forward_fraction_gpt, "fsfcmcl");
  fill(clouds.ice_size, "reicmcl", 1e-6);
  fill(clouds.liquid_size, "relqmcl", 1e-6);
  fill(clouds.input, "inflgsw");
  fill(clouds.ice_optics, "iceflgsw");
  fill(clouds.liquid_optics, "liqflgsw");
  for (int c = 0; c < ncol; ++c) {
    if (number("icld", c) != 0) continue;
    for (int k = 0; k < nlay; ++k)
      for (int g = 0; g < fluxes::ngpt_sw; ++g) clouds.fraction_gpt(c, k, g) = 0;
  }
  return input;
}

/// A copy of the arrays of a described struct in another memory and precision; members that are no arrays stay as they
/// are in `to`.
template <class From, class To>
void copy_described(From const& from, To& to) {
  To::for_each_array(
      [](ArrayDescription const& /*description*/, auto const& source, auto& target) {
        using Target = std::decay_t<decltype(target)>;
        if (source.size() == 0) return;
        if (target.size() == 0) {
          if constexpr (Target::rank() == 1)
            target = Target("copy", source.extent(0));
          else if constexpr (Target::rank() == 2)
            target = Target("copy", source.extent(0), source.extent(1));
          else
            target = Target("copy", source.extent(0), source.extent(1), source.extent(2));
        }
        auto const here = parhelion::host_copy(source);
        auto const mirror = Kokkos::create_mirror_view(target);
        for (std::size_t i = 0; i < here.size(); ++i)
          mirror.data()[i] = static_cast<typename Target::value_type>(here.data()[i]);
        parhelion::assign_array(target, mirror);
      },
      from, to);
}

/// Fluxes by the solver itself, in host memory.
template <class ExecutionSpace, class Real>
fluxes::HostShortwaveFluxes solve_shortwave(fluxes::ShortwaveCoefficients const& coefficients,
                                            HostShortwaveInput const& host, fluxes::ShortwaveOutputs const& outputs,
                                            fluxes::ShortwaveTuning const& tuning = {},
                                            fluxes::Band28Level band28 = fluxes::Band28Level::from_42) {
  int const ncol = host.columns.ncol();
  int const nlay = host.columns.nlay();
  fluxes::ShortwaveInput<ExecutionSpace, Real> input;
  input.clouds.overlap = host.clouds.overlap;
  input.clouds.seed = host.clouds.seed;
  input.clouds.first_column = host.clouds.first_column;
  copy_described(host, input);
  ExecutionSpace const space;
  fluxes::ShortwaveGasOptics<ExecutionSpace, Real> const model(space, coefficients, band28);
  fluxes::Shortwave solver(space, model, {nlay}, tuning);
  auto const result = fluxes::make_shortwave_fluxes<ExecutionSpace, Real>(ncol, nlay, outputs);
  solver.solve(space, input, result);
  EXPECT_TRUE(solver.status(space).good());
  fluxes::HostShortwaveFluxes fluxes;
  copy_described(result, fluxes);
  return fluxes;
}

}  // namespace parhelion::Testing

#endif
