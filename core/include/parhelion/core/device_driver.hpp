// SPDX-License-Identifier: BSD-3-Clause
// Calls from arrays on a device to arrays on the same device, in the order of a stream of the caller.
#ifndef PARHELION_CORE_DEVICE_DRIVER_HPP
#define PARHELION_CORE_DEVICE_DRIVER_HPP

#include <parhelion/core/device_copies.hpp>
#include <parhelion/core/host_driver.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace parhelion {

/// \brief Solves from arrays in the memory of a device to arrays there, of any strides and precision.
///
/// A call enqueues kernels on an instance of the caller and returns: one that packs the input into the form of the
/// solver, the solver's, and one that unpacks the results, for each chunk of items. Nothing is copied to the host, and
/// nothing is allocated. Calls of one object must be in the order of one stream, as they share memory.
///
/// \tparam S a Solver
template <Solver S>
class DeviceDriver {
 public:
  using execution_space = typename S::execution_space;
  using input_type = typename S::input_type;
  using result_type = typename S::result_type;
  using Setup = DriverSetup<S>;
  /// Sets members of the input of a chunk that are not arrays; gets the first item of the chunk.
  /// It may enqueue kernels that change the arrays, which are copies of the caller's.
  using Prepare = std::function<void(input_type& input, std::int64_t first)>;
  /// Enqueues work on the results of a chunk; `staged` are references to them, in the order of the descriptions, which
  /// it may replace.
  using Finish = std::function<void(execution_space const& space, input_type const& input, result_type const& result,
                                    std::vector<ArrayRef>& staged)>;

  /// \brief Copies the model to the device and allocates; may fence.
  /// \param space instance on the device
  /// \param setup common properties of all calls, without padding
  /// \param chunk items that are solved at a time, >= 1
  DeviceDriver(execution_space const& space, Setup const& setup, int chunk)
      : m_calls(Impl::calls_of(setup)),
        m_chunk(chunk),
        m_solver(space, setup.make_model(space), setup.capacity(chunk), setup.tuning),
        m_input_memory(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::core::device_driver_input"),
                       m_calls.input.bytes(m_calls.item, chunk, {})),
        m_result_memory(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::core::device_driver_result"),
                        m_calls.result.bytes(m_calls.item, chunk, {})) {}

  /// Device memory [bytes].
  std::size_t bytes() const { return m_solver.workspace_bytes() + m_input_memory.size() + m_result_memory.size(); }

  /// \brief Enqueues the work of a call.
  /// \param space   instance on the device of the object, such as one of a stream of the caller
  /// \param input   in the order of the descriptions of input_type
  /// \param result  in the order of the descriptions of result_type; missing arrays are not computed, those that have
  ///                extents and no data are computed and not kept
  /// \param prepare see Prepare; may be empty
  /// \param finish  see Finish; may be empty
  /// \throws parhelion::Error where arrays are not those of the setup, before anything is enqueued
  void solve(execution_space const& space, std::vector<InputArray> const& input, std::vector<ArrayRef> const& result,
             Prepare const& prepare, Finish const& finish = {}) {
    int const n = m_calls.check(input, result);
    for (int first = 0; first < n; first += m_chunk)
      solve_chunk(space, input, result, prepare, finish, first, std::min(m_chunk, n - first));
  }

  /// Waits for the instance and looks at the results since the last call of this function.
  SolveStatus status(execution_space const& space) { return m_solver.status(space); }

 private:
  using Memory = Kokkos::View<std::byte*, typename execution_space::memory_space>;

  void solve_chunk(execution_space const& space, std::vector<InputArray> const& input,
                   std::vector<ArrayRef> const& result, Prepare const& prepare, Finish const& finish, int first,
                   int n) {
    input_type in = {};
    result_type out = {};
    place(m_calls.input, in, m_staged_input, m_input_memory.data(), n);
    place(m_calls.result, out, m_staged_result, m_result_memory.data(), n);
    for (std::size_t i = 0; i < input.size(); ++i)
      if (!input[i].array.empty())
        Impl::add_copies(m_copies, m_calls.input.descriptions[i], input[i], m_calls.item,
                         Impl::is_shared(m_calls.input.present[i]), first, n, m_staged_input[i]);
    m_copies.run(space);
    if (prepare) prepare(in, first);
    m_solver.solve(space, in, out);
    if (finish) finish(space, in, out, m_staged_result);
    for (std::size_t i = 0; i < result.size(); ++i)
      if (!result[i].empty())
        m_copies.add(m_staged_result[i],
                     Impl::is_shared(m_calls.result.present[i])
                         ? result[i]
                         : result[i].part(m_calls.result.descriptions[i].position_of(m_calls.item), first, n));
    m_copies.run(space);
  }

  template <DescribedArrays Set>
  void place(Impl::CallArrays const& arrays, Set& set, std::vector<ArrayRef>& staged, std::byte* block, int n) {
    arrays.place(m_calls.item, n, {}, m_places);
    arrays.refer(m_places, block, staged);
    Impl::set_views(set, m_places, block);
  }

  Impl::CallShapes m_calls;
  int m_chunk;
  S m_solver;
  Memory m_input_memory, m_result_memory;
  Impl::Places m_places;
  std::vector<ArrayRef> m_staged_input, m_staged_result;
  DeviceCopies<execution_space> m_copies;
};

}  // namespace parhelion

#endif
