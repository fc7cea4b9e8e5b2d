// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/constants.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/io/narrow_band_files.hpp>

#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using parhelion::Testing::message_of;

// Stands for any gas: every temperature is in its range.
Spectrum const any_gas = Spectrum::weighted_sum_of_grey_gases();

bool is_grey(std::string const& name) { return io::case_description(name).gas == "grey"; }

Problem make(std::string const& name, io::CaseOptions const& options) {
  return is_grey(name) ? io::built_in_case(name, options) : io::built_in_case(name, options, any_gas);
}

TEST(MonteCarloCases, AllAreThere) {
  auto const& names = io::case_names();
  ASSERT_EQ(names.size(), 21U);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 21U);
  auto const list = io::case_list();
  for (auto const& name : names) {
    auto const& description = io::case_description(name);
    EXPECT_EQ(description.name, name);
    EXPECT_NE(list.find(name + " "), std::string::npos);
    EXPECT_NE(list.find(description.text + "\n"), std::string::npos);
  }
  for (int i = 1; i <= 14; ++i) {
    char short_name[8];
    std::snprintf(short_name, sizeof short_name, "case%02d", i);
    EXPECT_EQ(io::case_description(short_name).name, names[static_cast<std::size_t>(i) - 1]);
    EXPECT_EQ(io::case_description(short_name).short_name, short_name);
  }
  EXPECT_EQ(io::case_description("case07").gas, "CO2");
  EXPECT_EQ(io::case_description("case12").gas, "mixture of 11.6 % CO2 and 15.5 % H2O");
  EXPECT_EQ(io::case_description("channel").gas, "H2O");
  EXPECT_EQ(io::case_description("channel").short_name, "");
  EXPECT_EQ(io::case_description("case08").text,
            "CO2, slab of 1 m, T = 295 + 10 x K, walls 295 and 305 K, of emissivity 0 at the lower and 1 at the upper "
            "end");
}

TEST(MonteCarloCases, AreRefused) {
  EXPECT_EQ(
      message_of([] { io::case_description("case15"); }).rfind("built-in case: 'case15', expected one of case01_", 0),
      0U);
  EXPECT_EQ(message_of([] { io::built_in_case("", {}); }).rfind("built-in case: '', expected one of case01_", 0), 0U);
  EXPECT_EQ(message_of([] { io::built_in_case("case10"); }),
            "case10_h2o_parab1_black: no spectrum was given, expected that of H2O, such as a file of narrow bands");
  for (auto const* const name : {"case05", "case06", "case07", "case08", "case09", "case11", "case12", "case13",
                                 "case14", "channel", "wall_h2o_parab1_e0.5_1"})
    EXPECT_NE(message_of([&] { io::built_in_case(name); }).find("no spectrum was given"), std::string::npos) << name;
  EXPECT_EQ(message_of([] {
              io::built_in_case("case01", {}, any_gas);
            }).rfind("case01_grey_lin1_black: spectrum 'weighted sum of grey gases", 0),
            0U);
  EXPECT_EQ(message_of([] {
              io::built_in_case("case01", {.cells = {4, 0, 4}});
            }),
            "case01_grey_lin1_black: 0 cells along y, expected at least 1");
  EXPECT_EQ(message_of([] {
              io::built_in_case("case01", {.cells = {4, 4, 4}, .stretch = -1});
            }),
            "stretched_faces: strength = -1, expected a number from 0 to 10");
}

TEST(MonteCarloCases, RefuseATableOfOtherTemperatures) {
  PARHELION_REQUIRE_DATA(path, "mc/h2o_nbck.h5");
  auto const table = io::read_narrow_band(path);
  auto const h2o = Spectrum::narrow_band(table);
  for (auto const* const name : {"case05", "case06", "case10", "case14", "channel", "wall_h2o_lin500_1000_e0_1"})
    EXPECT_NO_THROW(io::built_in_case(name, {.cells = {8, 8, 8}}, h2o)) << name;
  EXPECT_EQ(message_of([&] {
              io::built_in_case("case07", {.cells = {4, 1, 1}}, h2o);
            }),
            "case07_co2_lin2_black: temperature(0, 0, 0) = 296.25 K, expected 500 to 1010 K, the range of the "
            "spectrum: " +
                table.name);
}

TEST(MonteCarloCases, SlabsArePeriodicAlongTheirWalls) {
  auto const problem = io::built_in_case("case12", {.cells = {6, 3, 2}, .stretch = 1.5}, any_gas);
  EXPECT_EQ(problem.grid.ncell(0), 6);
  EXPECT_EQ(problem.grid.ncell(1), 3);
  EXPECT_EQ(problem.grid.ncell(2), 2);
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(problem.grid.length(axis), 0.2);
  EXPECT_FALSE(problem.grid.uniform(0));
  EXPECT_TRUE(problem.grid.uniform(1));
  EXPECT_TRUE(problem.grid.uniform(2));
  for (std::size_t side = 0; side < 6; ++side) EXPECT_EQ(problem.boundaries[side].is_wall(), side < 2);
  EXPECT_EQ(problem.pressure, 101325);
  EXPECT_EQ(problem.mole_fraction.size(), 0U);
  // The same temperature all along the walls; 2500 K would be in the middle.
  for (int i = 0; i < 6; ++i) {
    double const share = problem.grid.centre(0, i) / 0.2;
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k)
        EXPECT_NEAR(problem.temperature(i, j, k), 500 - 8000 * share * share + 8000 * share, 1e-10);
  }
  EXPECT_EQ(io::built_in_case("case01").grid.size(), 64U * 64 * 64);
}

