// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_HOST_EGA_HPP
#define PARHELION_EGA_HOST_EGA_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/geometry.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/problem.hpp>
#include <parhelion/ega/spectra.hpp>
#include <parhelion/ega/validity.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace parhelion::ega {

/// Where and how a call from host arrays computes.
struct HostEgaOptions {
  std::string space = {};  ///< execution space by name; empty: the default one
  Precision precision = Precision::float64;
  /// Limit of the memory for tables on the device [bytes]; 0: automatic. On a host it includes the memory for reading
  /// them.
  std::size_t memory_limit = 0;
  int chunk = 0;  ///< rays that a stream computes at a time; 0: automatic
  /// Number of devices that compute chunks: 1 for the one that Kokkos was initialized with, as is usual with MPI; 0 for
  /// all that the process sees. Each holds the tables.
  int devices = 1;
  OutOfRange out_of_range = OutOfRange::refuse;  ///< what to do with values outside the model's range, see validity.hpp
  /// Called with the plan of the work before anything large is allocated. An exception that it throws ends the call.
  std::function<void(struct HostEgaReport const&)> on_plan = {};
  /// \brief Called at the beginning and after each chunk with the rays times channels that are done, and all of them.
  ///
  /// It returns whether to continue. If it returns false, the call ends, and radiances, transmittances and derivatives
  /// that have not been computed, or depend on such, are NaN. With this callback chunks are small enough that it is
  /// called often; results do not depend on them.
  std::function<bool(std::int64_t done, std::int64_t all)> progress = {};
};

/// \brief Plan and times of a call. The items of the plan are rays; `done` counts rays times channels.
///
/// The device memory of the plan includes tables; its host memory consists of results, buffers and the tables that are
/// copied to the device, in addition to the arrays of the caller.
struct HostEgaReport : HostReport {
  Precision precision = Precision::float64;  ///< of the calculation; differences are always in double
  OutOfRangeCounts out_of_range = {};        ///< number of values of the atmosphere out of range, by variable
  int channel_blocks = 0;                    ///< blocks of channels, which are computed one after another
  int channels_per_block = 0;                ///< channels whose tables are on the device at a time
  std::size_t table_bytes = 0;               ///< tables of a block on the device
  double load_seconds = 0;  ///< reading tables and copying them to the device; 0 if they were already there
};

class PreparedProblem;

namespace Impl {
struct PreparedAccess;
}

/// \brief Radiances and transmittances of rays, from host arrays to host arrays.
///
/// Validates the input, loads tables in blocks of channels that fit the memory limit, and streams chunks of rays
/// through the devices: while one is computed, others are copied in and out. Pressures are first made hydrostatic if
/// the options say so; the field of view and brightness temperatures are applied last.
///
/// \param problem     gases, channels, tables and options of the model
/// \param atmosphere  profiles with the gases of the problem, level 0 is the lowest; units and shapes as in Atmosphere
/// \param observation rays; units and shapes as in Observation
/// \param options     space, precision, memory limit etc.
/// \param report      filled unless it is nullptr
/// \return radiance [W m-2 sr-1 (cm-1)-1], or brightness temperature [K] if the problem says so, and transmittance [1],
///         (ray, channel), and tangent points, (ray); NaN where masked, or not computed because `progress` ended the
///         call
/// \throws parhelion::Error on bad input, an option that cannot be honoured, or a radiance that is not finite
HostSpectra compute_spectra(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaOptions const& options = {},
                            HostEgaReport* report = nullptr);

/// \brief The same with tables that stay on the device between calls.
/// \param prepared    problem, options and tables
/// \param atmosphere  as above
/// \param observation as above
/// \param report      filled unless it is nullptr
/// \throws parhelion::Error as above
HostSpectra compute_spectra(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaReport* report = nullptr);

/// \brief The same on an execution space instance of the caller; the space of the options is ignored.
///
/// Several threads of a caller may each have an instance and a PreparedProblem. Instances of OpenMP must be made
/// outside any parallel region.
///
/// \param space       instance that computes; on a host, its threads also copy. The call returns when results are there
/// \param prepared    problem, options and tables; the device must be the same in all calls
/// \param atmosphere  as above
/// \param observation as above
/// \param report      filled unless it is nullptr
/// \throws parhelion::Error as above
template <KokkosExecutionSpace ExecutionSpace>
HostSpectra compute_spectra(ExecutionSpace const& space, PreparedProblem const& prepared,
                            HostAtmosphere const& atmosphere, HostObservation const& observation,
                            HostEgaReport* report = nullptr);

