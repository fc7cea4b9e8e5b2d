// SPDX-License-Identifier: BSD-3-Clause
// What must not change a spectrum: directions, the order and number of gases and channels, and how the work is cut.
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/model.hpp>

#include "comparisons.hpp"
#include "forward_testing.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

TYPED_TEST_SUITE(EgaForward, SpacesAndReals, PairName);

TYPED_TEST(EgaForward, TheLimbLooksTheSameFromAllSides) {
  for (bool const refraction : {false, true}) {
    auto problem = small_problem(3, 4);
    problem.options.refraction = refraction;
    auto const a = small_atmosphere(problem.gases);
    auto const north = limb_rays({8e3, 25e3});
    auto turned = [&](auto const& turn) {
      auto o = with_rays(north, {0, 1});
      for (int r = 0; r < o.nray(); ++r) turn(o, r);
      return this->solve(problem, a, o);
    };
    auto const spectra = this->solve(problem, a, north);
    // Coordinates are rounded to 1e-9 m, and 1e-9 m in pressure is 1e-13; in single precision it is rounding of some
    // hundred segments. The model takes gradients of refractivity for differences over 20 m along the axes, forwards:
    // 1e-3 of them depends on the direction, and so does as much of the bending by 1 % of the path.
    double const rounding = std::is_same_v<typename TestFixture::Real, float> ? 2e-5 : 1e-10;
    double const tolerance = refraction ? 1e-4 : rounding;
    expect_near(turned([](HostObservation& o, int r) { o.view_point.latitude(r) *= -1; }), spectra, tolerance, "south");
    expect_near(turned([](HostObservation& o, int r) {
                  o.view_point.longitude(r) = o.view_point.latitude(r);
                  o.view_point.latitude(r) = 0;
                }),
                spectra, tolerance, "east");
    expect_near(turned([](HostObservation& o, int r) {
                  o.observer.longitude(r) = o.view_point.longitude(r) = 77;
                  o.observer.latitude(r) = 30;
                  o.view_point.latitude(r) += 30;
                }),
                spectra, tolerance, "elsewhere");
  }
}

TYPED_TEST(EgaForward, TheOrderOfGasesDoesNotMatter) {
  auto const problem = small_problem(4, 9);
  auto const a = small_atmosphere(problem.gases);
  std::vector<int> const order{2, 0, 3, 1};
  auto const other = with_gases(problem, order);
  auto b = small_atmosphere(other.gases);
  for (int g = 0; g < 4; ++g)
    for (int l = 0; l < a.nlev(); ++l)
      b.mole_fraction(0, g, l) = a.mole_fraction(0, order[static_cast<std::size_t>(g)], l);
  auto const rays = limb_and_nadir();
  auto const spectra = this->solve(problem, a, rays);
  // Emissivities of a segment are put together in another order: some roundings a segment.
  expect_near(this->solve(other, b, rays), spectra, 4 * 300 * this->ulp);
}

TYPED_TEST(EgaForward, GasesWithoutTablesDoNotCount) {
  auto const three = small_problem(3, 12);
  auto const a = small_atmosphere(three.gases);
  auto const rays = limb_and_nadir();
  // Gas 1 has no tables at all.
  auto without = three;
  without.tables = [tables = three.tables](int g, int c) { return g == 1 ? EmissivityTable{} : tables(g, c); };
  auto const two = with_gases(three, {0, 2});
  auto b = small_atmosphere(two.gases);
  for (int l = 0; l < a.nlev(); ++l) b.mole_fraction(0, 1, l) = a.mole_fraction(0, 2, l);
  for (int l = 0; l < a.nlev(); ++l) b.mole_fraction(0, 0, l) = a.mole_fraction(0, 0, l);
  auto const all = this->solve(three, a, rays);
  auto const expected = this->solve(two, b, rays);
  expect_same(this->solve(without, a, rays), expected);
  // It has tables in some channels only.
  auto some = three;
  some.tables = [tables = three.tables](int g, int c) {
    return g == 1 && c % 3 == 0 ? EmissivityTable{} : tables(g, c);
  };
  auto const mixed = this->solve(some, a, rays);
  for (int r = 0; r < rays.nray(); ++r)
    for (int c = 0; c < 12; ++c) {
      auto const& like = c % 3 == 0 ? expected : all;
      EXPECT_EQ(mixed.radiance(r, c), like.radiance(r, c)) << r << ", " << c;
      EXPECT_EQ(mixed.transmittance(r, c), like.transmittance(r, c)) << r << ", " << c;
    }
}

