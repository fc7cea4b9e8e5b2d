// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/device_adding.hpp>
#include <parhelion/adding/host_adding.hpp>

#include "arrays_on_device.hpp"
#include "kokkos_manners.hpp"
#include "testing.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

using adding::BasicHostProfiles;
using adding::HostAdding;
using adding::HostAddingInput;
using adding::HostAddingOptions;
using adding::HostAddingReport;
using adding::HostPerturbation;
using adding::HostProfiles;
using adding::HostRadiances;
using adding::Strategy;
using adding::VerticalOrder;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class DataType, class... Extents>
HostArray<DataType> make(Extents... extents) {
  return HostArray<DataType>("test", static_cast<std::size_t>(extents)...);
}

template <class View>
void fill(View const& view, std::function<double(std::size_t)> const& value) {
  for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = value(i);
}

// Numbers in [0, 1) without order, the same on every machine.
double scattered(std::size_t i) {
  double const x = 0.618033988749895 * static_cast<double>(i + 1);
  return x - std::floor(x);
}

// Profiles that differ from each other, and upside down from themselves.
HostProfiles clear_profiles(int nprofile = 5, int nlay = 7, int nangle = 3) {
  HostProfiles p;
  p.optical_depth = make<double**>(nprofile, nlay);
  p.planck = make<double**>(nprofile, nlay);
  p.mu = make<double**>(nprofile, nangle);
  p.planck_sfc = make<double*>(nprofile);
  p.emissivity = make<double**>(nprofile, nangle);
  p.reflectivity = make<double***>(nprofile, nangle, nangle);
  p.cosmic = make<double*>(nprofile);
  fill(p.optical_depth, [](std::size_t i) { return 0.6 * scattered(i); });
  fill(p.planck, [](std::size_t i) { return 50 + 100 * scattered(i + 100); });
  fill(p.mu, [](std::size_t i) { return 0.1 + 0.9 * scattered(i + 200); });
  fill(p.planck_sfc, [](std::size_t i) { return 100 + 100 * scattered(i + 300); });
  fill(p.emissivity, [](std::size_t i) { return 0.6 + 0.4 * scattered(i + 400); });
  fill(p.reflectivity, [&](std::size_t i) { return 0.5 * scattered(i + 500) / nangle; });
  fill(p.cosmic, [](std::size_t i) { return 5 * scattered(i + 600); });
  return p;
}

void add_sun(HostProfiles& p) {
  p.cos_sun = make<double*>(p.nprofile());
  p.solar_irradiance = make<double*>(p.nprofile());
  p.direct_reflectivity = make<double**>(p.nprofile(), p.nangle());
  fill(p.cos_sun, [](std::size_t i) { return 0.2 + 0.8 * scattered(i + 700); });
  fill(p.solar_irradiance, [](std::size_t i) { return i % 2 == 0 ? 1000 * scattered(i + 800) : 0.; });
  fill(p.direct_reflectivity, [](std::size_t i) { return 0.3 * scattered(i + 900); });
}

// With isotropic scattering: the rows of matrices of 1/2 sum to 1 whatever the weights.
HostProfiles scattering_profiles(int nprofile = 5, int nlay = 7, int nangle = 3, int nphase = 2) {
  auto p = clear_profiles(nprofile, nlay, nangle);
  add_sun(p);
  p.weight = make<double**>(nprofile, nangle);
  p.single_scattering_albedo = make<double**>(nprofile, nlay);
  p.phase = make<int**>(nprofile, nlay);
  p.phase_forward = make<double****>(nprofile, nphase, nangle, nangle + 1);
  p.phase_backward = make<double****>(nprofile, nphase, nangle, nangle + 1);
  fill(p.weight, [&](std::size_t) { return 1. / nangle; });
  fill(p.single_scattering_albedo, [](std::size_t i) { return 0.95 * scattered(i + 1000); });
  for (std::size_t i = 0; i < p.phase.size(); ++i)
    p.phase.data()[i] = static_cast<int>(i % static_cast<std::size_t>(nphase + 1)) - 1;
  // Matrix 0 sends more forward than matrix 1.
  auto const forward = [&](std::size_t i) { return (i / (p.phase_forward.size() / nprofile / nphase)) % 2 == 0; };
  fill(p.phase_forward, [&](std::size_t i) { return forward(i) ? 0.75 : 0.375; });
  fill(p.phase_backward, [&](std::size_t i) { return forward(i) ? 0.25 : 0.625; });
  return p;
}

// The same atmosphere with the other end first.
HostProfiles turned(HostProfiles const& from) {
  HostProfiles to = from;
  to.order = from.order == VerticalOrder::top_first ? VerticalOrder::surface_first : VerticalOrder::top_first;
  auto const turn = [](auto& view) {
    if (view.size() == 0) return;
    std::decay_t<decltype(view)> const copy("turned", view.extent(0), view.extent(1));
    for (std::size_t p = 0; p < view.extent(0); ++p)
      for (std::size_t k = 0; k < view.extent(1); ++k) copy(p, k) = view(p, view.extent(1) - 1 - k);
    view = copy;
  };
  turn(to.optical_depth);
  turn(to.planck);
  turn(to.single_scattering_albedo);
  turn(to.phase);
  return to;
}

