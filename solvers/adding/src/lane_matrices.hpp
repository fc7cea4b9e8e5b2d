// SPDX-License-Identifier: BSD-3-Clause
// Small matrices on a device: some threads of a warp have one together, each of them some of its columns.
#ifndef PARHELION_ADDING_LANE_MATRICES_HPP
#define PARHELION_ADDING_LANE_MATRICES_HPP

#include <parhelion/core/impl/fast_scratch.hpp>
#include <parhelion/core/machine.hpp>
#include <parhelion/core/types.hpp>

#include <type_traits>

namespace parhelion::adding::Impl {

/// A matrix in memory, of any strides. Its indices are of 32 bits: those of Views are of 64, which devices compute in
/// two halves.
template <class Scalar>
class LaneMatrix {
 public:
  KOKKOS_DEFAULTED_FUNCTION LaneMatrix() = default;
  KOKKOS_INLINE_FUNCTION LaneMatrix(Scalar* first, int rows, int columns)
      : LaneMatrix(first, rows, columns, columns, 1) {}
  KOKKOS_INLINE_FUNCTION LaneMatrix(Scalar* first, int rows, int columns, int row_stride, int column_stride)
      : m_first(first), m_rows(rows), m_columns(columns), m_row_stride(row_stride), m_column_stride(column_stride) {}

  KOKKOS_INLINE_FUNCTION Scalar& operator()(int row, int column) const {
    return m_first[row * m_row_stride + column * m_column_stride];
  }
  KOKKOS_INLINE_FUNCTION Scalar* data() const { return m_first; }
  KOKKOS_INLINE_FUNCTION int extent(int dimension) const { return dimension == 0 ? m_rows : m_columns; }

  KOKKOS_INLINE_FUNCTION LaneMatrix transposed() const {
    return {m_first, m_columns, m_rows, m_column_stride, m_row_stride};
  }
  KOKKOS_INLINE_FUNCTION int row_stride() const { return m_row_stride; }
  KOKKOS_INLINE_FUNCTION int column_stride() const { return m_column_stride; }

  /// The same matrix, which has to be in fast scratch memory; then compilers know that it is.
  KOKKOS_INLINE_FUNCTION LaneMatrix in_fast_scratch() const {
    return {parhelion::Impl::in_fast_scratch(m_first), m_rows, m_columns, m_row_stride, m_column_stride};
  }
  KOKKOS_INLINE_FUNCTION LaneMatrix columns(int first, int count) const {
    return {m_first + first * m_column_stride, m_rows, count, m_row_stride, m_column_stride};
  }

 private:
  Scalar* m_first = nullptr;
  int m_rows = 0;
  int m_columns = 0;
  int m_row_stride = 0;
  int m_column_stride = 0;
};

/// Entries between rows of a matrix in scratch memory: an odd number, so that neither those of a row nor those of a
/// column lie in the same bank.
KOKKOS_INLINE_FUNCTION constexpr int row_stride(int columns) { return columns == 1 ? 1 : columns | 1; }

/// A square matrix in scratch memory of an order that the compiler knows, or its transpose.
template <class Scalar, int order, bool is_transposed>
struct FixedMatrix {
  Scalar* first;
  KOKKOS_INLINE_FUNCTION Scalar& operator()(int row, int column) const {
    return is_transposed ? first[column * row_stride(order) + row] : first[row * row_stride(order) + column];
  }
};

/// \brief Some threads of a team that compute one problem: they have a matrix together, and a thread columns of it.
///
/// All threads of a team do the same at a time. Where this is not for a problem, its threads are idle.
template <class TeamMember>
struct LaneMember {
  TeamMember const& team;
  int lanes;     ///< threads of a problem
  bool is_busy;  ///< whether the threads of this problem act

