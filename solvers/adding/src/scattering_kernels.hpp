// SPDX-License-Identifier: BSD-3-Clause
// The kernels for scattering, from the operators of layers to radiances.
#ifndef PARHELION_ADDING_SCATTERING_KERNELS_HPP
#define PARHELION_ADDING_SCATTERING_KERNELS_HPP

#include <parhelion/adding/scattering.hpp>

#include <parhelion/core/solver.hpp>

#include "layer_operator.hpp"
#include "scattering_memory.hpp"
#include "small_matrices.hpp"
#include "team_loop.hpp"

namespace parhelion::adding::Impl {

/// Finds phase matrices that are identically zero: layers that use them do not scatter.
template <class Space, class Real>
struct FindZeroPhases {
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;

  KOKKOS_INLINE_FUNCTION void operator()(int const index) const {
    int const nphase = static_cast<int>(profiles.phase_forward.extent(1));
    int const p = index / nphase;
    int const m = index % nphase;
    bool zero = true;
    for (std::size_t i = 0; i < profiles.phase_forward.extent(2) && zero; ++i)
      for (std::size_t j = 0; j < profiles.phase_forward.extent(3) && zero; ++j)
        zero = profiles.phase_forward(p, m, i, j) == 0 && profiles.phase_backward(p, m, i, j) == 0;
    memory.zero_phase(index) = zero ? 1 : 0;
  }
};

/// Lists the layers that scatter, so that no team and no lane is used for the others.
template <class Space, class Real>
struct ListLayers {
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;

  KOKKOS_INLINE_FUNCTION bool scatters(int p, int k) const {
    int const matrix = profiles.phase(p, k);
    if (matrix < 0 || !(profiles.single_scattering_albedo(p, k) > static_cast<Real>(min_albedo))) return false;
    int const nphase = static_cast<int>(profiles.phase_forward.extent(1));
    return memory.zero_phase((profiles.phase_forward.extent(0) == 1 ? 0 : p) * nphase + matrix) == 0;
  }

  /// Layers of an iteration: a scan on a device works for each iteration much longer than one layer takes.
  static constexpr int part = 16;
  static int nparts(int nlayer) { return (nlayer + part - 1) / part; }

  KOKKOS_INLINE_FUNCTION void operator()(int const number, int& entry, bool const final) const {
    // Neighbours in the list are neighbouring profiles: their input is contiguous, and they are similar.
    int const nprofile = profiles.nprofile();
    int const nlayer = nprofile * profiles.nlay();
    int const end = Kokkos::min((number + 1) * part, nlayer);
    for (int index = number * part; index < end; ++index) {
      int const p = index % nprofile;
      int const k = index / nprofile;
      bool const is = scatters(p, k);
      if (final) {
        memory.entry(p, k) = is ? entry : -1;
        if (is) memory.listed(entry) = index;
        if (index == nlayer - 1) memory.nlisted(0) = entry + (is ? 1 : 0);
      }
      if (is) ++entry;
    }
  }
};

/// The irradiance of the sun's beam at every level, on a plane across it.
template <class Space, class Real>
struct AttenuateBeam {
  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;

