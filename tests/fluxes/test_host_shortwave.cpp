// SPDX-License-Identifier: BSD-3-Clause
// The shortwave from host arrays to host arrays: however the work is cut, whatever the arrays look like, and what is
// refused or clipped.
#include "kokkos_manners.hpp"
#include "other_layouts.hpp"
#include "synthetic_shortwave.hpp"
#include "synthetic_shortwave_coefficients.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

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
using fluxes::nbnd_sw;
using fluxes::ShortwaveClouds;
using fluxes::ShortwaveColumns;
using fluxes::ShortwaveFluxes;
using fluxes::ShortwaveOutputs;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr ShortwaveOutputs everything{.clear = true, .parts = true, .bands = true};
constexpr double untouched = -12345;

/// All values of all arrays, one array after another.
template <class Real>
std::vector<Real> all_values(ShortwaveFluxes<Host, Real> const& fluxes) {
  std::vector<Real> values;
  ShortwaveFluxes<Host, Real>::for_each_array(
      [&](ArrayDescription const&, auto const& view) {
        values.insert(values.end(), view.data(), view.data() + view.size());
      },
      fluxes);
  return values;
}

template <class Real>
ShortwaveFluxes<Host, Real> untouched_fluxes(int ncol, int nlay, ShortwaveOutputs wanted = {}) {
  auto const fluxes = fluxes::make_shortwave_fluxes<Host, Real>(ncol, nlay, wanted);
  ShortwaveFluxes<Host, Real>::for_each_array(
      [](ArrayDescription const&, auto const& view) { parhelion::assign_array(view, static_cast<Real>(untouched)); },
      fluxes);
  return fluxes;
}

bool is_untouched(HostShortwaveFluxes const& fluxes) {
  auto const values = all_values(fluxes);
  return std::all_of(values.begin(), values.end(), [](double x) { return x == untouched; });
}

HostShortwaveColumns columns_with_aerosol(int ncol, int nlay, int nalbedo) {
  auto columns = synthetic_shortwave_columns(ncol, nlay, nalbedo);
  add_synthetic_aerosol(columns);
  return columns;
}

HostShortwaveClouds exponential_clouds(HostShortwaveColumns& columns) {
  int const ncol = columns.ncol();
  auto clouds = synthetic_shortwave_clouds(ncol, columns.nlay());
  clouds.overlap = fluxes::Overlap::exponential_random;
  clouds.decorrelation_length = decltype(clouds.decorrelation_length)("length", ncol);
  parhelion::assign_array(clouds.decorrelation_length, 2000.);
  columns.temperature_lev = synthetic_columns(ncol, columns.nlay(), 1).temperature_lev;
  return clouds;
}

template <class Pair>
HostShortwaveOptions options_of(HostShortwaveOptions options = {}) {
  options.space = Pair::ExecutionSpace::name();
  options.precision = std::is_same_v<typename Pair::Real, float> ? Precision::float32 : Precision::float64;
  return options;
}

template <class Pair>
struct HostShortwaveTest : testing::Test {};
TYPED_TEST_SUITE(HostShortwaveTest, SpacesAndReals, PairName);

/// Fluxes for chunks, devices and calls of several kinds, which must all be the same to the bit.
template <class Pair>
void expect_same_bits_however_cut(HostShortwaveColumns const& columns, HostShortwaveClouds const& clouds,
                                  ShortwaveOutputs outputs) {
  auto const& coefficients = synthetic_shortwave_coefficients();
  auto const solve = [&](HostShortwaveOptions options) {
    options.outputs = outputs;
    return all_values(fluxes::compute_shortwave(columns, clouds, coefficients, options_of<Pair>(options)));
  };
  auto const expected = solve({});
  EXPECT_TRUE(std::none_of(expected.begin(), expected.end(), [](double x) { return std::isnan(x); }));
  for (int const chunk : {1, 5, 12, 1000}) {
    EXPECT_TRUE(solve({.chunk = chunk}) == expected) << "chunks of " << chunk;
    EXPECT_TRUE(solve({.chunk = chunk, .devices = 1}) == expected) << "chunks of " << chunk << " on one device";
  }
  // An object that was made for fewer columns, and one that is used again.
  auto const options = options_of<Pair>({.chunk = 4, .outputs = outputs});
  HostShortwave<double> shortwave(3, columns.nlay(), clouds, AerosolArrays(columns), coefficients, options);
  for (int call = 0; call < 2; ++call) {
    auto const fluxes = untouched_fluxes<double>(columns.ncol(), columns.nlay(), outputs);
    shortwave.compute(columns, clouds, fluxes);
    EXPECT_TRUE(all_values(fluxes) == expected) << "call " << call;
  }
}

