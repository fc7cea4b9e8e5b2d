// SPDX-License-Identifier: BSD-3-Clause
// The shortwave solver against RRTMG_SW, and against its equations in quadruple precision.
#include "shortwave_layers.hpp"

#include "rrtmg_sw/band_terms.hpp"
#include "rrtmg_sw/gas_optics_tables.hpp"

#include <parhelion/core/copies.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::DirectBeam;
using fluxes::Gas;
using fluxes::nbnd_sw;
using fluxes::ngpt_sw;
using fluxes::ShortwaveTuning;
using fluxes::Transmittance;

constexpr fluxes::ShortwaveOutputs everything{.clear = true, .parts = true, .bands = true};
char const* const case_names[] = {"clear", "cloud", "aerosol"};

std::string case_file(std::string const& name) { return "rrtmg_sw/case_sw_" + name + "_a.nc"; }

/// Largest difference of numbers; NaN is larger than all.
struct Largest {
  double value = 0;
  void consider(double difference) {
    if (!(std::abs(difference) <= value)) value = std::abs(difference);
  }
};

/// Largest difference of an array from a variable of the case.
template <class View>
double largest_difference(View const& ours, io::Hdf5File const& file, std::string const& name) {
  auto const expected = file.read(name);
  EXPECT_EQ(expected.size(), ours.size()) << name;
  Largest largest;
  for (std::size_t i = 0; i < std::min(expected.size(), ours.size()); ++i)
    largest.consider(ours.data()[i] - expected[i]);
  return largest.value;
}

double largest_difference(HostArray<double**> const& a, HostArray<double**> const& b) {
  EXPECT_EQ(a.size(), b.size());
  Largest largest;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest.consider(a.data()[i] - b.data()[i]);
  return largest.value;
}

/// Expects a difference below a limit, and notes it among the test's properties (--gtest_output=json), from which the
/// accuracy page is made.
void expect_small(double difference, double limit, std::string const& name) {
  std::ostringstream text;
  text << difference;
  testing::Test::RecordProperty(name, text.str());
  EXPECT_LE(difference, limit) << name;
}

/// Fluxes of the bands at one level.
HostArray<double**> at_level(HostArray<double***> const& of_bands, int level) {
  HostArray<double**> const result("bands", of_bands.extent(0), of_bands.extent(2));
  for (int c = 0; c < int(of_bands.extent(0)); ++c)
    for (int b = 0; b < int(of_bands.extent(2)); ++b) result(c, b) = of_bands(c, level, b);
  return result;
}

// --- table mode ---------------------------------------------------------------------------------------------------

template <class Space>
struct ShortwaveTableTest : testing::Test {};
TYPED_TEST_SUITE(ShortwaveTableTest, Spaces, SpaceName);

