// SPDX-License-Identifier: BSD-3-Clause
// The C interface in a program whose Kokkos is its own: the same bits as in C++, and refusals.
#include "c_expectations.hpp"
#include "testing.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/version.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;

/// How often operator new has been called, see tests/fluxes/count_allocations.c.
extern "C" long number_of_allocations();

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// A folder for the files of this program.
std::string const& folder() {
  static std::string const path = scratch_folder();
  return path;
}

std::string const& coefficient_file() {
  static std::string const path = write_synthetic_coefficients(folder());
  return path;
}

std::string const& control_file() {
  static std::string const path = write_control(folder());
  return path;
}

template <class Real>
fluxes::Fluxes<Host, Real> in_cxx(LongwaveInCxx<Real> const& input, LongwaveCase const& c,
                                  fluxes::HostLongwaveOptions options = {}) {
  options.outputs = {
      .clear = c.options.clear != 0, .derivative = c.options.derivative != 0, .bands = c.options.bands != 0};
  using fluxes::LongwaveData;
  auto const data = c.options.model == PARHELION_RRTMG_LW ? LongwaveData(synthetic_coefficients())
                                                          : LongwaveData(fluxes::SimpleSpectralData());
  int const ncol = input.columns.ncol();
  int const nlay = input.columns.nlay();
  fluxes::HostLongwave<Real> solver(ncol, nlay, input.clouds, false, data, options);
  auto const result = fluxes::make_fluxes<Host, Real>(ncol, nlay, options.outputs);
  solver.compute(fluxes::arrays_of(input.columns, input.clouds), array_refs(result));
  return result;
}

auto radiances_in_cxx(adding::HostProfiles const& profiles) {
  adding::HostAdding solver(profiles, {.levels = true});
  auto const result = adding::make_host_radiances(profiles, true);
  auto radiances = result.radiances;
  radiances.toa = HostArray<double**>("parhelion::test", profiles.planck.extent(0), profiles.mu.extent(1));
  solver.compute(profiles, adding::HostRadiances(radiances));
  return radiances;
}

template <class Real>
class CLongwave : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CLongwave, Reals);

}  // namespace

// --- what all solvers share ----------------------------------------------------------------------------------------

TEST(CInterface, HasAVersion) { EXPECT_STREQ(parhelion_version(), PARHELION_VERSION); }

TEST(CInterface, KeepsTheLastMessageOfEachThread) {
  EXPECT_EQ(parhelion_longwave_create(nullptr, nullptr), PARHELION_ERROR_ARGUMENT);
  auto const message = last_error();
  EXPECT_EQ(parhelion_last_error(nullptr, 0), message.size() + 1);
  std::array<char, 8> text;
  text.fill('x');
  EXPECT_EQ(parhelion_last_error(text.data(), 5), message.size() + 1);
  EXPECT_EQ(std::string(text.data()), message.substr(0, 4));
  EXPECT_EQ(text[5], 'x');
  EXPECT_GOOD(parhelion_longwave_destroy(nullptr));
  EXPECT_EQ(last_error(), message);  // a success does not forget it
  std::thread([&] { EXPECT_EQ(last_error(), ""); }).join();
}

TEST(CInterface, InitializingAgainChangesNothing) {
  parhelion_settings const settings{.size = sizeof(settings), .device = 0, .device_by = 0, .threads = 1};
  EXPECT_GOOD(parhelion_initialize(&settings));
  EXPECT_GOOD(parhelion_initialize(nullptr));
  EXPECT_GOOD(parhelion_finalize());  // it is not ours
  EXPECT_TRUE(Kokkos::is_initialized());
}

TEST(CInterface, TakesStructsOfOlderAndNewerHeaders) {
  auto c = longwave_case<double>(2, 5, "", CloudsOf::none, plain);
  struct Newer {
    parhelion_longwave_options known;
    double more;
  } newer{c.options, 0};
  parhelion_longwave* longwave = nullptr;
  newer.known.size = sizeof(newer);
  ASSERT_GOOD(parhelion_longwave_create(&newer.known, &longwave));
  EXPECT_GOOD(parhelion_longwave_destroy(longwave));
  newer.more = 1;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_create(&newer.known, &longwave), "newer");
  EXPECT_EQ(longwave, nullptr);
  // Members that an old header does not have are 0, whatever lies there.
  auto older = c.options;
  older.size = offsetof(parhelion_longwave_options, overlap);
  older.overlap = 99;
  ASSERT_GOOD(parhelion_longwave_create(&older, &longwave));
  EXPECT_GOOD(parhelion_longwave_destroy(longwave));
  for (std::size_t const size :
       {std::size_t{0}, std::size_t{4}, std::size_t{9}, std::size_t{1} << 20, ~std::size_t{0}}) {
    older.size = size;
    EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_create(&older, &longwave), "options.size");
  }
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_create(nullptr, &longwave), "options is NULL");
}

