// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_RRTMG_IMPL_LONGWAVE_KERNEL_HPP
#define PARHELION_RRTMG_IMPL_LONGWAVE_KERNEL_HPP

#include <parhelion/rrtmg/impl/lane_optics.hpp>
#include <parhelion/rrtmg/longwave.hpp>
#include <parhelion/rrtmg/transfer.hpp>

#include <parhelion/core/error.hpp>
#include <parhelion/core/layer_map.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::rrtmg::Impl {

/// How a kernel of one model lies on an execution space.
template <class Model>
struct LaneLayout {
  using ExecutionSpace = typename Model::execution_space;
  static constexpr int width = lanes_per_thread<ExecutionSpace, typename Model::value_type>;
  static constexpr int vector_length = runs_on_host<ExecutionSpace> ? 1 : 32;
  // On an H200 more layers a block are better until the scratch memory that they take keeps other teams away, which is
  // at twice as many in float. One column a team was always best there (docs/performance.md).
  static constexpr int default_layers_per_block =
      !runs_on_host<ExecutionSpace> && sizeof(typename Model::value_type) <= 4 ? 8 : 4;

  int ngroup;

  /// Threads of a team that share a column.
  int threads_per_column() const { return runs_on_host<ExecutionSpace> ? 1 : groups_per_thread_quotient(); }
  /// Groups that one thread with its vector lanes takes.
  int groups_per_thread() const { return runs_on_host<ExecutionSpace> ? ngroup : vector_length; }
  int nlane() const { return ngroup * width; }

 private:
  int groups_per_thread_quotient() const { return (ngroup + vector_length - 1) / vector_length; }
};

/// \brief The whole solve of a few columns by one team.
///
/// Layers are taken from the top in blocks. For each block the team first makes the absorption terms of all (column,
/// layer, set), then every lane runs down the layers of the block with its radiance, and keeps each layer's map for the
/// way up. The upward sweep applies those maps from the surface. A team goes on with further columns when there are
/// more columns than teams, so the maps need memory for the teams only.
template <class Model, class Transfer>
struct LongwaveKernel {
  using ExecutionSpace = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Optics = LaneOptics<Model>;
  using State = typename Optics::State;
  using Terms = typename Optics::Terms;
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using scratch_space = typename ExecutionSpace::scratch_memory_space;
  template <class DataType>
  using Scratch = Kokkos::View<DataType, Kokkos::LayoutRight, scratch_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static constexpr int width = LaneLayout<Model>::width;

  Optics optics;
  Transfer transfer;
  Columns<ExecutionSpace, Real> in;
  Fluxes<ExecutionSpace, Real> out;
  Array<int const**, ExecutionSpace> groups;
  WorkspaceArray<Real****, ExecutionSpace> upward;  ///< (column of all teams, layer, {gain, offset}, lane)
  Array<int*, ExecutionSpace> bad_numbers;
  int ncol, nlay;
  int columns_per_team, layers_per_block, threads_per_column, groups_per_thread;
  int scratch_level = 0;

  /// What a team keeps beside it; c is a column of the team, k a layer of the block.
  struct TeamData {
    Scratch<State**> state;       ///< (c, k)
    Scratch<Terms***> terms;      ///< (c, k, set)
    Scratch<Real***> planck_lay;  ///< (c, k, interval)
    Scratch<Real***> planck_lev;  ///< (c, k, interval), one level more than layers
    Scratch<Real**> secant;       ///< (c, set)
    Scratch<Real**> radiance;     ///< (c, lane)
    Scratch<Real****> partial;    ///< (c, {up, down}, level, thread): sums over the lanes of a thread

    static std::size_t bytes(int columns, int block, int nlane, int nlay, int threads) {
      return Scratch<State**>::shmem_size(columns, block) +
             Scratch<Terms***>::shmem_size(columns, block, Optics::nset) +
             Scratch<Real***>::shmem_size(columns, block, Optics::nplanck) +
             Scratch<Real***>::shmem_size(columns, block + 1, Optics::nplanck) +
             Scratch<Real**>::shmem_size(columns, Optics::nset) + Scratch<Real**>::shmem_size(columns, nlane) +
             Scratch<Real****>::shmem_size(columns, 2, nlay + 1, threads);
    }

