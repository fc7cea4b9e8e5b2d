// SPDX-License-Identifier: BSD-3-Clause
// The shortwave of the C interface: the same bits as in C++, the sun, and refusals.
#include "c_expectations.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

using namespace parhelion;
using namespace parhelion::Testing;

/// How often operator new has been called, see tests/fluxes/count_allocations.c.
extern "C" long number_of_allocations();

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

std::string const& shortwave_file() {
  static std::string const path = write_synthetic_shortwave_coefficients(scratch_folder());
  return path;
}

template <class Real>
fluxes::ShortwaveFluxes<Host, Real> in_cxx(ShortwaveInCxx<Real> const& input, ShortwaveCase const& c,
                                           fluxes::HostShortwaveOptions options = {},
                                           std::optional<fluxes::SolarOptions> const& sun = {}) {
  options.outputs = {.clear = c.options.clear != 0, .parts = c.options.parts != 0, .bands = c.options.bands != 0};
  int const ncol = input.columns.ncol();
  int const nlay = input.columns.nlay();
  fluxes::HostShortwave<Real> solver(ncol, nlay, input.clouds, fluxes::AerosolArrays(input.columns),
                                     synthetic_shortwave_coefficients(), options);
  auto const result = fluxes::make_shortwave_fluxes<Host, Real>(ncol, nlay, options.outputs);
  auto arrays = fluxes::arrays_of(input.columns, input.clouds);
  if (sun) {
    arrays.solar_weights = {};
    arrays.sun = fluxes::solar_source(*sun);
  }
  solver.compute(arrays, array_refs(result));
  return result;
}

template <class Real>
class CShortwave : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CShortwave, Reals);

}  // namespace

TYPED_TEST(CShortwave, GivesTheBitsOfCxxForArraysOfAnyStrides) {
  for (auto const which : {CloudsOf::none, CloudsOf::layers, CloudsOf::gpoints})
    for (auto const& style : styles) {
      ShortwaveInCxx<TypeParam> input;
      auto c = shortwave_case<TypeParam>(5, 12, shortwave_file(), which, style, &input);
      ASSERT_GOOD(compute(c));
      expect_same(c.out, in_cxx(input, c));
    }
}

TYPED_TEST(CShortwave, TheTopMayBeFirst) {
  ShortwaveInCxx<TypeParam> input;
  auto c = shortwave_case<TypeParam>(4, 9, shortwave_file(), CloudsOf::layers, fortran, &input);
  c.options.vertical_order = PARHELION_TOP_FIRST;
  std::set<std::string> const not_vertical{"cos_zenith",    "albedo_direct", "albedo_diffuse", "solar_weights",
                                           "aerosol_input", "cloud_input",   "ice_optics",     "liquid_optics"};
  for (auto& [name, array] : c.in)
    if (!not_vertical.contains(name)) array = turned(array);
  ASSERT_GOOD(compute(c));
  expect_same(c.out, in_cxx(input, c), {}, true);
}

TYPED_TEST(CShortwave, HasTheOptionsOfCxx) {
  using Change = void (*)(parhelion_shortwave_options&, fluxes::HostShortwaveOptions&);
  for (Change const change : std::initializer_list<Change>{[](auto&c, auto&cxx) {
                                                             c.precision = PARHELION_FLOAT32;
                                                             cxx.precision = Precision::float32;
                                                           },
                                                           [](auto&c, auto&cxx) {
                                                             c.transmittance = PARHELION_TRANSMITTANCE_TABLE;
                                                             cxx.tuning.transmittance = fluxes::Transmittance::table;
                                                           },
                                                           [](auto&c, auto&cxx) {
                                                             c.two_stream = PARHELION_TWO_STREAM_QUADRATURE;
                                                             cxx.tuning.two_stream = fluxes::TwoStream::quadrature;
                                                           },
                                                           [](auto&c, auto&cxx) {
                                                             c.direct = PARHELION_DIRECT_UNSCALED;
                                                             cxx.tuning.direct = fluxes::DirectBeam::unscaled;
                                                           },
                                                           [](auto&c, auto&cxx) {
                                                             c.band28_level = 58;
                                                             cxx.band28 = fluxes::Band28Level::from_58;
                                                           },
                                                           [](auto&c, auto&cxx) {
                                                             c.heat_capacity = 1004.64;
                                                             c.gravity = 9.80616;
                                                             cxx.tuning.heat_capacity = 1004.64;
                                                             cxx.tuning.gravity = 9.80616;
                                                           },
                                                           [](auto&c, auto&cxx) { c.chunk = cxx.chunk = 2; }}) {
    ShortwaveInCxx<TypeParam> input;
    auto c = shortwave_case<TypeParam>(3, 9, shortwave_file(), CloudsOf::gpoints, plain, &input);
    fluxes::HostShortwaveOptions options;
    change(c.options, options);
    ASSERT_GOOD(compute(c));
    expect_same(c.out, in_cxx(input, c, options));
  }
}

