// SPDX-License-Identifier: BSD-3-Clause
// A problem that is called again and again: what is kept between calls, and that it changes nothing.
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/retrieval/retrieve.hpp>

#include "comparisons.hpp"
#include "kokkos_manners.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

constexpr int ngas = 2;
constexpr int nchannel = 12;

/// A problem that counts how often its tables are asked for.
struct Counted {
  std::shared_ptr<int> reads = std::make_shared<int>(0);
  Problem problem = small_problem(ngas, nchannel);

  Counted() {
    problem.tables = [reads = reads, tables = problem.tables](int gas, int channel) {
      ++*reads;
      return tables(gas, channel);
    };
  }
};

template <class P>
struct EgaPreparedProblem : testing::Test {
  static HostEgaOptions options() {
    return {.space = P::ExecutionSpace::name(),
            .precision = std::is_same_v<typename P::Real, float> ? Precision::float32 : Precision::float64};
  }

  HostAtmosphere atmosphere = small_atmosphere(small_problem(ngas, nchannel).gases);
  HostObservation rays = joined({limb_rays({8e3, 21e3}), nadir_rays({0, 5})});
  ElementChoice elements{
      .pressure = {}, .temperature = {10e3, 30e3}, .mole_fraction = {{10e3, 15e3}}, .extinction = {}};
};

TYPED_TEST_SUITE(EgaPreparedProblem, SpacesAndReals, PairName);

/// To the last bit.
void expect_same(HostSpectra const& a, HostSpectra const& b, std::string const& what) {
  EXPECT_TRUE(same_bits(a.radiance, b.radiance)) << what;
  EXPECT_TRUE(same_bits(a.transmittance, b.transmittance)) << what;
  EXPECT_TRUE(same_bits(a.tangent.altitude, b.tangent.altitude)) << what;
  EXPECT_TRUE(same_bits(a.tangent.longitude, b.tangent.longitude)) << what;
  EXPECT_TRUE(same_bits(a.tangent.latitude, b.tangent.latitude)) << what;
  EXPECT_TRUE(same_bits(a.npoint, b.npoint)) << what;
}

void expect_same(HostJacobian const& a, HostJacobian const& b, std::string const& what) {
  expect_same(a.spectra, b.spectra, what);
  EXPECT_TRUE(same_bits(a.derivative, b.derivative)) << what;
}

/// How many of the arrays are points of tables on a device.
int tables_in(std::vector<std::string> const& labels) {
  return static_cast<int>(std::count(labels.begin(), labels.end(), "parhelion::ega::tables::piece"));
}

TYPED_TEST(EgaPreparedProblem, KeepsTablesOnTheDevice) {
  Counted const counted;
  PreparedProblem const prepared(counted.problem, this->options());
  EXPECT_FALSE(prepared.loaded());
  EXPECT_EQ(*counted.reads, 0);
  EXPECT_EQ(prepared.problem().nchannel(), nchannel);
  EXPECT_EQ(prepared.options().space, TypeParam::ExecutionSpace::name());

  HostEgaReport report;
  auto const plain = small_problem(ngas, nchannel);
  auto const spectra = compute_spectra(plain, this->atmosphere, this->rays, this->options());
  expect_same(compute_spectra(prepared, this->atmosphere, this->rays, &report), spectra, "first");
  EXPECT_TRUE(prepared.loaded());
  EXPECT_EQ(*counted.reads, ngas * nchannel);
  EXPECT_EQ(report.channel_blocks, 1);
  EXPECT_GT(report.load_seconds, 0);
  auto const table_bytes = report.table_bytes;

  auto const manners =
      watch([&] { expect_same(compute_spectra(prepared, this->atmosphere, this->rays, &report), spectra, "second"); });
  EXPECT_EQ(tables_in(manners.allocations), 0);
  EXPECT_EQ(tables_in(manners.deallocations), 0);
  EXPECT_EQ(report.load_seconds, 0);
  EXPECT_EQ(report.channel_blocks, 1);
  EXPECT_EQ(report.table_bytes, table_bytes);

  for (auto const method : {JacobianMethod::analytic, JacobianMethod::differences}) {
    auto const jacobian =
        compute_jacobian(plain, this->atmosphere, this->rays, this->elements, method, this->options());
    expect_same(compute_jacobian(prepared, this->atmosphere, this->rays, this->elements, method, &report), jacobian,
                method == JacobianMethod::analytic ? "analytic" : "differences");
    // Differences are in double, for which tables in single precision are of no use.
    constexpr bool in_float = std::is_same_v<typename TypeParam::Real, float>;
    bool const other_precision = method == JacobianMethod::differences && in_float;
    EXPECT_EQ(report.load_seconds > 0, other_precision);
    EXPECT_EQ(report.precision, in_float && !other_precision ? Precision::float32 : Precision::float64);
    if (other_precision) *counted.reads -= ngas * nchannel;
    compute_jacobian(prepared, this->atmosphere, this->rays, this->elements, method, &report);
    EXPECT_EQ(report.load_seconds, 0);
  }

  // Another atmosphere and other rays are no other problem.
  auto const warm = repeat(this->atmosphere, 1);
  for (int l = 0; l < warm.nlev(); ++l) warm.temperature(0, l) += 7;
  auto const one = with_rays(this->rays, {1});
  expect_same(compute_spectra(prepared, warm, one), compute_spectra(plain, warm, one, this->options()), "warm");
  EXPECT_EQ(*counted.reads, ngas * nchannel);
  // Tables on the device are not in host memory, too.
  prepared.problem().tables(0, 0);
  EXPECT_EQ(*counted.reads, ngas * nchannel + 1);
}

