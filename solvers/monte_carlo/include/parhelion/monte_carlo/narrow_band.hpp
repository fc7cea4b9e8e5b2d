// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_NARROW_BAND_HPP
#define PARHELION_MONTE_CARLO_NARROW_BAND_HPP

#include <parhelion/core/types.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace parhelion::monte_carlo {

/// \brief Absorption of a gas, or of a mixture of fixed composition, by narrow bands with correlated k.
///
/// A band is represented by quadrature points g of the cumulative distribution of its absorption coefficient. The same
/// point represents the same part of the spectrum at all temperatures. Silvestri & Pecnik (2019),
/// J. Comput. Phys. X 3, 100032, section 2.1; Soufiani & Taine (1997), Int. J. Heat Mass Transf. 40, 987.
struct NarrowBandTable {
  std::string name;                ///< name for messages and results
  std::vector<double> band_left;   ///< lower limit [cm-1], (band), >= 0
  std::vector<double> band_right;  ///< upper limit [cm-1], (band), where the next band begins
  std::vector<double>
      band_centre;  ///< wavenumber at which Planck's function is evaluated [cm-1], (band), inside the band
  std::vector<double> temperature;  ///< [K], (temperature), at least two, strictly ascending, > 0
  std::vector<double> g;            ///< abscissae of the quadrature in [0, 1], (g), strictly ascending
  std::vector<double> weight;       ///< its weights, (g), > 0; their sum is 1
  HostArray<double***> absorption;  ///< [m-1] at 101325 Pa, (band, temperature, g), >= 0, non-decreasing in g

  int nband() const { return static_cast<int>(band_centre.size()); }
  int ntemperature() const { return static_cast<int>(temperature.size()); }
  int ng() const { return static_cast<int>(g.size()); }

  /// Width of a band [cm-1].
  double width(int band) const {
    return band_right[static_cast<std::size_t>(band)] - band_left[static_cast<std::size_t>(band)];
  }
};

/// \brief Checks a table for everything that is documented for its members.
///
/// The sum of the weights may differ from 1 by 1e-6. Neighbouring bands may leave a gap or overlap by 1e-3 of their
/// width, because tables print their limits with few digits.
///
/// \param table any
/// \param where begins the message, such as the name of a file; empty: the function
/// \throws parhelion::Error naming the array, the index, the value and what was expected
void validate(NarrowBandTable const& table, std::string const& where = {});

}  // namespace parhelion::monte_carlo

#endif
