// SPDX-License-Identifier: BSD-3-Clause
// Variables that all results for the rays of an observation have.
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
