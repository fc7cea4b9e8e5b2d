// SPDX-License-Identifier: BSD-3-Clause
#include "../fluxes/synthetic_shortwave.hpp"
#include "../fluxes/synthetic_shortwave_coefficients.hpp"
#include "conformance.hpp"

#include <parhelion/core/host_driver.hpp>
#include <parhelion/fluxes/shortwave.hpp>

#include <limits>

namespace parhelion::Testing {

template <class Model>
struct ConformanceCase<fluxes::Shortwave<Model>> {
  using S = fluxes::Shortwave<Model>;
  using Space = typename S::execution_space;
  using Real = typename S::value_type;
  static constexpr int ncol = 5, nlay = 8;

  static Model model(Space const& space) { return Model(space, synthetic_shortwave_coefficients()); }
  static fluxes::ShortwaveCapacity capacity() { return {nlay}; }
  static fluxes::ShortwaveTuning tuning() { return {}; }

  static typename S::input_type input(Space const& space) {
    auto columns = synthetic_shortwave_columns(ncol, nlay, 2);
    add_synthetic_aerosol(columns);
    columns.temperature_lev = synthetic_columns(ncol, nlay, 1).temperature_lev;
    columns.solar_band_factors =
        decltype(columns.solar_band_factors)("parhelion::test::factors", ncol, fluxes::nbnd_sw);
    Kokkos::deep_copy(columns.solar_band_factors, 1.0);
    auto const clouds = synthetic_shortwave_clouds(ncol, nlay);
    typename S::input_type input(make_device_arrays<fluxes::ShortwaveColumns<Space, Real>>(space, columns),
                                 make_device_arrays<fluxes::ShortwaveClouds<Space, Real>>(space, clouds));
    input.clouds.overlap = fluxes::Overlap::exponential;
    input.clouds.seed = 7;
    return input;
  }
  static typename S::result_type result(Space const&) {
    return fluxes::make_shortwave_fluxes<Space, Real>(ncol, nlay, {.clear = true, .parts = true, .bands = true});
  }
  static void spoil(Space const& space, typename S::input_type& input, int item) {
    Kokkos::deep_copy(space, Kokkos::subview(input.columns.albedo_diffuse, item, Kokkos::ALL),
                      std::numeric_limits<Real>::quiet_NaN());
    space.fence();
  }
};

}  // namespace parhelion::Testing

namespace parhelion::Testing {
namespace {

template <class Space, class Real>
using ShortwaveOfRrtmg = fluxes::Shortwave<fluxes::ShortwaveGasOptics<Space, Real>>;
using OfShortwave = SolversOf<ShortwaveOfRrtmg>::type;

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Shortwave, Conformance, OfShortwave, SolverName);

}  // namespace parhelion::Testing
