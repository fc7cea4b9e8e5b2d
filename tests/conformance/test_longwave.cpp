// SPDX-License-Identifier: BSD-3-Clause
#include "../fluxes/synthetic_coefficients.hpp"
#include "../fluxes/synthetic_columns.hpp"
#include "conformance.hpp"

#include <parhelion/core/host_driver.hpp>
#include <parhelion/fluxes/longwave.hpp>

#include <limits>
#include <type_traits>

namespace parhelion::Testing {

template <class Model>
struct ConformanceCase<fluxes::Longwave<Model>> {
  using S = fluxes::Longwave<Model>;
  using Space = typename S::execution_space;
  using Real = typename S::value_type;
  static constexpr bool is_rrtmg = std::is_same_v<Model, fluxes::GasOptics<Space, Real>>;
  static constexpr int ncol = 5, nlay = 8;

  static Model model(Space const& space) {
    if constexpr (is_rrtmg)
      return Model(space, synthetic_coefficients());
    else
      return Model(space);
  }
  static fluxes::LongwaveCapacity capacity() { return {nlay}; }
  static fluxes::LongwaveTuning tuning() { return {}; }

  static typename S::input_type input(Space const& space) {
    typename S::input_type input(
        make_device_arrays<fluxes::Columns<Space, Real>>(space, synthetic_columns(ncol, nlay, fluxes::nbnd)));
    if constexpr (is_rrtmg) {
      auto const clouds = synthetic_clouds(ncol, nlay);
      input.clouds = make_device_arrays<fluxes::Clouds<Space, Real>>(space, clouds);
      input.clouds.overlap = clouds.overlap;
      input.clouds.seed = 7;
    }
    return input;
  }
  static typename S::result_type result(Space const&) {
    return fluxes::make_fluxes<Space, Real>(ncol, nlay, {.clear = true, .derivative = is_rrtmg, .bands = is_rrtmg});
  }
  static void spoil(Space const& space, typename S::input_type& input, int item) {
    Kokkos::deep_copy(space, Kokkos::subview(input.columns.temperature_sfc, item),
                      std::numeric_limits<Real>::quiet_NaN());
    space.fence();
  }
};

}  // namespace parhelion::Testing

namespace parhelion::Testing {
namespace {

template <class Space, class Real>
using LongwaveOfRrtmg = fluxes::Longwave<fluxes::GasOptics<Space, Real>>;
template <class Space, class Real>
using LongwaveOfSimpleModel = fluxes::Longwave<fluxes::SimpleSpectral<Space, Real>>;

using OfRrtmg = SolversOf<LongwaveOfRrtmg>::type;
using OfSimpleModel = SolversOf<LongwaveOfSimpleModel>::type;

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(LongwaveRrtmg, Conformance, OfRrtmg, SolverName);
INSTANTIATE_TYPED_TEST_SUITE_P(LongwaveSimple, Conformance, OfSimpleModel, SolverName);

}  // namespace parhelion::Testing
