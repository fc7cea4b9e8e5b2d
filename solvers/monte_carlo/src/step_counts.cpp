// SPDX-License-Identifier: BSD-3-Clause
#include "step_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace parhelion::monte_carlo::Impl {

namespace {

constexpr int max_steps_of_grid = 4096;

struct Band {
  double emission;  // sum of absorption coefficient times source over its points
  double source;

  double mean() const { return source > 0 ? emission / source : 0; }
};

std::vector<Band> bands_at(Spectrum const& spectrum, double temperature, std::size_t nband) {
  std::vector<Band> bands(nband, Band{0, 0});
  auto const points = static_cast<std::size_t>(spectrum.npoint()) / nband;
  for (std::size_t s = 0; s < points * nband; ++s) {
    auto const point = static_cast<int>(s);
    double const source = spectrum.source(point, temperature);
    bands[s / points].source += source;
    bands[s / points].emission += source * spectrum.absorption(point, temperature);
  }
  return bands;
}

}  // namespace

double absorption_for_steps(Problem const& problem, ProblemNumbers const& numbers, AbsorbedBy by) {
  double const warmest = numbers.temperature.highest;
  if (warmest <= 0) return 0;
  double const amount = numbers.mean_amount;
  if (by == AbsorbedBy::planck) return amount * problem.spectrum.planck_mean(warmest);
  auto const centre = problem.spectrum.band_centres();
  auto const bands = bands_at(problem.spectrum, warmest, centre.size());
  if (by == AbsorbedBy::largest) {
    double largest = 0;
    for (Band const& band : bands) largest = std::max(largest, band.mean());
    return amount * largest;
  }
  double emission = 0;
  double moment = 0;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    emission += bands[i].emission;
    moment += bands[i].emission * centre[i];
  }
  if (emission <= 0) return 0;
  auto const nearest = std::min_element(centre.begin(), centre.end(), [&](double a, double b) {
    return std::abs(a - moment / emission) < std::abs(b - moment / emission);
  });
  return amount * bands[static_cast<std::size_t>(nearest - centre.begin())].mean();
}

std::vector<int> step_counts(Problem const& problem, ProblemNumbers const& numbers, Options const& options,
                             std::vector<double> const& width) {
  std::vector<int> steps;
  if (options.absorbed[0] <= 0) {
    for (std::size_t i = 0; i < width.size(); ++i) steps.push_back(options.first_steps << std::min<std::size_t>(i, 2));
    return steps;
  }
  double const absorption = absorption_for_steps(problem, numbers, options.absorbed_by);
  double before = 0;
  for (std::size_t i = 0; i < width.size() && i + 1 < max_grids && options.absorbed[i] > 0; ++i) {
    double const after = before + options.absorbed[i];
    double const cells = (std::log1p(-before) - std::log1p(-after)) / (absorption * width[i]);
    // At least one step: a ray needs it to leave the cell in which it starts.
    steps.push_back(cells < max_steps_of_grid ? std::max(1, static_cast<int>(cells)) : max_steps_of_grid);
    before = after;
  }
  return steps;
}

}  // namespace parhelion::monte_carlo::Impl
