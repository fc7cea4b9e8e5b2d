// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_MONTE_CARLO_CHECKPOINT_HPP
#define PARHELION_IO_MONTE_CARLO_CHECKPOINT_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>
#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <cstddef>
#include <string>

// HDF5 files from which a Monte Carlo run continues to the same bits: the sums so far, how far the repetitions at hand
// are, and a fingerprint of what they are sums of.
namespace parhelion::io {

/// \brief All that the sums of a run depend on, as names and texts: numbers as they are, arrays as a number that
///        changes with any of their bits.
///
/// Options::rays and repetitions appear as the rays of a repetition alone: a run may be made longer.
Attributes monte_carlo_fingerprint(monte_carlo::Problem const& problem, monte_carlo::Options const& options,
                                   Precision precision);

/// \brief Writes where a run is.
/// \param path        name of the file, replaced at the end if it exists
/// \param checkpoint       the state of the run
/// \param fingerprint of the run, see monte_carlo_fingerprint
/// \throws parhelion::Error where the file cannot be written; the old file, if any, is then still there
void write_monte_carlo_checkpoint(std::string const& path, monte_carlo::Checkpoint const& checkpoint,
                                  Attributes const& fingerprint);

/// \brief Reads where a run was. Shapes are compared before anything large is read.
/// \param path        file to read
/// \param fingerprint of the run that is to continue
/// \param items       cells and faces of walls that it computes; 0: not known
/// \throws parhelion::Error naming the file and what differs where it is of another problem, options or precision, and
///         where something is missing or cannot be
monte_carlo::Checkpoint read_monte_carlo_checkpoint(std::string const& path, Attributes const& fingerprint,
                                                    std::size_t items = 0);

}  // namespace parhelion::io

#endif
