// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_MACHINE_HPP
#define PARHELION_CORE_MACHINE_HPP

#include <parhelion/core/types.hpp>

/// \file
/// The one table of what differs between machines. Solvers take these numbers from MachineTraits, so that a new kind of
/// device needs an entry here and no change there. A multiprocessor is what CUDA calls by this name, and a compute unit
/// of AMD.
namespace parhelion {

/// \brief NVIDIA, from Volta on.
///
/// The solvers were tuned and measured with these numbers on an H200 (compute capability 9.0).
struct NvidiaGpu {
  /// Threads that run in step: a warp. Team sizes and vector lengths are multiples of it.
  static constexpr int lanes = 32;
  /// Most threads that a multiprocessor holds at a time, of which Kokkos' concurrency() is the sum (CUDA C++
  /// Programming Guide, table of technical specifications: 2048 for 7.0, 8.0 and 9.0; 8.6 and 8.9 have 1536).
  static constexpr int resident_threads = 2048;
  /// Registers of 32 bits of a multiprocessor (same table).
  static constexpr int registers = 65536;
  /// Scratch of a team that every device of the kind has without a special request (same table, shared memory of a
  /// block).
  static constexpr int team_scratch_bytes = 48 * 1024;
  /// Scratch of a multiprocessor that its teams can share: of the 228 kB of an H200, what is left after 1 kB for each
  /// of eight teams, and rounded down. Devices with less (164 kB on an A100) hold fewer teams at a time.
  static constexpr int scratch_bytes = 208 * 1024;
  /// Bytes of the vectors that a thread computes with; 0: it computes with single numbers.
  static constexpr int vector_bytes = 0;
};

/// \brief AMD Instinct (MI200, MI300).
///
/// From AMD's CDNA 3 instruction set architecture guide. Nothing was measured on these devices.
struct AmdGpu {
  static constexpr int lanes = 64;                      ///< a wavefront
  static constexpr int resident_threads = 2048;         ///< 8 wavefronts on each of 4 vector units
  static constexpr int registers = 131072;              ///< 512 for each lane of 4 vector units
  static constexpr int team_scratch_bytes = 64 * 1024;  ///< LDS
  static constexpr int scratch_bytes = 64 * 1024;       ///< the same LDS, which the teams of a compute unit share
  static constexpr int vector_bytes = 0;
};

/// Devices without an entry of their own: cautious numbers, with which kernels run but were not measured.
struct OtherDevice {
  static constexpr int lanes = 32;
  static constexpr int resident_threads = 1024;
  static constexpr int registers = 65536;
  static constexpr int team_scratch_bytes = 32 * 1024;
  static constexpr int scratch_bytes = 64 * 1024;
  static constexpr int vector_bytes = 0;
};

/// \brief The cores of a host: a team is one thread, whose lanes are those of its vector registers.
///
/// The vectors are those of AVX-512; where the instruction set has shorter ones, compilers take two or four for each.
/// Neither registers nor residency limits the number of teams.
struct HostCores {
  static constexpr int lanes = 1;
  static constexpr int resident_threads = 1;
  static constexpr int registers = 65536;
  static constexpr int team_scratch_bytes = 32 * 1024;  ///< the nearest cache
  static constexpr int scratch_bytes = 32 * 1024;
  static constexpr int vector_bytes = 64;
};

/// \brief The entry of an execution space in the table.
///
/// Members: lanes, resident_threads, registers, team_scratch_bytes, scratch_bytes, vector_bytes; see NvidiaGpu.
template <KokkosExecutionSpace ExecutionSpace>
struct MachineTraits : std::conditional_t<runs_on_host<ExecutionSpace>, HostCores, OtherDevice> {};
#if defined(KOKKOS_ENABLE_CUDA)
template <>
struct MachineTraits<Kokkos::Cuda> : NvidiaGpu {};
#endif
#if defined(KOKKOS_ENABLE_HIP)
template <>
struct MachineTraits<Kokkos::HIP> : AmdGpu {};
#endif

/// \brief Teams that fit a multiprocessor at a time as registers go.
///
/// It is the second number of Kokkos::LaunchBounds, by which the compiler limits the registers of a thread.
///
/// \tparam Machine   an entry of the table
/// \param  threads   of a team
/// \param  registers that a thread may use; more of them spill to memory, fewer threads hide less latency
template <class Machine>
constexpr int teams_per_multiprocessor(int threads, int registers) {
  // One after the other: their product may exceed what an int holds.
  int const by_registers = Machine::registers / threads / registers;
  int const by_threads = Machine::resident_threads / threads;
  int const teams = by_registers < by_threads ? by_registers : by_threads;
  return teams > 1 ? teams : 1;
}

}  // namespace parhelion

#endif
