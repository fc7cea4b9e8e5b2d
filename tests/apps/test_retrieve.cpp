// SPDX-License-Identifier: BSD-3-Clause
// `parhelion retrieve` as its users meet it: a twin experiment with synthetic tables, all through the program.
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/jurassic_problem.hpp>
#include <parhelion/io/retrieval_files.hpp>
#include <parhelion/retrieval/retrieve.hpp>

#include "cf.hpp"
#include "program.hpp"
#include "reference_columns.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
namespace fs = std::filesystem;

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

// Carbon dioxide is strong to weak in the first channels, ozone is what is seen in the last ones.
constexpr char const* wavenumbers[] = {"652", "718", "722", "730", "694", "698", "700"};
constexpr std::size_t nchannel = std::size(wavenumbers);
constexpr std::size_t nray = 14;

// Elements of the state: temperatures from 12 to 45 km, ozone from 15 to 42 km, every 3 km.
constexpr std::size_t ntemperature = 12;
constexpr std::size_t nozone = 10;
constexpr std::size_t nelement = ntemperature + nozone;

// Columns of an atmosphere.
constexpr std::size_t altitude = 1, temperature = 5, ozone = 7;

void write_text(std::string const& path, std::string const& text) { std::ofstream(path, std::ios::binary) << text; }

std::string text_of(Rows const& rows) {
  std::ostringstream text;
  text.precision(17);
  for (auto const& row : rows) {
    for (double const value : row) {
      if (std::isnan(value))
        text << "nan ";
      else
        text << value << ' ';
    }
    text << '\n';
  }
  return text.str();
}

/// A case with an a priori atmosphere, in its own folder. Levels every 3 km up to 60 km.
struct Twin {
  std::string folder = scratch_folder();
  std::string control =
      "TBLBASE = tables/synthetic\nNG = 2\nEMITTER[0] = CO2\nEMITTER[1] = O3\nCTM_CO2 = 0\nRAYDZ = 1\nHYDZ = 30\n"
      "RETT_ZMIN = 11\nRETT_ZMAX = 46\nRETQ_ZMIN[1] = 14\nRETQ_ZMAX[1] = 43\n";
  Rows prior, truth, rays, measured;

  Twin() {
    for (std::string const name : {"in", "in/tables", "out"}) fs::create_directory(folder + "/" + name);
    std::string channels;
    control += "ND = " + std::to_string(nchannel) + "\n";
    for (std::size_t i = 0; i < nchannel; ++i) {
      std::string const nu = wavenumbers[i];
      channels += (i == 0 ? "" : ",") + nu;
      control += "NU[" + std::to_string(i) + "] = " + nu + "\n";
      write_text(in("tables/synthetic_" + nu + ".0000.filt"), nu + " 1\n" + nu + ".5 1\n");
    }
    auto const made = run("tables synthetic --quiet --gases CO2,O3 --channels " + channels + " -o " +
                          quoted(in("tables/synthetic.h5")));
    EXPECT_EQ(made.code, 0) << made.output;
    for (int z = 0; z <= 60; z += 3) {
      double const t = 220 + 45 * std::exp(-std::pow((z - 50) / 14., 2)) + 50 * std::exp(-std::pow(z / 8., 2));
      double const o3 = 8e-6 * std::exp(-std::pow((z - 33) / 13., 2)) + 3e-8;
      double const window = std::exp(-std::pow((z - 28) / 10., 4));
      prior.push_back({0, 1. * z, 0, 0, 1013.25 * std::exp(-z / 7.), t, 4e-4, o3, 0});
      truth.push_back(prior.back());
      truth.back()[temperature] += 4 * window * std::sin((z - 20) / 5.);
      truth.back()[ozone] *= 1 + 0.2 * window * std::cos((z - 24) / 6.);
    }
    constexpr double earth = 6367.421, observer = 800;
    for (std::size_t r = 0; r < nray; ++r) {
      double const tangent = 9 + 2.75 * static_cast<double>(r);
      Vector row{
          0, observer, 0, 0, tangent, 0, std::acos((earth + tangent) / (earth + observer)) * 180 / std::acos(-1.)};
      row.resize(10 + 2 * nchannel);
      rays.push_back(row);
    }
    write_text(in("case.ctl"), control);
    write_text(in("prior.tab"), text_of(prior));
    write_text(in("truth.tab"), text_of(truth));
    write_text(in("rays.tab"), text_of(rays));
    // A measurement without noise.
    auto const outcome =
        run("ega --control " + quoted(in("case.ctl")) + " --atmosphere " + quoted(in("truth.tab")) + " --observation " +
            quoted(in("rays.tab")) + " --digits 17 --quiet -o " + quoted(in("measured.tab")));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    measured = columns_of(in("measured.tab"));
    EXPECT_EQ(measured.size(), nray);
  }

