// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_COMPOSE_HPP
#define PARHELION_CORE_COMPOSE_HPP

#include <parhelion/core/types.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace parhelion {

/// How a run of layers is composed. All give the same up to rounding; their speeds differ.
enum class Strategy {
  automatic,  ///< choose_strategy decides
  sweep,      ///< one lane per column goes through the layers: the least work, right when columns abound
  team_scan,  ///< a team of threads per column, right when columns are few and deep
  lane_scan   ///< the vector lanes of one thread per column (a warp of a GPU), between the two
};

/// What may be composed: maps with an associative `first + second`, and an identity that the default constructor makes.
template <class T>
concept ComposableMap = std::is_default_constructible_v<T> && std::is_trivially_copyable_v<T> &&
    requires(T const& a, T const& b) {
  { a + b } -> std::convertible_to<T>;
};

/// Where one strategy becomes faster than another; the one place that holds these numbers.
struct StrategyCrossover {
  /// Shorter columns are always swept: a scan has more to set up than they have to do.
  int shortest_scan;
  /// Columns for each hardware thread from which on a sweep keeps the machine busy.
  double columns_per_thread;
  /// Columns up to this length are scanned by the lanes of one thread, longer ones by a team.
  int longest_lane_scan;
};

/// The crossover of the machines that an execution space stands for.
template <KokkosExecutionSpace ExecutionSpace>
constexpr StrategyCrossover strategy_crossover() {
  // Host: always a sweep. A team would gain with many threads and few long columns only, and a choice by the number of
  // threads would give each number of threads its own rounding.
  // Device: a sweep needs some warps on each multiprocessor to hide the latency of memory and of the recurrence.
  // Measured on an H200, 20 to 1000 layers whose neighbours in memory are the next columns: scans and sweep meet at
  // 5,000 to 10,000 columns of its 270,336 threads. Where the next layers are the neighbours, scans hold on to 30,000.
  if constexpr (runs_on_host<ExecutionSpace>) return {std::numeric_limits<int>::max(), 0, 0};
  return {16, 0.03, 32};
}

/// \brief The strategy that `Strategy::automatic` stands for.
/// \param space execution space instance; the concurrency of a device counts
/// \param ncol  number of columns, >= 0
/// \param nlay  number of layers, >= 0
/// \return any of the others. It depends on ncol: where results must have the same bits whatever number of columns is
///         passed in one call, choose once for the largest number, or force a strategy.
template <KokkosExecutionSpace ExecutionSpace>
Strategy choose_strategy(ExecutionSpace const& space, int ncol, int nlay) {
  constexpr StrategyCrossover crossover = strategy_crossover<ExecutionSpace>();
  if (nlay < crossover.shortest_scan || ncol >= crossover.columns_per_thread * space.concurrency())
    return Strategy::sweep;
  return nlay <= crossover.longest_lane_scan ? Strategy::lane_scan : Strategy::team_scan;
}

namespace Impl {

/// Refuses what compose_columns cannot do.
void check_compose(std::string const& label, int ncol, int nlay);

template <class LayerOf>
using MapOf = std::decay_t<std::invoke_result_t<LayerOf const&, int, int>>;

template <class LayerOf, class Store>
struct ComposeSweep {
  using Map = MapOf<LayerOf>;
  int nlay;
  LayerOf layer_of;
  Store store;

  KOKKOS_INLINE_FUNCTION void operator()(int column) const {
    Map composed{};
    for (int layer = 0; layer < nlay; ++layer) {
      composed = composed + layer_of(column, layer);
      store(column, layer, composed);
    }
  }
};

/// A scan over a team that keeps the order on every back end.
///
/// Kokkos' own scan over TeamThreadRange is built for sums: in which order it composes the threads' parts is nowhere
/// promised and differs between back ends. Here the order is written down: each thread composes a chunk of neighbouring
/// layers, the totals of the threads are scanned in team scratch (Hillis & Steele (1986), doi:10.1145/7902.7903), and
/// each thread goes through its layers again, starting from what lies before them.
template <class ExecutionSpace, class LayerOf, class Store>
struct ComposeTeamScan {
  using Map = MapOf<LayerOf>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  using Scratch =
      Kokkos::View<Map*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// A thread of a device keeps this many maps of its run in registers, and asks for the others a second time.
  static constexpr int kept = runs_on_host<ExecutionSpace> ? 0 : sizeof(Map) <= 16 ? 4 : sizeof(Map) <= 48 ? 2 : 1;
  /// Runs of layers of a column: on a host always as many, so that results do not depend on the number of threads,
  /// which share them; on a device as many as a team has threads.
  static constexpr int host_runs = 16;

