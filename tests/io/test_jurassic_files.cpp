// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_files.hpp>

#include "testing.hpp"

#include <parhelion/io/hdf5.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

// The folder of the test that runs. scratch_folder empties it at each call.
std::string const& test_folder() {
  static std::string folder;
  static testing::TestInfo const* of = nullptr;
  auto const* const current = testing::UnitTest::GetInstance()->current_test_info();
  if (of != current) folder = scratch_folder();
  of = current;
  return folder;
}

std::string write_text(std::string const& name, std::string const& text) {
  auto const path = test_folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string text_of(std::string const& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Why `read` refuses a file of this text, without the name of the file.
template <class Read>
std::string refusal(std::string const& text, Read const& read) {
  auto const path = write_text("bad.tab", text);
  auto const message = message_of([&] { read(path); });
  EXPECT_EQ(message.rfind(path + ":", 0), 0U) << message;
  return message.substr(std::min(message.size(), path.size() + 1));
}

// Two gases, two windows, a cloud and a surface with two nodes, two channels.
io::JurassicControl full_control() {
  io::JurassicControl control;
  control.gases = {"CO2", "H2O"};
  control.nwindow = 2;
  control.channels.wavenumber = {792, 667.8};
  control.channels.window = {0, 1};
  control.channels.cloud_wavenumber = {600, 2600};
  control.channels.surface_wavenumber = {600, 2600};
  return control;
}

std::string const full_atmosphere =
    "# header\n\n"
    "100.25 0 10 20 1000 280 0.0004 0.01 0.002 0.003 8.5 1.5 0.01 0.02 0.4 950 291 0.9 0.95\n"
    "100.25 1.5 10 20 800 270 0.0003 0.005 0.0005 0 0 0 0 0 0 0 0 0 0 # the rest is not looked at\n";

io::JurassicControl plain_control() {
  io::JurassicControl control;
  control.gases = {"CO2"};
  control.channels.wavenumber = {792};
  control.channels.window = {0};
  return control;
}

std::string refused_atmosphere(std::string const& text) {
  return refusal(text, [](std::string const& path) { io::read_jurassic_atmosphere(path, plain_control()); });
}

std::string refused_observation(std::string const& text) {
  return refusal(text, [](std::string const& path) { io::read_jurassic_observation(path, plain_control()); });
}

template <class View>
void expect_equal(View const& a, View const& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a.data()[i], b.data()[i]) << "at " << i;
}

// Two texts agree word by word; numbers, which have been converted to SI and back, to the roundings of that: half a
// unit in the last place for each conversion, 2^-52 relative for both, and as much again for reading and printing.
void expect_same_words(std::string const& written, std::string const& expected) {
  std::istringstream a(written), b(expected);
  std::string line_a, line_b;
  for (int number = 1;; ++number) {
    bool const more_a = static_cast<bool>(std::getline(a, line_a));
    bool const more_b = static_cast<bool>(std::getline(b, line_b));
    ASSERT_EQ(more_a, more_b) << "line " << number;
    if (!more_a) return;
    if (line_a == line_b) continue;
    std::istringstream words_a(line_a), words_b(line_b);
    std::string word_a, word_b;
    while (words_b >> word_b) {
      ASSERT_TRUE(words_a >> word_a) << "line " << number;
      if (word_a == word_b) continue;
      char *end_a = nullptr, *end_b = nullptr;
      double const x = std::strtod(word_a.c_str(), &end_a), y = std::strtod(word_b.c_str(), &end_b);
      ASSERT_TRUE(*end_a == '\0' && *end_b == '\0') << "line " << number << ": " << word_a << ", " << word_b;
      ASSERT_NEAR(x, y, 2 * std::numeric_limits<double>::epsilon() * std::abs(y)) << "line " << number;
    }
    ASSERT_FALSE(words_a >> word_a) << "line " << number;
  }
}

// The words of all lines that hold something.
std::vector<std::vector<std::string>> table_of(std::string const& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    rows.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  }
  return rows;
}

ega::HostSpectra make_spectra(std::size_t nray, std::size_t nchannel) {
  return ega::make_spectra<double>(Kokkos::DefaultHostExecutionSpace(), static_cast<int>(nray),
                                   static_cast<int>(nchannel));
}

// Values that differ everywhere.
template <class View>
void fill(View const& view, double first, double step) {
  for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = first + step * static_cast<double>(i);
}

/// The same, from altitude to longitude to latitude, ray by ray.
template <class Places>
void fill_places(Places const& places, double first, double step) {
  for (std::size_t r = 0; r < places.altitude.size(); ++r) {
    double const at = first + 3 * step * static_cast<double>(r);
    places.altitude(r) = at;
    places.longitude(r) = at + step;
    places.latitude(r) = at + 2 * step;
  }
}

ega::HostObservation make_rays() {
  auto const observation = ega::make_observation(3);
  fill_places(observation.observer, 780e3, 0.5);
  fill_places(observation.view_point, 10e3, 0.25);
  for (std::size_t r = 0; r < 3; ++r)
    observation.observer.latitude(r) = observation.view_point.latitude(r) = 10 + static_cast<double>(r);
  observation.time(0) = observation.time(1) = 1234567.891;
  observation.time(2) = 1234568;
  return observation;
}

}  // namespace

// --- atmospheres -------------------------------------------------------------------------------------------------

TEST(JurassicFiles, AtmosphereIsReadInSiUnits) {
  auto const a = io::read_jurassic_atmosphere(write_text("atm.tab", full_atmosphere), full_control());
  EXPECT_EQ(a.nprofile(), 1);
  EXPECT_EQ(a.nlev(), 2);
  EXPECT_EQ(a.gases, (std::vector<std::string>{"CO2", "H2O"}));
  EXPECT_EQ(a.time(0, 1), 100.25);
  EXPECT_EQ(a.altitude(0, 1), 1500);
  EXPECT_EQ(a.longitude(0, 0), 10);
  EXPECT_EQ(a.latitude(0, 0), 20);
  EXPECT_EQ(a.pressure(0, 0), 100000);
  EXPECT_EQ(a.pressure(0, 1), 80000);
  EXPECT_EQ(a.temperature(0, 1), 270);
  EXPECT_EQ(a.mole_fraction(0, 0, 1), 0.0003);
  EXPECT_EQ(a.mole_fraction(0, 1, 0), 0.01);
  EXPECT_DOUBLE_EQ(a.extinction(0, 0, 0), 2e-6);
  EXPECT_DOUBLE_EQ(a.extinction(0, 1, 0), 3e-6);
  EXPECT_DOUBLE_EQ(a.extinction(0, 0, 1), 0.5e-6);
  ASSERT_TRUE(a.has_cloud());
  EXPECT_EQ(a.cloud_height(0), 8500);
  EXPECT_EQ(a.cloud_depth(0), 1500);
  EXPECT_DOUBLE_EQ(a.cloud_extinction(0, 0), 1e-5);
  EXPECT_DOUBLE_EQ(a.cloud_extinction(0, 1), 2e-5);
  ASSERT_TRUE(a.has_surface());
  EXPECT_EQ(a.surface_altitude(0), 400);
  EXPECT_EQ(a.surface_pressure(0), 95000);
  EXPECT_EQ(a.surface_temperature(0), 291);
  EXPECT_EQ(a.surface_emissivity(0, 0), 0.9);
  EXPECT_EQ(a.surface_emissivity(0, 1), 0.95);
}

