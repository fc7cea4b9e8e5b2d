// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SHORTWAVE_COLUMNS_HPP
#define PARHELION_FLUXES_SHORTWAVE_COLUMNS_HPP

#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/sun.hpp>

#include <string_view>
#include <type_traits>

namespace parhelion::dimension {
inline constexpr std::string_view albedo_band = "albedo_band";
inline constexpr std::string_view solar_spectrum = "solar_spectrum";
inline constexpr std::string_view aerosol_type = "aerosol_type";
}  // namespace parhelion::dimension

namespace parhelion::fluxes {

/// Spectral bands of RRTMG_SW.
inline constexpr int nbnd_sw = 14;
/// Its g-points.
inline constexpr int ngpt_sw = 112;
/// The extents of the arrays of RRTMG_SW.
inline constexpr ModelSizes rrtmg_sw_sizes{.ngas = ngas, .nband = nbnd_sw, .ngpoint = ngpt_sw};

/// Wavenumber from which on radiation is ultraviolet or visible, and below which it is near infrared [cm-1].
inline constexpr double uvvis_from = 16000;

/// Types of aerosol of ECMWF's climatology that RRTMG_SW knows, in this order: continental average, maritime, desert,
/// urban, volcanic active, stratospheric background.
inline constexpr int naerosol = 6;

/// Range of cosines and asymmetry parameters.
inline constexpr ValueRange minus_one_to_one{.lowest = -1, .highest = 1};

/// What the aerosol of a column is given by; values are those of `iaer`.
enum class AerosolInput : int {
  none = 0,
  types = 6,     ///< aerosol_550nm
  optical = 10,  ///< aerosol_optical_depth, aerosol_single_scattering_albedo, aerosol_asymmetry
};

/// \brief Sunlit atmospheric columns: the input of the shortwave solvers.
///
/// Layer 0 is next to the surface; level k is the lower and level k + 1 the upper boundary of layer k, so pressure
/// falls with the index. In RRTMG_SW, water vapour, carbon dioxide, ozone, methane and oxygen absorb; mole ratios of
/// other gases have no effect.
///
/// nband and ngas are those of the model of gas optics, see ModelSizes. Bands are in the model's order: in RRTMG_SW
/// from 2600 to 50000 cm-1, and 820-2600 cm-1 as the last. The last extent of the albedos is 1 (one for all
/// wavenumbers), nband, or 2 (first from 16000 cm-1 up, second below) unless there are two bands; with ecCKD also
/// ngpoint, if that is more than 2.
///
/// \tparam Real   float, double, or one of them const
/// \tparam Layout of the arrays: solvers on devices take row-major ones
template <KokkosExecutionSpace ExecutionSpace, FloatingEntry Real = double, class Layout = Kokkos::LayoutRight>
struct ShortwaveColumns {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, typename ExecutionSpace::memory_space>;
  using Index = std::conditional_t<std::is_const_v<Real>, int const, int>;

  View<Real**> pressure_lay;          ///< pressure of the layer [Pa], (ncol, nlay), > 0
  View<Real**> pressure_lev;          ///< pressure at the interface [Pa], (ncol, nlay + 1), >= 0
  View<Real**> temperature_lay;       ///< temperature of the layer [K], (ncol, nlay), > 0
  View<Real**> temperature_lev = {};  ///< temperature at the interface [K], (ncol, nlay + 1), > 0; only ecCKD and
                                      ///< clouds of layers with exponential overlap need it
  View<Real***> vmr;                  ///< moles of gas per mole of dry air [1], (ncol, ngas, nlay), >= 0
  View<Real*> cos_zenith;             ///< cosine of the solar zenith angle [1], (ncol), -1..1; <= 0: night
  View<Real**> albedo_direct;         ///< of the surface for direct radiation [1], (ncol, 1, 2, nband ...), 0..1
  View<Real**> albedo_diffuse;        ///< of the surface for diffuse radiation [1], as albedo_direct
  /// Weights of the solar spectra [1], (ncol, nsolar), with the distance of the sun: see solar_source().
  View<Real**> solar_weights;
  View<Real**> solar_band_factors = {};  ///< further factor on each band [1], (ncol, nband), >= 0; empty: 1

