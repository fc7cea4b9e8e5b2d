// SPDX-License-Identifier: BSD-3-Clause
// The optics of clouds and aerosol of RRTMGP on a device.
#ifndef PARHELION_FLUXES_RRTMGP_PARTICLE_TABLES_HPP
#define PARHELION_FLUXES_RRTMGP_PARTICLE_TABLES_HPP

#include "two_stream.hpp"

#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>

#include <parhelion/core/interpolate.hpp>

namespace parhelion::fluxes::rrtmgp {

using Impl::LayerOptics;

/// Points beyond the last that rows are padded with: a group of lanes may begin at any g-point and reads a whole
/// vector.
inline constexpr int row_padding = 16;

/// \brief Properties of particles at bands or g-points, which are called points here.
///
/// Entries are sizes, or humidities. Each has four rows: extinction per mass [m2 kg-1], co-albedo, single scattering
/// albedo and asymmetry parameter. The co-albedo is 1 minus the albedo in double precision, so that weak absorption
/// keeps its digits in float. Beyond the last point rows are padded with zeros.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct PropertyRows {
  Array<Real const**, ExecutionSpace> rows;  ///< (4 entry + which, point)

  /// \brief Optical depths of an amount of particles between two entries.
  /// \tparam scatters    whether scattering is wanted, too; otherwise it is 0
  /// \param lower,upper  entries
  /// \param weight       of the upper one
  /// \param point        band or g-point
  /// \param amount       [kg m-2]
  template <bool scatters>
  KOKKOS_INLINE_FUNCTION LayerOptics<Real> between(int lower, int upper, Real weight, int point, Real amount) const {
    auto const of = [&](int which) {
      return linear<Real>(rows(4 * lower + which, point), rows(4 * upper + which, point), weight);
    };
    Real const depth = amount * of(0);
    LayerOptics<Real> result{depth * of(1), 0, 0};
    if constexpr (scatters) {
      result.scattering = depth * of(2);
      result.asymmetric = result.scattering * of(3);
    }
    return result;
  }
};

/// The cloud of a layer: its water and where its sizes lie in the tables.
template <class Real>
struct CloudState {
  Real liquid_path;  ///< [kg m-2]
  Real ice_path;     ///< [kg m-2]
  GridPosition<Real> liquid;
  GridPosition<Real> ice;
};

/// \brief Optics of droplets, and of ice of one roughness. Made by make_cloud_tables().
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct CloudTables {
  /// The sizes of a table: even steps.
  struct Sizes {
    Real smallest;   ///< [m]
    Real per_metre;  ///< steps [m-1]
    int n;
    Real most;  ///< steps beyond which sizes count as this many

    KOKKOS_INLINE_FUNCTION GridPosition<Real> position(Real size) const {
      Real const beyond = (size - smallest) * per_metre;
      Real const steps = beyond > 0 ? (beyond < most ? beyond : most) : Real(0);
      int const i = clamped_index(steps, 0, n - 2);
      return {i, steps - static_cast<Real>(i)};
    }
  };

  PropertyRows<ExecutionSpace, Real> liquid;
  PropertyRows<ExecutionSpace, Real> ice;
  Sizes liquid_sizes = {};
  Sizes ice_sizes = {};
  int npoint = 0;
  bool by_gpoint = false;  ///< whether points are g-points, otherwise bands

  /// Makes sizes count as this many steps less than the largest one, if they are larger.
  void stay_within(double steps) {
    liquid_sizes.most = static_cast<Real>(liquid_sizes.n - 1 - steps);
    ice_sizes.most = static_cast<Real>(ice_sizes.n - 1 - steps);
  }

  /// \brief What a layer has for all points. Sizes may be anything where there is no water of that kind.
  /// \param liquid_path  [kg m-2]
  /// \param radius       effective radius of droplets [m]
  /// \param ice_path     [kg m-2]
  /// \param diameter     effective diameter of ice particles [m]
  KOKKOS_INLINE_FUNCTION CloudState<Real> state(Real liquid_path, Real radius, Real ice_path, Real diameter) const {
    CloudState<Real> result{0, 0, {0, 0}, {0, 0}};
    if (liquid_path > 0) {
      result.liquid_path = liquid_path;
      result.liquid = liquid_sizes.position(radius);
    }
    if (ice_path > 0) {
      result.ice_path = ice_path;
      result.ice = ice_sizes.position(diameter);
    }
    return result;
  }

  template <bool scatters>
  KOKKOS_INLINE_FUNCTION LayerOptics<Real> of_liquid(CloudState<Real> const& of, int point) const {
    return liquid.template between<scatters>(of.liquid.index, of.liquid.index + 1, of.liquid.weight, point,
                                             of.liquid_path);
  }
  template <bool scatters>
  KOKKOS_INLINE_FUNCTION LayerOptics<Real> of_ice(CloudState<Real> const& of, int point) const {
    return ice.template between<scatters>(of.ice.index, of.ice.index + 1, of.ice.weight, point, of.ice_path);
  }

  /// \brief Vertical optical depths of the cloud of a layer, not scaled; without scattering unless `scatters`.
  template <bool scatters>
  KOKKOS_INLINE_FUNCTION LayerOptics<Real> optics(CloudState<Real> const& of, int point) const {
    LayerOptics<Real> result = of_liquid<scatters>(of, point);
    result += of_ice<scatters>(of, point);
    return result;
  }
};

