// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/io/monte_carlo_files.hpp>

#include "cf.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;
using monte_carlo::BoundaryType;
using monte_carlo::HostResults;
using monte_carlo::Problem;
using monte_carlo::Spectrum;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Values that differ everywhere, so that a mistaken index shows.
template <class View>
void fill(View const& view, double first, double step) {
  for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = first + step * static_cast<double>(i) / 3;
}

// 2 x 3 x 4 cells between walls across x, of which one has temperatures of faces; periodic along y; walls across z.
Problem small_problem() {
  Problem problem;
  problem.grid.faces = {monte_carlo::uniform_faces(2, 0.3), monte_carlo::uniform_faces(3, 1),
                        monte_carlo::stretched_faces(4, 2, 1)};
  problem.temperature = HostArray<double***>("temperature", 2, 3, 4);
  fill(problem.temperature, 700, 1);
  problem.mole_fraction = HostArray<double***>("mole_fraction", 2, 3, 4);
  fill(problem.mole_fraction, 0.1, 0.01);
  problem.pressure = 2e5;
  problem.spectrum = Spectrum::grey(1);
  auto& sides = problem.boundaries;
  sides[0].emissivity = 0.7;
  sides[0].face_temperature = HostArray<double**>("faces", 3, 4);
  fill(sides[0].face_temperature, 300, 1);
  sides[1].temperature = 1000. / 3;
  sides[2].type = sides[3].type = BoundaryType::periodic;
  sides[4].emissivity = 0;
  sides[5].face_temperature = HostArray<double**>("faces", 2, 3);
  fill(sides[5].face_temperature, 400, 1);
  return problem;
}

HostResults small_results(Problem const& problem) {
  auto results = make_results(problem);
  fill(results.q, -1000, 100);
  fill(results.q_error, 1, 0.1);
  fill(results.incident, 5000, 7);
  for (std::size_t axis = 0; axis < 3; ++axis) fill(results.q_plane_error[axis], 0.5, 0.1 + static_cast<double>(axis));
  results.q_box_error(0) = 0.3;
  double first = -50;
  for (std::size_t side = 0; side < 6; ++side) {
    fill(results.wall_flux[side], first += 10, 0.5);
    fill(results.wall_flux_error[side], 1 + static_cast<double>(side), 0.25);
  }
  return results;
}

template <class View>
void expect_same(View const& a, View const& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t r = 0; r < View::rank(); ++r) ASSERT_EQ(a.extent(r), b.extent(r));
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
}

void expect_same(Problem const& a, Problem const& b) {
  EXPECT_EQ(a.grid.faces, b.grid.faces);
  expect_same(a.temperature, b.temperature);
  expect_same(a.mole_fraction, b.mole_fraction);
  EXPECT_EQ(a.pressure, b.pressure);
  for (std::size_t side = 0; side < 6; ++side) {
    SCOPED_TRACE(monte_carlo::side_names[side]);
    EXPECT_EQ(a.boundaries[side].type, b.boundaries[side].type);
    EXPECT_EQ(a.boundaries[side].emissivity, b.boundaries[side].emissivity);
    EXPECT_EQ(a.boundaries[side].temperature, b.boundaries[side].temperature);
    expect_same(a.boundaries[side].face_temperature, b.boundaries[side].face_temperature);
  }
}

template <class View>
std::vector<double> values_of(View const& view) {
  return {view.data(), view.data() + view.size()};
}

