// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/impl/layer_runs.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using parhelion::Impl::LaunchRequest;
using parhelion::Impl::RunMap;
using parhelion::Impl::Task;
using parhelion::Impl::TeamRuns;

/// Mixes the place of a layer into 32 random bits (the finaliser of MurmurHash3).
KOKKOS_INLINE_FUNCTION std::uint32_t bits_of(int column, int layer, int which) {
  std::uint32_t h = static_cast<std::uint32_t>(column) * 0x9e3779b9U + static_cast<std::uint32_t>(layer) * 0x85ebca6bU +
                    static_cast<std::uint32_t>(which) * 0xc2b2ae35U + 1U;
  h = (h ^ (h >> 16)) * 0x85ebca6bU;
  h = (h ^ (h >> 13)) * 0xc2b2ae35U;
  return h ^ (h >> 16);
}

/// Numbers modulo 2^32, whose arithmetic is exact: runs that are put together in their order give the bits of a plain
/// loop, others give something else.
using Exact = std::uint32_t;

struct Size {
  int nprofile;
  int nlay;
  int nangle;
};

/// A layer of a profile along an angle: its gain is odd, so that the past is never forgotten.
KOKKOS_INLINE_FUNCTION AffineMap<Exact> layer_map(int profile, int angle, int layer) {
  return {bits_of(31 * profile + angle, layer, 0) | 1U, bits_of(31 * profile + angle, layer, 1)};
}

/// What enters a profile.
KOKKOS_INLINE_FUNCTION Exact entry(int profile, int angle) { return bits_of(31 * profile + angle, -1, 2); }

template <int angles, int lanes>
struct ExactPath {
  using Number = Exact;
  using Real = Exact;
  static constexpr int G = angles;
  static constexpr int W = lanes;
};

/// Keeps whole columns, or the upward stream at all levels.
template <class ExecutionSpace, int G, int W, bool two_way, bool levels>
struct KeepAll {
  using Path = ExactPath<G, W>;
  using Map = RunMap<Exact, G * W, two_way>;
  struct Notes {};
  static constexpr bool stores_levels = levels;
  static constexpr bool watches = false;

  Size in;
  Array<Exact****, ExecutionSpace> results;  ///< (profile, angle, level or one, what)
  Array<int***, ExecutionSpace> calls;       ///< (profile, angle, level or one)

  template <class AnyMap>
  KOKKOS_INLINE_FUNCTION void keep(int p, int i, int level, AnyMap const& map, int n) const {
    results(p, i, level, 0) = map.up[n];
    if constexpr (!levels) results(p, i, level, 1) = map.gain[n];
    if constexpr (two_way) results(p, i, level, 2) = map.down[n];
    ++calls(p, i, level);
  }
  template <class Each>
  KOKKOS_INLINE_FUNCTION void for_each(Task const& task, Each const& each) const {
    for (int g = 0; g < G; ++g)
      for (int w = 0; w < W; ++w)
        if (w < task.n && task.i0 + g < in.nangle) each(task.p0 + w, task.i0 + g, g * W + w);
  }
  KOKKOS_INLINE_FUNCTION Map begin(Task const& task) const {
    Map map;
    for_each(task, [&](int p, int i, int n) { map.up[n] = entry(p, i); });
    return map;
  }
  KOKKOS_INLINE_FUNCTION void run(Map& map, Notes&, Task const& task, int first, int count, bool /* with_gain */,
                                  bool store) const {
    for_each(task, [&](int p, int i, int n) {
      if (levels && store && first == 0) keep(p, i, 0, map, n);
    });
    for (int k = first; k < first + count; ++k) {
      Map layer;
      for_each(task, [&](int p, int i, int n) {
        auto const one = layer_map(p, i, k);
        layer.set_upward(n, one);
        if constexpr (two_way) layer.down[n] = one.offset + 1;
      });
      map = map + layer;
      for_each(task, [&](int p, int i, int n) {
        if (levels && store) keep(p, i, k + 1, map, n);
      });
    }
  }
  template <class AnyMap>
  KOKKOS_INLINE_FUNCTION void finish(int p, int i, AnyMap const& map, int n, bool, Exact) const {
    keep(p, i, 0, map, n);
  }
  KOKKOS_INLINE_FUNCTION void finish_all(Task const& task, Map const& map, Notes const&) const {
    for_each(task, [&](int p, int i, int n) { finish(p, i, map, n, false, 0); });
  }
};

