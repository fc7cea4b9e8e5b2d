// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_FORWARD_MODEL_HPP
#define PARHELION_EGA_FORWARD_MODEL_HPP

#include <parhelion/core/solver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/model.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/spectra.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace parhelion::ega {

namespace dimension {
inline constexpr std::string_view point = "point";  ///< points of a line of sight; 0 is next to the observer
inline constexpr std::string_view axis = "axis";    ///< Cartesian coordinates
}  // namespace dimension

/// The input of a forward calculation in addition to its model.
template <KokkosExecutionSpace ExecutionSpace>
struct ForwardInput {
  Atmosphere<ExecutionSpace> atmosphere = {};    ///< of all rays
  Observation<ExecutionSpace> observation = {};  ///< the rays

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    Atmosphere<ExecutionSpace>::for_each_array(action, sets.atmosphere...);
    Observation<ExecutionSpace>::for_each_array(action, sets.observation...);
  }
};

/// \brief Quantities at the points along rays, from the observer on. Either all of these arrays or none.
///
/// Only existing points of a ray are written.
template <KokkosExecutionSpace ExecutionSpace>
struct PathRecord {
  Array<double***, ExecutionSpace> place;       ///< Cartesian coordinates [m], (ray, point, axis)
  Array<double**, ExecutionSpace> pressure;     ///< [Pa], (ray, point)
  Array<double**, ExecutionSpace> temperature;  ///< [K], (ray, point)
  Array<double**, ExecutionSpace> length;       ///< length of the segment of the point [m], (ray, point)
  Array<double**, ExecutionSpace> position;    ///< index of the level below plus fraction of the interval, (ray, point)
  Array<double*, ExecutionSpace> surface_air;  ///< temperature of the air [K] at the surface where the ray ends,
                                               ///< (ray); 0: it does not end there
  Array<double****, ExecutionSpace> gas_transmittance;     ///< (ray, point, gas, channel)
  Array<double***, ExecutionSpace> segment_transmittance;  ///< (ray, point, channel), like the following arrays
  Array<double***, ExecutionSpace> segment_emissivity;
  Array<double***, ExecutionSpace> optical_depth;  ///< of continua and extinction
  Array<double***, ExecutionSpace> extinction;     ///< optical depth of aerosol and cloud
  Array<double***, ExecutionSpace> planck;
  Array<double***, ExecutionSpace> path_transmittance;
  Array<double***, ExecutionSpace> path_radiance;

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    auto const of_points = [](std::string_view name, std::string_view unit, std::string_view meaning) {
      return ArrayDescription{
          .name = name, .unit = unit, .meaning = meaning, .dimensions = {ray, point}, .optional = true};
    };
    auto const of_channels = [](std::string_view name, std::string_view unit, std::string_view meaning) {
      return ArrayDescription{
          .name = name, .unit = unit, .meaning = meaning, .dimensions = {ray, point, channel}, .optional = true};
    };
    action(ArrayDescription{.name = "place",
                            .unit = "m",
                            .meaning = "Cartesian coordinates of the point",
                            .dimensions = {ray, point, axis},
                            .optional = true},
           sets.place...);
    action(of_points("pressure", "Pa", "pressure of the air at the point"), sets.pressure...);
    action(of_points("temperature", "K", "temperature of the air at the point"), sets.temperature...);
    action(of_points("length", "m", "length of the segment"), sets.length...);
    action(of_points("position", "1", "level below the point and fraction of the interval"), sets.position...);
    action(ArrayDescription{.name = "surface_air",
                            .unit = "K",
                            .meaning = "temperature of the air at the surface, 0 where the ray does not end there",
                            .dimensions = {ray},
                            .optional = true},
           sets.surface_air...);
    action(ArrayDescription{.name = "gas_transmittance",
                            .unit = "1",
                            .meaning = "transmittance of the path by the gas, to behind the segment",
                            .dimensions = {ray, point, gas, channel},
                            .optional = true},
           sets.gas_transmittance...);
    action(of_channels("segment_transmittance", "1", "transmittance of the segment by all gases"),
           sets.segment_transmittance...);
    action(of_channels("segment_emissivity", "1", "emissivity of the segment with continua and extinction"),
           sets.segment_emissivity...);
    action(of_channels("optical_depth", "1", "optical depth of the segment by continua and extinction"),
           sets.optical_depth...);
    action(of_channels("extinction", "1", "optical depth of the segment by aerosol and cloud"), sets.extinction...);
    action(of_channels("planck", "W m-2 sr-1 (cm-1)-1", "source of the segment"), sets.planck...);
    action(of_channels("path_transmittance", "1", "transmittance from the observer to behind the segment"),
           sets.path_transmittance...);
    action(of_channels("path_radiance", "W m-2 sr-1 (cm-1)-1", "radiance of the path up to behind the segment"),
           sets.path_radiance...);
  }
};

