// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/geometry.hpp>

#include "testing.hpp"

#include <chrono>
#include <cmath>

namespace {

using namespace parhelion;
using namespace parhelion::ega;

/// [s] since 2000-01-01T00:00Z
double seconds(int year, unsigned month, unsigned day, double hour, double minute = 0, double second = 0) {
  using namespace std::chrono;
  sys_days const from{std::chrono::year(2000) / 1 / 1};
  sys_days const to{std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)};
  return 86400.0 * static_cast<double>((to - from).count()) + 3600 * hour + 60 * minute + second;
}

TEST(EgaGeometry, KnownPlaces) {
  double const re = jurassic_constants::earth_radius;
  auto const expect = [](Vector3 const& found, double x, double y, double z) {
    // cos(90 degrees) is 6e-17 in double precision: 4e-10 m.
    EXPECT_NEAR(found.x, x, 2e-9);
    EXPECT_NEAR(found.y, y, 2e-9);
    EXPECT_NEAR(found.z, z, 2e-9);
  };
  expect(to_cartesian(0, 0, 0), re, 0, 0);
  expect(to_cartesian(1000, 90, 0), 0, re + 1000, 0);
  expect(to_cartesian(1000, -90, 0), 0, -re - 1000, 0);
  expect(to_cartesian(1000, 180, 0), -re - 1000, 0, 0);
  expect(to_cartesian(5e5, 123, 90), 0, 0, re + 5e5);
  expect(to_cartesian(5e5, 123, -90), 0, 0, -re - 5e5);
  double const r = re + 1e4;
  expect(to_cartesian(1e4, 45, 30), r * std::sqrt(3.0 / 8), r * std::sqrt(3.0 / 8), r / 2);
}

TEST(EgaGeometry, ThereAndBackAgain) {
  for (double const z : {0.0, 12345.6, 8e5})
    for (double const lon : {-179.9, -90.0, -1e-5, 0.0, 37.25, 90.0, 179.9})
      for (double const lat : {-89.0, -45.5, 0.0, 1e-5, 60.0, 89.0}) {
        auto const back = to_place(to_cartesian(z, lon, lat));
        // Roundings of the radius are 1e-9 m each. The arc sine loses digits towards the pole: 2e-16 / cos(89 degrees)
        // is 7e-13 degree.
        EXPECT_NEAR(back.altitude, z, 5e-9);
        EXPECT_NEAR(back.longitude, lon, 1e-13);
        EXPECT_NEAR(back.latitude, lat, 2e-12);
      }
  auto const pole = to_place(to_cartesian(100, 20, 90));
  EXPECT_NEAR(pole.latitude, 90, 2e-6);  // the arc sine of 1 within a rounding
}

TEST(EgaGeometry, VectorsAddUp) {
  Vector3 const a{1, 2, 3};
  Vector3 const b{-2, 0.5, 4};
  EXPECT_EQ(dot(a, b), 11);
  EXPECT_EQ(norm(Vector3{2, 3, 6}), 7);
  auto const c = a + 2 * (b - a);
  EXPECT_EQ(c.x, -5);
  EXPECT_EQ(c.y, -1);
  EXPECT_EQ(c.z, 5);
}

// The zenith angle at the north pole is 90 degrees less the declination at any longitude. Instants of the seasons:
// U.S. Naval Observatory, "Earth's seasons". Within half a minute the declination changes by less than 0.01 degree; the
// ephemeris is good to 0.01 degree.
TEST(EgaGeometry, SeasonsAtThePole) {
  struct Season {
    double time;
    double declination;
  };
  for (auto const& [time, declination] :
       {Season{seconds(2000, 3, 20, 7, 35), 0}, Season{seconds(2000, 6, 21, 1, 48), 23.438},
        Season{seconds(2000, 9, 22, 17, 28), 0}, Season{seconds(2000, 12, 21, 13, 37), -23.438},
        Season{seconds(2020, 3, 20, 3, 50), 0}, Season{seconds(2020, 6, 20, 21, 44), 23.437},
        Season{seconds(2020, 9, 22, 13, 31), 0}, Season{seconds(2020, 12, 21, 10, 2), -23.437}})
    for (double const longitude : {-100.0, 0.0, 77.0}) {
      EXPECT_NEAR(solar_zenith_angle(time, longitude, 90), 90 - declination, 0.02) << time;
      EXPECT_NEAR(solar_zenith_angle(time, longitude, -90), 90 + declination, 0.02) << time;
    }
}

// Meeus, Astronomical Algorithms (2nd ed. 1998), examples 25.a and 28.a: 1992 October 13.0 TD, declination -7.78507
// degree, equation of time 13 min 42.6 s. The sun is in the zenith where apparent time is noon: at 180 degrees less
// 13 min 42.6 s = 3.4275 degrees. That TD is 59 s ahead of UT matters by 0.0003 degree of declination.
TEST(EgaGeometry, SubsolarPointOfMeeus) {
  double const time = seconds(1992, 10, 13, 0);
  double const longitude = 180 - 3.4275;
  EXPECT_NEAR(solar_zenith_angle(time, longitude, -7.78507), 0, 0.02);
  EXPECT_NEAR(solar_zenith_angle(time, longitude, 40), 47.78507, 0.02);
  EXPECT_NEAR(solar_zenith_angle(time, longitude - 180, 7.78507), 180, 0.02);
  // An hour later: fifteen degrees along the equator of a sun 7.785 degrees south of it.
  double const radian = std::acos(-1.0) / 180;
  EXPECT_NEAR(solar_zenith_angle(time + 3600, longitude, 0),
              std::acos(std::cos(7.80 * radian) * std::cos(15 * radian)) / radian, 0.02);
}

// Reda & Andreas (2008), Solar Position Algorithm, NREL/TP-560-34302, table A5.1: 2003-10-17T19:30:30Z at 105.1786 W,
// 39.742476 N: topocentric elevation without refraction 39.872046 degree; 0.0019 degree of it are parallax.
TEST(EgaGeometry, ExampleOfTheSolarPositionAlgorithm) {
  EXPECT_NEAR(solar_zenith_angle(seconds(2003, 10, 17, 19, 30, 30), -105.1786, 39.742476), 90 - 39.872046, 0.02);
}

TEST(EgaGeometry, ZenithAngleAndThatOfTheAntipodeAddUp) {
  // Sidereal time counts 2e5 hours, which are known to 3e-11 of an hour or 4e-10 degree.
  for (double const longitude : {-150.0, -20.0, 0.0, 88.0})
    for (double const latitude : {-70.0, 0.0, 35.0}) {
      double const time = seconds(2024, 2, 29, 5, 6, 7);
      EXPECT_NEAR(solar_zenith_angle(time, longitude, latitude) + solar_zenith_angle(time, longitude + 180, -latitude),
                  180, 1e-9);
      EXPECT_NEAR(solar_zenith_angle(time, longitude, latitude), solar_zenith_angle(time, longitude + 360, latitude),
                  1e-9);
    }
}

}  // namespace
