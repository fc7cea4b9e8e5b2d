// SPDX-License-Identifier: BSD-3-Clause
// The scripts that make the input and draw the result of `parhelion fluxes` must agree with what io reads and writes.
#include <parhelion/io/radiation_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <algorithm>

using namespace parhelion;
using namespace parhelion::Testing;
using rrtmg::Gas;

namespace {

std::string const python = "'" PARHELION_SCRIPTS "/python.sh' ";
std::string const analytic = python + "'" PARHELION_SCRIPTS "/analytic_atmospheres.py' ";
std::string const plot = python + "'" PARHELION_SCRIPTS "/plot_fluxes.py' ";

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

void expect_picture(std::string const& result) {
  auto const picture = result + ".png";
  EXPECT_EQ(output_of(plot + quoted(result) + "-o " + quoted(picture)), picture + "\n");
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

TEST(Scripts, RefusalsAreOneLine) {
  if (!have_python()) GTEST_SKIP() << "no python3 with numpy, h5py and matplotlib";
  auto const folder = scratch_folder();
  auto const input = column_file().write(folder + "/in.nc");
  EXPECT_EQ(output_of(plot + quoted(input)), "plot_fluxes.py: " + input +
                                                 ": no flux_up, no flux_dn, no heating_rate: not a result of parhelion "
                                                 "fluxes\n");
  EXPECT_EQ(output_of(plot + quoted(folder + "/none.nc")), "plot_fluxes.py: " + folder + "/none.nc: no such file\n");
  EXPECT_EQ(output_of(analytic + quoted(folder + "/none/a.nc")),
            "analytic_atmospheres.py: " + folder + "/none/a.nc: no folder " + folder + "/none\n");
  EXPECT_EQ(list(folder), std::vector<std::string>{"in.nc"});
}
