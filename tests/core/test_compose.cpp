// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/compose.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/layer_map.hpp>

#include "evaluate.hpp"
#include "kokkos_manners.hpp"
#include "testing.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

constexpr Strategy all_strategies[] = {Strategy::automatic, Strategy::sweep, Strategy::team_scan, Strategy::lane_scan};

char const* name_of(Strategy strategy) {
  char const* const names[] = {"automatic", "sweep", "team_scan", "lane_scan"};
  return names[static_cast<int>(strategy)];
}

/// Mixes the place of a layer into 32 random bits (the finaliser of MurmurHash3).
KOKKOS_INLINE_FUNCTION std::uint32_t bits_of(int column, int layer, int which) {
  std::uint32_t h = static_cast<std::uint32_t>(column) * 0x9e3779b9U + static_cast<std::uint32_t>(layer) * 0x85ebca6bU +
                    static_cast<std::uint32_t>(which) * 0xc2b2ae35U + 1U;
  h = (h ^ (h >> 16)) * 0x85ebca6bU;
  h = (h ^ (h >> 13)) * 0xc2b2ae35U;
  return h ^ (h >> 16);
}

/// Affine maps over the integers modulo 2^32. They do not commute, and their arithmetic is exact: a scan that keeps the
/// order gives the bits of the plain loop, one that does not gives something else.
struct ExactMap {
  std::uint32_t gain = 1;
  std::uint32_t offset = 0;
  KOKKOS_INLINE_FUNCTION friend ExactMap operator+(ExactMap const& first, ExactMap const& second) {
    ExactMap both;
    both.gain = second.gain * first.gain;
    both.offset = second.gain * first.offset + second.offset;
    return both;
  }
};

template <class Map>
struct RandomLayer;

template <>
struct RandomLayer<ExactMap> {
  KOKKOS_INLINE_FUNCTION ExactMap operator()(int column, int layer) const {
    ExactMap map;
    map.gain = bits_of(column, layer, 0) | 1U;  // odd, so that the past is never forgotten
    map.offset = bits_of(column, layer, 1);
    return map;
  }
};

// Values are multiples of a power of two that both precisions hold exactly, so that device and host see the same ones.
template <class Real>
struct RandomLayer<AffineMap<Real>> {
  KOKKOS_INLINE_FUNCTION AffineMap<Real> operator()(int column, int layer) const {
    return {1 - Real(bits_of(column, layer, 0) % 1024U) / 8192, Real(bits_of(column, layer, 1) % 1024U) / 1024};
  }
};

template <class Real>
struct RandomLayer<ScatteringLayer<Real>> {
  KOKKOS_INLINE_FUNCTION ScatteringLayer<Real> operator()(int column, int layer) const {
    ScatteringLayer<Real> map;
    map.reflection_below = Real(bits_of(column, layer, 0) % 1024U) / 4096;  // below 1/4
    map.reflection_above = Real(bits_of(column, layer, 1) % 1024U) / 4096;
    map.transmission_up = Real(1024U + bits_of(column, layer, 2) % 1024U) / 4096;  // from 1/4 to 1/2
    map.transmission_dn = Real(1024U + bits_of(column, layer, 3) % 1024U) / 4096;
    map.source_up = Real(1U + bits_of(column, layer, 4) % 1024U) / 1024;
    map.source_dn = Real(1U + bits_of(column, layer, 5) % 1024U) / 1024;
    return map;
  }
};

template <class Map, class ExecutionSpace>
struct KeepAll {
  Array<Map**, ExecutionSpace> results;
  Array<int**, ExecutionSpace> calls;
  KOKKOS_INLINE_FUNCTION void operator()(int column, int layer, Map const& composed) const {
    results(column, layer) = composed;
    Kokkos::atomic_inc(&calls(column, layer));
  }
};