TEST(CInterface, KnowsItsHandles) {
  auto c = longwave_case<double>(2, 5, "", CloudsOf::none, plain);
  c.describe();
  parhelion_longwave* longwave = nullptr;
  ASSERT_GOOD(parhelion_longwave_create(&c.options, &longwave));
  std::size_t host = 0, device = 1;
  EXPECT_GOOD(parhelion_longwave_bytes(longwave, &host, &device));
  EXPECT_GT(host + device, 0U);
  EXPECT_GOOD(parhelion_longwave_status(longwave));
  EXPECT_GOOD(parhelion_longwave_solve(longwave, &c.input, &c.output, nullptr));
  int something = 0;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_solve(longwave, &c.input, &c.output, &something),
                "stream");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_solve(longwave, nullptr, &c.output, nullptr), "input");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_solve(longwave, &c.input, nullptr, nullptr), "output");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_solve(nullptr, &c.input, &c.output, nullptr), "NULL");
  auto* const as_adding = reinterpret_cast<parhelion_adding*>(longwave);
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_adding_destroy(as_adding), "object of parhelion_longwave_create");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_adding_bytes(as_adding, nullptr, nullptr), "adding");
  auto* const wild = reinterpret_cast<parhelion_longwave*>(&something);
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_solve(wild, &c.input, &c.output, nullptr), "no object");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_destroy(wild), "no object");
  EXPECT_GOOD(parhelion_longwave_destroy(longwave));
  EXPECT_STATUS(PARHELION_ERROR_STATE, parhelion_longwave_solve(longwave, &c.input, &c.output, nullptr), "destroyed");
  // A new object does not bring it to life.
  parhelion_longwave* other = nullptr;
  ASSERT_GOOD(parhelion_longwave_create(&c.options, &other));
  EXPECT_STATUS(PARHELION_ERROR_STATE, parhelion_longwave_status(longwave), "destroyed");
  EXPECT_STATUS(PARHELION_ERROR_STATE, parhelion_longwave_destroy(longwave), "destroyed");
  EXPECT_GOOD(parhelion_longwave_destroy(other));
}

TEST(CInterface, AnObjectServesOneCallAtATime) {
  auto c = monte_carlo_case(small_box(), plain);
  c.options.rays = 1 << 14;
  c.describe();
  Made<MonteCarloCase> const made(c);
  ASSERT_GOOD(made.status());
  std::atomic<bool> done = false;
  std::thread solving([&] {
    // It may be this call that comes while the other thread asks.
    int status = PARHELION_ERROR_STATE;
    while (status == PARHELION_ERROR_STATE) status = c_solve(made, &c.input, &c.output);
    EXPECT_GOOD(status);
    done = true;
  });
  int refusals = 0;
  while (!done) {
    int const status = parhelion_monte_carlo_bytes(made, nullptr, nullptr);
    if (status != PARHELION_ERROR_STATE) continue;
    ++refusals;
    EXPECT_STATUS(PARHELION_ERROR_STATE, c_destroy(made), "in use by another thread");
    break;
  }
  solving.join();
  EXPECT_EQ(refusals, 1);
}

TEST(CInterface, RefusesArraysThatCannotBe) {
  auto const good = longwave_case<double>(3, 5, "", CloudsOf::none, plain);
  Made<LongwaveCase> const made(good);
  ASSERT_GOOD(made.status());
  auto const expect = [&](int status, std::string const& message, auto const& change) {
    auto c = good;
    c.describe();
    change(c.input, c.output);
    EXPECT_STATUS(status, c_solve(made, &c.input, &c.output), message);
    EXPECT_TRUE(c.guards_are_untouched());
  };
  using In = parhelion_longwave_input;
  using Out = parhelion_longwave_output;
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  expect(PARHELION_ERROR_ARGUMENT, "temperature_lev is absent", [](In& in, Out&) { in.temperature_lev = {}; });
  expect(PARHELION_ERROR_ARGUMENT, "flux_dn is absent", [](In&, Out& out) { out.flux_dn = {}; });
  expect(PARHELION_ERROR_ARGUMENT, "temperature_lev.data is NULL, but its shape is (3, 6)",
         [](In& in, Out&) { in.temperature_lev.data = nullptr; });
  expect(PARHELION_ERROR_SHAPE, "h2o.type = 7", [](In& in, Out&) { in.gases[0].type = 7; });
  expect(PARHELION_ERROR_SHAPE, "h2o.type = 2", [](In& in, Out&) { in.gases[0].type = PARHELION_INT32; });
  expect(PARHELION_ERROR_SHAPE, "h2o has another type than pressure_lay",
         [](In& in, Out&) { in.gases[0].type = PARHELION_FLOAT32; });
  expect(PARHELION_ERROR_SHAPE, "co2.rank = 5", [](In& in, Out&) { in.gases[1].rank = 5; });
  expect(PARHELION_ERROR_SHAPE, "co2.rank = -1", [](In& in, Out&) { in.gases[1].rank = -1; });
  expect(PARHELION_ERROR_SHAPE, "co2 has 1 dimensions", [](In& in, Out&) { in.gases[1].rank = 1; });
  expect(PARHELION_ERROR_SHAPE, "pressure_lev has shape (3, 5), expected (3, 6)",
         [](In& in, Out&) { in.pressure_lev.extent[1] = 5; });
  expect(PARHELION_ERROR_SHAPE, "pressure_lev.extent[1] = -6", [](In& in, Out&) { in.pressure_lev.extent[1] = -6; });
  expect(PARHELION_ERROR_SHAPE, "pressure_lay has shape (3, 6), expected (column, layer) with 1 to 5",
         [](In& in, Out&) { in.pressure_lay.extent[1] = 6; });
  expect(PARHELION_ERROR_SHAPE, "pressure_lay.extent[0] = 0, expected 1 to",
         [](In& in, Out&) { in.pressure_lay.extent[0] = 0; });
  expect(PARHELION_ERROR_SHAPE, "h2o.extent[1] = 0, expected 1 to", [](In& in, Out&) { in.gases[0].extent[1] = 0; });
  expect(PARHELION_ERROR_SHAPE, "flux_up.extent[0] = 0", [](In&, Out& out) { out.flux_up.extent[0] = 0; });
  expect(PARHELION_ERROR_SHAPE, "stride[0]", [&](In& in, Out&) { in.pressure_lev.stride[0] = largest; });
  expect(PARHELION_ERROR_SHAPE, "stride[0]", [&](In& in, Out&) { in.pressure_lev.stride[0] = -largest - 1; });
  expect(PARHELION_ERROR_SHAPE, "flux_up has the strides (0, 1)", [](In&, Out& out) { out.flux_up.stride[0] = 0; });
  expect(PARHELION_ERROR_SHAPE, "entries lie on each other", [](In&, Out& out) { out.flux_up.stride[0] = 5; });
  expect(PARHELION_ERROR_SHAPE, "flux_up has shape (2, 6)", [](In&, Out& out) { out.flux_up.extent[0] = 2; });
  expect(PARHELION_ERROR_ARGUMENT, "not aligned",
         [](In& in, Out&) { in.pressure_lay.data = static_cast<char*>(in.pressure_lay.data) + 3; });
  expect(PARHELION_ERROR_ARGUMENT, "h2o.where = 4", [](In& in, Out&) { in.gases[0].where = 4; });
  expect(PARHELION_ERROR_DEVICE, "device 2", [](In& in, Out&) {
    in.gases[0].where = PARHELION_DEVICE;
    in.gases[0].device = 2;
  });
  expect(PARHELION_ERROR_ARGUMENT, "pressure_factor", [](In& in, Out&) { in.pressure_factor = -1; });
}

