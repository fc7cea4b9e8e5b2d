// SPDX-License-Identifier: BSD-3-Clause
// The members of Longwave: memory, checks and the launch of the kernel. Each model of gas optics compiles them once, in
// its own folder.
#ifndef PARHELION_FLUXES_LONGWAVE_SOLVER_HPP
#define PARHELION_FLUXES_LONGWAVE_SOLVER_HPP

#include "lane_table.hpp"
#include "longwave_divided_kernel.hpp"
#include "longwave_kernel.hpp"
#include "longwave_scattering_kernel.hpp"
#include "solver_constants.hpp"

#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/rrtmgp/particles.hpp>

#include <parhelion/core/error.hpp>
#include <parhelion/core/impl/fast_scratch.hpp>
#include <parhelion/core/lifetime.hpp>
#include <parhelion/core/workspace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace parhelion::fluxes::Impl {

/// Refuses arrays with wrong extents, and arrays that are missing although others that belong to them are there.
template <class ExecutionSpace, class Real>
void check_arrays(LongwaveInput<ExecutionSpace, Real> const& input, Fluxes<ExecutionSpace, Real> const& fluxes,
                  ModelSizes const& sizes, bool has_mask) {
  constexpr char const* where = "Longwave::solve";
  auto const& columns = input.columns;
  auto const& clouds = input.clouds;
  Dimensions dimensions{{dimension::column, columns.ncol()},    {dimension::layer, columns.nlay()},
                        {dimension::level, columns.nlay() + 1}, {dimension::gas, sizes.ngas},
                        {dimension::band, sizes.nband},         {dimension::gpoint, sizes.ngpoint}};
  if (clouds.of_layers() && clouds.of_gpoints())
    throw Error(where, "clouds are given both for layers and for g-points");
  dimensions = check_extents(where, input, dimensions);
  if (columns.ncol() > 0)
    expect_emissivities(where, columns.ncol(), static_cast<std::int64_t>(columns.emissivity_sfc.extent(1)), sizes);
  check_extents(where, fluxes, dimensions);
  auto const require = [&](bool needed, char const* name, auto const& view) {
    if (needed && view.size() == 0) throw Error(where, fmt::format("{} is missing", name));
  };
  bool const of_layers = clouds.of_layers();
  require(of_layers, "ice_path", clouds.ice_path);
  require(of_layers, "liquid_path", clouds.liquid_path);
  bool const of_gpoints = clouds.of_gpoints() && !(has_mask && clouds.has_mask());
  require(of_gpoints, "ice_path_gpt", clouds.ice_path_gpt);
  require(of_gpoints, "liquid_path_gpt", clouds.liquid_path_gpt);
  require(clouds.any(), "ice_size", clouds.ice_size);
  require(clouds.any(), "liquid_size", clouds.liquid_size);
  require(clouds.any(), "input", clouds.input);
  require(clouds.any(), "ice_optics", clouds.ice_optics);
  require(clouds.any(), "liquid_optics", clouds.liquid_optics);
  bool const clear =
      fluxes.flux_up_clear.size() > 0 || fluxes.flux_dn_clear.size() > 0 || fluxes.heating_rate_clear.size() > 0;
  require(clear, "flux_up_clear", fluxes.flux_up_clear);
  require(clear, "flux_dn_clear", fluxes.flux_dn_clear);
  require(clear, "heating_rate_clear", fluxes.heating_rate_clear);
  bool const derivative = fluxes.dflux_up_dt.size() > 0 || fluxes.dflux_up_clear_dt.size() > 0;
  require(derivative, "dflux_up_dt", fluxes.dflux_up_dt);
  require(derivative && clear, "dflux_up_clear_dt", fluxes.dflux_up_clear_dt);
  bool const bands = fluxes.flux_up_band.size() > 0 || fluxes.flux_dn_band.size() > 0;
  require(bands, "flux_up_band", fluxes.flux_up_band);
  require(bands, "flux_dn_band", fluxes.flux_dn_band);
}

