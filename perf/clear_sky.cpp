// SPDX-License-Identifier: BSD-3-Clause
// Clear-sky radiances: profiles per second over profiles x layers x angles, strategies and precision, beside a kernel
// that loads and stores the same bytes and takes the same exponentials and does nothing else.
//
//   perf_clear_sky [--tiny] [--benchmark_...]
//
// A call takes microseconds, so that many are made back to back between two clock readings: launched one by one, or
// recorded once and replayed as a whole. The time of an empty kernel in the same way is reported, too.
#include "machine.hpp"

#include <parhelion/adding/clear_sky.hpp>
#include <parhelion/adding/host_adding.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/exponential.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/recording.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::adding;

bool tiny = false;

/// What is asked of the solver.
enum class Wanted { top, specular_top, levels, up_and_down };

struct Size {
  int nprofile, nlay, nangle;
};

KOKKOS_INLINE_FUNCTION double random_number(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15ULL;
  key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((key ^ (key >> 31U)) >> 11U) * 0x1p-53;
}

template <class View>
struct FillRandom {
  View view;
  double low, high;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    view.data()[n] = static_cast<typename View::value_type>(low + (high - low) * random_number(n + 1));
  }
};

template <class View>
View random_view(View const& view, double low, double high) {
  using Space = typename View::execution_space;
  Kokkos::parallel_for(
      "parhelion::perf::random",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, static_cast<std::int64_t>(view.size())),
      FillRandom<View>{view, low, high});
  return view;
}

/// Optical depths from 0.001 to 0.501, Planck radiances from 50 to 250, emissivities from 0.95 on, angles for all.
template <class Space, class Real>
Profiles<Space, Real> random_profiles(Size const& size, bool reflects) {
  auto const uninitialised = [](std::string const& label) {
    return Kokkos::view_alloc(label, Kokkos::WithoutInitializing);
  };
  using Columns = ProfileArray<Real**, Space>;
  Profiles<Space, Real> in;
  in.optical_depth =
      random_view(Columns(uninitialised("parhelion::perf::optical_depth"), size.nprofile, size.nlay), 0.001, 0.501);
  in.planck = random_view(Columns(uninitialised("parhelion::perf::planck"), size.nprofile, size.nlay), 50, 250);
  in.mu = random_view(Columns(uninitialised("parhelion::perf::mu"), 1, size.nangle), 0.2, 0.95);
  in.emissivity =
      random_view(Columns(uninitialised("parhelion::perf::emissivity"), size.nprofile, size.nangle), 0.95, 1);
  in.planck_sfc =
      random_view(ProfileArray<Real*, Space>(uninitialised("parhelion::perf::planck_sfc"), size.nprofile), 200, 300);
  if (!reflects) return in;
  in.specular_reflectivity =
      random_view(Columns(uninitialised("parhelion::perf::specular"), size.nprofile, size.nangle), 0, 0.05);
  in.cosmic =
      random_view(ProfileArray<Real*, Space>(uninitialised("parhelion::perf::cosmic"), size.nprofile), 0.01, 0.05);
  return in;
}

template <class Space, class Real>
Radiances<Space, Real> make_radiances(Size const& size, Wanted wanted) {
  Radiances<Space, Real> out;
  auto const levels = [&] {
    return ProfileArray<Real***, Space>(Kokkos::view_alloc("parhelion::perf::levels", Kokkos::WithoutInitializing),
                                        size.nprofile, size.nlay + 1, size.nangle);
  };
  if (wanted == Wanted::top || wanted == Wanted::specular_top)
    out.toa = ProfileArray<Real**, Space>("parhelion::perf::toa", size.nprofile, size.nangle);
  if (wanted == Wanted::levels) out.up_emergent = levels();
  if (wanted == Wanted::up_and_down) {
    out.up = levels();
    out.dn = levels();
  }
  return out;
}

/// Compulsory traffic: each input read once, each result written once.
template <class Real>
double bytes_of(Size const& size, Wanted wanted) {
  double values = 2.0 * size.nlay + 1 + size.nangle;
  if (wanted == Wanted::specular_top) values += 1 + size.nangle;
  if (wanted == Wanted::levels)
    values += (size.nlay + 1.0) * size.nangle;
  else if (wanted == Wanted::up_and_down)
    values += 2.0 * (size.nlay + 1) * size.nangle;
  else
    values += size.nangle;
  return sizeof(Real) * values * size.nprofile;
}

/// Operations for a profile, layer and angle: exponent, exponential, difference, multiply-add.
double operations_of(Size const& size) { return 5.0 * size.nprofile * size.nlay * size.nangle; }