// One after the other, layer by layer: the radiance of the profile below each level, the surface first.
std::vector<double> upward(HostProfiles const& p, std::size_t profile, std::size_t angle) {
  std::size_t const nlay = p.planck.extent(1);
  double reflected = 0, tau = 0;
  for (std::size_t j = 0; j < p.mu.extent(1); ++j) {
    double down = 0;  // the atmosphere's; what falls in at the top comes later
    for (std::size_t k = nlay; k-- > 0;) {
      double const t = std::exp(-p.optical_depth(profile, k) / p.mu(profile, j));
      down = t * down + (1 - t) * p.planck(profile, k);
    }
    reflected += p.reflectivity(profile, angle, j) * down;
  }
  for (std::size_t k = 0; k < nlay; ++k) tau += p.optical_depth(profile, k);
  // At the top: with light from above.
  double up = p.emissivity(profile, angle) * p.planck_sfc(profile) + reflected;
  for (std::size_t j = 0; j < p.mu.extent(1); ++j)
    up += p.reflectivity(profile, angle, j) * p.cosmic(profile) * std::exp(-tau / p.mu(profile, j));
  for (std::size_t k = 0; k < nlay; ++k) {
    double const t = std::exp(-p.optical_depth(profile, k) / p.mu(profile, angle));
    up = t * up + (1 - t) * p.planck(profile, k);
  }
  return {p.emissivity(profile, angle) * p.planck_sfc(profile), up};
}

template <class View>
std::vector<double> values_of(View const& view) {
  return {view.data(), view.data() + view.size()};
}

std::vector<std::vector<double>> members_of(HostPerturbation const& p) {
  return {values_of(p.optical_depth), values_of(p.planck),         values_of(p.planck_sfc),
          values_of(p.emissivity),    values_of(p.reflectivity),   values_of(p.direct_reflectivity),
          values_of(p.phase_forward), values_of(p.phase_backward), values_of(p.single_scattering_albedo)};
}

std::vector<std::vector<double>> members_of(HostRadiances const& r) {
  auto all = members_of(r.derivative);
  for (auto const& view : {r.radiances.up_emergent, r.radiances.up, r.radiances.dn}) all.push_back(values_of(view));
  all.push_back(values_of(r.tangent_toa));
  return all;
}

// Bit for bit the same; the message names the first that is not.
testing::AssertionResult same(HostRadiances const& a, HostRadiances const& b) {
  auto const left = members_of(a), right = members_of(b);
  for (std::size_t m = 0; m < left.size(); ++m) {
    if (left[m].size() != right[m].size()) return testing::AssertionFailure() << "sizes of member " << m;
    for (std::size_t i = 0; i < left[m].size(); ++i)
      if (left[m][i] != right[m][i])
        return testing::AssertionFailure() << "member " << m << ", value " << i << ": " << left[m][i] << " and "
                                           << right[m][i] << ", apart by " << left[m][i] - right[m][i];
  }
  return testing::AssertionSuccess();
}

HostPerturbation perturbation_of(HostProfiles const& p) {
  HostPerturbation t;
  auto like = [seed = std::size_t(0)](auto const& view) mutable {
    using View = std::decay_t<decltype(view)>;
    if (view.size() == 0) return View();
    View const result("perturbation", view.layout());
    seed += 5000;
    fill(result, [&](std::size_t i) { return scattered(i + seed) - 0.5; });
    return result;
  };
  t.optical_depth = like(p.optical_depth);
  t.planck = like(p.planck);
  t.planck_sfc = like(p.planck_sfc);
  t.emissivity = like(p.emissivity);
  t.reflectivity = like(p.reflectivity);
  t.direct_reflectivity = like(p.direct_reflectivity);
  t.single_scattering_albedo = like(p.single_scattering_albedo);
  t.phase_forward = like(p.phase_forward);
  t.phase_backward = like(p.phase_backward);
  return t;
}

HostArray<double**> seed_of(HostProfiles const& p) {
  auto const seed = make<double**>(p.nprofile(), p.nangle());
  fill(seed, [](std::size_t i) { return scattered(i + 9000); });
  return seed;
}

std::string refusal(HostAddingInput const& input) {
  return message_of([&] { adding::validate(input); });
}

}  // namespace

TEST(HostAddingValidate, AcceptsWhatIsGood) {
  EXPECT_NO_THROW(adding::validate(clear_profiles()));
  EXPECT_NO_THROW(adding::validate(scattering_profiles()));
  EXPECT_NO_THROW(adding::validate(turned(scattering_profiles())));
  auto p = clear_profiles();
  p.reflectivity = {};
  p.cosmic = {};
  EXPECT_NO_THROW(adding::validate(p));
}

