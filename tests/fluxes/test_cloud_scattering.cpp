// SPDX-License-Identifier: BSD-3-Clause
#include "rrtmg_sw/cloud_scattering.hpp"

#include "rrtmg_sw/reference_tables.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/io/hdf5.hpp>

#include "testing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::fluxes;
using namespace parhelion::fluxes::rrtmg_sw;

template <class Pair>
struct CloudScatteringTest : testing::Test {};
TYPED_TEST_SUITE(CloudScatteringTest, Testing::SpacesAndReals, Testing::PairName);

using Bands = std::vector<ParticleScattering<double>>;

// What a kernel finds in all bands: function(band).
template <class Space, class Function>
Bands in_kernel(Function const& function) {
  using Particles = decltype(function(0));
  Array<Particles*, Space> const device("scattering", nbnd_sw);
  Kokkos::parallel_for(
      "scattering", Kokkos::RangePolicy<Space>(0, nbnd_sw), KOKKOS_LAMBDA(int band) { device(band) = function(band); });
  auto const host = parhelion::host_copy(device);
  Bands result;
  for (std::size_t b = 0; b < nbnd_sw; ++b)
    result.push_back({host(b).extinction, host(b).absorption, host(b).scattering, host(b).asymmetric_scattering});
  return result;
}

template <class Space, class Real>
Bands of(CloudScattering<Space, Real> const& optics, IceOptics kind, double micrometres) {
  auto const size = static_cast<Real>(micrometres * 1e-6);
  return in_kernel<Space>(KOKKOS_LAMBDA(int band) { return optics.of_ice(kind, size, band); });
}
template <class Space, class Real>
Bands of(CloudScattering<Space, Real> const& optics, LiquidOptics kind, double micrometres) {
  auto const size = static_cast<Real>(micrometres * 1e-6);
  return in_kernel<Space>(KOKKOS_LAMBDA(int band) { return optics.of_liquid(kind, size, band); });
}

template <class Real>
using Depths = Kokkos::Array<Real, naerosol>;

template <class Space, class Real>
Bands of(AerosolScattering<Space, Real> const& optics, Depths<Real> const& depths) {
  return in_kernel<Space>(KOKKOS_LAMBDA(int band) {
    return optics.of_types([&](int type) { return depths[static_cast<std::size_t>(type)]; }, band);
  });
}

// Particles before delta scaling, and the fraction of what they scatter that goes straight on.
struct Plain {
  double extinction;  // [m2 g-1]
  double albedo;
  double asymmetry;
  double forward;
};

Plain of_table(auto const& tables, std::size_t band, std::size_t lower, double part) {
  auto const between = [&](auto const& table) {
    return table[band][lower] + part * (table[band][lower + 1] - table[band][lower]);
  };
  double const asymmetry = between(tables.asymmetry);
  return {between(tables.extinction), between(tables.albedo), asymmetry, asymmetry * asymmetry};
}

// As the description of RRTMG_SW has it, with indices from 1.
Plain plain(IceOptics kind, double size, std::size_t band) {
  if (kind == IceOptics::broad_bands) {
    std::size_t const number = band + 16;
    std::size_t const interval = number >= 24 && number <= 28   ? 1
                                 : number == 22 || number == 23 ? 2
                                 : number == 20 || number == 21 ? 3
                                 : number == 18 || number == 19 ? 4
                                                                : 5;
    auto const& of = ebert_curry[interval - 1];
    double const asymmetry = of.e + of.f * size;
    return {of.a + of.b / size, 1 - of.c - of.d * size, asymmetry, asymmetry * asymmetry};
  }
  double const x = (size - 2) / 3;
  int index = static_cast<int>(x);
  if (kind == IceOptics::streamer) {
    if (index == 43) index = 42;
    return of_table(ice_streamer, band, static_cast<std::size_t>(index - 1), x - index);
  }
  if (index == 46) index = 45;
  auto const lower = static_cast<std::size_t>(index - 1);
  Plain result = of_table(ice_fu, band, lower, x - index);
  double const delta = fu_forward[band][lower] + (x - index) * (fu_forward[band][lower + 1] - fu_forward[band][lower]);
  result.forward = std::min(delta + 0.5 / result.albedo, result.asymmetry);
  return result;
}