  KOKKOS_INLINE_FUNCTION void operator()(int const p) const {
    double const irradiance = static_cast<double>(profiles.solar_irradiance(p));
    double depth = 0;
    for (int k = profiles.nlay(); k >= 0; --k) {
      memory.beam(p, k) =
          irradiance > 0 ? irradiance * Kokkos::exp(-depth / static_cast<double>(profiles.cos_sun(p))) : 0;
      if (k > 0) depth += static_cast<double>(profiles.optical_depth(p, k - 1));
    }
  }
};

/// Finds the layers of iteration `pack` of a loop over the list. False after the end of the list, for all of a team.
template <class Space, class Real>
KOKKOS_INLINE_FUNCTION bool load_lanes(LayerOperator<Space, Real> const& layer, Memory<Space, Real> const& memory,
                                       typename Algebra<Space, double>::Member const& member, int pack,
                                       LayerLanes<Space>& lanes) {
  using Alg = Algebra<Space, double>;
  int const count = memory.nlisted(0);
  int const first = pack * LayerLanes<Space>::width;
  if (Alg::largest(member, first < count ? 1 : 0) == 0) return false;
  int const nprofile = layer.profiles.nprofile();
  for (int l = 0; l < LayerLanes<Space>::width; ++l) {
    int const entry = first + l < count ? first + l : count - 1;
    int const index = memory.listed(entry);
    layer.load(lanes, l, index % nprofile, index / nprofile, first + l < count);
  }
  lanes.max_doublings = Alg::largest(member, lanes.max_doublings);
  lanes.any_followed = max_doublings - Alg::largest(member, max_doublings - lanes.any_followed);
  return true;
}

/// The operators of all layers that scatter.
template <class Space, class Real>
struct MakeOperators {
  using Alg = Algebra<Space, double>;
  static constexpr int team_scratch = scratch_for_radiances;
  using Layer = LayerOperator<Space, Real>;

  Layer layer;
  Memory<Space, Real> memory;

  KOKKOS_INLINE_FUNCTION int entries() const { return Layer::evaluate_entries(layer.order()); }

  KOKKOS_INLINE_FUNCTION void operator()(typename Alg::Member const& member, int pack, int /* slot */,
                                         typename Alg::Value* storage) const {
    LayerLanes<Space> lanes;
    if (!load_lanes(layer, memory, member, pack, lanes)) return;
    auto const result = layer.evaluate(member, lanes, storage);
    int const n = layer.nangle;
    int const first = pack * Alg::width;
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      for (int l = 0; l < Alg::width; ++l) {
        if (!lanes.valid[l]) continue;
        memory.transmission(first + l, i * n + j) = static_cast<Real>(Alg::lane(result.transmission(i, j), l));
        memory.reflection(first + l, i * n + j) = static_cast<Real>(Alg::lane(result.reflection(i, j), l));
      }
    });
    Alg::for_each_entry(member, n, [&](int const i) {
      for (int l = 0; l < Alg::width; ++l) {
        if (!lanes.valid[l]) continue;
        int const p = lanes.profile[l];
        int const k = lanes.layer[l];
        double const emitted =
            Alg::lane(result.absorptivity(i, 0), l) * static_cast<double>(layer.profiles.planck(p, k));
        double up = emitted;
        double dn = emitted;
        if (layer.sun && lanes.albedo_sun[l] > 0) {
          double const beam = memory.beam(p, k + 1);
          up += Alg::lane(result.reflection(i, n), l) * beam;
          dn += Alg::lane(result.transmission(i, n), l) * beam;
        }
        memory.source_up(first + l, i) = static_cast<Real>(up);
        memory.source_dn(first + l, i) = static_cast<Real>(dn);
      }
    });
  }
};

/// Common parts of sweeps and compositions: access to layers and runs of layers, of as many profiles at a time as a
/// register has lanes.
template <class Space, class Real>
struct ColumnWork {
  using Alg = Algebra<Space, Real>;
  static constexpr int team_scratch = scratch_for_radiances;
  using Member = typename Alg::Member;
  using Value = typename Alg::Value;
  using Matrix = typename Alg::Matrix;
  static constexpr int width = Alg::width;

  Profiles<Space, Real> profiles;
  Memory<Space, Real> memory;

  /// A layer or a run of layers. A diagonal one neither reflects nor mixes angles; t is then its transmittance.
  /// Operations on it must round like those of matrices (a product, then a sum), so that a lane does not depend on
  /// whether its neighbours scatter.
  struct Piece {
    bool diagonal;
    Matrix reflection_above, reflection_below, transmission_up, transmission_dn;  ///< (angle, angle)
    Matrix source_up, source_dn;                                                  ///< (angle, 1)
    Matrix t;                                                                     ///< (angle, 1)
  };

