// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_MODEL_DESCRIPTION_HPP
#define PARHELION_FLUXES_MODEL_DESCRIPTION_HPP

#include <parhelion/fluxes/gas_set.hpp>
#include <parhelion/fluxes/model_sizes.hpp>
#include <parhelion/fluxes/validity.hpp>

#include <string>
#include <utility>
#include <vector>

namespace parhelion::fluxes {

/// The ends of a spectral band [cm-1].
struct BandLimits {
  double wavenumber_low;
  double wavenumber_high;
};

/// \brief What drivers and readers need to know of a model of gas optics.
struct ModelDescription {
  std::string name;  ///< such as "RRTMG_LW"
  ModelSizes sizes = {};
  Validity validity = {};
  std::vector<BandLimits> bands = {};
  GasSet required = {};  ///< gases without which there is no result
  /// Mole fractions of gases that stand for what is not given, where the data have such.
  std::vector<std::pair<Gas, double>> defaults = {};
  GasSet known = {};         ///< gases whose amounts have an effect; what is not given counts as zero
  bool uses_levels = false;  ///< whether it needs the temperatures of levels and none of layers
  // What solvers take as their capacity, see LongwaveCapacity.
  std::vector<int> gpoints = {};
  int angles = 1;
  bool scatters = false;
};

}  // namespace parhelion::fluxes

#endif
