// SPDX-License-Identifier: BSD-3-Clause
// The operations of the kernels of ClearSky on runs of layers; see TeamRuns for their common interface.
#ifndef PARHELION_ADDING_IMPL_CLEAR_SKY_BODIES_HPP
#define PARHELION_ADDING_IMPL_CLEAR_SKY_BODIES_HPP

#include "clear_sky_columns.hpp"

#include <parhelion/core/solver.hpp>

namespace parhelion::adding::Impl {

/// Receives whole columns and stores the radiance at the top, for surfaces that reflect into the same angle only.
template <class ExecutionSpace, class Real>
struct TopSink {
  Field<Real> top;  ///< (profile, angle)
  NotFinite<ExecutionSpace> not_finite;

  template <class Map>
  KOKKOS_INLINE_FUNCTION static Real at_surface(Atmosphere<Real> const& in, int p, int i, Map const& map, int n) {
    return in.value.specular(p, i) * (map.down[n] + map.gain[n] * in.from_space(p));
  }

  template <class Map>
  KOKKOS_INLINE_FUNCTION void put(Atmosphere<Real> const& in, int p, int i, Map const& map, int n) const {
    Real radiance = map.up[n];
    if constexpr (Map::both) radiance += map.gain[n] * at_surface(in, p, i, map, n);
    top(p, i) = radiance;
    not_finite.check(radiance, in.first + p);
  }
};

/// Receives whole columns and stores their maps, for surfaces that mix angles.
template <class Number>
struct RunSink {
  Field<Number> gain, up, down;  ///< (profile, angle)

  template <class Map>
  KOKKOS_INLINE_FUNCTION void put(Atmosphere<Number> const&, int p, int i, Map const& map, int n) const {
    gain(p, i) = map.gain[n];
    up(p, i) = map.up[n];
    down(p, i) = map.down[n];
  }
};

/// \brief The radiance at the top, or the maps that determine it.
/// \tparam two_way whether the surface reflects
/// \tparam fast    whether to use FastRun. Its error is about one rounding of the Planck radiance for each layer, which
///                 is negligible unless the radiance is much smaller; such columns are recomputed without it.
template <class ExecutionSpace, class PathType, bool two_way, bool fast, class Sink>
struct RadianceAtTop {
  using Path = PathType;
  using Number = typename Path::Number;
  using Real = typename Path::Real;
  static constexpr int G = Path::G;
  static constexpr int W = Path::W;
  using Map = RunMap<Number, G * W, two_way>;
  static constexpr bool stores_levels = false;
  static constexpr bool watches = fast;
  static_assert(!fast || W == 1, "notes are for one profile per lane");

  Atmosphere<Number> in;
  Sink sink;

  /// Layers whose Planck radiance exceeds the radiance that leaves them by more than this factor are thin, and errors
  /// of 1e-7 of their Planck radiance (in float) would be 1e-6 of the radiance.
  static constexpr Real strong = 8;

  KOKKOS_INLINE_FUNCTION static bool is_weak(Real radiance, Real planck) { return radiance < planck / strong; }

  KOKKOS_INLINE_FUNCTION Map begin(Task const& task) const { return begin_with<Map, Path>(task); }

  template <class AnyMap, class AnyPath>
  KOKKOS_INLINE_FUNCTION AnyMap begin_with(Task const& task) const {
    AnyMap map;
    PARHELION_UNROLL
    for (int g = 0; g < AnyPath::G; ++g) {
      int const i = task.i0 + g < in.nangle ? task.i0 + g : in.nangle - 1;
      for (int w = 0; w < W; ++w) map.up[g * W + w] = in.surface_source(task.p0 + (w < task.n ? w : task.n - 1), i);
    }
    return map;
  }

  /// Records of a run through layers that tell whether the fast exponential is accurate.
  struct Notes {
    Real largest = 0;  ///< Planck radiance
    int weak = 0;      ///< bits of angles whose radiance became much smaller
  };

