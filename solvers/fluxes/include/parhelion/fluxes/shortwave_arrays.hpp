// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SHORTWAVE_ARRAYS_HPP
#define PARHELION_FLUXES_SHORTWAVE_ARRAYS_HPP

#include <parhelion/fluxes/column_arrays.hpp>
#include <parhelion/fluxes/shortwave_clouds.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>
#include <parhelion/fluxes/sun.hpp>

#include <optional>

namespace parhelion::fluxes {

/// \brief The input of a call of the shortwave: arrays of the caller, in host memory or on a device, all of float or
/// all
///        of double, of any strides.
///
/// See ColumnArrays for units, order and absent arrays; temperature_lev may be absent, too, unless clouds of layers
/// overlap exponentially.
struct ShortwaveArrays : ColumnArrays {
  ConstArrayRef cos_zenith;                     ///< [1], (column)
  ConstArrayRef albedo_direct, albedo_diffuse;  ///< [1], (column, 1, 2, nbnd_sw ...)
  ConstArrayRef solar_weights;                  ///< [1], (column, nsolar); absent: `sun` is used
  ConstArrayRef solar_band_factors;             ///< [1], (column, nbnd_sw); absent: those of `sun`, or 1
  std::optional<SolarSource> sun = {};          ///< of all columns, see solar_source()

  // Aerosol.
  ConstArrayRef aerosol_optical_depth, aerosol_single_scattering_albedo, aerosol_asymmetry;
  ConstArrayRef aerosol_550nm;
  ConstArrayRef aerosol_input;

  // Clouds of g-points, beside those of ColumnArrays.
  ConstArrayRef single_scattering_albedo_gpt, asymmetry_gpt, forward_fraction_gpt;

 private:
  template <class Arrays>
  static auto order(Arrays& a) {
    return std::array{&a.pressure_lay,
                      &a.pressure_lev,
                      &a.temperature_lay,
                      &a.temperature_lev,
                      &a.vmr,
                      &a.cos_zenith,
                      &a.albedo_direct,
                      &a.albedo_diffuse,
                      &a.solar_weights,
                      &a.solar_band_factors,
                      &a.aerosol_optical_depth,
                      &a.aerosol_single_scattering_albedo,
                      &a.aerosol_asymmetry,
                      &a.aerosol_550nm,
                      &a.aerosol_input,
                      &a.aerosol_type,
                      &a.aerosol_size,
                      &a.aerosol_mass,
                      &a.relative_humidity,
                      &a.fraction,
                      &a.ice_path,
                      &a.liquid_path,
                      &a.decorrelation_length,
                      &a.fraction_gpt,
                      &a.ice_path_gpt,
                      &a.liquid_path_gpt,
                      &a.optical_depth_gpt,
                      &a.single_scattering_albedo_gpt,
                      &a.asymmetry_gpt,
                      &a.forward_fraction_gpt,
                      &a.ice_size,
                      &a.liquid_size,
                      &a.input,
                      &a.ice_optics,
                      &a.liquid_optics};
  }

 public:
  /// Where the arrays of ShortwaveClouds begin in in_order().
  static constexpr std::size_t first_of_clouds = 19;

  /// The arrays but `gases`, in the order of the descriptions of ShortwaveInput.
  auto in_order() { return order(*this); }
  auto in_order() const { return order(*this); }
};

/// \brief Refers to columns and clouds.
/// \param columns arrays of any precision and layout
/// \param clouds  none where all its arrays are empty
template <FloatingEntry Entry, class Layout, FloatingEntry CloudEntry, class CloudLayout>
ShortwaveArrays arrays_of(ShortwaveColumns<Kokkos::DefaultHostExecutionSpace, Entry, Layout> const& columns,
                          ShortwaveClouds<Kokkos::DefaultHostExecutionSpace, CloudEntry, CloudLayout> const& clouds) {
  return Impl::arrays_of_sets<ShortwaveArrays>(columns, clouds);
}

}  // namespace parhelion::fluxes

#endif