TEST(CShortwave, TheSunOfAllColumnsIsGivenByTheOptionsOfTheOriginal) {
  ShortwaveInCxx<double> input;
  auto c = shortwave_case<double>(4, 9, shortwave_file(), CloudsOf::none, plain, &input);
  c.in.erase("solar_weights");
  Made<ShortwaveCase> const made(c);
  ASSERT_GOOD(made.solve(c));
  expect_same(c.out, in_cxx(input, c, {}, fluxes::SolarOptions()));

  std::array<double, 2> const indices{1.1, 0.9};
  double const fraction = 0.3;
  std::array<double, PARHELION_SW_NBAND> factors;
  factors.fill(1.01);
  auto const bright = c;
  c.input.sun = PARHELION_SUN_CYCLE;
  c.input.day_of_year = 100;
  c.input.total_irradiance = 1361;
  c.input.solar_indices = indices.data();
  c.input.cycle_fraction = &fraction;
  ASSERT_GOOD(made.solve(c));
  expect_same(c.out, in_cxx(input, c, {},
                            fluxes::SolarOptions{.variability = fluxes::SolarVariability::cycle,
                                                 .total_irradiance = 1361,
                                                 .indices = indices,
                                                 .cycle_fraction = fraction,
                                                 .day_of_year = 100}));
  c = bright;
  c.input.sun = PARHELION_SUN_SCALED_BANDS;
  c.input.distance_factor = 1.03;
  c.input.band_factors = factors.data();
  ASSERT_GOOD(made.solve(c));
  expect_same(c.out, in_cxx(input, c, {},
                            fluxes::SolarOptions{.variability = fluxes::SolarVariability::scaled_bands,
                                                 .band_factors = factors,
                                                 .distance_factor = 1.03}));

  auto const expect = [&](int status, std::string const& message, auto const& change) {
    c = bright;
    change(c.input);
    EXPECT_STATUS(status, made.solve(c), message);
  };
  using In = parhelion_shortwave_input;
  expect(PARHELION_ERROR_ARGUMENT, "sun = 4, expected -2 to 3", [](In& in) { in.sun = 4; });
  expect(PARHELION_ERROR_ARGUMENT, "distance_factor = -1", [](In& in) { in.distance_factor = -1; });
  expect(PARHELION_ERROR_VALUE, "day_of_year", [](In& in) { in.day_of_year = 400; });
  expect(PARHELION_ERROR_VALUE, "total_irradiance", [](In& in) { in.total_irradiance = -5; });
  auto with_weights = shortwave_case<double>(4, 9, shortwave_file(), CloudsOf::none, plain);
  with_weights.input.day_of_year = 7;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, made.solve(with_weights),
                "solar_weights is given, expected sun, day_of_year");
}

TEST(CShortwave, TheSunOfEachColumnIsGivenByItsWeights) {
  auto c = shortwave_case<double>(4, 9, shortwave_file(), CloudsOf::none, plain);
  c.in.erase("solar_weights");
  c.input.sun = PARHELION_SUN_KURUCZ;
  c.input.total_irradiance = 1361;
  c.input.day_of_year = 100;
  std::array<double, PARHELION_SW_NSPECTRUM> weights{};
  std::array<double, PARHELION_SW_NBAND> factors{};
  ASSERT_GOOD(parhelion_shortwave_sun(&c.input, weights.data(), factors.data()));
  auto const expected = fluxes::solar_source(
      {.variability = fluxes::SolarVariability::kurucz, .total_irradiance = 1361, .day_of_year = 100});
  EXPECT_EQ(weights, expected.weights);
  EXPECT_EQ(factors, expected.band_factors);
  ASSERT_GOOD(parhelion_shortwave_sun(&c.input, weights.data(), nullptr));
  c.input.sun = 7;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_shortwave_sun(&c.input, weights.data(), nullptr),
                "sun = 7, expected -2 to 3");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_shortwave_sun(&c.input, nullptr, nullptr), "weights is NULL");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_shortwave_sun(nullptr, weights.data(), nullptr), "input");
}

