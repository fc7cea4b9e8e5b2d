// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/host_adding.hpp>

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include "adding_setup.hpp"
#include "checks.hpp"
#include "host_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace parhelion::adding {

namespace {

using Impl::InputArrays;
using Impl::make_setup;
using Impl::strategy_for;
using Impl::with_solver;

/// The input that the solver gets in a call. Arrays without effect are left out, and results with respect to them are
/// 0. This is decided for the whole call, so that the results of a profile do not depend on its chunk.
struct Call {
  std::vector<ConstArrayRef> input;
  std::vector<ArrayRef> result;

  Call(HostThreads const& threads, HostAddingInput const& given, std::vector<ArrayRef> const& wanted) : result(wanted) {
    InputArrays in(given);
    split_reflectivity(in);
    if (Impl::all_zero(in["cosmic"])) in["cosmic"] = {};
    if (Impl::all_zero(in["solar_irradiance"])) leave_out_sun(threads, in);
    if (!in.scatters()) in["weight"] = {};
    input = in.arrays;
    if (given.order == VerticalOrder::surface_first) return;
    Impl::reverse(input, Impl::input_descriptions());
    Impl::reverse(result, Impl::result_descriptions());
  }

 private:
  /// For a surface that reflects into the same angle only, the diagonals of its matrices.
  static void split_reflectivity(InputArrays& in) {
    ConstArrayRef const full = in["reflectivity"];
    if (full.empty() || mixes_angles(full)) return;
    in["reflectivity"] = {};
    if (!Impl::all_zero(diagonal(full))) in["specular_reflectivity"] = diagonal(full);
  }

  static bool mixes_angles(ConstArrayRef const& matrices) {
    for (std::int64_t p = 0; p < matrices.extents[0]; ++p)
      for (std::int64_t i = 0; i < matrices.extents[1]; ++i)
        for (std::int64_t j = 0; j < matrices.extents[2]; ++j)
          if (i != j && Impl::value(matrices, p, i, j) != 0) return true;
    return false;
  }

  static ConstArrayRef diagonal(ConstArrayRef const& matrices) {
    ConstArrayRef result = matrices;
    result.rank = 2;
    result.strides[1] += result.strides[2];
    result.extents[2] = result.strides[2] = 0;
    return result;
  }

  void leave_out_sun(HostThreads const& threads, InputArrays& in) {
    for (auto const* const name :
         {"cos_sun", "solar_irradiance", "direct_reflectivity", "perturbation_of_direct_reflectivity"})
      in[name] = {};
    auto& derivative = result.at(Impl::position(Impl::result_descriptions(), "derivative_by_direct_reflectivity"));
    if (derivative.empty()) return;
    ConstArrayRef nothing;
    nothing.rank = derivative.rank;
    nothing.type = derivative.type;
    ArrayCopies zeros;
    zeros.add(nothing, derivative);
    zeros.run(threads);
    derivative = {};
  }
};

HostOptions host_options(HostAddingOptions const& options) {
  return {.space = options.space, .precision = options.precision, .chunk = options.chunk, .devices = options.devices};
}

std::size_t result_bytes(HostAddingInput const& input, bool levels) {
  std::size_t bytes = 0;
  for (auto const& description : Impl::result_descriptions()) {
    auto const extents = Impl::result_extents(description, input, levels);
    std::size_t values = extents.empty() ? 0 : 1;
    for (auto const extent : extents) values *= static_cast<std::size_t>(extent);
    bytes += values * sizeof(double);
  }
  return bytes;
}

HostAddingPlan with_results(HostPlan const& plan, HostAddingInput const& input, HostAddingOptions const& options,
                            Strategy strategy) {
  HostAddingPlan whole;
  static_cast<HostPlan&>(whole) = plan;
  whole.strategy = strategy;
  whole.result_bytes = result_bytes(input, options.levels);
  return whole;
}

/// The negative radiance that rounding can cause, because emission is a difference of transmission and reflection: a
/// few roundings for each layer and angle, of radiances no larger than the largest source.
double left_of_zero(InputArrays const& in, Precision precision) {
  double largest = 0;
  for (auto const* const name : {"planck", "planck_sfc", "cosmic", "solar_irradiance"})
    largest = std::max(largest, Impl::largest(in[name]));
  double const rounding = precision == Precision::float32 ? double(std::numeric_limits<float>::epsilon())
                                                          : std::numeric_limits<double>::epsilon();
  return 16 * rounding * static_cast<double>(in.nlay()) * static_cast<double>(in.nangle()) * largest;
}

void check_radiances(std::vector<ArrayRef> const& result, InputArrays const& in, std::int64_t done, Precision precision,
                     std::string_view where, ArrayNames const& names) {
  auto const& descriptions = Impl::result_descriptions();
  double const least = -left_of_zero(in, precision);
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    auto const& name = descriptions[i].name;
    if ((name != "toa" && name != "up" && name != "dn" && name != "up_emergent") || result[i].empty()) continue;
    Impl::NamedDescription named(descriptions[i], names);
    named.description.range.lowest = least;
    check_values(where, named.description, result[i].part(0, 0, done));
  }
}

}  // namespace

// --- type erasure of the solver ------------------------------------------------------------------------------------

