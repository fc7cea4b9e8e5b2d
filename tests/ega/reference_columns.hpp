// SPDX-License-Identifier: BSD-3-Clause
// Columns of numbers as the reference data has them, read without parhelion's own readers.
#ifndef PARHELION_TESTS_EGA_REFERENCE_COLUMNS_HPP
#define PARHELION_TESTS_EGA_REFERENCE_COLUMNS_HPP

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace parhelion::Testing {

/// The numbers of each line; lines that are empty or begin with # are left out.
inline std::vector<std::vector<double>> columns_of(std::string const& path) {
  std::ifstream file(path);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::vector<double> row;
    for (double value; words >> value;) row.push_back(value);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace parhelion::Testing

#endif
