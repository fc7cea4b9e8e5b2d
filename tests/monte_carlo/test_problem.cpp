// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/monte_carlo/problem.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include "small_table.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using parhelion::Testing::message_of;
using parhelion::Testing::small_table;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// 2 x 3 x 4 cells of a grey gas between walls across x, periodic along y, walls of faces of their own across z.
Problem small_problem() {
  Problem problem;
  problem.grid.faces = {uniform_faces(2, 1), uniform_faces(3, 1), stretched_faces(4, 1, 1)};
  problem.temperature = HostArray<double***>("temperature", 2, 3, 4);
  parhelion::assign_array(problem.temperature, 700);
  problem.mole_fraction = HostArray<double***>("mole_fraction", 2, 3, 4);
  parhelion::assign_array(problem.mole_fraction, 0.25);
  problem.spectrum = Spectrum::grey(1);
  problem.boundaries[2].type = problem.boundaries[3].type = BoundaryType::periodic;
  for (std::size_t side = 4; side < 6; ++side) {
    problem.boundaries[side].face_temperature = HostArray<double**>("faces", 2, 3);
    parhelion::assign_array(problem.boundaries[side].face_temperature, 300);
  }
  return problem;
}

template <class Spoil>
std::string refusal(Spoil const& spoil) {
  auto problem = small_problem();
  spoil(problem);
  return message_of([&] { validate(problem); });
}

TEST(MonteCarloProblem, IsAccepted) {
  auto problem = small_problem();
  EXPECT_NO_THROW(validate(problem));
  problem.mole_fraction = {};
  EXPECT_NO_THROW(validate(problem));
  // Grey gas and walls may be as cold as can be.
  problem.temperature(1, 2, 3) = 0;
  EXPECT_NO_THROW(validate(problem));
  // Walls may have other temperatures than a table of the gas.
  problem.temperature(1, 2, 3) = 700;
  problem.spectrum = Spectrum::narrow_band(small_table());
  EXPECT_NO_THROW(validate(problem));
}

TEST(MonteCarloProblem, AmountScalesWithMoleFractionAndPressure) {
  auto problem = small_problem();
  EXPECT_EQ(problem.amount(0, 1, 2), 0.25);
  problem.pressure = 2 * 101325;
  problem.mole_fraction(0, 1, 2) = 0.5;
  EXPECT_EQ(problem.amount(0, 1, 2), 1);
  problem.mole_fraction = {};
  EXPECT_EQ(problem.amount(0, 1, 2), 2);
}

TEST(MonteCarloProblem, SidesHaveTheExtentsOfTheOtherAxes) {
  auto const problem = small_problem();
  using Extents = std::array<std::size_t, 2>;
  EXPECT_EQ(face_extents(problem.grid, 0), (Extents{3, 4}));
  EXPECT_EQ(face_extents(problem.grid, 1), (Extents{3, 4}));
  EXPECT_EQ(face_extents(problem.grid, 2), (Extents{2, 4}));
  EXPECT_EQ(face_extents(problem.grid, 5), (Extents{2, 3}));
  EXPECT_EQ(problem.boundaries[4].temperature_of(1, 2), 300);
  EXPECT_EQ(problem.boundaries[0].temperature_of(1, 2), 0);
}

TEST(MonteCarloProblem, RefusesBadGas) {
  EXPECT_EQ(refusal([](Problem& p) { p.grid.faces[1][1] = 0; }),
            "validate: y(1) = 0 m, expected more than the 0 m of the face before");
  EXPECT_EQ(refusal([](Problem& p) { p.temperature = HostArray<double***>("t", 2, 3, 5); }),
            "validate: temperature has shape (2, 3, 5), expected (2, 3, 4)");
  EXPECT_EQ(refusal([](Problem& p) { p.temperature = {}; }),
            "validate: temperature has shape (0, 0, 0), expected (2, 3, 4)");
  EXPECT_EQ(refusal([](Problem& p) { p.mole_fraction = HostArray<double***>("x", 3, 3, 4); }),
            "validate: mole_fraction has shape (3, 3, 4), expected (2, 3, 4)");
  EXPECT_EQ(refusal([](Problem& p) { p.temperature(1, 2, 3) = nan; }),
            "validate: temperature(1, 2, 3) = nan K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Problem& p) { p.temperature(0, 1, 2) = inf; }),
            "validate: temperature(0, 1, 2) = inf K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Problem& p) { p.temperature(0, 0, 1) = -1; }),
            "validate: temperature(0, 0, 1) = -1 K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Problem& p) { p.mole_fraction(1, 0, 1) = 1.5; }),
            "validate: mole_fraction(1, 0, 1) = 1.5, expected 0 to 1");
  EXPECT_EQ(refusal([](Problem& p) { p.mole_fraction(1, 0, 1) = -0.1; }),
            "validate: mole_fraction(1, 0, 1) = -0.1, expected 0 to 1");
  for (double const bad : {0., -1., nan, inf})
    EXPECT_EQ(refusal([&](Problem& p) { p.pressure = bad; }).rfind("validate: pressure = ", 0), 0U) << bad;
}