Plain plain(LiquidOptics, double size, std::size_t band) {
  int index = static_cast<int>(size - 1.5);
  if (index == 0) index = 1;
  if (index == 58) index = 57;
  return of_table(liquid_hu_stamnes, band, static_cast<std::size_t>(index - 1), size - 1.5 - index);
}

TYPED_TEST(CloudScatteringTest, IsThatOfTheFormulas) {
  using Real = typename TypeParam::Real;
  auto const optics = make_cloud_scattering<typename TypeParam::ExecutionSpace, Real>({});
  // In float a size has an error of 1e-7, and differences of tables and 1 - f some digits less.
  double const relative = std::is_same_v<Real, double> ? 1e-12 : 1e-5;
  auto const compare = [&](auto kind, std::vector<double> const& sizes) {
    for (double const size : sizes) {
      auto const mine = of(optics, kind, size);
      for (std::size_t band = 0; band < nbnd_sw; ++band) {
        SCOPED_TRACE("size " + std::to_string(size) + ", band " + std::to_string(band + 16));
        Plain const expected = plain(kind, size, band);
        double const kilogram = 1000 * expected.extinction;
        EXPECT_NEAR(mine[band].extinction, kilogram, relative * kilogram);
        // The albedo of the tables has seven digits: what it rounds away in 1 - albedo is no error.
        double const absorption = kilogram * (1 - expected.albedo);
        EXPECT_NEAR(mine[band].absorption, absorption, relative * std::abs(absorption) + 1e-15 * kilogram);
        double const scattering = kilogram * expected.albedo * (1 - expected.forward);
        EXPECT_NEAR(mine[band].scattering, scattering, relative * scattering);
        double const asymmetric = kilogram * expected.albedo * (expected.asymmetry - expected.forward);
        EXPECT_NEAR(mine[band].asymmetric_scattering, asymmetric, relative * scattering);
        // The sums of RRTMG_SW, for this kind of particles alone.
        double const scaled_albedo =
            expected.albedo * (1 - expected.forward) / (1 - expected.forward * expected.albedo);
        double const scaled_depth = kilogram * (1 - expected.forward * expected.albedo);
        EXPECT_NEAR(mine[band].absorption + mine[band].scattering, scaled_depth, relative * scaled_depth);
        EXPECT_NEAR(mine[band].scattering, scaled_albedo * scaled_depth, relative * scattering);
        EXPECT_GE(mine[band].asymmetric_scattering, 0);
      }
    }
  };
  compare(IceOptics::broad_bands, {13, 29.5, 78, 130});
  compare(IceOptics::streamer, {5, 5.75, 8.5, 64.25, 127.5, 130, 131});
  compare(IceOptics::fu, {5, 6.5, 73.25, 136, 139, 140});
  compare(LiquidOptics::hu_stamnes, {2.5, 2.75, 10.1, 33.6, 58.75, 59.25, 60});
}

// An ice crystal's co-albedo of a few 1e-7 in visible light has all the digits of float.
TYPED_TEST(CloudScatteringTest, WeakAbsorptionKeepsItsDigits) {
  using Real = typename TypeParam::Real;
  auto const optics = make_cloud_scattering<typename TypeParam::ExecutionSpace, Real>({});
  constexpr std::size_t visible = 25 - 16;
  for (double const size : {5., 50., 131.}) {
    auto const particles = of(optics, IceOptics::streamer, size)[visible];
    Plain const expected = plain(IceOptics::streamer, size, visible);
    double const co_albedo = 1 - expected.albedo;
    ASSERT_GT(co_albedo, 0);
    ASSERT_LT(co_albedo, 1e-4);
    double const relative = std::is_same_v<Real, double> ? 1e-8 : 1e-5;
    EXPECT_NEAR(particles.absorption / particles.extinction / co_albedo, 1, relative);
  }
}

