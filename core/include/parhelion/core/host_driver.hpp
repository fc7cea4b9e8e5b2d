// SPDX-License-Identifier: BSD-3-Clause
// Calls from host arrays to host arrays: streams chunks of items through the devices of a node, with overlapped copies
// and kernels.
#ifndef PARHELION_CORE_HOST_DRIVER_HPP
#define PARHELION_CORE_HOST_DRIVER_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/host_threads.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/stream.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion {

/// \brief The options of all calls from host arrays.
struct HostOptions {
  std::string space = {};                    ///< execution space by name; empty: the default one
  Precision precision = Precision::float64;  ///< of the calculation; that of the caller's arrays may differ
  int chunk = 0;                             ///< items that a stream computes at a time; 0: automatic
  /// Number of devices that compute chunks: 1 for the one that Kokkos was initialized with, as is usual with MPI; 0 for
  /// all that the process sees.
  int devices = 1;
  /// \brief Called after each chunk with the number of items that are done, and that of all items.
  ///
  /// It returns whether to continue. If it returns false, the results of the remaining items keep their values. It is
  /// called by the calling thread.
  std::function<bool(std::int64_t done, std::int64_t all)> progress = {};
};

/// How a call divides its work, and the memory that it needs.
struct HostPlan {
  std::string space;             ///< execution space
  int chunk = 0;                 ///< items of a chunk
  int streams = 0;               ///< chunks that are in flight on a device
  int devices = 0;               ///< number of devices that compute chunks
  std::size_t device_bytes = 0;  ///< input, results and workspace of all streams of one device
  std::size_t host_bytes = 0;    ///< staging buffers, in addition to the arrays of the caller
};

/// The plan and times of a call.
struct HostReport {
  HostPlan plan = {};
  std::int64_t done = 0;     ///< items whose results are complete
  double solve_seconds = 0;  ///< kernels, on devices with the copies that they overlap, see HostDriver
  double total_seconds = 0;  ///< including checks, conversions and copies
};

/// \brief The arrays of calls, and their extents except the number of items.
///
/// A missing array has no dimensions here.
struct ArrayShapes {
  std::vector<std::vector<std::int64_t>> extents;  ///< in the order of the descriptions; that of the items is 0

  /// \param descriptions of the arrays
  /// \param arrays       in the order of the descriptions
  /// \param item         name of the dimension that is divided into chunks
  static ArrayShapes of(std::vector<ArrayDescription> const& descriptions, std::vector<ConstArrayRef> const& arrays,
                        std::string_view item);
};

/// Dimensions in which the arrays on the device are longer than those of the caller, and by how much.
using Padding = std::vector<std::pair<std::string_view, int>>;

/// Limits of the automatic chunk size.
struct ChunkLimits {
  int items = 1024;                          ///< items of a chunk
  std::size_t bytes = std::size_t{1} << 28;  ///< size of the arrays of a chunk
  int streams = 3;                           ///< streams of a device; a host has one
};

namespace Impl {

/// The extents of an array; a missing one has no dimensions.
struct Shape {
  int rank = 0;
  std::array<std::int64_t, max_array_rank> extents = {};