  KOKKOS_INLINE_FUNCTION int nangle() const { return profiles.nangle(); }

  /// Storage that load_layer fills.
  KOKKOS_INLINE_FUNCTION static int layer_entries(int n) { return 2 * Alg::entries(n, n) + 3 * Alg::entries(n, 1); }

  KOKKOS_INLINE_FUNCTION int profile_of(int pack, int l) const {
    int const p = pack * width + l;
    return p < profiles.nprofile() ? p : profiles.nprofile() - 1;
  }
  KOKKOS_INLINE_FUNCTION bool is_profile(int pack, int l) const { return pack * width + l < profiles.nprofile(); }

  KOKKOS_INLINE_FUNCTION Real mu(int p, int i) const { return profiles.mu(profiles.mu.extent(0) == 1 ? 0 : p, i); }

  KOKKOS_INLINE_FUNCTION Piece load_layer(Member const& member, int pack, int k, Value* storage) const {
    int const n = nangle();
    ScratchArena<Alg> scratch(storage);
    Piece piece;
    piece.transmission_up = piece.transmission_dn = scratch.take(n, n);
    piece.reflection_above = piece.reflection_below = scratch.take(n, n);
    piece.source_up = scratch.take(n, 1);
    piece.source_dn = scratch.take(n, 1);
    piece.t = scratch.take(n, 1);
    int entry[width];
    piece.diagonal = true;
    for (int l = 0; l < width; ++l) {
      entry[l] = memory.entry(profile_of(pack, l), k);
      piece.diagonal = piece.diagonal && entry[l] < 0;
    }
    piece.diagonal = Alg::largest(member, piece.diagonal ? 0 : 1) == 0;
    Alg::for_each_entry(member, n, [&](int const i) {
      Value t;
      Value up;
      Value dn;
      for (int l = 0; l < width; ++l) {
        if (entry[l] >= 0) {
          Alg::lane(t, l) = 0;
          Alg::lane(up, l) = memory.source_up(entry[l], i);
          Alg::lane(dn, l) = memory.source_dn(entry[l], i);
        } else {
          int const p = profile_of(pack, l);
          Real const path = profiles.optical_depth(p, k) / mu(p, i);
          Alg::lane(t, l) = Kokkos::exp(-path);
          Alg::lane(up, l) = Alg::lane(dn, l) = -Kokkos::expm1(-path) * profiles.planck(p, k);
        }
      }
      piece.t(i, 0) = t;
      piece.source_up(i, 0) = up;
      piece.source_dn(i, 0) = dn;
    });
    if (piece.diagonal) return piece;
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      Value transmission;
      Value reflection;
      for (int l = 0; l < width; ++l) {
        if (entry[l] >= 0) {
          Alg::lane(transmission, l) = memory.transmission(entry[l], i * n + j);
          Alg::lane(reflection, l) = memory.reflection(entry[l], i * n + j);
        } else {
          Alg::lane(transmission, l) = i == j ? Alg::lane(piece.t(i, 0), l) : Real(0);
          Alg::lane(reflection, l) = 0;
        }
      }
      piece.transmission_up(i, j) = transmission;
      piece.reflection_above(i, j) = reflection;
    });
    return piece;
  }

  /// A run of layers that has been composed.
  KOKKOS_INLINE_FUNCTION Piece run(int level, int pack, int r) const {
    int const n = nangle();
    ScratchArena<Alg> scratch(&memory.composed(level, pack, r));
    Piece piece;
    piece.diagonal = false;
    piece.reflection_above = scratch.take(n, n);
    piece.reflection_below = scratch.take(n, n);
    piece.transmission_up = scratch.take(n, n);
    piece.transmission_dn = scratch.take(n, n);
    piece.source_up = scratch.take(n, 1);
    piece.source_dn = scratch.take(n, 1);
    return piece;
  }

  KOKKOS_INLINE_FUNCTION Piece load(Member const& member, int level, int pack, int r, Value* storage) const {
    return level == 0 ? load_layer(member, pack, r, storage) : run(level, pack, r);
  }

  KOKKOS_INLINE_FUNCTION static void copy(Member const& member, Matrix const& from, Matrix const& to) {
    Alg::for_each_entry(member, static_cast<int>(from.extent(0)), static_cast<int>(from.extent(1)),
                        [&](int const i, int const j) { to(i, j) = from(i, j); });
  }
};

