// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_OPTIONS_HPP
#define PARHELION_MONTE_CARLO_OPTIONS_HPP

#include <cstdint>

namespace parhelion::monte_carlo {

/// The largest number of grids, each twice as coarse as the one before.
inline constexpr int max_grids = 12;

/// How the points (spectral point, polar angle, azimuth) of rays are distributed in the unit cube.
enum class Sampling {
  random,      ///< independent of each other
  stratified,  ///< a Latin hypercube: each of N slices of each coordinate has one
  sobol,       ///< Sobol's sequence with Owen's scrambling; best if the number of rays is a power of two
  kronecker    ///< first coordinate (i + U) / N, the others an additive recurrence with a random shift; any N
};

/// Which cells share the directions and spectral points of their rays. Rays that are shared are followed in step, which
/// is faster, and the errors of cells that share them are correlated. Faces of walls share theirs likewise.
enum class Directions {
  independent,  ///< none: each cell has its own
  shared,       ///< all: averages over cells have the error of a cell
  tiles         ///< those of a tile of tile_size cells: errors average out from tile to tile
};

/// The number of cells of a tile, see Directions::tiles. Tiles follow each other in the order of the cells: cell i is
/// in tile i / tile_size. They are stretches of rows along z where rows have a multiple of this number of cells.
inline constexpr int tile_size = 32;

/// How the temperature varies within a cell.
enum class Reconstruction {
  constant,  ///< uniform
  linear     ///< linear, with slope and mean from parabolas through the neighbouring centres
};

/// Where the rays of a cell or of a face of a wall start (the reciprocal method follows them backwards).
enum class RayOrigin {
  centre,  ///< at the centre: the result is the source there
  volume   ///< uniformly in the cell or on the face: the result is the mean, and energy is conserved with the walls
};

/// The temperature of a cell of a coarser grid.
enum class CoarseTemperature {
  mean,     ///< the mean temperature of the cells in it
  emission  ///< such that the mean of its fourth power, with the slopes, is that of the cells in it
};

/// The absorption coefficient, at the highest temperature, to which Options::absorbed refers.
enum class AbsorbedBy {
  planck,  ///< the Planck mean: the safest
  band,    ///< the mean of the band that holds the mean wavenumber of emission
  largest  ///< the largest mean of any band: the fastest
};

/// The order of spectral points along the first coordinate of the unit cube.
enum class SpectralOrder {
  table,       ///< as in the spectrum: by band, then by absorption coefficient
  absorption,  ///< by absorption coefficient
  hilbert      ///< along a Hilbert curve in both: neighbouring points are alike in both
};

/// \brief How rays are drawn and followed. docs/decisions/006-monte-carlo-rays.md has the measurements behind the
///        defaults.
struct Options {
  int rays = 4096;  ///< rays of each cell and each face of a wall in all repetitions, >= 1
  int repetitions =
      8;  ///< independent repetitions, each with rays / repetitions rays; their scatter gives the error; >= 2
  std::uint64_t seed = 1;

  Sampling sampling = Sampling::kronecker;
  Directions directions = Directions::tiles;
  SpectralOrder order = SpectralOrder::hilbert;
  Reconstruction reconstruction = Reconstruction::linear;

  /// Length [m] that defines the probability of spectral points: it is proportional to absorption * source /
  /// (1 + saturation * absorption) at the highest temperature, because rays that are absorbed within a short distance
  /// contribute little. Negative: 0.3 of the largest distance between two walls. 0: proportional to emission.
  double saturation = -1;
  /// Share of the rays whose probability is proportional to the source alone, for incident radiation in spectral
  /// windows, in [0, 1).
  double window_share = 0.1;

  RayOrigin ray_origin = RayOrigin::centre;

  int grids = 0;  ///< number of grids, each twice as coarse as the one before; 0: as many as the cells allow
  /// Number of cells that a ray crosses in the finest grid. In the next grid it crosses twice as many, and four times
  /// as many in each further grid but the last.
  int first_steps = 3;
  /// Alternative to first_steps: the shares of a ray that the successive grids absorb while it crosses cells of their
  /// mean width (Silvestri & Pecnik 2019, equations 25 and 26). The grid after the last share is the last one. Each
  /// > 0, the sum < 1. If the first is 0, first_steps is used.
  double absorbed[max_grids - 1] = {};
  AbsorbedBy absorbed_by = AbsorbedBy::planck;
  CoarseTemperature coarse = CoarseTemperature::emission;

  double tolerance = 1e-3;  ///< transmittance below which a ray ends; the rest is absorbed there; in (0, 1)
  bool walls = true;        ///< whether fluxes at walls are computed

  /// Whether rays with independent directions and random sampling are followed in the order of their spectral points.
  bool ordered = true;

  /// Range of temperatures [K] that the tables cover in addition to those of the problem; 0: no others.
  double coldest = 0;
  double warmest = 0;

  /// Nodes of the temperature table of absorption and source; 0: as many as its error of less than 2e-5 needs.
  int nodes = 0;
};

/// \brief Checks options.
/// \param options any
/// \throws parhelion::Error naming the option, its value and what was expected
void validate(Options const& options);

}  // namespace parhelion::monte_carlo

#endif
