// SPDX-License-Identifier: BSD-3-Clause
// The plan of a subcommand: what it is going to do and the memory that it needs.
#ifndef PARHELION_APPS_PLAN_HPP
#define PARHELION_APPS_PLAN_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::Apps {

struct Plan {
  std::string subject;  ///< what is computed: "a.nc: 100 columns of 60 layers, RRTMG_LW gas optics"
  std::string space;    ///< execution space
  int devices = 1;      ///< number of devices
  std::string chunks;   ///< how the work is divided: "3 chunks of 1024 columns in flight on each device"
  std::size_t host_bytes =
      0;  ///< host memory in addition to the input; includes that of the solver if the host computes
  std::size_t device_bytes = 0;                                  ///< memory of each device; 0 if the host computes
  std::string advice;                                            ///< how to make it fit: "a smaller --chunk"
  std::vector<std::pair<std::string, std::string>> others = {};  ///< further lines: name, value
};

/// \brief Refuses a plan that does not fit into the memory that this process may use; collective.
///
/// The host memory is that of all ranks of this machine together, and the device memory that of the ranks that share a
/// device. A rank that has nothing to do has an empty plan.
/// \throws parhelion::Error with the memory that is needed and available, and the advice
void check_memory(Plan const& plan);

/// The same for this rank alone, where ranks do not check at the same time.
void check_memory_of_rank(Plan const& plan);

/// Prints the plan, for --dry-run.
void print_plan(Plan const& plan);

}  // namespace parhelion::Apps

#endif
