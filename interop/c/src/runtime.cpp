// SPDX-License-Identifier: BSD-3-Clause
// Version, last error, and the beginning and end of Kokkos.
#include "common/objects.hpp"
#include "common/structs.hpp"

#include <parhelion/version.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

namespace parhelion::C {

namespace {

std::mutex running_mutex;
std::atomic<bool> ends_within_a_call = false;
bool is_ours = false;   ///< whether Kokkos was initialized here
bool prepared = false;  ///< whether its end ends the objects

Kokkos::InitializationSettings kokkos_settings(char const* where, parhelion_settings const& settings) {
  Kokkos::InitializationSettings result;
  // Advice about the binding of threads is for benchmarks.
  if (std::getenv("KOKKOS_DISABLE_WARNINGS") == nullptr) result.set_disable_warnings(true);
  if (int const n = choice(where, "threads", settings.threads, 0, max_host_threads); n > 0) result.set_num_threads(n);
  // Kokkos first starts as many threads as OpenMP has, whatever number it is asked for.
  if (int const n = openmp_threads(); n > max_host_threads)
    throw StateError(where,
                     fmt::format("OMP_NUM_THREADS asks for {} threads, expected at most {}", n, max_host_threads));

  int const devices = Kokkos::num_devices();  // -1: the build has none
  int const by = choice(where, "device_by", settings.device_by, PARHELION_DEVICE_BY_RANK, PARHELION_DEVICE_CURRENT);
  if (devices == 0) throw DeviceError(where, "this build of parhelion computes on devices, and there is none here");
  if (settings.device != 0) {
    if (devices < 0)
      throw DeviceError(
          where, fmt::format("device = {} (number {} counted from 0), but this build of parhelion computes on the host "
                             "only",
                             settings.device, settings.device - std::int64_t{1}));
    if (settings.device < 1 || settings.device > devices)
      throw DeviceError(where, fmt::format("device = {} (number {} counted from 0), expected 1 to {}, or 0 for the "
                                           "choice by device_by",
                                           settings.device, settings.device - std::int64_t{1}, devices));
    result.set_device_id(settings.device - 1);
  } else if (devices > 0 && by == PARHELION_DEVICE_CURRENT) {
    if (auto const current = current_device()) result.set_device_id(*current);
  } else if (auto const device = device_of_process(devices)) {
    result.set_device_id(*device);
  }
  return result;
}

/// What parhelion_finalize() does, for programs that end without it: Kokkos would complain on a device. Objects that
/// are in use by another thread keep it alive.
void stop_at_exit() {
  std::unique_lock const lock(running_mutex, std::try_to_lock);
  if (!lock || ends_within_a_call || !is_ours || !Kokkos::is_initialized() || any_object_is_busy()) return;
  outside_parallel_regions([] { Kokkos::finalize(); });
}

void start(char const* where, parhelion_settings const& settings) {
  std::scoped_lock const lock(running_mutex);
  if (Kokkos::is_finalized())
    throw StateError(where, "Kokkos has been finalized, and it can be initialized only once in a process");
  if (!Kokkos::is_initialized()) {
    auto const of_kokkos = kokkos_settings(where, settings);
    outside_parallel_regions([&] { Kokkos::initialize(of_kokkos); });
    is_ours = true;
    // After Kokkos has made what it destroys at the end of the process.
    static_cast<void>(std::atexit(stop_at_exit));
  }
  if (prepared) return;
  Kokkos::push_finalize_hook(end_all_objects);
  prepared = true;
}

void stop(char const* where) {
  std::scoped_lock const lock(running_mutex);
  if (!is_ours || !Kokkos::is_initialized()) return;
  if (any_object_is_busy())
    throw StateError(where, "an object is in use by another thread, expected that all calls have ended");
  outside_parallel_regions([] { Kokkos::finalize(); });
}

}  // namespace

void require_running(char const* where) { start(where, {}); }

void end_without_finalizing() { ends_within_a_call = true; }

}  // namespace parhelion::C

using namespace parhelion;

char const* parhelion_version(void) { return PARHELION_VERSION; }

size_t parhelion_last_error(char* text, size_t size) {
  auto const& message = C::last_message();
  C::write_text(message, text, size);
  return message.size() + 1;
}

int parhelion_initialize(parhelion_settings const* settings) {
  constexpr char const* where = "parhelion_initialize";
  return C::guarded([&] {
    C::start(where, settings == nullptr ? parhelion_settings{} : C::read_struct(where, "settings", settings));
  });
}

int parhelion_finalize(void) {
  return C::guarded([] { C::stop("parhelion_finalize"); });
}
