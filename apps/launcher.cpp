// SPDX-License-Identifier: BSD-3-Clause
#include "launcher.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace parhelion::Apps {

namespace {

struct Variable {
  char const* name;
  bool counts;  ///< whether its value is the number of processes
};

// Slurm sets its variables for batch scripts, too, but this one only for the processes that srun starts.
constexpr std::array variables{Variable{"OMPI_COMM_WORLD_SIZE", true}, Variable{"PMI_SIZE", true},
                               Variable{"MV2_COMM_WORLD_SIZE", true},  Variable{"JSM_NAMESPACE_SIZE", true},
                               Variable{"SLURM_STEP_NUM_TASKS", true}, Variable{"PMI_RANK", false},
                               Variable{"PMIX_RANK", false},           Variable{"PALS_RANKID", false}};

}  // namespace

Launcher find_launcher() {
  std::string_view const wish = std::getenv("PARHELION_MPI") != nullptr ? std::getenv("PARHELION_MPI") : "";
  if (!wish.empty() && wish != "yes" && wish != "no")
    throw Error("PARHELION_MPI", fmt::format("'{}', expected yes or no", wish));
  Launcher launcher{.there = wish == "yes"};
  if (wish == "no") return launcher;
  for (auto const& [name, counts] : variables) {
    char const* const value = std::getenv(name);
    if (value == nullptr) continue;
    int const number = counts ? std::atoi(value) : 0;
    // srun of one task needs no MPI, and may have been started without its support.
    if (std::string_view(name) == "SLURM_STEP_NUM_TASKS" && number < 2) continue;
    launcher.there = true;
    launcher.processes = std::max(launcher.processes, number);
  }
  return launcher;
}

}  // namespace parhelion::Apps
