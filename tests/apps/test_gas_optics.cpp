// SPDX-License-Identifier: BSD-3-Clause
// `parhelion fluxes` with the models of gas optics: which is taken, and which options it has.
#include "column_file.hpp"
#include "program.hpp"
#include "testing.hpp"

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

// The first line that a usage error prints.
std::string usage_error(std::string const& arguments) {
  auto const outcome = run("fluxes " + arguments);
  EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.output;
  return outcome.output.substr(0, outcome.output.find('\n'));
}

}  // namespace

TEST(GasOptics, OptionsThatAModelDoesNotHaveAreUsageErrors) {
  std::string const folder = scratch_folder();
  ColumnFile().write(folder + "/in.nc");
  std::string const input = quoted(folder + "/in.nc") + " ";
  for (auto const& [options, message] : std::vector<std::pair<std::string, std::string>>{
           {"--angles 2", "--angles: is only allowed with --gas-optics rrtmgp, not with rrtmg"},
           {"--gas-optics rrtmg --angles 2", "--angles: is only allowed with --gas-optics rrtmgp"},
           {"--gas-optics ecckd --scattering rescaling", "--scattering: is only allowed with --gas-optics rrtmgp"},
           {"--gas-optics ecckd --cloud-optics clouds.nc", "--cloud-optics: is only allowed with --gas-optics rrtmgp"},
           {"--gas-optics simple --aerosol-optics a.nc", "--aerosol-optics: is only allowed with --gas-optics rrtmgp"},
           {"--gas-optics rrtmg --ice-roughness 2", "--ice-roughness: is only allowed with --gas-optics rrtmgp"},
           {"--gas-optics ecckd --transmittance table", "--transmittance: table is only allowed with"},
           {"--gas-optics rrtmgp --transmittance table", "--transmittance: table is only allowed with"},
           {"--gas-optics simple --overlap random",
            "--overlap: is only allowed with --gas-optics rrtmg, rrtmgp or ecckd"},
           {"--gas-optics rrtmgp --cloud-averaging thin", "--cloud-averaging: is only allowed with --gas-optics ecckd"},
           {"--gas-optics ecckd --cloud-averaging thin", "--cloud-averaging: needs --droplet-scattering"},
           {"--gas-optics ecckd --ice-scattering ice.nc", "--ice-scattering: needs --droplet-scattering"},
           {"--gas-optics rrtmgp --ice-optics fu", "--ice-optics: is only allowed with --gas-optics rrtmg"},
           {"--gas-optics rrtmgp --shortwave --sun kurucz", "--sun: is only allowed with --gas-optics rrtmg"},
           {"--gas-optics ecckd --shortwave --band-order wavenumber", "--band-order: is only allowed with"},
           {"--gas-optics rrtmgp --ice-roughness 2", "--ice-roughness: needs --cloud-optics"},
           {"--gas-optics rrtmgp --scattering two-stream --angles 1", "--angles: not allowed with --scattering"},
           {"--gas-optics rrtmgp --scattering two-stream --derivative", "--derivative: not allowed with --scattering"},
           {"--gas-optics rrtmgp --shortwave --angles 1", "--angles: belongs to the longwave"},
           {"--albedo 0.1", "--albedo: needs --shortwave"},
           {"--mu0 0.1", "--mu0: needs --shortwave"}}) {
    auto const error = usage_error(input + options);
    EXPECT_NE(error.find(message), std::string::npos) << options << "\n" << error;
  }
  for (std::string const options :
       {"--angles 5", "--angles 0", "--scattering some", "--ice-roughness 4", "--shortwave --albedo 1.1",
        "--shortwave --mu0 2", "--level-temperatures none", "--gas-optics rrtmgpp"})
    usage_error(input + options);
}

TEST(GasOptics, LevelTemperaturesOfLayers) {
  std::string const folder = scratch_folder();
  ColumnFile().write(folder + "/in.nc");
  for (std::string const how : {"file", "interpolate"}) {
    auto const outcome = run("fluxes " + quoted(folder + "/in.nc") + " --gas-optics simple --level-temperatures " +
                             how + " -o " + quoted(folder + "/" + how + ".nc"));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
  }
  double const difference = largest_difference(io::Hdf5File(folder + "/file.nc").read("flux_up"),
                                               io::Hdf5File(folder + "/interpolate.nc").read("flux_up"));
  EXPECT_GT(difference, 0.01);
  EXPECT_LT(difference, 10.);
}
