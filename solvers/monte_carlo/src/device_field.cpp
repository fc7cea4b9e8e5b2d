// SPDX-License-Identifier: BSD-3-Clause
#include "device_field.hpp"

#include "step_counts.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace parhelion::monte_carlo {

namespace {

// The least number of cells along an axis of a coarser grid.
constexpr int min_cells = 4;
// An int must hold four times this number.
constexpr std::int64_t max_cells = std::int64_t(1) << 29;
// Cell widths whose ratio is below this are treated as equal.
constexpr double alike = 1.5;

// Derivatives of the parabola through three points, at the middle one.
struct Parabola {
  double slope;
  double curvature;
};

// Through (x[i], y[i]), at x[at].
KOKKOS_INLINE_FUNCTION Parabola parabola(double const* x, double const* y, int at) {
  double const first = (y[1] - y[0]) / (x[1] - x[0]);
  double const second = (y[2] - y[1]) / (x[2] - x[1]);
  double const half_curvature = (second - first) / (x[2] - x[0]);
  // Newton's form: first + half_curvature (2x - x0 - x1).
  return {first + half_curvature * (2 * x[at] - x[0] - x[1]), 2 * half_curvature};
}

// The cells along a line.
template <class Space, class Real>
struct Line {
  DeviceField<Space, Real> field;
  Level level;
  int axis;

  KOKKOS_INLINE_FUNCTION double width(int i) const {
    int const f = level.first_face[axis] + i;
    return double(field.face(f + 1)) - double(field.face(f));
  }
  KOKKOS_INLINE_FUNCTION double centre(int i) const {
    int const f = level.first_face[axis] + i;
    return (double(field.face(f + 1)) + double(field.face(f))) / 2;
  }
};

// Slope and curvature along an axis of a quantity that has the value `value(i)` in cell i.
template <class Space, class Real, class Value>
KOKKOS_INLINE_FUNCTION Parabola derivatives(Line<Space, Real> const& line, int i, Value const& value) {
  int const n = line.level.ncell[line.axis];
  bool const wraps = line.field.periodic[line.axis];
  if (n == 1 || (n == 2 && wraps)) return {0, 0};
  if (n == 2) return {(value(1) - value(0)) / (line.centre(1) - line.centre(0)), 0};
  int const first = wraps ? i - 1 : i == 0 ? 0 : i == n - 1 ? n - 3 : i - 1;
  double x[3];
  double y[3];
  for (int k = 0; k < 3; ++k) {
    int const j = first + k;
    int const turn = j < 0 ? -1 : j >= n ? 1 : 0;
    x[k] = line.centre(j - turn * n) + turn * double(line.field.length[line.axis]);
    y[k] = value(j - turn * n);
  }
  return parabola(x, y, i - first);
}

KOKKOS_INLINE_FUNCTION void indices(Level const& level, int cell, int* index) {
  index[2] = cell % level.ncell[2];
  index[1] = cell / level.ncell[2] % level.ncell[1];
  index[0] = cell / level.ncell[2] / level.ncell[1];
}

KOKKOS_INLINE_FUNCTION int cells_of(Level const& level) { return level.ncell[0] * level.ncell[1] * level.ncell[2]; }

KOKKOS_INLINE_FUNCTION int stride(Level const& level, int axis) {
  return axis == 2 ? 1 : axis == 1 ? level.ncell[2] : level.ncell[2] * level.ncell[1];
}

// Mean temperatures of the finest cells: the means of the parabolas through the centres.
template <class Space, class Real>
void average_finest(Space const& space, DeviceField<Space, Real> const& field, bool linear) {
  Kokkos::parallel_for(
      "parhelion::monte_carlo::average_finest", light_weight(Kokkos::RangePolicy<Space>(space, 0, field.ncell())),
      KOKKOS_LAMBDA(int cell) {
        Level const level = field.level[0];
        double mean = field.temperature(cell);
        if (linear) {
          int index[3];
          indices(level, cell, index);
          double more = 0;
          for (int axis = 0; axis < 3; ++axis) {
            Line<Space, Real> const line{field, level, axis};
            int const step = stride(level, axis);
            int const origin = cell - index[axis] * step;
            Parabola const shape =
                derivatives(line, index[axis], [&](int i) { return double(field.temperature(origin + i * step)); });
            double const width = line.width(index[axis]);
            more += shape.curvature * width * width / 24;
          }
          mean += more;
        }
        field.mean(cell) = static_cast<Real>(mean);
      });
}

// The cells of one level that lie in one of the next level.
template <class Space, class Real>
struct Children {
  DeviceField<Space, Real> field;
  Level fine;
  Level coarse;

