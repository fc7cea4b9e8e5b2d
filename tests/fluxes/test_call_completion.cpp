// SPDX-License-Identifier: BSD-3-Clause
// What drivers complete: gases that calls do not give, and temperatures at levels, on hosts and devices.
#include "ecckd_definitions.hpp"
#include "flux_comparisons.hpp"
#include "synthetic_columns.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/device_longwave.hpp>
#include <parhelion/fluxes/device_shortwave.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>
#include <parhelion/fluxes/rrtmgp/level_temperatures.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;
using fluxes::HostColumns;
using fluxes::HostFluxes;
using fluxes::HostLongwaveOptions;
using fluxes::HostShortwaveColumns;
using fluxes::HostShortwaveFluxes;
using fluxes::HostShortwaveOptions;
using fluxes::LevelTemperatures;
using fluxes::LongwaveArrays;
using fluxes::ShortwaveArrays;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int ncol = 5, nlay = 12;
constexpr double default_ch4 = 1.8e-6;  // of made_up_definition()

/// Columns with the gases of all models; CH4 has its default.
HostColumns columns_of_all() {
  auto const few = synthetic_columns(ncol, nlay, 1);
  auto columns = few;
  columns.vmr = HostArray<double***>("vmr", ncol, fluxes::ngas_all, nlay);
  for (int c = 0; c < ncol; ++c)
    for (int gas = 0; gas < fluxes::ngas; ++gas)
      for (int k = 0; k < nlay; ++k)
        columns.vmr(c, gas, k) = gas == static_cast<int>(Gas::ch4) ? default_ch4 : few.vmr(c, gas, k);
  return columns;
}

HostShortwaveColumns sunlit_of_all() {
  auto const air = columns_of_all();
  auto columns = fluxes::make_shortwave_columns<Host, double>(ncol, nlay, 1, {.ngas = fluxes::ngas_all, .nband = 2});
  columns.pressure_lay = air.pressure_lay;
  columns.pressure_lev = air.pressure_lev;
  columns.temperature_lay = air.temperature_lay;
  columns.temperature_lev = air.temperature_lev;
  columns.vmr = air.vmr;
  parhelion::assign_array(columns.cos_zenith, 0.6);
  parhelion::assign_array(columns.albedo_direct, 0.2);
  parhelion::assign_array(columns.albedo_diffuse, 0.1);
  for (int c = 0; c < ncol; ++c) columns.solar_weights(c, 0) = 1300 + c;
  return columns;
}

/// Whether level temperatures are left out, and gases but those of `absent` are given one by one.
struct LeftOut {
  std::vector<Gas> absent = {};
  bool levels = false;

  template <class Arrays, class Columns>
  Arrays from(Columns const& columns) const {
    Arrays in;
    auto const ordered = in.in_order();
    std::size_t i = 0;
    Columns::for_each_array([&](ArrayDescription const&, auto const& view) { *ordered[i++] = array_ref(view); },
                            columns);
    for (int gas = 0; gas < fluxes::ngas_all; ++gas) in.gases[static_cast<std::size_t>(gas)] = in.vmr.slice(1, gas);
    for (Gas const gas : absent) in.gases[static_cast<std::size_t>(gas)] = {};
    in.vmr = {};
    if (levels) in.temperature_lev = {};
    return in;
  }
};

/// Fluxes by a driver for arrays in the memory of a space.
template <class Arrays, class Space, class Driver, class Set, class Results>
Results on_device(Space const& space, Driver& driver, Set const& columns, LeftOut const& left_out,
                  Results const& results) {
  auto const there = make_device_arrays<typename InSpace<Space, Set>::type>(space, columns);
  auto const found = make_device_arrays<typename InSpace<Space, Results>::type>(space, results);
  driver.compute(space, left_out.from<Arrays>(there), array_refs(found));
  EXPECT_TRUE(driver.status(space).good());
  Results::for_each_array(
      [](ArrayDescription const&, auto const& to, auto const& from) {
        if (to.size() > 0) parhelion::assign_array(to, from);
      },
      results, found);
  return results;
}

template <class Pair>
struct CallCompletion : testing::Test {
  using Space = typename Pair::ExecutionSpace;
  static constexpr bool in_double = std::is_same_v<typename Pair::Real, double>;
  fluxes::ecckd::Definition const longwave = made_up_definition(true), shortwave = made_up_definition(false);

