// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_LW_COEFFICIENTS_HPP
#define PARHELION_FLUXES_RRTMG_LW_COEFFICIENTS_HPP

#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace parhelion::fluxes {

namespace rrtmg_lw {
struct CoefficientTable;
}

/// \brief Absorption coefficients and Planck fractions of RRTMG_LW, reduced from 256 to 140 g-points.
///
/// Built once on the host; copies share their data. Coefficients merge as means with the weights of the original
/// g-points, Planck fractions as sums (Iacono et al. 2008, doi:10.1029/2008JD009944). Empirical factors of g-points are
/// multiplied in.
class Coefficients {
 public:
  /// \param records the 16 records of RRTMG_LW_DATA in file order (see record_values for their sizes)
  /// \param where   opens the messages, such as the name of a file
  /// \throws parhelion::Error when a record has another size, or holds what makes fluxes that cannot be: numbers that
  ///         are negative or not finite, or Planck fractions of a band that do not add up to 1 within 1e-4
  explicit Coefficients(std::array<std::vector<double>, nbnd> const& records,
                        std::string const& where = "RRTMG_LW coefficients");

  /// The reduced coefficients, for parhelion's own sources.
  rrtmg_lw::CoefficientTable const& table() const { return *m_table; }

 private:
  std::shared_ptr<rrtmg_lw::CoefficientTable const> m_table;
};

}  // namespace parhelion::fluxes

#endif
