// SPDX-License-Identifier: BSD-3-Clause
// Reflection and transmission of one homogeneous scattering layer, and their derivatives.
#ifndef PARHELION_ADDING_LAYER_OPERATOR_HPP
#define PARHELION_ADDING_LAYER_OPERATOR_HPP

#include <parhelion/adding/profiles.hpp>

#include "small_matrices.hpp"

namespace parhelion::adding::Impl {

/// Upper limit of single-scattering albedos, except in the source of the sun's beam and in very thin layers: CRTM's
/// value.
inline constexpr double albedo_cap = 0.999999;
/// Albedo up to which layers are treated as not scattering: CRTM's value.
inline constexpr double min_albedo = 1e-10;
/// Optical depth below which layers have neither the limit nor a source from the sun's beam: CRTM's value.
inline constexpr double thin_optical_depth = 1e-8;
/// Upper limit of sqrt(X Y) of the start layer, for which the series of tanh is exact to rounding.
inline constexpr double start_thickness = 0.25;
/// Layers thicker than this have their transmission followed through the doublings ...
inline constexpr double thick_optical_depth = 8;
/// ... from this optical depth on.
inline constexpr double followed_optical_depth = 1;
/// More doublings have no effect: a layer of 1e12 mean free paths is opaque.
inline constexpr int max_doublings = 44;

/// The layers of a problem: one on a device, where a team has several problems, and as many as a register has lanes on
/// a host.
template <class Space>
struct LayerLanes {
  static constexpr int width = Algebra<Space, double>::width;
  int profile[width];
  int layer[width];
  int matrix[width];
  bool valid[width];     ///< lanes past the last layer repeat it and store nothing
  double depth[width];   ///< optical depth of the layer
  double start[width];   ///< half the optical depth of the layer from which doubling starts: h
  double part[width];    ///< start as a fraction of depth
  double albedo[width];  ///< capped
  double albedo_sun[width];
  bool capped[width];
  int doublings[width];
  int first_followed[width];  ///< doubling from which on the transmission of a thick layer is followed
  int max_doublings;          ///< of all layers of the team
  int any_followed;           ///< doubling from which on any of them is followed
};

/// \brief The operator of a homogeneous layer from its optical depth, albedo and phase matrix, in double.
///
/// With S = I+ + I- and D = I+ - I-, where I+ goes up and I- down, and t growing downward, the equation of transfer is
///
///     dS/dt = X D,  dD/dt = Y S,  X = (1 - W (Pff - Pbb) w) / mu,  Y = (1 - W (Pff + Pbb) w) / mu
///
/// (without sources). In a layer of optical depth 2 h, radiation that enters symmetrically from both sides makes S even
/// and D odd about the middle; for antisymmetric radiation it is the reverse, so that
///
///     T + R = (1 - s) (1 + s)^-1,  s = tanh(h sqrt(Y X)) (h sqrt(Y X))^-1 h Y
///     T - R = (1 - a) (1 + a)^-1,  a = h X tanh(h sqrt(Y X)) (h sqrt(Y X))^-1
///
/// (tanh x / x is a series in x^2, so no root is taken). Both double by the addition theorem of tanh:
///
///     s(2h) = 2 s (1 + a s)^-1,  a(2h) = 2 (1 + a s)^-1 a
///
/// This needs fewer operations than doubling R and T, and is accurate for conservative scattering: absorption is s
/// itself, not a difference from 1. Doubling: van de Hulst (1963); Grant & Hunt (1969), doi:10.1098/rspa.1969.0187.
///
/// The sun's beam is one more angle: it scatters into the others by the last column of the phase matrices with the
/// weight 1 / (2 pi), and nothing scatters into it. The column of R and T that belongs to it are the layer's sources
/// for a beam of unit irradiance at its top.
template <class Space, class Real>
struct LayerOperator {
  using Alg = Algebra<Space, double>;
  using Member = typename Alg::Member;
  using Value = typename Alg::Value;
  using Matrix = typename Alg::Matrix;
  using Lanes = LayerLanes<Space>;
  static constexpr int width = Alg::width;

