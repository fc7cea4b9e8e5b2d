// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LONGWAVE_ARRAYS_HPP
#define PARHELION_FLUXES_LONGWAVE_ARRAYS_HPP

#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>

#include <parhelion/core/arrays.hpp>

#include <array>
#include <cstddef>
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
  double path_factor = 1;      ///< 1e-3 for water paths in g m-2
  double size_factor = 1;      ///< 1e-6 for sizes of particles in um

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
  static constexpr std::size_t first_of_clouds = 8;
  /// Where those of integers begin.
  static constexpr std::size_t first_of_integers = 18;

  /// The arrays but `gases`, in the order of the descriptions of LongwaveInput.
  auto in_order() { return order(*this); }
  auto in_order() const { return order(*this); }

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
  auto const ordered = in.in_order();
  std::size_t i = 0;
  auto const refer = [&](ArrayDescription const& /*description*/, auto const& view) {
    *ordered[i++] = array_ref(view);
  };
  using Host = Kokkos::DefaultHostExecutionSpace;
  Columns<Host, Entry, Layout>::for_each_array(refer, columns);
  Clouds<Host, CloudEntry, CloudLayout>::for_each_array(refer, clouds);
  in.overlap = clouds.overlap;
  in.seed = clouds.seed;
  in.first_column = clouds.first_column;
  return in;
}

}  // namespace parhelion::fluxes

#endif
