// SPDX-License-Identifier: BSD-3-Clause
#include "ecckd/longwave_lanes.hpp"
#include "ecckd/shortwave_lanes.hpp"
#include "ecckd_definitions.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/io/ecckd_files.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::fluxes;
using namespace parhelion::Testing;
using ecckd::Concentration;
using ecckd::Definition;
using Host = Kokkos::DefaultHostExecutionSpace;

/// Columns as ecCKD's files have them: the layers of each from the top, and the temperature of the surface.
struct EcckdColumns {
  std::vector<std::vector<EcckdLayer>> layers;
  std::vector<double> temperature_sfc;
  int ncol() const { return static_cast<int>(layers.size()); }
  int nlay() const { return static_cast<int>(layers.front().size()); }
};

/// Fills Views of parhelion's order, in which the surface comes first.
template <class AnyColumns>
void fill(AnyColumns const& columns, EcckdColumns const& from) {
  auto const set = [](auto const& view, auto const& value) {
    auto const mirror = Kokkos::create_mirror_view(view);
    value(mirror);
    parhelion::assign_array(view, mirror);
  };
  int const nlay = from.nlay();
  auto const level = [&](auto of_top, auto of_bottom) {
    return [=, &from](auto const& view) {
      for (int c = 0; c < from.ncol(); ++c)
        for (int k = 0; k < nlay; ++k) {
          auto const& layer = from.layers[static_cast<std::size_t>(c)][static_cast<std::size_t>(nlay - 1 - k)];
          using Real = typename std::decay_t<decltype(view)>::value_type;
          view(c, k) = static_cast<Real>(of_bottom(layer));
          view(c, k + 1) = static_cast<Real>(of_top(layer));
        }
    };
  };
  set(columns.pressure_lev,
      level([](EcckdLayer const& l) { return l.pressure_top; }, [](EcckdLayer const& l) { return l.pressure_bottom; }));
  set(columns.temperature_lev, level([](EcckdLayer const& l) { return l.temperature_top; },
                                     [](EcckdLayer const& l) { return l.temperature_bottom; }));
  // Nothing may depend on these.
  parhelion::assign_array(columns.pressure_lay, std::numeric_limits<float>::quiet_NaN());
  parhelion::assign_array(columns.temperature_lay, std::numeric_limits<float>::quiet_NaN());
  set(columns.vmr, [&](auto const& view) {
    for (int c = 0; c < from.ncol(); ++c)
      for (int gas = 0; gas < static_cast<int>(view.extent(1)); ++gas)
        for (int k = 0; k < nlay; ++k) {
          auto const& ratios =
              from.layers[static_cast<std::size_t>(c)][static_cast<std::size_t>(nlay - 1 - k)].mole_fraction;
          auto const found = ratios.find(std::string(name_of(static_cast<Gas>(gas))));
          using Real = typename std::decay_t<decltype(view)>::value_type;
          view(c, gas, k) = static_cast<Real>(found == ratios.end() ? 0 : found->second);
        }
  });
}

template <class ViewType>
std::vector<double> fetch(ViewType const& view) {
  auto const mirror = parhelion::host_copy(view);
  return std::vector<double>(mirror.data(), mirror.data() + mirror.size());
}

/// Results in the order of the input: (column, layer or level from the top, g-point).
struct Optics {
  int nlay = 0, ng = 0;
  std::vector<double> tau, planck_lev, planck_sfc, rayleigh;
  double of(std::vector<double> const& values, int column, int layer, int g, int more = 0) const {
    return values.at(static_cast<std::size_t>((column * (nlay + more) + nlay + more - 1 - layer) * ng + g));
  }
};