/// Results on the host, after a check that each layer was stored once.
template <class Map, class ExecutionSpace>
HostArray<Map**> composed(ExecutionSpace const& space, int ncol, int nlay, Strategy strategy) {
  KeepAll<Map, ExecutionSpace> const store{Array<Map**, ExecutionSpace>("parhelion::Testing::results", ncol, nlay),
                                           Array<int**, ExecutionSpace>("parhelion::Testing::calls", ncol, nlay)};
  compose_columns(space, "parhelion::Testing::compose", ncol, nlay, RandomLayer<Map>(), store, strategy);
  space.fence();
  auto const calls = on_host(store.calls);
  int wrong = 0;
  for (int c = 0; c < ncol; ++c)
    for (int l = 0; l < nlay; ++l) wrong += calls(c, l) != 1;
  EXPECT_EQ(wrong, 0) << "layers not stored exactly once, of " << ncol << " x " << nlay << ", " << name_of(strategy);
  return on_host(store.results);
}

template <class Space>
struct ComposeExact : testing::Test {};
TYPED_TEST_SUITE(ComposeExact, Spaces, SpaceName);

TYPED_TEST(ComposeExact, EveryStrategyKeepsTheOrderAtEveryLength) {
  int const ncol = 5;
  TypeParam const space;
  for (Strategy const strategy : all_strategies) {
    int failures = 0;
    for (int nlay = 1; nlay <= 300; ++nlay) {
      auto const results = composed<ExactMap>(space, ncol, nlay, strategy);
      for (int c = 0; c < ncol; ++c) {
        ExactMap expected;
        for (int l = 0; l < nlay; ++l) {
          expected = expected + RandomLayer<ExactMap>()(c, l);
          bool const same = results(c, l).gain == expected.gain && results(c, l).offset == expected.offset;
          if (!same && ++failures <= 5)
            ADD_FAILURE() << name_of(strategy) << ": column " << c << ", layer " << l << " of " << nlay;
        }
      }
    }
    EXPECT_EQ(failures, 0) << name_of(strategy);
  }
}

TYPED_TEST(ComposeExact, ManyColumnsAndLongColumns) {
  TypeParam const space;
  for (auto const& [ncol, nlay] : {std::pair(1999, 7), std::pair(131, 61), std::pair(1, 5003)})
    for (Strategy const strategy : all_strategies) {
      auto const results = composed<ExactMap>(space, ncol, nlay, strategy);
      int failures = 0;
      for (int c = 0; c < ncol; ++c) {
        ExactMap expected;
        for (int l = 0; l < nlay; ++l) {
          expected = expected + RandomLayer<ExactMap>()(c, l);
          failures += results(c, l).offset != expected.offset || results(c, l).gain != expected.gain;
        }
      }
      EXPECT_EQ(failures, 0) << name_of(strategy) << ", " << ncol << " columns of " << nlay;
    }
}

template <class Pair>
struct Compose : testing::Test {
  using ExecutionSpace = typename Pair::ExecutionSpace;
  using Real = typename Pair::Real;
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
};
TYPED_TEST_SUITE(Compose, SpacesAndReals, PairName);

TYPED_TEST(Compose, AffineMapsMatchAPlainLoopInDouble) {
  using Real = typename TestFixture::Real;
  typename TestFixture::ExecutionSpace const space;
  int const ncol = 9;
  for (int const nlay : {1, 2, 31, 61, 100, 257})
    for (Strategy const strategy : all_strategies) {
      auto const results = composed<AffineMap<Real>>(space, ncol, nlay, strategy);
      for (int c = 0; c < ncol; ++c) {
        long double gain = 1;
        long double offset = 0;
        for (int l = 0; l < nlay; ++l) {
          auto const map = RandomLayer<AffineMap<Real>>()(c, l);
          gain *= map.gain;
          offset = map.gain * offset + map.offset;
          // Every term is positive, and each composition of the l + 1 layers rounds twice, by half an ulp each. The
          // brackets of a scan add at most two compositions.
          Real const tolerance = static_cast<Real>(l + 3) * this->eps;
          ASSERT_NEAR(results(c, l).gain, gain, tolerance * gain) << name_of(strategy) << " " << c << " " << l;
          ASSERT_NEAR(results(c, l).offset, offset, tolerance * offset) << name_of(strategy) << " " << c << " " << l;
        }
      }
    }
}

