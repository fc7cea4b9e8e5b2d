// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/clear_sky.hpp>
#include <parhelion/core/copies.hpp>

#include "kokkos_manners.hpp"
#include "testing.hpp"

#include <parhelion/io/hdf5.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using adding::AddingInput;
using adding::AddingResult;
using adding::Capacity;
using adding::ClearSky;
using adding::ClearSkyTuning;
using adding::ProfileArray;
using adding::Strategy;

constexpr Strategy strategies[] = {Strategy::sweep, Strategy::team_scan, Strategy::automatic};

/// A number in [0, 1) for each key.
double random_number(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15ULL;
  key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((key ^ (key >> 31U)) >> 11U) * 0x1p-53;
}

/// Values of profiles on the host: (profile, a, b) with the profile as the first index and the slowest.
struct Values {
  int n0 = 0, n1 = 1, n2 = 1;
  std::vector<double> data;

  Values() = default;
  Values(int n0_, int n1_ = 1, int n2_ = 1)
      : n0(n0_), n1(n1_), n2(n2_), data(static_cast<std::size_t>(n0_) * n1_ * n2_) {}
  double& operator()(int p, int i = 0, int j = 0) { return data[(static_cast<std::size_t>(p) * n1 + i) * n2 + j]; }
  double operator()(int p, int i = 0, int j = 0) const { return data[(static_cast<std::size_t>(p) * n1 + i) * n2 + j]; }
  bool empty() const { return data.empty(); }

  /// Rows `first` to `first + count - 1`.
  Values rows(int first, int count) const {
    if (empty()) return {};
    Values part(count, n1, n2);
    for (int p = 0; p < count; ++p)
      for (int i = 0; i < n1; ++i)
        for (int j = 0; j < n2; ++j) part(p, i, j) = (*this)(first + p, i, j);
    return part;
  }
};

template <class DataType, class Space>
ProfileArray<DataType, Space> device_array(Values const& values) {
  using View = ProfileArray<DataType, Space>;
  if (values.empty()) return View();
  View device;
  if constexpr (View::rank == 1)
    device = View("parhelion::Testing::values", values.n0);
  else if constexpr (View::rank == 2)
    device = View("parhelion::Testing::values", values.n0, values.n1);
  else
    device = View("parhelion::Testing::values", values.n0, values.n1, values.n2);
  auto const host = Kokkos::create_mirror_view(device);
  using Real = typename View::value_type;
  for (int p = 0; p < values.n0; ++p)
    for (int i = 0; i < values.n1; ++i)
      for (int j = 0; j < values.n2; ++j) {
        if constexpr (View::rank == 1)
          host(p) = static_cast<Real>(values(p));
        else if constexpr (View::rank == 2)
          host(p, i) = static_cast<Real>(values(p, i));
        else
          host(p, i, j) = static_cast<Real>(values(p, i, j));
      }
  parhelion::assign_array(device, host);
  return device;
}

template <class View>
Values host_values(View const& device) {
  auto const host = parhelion::host_copy(device);
  Values values(static_cast<int>(host.extent(0)), View::rank > 1 ? static_cast<int>(host.extent(1)) : 1,
                View::rank > 2 ? static_cast<int>(host.extent(2)) : 1);
  for (int p = 0; p < values.n0; ++p)
    for (int i = 0; i < values.n1; ++i)
      for (int j = 0; j < values.n2; ++j) {
        if constexpr (View::rank == 1)
          values(p) = host(p);
        else if constexpr (View::rank == 2)
          values(p, i) = host(p, i);
        else
          values(p, i, j) = host(p, i, j);
      }
  return values;
}

/// Profiles on the host, layer 0 next to the surface.
struct Case {
  Values depth, transmittance, planck, mu, planck_sfc, emissivity, specular, reflectivity, cosmic, cos_sun, irradiance,
      direct;

  int nprofile() const { return planck.n0; }
  int nlay() const { return planck.n1; }
  int nangle() const { return emissivity.n1; }

  Case rows(int first, int count) const {
    return {depth.rows(first, count),      transmittance.rows(first, count),
            planck.rows(first, count),     mu.n0 == 1 ? mu : mu.rows(first, count),
            planck_sfc.rows(first, count), emissivity.rows(first, count),
            specular.rows(first, count),   reflectivity.rows(first, count),
            cosmic.rows(first, count),     cos_sun.rows(first, count),
            irradiance.rows(first, count), direct.rows(first, count)};
  }
};

enum class Surface { black, specular, matrix };

