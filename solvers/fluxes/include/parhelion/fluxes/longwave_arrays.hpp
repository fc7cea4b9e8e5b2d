// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LONGWAVE_ARRAYS_HPP
#define PARHELION_FLUXES_LONGWAVE_ARRAYS_HPP

#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>

#include <parhelion/core/arrays.hpp>

#include <array>
#include <cstdint>

namespace parhelion::fluxes {

/// \brief The input of a call: arrays of the caller, in host memory or on a device, all of float or all of double, of
///        any strides.
///
/// Meanings, ranges and dimensions are those of Columns and Clouds, units those times the factors. Layer 0 is next to
/// the surface. Arrays that are absent have no data.
struct LongwaveArrays {
  ConstArrayRef pressure_lay, pressure_lev;        ///< [Pa / pressure_factor], (column, layer or level)
  ConstArrayRef temperature_lay, temperature_lev;  ///< [K], (column, layer or level)
  ConstArrayRef temperature_sfc;                   ///< [K], (column)
  ConstArrayRef emissivity_sfc;                    ///< [1], (column, band or 1)
  ConstArrayRef vmr;                               ///< [1], (column, gas, layer); absent: `gases` is used
  std::array<ConstArrayRef, ngas> gases = {};      ///< [1], (column, layer); absent ones count as 0
  ConstArrayRef aerosol;                           ///< [1], (column, layer, band)

  // Clouds of layers or of g-points.
  ConstArrayRef fraction, ice_path, liquid_path, decorrelation_length;
  ConstArrayRef fraction_gpt, ice_path_gpt, liquid_path_gpt, optical_depth_gpt;
  ConstArrayRef ice_size, liquid_size, input, ice_optics, liquid_optics;
  Overlap overlap = Overlap::maximum_random;
  std::uint64_t seed = 0;
  std::uint32_t first_column = 0;

  // What brings values of the caller to the units of Columns and Clouds.
  double pressure_factor = 1;  ///< 100 for pressures in hPa
  double path_factor = 1;      ///< of water paths
  double size_factor = 1;      ///< of particles

  int ncol() const { return static_cast<int>(pressure_lay.extents[0]); }
  int nlay() const { return static_cast<int>(pressure_lay.extents[1]); }
  bool of_layers() const { return !fraction.empty(); }
  bool of_gpoints() const { return !fraction_gpt.empty(); }
  bool any_clouds() const { return of_layers() || of_gpoints(); }
};

/// \brief Refers to columns and clouds.
/// \param columns arrays of any precision and layout
/// \param clouds  none where all its arrays are empty
template <FloatingEntry Entry, class Layout, FloatingEntry CloudEntry, class CloudLayout>
LongwaveArrays arrays_of(Columns<Kokkos::DefaultHostExecutionSpace, Entry, Layout> const& columns,
                         Clouds<Kokkos::DefaultHostExecutionSpace, CloudEntry, CloudLayout> const& clouds) {
  LongwaveArrays in;
  in.pressure_lay = array_ref(columns.pressure_lay);
  in.pressure_lev = array_ref(columns.pressure_lev);
  in.temperature_lay = array_ref(columns.temperature_lay);
  in.temperature_lev = array_ref(columns.temperature_lev);
  in.temperature_sfc = array_ref(columns.temperature_sfc);
  in.emissivity_sfc = array_ref(columns.emissivity_sfc);
  in.vmr = array_ref(columns.vmr);
  in.aerosol = array_ref(columns.aerosol);
  in.fraction = array_ref(clouds.fraction);
  in.ice_path = array_ref(clouds.ice_path);
  in.liquid_path = array_ref(clouds.liquid_path);
  in.decorrelation_length = array_ref(clouds.decorrelation_length);
  in.fraction_gpt = array_ref(clouds.fraction_gpt);
  in.ice_path_gpt = array_ref(clouds.ice_path_gpt);
  in.liquid_path_gpt = array_ref(clouds.liquid_path_gpt);
  in.optical_depth_gpt = array_ref(clouds.optical_depth_gpt);
  in.ice_size = array_ref(clouds.ice_size);
  in.liquid_size = array_ref(clouds.liquid_size);
  in.input = array_ref(clouds.input);
  in.ice_optics = array_ref(clouds.ice_optics);
  in.liquid_optics = array_ref(clouds.liquid_optics);
  in.overlap = clouds.overlap;
  in.seed = clouds.seed;
  in.first_column = clouds.first_column;
  return in;
}

}  // namespace parhelion::fluxes

#endif
