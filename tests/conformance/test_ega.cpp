// SPDX-License-Identifier: BSD-3-Clause
#include "../ega/synthetic_problem.hpp"
#include "conformance.hpp"

#include <parhelion/core/host_driver.hpp>
#include <parhelion/ega/derivatives.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <limits>
#include <type_traits>

namespace parhelion::Testing {

/// \brief Limb and nadir rays through an atmosphere with a cloud over a grey surface, two batches of them.
/// \tparam Model ForwardModel or AdjointModel
template <class Model>
struct EgaConformanceCase {
  using Space = typename Model::execution_space;
  using Real = typename Model::value_type;
  static constexpr int ngas = 2, nchannel = 9;

  static ega::Problem problem() {
    auto problem = small_problem(ngas, nchannel);
    problem.channels.cloud_wavenumber = {700, 760};
    problem.channels.surface_wavenumber = {700, 730, 760};
    return problem;
  }
  static ega::HostAtmosphere atmosphere() {
    auto a = small_atmosphere(problem().gases);
    a.cloud_height = HostArray<double*>("parhelion::Testing::cloud", 1);
    a.cloud_depth = HostArray<double*>("parhelion::Testing::cloud", 1);
    a.cloud_extinction = HostArray<double**>("parhelion::Testing::cloud", 1, 2);
    a.cloud_height(0) = 9e3;
    a.cloud_depth(0) = 1e3;
    a.cloud_extinction(0, 0) = a.cloud_extinction(0, 1) = 1e-6;
    for (auto* array : {&a.surface_altitude, &a.surface_pressure, &a.surface_temperature})
      *array = HostArray<double*>("parhelion::Testing::surface", 1);
    a.surface_emissivity = HostArray<double**>("parhelion::Testing::surface", 1, 3);
    for (int i = 0; i < 3; ++i) a.surface_emissivity(0, i) = 0.9;
    return a;
  }
  static ega::HostObservation rays() {
    auto rays = joined({limb_rays({9e3, 21e3}), nadir_rays({0, 5})});
    rays.profile = HostArray<int*>("parhelion::Testing::profile", rays.nray());
    return rays;
  }

  static typename Model::model_type model(Space const& space) {
    return ega::make_model<Space, Real>(space, problem(), 0, nchannel);
  }
  static ega::ForwardCapacity capacity() {
    auto const a = atmosphere();
    return {.nray = rays().nray(),
            .ngas = ngas,
            .nchannel = nchannel,
            .npoint = ega::max_points(problem().options, a),
            .nprofile = 1,
            .nlev = a.nlev()};
  }
  static typename Model::tuning_type tuning() {
    typename Model::tuning_type tuning;
    tuning.batch = 3;
    return tuning;
  }
  static typename Model::input_type input(Space const& space) {
    return {make_device_arrays<ega::Atmosphere<Space>>(space, atmosphere()),
            make_device_arrays<ega::Observation<Space>>(space, rays())};
  }
  static void spoil(Space const& space, typename Model::input_type& input, int item) {
    auto const good = input.observation.observer.latitude;
    typename decltype(input.observation.observer.latitude)::non_const_type const latitude(
        "parhelion::Testing::latitude", good.extent(0));
    Kokkos::deep_copy(space, latitude, good);
    Kokkos::deep_copy(space, Kokkos::subview(latitude, item), std::numeric_limits<double>::quiet_NaN());
    space.fence();
    input.observation.observer.latitude = latitude;
  }
};

template <class Space, class Real>
struct ConformanceCase<ega::ForwardModel<Space, Real>> : EgaConformanceCase<ega::ForwardModel<Space, Real>> {
  using Case = EgaConformanceCase<ega::ForwardModel<Space, Real>>;

  static ega::ForwardResult<Space, Real> result(Space const& space) {
    ega::ForwardResult<Space, Real> result(ega::make_spectra<Real>(space, Case::rays().nray(), Case::nchannel));
    space.fence();
    return result;
  }
};

template <class Space, class Real>
struct ConformanceCase<ega::AdjointModel<Space, Real>> : EgaConformanceCase<ega::AdjointModel<Space, Real>> {
  using Case = EgaConformanceCase<ega::AdjointModel<Space, Real>>;

  static ega::SpectraDerivatives<Space, Real> result(Space const& space) {
    int const nray = Case::rays().nray();
    ega::SpectraDerivatives<Space, Real> result;
    result.spectra = ega::make_spectra<Real>(space, nray, Case::nchannel);
    result.derivative =
        Array<Real****, Space>("parhelion::Testing::derivative", nray, ega::derivative_row::count(Case::ngas),
                               Case::atmosphere().nlev(), Case::nchannel);
    space.fence();
    return result;
  }
};

namespace {

using Forward = SolversOf<ega::ForwardModel>::type;
using Adjoint = SolversOf<ega::AdjointModel>::type;

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(EgaForward, Conformance, Forward, SolverName);
INSTANTIATE_TYPED_TEST_SUITE_P(EgaAdjoint, Conformance, Adjoint, SolverName);

}  // namespace parhelion::Testing