  // tanh(x) / x as a series in x^2.
  static constexpr double c0 = 1;
  static constexpr double c1 = -1.0 / 3;
  static constexpr double c2 = 2.0 / 15;
  static constexpr double c3 = -17.0 / 315;
  static constexpr double c4 = 62.0 / 2835;
  static constexpr double c5 = -1382.0 / 155925;
  static constexpr double c6 = 21844.0 / 6081075;
  static constexpr double c7 = -929569.0 / 638512875;
  static constexpr double c8 = 6404582.0 / 10854718875;
  static constexpr double c9 = -443861162.0 / 1856156927625;

  Profiles<Space, Real> profiles;
  int nangle;
  bool sun;  ///< whether the beam is one of the angles

  KOKKOS_INLINE_FUNCTION int order() const { return nangle + (sun ? 1 : 0); }

  KOKKOS_INLINE_FUNCTION double mu(int profile, int angle) const {
    if (angle < nangle) return static_cast<double>(profiles.mu(profiles.mu.extent(0) == 1 ? 0 : profile, angle));
    return profiles.solar_irradiance(profile) > 0 ? static_cast<double>(profiles.cos_sun(profile)) : 1;
  }

  KOKKOS_INLINE_FUNCTION double weight(int profile, int angle) const {
    return static_cast<double>(profiles.weight(profiles.weight.extent(0) == 1 ? 0 : profile, angle));
  }

  KOKKOS_INLINE_FUNCTION double forward(Lanes const& lanes, int l, int i, int j) const {
    return static_cast<double>(
        profiles.phase_forward(profiles.phase_forward.extent(0) == 1 ? 0 : lanes.profile[l], lanes.matrix[l], i, j));
  }

  KOKKOS_INLINE_FUNCTION double backward(Lanes const& lanes, int l, int i, int j) const {
    return static_cast<double>(
        profiles.phase_backward(profiles.phase_backward.extent(0) == 1 ? 0 : lanes.profile[l], lanes.matrix[l], i, j));
  }

  /// The factor of the phase matrix for radiation from angle j.
  KOKKOS_INLINE_FUNCTION double scale(Lanes const& lanes, int l, int j) const {
    if (j < nangle) return lanes.albedo[l] * weight(lanes.profile[l], j);
    return lanes.albedo_sun[l] * beam_weight;
  }

  /// Its derivative with respect to the albedo.
  KOKKOS_INLINE_FUNCTION double scale_by_albedo(Lanes const& lanes, int l, int j) const {
    if (j < nangle) return lanes.capped[l] ? 0 : weight(lanes.profile[l], j);
    return lanes.albedo_sun[l] > 0 ? beam_weight : 0;
  }

  static constexpr double beam_weight = 0.15915494309189533577;  // 1 / (2 pi)

