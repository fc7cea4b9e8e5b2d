// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_DEVICE_PROBLEM_HPP
#define PARHELION_MONTE_CARLO_DEVICE_PROBLEM_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <cstddef>
#include <memory>

namespace parhelion::monte_carlo {

namespace Impl {
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct DeviceArrays;
}

/// \brief A problem on a device: grids, composition, walls and spectrum, and how rays are drawn and followed.
///
/// Immutable; copies share their data. The temperature is that of the problem until a solver is given another one.
/// Tables cover the temperatures of the problem and those from Options::coldest to Options::warmest.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class DeviceProblem {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Copies a problem to a device; fences.
  /// \param space   execution space instance, whose device is used
  /// \param problem gas, walls and spectrum; not needed afterwards
  /// \param options how rays are drawn and followed
  /// \throws parhelion::Error where validate(problem) or validate(options) refuse
  DeviceProblem(ExecutionSpace const& space, Problem const& problem, Options const& options);

  /// One whose arrays have been made, for DeviceMonteCarlo.
  explicit DeviceProblem(std::shared_ptr<Impl::DeviceArrays<ExecutionSpace, Real> const> arrays);
  DeviceProblem(DeviceProblem const&) = default;
  DeviceProblem(DeviceProblem&&) noexcept = default;
  DeviceProblem& operator=(DeviceProblem const&) = default;
  DeviceProblem& operator=(DeviceProblem&&) noexcept = default;
  ~DeviceProblem();

  std::size_t ncell() const;  ///< number of cells
  std::size_t nface() const;  ///< number of faces of walls whose fluxes are computed
  std::size_t bytes() const;  ///< device memory

  /// \brief The device memory that an object would take [bytes], without making it.
  /// \param problem one that validate() accepts
  /// \param options likewise
  static std::size_t bytes(Problem const& problem, Options const& options);

  /// The arrays, for solvers.
  Impl::DeviceArrays<ExecutionSpace, Real> const& arrays() const { return *m_arrays; }

 private:
  std::shared_ptr<Impl::DeviceArrays<ExecutionSpace, Real> const> m_arrays;
};

}  // namespace parhelion::monte_carlo

#endif
