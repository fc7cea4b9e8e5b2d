// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_SYNTHETIC_TABLES_HPP
#define PARHELION_IO_SYNTHETIC_TABLES_HPP

#include <parhelion/ega/emissivity_tables.hpp>

namespace parhelion::io {

/// \brief A gas in a channel as Malkmus' statistical band model sees it.
struct BandParameters {
  double strength;     ///< k0, mean strength of lines over their spacing at the reference temperature [cm2 molecule-1]
  double width;        ///< y0, width of lines over their spacing at standard pressure and reference temperature [1]
  double lower_state;  ///< E, energy of the lower state [K]
};

/// \brief SYNTHETIC parameters: a small formula that gives weak and strong channels. Not spectroscopy.
/// \param gas        number of the gas, >= 0
/// \param wavenumber of the channel [cm-1]
BandParameters synthetic_band(int gas, double wavenumber);

/// \brief Transmittance of a homogeneous path after Malkmus (1967), doi:10.1364/JOSA.57.000323.
///
/// ln(tau) = -(pi y / 2) (sqrt(1 + 4 k u / (pi y)) - 1) with y = y0 (p/p0) (T0/T)^0.5 and
/// k = k0 (T0/T)^1.5 exp(-E (1/T - 1/T0)); p0 = 1013.25 hPa, T0 = 296 K.
/// \param band           its parameters
/// \param pressure_hPa   > 0
/// \param temperature    [K], > 0
/// \param column_density [molecules cm-2], >= 0
double band_transmittance(BandParameters const& band, double pressure_hPa, double temperature, double column_density);

/// \brief SYNTHETIC table of a band, on grids like those of tables made line by line.
///
/// 40 pressures equidistant in the logarithm (796.45 hPa down to 0.0103 hPa), 29 temperatures in steps of 5 K around
/// the mid-latitude mean of the pressure, column densities in steps of 12.2 % from emissivity 1e-6 to 0.9999.
ega::EmissivityTable synthetic_table(BandParameters const& band);

}  // namespace parhelion::io

#endif
