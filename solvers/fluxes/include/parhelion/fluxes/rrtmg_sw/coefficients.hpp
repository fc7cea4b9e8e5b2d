// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_SW_COEFFICIENTS_HPP
#define PARHELION_FLUXES_RRTMG_SW_COEFFICIENTS_HPP

#include <parhelion/fluxes/rrtmg_sw/bands.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace parhelion::fluxes {

namespace rrtmg_sw {
struct CoefficientTable;
}

/// \brief Absorption and Rayleigh coefficients and solar spectra of RRTMG_SW, reduced from 224 to 112 g-points.
///
/// Built once on the host; copies share their data. Coefficients merge as means with the weights of the original
/// g-points, solar irradiances as sums (Iacono et al. 2008, doi:10.1029/2008JD009944).
class ShortwaveCoefficients {
 public:
  /// \param records the real numbers of the 14 records of RRTMG_SW_DATA in file order (see shortwave_record_values)
  /// \param where   opens the messages, such as the name of a file
  /// \throws parhelion::Error when a record has another size, or holds numbers that are negative or not finite
  explicit ShortwaveCoefficients(std::array<std::vector<double>, nbnd_sw> const& records,
                                 std::string const& where = "RRTMG_SW coefficients");

  /// The reduced coefficients, for parhelion's own sources.
  rrtmg_sw::CoefficientTable const& table() const { return *m_table; }

 private:
  std::shared_ptr<rrtmg_sw::CoefficientTable const> m_table;
};

}  // namespace parhelion::fluxes

#endif
