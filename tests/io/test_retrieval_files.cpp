// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/retrieval_files.hpp>

#include "testing.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

io::JurassicControl two_channels() {
  io::JurassicControl control;
  control.path = "case.ctl";
  control.gases = {"CO2", "O3"};
  control.nwindow = 2;
  control.channels.wavenumber = {700.25, 1040};
  control.channels.window = {0, 1};
  return control;
}

TEST(RetrievalFiles, NoiseIsAPercentageOrAFile) {
  EXPECT_EQ(io::noise_percentage("0.5"), 0.5);
  EXPECT_EQ(io::noise_percentage("0.5%"), 0.5);
  EXPECT_EQ(io::noise_percentage(" +2 % "), 2);
  for (std::string const file : {"noise.tab", "5x", "%", "", "./5", "5%%"})
    EXPECT_FALSE(io::noise_percentage(file)) << file;
  for (std::string const bad : {"0", "-1", "nan", "inf%", "1e-10", "1e10%"})
    EXPECT_NE(message_of([&] { io::noise_percentage(bad); }).find("expected a percentage from 1e-09 to 1"),
              std::string::npos)
        << bad;
}

TEST(RetrievalFiles, PercentagesAreOfTheStrongestRadianceOfAChannel) {
  HostArray<double**> const measured("measured", 3, 3);
  double const values[3][3] = {{1, nan, nan}, {4, -6, nan}, {nan, 2, nan}};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) measured(r, c) = values[r][c];
  auto const noise = io::noise_of_strongest("obs.tab", measured, 50);
  EXPECT_EQ(noise[0], 2);
  EXPECT_EQ(noise[1], 3);
  EXPECT_TRUE(std::isnan(noise[2]));
  measured(0, 2) = 0;
  EXPECT_EQ(message_of([&] { io::noise_of_strongest("obs.tab", measured, 50); }),
            "obs.tab: the strongest radiance of channel 2 is 0, expected one of which 50 % is a noise of at least "
            "1e-30");
  auto const of_rays = io::noise_of_rays({1, 2}, 3);
  ASSERT_EQ(of_rays.extent(0), 3U);
  EXPECT_EQ(of_rays(2, 0), 1);
  EXPECT_EQ(of_rays(0, 1), 2);
}

TEST(RetrievalFiles, NoiseFilesHaveALineForEachChannel) {
  auto const path = scratch_folder() + "/noise.tab";
  auto const read = [&](std::string const& text) {
    std::ofstream(path) << text;
    return io::read_noise(path, two_channels());
  };
  EXPECT_EQ(read("# noise\n1040 2e-6 # of ozone\n900 1\n\n700.2500 1e-5\n"), (std::vector<double>{1e-5, 2e-6}));
  auto const refused = [&](std::string const& text, std::string const& message) {
    EXPECT_EQ(message_of([&] { read(text); }), path + message) << text;
  };
  refused("700.25 1\n", ": has no noise of channel 1, expected a line for 1040.0000 cm-1");
  refused("700.25 1\n700.25 1\n1040 1\n", ":2: wavenumber = 700.2500 cm-1, expected one that is not there before");
  refused("700.25 0\n", ":1: noise = 0 W m-2 sr-1 (cm-1)-1, expected a number from 1e-30 to 1e+30");
  refused("700.25 nan\n", ":1: noise = nan W m-2 sr-1 (cm-1)-1, expected a number from 1e-30 to 1e+30");
  refused("-1 1\n", ":1: wavenumber = -1 cm-1, expected a wavenumber above 0");
  refused("700.25 1 1\n", ":1: has 3 columns, expected 2: wavenumber, noise");
  refused("", ": has no noise of channel 0, expected a line for 700.2500 cm-1");
}

