// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/jurassic_constants.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/problem.hpp>

#include "testing.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using parhelion::Testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Isothermal and dry but for what the test changes; pressures other than the hydrostatic ones.
HostAtmosphere isothermal(int nprofile, int nlev, std::vector<std::string> const& gases = {"CO2", "H2O"},
                          double temperature = 250) {
  auto a = make_atmosphere(nprofile, nlev, gases, 2);
  for (int p = 0; p < nprofile; ++p)
    for (int l = 0; l < nlev; ++l) {
      a.altitude(p, l) = 1000.0 * l + 10 * p;
      a.pressure(p, l) = 1e5 * std::exp(-l / 7.5) * (1 + 0.01 * std::sin(l));
      a.temperature(p, l) = temperature;
    }
  return a;
}

HostAtmosphere with_cloud_and_surface(HostAtmosphere a) {
  int const n = a.nprofile();
  a.cloud_height = HostArray<double*>("height", n);
  a.cloud_depth = HostArray<double*>("depth", n);
  a.cloud_extinction = HostArray<double**>("extinction", n, 3);
  a.surface_altitude = HostArray<double*>("altitude", n);
  a.surface_pressure = HostArray<double*>("pressure", n);
  a.surface_temperature = HostArray<double*>("temperature", n);
  a.surface_emissivity = HostArray<double**>("emissivity", n, 2);
  parhelion::assign_array(a.cloud_depth, 500.0);
  parhelion::assign_array(a.surface_emissivity, 0.9);
  return a;
}

TEST(EgaAtmosphere, IsothermalDryAirFollowsTheBarometricFormula) {
  auto const a = isothermal(2, 101, {"CO2"});
  make_hydrostatic(a, 30.4e3);
  double const inverse_height =
      jurassic_constants::molar_mass_dry_air * jurassic_constants::gravity / (jurassic_constants::molar_gas * 250);
  for (int p = 0; p < 2; ++p) {
    int const kept = 30;
    for (int l = 0; l < a.nlev(); ++l) {
      double const expected =
          a.pressure(p, kept) * std::exp(-inverse_height * (a.altitude(p, l) - a.altitude(p, kept)));
      // 70 steps of about 4 roundings, and 20 in a mean that is at most 0.14 a step: some 4e-14.
      EXPECT_NEAR(a.pressure(p, l) / expected, 1, 1e-12) << p << ", " << l;
    }
  }
}

TEST(EgaAtmosphere, TheNearestLevelKeepsItsPressure) {
  struct Case {
    double reference;
    int kept;
  };
  // At equal distance the lower one, as in the model.
  for (auto const& [reference, kept] : {Case{-5e3, 0}, Case{2.4e3, 2}, Case{2.5e3, 2}, Case{2.6e3, 3}, Case{1e6, 9}}) {
    auto const a = isothermal(1, 10);
    auto const before = isothermal(1, 10);
    make_hydrostatic(a, reference);
    for (int l = 0; l < 10; ++l)
      EXPECT_EQ(a.pressure(0, l) == before.pressure(0, l), l == kept) << reference << ", " << l;
    // Once hydrostatic, always: to the roundings of nine steps.
    std::vector<double> once(a.pressure.data(), a.pressure.data() + 10);
    make_hydrostatic(a, 4e3);
    for (int l = 0; l < 10; ++l) EXPECT_NEAR(a.pressure(0, l) / once[static_cast<std::size_t>(l)], 1, 1e-14);
  }
}

