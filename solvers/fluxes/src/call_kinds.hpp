// SPDX-License-Identifier: BSD-3-Clause
// The two kinds of calls, by which checks and drivers that both share know their arrays.
#ifndef PARHELION_FLUXES_CALL_KINDS_HPP
#define PARHELION_FLUXES_CALL_KINDS_HPP

#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <parhelion/core/arrays.hpp>

namespace parhelion::fluxes::Impl {

using Host = Kokkos::DefaultHostExecutionSpace;

struct LongwaveCalls {
  template <class ExecutionSpace, class Real, class Layout = Kokkos::LayoutRight>
  using Columns = fluxes::Columns<ExecutionSpace, Real, Layout>;
  template <class ExecutionSpace, class Real, class Layout = Kokkos::LayoutRight>
  using Clouds = fluxes::Clouds<ExecutionSpace, Real, Layout>;
  template <class ExecutionSpace, class Real>
  using Fluxes = fluxes::Fluxes<ExecutionSpace, Real>;
  template <class ExecutionSpace, class Real>
  using Input = LongwaveInput<ExecutionSpace, Real>;
  template <class Model>
  using Solver = Longwave<Model>;
  using Arrays = LongwaveArrays;
  using Options = HostLongwaveOptions;
  using Report = HostLongwaveReport;

  static constexpr char const* where = "longwave";
  static constexpr ModelSizes of_rrtmg = rrtmg_sizes;
  /// The fraction from which on a g-point is cloudy.
  static constexpr double cloudy_fraction = 1;
  /// Whether there are the optics of all_bands.
  static constexpr bool has_all_bands = true;

  /// Sizes that are the same in all calls.
  static Dimensions dimensions(ModelSizes const& sizes) {
    return {{dimension::gas, sizes.ngas}, {dimension::band, sizes.nband}, {dimension::gpoint, sizes.ngpoint}};
  }
};

struct ShortwaveCalls {
  template <class ExecutionSpace, class Real, class Layout = Kokkos::LayoutRight>
  using Columns = ShortwaveColumns<ExecutionSpace, Real, Layout>;
  template <class ExecutionSpace, class Real, class Layout = Kokkos::LayoutRight>
  using Clouds = ShortwaveClouds<ExecutionSpace, Real, Layout>;
  template <class ExecutionSpace, class Real>
  using Fluxes = ShortwaveFluxes<ExecutionSpace, Real>;
  template <class ExecutionSpace, class Real>
  using Input = ShortwaveInput<ExecutionSpace, Real>;
  template <class Model>
  using Solver = Shortwave<Model>;
  using Arrays = ShortwaveArrays;
  using Options = HostShortwaveOptions;
  using Report = HostShortwaveReport;

  static constexpr char const* where = "shortwave";
  static constexpr ModelSizes of_rrtmg = rrtmg_sw_sizes;
  static constexpr double cloudy_fraction = 0;  // above it
  static constexpr bool has_all_bands = false;

  static Dimensions dimensions(ModelSizes const& sizes) {
    return {{dimension::gas, sizes.ngas},
            {dimension::band, sizes.nband},
            {dimension::gpoint, sizes.ngpoint},
            {dimension::solar_spectrum, nsolar},
            {dimension::aerosol_type, naerosol}};
  }
};

/// Arrays in host memory of any strides, which are only read.
template <class Calls, class Real>
using AnyColumns = typename Calls::template Columns<Host, Real const, Kokkos::LayoutStride>;
template <class Calls, class Real>
using AnyClouds = typename Calls::template Clouds<Host, Real const, Kokkos::LayoutStride>;

/// Arrays in host memory of our own.
template <class Calls, class Real>
using OwnColumns = typename Calls::template Columns<Host, Real>;
template <class Calls, class Real>
using OwnClouds = typename Calls::template Clouds<Host, Real>;

}  // namespace parhelion::fluxes::Impl

#endif