TEST(CInterface, RefusesResultsInMemoryOfOtherArrays) {
  auto const good = longwave_case<double>(3, 5, "", CloudsOf::none, plain);
  Made<LongwaveCase> const made(good);
  ASSERT_GOOD(made.status());
  auto c = good;
  c.describe();
  // Three arrays of this size, and another one.
  std::vector<double> memory(4 * 3 * 6);
  auto const at = [&](std::size_t first, std::int64_t of_columns, std::int64_t of_levels) {
    return parhelion_array{memory.data() + first,  PARHELION_FLOAT64, PARHELION_HOST, 0, 2, {3, 6},
                           {of_columns, of_levels}};
  };
  auto const solve = [&](parhelion_array const& up, parhelion_array const& dn) {
    c.output.flux_up = up;
    c.output.flux_dn = dn;
    return c_solve(made, &c.input, &c.output);
  };
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, solve(at(0, 6, 1), at(0, 6, 1)), "flux_up and flux_dn share memory");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, solve(at(0, 6, 1), at(17, 6, 1)), "flux_up and flux_dn share memory");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, solve(at(0, 6, 1), at(20, -6, 1)), "flux_up and flux_dn share memory");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, solve(at(0, 12, 2), at(0, 6, 1)), "flux_up and flux_dn share memory");
  // One after the other, or entry by entry in turns.
  EXPECT_GOOD(solve(at(0, 6, 1), at(18, 6, 1)));
  std::vector<double> const apart = memory;
  EXPECT_GOOD(solve(at(0, 12, 2), at(1, 12, 2)));
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(memory[2 * i], apart[i]);
    EXPECT_EQ(memory[2 * i + 1], apart[18 + i]);
  }
  // A result over an input.
  c.output.flux_up = c.input.temperature_lev;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, c_solve(made, &c.input, &c.output),
                "temperature_lev and flux_up share memory");
}

TEST(CInterface, ValuesAreCheckedBeforeAnythingIsWritten) {
  auto c = longwave_case<double>(3, 5, "", CloudsOf::none, plain);
  c.in.at("temperature_lay").set({1, 2}, -4);
  Made<LongwaveCase> const made(c);
  EXPECT_STATUS(PARHELION_ERROR_VALUE, made.solve(c), "temperature_lay(1, 2) = -4 K");
  c.out.at("flux_up").for_each([&](Index const& i) { EXPECT_TRUE(std::isnan(c.out.at("flux_up").value(i))); });
}

TEST(CInterface, RefusesOptionsThatDoNotExist) {
  auto const good = longwave_case<double>(2, 5, "", CloudsOf::none, plain);
  auto const expect = [&](int status, std::string const& message, auto const& change) {
    auto options = good.options;
    change(options);
    parhelion_longwave* longwave = reinterpret_cast<parhelion_longwave*>(1);
    EXPECT_STATUS(status, parhelion_longwave_create(&options, &longwave), message);
    EXPECT_EQ(longwave, nullptr);
  };
  using Options = parhelion_longwave_options;
  expect(PARHELION_ERROR_DEVICE, "'Abacus'", [](Options& o) { o.space = "Abacus"; });
  expect(PARHELION_ERROR_ARGUMENT, "precision = 2", [](Options& o) { o.precision = PARHELION_INT32; });
  expect(PARHELION_ERROR_ARGUMENT, "model = -1", [](Options& o) { o.model = -1; });
  expect(PARHELION_ERROR_ARGUMENT, "nlay = 0", [](Options& o) { o.nlay = 0; });
  expect(PARHELION_ERROR_ARGUMENT, "ncol = -3", [](Options& o) { o.ncol = -3; });
  expect(PARHELION_ERROR_ARGUMENT, "overlap = 6", [](Options& o) { o.overlap = 6; });
  expect(PARHELION_ERROR_ARGUMENT, "checks = 3", [](Options& o) { o.checks = 3; });
  expect(PARHELION_ERROR_ARGUMENT, "chunk = -1", [](Options& o) { o.chunk = -1; });
  expect(PARHELION_ERROR_ARGUMENT, "devices = -2", [](Options& o) { o.devices = -2; });
  expect(PARHELION_ERROR_DEVICE, "devices = 1000", [](Options& o) { o.devices = 1000; });
  expect(PARHELION_ERROR_ARGUMENT, "gravity", [](Options& o) { o.gravity = -9; });
  expect(PARHELION_ERROR_ARGUMENT, "coefficients", [](Options& o) { o.coefficients = "some"; });
  expect(PARHELION_ERROR_FILE, "no-such-file", [](Options& o) {
    o.model = PARHELION_RRTMG_LW;
    o.coefficients = "/no-such-file";
  });
}