// An HDF5 file that is there, to be damaged.
class Editor {
 public:
  explicit Editor(std::string const& path) : m_file(need(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT))) {}
  ~Editor() { H5Fclose(m_file); }
  Editor(Editor const&) = delete;
  Editor& operator=(Editor const&) = delete;

  void remove(std::string const& object) { need(H5Ldelete(m_file, object.c_str(), H5P_DEFAULT)); }

  void remove_attribute(std::string const& object, std::string const& name) {
    need(H5Adelete_by_name(m_file, object.c_str(), name.c_str(), H5P_DEFAULT));
  }

  void group(std::string const& path) {
    H5Gclose(need(H5Gcreate2(m_file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  }

  void text(std::string const& object, std::string const& name, std::string const& value) {
    hid_t const type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, value.size());
    hid_t const id = attribute(object, name, type, space);
    need(H5Awrite(id, type, value.data()));
    H5Aclose(id);
    H5Sclose(space);
    H5Tclose(type);
  }

  void numbers(std::string const& object, std::string const& name, std::vector<double> const& values) {
    hsize_t const size = values.size();
    hid_t const space = H5Screate_simple(1, &size, nullptr);
    hid_t const id = attribute(object, name, H5T_IEEE_F64LE, space);
    need(H5Awrite(id, H5T_NATIVE_DOUBLE, values.data()));
    H5Aclose(id);
    H5Sclose(space);
  }

  void dataset(std::string const& path, std::vector<hsize_t> const& shape, double value) {
    if (H5Lexists(m_file, path.c_str(), H5P_DEFAULT) > 0) remove(path);
    hid_t const space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    hid_t const id =
        need(H5Dcreate2(m_file, path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    std::vector<double> const values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), value);
    need(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    H5Dclose(id);
    H5Sclose(space);
  }

  // Value number `i` of a dataset.
  void set(std::string const& path, std::size_t i, double value) {
    hid_t const id = need(H5Dopen2(m_file, path.c_str(), H5P_DEFAULT)), space = H5Dget_space(id);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    need(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    values.at(i) = value;
    need(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    H5Sclose(space);
    H5Dclose(id);
  }

 private:
  template <class Status>
  static Status need(Status status) {
    if (status < 0) throw std::logic_error("the test could not change its HDF5 file");
    return status;
  }

  hid_t attribute(std::string const& object, std::string const& name, hid_t type, hid_t space) {
    if (H5Aexists_by_name(m_file, object.c_str(), name.c_str(), H5P_DEFAULT) > 0) remove_attribute(object, name);
    return need(
        H5Acreate_by_name(m_file, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }

  hid_t m_file;
};

// A file of the small problem that `change` has changed.
template <class Change>
std::string changed_file(Change const& change) {
  auto path = scratch_folder() + "/in.h5";
  io::write_monte_carlo_problem(path, small_problem());
  Editor editor(path);
  change(editor);
  return path;
}

// Its refusal, without the name of the file.
template <class Change>
std::string refusal(Change const& change, Spectrum const& spectrum = Spectrum::grey(1)) {
  auto const path = changed_file(change);
  auto const message = message_of([&] { io::read_monte_carlo_problem(path, spectrum); });
  EXPECT_EQ(message.substr(0, path.size() + 2), path + ": ");
  return message.substr(std::min(message.size(), path.size() + 2));
}

// ---- Problems

TEST(MonteCarloFiles, ProblemsAreReadAsTheyWereWritten) {
  auto const path = scratch_folder() + "/problem.nc";
  auto problem = small_problem();
  io::write_monte_carlo_problem(path, problem, {"a problem", {}, "today", {{"case", "none"}}});
  expect_same(io::read_monte_carlo_problem(path, problem.spectrum), problem);
  io::Hdf5File const file(path);
  EXPECT_EQ(file.text_attribute("", "title"), "a problem");
  EXPECT_EQ(file.text_attribute("", "history"), "today");
  EXPECT_EQ(file.text_attribute("", "case"), "none");
  EXPECT_EQ(file.text_attribute("", "Conventions"), "CF-1.10");
  EXPECT_EQ(file.text_attribute("", "spectrum"), "grey, 1 m-1");
  EXPECT_FALSE(file.text_attribute("", "vertical_order").has_value());
  EXPECT_EQ(file.read("z_centre"), problem.grid.centres(2));

  // Without what may be left out; the default spectrum.
  problem.mole_fraction = {};
  io::write_monte_carlo_problem(path, problem);
  auto const read = io::read_monte_carlo_problem(path);
  expect_same(read, problem);
  EXPECT_EQ(read.spectrum.name(), Spectrum().name());
  EXPECT_EQ(list(std::filesystem::path(path).parent_path().string()), std::vector<std::string>{"problem.nc"});
}

TEST(MonteCarloFiles, CasesCanBeWritten) {
  auto const path = scratch_folder() + "/case.nc";
  for (auto const& name : io::case_names()) {
    SCOPED_TRACE(name);
    Spectrum const any;
    bool const grey = io::case_description(name).gas == "grey";
    auto const problem = io::built_in_case(name, {.cells = {4, 3, 2}}, grey ? std::nullopt : std::optional(any));
    io::write_monte_carlo_problem(path, problem);
    expect_same(io::read_monte_carlo_problem(path, problem.spectrum), problem);
  }
}

TEST(MonteCarloFiles, DefaultsAndOtherSpellings) {
  auto const problem = io::read_monte_carlo_problem(changed_file([](Editor& f) {
    f.remove("pressure");
    f.remove("mole_fraction");
    f.remove_attribute("boundaries/x_low", "emissivity");
    f.numbers("boundaries/x_high", "temperature", {450});
    f.text("temperature", "units", "kelvin");
    f.text("x", "units", "metres");
  }));
  EXPECT_EQ(problem.pressure, 101325);
  EXPECT_EQ(problem.mole_fraction.size(), 0U);
  EXPECT_EQ(problem.boundaries[0].emissivity, 1);
  EXPECT_EQ(problem.boundaries[1].temperature, 450);
  auto const of_attribute = io::read_monte_carlo_problem(changed_file([](Editor& f) {
    f.remove("pressure");
    f.numbers("/", "pressure", {5e4});
  }));
  EXPECT_EQ(of_attribute.pressure, 5e4);
  auto const of_list = io::read_monte_carlo_problem(changed_file([](Editor& f) { f.dataset("pressure", {1}, 6e4); }));
  EXPECT_EQ(of_list.pressure, 6e4);
}

TEST(MonteCarloFiles, RefuseBadGrids) {
  for (std::string const name : {"x", "y", "z"})
    EXPECT_EQ(refusal([&](Editor& f) { f.remove(name); }), name + ": missing");
  EXPECT_EQ(refusal([](Editor& f) { f.dataset("x", {3, 1}, 0); }), "x: has shape (3, 1), expected (faces), at least 1");
  EXPECT_EQ(refusal([](Editor& f) { f.dataset("y", {1}, 0); }), "y has 1 faces, expected at least 2");
  EXPECT_EQ(refusal([](Editor& f) { f.set("x", 2, 0.1); }),
            "x(2) = 0.1 m, expected more than the 0.15 m of the face before");
  EXPECT_EQ(refusal([](Editor& f) { f.set("z", 1, nan); }),
            "z(1) = nan m, expected a finite number that is not a missing value");
  EXPECT_EQ(refusal([](Editor& f) { f.text("x", "units", "cm"); }), "x: units are 'cm', expected m");
}

TEST(MonteCarloFiles, RefuseBadGas) {
  EXPECT_EQ(refusal([](Editor& f) { f.remove("temperature"); }), "temperature: missing");
  EXPECT_EQ(refusal([](Editor& f) {
              f.dataset("temperature", {3, 4, 5}, 700);
            }),
            "temperature: has shape (3, 4, 5), expected (x, y, z), cells between faces, = (2, 3, 4)");
  EXPECT_EQ(refusal([](Editor& f) { f.dataset("mole_fraction", {24}, 0.5); }),
            "mole_fraction: has shape (24), expected (x, y, z), cells between faces, = (2, 3, 4)");
  EXPECT_EQ(refusal([](Editor& f) { f.set("temperature", 23, nan); }),
            "temperature(1, 2, 3) = nan K, expected a finite number that is not a missing value");
  EXPECT_EQ(refusal([](Editor& f) { f.set("temperature", 5, -1); }),
            "temperature(0, 1, 1) = -1 K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Editor& f) { f.set("mole_fraction", 5, 1.1); }),
            "mole_fraction(0, 1, 1) = 1.1, expected 0 to 1");
  EXPECT_EQ(refusal([](Editor& f) { f.set("pressure", 0, 0); }), "pressure = 0 Pa, expected a positive finite number");
  EXPECT_EQ(refusal([](Editor& f) { f.text("pressure", "units", "hPa"); }), "pressure: units are 'hPa', expected Pa");
  EXPECT_EQ(refusal([](Editor& f) { f.text("temperature", "units", "degC"); }),
            "temperature: units are 'degC', expected K");
  EXPECT_EQ(refusal([](Editor& f) { f.dataset("pressure", {2}, 1e5); }), "pressure: has shape (2), expected (1) = (1)");
  EXPECT_EQ(refusal([](Editor& f) { f.numbers("/", "pressure", {1e5}); }),
            "pressure is both a dataset and an attribute, expected one of the two");
  EXPECT_EQ(refusal([](Editor& f) {
              f.remove("pressure");
              f.text("/", "pressure", "1 atm");
            }),
            "attribute pressure is the text '1 atm', expected a number");
  // Of the spectrum that the caller gives.
  monte_carlo::NarrowBandTable table;
  table.name = "cold";
  table.band_left = {0};
  table.band_centre = {1};
  table.band_right = {2};
  table.temperature = {300, 704};
  table.g = {0.5};
  table.weight = {1};
  table.absorption = HostArray<double***>("k", 1, 2, 1);
  EXPECT_EQ(refusal([](Editor&) {}, Spectrum::narrow_band(table)).rfind("temperature(1, 0, 1) = 704.33", 0), 0U);
}

TEST(MonteCarloFiles, RefuseMissingAndUnknownBoundaries) {
  EXPECT_EQ(refusal([](Editor& f) { f.remove("boundaries"); }),
            "boundaries: missing, expected a group with the groups x_low, x_high, y_low, y_high, z_low, z_high");
  EXPECT_EQ(refusal([](Editor& f) { f.remove("boundaries/y_high"); }), "boundaries: group y_high is missing");
  EXPECT_EQ(refusal([](Editor& f) { f.group("boundaries/w_low"); }),
            "boundaries: group w_low is unknown, expected x_low, x_high, y_low, y_high, z_low, z_high");
  EXPECT_EQ(refusal([](Editor& f) { f.remove_attribute("boundaries/x_low", "type"); }),
            "boundaries/x_low: attribute type is missing, expected 'periodic' or 'wall'");
  EXPECT_EQ(refusal([](Editor& f) { f.text("boundaries/x_low", "type", "mirror"); }),
            "boundaries/x_low: attribute type is 'mirror', expected 'periodic' or 'wall'");
  EXPECT_EQ(refusal([](Editor& f) { f.numbers("boundaries/x_low", "type", {1}); }),
            "boundaries/x_low: attribute type is a number, expected 'periodic' or 'wall'");
}

TEST(MonteCarloFiles, RefuseBadWalls) {
  EXPECT_EQ(
      refusal([](Editor& f) { f.remove_attribute("boundaries/x_high", "temperature"); }),
      "boundaries/x_high: temperature is missing, expected an attribute, or a dataset over the faces of the wall");
  EXPECT_EQ(refusal([](Editor& f) {
              f.dataset("boundaries/x_high/temperature", {3, 4}, 300);
            }),
            "boundaries/x_high: temperature is both a dataset and an attribute, expected one of the two");
  EXPECT_EQ(refusal([](Editor& f) {
              f.numbers("boundaries/x_high", "temperature", {300, 400});
            }),
            "boundaries/x_high: attribute temperature has 2 values, expected one number");
  EXPECT_EQ(refusal([](Editor& f) { f.text("boundaries/x_high", "emissivity", "black"); }),
            "boundaries/x_high: attribute emissivity is the text 'black', expected a number");
  EXPECT_EQ(refusal([](Editor& f) { f.numbers("boundaries/x_high", "emissivity", {1.5}); }),
            "boundaries/x_high/emissivity = 1.5, expected a number in [0, 1]");
  EXPECT_EQ(refusal([](Editor& f) {
              f.dataset("boundaries/x_high/emissivity", {3, 4}, 0.5);
            }),
            "boundaries/x_high: emissivity is a dataset, expected an attribute: one number for the wall");
  EXPECT_EQ(refusal([](Editor& f) { f.numbers("boundaries/x_high", "temperature", {-1}); }),
            "boundaries/x_high/temperature = -1 K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Editor& f) {
              f.dataset("boundaries/z_high/temperature", {3, 2}, 300);
            }),
            "boundaries/z_high/temperature: has shape (3, 2), expected (x, y) = (2, 3)");
  EXPECT_EQ(refusal([](Editor& f) { f.set("boundaries/z_high/temperature", 4, -1); }),
            "boundaries/z_high/temperature(1, 1) = -1 K, expected a number of at least 0");
  EXPECT_EQ(refusal([](Editor& f) { f.set("boundaries/x_low/temperature", 4, nan); }),
            "boundaries/x_low/temperature(1, 0) = nan K, expected a finite number that is not a missing value");
  EXPECT_EQ(refusal([](Editor& f) { f.text("boundaries/x_low/temperature", "units", "degC"); }),
            "boundaries/x_low/temperature: units are 'degC', expected K");
}

TEST(MonteCarloFiles, RefuseBadPeriodicSides) {
  EXPECT_EQ(refusal([](Editor& f) {
              f.text("boundaries/y_low", "type", "wall");
              f.numbers("boundaries/y_low", "temperature", {300});
            }),
            "y_high is periodic and y_low a wall, expected both to be periodic or walls");
  EXPECT_EQ(refusal([](Editor& f) { f.numbers("boundaries/y_low", "emissivity", {1}); }),
            "boundaries/y_low: has emissivity, expected none because the side is periodic");
  EXPECT_EQ(refusal([](Editor& f) { f.numbers("boundaries/y_high", "temperature", {300}); }),
            "boundaries/y_high: has temperature, expected none because the side is periodic");
  EXPECT_EQ(refusal([](Editor& f) {
              f.dataset("boundaries/y_high/temperature", {2, 4}, 300);
            }),
            "boundaries/y_high: has temperature, expected none because the side is periodic");
}

TEST(MonteCarloFiles, RefuseFilesThatAreNone) {
  auto const folder = scratch_folder();
  EXPECT_EQ(message_of([&] { io::read_monte_carlo_problem(folder + "/none.nc"); }), folder + "/none.nc: no such file");
  auto const path = folder + "/cut.nc";
  io::write_monte_carlo_problem(path, small_problem());
  auto const bytes = read_bytes(path);
  write_bytes(path, bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(has(message_of([&] { io::read_monte_carlo_problem(path); }), path + ": damaged or truncated HDF5"));
}

// ---- Results

TEST(MonteCarloFiles, ResultsHoldTheirProblem) {
  auto const path = scratch_folder() + "/out.nc";
  auto const problem = small_problem();
  auto const results = small_results(problem);
  io::write_monte_carlo_results(path, problem, results, {{}, "parhelion", {}, {{"rays", 100}, {"seed", 7}}});
  io::Hdf5File const file(path);
  EXPECT_EQ(file.text_attribute("", "source"), "parhelion");
  EXPECT_EQ(file.number_attribute("", "rays"), std::vector<double>{100});
  EXPECT_EQ(file.number_attribute("", "seed"), std::vector<double>{7});
  EXPECT_EQ(file.text_attribute("x_centre", "bounds"), "x_bounds");
  EXPECT_EQ(file.shape("z_bounds"), (std::vector<std::size_t>{4, 2}));
  auto const faces = file.read("z"), bounds = file.read("z_bounds");
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(bounds[k], faces[k / 2 + k % 2]);
  EXPECT_EQ(file.text_attribute("q_radiative", "coordinates"), "pressure");
  expect_cf(path);
  EXPECT_EQ(file.text_attribute("", "spectrum"), "grey, 1 m-1");
  EXPECT_EQ(file.read("q_radiative"), values_of(results.q));
  EXPECT_EQ(file.read("q_radiative_error"), values_of(results.q_error));
  EXPECT_EQ(file.read("incident_radiation"), values_of(results.incident));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const name = "q_radiative_plane_error_" + std::string(monte_carlo::axis_names[axis]);
    EXPECT_EQ(file.read(name), values_of(results.q_plane_error[axis]));
    EXPECT_EQ(file.shape(name), std::vector<std::size_t>{2 + axis});
  }
  EXPECT_EQ(file.read("q_radiative_box_error"), std::vector<double>{0.3});
  EXPECT_EQ(file.shape("q_radiative_box_error"), std::vector<std::size_t>{});
  EXPECT_EQ(file.shape("q_radiative"), (std::vector<std::size_t>{2, 3, 4}));
  EXPECT_EQ(file.text_attribute("q_radiative", "units"), "W m-3");
  EXPECT_EQ(file.text_attribute("incident_radiation", "units"), "W m-2");
  EXPECT_EQ(file.variables("wall_flux"), (std::vector<std::string>{"x_high", "x_low", "z_high", "z_low"}));
  for (std::size_t side : {0, 1, 4, 5}) {
    std::string const name = monte_carlo::side_names[side];
    EXPECT_EQ(file.read("wall_flux/" + name), values_of(results.wall_flux[side]));
    EXPECT_EQ(file.read("wall_flux_error/" + name), values_of(results.wall_flux_error[side]));
    EXPECT_EQ(file.shape("wall_flux/" + name),
              (side < 2 ? std::vector<std::size_t>{3, 4} : std::vector<std::size_t>{2, 3}));
  }
  // A file of results is one of its problem.
  expect_same(io::read_monte_carlo_problem(path, problem.spectrum), problem);
}

TEST(MonteCarloFiles, ResultsThatWereNotComputedAreLeftOut) {
  auto const path = scratch_folder() + "/out.nc";
  auto const problem = small_problem();
  HostResults results;
  results.q = small_results(problem).q;
  io::write_monte_carlo_results(path, problem, results, {}, io::NetcdfType::float32);
  io::Hdf5File const file(path);
  EXPECT_EQ(file.read("q_radiative")[1], static_cast<float>(results.q(0, 0, 1)));
  EXPECT_FALSE(file.exists("q_radiative_error"));
  EXPECT_FALSE(file.exists("incident_radiation"));
  EXPECT_FALSE(file.exists("q_radiative_box_error"));
  EXPECT_EQ(file.groups(), std::vector<std::string>{"boundaries"});
  expect_same(io::read_monte_carlo_problem(path, problem.spectrum), problem);
}

TEST(MonteCarloFiles, ResultsAreWrittenWholeOrNotAtAll) {
  auto const folder = scratch_folder();
  auto const path = folder + "/out.nc";
  write_bytes(path, "what was there");
  auto problem = small_problem();
  auto results = small_results(problem);
  results.q(1, 1, 1) = nan;
  EXPECT_EQ(message_of([&] { io::write_monte_carlo_results(path, problem, results); }),
            "write_monte_carlo_results: q_radiative(1, 1, 1) = nan W m-3, expected a finite number");
  results = small_results(problem);
  results.wall_flux[2] = HostArray<double**>("f", 2, 4);
  EXPECT_EQ(
      message_of([&] { io::write_monte_carlo_results(path, problem, results); }),
      "write_monte_carlo_results: wall_flux/y_low has shape (2, 4), expected none because the side has no fluxes");
  problem.pressure = -1;
  EXPECT_EQ(message_of([&] { io::write_monte_carlo_results(path, problem, small_results(problem)); }),
            "write_monte_carlo_results: pressure = -1 Pa, expected a positive finite number");
  EXPECT_EQ(message_of([&] { io::write_monte_carlo_problem(path, problem); }),
            "write_monte_carlo_problem: pressure = -1 Pa, expected a positive finite number");
  EXPECT_EQ(read_bytes(path), "what was there");
  EXPECT_EQ(list(folder), std::vector<std::string>{"out.nc"});
  problem.pressure = 1e5;
  EXPECT_TRUE(has(message_of([&] { io::write_monte_carlo_problem(folder + "/no/out.nc", problem); }),
                  "cannot be written: no folder"));
}

TEST(MonteCarloFiles, OtherProgramsReadThem) {
  if (!succeeds("command -v ncdump")) GTEST_SKIP() << "there is no ncdump";
  auto const path = scratch_folder() + "/out.nc";
  auto const problem = small_problem();
  io::write_monte_carlo_results(path, problem, small_results(problem));
  auto const text = output_of("ncdump -h " + path);
  EXPECT_TRUE(has(text, "double q_radiative(x_centre, y_centre, z_centre)"));
  EXPECT_TRUE(has(text, "double x(x)"));
  EXPECT_TRUE(has(text, "double x_low(y_centre, z_centre)"));
  EXPECT_TRUE(has(text, ":emissivity = 0.7"));
  EXPECT_TRUE(has(text, ":type = \"periodic\""));
}

}  // namespace
