// SPDX-License-Identifier: BSD-3-Clause
// The members of Shortwave: memory, checks and the launch of the kernel. Each model of gas optics compiles them once,
// in its own folder.
#ifndef PARHELION_FLUXES_SHORTWAVE_SOLVER_HPP
#define PARHELION_FLUXES_SHORTWAVE_SOLVER_HPP

#include "shortwave_kernel.hpp"
#include "solver_constants.hpp"

#include <parhelion/fluxes/shortwave.hpp>

#include <parhelion/core/error.hpp>
#include <parhelion/core/impl/fast_scratch.hpp>
#include <parhelion/core/lifetime.hpp>
#include <parhelion/core/workspace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>

namespace parhelion::fluxes::Impl {

/// Refuses arrays with wrong extents, and arrays that are missing although others that belong to them are there.
template <class ExecutionSpace, class Real>
void check_arrays(ShortwaveInput<ExecutionSpace, Real> const& input,
                  ShortwaveFluxes<ExecutionSpace, Real> const& fluxes, ModelSizes const& sizes, bool has_mask,
                  bool uses_levels) {
  constexpr char const* where = "Shortwave::solve";
  auto const& columns = input.columns;
  auto const& clouds = input.clouds;
  int const nalbedo = static_cast<int>(columns.albedo_direct.extent(1));
  Dimensions dimensions;
  dimensions.set(dimension::column, columns.ncol());
  dimensions.set(dimension::layer, columns.nlay());
  dimensions.set(dimension::level, columns.nlay() + 1);
  dimensions.set(dimension::gas, sizes.ngas);
  dimensions.set(dimension::band, sizes.nband);
  dimensions.set(dimension::gpoint, sizes.ngpoint);
  dimensions.set(dimension::albedo_band, nalbedo);
  dimensions.set(dimension::solar_spectrum, nsolar);
  dimensions.set(dimension::aerosol_type, naerosol);
  if (columns.ncol() > 0) expect_albedos(where, nalbedo, sizes);
  if (clouds.of_layers() && clouds.of_gpoints())
    throw Error(where, "clouds are given both for layers and for g-points");
  dimensions = check_extents(where, input, dimensions);
  check_extents(where, fluxes, dimensions);
  auto const require = [&](bool needed, char const* name, auto const& view) {
    if (needed && view.size() == 0) throw Error(where, std::string(name) + " is missing");
  };
  // All arrays of a group, or none.
  auto const together = [&](auto const&... named) {
    bool const any = ((named.second->size() > 0) || ...);
    (require(any, named.first, *named.second), ...);
    return any;
  };
  auto const named = [](char const* name, auto const& view) { return std::pair(name, &view); };
  bool const of_layers = clouds.of_layers();
  require(of_layers, "ice_path", clouds.ice_path);
  require(of_layers, "liquid_path", clouds.liquid_path);
  require(uses_levels || (of_layers && is_exponential(clouds.overlap)), "temperature_lev", columns.temperature_lev);
  bool const of_gpoints = clouds.of_gpoints() && !(has_mask && clouds.has_mask());
  require(of_gpoints, "ice_path_gpt", clouds.ice_path_gpt);
  require(of_gpoints, "liquid_path_gpt", clouds.liquid_path_gpt);
  together(named("optical_depth_gpt", clouds.optical_depth_gpt),
           named("single_scattering_albedo_gpt", clouds.single_scattering_albedo_gpt),
           named("asymmetry_gpt", clouds.asymmetry_gpt), named("forward_fraction_gpt", clouds.forward_fraction_gpt));
  require(clouds.any(), "ice_size", clouds.ice_size);
  require(clouds.any(), "liquid_size", clouds.liquid_size);
  require(clouds.any(), "input", clouds.input);
  require(clouds.any(), "ice_optics", clouds.ice_optics);
  require(clouds.any(), "liquid_optics", clouds.liquid_optics);
  bool const optical = together(named("aerosol_optical_depth", columns.aerosol_optical_depth),
                                named("aerosol_single_scattering_albedo", columns.aerosol_single_scattering_albedo),
                                named("aerosol_asymmetry", columns.aerosol_asymmetry));
  require(optical && columns.aerosol_550nm.size() > 0, "aerosol_input", columns.aerosol_input);
  bool const clear =
      together(named("flux_up_clear", fluxes.flux_up_clear), named("flux_dn_clear", fluxes.flux_dn_clear),
               named("flux_dn_direct_clear", fluxes.flux_dn_direct_clear),
               named("heating_rate_clear", fluxes.heating_rate_clear));
  bool const parts = together(named("flux_dn_uvvis", fluxes.flux_dn_uvvis), named("flux_dn_nir", fluxes.flux_dn_nir),
                              named("flux_dn_direct_uvvis", fluxes.flux_dn_direct_uvvis),
                              named("flux_dn_direct_nir", fluxes.flux_dn_direct_nir));
  bool const clear_parts = together(named("flux_dn_uvvis_clear", fluxes.flux_dn_uvvis_clear),
                                    named("flux_dn_nir_clear", fluxes.flux_dn_nir_clear),
                                    named("flux_dn_direct_uvvis_clear", fluxes.flux_dn_direct_uvvis_clear),
                                    named("flux_dn_direct_nir_clear", fluxes.flux_dn_direct_nir_clear));
  require(clear && parts, "flux_dn_uvvis_clear", fluxes.flux_dn_uvvis_clear);
  require(clear_parts, "flux_up_clear", fluxes.flux_up_clear);
  require(clear_parts, "flux_dn_uvvis", fluxes.flux_dn_uvvis);
  together(named("flux_up_band", fluxes.flux_up_band), named("flux_dn_band", fluxes.flux_dn_band),
           named("flux_dn_direct_band", fluxes.flux_dn_direct_band));
}

/// Teams of a solver: as many as are certain to run at the same time, without clouds or with.
template <class Model>
int teams_of_shortwave(typename Model::execution_space const& space, int nlane) {
  using Layout = ShortwaveLayout<Model>;
  return std::max(Layout::template resident_teams<false>(space.concurrency(), nlane),
                  Layout::template resident_teams<true>(space.concurrency(), nlane));
}

/// Numbers of a layer's map in one sky.
inline int maps_of_sky(ShortwaveTuning const& tuning) { return tuning.direct == DirectBeam::unscaled ? 6 : 5; }

/// Layer maps of the downward sweep: from a Workspace, or from a WorkspaceSize, which counts them.
template <class Model, class Memory>
auto take_maps(Memory& memory, int nteam, ShortwaveCapacity const& capacity, ShortwaveTuning const& tuning) {
  constexpr int nsky = 2;
  return memory.template take<typename Model::value_type****>("maps", nteam, capacity.nlay, nsky * maps_of_sky(tuning),
                                                              ShortwaveOptics<Model>::nlane(capacity));
}

template <class Model>
std::size_t map_bytes(int nteam, ShortwaveCapacity const& capacity, ShortwaveTuning const& tuning) {
  WorkspaceSize<typename Model::execution_space> size;
  take_maps<Model>(size, nteam, capacity, tuning);
  return size.bytes();
}

}  // namespace parhelion::fluxes::Impl