TEST(CInterface, MissingAndBadFilesAreErrorsOfFiles) {
  auto const bad = folder() + "/bad";
  std::ofstream(bad) << "no coefficients";
  parhelion_longwave* longwave = nullptr;
  auto options = longwave_case<double>(2, 5, bad, CloudsOf::none, plain).options;
  EXPECT_STATUS(PARHELION_ERROR_FILE, parhelion_longwave_create(&options, &longwave), bad);
  options.coefficients = nullptr;  // searched where there is none
  setenv("PARHELION_DATA", "/nonexistent", 1);
  EXPECT_STATUS(PARHELION_ERROR_FILE, parhelion_longwave_create(&options, &longwave), "/nonexistent");
  setenv("PARHELION_DATA", folder().c_str(), 1);
  (void)coefficient_file();
  EXPECT_GOOD(parhelion_longwave_create(&options, &longwave));
  EXPECT_GOOD(parhelion_longwave_destroy(longwave));
  unsetenv("PARHELION_DATA");

  parhelion_spectra* spectra = nullptr;
  parhelion_spectra_options of_spectra{};
  of_spectra.size = sizeof(of_spectra);
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_spectra_create(&of_spectra, &spectra), "control is NULL");
  for (std::string const& file : {bad, std::string("/no-such-control")}) {
    of_spectra.control = file.c_str();
    EXPECT_STATUS(PARHELION_ERROR_FILE, parhelion_spectra_create(&of_spectra, &spectra), file);
  }

  parhelion_monte_carlo* monte_carlo = nullptr;
  parhelion_monte_carlo_options of_boxes{};
  of_boxes.size = sizeof(of_boxes);
  of_boxes.gas = PARHELION_GAS_NARROW_BANDS;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_monte_carlo_create(&of_boxes, &monte_carlo), "narrow_bands");
  of_boxes.narrow_bands = bad.c_str();
  EXPECT_STATUS(PARHELION_ERROR_FILE, parhelion_monte_carlo_create(&of_boxes, &monte_carlo), bad);
}

// --- longwave ------------------------------------------------------------------------------------------------------

TYPED_TEST(CLongwave, GivesTheBitsOfCxxForArraysOfAnyStrides) {
  for (auto const which : {CloudsOf::none, CloudsOf::layers, CloudsOf::gpoints})
    for (auto const& style : styles) {
      LongwaveInCxx<TypeParam> input;
      auto c = longwave_case<TypeParam>(5, 12, coefficient_file(), which, style, &input);
      ASSERT_GOOD(compute(c));
      expect_same(c.out, in_cxx(input, c));
    }
}

TYPED_TEST(CLongwave, TheTopMayBeFirst) {
  LongwaveInCxx<TypeParam> input;
  auto c = longwave_case<TypeParam>(4, 9, coefficient_file(), CloudsOf::layers, fortran, &input);
  c.options.vertical_order = PARHELION_TOP_FIRST;
  std::set<std::string> const not_vertical{"temperature_sfc", "emissivity_sfc", "cloud_input", "ice_optics",
                                           "liquid_optics"};
  for (auto& [name, array] : c.in)
    if (!not_vertical.contains(name)) array = turned(array);
  ASSERT_GOOD(compute(c));
  expect_same(c.out, in_cxx(input, c), {}, true);
}

TYPED_TEST(CLongwave, ComputesInEitherPrecision) {
  for (auto const precision : {PARHELION_FLOAT32, PARHELION_FLOAT64}) {
    LongwaveInCxx<TypeParam> input;
    auto c = longwave_case<TypeParam>(3, 9, coefficient_file(), CloudsOf::none, plain, &input);
    c.options.precision = precision;
    ASSERT_GOOD(compute(c));
    fluxes::HostLongwaveOptions options;
    options.precision = precision == PARHELION_FLOAT32 ? Precision::float32 : Precision::float64;
    expect_same(c.out, in_cxx(input, c, options));
  }
}

TEST(CLongwave, CallsMayHaveFewerLayersAndAnyNumberOfColumns) {
  auto big = longwave_case<double>(3, 12, coefficient_file(), CloudsOf::layers, plain);
  Made<LongwaveCase> const made(big);
  for (auto const& [ncol, nlay] : {std::pair(3, 12), {7, 12}, {1, 5}, {2, 1}, {3, 12}}) {
    LongwaveInCxx<double> input;
    auto c = longwave_case<double>(ncol, nlay, coefficient_file(), CloudsOf::layers, plain, &input);
    ASSERT_GOOD(made.solve(c));
    expect_same(c.out, in_cxx(input, c));
  }
  auto deeper = longwave_case<double>(3, 13, coefficient_file(), CloudsOf::layers, plain);
  EXPECT_STATUS(PARHELION_ERROR_SHAPE, made.solve(deeper), "1 to 12 layers");
}