TEST(HostAddingValidate, RefusesShapes) {
  EXPECT_EQ(refusal(HostProfiles()), "validate: planck has shape (0, 0), expected at least (1, 1)");
  auto const with = [](auto member, auto const& value, bool scatters = false) {
    auto p = scatters ? scattering_profiles() : clear_profiles();
    p.*member = value;
    return refusal(p);
  };
  using P = HostProfiles;
  EXPECT_EQ(with(&P::optical_depth, make<double**>(5, 6)), "validate: optical_depth has shape (5, 6), expected (5, 7)");
  EXPECT_EQ(with(&P::mu, make<double**>(5, 0)), "validate: mu has shape (5, 0), expected at least one angle");
  EXPECT_EQ(with(&P::mu, make<double**>(4, 3)), "validate: mu has shape (4, 3), expected (5, 3)");
  EXPECT_EQ(with(&P::weight, make<double**>(5, 2)), "validate: weight has shape (5, 2), expected (5, 3)");
  EXPECT_EQ(with(&P::planck_sfc, HostArray<double*>()), "validate: planck_sfc has shape (0), expected (5)");
  EXPECT_EQ(with(&P::emissivity, make<double**>(5, 4)), "validate: emissivity has shape (5, 4), expected (5, 3)");
  EXPECT_EQ(with(&P::reflectivity, make<double***>(5, 3, 4)),
            "validate: reflectivity has shape (5, 3, 4), expected (5, 3, 3)");
  EXPECT_EQ(with(&P::cosmic, make<double*>(1)), "validate: cosmic has shape (1), expected (5)");
  EXPECT_EQ(with(&P::cos_sun, make<double*>(5)), "validate: solar_irradiance has shape (0), expected (5)");
  EXPECT_EQ(with(&P::solar_irradiance, make<double*>(5)), "validate: cos_sun has shape (0), expected (5)");
  EXPECT_EQ(with(&P::direct_reflectivity, HostArray<double**>(), true),
            "validate: direct_reflectivity has shape (0, 0), expected (5, 3)");
  EXPECT_EQ(with(&P::phase, make<int**>(5, 7)), "validate: phase is given, but single_scattering_albedo is not");
  EXPECT_EQ(with(&P::phase_forward, make<double****>(5, 1, 3, 4)),
            "validate: phase_forward is given, but single_scattering_albedo is not");
  EXPECT_EQ(with(&P::weight, HostArray<double**>(), true), "validate: weight has shape (0, 0), expected (5, 3)");
  EXPECT_EQ(with(&P::single_scattering_albedo, make<double**>(5, 8), true),
            "validate: single_scattering_albedo has shape (5, 8), expected (5, 7)");
  EXPECT_EQ(with(&P::phase_forward, HostArray<double****>(), true),
            "validate: phase_forward is empty, expected at least one matrix");
  EXPECT_EQ(with(&P::phase, make<int**>(7, 5), true), "validate: phase has shape (7, 5), expected (5, 7)");
  EXPECT_EQ(with(&P::phase_forward, make<double****>(5, 2, 3, 3), true),
            "validate: phase_forward has shape (5, 2, 3, 3), expected (5, 2, 3, 4)");
  EXPECT_EQ(with(&P::phase_backward, make<double****>(5, 1, 3, 4), true),
            "validate: phase_backward has shape (5, 1, 3, 4), expected (5, 2, 3, 4)");
}

TEST(HostAddingValidate, RefusesTheFirstBadValue) {
  auto const spoiled = [](auto const& spoil) {
    auto const p = scattering_profiles();
    spoil(p);
    return refusal(p);
  };
  using P = HostProfiles;
  EXPECT_EQ(spoiled([](P const& p) { p.optical_depth(3, 6) = p.optical_depth(4, 0) = -0.1; }),
            "validate: optical_depth(3, 6) = -0.1, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.planck(0, 1) = not_a_number; }),
            "validate: planck(0, 1) = nan, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.mu(2, 2) = 0; }), "validate: mu(2, 2) = 0, expected more than 0 and at most 1");
  EXPECT_EQ(spoiled([](P const& p) { p.mu(2, 2) = 1.0001; }),
            "validate: mu(2, 2) = 1.0001, expected more than 0 and at most 1");
  EXPECT_EQ(spoiled([](P const& p) { p.weight(1, 0) = -0.5; }), "validate: weight(1, 0) = -0.5, expected 0 to 1");
  EXPECT_EQ(spoiled([](P const& p) {
              p.weight(2, 0) = 0.5;
              p.weight(2, 1) = 0.48;
              p.weight(2, 2) = 0;
            }),
            "validate: weight(2): sums to 0.98, expected 1 within 1e-10");
  EXPECT_EQ(spoiled([](P const& p) { p.planck_sfc(4) = INFINITY; }),
            "validate: planck_sfc(4) = inf, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.emissivity(0, 2) = 1.5; }), "validate: emissivity(0, 2) = 1.5, expected 0 to 1");
  EXPECT_EQ(spoiled([](P const& p) { p.reflectivity(1, 2, 0) = -1e-3; }),
            "validate: reflectivity(1, 2, 0) = -0.001, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) {
              for (int j = 0; j < 3; ++j) p.reflectivity(1, 2, j) = 0.5;
            }),
            "validate: reflectivity(1, 2): row sums to 1.5, expected at most 1 within 1e-06");
  EXPECT_EQ(spoiled([](P const& p) { p.cosmic(0) = -1; }), "validate: cosmic(0) = -1, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.solar_irradiance(1) = -1; }),
            "validate: solar_irradiance(1) = -1, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.cos_sun(1) = not_a_number; }),
            "validate: cos_sun(1) = nan, expected a finite number");
  EXPECT_EQ(spoiled([](P const& p) { p.cos_sun(2) = -0.5; }),
            "validate: cos_sun(2) = -0.5, expected more than 0 and at most 1 where solar_irradiance is above 0");
  EXPECT_EQ(spoiled([](P const& p) { p.cos_sun(1) = -0.5; }), "(no parhelion::Error)") << "no sun there";
  EXPECT_EQ(spoiled([](P const& p) { p.direct_reflectivity(0, 1) = -1; }),
            "validate: direct_reflectivity(0, 1) = -1, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.single_scattering_albedo(4, 6) = 1 + 1e-15; }),
            "validate: single_scattering_albedo(4, 6) = 1.000000000000001, expected 0 to 1");
  EXPECT_EQ(spoiled([](P const& p) { p.phase(0, 3) = 2; }), "validate: phase(0, 3) = 2, expected -1 to 1");
  EXPECT_EQ(spoiled([](P const& p) { p.phase(0, 3) = -2; }), "validate: phase(0, 3) = -2, expected -1 to 1");
  EXPECT_EQ(spoiled([](P const& p) { p.phase_forward(1, 0, 2, 3) = not_a_number; }),
            "validate: phase_forward(1, 0, 2, 3) = nan, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.phase_backward(1, 0, 2, 3) = not_a_number; }),
            "validate: phase_backward(1, 0, 2, 3) = nan, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.phase_backward(1, 0, 2, 3) = -0.25; }),
            "validate: phase_backward(1, 0, 2, 3) = -0.25, expected a number of at least 0");
  EXPECT_EQ(spoiled([](P const& p) { p.phase_forward(2, 1, 0, 1) += 0.006; }),
            "validate: phase_forward + phase_backward(2, 1, 0): row sums to 1.002 with the weights, expected 1 within "
            "1e-06");
  EXPECT_EQ(spoiled([](P const& p) { p.phase_forward(2, 1, 0, 3) = 7; }), "(no parhelion::Error)")
      << "the sun's column is not in the sum";
}

