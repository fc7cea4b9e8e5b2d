// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/retrieval/retrieve.hpp>

#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::retrieval;
using parhelion::Testing::limb_rays;
using parhelion::Testing::message_of;
using parhelion::Testing::small_table;

using Vector = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double km = 1e3;

// Carbon dioxide in channels around 15 um and a gas like ozone in two around 10 um, from opaque to thin.
constexpr double centre[] = {668, 676, 688, 701, 714, 1000, 1020, 1040};
constexpr double strength[] = {3e-18, 3e-19, 3e-20, 3e-21, 3e-22, 3e-18, 3e-19, 3e-20};  // [cm2 molecule-1]
constexpr int nchannel = 8;
constexpr int nco2 = 5;
constexpr int ozone = 1;
constexpr double spacing = 4;  // of levels [km]

EmissivityTable table_of(int gas, int channel) {
  // Neither gas absorbs in the band of the other.
  if ((gas == ozone) == (channel < nco2)) return {};
  io::BandParameters const band{.strength = strength[channel], .width = 0.3, .lower_state = 300. + 100 * (channel % 3)};
  return small_table(band, {.npressure = 24, .ntemperature = 8, .temperature_step = 20});
}

Problem limb_problem() {
  Problem p;
  p.gases = {"CO2", "O3"};
  for (double const nu : centre) {
    p.channels.wavenumber.push_back(nu);
    p.channels.window.push_back(0);
    p.channels.filter.push_back({{nu}, {1}});
  }
  p.tables = cached(table_of);
  p.options.continua = {false, false, false, false};
  p.options.step = 50 * km;
  p.options.vertical_step = 4 * km;
  p.options.hydrostatic_reference = 30 * km;
  return p;
}

/// 21 levels up to 80 km; smooth.
HostAtmosphere prior_air() {
  int const nlev = 21;
  auto const a = make_atmosphere(1, nlev, {"CO2", "O3"}, 1);
  for (int l = 0; l < nlev; ++l) {
    double const z = spacing * l;  // [km]
    a.altitude(0, l) = km * z;
    a.temperature(0, l) = 220 + 45 * std::exp(-std::pow((z - 50) / 14, 2)) + 50 * std::exp(-std::pow(z / 8, 2));
    a.pressure(0, l) = 101325 * std::exp(-z / 7);
    a.mole_fraction(0, 0, l) = 4e-4;
    a.mole_fraction(0, ozone, l) = 8e-6 * std::exp(-std::pow((z - 33) / 13, 2)) + 3e-8;
  }
  make_hydrostatic(a, 30 * km);
  return a;
}

/// Up to 5 K and 20 % from the prior, over some 20 km, with nothing left where nothing is retrieved.
HostAtmosphere true_air() {
  auto const a = repeat(prior_air(), 1);
  for (int l = 0; l < a.nlev(); ++l) {
    double const z = a.altitude(0, l) / km;
    double const window = std::exp(-std::pow((z - 31) / 8.5, 4));
    a.temperature(0, l) += 5 * window * std::sin((z - 20) / 5);
    a.mole_fraction(0, ozone, l) *= 1 + 0.2 * window * std::cos((z - 24) / 6);
  }
  make_hydrostatic(a, 30 * km);
  return a;
}

constexpr int nray = 16;

HostObservation scan() {
  Vector tangents;
  for (int r = 0; r < nray; ++r) tangents.push_back((9 + 2.75 * r) * km);
  return limb_rays(tangents);
}

/// Noise of each channel: a part of its strongest signal.
HostArray<double**> noise_of(HostArray<double**> const& radiance, double part) {
  HostArray<double**> noise("noise", radiance.extent(0), radiance.extent(1));
  for (std::size_t c = 0; c < radiance.extent(1); ++c) {
    double most = 0;
    for (std::size_t r = 0; r < radiance.extent(0); ++r) most = std::max(most, radiance(r, c));
    for (std::size_t r = 0; r < radiance.extent(0); ++r) noise(r, c) = part * most;
  }
  return noise;
}

// Elements of the state: of temperature, then of ozone. The highest ones are above the scan, where the prior is what
// there is.
constexpr int ntemperature = 14;
constexpr int nozone = 10;

