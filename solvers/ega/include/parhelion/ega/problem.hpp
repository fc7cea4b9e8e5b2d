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

/// How the emissivity of an inhomogeneous path is found.
enum class Method {
  growth,        ///< emissivity growth approximation
  curtis_godson  ///< path means of pressure and temperature
};

/// What the surface does.
enum class SurfaceType {
  none = 0,        ///< nothing
  emission = 1,    ///< emits
  reflection = 2,  ///< and reflects down-welling radiation, along the same path
  sunlight = 3     ///< and sunlight
};

/// In which precision slopes of table interpolation are computed.
enum class TableSlopes {
  float64,
  float32  ///< as in the model's original code
};

/// Options of the model. Defaults are JURASSIC's.
struct ModelOptions {
  Method method = Method::growth;
  TableSlopes table_slopes = TableSlopes::float64;
  ContinuumSwitches continua;
  bool refraction = true;
  double step = 10e3;                           ///< longest step of a ray [m]
  double vertical_step = 100;                   ///< longest vertical step of a ray [m]; 0: no limit
  std::optional<double> hydrostatic_reference;  ///< altitude [m] whose pressure is kept; none: pressures are as given
  SurfaceType surface = SurfaceType::reflection;
  std::optional<double> solar_zenith_angle;  ///< [degree]; none: from time and place
  bool brightness_temperature = false;       ///< instead of radiance
};

/// \brief Gives the table of a gas in a channel. An empty table: the gas is transparent there.
/// \throws parhelion::Error when the table is bad, or missing and that is not allowed
using TableProvider = std::function<EmissivityTable(int gas, int channel)>;

/// \brief A provider that asks another one for each table once and stores it, for repeated calls.
///
/// Copies share what is stored, which lives as long as the last of them. Threads may call at the same time.
TableProvider cached(TableProvider tables);

/// \brief Everything but atmosphere and rays that a forward calculation needs.
struct Problem {
  std::vector<std::string> gases;  ///< names of the emitters; CO2 and H2O have continua
  Channels channels;
  ContinuumTables continua;
  FieldOfView field_of_view;
  ModelOptions options;
  TableProvider tables;
  std::string name = {};  ///< opens messages, such as that of the control file; empty: the function

  int ngas() const { return static_cast<int>(gases.size()); }
  int nchannel() const { return channels.size(); }
};

/// Number of the gas with a name, whatever its case; -1 where there is none.
int find_gas(std::vector<std::string> const& gases, std::string const& name);

/// \brief Which parts of the atmosphere are elements of a Jacobian: levels with altitudes in [lowest, highest].
struct ElementRange {
  double lowest = 1;    ///< [m]
  double highest = -1;  ///< [m]; below lowest: none
};

/// The elements of a Jacobian or a retrieval. Their order is pressure, temperature, gases, windows; levels ascend.
struct ElementChoice {
  ElementRange pressure;
  ElementRange temperature;
  std::vector<ElementRange> mixing_ratio;  ///< (gas)
  std::vector<ElementRange> extinction;    ///< (window)
};

}  // namespace parhelion::ega

#endif