TEST(HostAddingValidate, AcceptsMatricesThatNothingUses) {
  auto const p = scattering_profiles();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      p.phase_forward(0, 0, i, j) = p.phase_backward(0, 0, i, j) = 0;  // does not scatter
      p.phase_forward(1, 1, i, j) = 5;                                 // no layer has it, or none that scatters
    }
  for (int k = 0; k < 7; ++k) {
    if (p.phase(1, k) != 1) continue;
    if (k % 2 == 0)
      p.phase(1, k) = 0;
    else
      p.single_scattering_albedo(1, k) = 0;
  }
  EXPECT_EQ(refusal(p), "(no parhelion::Error)");
}

TEST(HostAddingValidate, UsesTheCallersNames) {
  auto const p = scattering_profiles();
  adding::ArrayNames names;
  names.where = "case.h5: s4v";
  names.perturbation = "tl_in/";
  names.others = {{"optical_depth", "od"}, {"phase_forward", "pff"}, {"phase_backward", "pbb"}};
  p.phase_backward(4, 0, 1, 2) += 1;
  auto const message = [&] { return message_of([&] { adding::validate(p, names); }); };
  EXPECT_EQ(message(),
            "case.h5: s4v: pff + pbb(4, 0, 1): row sums to 1.33333333333 with the weights, expected 1 "
            "within 1e-06");
  p.optical_depth(0, 0) = -1;
  EXPECT_EQ(message(), "case.h5: s4v: od(0, 0) = -1, expected a number of at least 0");
  EXPECT_EQ(message_of([&] { adding::compute_radiances(p, {}, nullptr, names); }), message());
  p.optical_depth(0, 0) = 1;
  p.phase_backward(4, 0, 1, 2) -= 1;
  HostPerturbation t;
  t.optical_depth = make<double**>(5, 8);
  EXPECT_EQ(message_of([&] {
              adding::validate({p, t}, names);
            }),
            "case.h5: s4v: tl_in/od has shape (5, 8), expected (5, 7)");
}

TEST(HostAddingValidate, RefusesPerturbationsAndSeeds) {
  auto const clear = clear_profiles(), cloudy = scattering_profiles();
  EXPECT_EQ(refusal({clear, {}, make<double**>(5, 2)}), "validate: adjoint_toa has shape (5, 2), expected (5, 3)");
  auto const seed = make<double**>(5, 3);
  seed(2, 1) = not_a_number;
  EXPECT_EQ(refusal({clear, {}, seed}), "validate: adjoint_toa(2, 1) = nan, expected a finite number");
  auto const with = [](HostProfiles const& p, auto member, auto const& value) {
    HostPerturbation t;
    t.*member = value;
    return refusal({p, t});
  };
  using T = HostPerturbation;
  EXPECT_EQ(with(clear, &T::optical_depth, make<double**>(5, 8)),
            "validate: perturbation_of_optical_depth has shape (5, 8), expected (5, 7)");
  EXPECT_EQ(with(cloudy, &T::phase_forward, make<double****>(5, 2, 3, 3)),
            "validate: perturbation_of_phase_forward has shape (5, 2, 3, 3), expected (5, 2, 3, 4)");
  auto const planck = make<double**>(5, 7);
  planck(4, 6) = INFINITY;
  EXPECT_EQ(with(clear, &T::planck, planck), "validate: perturbation_of_planck(4, 6) = inf, expected a finite number");
  EXPECT_EQ(with(clear, &T::direct_reflectivity, make<double**>(5, 3)),
            "validate: perturbation_of_direct_reflectivity is given, but the profiles have no direct_reflectivity");
  EXPECT_EQ(with(clear, &T::single_scattering_albedo, make<double**>(5, 7)),
            "validate: perturbation_of_single_scattering_albedo is given, but the profiles have no "
            "single_scattering_albedo");
  EXPECT_EQ(with(clear, &T::phase_backward, make<double****>(5, 2, 3, 4)),
            "validate: perturbation_of_phase_backward is given, but the profiles have no phase_backward");
  EXPECT_EQ(with(cloudy, &T::reflectivity, make<double***>(5, 3, 3)), "(no parhelion::Error)");
}

TEST(HostAdding, RefusesOptions) {
  EXPECT_EQ(message_of([] { adding::compute_radiances(clear_profiles(), {.chunk = -1}); }),
            "adding: chunk = -1, expected at least 1, or 0 for an automatic choice");
  EXPECT_EQ(message_of([] { adding::plan_radiances(clear_profiles(), {.devices = -1}); }),
            "adding: devices = -1, expected at least 1, or 0 for all");
}

