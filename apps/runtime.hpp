// SPDX-License-Identifier: BSD-3-Clause
// The start and the end of Kokkos, with settings that were checked: Kokkos itself aborts where they are wrong.
#ifndef PARHELION_APPS_RUNTIME_HPP
#define PARHELION_APPS_RUNTIME_HPP

#include "common_options.hpp"

#include <string>
#include <vector>

namespace parhelion::Apps {

/// Kokkos's OpenMP back end has room for so many.
inline constexpr int most_threads = 512;

/// \brief Checks words of the command line that begin with `--kokkos-`.
/// \throws CLI::ValidationError where Kokkos would not take one, or would abort on it
void check_kokkos_options(std::vector<std::string> const& words);

/// Kokkos runs while this lives.
class Runtime {
 public:
  /// \param options        --threads and --device of the subcommand
  /// \param kokkos_options what check_kokkos_options has checked
  /// \throws CLI::ValidationError where --device, or a variable of the environment that Kokkos reads, is not what
  /// Kokkos
  ///         takes
  Runtime(CommonOptions const& options, std::vector<std::string> const& kokkos_options);
  ~Runtime();
  Runtime(Runtime const&) = delete;
  Runtime& operator=(Runtime const&) = delete;
};

}  // namespace parhelion::Apps

#endif
