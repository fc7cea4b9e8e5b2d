// SPDX-License-Identifier: BSD-3-Clause
// Tangent-linear and adjoint of a layer's operator, applied to the radiation that enters and leaves the layer.
#ifndef PARHELION_ADDING_LAYER_DERIVATIVES_HPP
#define PARHELION_ADDING_LAYER_DERIVATIVES_HPP

#include "layer_operator.hpp"

namespace parhelion::adding::Impl {

/// \brief Derivatives by way of the matrices s and a of LayerOperator.
///
/// Let I+ enter a layer from below and I- from above, both less its Planck radiance B, which turns the layer's emission
/// into transmission and reflection of -B: then all that leaves is, with Gs = (1 + s)^-1 and Ga = (1 + a)^-1,
///
///     up = B + T I+ + R I-,  dn = B + T I- + R I+,  T + R = 2 Gs - 1,  T - R = 2 Ga - 1
///     d(up + dn) = -2 Gs ds Gs (I+ + I-),  d(up - dn) = -2 Ga da Ga (I+ - I-)
///
/// so that derivatives need s and a only in products with vectors; the adjoints of s and a have rank one.
template <class Space, class Real>
struct LayerDerivatives : LayerOperator<Space, Real> {
  using Base = LayerOperator<Space, Real>;
  using typename Base::Alg;
  using typename Base::Lanes;
  using typename Base::Matrix;
  using typename Base::Member;
  using typename Base::Value;
  using Transposed = typename Alg::Transposed;
  using Plain = typename Alg::Plain;
  using Base::order;
  static constexpr int width = Base::width;

  /// m += factor * one
  KOKKOS_INLINE_FUNCTION void add(Member const& member, Matrix const& m, double factor, Matrix const& one) const {
    Alg::for_each_entry(member, static_cast<int>(m.extent(0)), static_cast<int>(m.extent(1)),
                        [&](int const i, int const j) { m(i, j) = m(i, j) + factor * one(i, j); });
  }

  /// \brief The change of s and a.
  ///
  /// \param x,y,dx,dy      generator of the start layer and its change
  /// \param s,a,ds,da      on return of the whole layer
  /// \param memory         11 matrices
  KOKKOS_INLINE_FUNCTION void tangent(Member const& member, Lanes const& lanes, Matrix const& x, Matrix const& y,
                                      Matrix const& dx, Matrix const& dy, Matrix const& s, Matrix const& a,
                                      Matrix const& ds, Matrix const& da, Value* memory) const {
    int const n = order();
    ScratchArena<Alg> scratch(memory);
    Matrix const z = scratch.take(n, n);
    Matrix const z2 = scratch.take(n, n);
    Matrix const z3 = scratch.take(n, n);
    Matrix const q2 = scratch.take(n, n);
    Matrix const q1 = scratch.take(n, n);
    Matrix const p = scratch.take(n, n);
    Matrix const dz = scratch.take(n, n);
    Matrix const dz2 = scratch.take(n, n);
    Matrix const dz3 = scratch.take(n, n);
    Matrix const dq = scratch.take(n, n);
    Matrix const dp = scratch.take(n, n);
    Base::start(member, x, y, z, z2, z3, q2, q1, p, s, a);
    product(member, dy, x, y, dx, dz);
    product(member, dz, z, z, dz, dz2);
    product(member, dz2, z, z2, dz, dz3);
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      dp(i, j) = Base::c7 * dz(i, j) + Base::c8 * dz2(i, j) + Base::c9 * dz3(i, j);  // of q2
      dq(i, j) = Base::c4 * dz(i, j) + Base::c5 * dz2(i, j);
    });
    Alg::multiply(member, 1., dz3, q2, 1., dq);
    Alg::multiply(member, 1., z3, dp, 1., dq);
    Alg::for_each_entry(member, n, n,
                        [&](int const i, int const j) { dp(i, j) = Base::c1 * dz(i, j) + Base::c2 * dz2(i, j); });
    Alg::multiply(member, 1., dz3, q1, 1., dp);
    Alg::multiply(member, 1., z3, dq, 1., dp);
    product(member, dp, y, p, dy, ds);
    product(member, dx, p, x, dp, da);