TEST(HostAdding, MatchesTheFormulaInBothVerticalOrders) {
  auto const up = clear_profiles();
  auto const down = turned(up);
  for (auto const& space : execution_space_names()) {
    auto const a = adding::compute_radiances(up, {.space = space, .levels = true});
    auto const b = adding::compute_radiances(down, {.space = space, .levels = true});
    for (std::size_t p = 0; p < 5; ++p)
      for (std::size_t i = 0; i < 3; ++i) {
        auto const expected = upward(up, p, i);
        double const scale = 200;  // the largest Planck radiance; some 50 roundings of it
        EXPECT_NEAR(a.radiances.up_emergent(p, 0, i), expected[0], 1e-14 * scale);
        EXPECT_NEAR(a.radiances.up_emergent(p, 7, i), expected[1], 1e-14 * scale);
        EXPECT_NEAR(a.radiances.up(p, 7, i), expected[1], 1e-14 * scale);
        EXPECT_NEAR(a.radiances.dn(p, 7, i), up.cosmic(p), 1e-14 * scale);
        for (std::size_t k = 0; k < 8; ++k) {
          EXPECT_EQ(b.radiances.up_emergent(p, k, i), a.radiances.up_emergent(p, 7 - k, i))
              << "the same but for the order";
          EXPECT_EQ(b.radiances.up(p, k, i), a.radiances.up(p, 7 - k, i));
          EXPECT_EQ(b.radiances.dn(p, k, i), a.radiances.dn(p, 7 - k, i));
        }
      }
  }
}

TEST(HostAdding, OrderAndDerivativesOfScatteringProfiles) {
  auto const up = scattering_profiles();
  auto const down = turned(up);
  auto const seed = seed_of(up);
  auto const a = adding::compute_radiances({up, {}, seed});
  auto const b = adding::compute_radiances({down, {}, seed});
  for (std::size_t p = 0; p < 5; ++p) {
    for (std::size_t k = 0; k < 8; ++k)
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(b.radiances.up_emergent(p, k, i), a.radiances.up_emergent(p, 7 - k, i));
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(b.derivative.optical_depth(p, k), a.derivative.optical_depth(p, 6 - k));
      EXPECT_EQ(b.derivative.planck(p, k), a.derivative.planck(p, 6 - k));
      EXPECT_EQ(b.derivative.single_scattering_albedo(p, k), a.derivative.single_scattering_albedo(p, 6 - k));
    }
  }
  EXPECT_EQ(values_of(b.derivative.phase_forward), values_of(a.derivative.phase_forward)) << "matrices have no order";
  EXPECT_GT(std::abs(a.derivative.optical_depth(0, 0)), 0);
}

// The seed times the tangent-linear radiances is the perturbation times the derivatives.
TEST(HostAdding, TangentAndAdjointAgree) {
  for (bool const scatters : {false, true}) {
    auto const p = turned(scatters ? scattering_profiles() : clear_profiles());
    auto const perturbation = perturbation_of(p);
    auto const seed = seed_of(p);
    auto const r = adding::compute_radiances({p, perturbation, seed});
    double tangent = 0, adjoint = 0, scale = 0;
    for (std::size_t i = 0; i < seed.size(); ++i) tangent += seed.data()[i] * r.tangent_toa.data()[i];
    auto const by = members_of(r.derivative), of = members_of(perturbation);
    for (std::size_t m = 0; m < by.size(); ++m) {
      ASSERT_EQ(by[m].size(), of[m].size()) << "member " << m;
      for (std::size_t i = 0; i < by[m].size(); ++i) {
        adjoint += by[m][i] * of[m][i];
        scale += std::abs(by[m][i] * of[m][i]);
      }
    }
    EXPECT_NEAR(tangent, adjoint, 1e-12 * scale) << (scatters ? "scattering" : "clear");
    EXPECT_GT(scale, 1);
  }
}

// Bit for bit: a profile must not know its neighbours, which decide nothing about its surface or its sun.
TEST(HostAdding, TheChunkChangesNothing) {
  for (bool const scatters : {false, true}) {
    auto p = scatters ? scattering_profiles(19) : clear_profiles(19);
    if (!scatters) add_sun(p);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        p.reflectivity(0, i, j) = 0;
        if (i != j) p.reflectivity(1, i, j) = 0;
      }
    auto const perturbation = perturbation_of(p);
    auto const seed = seed_of(p);
    HostAddingInput const input(p, perturbation, seed);
    HostAddingOptions options{.levels = true};
    for (auto const& space : execution_space_names())
      for (auto const precision : {Precision::float32, Precision::float64}) {
        options.space = space;
        options.precision = precision;
        options.chunk = 0;
        options.progress = {};
        auto const whole = adding::compute_radiances(input, options);
        for (int const chunk : {1, 3, 8, 19, 100}) {
          options.chunk = chunk;
          std::vector<int> done;
          options.progress = [&](std::int64_t n, std::int64_t all) {
            done.push_back(static_cast<int>(n));
            EXPECT_EQ(all, 19);
            return true;
          };
          HostAddingReport report;
          EXPECT_TRUE(same(adding::compute_radiances(input, options, &report), whole)) << space << ", chunk " << chunk;
          EXPECT_EQ(report.plan.chunk, std::min(chunk, 19));
          EXPECT_EQ(done.back(), 19);
          EXPECT_EQ(static_cast<int>(done.size()), (19 + report.plan.chunk - 1) / report.plan.chunk);
        }
      }
  }
}

TEST(HostAdding, WhatHasNoEffectChangesNothing) {
  auto const radiances = [](HostProfiles const& p) {
    return values_of(adding::compute_radiances(p).radiances.up_emergent);
  };
  // No reflection, given as zeros or not at all.
  auto p = clear_profiles();
  fill(p.reflectivity, [](std::size_t) { return 0.; });
  auto const black = radiances(p);
  p.reflectivity = {};
  EXPECT_EQ(radiances(p), black);
  p.cosmic = {};
  EXPECT_EQ(radiances(p), black) << "nothing reflects it";
  // A sun below the horizon of all.
  add_sun(p);
  fill(p.solar_irradiance, [](std::size_t) { return 0.; });
  fill(p.cos_sun, [](std::size_t) { return -0.5; });
  EXPECT_EQ(radiances(p), black);
  // Of some: their angle must not matter.
  p.solar_irradiance(1) = 100;
  p.cos_sun(1) = 0.5;
  auto const some = radiances(p);
  fill(p.cos_sun, [](std::size_t i) { return i == 1 ? 0.5 : 0.9; });
  EXPECT_EQ(radiances(p), some);
}

