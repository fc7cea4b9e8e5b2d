// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // What the user keeps in ~/.local/share/parhelion is not for the tests, nor for the programs that they run.
  setenv("XDG_DATA_HOME", "/nonexistent", 1);
  // Listing the tests must not need a device.
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  Kokkos::ScopeGuard const guard(argc, argv);
  return RUN_ALL_TESTS();
}
