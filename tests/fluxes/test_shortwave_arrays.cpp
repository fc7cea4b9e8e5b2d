// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the shortwave as callers have them: gases one by one, other units, fewer layers, values that are slightly
// impossible, on hosts and on devices.
#include "kokkos_manners.hpp"
#include "synthetic_shortwave.hpp"
#include "synthetic_shortwave_coefficients.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/fluxes/device_shortwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// How often operator new has been called, see count_allocations.c.
extern "C" long number_of_allocations();

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::AerosolArrays;
using fluxes::HostShortwave;
using fluxes::HostShortwaveClouds;
using fluxes::HostShortwaveColumns;
using fluxes::HostShortwaveFluxes;
using fluxes::HostShortwaveOptions;
using fluxes::HostShortwaveReport;
using fluxes::ngas;
using fluxes::ShortwaveArrays;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int ncol = 11;
constexpr int nlay = 7;

template <class Pair>
HostShortwaveOptions options_of(HostShortwaveOptions options = {}) {
  options.space = Pair::ExecutionSpace::name();
  options.precision = std::is_same_v<typename Pair::Real, float> ? Precision::float32 : Precision::float64;
  return options;
}

/// Columns with gases one by one, in memory of their own, and with aerosol.
struct Apart {
  HostShortwaveColumns columns = synthetic_shortwave_columns(ncol, nlay, 2);
  std::array<HostArray<double**>, ngas> gases;

  Apart() {
    add_synthetic_aerosol(columns);
    for (int gas = 0; gas < ngas; ++gas) {
      auto& its = gases[static_cast<std::size_t>(gas)];
      its = HostArray<double**>("gas", ncol, nlay);
      for (int c = 0; c < ncol; ++c)
        for (int k = 0; k < nlay; ++k) its(c, k) = columns.vmr(c, gas, k);
    }
  }

  ShortwaveArrays arrays(HostShortwaveClouds const& clouds = {}) const {
    ShortwaveArrays in = fluxes::arrays_of(columns, clouds);
    in.vmr = {};
    for (std::size_t gas = 0; gas < gases.size(); ++gas) in.gases[gas] = array_ref(gases[gas]);
    return in;
  }
};

std::vector<double> values_of(HostShortwaveFluxes const& fluxes) {
  std::vector<double> values;
  for (auto const& view : {fluxes.flux_up, fluxes.flux_dn, fluxes.flux_dn_direct, fluxes.heating_rate})
    values.insert(values.end(), view.data(), view.data() + view.size());
  return values;
}

std::vector<double> solve(ShortwaveArrays const& in, HostShortwaveOptions const& options,
                          HostShortwaveClouds const& clouds = {}, HostShortwaveReport* report = nullptr) {
  HostShortwave<double> shortwave(ncol, nlay, clouds, {true, true}, synthetic_shortwave_coefficients(), options);
  auto const fluxes = fluxes::make_shortwave_fluxes<Host, double>(in.ncol(), in.nlay());
  shortwave.compute(in, array_refs(fluxes), report);
  return values_of(fluxes);
}

template <class Pair>
struct ShortwaveArraysTest : testing::Test {};
TYPED_TEST_SUITE(ShortwaveArraysTest, SpacesAndReals, PairName);

TYPED_TEST(ShortwaveArraysTest, GasesOneByOneAreTheGasesTogether) {
  Apart const apart;
  auto const options = options_of<TypeParam>();
  auto const together = [&] { return solve(fluxes::arrays_of(apart.columns, HostShortwaveClouds()), options); };
  auto const expected = together();
  EXPECT_EQ(solve(apart.arrays(), options), expected);

  // Gases that do not absorb sunlight have no effect, and an absent one is 0.
  auto without = apart.arrays();
  for (auto const gas : {fluxes::Gas::n2o, fluxes::Gas::co, fluxes::Gas::cfc11})
    without.gases[static_cast<std::size_t>(gas)] = {};
  EXPECT_EQ(solve(without, options), expected);
  auto const ozone = static_cast<int>(fluxes::Gas::o3);
  without.gases[static_cast<std::size_t>(ozone)] = {};
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) apart.columns.vmr(c, ozone, k) = 0;
  auto const without_ozone = together();
  EXPECT_EQ(solve(without, options), without_ozone);
  EXPECT_NE(without_ozone, expected);
}

