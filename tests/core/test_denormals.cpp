// SPDX-License-Identifier: BSD-3-Clause
// Kernels with scratch memory take denormal numbers for zero on hosts, and leave threads as they were.
#include <parhelion/core/copies.hpp>
#include <parhelion/core/impl/fast_scratch.hpp>

#include "testing.hpp"

#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using parhelion::Impl::DenormalsAreZero;

template <class Real>
struct Factors;
template <>
struct Factors<float> {
  static constexpr float small = 1e-20F, smaller = 1e-21F, denormal = 1e-41F, large = 1e10F;
};
template <>
struct Factors<double> {
  static constexpr double small = 1e-160, smaller = 1e-161, denormal = 1e-315, large = 1e100;
};

// Products that are denormal, and that are not though a factor is.
template <class Real>
struct Products {
  Real result, of_denormal;
};

template <class Space, class Real>
struct Denormals {
  using Results = Kokkos::View<Products<Real>*, typename Space::memory_space>;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Values = Kokkos::View<Real[4], typename Space::memory_space>;

  Values factors;  // in memory, so that the compiler does not multiply
  Results results;
  int scratch_level = 0;

  KOKKOS_FUNCTION void multiply(int i) const {
    results(i).result = factors(0) * factors(1);
    results(i).of_denormal = factors(2) * factors(3);
  }
  KOKKOS_FUNCTION void operator()(int i) const { multiply(i); }

  template <bool is_fast>
  KOKKOS_FUNCTION void in_scratch(Member const& team) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] { multiply(team.league_rank()); });
  }
};

template <class Space, class Real>
void expect_zeros_in_kernels_alone() {
  Space const space;
  constexpr int n = 100;
  typename Denormals<Space, Real>::Values const factors("parhelion::tests::factors");
  auto const of_host = Kokkos::create_mirror_view(factors);
  using F = Factors<Real>;
  of_host(0) = F::small;
  of_host(1) = F::smaller;
  of_host(2) = F::denormal;
  of_host(3) = F::large;
  Kokkos::deep_copy(factors, of_host);
  Denormals<Space, Real> kernel{factors, typename Denormals<Space, Real>::Results("parhelion::tests::products", n)};
  auto const expect = [&](bool zeros, char const* where) {
    space.fence();
    auto const found = host_copy(kernel.results);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(found(i).result == 0, zeros) << where << ' ' << i;
      ASSERT_EQ(found(i).of_denormal == 0, zeros) << where << ' ' << i;
    }
  };
  bool const zeros = runs_on_host<Space> && DenormalsAreZero::works;
  parhelion::Impl::enqueue_in_scratch("parhelion::tests::denormals", Kokkos::TeamPolicy<Space>(space, n, 1), kernel, 64,
                                      1);
  expect(zeros, "in a kernel with scratch memory");
  // All threads are as they were.
  Kokkos::parallel_for("parhelion::tests::denormals", Kokkos::RangePolicy<Space>(space, 0, n), kernel);
  expect(false, "in another kernel");
}

template <class Space>
struct DenormalNumbers : testing::Test {};
TYPED_TEST_SUITE(DenormalNumbers, Spaces, SpaceName);

TYPED_TEST(DenormalNumbers, AreZeroInKernelsOfHostsAlone) {
  expect_zeros_in_kernels_alone<TypeParam, float>();
  expect_zeros_in_kernels_alone<TypeParam, double>();
}

}  // namespace