  KOKKOS_INLINE_FUNCTION int lane() const { return team.team_rank() % lanes; }
  /// The number of the problem among those of the team.
  KOKKOS_INLINE_FUNCTION int number() const { return team.team_rank() / lanes; }
};

/// \brief Matrix operations of a team that is a warp and computes several problems at a time.
///
/// A problem has as many threads as a matrix has columns, rounded up to a power of two. A thread computes columns of a
/// result in blocks of rows that it holds in registers; all threads of a problem read the same entry of the other
/// matrix at a time. Kokkos Kernels shares the entries of a matrix between the threads of a team: two entries are read
/// for each product, an index is divided for each entry, and most threads wait for triangular solves.
///
/// Every operation ends when all threads of the team have, so that the problems of a warp advance together.
template <KokkosExecutionSpace ExecutionSpace, Floating Scalar>
struct LaneAlgebra {
  static constexpr int width = 1;

  using Machine = MachineTraits<ExecutionSpace>;
  /// A team is a warp: threads of several would wait for each other, and take their scratch memory in larger pieces.
  static constexpr int max_threads = Machine::lanes;
  /// The policy of a kernel whose teams have at most so much scratch memory [bytes]: as many as have room run at a
  /// time, and share the registers.
  template <int team_scratch>
  static auto policy(ExecutionSpace const& space, int league, int team) {
    constexpr int teams = Machine::scratch_bytes > team_scratch ? Machine::scratch_bytes / team_scratch : 1;
    return Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<max_threads, teams>>(space, league, team);
  }
  using TeamMember = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Member = LaneMember<TeamMember>;
  using Value = Scalar;
  using Matrix = LaneMatrix<Scalar>;
  struct Plain {
    KOKKOS_INLINE_FUNCTION static Matrix of(Matrix const& a) { return a; }
  };
  struct Transposed {
    KOKKOS_INLINE_FUNCTION static Matrix of(Matrix const& a) { return a.transposed(); }
  };

  /// Threads that have a matrix of this order.
  static int lanes(int order) {
    int count = 1;
    while (count < order && count < Machine::lanes) count *= 2;
    return count;
  }

  /// Entries that a matrix takes of the scratch memory of a problem.
  KOKKOS_INLINE_FUNCTION static int entries(int rows, int columns) { return rows * Impl::row_stride(columns); }

  /// A matrix in the scratch memory of a problem.
  KOKKOS_INLINE_FUNCTION static Matrix in_team_memory(Value* first, int rows, int columns) {
    return Matrix(first, rows, columns, Impl::row_stride(columns), 1);
  }

  /// The member where only problems act for which `condition` holds.
  KOKKOS_INLINE_FUNCTION static Member only(Member const& member, bool condition) {
    return {member.team, member.lanes, member.is_busy && condition};
  }

