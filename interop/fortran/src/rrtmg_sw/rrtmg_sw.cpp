// SPDX-License-Identifier: BSD-3-Clause

#include "rrtmg_sw.h"

#include "rrtmg/drop_in.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/rrtmg_sw/bands.hpp>
#include <parhelion/fluxes/sun.hpp>

namespace {

using namespace parhelion::drop_in;
using namespace parhelion::fluxes;

/// What is particular to the drop-in for RRTMG_SW.
struct Shortwave {
  using Solver = parhelion_shortwave;
  using Options = parhelion_shortwave_options;

  static constexpr char const* name = "rrtmg_sw";
  static constexpr char const* variables = "PARHELION_RRTMG_SW_";
  static constexpr int ngpt = ngpt_sw;

  enum Feature : unsigned { clouds = 1, cloud_optical_properties = 2, aerosol_optical = 4, aerosol_types = 8 };
  enum Memory : std::size_t {
    fraction,
    optical_depth,
    albedo,
    asymmetry,
    forward_fraction,
    albedo_direct,
    albedo_diffuse,
    solar_weights,
    solar_band_factors,
    flux_dn_direct,
    flux_dn_direct_clear
  };

  static Options options(Needs const& needs) {
    Options options{};
    options.clouds = needs.has(clouds) ? PARHELION_CLOUDS_OF_GPOINTS : PARHELION_CLOUDS_NONE;
    options.cloud_optical_properties = needs.has(cloud_optical_properties);
    options.aerosol_optical = needs.has(aerosol_optical);
    options.aerosol_types = needs.has(aerosol_types);
    return options;
  }
  static int create(Options const* options, Solver** solver) { return parhelion_shortwave_create(options, solver); }
  static int counts(Solver const* solver, char* text, size_t size, int64_t* count) {
    return parhelion_shortwave_counts(solver, text, size, count);
  }
  static int destroy(Solver* solver) { return parhelion_shortwave_destroy(solver); }
  static std::vector<int> const& band_of_gpoint() {
    static std::vector<int> const bands = bands_of_gpoints(shortwave_bands());
    return bands;
  }
};

using ShortwaveWorker = Worker<Shortwave>;

/// The sun of a call, without its distance where adjes gives that. What isolvar does not use is not looked at.
SolarSource sun_of(parhelion_rrtmg_sw_call const& call) {
  SolarOptions sun;
  int const least = static_cast<int>(SolarVariability::kurucz_unscaled);
  if (call.isolvar > static_cast<int>(SolarVariability::scaled_bands))
    throw Failure{PARHELION_ERROR_ARGUMENT, fmt::format("rrtmg_sw: isolvar = {}, expected -1 to 3", call.isolvar)};
  sun.variability = static_cast<SolarVariability>(std::max(call.isolvar, least));
  sun.total_irradiance = call.scon;
  sun.day_of_year = std::max(call.dyofyr, 0);
  bool const of_cycle = sun.variability == SolarVariability::cycle;
  if (call.has_indsolvar != 0 && (of_cycle || sun.variability == SolarVariability::indices))
    sun.indices = {call.indsolvar[0], call.indsolvar[1]};
  if (call.has_solcycfrac != 0 && of_cycle) {
    // Beyond the cycle its first or last month counts, and no amplitudes.
    sun.cycle_fraction = std::clamp(call.solcycfrac, 0., 1.);
    if (sun.cycle_fraction != call.solcycfrac && sun.indices) sun.indices = {1., 1.};
  }
  if (call.has_bndsolvar != 0 &&
      (sun.variability == SolarVariability::kurucz || sun.variability == SolarVariability::scaled_bands)) {
    sun.band_factors.emplace();
    std::copy_n(call.bndsolvar, sun.band_factors->size(), sun.band_factors->begin());
  }
  try {
    return solar_source(sun, "rrtmg_sw");
  } catch (parhelion::Error const& error) {
    throw Failure{PARHELION_ERROR_VALUE, error.what()};
  }
}

template <class Real>
void set_sun(parhelion_rrtmg_sw_call const& call, ShortwaveWorker& worker, parhelion_shortwave_input& input) {
  auto const source = sun_of(call);
  // By the day of the year the distance is known, and adjes does not count.
  auto const count = call.dyofyr > 0 ? 1 : call.adjes.extent[0];
  auto const type = input.pressure_lay.type;
  Entries<Real const> const adjes(call.adjes);
  Real* const weights = worker.memory<Real>(Shortwave::solar_weights, static_cast<std::size_t>(count) * nsolar);
  for (std::int64_t column = 0; column < count; ++column) {
    double const factor = call.dyofyr > 0 ? 1 : double(adjes(column));
    if (!(factor >= 0))
      throw Failure{PARHELION_ERROR_VALUE, fmt::format("rrtmg_sw: adjes({}) = {}, expected >= 0", column + 1, factor)};
    for (int spectrum = 0; spectrum < nsolar; ++spectrum)
      weights[spectrum * count + column] =
          static_cast<Real>(source.weights[static_cast<std::size_t>(spectrum)] * factor);
  }
  input.solar_weights = own_array(weights, type, count, nsolar);
  Real* const factors = worker.memory<Real>(Shortwave::solar_band_factors, nbnd_sw);
  for (std::size_t band = 0; band < nbnd_sw; ++band) factors[band] = static_cast<Real>(source.band_factors[band]);
  input.solar_band_factors = own_array(factors, type, 1, nbnd_sw);
}

/// Albedos from 16000 cm-1 up, and below.
template <class Real>
parhelion_array albedos(parhelion_array const& visible, parhelion_array const& infrared, ShortwaveWorker& worker,
                        Shortwave::Memory which) {
  auto const ncol = visible.extent[0];
  Real* const values = worker.memory<Real>(which, static_cast<std::size_t>(2 * ncol));
  Entries<Real const> const high(visible);
  Entries<Real const> const low(infrared);
  for (std::int64_t column = 0; column < ncol; ++column) {
    values[column] = high(column);
    values[ncol + column] = low(column);
  }
  return own_array(values, visible.type, ncol, 2);
}

/// Makes clouds of g-points of clouds of layers.
template <class Real>
void set_layer_clouds(parhelion_rrtmg_sw_call const& call, ShortwaveWorker& worker, parhelion_shortwave_input& input) {
  constexpr double least_water = 1e-20;  // [g m-2], of optical depth too; RRTMG_SW neglects what is less
  Entries<Real const> const ice(call.ice_path);
  Entries<Real const> const liquid(call.liquid_path);
  Entries<Real const> const optical_depth(call.optical_depth);
  bool const of_optics = call.inflgsw == 0;
  auto const has_water = [&](std::int64_t column, std::int64_t layer) {
    if (!of_optics) return double(ice(column, layer)) + double(liquid(column, layer)) >= least_water;
    for (int band = 0; band < nbnd_sw; ++band) {
      if (double(optical_depth(column, layer, band)) >= least_water) return true;
    }
    return false;
  };
  input.fraction_gpt =
      fractions_of_gpoints<Shortwave, Real>(call.fraction, input.pressure_lay, call.icld, has_water, worker);
  input.ice_path_gpt = for_all_gpoints(call.ice_path, Shortwave::ngpt);
  input.liquid_path_gpt = for_all_gpoints(call.liquid_path, Shortwave::ngpt);
  if (!of_optics) return;
  input.optical_depth_gpt = of_gpoints<Shortwave, Real>(call.optical_depth, worker, Shortwave::optical_depth);
  input.single_scattering_albedo_gpt = of_gpoints<Shortwave, Real>(call.albedo, worker, Shortwave::albedo);
  input.asymmetry_gpt = of_gpoints<Shortwave, Real>(call.asymmetry, worker, Shortwave::asymmetry);
  input.forward_fraction_gpt = of_gpoints<Shortwave, Real>(call.forward_fraction, worker, Shortwave::forward_fraction);
}

/// \brief A flag of the optics of ice or droplets.
///
/// There are none with the number 0, which the original takes where there is no such water, and so does this.
/// \param given     the caller's
/// \param otherwise what stands for 0
/// \param path      of the water, (column, layer, g-point)
template <class Real>
std::int32_t optics_flag(std::int32_t given, std::int32_t otherwise, parhelion_array const& path) {
  if (given != 0) return given;
  Entries<Real const> const paths(path);
  for (std::int64_t layer = 0; layer < path.extent[1]; ++layer) {
    for (std::int64_t column = 0; column < path.extent[0]; ++column) {
      for (std::int64_t gpoint = 0; gpoint < path.extent[2]; ++gpoint) {
        if (paths(column, layer, gpoint) > 0) return given;
      }
    }
  }
  return otherwise;
}

void solve(parhelion_rrtmg_sw_call const& call, parhelion_shortwave_input& input, parhelion_shortwave_output& output) {
  require_initialized<Shortwave>();
  auto const ncol = input.pressure_lay.extent[0];
  auto const nlay = input.pressure_lay.extent[1];
  Needs needs;
  needs.ncol = ncol;
  needs.nlay = nlay;
  bool const cloudy = call.icld != 0;
  bool const of_optics = cloudy && call.inflgsw == 0;
  if (cloudy) needs.features |= Shortwave::clouds;
  if (of_optics) needs.features |= Shortwave::cloud_optical_properties;
  if (call.iaer == PARHELION_AEROSOL_OPTICAL) needs.features |= Shortwave::aerosol_optical;
  if (call.iaer == PARHELION_AEROSOL_TYPES) needs.features |= Shortwave::aerosol_types;
  auto& own = ShortwaveWorker::get();
  parhelion_shortwave* const shortwave = own.solver(needs);

  std::int32_t cloud_input = call.inflgsw;
  std::int32_t ice_optics = call.iceflgsw;
  std::int32_t liquid_optics = call.liqflgsw;
  for_type_of(input.pressure_lay, "play", [&](auto zero) {
    using Real = decltype(zero);
    set_sun<Real>(call, own, input);
    input.albedo_direct = albedos<Real>(call.asdir, call.aldir, own, Shortwave::albedo_direct);
    input.albedo_diffuse = albedos<Real>(call.asdif, call.aldif, own, Shortwave::albedo_diffuse);
    if (cloudy && call.mcica == 0) set_layer_clouds<Real>(call, own, input);
    if (cloudy && !of_optics) {
      ice_optics = optics_flag<Real>(call.iceflgsw, 3, input.ice_path_gpt);
      liquid_optics = optics_flag<Real>(call.liqflgsw, 1, input.liquid_path_gpt);
    }
    // Few ask for the direct beam.
    auto const size = static_cast<std::size_t>(ncol * (nlay + 1));
    auto const not_asked_for = [&](Shortwave::Memory which) {
      return own_array(own.memory<Real>(which, size), input.pressure_lay.type, ncol, nlay + 1);
    };
    if (output.flux_dn_direct.data == nullptr) output.flux_dn_direct = not_asked_for(Shortwave::flux_dn_direct);
    output.flux_dn_direct_clear = not_asked_for(Shortwave::flux_dn_direct_clear);
  });
  if (cloudy) {
    input.cloud_input = integer(cloud_input);
    // Of the optics of ice and droplets on one side, and the optical properties on the other, one is not looked at.
    if (!of_optics) {
      input.ice_optics = integer(ice_optics);
      input.liquid_optics = integer(liquid_optics);
      input.optical_depth_gpt = input.single_scattering_albedo_gpt = parhelion_array{};
      input.asymmetry_gpt = input.forward_fraction_gpt = parhelion_array{};
    }
  }
  input.pressure_factor = 100;        // hPa
  input.path_factor = 1e-3;           // g m-2
  input.particle_size_factor = 1e-6;  // um
  check(parhelion_shortwave_solve(shortwave, &input, &output, nullptr));
}

}  // namespace

