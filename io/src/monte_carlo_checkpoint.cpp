// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/monte_carlo_checkpoint.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace parhelion::io {

namespace {

using monte_carlo::Problem;

constexpr char const* layout = "parhelion Monte Carlo checkpoint 4";
// Files of former layouts can still be read: these have no sums over planes,
constexpr char const* layout_without_planes = "parhelion Monte Carlo checkpoint 3";
// and these no unfinished repetitions either.
constexpr char const* layout_of_whole_repetitions = "parhelion Monte Carlo checkpoint 2";

// Fowler, Noll & Vo's hash, FNV-1a, over 64-bit words and their upper halves.
class Hash {
 public:
  void add(double value) {
    auto const word = std::bit_cast<std::uint64_t>(value);
    for (std::uint64_t const part : {word & 0xffffffffU, word >> 32U}) m_state = (m_state ^ part) * 0x100000001b3U;
  }
  void add(std::span<double const> values) {
    for (double const value : values) add(value);
  }
  std::string text() const { return fmt::format("{:016x}", m_state); }

 private:
  std::uint64_t m_state = 0xcbf29ce484222325U;
};

template <class View>
std::string hash_of(View const& view) {
  Hash hash;
  hash.add(std::span<double const>(view.data(), view.size()));
  return hash.text();
}

std::string boundary_text(monte_carlo::Boundary const& boundary) {
  if (!boundary.is_wall()) return "periodic";
  return fmt::format("wall of emissivity {} at {}", boundary.emissivity,
                     boundary.face_temperature.size() > 0 ? "temperatures " + hash_of(boundary.face_temperature)
                                                          : fmt::format("{} K", boundary.temperature));
}

// Absorption coefficients at some temperatures that the gas has, sources at those and beyond.
std::string spectrum_text(Problem const& problem) {
  auto const& spectrum = problem.spectrum;
  auto const* const first = problem.temperature.data();
  auto const [coldest, warmest] = std::minmax_element(first, first + problem.temperature.size());
  Hash hash;
  constexpr int several = 7;
  for (int i = 0; i < several; ++i) {
    double const weight = static_cast<double>(i) / (several - 1);
    double const temperature = std::min(*coldest + weight * (*warmest - *coldest), *warmest);
    for (int s = 0; s < spectrum.npoint(); ++s) {
      hash.add(spectrum.absorption(s, temperature));
      hash.add(spectrum.source(s, temperature));
    }
  }
  return fmt::format("{} ({} points, {})", spectrum.name(), spectrum.npoint(), hash.text());
}

char const* name_of(monte_carlo::Sampling sampling) {
  switch (sampling) {
    case monte_carlo::Sampling::random:
      return "random";
    case monte_carlo::Sampling::stratified:
      return "stratified";
    case monte_carlo::Sampling::sobol:
      return "sobol";
    case monte_carlo::Sampling::kronecker:
      return "kronecker";
  }
  return "";
}

char const* name_of(monte_carlo::Directions directions) {
  switch (directions) {
    case monte_carlo::Directions::independent:
      return "independent";
    case monte_carlo::Directions::shared:
      return "shared";
    case monte_carlo::Directions::tiles:
      return "tiles";
  }
  return "";
}

char const* name_of(monte_carlo::SpectralOrder order) {
  switch (order) {
    case monte_carlo::SpectralOrder::table:
      return "table";
    case monte_carlo::SpectralOrder::absorption:
      return "absorption";
    case monte_carlo::SpectralOrder::hilbert:
      return "hilbert";
  }
  return "";
}

int read_count(Hdf5File const& file, std::string const& name) {
  auto const where = fmt::format("{}: {}", file.path(), name);
  if (auto const shape = file.shape(name); !shape.empty() && shape != std::vector<std::size_t>{1})
    throw Error(where, fmt::format("has shape ({}), expected one number of repetitions", fmt::join(shape, ", ")));
  double const value = file.read(name).at(0);
  if (!(value >= 0 && value <= std::numeric_limits<int>::max()) || value != std::floor(value))
    throw Error(where, fmt::format("is {:g}, expected one number of repetitions", value));
  return static_cast<int>(value);
}

// Sums of a shape that is known before, but for the number of cells and faces where that is 0.
std::vector<double> read_sums(Hdf5File const& file, std::string const& name, std::vector<std::size_t> expected,
                              std::size_t& items) {
  auto const shape = file.shape(name);
  if (shape.size() == expected.size() + 1 && items == 0) items = shape.back();
  expected.push_back(items);
  if (shape != expected)
    throw Error(fmt::format("{}: {}", file.path(), name),
                fmt::format("has shape ({}), expected ({})", fmt::join(shape, ", "), fmt::join(expected, ", ")));
  auto values = file.read(name);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) Impl::refuse_value(file.path(), name, shape, i, values[i], "", "a finite number");
  return values;
}