template <class Space, class Real>
Optics compute(Definition const& definition, EcckdColumns const& from) {
  Space const space;
  Optics result;
  int const ncol = from.ncol(), nlay = result.nlay = from.nlay(), ng = result.ng = definition.ngpoint();
  Array<Real***, Space> const tau("tau", ncol, nlay, ng);
  if (definition.is_longwave) {
    ecckd::Longwave<Space, Real> const model(space, definition);
    auto const columns = make_columns<Space, Real>(ncol, nlay, 1);
    fill(columns, from);
    auto const mirror = Kokkos::create_mirror_view(columns.temperature_sfc);
    for (int c = 0; c < ncol; ++c) mirror(c) = static_cast<Real>(from.temperature_sfc[static_cast<std::size_t>(c)]);
    parhelion::assign_array(columns.temperature_sfc, mirror);
    Array<Real***, Space> const planck_lev("planck_lev", ncol, nlay + 1, ng);
    Array<Real**, Space> const planck_sfc("planck_sfc", ncol, ng);
    ecckd::compute_optical_depths(space, model, columns, tau, planck_lev, planck_sfc);
    space.fence();
    result.planck_lev = fetch(planck_lev);
    result.planck_sfc = fetch(planck_sfc);
  } else {
    ecckd::Shortwave<Space, Real> const model(space, definition);
    auto columns = make_shortwave_columns<Space, Real>(ncol, nlay, 1);
    columns.temperature_lev = Array<Real**, Space>("temperature_lev", ncol, nlay + 1);
    fill(columns, from);
    Array<Real***, Space> const rayleigh("rayleigh", ncol, nlay, ng);
    ecckd::compute_optical_depths(space, model, columns, tau, rayleigh);
    space.fence();
    result.rayleigh = fetch(rayleigh);
  }
  result.tau = fetch(tau);
  return result;
}

/// Columns over all of the tables and beyond; the first one has no gases.
EcckdColumns made_up_columns() {
  EcckdColumns columns;
  int const nlay = 9;
  for (int c = 0; c < 5; ++c) {
    std::vector<EcckdLayer> layers;
    double pressure = 0.01, temperature = 130 + 10 * c;
    for (int k = 0; k < nlay; ++k) {
      double const below = k == 0 ? 3 : pressure * (4.7 - 0.2 * c);
      double const warmer = 130 + 10 * c + 30 * (k + 1) * (1 + 0.2 * std::sin(c + 3. * k));
      EcckdLayer layer{pressure, below, temperature, warmer, {}};
      if (c > 0)
        layer.mole_fraction = {{"co2", 4e-4 * (1 + 0.1 * k)},
                               {"h2o", 1e-7 * std::pow(4., k + 0.3 * c)},
                               {"ch4", c == 2 ? 4e-7 : 1.7e-6 + 1e-7 * k},
                               {"o3", 1e-5}};
      layers.push_back(layer);
      pressure = below;
      temperature = warmer;
    }
    columns.layers.push_back(layers);
    columns.temperature_sfc.push_back(90 + 80. * c);
  }
  return columns;
}

/// Greatest difference from the formulas: of optical depths over the sum of the gases' amounts, and of Planck functions
/// and Rayleigh scattering over their values.
struct Differences {
  double tau = 0, planck = 0, rayleigh = 0;
  int below_zero = 0;
};

