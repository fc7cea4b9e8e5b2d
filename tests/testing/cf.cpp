// SPDX-License-Identifier: BSD-3-Clause
#include "cf.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <utility>

namespace parhelion::Testing {

namespace {

// Status and output of the checks of files, of none for a check of the tools.
std::pair<int, std::string> check(std::string const& python, std::string const& file) {
  FILE* const pipe = popen((python + " " PARHELION_CHECK_CF " " + file + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "no shell"};
  std::string output;
  std::array<char, 4096> buffer{};
  while (std::size_t const n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
  return {pclose(pipe), output};
}

// A python3 with the modules: one that comes first on PATH may lack them while the distribution's own has them.
std::string const& python() {
  static std::string const found = [] {
    for (std::string const name : {"python3", "/usr/bin/python3"})
      if (check(name, "").first == 0) return name;
    return std::string();
  }();
  return found;
}

}  // namespace

bool have_cf_tools() { return !python().empty(); }

void expect_cf(std::string const& path) {
  if (!have_cf_tools()) return;
  auto const [status, output] = check(python(), "'" + path + "'");
  EXPECT_EQ(status, 0) << output;
}

}  // namespace parhelion::Testing