template <class Space>
void expect_original(std::string const& name) {
  PARHELION_REQUIRE_DATA(path, name);
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  SCOPED_TRACE(name);
  io::Hdf5File const file(path);
  auto const input = read_shortwave_case(file);
  // Fluxes of bands without clouds are those of the columns without clouds.
  HostShortwaveInput const clear_input(input.columns);
  int const top = input.columns.nlay();
  for (auto const direct : {DirectBeam::scaled, DirectBeam::unscaled}) {
    bool const scaled = direct == DirectBeam::scaled;
    ShortwaveTuning const tuning{.transmittance = Transmittance::table, .direct = direct};
    auto const f = solve_shortwave<Space, double>(reference_shortwave_coefficients(), input, everything, tuning);
    auto const clear =
        solve_shortwave<Space, double>(reference_shortwave_coefficients(), clear_input, everything, tuning);
    constexpr double of_rate = 1e-7;
    auto const check = [&](auto const& view, char const* variable, double tolerance = 1e-8) {
      expect_small(largest_difference(view, file, variable), tolerance,
                   std::string(variable) + (scaled ? "" : ", unscaled beam"));
    };
    check(f.flux_up, "swuflx");
    check(f.flux_dn, "swdflx");
    check(f.flux_up_clear, "swuflxc");
    check(f.flux_dn_clear, "swdflxc");
    check(f.flux_dn_direct, scaled ? "swdirflx" : "swdirflx_unscaled");
    check(f.flux_dn_direct_clear, scaled ? "swdirflxc" : "swdirflxc_unscaled");
    check(f.heating_rate, "swhr", of_rate);
    check(f.heating_rate_clear, "swhrc", of_rate);
    check(f.flux_dn_uvvis, "swdflx_uv");
    check(f.flux_dn_nir, "swdflx_nir");
    check(f.flux_dn_uvvis_clear, "swdflxc_uv");
    check(f.flux_dn_nir_clear, "swdflxc_nir");
    check(at_level(f.flux_dn_band, top), "swdflx_band_toa");
    check(at_level(f.flux_up_band, top), "swuflx_band_toa");
    check(at_level(f.flux_dn_band, 0), "swdflx_band_sfc");
    check(at_level(clear.flux_up_band, top), "swuflxc_band_toa");
    check(at_level(clear.flux_dn_band, 0), "swdflxc_band_sfc");
    if (!scaled) continue;
    check(f.flux_dn_direct_uvvis, "swdirflx_uv");
    check(f.flux_dn_direct_nir, "swdirflx_nir");
    check(f.flux_dn_direct_uvvis_clear, "swdirflxc_uv");
    check(f.flux_dn_direct_nir_clear, "swdirflxc_nir");
    check(at_level(f.flux_dn_direct_band, 0), "swdirflx_band_sfc");
    check(at_level(clear.flux_dn_direct_band, 0), "swdirflxc_band_sfc");
    if (!file.exists("flux_up_band")) continue;  // the debug case
    check(f.flux_up_band, "flux_up_band");
    check(f.flux_dn_band, "flux_dn_band");
    check(f.flux_dn_direct_band, "flux_dir_band");
    check(clear.flux_up_band, "flux_up_clear_band");
    check(clear.flux_dn_band, "flux_dn_clear_band");
  }
}

TYPED_TEST(ShortwaveTableTest, IsTheOriginalInClearSky) { expect_original<TypeParam>(case_file("clear")); }
TYPED_TEST(ShortwaveTableTest, IsTheOriginalWithClouds) { expect_original<TypeParam>(case_file("cloud")); }
TYPED_TEST(ShortwaveTableTest, IsTheOriginalWithAerosol) { expect_original<TypeParam>(case_file("aerosol")); }
TYPED_TEST(ShortwaveTableTest, IsTheOriginalInAllBandsAndLevels) {
  expect_original<TypeParam>("rrtmg_sw/debug_sw_a.nc");
}

// Half a unit of the last digit of a printed number.
double half_a_digit(std::string const& printed) {
  auto const point = printed.find('.');
  return 0.5 * std::pow(10.0, -double(point == std::string::npos ? 0 : printed.size() - point - 1));
}