Differences differences(Definition const& d, EcckdColumns const& from, Optics const& mine) {
  Differences worst;
  auto const larger = [](double& most, double value) {
    if (!(value <= most)) most = value;
  };
  for (int c = 0; c < from.ncol(); ++c)
    for (int k = 0; k < from.nlay(); ++k) {
      auto const& layer = from.layers[static_cast<std::size_t>(c)][static_cast<std::size_t>(k)];
      std::vector<double> sum(d.band_number.size(), 0.), size(d.band_number.size(), 0.);
      for (auto const& gas : d.gases) {
        auto const tau = ecckd_optical_depth(d, gas, layer);
        for (std::size_t g = 0; g < tau.size(); ++g) {
          sum[g] += tau[g];
          size[g] += std::abs(tau[g]);
        }
      }
      for (int g = 0; g < mine.ng; ++g) {
        auto const at = static_cast<std::size_t>(g);
        worst.below_zero += sum[at] < 0 ? 1 : 0;
        larger(worst.tau, std::abs(mine.of(mine.tau, c, k, g) - std::max(sum[at], 0.)) / size[at]);
        if (d.is_longwave) {
          double const bottom = ecckd_planck(d, layer.temperature_bottom, at);
          double const top = ecckd_planck(d, layer.temperature_top, at);
          larger(worst.planck, std::abs(mine.of(mine.planck_lev, c, k + 1, g, 1) / bottom - 1));
          larger(worst.planck, std::abs(mine.of(mine.planck_lev, c, k, g, 1) / top - 1));
          double const skin = ecckd_planck(d, from.temperature_sfc[static_cast<std::size_t>(c)], at);
          larger(worst.planck, std::abs(mine.planck_sfc.at(static_cast<std::size_t>(c * mine.ng + g)) / skin - 1));
        } else {
          double const expected = ecckd_moles(layer) * d.rayleigh_molar_scattering[at];
          larger(worst.rayleigh, std::abs(mine.of(mine.rayleigh, c, k, g) / expected - 1));
        }
      }
    }
  return worst;
}

template <class Pair>
struct EcckdTest : testing::Test {};
TYPED_TEST_SUITE(EcckdTest, SpacesAndReals, PairName);

TYPED_TEST(EcckdTest, MeetsTheFormulas) {
  using Real = typename TypeParam::Real;
  double const most = std::is_same_v<Real, double> ? 1e-13 : 3e-6;
  for (bool const longwave : {true, false})
    for (int const ng : {1, 16, 19}) {
      auto const definition = made_up_definition(longwave, ng);
      auto const columns = made_up_columns();
      auto const worst =
          differences(definition, columns, compute<typename TypeParam::ExecutionSpace, Real>(definition, columns));
      EXPECT_LE(worst.tau, most) << longwave << ", " << ng;
      EXPECT_LE(worst.planck, most) << longwave << ", " << ng;
      EXPECT_LE(worst.rayleigh, most) << longwave << ", " << ng;
      EXPECT_GT(worst.below_zero, 0) << "the columns are to test the limit";
    }
}