TEST(JurassicFiles, ACloudWithoutDepthIsNone) {
  auto text = full_atmosphere;
  text.replace(text.find(" 1.5 0.01 0.02"), 4, " 0");
  EXPECT_FALSE(io::read_jurassic_atmosphere(write_text("atm.tab", text), full_control()).has_cloud());
}

TEST(JurassicFiles, AtmosphereIsTheSameAfterWritingAndReading) {
  auto const a = io::read_jurassic_atmosphere(write_text("atm.tab", full_atmosphere), full_control());
  auto const path = test_folder() + "/copy.tab";
  io::write_jurassic_atmosphere(path, a, io::all_digits);
  auto const b = io::read_jurassic_atmosphere(path, full_control());
  expect_equal(a.time, b.time);
  expect_equal(a.longitude, b.longitude);
  expect_equal(a.latitude, b.latitude);
  expect_equal(a.temperature, b.temperature);
  expect_equal(a.mole_fraction, b.mole_fraction);
  expect_equal(a.altitude, b.altitude);
  expect_equal(a.pressure, b.pressure);
  expect_equal(a.cloud_height, b.cloud_height);
  expect_equal(a.cloud_depth, b.cloud_depth);
  expect_equal(a.surface_altitude, b.surface_altitude);
  expect_equal(a.surface_pressure, b.surface_pressure);
  expect_equal(a.surface_temperature, b.surface_temperature);
  expect_equal(a.surface_emissivity, b.surface_emissivity);
  for (std::size_t i = 0; i < a.extinction.size(); ++i)
    EXPECT_DOUBLE_EQ(a.extinction.data()[i], b.extinction.data()[i]);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_DOUBLE_EQ(a.cloud_extinction(0, i), b.cloud_extinction(0, i));
  auto const text = text_of(path);
  EXPECT_EQ(text.rfind("# $1 = time (seconds since 2000-01-01T00:00Z)\n# $2 = altitude [km]\n", 0), 0U);
  EXPECT_NE(text.find("# $8 = H2O volume mixing ratio [ppv]\n# $9 = extinction (window 0) [km^-1]\n"),
            std::string::npos);
  EXPECT_NE(text.find("\n\n100.25 0 10 20 1000 280 "), std::string::npos);
}

TEST(JurassicFiles, BadAtmospheresAreRefused) {
  std::string const level = "0 0 0 0 1000 280 0.0004 0\n";
  std::string const columns = ", expected 8 (6 of time, place, pressure and temperature, 1 gases, 1 windows)";
  EXPECT_EQ(refused_atmosphere(""), " holds 0 levels, expected at least 2");
  EXPECT_EQ(refused_atmosphere(level), " holds 1 levels, expected at least 2");
  EXPECT_EQ(refused_atmosphere("# x\n\n" + level + "0 1 0 0 900 270 0.0004\n"), "4: has 7 columns" + columns);
  EXPECT_EQ(refused_atmosphere(level + "0 1 0 0 900 27"),
            "2: has 6 columns and the file ends within the line" + columns);
  EXPECT_EQ(refused_atmosphere(level + "0 1 0 0 900 270 0.0004 0 7\n"), "2: has 9 columns" + columns);
  EXPECT_EQ(refused_atmosphere("0 0 0 0 1000 28O 0.0004 0\n"), "1: column 6 holds \"28O\", expected a number");
  EXPECT_EQ(refused_atmosphere("0 0 0 0 1e999 280 0.0004 0\n"), "1: column 5 holds \"1e999\", expected a number");
  EXPECT_EQ(refused_atmosphere(std::string("\0\1\2ELF", 6) + "\n"), " byte 0: zero, expected text");
  std::string const upwards = " of the level before: one profile, upwards";
  EXPECT_EQ(refused_atmosphere(level + level), "2: altitude = 0 km, expected more than 0 km" + upwards);
  EXPECT_EQ(refused_atmosphere(level + "0 5 0 0 900 270 0.0004 0\n\n0 4 0 0 900 270 0.0004 0\n"),
            "4: altitude = 4 km, expected more than 5 km" + upwards);
  EXPECT_EQ(refused_atmosphere("nan 0 0 0 1000 280 0.0004 0\n"), "1: time = nan s, expected a finite number");
  EXPECT_EQ(refused_atmosphere("0 inf 0 0 1000 280 0.0004 0\n"), "1: altitude = inf km, expected a finite altitude");
  EXPECT_EQ(refused_atmosphere("0 0 nan 0 1000 280 0.0004 0\n"),
            "1: longitude = nan degree, expected a finite longitude");
  EXPECT_EQ(refused_atmosphere("0 0 0 -inf 1000 280 0.0004 0\n"),
            "1: latitude = -inf degree, expected a finite latitude");
  EXPECT_EQ(refused_atmosphere("0 0 0 0 0 280 0.0004 0\n"), "1: pressure = 0 hPa, expected a positive finite pressure");
  EXPECT_EQ(refused_atmosphere("0 0 0 0 1000 -1 0.0004 0\n"),
            "1: temperature = -1 K, expected a positive finite temperature");
  EXPECT_EQ(refused_atmosphere("0 0 0 0 1000 280 nan 0\n"), "1: CO2 = nan, expected a finite mole fraction");
  EXPECT_EQ(refused_atmosphere("0 0 0 0 1000 280 inf 0\n"), "1: CO2 = inf, expected a finite mole fraction");
  EXPECT_EQ(refused_atmosphere("0 0 0 0 1000 280 0 -1\n"),
            "1: extinction of window 0 = -1 km-1, expected a finite extinction of at least 0");
}

