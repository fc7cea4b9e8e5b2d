// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_SPECTRUM_HPP
#define PARHELION_MONTE_CARLO_SPECTRUM_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/monte_carlo/narrow_band.hpp>

#include <memory>
#include <string>
#include <vector>

namespace parhelion::monte_carlo {

/// The pressure at which absorption coefficients are given [Pa]: 1 atm.
inline constexpr double reference_pressure = 101325;

/// Temperatures from lowest to highest [K]; highest may be infinity.
struct TemperatureRange {
  double lowest;
  double highest;

  bool holds(double temperature) const { return temperature >= lowest && temperature <= highest; }
};

/// What a spectrum was made for. Pressure and mole fraction scale absorption coefficients, which were found at 1 atm.
struct Validity {
  ValidRange temperature;       ///< of gas [K]
  ValidRange pressure;          ///< [Pa]
  ValidRange mole_fraction;     ///< [1]
  ValidRange wall_temperature;  ///< [K]
};

/// \brief A spectrum on temperatures first + node * spacing, to be interpolated linearly.
struct Tabulated {
  double first = 0;                ///< [K]
  double spacing = 0;              ///< [K], > 0
  HostArray<double**> absorption;  ///< Spectrum::absorption [m-1], (point, node)
  HostArray<double**> source;      ///< Spectrum::source [W m-2 sr-1], (point, node)

  // What interpolation is off, at most, in the middle between nodes and where the absorption coefficient has corners.
  double absorption_error = 0;  ///< of any absorption coefficient, relative to the largest of all points and nodes
  double source_error = 0;      ///< of any source, relative to the largest of all points and nodes
  double emission_error = 0;    ///< of the sum over points of absorption * source, relative to its largest value

  int npoint() const { return static_cast<int>(source.extent(0)); }
  int nnode() const { return static_cast<int>(source.extent(1)); }
};

namespace Impl {
class SpectralModel;
}

/// \brief Absorption and emission of a gas as a list of spectral points.
///
/// Each point s stands for a part of the spectrum in which the gas has one absorption coefficient. An integral over the
/// spectrum of f(kappa) times the black radiance is the sum over s of f(absorption(s, T)) * source(s, T). The
/// absorption coefficient is that of the pure gas at 1 atm; elsewhere it is times mole fraction * pressure /
/// reference_pressure. Sources know only the temperature: those of walls are the same function.
///
/// Immutable; copies share what they hold, among it arrays of Kokkos: one that lives longer than Kokkos is initialized
/// has to be given up before. All functions may be called by several threads at a time.
class Spectrum {
 public:
  /// weighted_sum_of_grey_gases().
  Spectrum();

  /// \brief One point, the same absorption coefficient everywhere; the source is sigma T^4 / pi. Any temperature.
  /// \param absorption [m-1], finite, >= 0
  /// \throws parhelion::Error
  static Spectrum grey(double absorption);

  /// \brief Narrow bands with correlated k: point band * ng + g.
  ///
  /// The absorption coefficient is linear in temperature between those of the table. The source is width * weight *
  /// Planck's function of the band's centre, at any temperature, so that a wall emits only what lies within the bands.
  /// Mixtures are tables of the mixture: its mole fraction is 1. \throws parhelion::Error where validate(table) refuses
  static Spectrum narrow_band(NarrowBandTable const& table);

  /// \brief Products of combustion with twice as much H2O as CO2, without a file: a clear window (point 0, absorption
  ///        coefficient 0) and three grey gases.
  ///
  /// Smith, Shen & Friedman (1982), doi:10.1115/1.3245174: total emissivities at 1 atm for 600 K to 2400 K and 0.001 to
  /// 10 atm m. Shares of the grey gases in black radiation are cubics of temperature, the window has the rest; below
  /// 600 K and above 2400 K the shares are those of the nearest of the two. Any temperature. The mole fraction is that
  /// of H2O and CO2 together.
  static Spectrum weighted_sum_of_grey_gases();

  /// What it is, for messages and results.
  std::string const& name() const;

  /// Number of points.
  int npoint() const;

  /// Centres of bands [cm-1], of which each has npoint() / (number of bands) points that follow each other; of a
  /// spectrum without bands one 0.
  std::vector<double> band_centres() const;

  /// Temperatures at which there are absorption coefficients [K]. Sources are there at any from 0 on.
  TemperatureRange temperature_range() const;

  /// \brief What the spectrum was made for; validate(Problem) refuses what lies outside.
  ///
  /// Grey: all temperatures up to 1e5 K, where numbers of single precision come to their end, any pressure. Narrow
  /// bands: temperatures of the table, and 0.1 to 10 atm, as the coefficients of 1 atm know nothing of the widths that
  /// lines have at other pressures. Grey gases: 250 K to 3000 K, of which the shares beyond 600 K to 2400 K are those
  /// of the nearest of the two, and 0.1 to 10 atm. Walls: up to 1e5 K.
  Validity const& validity() const;

  /// \brief The same at any temperature up to 1e5 K, pressure and mole fraction.
  ///
  /// Absorption coefficients of narrow bands go on along the line through the two nearest temperatures of the table,
  /// down to 0.
  Spectrum extrapolated() const;

  /// \brief Absorption coefficient of the pure gas at reference_pressure [m-1].
  /// \param s           point, 0 .. npoint() - 1
  /// \param temperature [K], within temperature_range()
  /// \throws parhelion::Error where an argument is out of range
  double absorption(int s, double temperature) const;

  /// \brief A point's share of black radiance [W m-2 sr-1]; exactly 0 at 0 K.
  /// \param s           point, 0 .. npoint() - 1
  /// \param temperature [K], finite, >= 0
  /// \throws parhelion::Error where an argument is out of range
  double source(int s, double temperature) const;

  /// \brief Planck-mean absorption coefficient [m-1] of the pure gas at reference_pressure: the sum over points of
  ///        absorption * source, over sigma T^4 / pi.
  /// \param temperature [K], > 0, within temperature_range()
  /// \throws parhelion::Error where it is out of range
  double planck_mean(double temperature) const;

  /// \brief Absorption coefficients and sources on nnode equidistant temperatures from t_low to t_high.
  /// \param t_low, t_high [K], t_low < t_high, within temperature_range(), finite
  /// \param nnode         >= 2
  /// \throws parhelion::Error where an argument is out of range
  Tabulated tabulate(double t_low, double t_high, int nnode) const;

 private:
  explicit Spectrum(std::shared_ptr<Impl::SpectralModel const> model);

  std::shared_ptr<Impl::SpectralModel const> m_model;
};

}  // namespace parhelion::monte_carlo

#endif