  std::string in(std::string const& name) const { return folder + "/in/" + name; }
  std::string out(std::string const& name = "out.nc") const { return folder + "/out/" + name; }

  std::string inputs(std::string const& observation = "measured.tab") const {
    return "--control " + quoted(in("case.ctl")) + " --atmosphere " + quoted(in("prior.tab")) + " --observation " +
           quoted(in(observation));
  }
  std::string arguments(std::string const& options, std::string const& observation = "measured.tab") const {
    return inputs(observation) + " --quiet -o " + quoted(out()) + " " + options;
  }

  io::Hdf5File retrieve(std::string const& options, std::string const& observation = "measured.tab") const {
    auto const outcome = run("retrieve " + arguments(options, observation));
    EXPECT_EQ(outcome.code, 0) << options << '\n' << outcome.output;
    EXPECT_EQ(outcome.output, "") << "--quiet";
    return io::Hdf5File(out());
  }

  /// Expects a refusal, and that nothing was written.
  void expect_refusal(std::string const& message, std::string const& options = "--noise 0.5",
                      std::string const& observation = "measured.tab") const {
    expect_refused("retrieve", folder + "/out", arguments(options, observation), message);
  }

  /// The same as bad usage.
  void expect_bad_usage(std::string const& options, std::string const& message) const {
    auto const outcome = run("retrieve " + arguments(options));
    EXPECT_EQ(outcome.code, 2) << options << '\n' << outcome.output;
    EXPECT_NE(outcome.output.find(message), std::string::npos) << options << '\n' << outcome.output;
    EXPECT_TRUE(files_in(folder + "/out").empty()) << options;
  }

  /// The true value of each element.
  Vector true_values() const {
    Vector values;
    for (std::size_t const column : {temperature, ozone})
      for (auto const& level : truth)
        if (level[altitude] > (column == ozone ? 14 : 11) && level[altitude] < (column == ozone ? 43 : 46))
          values.push_back(level[column]);
    EXPECT_EQ(values.size(), nelement);
    return values;
  }
};

double number(io::Hdf5File const& file, std::string const& attribute) {
  auto const values = file.number_attribute("", attribute);
  EXPECT_TRUE(values && values->size() == 1) << attribute;
  return values ? values->front() : std::numeric_limits<double>::quiet_NaN();
}

std::string const prior_errors = "--prior-error t=6,5 O3=30%,5 ";

// --- results -----------------------------------------------------------------------------------------------------

TEST(CfConventions, Retrievals) {
  if (!have_cf_tools()) GTEST_SKIP() << "no python3 with netCDF4 and xarray, or no UDUNITS";
  Twin twin;
  for (std::string const bbt : {"0", "1"}) {
    write_text(twin.in("case.ctl"), twin.control + "WRITE_BBT = " + bbt + "\n");
    auto const outcome = run("ega " + twin.inputs("rays.tab") + " --quiet -o " + quoted(twin.in("own.tab")));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    auto const file = twin.retrieve(prior_errors + "--noise 0.5", "own.tab");
    expect_cf(twin.out());
    EXPECT_NE(file.text_attribute("", "history").value_or("").find(" parhelion retrieve "), std::string::npos);
  }
}

