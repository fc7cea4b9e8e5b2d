// SPDX-License-Identifier: BSD-3-Clause
// Arrays as callers have them: gases one by one, other units, fewer layers, values that are slightly impossible.
#include "kokkos_manners.hpp"
#include "synthetic_coefficients.hpp"
#include "synthetic_columns.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/fluxes/device_longwave.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// How often operator new has been called, see count_allocations.c.
extern "C" long number_of_allocations();

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::HostClouds;
using fluxes::HostColumns;
using fluxes::HostFluxes;
using fluxes::HostLongwave;
using fluxes::HostLongwaveOptions;
using fluxes::HostLongwaveReport;
using fluxes::LongwaveArrays;
using fluxes::nbnd;
using fluxes::ngas;
using fluxes::ngpt;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int ncol = 11;
constexpr int nlay = 7;

template <class Pair>
HostLongwaveOptions options_of(HostLongwaveOptions options = {}) {
  options.space = Pair::ExecutionSpace::name();
  options.precision = std::is_same_v<typename Pair::Real, float> ? Precision::float32 : Precision::float64;
  return options;
}

/// Columns with gases one by one, in memory of their own.
struct Apart {
  HostColumns columns = synthetic_columns(ncol, nlay, 1);
  std::array<HostArray<double**>, ngas> gases;

  Apart() {
    for (int gas = 0; gas < ngas; ++gas) {
      auto& its = gases[static_cast<std::size_t>(gas)];
      its = HostArray<double**>("gas", ncol, nlay);
      for (int c = 0; c < ncol; ++c)
        for (int k = 0; k < nlay; ++k) its(c, k) = columns.vmr(c, gas, k);
    }
  }

  LongwaveArrays arrays(HostClouds const& clouds = {}) const {
    LongwaveArrays in = fluxes::arrays_of(columns, clouds);
    in.vmr = {};
    for (std::size_t gas = 0; gas < gases.size(); ++gas) in.gases[gas] = array_ref(gases[gas]);
    return in;
  }
};

std::vector<double> values_of(HostFluxes const& fluxes) {
  std::vector<double> values;
  for (auto const& view : {fluxes.flux_up, fluxes.flux_dn, fluxes.heating_rate})
    values.insert(values.end(), view.data(), view.data() + view.size());
  return values;
}

std::vector<double> solve(LongwaveArrays const& in, HostLongwaveOptions const& options, HostClouds const& clouds = {},
                          HostLongwaveReport* report = nullptr) {
  HostLongwave<double> longwave(ncol, nlay, clouds, false, synthetic_coefficients(), options);
  auto const fluxes = fluxes::make_fluxes<Host, double>(in.ncol(), in.nlay());
  longwave.compute(in, array_refs(fluxes), report);
  return values_of(fluxes);
}

template <class Pair>
struct LongwaveArraysTest : testing::Test {};
TYPED_TEST_SUITE(LongwaveArraysTest, SpacesAndReals, PairName);

TYPED_TEST(LongwaveArraysTest, GasesOneByOneAreTheGasesTogether) {
  Apart const apart;
  auto const options = options_of<TypeParam>();
  EXPECT_EQ(solve(apart.arrays(), options), solve(fluxes::arrays_of(apart.columns, HostClouds()), options));

  // An absent gas is 0.
  auto without = apart.arrays();
  without.gases[3] = {};
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) apart.columns.vmr(c, 3, k) = 0;
  auto const expected = solve(fluxes::arrays_of(apart.columns, HostClouds()), options);
  EXPECT_EQ(solve(without, options), expected);
  EXPECT_NE(solve(apart.arrays(), options), expected);
}