// The output that AER publishes with the column model, from its input: amounts of gas are given, so pressure
// differences are chosen here such that they come out.
template <class Space>
void expect_published(std::string const& name) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_sw/examples/example_" + name + ".nc");
  PARHELION_REQUIRE_DATA(text_path, "rrtmg_sw/examples/output_rrtm_" + name);
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  SCOPED_TRACE(name);
  io::Hdf5File const file(path);
  int const nlay = static_cast<int>(file.shape("play").at(0));
  HostShortwaveInput input(fluxes::make_shortwave_columns<ShortwaveHost, double>(1, nlay, nbnd_sw));
  auto& columns = input.columns;
  auto const p_lay = file.read("play"), t_lay = file.read("tlay"), p_lev = file.read("plev"), dry = file.read("coldry"),
             albedo = file.read("albedo"), factor = file.read("adjflux");
  auto const number = [&](char const* variable) { return file.read(variable).at(0); };
  columns.pressure_lev(0, 0) = 100 * p_lev[0];
  for (auto const& [gas, variable] :
       {std::pair(Gas::h2o, "column_h2o"), std::pair(Gas::co2, "column_co2"), std::pair(Gas::o3, "column_o3"),
        std::pair(Gas::ch4, "column_ch4"), std::pair(Gas::o2, "column_o2")}) {
    auto const amount = file.read(variable);
    for (int k = 0; k < nlay; ++k) columns.vmr(0, static_cast<int>(gas), k) = amount[std::size_t(k)] / dry[k];
  }
  for (int k = 0; k < nlay; ++k) {
    columns.pressure_lay(0, k) = 100 * p_lay[k];
    columns.temperature_lay(0, k) = t_lay[k];
    double const water = columns.vmr(0, static_cast<int>(Gas::h2o), k);
    double const molar_mass = (1 - water) * 28.966 + water * 18.016;
    columns.pressure_lev(0, k + 1) =
        columns.pressure_lev(0, k) - dry[k] / 6.02214199e23 * 10 * 9.8066 * molar_mass * (1 + water);
  }
  columns.cos_zenith(0) = number("coszen");
  columns.solar_weights(0, static_cast<int>(fluxes::SolarSpectrum::quiet_sun)) = number("svar_i");
  columns.solar_weights(0, static_cast<int>(fluxes::SolarSpectrum::faculae)) = number("svar_f");
  columns.solar_weights(0, static_cast<int>(fluxes::SolarSpectrum::sunspots)) = number("svar_s");
  columns.solar_band_factors = decltype(columns.solar_band_factors)("factors", 1, nbnd_sw);
  for (int b = 0; b < nbnd_sw; ++b) {
    columns.albedo_direct(0, b) = columns.albedo_diffuse(0, b) = albedo[b];
    columns.solar_band_factors(0, b) = factor[b];
  }
  if (file.exists("tauaer")) {
    auto const read = [&](char const* variable) {
      auto const values = file.read(variable);
      decltype(columns.aerosol_asymmetry) const view(std::string(variable), 1, nlay, nbnd_sw);
      for (int b = 0; b < nbnd_sw; ++b)
        for (int k = 0; k < nlay; ++k) view(0, k, b) = values[b * nlay + k];
      return view;
    };
    columns.aerosol_optical_depth = read("tauaer");
    columns.aerosol_single_scattering_albedo = read("ssaaer");
    columns.aerosol_asymmetry = read("asmaer");
  }
  if (file.exists("cldfrac")) {
    auto& clouds = input.clouds;
    clouds = fluxes::make_shortwave_gpoint_clouds<ShortwaveHost, double>(1, nlay, false);
    auto const fraction = file.read("cldfrac"), ice = file.read("ciwp"), liquid = file.read("clwp"),
               ice_size = file.read("rei"), liquid_size = file.read("rel");
    clouds.ice_optics(0) = static_cast<int>(number("iceflag"));
    clouds.liquid_optics(0) = static_cast<int>(number("liqflag"));
    for (int k = 0; k < nlay; ++k) {
      clouds.ice_size(0, k) = 1e-6 * ice_size[k];
      clouds.liquid_size(0, k) = 1e-6 * liquid_size[k];
      for (int g = 0; g < ngpt_sw; ++g) {
        clouds.fraction_gpt(0, k, g) = fraction[k];
        clouds.ice_path_gpt(0, k, g) = 1e-3 * ice[k];
        clouds.liquid_path_gpt(0, k, g) = 1e-3 * liquid[k];
      }
    }
  }
  auto const f =
      solve_shortwave<Space, double>(reference_shortwave_coefficients(), input, everything,
                                     {.transmittance = Transmittance::table,
                                      .direct = number("idelm") == 0 ? DirectBeam::unscaled : DirectBeam::scaled});

  // Blocks of lines, one for all wavenumbers and one for each band: level, pressure, upward, diffuse, direct and
  // downward flux, net downward flux, heating rate; from the top.
  std::ifstream text(text_path);
  std::string line;
  int blocks = 0;
  while (std::getline(text, line)) {
    if (line.find("Wavenumbers:") == std::string::npos) continue;
    int const band = blocks++ - 1;
    std::getline(text, line);
    std::getline(text, line);
    auto const flux = [&](auto const& of_all, auto const& of_bands, int level) {
      return band < 0 ? of_all(0, level) : of_bands(0, level, band);
    };
    for (int level = nlay; level >= 0; --level) {
      ASSERT_TRUE(std::getline(text, line));
      std::istringstream words(line);
      int printed_level = 0;
      std::string pressure;
      std::array<std::string, 6> printed;
      words >> printed_level >> pressure;
      for (auto& word : printed) words >> word;
      ASSERT_TRUE(words) << line;
      ASSERT_EQ(printed_level, level) << line;
      auto const up = [&](int l) { return flux(f.flux_up, f.flux_up_band, l); };
      auto const dn = [&](int l) { return flux(f.flux_dn, f.flux_dn_band, l); };
      double const direct = flux(f.flux_dn_direct, f.flux_dn_direct_band, level);
      double const net = dn(level) - up(level);
      double const rate = level == nlay ? 0
                                        : 9.8066 * 86400 / (1004 * 100) * (dn(level + 1) - up(level + 1) - net) /
                                              (p_lev[std::size_t(level)] - p_lev[std::size_t(level) + 1]);
      std::array<double, 6> const mine{up(level), dn(level) - direct, direct, dn(level), net, rate};
      for (std::size_t i = 0; i < mine.size(); ++i)
        EXPECT_NEAR(mine[i], std::stod(printed[i]), 1.0001 * half_a_digit(printed[i]) + 1e-9)
            << "band " << band << ": " << line;
    }
  }
  EXPECT_EQ(blocks, file.exists("flux_u_band") ? 1 + nbnd_sw : 1);
}