TYPED_TEST(EgaForward, NamesOfGasesMayBeInSmallLetters) {
  auto const problem = small_problem(2, 1);
  auto a = small_atmosphere({"co2", "h2O"});
  auto const rays = limb_rays({10e3});
  expect_same(this->solve(problem, a, rays), this->solve(problem, small_atmosphere(problem.gases), rays));
}

TYPED_TEST(EgaForward, TheNumberOfChannelsDoesNotMatter) {
  auto const forty = small_problem(2, 40);
  auto const a = small_atmosphere(forty.gases);
  auto const rays = limb_and_nadir();
  std::vector<HostSpectra> alone;
  for (int c = 0; c < 40; ++c) alone.push_back(this->solve(with_channels(forty, {c}), a, rays));
  for (int n = 2; n <= 40; n += n < 20 ? 1 : 5) {
    std::vector<int> which;
    for (int c = 0; c < n; ++c) which.push_back(c);
    auto const spectra = this->solve(with_channels(forty, which), a, rays);
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < rays.nray(); ++r) {
        auto const& one = alone[static_cast<std::size_t>(c)];
        EXPECT_EQ(spectra.radiance(r, c), one.radiance(r, 0)) << r << ", " << c << " of " << n;
        EXPECT_EQ(spectra.transmittance(r, c), one.transmittance(r, 0)) << r << ", " << c << " of " << n;
      }
  }
}

TYPED_TEST(EgaForward, TablesMayHaveDifferentGrids) {
  for (Method const method : {Method::growth, Method::curtis_godson}) {
    auto problem = small_problem(2, 11);
    problem.options.method = method;
    TableSet tables(2);
    for (int c = 0; c < 11; ++c) {
      tables[0].push_back(
          small_table(io::synthetic_band(0, 700. + 7 * c),
                      {.npressure = 5 + c % 3, .highest_pressure_hPa = 1000. + c % 2, .ntemperature = 1 + c % 4}));
      tables[1].push_back(small_table(io::synthetic_band(1, 700. + 7 * c)));
    }
    // And pressures that do not all have the same temperatures.
    auto& uneven = tables[1][4];
    for (std::size_t curve = 0; curve < uneven.temperature.size(); ++curve)
      uneven.temperature[curve] += 0.1 * static_cast<double>(curve / 5);
    problem.tables = provider_of(tables);
    auto const a = small_atmosphere(problem.gases);
    auto const rays = limb_and_nadir();
    auto const spectra = this->solve(problem, a, rays);
    for (int c = 0; c < 11; ++c) {
      auto const one = this->solve(with_channels(problem, {c}), a, rays);
      for (int r = 0; r < rays.nray(); ++r) {
        EXPECT_EQ(spectra.radiance(r, c), one.radiance(r, 0)) << r << ", " << c;
        EXPECT_EQ(spectra.transmittance(r, c), one.transmittance(r, 0)) << r << ", " << c;
      }
    }
  }
}

/// A table whose curves have other column densities, and a part of their points: all, every second one or one alone.
EmissivityTable thinned(EmissivityTable const& all, int kind) {
  EmissivityTable table = all;
  table.first_point = {0};
  table.column_density.clear();
  table.emissivity.clear();
  for (std::size_t curve = 0; curve + 1 < all.first_point.size(); ++curve) {
    auto const first = all.first_point[curve];
    auto const last = all.first_point[curve + 1];
    auto const from = kind % 4 == 3 ? first + (last - first) / 2 : first;
    for (auto i = from; i < last; i += 1 + kind % 2) {
      auto const at = static_cast<std::size_t>(i);
      table.column_density.push_back(all.column_density[at] * static_cast<float>(1 + 0.03 * kind));
      table.emissivity.push_back(all.emissivity[at]);
      if (kind % 4 == 3) break;
    }
    table.first_point.push_back(static_cast<std::int64_t>(table.npoint()));
  }
  return table;
}