TYPED_TEST(HostShortwaveTest, TheWayInPiecesChangesNoBit) {
  expect_same_bits_however_cut<TypeParam>(synthetic_shortwave_columns(37, 9, 1), {}, {.clear = true});
  auto clouds = synthetic_shortwave_clouds(37, 9);
  clouds.first_column = 100;
  expect_same_bits_however_cut<TypeParam>(columns_with_aerosol(37, 9, nbnd_sw), clouds, everything);
  auto columns = synthetic_shortwave_columns(37, 9, 2);
  columns.solar_band_factors = decltype(columns.solar_band_factors)("factors", 37, nbnd_sw);
  for (std::size_t i = 0; i < columns.solar_band_factors.size(); ++i)
    columns.solar_band_factors.data()[i] = 1 + 0.01 * static_cast<double>(i % 5);
  clouds = exponential_clouds(columns);
  expect_same_bits_however_cut<TypeParam>(columns, clouds, {});
  expect_same_bits_however_cut<TypeParam>(columns_with_aerosol(37, 9, 2), synthetic_shortwave_gpoint_clouds(37, 9),
                                          {.parts = true, .bands = true});
}

TYPED_TEST(HostShortwaveTest, NightIsDark) {
  auto const columns = columns_with_aerosol(15, 8, 2);
  auto const fluxes =
      fluxes::compute_shortwave(columns, synthetic_shortwave_clouds(15, 8), synthetic_shortwave_coefficients(),
                                options_of<TypeParam>({.outputs = everything}));
  for (int c = 0; c < 15; ++c) {
    bool const night = columns.cos_zenith(c) <= 0;
    HostShortwaveFluxes::for_each_array(
        [&](ArrayDescription const& description, auto const& view) {
          double largest = 0;
          auto const n = view.size() / view.extent(0);
          for (std::size_t i = 0; i < n; ++i)
            largest = std::max(largest, std::abs(view.data()[static_cast<std::size_t>(c) * n + i]));
          EXPECT_EQ(largest == 0, night) << description.name << ", column " << c;
        },
        fluxes);
  }
}

// A model's own floats take the same way as doubles of the same values.
TYPED_TEST(HostShortwaveTest, ArraysOfFloats) {
  int const ncol = 21;
  int const nlay = 7;
  auto const columns = columns_with_aerosol(ncol, nlay, 2);
  auto const clouds = synthetic_shortwave_clouds(ncol, nlay);
  HostThreads const threads;
  auto const in_float = host_copy<ShortwaveColumns<Host, float>>(threads, columns);
  auto const widened = host_copy<HostShortwaveColumns>(threads, in_float);
  auto float_clouds = host_copy<ShortwaveClouds<Host, float>>(threads, clouds);
  auto widened_clouds = host_copy<HostShortwaveClouds>(threads, float_clouds);
  float_clouds.seed = widened_clouds.seed = 5;

  auto const options = options_of<TypeParam>({.chunk = 8});
  auto const& coefficients = synthetic_shortwave_coefficients();
  auto const expected = all_values(fluxes::compute_shortwave(widened, widened_clouds, coefficients, options));
  HostShortwave<float> shortwave(ncol, nlay, float_clouds, AerosolArrays(in_float), coefficients, options);
  auto const fluxes = untouched_fluxes<float>(ncol, nlay);
  shortwave.compute(in_float, float_clouds, fluxes);
  auto const values = all_values(fluxes);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(expected[i])) << i;
}

TYPED_TEST(HostShortwaveTest, ThePlanSaysWhatIsTaken) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  int const nlay = 9;
  auto const& coefficients = synthetic_shortwave_coefficients();
  for (int const ncol : {1, 50, 5000})
    for (bool const cloudy : {false, true}) {
      HostShortwaveClouds const clouds = cloudy ? synthetic_shortwave_clouds(1, nlay) : HostShortwaveClouds();
      auto const options = options_of<TypeParam>({.chunk = ncol == 50 ? 7 : 0, .outputs = {.clear = cloudy}});
      auto const plan = fluxes::plan_shortwave(ncol, nlay, clouds, {cloudy, false}, coefficients, options);
      HostShortwave<double> const shortwave(ncol, nlay, clouds, {cloudy, false}, coefficients, options);
      auto const& made = shortwave.plan();
      EXPECT_EQ(made.space, Space::name());
      EXPECT_EQ(plan.space, made.space);
      EXPECT_EQ(plan.chunk, made.chunk);
      EXPECT_EQ(plan.streams, made.streams);
      EXPECT_EQ(plan.devices, made.devices);
      EXPECT_EQ(plan.device_bytes, made.device_bytes);
      EXPECT_EQ(plan.host_bytes, made.host_bytes);
      EXPECT_LE(plan.chunk, ncol);
      // The columns alone: pressures, temperatures and gases.
      EXPECT_GE(plan.device_bytes,
                static_cast<std::size_t>(plan.streams) * plan.chunk * (3 * nlay + 11 * nlay) * sizeof(Real));
      if (runs_on_host<Space>) {
        EXPECT_EQ(plan.streams, 1);
        EXPECT_EQ(plan.host_bytes, 0U);
      }
    }
}

