// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/monte_carlo/device_monte_carlo.hpp>

#include "device_arrays.hpp"
#include "problem_arrays.hpp"
#include "result_extents.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/device_copies.hpp>
#include <parhelion/core/device_extremes.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/lifetime.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace parhelion::monte_carlo {

namespace Impl {

template <KokkosExecutionSpace ExecutionSpace>
class MonteCarloOnDevice {
 public:
  MonteCarloOnDevice() = default;
  virtual ~MonteCarloOnDevice() = default;
  MonteCarloOnDevice(MonteCarloOnDevice const&) = delete;
  MonteCarloOnDevice& operator=(MonteCarloOnDevice const&) = delete;

  virtual void solve(ExecutionSpace const& space, DeviceBox const& box, std::vector<ArrayRef> const& results) = 0;
  virtual SolveStatus status(ExecutionSpace const& space) = 0;
  virtual std::size_t bytes() const = 0;
};

}  // namespace Impl

namespace {

constexpr char const* where = "monte_carlo";

/// What memory and tables are made for.
struct MadeFor {
  std::array<std::vector<double>, 3> faces = {};
  double pressure = 0;
  std::array<BoundaryType, 6> type = {};
  std::array<double, 6> emissivity = {}, temperature = {};
  bool extrapolated = false, walls = false;
  Impl::ProblemNumbers numbers = {};  ///< rounded
  std::vector<int> steps = {};        ///< of the grids

  bool operator==(MadeFor const&) const = default;
};

template <class Space, class Real>
class OnDeviceIn final : public Impl::MonteCarloOnDevice<Space> {
 public:
  using Solver = ReciprocalMonteCarlo<Space, Real>;

  OnDeviceIn(Options const& options, OutOfRange out_of_range) : m_options(options), m_out_of_range(out_of_range) {}

  void solve(Space const& space, DeviceBox const& box, std::vector<ArrayRef> const& results) override {
    Options options = m_options;
    options.walls = std::any_of(results.begin() + std::min<std::ptrdiff_t>(Impl::of_walls, std::ssize(results)),
                                results.end(), [](ArrayRef const& array) { return !array.empty(); });
    Problem problem = in_range_without_arrays(box);
    check(problem, box, results);
    stage(space, problem, box);
    auto const numbers = ask(space, problem, box);
    bool const refuses = m_out_of_range == OutOfRange::refuse;
    Impl::check_numbers(problem, numbers, where, refuses);
    // As in_range() does it for host arrays.
    bool const extrapolates = m_out_of_range == OutOfRange::extrapolate && is_outside(problem, numbers);
    if (extrapolates) {
      problem.spectrum = problem.spectrum.extrapolated();
      Impl::check_numbers(problem, numbers, where, true);
    }
    make(space, problem, numbers, options, extrapolates);
    Impl::bring_arrays(space, *m_arrays, m_staged, problem.pressure);
    auto const n = [&](int axis) { return static_cast<std::size_t>(problem.grid.ncell(axis)); };
    MonteCarloInput<Space, Real> input;
    input.temperature = Array<Real const***, Space>(m_arrays->temperature.data(), n(0), n(1), n(2));
    // Of the results only those that are wanted.
    Results<Space> of_call;
    std::size_t i = 0;
    Results<Space>::for_each_array(
        [&](ArrayDescription const&, auto& to, auto const& room) {
          if (i == 0 || (i < results.size() && !results[i].empty())) to = room;
          ++i;
        },
        of_call, m_results);
    m_solver->solve_in_double(space, input, of_call);
    i = 0;
    Results<Space>::for_each_array(
        [&](ArrayDescription const&, auto const& view) {
          if (view.size() > 0) m_copies.add(array_ref(view), results[i]);
          ++i;
        },
        of_call);
    m_copies.run(space);
  }

  SolveStatus status(Space const& space) override {
    SolveStatus all = std::exchange(m_before, {});
    if (!m_solver) return all;
    auto const now = m_solver->status(space);
    return all.good() ? now : all;
  }

  std::size_t bytes() const override {
    if (!m_solver) return 0;
    std::size_t doubles = m_room.size();
    Results<Space>::for_each_array([&](ArrayDescription const&, auto const& view) { doubles += view.size(); },
                                   m_results);
    return m_solver->workspace_bytes() + DeviceProblem<Space, Real>(m_arrays).bytes() + doubles * sizeof(double);
  }

 private:
  /// Pressure and temperatures of walls within their ranges, if values are clipped.
  Problem in_range_without_arrays(DeviceBox const& box) const {
    Problem problem = box.problem;
    problem.temperature = problem.mole_fraction = {};
    for (std::size_t side = 0; side < 6; ++side) {
      auto& boundary = problem.boundaries[side];
      boundary.face_temperature = {};
      // That of the side does not count then.
      if (!box.face_temperature[side].empty()) boundary.temperature = 0;
    }
    if (m_out_of_range != OutOfRange::clip) return problem;
    auto const& valid = problem.spectrum.validity();
    problem.pressure = valid.pressure.nearest(problem.pressure);
    for (auto& boundary : problem.boundaries)
      if (boundary.is_wall()) boundary.temperature = valid.wall_temperature.nearest(boundary.temperature);
    return problem;
  }