// Cells and faces that follow each other mostly have had as many rays: where such a stretch ends, and how many.
struct Stretches {
  std::vector<double> end;
  std::vector<double> rays;
};

Stretches stretches_of(std::vector<int> const& rays) {
  Stretches result;
  for (std::size_t item = 0; item < rays.size(); ++item) {
    if (result.end.empty() || result.rays.back() != rays[item]) {
      result.end.push_back(0);
      result.rays.push_back(rays[item]);
    }
    result.end.back() = static_cast<double>(item + 1);
  }
  return result;
}

std::vector<int> read_rays(Hdf5File const& file, std::size_t items) {
  auto const shape = file.shape("stretch_end");
  if (shape.size() != 1 || shape[0] > items || file.shape("stretch_rays") != shape)
    throw Error(file.path(), fmt::format("stretch_end and stretch_rays have shapes ({}) and ({}), expected one shape "
                                         "(stretch) of {} at most",
                                         fmt::join(shape, ", "), fmt::join(file.shape("stretch_rays"), ", "), items));
  auto const end = file.read("stretch_end"), rays = file.read("stretch_rays");
  std::vector<int> result;
  for (std::size_t i = 0; i < end.size(); ++i) {
    double const before = i > 0 ? end[i - 1] : 0;
    if (!(end[i] > before && end[i] <= static_cast<double>(items)) || end[i] != std::floor(end[i]))
      throw Error(file.path(), fmt::format("stretch_end({}) = {:g}, expected a number above {:g}, up to {}", i, end[i],
                                           before, items));
    if (!(rays[i] >= 0 && rays[i] <= std::numeric_limits<int>::max()) || rays[i] != std::floor(rays[i]))
      throw Error(file.path(), fmt::format("stretch_rays({}) = {:g}, expected a number of rays", i, rays[i]));
    result.resize(static_cast<std::size_t>(end[i]), static_cast<int>(rays[i]));
  }
  if (result.size() != items)
    throw Error(file.path(), fmt::format("stretch_end ends at {}, expected {}", result.size(), items));
  return result;
}

}  // namespace