namespace Impl {

class AddingStreams {
 public:
  AddingStreams(HostThreads its_threads, HostAddingOptions the_options, ArrayNames the_names)
      : threads(std::move(its_threads)),
        options(std::move(the_options)),
        names(std::move(the_names)),
        where(names.where.empty() ? "adding" : names.where) {}
  virtual ~AddingStreams() = default;
  AddingStreams(AddingStreams const&) = delete;
  AddingStreams& operator=(AddingStreams const&) = delete;

  virtual void solve(std::vector<ConstArrayRef> const& input, std::vector<ArrayRef> const& result,
                     HostReport& report) = 0;

  HostThreads threads;  ///< of the host
  HostAddingOptions options;
  ArrayNames names;
  std::string where;
  HostAddingPlan plan = {};
};

}  // namespace Impl

namespace {

template <class Solver>
class StreamsOf final : public Impl::AddingStreams {
 public:
  using Driver = HostDriver<Solver>;
  using Space = typename Solver::execution_space;
  using Real = typename Solver::value_type;

  StreamsOf(Space const& space, HostAddingInput const& like, HostAddingOptions const& its_options,
            ArrayNames const& its_names, Strategy strategy)
      : Impl::AddingStreams(HostThreads(space), its_options, its_names),
        m_driver(space, make_setup<Solver>(space, where, like, its_options, strategy), host_options(its_options)) {
    plan = with_results(m_driver.plan(), like, its_options, strategy);
  }

  void solve(std::vector<ConstArrayRef> const& input, std::vector<ArrayRef> const& result,
             HostReport& report) override {
    // Without the sun its angle is arbitrary and must not lead to infinity times 0.
    auto const prepare = [](typename Driver::input_type&, std::vector<ArrayRef> const& staged, std::int64_t, int n) {
      auto const& descriptions = Impl::input_descriptions();
      auto const& cos_sun = staged[Impl::position(descriptions, "cos_sun")];
      auto const& irradiance = staged[Impl::position(descriptions, "solar_irradiance")];
      if (cos_sun.empty()) return;
      for (int p = 0; p < n; ++p)
        if (!(static_cast<Real const*>(irradiance.data)[p] > 0)) static_cast<Real*>(cos_sun.data)[p] = 1;
    };
    m_driver.solve(input, result, prepare, options.progress, report);
  }

 private:
  Driver m_driver;
};

}  // namespace

HostAdding::HostAdding(HostAddingInput const& like, HostAddingOptions const& options, ArrayNames const& names) {
  require_kokkos("HostAdding");
  with_execution_space(options.space, [&](auto const& space) { *this = HostAdding(space, like, options, names); });
}

template <KokkosExecutionSpace ExecutionSpace>
HostAdding::HostAdding(ExecutionSpace const& space, HostAddingInput const& like, HostAddingOptions const& options,
                       ArrayNames const& names) {
  require_kokkos("HostAdding");
  Impl::check_shapes(like, names.where.empty() ? "HostAdding" : names.where, names);
  Strategy const strategy = strategy_for(space, like, options);
  with_solver<ExecutionSpace>(InputArrays(like).scatters(), options.precision, [&]<class Solver>() {
    m_streams = std::make_unique<StreamsOf<Solver>>(space, like, options, names, strategy);
  });
}

HostAdding::~HostAdding() { leave_if_kokkos_is_gone(m_streams); }
HostAdding::HostAdding(HostAdding&&) noexcept = default;
HostAdding& HostAdding::operator=(HostAdding&&) noexcept = default;

HostAddingPlan const& HostAdding::plan() const { return m_streams->plan; }

void HostAdding::compute(HostAddingInput const& input, std::vector<ArrayRef> const& result, HostAddingReport* report) {
  Kokkos::Timer const timer;
  validate(input, m_streams->names);
  HostAddingReport own;
  HostAddingReport& told = report != nullptr ? *report : own;
  Call const call(m_streams->threads, input, result);
  m_streams->solve(call.input, call.result, told);
  told.strategy = m_streams->plan.strategy;
  check_radiances(result, InputArrays(input), told.done, m_streams->options.precision, m_streams->where,
                  m_streams->names);
  told.total_seconds = timer.seconds();
}

HostAddingPlan plan_radiances(HostAddingInput const& input, HostAddingOptions const& options, ArrayNames const& names) {
  validate(input, names);
  HostAddingPlan plan;
  std::string const where = names.where.empty() ? "adding" : names.where;
  with_execution_space(options.space, [&]<class Space>(Space const& space) {
    Strategy const strategy = strategy_for(space, input, options);
    with_solver<Space>(InputArrays(input).scatters(), options.precision, [&]<class Solver>() {
      auto const setup = make_setup<Solver>(space, where, input, options, strategy);
      plan = with_results(HostDriver<Solver>::plan(space, setup, host_options(options)), input, options, strategy);
    });
  });
  return plan;
}

HostRadiances compute_radiances(HostAddingInput const& input, HostAddingOptions const& options,
                                HostAddingReport* report, ArrayNames const& names) {
  Kokkos::Timer const timer;
  HostAdding adding(input, options, names);
  auto const result = make_host_radiances(input, options.levels);
  adding.compute(input, result, report);
  if (report != nullptr) report->total_seconds = timer.seconds();
  return result;
}

#define PARHELION_INSTANTIATE(SPACE) \
  template HostAdding::HostAdding(SPACE const&, HostAddingInput const&, HostAddingOptions const&, ArrayNames const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::adding
