// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/workspace.hpp>

#include "evaluate.hpp"
#include "kokkos_manners.hpp"
#include "testing.hpp"

#include <cstdint>
#include <limits>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Pair>
struct WorkspaceTest : testing::Test {
  using ExecutionSpace = typename Pair::ExecutionSpace;
  using Real = typename Pair::Real;
};
TYPED_TEST_SUITE(WorkspaceTest, SpacesAndReals, PairName);

/// The blocks of a make-believe solver: written down once, for the size and for the memory.
template <class ExecutionSpace, class Real>
struct Blocks {
  WorkspaceArray<Real**, ExecutionSpace> optical_depth;
  WorkspaceArray<int*, ExecutionSpace> index;
  WorkspaceArray<Real* [3], ExecutionSpace> vectors;
};

template <class Real, class From>
Blocks<typename From::execution_space, Real> take_blocks(From& from, int ncol, int nlay) {
  Blocks<typename From::execution_space, Real> blocks;
  blocks.optical_depth = from.template take<Real**>("optical depth", ncol, nlay);
  blocks.index = from.template take<int*>("index", ncol);
  blocks.vectors = from.template take<Real* [3]>("vectors", nlay);
  return blocks;
}

template <class ExecutionSpace, class Real>
void fill(ExecutionSpace const& space, Blocks<ExecutionSpace, Real> const& blocks, int ncol, int nlay) {
  Kokkos::parallel_for(
      "parhelion::Testing::fill", Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1), KOKKOS_LAMBDA(int) {
        for (int c = 0; c < ncol; ++c) {
          blocks.index(c) = c;
          for (int l = 0; l < nlay; ++l) blocks.optical_depth(c, l) = Real(100 * c + l);
        }
        for (int l = 0; l < nlay; ++l)
          for (int d = 0; d < 3; ++d) blocks.vectors(l, d) = Real(-10 * l - d);
      });
  space.fence();
}

TYPED_TEST(WorkspaceTest, BlocksAreApartAlignedAndUsable) {
  using Space = typename TestFixture::ExecutionSpace;
  using Real = typename TestFixture::Real;
  Space const space;
  int const ncol = 7;
  int const nlay = 13;
  WorkspaceSize<Space> size;
  take_blocks<Real>(size, ncol, nlay);
  Workspace<Space> work(space, size.bytes());
  auto const blocks = take_blocks<Real>(work, ncol, nlay);
  auto const address = [](auto const& view) { return reinterpret_cast<std::uintptr_t>(view.data()); };
  for (auto const at : {address(blocks.optical_depth), address(blocks.index), address(blocks.vectors)})
    EXPECT_EQ(at % workspace_alignment, 0U);
  fill(space, blocks, ncol, nlay);
  auto const optical_depth = on_host(blocks.optical_depth);
  auto const index = on_host(blocks.index);
  auto const vectors = on_host(blocks.vectors);
  for (int c = 0; c < ncol; ++c) {
    EXPECT_EQ(index(c), c);
    for (int l = 0; l < nlay; ++l) EXPECT_EQ(optical_depth(c, l), Real(100 * c + l));
  }
  for (int l = 0; l < nlay; ++l)
    for (int d = 0; d < 3; ++d) EXPECT_EQ(vectors(l, d), Real(-10 * l - d));
}

TYPED_TEST(WorkspaceTest, SizeIsExactlyEnough) {
  using Space = typename TestFixture::ExecutionSpace;
  using Real = typename TestFixture::Real;
  WorkspaceSize<Space> size;
  take_blocks<Real>(size, 5, 9);
  Workspace<Space> enough(Space(), size.bytes());
  EXPECT_NO_THROW(take_blocks<Real>(enough, 5, 9));
  EXPECT_EQ(enough.peak_bytes(), size.bytes());
  EXPECT_EQ(enough.capacity_bytes(), size.bytes());
  Workspace<Space> short_of_one(Space(), size.bytes() - 1);
  EXPECT_THROW(take_blocks<Real>(short_of_one, 5, 9), Error);
  // By hand: each block is rounded up to 128 bytes.
  auto const up = [](std::size_t bytes) { return (bytes + 127) / 128 * 128; };
  EXPECT_EQ(size.bytes(), up(45 * sizeof(Real)) + up(5 * sizeof(int)) + up(27 * sizeof(Real)));
}

