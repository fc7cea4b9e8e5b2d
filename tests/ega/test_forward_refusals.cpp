// SPDX-License-Identifier: BSD-3-Clause
// Problems, tables and spectra that are refused, and the messages that say why.
#include <parhelion/core/copies.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/model.hpp>

#include "forward_testing.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

std::string refusal(Problem const& problem, HostAtmosphere const& a, HostObservation const& rays,
                    HostEgaOptions const& options = {}) {
  return message_of([&] { compute_spectra(problem, a, rays, options); });
}

TEST(EgaForwardOnHosts, WhatIsWrongIsNamed) {
  auto const good = small_problem(2, 2);
  auto const a = small_atmosphere(good.gases);
  auto const rays = limb_rays({10e3});
  auto const spoiled = [&](auto const& spoil) {
    auto problem = good;
    spoil(problem);
    return refusal(problem, a, rays);
  };
  std::string const where = "compute_spectra: ";
  EXPECT_EQ(refusal(good, small_atmosphere({"CO2"}), rays), where + "the atmosphere has 1 gases, expected 2");
  EXPECT_EQ(refusal(good, small_atmosphere({"CO2", "O3"}), rays),
            where + "gas 1 of the atmosphere is O3, expected H2O");
  EXPECT_EQ(spoiled([](Problem& p) { p.channels.window = {0}; }), where + "2 channels have 1 windows and 2 filters");
  EXPECT_EQ(spoiled([](Problem& p) { p.channels.window[1] = 1; }), where + "window(1) = 1, expected 0 to 0");
  EXPECT_EQ(spoiled([](Problem& p) { p.channels.wavenumber[1] = 0; }),
            where + "wavenumber(1) = 0 cm-1, expected a positive finite number");
  EXPECT_EQ(spoiled([](Problem& p) { p.options.step = 0; }), where + "step = 0 m, expected a positive finite number");
  EXPECT_EQ(spoiled([](Problem& p) { p.options.vertical_step = -1; }),
            where + "vertical_step = -1 m, expected a finite number, 0 for no limit");
  EXPECT_EQ(spoiled([](Problem& p) { p.options.solar_zenith_angle = -1; }),
            where + "solar_zenith_angle = -1 degree, expected a number from 0 to 180");
  EXPECT_EQ(spoiled([](Problem& p) { p.tables = {}; }),
            where + "problem.tables is empty, expected a provider of tables");
  EXPECT_EQ(spoiled([](Problem& p) { p.channels.filter[0].weight = {0}; }),
            "source_table: the weights of the filter add up to 0, expected another sum");
  EXPECT_EQ(spoiled([](Problem& p) {
              p.tables = [](int, int) -> EmissivityTable { throw Error("a table", "is not there"); };
            }),
            "a table: is not there");
  EXPECT_NE(spoiled([](Problem& p) { p.options.continua.h2o = true; }), "(no parhelion::Error)");

  auto cloudy = a;
  set_cloud(cloudy, 10e3, 1e3, {1e-6, 1e-6});
  EXPECT_EQ(refusal(good, cloudy, rays), where + "cloud_extinction has 2 nodes, expected 0");
  auto nodes = good;
  nodes.channels.cloud_wavenumber = {800, 800};
  EXPECT_EQ(refusal(nodes, cloudy, rays),
            where + "cloud_wavenumber(1) = 800 cm-1, expected a finite number above 800 cm-1");
  auto ground = a;
  set_surface(ground, 0, 0, {0.9, 0.9});
  EXPECT_EQ(refusal(good, ground, rays), where + "surface_emissivity has 2 nodes, expected 0");
  nodes.channels.surface_wavenumber = {NAN, 800};
  EXPECT_EQ(refusal(nodes, ground, rays), where + "surface_wavenumber(0) = nan cm-1, expected a finite number");

  auto buried = limb_rays({10e3, 10e3});
  buried.observer.altitude(1) = -5;
  EXPECT_EQ(refusal(good, a, buried), where + "observer(1) is at -0.005 km, expected no lower than the ground at 0 km");
  auto masked = rays;
  masked.masked = HostArray<bool**>("masked", 1, 3);
  EXPECT_EQ(refusal(good, a, masked), where + "masked has 3 channels, expected 2");
  HostEgaOptions options;
  options.memory_limit = 1000;
  EXPECT_NE(refusal(good, a, rays, options).find(where + "the tables of one channel take "), std::string::npos);
  options = {};
  options.chunk = -1;
  EXPECT_EQ(refusal(good, a, rays, options), where + "chunk = -1, expected at least 1, or 0 for an automatic choice");
  options = {};
  options.space = "Abacus";
  EXPECT_NE(refusal(good, a, rays, options).find("Abacus"), std::string::npos);
  EXPECT_EQ(message_of([&] { compute_lines_of_sight(good, a, rays, {1}); }),
            "compute_lines_of_sight: ray 1, expected 0 to 0");
}