int parhelion_rrtmg_sw_initialize(double heat_capacity, double gravity, int32_t precision) {
  return guarded([&] { initialize<Shortwave>(heat_capacity, gravity, precision); });
}

int parhelion_rrtmg_sw_solve(const parhelion_rrtmg_sw_call* call, parhelion_shortwave_input* input,
                             parhelion_shortwave_output* output) {
  return guarded([&] { solve(*call, *input, *output); });
}

int parhelion_rrtmg_sw_subcolumns(int32_t overlap, int32_t seed, const parhelion_array* pressure_lay,
                                  const parhelion_rrtmg_sw_clouds* layers, const parhelion_array* alpha,
                                  const parhelion_rrtmg_sw_clouds* gpoints) {
  return guarded([&] {
    check_overlap("mcica_subcol_sw", overlap, *alpha);
    for_type_of(layers->fraction, "cldfrac", [&](auto zero) {
      using Real = decltype(zero);
      /// A property of layers, or of bands, and what it is in a clear g-point.
      struct Property {
        Entries<Real const> from;
        Entries<Real> to;
        bool of_bands;
        Real clear;
      };
      std::array<Property, 6> const properties{
          Property{Entries<Real const>(layers->ice_path), Entries<Real>(gpoints->ice_path), false, 0},
          Property{Entries<Real const>(layers->liquid_path), Entries<Real>(gpoints->liquid_path), false, 0},
          Property{Entries<Real const>(layers->optical_depth), Entries<Real>(gpoints->optical_depth), true, 0},
          Property{Entries<Real const>(layers->albedo), Entries<Real>(gpoints->albedo), true, 1},
          Property{Entries<Real const>(layers->asymmetry), Entries<Real>(gpoints->asymmetry), true, 0},
          Property{Entries<Real const>(layers->forward_fraction), Entries<Real>(gpoints->forward_fraction), true, 0}};
      Entries<Real const> const fraction(layers->fraction);
      Entries<Real> const fraction_result(gpoints->fraction);
      auto const& band = Shortwave::band_of_gpoint();
      draw(static_cast<Overlap>(overlap), seed, layers->fraction.extent[0], layers->fraction.extent[1], Shortwave::ngpt,
           Entries<Real const>(*pressure_lay), fraction, Entries<Real const>(*alpha),
           [&](std::int64_t column, std::int64_t layer, int gpoint, bool cloudy) {
             fraction_result(column, layer, gpoint) = cloudy ? 1 : 0;
             for (auto const& property : properties)
               property.to(column, layer, gpoint) =
                   cloudy ? property.from(column, layer, property.of_bands ? band[gpoint] : 0) : property.clear;
           });
    });
  });
}
