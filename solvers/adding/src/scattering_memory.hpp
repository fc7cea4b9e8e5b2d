// SPDX-License-Identifier: BSD-3-Clause
// The memory between the kernels for scattering.
#ifndef PARHELION_ADDING_SCATTERING_MEMORY_HPP
#define PARHELION_ADDING_SCATTERING_MEMORY_HPP

#include <parhelion/adding/profiles.hpp>

#include <parhelion/core/workspace.hpp>

#include "layer_operator.hpp"
#include "small_matrices.hpp"
#include "team_loop.hpp"

#include <algorithm>
#include <cmath>

namespace parhelion::adding::Impl {

/// \brief The division of a column into pieces.
///
/// Level 0 are its layers, each piece of level s + 1 is a run of `radix` pieces of level s. A sweep has only the
/// layers. A scan composes runs from the bottom level to the top, processes the few pieces of the top level, and with
/// the states between them the pieces of the levels below, all runs concurrently. The additional work is least for runs
/// of the square root of the number of layers.
struct Hierarchy {
  static constexpr int max_levels = 32;
  int radix = 0;
  int top = 0;
  int count[max_levels] = {};  ///< number of pieces of each level
  int first[max_levels] = {};  ///< index of the first piece of each level among all; layers have one more, for the top

  Hierarchy() = default;
  Hierarchy(int nlay, Strategy strategy) {
    radix = std::max(nlay, 2);
    if (strategy == Strategy::team_scan) radix = std::max(2, static_cast<int>(std::ceil(std::sqrt(nlay))));
    count[0] = nlay;
    first[1] = nlay + 1;
    while (count[top] > radix) {
      ++top;
      count[top] = (count[top - 1] + radix - 1) / radix;
      first[top + 1] = first[top] + count[top];
    }
  }

  /// The number of pieces of all levels.
  int all() const { return first[top + 1]; }

  /// The number of runs that the pieces of a level make up: the pieces of the next level, or one at the top.
  KOKKOS_INLINE_FUNCTION int nrun(int level) const { return level == top ? 1 : count[level + 1]; }

  /// The pieces of a run, and which it is.
  struct Run {
    int pack;        ///< of profiles
    int number;      ///< among the runs of the pack
    int first, end;  ///< pieces of the level
  };
  /// Run `index` of a level, of all packs.
  KOKKOS_INLINE_FUNCTION Run run(int level, int index) const {
    int const number = index % nrun(level);
    int const begin = number * radix;
    return {index / nrun(level), number, begin, level == top ? count[level] : Kokkos::min(begin + radix, count[level])};
  }
};

template <class Space, class Real>
struct Memory {
  using Alg = Algebra<Space, Real>;
  using Value = typename Algebra<Space, Real>::Value;
  using Matrix = typename Algebra<Space, Real>::Matrix;
  using DoubleValue = typename Algebra<Space, double>::Value;

  Hierarchy hierarchy;
  int nangle = 0;

  WorkspaceArray<int*, Space> zero_phase;  ///< (profile x matrix)
  WorkspaceArray<int**, Space> entry;      ///< (profile, layer): its index in the list, -1 for none
  WorkspaceArray<int*, Space> listed;      ///< the layers that scatter: layer * nprofile + profile
  WorkspaceArray<int*, Space> nlisted;     ///< number of layers that scatter
  WorkspaceArray<double**, Space> beam;    ///< irradiance of the sun's beam, (profile, level)

  // For the layers that scatter, in the order of the list.
  WorkspaceArray<Real**, Space> transmission;  ///< (index in the list, angle x angle)
  WorkspaceArray<Real**, Space> reflection;    ///< (index in the list, angle x angle)
  WorkspaceArray<Real**, Space> source_up;     ///< (index in the list, angle)
  WorkspaceArray<Real**, Space> source_dn;     ///< (index in the list, angle)

  // For packs of profiles: (pack, piece, ...).
  WorkspaceArray<Value***, Space> runs;
  WorkspaceArray<Value***, Space> reflections;
  WorkspaceArray<Value***, Space> upwards;
  WorkspaceArray<Value***, Space> factor;
  WorkspaceArray<Value***, Space> downwards;
  WorkspaceArray<Value***, Space> levels_up;
  WorkspaceArray<Value***, Space> adjoints_up;
  WorkspaceArray<Value***, Space> adjoints_dn;

