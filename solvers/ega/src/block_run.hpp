// SPDX-License-Identifier: BSD-3-Clause
// Runs a calculation on devices: in blocks of channels whose tables fit into memory, each in chunks of rays.
#ifndef PARHELION_EGA_BLOCK_RUN_HPP
#define PARHELION_EGA_BLOCK_RUN_HPP

#include "host_forward.hpp"
#include "names.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/ega/derivatives.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion::ega::Impl {

/// The parts [first, first + n) in a dimension, of the arrays that have it.
template <class Ref>
std::vector<Ref> part_of(std::vector<ArrayDescription> const& descriptions, std::vector<Ref> arrays,
                         std::string_view dimension, std::int64_t first, std::int64_t n) {
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (int const d = descriptions[i].position_of(dimension); d >= 0 && !arrays[i].empty())
      arrays[i] = arrays[i].part(d, first, n);
  return arrays;
}

/// \brief Arrays of a set in host memory.
/// \param sizes    of all dimensions
/// \param optional whether to have the optional ones
template <DescribedArrays Set>
Set make_host_arrays(Dimensions const& sizes, bool optional) {
  Set set;
  Set::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& view) {
        if (description.optional && !optional) return;
        typename View::array_layout layout;
        for (int d = 0; d < description.rank(); ++d)
          layout.dimension[d] = static_cast<std::size_t>(sizes[description.dimensions[static_cast<std::size_t>(d)]]);
        view = View(Kokkos::view_alloc("parhelion::ega::" + std::string(description.name), Kokkos::WithoutInitializing),
                    layout);
      },
      set);
  return set;
}

/// The shapes of the arrays of a set, see ArrayShapes.
template <DescribedArrays Set>
ArrayShapes shapes_of(Dimensions const& sizes, bool optional) {
  ArrayShapes shapes;
  for (auto const& description : descriptions_of<Set>()) {
    std::vector<std::int64_t> extents;
    if (!description.optional || optional)
      for (int d = 0; d < description.rank(); ++d) {
        auto const name = description.dimensions[static_cast<std::size_t>(d)];
        extents.push_back(name == dimension::ray ? 0 : sizes[name]);
      }
    shapes.extents.push_back(std::move(extents));
  }
  return shapes;
}

/// The input of solvers in a call, in host memory.
inline std::vector<ConstArrayRef> input_of(Call const& call) {
  std::vector<ConstArrayRef> refs;
  ForwardInput<Kokkos::DefaultHostExecutionSpace>::for_each_array(
      [&](ArrayDescription const&, auto const& view) { refs.push_back(array_ref(view)); }, call);
  return refs;
}

/// The first arrays of the result of a solver; the others are not computed.
template <Solver S>
std::vector<ArrayRef> result_of(std::vector<ArrayRef> first) {
  first.resize(descriptions_of<typename S::result_type>().size());
  return first;
}

/// \brief The model of channels [first, last) on a device: that of an earlier call if it was kept, otherwise a new one,
///        which is kept if it has all channels.
/// \param on     instance on the device
/// \param device index of the device among those of a call
/// \param made   set to true if it is new
template <class Space, class Real>
Model<Space, Real> kept_model(Space const& on, Problem const& problem, KeptModel& kept, std::size_t device, int first,
                              int last, bool* made = nullptr) {
  using Models = std::vector<Model<Space, Real>>;
  auto const* const known = std::any_cast<Models>(&kept.models);
  if (known != nullptr && device < known->size()) return (*known)[device];
  auto const model = make_model<Space, Real>(on, problem, first, last);
  if (made != nullptr) *made = true;
  if (last - first == problem.nchannel()) {
    Models models = known != nullptr ? *known : Models();
    models.push_back(model);
    kept.models = std::move(models);
  }
  return model;
}

/// How a call uses a solver.
template <Solver S>
struct BlockSettings {
  char const* function;      ///< begins messages if nothing else has a name
  ChunkLimits limits = {};   ///< limits of a chunk
  bool limits_hold = false;  ///< whether they also apply to chunk sizes that the caller chooses
  typename S::tuning_type tuning = {};
  int copies = 1;      ///< number of copies of the profiles and rays of the call
  bool paths = false;  ///< whether optional results are computed
};

/// What two calls have in common if they can use the same driver, given problem and options.
template <class Space>
struct DriverKey {
  Space space;
  std::string function;  ///< which stands for the limits and the tuning
  std::string where;
  std::vector<std::vector<std::int64_t>> input, result;  ///< extents
  int nray, npoint, chunk;

  bool operator==(DriverKey const&) const = default;
};

/// A driver with its memory, for later calls of the same sizes.
template <Solver S>
struct KeptDriver {
  using Key = DriverKey<typename S::execution_space>;

