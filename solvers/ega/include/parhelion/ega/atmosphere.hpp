// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_ATMOSPHERE_HPP
#define PARHELION_EGA_ATMOSPHERE_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace parhelion::ega {

/// Names of dimensions in addition to those of core/arrays.hpp.
namespace dimension {
using namespace parhelion::dimension;
inline constexpr std::string_view window = "window";              ///< profiles of extinction
inline constexpr std::string_view cloud_node = "cloud_node";      ///< wavenumbers of the cloud's extinction
inline constexpr std::string_view surface_node = "surface_node";  ///< wavenumbers of the surface's emissivity
}  // namespace dimension

/// \brief Vertical profiles of the atmosphere in the memory of a solver. Level 0 is the lowest, altitudes ascend.
///
/// Between levels the logarithm of pressure and all other quantities are linear in altitude; the first and the last
/// interval are extrapolated. Always in double precision, regardless of that of the spectra.
template <KokkosExecutionSpace ExecutionSpace>
struct Atmosphere {
  Array<double const**, ExecutionSpace> altitude;        ///< [m] above the reference sphere, (profile, level)
  Array<double const**, ExecutionSpace> pressure;        ///< [Pa], (profile, level), > 0
  Array<double const**, ExecutionSpace> temperature;     ///< [K], (profile, level), > 0
  Array<double const***, ExecutionSpace> mole_fraction;  ///< mole fraction of the emitter [1], (profile, gas, level)
  Array<double const***, ExecutionSpace> extinction;     ///< aerosol extinction [m-1], (profile, window, level), >= 0

  // One cloud layer: all three or none.
  Array<double const*, ExecutionSpace> cloud_height = {};  ///< altitude of its middle [m], (profile)
  Array<double const*, ExecutionSpace> cloud_depth =
      {};  ///< standard deviation of its Gaussian shape [m], (profile), > 0
  Array<double const**, ExecutionSpace> cloud_extinction = {};  ///< extinction in the middle [m-1], (profile, node)

  // The surface: all four or none. Without them it is black, at the lowest level and at the temperature of the air.
  Array<double const*, ExecutionSpace> surface_altitude = {};  ///< [m], (profile)
  Array<double const*, ExecutionSpace> surface_pressure =
      {};  ///< [Pa], (profile); if > 0, the surface is not below this pressure
  Array<double const*, ExecutionSpace> surface_temperature = {};  ///< [K], (profile); if <= 0, that of the air
  Array<double const**, ExecutionSpace> surface_emissivity = {};  ///< [1], (profile, node), in [0, 1]

  KOKKOS_INLINE_FUNCTION int nprofile() const { return static_cast<int>(altitude.extent(0)); }
  KOKKOS_INLINE_FUNCTION int nlev() const { return static_cast<int>(altitude.extent(1)); }
  KOKKOS_INLINE_FUNCTION int ngas() const { return static_cast<int>(mole_fraction.extent(1)); }
  KOKKOS_INLINE_FUNCTION int nwindow() const { return static_cast<int>(extinction.extent(1)); }
  KOKKOS_INLINE_FUNCTION bool has_cloud() const { return cloud_extinction.size() > 0; }
  KOKKOS_INLINE_FUNCTION bool has_surface() const { return surface_emissivity.size() > 0; }

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    action(ArrayDescription{.name = "altitude",
                            .unit = "m",
                            .meaning = "altitude of the level above the reference sphere",
                            .standard_name = "altitude",
                            .dimensions = {profile, level}},
           sets.altitude...);
    action(ArrayDescription{.name = "pressure",
                            .unit = "Pa",
                            .meaning = "pressure of the air",
                            .standard_name = "air_pressure",
                            .dimensions = {profile, level},
                            .range = ranges::positive},
           sets.pressure...);
    action(ArrayDescription{.name = "temperature",
                            .unit = "K",
                            .meaning = "temperature of the air",
                            .standard_name = "air_temperature",
                            .dimensions = {profile, level},
                            .range = ranges::positive},
           sets.temperature...);
    // No range: retrievals may pass through negative amounts.
    action(ArrayDescription{.name = "mole_fraction",
                            .unit = "1",
                            .meaning = "mole fraction of the gas",
                            .dimensions = {profile, gas, level}},
           sets.mole_fraction...);
    action(ArrayDescription{.name = "extinction",
                            .unit = "m-1",
                            .meaning = "extinction by aerosol",
                            .standard_name = "volume_extinction_coefficient_in_air_due_to_ambient_aerosol_particles",
                            .dimensions = {profile, window, level},
                            .range = ranges::not_negative},
           sets.extinction...);
    action(ArrayDescription{.name = "cloud_height",
                            .unit = "m",
                            .meaning = "altitude of the middle of the cloud",
                            .dimensions = {profile},
                            .optional = true},
           sets.cloud_height...);
    action(ArrayDescription{.name = "cloud_depth",
                            .unit = "m",
                            .meaning = "standard deviation of the Gaussian shape of the cloud",
                            .dimensions = {profile},
                            .range = ranges::positive,
                            .optional = true},
           sets.cloud_depth...);
    action(ArrayDescription{.name = "cloud_extinction",
                            .unit = "m-1",
                            .meaning = "extinction in the middle of the cloud",
                            .dimensions = {profile, cloud_node},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.cloud_extinction...);
    action(ArrayDescription{.name = "surface_altitude",
                            .unit = "m",
                            .meaning = "altitude of the surface",
                            .standard_name = "surface_altitude",
                            .dimensions = {profile},
                            .optional = true},
           sets.surface_altitude...);
    action(ArrayDescription{.name = "surface_pressure",
                            .unit = "Pa",
                            .meaning = "pressure of the surface where it is above 0; the surface is not below it",
                            .standard_name = "surface_air_pressure",
                            .dimensions = {profile},
                            .optional = true},
           sets.surface_pressure...);
    action(ArrayDescription{.name = "surface_temperature",
                            .unit = "K",
                            .meaning = "temperature of the surface; that of the air where it is not above 0",
                            .standard_name = "surface_temperature",
                            .dimensions = {profile},
                            .optional = true},
           sets.surface_temperature...);
    action(ArrayDescription{.name = "surface_emissivity",
                            .unit = "1",
                            .meaning = "emissivity of the surface",
                            .standard_name = "surface_longwave_emissivity",
                            .dimensions = {profile, surface_node},
                            .range = ranges::zero_to_one,
                            .optional = true},
           sets.surface_emissivity...);
  }
};

