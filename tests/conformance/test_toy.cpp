// SPDX-License-Identifier: BSD-3-Clause
// A solver of some sixty lines keeps the contract; solvers that break it are found.
#include "toy_case.hpp"

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Space, class Real>
using Toy = ToySolver<Space, Real>;

using Toys = SolversOf<Toy>::type;

}  // namespace

namespace parhelion::Testing {
INSTANTIATE_TYPED_TEST_SUITE_P(Toy, Conformance, Toys, SolverName);
}

namespace {

template <class Space>
struct ConformanceOfWrongSolvers : testing::Test {};
TYPED_TEST_SUITE(ConformanceOfWrongSolvers, Spaces, SpaceName);

/// All that the suite says of a toy with a fault.
template <class Space, Fault fault>
Complaints complaints() {
  using S = ToySolver<Space, double, fault>;
  Complaints all;
  for (auto const& some :
       {complaints_of_solve<S>(), complaints_of_instance<S>(), complaints_of_labels<S>(), complaints_of_workspace<S>(),
        complaints_of_status<S>(), complaints_of_repetition<S>(), complaints_of_extents<S>()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

void expect_complaint(Complaints const& complaints, std::string_view words) {
  for (auto const& complaint : complaints)
    if (complaint.find(words) != std::string::npos) return;
  ADD_FAILURE() << "no complaint says '" << words << "' among " << complaints.size();
}

TYPED_TEST(ConformanceOfWrongSolvers, AToyWithoutFaultIsAccepted) {
  expect_no_complaints(complaints<TypeParam, Fault::none>());
}

TYPED_TEST(ConformanceOfWrongSolvers, AToyThatAllocatesIsFound) {
  auto const found = complaints<TypeParam, Fault::allocates>();
  expect_complaint(found, "solve allocates parhelion::Toy::more");
  expect_complaint(found, "solve frees parhelion::Toy::more");
}

TYPED_TEST(ConformanceOfWrongSolvers, AToyThatFencesIsFound) {
  expect_complaint(complaints<TypeParam, Fault::fences>(), "solve fences: parhelion::Toy::fence");
}

TYPED_TEST(ConformanceOfWrongSolvers, AToyThatUsesAnotherInstanceIsFound) {
  expect_complaint(complaints<TypeParam, Fault::uses_another_instance>(), "another instance");
}

TYPED_TEST(ConformanceOfWrongSolvers, AToyWhoseLabelsHaveNoPrefixIsFound) {
  expect_complaint(complaints<TypeParam, Fault::labels_without_prefix>(), "kernel toy_fluxes has no prefix");
}

TYPED_TEST(ConformanceOfWrongSolvers, AToyThatForgetsItsStatusIsFound) {
  expect_complaint(complaints<TypeParam, Fault::forgets_status>(),
                   "status with items 1 and 2 spoiled is -1, expected 1");
}

// What the compiler finds: these are no solvers.
template <class Toy>
struct CopyableToy : Toy {
  using Toy::Toy;
  CopyableToy(CopyableToy const&);
  CopyableToy(CopyableToy&&) noexcept;
};
template <class Toy>
struct ConstToy : Toy {
  using Toy::Toy;
  void solve(typename Toy::execution_space const&, typename Toy::input_type const&,
             typename Toy::result_type const&) const;
};

TYPED_TEST(ConformanceOfWrongSolvers, AToyThatCanBeCopiedIsNoSolver) {
  EXPECT_TRUE((Solver<ToySolver<TypeParam>>));
  EXPECT_FALSE((Solver<CopyableToy<ToySolver<TypeParam>>>));
}

TYPED_TEST(ConformanceOfWrongSolvers, AToyWhoseSolveIsConstIsNoSolver) {
  EXPECT_FALSE((Solver<ConstToy<ToySolver<TypeParam>>>));
}

}  // namespace