TEST(CLongwave, RepeatedCallsDoNotAllocate) {
  for (auto const which : {CloudsOf::none, CloudsOf::layers, CloudsOf::gpoints}) {
    auto c = longwave_case<double>(9, 6, coefficient_file(), which, plain);
    auto fewer = longwave_case<double>(4, 3, coefficient_file(), which, plain);
    c.options.chunk = 4;
    c.describe();
    fewer.describe();
    Made<LongwaveCase> const made(c);
    ASSERT_GOOD(made.status());
    ASSERT_GOOD(c_solve(made, &c.input, &c.output));
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

TEST(CLongwave, AbsentGasesCountAsZeroAndColumnsMayShareValues) {
  LongwaveInCxx<double> input;
  auto c = longwave_case<double>(4, 9, coefficient_file(), CloudsOf::none, plain, &input);
  c.in.erase("o3");
  CallerArray co2({1, 9}, plain);
  for (int k = 0; k < 9; ++k) co2.set({0, k}, input.columns.vmr(0, 1, k));
  c.in.at("co2") = co2;
  for (int col = 0; col < 4; ++col)
    for (int k = 0; k < 9; ++k) {
      input.columns.vmr(col, 1, k) = input.columns.vmr(0, 1, k);
      input.columns.vmr(col, 2, k) = 0;
    }
  ASSERT_GOOD(compute(c));
  auto const expected = in_cxx(input, c);
  expect_same(c.out, expected);
  // The same with a stride of 0.
  Made<LongwaveCase> const made(c);
  c.describe();
  c.input.gases[PARHELION_CO2].extent[0] = 4;
  c.input.gases[PARHELION_CO2].stride[0] = 0;
  ASSERT_GOOD(c_solve(made, &c.input, &c.output));
  expect_same(c.out, expected);
}

TEST(CLongwave, FactorsBringOtherUnits) {
  auto expected = longwave_case<double>(3, 9, coefficient_file(), CloudsOf::layers, plain);
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

TEST(CLongwave, HeatingRatesScaleWithGravityAndHeatCapacity) {
  auto expected = longwave_case<double>(3, 9, coefficient_file(), CloudsOf::none, plain);
  auto c = expected;
  c.options.heat_capacity = 1004.64;
  c.options.gravity = 9.80616;
  ASSERT_GOOD(compute(expected));
  ASSERT_GOOD(compute(c));
  auto const& heating = c.out.at("heating_rate");
  heating.for_each([&](Index const& i) {
    double const other = expected.out.at("heating_rate").value(i);
    EXPECT_NEAR(heating.value(i), other * (1004 / 1004.64) * (9.80616 / 9.8066), 1e-12 * std::abs(other));
  });
  c.out.at("flux_up").for_each(
      [&](Index const& i) { EXPECT_EQ(c.out.at("flux_up").value(i), expected.out.at("flux_up").value(i)); });
}

TEST(CLongwave, ClipsAndCountsWhereItIsAsked) {
  auto c = longwave_case<double>(3, 9, coefficient_file(), CloudsOf::layers, plain);
  auto expected = c;
  c.in.at("h2o").set({1, 3}, -1e-12);
  expected.in.at("h2o").set({1, 3}, 0);
  c.in.at("emissivity_sfc").set({2, 4}, 1.0000001);
  expected.in.at("emissivity_sfc").set({2, 4}, 1);
  c.in.at("liquid_path").set({0, 1}, -1e-15);
  expected.in.at("liquid_path").set({0, 1}, 0);
  EXPECT_STATUS(PARHELION_ERROR_VALUE, compute(c), "expected");
  c.options.checks = PARHELION_CHECK_CLIP;
  ASSERT_GOOD(compute(expected));
  Made<LongwaveCase> const made(c);
  ASSERT_GOOD(made.solve(c));
  expect_same_results(c, expected);
  std::array<char, 200> text;
  std::int64_t count = 0;
  ASSERT_GOOD(parhelion_longwave_counts(made, text.data(), text.size(), &count));
  EXPECT_EQ(count, 3) << text.data();
  EXPECT_NE(std::string(text.data()).find("1 of h2o"), std::string::npos) << text.data();
  c.in.at("h2o").set({1, 3}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_STATUS(PARHELION_ERROR_VALUE, made.solve(c), "expected");
}

TEST(CLongwave, RefusesArraysThatDoNotGoTogether) {
  auto const good = longwave_case<double>(3, 9, coefficient_file(), CloudsOf::layers, plain);
  Made<LongwaveCase> const made(good);
  auto const expect = [&](int status, std::string const& message, auto const& change) {
    auto c = good;
    change(c);
    EXPECT_STATUS(status, made.solve(c), message);
  };
  expect(PARHELION_ERROR_ARGUMENT, "flux_dn_band", [](LongwaveCase& c) { c.out.erase("flux_dn_band"); });
  expect(PARHELION_ERROR_ARGUMENT, "flux_dn_clear", [](LongwaveCase& c) { c.out.erase("flux_dn_clear"); });
  expect(PARHELION_ERROR_ARGUMENT, "fraction", [](LongwaveCase& c) { c.in.erase("fraction"); });
  expect(PARHELION_ERROR_ARGUMENT, "aerosol is given", [](LongwaveCase& c) {
    c.in["aerosol"] = CallerArray({3, 9, 16}, plain);
  });
  // Calls may have no clouds.
  auto c = good;
  for (auto const* const name :
       {"fraction", "ice_path", "liquid_path", "ice_size", "liquid_size", "cloud_input", "ice_optics", "liquid_optics"})
    c.in.erase(name);
  EXPECT_GOOD(made.solve(c));
  auto clear = longwave_case<double>(3, 9, coefficient_file(), CloudsOf::none, plain);
  clear.out.emplace("flux_up_clear", CallerArray({3, 10}, plain));
  clear.out.emplace("flux_dn_clear", CallerArray({3, 10}, plain));
  clear.out.emplace("heating_rate_clear", CallerArray({3, 9}, plain));
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(clear), "flux_up_clear is given");
}

// --- the other solvers ---------------------------------------------------------------------------------------------

TEST(CAdding, GivesTheBitsOfCxxForArraysOfAnyStrides) {
  for (bool const scatter : {false, true})
    for (auto const& style : styles) {
      auto const profiles = sunny_profiles(5, 7, 3, scatter);
      auto c = adding_case(profiles, style);
      ASSERT_GOOD(compute(c));
      expect_same(c.out, radiances_in_cxx(profiles));
    }
}

TEST(CAdding, TakesAndGivesFloats) {
  auto const profiles = sunny_profiles(5, 7, 3, false);
  auto c = adding_case(profiles, {.type = PARHELION_FLOAT32});
  ASSERT_GOOD(compute(c));
  auto const rounded = [](auto const& view) {
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = static_cast<float>(view.data()[i]);
  };
  auto in = profiles;
  adding::Profiles<Host, double>::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (description.name != "phase") rounded(view);
      },
      in);
  auto const expected = radiances_in_cxx(in);
  for (auto const& view : {expected.up, expected.dn, expected.up_emergent}) rounded(view);
  rounded(expected.toa);
  expect_same(c.out, expected);
}

TEST(CAdding, AnObjectServesCallsOfAnyExtents) {
  auto first = adding_case(sunny_profiles(4, 6, 2, false), plain);
  Made<AddingCase> const made(first);
  struct Extents {
    int nprofile, nlay, nangle;
    bool scatter, top_first;
  };
  for (auto const& [nprofile, nlay, nangle, scatter, shared] : {Extents{4, 6, 2, false, false},
                                                                {9, 6, 2, false, true},
                                                                {9, 6, 2, false, false},
                                                                {1, 3, 1, false, false},
                                                                {2, 8, 4, true, false},
                                                                {2, 7, 3, true, true},
                                                                {4, 6, 2, false, false}}) {
    auto profiles = sunny_profiles(nprofile, nlay, nangle, scatter);
    if (shared) {
      auto const mu = profiles.mu;
      profiles.mu = HostArray<double**>("parhelion::test", 1, mu.extent(1));
      for (std::size_t i = 0; i < mu.extent(1); ++i) profiles.mu(0, i) = mu(0, i);
    }
    auto c = adding_case(profiles, fortran);
    ASSERT_GOOD(made.solve(c));
    expect_same(c.out, radiances_in_cxx(profiles));
  }
  std::size_t host = 0, device = 0;
  EXPECT_GOOD(c_bytes(made, &host, &device));
  EXPECT_GT(host + device, 0U);
}

TEST(CAdding, TheTopMayBeFirst) {
  auto profiles = sunny_profiles(5, 7, 3, true);
  profiles.order = adding::VerticalOrder::top_first;
  auto c = adding_case(profiles, plain);
  ASSERT_GOOD(compute(c));
  expect_same(c.out, radiances_in_cxx(profiles));
}

TEST(CAdding, RefusesArraysThatDoNotGoTogether) {
  auto const good = adding_case(sunny_profiles(3, 4, 2, true), plain);
  Made<AddingCase> const made(good);
  auto const expect = [&](int status, std::string const& message, auto const& change) {
    auto c = good;
    change(c);
    EXPECT_STATUS(status, made.solve(c), message);
  };
  expect(PARHELION_ERROR_ARGUMENT, "planck is absent", [](AddingCase& c) { c.in.erase("planck"); });
  expect(PARHELION_ERROR_ARGUMENT, "optical_depth and transmittance",
         [](AddingCase& c) { c.in.erase("optical_depth"); });
  expect(PARHELION_ERROR_ARGUMENT, "solar_irradiance is absent", [](AddingCase& c) { c.in.erase("solar_irradiance"); });
  expect(PARHELION_ERROR_ARGUMENT, "weight is absent", [](AddingCase& c) { c.in.erase("weight"); });
  expect(PARHELION_ERROR_ARGUMENT, "phase is absent", [](AddingCase& c) { c.in.erase("phase"); });
  expect(PARHELION_ERROR_ARGUMENT, "results", [](AddingCase& c) { c.out.clear(); });
  expect(PARHELION_ERROR_SHAPE, "emissivity has shape (3, 3)", [](AddingCase& c) {
    c.in["emissivity"] = CallerArray({3, 3}, plain);
  });
  expect(PARHELION_ERROR_SHAPE, "phase.type", [](AddingCase& c) { c.in["phase"] = CallerArray({3, 4}, plain); });
  expect(PARHELION_ERROR_VALUE, "mu(1, 1)", [](AddingCase& c) { c.in.at("mu").set({1, 1}, 1.5); });
}

TEST(CSpectra, GivesTheBitsOfCxxForArraysOfAnyStrides) {
  auto const problem = io::read_jurassic_problem(io::read_jurassic_control(control_file()));
  auto const atmosphere = small_atmosphere(problem.gases);
  auto const rays = some_rays();
  auto const expected = ega::compute_spectra(problem, atmosphere, rays);
  for (auto const& style : styles) {
    auto c = spectra_case(control_file(), atmosphere, rays, style);
    ASSERT_GOOD(compute(c));
    expect_same(c.out, expected);
    // What is 0 may be left out.
    for (auto const* const name :
         {"extinction", "time", "observer_longitude", "observer_latitude", "view_point_longitude"})
      c.in.erase(name);
    for (auto const* const name : {"transmittance", "npoint", "tangent_latitude"}) c.out.erase(name);
    Made<SpectraCase> const made(c);
    for (int i = 0; i < 2; ++i) {
      ASSERT_GOOD(made.solve(c));
      expect_same(c.out, expected);
    }
  }
}

TEST(CSpectra, TellsWhatItComputes) {
  auto c = spectra_case(control_file(), small_atmosphere({"CO2", "H2O"}), some_rays(), plain);
  Made<SpectraCase> const made(c);
  std::int64_t ngas = 0, nchannel = 0;
  EXPECT_GOOD(parhelion_spectra_sizes(made, &ngas, &nchannel));
  EXPECT_EQ(ngas, 2);
  EXPECT_EQ(nchannel, 3);
  std::array<char, 10> text;
  EXPECT_GOOD(parhelion_spectra_gas(made, 1, text.data(), text.size()));
  EXPECT_STREQ(text.data(), "H2O");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_spectra_gas(made, 2, text.data(), text.size()), "gas = 2");
  double nu = 0;
  EXPECT_GOOD(parhelion_spectra_wavenumber(made, 2, &nu));
  EXPECT_EQ(nu, 714);
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_spectra_wavenumber(made, -1, &nu), "channel = -1");
  std::size_t host = 1, device = 1;
  EXPECT_GOOD(c_bytes(made, &host, &device));
  EXPECT_EQ(host + device, 0U);
  ASSERT_GOOD(made.solve(c));
  EXPECT_GOOD(c_bytes(made, &host, &device));
  EXPECT_GT(host + device, 0U);
}