TYPED_TEST(ShortwaveTableTest, MidLatitudeSummerAsPublished) { expect_published<TypeParam>("MLS-clr"); }
TYPED_TEST(ShortwaveTableTest, AerosolAsPublished) { expect_published<TypeParam>("MLS-clr-aer12"); }
TYPED_TEST(ShortwaveTableTest, CloudsAsPublished) { expect_published<TypeParam>("MLS-cld6-imca0-icld2"); }
TYPED_TEST(ShortwaveTableTest, SolarMaximumAsPublished) {
  expect_published<TypeParam>("MLS-clr-sza45-isolvar1_tsi_max");
}

// --- intermediate results -------------------------------------------------------------------------------------------

template <class Pair>
struct ShortwaveOpticsTest : testing::Test {
  using Real = typename Pair::Real;
  static constexpr bool in_double = std::is_same_v<Real, double>;
};
TYPED_TEST_SUITE(ShortwaveOpticsTest, SpacesAndReals, PairName);

// Optical depths of gases and the irradiance of the sun, on the host, in double.
template <class Space, class Real>
std::array<HostArray<double***>, 3> gas_optics(HostShortwaveInput const& host) {
  Space const space;
  fluxes::ShortwaveGasOptics<Space, Real> const model(space, reference_shortwave_coefficients());
  fluxes::ShortwaveInput<Space, Real> input;
  copy_described(host, input);
  int const ncol = host.columns.ncol();
  int const nlay = host.columns.nlay();
  Array<Real***, Space> const absorption("absorption", ncol, nlay, ngpt_sw), rayleigh("rayleigh", ncol, nlay, ngpt_sw);
  Array<Real**, Space> const sun("sun", ncol, ngpt_sw);
  fluxes::compute_shortwave_gas_optics(space, model, input.columns, absorption, rayleigh, sun);
  space.fence();
  auto const fetch = [](auto const& from, int layers) {
    auto const mirror = parhelion::host_copy(from);
    HostArray<double***> const to("host", from.extent(0), layers, ngpt_sw);
    for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = static_cast<double>(mirror.data()[i]);
    return to;
  };
  return {fetch(absorption, nlay), fetch(rayleigh, nlay), fetch(sun, 1)};
}

