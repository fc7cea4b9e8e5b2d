// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/core/validity.hpp>

#include "testing.hpp"

#include <limits>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

TEST(Memory, IsWhatTheMachineHasAtMost) {
  auto const left = available_host_memory();
  auto const all =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_GT(left, std::size_t(1) << 20);
  EXPECT_LE(left, all);
  EXPECT_EQ(available_device_memory(Kokkos::DefaultHostExecutionSpace()) > 0, true);
}

// In a child, as a limit that has been lowered stays.
TEST(Memory, HeedsTheLimitsOfTheProcess) {
  for (int const resource : {RLIMIT_AS, RLIMIT_DATA}) {
    pid_t const child = ::fork();
    if (child == 0) {
      std::size_t const size = std::size_t(1) << 40;
      rlimit const limit{size, size};
      // What the process has already is far below a terabyte, and the machine may have less.
      bool good = ::setrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 && available_host_memory() < size;
      rlimit const none{1 << 12, 1 << 12};  // a page, of which any process has more
      good = good && ::setrlimit(static_cast<__rlimit_resource>(resource), &none) == 0 && available_host_memory() == 0;
      ::_exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << resource << " " << status;
  }
}

TEST(Memory, RefusesWhatDoesNotFit) {
  EXPECT_NO_THROW(require_host_memory("a.nc", 1, ""));
  auto const refusal = message_of([] {
    require_host_memory("a.nc", std::numeric_limits<std::size_t>::max() / 2, "a smaller --chunk makes it fit");
  });
  EXPECT_TRUE(refusal.starts_with("a.nc: needs 9223372036.9 GB of memory, but this process may use ")) << refusal;
  EXPECT_TRUE(refusal.ends_with(" more; a smaller --chunk makes it fit")) << refusal;
  EXPECT_EQ(bytes_text(1500), "1.5 kB");
  EXPECT_EQ(bytes_text(2500000), "2.5 MB");
  EXPECT_EQ(bytes_text(3000000000), "3.0 GB");
}

TEST(Validity, RangesAreClosedAndKnowNoNaN) {
  constexpr ValidRange range{1, 3};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(range.contains(1) && range.contains(3));
  EXPECT_FALSE(range.contains(0.999) || range.contains(3.001) || range.contains(nan));
  EXPECT_EQ(range.nearest(0), 1);
  EXPECT_EQ(range.nearest(2), 2);
  EXPECT_EQ(range.nearest(4), 3);
  EXPECT_EQ(range.nearest(nan), 1);
}

TEST(Validity, NamesAndCounts) {
  for (auto const& name : out_of_range_names()) EXPECT_EQ(name_of(out_of_range_of(name)), name);
  EXPECT_EQ(name_of(OutOfRange::extrapolate), "extrapolate");
  EXPECT_EQ(message_of([] { out_of_range_of("ignore"); }),
            "out of range: 'ignore', expected one of refuse, clip, extrapolate");
  EXPECT_EQ(describe(OutOfRangeCounts{}), "none");
  EXPECT_EQ(describe(OutOfRangeCounts{{"a", 0}, {"b", 2}, {"c", 1}}), "2 of b, 1 of c");
  EXPECT_EQ(total(OutOfRangeCounts{{"a", 0}, {"b", 2}, {"c", 1}}), 3U);
}

}  // namespace
