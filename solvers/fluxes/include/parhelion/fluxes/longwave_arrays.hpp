// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LONGWAVE_ARRAYS_HPP
#define PARHELION_FLUXES_LONGWAVE_ARRAYS_HPP

#include <parhelion/fluxes/column_arrays.hpp>

namespace parhelion::fluxes {

/// \brief The input of a call of the longwave: arrays of the caller, in host memory or on a device, all of float or all
///        of double, of any strides.
///
/// See ColumnArrays for units, order and absent arrays.
struct LongwaveArrays : ColumnArrays {
  ConstArrayRef temperature_sfc;  ///< [K], (column)
  ConstArrayRef emissivity_sfc;   ///< [1], (column, band or 1, with ecCKD also g-point)
  ConstArrayRef aerosol;          ///< [1], (column, layer, band)
  ConstArrayRef incident_flux;    ///< [W m-2], (column, g-point)

 private:
  template <class Arrays>
  static auto order(Arrays& a) {
    return std::array{&a.pressure_lay,
                      &a.pressure_lev,
                      &a.temperature_lay,
                      &a.temperature_lev,
                      &a.temperature_sfc,
                      &a.emissivity_sfc,
                      &a.vmr,
                      &a.aerosol,
                      &a.aerosol_type,
                      &a.aerosol_size,
                      &a.aerosol_mass,
                      &a.relative_humidity,
                      &a.incident_flux,
                      &a.fraction,
                      &a.ice_path,
                      &a.liquid_path,
                      &a.decorrelation_length,
                      &a.fraction_gpt,
                      &a.ice_path_gpt,
                      &a.liquid_path_gpt,
                      &a.optical_depth_gpt,
                      &a.ice_size,
                      &a.liquid_size,
                      &a.input,
                      &a.ice_optics,
                      &a.liquid_optics};
  }

 public:
  /// Where the arrays of Clouds begin in in_order().
  static constexpr std::size_t first_of_clouds = 13;

  /// The arrays but `gases`, in the order of the descriptions of LongwaveInput.
  auto in_order() { return order(*this); }
  auto in_order() const { return order(*this); }
};

/// \brief Refers to columns and clouds.
/// \param columns arrays of any precision and layout
/// \param clouds  none where all its arrays are empty
template <FloatingEntry Entry, class Layout, FloatingEntry CloudEntry, class CloudLayout>
LongwaveArrays arrays_of(Columns<Kokkos::DefaultHostExecutionSpace, Entry, Layout> const& columns,
                         Clouds<Kokkos::DefaultHostExecutionSpace, CloudEntry, CloudLayout> const& clouds) {
  return Impl::arrays_of_sets<LongwaveArrays>(columns, clouds);
}

}  // namespace parhelion::fluxes

#endif
