// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/scattering.hpp>

#include <parhelion/core/copies.hpp>
#include <parhelion/core/quadrature.hpp>

#include "kokkos_manners.hpp"
#include "reference.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::adding;
using Testing::largest_difference;
using Testing::Numbers;
using Testing::ReferenceGroup;

char const* const groups[] = {"s2g", "s2v", "s4g", "s4v", "s8g", "s8v", "s16g", "s16v"};
Strategy const strategies[] = {Strategy::sweep, Strategy::team_scan};

template <class Space, class Real>
Capacity capacity_of(Profiles<Space, Real> const& p) {
  return {.nprofile = p.nprofile(), .nlay = p.nlay(), .nangle = p.nangle(), .nphase = p.nphase()};
}

template <class Space, class Real>
Scattering<Space, Real> solver_for(Space const& space, Profiles<Space, Real> const& profiles,
                                   Strategy strategy = Strategy::automatic) {
  return Scattering<Space, Real>(space, {}, capacity_of(profiles), {.strategy = strategy});
}

/// The tangent-linear radiances at the top.
template <class Space, class Real>
void solve_tangent(Space const& space, Profiles<Space, Real> const& profiles, Perturbation<Space, Real> const& change,
                   ProfileArray<Real**, Space> const& tangent, Strategy strategy = Strategy::automatic) {
  auto solver = solver_for(space, profiles, strategy);
  solver.solve(space, AddingInput<Space, Real>(profiles, change), AddingResult<Space, Real>({}, tangent));
  space.fence();
}

/// The derivatives.
template <class Space, class Real>
void solve_adjoint(Space const& space, Profiles<Space, Real> const& profiles,
                   ProfileArray<Real const**, Space> const& seed, Perturbation<Space, Real> const& derivative,
                   Strategy strategy = Strategy::automatic) {
  auto solver = solver_for(space, profiles, strategy);
  solver.solve(space, AddingInput<Space, Real>(profiles, {}, seed), AddingResult<Space, Real>({}, {}, derivative));
  space.fence();
}

template <class Space, class Real>
Radiances<Space, Real> make_radiances(Profiles<Space, Real> const& p) {
  return {.toa = ProfileArray<Real**, Space>("parhelion::toa", p.nprofile(), p.nangle()),
          .up = ProfileArray<Real***, Space>("parhelion::up", p.nprofile(), p.nlev(), p.nangle()),
          .dn = ProfileArray<Real***, Space>("parhelion::dn", p.nprofile(), p.nlev(), p.nangle()),
          .up_emergent = ProfileArray<Real***, Space>("parhelion::up_emergent", p.nprofile(), p.nlev(), p.nangle())};
}

template <class Real>
inline constexpr bool is_double = std::is_same_v<Real, double>;

// A number in [0, 1) that depends on the key only.
double random_number(std::uint64_t key) {
  key = (key + 1) * 0x9e3779b97f4a7c15ULL;
  key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((key ^ (key >> 31U)) >> 11U) * 0x1p-53;
}

// Profiles as plain numbers, to be changed and copied to any device. Layer 0 is next to the surface.
struct Case {
  int nprofile, nlay, nangle, nphase;
  Numbers depth, albedo, planck, phase, mu, weight, planck_sfc, emissivity, reflectivity, cosmic, cos_sun, irradiance,
      direct, forward, backward;

  template <class Space, class Real>
  Profiles<Space, Real> profiles() const {
    Profiles<Space, Real> p;
    auto const fill = [](auto& view, Numbers const& numbers) {
      view = Testing::to_view<std::decay_t<decltype(view)>>(numbers);
    };
    fill(p.optical_depth, depth);
    fill(p.single_scattering_albedo, albedo);
    fill(p.planck, planck);
    fill(p.phase, phase);
    fill(p.mu, mu);
    fill(p.weight, weight);
    fill(p.planck_sfc, planck_sfc);
    fill(p.emissivity, emissivity);
    fill(p.reflectivity, reflectivity);
    fill(p.cosmic, cosmic);
    fill(p.cos_sun, cos_sun);
    fill(p.solar_irradiance, irradiance);
    fill(p.direct_reflectivity, direct);
    fill(p.phase_forward, forward);
    fill(p.phase_backward, backward);
    return p;
  }
};

