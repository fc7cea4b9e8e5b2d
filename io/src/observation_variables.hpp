// SPDX-License-Identifier: BSD-3-Clause
// What all results have that are over the rays of an observation.
#ifndef PARHELION_IO_OBSERVATION_VARIABLES_HPP
#define PARHELION_IO_OBSERVATION_VARIABLES_HPP

#include <parhelion/ega/observation.hpp>
#include <parhelion/io/hdf5.hpp>

#include <vector>

namespace parhelion::io {

/// Adds `wavenumber` [cm-1] over the dimension channel and `time` over the dimension ray, which are there.
void write_channels_and_times(NetcdfWriter& file, std::vector<double> const& wavenumber,
                              ega::HostObservation const& observation);

}  // namespace parhelion::io

#endif
