// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/machine.hpp>

#include "testing.hpp"

#include <type_traits>

namespace {

using namespace parhelion;

template <class Machine>
void expect_sensible() {
  EXPECT_GE(Machine::lanes, 1);
  EXPECT_EQ(Machine::resident_threads % Machine::lanes, 0);
  EXPECT_GE(Machine::scratch_bytes, Machine::team_scratch_bytes);
  // A kernel that leaves nothing to another one may have 255 registers a thread, and one team of a few lanes always
  // fits.
  EXPECT_GE(teams_per_multiprocessor<Machine>(4 * Machine::lanes, 128), 1);
  EXPECT_EQ(teams_per_multiprocessor<Machine>(Machine::resident_threads, 1 << 20), 1);
}

TEST(MachineTraits, EntriesAreSensible) {
  expect_sensible<NvidiaGpu>();
  expect_sensible<AmdGpu>();
  expect_sensible<OtherDevice>();
  expect_sensible<HostCores>();
}

// The kernels were measured with these on an H200: teams of so many threads, registers of a thread.
TEST(MachineTraits, TeamsOfNvidiaAreThoseThatWereMeasured) {
  struct Case {
    int threads, registers, teams;
  };
  for (auto const& [threads, registers, teams] :
       {Case{320, 96, 2}, Case{400, 80, 2}, Case{320, 64, 3}, Case{128, 96, 5}, Case{128, 128, 4}, Case{128, 80, 6},
        Case{128, 64, 8}})
    EXPECT_EQ(teams_per_multiprocessor<NvidiaGpu>(threads, registers), teams) << threads << ", " << registers;
  EXPECT_EQ(NvidiaGpu::scratch_bytes / teams_per_multiprocessor<NvidiaGpu>(128, 64), 26 * 1024);
}

TEST(MachineTraits, HostsAreHosts) {
  EXPECT_TRUE((std::is_base_of_v<HostCores, MachineTraits<Kokkos::DefaultHostExecutionSpace>>));
}

}  // namespace