    KOKKOS_INLINE_FUNCTION TeamData(scratch_space const& memory, int columns, int block, int nlane, int nlay,
                                    int threads)
        : state(memory, columns, block),
          terms(memory, columns, block, Optics::nset),
          planck_lay(memory, columns, block, Optics::nplanck),
          planck_lev(memory, columns, block + 1, Optics::nplanck),
          secant(memory, columns, Optics::nset),
          radiance(memory, columns, nlane),
          partial(memory, columns, 2, nlay + 1, threads) {}
  };

  int nlane() const { return static_cast<int>(groups.extent(0)) * width; }

  std::size_t team_bytes() const {
    return TeamData::bytes(columns_per_team, layers_per_block, nlane(), nlay, threads_per_column);
  }

  KOKKOS_INLINE_FUNCTION LaneGroup lane_group(int i) const { return {groups(i, 0), groups(i, 1), groups(i, 2)}; }

  KOKKOS_INLINE_FUNCTION void operator()(member_type const& team) const {
    TeamData const data(team.team_scratch(scratch_level), columns_per_team, layers_per_block,
                        static_cast<int>(groups.extent(0)) * width, nlay, threads_per_column);
    int const slot = team.league_rank() * columns_per_team;
    for (int first = slot; first < ncol; first += team.league_size() * columns_per_team) {
      int const n = ncol - first < columns_per_team ? ncol - first : columns_per_team;
      start_columns(team, data, first, n);
      for (int top = nlay; top > 0; top -= layers_per_block) {
        int const bottom = top > layers_per_block ? top - layers_per_block : 0;
        prepare_block(team, data, first, n, bottom, top);
        sweep_down(team, data, slot, n, bottom, top);
        team.team_barrier();
      }
      sweep_up(team, data, slot, first, n);
      team.team_barrier();
      write(team, data, first, n);
      team.team_barrier();
    }
  }