TYPED_TEST(ShortwaveArraysTest, UnitsOfTheCaller) {
  Apart const apart;
  auto const clouds = synthetic_shortwave_clouds(ncol, nlay);
  auto const options = options_of<TypeParam>();
  auto const expected = solve(apart.arrays(clouds), options, clouds);
  // Powers of two, whose products are exact.
  auto const scaled = [](auto const& view, double factor) {
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] *= factor;
  };
  auto in = apart.arrays(clouds);
  for (auto const& view : {apart.columns.pressure_lay, apart.columns.pressure_lev}) scaled(view, 1. / 128);
  for (auto const& view : {clouds.ice_path, clouds.liquid_path}) scaled(view, 1024);
  for (auto const& view : {clouds.ice_size, clouds.liquid_size}) scaled(view, 1 << 20);
  in.pressure_factor = 128;
  in.path_factor = 1. / 1024;
  in.size_factor = 1. / (1 << 20);
  EXPECT_EQ(solve(in, options, clouds), expected);

  // Messages have the unit of the documentation.
  apart.columns.pressure_lev(2, 1) = apart.columns.pressure_lev(2, 0);
  auto const message = message_of([&] { solve(in, options, clouds); });
  EXPECT_NE(message.find("pressure_lev(2, 1)"), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(static_cast<int>(128 * apart.columns.pressure_lev(2, 1)))), std::string::npos)
      << message;
}

TYPED_TEST(ShortwaveArraysTest, TypesAreChecked) {
  Apart const apart;
  auto const clouds = synthetic_shortwave_clouds(ncol, nlay);
  auto const refusal = [&](ShortwaveArrays const& in) {
    return message_of([&] { solve(in, options_of<TypeParam>(), clouds); });
  };
  auto in = apart.arrays(clouds);
  in.albedo_diffuse.type = ValueType::float32;
  EXPECT_EQ(refusal(in), "validate: albedo_diffuse has another type than pressure_lay, expected the same");
  in = apart.arrays(clouds);
  in.gases[1].type = ValueType::float32;
  EXPECT_EQ(refusal(in), "validate: co2 has another type than pressure_lay, expected the same");
  in = apart.arrays(clouds);
  in.aerosol_input.type = ValueType::float64;
  EXPECT_EQ(refusal(in), "validate: aerosol_input has numbers of floating point, expected integers");
  in = apart.arrays(clouds);
  in.cos_zenith.type = ValueType::int32;
  EXPECT_EQ(refusal(in), "validate: cos_zenith has another type than pressure_lay, expected the same");
}

TYPED_TEST(ShortwaveArraysTest, FewerLayersThanMadeFor) {
  int const fewer = nlay - 3;
  auto const columns = synthetic_shortwave_columns(ncol, fewer, 1);
  auto const options = options_of<TypeParam>();
  HostShortwave<double> exact(ncol, fewer, {}, {}, synthetic_shortwave_coefficients(), options);
  HostShortwave<double> large(ncol, nlay, {}, {}, synthetic_shortwave_coefficients(), options);
  auto const a = fluxes::make_shortwave_fluxes<Host, double>(ncol, fewer);
  auto const b = fluxes::make_shortwave_fluxes<Host, double>(ncol, fewer);
  exact.compute(columns, HostShortwaveClouds(), a);
  large.compute(columns, HostShortwaveClouds(), b);
  EXPECT_EQ(values_of(a), values_of(b));
  auto const deeper = synthetic_shortwave_columns(ncol, nlay + 1, 1);
  EXPECT_EQ(message_of([&] {
              large.compute(deeper, HostShortwaveClouds(), fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay + 1));
            }),
            "shortwave: columns have 8 layers, expected at most 7");
}

TYPED_TEST(ShortwaveArraysTest, SlightlyImpossibleValuesAreRefusedOrClippedOrTrusted) {
  Apart const apart;
  apart.gases[0](3, 2) = -1e-12;
  auto const in = apart.arrays();
  EXPECT_EQ(message_of([&] { solve(in, options_of<TypeParam>()); }),
            "validate: h2o(3, 2) = -1e-12, expected a number of at least 0");

  HostShortwaveReport report;
  auto const clipped = solve(in, options_of<TypeParam>({.checks = Checks::clip}), {}, &report);
  EXPECT_EQ(describe(report.out_of_range), "1 of h2o");
  EXPECT_EQ(apart.gases[0](3, 2), -1e-12);  // the caller's array is only read
  apart.gases[0](3, 2) = 0;
  EXPECT_EQ(clipped, solve(in, options_of<TypeParam>()));

  // What is not finite is refused, unless nothing is looked at. A result that is not finite is refused in any case.
  apart.gases[0](3, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of([&] { solve(in, options_of<TypeParam>({.checks = Checks::clip})); }).find("nan"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { solve(in, options_of<TypeParam>({.checks = Checks::trust})); }),
            "shortwave: the result of column 3 is not finite");
  // Kinds of aerosol are looked at in any case, as they tell which arrays are read.
  apart.gases[0](3, 2) = 0.001;
  apart.columns.aerosol_input(2) = 3;
  EXPECT_NE(
      message_of([&] { solve(in, options_of<TypeParam>({.checks = Checks::trust})); }).find("aerosol_input(2) = 3"),
      std::string::npos);
}