TEST(JurassicFiles, BadCloudsAndSurfacesAreRefused) {
  auto const refused = [](std::string const& cloud_and_surface) {
    return refusal("0 0 0 0 1000 280 0 0 0 0 " + cloud_and_surface + "\n",
                   [](std::string const& path) { io::read_jurassic_atmosphere(path, full_control()); });
  };
  EXPECT_EQ(refused("nan 1 0 0 0 0 0 1 1"), "1: height of the cloud = nan km, expected a finite altitude");
  EXPECT_EQ(refused("8 inf 0 0 0 0 0 1 1"), "1: depth of the cloud = inf km, expected a finite length");
  EXPECT_EQ(refused("8 1 0 -1 0 0 0 1 1"),
            "1: extinction 1 of the cloud = -1 km-1, expected a finite extinction of at least 0");
  EXPECT_EQ(refused("8 1 0 0 nan 0 0 1 1"), "1: altitude of the surface = nan km, expected a finite altitude");
  EXPECT_EQ(refused("8 1 0 0 0 inf 0 1 1"),
            "1: pressure of the surface = inf hPa, expected a finite pressure, 0 for none");
  EXPECT_EQ(refused("8 1 0 0 0 0 nan 1 1"),
            "1: temperature of the surface = nan K, expected a finite temperature, 0 for that of the air");
  EXPECT_EQ(refused("8 1 0 0 0 0 0 1 1.5"), "1: emissivity 1 of the surface = 1.5, expected an emissivity from 0 to 1");
  EXPECT_EQ(refused("8 1 0 0 0 0 0 1"),
            "1: has 18 columns, expected 19 (6 of time, place, pressure and temperature, 2 gases, 2 windows, 4 of the "
            "cloud, 5 of the surface)");
}

// --- observations and radiances ----------------------------------------------------------------------------------

TEST(JurassicFiles, ObservationIsReadInSiUnits) {
  auto const path = write_text("obs.tab",
                               "# header\n0.5 780 1 2 10.5 4 5 0 0 0 0 0 0 0\r\n\n"
                               "60 780 1 2 -11 4 90 nan nan nan nan 7 nan 1");
  auto const o = io::read_jurassic_observation(path, full_control());
  ASSERT_EQ(o.nray(), 2);
  EXPECT_EQ(o.time(0), 0.5);
  EXPECT_EQ(o.time(1), 60);
  EXPECT_EQ(o.observer.altitude(0), 780e3);
  EXPECT_EQ(o.observer.longitude(0), 1);
  EXPECT_EQ(o.observer.latitude(0), 2);
  EXPECT_EQ(o.view_point.altitude(0), 10.5e3);
  EXPECT_EQ(o.view_point.altitude(1), -11e3);
  EXPECT_EQ(o.view_point.longitude(1), 4);
  EXPECT_EQ(o.view_point.latitude(1), 90);
  EXPECT_EQ(o.profile.size(), 0U);
  ASSERT_EQ(o.masked.size(), 4U);
  EXPECT_FALSE(o.masked(0, 0));
  EXPECT_FALSE(o.masked(0, 1));
  EXPECT_TRUE(o.masked(1, 0));
  EXPECT_FALSE(o.masked(1, 1));
}

TEST(JurassicFiles, WithoutNanNothingIsMasked) {
  auto const path = write_text("obs.tab", "0 780 0 0 10 0 20 0 0 0 0 0\n");
  EXPECT_EQ(io::read_jurassic_observation(path, plain_control()).masked.size(), 0U);
}

TEST(JurassicFiles, BadObservationsAreRefused) {
  std::string const columns =
      ", expected 12 (time, 3 of each of observer, view point and tangent point, and 2 radiances and transmittances of "
      "ND = 1 channels)";
  EXPECT_EQ(refused_observation("# no rays\n\n"), " holds no rays, expected one a line");
  EXPECT_EQ(refused_observation("0 780 0 0 10 0 20 0 0 0\n"), "1: has 10 columns" + columns);
  EXPECT_EQ(refused_observation("0 780 0 0 10 0 20 0 0 0 0 0 0 0\n"), "1: has 14 columns" + columns);
  EXPECT_EQ(refused_observation("0 780 0 0 10 0 20 0 0 0 0 0\n0 780 0 0 10"),
            "2: has 5 columns and the file ends within the line" + columns);
  EXPECT_EQ(refused_observation("0 780 0 0 10 0 20 0 - 0 0 0\n"), "1: column 9 holds \"-\", expected a number");
  EXPECT_EQ(refused_observation("inf 780 0 0 10 0 20 0 0 0 0 0\n"), "1: time = inf s, expected a finite number");
  EXPECT_EQ(refused_observation("0 nan 0 0 10 0 20 0 0 0 0 0\n"),
            "1: observer altitude [km] = nan, expected a finite number");
  EXPECT_EQ(refused_observation("0 780 0 0 10 nan 20 0 0 0 0 0\n"),
            "1: view point longitude [deg] = nan, expected a finite number");
  EXPECT_EQ(refused_observation("0 780 0 0 10 0 91 0 0 0 0 0\n"),
            "1: view point latitude [deg] = 91, expected a latitude from -90 to 90");
  EXPECT_EQ(refused_observation("\n0 780 0 0 10 0 20 0 0 0 inf 0\n"),
            "2: radiance of channel 0 = inf, expected a number, or nan where it is masked");
  EXPECT_EQ(refused_observation("0 780 1 2 780 1 2 0 0 0 0 0\n"),
            "1: view point = observer = (780, 1, 2), expected another place");
}

TEST(JurassicFiles, ObserversBelowTheGroundAreRefused) {
  auto const refused = [](std::string const& text, double ground) {
    return refusal(text,
                   [&](std::string const& path) { io::read_jurassic_observation(path, plain_control(), ground); });
  };
  std::string const rays = "0 0.4 0 0 10 0 20 0 0 0 0 0\n# down\n0 0.399 0 0 10 0 20 0 0 0 0 0\n";
  EXPECT_EQ(refused(rays, 400), "3: observer altitude = 0.399 km, expected no lower than the ground at 0.4 km");
  EXPECT_EQ(io::read_jurassic_observation(write_text("o.tab", rays), plain_control(), 399).nray(), 2);
}

