// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMGP_CLOUD_OPTICS_HPP
#define PARHELION_FLUXES_RRTMGP_CLOUD_OPTICS_HPP

#include <parhelion/fluxes/cloud_optics.hpp>

#include <string>
#include <vector>

namespace parhelion::fluxes::rrtmgp {

/// \brief The spectral bands of a table, by which tables are told to belong to a k-distribution.
struct SpectralBands {
  std::vector<double> wavenumbers;  ///< first and last of each band [cm-1], (band, 2)
  /// First and last g-point of each band, counted from 1, (band, 2); empty for a table by band.
  std::vector<int> gpoints;

  int nband() const { return static_cast<int>(wavenumbers.size() / 2); }
};

/// \brief Optical properties of particles over their size, at even steps from the smallest to the largest.
///
/// "Points" are the bands, or the g-points, of a table.
struct ParticleTable {
  double smallest = 0;                    ///< [m]
  double largest = 0;                     ///< [m]
  int nsize = 0;                          ///< sizes, >= 2
  std::vector<double> extinction;         ///< per mass [m2 kg-1], ([roughness,] point, size), >= 0
  std::vector<double> single_scattering;  ///< albedo [1], ([roughness,] point, size), 0..1
  std::vector<double> asymmetry;          ///< parameter [1], ([roughness,] point, size), -1..1

  SizeRange sizes() const { return {smallest, largest}; }
};

/// \brief Optics of clouds of RRTMGP as a file defines it: by band or by g-point, of the longwave or the shortwave.
///
/// Pincus, Mlawer & Delamere (2019), doi:10.1029/2019MS001621. Arrays of several dimensions are in row-major order.
struct CloudOptics {
  std::string where = "RRTMGP cloud optics";  ///< opens the messages, such as the name of the file
  SpectralBands bands;
  ParticleTable liquid;  ///< over the effective radius of droplets
  ParticleTable ice;     ///< over the effective diameter of ice particles, for each roughness
  int nroughness = 0;    ///< >= 1

  /// Whether there are properties of each g-point, otherwise of each band.
  bool by_gpoint() const { return !bands.gpoints.empty(); }
  /// Number of bands, or of g-points.
  int npoint() const { return by_gpoint() ? bands.gpoints.back() : bands.nband(); }
};

/// The roughness of ice that is used where none is chosen.
inline constexpr int default_ice_roughness = 2;

/// \brief Refuses cloud optics that cannot be computed with.
/// \throws parhelion::Error that names file, variable, what was found and what was expected: arrays of other sizes,
///         numbers that are not finite or out of their range, sizes, bands or g-points that do not increase
void check(CloudOptics const& optics);

/// \brief Refuses tables of bands, or g-points, other than those of a k-distribution.
/// \param where    opens the message, such as the name of the tables' file
/// \param bands    of the tables
/// \param expected of the k-distribution, with its g-points
/// \throws parhelion::Error that names the first band that differs
void expect_bands(std::string const& where, SpectralBands const& bands, SpectralBands const& expected);

/// Whether expect_bands() accepts them.
bool same_bands(SpectralBands const& bands, SpectralBands const& expected);

}  // namespace parhelion::fluxes::rrtmgp

#endif
