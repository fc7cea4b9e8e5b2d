// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/field_of_view.hpp>

#include "testing.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using parhelion::Testing::message_of;

/// Rays that look at these altitudes at time 0.
HostObservation limb(std::vector<double> const& altitudes) {
  auto o = make_observation(static_cast<int>(altitudes.size()));
  for (std::size_t r = 0; r < altitudes.size(); ++r) {
    o.observer.altitude(r) = 800e3;
    o.view_point.altitude(r) = altitudes[r];
  }
  return o;
}

/// Radiance f(z), twice as much in channel 1; transmittance 1 - f(z) / 100.
template <class Function>
HostSpectra spectra_of(HostObservation const& o, Function const& f) {
  HostSpectra s;
  s.radiance = HostArray<double**>("radiance", o.nray(), 2);
  s.transmittance = HostArray<double**>("transmittance", o.nray(), 2);
  for (int r = 0; r < o.nray(); ++r)
    for (int c = 0; c < 2; ++c) {
      s.radiance(r, c) = (1 + c) * f(o.view_point.altitude(r));
      s.transmittance(r, c) = 1 - f(o.view_point.altitude(r)) / 100;
    }
  return s;
}

FieldOfView gaussian(double sigma) {
  FieldOfView fov;
  for (int i = -30; i <= 30; ++i) {
    fov.offset.push_back(0.1 * sigma * i);
    fov.weight.push_back(std::exp(-0.005 * i * i));
  }
  return fov;
}

double line(double z) { return 3 + z / 4e3; }
double parabola(double z) { return z * z / 1e8; }

TEST(EgaFieldOfView, ASymmetricOneDoesNotChangeALine) {
  // Of any order and spacing of the rays, and beyond the ends.
  for (auto const& altitudes : {std::vector<double>{5e3, 6e3, 7.5e3, 8e3, 12e3, 13e3, 14e3},
                                std::vector<double>{14e3, 9e3, 6e3, 5e3}, std::vector<double>{9e3, 5e3, 14e3, 6e3}}) {
    auto const o = limb(altitudes);
    auto const s = spectra_of(o, line);
    apply_field_of_view(gaussian(1500), o, s);
    for (int r = 0; r < o.nray(); ++r) {
      // 61 terms of a size of at most 10.
      EXPECT_NEAR(s.radiance(r, 0), line(o.view_point.altitude(r)), 2e-14) << r;
      EXPECT_NEAR(s.radiance(r, 1), 2 * line(o.view_point.altitude(r)), 4e-14) << r;
      EXPECT_NEAR(s.transmittance(r, 1), 1 - line(o.view_point.altitude(r)) / 100, 4e-15) << r;
    }
  }
}

TEST(EgaFieldOfView, ADeltaFunctionChangesNothing) {
  auto const o = limb({5e3, 5e3, 6e3, 4.7e3, 7e3, 7e3, 7e3});
  auto const s = spectra_of(o, [](double z) { return std::sin(z); });
  s.radiance(1, 0) = 7;  // rays that look at the same altitude may differ
  s.radiance(5, 1) = 8;
  auto const before = spectra_of(o, [](double z) { return std::sin(z); });
  apply_field_of_view({{0}, {0.3}}, o, s);
  for (int r = 0; r < o.nray(); ++r) {
    EXPECT_EQ(s.radiance(r, 0), r == 1 ? 7 : before.radiance(r, 0));
    EXPECT_EQ(s.radiance(r, 1), r == 5 ? 8 : before.radiance(r, 1));
    EXPECT_EQ(s.transmittance(r, 0), before.transmittance(r, 0));
  }
}

TEST(EgaFieldOfView, NoneDoesNothing) {
  auto const o = limb({5e3});
  auto const s = spectra_of(o, parabola);
  apply_field_of_view({}, o, s);
  EXPECT_EQ(s.radiance(0, 0), parabola(5e3));
}

// Between rays at a spacing h the profile of z^2 is a chord, z^2 + t (1 - t) h^2 at the fraction t of the way. The
// middle ray of an equidistant set then sees the mean of (z + d)^2 + t (1 - t) h^2, with t the fraction of d / h.
TEST(EgaFieldOfView, AGaussianOnAParabolaIsThatOfItsChords) {
  constexpr double h = 1000;
  std::vector<double> altitudes;
  for (int i = 0; i < 11; ++i) altitudes.push_back(4e3 + h * i);
  auto const o = limb(altitudes);
  auto const s = spectra_of(o, parabola);
  auto const fov = gaussian(1200);  // 3.6 km to either side, within the five rays
  double sum = 0;
  double sum_of_weights = 0;
  double second_moment = 0;
  for (std::size_t i = 0; i < fov.offset.size(); ++i) {
    double const steps = fov.offset[i] / h;
    double const t = steps - std::floor(steps);
    sum += fov.weight[i] * t * (1 - t) * h * h;
    second_moment += fov.weight[i] * fov.offset[i] * fov.offset[i];
    sum_of_weights += fov.weight[i];
  }
  apply_field_of_view(fov, o, s);
  double const expected = parabola(9e3) + (second_moment + sum) / sum_of_weights / 1e8;
  EXPECT_NEAR(s.radiance(5, 0), expected, 1e-14);
  EXPECT_NEAR(s.transmittance(5, 1), 1 - expected / 100, 1e-14);
}

