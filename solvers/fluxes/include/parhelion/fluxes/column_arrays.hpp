// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_COLUMN_ARRAYS_HPP
#define PARHELION_FLUXES_COLUMN_ARRAYS_HPP

#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>

#include <parhelion/core/arrays.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace parhelion::fluxes {

/// Where the temperatures at levels of a call come from.
enum class LevelTemperatures {
  given,        ///< they are an array of the call
  interpolated  ///< from the layers, see rrtmgp::interpolate_level_temperatures(); the call gives none
};

/// \brief What the arrays of a call of the longwave and of the shortwave have in common.
///
/// Meanings, ranges and dimensions are those of Columns and Clouds, or ShortwaveColumns and ShortwaveClouds, units
/// those times the factors. Layer 0 is next to the surface. Arrays that are absent have no data.
struct ColumnArrays {
  ConstArrayRef pressure_lay, pressure_lev;        ///< [Pa / pressure_factor], (column, layer or level)
  ConstArrayRef temperature_lay, temperature_lev;  ///< [K], (column, layer or level)
  ConstArrayRef vmr;                               ///< [1], (column, gas, layer); absent: `gases` is used
  /// [1], (column, layer), by Gas. The model's are used, and others have no effect. With RRTMG and the simple spectral
  /// model, absent ones count as 0. With ecCKD and RRTMGP, those that the model requires are refused where they are
  /// absent, those with a default have it, and others count as 0, see ModelDescription.
  std::array<ConstArrayRef, ngas_all> gases = {};

  // Aerosol by type, for the optics of RRTMGP.
  ConstArrayRef aerosol_type, aerosol_size;       ///< [1] and [m], (column, layer)
  ConstArrayRef aerosol_mass, relative_humidity;  ///< [kg m-2] and [1], (column, layer)

  // Clouds of layers or of g-points.
  ConstArrayRef fraction, ice_path, liquid_path, decorrelation_length;
  ConstArrayRef fraction_gpt, ice_path_gpt, liquid_path_gpt, optical_depth_gpt;
  ConstArrayRef ice_size, liquid_size, input, ice_optics, liquid_optics;
  Overlap overlap = Overlap::maximum_random;
  std::uint64_t seed = 0;
  std::uint32_t first_column = 0;

  // What brings values of the caller to the units of the columns and clouds.
  double pressure_factor = 1;  ///< 100 for pressures in hPa
  double path_factor = 1;      ///< 1e-3 for water paths in g m-2
  double size_factor = 1;      ///< 1e-6 for sizes of particles in um

  int ncol() const { return static_cast<int>(pressure_lay.extents[0]); }
  int nlay() const { return static_cast<int>(pressure_lay.extents[1]); }
  bool of_layers() const { return !fraction.empty(); }
  bool of_gpoints() const { return !fraction_gpt.empty(); }
  bool any_clouds() const { return of_layers() || of_gpoints(); }
};

namespace Impl {

/// The arrays of a call that are those of columns and of clouds.
template <class Arrays, DescribedArrays ColumnSet, DescribedArrays CloudSet>
Arrays arrays_of_sets(ColumnSet const& columns, CloudSet const& clouds) {
  Arrays in;
  auto const ordered = in.in_order();
  std::size_t i = 0;
  auto const refer = [&](ArrayDescription const& /*description*/, auto const& view) {
    *ordered[i++] = array_ref(view);
  };
  ColumnSet::for_each_array(refer, columns);
  CloudSet::for_each_array(refer, clouds);
  in.overlap = clouds.overlap;
  in.seed = clouds.seed;
  in.first_column = clouds.first_column;
  return in;
}

}  // namespace Impl

}  // namespace parhelion::fluxes

#endif