/// \brief Composes runs of pieces: level `level` of the hierarchy into level + 1.
///
/// The star product of Redheffer (1960), doi:10.1002/sapm1960391269. With G = 1 - Ra(lower) Rb(upper) and
/// [X1 | X2 | x] = G^-1 [Tu | Ra Td' | su + Ra sd'], primes for the upper piece:
///     Tu'' = Tu' X1,  Ra'' = Ra' + Tu' X2,  su'' = su' + Tu' x
///     Rb'' = Rb + Td Rb' X1,  Td'' = Td (Td' + Rb' X2),  sd'' = sd + Td (sd' + Rb' x)
template <class Space, class Real>
struct ComposeRuns : ColumnWork<Space, Real> {
  using Base = ColumnWork<Space, Real>;
  using Base::memory;
  using typename Base::Alg;
  using typename Base::Matrix;
  using typename Base::Member;
  using typename Base::Piece;
  using typename Base::Value;

  int level;

  KOKKOS_INLINE_FUNCTION int entries() const {
    int const n = Base::nangle();
    return Base::layer_entries(n) + 2 * Alg::entries(n, n) + 2 * Alg::entries(n, 2 * n + 1);
  }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member, int const index, int /* slot */, Value* storage) const {
    int const n = Base::nangle();
    auto const part = memory.hierarchy.run(level, index);
    int const pack = part.pack;
    ScratchArena<Alg> scratch(storage);
    Value* const for_layer = scratch.take(Base::layer_entries(n));
    Matrix const g = scratch.take(n, n);
    Matrix const old = scratch.take(n, n);
    Matrix const x = scratch.take(n, 2 * n + 1);
    Matrix const y = scratch.take(n, 2 * n + 1);
    Piece const whole = Base::run(level + 1, pack, part.number);

    {
      Piece const piece = Base::load(member, level, pack, part.first, for_layer);
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        Value const nothing(0);
        whole.reflection_above(i, j) = piece.diagonal ? nothing : piece.reflection_above(i, j);
        whole.reflection_below(i, j) = piece.diagonal ? nothing : piece.reflection_below(i, j);
        Value const straight = i == j && piece.diagonal ? piece.t(i, 0) : nothing;
        whole.transmission_up(i, j) = piece.diagonal ? straight : piece.transmission_up(i, j);
        whole.transmission_dn(i, j) = piece.diagonal ? straight : piece.transmission_dn(i, j);
      });
      Base::copy(member, piece.source_up, whole.source_up);
      Base::copy(member, piece.source_dn, whole.source_dn);
    }
    for (int c = part.first + 1; c < part.end; ++c) {
      Piece const upper = Base::load(member, level, pack, c, for_layer);
      if (upper.diagonal) {
        Base::copy(member, whole.source_up, Matrix(y.data(), n, 1));
        Alg::multiply(member, 1, whole.reflection_above, upper.source_dn, 1, Matrix(y.data(), n, 1));
        Alg::multiply(member, 1, whole.transmission_dn, upper.source_dn, 1, whole.source_dn);
        Alg::for_each_entry(member, n, [&](int const i) { y.data()[i] = upper.t(i, 0) * y.data()[i]; });
        Alg::for_each_entry(member, n,
                            [&](int const i) { whole.source_up(i, 0) = upper.source_up(i, 0) + y.data()[i]; });
        Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
          whole.reflection_above(i, j) = upper.t(i, 0) * (whole.reflection_above(i, j) * upper.t(j, 0));
          whole.transmission_up(i, j) = upper.t(i, 0) * whole.transmission_up(i, j);
          whole.transmission_dn(i, j) = whole.transmission_dn(i, j) * upper.t(j, 0);
        });
        continue;
      }
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        g(i, j) = Value(i == j ? 1 : 0);
        x(i, j) = whole.transmission_up(i, j);
        if (j == 0) x(i, 2 * n) = whole.source_up(i, 0);
      });
      Alg::multiply(member, -1, whole.reflection_above, upper.reflection_below, 1, g);
      Alg::multiply(member, 1, whole.reflection_above, upper.transmission_dn, 0, Alg::columns(x, n, n));
      Alg::multiply(member, 1, whole.reflection_above, upper.source_dn, 1, Alg::columns(x, 2 * n, 1));
      Alg::factorize(member, g);
      Alg::solve(member, g, x);
      // Below the upper piece: y = Rb' x + [0 | Td' | sd'], then Td y.
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        y(i, j) = Value(0);
        y(i, n + j) = upper.transmission_dn(i, j);
        if (j == 0) y(i, 2 * n) = upper.source_dn(i, 0);
        old(i, j) = whole.transmission_dn(i, j);
      });
      Alg::multiply(member, 1, upper.reflection_below, x, 1, y);
      Alg::multiply(member, 1, old, Alg::columns(y, 0, n), 1, whole.reflection_below);
      Alg::multiply(member, 1, old, Alg::columns(y, n, n), 0, whole.transmission_dn);
      Alg::multiply(member, 1, old, Alg::columns(y, 2 * n, 1), 1, whole.source_dn);
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        whole.reflection_above(i, j) = upper.reflection_above(i, j);
        if (j == 0) whole.source_up(i, 0) = upper.source_up(i, 0);
      });
      Alg::multiply(member, 1, upper.transmission_up, Alg::columns(x, 0, n), 0, whole.transmission_up);
      Alg::multiply(member, 1, upper.transmission_up, Alg::columns(x, n, n), 1, whole.reflection_above);
      Alg::multiply(member, 1, upper.transmission_up, Alg::columns(x, 2 * n, 1), 1, whole.source_up);
    }
  }
};

