// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_CONTINUA_HPP
#define PARHELION_EGA_CONTINUA_HPP

#include <string>
#include <vector>

namespace parhelion::ega {

/// \brief Tabulated coefficients of continuum absorption over ascending wavenumber.
///
/// A table without wavenumbers is missing.
struct ContinuumTables {
  struct Co2 {
    std::vector<double> wavenumber;              ///< [cm-1]
    std::vector<double> at_296, at_260, at_230;  ///< coefficient at these temperatures [K]
  } co2;
  struct H2o {
    std::vector<double> wavenumber;  ///< [cm-1]
    std::vector<double> self_296, self_260, foreign;
    std::vector<double> correction_wavenumber;  ///< [cm-1], 820 to 960
    std::vector<double> correction;             ///< factor of the self continuum at these wavenumbers
  } h2o;
  struct Collision {
    std::vector<double> wavenumber;  ///< [cm-1]
    std::vector<double> strength;    ///< B
    std::vector<double> beta;        ///< exponent of the temperature dependence [K]
  };
  Collision n2;
  Collision o2;
};

/// Which continua are included.
struct ContinuumSwitches {
  bool co2 = true;
  bool h2o = true;
  bool n2 = true;
  bool o2 = true;
};

/// \brief The coefficients of one channel, interpolated to its wavenumber. Zero outside the range of a continuum.
struct ContinuumCoefficients {
  double co2_296 = 0, co2_260 = 0, co2_230 = 0;
  double h2o_self_296 = 0;  ///< corrected
  double h2o_self_log = 0;  ///< ln(self at 260 K / self at 296 K) / 36 K, per kelvin below 296 K [K-1]
  double h2o_foreign = 0;   ///< corrected
  double n2_strength = 0, n2_beta = 0;
  double o2_strength = 0, o2_beta = 0;
};

/// \brief Coefficients of a channel.
/// \param tables     of all continua
/// \param switches   continua that are switched off give zero
/// \param wavenumber of the channel [cm-1]
/// \param where      begins the messages; empty: the function
/// \throws parhelion::Error when the table of a continuum is needed and missing or bad
ContinuumCoefficients continuum_coefficients(ContinuumTables const& tables, ContinuumSwitches const& switches,
                                             double wavenumber, std::string const& where = {});

}  // namespace parhelion::ega

#endif