TEST(HostAdding, DiagonalReflectivityIsSpecular) {
  auto p = clear_profiles();
  for (std::size_t q = 0; q < 5; ++q)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (i != j) p.reflectivity(q, i, j) = 0;
  auto const r = adding::compute_radiances(p);
  for (std::size_t q = 0; q < 5; ++q)
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(r.radiances.up_emergent(q, 7, i), upward(p, q, i)[1], 2e-12);
}

TEST(HostAdding, ZeroMatricesDoNotScatter) {
  auto const p = scattering_profiles();
  auto const q = scattering_profiles();
  for (int k = 0; k < 7; ++k)
    if (p.phase(2, k) == 1) p.phase(2, k) = -1;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) q.phase_forward(2, 1, i, j) = q.phase_backward(2, 1, i, j) = 0;
  EXPECT_EQ(values_of(adding::compute_radiances(p).radiances.up_emergent),
            values_of(adding::compute_radiances(q).radiances.up_emergent));
}

TEST(HostAdding, ReportsWhatRan) {
  for (bool const scatters : {false, true}) {
    auto const p = scatters ? scattering_profiles() : clear_profiles();
    HostAddingReport report;
    adding::compute_radiances(p, {}, &report);
    EXPECT_EQ(report.plan.space, execution_space_names().front());
    EXPECT_EQ(report.strategy == Strategy::automatic, !scatters) << "a clear sky is cut by how much there is to do";
    EXPECT_EQ(report.plan.chunk, 5) << "all";
    EXPECT_EQ(report.done, 5);
    EXPECT_GT(report.plan.device_bytes, 8 * (p.planck.size() + 5 * 8 * 3));
    EXPECT_GT(report.solve_seconds, 0);
    EXPECT_GE(report.total_seconds, report.solve_seconds);
    adding::compute_radiances(p, {.strategy = Strategy::team_scan}, &report);
    EXPECT_EQ(report.strategy, Strategy::team_scan);
  }
  EXPECT_TRUE(message_of([] {
                adding::compute_radiances(clear_profiles(), {.space = "abacus"});
              }).starts_with("execution space: 'abacus'"));
}

TEST(HostAdding, RefusesResultsThatAreNotFinite) {
  auto const p = clear_profiles();
  p.planck(3, 6) = 1e300;  // beyond single precision
  EXPECT_NO_THROW(adding::compute_radiances(p));
  EXPECT_EQ(message_of([&] { adding::compute_radiances(p, {.precision = Precision::float32}); }),
            "adding: the result of profile 3 is not finite");
}

// --- arrays of any precision and strides, repeated calls, instances ------------------------------------------------

namespace {

// All arrays of a call in the caller's way.
template <Floating Real, class Layout>
struct CallersArrays {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, Kokkos::HostSpace>;
  using Result = adding::AddingResult<Kokkos::DefaultHostExecutionSpace, Real, Layout>;

  BasicHostProfiles<Real, Layout> profiles;
  adding::Perturbation<Kokkos::DefaultHostExecutionSpace, Real, Layout> perturbation;
  View<Real**> seed;
  Result result;

  HostAddingInput input() const { return {profiles, perturbation, seed}; }
};

// The strides of a layout; of LayoutStride the profile is the fastest index, and there is room behind each dimension.
template <class Layout>
Layout layout_of(std::vector<std::size_t> const& extents) {
  Layout layout;
  for (std::size_t d = 0; d < extents.size(); ++d) layout.dimension[d] = extents[d];
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
    std::size_t stride = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      layout.stride[d] = stride;
      stride *= extents[d] + 2;
    }
  }
  return layout;
}

template <class To, class From>
void copy_array(From const& from, To& to) {
  if (from.size() == 0) return;
  std::vector<std::size_t> extents;
  for (std::size_t d = 0; d < From::rank(); ++d) extents.push_back(from.extent(d));
  to = To(std::string("callers"), layout_of<typename To::array_layout>(extents));
  ArrayCopies copies;
  copies.add(array_ref(from), array_ref(to));
  copies.run(Kokkos::DefaultHostExecutionSpace());
}

template <Floating Real, class Layout>
CallersArrays<Real, Layout> callers_arrays(HostProfiles const& profiles, HostPerturbation const& perturbation,
                                           HostArray<double**> const& seed) {
  CallersArrays<Real, Layout> arrays;
  arrays.profiles.order = profiles.order;
  auto const copy = [](ArrayDescription const&, auto const& from, auto& to) { copy_array(from, to); };
  using Host = Kokkos::DefaultHostExecutionSpace;
  adding::Profiles<Host, double>::for_each_array(copy, profiles, arrays.profiles);
  HostPerturbation::for_each_array(copy, perturbation, arrays.perturbation);
  copy_array(seed, arrays.seed);
  auto const like = adding::make_host_radiances(HostAddingInput(profiles, perturbation, seed), true);
  HostRadiances::for_each_array(copy, like, arrays.result);
  return arrays;
}

// In double and row-major again.
template <class Result>
HostRadiances plain(Result const& result) {
  HostRadiances to;
  HostRadiances::for_each_array([](ArrayDescription const&, auto const& from, auto& view) { copy_array(from, view); },
                                result, to);
  return to;
}

