// SPDX-License-Identifier: BSD-3-Clause
// What holds for shortwave fluxes whatever the coefficients are.
#include "comparisons.hpp"
#include "flux_comparisons.hpp"
#include "kokkos_manners.hpp"
#include "shortwave_layers.hpp"
#include "sunlit_columns.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>
#include <parhelion/fluxes/subcolumns.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::DirectBeam;
using fluxes::Gas;
using fluxes::HostShortwaveFluxes;
using fluxes::nbnd_sw;
using fluxes::ngpt_sw;
using fluxes::Overlap;
using fluxes::ShortwaveTuning;
using fluxes::Transmittance;

constexpr fluxes::ShortwaveOutputs everything{.clear = true, .parts = true, .bands = true};
constexpr fluxes::TwoStream two_streams[] = {fluxes::TwoStream::pifm, fluxes::TwoStream::eddington,
                                             fluxes::TwoStream::quadrature};
constexpr Overlap overlaps[] = {Overlap::random, Overlap::maximum_random, Overlap::maximum, Overlap::exponential,
                                Overlap::exponential_random};

template <class Pair>
struct ShortwaveTest : testing::Test {
  using Real = typename Pair::Real;
  static constexpr bool in_double = std::is_same_v<Real, double>;
  /// What rounding may do to a flux of F [W m-2] that is a sum over g-points after two sweeps over layers.
  static double rounding(double flux) { return 40 * std::numeric_limits<Real>::epsilon() * flux; }

  static HostShortwaveFluxes solve(HostShortwaveInput const& input, ShortwaveTuning const& tuning = {},
                                   fluxes::ShortwaveOutputs const& outputs = everything) {
    return solve_shortwave<typename Pair::ExecutionSpace, Real>(synthetic_shortwave_coefficients(), input, outputs,
                                                                tuning);
  }
};
TYPED_TEST_SUITE(ShortwaveTest, SpacesAndReals, PairName);

/// Calls action(name, array, the other's array) for the arrays of results.
template <class Action>
void for_each_result(Action const& action, HostShortwaveFluxes const& one, HostShortwaveFluxes const& other) {
  HostShortwaveFluxes::for_each_array([&](ArrayDescription const& description, auto const& a,
                                          auto const& b) { action(std::string(description.name), a, b); },
                                      one, other);
}

/// Whether row `i` of an array and row `j` of another have the same bits.
template <class View>
bool same_row(View const& a, int i, View const& b, int j) {
  if (a.size() == 0 || b.size() == 0) return a.size() == b.size();
  std::size_t const n = a.size() / a.extent(0);
  return n == b.size() / b.extent(0) &&
         std::equal(a.data() + std::size_t(i) * n, a.data() + std::size_t(i + 1) * n, b.data() + std::size_t(j) * n);
}

void expect_same_columns(HostShortwaveFluxes const& one, HostShortwaveFluxes const& other,
                         std::function<int(int)> const& column_of, std::string const& what) {
  int const ncol = static_cast<int>(other.flux_up.extent(0));
  for_each_result(
      [&](std::string const& name, auto const& a, auto const& b) {
        for (int c = 0; c < ncol; ++c)
          EXPECT_TRUE(same_row(a, column_of(c), b, c)) << what << ": " << name << " of column " << c;
      },
      one, other);
}

int same(int column) { return column; }