  bool missing() const { return rank == 0; }
  /// Number of entries.
  std::size_t size() const {
    std::size_t n = 1;
    for (int d = 0; d < rank; ++d) n *= static_cast<std::size_t>(extents[static_cast<std::size_t>(d)]);
    return n;
  }
};

/// \brief The shape of an array without the number of items: 0 in that dimension, unless it is the same for all.
/// \param array may be missing
Shape shape_of_items(ArrayDescription const& description, ConstArrayRef const& array, std::string_view item);

/// The extents of an array of n items on the device.
Shape device_shape(ArrayDescription const& description, Shape shape, std::string_view item, std::int64_t n,
                   Padding const& padding);

/// The array at an address with the strides of a layout: the last index fastest, or the first.
ArrayRef placed(std::byte* memory, ValueType type, Shape const& shape, bool first_is_fastest);

/// \brief Checks an array of a call.
/// \param description of the array
/// \param reserved    shape for which memory was allocated
/// \param array       of the call
/// \param dimensions  known dimensions; those of the array are added
/// \throws parhelion::Error if no memory was allocated for the array, or its extents disagree
void check_array_of_call(std::string_view where, ArrayDescription const& description, Shape const& reserved,
                         ConstArrayRef const& array, Dimensions& dimensions);

/// The number of items of a call.
/// \throws parhelion::Error if there are none, or too many for an int
int items_of_call(std::string_view where, std::string_view item, Dimensions const& dimensions);

/// \brief Adds the copies of the items [first, first + n) of an input array.
/// \tparam Copies     ArrayCopies or DeviceCopies
/// \param description of the array
/// \param shared      whether it does not depend on the items
/// \param to          of the same extents, or larger
template <class Copies>
void add_copies(Copies& copies, ArrayDescription const& description, InputArray const& input, std::string_view item,
                bool shared, int first, int n, ArrayRef const& to) {
  int const d = description.position_of(item);
  if (input.parts == nullptr) {
    copies.add(shared ? input.array : input.array.part(d, first, n), to, input.map);
    return;
  }
  // The dimension of the items in a part, which lacks that of the parts.
  int const d_of_part = d > input.dimension ? d - 1 : d;
  for (std::int64_t i = 0; i < input.array.extents[static_cast<std::size_t>(input.dimension)]; ++i) {
    auto const& part = input.parts[i];
    copies.add(part.empty() ? ConstArrayRef()
               : shared     ? part
                            : part.part(d_of_part, first, n),
               to.slice(input.dimension, i), input.map);
  }
}

/// How the work is divided, given the memory of a device and the limits.
HostPlan cut_work(std::string_view where, std::string const& space, HostOptions const& options, std::int64_t items,
                  std::size_t bytes_of_item, ChunkLimits const& limits, int devices_here, bool host);

[[noreturn]] void refuse_number_of_arrays(std::string_view where, std::size_t input, std::size_t expected_input,
                                          std::size_t result, std::size_t expected_result);

[[noreturn]] void refuse_not_finite(std::string_view where, std::string_view item, std::int64_t position);

/// A View of memory that others own, with the extents of the array, in the layout of the View.
template <KokkosView View>
void place(View& view, std::byte* memory, Shape const& shape) {
  using Layout = typename View::array_layout;
  static_assert(std::is_same_v<Layout, Kokkos::LayoutRight> || std::is_same_v<Layout, Kokkos::LayoutLeft>,
                "arrays on devices are contiguous");
  if (shape.missing()) {
    view = View();
    return;
  }
  Layout layout;
  for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = static_cast<std::size_t>(shape.extents[d]);
  view = View(reinterpret_cast<typename View::pointer_type>(memory), layout);
}

}  // namespace Impl

