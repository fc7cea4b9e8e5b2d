// SPDX-License-Identifier: BSD-3-Clause
// The options of the subcommand for radiation in a box of gas.
#ifndef PARHELION_APPS_MONTE_CARLO_OPTIONS_HPP
#define PARHELION_APPS_MONTE_CARLO_OPTIONS_HPP

#include "choices.hpp"
#include "common_options.hpp"

#include <parhelion/monte_carlo/options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace parhelion::Apps {

struct MonteCarloArguments {
  std::string input;
  std::string case_name;
  std::string output;
  std::string spectrum;
  std::vector<int> cells{64};
  double stretch = 0;
  monte_carlo::Options options;
  std::vector<double> absorbed;
  bool no_walls = false;
  double target_error = 0;
  std::string checkpoint;
  std::string resume;
  CommonOptions common;

  bool built_in() const { return input.empty(); }
  int rays_per_repetition() const { return options.rays / options.repetitions; }
  std::int64_t rays_of(int repetitions) const { return std::int64_t(rays_per_repetition()) * repetitions; }

  /// Name of the built-in case or of the input file.
  std::string subject() const;
};

extern Choices<monte_carlo::Sampling> const samplings;
extern Choices<monte_carlo::Directions> const directions;
extern Choices<monte_carlo::Reconstruction> const reconstructions;
extern Choices<monte_carlo::CoarseTemperature> const coarse_temperatures;
extern Choices<monte_carlo::RayOrigin> const ray_origins;
extern Choices<monte_carlo::AbsorbedBy> const absorbed_by;
extern Choices<monte_carlo::SpectralOrder> const orders;

/// Adds the options. `arguments` live as long as the command.
void add_monte_carlo_options(CLI::App& command, MonteCarloArguments& arguments);

/// \brief Completes the options of the library, and checks what CLI11 cannot check option by option.
/// \throws CLI::ValidationError
monte_carlo::Options checked_options(MonteCarloArguments const& arguments);

}  // namespace parhelion::Apps

#endif