// The largest difference of two results, relative to the largest value of each array.
double largest_difference(HostRadiances const& a, HostRadiances const& b) {
  auto const left = members_of(a), right = members_of(b);
  double worst = 0;
  for (std::size_t m = 0; m < left.size(); ++m) {
    if (left[m].size() != right[m].size()) return INFINITY;
    double largest = 0;
    for (double const x : right[m]) largest = std::max(largest, std::abs(x));
    for (std::size_t i = 0; i < left[m].size(); ++i)
      if (left[m][i] != right[m][i]) worst = std::max(worst, std::abs(left[m][i] - right[m][i]) / largest);
  }
  return worst;
}

template <Floating Real, class Layout>
HostRadiances compute(CallersArrays<Real, Layout> const& arrays, HostAddingOptions const& options) {
  HostAdding adding(arrays.input(), options);
  adding.compute(arrays.input(), arrays.result);
  return plain(arrays.result);
}

}  // namespace

TEST(HostAdding, StridesPrecisionAndOrderOfArraysAreTheCallers) {
  for (bool const scatters : {false, true})
    for (bool const top_first : {false, true}) {
      auto p = scatters ? scattering_profiles(19) : clear_profiles(19);
      if (!scatters) add_sun(p);
      if (top_first) p = turned(p);
      auto const perturbation = perturbation_of(p);
      auto const seed = seed_of(p);
      HostAddingOptions const options{.levels = true, .chunk = 8};
      auto const expected = adding::compute_radiances({p, perturbation, seed}, options);
      EXPECT_TRUE(same(compute(callers_arrays<double, Kokkos::LayoutRight>(p, perturbation, seed), options), expected));
      EXPECT_TRUE(same(compute(callers_arrays<double, Kokkos::LayoutLeft>(p, perturbation, seed), options), expected));
      EXPECT_TRUE(
          same(compute(callers_arrays<double, Kokkos::LayoutStride>(p, perturbation, seed), options), expected));
      // In float what goes in and what comes out is rounded; the solver computes in double all the same.
      auto const row_major = compute(callers_arrays<float, Kokkos::LayoutRight>(p, perturbation, seed), options);
      EXPECT_LT(largest_difference(row_major, expected), scatters ? 2e-5 : 2e-6);
      EXPECT_GT(largest_difference(row_major, expected), 1e-9);
      for (auto const& others : {compute(callers_arrays<float, Kokkos::LayoutLeft>(p, perturbation, seed), options),
                                 compute(callers_arrays<float, Kokkos::LayoutStride>(p, perturbation, seed), options)})
        EXPECT_TRUE(same(others, row_major));
    }
}

// The upward radiance at the top by itself is what it is among those of all levels, but for rounding.
TEST(HostAdding, RadiancesAtTheTopByThemselves) {
  for (bool const scatters : {false, true}) {
    auto const p = scatters ? scattering_profiles() : clear_profiles();
    auto const all = adding::compute_radiances(p);
    HostRadiances top;
    top.radiances.toa = make<double**>(5, 3);
    HostAdding adding{HostAddingInput(p)};
    adding.compute(p, top);
    for (std::size_t q = 0; q < 5; ++q)
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(top.radiances.toa(q, i), all.radiances.up_emergent(q, 7, i), 2e-12);
  }
}

TEST(HostAdding, ProfilesMayShareAnglesAndMatrices) {
  auto p = scattering_profiles();
  auto const first = [](auto const& view) {
    std::decay_t<decltype(view)> one;
    auto layout = view.layout();
    layout.dimension[0] = 1;
    one = std::decay_t<decltype(view)>("one", layout);
    for (std::size_t i = 0; i < one.size(); ++i) one.data()[i] = view.data()[i];
    return one;
  };
  auto const repeat = [](auto const& view) {
    std::size_t const each = view.size() / view.extent(0);
    for (std::size_t i = each; i < view.size(); ++i) view.data()[i] = view.data()[i % each];
  };
  repeat(p.mu);
  repeat(p.weight);
  repeat(p.phase_forward);
  repeat(p.phase_backward);
  auto const expected = adding::compute_radiances(p, {.chunk = 2});
  p.mu = first(p.mu);
  p.weight = first(p.weight);
  p.phase_forward = first(p.phase_forward);
  p.phase_backward = first(p.phase_backward);
  EXPECT_TRUE(same(adding::compute_radiances(p, {.chunk = 2}), expected));
}

TEST(HostAdding, CanBeCalledAgain) {
  for (bool const scatters : {false, true}) {
    auto const profiles = [&](int n) { return scatters ? scattering_profiles(n) : clear_profiles(n); };
    auto const many = profiles(30);
    HostAdding adding(many, {.levels = true, .chunk = 7});
    EXPECT_EQ(adding.plan().chunk, 7);
    // More, fewer and one profile; black and mirror-like surfaces, too.
    for (int const n : {30, 41, 3, 1}) {
      auto const p = profiles(n);
      for (int const surface : {0, 1, 2}) {
        for (std::size_t i = 0; i < p.reflectivity.size(); ++i)
          if (surface == 2 || (surface == 1 && i % 9 % 4 != 0)) p.reflectivity.data()[i] = 0;
        auto const result = adding::make_host_radiances(p, true);
        HostAddingReport report;
        adding.compute(p, result, &report);
        EXPECT_EQ(report.done, n);
        EXPECT_LT(largest_difference(result, adding::compute_radiances(p, {.levels = true})), 1e-13) << n;
      }
    }
    auto const deeper = scatters ? scattering_profiles(4, 9) : clear_profiles(4, 9);
    EXPECT_EQ(message_of([&] { adding.compute(deeper, adding::make_host_radiances(deeper, true)); }),
              "adding: optical_depth has shape (4, 9), expected (4, 7)");
    auto const seed = seed_of(many);
    EXPECT_EQ(message_of([&] {
                adding.compute({many, {}, seed}, adding::make_host_radiances(many, true));
              }),
              "adding: adjoint_toa is given, expected none, because this was made for calls without it");
    // The call after one that failed is as good as any.
    auto const result = adding::make_host_radiances(many, true);
    adding.compute(many, result);
    EXPECT_TRUE(same(result, adding::compute_radiances(many, {.levels = true})));
  }
}