/// \brief Adds pieces on top of the surface.
///
/// R is the reflection of everything below a level, U its emergent upward radiance without radiation from above.
///
///     G = 1 - R Rb,  U' = su + Tu G^-1 (R sd + U),  R' = Ra + Tu G^-1 R Td
///
/// At level `level` of the hierarchy: each run of level + 1 is processed from the state at its bottom.
template <class Space, class Real>
struct AddUpward : ColumnWork<Space, Real> {
  using Base = ColumnWork<Space, Real>;
  using Base::memory;
  using Base::profiles;
  using typename Base::Alg;
  using typename Base::Matrix;
  using typename Base::Member;
  using typename Base::Piece;
  using typename Base::Value;

  Radiances<Space, Real> radiances;
  NotFinite<Space> not_finite;
  int level;

  KOKKOS_INLINE_FUNCTION int entries() const {
    int const n = Base::nangle();
    return Base::layer_entries(n) + 2 * Alg::entries(n, n) + Alg::entries(n, 1) + Alg::entries(n, n + 1);
  }

  KOKKOS_INLINE_FUNCTION void surface(Member const& member, int pack, Matrix const& r, Matrix const& u) const {
    int const n = Base::nangle();
    bool const specular = profiles.specular_reflectivity.size() > 0;
    bool const any = profiles.reflectivity.size() > 0;
    bool const sun = profiles.solar_irradiance.size() > 0;
    Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
      Value reflects;
      for (int l = 0; l < Base::width; ++l) {
        int const p = Base::profile_of(pack, l);
        Real here = 0;
        if (any) here = profiles.reflectivity(p, i, j);
        if (specular && i == j) here = profiles.specular_reflectivity(p, i);
        Alg::lane(reflects, l) = here;
      }
      r(i, j) = reflects;
      if (j != 0) return;
      Value leaves;
      for (int l = 0; l < Base::width; ++l) {
        int const p = Base::profile_of(pack, l);
        Real here = profiles.emissivity(p, i) * profiles.planck_sfc(p);
        if (sun)
          here += profiles.direct_reflectivity(p, i) *
                  static_cast<Real>(static_cast<double>(profiles.cos_sun(p)) * memory.beam(p, 0) * inverse_pi);
        Alg::lane(leaves, l) = here;
      }
      u(i, 0) = leaves;
    });
  }

  KOKKOS_INLINE_FUNCTION void store_level(Member const& member, int pack, int k, Matrix const& u) const {
    Alg::for_each_entry(member, Base::nangle(), [&](int const i) {
      for (int l = 0; l < Base::width; ++l)
        if (Base::is_profile(pack, l)) radiances.up_emergent(pack * Base::width + l, k, i) = Alg::lane(u(i, 0), l);
    });
  }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member, int const index, int /* slot */, Value* storage) const {
    int const n = Base::nangle();
    auto const part = memory.hierarchy.run(level, index);
    int const pack = part.pack;
    bool const top = level == memory.hierarchy.top;
    bool const keep = level > 0 || memory.keeps_levels();
    bool const keep_factors = memory.keeps_levels();
    bool const give = level == 0 && radiances.up_emergent.size() > 0;
    ScratchArena<Alg> scratch(storage);
    Value* const for_layer = scratch.take(Base::layer_entries(n));
    Matrix const r = scratch.take(n, n);
    Matrix const u = scratch.take(n, 1);
    Matrix const g = scratch.take(n, n);
    Matrix const v = scratch.take(n, n + 1);
    if (top) {
      surface(member, pack, r, u);
    } else {
      Base::copy(member, memory.state_reflection(level + 1, pack, part.number), r);
      Base::copy(member, memory.state_upward(level + 1, pack, part.number), u);
    }
    for (int c = part.first; c < part.end; ++c) {
      if (keep) {
        Base::copy(member, r, memory.state_reflection(level, pack, c));
        Base::copy(member, u, memory.state_upward(level, pack, c));
      }
      if (give) store_level(member, pack, c, u);
      Piece const piece = Base::load(member, level, pack, c, for_layer);
      if (piece.diagonal) {
        Alg::multiply(member, 1, r, piece.source_dn, 1, u);
        Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
          r(i, j) = piece.t(i, 0) * (r(i, j) * piece.t(j, 0));
          if (j == 0) u(i, 0) = piece.t(i, 0) * u(i, 0);
        });
        Alg::for_each_entry(member, n, [&](int const i) { u(i, 0) = piece.source_up(i, 0) + u(i, 0); });
        continue;
      }
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        g(i, j) = Value(i == j ? 1 : 0);
        if (j == 0) v(i, n) = u(i, 0);
      });
      Alg::multiply(member, -1, r, piece.reflection_below, 1, g);
      Alg::multiply(member, 1, r, piece.transmission_dn, 0, Alg::columns(v, 0, n));
      Alg::multiply(member, 1, r, piece.source_dn, 1, Alg::columns(v, n, 1));
      Alg::factorize(member, g);
      if (keep_factors) Base::copy(member, g, memory.factors(level, pack, c));
      Alg::solve(member, g, v);
      Alg::for_each_entry(member, n, n, [&](int const i, int const j) {
        r(i, j) = piece.reflection_above(i, j);
        if (j == 0) u(i, 0) = piece.source_up(i, 0);
      });
      Alg::multiply(member, 1, piece.transmission_up, Alg::columns(v, 0, n), 1, r);
      Alg::multiply(member, 1, piece.transmission_up, Alg::columns(v, n, 1), 1, u);
    }
    if (!top) return;
    int const nlay = profiles.nlay();
    if (memory.keeps_levels()) {
      Base::copy(member, r, memory.state_reflection(0, pack, nlay));
      Base::copy(member, u, memory.state_upward(0, pack, nlay));
    }
    Alg::for_each_entry(member, n, [&](int const i) {
      for (int l = 0; l < Base::width; ++l) {
        if (!Base::is_profile(pack, l)) continue;
        int const p = pack * Base::width + l;
        Real reflects = 0;
        if (profiles.cosmic.size() > 0) {
          for (int j = 0; j < n; ++j) reflects += Alg::lane(r(i, j), l);
          reflects *= profiles.cosmic(p);
        }
        Real const leaves = Alg::lane(u(i, 0), l) + reflects;
        not_finite.check(leaves, p);
        if (radiances.toa.size() > 0) radiances.toa(p, i) = leaves;
        if (radiances.up_emergent.size() > 0) radiances.up_emergent(p, nlay, i) = leaves;
      }
    });
  }

  static constexpr double inverse_pi = 0.31830988618379067154;
};