TEST(JurassicFiles, RadiancesLookAsInJurassic) {
  auto control = full_control();
  auto const observation = make_rays();
  auto const spectra = make_spectra(3, 2);
  fill(spectra.radiance, 0.012345678901, 0.001);
  fill(spectra.transmittance, 0.1, 0.1);
  fill_places(spectra.tangent, 9876.54321, 0.5);
  spectra.radiance(1, 1) = -std::numeric_limits<double>::quiet_NaN();
  auto const path = test_folder() + "/rad.tab";
  io::write_jurassic_radiances(path, observation, spectra, control);
  EXPECT_EQ(text_of(path),
            "# $1 = time (seconds since 2000-01-01T00:00Z)\n# $2 = observer altitude [km]\n"
            "# $3 = observer longitude [deg]\n# $4 = observer latitude [deg]\n# $5 = view point altitude [km]\n"
            "# $6 = view point longitude [deg]\n# $7 = view point latitude [deg]\n"
            "# $8 = tangent point altitude [km]\n# $9 = tangent point longitude [deg]\n"
            "# $10 = tangent point latitude [deg]\n# $11 = radiance (792.0000 cm^-1) [W/(m^2 sr cm^-1)]\n"
            "# $12 = radiance (667.8000 cm^-1) [W/(m^2 sr cm^-1)]\n# $13 = transmittance (792.0000 cm^-1) [-]\n"
            "# $14 = transmittance (667.8000 cm^-1) [-]\n\n"
            "1234567.89 780 780000 10 10 10000.2 10 9.87654 9877.04 9877.54 0.0123457 0.0133457 0.1 0.2\n"
            "1234567.89 780.001 780002 11 10.0008 10001 11 9.87804 9878.54 9879.04 0.0143457 nan 0.3 0.4\n"
            "\n1234568.00 780.003 780004 12 10.0015 10001.8 12 9.87954 9880.04 9880.54 0.0163457 0.0173457 0.5 0.6\n");

  // What was written is an observation again; its NaN is masked.
  auto const again = io::read_jurassic_observation(path, control);
  EXPECT_EQ(again.nray(), 3);
  EXPECT_TRUE(again.masked(1, 1));
  control.options.brightness_temperature = true;
  io::write_jurassic_radiances(path, observation, spectra, control, 12);
  EXPECT_NE(text_of(path).find("# $11 = brightness temperature (792.0000 cm^-1) [K]\n"), std::string::npos);
  EXPECT_NE(text_of(path).find(" 0.012345678901"), std::string::npos);
}

TEST(JurassicFiles, WritersRefuseWhatDoesNotFit) {
  auto const observation = make_rays();
  auto const path = test_folder() + "/out.tab";
  EXPECT_EQ(message_of([&] { io::write_jurassic_radiances(path, observation, make_spectra(2, 2), full_control()); }),
            "write_jurassic_radiances: radiance has shape (2, 2), expected (3, 2)");
  EXPECT_EQ(
      message_of([&] { io::write_jurassic_radiances(path, observation, make_spectra(3, 2), full_control(), 18); }),
      "write_jurassic_radiances: digits = 18, expected 1 to 17");
  EXPECT_EQ(message_of([&] { io::write_jurassic_atmosphere(path, ega::make_atmosphere(2, 2, {}, 1)); }),
            "write_jurassic_atmosphere: atmosphere has 2 profiles, expected 1");
  EXPECT_FALSE(std::filesystem::exists(path));
  auto const nowhere = test_folder() + "/none/out.tab";
  EXPECT_EQ(message_of([&] { io::write_jurassic_radiances(nowhere, observation, make_spectra(3, 2), full_control()); }),
            nowhere + ": cannot be written: no folder " + test_folder() + "/none");
}

TEST(JurassicFiles, NothingIsLeftOfAFileThatCouldNotBeWritten) {
  // A link stands for the file that it points to. What is not a regular file is not written to.
  auto const folder = test_folder();
  auto const target = write_text("target.tab", "old\n");
  std::filesystem::create_symlink(target, folder + "/link.tab");
  io::write_jurassic_radiances(folder + "/link.tab", make_rays(), make_spectra(3, 2), full_control());
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link.tab"));
  EXPECT_NE(text_of(target), "old\n");
  EXPECT_THROW(io::write_jurassic_radiances("/dev/full", make_rays(), make_spectra(3, 2), full_control()), Error);
  int files = 0;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(entry.path().extension(), ".tab");
    ++files;
  }
  EXPECT_EQ(files, 2);
}

// --- Jacobians and lines of sight --------------------------------------------------------------------------------

TEST(JurassicFiles, KernelLeavesOutMaskedRadiancesAndIsByHectopascalAndKilometre) {
  auto const control = full_control();
  auto const observation = make_rays();
  observation.time(0) = observation.time(1) = observation.time(2) = 0;
  auto masked = observation;
  masked.masked = HostArray<bool**>("masked", 3, 2);
  masked.masked(0, 1) = masked.masked(1, 0) = masked.masked(1, 1) = masked.masked(2, 0) = true;
  auto const atmosphere = io::read_jurassic_atmosphere(write_text("atm.tab", full_atmosphere), control);
  ega::HostJacobian jacobian;
  jacobian.elements = {{ega::Quantity::pressure, 0, 0},
                       {ega::Quantity::temperature, 0, 1},
                       {ega::Quantity::mole_fraction, 1, 0},
                       {ega::Quantity::extinction, 1, 1}};
  jacobian.derivative = HostArray<double***>("derivative", 3, 2, 4);
  fill(jacobian.derivative, 1, 1);
  auto const path = test_folder() + "/kernel.tab";
  io::write_kernel(path, masked, atmosphere, jacobian, control);
  auto const text = text_of(path);
  EXPECT_EQ(text.substr(text.find("\n\n")),
            "\n\n0 792.0000 0.00 10 10000.2 10 0 PRESSURE 100.25 0 10 20 100\n"
            "0 792.0000 0.00 10 10000.2 10 1 TEMPERATURE 100.25 1.5 10 20 2\n"
            "0 792.0000 0.00 10 10000.2 10 2 H2O 100.25 0 10 20 3\n"
            "0 792.0000 0.00 10 10000.2 10 3 EXTINCT_WINDOW_1 100.25 1.5 10 20 0.004\n\n"
            "1 667.8000 0.00 10.0015 10001.8 12 0 PRESSURE 100.25 0 10 20 2100\n"
            "1 667.8000 0.00 10.0015 10001.8 12 1 TEMPERATURE 100.25 1.5 10 20 22\n"
            "1 667.8000 0.00 10.0015 10001.8 12 2 H2O 100.25 0 10 20 23\n"
            "1 667.8000 0.00 10.0015 10001.8 12 3 EXTINCT_WINDOW_1 100.25 1.5 10 20 0.024\n\n");

  jacobian.elements[3].which = 2;
  EXPECT_EQ(message_of([&] { io::write_kernel(path, masked, atmosphere, jacobian, control); }),
            "write_kernel: element 3 is number 2 at level 1, expected below 2 and below 2");
  jacobian.elements.pop_back();
  EXPECT_EQ(message_of([&] { io::write_kernel(path, masked, atmosphere, jacobian, control); }),
            "write_kernel: jacobian.derivative has shape (3, 2, 4), expected (3, 2, 3)");
}

