// SPDX-License-Identifier: BSD-3-Clause

#include "rrtmg_lw.h"

#include "rrtmg/drop_in.hpp"

#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

namespace {

using namespace parhelion::drop_in;
using parhelion::fluxes::nbnd;

/// What is particular to the drop-in for RRTMG_LW.
struct Longwave {
  using Solver = parhelion_longwave;
  using Options = parhelion_longwave_options;

  static constexpr char const* name = "rrtmg_lw";
  static constexpr char const* variables = "PARHELION_RRTMG_LW_";
  static constexpr int ngpt = parhelion::fluxes::ngpt;

  enum Feature : unsigned { clouds = 1, cloud_optical_depth = 2, derivative = 4, bands = 8 };
  enum Memory : std::size_t { fraction, optical_depth, flux_up_band, flux_dn_band };

  static Options options(Needs const& needs) {
    Options options{};
    options.clouds = needs.has(clouds) ? PARHELION_CLOUDS_OF_GPOINTS : PARHELION_CLOUDS_NONE;
    options.cloud_optical_depth = needs.has(cloud_optical_depth);
    options.aerosol = 1;
    options.derivative = needs.has(derivative);
    options.bands = needs.has(bands);
    return options;
  }
  static int create(Options const* options, Solver** solver) { return parhelion_longwave_create(options, solver); }
  static int counts(Solver const* solver, char* text, size_t size, int64_t* count) {
    return parhelion_longwave_counts(solver, text, size, count);
  }
  static int destroy(Solver* solver) { return parhelion_longwave_destroy(solver); }
  static std::vector<int> const& band_of_gpoint() {
    static std::vector<int> const bands = bands_of_gpoints(parhelion::fluxes::bands());
    return bands;
  }
};

/// Makes clouds of g-points of clouds of layers.
template <class Real>
void set_layer_clouds(parhelion_rrtmg_lw_call const& call, Worker<Longwave>& worker, parhelion_longwave_input& input) {
  constexpr double least_water = 1e-20;  // [g m-2], of optical depth too; RRTMG_LW neglects what is less
  Entries<Real const> const ice(call.ice_path);
  Entries<Real const> const liquid(call.liquid_path);
  Entries<Real const> const optical_depth(call.optical_depth);
  bool const of_optical_depth = call.inflglw == 0;
  auto const has_water = [&](std::int64_t column, std::int64_t layer) {
    if (!of_optical_depth) return double(ice(column, layer)) + double(liquid(column, layer)) >= least_water;
    for (int band = 0; band < nbnd; ++band) {
      if (double(optical_depth(column, layer, band)) >= least_water) return true;
    }
    return false;
  };
  input.fraction_gpt = fractions_of_gpoints<Longwave, Real>(call.fraction, call.play, call.icld, has_water, worker);
  input.ice_path_gpt = for_all_gpoints(call.ice_path, Longwave::ngpt);
  input.liquid_path_gpt = for_all_gpoints(call.liquid_path, Longwave::ngpt);
  if (of_optical_depth)
    input.optical_depth_gpt = of_gpoints<Longwave, Real>(call.optical_depth, worker, Longwave::optical_depth);
}

void solve(parhelion_rrtmg_lw_call const& call, parhelion_longwave_input& input, parhelion_longwave_output& output) {
  require_initialized<Longwave>();
  auto const ncol = input.pressure_lay.extent[0];
  auto const nlay = input.pressure_lay.extent[1];
  Needs needs;
  needs.ncol = ncol;
  needs.nlay = nlay;
  bool const cloudy = call.icld != 0;
  bool const of_optical_depth = cloudy && call.inflglw == 0;
  bool const of_bands = call.olr_sr.data != nullptr;
  if (cloudy) needs.features |= Longwave::clouds;
  if (of_optical_depth) needs.features |= Longwave::cloud_optical_depth;
  if (output.dflux_up_dt.data != nullptr) needs.features |= Longwave::derivative;
  if (of_bands) needs.features |= Longwave::bands;
  auto& own = Worker<Longwave>::get();
  parhelion_longwave* const longwave = own.solver(needs);

  std::int32_t cloud_input = call.inflglw;
  std::int32_t ice_optics = call.iceflglw;
  std::int32_t liquid_optics = call.liqflglw;
  if (cloudy) {
    if (call.mcica == 0) {
      for_type_of(call.fraction, "cldfr", [&](auto zero) { set_layer_clouds<decltype(zero)>(call, own, input); });
    }
    if (!of_optical_depth) input.optical_depth_gpt = parhelion_array{};
    input.cloud_input = integer(cloud_input);
    input.ice_optics = integer(ice_optics);
    input.liquid_optics = integer(liquid_optics);
  }
  input.pressure_factor = 100;        // hPa
  input.path_factor = 1e-3;           // g m-2
  input.particle_size_factor = 1e-6;  // um
  if (of_bands) {
    for_type_of(call.olr_sr, "olr_sr", [&](auto zero) {
      using Real = decltype(zero);
      auto const size = static_cast<std::size_t>(ncol * (nlay + 1) * nbnd);
      auto const of_memory = [&](Longwave::Memory which) {
        return own_array(own.memory<Real>(which, size), call.olr_sr.type, ncol, nlay + 1, nbnd);
      };
      output.flux_up_band = of_memory(Longwave::flux_up_band);
      output.flux_dn_band = of_memory(Longwave::flux_dn_band);
    });
  }
  check(parhelion_longwave_solve(longwave, &input, &output, nullptr));
  if (of_bands) {
    for_type_of(call.olr_sr, "olr_sr", [&](auto zero) {
      using Real = decltype(zero);
      Entries<Real> const result(call.olr_sr);
      Entries<Real const> const up(output.flux_up_band);
      for (int band = 0; band < nbnd; ++band) {
        for (std::int64_t column = 0; column < ncol; ++column) result(column, band) = up(column, nlay, band);
      }
    });
  }
}

}  // namespace

