// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_SPECTRA_HPP
#define PARHELION_EGA_SPECTRA_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/ega/observation.hpp>

#include <string>

namespace parhelion::ega {

/// Results of a forward calculation in the memory of a solver.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Spectra {
  Array<Real**, ExecutionSpace> radiance;       ///< [W m-2 sr-1 (cm-1)-1], (ray, channel)
  Array<Real**, ExecutionSpace> transmittance;  ///< of the whole path [1], (ray, channel)
  /// Number of points of the line of sight, (ray); 0: the ray does not meet the atmosphere; -1: its places and time are
  /// not all finite, its view point is the observer, or there was no room for its points, and radiance and
  /// transmittance are NaN.
  Array<int*, ExecutionSpace> npoint;
  Places<ExecutionSpace, double> tangent;  ///< tangent points

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace parhelion::dimension;
    action(ArrayDescription{.name = "radiance",
                            .unit = "W m-2 sr-1 (cm-1)-1",
                            .meaning = "spectral radiance at the observer",
                            .dimensions = {ray, channel}},
           sets.radiance...);
    action(ArrayDescription{.name = "transmittance",
                            .unit = "1",
                            .meaning = "transmittance of the whole path",
                            .dimensions = {ray, channel}},
           sets.transmittance...);
    action(
        ArrayDescription{
            .name = "npoint", .unit = "1", .meaning = "number of points of the line of sight", .dimensions = {ray}},
        sets.npoint...);
    Places<ExecutionSpace, double>::for_each_array(
        action, {"tangent_altitude", "tangent_longitude", "tangent_latitude"},
        {"altitude of the tangent point", "longitude of the tangent point", "latitude of the tangent point"},
        sets.tangent...);
  }
};

/// Spectra of zeros.
/// \param space    execution space instance; fills are enqueued there
/// \param nray     rays
/// \param nchannel channels
template <Floating Real, KokkosExecutionSpace ExecutionSpace>
Spectra<ExecutionSpace, Real> make_spectra(ExecutionSpace const& space, int nray, int nchannel) {
  auto const label = [&](char const* name) {
    return Kokkos::view_alloc(space, std::string("parhelion::ega::") + name);
  };
  Spectra<ExecutionSpace, Real> spectra;
  spectra.radiance = Array<Real**, ExecutionSpace>(label("radiance"), nray, nchannel);
  spectra.transmittance = Array<Real**, ExecutionSpace>(label("transmittance"), nray, nchannel);
  spectra.npoint = Array<int*, ExecutionSpace>(label("npoint"), nray);
  for (auto* array : {&spectra.tangent.altitude, &spectra.tangent.longitude, &spectra.tangent.latitude})
    *array = Array<double*, ExecutionSpace>(label("tangent"), nray);
  return spectra;
}

/// The same in host memory. In results of calls, radiances may be brightness temperatures [K], and are NaN if masked.
using HostSpectra = Spectra<Kokkos::DefaultHostExecutionSpace, double>;

}  // namespace parhelion::ega

#endif