  KOKKOS_INLINE_FUNCTION void start_columns(member_type const& team, TeamData const& data, int first, int n) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](int c) {
      typename Optics::WaterPath path;
      for (int layer = 0; layer < nlay; ++layer) path += optics.water_path(in, first + c, layer);
      for (int set = 0; set < Optics::nset; ++set)
        data.secant(c, set) = optics.secant(set, path, in.pressure_lev(first + c, 0));
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * static_cast<int>(data.radiance.extent(1))), [&](int i) {
      data.radiance(i / data.radiance.extent_int(1), i % data.radiance.extent_int(1)) = 0;
    });
  }

  KOKKOS_INLINE_FUNCTION void prepare_block(member_type const& team, TeamData const& data, int first, int n, int bottom,
                                            int top) const {
    int const nk = top - bottom;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * nk), [&](int i) {
      int const c = i / nk;
      int const k = i % nk;
      optics.set_state(data.state(c, k), in, first + c, bottom + k);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * nk * Optics::nset), [&](int i) {
      int const set = i % Optics::nset;
      int const k = i / Optics::nset % nk;
      int const c = i / (Optics::nset * nk);
      optics.set_terms(data.terms(c, k, set), set, data.state(c, k));
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * nk * Optics::nplanck), [&](int i) {
      int const interval = i % Optics::nplanck;
      int const k = i / Optics::nplanck % nk;
      int const c = i / (Optics::nplanck * nk);
      data.planck_lay(c, k, interval) = optics.planck(interval, in.temperature_lay(first + c, bottom + k));
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * (nk + 1) * Optics::nplanck), [&](int i) {
      int const interval = i % Optics::nplanck;
      int const k = i / Optics::nplanck % (nk + 1);
      int const c = i / (Optics::nplanck * (nk + 1));
      data.planck_lev(c, k, interval) = optics.planck(interval, in.temperature_lev(first + c, bottom + k));
    });
    team.team_barrier();
  }

  /// The lanes of one group pass one layer downwards. Returns the sum of their radiances at the layer's bottom.
  KOKKOS_INLINE_FUNCTION Real pass_down(TeamData const& data, int slot, int c, int k, int layer, int i) const {
    LaneGroup const group = lane_group(i);
    Terms const& terms = data.terms(c, k, group.set);
    Real const secant = data.secant(c, group.set);
    Real tau[width];
    sum_terms(terms, optics.values(), group.first, tau);
    Real fraction[width];
    if constexpr (Optics::has_planck_fractions) planck_fractions(terms, optics.values(), group.first, fraction);

    Real const* const b_lay = &data.planck_lay(c, k, group.planck);
    Real const* const b_low = &data.planck_lev(c, k, group.planck);
    Real const* const b_high = &data.planck_lev(c, k + 1, group.planck);
    Real* const radiance = &data.radiance(c, i * width);
    // Results stay in local arrays until the end: no store may then stand between the lanes and a vector loop.
    Real gain[width], offset_up[width], outgoing[width];
    for (int l = 0; l < width; ++l) {
      constexpr int step = Optics::planck_interval_per_lane ? 1 : 0;
      // Interpolation can leave a tiny negative absorption.
      LayerTransfer<Real> const pass = transfer((tau[l] < 0 ? 0 : tau[l]) * secant);
      Real const emitted = Optics::has_planck_fractions ? pass.absorptivity * fraction[l] : pass.absorptivity;
      Real const b = b_lay[step * l];
      AffineMap<Real> const down(pass.transmittance, emitted * (b + pass.source_weight * (b_low[step * l] - b)));
      gain[l] = pass.transmittance;
      offset_up[l] = emitted * (b + pass.source_weight * (b_high[step * l] - b));
      outgoing[l] = down(radiance[l]);
    }
    Real sum = 0;
    for (int l = 0; l < width; ++l) {
      upward(slot + c, layer, 0, i * width + l) = gain[l];
      upward(slot + c, layer, 1, i * width + l) = offset_up[l];
      radiance[l] = outgoing[l];
      sum += outgoing[l];
    }
    return sum;
  }

  KOKKOS_INLINE_FUNCTION void sweep_down(member_type const& team, TeamData const& data, int slot, int n, int bottom,
                                         int top) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n * threads_per_column), [&](int task) {
      int const c = task / threads_per_column;
      int const thread = task % threads_per_column;
      for (int layer = top - 1; layer >= bottom; --layer) {
        Real sum;
        reduce_groups(team, thread, sum, [&](int i) { return pass_down(data, slot, c, layer - bottom, layer, i); });
        Kokkos::single(Kokkos::PerThread(team), [&]() { data.partial(c, 1, layer, thread) = sum; });
      }
    });
  }

  KOKKOS_INLINE_FUNCTION void sweep_up(member_type const& team, TeamData const& data, int slot, int first,
                                       int n) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n * threads_per_column), [&](int task) {
      int const c = task / threads_per_column;
      int const thread = task % threads_per_column;
      Real sum;
      reduce_groups(team, thread, sum, [&](int i) { return leave_surface(data, first, c, i); });
      Kokkos::single(Kokkos::PerThread(team), [&]() { data.partial(c, 0, 0, thread) = sum; });
      for (int layer = 0; layer < nlay; ++layer) {
        reduce_groups(team, thread, sum, [&](int i) {
          Real* const radiance = &data.radiance(c, i * width);
          Real const* const gain = &upward(slot + c, layer, 0, i * width);
          Real const* const offset = &upward(slot + c, layer, 1, i * width);
          Real up = 0;
          for (int l = 0; l < width; ++l) {
            radiance[l] = AffineMap<Real>(gain[l], offset[l])(radiance[l]);
            up += radiance[l];
          }
          return up;
        });
        Kokkos::single(Kokkos::PerThread(team), [&]() { data.partial(c, 0, layer + 1, thread) = sum; });
      }
    });
  }

  /// Emission and reflection of the surface; its Planck fractions are those of the lowest layer, whose terms are still
  /// there when the downward sweep has ended.
  KOKKOS_INLINE_FUNCTION Real leave_surface(TeamData const& data, int first, int c, int i) const {
    LaneGroup const group = lane_group(i);
    Real fraction[width];
    if constexpr (Optics::has_planck_fractions)
      planck_fractions(data.terms(c, 0, group.set), optics.values(), group.first, fraction);
    Real const temperature = in.temperature_sfc(first + c);
    Real* const radiance = &data.radiance(c, i * width);
    Real sum = 0;
    Real planck = 0;
    Real emissivity = 0;
    for (int l = 0; l < width; ++l) {
      if (l == 0 || Optics::planck_interval_per_lane) {
        int const interval = group.planck + l;
        planck = optics.planck(interval, temperature);
        emissivity =
            in.emissivity_sfc(first + c, in.emissivity_sfc.extent(1) == 1 ? 0 : optics.emissivity_band(interval));
      }
      Real const emitted = emissivity * (Optics::has_planck_fractions ? planck * fraction[l] : planck);
      radiance[l] = AffineMap<Real>(1 - emissivity, emitted)(radiance[l]);
      sum += radiance[l];
    }
    return sum;
  }

  /// Sum over the groups of one thread, in an order that depends on nothing but the model.
  template <class Pass>
  KOKKOS_INLINE_FUNCTION void reduce_groups(member_type const& team, int thread, Real& sum, Pass const& pass) const {
    int const begin = thread * groups_per_thread;
    int const ngroup = static_cast<int>(groups.extent(0));
    int const end = begin + groups_per_thread < ngroup ? begin + groups_per_thread : ngroup;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, begin, end), [&](int i, Real& partial) { partial += pass(i); }, sum);
  }

  KOKKOS_INLINE_FUNCTION void write(member_type const& team, TeamData const& data, int first, int n) const {
    constexpr Real pi = static_cast<Real>(Kokkos::numbers::pi);
    int const nlev = nlay + 1;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * nlev), [&](int i) {
      int const c = i / nlev;
      int const level = i % nlev;
      Real up = 0;
      Real dn = 0;
      for (int thread = 0; thread < threads_per_column; ++thread) {
        up += data.partial(c, 0, level, thread);
        if (level < nlay) dn += data.partial(c, 1, level, thread);
      }
      out.flux_up(first + c, level) = pi * up;
      out.flux_dn(first + c, level) = pi * dn;
      if (!Kokkos::isfinite(up) || !Kokkos::isfinite(dn)) Kokkos::atomic_store(&bad_numbers(0), 1);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * nlay), [&](int i) {
      int const column = first + i / nlay;
      int const layer = i % nlay;
      Real const gain = (out.flux_up(column, layer) - out.flux_dn(column, layer)) -
                        (out.flux_up(column, layer + 1) - out.flux_dn(column, layer + 1));
      Real const thickness = in.pressure_lev(column, layer) - in.pressure_lev(column, layer + 1);
      out.heating_rate(column, layer) = static_cast<Real>(Optics::heating_factor) * gain / thickness;
    });
  }
};

