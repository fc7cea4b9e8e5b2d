// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_DISTRIBUTED_HPP
#define PARHELION_MONTE_CARLO_DISTRIBUTED_HPP

#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include <mpi.h>

// The library parhelion::monte_carlo_mpi, which is built with PARHELION_ENABLE_MPI.
namespace parhelion::monte_carlo {

/// \brief The part of cells and faces that a rank computes: parts differ by one at most.
/// \param nitem cells and faces of walls
/// \param rank  0 .. size - 1
/// \param size  number of ranks
/// \return begin == end where there are more ranks than items
Share share_of_rank(std::size_t nitem, int rank, int size);

/// \brief compute_sources() by all ranks of a communicator, to the same bits as by one.
///
/// Every rank holds the whole problem, computes its part of cells and faces, and gets all results. Collective: all
/// ranks call it with the same arguments, but for host.execution_space and host.progress, of which that of rank 0 is
/// called. Which device a rank uses is Kokkos's choice, see its option map-device-id-by.
///
/// What one rank throws, be it a refusal, an exception of a callback or of the device, ends the call on all: the others
/// throw an Error that names the rank and holds its message. None is left waiting.
/// \param communicator whose ranks share the work
/// \param problem      gas, walls and spectrum
/// \param options      how rays are drawn and followed
/// \param host         where and for how long; callbacks
/// \param report       filled where it is not null: sums, crossings and repetitions are of all ranks, times and
///                     device_bytes of this one
/// \throws parhelion::Error where problem or options are refused, where another rank failed, or where MPI fails
HostResults compute_distributed(MPI_Comm communicator, Problem const& problem, Options const& options,
                                HostMonteCarloOptions const& host = {}, HostMonteCarloReport* report = nullptr);

/// \brief Completes results of solvers that each have a share, for programs that keep their Solver.
///
/// Collective: every rank has fetched the cells and faces of share_of_rank, of all in the results, into arrays of the
/// same extents.
/// \param communicator whose ranks share the work
/// \param results      of this rank; completed on root
/// \param root         the rank that gets the results; -1: all
/// \throws parhelion::Error where MPI fails
void gather_results(MPI_Comm communicator, HostResults const& results, int root = -1);

}  // namespace parhelion::monte_carlo

#endif