  HostFluxes host(HostColumns const& columns, LeftOut const& left_out, HostLongwaveOptions options = {}) const {
    fluxes::HostLongwave<double> driver(ncol, nlay, {}, false, longwave, options_of<Pair>(options));
    auto const results = fluxes::make_fluxes<Host, double>(ncol, nlay);
    driver.compute(left_out.from<LongwaveArrays>(columns), array_refs(results));
    return results;
  }
  HostShortwaveFluxes host(HostShortwaveColumns const& columns, LeftOut const& left_out,
                           HostShortwaveOptions options = {}) const {
    fluxes::HostShortwave<double> driver(ncol, nlay, {}, {}, shortwave, options_of<Pair>(options));
    auto const results = fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay);
    driver.compute(left_out.from<ShortwaveArrays>(columns), array_refs(results));
    return results;
  }
  HostFluxes device(HostColumns const& columns, LeftOut const& left_out, HostLongwaveOptions options = {}) const {
    Space const space;
    fluxes::DeviceLongwave<Space> driver(space, 2, nlay, {}, false, longwave, options_of<Pair>(options));
    return on_device<LongwaveArrays>(space, driver, columns, left_out, fluxes::make_fluxes<Host, double>(ncol, nlay));
  }
  HostShortwaveFluxes device(HostShortwaveColumns const& columns, LeftOut const& left_out,
                             HostShortwaveOptions options = {}) const {
    Space const space;
    fluxes::DeviceShortwave<Space> driver(space, 2, nlay, {}, {}, shortwave, options_of<Pair>(options));
    return on_device<ShortwaveArrays>(space, driver, columns, left_out,
                                      fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay));
  }

  /// Calls action(columns, options) for the longwave and the shortwave.
  template <class Action>
  static void for_both(Action const& action) {
    action(columns_of_all(), HostLongwaveOptions());
    action(sunlit_of_all(), HostShortwaveOptions());
  }
};
TYPED_TEST_SUITE(CallCompletion, SpacesAndReals, PairName);

}  // namespace

TYPED_TEST(CallCompletion, GasesWithADefaultMayBeAbsent) {
  this->for_both([&](auto const& columns, auto const&) {
    auto const given = this->host(columns, {});
    expect_same_columns(given, this->host(columns, {.absent = {Gas::ch4}}), "host");
    expect_same_columns(given, this->device(columns, {}), "device, all given");
    expect_same_columns(given, this->device(columns, {.absent = {Gas::ch4}}), "device");
    // They are not those that count as 0.
    Kokkos::deep_copy(Kokkos::subview(columns.vmr, Kokkos::ALL, static_cast<int>(Gas::ch4), Kokkos::ALL), 0.);
    EXPECT_GT(largest_difference(given.flux_dn, this->host(columns, {}).flux_dn), 1e-3);
  });
}

TYPED_TEST(CallCompletion, ValuesThatAreClippedLeaveTheDefault) {
  this->for_both([&](auto const& columns, auto options) {
    auto const given = this->host(columns, {});
    columns.vmr(1, static_cast<int>(Gas::co2), 2) = -1e-12;
    options.checks = Checks::clip;
    auto const clipped = this->host(columns, {.absent = {Gas::ch4}}, options);
    columns.vmr(1, static_cast<int>(Gas::co2), 2) = 0;
    expect_same_columns(this->host(columns, {}), clipped, "clipped");
  });
}

TYPED_TEST(CallCompletion, GasesThatAModelNeedsAreNamed) {
  this->for_both([&](auto const& columns, auto const&) {
    LeftOut const left_out{.absent = {Gas::h2o, Gas::co2, Gas::o2}};
    std::string const expected = "h2o, co2 are absent, expected them, as ecCKD needs them";
    auto const on_host = message_of([&] { this->host(columns, left_out); });
    auto const there = message_of([&] { this->device(columns, left_out); });
    EXPECT_NE(on_host.find(expected), std::string::npos) << on_host;
    EXPECT_NE(there.find(expected), std::string::npos) << there;
  });
}

TYPED_TEST(CallCompletion, LevelTemperaturesAreInterpolated) {
  auto const interpolated = [] {
    auto columns = columns_of_all();
    columns.temperature_lev = HostArray<double**>("temperature_lev", ncol, nlay + 1);
    fluxes::rrtmgp::interpolate_level_temperatures(columns);
    return columns.temperature_lev;
  }();
  this->for_both([&](auto columns, auto options) {
    auto given = columns;
    given.temperature_lev = interpolated;
    auto const expected = this->host(given, {});
    EXPECT_GT(largest_difference(expected.flux_up, this->host(columns, {}).flux_up), 0);
    options.level_temperatures = LevelTemperatures::interpolated;
    expect_same_columns(expected, this->host(columns, {.levels = true}, options), "host");
    auto const there = this->device(columns, {.levels = true}, options);
    // A device interpolates in the precision of its copies of the arrays, and some fuse multiplications with additions:
    // relative errors of 1e-6 in temperature in float, of some 1e-15 in double, and four times as large ones in fluxes
    // of up to 500 W m-2.
    double const tolerance = this->in_double ? 1e-11 : 0.05;
    EXPECT_LE(largest_difference(there.flux_up, expected.flux_up), tolerance);
    EXPECT_LE(largest_difference(there.flux_dn, expected.flux_dn), tolerance);

    auto const message = message_of([&] { this->host(columns, {}, options); });
    EXPECT_NE(message.find("temperature_lev is given"), std::string::npos) << message;
    columns.pressure_lay(3, 4) = columns.pressure_lay(3, 3);
    auto const equal = message_of([&] { this->host(columns, {.levels = true}, options); });
    EXPECT_NE(equal.find("pressure_lay(3, 4)"), std::string::npos) << equal;
  });
}
