// SPDX-License-Identifier: BSD-3-Clause
// Dense linear algebra with the small matrices of discrete angles, by the batched routines of Kokkos Kernels.
#ifndef PARHELION_ADDING_SMALL_MATRICES_HPP
#define PARHELION_ADDING_SMALL_MATRICES_HPP

#include <parhelion/core/machine.hpp>
#include <parhelion/core/types.hpp>

#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBatched_Gemm_Team_Impl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_LU_Team_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsm_Serial_Impl.hpp>
#include <KokkosBatched_Vector.hpp>

#include <type_traits>

namespace parhelion::adding::Impl {

/// \brief Matrix operations of a team.
///
/// On a device a team has one matrix and its threads share the entries. On a host each team is one thread with eight
/// matrices of eight problems (packed): an entry is a vector register, and code for one matrix applies to all eight.
/// There is no pivoting: factorized matrices are 1 + (a matrix whose eigenvalues are within the unit circle or have
/// positive real parts), for which elimination in the given order is stable.
template <KokkosExecutionSpace ExecutionSpace, Floating Scalar>
struct Algebra {
  static constexpr bool packed = runs_on_host<ExecutionSpace>;
  static constexpr int width = packed ? 8 : 1;

  using Machine = MachineTraits<ExecutionSpace>;
  /// Threads of the largest team. Launch bounds leave room for many teams on a multiprocessor, to hide latency: on an
  /// H200 for eight, half of the threads that it can hold.
  static constexpr int max_threads = 4 * Machine::lanes;
  static constexpr int teams = teams_per_multiprocessor<Machine>(max_threads, 64);
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<max_threads, teams>>;
  using Member = typename Policy::member_type;
  using Value = std::conditional_t<packed, KokkosBatched::Vector<KokkosBatched::SIMD<Scalar>, 8>, Scalar>;
  using Matrix =
      Kokkos::View<Value**, Kokkos::LayoutRight, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using StridedMatrix =
      Kokkos::View<Value**, Kokkos::LayoutStride, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Plain = KokkosBatched::Trans::NoTranspose;
  using Transposed = KokkosBatched::Trans::Transpose;

  /// The number of threads of a team for matrices of this order.
  static int team_size(int order) {
    if constexpr (packed) return 1;
    return order <= 10 ? Machine::lanes : order <= 20 ? 2 * Machine::lanes : max_threads;
  }

  /// The entry of one of the packed problems.
  KOKKOS_INLINE_FUNCTION static Scalar& lane(Value& value, [[maybe_unused]] int l) {
    if constexpr (packed)
      return value[l];
    else
      return value;
  }
  KOKKOS_INLINE_FUNCTION static Scalar const& lane(Value const& value, [[maybe_unused]] int l) {
    if constexpr (packed)
      return value[l];
    else
      return value;
  }