TEST(CSpectra, RefusesArraysThatDoNotGoTogether) {
  auto const good = spectra_case(control_file(), small_atmosphere({"CO2", "H2O"}), some_rays(), plain);
  Made<SpectraCase> const made(good);
  auto const expect = [&](int status, std::string const& message, auto const& change) {
    auto c = good;
    change(c);
    EXPECT_STATUS(status, made.solve(c), message);
  };
  expect(PARHELION_ERROR_ARGUMENT, "radiance is absent", [](SpectraCase& c) { c.out.erase("radiance"); });
  expect(PARHELION_ERROR_ARGUMENT, "cloud_depth is absent",
         [](SpectraCase& c) { c.in["cloud_height"] = CallerArray({1}, plain); });
  expect(PARHELION_ERROR_SHAPE, "mole_fraction has shape (1, 3, 31), expected (1, 2, 31)", [](SpectraCase& c) {
    c.in["mole_fraction"] = CallerArray({1, 3, 31}, plain);
  });
  expect(PARHELION_ERROR_SHAPE, "npoint.type", [](SpectraCase& c) { c.out["npoint"] = CallerArray({4}, plain); });
  expect(PARHELION_ERROR_VALUE, "temperature(0, 7)", [](SpectraCase& c) { c.in.at("temperature").set({0, 7}, -1); });
  auto missing = good;
  auto const other = folder() + "/without_tables.ctl";
  std::ofstream(other) << "TBLBASE = " << folder() << "/none\nNG = 1\nEMITTER[0] = CO2\nND = 1\nNU[0] = 700\n";
  missing.options.control = other.c_str();
  EXPECT_STATUS(PARHELION_ERROR_FILE, compute(missing), "none");
}