Attributes monte_carlo_fingerprint(Problem const& problem, monte_carlo::Options const& options, Precision precision) {
  Attributes all;
  auto const add = [&](std::string const& name, auto const& value) {
    all.emplace_back(name, fmt::format("{}", value));
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    add(fmt::format("faces_{}", monte_carlo::axis_names[axis]),
        fmt::format("{} cells, {}", problem.grid.ncell(static_cast<int>(axis)), hash_of(problem.grid.faces[axis])));
  add("temperature", hash_of(problem.temperature));
  add("mole_fraction", problem.mole_fraction.size() > 0 ? hash_of(problem.mole_fraction) : "1");
  add("pressure", problem.pressure);
  for (std::size_t side = 0; side < monte_carlo::side_names.size(); ++side)
    add(monte_carlo::side_names[side], boundary_text(problem.boundaries[side]));
  add("spectrum", spectrum_text(problem));
  add("precision", precision == Precision::float32 ? "float" : "double");
  add("rays_per_repetition", options.rays / options.repetitions);
  add("seed", options.seed);
  add("sampling", name_of(options.sampling));
  add("directions", name_of(options.directions));
  add("order", name_of(options.order));
  add("reconstruction", options.reconstruction == monte_carlo::Reconstruction::linear ? "linear" : "constant");
  add("saturation", options.saturation);
  add("window_share", options.window_share);
  add("grids", options.grids);
  add("first_steps", options.first_steps);
  add("absorbed", fmt::format("{}", fmt::join(options.absorbed, ",")));
  add("absorbed_by", options.absorbed_by == monte_carlo::AbsorbedBy::planck ? "planck"
                     : options.absorbed_by == monte_carlo::AbsorbedBy::band ? "band"
                                                                            : "largest");
  add("coarse", options.coarse == monte_carlo::CoarseTemperature::mean ? "mean" : "emission");
  add("launch", options.ray_origin == monte_carlo::RayOrigin::volume ? "volume" : "centre");
  add("tolerance", options.tolerance);
  add("walls", options.walls);
  add("ordered", options.ordered);
  add("coldest", options.coldest);
  add("warmest", options.warmest);
  add("nodes", options.nodes);
  return all;
}

void write_monte_carlo_checkpoint(std::string const& path, monte_carlo::Checkpoint const& checkpoint,
                                  Attributes const& fingerprint) {
  NetcdfWriter file(path);
  file.attributes({{"layout", layout}});
  file.group("fingerprint", fingerprint);
  double const repetitions = checkpoint.accumulators.repetitions;
  double const planned = checkpoint.planned;
  file.variable("repetitions", {}, std::span(&repetitions, 1), {{"long_name", "repetitions done"}, {"units", "1"}},
                NetcdfType::int32);
  file.variable("planned", {}, std::span(&planned, 1), {{"long_name", "repetitions to be done"}, {"units", "1"}},
                NetcdfType::int32);
  auto const& sums = checkpoint.accumulators;
  double const begun = sums.unfinished;
  file.variable("begun", {}, std::span(&begun, 1), {{"long_name", "repetitions that have begun"}, {"units", "1"}},
                NetcdfType::int32);
  file.dimension("quantity", sums.sum.extent(0));
  file.dimension("item", sums.sum.extent(1));
  file.variable("sum", {"quantity", "item"}, {sums.sum.data(), sums.sum.size()},
                {{"long_name", "sums over repetitions, of cells and then of faces of walls"}});
  if (sums.planes.size() > 0) {
    file.dimension("of_planes", sums.planes.extent(0));
    file.dimension("plane", sums.planes.extent(1));
    file.variable(
        "sum_of_planes", {"of_planes", "plane"}, {sums.planes.data(), sums.planes.size()},
        {{"long_name", "sums of averages over planes across x, y and z and over the box, and of their squares"}});
  }
  if (sums.unfinished > 0) {
    auto const stretches = stretches_of(sums.rays);
    file.dimension("stretch", stretches.end.size());
    file.variable("stretch_end", {"stretch"}, stretches.end,
                  {{"long_name", "one past the last item of those that have had as many rays"}, {"units", "1"}});
    file.variable("stretch_rays", {"stretch"}, stretches.rays,
                  {{"long_name", "rays of each item in each repetition that has begun"}, {"units", "1"}});
    file.dimension("repetition", sums.unfinished_sum.extent(0));
    file.variable("sum_of_begun", {"repetition", "quantity", "item"},
                  {sums.unfinished_sum.data(), sums.unfinished_sum.size()}, {{"long_name", "sums over these rays"}});
  }
  file.commit();
}

monte_carlo::Checkpoint read_monte_carlo_checkpoint(std::string const& path, Attributes const& fingerprint,
                                                    std::size_t items) {
  Hdf5File const file(path);
  auto const found_layout = file.text_attribute("", "layout");
  if (found_layout != layout && found_layout != layout_without_planes && found_layout != layout_of_whole_repetitions)
    throw Error(path,
                fmt::format("{}, expected a file of layout '{}'",
                            found_layout ? "has the layout '" + *found_layout + "'" : "is no checkpoint", layout));
  if (auto const groups = file.groups(); std::find(groups.begin(), groups.end(), "fingerprint") == groups.end())
    throw Error(path, "has no group fingerprint, expected one");
  for (auto const& [name, expected] : fingerprint) {
    auto const found = file.text_attribute("fingerprint", name);
    if (found != expected.text())
      throw Error(path, fmt::format("is a checkpoint of another run: {} is {} there, and {} here", name,
                                    found ? *found : "missing", expected.text()));
  }
  constexpr std::size_t quantities = 4;
  monte_carlo::Checkpoint checkpoint;
  auto& sums = checkpoint.accumulators;
  sums.repetitions = read_count(file, "repetitions");
  checkpoint.planned = read_count(file, "planned");
  auto const values = read_sums(file, "sum", {quantities}, items);
  sums.sum = HostArray<double**>("parhelion::io::sums", quantities, items);
  std::copy(values.begin(), values.end(), sums.sum.data());
  if (found_layout == layout_of_whole_repetitions) return checkpoint;
  if (found_layout == layout && file.exists("sum_of_planes")) {
    std::size_t planes = 0;
    auto const of_planes = read_sums(file, "sum_of_planes", {2}, planes);
    sums.planes = HostArray<double**>("parhelion::io::planes", 2, planes);
    std::copy(of_planes.begin(), of_planes.end(), sums.planes.data());
  }
  sums.unfinished = read_count(file, "begun");
  if (sums.unfinished == 0) return checkpoint;
  auto const begun = static_cast<std::size_t>(sums.unfinished);
  sums.rays = read_rays(file, items);
  auto const of_begun = read_sums(file, "sum_of_begun", {begun, quantities}, items);
  sums.unfinished_sum = HostArray<double***>("parhelion::io::sums", begun, quantities, items);
  std::copy(of_begun.begin(), of_begun.end(), sums.unfinished_sum.data());
  return checkpoint;
}

}  // namespace parhelion::io
