// SPDX-License-Identifier: BSD-3-Clause
// The shortwave solver against RRTMG_SW, and by properties that need no data.
#include "shortwave_cases.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::DirectBeam;
using fluxes::ShortwaveTuning;
using fluxes::Transmittance;

constexpr fluxes::ShortwaveOutputs everything{.clear = true, .parts = true, .bands = true};

/// Largest difference of an array from a variable of the case.
template <class View>
double largest_difference(View const& ours, io::Hdf5File const& file, std::string const& name, double scale = 1) {
  auto const expected = file.read(name);
  EXPECT_EQ(expected.size(), ours.size()) << name;
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double const difference = std::abs(ours.data()[i] - scale * expected[i]);
    largest = difference > largest || std::isnan(difference) ? difference : largest;
  }
  return largest;
}

class ShortwaveCases : public testing::TestWithParam<char const*> {};

TEST_P(ShortwaveCases, TableModeIsTheOriginal) {
  PARHELION_REQUIRE_DATA(path, std::string("rrtmg_sw/") + GetParam());
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  io::Hdf5File const file(path);
  auto const input = read_shortwave_case(file);
  for (auto const direct : {DirectBeam::scaled, DirectBeam::unscaled}) {
    bool const scaled = direct == DirectBeam::scaled;
    ShortwaveTuning const tuning{.transmittance = Transmittance::table, .direct = direct};
    auto const f =
        solve_shortwave<ShortwaveHost, double>(reference_shortwave_coefficients(), input, everything, tuning);
    constexpr double of_flux = 1e-8, of_rate = 1e-7;
    auto const check = [&](auto const& view, std::string const& name, double tolerance) {
      if (!file.exists(name)) return;
      double const difference = largest_difference(view, file, name);
      std::printf("%s %s %.2e\n", GetParam(), name.c_str(), difference);
      EXPECT_LE(difference, tolerance) << name;
    };
    check(f.flux_up, "swuflx", of_flux);
    check(f.flux_dn, "swdflx", of_flux);
    check(f.flux_up_clear, "swuflxc", of_flux);
    check(f.flux_dn_clear, "swdflxc", of_flux);
    check(f.flux_dn_direct, scaled ? "swdirflx" : "swdirflx_unscaled", of_flux);
    check(f.flux_dn_direct_clear, scaled ? "swdirflxc" : "swdirflxc_unscaled", of_flux);
    check(f.heating_rate, "swhr", of_rate);
    check(f.heating_rate_clear, "swhrc", of_rate);
    check(f.flux_dn_uvvis, "swdflx_uv", of_flux);
    check(f.flux_dn_nir, "swdflx_nir", of_flux);
    check(f.flux_dn_uvvis_clear, "swdflxc_uv", of_flux);
    check(f.flux_dn_nir_clear, "swdflxc_nir", of_flux);
    if (scaled) {
      check(f.flux_dn_direct_uvvis, "swdirflx_uv", of_flux);
      check(f.flux_dn_direct_nir, "swdirflx_nir", of_flux);
      check(f.flux_dn_direct_uvvis_clear, "swdirflxc_uv", of_flux);
      check(f.flux_dn_direct_nir_clear, "swdirflxc_nir", of_flux);
    }
  }
}

TEST_P(ShortwaveCases, ExactMode) {
  PARHELION_REQUIRE_DATA(path, std::string("rrtmg_sw/") + GetParam());
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  io::Hdf5File const file(path);
  auto const input = read_shortwave_case(file);
  auto const f = solve_shortwave<ShortwaveHost, double>(reference_shortwave_coefficients(), input, everything);
  auto const s = solve_shortwave<ShortwaveHost, float>(reference_shortwave_coefficients(), input, everything);
  std::printf("%s exact - table: up %.3g dn %.3g rate %.3g\n", GetParam(),
              largest_difference(f.flux_up, file, "swuflx"), largest_difference(f.flux_dn, file, "swdflx"),
              largest_difference(f.heating_rate, file, "swhr"));
  for (int c : {0, 1, 2})
    for (int k : {0, 20, 40, 50, 51})
      std::printf("%d %d up %g table %g float %g | dn %g float %g dir %g\n", c, k, f.flux_up(c, k),
                  file.read("swuflx")[c * f.flux_up.extent(1) + k], s.flux_up(c, k), f.flux_dn(c, k), s.flux_dn(c, k),
                  f.flux_dn_direct(c, k));
  for (int b = 0; b < 14; ++b)
    std::printf("band %d %g %g dn %g %g\n", b, f.flux_up_band(0, 51, b), s.flux_up_band(0, 51, b),
                f.flux_dn_band(0, 51, b), s.flux_dn_band(0, 51, b));
  double up = 0, dn = 0, rate = 0;
  for (std::size_t i = 0; i < f.flux_up.size(); ++i) {
    up = std::max(up, std::abs(f.flux_up.data()[i] - s.flux_up.data()[i]));
    dn = std::max(dn, std::abs(f.flux_dn.data()[i] - s.flux_dn.data()[i]));
  }
  for (std::size_t i = 0; i < f.heating_rate.size(); ++i)
    rate = std::max(rate, std::abs(f.heating_rate.data()[i] - s.heating_rate.data()[i]));
  std::printf("%s float - double: up %.3g dn %.3g rate %.3g\n", GetParam(), up, dn, rate);
  EXPECT_LE(up, 0.05);
  EXPECT_LE(dn, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Files, ShortwaveCases,
                         testing::Values("case_sw_clear_a.nc", "case_sw_cloud_a.nc", "case_sw_aerosol_a.nc",
                                         "debug_sw_a.nc"));

}  // namespace
