// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/process.hpp>

#include "testing.hpp"

#include <map>
#include <optional>
#include <string>

namespace {

using namespace parhelion;

// An environment with nothing else.
Environment environment(std::map<std::string, std::string> const& variables) {
  return [variables](char const* name) {
    auto const found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(Process, RankOnNodeIsThatOfTheLauncher) {
  EXPECT_EQ(rank_on_node(environment({})), std::nullopt);
  for (char const* const name :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
        "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID", "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID"}) {
    EXPECT_EQ(rank_on_node(environment({{name, "3"}})), 3) << name;
    for (char const* const wrong : {"", "-1", "three", "3 ", "99999999999"})
      EXPECT_EQ(rank_on_node(environment({{name, wrong}})), std::nullopt) << name << " = '" << wrong << "'";
  }
  // An mpirun that a task of Slurm starts says more of its processes than Slurm.
  EXPECT_EQ(rank_on_node(environment({{"SLURM_LOCALID", "0"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}})), 2);
}

TEST(Process, DevicesOfANodeAreTakenInTurn) {
  for (int const devices : {1, 2, 4})
    for (int rank = 0; rank < 9; ++rank) {
      auto const launched = environment({{"SLURM_LOCALID", std::to_string(rank)}});
      EXPECT_EQ(device_of_process(devices, std::nullopt, launched), rank % devices);
      // What the caller knows counts more than the environment.
      EXPECT_EQ(device_of_process(devices, rank, environment({{"SLURM_LOCALID", "5"}})), rank % devices);
      EXPECT_EQ(device_of_process(devices, rank, environment({})), rank % devices);
    }
  EXPECT_EQ(device_of_process(4, std::nullopt, environment({})), 0);
}

TEST(Process, NoDeviceIsTakenWhereThereIsNoneOrTheUserChooses) {
  auto const launched = environment({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}});
  for (int const devices : {0, -1}) {  // Kokkos says -1 if it was built for none
    EXPECT_EQ(device_of_process(devices, std::nullopt, launched), std::nullopt);
    EXPECT_EQ(device_of_process(devices, 1, launched), std::nullopt);
  }
  for (char const* const name : {"KOKKOS_DEVICE_ID", "KOKKOS_VISIBLE_DEVICES", "KOKKOS_MAP_DEVICE_ID_BY"}) {
    auto const chosen = environment({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {name, "0"}});
    EXPECT_EQ(device_of_process(4, std::nullopt, chosen), std::nullopt) << name;
    EXPECT_EQ(device_of_process(4, 3, chosen), std::nullopt) << name;
  }
}

}  // namespace