template <class Function>
Numbers numbers(std::vector<std::size_t> extents, Function const& function) {
  std::size_t size = 1;
  for (std::size_t const n : extents) size *= n;
  Numbers result{std::vector<double>(size), std::move(extents)};
  for (std::size_t i = 0; i < size; ++i) result.values[i] = function(i);
  return result;
}

// Random phase matrices that conserve energy, a surface that reflects into all directions without creating energy, two
// matrices a profile, one layer in five without scattering, a view angle of weight 0 at the end, and a sun.
Case random_case(int nprofile, int nlay, int ngauss, double thinnest, double thickest, std::uint64_t seed = 0) {
  Case c;
  auto const rule = gauss_legendre(ngauss, 0, 1);
  int const n = ngauss + 1;
  auto const random = [seed](std::size_t i, int salt) { return random_number(16 * (i + 1000003 * seed) + salt); };
  auto const np = static_cast<std::size_t>(nprofile);
  auto const nl = static_cast<std::size_t>(nlay);
  auto const na = static_cast<std::size_t>(n);
  c.nprofile = nprofile;
  c.nlay = nlay;
  c.nangle = n;
  c.nphase = 2;
  double const range = std::log(thickest / thinnest);
  c.depth = numbers({np, nl}, [&](std::size_t i) { return thinnest * std::exp(range * random(i, 0)); });
  // From 0 to 1 with both ends and what lies next to them.
  c.albedo = numbers({np, nl}, [&](std::size_t i) {
    double const kind = random(i, 1);
    double const value = random(i, 2);
    if (kind < 0.1) return 0.;
    if (kind < 0.2) return 1.;
    if (kind < 0.4) return std::pow(10., -12 * value);
    if (kind < 0.6) return 1 - std::pow(10., -12 * value);
    return value;
  });
  c.planck = numbers({np, nl}, [&](std::size_t i) { return 100 * random(i, 3); });
  c.phase = numbers({np, nl}, [&](std::size_t i) { return std::floor(2.5 * random(i, 4)) - (i % 5 == 4 ? 10 : 0); });
  for (double& m : c.phase.values) m = m < 0 ? -1 : std::min(m, 1.);
  c.mu = numbers({np, na}, [&](std::size_t i) {
    return i % na < rule.nodes.size() ? rule.nodes[i % na] : 0.05 + 0.9 * random(i, 5);
  });
  c.weight = numbers({np, na}, [&](std::size_t i) { return i % na < rule.weights.size() ? rule.weights[i % na] : 0; });
  c.planck_sfc = numbers({np}, [&](std::size_t i) { return 50 + 100 * random(i, 6); });
  c.emissivity = numbers({np, na}, [&](std::size_t i) { return 0.4 + 0.6 * random(i, 7); });
  c.reflectivity = numbers({np, na, na}, [&](std::size_t i) {
    std::size_t const in = i % na;
    std::size_t const row = i / na;
    return (1 - c.emissivity.values[row]) * (in < rule.weights.size() ? 2 * rule.weights[in] * rule.nodes[in] : 0);
  });
  c.cosmic = numbers({np}, [&](std::size_t i) { return random(i, 8); });
  c.cos_sun = numbers({np}, [&](std::size_t i) { return 0.05 + 0.95 * random(i, 9); });
  c.irradiance = numbers({np}, [&](std::size_t i) { return i % 2 == 0 ? 500 * random(i, 10) : 0; });
  c.direct = numbers({np, na}, [&](std::size_t i) { return 0.3 * random(i, 11); });
  c.forward = numbers({np, 2, na, na + 1}, [&](std::size_t i) { return 0.05 + random(i, 12); });
  c.backward = numbers({np, 2, na, na + 1}, [&](std::size_t i) { return 0.05 + random(i, 13); });
  for (std::size_t row = 0; row < np * 2 * na; ++row) {
    double sum = 0;
    for (std::size_t j = 0; j < rule.weights.size(); ++j)
      sum += rule.weights[j] * (c.forward.values[row * (na + 1) + j] + c.backward.values[row * (na + 1) + j]);
    for (std::size_t j = 0; j <= na; ++j) {
      c.forward.values[row * (na + 1) + j] /= sum;
      c.backward.values[row * (na + 1) + j] /= sum;
    }
  }
  return c;
}

