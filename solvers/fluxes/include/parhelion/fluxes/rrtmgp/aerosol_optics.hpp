// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMGP_AEROSOL_OPTICS_HPP
#define PARHELION_FLUXES_RRTMGP_AEROSOL_OPTICS_HPP

#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>

#include <string>
#include <vector>

namespace parhelion::fluxes::rrtmgp {

/// \brief Types of aerosol of MERRA-2. Dust and sea salt depend on the size of their particles, sea salt, sulfate and
///        hydrophilic carbon on humidity.
enum class AerosolType : int {
  none = 0,
  dust = 1,
  sea_salt = 2,
  sulfate = 3,
  black_carbon_hydrophilic = 4,
  black_carbon_hydrophobic = 5,
  organic_carbon_hydrophilic = 6,
  organic_carbon_hydrophobic = 7
};

/// The largest value of AerosolType.
inline constexpr int naerosol_type = 7;

/// What the last dimension of the tables of AerosolOptics holds.
inline constexpr int naerosol_value = 3;

/// \brief Optics of the aerosol of MERRA-2 as a file of RRTMGP defines it, of the longwave or the shortwave.
///
/// The last dimension of a table has the extinction per mass [m2 kg-1], the single scattering albedo [1] and the
/// asymmetry parameter [1]. Arrays of several dimensions are in row-major order.
struct AerosolOptics {
  std::string where = "RRTMGP aerosol optics";  ///< opens the messages, such as the name of the file
  SpectralBands bands;                          ///< without g-points
  /// Smallest and largest radius of each size bin [m], (bin, 2): a bin begins where the one before it ends. A limit
  /// between two bins belongs to the upper one.
  std::vector<double> bin_limits;
  std::vector<double> humidity;                    ///< relative humidities of the tables [1], increasing
  std::vector<double> dust;                        ///< (band, bin, 3)
  std::vector<double> sea_salt;                    ///< (band, bin, humidity, 3)
  std::vector<double> sulfate;                     ///< (band, humidity, 3)
  std::vector<double> black_carbon_hydrophilic;    ///< (band, humidity, 3)
  std::vector<double> black_carbon_hydrophobic;    ///< (band, 3)
  std::vector<double> organic_carbon_hydrophilic;  ///< (band, humidity, 3)
  std::vector<double> organic_carbon_hydrophobic;  ///< (band, 3)

  int nband() const { return bands.nband(); }
  int nbin() const { return static_cast<int>(bin_limits.size() / 2); }
  int nhumidity() const { return static_cast<int>(humidity.size()); }
  /// Radii of dust and sea salt for which there are properties [m].
  SizeRange sizes() const { return {bin_limits.front(), bin_limits.back()}; }
};

/// \brief Refuses aerosol optics that cannot be computed with.
/// \throws parhelion::Error that names file, variable, what was found and what was expected
void check(AerosolOptics const& optics);

}  // namespace parhelion::fluxes::rrtmgp

#endif