Case random_case(int nprofile, int nlay, int nangle, Surface surface, bool sun = false) {
  Case c;
  std::uint64_t key = 1000003ULL * nprofile + 10007ULL * nlay + nangle;
  auto const random = [&](double low, double high) { return low + (high - low) * random_number(++key); };
  c.depth = Values(nprofile, nlay);
  c.planck = Values(nprofile, nlay);
  c.mu = Values(nprofile, nangle);
  c.planck_sfc = Values(nprofile);
  c.emissivity = Values(nprofile, nangle);
  c.cosmic = Values(nprofile);
  if (surface == Surface::specular) c.specular = Values(nprofile, nangle);
  if (surface == Surface::matrix) c.reflectivity = Values(nprofile, nangle, nangle);
  if (sun) {
    c.cos_sun = Values(nprofile);
    c.irradiance = Values(nprofile);
    c.direct = Values(nprofile, nangle);
  }
  for (int p = 0; p < nprofile; ++p) {
    for (int k = 0; k < nlay; ++k) {
      c.depth(p, k) = std::pow(10.0, random(-4, 0));
      c.planck(p, k) = random(50, 300);
    }
    c.planck_sfc(p) = random(100, 300);
    c.cosmic(p) = random(0, 5);
    for (int i = 0; i < nangle; ++i) {
      c.mu(p, i) = random(0.1, 1);
      c.emissivity(p, i) = random(0.5, 0.9);
      if (surface == Surface::specular) c.specular(p, i) = 1 - c.emissivity(p, i);
      if (surface == Surface::matrix)
        for (int j = 0; j < nangle; ++j) c.reflectivity(p, i, j) = (1 - c.emissivity(p, i)) / nangle * random(0.5, 1);
      if (sun) c.direct(p, i) = random(0, 0.3);
    }
    if (sun) {
      c.cos_sun(p) = random(0.2, 1);
      c.irradiance(p) = p % 3 == 2 ? 0 : random(10, 1000);
    }
  }
  return c;
}

/// The case with transmittances in place of optical depths.
Case with_transmittance(Case c) {
  c.transmittance = Values(c.nprofile(), c.nlay(), c.nangle());
  for (int p = 0; p < c.nprofile(); ++p)
    for (int k = 0; k < c.nlay(); ++k)
      for (int i = 0; i < c.nangle(); ++i) c.transmittance(p, k, i) = std::exp(-c.depth(p, k) / c.mu(p, i));
  c.depth = {};
  c.mu = {};
  return c;
}

struct Result {
  Values toa, up, dn, up_emergent;
};

/// Straight from the equations, in long double.
Result reference(Case const& c) {
  using Long = long double;
  int const P = c.nprofile(), L = c.nlay(), A = c.nangle();
  Result r{Values(P, A), Values(P, L + 1, A), Values(P, L + 1, A), Values(P, L + 1, A)};
  auto const at = [&](std::vector<Long>& v, int k, int i) -> Long& { return v[static_cast<std::size_t>(k) * A + i]; };
  for (int p = 0; p < P; ++p) {
    std::vector<Long> t(static_cast<std::size_t>(L) * A), a(t.size()), dn(t.size() + A), up(dn), below(dn), sent(dn),
        gain(dn);
    auto const layer_mu = [&](int i) { return static_cast<Long>(c.mu(c.mu.n0 == 1 ? 0 : p, i)); };
    for (int k = 0; k < L; ++k)
      for (int i = 0; i < A; ++i) {
        at(t, k, i) = c.depth.empty() ? static_cast<Long>(c.transmittance(p, k, i))
                                      : std::exp(-static_cast<Long>(c.depth(p, k)) / layer_mu(i));
        at(a, k, i) = c.depth.empty() ? 1 - at(t, k, i) : -std::expm1(-static_cast<Long>(c.depth(p, k)) / layer_mu(i));
      }
    Long const cosmic = c.cosmic.empty() ? 0 : c.cosmic(p);
    auto const reflectivity = [&](int i, int j) -> Long {
      if (!c.reflectivity.empty()) return c.reflectivity(p, i, j);
      return i == j && !c.specular.empty() ? c.specular(p, i) : 0;
    };
    Long beam = 0;
    if (!c.irradiance.empty()) {
      Long tau = 0;
      for (int k = 0; k < L; ++k) tau += c.depth(p, k);
      beam = static_cast<Long>(c.cos_sun(p)) * c.irradiance(p) / std::numbers::pi_v<Long> *
             std::exp(-tau / static_cast<Long>(c.cos_sun(p)));
    }
    for (int i = 0; i < A; ++i) at(dn, L, i) = cosmic;
    for (int k = L - 1; k >= 0; --k)
      for (int i = 0; i < A; ++i) at(dn, k, i) = at(t, k, i) * at(dn, k + 1, i) + at(a, k, i) * c.planck(p, k);
    for (int i = 0; i < A; ++i) {
      at(sent, 0, i) = 0;
      at(gain, 0, i) = 1;
      for (int k = 0; k < L; ++k) {
        at(sent, k + 1, i) = at(sent, k, i) + at(gain, k, i) * at(a, k, i) * c.planck(p, k);
        at(gain, k + 1, i) = at(gain, k, i) * at(t, k, i);
      }
    }
    for (int i = 0; i < A; ++i) {
      Long source = static_cast<Long>(c.emissivity(p, i)) * c.planck_sfc(p);
      if (!c.irradiance.empty()) source += c.direct(p, i) * beam;
      Long emitted = source;
      at(up, 0, i) = source;
      for (int j = 0; j < A; ++j) at(up, 0, i) += reflectivity(i, j) * at(dn, 0, j);
      for (int k = 0; k <= L; ++k) {
        if (k > 0) {
          at(up, k, i) = at(t, k - 1, i) * at(up, k - 1, i) + at(a, k - 1, i) * c.planck(p, k - 1);
          emitted = at(t, k - 1, i) * emitted + at(a, k - 1, i) * c.planck(p, k - 1);
        }
        Long reflected = 0;
        for (int j = 0; j < A; ++j)
          reflected += reflectivity(i, j) * (at(sent, k, j) + (k == L ? at(gain, k, j) * cosmic : 0));
        at(below, k, i) = emitted + at(gain, k, i) * reflected;
      }
      r.toa(p, i) = static_cast<double>(at(up, L, i));
      for (int k = 0; k <= L; ++k) {
        r.up(p, k, i) = static_cast<double>(at(up, k, i));
        r.dn(p, k, i) = static_cast<double>(at(dn, k, i));
        r.up_emergent(p, k, i) = static_cast<double>(at(below, k, i));
      }
    }
  }
  return r;
}