TEST(CShortwave, CallsMayHaveFewerLayersAndAnyNumberOfColumns) {
  auto big = shortwave_case<double>(3, 12, shortwave_file(), CloudsOf::layers, plain);
  Made<ShortwaveCase> const made(big);
  for (auto const& [ncol, nlay] : {std::pair(3, 12), {7, 12}, {1, 5}, {2, 1}, {3, 12}}) {
    ShortwaveInCxx<double> input;
    auto c = shortwave_case<double>(ncol, nlay, shortwave_file(), CloudsOf::layers, plain, &input);
    ASSERT_GOOD(made.solve(c));
    expect_same(c.out, in_cxx(input, c));
  }
  auto deeper = shortwave_case<double>(3, 13, shortwave_file(), CloudsOf::layers, plain);
  EXPECT_STATUS(PARHELION_ERROR_SHAPE, made.solve(deeper), "1 to 12 layers");
}

TEST(CShortwave, RepeatedCallsDoNotAllocate) {
  for (auto const which : {CloudsOf::none, CloudsOf::layers, CloudsOf::gpoints}) {
    auto c = shortwave_case<double>(9, 6, shortwave_file(), which, plain);
    auto fewer = shortwave_case<double>(4, 3, shortwave_file(), which, plain);
    fewer.in.erase("solar_weights");
    c.options.chunk = 4;
    c.describe();
    fewer.describe();
    Made<ShortwaveCase> const made(c);
    ASSERT_GOOD(made.status());
    ASSERT_GOOD(c_solve(made, &c.input, &c.output));
    ASSERT_GOOD(c_solve(made, &fewer.input, &fewer.output));
    long const before = number_of_allocations();
    int const same = c_solve(made, &c.input, &c.output);
    int const less = c_solve(made, &fewer.input, &fewer.output);
    long const after = number_of_allocations();
    EXPECT_GOOD(same);
    EXPECT_GOOD(less);
    if (runs_on_host<Kokkos::DefaultExecutionSpace>) {
      EXPECT_EQ(after - before, 0) << static_cast<int>(which);
    }
  }
}

TEST(CShortwave, AlbedosAndColumnsMayShareValues) {
  ShortwaveInCxx<double> input;
  auto c = shortwave_case<double>(4, 9, shortwave_file(), CloudsOf::none, plain, &input);
  c.in.erase("o3");
  for (auto const* const name : {"albedo_direct", "albedo_diffuse"}) {
    c.in.at(name) = CallerArray({4}, plain);
    for (int col = 0; col < 4; ++col) c.in.at(name).set({col}, 0.25);
  }
  c.in.at("cos_zenith") = CallerArray({1}, plain);
  c.in.at("cos_zenith").set({0}, 0.75);
  parhelion::assign_array(input.columns.albedo_direct, 0.25);
  parhelion::assign_array(input.columns.albedo_diffuse, 0.25);
  parhelion::assign_array(input.columns.cos_zenith, 0.75);
  for (int col = 0; col < 4; ++col)
    for (int k = 0; k < 9; ++k) input.columns.vmr(col, PARHELION_O3, k) = 0;
  ASSERT_GOOD(compute(c));
  expect_same(c.out, in_cxx(input, c));
}

TEST(CShortwave, FactorsBringOtherUnits) {
  auto expected = shortwave_case<double>(3, 9, shortwave_file(), CloudsOf::layers, plain);
  auto c = expected;
  auto const by = [&](char const* name, double factor) {
    c.in.at(name).for_each([&](Index const& i) { c.in.at(name).set(i, c.in.at(name).value(i) * factor); });
  };
  for (auto const* const name : {"ice_path", "liquid_path"}) by(name, 1024);
  for (auto const* const name : {"ice_size", "liquid_size"}) by(name, 2048);
  for (auto const* const name : {"pressure_lay", "pressure_lev"}) by(name, 1 / 128.);
  c.input.path_factor = 1 / 1024.;
  c.input.particle_size_factor = 1 / 2048.;
  c.input.pressure_factor = 128;
  ASSERT_GOOD(compute(expected));
  ASSERT_GOOD(compute(c));
  expect_same_results(c, expected);
}