  // Sensitivities.
  WorkspaceArray<double**, Space> beam_tangent;  ///< (profile, level)
  WorkspaceArray<double**, Space> beam_adjoint;  ///< with respect to the beam at the top of the layer, (profile, layer)
  WorkspaceArray<Real***, Space> tangent_up;  ///< change of the radiance that leaves the layer, (profile, layer, angle)
  WorkspaceArray<Real***, Space> tangent_dn;
  WorkspaceArray<double***, Space> phase_forward_adjoint;  ///< (index in the list, angle, angle with the sun's)
  WorkspaceArray<double***, Space> phase_backward_adjoint;
  WorkspaceArray<DoubleValue**, Space> doublings;  ///< s and a of every doubling, (slot, ...)

  TeamSlots<Space> slots;
  bool levels = false;  ///< whether the current call stores the input of PassDownward

  KOKKOS_INLINE_FUNCTION bool keeps_levels() const { return levels; }

  KOKKOS_INLINE_FUNCTION int piece(int level, int c) const { return hierarchy.first[level] + c; }
  /// Without levels nothing is stored for the layers, and the other pieces move up.
  KOKKOS_INLINE_FUNCTION int kept(int level, int c) const {
    return piece(level, c) - (levels ? 0 : hierarchy.first[1]);
  }

  KOKKOS_INLINE_FUNCTION Value& composed(int level, int pack, int r) const {
    return runs(pack, piece(level, r) - hierarchy.first[1], 0);
  }
  KOKKOS_INLINE_FUNCTION Matrix state_reflection(int level, int pack, int c) const {
    return Matrix(&reflections(pack, kept(level, c), 0), nangle, nangle);
  }
  KOKKOS_INLINE_FUNCTION Matrix state_upward(int level, int pack, int c) const {
    return Matrix(&upwards(pack, kept(level, c), 0), nangle, 1);
  }
  KOKKOS_INLINE_FUNCTION Matrix factors(int level, int pack, int c) const {
    return Matrix(&factor(pack, kept(level, c), 0), nangle, nangle);
  }
  KOKKOS_INLINE_FUNCTION Matrix downward(int level, int pack, int c) const {
    return Matrix(&downwards(pack, piece(level, c), 0), nangle, 1);
  }
  KOKKOS_INLINE_FUNCTION Matrix upward(int pack, int k) const { return Matrix(&levels_up(pack, k, 0), nangle, 1); }
  KOKKOS_INLINE_FUNCTION Matrix adjoint_up(int level, int pack, int c) const {
    return Matrix(&adjoints_up(pack, piece(level, c), 0), nangle, 1);
  }
  KOKKOS_INLINE_FUNCTION Matrix adjoint_dn(int pack, int k) const {
    return Matrix(&adjoints_dn(pack, k, 0), nangle, 1);
  }

  /// Radiance and adjoint of a profile at a level.
  KOKKOS_INLINE_FUNCTION Real up_at(int p, int k, int i) const { return at(levels_up, p, k, i); }
  KOKKOS_INLINE_FUNCTION Real dn_at(int p, int k, int i) const { return at(downwards, p, k, i); }
  KOKKOS_INLINE_FUNCTION Real adjoint_up_at(int p, int k, int i) const { return at(adjoints_up, p, k, i); }
  KOKKOS_INLINE_FUNCTION Real adjoint_dn_at(int p, int k, int i) const { return at(adjoints_dn, p, k, i); }
  KOKKOS_INLINE_FUNCTION static Real at(WorkspaceArray<Value***, Space> const& array, int p, int k, int i) {
    constexpr int width = Algebra<Space, Real>::width;
    return Algebra<Space, Real>::lane(array(p / width, k, i), p % width);
  }

  static int packs(int n, int width) { return (n + width - 1) / width; }