template <class Space, class Real>
adding::Profiles<Space, Real> device_profiles(Case const& c) {
  adding::Profiles<Space, Real> in;
  in.optical_depth = device_array<Real**, Space>(c.depth);
  in.transmittance = device_array<Real***, Space>(c.transmittance);
  in.planck = device_array<Real**, Space>(c.planck);
  in.mu = device_array<Real**, Space>(c.mu);
  in.planck_sfc = device_array<Real*, Space>(c.planck_sfc);
  in.emissivity = device_array<Real**, Space>(c.emissivity);
  in.specular_reflectivity = device_array<Real**, Space>(c.specular);
  in.reflectivity = device_array<Real***, Space>(c.reflectivity);
  in.cosmic = device_array<Real*, Space>(c.cosmic);
  in.cos_sun = device_array<Real*, Space>(c.cos_sun);
  in.solar_irradiance = device_array<Real*, Space>(c.irradiance);
  in.direct_reflectivity = device_array<Real**, Space>(c.direct);
  return in;
}

template <class Space, class Real>
adding::Radiances<Space, Real> make_radiances(Case const& c, bool levels = true) {
  adding::Radiances<Space, Real> out;
  out.toa = ProfileArray<Real**, Space>("parhelion::Testing::toa", c.nprofile(), c.nangle());
  if (!levels) return out;
  for (auto* member : {&out.up, &out.dn, &out.up_emergent})
    *member = ProfileArray<Real***, Space>("parhelion::Testing::levels", c.nprofile(), c.nlay() + 1, c.nangle());
  return out;
}

Capacity capacity_of(Case const& c) { return {c.nprofile(), c.nlay(), c.nangle()}; }

template <class Space, class Real>
Result solve(Case const& c, Strategy strategy, ClearSkyTuning tuning = {}) {
  Space const space;
  tuning.strategy = strategy;
  ClearSky<Space, Real> solver(space, {}, capacity_of(c), tuning);
  auto const profiles = device_profiles<Space, Real>(c);
  auto const out = make_radiances<Space, Real>(c);
  solver.solve(space, profiles, out);
  space.fence();
  return {host_values(out.toa), host_values(out.up), host_values(out.dn), host_values(out.up_emergent)};
}

/// The largest |a - b| / |b|, or 1e300 where one is not a number.
double worst_relative(Values const& a, Values const& b) {
  if (a.data.size() != b.data.size()) return 1e300;
  double worst = 0;
  for (std::size_t n = 0; n < a.data.size(); ++n) {
    if (a.data[n] == b.data[n]) continue;
    double const off = std::fabs(a.data[n] - b.data[n]) / std::fabs(b.data[n]);
    worst = off <= worst ? worst : std::isfinite(off) ? off : 1e300;
  }
  return worst;
}

void expect_near(Result const& found, Result const& expected, double tolerance, std::string const& what) {
  EXPECT_LE(worst_relative(found.toa, expected.toa), tolerance) << what << ", toa";
  EXPECT_LE(worst_relative(found.up, expected.up), tolerance) << what << ", up";
  EXPECT_LE(worst_relative(found.dn, expected.dn), tolerance) << what << ", dn";
  EXPECT_LE(worst_relative(found.up_emergent, expected.up_emergent), tolerance) << what << ", up_emergent";
}

void expect_same_bits(Values const& a, Values const& b, std::string const& what) {
  ASSERT_EQ(a.data.size(), b.data.size());
  EXPECT_EQ(std::memcmp(a.data.data(), b.data.data(), sizeof(double) * a.data.size()), 0) << what;
}

// In double, sums of 100 terms that are each good to a few 1e-16. In float the same with 6e-8; input is rounded once.
template <class Real>
constexpr double tolerance = std::is_same_v<Real, double> ? 1e-12 : 5e-6;

std::string name(Strategy strategy) {
  switch (strategy) {
    case Strategy::sweep:
      return "sweep";
    case Strategy::team_scan:
      return "team_scan";
    default:
      return "automatic";
  }
}

// ---- the reference files, whose layer 0 is the top
// -------------------------------------------------------------------

Values read(io::Hdf5File const& file, std::string const& path) {
  auto const shape = file.shape(path);
  Values values(static_cast<int>(shape[0]), shape.size() > 1 ? static_cast<int>(shape[1]) : 1,
                shape.size() > 2 ? static_cast<int>(shape[2]) : 1);
  values.data = file.read(path);
  return values;
}

Values flipped(Values const& values) {
  Values result(values.n0, values.n1, values.n2);
  for (int p = 0; p < values.n0; ++p)
    for (int k = 0; k < values.n1; ++k)
      for (int i = 0; i < values.n2; ++i) result(p, k, i) = values(p, values.n1 - 1 - k, i);
  return result;
}

Case read_case(io::Hdf5File const& file, std::string const& group) {
  Case c;
  c.depth = flipped(read(file, group + "/od"));
  c.planck = flipped(read(file, group + "/planck_atm"));
  c.mu = read(file, group + "/mu");
  c.planck_sfc = read(file, group + "/planck_sfc");
  c.emissivity = read(file, group + "/emissivity");
  c.reflectivity = read(file, group + "/reflectivity");
  c.cosmic = read(file, group + "/cosmic");
  return c;
}