// ---- limits
// ----------------------------------------------------------------------------------------------------------

/// Loads the same bytes, takes as many exponentials and stores as many bytes as a solve, and nothing else.
template <class Space, class Real, int G, int nlevels>
struct LimitKernel {
  static constexpr int W = lanes_per_thread<Space, Real>;
  static constexpr int ahead = W > 1 ? 1 : sizeof(Real) == 4 ? 8 : 4;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
  Real const *depth, *planck, *mu, *planck_sfc, *emissivity;
  Real *top, *levels[2];
  int nprofile, nlay, nangle;
  int nchunk, layers, threads;

  template <bool guarded>
  KOKKOS_FUNCTION void block(Real const*& d, Real const*& b, Real* (&out)[2], int n, Real const (&rate)[G],
                             Real (&sum)[G][W], Real (&radiance)[W]) const {
    std::size_t const stride = nprofile;
    Real x[ahead][W], y[ahead][W];
    PARHELION_UNROLL
    for (int u = 0; u < ahead; ++u) {
      if (guarded && u >= n) continue;
      for (int w = 0; w < W; ++w) x[u][w] = d[w];
      for (int w = 0; w < W; ++w) y[u][w] = b[w];
      d += stride;
      b += stride;
    }
    PARHELION_UNROLL
    for (int u = 0; u < ahead; ++u) {
      if (guarded && u >= n) continue;
      for (int w = 0; w < W; ++w) radiance[w] += y[u][w];
      PARHELION_UNROLL
      for (int g = 0; g < G; ++g) {
        for (int w = 0; w < W; ++w) sum[g][w] += fast_exp2(x[u][w] * rate[g]);
        PARHELION_UNROLL
        for (int l = 0; l < nlevels; ++l)
          for (int w = 0; w < W; ++w) out[l][g * stride * (nlay + 1) + w] = sum[g][w];
      }
      PARHELION_UNROLL
      for (int l = 0; l < nlevels; ++l) out[l] += stride;
    }
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    int const ngroup = nangle / G;
    int const item = team.league_rank() * threads + team.team_rank();
    int const nblock = (nprofile + W - 1) / W;
    int const warp = runs_on_host<Space> ? 1 : 32;
    int const parts = ngroup * nchunk;
    int const lane_block = item / (warp * parts) * warp + item % warp;
    int const part = item / warp % parts;
    int const group = part % ngroup;
    int const chunk = part / ngroup;
    if (lane_block >= nblock) return;
    int const p0 = lane_block * W + W <= nprofile ? lane_block * W : nprofile - W;
    std::size_t const stride = nprofile;
    int const first = chunk * layers;
    int const end = first + layers < nlay ? first + layers : nlay;
    Real const* d = depth + p0 + first * stride;
    Real const* b = planck + p0 + first * stride;
    Real* out[2] = {};
    for (int l = 0; l < nlevels; ++l) out[l] = levels[l] + p0 + (group * G * (nlay + 1) + first + 1) * stride;
    Real rate[G], sum[G][W], radiance[W];
    for (int w = 0; w < W; ++w) radiance[w] = chunk == 0 ? planck_sfc[p0 + w] : Real(0);
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      rate[g] = -mu[group * G + g];
      for (int w = 0; w < W; ++w) sum[g][w] = chunk == 0 ? emissivity[p0 + w + (group * G + g) * stride] : Real(0);
    }
    int k = first;
    for (; k + ahead <= end; k += ahead) block<false>(d, b, out, ahead, rate, sum, radiance);
    if (k < end) block<true>(d, b, out, end - k, rate, sum, radiance);
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g)
      for (int w = 0; w < W; ++w) {
        Real const all = sum[g][w] + radiance[w];
        // The comparison keeps the sums alive.
        if (chunk != 0 && all > 0) continue;
        if (nlevels == 0) top[p0 + w + (group * G + g) * stride] = all;
        for (int l = 0; l < nlevels; ++l) levels[l][p0 + w + (group * G + g) * (nlay + 1) * stride] = all;
      }
  }

  void launch(Space const& space) const {
    int const warp = runs_on_host<Space> ? 1 : 32;
    int const blocks = ((nprofile + W - 1) / W + warp - 1) / warp * warp;
    int const items = blocks * (nangle / G) * nchunk;
    Policy const policy(space, (items + threads - 1) / threads, threads);
    Kokkos::parallel_for("parhelion::perf::limit",
                         Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight),
                         *this);
  }
};

struct Empty {
  KOKKOS_FUNCTION void operator()(int) const {}
};

