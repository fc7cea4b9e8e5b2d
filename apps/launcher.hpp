// SPDX-License-Identifier: BSD-3-Clause
// What the environment says of a launcher such as mpiexec or srun.
#ifndef PARHELION_APPS_LAUNCHER_HPP
#define PARHELION_APPS_LAUNCHER_HPP

namespace parhelion::Apps {

struct Launcher {
  bool there = false;  ///< whether a launcher has started this process
  int processes = 0;   ///< how many it has started; 0 where that is not known
};

/// \brief Looks for the variables of Open MPI, MPICH and its kin, PMIx, Slurm's srun, PALS and jsrun.
///
/// The variable PARHELION_MPI overrides them: `no` for programs that a process of an MPI job starts by itself, `yes`
/// for launchers that are not known. \throws parhelion::Error where PARHELION_MPI is something else
Launcher find_launcher();

/// \brief Whether ranks write a file together through a parallel HDF5, from the variable PARHELION_PARALLEL_HDF5: `no`
///        lets the first one write what it gathers, `yes` refuses to do so.
/// \param parallel whether this program has MPI and a parallel HDF5, which is also the answer without the variable
/// \throws parhelion::Error where the variable is something else, or `yes` without a parallel HDF5
bool use_parallel_hdf5(bool parallel);

}  // namespace parhelion::Apps

#endif