template <class View>
double largest_difference(View const& a, View const& b) {
  double largest = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    double const difference = std::abs(a.data()[i] - b.data()[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

void expect_close(HostShortwaveFluxes const& one, HostShortwaveFluxes const& other, double tolerance,
                  std::string const& what) {
  for_each_result(
      [&](std::string const& name, auto const& a, auto const& b) {
        if (name.find("heating") == std::string::npos) {
          EXPECT_LE(largest_difference(a, b), tolerance) << what << ": " << name;
        }
      },
      one, other);
}

/// Columns `first` to `first` + n - 1, or others as column_of says.
HostShortwaveInput columns_of(HostShortwaveInput const& from, int n, std::function<int(int)> const& column_of) {
  HostShortwaveInput to;
  HostShortwaveInput::for_each_array(
      [&](ArrayDescription const&, auto const& source, auto& target) {
        using Target = std::decay_t<decltype(target)>;
        if (source.size() == 0) return;
        if constexpr (Target::rank() == 1)
          target = Target("columns", n);
        else if constexpr (Target::rank() == 2)
          target = Target("columns", n, source.extent(1));
        else
          target = Target("columns", n, source.extent(1), source.extent(2));
        std::size_t const row = source.size() / source.extent(0);
        for (int c = 0; c < n; ++c)
          std::copy_n(source.data() + std::size_t(column_of(c)) * row, row, target.data() + std::size_t(c) * row);
      },
      from, to);
  to.clouds.overlap = from.clouds.overlap;
  to.clouds.seed = from.clouds.seed;
  to.clouds.first_column = from.clouds.first_column;
  return to;
}

double incident(HostShortwaveInput const& input, int column) {
  // The synthetic irradiances are 100 W m-2 in each band; in 29000-38000 cm-1 the coefficients' factor of Kurucz's.
  double sum = 0;
  for (int b = 0; b < nbnd_sw; ++b)
    sum += 100 * (b == 11 ? 50.15 / 48.37 : 1) *
           (input.columns.solar_band_factors.size() > 0 ? input.columns.solar_band_factors(column, b) : 1);
  return sum * input.columns.solar_weights(column, 0) * input.columns.cos_zenith(column);
}

/// Clear columns, columns with aerosol, with clouds of layers, and with clouds of g-points and aerosol.
std::vector<std::pair<std::string, HostShortwaveInput>> all_kinds(int ncol, int nlay) {
  std::vector<std::pair<std::string, HostShortwaveInput>> kinds;
  kinds.emplace_back("clear", sunlit_columns(ncol, nlay));
  kinds.emplace_back("aerosol", sunlit_columns(ncol, nlay));
  add_aerosol(kinds.back().second, 0.9);
  kinds.emplace_back("clouds of layers", sunlit_columns(ncol, nlay));
  add_layer_clouds(kinds.back().second);
  kinds.emplace_back("clouds of g-points and aerosol", sunlit_columns(ncol, nlay, 2));
  add_aerosol(kinds.back().second, 0.9);
  add_optical_clouds(kinds.back().second, 0.97);
  return kinds;
}

// --- energy ---------------------------------------------------------------------------------------------------------

TYPED_TEST(ShortwaveTest, WhatEntersIsTheSun) {
  for (auto const& [name, input] : all_kinds(7, 20)) {
    auto const f = this->solve(input);
    for (int c = 0; c < 7; ++c) {
      double const sun = incident(input, c);
      EXPECT_NEAR(f.flux_dn(c, 20), sun, this->rounding(sun)) << name;
      EXPECT_EQ(f.flux_dn(c, 20), f.flux_dn_direct(c, 20)) << name;
      EXPECT_LT(f.flux_up(c, 20), sun) << name;
      EXPECT_LT(f.flux_dn(c, 0) - f.flux_up(c, 0), f.flux_dn(c, 20) - f.flux_up(c, 20)) << name << ": it absorbs";
    }
  }
}

// Rayleigh scattering, aerosol and clouds that absorb nothing.
TYPED_TEST(ShortwaveTest, ScatteringConservesEnergy) {
  int const nlay = 40;
  for (auto const two_stream : two_streams)
    for (double const ground : {0.0, 1.0})
      for (int const particles : {0, 1, 2}) {
        auto input = sunlit_columns(6, nlay, 1);
        parhelion::assign_array(input.columns.vmr, 0.0);  // so there is no oxygen, either
        parhelion::assign_array(input.columns.albedo_direct, ground);
        parhelion::assign_array(input.columns.albedo_diffuse, ground);
        if (particles > 0) add_aerosol(input, 1);
        if (particles > 1) add_optical_clouds(input, 1);
        auto const f = solve_shortwave<typename TypeParam::ExecutionSpace, typename TypeParam::Real>(
            scattering_shortwave_coefficients(), input, everything, {.two_stream = two_stream});
        for (int c = 0; c < 6; ++c) {
          double const sun = incident(input, c);
          for (int k = 0; k <= nlay; ++k) {
            double const net = f.flux_dn(c, k) - f.flux_up(c, k);
            double const below = f.flux_dn(c, 0) - f.flux_up(c, 0);
            EXPECT_NEAR(net, ground == 1 ? 0 : below, nlay * this->rounding(sun) / 10)
                << "column " << c << ", level " << k << ", ground " << ground << ", particles " << particles
                << ", two-stream " << int(two_stream);
          }
          if (ground == 0) {
            EXPECT_EQ(f.flux_up(c, 0), 0);
          }
        }
      }
}

TYPED_TEST(ShortwaveTest, NoAtmosphereAbsorbsNothing) {
  auto input = sunlit_columns(4, 25, 1);
  for (int c = 0; c < 4; ++c)
    for (int k = 0; k <= 25; ++k) input.columns.pressure_lev(c, k) *= 1e-14;
  auto const f = this->solve(input);
  for (int c = 0; c < 4; ++c)
    for (int k = 0; k <= 25; ++k) {
      double const sun = incident(input, c);
      double const reflected = sun * input.columns.albedo_direct(c, 0);
      // What is left of the air has an optical depth of 1e-8 at most.
      double const tolerance = 1e-6 + this->rounding(sun);
      EXPECT_NEAR(f.flux_dn(c, k), sun, tolerance);
      EXPECT_NEAR(f.flux_dn_direct(c, k), sun, tolerance);
      EXPECT_NEAR(f.flux_up(c, k), reflected, tolerance);
    }
}

TYPED_TEST(ShortwaveTest, HeatingIsTheDivergenceOfTheNetFlux) {
  for (auto const& [name, input] : all_kinds(3, 15)) {
    auto const f = this->solve(input);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 15; ++k) {
        double const thickness = input.columns.pressure_lev(c, k) - input.columns.pressure_lev(c, k + 1);
        double const factor = 9.8066 * 86400 / 1004 / thickness;
        double const gained = (f.flux_dn(c, k + 1) - f.flux_up(c, k + 1)) - (f.flux_dn(c, k) - f.flux_up(c, k));
        EXPECT_NEAR(f.heating_rate(c, k), factor * gained, factor * this->rounding(1400) / 10)
            << name << ", the topmost layer as any other";
      }
  }
}

TYPED_TEST(ShortwaveTest, PartsAddUp) {
  for (auto const direct : {DirectBeam::scaled, DirectBeam::unscaled})
    for (auto const& [name, input] : all_kinds(5, 18)) {
      auto const f = this->solve(input, {.direct = direct});
      for (int c = 0; c < 5; ++c)
        for (int k = 0; k <= 18; ++k) {
          double const tolerance = this->rounding(1500) / 4;
          EXPECT_NEAR(f.flux_dn_uvvis(c, k) + f.flux_dn_nir(c, k), f.flux_dn(c, k), tolerance) << name;
          EXPECT_NEAR(f.flux_dn_direct_uvvis(c, k) + f.flux_dn_direct_nir(c, k), f.flux_dn_direct(c, k), tolerance);
          EXPECT_NEAR(f.flux_dn_uvvis_clear(c, k) + f.flux_dn_nir_clear(c, k), f.flux_dn_clear(c, k), tolerance);
          EXPECT_NEAR(f.flux_dn_direct_uvvis_clear(c, k) + f.flux_dn_direct_nir_clear(c, k),
                      f.flux_dn_direct_clear(c, k), tolerance);
          double up = 0, dn = 0, beam = 0, uvvis = 0;
          for (int b = 0; b < nbnd_sw; ++b) {
            up += f.flux_up_band(c, k, b);
            dn += f.flux_dn_band(c, k, b);
            beam += f.flux_dn_direct_band(c, k, b);
            if (fluxes::is_uvvis(b)) uvvis += f.flux_dn_band(c, k, b);
          }
          EXPECT_NEAR(up, f.flux_up(c, k), tolerance) << name;
          EXPECT_NEAR(dn, f.flux_dn(c, k), tolerance) << name;
          EXPECT_NEAR(beam, f.flux_dn_direct(c, k), tolerance) << name;
          EXPECT_NEAR(uvvis, f.flux_dn_uvvis(c, k), tolerance) << name;
          EXPECT_LE(f.flux_dn_direct(c, k), f.flux_dn(c, k) + tolerance) << name;
          EXPECT_GE(f.flux_dn_direct(c, k), 0) << name;
          EXPECT_GE(f.flux_up(c, k), 0) << name;
        }
    }
}

TYPED_TEST(ShortwaveTest, UnscaledBeamLosesMoreAndChangesNothingElse) {
  for (auto const& [name, input] : all_kinds(5, 18)) {
    auto const scaled = this->solve(input);
    auto const unscaled = this->solve(input, {.direct = DirectBeam::unscaled});
    bool const has_particles = name != "clear";
    for_each_result(
        // Where there is OpenMP, clang 16 lets no lambda capture a structured binding itself.
        [&, kind = name](std::string const& array, auto const& a, auto const& b) {
          if (array.find("direct") == std::string::npos) {
            EXPECT_TRUE(same_bits(a, b)) << kind << ": " << array;
          }
        },
        scaled, unscaled);
    for (int c = 0; c < 5; ++c)
      if (has_particles)
        EXPECT_LT(unscaled.flux_dn_direct(c, 0), scaled.flux_dn_direct(c, 0)) << name;
      else
        EXPECT_NEAR(unscaled.flux_dn_direct(c, 0), scaled.flux_dn_direct(c, 0), this->rounding(1400));
  }
}

// --- special columns ------------------------------------------------------------------------------------------------

TYPED_TEST(ShortwaveTest, NightIsZeroWhereverItIs) {
  for (auto const& [name, day] : all_kinds(9, 14)) {
    auto const by_day = this->solve(day);
    for (unsigned const pattern : {0x001U, 0x100U, 0x0aaU, 0x1f0U, 0x1ffU}) {
      auto const input = columns_of(day, 9, same);
      double const angles[] = {0, -0.3, -1, -1e-12, -0.0};
      for (int c = 0; c < 9; ++c)
        if ((pattern >> c & 1U) != 0) input.columns.cos_zenith(c) = angles[c % 5];
      auto const f = this->solve(input);
      for_each_result(
          [&, kind = name](std::string const& array, auto const& mine, auto const& lit) {
            std::size_t const row = mine.size() / 9;
            for (int c = 0; c < 9; ++c)
              if ((pattern >> c & 1U) != 0) {
                for (std::size_t i = 0; i < row; ++i)
                  ASSERT_EQ(mine.data()[std::size_t(c) * row + i], 0) << kind << ": " << array << " of column " << c;
              } else {
                EXPECT_TRUE(same_row(mine, c, lit, c)) << kind << ": " << array << " of column " << c;
              }
          },
          f, by_day);
    }
  }
}

TYPED_TEST(ShortwaveTest, NightHasTheOriginalsGleamInTableMode) {
  auto input = sunlit_columns(3, 14);
  input.columns.cos_zenith(1) = -0.5;
  auto const f = this->solve(input, {.transmittance = Transmittance::table});
  EXPECT_NEAR(f.flux_dn(1, 14), incident(input, 1) / -0.5 * 1e-10, 1e-11);
  EXPECT_EQ(f.heating_rate(0, 13), 0) << "of the topmost layer";
  EXPECT_GT(f.heating_rate(0, 12), 0);
}

// The sun of a low or a high column is that of its nearest layer: band sums depend little on it.
TYPED_TEST(ShortwaveTest, ColumnsOfOneHalfOfTheAtmosphereAreLitAndFinite) {
  for (bool const upper : {false, true}) {
    int const nlay = 12;
    auto input = sunlit_columns(3, nlay);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k <= nlay; ++k) {
        double const low = upper ? 9000 : 100000, high = upper ? 1 : 15000;
        auto const level = [&](double x) { return low * std::pow(high / low, x / nlay); };
        input.columns.pressure_lev(c, k) = level(k);
        if (k < nlay) input.columns.pressure_lay(c, k) = level(k + 0.5);
      }
    for (auto const transmittance : {Transmittance::exact, Transmittance::table}) {
      auto const f = this->solve(input, {.transmittance = transmittance});
      for (int c = 0; c < 3; ++c) {
        double const sun = incident(input, c);
        EXPECT_NEAR(f.flux_dn(c, nlay), sun, this->rounding(sun));
        for (int b = 0; b < nbnd_sw; ++b) EXPECT_GT(f.flux_dn_band(c, nlay, b), 0) << "band " << b;
        for (int k = 0; k <= nlay; ++k) {
          EXPECT_GT(f.flux_dn(c, k), 0);
          EXPECT_LE(f.flux_dn(c, k), 1.5 * sun);
        }
      }
    }
  }
}

TYPED_TEST(ShortwaveTest, AnyNumberOfLayersIsSolved) {
  for (int const nlay : {1, 2, 7, 400}) {
    auto input = sunlit_columns(2, nlay, 1);
    add_layer_clouds(input);
    auto const f = this->solve(input);
    for (int c = 0; c < 2; ++c) {
      EXPECT_NEAR(f.flux_dn(c, nlay), incident(input, c), this->rounding(1500)) << nlay;
      EXPECT_GT(f.flux_dn(c, 0), 0) << nlay;
      EXPECT_LT(f.flux_dn_clear(c, 0), incident(input, c)) << nlay;
    }
  }
}

TYPED_TEST(ShortwaveTest, AlbedosOfOneTwoAndAllBandsAgree) {
  for (bool const cloudy : {false, true}) {
    auto input = sunlit_columns(5, 16, nbnd_sw);
    if (cloudy) add_layer_clouds(input);
    for (int c = 0; c < 5; ++c)
      for (int b = 0; b < nbnd_sw; ++b) {
        input.columns.albedo_direct(c, b) = 0.1 * c;
        input.columns.albedo_diffuse(c, b) = 0.2 + 0.1 * c;
      }
    auto const all = this->solve(input);
    for (int const n : {1, 2}) {
      auto other = input;
      other.columns.albedo_direct = HostArray<double**>("albedo_direct", 5, n);
      other.columns.albedo_diffuse = HostArray<double**>("albedo_diffuse", 5, n);
      for (int c = 0; c < 5; ++c)
        for (int b = 0; b < n; ++b) {
          other.columns.albedo_direct(c, b) = 0.1 * c;
          other.columns.albedo_diffuse(c, b) = 0.2 + 0.1 * c;
        }
      expect_same_columns(all, this->solve(other), same, std::to_string(n) + " albedos");
    }
    // The first of two is that of the ultraviolet and visible.
    auto two = input;
    two.columns.albedo_direct = HostArray<double**>("albedo_direct", 5, 2);
    two.columns.albedo_diffuse = HostArray<double**>("albedo_diffuse", 5, 2);
    for (int c = 0; c < 5; ++c) {
      two.columns.albedo_direct(c, 0) = two.columns.albedo_diffuse(c, 0) = 0.9;
      for (int b = 0; b < nbnd_sw; ++b)
        input.columns.albedo_direct(c, b) = input.columns.albedo_diffuse(c, b) = fluxes::is_uvvis(b) ? 0.9 : 0;
    }
    expect_same_columns(this->solve(input), this->solve(two), same, "2 albedos that differ");
  }
}

TYPED_TEST(ShortwaveTest, AerosolOfNothingIsNone) {
  auto const clear = sunlit_columns(4, 16);
  auto const expected = this->solve(clear);
  auto nothing = clear;
  add_aerosol(nothing, 0.9);
  parhelion::assign_array(nothing.columns.aerosol_optical_depth, 0.0);
  expect_close(this->solve(nothing), expected, this->rounding(1400), "optical depth 0");
  auto off = clear;
  add_aerosol(off, 0.9);
  off.columns.aerosol_input = HostArray<int*>("input", 4);  // none
  expect_close(this->solve(off), expected, this->rounding(1400), "switched off");
  auto types = clear;
  types.columns.aerosol_550nm = HostArray<double***>("types", 4, 16, fluxes::naerosol);
  expect_close(this->solve(types), expected, this->rounding(1400), "types");
  parhelion::assign_array(types.columns.aerosol_550nm, 0.02);
  EXPECT_GT(largest_difference(this->solve(types).flux_dn, expected.flux_dn), 1);
}

TYPED_TEST(ShortwaveTest, BandFactorsScaleTheirBands) {
  auto input = sunlit_columns(3, 16);
  auto const plain = this->solve(input);
  input.columns.solar_band_factors = HostArray<double**>("factors", 3, nbnd_sw);
  for (int c = 0; c < 3; ++c)
    for (int b = 0; b < nbnd_sw; ++b) input.columns.solar_band_factors(c, b) = b == 4 ? 0 : b == 7 ? 2 : 1;
  auto const f = this->solve(input);
  for (int c = 0; c < 3; ++c)
    for (int b = 0; b < nbnd_sw; ++b)
      for (int k = 0; k <= 16; ++k)
        EXPECT_NEAR(f.flux_dn_band(c, k, b),
                    (b == 4   ? 0
                     : b == 7 ? 2
                              : 1) *
                        plain.flux_dn_band(c, k, b),
                    this->rounding(200));
}

// --- order of the work ----------------------------------------------------------------------------------------------

TYPED_TEST(ShortwaveTest, SubsetsOrderAndTuningGiveTheSameBits) {
  int const ncol = 13;
  for (auto const& [name, input] : all_kinds(ncol, 21)) {
    auto const all = this->solve(input);
    for (int const layers : {1, 3, 5, 21, 100})
      expect_same_columns(all, this->solve(input, {.layers_per_block = layers}), same,
                          name + ", layers_per_block = " + std::to_string(layers));
    // Clouds of layers depend on the number of their column.
    for (int const first : {0, 4, 12}) {
      auto const some = [&](int c) { return first + c; };
      auto part = columns_of(input, std::min(5, ncol - first), some);
      part.clouds.first_column = static_cast<std::uint32_t>(first);
      expect_same_columns(all, this->solve(part), some, name + ", from column " + std::to_string(first));
    }
    if (input.clouds.of_layers()) continue;
    auto const backwards = [&](int c) { return ncol - 1 - c; };
    expect_same_columns(all, this->solve(columns_of(input, ncol, backwards)), backwards, name + ", backwards");
  }
}

TYPED_TEST(ShortwaveTest, WhatIsAskedForDoesNotChangeTheRest) {
  for (auto const& [name, input] : all_kinds(4, 21)) {
    auto const all = this->solve(input);
    for (auto const& [what, outputs] : selections_of_shortwave())
      expect_part_of(all, this->solve(input, {}, outputs), name + ", " + what);
  }
}

// --- clouds ---------------------------------------------------------------------------------------------------------

// The clouds of g-points that a longwave solver would draw for its first g-points.
HostShortwaveInput with_drawn_clouds(HostShortwaveInput const& from) {
  ShortwaveHost const space;
  auto const& columns = from.columns;
  auto const& layers = from.clouds;
  int const ncol = columns.ncol(), nlay = columns.nlay();
  fluxes::HostColumns of_longwave;
  of_longwave.pressure_lay = columns.pressure_lay;
  of_longwave.temperature_lev = columns.temperature_lev;
  of_longwave.pressure_lev = columns.pressure_lev;
  of_longwave.temperature_lay = columns.temperature_lay;
  HostArray<double*> const length("length", ncol);
  parhelion::assign_array(length, fluxes::default_decorrelation_length);
  HostArray<double**> const correlation("correlation", ncol, nlay);
  fluxes::overlap_correlation(space, of_longwave, length, correlation);
  HostArray<std::uint8_t***> const cloudy("cloudy", ncol, nlay, fluxes::ngpt);
  fluxes::draw_subcolumns(space, layers.overlap, layers.seed, layers.first_column, layers.fraction, correlation,
                          cloudy);
  space.fence();
  HostShortwaveInput result(columns, fluxes::make_shortwave_gpoint_clouds<ShortwaveHost, double>(ncol, nlay, false));
  auto& clouds = result.clouds;
  clouds.ice_size = layers.ice_size;
  clouds.liquid_size = layers.liquid_size;
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k)
      for (int g = 0; g < ngpt_sw; ++g) {
        clouds.fraction_gpt(c, k, g) = cloudy(c, k, g);
        clouds.ice_path_gpt(c, k, g) = layers.ice_path(c, k);
        clouds.liquid_path_gpt(c, k, g) = layers.liquid_path(c, k);
      }
  return result;
}