TEST(CShortwave, ClipsAndCountsWhereItIsAsked) {
  auto c = shortwave_case<double>(3, 9, shortwave_file(), CloudsOf::gpoints, plain);
  auto expected = c;
  auto const spoil = [&](char const* name, Index const& i, double wrong, double nearest) {
    c.in.at(name).set(i, wrong);
    expected.in.at(name).set(i, nearest);
  };
  spoil("h2o", {1, 3}, -1e-12, 0);
  spoil("albedo_diffuse", {2, 0}, 1.0000001, 1);
  spoil("cos_zenith", {0}, 1.0000001, 1);
  spoil("optical_depth_gpt", {0, 1, 5}, -1e-15, 0);
  spoil("asymmetry_gpt", {0, 1, 6}, 1.0000001, 1);
  EXPECT_STATUS(PARHELION_ERROR_VALUE, compute(c), "expected");
  c.options.checks = PARHELION_CHECK_CLIP;
  ASSERT_GOOD(compute(expected));
  Made<ShortwaveCase> const made(c);
  ASSERT_GOOD(made.solve(c));
  expect_same_results(c, expected);
  std::array<char, 200> text;
  std::int64_t count = 0;
  ASSERT_GOOD(parhelion_shortwave_counts(made, text.data(), text.size(), &count));
  EXPECT_EQ(count, 5);
  EXPECT_STREQ(text.data(),
               "1 of h2o, 1 of cos_zenith, 1 of albedo_diffuse, 1 of optical_depth, 1 of optical_property");
  c.in.at("h2o").set({1, 3}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_STATUS(PARHELION_ERROR_VALUE, made.solve(c), "expected");
}

TEST(CShortwave, KnowsItsHandles) {
  auto c = shortwave_case<double>(2, 5, shortwave_file(), CloudsOf::none, plain);
  c.describe();
  parhelion_shortwave* shortwave = nullptr;
  ASSERT_GOOD(parhelion_shortwave_create(&c.options, &shortwave));
  std::size_t host = 0, device = 0;
  EXPECT_GOOD(parhelion_shortwave_bytes(shortwave, &host, &device));
  EXPECT_GT(host + device, 0U);
  EXPECT_GOOD(parhelion_shortwave_status(shortwave));
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_shortwave_solve(shortwave, &c.input, &c.output, &c), "stream");
  auto* const as_longwave = reinterpret_cast<parhelion_longwave*>(shortwave);
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_status(as_longwave),
                "object of parhelion_shortwave_create");
  EXPECT_GOOD(parhelion_shortwave_destroy(shortwave));
  EXPECT_STATUS(PARHELION_ERROR_STATE, parhelion_shortwave_status(shortwave), "destroyed");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_shortwave_create(&c.options, nullptr), "shortwave is NULL");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_shortwave_create(nullptr, &shortwave), "options is NULL");
}

TEST(CShortwave, RefusesOptions) {
  auto const good = shortwave_case<double>(2, 5, shortwave_file(), CloudsOf::none, plain);
  auto const expect = [&](int status, std::string const& message, auto const& change) {
    auto options = good.options;
    change(options);
    parhelion_shortwave* shortwave = reinterpret_cast<parhelion_shortwave*>(1);
    EXPECT_STATUS(status, parhelion_shortwave_create(&options, &shortwave), message);
    EXPECT_EQ(shortwave, nullptr);
  };
  using Options = parhelion_shortwave_options;
  expect(PARHELION_ERROR_DEVICE, "'Abacus'", [](Options& o) { o.space = "Abacus"; });
  expect(PARHELION_ERROR_ARGUMENT, "nlay = 0", [](Options& o) { o.nlay = 0; });
  expect(PARHELION_ERROR_ARGUMENT, "two_stream = 3", [](Options& o) { o.two_stream = 3; });
  expect(PARHELION_ERROR_ARGUMENT, "direct = -1", [](Options& o) { o.direct = -1; });
  expect(PARHELION_ERROR_ARGUMENT, "band28_level = 43, expected 42 or 58", [](Options& o) { o.band28_level = 43; });
  expect(PARHELION_ERROR_ARGUMENT, "transmittance = 2", [](Options& o) { o.transmittance = 2; });
  expect(PARHELION_ERROR_ARGUMENT, "cloud_optical_properties is set",
         [](Options& o) { o.cloud_optical_properties = 1; });
  expect(PARHELION_ERROR_ARGUMENT, "gravity", [](Options& o) { o.gravity = -9; });
  expect(PARHELION_ERROR_FILE, "no-such-file", [](Options& o) { o.coefficients = "/no-such-file"; });
  // A file of the longwave.
  auto const other = write_synthetic_coefficients(scratch_folder());
  expect(PARHELION_ERROR_FILE, "RRTMG_LW_DATA", [&](Options& o) { o.coefficients = other.c_str(); });
}