TEST(EgaAtmosphere, MoistAirWithALapseRateFollowsTheIntegral) {
  // The case of the gas' name must not matter.
  auto const a = isothermal(1, 13, {"O3", "h2o"});
  for (int l = 0; l < 13; ++l) {
    a.temperature(0, l) = l < 11 ? 295 - 6.5 * l : 295 - 6.5 * 11 + 3 * (l - 11);
    a.mole_fraction(0, 1, l) = 0.03 * std::exp(-l / 2.0);
    a.mole_fraction(0, 0, l) = 0.5;  // of no weight
  }
  make_hydrostatic(a, 3.1e3);
  for (int l = 1; l < 13; ++l) {
    auto const inverse_height = [&](double w) {
      double const t = (1 - w) * a.temperature(0, l - 1) + w * a.temperature(0, l);
      double const e = (1 - w) * a.mole_fraction(0, 1, l - 1) + w * a.mole_fraction(0, 1, l);
      return (e * 18.0153e-3 + (1 - e) * 28.96456e-3) * 9.80665 / (8.3144598 * t);
    };
    double const dz = a.altitude(0, l) - a.altitude(0, l - 1);
    double const log_ratio = std::log(a.pressure(0, l - 1) / a.pressure(0, l));
    // Simpson's rule with 1000 intervals: exact to rounding for so smooth a function.
    double integral = 0;
    constexpr int n = 1000;
    for (int i = 0; i <= n; ++i)
      integral += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * inverse_height(double(i) / n) / (3 * n);
    // The mean over 20 points differs from that over the interval by f'' / (12 * 19) for a parabola; cubic terms of
    // both are alike, quartic ones a thousandth.
    double const curvature = 4 * (inverse_height(0) - 2 * inverse_height(0.5) + inverse_height(1));
    EXPECT_NEAR(log_ratio, dz * (integral + curvature / 228), 1e-2 * dz * std::abs(curvature) / 228 + 1e-14) << l;
    EXPECT_NEAR(log_ratio, dz * integral, 2e-6) << l;
    // The model's formula, in more digits.
    long double mean = 0;
    for (int i = 0; i < 20; ++i) mean += static_cast<long double>(inverse_height(i / 19.0)) / 20;
    EXPECT_NEAR(a.pressure(0, l) / (a.pressure(0, l - 1) * std::exp(-dz * static_cast<double>(mean))), 1, 2e-15) << l;
  }
  EXPECT_EQ(a.pressure(0, 3), isothermal(1, 13).pressure(0, 3));
}

TEST(EgaAtmosphere, WaterMakesAirLighter) {
  auto const dry = isothermal(1, 5);
  auto const moist = isothermal(1, 5);
  for (int l = 0; l < 5; ++l) moist.mole_fraction(0, 1, l) = 1;
  make_hydrostatic(dry, 0);
  make_hydrostatic(moist, 0);
  double const ratio =
      std::log(moist.pressure(0, 4) / moist.pressure(0, 0)) / std::log(dry.pressure(0, 4) / dry.pressure(0, 0));
  EXPECT_NEAR(ratio, 18.0153 / 28.96456, 1e-13);
}

TEST(EgaAtmosphere, HydrostaticRefusesWhatItCannotUse) {
  EXPECT_EQ(message_of([] { make_hydrostatic(isothermal(1, 5), nan); }),
            "make_hydrostatic: reference = nan m, expected a finite number");
  auto const a = isothermal(2, 5);
  a.temperature(1, 3) = 0;
  EXPECT_EQ(message_of([&] { make_hydrostatic(a, 0); }),
            "make_hydrostatic: temperature(1, 3) = 0 K, expected a positive number");
}

TEST(EgaAtmosphere, AGoodAtmosphereIsAccepted) {
  EXPECT_NO_THROW(validate(isothermal(1, 2)));
  EXPECT_NO_THROW(validate(isothermal(3, 7, {})));
  auto a = with_cloud_and_surface(isothermal(2, 4));
  a.surface_temperature(0) = -1;  // of the air
  a.mole_fraction(1, 0, 2) = -1e-6;
  EXPECT_NO_THROW(validate(a));
  EXPECT_EQ(a.ngas(), 2);
  EXPECT_EQ(a.nwindow(), 2);
  EXPECT_TRUE(a.has_cloud() && a.has_surface());
}

