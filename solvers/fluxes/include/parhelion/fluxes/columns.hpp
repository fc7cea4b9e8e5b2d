// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_COLUMNS_HPP
#define PARHELION_FLUXES_COLUMNS_HPP

#include <parhelion/fluxes/gases.hpp>
#include <parhelion/fluxes/model_sizes.hpp>

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>

#include <string_view>
#include <type_traits>

namespace parhelion::dimension {
inline constexpr std::string_view emissivity_band = "emissivity_band";
}  // namespace parhelion::dimension

namespace parhelion::fluxes {

/// Spectral bands of RRTMG_LW.
inline constexpr int nbnd = 16;
/// The extents of the arrays of RRTMG_LW.
inline constexpr ModelSizes rrtmg_sizes{.ngas = ngas, .nband = nbnd, .ngpoint = 140};

/// \brief Describes the profiles of pressure and temperature, of columns of either range.
/// \param action       see DescribedArrays
/// \param optional_lev whether temperatures at interfaces may be absent
/// \param sets         with the arrays
template <class Action, class... Sets>
void for_each_array_of_profiles(Action const& action, bool optional_lev, Sets&... sets) {
  using namespace dimension;
  action(ArrayDescription{.name = "pressure_lay",
                          .unit = "Pa",
                          .meaning = "pressure of the layer",
                          .standard_name = "air_pressure",
                          .dimensions = {column, layer},
                          .range = ranges::positive},
         sets.pressure_lay...);
  action(ArrayDescription{.name = "pressure_lev",
                          .unit = "Pa",
                          .meaning = "pressure at the interface",
                          .standard_name = "air_pressure",
                          .dimensions = {column, level},
                          .range = ranges::not_negative},
         sets.pressure_lev...);
  action(ArrayDescription{.name = "temperature_lay",
                          .unit = "K",
                          .meaning = "temperature of the layer",
                          .standard_name = "air_temperature",
                          .dimensions = {column, layer},
                          .range = ranges::positive},
         sets.temperature_lay...);
  action(ArrayDescription{.name = "temperature_lev",
                          .unit = "K",
                          .meaning = "temperature at the interface",
                          .standard_name = "air_temperature",
                          .dimensions = {column, level},
                          .range = ranges::positive,
                          .optional = optional_lev},
         sets.temperature_lev...);
}

/// \brief Describes the amounts of gases, of columns of either range.
/// \param action see DescribedArrays
/// \param sets   with the arrays
template <class Action, class... Sets>
void for_each_array_of_gases(Action const& action, Sets&... sets) {
  using namespace dimension;
  action(ArrayDescription{.name = "vmr",
                          .unit = "1",
                          .meaning = "moles of gas per mole of dry air",
                          .dimensions = {column, gas, layer},
                          .range = ranges::not_negative},
         sets.vmr...);
}

/// \brief Describes the arrays of aerosol by type, of columns of either range.
/// \param action see DescribedArrays
/// \param sets   with the arrays
template <class Action, class... Sets>
void for_each_array_of_aerosol_types(Action const& action, Sets&... sets) {
  using namespace dimension;
  action(ArrayDescription{.name = "aerosol_type",
                          .unit = "1",
                          .meaning = "type of aerosol, as rrtmgp::AerosolType",
                          .dimensions = {column, layer},
                          .optional = true},
         sets.aerosol_type...);
  action(ArrayDescription{.name = "aerosol_size",
                          .unit = "m",
                          .meaning = "radius of dust and sea salt",
                          .dimensions = {column, layer},
                          .range = ranges::not_negative,
                          .optional = true},
         sets.aerosol_size...);
  action(ArrayDescription{.name = "aerosol_mass",
                          .unit = "kg m-2",
                          .meaning = "mass of aerosol in the layer",
                          .dimensions = {column, layer},
                          .range = ranges::not_negative,
                          .optional = true},
         sets.aerosol_mass...);
  action(ArrayDescription{.name = "relative_humidity",
                          .unit = "1",
                          .meaning = "relative humidity",
                          .standard_name = "relative_humidity",
                          .dimensions = {column, layer},
                          .range = ranges::not_negative,
                          .optional = true},
         sets.relative_humidity...);
}

/// \brief Atmospheric columns: the input of the longwave solvers.
///
/// Layer 0 is next to the surface; level k is the lower and level k + 1 the upper boundary of layer k, so pressure
/// falls with the index. nband and ngas are those of the model of gas optics, see ModelSizes.
///
/// \tparam Real   float, double, or one of them const
/// \tparam Layout of the arrays: solvers on devices take row-major ones
template <KokkosExecutionSpace ExecutionSpace, FloatingEntry Real = double, class Layout = Kokkos::LayoutRight>
struct Columns {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, typename ExecutionSpace::memory_space>;
  using Index = std::conditional_t<std::is_const_v<Real>, int const, int>;