/// How many of the arrays are the memory of a driver or a solver.
int blocks_in(std::vector<std::string> const& labels) {
  return static_cast<int>(std::count_if(labels.begin(), labels.end(), [](std::string const& label) {
    return label.find("host_driver") != std::string::npos || label.find("workspace") != std::string::npos;
  }));
}

TYPED_TEST(EgaPreparedProblem, KeepsMemoryForCallsOfTheSameSizes) {
  auto const plain = small_problem(ngas, nchannel);
  PreparedProblem const prepared(plain, this->options());
  auto const warm = repeat(this->atmosphere, 1);
  for (int l = 0; l < warm.nlev(); ++l) warm.temperature(0, l) += 7;
  auto const fewer = with_rays(this->rays, {1, 2});
  struct Call {
    char const* what;
    HostAtmosphere const& atmosphere;
    HostObservation const& rays;
    bool takes_memory;
  };
  auto const other_top = [&] {
    auto air = repeat(this->atmosphere, 1);
    for (int l = 0; l < air.nlev(); ++l) air.altitude(0, l) *= 1.5;
    return air;
  }();
  std::vector<Call> const calls{{"first", this->atmosphere, this->rays, true},
                                {"same", this->atmosphere, this->rays, false},
                                {"warmer", warm, this->rays, false},
                                {"fewer rays", warm, fewer, true},
                                {"fewer rays again", this->atmosphere, fewer, false},
                                {"longer paths", other_top, fewer, true},
                                {"all rays", this->atmosphere, this->rays, true}};
  for (auto const& call : calls) {
    HostSpectra spectra;
    auto const manners = watch([&] { spectra = compute_spectra(prepared, call.atmosphere, call.rays); });
    EXPECT_EQ(blocks_in(manners.allocations) > 0, call.takes_memory) << call.what;
    // One call's memory at a time.
    if (call.takes_memory && std::string(call.what) != "first") {
      EXPECT_GT(blocks_in(manners.deallocations), 0) << call.what;
    }
    expect_same(spectra, compute_spectra(plain, call.atmosphere, call.rays, this->options()), call.what);
  }
  // An error does not spoil what is kept.
  auto const nowhere = repeat(this->atmosphere, 1);
  nowhere.temperature(0, 3) = -1;
  EXPECT_THROW(compute_spectra(prepared, nowhere, this->rays), Error);
  expect_same(compute_spectra(prepared, warm, this->rays), compute_spectra(plain, warm, this->rays, this->options()),
              "after an error");
}

TYPED_TEST(EgaPreparedProblem, BringsBlocksThatDoNotFitOutOfHostMemory) {
  Counted const counted;
  auto options = this->options();
  HostEgaReport report;
  compute_spectra(counted.problem, this->atmosphere, this->rays, options, &report);
  options.memory_limit = report.table_bytes / nchannel * 5;
  *counted.reads = 0;
  auto const plain = small_problem(ngas, nchannel);
  auto const spectra = compute_spectra(plain, this->atmosphere, this->rays, options);
  auto const jacobian =
      compute_jacobian(plain, this->atmosphere, this->rays, this->elements, JacobianMethod::analytic, options);

  PreparedProblem const prepared(counted.problem, options);
  for (std::string const what : {"first", "second"}) {
    auto const manners =
        watch([&] { expect_same(compute_spectra(prepared, this->atmosphere, this->rays, &report), spectra, what); });
    EXPECT_GT(report.channel_blocks, 1);
    EXPECT_GT(report.load_seconds, 0);
    EXPECT_EQ(tables_in(manners.allocations), report.channel_blocks);
    EXPECT_EQ(tables_in(manners.deallocations), report.channel_blocks) << "nothing stays on the device";
    EXPECT_FALSE(prepared.loaded());
  }
  expect_same(compute_jacobian(prepared, this->atmosphere, this->rays, this->elements, JacobianMethod::analytic),
              jacobian, "analytic");
  prepared.problem().tables(0, 0);
  EXPECT_EQ(*counted.reads, ngas * nchannel);
}