    // s' = s W, a' = W a with W^-1 = k = (1 + a s) / 2, so that ds' = (ds - s' dk) W and da' = W (da - dk a').
    Matrix const k = z;
    Matrix const dk = z2;
    Matrix const s0 = z3;
    Matrix const a0 = q2;
    Matrix const ds0 = q1;
    Matrix const da0 = p;
    for (int step = 0; step < lanes.max_doublings; ++step) {
      auto const& doubling = Alg::only(member, Base::doubles(lanes, 0, step));
      Alg::multiply(member, 0.5, da, s, 0., dk);
      Alg::multiply(member, 0.5, a, ds, 1., dk);
      Base::bounces(member, s, a, k);
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        s0(i, j) = s(i, j);
        a0(i, j) = a(i, j);
        ds0(i, j) = ds(i, j);
        da0(i, j) = da(i, j);
      });
      solve_right<Alg>(doubling, k, s);
      Alg::solve(doubling, k, a);
      Alg::multiply(doubling, -1., s, dk, 1., ds);
      Alg::multiply(doubling, -1., dk, a, 1., da);
      solve_right<Alg>(doubling, k, ds);
      Alg::solve(doubling, k, da);
      if (width == 1 || Base::all_double(lanes, step)) continue;
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        s(i, j) = Base::choose(lanes, step, s(i, j), s0(i, j));
        a(i, j) = Base::choose(lanes, step, a(i, j), a0(i, j));
        ds(i, j) = Base::choose(lanes, step, ds(i, j), ds0(i, j));
        da(i, j) = Base::choose(lanes, step, da(i, j), da0(i, j));
      });
    }
  }

  /// s and a of the start layer and of every doubling, one pair after the other, into `kept`.
  KOKKOS_INLINE_FUNCTION void keep_doublings(Member const& member, Lanes const& lanes, Matrix const& x, Matrix const& y,
                                             Value* kept, Value* memory) const {
    int const n = order();
    ScratchArena<Alg> scratch(memory);
    Matrix const z = scratch.take(n, n);
    Matrix const z2 = scratch.take(n, n);
    Matrix const z3 = scratch.take(n, n);
    Matrix const q2 = scratch.take(n, n);
    Matrix const q1 = scratch.take(n, n);
    Matrix s = pair(kept, 0, 0);
    Matrix a = pair(kept, 0, 1);
    Base::start(member, x, y, z, z2, z3, q2, q1, q2, s, a);
    for (int step = 0; step < lanes.max_doublings; ++step) {
      Matrix const next_s = pair(kept, step + 1, 0);
      Matrix const next_a = pair(kept, step + 1, 1);
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        next_s(i, j) = s(i, j);
        next_a(i, j) = a(i, j);
      });
      Base::double_layer(member, lanes, step, next_s, next_a, z, z2, z3);
      s = next_s;
      a = next_a;
    }
  }

  KOKKOS_INLINE_FUNCTION Matrix pair(Value* kept, int step, int which) const {
    int const n = order();
    return Matrix(kept + (2 * step + which) * n * n, n, n);
  }

  /// \brief From the adjoints of s and a of the whole layer to those of h X and h Y of the start layer.
  ///
  /// \param bar_s,bar_a in: of the whole layer; overwritten
  /// \param bar_x,bar_y out
  /// \param memory      14 matrices
  KOKKOS_INLINE_FUNCTION void adjoint(Member const& member, Lanes const& lanes, Matrix const& x, Matrix const& y,
                                      Value* kept, Matrix const& bar_s, Matrix const& bar_a, Matrix const& bar_x,
                                      Matrix const& bar_y, Value* memory) const {
    int const n = order();
    ScratchArena<Alg> scratch(memory);
    Matrix const z = scratch.take(n, n);
    Matrix const z2 = scratch.take(n, n);
    Matrix const z3 = scratch.take(n, n);
    Matrix const q2 = scratch.take(n, n);
    Matrix const q1 = scratch.take(n, n);
    Matrix const p = scratch.take(n, n);
    Matrix const bar_z = scratch.take(n, n);
    Matrix const bar_z2 = scratch.take(n, n);
    Matrix const bar_z3 = scratch.take(n, n);
    Matrix const bar_p = scratch.take(n, n);
    Matrix const bar_q1 = scratch.take(n, n);
    Matrix const bar_q2 = scratch.take(n, n);

    // With u = bar_s' W^T and v = W^T bar_a':  bar_k = -(s'^T u + v a'^T), bar_s = u + a^T bar_k / 2, bar_a = v + bar_k
    // s^T / 2.
    Matrix const k = z;
    Matrix const bar_k = z2;
    Matrix const u = z3;
    Matrix const v = q2;
    for (int step = lanes.max_doublings - 1; step >= 0; --step) {
      Matrix const s = pair(kept, step, 0);
      Matrix const a = pair(kept, step, 1);
      Matrix const doubled_s = pair(kept, step + 1, 0);
      Matrix const doubled_a = pair(kept, step + 1, 1);
      Base::bounces(member, s, a, k);
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        u(i, j) = bar_s(i, j);
        v(i, j) = bar_a(i, j);
      });
      solve_right_transposed<Alg>(member, k, u);
      Alg::solve_transposed(member, k, v);
      Alg::template multiply<Transposed>(member, -1., doubled_s, u, 0., bar_k);
      Alg::template multiply<Plain, Transposed>(member, -1., v, doubled_a, 1., bar_k);
      Alg::template multiply<Transposed>(member, 0.5, a, bar_k, 1., u);
      Alg::template multiply<Plain, Transposed>(member, 0.5, bar_k, s, 1., v);
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        bar_s(i, j) = Base::choose(lanes, step, u(i, j), bar_s(i, j));
        bar_a(i, j) = Base::choose(lanes, step, v(i, j), bar_a(i, j));
      });
    }

    // s = p y, a = x p; the scratch that start leaves s and a in is overwritten below.
    Base::start(member, x, y, z, z2, z3, q2, q1, p, bar_z, bar_z2);
    Alg::template multiply<Plain, Transposed>(member, 1., bar_s, y, 0., bar_p);
    Alg::template multiply<Transposed>(member, 1., x, bar_a, 1., bar_p);
    Alg::template multiply<Transposed>(member, 1., p, bar_s, 0., bar_y);
    Alg::template multiply<Plain, Transposed>(member, 1., bar_a, p, 0., bar_x);
    // p = c0 + c1 z + c2 z2 + z3 q1, q1 = c3 + c4 z + c5 z2 + z3 q2, q2 = c6 + c7 z + c8 z2 + c9 z3
    Alg::template multiply<Plain, Transposed>(member, 1., bar_p, q1, 0., bar_z3);
    Alg::template multiply<Transposed>(member, 1., z3, bar_p, 0., bar_q1);
    Alg::template multiply<Plain, Transposed>(member, 1., bar_q1, q2, 1., bar_z3);
    Alg::template multiply<Transposed>(member, 1., z3, bar_q1, 0., bar_q2);
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      bar_z(i, j) = Base::c1 * bar_p(i, j) + Base::c4 * bar_q1(i, j) + Base::c7 * bar_q2(i, j);
      bar_z2(i, j) = Base::c2 * bar_p(i, j) + Base::c5 * bar_q1(i, j) + Base::c8 * bar_q2(i, j);
      bar_z3(i, j) = bar_z3(i, j) + Base::c9 * bar_q2(i, j);
    });
    // z3 = z2 z, z2 = z z, z = y x
    Alg::template multiply<Plain, Transposed>(member, 1., bar_z3, z, 1., bar_z2);
    Alg::template multiply<Transposed>(member, 1., z2, bar_z3, 1., bar_z);
    Alg::template multiply<Plain, Transposed>(member, 1., bar_z2, z, 1., bar_z);
    Alg::template multiply<Transposed>(member, 1., z, bar_z2, 1., bar_z);
    Alg::template multiply<Plain, Transposed>(member, 1., bar_z, x, 1., bar_y);
    Alg::template multiply<Transposed>(member, 1., y, bar_z, 1., bar_x);
  }

 private:
  /// c = a b + d e
  KOKKOS_INLINE_FUNCTION static void product(Member const& member, Matrix const& a, Matrix const& b, Matrix const& d,
                                             Matrix const& e, Matrix const& c) {
    Alg::multiply(member, 1., a, b, 0., c);
    Alg::multiply(member, 1., d, e, 1., c);
  }
};

}  // namespace parhelion::adding::Impl

#endif
