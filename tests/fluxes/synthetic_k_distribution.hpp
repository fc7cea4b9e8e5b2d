// SPDX-License-Identifier: BSD-3-Clause
// Small k-distributions of RRTMGP's kind with other dimensions than the distributed ones.
#ifndef PARHELION_TESTS_SYNTHETIC_K_DISTRIBUTION_HPP
#define PARHELION_TESTS_SYNTHETIC_K_DISTRIBUTION_HPP

#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace parhelion::Testing {

/// Numbers between 0 and 1 that are the same everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : m_state(seed) {}
  double operator()() {
    m_state = m_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(m_state >> 11) * 0x1p-53;
  }
  /// Evenly spread in the logarithm.
  double between(double low, double high) { return low * std::pow(high / low, (*this)()); }

 private:
  std::uint64_t m_state;
};

/// \brief A k-distribution of 6 gases, of which parhelion does not know one, and 5 bands.
///
/// It has a band of more g-points than 16 and one of a single g-point, a key species beside dry air, bands without key
/// species, an even number of mixing fractions, minor intervals in parts of bands, and their contributors in an order
/// of their own.
inline fluxes::rrtmgp::KDistribution synthetic_k_distribution(bool longwave) {
  using fluxes::rrtmgp::KDistribution;
  Numbers numbers(longwave ? 1 : 2);
  KDistribution k;
  k.file = "synthetic.nc";
  k.gases = {"o3", "h2o", "so2", "ch4", "co2", "n2o"};
  k.identifiers = {{"h2o_self", "h2o"}, {"h2o_frgn", "h2o"}, {"n2o", "n2o"},
                   {"so2", "so2"},      {"o3", "o3"},        {"co2", "co2"}};
  k.bands = {{{{{2, 5}, {2, 2}}}, 1, 3, 10, 300},
             {{{{0, 0}, {1, 5}}}, 4, 20, 300, 900.5},
             {{{{5, 5}, {0, 0}}}, 21, 21, 900.5, 1500},
             {{{{4, 2}, {4, 0}}}, 22, 30, 1500, 1900},
             {{{{2, 4}, {1, 1}}}, 31, 36, 1900, 2900}};
  if (!longwave)
    for (auto& band : k.bands) {
      band.wavenumber_low *= 10;
      band.wavenumber_high *= 10;
    }
  k.ngpoint = 36;
  k.nmixing = 4;
  for (int i = 0; i < 12; ++i) k.pressure.push_back(1.1e5 * std::exp(-0.7 * i));
  k.tropopause_pressure = k.pressure[4];
  for (int i = 0; i < 5; ++i) k.temperature.push_back(170 + 37.5 * i);

  for (int t = 0; t < 5; ++t)
    for (int gas = 0; gas < 7; ++gas)
      for (int half = 0; half < 2; ++half) k.vmr.push_back(gas == 0 ? 1 : numbers.between(1e-7, 1e-3));
  auto const fill = [&](std::vector<double>& values, std::size_t n, double low, double high) {
    for (std::size_t i = 0; i < n; ++i) values.push_back(numbers.between(low, high));
  };
  std::size_t const of_major = 5 * 13 * 4 * 36;
  fill(k.major, of_major, 1e-22, 1e-20);
  // Bands without key species have coefficients of zero.
  for (std::size_t row = 0; row < of_major / 36; ++row) {
    std::size_t const pressure = row / 4 % 13;
    for (std::size_t g = 0; g < 36; ++g)
      if ((g >= 3 && g < 20 && pressure <= 4) || (g == 20 && pressure > 4)) k.major[row * 36 + g] = 0;
  }
  k.minor[0].intervals = {{"h2o_self", "h2o", 1, 3, 1, 0, 30}, {"h2o_frgn", "h2o", 4, 12, 1, 1, 1},
                          {"n2o", "h2o", 6, 20, 0, 1, 10},     {"co2", "n2o", 21, 21, 1, 0, 25},
                          {"so2", "", 22, 30, 0, 0, 33},       {"o3", "", 25, 28, 1, 1, 26},
                          {"n2o", "co2", 31, 36, 1, 1, 42},    {"h2o_frgn", "h2o", 33, 34, 1, 1, 48}};
  k.minor[0].ncontributor = 50;
  k.minor[1].intervals = {{"o3", "", 2, 2, 0, 0, 4}, {"n2o", "o3", 5, 7, 1, 0, 1}, {"co2", "", 26, 30, 1, 0, 5}};
  k.minor[1].ncontributor = 9;
  for (auto& minor : k.minor)
    fill(minor.coefficients, static_cast<std::size_t>(5 * 4 * minor.ncontributor), 1e-24, 1e-22);
  if (longwave) {
    k.nplanck = 61;
    for (int b = 0; b < 5; ++b)
      for (int i = 0; i < k.nplanck; ++i) k.planck.push_back((b + 1) * std::exp(0.03 * i));
    fill(k.planck_fraction, of_major, 0.01, 1);
    fill(k.angle_fit, 10, 0.1, 1.6);
  } else {
    fill(k.rayleigh[0], 5 * 4 * 36, 1e-27, 1e-25);
    fill(k.rayleigh[1], 5 * 4 * 36, 1e-27, 1e-25);
    fill(k.solar_quiet, 36, 1, 60);
    fill(k.solar_facular, 36, 0.01, 1);
    fill(k.solar_sunspot, 36, 0.01, 1);
    for (double& value : k.solar_sunspot) value = -value;
    k.mg_default = 0.1567652;
    k.sb_default = 902.7126;
  }
  return k;
}

/// The same with its first four bands as one, whose layers then have the key species of the first.
inline fluxes::rrtmgp::KDistribution k_distribution_of_two_bands(bool longwave) {
  auto k = synthetic_k_distribution(longwave);
  k.bands[0].last_gpoint = k.bands[3].last_gpoint;
  k.bands[0].wavenumber_high = k.bands[3].wavenumber_high;
  k.bands.erase(k.bands.begin() + 1, k.bands.begin() + 4);
  if (longwave) {
    k.planck.erase(k.planck.begin() + k.nplanck, k.planck.begin() + 4 * k.nplanck);
    k.angle_fit.erase(k.angle_fit.begin() + 2, k.angle_fit.begin() + 8);
  }
  return k;
}

}  // namespace parhelion::Testing

#endif