  KOKKOS_INLINE_FUNCTION double width(int axis, int i) const {
    int const f = fine.first_face[axis] + i;
    return double(field.face(f + 1)) - double(field.face(f));
  }

  // The mean over their volume of a quantity that has the value `value(index)`; the index counts the cells of all
  // levels.
  template <class Value>
  KOKKOS_INLINE_FUNCTION double mean(int cell, Value const& value) const {
    int index[3];
    indices(coarse, cell, index);
    int begin[3];
    int end[3];
    for (int axis = 0; axis < 3; ++axis) {
      int const shift = coarse.shift[axis] - fine.shift[axis];
      begin[axis] = index[axis] << shift;
      end[axis] = (index[axis] + 1) << shift;
      if (end[axis] > fine.ncell[axis]) end[axis] = fine.ncell[axis];
    }
    double sum = 0;
    double volume = 0;
    for (int i = begin[0]; i < end[0]; ++i)
      for (int j = begin[1]; j < end[1]; ++j)
        for (int k = begin[2]; k < end[2]; ++k) {
          double const v = width(0, i) * width(1, j) * width(2, k);
          sum += v * value(fine.first_cell + (i * fine.ncell[1] + j) * fine.ncell[2] + k);
          volume += v;
        }
    return sum / volume;
  }
};

// Means of `values`, an array by level, over the cells of the level before.
template <class Space, class Real, class Values>
void average_coarse(Space const& space, DeviceField<Space, Real> const& field, Values const& values, int grid_index) {
  Children<Space, Real> const children{field, field.level[grid_index - 1], field.level[grid_index]};
  Kokkos::parallel_for(
      "parhelion::monte_carlo::average_coarse",
      light_weight(Kokkos::RangePolicy<Space>(space, 0, cells_of(field.level[grid_index]))), KOKKOS_LAMBDA(int cell) {
        values(children.coarse.first_cell + cell) =
            static_cast<Real>(children.mean(cell, [&](int i) { return double(values(i)); }));
      });
}

// Variances of temperature in cells: those between the cells of the level before plus those within them.
template <class Space, class Real>
void spread_coarse(Space const& space, DeviceField<Space, Real> const& field, int grid_index) {
  Children<Space, Real> const children{field, field.level[grid_index - 1], field.level[grid_index]};
  Kokkos::parallel_for(
      "parhelion::monte_carlo::spread_coarse",
      light_weight(Kokkos::RangePolicy<Space>(space, 0, cells_of(field.level[grid_index]))), KOKKOS_LAMBDA(int cell) {
        double const mean = field.mean(children.coarse.first_cell + cell);
        field.variance(children.coarse.first_cell + cell) = static_cast<Real>(children.mean(cell, [&](int i) {
          double const off = double(field.mean(i)) - mean;
          return double(field.variance(i)) + off * off;
        }));
      });
}

// The temperature in a cell as a linear function of the position.
template <class Space, class Real>
void find_slopes(Space const& space, DeviceField<Space, Real> const& field, int grid_index, bool linear,
                 bool by_emission) {
  Level const level = field.level[grid_index];
  Kokkos::parallel_for(
      "parhelion::monte_carlo::find_slopes", light_weight(Kokkos::RangePolicy<Space>(space, 0, cells_of(level))),
      KOKKOS_LAMBDA(int cell) {
        int index[3];
        indices(level, cell, index);
        double const mean = field.mean(level.first_cell + cell);
        // Rounded as the places of the temperatures at which rays start: at one temperature nothing is emitted.
        double at_origin = field.steps(field.mean(level.first_cell + cell));
        double of_slopes = 0;
        CellTemperature<Real> result{};
        for (int axis = 0; linear && axis < 3; ++axis) {
          Line<Space, Real> const line{field, level, axis};
          int const step = stride(level, axis);
          int const origin = level.first_cell + cell - index[axis] * step;
          Parabola const shape =
              derivatives(line, index[axis], [&](int i) { return double(field.mean(origin + i * step)); });
          result.slope[axis] = static_cast<Real>(shape.slope * double(field.steps.per_kelvin));
          at_origin -= double(result.slope[axis]) * line.centre(index[axis]);
          double const difference = shape.slope * line.width(index[axis]);
          of_slopes += difference * difference / 12;
        }
        if (grid_index == 0) {
          field.variance(cell) = static_cast<Real>(of_slopes);
        } else if (by_emission && mean > 0) {
          // <(T + t)^4> = T^4 + 6 T^2 <t^2> + ..., the fourth power of T + 3/2 <t^2> / T.
          at_origin += 1.5 * (double(field.variance(level.first_cell + cell)) - of_slopes) / mean *
                       double(field.steps.per_kelvin);
        }
        result.at_origin = static_cast<Real>(at_origin);
        field.cell(level.first_cell + cell) = result;
      });
}

// Fills DeviceField::crossing and finds the places of levels in it.
template <class Space, class Real, class HostFaces>
std::vector<Crossing<Real>> crossings_of(DeviceField<Space, Real>& field, HostFaces const& faces) {
  std::vector<Crossing<Real>> all;
  for (int grid_index = 0; grid_index < field.nlevel; ++grid_index) {
    Level& level = field.level[grid_index];
    for (int axis = 0; axis < 3; ++axis) {
      int const n = level.ncell[axis];
      for (int const up : {0, 1}) {
        level.first_crossing[axis][up] = static_cast<int>(all.size());
        int const ahead = up != 0 ? 1 : -1;
        for (int i = 0; i < n; ++i) {
          int const turn = i + ahead < 0 ? 1 : i + ahead >= n ? -1 : 0;
          bool const is_wall = turn != 0 && !field.periodic[axis];
          int const to = is_wall ? i : i + ahead + turn * n;
          Real const shift = is_wall ? Crossing<Real>::of_wall : Real(turn) * field.length[axis];
          all.push_back({.next_face = faces(level.first_face[axis] + to + up) - shift,
                         .shift = shift,
                         .step = to - i,
                         .cells = (to - i) * stride(level, axis)});
        }
      }
    }
  }
  return all;
}

}  // namespace