  /// The blocks, from a Workspace, or from a WorkspaceSize that counts them.
  template <class From>
  static Memory take(Space const& space, From& from, Capacity const& capacity, Strategy strategy) {
    Memory m;
    int const n = capacity.nangle;
    int const np = capacity.nprofile;
    int const nl = capacity.nlay;
    int const npack = packs(np, Algebra<Space, Real>::width);
    int const nlayer = np * nl;
    bool const levels = capacity.levels || capacity.derivatives;
    int const runs = Hierarchy(nl, strategy).all() - (nl + 1);
    int const kept = runs + (levels ? nl + 1 : 0);

    m.zero_phase = from.template take<int*>("zero_phase", np * capacity.nphase);
    m.entry = from.template take<int**>("entry", np, nl);
    m.listed = from.template take<int*>("listed", nlayer);
    m.nlisted = from.template take<int*>("nlisted", 1);
    m.beam = from.template take<double**>("beam", np, nl + 1);
    m.transmission = from.template take<Real**>("transmission", nlayer, n * n);
    m.reflection = from.template take<Real**>("reflection", nlayer, n * n);
    m.source_up = from.template take<Real**>("source_up", nlayer, n);
    m.source_dn = from.template take<Real**>("source_dn", nlayer, n);
    m.runs = from.template take<Value***>("runs", npack, runs, run_entries(n));
    m.reflections = from.template take<Value***>("reflections", npack, kept, n * n);
    m.upwards = from.template take<Value***>("upwards", npack, kept, n);
    int const order = n + 1;
    std::size_t slot = sizeof(DoubleValue) * LayerOperator<Space, Real>::evaluate_entries(order);
    slot = std::max(slot, sizeof(Value) * (6 * Alg::entries(n, n) + 4 * n + 2 * Alg::entries(n, 2 * n + 1)));
    std::size_t const radiance_slot = slot;
    int nslot = TeamSlots<Space>::count(space, n);
    int const fewest = TeamSlots<Space>::problems(n);
    if (levels) {
      m.factor = from.template take<Value***>("factors", npack, kept, n * n);
      m.downwards = from.template take<Value***>("downwards", npack, kept, n);
      m.levels_up = from.template take<Value***>("levels_up", npack, nl + 1, n);
    }
    if (capacity.derivatives) {
      slot = std::max(slot, sizeof(DoubleValue) * derivative_entries(order));
      m.adjoints_up = from.template take<Value***>("adjoints_up", npack, kept, n);
      m.adjoints_dn = from.template take<Value***>("adjoints_dn", npack, nl + 1, n);
      m.beam_tangent = from.template take<double**>("beam_tangent", np, nl + 1);
      m.beam_adjoint = from.template take<double**>("beam_adjoint", np, nl);
      m.tangent_up = from.template take<Real***>("tangent_up", np, nl, n);
      m.tangent_dn = from.template take<Real***>("tangent_dn", np, nl, n);
      m.phase_forward_adjoint = from.template take<double***>("phase_forward_adjoint", nlayer, n, n + 1);
      m.phase_backward_adjoint = from.template take<double***>("phase_backward_adjoint", nlayer, n, n + 1);
      std::size_t const doublings = static_cast<std::size_t>(2 * (max_doublings + 1)) * order * order;
      nslot = static_cast<int>(
          std::clamp<std::size_t>(max_bytes / (doublings * sizeof(DoubleValue) + slot), fewest, nslot));
      m.doublings = from.template take<DoubleValue**>("doublings", nslot, doublings);
    }
    nslot = static_cast<int>(std::clamp<std::size_t>(max_bytes / slot, fewest, nslot));
    // Problems in scratch memory use no slots but for their numbers, which count blocks above.
    auto const fits = [&](std::size_t bytes, int team_scratch) {
      return TeamSlots<Space>::problems_in_scratch(bytes, n, team_scratch) > 0 &&
             TeamSlots<Space>::problems_in_scratch(bytes, order, team_scratch) > 0;
    };
    bool const in_scratch =
        fits(radiance_slot, scratch_for_radiances) && (!capacity.derivatives || fits(slot, scratch_for_sensitivities));
    if (in_scratch) slot = 1;
    m.slots.next = from.template take<int*>("next", 1);
    m.slots.slots = from.template take<double**>("slots", nslot, (slot + 63) / 64 * 8);
    return m;
  }

  /// Entries of a run of layers.
  KOKKOS_INLINE_FUNCTION static int run_entries(int n) {
    return 4 * Algebra<Space, Real>::entries(n, n) + 2 * Algebra<Space, Real>::entries(n, 1);
  }

  /// Matrices that the layers' derivatives need, in entries.
  KOKKOS_INLINE_FUNCTION static int derivative_entries(int order) {
    return 22 * Algebra<Space, double>::entries(order, order) + 12 * order;
  }

  /// Limit of the memory of slots: with large matrices fewer teams run.
  static constexpr std::size_t max_bytes = std::size_t(1) << 30;
};

}  // namespace parhelion::adding::Impl

#endif