/// The quantity that propagates downward from the top: radiance, or the adjoint of upward radiance.
enum class Downward { radiance, adjoint };

/// \brief Processes the pieces from the top, after AddUpward has stored R, U and the factors of G at their bottoms.
///
/// The radiance D below a piece: (1 - Rb R) D = Td D' + Rb U + sd, and by the push-through identity
/// (1 - Rb R)^-1 = 1 + Rb G^-1 R. The adjoint of upward radiance at the bottom of a piece: l = G^-T Tu^T l'. The
/// upward quantities are: radiance U + R D, and adjoint of downward radiance R^T l.
template <class Space, class Real, Downward what>
struct PassDownward : ColumnWork<Space, Real> {
  using Base = ColumnWork<Space, Real>;
  using Base::memory;
  using Base::profiles;
  using typename Base::Alg;
  using typename Base::Matrix;
  using typename Base::Member;
  using typename Base::Piece;
  using typename Base::Value;

  ProfileArray<Real const**, Space> adjoint_toa;
  int level;

  KOKKOS_INLINE_FUNCTION int entries() const {
    int const n = Base::nangle();
    return Base::layer_entries(n) + 3 * n;
  }

  KOKKOS_INLINE_FUNCTION Value entering(int pack, int i) const {
    Value value;
    for (int l = 0; l < Base::width; ++l) {
      int const p = Base::profile_of(pack, l);
      Real here = 0;
      if constexpr (what == Downward::adjoint)
        here = adjoint_toa(p, i);
      else if (profiles.cosmic.size() > 0)
        here = profiles.cosmic(p);
      Alg::lane(value, l) = here;
    }
    return value;
  }

