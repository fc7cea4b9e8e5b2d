// SPDX-License-Identifier: BSD-3-Clause
// The scripts that make input and draw results must agree with what io reads and writes.
#include <parhelion/core/copies.hpp>
#include <parhelion/io/ada_files.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/io/monte_carlo_files.hpp>
#include <parhelion/io/radiation_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;

namespace {

std::string const python = "'" PARHELION_SCRIPTS "/python.sh' ";

std::string script(std::string const& name) { return python + "'" PARHELION_SCRIPTS "/" + name + "' "; }

std::string const analytic = script("analytic_atmospheres.py");
std::string const plot = script("plot_fluxes.py");
std::string const plot_spectra = script("plot_spectra.py");
std::string const plot_monte_carlo = script("plot_monte_carlo.py");
std::string const plot_adding = script("plot_adding.py");
std::string const plot_retrieval = script("plot_retrieval.py");

bool have_python() { return succeeds(python + "-c 0"); }

std::string quoted(std::string const& path) { return "'" + path + "' "; }

// Fluxes that grow downward, enough for a picture.
fluxes::HostFluxes some_fluxes(fluxes::HostColumns const& columns) {
  auto fluxes = fluxes::make_fluxes<Kokkos::DefaultHostExecutionSpace, double>(columns.ncol(), columns.nlay());
  for (int c = 0; c < columns.ncol(); ++c)
    for (int k = 0; k <= columns.nlay(); ++k) {
      fluxes.flux_up(c, k) = 240. + 1e-3 * columns.pressure_lev(c, k) + c;
      fluxes.flux_dn(c, k) = 3e-3 * columns.pressure_lev(c, k);
      if (k < columns.nlay()) fluxes.heating_rate(c, k) = -1e-3 * columns.temperature_lay(c, k);
    }
  return fluxes;
}

void expect_picture(std::string const& result, std::string const& script = plot, std::string const& options = "") {
  auto const picture = result + ".png";
  EXPECT_EQ(output_of(script + quoted(result) + "-o " + quoted(picture) + options), picture + "\n");
  EXPECT_TRUE(read_bytes(picture).starts_with("\x89PNG\r\n"));
}

}  // namespace

TEST(Scripts, AnalyticAtmospheresAreReadAndTheirFluxesDrawn) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const path = folder + "/analytic.nc";
  EXPECT_EQ(output_of(analytic + quoted(path)), "");
  EXPECT_EQ(list(folder), std::vector<std::string>{"analytic.nc"});
  auto const input = io::read_radiation_input(path);  // with all that RRTMG_LW needs
  EXPECT_FALSE(input.top_first);
  ASSERT_EQ(input.columns.nlay(), 60);
  ASSERT_EQ(input.column_labels.size(), static_cast<std::size_t>(input.columns.ncol()));
  ASSERT_EQ(input.latitude.size(), input.column_labels.size());

  // RCEMIP's 300 K sounding: surface pressure, temperature and specific humidity of Wing et al. (2018).
  ASSERT_EQ(input.column_labels.at(1), "RCEMIP 300 K");
  EXPECT_NEAR(input.columns.pressure_lev(1, 0), 101480., 1e-6);
  EXPECT_NEAR(input.columns.temperature_lev(1, 0), 300., 1e-9);
  EXPECT_EQ(input.columns.temperature_sfc(1), 300.);
  EXPECT_NEAR(input.columns.temperature_lev(1, 60), 300. * (1. + 0.608 * 0.01865) - 0.0067 * 15000., 1e-9);
  // The lowest layer is 101 m thick: at its centre humidity has fallen by 1.3 %.
  double const surface_ratio = 0.01865 / (1. - 0.01865) * 28.966 / 18.016;
  EXPECT_NEAR(input.columns.vmr(1, static_cast<int>(Gas::h2o), 0) / surface_ratio, 0.987, 0.001);
  EXPECT_DOUBLE_EQ(input.columns.vmr(1, static_cast<int>(Gas::co2), 7), 348e-6);

  // The standard atmosphere's published values at its top here, 71 km: 214.65 K and 3.9564 Pa.
  ASSERT_EQ(input.column_labels.at(3), "U.S. Standard Atmosphere 1976");
  EXPECT_NEAR(input.columns.temperature_lev(3, 0), 288.15, 1e-9);
  EXPECT_NEAR(input.columns.pressure_lev(3, 0), 101325., 1e-6);
  EXPECT_NEAR(input.columns.temperature_lev(3, 60), 214.65, 1e-6);
  EXPECT_NEAR(input.columns.pressure_lev(3, 60), 3.9564, 5e-5);

  // The section is warmest at the equator, 27 degrees Celsius.
  auto const equator =
      std::find(input.column_labels.begin(), input.column_labels.end(), "section at 0") - input.column_labels.begin();
  ASSERT_LT(equator, input.columns.ncol());
  EXPECT_NEAR(input.columns.temperature_sfc(equator), 300.15, 1e-9);

  io::write_fluxes(folder + "/fluxes.nc", input, some_fluxes(input.columns), {});
  expect_picture(folder + "/fluxes.nc");
}