template <class Pair>
struct ClearSkyTest : testing::Test {};
TYPED_TEST_SUITE(ClearSkyTest, SpacesAndReals, PairName);

ClearSkyTuning tuning_of(int angles_per_lane, int layers_per_run, int lanes, int threads) {
  return {.angles_per_lane = angles_per_lane, .layers_per_run = layers_per_run, .lanes = lanes, .threads = threads};
}

TYPED_TEST(ClearSkyTest, AgreesWithReferenceFiles) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  PARHELION_REQUIRE_DATA(path, "ada/clear.h5");
  io::Hdf5File const file(path);
  for (std::string const group : {"c60x6", "c100x6", "c60x2", "c60x16", "c200x6"}) {
    Case c = read_case(file, group);
    auto const kind = file.read(group + "/kind");
    Values const expected = flipped(read(file, group + "/rad_up"));
    Case diagonal = c;
    diagonal.reflectivity = {};
    diagonal.specular = Values(c.nprofile(), c.nangle());
    for (int p = 0; p < c.nprofile(); ++p)
      for (int i = 0; i < c.nangle(); ++i) diagonal.specular(p, i) = c.reflectivity(p, i, i);
    for (Strategy const strategy : strategies) {
      Result const found = solve<Space, Real>(c, strategy);
      Result const specular = solve<Space, Real>(diagonal, strategy);
      std::string const what = group + ", " + name(strategy);
      EXPECT_LE(worst_relative(found.up_emergent, expected), tolerance<Real>) << what;
      for (int p = 0; p < c.nprofile(); ++p) {
        for (int i = 0; i < c.nangle(); ++i) {
          double const top = expected(p, c.nlay(), i);
          EXPECT_NEAR(found.toa(p, i) / top, 1, tolerance<Real>) << what << ", profile " << p;
          EXPECT_NEAR(found.up(p, c.nlay(), i) / top, 1, tolerance<Real>) << what << ", profile " << p;
          if (kind[p] == 3) continue;
          EXPECT_NEAR(specular.toa(p, i) / top, 1, tolerance<Real>) << what << ", profile " << p;
          for (int k = 0; k <= c.nlay(); ++k)
            EXPECT_NEAR(specular.up_emergent(p, k, i) / expected(p, k, i), 1, tolerance<Real>)
                << what << ", profile " << p;
        }
      }
      if (strategy != Strategy::sweep) continue;
      // The other way round the atmosphere has another radiance.
      Case upside_down = c;
      upside_down.depth = flipped(c.depth);
      upside_down.planck = flipped(c.planck);
      EXPECT_GT(worst_relative(solve<Space, Real>(upside_down, strategy).up_emergent, expected), 1e-3) << group;
    }
  }
}

TYPED_TEST(ClearSkyTest, AgreesWithTheEquations) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (Surface const surface : {Surface::black, Surface::specular, Surface::matrix}) {
    for (bool const sun : {false, true}) {
      for (auto const [nprofile, nlay, nangle] :
           {std::array{37, 1, 1}, {5, 7, 2}, {41, 33, 3}, {9, 60, 9}, {3, 129, 5}, {2, 900, 6}}) {
        Case c = random_case(nprofile, nlay, nangle, surface, sun);
        // The solver is given rounded numbers; so is the reference.
        for (auto* values : {&c.depth, &c.planck, &c.mu, &c.planck_sfc, &c.emissivity, &c.specular, &c.reflectivity,
                             &c.cosmic, &c.cos_sun, &c.irradiance, &c.direct})
          for (double& x : values->data) x = static_cast<Real>(x);
        Result const expected = reference(c);
        for (Strategy const strategy : strategies)
          expect_near(solve<Space, Real>(c, strategy), expected, tolerance<Real>,
                      name(strategy) + " of " + std::to_string(nlay) + " layers");
        // With this, devices compute both directions in one kernel, as they do for many profiles.
        expect_near(solve<Space, Real>(c, Strategy::sweep, tuning_of(6, 0, 0, 0)), expected, tolerance<Real>,
                    "six angles per lane of " + std::to_string(nlay) + " layers");
        if (sun) continue;
        Case given = with_transmittance(c);
        for (double& x : given.transmittance.data) x = static_cast<Real>(x);
        Result const expected_given = reference(given);
        for (Strategy const strategy : strategies)
          expect_near(solve<Space, Real>(given, strategy), expected_given, tolerance<Real>,
                      name(strategy) + " with transmittance");
      }
    }
  }
}

TYPED_TEST(ClearSkyTest, KeepsDigitsOfThinLayersOverDarkSurfaces) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (Surface const surface : {Surface::black, Surface::specular}) {
    for (double const depth : {1e-12, 1e-7, 1e-4, 1e-2}) {
      Case c = random_case(33, 60, 6, surface);
      c.cosmic = {};
      for (int p = 0; p < c.nprofile(); ++p) {
        for (int k = 0; k < c.nlay(); ++k) c.depth(p, k) = depth * (1 + k % 3);
        for (int i = 0; i < c.nangle(); ++i) {
          c.emissivity(p, i) = 0;
          if (surface == Surface::specular) c.specular(p, i) = 1;
        }
      }
      for (auto* values : {&c.depth, &c.planck, &c.mu})
        for (double& x : values->data) x = static_cast<Real>(x);
      Result const expected = reference(c);
      for (Strategy const strategy : strategies) {
        Result found = solve<Space, Real>(c, strategy);
        found.up = expected.up;  // 0 at the surface
        expect_near(found, expected, tolerance<Real>, name(strategy) + " at " + std::to_string(depth));
      }
    }
  }
}