TYPED_TEST(ShortwaveTest, SubcolumnsAreThoseOfTheLongwave) {
  for (Overlap const overlap : overlaps)
    for (std::uint32_t const first : {0U, 1000U}) {
      auto input = sunlit_columns(4, 37);
      add_layer_clouds(input, overlap);
      input.clouds.first_column = first;
      auto const f = this->solve(input);
      auto const drawn = this->solve(with_drawn_clouds(input));
      // One g-point whose layer is cloudy in one and not in the other changes fluxes by 0.1 W m-2 and more.
      expect_close(f, drawn, this->in_double ? this->rounding(1400) : 0.01, "overlap " + std::to_string(int(overlap)));
      EXPECT_GT(largest_difference(f.flux_dn, f.flux_dn_clear), 10);
    }
}

TYPED_TEST(ShortwaveTest, NoCloudsAreClearSky) {
  auto const clear = sunlit_columns(4, 20);
  auto const expected = this->solve(clear);
  auto of_layers = clear;
  add_layer_clouds(of_layers);
  parhelion::assign_array(of_layers.clouds.fraction, 0.0);
  auto of_gpoints = clear;
  add_optical_clouds(of_gpoints, 0.9);
  parhelion::assign_array(of_gpoints.clouds.fraction_gpt, 0.0);
  // Whatever the properties of a cloud are that is not there.
  parhelion::assign_array(of_gpoints.clouds.optical_depth_gpt, std::numeric_limits<double>::quiet_NaN());
  for (auto const& input : {of_layers, of_gpoints}) {
    auto const f = this->solve(input);
    EXPECT_TRUE(same_bits(f.flux_up, f.flux_up_clear));
    EXPECT_TRUE(same_bits(f.flux_dn, f.flux_dn_clear));
    EXPECT_TRUE(same_bits(f.flux_dn_direct, f.flux_dn_direct_clear));
    EXPECT_TRUE(same_bits(f.heating_rate, f.heating_rate_clear));
    EXPECT_TRUE(same_bits(f.flux_dn_uvvis, f.flux_dn_uvvis_clear));
    // Another kernel; the compiler of a device may contract its products and sums differently.
    if constexpr (runs_on_host<typename TypeParam::ExecutionSpace>)
      expect_same_columns(f, expected, same, "without clouds");
    else
      expect_close(f, expected, this->rounding(1400), "without clouds");
  }
}

