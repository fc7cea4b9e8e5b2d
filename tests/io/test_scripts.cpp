// SPDX-License-Identifier: BSD-3-Clause
// The scripts that make the input of `parhelion fluxes` and draw its results and those of `parhelion ega` and
// `parhelion monte-carlo` must agree with what io reads and writes.
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/monte_carlo_files.hpp>
#include <parhelion/io/radiation_files.hpp>
#include <parhelion/monte_carlo/cases.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

using namespace parhelion;
using namespace parhelion::Testing;
using rrtmg::Gas;

namespace {

std::string const python = "'" PARHELION_SCRIPTS "/python.sh' ";
std::string const analytic = python + "'" PARHELION_SCRIPTS "/analytic_atmospheres.py' ";
std::string const plot = python + "'" PARHELION_SCRIPTS "/plot_fluxes.py' ";
std::string const plot_spectra = python + "'" PARHELION_SCRIPTS "/plot_spectra.py' ";
std::string const plot_monte_carlo = python + "'" PARHELION_SCRIPTS "/plot_monte_carlo.py' ";

bool have_python() { return succeeds(python + "-c 0"); }

std::string quoted(std::string const& path) { return "'" + path + "' "; }

// Fluxes that grow downward, enough for a picture.
rrtmg::HostFluxes some_fluxes(rrtmg::HostColumns const& columns) {
  auto fluxes = rrtmg::make_fluxes<Kokkos::DefaultHostExecutionSpace, double>(columns.ncol(), columns.nlay());
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
  EXPECT_NEAR(input.columns.mole_ratio(1, static_cast<int>(Gas::h2o), 0) / surface_ratio, 0.987, 0.001);
  EXPECT_DOUBLE_EQ(input.columns.mole_ratio(1, static_cast<int>(Gas::co2), 7), 348e-6);

  // The standard atmosphere's published values at its top here, 71 km: 214.65 K and 3.9564 Pa.
  ASSERT_EQ(input.column_labels.at(3), "U.S. Standard Atmosphere 1976");
  EXPECT_NEAR(input.columns.temperature_lev(3, 0), 288.15, 1e-9);
  EXPECT_NEAR(input.columns.pressure_lev(3, 0), 101325., 1e-6);
  EXPECT_NEAR(input.columns.temperature_lev(3, 60), 214.65, 1e-6);
  EXPECT_NEAR(input.columns.pressure_lev(3, 60), 3.9564, 5e-5);

  // The section is warmest at the equator, 27 degrees Celsius.
  auto const equator = std::find(input.latitude.begin(), input.latitude.end(), 0.) - input.latitude.begin();
  ASSERT_LT(equator, input.columns.ncol());
  EXPECT_NEAR(input.columns.temperature_sfc(equator), 300.15, 1e-9);

  io::write_fluxes(folder + "/fluxes.nc", input, some_fluxes(input.columns), {});
  expect_picture(folder + "/fluxes.nc");
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
  ega::HostSpectra const spectra{HostArray<double**>("radiance", nray, nchannel),
                                 HostArray<double**>("transmittance", nray, nchannel),
                                 HostArray<double* [3]>("tangent", nray), HostArray<int*>("points", nray)};
  ega::Channels channels;
  for (int c = 0; c < nchannel; ++c) channels.wavenumber.push_back(900 - 3 * c);
  for (int r = 0; r < nray; ++r) {
    spectra.tangent(r, 0) = limb ? 6000 + 3000 * r : -1e-5;
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

TEST(Scripts, SourcesOfBoxesAreDrawn) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const path = folder + "/box.nc";
  auto const problem = monte_carlo::built_in_case("case01", {.cells = {6, 4, 1}});
  auto results = monte_carlo::make_results(problem);
  for (std::size_t i = 0; i < results.q.size(); ++i) {
    results.q.data()[i] = 1e4 * static_cast<double>(i) - 5e4;
    results.q_error.data()[i] = 1e3;
  }
  io::Provenance provenance;
  provenance.others = {{"directions", "shared"}};
  io::write_monte_carlo_results(path, problem, results, provenance);
  expect_picture(path, plot_monte_carlo);
  expect_picture(path, plot_monte_carlo, "--axis y --across x --at 0.9 --title Box");
  auto const reference = folder + "/reference.csv";
  std::ofstream(reference) << "x[m],T[K],Q[W/m3]\n0,500,-5e4\n1,1500,1e5\n";
  expect_picture(path, plot_monte_carlo, "--reference " + quoted(reference));
  results.q_error = {};
  io::write_monte_carlo_results(path, problem, results);
  expect_picture(path, plot_monte_carlo);
  for (std::string const wrong : {"--at 2", "--axis z --across z", "--reference nowhere.csv"})
    EXPECT_FALSE(succeeds(plot_monte_carlo + quoted(path) + wrong + " 2> /dev/null")) << wrong;
}