template <class Space, class Real>
Numbers toa_of(Case const& c, Strategy strategy = Strategy::sweep) {
  Space const space;
  auto const profiles = c.profiles<Space, Real>();
  auto solver = solver_for(space, profiles, strategy);
  ProfileArray<Real**, Space> const toa("parhelion::toa", c.nprofile, c.nangle);
  solver.solve(space, profiles, Radiances<Space, Real>{.toa = toa});
  space.fence();
  return Testing::to_numbers(toa);
}

template <class Pair>
class Scattered : public testing::Test {};
TYPED_TEST_SUITE(Scattered, Testing::SpacesAndReals, Testing::PairName);

// Measured: 6.5e-13 in double. In float the input itself is rounded: where albedos are 0.999999 the absorption is
// known to 3 % then, which is what 1.1e-4 comes from.
TYPED_TEST(Scattered, AgreesWithQuadPrecision) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  PARHELION_REQUIRE_DATA(path, "ada/scatter.h5");
  double const tolerance = is_double<Real> ? 2e-12 : 2e-4;
  // Downward radiances near the top may consist of the cosmic 1e-10 only, which float cannot resolve.
  double const least = is_double<Real> ? 1e-300 : 1e-3;
  Space const space;
  for (char const* const name : groups) {
    ReferenceGroup const group(path, name);
    auto const profiles = Testing::scattering_profiles<Space, Real>(group);
    for (auto const strategy : strategies) {
      auto solver = solver_for(space, profiles, strategy);
      auto const radiances = make_radiances(profiles);
      solver.solve(space, profiles, radiances);
      space.fence();
      EXPECT_LT(largest_difference(Testing::to_numbers(radiances.up_emergent), group.flipped("rad_up_quad")), tolerance)
          << name;
      EXPECT_LT(largest_difference(Testing::to_numbers(radiances.up), group.flipped("full_up_quad")), tolerance)
          << name;
      EXPECT_LT(largest_difference(Testing::to_numbers(radiances.dn), group.flipped("full_dn_quad"), least), tolerance)
          << name;
    }
  }
}

// The associative scan is as accurate as adding layer by layer, compared with quad precision.
TYPED_TEST(Scattered, ScansLoseNoMoreThanTheSweep) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  PARHELION_REQUIRE_DATA(path, "ada/scatter.h5");
  double const epsilon = std::numeric_limits<Real>::epsilon();
  Space const space;
  for (char const* const name : groups) {
    ReferenceGroup const group(path, name);
    auto const profiles = Testing::scattering_profiles<Space, Real>(group);
    auto const error = [&](Strategy strategy) {
      auto solver = solver_for(space, profiles, strategy);
      auto const radiances = make_radiances(profiles);
      solver.solve(space, profiles, radiances);
      space.fence();
      return largest_difference(Testing::to_numbers(radiances.up), group.flipped("full_up_quad"));
    };
    double const sweep = error(Strategy::sweep);
    EXPECT_LT(error(Strategy::team_scan), 2 * sweep + 100 * epsilon) << name;
  }
}

// A hundred layers, ten thousand profiles: a million layers of any optical depth and albedo.
TYPED_TEST(Scattered, IsFiniteForAMillionRandomLayers) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const c = random_case(1000, 100, 3, 1e-12, 1e4);
  Space const space;
  for (auto const strategy : strategies) {
    // Ten times another thousand profiles would need ten times the memory at a time.
    for (int part = 0; part < (strategy == Strategy::sweep ? 10 : 1); ++part) {
      auto const profiles =
          (part == 0 ? c : random_case(1000, 100, 3, 1e-12, 1e4, part)).template profiles<Space, Real>();
      auto solver = solver_for(space, profiles, strategy);
      auto const radiances = make_radiances(profiles);
      solver.solve(space, profiles, radiances);
      space.fence();
      // Upper bound: the brightest surface or layer, and the sun's 500 / pi scattered by bright matrices.
      auto const is_sound = [](auto const& view) {
        auto const found = Testing::to_numbers(view);
        int bad = 0;
        for (double const x : found.values) bad += std::isfinite(x) && x >= 0 && x < 5000 ? 0 : 1;
        EXPECT_EQ(bad, 0);
      };
      is_sound(radiances.up);
      is_sound(radiances.dn);
      is_sound(radiances.up_emergent);
    }
  }
}