namespace parhelion::fluxes {

template <class Model>
struct Shortwave<Model>::Parts {
  Model model;
  ShortwaveCapacity capacity;
  ShortwaveTuning tuning;
  int nteam;
  std::size_t workspace_bytes;
  Workspace<execution_space> workspace;
  NotFinite<execution_space> not_finite;
  Kokkos::View<int*, typename execution_space::memory_space> next_column = {};  ///< see ShortwaveKernel
  WorkspaceArray<value_type****, execution_space> maps = {};                    ///< of layers
  Array<value_type const**, execution_space> table = {};                        ///< transmittance
  Impl::ShortwaveBands<execution_space, value_type> bands = {};
  typename Impl::ShortwaveOptics<Model>::Clouds::Optics cloud_scattering = {};
  Impl::AerosolScattering<execution_space, value_type> aerosol_types = {};
};

template <class Model>
Shortwave<Model>::Shortwave(execution_space const& space, Model const& model, ShortwaveCapacity const& capacity,
                            ShortwaveTuning const& tuning) {
  static_assert(Solver<Shortwave>);
  using Optics = Impl::ShortwaveOptics<Model>;
  std::size_t const bytes = workspace_bytes(space, capacity, tuning);
  Optics const optics(model);
  int const nlane = static_cast<int>(optics.lanes().size());
  if (Optics::nlane(capacity) != nlane)
    throw Error("Shortwave", "the capacity is not that of the model, expected its number of g-points in each list");
  int const nteam = Impl::teams_of_shortwave<Model>(space, nlane);
  m_parts = std::make_unique<Parts>(
      Parts{.model = model,
            .capacity = capacity,
            .tuning = tuning,
            .nteam = nteam,
            .workspace_bytes = bytes,
            .workspace = Workspace<execution_space>(space, Impl::map_bytes<Model>(nteam, capacity, tuning),
                                                    "parhelion::fluxes::shortwave_workspace"),
            .not_finite = NotFinite<execution_space>(space)});
  Parts& p = *m_parts;
  if (Optics::has_table && tuning.transmittance == Transmittance::table)
    p.table = Impl::make_transfer_table<execution_space, value_type>(space);
  p.bands = Impl::make_shortwave_bands<value_type>(space, optics);
  p.maps = Impl::take_maps<Model>(p.workspace, nteam, capacity, tuning);
  p.next_column = decltype(p.next_column)(Kokkos::view_alloc(space, std::string("parhelion::fluxes::next_column")), 1);
  if constexpr (Optics::has_clouds) p.cloud_scattering = Optics::Clouds::make_optics(space, model);
  p.aerosol_types = rrtmg_sw::make_aerosol_scattering<execution_space, value_type>(space);
}

template <class Model>
Shortwave<Model>::Shortwave(Shortwave&&) noexcept = default;
template <class Model>
Shortwave<Model>& Shortwave<Model>::operator=(Shortwave&&) noexcept = default;
template <class Model>
Shortwave<Model>::~Shortwave() {
  leave_if_kokkos_is_gone(m_parts);
}

template <class Model>
SolveStatus Shortwave<Model>::status(execution_space const& space) {
  return m_parts->not_finite.status(space);
}

template <class Model>
std::size_t Shortwave<Model>::workspace_bytes() const {
  return m_parts->workspace_bytes;
}

template <class Model>
std::size_t Shortwave<Model>::workspace_bytes(execution_space const& space, ShortwaveCapacity const& capacity,
                                              ShortwaveTuning const& tuning) {
  Impl::check_solver_constants("Shortwave", capacity.nlay, tuning.heat_capacity, tuning.gravity);
  using Optics = Impl::ShortwaveOptics<Model>;
  if (!Optics::has_table && tuning.transmittance == Transmittance::table)
    throw Error("Shortwave", "only RRTMG_SW has a table of transmittances; use exact ones");
  std::size_t values = rrtmg_sw::aerosol_scattering_values;
  if constexpr (Optics::has_clouds) values += Optics::Clouds::values;
  if (tuning.transmittance == Transmittance::table)
    values += 2 * (Impl::TableTransfer<execution_space, value_type>::intervals + 1);
  int const nlane = Optics::nlane(capacity);
  return Impl::map_bytes<Model>(Impl::teams_of_shortwave<Model>(space, nlane), capacity, tuning) +
         values * sizeof(value_type) +
         Impl::ShortwaveBands<execution_space, value_type>::bytes(nlane, Optics::nband(capacity),
                                                                  Optics::nlist(capacity), Optics::has_shares) +
         NotFinite<execution_space>::bytes() + sizeof(int);
}

template <class Model>
void Shortwave<Model>::solve(execution_space const& space, input_type const& input, result_type const& fluxes) {
  using Optics = Impl::ShortwaveOptics<Model>;
  Parts const& p = *m_parts;
  auto const& columns = input.columns;
  auto const& clouds = input.clouds;
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  Impl::check_arrays(input, fluxes, sizes_of(p.model), Optics::Clouds::takes_masks, Optics::uses_levels);
  Impl::check_particles("Shortwave::solve", p.model, clouds.any(), columns.aerosol_type.size() > 0);
  if (!Optics::has_clouds && clouds.any()) throw Error("Shortwave::solve", "the model has no clouds");
  if (columns.aerosol_550nm.size() > 0 && !Optics::has_table)
    throw Error("Shortwave::solve", "only RRTMG_SW has aerosol of types given at 550 nm");
  if (ncol == 0) return;
  if (nlay < 1 || nlay > p.capacity.nlay)
    throw Error("Shortwave::solve",
                fmt::format("pressure_lay has {} layers, expected 1 to the {} of the capacity", nlay, p.capacity.nlay));

  Impl::TwoStreamCoefficients<value_type> const coefficients(p.tuning.two_stream);
  auto const launch = [&](auto const& layer_operator, auto cloudy) {
    constexpr bool has_clouds = decltype(cloudy)::value;
    using Kernel = Impl::ShortwaveKernel<Model, std::decay_t<decltype(layer_operator)>, has_clouds>;
    using Layout = Impl::ShortwaveLayout<Model>;
    // Devices take up to 4 KiB, with what Kokkos adds, without waiting for earlier kernels.
    static_assert(sizeof(Kernel) <= 3936, "the kernel has too many arrays");
    int const layers_per_block = p.tuning.layers_per_block > 0 ? p.tuning.layers_per_block
                                                               : Layout::template default_layers_per_block<has_clouds>;
    int const nmap = Impl::maps_of_sky(p.tuning);
    Kernel kernel{.optics = Optics(p.model),
                  .layer_operator = layer_operator,
                  .in = columns,
                  .clouds = Optics::Clouds::of(clouds, p.cloud_scattering),
                  .aerosol_types = p.aerosol_types,
                  .out = fluxes,
                  .bands = p.bands,
                  .maps = WorkspaceArray<value_type****, execution_space>(p.maps.data(), p.nteam, nlay,
                                                                          Kernel::nsky * nmap, p.bands.nlane),
                  .not_finite = p.not_finite,
                  .next_column = {p.next_column.data()},
                  .heating_factor = static_cast<value_type>(Impl::heating_factor<Optics>(p.tuning)),
                  .ncol = ncol,
                  .nlay = nlay,
                  .layers_per_block = layers_per_block,
                  .states_at_once = Optics::layers > 1
                                        ? layers_per_block
                                        : std::max(layers_per_block, Layout::template states_at_once<has_clouds>),
                  .levels_at_once = Layout::template levels_at_once<has_clouds>,
                  .nmap = nmap,
                  .has_aerosol = columns.aerosol_optical_depth.size() > 0 || columns.aerosol_550nm.size() > 0 ||
                                 columns.aerosol_type.size() > 0,
                  .wants_clear = fluxes.flux_up_clear.size() > 0,
                  .wants_parts = fluxes.flux_dn_uvvis.size() > 0,
                  .wants_bands = fluxes.flux_up_band.size() > 0,
                  .wants_unscaled = p.tuning.direct == DirectBeam::unscaled,
                  .is_original = p.tuning.transmittance == Transmittance::table};
    int const nteam = std::min(Layout::template resident_teams<has_clouds>(space.concurrency(), p.bands.nlane), ncol);
    auto policy = typename Layout::template Policy<has_clouds>(space, nteam, Layout::team_size(p.bands.nlane),
                                                               Layout::vector_length);
    kernel.next_column.rewind(space);
    // Very deep blocks and columns do not fit into the fast scratch memory.
    parhelion::Impl::enqueue_in_scratch("parhelion::fluxes::shortwave", policy, kernel, kernel.team_bytes(),
                                        Layout::template teams<has_clouds>);
  };
  auto const with_sky = [&](auto const& layer_operator) {
    if constexpr (Optics::has_clouds) {
      if (clouds.any()) {
        launch(layer_operator, std::true_type());
        return;
      }
    }
    launch(layer_operator, std::false_type());
  };
  if constexpr (Optics::has_table) {
    if (p.tuning.transmittance == Transmittance::table) {
      with_sky(Impl::TableTwoStream<execution_space, value_type>{coefficients, {p.table}});
      return;
    }
  }
  with_sky(typename Optics::Exact{coefficients});
}

}  // namespace parhelion::fluxes

#endif