/// The result of a forward calculation.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct ForwardResult {
  Spectra<ExecutionSpace, Real> spectra = {};
  PathRecord<ExecutionSpace> path = {};  ///< not computed if empty; double precision only

  ForwardResult() = default;
  ForwardResult(Spectra<ExecutionSpace, Real> the_spectra, PathRecord<ExecutionSpace> the_path = {})
      : spectra(std::move(the_spectra)), path(std::move(the_path)) {}

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    Spectra<ExecutionSpace, Real>::for_each_array(action, sets.spectra...);
    PathRecord<ExecutionSpace>::for_each_array(action, sets.path...);
  }
};

/// The largest problem of a solver.
struct ForwardCapacity {
  int nray = 0;      ///< rays of a call
  int ngas = 0;      ///< of the model
  int nchannel = 0;  ///< of the model
  int npoint = 0;    ///< points of a ray, see max_points()
  int nprofile = 1;  ///< of the atmosphere
  int nlev = 0;      ///< levels of the atmosphere, >= 2
};

/// How the work is divided. 0: automatic. Only gas_threads affects results, by rounding.
struct ForwardTuning {
  int gas_threads = 0;    ///< threads that share the gases of a ray
  int rays_per_team = 0;  ///< rays of a team
  int batch = 0;          ///< rays whose points are in memory at a time
  int nray = 0;           ///< number of rays by which the work is divided; 0: that of the capacity
};

/// \brief The largest number of points of a ray: twice through the range of altitudes and once along the longest chord.
///        Only a ray that is trapped by refraction could have more.
/// \param options    the steps along rays are used
/// \param atmosphere altitudes of its profiles and surfaces
int max_points(ModelOptions const& options, HostAtmosphere const& atmosphere);

/// \brief Radiances along rays by the emissivity growth approximation (or Curtis-Godson means).
///
/// One kernel traces the rays; another computes growth of emissivity, continua, source and the integration along rays.
/// Baumeister & Hoffmann (2022), doi:10.5194/gmd-15-1855-2022; Weinreb & Neuendorffer (1973),
/// doi:10.1175/1520-0469(1973)030<0662:MTAHPT>2.0.CO;2.
///
/// A Solver, whose items are rays.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class ForwardModel {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;
  using model_type = Model<ExecutionSpace, Real>;
  using capacity_type = ForwardCapacity;
  using tuning_type = ForwardTuning;
  using input_type = ForwardInput<ExecutionSpace>;
  using result_type = ForwardResult<ExecutionSpace, Real>;

  /// \brief Allocates the workspace; may fence.
  /// \param space    execution space instance
  /// \param model    tables and coefficients of the channels
  /// \param capacity the largest call; has the gases of the model, and at least as many channels
  /// \param tuning   how the work is divided
  /// \throws parhelion::Error when a number of `capacity` is not positive, or the model does not fit it
  ForwardModel(ExecutionSpace const& space, model_type const& model, ForwardCapacity const& capacity,
               ForwardTuning const& tuning = {});
  ForwardModel(ForwardModel&&) noexcept;
  ForwardModel& operator=(ForwardModel&&) noexcept;
  ~ForwardModel();

  /// \brief Radiances and transmittances, and the quantities along the rays if result.path is not empty.
  ///
  /// Neither allocates nor fences. Values are not checked. A ray that cannot be traced (Spectra::npoint = -1) gets NaN.
  /// \param space  execution space instance; work is enqueued there and not fenced
  /// \param input  atmosphere and rays
  /// \param result overwritten
  /// \throws parhelion::Error on mismatched extents or more than the capacity, before anything is enqueued
  void solve(ExecutionSpace const& space, input_type const& input, result_type const& result);

  /// \brief The first ray with a radiance or transmittance that is not finite, in the calls since the last call of this
  ///        function. Fences `space`.
  SolveStatus status(ExecutionSpace const& space);

  /// Device memory of the solver in addition to the model [bytes].
  std::size_t workspace_bytes() const;

  /// \brief The memory that a solver would need [bytes], before it is constructed.
  /// \param space    execution space instance
  /// \param capacity as for the constructor
  /// \param tuning   as for the constructor
  static std::size_t workspace_bytes(ExecutionSpace const& space, ForwardCapacity const& capacity,
                                     ForwardTuning const& tuning = {});

 private:
  struct Content;
  std::unique_ptr<Content> m_content;
};

}  // namespace parhelion::ega

#endif