TYPED_TEST(LongwaveArraysTest, UnitsOfTheCaller) {
  Apart const apart;
  auto const clouds = synthetic_clouds(ncol, nlay);
  auto const options = options_of<TypeParam>();
  auto const expected = solve(apart.arrays(clouds), options, clouds);
  // Powers of two, whose products are exact.
  auto const scaled = [](auto const& view, double factor) {
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] *= factor;
  };
  auto in = apart.arrays(clouds);
  for (auto const& view : {apart.columns.pressure_lay, apart.columns.pressure_lev}) scaled(view, 1. / 128);
  for (auto const& view : {clouds.ice_path, clouds.liquid_path}) scaled(view, 1. / 1024);
  for (auto const& view : {clouds.ice_size, clouds.liquid_size}) scaled(view, 1. / (1 << 20));
  in.pressure_factor = 128;
  in.path_factor = 1024;
  in.size_factor = 1 << 20;
  EXPECT_EQ(solve(in, options, clouds), expected);

  // Messages have the unit of the documentation.
  apart.columns.pressure_lev(2, 1) = apart.columns.pressure_lev(2, 0);
  auto const message = message_of([&] { solve(in, options, clouds); });
  EXPECT_NE(message.find("pressure_lev(2, 1)"), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(static_cast<int>(128 * apart.columns.pressure_lev(2, 1)))), std::string::npos)
      << message;
}

TYPED_TEST(LongwaveArraysTest, GramsAndMicrometres) {
  Apart const apart;
  auto const clouds = synthetic_clouds(ncol, nlay);
  auto const options = options_of<TypeParam>();
  clouds.fraction(0, 0) = 1;
  clouds.ice_path(0, 0) = 5e-3;
  clouds.ice_size(0, 0) = 5e-6;  // the smallest
  auto const expected = solve(apart.arrays(clouds), options, clouds);
  for (auto const& view : {clouds.ice_path, clouds.liquid_path})
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] *= 1e3;
  for (auto const& view : {clouds.ice_size, clouds.liquid_size})
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] *= 1e6;
  auto in = apart.arrays(clouds);
  in.path_factor = 1e-3;
  in.size_factor = 1e-6;
  auto const found = solve(in, options, clouds);
  double const rounding = std::is_same_v<typename TypeParam::Real, double> ? 1e-10 : 1e-2;
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], rounding) << i;

  clouds.ice_size(0, 0) = 200;
  EXPECT_EQ(message_of([&] { solve(in, options, clouds); }),
            "validate: ice_size(0, 0) = 0.0002 m, expected 5e-06 to 0.00014");
  clouds.ice_path(0, 0) = -2;
  EXPECT_EQ(message_of([&] { solve(in, options, clouds); }),
            "validate: ice_path(0, 0) = -0.002 kg m-2, expected a number of at least 0");
}

TYPED_TEST(LongwaveArraysTest, TypesAreChecked) {
  Apart const apart;
  auto const clouds = synthetic_clouds(ncol, nlay);
  auto const refusal = [&](LongwaveArrays const& in) {
    return message_of([&] { solve(in, options_of<TypeParam>(), clouds); });
  };
  auto in = apart.arrays(clouds);
  in.temperature_sfc.type = ValueType::int32;
  EXPECT_EQ(refusal(in), "validate: temperature_sfc has another type than pressure_lay, expected the same");
  in = apart.arrays(clouds);
  in.gases[1].type = ValueType::float32;
  EXPECT_EQ(refusal(in), "validate: co2 has another type than pressure_lay, expected the same");
  in = apart.arrays(clouds);
  in.ice_optics.type = ValueType::float64;
  EXPECT_EQ(refusal(in), "validate: ice_optics has numbers of floating point, expected integers");
}

TYPED_TEST(LongwaveArraysTest, FewerLayersThanMadeFor) {
  int const fewer = nlay - 3;
  auto const columns = synthetic_columns(ncol, fewer, 1);
  auto const options = options_of<TypeParam>();
  HostLongwave<double> exact(ncol, fewer, {}, false, synthetic_coefficients(), options);
  HostLongwave<double> large(ncol, nlay, {}, false, synthetic_coefficients(), options);
  auto const a = fluxes::make_fluxes<Host, double>(ncol, fewer);
  auto const b = fluxes::make_fluxes<Host, double>(ncol, fewer);
  exact.compute(columns, HostClouds(), a);
  large.compute(columns, HostClouds(), b);
  EXPECT_EQ(values_of(a), values_of(b));
}