/// Seconds of one of `calls` calls, the middle one of several rounds.
template <class Space>
double seconds_of_call(Space const& space, int calls, std::function<void(Space const&)> const& call, bool recorded) {
  auto const all = [=](Space const& where) {
    for (int n = 0; n < calls; ++n) call(where);
  };
  call(space);
  space.fence();
  std::vector<double> seconds;
  auto const measure = [&](auto const& run) {
    run();
    space.fence();
    for (int round = 0; round < 7; ++round) {
      Kokkos::Timer const timer;
      run();
      space.fence();
      seconds.push_back(timer.seconds() / calls);
    }
  };
  if (recorded) {
    Recording<Space> const recording(space, all);
    measure([&] { recording.replay(space); });
  } else {
    measure([&] { all(space); });
  }
  return Perf::median(seconds);
}

/// Calls between two readings of the clock.
template <class Space>
int calls_for(Size const& size) {
  if (tiny || runs_on_host<Space>) return 1;
  double const work = 1.0 * size.nprofile * size.nlay * size.nangle;
  return work < 1e8 ? 200 : 10;
}

template <class Space>
double empty_seconds(Space const& space, bool recorded) {
  static std::map<bool, double> measured;
  auto const found = measured.find(recorded);
  if (found != measured.end()) return found->second;
  return measured[recorded] = seconds_of_call<Space>(
             space, tiny ? 1 : 200,
             [](Space const& where) {
               Kokkos::parallel_for("parhelion::perf::empty", Kokkos::RangePolicy<Space>(where, 0, 32), Empty());
             },
             recorded);
}

template <class Space, class Real, int G, int nlevels>
void limit_with(Space const& space, Size const& size, Wanted wanted, bool recorded, double& least) {
  using Kernel = LimitKernel<Space, Real, G, nlevels>;
  if (size.nangle % G != 0 || size.nangle / G > 2 || size.nprofile < Kernel::W) return;
  auto const in = random_profiles<Space, Real>(size, false);
  auto const out = make_radiances<Space, Real>(size, wanted);
  Kernel kernel{in.optical_depth.data(),
                in.planck.data(),
                in.mu.data(),
                in.planck_sfc.data(),
                in.emissivity.data(),
                out.toa.data(),
                {wanted == Wanted::levels ? out.up_emergent.data() : out.up.data(), out.dn.data()},
                size.nprofile,
                size.nlay,
                size.nangle,
                1,
                size.nlay,
                1};
  for (int nchunk : {1, 2, 4, 8, 16}) {
    for (int threads : {64, 128, 256}) {
      if (runs_on_host<Space> && (nchunk > 1 || threads > 64)) continue;
      kernel.nchunk = nchunk;
      kernel.layers = (size.nlay + nchunk - 1) / nchunk;
      kernel.threads = runs_on_host<Space> ? 1 : threads;
      double const seconds = seconds_of_call<Space>(
          space, calls_for<Space>(size), [&](Space const& where) { kernel.launch(where); }, recorded);
      least = std::min(least, seconds);
    }
  }
}

template <class Space, class Real, int nlevels>
double limit_of(Space const& space, Size const& size, Wanted wanted, bool recorded) {
  double least = 1e30;
  limit_with<Space, Real, 2, nlevels>(space, size, wanted, recorded, least);
  limit_with<Space, Real, 6, nlevels>(space, size, wanted, recorded, least);
  limit_with<Space, Real, 8, nlevels>(space, size, wanted, recorded, least);
  if constexpr (!runs_on_host<Space>) limit_with<Space, Real, 16, nlevels>(space, size, wanted, recorded, least);
  return least;
}

/// Seconds of the limit kernel, cut in the best way.
template <class Space, class Real>
double limit_seconds(Space const& space, Size const& size, Wanted wanted, bool recorded) {
  if (wanted == Wanted::specular_top) wanted = Wanted::top;
  static std::map<std::tuple<int, int, int, Wanted, bool>, double> measured;
  auto const key = std::tuple(size.nprofile, size.nlay, size.nangle, wanted, recorded);
  auto const found = measured.find(key);
  if (found != measured.end()) return found->second;
  double const least = wanted == Wanted::top      ? limit_of<Space, Real, 0>(space, size, wanted, recorded)
                       : wanted == Wanted::levels ? limit_of<Space, Real, 1>(space, size, wanted, recorded)
                                                  : limit_of<Space, Real, 2>(space, size, wanted, recorded);
  return measured[key] = least;
}

// ---- benchmarks
// ------------------------------------------------------------------------------------------------------

