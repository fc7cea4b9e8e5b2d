// SPDX-License-Identifier: BSD-3-Clause
#include "conformance.hpp"

#include <parhelion/adding/clear_sky.hpp>
#include <parhelion/adding/scattering.hpp>
#include <parhelion/core/host_driver.hpp>

#include <limits>
#include <string_view>

namespace parhelion::Testing {

/// Arrays of a problem with all that there can be, but for arrays that exclude each other.
template <class S>
struct AddingCase {
  using Space = typename S::execution_space;
  using Real = typename S::value_type;
  static constexpr bool scatters = std::is_same_v<S, adding::Scattering<Space, Real>>;
  static constexpr int nprofile = 5, nlay = 9, nangle = 3, nphase = 2;

  static NoModel model(Space const&) { return {}; }
  static adding::Capacity capacity() {
    return {.nprofile = nprofile, .nlay = nlay, .nangle = nangle, .nphase = scatters ? nphase : 0};
  }
  static typename S::tuning_type tuning() { return {}; }

  static bool has(std::string_view name) {
    for (std::string_view const other : {"transmittance", "specular_reflectivity"})
      if (name.ends_with(other)) return false;
    for (std::string_view const scattering :
         {"weight", "single_scattering_albedo", "phase", "phase_forward", "phase_backward"})
      if (!scatters && name.ends_with(scattering)) return false;
    return true;
  }

  static std::size_t extent(std::string_view dimension) {
    if (dimension == dimension::profile) return nprofile;
    if (dimension == dimension::layer) return nlay;
    if (dimension == dimension::level) return nlay + 1;
    if (dimension == dimension::matrix) return nphase;
    return dimension == dimension::angle_in_and_sun ? nangle + 1 : nangle;
  }

  /// A value that the array may have: rows of phase matrices and reflectivities sum to 1 and less.
  static double value(std::string_view name, std::size_t i) {
    auto const varied = 0.5 + 0.4 * static_cast<double>(i * 7 % 11) / 11;
    if (name == "planck" || name == "planck_sfc") return 100 * varied;
    if (name == "weight") return 1. / nangle;
    if (name == "reflectivity") return 0.1 * varied;
    if (name == "phase_forward" || name == "phase_backward") return 0.5;
    if (name == "phase") return static_cast<double>(i % (nphase + 1)) - 1;
    return varied;
  }

  /// Allocates what is there, and fills it unless it is of a result.
  template <class Set>
  static Set make(Space const& space, bool fill) {
    Set set;
    Set::for_each_array(
        [&]<class View>(ArrayDescription const& description, View& view) {
          if (!has(description.name)) return;
          typename View::array_layout layout;
          for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = extent(description.dimensions[d]);
          typename View::non_const_type const filled(std::string("parhelion::Testing::adding"), layout);
          auto const host = Kokkos::create_mirror_view(filled);
          for (std::size_t i = 0; fill && i < host.size(); ++i)
            host.data()[i] = static_cast<typename View::non_const_value_type>(value(description.name, i));
          Kokkos::deep_copy(space, filled, host);
          space.fence();
          view = filled;
        },
        set);
    return set;
  }

  static typename S::input_type input(Space const& space) { return make<typename S::input_type>(space, true); }
  static typename S::result_type result(Space const& space) { return make<typename S::result_type>(space, false); }

  static void spoil(Space const& space, typename S::input_type& input, int item) {
    adding::ProfileArray<Real*, Space> const planck_sfc("parhelion::Testing::adding", nprofile);
    Kokkos::deep_copy(space, planck_sfc, input.profiles.planck_sfc);
    Kokkos::deep_copy(space, Kokkos::subview(planck_sfc, item), std::numeric_limits<Real>::quiet_NaN());
    space.fence();
    input.profiles.planck_sfc = planck_sfc;
  }
};

template <class Space, class Real>
struct ConformanceCase<adding::ClearSky<Space, Real>> : AddingCase<adding::ClearSky<Space, Real>> {};
template <class Space, class Real>
struct ConformanceCase<adding::Scattering<Space, Real>> : AddingCase<adding::Scattering<Space, Real>> {};

namespace {
using ClearSkies = SolversOf<adding::ClearSky>::type;
using Scatterings = SolversOf<adding::Scattering>::type;
}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(ClearSky, Conformance, ClearSkies, SolverName);
INSTANTIATE_TYPED_TEST_SUITE_P(Scattering, Conformance, Scatterings, SolverName);

}  // namespace parhelion::Testing

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

/// What each part of a result is noted for: one array of the result at a time.
template <class S>
void expect_notes_of_each_array() {
  using Case = ConformanceCase<S>;
  typename S::execution_space const space;
  S solver(space, {}, Case::capacity());
  auto const good = Case::input(space);
  auto bad = good;
  Case::spoil(space, bad, 3);
  using Result = typename S::result_type;
  auto const number = descriptions_of<Result>().size();
  for (std::size_t only = 0; only < number; ++only) {
    auto result = Case::result(space);
    std::string name;
    std::size_t i = 0;
    Result::for_each_array(
        [&]<class View>(ArrayDescription const& description, View& view) {
          if (i++ != only)
            view = View();
          else if (view.size() > 0)
            name = description.name;
        },
        result);
    // Nothing but the surface's own Planck radiance is spoiled: downward radiances, and derivatives that do not
    // contain it, stay as they are.
    if (name.empty() || name == "dn" || name.find("planck") != std::string::npos) continue;
    if (name == "derivative_by_reflectivity" || name == "derivative_by_direct_reflectivity") continue;
    solver.solve(space, good, result);
    EXPECT_EQ(solver.status(space).first_not_finite, -1) << name;
    solver.solve(space, bad, result);
    EXPECT_EQ(solver.status(space).first_not_finite, 3) << name;
  }
}

template <class Pair>
struct ConformanceOfAdding : testing::Test {};
TYPED_TEST_SUITE(ConformanceOfAdding, SpacesAndReals, PairName);

TYPED_TEST(ConformanceOfAdding, ClearSkyNotesEachArray) {
  expect_notes_of_each_array<adding::ClearSky<typename TypeParam::ExecutionSpace, typename TypeParam::Real>>();
}
TYPED_TEST(ConformanceOfAdding, ScatteringNotesEachArray) {
  expect_notes_of_each_array<adding::Scattering<typename TypeParam::ExecutionSpace, typename TypeParam::Real>>();
}

}  // namespace
