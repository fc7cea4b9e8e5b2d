// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_PREPARED_PROBLEM_HPP
#define PARHELION_EGA_PREPARED_PROBLEM_HPP

#include "host_forward.hpp"

namespace parhelion::ega {

struct PreparedProblem::Content {
  Problem problem;       ///< stores tables in host memory until they are on the device
  TableProvider tables;  ///< the original provider
  HostEgaOptions options;
  Impl::KeptModel kept;
  Impl::KeptModel kept_in_double;  ///< for differences if the options ask for single precision

  /// Frees the host memory of tables that are on the device.
  void forget_tables() {
    if (kept.models.has_value() || kept_in_double.models.has_value()) problem.tables = tables;
  }
};

struct Impl::PreparedAccess {
  using Content = PreparedProblem::Content;
  static Content& content(PreparedProblem const& prepared) { return *prepared.m_content; }
};

}  // namespace parhelion::ega

#endif
