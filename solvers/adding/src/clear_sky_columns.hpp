// SPDX-License-Identifier: BSD-3-Clause
// The operations of a lane on a run of layers without scattering. core/impl/layer_runs.hpp divides columns into runs
// and combines them.
#ifndef PARHELION_ADDING_IMPL_CLEAR_SKY_COLUMNS_HPP
#define PARHELION_ADDING_IMPL_CLEAR_SKY_COLUMNS_HPP

#include <parhelion/core/affine_map.hpp>
#include <parhelion/core/dual.hpp>
#include <parhelion/core/exponential.hpp>
#include <parhelion/core/impl/layer_runs.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/types.hpp>

#include <cstddef>
#include <type_traits>

namespace parhelion::adding::Impl {

/// An array whose first index is contiguous, for kernels: only a pointer and strides.
template <class T>
struct Field {
  T* data = nullptr;
  std::size_t stride1 = 0;
  std::size_t stride2 = 0;

  KOKKOS_INLINE_FUNCTION explicit operator bool() const { return data != nullptr; }
  KOKKOS_INLINE_FUNCTION T& operator()(int p) const { return data[p]; }
  KOKKOS_INLINE_FUNCTION T& operator()(int p, int i) const { return data[p + i * stride1]; }
  KOKKOS_INLINE_FUNCTION T& operator()(int p, int i, int j) const { return data[p + i * stride1 + j * stride2]; }

  /// The same from profile `first` on.
  Field from(int first) const { return {data == nullptr ? nullptr : data + first, stride1, stride2}; }
};

template <class View>
Field<typename View::value_type> field(View const& view) {
  Field<typename View::value_type> result;
  if (view.size() == 0) return result;
  result.data = view.data();
  if constexpr (View::rank >= 2) result.stride1 = view.stride(1);
  if constexpr (View::rank >= 3) result.stride2 = view.stride(2);
  return result;
}

/// The arrays of a profile that may have perturbations; see Profiles.
template <class Real>
struct Members {
  Field<Real const> depth;
  Field<Real const> transmittance;
  Field<Real const> planck;
  Field<Real const> planck_sfc;
  Field<Real const> emissivity;
  Field<Real const> specular;
  Field<Real const> reflectivity;
  Field<Real const> direct;  ///< direct_reflectivity
  Field<Real const> beam;    ///< (profile): mu0 F0 / pi exp(-tau / mu0), the sun's at the surface

  Members from(int first) const {
    return {depth.from(first),        transmittance.from(first), planck.from(first),
            planck_sfc.from(first),   emissivity.from(first),    specular.from(first),
            reflectivity.from(first), direct.from(first),        beam.from(first)};
  }
};

struct Nothing {
  Nothing from(int) const { return {}; }
};

/// \brief The profiles of a call.
/// \tparam Number Real, or Dual<Real> to compute the change of the result, too
template <class Number>
struct Atmosphere {
  using Real = ValueOf<Number>;
  static constexpr bool has_change = !std::is_same_v<Number, Real>;

  Members<Real> value;
  std::conditional_t<has_change, Members<Real>, Nothing> change;
  Field<Real const> mu;
  Field<Real const> cosmic;
  int mu_step = 1;  ///< 0 if all profiles share their angles
  int first = 0;    ///< index of the first profile in the call
  int nprofile = 0;
  int nlay = 0;
  int nangle = 0;

  /// A member: get<&Members<Real>::planck>(profile, layer).
  template <Field<Real const> Members<Real>::*member, class... Indices>
  KOKKOS_INLINE_FUNCTION Number get(Indices... indices) const {
    Real const x = (value.*member)(indices...);
    if constexpr (has_change) {
      auto const& d = change.*member;
      return Number(x, d ? d(indices...) : Real(0));
    } else {
      return x;
    }
  }

  /// -log2(e) / mu: times an optical depth, it is the base-2 logarithm of the transmittance along the angle.
  KOKKOS_INLINE_FUNCTION Real rate(int p, int i) const {
    return static_cast<Real>(-1.4426950408889634074) / mu(p * mu_step, i);
  }
  KOKKOS_INLINE_FUNCTION Real from_space(int p) const { return cosmic ? cosmic(p) : Real(0); }

