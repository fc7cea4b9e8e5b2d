// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_RRTMG_HOST_LONGWAVE_HPP
#define PARHELION_RRTMG_HOST_LONGWAVE_HPP

#include <parhelion/rrtmg/coefficients.hpp>
#include <parhelion/rrtmg/columns.hpp>
#include <parhelion/rrtmg/longwave.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace parhelion::rrtmg {

struct HostLongwaveOptions {
  std::string space = {};  ///< execution space by name, empty for the default one
  Precision precision = Precision::float64;
  Transmittance transmittance = Transmittance::exact;
  int chunk = 0;  ///< columns that are on the device at a time, 0 for a choice of our own
  /// \brief Puts a layer between the top of the columns and 0.01 Pa, as RRTMG_LW can.
  ///
  /// It has the temperature and mole ratios of the highest layer, which the interface between both takes too, and half
  /// the pressure of that interface. It absorbs and emits; results are given for the caller's levels only.
  bool extra_layer = false;
  LongwaveTuning tuning = {};
  /// Called after each chunk with the columns that are done, and all columns.
  std::function<void(int done, int all)> progress = {};
};

/// What a call took.
struct HostLongwaveReport {
  std::string space;             ///< execution space that ran
  int chunk = 0;                 ///< columns a chunk
  std::size_t device_bytes = 0;  ///< columns, fluxes and workspace of a chunk on the device
  double solve_seconds = 0;      ///< kernels only
  double total_seconds = 0;      ///< with conversion and copies
};

/// \brief Checks columns in host memory.
/// \throws parhelion::Error naming the argument, its index, the value and the accepted range: where extents disagree, a
///         value is not finite or out of range, or pressure does not fall with the index
void validate(HostColumns const& columns);

/// \brief Longwave fluxes from host arrays to host arrays.
///
/// Validates, copies to the device chunk by chunk, solves and copies back. The chunk changes nothing in the results.
///
/// \param columns      the atmosphere, layer 0 next to the surface
/// \param coefficients of RRTMG_LW; nullptr for the simple spectral model
/// \param options      see there
/// \param report       filled where not nullptr
/// \return fluxes and heating rates for the caller's levels and layers, level 0 at the surface
/// \throws parhelion::Error on bad input, an option that cannot be honoured, or a result that is not finite
HostFluxes compute_longwave(HostColumns const& columns, Coefficients const* coefficients,
                            HostLongwaveOptions const& options = {}, HostLongwaveReport* report = nullptr);

}  // namespace parhelion::rrtmg

#endif