/// \brief The same with arrays of the caller, each in float or double and with any strides.
///
/// The gases are those of the problem, in its order. A stride may be 0 where profiles or rays share values.
///
/// \param space       as above
/// \param prepared    as above
/// \param atmosphere  arrays in the order of the descriptions of Atmosphere; optional ones may be empty
/// \param observation arrays in the order of the descriptions of Observation
/// \param spectra     arrays in the order of the descriptions of Spectra, overwritten; empty ones are left out
/// \param report      filled unless it is nullptr
/// \throws parhelion::Error on numbers of arrays or extents that disagree, and as above
template <KokkosExecutionSpace ExecutionSpace>
void compute_spectra(ExecutionSpace const& space, PreparedProblem const& prepared,
                     std::vector<ConstArrayRef> const& atmosphere, std::vector<ConstArrayRef> const& observation,
                     std::vector<ArrayRef> const& spectra, HostEgaReport* report = nullptr);

/// \brief The plan of compute_spectra, without computing anything. Reads the tables of some channels.
/// \param problem     as for compute_spectra
/// \param atmosphere  as for compute_spectra
/// \param observation as for compute_spectra
/// \param options     as for compute_spectra; `on_plan` and `progress` are not called
/// \return a report with the plan: chunks, blocks of channels, memory [bytes], and values out of range; times are 0
/// \throws parhelion::Error as compute_spectra
HostEgaReport plan_spectra(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                           HostEgaOptions const& options = {});

/// The quantity that an element of a Jacobian belongs to.
enum class Quantity { pressure, temperature, mole_fraction, extinction };

/// An element of a Jacobian: a quantity at a level.
struct Element {
  Quantity quantity;
  int which;  ///< index of the gas or window; 0 for other quantities
  int level;
};

/// The elements of a choice in an atmosphere (its first profile), in order.
std::vector<Element> elements_of(ElementChoice const& choice, HostAtmosphere const& atmosphere);

enum class JacobianMethod {
  /// One-sided differences: p 1 % (at least 1e-5 Pa), T 1 K, q 1 % (at least 1e-15), k 1e-7 m-1. They and the spectra
  /// that come with them are always in double precision, because rounding to float changes a radiance by as much as
  /// such a difference.
  differences,
  analytic  ///< derivatives of the discrete model, in the precision of the options
};

/// Derivatives of radiances with respect to elements of an atmosphere, and the radiances.
struct HostJacobian {
  std::vector<Element> elements;
  HostSpectra spectra;              ///< of the unperturbed atmosphere
  HostArray<double***> derivative;  ///< of the radiance (or brightness temperature), SI units, (ray, channel, element)
};

/// \brief Derivatives of radiances with respect to the atmosphere (of one profile).
/// \param problem     as for compute_spectra; with brightness temperatures, derivatives are those of these
/// \param atmosphere  one profile, otherwise as for compute_spectra
/// \param observation as for compute_spectra
/// \param choice      the elements, at least one: altitudes [m] of the levels, by quantity, gas and window
/// \param method      differences or analytic derivatives
/// \param options     as for compute_spectra; differences are in double precision whatever they say
/// \param report      filled unless it is nullptr
/// \return elements in the order of elements_of(), spectra as of compute_spectra, and derivatives, (ray, channel,
///         element), per Pa of pressure, K of temperature, mole fraction of 1 and m-1 of extinction; NaN where masked,
///         or not computed because `progress` ended the call
/// \throws parhelion::Error as compute_spectra, on more than one profile, and on a choice without elements or of gases
///         or windows that are not there
HostJacobian compute_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaOptions const& options = {}, HostEgaReport* report = nullptr);

/// \brief The plan of compute_jacobian, without computing anything. Reads the tables of some channels.
/// \param problem     as for compute_jacobian
/// \param atmosphere  as for compute_jacobian
/// \param observation as for compute_jacobian
/// \param choice      as for compute_jacobian
/// \param method      as for compute_jacobian
/// \param options     as for compute_jacobian; `on_plan` and `progress` are not called
/// \return as of plan_spectra
/// \throws parhelion::Error as compute_jacobian
HostEgaReport plan_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                            HostEgaOptions const& options = {});

/// \brief compute_jacobian with tables that stay on the device between calls.
///
/// For differences of a problem in single precision the tables are copied a second time, in double.
///
/// \param prepared    problem, options and tables
/// \param atmosphere  as for a problem
/// \param observation as for a problem
/// \param choice      as for a problem
/// \param method      as for a problem
/// \param report      filled unless it is nullptr
/// \throws parhelion::Error as for a problem
HostJacobian compute_jacobian(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaReport* report = nullptr);