TEST(RetrievalFiles, PriorErrorsAreReadAsWritten) {
  auto const o3 = io::prior_error_of("O3=40%,4");
  EXPECT_EQ(o3.quantity, "O3");
  EXPECT_EQ(o3.value, 40);
  EXPECT_TRUE(o3.percent);
  EXPECT_EQ(o3.correlation_length, 4000);
  EXPECT_EQ(o3.text(), "O3=40%,4");
  auto const t = io::prior_error_of(" t = 8.5 , 0 ");
  EXPECT_EQ(t.text(), "t=8.5,0");
  EXPECT_FALSE(t.percent);
  for (std::string const bad : {"", "t", "t=8", "t,8", "=8,4", "t=,4", "t=8,", "t=8,4km", "t=8K,4", "t=8,4,4", "8,4"})
    EXPECT_NE(message_of([&] { io::prior_error_of(bad); }).find("QUANTITY=VALUE%,LENGTH_KM"), std::string::npos) << bad;
  for (std::string const bad : {"t=0,4", "t=-1,4", "t=nan,4", "t=inf%,4", "t=1e31,4"})
    EXPECT_NE(message_of([&] { io::prior_error_of(bad); }).find("a VALUE from 1e-30 to 1e+30"), std::string::npos)
        << bad;
  for (std::string const bad : {"t=1,-1", "t=1,nan", "t=1,inf", "t=1,1e7"})
    EXPECT_NE(message_of([&] { io::prior_error_of(bad); }).find("a LENGTH_KM from 0 to 1"), std::string::npos) << bad;
}

// Everything at levels 0 and 1 of three; of gases ozone only.
std::vector<ega::Element> const elements{{ega::Quantity::pressure, 0, 0},    {ega::Quantity::pressure, 0, 1},
                                         {ega::Quantity::temperature, 0, 0}, {ega::Quantity::mole_fraction, 1, 0},
                                         {ega::Quantity::extinction, 0, 0},  {ega::Quantity::extinction, 1, 0}};

std::string texts_of(std::vector<std::string> const& said) {
  std::vector<io::PriorError> errors;
  for (auto const& text : said) errors.push_back(io::prior_error_of(text));
  std::string all;
  for (auto const& error : io::prior_errors_of_state(two_channels(), elements, errors)) all += error.text() + " ";
  return all;
}

TEST(RetrievalFiles, WhatIsNotSaidOfTheStateIsADefault) {
  EXPECT_EQ(texts_of({}),
            "pressure=1%,10 temperature=10,4 O3=50%,4 extinction_window_0=0.001,4 extinction_window_1=0.001,4 ");
  std::string const all =
      "pressure=2,1 temperature=3%,2 O3=1e-06,3 extinction_window_0=0.01,4 extinction_window_1=5%,5 ";
  EXPECT_EQ(texts_of({"P=2,1", "T=3%,2", "o3=1e-6,3", "k0=0.01,4", "K1=5%,5"}), all);
  EXPECT_EQ(texts_of({"EXTINCT_WINDOW_1=5%,5", "extinction_window_0=0.01,4", "PRESSURE=2,1", "Temperature=3%,2",
                      "O3=1e-6,3"}),
            all);
  EXPECT_NE(texts_of({"k=0.2,7"}).find("extinction_window_0=0.2,7 extinction_window_1=0.2,7"), std::string::npos);

  auto const refusal = [](std::vector<std::string> const& said) { return message_of([&] { texts_of(said); }); };
  for (std::string const unknown : {"CO2", "H2O", "k2", "tt", "k00", "extinct_window_"})
    EXPECT_EQ(refusal({unknown + "=1,1"}), unknown + "=1,1: \"" + unknown +
                                               "\" is not in the state that case.ctl chooses, expected one of "
                                               "pressure, temperature, O3, extinction_window_0, extinction_window_1");
  EXPECT_EQ(refusal({"t=1,1", "temperature=1,1"}),
            "temperature=1,1: a second prior error of temperature, expected one");
  EXPECT_EQ(refusal({"k=1,1", "k1=1,1"}), "k1=1,1: a second prior error of extinction_window_1, expected one");
}

