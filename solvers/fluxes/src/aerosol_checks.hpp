// SPDX-License-Identifier: BSD-3-Clause
// Checks of the aerosol of a call, of which kinds and types are numbers that name it.
#ifndef PARHELION_FLUXES_AEROSOL_CHECKS_HPP
#define PARHELION_FLUXES_AEROSOL_CHECKS_HPP

#include "call_kinds.hpp"

#include <parhelion/core/host_threads.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/longwave_arrays.hpp>
#include <parhelion/fluxes/shortwave_arrays.hpp>

#include <cstddef>

namespace parhelion::fluxes::Impl {

/// Refuses unknown kinds of aerosol, and those of which there are no arrays.
void check_aerosol_input(char const* where, ShortwaveArrays const& input);
void check_aerosol_input(char const* where, LongwaveArrays const& input);

/// Refuses unknown types of aerosol.
void check_aerosol_types(char const* where, ColumnArrays const& input);

/// \brief Sizes of aerosol for which the model has no properties: counts those that will be clipped.
/// \param where opens messages
/// \param range of the model
/// \param clips whether others than those that are not finite will be
/// \throws parhelion::Error where there are others
template <class Real>
std::size_t check_aerosol_sizes(char const* where, ColumnArrays const& input, SizeRange const& range, bool clips);

/// Sizes of aerosol with those that are out of a range at its nearest end.
template <class Real>
Array<Real**, Host> clipped_aerosol_sizes(HostThreads const& threads, ColumnArrays const& input,
                                          SizeRange const& range);

/// Refuses aerosol by type that is not complete.
void check_aerosol_parts(char const* where, ColumnArrays const& input);

}  // namespace parhelion::fluxes::Impl

#endif