  /// The radiance that the surface emits and reflects from the sun's beam.
  KOKKOS_INLINE_FUNCTION Number surface_source(int p, int i) const {
    Number source = get<&Members<Real>::emissivity>(p, i) * get<&Members<Real>::planck_sfc>(p);
    if (value.beam) source += get<&Members<Real>::direct>(p, i) * get<&Members<Real>::beam>(p);
    return source;
  }

  Atmosphere from(int first, int count) const {
    Atmosphere part = *this;
    part.value = value.from(first);
    part.change = change.from(first);
    part.mu = mu.from(mu_step * first);
    part.cosmic = cosmic.from(first);
    part.first = this->first + first;
    part.nprofile = count;
    return part;
  }
};

using parhelion::Impl::Task;

/// The values of the profiles of a task; lanes past the last profile repeat it.
template <int W, class Number, class Get>
KOKKOS_INLINE_FUNCTION void load_lanes(Number (&values)[W], Task const& task, Get const& get) {
  if (task.n >= W) {
    for (int w = 0; w < W; ++w) values[w] = get(task.p0 + w);
  } else {
    for (int w = 0; w < W; ++w) values[w] = get(task.p0 + (w < task.n ? w : task.n - 1));
  }
}

/// \brief Attenuation along G angles of W profiles, from the vertical optical depth.
template <class NumberType, int angles, int lanes>
struct DepthPath {
  using Number = NumberType;
  using Real = ValueOf<Number>;
  static constexpr int G = angles;
  static constexpr int W = lanes;
  template <int other_angles>
  using With = DepthPath<Number, other_angles, W>;

  struct Layer {
    Number depth[W];
  };

  Real rate[G][W];
  Number sum[W] = {};

  KOKKOS_INLINE_FUNCTION DepthPath(Atmosphere<Number> const& in, Task const& task) {
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      int const i = task.i0 + g < in.nangle ? task.i0 + g : in.nangle - 1;
      load_lanes(rate[g], task, [&](int p) { return in.rate(p, i); });
    }
  }

  KOKKOS_INLINE_FUNCTION void load(Layer& layer, Atmosphere<Number> const& in, Task const& task, int k) const {
    load_lanes(layer.depth, task, [&](int p) { return in.template get<&Members<Real>::depth>(p, k); });
  }
  KOKKOS_INLINE_FUNCTION Attenuation<Number> attenuate(Layer const& layer, int g, int w) const {
    return fast_attenuate_exp2(layer.depth[w] * Number(rate[g][w]));
  }
  KOKKOS_INLINE_FUNCTION Real fast_transmittance(Layer const& layer, int g, int w) const {
    return fast_exp2(layer.depth[w] * rate[g][w]);
  }
  /// The same where integers would take registers that are needed for something else.
  KOKKOS_INLINE_FUNCTION Real fast_transmittance_in_few_registers(Layer const& layer, int g, int w) const {
    return fast_attenuate_exp2(layer.depth[w] * rate[g][w]).transmittance;
  }
  /// Records that a layer has been crossed, for `gain`.
  KOKKOS_INLINE_FUNCTION void count(Layer const& layer) {
    PARHELION_UNROLL
    for (int w = 0; w < W; ++w) sum[w] += layer.depth[w];
  }
  /// Transmittance of all recorded layers.
  KOKKOS_INLINE_FUNCTION Number gain(int g, int w) const {
    return fast_attenuate_exp2(sum[w] * Number(rate[g][w])).transmittance;
  }
};

/// The same with given transmittances along the angles.
template <class NumberType, int angles, int lanes>
struct TransmittancePath {
  using Number = NumberType;
  using Real = ValueOf<Number>;
  static constexpr int G = angles;
  static constexpr int W = lanes;
  template <int other_angles>
  using With = TransmittancePath<Number, other_angles, W>;

  struct Layer {
    Number transmittance[G][W];
  };

  Number product[G][W];

  KOKKOS_INLINE_FUNCTION TransmittancePath(Atmosphere<Number> const&, Task const&) {
    for (int g = 0; g < G; ++g)
      for (int w = 0; w < W; ++w) product[g][w] = Real(1);
  }

