// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the tangent-linear and the adjoint with scattering.
#ifndef PARHELION_ADDING_SENSITIVITY_KERNELS_HPP
#define PARHELION_ADDING_SENSITIVITY_KERNELS_HPP

#include "layer_derivatives.hpp"
#include "scattering_kernels.hpp"

#include <parhelion/core/solver.hpp>

namespace parhelion::adding::Impl {

/// The change of the sun's beam at every level.
template <class Space, class Real>
struct BeamTangent {
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;
  Perturbation<Space, Real> change;

  KOKKOS_INLINE_FUNCTION void operator()(int const p) const {
    double depth = 0;
    for (int k = profiles.nlay(); k >= 0; --k) {
      double const beam = memory.beam(p, k);
      memory.beam_tangent(p, k) = beam > 0 ? -beam * depth / static_cast<double>(profiles.cos_sun(p)) : 0;
      if (k > 0) depth += static_cast<double>(change.optical_depth(p, k - 1));
    }
  }
};

/// The change of the radiation that crosses layers without scattering.
template <class Space, class Real>
struct ClearTangents {
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;
  Perturbation<Space, Real> change;

  KOKKOS_INLINE_FUNCTION void operator()(int const index) const {
    int const p = index % profiles.nprofile();
    int const k = index / profiles.nprofile();
    if (memory.entry(p, k) >= 0) return;
    Real const planck = profiles.planck(p, k);
    Real const d_depth = change.optical_depth.size() > 0 ? change.optical_depth(p, k) : Real(0);
    Real const d_planck = change.planck.size() > 0 ? change.planck(p, k) : Real(0);
    for (int i = 0; i < profiles.nangle(); ++i) {
      Real const mu = profiles.mu(profiles.mu.extent(0) == 1 ? 0 : p, i);
      Real const path = profiles.optical_depth(p, k) / mu;
      Real const dt = -Kokkos::exp(-path) * d_depth / mu;
      Real const emitted = -Kokkos::expm1(-path) * d_planck;
      memory.tangent_up(p, k, i) = dt * (memory.up_at(p, k, i) - planck) + emitted;
      memory.tangent_dn(p, k, i) = dt * (memory.dn_at(p, k + 1, i) - planck) + emitted;
    }
  }
};

/// Radiation that enters a scattering layer minus the Planck radiance of the layer: its sum and difference (up minus
/// down) in the first column of two matrices. The second column is 1 for the sun's beam; the third column of `sum` is 1
/// for all angles except the sun's.
template <class Space, class Real>
KOKKOS_INLINE_FUNCTION void entering_radiation(LayerDerivatives<Space, Real> const& layer,
                                               Memory<Space, Real> const& memory, LayerLanes<Space> const& lanes,
                                               typename Algebra<Space, double>::Member const& member,
                                               typename Algebra<Space, double>::Matrix const& sum,
                                               typename Algebra<Space, double>::Matrix const& difference) {
  using Alg = Algebra<Space, double>;
  Alg::for_each_entry(member, layer.order(), [&](int const i) {
    typename Alg::Value both;
    typename Alg::Value less;
    for (int l = 0; l < Alg::width; ++l) {
      int const p = lanes.profile[l];
      int const k = lanes.layer[l];
      double up = 0;
      double dn = 0;
      if (i < layer.nangle) {
        double const planck = static_cast<double>(layer.profiles.planck(p, k));
        up = static_cast<double>(memory.up_at(p, k, i)) - planck;
        dn = static_cast<double>(memory.dn_at(p, k + 1, i)) - planck;
      } else if (lanes.albedo_sun[l] > 0) {
        dn = memory.beam(p, k + 1);
      }
      Alg::lane(both, l) = up + dn;
      Alg::lane(less, l) = up - dn;
    }
    sum(i, 0) = both;
    difference(i, 0) = less;
    sum(i, 1) = difference(i, 1) = typename Alg::Value(i < layer.nangle ? 0. : 1.);
    sum(i, 2) = typename Alg::Value(i < layer.nangle ? 1. : 0.);
  });
}

/// The same for layers with scattering.
template <class Space, class Real>
struct LayerTangents {
  using Alg = Algebra<Space, double>;
  static constexpr int team_scratch = scratch_for_sensitivities;
  using Matrix = typename Alg::Matrix;
  using Value = typename Alg::Value;

