// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/monte_carlo/grid.hpp>

#include "testing.hpp"

#include <cmath>
#include <limits>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using parhelion::Testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(MonteCarloGrid, CellsLieBetweenFaces) {
  Grid const grid{{{{0, 1, 3}, {-1, 1}, {2, 2.5, 3, 4}}}};
  EXPECT_EQ(grid.ncell(0), 2);
  EXPECT_EQ(grid.ncell(1), 1);
  EXPECT_EQ(grid.ncell(2), 3);
  EXPECT_EQ(grid.size(), 6U);
  EXPECT_EQ(grid.length(2), 2);
  EXPECT_EQ(grid.width(0, 1), 2);
  EXPECT_EQ(grid.centre(1, 0), 0);
  EXPECT_EQ(grid.centres(2), (std::vector<double>{2.25, 2.75, 3.5}));
  EXPECT_EQ(Grid().ncell(1), 0);
  EXPECT_EQ(Grid().size(), 0U);
  EXPECT_FALSE(Grid().uniform(0));
  EXPECT_NO_THROW(validate(grid));
}

TEST(MonteCarloGrid, UniformFaces) {
  // Not a power of two: faces are rounded.
  auto const faces = uniform_faces(7, 0.3);
  ASSERT_EQ(faces.size(), 8U);
  EXPECT_EQ(faces.front(), 0);
  EXPECT_EQ(faces.back(), 0.3);
  Grid grid{{{faces, {0, 1, 2, 3}, {0, 1, 2 + 1.1e-9, 3}}}};
  EXPECT_TRUE(grid.uniform(0));
  EXPECT_TRUE(grid.uniform(1));
  EXPECT_FALSE(grid.uniform(2));
  grid.faces[2][2] = 2 + 0.9e-9;
  EXPECT_TRUE(grid.uniform(2));
  // A small drift of widths adds up.
  grid.faces[0] = {0};
  for (int i = 0; i < 1000; ++i) grid.faces[0].push_back(grid.faces[0].back() + 1 + 1e-11 * i);
  EXPECT_FALSE(grid.uniform(0));
  // One cell is uniform.
  grid.faces[0] = {4, 5};
  EXPECT_TRUE(grid.uniform(0));
}

TEST(MonteCarloGrid, StretchedFaces) {
  for (int const n : {1, 2, 7, 64}) {
    for (double const strength : {0., 1e-12, 0.5, 2., 10.}) {
      auto const faces = stretched_faces(n, 3, strength);
      ASSERT_EQ(faces.size(), static_cast<std::size_t>(n) + 1);
      EXPECT_EQ(faces.front(), 0);
      EXPECT_EQ(faces.back(), 3);
      Grid const grid{{{faces, {0, 1}, {0, 1}}}};
      EXPECT_NO_THROW(validate(grid));
      // The lower half mirrors the upper one but for rounding of coordinates up to 3.
      for (std::size_t i = 0; i < faces.size(); ++i) EXPECT_NEAR(faces[i] + faces[faces.size() - 1 - i], 3, 2e-15);
      EXPECT_EQ(grid.uniform(0), strength < 1e-3 || n <= 2) << n << " cells, strength " << strength;
    }
  }
  // d tanh(2 s)/ds is 2 in the middle and 2 (1 - tanh^2(2)) at the ends; with 1000 cells within 1 %.
  Grid const grid{{{stretched_faces(1000, 1, 2), {0, 1}, {0, 1}}}};
  EXPECT_NEAR(grid.width(0, 500) / grid.width(0, 0), 1 / (1 - std::pow(std::tanh(2.), 2)), 0.15);
}

TEST(MonteCarloGrid, RefusesBadFaces) {
  EXPECT_EQ(message_of([] {
              validate(Grid{{{{0, 1}, {0}, {0, 1}}}});
            }),
            "validate: y has 1 faces, expected at least 2");
  EXPECT_EQ(message_of([] {
              validate(Grid{{{{0, 1}, {0, 1}, {0, 2, 2, 3}}}}, "in.h5");
            }),
            "in.h5: z(2) = 2 m, expected more than the 2 m of the face before");
  EXPECT_EQ(message_of([] {
              validate(Grid{{{{0, nan}, {0, 1}, {0, 1}}}});
            }),
            "validate: x(1) = nan m, expected a finite number");
  EXPECT_EQ(message_of([] {
              validate(Grid{{{{0, 1}, {-std::numeric_limits<double>::infinity(), 1}, {0, 1}}}});
            }),
            "validate: y(0) = -inf m, expected a finite number");
  EXPECT_EQ(message_of([] { uniform_faces(0, 1); }), "uniform_faces: n = 0, expected at least 1");
  EXPECT_EQ(message_of([] { uniform_faces(1, 0); }), "uniform_faces: length = 0 m, expected a positive finite number");
  EXPECT_EQ(message_of([] { stretched_faces(1, nan, 1); }),
            "stretched_faces: length = nan m, expected a positive finite number");
  EXPECT_EQ(message_of([] { stretched_faces(4, 1, -1); }),
            "stretched_faces: strength = -1, expected a number from 0 to 10");
  EXPECT_EQ(message_of([] { stretched_faces(4, 1, 10.5); }),
            "stretched_faces: strength = 10.5, expected a number from 0 to 10");
}

}  // namespace
