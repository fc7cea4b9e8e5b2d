// SPDX-License-Identifier: BSD-3-Clause
#include "coefficient_values.hpp"

#include <gtest/gtest.h>

using parhelion::io::same_units;

TEST(CoefficientValues, UnitsAreProductsOfPowers) {
  EXPECT_TRUE(same_units("m2/g", "m2 g-1"));
  EXPECT_TRUE(same_units("m^2 g^-1", "m2 g-1"));
  EXPECT_TRUE(same_units("m**2 * g**-1", "g-1 m2"));
  EXPECT_TRUE(same_units("W/m2", "W m-2"));
  EXPECT_TRUE(same_units("W/(m2 sr)", "W m-2 sr-1"));
  EXPECT_TRUE(same_units("W/m2/sr", "W m-2 sr-1"));
  EXPECT_FALSE(same_units("W/m2 sr", "W m-2 sr-1"));
  EXPECT_TRUE(same_units("microns", "um"));
  EXPECT_TRUE(same_units("kelvin", "K"));
  EXPECT_TRUE(same_units("mol mol-1", "1"));
  EXPECT_TRUE(same_units("unitless", ""));
  EXPECT_FALSE(same_units("hPa", "Pa"));
  EXPECT_FALSE(same_units("cm2 mol-1", "m2 mol-1"));
  EXPECT_FALSE(same_units("m2", "m2 mol-1"));
  EXPECT_FALSE(same_units("m-1", "cm-1"));
  EXPECT_FALSE(same_units("degC", "K"));
  EXPECT_FALSE(same_units("1e-6", "1"));
}