  View<Real**> pressure_lay;     ///< pressure of the layer [Pa], (ncol, nlay), > 0
  View<Real**> pressure_lev;     ///< pressure at the interface [Pa], (ncol, nlay + 1), >= 0
  View<Real**> temperature_lay;  ///< temperature of the layer [K], (ncol, nlay), > 0
  View<Real**> temperature_lev;  ///< temperature at the interface [K], (ncol, nlay + 1), > 0
  View<Real*> temperature_sfc;   ///< skin temperature of the surface [K], (ncol), > 0
  /// Emissivity of the surface [1], (ncol, nband) or (ncol, 1), with ecCKD also (ncol, ngpoint), 0..1.
  View<Real**> emissivity_sfc;
  View<Real***> vmr;  ///< moles of gas per mole of dry air [1], (ncol, ngas, nlay), >= 0
  /// Absorption optical depth of aerosol, vertical [1], (ncol, nlay, nband), >= 0; empty: no aerosol.
  View<Real***> aerosol = {};

  // Aerosol by type, for the optics of RRTMGP: all four or none.
  View<Index**> aerosol_type = {};      ///< rrtmgp::AerosolType of the layer, (ncol, nlay), 0..7; 0: none
  View<Real**> aerosol_size = {};       ///< radius of dust and sea salt [m], (ncol, nlay), >= 0
  View<Real**> aerosol_mass = {};       ///< [kg m-2], (ncol, nlay), >= 0
  View<Real**> relative_humidity = {};  ///< [1], (ncol, nlay), >= 0

  /// Downward flux of each g-point that enters at the top, the same from all directions [W m-2], (ncol, ngpoint), >= 0;
  /// empty: none.
  View<Real**> incident_flux = {};

  KOKKOS_INLINE_FUNCTION int ncol() const { return static_cast<int>(pressure_lay.extent(0)); }
  KOKKOS_INLINE_FUNCTION int nlay() const { return static_cast<int>(pressure_lay.extent(1)); }

  /// Whether aerosol is given by type.
  bool has_aerosol_types() const { return aerosol_type.size() > 0; }

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    for_each_array_of_profiles(action, false, sets...);
    action(ArrayDescription{.name = "temperature_sfc",
                            .unit = "K",
                            .meaning = "skin temperature of the surface",
                            .standard_name = "surface_temperature",
                            .dimensions = {column},
                            .range = ranges::positive},
           sets.temperature_sfc...);
    action(ArrayDescription{.name = "emissivity_sfc",
                            .unit = "1",
                            .meaning = "emissivity of the surface",
                            .standard_name = "surface_longwave_emissivity",
                            .dimensions = {column, emissivity_band},
                            .range = ranges::zero_to_one},
           sets.emissivity_sfc...);
    for_each_array_of_gases(action, sets...);
    action(ArrayDescription{.name = "aerosol",
                            .unit = "1",
                            .meaning = "vertical absorption optical depth of aerosol",
                            .dimensions = {column, layer, band},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.aerosol...);
    for_each_array_of_aerosol_types(action, sets...);
    action(ArrayDescription{.name = "incident_flux",
                            .unit = "W m-2",
                            .meaning = "downward flux of the g-point that enters at the top",
                            .dimensions = {column, gpoint},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.incident_flux...);
  }
};

/// Columns in host memory, in double: what readers fill.
using HostColumns = Columns<Kokkos::DefaultHostExecutionSpace, double>;

/// \brief Fluxes and heating rates: the result of the longwave solvers, overwritten by them.
///
/// Levels and layers are ordered as in Columns: level 0 is the surface. Only arrays that are not empty are computed;
/// the first three must not be empty.
///
/// \tparam Real   float or double
/// \tparam Layout of the arrays, as in Columns
template <KokkosExecutionSpace ExecutionSpace, FloatingEntry Real = double, class Layout = Kokkos::LayoutRight>
struct Fluxes {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, typename ExecutionSpace::memory_space>;

  View<Real**> flux_up;       ///< upward flux [W m-2], positive, (ncol, nlay + 1)
  View<Real**> flux_dn;       ///< downward flux [W m-2], positive, (ncol, nlay + 1)
  View<Real**> heating_rate;  ///< heating rate [K day-1], negative where the layer cools, (ncol, nlay)

  // The same without clouds: all three or none.
  View<Real**> flux_up_clear = {};
  View<Real**> flux_dn_clear = {};
  View<Real**> heating_rate_clear = {};