TYPED_TEST(ClearSkyTest, KeepsDigitsOfThickLayersThatDoNotEmit) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Case c = random_case(20, 30, 4, Surface::black);
  for (double& x : c.planck.data) x = 0;
  for (double& x : c.depth.data) x = static_cast<Real>(x);
  for (double& x : c.mu.data) x = static_cast<Real>(x);
  for (double& x : c.emissivity.data) x = static_cast<Real>(x);
  for (double& x : c.planck_sfc.data) x = static_cast<Real>(x);
  Values const expected = reference(c).toa;
  for (Strategy const strategy : strategies) {
    // Up to 20 optical depths along the path: their rounding shows in the exponential as itself.
    double const allowed = std::is_same_v<Real, double> ? 1e-12 : 3e-5;
    EXPECT_LE(worst_relative(solve<Space, Real>(c, strategy).toa, expected), allowed) << name(strategy);
  }
}

TYPED_TEST(ClearSkyTest, IsothermalColumnInABlackBodyIsOneRadianceEverywhere) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (Surface const surface : {Surface::specular, Surface::matrix}) {
    Case c = random_case(19, 45, 5, surface);
    for (auto* values : {&c.planck, &c.planck_sfc, &c.cosmic})
      for (double& x : values->data) x = 100;
    for (int p = 0; p < c.nprofile(); ++p)
      for (int i = 0; i < c.nangle(); ++i)
        for (int j = 0; surface == Surface::matrix && j < c.nangle(); ++j)
          c.reflectivity(p, i, j) = (1 - c.emissivity(p, i)) / c.nangle();
    for (Strategy const strategy : strategies) {
      Result const found = solve<Space, Real>(c, strategy);
      for (auto const* values : {&found.toa, &found.up, &found.dn})
        for (double const x : values->data) ASSERT_NEAR(x / 100, 1, tolerance<Real>) << name(strategy);
    }
  }
}

TYPED_TEST(ClearSkyTest, TransparentLayerChangesNothing) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  constexpr int place = 11;
  Case const c = random_case(17, 24, 3, Surface::specular);
  Case more = c;
  more.depth = Values(c.nprofile(), c.nlay() + 1);
  more.planck = more.depth;
  for (int p = 0; p < c.nprofile(); ++p)
    for (int k = 0; k <= c.nlay(); ++k) {
      more.depth(p, k) = k == place ? 0 : c.depth(p, k - (k > place ? 1 : 0));
      more.planck(p, k) = k == place ? 1e6 : c.planck(p, k - (k > place ? 1 : 0));
    }
  for (Strategy const strategy : strategies) {
    Result const found = solve<Space, Real>(more, strategy);
    Result const expected = solve<Space, Real>(c, strategy);
    EXPECT_LE(worst_relative(found.toa, expected.toa), tolerance<Real>) << name(strategy);
    for (int p = 0; p < c.nprofile(); ++p)
      for (int k = 0; k <= c.nlay() + 1; ++k)
        for (int i = 0; i < c.nangle(); ++i) {
          int const other = k > place ? k - 1 : k;
          EXPECT_NEAR(found.up(p, k, i) / expected.up(p, other, i), 1, tolerance<Real>);
          EXPECT_NEAR(found.dn(p, k, i) / expected.dn(p, other, i), 1, tolerance<Real>);
        }
  }
}

TYPED_TEST(ClearSkyTest, StaysFiniteForAllOpticalDepths) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  // A million layers.
  Case c = random_case(5000, 200, 2, Surface::specular);
  for (std::size_t n = 0; n < c.depth.data.size(); ++n) c.depth.data[n] = std::pow(10.0, 16 * random_number(n) - 12);
  for (Strategy const strategy : strategies) {
    Result const found = solve<Space, Real>(c, strategy);
    for (auto const* values : {&found.toa, &found.up, &found.dn, &found.up_emergent})
      for (double const x : values->data) ASSERT_TRUE(std::isfinite(x) && x >= 0 && x <= 301) << name(strategy) << x;
  }
}

TYPED_TEST(ClearSkyTest, TuningDoesNotMatter) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Case const c = random_case(150, 47, 7, Surface::specular);
  Result const expected = solve<Space, Real>(c, Strategy::sweep);
  for (Strategy const strategy : {Strategy::sweep, Strategy::team_scan})
    for (ClearSkyTuning const tuning : {tuning_of(1, 0, 0, 0), tuning_of(2, 5, 8, 64), tuning_of(3, 100, 16, 128),
                                        tuning_of(4, 16, 32, 256), tuning_of(6, 12, 64, 64), tuning_of(8, 3, 4, 32)})
      expect_near(solve<Space, Real>(c, strategy, tuning), expected, tolerance<Real>, name(strategy));
}