int parhelion_rrtmg_lw_initialize(double heat_capacity, double gravity, int32_t precision) {
  return guarded([&] { initialize<Longwave>(heat_capacity, gravity, precision); });
}

int parhelion_rrtmg_lw_solve(const parhelion_rrtmg_lw_call* call, parhelion_longwave_input* input,
                             parhelion_longwave_output* output) {
  return guarded([&] { solve(*call, *input, *output); });
}

int parhelion_rrtmg_lw_subcolumns(int32_t overlap, int32_t seed, const parhelion_array* pressure_lay,
                                  const parhelion_array* fraction, const parhelion_array* ice_path,
                                  const parhelion_array* liquid_path, const parhelion_array* optical_depth,
                                  const parhelion_array* alpha, const parhelion_array* fraction_gpt,
                                  const parhelion_array* ice_path_gpt, const parhelion_array* liquid_path_gpt,
                                  const parhelion_array* optical_depth_gpt) {
  return guarded([&] {
    check_overlap("mcica_subcol_lw", overlap, *alpha);
    for_type_of(*fraction, "cldfrac", [&](auto zero) {
      using Real = decltype(zero);
      Entries<Real const> const ice(*ice_path);
      Entries<Real const> const liquid(*liquid_path);
      Entries<Real const> const depth(*optical_depth);
      Entries<Real> const fraction_result(*fraction_gpt);
      Entries<Real> const ice_result(*ice_path_gpt);
      Entries<Real> const liquid_result(*liquid_path_gpt);
      Entries<Real> const depth_result(*optical_depth_gpt);
      auto const& band = Longwave::band_of_gpoint();
      draw(static_cast<parhelion::fluxes::Overlap>(overlap), seed, fraction->extent[0], fraction->extent[1],
           Longwave::ngpt, Entries<Real const>(*pressure_lay), Entries<Real const>(*fraction),
           Entries<Real const>(*alpha), [&](std::int64_t column, std::int64_t layer, int gpoint, bool cloudy) {
             fraction_result(column, layer, gpoint) = cloudy ? 1 : 0;
             ice_result(column, layer, gpoint) = cloudy ? ice(column, layer) : 0;
             liquid_result(column, layer, gpoint) = cloudy ? liquid(column, layer) : 0;
             depth_result(column, layer, gpoint) = cloudy ? depth(column, layer, band[gpoint]) : 0;
           });
    });
  });
}