  /// Whether any value is outside the validity of the spectrum.
  static bool is_outside(Problem const& problem, Impl::ProblemNumbers const& numbers) {
    auto const& valid = problem.spectrum.validity();
    auto const outside = [](Extremes const& found, ValidRange const& range) {
      return !range.contains(found.lowest) || !range.contains(found.highest);
    };
    bool any = outside(numbers.temperature, valid.temperature) || !valid.pressure.contains(problem.pressure) ||
               (numbers.mole_fraction && outside(*numbers.mole_fraction, valid.mole_fraction));
    for (std::size_t side = 0; side < 6; ++side) {
      auto const& boundary = problem.boundaries[side];
      if (!boundary.is_wall()) continue;
      any = any || outside(numbers.faces[side].value_or(Extremes{boundary.temperature, boundary.temperature}),
                           valid.wall_temperature);
    }
    return any;
  }

  void check(Problem const& problem, DeviceBox const& box, std::vector<ArrayRef> const& results) const {
    std::array<bool, 6> faces{};
    std::array<bool, 6> has_flux{};
    for (std::size_t side = 0; side < 6; ++side) {
      faces[side] = !box.face_temperature[side].empty();
      has_flux[side] = problem.boundaries[side].is_wall();
      if (faces[side] && !has_flux[side])
        throw Error(where, fmt::format("{} is given, expected none because the side is periodic",
                                       describe_face_temperature(side).name));
    }
    Impl::check_without_arrays(problem, faces, where, m_out_of_range == OutOfRange::refuse);
    auto sizes = problem.grid.dimensions();
    check_extents(where, describe_temperature(), box.temperature, sizes);
    check_extents(where, describe_mole_fraction(), box.mole_fraction, sizes);
    for (std::size_t side = 0; side < 6; ++side)
      check_extents(where, describe_face_temperature(side), box.face_temperature[side], sizes);
    if (results.size() != descriptions_of<Results<Space>>().size())
      throw Error(where, fmt::format("{} arrays of results, expected {}", results.size(),
                                     descriptions_of<Results<Space>>().size()));
    Impl::check_extents_of_results(where, sizes, has_flux, {results.begin(), results.end()});
  }