  LayerDerivatives<Space, Real> layer;
  Memory<Space, Real> memory;
  Perturbation<Space, Real> change;

  KOKKOS_INLINE_FUNCTION int entries() const { return Memory<Space, Real>::derivative_entries(layer.order()); }

  KOKKOS_INLINE_FUNCTION void operator()(typename Alg::Member const& member, int pack, int /* slot */,
                                         Value* storage) const {
    LayerLanes<Space> lanes;
    if (!load_lanes(layer, memory, member, pack, lanes)) return;
    int const n = layer.order();
    ScratchArena<Alg> scratch(storage);
    Matrix const x = scratch.take(n, n);
    Matrix const y = scratch.take(n, n);
    Matrix const dx = scratch.take(n, n);
    Matrix const dy = scratch.take(n, n);
    Matrix const s = scratch.take(n, n);
    Matrix const a = scratch.take(n, n);
    Matrix const ds = scratch.take(n, n);
    Matrix const da = scratch.take(n, n);
    Matrix const sum = scratch.take(n, 3);
    Matrix const difference = scratch.take(n, 2);
    Matrix const of_sum = scratch.take(n, 1);
    Matrix const of_difference = scratch.take(n, 1);
    Matrix const absorptivity = scratch.take(n, 1);
    Value* const memory_for_layer = scratch.take(11 * Alg::entries(n, n));
    layer.generator(member, lanes, x, y);
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      Value dx_ij;
      Value dy_ij;
      for (int l = 0; l < Alg::width; ++l) generator_tangent(lanes, l, i, j, Alg::lane(dx_ij, l), Alg::lane(dy_ij, l));
      dx(i, j) = dx_ij;
      dy(i, j) = dy_ij;
    });
    layer.tangent(member, lanes, x, y, dx, dy, s, a, ds, da, memory_for_layer);

    entering_radiation(layer, memory, lanes, member, sum, difference);
    Matrix const factors = x;
    layer.one_plus(member, s, factors);
    Alg::solve(member, factors, sum);
    Alg::multiply(member, 2., s, Alg::columns(sum, 2, 1), 0., absorptivity);
    Alg::multiply(member, -1., ds, Alg::columns(sum, 0, 1), 0., of_sum);
    Alg::solve(member, factors, of_sum);
    layer.one_plus(member, a, factors);
    Alg::solve(member, factors, difference);
    Alg::multiply(member, -1., da, Alg::columns(difference, 0, 1), 0., of_difference);
    Alg::solve(member, factors, of_difference);
    Alg::for_each_entry(member, layer.nangle, [&](int const i) {
      for (int l = 0; l < Alg::width; ++l) {
        if (!lanes.valid[l]) continue;
        int const p = lanes.profile[l];
        int const k = lanes.layer[l];
        double const d_planck = change.planck.size() > 0 ? static_cast<double>(change.planck(p, k)) : 0;
        double const emitted = Alg::lane(absorptivity(i, 0), l) * d_planck;
        double const d_beam =
            layer.sun && change.optical_depth.size() > 0 && lanes.albedo_sun[l] > 0 ? memory.beam_tangent(p, k + 1) : 0;
        double const by_sum = Alg::lane(of_sum(i, 0), l) + Alg::lane(sum(i, 1), l) * d_beam;
        double const by_difference = Alg::lane(of_difference(i, 0), l) - Alg::lane(difference(i, 1), l) * d_beam;
        memory.tangent_up(p, k, i) = static_cast<Real>(by_sum + by_difference + emitted);
        memory.tangent_dn(p, k, i) = static_cast<Real>(by_sum - by_difference + emitted);
      }
    });
  }

  KOKKOS_INLINE_FUNCTION void generator_tangent(LayerLanes<Space> const& lanes, int l, int i, int j, double& dx,
                                                double& dy) const {
    int const p = lanes.profile[l];
    int const k = lanes.layer[l];
    dx = dy = 0;
    if (change.optical_depth.size() > 0) {
      double difference = 0;
      double sum = 0;
      layer.generator(lanes, l, i, j, difference, sum);
      double const d_start = lanes.part[l] * static_cast<double>(change.optical_depth(p, k));
      dx = d_start * difference;
      dy = d_start * sum;
    }
    if (i >= layer.nangle) return;
    double same = 0;
    double other = 0;
    if (change.single_scattering_albedo.size() > 0) {
      double const d_albedo = static_cast<double>(change.single_scattering_albedo(p, k));
      double const d_scale = layer.scale_by_albedo(lanes, l, j) * d_albedo;
      same += d_scale * layer.forward(lanes, l, i, j);
      other += d_scale * layer.backward(lanes, l, i, j);
    }
    double const scale = layer.scale(lanes, l, j);
    if (change.phase_forward.size() > 0)
      same += scale * static_cast<double>(change.phase_forward(p, lanes.matrix[l], i, j));
    if (change.phase_backward.size() > 0)
      other += scale * static_cast<double>(change.phase_backward(p, lanes.matrix[l], i, j));
    double const h = lanes.start[l] / layer.mu(p, i);
    dx -= h * (same - other);
    dy -= h * (same + other);
  }
};