/// \brief A problem whose tables are copied to the device once, for repeated calls.
///
/// Tables are read by the first call. If those of all channels fit into the memory limit, that call leaves them on the
/// device, with everything else of a Model, for later calls. Otherwise they are kept in host memory, and every call
/// copies them to the device in blocks of channels. Results have the same bits as those of calls with the problem.
///
/// With tables on the device, a call also leaves its memory for the next one, which uses it if it has the same sizes on
/// the same instance: an instance, and its stream, must then live as long as the problem or until a call on another.
///
/// Copies share the tables, which live as long as the last of the copies. Not thread-safe: calls modify shared data.
class PreparedProblem {
 public:
  /// \brief Stores its arguments; the first call does the work and reports errors.
  /// \param problem what is computed, without atmosphere and rays
  /// \param options of all calls
  explicit PreparedProblem(Problem problem, HostEgaOptions options = {});
  PreparedProblem(PreparedProblem const&) = default;
  PreparedProblem(PreparedProblem&&) noexcept = default;
  PreparedProblem& operator=(PreparedProblem const&) = default;
  PreparedProblem& operator=(PreparedProblem&&) noexcept = default;
  ~PreparedProblem();

  Problem const& problem() const;
  HostEgaOptions const& options() const;

  /// Whether the tables of all channels are on the device.
  bool loaded() const;

 private:
  friend struct Impl::PreparedAccess;

  struct Content;
  std::shared_ptr<Content> m_content;
};

/// Model quantities at each point of one ray.
struct HostLineOfSight {
  int ray = 0;
  Place tangent = {};
  double surface_temperature = -999;  ///< [K]; -999 if the ray does not end at the surface
  std::vector<Place> place;
  std::vector<double> pressure;        ///< [Pa]
  std::vector<double> temperature;     ///< [K]
  std::vector<double> length;          ///< length of the segment of the point [m]
  HostArray<double**> mole_fraction;   ///< (point, gas)
  HostArray<double**> column_density;  ///< [molecules cm-2], (point, gas)
  HostArray<double**> extinction;      ///< aerosol and cloud [m-1], (point, channel)
  HostArray<double**> continuum;       ///< continua and extinction [m-1], (point, channel)
  HostArray<double***>
      path_transmittance;  ///< from the observer to behind the segment, by gas [1], (point, gas, channel)
  HostArray<double**> segment_transmittance;  ///< of all gases [1], (point, channel)
  HostArray<double**> segment_emissivity;     ///< with continua [1], (point, channel)
  HostArray<double**> planck;                 ///< source [W m-2 sr-1 (cm-1)-1], (point, channel)
  HostArray<double**> transmittance;          ///< from the observer to behind the segment [1], (point, channel)
  HostArray<double**> radiance;  ///< of the path up to behind the segment [W m-2 sr-1 (cm-1)-1], (point, channel)

  // The surface, (channel); empty if the ray does not end there, or the surface is ignored.
  HostArray<double*> surface_emissivity;  ///< [1]
  HostArray<double*> surface_planck;      ///< radiance of a black surface [W m-2 sr-1 (cm-1)-1]
  HostArray<double*> surface_emission;    ///< emission of the surface that reaches the observer, without reflection

  int npoint() const { return static_cast<int>(pressure.size()); }
};

/// \brief The plan of compute_lines_of_sight, without computing anything. Reads the tables of some channels.
/// \param problem     as for compute_lines_of_sight
/// \param atmosphere  as for compute_lines_of_sight
/// \param observation as for compute_lines_of_sight
/// \param rays        as for compute_lines_of_sight
/// \param options     as for compute_lines_of_sight
/// \throws parhelion::Error as compute_lines_of_sight
HostEgaReport plan_lines_of_sight(Problem const& problem, HostAtmosphere const& atmosphere,
                                  HostObservation const& observation, std::vector<int> const& rays,
                                  HostEgaOptions const& options = {});

/// \brief Lines of sight of single rays, in double precision.
///
/// The tables of all channels are loaded together, regardless of the memory limit.
///
/// \param problem     as for compute_spectra
/// \param atmosphere  as for compute_spectra
/// \param observation all rays
/// \param rays        indices of the rays
/// \param options     as for compute_spectra; always in double precision
/// \throws parhelion::Error as compute_spectra
std::vector<HostLineOfSight> compute_lines_of_sight(Problem const& problem, HostAtmosphere const& atmosphere,
                                                    HostObservation const& observation, std::vector<int> const& rays,
                                                    HostEgaOptions const& options = {});

}  // namespace parhelion::ega

#endif
