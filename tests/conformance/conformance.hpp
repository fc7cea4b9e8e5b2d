// SPDX-License-Identifier: BSD-3-Clause
// The contract of core/solver.hpp, put to the test: each function returns what a solver does wrong, in words.
#ifndef PARHELION_TESTING_CONFORMANCE_HPP
#define PARHELION_TESTING_CONFORMANCE_HPP

#include "kokkos_manners.hpp"
#include "testing.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/solver.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace parhelion::Testing {

using Complaints = std::vector<std::string>;

/// \brief What the suite needs to know of a solver S: specialised for each.
///
/// static: `model(space)`, `capacity()`, `tuning()`, `input(space)` (at least three items), `result(space)` (arrays for
/// them), and `spoil(space, input, item)`, which makes the result of that item other than finite.
template <class S>
struct ConformanceCase;

namespace Impl {

template <Solver S>
struct Prepared {
  using Case = ConformanceCase<S>;
  using Space = typename S::execution_space;

  Space space = another_instance<Space>();
  typename S::model_type model = Case::model(space);
  S solver = S(space, model, Case::capacity(), Case::tuning());
  typename S::input_type input = Case::input(space);
  typename S::result_type result = Case::result(space);

  void solve() { solver.solve(space, input, result); }

  /// The result of a solve, byte by byte.
  std::vector<std::byte> bits() {
    solve();
    (void)solver.status(space);
    std::vector<std::byte> bytes;
    S::result_type::for_each_array(
        [&](ArrayDescription const&, auto const& view) {
          auto const host = parhelion::host_copy(view);
          auto const* const data = reinterpret_cast<std::byte const*>(host.data());
          if (view.size() > 0) bytes.insert(bytes.end(), data, data + host.span() * sizeof(*host.data()));
        },
        result);
    return bytes;
  }
};

/// What Kokkos does by itself, such as fills of Views and scratch of an instance, has labels of its own.
inline void complain_of_labels(Complaints& complaints, std::vector<std::string> const& labels, char const* what) {
  for (auto const& label : labels)
    if (label.rfind("parhelion::", 0) != 0 && label.rfind("Kokkos::", 0) != 0)
      complaints.push_back(fmt::format("{} {} has no prefix", what, label));
}

}  // namespace Impl

/// solve() neither allocates nor fences nor copies, and launches something.
template <Solver S>
Complaints complaints_of_solve() {
  Impl::Prepared<S> prepared;
  prepared.solve();
  prepared.space.fence();
  auto const report = watch([&] { prepared.solve(); });
  prepared.space.fence();
  Complaints complaints;
  if (report.labels.empty()) complaints.push_back("solve launches nothing");
  for (auto const& label : report.allocations) complaints.push_back("solve allocates " + label);
  for (auto const& label : report.deallocations) complaints.push_back("solve frees " + label);
  for (auto const& label : report.copies) complaints.push_back("solve copies to " + label);
  for (auto const& name : report.fences) complaints.push_back("solve fences: " + name);
  return complaints;
}

namespace Impl {

/// \brief Whether an action ends while the default instance of a host space is busy.
///
/// Tools cannot tell the instances of a host space apart, but each runs one kernel at a time.
template <class Space>
bool ends_while_default_instance_is_busy(std::function<void()> const& action) {
  std::atomic<bool> busy = false;
  std::atomic<bool> release = false;
  std::atomic<bool> gave_up = false;
  std::thread keeper([&] {
    Kokkos::parallel_for("parhelion::Testing::keep_busy", Kokkos::RangePolicy<Space>(Space(), 0, 1), [&](int) {
      busy = true;
      Kokkos::Timer const timer;
      while (!release && !gave_up) {
        gave_up = timer.seconds() > 2;
        std::this_thread::yield();
      }
    });
  });
  while (!busy) std::this_thread::yield();
  action();
  release = true;
  keeper.join();
  return !gave_up;
}

}  // namespace Impl

/// All that solve() launches goes to the instance that it is given.
template <Solver S>
Complaints complaints_of_instance() {
  using Space = typename S::execution_space;
  Impl::Prepared<S> prepared;
  prepared.solve();
  prepared.space.fence();
  Complaints complaints;
  if constexpr (runs_on_host<Space>) {
    if (!Impl::ends_while_default_instance_is_busy<Space>([&] { prepared.solve(); }))
      complaints.push_back("solve launches on another instance: it waits for the default one");
  } else {
    auto const report = watch([&] { prepared.solve(); });
    prepared.space.fence();
    for (std::size_t i = 0; i < report.labels.size(); ++i)
      if (report.device_ids[i] != device_id(prepared.space))
        complaints.push_back("solve launches " + report.labels[i] + " on another instance");
  }
  return complaints;
}

/// Labels of kernels and allocations have the prefix, those of constructor and status() included.
template <Solver S>
Complaints complaints_of_labels() {
  Complaints complaints;
  auto const report = watch([&] {
    Impl::Prepared<S> prepared;
    prepared.solve();
    (void)prepared.solver.status(prepared.space);
  });
  Impl::complain_of_labels(complaints, report.labels, "kernel");
  Impl::complain_of_labels(complaints, report.allocations, "allocation");
  return complaints;
}