RetrievalChoice profiles(double temperature, double gas) {
  RetrievalChoice choice;
  choice.elements.temperature = {11 * km, 65 * km};
  choice.elements.mole_fraction = {{}, {15 * km, 53 * km}};
  choice.temperature = {StateScale::absolute, {temperature}, 5 * km};
  choice.mole_fraction = {{}, relative_prior(gas, 5 * km)};
  return choice;
}

RetrievalOptions quick_options() {
  RetrievalOptions options;
  options.estimation.damping = 0;
  return options;
}

/// The inputs of a retrieval.
struct Twin {
  Problem problem = limb_problem();
  HostAtmosphere prior = prior_air();
  HostObservation observation = scan();
  HostArray<double**> measured;
  HostArray<double**> noise;
  RetrievalChoice choice = profiles(10, 0.5);
  RetrievalOptions options = quick_options();

  explicit Twin(HostAtmosphere const& truth = true_air(), double noise_part = 1e-3) {
    measured = compute_spectra(problem, truth, observation).radiance;
    noise = noise_of(measured, noise_part);
  }

  HostRetrieval run() const { return retrieve(problem, prior, observation, measured, noise, choice, options); }
};

double value_in(HostAtmosphere const& a, Element const& e) {
  return e.quantity == Quantity::temperature ? a.temperature(0, e.level) : a.mole_fraction(0, e.which, e.level);
}

void add_noise(Twin& twin, HostArray<double**> const& clean, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  for (std::size_t r = 0; r < clean.extent(0); ++r)
    for (std::size_t c = 0; c < clean.extent(1); ++c)
      twin.measured(r, c) = clean(r, c) + twin.noise(r, c) * normal(random);
}

HostArray<double**> copy_of(HostArray<double**> const& from) {
  HostArray<double**> to("copy", from.extent(0), from.extent(1));
  for (std::size_t i = 0; i < from.size(); ++i) to.data()[i] = from.data()[i];
  return to;
}

void expect_truth(HostRetrieval const& found, HostAtmosphere const& truth) {
  int known = 0;
  for (std::size_t i = 0; i < found.elements.size(); ++i) {
    if (found.response[i] <= 0.9) continue;
    ++known;
    auto const& e = found.elements[i];
    double const expected = value_in(truth, e);
    double const tolerance = e.quantity == Quantity::temperature ? 0.1 : 0.01 * expected;
    EXPECT_NEAR(found.value[i], expected, tolerance) << "element " << i << ", level " << e.level;
  }
  // The measurement, not the prior, is what makes these profiles.
  EXPECT_GE(known, 18);
  EXPECT_LT(known, ntemperature + nozone);
}

TEST(Retrieval, TheTruthIsFoundWithoutNoise) {
  auto const truth = true_air();
  Twin twin(truth);
  twin.options.estimation.convergence = 1e-6;
  auto const found = twin.run();
  EXPECT_TRUE(found.estimate.converged);
  ASSERT_EQ(static_cast<int>(found.elements.size()), ntemperature + nozone);
  EXPECT_EQ(found.measurements, nray * nchannel);
  expect_truth(found, truth);
  // The a priori atmosphere was far away.
  double away = 0;
  for (std::size_t i = 0; i < ntemperature; ++i) away = std::max(away, std::abs(found.value[i] - found.prior[i]));
  EXPECT_GT(away, 4);
  RecordProperty("iterations", found.estimate.iterations);
  for (int quantity = 0; quantity < 2; ++quantity) {
    double worst = 0;
    for (int i = quantity * ntemperature; i < ntemperature + quantity * nozone; ++i)
      if (found.response[i] > 0.9)
        worst = std::max(worst, std::abs(found.value[i] - value_in(truth, found.elements[i])) /
                                    (quantity == 0 ? 1 : found.value[i]));
    RecordProperty(quantity == 0 ? "worst temperature" : "worst ozone", std::to_string(worst));
  }

  // Reported values belong to the returned atmosphere.
  auto const again = compute_spectra(twin.problem, found.atmosphere, twin.observation).radiance;
  for (int r = 0; r < nray; ++r)
    for (int c = 0; c < nchannel; ++c) EXPECT_NEAR(found.radiance(r, c), again(r, c), 1e-12 * again(r, c));
  auto const balanced = repeat(found.atmosphere, 1);
  make_hydrostatic(balanced, 30 * km);
  for (int l = 0; l < balanced.nlev(); ++l)
    EXPECT_NEAR(found.atmosphere.pressure(0, l), balanced.pressure(0, l), 1e-12 * balanced.pressure(0, l));
  for (std::size_t i = 0; i < found.elements.size(); ++i) {
    EXPECT_EQ(found.value[i], value_in(found.atmosphere, found.elements[i]));
    EXPECT_EQ(found.prior[i], value_in(twin.prior, found.elements[i]));
    // Noise and smoothing are all that is left of the prior's error.
    EXPECT_NEAR(std::hypot(found.noise_error[i], found.smoothing_error[i]), found.total_error[i],
                1e-9 * found.total_error[i]);
    EXPECT_LT(found.total_error[i], found.prior_error[i]);
    double const prior = found.elements[i].quantity == Quantity::temperature ? 10 : 0.5 * found.prior[i];
    EXPECT_NEAR(found.prior_error[i], prior, 1e-12 * prior);
  }
  // Levels that are not retrieved stay.
  EXPECT_EQ(found.atmosphere.temperature(0, 0), twin.prior.temperature(0, 0));
  EXPECT_EQ(found.atmosphere.mole_fraction(0, ozone, 20), twin.prior.mole_fraction(0, ozone, 20));
  EXPECT_EQ(found.atmosphere.mole_fraction(0, 0, 10), 4e-4);
}

