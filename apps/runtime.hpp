// SPDX-License-Identifier: BSD-3-Clause
// Initializes and finalizes Kokkos, with checked settings: Kokkos itself aborts if they are wrong.
#ifndef PARHELION_APPS_RUNTIME_HPP
#define PARHELION_APPS_RUNTIME_HPP

#include "common_options.hpp"

#include <string>
#include <vector>

namespace parhelion::Apps {

/// The largest number of threads of Kokkos's OpenMP back end.
inline constexpr int max_threads = 512;

/// \brief Checks words of the command line that begin with `--kokkos-`.
/// \throws CLI::ValidationError where Kokkos would not accept one, or would abort
void check_kokkos_options(std::vector<std::string> const& words);

/// \brief Warns in one line where the ranks of a machine have more threads than it has cores, if these compute;
///        collective. Kokkos is initialized.
void warn_of_too_many_threads(CommonOptions const& options);

/// Kokkos is initialized during the lifetime of this object.
class Runtime {
 public:
  /// \param options        --threads and --device of the subcommand
  /// \param kokkos_options checked by check_kokkos_options
  /// \throws CLI::ValidationError where Kokkos would not accept --device or one of its environment variables, and where
  ///         several ranks are to have several devices each
  Runtime(CommonOptions const& options, std::vector<std::string> const& kokkos_options);
  ~Runtime();
  Runtime(Runtime const&) = delete;
  Runtime& operator=(Runtime const&) = delete;
};

}  // namespace parhelion::Apps

#endif