std::vector<Level> levels_of(Problem const& problem, Impl::ProblemNumbers const& numbers, Options const& options,
                             std::vector<double>& faces) {
  std::vector<Level> levels;
  int const most = options.grids > 0 ? std::min(options.grids, max_grids) : max_grids;
  std::int64_t cells = 0;
  std::vector<double> width;
  for (int grid_index = 0; grid_index < most; ++grid_index) {
    Level level{};
    bool coarser = grid_index == 0;
    // Axes along which cells are narrow are coarsened first, so that cells become about equally wide along all axes.
    double narrow = std::numeric_limits<double>::infinity();
    auto const can_coarsen = [&](int axis) {
      return (problem.grid.ncell(axis) >> (levels.back().shift[axis] + 1)) >= min_cells;
    };
    auto const width_before = [&](int axis) { return problem.grid.length(axis) / levels.back().ncell[axis]; };
    for (int axis = 0; grid_index > 0 && axis < 3; ++axis)
      if (can_coarsen(axis)) narrow = std::min(narrow, width_before(axis));
    for (int axis = 0; axis < 3; ++axis) {
      int const n = problem.grid.ncell(axis);
      level.shift[axis] = grid_index == 0 ? 0 : levels.back().shift[axis];
      if (grid_index > 0 && can_coarsen(axis) && width_before(axis) <= alike * narrow) {
        ++level.shift[axis];
        coarser = true;
      }
      int const block = 1 << level.shift[axis];
      level.ncell[axis] = (n + block - 1) / block;
      level.first_face[axis] = static_cast<int>(faces.size());
      auto const& all = problem.grid.faces[static_cast<std::size_t>(axis)];
      for (int i = 0; i <= level.ncell[axis]; ++i)
        faces.push_back(all[static_cast<std::size_t>(std::min(i * block, n))]);
    }
    if (!coarser) break;
    double narrowest = problem.grid.length(0) / level.ncell[0];
    for (int axis = 1; axis < 3; ++axis) narrowest = std::min(narrowest, problem.grid.length(axis) / level.ncell[axis]);
    width.push_back(narrowest);
    level.first_cell = static_cast<int>(cells);
    cells += std::int64_t(level.ncell[0]) * level.ncell[1] * level.ncell[2];
    if (cells > max_cells)
      throw Error("monte_carlo grids",
                  fmt::format("{} cells in {} of them, expected no more than {}", cells, grid_index + 1, max_cells));
    levels.push_back(level);
  }
  auto const steps = Impl::step_counts(problem, numbers, options, width);
  levels.resize(std::min(levels.size(), steps.size() + 1));
  for (std::size_t grid_index = 0; grid_index < levels.size(); ++grid_index)
    levels[grid_index].steps = grid_index < steps.size() ? steps[grid_index] : 1;
  return levels;
}