TYPED_TEST(Scattered, IsothermalColumnIsBlack) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  // Everything at one temperature and no sun: the radiance is Planck's at every level and angle.
  auto c = random_case(40, 30, 4, 1e-6, 100);
  for (double& x : c.planck.values) x = 70;
  for (double& x : c.planck_sfc.values) x = 70;
  for (double& x : c.cosmic.values) x = 70;
  for (double& x : c.irradiance.values) x = 0;
  auto const na = static_cast<std::size_t>(c.nangle);
  for (std::size_t row = 0; row < c.emissivity.values.size(); ++row) {
    double sum = 0;
    for (std::size_t j = 0; j < na; ++j) sum += c.reflectivity.values[row * na + j];
    c.emissivity.values[row] = 1 - sum;
  }
  Space const space;
  auto const profiles = c.profiles<Space, Real>();
  for (auto const strategy : strategies) {
    auto solver = solver_for(space, profiles, strategy);
    auto const radiances = make_radiances(profiles);
    solver.solve(space, profiles, radiances);
    space.fence();
    // Thirty layers that each turn over a radiance of 70 with a rounding or two, and more where it bounces between
    // them.
    double const tolerance = (is_double<Real> ? 1e-11 : 1e-4);
    auto const is_black = [&](auto const& view) {
      for (double const x : Testing::to_numbers(view).values) EXPECT_NEAR(x / 70, 1, tolerance);
    };
    is_black(radiances.up);
    is_black(radiances.dn);
  }
}

TYPED_TEST(Scattered, TransparentLayerChangesNothing) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto c = random_case(9, 8, 3, 1e-3, 10);
  // A layer of no optical depth in place of the fourth, whatever its albedo and temperature.
  auto const with = [&](double depth, double albedo, double planck) {
    auto d = c;
    for (int p = 0; p < c.nprofile; ++p) {
      d.depth.values[p * c.nlay + 3] = depth;
      d.albedo.values[p * c.nlay + 3] = albedo;
      d.planck.values[p * c.nlay + 3] = planck;
      d.phase.values[p * c.nlay + 3] = 0;
    }
    return toa_of<Space, Real>(d);
  };
  auto const none = with(0, 0, 0);
  EXPECT_LT(largest_difference(with(0, 0.7, 30), none), is_double<Real> ? 1e-14 : 1e-5);
  EXPECT_GT(largest_difference(with(0.1, 0.7, 30), none), 1e-4);
}

TYPED_TEST(Scattered, LayersOfOneKindMayBeCut) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  // A layer in two of half the optical depth: the same column.
  auto const c = random_case(12, 7, 4, 1e-4, 20);
  auto cut = c;
  cut.nlay = 2 * c.nlay;
  for (auto const member : {&Case::depth, &Case::albedo, &Case::planck, &Case::phase})
    cut.*member =
        numbers({static_cast<std::size_t>(c.nprofile), static_cast<std::size_t>(cut.nlay)},
                [&](std::size_t i) { return (c.*member).values[i / 2] * (member == &Case::depth ? 0.5 : 1); });
  EXPECT_LT(largest_difference(toa_of<Space, Real>(cut), toa_of<Space, Real>(c)), is_double<Real> ? 1e-11 : 2e-4);
}

TYPED_TEST(Scattered, SurfaceIsAtLayerZero) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  // An opaque layer hides what is below it and nothing else.
  auto c = random_case(4, 6, 3, 0.1, 0.2);
  for (double& x : c.irradiance.values) x = 0;
  for (int p = 0; p < c.nprofile; ++p) {
    c.depth.values[p * c.nlay + 2] = 1000;
    c.albedo.values[p * c.nlay + 2] = 0;
  }
  auto const before = toa_of<Space, Real>(c);
  auto below = c;
  auto above = c;
  for (int p = 0; p < c.nprofile; ++p) {
    below.planck.values[p * c.nlay + 1] += 50;
    below.planck_sfc.values[p] += 50;
    above.planck.values[p * c.nlay + 3] += 50;
  }
  EXPECT_LT(largest_difference(toa_of<Space, Real>(below), before), 1e-30);
  EXPECT_GT(largest_difference(toa_of<Space, Real>(above), before), 1e-2);
}