TEST(Retrieve, FindsTheTruthWithinItsErrors) {
  Twin const twin;
  auto const file = twin.retrieve("--noise 0.2 " + prior_errors);
  auto const truth = twin.true_values();
  auto const value = file.read("value"), prior = file.read("prior"), total = file.read("total_error"),
             response = file.read("response");
  ASSERT_EQ(value.size(), nelement);
  EXPECT_EQ(number(file, "converged"), 1);
  double away = 0, left = 0;
  int known = 0;
  for (std::size_t i = 0; i < nelement; ++i) {
    EXPECT_LT(std::abs(value[i] - truth[i]), total[i]) << "element " << i;
    if (response[i] < 0.8) continue;
    ++known;
    away = std::max(away, std::abs(prior[i] - truth[i]) / total[i]);
    left = std::max(left, std::abs(value[i] - truth[i]) / total[i]);
  }
  EXPECT_GE(known, 14);
  EXPECT_GT(away, 3) << "the prior was far away";
  EXPECT_LT(left, 1);

  // A measurement with noise: 22 errors, of which the prior explains some. Fixed seed.
  auto noisy = twin.measured;
  auto const noise = file.read("radiance_noise");
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (auto& row : noisy)
    for (std::size_t c = 0; c < nchannel; ++c) row[10 + c] += noise[c] * normal(random);
  write_text(twin.in("noisy.tab"), text_of(noisy));
  auto const found = twin.retrieve("--noise 0.2% " + prior_errors, "noisy.tab");
  auto const scattered = found.read("value"), errors = found.read("total_error");
  for (std::size_t i = 0; i < nelement; ++i) EXPECT_LT(std::abs(scattered[i] - truth[i]), 3 * errors[i]) << i;
  // m - d is some 80: a standard deviation of sqrt(2 / 80) = 0.16.
  EXPECT_NEAR(number(found, "residual_chi_square"), 1, 0.5);
}