/// Teams of a solver: as many as are certain to run at the same time, without clouds or with. Each goes through several
/// columns.
template <class Model>
int teams_of_solver(typename Model::execution_space const& space, int ngroup) {
  using Layout = LongwaveLayout<Model>;
  return std::max(Layout::template resident_teams<false>(space.concurrency(), ngroup),
                  Layout::template resident_teams<true>(space.concurrency(), ngroup));
}

/// Layer maps of the upward sweep: from a Workspace, or from a WorkspaceSize, which counts them.
template <class Model, class Memory>
auto take_upward(Memory& memory, int nteam, LongwaveCapacity const& capacity, LongwaveTuning const& tuning) {
  using Optics = LaneOptics<Model>;
  int nmap = Optics::has_clouds ? (tuning.transmittance == Transmittance::table ? 5 : 4) : 2;
  if (capacity.scatters) nmap = LongwaveScatteringKernel<Model, true, true>::nmap;
  return memory.template take<typename Model::value_type****>("upward", nteam, capacity.nlay, nmap,
                                                              Optics::nlane(capacity));
}

/// Whether several teams may solve a column.
template <class Model>
inline constexpr bool may_divide = LongwaveDividedKernel<Model, typename LaneOptics<Model>::Exact, false>::is_possible;

/// Most columns that are solved by several teams each.
template <class Model>
int most_divided(int nteam) {
  return may_divide<Model> ? nteam / 2 : 0;
}

/// What their layers emit downward, in both skies.
template <class Model, class Memory>
auto take_downward(Memory& memory, int nteam, LongwaveCapacity const& capacity) {
  using Optics = LaneOptics<Model>;
  return memory.template take<typename Model::value_type****>("downward", most_divided<Model>(nteam), capacity.nlay,
                                                              Optics::has_clouds ? 2 : 1, Optics::nlane(capacity));
}

/// Bytes of both.
template <class Model>
std::size_t workspace_of_maps(int nteam, LongwaveCapacity const& capacity, LongwaveTuning const& tuning) {
  WorkspaceSize<typename Model::execution_space> size;
  take_upward<Model>(size, nteam, capacity, tuning);
  take_downward<Model>(size, nteam, capacity);
  return size.bytes();
}

}  // namespace parhelion::fluxes::Impl