  int nlay;
  LayerOf layer_of;
  Store store;
  int runs = 1;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const column = member.league_rank();
    int const rank = member.team_rank();
    int const size = member.team_size();
    int const length = (nlay + runs - 1) / runs;
    // The last runs may have nothing: begin >= end.
    auto const begin_of = [&](int run) { return run * length; };
    auto const end_of = [&](int run) { return begin_of(run) + length < nlay ? begin_of(run) + length : nlay; };
    Scratch const scratch(member.team_scratch(0), 2 * runs);  // two halves: one is read while the other is written
    Map own[kept > 0 ? kept : 1];
    for (int run = rank; run < runs; run += size) {
      int const begin = begin_of(run);
      int const end = end_of(run);
      Map total{};
      for (int k = 0; k < kept; ++k) {
        if (begin + k < end) {
          own[k] = layer_of(column, begin + k);
          total = total + own[k];
        }
      }
      for (int layer = begin + kept; layer < end; ++layer) total = total + layer_of(column, layer);
      scratch(run) = total;
    }
    member.team_barrier();
    int half = 0;
    for (int distance = 1; distance < runs; distance *= 2) {
      for (int run = rank; run < runs; run += size) {
        Map const total = scratch(half * runs + run);
        scratch((1 - half) * runs + run) = run >= distance ? scratch(half * runs + run - distance) + total : total;
      }
      half = 1 - half;
      member.team_barrier();
    }

    for (int run = rank; run < runs; run += size) {
      int const begin = begin_of(run);
      int const end = end_of(run);
      Map composed{};
      if (run > 0) composed = scratch(half * runs + run - 1);
      for (int k = 0; k < kept; ++k) {
        if (begin + k < end) {
          composed = composed + own[k];
          store(column, begin + k, composed);
        }
      }
      for (int layer = begin + kept; layer < end; ++layer) {
        composed = composed + layer_of(column, layer);
        store(column, layer, composed);
      }
    }
  }

  static void launch(ExecutionSpace const& space, std::string const& label, int ncol, ComposeTeamScan functor) {
    // The runs depend on the length of the column and on the kind of machine, not on the number of columns, so that the
    // results of this strategy do not depend on it either.
    constexpr bool on_host = runs_on_host<ExecutionSpace>;
    int const wanted = on_host ? functor.nlay : (functor.nlay + kept - 1) / std::max(kept, 1);
    functor.runs = std::clamp(wanted, 1, on_host ? host_runs : 128);
    auto const bytes = [](int n) { return static_cast<int>(Scratch::shmem_size(2 * static_cast<std::size_t>(n))); };
    auto policy = Policy(space, ncol, 1)
                      .set_scratch_size(0, Kokkos::PerTeam(on_host ? bytes(functor.runs) : 0),
                                        Kokkos::PerThread(on_host ? 0 : bytes(1)));
    int const size = std::min(functor.runs, policy.team_size_max(functor, Kokkos::ParallelForTag()));
    if (!on_host) functor.runs = size;
    Kokkos::parallel_for(label, Policy(space, ncol, size).set_scratch_size(0, Kokkos::PerTeam(bytes(functor.runs))),
                         functor);
  }
};

/// The composition of neighbouring layers, which knows where it begins.
///
/// Back ends disagree on the order of the arguments of a reducer's join: CUDA's scan passes the later part first, the
/// host's scan joins nothing. A part that knows its place in the run is joined in the right order either way.
template <class Map>
struct PlacedMap {
  static constexpr int nowhere = 2147483647;
  Map map{};
  int first_layer = nowhere;
};

template <class Map>
struct PlacedJoin {
  using reducer = PlacedJoin;
  using value_type = PlacedMap<Map>;
  using result_view_type = Kokkos::View<value_type, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  value_type& result;

  KOKKOS_INLINE_FUNCTION explicit PlacedJoin(value_type& result_) : result(result_) {}
  KOKKOS_INLINE_FUNCTION void join(value_type& into, value_type const& other) const {
    if (other.first_layer < into.first_layer) {
      into.map = other.map + into.map;
      into.first_layer = other.first_layer;
    } else {
      into.map = into.map + other.map;
    }
  }
  KOKKOS_INLINE_FUNCTION void init(value_type& value) const { value = value_type{}; }
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return result; }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return result_view_type(&result); }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return true; }
};