template <class ViewType>
void check_extents(char const* name, ViewType const& view, std::initializer_list<int> expected) {
  int r = 0;
  for (int extent : expected) {
    if (static_cast<int>(view.extent(r)) != extent)
      throw Error("Longwave::solve", fmt::format("{}.extent({}) = {}, expected {}", name, r, view.extent(r), extent));
    ++r;
  }
}

}  // namespace parhelion::rrtmg::Impl

namespace parhelion::rrtmg {

template <class Model>
Longwave<Model>::Longwave(execution_space const& space, Model const& model, int max_nlay, Transmittance transmittance,
                          LongwaveTuning tuning)
    : m_model(model),
      m_max_nlay(max_nlay),
      m_transmittance(transmittance),
      m_columns_per_team(tuning.columns_per_team > 0 ? tuning.columns_per_team : 1),
      m_layers_per_block(tuning.layers_per_block > 0 ? tuning.layers_per_block
                                                     : Impl::LaneLayout<Model>::default_layers_per_block),
      m_nteam(0),
      m_workspace(space, 0),
      m_bad_numbers("parhelion::rrtmg::bad_numbers", 1) {
  using Optics = Impl::LaneOptics<Model>;
  if (max_nlay < 1) throw Error("Longwave", fmt::format("max_nlay = {}, expected at least 1", max_nlay));
  if (transmittance == Transmittance::table) {
    if constexpr (Optics::has_table)
      m_table = make_transfer_table<execution_space, value_type>();
    else
      throw Error("Longwave", "the simple spectral model has no table of transmittances; use exact ones");
  }

  auto const groups = Optics::groups();
  Impl::LaneLayout<Model> const layout{static_cast<int>(groups.size())};
  Array<int**, execution_space> const device_groups("parhelion::rrtmg::lane_groups", groups.size(), 3);
  auto const host_groups = Kokkos::create_mirror_view(device_groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    host_groups(i, 0) = groups[i].set;
    host_groups(i, 1) = groups[i].first;
    host_groups(i, 2) = groups[i].planck;
  }
  Kokkos::deep_copy(device_groups, host_groups);
  m_groups = device_groups;

  // As many teams as can run at a time; each goes through several columns.
  int const threads =
      runs_on_host<execution_space> ? 1 : m_columns_per_team * layout.threads_per_column() * layout.vector_length;
  m_nteam = std::max(1, space.concurrency() / threads);

  auto const take = [&](auto& memory) {
    return memory.template take<value_type****>("upward", m_nteam * m_columns_per_team, max_nlay, 2, layout.nlane());
  };
  WorkspaceSize<execution_space> size;
  take(size);
  m_workspace = Workspace<execution_space>(space, size.bytes(), "parhelion::rrtmg::longwave_workspace");
  m_upward = take(m_workspace);
}

template <class Model>
void Longwave<Model>::solve(execution_space const& space, Columns<execution_space, value_type> const& columns,
                            Fluxes<execution_space, value_type> const& fluxes) const {
  using Impl::check_extents;
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  if (nlay < 1 || nlay > m_max_nlay)
    throw Error("Longwave::solve",
                fmt::format("pressure_lay.extent(1) = {}, expected 1 to max_nlay = {}", nlay, m_max_nlay));
  check_extents("pressure_lev", columns.pressure_lev, {ncol, nlay + 1});
  check_extents("temperature_lay", columns.temperature_lay, {ncol, nlay});
  check_extents("temperature_lev", columns.temperature_lev, {ncol, nlay + 1});
  check_extents("temperature_sfc", columns.temperature_sfc, {ncol});
  check_extents("mole_ratio", columns.mole_ratio, {ncol, ngas, nlay});
  check_extents("emissivity_sfc", columns.emissivity_sfc, {ncol, columns.emissivity_sfc.extent(1) == 1 ? 1 : nbnd});
  check_extents("flux_up", fluxes.flux_up, {ncol, nlay + 1});
  check_extents("flux_dn", fluxes.flux_dn, {ncol, nlay + 1});
  check_extents("heating_rate", fluxes.heating_rate, {ncol, nlay});

  if (ncol == 0) return;

  Impl::LaneLayout<Model> const layout{static_cast<int>(m_groups.extent(0))};
  auto const launch = [&](auto const& transfer) {
    using Kernel = Impl::LongwaveKernel<Model, std::decay_t<decltype(transfer)>>;
    Kernel kernel{.optics = {m_model},
                  .transfer = transfer,
                  .in = columns,
                  .out = fluxes,
                  .groups = m_groups,
                  .upward = m_upward,
                  .bad_numbers = m_bad_numbers,
                  .ncol = ncol,
                  .nlay = nlay,
                  .columns_per_team = m_columns_per_team,
                  .layers_per_block = m_layers_per_block,
                  .threads_per_column = layout.threads_per_column(),
                  .groups_per_thread = layout.groups_per_thread()};
    int const nteam = std::min(m_nteam, (ncol + m_columns_per_team - 1) / m_columns_per_team);
    int const team_size = runs_on_host<execution_space> ? 1 : m_columns_per_team * layout.threads_per_column();
    auto policy = Kokkos::TeamPolicy<execution_space>(space, nteam, team_size, layout.vector_length);
    // Very deep columns outgrow the fast scratch memory.
    int const bytes = static_cast<int>(kernel.team_bytes());
    kernel.scratch_level = bytes <= policy.scratch_size_max(0) ? 0 : 1;
    policy.set_scratch_size(kernel.scratch_level, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for("parhelion::rrtmg::longwave", policy, kernel);
  };
  if constexpr (Impl::LaneOptics<Model>::has_table) {
    if (m_transmittance == Transmittance::table) {
      launch(TableTransfer<execution_space, value_type>{m_table});
      return;
    }
  }
  launch(ExactTransfer{});
}

template <class Model>
bool Longwave<Model>::found_bad_numbers(execution_space const& space) const {
  int flag = 0;
  HostArray<int*> const host(&flag, 1);
  Kokkos::deep_copy(space, host, m_bad_numbers);
  space.fence("parhelion::rrtmg::found_bad_numbers");
  if (flag != 0) Kokkos::deep_copy(space, m_bad_numbers, 0);
  return flag != 0;
}

}  // namespace parhelion::rrtmg

#endif