  /// The downward and upward quantities at the bottom of piece c; at the top for c = number of pieces.
  KOKKOS_INLINE_FUNCTION Matrix down(int pack, int c) const {
    return what == Downward::radiance ? memory.downward(level, pack, c) : memory.adjoint_up(level, pack, c);
  }
  KOKKOS_INLINE_FUNCTION Matrix up(int pack, int c) const {
    return what == Downward::radiance ? memory.upward(pack, c) : memory.adjoint_dn(pack, c);
  }

  KOKKOS_INLINE_FUNCTION void reflect(Member const& member, int pack, int c, Matrix const& d) const {
    Matrix const out = up(pack, c);
    if constexpr (what == Downward::radiance) {
      Base::copy(member, memory.state_upward(0, pack, c), out);
      Alg::multiply(member, 1, memory.state_reflection(0, pack, c), d, 1, out);
    } else {
      Alg::template multiply<typename Alg::Transposed>(member, 1, memory.state_reflection(0, pack, c), d, 0, out);
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member, int const index, int /* slot */, Value* storage) const {
    int const n = Base::nangle();
    auto const part = memory.hierarchy.run(level, index);
    int const pack = part.pack;
    bool const from_sky = part.number == memory.hierarchy.nrun(level) - 1;
    ScratchArena<Alg> scratch(storage);
    Value* const for_layer = scratch.take(Base::layer_entries(n));
    Matrix const d = scratch.take(n, 1);
    Matrix const y = scratch.take(n, 1);
    Matrix const z = scratch.take(n, 1);
    if (from_sky) {
      Alg::for_each_entry(member, n, [&](int const i) { d(i, 0) = entering(pack, i); });
      if (level == 0) {
        Base::copy(member, d, down(pack, part.end));
        reflect(member, pack, part.end, d);
      }
    } else {
      Base::copy(member,
                 what == Downward::radiance ? memory.downward(level + 1, pack, part.number + 1)
                                            : memory.adjoint_up(level + 1, pack, part.number + 1),
                 d);
    }
    for (int c = part.end - 1; c >= part.first; --c) {
      Piece const piece = Base::load(member, level, pack, c, for_layer);
      if constexpr (what == Downward::radiance) {
        if (piece.diagonal) {
          Alg::for_each_entry(member, n, [&](int const i) { d(i, 0) = piece.t(i, 0) * d(i, 0); });
          Alg::for_each_entry(member, n, [&](int const i) { d(i, 0) = piece.source_dn(i, 0) + d(i, 0); });
        } else {
          Base::copy(member, piece.source_dn, y);
          Alg::multiply(member, 1, piece.transmission_dn, d, 1, y);
          Alg::multiply(member, 1, piece.reflection_below, memory.state_upward(level, pack, c), 1, y);
          Alg::multiply(member, 1, memory.state_reflection(level, pack, c), y, 0, z);
          Alg::solve(member, memory.factors(level, pack, c), z);
          Base::copy(member, y, d);
          Alg::multiply(member, 1, piece.reflection_below, z, 1, d);
        }
      } else {
        if (piece.diagonal) {
          Alg::for_each_entry(member, n, [&](int const i) { d(i, 0) = piece.t(i, 0) * d(i, 0); });
        } else {
          Alg::template multiply<typename Alg::Transposed>(member, 1, piece.transmission_up, d, 0, y);
          Alg::solve_transposed(member, memory.factors(level, pack, c), y);
          Base::copy(member, y, d);
        }
      }
      Base::copy(member, d, down(pack, c));
      if (level == 0) reflect(member, pack, c, d);
    }
  }
};

/// Copies the radiances of all levels to the arrays of the caller.
template <class Space, class Real>
struct GiveLevels : ColumnWork<Space, Real> {
  using Base = ColumnWork<Space, Real>;
  using Base::memory;
  using typename Base::Alg;

  Radiances<Space, Real> radiances;
  NotFinite<Space> not_finite;

  KOKKOS_INLINE_FUNCTION void operator()(int const index) const {
    int const nprofile = Base::profiles.nprofile();
    int const n = Base::nangle();
    int const p = index % nprofile;
    int const rest = index / nprofile;
    int const i = rest % n;
    int const k = rest / n;
    int const pack = p / Base::width;
    int const l = p % Base::width;
    Real const up = Alg::lane(memory.upward(pack, k)(i, 0), l);
    Real const dn = Alg::lane(memory.downward(0, pack, k)(i, 0), l);
    not_finite.check(up, p);
    not_finite.check(dn, p);
    if (radiances.up.size() > 0) radiances.up(p, k, i) = up;
    if (radiances.dn.size() > 0) radiances.dn(p, k, i) = dn;
  }
};

}  // namespace parhelion::adding::Impl

#endif