// What the kernels take: layers side by side, neighbouring rows, padding, and the Planck functions of both levels.
TYPED_TEST(EcckdTest, ListsHoldWhatKernelsNeed) {
  using Real = typename TypeParam::Real;
  using Space = Host;
  double const most = std::is_same_v<Real, double> ? 1e-13 : 3e-6;
  auto const from = made_up_columns();
  auto const definition = made_up_definition(true);
  ecckd::Longwave<Space, Real> const model(definition);
  using Lanes = fluxes::Impl::LaneOptics<ecckd::Longwave<Space, Real>>;
  Lanes const lanes(model);
  EXPECT_EQ(lanes.nlist(), 1);
  EXPECT_EQ(lanes.stride(), 32);
  EXPECT_EQ(lanes.nplanck(), 0);
  EXPECT_EQ(lanes.pairs(0), 10);
  int gpoints = 0;
  for (auto const& group : lanes.groups()) {
    EXPECT_EQ(group.first, gpoints);
    EXPECT_EQ(group.gpoint, gpoints);
    gpoints += group.n;
  }
  EXPECT_EQ(gpoints, 19);

  auto const columns = make_columns<Space, Real>(from.ncol(), from.nlay(), 1);
  fill(columns, from);
  auto const expected = compute<Space, Real>(definition, from);
  int const c = 3;
  int const nlay = from.nlay();
  auto const flat = [&](int layer, int g) { return static_cast<std::size_t>((c * nlay + layer) * expected.ng + g); };
  for (int first = 0; first < nlay; first += Lanes::layers) {
    typename Lanes::State state;
    typename Lanes::Terms terms;
    std::vector<typename Lanes::Terms::Pack> packs(static_cast<std::size_t>(Lanes::Terms::packs(lanes.pairs(0))));
    lanes.set_state(state, columns, c, first, nlay - 1);
    lanes.set_terms(terms, packs.data(), 0, state);
    fluxes::Impl::PairList<typename Lanes::Terms> const pairs(packs.data());
    ASSERT_EQ(terms.count, lanes.pairs(0));
    for (int l = 0; l < Lanes::layers && first + l < nlay; ++l)
      for (int g = 0; g < lanes.stride(); ++g) {
        double tau = 0;
        for (int pair = 0; pair < terms.count; ++pair)
          for (int i = 0; i < 2; ++i)
            tau +=
                static_cast<double>(pairs.weight(i, pair)[l] *
                                    lanes.values()[pairs.row(pair)[l] + static_cast<unsigned>(i * lanes.stride() + g)]);
        double planck[2] = {};
        for (int level = 0; level < 2; ++level)
          for (int i = 0; i < 2; ++i)
            planck[level] += static_cast<double>(
                terms.second.weight[level][i][l] *
                lanes.values()[terms.second.row[level][l] + static_cast<unsigned>(i * lanes.stride() + g)]);
        if (g >= expected.ng) {
          EXPECT_EQ(tau, 0) << "padding";
          EXPECT_EQ(planck[0], 0);
          EXPECT_EQ(planck[1], 0);
          continue;
        }
        int const layer = first + l;
        EXPECT_NEAR(std::max(tau, 0.), expected.tau.at(flat(layer, g)), 10 * most * std::abs(tau) + 1e-7 * most);
        auto const& here = from.layers[c][static_cast<std::size_t>(nlay - 1 - layer)];
        double const pi = Kokkos::numbers::pi;
        for (int level = 0; level < 2; ++level) {
          double const kelvin = level == 0 ? here.temperature_bottom : here.temperature_top;
          double const planck_there = ecckd_planck(definition, kelvin, static_cast<std::size_t>(g));
          EXPECT_NEAR(pi * planck[level] / planck_there, 1, most);
          EXPECT_NEAR(pi * lanes.planck(g, lanes.at_temperature(static_cast<Real>(kelvin))) / planck_there, 1, most);
        }
      }
  }
}

TEST(Ecckd, DerivativesArePlanckFunctionsSlopes) {
  auto const definition = made_up_definition(true);
  using Lanes = fluxes::Impl::LaneOptics<ecckd::Longwave<Host, double>>;
  Lanes const lanes(ecckd::Longwave<Host, double>{definition});
  for (double const kelvin : {20., 149., 151., 233., 369.9, 420.})
    for (int const g : {0, 7, 18}) {
      double const step = 0.01;
      double const slope = (lanes.planck(g, lanes.at_temperature(kelvin + step)) -
                            lanes.planck(g, lanes.at_temperature(kelvin - step))) /
                           (2 * step);
      EXPECT_NEAR(lanes.planck_derivative(g, lanes.at_temperature(kelvin)), slope, 1e-9 * slope);
    }
  EXPECT_EQ(lanes.planck(20, lanes.at_temperature(300)), 0) << "padding";
}