// Fortran's arrays, padded ones, and those that may only be read.
TYPED_TEST(HostShortwaveTest, ArraysHaveAnyLayout) {
  int const ncol = 21;
  int const nlay = 6;
  auto const columns = columns_with_aerosol(ncol, nlay, nbnd_sw);
  for (auto const& clouds : {synthetic_shortwave_clouds(ncol, nlay), synthetic_shortwave_gpoint_clouds(ncol, nlay)}) {
    HostShortwave<double> shortwave(ncol, nlay, clouds, AerosolArrays(columns), synthetic_shortwave_coefficients(),
                                    options_of<TypeParam>({.chunk = 4, .outputs = everything}));
    auto const fluxes = untouched_fluxes<double>(ncol, nlay, everything);
    shortwave.compute(columns, clouds, fluxes);
    auto const expected = all_values(fluxes);
    auto const expect_same = [&]<class Layout>(Layout, char const* what) {
      auto const other = in_layout<Layout>(fluxes, false);
      auto other_clouds = in_layout<Layout>(clouds);
      other_clouds.overlap = clouds.overlap;
      other_clouds.seed = clouds.seed;
      auto const read_only = refer_to<ShortwaveColumns<Host, double const, Layout>>(in_layout<Layout>(columns));
      shortwave.compute(read_only, other_clouds, other);
      ArrayCopies copies;
      auto const back = untouched_fluxes<double>(ncol, nlay, everything);
      HostShortwaveFluxes::for_each_array([&](ArrayDescription const&, auto const& to,
                                              auto const& from) { copies.add(array_ref(from), array_ref(to)); },
                                          back, other);
      copies.run(Host());
      EXPECT_TRUE(all_values(back) == expected) << what;
    };
    expect_same(Kokkos::LayoutLeft(), "columns fastest");
    expect_same(Kokkos::LayoutStride(), "columns fastest and padded");
  }
}

TYPED_TEST(HostShortwaveTest, AResultThatIsNotFiniteIsNamed) {
  int const ncol = 20;
  int const nlay = 6;
  HostShortwave<double> shortwave(ncol, nlay, {}, {}, synthetic_shortwave_coefficients(),
                                  options_of<TypeParam>({.chunk = 3, .checks = Checks::trust}));
  auto const columns = synthetic_shortwave_columns(ncol, nlay, 1);
  auto const fluxes = untouched_fluxes<double>(ncol, nlay);
  shortwave.compute(columns, HostShortwaveClouds(), fluxes);
  auto const expected = all_values(fluxes);
  double const good = columns.albedo_diffuse(10, 0);
  columns.albedo_diffuse(10, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([&] { shortwave.compute(columns, HostShortwaveClouds(), fluxes); }),
            "shortwave: the result of column 10 is not finite");
  columns.albedo_diffuse(10, 0) = good;
  shortwave.compute(columns, HostShortwaveClouds(), fluxes);
  EXPECT_TRUE(all_values(fluxes) == expected) << "nothing of the call before is left";
}