TYPED_TEST(CloudScatteringTest, OpticalDepthsAreThoseOfTheReferenceModel) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_sw/debug_sw_a.nc");
  PARHELION_REQUIRE_DATA(tables, "rrtmg_sw/rrtmg_sw_tables.nc");
  using Real = typename TypeParam::Real;
  io::Hdf5File const file(path);
  auto const optics = make_cloud_scattering<typename TypeParam::ExecutionSpace, Real>({});
  auto const band_of = io::Hdf5File(tables).read("band_of_gpt");
  auto const shape = file.shape("taucmc");
  auto const ice = file.read("iceflgsw"), liquid = file.read("liqflgsw"), fraction = file.read("cldfmcl"),
             ice_path = file.read("ciwpmcl"), liquid_path = file.read("clwpmcl"), ice_size = file.read("reicmcl"),
             liquid_size = file.read("relqmcl"), depth = file.read("taucmc"), albedo = file.read("ssacmc"),
             asymmetry = file.read("asmcmc"), unscaled = file.read("taormc");
  std::size_t clouds = 0;
  double worst = 0;
  std::size_t const column = 1;  // the other is clear
  for (std::size_t layer = 0; layer < shape[1]; ++layer) {
    std::size_t const at = column * shape[1] + layer;
    Bands const none(nbnd_sw);
    Bands const of_ice =
        ice_size[at] > 0 ? of(optics, ice_optics(static_cast<int>(ice[column]), "test"), ice_size[at]) : none;
    Bands const of_liquid = liquid_size[at] > 0
                                ? of(optics, liquid_optics(static_cast<int>(liquid[column]), "test"), liquid_size[at])
                                : none;
    for (std::size_t g = 0; g < shape[2]; ++g) {
      std::size_t const i = at * shape[2] + g;
      if (fraction[i] == 0) continue;
      ASSERT_EQ(fraction[i], 1);
      auto const band = static_cast<std::size_t>(band_of[g]) - 16;
      auto const sum = [&](auto member) {
        return 1e-3 * (ice_path[i] * of_ice[band].*member + liquid_path[i] * of_liquid[band].*member);
      };
      using Particles = ParticleScattering<double>;
      double const absorbed = sum(&Particles::absorption), scattered = sum(&Particles::scattering);
      double const asymmetric = sum(&Particles::asymmetric_scattering), all = sum(&Particles::extinction);
      ++clouds;
      auto const compare = [&](double mine, double other) {
        worst = std::max(worst, std::abs(mine - other) / std::abs(other));
      };
      compare(absorbed + scattered, depth[i]);
      compare(scattered / (absorbed + scattered), albedo[i]);
      compare(asymmetric / scattered, asymmetry[i]);
      compare(all, unscaled[i]);
    }
  }
  EXPECT_GT(clouds, 300U);
  EXPECT_LT(worst, (std::is_same_v<Real, double> ? 1e-12 : 1e-5));
}

TYPED_TEST(CloudScatteringTest, AerosolIsTheSumOfItsTypes) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const optics = make_aerosol_scattering<Space, Real>({});
  double const relative = std::is_same_v<Real, double> ? 1e-13 : 2e-6;
  auto const compare = [&](Depths<Real> const& depths) {
    auto const mine = of(optics, depths);
    for (std::size_t band = 0; band < nbnd_sw; ++band) {
      double depth = 0, scattering = 0, asymmetric = 0;
      for (std::size_t type = 0; type < naerosol; ++type) {
        double const of_type = double(depths[type]) * aerosol_types.extinction[type][band];
        depth += of_type;
        scattering += of_type * aerosol_types.albedo[type][band];
        asymmetric += of_type * aerosol_types.albedo[type][band] * aerosol_types.asymmetry[type][band];
      }
      EXPECT_NEAR(mine[band].extinction, depth, relative * depth);
      EXPECT_NEAR(mine[band].absorption, depth - scattering, relative * (depth - scattering) + 1e-15 * depth);
      EXPECT_NEAR(mine[band].scattering, scattering, relative * scattering);
      EXPECT_NEAR(mine[band].asymmetric_scattering, asymmetric, relative * asymmetric);
    }
  };
  compare({{Real(0.1), Real(0.02), Real(0.3), Real(0.05), Real(0.01), Real(0.004)}});
  compare({{0, 0, 0, 0, 0, 0}});
  for (std::size_t type = 0; type < naerosol; ++type) {
    Depths<Real> depths = {{0, 0, 0, 0, 0, 0}};
    depths[type] = Real(0.5);
    compare(depths);
  }
}

}  // namespace