TEST(Ecckd, ModelsTellWhatTheFileSays) {
  auto const longwave = ecckd::Longwave<Host, float>(made_up_definition(true));
  EXPECT_EQ(longwave.sizes().ngas, ngas_all);
  EXPECT_EQ(longwave.sizes().nband, 2);
  EXPECT_EQ(longwave.sizes().ngpoint, 19);
  EXPECT_EQ(longwave.gases(), (std::vector{Gas::co2, Gas::h2o, Gas::ch4}));
  EXPECT_EQ(longwave.band_of_gpoints().front(), 0);
  EXPECT_EQ(longwave.band_of_gpoints().back(), 1);
  EXPECT_EQ(longwave.bands()[1].wavenumber_low, 18000);
  EXPECT_EQ(longwave.bands()[1].wavenumber_high, 26000);
  EXPECT_EQ(longwave.table_ranges().temperature.lowest, 180);
  EXPECT_EQ(longwave.table_ranges().temperature.highest, 180 + 8 * 6 + 50);
  EXPECT_EQ(longwave.table_ranges().pressure.lowest, 10);
  ASSERT_EQ(longwave.table_ranges().gases.size(), 1U);
  EXPECT_EQ(longwave.table_ranges().gases[0].mole_fraction.lowest, 1e-6);
  EXPECT_EQ(longwave.validity().temperature.lowest, 100);

  auto const shortwave = ecckd::Shortwave<Host, double>(made_up_definition(false));
  auto const share = shortwave.solar_share();
  EXPECT_NEAR(std::accumulate(share.begin(), share.end(), 0.), 1, 1e-15);
  EXPECT_NEAR(share[3] / share[0], (3 + std::cos(3.)) / 4, 1e-15);
  using Lanes = fluxes::Impl::ShortwaveOptics<ecckd::Shortwave<Host, double>>;
  Lanes const lanes(shortwave);
  ASSERT_EQ(lanes.lanes().size(), 32U);
  EXPECT_EQ(lanes.lanes()[18].gpoint, 18);
  EXPECT_EQ(lanes.lanes()[19].gpoint, -1);
  double incoming = 0;
  HostArray<double*> const sun("parhelion::Testing::sun", 1);
  parhelion::assign_array(sun, 1361.);
  for (auto const& lane : lanes.lanes()) incoming += lanes.irradiance(lane, {}, sun);
  EXPECT_NEAR(incoming, 1361, 1e-11);
  EXPECT_EQ(lanes.lanes()[18].band, 1);
}

// Intervals of 4000 cm-1 from 10000 cm-1 on: the second one is half above 16000 cm-1.
TEST(Ecckd, SharesAboveAWavenumberAreWeightedByWidth) {
  auto definition = made_up_definition(false);
  auto const shares = ecckd::share_above(definition, 16000);
  EXPECT_DOUBLE_EQ(shares[1], 0.25);
  EXPECT_DOUBLE_EQ(shares[0], 0.5) << "it has the third interval, too";
  EXPECT_DOUBLE_EQ(shares[12], 1);
  EXPECT_DOUBLE_EQ(ecckd::share_above(definition, 9000)[1], 1);
  EXPECT_DOUBLE_EQ(ecckd::share_above(definition, 26000)[12], 0);
  std::fill(definition.gpoint_fraction.begin(), definition.gpoint_fraction.begin() + 4, 0.);
  EXPECT_DOUBLE_EQ(ecckd::share_above(definition, 16000)[0], 0.25) << "of its band";
  ecckd::Shortwave<Host, float> const model(definition);
  fluxes::Impl::ShortwaveOptics<ecckd::Shortwave<Host, float>> const lanes(model);
  EXPECT_FLOAT_EQ(lanes.uvvis_share(1), 0.25F);
}

