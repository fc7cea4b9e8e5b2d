// SPDX-License-Identifier: BSD-3-Clause
// Small matrices on a host: each thread has eight of them, one in each lane of its vector registers.
#ifndef PARHELION_ADDING_PACKED_MATRICES_HPP
#define PARHELION_ADDING_PACKED_MATRICES_HPP

#include <parhelion/core/types.hpp>

#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsm_Serial_Impl.hpp>
#include <KokkosBatched_Vector.hpp>

namespace parhelion::adding::Impl {

/// \brief Matrix operations of a thread for eight problems at a time, by the batched routines of Kokkos Kernels.
///
/// An entry is a vector register with that of each problem, and code for one matrix applies to all eight.
template <KokkosExecutionSpace ExecutionSpace, Floating Scalar>
struct PackedAlgebra {
  static constexpr int width = 8;

  /// The policy of a kernel. Hosts have no limit of scratch memory.
  template <int team_scratch>
  static auto policy(ExecutionSpace const& space, int league, int team) {
    return Kokkos::TeamPolicy<ExecutionSpace>(space, league, team);
  }
  using TeamMember = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Member = TeamMember;
  using Value = KokkosBatched::Vector<KokkosBatched::SIMD<Scalar>, width>;
  using Matrix =
      Kokkos::View<Value**, Kokkos::LayoutRight, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using StridedMatrix =
      Kokkos::View<Value**, Kokkos::LayoutStride, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Plain = KokkosBatched::Trans::NoTranspose;
  using Transposed = KokkosBatched::Trans::Transpose;

  /// Entries that a matrix takes of the memory of a team.
  KOKKOS_INLINE_FUNCTION static int entries(int rows, int columns) { return rows * columns; }

  /// A matrix in the memory of a team.
  KOKKOS_INLINE_FUNCTION static Matrix in_team_memory(Value* first, int rows, int columns) {
    return Matrix(first, rows, columns);
  }

  /// The member: lanes of a value for which `condition` does not hold are chosen afterwards.
  KOKKOS_INLINE_FUNCTION static Member const& only(Member const& member, bool /* condition */) { return member; }

  /// The largest value of all problems of the team, which are in the lanes of values.
  KOKKOS_INLINE_FUNCTION static int largest(Member const& /* member */, int value) { return value; }

  /// The entry of one of the packed problems.
  KOKKOS_INLINE_FUNCTION static Scalar& lane(Value& value, int l) { return value[l]; }
  KOKKOS_INLINE_FUNCTION static Scalar const& lane(Value const& value, int l) { return value[l]; }

  /// Calls action(index) for 0 <= index < count.
  template <class Action>
  KOKKOS_INLINE_FUNCTION static void for_each_entry(Member const& /* member */, int count, Action const& action) {
    for (int index = 0; index < count; ++index) action(index);
  }

  /// Calls action(row, column) for the entries of a matrix.
  template <class Action>
  KOKKOS_INLINE_FUNCTION static void for_each_entry(Member const& /* member */, int rows, int columns,
                                                    Action const& action) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) action(i, j);
  }

  /// c = alpha op(a) op(b) + beta c
  template <class OpA = Plain, class OpB = Plain, class A, class B, class C>
  KOKKOS_INLINE_FUNCTION static void multiply(Member const& /* member */, Scalar alpha, A const& a, B const& b,
                                              Scalar beta, C const& c) {
    KokkosBatched::SerialGemm<OpA, OpB, KokkosBatched::Algo::Gemm::Blocked>::invoke(alpha, a, b, beta, c);
  }

  /// Replaces a by its factors.
  KOKKOS_INLINE_FUNCTION static void factorize(Member const& /* member */, Matrix const& a) {
    KokkosBatched::SerialLU<KokkosBatched::Algo::LU::Unblocked>::invoke(a);
  }

  /// b = a^-1 b
  template <class B>
  KOKKOS_INLINE_FUNCTION static void solve(Member const& /* member */, Matrix const& factors, B const& b) {
    using namespace KokkosBatched;
    triangle<Uplo::Lower, Plain, Diag::Unit>(factors, b);
    triangle<Uplo::Upper, Plain, Diag::NonUnit>(factors, b);
  }

  /// b = (a^T)^-1 b
  template <class B>
  KOKKOS_INLINE_FUNCTION static void solve_transposed(Member const& /* member */, Matrix const& factors, B const& b) {
    using namespace KokkosBatched;
    triangle<Uplo::Upper, Transposed, Diag::NonUnit>(factors, b);
    triangle<Uplo::Lower, Transposed, Diag::Unit>(factors, b);
  }

  KOKKOS_INLINE_FUNCTION static StridedMatrix transpose(Matrix const& a) {
    return StridedMatrix(a.data(), Kokkos::LayoutStride(a.extent(1), 1, a.extent(0), a.extent(1)));
  }

  /// Columns [first, first + count) of a matrix.
  KOKKOS_INLINE_FUNCTION static StridedMatrix columns(Matrix const& a, int first, int count) {
    return StridedMatrix(a.data() + first, Kokkos::LayoutStride(a.extent(0), a.extent(1), count, 1));
  }

 private:
  template <class Triangle, class Op, class Diagonal, class B>
  KOKKOS_INLINE_FUNCTION static void triangle(Matrix const& a, B const& b) {
    using namespace KokkosBatched;
    SerialTrsm<Side::Left, Triangle, Op, Diagonal, Algo::Trsm::Unblocked>::invoke(Scalar(1), a, b);
  }
};

}  // namespace parhelion::adding::Impl

#endif
