// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_SPECTRUM_HPP
#define PARHELION_MONTE_CARLO_SPECTRUM_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/monte_carlo/narrow_band.hpp>

#include <memory>
#include <optional>
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

/// The range of conditions for which a spectrum is valid. Pressure and mole fraction scale absorption coefficients that
/// were determined at 1 atm.
struct Validity {
  ValidRange temperature;       ///< temperature of the gas [K]
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

  // The largest error of interpolation, in the middle between nodes and at kinks of the absorption coefficient.
  double absorption_error = 0;  ///< of any absorption coefficient, relative to the largest of all points and nodes
  double source_error = 0;      ///< of any source, relative to the largest of all points and nodes
  double emission_error = 0;    ///< of the sum of absorption * source over points, relative to its largest value

  int npoint() const { return static_cast<int>(source.extent(0)); }
  int nnode() const { return static_cast<int>(source.extent(1)); }
};

namespace Impl {
class SpectralModel;
}

/// \brief Absorption and emission of a gas as a list of spectral points.
///
/// Each point s represents a part of the spectrum in which the gas has one absorption coefficient kappa. The integral
/// of f(kappa) times the black-body radiance over the spectrum is the sum over s of f(absorption(s, T)) * source(s, T).
/// The absorption coefficient is that of the pure gas at 1 atm; at other conditions it is multiplied by mole fraction *
/// pressure / reference_pressure. Sources depend on the temperature only and are the same for gas and walls.
///
/// Immutable; copies share their data, which includes Views: all copies must be destroyed before Kokkos is finalized.
/// All functions are thread-safe.
class Spectrum {
 public:
  /// The same as weighted_sum_of_grey_gases().
  Spectrum();

  /// \brief A grey gas: one point with a constant absorption coefficient; the source is sigma T^4 / pi, at any
  ///        temperature.
  /// \param absorption [m-1], finite, >= 0
  /// \throws parhelion::Error where the argument is out of range
  static Spectrum grey(double absorption);

  /// \brief Narrow bands with correlated k; the points are numbered band * ng + g.
  ///
  /// The absorption coefficient is linear in temperature between the temperatures of the table. The source is width *
  /// weight * Planck's function at the centre of the band, at any temperature, so that a wall emits only within the
  /// bands. The table of a mixture is used with a mole fraction of 1.
  /// \throws parhelion::Error where validate(table) refuses
  static Spectrum narrow_band(NarrowBandTable const& table);

  /// \brief Combustion products with twice as much H2O as CO2, without a file: a transparent window (point 0) and three
  ///        grey gases.
  ///
  /// Smith, Shen & Friedman (1982), doi:10.1115/1.3245174: total emissivities at 1 atm for 600 K to 2400 K and 0.001 to
  /// 10 atm m. The weights of the grey gases are cubics of temperature, and the window has the remainder; below 600 K
  /// and above 2400 K the weights are those of the nearest of the two temperatures. The mole fraction is that of H2O
  /// and CO2 combined.
  static Spectrum weighted_sum_of_grey_gases();

  /// \brief The spectrum with a name that defines it: grey or the weighted sum of grey gases. None for other names.
  /// \param name as name() gives it
  static std::optional<Spectrum> from_name(std::string const& name);

  /// Name for messages and results.
  std::string const& name() const;

  /// Number of points.
  int npoint() const;

  /// Centres of the bands [cm-1]. Each band has npoint() / (number of bands) consecutive points. A spectrum without
  /// bands has one entry, 0.
  std::vector<double> band_centres() const;

  /// Temperatures at which absorption coefficients are defined [K]. Sources are defined from 0 K on.
  TemperatureRange temperature_range() const;

  /// \brief The range of validity; validate(Problem) refuses values outside.
  ///
  /// Grey: temperatures up to 1e5 K, beyond which single precision overflows, and any pressure. Narrow bands:
  /// temperatures of the table, and 0.1 to 10 atm, because the coefficients are those of 1 atm and ignore the pressure
  /// dependence of line widths. Weighted sum of grey gases: 250 K to 3000 K (with constant weights below 600 K and
  /// above 2400 K) and 0.1 to 10 atm. Walls: up to 1e5 K.
  Validity const& validity() const;

  /// \brief The same at any temperature up to 1e5 K, pressure and mole fraction.
  ///
  /// Absorption coefficients of narrow bands are extrapolated linearly from the two nearest temperatures of the table,
  /// and are not less than 0.
  Spectrum extrapolated() const;

  /// \brief Absorption coefficient of the pure gas at reference_pressure [m-1].
  /// \param s           point, 0 .. npoint() - 1
  /// \param temperature [K], within temperature_range()
  /// \throws parhelion::Error where an argument is out of range
  double absorption(int s, double temperature) const;

  /// \brief The black-body radiance of a point [W m-2 sr-1]; exactly 0 at 0 K.
  /// \param s           point, 0 .. npoint() - 1
  /// \param temperature [K], finite, >= 0
  /// \throws parhelion::Error where an argument is out of range
  double source(int s, double temperature) const;

  /// \brief The black-body radiances of all points [W m-2 sr-1], the same numbers as those of source().
  /// \param temperature [K], finite, >= 0
  /// \throws parhelion::Error where it is out of range
  std::vector<double> sources(double temperature) const;

  /// \brief Planck-mean absorption coefficient [m-1] of the pure gas at reference_pressure: the sum over points of
  ///        absorption * source, over sigma T^4 / pi.
  /// \param temperature [K], > 0, within temperature_range()
  /// \throws parhelion::Error where it is out of range
  double planck_mean(double temperature) const;

  /// \brief Absorption coefficients and sources on nnode equidistant temperatures from t_low to t_high.
  /// \param t_low, t_high [K], t_low < t_high, within temperature_range(), finite
  /// \param nnode         number of temperatures, >= 2
  /// \throws parhelion::Error where an argument is out of range
  Tabulated tabulate(double t_low, double t_high, int nnode) const;

  /// \brief The same on as few temperatures as the errors of source and emission allow: 129, 257, 513 and so on.
  ///
  /// The last table is kept, so that asking again, or for the same number of temperatures by tabulate(), only copies
  /// it.
  ///
  /// \param t_low, t_high [K], as above
  /// \param tolerance     of the relative errors of source and emission, > 0
  /// \param max_nodes     number of temperatures from which on the errors are accepted whatever they are
  /// \throws parhelion::Error where an argument is out of range
  Tabulated tabulate_within(double t_low, double t_high, double tolerance, int max_nodes) const;

 private:
  explicit Spectrum(std::shared_ptr<Impl::SpectralModel const> model);

  std::shared_ptr<Impl::SpectralModel const> m_model;
};

}  // namespace parhelion::monte_carlo

#endif