/// Adds up the changes due to the surface and the layers.
template <class Space, class Real>
struct AddTangents : ColumnWork<Space, Real> {
  using Base = ColumnWork<Space, Real>;
  using Base::memory;
  using Base::profiles;
  using typename Base::Alg;
  using typename Base::Matrix;
  using typename Base::Member;
  using typename Base::Piece;
  using typename Base::Value;

  Perturbation<Space, Real> change;
  ProfileArray<Real**, Space> tangent_toa;
  NotFinite<Space> not_finite;

  KOKKOS_INLINE_FUNCTION int entries() const { return Base::layer_entries(Base::nangle()) + 3 * Base::nangle(); }

  KOKKOS_INLINE_FUNCTION Real surface(int p, int i) const {
    Real leaves = 0;
    if (change.emissivity.size() > 0) leaves += change.emissivity(p, i) * profiles.planck_sfc(p);
    if (change.planck_sfc.size() > 0) leaves += profiles.emissivity(p, i) * change.planck_sfc(p);
    if (change.reflectivity.size() > 0)
      for (int j = 0; j < Base::nangle(); ++j) leaves += change.reflectivity(p, i, j) * memory.dn_at(p, 0, j);
    if (profiles.solar_irradiance.size() > 0) {
      double const onto = static_cast<double>(profiles.cos_sun(p)) * AddUpward<Space, Real>::inverse_pi;
      double sun = 0;
      if (change.direct_reflectivity.size() > 0)
        sun += static_cast<double>(change.direct_reflectivity(p, i)) * memory.beam(p, 0);
      if (change.optical_depth.size() > 0)
        sun += static_cast<double>(profiles.direct_reflectivity(p, i)) * memory.beam_tangent(p, 0);
      leaves += static_cast<Real>(onto * sun);
    }
    return leaves;
  }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member, int const pack, int /* slot */, Value* storage) const {
    int const n = Base::nangle();
    ScratchArena<Alg> scratch(storage);
    Value* const for_layer = scratch.take(Base::layer_entries(n));
    Matrix const u = scratch.take(n, 1);
    Matrix const up = scratch.take(n, 1);
    Matrix const dn = scratch.take(n, 1);
    Alg::for_each_entry(member, n, [&](int const i) {
      Value leaves;
      for (int l = 0; l < Base::width; ++l) Alg::lane(leaves, l) = surface(Base::profile_of(pack, l), i);
      u(i, 0) = leaves;
    });
    for (int k = 0; k < profiles.nlay(); ++k) {
      Piece const piece = Base::load_layer(member, pack, k, for_layer);
      Alg::for_each_entry(member, n, [&](int const i) {
        Value from_up;
        Value from_dn;
        for (int l = 0; l < Base::width; ++l) {
          int const p = Base::profile_of(pack, l);
          Alg::lane(from_up, l) = memory.tangent_up(p, k, i);
          Alg::lane(from_dn, l) = memory.tangent_dn(p, k, i);
        }
        up(i, 0) = from_up;
        dn(i, 0) = from_dn;
      });
      Alg::multiply(member, 1, memory.state_reflection(0, pack, k), dn, 1, u);
      if (piece.diagonal) {
        Alg::for_each_entry(member, n, [&](int const i) { u(i, 0) = piece.t(i, 0) * u(i, 0); });
        Alg::for_each_entry(member, n, [&](int const i) { u(i, 0) = up(i, 0) + u(i, 0); });
      } else {
        Alg::solve(member, memory.factors(0, pack, k), u);
        Alg::multiply(member, 1, piece.transmission_up, u, 1, up);
        Base::copy(member, up, u);
      }
    }
    Alg::for_each_entry(member, n, [&](int const i) {
      for (int l = 0; l < Base::width; ++l) {
        if (!Base::is_profile(pack, l)) continue;
        tangent_toa(pack * Base::width + l, i) = Alg::lane(u(i, 0), l);
        not_finite.check(Alg::lane(u(i, 0), l), pack * Base::width + l);
      }
    });
  }
};