TEST(Retrieval, LogarithmsOfAmountsLeadToTheSameTruth) {
  auto const truth = true_air();
  Twin twin(truth);
  twin.choice.mole_fraction[ozone].scale = StateScale::logarithmic;
  twin.options.estimation.convergence = 1e-6;
  expect_truth(twin.run(), truth);
}

TEST(Retrieval, AmountsInTheirUnitAreAmountsInFractions) {
  // The same prior in other units is the same retrieval.
  Twin twin;
  auto const relative = twin.run();
  auto& ozone_prior = twin.choice.mole_fraction[ozone];
  ozone_prior.scale = StateScale::absolute;
  ozone_prior.standard_deviation.clear();
  for (int l = 0; l < twin.prior.nlev(); ++l)
    ozone_prior.standard_deviation.push_back(0.5 * twin.prior.mole_fraction(0, ozone, l));
  auto const absolute = twin.run();
  for (std::size_t i = 0; i < relative.value.size(); ++i) {
    // States differ by roundings. A point that falls on a node of a table may then be looked up on the other side of
    // it, where the slope is another one; one of some 1e4 lookups by some percent.
    EXPECT_NEAR(absolute.value[i], relative.value[i], 1e-5 * relative.value[i]);
    EXPECT_NEAR(absolute.total_error[i], relative.total_error[i], 1e-5 * relative.total_error[i]);
  }
}

TEST(Retrieval, BothJacobiansLeadToTheSameState) {
  Twin twin;
  twin.options.estimation.convergence = 1e-6;
  auto const analytic = twin.run();
  twin.options.jacobian = JacobianMethod::differences;
  auto const differences = twin.run();
  for (std::size_t i = 0; i < analytic.value.size(); ++i) {
    // Without noise the minimum is where the residual is next to nothing, whatever the Jacobian; each state is within
    // sqrt(24 1e-6) = 0.5 % of an error of it.
    EXPECT_NEAR(analytic.value[i], differences.value[i], 0.01 * analytic.total_error[i]) << i;
    // Steps of 1 K and 1 % cross nodes of tables, between which slopes of these coarse ones are up to a fifth apart; a
    // level has many points, so that less is left.
    EXPECT_NEAR(analytic.total_error[i], differences.total_error[i], 0.1 * analytic.total_error[i]) << i;
  }
}