TYPED_TEST(ShortwaveTest, FullCloudsDoNotDependOnTheOverlap) {
  HostShortwaveFluxes first;
  for (Overlap const overlap : overlaps) {
    auto input = sunlit_columns(3, 20);
    add_layer_clouds(input, overlap);
    parhelion::assign_array(input.clouds.fraction, 1.0);
    auto const f = this->solve(input);
    if (overlap == Overlap::random) first = f;
    expect_same_columns(first, f, same, "overlap " + std::to_string(int(overlap)));
  }
}

// --- the equations --------------------------------------------------------------------------------------------------

TYPED_TEST(ShortwaveTest, RandomColumnsMeetTheirEquationsInQuadPrecision) {
  if (quad_is_available() == 0) GTEST_SKIP() << "this compiler or C library has no quadruple precision";
  for (auto const two_stream : two_streams)
    for (auto const& [name, input] : all_kinds(6, 30)) {
      if (input.clouds.of_layers()) continue;  // they are those of g-points, see SubcolumnsAreThoseOfTheLongwave
      ShortwaveTuning const tuning{.two_stream = two_stream};
      auto const f = this->solve(input, tuning);
      auto const expected = ShortwaveLayers(input, synthetic_shortwave_coefficients()).in_quad(tuning, true);
      double const tolerance = this->in_double ? 1e-8 : 0.01;
      EXPECT_LE(largest_difference(f.flux_up, expected.flux_up), tolerance) << name;
      EXPECT_LE(largest_difference(f.flux_dn, expected.flux_dn), tolerance) << name;
      EXPECT_LE(largest_difference(f.flux_dn_direct, expected.flux_dn_direct), tolerance) << name;
      std::ostringstream noted;
      noted << std::max(largest_difference(f.flux_up, expected.flux_up),
                        largest_difference(f.flux_dn, expected.flux_dn));
      testing::Test::RecordProperty(name + ", two-stream " + std::to_string(int(two_stream)), noted.str());
    }
}