namespace {

ega::HostLineOfSight make_line_of_sight(std::size_t np, std::size_t ngas, std::size_t nchannel) {
  ega::HostLineOfSight los;
  los.place.resize(np);
  los.pressure.resize(np);
  los.temperature.resize(np);
  los.length.resize(np);
  los.mole_fraction = HostArray<double**>("mole_fraction", np, ngas);
  los.column_density = HostArray<double**>("column_density", np, ngas);
  los.extinction = HostArray<double**>("extinction", np, nchannel);
  los.continuum = HostArray<double**>("continuum", np, nchannel);
  los.path_transmittance = HostArray<double***>("path_transmittance", np, ngas, nchannel);
  los.segment_transmittance = HostArray<double**>("segment_transmittance", np, nchannel);
  los.segment_emissivity = HostArray<double**>("segment_emissivity", np, nchannel);
  los.planck = HostArray<double**>("planck", np, nchannel);
  los.transmittance = HostArray<double**>("transmittance", np, nchannel);
  los.radiance = HostArray<double**>("radiance", np, nchannel);
  return los;
}

}  // namespace

TEST(JurassicFiles, LineOfSightHasColumnsForEveryGasAndChannel) {
  auto los = make_line_of_sight(1, 2, 2);
  los.ray = 1;
  los.tangent = {8000, 1, 2};
  los.place[0] = {90e3, 3, 4};
  los.pressure[0] = 500;
  los.temperature[0] = 250;
  los.length[0] = 1500;
  fill(los.mole_fraction, 0.1, 0.1);
  fill(los.column_density, 1e20, 1e20);
  fill(los.extinction, 0.001, 0.001);
  fill(los.continuum, 0.003, 0.001);
  fill(los.path_transmittance, 0.5, 0.0625);  // gas major
  fill(los.segment_transmittance, 0.11, 0.01);
  fill(los.segment_emissivity, 0.21, 0.01);
  fill(los.planck, 0.31, 0.01);
  fill(los.transmittance, 0.41, 0.01);
  fill(los.radiance, 0.51, 0.01);
  auto const path = test_folder() + "/los.tab";
  io::write_lines_of_sight(path, {los}, make_rays(), full_control(), "obs.tab");
  EXPECT_EQ(text_of(path),
            "# ray 1 of obs.tab\n# tangent point (z lon lat): 8 1 2\n# np = 1  surface temperature = -999\n"
            "# columns: 1:ip 2:z_km 3:lon_deg 4:lat_deg 5:p_hPa 6:T_K 7:ds_km 8:q_CO2 9:q_H2O 10:u_CO2_molec_cm-2 "
            "11:u_H2O_molec_cm-2 12:k_ext_km-1[792] 13:beta_ctm_total_km-1[792] 14:tau_path_CO2_after[792] "
            "15:tau_path_H2O_after[792] 16:tau_gas_segment[792] 17:eps_segment[792] 18:planck[792] 19:tau_after[792] "
            "20:rad_after[792] 21:k_ext_km-1[667.8] 22:beta_ctm_total_km-1[667.8] 23:tau_path_CO2_after[667.8] "
            "24:tau_path_H2O_after[667.8] 25:tau_gas_segment[667.8] 26:eps_segment[667.8] 27:planck[667.8] "
            "28:tau_after[667.8] 29:rad_after[667.8]\n"
            "0 90 3 4 5 250 1.5 0.1 0.2 1e+20 2e+20 1 3 0.5 0.625 0.11 0.21 0.31 0.41 0.51 2 4 0.5625 0.6875 0.12 0.22 "
            "0.32 0.42 0.52\n");
  auto const once = text_of(path);
  // At the surface, what it adds to the last radiance.
  auto at_surface = los;
  at_surface.surface_temperature = 290;
  at_surface.surface_emissivity = HostArray<double*>("surface", 2);
  at_surface.surface_planck = HostArray<double*>("surface", 2);
  at_surface.surface_emission = HostArray<double*>("surface", 2);
  fill(at_surface.surface_emissivity, 0.9, 0.05);
  fill(at_surface.surface_planck, 0.1, 0.1);
  fill(at_surface.surface_emission, 0.25, 0.25);
  io::write_lines_of_sight(path, {at_surface}, make_rays(), full_control(), "obs.tab");
  auto const with_surface = text_of(path);
  EXPECT_NE(with_surface.find("surface temperature = 290\n"), std::string::npos);
  EXPECT_EQ(with_surface.substr(with_surface.find("# surface[")),
            "# surface[792]: eps 0.9 planck 0.1 emission_term 0.25 rad_with_surface_emission 0.76\n"
            "# surface[667.8]: eps 0.95 planck 0.2 emission_term 0.5 rad_with_surface_emission 1.02\n");
  at_surface.surface_planck = HostArray<double*>("surface", 1);
  EXPECT_EQ(message_of([&] { io::write_lines_of_sight(path, {at_surface}, make_rays(), full_control(), "obs.tab"); }),
            "write_lines_of_sight: surface_planck has shape (1), expected (2)");
  // Several follow each other.
  io::write_lines_of_sight(path, {los, los}, make_rays(), full_control(), "obs.tab");
  EXPECT_EQ(text_of(path), once + once);
  los.ray = 3;
  EXPECT_EQ(message_of([&] { io::write_lines_of_sight(path, {los}, make_rays(), full_control(), "obs.tab"); }),
            "write_lines_of_sight: ray = 3, expected one of 3");
  los.ray = 0;
  los.planck = HostArray<double**>("planck", 1, 1);
  EXPECT_EQ(message_of([&] { io::write_lines_of_sight(path, {los}, make_rays(), full_control(), "obs.tab"); }),
            "write_lines_of_sight: planck has shape (1, 1), expected (1, 2)");
}

// --- filters, fields of view, continua, climatology --------------------------------------------------------------

TEST(JurassicFiles, FiltersAreReadAndChecked) {
  auto const filter = io::read_filter(write_text("a.filt", "# $1 = wavenumber\n\n791.5 0\n792 1\n793 -0.25\n"));
  EXPECT_EQ(filter.wavenumber, (std::vector<double>{791.5, 792, 793}));
  EXPECT_EQ(filter.weight, (std::vector<double>{0, 1, -0.25}));
  auto const refused = [](std::string const& text) {
    return refusal(text, [](std::string const& path) { io::read_filter(path); });
  };
  EXPECT_EQ(refused("792 1\n"), " holds 1 lines of numbers, expected at least 2");
  EXPECT_EQ(refused("792 1\n792 1\n"), "2: wavenumber [cm-1] = 792, expected more than 792 of the line before");
  EXPECT_EQ(refused("792 1 1\n"), "1: has 3 columns, expected 2 (wavenumber [cm-1], weight)");
  EXPECT_EQ(refused("792 nan\n"), "1: weight = nan, expected a finite number");
  EXPECT_EQ(refused("792 0\n793 0\n"), " has weights that sum to 0, expected a sum above 0");
  EXPECT_EQ(refused("792 1\n793 -1.25\n"), " has weights that sum to -0.25, expected a sum above 0");
}