TYPED_TEST(ClearSkyTest, GivesTheSameBitsWhicheverProfilesAreInTheCall) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Space const space;
  for (Surface const surface : {Surface::black, Surface::specular, Surface::matrix}) {
    Case const c = random_case(203, 60, 6, surface);
    for (Strategy const strategy : strategies) {
      ClearSky<Space, Real> solver(space, {}, capacity_of(c), {.strategy = strategy});
      auto const run = [&](Case const& part) {
        auto const out = make_radiances<Space, Real>(part);
        solver.solve(space, device_profiles<Space, Real>(part), out);
        space.fence();
        return Result{host_values(out.toa), host_values(out.up), host_values(out.dn), host_values(out.up_emergent)};
      };
      Result const all = run(c);
      expect_same_bits(run(c).toa, all.toa, "again");
      std::pair<int, int> const parts[] = {{0, 5}, {13, 64}, {198, 5}, {77, 1}};
      for (auto const& cut : parts) {
        auto const [first, count] = cut;
        Result const part = run(c.rows(first, count));
        std::string const what = name(strategy) + " from " + std::to_string(first);
        expect_same_bits(part.toa, all.toa.rows(first, count), what);
        expect_same_bits(part.up, all.up.rows(first, count), what);
        expect_same_bits(part.dn, all.dn.rows(first, count), what);
        expect_same_bits(part.up_emergent, all.up_emergent.rows(first, count), what);
      }
    }
  }
}

TYPED_TEST(ClearSkyTest, ProfilesMayShareTheirAngles) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Case c = random_case(70, 20, 4, Surface::black);
  Case shared = c;
  shared.mu = c.mu.rows(0, 1);
  for (int p = 0; p < c.nprofile(); ++p)
    for (int i = 0; i < c.nangle(); ++i) c.mu(p, i) = shared.mu(0, i);
  expect_same_bits(solve<Space, Real>(c, Strategy::sweep).up, solve<Space, Real>(shared, Strategy::sweep).up, "up");
}

// ---- derivatives
// -----------------------------------------------------------------------------------------------------

/// A perturbation, or a derivative, on the host.
struct Change {
  Values depth, transmittance, planck, planck_sfc, emissivity, reflectivity, direct;
};

Change random_change(Case const& c, std::uint64_t seed) {
  std::uint64_t key = seed << 40U;
  auto const fill = [&](Values values, double scale) {
    for (double& x : values.data) x = scale * (2 * random_number(++key) - 1);
    return values;
  };
  Change d;
  if (!c.depth.empty()) d.depth = fill(c.depth, 0.1);
  if (!c.transmittance.empty()) d.transmittance = fill(c.transmittance, 0.1);
  d.planck = fill(c.planck, 10);
  d.planck_sfc = fill(c.planck_sfc, 10);
  d.emissivity = fill(c.emissivity, 0.1);
  d.reflectivity = fill(Values(c.nprofile(), c.nangle(), c.nangle()), 0.1);
  if (!c.direct.empty()) d.direct = fill(c.direct, 0.1);
  return d;
}

template <class Space, class Real>
adding::Perturbation<Space, Real> device_change(Change const& d) {
  adding::Perturbation<Space, Real> out;
  out.optical_depth = device_array<Real**, Space>(d.depth);
  out.transmittance = device_array<Real***, Space>(d.transmittance);
  out.planck = device_array<Real**, Space>(d.planck);
  out.planck_sfc = device_array<Real*, Space>(d.planck_sfc);
  out.emissivity = device_array<Real**, Space>(d.emissivity);
  out.reflectivity = device_array<Real***, Space>(d.reflectivity);
  out.direct_reflectivity = device_array<Real**, Space>(d.direct);
  return out;
}

template <class Space, class Real>
Change host_change(adding::Perturbation<Space, Real> const& d) {
  Change out;
  if (d.optical_depth.size() > 0) out.depth = host_values(d.optical_depth);
  if (d.transmittance.size() > 0) out.transmittance = host_values(d.transmittance);
  out.planck = host_values(d.planck);
  out.planck_sfc = host_values(d.planck_sfc);
  out.emissivity = host_values(d.emissivity);
  out.reflectivity = host_values(d.reflectivity);
  if (d.direct_reflectivity.size() > 0) out.direct = host_values(d.direct_reflectivity);
  return out;
}

double product(Values const& a, Values const& b, int p) {
  double sum = 0;
  for (int i = 0; !a.empty() && i < a.n1; ++i)
    for (int j = 0; j < a.n2; ++j) sum += a(p, i, j) * b(p, i, j);
  return sum;
}

template <class Space, class Real>
Values tangent(Case const& c, Change const& d, Strategy strategy) {
  Space const space;
  ClearSky<Space, Real> solver(space, {}, capacity_of(c), {.strategy = strategy});
  ProfileArray<Real**, Space> const out("parhelion::Testing::tangent", c.nprofile(), c.nangle());
  solver.solve(space, AddingInput<Space, Real>(device_profiles<Space, Real>(c), device_change<Space, Real>(d)),
               AddingResult<Space, Real>({}, out));
  space.fence();
  return host_values(out);
}

template <class Space, class Real>
Change adjoint(Case const& c, Values const& seed, Strategy strategy) {
  Space const space;
  ClearSky<Space, Real> solver(space, {}, capacity_of(c), {.strategy = strategy});
  auto const derivative = device_change<Space, Real>(random_change(c, 99));  // overwritten
  solver.solve(space, AddingInput<Space, Real>(device_profiles<Space, Real>(c), {}, device_array<Real**, Space>(seed)),
               AddingResult<Space, Real>({}, {}, derivative));
  space.fence();
  return host_change<Space, Real>(derivative);
}