  // Aerosol; empty where no column has any of that kind.
  View<Real***> aerosol_optical_depth = {};             ///< vertical [1], (ncol, nlay, nband), >= 0
  View<Real***> aerosol_single_scattering_albedo = {};  ///< [1], (ncol, nlay, nband), 0..1
  View<Real***> aerosol_asymmetry = {};                 ///< [1], (ncol, nlay, nband), -1..1
  View<Real***> aerosol_550nm =
      {};                           ///< vertical optical depth of each type at 550 nm [1], (ncol, nlay, naerosol), >= 0
  View<Index*> aerosol_input = {};  ///< AerosolInput, (ncol); may be empty where there is only one kind of arrays

  // Aerosol by type, for the optics of RRTMGP: all four or none.
  View<Index**> aerosol_type = {};      ///< rrtmgp::AerosolType of the layer, (ncol, nlay), 0..7; 0: none
  View<Real**> aerosol_size = {};       ///< radius of dust and sea salt [m], (ncol, nlay), >= 0
  View<Real**> aerosol_mass = {};       ///< [kg m-2], (ncol, nlay), >= 0
  View<Real**> relative_humidity = {};  ///< [1], (ncol, nlay), >= 0

  KOKKOS_INLINE_FUNCTION int ncol() const { return static_cast<int>(pressure_lay.extent(0)); }
  KOKKOS_INLINE_FUNCTION int nlay() const { return static_cast<int>(pressure_lay.extent(1)); }