TEST(JurassicFiles, FieldsOfViewAreReadInMetres) {
  auto const fov = io::read_field_of_view(write_text("fov.tab", "-1.5 0.5\n0 1\n1.5 0.5\n"));
  EXPECT_EQ(fov.offset, (std::vector<double>{-1500, 0, 1500}));
  EXPECT_EQ(fov.weight, (std::vector<double>{0.5, 1, 0.5}));
  auto const refused = [](std::string const& text) {
    return refusal(text, [](std::string const& path) { io::read_field_of_view(path); });
  };
  EXPECT_EQ(refused(""), " holds 0 lines of numbers, expected at least 2");
  EXPECT_EQ(refused("-1 1\n1 -1\n"), " has weights that sum to 0, expected a sum above 0");
  EXPECT_EQ(refused("-1 1\ninf 1\n"), "2: offset [km] = inf, expected a finite number");
}

TEST(JurassicFiles, OnlyContinuaThatAreOnAreRead) {
  auto const folder = test_folder();
  write_text("ctmn2.txt", "2120 0 802\n2125 4.45e-08 -5\n");
  auto const tables = io::read_continua(folder, {false, false, true, false});
  EXPECT_TRUE(tables.co2.wavenumber.empty());
  EXPECT_TRUE(tables.h2o.wavenumber.empty());
  EXPECT_TRUE(tables.o2.wavenumber.empty());
  EXPECT_EQ(tables.n2.wavenumber, (std::vector<double>{2120, 2125}));
  EXPECT_EQ(tables.n2.strength, (std::vector<double>{0, 4.45e-8}));
  EXPECT_EQ(tables.n2.beta, (std::vector<double>{802, -5}));
  EXPECT_EQ(message_of([&] { io::read_continua(folder, {}); }),
            folder + "/ctmco2.txt: missing, expected the coefficients of the CO2 continuum");
  write_text("ctmh2o.txt", "0 1 2 3\n10 4 5 6\n");
  EXPECT_EQ(message_of([&] {
              io::read_continua(folder, {false, true, false, false});
            }),
            folder + "/ctmh2o_xfcrev.txt: missing, expected the correction of the H2O self continuum");
  write_text("ctmh2o_xfcrev.txt", "820 1.003\n830 1.009\n");
  auto const water = io::read_continua(folder, {false, true, false, false}).h2o;
  EXPECT_EQ(water.self_296, (std::vector<double>{1, 4}));
  EXPECT_EQ(water.self_260, (std::vector<double>{2, 5}));
  EXPECT_EQ(water.foreign, (std::vector<double>{3, 6}));
  EXPECT_EQ(water.correction_wavenumber, (std::vector<double>{820, 830}));
  EXPECT_EQ(water.correction, (std::vector<double>{1.003, 1.009}));
  write_text("ctmo2.txt", "1365 0 467\n1360 0 467\n");
  EXPECT_EQ(message_of([&] {
              io::read_continua(folder, {false, false, false, true});
            }),
            folder + "/ctmo2.txt:2: wavenumber [cm-1] = 1360, expected more than 1365 of the line before");
}

TEST(JurassicFiles, ClimatologyIsInterpolatedLikeTheModelsProfiles) {
  auto const path = write_text("clim.txt",
                               "# a climatology: its columns: z p T and: O3 f11\n"
                               "0 1000 280 1e-8 2e-10\n10 250 220 3e-8 0\n20 62.5 240 5e-6 0\n");
  auto const climatology = io::read_climatology(path);
  EXPECT_EQ(climatology.gases, (std::vector<std::string>{"O3", "f11"}));
  EXPECT_EQ(climatology.altitude, (std::vector<double>{0, 10e3, 20e3}));
  EXPECT_EQ(climatology.pressure, (std::vector<double>{1000e2, 250e2, 6250}));
  double const year = 31557600;
  auto const a =
      io::climatological_atmosphere(climatology, {-10e3, 0, 5e3, 10e3, 30e3}, {"F11", "CO2", "o3"}, 63158400 + year, 2);
  EXPECT_EQ(a.nlev(), 5);
  EXPECT_EQ(a.nwindow(), 2);
  EXPECT_EQ(a.gases, (std::vector<std::string>{"F11", "CO2", "o3"}));
  double const p[] = {4000e2, 1000e2, 500e2, 250e2, 1562.5};
  double const t[] = {340, 280, 250, 220, 260};
  double const f11[] = {4e-10, 2e-10, 1e-10, 0, 0};
  double const o3[] = {-1e-8, 1e-8, 2e-8, 3e-8, 9.97e-6};
  // A few roundings of numbers of the size of the largest that is involved.
  double const epsilon = 8 * std::numeric_limits<double>::epsilon();
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(a.pressure(0, k), p[k], 4000e2 * epsilon);
    EXPECT_NEAR(a.temperature(0, k), t[k], 340 * epsilon);
    EXPECT_NEAR(a.mole_fraction(0, 0, k), f11[k], 4e-10 * epsilon);
    EXPECT_NEAR(a.mole_fraction(0, 1, k), 373.816162e-6, 4e-4 * epsilon);
    EXPECT_NEAR(a.mole_fraction(0, 2, k), o3[k], 1e-5 * epsilon);
    EXPECT_EQ(a.extinction(0, 1, k), 0);
    EXPECT_EQ(a.time(0, k), 63158400 + year);
  }
  EXPECT_EQ(message_of([&] {
              io::climatological_atmosphere(climatology, {0, 1e3}, {"SO2"}, 0, 1);
            }),
            path + ": has no SO2, expected one of CO2, O3, f11");
}

