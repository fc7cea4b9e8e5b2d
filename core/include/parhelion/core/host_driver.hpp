// SPDX-License-Identifier: BSD-3-Clause
// Calls from host arrays to host arrays: streams chunks of items through the devices of a node, with overlapped copies
// and kernels.
#ifndef PARHELION_CORE_HOST_DRIVER_HPP
#define PARHELION_CORE_HOST_DRIVER_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/call_arrays.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/device_copies.hpp>
#include <parhelion/core/host_threads.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/stream.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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

/// Limits of the automatic chunk size.
struct ChunkLimits {
  int items = 1024;                          ///< items of a chunk
  std::size_t bytes = std::size_t{1} << 28;  ///< size of the arrays of a chunk
  int streams = 4;                           ///< streams of a device; a host has one
};

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

namespace Impl {

template <Solver S>
CallShapes calls_of(DriverSetup<S> const& setup) {
  return {.where = setup.where,
          .item = setup.item,
          .dimensions = setup.dimensions,
          .padding = setup.padding,
          .input = CallArrays::of<typename S::input_type>(setup.input),
          .result = CallArrays::of<typename S::result_type>(setup.result)};
}

/// How the work is divided, given the limits; without the workspaces of solvers.
HostPlan cut_work(CallShapes const& calls, std::string const& space, HostOptions const& options, std::int64_t items,
                  ChunkLimits const& limits, int devices_here, bool host);

/// \brief A stage of a HostDriver: everything that a chunk needs. Its functions know the type of the solver.
class HostStage {
 public:
  HostStage() = default;
  HostStage(HostStage const&) = delete;
  HostStage& operator=(HostStage const&) = delete;
  virtual ~HostStage() = default;

  virtual void set_views() = 0;                                    ///< to the places of the present chunk
  virtual void convert(HostThreads const& threads) = 0;            ///< makes the copies; on a host by its own threads
  virtual void prepare(std::int64_t first, int n) = 0;             ///< see HostDriver::Prepare
  virtual void bring_in(std::size_t first, std::size_t last) = 0;  ///< enqueues the copy of these bytes of the input
  virtual void solve() = 0;                                        ///< enqueues the kernels
  virtual void fence() = 0;                                        ///< waits for them
  virtual void take_out(std::size_t last) = 0;                     ///< enqueues the copy of the results, so many bytes
  virtual SolveStatus status() = 0;                                ///< waits

  /// Makes bring_in() or take_out() copy this array to or from the spare block and reorder it on the device, with all
  /// others of the call.
  virtual void reorder(ConstArrayRef const& from, ArrayRef const& to) = 0;

  /// The memory of the input or of the results.
  struct Block {
    std::byte* host = nullptr;
    std::byte* device = nullptr;
    Places places = {};
    /// Of the arrays on the host. Where it is not that of the Views, the device reorders them, so that the host copies
    /// whole rows.
    std::vector<MemoryOrder> orders = {};
    bool reordered = false;             ///< whether any is
    std::vector<ArrayRef> staged = {};  ///< the arrays on the host
  };
  Block input = {}, result = {};
  std::byte* spare = nullptr;  ///< on the device, as large as the larger one; a host has none
  bool has_shared = false;     ///< whether the arrays that all items share have been copied
  ArrayCopies copies = {};     ///< of the present chunk
};

/// \brief What a HostDriver does, whatever its solver.
class HostChunks {
 public:
  HostChunks(CallShapes shapes, bool refuses_not_finite, bool runs_on_host)
      : calls(std::move(shapes)), m_refuse_not_finite(refuses_not_finite), m_on_host(runs_on_host) {}

  CallShapes calls;
  HostPlan plan = {};
  std::vector<std::unique_ptr<HostStage>> stages = {};

  /// \brief See HostDriver.
  /// \param prepares whether stages have something to prepare
  void solve(std::vector<InputArray> const& input, std::vector<ArrayRef> const& result, bool prepares,
             std::function<bool(std::int64_t, std::int64_t)> const& progress, HostReport& report);

 private:
  void bring_in(HostStage& stage, std::vector<InputArray> const& input, std::vector<ArrayRef> const& result,
                bool prepares, int first, int n) const;
  void enqueue_take_out(HostStage& stage) const;
  void take_out(HostStage& stage, std::vector<ArrayRef> const& result, int first, int n) const;
  template <class Arrays>
  void set_places(CallArrays const& arrays, Arrays const& given, int n, HostStage::Block& block) const;

