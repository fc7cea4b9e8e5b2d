// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_CHANNELS_HPP
#define PARHELION_EGA_CHANNELS_HPP

#include <parhelion/core/types.hpp>

#include <string>
#include <vector>

namespace parhelion::ega {

/// Spectral response of a channel.
struct Filter {
  std::vector<double> wavenumber;  ///< [cm-1], ascending
  std::vector<double> weight;      ///< relative; may be negative for apodized spectrometers; the sum must not be 0
};

/// The spectral channels of a calculation.
struct Channels {
  std::vector<double> wavenumber;          ///< centre [cm-1], (channel)
  std::vector<int> window;                 ///< index of the extinction profile, (channel)
  std::vector<Filter> filter;              ///< (channel)
  std::vector<double> cloud_wavenumber;    ///< nodes of HostAtmosphere::cloud_extinction [cm-1], ascending
  std::vector<double> surface_wavenumber;  ///< nodes of HostAtmosphere::surface_emissivity [cm-1], ascending

  int size() const { return static_cast<int>(wavenumber.size()); }
};

/// Number and spacing of the temperatures of source tables: 100 K to 400 K.
inline constexpr int source_temperatures = 1200;
inline constexpr double source_first_temperature = 100;
inline constexpr double source_last_temperature = 400;

/// \brief Planck radiance averaged over a filter.
///
/// The mean is over a uniform grid from the first node in steps of the smallest distance between nodes, with weights
/// linear between nodes. Radiation constants are those of JURASSIC, not CODATA's (see jurassic_constants.hpp).
/// \param filter      any
/// \param temperature [K], > 0
/// \return [W m-2 sr-1 (cm-1)-1]
double filtered_planck(Filter const& filter, double temperature);

/// \brief filtered_planck at source_temperatures equidistant temperatures.
/// \param filter at least two nodes
/// \param where  begins the messages; empty: the function
std::vector<double> source_table(Filter const& filter, std::string const& where = {});

/// A boxcar of a given width around a centre: 201 nodes of weight 1.
Filter boxcar(double centre, double width);

}  // namespace parhelion::ega

#endif
