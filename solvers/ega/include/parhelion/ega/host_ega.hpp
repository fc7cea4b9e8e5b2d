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

struct HostEgaOptions {
  std::string space = {};  ///< execution space by name, empty for the default one
  Precision precision = Precision::float64;
  /// Memory for tables on the device [bytes], 0: chosen automatically. If the device is the host, it includes the
  /// memory for reading them.
  std::size_t memory_limit = 0;
  int chunk = 0;  ///< rays that a stream works on at a time, 0: chosen automatically
  /// Devices that may take chunks: 1 for the one that Kokkos was started with, as processes of MPI want it; 0 for all
  /// that the process sees. Each has the tables.
  int devices = 1;
  OutOfRange out_of_range = OutOfRange::refuse;  ///< what to do with values outside the model's range, see validity.hpp
  /// Called before anything large is allocated with what the work will need; what it throws ends the call.
  std::function<void(struct HostEgaReport const&)> before = {};
  /// \brief Called at the beginning and after each chunk with the rays times channels that are done, and all of them.
  ///
  /// What it returns says whether to go on; where it is false, the call ends, and radiances, transmittances and
  /// derivatives that are not done, or not without those that are not, are NaN. If it is given, chunks are small enough
  /// that it is called often; results do not depend on them.
  std::function<bool(std::int64_t done, std::int64_t all)> progress = {};
};

/// \brief What a call did and how long it took. Items of the plan are rays, those that are done rays times channels.
///
/// The plan's memory on the device includes tables; in host memory it is results, tables that are copied to the device
/// and buffers, beside the caller's arrays.
struct HostEgaReport : HostReport {
  Precision precision = Precision::float64;  ///< of the computation: differences are always in double
  OutOfRangeCounts out_of_range = {};        ///< variables of the atmosphere and how many values were out of range
  int channel_blocks = 0;                    ///< blocks of channels that were done one after another
  int channels_per_block = 0;                ///< channels whose tables are on the device at a time
  std::size_t table_bytes = 0;               ///< tables of a block on the device
  double load_seconds = 0;  ///< reading tables and copying them to the device; 0: they were there already
};

class PreparedProblem;

namespace Impl {
struct PreparedAccess;
}

/// \brief Radiances and transmittances of rays, from host arrays to host arrays.
///
/// Validates, loads tables in blocks of channels that fit the memory limit, and streams chunks of rays through the
/// devices: while one is solved, others are copied in and out. Pressures are made hydrostatic first if the options say
/// so; the field of view and brightness temperatures come last.
/// \throws parhelion::Error on bad input, an option that cannot be honoured, or a radiance that is not finite
HostSpectra compute_spectra(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaOptions const& options = {},
                            HostEgaReport* report = nullptr);

/// The same with tables that stay on the device from call to call.
HostSpectra compute_spectra(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaReport* report = nullptr);

/// \brief The same on an execution space instance of the caller's, whatever the options say of the space.
///
/// Several threads of a caller may each have an instance and a PreparedProblem. Those of OpenMP are made outside of any
/// parallel region.
/// \param space       where to compute; on a host, also the threads that copy
/// \param prepared    problem, options and tables, of one device in all calls
/// \param atmosphere  as for compute_spectra
/// \param observation as for compute_spectra
/// \param report      filled unless it is nullptr
template <KokkosExecutionSpace ExecutionSpace>
HostSpectra compute_spectra(ExecutionSpace const& space, PreparedProblem const& prepared,
                            HostAtmosphere const& atmosphere, HostObservation const& observation,
                            HostEgaReport* report = nullptr);

/// \brief The same between arrays of the caller's, each in float or double and of any strides.
///
/// Gases are those of the problem, in its order. Where two profiles or rays share an array, its stride may be 0.
/// \param space       as above
/// \param prepared    as above
/// \param atmosphere  in the order in which Atmosphere describes its arrays; those that are optional may be empty
/// \param observation in the order in which Observation describes its arrays
/// \param spectra     in the order in which Spectra describes its arrays, overwritten; those that are empty are not
///                    wanted
/// \param report      filled unless it is nullptr
template <KokkosExecutionSpace ExecutionSpace>
void compute_spectra(ExecutionSpace const& space, PreparedProblem const& prepared,
                     std::vector<ConstArrayRef> const& atmosphere, std::vector<ConstArrayRef> const& observation,
                     std::vector<ArrayRef> const& spectra, HostEgaReport* report = nullptr);

/// \brief What compute_spectra will need, without computing anything. Reads the tables of some channels.
/// \throws parhelion::Error as compute_spectra
HostEgaReport plan_spectra(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                           HostEgaOptions const& options = {});

/// The quantity that an element of a Jacobian belongs to.
enum class Quantity { pressure, temperature, mixing_ratio, extinction };

/// An element of a Jacobian: a quantity at a level.
struct Element {
  Quantity quantity;
  int which;  ///< gas or window; 0 for the others
  int level;
};