TYPED_TEST(Scattered, SameBitsWhateverElseIsSolved) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const c = random_case(21, 17, 4, 1e-6, 50);
  for (auto const strategy : strategies) {
    auto const all = toa_of<Space, Real>(c, strategy);
    EXPECT_EQ((toa_of<Space, Real>(c, strategy)).values, all.values);
    // Profiles 3 to 12 alone.
    auto part = c;
    part.nprofile = 10;
    auto const cut = [](Numbers& numbers) {
      std::size_t const each = numbers.values.size() / numbers.extents[0];
      numbers.values = {numbers.values.begin() + 3 * each, numbers.values.begin() + 13 * each};
      numbers.extents[0] = 10;
    };
    for (auto const member : {&Case::depth, &Case::albedo, &Case::planck, &Case::phase, &Case::mu, &Case::weight,
                              &Case::planck_sfc, &Case::emissivity, &Case::reflectivity, &Case::cosmic, &Case::cos_sun,
                              &Case::irradiance, &Case::direct, &Case::forward, &Case::backward})
      cut(part.*member);
    auto expected = all;
    cut(expected);
    EXPECT_EQ((toa_of<Space, Real>(part, strategy)).values, expected.values);
  }
}

TYPED_TEST(Scattered, LargeMatricesFitTheDevice) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const c = random_case(3, 12, 32, 1e-3, 30);
  auto const sweep = toa_of<Space, Real>(c, Strategy::sweep);
  for (double const x : sweep.values) EXPECT_TRUE(std::isfinite(x));
  EXPECT_LT(largest_difference(toa_of<Space, Real>(c, Strategy::team_scan), sweep), is_double<Real> ? 1e-12 : 1e-4);
}

TYPED_TEST(Scattered, GoodManners) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const c = random_case(9, 10, 3, 1e-3, 10);
  Space const space;
  auto const profiles = c.profiles<Space, Real>();
  auto const radiances = make_radiances(profiles);
  Perturbation<Space, Real> const change{.optical_depth =
                                             ProfileArray<Real**, Space>("parhelion::change", c.nprofile, c.nlay)};
  ProfileArray<Real**, Space> const toa("parhelion::toa", c.nprofile, c.nangle);
  for (auto const strategy : strategies) {
    auto solver = solver_for(space, profiles, strategy);
    auto const all = [&] {
      solver.solve(space, AddingInput<Space, Real>(profiles, change, radiances.toa),
                   AddingResult<Space, Real>(radiances, toa, change));
    };
    all();  // Kokkos' own scratch grows at first use
    space.fence();
    Testing::expect_good_manners(Testing::watch(all), space);
    space.fence();
  }
}

TYPED_TEST(Scattered, RefusesWhatItCannotHonour) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  using Testing::message_of;
  auto const c = random_case(3, 4, 2, 0.1, 1);
  Space const space;
  auto const good = c.profiles<Space, Real>();
  auto solver = solver_for(space, good);
  auto const radiances = make_radiances(good);
  auto const refusal = [&](auto const& change) {
    auto p = good;
    change(p);
    return message_of([&] { solver.solve(space, p, radiances); });
  };
  auto const contains = [](std::string const& text, std::string const& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(refusal([](auto& p) { p.planck_sfc = {}; }), "planck_sfc has shape (0), expected (3)");
  contains(refusal([](auto& p) { p.mu = ProfileArray<Real**, Space>("parhelion::mu", 2, 3); }),
           "mu has shape (2, 3), expected (3, 3)");
  contains(refusal([](auto& p) { p.specular_reflectivity = p.emissivity; }),
           "reflectivity is given, but specular_reflectivity is, too");
  contains(refusal([](auto& p) { p.cos_sun = {}; }), "cos_sun has shape (0), expected (3)");
  contains(refusal([](auto& p) { p.transmittance = p.reflectivity; }), "expected optical_depth");
  contains(refusal([](auto& p) { p.phase = {}; }), "phase has shape (0, 0), expected (3, 4)");
  auto const larger = random_case(4, 4, 2, 0.1, 1).profiles<Space, Real>();
  contains(message_of([&] { solver.solve(space, larger, make_radiances(larger)); }),
           "4 profiles, expected at most the 3 that the solver was made for");
  contains(
      message_of([&] { Scattering<Space, Real>(space, {}, {.nprofile = 3, .nlay = 0, .nangle = 2, .nphase = 1}); }),
      "capacity.nlay = 0, expected at least 1");
  auto frugal = capacity_of(good);
  frugal.levels = frugal.derivatives = false;
  Scattering<Space, Real> toa_only(space, {}, frugal);
  contains(message_of([&] { toa_only.solve(space, good, radiances); }), "capacity.levels = false");
  contains(message_of([&] { toa_only.solve(space, good, AddingResult<Space, Real>({}, radiances.toa)); }),
           "capacity.derivatives = false");
  Perturbation<Space, Real> wrong;
  wrong.phase_forward = Array<Real****, Space>("parhelion::change", 3, 1, 3, 4);
  contains(message_of([&] { solve_tangent(space, good, wrong, radiances.toa); }),
           "perturbation_of_phase_forward has shape (3, 1, 3, 4), expected (3, 2, 3, 4)");
}

