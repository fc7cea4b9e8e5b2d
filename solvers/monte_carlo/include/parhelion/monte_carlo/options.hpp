// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_OPTIONS_HPP
#define PARHELION_MONTE_CARLO_OPTIONS_HPP

#include <cstdint>

namespace parhelion::monte_carlo {

/// The most grids that lie over each other.
inline constexpr int most_levels = 12;

/// How the points (spectral point, polar angle, azimuth) of rays are distributed in the unit cube.
enum class Sampling {
  random,      ///< independent of each other
  stratified,  ///< a Latin hypercube: each of N slices of each coordinate has one
  sobol,       ///< Sobol's sequence, scrambled as Owen does; best where the number of rays is a power of two
  kronecker    ///< the first coordinate (i + U) / N, the others an additive recurrence, shifted at random; any N
};

/// Whether cells share the directions and spectral points of their rays.
enum class Directions {
  independent,  ///< each cell's own
  shared        ///< the same in all cells: neighbours march in step, and their errors are correlated
};

/// What the temperature is between the centres of cells.
enum class Reconstruction {
  constant,  ///< that of the cell
  linear     ///< with the slopes of parabolas through neighbouring cells; the mean of a cell is the parabolas'
};

/// Where the rays of a cell or of a face of a wall start.
enum class Launch {
  centre,  ///< the source is that of the centre
  volume   ///< uniform in the cell or over the face: the source is the mean, and the sum is what leaves at walls
};

/// What the temperature of a coarse cell is, beside its slopes.
enum class CoarseTemperature {
  mean,     ///< the mean of the temperature
  emission  ///< such that its fourth power, with the slopes, is the mean of those of the cells in it
};

/// The absorption coefficient, at the highest temperature, to which Options::absorbed refers.
enum class AbsorbedBy {
  planck,  ///< the Planck mean: the safest
  band,    ///< the mean of the band that holds the mean wavenumber of emission
  largest  ///< the largest mean of a band: the fastest
};

/// The order of spectral points along the first coordinate of the unit cube.
enum class SpectralOrder {
  table,       ///< as in the spectrum: by band, then by absorption coefficient
  absorption,  ///< by absorption coefficient
  hilbert      ///< along Hilbert's curve over both: neighbours are alike in both
};

/// \brief How rays are drawn and followed. docs/decisions/006-monte-carlo-rays.md has what was measured.
struct Options {
  int rays = 4096;      ///< of a cell and of a face of a wall, over all repetitions, >= 1
  int repetitions = 8;  ///< independent of each other, of rays / repetitions each; their scatter gives the error; >= 2
  std::uint64_t seed = 1;

  Sampling sampling = Sampling::kronecker;
  Directions directions = Directions::shared;
  SpectralOrder order = SpectralOrder::hilbert;
  Reconstruction reconstruction = Reconstruction::linear;

  /// Spectral points are drawn with a probability that is proportional to
  /// absorption * source / (1 + saturation * absorption) at the highest temperature: rays that are absorbed
  /// within this length [m] contribute little. Negative: 0.3 of the largest distance between two walls; 0: by emission
  /// alone.
  double saturation = -1;
  /// Share of the rays that are drawn by source alone, for incident radiation in windows. [0, 1)
  double window_share = 0.1;

  Launch launch = Launch::centre;

  int grids = 0;  ///< grids of which each is twice as coarse as the one before, 0: as many as the cells allow; >= 0
  /// Cells that a ray crosses in the finest grid before it continues in the next one, where it crosses twice as many;
  /// in each of the others it crosses four times as many.
  int first_steps = 3;
  /// Other numbers of steps: such that the first grids absorb these shares of a ray, one after the other, while it
  /// crosses cells of their mean width (Silvestri & Pecnik 2019, equations 25 and 26). The grid behind the last share
  /// is the last one. Each > 0, the sum < 1; where the first is 0, first_steps counts.
  double absorbed[most_levels - 1] = {};
  AbsorbedBy absorbed_by = AbsorbedBy::planck;
  CoarseTemperature coarse = CoarseTemperature::emission;

  double tolerance = 1e-3;  ///< a ray ends where its transmittance is below; the rest is absorbed there; (0, 1)
  bool walls = true;        ///< whether the fluxes at walls are computed

  /// Whether rays with independent directions and random points are followed in the order of their spectral points.
  bool ordered = true;

  /// Temperatures that the gas may come to have [K], beside those of the problem; 0: no others.
  double coldest = 0;
  double warmest = 0;

  /// Nodes of the table in which absorption and source are interpolated; 0: such that it is off by less than 2e-5.
  int nodes = 0;
};

/// \brief Checks options.
/// \param options any
/// \throws parhelion::Error naming the option, its value and what was expected
void validate(Options const& options);

}  // namespace parhelion::monte_carlo

#endif
