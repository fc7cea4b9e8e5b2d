// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_GASES_HPP
#define PARHELION_FLUXES_GASES_HPP

#include <optional>
#include <string_view>

namespace parhelion::fluxes {

/// \brief The absorbing gases, in the order in which `Columns::vmr` holds them.
///
/// RRTMG and the simple spectral model know the first `ngas`; ecCKD and RRTMGP those of their files, of all.
enum class Gas : int {
  h2o,
  co2,
  o3,
  n2o,
  co,
  ch4,
  o2,
  ccl4,
  cfc11,
  cfc12,
  cfc22,
  n2,
  hfc143a,
  hfc125,
  hfc23,
  hfc32,
  hfc134a,
  cf4,
  no2
};
inline constexpr int ngas = 11;      ///< of RRTMG
inline constexpr int ngas_all = 19;  ///< all of them

/// The name of a gas in lower case: "h2o".
std::string_view name_of(Gas gas);

/// \brief The gas of a name.
/// \param name in either case: the formula or a name in use, such as "carbon_dioxide", "methane" or "hcfc22"
/// \return nothing where no gas has this name
std::optional<Gas> find_gas(std::string_view name);

}  // namespace parhelion::fluxes

#endif
