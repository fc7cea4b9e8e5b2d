// SPDX-License-Identifier: BSD-3-Clause
// Arrays over bands and g-points that the longwave and the shortwave call by the same names.
#ifndef PARHELION_IO_SPECTRAL_ARRAYS_HPP
#define PARHELION_IO_SPECTRAL_ARRAYS_HPP

#include <parhelion/io/hdf5.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace parhelion::io::Impl {

/// Aerosol over bands: (column, layer, band), the longwave's first.
inline constexpr std::array aerosol_variables{"tauaer", "ssaaer", "asmaer"};
/// Clouds of g-points: (column, layer, gpt).
inline constexpr std::array gpoint_variables{"cldfmcl", "ciwpmcl", "clwpmcl", "taucmcl",
                                             "ssacmcl", "asmcmcl", "fsfcmcl"};
/// The sizes of their particles: (column, layer).
inline constexpr std::array gpoint_size_variables{"reicmcl", "relqmcl"};
/// Clouds of layers, of both ranges: (column, layer).
inline constexpr std::array layer_variables{"cldfrac", "ciwp", "clwp", "rei", "rel"};
/// The prefix of the shortwave's arrays where the longwave has some of the same name.
inline constexpr char const* shortwave_prefix = "sw_";

/// How many bands and g-points the gas optics of a range have.
struct SpectralSizes {
  std::size_t nband, ngpoint;
};

/// The columns and layers of a file, and what the gas optics count.
struct Grid {
  std::size_t ncol;
  std::size_t nlay;
  SpectralSizes longwave, shortwave;

  SpectralSizes const& sizes(bool of_shortwave) const { return of_shortwave ? shortwave : longwave; }
};

/// \brief The name under which a file has one of these arrays for the longwave; empty where it has none.
///
/// Arrays of the shortwave are told by their last dimension: of its bands or g-points. Where the longwave has as many,
/// an array is that of both.
std::string longwave_name(Hdf5File const& file, std::string const& name, Grid const& grid);

/// \brief The same for the shortwave: the name with its prefix, else the name itself, unless it is the longwave's.
/// \throws parhelion::Error where the file has both names, and both are the shortwave's
std::string shortwave_name(Hdf5File const& file, std::string const& name, Grid const& grid);

/// \brief The name of the first array of clouds of g-points that a range has; empty where it has none.
///
/// Sizes alone belong to a range only where the other one has no arrays of clouds of g-points.
std::string first_of_gpoints(Hdf5File const& file, Grid const& grid, bool shortwave);

/// The name of the first array of clouds of layers that a file has; empty where it has none.
std::string first_of_layers(Hdf5File const& file);

}  // namespace parhelion::io::Impl

#endif