TYPED_TEST(HostShortwaveTest, ThreadsOfACallerHaveOneEach) {
  using Space = typename TypeParam::ExecutionSpace;
  int const ncol = 40;
  int const nlay = 8;
  auto const columns = columns_with_aerosol(ncol, nlay, 2);
  auto const clouds = synthetic_shortwave_clouds(ncol, nlay);
  // What is clipped is copied before, by the same threads.
  columns.temperature_lay(17, 3) = 800;
  clouds.fraction(4, 0) = 1.5;
  auto const options = options_of<TypeParam>({.chunk = 8, .out_of_range = OutOfRange::clip});
  auto const& coefficients = synthetic_shortwave_coefficients();
  auto const expected = untouched_fluxes<double>(ncol, nlay);
  HostShortwave<double>(ncol, nlay, clouds, AerosolArrays(columns), coefficients, options)
      .compute(columns, clouds, expected);
  std::vector<Space> const instances{another_instance<Space>(), another_instance<Space>()};
  std::vector<HostShortwave<double>> solvers;
  std::vector<HostShortwaveFluxes> fluxes;
  for (auto const& instance : instances) {
    solvers.emplace_back(instance, ncol, nlay, clouds, AerosolArrays(columns), coefficients, options);
    fluxes.push_back(untouched_fluxes<double>(ncol, nlay));
  }
  auto const work = [&](std::size_t t) {
    for (int i = 0; i < 5; ++i) solvers[t].compute(columns, clouds, fluxes[t]);
  };
  auto const expect_same = [&](char const* what) {
    for (auto& of_thread : fluxes) {
      EXPECT_TRUE(all_values(of_thread) == all_values(expected)) << what;
      of_thread = untouched_fluxes<double>(ncol, nlay);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
  expect_same("from std::thread");
  if (call_from_a_region<Space>(work)) expect_same("from a parallel region");
}

TYPED_TEST(HostShortwaveTest, ProgressIsToldInOrderAndMayEndTheCall) {
  std::vector<int> done;
  int last = 100;
  auto const options = options_of<TypeParam>({.chunk = 3, .progress = [&](std::int64_t columns, std::int64_t all) {
                                                EXPECT_EQ(all, 11);
                                                done.push_back(static_cast<int>(columns));
                                                return columns < last;
                                              }});
  HostShortwave<double> shortwave(11, 6, {}, {}, synthetic_shortwave_coefficients(), options);
  auto const columns = synthetic_shortwave_columns(11, 6, 1);
  auto const fluxes = untouched_fluxes<double>(11, 6);
  shortwave.compute(columns, HostShortwaveClouds(), fluxes);
  EXPECT_EQ(done, (std::vector<int>{3, 6, 9, 11}));
  done.clear();
  last = 6;
  HostShortwaveReport report;
  shortwave.compute(columns, HostShortwaveClouds(), fluxes, &report);
  EXPECT_EQ(done, (std::vector<int>{3, 6}));
  EXPECT_EQ(report.done, 6);
}

TEST(HostShortwave, TheReportTellsPlanAndTimes) {
  HostShortwaveReport report;
  HostShortwaveOptions const options{.chunk = 4};
  auto const& coefficients = synthetic_shortwave_coefficients();
  (void)fluxes::compute_shortwave(synthetic_shortwave_columns(10, 5, 1), coefficients, options, &report);
  auto const plan = fluxes::plan_shortwave(10, 5, {}, {}, coefficients, options);
  EXPECT_EQ(report.plan.chunk, 4);
  EXPECT_EQ(report.plan.space, plan.space);
  EXPECT_EQ(report.plan.device_bytes, plan.device_bytes);
  EXPECT_GT(report.solve_seconds, 0);
  EXPECT_GE(report.total_seconds, report.solve_seconds);
  EXPECT_EQ(report.done, 10);
}

TEST(HostShortwave, OptionsThatCannotBeHonouredAreRefused) {
  auto const columns = synthetic_shortwave_columns(3, 5, 1);
  auto const& coefficients = synthetic_shortwave_coefficients();
  auto const refusal = [&](HostShortwaveOptions const& options) {
    auto const message = message_of([&] { (void)fluxes::plan_shortwave(3, 5, {}, {}, coefficients, options); });
    EXPECT_EQ(message_of([&] { (void)fluxes::compute_shortwave(columns, coefficients, options); }), message);
    return message;
  };
  std::string const host = Host::name();
  EXPECT_EQ(refusal({.chunk = -1}), "shortwave: chunk = -1, expected at least 1, or 0 for an automatic choice");
  EXPECT_EQ(refusal({.devices = -2}), "shortwave: devices = -2, expected at least 1, or 0 for all");
  EXPECT_EQ(refusal({.space = host, .devices = 2}),
            "shortwave: devices = 2, expected at most the 1 that " + host + " has here");
  EXPECT_NE(refusal({.tuning = {.heat_capacity = -1}}).find("heat_capacity"), std::string::npos);
  EXPECT_EQ(message_of([&] { (void)fluxes::plan_shortwave(0, 5, {}, {}, coefficients); }),
            "shortwave: ncol = 0, expected at least 1");
  EXPECT_EQ(message_of([&] { HostShortwave<float>(1, 0, {}, {}, coefficients); }),
            "shortwave: nlay = 0, expected at least 1");
}

// --- what is refused -----------------------------------------------------------------------------------------------

/// The refusal of a call whose input was changed.
using Change = std::function<void(HostShortwaveColumns&, HostShortwaveClouds&)>;

std::string refusal_of(HostShortwaveClouds (*make_clouds)(int, int), Change const& change) {
  constexpr int ncol = 5, nlay = 4;
  auto columns = columns_with_aerosol(ncol, nlay, 2);
  auto clouds = make_clouds(ncol, nlay);
  auto const fluxes = untouched_fluxes<double>(ncol, nlay);
  HostShortwave<double> shortwave(ncol, nlay, clouds, AerosolArrays(columns), synthetic_shortwave_coefficients(),
                                  {.space = Host::name()});
  shortwave.compute(columns, clouds, untouched_fluxes<double>(ncol, nlay));  // it is good before
  change(columns, clouds);
  auto const message = message_of([&] { shortwave.compute(columns, clouds, fluxes); });
  EXPECT_TRUE(is_untouched(fluxes)) << message;
  return message;
}

HostShortwaveClouds layer_clouds(int ncol, int nlay) { return synthetic_shortwave_clouds(ncol, nlay); }
HostShortwaveClouds gpoint_clouds(int ncol, int nlay) { return synthetic_shortwave_gpoint_clouds(ncol, nlay); }

std::string refusal_of_columns(std::function<void(HostShortwaveColumns&)> const& change) {
  return refusal_of(layer_clouds, [&](HostShortwaveColumns& columns, HostShortwaveClouds&) { change(columns); });
}

TEST(HostShortwave, ImpossibleValuesOfColumnsAreNamed) {
  auto const expect = [](std::string const& message, auto const& change) {
    EXPECT_EQ(refusal_of_columns(change), "validate: " + message);
    // The same by itself.
    auto columns = columns_with_aerosol(5, 4, 2);
    change(columns);
    EXPECT_EQ(message_of([&] { fluxes::validate(columns); }), "validate: " + message);
  };
  using Columns = HostShortwaveColumns;
  expect("cos_zenith(1) = 1.5, expected -1 to 1", [](Columns& c) { c.cos_zenith(1) = 1.5; });
  expect("cos_zenith(2) = nan, expected -1 to 1", [](Columns& c) { c.cos_zenith(2) = std::nan(""); });
  expect("albedo_direct(3, 1) = 1.25, expected 0 to 1", [](Columns& c) { c.albedo_direct(3, 1) = 1.25; });
  expect("albedo_diffuse(0, 0) = -0.5, expected 0 to 1", [](Columns& c) { c.albedo_diffuse(0, 0) = -0.5; });
  expect("solar_weights(4, 2) = inf, expected a finite number",
         [](Columns& c) { c.solar_weights(4, 2) = std::numeric_limits<double>::infinity(); });
  expect("solar_band_factors(2, 13) = -1, expected a number of at least 0", [](Columns& c) {
    c.solar_band_factors = decltype(c.solar_band_factors)("factors", 5, nbnd_sw);
    c.solar_band_factors(2, 13) = -1;
  });
  expect("aerosol_optical_depth(2, 3, 13) = -1, expected a number of at least 0",
         [](Columns& c) { c.aerosol_optical_depth(2, 3, 13) = -1; });
  expect("aerosol_single_scattering_albedo(4, 0, 0) = 1.5, expected 0 to 1",
         [](Columns& c) { c.aerosol_single_scattering_albedo(4, 0, 0) = 1.5; });
  expect("aerosol_asymmetry(0, 1, 2) = -1.5, expected -1 to 1",
         [](Columns& c) { c.aerosol_asymmetry(0, 1, 2) = -1.5; });
  expect("aerosol_550nm(1, 1, 5) = -0.25, expected a number of at least 0",
         [](Columns& c) { c.aerosol_550nm(1, 1, 5) = -0.25; });
  expect("aerosol_input(3) = 7, expected 0 (none), 6 (types) or 10 (optical properties)",
         [](Columns& c) { c.aerosol_input(3) = 7; });
  expect("aerosol_input(1) = 6, expected 0 (none) or 10 (optical properties) where there is no aerosol_550nm",
         [](Columns& c) { c.aerosol_550nm = {}; });
  expect("aerosol_input(2) = 10, expected 0 (none) or 6 (types) where there is no aerosol_optical_depth",
         [](Columns& c) { c.aerosol_optical_depth = c.aerosol_single_scattering_albedo = c.aerosol_asymmetry = {}; });
  expect("there are aerosol_optical_depth and aerosol_550nm, expected aerosol_input to choose between them",
         [](Columns& c) { c.aerosol_input = {}; });
  expect("expected all of aerosol_optical_depth, aerosol_single_scattering_albedo and aerosol_asymmetry, or none",
         [](Columns& c) { c.aerosol_asymmetry = {}; });
  expect("temperature_lay(4, 2) = -3 K, expected a positive number", [](Columns& c) { c.temperature_lay(4, 2) = -3; });
  expect("vmr(2, 0, 1) = -0.5, expected a number of at least 0", [](Columns& c) { c.vmr(2, 0, 1) = -0.5; });
  EXPECT_NE(
      refusal_of_columns([](Columns& c) { c.pressure_lev(3, 2) = c.pressure_lev(3, 1); }).find("pressure_lev(3, 2"),
      std::string::npos);
}

TEST(HostShortwave, WrongExtentsOfColumnsAreNamed) {
  using Columns = HostShortwaveColumns;
  auto const expect = [](std::string const& message, auto const& change) {
    EXPECT_EQ(refusal_of_columns(change), "validate: " + message);
  };
  expect("albedo_direct has 3 albedos of a column, expected 1, 2 or 14",
         [](Columns& c) { c.albedo_direct = c.albedo_diffuse = decltype(c.albedo_direct)("albedo", 5, 3); });
  expect("albedo_diffuse has shape (5, 1), expected (5, 2)",
         [](Columns& c) { c.albedo_diffuse = decltype(c.albedo_diffuse)("albedo", 5, 1); });
  expect("solar_weights has shape (5, 2), expected (5, 4)",
         [](Columns& c) { c.solar_weights = decltype(c.solar_weights)("weights", 5, 2); });
  expect("solar_weights is absent, and there is no sun, expected one", [](Columns& c) { c.solar_weights = {}; });
  expect("aerosol_550nm has shape (5, 4, 5), expected (5, 4, 6)",
         [](Columns& c) { c.aerosol_550nm = decltype(c.aerosol_550nm)("aerosol", 5, 4, 5); });
  expect("aerosol_asymmetry has shape (5, 4, 16), expected (5, 4, 14)",
         [](Columns& c) { c.aerosol_asymmetry = decltype(c.aerosol_asymmetry)("aerosol", 5, 4, 16); });
  expect("cos_zenith has shape (4), expected (5)",
         [](Columns& c) { c.cos_zenith = decltype(c.cos_zenith)("cosine", 4); });
  EXPECT_EQ(refusal_of(layer_clouds,
                       [](Columns&, HostShortwaveClouds& clouds) { clouds.overlap = fluxes::Overlap::exponential; }),
            "validate: temperature_lev is absent, expected it for clouds of layers that overlap exponentially");
}

TEST(HostShortwave, ImpossibleValuesOfCloudsAreNamed) {
  auto const expect = [](auto make, std::string const& message,
                         std::function<void(HostShortwaveClouds&)> const& change) {
    EXPECT_EQ(refusal_of(make, [&](HostShortwaveColumns&, HostShortwaveClouds& clouds) { change(clouds); }),
              "validate: " + message);
    auto clouds = make(5, 4);
    change(clouds);
    EXPECT_EQ(message_of([&] { fluxes::validate(clouds, 5, 4); }), "validate: " + message);
  };
  using Clouds = HostShortwaveClouds;
  expect(layer_clouds, "fraction(1, 2) = 1.5, expected 0 to 1", [](Clouds& c) { c.fraction(1, 2) = 1.5; });
  expect(layer_clouds, "ice_path(3, 3) = -0.5 kg m-2, expected a number of at least 0",
         [](Clouds& c) { c.ice_path(3, 3) = -0.5; });
  auto const with_size = [](int ice_optics, double ice_size, double liquid_size) {
    return [=](Clouds& c) {
      c.fraction(2, 1) = 0.5;
      c.ice_path(2, 1) = c.liquid_path(2, 1) = 0.01;
      for (int k = 0; k < 4; ++k) c.ice_size(2, k) = 50e-6;
      c.ice_size(2, 1) = ice_size;
      c.liquid_size(2, 1) = liquid_size;
      c.ice_optics(2) = ice_optics;
    };
  };
  expect(layer_clouds, "ice_size(2, 1) = 0.00014 m, expected 1.3e-05 to 0.00013", with_size(1, 140e-6, 10e-6));
  expect(layer_clouds, "ice_size(2, 1) = 4e-06 m, expected 5e-06 to 0.000131", with_size(2, 4e-6, 10e-6));
  expect(layer_clouds, "ice_size(2, 1) = 0.00015 m, expected 5e-06 to 0.00014", with_size(3, 150e-6, 10e-6));
  expect(layer_clouds, "liquid_size(2, 1) = 2e-06 m, expected 2.5e-06 to 6e-05", with_size(3, 100e-6, 2e-6));
  expect(layer_clouds, "ice_optics(1) = 0, expected 1, 2 or 3, as the shortwave has no optics of all bands",
         [](Clouds& c) { c.ice_optics(1) = 0; });
  expect(layer_clouds, "liquid_optics(4) = 0, expected 1, as the shortwave has no optics of all bands",
         [](Clouds& c) { c.liquid_optics(4) = 0; });
  expect(layer_clouds, "input(2) = 0, expected 2 (water paths) in clouds of layers", [](Clouds& c) { c.input(2) = 0; });
  expect(gpoint_clouds, "fraction_gpt(1, 0, 111) = -0.25, expected 0 to 1",
         [](Clouds& c) { c.fraction_gpt(1, 0, 111) = -0.25; });
  expect(gpoint_clouds, "optical_depth_gpt(3, 1, 7) = -1, expected a number of at least 0",
         [](Clouds& c) { c.optical_depth_gpt(3, 1, 7) = -1; });
  expect(gpoint_clouds, "single_scattering_albedo_gpt(0, 2, 1) = 1.5, expected 0 to 1",
         [](Clouds& c) { c.single_scattering_albedo_gpt(0, 2, 1) = 1.5; });
  expect(gpoint_clouds, "asymmetry_gpt(0, 2, 1) = -1.5, expected -1 to 1",
         [](Clouds& c) { c.asymmetry_gpt(0, 2, 1) = -1.5; });
  expect(gpoint_clouds, "forward_fraction_gpt(3, 0, 0) = 2, expected 0 to 1",
         [](Clouds& c) { c.forward_fraction_gpt(3, 0, 0) = 2; });
  expect(gpoint_clouds, "input(1) = 1, expected 0 (optical properties) or 2 (water paths)",
         [](Clouds& c) { c.input(1) = 1; });
  expect(gpoint_clouds, "asymmetry_gpt has shape (5, 4, 140), expected (5, 4, 112)",
         [](Clouds& c) { c.asymmetry_gpt = decltype(c.asymmetry_gpt)("asymmetry", 5, 4, 140); });
  // What the input of a column does not use is not looked at; a partly cloudy g-point counts.
  auto clouds = gpoint_clouds(5, 4);
  clouds.optical_depth_gpt(1, 0, 0) = -1;
  clouds.asymmetry_gpt(2, 3, 111) = 7;
  clouds.ice_path_gpt(0, 0, 0) = -1;
  clouds.ice_optics(3) = 0;
  fluxes::validate(clouds, 5, 4);
  clouds.liquid_size(1, 0) = 1;
  for (int g = 0; g < fluxes::ngpt_sw; ++g) {
    clouds.fraction_gpt(1, 0, g) = g == 5 ? 1e-3 : 0;
    clouds.liquid_path_gpt(1, 0, g) = 0.1;
  }
  EXPECT_EQ(message_of([&] { fluxes::validate(clouds, 5, 4); }),
            "validate: liquid_size(1, 0) = 1 m, expected 2.5e-06 to 6e-05");
}

TYPED_TEST(HostShortwaveTest, ClippingLeavesTheCallersArraysAlone) {
  int const ncol = 9;
  int const nlay = 6;
  auto const columns = columns_with_aerosol(ncol, nlay, 2);
  auto const clouds = synthetic_shortwave_gpoint_clouds(ncol, nlay);
  auto const& coefficients = synthetic_shortwave_coefficients();
  auto options = options_of<TypeParam>({.chunk = 2});
  auto const solve = [&](HostShortwaveReport& report) {
    return all_values(fluxes::compute_shortwave(columns, clouds, coefficients, options, &report));
  };
  struct Spoiled {
    double& value;
    double wrong, nearest;
  };
  std::vector<Spoiled> const of_columns{{columns.cos_zenith(2), 1.0001, 1},
                                        {columns.albedo_direct(3, 0), -1e-9, 0},
                                        {columns.albedo_diffuse(4, 1), 1.001, 1},
                                        {columns.vmr(5, 0, 2), -1e-12, 0},
                                        {columns.aerosol_optical_depth(2, 1, 3), -1e-3, 0},
                                        {columns.aerosol_single_scattering_albedo(2, 2, 3), 1.001, 1},
                                        {columns.aerosol_asymmetry(5, 2, 3), -1.25, -1},
                                        {columns.aerosol_550nm(1, 0, 0), -1e-3, 0}};
  std::vector<Spoiled> const of_clouds{
      {clouds.fraction_gpt(4, 0, 0), 1.5, 1},     {clouds.ice_path_gpt(4, 1, 1), -1e-3, 0},
      {clouds.optical_depth_gpt(3, 0, 5), -1, 0}, {clouds.single_scattering_albedo_gpt(3, 1, 5), 1.1, 1},
      {clouds.asymmetry_gpt(3, 1, 6), 1.01, 1},   {clouds.forward_fraction_gpt(3, 1, 7), -0.1, 0}};
  // A g-point that is cloudy with a size out of range.
  clouds.fraction_gpt(7, 2, 9) = 1;
  clouds.liquid_path_gpt(7, 2, 9) = 0.02;
  Spoiled const size{clouds.liquid_size(7, 2), 100e-6, 60e-6};
  auto const set = [](auto const& all, bool wrong) {
    for (auto const& s : all) s.value = wrong ? s.wrong : s.nearest;
  };
  set(of_columns, true);
  set(of_clouds, true);
  size.value = size.wrong;

  HostShortwaveReport report;
  EXPECT_EQ(message_of([&] { (void)solve(report); }),
            "validate: vmr(5, 0, 2) = -1e-12, expected a number of at least 0");
  options.checks = Checks::clip;
  auto const clipped = solve(report);
  EXPECT_EQ(total(report.out_of_range), of_columns.size());
  EXPECT_EQ(describe(report.out_of_range),
            "1 of vmr, 1 of cos_zenith, 1 of albedo_direct, 1 of albedo_diffuse, 1 of aerosol_optical_depth, 1 of "
            "aerosol_single_scattering_albedo, 1 of aerosol_asymmetry, 1 of aerosol_550nm");
  EXPECT_EQ(report.clipped.fractions, 1);
  EXPECT_EQ(report.clipped.water_paths, 1);
  EXPECT_EQ(report.clipped.sizes, 1);
  EXPECT_EQ(report.clipped.optical_depths, 1);
  EXPECT_EQ(report.clipped.optical_properties, 3);
  for (auto const* const all : {&of_columns, &of_clouds})
    for (auto const& s : *all) EXPECT_EQ(s.value, s.wrong);
  set(of_columns, false);
  set(of_clouds, false);
  size.value = size.nearest;
  EXPECT_TRUE(solve(report) == clipped);
  EXPECT_EQ(total(report.out_of_range), 0U);
  EXPECT_EQ(report.clipped.all(), 0);

  // Clouds alone.
  options.checks = Checks::refuse;
  options.clip_clouds = true;
  set(of_clouds, true);
  size.value = size.wrong;
  EXPECT_TRUE(solve(report) == clipped);
  EXPECT_EQ(report.clipped.all(), 7);
  columns.albedo_direct(3, 0) = -1e-9;
  EXPECT_EQ(message_of([&] { (void)solve(report); }), "validate: albedo_direct(3, 0) = -1e-09, expected 0 to 1");
}

TYPED_TEST(HostShortwaveTest, ValuesOutsideTheRangeOfTheModel) {
  int const ncol = 9;
  int const nlay = 6;
  auto const columns = synthetic_shortwave_columns(ncol, nlay, 1);
  auto const& coefficients = synthetic_shortwave_coefficients();
  auto options = options_of<TypeParam>({.chunk = 2});
  auto const solve = [&](HostShortwaveReport& report) {
    return all_values(fluxes::compute_shortwave(columns, coefficients, options, &report));
  };
  columns.temperature_lay(3, 0) = 500;
  HostShortwaveReport report;
  EXPECT_EQ(message_of([&] { (void)solve(report); }), "validate: temperature_lay(3, 0) = 500 K, expected 160 to 400 K");
  options.out_of_range = OutOfRange::extrapolate;
  auto const extrapolated = solve(report);
  EXPECT_EQ(describe(report.out_of_range), "1 of temperature_lay");
  options.out_of_range = OutOfRange::clip;
  auto const clipped = solve(report);
  EXPECT_EQ(describe(report.out_of_range), "1 of temperature_lay");
  EXPECT_EQ(columns.temperature_lay(3, 0), 500);
  columns.temperature_lay(3, 0) = 400;
  EXPECT_TRUE(solve(report) == clipped);
  EXPECT_FALSE(extrapolated == clipped);
}

// --- the sun -------------------------------------------------------------------------------------------------------

TYPED_TEST(HostShortwaveTest, OneSunOfAllColumnsIsThatOfEach) {
  int const ncol = 9;
  int const nlay = 6;
  auto columns = synthetic_shortwave_columns(ncol, nlay, 1);
  auto const options = options_of<TypeParam>({.chunk = 4});
  HostShortwave<double> shortwave(ncol, nlay, {}, {}, synthetic_shortwave_coefficients(), options);
  auto const solve = [&](fluxes::ShortwaveArrays const& in) {
    auto const fluxes = untouched_fluxes<double>(ncol, nlay);
    shortwave.compute(in, array_refs(fluxes));
    return all_values(fluxes);
  };
  fluxes::SolarOptions sun{.variability = fluxes::SolarVariability::scaled_bands, .day_of_year = 20};
  for (bool const bands : {false, true}) {
    if (bands) {
      sun.band_factors.emplace();
      for (std::size_t b = 0; b < nbnd_sw; ++b) (*sun.band_factors)[b] = 1 + 0.05 * static_cast<double>(b);
    }
    auto const source = fluxes::solar_source(sun);
    columns.solar_band_factors = decltype(columns.solar_band_factors)("factors", ncol, nbnd_sw);
    for (int c = 0; c < ncol; ++c) {
      for (int s = 0; s < fluxes::nsolar; ++s)
        columns.solar_weights(c, s) = source.weights[static_cast<std::size_t>(s)];
      for (int b = 0; b < nbnd_sw; ++b)
        columns.solar_band_factors(c, b) = source.band_factors[static_cast<std::size_t>(b)];
    }
    auto in = fluxes::arrays_of(columns, HostShortwaveClouds());
    auto const expected = solve(in);
    in.sun = source;
    EXPECT_EQ(message_of([&] { (void)solve(in); }),
              "validate: there are solar_weights and a sun, expected one of both");
    in.solar_weights = in.solar_band_factors = {};
    EXPECT_TRUE(solve(in) == expected);
  }
}

/// Largest difference of fluxes [W m-2].
double largest_difference(HostShortwaveFluxes const& one, HostShortwaveFluxes const& other) {
  double largest = 0;
  HostShortwaveFluxes::for_each_array(
      [&](ArrayDescription const& description, auto const& a, auto const& b) {
        if (description.unit != "W m-2") return;
        for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::abs(a.data()[i] - b.data()[i]));
      },
      one, other);
  return largest;
}

TEST(HostShortwave, ExecutionSpacesAgreeToRounding) {
  auto const spaces = execution_space_names();
  PARHELION_REQUIRE_DEVICE(spaces.size() >= 2, "a second execution space");
  auto const columns = columns_with_aerosol(60, 51, nbnd_sw);
  std::vector<HostShortwaveClouds> const skies{
      {}, synthetic_shortwave_clouds(60, 51), synthetic_shortwave_gpoint_clouds(60, 51)};
  for (std::size_t sky = 0; sky < skies.size(); ++sky)
    for (auto const precision : {Precision::float64, Precision::float32}) {
      auto const solve = [&](std::string const& space) {
        return fluxes::compute_shortwave(columns, skies[sky], synthetic_shortwave_coefficients(),
                                         {.space = space, .precision = precision, .outputs = everything});
      };
      auto const expected = solve(spaces.front());
      for (std::size_t i = 1; i < spaces.size(); ++i) {
        double const largest = largest_difference(expected, solve(spaces[i]));
        std::string const what =
            fmt::format("{}_sky{}_{}", spaces[i], sky, precision == Precision::float64 ? "double" : "float");
        RecordProperty(what, fmt::format("{:.1e}", largest));
        EXPECT_LE(largest, precision == Precision::float64 ? 1e-8 : 5e-2) << spaces.front() << " and " << what;
      }
    }
}

}  // namespace