TEST(CShortwave, RefusesArraysThatDoNotGoTogether) {
  auto const good = shortwave_case<double>(3, 9, shortwave_file(), CloudsOf::gpoints, plain);
  Made<ShortwaveCase> const made(good);
  auto const expect = [&](int status, std::string const& message, auto const& change) {
    auto c = good;
    change(c);
    EXPECT_STATUS(status, made.solve(c), message);
    c.out.at("flux_up").for_each([&](Index const& i) { EXPECT_TRUE(std::isnan(c.out.at("flux_up").value(i))); });
  };
  using Case = ShortwaveCase;
  expect(PARHELION_ERROR_ARGUMENT, "flux_dn_direct_band is absent",
         [](Case& c) { c.out.erase("flux_dn_direct_band"); });
  expect(PARHELION_ERROR_ARGUMENT, "flux_dn_nir is absent", [](Case& c) { c.out.erase("flux_dn_nir"); });
  expect(PARHELION_ERROR_ARGUMENT, "flux_dn_direct_clear is absent",
         [](Case& c) { c.out.erase("flux_dn_direct_clear"); });
  expect(PARHELION_ERROR_ARGUMENT, "flux_dn_uvvis_clear", [](Case& c) {
    for (auto const* const name :
         {"flux_dn_uvvis_clear", "flux_dn_nir_clear", "flux_dn_direct_uvvis_clear", "flux_dn_direct_nir_clear"})
      c.out.erase(name);
  });
  expect(PARHELION_ERROR_ARGUMENT, "cos_zenith is absent", [](Case& c) { c.in.erase("cos_zenith"); });
  expect(PARHELION_ERROR_ARGUMENT, "albedo_direct is absent", [](Case& c) { c.in.erase("albedo_direct"); });
  expect(PARHELION_ERROR_ARGUMENT, "forward_fraction_gpt", [](Case& c) { c.in.erase("forward_fraction_gpt"); });
  expect(PARHELION_ERROR_ARGUMENT, "fraction_gpt", [](Case& c) { c.in.erase("fraction_gpt"); });
  expect(PARHELION_ERROR_ARGUMENT, "expected all of aerosol_optical_depth",
         [](Case& c) { c.in.erase("aerosol_asymmetry"); });
  expect(PARHELION_ERROR_ARGUMENT, "aerosol_input", [](Case& c) { c.in.erase("aerosol_input"); });
  expect(PARHELION_ERROR_SHAPE, "albedo_direct has 3 albedos", [](Case& c) {
    c.in.at("albedo_direct") = c.in.at("albedo_diffuse") = CallerArray({3, 3}, plain);
  });
  expect(PARHELION_ERROR_SHAPE, "asymmetry_gpt has shape (3, 9, 140), expected (3, 9, 112)", [](Case& c) {
    c.in.at("asymmetry_gpt") = CallerArray({3, 9, 140}, plain);
  });
  expect(PARHELION_ERROR_SHAPE, "flux_up_band has shape (3, 10, 16)", [](Case& c) {
    c.out.at("flux_up_band") = CallerArray({3, 10, 16}, plain);
  });
  expect(PARHELION_ERROR_VALUE, "albedo_direct(1, 1) = 1.5, expected 0 to 1", [](Case& c) {
    c.in.at("albedo_direct").set({1, 1}, 1.5);
  });
  expect(PARHELION_ERROR_VALUE, "aerosol_input(2) = 5", [](Case& c) { c.in.at("aerosol_input").set({2}, 5); });
  // Arrays that the object was not made for.
  auto plain_case = shortwave_case<double>(3, 9, shortwave_file(), CloudsOf::none, plain);
  plain_case.options.aerosol_types = plain_case.options.bands = 0;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(plain_case), "aerosol_550nm is given");
  plain_case.options.aerosol_types = 1;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(plain_case), "flux_up_band is given");
  // Exponential overlap needs temperatures between layers.
  auto overlapping = shortwave_case<double>(3, 9, shortwave_file(), CloudsOf::layers, plain);
  overlapping.options.overlap = PARHELION_OVERLAP_EXPONENTIAL;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(overlapping), "temperature_lev is absent");
}
