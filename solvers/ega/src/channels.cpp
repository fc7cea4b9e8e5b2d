// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/ega/channels.hpp>
#include <parhelion/ega/jurassic_constants.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace parhelion::ega {

namespace {

// The most points of the uniform grid of a filter: more can only result from wrong nodes.
constexpr double max_points = 1e7;

void check_filter(Filter const& filter, std::string const& where) {
  auto const& nu = filter.wavenumber;
  auto const& weight = filter.weight;
  if (nu.empty() || weight.size() != nu.size())
    throw Error(where, fmt::format("the filter has {} wavenumbers and {} weights, expected as many, at least one",
                                   nu.size(), weight.size()));
  for (std::size_t i = 0; i < nu.size(); ++i) {
    if (!std::isfinite(nu[i]) || !(nu[i] > (i > 0 ? nu[i - 1] : 0)))
      throw Error(where, fmt::format("filter.wavenumber({}) = {} cm-1, expected a finite number above {} cm-1", i,
                                     nu[i], i > 0 ? nu[i - 1] : 0));
    if (!std::isfinite(weight[i]))
      throw Error(where, fmt::format("filter.weight({}) = {}, expected a finite number", i, weight[i]));
  }
}

void check_sum(Filter const& fine, std::string const& where) {
  double sum = 0;
  for (double const weight : fine.weight) sum += weight;
  if (sum == 0) throw Error(where, "the weights of the filter add up to 0, expected another sum");
}

// The filter on the uniform grid of the mean.
Filter resampled(Filter const& filter, std::string const& where) {
  check_filter(filter, where);
  auto const& nu = filter.wavenumber;
  int const n = static_cast<int>(nu.size());
  if (n == 1) {
    check_sum(filter, where);
    return filter;
  }
  double spacing = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < nu.size(); ++i) spacing = std::min(spacing, nu[i] - nu[i - 1]);
  if (!((nu.back() - nu.front()) / spacing < max_points))
    throw Error(where, fmt::format("the filter from {} to {} cm-1 has nodes only {} cm-1 apart, which makes more than "
                                   "{:g} points",
                                   nu.front(), nu.back(), spacing, max_points));
  Filter fine;
  // A running sum, as in JURASSIC: its rounding determines whether the last node is a point.
  for (double at = nu.front(); at <= nu.back(); at += spacing) {
    fine.wavenumber.push_back(at);
    fine.weight.push_back(interpolate(filter.weight.data(), locate(nu.data(), n, at)));
  }
  check_sum(fine, where);
  return fine;
}

double mean_planck(Filter const& fine, double temperature) {
  double sum = 0;
  double sum_of_weights = 0;
  for (std::size_t i = 0; i < fine.wavenumber.size(); ++i) {
    double const nu = fine.wavenumber[i];
    sum += fine.weight[i] * (jurassic_constants::first_radiation * nu * nu * nu /
                             std::expm1(jurassic_constants::second_radiation * nu / temperature));
    sum_of_weights += fine.weight[i];
  }
  return sum / sum_of_weights;
}

}  // namespace

double filtered_planck(Filter const& filter, double temperature) {
  char const* const where = "filtered_planck";
  if (!std::isfinite(temperature) || !(temperature > 0))
    throw Error(where, fmt::format("temperature = {} K, expected a positive finite number", temperature));
  return mean_planck(resampled(filter, where), temperature);
}

std::vector<double> source_table(Filter const& filter, std::string const& where) {
  Filter const fine = resampled(filter, where.empty() ? "source_table" : where);
  constexpr double spacing = (source_last_temperature - source_first_temperature) / (source_temperatures - 1);
  std::vector<double> table(source_temperatures);
  for (int i = 0; i < source_temperatures; ++i)
    table[static_cast<std::size_t>(i)] = mean_planck(fine, source_first_temperature + spacing * i);
  return table;
}

Filter boxcar(double centre, double width) {
  if (!std::isfinite(centre) || !(width > 0) || !(centre - width / 2 > 0))
    throw Error("boxcar", fmt::format("{} cm-1 around {} cm-1, expected a positive width and positive wavenumbers",
                                      width, centre));
  constexpr int half = 100;
  Filter filter;
  for (int i = -half; i <= half; ++i) {
    filter.wavenumber.push_back(centre + width * i / (2 * half));
    filter.weight.push_back(1);
  }
  return filter;
}

}  // namespace parhelion::ega