TEST(JurassicFiles, BadClimatologiesAreRefused) {
  auto const refused = [](std::string const& text) {
    return refusal(text, [](std::string const& path) { io::read_climatology(path); });
  };
  EXPECT_EQ(refused("# gases: O3\n"), " holds no levels, expected at least 2");
  EXPECT_EQ(refused("# gases: O3\n0 1000 280 1e-8\n"), " holds 1 levels, expected at least 2");
  EXPECT_EQ(refused("# gases O3\n0 1000 280 1e-8\n"),
            "2: is not preceded by a comment \"...: GAS GAS ...\", expected the names of the gases there");
  EXPECT_EQ(refused("# gases: O3\n0 1000 280 1e-8 1\n"),
            "2: has 5 columns, expected 4 (altitude, pressure, temperature and 1 gases)");
  EXPECT_EQ(refused("# gases: O3\n1 1000 280 1e-8\n1 900 280 1e-8\n"),
            "3: altitude = 1 km, expected more than 1 km of the level before");
  EXPECT_EQ(refused("# gases: O3\n1 -1 280 1e-8\n"), "2: pressure = -1 hPa, expected a positive finite pressure");
  EXPECT_EQ(refused("# gases: O3\n1 1000 0 1e-8\n"), "2: temperature = 0 K, expected a positive finite temperature");
  EXPECT_EQ(refused("# gases: O3\n1 1000 280 -1\n"), "2: O3 = -1, expected a mole fraction from 0 to 1");
}

// --- netCDF ------------------------------------------------------------------------------------------------------

TEST(JurassicFiles, NetcdfHoldsRadiancesWithTheirCoordinates) {
  auto const observation = make_rays();
  auto const spectra = make_spectra(3, 2);
  fill(spectra.radiance, 0.01, 0.001);
  fill(spectra.transmittance, 0.1, 0.1);
  fill_places(spectra.tangent, 5, 1);
  spectra.radiance(1, 0) = std::numeric_limits<double>::quiet_NaN();
  auto const path = test_folder() + "/rad.nc";
  io::Provenance provenance;
  provenance.title = "a test";
  io::write_spectra_netcdf(path, observation, spectra, full_control().channels, false, provenance);
  io::Hdf5File const file(path);
  EXPECT_EQ(file.text_attribute("", "title"), "a test");
  EXPECT_EQ(file.text_attribute("", "Conventions"), "CF-1.10");
  EXPECT_FALSE(file.text_attribute("", "vertical_order").has_value());
  EXPECT_EQ(file.shape("radiance"), (std::vector<std::size_t>{3, 2}));
  auto const radiance = file.read("radiance");
  EXPECT_EQ(radiance[1], spectra.radiance(0, 1));
  EXPECT_TRUE(std::isnan(radiance[2]));
  EXPECT_EQ(file.read("transmittance")[5], spectra.transmittance(2, 1));
  EXPECT_EQ(file.read("wavenumber"), (std::vector<double>{792, 667.8}));
  EXPECT_EQ(file.read("time")[2], observation.time(2));
  EXPECT_EQ(file.read("tangent_altitude"), (std::vector<double>{5, 8, 11}));
  EXPECT_EQ(file.read("tangent_latitude"), (std::vector<double>{7, 10, 13}));
  EXPECT_EQ(file.read("observer_longitude")[1], observation.observer.longitude(1));
  EXPECT_EQ(file.read("view_point_altitude")[2], observation.view_point.altitude(2));
  EXPECT_EQ(file.text_attribute("radiance", "units"), "W m-2 sr-1 (cm-1)-1");
  EXPECT_EQ(file.text_attribute("wavenumber", "standard_name"), "sensor_band_central_radiation_wavenumber");
  EXPECT_EQ(file.text_attribute("tangent_altitude", "units"), "m");
  for (auto const& variable : file.variables())
    for (auto const* const attribute : {"units", "long_name"}) {
      bool const is_dimension = variable == "ray" || variable == "channel";
      EXPECT_TRUE(is_dimension || file.text_attribute(variable, attribute).has_value())
          << variable << " has no " << attribute;
    }

  io::write_spectra_netcdf(path, observation, spectra, full_control().channels, true, provenance);
  io::Hdf5File const warm(path);
  EXPECT_FALSE(warm.exists("radiance"));
  EXPECT_EQ(warm.text_attribute("brightness_temperature", "units"), "K");
  EXPECT_EQ(message_of([&] {
              io::write_spectra_netcdf(path, observation, make_spectra(3, 1), full_control().channels, true,
                                       provenance);
            }),
            "write_spectra_netcdf: radiance has shape (3, 1), expected (3, 2)");
}

// --- files of JURASSIC -------------------------------------------------------------------------------------------

TEST(JurassicFiles, ReferenceRadiancesAreWrittenAsTheyWere) {
  for (std::string const name : {"limb_base", "limb_ctm_channels", "nadir_bbt", "occultation_base"}) {
    PARHELION_REQUIRE_DATA(path, "jurassic/cases/" + name + "/rad.tab");
    PARHELION_REQUIRE_DATA(control_path, "jurassic/cases/" + name + "/case.ctl");
    SCOPED_TRACE(path);
    auto const control = io::read_jurassic_control(control_path);
    auto const observation = io::read_jurassic_observation(path, control);
    auto const rows = table_of(path);
    auto const nchannel = control.channels.wavenumber.size();
    auto const spectra = make_spectra(rows.size(), nchannel);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      spectra.tangent.altitude(r) = std::stod(rows[r][7]) * 1e3;
      spectra.tangent.longitude(r) = std::stod(rows[r][8]);
      spectra.tangent.latitude(r) = std::stod(rows[r][9]);
      for (std::size_t i = 0; i < nchannel; ++i) {
        spectra.radiance(r, i) = std::stod(rows[r][10 + i]);
        spectra.transmittance(r, i) = std::stod(rows[r][10 + nchannel + i]);
      }
    }
    auto const copy = test_folder() + "/" + name + ".tab";
    io::write_jurassic_radiances(copy, observation, spectra, control, io::all_digits);
    expect_same_words(text_of(copy), text_of(path));
  }
}

TEST(JurassicFiles, ReferenceKernelsAreWrittenAsTheyWere) {
  for (std::string const name : {"limb_dbg", "nadir_dbg"}) {
    PARHELION_REQUIRE_DATA(path, "jurassic/cases/" + name + "/kernel.tab");
    PARHELION_REQUIRE_DATA(radiances, "jurassic/cases/" + name + "/rad.tab");
    PARHELION_REQUIRE_DATA(control_path, "jurassic/cases/" + name + "/case.ctl");
    PARHELION_REQUIRE_DATA(atmosphere_path, "jurassic/atm/midlat_aerosol.tab");
    SCOPED_TRACE(path);
    auto const control = io::read_jurassic_control(control_path);
    auto const observation = io::read_jurassic_observation(radiances, control);
    auto const atmosphere = io::read_jurassic_atmosphere(atmosphere_path, control);
    ega::HostJacobian jacobian;
    for (int which = 0; which < 6; ++which)
      for (int k = 0; k < atmosphere.nlev(); ++k)
        jacobian.elements.push_back({which == 0   ? ega::Quantity::pressure
                                     : which == 1 ? ega::Quantity::temperature
                                     : which == 5 ? ega::Quantity::extinction
                                                  : ega::Quantity::mole_fraction,
                                     which >= 2 && which <= 4 ? which - 2 : 0, k});
    auto const nray = static_cast<std::size_t>(observation.nray());
    jacobian.derivative = HostArray<double***>("derivative", nray, 1, jacobian.elements.size());
    auto const rows = table_of(path);
    ASSERT_EQ(rows.size(), jacobian.derivative.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto const& name_in_file = rows[i][7];
      double const to_si = name_in_file == "PRESSURE" ? 1e-2 : name_in_file == "EXTINCT_WINDOW_0" ? 1e3 : 1;
      jacobian.derivative.data()[i] = std::stod(rows[i][12]) * to_si;
    }
    auto const copy = test_folder() + "/" + name + ".tab";
    io::write_kernel(copy, observation, atmosphere, jacobian, control, io::all_digits);
    expect_same_words(text_of(copy), text_of(path));
  }
}