TYPED_TEST(ShortwaveOpticsTest, OpticalDepthsAreTheOriginals) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_sw/debug_sw_a.nc");
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  io::Hdf5File const file(path);
  auto const mine = gas_optics<typename TypeParam::ExecutionSpace, typename TypeParam::Real>(read_shortwave_case(file));
  // In float an absorption coefficient is interpolated between neighbours of up to 100 times its size.
  double const relative = this->in_double ? 1e-10 : 2e-4;
  double const absolute = this->in_double ? 1e-14 : 2e-6;
  std::array<char const*, 2> const names{"taug", "taur"};
  for (std::size_t n = 0; n < names.size(); ++n) {
    auto const expected = file.read(names[n]);
    ASSERT_EQ(expected.size(), mine[n].size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(mine[n].data()[i], expected[i], absolute + relative * std::abs(expected[i]))
          << names[n] << " of layer " << i / ngpt_sw << ", g-point " << i % ngpt_sw;
  }
}

TYPED_TEST(ShortwaveOpticsTest, SunIsTheOriginals) {
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  for (std::string const name : case_names) {
    PARHELION_REQUIRE_DATA(path, case_file(name));
    io::Hdf5File const file(path);
    auto const input = read_shortwave_case(file);
    auto const mine = gas_optics<typename TypeParam::ExecutionSpace, typename TypeParam::Real>(input)[2];
    auto const source = file.read("solar_source"), factor = file.read("adjflux");
    for (int c = 0; c < input.columns.ncol(); ++c) {
      int gpoint = 0;
      for (int b = 0; b < nbnd_sw; ++b)
        for (int g = 0; g < fluxes::shortwave_bands()[std::size_t(b)].ng; ++g, ++gpoint) {
          double const expected = source[std::size_t(c * ngpt_sw + gpoint)] * factor[std::size_t(c * nbnd_sw + b)];
          // The position between species ratios is as exact as their amounts.
          ASSERT_NEAR(mine(c, 0, gpoint), expected, (this->in_double ? 1e-12 : 1e-5) * (1 + expected))
              << name << ", column " << c << ", g-point " << gpoint;
        }
    }
  }
}

// All that lies between the input and the optical depths.
TEST(ShortwaveDebug, InterpolationIsTheOriginals) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_sw/debug_sw_a.nc");
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  io::Hdf5File const file(path);
  auto const input = read_shortwave_case(file);
  fluxes::ShortwaveGasOptics<ShortwaveHost, double> const model(reference_shortwave_coefficients());
  int const nlay = input.columns.nlay();
  auto const same = [&](char const* name, int c, int k, double mine) {
    double const expected = file.read(name)[std::size_t(c * nlay + k)];
    EXPECT_NEAR(mine, expected, 1e-12 * std::abs(expected) + 1e-13) << name << ", column " << c << ", layer " << k;
  };
  for (int c = 0; c < input.columns.ncol(); ++c) {
    int lower = 0;
    for (int k = 0; k < nlay; ++k) {
      fluxes::rrtmg_sw::InterpolationState<double, 1> s;
      fluxes::rrtmg_lw::set_interpolation_state(s, model.tables(), input.columns, c, k, k);
      lower += s.upper ? 0 : 1;
      same("jp", c, k, s.jp[0] + 1);
      same("jt", c, k, s.jt0[0] + 1);
      same("jt1", c, k, s.jt1[0] + 1);
      same("fac00", c, k, s.fac00[0]);
      same("fac10", c, k, s.fac10[0]);
      same("fac01", c, k, s.fac01[0]);
      same("fac11", c, k, s.fac11[0]);
      same("indfor", c, k, s.foreign_index[0] + 1);
      same("forfrac", c, k, s.foreign_fraction[0]);
      double const water = s.column[static_cast<int>(Gas::h2o)][0];
      same("forfac", c, k, s.foreign_scale[0] / water);
      if (!s.upper) {
        same("indself", c, k, s.self_index[0] + 1);
        same("selffrac", c, k, s.self_fraction[0]);
        same("selffac", c, k, s.self_scale[0] / water);
      }
      same("coldry", c, k, 1e20 * s.dry[0]);
      same("colmol", c, k, s.dry[0] + water);
      same("colh2o", c, k, water);
      same("colco2", c, k, s.column[static_cast<int>(Gas::co2)][0]);
      same("colo3", c, k, s.column[static_cast<int>(Gas::o3)][0]);
      same("coln2o", c, k, s.column[static_cast<int>(Gas::n2o)][0]);
      same("colch4", c, k, s.column[static_cast<int>(Gas::ch4)][0]);
      same("colo2", c, k, s.column[static_cast<int>(Gas::o2)][0]);
    }
    EXPECT_EQ(lower, file.read("laytrop")[std::size_t(c)]) << "column " << c;
  }
}