/// The aerosol of a layer: its mass and where it lies in the tables.
template <class Real>
struct AerosolState {
  Real mass;  ///< [kg m-2]
  int lower;
  int upper;
  Real weight;
};

/// \brief Optics of the aerosol types of MERRA-2 in each band. Made by make_aerosol_tables().
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct AerosolTables {
  PropertyRows<ExecutionSpace, Real> table;
  /// Radius from which on a size bin is used [m], (bin). A bin begins a rounding error below its limit, so that a size
  /// that is a limit but for rounding belongs to the upper bin.
  Array<Real const*, ExecutionSpace> bin_begins;
  Array<Real const*, ExecutionSpace> humidity;       ///< relative humidities of entries [1]
  Kokkos::Array<int, naerosol_type + 1> first = {};  ///< entry of each type, of its first bin and lowest humidity
  int nbin = 0;
  int nhumidity = 0;
  int nband = 0;

  KOKKOS_INLINE_FUNCTION static bool has_sizes(int type) {
    return type == static_cast<int>(AerosolType::dust) || type == static_cast<int>(AerosolType::sea_salt);
  }
  KOKKOS_INLINE_FUNCTION static bool takes_up_water(int type) {
    return type == static_cast<int>(AerosolType::sea_salt) || type == static_cast<int>(AerosolType::sulfate) ||
           type == static_cast<int>(AerosolType::black_carbon_hydrophilic) ||
           type == static_cast<int>(AerosolType::organic_carbon_hydrophilic);
  }

  /// \brief What a layer has for all bands.
  /// \param type              AerosolType; no aerosol for other values
  /// \param radius            of the particles of dust and sea salt [m]; of other types it may be anything
  /// \param mass              [kg m-2]
  /// \param relative_humidity [1]
  KOKKOS_INLINE_FUNCTION AerosolState<Real> state(int type, Real radius, Real mass, Real relative_humidity) const {
    if (type < 1 || type > naerosol_type || !(mass > 0)) return {0, 0, 0, 0};
    int entry = first[static_cast<std::size_t>(type)];
    bool const wet = takes_up_water(type);
    if (has_sizes(type)) {
      int bin = 0;
      while (bin + 1 < nbin && radius >= bin_begins(bin + 1)) ++bin;
      entry += bin * (wet ? nhumidity : 1);
    }
    if (!wet) return {mass, entry, entry, 0};
    auto const at = locate<Real>(humidity, nhumidity, relative_humidity).clamped();
    return {mass, entry + at.index, entry + at.index + 1, at.weight};
  }

  /// \brief Vertical optical depths of the aerosol of a layer, not scaled; without scattering unless `scatters`.
  template <bool scatters>
  KOKKOS_INLINE_FUNCTION LayerOptics<Real> optics(AerosolState<Real> const& of, int band) const {
    return table.template between<scatters>(of.lower, of.upper, of.weight, band, of.mass);
  }
};

/// \brief Copies the optics of clouds to the device of `space`. Fences.
/// \param roughness of ice, 1 to CloudOptics::nroughness
/// \throws parhelion::Error where check() refuses the optics, or the roughness is another one
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
CloudTables<ExecutionSpace, Real> make_cloud_tables(ExecutionSpace const& space, CloudOptics const& optics,
                                                    int roughness = default_ice_roughness);

/// \brief Copies the optics of aerosol to the device of `space`. Fences.
/// \throws parhelion::Error where check() refuses the optics
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
AerosolTables<ExecutionSpace, Real> make_aerosol_tables(ExecutionSpace const& space, AerosolOptics const& optics);

}  // namespace parhelion::fluxes::rrtmgp

#endif
