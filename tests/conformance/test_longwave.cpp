// SPDX-License-Identifier: BSD-3-Clause
#include "../fluxes/ecckd_definitions.hpp"
#include "../fluxes/synthetic_coefficients.hpp"
#include "../fluxes/synthetic_columns.hpp"
#include "../fluxes/synthetic_k_distribution.hpp"
#include "conformance.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>

#include <limits>
#include <type_traits>

namespace parhelion::Testing {

template <class Model>
struct ConformanceCase<fluxes::Longwave<Model>> {
  using S = fluxes::Longwave<Model>;
  using Space = typename S::execution_space;
  using Real = typename S::value_type;
  static constexpr bool is_rrtmg = std::is_same_v<Model, fluxes::GasOptics<Space, Real>>;
  static constexpr bool is_ecckd = std::is_same_v<Model, fluxes::ecckd::Longwave<Space, Real>>;
  static constexpr bool is_rrtmgp = std::is_same_v<Model, fluxes::rrtmgp::Longwave<Space, Real>>;
  static constexpr bool of_file = is_ecckd || is_rrtmgp;
  static constexpr int ncol = 5, nlay = 8;

  static Model model(Space const& space) {
    if constexpr (is_rrtmg)
      return Model(space, synthetic_coefficients());
    else if constexpr (is_ecckd)
      return Model(space, made_up_definition(true));
    else if constexpr (is_rrtmgp)
      return Model(space, synthetic_k_distribution(true), fluxes::GasSet::all(), {2});
    else
      return Model(space);
  }
  static fluxes::ModelSizes sizes() {
    if constexpr (of_file) return model(Space()).sizes();
    return fluxes::rrtmg_sizes;
  }
  static fluxes::LongwaveCapacity capacity() {
    if constexpr (is_ecckd) return {.nlay = nlay, .gpoints = {19}, .nband = 2};
    if constexpr (is_rrtmgp) return {.nlay = nlay, .gpoints = {3, 17, 1, 9, 6}, .nband = 5, .angles = 2};
    return {nlay};
  }
  static fluxes::LongwaveTuning tuning() { return {}; }

  static typename S::input_type input(Space const& space) {
    auto columns = synthetic_columns(ncol, nlay, sizes().nband);
    if constexpr (of_file) {
      HostArray<double***> const vmr("parhelion::test::vmr", ncol, fluxes::ngas_all, nlay);
      parhelion::assign_array(vmr, 1e-6);
      columns.vmr = vmr;
    }
    typename S::input_type input(make_device_arrays<fluxes::Columns<Space, Real>>(space, columns));
    if constexpr (is_rrtmg) {
      auto const clouds = synthetic_clouds(ncol, nlay);
      input.clouds = make_device_arrays<fluxes::Clouds<Space, Real>>(space, clouds);
      input.clouds.overlap = clouds.overlap;
      input.clouds.seed = 7;
    }
    return input;
  }
  static typename S::result_type result(Space const&) {
    constexpr bool all = is_rrtmg || of_file;
    return fluxes::make_fluxes<Space, Real>(
        ncol, nlay, {.clear = true, .derivative = all, .bands = all, .share = of_file}, sizes());
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
template <class Space, class Real>
using LongwaveOfEcckd = fluxes::Longwave<fluxes::ecckd::Longwave<Space, Real>>;
template <class Space, class Real>
using LongwaveOfRrtmgp = fluxes::Longwave<fluxes::rrtmgp::Longwave<Space, Real>>;

using OfRrtmg = SolversOf<LongwaveOfRrtmg>::type;
using OfSimpleModel = SolversOf<LongwaveOfSimpleModel>::type;
using OfEcckd = SolversOf<LongwaveOfEcckd>::type;
using OfRrtmgp = SolversOf<LongwaveOfRrtmgp>::type;

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(LongwaveRrtmg, Conformance, OfRrtmg, SolverName);
INSTANTIATE_TYPED_TEST_SUITE_P(LongwaveSimple, Conformance, OfSimpleModel, SolverName);
INSTANTIATE_TYPED_TEST_SUITE_P(LongwaveEcckd, Conformance, OfEcckd, SolverName);
INSTANTIATE_TYPED_TEST_SUITE_P(LongwaveRrtmgp, Conformance, OfRrtmgp, SolverName);

}  // namespace parhelion::Testing