std::size_t cells_of_all(std::vector<Level> const& levels) {
  return static_cast<std::size_t>(levels.back().first_cell + cells_of(levels.back()));
}

template <KokkosExecutionSpace Space, Floating Real>
DeviceField<Space, Real> make_device_field(Space const& space, Problem const& problem,
                                           Impl::ProblemNumbers const& numbers, Options const& options) {
  DeviceField<Space, Real> field;
  std::vector<double> faces;
  auto const levels = levels_of(problem, numbers, options, faces);
  field.nlevel = static_cast<int>(levels.size());
  std::copy(levels.begin(), levels.end(), field.level);
  for (int axis = 0; axis < 3; ++axis) {
    field.periodic[axis] = !problem.boundaries[static_cast<std::size_t>(2 * axis)].is_wall();
    field.length[axis] = static_cast<Real>(problem.grid.length(axis));
  }
  auto const label = [&](char const* name) {
    return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::monte_carlo::") + name);
  };
  field.face = Array<Real*, Space>(label("face"), faces.size());
  auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), field.face);
  for (std::size_t i = 0; i < faces.size(); ++i) host(i) = static_cast<Real>(faces[i]);
  copy_array(space, field.face, host);
  auto const crossings = crossings_of(field, host);
  field.crossing = Array<Crossing<Real>*, Space>(label("crossing"), crossings.size());
  copy_array(space, field.crossing,
             Kokkos::View<Crossing<Real> const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(crossings.data(),
                                                                                             crossings.size()));
  field.amount_stride = numbers.mole_fraction ? 1 : 0;
  field.amount = Array<Real*, Space>(label("amount"), numbers.mole_fraction ? cells_of_all(levels) : 1);
  if (!numbers.mole_fraction)
    Kokkos::deep_copy(space, field.amount, static_cast<Real>(problem.pressure / reference_pressure));
  space.fence("parhelion::monte_carlo::make_device_field");
  return field;
}

template <KokkosExecutionSpace Space, Floating Real>
void bring_amount(Space const& space, DeviceField<Space, Real> const& field, Impl::ProblemArrays const& arrays,
                  double pressure) {
  if (field.amount_stride == 0) return;
  Impl::bring(space, arrays.mole_fraction, arrays.on_device,
              Impl::contiguous(field.amount.data(), arrays.mole_fraction), pressure / reference_pressure);
  for (int grid_index = 1; grid_index < field.nlevel; ++grid_index)
    average_coarse(space, field, field.amount, grid_index);
}

template <KokkosExecutionSpace Space, Floating Real>
void update_temperature(Space const& space, DeviceField<Space, Real> const& field, Options const& options) {
  bool const linear = options.reconstruction == Reconstruction::linear;
  average_finest(space, field, linear);
  for (int grid_index = 0; grid_index < field.nlevel; ++grid_index) {
    if (grid_index > 0) {
      average_coarse(space, field, field.mean, grid_index);
      spread_coarse(space, field, grid_index);
    }
    find_slopes(space, field, grid_index, linear, options.coarse == CoarseTemperature::emission);
  }
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)                                                                          \
  template DeviceField<SPACE, float> make_device_field(SPACE const&, Problem const&, Impl::ProblemNumbers const&,  \
                                                       Options const&);                                            \
  template DeviceField<SPACE, double> make_device_field(SPACE const&, Problem const&, Impl::ProblemNumbers const&, \
                                                        Options const&);                                           \
  template void bring_amount(SPACE const&, DeviceField<SPACE, float> const&, Impl::ProblemArrays const&, double);  \
  template void bring_amount(SPACE const&, DeviceField<SPACE, double> const&, Impl::ProblemArrays const&, double); \
  template void update_temperature(SPACE const&, DeviceField<SPACE, float> const&, Options const&);                \
  template void update_temperature(SPACE const&, DeviceField<SPACE, double> const&, Options const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::monte_carlo