  /// Copies the caller's arrays into contiguous ones in double precision.
  void stage(Space const& space, Problem const& problem, DeviceBox const& box) {
    std::size_t values = problem.grid.size();
    if (!box.mole_fraction.empty()) values += problem.grid.size();
    for (auto const& faces : box.face_temperature) values += static_cast<std::size_t>(faces.size());
    if (values > m_room.size()) {
      space.fence("parhelion::monte_carlo::DeviceMonteCarlo");
      m_room = Room(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::monte_carlo::arrays"), values);
    }
    double* to = m_room.data();
    auto const& valid = problem.spectrum.validity();
    auto const take = [&](ConstArrayRef const& from, ValidRange const& range) -> ConstArrayRef {
      if (from.empty()) return {};
      ArrayRef const staged = Impl::contiguous(to, from);
      ValueMap map;
      if (m_out_of_range == OutOfRange::clip) {
        map.lowest = range.lowest;
        map.highest = range.highest;
      }
      m_copies.add(from, staged, map);
      to += from.size();
      return staged;
    };
    m_staged.on_device = true;
    m_staged.temperature = take(box.temperature, valid.temperature);
    m_staged.mole_fraction = take(box.mole_fraction, valid.mole_fraction);
    for (std::size_t side = 0; side < 6; ++side)
      m_staged.face_temperature[side] = take(box.face_temperature[side], valid.wall_temperature);
    m_copies.run(space);
  }

  using Room = Kokkos::View<double*, typename Space::memory_space>;

  static Kokkos::View<double const*, typename Space::memory_space> values_of(ConstArrayRef const& staged) {
    return Room(static_cast<double*>(const_cast<void*>(staged.data)), static_cast<std::size_t>(staged.size()));
  }

  Impl::ProblemNumbers ask(Space const& space, Problem const& problem, DeviceBox const& box) const {
    Impl::ProblemNumbers numbers;
    numbers.temperature = extremes_of(space, values_of(m_staged.temperature));
    double mean = 1;
    if (!box.mole_fraction.empty()) {
      auto const values = values_of(m_staged.mole_fraction);
      numbers.mole_fraction = extremes_of(space, values);
      mean = sum_in_order(space, values) / static_cast<double>(values.size());
    }
    numbers.mean_amount = mean * (problem.pressure / reference_pressure);
    for (std::size_t side = 0; side < 6; ++side)
      if (!box.face_temperature[side].empty())
        numbers.faces[side] = extremes_of(space, values_of(m_staged.face_temperature[side]));
    return numbers;
  }

  /// Makes what is not that of the call before.
  void make(Space const& space, Problem const& problem, Impl::ProblemNumbers const& numbers, Options const& options,
            bool extrapolates) {
    MadeFor now{.faces = problem.grid.faces,
                .pressure = problem.pressure,
                .extrapolated = extrapolates,
                .walls = options.walls,
                .numbers = Impl::rounded(numbers)};
    std::vector<double> faces;
    auto const levels = levels_of(problem, numbers, options, faces);
    for (Level const& level : levels) now.steps.push_back(level.steps);
    for (std::size_t side = 0; side < 6; ++side) {
      now.type[side] = problem.boundaries[side].type;
      now.emissivity[side] = problem.boundaries[side].emissivity;
      now.temperature[side] = problem.boundaries[side].temperature;
    }
    if (m_solver && now == m_made_for) return;
    m_before = status(space);  // waits for the work that uses the memory
    m_solver.reset();
    m_arrays = Impl::make_device_arrays<Space, Real>(space, problem, numbers, options);
    // Until the first call of the solver there is a temperature to begin with.
    Impl::bring_arrays(space, *m_arrays, m_staged, problem.pressure);
    DeviceProblem<Space, Real> const model(m_arrays);
    MonteCarloCapacity capacity;
    capacity.ncell = model.ncell();
    capacity.nplane = Impl::planes_of(problem.grid);
    capacity.ncells = cells_of_all(levels);
    capacity.items = {0, model.ncell() + model.nface()};
    Impl::set_rays(capacity, options);
    capacity.repetitions = std::min(Solver::concurrent_repetitions(capacity.items.end), options.repetitions);
    m_solver.emplace(space, model, capacity);
    auto const room = [&]<class View>(View& view, auto... extents) {
      view =
          View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::monte_carlo::results"), extents...);
    };
    auto const n = [&](int axis) { return static_cast<std::size_t>(problem.grid.ncell(axis)); };
    m_results = {};
    for (auto* const array : {&m_results.q, &m_results.q_error, &m_results.incident}) room(*array, n(0), n(1), n(2));
    for (std::size_t axis = 0; axis < 3; ++axis) room(m_results.q_plane_error[axis], n(static_cast<int>(axis)));
    room(m_results.q_box_error, std::size_t(1));
    for (std::size_t side = 0; options.walls && side < 6; ++side) {
      if (!problem.boundaries[side].is_wall()) continue;
      auto const [n0, n1] = face_extents(problem.grid, static_cast<int>(side));
      for (auto* const array : {&m_results.wall_flux[side], &m_results.wall_flux_error[side]}) room(*array, n0, n1);
    }
    m_made_for = std::move(now);
  }

  Options m_options;
  OutOfRange m_out_of_range;
  MadeFor m_made_for;
  Room m_room;
  Impl::ProblemArrays m_staged;  ///< in m_room
  std::shared_ptr<Impl::DeviceArrays<Space, Real>> m_arrays;
  std::optional<Solver> m_solver;
  Results<Space> m_results;
  SolveStatus m_before;  ///< of calls for which something else was made
  DeviceCopies<Space> m_copies;
};

}  // namespace

template <KokkosExecutionSpace Space>
DeviceMonteCarlo<Space>::DeviceMonteCarlo(Options const& options, Precision precision, OutOfRange out_of_range) {
  require_kokkos("DeviceMonteCarlo");
  validate(options);
  if (precision == Precision::float32)
    m_parts = std::make_unique<OnDeviceIn<Space, float>>(options, out_of_range);
  else
    m_parts = std::make_unique<OnDeviceIn<Space, double>>(options, out_of_range);
}

template <KokkosExecutionSpace Space>
DeviceMonteCarlo<Space>::~DeviceMonteCarlo() {
  leave_if_kokkos_is_gone(m_parts);
}
template <KokkosExecutionSpace Space>
DeviceMonteCarlo<Space>::DeviceMonteCarlo(DeviceMonteCarlo&&) noexcept = default;
template <KokkosExecutionSpace Space>
DeviceMonteCarlo<Space>& DeviceMonteCarlo<Space>::operator=(DeviceMonteCarlo&&) noexcept = default;

template <KokkosExecutionSpace Space>
void DeviceMonteCarlo<Space>::compute(Space const& space, DeviceBox const& box, std::vector<ArrayRef> const& results) {
  m_parts->solve(space, box, results);
}

template <KokkosExecutionSpace Space>
SolveStatus DeviceMonteCarlo<Space>::status(Space const& space) {
  return m_parts->status(space);
}

template <KokkosExecutionSpace Space>
std::size_t DeviceMonteCarlo<Space>::bytes() const {
  return m_parts->bytes();
}

#define PARHELION_INSTANTIATE(SPACE) template class DeviceMonteCarlo<SPACE>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::monte_carlo
