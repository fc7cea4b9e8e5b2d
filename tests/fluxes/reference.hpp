// SPDX-License-Identifier: BSD-3-Clause
// Reference data of RRTMG_LW as the tests use it.
#ifndef PARHELION_TESTS_RRTMG_REFERENCE_HPP
#define PARHELION_TESTS_RRTMG_REFERENCE_HPP

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/rrtmg_files.hpp>

#include "testing.hpp"

#include <string>

namespace parhelion::Testing {

inline char const* const coefficient_file = "rrtmg_lw/RRTMG_LW_DATA.DBL";

/// Coefficients of the reference data folder, read once.
inline fluxes::Coefficients const& reference_coefficients() {
  static fluxes::Coefficients const coefficients(
      io::read_rrtmg_lw_data(reference_data(coefficient_file), fluxes::record_values()));
  return coefficients;
}

/// The clear-sky part of the input of a reference case: hPa become Pa.
inline fluxes::HostColumns read_reference_columns(io::Hdf5File const& file) {
  using fluxes::Gas;
  auto const shape = file.shape("play");
  int const ncol = static_cast<int>(shape.at(0));
  int const nlay = static_cast<int>(shape.at(1));
  auto const columns = fluxes::make_columns<Kokkos::DefaultHostExecutionSpace, double>(ncol, nlay, fluxes::nbnd);
  auto const fill = [&](auto const& view, char const* name, double factor) {
    auto const values = file.read(name);
    ASSERT_EQ(values.size(), view.size());
    for (std::size_t i = 0; i < values.size(); ++i) view.data()[i] = factor * values[i];
  };
  fill(columns.pressure_lay, "play", 100);
  fill(columns.pressure_lev, "plev", 100);
  fill(columns.temperature_lay, "tlay", 1);
  fill(columns.temperature_lev, "tlev", 1);
  fill(columns.temperature_sfc, "tsfc", 1);
  fill(columns.emissivity_sfc, "emis", 1);
  for (auto const& [gas, name] :
       {std::pair(Gas::h2o, "h2ovmr"), std::pair(Gas::co2, "co2vmr"), std::pair(Gas::o3, "o3vmr"),
        std::pair(Gas::n2o, "n2ovmr"), std::pair(Gas::ch4, "ch4vmr"), std::pair(Gas::o2, "o2vmr"),
        std::pair(Gas::ccl4, "ccl4vmr"), std::pair(Gas::cfc11, "cfc11vmr"), std::pair(Gas::cfc12, "cfc12vmr"),
        std::pair(Gas::cfc22, "cfc22vmr")}) {
    auto const values = file.read(name);
    for (int c = 0; c < ncol; ++c)
      for (int k = 0; k < nlay; ++k) columns.vmr(c, static_cast<int>(gas), k) = values[c * nlay + k];
  }
  return columns;
}

/// A copy of host columns in the memory and precision of a kernel.
template <class ExecutionSpace, class Real>
fluxes::Columns<ExecutionSpace, Real> to_device(fluxes::HostColumns const& host) {
  auto const device = fluxes::make_columns<ExecutionSpace, Real>(host.ncol(), host.nlay(),
                                                                 static_cast<int>(host.emissivity_sfc.extent(1)));
  auto const copy = [](auto const& from, auto const& to) {
    auto const mirror = Kokkos::create_mirror_view(to);
    for (std::size_t i = 0; i < from.size(); ++i) mirror.data()[i] = static_cast<Real>(from.data()[i]);
    parhelion::assign_array(to, mirror);
  };
  copy(host.pressure_lay, device.pressure_lay);
  copy(host.pressure_lev, device.pressure_lev);
  copy(host.temperature_lay, device.temperature_lay);
  copy(host.temperature_lev, device.temperature_lev);
  copy(host.temperature_sfc, device.temperature_sfc);
  copy(host.emissivity_sfc, device.emissivity_sfc);
  copy(host.vmr, device.vmr);
  return device;
}

}  // namespace parhelion::Testing

#endif
