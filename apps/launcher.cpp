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

// "yes", "no", or empty where the variable is not set.
std::string_view wish_of(char const* variable) {
  char const* const value = std::getenv(variable);
  std::string_view const wish = value != nullptr ? value : "";
  if (!wish.empty() && wish != "yes" && wish != "no")
    throw Error(variable, fmt::format("'{}', expected yes or no", wish));
  return wish;
}

}  // namespace

Launcher find_launcher() {
  auto const wish = wish_of("PARHELION_MPI");
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

bool use_parallel_hdf5(bool parallel) {
  constexpr char const* variable = "PARHELION_PARALLEL_HDF5";
  auto const wish = wish_of(variable);
  if (wish == "yes" && !parallel)
    throw Error(variable,
                "'yes', expected no: this program was built without MPI, or with an HDF5 that is not parallel");
  return parallel && wish != "no";
}

}  // namespace parhelion::Apps