TEST(Retrieve, TheFileHoldsWhatItsDocumentationSays) {
  Twin const twin;
  auto const file = twin.retrieve("--noise 0.5 " + prior_errors);
  auto const read = [&](std::string const& name, std::vector<std::size_t> const& shape) {
    EXPECT_EQ(file.shape(name), shape) << name;
    return file.read(name);
  };
  auto const value = read("value", {nelement}), prior = read("prior", {nelement}),
             prior_error = read("prior_error", {nelement}), noise = read("noise_error", {nelement}),
             smoothing = read("smoothing_error", {nelement}), total = read("total_error", {nelement}),
             response = read("response", {nelement}), height = read("altitude", {nelement}),
             pressure = read("pressure", {nelement}), scale = read("state_scale", {nelement}),
             kernel = read("averaging_kernel", {nelement, nelement}),
             covariance = read("covariance", {nelement, nelement}), fit = read("radiance_fit", {nray, nchannel}),
             measured = read("radiance_measured", {nray, nchannel}), sigma = read("radiance_noise", {nchannel});
  auto const quantity = file.read_strings("quantity"), unit = file.read_strings("unit");

  double trace = 0;
  for (std::size_t i = 0; i < nelement; ++i) {
    bool const kelvin = i < ntemperature;
    EXPECT_EQ(quantity[i], kelvin ? "temperature" : "O3");
    EXPECT_EQ(unit[i], kelvin ? "K" : "1");
    EXPECT_DOUBLE_EQ(height[i], 1000 * (kelvin ? 12. + 3 * i : 15. + 3 * (i - ntemperature)));
    if (i > 0 && i != ntemperature) {
      EXPECT_LT(pressure[i], pressure[i - 1]);
    }
    auto const level = static_cast<std::size_t>(height[i] / 3000 + 0.5);
    EXPECT_EQ(prior[i], twin.prior[level][kelvin ? temperature : ozone]);
    EXPECT_NEAR(prior_error[i], kelvin ? 6 : 0.3 * prior[i], 1e-12 * prior_error[i]);
    EXPECT_EQ(scale[i], kelvin ? 1 : prior[i]);
    // Both parts of the error make up the whole.
    EXPECT_NEAR(total[i], std::hypot(noise[i], smoothing[i]), 1e-9 * total[i]);
    EXPECT_NEAR(total[i], std::sqrt(covariance[i * nelement + i]), 1e-12 * total[i]);
    EXPECT_LT(total[i], prior_error[i]);
    trace += kernel[i * nelement + i];
    double sum = 0;
    for (std::size_t j = 0; j < nelement; ++j) {
      if ((j < ntemperature) == kelvin) sum += kernel[i * nelement + j];
      EXPECT_NEAR(covariance[i * nelement + j], covariance[j * nelement + i], 1e-12 * total[i] * total[j]);
    }
    EXPECT_NEAR(response[i], sum, 1e-12);
  }
  EXPECT_NEAR(number(file, "degrees_of_freedom"), trace, 1e-9);
  EXPECT_GT(trace, 10);
  EXPECT_EQ(number(file, "measurements"), nray * nchannel);
  EXPECT_GT(number(file, "information_content"), 0);
  EXPECT_GE(number(file, "iterations"), 1);

  // The cost is that of the radiances in the file and of the state that is so many prior errors away.
  double residual = 0;
  for (std::size_t c = 0; c < nchannel; ++c) {
    double strongest = 0;
    for (std::size_t r = 0; r < nray; ++r) {
      EXPECT_EQ(measured[r * nchannel + c], twin.measured[r][10 + c]);
      strongest = std::max(strongest, measured[r * nchannel + c]);
      residual += std::pow((fit[r * nchannel + c] - measured[r * nchannel + c]) / sigma[c], 2);
    }
    EXPECT_DOUBLE_EQ(sigma[c], 0.005 * strongest);
  }
  double const m = nray * nchannel;
  EXPECT_NEAR(number(file, "residual_chi_square"), residual / (m - trace), 1e-9 * residual);
  EXPECT_GT(number(file, "chi_square"), residual / m);

  EXPECT_EQ(file.read("wavenumber"), (Vector{652, 718, 722, 730, 694, 698, 700}));
  EXPECT_EQ(file.text_attribute("value", "coordinates"), "quantity unit altitude pressure");
  EXPECT_EQ(file.text_attribute("altitude", "units"), "m");
  EXPECT_EQ(file.text_attribute("radiance_fit", "units"), "W m-2 sr-1 (cm-1)-1");
  EXPECT_EQ(file.text_attribute("", "vertical_order"), "elements of a quantity from the lowest level upwards");
  EXPECT_EQ(file.text_attribute("", "prior_errors"), "temperature=6,5 O3=30%,5");
  EXPECT_EQ(file.text_attribute("", "noise"), "0.5");
  EXPECT_EQ(file.text_attribute("", "observation"), twin.in("measured.tab"));
  EXPECT_NE(file.text_attribute("", "history")->find("parhelion retrieve --control"), std::string::npos);
  EXPECT_NE(file.text_attribute("", "source")->find("double precision"), std::string::npos);
  EXPECT_EQ(files_in(twin.folder + "/out").size(), 1U);
}