template <class Real>
void expect_layers_near(ScatteringLayer<Real> const& a, ScatteringLayer<Real> const& b, Real relative,
                        std::string const& where) {
  EXPECT_NEAR(a.reflection_below, b.reflection_below, relative * b.reflection_below) << where;
  EXPECT_NEAR(a.reflection_above, b.reflection_above, relative * b.reflection_above) << where;
  EXPECT_NEAR(a.transmission_up, b.transmission_up, relative * b.transmission_up) << where;
  EXPECT_NEAR(a.transmission_dn, b.transmission_dn, relative * b.transmission_dn) << where;
  EXPECT_NEAR(a.source_up, b.source_up, relative * b.source_up) << where;
  EXPECT_NEAR(a.source_dn, b.source_dn, relative * b.source_dn) << where;
}

TYPED_TEST(Compose, StarProductScansMatchASweep) {
  using Real = typename TestFixture::Real;
  using Layer = ScatteringLayer<Real>;
  typename TestFixture::ExecutionSpace const space;
  int const ncol = 7;
  int const nlay = 45;  // transmissions down to 4^-45, within the range of float
  for (Strategy const strategy : all_strategies) {
    auto const results = composed<Layer>(space, ncol, nlay, strategy);
    for (int c = 0; c < ncol; ++c) {
      Layer expected;
      for (int l = 0; l < nlay; ++l) {
        expected = expected + RandomLayer<Layer>()(c, l);
        // Ten roundings of half an ulp a composition at most, on both sides; all terms are positive, and the
        // denominators, above 0.9, do not raise errors by more than a tenth.
        expect_layers_near(results(c, l), expected, static_cast<Real>(11 * (l + 3)) * this->eps,
                           std::string(name_of(strategy)) + " " + std::to_string(c) + " " + std::to_string(l));
      }
    }
  }
}

TYPED_TEST(Compose, SameBitsFromRunToRunAndForASubsetOfTheColumns) {
  using Map = AffineMap<typename TestFixture::Real>;
  typename TestFixture::ExecutionSpace const space;
  for (Strategy const strategy : {Strategy::sweep, Strategy::team_scan, Strategy::lane_scan}) {
    auto const first = composed<Map>(space, 67, 91, strategy);
    auto const again = composed<Map>(space, 67, 91, strategy);
    auto const subset = composed<Map>(space, 13, 91, strategy);
    EXPECT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(Map)), 0) << name_of(strategy);
    EXPECT_EQ(std::memcmp(first.data(), subset.data(), subset.size() * sizeof(Map)), 0) << name_of(strategy);
  }
}

TYPED_TEST(Compose, AutomaticIsTheChosenStrategy) {
  using Map = AffineMap<typename TestFixture::Real>;
  typename TestFixture::ExecutionSpace const space;
  EXPECT_EQ(choose_strategy(space, std::numeric_limits<int>::max(), 60), Strategy::sweep);
  EXPECT_EQ(choose_strategy(space, 1, 2), Strategy::sweep);
  // On a host a choice would depend on the number of threads.
  bool const team = !runs_on_host<typename TestFixture::ExecutionSpace>;
  EXPECT_EQ(choose_strategy(space, 1, 100000), team ? Strategy::team_scan : Strategy::sweep);
  for (auto const& [ncol, nlay] : {std::pair(1, 3001), std::pair(3, 20), std::pair(100, 60)}) {
    auto const automatic = composed<Map>(space, ncol, nlay, Strategy::automatic);
    auto const forced = composed<Map>(space, ncol, nlay, choose_strategy(space, ncol, nlay));
    EXPECT_EQ(std::memcmp(automatic.data(), forced.data(), forced.size() * sizeof(Map)), 0) << ncol << " " << nlay;
  }
}