  Key key;
  HostDriver<S> driver;

  /// \param make function of the key that makes the driver, which refers to the name in the key
  template <class Make>
  KeptDriver(Key its_key, Make const& make) : key(std::move(its_key)), driver(make(key)) {}
  KeptDriver(KeptDriver const&) = delete;
  KeptDriver& operator=(KeptDriver const&) = delete;
};

/// \brief Runs a call with a solver, one block of channels after another.
template <Solver S>
class BlockRun {
 public:
  using Space = typename S::execution_space;
  using Real = typename S::value_type;
  using Driver = HostDriver<S>;

  BlockRun(Space const& space, Call const& call, KeptModel& kept, BlockSettings<S> settings)
      : m_space(space),
        m_call(call),
        m_kept(kept),
        m_settings(std::move(settings)),
        m_where(name_or(call.problem.name, m_settings.function)) {}

  /// \brief Plans the call.
  /// \param report its plan is overwritten; the time for reading tables is added to `load_seconds`
  void plan(HostEgaReport& report) {
    auto const& problem = m_call.problem;
    report.precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
    if (nray() == 0 || problem.nchannel() == 0) {
      report.plan.space = Space::name();
      return;
    }
    if (!m_kept.cut) {
      Kokkos::Timer const load;
      m_kept.cut = cut_channels(problem, m_call.options, lanes_of<Space>, runs_on_host<Space>);
      report.load_seconds += load.seconds();
    }
    m_npoint = max_points(problem.options, m_call.atmosphere);
    int const block = m_kept.cut->block;
    auto const plan_with = [&](int chunk) {
      return Driver::plan(m_space, setup(block), {.chunk = chunk, .devices = m_call.options.devices});
    };
    m_chunk = m_call.options.chunk;
    HostPlan plan = plan_with(m_chunk);
    if (m_chunk > 0 && m_settings.limits_hold) m_chunk = std::min(m_chunk, plan_with(0).chunk);
    if (m_chunk == 0 && m_call.options.progress) m_chunk = watched_chunk(plan.chunk, block);
    plan = plan_with(m_chunk);
    m_chunk = plan.chunk;

    report.plan = plan;
    report.plan.device_bytes += m_kept.cut->table_bytes + m_kept.cut->loading_bytes;
    report.plan.host_bytes += m_kept.cut->staging_bytes;
    report.channels_per_block = block;
    report.channel_blocks = (problem.nchannel() + block - 1) / block;
    report.table_bytes = m_kept.cut->table_bytes;
  }

  /// \brief Calls action(driver, first channel, last channel) for each block, until the caller stops the call.
  ///
  /// plan() must have been called.
  template <class Action>
  void for_each_block(HostEgaReport& report, Action const& action) {
    int const nchannel = m_call.problem.nchannel();
    if (nray() == 0 || nchannel == 0) return;
    if (!tell(0, 0)) return;
    int const block = m_kept.cut->block;
    if (block >= nchannel) {
      action(kept_driver(report)->driver, 0, nchannel);
      return;
    }
    for (int first = 0; first < nchannel && !m_stopped; first += block) {
      int const last = std::min(first + block, nchannel);
      Driver driver = make_driver(setup(last - first), first, last, report);
      action(driver, first, last);
    }
  }

  /// \brief Solves some rays in some channels.
  /// \param result arrays of these rays and channels
  /// \param points of these rays, among the results
  /// \return whether to continue
  bool solve(Driver& driver, int first_ray, int rays, int channels, std::vector<ArrayRef> const& result,
             HostArray<int*> const& points, HostEgaReport& report) {
    HostReport told;
    auto const input =
        part_of(descriptions_of<typename S::input_type>(), input_of(m_call), dimension::ray, first_ray, rays);
    driver.solve(
        input, result, {}, [&](std::int64_t done, std::int64_t) { return tell(done, channels); }, told);
    report.solve_seconds += told.solve_seconds;
    m_done += told.done * channels;
    report.done = m_done;
    for (int r = 0; r < static_cast<int>(told.done); ++r)
      if (points(r) < 0)
        throw Error(name_or(m_call.observation.name, m_settings.function),
                    fmt::format("ray {} has more than {} points: it is trapped in the atmosphere by refraction",
                                first_ray + r, m_npoint));
    return !m_stopped;
  }

  int nray() const { return m_call.observation.nray() * m_settings.copies; }

  /// The sizes of the dimensions of results in a number of channels.
  Dimensions sizes(int channels) const {
    return {{dimension::ray, nray()},
            {dimension::channel, channels},
            {dimension::gas, m_call.problem.ngas()},
            {dimension::level, m_call.atmosphere.nlev()},
            {dimension::point, m_npoint},
            {dimension::axis, 3},
            {dimension::row, derivative_row::count(m_call.problem.ngas())}};
  }