// Neighbours walk their tables in step, in packs of channels whose width divides their number or not. Each does what it
// does alone, in the same order: the bits are the same, unless a compiler contracts a product and a sum in one of the
// two only. Then each of some hundred segments rounds on its own, which adds up to ten roundings or so.
TYPED_TEST(EgaForward, NeighbouringChannelsMayHaveAnyTables) {
  constexpr int most = 33;
  for (bool const one_grid : {true, false})
    for (Method const method : {Method::growth, Method::curtis_godson}) {
      auto problem = small_problem(3, most);
      problem.options.method = method;
      TableSet tables(3);
      for (int g = 0; g < 3; ++g)
        for (int c = 0; c < most; ++c) {
          // A whole pack without tables of a gas, and single channels.
          bool const missing = (c + 2 * g) % 5 == 0 || (g == 1 && c / 8 == 1);
          SmallGrid grid;
          if (!one_grid) grid = {.npressure = 5 + c % 3, .ntemperature = 1 + (c + g) % 4};
          tables[static_cast<std::size_t>(g)].push_back(
              missing ? EmissivityTable{} : thinned(small_table(io::synthetic_band(g, 700. + 7 * c), grid), c + g));
        }
      problem.tables = provider_of(std::move(tables));
      auto const a = small_atmosphere(problem.gases);
      auto const rays = limb_and_nadir();
      std::vector<HostSpectra> alone;
      for (int c = 0; c < most; ++c) alone.push_back(this->solve(with_channels(problem, {c}), a, rays));
      for (int const n : {1, 7, 8, 9, 16, 17, 24, most}) {
        std::vector<int> which;
        for (int c = 0; c < n; ++c) which.push_back(c);
        auto const spectra = this->solve(with_channels(problem, which), a, rays);
        for (int c = 0; c < n; ++c)
          for (int r = 0; r < rays.nray(); ++r) {
            auto const& one = alone[static_cast<std::size_t>(c)];
            auto const what = std::to_string(r) + ", " + std::to_string(c) + " of " + std::to_string(n) +
                              (one_grid ? ", one grid" : ", several grids");
            EXPECT_NEAR(spectra.radiance(r, c), one.radiance(r, 0), 16 * this->ulp * one.radiance(r, 0)) << what;
            EXPECT_NEAR(spectra.transmittance(r, c), one.transmittance(r, 0), 16 * this->ulp) << what;
          }
      }
    }
}

// What is said before the run is what tables will take, lanes without a channel and (on hosts) reading included. A few
// channels stand for all, so it is near to that.
TYPED_TEST(EgaForward, BlocksOfChannelsFitTheLimit) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  constexpr int nchannel = 70;
  auto problem = small_problem(2, nchannel);
  for (auto& filter : problem.channels.filter) filter = problem.channels.filter.front();
  auto const table = small_table(io::synthetic_band(0, 700));
  problem.tables = [&](int, int) { return table; };
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_rays({20e3});
  auto options = this->options();
  HostEgaReport report;
  compute_spectra(with_channels(problem, {0}), a, rays, options, &report);
  auto const channel = report.table_bytes;
  for (int const channels : {2, 5, 9, 13, 17, 31, 33, 63, 65, 200}) {
    options.memory_limit = channel * static_cast<std::size_t>(channels);
    compute_spectra(problem, a, rays, options, &report);
    EXPECT_LE(report.table_bytes, options.memory_limit) << channels;
    // No less than a third of the room is used.
    EXPECT_GE(report.channels_per_block, std::min(nchannel, channels / 3)) << channels;
    EXPECT_EQ(report.channel_blocks, (nchannel + report.channels_per_block - 1) / report.channels_per_block);
    for (int first = 0; first < nchannel; first += report.channels_per_block) {
      int const last = std::min(nchannel, first + report.channels_per_block);
      EXPECT_LE((make_model<Space, Real>(Space(), problem, first, last).bytes()), options.memory_limit)
          << first << " to " << last << ", room for " << channels;
    }
  }
}

TYPED_TEST(EgaForward, ManyRaysHaveTheBitsOfFew) {
  using Space = typename TestFixture::Space;
  auto const problem = small_problem(1, 1);
  auto const a = small_atmosphere(problem.gases);
  // More than a device traces with all registers that a ray can use.
  int const nray = std::max(100, Space().concurrency() / 32);
  std::vector<double> altitudes(static_cast<std::size_t>(nray));
  for (std::size_t r = 0; r < altitudes.size(); ++r)
    altitudes[r] = 5e3 + 50e3 * static_cast<double>(r) / static_cast<double>(nray);
  auto const rays = limb_rays(altitudes);
  auto options = this->options();
  options.chunk = nray;
  auto const spectra = compute_spectra(problem, a, rays, options);
  options.chunk = nray / 10;
  expect_same(compute_spectra(problem, a, rays, options), spectra, "chunk");
}