TEST(Retrieval, NoisyTwinsScatterAsTheNoiseErrorSays) {
  // One truth, 200 measurements of it.
  Twin twin;
  twin.choice = profiles(5, 0.2);
  auto const clean_spectra = copy_of(twin.measured);
  auto const clean = twin.run();
  twin.options.first_guess = clean.atmosphere;
  std::size_t const n = clean.value.size();
  constexpr int twins = 200;
  std::mt19937_64 random(20240229);
  Vector sum(n), square(n);
  double chi_square = 0, residual_chi_square = 0;
  double seconds = 0, load_seconds = 0;
  int iterations = 0, converged = 0;
  for (int t = 0; t < twins; ++t) {
    add_noise(twin, clean_spectra, random);
    auto const found = twin.run();
    converged += found.estimate.converged;
    EXPECT_GE(found.estimate.iterations, 1);
    iterations += found.estimate.iterations;
    seconds += found.seconds;
    load_seconds += found.load_seconds;
    chi_square += found.chi_square / twins;
    residual_chi_square += found.residual_chi_square / twins;
    for (std::size_t i = 0; i < n; ++i) {
      double const away = found.value[i] - clean.value[i];
      sum[i] += away;
      square[i] += away * away;
    }
  }
  double ratio[2] = {0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    double const variance = (square[i] - sum[i] * sum[i] / twins) / (twins - 1);
    double const expected = clean.noise_error[i] * clean.noise_error[i];
    ratio[i < ntemperature ? 0 : 1] += variance / expected / (i < ntemperature ? ntemperature : nozone);
    // The mean has a standard deviation of the noise error over sqrt(200); the seed is fixed.
    EXPECT_LT(std::abs(sum[i] / twins), 5 * clean.noise_error[i] / std::sqrt(twins)) << i;
  }
  RecordProperty("scatter over noise error, temperature", std::to_string(std::sqrt(ratio[0])));
  RecordProperty("scatter over noise error, ozone", std::to_string(std::sqrt(ratio[1])));
  RecordProperty("chi-square", std::to_string(chi_square));
  RecordProperty("chi-square of the residual", std::to_string(residual_chi_square));
  RecordProperty("degrees of freedom for signal", std::to_string(clean.estimate.degrees_of_freedom));
  RecordProperty("iterations", std::to_string(iterations / double(twins)));
  RecordProperty("converged", converged);
  RecordProperty("seconds of a twin", std::to_string(seconds / twins));
  RecordProperty("of these loading", std::to_string(load_seconds / twins));
  // The coarse tables make the model linear in pieces: where two meet at the minimum, no step may make the cost fall.
  EXPECT_GE(converged, 0.95 * twins);
  // An element's variance of 200 samples has a standard deviation of 10 %, that of the mean over 10 elements lies
  // between a third of this and all of it; of the error, half.
  EXPECT_NEAR(std::sqrt(ratio[0]), 1, 0.1);
  EXPECT_NEAR(std::sqrt(ratio[1]), 1, 0.1);
  // The residual has m - d degrees of freedom; the mean over 200 has a standard deviation of 1 %.
  EXPECT_NEAR(residual_chi_square, 1, 0.1);
}

TEST(Retrieval, TwinsOfThePriorHaveTheTotalErrorAndUnitChiSquare) {
  // 200 truths out of the prior, each measured once.
  Twin twin;
  twin.choice = profiles(5, 0.2);
  auto const reference = twin.run();
  std::size_t const n = reference.value.size();
  // The Markov chain that has exponential correlations.
  auto const draw = [&](std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    auto const truth = repeat(twin.prior, 1);
    double last = 0;
    for (std::size_t i = 0; i < n; ++i) {
      bool const first = i == 0 || i == ntemperature;
      double const correlation = first ? 0 : std::exp(-spacing / 5);
      last = correlation * last + std::sqrt(1 - correlation * correlation) * normal(random);
      auto const& e = reference.elements[i];
      if (e.quantity == Quantity::temperature)
        truth.temperature(0, e.level) += 5 * last;
      else
        truth.mole_fraction(0, e.which, e.level) *= 1 + 0.2 * last;
    }
    make_hydrostatic(truth, 30 * km);
    return truth;
  };
  constexpr int twins = 200;
  std::mt19937_64 random(7);
  double ratio[2] = {0, 0};
  double chi_square = 0, residual_chi_square = 0;
  int iterations = 0, converged = 0;
  for (int t = 0; t < twins; ++t) {
    auto const truth = draw(random);
    // Some of the hydrostatic truths have more than 1200 hPa at the ground.
    add_noise(
        twin,
        compute_spectra(twin.problem, truth, twin.observation, {.out_of_range = OutOfRange::extrapolate}).radiance,
        random);
    auto const found = twin.run();
    converged += found.estimate.converged;
    iterations += found.estimate.iterations;
    chi_square += found.chi_square / twins;
    residual_chi_square += found.residual_chi_square / twins;
    for (std::size_t i = 0; i < n; ++i) {
      double const error = (found.value[i] - value_in(truth, found.elements[i])) / found.total_error[i];
      ratio[i < ntemperature ? 0 : 1] += error * error / twins / (i < ntemperature ? ntemperature : nozone);
    }
  }
  RecordProperty("error over total error, temperature", std::to_string(std::sqrt(ratio[0])));
  RecordProperty("error over total error, ozone", std::to_string(std::sqrt(ratio[1])));
  RecordProperty("chi-square", std::to_string(chi_square));
  RecordProperty("chi-square of the residual", std::to_string(residual_chi_square));
  RecordProperty("iterations", std::to_string(iterations / double(twins)));
  RecordProperty("converged", converged);
  EXPECT_GE(converged, 0.95 * twins);
  // Half of sqrt(2 / 200) = 10 % for one element, less for the mean over 10.
  EXPECT_NEAR(std::sqrt(ratio[0]), 1, 0.1);
  EXPECT_NEAR(std::sqrt(ratio[1]), 1, 0.1);
  // The mean over 200 has a standard deviation of sqrt(2 / 128 / 200) = 0.9 %.
  EXPECT_NEAR(chi_square, 1, 0.1);
  EXPECT_NEAR(residual_chi_square, 1, 0.1);
}

