// SPDX-License-Identifier: BSD-3-Clause
// Spectra for callers of all kinds: their arrays and instances, what they are told and how they stop a call.
#include <parhelion/core/arrays.hpp>
#include <parhelion/ega/host_ega.hpp>

#include "forward_testing.hpp"
#include "kokkos_manners.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

TYPED_TEST_SUITE(EgaForward, SpacesAndReals, PairName);

// --- what a caller is told, and how it stops a call --------------------------------------------------------------

TEST(EgaForwardOnHosts, NothingIsAskedFor) {
  auto const problem = small_problem(1, 1);
  auto const a = small_atmosphere(problem.gases);
  EXPECT_EQ(compute_spectra(problem, a, make_observation(0)).radiance.extent(0), 0U);
  EXPECT_EQ(compute_spectra(with_channels(problem, {}), a, limb_rays({1e3})).radiance.extent(1), 0U);
}

TEST(EgaForwardOnHosts, ProgressAndPlanAreReported) {
  auto const problem = small_problem(1, 9);
  auto const a = small_atmosphere(problem.gases);
  HostEgaOptions options;
  options.chunk = 3;
  std::vector<std::int64_t> done;
  bool first = true;
  options.on_plan = [&](HostEgaReport const& plan) {
    EXPECT_TRUE(done.empty());
    EXPECT_TRUE(first);
    first = false;
    EXPECT_GT(plan.plan.device_bytes, plan.table_bytes);
  };
  options.progress = [&](std::int64_t n, std::int64_t all) {
    done.push_back(n);
    EXPECT_EQ(all, 7 * 9);
    return true;
  };
  HostEgaReport report;
  compute_spectra(problem, a, limb_and_nadir(), options, &report);
  EXPECT_FALSE(first);
  EXPECT_EQ(done, (std::vector<std::int64_t>{0, 27, 54, 63}));
  // Without a chunk of the caller's there are as many parts as keep the machine busy, if there are that many rays.
  options.chunk = 0;
  first = true;
  done.clear();
  auto const many = small_atmosphere(problem.gases);
  ElementChoice const elements{.pressure = {0, 60e3}, .temperature = {0, 60e3}, .mole_fraction = {}, .extinction = {}};
  options.progress = [&](std::int64_t n, std::int64_t) {
    done.push_back(n);
    return true;
  };
  int const copies = 1 + 2 * many.nlev();
  compute_jacobian(problem, many, limb_and_nadir(), elements, JacobianMethod::differences, options, &report);
  EXPECT_EQ(report.channel_blocks, 1);
  EXPECT_EQ(done.back(), copies * 7 * 9);
  EXPECT_EQ(static_cast<int>(done.size()), 1 + (copies * 7 + report.plan.chunk - 1) / report.plan.chunk);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_GT(report.solve_seconds, 0);
  EXPECT_GE(report.total_seconds, report.solve_seconds + report.load_seconds);
}

TYPED_TEST(EgaForward, CallsCanBeStopped) {
  auto const problem = small_problem(2, 9);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  auto options = this->options();
  auto const whole = compute_spectra(problem, a, rays, options);
  options.chunk = 2;
  options.progress = [](std::int64_t done, std::int64_t all) {
    EXPECT_EQ(all, 7 * 9);
    return done < 4 * 9;
  };
  HostEgaReport report;
  auto const spectra = compute_spectra(problem, a, rays, options, &report);
  EXPECT_EQ(report.done, 4 * 9);
  for (int r = 0; r < 7; ++r)
    for (int c = 0; c < 9; ++c) {
      if (r < 4) {
        EXPECT_EQ(spectra.radiance(r, c), whole.radiance(r, c)) << r;
        EXPECT_EQ(spectra.transmittance(r, c), whole.transmittance(r, c)) << r;
      } else {
        EXPECT_TRUE(std::isnan(spectra.radiance(r, c)) && std::isnan(spectra.transmittance(r, c))) << r;
      }
    }
  // At once: nothing is done. And the Jacobian, by either method.
  options.progress = [](std::int64_t, std::int64_t) { return false; };
  EXPECT_TRUE(std::isnan(compute_spectra(problem, a, rays, options, &report).radiance(0, 0)));
  EXPECT_EQ(report.done, 0);
  options.progress = [](std::int64_t done, std::int64_t) { return done == 0; };
  ElementChoice const elements{.pressure = {}, .temperature = {9e3, 11e3}, .mole_fraction = {}, .extinction = {}};
  for (auto const method : {JacobianMethod::analytic, JacobianMethod::differences}) {
    auto const jacobian = compute_jacobian(problem, a, rays, elements, method, options, &report);
    EXPECT_GT(report.done, 0);
    EXPECT_FALSE(std::isnan(jacobian.spectra.radiance(0, 0)));
    EXPECT_TRUE(std::isnan(jacobian.derivative(6, 8, 0)));
  }
}

// --- arrays and instances of a caller ------------------------------------------------------------------------------

/// \brief An array with the values of another one, in a precision and with strides of its own: the first dimension
///        fastest, and each extent one more than is used.
template <class Value>
struct OddArray {
  std::vector<Value> values;
  ArrayRef ref;

  template <class View>
  explicit OddArray(View const& from) {
    ref = array_ref(from);
    ref.type = value_type_of<Value>();
    std::int64_t n = 1;
    for (std::size_t d = 0; d < View::rank(); ++d) {
      ref.strides[d] = n;
      n *= ref.extents[d] + 1;
    }
    values.assign(static_cast<std::size_t>(n), Value(-1));
    if (ref.data == nullptr) return;
    ref.data = values.data();
    ArrayCopies copies;
    copies.add(array_ref(from), ref);
    copies.run(Kokkos::DefaultHostExecutionSpace());
  }
};