TEST(MonteCarloCases, Cubes) {
  for (auto const* const name : {"case03", "case04"}) {
    auto const problem = io::built_in_case(name, {.cells = {5, 4, 3}, .stretch = 1});
    EXPECT_EQ(problem.spectrum.absorption(0, 50), std::string(name) == "case03" ? 0.5 : 5);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(problem.grid.length(axis), 1);
      EXPECT_FALSE(problem.grid.uniform(axis));
    }
    for (auto const& side : problem.boundaries) {
      EXPECT_TRUE(side.is_wall());
      EXPECT_EQ(side.emissivity, 1);
      EXPECT_EQ(side.temperature, 0);
    }
    auto const sine = [](double x) { return std::sin(std::numbers::pi * x); };
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 3; ++k)
          EXPECT_NEAR(
              problem.spectrum.source(0, problem.temperature(i, j, k)),
              sine(problem.grid.centre(0, i)) * sine(problem.grid.centre(1, j)) * sine(problem.grid.centre(2, k)),
              1e-14);
  }
  auto const water = io::built_in_case("case14", {.cells = {4, 4, 4}}, any_gas);
  for (auto const& side : water.boundaries) EXPECT_EQ(side.temperature, 500);
  // x y z = 0.125 * 0.375 * 0.875
  double const product = 0.041015625;
  EXPECT_NEAR(water.temperature(0, 1, 3), 500 - 2000 * product * product + 2000 * product, 1e-11);
  EXPECT_EQ(water.temperature(0, 1, 3), water.temperature(3, 0, 1));
}

// The polynomial of second degree through temperatures at three cells of a slab, anywhere.
double temperature_at(Problem const& problem, double x) {
  int const cells[] = {0, problem.grid.ncell(0) / 2, problem.grid.ncell(0) - 1};
  double sum = 0;
  for (int const i : cells) {
    double term = problem.temperature(i, 0, 0);
    for (int const j : cells)
      if (j != i) term *= (x - problem.grid.centre(0, j)) / (problem.grid.centre(0, i) - problem.grid.centre(0, j));
    sum += term;
  }
  return sum;
}

// The two numbers after `key` in a definition.
std::vector<double> numbers_after(std::string const& definition, std::string const& key) {
  auto const at = definition.find("\"" + key + "\": [");
  std::vector<double> numbers(2, -1);
  if (at != std::string::npos)
    std::sscanf(definition.c_str() + at + key.size() + 5, "%lf, %lf", &numbers[0], &numbers[1]);
  return numbers;
}

TEST(MonteCarloCases, SlabsAreThoseOfReferences) {
  PARHELION_REQUIRE_DATA(path, "mc/references.h5");
  io::Hdf5File const file(path);
  int slabs = 0;
  for (auto const& name : file.groups()) {
    SCOPED_TRACE(name);
    auto const definition = file.text_attribute(name, "definition").value_or("");
    ASSERT_NO_THROW(io::case_description(name));
    if (definition.find("\"slab\"") == std::string::npos) continue;
    ++slabs;
    auto const problem = make(name, {.cells = {32, 1, 1}});
    auto const x = file.read(name + "/x"), temperature = file.read(name + "/T"),
               emission = file.read(name + "/emission");
    // Lagrange's polynomial cancels about two digits of 16.
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(temperature_at(problem, x[i]), temperature[i], 1e-9) << i;
    EXPECT_NEAR(problem.grid.length(0), x.front() + x.back(), 1e-12);
    auto const wall = numbers_after(definition, "Tw"), emissivity = numbers_after(definition, "eps");
    for (std::size_t end = 0; end < 2; ++end) {
      EXPECT_EQ(problem.boundaries[end].temperature, wall[end]);
      EXPECT_EQ(problem.boundaries[end].emissivity, emissivity[end]);
    }
    EXPECT_EQ(is_grey(name), definition.find("\"grey\"") != std::string::npos);
    if (!is_grey(name)) continue;
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(4 * std::numbers::pi * problem.spectrum.absorption(0, temperature[i]) *
                      problem.spectrum.source(0, temperature[i]) / emission[i],
                  1, 1e-9);  // sigma of the references has 10 digits
  }
  EXPECT_EQ(slabs, 10);
}

