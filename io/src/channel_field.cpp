// SPDX-License-Identifier: BSD-3-Clause
#include "channel_field.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parhelion::io::Impl {

namespace {

using Complex = std::complex<double>;

constexpr int nmode = 160;
constexpr double smallest_wavenumber = 1.5;  // [m-1]: eddies of twice the height
constexpr double largest_wavenumber = 60;    // [m-1]: eddies of 0.1 m
constexpr double standard_deviation = 35;    // of the sum of modes far from walls [K]

// The same numbers everywhere, which those of <random> are not: Steele, Lea & Flood (2014),
// doi:10.1145/2660193.2660195.
class Random {
 public:
  // In [0, 1).
  double next() {
    m_state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = m_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t m_state = 2019;
};

struct Mode {
  double wavenumber[3];  // along x and z whole multiples of what the period asks for [m-1]
  double phase;
  double amplitude;  // [K]
};

std::vector<Mode> make_modes() {
  Random random;
  std::vector<Mode> modes;
  double variance = 0;
  double const step_x = 2 * std::numbers::pi / channel_length;
  double const step_z = 2 * std::numbers::pi / channel_width;
  for (int m = 0; m < nmode; ++m) {
    // Equidistant in the logarithm: a mode stands for a width k of the spectrum k^(-5/3).
    double const k = smallest_wavenumber * std::pow(largest_wavenumber / smallest_wavenumber, (m + 0.5) / nmode);
    double const cosine = 2 * random.next() - 1;
    double const azimuth = 2 * std::numbers::pi * random.next();
    double const across = k * std::sqrt(1 - cosine * cosine);
    Mode mode{};
    mode.wavenumber[0] = step_x * std::round(across * std::cos(azimuth) / step_x);
    mode.wavenumber[1] = k * cosine;
    mode.wavenumber[2] = step_z * std::round(across * std::sin(azimuth) / step_z);
    mode.phase = 2 * std::numbers::pi * random.next();
    mode.amplitude = std::pow(k, -1. / 3);
    variance += mode.amplitude * mode.amplitude / 2;
    modes.push_back(mode);
  }
  for (auto& mode : modes) mode.amplitude *= standard_deviation / std::sqrt(variance);
  return modes;
}

double mean_at(double y) {
  // Wall distance times a friction Reynolds number of 400 times von Karman's constant.
  constexpr double steepness = 160;
  double const from_wall = std::min(y, channel_height - y);
  double const share = std::log1p(steepness * from_wall) / std::log1p(steepness * channel_height / 2);
  constexpr double half = (channel_hot - channel_cold) / 2;
  return 2 * y < channel_height ? channel_hot - half * share : channel_cold + half * share;
}

// 0 at the walls, 1 over most of the channel.
double envelope_at(double y) {
  double const across = 2 * y / channel_height - 1;
  double const fourth = across * across * across * across;
  return 1 - fourth * fourth;
}

// exp(i k x) at all centres of an axis, (mode, cell).
HostArray<Complex**> waves(std::vector<Mode> const& modes, monte_carlo::Grid const& grid, int axis) {
  HostArray<Complex**> wave("parhelion::MonteCarlo::waves", modes.size(), static_cast<std::size_t>(grid.ncell(axis)));
  for (std::size_t m = 0; m < modes.size(); ++m)
    for (int i = 0; i < grid.ncell(axis); ++i)
      wave(m, i) = std::polar(1., modes[m].wavenumber[axis] * grid.centre(axis, i));
  return wave;
}

}  // namespace

HostArray<double***> channel_temperature(monte_carlo::Grid const& grid) {
  int const nx = grid.ncell(0), ny = grid.ncell(1), nz = grid.ncell(2);
  HostArray<double***> temperature(
      Kokkos::view_alloc("parhelion::MonteCarlo::temperature", Kokkos::WithoutInitializing), nx, ny, nz);
  auto const modes = make_modes();
  auto const along_x = waves(modes, grid, 0), along_y = waves(modes, grid, 1), along_z = waves(modes, grid, 2);
  std::vector<double> sum(static_cast<std::size_t>(nz));
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) {
      // A sum of real parts, of which the factors along x and y are the same for a row of cells.
      std::fill(sum.begin(), sum.end(), 0.);
      for (std::size_t m = 0; m < modes.size(); ++m) {
        Complex const factor = std::polar(modes[m].amplitude, modes[m].phase) * along_x(m, i) * along_y(m, j);
        double const re = factor.real(), im = factor.imag();
        for (int k = 0; k < nz; ++k)
          sum[static_cast<std::size_t>(k)] += re * along_z(m, k).real() - im * along_z(m, k).imag();
      }
      double const y = grid.centre(1, j);
      double const mean = mean_at(y), envelope = envelope_at(y);
      for (int k = 0; k < nz; ++k)
        temperature(i, j, k) =
            std::clamp(mean + envelope * sum[static_cast<std::size_t>(k)], channel_cold, channel_hot);
    }
  return temperature;
}

}  // namespace parhelion::io::Impl
