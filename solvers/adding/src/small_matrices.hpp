// SPDX-License-Identifier: BSD-3-Clause
// Dense algebra on the small matrices of discrete angles, by Kokkos Kernels' batched routines.
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

/// \brief How a team works on matrices.
///
/// On a device a team shares one matrix and its threads the entries. On a host a thread works alone, on eight matrices
/// of eight problems at a time: an entry is a vector register, and what is written for one matrix holds for all eight.
/// Nothing here pivots: what is factorised is 1 + (a matrix whose eigenvalues lie within the unit circle or at the
/// right of zero), so that elimination in the given order is stable.
template <KokkosExecutionSpace ExecutionSpace, Floating Scalar>
struct Algebra {
  static constexpr bool alone = runs_on_host<ExecutionSpace>;
  static constexpr int width = alone ? 8 : 1;

  using Machine = MachineTraits<ExecutionSpace>;
  /// Threads of the largest team. Each has few registers, so that many teams run at a time and hide the latency of
  /// memory: on an H200 eight teams, half of the threads that a multiprocessor can hold.
  static constexpr int most_threads = 4 * Machine::lanes;
  static constexpr int teams = teams_per_multiprocessor<Machine>(most_threads, 64);
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<most_threads, teams>>;
  using Member = typename Policy::member_type;
  using Value = std::conditional_t<alone, KokkosBatched::Vector<KokkosBatched::SIMD<Scalar>, 8>, Scalar>;
  using Matrix =
      Kokkos::View<Value**, Kokkos::LayoutRight, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using StridedMatrix =
      Kokkos::View<Value**, Kokkos::LayoutStride, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Plain = KokkosBatched::Trans::NoTranspose;
  using Transposed = KokkosBatched::Trans::Transpose;

  /// The threads of a team for matrices of this order.
  static int team_size(int order) {
    if constexpr (alone) return 1;
    return order <= 10 ? Machine::lanes : order <= 20 ? 2 * Machine::lanes : most_threads;
  }

  /// One problem of a value.
  KOKKOS_INLINE_FUNCTION static Scalar& lane(Value& value, [[maybe_unused]] int l) {
    if constexpr (alone)
      return value[l];
    else
      return value;
  }
  KOKKOS_INLINE_FUNCTION static Scalar const& lane(Value const& value, [[maybe_unused]] int l) {
    if constexpr (alone)
      return value[l];
    else
      return value;
  }

  /// Calls action(index) for 0 <= index < count, by the threads of the team; all of it is done on return.
  template <class Action>
  KOKKOS_INLINE_FUNCTION static void each(Member const& member, int count, Action const& action) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), action);
    member.team_barrier();
  }

  /// Calls action(row, column) for the entries of a matrix.
  template <class Action>
  KOKKOS_INLINE_FUNCTION static void each(Member const& member, int rows, int columns, Action const& action) {
    each(member, rows * columns, [&](int const index) { action(index / columns, index % columns); });
  }

  /// c = alpha op(a) op(b) + beta c
  template <class OpA = Plain, class OpB = Plain, class A, class B, class C>
  KOKKOS_INLINE_FUNCTION static void multiply(Member const& member, Scalar alpha, A const& a, B const& b, Scalar beta,
                                              C const& c) {
    if constexpr (alone) {
      KokkosBatched::SerialGemm<OpA, OpB, KokkosBatched::Algo::Gemm::Blocked>::invoke(alpha, a, b, beta, c);
    } else {
      KokkosBatched::TeamGemm<Member, OpA, OpB, KokkosBatched::Algo::Gemm::Unblocked>::invoke(member, alpha, a, b, beta,
                                                                                              c);
      member.team_barrier();
    }
  }

  /// Replaces a by its factors L and U.
  KOKKOS_INLINE_FUNCTION static void factorize(Member const& member, Matrix const& a) {
    if constexpr (alone) {
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
  /// The columns of b are solved for by themselves. On a device a thread takes one: the team variant, in which the
  /// threads share each step of the elimination, waits at two barriers a step, of which there are few.
  template <class Triangle, class Op, class Diagonal, class B>
  KOKKOS_INLINE_FUNCTION static void triangle(Member const& member, Matrix const& a, B const& b) {
    using namespace KokkosBatched;
    using Solve = SerialTrsm<Side::Left, Triangle, Op, Diagonal, Algo::Trsm::Unblocked>;
    if constexpr (alone) {
      Solve::invoke(Scalar(1), a, b);
    } else {
      each(member, static_cast<int>(b.extent(1)), [&](int const j) {
        StridedMatrix const column(b.data() + j * b.stride(1),
                                   Kokkos::LayoutStride(b.extent(0), b.stride(0), 1, b.stride(1)));
        Solve::invoke(Scalar(1), a, column);
      });
    }
  }
};

/// Hands out matrices one after the other from a piece of memory.
template <class Algebra>
class Shelf {
 public:
  using Value = typename Algebra::Value;
  using Matrix = typename Algebra::Matrix;

  KOKKOS_INLINE_FUNCTION explicit Shelf(Value* next) : m_next(next) {}

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