TEST(EgaAtmosphere, WhatIsWrongIsNamed) {
  auto const refusal = [](auto const& spoil) {
    auto a = with_cloud_and_surface(isothermal(2, 4));
    spoil(a);
    return message_of([&] { validate(a, "atm.tab"); });
  };
  using A = HostAtmosphere;
  EXPECT_EQ(message_of([] { validate(HostAtmosphere{}); }),
            "validate: altitude has shape (0, 0), expected at least (1, 2)");
  EXPECT_EQ(refusal([](A& a) { a.altitude(1, 2) = a.altitude(1, 1); }),
            "atm.tab: altitude(1, 2) = 1010 m, expected more than the 1010 m of the level below");
  EXPECT_EQ(refusal([](A& a) { a.altitude(0, 2) = nan; }), "atm.tab: altitude(0, 2) = nan m, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.pressure(0, 3) = 0; }), "atm.tab: pressure(0, 3) = 0 Pa, expected a positive number");
  EXPECT_EQ(refusal([](A& a) { a.temperature(1, 0) = -4; }),
            "atm.tab: temperature(1, 0) = -4 K, expected a positive number");
  EXPECT_EQ(refusal([](A& a) { a.mole_fraction(1, 1, 3) = nan; }),
            "atm.tab: mole_fraction(1, 1, 3) = nan, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.extinction(0, 1, 2) = -1; }),
            "atm.tab: extinction(0, 1, 2) = -1 m-1, expected a number of at least 0");
  EXPECT_EQ(refusal([](A& a) { a.time(0, 1) = nan; }),
            "atm.tab: time(0, 1) = nan seconds since 2000-01-01 00:00:00, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.longitude(0, 1) = nan; }),
            "atm.tab: longitude(0, 1) = nan degrees_east, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.latitude(0, 1) = nan; }),
            "atm.tab: latitude(0, 1) = nan degrees_north, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.cloud_height(1) = nan; }),
            "atm.tab: cloud_height(1) = nan m, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.cloud_depth(1) = 0; }), "atm.tab: cloud_depth(1) = 0 m, expected a positive number");
  EXPECT_EQ(refusal([](A& a) { a.cloud_extinction(1, 2) = -2; }),
            "atm.tab: cloud_extinction(1, 2) = -2 m-1, expected a number of at least 0");
  EXPECT_EQ(refusal([](A& a) { a.surface_altitude(0) = nan; }),
            "atm.tab: surface_altitude(0) = nan m, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.surface_pressure(0) = nan; }),
            "atm.tab: surface_pressure(0) = nan Pa, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.surface_temperature(0) = nan; }),
            "atm.tab: surface_temperature(0) = nan K, expected a finite number");
  EXPECT_EQ(refusal([](A& a) { a.surface_emissivity(1, 1) = 1.5; }),
            "atm.tab: surface_emissivity(1, 1) = 1.5, expected 0 to 1");

  EXPECT_EQ(refusal([](A& a) { a.pressure = HostArray<double**>("p", 2, 3); }),
            "atm.tab: pressure has shape (2, 3), expected (2, 4)");
  EXPECT_EQ(refusal([](A& a) { a.gases.push_back("O3"); }),
            "atm.tab: mole_fraction has shape (2, 2, 4), expected (2, 3, 4)");
  EXPECT_EQ(refusal([](A& a) { a.extinction = HostArray<double***>("k", 1, 2, 4); }),
            "atm.tab: extinction has shape (1, 2, 4), expected (2, 2, 4)");
  EXPECT_EQ(refusal([](A& a) { a.cloud_depth = {}; }),
            "atm.tab: cloud_depth is not given and cloud_extinction is given, expected both or none");
  EXPECT_EQ(refusal([](A& a) { a.cloud_extinction = {}; }),
            "atm.tab: cloud_height is given and cloud_extinction is not given, expected both or none");
  EXPECT_EQ(refusal([](A& a) { a.surface_emissivity = HostArray<double**>("e", 1, 2); }),
            "atm.tab: surface_emissivity has shape (1, 2), expected (2, 2)");
  EXPECT_EQ(refusal([](A& a) { a.surface_emissivity = {}; }),
            "atm.tab: surface_altitude is given and surface_emissivity is not given, expected both or none");
}

TEST(EgaAtmosphere, MakingOneChecksItsSize) {
  EXPECT_EQ(message_of([] { make_atmosphere(1, 1, {}, 0); }),
            "make_atmosphere: 1 profiles of 1 levels and 0 windows, expected at least 1, 2 and 0");
}

TEST(EgaAtmosphere, RepeatingCopiesAll) {
  auto const a = with_cloud_and_surface(isothermal(2, 4));
  double value = 0;
  auto const fill = [&](auto const& view) {
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = ++value;
  };
  auto const each = [](HostAtmosphere const& x, HostAtmosphere const& y, auto const& action) {
    action(x.altitude, y.altitude);
    action(x.pressure, y.pressure);
    action(x.temperature, y.temperature);
    action(x.mole_fraction, y.mole_fraction);
    action(x.extinction, y.extinction);
    action(x.cloud_height, y.cloud_height);
    action(x.cloud_depth, y.cloud_depth);
    action(x.cloud_extinction, y.cloud_extinction);
    action(x.surface_altitude, y.surface_altitude);
    action(x.surface_pressure, y.surface_pressure);
    action(x.surface_temperature, y.surface_temperature);
    action(x.surface_emissivity, y.surface_emissivity);
    action(x.time, y.time);
    action(x.longitude, y.longitude);
    action(x.latitude, y.latitude);
  };
  each(a, a, [&](auto const& x, auto const&) { fill(x); });
  auto const b = repeat(a, 3);
  EXPECT_EQ(b.nprofile(), 6);
  EXPECT_EQ(b.nlev(), 4);
  EXPECT_EQ(b.gases, a.gases);
  each(a, b, [](auto const& from, auto const& to) {
    ASSERT_EQ(to.extent(0), 6U);
    for (std::size_t r = 1; r < from.rank(); ++r) ASSERT_EQ(to.extent(r), from.extent(r));
    // Row-major, hence copy after copy.
    for (std::size_t i = 0; i < to.size(); ++i) EXPECT_EQ(to.data()[i], from.data()[i % from.size()]);
    EXPECT_NE(to.data(), from.data());
  });
  EXPECT_EQ(b.temperature(5, 2), a.temperature(1, 2));

  auto const bare = repeat(isothermal(1, 3, {}), 2);
  EXPECT_FALSE(bare.has_cloud() || bare.has_surface());
  EXPECT_NO_THROW(validate(bare));
  EXPECT_EQ(message_of([&] { repeat(a, 0); }), "repeat: copies = 0, expected at least 1");
}

TEST(EgaObservation, AGoodOneIsAccepted) {
  auto o = make_observation(2);
  o.observer.altitude(0) = o.observer.altitude(1) = 800e3;
  EXPECT_NO_THROW(validate(o, 1));
  o.profile = HostArray<int*>("profile", 2);
  o.profile(1) = 2;
  o.masked = HostArray<bool**>("masked", 2, 5);
  EXPECT_NO_THROW(validate(o, 3));
  EXPECT_NO_THROW(validate(make_observation(0), 1));
}

TEST(EgaObservation, WhatIsWrongIsNamed) {
  auto const refusal = [](auto const& spoil) {
    auto o = make_observation(3);
    for (int r = 0; r < 3; ++r) o.observer.altitude(r) = 800e3;
    spoil(o);
    return message_of([&] { validate(o, 2, "obs.tab"); });
  };
  using O = HostObservation;
  EXPECT_EQ(refusal([](O& o) { o.time(1) = nan; }),
            "obs.tab: time(1) = nan seconds since 2000-01-01 00:00:00, expected a finite number");
  EXPECT_EQ(refusal([](O& o) { o.observer.latitude(1) = nan; }),
            "obs.tab: observer_latitude(1) = nan degrees_north, expected -90 to 90");
  EXPECT_EQ(refusal([](O& o) { o.view_point.latitude(2) = 91; }),
            "obs.tab: view_point_latitude(2) = 91 degrees_north, expected -90 to 90");
  EXPECT_EQ(refusal([](O& o) { o.view_point.altitude(2) = -7e6; }),
            "obs.tab: view_point_altitude(2) = -7000000 m, expected a number above -6.36742e+06");
  // The same place, a turn around the Earth away.
  EXPECT_EQ(refusal([](O& o) {
              o.view_point.altitude(1) = 800e3;
              o.view_point.longitude(1) = 360;
            }),
            "obs.tab: view_point(1) = (800000 m, 360, 0 degree) is the observer, expected another place");
  EXPECT_EQ(refusal([](O& o) { o.observer.altitude(1) = 1e200; }),
            "obs.tab: view_point(1) is inf m from the observer, expected at most 1e+150 m");
  EXPECT_EQ(refusal([](O& o) { o.time = HostArray<double*>("time", 2); }), "obs.tab: time has shape (2), expected (3)");
  EXPECT_EQ(refusal([](O& o) { o.view_point.longitude = HostArray<double*>("vp", 2); }),
            "obs.tab: view_point_longitude has shape (2), expected (3)");
  EXPECT_EQ(refusal([](O& o) {
              o.profile = HostArray<int*>("profile", 3);
              o.profile(2) = 2;
            }),
            "obs.tab: profile(2) = 2, expected the index of one of 2 profiles, 0 to 1");
  EXPECT_EQ(refusal([](O& o) { o.profile = HostArray<int*>("profile", 1); }),
            "obs.tab: profile has shape (1), expected (3)");
  EXPECT_EQ(refusal([](O& o) { o.masked = HostArray<bool**>("masked", 2, 4); }),
            "obs.tab: masked has shape (2, 4), expected (3, 4)");
  EXPECT_EQ(message_of([] {
              auto const o = make_observation(1);
              validate(o, 1);
            }),
            "validate: view_point(0) = (0 m, 0, 0 degree) is the observer, expected another place");
}

TEST(EgaProblem, GasesAreFoundWhateverTheirCase) {
  std::vector<std::string> const gases{"CO2", "h2o", "O3", "CO"};
  EXPECT_EQ(find_gas(gases, "co2"), 0);
  EXPECT_EQ(find_gas(gases, "H2O"), 1);
  EXPECT_EQ(find_gas(gases, "CO"), 3);
  EXPECT_EQ(find_gas(gases, "C"), -1);
  EXPECT_EQ(find_gas({}, "CO2"), -1);
}

}  // namespace