TEST(Retrieval, WhatIsNotUsedDoesNotMatter) {
  Twin twin;
  // A missing ray is the same as one that is not used.
  Twin without;
  without.observation = Testing::with_rays(twin.observation, {0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  without.measured = HostArray<double**>("measured", nray - 1, nchannel);
  without.noise = HostArray<double**>("noise", nray - 1, nchannel);
  for (int r = 0; r < nray - 1; ++r)
    for (int c = 0; c < nchannel; ++c) {
      without.measured(r, c) = twin.measured(r < 3 ? r : r + 1, c);
      without.noise(r, c) = twin.noise(r < 3 ? r : r + 1, c);
    }
  twin.observation.masked = HostArray<bool**>("masked", nray, nchannel);
  for (int c = 0; c < nchannel; ++c) {
    twin.noise(3, c) = -1;  // not looked at
    if (c < 4)
      twin.measured(3, c) = nan;
    else
      twin.observation.masked(3, c) = true;
  }
  auto const masked = twin.run();
  auto const expected = without.run();
  EXPECT_EQ(masked.measurements, (nray - 1) * nchannel);
  ASSERT_EQ(masked.value.size(), expected.value.size());
  for (std::size_t i = 0; i < masked.value.size(); ++i) EXPECT_EQ(masked.value[i], expected.value[i]);
  EXPECT_EQ(masked.chi_square, expected.chi_square);
  for (int c = 0; c < nchannel; ++c) EXPECT_TRUE(std::isnan(masked.radiance(3, c)));
  EXPECT_FALSE(std::isnan(masked.radiance(4, 0)));
}

TEST(Retrieval, PressureAndExtinctionAreFound) {
  auto const prior = repeat(prior_air(), 1);
  for (int l = 0; l < prior.nlev(); ++l) prior.extinction(0, 0, l) = 1e-5 * std::exp(-prior.altitude(0, l) / (5 * km));
  auto const truth = repeat(prior, 1);
  for (int l = 0; l < prior.nlev(); ++l) {
    double const z = prior.altitude(0, l);
    if (z > 14 * km && z < 46 * km) truth.pressure(0, l) *= 1.03;
    if (z > 9 * km && z < 21 * km) truth.extinction(0, 0, l) *= 1.5;
  }
  Twin twin;
  twin.problem.options.hydrostatic_reference = {};
  twin.prior = prior;
  twin.measured = compute_spectra(twin.problem, truth, twin.observation).radiance;
  twin.choice = {};
  twin.choice.elements.pressure = {14 * km, 46 * km};
  twin.choice.elements.extinction = {{9 * km, 21 * km}};
  twin.choice.pressure.standard_deviation = {0.1};
  twin.choice.extinction = {{StateScale::relative, {1}, 0}};
  twin.options.estimation.convergence = 1e-6;
  auto const found = twin.run();
  int pressures = 0, extinctions = 0;
  for (std::size_t i = 0; i < found.elements.size(); ++i) {
    auto const& e = found.elements[i];
    if (found.response[i] < 0.98) continue;
    bool const pressure = e.quantity == Quantity::pressure;
    double const expected = pressure ? truth.pressure(0, e.level) : truth.extinction(0, 0, e.level);
    // Of a departure of 3 % or 50 %, up to 2 % remain.
    EXPECT_NEAR(found.value[i] / expected, 1, pressure ? 0.003 : 0.03) << i;
    ++(pressure ? pressures : extinctions);
  }
  EXPECT_GE(pressures, 5);
  EXPECT_GE(extinctions, 2);
}

TEST(Retrieval, StatesThatCannotBeAreNotTaken) {
  // Radiances below zero: the first step without damping, of a prior that allows all, is to negative temperatures, for
  // 1 K is some 2 % of a radiance.
  Twin twin;
  twin.choice = profiles(1000, 0.5);
  twin.choice.elements.mole_fraction.clear();
  for (std::size_t i = 0; i < twin.measured.size(); ++i) twin.measured.data()[i] *= -10;
  twin.options.estimation.iterations = 2;
  twin.options.estimation.trials = 30;
  auto const found = twin.run();
  EXPECT_GT(found.estimate.evaluations, 2 * found.estimate.iterations + 2);
  EXPECT_LT(found.estimate.cost.back().total(), found.estimate.cost.front().total());
  for (double const temperature : found.value) EXPECT_GT(temperature, 0);
}

// Spectra that cannot be end a retrieval where it begins. On its way they shorten a step.
TEST(Retrieval, SpectraThatCannotBeAreNotTaken) {
  Twin twin;
  twin.problem.field_of_view = {{0, 2750}, {-9, 10}};
  EXPECT_EQ(message_of([&] { twin.run(); }).find("retrieve: the model gives nan for ray "), 0U);
}

TEST(Retrieval, AFirstGuessIsWhereItBegins) {
  Twin twin;
  twin.options.estimation.convergence = 1e-4;
  auto const found = twin.run();
  twin.options.first_guess = found.atmosphere;
  auto const again = twin.run();
  EXPECT_EQ(again.estimate.iterations, 0);
  EXPECT_EQ(again.estimate.evaluations, 2);
  // Pressures are not elements: they follow.
  for (std::size_t i = 0; i < found.value.size(); ++i)
    EXPECT_NEAR(again.value[i], found.value[i], 1e-12 * found.value[i]);
}

TEST(Retrieval, TablesAreReadOnce) {
  Twin twin;
  int reads = 0;
  twin.problem.tables = [&reads](int gas, int channel) {
    ++reads;
    return table_of(gas, channel);
  };
  twin.options.estimation.iterations = 1;
  twin.run();
  EXPECT_EQ(reads, 2 * nchannel);
}

// The second forward calculation is the one that the caller ends.
TEST(Retrieval, MayBeStopped) {
  Twin const twin;
  int calculations = 0;
  HostEgaOptions options;
  options.chunk = 5;
  options.progress = [&](std::int64_t done, std::int64_t) {
    if (done == 0) ++calculations;
    return calculations < 2 || done == 0;
  };
  EXPECT_EQ(message_of([&] {
              retrieve(twin.problem, twin.prior, twin.observation, twin.measured, twin.noise, twin.choice, twin.options,
                       options);
            }),
            "retrieve: the caller stopped a forward calculation");
  EXPECT_EQ(calculations, 2);
}

TEST(EgaCachedTables, RememberWhatWasRead) {
  int reads = 0;
  TableProvider const provider = cached([&reads](int gas, int channel) {
    ++reads;
    if (channel == 7) throw Error("tables", "missing");
    return table_of(gas, channel);
  });
  auto const copy = provider;
  auto const a = provider(0, 3);
  auto const b = copy(0, 3);
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(a.emissivity, b.emissivity);
  EXPECT_EQ(a.emissivity, table_of(0, 3).emissivity);
  EXPECT_TRUE(provider(1, 3).empty());
  EXPECT_TRUE(provider(1, 3).empty());
  EXPECT_EQ(reads, 2);
  // A calculation that failed is repeated.
  EXPECT_THROW(provider(0, 7), Error);
  EXPECT_THROW(provider(0, 7), Error);
  EXPECT_EQ(reads, 4);
  EXPECT_FALSE(cached({}));
}

TEST(Retrieval, WhatIsWrongIsNamed) {
  auto const refusal = [](auto const& spoil) {
    Twin twin;
    spoil(twin);
    return message_of([&] { twin.run(); });
  };
  EXPECT_EQ(refusal([](Twin& t) { t.measured = HostArray<double**>("short", nray, nchannel - 1); }),
            "retrieve: measured has shape (16, 7), expected (16, 8)");
  EXPECT_EQ(refusal([](Twin& t) { t.noise = HostArray<double**>("short", nray - 1, nchannel); }),
            "retrieve: noise has shape (15, 8), expected (16, 8)");
  EXPECT_EQ(refusal([](Twin& t) { t.noise(3, 2) = 0; }),
            "retrieve: noise(3, 2) = 0, expected a positive finite number");
  EXPECT_EQ(refusal([](Twin& t) { t.noise(3, 2) = nan; }),
            "retrieve: noise(3, 2) = nan, expected a positive finite number");
  EXPECT_EQ(refusal([](Twin& t) { t.measured(1, 2) = std::numeric_limits<double>::infinity(); }),
            "retrieve: measured(1, 2) = inf, expected a finite number, or NaN for none");
  EXPECT_EQ(refusal([](Twin& t) { std::fill_n(t.measured.data(), t.measured.size(), nan); }),
            "retrieve: no measurement can be used: all are NaN or masked");
  EXPECT_EQ(refusal([](Twin& t) { t.choice.elements = {}; }),
            "retrieve: no elements are chosen, expected at least one level of one quantity");
  EXPECT_EQ(refusal([](Twin& t) { t.choice.elements.mole_fraction.resize(3); }),
            "retrieve: elements of 3 gases and 0 windows, expected no more than 2 and 1");
  EXPECT_EQ(refusal([](Twin& t) { t.choice.mole_fraction.clear(); }),
            "retrieve: mole_fraction(1) is retrieved, but its prior errors are not given");
  EXPECT_EQ(refusal([](Twin& t) {
              t.choice.temperature.standard_deviation = {1, 2};
            }),
            "retrieve: temperature.standard_deviation has 2 elements, expected 1 or those of the 21 levels");
  EXPECT_EQ(refusal([](Twin& t) { t.choice.temperature.standard_deviation = {0}; }),
            "retrieve: temperature.standard_deviation(0) = 0, expected a positive finite number");
  EXPECT_EQ(refusal([](Twin& t) { t.choice.temperature.correlation_length = -1; }),
            "retrieve: temperature.correlation_length = -1 m, expected a finite number >= 0");
  EXPECT_EQ(
      refusal([](Twin& t) { t.choice.temperature.correlation_length = 1e20; }),
      "retrieve: temperature.correlation_length = 1e+20 m, expected one that distinguishes levels 3 and 4, which are "
      "4000 m apart");
  // Standard deviations whose square underflows or overflows are refused.
  EXPECT_EQ(refusal([](Twin& t) { t.choice.temperature.standard_deviation = {1e200}; }),
            "retrieve: temperature.standard_deviation(0) = 1e+200, expected a positive finite number");
  EXPECT_EQ(refusal([](Twin& t) { t.noise(3, 2) = 1e-200; }),
            "retrieve: noise(3, 2) = 1e-200, expected a positive finite number");
  EXPECT_EQ(refusal([](Twin& t) { t.prior.mole_fraction(0, ozone, 6) = 0; }),
            "retrieve: mole_fraction(1) at level 6 is 0 a priori, expected a positive value for fractions or a "
            "logarithm");
  EXPECT_EQ(refusal([](Twin& t) { t.prior = repeat(t.prior, 2); }),
            "retrieve: the atmosphere has 2 profiles, expected 1");
  EXPECT_EQ(refusal([](Twin& t) {
              t.options.first_guess = make_atmosphere(1, 21, {"CO2", "O3"}, 1);
            }),
            "retrieve: first_guess: altitude(0, 1) = 0 m, expected more than the 0 m of the level below");
  EXPECT_EQ(refusal([](Twin& t) {
              auto const guess = repeat(prior_air(), 1);
              guess.mole_fraction(0, ozone, 10) = 0;
              t.options.first_guess = guess;
              t.choice.mole_fraction[ozone].scale = StateScale::logarithmic;
            }),
            "retrieve: mole_fraction(1) at level 10 of the first guess has no logarithm");
  EXPECT_EQ(refusal([](Twin& t) { t.options.estimation.trials = 0; }),
            "estimate: options.trials = 0, expected at least 1");
}

}  // namespace
