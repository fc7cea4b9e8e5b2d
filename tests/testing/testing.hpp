// SPDX-License-Identifier: BSD-3-Clause
// What the tests of every component share.
#ifndef PARHELION_TESTING_HPP
#define PARHELION_TESTING_HPP

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/types.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace parhelion::Testing {

/// The parameter of a typed test: where it runs and in which precision.
template <class Space, class Scalar>
struct SpaceAndReal {
  using ExecutionSpace = Space;
  using Real = Scalar;
};

namespace Impl {
struct End {};
template <class... Known>
struct Collect {
  using type = testing::Types<Known...>;
};
template <class... Known>
Collect<Known...> drop_end(Collect<End, Known...>);
#define PARHELION_IMPL_BOTH_REALS(SPACE) , SpaceAndReal<SPACE, float>, SpaceAndReal<SPACE, double>
using All = decltype(drop_end(Collect<End PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_BOTH_REALS)>()));
#undef PARHELION_IMPL_BOTH_REALS
#define PARHELION_IMPL_SPACE(SPACE) , SPACE
using AllSpaces = decltype(drop_end(Collect<End PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_SPACE)>()));
#undef PARHELION_IMPL_SPACE
}  // namespace Impl

/// Every enabled execution space in both precisions, for TYPED_TEST_SUITE(Suite, SpacesAndReals, PairName).
using SpacesAndReals = Impl::All::type;

/// Every enabled execution space, for TYPED_TEST_SUITE(Suite, Spaces, SpaceName).
using Spaces = Impl::AllSpaces::type;

struct PairName {
  template <class Pair>
  static std::string GetName(int) {
    return std::string(Pair::ExecutionSpace::name()) +
           (std::is_same_v<typename Pair::Real, float> ? "_float" : "_double");
  }
};

struct SpaceName {
  template <class Space>
  static std::string GetName(int) {
    return Space::name();
  }
};

/// The message of the parhelion::Error that `action` throws; a note where it throws none.
template <class Action>
std::string message_of(Action const& action) {
  try {
    action();
  } catch (Error const& error) {
    return error.what();
  }
  return "(no parhelion::Error)";
}

/// The file `name` (as "rfmip/rfmip_atmospheres.nc") of the reference data, or an empty string where there is none.
/// The folder is $PARHELION_TEST_DATA, or the one that CMake found; what scripts/get-data.sh has fetched counts, too.
/// Use PARHELION_REQUIRE_DATA in tests.
/// \throws std::runtime_error where the file is there and cannot be read
std::string reference_data(std::string_view name);

/// The same, and prints that the file was found: a test that has all it needs and skips nevertheless is told by that.
std::string require_reference_data(std::string_view name);

/// Why a test that needs the file skips.
std::string missing_reference_data(std::string_view name);

/// A folder of this test's own, empty, removed when the program ends.
std::string scratch_folder();

}  // namespace parhelion::Testing

// What scripts/test.sh counts and, in CI, judges (tests/testing/skipped_tests.py): a test of reference data may skip
// for want of a file, which the first macro says, or of a device, which the second one says, and for nothing else.

/// Declares `path` as the reference data file `name`, or skips the test and says what is missing.
#define PARHELION_REQUIRE_DATA(path, name)                                   \
  std::string const path = parhelion::Testing::require_reference_data(name); \
  if (path.empty()) GTEST_SKIP() << parhelion::Testing::missing_reference_data(name)

/// Skips the test unless there is `what`, such as "a second execution space".
#define PARHELION_REQUIRE_DEVICE(there_is, what) \
  if (!(there_is)) GTEST_SKIP() << "needs a device that is not here: " << (what)

#endif
