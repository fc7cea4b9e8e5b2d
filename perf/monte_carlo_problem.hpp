// SPDX-License-Identifier: BSD-3-Clause
// The problem that the benchmarks of the Monte Carlo solver share: a slab of one metre between black walls of 500 K
// with a parabola of temperatures, of H2O (case 10) where its table is found through $PARHELION_DATA, else grey (case
// 2).
#ifndef PARHELION_PERF_MONTE_CARLO_PROBLEM_HPP
#define PARHELION_PERF_MONTE_CARLO_PROBLEM_HPP

#include <parhelion/core/error.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/io/narrow_band_files.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <iostream>
#include <optional>

namespace parhelion::Perf {

/// The spectrum of H2O, read once; none where the table is not found, which is said once on standard error.
inline std::optional<monte_carlo::Spectrum> const& steam() {
  static std::optional<monte_carlo::Spectrum> spectrum;
  static bool looked = false;
  if (looked) return spectrum;
  looked = true;
  try {
    spectrum = monte_carlo::Spectrum::narrow_band(io::read_narrow_band(io::find_data_file(
        "data of the benchmark", "", {"h2o_nbck.h5", "mc/h2o_nbck.h5"}, "the benchmark then runs on a grey gas")));
    Kokkos::push_finalize_hook([] { spectrum.reset(); });  // it holds arrays of Kokkos
  } catch (Error const& error) {
    std::cerr << "benchmark of the Monte Carlo solver: " << error.what() << '\n';
  }
  return spectrum;
}

inline char const* monte_carlo_case() { return steam() ? "case10" : "case02"; }

inline monte_carlo::Problem monte_carlo_problem(std::array<int, 3> const& cells) {
  return io::built_in_case(monte_carlo_case(), {.cells = cells, .stretch = 0}, steam());
}

}  // namespace parhelion::Perf

#endif
