// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_ECCKD_DEFINITION_HPP
#define PARHELION_FLUXES_ECCKD_DEFINITION_HPP

#include <cstddef>
#include <string>
#include <vector>

namespace parhelion::fluxes::ecckd {

/// How the absorption of a gas depends on its mole fraction; values are those of `GAS_conc_dependence_code`.
enum class Concentration : int {
  none = 0,            ///< not at all: the coefficients are those of air with this gas
  linear = 1,          ///< in proportion
  table = 2,           ///< in proportion, with coefficients that depend on it, too
  relative_linear = 3  ///< in proportion to the difference from a reference, which is part of another gas
};

/// The gas whose composition is fixed, which is always there.
inline constexpr char const* composite_gas = "composite";

/// Absorption by one of the gases of a definition.
struct GasTable {
  std::string name;  ///< composite_gas, or a name that find_gas() knows
  Concentration dependence = Concentration::none;
  std::vector<double> mole_fraction;     ///< of a table, even in the logarithm [mol mol-1]; otherwise empty
  double reference_mole_fraction = 0;    ///< of relative_linear [mol mol-1]
  std::vector<double> molar_absorption;  ///< ([mole fraction,] temperature, pressure, g-point) [m2 mol-1]
};

/// \brief A k-distribution of ecCKD as its file defines it, for the longwave or the shortwave.
///
/// Hogan and Matricardi (2022), doi:10.1029/2022MS003033. Arrays of several dimensions are in row-major order.
struct Definition {
  std::string where = "ecCKD definition";  ///< opens the messages, such as the name of the file
  bool is_longwave = true;
  std::vector<double> pressure;     ///< [Pa], increasing, even in the logarithm
  std::vector<double> temperature;  ///< (temperature, pressure) [K], even in the first at each pressure
  std::vector<GasTable> gases;

  // The longwave.
  std::vector<double> temperature_planck;  ///< [K], even
  std::vector<double> planck_function;     ///< irradiance, with pi (temperature_planck, g-point) [W m-2]

  // The shortwave.
  std::vector<double> solar_irradiance;           ///< of each g-point [W m-2]
  std::vector<double> rayleigh_molar_scattering;  ///< of each g-point [m2 mol-1]

  // Of which parts of the spectrum the g-points are made.
  std::vector<double> wavenumber1, wavenumber2;            ///< ends of spectral intervals [cm-1]
  std::vector<double> gpoint_fraction;                     ///< (g-point, interval) [1]
  std::vector<int> band_number;                            ///< of each g-point, from 0
  std::vector<double> wavenumber1_band, wavenumber2_band;  ///< ends of the bands [cm-1]
  std::vector<double> solar_spectral_irradiance;           ///< of each interval [W m-2]; may be empty

  int npressure() const { return static_cast<int>(pressure.size()); }
  int ntemperature() const { return pressure.empty() ? 0 : static_cast<int>(temperature.size() / pressure.size()); }
  int ngpoint() const { return static_cast<int>(band_number.size()); }
  int nband() const { return static_cast<int>(wavenumber1_band.size()); }
  int ninterval() const { return static_cast<int>(wavenumber1.size()); }
};

/// \brief Refuses a definition that cannot be computed with.
/// \throws parhelion::Error that names file, variable, what was found and what was expected: arrays of other sizes,
///         numbers that are not finite or stand for missing ones, negative coefficients, axes that do not increase or
///         are not even, no composite gas, gases that are unknown or there twice
void check(Definition const& definition);

/// \brief Refuses names of gases that are unknown or there twice, and a list without composite_gas; check() does, too.
/// \param where opens the messages
/// \param names of the gases as the definition spells them
void check_gas_names(std::string const& where, std::vector<std::string> const& names);

/// \brief The share of each g-point that lies above a wavenumber.
/// \param definition that check() takes
/// \param wavenumber [cm-1]
/// \return (g-point), 0..1: of the width of the spectral intervals, each weighted by the fraction that contributes to
///         the g-point; that of its band where no interval contributes
std::vector<double> share_above(Definition const& definition, double wavenumber);

}  // namespace parhelion::fluxes::ecckd

#endif