TEST(JurassicFiles, ReferenceLineOfSightIsWrittenAsItWas) {
  PARHELION_REQUIRE_DATA(path, "jurassic/cases/limb_dbg/los_ray2.tab");
  PARHELION_REQUIRE_DATA(control_path, "jurassic/cases/limb_dbg/case.ctl");
  PARHELION_REQUIRE_DATA(observation_path, "jurassic/obs/limb6.tab");
  auto const control = io::read_jurassic_control(control_path);
  auto const rows = table_of(path);
  auto los = make_line_of_sight(rows.size(), 3, 1);
  los.ray = 2;
  los.tangent = {11527.889817329841, -7.9100543074049292e-09, 26.973304451061729};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    auto const column = [&](std::size_t n) { return std::stod(rows[k][n - 1]); };
    los.place[k] = {column(2) * 1e3, column(3), column(4)};
    los.pressure[k] = column(5) * 100;
    los.temperature[k] = column(6);
    los.length[k] = column(7) * 1e3;
    for (std::size_t g = 0; g < 3; ++g) {
      los.mole_fraction(k, g) = column(8 + g);
      los.column_density(k, g) = column(11 + g);
      los.path_transmittance(k, g, 0) = column(16 + g);
    }
    los.extinction(k, 0) = column(14) / 1e3;
    los.continuum(k, 0) = column(15) / 1e3;
    los.segment_transmittance(k, 0) = column(19);
    los.segment_emissivity(k, 0) = column(20);
    los.planck(k, 0) = column(21);
    los.transmittance(k, 0) = column(22);
    los.radiance(k, 0) = column(23);
  }
  auto const copy = test_folder() + "/los.tab";
  io::write_lines_of_sight(copy, {los}, io::read_jurassic_observation(observation_path, control), control,
                           "../../obs/limb6.tab", io::all_digits);
  expect_same_words(text_of(copy), text_of(path));
}

TEST(JurassicFiles, ReferenceAtmospheresAreThoseOfTheClimatology) {
  PARHELION_REQUIRE_DATA(path, "jurassic/atm/midlat.tab");
  PARHELION_REQUIRE_DATA(climatology_path, "jurassic/climatology/midlat.txt");
  auto control = plain_control();
  control.gases = {"CO2", "H2O", "O3"};
  auto const a = io::read_jurassic_atmosphere(path, control);
  std::vector<double> const altitude(a.altitude.data(), a.altitude.data() + a.altitude.size());
  auto const climatology = io::read_climatology(climatology_path);
  EXPECT_EQ(climatology.gases.size(), 27U);
  EXPECT_EQ(climatology.altitude.back(), 120e3);
  auto const b = io::climatological_atmosphere(climatology, altitude, control.gases, 0, 1);
  // The levels are the climatology's: numbers printed with 17 digits, and those of CO2 a formula of four roundings.
  for (std::size_t k = 0; k < altitude.size(); ++k) {
    EXPECT_DOUBLE_EQ(a.pressure(0, k), b.pressure(0, k));
    EXPECT_DOUBLE_EQ(a.temperature(0, k), b.temperature(0, k));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(a.mole_fraction(0, i, k), b.mole_fraction(0, i, k));
  }
}

TEST(JurassicFiles, OtherReferenceFilesAreRead) {
  PARHELION_REQUIRE_DATA(surface, "jurassic/atm/midlat_surface.tab");
  PARHELION_REQUIRE_DATA(filter_path, "jurassic/tables/boxcar_792.0000.filt");
  PARHELION_REQUIRE_DATA(continuum, "jurassic/continua/ctmco2.txt");
  auto control = plain_control();
  control.gases = {"CO2", "H2O", "O3"};
  control.channels.surface_wavenumber = {600, 2600};
  auto const atmosphere = io::read_jurassic_atmosphere(surface, control);
  EXPECT_DOUBLE_EQ(atmosphere.surface_altitude(0), 400);
  EXPECT_EQ(atmosphere.surface_pressure(0), 0);
  EXPECT_EQ(atmosphere.surface_temperature(0), 291.5);
  EXPECT_EQ(atmosphere.surface_emissivity(0, 1), 0.97);
  auto const filter = io::read_filter(filter_path);
  EXPECT_EQ(filter.wavenumber.size(), 2005U);
  EXPECT_EQ(filter.wavenumber[2], 791.5);
  EXPECT_EQ(filter.weight[1], 0);
  EXPECT_EQ(filter.weight[2], 1);
  auto const tables = io::read_continua(std::filesystem::path(continuum).parent_path().string(), {});
  EXPECT_EQ(tables.co2.wavenumber.size(), 2001U);
  EXPECT_EQ(tables.co2.at_230[1], 2.8815e-05);
  EXPECT_EQ(tables.h2o.foreign[0], 0.01095);
  EXPECT_EQ(tables.h2o.correction.back(), 1);
  EXPECT_EQ(tables.n2.beta[0], 802);
  EXPECT_EQ(tables.o2.strength[1], 0.061);
}

TEST(JurassicFiles, PublishedFilesAreRead) {
  PARHELION_REQUIRE_DATA(control_path, "jurassic/published/extinction1/extinction1.ctl");
  PARHELION_REQUIRE_DATA(atmosphere_path, "jurassic/published/extinction1/atm.tab");
  PARHELION_REQUIRE_DATA(observation_path, "jurassic/published/extinction1/obs.tab");
  auto const control = io::read_jurassic_control(control_path);
  EXPECT_EQ(io::read_jurassic_atmosphere(atmosphere_path, control).nlev(), 81);
  EXPECT_EQ(io::read_jurassic_observation(observation_path, control).nray(), 11);
}