TYPED_TEST(WorkspaceTest, ErrorsNameTheBlockAndTheBytes) {
  using Space = typename TestFixture::ExecutionSpace;
  using Real = typename TestFixture::Real;
  Workspace<Space> work(Space(), 1024, "parhelion::Testing::work");
  auto const message = [&](auto... extents) -> std::string {
    try {
      work.template take<Real**>("big", extents...);
    } catch (Error const& error) {
      return error.what();
    }
    return "no error";
  };
  work.template take<double*>("first", 16);
  EXPECT_EQ(message(1024, int(8 / sizeof(Real))),
            "Workspace::take: block 'big' needs 8192 bytes, 'parhelion::Testing::work' has 896 left of 1024");
  EXPECT_EQ(message(3, -2), "Workspace::take: block 'big' has the extents (3, -2), expected none below 0");
  EXPECT_EQ(message(std::int64_t{1} << 40, std::int64_t{1} << 40),
            "Workspace::take: block 'big' with the extents (1099511627776, 1099511627776) is larger than any memory");
  // What failed took nothing.
  EXPECT_EQ(work.blocks().size(), 1U);
  EXPECT_NO_THROW(work.template take<double*>("rest", 112));
  EXPECT_EQ(message(1, 1).find("no error"), std::string::npos);
  EXPECT_EQ(message(0, 5), "no error");  // an empty block fits anywhere
}

TYPED_TEST(WorkspaceTest, ResetReusesTheMemoryAndThePeakStays) {
  using Space = typename TestFixture::ExecutionSpace;
  using Real = typename TestFixture::Real;
  Workspace<Space> work(Space(), 4096);
  auto const first = work.template take<Real*>("first", 100);
  work.template take<Real*>("second", 200);
  std::size_t const peak = work.peak_bytes();
  EXPECT_EQ(peak, work.blocks()[0].bytes + work.blocks()[1].bytes);
  EXPECT_EQ(work.blocks()[1].label, "second");
  work.reset();
  EXPECT_TRUE(work.blocks().empty());
  EXPECT_EQ(work.template take<Real*>("third", 10).data(), first.data());
  EXPECT_EQ(work.peak_bytes(), peak);
  WorkspaceSize<Space> size;
  size.template take<Real*>("first", 100);
  size.template take<Real*>("second", 200);
  size.reset();
  size.template take<Real*>("third", 10);
  EXPECT_EQ(size.bytes(), peak);
}

TYPED_TEST(WorkspaceTest, MovesAndDoesNotAllocateAfterwards) {
  using Space = typename TestFixture::ExecutionSpace;
  using Real = typename TestFixture::Real;
  Workspace<Space> work(Space(), 8192);
  auto const before = work.template take<Real*>("first", 10);
  Workspace<Space> moved(std::move(work));
  auto const report = watch([&] {
    moved.reset();
    EXPECT_EQ(moved.template take<Real*>("again", 10).data(), before.data());
    moved.template take<Real**>("more", 10, 10);
  });
  EXPECT_TRUE(report.allocations.empty());
  EXPECT_TRUE(report.labels.empty()) << "blocks must not be initialised";
  EXPECT_TRUE(report.fences.empty());
}

TYPED_TEST(WorkspaceTest, OneAllocationWithItsLabelAndNoKernel) {
  using Space = typename TestFixture::ExecutionSpace;
  Space const space;
  auto const report = watch([&] { Workspace<Space> const work(space, 1 << 20, "parhelion::Testing::one"); });
  EXPECT_EQ(report.allocations, std::vector<std::string>{"parhelion::Testing::one"});
  EXPECT_TRUE(report.labels.empty()) << "the memory must not be initialised";
}

TYPED_TEST(WorkspaceTest, LanesAreManyOnHostsOnly) {
  using Space = typename TestFixture::ExecutionSpace;
  constexpr int lanes = lanes_per_thread<Space, typename TestFixture::Real>;
  EXPECT_EQ(lanes, runs_on_host<Space> ? 8 : 1);
}

}  // namespace