/// How many results differ from those of a plain loop, or were not stored exactly once.
template <class ExecutionSpace, int G, int W, bool two_way, bool levels>
int failures(Size const& size, LaunchRequest const& request) {
  using Body = KeepAll<ExecutionSpace, G, W, two_way, levels>;
  ExecutionSpace const space;
  int const nlevel = levels ? size.nlay + 1 : 1;
  auto const nprofile = static_cast<std::size_t>(size.nprofile), nangle = static_cast<std::size_t>(size.nangle);
  decltype(Body::results)
      const device_results("parhelion::Testing::results", nprofile, nangle, static_cast<std::size_t>(nlevel), 3);
  decltype(Body::calls)
      const device_calls("parhelion::Testing::calls", nprofile, nangle, static_cast<std::size_t>(nlevel));
  Body const body{size, device_results, device_calls};
  TeamRuns<ExecutionSpace, Body>::launch(space, "parhelion::Testing::runs", body, request);
  space.fence();
  auto const results = on_host(body.results);
  auto const calls = on_host(body.calls);
  int wrong = 0;
  for (int p = 0; p < size.nprofile; ++p)
    for (int i = 0; i < size.nangle; ++i) {
      AffineMap<Exact> upward(1, entry(p, i));
      Exact down = 0;
      for (int k = 0; k <= size.nlay; ++k) {
        if (levels || k == size.nlay) {
          int const level = levels ? k : 0;
          wrong += calls(p, i, level) != 1 || results(p, i, level, 0) != upward.offset ||
                   (!levels && results(p, i, level, 1) != upward.gain) || (two_way && results(p, i, level, 2) != down);
        }
        if (k == size.nlay) break;
        auto const layer = layer_map(p, i, k);
        down += upward.gain * (layer.offset + 1);
        upward += layer;
      }
    }
  return wrong;
}

LaunchRequest sweep(int nprofile) { return {.nprofile = nprofile}; }
LaunchRequest scan(int nprofile, int layers_per_run = 0) {
  return {.whole_columns = false, .min_runs = 2, .nprofile = nprofile, .layers_per_run = layers_per_run};
}
LaunchRequest automatic(int nprofile) { return {.whole_columns = false, .nprofile = nprofile}; }

template <class Space>
struct LayerRuns : testing::Test {};
TYPED_TEST_SUITE(LayerRuns, Spaces, SpaceName);

TYPED_TEST(LayerRuns, KeepTheOrderAtEveryLength) {
  for (int nlay = 1; nlay <= 300; nlay += nlay < 70 ? 1 : 23)
    for (LaunchRequest const& request : {sweep(5), automatic(5), scan(5), scan(5, 1), scan(5, 7), scan(5, 64)}) {
      Size const size{5, nlay, 3};
      std::string const what = std::to_string(nlay) + " layers, runs of " + std::to_string(request.layers_per_run) +
                               (request.whole_columns ? ", whole" : "");
      EXPECT_EQ((failures<TypeParam, 1, 1, false, false>(size, request)), 0) << what;
      EXPECT_EQ((failures<TypeParam, 2, 1, true, false>(size, request)), 0) << what;
      EXPECT_EQ((failures<TypeParam, 2, 1, false, true>(size, request)), 0) << what;
      EXPECT_EQ((failures<TypeParam, 1, 4, true, true>(size, request)), 0) << what;
    }
}

TYPED_TEST(LayerRuns, ManyAndLongColumns) {
  for (Size const& size : {Size{1999, 7, 2}, Size{131, 61, 5}, Size{1, 5003, 1}, Size{3, 0, 2}})
    for (LaunchRequest const& request : {sweep(size.nprofile), automatic(size.nprofile), scan(size.nprofile)}) {
      std::string const what = std::to_string(size.nprofile) + " profiles of " + std::to_string(size.nlay);
      EXPECT_EQ((failures<TypeParam, 3, 1, true, false>(size, request)), 0) << what;
      EXPECT_EQ((failures<TypeParam, 3, 4, true, false>(size, request)), 0) << what;
      EXPECT_EQ((failures<TypeParam, 2, 1, true, true>(size, request)), 0) << what;
    }
}

}  // namespace