  /// The largest value of all problems of the team.
  KOKKOS_INLINE_FUNCTION static int largest(Member const& member, int value) {
    int found = value;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member.team, member.team.team_size()),
        [&](int, int& most) { most = Kokkos::max(most, value); }, Kokkos::Max<int>(found));
    return found;
  }

  /// The entry of the only problem of a value.
  KOKKOS_INLINE_FUNCTION static Scalar& lane(Value& value, int /* l */) { return value; }
  KOKKOS_INLINE_FUNCTION static Scalar const& lane(Value const& value, int /* l */) { return value; }

  /// Calls action(index) for 0 <= index < count by the threads of each problem.
  template <class Action>
  KOKKOS_INLINE_FUNCTION static void for_each_entry(Member const& member, int count, Action const& action) {
    if (member.is_busy)
      for (int index = member.lane(); index < count; index += member.lanes) action(index);
    member.team.team_barrier();
  }

  /// Calls action(row, column) for the entries of a matrix, in a thread all of a column; of a single column the rows
  /// are shared.
  template <class Action>
  KOKKOS_INLINE_FUNCTION static void for_each_entry(Member const& member, int rows, int columns, Action const& action) {
    if (columns == 1)
      for_each_entry(member, rows, [&](int const i) { action(i, 0); });
    else
      for_each_entry(member, columns, [&](int const j) {
        for (int i = 0; i < rows; ++i) action(i, j);
      });
  }

  /// c = alpha op(a) op(b) + beta c
  template <class OpA = Plain, class OpB = Plain>
  KOKKOS_INLINE_FUNCTION static void multiply(Member const& member, Scalar alpha, Matrix const& a, Matrix const& b,
                                              Scalar beta, Matrix const& c) {
    if (member.is_busy) multiply_columns(member.lane(), member.lanes, alpha, OpA::of(a), OpB::of(b), beta, c);
    member.team.team_barrier();
  }

  /// \brief Replaces a by its factors: a = L U, where U has a diagonal of 1, and the reciprocals of that of L are kept.
  ///
  /// The columns of L stay as elimination finds them, so that the threads wait once for a pivot and not twice.
  KOKKOS_INLINE_FUNCTION static void factorize(Member const& member, Matrix const& a) {
    factorize_columns(member.team, member.lane(), member.lanes, member.is_busy, a);
  }

  /// b = a^-1 b
  KOKKOS_INLINE_FUNCTION static void solve(Member const& member, Matrix const& factors, Matrix const& b) {
    if (member.is_busy) solve_columns(member.lane(), member.lanes, false, factors, b);
    member.team.team_barrier();
  }

  /// b = (a^T)^-1 b
  KOKKOS_INLINE_FUNCTION static void solve_transposed(Member const& member, Matrix const& factors, Matrix const& b) {
    if (member.is_busy) solve_columns(member.lane(), member.lanes, true, factors.transposed(), b);
    member.team.team_barrier();
  }

  KOKKOS_INLINE_FUNCTION static Matrix transpose(Matrix const& a) { return a.transposed(); }

  /// Columns [first, first + count) of a matrix.
  KOKKOS_INLINE_FUNCTION static Matrix columns(Matrix const& a, int first, int count) {
    return a.columns(first, count);
  }

 private:
  /// Rows that a thread has in registers at a time, at an order that the compiler does not know.
  static constexpr int block = 4;

  /// A block of rows. What is past the last row repeats it, so that reading needs no condition.
  struct Rows {
    int index[block];
    bool is[block];
    KOKKOS_INLINE_FUNCTION Rows(int first, int count) {
      for (int r = 0; r < block; ++r) {
        is[r] = first + r < count;
        index[r] = is[r] ? first + r : count - 1;
      }
    }
  };

  KOKKOS_INLINE_FUNCTION static bool are_fast(Matrix const& a, Matrix const& b, Matrix const& c) {
    using parhelion::Impl::may_be_in_fast_scratch;
    return may_be_in_fast_scratch(a.data()) && may_be_in_fast_scratch(b.data()) && may_be_in_fast_scratch(c.data());
  }

  /// \brief Calls action(a as a FixedMatrix) where there is code for its order.
  ///
  /// There is for 4 and 8 angles, and one more with the sun's beam.
  ///
  /// \return whether it was called
  template <class Action>
  KOKKOS_INLINE_FUNCTION static bool with_fixed(Matrix const& a, Action const& action) {
    auto const call = [&]<int order>() {
      Scalar* const first = parhelion::Impl::in_fast_scratch(a.data());
      if (a.column_stride() == 1 && a.row_stride() == Impl::row_stride(order))
        action(std::integral_constant<int, order>(), FixedMatrix<Scalar, order, false>{first});
      else if (a.row_stride() == 1 && a.column_stride() == Impl::row_stride(order))
        action(std::integral_constant<int, order>(), FixedMatrix<Scalar, order, true>{first});
      else
        return false;
      return true;
    };
    if (a.extent(0) != a.extent(1)) return false;
    switch (a.extent(0)) {
      case 4:
        return call.template operator()<4>();
      case 5:
        return call.template operator()<5>();
      case 8:
        return call.template operator()<8>();
      case 9:
        return call.template operator()<9>();
      default:
        return false;
    }
  }

  /// The columns of a thread, of c = alpha a b + beta c.
  PARHELION_IMPL_CALLED_FUNCTION static void multiply_columns(int lane, int lanes, Scalar alpha, Matrix a, Matrix b,
                                                              Scalar beta, Matrix c) {
    int const rows = c.extent(0);
    int const n = a.extent(1);
    if (c.extent(1) == 1) {
      for (int i = lane; i < rows; i += lanes) {
        Scalar sum = 0;
        for (int k = 0; k < n; ++k) sum += a(i, k) * b(k, 0);
        c(i, 0) = scaled_sum(alpha, sum, beta, c(i, 0));
      }
      return;
    }
    if (are_fast(a, b, c)) {
      Matrix const right = b.in_fast_scratch();
      Matrix const result = c.in_fast_scratch();
      if (with_fixed(a, [&]<int order, class Left>(std::integral_constant<int, order>, Left const& left) {
            for (int j = lane; j < result.extent(1); j += lanes) {
              Scalar sum[order] = {};
              for (int k = 0; k < order; ++k) {
                Scalar const factor = right(k, j);
                for (int i = 0; i < order; ++i) sum[i] += left(i, k) * factor;
              }
              for (int i = 0; i < order; ++i) result(i, j) = scaled_sum(alpha, sum[i], beta, result(i, j));
            }
          }))
        return;
    }
    for (int j = lane; j < c.extent(1); j += lanes)
      for (int first = 0; first < rows; first += block) {
        Rows const row(first, rows);
        Scalar sum[block] = {};
        for (int k = 0; k < n; ++k) {
          Scalar const factor = b(k, j);
          for (int r = 0; r < block; ++r) sum[r] += a(row.index[r], k) * factor;
        }
        for (int r = 0; r < block; ++r)
          if (row.is[r]) c(row.index[r], j) = scaled_sum(alpha, sum[r], beta, c(row.index[r], j));
      }
  }

  /// alpha sum + beta old, where nothing of the old value is left if beta is 0.
  KOKKOS_INLINE_FUNCTION static Scalar scaled_sum(Scalar alpha, Scalar sum, Scalar beta, Scalar old) {
    return beta == 0 ? alpha * sum : alpha * sum + beta * old;
  }

  /// Columns become factors by those before them. All threads of the team call this.
  PARHELION_IMPL_CALLED_FUNCTION static void factorize_columns(TeamMember const& team, int lane, int lanes,
                                                               bool is_busy, Matrix a) {
    int const n = a.extent(0);
    if (n <= lanes && are_fast(a, a, a) &&
        with_fixed(a, [&]<int order, class Fixed>(std::integral_constant<int, order>, Fixed const& m) {
          // A thread has its column in registers, and stores what others need of it when it is complete.
          bool const acts = is_busy && lane < order;
          int const j = acts ? lane : 0;
          Scalar column[order];
          Scalar reciprocal = 0;
          for (int i = 0; i < order; ++i) column[i] = m(i, j);
          team.team_barrier();
          for (int k = 0; k < order; ++k) {
            if (acts && j == k)
              for (int i = k; i < order; ++i) m(i, k) = column[i];
            team.team_barrier();
            Scalar const of_pivot = 1 / m(k, k);
            if (j == k) reciprocal = of_pivot;
            if (j <= k) continue;
            column[k] *= of_pivot;
            for (int i = k + 1; i < order; ++i) column[i] -= m(i, k) * column[k];
          }
          team.team_barrier();
          if (!acts) return;
          for (int i = 0; i < order; ++i)
            if (i < j) m(i, j) = column[i];
          m(j, j) = reciprocal;
        })) {
      team.team_barrier();
      return;
    }
    for (int k = 0; k + 1 < n; ++k) {
      for (int j = lane; is_busy && j < n; j += lanes) {
        if (j <= k) continue;
        Scalar const factor = a(k, j) * (1 / a(k, k));
        a(k, j) = factor;
        for (int first = k + 1; first < n; first += block) {
          Rows const row(first, n);
          Scalar entry[block];
          for (int r = 0; r < block; ++r) entry[r] = a(row.index[r], j) - a(row.index[r], k) * factor;
          for (int r = 0; r < block; ++r)
            if (row.is[r]) a(row.index[r], j) = entry[r];
        }
      }
      team.team_barrier();
    }
    for (int k = lane; is_busy && k < n; k += lanes) a(k, k) = 1 / a(k, k);
    team.team_barrier();
  }

  /// The columns of a thread, of a solution: with the lower triangle, then with the upper one.
  /// \param is_transposed whether the factors are, so that the diagonal belongs to the upper triangle
  PARHELION_IMPL_CALLED_FUNCTION static void solve_columns(int lane, int lanes, bool is_transposed, Matrix factors,
                                                           Matrix b) {
    if (are_fast(factors, b, b)) {
      Matrix const of_b = b.in_fast_scratch();
      if (with_fixed(factors, [&]<int order, class Fixed>(std::integral_constant<int, order>, Fixed const& t) {
            for (int j = lane; j < of_b.extent(1); j += lanes) {
              Scalar x[order];
              for (int i = 0; i < order; ++i) x[i] = of_b(i, j);
              for (int k = 0; k < order; ++k) {
                if (!is_transposed) x[k] *= t(k, k);
                for (int i = k + 1; i < order; ++i) x[i] -= t(i, k) * x[k];
              }
              for (int k = order - 1; k >= 0; --k) {
                if (is_transposed) x[k] *= t(k, k);
                for (int i = 0; i < k; ++i) x[i] -= t(i, k) * x[k];
              }
              for (int i = 0; i < order; ++i) of_b(i, j) = x[i];
            }
          }))
        return;
    }
    for (int j = lane; j < b.extent(1); j += lanes) {
      eliminate_downward(factors, !is_transposed, b, j);
      eliminate_upward(factors, is_transposed, b, j);
    }
  }

  /// Column j of b = t^-1 b, where t is a lower triangle with the diagonal whose reciprocals it has, or with one of 1.
  KOKKOS_INLINE_FUNCTION static void eliminate_downward(Matrix const& t, bool with_diagonal, Matrix const& b, int j) {
    int const n = t.extent(0);
    for (int first = 0; first < n; first += block) {
      Rows const row(first, n);
      Scalar x[block];
      for (int r = 0; r < block; ++r) x[r] = b(row.index[r], j);
      for (int k = 0; k < first; ++k) {
        Scalar const known = b(k, j);
        for (int r = 0; r < block; ++r) x[r] -= t(row.index[r], k) * known;
      }
      for (int r = 0; r < block; ++r) {
        for (int q = 0; q < r; ++q) x[r] -= t(row.index[r], row.index[q]) * x[q];
        if (with_diagonal) x[r] *= t(row.index[r], row.index[r]);
      }
      for (int r = 0; r < block; ++r)
        if (row.is[r]) b(row.index[r], j) = x[r];
    }
  }

  /// The same for an upper triangle.
  KOKKOS_INLINE_FUNCTION static void eliminate_upward(Matrix const& t, bool with_diagonal, Matrix const& b, int j) {
    int const n = t.extent(0);
    for (int first = (n - 1) / block * block; first >= 0; first -= block) {
      Rows const row(first, n);
      Scalar x[block];
      for (int r = 0; r < block; ++r) x[r] = row.is[r] ? b(row.index[r], j) : Scalar(0);
      for (int k = first + block; k < n; ++k) {
        Scalar const known = b(k, j);
        for (int r = 0; r < block; ++r) x[r] -= t(row.index[r], k) * known;
      }
      for (int r = block - 1; r >= 0; --r) {
        for (int q = r + 1; q < block; ++q)
          if (row.is[q]) x[r] -= t(row.index[r], row.index[q]) * x[q];
        if (with_diagonal) x[r] *= t(row.index[r], row.index[r]);
      }
      for (int r = 0; r < block; ++r)
        if (row.is[r]) b(row.index[r], j) = x[r];
    }
  }
};

}  // namespace parhelion::adding::Impl

#endif