// What the kernel computes of a layer: aerosol, clouds, their sums, and operators.
TEST(ShortwaveDebug, LayersAreTheOriginals) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_sw/debug_sw_a.nc");
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  io::Hdf5File const file(path);
  ShortwaveLayers const layers(read_shortwave_case(file), reference_shortwave_coefficients());
  int const nlay = layers.columns().nlay();
  using Optics = ShortwaveLayers::Optics;
  fluxes::Impl::TableTwoStream<ShortwaveHost, double> const layer_operator{
      fluxes::Impl::TwoStreamCoefficients<double>(fluxes::TwoStream::pifm),
      {fluxes::Impl::make_transfer_table<ShortwaveHost, double>(ShortwaveHost())}};
  std::map<std::string, std::vector<double>> arrays;
  auto const expected = [&](std::string const& name, std::size_t at) {
    auto& array = arrays[name];
    if (array.empty()) array = file.read(name);
    return array.at(at);
  };
  std::map<std::string, Largest> largest;  // relative to 1 + the value
  auto const compare = [&](std::string const& name, std::size_t at, double mine) {
    double const value = expected(name, at);
    largest[name].consider((mine - value) / (1 + std::abs(value)));
  };
  auto const compare_optics = [&](std::string const& depth, std::string const& albedo, std::string const& asymmetry,
                                  std::size_t at, Optics const& of) {
    double const all = of.absorption + of.scattering;
    compare(depth, at, all);
    compare(albedo, at, all != 0 ? of.scattering / all : expected(albedo, at));
    // Of next to nothing the quotient is noise.
    if (of.scattering > 1e-15) compare(asymmetry, at, of.asymmetric / of.scattering);
  };
  for (int c = 0; c < layers.columns().ncol(); ++c) {
    fluxes::Impl::SunAngle<double> const sun{layers.mu0(c), 1 / layers.mu0(c)};
    for (int k = 0; k < nlay; ++k) {
      for (int b = 0; b < nbnd_sw; ++b) {
        auto const at = static_cast<std::size_t>((c * nlay + k) * nbnd_sw + b);
        auto const of = layers.aerosol(c, k, b);
        if (of.absorption + of.scattering > 0) compare_optics("aerosol_tau", "aerosol_ssa", "aerosol_asm", at, of);
      }
      for (int g = 0; g < ngpt_sw; ++g) {
        auto const at = static_cast<std::size_t>((c * nlay + k) * ngpt_sw + g);
        Optics all{layers.absorption(c, k, g), layers.rayleigh(c, k, g), 0};
        all += layers.aerosol(c, k, layers.band_of(g));
        all = delta_scaled(all);
        compare_optics("tau_clear", "ssa_clear", "asm_clear", at, all);
        auto const clear = layer_operator(all, sun);
        compare("ref_dir_clear", at, clear.reflected_beam);
        compare("ref_dif_clear", at, clear.reflected);
        compare("tra_dir_clear", at, clear.scattered_beam + clear.beam);
        compare("tra_dif_clear", at, clear.transmitted);
        compare("beam_clear", at, clear.beam);
        auto const cloud = layers.cloud(c, k, g);
        auto mixed = clear;
        if (cloud.fraction > 0) {
          compare_optics("taucmc", "ssacmc", "asmcmc", at, cloud.optics);
          compare("taormc", at, cloud.depth);
          all += cloud.optics;
          compare_optics("tau_cloudy", "ssa_cloudy", "asm_cloudy", at, all);
          auto const cloudy = layer_operator(all, sun);
          auto const mix = [&](double fluxes::Impl::LayerOperator<double>::*member) {
            mixed.*member = (1 - cloud.fraction) * clear.*member + cloud.fraction * cloudy.*member;
          };
          mix(&fluxes::Impl::LayerOperator<double>::reflected_beam);
          mix(&fluxes::Impl::LayerOperator<double>::scattered_beam);
          mix(&fluxes::Impl::LayerOperator<double>::reflected);
          mix(&fluxes::Impl::LayerOperator<double>::transmitted);
          mix(&fluxes::Impl::LayerOperator<double>::beam);
        }
        compare("ref_dir", at, mixed.reflected_beam);
        compare("ref_dif", at, mixed.reflected);
        compare("tra_dir", at, mixed.scattered_beam + mixed.beam);
        compare("tra_dif", at, mixed.transmitted);
        compare("beam", at, mixed.beam);
      }
    }
    for (int g = 0; g < ngpt_sw; ++g)
      compare("incident", static_cast<std::size_t>(c * ngpt_sw + g), layers.incident(c, g));
  }
  EXPECT_EQ(largest.size(), 24U);
  for (auto const& [name, difference] : largest) expect_small(difference.value, 1e-10, name);
}