// The members of a perturbation and the names of the reference data, with whether layers have to be turned over.
template <class Action, class Space, class Real>
void for_each_member(Perturbation<Space, Real>& p, Action const& action) {
  action(p.optical_depth, "od", true);
  action(p.planck, "planck_atm", true);
  action(p.planck_sfc, "planck_sfc", false);
  action(p.emissivity, "emissivity", false);
  action(p.reflectivity, "reflectivity", false);
  action(p.direct_reflectivity, "direct_reflectivity", false);
  action(p.single_scattering_albedo, "ssa", true);
  action(p.phase_forward, "pff", true);
  action(p.phase_backward, "pbb", true);
}

template <class Space, class Real>
Perturbation<Space, Real> read_perturbation(ReferenceGroup const& group, std::string const& folder) {
  Perturbation<Space, Real> p;
  for_each_member(p, [&](auto& view, char const* name, bool flip) {
    auto const numbers = group.get(folder + "/" + name);
    view = Testing::to_view<std::decay_t<decltype(view)>>(flip ? numbers.flipped() : numbers);
  });
  return p;
}

TYPED_TEST(Scattered, SensitivitiesAgreeWithReference) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  PARHELION_REQUIRE_DATA(path, "ada/tlad.h5");
  // Complex-step derivatives of the same equations say that the reference is within 7e-9, and ours 2e-13. In float the
  // layers' emission is the difference of what they take in and let out.
  double const tolerance = is_double<Real> ? 1e-8 : 1e-3;
  Space const space;
  for (char const* const name : {"s4v", "s8v"}) {
    ReferenceGroup const group(path, name);
    auto const profiles = Testing::scattering_profiles<Space, Real>(group);
    for (auto const strategy : strategies) {
      auto const change = read_perturbation<Space, Real>(group, "tl_in");
      ProfileArray<Real**, Space> const tangent("parhelion::tangent", profiles.nprofile(), profiles.nangle());
      solve_tangent(space, profiles, change, tangent, strategy);
      auto const expected = group.get("tl_out/rad_toa");
      EXPECT_LT(largest_difference(Testing::to_numbers(tangent), expected), tolerance) << name;

      auto derivative = read_perturbation<Space, Real>(group, "ad_out");  // for the shapes
      for_each_member(derivative, [&](auto& view, char const*, bool) { parhelion::assign_array(view, Real(NAN)); });
      auto const seed = Testing::to_view<ProfileArray<Real const**, Space>>(group.get("ad_in/rad_toa"));
      solve_adjoint(space, profiles, seed, derivative, strategy);
      for_each_member(derivative, [&](auto& view, char const* member, bool flip) {
        auto const reference =
            flip ? group.flipped(std::string("ad_out/") + member) : group.get(std::string("ad_out/") + member);
        // Float has no numbers as small as what reaches the ground through an optical depth of 137.
        double const least = std::max(1e-3 * Testing::largest(reference), is_double<Real> ? 1e-300 : 1e-30);
        EXPECT_LT(largest_difference(Testing::to_numbers(view), reference, least), tolerance) << name << " " << member;
      });
    }
  }
}

// The perturbation of one member, as a direction of random signs and a size relative to the member.
template <class Space, class Real>
Perturbation<Space, Real> to_perturbation(std::vector<Numbers> const& directions) {
  Perturbation<Space, Real> p;
  std::size_t next = 0;
  for_each_member(p, [&](auto& view, char const*, bool) {
    view = Testing::to_view<std::decay_t<decltype(view)>>(directions.at(next++));
  });
  return p;
}

// In the order of for_each_member.
Numbers Case::*const case_members[] = {&Case::depth,      &Case::planck,       &Case::planck_sfc,
                                       &Case::emissivity, &Case::reflectivity, &Case::direct,
                                       &Case::albedo,     &Case::forward,      &Case::backward};