// The same call in C++, from the same files.
TEST(Retrieve, AgreesWithTheLibrary) {
  Twin const twin;
  write_text(twin.in("noise.tab"),
             "652 3e-4\n718 2e-4\n722 1e-4 # cm-1 and W m-2 sr-1 (cm-1)-1\n730 1e-4\n694 2e-4\n698 4e-4\n700 3e-4\n");
  auto const file = twin.retrieve("--noise " + quoted(twin.in("noise.tab")) + " --prior-error T=2%,0 o3=1e-6,3");

  auto const control = io::read_jurassic_control(twin.in("case.ctl"));
  auto const air = io::read_jurassic_atmosphere(twin.in("prior.tab"), control);
  HostArray<double**> measured;
  auto const observation = io::read_jurassic_observation(twin.in("measured.tab"), control, 0, &measured);
  retrieval::RetrievalChoice choice;
  choice.elements = control.elements;
  choice.temperature = {retrieval::StateScale::relative, {0.02}, 0};
  choice.mole_fraction = {{}, {retrieval::StateScale::absolute, {1e-6}, 3e3}};
  double const sigma[] = {3e-4, 2e-4, 1e-4, 1e-4, 2e-4, 4e-4, 3e-4};
  HostArray<double**> const noise("noise", nray, nchannel);
  for (std::size_t r = 0; r < nray; ++r)
    for (std::size_t c = 0; c < nchannel; ++c) noise(r, c) = sigma[c];
  auto const found = retrieval::retrieve(io::read_jurassic_problem(control), air, observation, measured, noise, choice);

  EXPECT_TRUE(found.estimate.converged);
  auto const same = [&](std::string const& name, double const* expected, std::size_t n) {
    auto const values = file.read(name);
    ASSERT_EQ(values.size(), n) << name;
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(values[i], expected[i]) << name << i;
  };
  same("value", found.value.data(), nelement);
  same("prior", found.prior.data(), nelement);
  same("prior_error", found.prior_error.data(), nelement);
  same("noise_error", found.noise_error.data(), nelement);
  same("smoothing_error", found.smoothing_error.data(), nelement);
  same("total_error", found.total_error.data(), nelement);
  same("response", found.response.data(), nelement);
  same("radiance_fit", found.radiance.data(), nray * nchannel);
  auto const kernel = file.read("averaging_kernel"), covariance = file.read("covariance"),
             scale = file.read("state_scale");
  for (std::size_t i = 0; i < nelement; ++i)
    for (std::size_t j = 0; j < nelement; ++j) {
      auto const& estimate = found.estimate;
      EXPECT_NEAR(kernel[i * nelement + j], estimate.averaging_kernel(i, j), 1e-9);
      EXPECT_NEAR(covariance[i * nelement + j], scale[i] * scale[j] * estimate.covariance(i, j),
                  1e-9 * found.total_error[i] * found.total_error[j]);
    }
  for (auto const& [name, expected] :
       {std::pair("degrees_of_freedom", found.estimate.degrees_of_freedom), std::pair("chi_square", found.chi_square),
        std::pair("residual_chi_square", found.residual_chi_square),
        std::pair("iterations", static_cast<double>(found.estimate.iterations))})
    EXPECT_NEAR(number(file, name), expected, 1e-9 * std::abs(expected)) << name;
}

TEST(Retrieve, RadiancesThatAreNotNumbersAreNotUsed) {
  Twin const twin;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::string text;
  for (std::string const nu : wavenumbers) text += nu + " 1e-4\n";
  write_text(twin.in("noise.tab"), text);
  std::string const noise = "--noise " + quoted(twin.in("noise.tab"));
  auto without = twin.measured, masked = twin.measured;
  without.erase(without.begin() + 4);
  for (std::size_t c = 0; c < nchannel; ++c) masked[4][10 + c] = nan;
  write_text(twin.in("without.tab"), text_of(without));
  write_text(twin.in("masked.tab"), text_of(masked));
  Vector values[2];
  for (int i = 0; i < 2; ++i) {
    auto const file = twin.retrieve(noise, i == 0 ? "without.tab" : "masked.tab");
    for (std::string const name : {"value", "total_error", "averaging_kernel"})
      for (double const value : file.read(name)) values[i].push_back(value);
    for (std::string const name : {"degrees_of_freedom", "chi_square", "measurements"})
      values[i].push_back(number(file, name));
    EXPECT_EQ(number(file, "measurements"), (nray - 1) * nchannel);
    auto const fit = file.read("radiance_fit");
    EXPECT_EQ(std::count_if(fit.begin(), fit.end(), [](double value) { return std::isnan(value); }),
              i == 0 ? 0 : nchannel);
  }
  EXPECT_EQ(values[0], values[1]);

  // A channel that nothing is measured in has no noise.
  for (auto& row : masked) row[10] = nan;
  write_text(twin.in("masked.tab"), text_of(masked));
  auto const file = twin.retrieve("--noise 1", "masked.tab");
  EXPECT_TRUE(std::isnan(file.read("radiance_noise")[0]));
  EXPECT_EQ(number(file, "measurements"), (nray - 1) * (nchannel - 1));
}

TEST(Retrieve, WhatHasNotConvergedIsWrittenAllTheSame) {
  Twin const twin;
  auto const outcome = run("retrieve " + twin.arguments("--noise 0.2 --iterations 1 " + prior_errors));
  EXPECT_EQ(outcome.code, 3) << outcome.output;
  EXPECT_NE(outcome.output.find("measured.tab: did not converge in 1 steps: a larger --iterations may help; the result "
                                "is in " +
                                twin.out() + " all the same"),
            std::string::npos)
      << outcome.output;
  io::Hdf5File const file(twin.out());
  EXPECT_EQ(number(file, "converged"), 0);
  EXPECT_EQ(number(file, "iterations"), 1);
  EXPECT_NE(file.read("value"), file.read("prior"));
}

