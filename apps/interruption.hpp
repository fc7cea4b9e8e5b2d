// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_APPS_INTERRUPTION_HPP
#define PARHELION_APPS_INTERRUPTION_HPP

#include <csignal>

#include <array>

namespace parhelion::Apps {

/// \brief During the lifetime of this object, the first SIGINT or SIGTERM is only recorded, so that a calculation can
/// be
///        saved. Another one, two seconds later or more, ends the program as usual.
///
/// Before work_begins() there is nothing to save, and the first signal ends the program.
class InterruptionGuard {
 public:
  InterruptionGuard();
  ~InterruptionGuard();
  InterruptionGuard(InterruptionGuard const&) = delete;
  InterruptionGuard& operator=(InterruptionGuard const&) = delete;

  void work_begins();
  bool interrupted() const;

 private:
  static constexpr std::array<int, 2> signals{SIGINT, SIGTERM};
  std::array<struct sigaction, 2> m_before{};
};

}  // namespace parhelion::Apps

#endif