// --- behaviour ------------------------------------------------------------------------------------------------------

TYPED_TEST(ShortwaveTest, SolveIsAsynchronousAndAllocatesNothing) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const space = another_instance<Space>();
  fluxes::ShortwaveGasOptics<Space, Real> const model(space, synthetic_shortwave_coefficients());
  fluxes::Shortwave solver(space, model, {12});
  auto host = sunlit_columns(6, 12);
  add_layer_clouds(host);
  fluxes::ShortwaveInput<Space, Real> input;
  copy_described(host, input);
  auto const result = fluxes::make_shortwave_fluxes<Space, Real>(6, 12, everything);
  solver.solve(space, input, result);
  space.fence();
  expect_good_manners(watch([&] { solver.solve(space, input, result); }), space);
  space.fence();
}

TYPED_TEST(ShortwaveTest, BadNumbersAreReported) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Space const space;
  fluxes::ShortwaveGasOptics<Space, Real> const model(space, synthetic_shortwave_coefficients());
  fluxes::Shortwave solver(space, model, {12});
  auto const host = sunlit_columns(6, 12);
  auto const result = fluxes::make_shortwave_fluxes<Space, Real>(6, 12);
  auto const status = [&] {
    fluxes::ShortwaveInput<Space, Real> input;
    copy_described(host, input);
    solver.solve(space, input, result);
    return solver.status(space);
  };
  EXPECT_TRUE(status().good());
  host.columns.temperature_lay(4, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(status().first_not_finite, 4);
  EXPECT_TRUE(solver.status(space).good()) << "it has been told";
  host.columns.cos_zenith(2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(status().first_not_finite, 2) << "no number is no night";
}

TEST(Shortwave, ExtentsAreCheckedBeforeAnythingRuns) {
  using Model = fluxes::ShortwaveGasOptics<ShortwaveHost, double>;
  ShortwaveHost const space;
  Model const model(space, synthetic_shortwave_coefficients());
  fluxes::Shortwave<Model> solver(space, model, {12});
  auto const input = sunlit_columns(6, 12);
  EXPECT_EQ(
      message_of([&] { solver.solve(space, input, fluxes::make_shortwave_fluxes<ShortwaveHost, double>(6, 11)); }),
      "Shortwave::solve: flux_up has shape (6, 12), expected (6, 13)");
  auto const deep = sunlit_columns(6, 13);
  EXPECT_EQ(message_of([&] { solver.solve(space, deep, fluxes::make_shortwave_fluxes<ShortwaveHost, double>(6, 13)); }),
            "Shortwave::solve: pressure_lay has 13 layers, expected 1 to the 12 of the capacity");
  EXPECT_EQ(message_of([&] { fluxes::Shortwave<Model>(space, model, {0}); }),
            "Shortwave: capacity.nlay = 0, expected at least 1");
  EXPECT_EQ(message_of([&] { fluxes::Shortwave<Model>(space, model, {1}, {.gravity = -1}); }),
            "Shortwave: tuning.gravity = -1, expected a positive number, or 0 for that of the model");
}

}  // namespace
