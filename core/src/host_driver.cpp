// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/host_driver.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::Impl {

HostPlan cut_work(CallShapes const& calls, std::string const& space, HostOptions const& options, std::int64_t items,
                  ChunkLimits const& limits, int devices_here, bool host) {
  auto const& where = calls.where;
  auto const input_bytes = [&](std::int64_t n) { return calls.input.bytes(calls.item, n, calls.padding); };
  auto const result_bytes = [&](std::int64_t n) { return calls.result.bytes(calls.item, n, calls.padding); };
  auto const bytes = [&](std::int64_t n) { return input_bytes(n) + result_bytes(n); };
  if (options.chunk < 0)
    throw ArgumentError(where,
                        fmt::format("chunk = {}, expected at least 1, or 0 for an automatic choice", options.chunk));
  int const devices = devices_to_use(where, space, options.devices, devices_here);
  if (items < 1) throw Error(where, fmt::format("{} items, expected at least 1", items));
  auto const quotient = [](std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); };
  HostPlan plan;
  plan.space = space;
  std::int64_t chunk = options.chunk;
  if (chunk == 0)
    chunk = std::min<std::int64_t>(limits.items, static_cast<std::int64_t>(std::max<std::size_t>(
                                                     1, limits.bytes / std::max<std::size_t>(1, bytes(1)))));
  chunk = std::min(chunk, items);
  std::int64_t const nchunk = quotient(items, chunk);
  plan.chunk = static_cast<int>(chunk);
  plan.devices = static_cast<int>(std::min<std::int64_t>(devices, nchunk));
  plan.streams = static_cast<int>(std::min<std::int64_t>(host ? 1 : limits.streams, quotient(nchunk, plan.devices)));
  auto const streams = static_cast<std::size_t>(plan.streams);
  plan.device_bytes = streams * bytes(chunk);
  if (!host) {
    plan.host_bytes = static_cast<std::size_t>(plan.devices) * plan.device_bytes;
    plan.device_bytes += streams * std::max(input_bytes(chunk), result_bytes(chunk));
  }
  return plan;
}

namespace {

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

/// Ends all work of a call before the caller gets the arrays back, and before the next call.
void drain(std::vector<std::unique_ptr<HostStage>> const& stages) {
  for (auto const& stage : stages) (void)stage->status();
}

}  // namespace

void HostChunks::solve(std::vector<InputArray> const& input, std::vector<ArrayRef> const& result, bool prepares,
                       std::function<bool(std::int64_t, std::int64_t)> const& progress, HostReport& report) {
  Kokkos::Timer const total;
  report.plan = plan;
  report.done = 0;
  report.solve_seconds = 0;
  int const n = calls.check(input, result);
  Clock clock;
  for (auto& stage : stages) stage->has_shared = false;
  auto const start = [&](int number, int first, int count) {
    HostStage& stage = *stages[static_cast<std::size_t>(number)];
    bring_in(stage, input, result, prepares, first, count);
    clock.begin();
    stage.solve();
    if (m_on_host) {
      stage.fence();
      clock.end();
    }
    enqueue_take_out(stage);
  };
  auto const finish = [&](int number, int first, int count) {
    HostStage& stage = *stages[static_cast<std::size_t>(number)];
    SolveStatus const status = stage.status();
    if (!m_on_host) clock.end();
    if (!status.good() && m_refuse_not_finite)
      throw NotFiniteError(
          calls.where, fmt::format("the result of {} {} is not finite", calls.item, first + status.first_not_finite));
    take_out(stage, result, first, count);
    report.done = first + count;
    return !progress || progress(report.done, n);
  };
  try {
    (void)stream_chunks(n, plan.chunk, static_cast<int>(stages.size()), start, finish);
  } catch (...) {
    drain(stages);
    throw;
  }
  if (report.done < n) drain(stages);
  report.solve_seconds = clock.seconds();
  report.total_seconds = total.seconds();
}

namespace {

ConstArrayRef with_strides(ArrayRef const& array) { return array; }

}  // namespace

template <class Arrays>
void HostChunks::set_places(CallArrays const& arrays, Arrays const& given, int n, HostStage::Block& block) const {
  arrays.place(calls.item, n, calls.padding, block.places);
  block.reordered = false;
  auto const& shapes = block.places.shapes;
  bool const fits =
      std::all_of(shapes.begin(), shapes.end(), [](Shape const& shape) { return shape.rank <= max_reordered_rank; });
  // What is prepared where arrays are padded has the layout of the Views.
  if (!m_on_host && fits && calls.padding.empty()) {
    block.orders.resize(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      bool const other = arrays.set_order(i, with_strides(given[i]), block.places, block.orders[i]);
      block.reordered = block.reordered || other;
    }
  }
  if (block.reordered)
    arrays.refer(block.places, block.orders, block.host, block.staged);
  else
    arrays.refer(block.places, block.host, block.staged);
}

void HostChunks::bring_in(HostStage& stage, std::vector<InputArray> const& input, std::vector<ArrayRef> const& result,
                          bool prepares, int first, int n) const {
  set_places(calls.input, input, n, stage.input);
  set_places(calls.result, result, n, stage.result);
  stage.set_views();
  // Changes that Prepare makes to shared arrays must not persist for the next chunk.
  bool const with_shared = !stage.has_shared || prepares;
  for (std::size_t i = 0; i < input.size(); ++i) {
    bool const shared = is_shared(calls.input.present[i]);
    if (!input[i].array.empty() && (with_shared || !shared))
      add_copies(stage.copies, calls.input.descriptions[i], input[i], calls.item, shared, first, n,
                 stage.input.staged[i]);
  }
  stage.convert(m_threads);
  if (prepares) stage.prepare(first, n);
  auto const& places = stage.input.places;
  std::size_t const begin = with_shared ? 0 : places.bytes.shared;
  if (stage.input.reordered) {
    std::vector<ArrayRef> from, to;
    calls.input.refer(places, stage.input.orders, stage.spare, from);
    calls.input.refer(places, stage.input.device, to);
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!input[i].array.empty() && places.offsets[i] >= begin) stage.reorder(from[i], to[i]);
  }
  stage.bring_in(begin, places.bytes.all);
  stage.has_shared = true;
}

void HostChunks::enqueue_take_out(HostStage& stage) const {
  auto const& places = stage.result.places;
  if (stage.result.reordered) {
    std::vector<ArrayRef> from, to;
    calls.result.refer(places, stage.result.device, from);
    calls.result.refer(places, stage.result.orders, stage.spare, to);
    for (std::size_t i = 0; i < from.size(); ++i) stage.reorder(from[i], to[i]);
  }
  stage.take_out(places.bytes.all);
}

void HostChunks::take_out(HostStage& stage, std::vector<ArrayRef> const& result, int first, int n) const {
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i].empty()) continue;
    ArrayRef const to = is_shared(calls.result.present[i])
                            ? result[i]
                            : result[i].part(calls.result.descriptions[i].position_of(calls.item), first, n);
    ConstArrayRef from = stage.result.staged[i];
    from.extents = to.extents;  // without the padding
    stage.copies.add(from, to);
  }
  stage.convert(m_threads);
}

}  // namespace parhelion::Impl