TEST(Retrieve, OptionsThatMustNotChangeTheResult) {
  Twin const twin;
  auto const expected = twin.retrieve("--noise 0.5").read("value");
  for (std::string const options :
       {"--chunk 3", "--memory 0.2", "--real double --table-slopes double", "--allow-missing-tables", "--threads 1",
        "--prior-error temperature=10,4 --prior-error o3=50%,4"}) {
    auto const value = twin.retrieve("--noise 0.5 " + options).read("value");
    for (std::size_t i = 0; i < nelement; ++i) EXPECT_NEAR(value[i], expected[i], 1e-9 * expected[i]) << options;
  }
  fs::rename(twin.in("tables"), twin.folder + "/elsewhere");
  EXPECT_EQ(twin.retrieve("--noise 0.5 --tables " + quoted(twin.folder + "/elsewhere")).read("value").size(), nelement);
  fs::rename(twin.folder + "/elsewhere", twin.in("tables"));

  // Radiances of single precision are good to 1e-5, a five-hundredth of the noise.
  auto const file = twin.retrieve("--noise 0.5 --real float");
  auto const value = file.read("value"), total = file.read("total_error");
  for (std::size_t i = 0; i < nelement; ++i) EXPECT_NEAR(value[i], expected[i], 0.1 * total[i]) << i;
  EXPECT_NE(file.text_attribute("", "source")->find("single precision"), std::string::npos);
}

TEST(Retrieve, BrightnessTemperaturesAreMeasurementsToo) {
  Twin twin;
  write_text(twin.in("case.ctl"), twin.control + "WRITE_BBT = 1\n");
  auto const outcome = run("ega --control " + quoted(twin.in("case.ctl")) + " --atmosphere " +
                           quoted(twin.in("truth.tab")) + " --observation " + quoted(twin.in("rays.tab")) +
                           " --digits 17 --quiet -o " + quoted(twin.in("measured.tab")));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  std::string text;
  for (std::string const nu : wavenumbers) text += nu + " 0.2\n";
  write_text(twin.in("noise.tab"), text);
  auto const file = twin.retrieve(prior_errors + "--noise " + quoted(twin.in("noise.tab")));
  EXPECT_EQ(file.text_attribute("radiance_fit", "units"), "K");
  auto const value = file.read("value"), total = file.read("total_error"), truth = twin.true_values();
  for (std::size_t i = 0; i < nelement; ++i) EXPECT_LT(std::abs(value[i] - truth[i]), total[i]) << i;
}

TEST(Retrieve, AnElementThatNothingIsMeasuredOfStaysAsItWas) {
  Twin twin;
  // All rays are above 40 km: of the temperatures at 12 km they tell nothing.
  Rows high;
  for (auto const& row : twin.measured)
    if (row[4] > 40) high.push_back(row);
  write_text(twin.in("high.tab"), text_of(high));
  auto const file = twin.retrieve("--noise 1 --prior-error t=6,0", "high.tab");
  EXPECT_EQ(file.read("value")[0], file.read("prior")[0]);
  EXPECT_NEAR(file.read("total_error")[0], 6, 1e-9);
  EXPECT_NEAR(file.read("noise_error")[0], 0, 1e-9);
  EXPECT_NEAR(file.read("response")[0], 0, 1e-9);
  EXPECT_GT(file.read("response")[ntemperature - 1], 0.3);
}

