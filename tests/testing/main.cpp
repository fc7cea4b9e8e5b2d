// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Listing the tests must not need a device.
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  Kokkos::ScopeGuard const guard(argc, argv);
  return RUN_ALL_TESTS();
}
