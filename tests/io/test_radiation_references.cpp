// SPDX-License-Identifier: BSD-3-Clause
// Atmosphere files that people have: RFMIP's, and the reference cases of RRTMG_LW.
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/radiation_files.hpp>

#include "radiation_testing.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;

TEST(RadiationFiles, DistributedRfmipFile) {
  PARHELION_REQUIRE_DATA(path, "rfmip/rfmip_atmospheres.nc");
  auto const all = io::read_radiation_input(path);
  EXPECT_EQ(all.layout, io::RadiationLayout::rfmip);
  EXPECT_TRUE(all.top_first);
  EXPECT_EQ(all.nsite, 100);
  ASSERT_EQ(all.columns.ncol(), 1800);
  ASSERT_EQ(all.columns.nlay(), 60);
  ASSERT_EQ(all.experiments.size(), 18u);
  EXPECT_EQ(all.experiments.back(), 18);
  EXPECT_EQ(all.experiment_labels.at(0), "Present day (PD)");
  EXPECT_EQ(all.experiment_labels.at(2), "4xCO2");
  EXPECT_EQ(all.profile_weight.size(), 100u);
  EXPECT_EQ(all.latitude.size(), 100u);
  // Top pressure as documented, and figures read from the file with other software.
  EXPECT_EQ(all.columns.pressure_lev(0, 60), static_cast<double>(0.01f));
  EXPECT_EQ(all.columns.pressure_lay(0, 59), 10.);
  EXPECT_EQ(all.columns.emissivity_sfc(0, 0), static_cast<double>(0.98f));
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.vmr(0, static_cast<int>(Gas::co2), 5)), 397.54697e-6f);
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.vmr(299, static_cast<int>(Gas::co2), 5)), 1137.268e-6f);
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.vmr(1799, static_cast<int>(Gas::co2), 5)), 190e-6f);

  auto const third = io::read_radiation_input(path, {.experiment = "3"});
  ASSERT_EQ(third.columns.ncol(), 100);
  for (int c = 0; c < 100; ++c)
    ASSERT_EQ(third.columns.temperature_lay(c, 30), all.columns.temperature_lay(200 + c, 30));
  EXPECT_EQ(message_of([&] { io::read_radiation_input(path, {.experiment = "19"}); }),
            path + ": experiment 19 was asked for, expected all or a number from 1 to 18");
}

TEST(RadiationFiles, ReferenceCases) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/case_clear_a.nc");
  auto const input = io::read_radiation_input(path);
  EXPECT_EQ(input.layout, io::RadiationLayout::column);
  EXPECT_FALSE(input.top_first);
  ASSERT_EQ(input.columns.ncol(), 32);
  ASSERT_EQ(input.columns.nlay(), 51);
  io::Hdf5File const file(path);
  auto const play = file.read("play"), o2 = file.read("o2vmr"), emis = file.read("emis");
  for (int c = 0; c < 32; ++c) {
    for (int k = 0; k < 51; ++k) {
      auto const i = static_cast<std::size_t>(c * 51 + k);
      ASSERT_EQ(input.columns.pressure_lay(c, k), 100. * play[i]);
      ASSERT_EQ(input.columns.vmr(c, static_cast<int>(Gas::o2), k), o2[i]);
    }
    for (int b = 0; b < 16; ++b)
      ASSERT_EQ(input.columns.emissivity_sfc(c, b), emis[static_cast<std::size_t>(c * 16 + b)]);
  }
  EXPECT_FALSE(input.has_clouds);
  EXPECT_FALSE(input.derivative);
}

TEST(RadiationFiles, ReferenceCasesWithClouds) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/case_cloud_a.nc");
  auto const input = io::read_radiation_input(path);
  EXPECT_TRUE(input.has_clouds);
  EXPECT_FALSE(input.derivative);
  EXPECT_EQ(input.columns.aerosol.size(), 0U);
  ASSERT_TRUE(input.clouds.of_gpoints());
  ASSERT_FALSE(input.clouds.of_layers());
  io::Hdf5File const file(path);
  std::vector<bool> by_path, by_depth;
  for (double const flag : file.read("inflglw")) {
    by_path.push_back(flag == 2.);
    by_depth.push_back(flag == 0.);
  }
  EXPECT_EQ(values_of(input.clouds.fraction_gpt), file.read("cldfmcl"));
  EXPECT_EQ(values_of(input.clouds.ice_path_gpt), of_columns(in_si(file.read("ciwpmcl"), 1e-3), by_path));
  EXPECT_EQ(values_of(input.clouds.liquid_path_gpt), of_columns(in_si(file.read("clwpmcl"), 1e-3), by_path));
  EXPECT_EQ(values_of(input.clouds.optical_depth_gpt), of_columns(file.read("taucmcl"), by_depth));
  EXPECT_EQ(values_of(input.clouds.ice_size), of_columns(in_si(file.read("reicmcl"), 1e-6), by_path));
  EXPECT_EQ(values_of(input.clouds.liquid_size), of_columns(in_si(file.read("relqmcl"), 1e-6), by_path));
  for (int c = 0; c < 32; ++c) {
    auto const i = static_cast<std::size_t>(c);
    EXPECT_EQ(input.clouds.input(c), file.read("inflglw")[i]);
    EXPECT_EQ(input.clouds.ice_optics(c), file.read("iceflglw")[i]);
    EXPECT_EQ(input.clouds.liquid_optics(c), file.read("liqflglw")[i]);
  }
}

TEST(RadiationFiles, ReferenceCasesWithEverything) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/debug_a.nc");
  auto const input = io::read_radiation_input(path);  // icld = -1, idrv = 1
  EXPECT_TRUE(input.derivative);
  io::Hdf5File const file(path);
  EXPECT_EQ(values_of(input.clouds.fraction_gpt), file.read("cldfmcl"));
  auto const aerosol = file.read("tauaer");
  if (std::any_of(aerosol.begin(), aerosol.end(), [](double depth) { return depth > 0; })) {
    EXPECT_EQ(values_of(input.columns.aerosol), aerosol);
  } else {
    EXPECT_EQ(input.columns.aerosol.size(), 0U);
  }
}
