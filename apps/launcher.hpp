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

}  // namespace parhelion::Apps

#endif
