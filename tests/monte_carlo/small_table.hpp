// SPDX-License-Identifier: BSD-3-Clause
// A small table of narrow bands that needs no data.
#ifndef PARHELION_TESTS_MONTE_CARLO_SMALL_TABLE_HPP
#define PARHELION_TESTS_MONTE_CARLO_SMALL_TABLE_HPP

#include <parhelion/monte_carlo/narrow_band.hpp>

namespace parhelion::Testing {

/// 3 bands to 3000 cm-1, 500, 550 and 700 K, 2 points; all absorption coefficients differ: 1 + 100 band + 10 T + g.
inline monte_carlo::NarrowBandTable small_table() {
  monte_carlo::NarrowBandTable table;
  table.name = "small table";
  table.band_left = {10, 1000.05, 2000};
  table.band_right = {1000, 2000, 3000};
  table.band_centre = {500, 1500, 2500};
  table.temperature = {500, 550, 700};
  table.g = {0.25, 0.75};
  table.weight = {0.625, 0.375};
  table.absorption = HostArray<double***>("absorption", 3, 3, 2);
  for (int b = 0; b < 3; ++b)
    for (int t = 0; t < 3; ++t)
      for (int g = 0; g < 2; ++g) table.absorption(b, t, g) = 1 + 100 * b + 10 * t + g;
  return table;
}

}  // namespace parhelion::Testing

#endif
