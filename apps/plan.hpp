// SPDX-License-Identifier: BSD-3-Clause
// What a subcommand is going to do and the memory that it takes, known before it begins.
#ifndef PARHELION_APPS_PLAN_HPP
#define PARHELION_APPS_PLAN_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::Apps {

struct Plan {
  std::string subject;         ///< what is computed of what: "a.nc: 100 columns of 60 layers, RRTMG_LW gas optics"
  std::string space;           ///< execution space
  int devices = 1;             ///< of that space
  std::string chunks;          ///< how the work is divided: "3 chunks of 1024 columns in flight on each device"
  std::size_t host_bytes = 0;  ///< of host memory, beside what the input takes already; with what the host computes on
  std::size_t device_bytes = 0;                                  ///< of each device's memory; 0 where the host computes
  std::string advice;                                            ///< what makes it fit: "a smaller --chunk"
  std::vector<std::pair<std::string, std::string>> others = {};  ///< further lines: what, value
};

/// \brief Refuses a plan that does not fit into the memory that this process may use.
/// \throws parhelion::Error with what is needed, what there is, and the advice
void check_memory(Plan const& plan);

/// What --dry-run prints.
void print_plan(Plan const& plan);

}  // namespace parhelion::Apps

#endif
