// SPDX-License-Identifier: BSD-3-Clause
// Dense linear algebra with the small matrices of discrete angles.
#ifndef PARHELION_ADDING_SMALL_MATRICES_HPP
#define PARHELION_ADDING_SMALL_MATRICES_HPP

#include <parhelion/core/types.hpp>

#include "lane_matrices.hpp"
#include "packed_matrices.hpp"

#include <type_traits>

namespace parhelion::adding::Impl {

/// \brief The matrix operations of an execution space: PackedAlgebra on hosts, LaneAlgebra on devices.
///
/// There is no pivoting: factorized matrices are 1 + (a matrix whose eigenvalues are within the unit circle or have
/// positive real parts), for which elimination in the given order is stable. What the factors are is their own matter.
template <KokkosExecutionSpace ExecutionSpace, Floating Scalar>
using Algebra = std::conditional_t<runs_on_host<ExecutionSpace>, PackedAlgebra<ExecutionSpace, Scalar>,
                                   LaneAlgebra<ExecutionSpace, Scalar>>;

/// b = b a^-1
template <class Alg>
KOKKOS_INLINE_FUNCTION void solve_right(typename Alg::Member const& member, typename Alg::Matrix const& factors,
                                        typename Alg::Matrix const& b) {
  Alg::solve_transposed(member, factors, Alg::transpose(b));
}

/// b = b (a^T)^-1
template <class Alg>
KOKKOS_INLINE_FUNCTION void solve_right_transposed(typename Alg::Member const& member,
                                                   typename Alg::Matrix const& factors, typename Alg::Matrix const& b) {
  Alg::solve(member, factors, Alg::transpose(b));
}

/// Takes matrices one after another from the memory of a team.
template <class Alg>
class ScratchArena {
 public:
  using Value = typename Alg::Value;
  using Matrix = typename Alg::Matrix;

  KOKKOS_INLINE_FUNCTION explicit ScratchArena(Value* next) : m_next(next) {}

  KOKKOS_INLINE_FUNCTION Matrix take(int rows, int columns) {
    Matrix const matrix = Alg::in_team_memory(m_next, rows, columns);
    m_next += Alg::entries(rows, columns);
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