TEST(Scripts, AnalyticAtmospheresHaveASunWhoseFluxesAreDrawn) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const path = folder + "/analytic.nc", result = folder + "/fluxes.nc";
  EXPECT_EQ(output_of(analytic + quoted(path) + "--clouds"), "");
  auto const input = io::read_radiation_input(path, {.longwave = true, .shortwave = true});
  // RCEMIP's sun gives 409.6 W m-2 (Wing et al. 2018); that of the section is in the zenith at the equator.
  auto const& columns = input.shortwave_columns;
  auto const& weight = columns.solar_weights;
  auto const quiet_sun = static_cast<int>(fluxes::SolarSpectrum::quiet_sun);
  EXPECT_NEAR(columns.cos_zenith(1) * weight(1, quiet_sun) / weight(3, quiet_sun) * 1360.85, 409.6, 0.05);
  EXPECT_EQ(columns.cos_zenith(4), 0.) << "the south pole";
  EXPECT_EQ(columns.albedo_direct(1, 0), 0.07);
  ASSERT_TRUE(input.shortwave_clouds.of_layers());

  auto const shortwave = fluxes::make_shortwave_fluxes<Kokkos::DefaultHostExecutionSpace, double>(
      columns.ncol(), columns.nlay(), {.clear = true});
  fluxes::HostShortwaveFluxes::for_each_array(
      [](ArrayDescription const&, auto const& array) {
        for (std::size_t i = 0; i < array.size(); ++i) array.data()[i] = static_cast<double>(i % 100);
      },
      shortwave);
  io::write_fluxes(result, input, io::RadiationResult{.shortwave = shortwave}, {});
  expect_picture(result);
  auto longwave = some_fluxes(input.columns);
  io::write_fluxes(result, input, io::RadiationResult{longwave, shortwave}, {});
  expect_picture(result);
  expect_picture(result, plot, " --shortwave");
}

TEST(Scripts, AnalyticCloudsAreReadAndTheirEffectDrawn) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const path = folder + "/cloudy.nc";
  EXPECT_EQ(output_of(analytic + "--clouds " + quoted(path)), "");
  auto const input = io::read_radiation_input(path);
  ASSERT_TRUE(input.has_clouds);
  ASSERT_EQ(input.latitude.size(), static_cast<std::size_t>(input.columns.ncol()));
  for (double const latitude : input.latitude) EXPECT_TRUE(latitude >= -90 && latitude <= 90) << latitude;
  auto fluxes = some_fluxes(input.columns);
  auto const clear = some_fluxes(input.columns);
  fluxes.flux_up_clear = clear.flux_up;
  fluxes.flux_dn_clear = clear.flux_dn;
  fluxes.heating_rate_clear = clear.heating_rate;
  io::write_fluxes(folder + "/fluxes.nc", input, fluxes, {});
  expect_picture(folder + "/fluxes.nc");
}

TEST(Scripts, AnalyticProfilesAreReadAndTheirRadiancesDrawn) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  EXPECT_EQ(output_of(script("analytic_profiles.py") + quoted(folder + "/profiles.h5")), "");
  auto const input = io::read_ada_input(folder + "/profiles.h5", {.tangent = true, .adjoint = true});
  ASSERT_EQ(input.groups.size(), 2U);
  std::vector<adding::HostRadiances> results;
  for (auto const& group : input.groups) results.push_back(adding::compute_radiances(group.input(), {.levels = true}));
  // A thick cloud lets nothing through of a warmer surface, and hides the warm air below it.
  auto const& cloudy = results.at(1);
  EXPECT_EQ(input.groups.at(1).name, "cloud");
  std::size_t const none = 0, thick = cloudy.tangent_toa.extent(0) - 1, up = cloudy.tangent_toa.extent(1) - 1;
  EXPECT_GT(cloudy.tangent_toa(none, up), 0);
  EXPECT_LT(cloudy.tangent_toa(thick, up), 1e-3 * cloudy.tangent_toa(none, up));
  EXPECT_LT(cloudy.radiances.up_emergent(thick, 0, up), 0.8 * cloudy.radiances.up_emergent(none, 0, up));
  auto const path = folder + "/radiances.nc";
  io::write_ada_radiances(path, input, results, {});
  expect_picture(path, plot_adding);
  expect_picture(path, plot_adding, "--group cloud --profiles 0,5 --angle 2 --title Cloud");
  EXPECT_EQ(output_of(plot_adding + quoted(path) + "--group none"),
            "plot_adding.py: " + path + ": no group none, expected one of clear, cloud\n");
  // What was not computed is not drawn.
  for (auto& result : results) {
    result.tangent_toa = {};
    result.derivative = {};
    result.radiances.up = {};
    result.radiances.dn = {};
  }
  io::write_ada_radiances(path, input, results, {});
  expect_picture(path, plot_adding);
}