  KOKKOS_INLINE_FUNCTION void load(Layer& layer, Atmosphere<Number> const& in, Task const& task, int k) const {
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      int const i = task.i0 + g < in.nangle ? task.i0 + g : in.nangle - 1;
      load_lanes(layer.transmittance[g], task,
                 [&](int p) { return in.template get<&Members<Real>::transmittance>(p, k, i); });
    }
  }
  KOKKOS_INLINE_FUNCTION Attenuation<Number> attenuate(Layer const& layer, int g, int w) const {
    return {layer.transmittance[g][w], Number(Real(1)) - layer.transmittance[g][w]};
  }
  KOKKOS_INLINE_FUNCTION void count(Layer const& layer) {
    for (int g = 0; g < G; ++g)
      for (int w = 0; w < W; ++w) product[g][w] *= layer.transmittance[g][w];
  }
  KOKKOS_INLINE_FUNCTION Number gain(int g, int w) const { return product[g][w]; }
};

using parhelion::Impl::RunMap;

/// Number of layers whose input is loaded together, so that enough loads are in flight. For both directions in float,
/// the other registers are needed for more teams.
template <class Path, class Map>
inline constexpr int layers_together = Path::W > 1                         ? 1
                                       : sizeof(typename Path::Layer) <= 4 ? (Map::both ? 4 : 8)
                                       : sizeof(typename Path::Layer) <= 8 ? 4
                                                                           : 2;
/// Whether input is loaded while the layers before are crossed: in double there are registers for it.
template <class Path>
inline constexpr bool loads_early = Path::W == 1 && std::is_same_v<typename Path::Number, double>;

/// A run of layers from `first` in steps of +1 (upward) or -1.
struct LayerRun {
  int first;
  int step;
  int count;
};

/// \brief Goes through a run of layers.
/// \tparam together number of layers whose input is loaded together
/// \tparam early    whether that is while the layers before are crossed
/// \param  each     called with a layer's index, its Path::Layer and its W Planck radiances
/// \param  block    called after as many layers as are loaded together
template <int together, bool early, class Path, class Each, class Block>
KOKKOS_INLINE_FUNCTION void for_each_layer(Atmosphere<typename Path::Number> const& in, Path const& path,
                                           Task const& task, LayerRun const& run, bool emits, Each const& each,
                                           Block const& block) {
  using Number = typename Path::Number;
  using Real = typename Path::Real;
  typename Path::Layer layer[together];
  Number planck[together][Path::W];
  auto const load = [&](int u, int k) {
    path.load(layer[u], in, task, k);
    if (emits) {
      load_lanes(planck[u], task, [&](int p) { return in.template get<&Members<Real>::planck>(p, k); });
    } else {
      for (int w = 0; w < Path::W; ++w) planck[u][w] = Real(0);
    }
  };
  auto const load_all = [&](int k) {
    PARHELION_UNROLL
    for (int u = 0; u < together; ++u) load(u, k + run.step * u);
  };
  int done = 0;
  if constexpr (early) {
    if (run.count >= together) {
      load_all(run.first);
      for (; done + 2 * together <= run.count; done += together) {
        int const k = run.first + run.step * done;
        typename Path::Layer layer_now[together];
        Number planck_now[together][Path::W];
        PARHELION_UNROLL
        for (int u = 0; u < together; ++u) {
          layer_now[u] = layer[u];
          for (int w = 0; w < Path::W; ++w) planck_now[u][w] = planck[u][w];
        }
        load_all(k + run.step * together);
        PARHELION_UNROLL
        for (int u = 0; u < together; ++u) each(k + run.step * u, layer_now[u], planck_now[u]);
        block();
      }
      int const k = run.first + run.step * done;
      PARHELION_UNROLL
      for (int u = 0; u < together; ++u) each(k + run.step * u, layer[u], planck[u]);
      block();
      done += together;
    }
  } else {
    for (; done + together <= run.count; done += together) {
      int const k = run.first + run.step * done;
      PARHELION_UNROLL
      for (int u = 0; u < together; ++u) load(u, k + run.step * u);
      PARHELION_UNROLL
      for (int u = 0; u < together; ++u) each(k + run.step * u, layer[u], planck[u]);
      block();
    }
  }
  if (done == run.count) return;
  int const k = run.first + run.step * done;
  PARHELION_UNROLL
  for (int u = 0; u < together; ++u)
    if (done + u < run.count) load(u, k + run.step * u);
  PARHELION_UNROLL
  for (int u = 0; u < together; ++u)
    if (done + u < run.count) each(k + run.step * u, layer[u], planck[u]);
  block();
}