namespace Impl {

/// Sizes of the arrays of a set [bytes]: those that are shared by all items come first.
struct SetBytes {
  std::size_t shared = 0;
  std::size_t all = 0;
};

/// The shapes of arrays that calls may have.
inline std::vector<Shape> reserved_shapes(ArrayShapes const& shapes) {
  std::vector<Shape> result;
  for (auto const& extents : shapes.extents) {
    Shape shape{.rank = static_cast<int>(extents.size())};
    std::copy(extents.begin(), extents.end(), shape.extents.begin());
    result.push_back(shape);
  }
  return result;
}

/// Whether an array is the same for all items: no extent of its shape is that of the items.
inline bool is_shared(Shape const& shape) {
  auto const end = shape.extents.begin() + shape.rank;
  return std::find(shape.extents.begin(), end, 0) == end;
}

/// \brief Gives the arrays of n items places in a block of memory, one after another.
/// \tparam Set    of Views, which become those of the places
/// \param set     its Views are set
/// \param staged  set to references to the arrays in another block of the same layout, or the same block
/// \param shapes  of the arrays
/// \param item    dimension of the items
/// \param n       items
/// \param padding see Padding
/// \param memory  block of the Views; may be null to find the size
/// \param other   block of the references
template <DescribedArrays Set>
SetBytes place_set(Set& set, std::vector<ArrayRef>& staged, std::vector<Shape> const& shapes, std::string_view item,
                   std::int64_t n, Padding const& padding, std::byte* memory, std::byte* other) {
  StreamLayout layout;
  staged.assign(shapes.size(), {});
  SetBytes bytes;
  for (bool const shared : {true, false}) {
    std::size_t i = 0;
    Set::for_each_array(
        [&]<class View>(ArrayDescription const& description, View& view) {
          std::size_t const at = i++;
          if (is_shared(shapes.at(at)) != shared) return;
          using Value = typename View::non_const_value_type;
          auto const shape = device_shape(description, shapes[at], item, n, padding);
          std::size_t const offset = shape.missing() ? 0 : layout.take(shape.size() * sizeof(Value));
          if (memory == nullptr) return;
          place(view, memory + offset, shape);
          if (!shape.missing())
            staged[at] = placed(other + offset, value_type_of<Value>(), shape,
                                std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>);
        },
        set);
    if (shared) bytes.shared = layout.bytes();
  }
  bytes.all = layout.bytes();
  return bytes;
}

/// \brief The arrays that calls may have, and the shapes of those of the present call.
/// \tparam S a Solver
template <class S>
struct CallShapes {
  std::vector<ArrayDescription> input_descriptions = descriptions_of<typename S::input_type>();
  std::vector<ArrayDescription> result_descriptions = descriptions_of<typename S::result_type>();
  std::vector<Shape> reserved_input, reserved_result;
  std::vector<Shape> input = {}, result = {};  ///< of the present call

  CallShapes(ArrayShapes const& of_input, ArrayShapes const& of_result)
      : reserved_input(reserved_shapes(of_input)), reserved_result(reserved_shapes(of_result)) {}

  /// \brief Checks the arrays of a call and sets their shapes.
  /// \return number of items
  /// \throws parhelion::Error where arrays are not those of the setup
  int check(std::string_view where, std::string_view item, Dimensions dimensions,
            std::vector<InputArray> const& of_input, std::vector<ArrayRef> const& of_result) {
    if (of_input.size() != input_descriptions.size() || of_result.size() != result_descriptions.size())
      refuse_number_of_arrays(where, of_input.size(), input_descriptions.size(), of_result.size(),
                              result_descriptions.size());
    auto const set = [&](ArrayDescription const& description, Shape const& reserved, ConstArrayRef const& array) {
      check_array_of_call(where, description, reserved, array, dimensions);
      return shape_of_items(description, array, item);
    };
    input.resize(of_input.size());
    result.resize(of_result.size());
    for (std::size_t i = 0; i < input.size(); ++i)
      input[i] = set(input_descriptions[i], reserved_input[i], of_input[i].array);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = set(result_descriptions[i], reserved_result[i], of_result[i]);
    return items_of_call(where, item, dimensions);
  }
};

/// Size of the arrays of n items [bytes].
template <DescribedArrays Set>
std::size_t bytes_of_set(ArrayShapes const& shapes, std::string_view item, std::int64_t n, Padding const& padding) {
  Set set{};
  std::vector<ArrayRef> staged;
  return place_set(set, staged, reserved_shapes(shapes), item, n, padding, nullptr, nullptr).all;
}

}  // namespace Impl

/// \brief The common properties of all calls of a driver of a solver.
template <Solver S>
struct DriverSetup {
  std::string_view where;  ///< begins messages
  std::string_view item;   ///< the dimension that is divided into chunks
  ArrayShapes input;       ///< arrays of calls
  ArrayShapes result;
  std::int64_t items = 1;      ///< items of a call, by which the work is divided
  Dimensions dimensions = {};  ///< sizes that are the same in all calls
  Padding padding = {};
  ChunkLimits limits = {};
  /// Called once for each device.
  std::function<typename S::model_type(typename S::execution_space const&)> make_model;
  std::function<typename S::capacity_type(int nitem)> capacity;  ///< for a number of items
  typename S::tuning_type tuning = {};
  bool refuse_not_finite = true;  ///< whether a result that is not finite is an error
};