TYPED_TEST(LongwaveArraysTest, SlightlyImpossibleValuesAreRefusedOrClippedOrTrusted) {
  Apart const apart;
  auto const good = solve(apart.arrays(), options_of<TypeParam>());
  apart.gases[0](3, 2) = -1e-12;
  auto const in = apart.arrays();
  EXPECT_NE(message_of([&] { solve(in, options_of<TypeParam>()); }).find("-1e-12"), std::string::npos);

  HostLongwaveReport report;
  auto const clipped = solve(in, options_of<TypeParam>({.checks = Checks::clip}), {}, &report);
  ASSERT_EQ(report.out_of_range.size(), 1U);
  EXPECT_EQ(total(report.out_of_range), 1U);
  apart.gases[0](3, 2) = 0;
  EXPECT_EQ(clipped, solve(in, options_of<TypeParam>()));
  EXPECT_EQ(apart.gases[0](3, 2), 0);  // the caller's array is only read

  // 1.0000001 and -1e-9 as emissivities are 1 and 0.
  apart.columns.emissivity_sfc(0, 0) = 1.0000001;
  apart.columns.emissivity_sfc(1, 0) = -1e-9;
  auto const emissive = solve(in, options_of<TypeParam>({.checks = Checks::clip}), {}, &report);
  EXPECT_EQ(total(report.out_of_range), 2U);
  apart.columns.emissivity_sfc(0, 0) = 1;
  apart.columns.emissivity_sfc(1, 0) = 0;
  EXPECT_EQ(emissive, solve(in, options_of<TypeParam>()));

  // What is not finite is refused, unless nothing is looked at. A result that is not finite is refused in any case.
  apart.gases[0](3, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of([&] { solve(in, options_of<TypeParam>({.checks = Checks::clip})); }).find("nan"),
            std::string::npos);
  EXPECT_NE(message_of([&] { solve(in, options_of<TypeParam>({.checks = Checks::trust})); }).find("column 3"),
            std::string::npos);
}

TYPED_TEST(LongwaveArraysTest, HeatingRatesScaleWithTheConstants) {
  Apart const apart;
  auto options = options_of<TypeParam>();
  auto const rates = [&] {
    HostLongwave<double> longwave(ncol, nlay, {}, false, synthetic_coefficients(), options);
    auto const fluxes = fluxes::make_fluxes<Host, double>(ncol, nlay);
    longwave.compute(apart.arrays(), array_refs(fluxes));
    return fluxes.heating_rate;
  };
  auto const usual = rates();
  options.tuning.heat_capacity = 1004;
  options.tuning.gravity = 9.8066;
  auto const same = rates();
  options.tuning.heat_capacity = 2008;
  auto const half = rates();
  options.tuning.gravity = 4 * 9.8066;
  auto const twice = rates();
  using Real = typename TypeParam::Real;
  double const tolerance = 4 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) {
      EXPECT_EQ(same(c, k), usual(c, k));
      EXPECT_EQ(half(c, k), usual(c, k) / 2);
      EXPECT_NEAR(twice(c, k), 2 * usual(c, k), tolerance * std::abs(usual(c, k)));
    }
  options.tuning.heat_capacity = -1;
  EXPECT_NE(message_of(rates).find("heat_capacity = -1"), std::string::npos);
}

