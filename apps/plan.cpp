// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include "ranks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>
#include <Kokkos_Core.hpp>

#include <algorithm>

namespace parhelion::Apps {

namespace {

std::string advice_of(Plan const& plan) { return plan.advice.empty() ? "" : plan.advice + " makes it fit"; }

}  // namespace

void check_memory_of_rank(Plan const& plan) {
  require_host_memory(plan.subject, plan.host_bytes, advice_of(plan));
  if (plan.device_bytes == 0) return;
  with_execution_space(plan.space, [&](auto const& space) {
    auto const left = available_device_memory(space);
    if (plan.device_bytes > left)
      throw Error(plan.subject,
                  fmt::format("needs {} of memory on a device, of which {} are free{}{}", bytes_text(plan.device_bytes),
                              bytes_text(left), plan.advice.empty() ? "" : "; ", advice_of(plan)));
  });
}

void check_memory(Plan const& own) {
  auto const& all = ranks();
  auto plan = own;
  plan.host_bytes = static_cast<std::size_t>(all.sum_on_machine(static_cast<double>(own.host_bytes)));
  if (all.several()) {
    int const devices = std::max(1, Kokkos::num_devices());
    plan.device_bytes *= static_cast<std::size_t>((all.local_size() + devices - 1) / devices);
  }
  all.collectively([&] {
    if (!plan.space.empty()) check_memory_of_rank(plan);
  });
}

void print_plan(Plan const& plan) {
  fmt::print("{}\n", plan.subject);
  auto const line = [](std::string const& what, std::string const& value) { fmt::print("  {:<16} {}\n", what, value); };
  if (ranks().several()) line("ranks", fmt::format("{}, of which the first has this plan", ranks().size()));
  line("execution space", plan.space);
  if (plan.device_bytes > 0) line("devices", fmt::format("{}", plan.devices));
  if (!plan.chunks.empty()) line("chunks", plan.chunks);
  for (auto const& [what, value] : plan.others) line(what, value);
  line("host memory",
       fmt::format("{} of {} available", bytes_text(plan.host_bytes), bytes_text(available_host_memory())));
  if (plan.device_bytes > 0) line("device memory", fmt::format("{} on each device", bytes_text(plan.device_bytes)));
  fmt::print("  nothing computed, nothing written (--dry-run)\n");
}

}  // namespace parhelion::Apps
