// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include "testing.hpp"

namespace {

using namespace parhelion;

TEST(Device, DefaultSpaceComesFirst) {
  auto const names = execution_space_names();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), Kokkos::DefaultExecutionSpace::name());
  EXPECT_EQ(resolve_execution_space(""), names.front());
}

TEST(Device, NamesAreFoundInAnyCase) {
  for (std::string name : execution_space_names()) {
    std::string const original = name;
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(resolve_execution_space(name), original);
    int calls = 0;
    with_execution_space(name, [&]<class Space>(Space const&) {
      EXPECT_EQ(original, Space::name());
      ++calls;
    });
    EXPECT_EQ(calls, 1);
  }
}

TEST(Device, UnknownSpaceIsRefusedWithTheKnownOnes) {
  try {
    resolve_execution_space("abacus");
    FAIL() << "no error";
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("'abacus'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(Kokkos::DefaultExecutionSpace::name()), std::string::npos);
  }
}

}  // namespace