// --- exact mode -----------------------------------------------------------------------------------------------------

template <class Pair>
struct ShortwaveExactTest : testing::Test {};
TYPED_TEST_SUITE(ShortwaveExactTest, SpacesAndReals, PairName);

TYPED_TEST(ShortwaveExactTest, IsTheOriginalButForItsTable) {
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  // 0.0121, 0.0664 and 7.24 W m-2 measured: in the aerosol case two g-points of a column are at the resonance.
  double const expected[] = {0.02, 0.1, 7.5};
  for (int i = 0; i < 3; ++i) {
    PARHELION_REQUIRE_DATA(path, case_file(case_names[i]));
    io::Hdf5File const file(path);
    auto const input = read_shortwave_case(file);
    auto const f = solve_shortwave<typename TypeParam::ExecutionSpace, typename TypeParam::Real>(
        reference_shortwave_coefficients(), input, everything);
    std::string const name = case_names[i];
    expect_small(largest_difference(f.flux_up, file, "swuflx"), expected[i], name + " up");
    expect_small(largest_difference(f.flux_dn, file, "swdflx"), expected[i], name + " down");
    expect_small(largest_difference(f.flux_up_clear, file, "swuflxc"), expected[i], name + " up clear");
    expect_small(largest_difference(f.flux_dn_clear, file, "swdflxc"), expected[i], name + " down clear");
    if (name == "aerosol") {
      Largest of_others;
      auto const up = file.read("swuflx"), down = file.read("swdflx");
      for (int c = 0; c < int(f.flux_up.extent(0)); ++c)
        for (int k = 0; c != 6 && k < int(f.flux_up.extent(1)); ++k) {
          auto const at = std::size_t(c) * f.flux_up.extent(1) + std::size_t(k);
          of_others.consider(f.flux_up(c, k) - up[at]);
          of_others.consider(f.flux_dn(c, k) - down[at]);
        }
      expect_small(of_others.value, 0.2, "aerosol but for the column at the resonance");
    }
    // Where the layer's pressure is 1 hPa or more: layers higher up are so thin that rounding is a large rate.
    auto const rate = file.read("swhr");
    Largest of_rate;
    for (int c = 0; c < int(f.heating_rate.extent(0)); ++c)
      for (int k = 0; k + 1 < int(f.heating_rate.extent(1)); ++k)
        if (input.columns.pressure_lay(c, k) >= 100)
          of_rate.consider(f.heating_rate(c, k) - rate[std::size_t(c) * f.heating_rate.extent(1) + std::size_t(k)]);
    expect_small(of_rate.value, i < 2 ? 0.03 : 0.7, name + " heating");
  }
}