  /// Loads the layer of lane l.
  KOKKOS_INLINE_FUNCTION void load(Lanes& lanes, int l, int profile, int layer, bool valid) const {
    double const depth = static_cast<double>(profiles.optical_depth(profile, layer));
    double const albedo = static_cast<double>(profiles.single_scattering_albedo(profile, layer));
    bool const thin = depth < thin_optical_depth;
    double narrowest = 1;
    for (int i = 0; i < order(); ++i) narrowest = Kokkos::min(narrowest, mu(profile, i));
    lanes.profile[l] = profile;
    lanes.layer[l] = layer;
    lanes.matrix[l] = profiles.phase(profile, layer);
    lanes.valid[l] = valid;
    lanes.depth[l] = depth;
    lanes.capped[l] = !thin && albedo > albedo_cap;
    lanes.albedo[l] = lanes.capped[l] ? albedo_cap : albedo;
    lanes.albedo_sun[l] = sun && !thin && profiles.solar_irradiance(profile) > 0 ? albedo : 0;
    double start = depth / 2;
    double part = 0.5;
    int doublings = 0;
    while (start > start_thickness * narrowest && doublings < max_doublings) {
      start /= 2;
      part /= 2;
      ++doublings;
    }
    lanes.start[l] = Kokkos::min(start, start_thickness * narrowest);
    lanes.first_followed[l] = max_doublings + 1;
    if (depth > thick_optical_depth) {
      lanes.first_followed[l] = 0;
      while (2 * part * depth * Kokkos::pow(2., lanes.first_followed[l]) < followed_optical_depth / 2)
        ++lanes.first_followed[l];
    }
    lanes.part[l] = part;
    lanes.doublings[l] = doublings;
    lanes.max_doublings = l == 0 ? doublings : Kokkos::max(lanes.max_doublings, doublings);
    int const followed = lanes.first_followed[l];
    lanes.any_followed = l == 0 ? followed : Kokkos::min(lanes.any_followed, followed);
  }

  /// X and Y of lane l.
  KOKKOS_INLINE_FUNCTION void generator(Lanes const& lanes, int l, int i, int j, double& difference,
                                        double& sum) const {
    double same = 0;
    double other = 0;
    if (i < nangle) {
      double const s = scale(lanes, l, j);
      same = s * forward(lanes, l, i, j);
      other = s * backward(lanes, l, i, j);
    }
    double const straight = i == j ? 1 : 0;
    double const slant = 1 / mu(lanes.profile[l], i);
    difference = slant * (straight - same + other);
    sum = slant * (straight - same - other);
  }

  /// h X and h Y of the start layer.
  KOKKOS_INLINE_FUNCTION void generator(Member const& member, Lanes const& lanes, Matrix const& x,
                                        Matrix const& y) const {
    Alg::for_each_entry(member, order(), order(), [&](int const i, int const j) {
      Value x_ij;
      Value y_ij;
      for (int l = 0; l < width; ++l) {
        double difference = 0;
        double sum = 0;
        generator(lanes, l, i, j, difference, sum);
        Alg::lane(x_ij, l) = lanes.start[l] * difference;
        Alg::lane(y_ij, l) = lanes.start[l] * sum;
      }
      x(i, j) = x_ij;
      y(i, j) = y_ij;
    });
  }