  bool m_refuse_not_finite;
  bool m_on_host;
  HostThreads m_threads;
};

}  // namespace Impl

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
        copy_array(space, filled, mirror);
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
  /// Without padding the arrays on the host may have the order of dimensions of the caller's.
  using Prepare =
      std::function<void(input_type& input, std::vector<ArrayRef> const& staged, std::int64_t first, int n)>;

  /// \brief How the work will be divided. Allocates nothing large.
  /// \throws parhelion::Error on an option that cannot be honoured
  static HostPlan plan(execution_space const& space, Setup const& setup, HostOptions const& options) {
    HostPlan plan = cut(setup, Impl::calls_of(setup), options);
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
  HostDriver(execution_space const& space, Setup const& setup, HostOptions const& options)
      : m_chunks(Impl::calls_of(setup), setup.refuse_not_finite, on_host) {
    m_chunks.plan = cut(setup, m_chunks.calls, options);
    auto& plan = m_chunks.plan;
    auto const instances = instances_on_devices(space, plan.devices, plan.streams);
    std::size_t const input = m_chunks.calls.input.bytes(setup.item, plan.chunk, setup.padding);
    std::size_t const result = m_chunks.calls.result.bytes(setup.item, plan.chunk, setup.padding);
    auto const capacity = setup.capacity(plan.chunk);
    std::vector<typename S::model_type> models;
    for (auto const& device : instances) models.push_back(setup.make_model(device.front()));
    // Consecutive chunks go to different devices.
    std::size_t workspace = 0;
    for (std::size_t stream = 0; stream < static_cast<std::size_t>(plan.streams); ++stream)
      for (std::size_t device = 0; device < instances.size(); ++device) {
        auto const& on = instances[device][stream];
        S solver(on, models[device], capacity, setup.tuning);
        workspace = solver.workspace_bytes();
        m_chunks.stages.push_back(std::make_unique<Stage>(on, std::move(solver), input, result));
      }
    plan.device_bytes += static_cast<std::size_t>(plan.streams) * workspace;
  }

  HostPlan const& plan() const { return m_chunks.plan; }

  /// \brief Solves.
  /// \param input   in the order of the descriptions of input_type, in host memory, of any strides and precision
  /// \param result  likewise, overwritten; missing arrays are not computed
  /// \param prepare see Prepare; may be empty
  /// \param progress see HostOptions
  /// \param report   overwritten
  /// \throws parhelion::Error where arrays are not those of the setup, or a result is not finite; the results of
  ///         earlier chunks have then been written
  void solve(std::vector<ConstArrayRef> const& input, std::vector<ArrayRef> const& result, Prepare const& prepare,
             std::function<bool(std::int64_t, std::int64_t)> const& progress, HostReport& report) {
    m_input_arrays.assign(input.begin(), input.end());
    solve(m_input_arrays, result, prepare, progress, report);
  }

  /// \brief The same with arrays that may consist of parts, and whose values are mapped.
  void solve(std::vector<InputArray> const& input, std::vector<ArrayRef> const& result, Prepare const& prepare,
             std::function<bool(std::int64_t, std::int64_t)> const& progress, HostReport& report) {
    for (auto& stage : m_chunks.stages) static_cast<Stage&>(*stage).its_prepare = &prepare;
    m_chunks.solve(input, result, static_cast<bool>(prepare), progress, report);
  }

 private:
  static constexpr bool on_host = runs_on_host<execution_space>;

  class Stage final : public Impl::HostStage {
   public:
    Stage(execution_space const& space, S solver, std::size_t input_bytes, std::size_t result_bytes)
        : m_space(space),
          m_solver(std::move(solver)),
          m_input_memory(space, input_bytes, "parhelion::core::host_driver_input"),
          m_result_memory(space, result_bytes, "parhelion::core::host_driver_result"),
          m_spare(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::core::host_driver_spare"),
                  on_host ? 0 : std::max(input_bytes, result_bytes)) {
      input.host = m_input_memory.host();
      input.device = m_input_memory.device();
      result.host = m_result_memory.host();
      result.device = m_result_memory.device();
      spare = m_spare.data();
    }

    Prepare const* its_prepare = nullptr;  ///< of the present call

    void set_views() override {
      Impl::set_views(m_input, input.places, input.device);
      Impl::set_views(m_result, result.places, result.device);
    }
    void convert(HostThreads const& threads) override {
      if constexpr (on_host)
        copies.run(m_space);
      else
        copies.run(threads);
    }
    void prepare(std::int64_t first, int n) override { (*its_prepare)(m_input, input.staged, first, n); }
    void bring_in(std::size_t first, std::size_t last) override {
      if (!input.reordered) {
        m_input_memory.to_device(m_space, first, last);
      } else {
        m_input_memory.to_device(m_space, m_spare, first, last);
        m_device_copies.run(m_space);
      }
    }
    void solve() override { m_solver.solve(m_space, m_input, m_result); }
    void fence() override {
      static std::string const label = "parhelion::core::host_driver";
      m_space.fence(label);
    }
    void take_out(std::size_t last) override {
      if (!result.reordered) {
        m_result_memory.to_host(m_space, 0, last);
      } else {
        m_device_copies.run(m_space);
        m_result_memory.to_host(m_space, m_spare, 0, last);
      }
    }
    void reorder(ConstArrayRef const& from, ArrayRef const& to) override { m_device_copies.add(from, to); }
    SolveStatus status() override { return m_solver.status(m_space); }

   private:
    execution_space m_space;
    S m_solver;
    TwinMemory<execution_space> m_input_memory, m_result_memory;
    typename TwinMemory<execution_space>::DeviceBytes m_spare;
    DeviceCopies<execution_space> m_device_copies;
    input_type m_input = {};
    result_type m_result = {};
  };

  static HostPlan cut(Setup const& setup, Impl::CallShapes const& calls, HostOptions const& options) {
    return Impl::cut_work(calls, execution_space::name(), options, setup.items, setup.limits,
                          number_of_devices<execution_space>(), on_host);
  }

  Impl::HostChunks m_chunks;
  std::vector<InputArray> m_input_arrays;  // a member, so that calls do not allocate
};

}  // namespace parhelion

#endif