TEST(Scripts, AnalyticLimbIsRead) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder() + "/limb";  // which the script makes
  EXPECT_EQ(output_of(script("analytic_limb.py") + quoted(folder)), "");
  auto const control = io::read_jurassic_control(folder + "/case.ctl");
  EXPECT_EQ(control.unused, std::vector<std::string>());
  EXPECT_EQ(control.gases, (std::vector<std::string>{"CO2", "O3"}));
  auto const prior = io::read_jurassic_atmosphere(folder + "/atm.tab", control);
  auto const truth = io::read_jurassic_atmosphere(folder + "/truth.tab", control);
  ASSERT_EQ(prior.nlev(), truth.nlev());
  double largest = 0;
  for (int k = 0; k < prior.nlev(); ++k)
    largest = std::max(largest, std::abs(truth.temperature(0, k) - prior.temperature(0, k)));
  EXPECT_TRUE(largest > 3 && largest <= 5) << largest;
  auto const observation = io::read_jurassic_observation(folder + "/obs.tab", control);
  EXPECT_EQ(observation.nray(), 25);
  for (double const wavenumber : control.channels.wavenumber)
    EXPECT_EQ(io::read_filter(io::filter_path(folder + "/" + control.table_base, wavenumber)).wavenumber.size(), 3U);
}

TEST(Scripts, AnalyticFlameIsRead) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const path = scratch_folder() + "/flame.h5";
  EXPECT_EQ(output_of(script("analytic_flame.py") + quoted(path)), "");
  auto const problem = io::read_monte_carlo_problem(path);
  ASSERT_EQ(problem.temperature.extent(0), 16U);
  double hottest = 0;
  for (std::size_t i = 0; i < problem.temperature.size(); ++i)
    hottest = std::max(hottest, problem.temperature.data()[i]);
  EXPECT_TRUE(hottest > 1300 && hottest <= 1600) << hottest;
}

TEST(Scripts, PlotsOfEveryLayout) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  for (auto const& source : {column_file(), rfmip_file()}) {
    auto const input = io::read_radiation_input(source.write(folder + "/in.nc"));
    io::write_fluxes(folder + "/out.nc", input, some_fluxes(input.columns), {});
    expect_picture(folder + "/out.nc");
  }
}

// Rays with tangent points 3 km apart, or down to the ground.
void write_spectra(std::string const& path, int nchannel, bool limb, bool brightness) {
  int const nray = 8;
  auto const observation = ega::make_observation(nray);
  auto const spectra = ega::make_spectra<double>(Kokkos::DefaultHostExecutionSpace(), nray, nchannel);
  ega::Channels channels;
  for (int c = 0; c < nchannel; ++c) channels.wavenumber.push_back(900 - 3 * c);
  for (int r = 0; r < nray; ++r) {
    spectra.tangent.altitude(r) = limb ? 6000 + 3000 * r : -1e-5;
    for (int c = 0; c < nchannel; ++c) {
      spectra.radiance(r, c) = brightness ? 250 + r + c : 1e-3 * (r + 1) / (c + 1);
      spectra.transmittance(r, c) = 1. / (1 + r + c);
    }
  }
  spectra.radiance(1, 0) = std::numeric_limits<double>::quiet_NaN();  // masked
  spectra.radiance(2, 0) = 0;
  io::write_spectra_netcdf(path, observation, spectra, channels, brightness,
                           {.title = "Spectra", .source = "", .history = "", .others = {}});
}