/// workspace_bytes() tells what the constructor allocates: no less, and little more.
template <Solver S>
Complaints complaints_of_workspace() {
  using Case = ConformanceCase<S>;
  typename S::execution_space const space;
  auto const model = Case::model(space);
  std::size_t told = 0;
  auto const report = watch([&] {
    S const solver(space, model, Case::capacity(), Case::tuning());
    told = solver.workspace_bytes();
  });
  Complaints complaints;
  std::size_t const foretold = S::workspace_bytes(space, Case::capacity(), Case::tuning());
  if (told != foretold)
    complaints.push_back(fmt::format("workspace_bytes is {} beforehand and {} afterwards", foretold, told));
  // Mirrors in host memory are gone afterwards. What aligns a workspace, and headers of allocations, come on top.
  auto const found = report.allocated_bytes.find(S::execution_space::memory_space::name());
  std::uint64_t const allocated = found == report.allocated_bytes.end() ? 0 : found->second;
  if (allocated > foretold + 4096 || allocated + 4096 < foretold)
    complaints.push_back(fmt::format("workspace_bytes is {}, the constructor allocates {}", foretold, allocated));
  return complaints;
}

/// status() names the first item that is not finite, and forgets it.
template <Solver S>
Complaints complaints_of_status() {
  Complaints complaints;
  auto const ask = [&](Impl::Prepared<S>& prepared, char const* when, std::int64_t expected) {
    auto const found = prepared.solver.status(prepared.space).first_not_finite;
    if (found != expected) complaints.push_back(fmt::format("status {} is {}, expected {}", when, found, expected));
  };
  Impl::Prepared<S> prepared;
  ask(prepared, "before any solve", -1);
  prepared.solve();
  ask(prepared, "of a good result", -1);
  for (int const item : {2, 1}) ConformanceCase<S>::spoil(prepared.space, prepared.input, item);
  prepared.solve();
  ask(prepared, "with items 1 and 2 spoiled", 1);
  ask(prepared, "when asked again", -1);
  return complaints;
}

/// The same bits in every call, and after the solver has been moved.
template <Solver S>
Complaints complaints_of_repetition() {
  Complaints complaints;
  Impl::Prepared<S> prepared;
  auto const first = prepared.bits();
  if (prepared.bits() != first) complaints.push_back("a second call gives other bits");
  S moved = std::move(prepared.solver);
  prepared.solver = std::move(moved);
  if (prepared.bits() != first) complaints.push_back("a solver that was moved gives other bits");
  return complaints;
}

/// An array of other extents is refused by its name, before anything is enqueued. Where it is the first that has a
/// dimension, the message names the array that disagrees and the extents that the first one asks for.
template <Solver S>
Complaints complaints_of_extents() {
  Complaints complaints;
  Impl::Prepared<S> prepared;
  auto const expect_refused = [&](ArrayDescription const& description, auto& view) {
    using View = std::remove_reference_t<decltype(view)>;
    if (view.size() == 0 || View::rank_dynamic == 0) return;
    auto const good = view;
    auto layout = view.layout();
    layout.dimension[View::rank_dynamic - 1] += 1;
    view = typename View::non_const_type("parhelion::Testing::other_extents", layout);
    auto const report = watch([&] {
      std::string const message = message_of([&] { prepared.solve(); });
      if (message.find("expected") == std::string::npos)
        complaints.push_back(fmt::format("{} of other extents: {}", description.name, message));
    });
    for (auto const& label : report.labels)
      complaints.push_back(fmt::format("{} of other extents, but {} was launched", description.name, label));
    view = good;
  };
  S::input_type::for_each_array(expect_refused, prepared.input);
  S::result_type::for_each_array(expect_refused, prepared.result);
  return complaints;
}

inline void expect_no_complaints(Complaints const& complaints) {
  for (auto const& complaint : complaints) ADD_FAILURE() << complaint;
}

template <class S>
struct Conformance : testing::Test {
  static_assert(Solver<S>);
};
TYPED_TEST_SUITE_P(Conformance);

TYPED_TEST_P(Conformance, SolveNeitherAllocatesNorFencesNorCopies) {
  expect_no_complaints(complaints_of_solve<TypeParam>());
}
TYPED_TEST_P(Conformance, SolveUsesItsInstance) { expect_no_complaints(complaints_of_instance<TypeParam>()); }
TYPED_TEST_P(Conformance, LabelsHaveThePrefix) { expect_no_complaints(complaints_of_labels<TypeParam>()); }
TYPED_TEST_P(Conformance, WorkspaceIsToldBeforehand) { expect_no_complaints(complaints_of_workspace<TypeParam>()); }
TYPED_TEST_P(Conformance, StatusNamesWhatIsNotFinite) { expect_no_complaints(complaints_of_status<TypeParam>()); }
TYPED_TEST_P(Conformance, CallsRepeatBitByBit) { expect_no_complaints(complaints_of_repetition<TypeParam>()); }
TYPED_TEST_P(Conformance, OtherExtentsAreRefusedByName) { expect_no_complaints(complaints_of_extents<TypeParam>()); }

REGISTER_TYPED_TEST_SUITE_P(Conformance, SolveNeitherAllocatesNorFencesNorCopies, SolveUsesItsInstance,
                            LabelsHaveThePrefix, WorkspaceIsToldBeforehand, StatusNamesWhatIsNotFinite,
                            CallsRepeatBitByBit, OtherExtentsAreRefusedByName);

/// The types S<Space, Real> for every enabled space in both precisions, for INSTANTIATE_TYPED_TEST_SUITE_P.
template <template <class, class> class S, class Pairs = SpacesAndReals>
struct SolversOf;
template <template <class, class> class S, class... Pairs>
struct SolversOf<S, testing::Types<Pairs...>> {
  using type = testing::Types<S<typename Pairs::ExecutionSpace, typename Pairs::Real>...>;
};

/// "OpenMP_double"
struct SolverName {
  template <class S>
  static std::string GetName(int) {
    return std::string(S::execution_space::name()) +
           (std::is_same_v<typename S::value_type, float> ? "_float" : "_double");
  }
};

}  // namespace parhelion::Testing

#endif