double scalar_product(Change const& a, Change const& b, int p) {
  return product(a.depth, b.depth, p) + product(a.transmittance, b.transmittance, p) + product(a.planck, b.planck, p) +
         product(a.planck_sfc, b.planck_sfc, p) + product(a.emissivity, b.emissivity, p) +
         product(a.reflectivity, b.reflectivity, p) + product(a.direct, b.direct, p);
}

/// The case plus `step` times the change; the reflectivity as a matrix, as that may change in all elements.
Case stepped(Case c, Change const& d, double step) {
  auto const add = [&](Values& to, Values const& change) {
    for (std::size_t n = 0; n < change.data.size(); ++n) to.data[n] += step * change.data[n];
  };
  if (c.reflectivity.empty()) {
    c.reflectivity = Values(c.nprofile(), c.nangle(), c.nangle());
    for (int p = 0; p < c.nprofile(); ++p)
      for (int i = 0; !c.specular.empty() && i < c.nangle(); ++i) c.reflectivity(p, i, i) = c.specular(p, i);
    c.specular = {};
  }
  add(c.depth, d.depth);
  add(c.transmittance, d.transmittance);
  add(c.planck, d.planck);
  add(c.planck_sfc, d.planck_sfc);
  add(c.emissivity, d.emissivity);
  add(c.reflectivity, d.reflectivity);
  add(c.direct, d.direct);
  return c;
}

std::vector<Case> cases_for_derivatives() {
  std::vector<Case> cases;
  for (Surface const surface : {Surface::black, Surface::specular, Surface::matrix}) {
    cases.push_back(random_case(6, 23, 3, surface));
    cases.push_back(random_case(9, 60, 6, surface, true));
    cases.push_back(with_transmittance(random_case(5, 31, 2, surface)));
  }
  return cases;
}

TYPED_TEST(ClearSkyTest, TangentLinearAgreesWithFiniteDifferences) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (Case const& c : cases_for_derivatives()) {
    Change const d = random_change(c, 7);
    constexpr double step = 1e-4;  // relative error of the difference: 1e-8 by its curvature
    Result const after = reference(stepped(c, d, step));
    Result const before = reference(stepped(c, d, -step));
    double largest = 0;
    for (double const x : reference(c).toa.data) largest = std::fmax(largest, x);
    for (Strategy const strategy : strategies) {
      Values const found = tangent<Space, Real>(c, d, strategy);
      for (std::size_t n = 0; n < found.data.size(); ++n)
        ASSERT_NEAR(found.data[n], (after.toa.data[n] - before.toa.data[n]) / (2 * step),
                    largest * (std::is_same_v<Real, double> ? 1e-7 : 1e-5))
            << name(strategy);
    }
  }
}

TYPED_TEST(ClearSkyTest, AdjointIsTheTransposeOfTangentLinear) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (Case const& c : cases_for_derivatives()) {
    Change const d = random_change(c, 8);
    Values seed(c.nprofile(), c.nangle());
    for (std::size_t n = 0; n < seed.data.size(); ++n) seed.data[n] = random_number(n + 17) - 0.3;
    for (Strategy const strategy : strategies) {
      Values const t = tangent<Space, Real>(c, d, strategy);
      Change const a = adjoint<Space, Real>(c, seed, strategy);
      for (int p = 0; p < c.nprofile(); ++p) {
        double size = 0;
        for (int i = 0; i < c.nangle(); ++i) size += std::fabs(seed(p, i) * t(p, i));
        EXPECT_NEAR(scalar_product(d, a, p), product(seed, t, p), size * (std::is_same_v<Real, double> ? 1e-12 : 2e-4))
            << name(strategy) << ", profile " << p;
      }
    }
  }
}

TYPED_TEST(ClearSkyTest, DerivativesAgreeWithReferenceFile) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  PARHELION_REQUIRE_DATA(path, "ada/tlad.h5");
  io::Hdf5File const file(path);
  std::string const group = "c60x6";
  Case const c = read_case(file, group);
  Change d;
  d.depth = flipped(read(file, group + "/tl_in/od"));
  d.planck = flipped(read(file, group + "/tl_in/planck_atm"));
  d.planck_sfc = read(file, group + "/tl_in/planck_sfc");
  d.emissivity = read(file, group + "/tl_in/emissivity");
  d.reflectivity = read(file, group + "/tl_in/reflectivity");
  Values const expected_tangent = read(file, group + "/tl_out/rad_toa");
  Values const seed = read(file, group + "/ad_in/rad_toa");
  double const allowed = std::is_same_v<Real, double> ? 1e-8 : 1e-4;
  auto const expect_close = [&](Values const& found, Values const& expected, std::string const& what) {
    ASSERT_EQ(found.data.size(), expected.data.size()) << what;
    double largest = 0;
    for (double const x : expected.data) largest = std::fmax(largest, std::fabs(x));
    for (std::size_t n = 0; n < found.data.size(); ++n)
      EXPECT_NEAR(found.data[n], expected.data[n], allowed * largest) << what << ", entry " << n;
  };
  for (Strategy const strategy : strategies) {
    expect_close(tangent<Space, Real>(c, d, strategy), expected_tangent, name(strategy) + ", tangent");
    Change const a = adjoint<Space, Real>(c, seed, strategy);
    expect_close(a.depth, flipped(read(file, group + "/ad_out/od")), name(strategy) + ", od");
    expect_close(a.planck, flipped(read(file, group + "/ad_out/planck_atm")), name(strategy) + ", planck_atm");
    expect_close(a.planck_sfc, read(file, group + "/ad_out/planck_sfc"), name(strategy) + ", planck_sfc");
    expect_close(a.emissivity, read(file, group + "/ad_out/emissivity"), name(strategy) + ", emissivity");
    expect_close(a.reflectivity, read(file, group + "/ad_out/reflectivity"), name(strategy) + ", reflectivity");
  }
}