TEST(CMonteCarlo, GivesTheBitsOfCxxForArraysOfAnyStrides) {
  auto const box = small_box();
  auto const expected = monte_carlo::compute_sources(box, {.rays = 64, .repetitions = 4});
  std::map<std::string, std::string> names{{"q_radiative", "q"},
                                           {"q_radiative_error", "q_error"},
                                           {"incident_radiation", "incident"},
                                           {"q_radiative_plane_error_x", "q_plane_error_x"},
                                           {"q_radiative_plane_error_y", "q_plane_error_y"},
                                           {"q_radiative_plane_error_z", "q_plane_error_z"},
                                           {"q_radiative_box_error", "q_box_error"}};
  std::size_t i = 0;
  monte_carlo::HostResults::for_each_array(
      [&](ArrayDescription const& description, auto const&) {
        std::size_t const side = (i - 7) % 6;
        if (i >= 7)
          names[std::string(description.name)] = (i < 13 ? "wall_flux" : "wall_flux_error") + std::to_string(side);
        ++i;
      },
      expected);
  for (auto const& style : styles) {
    auto c = monte_carlo_case(box, style);
    double error = 0;
    std::int64_t repetitions = 0;
    c.output.reached_error = &error;
    c.output.repetitions = &repetitions;
    ASSERT_GOOD(compute(c));
    expect_same(c.out, expected, names);
    EXPECT_EQ(repetitions, 4);
    EXPECT_GT(error, 0);
    for (int side = 0; side < 6; ++side) {
      c.out.erase("wall_flux" + std::to_string(side));
      c.out.erase("wall_flux_error" + std::to_string(side));
    }
    ASSERT_GOOD(compute(c));
    expect_same(c.out, expected, names);
  }
}

TEST(CMonteCarlo, HasThreeGases) {
  auto box = small_box();
  box.spectrum = monte_carlo::Spectrum::weighted_sum_of_grey_gases();
  auto c = monte_carlo_case(box, plain);
  c.options.gas = PARHELION_GAS_GREY_GASES;
  c.options.absorption = 0;
  c.options.devices = -1;
  ASSERT_GOOD(compute(c));
  expect_same("q", c.out.at("q"), monte_carlo::compute_sources(box, {.rays = 64, .repetitions = 4}).q);
}

TEST(CMonteCarlo, RefusesWhatDoesNotGoTogether) {
  auto const good = monte_carlo_case(small_box(), plain);
  Made<MonteCarloCase> const made(good);
  auto const expect = [&](int status, std::string const& message, auto const& change) {
    auto c = good;
    change(c);
    EXPECT_STATUS(status, made.solve(c), message);
  };
  expect(PARHELION_ERROR_ARGUMENT, "q is absent", [](MonteCarloCase& c) { c.out.erase("q"); });
  expect(PARHELION_ERROR_ARGUMENT, "sides[2] is periodic", [](MonteCarloCase& c) {
    c.out["wall_flux2"] = CallerArray({3, 4}, plain);
  });
  expect(PARHELION_ERROR_ARGUMENT, "sides[3].type = 7", [](MonteCarloCase& c) { c.input.sides[3].type = 7; });
  expect(PARHELION_ERROR_VALUE, "sides[1].reflectivity = 2",
         [](MonteCarloCase& c) { c.input.sides[1].reflectivity = 2; });
  expect(PARHELION_ERROR_VALUE, "x_high", [](MonteCarloCase& c) { c.input.sides[1].temperature = -2; });
  expect(PARHELION_ERROR_SHAPE, "temperature has shape (3, 2, 5), expected (3, 2, 4)", [](MonteCarloCase& c) {
    c.in["temperature"] = CallerArray({3, 2, 5}, plain);
  });
  expect(PARHELION_ERROR_VALUE, "y(1) = -1 m", [](MonteCarloCase& c) { c.in.at("y").set({1}, -1); });
  expect(PARHELION_ERROR_VALUE, "temperature(2, 1, 3)", [](MonteCarloCase& c) {
    c.in.at("temperature").set({2, 1, 3}, -1);
  });
  auto c = good;
  c.options.repetitions = 1;
  EXPECT_STATUS(PARHELION_ERROR_VALUE, compute(c), "repetitions");
  c = good;
  c.options.devices = -2;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(c), "devices = -2");
  c.options.devices = 1000;
  EXPECT_STATUS(PARHELION_ERROR_DEVICE, compute(c), "devices = 1000");
}

