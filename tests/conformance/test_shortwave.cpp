// SPDX-License-Identifier: BSD-3-Clause
#include "../fluxes/ecckd_definitions.hpp"
#include "../fluxes/synthetic_k_distribution.hpp"
#include "../fluxes/synthetic_shortwave.hpp"
#include "../fluxes/synthetic_shortwave_coefficients.hpp"
#include "conformance.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>
#include <parhelion/fluxes/shortwave.hpp>

#include <limits>
#include <type_traits>

namespace parhelion::Testing {

template <class Model>
struct ConformanceCase<fluxes::Shortwave<Model>> {
  using S = fluxes::Shortwave<Model>;
  using Space = typename S::execution_space;
  using Real = typename S::value_type;
  static constexpr bool is_ecckd = std::is_same_v<Model, fluxes::ecckd::Shortwave<Space, Real>>;
  static constexpr bool is_rrtmgp = std::is_same_v<Model, fluxes::rrtmgp::Shortwave<Space, Real>>;
  static constexpr bool of_file = is_ecckd || is_rrtmgp;
  static constexpr int ncol = 5, nlay = 8;

  static Model model(Space const& space) {
    if constexpr (is_ecckd)
      return Model(space, made_up_definition(false));
    else if constexpr (is_rrtmgp)
      return Model(space, synthetic_k_distribution(false), fluxes::GasSet::all());
    else
      return Model(space, synthetic_shortwave_coefficients());
  }
  static fluxes::ModelSizes sizes() {
    if constexpr (of_file) return model(Space()).sizes();
    return fluxes::rrtmg_sw_sizes;
  }
  static fluxes::ShortwaveCapacity capacity() {
    if constexpr (is_ecckd) return {.nlay = nlay, .gpoints = {19}, .nband = 2};
    if constexpr (is_rrtmgp) return {.nlay = nlay, .gpoints = {3, 17, 1, 9, 6}, .nband = 5};
    return {nlay};
  }
  static fluxes::ShortwaveTuning tuning() { return {}; }

  static typename S::input_type input(Space const& space) {
    auto columns = synthetic_shortwave_columns(ncol, nlay, 2);
    columns.temperature_lev = synthetic_columns(ncol, nlay, 1).temperature_lev;
    if constexpr (of_file) {
      HostArray<double***> const vmr("parhelion::test::vmr", ncol, fluxes::ngas_all, nlay);
      parhelion::assign_array(vmr, 1e-6);
      columns.vmr = vmr;
      return {make_device_arrays<fluxes::ShortwaveColumns<Space, Real>>(space, columns)};
    }
    add_synthetic_aerosol(columns);
    columns.solar_band_factors =
        decltype(columns.solar_band_factors)("parhelion::test::factors", ncol, fluxes::nbnd_sw);
    parhelion::assign_array(columns.solar_band_factors, 1.0);
    auto const clouds = synthetic_shortwave_clouds(ncol, nlay);
    typename S::input_type input(make_device_arrays<fluxes::ShortwaveColumns<Space, Real>>(space, columns),
                                 make_device_arrays<fluxes::ShortwaveClouds<Space, Real>>(space, clouds));
    input.clouds.overlap = fluxes::Overlap::exponential;
    input.clouds.seed = 7;
    return input;
  }
  static typename S::result_type result(Space const&) {
    return fluxes::make_shortwave_fluxes<Space, Real>(ncol, nlay, {.clear = true, .parts = true, .bands = true},
                                                      sizes());
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
template <class Space, class Real>
using ShortwaveOfEcckd = fluxes::Shortwave<fluxes::ecckd::Shortwave<Space, Real>>;
template <class Space, class Real>
using ShortwaveOfRrtmgp = fluxes::Shortwave<fluxes::rrtmgp::Shortwave<Space, Real>>;
using OfShortwave = SolversOf<ShortwaveOfRrtmg>::type;
using OfEcckd = SolversOf<ShortwaveOfEcckd>::type;
using OfRrtmgp = SolversOf<ShortwaveOfRrtmgp>::type;

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Shortwave, Conformance, OfShortwave, SolverName);
INSTANTIATE_TYPED_TEST_SUITE_P(ShortwaveEcckd, Conformance, OfEcckd, SolverName);
INSTANTIATE_TYPED_TEST_SUITE_P(ShortwaveRrtmgp, Conformance, OfRrtmgp, SolverName);

}  // namespace parhelion::Testing
