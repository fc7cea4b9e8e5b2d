// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_DISTRIBUTED_HPP
#define PARHELION_MONTE_CARLO_DISTRIBUTED_HPP

#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include <mpi.h>

// The library parhelion::monte_carlo_mpi, which is built with PARHELION_ENABLE_MPI.
namespace parhelion::monte_carlo {

/// \brief The cells and faces that a rank computes. Their numbers differ by at most one between ranks.
/// \param nitem cells and faces of walls
/// \param rank  0 .. size - 1
/// \param size  number of ranks
/// \return a range that is empty (begin == end) if there are more ranks than items
ItemRange items_of_rank(std::size_t nitem, int rank, int size);

/// \brief compute_sources() on all ranks of a communicator, with the same bits as on one.
///
/// Every rank has the whole problem, computes its part of the cells and faces, and gets all results. Collective: all
/// ranks call it with the same arguments, except for host.space and host.progress, of which that of rank 0 is called.
/// Kokkos chooses the device of a rank, see its option map-device-id-by.
///
/// If one rank throws, because of bad input, in a callback or on the device, the call ends on all ranks: the others
/// throw an Error that names the rank and repeats its message. No rank is left waiting.
///
/// \param communicator whose ranks share the work
/// \param problem      gas, walls and spectrum
/// \param options      how rays are drawn and followed
/// \param host         execution space, precision, devices of each rank, target and callbacks
/// \param report       filled unless it is nullptr: sums, crossings and repetitions are those of all ranks, times,
///                     devices and device_bytes those of this one
/// \throws parhelion::Error where problem or options are refused, where another rank failed, or where MPI fails
HostResults compute_distributed(MPI_Comm communicator, Problem const& problem, Options const& options,
                                HostMonteCarloOptions const& host = {}, HostMonteCarloReport* report = nullptr);

/// \brief Completes results of solvers that each compute a range of items, for programs that use solvers themselves.
///
/// Collective: every rank has fetched the range of items_of_rank() into result arrays of the same extents. Errors of
/// averages over planes stay as they are: a rank knows them if its repetitions were completed with the sums of
/// ReciprocalMonteCarlo::plane_averages() over all ranks.
/// \param communicator whose ranks share the work
/// \param results      of this rank; completed on root
/// \param root         the rank that gets the results; -1: all
/// \throws parhelion::Error where MPI fails
void gather_results(MPI_Comm communicator, HostResults const& results, int root = -1);

}  // namespace parhelion::monte_carlo

#endif
