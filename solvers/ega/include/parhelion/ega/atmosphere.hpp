// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_ATMOSPHERE_HPP
#define PARHELION_EGA_ATMOSPHERE_HPP

#include <parhelion/core/types.hpp>

#include <string>
#include <vector>

namespace parhelion::ega {

/// \brief Vertical profiles of the atmosphere in host memory. Level 0 is the lowest, altitudes ascend.
///
/// Between levels the logarithm of pressure and everything else are linear in altitude; the first and the last interval
/// extrapolate. Horizontal positions are not used by the model.
struct HostAtmosphere {
  std::vector<std::string> gases;     ///< names of the emitters, in the order of mixing_ratio
  HostArray<double**> altitude;       ///< [m] above the reference sphere, (profile, level), strictly ascending
  HostArray<double**> pressure;       ///< [Pa], (profile, level), > 0
  HostArray<double**> temperature;    ///< [K], (profile, level), > 0
  HostArray<double***> mixing_ratio;  ///< mole fraction of the emitter [1], (profile, gas, level)
  HostArray<double***> extinction;    ///< aerosol extinction [m-1], (profile, window, level), >= 0

  // One cloud layer; empty: none.
  HostArray<double*> cloud_height;       ///< of its middle [m], (profile)
  HostArray<double*> cloud_depth;        ///< standard deviation of its Gaussian shape [m], (profile), > 0
  HostArray<double**> cloud_extinction;  ///< [m-1] in the middle, (profile, node of Channels::cloud_wavenumber)

  // The surface; empty: black, at the lowest level and at the air's temperature.
  HostArray<double*> surface_altitude;     ///< [m], (profile)
  HostArray<double*> surface_pressure;     ///< [Pa], (profile); where > 0 the surface lies no lower than this pressure
  HostArray<double*> surface_temperature;  ///< [K], (profile); where <= 0 that of the air
  HostArray<double**> surface_emissivity;  ///< [1], (profile, node of Channels::surface_wavenumber), in [0, 1]

  // What files say of their levels, repeated in results.
  HostArray<double**> time;       ///< [s] since 2000-01-01T00:00Z, (profile, level)
  HostArray<double**> longitude;  ///< [degree east], (profile, level)
  HostArray<double**> latitude;   ///< [degree north], (profile, level)

  std::string name = {};  ///< opens messages, such as that of the file; empty: the function

  int nprofile() const { return static_cast<int>(altitude.extent(0)); }
  int nlev() const { return static_cast<int>(altitude.extent(1)); }
  int ngas() const { return static_cast<int>(mixing_ratio.extent(1)); }
  int nwindow() const { return static_cast<int>(extinction.extent(1)); }
  bool has_cloud() const { return cloud_extinction.size() > 0; }
  bool has_surface() const { return surface_emissivity.size() > 0; }
};

/// \brief An atmosphere with all arrays but those of clouds and surface allocated and zero.
HostAtmosphere make_atmosphere(int nprofile, int nlev, std::vector<std::string> const& gases, int nwindow);

/// \brief Checks an atmosphere.
///
/// Refused are extents that disagree, fewer than two levels, altitudes that do not ascend, pressures and temperatures
/// that are not positive, what is not finite, negative extinctions, cloud depths that are not positive and
/// emissivities outside [0, 1].
/// \param atmosphere profiles of all its arrays
/// \param where      opens the messages; empty: the name of the atmosphere
/// \throws parhelion::Error naming the array, the index, the value and what was expected
void validate(HostAtmosphere const& atmosphere, std::string const& where = {});

/// \brief Rebuilds the pressures of all profiles hydrostatically.
///
/// The pressure of the level nearest to `reference` is kept. From level to level p2 = p1 exp(-dz mean(M g / (R T))),
/// the mean over 20 equidistant points with temperature and water vapour linear between the levels; gravity is
/// constant.
/// \param atmosphere its pressure is overwritten; water vapour is the gas named H2O, none where there is none
/// \param reference  altitude [m]
void make_hydrostatic(HostAtmosphere const& atmosphere, double reference);

/// \brief The same profiles several times: copy p of the result is profile p % nprofile of the argument.
HostAtmosphere repeat(HostAtmosphere const& atmosphere, int copies);

}  // namespace parhelion::ega

#endif