/// \brief The arrays of a chunk on the host, which HostDriver::Prepare gets, as a set of Views.
/// \param staged arrays in the order of the descriptions; may be more than those of the set
template <DescribedArrays Set>
Set views_of(std::vector<ArrayRef> const& staged) {
  Set set;
  std::size_t i = 0;
  Set::for_each_array(
      [&](ArrayDescription const&, auto& view) {
        ArrayRef const& array = staged.at(i++);
        Impl::place(view, static_cast<std::byte*>(array.data),
                    array.empty() ? Impl::Shape() : Impl::Shape{array.rank, array.extents});
      },
      set);
  return set;
}

/// \brief Copies a set of host arrays to a device, in the precision and layout of another set. Allocates and fences.
/// \param space execution space instance, on whose device the arrays will be
/// \param host  arrays in host memory; empty ones stay empty. Other members are not copied.
template <DescribedArrays DeviceSet, KokkosExecutionSpace ExecutionSpace, DescribedArrays HostSet>
DeviceSet make_device_arrays(ExecutionSpace const& space, HostSet const& host) {
  DeviceSet device{};
  DeviceSet::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& to, auto const& from) {
        if (from.size() == 0) return;
        typename View::array_layout layout;
        for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = from.extent(d);
        typename View::non_const_type const filled(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::" + std::string(description.name)),
            layout);
        auto const mirror =
            Kokkos::create_mirror_view(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), filled);
        ArrayCopies copies;
        copies.add(array_ref(from), array_ref(mirror));
        copies.run(HostThreads());
        Kokkos::deep_copy(space, filled, mirror);
        space.fence("parhelion::core::make_device_arrays");
        to = filled;
      },
      device, host);
  return device;
}

/// \brief Solves from host arrays to host arrays, for repeated calls.
///
/// Each device has several stages, each with its own execution space instance, solver and pinned memory, so that while
/// one chunk is solved, others are copied in and out. Arrays that do not depend on the items are copied to each stage
/// once in a call. All memory is allocated once; calls allocate nothing large. Results do not depend on the size of
/// chunks or the number of stages or devices, to the last bit, as long as those of the solver do not depend on the
/// other items of a call. On a host, calls after the first of a kind do not allocate at all. Calls of one object must
/// not overlap; several threads may use several objects, each with its own instance.
///
/// HostReport::solve_seconds is, on a host, the time of the kernels; on a device, the time during which at least one
/// chunk was in flight, from the launch of its kernels until its results were in host memory.
///
/// \tparam S a Solver
template <Solver S>
class HostDriver {
 public:
  using execution_space = typename S::execution_space;
  using value_type = typename S::value_type;
  using input_type = typename S::input_type;
  using result_type = typename S::result_type;
  using Setup = DriverSetup<S>;

  /// A function that prepares a chunk before it is solved: sets members that are not arrays, and fills padding.
  /// It is called with the input on the device, its arrays on the host, the first item and the number of items.
  using Prepare =
      std::function<void(input_type& input, std::vector<ArrayRef> const& staged, std::int64_t first, int n)>;

  /// \brief How the work will be divided. Allocates nothing large.
  /// \throws parhelion::Error on an option that cannot be honoured
  static HostPlan plan(execution_space const& space, Setup const& setup, HostOptions const& options) {
    HostPlan plan = cut(setup, options);
    plan.device_bytes +=
        static_cast<std::size_t>(plan.streams) * S::workspace_bytes(space, setup.capacity(plan.chunk), setup.tuning);
    return plan;
  }

