// SPDX-License-Identifier: BSD-3-Clause
#include "small_matrices.hpp"
#include "team_loop.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace parhelion::adding::Impl {
namespace {

using namespace parhelion::Testing;

/// What is computed from a square matrix a and a matrix b that has some columns more.
enum Result { product, of_transposes, sum, solved, solved_transposed, solved_right, solved_right_transposed, nresult };

/// Entries between -1 and 1 of the matrices of a problem.
KOKKOS_INLINE_FUNCTION double entry(int problem, int which, int i, int j) {
  unsigned h = static_cast<unsigned>(problem) * 0x9e3779b9U + static_cast<unsigned>(which) * 0x85ebca6bU +
               static_cast<unsigned>(i) * 0xc2b2ae35U + static_cast<unsigned>(j) * 0x27d4eb2fU + 1U;
  h = (h ^ (h >> 16)) * 0x85ebca6bU;
  h = (h ^ (h >> 13)) * 0xc2b2ae35U;
  return static_cast<double>(h ^ (h >> 16)) / 2147483648.0 - 1;
}

/// 1 + a matrix whose eigenvalues are within the unit circle, as factorized matrices are.
KOKKOS_INLINE_FUNCTION double entry_of_a(int problem, int n, int i, int j) {
  return (i == j ? 1 : 0) + 0.9 * entry(problem, 0, i, j) / n;
}

/// Computes all results of a problem, or of as many as a value has lanes.
template <class Algebra, class Space, class Real>
struct Compute {
  using Alg = Algebra;
  using Value = typename Alg::Value;
  using Matrix = typename Alg::Matrix;
  using Plain = typename Alg::Plain;
  using Transposed = typename Alg::Transposed;

  int n, columns, nproblem, lanes, problems;
  Array<Value**, Space> memory;      ///< (pack, entries)
  Array<double****, Space> results;  ///< (problem, which, row, column)

  static int entries(int n, int columns) { return 4 * Alg::entries(n, n) + 3 * Alg::entries(n, columns); }

  KOKKOS_INLINE_FUNCTION void keep(typename Alg::Member const& member, int pack, Result which, Matrix const& of) const {
    Alg::for_each_entry(member, static_cast<int>(of.extent(0)), static_cast<int>(of.extent(1)), [&](int i, int j) {
      for (int l = 0; l < Alg::width; ++l)
        if (pack * Alg::width + l < nproblem)
          results(pack * Alg::width + l, which, i, j) = static_cast<double>(Alg::lane(of(i, j), l));
    });
  }

  template <class Entry>
  KOKKOS_INLINE_FUNCTION void fill(typename Alg::Member const& member, int pack, Matrix const& m,
                                   Entry const& of) const {
    Alg::for_each_entry(member, static_cast<int>(m.extent(0)), static_cast<int>(m.extent(1)), [&](int i, int j) {
      Value value;
      for (int l = 0; l < Alg::width; ++l) Alg::lane(value, l) = static_cast<Real>(of(pack * Alg::width + l, i, j));
      m(i, j) = value;
    });
  }

  KOKKOS_INLINE_FUNCTION void operator()(typename Alg::TeamMember const& team) const {
    if constexpr (requires { Alg::lanes(1); }) {
      typename Alg::Member member{team, lanes, true};
      int const pack = team.league_rank() * problems + member.number();
      member.is_busy = pack < nproblem;
      compute(member, Kokkos::min(pack, nproblem - 1));
    } else {
      compute(team, team.league_rank());
    }
  }