TEST(Ecckd, DefinitionsThatCannotBeAreRefused) {
  auto const refusal = [](bool longwave, std::function<void(Definition&)> const& spoil) {
    auto definition = made_up_definition(longwave);
    definition.where = "file";
    spoil(definition);
    return message_of([&] { ecckd::check(definition); });
  };
  EXPECT_EQ(refusal(true, [](Definition&) {}), "(no parhelion::Error)");
  EXPECT_EQ(refusal(false, [](Definition&) {}), "(no parhelion::Error)");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.pressure[2] = -4; }),
            "file: pressure(2) = -4 Pa: expected a finite number above 0 that is not a missing value");
  EXPECT_EQ(refusal(true, [](Definition& d) { std::reverse(d.pressure.begin(), d.pressure.end()); })
                .find("file: pressure: values 0 and 1 are 81030"),
            0U);
  EXPECT_EQ(refusal(true, [](Definition& d) { d.pressure[3] *= 1.1; }).find("file: pressure: value 3 is 990"), 0U);
  EXPECT_EQ(refusal(true,
                    [](Definition& d) {
                      d.pressure = {7};
                      d.temperature = {200, 220, 240};
                    }),
            "file: pressure: has 1 values, expected at least 2");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.temperature.pop_back(); }),
            "file: temperature: has 20 values, expected 2 x 7");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.temperature.resize(7); }),
            "file: temperature: has 1 temperatures at each pressure, expected at least 2");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.temperature[7 + 4] += 3; }),
            "file: temperature: from (0, 4) to (1, 4) grows by 28 K, expected the step of all, 25 K above 0");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.temperature[7 + 4] = std::nan(""); }),
            "file: temperature(1, 4) = nan K: expected a finite number above 0 that is not a missing value");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[1].dependence = static_cast<Concentration>(4); }),
            "file: co2_conc_dependence_code = 4: expected 0, 1, 2 or 3");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[0].dependence = Concentration::linear; }),
            "file: composite_conc_dependence_code = 1: expected 0: its amount is not given");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[1].name = "kryptonite"; }),
            "file: constituent_id: names the gas kryptonite, which is not known, expected composite or names of gases "
            "such as h2o");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[1].name = "methane"; }),
            "file: constituent_id: names ch4 twice, expected different gases");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases.erase(d.gases.begin()); }),
            "file: constituent_id: names co2 h2o ch4, expected composite among them");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[1].molar_absorption[19 * 7 + 2] = -1e-9; }),
            "file: co2_molar_absorption_coeff(1, 0, 2) = -1e-09 m2 mol-1: expected a finite number of at least 0 that "
            "is not a missing value");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[2].molar_absorption[0] = 9.969209968386869e36; }),
            "file: h2o_molar_absorption_coeff(0, 0, 0, 0) = 9.969209968386869e+36 m2 mol-1: expected a finite number "
            "of at least 0 that is not a missing value");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[2].mole_fraction.pop_back(); }),
            "file: h2o_molar_absorption_coeff: has 1596 values, expected 3 x 3 x 7 x 19");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[2].mole_fraction[1] *= 1.2; })
                .find("file: h2o_mole_fraction: value 1 is 2.4"),
            0U);
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gases[3].reference_mole_fraction = -1; }),
            "file: ch4_reference_mole_fraction(0) = -1 mol mol-1: expected a finite number of at least 0 that is not a "
            "missing value");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.band_number[4] = 2; }), "file: band_number(4) = 2: expected 0 to 1");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.wavenumber2_band[1] = 17000; }),
            "file: wavenumber2_band(1) = 17000 cm-1: expected more than wavenumber1_band, 18000 cm-1");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.wavenumber2.pop_back(); }),
            "file: wavenumber2: has 3 values, expected 4");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.gpoint_fraction[5] = -0.1; }),
            "file: gpoint_fraction(1, 1) = -0.1: expected a finite number of at least 0 that is not a missing value");
  EXPECT_EQ(refusal(true, [](Definition& d) { d.temperature_planck[3] = 240; }),
            "file: temperature_planck: value 3 is 240, expected steps that are even in kelvins");
  EXPECT_NE(refusal(true, [](Definition& d) { d.planck_function[19 + 2] = 0; })
                .find("file: planck_function(1, 2) = 0 W m-2: expected at least "),
            std::string::npos);
  EXPECT_EQ(refusal(true, [](Definition& d) { d.planck_function.pop_back(); }),
            "file: planck_function: has 227 values, expected 12 x 19");
  EXPECT_EQ(refusal(false, [](Definition& d) { d.solar_irradiance.assign(19, 0.); }),
            "file: solar_irradiance: adds up to 0 W m-2, expected more");
  EXPECT_EQ(refusal(false, [](Definition& d) { d.rayleigh_molar_scattering[1] = -1; }),
            "file: rayleigh_molar_scattering_coeff(1) = -1 m2 mol-1: expected a finite number of at least 0 that is "
            "not a missing value");
  EXPECT_EQ(refusal(false,
                    [](Definition& d) {
                      d.solar_spectral_irradiance = {1, 2};
                    }),
            "file: solar_spectral_irradiance: has 2 values, expected 4");

  EXPECT_EQ(message_of([] { ecckd::Longwave<Host, double>{made_up_definition(false)}; }),
            "made up: is an ecCKD definition of the shortwave, expected one of the longwave");
  EXPECT_EQ(message_of([] { ecckd::Shortwave<Host, double>{made_up_definition(true)}; }),
            "made up: is an ecCKD definition of the longwave, expected one of the shortwave");
}