TEST(HostAdding, CanBeStopped) {
  auto const p = clear_profiles(20);
  auto const expected = adding::compute_radiances(p);
  HostAddingReport report;
  auto const r = adding::compute_radiances(
      p, {.chunk = 4, .progress = [](std::int64_t done, std::int64_t) { return done < 8; }}, &report);
  EXPECT_EQ(report.done, 8);
  for (std::size_t q = 0; q < 20; ++q)
    EXPECT_EQ(r.radiances.up_emergent(q, 7, 1), q < 8 ? expected.radiances.up_emergent(q, 7, 1) : 0) << q;
}

TEST(HostAdding, ConstantArraysAreEnough) {
  auto const p = clear_profiles();
  HostAddingInput const input(p);
  EXPECT_EQ(input.order, VerticalOrder::surface_first);
  auto reversed = input;
  reversed.order = VerticalOrder::top_first;
  EXPECT_TRUE(same(adding::compute_radiances(reversed), [&] {
    auto q = p;
    q.order = VerticalOrder::top_first;
    return adding::compute_radiances(q);
  }()));
}

template <class Space>
struct HostAddingOnInstances : testing::Test {};
TYPED_TEST_SUITE(HostAddingOnInstances, Spaces, SpaceName);

// Each thread of a caller has its own object and instance.
TYPED_TEST(HostAddingOnInstances, ThreadsOfACallerHaveOneEach) {
  using Space = TypeParam;
  for (bool const scatters : {false, true}) {
    auto const p = scatters ? scattering_profiles(64) : clear_profiles(64);
    auto const expected = adding::compute_radiances(p, {.space = std::string(Space::name())});
    std::vector<HostAdding> objects;
    std::vector<HostRadiances> results;
    for (int t = 0; t < 2; ++t) {
      objects.emplace_back(another_instance<Space>(), p, HostAddingOptions{.chunk = 8});
      results.push_back(adding::make_host_radiances(p));
    }
    auto const work = [&](std::size_t t) {
      for (int i = 0; i < 10; ++i) objects[t].compute(p, results[t]);
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 2; ++t) threads.emplace_back(work, t);
    for (auto& thread : threads) thread.join();
    for (auto const& result : results) EXPECT_TRUE(same(result, expected));
    for (auto& result : results) result = adding::make_host_radiances(p);
    if (call_from_a_region<Space>(work)) {
      for (auto const& result : results) EXPECT_TRUE(same(result, expected)) << "from a parallel region";
    }
  }
}

template <class Pair>
struct AddingOfDevices : testing::Test {};
TYPED_TEST_SUITE(AddingOfDevices, SpacesAndReals, PairName);

TYPED_TEST(AddingOfDevices, ArraysOnADeviceGiveTheBitsOfHostArrays) {
  using Space = typename TypeParam::ExecutionSpace;
  HostAddingOptions options{.space = std::string(Space::name()), .levels = true, .chunk = 4};
  options.precision = std::is_same_v<typename TypeParam::Real, float> ? Precision::float32 : Precision::float64;
  for (bool const scatters : {false, true})
    for (auto const order : {VerticalOrder::surface_first, VerticalOrder::top_first}) {
      auto p = scatters ? scattering_profiles(11) : clear_profiles(11);
      if (!scatters) add_sun(p);
      p.cos_sun(1) = -1;  // there is no sun
      p.order = order;
      HostAddingInput const of_host(p);
      auto const expected = adding::make_host_radiances(of_host, true);
      HostAdding(of_host, options).compute(of_host, expected);

      Space const space = another_instance<Space>();
      DeviceArrays<Space> memory;
      HostAddingInput input;
      input.order = order;
      for (auto const& array : of_host.arrays) input.arrays.push_back(memory.bring(array));
      std::vector<ArrayRef> result;
      for (auto const& array : array_refs(expected)) result.push_back(memory.room(array));
      adding::DeviceAdding<Space> adding(space, input, options);
      EXPECT_GT(adding.bytes(), 0U);
      adding.compute(space, input, result);
      expect_good_manners(watch([&] { adding.compute(space, input, result); }), space);
      EXPECT_TRUE(adding.status(space).good());
      std::size_t i = 0;
      HostRadiances::for_each_array(
          [&](ArrayDescription const& description, auto const& view) {
            auto const& array = result[i++];
            if (array.empty()) return;
            EXPECT_EQ(memory.values(array), entries_of(view)) << description.name;
            EXPECT_TRUE(memory.padding_is_untouched(array)) << description.name;
          },
          expected);

      // Fewer results, and what is not finite.
      result.at(2) = {};
      p.planck(9, 2) = not_a_number;
      input.arrays[2] = memory.bring(array_ref(p.planck));
      adding.compute(space, input, result);
      EXPECT_FALSE(adding.status(space).good());
      EXPECT_TRUE(adding.status(space).good());

      auto wrong = input;
      wrong.arrays[2].extents[0] = 10;
      EXPECT_NE(message_of([&] { adding.compute(space, wrong, result); }).find("shape"), std::string::npos);
    }
}