  /// Derivative of flux_up and of flux_up_clear with respect to the skin temperature [W m-2 K-1], (ncol, nlay + 1), the
  /// second only with flux_up_clear.
  View<Real**> dflux_up_dt = {};
  View<Real**> dflux_up_clear_dt = {};

  // flux_up and flux_dn of each band, (ncol, nlay + 1, nband): both or none.
  View<Real***> flux_up_band = {};
  View<Real***> flux_dn_band = {};

  /// What is left of a change of the upward flux at the surface whose spectrum is that of the flux itself [1],
  /// (ncol, nlay + 1), 1 at the surface: Hogan & Bozzo (2015), doi:10.1002/2015MS000455.
  View<Real**> surface_share = {};

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    action(ArrayDescription{.name = "flux_up",
                            .unit = "W m-2",
                            .meaning = "upward flux",
                            .standard_name = "upwelling_longwave_flux_in_air",
                            .dimensions = {column, level}},
           sets.flux_up...);
    action(ArrayDescription{.name = "flux_dn",
                            .unit = "W m-2",
                            .meaning = "downward flux",
                            .standard_name = "downwelling_longwave_flux_in_air",
                            .dimensions = {column, level}},
           sets.flux_dn...);
    action(ArrayDescription{.name = "heating_rate",
                            .unit = "K day-1",
                            .meaning = "heating rate",
                            .standard_name = "tendency_of_air_temperature_due_to_longwave_heating",
                            .dimensions = {column, layer}},
           sets.heating_rate...);
    action(ArrayDescription{.name = "flux_up_clear",
                            .unit = "W m-2",
                            .meaning = "upward flux without clouds",
                            .standard_name = "upwelling_longwave_flux_in_air_assuming_clear_sky",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_up_clear...);
    action(ArrayDescription{.name = "flux_dn_clear",
                            .unit = "W m-2",
                            .meaning = "downward flux without clouds",
                            .standard_name = "downwelling_longwave_flux_in_air_assuming_clear_sky",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_clear...);
    action(ArrayDescription{.name = "heating_rate_clear",
                            .unit = "K day-1",
                            .meaning = "heating rate without clouds",
                            .standard_name = "tendency_of_air_temperature_due_to_longwave_heating_assuming_clear_sky",
                            .dimensions = {column, layer},
                            .optional = true},
           sets.heating_rate_clear...);
    action(ArrayDescription{.name = "dflux_up_dt",
                            .unit = "W m-2 K-1",
                            .meaning = "derivative of the upward flux with respect to the skin temperature",
                            .dimensions = {column, level},
                            .optional = true},
           sets.dflux_up_dt...);
    action(ArrayDescription{.name = "dflux_up_clear_dt",
                            .unit = "W m-2 K-1",
                            .meaning = "the same without clouds",
                            .dimensions = {column, level},
                            .optional = true},
           sets.dflux_up_clear_dt...);
    action(ArrayDescription{.name = "flux_up_band",
                            .unit = "W m-2",
                            .meaning = "upward flux of the band",
                            .dimensions = {column, level, band},
                            .optional = true},
           sets.flux_up_band...);
    action(ArrayDescription{.name = "flux_dn_band",
                            .unit = "W m-2",
                            .meaning = "downward flux of the band",
                            .dimensions = {column, level, band},
                            .optional = true},
           sets.flux_dn_band...);
    action(ArrayDescription{.name = "surface_share",
                            .unit = "1",
                            .meaning = "what is left of a change of the upward flux at the surface",
                            .dimensions = {column, level},
                            .optional = true},
           sets.surface_share...);
  }
};

/// What is computed in addition to fluxes and heating rates.
struct FluxOutputs {
  bool clear = false;       ///< fluxes and heating rates without clouds
  bool derivative = false;  ///< of the upward flux with respect to the skin temperature
  bool bands = false;       ///< the fluxes of each band
  bool share = false;       ///< what is left of a change of the upward flux at the surface
};

using HostFluxes = Fluxes<Kokkos::DefaultHostExecutionSpace, double>;

/// Columns whose Views are allocated and not initialized, except vmr, which is zero.
/// \param ncol    columns, >= 0
/// \param nlay    layers, >= 0
/// \param nemis   1 for one emissivity a column, the number of bands for one a band
/// \param aerosol whether to allocate the optical depths of aerosol
/// \param sizes   of the model
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Columns<ExecutionSpace, Real> make_columns(int ncol, int nlay, int nemis, bool aerosol = false,
                                           ModelSizes const& sizes = rrtmg_sizes);

/// Fluxes whose Views are allocated and not initialized.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Fluxes<ExecutionSpace, Real> make_fluxes(int ncol, int nlay, FluxOutputs wanted = {},
                                         ModelSizes const& sizes = rrtmg_sizes);

}  // namespace parhelion::fluxes

#endif