  /// \brief Copies the model to the devices and allocates.
  /// \param space   instance that computes; on a device, further instances are partitioned from it; on a host, its
  ///                threads also copy
  /// \param setup   common properties of all calls
  /// \param options space and precision are ignored: they are those of S
  /// \throws parhelion::Error on an option that cannot be honoured
  HostDriver(execution_space const& space, Setup setup, HostOptions const& options)
      : m_setup(std::move(setup)), m_shapes(m_setup.input, m_setup.result) {
    m_plan = cut(m_setup, options);
    auto const instances = instances_on_devices(space, m_plan.devices, m_plan.streams);
    std::size_t const input = bytes_of<input_type>(m_setup, m_setup.input, m_plan.chunk);
    std::size_t const result = bytes_of<result_type>(m_setup, m_setup.result, m_plan.chunk);
    auto const capacity = m_setup.capacity(m_plan.chunk);
    std::vector<typename S::model_type> models;
    for (auto const& device : instances) models.push_back(m_setup.make_model(device.front()));
    // Consecutive chunks go to different devices.
    for (std::size_t stream = 0; stream < static_cast<std::size_t>(m_plan.streams); ++stream)
      for (std::size_t device = 0; device < instances.size(); ++device) {
        auto const& on = instances[device][stream];
        m_stages.push_back({.space = on,
                            .solver = S(on, models[device], capacity, m_setup.tuning),
                            .input_memory = {on, input, "parhelion::core::host_driver_input"},
                            .result_memory = {on, result, "parhelion::core::host_driver_result"}});
      }
    m_plan.device_bytes += static_cast<std::size_t>(m_plan.streams) * m_stages.front().solver.workspace_bytes();
  }

  HostPlan const& plan() const { return m_plan; }

  /// \brief Solves.
  /// \param input   in the order of the descriptions of input_type, in host memory, of any strides and precision
  /// \param result  likewise, overwritten; missing arrays are not computed
  /// \param prepare see Prepare; may be empty
  /// \param progress see HostOptions
  /// \param report   overwritten
  /// \throws parhelion::Error where arrays are not those of the setup, or a result is not finite; the results of
  /// earlier
  ///         chunks have then been written
  void solve(std::vector<ConstArrayRef> const& input, std::vector<ArrayRef> const& result, Prepare const& prepare,
             std::function<bool(std::int64_t, std::int64_t)> const& progress, HostReport& report) {
    m_input_arrays.assign(input.begin(), input.end());
    solve(m_input_arrays, result, prepare, progress, report);
  }

  /// \brief The same with arrays that may consist of parts, and whose values are mapped.
  void solve(std::vector<InputArray> const& input, std::vector<ArrayRef> const& result, Prepare const& prepare,
             std::function<bool(std::int64_t, std::int64_t)> const& progress, HostReport& report) {
    Kokkos::Timer const total;
    report.plan = m_plan;
    report.done = 0;
    report.solve_seconds = 0;
    int const n = m_shapes.check(m_setup.where, m_setup.item, m_setup.dimensions, input, result);
    Clock clock;
    for (auto& s : m_stages) s.has_shared = false;
    auto const start = [&](int stage, int first, int count) {
      Stage& s = m_stages[static_cast<std::size_t>(stage)];
      s.input_bytes = place(s.input, s.staged_input, m_shapes.input, s.input_memory, count);
      s.result_bytes = place(s.result, s.staged_result, m_shapes.result, s.result_memory, count);
      bring_in(s, input, prepare, first, count);
      clock.begin();
      s.solver.solve(s.space, s.input, s.result);
      if constexpr (on_host) {
        static std::string const label = "parhelion::core::host_driver";
        s.space.fence(label);
        clock.end();
      }
      s.result_memory.to_host(s.space, 0, s.result_bytes.all);
    };
    auto const finish = [&](int stage, int first, int count) {
      Stage& s = m_stages[static_cast<std::size_t>(stage)];
      SolveStatus const status = s.solver.status(s.space);
      if constexpr (!on_host) clock.end();
      if (!status.good() && m_setup.refuse_not_finite)
        Impl::refuse_not_finite(m_setup.where, m_setup.item, first + status.first_not_finite);
      take_out(s, result, first, count);
      report.done = first + count;
      return !progress || progress(report.done, n);
    };
    try {
      (void)stream_chunks(n, m_plan.chunk, static_cast<int>(m_stages.size()), start, finish);
    } catch (...) {
      drain();
      throw;
    }
    if (report.done < n) drain();
    report.solve_seconds = clock.seconds();
    report.total_seconds = total.seconds();
  }

 private:
  static constexpr bool on_host = runs_on_host<execution_space>;

