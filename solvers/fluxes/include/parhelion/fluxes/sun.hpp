// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SUN_HPP
#define PARHELION_FLUXES_SUN_HPP

#include <array>
#include <optional>
#include <string>

/// \file
/// The sun as RRTMG_SW has it: spectra, solar cycle, distance.
namespace parhelion::fluxes {

/// The solar spectra, whose weighted sum is the irradiance of a g-point.
enum class SolarSpectrum : int {
  kurucz = 0,     ///< Kurucz (1992), 1368.22 W m-2
  quiet_sun = 1,  ///< NRLSSI2 (Coddington et al. 2016, doi:10.1175/BAMS-D-14-00265.1): the quiet sun, 1360.37 W m-2
  faculae = 2,    ///< NRLSSI2: brightening by faculae
  sunspots = 3    ///< NRLSSI2: darkening by sunspots, negative
};
inline constexpr int nsolar = 4;

/// Which sun shines; values are those of `isolvar`.
enum class SolarVariability : int {
  kurucz_unscaled = -2,  ///< Kurucz; nothing scales it
  kurucz = -1,           ///< Kurucz, scaled to total_irradiance and by band_factors
  mean_cycle = 0,        ///< NRLSSI2, mean of the solar cycle, scaled to total_irradiance
  cycle = 1,             ///< NRLSSI2 at a place in the mean solar cycle, with amplitudes
  indices = 2,           ///< NRLSSI2 with given indices of faculae and sunspots
  scaled_bands = 3       ///< mean_cycle with band_factors
};

/// \brief The options of RRTMG_SW's sun, with their meaning there.
struct SolarOptions {
  SolarVariability variability = SolarVariability::mean_cycle;
  double total_irradiance = 0;  ///< `scon`: at 1 au [W m-2], >= 0; 0: that of the spectrum
  /// `indsolvar`: amplitudes of faculae and sunspots (cycle), or the Mg and sunspot indices (indices).
  std::optional<std::array<double, 2>> indices = {};
  std::optional<double> cycle_fraction = {};                ///< `solcycfrac`: place in the solar cycle, 0..1
  std::optional<std::array<double, 14>> band_factors = {};  ///< `bndsolvar`: of each band, >= 0
  double distance_factor = 1;  ///< `adjes`: of the irradiance by the distance of the sun, >= 0; not used with a day
  int day_of_year = 0;         ///< `dyofyr`: 1..366, from which the distance follows; 0: distance_factor
};

/// \brief What the shortwave solver needs of the sun of a column.
struct SolarSource {
  std::array<double, nsolar> weights = {};   ///< of the solar spectra, with the distance of the sun
  std::array<double, 14> band_factors = {};  ///< further factors on the bands; all 1 unless they were given
};

/// \brief The weights of the solar spectra that the options of RRTMG_SW stand for.
/// \param options see SolarOptions
/// \param where   opens the message
/// \throws parhelion::Error on an option out of its range, naming it
SolarSource solar_source(SolarOptions const& options, std::string const& where = "sun");

/// Factor of the irradiance by the distance of the sun on a day of the year, 1..366.
double sun_distance_factor(int day_of_year);

}  // namespace parhelion::fluxes

#endif