TEST(MonteCarloProblem, RefusesTemperaturesOutsideTheTable) {
  for (double const bad : {499., 701.}) {
    auto const message = refusal([&](Problem& p) {
      parhelion::assign_array(p.temperature, 600);
      p.spectrum = Spectrum::narrow_band(small_table());
      p.temperature(1, 1, 1) = bad;
    });
    EXPECT_EQ(message, "validate: temperature(1, 1, 1) = " + std::to_string(static_cast<int>(bad)) +
                           " K, expected 500 to 700 K, the range of the spectrum: small table");
  }
}

TEST(MonteCarloProblem, IsBroughtIntoTheRangeOfItsSpectrum) {
  auto const refused_and = [](Problem const& problem, OutOfRange what, OutOfRangeCounts& counts) {
    EXPECT_NE(message_of([&] { validate(problem); }), "");
    EXPECT_NO_THROW(validate(problem, "", what));
    counts.clear();
    return in_range(problem, what, counts);
  };
  auto problem = small_problem();
  problem.spectrum = Spectrum::narrow_band(Testing::small_table());
  parhelion::assign_array(problem.temperature, 600);
  problem.mole_fraction = HostArray<double***>("mole_fraction", 2, 3, 4);
  parhelion::assign_array(problem.mole_fraction, 0.5);
  problem.temperature(1, 2, 3) = 900;
  problem.temperature(0, 0, 0) = 450;
  problem.mole_fraction(0, 1, 0) = 1.25;
  problem.pressure = 1013.25;  // hPa, labelled Pa
  OutOfRangeCounts counts;
  auto const clipped = refused_and(problem, OutOfRange::clip, counts);
  EXPECT_EQ(describe(counts), "2 of temperature, 1 of mole_fraction, 1 of pressure");
  EXPECT_EQ(clipped.temperature(1, 2, 3), 700);
  EXPECT_EQ(clipped.temperature(0, 0, 0), 500);
  EXPECT_EQ(clipped.temperature(1, 1, 1), 600);
  EXPECT_EQ(clipped.mole_fraction(0, 1, 0), 1);
  EXPECT_EQ(clipped.pressure, 10132.5);
  EXPECT_EQ(problem.temperature(1, 2, 3), 900) << "the caller's array";
  auto const further = refused_and(problem, OutOfRange::extrapolate, counts);
  EXPECT_EQ(describe(counts), "2 of temperature, 1 of mole_fraction, 1 of pressure");
  EXPECT_EQ(further.temperature(1, 2, 3), 900);
  EXPECT_EQ(further.pressure, 1013.25);
  auto const& spectrum = further.spectrum;
  EXPECT_EQ(spectrum.name(), problem.spectrum.name());
  for (int s = 0; s < spectrum.npoint(); ++s) {
    EXPECT_EQ(spectrum.absorption(s, 650), problem.spectrum.absorption(s, 650));
    for (double const t : {1., 450., 900., 5000.}) {
      EXPECT_TRUE(std::isfinite(spectrum.absorption(s, t)));
      EXPECT_GE(spectrum.absorption(s, t), 0);
    }
  }
  problem.temperature(0, 0, 0) = 1e30;
  EXPECT_NE(message_of([&] {
              in_range(problem, OutOfRange::extrapolate, counts, "it");
            }).find("it: temperature(0, 0, 0) = 1e+30 K, expected 0 to 100000 K"),
            std::string::npos);
  problem.spectrum = Spectrum::grey(1);
  problem.mole_fraction(0, 1, 0) = 0;
  EXPECT_NE(message_of([&] { validate(problem); }).find("expected 0 to 100000 K"), std::string::npos);
  problem.temperature(0, 0, 0) = 0;
  EXPECT_NO_THROW(validate(problem)) << "a grey gas has any pressure";
}