  /// Crosses layers; `map` holds the incoming radiation and is replaced by the outgoing one.
  KOKKOS_INLINE_FUNCTION void run(Map& map, Notes& notes, Task const& task, int first, int count, bool with_gain,
                                  bool /* store */) const {
    Path path(in, task);
    if constexpr (fast) {
      FastRun<Path, Map> run(map);
      Real largest = 0;
      for_each_layer<layers_together<Path, Map>, false>(
          in, path, task, LayerRun{first, 1, count}, true,
          [&](int, typename Path::Layer const& layer, Number const(&planck)[W]) {
            if constexpr (!two_way) path.count(layer);
            largest = Kokkos::fmax(largest, planck[0]);
            run.cross(path, layer, planck[0]);
          },
          [&] {
            run.settle();
            PARHELION_UNROLL
            for (int g = 0; g < G; ++g) notes.weak |= is_weak(map.up[g], largest) ? 1 << g : 0;
            notes.largest = Kokkos::fmax(notes.largest, largest);
            largest = 0;
          });
    } else {
      cross_layers(map, path, in, task, LayerRun{first, 1, count}, true, [](int) {});
    }
    if constexpr (!two_way)
      if (with_gain) set_gain(map, path);
  }

  /// \param map whose entry n is for this profile and angle
  template <class AnyMap>
  KOKKOS_INLINE_FUNCTION void finish(int p, int i, AnyMap const& map, int n, bool weak, Real largest) const {
    if constexpr (fast) {
      if constexpr (two_way)
        weak = weak || is_weak(in.surface_source(p, i) + Sink::at_surface(in, p, i, map, n), largest);
      if (weak) {
        using OnePath = typename Path::template With<1>;
        Task const task{p, 1, i};
        OnePath path(in, task);
        auto again = begin_with<RunMap<Number, 1, two_way>, OnePath>(task);
        cross_layers(again, path, in, task, LayerRun{0, 1, in.nlay}, true, [](int) {});
        sink.put(in, p, i, again, 0);
        return;
      }
    }
    sink.put(in, p, i, map, n);
  }

  KOKKOS_INLINE_FUNCTION void finish_all(Task const& task, Map const& map, Notes const& notes) const {
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g)
      for (int w = 0; w < W; ++w)
        if (w < task.n && task.i0 + g < in.nangle)
          finish(task.p0 + w, task.i0 + g, map, g * W + w, (notes.weak >> g & 1) != 0, notes.largest);
  }
};

/// The radiance that enters a column at the end where the run through it begins.
template <class Real>
struct Entry {
  enum class Kind {
    sky,         ///< from space
    surface,     ///< from the surface, which reflects `incident`
    given,       ///< `incident`
    transposed,  ///< transposed reflectivity times `incident`: the reflection in an adjoint
  };
  Kind kind = Kind::sky;
  Field<Real const> incident;  ///< (profile, angle), may be empty with `surface`

  KOKKOS_INLINE_FUNCTION Real operator()(Atmosphere<Real> const& in, int p, int i) const {
    if (kind == Kind::sky) return in.from_space(p);
    if (kind == Kind::given) return incident(p, i);
    Real radiance = kind == Kind::surface ? in.surface_source(p, i) : Real(0);
    if (!incident) return radiance;
    if (in.value.specular) radiance += in.value.specular(p, i) * incident(p, i);
    if (in.value.reflectivity)
      for (int j = 0; j < in.nangle; ++j)
        radiance +=
            (kind == Kind::surface ? in.value.reflectivity(p, i, j) : in.value.reflectivity(p, j, i)) * incident(p, j);
    return radiance;
  }
};

/// The radiance at all levels in one direction.
template <class ExecutionSpace, class PathType>
struct LevelRadiances {
  using Path = PathType;
  using Number = typename Path::Number;
  using Real = Number;
  static constexpr int G = Path::G;
  static constexpr int W = Path::W;
  using Map = RunMap<Number, G * W, false>;
  static constexpr bool stores_levels = true;
  static constexpr bool watches = false;
  using Notes = Nothing;

  Atmosphere<Real> in;
  Entry<Real> entry;
  Field<Real> levels;  ///< (profile, level, angle), may be empty
  Field<Real> last;    ///< (profile, angle): the radiance that leaves the column at the other end; may be empty
  bool upward;
  bool emits;  ///< false if layers only attenuate, as in an adjoint
  NotFinite<ExecutionSpace> not_finite;

  KOKKOS_INLINE_FUNCTION LayerRun run_of(int first, int count) const {
    return {upward ? first : in.nlay - 1 - first, upward ? 1 : -1, count};
  }