namespace parhelion::fluxes {

template <class Model>
struct Longwave<Model>::Parts {
  Model model;
  LongwaveCapacity capacity;
  LongwaveTuning tuning;
  int nteam;
  std::size_t workspace_bytes;
  Workspace<execution_space> workspace;
  NotFinite<execution_space> not_finite;
  Kokkos::View<int*, typename execution_space::memory_space> next_column = {};  ///< on a host, see LongwaveKernel
  WorkspaceArray<value_type****, execution_space> upward = {};                  ///< layer maps of the upward sweep
  WorkspaceArray<value_type****, execution_space> downward = {};                ///< see LongwaveDividedKernel
  Kokkos::View<int*, typename execution_space::memory_space> arrived = {};      ///< the same
  Kokkos::View<int*, typename execution_space::memory_space> in_step = {};      ///< see TeamsInStep
  Array<value_type const**, execution_space> table = {};                        ///< transmittance and source weight
  Impl::LaneTable<execution_space> lanes = {};
  typename Impl::LaneOptics<Model>::Clouds::Optics cloud_optics = {};
};

template <class Model>
Longwave<Model>::Longwave(execution_space const& space, Model const& model, LongwaveCapacity const& capacity,
                          LongwaveTuning const& tuning) {
  static_assert(Solver<Longwave>);
  using Optics = Impl::LaneOptics<Model>;
  std::size_t const bytes = workspace_bytes(space, capacity, tuning);
  Optics const optics(model);
  auto const groups = optics.groups();
  int const ngroup = static_cast<int>(groups.size());
  bool scatters = false;
  if constexpr (Optics::may_scatter) scatters = optics.scattering != rrtmgp::Scattering::none;
  if (Optics::nlane(capacity) != ngroup * Optics::width || scatters != capacity.scatters)
    throw Error("Longwave",
                "the capacity is not that of the model, expected its g-points of each list, angles and scattering");
  int const nteam = Impl::teams_of_solver<Model>(space, ngroup);
  m_parts = std::make_unique<Parts>(
      Parts{.model = model,
            .capacity = capacity,
            .tuning = tuning,
            .nteam = nteam,
            .workspace_bytes = bytes,
            .workspace = Workspace<execution_space>(space, Impl::workspace_of_maps<Model>(nteam, capacity, tuning),
                                                    "parhelion::fluxes::longwave_workspace"),
            .not_finite = NotFinite<execution_space>(space)});
  Parts& p = *m_parts;
  if constexpr (Optics::has_table)
    if (tuning.transmittance == Transmittance::table)
      p.table = Impl::make_transfer_table<execution_space, value_type>(space);

  auto const named = [&](char const* name) { return Kokkos::view_alloc(space, std::string(name)); };
  using Layout = Impl::LongwaveLayout<Model>;
  p.lanes = Impl::make_lane_table(
      space, optics,
      Impl::share_lanes(groups, Optics::nlist(capacity), Layout::team_size(ngroup), Layout::vector_length));
  p.upward = Impl::take_upward<Model>(p.workspace, nteam, capacity, tuning);
  if constexpr (Impl::may_divide<Model>) {
    p.downward = Impl::take_downward<Model>(p.workspace, nteam, capacity);
    p.arrived = decltype(p.arrived)(named("parhelion::fluxes::arrived"), Impl::most_divided<Model>(nteam));
  }
  p.in_step = decltype(p.in_step)(named("parhelion::fluxes::in_step"), Impl::TeamsInStep<execution_space>::counts);
  if constexpr (runs_on_host<execution_space>)
    p.next_column = decltype(p.next_column)(named("parhelion::fluxes::next_column"), 1);
  if constexpr (Optics::has_clouds) p.cloud_optics = Optics::Clouds::make_optics(space, model);
}

template <class Model>
Longwave<Model>::Longwave(Longwave&&) noexcept = default;
template <class Model>
Longwave<Model>& Longwave<Model>::operator=(Longwave&&) noexcept = default;
template <class Model>
Longwave<Model>::~Longwave() {
  leave_if_kokkos_is_gone(m_parts);
}

template <class Model>
SolveStatus Longwave<Model>::status(execution_space const& space) {
  return m_parts->not_finite.status(space);
}

template <class Model>
std::size_t Longwave<Model>::workspace_bytes() const {
  return m_parts->workspace_bytes;
}

template <class Model>
std::size_t Longwave<Model>::workspace_bytes(execution_space const& space, LongwaveCapacity const& capacity,
                                             LongwaveTuning const& tuning) {
  using Optics = Impl::LaneOptics<Model>;
  Impl::check_solver_constants("Longwave", capacity.nlay, tuning.heat_capacity, tuning.gravity);
  if (!Optics::has_table && tuning.transmittance == Transmittance::table)
    throw Error("Longwave", "only RRTMG_LW has a table of transmittances; use exact ones");
  std::size_t values = 0;
  if constexpr (Optics::has_clouds) values += Optics::Clouds::values;
  if constexpr (Optics::has_table)
    if (tuning.transmittance == Transmittance::table)
      values += 2 * (Impl::TableTransfer<execution_space, value_type>::intervals + 1);
  int const ngroup = Optics::nlane(capacity) / Optics::width;
  int const nteam = Impl::teams_of_solver<Model>(space, ngroup);
  return Impl::workspace_of_maps<Model>(nteam, capacity, tuning) +
         static_cast<std::size_t>(Impl::most_divided<Model>(nteam) + Impl::TeamsInStep<execution_space>::counts) *
             sizeof(int) +
         values * sizeof(value_type) +
         Impl::LaneTable<execution_space>::bytes(ngroup, Optics::nlane(capacity), Optics::nband(capacity),
                                                 Optics::nlist(capacity),
                                                 Impl::LongwaveLayout<Model>::team_size(ngroup)) +
         NotFinite<execution_space>::bytes() + (runs_on_host<execution_space> ? sizeof(int) : 0);
}

template <class Model>
void Longwave<Model>::solve(execution_space const& space, input_type const& input, result_type const& fluxes) {
  using Optics = Impl::LaneOptics<Model>;
  Parts const& p = *m_parts;
  auto const& columns = input.columns;
  auto const& clouds = input.clouds;
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  Impl::check_arrays(input, fluxes, sizes_of(p.model), Optics::Clouds::takes_masks);
  Impl::check_particles("Longwave::solve", p.model, clouds.any(), columns.aerosol_type.size() > 0);
  if (nlay < 1 || nlay > p.capacity.nlay)
    throw Error("Longwave::solve",
                fmt::format("pressure_lay has {} layers, expected 1 to the {} of the capacity", nlay, p.capacity.nlay));
  if ((!Optics::has_clouds && clouds.any()) || (!Optics::has_band_aerosol && columns.aerosol.size() > 0) ||
      (!Optics::has_derivative && (fluxes.dflux_up_dt.size() > 0 || fluxes.surface_share.size() > 0)) ||
      (!Optics::has_bands && (fluxes.flux_up_band.size() > 0 || columns.incident_flux.size() > 0)))
    throw Error(
        "Longwave::solve",
        fmt::format("the model has no {}",
                    !Optics::has_bands ? "clouds, aerosol, derivatives, fluxes of bands or incident flux" : "aerosol"));
  if (p.capacity.scatters && fluxes.surface_share.size() > 0)
    throw Error("Longwave::solve", "there is surface_share, which there is not where particles scatter");
  if (ncol == 0) return;

  using Layout = Impl::LongwaveLayout<Model>;
  int const ngroup = static_cast<int>(p.lanes.groups.extent(0));
  auto const make_kernel = [&](auto const& transfer, auto cloudy, int nmap) {
    constexpr bool has_clouds = decltype(cloudy)::value;
    using Kernel = Impl::LongwaveKernel<Model, std::decay_t<decltype(transfer)>, has_clouds>;
    Optics optics(p.model);
    if constexpr (Optics::has_table)
      if (p.tuning.transmittance == Transmittance::table) {
        // The original extrapolates its table of Planck radiances, and so does this mode, wherever the model is valid.
        optics.table_from = static_cast<value_type>(Model::validity.lowest_temperature);
        optics.table_to = static_cast<value_type>(Model::validity.temperature.highest);
      }
    Kernel kernel{.optics = optics,
                  .transfer = transfer,
                  .in = columns,
                  .clouds = Optics::Clouds::of(clouds, p.cloud_optics),
                  .out = fluxes,
                  .upward = WorkspaceArray<value_type****, execution_space>(p.upward.data(), p.nteam, nlay, nmap,
                                                                            ngroup * Optics::width),
                  .downward = {},
                  .not_finite = p.not_finite,
                  .next_column = {p.next_column.data()},
                  .in_step = {},
                  .table = p.lanes,
                  .heating_factor = static_cast<value_type>(Impl::heating_factor<Optics>(p.tuning)),
                  .ncol = ncol,
                  .nlay = nlay,
                  .layers_per_block = std::min({p.tuning.layers_per_block, nlay, Kernel::most_layers_of_block}),
                  .layers_of_states = Layout::most_layers_of_states,
                  .has_aerosol = columns.aerosol.size() > 0,
                  .has_incident_flux = columns.incident_flux.size() > 0,
                  .wants_clear = fluxes.flux_up_clear.size() > 0,
                  .wants_derivative = fluxes.dflux_up_dt.size() > 0,
                  .wants_bands = fluxes.flux_up_band.size() > 0,
                  .wants_surface_share = fluxes.surface_share.size() > 0};
    auto const take = [&](typename Layout::Layers const& layers) {
      kernel.layers_per_block = layers.of_block;
      kernel.layers_of_states = layers.of_states;
      return kernel.team_bytes();
    };
    int const wanted = p.tuning.layers_per_block > 0 ? kernel.layers_per_block : 0;
    take(Layout::template layers<has_clouds>(wanted, take));
    return kernel;
  };
  auto const enqueue = [&](auto kernel, auto cloudy, int teams) {
    constexpr bool has_clouds = decltype(cloudy)::value;
    int const resident = Layout::template resident_teams<has_clouds>(space.concurrency(), ngroup);
    int const nteam = std::min(resident, teams);
    auto policy =
        typename Layout::template Policy<has_clouds>(space, nteam, Layout::team_size(ngroup), Layout::vector_length);
    if constexpr (runs_on_host<execution_space>) kernel.next_column.rewind(space);
    if (teams > nteam) kernel.in_step.count = p.in_step.data();
    // Very deep blocks do not fit into the fast scratch memory.
    parhelion::Impl::enqueue_in_scratch("parhelion::fluxes::longwave", policy, kernel, kernel.team_bytes(),
                                        Layout::template teams<has_clouds>);
  };
  auto const launch = [&](auto const& transfer, auto cloudy) {
    constexpr bool has_clouds = decltype(cloudy)::value;
    if constexpr (Optics::may_scatter) {
      auto const scattering = Optics(p.model).scattering;
      if (scattering != rrtmgp::Scattering::none) {
        using TwoStream = Impl::LongwaveScatteringKernel<Model, has_clouds, false>;
        using Rescaled = Impl::LongwaveScatteringKernel<Model, has_clouds, true>;
        auto const base = make_kernel(transfer, cloudy, int{TwoStream::nmap});
        if (scattering == rrtmgp::Scattering::two_stream)
          enqueue(TwoStream{base}, cloudy, ncol);
        else
          enqueue(Rescaled{base}, cloudy, ncol);
        return;
      }
    }
    using Transfer = std::decay_t<decltype(transfer)>;
    using Divided = Impl::LongwaveDividedKernel<Model, Transfer, has_clouds>;
    auto const kernel = make_kernel(transfer, cloudy, int{Divided::nmap});
    if constexpr (Divided::is_possible) {
      int const resident = Layout::template resident_teams<has_clouds>(space.concurrency(), ngroup);
      int const parts = Layout::template parts_of_column<has_clouds>(resident, ncol, nlay, kernel.layers_per_block);
      if (parts > 1) {
        Divided divided{kernel, parts, WorkspaceArray<int*, execution_space>(p.arrived.data(), p.arrived.extent(0))};
        divided.downward = WorkspaceArray<value_type****, execution_space>(
            p.downward.data(), p.downward.extent(0), nlay, p.downward.extent(2), ngroup * Optics::width);
        enqueue(divided, cloudy, ncol * parts);
        return;
      }
    }
    enqueue(kernel, cloudy, ncol);
  };
  auto const with_sky = [&](auto const& transfer) {
    if constexpr (Optics::has_clouds) {
      if (clouds.any()) {
        launch(transfer, std::true_type());
        return;
      }
    }
    launch(transfer, std::false_type());
  };
  if constexpr (Optics::has_table) {
    if (p.tuning.transmittance == Transmittance::table) {
      with_sky(Impl::TableTransfer<execution_space, value_type>{p.table});
      return;
    }
  }
  with_sky(typename Optics::Exact{});
}

}  // namespace parhelion::fluxes

#endif