/// The arrays of derivatives.
template <class Space, class Real>
struct DerivativeSink : Gradient<Space, Real> {
  NotFinite<Space> not_finite;

  /// Stores a value of a profile, unless the array is empty.
  template <class View, class... Indices>
  KOKKOS_INLINE_FUNCTION void give(View const& to, Real value, int p, Indices... indices) const {
    if (to.size() == 0) return;
    to(p, indices...) = value;
    not_finite.check(value, p);
  }
};

/// The derivatives with respect to layers without scattering.
template <class Space, class Real>
struct ClearAdjoints {
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;
  DerivativeSink<Space, Real> derivative;

  KOKKOS_INLINE_FUNCTION void operator()(int const index) const {
    int const p = index % profiles.nprofile();
    int const k = index / profiles.nprofile();
    if (memory.entry(p, k) >= 0) return;
    memory.beam_adjoint(p, k) = 0;
    Real const planck = profiles.planck(p, k);
    Real by_depth = 0;
    Real by_planck = 0;
    for (int i = 0; i < profiles.nangle(); ++i) {
      Real const mu = profiles.mu(profiles.mu.extent(0) == 1 ? 0 : p, i);
      Real const path = profiles.optical_depth(p, k) / mu;
      Real const up = memory.adjoint_up_at(p, k + 1, i);
      Real const dn = memory.adjoint_dn_at(p, k, i);
      by_depth -=
          Kokkos::exp(-path) / mu * (up * (memory.up_at(p, k, i) - planck) + dn * (memory.dn_at(p, k + 1, i) - planck));
      by_planck -= Kokkos::expm1(-path) * (up + dn);
    }
    derivative.give(derivative.optical_depth, by_depth, p, k);
    derivative.give(derivative.planck, by_planck, p, k);
    derivative.give(derivative.single_scattering_albedo, Real(0), p, k);
  }
};

/// The derivatives with respect to layers with scattering.
template <class Space, class Real>
struct LayerAdjoints {
  using Alg = Algebra<Space, double>;
  static constexpr int team_scratch = scratch_for_sensitivities;
  using Matrix = typename Alg::Matrix;
  using Value = typename Alg::Value;
  static constexpr bool needs_slot = true;

  LayerDerivatives<Space, Real> layer;
  Memory<Space, Real> memory;
  DerivativeSink<Space, Real> derivative;

  KOKKOS_INLINE_FUNCTION int entries() const { return Memory<Space, Real>::derivative_entries(layer.order()); }