// ---- what is refused, and manners
// ------------------------------------------------------------------------------------

TYPED_TEST(ClearSkyTest, RefusesWhatDoesNotFit) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Space const space;
  Case const c = random_case(4, 5, 3, Surface::specular);
  ClearSky<Space, Real> solver(space, {}, capacity_of(c));
  auto const out = make_radiances<Space, Real>(c);
  auto const good = device_profiles<Space, Real>(c);
  auto const message = [&](auto const& change) {
    auto profiles = good;
    auto radiances = out;
    change(profiles, radiances);
    return message_of([&] { solver.solve(space, profiles, radiances); });
  };
  EXPECT_EQ(message([](auto& in, auto&) { in.planck_sfc = ProfileArray<Real*, Space>("parhelion::Testing::bad", 5); }),
            "ClearSky::solve: planck_sfc has shape (5), expected (4)");
  EXPECT_EQ(message([](auto& in, auto&) { in.mu = ProfileArray<Real**, Space>("parhelion::Testing::bad", 2, 3); }),
            "ClearSky::solve: mu has shape (2, 3), expected (4, 3)");
  EXPECT_EQ(message([](auto&, auto& to) { to.up = ProfileArray<Real***, Space>("parhelion::Testing::bad", 4, 5, 3); }),
            "ClearSky::solve: up has shape (4, 5, 3), expected (4, 6, 3)");
  EXPECT_EQ(message([](auto& in, auto&) {
              in.reflectivity = ProfileArray<Real***, Space>("parhelion::Testing::bad", 4, 3, 3);
            }),
            "ClearSky::solve: reflectivity is given, but specular_reflectivity is, too");
  EXPECT_EQ(message([&](auto& in, auto&) { in.single_scattering_albedo = in.planck; }),
            "ClearSky::solve: single_scattering_albedo is given, but ClearSky does not scatter");
  EXPECT_EQ(message([&](auto& in, auto&) {
              in.transmittance = ProfileArray<Real***, Space>("parhelion::Testing::bad", 4, 5, 3);
            }),
            "ClearSky::solve: optical_depth is given, but transmittance is, too");
  EXPECT_EQ(message([&](auto& in, auto&) { in.cos_sun = in.planck_sfc; }),
            "ClearSky::solve: solar_irradiance has shape (0), expected (4)");
  ClearSky<Space, Real> small(space, {}, {3, 5, 3});
  EXPECT_EQ(message_of([&] { small.solve(space, good, out); }),
            "ClearSky::solve: 4 profiles, expected at most the 3 that the solver was made for");
  EXPECT_EQ(message_of([&] {
              ClearSky<Space, Real>(space, {}, {3, 0, 3});
            }),
            "ClearSky: a capacity of 3 profiles, 0 layers and 3 angles, expected positive numbers");
  adding::Perturbation<Space, Real> d;
  d.direct_reflectivity = ProfileArray<Real**, Space>("parhelion::Testing::bad", 4, 3);
  EXPECT_EQ(message_of([&] {
              solver.solve(space, AddingInput<Space, Real>(good, d), AddingResult<Space, Real>({}, out.toa));
            }),
            "ClearSky::solve: perturbation_of_direct_reflectivity is given, but the profiles have no "
            "direct_reflectivity");
  d = {};
  d.planck = ProfileArray<Real**, Space>("parhelion::Testing::good", 4, 5);
  EXPECT_EQ(message_of([&] { solver.solve(space, good, AddingResult<Space, Real>({}, {}, d)); }),
            "ClearSky::solve: adjoint_toa has shape (0, 0), expected (4, 3)");
  auto frugal = capacity_of(c);
  frugal.derivatives = false;
  ClearSky<Space, Real> radiances_only(space, {}, frugal);
  EXPECT_EQ(message_of([&] { radiances_only.solve(space, good, AddingResult<Space, Real>({}, out.toa)); }),
            "ClearSky::solve: sensitivities are requested, but the solver was made with capacity.derivatives = false");
}

TYPED_TEST(ClearSkyTest, NeitherAllocatesNorFences) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (Surface const surface : {Surface::black, Surface::specular, Surface::matrix}) {
    Case const c = random_case(40, 30, 3, surface, true);
    Space const space = another_instance<Space>();
    auto const profiles = device_profiles<Space, Real>(c);
    auto const out = make_radiances<Space, Real>(c);
    auto const d = device_change<Space, Real>(random_change(c, 3));
    auto const tangent = make_radiances<Space, Real>(c, false).toa;
    for (Strategy const strategy : strategies) {
      ClearSky<Space, Real> solver(space, {}, capacity_of(c), {.strategy = strategy});
      auto const call = [&] {
        solver.solve(space, AddingInput<Space, Real>(profiles, d, out.toa), AddingResult<Space, Real>(out, tangent, d));
      };
      call();  // first launches may set things up
      space.fence();
      auto const report = watch(call);
      space.fence();
      expect_good_manners(report, space);
      for (auto const& label : report.labels) EXPECT_EQ(label.rfind("parhelion::Adding::", 0), 0U) << label;
    }
  }
}

}  // namespace