template <class Space>
struct ShortwavePrecisionTest : testing::Test {};
TYPED_TEST_SUITE(ShortwavePrecisionTest, Spaces, SpaceName);

TYPED_TEST(ShortwavePrecisionTest, FloatIsCloseToDouble) {
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  using Space = TypeParam;
  for (std::string const name : case_names) {
    PARHELION_REQUIRE_DATA(path, case_file(name));
    auto const input = read_shortwave_case(io::Hdf5File(path));
    auto const& coefficients_read = reference_shortwave_coefficients();
    auto const single = solve_shortwave<Space, float>(coefficients_read, input, everything);
    auto const twice = solve_shortwave<Space, double>(coefficients_read, input, everything);
    // 0.0007 W m-2 measured.
    expect_small(largest_difference(single.flux_up, twice.flux_up), 0.003, name + " up");
    expect_small(largest_difference(single.flux_dn, twice.flux_dn), 0.003, name + " down");
    expect_small(largest_difference(single.flux_dn_direct, twice.flux_dn_direct), 0.003, name + " direct");
    expect_small(largest_difference(single.flux_up_clear, twice.flux_up_clear), 0.003, name + " up clear");
    expect_small(largest_difference(single.flux_dn_clear, twice.flux_dn_clear), 0.003, name + " down clear");
  }
}

TYPED_TEST(ShortwavePrecisionTest, MeetsItsEquationsInQuadPrecision) {
  if (quad_is_available() == 0) GTEST_SKIP() << "this compiler or C library has no quadruple precision";
  PARHELION_REQUIRE_DATA(coefficients, shortwave_coefficient_file);
  using Space = TypeParam;
  for (std::string const name : case_names) {
    PARHELION_REQUIRE_DATA(path, case_file(name));
    auto const input = read_shortwave_case(io::Hdf5File(path));
    ShortwaveLayers const layers(input, reference_shortwave_coefficients());
    for (auto const direct : {DirectBeam::scaled, DirectBeam::unscaled}) {
      ShortwaveTuning const tuning{.direct = direct};
      auto const f = solve_shortwave<Space, double>(reference_shortwave_coefficients(), input, everything, tuning);
      auto const all = layers.in_quad(tuning, true);
      constexpr double tolerance = 1e-8;
      auto const beam = name + (direct == DirectBeam::scaled ? "" : ", unscaled beam");
      expect_small(largest_difference(f.flux_up, all.flux_up), tolerance, beam + " up");
      expect_small(largest_difference(f.flux_dn, all.flux_dn), tolerance, beam + " down");
      expect_small(largest_difference(f.flux_dn_direct, all.flux_dn_direct), tolerance, beam + " direct");
      auto const clear = layers.in_quad(tuning, false);
      expect_small(largest_difference(f.flux_up_clear, clear.flux_up), tolerance, beam + " up clear");
      expect_small(largest_difference(f.flux_dn_clear, clear.flux_dn), tolerance, beam + " down clear");
      expect_small(largest_difference(f.flux_dn_direct_clear, clear.flux_dn_direct), tolerance, beam + " direct clear");
    }
  }
}

}  // namespace