  /// Whether aerosol is given by type.
  bool has_aerosol_types() const { return aerosol_type.size() > 0; }

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    for_each_array_of_profiles(action, true, sets...);
    for_each_array_of_gases(action, sets...);
    action(ArrayDescription{.name = "cos_zenith",
                            .unit = "1",
                            .meaning = "cosine of the solar zenith angle",
                            .standard_name = "cosine_of_solar_zenith_angle",
                            .dimensions = {column},
                            .range = minus_one_to_one},
           sets.cos_zenith...);
    action(ArrayDescription{.name = "albedo_direct",
                            .unit = "1",
                            .meaning = "albedo of the surface for direct radiation",
                            .dimensions = {column, albedo_band},
                            .range = ranges::zero_to_one},
           sets.albedo_direct...);
    action(ArrayDescription{.name = "albedo_diffuse",
                            .unit = "1",
                            .meaning = "albedo of the surface for diffuse radiation",
                            .dimensions = {column, albedo_band},
                            .range = ranges::zero_to_one},
           sets.albedo_diffuse...);
    action(ArrayDescription{.name = "solar_weights",
                            .unit = "1",
                            .meaning = "weights of the solar spectra",
                            .dimensions = {column, solar_spectrum}},
           sets.solar_weights...);
    action(ArrayDescription{.name = "solar_band_factors",
                            .unit = "1",
                            .meaning = "factor on the solar irradiance of the band",
                            .dimensions = {column, band},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.solar_band_factors...);
    action(ArrayDescription{.name = "aerosol_optical_depth",
                            .unit = "1",
                            .meaning = "vertical optical depth of aerosol",
                            .dimensions = {column, layer, band},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.aerosol_optical_depth...);
    action(ArrayDescription{.name = "aerosol_single_scattering_albedo",
                            .unit = "1",
                            .meaning = "single scattering albedo of aerosol",
                            .dimensions = {column, layer, band},
                            .range = ranges::zero_to_one,
                            .optional = true},
           sets.aerosol_single_scattering_albedo...);
    action(ArrayDescription{.name = "aerosol_asymmetry",
                            .unit = "1",
                            .meaning = "asymmetry parameter of aerosol",
                            .dimensions = {column, layer, band},
                            .range = minus_one_to_one,
                            .optional = true},
           sets.aerosol_asymmetry...);
    action(ArrayDescription{.name = "aerosol_550nm",
                            .unit = "1",
                            .meaning = "vertical optical depth of aerosol of the type at 550 nm",
                            .dimensions = {column, layer, dimension::aerosol_type},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.aerosol_550nm...);
    action(ArrayDescription{.name = "aerosol_input",
                            .unit = "1",
                            .meaning = "what aerosol is given by, as AerosolInput",
                            .dimensions = {column},
                            .optional = true},
           sets.aerosol_input...);
    for_each_array_of_aerosol_types(action, sets...);
  }
};

/// Columns in host memory, in double: what readers fill.
using HostShortwaveColumns = ShortwaveColumns<Kokkos::DefaultHostExecutionSpace, double>;

/// \brief Shortwave fluxes and heating rates: the result of the shortwave solvers, overwritten by them.
///
/// Levels and layers are ordered as in ShortwaveColumns: level 0 is the surface. Only arrays that are not empty are
/// computed; the first four must not be empty. Ultraviolet and visible are all wavenumbers from 16000 cm-1 up, near
/// infrared all below.
///
/// \tparam Real   float or double
/// \tparam Layout of the arrays, as in ShortwaveColumns
template <KokkosExecutionSpace ExecutionSpace, FloatingEntry Real = double, class Layout = Kokkos::LayoutRight>
struct ShortwaveFluxes {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, typename ExecutionSpace::memory_space>;

  View<Real**> flux_up;         ///< upward flux [W m-2], positive, (ncol, nlay + 1)
  View<Real**> flux_dn;         ///< downward flux, direct and diffuse [W m-2], positive, (ncol, nlay + 1)
  View<Real**> flux_dn_direct;  ///< downward flux of the direct beam [W m-2], positive, (ncol, nlay + 1)
  View<Real**> heating_rate;    ///< heating rate [K day-1], positive where the layer warms, (ncol, nlay)

  // Parts of the spectrum [W m-2], (ncol, nlay + 1): all four or none.
  View<Real**> flux_dn_uvvis = {};
  View<Real**> flux_dn_nir = {};
  View<Real**> flux_dn_direct_uvvis = {};
  View<Real**> flux_dn_direct_nir = {};

  // The same without clouds: the first four or none; the parts only with those above.
  View<Real**> flux_up_clear = {};
  View<Real**> flux_dn_clear = {};
  View<Real**> flux_dn_direct_clear = {};
  View<Real**> heating_rate_clear = {};
  View<Real**> flux_dn_uvvis_clear = {};
  View<Real**> flux_dn_nir_clear = {};
  View<Real**> flux_dn_direct_uvvis_clear = {};
  View<Real**> flux_dn_direct_nir_clear = {};

  // Fluxes of each band [W m-2], (ncol, nlay + 1, nband): all three or none.
  View<Real***> flux_up_band = {};
  View<Real***> flux_dn_band = {};
  View<Real***> flux_dn_direct_band = {};

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    action(ArrayDescription{.name = "flux_up",
                            .unit = "W m-2",
                            .meaning = "upward flux",
                            .standard_name = "upwelling_shortwave_flux_in_air",
                            .dimensions = {column, level}},
           sets.flux_up...);
    action(ArrayDescription{.name = "flux_dn",
                            .unit = "W m-2",
                            .meaning = "downward flux, direct and diffuse",
                            .standard_name = "downwelling_shortwave_flux_in_air",
                            .dimensions = {column, level}},
           sets.flux_dn...);
    action(ArrayDescription{.name = "flux_dn_direct",
                            .unit = "W m-2",
                            .meaning = "downward flux of the direct beam",
                            .standard_name = "direct_downwelling_shortwave_flux_in_air",
                            .dimensions = {column, level}},
           sets.flux_dn_direct...);
    action(ArrayDescription{.name = "heating_rate",
                            .unit = "K day-1",
                            .meaning = "heating rate",
                            .standard_name = "tendency_of_air_temperature_due_to_shortwave_heating",
                            .dimensions = {column, layer}},
           sets.heating_rate...);
    action(ArrayDescription{.name = "flux_dn_uvvis",
                            .unit = "W m-2",
                            .meaning = "downward flux in the ultraviolet and visible",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_uvvis...);
    action(ArrayDescription{.name = "flux_dn_nir",
                            .unit = "W m-2",
                            .meaning = "downward flux in the near infrared",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_nir...);
    action(ArrayDescription{.name = "flux_dn_direct_uvvis",
                            .unit = "W m-2",
                            .meaning = "downward flux of the direct beam in the ultraviolet and visible",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_direct_uvvis...);
    action(ArrayDescription{.name = "flux_dn_direct_nir",
                            .unit = "W m-2",
                            .meaning = "downward flux of the direct beam in the near infrared",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_direct_nir...);
    action(ArrayDescription{.name = "flux_up_clear",
                            .unit = "W m-2",
                            .meaning = "upward flux, without clouds",
                            .standard_name = "upwelling_shortwave_flux_in_air_assuming_clear_sky",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_up_clear...);
    action(ArrayDescription{.name = "flux_dn_clear",
                            .unit = "W m-2",
                            .meaning = "downward flux, direct and diffuse, without clouds",
                            .standard_name = "downwelling_shortwave_flux_in_air_assuming_clear_sky",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_clear...);
    action(ArrayDescription{.name = "flux_dn_direct_clear",
                            .unit = "W m-2",
                            .meaning = "downward flux of the direct beam, without clouds",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_direct_clear...);
    action(ArrayDescription{.name = "heating_rate_clear",
                            .unit = "K day-1",
                            .meaning = "heating rate, without clouds",
                            .standard_name = "tendency_of_air_temperature_due_to_shortwave_heating_assuming_clear_sky",
                            .dimensions = {column, layer},
                            .optional = true},
           sets.heating_rate_clear...);
    action(ArrayDescription{.name = "flux_dn_uvvis_clear",
                            .unit = "W m-2",
                            .meaning = "downward flux in the ultraviolet and visible, without clouds",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_uvvis_clear...);
    action(ArrayDescription{.name = "flux_dn_nir_clear",
                            .unit = "W m-2",
                            .meaning = "downward flux in the near infrared, without clouds",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_nir_clear...);
    action(
        ArrayDescription{.name = "flux_dn_direct_uvvis_clear",
                         .unit = "W m-2",
                         .meaning = "downward flux of the direct beam in the ultraviolet and visible, without clouds",
                         .dimensions = {column, level},
                         .optional = true},
        sets.flux_dn_direct_uvvis_clear...);
    action(ArrayDescription{.name = "flux_dn_direct_nir_clear",
                            .unit = "W m-2",
                            .meaning = "downward flux of the direct beam in the near infrared, without clouds",
                            .dimensions = {column, level},
                            .optional = true},
           sets.flux_dn_direct_nir_clear...);
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
    action(ArrayDescription{.name = "flux_dn_direct_band",
                            .unit = "W m-2",
                            .meaning = "downward flux of the direct beam of the band",
                            .dimensions = {column, level, band},
                            .optional = true},
           sets.flux_dn_direct_band...);
  }
};

using HostShortwaveFluxes = ShortwaveFluxes<Kokkos::DefaultHostExecutionSpace, double>;

/// What is computed in addition to fluxes and heating rates.
struct ShortwaveOutputs {
  bool clear = false;  ///< the same without clouds
  bool parts = false;  ///< downward fluxes of the ultraviolet and visible, and of the near infrared
  bool bands = false;  ///< the fluxes of each band
};

/// \brief Columns whose Views are allocated and zero; those of aerosol, temperature_lev and solar_band_factors are
///        empty.
/// \param ncol    columns, >= 0
/// \param nlay    layers, >= 0
/// \param nalbedo 1, 2 or the number of bands
/// \param sizes   of the model
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveColumns<ExecutionSpace, Real> make_shortwave_columns(int ncol, int nlay, int nalbedo = 2,
                                                              ModelSizes const& sizes = rrtmg_sw_sizes);

/// Fluxes whose Views are allocated and not initialized.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveFluxes<ExecutionSpace, Real> make_shortwave_fluxes(int ncol, int nlay, ShortwaveOutputs wanted = {},
                                                            ModelSizes const& sizes = rrtmg_sw_sizes);

}  // namespace parhelion::fluxes

#endif