/// Crosses a layer without cancellation: all terms are >= 0, so that the result has their relative accuracy.
template <class Path, class Map>
KOKKOS_INLINE_FUNCTION void cross_layer(Map& map, Path const& path, typename Path::Layer const& layer,
                                        typename Path::Number const (&planck)[Path::W]) {
  using Number = typename Path::Number;
  PARHELION_UNROLL
  for (int g = 0; g < Path::G; ++g) {
    for (int w = 0; w < Path::W; ++w) {
      int const i = g * Path::W + w;
      Attenuation<Number> const pass = path.attenuate(layer, g, w);
      Number const source = pass.absorptivity * planck[w];
      map.up[i] = AffineMap<Number>(pass.transmittance, source)(map.up[i]);
      if constexpr (Map::both) {
        map.down[i] += map.gain[i] * source;
        map.gain[i] *= pass.transmittance;
      }
    }
  }
}

/// \brief Crosses layers by their transmittances alone, with one multiply-add for a radiance.
///
/// Behind a layer with the Planck radiance B and the transmittance t the radiance is B + t (I - B). Here I - B is kept:
/// the next layer changes it by the difference of the Planck radiances, which is the same for all angles. The downward
/// radiance, the sum of B times the change of the gain, is summed by parts with the same differences. Compared with
/// cross_layer() this takes half the operations, but 1 - t loses digits for thin layers. It matters only where the
/// radiance is much smaller than the Planck radiance; see RadianceAtTop.
template <class Path, class Map>
class FastRun {
 public:
  using Real = typename Path::Real;
  static constexpr int G = Path::G;
  static_assert(Path::W == 1);

  /// \param map the radiation that enters, and after settle() that which leaves
  KOKKOS_INLINE_FUNCTION explicit FastRun(Map& map) : m_map(map) { begin(); }

  KOKKOS_INLINE_FUNCTION void cross(Path const& path, typename Path::Layer const& layer, Real planck) {
    Real const change = m_planck - planck;
    m_planck = planck;
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      m_map.up[g] = m_transmittance[g] * m_map.up[g] + change;
      m_transmittance[g] =
          Map::both ? path.fast_transmittance_in_few_registers(layer, g, 0) : path.fast_transmittance(layer, g, 0);
      if constexpr (Map::both) {
        m_map.down[g] -= m_map.gain[g] * change;
        m_map.gain[g] *= m_transmittance[g];
      }
    }
  }

  /// \brief Completes the radiances of the map.
  ///
  /// To be called after some layers, and not only at the end: what is kept in between takes registers.
  KOKKOS_INLINE_FUNCTION void settle() {
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      m_map.up[g] = m_transmittance[g] * m_map.up[g] + m_planck;
      if constexpr (Map::both) m_map.down[g] -= m_map.gain[g] * m_planck;
    }
    begin();
  }

 private:
  Map& m_map;               ///< up: upward radiances before the last layer, minus its Planck radiance
  Real m_planck;            ///< of the last layer
  Real m_transmittance[G];  ///< of the last layer

  KOKKOS_INLINE_FUNCTION void begin() {
    m_planck = 0;
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) m_transmittance[g] = 1;
  }
};

/// Crosses a run of layers; `after` is called with the index of each layer after it has been crossed. The gain of `map`
/// is only updated if it is for both directions.
template <class Path, class Map, class After>
KOKKOS_INLINE_FUNCTION void cross_layers(Map& map, Path& path, Atmosphere<typename Path::Number> const& in,
                                         Task const& task, LayerRun const& run, bool emits, After const& after) {
  for_each_layer<layers_together<Path, Map>, loads_early<Path>>(
      in, path, task, run, emits,
      [&](int k, typename Path::Layer const& layer, typename Path::Number const(&planck)[Path::W]) {
        if constexpr (!Map::both) path.count(layer);
        cross_layer(map, path, layer, planck);
        after(k);
      },
      [] {});
}

template <class Path, class Map>
KOKKOS_INLINE_FUNCTION void set_gain(Map& map, Path const& path) {
  PARHELION_UNROLL
  for (int g = 0; g < Path::G; ++g)
    for (int w = 0; w < Path::W; ++w) map.gain[g * Path::W + w] = path.gain(g, w);
}

}  // namespace parhelion::adding::Impl

#endif