TEST(Retrieve, PressureAndExtinctionAreElementsToo) {
  Twin twin;
  auto control = twin.control;
  control.replace(control.find("HYDZ = 30"), 9, "NW = 1   ");
  write_text(twin.in("case.ctl"), control + "RETP_ZMIN = 20\nRETP_ZMAX = 25\nRETK_ZMIN[*] = 15\nRETK_ZMAX[*] = 19\n");
  auto const file = twin.retrieve("--noise 1 --prior-error p=2%,10 k=1e-4,2");
  auto const quantity = file.read_strings("quantity"), unit = file.read_strings("unit");
  auto const error = file.read("prior_error"), prior = file.read("prior");
  ASSERT_EQ(quantity.size(), 2 + nelement + 2);
  EXPECT_EQ(quantity.front(), "pressure");
  EXPECT_EQ(unit.front(), "Pa");
  EXPECT_NEAR(error.front(), 0.02 * prior.front(), 1e-9 * prior.front());
  EXPECT_NEAR(prior.front(), 101325 * std::exp(-21 / 7.), 1e-3);
  EXPECT_EQ(quantity.back(), "extinction_window_0");
  EXPECT_EQ(unit.back(), "m-1");
  EXPECT_NEAR(error.back(), 1e-7, 1e-15);
}

TEST(Retrieve, PrintsASummary) {
  Twin const twin;
  auto const outcome = run("retrieve " + twin.inputs() + " --noise 0.5 -o " + quoted(twin.out()));
  EXPECT_EQ(outcome.code, 0);
  for (std::string const part : {"measured.tab: 22 elements from 98 radiances on ", "temperature", "12 to 45", "O3",
                                 "15 to 42", "converged after ", "chi-square", "written to "})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  EXPECT_EQ(outcome.output.find("NOT CONVERGED"), std::string::npos);
}

