// SPDX-License-Identifier: BSD-3-Clause
// The kernel of the longwave solver for few columns.
#ifndef PARHELION_FLUXES_LONGWAVE_DIVIDED_KERNEL_HPP
#define PARHELION_FLUXES_LONGWAVE_DIVIDED_KERNEL_HPP

#include "longwave_kernel.hpp"

namespace parhelion::fluxes::Impl {

/// \brief The solve of a column by several teams, each of which has some of its blocks of layers.
///
/// A column takes a team of a device long, as it waits for memory most of the time, and few columns leave most
/// multiprocessors without work. Here each team makes the maps of the layers of its blocks. The last one that has done
/// so takes the radiation through all of them. Results have the same bits as those of LongwaveKernel.
template <class Model, class Transfer, bool cloudy>
struct LongwaveDividedKernel : LongwaveKernel<Model, Transfer, cloudy> {
  using Base = LongwaveKernel<Model, Transfer, cloudy>;
  using typename Base::Data;
  using typename Base::ExecutionSpace;
  using typename Base::member_type;
  using typename Base::Optics;
  using typename Base::Real;
  static constexpr int width = Base::width;
  /// Blocks do not depend on those above, but for the random ranks of subcolumns.
  static constexpr bool is_possible =
      !runs_on_host<ExecutionSpace> && !Base::waits && !Optics::may_fit_secants && Transfer::is_consistent;

  int parts;                                     ///< teams of a column
  WorkspaceArray<int*, ExecutionSpace> arrived;  ///< (column): its teams that have made their maps; 0 between solves

  template <bool is_fast>
  KOKKOS_INLINE_FUNCTION void in_scratch(member_type const& team) const {
    TeamScratch<is_fast> scratch(team.team_scratch(this->scratch_level));
    Data const data(scratch, this->extents());
    ThreadLanes const mine = this->table.threads(team.team_rank());
    int const column = team.league_rank() / parts;
    int const part = team.league_rank() % parts;
    this->prepare_column(team, data, column);
    int const highest = boundary(data, part);
    int const lowest = boundary(data, part + 1);
    if constexpr (cloudy) pass_clouds(team, data, mine, column, highest);
    this->each_block(team, data, column, highest, lowest, [&](LayerBlock const& block) {
      this->prepare_block(team, data, mine, column, block);
      this->template sweep_down<true>(team, data, mine, column, column, block, this->skies());
    });
    if (!is_last_to_arrive(team, column)) return;
    prepare_surface(team, data, mine, column, lowest);
    sweep_down_kept(team, data, mine, column);
    team.team_barrier();
    this->finish_column(team, data, mine, column, column, this->skies() > 1 ? this->nlay : 0);
  }

 private:
  /// The level above the first block of a part.
  KOKKOS_INLINE_FUNCTION int boundary(Data const& data, int part) const {
    int blocks = 0;
    for (int top = this->nlay; top > 0; top = this->bottom_of_block(data, top)) ++blocks;
    int top = this->nlay;
    for (int block = 0; block < blocks * part / parts; ++block) top = this->bottom_of_block(data, top);
    return top;
  }

  /// Takes the ranks of subcolumns through the layers above a level.
  KOKKOS_INLINE_FUNCTION void pass_clouds(member_type const& team, Data const& data, ThreadLanes const& mine,
                                          int column, int level) const {
    if (!this->clouds.of_layers) return;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.ngroup), [&](int of_thread) {
      int const i = mine.first_group + of_thread;
      Real depth[width];
      for (int layer = this->nlay - 1; layer >= level; --layer) {
        LayerCloud const cloud = this->clouds.layer(this->in, column, layer);
        if (cloud.any)
          this->clouds.optical_depths(data.rank + i * width, cloud, CloudAbsorption<Real>{0, 0}, column, layer,
                                      this->table.groups(i), depth);
      }
    });
  }

  /// Whether all other teams of the column have stored their maps, which this one then sees.
  KOKKOS_INLINE_FUNCTION bool is_last_to_arrive(member_type const& team, int column) const {
    Kokkos::memory_fence();
    team.team_barrier();
    int before = 0;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& to) { to = Kokkos::atomic_fetch_add(&arrived(column), 1); }, before);
    if (before + 1 < parts) return false;
    Kokkos::single(Kokkos::PerTeam(team), [&]() { arrived(column) = 0; });
    Kokkos::memory_fence();
    return true;
  }

  /// The terms of the lowest block, which has the Planck fractions of the surface.
  KOKKOS_INLINE_FUNCTION void prepare_surface(member_type const& team, Data const& data, ThreadLanes const& mine,
                                              int column, int lowest) const {
    if (Base::has_fractions && lowest > 0) {
      int top = this->nlay;
      while (this->bottom_of_block(data, top) > 0) top = this->bottom_of_block(data, top);
      this->each_block(team, data, column, top, 0,
                       [&](LayerBlock const& block) { this->prepare_block(team, data, mine, column, block); });
    }
    team.team_barrier();
  }

  /// The downward sweep of all skies.
  KOKKOS_INLINE_FUNCTION void sweep_down_kept(member_type const& team, Data const& data, ThreadLanes const& mine,
                                              int column) const {
    auto const to_layer_below = [](auto const& array) { return -static_cast<int>(array.extent(2) * array.extent(3)); };
    int const gain_stride = to_layer_below(this->upward);
    int const offset_stride = to_layer_below(this->downward);
    for (int top = this->nlay; top > 0;) {
      int const bottom = top > data.nk ? top - data.nk : 0;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.ngroup), [&](int of_thread) {
        int const lane = (mine.first_group + of_thread) * width;
        for (int sky = 0; sky < this->skies(); ++sky)
          Base::template cross_kept_layers<true>(
              {&this->upward(column, top - 1, 2 * sky, lane), &this->downward(column, top - 1, sky, lane), gain_stride,
               offset_stride},
              top - bottom, data.level_down(sky, top - 1 - bottom) + lane, -data.level_stride,
              data.radiances(sky) + lane);
      });
      this->sum_levels_down(team, data, mine, column, bottom, top - bottom, this->skies());
      top = bottom;
    }
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