 private:
  typename Driver::Setup setup(int channels) const {
    auto const& a = m_call.atmosphere;
    auto const descriptions = descriptions_of<typename S::input_type>();
    ArrayShapes input = ArrayShapes::of(descriptions, input_of(m_call), dimension::ray);
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
      if (m_settings.copies > 1 && descriptions[i].name == "profile") input.extents[i] = {0};
      if (int const d = descriptions[i].position_of(dimension::profile); d >= 0 && !input.extents[i].empty())
        input.extents[i][static_cast<std::size_t>(d)] *= m_settings.copies;
    }
    // The chunks are those for a full block, so that they do not depend on the size of the last block.
    ForwardCapacity const capacity{.nray = 0,
                                   .ngas = m_call.problem.ngas(),
                                   .nchannel = m_kept.cut->block,
                                   .npoint = m_npoint,
                                   .nprofile = a.nprofile() * m_settings.copies,
                                   .nlev = a.nlev()};
    auto tuning = m_settings.tuning;
    if constexpr (std::is_same_v<typename S::tuning_type, ForwardTuning>)
      if (tuning.nray == 0) tuning.nray = nray();
    return {.where = m_where,
            .item = dimension::ray,
            .input = std::move(input),
            .result = shapes_of<typename S::result_type>(sizes(channels), m_settings.paths),
            .items = nray(),
            .limits = m_settings.limits,
            .make_model = {},
            .capacity =
                [capacity](int rays) {
                  auto of_rays = capacity;
                  of_rays.nray = rays;
                  return of_rays;
                },
            .tuning = tuning,
            .refuse_not_finite = false};
  }

  /// Rays of a chunk if there is a progress callback: few enough for regular calls, enough to keep the machine busy.
  int watched_chunk(int chunk, int block) const {
    constexpr int steps = 64;
    int const busy = runs_on_host<Space> ? 8 * m_space.concurrency() : (1 << 20) / std::max(1, block);
    return std::min(chunk, std::max({1, busy, (nray() + steps - 1) / steps}));
  }

  /// \param of_block setup for channels [first, last)
  Driver make_driver(typename Driver::Setup of_block, int first, int last, HostEgaReport& report) {
    std::size_t device = 0;
    of_block.make_model = [&](Space const& on) { return model_of(on, device++, first, last, report); };
    return Driver(m_space, std::move(of_block), {.chunk = m_chunk, .devices = m_call.options.devices});
  }

  /// The driver of all channels: that of the last call if it fits, otherwise a new one in its place.
  std::shared_ptr<KeptDriver<S>> kept_driver(HostEgaReport& report) {
    using Kept = std::shared_ptr<KeptDriver<S>>;
    int const nchannel = m_call.problem.nchannel();
    auto of_channels = setup(nchannel);
    DriverKey<Space> key{.space = m_space,
                         .function = m_settings.function,
                         .where = m_where,
                         .input = of_channels.input.extents,
                         .result = of_channels.result.extents,
                         .nray = nray(),
                         .npoint = m_npoint,
                         .chunk = m_chunk};
    auto const* const known = std::any_cast<Kept>(&m_kept.driver);
    if (known != nullptr && (*known)->key == key) return *known;
    m_kept.driver.reset();  // before memory is taken for the new one
    auto const kept = std::make_shared<KeptDriver<S>>(std::move(key), [&](DriverKey<Space> const& its) {
      of_channels.where = its.where;
      return make_driver(std::move(of_channels), 0, nchannel, report);
    });
    m_kept.driver = kept;
    return kept;
  }

  /// See kept_model().
  Model<Space, Real> model_of(Space const& on, std::size_t device, int first, int last, HostEgaReport& report) {
    Kokkos::Timer const load;
    bool made = false;
    auto const model = kept_model<Space, Real>(on, m_call.problem, m_kept, device, first, last, &made);
    if (made) report.load_seconds += load.seconds();
    return model;
  }

  /// Reports the progress to the caller. Returns whether to continue.
  bool tell(std::int64_t rays_of_this, int channels) {
    std::int64_t const all = static_cast<std::int64_t>(nray()) * m_call.problem.nchannel();
    if (m_call.options.progress && !m_call.options.progress(m_done + rays_of_this * channels, all)) m_stopped = true;
    return !m_stopped;
  }

  Space m_space;
  Call m_call;
  KeptModel& m_kept;
  BlockSettings<S> m_settings;
  std::string m_where;
  int m_npoint = 0;
  int m_chunk = 0;
  std::int64_t m_done = 0;
  bool m_stopped = false;
};

}  // namespace parhelion::ega::Impl

#endif