TYPED_TEST(EgaPreparedProblem, IsSharedByCopiesAndEndsWithTheLast) {
  Counted const counted;
  std::optional<PreparedProblem> prepared(std::in_place, counted.problem, this->options());
  std::optional<PreparedProblem> copy = prepared;
  compute_spectra(*prepared, this->atmosphere, this->rays);
  EXPECT_TRUE(copy->loaded());
  EXPECT_EQ(tables_in(watch([&] { prepared.reset(); }).deallocations), 0);
  compute_spectra(*copy, this->atmosphere, this->rays);
  EXPECT_EQ(*counted.reads, ngas * nchannel);
  EXPECT_EQ(tables_in(watch([&] { copy.reset(); }).deallocations), 1);
  // A call with the problem itself leaves nothing behind.
  auto const manners = watch([&] { compute_spectra(counted.problem, this->atmosphere, this->rays, this->options()); });
  EXPECT_EQ(tables_in(manners.allocations), 1);
  EXPECT_EQ(tables_in(manners.deallocations), 1);
}

TYPED_TEST(EgaPreparedProblem, RefusesAsCallsWithTheProblemDo) {
  auto problem = small_problem(ngas, nchannel);
  bool missing = true;
  problem.tables = [&missing, tables = problem.tables](int gas, int channel) {
    if (missing && channel == 3) throw Error("tables", "missing");
    return tables(gas, channel);
  };
  PreparedProblem const prepared(problem, this->options());
  auto const call = [&] { compute_spectra(prepared, this->atmosphere, this->rays); };
  EXPECT_EQ(message_of(call), "tables: missing");
  EXPECT_FALSE(prepared.loaded());
  // After an error that can be corrected, calls succeed.
  missing = false;
  call();
  EXPECT_TRUE(prepared.loaded());
  auto const other = small_atmosphere({"CO2"});
  EXPECT_EQ(message_of([&] { compute_spectra(prepared, other, this->rays); }),
            "compute_spectra: the atmosphere has 1 gases, expected 2");

  problem.tables = {};
  EXPECT_EQ(message_of([&] { compute_spectra(PreparedProblem(problem), this->atmosphere, this->rays); }),
            "compute_spectra: problem.tables is empty, expected a provider of tables");
  auto options = this->options();
  options.chunk = -1;
  EXPECT_EQ(message_of([&] {
              compute_jacobian(PreparedProblem(small_problem(ngas, nchannel), options), this->atmosphere, this->rays,
                               this->elements, JacobianMethod::analytic);
            }),
            "compute_jacobian: chunk = -1, expected at least 1, or 0 for an automatic choice");
}

TYPED_TEST(EgaPreparedProblem, ServesRetrievals) {
  Counted const counted;
  PreparedProblem const prepared(counted.problem, this->options());
  auto const truth = repeat(this->atmosphere, 1);
  for (int l = 0; l < truth.nlev(); ++l) truth.temperature(0, l) += 1;
  auto const measured = compute_spectra(prepared, truth, this->rays).radiance;
  HostArray<double**> const noise("noise", measured.extent(0), measured.extent(1));
  for (std::size_t i = 0; i < noise.size(); ++i) noise.data()[i] = 0.01 * measured.data()[i];
  retrieval::RetrievalChoice choice;
  choice.elements.temperature = {10e3, 30e3};
  choice.temperature = {retrieval::StateScale::absolute, {5}, 5e3};
  auto const expected = retrieve(small_problem(ngas, nchannel), this->atmosphere, this->rays, measured, noise, choice,
                                 {}, this->options());
  EXPECT_GT(expected.load_seconds, 0);
  for (int i = 0; i < 2; ++i) {
    auto const found = retrieve(prepared, this->atmosphere, this->rays, measured, noise, choice);
    EXPECT_EQ(found.value, expected.value);
    EXPECT_EQ(found.total_error, expected.total_error);
    EXPECT_EQ(found.load_seconds, 0);
  }
  EXPECT_EQ(*counted.reads, ngas * nchannel);
}

}  // namespace
