// SPDX-License-Identifier: BSD-3-Clause
// Reference data of RRTMG_SW as the tests use it.
#ifndef PARHELION_TESTS_SHORTWAVE_REFERENCE_HPP
#define PARHELION_TESTS_SHORTWAVE_REFERENCE_HPP

#include "synthetic_shortwave_coefficients.hpp"

#include <parhelion/fluxes/rrtmg_sw/coefficients.hpp>
#include <parhelion/io/rrtmg_files.hpp>

#include "testing.hpp"

namespace parhelion::Testing {

inline char const* const shortwave_coefficient_file = "rrtmg_lw/RRTMG_SW_DATA.DBL";

/// Shortwave coefficients of the reference data folder, read once.
inline fluxes::ShortwaveCoefficients const& reference_shortwave_coefficients() {
  static fluxes::ShortwaveCoefficients const coefficients(
      io::read_rrtmg_sw_data(reference_data(shortwave_coefficient_file), fluxes::shortwave_record_values(),
                             fluxes::shortwave_record_integers()));
  return coefficients;
}

}  // namespace parhelion::Testing

#endif