  KOKKOS_INLINE_FUNCTION Map begin(Task const& task) const {
    Map map;
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      int const i = task.i0 + g < in.nangle ? task.i0 + g : in.nangle - 1;
      for (int w = 0; w < W; ++w) map.up[g * W + w] = entry(in, task.p0 + (w < task.n ? w : task.n - 1), i);
    }
    return map;
  }

  KOKKOS_INLINE_FUNCTION static void store(Atmosphere<Real> const& in, Field<Real> const& levels, Task const& task,
                                           int level, Map const& map) {
    Real* row = &levels(task.p0, level, task.i0);  // incremented, not indexed: stores dominate
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      if (task.i0 + g < in.nangle)
        for (int w = 0; w < W; ++w)
          if (w < task.n) row[w] = map.up[g * W + w];
      row += levels.stride2;
    }
  }

  KOKKOS_INLINE_FUNCTION void run(Map& map, Notes&, Task const& task, int first, int count, bool with_gain,
                                  bool store) const {
    Path path(in, task);
    bool const store_levels = store && levels;
    if (store_levels && first == 0) this->store(in, levels, task, upward ? 0 : in.nlay, map);
    cross_layers(map, path, in, task, run_of(first, count), emits, [&](int k) {
      if (store_levels) this->store(in, levels, task, upward ? k + 1 : k, map);
    });
    if (with_gain) set_gain(map, path);
    if (!store || first + count < in.nlay) return;
    // Values that are not finite remain so in the following layers.
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g)
      for (int w = 0; w < W; ++w) {
        if (w >= task.n || task.i0 + g >= in.nangle) continue;
        not_finite.check(map.up[g * W + w], in.first + task.p0 + w);
        if (last) last(task.p0 + w, task.i0 + g) = map.up[g * W + w];
      }
  }
};

/// The emergent upward radiance of everything below each level, over a surface that reflects.
template <class ExecutionSpace, class PathType>
struct LevelsFromBelow {
  using Path = PathType;
  using Number = typename Path::Number;
  using Real = Number;
  static constexpr int G = Path::G;
  static constexpr int W = Path::W;
  using Map = RunMap<Number, G * W, true>;
  static constexpr bool stores_levels = true;
  static constexpr bool watches = false;
  using Notes = Nothing;

  enum class Store {
    specular,  ///< the radiance, where the surface does not mix angles
    down,      ///< the radiance that reaches the surface from below the level, for `mixed`
    mixed      ///< the radiance, from `down` at all angles
  };

  Atmosphere<Real> in;
  Field<Real> levels;      ///< (profile, level, angle)
  Field<Real const> down;  ///< the same
  Store what;
  NotFinite<ExecutionSpace> not_finite;

  KOKKOS_INLINE_FUNCTION Map begin(Task const& task) const {
    Map map;
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      int const i = task.i0 + g < in.nangle ? task.i0 + g : in.nangle - 1;
      for (int w = 0; w < W; ++w) map.up[g * W + w] = in.surface_source(task.p0 + (w < task.n ? w : task.n - 1), i);
    }
    return map;
  }

  KOKKOS_INLINE_FUNCTION void store(Task const& task, int level, Map const& map) const {
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      int const i = task.i0 + g;
      if (i >= in.nangle) continue;
      for (int w = 0; w < W; ++w) {
        if (w >= task.n) continue;
        int const p = task.p0 + w;
        int const n = g * W + w;
        // The radiance from space enters at the top of the atmosphere only.
        Real const to_surface = level < in.nlay ? map.down[n] : map.down[n] + map.gain[n] * in.from_space(p);
        Real radiance = to_surface;
        if (what == Store::specular) {
          radiance = map.up[n] + map.gain[n] * in.value.specular(p, i) * to_surface;
        } else if (what == Store::mixed) {
          Real reflected = 0;
          for (int j = 0; j < in.nangle; ++j) reflected += in.value.reflectivity(p, i, j) * down(p, level, j);
          radiance = map.up[n] + map.gain[n] * reflected;
        }
        levels(p, level, i) = radiance;
        if (level == in.nlay) not_finite.check(radiance, in.first + p);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void run(Map& map, Notes&, Task const& task, int first, int count, bool /* with_gain */,
                                  bool store) const {
    Path path(in, task);
    if (store && first == 0) this->store(task, 0, map);
    cross_layers(map, path, in, task, LayerRun{first, 1, count}, true, [&](int k) {
      if (store) this->store(task, k + 1, map);
    });
  }
};

}  // namespace parhelion::adding::Impl

#endif