template <class Space, class Real>
void clear_sky(benchmark::State& state, Wanted wanted, bool with_limit) {
  Size const size{static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), static_cast<int>(state.range(2))};
  bool const recorded = state.range(4) != 0;
  ClearSkyTuning const tuning{.strategy = static_cast<Strategy>(state.range(3)),
                              .angles_per_lane = static_cast<int>(state.range(5)),
                              .layers_per_run = static_cast<int>(state.range(6)),
                              .lanes = static_cast<int>(state.range(7)),
                              .threads = static_cast<int>(state.range(8))};
  Space const space;
  ClearSky<Space, Real> solver(space, NoModel(), {size.nprofile, size.nlay, size.nangle}, tuning);
  AddingInput<Space, Real> const input(random_profiles<Space, Real>(size, wanted == Wanted::specular_top));
  AddingResult<Space, Real> const result(make_radiances<Space, Real>(size, wanted));
  double seconds = 0;
  for (auto _ : state) {
    double const took = seconds_of_call<Space>(
        space, calls_for<Space>(size), [&](Space const& where) { solver.solve(where, input, result); }, recorded);
    state.SetIterationTime(took);
    seconds += took;
  }
  double const call = seconds / static_cast<double>(state.iterations());
  state.counters["us"] = 1e6 * call;
  state.counters["profiles/s"] = size.nprofile / call;
  Perf::set_work_counters(state, Perf::limits<Space, Real>(space, tiny), bytes_of<Real>(size, wanted) / call,
                          operations_of(size) / call);
  state.counters["empty_us"] = 1e6 * empty_seconds(space, recorded);
  if (!with_limit) return;
  double const least = limit_seconds<Space, Real>(space, size, wanted, recorded);
  state.counters["limit_us"] = 1e6 * least;
  state.counters["fraction_of_limit"] = least / call;
}

// ---- from host arrays to host arrays
// ---------------------------------------------------------------------------------

/// Radiances at the top of profiles in host memory. Sizes are profiles, layers, angles, and profiles of a chunk: all
/// for nothing overlapped, 0 for the default.
template <class Space, class Real, class Layout>
void host_clear_sky(benchmark::State& state) {
  Size const size{static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), static_cast<int>(state.range(2))};
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const random = random_profiles<Host, Real>(size, true);
  BasicHostProfiles<Real, Layout> profiles;
  Profiles<Host, Real>::for_each_array(
      []<class To>(ArrayDescription const&, auto const& from, To& to) {
        if (from.size() == 0) return;
        typename To::array_layout layout;
        for (std::size_t d = 0; d < To::rank(); ++d) layout.dimension[d] = from.extent(d);
        to = To("parhelion::perf::host", layout);
        ArrayCopies copies;
        copies.add(array_ref(from), array_ref(to));
        copies.run(Host());
      },
      random, profiles);
  Radiances<Host, Real, Layout> radiances;
  radiances.toa = decltype(radiances.toa)("parhelion::perf::host", size.nprofile, size.nangle);
  AddingResult<Host, Real, Layout> const result(radiances);
  HostAdding adding(Space(), profiles,
                    {.precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64,
                     .chunk = static_cast<int>(state.range(3))});
  adding.compute(profiles, result);
  double const seconds = Perf::time_iterations(state, [&] { adding.compute(profiles, result); });
  double const calls_per_second = static_cast<double>(state.iterations()) / seconds;
  state.counters["profiles/s"] = size.nprofile * calls_per_second;
  Perf::set_work_counters(state, Perf::limits<Space, Real>(Space(), tiny),
                          calls_per_second * bytes_of<Real>(size, Wanted::specular_top),
                          calls_per_second * operations_of(size));
  state.counters["chunk"] = adding.plan().chunk;
  state.counters["device_bytes"] = static_cast<double>(adding.plan().device_bytes);
}

template <class Space, class Real, class Layout>
void add_host(std::string const& name) {
  std::string const full = name + "/" + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(full.c_str(), host_clear_sky<Space, Real, Layout>);
  benchmark->ArgNames({"nprofile", "nlay", "nangle", "chunk"})->UseManualTime()->Unit(benchmark::kMillisecond);
  int const nprofile = tiny ? 16 : runs_on_host<Space> ? 20000 : 200000;
  benchmark->Args({nprofile, tiny ? 10 : 60, tiny ? 2 : 6, 0});
  if (!tiny) benchmark->Args({nprofile, 60, 6, nprofile});
}

// ---- what is registered
// ----------------------------------------------------------------------------------------------

constexpr std::array<Size, 6> sizes{
    {{10000, 60, 6}, {50000, 60, 6}, {10000, 100, 6}, {100000, 60, 2}, {10000, 60, 16}, {1000, 200, 6}}};

using Registered = benchmark::internal::Benchmark;