  /// Calls action(index) for 0 <= index < count by the threads of the team, and waits for all of them.
  template <class Action>
  KOKKOS_INLINE_FUNCTION static void for_each_entry(Member const& member, int count, Action const& action) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), action);
    member.team_barrier();
  }

  /// Calls action(row, column) for the entries of a matrix.
  template <class Action>
  KOKKOS_INLINE_FUNCTION static void for_each_entry(Member const& member, int rows, int columns, Action const& action) {
    for_each_entry(member, rows * columns, [&](int const index) { action(index / columns, index % columns); });
  }

  /// c = alpha op(a) op(b) + beta c
  template <class OpA = Plain, class OpB = Plain, class A, class B, class C>
  KOKKOS_INLINE_FUNCTION static void multiply(Member const& member, Scalar alpha, A const& a, B const& b, Scalar beta,
                                              C const& c) {
    if constexpr (packed) {
      KokkosBatched::SerialGemm<OpA, OpB, KokkosBatched::Algo::Gemm::Blocked>::invoke(alpha, a, b, beta, c);
    } else {
      KokkosBatched::TeamGemm<Member, OpA, OpB, KokkosBatched::Algo::Gemm::Unblocked>::invoke(member, alpha, a, b, beta,
                                                                                              c);
      member.team_barrier();
    }
  }

  /// Replaces a by its factors L and U.
  KOKKOS_INLINE_FUNCTION static void factorize(Member const& member, Matrix const& a) {
    if constexpr (packed) {
      KokkosBatched::SerialLU<KokkosBatched::Algo::LU::Unblocked>::invoke(a);
    } else {
      KokkosBatched::TeamLU<Member, KokkosBatched::Algo::LU::Unblocked>::invoke(member, a);
      member.team_barrier();
    }
  }

  /// b = a^-1 b
  template <class B>
  KOKKOS_INLINE_FUNCTION static void solve(Member const& member, Matrix const& factors, B const& b) {
    using namespace KokkosBatched;
    triangle<Uplo::Lower, Plain, Diag::Unit>(member, factors, b);
    triangle<Uplo::Upper, Plain, Diag::NonUnit>(member, factors, b);
  }

  /// b = (a^T)^-1 b
  template <class B>
  KOKKOS_INLINE_FUNCTION static void solve_transposed(Member const& member, Matrix const& factors, B const& b) {
    using namespace KokkosBatched;
    triangle<Uplo::Upper, Transposed, Diag::NonUnit>(member, factors, b);
    triangle<Uplo::Lower, Transposed, Diag::Unit>(member, factors, b);
  }

  /// b = b a^-1
  KOKKOS_INLINE_FUNCTION static void solve_right(Member const& member, Matrix const& factors, Matrix const& b) {
    solve_transposed(member, factors, transpose(b));
  }

  /// b = b (a^T)^-1
  KOKKOS_INLINE_FUNCTION static void solve_right_transposed(Member const& member, Matrix const& factors,
                                                            Matrix const& b) {
    solve(member, factors, transpose(b));
  }

  KOKKOS_INLINE_FUNCTION static StridedMatrix transpose(Matrix const& a) {
    return StridedMatrix(a.data(), Kokkos::LayoutStride(a.extent(1), 1, a.extent(0), a.extent(1)));
  }

  /// Columns [first, first + count) of a matrix.
  KOKKOS_INLINE_FUNCTION static StridedMatrix columns(Matrix const& a, int first, int count) {
    return StridedMatrix(a.data() + first, Kokkos::LayoutStride(a.extent(0), a.extent(1), count, 1));
  }

 private:
  /// The columns of b are independent. On a device each thread solves for one column: the team variant, in which the
  /// threads share each step of the elimination, has two barriers in each step.
  template <class Triangle, class Op, class Diagonal, class B>
  KOKKOS_INLINE_FUNCTION static void triangle(Member const& member, Matrix const& a, B const& b) {
    using namespace KokkosBatched;
    using Solve = SerialTrsm<Side::Left, Triangle, Op, Diagonal, Algo::Trsm::Unblocked>;
    if constexpr (packed) {
      Solve::invoke(Scalar(1), a, b);
    } else {
      for_each_entry(member, static_cast<int>(b.extent(1)), [&](int const j) {
        StridedMatrix const column(b.data() + j * b.stride(1),
                                   Kokkos::LayoutStride(b.extent(0), b.stride(0), 1, b.stride(1)));
        Solve::invoke(Scalar(1), a, column);
      });
    }
  }
};

/// Takes matrices one after another from a block of memory.
template <class Algebra>
class ScratchArena {
 public:
  using Value = typename Algebra::Value;
  using Matrix = typename Algebra::Matrix;

  KOKKOS_INLINE_FUNCTION explicit ScratchArena(Value* next) : m_next(next) {}

  KOKKOS_INLINE_FUNCTION Matrix take(int rows, int columns) {
    Matrix const matrix(m_next, rows, columns);
    m_next += rows * columns;
    return matrix;
  }
  KOKKOS_INLINE_FUNCTION Value* take(int count) {
    Value* const values = m_next;
    m_next += count;
    return values;
  }

 private:
  Value* m_next;
};

}  // namespace parhelion::adding::Impl

#endif