  KOKKOS_INLINE_FUNCTION void compute(typename Alg::Member const& member, int pack) const {
    ScratchArena<Alg> scratch(&memory(pack, 0));
    Matrix const a = scratch.take(n, n);
    Matrix const factors = scratch.take(n, n);
    Matrix const square = scratch.take(n, n);
    Matrix const out = scratch.take(n, n);
    Matrix const b = scratch.take(n, columns);
    Matrix const c = scratch.take(n, columns);
    auto const of_a = [&](int p, int i, int j) { return entry_of_a(p, n, i, j); };
    auto const of_b = [](int p, int i, int j) { return entry(p, 1, i, j); };
    fill(member, pack, a, of_a);
    fill(member, pack, factors, of_a);
    fill(member, pack, square, of_b);
    fill(member, pack, b, of_b);
    fill(member, pack, c, of_b);
    fill(member, pack, out, of_b);

    Alg::multiply(member, Real(1), a, b, Real(0), c);
    keep(member, pack, product, c);
    Alg::multiply(member, Real(-2), square, Alg::columns(b, 0, columns), Real(3), Alg::columns(c, 0, columns));
    keep(member, pack, sum, c);
    Alg::template multiply<Transposed, Transposed>(member, Real(1), a, square, Real(0), out);
    keep(member, pack, of_transposes, out);

    Alg::factorize(member, factors);
    fill(member, pack, c, of_b);
    Alg::solve(member, factors, c);
    keep(member, pack, solved, c);
    fill(member, pack, c, of_b);
    Alg::solve_transposed(member, factors, c);
    keep(member, pack, solved_transposed, c);
    fill(member, pack, out, of_b);
    solve_right<Alg>(member, factors, out);
    keep(member, pack, solved_right, out);
    fill(member, pack, out, of_b);
    solve_right_transposed<Alg>(member, factors, out);
    keep(member, pack, solved_right_transposed, out);
  }
};

/// The largest difference between what an algebra computes and the equations that it solves, in units of rounding.
template <class Algebra, class Space, class Real>
double largest_error(int n, int columns) {
  using Body = Compute<Algebra, Space, Real>;
  constexpr int nproblem = 13;
  Space const space;
  int lanes = 1;
  int problems = 1;
  if constexpr (requires { Algebra::lanes(n); }) {
    lanes = Algebra::lanes(n);
    problems = Algebra::Machine::lanes / lanes;
  }
  int const packs = (nproblem + Algebra::width - 1) / Algebra::width;
  int const league = (packs + problems - 1) / problems;
  Array<typename Algebra::Value**, Space> const memory("parhelion::Testing::memory", league * problems,
                                                       Body::entries(n, columns));
  Array<double****, Space> const results("parhelion::Testing::results", nproblem, nresult, n, std::max(n, columns));
  Kokkos::parallel_for("parhelion::Testing::matrices",
                       Algebra::template policy<scratch_for_radiances>(space, league, problems * lanes),
                       Body{n, columns, nproblem, lanes, problems, memory, results});
  auto const host = parhelion::host_copy(results);
  double largest = 0;
  for (int p = 0; p < nproblem; ++p) {
    auto const rounded = [](double value) { return static_cast<double>(static_cast<Real>(value)); };
    auto const a = [&](int i, int j) { return rounded(entry_of_a(p, n, i, j)); };
    auto const b = [&](int i, int j) { return rounded(entry(p, 1, i, j)); };
    auto const of = [&](Result which) { return [&host, p, which](int i, int j) { return host(p, which, i, j); }; };
    // left right, of which rows by columns are compared with what is expected
    auto const compare = [&](auto const& left, auto const& right, int width, auto const& expected) {
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < width; ++j) {
          double total = -expected(i, j);
          for (int k = 0; k < n; ++k) total += left(i, k) * right(k, j);
          largest = std::max(largest, std::isfinite(total) ? std::abs(total) : 1e300);
        }
    };
    auto const transpose = [](auto const& m) { return [&m](int i, int j) { return m(j, i); }; };
    compare(a, b, columns, of(product));
    compare(b, b, columns, [&](int i, int j) { return (host(p, sum, i, j) - 3 * host(p, product, i, j)) / -2; });
    compare(transpose(a), transpose(b), n, of(of_transposes));
    compare(a, of(solved), columns, b);
    compare(transpose(a), of(solved_transposed), columns, b);
    compare(of(solved_right), a, n, b);
    compare(of(solved_right_transposed), transpose(a), n, b);
  }
  return largest / static_cast<double>(std::numeric_limits<Real>::epsilon());
}

template <class Pair>
struct SmallMatrices : testing::Test {};
TYPED_TEST_SUITE(SmallMatrices, SpacesAndReals, PairName);

/// Sums of n products of numbers below 1, and solutions of well-conditioned systems.
double bound(int n) { return 4 * n + 12; }

TYPED_TEST(SmallMatrices, AreThoseOfTheEquationsAtEveryOrder) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (int n = 1; n <= 34; ++n)
    for (int const columns : {1, n, n + 1, 2 * n + 1}) {
      std::string const what = "order " + std::to_string(n) + ", " + std::to_string(columns) + " columns";
      EXPECT_LT((largest_error<Algebra<Space, Real>, Space, Real>(n, columns)), bound(n)) << what;
    }
}

// What devices compute with, on hosts, where a thread has all columns.
TYPED_TEST(SmallMatrices, OfLanesAreThoseOfTheEquationsOnHosts) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  if constexpr (!runs_on_host<Space>) {
    GTEST_SKIP() << "the same as at every order";
  } else {
    for (int n = 1; n <= 34; ++n)
      for (int const columns : {1, n, 2 * n + 1})
        EXPECT_LT((largest_error<LaneAlgebra<Space, Real>, Space, Real>(n, columns)), bound(n))
            << "order " << n << ", " << columns << " columns";
  }
}

}  // namespace
}  // namespace parhelion::adding::Impl
