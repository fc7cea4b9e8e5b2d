// SPDX-License-Identifier: BSD-3-Clause
#include "monte_carlo_values.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/array_files.hpp>
#include <parhelion/io/monte_carlo_files.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace parhelion::io {

namespace {

using monte_carlo::axis_names;
using monte_carlo::Boundary;
using monte_carlo::BoundaryType;
using monte_carlo::cell_dimensions;
using monte_carlo::HostResults;
using monte_carlo::Problem;
using monte_carlo::side_names;

template <class DataType, class... Extents>
HostArray<DataType> array_of(std::vector<double> const& values, Extents... extents) {
  HostArray<DataType> array(Kokkos::view_alloc("parhelion::io::monte_carlo", Kokkos::WithoutInitializing), extents...);
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

// The one number of an attribute; nothing where it is missing.
std::optional<double> read_number(Hdf5File const& file, std::string const& object, std::string const& attribute) {
  std::string const where = object.empty() ? file.path() : fmt::format("{}: {}", file.path(), object);
  if (auto const text = file.text_attribute(object, attribute))
    throw Error(where, fmt::format("attribute {} is the text '{}', expected a number", attribute, *text));
  auto const values = file.number_attribute(object, attribute);
  if (!values) return std::nullopt;
  if (values->size() != 1)
    throw Error(where, fmt::format("attribute {} has {} values, expected one number", attribute, values->size()));
  return values->front();
}

double read_pressure(Hdf5File const& file) {
  auto const attribute = read_number(file, "", "pressure");
  if (!file.exists("pressure")) return attribute.value_or(monte_carlo::reference_pressure);
  if (attribute) throw Error(file.path(), "pressure is both a dataset and an attribute, expected one of the two");
  // Some programs write a number as a list of one.
  bool const list = file.shape("pressure").size() == 1;
  return read_values(file, "pressure", list ? ExpectedShape{"(1)", {1}} : ExpectedShape{"()", {}}, units_pascal)
      .front();
}

void refuse_wall_property(Hdf5File const& file, std::string const& group, char const* name) {
  if (file.exists(group + "/" + name) || file.number_attribute(group, name) || file.text_attribute(group, name))
    throw Error(fmt::format("{}: {}", file.path(), group),
                fmt::format("has {}, expected none because the side is periodic", name));
}

BoundaryType read_type(Hdf5File const& file, std::string const& group) {
  std::string const where = fmt::format("{}: {}", file.path(), group);
  auto const type = file.text_attribute(group, "type");
  if (type == "periodic") return BoundaryType::periodic;
  if (type == "wall") return BoundaryType::wall;
  throw Error(where,
              fmt::format("attribute type is {}, expected 'periodic' or 'wall'",
                          type ? "'" + *type + "'" : (file.number_attribute(group, "type") ? "a number" : "missing")));
}

Boundary read_boundary(Hdf5File const& file, monte_carlo::Grid const& grid, std::size_t side) {
  std::string const group = fmt::format("boundaries/{}", side_names[side]);
  std::string const where = fmt::format("{}: {}", file.path(), group);
  Boundary boundary;
  boundary.type = read_type(file, group);
  if (!boundary.is_wall()) {
    refuse_wall_property(file, group, "emissivity");
    refuse_wall_property(file, group, "temperature");
    return boundary;
  }
  if (file.exists(group + "/emissivity"))
    throw Error(where, "emissivity is a dataset, expected an attribute: one number for the wall");
  boundary.emissivity = read_number(file, group, "emissivity").value_or(boundary.emissivity);
  auto const temperature = read_number(file, group, "temperature");
  bool const of_faces = file.exists(group + "/temperature");
  if (temperature && of_faces)
    throw Error(where, "temperature is both a dataset and an attribute, expected one of the two");
  if (!temperature && !of_faces)
    throw Error(where, "temperature is missing, expected an attribute, or a dataset over the faces of the wall");
  if (of_faces) {
    constexpr std::array<char const*, 3> names{"(y, z)", "(x, z)", "(x, y)"};
    auto const [n0, n1] = face_extents(grid, static_cast<int>(side));
    boundary.face_temperature = array_of<double**>(
        read_values(file, group + "/temperature", {names[side / 2], {n0, n1}}, units_kelvin), n0, n1);
  } else {
    boundary.temperature = *temperature;
  }
  return boundary;
}

void check_groups(Hdf5File const& file) {
  auto const root = file.groups();
  std::string const where = file.path() + ": boundaries";
  if (std::find(root.begin(), root.end(), "boundaries") == root.end())
    throw Error(where, fmt::format("missing, expected a group with the groups {}", fmt::join(side_names, ", ")));
  auto const there = file.groups("boundaries");
  for (auto const& name : there)
    if (std::find(side_names.begin(), side_names.end(), name) == side_names.end())
      throw Error(where, fmt::format("group {} is unknown, expected {}", name, fmt::join(side_names, ", ")));
  for (std::string const name : side_names)
    if (std::find(there.begin(), there.end(), name) == there.end())
      throw Error(where, fmt::format("group {} is missing", name));
}

}  // namespace

namespace {

// Compares the shapes of the faces with those of the cells, before anything is read.
void check_shapes(Hdf5File const& file) {
  std::vector<std::size_t> cells;
  for (char const* const axis : axis_names) {
    if (!file.exists(axis)) return;  // which is said where it is read
    auto const shape = file.shape(axis);
    if (shape.size() != 1 || shape.front() < 2) return;
    cells.push_back(shape.front() - 1);
  }
  for (char const* const name : {"temperature", "mole_fraction"})
    if (file.exists(name)) expect_shape(file, name, {"(x, y, z), cells between faces,", cells});
}

}  // namespace

Problem read_monte_carlo_problem(std::string const& path, monte_carlo::Spectrum const& spectrum,
                                 OutOfRange out_of_range) {
  Hdf5File const file(path);
  Problem problem;
  problem.spectrum = spectrum;
  check_shapes(file);
  for (std::size_t axis = 0; axis < 3; ++axis)
    problem.grid.faces[axis] = read_list(file, axis_names[axis], "faces", units_m);
  validate(problem.grid, path);
  auto const extent = [&](int axis) { return static_cast<std::size_t>(problem.grid.ncell(axis)); };
  std::size_t const nx = extent(0), ny = extent(1), nz = extent(2);
  ExpectedShape const cells{"(x, y, z), cells between faces,", {nx, ny, nz}};
  problem.temperature = array_of<double***>(read_values(file, "temperature", cells, units_kelvin), nx, ny, nz);
  if (file.exists("mole_fraction"))
    problem.mole_fraction = array_of<double***>(read_values(file, "mole_fraction", cells, units_one), nx, ny, nz);
  problem.pressure = read_pressure(file);
  check_groups(file);
  for (std::size_t side = 0; side < side_names.size(); ++side)
    problem.boundaries[side] = read_boundary(file, problem.grid, side);
  validate(problem, path, out_of_range);
  return problem;
}

// --- writing -----------------------------------------------------------------------------------------------------

namespace {

void write_boundary(NetcdfWriter& file, Boundary const& boundary, std::size_t side) {
  std::string const group = fmt::format("boundaries/{}", side_names[side]);
  file.group(group, {{"type", boundary.is_wall() ? "wall" : "periodic"}});
  if (!boundary.is_wall()) return;
  file.attributes(group, {{"emissivity", boundary.emissivity}});
  if (boundary.face_temperature.size() > 0)
    add_array(file, monte_carlo::describe_face_temperature(side), array_ref(boundary.face_temperature));
  else
    file.attributes(group, {{"temperature", boundary.temperature}});
}

constexpr std::string_view shared_dimension = cell_dimensions[0];

// Those of the cells that this process writes. An empty array has not been computed.
void write_cells(NetcdfWriter& file, ArrayDescription const& description, ConstArrayRef const& values,
                 NetcdfType type = NetcdfType::float64) {
  if (values.empty()) return;
  auto const own = file.range(std::string(shared_dimension));
  add_array(file, description,
            values.part(0, static_cast<std::int64_t>(own.first), static_cast<std::int64_t>(own.count)), type,
            {{"coordinates", "pressure"}});
}

void write_problem(NetcdfWriter& file, Problem const& problem, Provenance const& provenance,
                   FileSharing const* sharing = nullptr) {
  file.attributes(global_attributes(provenance, ""));
  file.attributes({{"spectrum", problem.spectrum.name()}});
  file.dimension("bound", 2);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::string const name = axis_names[axis];
    auto const& faces = problem.grid.faces[axis];
    file.coordinate(name, faces, {{"long_name", name + " coordinate of faces of cells"}, {"units", "m"}});
    file.coordinate(
        std::string(cell_dimensions[axis]), problem.grid.centres(static_cast<int>(axis)),
        {{"long_name", name + " coordinate of centres of cells"}, {"units", "m"}, {"bounds", name + "_bounds"}});
    std::vector<double> bounds;
    for (std::size_t i = 0; i + 1 < faces.size(); ++i) bounds.insert(bounds.end(), {faces[i], faces[i + 1]});
    file.variable(name + "_bounds", {std::string(cell_dimensions[axis]), "bound"}, bounds,
                  {{"long_name", name + " coordinate of the two faces of cells"}, {"units", "m"}});
  }
  if (sharing != nullptr)
    file.share(std::string(shared_dimension), sharing->part().of(problem.grid.faces[0].size() - 1));
  file.variable("pressure", {}, std::span(&problem.pressure, 1), {{"long_name", "pressure"}, {"units", "Pa"}});
  write_cells(file, monte_carlo::describe_temperature(), array_ref(problem.temperature));
  write_cells(file, monte_carlo::describe_mole_fraction(), array_ref(problem.mole_fraction));
  file.group("boundaries");
  for (std::size_t side = 0; side < side_names.size(); ++side) write_boundary(file, problem.boundaries[side], side);
}

}  // namespace

void write_monte_carlo_problem(std::string const& path, Problem const& problem, Provenance const& provenance) {
  validate(problem, "write_monte_carlo_problem");
  NetcdfWriter file(path);
  write_problem(file, problem, provenance);
  file.commit();
}

void write_monte_carlo_results(std::string const& path, Problem const& problem, HostResults const& results,
                               Provenance const& provenance, NetcdfType type, FileSharing const* sharing) {
  constexpr char const* where = "write_monte_carlo_results";
  write_netcdf(path, sharing, [&](NetcdfWriter& file) {
    validate(problem, where);
    validate(results, problem, where);
    write_problem(file, problem, provenance, sharing);
    std::string_view last_group;
    HostResults::for_each_array(
        [&](ArrayDescription const& description, auto const& values) {
          if (values.size() == 0) return;
          if (auto const end = description.name.find('/'); end == std::string_view::npos) {
            if (description.rank() == 3)
              write_cells(file, description, array_ref(values), type);
            else
              add_array(file, description, array_ref(values), type);
          } else {
            auto const group = description.name.substr(0, end);
            if (group != last_group) file.group(std::string(group));
            last_group = group;
            add_array(file, description, array_ref(values), type);
          }
        },
        results);
  });
}

}  // namespace parhelion::io