  /// A stage: everything that a chunk needs.
  struct Stage {
    execution_space space;
    S solver;
    TwinMemory<execution_space> input_memory, result_memory;
    input_type input = {};
    result_type result = {};
    std::vector<ArrayRef> staged_input = {}, staged_result = {};
    Impl::SetBytes input_bytes = {}, result_bytes = {};
    bool has_shared = false;  ///< whether the arrays that all items share have been copied
    ArrayCopies copies = {};  ///< of the present chunk
  };

  /// The time during which any work was enqueued.
  class Clock {
   public:
    void begin() {
      if (m_running++ == 0) m_timer.reset();
    }
    void end() {
      if (--m_running == 0) m_seconds += m_timer.seconds();
    }
    double seconds() const { return m_seconds; }

   private:
    Kokkos::Timer m_timer;
    int m_running = 0;
    double m_seconds = 0;
  };

  static HostPlan cut(Setup const& setup, HostOptions const& options) {
    std::size_t const of_item =
        bytes_of<input_type>(setup, setup.input, 1) + bytes_of<result_type>(setup, setup.result, 1);
    HostPlan plan = Impl::cut_work(setup.where, execution_space::name(), options, setup.items, of_item, setup.limits,
                                   number_of_devices<execution_space>(), on_host);
    std::size_t const of_chunk =
        bytes_of<input_type>(setup, setup.input, plan.chunk) + bytes_of<result_type>(setup, setup.result, plan.chunk);
    plan.device_bytes = static_cast<std::size_t>(plan.streams) * of_chunk;
    plan.host_bytes = on_host ? 0 : static_cast<std::size_t>(plan.devices) * plan.device_bytes;
    return plan;
  }

  template <class Set>
  static std::size_t bytes_of(Setup const& setup, ArrayShapes const& shapes, int n) {
    return Impl::bytes_of_set<Set>(shapes, setup.item, n, setup.padding);
  }

  template <class Set>
  Impl::SetBytes place(Set& set, std::vector<ArrayRef>& staged, std::vector<Impl::Shape> const& shapes,
                       TwinMemory<execution_space> const& memory, int n) const {
    return Impl::place_set(set, staged, shapes, m_setup.item, n, m_setup.padding, memory.device(), memory.host());
  }

  /// Threads that convert: those of the stage on a host, otherwise those of the default host space.
  auto const& converting(Stage const& s) const {
    if constexpr (on_host)
      return s.space;
    else
      return m_host_threads;
  }

  void bring_in(Stage& s, std::vector<InputArray> const& input, Prepare const& prepare, int first, int n) const {
    // Changes that Prepare makes to shared arrays must not persist for the next chunk.
    bool const with_shared = !s.has_shared || prepare;
    for (std::size_t i = 0; i < input.size(); ++i) {
      bool const shared = Impl::is_shared(m_shapes.input[i]);
      if (!input[i].array.empty() && (with_shared || !shared))
        Impl::add_copies(s.copies, m_shapes.input_descriptions[i], input[i], m_setup.item, shared, first, n,
                         s.staged_input[i]);
    }
    s.copies.run(converting(s));
    if (prepare) prepare(s.input, s.staged_input, first, n);
    s.input_memory.to_device(s.space, with_shared ? 0 : s.input_bytes.shared, s.input_bytes.all);
    s.has_shared = true;
  }

  void take_out(Stage& s, std::vector<ArrayRef> const& result, int first, int n) const {
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (result[i].empty()) continue;
      ArrayRef const to = Impl::is_shared(m_shapes.result[i])
                              ? result[i]
                              : result[i].part(m_shapes.result_descriptions[i].position_of(m_setup.item), first, n);
      ConstArrayRef from = s.staged_result[i];
      from.extents = to.extents;  // without the padding
      s.copies.add(from, to);
    }
    s.copies.run(converting(s));
  }

  /// Ends all work of a call before the caller gets the arrays back, and before the next call.
  void drain() {
    for (auto& s : m_stages) (void)s.solver.status(s.space);
  }

  Setup m_setup;
  HostPlan m_plan;
  Impl::CallShapes<S> m_shapes;
  std::vector<Stage> m_stages;
  // Members, so that calls do not allocate.
  std::vector<InputArray> m_input_arrays;
  HostThreads m_host_threads;
};

}  // namespace parhelion

#endif
