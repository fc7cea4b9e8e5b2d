// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a problem, in host memory or on a device, and the few numbers of them that tables and grids depend on.
#ifndef PARHELION_MONTE_CARLO_PROBLEM_ARRAYS_HPP
#define PARHELION_MONTE_CARLO_PROBLEM_ARRAYS_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/device_copies.hpp>
#include <parhelion/core/device_extremes.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <array>
#include <cstddef>
#include <optional>

namespace parhelion::monte_carlo::Impl {

/// The arrays of a problem. Missing ones are absent.
struct ProblemArrays {
  ConstArrayRef temperature, mole_fraction;
  std::array<ConstArrayRef, 6> face_temperature;
  bool on_device = false;  ///< whether they are in the memory of the execution space

  static ProblemArrays of(Problem const& problem);
};

/// What is asked of arrays before anything is computed.
struct ProblemNumbers {
  Extremes temperature;                               ///< of the gas [K]
  std::optional<Extremes> mole_fraction = {};         ///< if cells have their own
  double mean_amount = 1;                             ///< see Problem::mean_amount
  std::array<std::optional<Extremes>, 6> faces = {};  ///< of walls whose faces have their own temperatures [K]

  bool operator==(ProblemNumbers const&) const = default;
};

/// \brief The numbers that tables and probabilities are made for.
///
/// Ranges are rounded outwards and the mean amount to four binary digits, so that they stay the same while the gas of a
/// flow changes little. Neither changes what results are estimates of.
ProblemNumbers rounded(ProblemNumbers const& numbers);

/// The numbers of a problem whose arrays are in host memory.
ProblemNumbers numbers_of(Problem const& problem);

/// \brief Copies an array to contiguous memory of an execution space.
/// \param from      of any strides, as ProblemArrays has it
/// \param on_device see ProblemArrays; if not, fences
/// \param to        of the same extents
/// \param factor    by which values are multiplied
template <KokkosExecutionSpace Space>
void bring(Space const& space, ConstArrayRef const& from, bool on_device, ArrayRef const& to, double factor = 1) {
  ValueMap const map{.factor = factor};
  if (on_device) {
    DeviceCopies<Space> copies;
    copies.add(from, to, map);
    copies.run(space);
    return;
  }
  ArrayCopies copies;
  if constexpr (runs_on_host<Space>) {
    space.fence("parhelion::monte_carlo::bring");
    copies.add(from, to, map);
    copies.run(space);
  } else {
    auto const bytes = static_cast<std::size_t>(to.size()) * bytes_of(to.type);
    Kokkos::View<std::byte*, Kokkos::HostSpace> const mirror(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "parhelion::monte_carlo::bring"), bytes);
    ArrayRef staged = to;
    staged.data = mirror.data();
    copies.add(from, staged, map);
    copies.run(Kokkos::DefaultHostExecutionSpace());
    copy_array(space,
               Kokkos::View<std::byte*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                   static_cast<std::byte*>(to.data), bytes),
               mirror);
    space.fence("parhelion::monte_carlo::bring");
  }
}

/// A contiguous array of an execution space.
template <Floating Real>
ArrayRef contiguous(Real* data, ConstArrayRef const& like) {
  ArrayRef to;
  to.data = data;
  to.type = value_type_of<Real>();
  to.rank = like.rank;
  to.extents = like.extents;
  std::int64_t stride = 1;
  for (auto d = static_cast<std::size_t>(to.rank); d-- > 0; stride *= to.extents[d]) to.strides[d] = stride;
  return to;
}

/// \brief Refuses an empty grid, a pressure and sides that cannot be; arrays are not looked at.
/// \param faces   whether each side has temperatures of its faces
/// \param refuses whether values outside the validity of the spectrum are refused
void check_without_arrays(Problem const& problem, std::array<bool, 6> const& faces, std::string const& where,
                          bool refuses);

/// \brief Refuses values below 0 and, if asked to, outside the validity of the spectrum.
void check_numbers(Problem const& problem, ProblemNumbers const& numbers, std::string const& where, bool refuses);

}  // namespace parhelion::monte_carlo::Impl

#endif