TYPED_TEST(EgaForward, BitsDoNotDependOnHowTheWorkIsCut) {
  auto const problem = small_problem(3, 40);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  auto options = this->options();
  HostEgaReport report;
  auto const spectra = compute_spectra(problem, a, rays, options, &report);
  EXPECT_EQ(report.channel_blocks, 1);
  EXPECT_EQ(report.plan.chunk, rays.nray());
  EXPECT_EQ(report.channels_per_block, 40);
  EXPECT_EQ(report.plan.space, TestFixture::Space::name());
  expect_same(compute_spectra(problem, a, rays, options), spectra, "again");
  for (int const chunk : {1, 3, 100}) {
    options.chunk = chunk;
    expect_same(compute_spectra(problem, a, rays, options, &report), spectra, "chunk");
    EXPECT_EQ(report.plan.chunk, std::min(chunk, rays.nray()));
  }
  options.chunk = 3;
  // Both kinds of devices do 40 channels in two blocks of 32 lanes.
  std::size_t const channel = report.table_bytes / 64;
  for (std::size_t const channels : {39, 11, 5}) {
    options.memory_limit = channel * channels;
    expect_same(compute_spectra(problem, a, rays, options, &report), spectra, "limit of memory");
    EXPECT_GT(report.channel_blocks, 1);
    EXPECT_LE(report.channels_per_block, static_cast<int>(channels));
    EXPECT_LE(report.table_bytes, options.memory_limit);
  }
  // One by one and in another order.
  for (int r = 0; r < rays.nray(); ++r) {
    auto const one = this->solve(problem, a, with_rays(rays, {r}));
    EXPECT_TRUE(same_bits(one.radiance, Kokkos::subview(spectra.radiance, std::pair(r, r + 1), Kokkos::ALL))) << r;
    EXPECT_EQ(one.tangent.altitude(0), spectra.tangent.altitude(r));
    EXPECT_EQ(one.tangent.latitude(0), spectra.tangent.latitude(r));
  }
  auto const backwards = this->solve(problem, a, with_rays(rays, {6, 5, 4, 3, 2, 1, 0}));
  for (int r = 0; r < rays.nray(); ++r)
    for (int c = 0; c < 40; ++c) EXPECT_EQ(backwards.radiance(r, c), spectra.radiance(6 - r, c));
}

TEST(EgaForwardOnHosts, BitsDoNotDependOnTheNumberOfThreads) {
  auto const problem = small_problem(3, 10);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  auto const names = execution_space_names();
  std::vector<HostSpectra> found;
  for (std::string const space : {"Serial", "OpenMP", "Threads"})
    if (std::find(names.begin(), names.end(), space) != names.end())
      found.push_back(compute_spectra(problem, a, rays, {.space = space}));
  for (auto const& spectra : found) expect_same(spectra, found.front());
}

TYPED_TEST(EgaForward, ProfilesAreThoseOfTheirRays) {
  auto const problem = small_problem(2, 9);
  auto const one = small_atmosphere(problem.gases);
  auto const three = repeat(one, 3);
  for (int p = 0; p < 3; ++p)
    for (int l = 0; l < one.nlev(); ++l) three.temperature(p, l) += 3 * p;
  auto rays = limb_and_nadir();
  rays.profile = HostArray<int*>("profile", rays.nray());
  for (int r = 0; r < rays.nray(); ++r) rays.profile(r) = r % 3;
  auto const spectra = this->solve(problem, three, rays);
  for (int r = 0; r < rays.nray(); ++r) {
    auto const own = repeat(one, 1);
    for (int l = 0; l < one.nlev(); ++l) own.temperature(0, l) += 3 * (r % 3);
    auto const alone = this->solve(problem, own, with_rays(rays, {r}));
    for (int c = 0; c < 9; ++c) EXPECT_EQ(spectra.radiance(r, c), alone.radiance(0, c)) << r << ", " << c;
  }
}

TYPED_TEST(EgaForward, PressuresMayBeMadeHydrostaticFirst) {
  auto problem = small_problem(2, 3);
  auto const a = small_atmosphere(problem.gases);
  auto const balanced = repeat(a, 1);
  make_hydrostatic(balanced, 20e3);
  auto const rays = limb_and_nadir();
  auto const expected = this->solve(problem, balanced, rays);
  problem.options.hydrostatic_reference = 20e3;
  auto const before = a.pressure(0, 5);
  expect_same(this->solve(problem, a, rays), expected);
  EXPECT_EQ(a.pressure(0, 5), before) << "the input changed";
  EXPECT_NE(balanced.pressure(0, 5), before);
}

}  // namespace