TYPED_TEST(ShortwaveArraysTest, AerosolOfOneKindNeedsNoChoice) {
  Apart const apart;
  auto const options = options_of<TypeParam>();
  for (auto const kind : {fluxes::AerosolInput::types, fluxes::AerosolInput::optical}) {
    auto in = apart.arrays();
    parhelion::assign_array(apart.columns.aerosol_input, static_cast<int>(kind));
    auto const expected = solve(in, options);
    if (kind == fluxes::AerosolInput::types)
      in.aerosol_optical_depth = in.aerosol_single_scattering_albedo = in.aerosol_asymmetry = {};
    else
      in.aerosol_550nm = {};
    EXPECT_EQ(solve(in, options), expected);
    in.aerosol_input = {};
    EXPECT_EQ(solve(in, options), expected);
  }
}

TYPED_TEST(ShortwaveArraysTest, CallsMayLackWhatWasReserved) {
  Apart const apart;
  auto const clouds = synthetic_shortwave_clouds(ncol, nlay);
  auto const options = options_of<TypeParam>();
  HostShortwave<double> large(ncol, nlay, clouds, {true, true}, synthetic_shortwave_coefficients(), options);
  HostShortwave<double> exact(ncol, nlay, {}, {}, synthetic_shortwave_coefficients(), options);
  auto in = apart.arrays();
  in.aerosol_optical_depth = in.aerosol_single_scattering_albedo = in.aerosol_asymmetry = in.aerosol_550nm = {};
  parhelion::assign_array(apart.columns.aerosol_input, 0);  // says so, too
  auto const compute = [&](HostShortwave<double>& shortwave) {
    auto const fluxes = fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay);
    shortwave.compute(in, array_refs(fluxes));
    return values_of(fluxes);
  };
  EXPECT_EQ(compute(large), compute(exact));
}

TYPED_TEST(ShortwaveArraysTest, ArraysThatWereNotReservedAreRefused) {
  Apart const apart;
  HostShortwave<double> shortwave(ncol, nlay, {}, {false, true}, synthetic_shortwave_coefficients(),
                                  options_of<TypeParam>());
  auto const fluxes = fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay);
  EXPECT_EQ(message_of([&] { shortwave.compute(apart.arrays(), array_refs(fluxes)); }),
            "shortwave: aerosol_optical_depth is given, expected none, because this was made for calls without it");
}

TYPED_TEST(ShortwaveArraysTest, HeatingRatesScaleWithTheConstants) {
  Apart const apart;
  auto options = options_of<TypeParam>();
  auto const rates = [&] {
    HostShortwave<double> shortwave(ncol, nlay, {}, {true, true}, synthetic_shortwave_coefficients(), options);
    auto const fluxes = fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay);
    shortwave.compute(apart.arrays(), array_refs(fluxes));
    return fluxes.heating_rate;
  };
  auto const usual = rates();
  options.tuning.heat_capacity = 1004;
  options.tuning.gravity = 9.8066;
  auto const same = rates();
  options.tuning.heat_capacity = 2008;
  auto const half = rates();
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) {
      EXPECT_EQ(same(c, k), usual(c, k));
      EXPECT_EQ(half(c, k), usual(c, k) / 2);
    }
}