TEST(RetrievalFiles, PriorsAreInSiUnits) {
  auto const air = ega::make_atmosphere(1, 3, {"CO2", "O3"}, 2);
  for (int k = 0; k < 3; ++k) {
    air.altitude(0, k) = 1000 * k;
    air.pressure(0, k) = 1e5 - k;
    air.temperature(0, k) = 280;
    air.mole_fraction(0, 1, k) = 1e-6;
  }
  auto const choice = [&](std::vector<std::string> const& said) {
    std::vector<io::PriorError> errors;
    for (auto const& text : said) errors.push_back(io::prior_error_of(text));
    return io::retrieval_choice(two_channels(), air, "atm.tab", elements,
                                io::prior_errors_of_state(two_channels(), elements, errors));
  };
  auto const expect = [](retrieval::ProfilePrior const& prior, retrieval::StateScale scale, double deviation,
                         double length) {
    EXPECT_EQ(prior.scale, scale);
    ASSERT_EQ(prior.standard_deviation.size(), 1U);
    EXPECT_DOUBLE_EQ(prior.standard_deviation[0], deviation);
    EXPECT_EQ(prior.correlation_length, length);
  };
  auto const plain = choice({});
  expect(plain.pressure, retrieval::StateScale::logarithmic, 0.01, 10e3);
  expect(plain.temperature, retrieval::StateScale::absolute, 10, 4e3);
  expect(plain.mole_fraction.at(1), retrieval::StateScale::relative, 0.5, 4e3);
  expect(plain.extinction.at(0), retrieval::StateScale::absolute, 1e-6, 4e3);
  auto const other = choice({"p=3,1", "t=2%,1", "o3=1e-7,0", "k1=1e-2,5"});
  expect(other.pressure, retrieval::StateScale::absolute, 300, 1e3);
  expect(other.temperature, retrieval::StateScale::relative, 0.02, 1e3);
  expect(other.mole_fraction.at(1), retrieval::StateScale::absolute, 1e-7, 0);
  expect(other.extinction.at(1), retrieval::StateScale::absolute, 1e-5, 5e3);
  EXPECT_EQ(message_of([&] { choice({"k0=5%,4"}); }),
            "atm.tab: extinction_window_0 at 0 km is 0, expected a positive value, because its prior error is in "
            "percent of it; give one without %");
}

TEST(RetrievalFiles, RadiancesOfAnObservationAreMeasurements) {
  auto const path = scratch_folder() + "/obs.tab";
  std::ofstream(path) << "0 800 0 0 10 0 27 0 0 0 0.5 nan 0 0\n0 800 0 0 20 0 26 0 0 0 -1e-6 0.25 1 1\n";
  HostArray<double**> measured;
  auto const observation = io::read_jurassic_observation(path, two_channels(), 0, &measured);
  ASSERT_EQ(measured.extent(0), 2U);
  ASSERT_EQ(measured.extent(1), 2U);
  EXPECT_EQ(measured(0, 0), 0.5);
  EXPECT_TRUE(std::isnan(measured(0, 1)));
  EXPECT_EQ(measured(1, 0), -1e-6);
  EXPECT_EQ(measured(1, 1), 0.25);
  EXPECT_TRUE(observation.masked(0, 1));
}

TEST(RetrievalFiles, ControlFilesThatChooseNothingAreRefused) {
  auto control = two_channels();
  auto const air = ega::make_atmosphere(1, 3, {"CO2", "O3"}, 2);
  for (int k = 0; k < 3; ++k) air.altitude(0, k) = 1000 * k;
  EXPECT_EQ(message_of([&] { io::chosen_elements(control, air); }).rfind("case.ctl: chooses no level", 0), 0U);
  control.elements.temperature = {900, 2100};
  EXPECT_EQ(io::chosen_elements(control, air).size(), 2U);
}

}  // namespace