  KOKKOS_INLINE_FUNCTION void operator()(typename Alg::Member const& member, int pack, int slot, Value* storage) const {
    LayerLanes<Space> lanes;
    if (!load_lanes(layer, memory, member, pack, lanes)) return;
    int const n = layer.order();
    int const nangle = layer.nangle;
    ScratchArena<Alg> scratch(storage);
    Matrix const x = scratch.take(n, n);
    Matrix const y = scratch.take(n, n);
    Matrix const bar_s = scratch.take(n, n);
    Matrix const bar_a = scratch.take(n, n);
    Matrix const bar_x = scratch.take(n, n);
    Matrix const bar_y = scratch.take(n, n);
    Matrix const sum = scratch.take(n, 3);
    Matrix const difference = scratch.take(n, 2);
    Matrix const left_sum = scratch.take(n, 1);
    Matrix const left_difference = scratch.take(n, 1);
    Matrix const absorptivity = scratch.take(n, 1);
    Value* const memory_for_layer = scratch.take(14 * Alg::entries(n, n));
    Value* const kept = &memory.doublings(slot, 0);
    layer.generator(member, lanes, x, y);
    layer.keep_doublings(member, lanes, x, y, kept, memory_for_layer);
    Matrix const s = layer.pair(kept, lanes.max_doublings, 0);
    Matrix const a = layer.pair(kept, lanes.max_doublings, 1);

    entering_radiation(layer, memory, lanes, member, sum, difference);
    Alg::for_each_entry(member, n, [&](int const i) {
      Value both(0);
      Value less(0);
      for (int l = 0; l < Alg::width && i < nangle; ++l) {
        double const up = static_cast<double>(memory.adjoint_up_at(lanes.profile[l], lanes.layer[l] + 1, i));
        double const dn = static_cast<double>(memory.adjoint_dn_at(lanes.profile[l], lanes.layer[l], i));
        Alg::lane(both, l) = up + dn;
        Alg::lane(less, l) = up - dn;
      }
      left_sum(i, 0) = both;
      left_difference(i, 0) = less;
    });
    // With respect to the emission of the layer, before left_sum is solved for.
    Matrix const factors = bar_x;
    Matrix const by_planck = bar_y;  // its first row
    layer.one_plus(member, s, factors);
    Alg::solve(member, factors, sum);
    Alg::multiply(member, 2., s, Alg::columns(sum, 2, 1), 0., absorptivity);
    Alg::for_each_entry(member, 1, [&](int) {
      Value total(0);
      for (int i = 0; i < nangle; ++i) total = total + absorptivity(i, 0) * left_sum(i, 0);
      by_planck(0, 0) = total;
    });
    Alg::for_each_entry(member, 1, [&](int) {
      for (int l = 0; l < Alg::width; ++l)
        if (lanes.valid[l])
          derivative.give(derivative.planck, static_cast<Real>(Alg::lane(by_planck(0, 0), l)), lanes.profile[l],
                          lanes.layer[l]);
    });
    Alg::solve_transposed(member, factors, left_sum);
    layer.one_plus(member, a, factors);
    Alg::solve(member, factors, difference);
    Alg::solve_transposed(member, factors, left_difference);
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      bar_s(i, j) = -1. * left_sum(i, 0) * sum(j, 0);
      bar_a(i, j) = -1. * left_difference(i, 0) * difference(j, 0);
    });
    Alg::for_each_entry(member, 1, [&](int) {
      for (int l = 0; l < Alg::width; ++l) {
        if (!lanes.valid[l]) continue;
        bool const lit = layer.sun && lanes.albedo_sun[l] > 0;
        memory.beam_adjoint(lanes.profile[l], lanes.layer[l]) =
            lit ? Alg::lane(left_sum(nangle, 0), l) - Alg::lane(left_difference(nangle, 0), l) : 0;
      }
    });
    layer.adjoint(member, lanes, x, y, kept, bar_s, bar_a, bar_x, bar_y, memory_for_layer);
    by_input(member, pack, lanes, bar_x, bar_y, sum);
  }

  /// From the adjoints of h X and h Y to those of optical depth, albedo and phase matrix. `rows` is scratch.
  KOKKOS_INLINE_FUNCTION void by_input(typename Alg::Member const& member, int pack, LayerLanes<Space> const& lanes,
                                       Matrix const& bar_x, Matrix const& bar_y, Matrix const& rows) const {
    int const n = layer.order();
    int const nangle = layer.nangle;
    int const first = pack * Alg::width;
    bool const by_phase = derivative.phase_forward.size() > 0 || derivative.phase_backward.size() > 0;
    Alg::for_each_entry(member, n, [&](int const i) {
      for (int l = 0; l < Alg::width; ++l) {
        double by_depth = 0;
        double by_albedo = 0;
        double const h = lanes.start[l] / layer.mu(lanes.profile[l], i);
        for (int j = 0; j < n; ++j) {
          double const bx = Alg::lane(bar_x(i, j), l);
          double const by = Alg::lane(bar_y(i, j), l);
          double difference = 0;
          double sum = 0;
          layer.generator(lanes, l, i, j, difference, sum);
          by_depth += bx * difference + by * sum;
          if (i >= nangle) continue;
          double const by_forward = -h * (bx + by);
          double const by_backward = h * (bx - by);
          by_albedo += layer.scale_by_albedo(lanes, l, j) *
                       (by_forward * layer.forward(lanes, l, i, j) + by_backward * layer.backward(lanes, l, i, j));
          if (!by_phase || !lanes.valid[l]) continue;
          double const scale = layer.scale(lanes, l, j);
          memory.phase_forward_adjoint(first + l, i, j) = scale * by_forward;
          memory.phase_backward_adjoint(first + l, i, j) = scale * by_backward;
        }
        Alg::lane(rows(i, 0), l) = lanes.part[l] * by_depth;
        Alg::lane(rows(i, 1), l) = by_albedo;
        if (by_phase && !layer.sun && i < nangle && lanes.valid[l])
          memory.phase_forward_adjoint(first + l, i, n) = memory.phase_backward_adjoint(first + l, i, n) = 0;
      }
    });
    Alg::for_each_entry(member, 1, [&](int) {
      for (int l = 0; l < Alg::width; ++l) {
        if (!lanes.valid[l]) continue;
        double by_depth = 0;
        double by_albedo = 0;
        for (int i = 0; i < n; ++i) {
          by_depth += Alg::lane(rows(i, 0), l);
          by_albedo += Alg::lane(rows(i, 1), l);
        }
        int const p = lanes.profile[l];
        int const k = lanes.layer[l];
        derivative.give(derivative.optical_depth, static_cast<Real>(by_depth), p, k);
        derivative.give(derivative.single_scattering_albedo, static_cast<Real>(by_albedo), p, k);
      }
    });
  }
};