TYPED_TEST(ShortwaveArraysTest, RepeatedCallsOfHostsDoNotAllocate) {
  if constexpr (!runs_on_host<typename TypeParam::ExecutionSpace>) {
    GTEST_SKIP() << "calls of devices allocate in the runtime library";
  } else {
    Apart const apart;
    for (bool const of_gpoints : {false, true}) {
      auto const clouds =
          of_gpoints ? synthetic_shortwave_gpoint_clouds(ncol, nlay) : synthetic_shortwave_clouds(ncol, nlay);
      HostShortwave<double> shortwave(ncol, nlay, clouds, {true, true}, synthetic_shortwave_coefficients(),
                                      options_of<TypeParam>({.chunk = 4}));
      auto in = apart.arrays(clouds);
      in.solar_weights = {};
      in.sun = fluxes::solar_source({});
      auto const fluxes = fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay);
      auto const results = array_refs(fluxes);
      HostShortwaveReport report;
      shortwave.compute(in, results, &report);
      long const before = number_of_allocations();
      shortwave.compute(in, results, &report);
      EXPECT_EQ(number_of_allocations() - before, 0) << (of_gpoints ? "g-points" : "layers");
    }
  }
}

TYPED_TEST(ShortwaveArraysTest, ArraysOnADevice) {
  using Space = typename TypeParam::ExecutionSpace;
  Apart const apart;
  auto const clouds = synthetic_shortwave_clouds(ncol, nlay);
  auto const options = options_of<TypeParam>({.chunk = 4});
  auto in = apart.arrays(clouds);
  in.solar_weights = {};
  in.sun = fluxes::solar_source({.total_irradiance = 1400});
  auto const expected = solve(in, options, clouds);

  // All arrays with the column fastest, as a Fortran model has them, and the results padded.
  Space const space;
  std::vector<Kokkos::View<double*, typename Space::memory_space>> memory;
  std::vector<Kokkos::View<int*, typename Space::memory_space>> integers;
  auto const on_device = [&](ConstArrayRef array) {
    if (array.empty()) return ConstArrayRef();
    auto const n = static_cast<std::size_t>(array.size());
    std::int64_t stride = 1;
    ConstArrayRef result = array;
    for (int d = 0; d < array.rank; ++d) {
      result.strides[static_cast<std::size_t>(d)] = stride;
      stride *= array.extents[static_cast<std::size_t>(d)];
    }
    auto const copy = [&](auto& kept) {
      kept.emplace_back("on_device", n);
      auto const mirror = Kokkos::create_mirror_view(kept.back());
      ArrayRef to{.data = mirror.data(),
                  .type = array.type,
                  .rank = array.rank,
                  .extents = array.extents,
                  .strides = result.strides};
      ArrayCopies copies;
      copies.add(array, to);
      copies.run(Host());
      parhelion::assign_array(kept.back(), mirror);
      result.data = kept.back().data();
    };
    if (array.type == ValueType::int32)
      copy(integers);
    else
      copy(memory);
    return result;
  };
  for (auto* const array : in.in_order()) *array = on_device(*array);
  for (auto& gas : in.gases) gas = on_device(gas);
  in.input = in.ice_optics = in.liquid_optics = {};  // the defaults, which are those of synthetic_clouds

  int const padded = ncol + 3;
  Kokkos::View<double**, Kokkos::LayoutLeft, typename Space::memory_space> const up("up", padded, nlay + 1),
      down("down", padded, nlay + 1), direct("direct", padded, nlay + 1), rate("rate", padded, nlay);
  std::vector<ArrayRef> results(descriptions_of<HostShortwaveFluxes>().size());
  std::array const views{up, down, direct, rate};
  for (std::size_t i = 0; i < views.size(); ++i) {
    results[i] = array_ref(views[i]);
    results[i].extents[0] = ncol;
  }
  fluxes::DeviceShortwave<Space> shortwave(space, 4, nlay, clouds, {true, true}, synthetic_shortwave_coefficients(),
                                           options);
  EXPECT_GT(shortwave.bytes(), 0U);
  shortwave.compute(space, in, results);
  MannersReport const manners = watch([&] { shortwave.compute(space, in, results); });
  EXPECT_EQ(manners.fences, std::vector<std::string>());
  EXPECT_EQ(manners.copies, std::vector<std::string>());
  EXPECT_TRUE(shortwave.status(space).good());

  std::vector<double> found;
  for (auto const& view : views) {
    auto const host = parhelion::host_copy(view);
    for (int c = 0; c < ncol; ++c)
      for (std::size_t k = 0; k < host.extent(1); ++k) found.push_back(host(c, k));
    for (int c = ncol; c < padded; ++c)
      for (std::size_t k = 0; k < host.extent(1); ++k) EXPECT_EQ(host(c, k), 0) << "the padding was written";
  }
  EXPECT_EQ(found, expected);

  in.sun = {};
  EXPECT_EQ(message_of([&] { shortwave.compute(space, in, results); }),
            "shortwave: solar_weights is absent, and there is no sun, expected one");
}

}  // namespace