std::vector<Numbers> random_directions(Case const& c) {
  std::vector<Numbers> directions;
  int salt = 100;
  for (auto const member : case_members) {
    ++salt;
    directions.push_back(numbers((c.*member).extents, [&](std::size_t i) {
      return (c.*member).values[i] * (2 * random_number(1000 * i + salt) - 1);
    }));
  }
  return directions;
}

// Away from albedos where a rule of the model has a corner, so that there are derivatives.
Case smooth_case() {
  auto c = random_case(10, 9, 3, 1e-4, 15);
  for (double& w : c.albedo.values) {
    if (w > 0.98) w = 0.98;
    if (w < 1e-6) w = 0;
  }
  return c;
}

TYPED_TEST(Scattered, TangentAgreesWithFiniteDifferences) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  if (!is_double<Real>) GTEST_SKIP() << "differences of float radiances have no digits left";
  auto const c = smooth_case();
  auto const directions = random_directions(c);
  Space const space;
  auto const profiles = c.profiles<Space, Real>();
  // Each kind of input by itself, then all together.
  for (std::size_t only = 0; only <= directions.size(); ++only) {
    auto part = directions;
    for (std::size_t m = 0; m < part.size(); ++m)
      if (only < directions.size() && m != only)
        for (double& x : part[m].values) x = 0;
    ProfileArray<Real**, Space> const tangent("parhelion::tangent", c.nprofile, c.nangle);
    solve_tangent(space, profiles, to_perturbation<Space, Real>(part), tangent);
    // Central differences of fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h.
    double const h = 1e-4;
    auto const at = [&](double factor) {
      auto d = c;
      for (std::size_t m = 0; m < part.size(); ++m)
        for (std::size_t i = 0; i < part[m].values.size(); ++i)
          (d.*case_members[m]).values[i] += factor * h * part[m].values[i];
      return toa_of<Space, Real>(d).values;
    };
    auto const f1 = at(1);
    auto const b1 = at(-1);
    auto const f2 = at(2);
    auto const b2 = at(-2);
    auto const found = Testing::to_numbers(tangent);
    double const scale = Testing::largest(found);
    EXPECT_GT(scale, 0.1);
    for (std::size_t i = 0; i < f1.size(); ++i)
      EXPECT_NEAR((8 * (f1[i] - b1[i]) - (f2[i] - b2[i])) / (12 * h), found.values[i], 1e-8 * scale) << only;
  }
}

TYPED_TEST(Scattered, AdjointIsTheTransposeOfTheTangent) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const c = random_case(10, 9, 3, 1e-4, 15);  // with albedos above the cap
  auto const directions = random_directions(c);
  Space const space;
  auto const profiles = c.profiles<Space, Real>();
  auto const seed = numbers({static_cast<std::size_t>(c.nprofile), static_cast<std::size_t>(c.nangle)},
                            [](std::size_t i) { return 2 * random_number(7 * i) - 1; });
  for (auto const strategy : strategies) {
    ProfileArray<Real**, Space> const tangent("parhelion::tangent", c.nprofile, c.nangle);
    solve_tangent(space, profiles, to_perturbation<Space, Real>(directions), tangent, strategy);
    auto derivative = to_perturbation<Space, Real>(directions);  // for the shapes
    solve_adjoint(space, profiles, Testing::to_view<ProfileArray<Real const**, Space>>(seed), derivative, strategy);
    auto const out = Testing::to_numbers(tangent);
    for (int p = 0; p < c.nprofile; ++p) {
      double forth = 0;
      double size = 0;
      for (int i = 0; i < c.nangle; ++i) forth += out.values[p * c.nangle + i] * seed.values[p * c.nangle + i];
      double back = 0;
      std::size_t next = 0;
      for_each_member(derivative, [&](auto const& view, char const*, bool) {
        auto const by = Testing::to_numbers(view).values;
        auto const& along = directions[next++].values;
        std::size_t const each = by.size() / c.nprofile;
        for (std::size_t i = p * each; i < (p + 1) * each; ++i) {
          back += by[i] * along[i];
          size += std::abs(by[i] * along[i]);
        }
      });
      EXPECT_NEAR(forth, back, (is_double<Real> ? 1e-13 : 2e-4) * size) << p;
    }
  }
}