TYPED_TEST(Compose, GoodMannersOnAnyInstance) {
  using Real = typename TestFixture::Real;
  using ExecutionSpace = typename TestFixture::ExecutionSpace;
  using Map = AffineMap<Real>;
  auto const space = another_instance<ExecutionSpace>();
  if (!runs_on_host<ExecutionSpace>) {
    ASSERT_NE(device_id(space), device_id(ExecutionSpace()));  // so that a kernel that went astray is seen
  }
  KeepAll<Map, ExecutionSpace> const store{Array<Map**, ExecutionSpace>("parhelion::Testing::results", 17, 100),
                                           Array<int**, ExecutionSpace>("parhelion::Testing::calls", 17, 100)};
  for (Strategy const strategy : all_strategies) {
    auto const compose = [&] {
      compose_columns(space, "parhelion::Testing::compose", 17, 100, RandomLayer<Map>(), store, strategy);
    };
    compose();
    space.fence();
    auto const report = watch(compose);
    space.fence();
    SCOPED_TRACE(name_of(strategy));
    expect_good_manners(report, space);
    EXPECT_EQ(report.labels, std::vector<std::string>{"parhelion::Testing::compose"});
  }
}

TYPED_TEST(Compose, NothingToDoLaunchesNothing) {
  using ExecutionSpace = typename TestFixture::ExecutionSpace;
  using Map = AffineMap<typename TestFixture::Real>;
  ExecutionSpace const space;
  KeepAll<Map, ExecutionSpace> const store{};
  for (auto const& [ncol, nlay] : {std::pair(0, 10), std::pair(10, 0)}) {
    auto const report = watch([&, c = ncol, l = nlay] {
      compose_columns(space, "parhelion::Testing::none", c, l, RandomLayer<Map>(), store);
    });
    EXPECT_TRUE(report.labels.empty());
  }
}

TYPED_TEST(Compose, BadArgumentsAreRefusedBeforeALaunch) {
  using ExecutionSpace = typename TestFixture::ExecutionSpace;
  using Map = AffineMap<typename TestFixture::Real>;
  KeepAll<Map, ExecutionSpace> const store{};
  auto const message = [&](std::string const& label, int ncol, int nlay) -> std::string {
    try {
      compose_columns(ExecutionSpace(), label, ncol, nlay, RandomLayer<Map>(), store);
    } catch (Error const& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("parhelion::x", -1, 5), "compose_columns: ncol = -1, expected >= 0");
  EXPECT_EQ(message("parhelion::x", 5, -3), "compose_columns: nlay = -3, expected >= 0");
  EXPECT_EQ(message("x", 5, 3), "compose_columns: label 'x', expected it to begin with 'parhelion::'");
}

// What the tests above lean on: watch sees each thing that expect_good_manners forbids.
template <class ExecutionSpace>
void misbehave(ExecutionSpace const& space) {
  Kokkos::View<int*, ExecutionSpace> const view("unlabelled", 3);
  Kokkos::parallel_for(
      "rude", Kokkos::RangePolicy<ExecutionSpace>(space, 0, 3), KOKKOS_LAMBDA(int i) { view(i) = i; });
  Kokkos::deep_copy(space, view, Kokkos::View<int*, ExecutionSpace>("other", 3));
  space.fence("my fence");
}

TYPED_TEST(ComposeExact, MannersAreSeen) {
  auto const contains = [](std::vector<std::string> const& list, std::string const& what) {
    return std::find(list.begin(), list.end(), what) != list.end();
  };
  TypeParam const space;
  auto const before = Kokkos::Tools::Experimental::get_callbacks();
  auto const report = watch([&] { misbehave(space); });
  EXPECT_TRUE(contains(report.labels, "rude"));
  EXPECT_TRUE(contains(report.allocations, "unlabelled"));
  EXPECT_TRUE(contains(report.deallocations, "other"));
  EXPECT_TRUE(contains(report.copies, "unlabelled"));
  EXPECT_TRUE(contains(report.fences, "my fence"));
  ASSERT_EQ(report.device_ids.size(), report.labels.size());
  auto const rude = std::find(report.labels.begin(), report.labels.end(), "rude") - report.labels.begin();
  EXPECT_EQ(report.device_ids[static_cast<std::size_t>(rude)], device_id(space));
  auto const after = Kokkos::Tools::Experimental::get_callbacks();
  EXPECT_EQ(std::memcmp(&before, &after, sizeof(before)), 0) << "the callbacks are not restored";
}

}  // namespace