TEST(EgaFieldOfView, EndsAreExtrapolated) {
  auto const o = limb({5e3, 6e3, 8e3});
  auto const s = spectra_of(o, parabola);
  apply_field_of_view({{-2000, 2000}, {1, 1}}, o, s);
  // Slopes of the chords: 11 and 14 km; z^2 in units of 100 km^2. Below 5 km 25 - 2 * 11 = 3; at 7 km 50.
  EXPECT_NEAR(s.radiance(0, 0), (3 + 50) / 2.0 / 100, 1e-15);
  EXPECT_NEAR(s.radiance(1, 0), (25 - 11 + 64) / 2.0 / 100, 1e-15);
  EXPECT_NEAR(s.radiance(2, 0), (36 + 64 + 28) / 2.0 / 100, 1e-15);
}

TEST(EgaFieldOfView, OnlyNeighboursOfTheSameTimeWithinFiveRaysCount) {
  // Two scans whose rays alternate: each must come out as if it were alone.
  std::vector<double> const altitudes{5e3, 6e3, 7e3, 8e3};
  auto const alone = limb(altitudes);
  auto const a = spectra_of(alone, parabola);
  auto const b = spectra_of(alone, [](double z) { return std::cos(z); });
  auto o = make_observation(8);
  HostSpectra both;
  both.radiance = HostArray<double**>("radiance", 8, 2);
  both.transmittance = HostArray<double**>("transmittance", 8, 2);
  for (int r = 0; r < 8; ++r) {
    o.time(r) = r % 2;
    o.view_point.altitude(r) = altitudes[static_cast<std::size_t>(r / 2)];
    for (int c = 0; c < 2; ++c) {
      both.radiance(r, c) = (r % 2 == 0 ? a : b).radiance(r / 2, c);
      both.transmittance(r, c) = (r % 2 == 0 ? a : b).transmittance(r / 2, c);
    }
  }
  auto const fov = gaussian(300);  // 0.9 km: all that counts are the two rays next to each
  apply_field_of_view(fov, alone, a);
  apply_field_of_view(fov, alone, b);
  apply_field_of_view(fov, o, both);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 2; ++c) {
      EXPECT_EQ(both.radiance(r, c), (r % 2 == 0 ? a : b).radiance(r / 2, c)) << r;
      EXPECT_EQ(both.transmittance(r, c), (r % 2 == 0 ? a : b).transmittance(r / 2, c)) << r;
    }

  // Six rays away is too far: the chord from the fifth ray is extrapolated instead.
  std::vector<double> many;
  for (int i = 0; i < 14; ++i) many.push_back(i < 8 ? 1000.0 * i : 2000.0 * i - 8000);
  auto const far = limb(many);
  auto const s = spectra_of(far, [](double z) { return z > 5500 ? 1e3 : 1; });
  apply_field_of_view({{6000}, {1}}, far, s);
  EXPECT_EQ(s.radiance(0, 0), 1);
  EXPECT_EQ(s.radiance(1, 0), 1e3 + 999);  // from 1 at 5 km and 1000 at 6 km on to 7 km
}

TEST(EgaFieldOfView, WhatIsWrongIsNamed) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  auto const o = limb({5e3, 6e3});
  auto const refusal = [&](FieldOfView const& fov) {
    return message_of([&] { apply_field_of_view(fov, o, spectra_of(o, line)); });
  };
  EXPECT_EQ(refusal({{0, 1}, {1}}),
            "apply_field_of_view: the field of view has 2 offsets and 1 weights, expected as many");
  EXPECT_EQ(refusal({{}, {1}}), "apply_field_of_view: the field of view has 0 offsets and 1 weights, expected as many");
  EXPECT_EQ(refusal({{nan}, {1}}), "apply_field_of_view: offset(0) = nan m, expected a finite number");
  EXPECT_EQ(refusal({{0}, {nan}}), "apply_field_of_view: weight(0) = nan, expected a finite number");
  EXPECT_EQ(refusal({{0, 1}, {1, -1}}),
            "apply_field_of_view: the weights of the field of view add up to 0, expected another sum");

  // Two rays a kilometre apart tell what is a kilometre beyond them.
  EXPECT_NO_THROW(apply_field_of_view({{-1000, 1000}, {1, 1}}, o, spectra_of(o, line)));
  EXPECT_EQ(
      refusal({{0, -1001}, {1, 1}}),
      "apply_field_of_view: offset(1) = -1001 m of the field of view looks at 3999 m from ray 0, expected 4000 to "
      "7000 m: the view points of the rays around it, and as far again on either side");
  EXPECT_EQ(refusal({{1500}, {1}}),
            "apply_field_of_view: offset(0) = 1500 m of the field of view looks at 7500 m from ray 1, expected 4000 to "
            "7000 m: the view points of the rays around it, and as far again on either side");

  auto apart = limb({5e3, 6e3, 5e3});
  apart.time(1) = 60;
  auto const s = spectra_of(apart, line);
  EXPECT_EQ(message_of([&] {
              apply_field_of_view({{0}, {1}}, apart, s);
            }),
            "apply_field_of_view: ray 0 at 5000 m has no neighbour of the same time and another view point altitude "
            "within 5 rays, expected at least one");
  EXPECT_EQ(s.radiance(1, 0), line(6e3));  // nothing is half done

  auto const short_one = spectra_of(limb({5e3}), line);
  EXPECT_EQ(message_of([&] {
              apply_field_of_view({{0}, {1}}, o, short_one);
            }),
            "apply_field_of_view: radiance has shape (1, 2), expected (2, 2)");
}

}  // namespace