TEST(MonteCarloCases, CubeIsThatOfReferences) {
  PARHELION_REQUIRE_DATA(path, "mc/references.h5");
  io::Hdf5File const file(path);
  auto const x = file.read("case03_grey_cube_k0.5/x"), emission = file.read("case03_grey_cube_k0.5/emission");
  ASSERT_GT(x.size(), 10U);
  // The reference's points are on y = z = 0.5, the centre of the only cell there.
  constexpr int n = 1000;
  auto const problem = io::built_in_case("case03", {.cells = {n, 1, 1}});
  auto const source = [&](int i) { return problem.spectrum.source(0, problem.temperature(i, 0, 0)); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    // The sine linearly between centres 1e-3 apart: off by pi^2/8 of 1e-6, at the ends by as much.
    auto const at = locate_uniform(0.5 / n, 1. / n, n, x[i]);
    EXPECT_NEAR(4 * std::numbers::pi * 0.5 * linear(source(at.index), source(at.index + 1), at.weight), emission[i],
                1.3e-6 * 2 * std::numbers::pi)
        << "x = " << x[i];
  }
}

// ---- The channel

TEST(MonteCarloChannel, LooksTurbulent) {
  auto const problem = io::built_in_case("channel", {.cells = {48, 40, 24}, .stretch = 1.2}, any_gas);
  auto const& t = problem.temperature;
  int const nx = 48, ny = 40, nz = 24;
  EXPECT_NEAR(problem.grid.length(0), 4 * std::numbers::pi, 1e-14);
  EXPECT_EQ(problem.grid.length(1), 2);
  EXPECT_NEAR(problem.grid.length(2), 2 * std::numbers::pi, 1e-14);
  EXPECT_TRUE(problem.grid.uniform(0));
  EXPECT_FALSE(problem.grid.uniform(1));
  EXPECT_TRUE(problem.grid.uniform(2));
  for (std::size_t side = 0; side < 6; ++side) EXPECT_EQ(problem.boundaries[side].is_wall(), side == 2 || side == 3);
  EXPECT_EQ(problem.boundaries[2].temperature, 955);
  EXPECT_EQ(problem.boundaries[3].temperature, 573);

  std::vector<double> mean(ny), deviation(ny);
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i)
      for (int k = 0; k < nz; ++k) {
        EXPECT_GE(t(i, j, k), 573);
        EXPECT_LE(t(i, j, k), 955);
        mean[static_cast<std::size_t>(j)] += t(i, j, k) / (nx * nz);
      }
    for (int i = 0; i < nx; ++i)
      for (int k = 0; k < nz; ++k)
        deviation[static_cast<std::size_t>(j)] +=
            std::pow(t(i, j, k) - mean[static_cast<std::size_t>(j)], 2) / (nx * nz);
    deviation[static_cast<std::size_t>(j)] = std::sqrt(deviation[static_cast<std::size_t>(j)]);
  }
  // Near the walls their temperatures and no fluctuation; in the middle the mean of the two and tens of kelvin.
  EXPECT_GT(mean.front(), 850);
  EXPECT_LT(mean.back(), 680);
  EXPECT_NEAR((mean[19] + mean[20]) / 2, 764, 20);
  EXPECT_NEAR(deviation[20], 35, 15);
  EXPECT_LT(deviation.front(), deviation[10]);
  EXPECT_LT(deviation.back(), deviation[30]);
  EXPECT_LT(deviation.front(), 10);
}

TEST(MonteCarloChannel, IsTheSameFieldOnEveryGrid) {
  auto const coarse = io::built_in_case("channel", {.cells = {3, 5, 3}}, any_gas);
  auto const fine = io::built_in_case("channel", {.cells = {9, 15, 9}}, any_gas);
  double largest = 0, smallest = 1e3;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 3; ++k) {
        // Centres of every third cell coincide; phases up to 60 * 12 rounded by 1e-13 of 35 K.
        EXPECT_NEAR(coarse.temperature(i, j, k), fine.temperature(3 * i + 1, 3 * j + 1, 3 * k + 1), 1e-9);
        largest = std::max(largest, coarse.temperature(i, j, k));
        smallest = std::min(smallest, coarse.temperature(i, j, k));
      }
  EXPECT_GT(largest - smallest, 50);
  // The same bits from run to run.
  auto const again = io::built_in_case("channel", {.cells = {3, 5, 3}}, any_gas);
  for (std::size_t i = 0; i < again.temperature.size(); ++i)
    EXPECT_EQ(again.temperature.data()[i], coarse.temperature.data()[i]);
}

TEST(MonteCarloChannel, IsPeriodic) {
  // Neighbours across the period are as close as neighbours inside: 0.03 m apart with waves of 0.1 m.
  auto const problem = io::built_in_case("channel", {.cells = {400, 2, 200}}, any_gas);
  auto const& t = problem.temperature;
  double inside = 0, across = 0;
  for (int k = 0; k < 200; ++k) {
    across = std::max(across, std::abs(t(0, 0, k) - t(399, 0, k)));
    for (int i = 1; i < 400; ++i) inside = std::max(inside, std::abs(t(i, 0, k) - t(i - 1, 0, k)));
  }
  EXPECT_LE(across, inside);
  across = inside = 0;
  for (int i = 0; i < 400; ++i) {
    across = std::max(across, std::abs(t(i, 0, 0) - t(i, 0, 199)));
    for (int k = 1; k < 200; ++k) inside = std::max(inside, std::abs(t(i, 0, k) - t(i, 0, k - 1)));
  }
  EXPECT_LE(across, inside);
}

}  // namespace