/// A scan over the lanes of one thread per column, by Kokkos (a warp shuffle on CUDA). It calls layer_of twice for each
/// layer on devices.
template <class ExecutionSpace, class LayerOf, class Store>
struct ComposeLaneScan {
  using Map = MapOf<LayerOf>;
  using Placed = PlacedMap<Map>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static_assert(sizeof(Placed) % sizeof(int) == 0, "the lanes of a device pass each other whole words");

  int ncol;
  int nlay;
  LayerOf layer_of;
  Store store;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const column = member.league_rank() * member.team_size() + member.team_rank();
    // The threads past the last column repeat it and store nothing: where several threads share a warp, all must take
    // part in its exchanges.
    bool const is_column = column < ncol;
    int const source = is_column ? column : ncol - 1;
    Placed unused;
    Kokkos::parallel_scan(
        Kokkos::ThreadVectorRange(member, nlay),
        [&](int layer, Placed& composed, bool final) {
          composed.map = composed.map + layer_of(source, layer);
          composed.first_layer = composed.first_layer < layer ? composed.first_layer : layer;
          if (final && is_column) store(column, layer, composed.map);
        },
        PlacedJoin<Map>(unused));
  }

  static Policy policy(ExecutionSpace const& space, ComposeLaneScan const& functor) {
    if constexpr (runs_on_host<ExecutionSpace>) {
      return Policy(space, functor.ncol, 1, 1);
    } else {
      int const most_lanes = std::min(32, Policy::vector_length_max());
      int lanes = 1;
      while (lanes < functor.nlay && 2 * lanes <= most_lanes) lanes *= 2;
      int const possible = Policy(space, functor.ncol, 1, lanes).team_size_max(functor, Kokkos::ParallelForTag());
      int const threads = std::clamp(128 / lanes, 1, possible);
      return Policy(space, (functor.ncol + threads - 1) / threads, threads, lanes);
    }
  }
};

}  // namespace Impl

/// \brief Composes the layers of many columns: for each layer, the map of all layers up to it.
///
/// For layers m_0, m_1, ... of a column the results are m_0, m_0 + m_1, (m_0 + m_1) + m_2, ... with the `+` of the map,
/// which is taken as associative but not as commutative. Layer 0 is crossed first: for downward radiation let
/// `layer_of` and `store` count from the top. Strategies differ in how they bracket the sum, thus in rounding; each
/// (but not `automatic`, which may change over) gives the same bits from run to run, and for a column the same bits
/// whatever other columns are in the call. On a host that holds for all, `automatic` included, with any number of
/// threads.
///
/// The work is enqueued on `space` as one kernel and not fenced; nothing is allocated.
///
/// \param space    execution space instance
/// \param label    name of the kernel for Kokkos Tools, `parhelion::Component::what`
/// \param ncol     number of columns, >= 0 (whatever is independent: columns x g-points, profiles x angles)
/// \param nlay     number of layers, >= 0
/// \param layer_of callable on the device, `layer_of(column, layer)` returns the map of a layer: an AffineMap, a
///                 ScatteringLayer or any ComposableMap. It may be called more than once, and by any thread.
/// \param store    callable on the device, `store(column, layer, composition of layers 0 to layer)`, called once for
///                 each layer. It may overwrite what `layer_of` reads for the same layer with sweep and team_scan, and
///                 nothing that `layer_of` reads with lane_scan.
/// \param strategy how; results differ by rounding
/// \throws parhelion::Error where ncol or nlay is negative or the label lacks `parhelion::`; nothing is enqueued then
template <KokkosExecutionSpace ExecutionSpace, class LayerOf, class Store>
requires ComposableMap<Impl::MapOf<LayerOf>>
void compose_columns(ExecutionSpace const& space, std::string const& label, int ncol, int nlay, LayerOf const& layer_of,
                     Store const& store, Strategy strategy = Strategy::automatic) {
  Impl::check_compose(label, ncol, nlay);
  if (ncol == 0 || nlay == 0) return;
  if (strategy == Strategy::automatic) strategy = choose_strategy(space, ncol, nlay);
  if (strategy == Strategy::team_scan) {
    using Functor = Impl::ComposeTeamScan<ExecutionSpace, LayerOf, Store>;
    Functor::launch(space, label, ncol, Functor{nlay, layer_of, store});
  } else if (strategy == Strategy::lane_scan) {
    using Functor = Impl::ComposeLaneScan<ExecutionSpace, LayerOf, Store>;
    Functor const functor{ncol, nlay, layer_of, store};
    Kokkos::parallel_for(label, Functor::policy(space, functor), functor);
  } else {
    using Functor = Impl::ComposeSweep<LayerOf, Store>;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, ncol), Functor{nlay, layer_of, store});
  }
}

}  // namespace parhelion

#endif