/// \brief The same in host memory, with the names of the gases and the times and places of levels.
struct HostAtmosphere {
  std::vector<std::string> gases;  ///< names of the emitters, in the order of mole_fraction

  // As in Atmosphere. Nodes are those of Channels::cloud_wavenumber and Channels::surface_wavenumber.
  HostArray<double**> altitude, pressure, temperature;
  HostArray<double***> mole_fraction, extinction;
  HostArray<double*> cloud_height, cloud_depth;
  HostArray<double**> cloud_extinction;
  HostArray<double*> surface_altitude, surface_pressure, surface_temperature;
  HostArray<double**> surface_emissivity;

  // Time and place of the levels, for results. The model does not use them.
  HostArray<double**> time;       ///< [s] since 2000-01-01T00:00Z, (profile, level)
  HostArray<double**> longitude;  ///< [degree east], (profile, level)
  HostArray<double**> latitude;   ///< [degree north], (profile, level)

  std::string name = {};  ///< begins messages, such as the name of the file; empty: the function

  int nprofile() const { return static_cast<int>(altitude.extent(0)); }
  KOKKOS_INLINE_FUNCTION int nlev() const { return static_cast<int>(altitude.extent(1)); }
  int ngas() const { return static_cast<int>(mole_fraction.extent(1)); }
  int nwindow() const { return static_cast<int>(extinction.extent(1)); }
  bool has_cloud() const { return cloud_extinction.size() > 0; }
  KOKKOS_INLINE_FUNCTION bool has_surface() const { return surface_emissivity.size() > 0; }

  /// Describes the arrays, see DescribedArrays: those of Atmosphere, then the others.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    Atmosphere<Kokkos::DefaultHostExecutionSpace>::for_each_array(action, sets...);
    action(ArrayDescription{.name = "time",
                            .unit = "seconds since 2000-01-01 00:00:00",
                            .meaning = "time of the level",
                            .standard_name = "time",
                            .dimensions = {profile, level}},
           sets.time...);
    action(ArrayDescription{.name = "longitude",
                            .unit = "degrees_east",
                            .meaning = "longitude of the level",
                            .standard_name = "longitude",
                            .dimensions = {profile, level}},
           sets.longitude...);
    action(ArrayDescription{.name = "latitude",
                            .unit = "degrees_north",
                            .meaning = "latitude of the level",
                            .standard_name = "latitude",
                            .dimensions = {profile, level}},
           sets.latitude...);
  }
};

/// \brief An atmosphere whose arrays are allocated and zero, except those of cloud and surface, which are empty.
HostAtmosphere make_atmosphere(int nprofile, int nlev, std::vector<std::string> const& gases, int nwindow);

/// \brief Checks an atmosphere.
///
/// It refuses extents that disagree, fewer than two levels, altitudes that do not ascend, values that are not finite,
/// pressures, temperatures and cloud depths that are not positive, negative extinctions and emissivities outside
/// [0, 1].
///
/// \param atmosphere any
/// \param where      begins the messages; empty: the name of the atmosphere
/// \throws parhelion::Error naming the array, the index, the value and what was expected
void validate(HostAtmosphere const& atmosphere, std::string const& where = {});

/// \brief Replaces the pressures of all profiles by hydrostatic ones.
///
/// The pressure of the level nearest to `reference` is kept. From level to level p2 = p1 exp(-dz mean(M g / (R T))),
/// the mean being over 20 equidistant points with temperature and water vapour linear between the levels; gravity is
/// constant.
/// \param atmosphere its pressure is overwritten; water vapour is the gas named H2O, if there is one
/// \param reference  altitude [m]
void make_hydrostatic(HostAtmosphere const& atmosphere, double reference);

/// The altitude at which rays end in a profile [m]: its lowest level, or the surface above it.
double lowest_altitude(HostAtmosphere const& atmosphere, int profile);

/// \brief Repeats profiles: profile p of the result is profile p % nprofile of the argument.
HostAtmosphere repeat(HostAtmosphere const& atmosphere, int copies);

}  // namespace parhelion::ega

#endif