// Lines through the radiances of rays, drawn on far enough, leave what can be.
TEST(EgaForwardOnHosts, SpectraThatCannotBeAreRefused) {
  auto problem = small_problem(2, 3);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_rays({8e3, 10e3, 12e3, 14e3, 16e3, 18e3});
  auto const with = [&](FieldOfView const& fov) {
    problem.field_of_view = fov;
    std::string const of_spectra = refusal(problem, a, rays);
    ElementChoice const elements{.pressure = {}, .temperature = {0, 60e3}, .mole_fraction = {}, .extinction = {}};
    for (auto const method : {JacobianMethod::analytic, JacobianMethod::differences})
      EXPECT_EQ(message_of([&] { compute_jacobian(problem, a, rays, elements, method); }), of_spectra);
    return of_spectra;
  };
  std::string const fine = "(no parhelion::Error)";
  EXPECT_EQ(with({}), fine);
  EXPECT_EQ(with({{-2000, 0, 2000}, {0.2, 1, 0.2}}), fine);
  auto const expect = [&](FieldOfView const& fov, std::string const& name, std::string const& range) {
    auto const message = with(fov);
    EXPECT_TRUE(message.starts_with("compute_spectra: " + name + "(")) << message;
    EXPECT_NE(message.find(range), std::string::npos) << message;
  };
  expect({{0, 2000}, {-3, 4}}, "radiance", " = -");
  expect({{-2000, 0}, {40, -39}}, "radiance", ", expected 0 to 0.");
  expect({{-6000}, {1}}, "transmittance", ", expected 0 to 1");
  // Sunlight may be brighter than any black body here, not darker than none.
  problem.options.surface = SurfaceType::sunlight;
  expect({{0, 2000}, {-3, 4}}, "radiance", ", expected a finite number of at least 0");
}

// Tables of a caller, which no reader has looked at.
TEST(EgaForwardOnHosts, TablesThatDoNotRiseAreRefused) {
  auto const space = Kokkos::DefaultHostExecutionSpace();
  auto const message = [&](auto const& spoil) {
    auto problem = small_problem(2, 3);
    problem.tables = [tables = problem.tables, spoil](int g, int c) {
      auto table = tables(g, c);
      if (g == 1 && c == 2) spoil(table);
      return table;
    };
    try {
      make_model<Kokkos::DefaultHostExecutionSpace, double>(space, problem, 0, 3);
    } catch (Error const& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_EQ(message([](EmissivityTable&) {}), "not refused");
  auto const falls = message([](EmissivityTable& table) { std::swap(table.emissivity[3], table.emissivity[4]); });
  EXPECT_NE(falls.find("in channel 2: pressure 0"), std::string::npos) << falls;
  EXPECT_NE(falls.find("point 4: emissivity = "), std::string::npos) << falls;
  auto const negative = message([](EmissivityTable& table) { table.emissivity[0] = -0.1F; });
  EXPECT_NE(negative.find("point 0: emissivity = -0.1, expected above 0, at most 1"), std::string::npos) << negative;
}

// A duct: above 30 km rays bend down by 5e-7 a metre, three times as much as the Earth is round, below not at all.
TEST(EgaForwardOnHosts, ARayThatIsHeldInTheAtmosphereIsRefused) {
  auto problem = small_problem(1, 1);
  problem.options.step = 1000;
  auto const a = small_atmosphere(problem.gases);
  for (int l = 0; l < a.nlev(); ++l) a.pressure(0, l) = 3e6 * std::exp(-0.1 * std::max(0, l - 15));
  parhelion::assign_array(a.temperature, 240.);
  auto const o = make_observation(1);
  o.observer.altitude(0) = 29.9e3;
  o.view_point.altitude(0) = 29.9e3;
  o.view_point.latitude(0) = 0.1;
  HostEgaOptions options;
  options.out_of_range = OutOfRange::extrapolate;
  EXPECT_NE(refusal(problem, a, o, options).find("compute_spectra: ray 0 has more than "), std::string::npos)
      << refusal(problem, a, o, options);
  EXPECT_NE(message_of([&] {
              compute_lines_of_sight(problem, a, o, {0}, options);
            }).find("trapped in the atmosphere by refraction"),
            std::string::npos);
}

}  // namespace