TEST(Ecckd, ArraysOfOtherShapesAreRefused) {
  ecckd::Longwave<Host, double> const model(made_up_definition(true));
  auto const columns = make_columns<Host, double>(2, 3, 1);
  Array<double***, Host> const tau("tau", 2, 3, 19), planck("planck", 2, 4, 19), wrong("wrong", 2, 3, 18);
  Array<double**, Host> const sfc("sfc", 2, 19);
  EXPECT_EQ(message_of([&] { compute_optical_depths(Host(), model, columns, wrong, planck, sfc); }),
            "compute_optical_depths: optical_depth has shape (2, 3, 18), expected (2, 3, 19)");
  EXPECT_EQ(message_of([&] { compute_optical_depths(Host(), model, columns, tau, tau, sfc); }),
            "compute_optical_depths: planck_lev has shape (2, 3, 19), expected (2, 4, 19)");
  ecckd::Shortwave<Host, double> const shortwave(made_up_definition(false));
  auto const sunlit = make_shortwave_columns<Host, double>(2, 3, 1);
  EXPECT_EQ(message_of([&] { compute_optical_depths(Host(), shortwave, sunlit, tau, tau); }),
            "compute_optical_depths: temperature_lev has shape (0, 0), expected (2, 4)");
}

/// The input of a file of ecCKD's reference cases.
EcckdColumns read_columns(io::Hdf5File const& file) {
  auto const pressure = file.read("pressure_hl"), temperature = file.read("temperature_hl");
  auto const ncol = file.shape("pressure_hl")[0], nlev = file.shape("pressure_hl")[1];
  EcckdColumns columns;
  columns.temperature_sfc = file.read("skin_temperature");
  for (std::size_t c = 0; c < ncol; ++c) {
    columns.layers.emplace_back();
    for (std::size_t k = c * nlev; k + 1 < (c + 1) * nlev; ++k)
      columns.layers.back().push_back({pressure[k], pressure[k + 1], temperature[k], temperature[k + 1], {}});
  }
  for (std::string const gas : {"h2o", "o3", "co2", "ch4", "n2o", "cfc11", "cfc12"}) {
    auto const values = file.read(gas + "_mole_fraction");
    for (std::size_t c = 0; c < ncol; ++c)
      for (std::size_t k = 0; k + 1 < nlev; ++k) columns.layers[c][k].mole_fraction[gas] = values[c * (nlev - 1) + k];
  }
  return columns;
}

/// Greatest difference over what it is compared with.
struct Worst {
  double value = 0;
  std::size_t at = 0;
  void add(double mine, double expected, double size, std::size_t i) {
    double const difference = std::abs(mine - expected);
    double const relative = difference == 0 ? 0 : difference / size;
    if (!(relative <= value)) {
      value = relative;
      at = i;
    }
  }
};