TEST(Retrieve, DryRunsWriteNothing) {
  Twin const twin;
  auto const outcome = run("retrieve " + twin.inputs() + " --noise 0.5 --dry-run -o " + quoted(twin.out()));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  for (std::string const part : {"22 elements", "98 radiances", "host memory"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  EXPECT_TRUE(files_in(twin.folder + "/out").empty());
  // What would be refused is refused.
  twin.expect_refusal("/nonexistent/folder/synthetic_652.0000.filt: cannot be read",
                      "--dry-run --noise 0.5 --tables /nonexistent/folder");
}

// --- refusals ----------------------------------------------------------------------------------------------------

TEST(Retrieve, BadUsageExitsWithTwo) {
  Twin const twin;
  std::string const noise = "--noise 0.5 ";
  twin.expect_bad_usage("", "--noise");
  for (std::string const bad : {"0", "-1", "nan", "inf%", "1e99"})
    twin.expect_bad_usage("--noise=" + bad, "expected a percentage from 1e-09 to 1");
  twin.expect_bad_usage("--noise ''", "");
  for (std::string const bad : {"t", "t=5", "t=5,", "t=x,4", "=5,4", "t=5,4,4"})
    twin.expect_bad_usage(noise + "--prior-error " + quoted(bad), "expected QUANTITY=VALUE,LENGTH_KM or QUANTITY=");
  for (std::string const bad : {"t=0,4", "t=-5,4", "t=nan%,4", "t=5,-4", "t=5,inf", "t=5,1e9"})
    twin.expect_bad_usage(noise + "--prior-error " + quoted(bad), "expected a ");
  for (std::string const bad : {"CO2", "p", "k", "k0", "xyz"})
    twin.expect_bad_usage(noise + "--prior-error " + bad + "=5,4", "is not in the state that " + twin.in("case.ctl") +
                                                                       " chooses, expected one of temperature, O3");
  twin.expect_bad_usage(noise + "--prior-error t=5,4 --prior-error T=6,4", "a second prior error of temperature");
  for (std::string const bad :
       {"--iterations -1", "--iterations x", "--real half", "--chunk 0", "--memory 0", "--bogus"})
    twin.expect_bad_usage(noise + bad, "--");
  EXPECT_EQ(run("retrieve --help").code, 0);
}

TEST(Retrieve, BadInputIsRefused) {
  Twin const twin;
  std::string const noise = "--noise 0.5";

  // Nothing to retrieve, nothing to retrieve it from.
  auto nothing = twin.control;
  for (auto const& [from, to] : {std::pair("RETT_ZMAX = 46", "RETT_ZMAX = 11.5"), std::pair("[1] = 43", "[1] = 14.5")})
    nothing.replace(nothing.find(from), std::string(from).size(), to);
  write_text(twin.in("case.ctl"), nothing);
  twin.expect_refusal(twin.in("case.ctl") + ": chooses no level of the atmosphere, expected RETT_ZMIN");
  write_text(twin.in("case.ctl"), twin.control + "RET_SFT = 1\n");
  twin.expect_refusal("RET_SFT = 1, expected 0");
  write_text(twin.in("case.ctl"), twin.control);
  auto rows = twin.measured;
  for (auto& row : rows) std::fill_n(row.begin() + 10, nchannel, std::numeric_limits<double>::quiet_NaN());
  write_text(twin.in("bad.tab"), text_of(rows));
  twin.expect_refusal(twin.in("bad.tab") + ": holds no radiance to retrieve from", noise, "bad.tab");
  twin.expect_refusal(twin.in("rays.tab") + ": the strongest radiance of channel 0 is 0, expected", noise, "rays.tab");
  rows = twin.measured;
  for (auto& row : rows) row.pop_back();
  write_text(twin.in("bad.tab"), text_of(rows));
  twin.expect_refusal(twin.in("bad.tab") + ":1: has 23 columns, expected 24", noise, "bad.tab");

  // Noise.
  auto const bad_noise = [&](std::string const& text, std::string const& message) {
    write_text(twin.in("noise.tab"), text);
    twin.expect_refusal(twin.in("noise.tab") + message, "--noise " + quoted(twin.in("noise.tab")));
  };
  bad_noise("652 1e-4\n", ": has no noise of channel 1, expected a line for 718.0000 cm-1");
  bad_noise("652 0\n", ":1: noise = 0 W m-2 sr-1 (cm-1)-1, expected a number from 1e-30 to 1e+30");
  bad_noise("652 -1e-4\n", ":1: noise = -0.0001");
  bad_noise("652 nan\n", ":1: noise = nan");
  bad_noise("652\n", ":1: has 1 columns, expected 2: wavenumber, noise");
  twin.expect_refusal("nonexistent.tab: cannot be read", "--noise nonexistent.tab");

  // The prior.
  auto air = twin.prior;
  air[7][ozone] = 0;
  write_text(twin.in("prior.tab"), text_of(air));
  twin.expect_refusal(twin.in("prior.tab") +
                      ": O3 at 21 km is 0, expected a positive value, because its prior error is "
                      "in percent of it");
  air = twin.prior;
  air[5][altitude] = 12 + 1e-9;
  write_text(twin.in("prior.tab"), text_of(air));
  twin.expect_refusal("temperature.correlation_length", noise + " --prior-error t=5,1e6");
  write_text(twin.in("prior.tab"), text_of(twin.prior));

  // Values outside the range of the model.
  air = twin.prior;
  air[20][temperature] = 90;
  write_text(twin.in("prior.tab"), text_of(air));
  twin.expect_refusal("temperature");
  EXPECT_NE(twin.retrieve(noise + " --out-of-range clip").text_attribute("", "out_of_range")->find("1 of temperature"),
            std::string::npos);
  fs::remove(twin.out());
  write_text(twin.in("prior.tab"), text_of(twin.prior));

  // Tables.
  fs::remove(twin.in("tables/synthetic.h5"));
  twin.expect_refusal("missing, looked for " + twin.in("tables/synthetic.h5"));
}

TEST(Retrieve, OutputsThatCannotBeAreRefused) {
  Twin const twin;
  std::string text;
  for (std::string const nu : wavenumbers) text += nu + " 1e-4\n";
  write_text(twin.in("noise.tab"), text);
  auto const refused = [&](std::string const& output, std::string const& message) {
    expect_refused("retrieve", twin.folder + "/in",
                   twin.inputs() + " --noise " + quoted(twin.in("noise.tab")) + " --quiet -o " + output, message);
  };
  refused("/nonexistent/folder/x.nc", "/nonexistent/folder");
  refused(quoted(twin.folder + "/out"), "is a folder");
  for (std::string const input : {"case.ctl", "prior.tab", "measured.tab", "noise.tab"})
    refused(quoted(twin.in(input)), "is the input file");
  // Nor are tables and filters written over.
  for (std::string const input : {"tables/synthetic.h5", "tables/synthetic_652.0000.filt"})
    refused(quoted(twin.in(input)), "is the input file");
}

}  // namespace