TEST(Scripts, PlotsOfSpectra) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const path = scratch_folder() + "/rad.nc";
  write_spectra(path, 9, true, false);
  expect_picture(path, plot_spectra, "--rays 1,7 --channels 0,8");
  write_spectra(path, 1, true, true);
  expect_picture(path, plot_spectra);
  write_spectra(path, 70, false, true);
  expect_picture(path, plot_spectra, "--title x --draw spectrum");
  EXPECT_EQ(output_of(plot_spectra + quoted(path) + "--draw limb"),
            "plot_spectra.py: " + path + ": no two tangent points at different altitudes: not a limb scan\n");
  EXPECT_EQ(output_of(plot_spectra + quoted(path) + "--rays 2,8"),
            "plot_spectra.py: " + path + ": no ray 8, expected 0 to 7\n");
}

TEST(Scripts, PlotsOfRetrievals) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const path = scratch_folder() + "/profiles.nc";
  // Six levels of each of three quantities.
  std::vector<std::string> const names{"temperature", "O3", "extinction_window_1"};
  std::vector<double> const scale{250, 4e-6, 1e-6};
  std::size_t const nlev = 6, count = nlev * names.size();
  std::vector<std::string> quantity;
  std::vector<double> altitude, value, error, response, kernel(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    quantity.push_back(names[i / nlev]);
    altitude.push_back(10e3 + 2e3 * static_cast<double>(i % nlev));
    value.push_back(scale[i / nlev] * (1 + 0.01 * static_cast<double>(i)));
    error.push_back(0.05 * scale[i / nlev]);
    response.push_back(0.9);
    kernel[i * count + i] = 0.9;
  }
  io::NetcdfWriter file(path);
  file.attributes({{"title", "Profiles"}});
  file.dimension("element", count);
  file.dimension("other_element", count);
  file.strings("quantity", "element", quantity, {});
  file.variable("altitude", {"element"}, altitude, {{"units", "m"}});
  for (auto const* const name : {"value", "prior"}) file.variable(name, {"element"}, value, {});
  for (auto const* const name : {"noise_error", "smoothing_error", "total_error"})
    file.variable(name, {"element"}, error, {});
  file.variable("response", {"element"}, response, {});
  file.variable("averaging_kernel", {"element", "other_element"}, kernel, {});
  file.commit();
  expect_picture(path, plot_retrieval);
}

TEST(Scripts, DifferencesFromPublishedFluxesOfRfmipAreDrawn) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  // Two experiments at three sites, the last of which is dark; two levels, the top first.
  std::vector<double> const levels{10, 1e5, 10, 1e5, 10, 1e5}, weights{1, 3, 1};
  std::vector<std::string> const experiments{"Present day", "8xCO2"};
  auto const write = [&](std::string const& name, std::string const& pressure, std::vector<double> const& down,
                         std::vector<double> const& up) {
    io::NetcdfWriter file(folder + name);
    file.attributes({{"title", "Fluxes"}});
    for (auto const& [dimension, size] : {std::pair("expt", 2), std::pair("site", 3), std::pair("level", 2)})
      file.dimension(dimension, static_cast<std::size_t>(size));
    file.variable(pressure, {"site", "level"}, levels, {{"units", "Pa"}});
    file.variable("rsd", {"expt", "site", "level"}, down, {});
    file.variable("rsu", {"expt", "site", "level"}, up, {});
    file.variable("profile_weight", {"site"}, weights, {});
    file.strings("expt_label", "expt", experiments, {});
    file.commit();
  };
  std::vector<double> const down{1300, 900, 600, 400, 0, 0, 1300, 900, 600, 400, 0, 0};
  std::vector<double> const up{300, 200, 150, 100, 0, 0, 300, 200, 150, 100, 0, 0};
  write("/published.nc", "plev", down, up);
  write("/result.nc", "pres_level", {1300, 902, 600, 404, 0, 0, 1300, 905, 600, 405, 0, 0},
        {301, 200, 151, 100, 0, 0, 299, 200, 149, 100, 0, 0});
  auto const published = quoted(folder + "/published.nc"), picture = folder + "/plot.png";
  EXPECT_EQ(output_of(script("plot_rfmip.py") + "--up " + published + "--down " + published + "-o " + quoted(picture) +
                      quoted("Sun=" + folder + "/result.nc")),
            "Sun, downward at the surface: mean 3.50 (3.50 to 5.00), largest 4.00 (of all 5.00) W m-2\n"
            "Sun, upward at the top: mean 1.00 (-1.00 to 1.00), largest 1.00 (of all 1.00) W m-2\n");
  EXPECT_TRUE(read_bytes(picture).starts_with("\x89PNG\r\n"));
}