TYPED_TEST(EcckdTest, MeetsTheReferenceModel) {
  PARHELION_REQUIRE_DATA(path, "ecckd/debug_a.nc");
  PARHELION_REQUIRE_DATA(longwave, "ecckd/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc");
  PARHELION_REQUIRE_DATA(shortwave, "ecckd/ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc");
  using Real = typename TypeParam::Real;
  constexpr bool is_double = std::is_same_v<Real, double>;
  io::Hdf5File const file(path);
  auto const columns = read_columns(file);
  for (bool const is_longwave : {true, false}) {
    std::string const name = is_longwave ? "lw_fsck32_" : "sw_rgb32_";
    auto const definition = io::read_ecckd_definition(is_longwave ? longwave : shortwave);
    auto const mine = compute<typename TypeParam::ExecutionSpace, Real>(definition, columns);
    auto const tau = file.read(name + "tau");
    std::vector<double> absorption(tau.size(), 0.), size(tau.size(), 0.);
    for (auto const& gas : definition.gases) {
      auto const of_gas = file.read(name + "tau_" + gas.name);
      for (std::size_t i = 0; i < tau.size(); ++i) {
        absorption[i] += of_gas[i];
        size[i] += std::abs(of_gas[i]);
      }
    }
    int below_zero = 0;
    Worst of_tau, of_gases, of_planck, of_scattering;
    auto const ssa = is_longwave ? std::vector<double>() : file.read(name + "ssa");
    for (int c = 0; c < columns.ncol(); ++c)
      for (int k = 0; k < mine.nlay; ++k)
        for (int g = 0; g < mine.ng; ++g) {
          auto const i = static_cast<std::size_t>((c * mine.nlay + k) * mine.ng + g);
          double const absorbed = mine.of(mine.tau, c, k, g);
          double const scattered = is_longwave ? 0 : mine.of(mine.rayleigh, c, k, g);
          below_zero += absorption[i] < 0 ? 1 : 0;
          of_gases.add(absorbed, std::max(absorption[i], 0.), size[i], i);
          // Differences between gases and references leave fewer digits where they almost cancel.
          of_tau.add(absorbed + scattered, tau[i], is_double ? tau[i] : tau[i] + size[i], i);
          if (!is_longwave) of_scattering.add(scattered, ssa[i] * tau[i], ssa[i] * tau[i], i);
        }
    EXPECT_LE(of_tau.value, is_double ? 1e-12 : 4e-6) << name << of_tau.at;
    EXPECT_LE(of_gases.value, is_double ? 1e-12 : 4e-6) << name << of_gases.at;
    EXPECT_LE(of_scattering.value, is_double ? 1e-12 : 2e-6) << name << of_scattering.at;
    testing::Test::RecordProperty(name + "tau", fmt::format("{:.1e}", of_tau.value));
    if (!is_longwave) {
      auto const incoming = file.read(name + "incoming");
      double const total = file.read("total_solar_irradiance").at(0);
      auto const share = ecckd::Shortwave<Host, double>(definition).solar_share();
      for (std::size_t g = 0; g < share.size(); ++g) EXPECT_NEAR(total * share[g] / incoming[g], 1, 1e-12);
      continue;
    }
    EXPECT_EQ(below_zero, 61);
    auto const planck = file.read(name + "planck_level"), emission = file.read(name + "surface_emission");
    auto const emissivity = file.read("lw_emissivity");
    for (int c = 0; c < columns.ncol(); ++c)
      for (int g = 0; g < mine.ng; ++g) {
        for (int k = 0; k <= mine.nlay; ++k) {
          auto const i = static_cast<std::size_t>((c * (mine.nlay + 1) + k) * mine.ng + g);
          of_planck.add(mine.of(mine.planck_lev, c, k, g, 1), planck[i], planck[i], i);
        }
        auto const i = static_cast<std::size_t>(c * mine.ng + g);
        // Dumped as a difference of fluxes, with their rounding where there is no emission.
        of_planck.add(emissivity[static_cast<std::size_t>(c)] * mine.planck_sfc[i], emission[i], mine.planck_sfc[i], i);
      }
    EXPECT_LE(of_planck.value, is_double ? 1e-12 : 2e-6) << name << of_planck.at;
  }
}

}  // namespace
