// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_MISSING_VALUE_HPP
#define PARHELION_FLUXES_MISSING_VALUE_HPP

namespace parhelion::fluxes::Impl {

/// Beyond any physical quantity in tables of gas optics; files have such numbers where one is missing.
inline constexpr double missing_from = 1e30;

}  // namespace parhelion::fluxes::Impl

#endif