template <class Space, class Real>
Registered* add(std::string const& name, Wanted wanted, bool with_limit) {
  std::string const full = name + "/" + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
  return benchmark::RegisterBenchmark(
             full.c_str(), [=](benchmark::State& state) { clear_sky<Space, Real>(state, wanted, with_limit); })
      ->ArgNames({"nprofile", "nlay", "nangle", "strategy", "recorded", "angles", "layers", "lanes", "threads"})
      ->UseManualTime()
      ->Iterations(1);
}

void add_size(Registered* to, Size const& size, int factor, Strategy strategy, bool recorded,
              ClearSkyTuning const& tuning = {}) {
  to->Args({size.nprofile * factor, size.nlay, size.nangle, static_cast<int>(strategy), recorded ? 1 : 0,
            tuning.angles_per_lane, tuning.layers_per_run, tuning.lanes, tuning.threads});
}

ClearSkyTuning tuning_of(int angles_per_lane, int layers_per_run, int lanes, int threads) {
  return {.angles_per_lane = angles_per_lane, .layers_per_run = layers_per_run, .lanes = lanes, .threads = threads};
}

template <class Space, class Real>
void add_all() {
  constexpr bool host = runs_on_host<Space>;
  auto* const top = add<Space, Real>("top", Wanted::top, true);
  auto* const specular = add<Space, Real>("specular_top", Wanted::specular_top, true);
  auto* const levels = add<Space, Real>("levels", Wanted::levels, true);
  auto* const both = add<Space, Real>("up_and_down", Wanted::up_and_down, true);
  add_host<Space, Real, Kokkos::LayoutRight>("host_row_major");
  add_host<Space, Real, Kokkos::LayoutLeft>("host_profile_fastest");
  if (tiny) {
    for (auto* const one : {top, specular, levels, both})
      for (bool const recorded : {false, true}) add_size(one, {16, 10, 2}, 1, Strategy::automatic, recorded);
    return;
  }
  for (Size const& size : sizes) {
    for (bool const recorded : {false, true}) {
      if (host && recorded) continue;
      add_size(top, size, 1, Strategy::automatic, recorded);
      add_size(specular, size, 1, Strategy::automatic, recorded);
    }
    if (host) continue;
    for (auto* const one : {top, specular, levels, both}) add_size(one, size, 32, Strategy::automatic, false);
    if (size.nlay == 60) add_size(levels, size, 1, Strategy::automatic, true);
  }
  // Where one strategy becomes faster than another.
  auto* const strategies = add<Space, Real>("strategies", Wanted::top, false);
  std::vector<int> const counts =
      host ? std::vector<int>{100, 1000, 10000} : std::vector<int>{100, 300, 1000, 3000, 10000, 30000, 100000, 300000};
  for (int const nprofile : counts)
    for (int const nlay : {20, 60, 200})
      for (int const nangle : {2, 6})
        for (Strategy const strategy : {Strategy::sweep, Strategy::team_scan})
          add_size(strategies, {nprofile, nlay, nangle}, 1, strategy, true);
  if (host) return;
  // How the work is cut.
  auto* const tuning = add<Space, Real>("tuning", Wanted::top, false);
  auto* const specular_tuning = add<Space, Real>("specular_tuning", Wanted::specular_top, false);
  auto* const level_tuning = add<Space, Real>("level_tuning", Wanted::levels, false);
  for (Size const& size : sizes) {
    for (int const angles : {1, 2, 3, 4, 6, 8}) {
      if (angles > size.nangle) continue;
      for (int const threads : {64, 256}) {
        add_size(specular_tuning, size, 32, Strategy::sweep, true, tuning_of(angles, 0, 0, threads));
        add_size(level_tuning, size, 32, Strategy::sweep, true, tuning_of(angles, 0, 0, threads));
      }
      for (int const threads : {64, 128, 256})
        for (int const factor : {1, 32})
          add_size(tuning, size, factor, Strategy::sweep, true, tuning_of(angles, 0, 0, threads));
      for (int const layers : {8, 15, 30})
        for (int const lanes : {8, 16, 32})
          add_size(tuning, size, 1, Strategy::team_scan, true, tuning_of(angles, layers, lanes, 256));
      for (int const layers : {10, 20, 30})
        for (int const threads : {64, 128, 256})
          add_size(tuning, size, 32, Strategy::team_scan, true, tuning_of(angles, layers, 32, threads));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return Perf::run_benchmarks(argc, argv, tiny, [] {
#define PARHELION_ADD(SPACE) \
  add_all<SPACE, float>();   \
  add_all<SPACE, double>();
    PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
  });
}