// Radiances, tangents and derivatives have the same bits whether one call computes them or several.
TYPED_TEST(Scattered, OneCallGivesWhatThreeGive) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const c = random_case(10, 9, 3, 1e-4, 15);
  auto const directions = random_directions(c);
  Space const space;
  auto const profiles = c.profiles<Space, Real>();
  auto const change = to_perturbation<Space, Real>(directions);
  auto const seed = Testing::to_view<ProfileArray<Real const**, Space>>(
      numbers({static_cast<std::size_t>(c.nprofile), static_cast<std::size_t>(c.nangle)},
              [](std::size_t i) { return 2 * random_number(7 * i) - 1; }));
  for (auto const strategy : strategies) {
    auto solver = solver_for(space, profiles, strategy);
    auto const radiances = make_radiances(profiles), others = make_radiances(profiles);
    ProfileArray<Real**, Space> const tangent("parhelion::tangent", c.nprofile, c.nangle);
    ProfileArray<Real**, Space> const other_tangent("parhelion::tangent", c.nprofile, c.nangle);
    auto derivative = to_perturbation<Space, Real>(directions);  // for the shapes
    auto other_derivative = to_perturbation<Space, Real>(directions);
    solver.solve(space, AddingInput<Space, Real>(profiles, change, seed),
                 AddingResult<Space, Real>(radiances, tangent, derivative));
    EXPECT_TRUE(solver.status(space).good());
    solver.solve(space, profiles, others);
    solve_tangent(space, profiles, change, other_tangent, strategy);
    solve_adjoint(space, profiles, seed, other_derivative, strategy);
    EXPECT_EQ(Testing::to_numbers(radiances.up).values, Testing::to_numbers(others.up).values);
    EXPECT_EQ(Testing::to_numbers(radiances.dn).values, Testing::to_numbers(others.dn).values);
    EXPECT_EQ(Testing::to_numbers(radiances.up_emergent).values, Testing::to_numbers(others.up_emergent).values);
    EXPECT_EQ(Testing::to_numbers(tangent).values, Testing::to_numbers(other_tangent).values);
    std::vector<std::vector<double>> found, expected;
    for_each_member(derivative,
                    [&](auto& view, char const*, bool) { found.push_back(Testing::to_numbers(view).values); });
    for_each_member(other_derivative,
                    [&](auto& view, char const*, bool) { expected.push_back(Testing::to_numbers(view).values); });
    EXPECT_EQ(found, expected);
  }
}

TYPED_TEST(Scattered, SensitivitiesLeaveOutWhatIsEmpty) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const c = smooth_case();
  auto const directions = random_directions(c);
  Space const space;
  auto const profiles = c.profiles<Space, Real>();
  // Only Planck radiances change: the same as all else changing by zero.
  auto zero = directions;
  for (std::size_t m = 0; m < zero.size(); ++m)
    if (m != 1)
      for (double& x : zero[m].values) x = 0;
  auto const full = to_perturbation<Space, Real>(zero);
  Perturbation<Space, Real> sparse;
  sparse.planck = full.planck;
  ProfileArray<Real**, Space> const a("parhelion::tangent", c.nprofile, c.nangle);
  ProfileArray<Real**, Space> const b("parhelion::tangent", c.nprofile, c.nangle);
  solve_tangent(space, profiles, full, a);
  solve_tangent(space, profiles, sparse, b);
  EXPECT_LT(largest_difference(Testing::to_numbers(b), Testing::to_numbers(a)), is_double<Real> ? 1e-13 : 1e-5);
  EXPECT_GT(Testing::largest(Testing::to_numbers(a)), 1);
  // Derivatives that are not asked for change nothing in the others.
  auto const seed = Testing::to_view<ProfileArray<Real const**, Space>>(numbers(
      {static_cast<std::size_t>(c.nprofile), static_cast<std::size_t>(c.nangle)}, [](std::size_t) { return 1.; }));
  auto const all = to_perturbation<Space, Real>(directions);
  solve_adjoint(space, profiles, seed, all);
  auto const expected = Testing::to_numbers(all.optical_depth);
  Perturbation<Space, Real> one;
  one.optical_depth = ProfileArray<Real**, Space>("parhelion::derivative", c.nprofile, c.nlay);
  solve_adjoint(space, profiles, seed, one);
  EXPECT_EQ(Testing::to_numbers(one.optical_depth).values, expected.values);
}

}  // namespace