  /// z = y x, z2 = z^2, z3 = z^3, p = tanh(sqrt z) / sqrt z by way of q2 and q1, s = p y, a = x p. The storage of q2
  /// may be that of p, those of z and z2 may be those of s and a.
  KOKKOS_INLINE_FUNCTION void start(Member const& member, Matrix const& x, Matrix const& y, Matrix const& z,
                                    Matrix const& z2, Matrix const& z3, Matrix const& q2, Matrix const& q1,
                                    Matrix const& p, Matrix const& s, Matrix const& a) const {
    int const n = order();
    Alg::multiply(member, 1., y, x, 0., z);
    Alg::multiply(member, 1., z, z, 0., z2);
    Alg::multiply(member, 1., z2, z, 0., z3);
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      q2(i, j) = c7 * z(i, j) + c8 * z2(i, j) + c9 * z3(i, j) + (i == j ? c6 : 0.);
      q1(i, j) = c4 * z(i, j) + c5 * z2(i, j) + (i == j ? c3 : 0.);
    });
    Alg::multiply(member, 1., z3, q2, 1., q1);
    Alg::for_each_entry(member, n, n,
                        [&](int const i, int const j) { p(i, j) = c1 * z(i, j) + c2 * z2(i, j) + (i == j ? c0 : 0.); });
    Alg::multiply(member, 1., z3, q1, 1., p);
    Alg::multiply(member, 1., p, y, 0., s);
    Alg::multiply(member, 1., x, p, 0., a);
  }

  /// Whether lane l doubles in this step. Lanes with fewer doublings wait.
  KOKKOS_INLINE_FUNCTION static bool doubles(Lanes const& lanes, int l, int step) { return step < lanes.doublings[l]; }

  KOKKOS_INLINE_FUNCTION static bool all_double(Lanes const& lanes, int step) {
    bool all = true;
    for (int l = 0; l < width; ++l) all = all && doubles(lanes, l, step);
    return all;
  }

  /// Assigns `from` in the lanes that double in this step.
  KOKKOS_INLINE_FUNCTION static Value choose(Lanes const& lanes, int step, Value const& doubled, Value const& as_was) {
    Value chosen;
    for (int l = 0; l < width; ++l)
      Alg::lane(chosen, l) = doubles(lanes, l, step) ? Alg::lane(doubled, l) : Alg::lane(as_was, l);
    return chosen;
  }

  /// k = (1 + a s) / 2, factorized
  KOKKOS_INLINE_FUNCTION void bounces(Member const& member, Matrix const& s, Matrix const& a, Matrix const& k) const {
    Alg::for_each_entry(member, order(), order(),
                        [&](int const i, int const j) { k(i, j) = Value(i == j ? 0.5 : 0.); });
    Alg::multiply(member, 0.5, a, s, 1., k);
    Alg::factorize(member, k);
  }

  /// One doubling of s and a. k, s0 and a0 are scratch.
  KOKKOS_INLINE_FUNCTION void double_layer(Member const& all_members, Lanes const& lanes, int step, Matrix const& s,
                                           Matrix const& a, Matrix const& k, Matrix const& s0, Matrix const& a0) const {
    auto const& member = Alg::only(all_members, doubles(lanes, 0, step));
    bounces(member, s, a, k);
    bool const all = width == 1 || all_double(lanes, step);
    if (!all)
      Alg::for_each_entry(member, order(), order(), [&](int const i, int const j) {
        s0(i, j) = s(i, j);
        a0(i, j) = a(i, j);
      });
    solve_right<Alg>(member, k, s);
    Alg::solve(member, k, a);
    if (!all)
      Alg::for_each_entry(member, order(), order(), [&](int const i, int const j) {
        s(i, j) = choose(lanes, step, s(i, j), s0(i, j));
        a(i, j) = choose(lanes, step, a(i, j), a0(i, j));
      });
  }

  /// lu = 1 + m, factorized
  KOKKOS_INLINE_FUNCTION void one_plus(Member const& member, Matrix const& m, Matrix const& lu) const {
    Alg::for_each_entry(member, order(), order(),
                        [&](int const i, int const j) { lu(i, j) = m(i, j) + (i == j ? 1. : 0.); });
    Alg::factorize(member, lu);
  }

  /// \brief Follows the transmission of thick layers through a doubling.
  ///
  /// T = (1 + s)^-1 c (1 + a)^-1 with c = 1 - s a, which is sech^2 and doubles by c(2h) = ((1 + s a)^-1 c)^2 and
  /// (1 + s a)^-1 = 1 - s(2h) a / 2. In this form even a transmission of 1e-40 is exact to rounding, as a product of
  /// transmissions and not a difference of reflections.
  struct Follower {
    Matrix c;
    Matrix ac;

    /// Before s and a are doubled. `fresh` is scratch.
    KOKKOS_INLINE_FUNCTION void before(Member const& member, Lanes const& lanes, int step, Matrix const& s,
                                       Matrix const& a, Matrix const& fresh) const {
      bool begins = false;
      for (int l = 0; l < width; ++l) begins = begins || lanes.first_followed[l] == step;
      begins = Alg::largest(member, begins ? 1 : 0) == 1;
      int const n = static_cast<int>(s.extent(0));
      if (begins) {
        Alg::multiply(member, -1., s, a, 0., fresh);
        Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
          Value c_ij = c(i, j);
          for (int l = 0; l < width; ++l)
            if (lanes.first_followed[l] >= step) Alg::lane(c_ij, l) = Alg::lane(fresh(i, j), l) + (i == j ? 1. : 0.);
          c(i, j) = c_ij;
        });
      }
      Alg::multiply(member, 1., a, c, 0., ac);
    }

    /// After they are. `root` is scratch.
    KOKKOS_INLINE_FUNCTION void after(Member const& member, Lanes const& lanes, int step, Matrix const& doubled_s,
                                      Matrix const& root) const {
      int const n = static_cast<int>(root.extent(0));
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) { root(i, j) = c(i, j); });
      Alg::multiply(member, -0.5, doubled_s, ac, 1., root);
      Alg::multiply(member, 1., root, root, 0., ac);
      Alg::for_each_entry(member, n, n,
                          [&](int const i, int const j) { c(i, j) = choose(lanes, step, ac(i, j), c(i, j)); });
    }
  };

  /// Matrices that `evaluate` needs, in entries.
  KOKKOS_INLINE_FUNCTION static int evaluate_entries(int order) {
    return 7 * Alg::entries(order, order) + 2 * Alg::entries(order, 1);
  }

  /// Reflection, transmission (order x order) and absorptivity (order) of the lanes' layers. They lie in `memory`,
  /// which holds evaluate_entries.
  struct Result {
    Matrix reflection;
    Matrix transmission;
    Matrix absorptivity;
  };
  KOKKOS_INLINE_FUNCTION Result evaluate(Member const& member, Lanes const& lanes, Value* memory) const {
    int const n = order();
    ScratchArena<Alg> scratch(memory);
    Matrix const x = scratch.take(n, n);
    Matrix const y = scratch.take(n, n);
    Matrix const s = scratch.take(n, n);
    Matrix const a = scratch.take(n, n);
    Matrix const k = scratch.take(n, n);
    Matrix const p = scratch.take(n, n);
    Matrix const q = scratch.take(n, n);
    Follower const follower{q, p};
    Matrix const ones = scratch.take(n, 1);
    Matrix const absorptivity = scratch.take(n, 1);
    generator(member, lanes, x, y);
    start(member, x, y, s, a, k, p, q, p, s, a);
    for (int step = 0; step < lanes.max_doublings; ++step) {
      bool const follow = lanes.any_followed <= step;
      if (follow) follower.before(member, lanes, step, s, a, k);
      double_layer(member, lanes, step, s, a, k, x, y);
      if (follow) follower.after(member, lanes, step, s, k);
    }

    // R = (1 + s)^-1 (a - s) (1 + a)^-1 and T = R + 2 (1 + a)^-1 - 1, without cancellation in thin layers.
    Matrix const inverse = x;  // (1 + a)^-1
    Matrix const reflection = a;
    one_plus(member, a, k);
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      inverse(i, j) = Value(i == j ? 1. : 0.);
      y(i, j) = a(i, j) - s(i, j);
    });
    Alg::solve(member, k, inverse);
    Alg::multiply(member, 1., y, inverse, 0., reflection);
    one_plus(member, s, k);
    Alg::solve(member, k, reflection);
    Alg::for_each_entry(member, n, [&](int const i) { ones(i, 0) = Value(i < nangle ? 1. : 0.); });
    Alg::solve(member, k, ones);
    Alg::multiply(member, 2., s, ones, 0., absorptivity);
    bool const followed = lanes.any_followed <= max_doublings;
    if (followed) {
      Alg::multiply(member, 1., follower.c, inverse, 0., y);
      Alg::solve(member, k, y);
    }
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      Value transmission = reflection(i, j) + 2. * inverse(i, j) - (i == j ? 1. : 0.);
      for (int l = 0; l < width && followed; ++l)
        if (lanes.first_followed[l] <= max_doublings) Alg::lane(transmission, l) = Alg::lane(y(i, j), l);
      p(i, j) = transmission;
    });
    return {reflection, p, absorptivity};
  }
};

}  // namespace parhelion::adding::Impl

#endif
