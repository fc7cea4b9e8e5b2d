// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_PROBLEM_HPP
#define PARHELION_EGA_PROBLEM_HPP

#include <parhelion/ega/channels.hpp>
#include <parhelion/ega/continua.hpp>
#include <parhelion/ega/emissivity_tables.hpp>
#include <parhelion/ega/field_of_view.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::ega {

/// How the emissivity of an inhomogeneous path is computed.
enum class Method {
  growth,        ///< emissivity growth approximation
  curtis_godson  ///< path means of pressure and temperature
};

/// The effects of the surface; each includes those before it.
enum class SurfaceType {
  none = 0,        ///< none
  emission = 1,    ///< emission
  reflection = 2,  ///< reflection of downwelling radiation along the same path
  sunlight = 3     ///< reflection of sunlight
};

/// The precision of the slopes of table interpolation.
enum class TableSlopes {
  float64,
  float32  ///< as in JURASSIC
};

/// Options of the model. Defaults are JURASSIC's.
struct ModelOptions {
  Method method = Method::growth;
  TableSlopes table_slopes = TableSlopes::float64;
  ContinuumSwitches continua;
  bool refraction = true;
  double step = 10e3;                           ///< longest step of a ray [m]
  double vertical_step = 100;                   ///< longest vertical step of a ray [m]; 0: no limit
  std::optional<double> hydrostatic_reference;  ///< altitude [m] whose pressure is kept; none: given pressures are used
  SurfaceType surface = SurfaceType::reflection;
  std::optional<double> solar_zenith_angle;  ///< [degree]; none: from time and place
  bool brightness_temperature = false;       ///< instead of radiance
};

/// \brief A function that returns the table of a gas in a channel. If it is empty, the gas is transparent there.
/// \throws parhelion::Error when the table is bad, or missing although it must not be
using TableProvider = std::function<EmissivityTable(int gas, int channel)>;

/// \brief A provider that gets each table from another one once and stores it, for repeated calls.
///
/// Copies share the tables, which live as long as the last of the copies. Thread-safe.
TableProvider cached(TableProvider tables);

/// \brief Everything that a forward calculation needs except atmosphere and rays.
struct Problem {
  std::vector<std::string> gases;  ///< names of the emitters; CO2 and H2O have continua
  Channels channels;
  ContinuumTables continua;
  FieldOfView field_of_view;
  ModelOptions options;
  TableProvider tables;
  std::string name = {};  ///< begins messages, such as the name of the control file; empty: the function

  int ngas() const { return static_cast<int>(gases.size()); }
  int nchannel() const { return channels.size(); }
};

/// Index of the gas with a name, ignoring case; -1 if there is none.
int find_gas(std::vector<std::string> const& gases, std::string const& name);

/// \brief The levels that are elements of a Jacobian: those with altitudes in [lowest, highest].
struct ElementRange {
  double lowest = 1;    ///< [m]
  double highest = -1;  ///< [m]; none if it is below `lowest`
};

/// The elements of a Jacobian or a retrieval, in the order pressure, temperature, gases, windows, with ascending
/// levels.
struct ElementChoice {
  ElementRange pressure;
  ElementRange temperature;
  std::vector<ElementRange> mole_fraction;  ///< (gas)
  std::vector<ElementRange> extinction;     ///< (window)
};

}  // namespace parhelion::ega

#endif