TEST(MonteCarloProblem, RefusesBadWalls) {
  for (double const bad : {-0.1, 1.1, nan})
    EXPECT_EQ(refusal([&](Problem& p) {
                p.boundaries[1].emissivity = bad;
              }).rfind("validate: boundaries/x_high/emissivity = ", 0),
              0U);
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[0].temperature = -5; }),
            "validate: boundaries/x_low/temperature = -5 K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[0].temperature = inf; }),
            "validate: boundaries/x_low/temperature = inf K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[5].face_temperature(1, 2) = -5; }),
            "validate: boundaries/z_high/temperature(1, 2) = -5 K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[4].face_temperature(0, 1) = nan; }),
            "validate: boundaries/z_low/temperature(0, 1) = nan K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[0].face_temperature = HostArray<double**>("faces", 2, 4); }),
            "validate: boundaries/x_low/temperature has shape (2, 4), expected (3, 4)");
}

TEST(MonteCarloProblem, RefusesBadPeriodicity) {
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[2].type = BoundaryType::wall; }),
            "validate: y_high is periodic and y_low a wall, expected both to be periodic or walls");
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[0].type = BoundaryType::periodic; }),
            "validate: x_low is periodic and x_high a wall, expected both to be periodic or walls");
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[3].emissivity = 0.5; }),
            "validate: boundaries/y_high/emissivity = 0.5, expected none because the side is periodic");
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[3].temperature = 300; }),
            "validate: boundaries/y_high/temperature = 300 K, expected none because the side is periodic");
  EXPECT_EQ(refusal([](Problem& p) { p.boundaries[3].face_temperature = HostArray<double**>("faces", 2, 4); }),
            "validate: boundaries/y_high/temperature has shape (2, 4), expected none because the side is periodic");
}

TEST(MonteCarloResults, AreMadeForAProblem) {
  auto const problem = small_problem();
  auto const results = make_results(problem);
  EXPECT_EQ(results.q.size(), 24U);
  EXPECT_EQ(results.wall_flux[0].extent(0), 3U);
  EXPECT_EQ(results.wall_flux[0].extent(1), 4U);
  EXPECT_EQ(results.wall_flux[2].size(), 0U);
  EXPECT_EQ(results.wall_flux_error[5].extent(1), 3U);
  EXPECT_NO_THROW(validate(results, problem));
  // Arrays that were not computed may be empty.
  HostResults few;
  few.q = results.q;
  EXPECT_NO_THROW(validate(few, problem));
}

template <class Spoil>
std::string results_refusal(Spoil const& spoil) {
  auto const problem = small_problem();
  auto results = make_results(problem);
  spoil(results);
  return message_of([&] { validate(results, problem); });
}

TEST(MonteCarloResults, AreRefused) {
  EXPECT_EQ(results_refusal([](HostResults& r) { r.q = {}; }),
            "validate: q_radiative has shape (0, 0, 0), expected (2, 3, 4)");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.q(0, 1, 2) = nan; }),
            "validate: q_radiative(0, 1, 2) = nan W m-3, expected a finite number");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.q_error(0, 1, 2) = -1; }),
            "validate: q_radiative_error(0, 1, 2) = -1 W m-3, expected a number of at least 0");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.q_error = HostArray<double***>("e", 2, 4, 3); }),
            "validate: q_radiative_error has shape (2, 4, 3), expected (2, 3, 4)");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.incident(1, 1, 1) = inf; }),
            "validate: incident_radiation(1, 1, 1) = inf W m-2, expected a number of at least 0");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.incident = HostArray<double***>("i", 1, 3, 4); }),
            "validate: incident_radiation has shape (1, 3, 4), expected (2, 3, 4)");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.wall_flux[4](1, 2) = nan; }),
            "validate: wall_flux/z_low(1, 2) = nan W m-2, expected a finite number");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.wall_flux_error[0](1, 2) = -2; }),
            "validate: wall_flux_error/x_low(1, 2) = -2 W m-2, expected a number of at least 0");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.wall_flux[3] = HostArray<double**>("f", 2, 4); }),
            "validate: wall_flux/y_high has shape (2, 4), expected none because the side has no fluxes");
  EXPECT_EQ(results_refusal([](HostResults& r) { r.wall_flux[1] = HostArray<double**>("f", 4, 3); }),
            "validate: wall_flux/x_high has shape (4, 3), expected (3, 4)");
}

}  // namespace
