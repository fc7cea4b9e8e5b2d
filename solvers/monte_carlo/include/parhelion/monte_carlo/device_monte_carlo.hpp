// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_DEVICE_MONTE_CARLO_HPP
#define PARHELION_MONTE_CARLO_DEVICE_MONTE_CARLO_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace parhelion::monte_carlo {

namespace Impl {
template <KokkosExecutionSpace ExecutionSpace>
class MonteCarloOnDevice;
}

/// A problem whose arrays are on a device.
struct DeviceBox {
  /// Grid, pressure, sides and spectrum, which is to be the same in all calls of an object. Its arrays are not used;
  /// neither is the temperature of a wall whose faces have their own.
  Problem problem;
  ConstArrayRef temperature = {};                      ///< as Problem::temperature
  ConstArrayRef mole_fraction = {};                    ///< as Problem::mole_fraction; absent: 1
  std::array<ConstArrayRef, 6> face_temperature = {};  ///< as Boundary::face_temperature; absent: that of the side
};

/// \brief Radiative source, incident radiation and fluxes at walls from arrays on a device to arrays there, of any
///        strides and precision, in the order of a stream of the caller.
///
/// A call waits for a few numbers, on which tables depend: the ranges of temperatures and mole fractions, and the mean
/// of the mole fractions. It then enqueues its rays and returns. It copies no array to the host. Where the box is that
/// of the call before and these numbers are about the same, as they are in a flow from step to step, it makes and
/// allocates nothing: tables are made for ranges that are rounded outwards. Results have the bits of calls with arrays
/// on the host. Calls of one object must be in the order of one stream.
template <KokkosExecutionSpace ExecutionSpace>
class DeviceMonteCarlo {
 public:
  /// \brief Stores its arguments; the first call does the work.
  /// \param options      how rays are drawn and followed; `walls` has no effect
  /// \param precision    of the calculation
  /// \param out_of_range what is done with values outside the validity of the spectrum, as in_range() does it
  /// \throws parhelion::Error where validate(Options) refuses
  explicit DeviceMonteCarlo(Options const& options, Precision precision = Precision::float64,
                            OutOfRange out_of_range = OutOfRange::refuse);
  ~DeviceMonteCarlo();
  DeviceMonteCarlo(DeviceMonteCarlo&&) noexcept;
  DeviceMonteCarlo& operator=(DeviceMonteCarlo&&) noexcept;

  /// \brief Enqueues the work of a call.
  /// \param space   instance of the stream, on the same device in all calls
  /// \param box     with arrays on the device
  /// \param results arrays on the device in the order of the descriptions of Results, overwritten; only q must be there
  /// \throws parhelion::Error where validate(Problem) would refuse the box, but for values that are not finite, before
  ///         rays are followed
  void compute(ExecutionSpace const& space, DeviceBox const& box, std::vector<ArrayRef> const& results);

  /// Waits for the instance; the first item (cell, or face behind all cells) whose temperature or result has not been
  /// finite since the last call of this function.
  SolveStatus status(ExecutionSpace const& space);

  /// Device memory [bytes].
  std::size_t bytes() const;

 private:
  std::unique_ptr<Impl::MonteCarloOnDevice<ExecutionSpace>> m_parts;
};

}  // namespace parhelion::monte_carlo

#endif