TEST(CMonteCarlo, ABoxLargerThanTheMemoryIsRefused) {
  auto c = monte_carlo_case(small_box(), plain);
  constexpr int n = 20000;
  for (auto const* const axis : {"x", "y", "z"}) {
    c.in[axis] = CallerArray({n + 1}, plain);
    for (int i = 0; i <= n; ++i) c.in[axis].set({i}, i);
  }
  Made<MonteCarloCase> const made(c);
  EXPECT_STATUS(PARHELION_ERROR_MEMORY, made.solve(c), "memory");
}

// --- threads of the caller -----------------------------------------------------------------------------------------

namespace {

/// Works with cases that differ from thread to thread and compares with what one thread got.
struct Work {
  LongwaveCase longwave;
  AddingCase adding;
  SpectraCase spectra;
  MonteCarloCase monte_carlo;

  explicit Work(int which)
      : longwave(longwave_case<double>(3 + which, 9, coefficient_file(), CloudsOf::layers, fortran)),
        adding(adding_case(sunny_profiles(3 + which, 5, 2, true), plain)),
        spectra(spectra_case(control_file(), small_atmosphere({"CO2", "H2O"}), some_rays(), plain)),
        monte_carlo(monte_carlo_case(small_box(2 + which), plain)) {}

  /// Makes objects and computes; the number of calls that failed.
  int run() {
    return static_cast<int>(compute(longwave) != 0) + static_cast<int>(compute(adding) != 0) +
           static_cast<int>(compute(spectra) != 0) + static_cast<int>(compute(monte_carlo) != 0);
  }

  void expect_equal(Work const& other) const {
    expect_same_results(longwave, other.longwave);
    expect_same_results(adding, other.adding);
    expect_same_results(spectra, other.spectra);
    expect_same_results(monte_carlo, other.monte_carlo);
  }
};

/// Calls work(thread) in two threads of a region of OpenMP in a region of its own; false without OpenMP.
template <class Action>
bool in_region([[maybe_unused]] Action const& work) {
#define PARHELION_REGION(SPACE)                                                                \
  _Pragma("omp parallel num_threads(2)") work(static_cast<std::size_t>(omp_get_thread_num())); \
  return true;
  PARHELION_IMPL_WITH_OPENMP(PARHELION_REGION)
#undef PARHELION_REGION
  return false;
}

/// The same two levels deep.
template <class Action>
bool in_nested_region(Action const& work) {
  return in_region([&](std::size_t thread) { in_region([&](std::size_t) { work(thread); }); });
}

}  // namespace

TEST(CThreads, ThreadsOfTheCallerGetTheBitsOfOne) {
  std::vector<Work> expected, found;
  for (int t = 0; t < 2; ++t) {
    expected.emplace_back(t);
    found.emplace_back(t);
    EXPECT_EQ(expected.back().run(), 0) << last_error();
  }
  std::vector<std::thread> threads;
  std::array<int, 2> failed = {-1, -1};
  for (std::size_t t = 0; t < 2; ++t) threads.emplace_back([&, t] { failed[t] = found[t].run(); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed, (std::array<int, 2>{0, 0}));
  for (std::size_t t = 0; t < 2; ++t) found[t].expect_equal(expected[t]);
}

TEST(CThreads, ARegionOfOpenMPMayMakeObjectsAndCallThem) {
  std::vector<Work> expected, found;
  for (int t = 0; t < 2; ++t) {
    expected.emplace_back(t);
    found.emplace_back(t);
    EXPECT_EQ(expected.back().run(), 0) << last_error();
  }
  std::array<int, 2> failed = {-1, -1};
  bool const here = in_region([&](std::size_t t) { failed[t] = found[t].run(); });
  PARHELION_REQUIRE_DEVICE(here, "OpenMP");
  EXPECT_EQ(failed, (std::array<int, 2>{0, 0}));
  for (std::size_t t = 0; t < 2; ++t) found[t].expect_equal(expected[t]);
}

TEST(CThreads, ARegionOfOpenMPMayCallObjectsThatWereMadeOutside) {
  std::vector<LongwaveCase> cases;
  std::vector<LongwaveCase> expected;
  for (int t = 0; t < 2; ++t) {
    cases.push_back(longwave_case<double>(3 + t, 9, coefficient_file(), CloudsOf::layers, plain));
    expected.push_back(cases.back());
    ASSERT_GOOD(compute(expected.back()));
  }
  Made<LongwaveCase> const one(cases[0]);
  Made<LongwaveCase> const two(cases[1]);
  std::array<Made<LongwaveCase> const*, 2> const objects{&one, &two};
  std::array<int, 2> status = {-1, -1};
  bool const here = in_region([&](std::size_t t) {
    for (int i = 0; i < 20; ++i) status[t] = objects[t]->solve(cases[t]);
  });
  PARHELION_REQUIRE_DEVICE(here, "OpenMP");
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(status[t], PARHELION_SUCCESS);
    // And outside again.
    for (int again = 0; again < 2; ++again) {
      expect_same_results(cases[t], expected[t]);
      ASSERT_GOOD(objects[t]->solve(cases[t]));
    }
  }
}

TEST(CThreads, RegionsOfOpenMPMayBeNested) {
  Work expected(1), found(1);
  EXPECT_EQ(expected.run(), 0) << last_error();
  int failed = -1;
  std::atomic<int> first = 0;
  bool const here = in_nested_region([&](std::size_t) {
    if (first++ == 0) failed = found.run();
  });
  PARHELION_REQUIRE_DEVICE(here, "OpenMP");
  EXPECT_EQ(failed, 0);
  found.expect_equal(expected);
}