/// The arrays of a set, copied into OddArrays of a precision; integers stay such.
template <class Real>
struct OddArrays {
  std::vector<OddArray<Real>> reals;
  std::vector<OddArray<int>> integers;
  std::vector<ArrayRef> refs;

  template <class Described, class Set>
  static OddArrays of(Set const& set) {
    OddArrays odd;
    odd.reals.reserve(32);
    odd.integers.reserve(32);
    Described::for_each_array(
        [&]<class View>(ArrayDescription const&, View const& view) {
          if constexpr (std::is_same_v<typename View::non_const_value_type, int>)
            odd.refs.push_back(odd.integers.emplace_back(view).ref);
          else
            odd.refs.push_back(odd.reals.emplace_back(view).ref);
        },
        set);
    return odd;
  }
};

TYPED_TEST(EgaForward, ArraysOfACallerMayBeFloatAndOfAnyStrides) {
  using Space = typename TestFixture::Space;
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto problem = small_problem(2, 9);
  problem.channels.cloud_wavenumber = {700, 760};
  auto a = small_atmosphere(problem.gases);
  // Arrays that may be in single precision, too.
  auto const round = [](auto const& view) {
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = static_cast<float>(view.data()[i]);
  };
  set_cloud(a, 10e3, 1e3, {1e-6, 2e-6});
  auto rays = limb_and_nadir();
  rays.profile = HostArray<int*>("profile", rays.nray());
  HostAtmosphere::for_each_array([&](ArrayDescription const&, auto const& view) { round(view); }, a);
  HostObservation::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (description.name != "profile") round(view);
      },
      rays);
  auto const expected = this->solve(problem, a, rays);
  PreparedProblem const prepared(problem, this->options());
  auto const expect_the_same = [&]<class Real>(Real) {
    auto const atmosphere = OddArrays<Real>::template of<Atmosphere<Host>>(a);
    auto const observation = OddArrays<Real>::template of<Observation<Host>>(rays);
    auto const nothing = make_spectra<double>(Host(), rays.nray(), problem.nchannel());
    auto result = OddArrays<Real>::template of<HostSpectra>(nothing);
    HostEgaReport report;
    compute_spectra(Space(), prepared, {atmosphere.refs.begin(), atmosphere.refs.end()},
                    {observation.refs.begin(), observation.refs.end()}, result.refs, &report);
    EXPECT_EQ(report.done, rays.nray() * problem.nchannel());
    // Back into arrays of double.
    auto const found = make_spectra<double>(Host(), rays.nray(), problem.nchannel());
    ArrayCopies copies;
    auto const to = array_refs(found);
    for (std::size_t i = 0; i < to.size(); ++i) copies.add(result.refs[i], to[i]);
    copies.run(Host());
    for (int r = 0; r < rays.nray(); ++r) {
      EXPECT_EQ(found.npoint(r), expected.npoint(r));
      EXPECT_EQ(found.tangent.latitude(r), static_cast<Real>(expected.tangent.latitude(r)));
      for (int c = 0; c < problem.nchannel(); ++c) {
        EXPECT_EQ(found.radiance(r, c), static_cast<Real>(expected.radiance(r, c))) << r << ", " << c;
        EXPECT_EQ(found.transmittance(r, c), static_cast<Real>(expected.transmittance(r, c))) << r << ", " << c;
      }
    }
    // Values between the used entries do not change.
    EXPECT_EQ(result.reals[0].values[static_cast<std::size_t>(rays.nray())], Real(-1));
  };
  expect_the_same(float());
  expect_the_same(double());
  // Results that are not wanted, and what does not fit.
  auto const atmosphere = const_array_refs(a);
  std::vector<ConstArrayRef> const profiles(atmosphere.begin(), atmosphere.begin() + 12);
  auto const found = make_spectra<double>(Host(), rays.nray(), problem.nchannel());
  std::vector<ArrayRef> wanted(array_refs(found).size());
  wanted[1] = array_ref(found.transmittance);
  compute_spectra(Space(), prepared, profiles, const_array_refs(rays), wanted);
  EXPECT_EQ(found.transmittance(3, 4), expected.transmittance(3, 4));
  EXPECT_EQ(found.radiance(3, 4), 0);
  wanted[1] = wanted[1].part(1, 0, 3);
  EXPECT_EQ(message_of([&] { compute_spectra(Space(), prepared, profiles, const_array_refs(rays), wanted); }),
            "compute_spectra: transmittance has shape (7, 3), expected (7, 9)");
}

// Each thread of a caller has an instance and a problem.
TYPED_TEST(EgaForward, ThreadsOfACallerHaveAnInstanceEach) {
  using Space = typename TestFixture::Space;
  auto const problem = small_problem(2, 9);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  auto const expected = this->solve(problem, a, rays);
  std::vector<Space> const instances{another_instance<Space>(), another_instance<Space>()};
  std::vector<HostSpectra> found(2);
  std::vector<PreparedProblem> prepared;
  auto options = this->options();
  options.chunk = 3;
  for (int t = 0; t < 2; ++t) prepared.emplace_back(problem, options);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3; ++i) found[t] = compute_spectra(instances[t], prepared[t], a, rays);
    });
  for (auto& thread : threads) thread.join();
  for (auto const& spectra : found) expect_same(spectra, expected, "thread");
}

}  // namespace