TYPED_TEST(LongwaveArraysTest, RepeatedCallsOfHostsDoNotAllocate) {
  if constexpr (!runs_on_host<typename TypeParam::ExecutionSpace>) {
    GTEST_SKIP() << "calls of devices allocate in the runtime library";
  } else {
    Apart const apart;
    for (bool const of_gpoints : {false, true}) {
      auto const of_layers = synthetic_clouds(ncol, nlay);
      HostClouds clouds = of_layers;
      if (of_gpoints) {
        clouds = fluxes::make_gpoint_clouds<Host, double>(ncol, nlay, false);
        clouds.ice_size = of_layers.ice_size;
        clouds.liquid_size = of_layers.liquid_size;
        parhelion::assign_array(clouds.fraction_gpt, 1);
        parhelion::assign_array(clouds.liquid_path_gpt, 0.01);
      }
      HostLongwave<double> longwave(ncol, nlay, clouds, false, synthetic_coefficients(),
                                    options_of<TypeParam>({.chunk = 4}));
      auto const in = apart.arrays(clouds);
      auto const fluxes = fluxes::make_fluxes<Host, double>(ncol, nlay);
      auto const results = array_refs(fluxes);
      HostLongwaveReport report;
      longwave.compute(in, results, &report);
      long const before = number_of_allocations();
      longwave.compute(in, results, &report);
      EXPECT_EQ(number_of_allocations() - before, 0) << (of_gpoints ? "g-points" : "layers");
    }
  }
}

TYPED_TEST(LongwaveArraysTest, ArraysOnADevice) {
  using Space = typename TypeParam::ExecutionSpace;
  Apart const apart;
  auto const clouds = synthetic_clouds(ncol, nlay);
  auto const options = options_of<TypeParam>({.chunk = 4});
  auto const expected = solve(apart.arrays(clouds), options, clouds);

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
    auto const copy = [&]<class Value>(Value, auto& kept) {
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
      copy(int(), integers);
    else
      copy(double(), memory);
    return result;
  };
  auto in = apart.arrays(clouds);
  for (auto* const array : {&in.pressure_lay, &in.pressure_lev, &in.temperature_lay, &in.temperature_lev,
                            &in.temperature_sfc, &in.emissivity_sfc, &in.fraction, &in.ice_path, &in.liquid_path,
                            &in.decorrelation_length, &in.ice_size, &in.liquid_size})
    *array = on_device(*array);
  for (auto& gas : in.gases) gas = on_device(gas);
  in.input = in.ice_optics = in.liquid_optics = {};  // the defaults, which are those of synthetic_clouds

  int const padded = ncol + 3;
  Kokkos::View<double**, Kokkos::LayoutLeft, typename Space::memory_space> const up("up", padded, nlay + 1),
      down("down", padded, nlay + 1), rate("rate", padded, nlay);
  std::vector<ArrayRef> results(descriptions_of<HostFluxes>().size());
  std::array const views{up, down, rate};
  for (std::size_t i = 0; i < views.size(); ++i) {
    results[i] = array_ref(views[i]);
    results[i].extents[0] = ncol;
  }
  fluxes::DeviceLongwave<Space> longwave(space, 4, nlay, clouds, false, synthetic_coefficients(), options);
  longwave.compute(space, in, results);
  MannersReport const manners = watch([&] { longwave.compute(space, in, results); });
  EXPECT_EQ(manners.fences, std::vector<std::string>());
  EXPECT_EQ(manners.copies, std::vector<std::string>());
  EXPECT_TRUE(longwave.status(space).good());

  std::vector<double> found;
  for (auto const& view : views) {
    auto const host = parhelion::host_copy(view);
    for (int c = 0; c < ncol; ++c)
      for (std::size_t k = 0; k < host.extent(1); ++k) found.push_back(host(c, k));
    for (int c = ncol; c < padded; ++c)
      for (std::size_t k = 0; k < host.extent(1); ++k) EXPECT_EQ(host(c, k), 0) << "the padding was written";
  }
  EXPECT_EQ(found, expected);

  EXPECT_NE(message_of([&] {
              fluxes::DeviceLongwave<Space>(space, 4, nlay, clouds, false, synthetic_coefficients(),
                                            options_of<TypeParam>({.extra_layer = true}));
            }).find("extra_layer"),
            std::string::npos);
}

}  // namespace