/// The derivatives with respect to phase matrices: sums over the layers that share one, from the surface upward.
template <class Space, class Real>
struct PhaseAdjoints {
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;
  DerivativeSink<Space, Real> derivative;

  KOKKOS_INLINE_FUNCTION void operator()(int const index) const {
    int const n = profiles.nangle();
    int const j = index % (n + 1);
    int const i = index / (n + 1) % n;
    int const m = index / ((n + 1) * n) % profiles.nphase();
    int const p = index / ((n + 1) * n) / profiles.nphase();
    double forward = 0;
    double backward = 0;
    for (int k = 0; k < profiles.nlay(); ++k) {
      int const entry = memory.entry(p, k);
      if (entry < 0 || profiles.phase(p, k) != m) continue;
      forward += memory.phase_forward_adjoint(entry, i, j);
      backward += memory.phase_backward_adjoint(entry, i, j);
    }
    derivative.give(derivative.phase_forward, static_cast<Real>(forward), p, m, i, j);
    derivative.give(derivative.phase_backward, static_cast<Real>(backward), p, m, i, j);
  }
};

/// The derivatives with respect to the surface, and those with respect to optical depth through the sun's beam.
template <class Space, class Real>
struct SurfaceAdjoints {
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;
  DerivativeSink<Space, Real> derivative;

  KOKKOS_INLINE_FUNCTION void operator()(int const p) const {
    int const n = profiles.nangle();
    bool const sun = profiles.solar_irradiance.size() > 0 && profiles.solar_irradiance(p) > 0;
    double const onto =
        sun ? static_cast<double>(profiles.cos_sun(p)) * AddUpward<Space, Real>::inverse_pi * memory.beam(p, 0) : 0;
    Real by_planck = 0;
    double by_beam = 0;  // times the beam
    for (int i = 0; i < n; ++i) {
      Real const left = memory.adjoint_up_at(p, 0, i);
      by_planck += left * profiles.emissivity(p, i);
      if (sun) by_beam += static_cast<double>(left) * static_cast<double>(profiles.direct_reflectivity(p, i)) * onto;
      derivative.give(derivative.emissivity, left * profiles.planck_sfc(p), p, i);
      derivative.give(derivative.direct_reflectivity, static_cast<Real>(static_cast<double>(left) * onto), p, i);
      if (derivative.reflectivity.size() > 0)
        for (int j = 0; j < n; ++j) derivative.give(derivative.reflectivity, left * memory.dn_at(p, 0, j), p, i, j);
    }
    derivative.give(derivative.planck_sfc, by_planck, p);
    if (!sun || derivative.optical_depth.size() == 0) return;
    for (int k = 0; k < profiles.nlay(); ++k) {
      Real const by_beam_depth = static_cast<Real>(by_beam / static_cast<double>(profiles.cos_sun(p)));
      derivative.give(derivative.optical_depth, derivative.optical_depth(p, k) - by_beam_depth, p, k);
      by_beam += memory.beam_adjoint(p, k) * memory.beam(p, k + 1);
    }
  }
};

}  // namespace parhelion::adding::Impl

#endif