/// The elements that a choice has in an atmosphere (its first profile), in order.
std::vector<Element> elements_of(ElementChoice const& choice, HostAtmosphere const& atmosphere);

enum class JacobianMethod {
  /// One-sided differences: p 1 % (at least 1e-5 Pa), T 1 K, q 1 % (at least 1e-15), k 1e-7 m-1. Always in double
  /// precision, whatever the options say, as are the spectra that come with them, because rounding to float changes
  /// a radiance by as much as such a difference.
  differences,
  analytic  ///< derivatives of the model as it is computed, in the precision of the options
};

struct HostJacobian {
  std::vector<Element> elements;
  HostSpectra spectra;              ///< of the unperturbed atmosphere
  HostArray<double***> derivative;  ///< of the radiance (or brightness temperature), SI units, (ray, channel, element)
};

/// \brief Derivatives of radiances with respect to the atmosphere (of one profile).
HostJacobian compute_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaOptions const& options = {}, HostEgaReport* report = nullptr);

/// \brief What compute_jacobian will need, without computing anything. Reads the tables of some channels.
/// \throws parhelion::Error as compute_jacobian
HostEgaReport plan_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                            HostEgaOptions const& options = {});

/// The same with tables that stay on the device from call to call. For differences of a problem in single precision the
/// tables are copied there a second time, in double.
HostJacobian compute_jacobian(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaReport* report = nullptr);

/// \brief A problem whose tables are copied to the device once, for repeated calls.
///
/// Tables are read by the first call. If those of all channels fit into the memory limit, that call leaves them on the
/// device, with everything else that a Model holds, and later calls use them there. Otherwise they are kept in host
/// memory, and every call copies them to the device in blocks of channels. Results are those of calls with the
/// problem itself, to the last bit.
///
/// Copies share what is kept, which lives as long as the last of them. Calls fill it: they are not for several threads
/// at a time.
class PreparedProblem {
 public:
  /// \brief Stores its arguments; the first call does the work and finds errors.
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

/// Quantities of the model at each point of one ray.
struct HostLineOfSight {
  int ray = 0;
  Place tangent = {};
  double surface_temperature = -999;  ///< [K], -999 where the ray does not end at the surface
  std::vector<Place> place;
  std::vector<double> pressure;               ///< [Pa]
  std::vector<double> temperature;            ///< [K]
  std::vector<double> length;                 ///< of the segment that the point represents [m]
  HostArray<double**> mixing_ratio;           ///< (point, gas)
  HostArray<double**> column_density;         ///< [molecules cm-2], (point, gas)
  HostArray<double**> extinction;             ///< aerosol and cloud [m-1], (point, channel)
  HostArray<double**> continuum;              ///< continua and extinction [m-1], (point, channel)
  HostArray<double***> path_transmittance;    ///< of a gas after the segment [1], (point, gas, channel)
  HostArray<double**> segment_transmittance;  ///< of all gases [1], (point, channel)
  HostArray<double**> segment_emissivity;     ///< with continua [1], (point, channel)
  HostArray<double**> planck;                 ///< source [W m-2 sr-1 (cm-1)-1], (point, channel)
  HostArray<double**> transmittance;          ///< from the observer to behind the segment [1], (point, channel)
  HostArray<double**> radiance;               ///< of the path so far [W m-2 sr-1 (cm-1)-1], (point, channel)

  // The surface, (channel); empty if the ray does not end there, or the surface is ignored.
  HostArray<double*> surface_emissivity;  ///< [1]
  HostArray<double*> surface_planck;      ///< radiance of a black surface [W m-2 sr-1 (cm-1)-1]
  HostArray<double*> surface_emission;    ///< what the surface emits as it reaches the observer, without reflection

  int npoint() const { return static_cast<int>(pressure.size()); }
};

/// \brief What compute_lines_of_sight will need, without computing anything. Reads the tables of some channels.
/// \throws parhelion::Error as compute_lines_of_sight
HostEgaReport plan_lines_of_sight(Problem const& problem, HostAtmosphere const& atmosphere,
                                  HostObservation const& observation, std::vector<int> const& rays,
                                  HostEgaOptions const& options = {});

/// \brief Lines of sight of single rays, in double precision. The tables of all channels are on the device together,
///        regardless of the memory limit.
/// \param problem     as for compute_spectra
/// \param atmosphere  as for compute_spectra
/// \param observation all rays
/// \param rays        numbers of the rays
/// \param options     as for compute_spectra; always in double precision
/// \throws parhelion::Error as compute_spectra
std::vector<HostLineOfSight> compute_lines_of_sight(Problem const& problem, HostAtmosphere const& atmosphere,
                                                    HostObservation const& observation, std::vector<int> const& rays,
                                                    HostEgaOptions const& options = {});

}  // namespace parhelion::ega

#endif