TEST(Scripts, RefusalsAreOneLine) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const input = column_file().write(folder + "/in.nc");
  EXPECT_EQ(output_of(plot + quoted(input)), "plot_fluxes.py: " + input +
                                                 ": no flux_up, no flux_dn, no heating_rate: not a result of parhelion "
                                                 "fluxes\n");
  EXPECT_EQ(output_of(plot_spectra + quoted(input)),
            "plot_spectra.py: " + input +
                ": no radiance, no transmittance, no wavenumber, no tangent_altitude, no tangent_longitude, no "
                "tangent_latitude: not a result of parhelion ega\n");
  EXPECT_EQ(output_of(plot + quoted(folder + "/none.nc")), "plot_fluxes.py: " + folder + "/none.nc: no such file\n");
  EXPECT_EQ(output_of(analytic + quoted(folder + "/none/a.nc")),
            "analytic_atmospheres.py: " + folder + "/none/a.nc: no folder " + folder + "/none\n");
  EXPECT_EQ(list(folder), std::vector<std::string>{"in.nc"});
}

TEST(Scripts, FilesOfAnotherKindAreRefusedWithTheScriptThatDrawsThem) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const spectra = folder + "/rad.nc", words = folder + "/rad.tab";
  write_spectra(spectra, 2, true, false);
  std::ofstream(words) << "0 800 0 0\n";
  for (auto const& [name, subcommand] : {std::pair{"plot_fluxes.py", "fluxes"},
                                         {"plot_adding.py", "adding"},
                                         {"plot_monte_carlo.py", "monte-carlo"},
                                         {"plot_retrieval.py", "retrieve"}}) {
    auto const refusal = output_of(script(name) + quoted(spectra));
    EXPECT_TRUE(
        refusal.ends_with(std::string(": not a result of parhelion ") + subcommand + "; plot_spectra.py draws it\n"))
        << refusal;
    for (auto const& path : {words, folder})
      EXPECT_EQ(output_of(script(name) + quoted(path)), std::string(name) + ": " + path +
                                                            ": not a netCDF-4 file, which parhelion " + subcommand +
                                                            " writes with -o NAME.nc\n");
  }
}

TEST(Scripts, RunWithThePythonThatHasTheirModulesOrSayWhatToInstall) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const input = io::read_radiation_input(column_file().write(folder + "/in.nc"));
  io::write_fluxes(folder + "/out.nc", input, some_fluxes(input.columns), {});
  // Without its packages (-S) a python stands for one that has none.
  EXPECT_EQ(output_of("python3 -S '" PARHELION_SCRIPTS "/plot_fluxes.py' " + quoted(folder + "/out.nc")),
            folder + "/out.png\n");
  // A python that does not start stands for none.
  auto const none = output_of("PYTHONHOME=/nowhere " + plot + quoted(folder + "/out.nc"));
  EXPECT_TRUE(none.starts_with("python.sh: no python3 with numpy, h5py and matplotlib")) << none;
  for (auto const* const package : {"python3-numpy", "python3-h5py", "python3-matplotlib"})
    EXPECT_NE(none.find(package), std::string::npos) << none;
}

TEST(Scripts, SourcesOfBoxesAreDrawn) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const path = folder + "/box.nc";
  auto const problem = io::built_in_case("case01", {.cells = {6, 4, 1}});
  auto results = monte_carlo::make_results(problem);
  for (std::size_t i = 0; i < results.q.size(); ++i) {
    results.q.data()[i] = 1e4 * static_cast<double>(i) - 5e4;
    results.q_error.data()[i] = 1e3;
  }
  for (auto const& of_planes : results.q_plane_error) parhelion::assign_array(of_planes, 5e2);
  io::write_monte_carlo_results(path, problem, results);
  expect_picture(path, plot_monte_carlo);
  expect_picture(path, plot_monte_carlo, "--axis y --across x --at 0.9 --title Box");
  auto const reference = folder + "/reference.csv";
  std::ofstream(reference) << "x[m],T[K],Q[W/m3]\n0,500,-5e4\n1,1500,1e5\n";
  expect_picture(path, plot_monte_carlo, "--reference " + quoted(reference));
  results.q_plane_error = {};
  io::write_monte_carlo_results(path, problem, results);
  expect_picture(path, plot_monte_carlo);
  for (std::string const wrong : {"--at 2", "--axis z --across z", "--reference nowhere.csv"})
    EXPECT_FALSE(succeeds(plot_monte_carlo + quoted(path) + wrong + " 2> /dev/null")) << wrong;
}
