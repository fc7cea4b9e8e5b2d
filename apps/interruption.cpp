// SPDX-License-Identifier: BSD-3-Clause
#include "interruption.hpp"

#include "commands.hpp"
#include "ranks.hpp"

#include <unistd.h>

#include <cstddef>
#include <ctime>

namespace parhelion::Apps {

namespace {

volatile std::sig_atomic_t signal_number = 0;
volatile std::sig_atomic_t signal_second = 0;  // time of a monotonic clock at which it arrived
volatile std::sig_atomic_t preparing = 0;      // no ray has been followed yet

// Programs that end a whole process group may send the same signal twice within an instant.
void record_signal(int number) {
  if (preparing != 0) {
    constexpr char text[] = "parhelion: interrupted before the first ray\n";
    if (ranks().first()) [[maybe_unused]]
      auto const written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(exit_interrupted);
  }
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  auto const second = static_cast<std::sig_atomic_t>(now.tv_sec);
  if (signal_number == 0) {
    signal_number = number;
    signal_second = second;
  } else if (second - signal_second > 1) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

InterruptionGuard::InterruptionGuard() {
  signal_number = 0;
  preparing = 1;
  struct sigaction action {};
  action.sa_handler = record_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &m_before[i]);
}

InterruptionGuard::~InterruptionGuard() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &m_before[i], nullptr);
}

void InterruptionGuard::work_begins() { preparing = 0; }

bool InterruptionGuard::interrupted() const { return signal_number != 0; }

}  // namespace parhelion::Apps
