// SPDX-License-Identifier: BSD-3-Clause
#include "rrtmgp/layer_terms.hpp"
#include "rrtmgp/tables.hpp"
#include "rrtmgp_reference.hpp"
#include "synthetic_k_distribution.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>
#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>
#include <parhelion/fluxes/rrtmgp/level_temperatures.hpp>
#include <parhelion/io/rrtmgp_files.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::fluxes;
using rrtmgp::KDistribution;
using rrtmgp::lower;
using rrtmgp::upper;
using Host = Kokkos::DefaultHostExecutionSpace;
using Testing::PlainRrtmgp;

KDistribution const& reference_longwave() {
  static auto const k = io::read_rrtmgp_gas_optics(Testing::reference_data("rrtmgp/synthetic-gas-lw-g128.nc"));
  return k;
}

KDistribution const& reference_shortwave() {
  static auto const k = io::read_rrtmgp_gas_optics(Testing::reference_data("rrtmgp/synthetic-gas-sw-g112.nc"));
  return k;
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The largest relative difference of what is compared, and where it was.
class Worst {
 public:
  explicit Worst(std::string name, double least = 1e-300) : m_name(std::move(name)), m_least(least) {}

  void compare(double mine, double expected, std::string const& where) {
    double const difference = std::abs(mine - expected) / (std::abs(expected) + m_least);
    if (difference <= m_worst) return;
    m_worst = difference;
    m_where = where + ": " + std::to_string(mine) + ", expected " + std::to_string(expected);
  }
  void expect(double most) const { EXPECT_LE(m_worst, most) << m_name << " of " << m_where; }

 private:
  std::string m_name;
  double m_least;
  double m_worst = -1;
  std::string m_where = "nothing, as nothing was compared";
};

std::string place(int c, int k, int i) {
  return "column " + std::to_string(c) + ", layer " + std::to_string(k) + ", number " + std::to_string(i);
}

template <class To, class From>
To copy_of(From const& from) {
  using Mutable = typename To::non_const_type;
  Mutable to;
  if constexpr (To::rank() == 1)
    to = Mutable("copy", from.extent(0));
  else if constexpr (To::rank() == 2)
    to = Mutable("copy", from.extent(0), from.extent(1));
  else
    to = Mutable("copy", from.extent(0), from.extent(1), from.extent(2));
  auto const mirror = Kokkos::create_mirror_view(to);
  for (std::size_t i = 0; i < from.size(); ++i)
    mirror.data()[i] = static_cast<typename To::non_const_value_type>(from.data()[i]);
  parhelion::assign_array(to, mirror);
  return to;
}

// The sums over terms, on the host and in double.
struct OpticalDepths {
  HostArray<double***> absorption;
  HostArray<double***> second;  // Planck fractions, or Rayleigh scattering
};

template <class Space, class Real>
OpticalDepths optical_depths(KDistribution const& k, GasSet const& offered, HostColumns const& host) {
  Space const space;
  auto const n = std::array{host.pressure_lay.extent(0), host.pressure_lay.extent(1), at(k.ngpoint)};
  Array<Real***, Space> const absorption("absorption", n[0], n[1], n[2]);
  Array<Real***, Space> const second("second", n[0], n[1], n[2]);
  auto const fill = [&](auto& columns) {
    columns.pressure_lay = copy_of<Array<Real**, Space>>(host.pressure_lay);
    columns.pressure_lev = copy_of<Array<Real**, Space>>(host.pressure_lev);
    columns.temperature_lay = copy_of<Array<Real**, Space>>(host.temperature_lay);
    columns.vmr = copy_of<Array<Real***, Space>>(host.vmr);
  };
  if (k.is_longwave()) {
    rrtmgp::Longwave<Space, Real> const model(space, k, offered);
    Columns<Space, Real> columns;
    fill(columns);
    rrtmgp::compute_optical_depths(space, model, columns, absorption, second);
  } else {
    rrtmgp::Shortwave<Space, Real> const model(space, k, offered);
    ShortwaveColumns<Space, Real> columns;
    fill(columns);
    rrtmgp::compute_optical_depths(space, model, columns, absorption, second);
  }
  auto const fetch = [](auto const& from) {
    auto const mirror = parhelion::host_copy(from);
    return copy_of<HostArray<double***>>(mirror);
  };
  return {fetch(absorption), fetch(second)};
}

// A variable of a case, (column, layer, number), whose file begins at the top.
class FromTop {
 public:
  FromTop(io::Hdf5File const& file, std::string const& name) : m_values(file.read(name)) {
    auto const shape = file.shape(name);
    m_layers = static_cast<int>(shape.at(1));
    m_size = 1;
    for (std::size_t d = 2; d < shape.size(); ++d) m_size *= static_cast<int>(shape[d]);
  }
  double operator()(int c, int k, int i = 0) const {
    return m_values.at(at((c * m_layers + m_layers - 1 - k) * m_size + i));
  }
  int size() const { return m_size; }

 private:
  std::vector<double> m_values;
  int m_layers, m_size;
};

template <class Pair>
struct Rrtmgp : testing::Test {};
TYPED_TEST_SUITE(Rrtmgp, Testing::SpacesAndReals, Testing::PairName);

// In float the mass of a layer is known to the last digit of the pressure at its levels: of 1000 hPa in 3 hPa.
template <class Real>
constexpr double tolerance = std::is_same_v<Real, double> ? 1e-11 : 4e-5;

TYPED_TEST(Rrtmgp, LongwaveMatchesTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-lw-g128.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/debug_a_lw.nc");
  using Real = typename TypeParam::Real;
  io::Hdf5File const file(path);
  auto const& k = reference_longwave();
  auto const columns = Testing::read_rrtmgp_columns(file);
  auto const mine = optical_depths<typename TypeParam::ExecutionSpace, Real>(k, Testing::gases_of_case(file), columns);
  PlainRrtmgp const plain(k, GasSet::all());
  FromTop const tau(file, "tau");
  FromTop const source(file, "lay_source");
  Worst of_tau("tau"), of_source("lay_source");
  for (int c = 0; c < columns.ncol(); ++c)
    for (int l = 0; l < columns.nlay(); ++l)
      for (int b = 0; b < k.nband(); ++b) {
        double const planck = plain.planck(b + 1, columns.temperature_lay(c, l));
        for (int g = k.bands[at(b)].first_gpoint - 1; g < k.bands[at(b)].last_gpoint; ++g) {
          of_tau.compare(mine.absorption(c, l, g), tau(c, l, g), place(c, l, g));
          of_source.compare(mine.second(c, l, g) * planck, source(c, l, g), place(c, l, g));
        }
      }
  of_tau.expect(tolerance<Real>);
  of_source.expect(tolerance<Real>);
}

TYPED_TEST(Rrtmgp, ShortwaveMatchesTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-sw-g112.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/debug_a_sw.nc");
  using Real = typename TypeParam::Real;
  io::Hdf5File const file(path);
  auto const& k = reference_shortwave();
  auto const columns = Testing::read_rrtmgp_columns(file);
  auto const mine = optical_depths<typename TypeParam::ExecutionSpace, Real>(k, Testing::gases_of_case(file), columns);
  FromTop const absorption(file, "tau_absorption");
  FromTop const rayleigh(file, "tau_rayleigh");
  FromTop const albedo(file, "ssa");
  Worst of_absorption("tau_absorption"), of_rayleigh("tau_rayleigh"), of_albedo("ssa");
  for (int c = 0; c < columns.ncol(); ++c)
    for (int l = 0; l < columns.nlay(); ++l)
      for (int g = 0; g < k.ngpoint; ++g) {
        double const scattered = mine.second(c, l, g);
        double const absorbed = mine.absorption(c, l, g);
        of_absorption.compare(absorbed, absorption(c, l, g), place(c, l, g));
        of_rayleigh.compare(scattered, rayleigh(c, l, g), place(c, l, g));
        of_albedo.compare(scattered / (scattered + absorbed), albedo(c, l, g), place(c, l, g));
      }
  of_absorption.expect(tolerance<Real>);
  of_rayleigh.expect(tolerance<Real>);
  of_albedo.expect(tolerance<Real>);
}

// A place in a table: within rounding of an entry it may be given by that one or by its neighbour.
struct Place {
  int entry;  // from 1
  double fraction;
};

bool same(Place const& mine, int expected) {
  return mine.entry == expected || (mine.entry == expected + 1 && mine.fraction < 1e-11) ||
         (mine.entry == expected - 1 && mine.fraction > 1 - 1e-11);
}

// Every step of the interpolation, in both ranges.
void check_steps(KDistribution const& k, io::Hdf5File const& file) {
  auto const offered = Testing::gases_of_case(file);
  auto const selected = rrtmgp::select_gases(k, offered);
  auto const columns = Testing::read_rrtmgp_columns(file);
  auto const with_tables = [&](auto const& model) {
    auto const& tables = model.tables();
    auto const flavors = file.read("flavor");
    ASSERT_EQ(flavors.size(), 2 * selected.flavors.size());
    for (std::size_t i = 0; i < flavors.size(); ++i) EXPECT_EQ(flavors[i], selected.flavors[i / 2][i % 2]) << i;
    auto const of_gpoints = file.read("gpoint_flavor");
    for (int b = 0; b < k.nband(); ++b)
      for (int g = k.bands[at(b)].first_gpoint - 1; g < k.bands[at(b)].last_gpoint; ++g)
        for (int half = 0; half < 2; ++half)
          EXPECT_EQ(of_gpoints.at(at(2 * g + half)), selected.flavor_of_band[at(b)][at(half)] + 1) << g << " " << half;

    FromTop const jtemp(file, "jtemp"), jpress(file, "jpress"), is_lower(file, "lower_atmosphere"), jeta(file, "jeta"),
        mixed(file, "col_mix"), fminor(file, "fminor"), fmajor(file, "fmajor"), gases(file, "col_gas"),
        major(file, "tau_major");
    Worst of_mix("col_mix", 1), of_minor("fminor", 1), of_major("fmajor", 1), of_gas("col_gas", 1), of_tau("tau_major");
    constexpr int nsecond = std::is_same_v<std::remove_cvref_t<decltype(model)>, rrtmgp::Longwave<Host>> ? 4 : 2;
    using Terms = fluxes::Impl::AbsorptionTerms<double, 1, nsecond>;
    std::vector<typename Terms::Pack> packs(25);
    Terms terms;
    for (int c = 0; c < columns.ncol(); ++c)
      for (int l = 0; l < columns.nlay(); ++l) {
        rrtmgp::State<double> s;
        rrtmgp::set_state(s, tables, columns, c, l, l);
        int const half = s.upper ? upper : lower;
        EXPECT_EQ(half == lower, is_lower(c, l) == 1) << place(c, l, 0);
        EXPECT_EQ(s.jt[0] + 1, std::min(static_cast<int>(jtemp(c, l)), k.ntemperature() - 1)) << place(c, l, 0);
        int const jp = s.jp[0] + (s.upper ? tables.axes.first_above : 0) + 1;
        EXPECT_TRUE(same({jp, s.fp[0]}, static_cast<int>(jpress(c, l)))) << place(c, l, jp);
        for (int gas = 0; gas < gases.size(); ++gas)
          of_gas.compare(s.column[gas][0] * rrtmgp::column_unit, gases(c, l, gas), place(c, l, gas));
        for (int b = 0; b < k.nband(); ++b) {
          int const flavor = selected.flavor_of_band[at(b)][at(half)];
          auto const& keys = selected.flavors[at(flavor)];
          for (int t = 0; t < 2; ++t) {
            int const i = flavor * 2 + t;
            double const ratio = tables.ratio((b * 2 + half) * k.ntemperature() + s.jt[0] + t);
            auto const m = rrtmgp::mixing_of(s.column[keys[0]][0], ratio * s.column[keys[1]][0], k.nmixing);
            of_mix.compare(m.amount[0] * rrtmgp::column_unit, mixed(c, l, i), place(c, l, i));
            EXPECT_TRUE(same({m.entry[0] + 1, m.weight[1][0]}, static_cast<int>(jeta(c, l, i)))) << place(c, l, i);
            if (m.entry[0] + 1 != jeta(c, l, i)) continue;
            double const of_t = t == 0 ? 1 - s.ft[0] : s.ft[0];
            for (int e = 0; e < 2; ++e) {
              of_minor.compare(of_t * m.weight[e][0], fminor(c, l, i * 2 + e), place(c, l, i * 2 + e));
              if (jp != jpress(c, l)) continue;
              for (int p = 0; p < 2; ++p) {
                int const here = (i * 2 + p) * 2 + e;
                of_major.compare(of_t * m.weight[e][0] * (p == 0 ? 1 - s.fp[0] : s.fp[0]), fmajor(c, l, here),
                                 place(c, l, here));
              }
            }
          }
          // Pairs of key species are the first.
          auto const& rows = tables.bands(b).half[half];
          rrtmgp::set_terms(terms, packs.data(), tables, b, s);
          int const of_keys = rows.key_row < 0 ? 0 : rows.two_keys != 0 ? 4 : 2;
          fluxes::Impl::PairList<Terms> const pairs(packs.data());
          for (int pair = of_keys; pair < terms.count; ++pair) pairs.weight(0, pair)[0] = pairs.weight(1, pair)[0] = 0;
          for (int g = 0; g < tables.bands(b).ng; ++g) {
            double tau[1];
            fluxes::Impl::sum_terms(terms, packs.data(), 0, tables.values.data() + g, tables.stride, tau);
            int const number = tables.bands(b).first_gpoint + g;
            of_tau.compare(tau[0], major(c, l, number), place(c, l, number));
          }
        }
      }
    of_mix.expect(1e-11);
    of_minor.expect(1e-11);
    of_major.expect(1e-11);
    of_gas.expect(1e-11);
    of_tau.expect(1e-11);
  };
  if (k.is_longwave())
    with_tables(rrtmgp::Longwave<Host>(k, offered));
  else
    with_tables(rrtmgp::Shortwave<Host>(k, offered));
}

TEST(RrtmgpSteps, OfTheLongwaveMatchTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-lw-g128.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/debug_a_lw.nc");
  check_steps(reference_longwave(), io::Hdf5File(path));
}

TEST(RrtmgpSteps, OfTheShortwaveMatchTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-sw-g112.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/debug_a_sw.nc");
  check_steps(reference_shortwave(), io::Hdf5File(path));
}

// What layers, levels and the surface emit in each g-point.
struct Sources {
  HostArray<double***> layer, level;
  HostArray<double**> surface, surface_change;
};

Sources sources_of(rrtmgp::Longwave<Host> const& model, HostColumns const& columns,
                   HostArray<double***> const& fraction) {
  auto const& tables = model.tables();
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  int const n = model.sizes().ngpoint;
  Sources s{HostArray<double***>("layer", at(ncol), at(nlay), at(n)),
            HostArray<double***>("level", at(ncol), at(nlay + 1), at(n)),
            HostArray<double**>("surface", at(ncol), at(n)), HostArray<double**>("surface_change", at(ncol), at(n))};
  for (int c = 0; c < ncol; ++c)
    for (int b = 0; b < model.sizes().nband; ++b)
      for (int g = tables.bands(b).first_gpoint; g < tables.bands(b).first_gpoint + tables.bands(b).ng; ++g) {
        auto const planck = [&](double t) { return tables.planck_radiance(b, tables.at_temperature(t)); };
        for (int k = 0; k < nlay; ++k) s.layer(c, k, g) = fraction(c, k, g) * planck(columns.temperature_lay(c, k));
        for (int k = 0; k <= nlay; ++k) {
          double const below = fraction(c, std::max(k - 1, 0), g);
          double const above = fraction(c, std::min(k, nlay - 1), g);
          s.level(c, k, g) = std::sqrt(below * above) * planck(columns.temperature_lev(c, k));
        }
        double const skin = columns.temperature_sfc(c);
        s.surface(c, g) = fraction(c, 0, g) * planck(skin);
        s.surface_change(c, g) = fraction(c, 0, g) * tables.planck_change(b, tables.at_temperature(skin));
      }
  return s;
}

TEST(RrtmgpSources, MatchTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-lw-g128.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/debug_a_lw.nc");
  io::Hdf5File const file(path);
  auto const& k = reference_longwave();
  auto const offered = Testing::gases_of_case(file);
  auto const columns = Testing::read_rrtmgp_columns(file);
  rrtmgp::Longwave<Host> const model(k, offered);
  auto const depths = optical_depths<Host, double>(k, offered, columns);
  auto const mine = sources_of(model, columns, depths.second);
  FromTop const layer(file, "lay_source"), level(file, "lev_source");
  auto const surface = file.read("sfc_source");
  auto const change = file.read("sfc_source_jac");
  auto const secant = file.read("optimal_secant");
  Worst of_layer("lay_source"), of_level("lev_source"), of_surface("sfc_source"), of_change("sfc_source_jac", 1e-3),
      of_secant("optimal_secant");
  for (int c = 0; c < columns.ncol(); ++c)
    for (int b = 0; b < k.nband(); ++b) {
      auto const& band = model.tables().bands(b);
      for (int g = band.first_gpoint; g < band.first_gpoint + band.ng; ++g) {
        std::size_t const i = at(c * k.ngpoint + g);
        double whole = 0;
        for (int l = 0; l < columns.nlay(); ++l) {
          of_layer.compare(mine.layer(c, l, g), layer(c, l, g), place(c, l, g));
          whole += depths.absorption(c, l, g);
        }
        for (int l = 0; l <= columns.nlay(); ++l) of_level.compare(mine.level(c, l, g), level(c, l, g), place(c, l, g));
        of_surface.compare(mine.surface(c, g), surface.at(i), place(c, 0, g));
        of_change.compare(mine.surface_change(c, g), change.at(i), place(c, 0, g));
        of_secant.compare(band.angle_slope * std::exp(-whole) + band.angle_intercept, secant.at(i), place(c, 0, g));
      }
    }
  of_layer.expect(1e-11);
  of_level.expect(1e-11);
  of_surface.expect(1e-11);
  of_change.expect(1e-11);
  of_secant.expect(1e-11);
}

// Fluxes at the levels of a column, by RRTMGP's transfer without scattering.
struct PlainFluxes {
  std::vector<double> up, down;
};

PlainFluxes plain_transfer(rrtmgp::Longwave<Host> const& model, HostColumns const& columns, OpticalDepths const& depths,
                           Sources const& s, int c) {
  int const nlay = columns.nlay();
  auto const& angles = model.angles();
  PlainFluxes result{std::vector<double>(at(nlay + 1)), std::vector<double>(at(nlay + 1))};
  for (int b = 0; b < model.sizes().nband; ++b) {
    auto const& band = model.tables().bands(b);
    for (int g = band.first_gpoint; g < band.first_gpoint + band.ng; ++g) {
      double whole = 0;
      for (int k = 0; k < nlay; ++k) whole += depths.absorption(c, k, g);
      for (int a = 0; a < angles.n; ++a) {
        double const secant =
            angles.optimal ? band.angle_slope * std::exp(-whole) + band.angle_intercept : 1 / angles.cosine(a);
        double const weight = std::numbers::pi * angles.weight(a);
        auto const cross = [&](double radiance, int k, int exit) {
          double const t = depths.absorption(c, k, g) * secant;
          double const e = std::exp(-t);
          double const f = t > 0x1p-13 ? (1 - e) / t - e : t * (0.5 + t * (-1. / 3 + t / 8));
          double const level = s.level(c, exit, g);
          return radiance * e + (1 - e) * level + 2 * f * (s.layer(c, k, g) - level);
        };
        double radiance = 0;
        for (int k = nlay - 1; k >= 0; --k) {
          radiance = cross(radiance, k, k);
          result.down[at(k)] += weight * radiance;
        }
        double const emissivity = columns.emissivity_sfc(c, b);
        radiance = emissivity * s.surface(c, g) + (1 - emissivity) * radiance;
        result.up[0] += weight * radiance;
        for (int k = 0; k < nlay; ++k) {
          radiance = cross(radiance, k, k + 1);
          result.up[at(k + 1)] += weight * radiance;
        }
      }
    }
  }
  return result;
}

// Few gases in another order than that of the file, all quadratures, and level temperatures that are not given.
TEST(RrtmgpFluxes, OfFewGasesMatchTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-lw-g128.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/case_fewgases_a_lw.nc");
  io::Hdf5File const file(path);
  auto const& k = reference_longwave();
  auto const offered = Testing::gases_of_case(file);
  ASSERT_NE(offered, GasSet::all());
  auto const given = Testing::read_rrtmgp_columns(file);
  auto const without_levels = Testing::read_rrtmgp_columns(file);
  parhelion::assign_array(without_levels.temperature_lev, 0);
  rrtmgp::interpolate_level_temperatures(without_levels);
  auto const depths = optical_depths<Host, double>(k, offered, given);
  struct Run {
    char const* name;
    rrtmgp::Angles angles;
    HostColumns const& columns;
  };
  for (auto const& [name, angles, columns] :
       {Run{"n1", {1}, given}, Run{"n2", {2}, given}, Run{"n3", {3}, given}, Run{"n4", {4}, given},
        Run{"opt", {1, true}, given}, Run{"notlev", {1}, without_levels}}) {
    rrtmgp::Longwave<Host> const model(k, offered, angles);
    auto const sources = sources_of(model, columns, depths.second);
    FromTop const up(file, std::string(name) + "_flux_up"), down(file, std::string(name) + "_flux_dn");
    double worst = 0;
    for (int c = 0; c < columns.ncol(); ++c) {
      auto const mine = plain_transfer(model, columns, depths, sources, c);
      for (int l = 0; l <= columns.nlay(); ++l)
        worst = std::max({worst, std::abs(mine.up[at(l)] - up(c, l)), std::abs(mine.down[at(l)] - down(c, l))});
    }
    EXPECT_LE(worst, 1e-9) << name;
  }
}

TEST(RrtmgpSolarSource, MatchesTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-sw-g112.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/debug_a_sw.nc");
  auto const& k = reference_shortwave();
  auto const expected = io::Hdf5File(path).read("solar_source");
  auto const weights = rrtmgp::solar_source(k);
  rrtmgp::Shortwave<Host> const model(k, GasSet::all());
  auto const& tables = model.tables();
  Worst worst("solar_source");
  double total = 0;
  for (int b = 0; b < k.nband(); ++b)
    for (int g = 0; g < tables.bands(b).ng; ++g) {
      auto const row = [&](int i) { return tables.values(tables.bands(b).solar_row + i * tables.stride + g); };
      double const mine = weights.quiet * row(0) + weights.facular * row(1) + weights.sunspot * row(2);
      int const number = tables.bands(b).first_gpoint + g;
      worst.compare(mine, expected.at(at(number)), std::to_string(number));
      total += mine;
    }
  worst.expect(1e-12);
  auto const scaled = rrtmgp::solar_source(k, {.total_irradiance = 1361});
  EXPECT_NEAR(scaled.quiet, 1361 / total, 1e-12);
  EXPECT_NEAR(scaled.facular, weights.facular * 1361 / total, 1e-12);
  EXPECT_NEAR(scaled.sunspot, weights.sunspot * 1361 / total, 1e-9);
}

// --- k-distributions of other dimensions ---

// Columns that meet the ends of all tables, with layers in both halves.
HostColumns synthetic_columns(KDistribution const& k, GasSet const& offered) {
  constexpr int ncol = 7, nlay = 13;
  auto const columns = Testing::columns_of_all_gases(ncol, nlay, k.nband());
  Testing::Numbers numbers(3);
  for (int c = 0; c < ncol; ++c) {
    double const bottom = k.pressure.front();
    for (int l = 0; l <= nlay; ++l)
      columns.pressure_lev(c, l) = bottom * std::exp((-0.7 * 11 * l - (c == 0 ? 0 : numbers())) / nlay);
    for (int l = 0; l < nlay; ++l) {
      columns.pressure_lay(c, l) =
          std::max(k.pressure.back(), 0.5 * (columns.pressure_lev(c, l) + columns.pressure_lev(c, l + 1)));
      columns.temperature_lay(c, l) =
          c == 1   ? k.temperature.front()
          : c == 2 ? k.temperature.back()
                   : k.temperature.front() + numbers() * (k.temperature.back() - k.temperature.front());
      for (int gas = 0; gas < ngas_all; ++gas)
        columns.vmr(c, gas, l) = offered.contains(static_cast<Gas>(gas)) ? numbers.between(1e-8, 1e-2) : 0;
      // Columns without one key species, and without any.
      if (c == 3) columns.vmr(c, static_cast<int>(Gas::co2), l) = 0;
      if (c == 4) columns.vmr(c, static_cast<int>(Gas::h2o), l) = 0;
      if (c == 5)
        for (int gas = 0; gas < ngas_all; ++gas) columns.vmr(c, gas, l) = 0;
    }
  }
  columns.pressure_lay(6, 0) = k.pressure.front();
  columns.pressure_lay(6, nlay - 1) = k.pressure.back();
  columns.pressure_lay(6, 4) = k.tropopause_pressure * (1 + 1e-6);
  columns.pressure_lay(6, 5) = k.tropopause_pressure * (1 - 1e-6);
  return columns;
}

TYPED_TEST(Rrtmgp, OtherDimensionsFollowTheFormulas) {
  using Real = typename TypeParam::Real;
  using Space = typename TypeParam::ExecutionSpace;
  bool const in_double = std::is_same_v<Real, double>;
  for (bool const longwave : {true, false})
    for (GasSet const& offered : {GasSet::all(), GasSet{Gas::h2o, Gas::co2, Gas::o3, Gas::ch4},
                                  GasSet{Gas::cfc11, Gas::n2o, Gas::ch4, Gas::o3, Gas::co2, Gas::h2o}}) {
      auto k = Testing::synthetic_k_distribution(longwave);
      if (offered == GasSet::all()) k.minor[upper] = {};  // a half may have none
      auto const columns = synthetic_columns(k, offered);
      auto const mine = optical_depths<Space, Real>(k, offered, columns);
      PlainRrtmgp const plain(k, offered);
      Worst of_absorption("absorption", 1e-12), of_second("second", 1e-15);
      for (int c = 0; c < columns.ncol(); ++c)
        for (int l = 0; l < columns.nlay(); ++l) {
          PlainRrtmgp::Layer layer{columns.pressure_lay(c, l),
                                   columns.temperature_lay(c, l),
                                   columns.pressure_lev(c, l) - columns.pressure_lev(c, l + 1),
                                   {}};
          for (auto const& name : k.gases) {
            auto const gas = find_gas(name);
            layer.vmr.push_back(gas ? columns.vmr(c, static_cast<int>(*gas), l) : 0);
          }
          for (int g = 0; g < k.ngpoint; ++g) {
            auto const expected = plain.at(layer, g + 1);
            of_absorption.compare(mine.absorption(c, l, g), expected.absorption, place(c, l, g));
            of_second.compare(mine.second(c, l, g), longwave ? expected.fraction : expected.rayleigh, place(c, l, g));
          }
        }
      // Neighbouring coefficients differ by up to 100 here, and so much more counts the last digit of a weight.
      of_absorption.expect(in_double ? 1e-12 : 1e-4);
      of_second.expect(in_double ? 1e-12 : 1e-4);
    }
}

TEST(RrtmgpTables, PlanckFunctionsFollowTheFormulas) {
  auto const k = Testing::synthetic_k_distribution(true);
  PlainRrtmgp const plain(k, GasSet::all());
  rrtmgp::Longwave<Host> const model(k, GasSet::all());
  auto const& tables = model.tables();
  double const last = k.temperature.back();
  for (double const t : {170., 170.3, 172.5, 201.7, 317.49, last - 1.5, last - 0.3, last})
    for (int b = 0; b < k.nband(); ++b) {
      auto const here = tables.at_temperature(t);
      double const expected = plain.planck(b + 1, t);
      EXPECT_NEAR(tables.planck_radiance(b, here), expected, 1e-12 * expected) << t;
      EXPECT_NEAR(tables.planck_change(b, here), plain.planck(b + 1, t + 1) - expected, 1e-12 * expected) << t;
    }
  // Beyond the table it goes on as in the last interval, at either end.
  for (auto const& [t, a, b] : {std::array{last + 5, last - 1, last - 0.5}, std::array{165., 170.5, 171.}}) {
    double const slope = (plain.planck(2, b) - plain.planck(2, a)) / (b - a);
    double const expected = plain.planck(2, a) + slope * (t - a);
    EXPECT_NEAR(tables.planck_radiance(1, tables.at_temperature(t)), expected, 1e-10 * std::abs(expected)) << t;
  }
}

TEST(RrtmgpTables, LayersBeyondThemExtrapolateTheLastInterval) {
  auto const k = Testing::synthetic_k_distribution(true);
  rrtmgp::Longwave<Host> const model(k, GasSet::all());
  auto const columns = Testing::columns_of_all_gases(1, 1, 1);
  columns.pressure_lev(0, 0) = 6e4;
  columns.pressure_lev(0, 1) = 4e4;
  auto const state_at = [&](double pressure, double temperature) {
    columns.pressure_lay(0, 0) = pressure;
    columns.temperature_lay(0, 0) = temperature;
    rrtmgp::State<double> s;
    rrtmgp::set_state(s, model.tables(), columns, 0, 0, 0);
    return s;
  };
  auto const warm = state_at(5e4, 320 + 3.75);
  EXPECT_EQ(warm.jt[0], 3);
  EXPECT_NEAR(warm.ft[0], 1.1, 1e-12);
  auto const cold = state_at(5e4, 170 - 75);
  EXPECT_EQ(cold.jt[0], 0);
  EXPECT_NEAR(cold.ft[0], -2, 1e-12);
  auto const high = state_at(k.pressure.back() * std::exp(-0.35), 200);
  EXPECT_TRUE(high.upper);
  EXPECT_EQ(high.jp[0], 6);
  EXPECT_NEAR(high.fp[0], 1.5, 1e-12);
  auto const low = state_at(k.pressure.front() * std::exp(0.35), 200);
  EXPECT_FALSE(low.upper);
  EXPECT_EQ(low.jp[0], 0);
  EXPECT_NEAR(low.fp[0], -0.5, 1e-12);
}

// In float, a second key species of less than the last digit is still there; none at all is not.
TEST(RrtmgpTables, TheLastMixtureIsTheSameInBothPrecisions) {
  for (double const second : {0., 1e-30, 1e-12, 1e-9, 3e-8, 1e-6, 1e-3, 0.1, 0.124, 0.126, 0.5}) {
    auto const wide = rrtmgp::mixing_of(1 - second, second, 9);
    auto const narrow = rrtmgp::mixing_of(static_cast<float>(1 - second), static_cast<float>(second), 9);
    EXPECT_EQ(wide.entry[0], narrow.entry[0]) << second;
    EXPECT_NEAR(wide.weight[0][0], narrow.weight[0][0], 1e-6 * std::min(1., wide.weight[0][0] + second)) << second;
    EXPECT_NEAR(wide.weight[1][0], narrow.weight[1][0], 1e-6) << second;
  }
  // Without the second one, the entry before the last.
  auto const pure = rrtmgp::mixing_of(1., 0., 9);
  EXPECT_EQ(pure.entry[0], 7);
  EXPECT_EQ(pure.weight[0][0], 1);
  EXPECT_EQ(pure.weight[1][0], 0);
  auto const none = rrtmgp::mixing_of(0., 0., 9);
  EXPECT_EQ(none.entry[0], 4);
  EXPECT_EQ(none.amount[0], 0);
  EXPECT_EQ(none.weight[0][0], 1);
}

TEST(RrtmgpGases, AreChosen) {
  auto const k = Testing::synthetic_k_distribution(true);
  EXPECT_EQ(rrtmgp::known_gases(k), (GasSet{Gas::o3, Gas::h2o, Gas::ch4, Gas::co2, Gas::n2o}));
  EXPECT_EQ(rrtmgp::required_gases(k), (GasSet{Gas::o3, Gas::h2o, Gas::ch4, Gas::co2}));

  auto const all = rrtmgp::select_gases(k, GasSet::all());
  EXPECT_EQ(all.kept, (std::vector<Gas>{Gas::o3, Gas::h2o, Gas::ch4, Gas::co2, Gas::n2o}));
  std::vector<std::array<int, 2>> const flavors{{2, 4}, {2, 2}, {1, 4}, {4, 4}, {3, 2}, {3, 0}, {2, 3}, {1, 1}};
  EXPECT_EQ(all.flavors, flavors);
  std::vector<std::array<int, 2>> const of_bands{{0, 1}, {1, 2}, {3, 1}, {4, 5}, {6, 7}};
  EXPECT_EQ(all.flavor_of_band, of_bands);
  ASSERT_EQ(all.minor[lower].size(), 7u) << "parhelion does not know so2";
  EXPECT_EQ(all.minor[lower][3].gas, 4);
  EXPECT_EQ(all.minor[lower][3].scaling_gas, 5);
  EXPECT_EQ(all.minor[lower][3].band, 2);
  EXPECT_EQ(all.minor[upper].size(), 3u);

  auto const few = rrtmgp::select_gases(k, {Gas::h2o, Gas::co2, Gas::ch4, Gas::o3, Gas::cfc11});
  EXPECT_EQ(few.kept.size(), 4u);
  ASSERT_EQ(few.minor[lower].size(), 5u);
  EXPECT_EQ(few.minor[lower][2].scaling_gas, -1) << "n2o, which scales co2, is not offered";
  EXPECT_EQ(few.minor[upper].size(), 2u);

  EXPECT_EQ(Testing::message_of([&] {
              rrtmgp::select_gases(k, {Gas::h2o, Gas::co2, Gas::n2o});
            }),
            "synthetic.nc: not offered: o3, a key species of band 2 (300 to 900.5 cm-1); ch4, a key species of band 4 "
            "(1500 to 1900 cm-1)");
  auto without_water = k;
  for (auto& band : without_water.bands)
    for (auto& key : band.key)
      for (int& gas : key) gas = gas == 2 ? 5 : gas;
  EXPECT_EQ(Testing::message_of([&] {
              rrtmgp::select_gases(without_water, {Gas::ch4, Gas::co2, Gas::o3});
            }),
            "synthetic.nc: not offered: h2o, which moist air needs");
  auto unknown = k;
  unknown.bands[3].key[1] = {3, 3};
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::required_gases(unknown); }),
            "synthetic.nc: so2 is a key species of band 4 (1500 to 1900 cm-1), expected a gas that parhelion knows");
}

TEST(RrtmgpModels, TellWhatTheyAre) {
  auto const k = Testing::synthetic_k_distribution(true);
  rrtmgp::Longwave<Host> const model(k, GasSet::all(), {3});
  EXPECT_EQ(model.sizes().ngas, ngas_all);
  EXPECT_EQ(model.sizes().nband, 5);
  EXPECT_EQ(model.sizes().ngpoint, 36);
  EXPECT_EQ(model.gpoints(), (std::vector<int>{3, 17, 1, 9, 6}));
  EXPECT_EQ(model.bands()[1].wavenumber_high, 900.5);
  EXPECT_EQ(model.validity().temperature.lowest, 170);
  EXPECT_EQ(model.validity().temperature.highest, 320);
  EXPECT_EQ(model.validity().pressure.highest, 1.1e5);
  EXPECT_EQ(model.validity().pressure.lowest, k.pressure.back());
  EXPECT_EQ(model.gases().size(), 5u);
  EXPECT_EQ(model.tables().stride, 32) << "for the band of 17 g-points";
  EXPECT_EQ(model.angles().n, 3);
  for (int n = 1; n <= 4; ++n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += rrtmgp::Angles{n}.weight(i);
    EXPECT_NEAR(sum, 1, 2e-10);
  }
  // Two pairs of two key species at each temperature, and as many of each minor gas at the same; half of that of one.
  EXPECT_EQ(model.pairs(), (std::vector<int>{4 + 2, 4 + 2, 2 + 1, 4 + 2 * 1, 4 + 2 * 2}));

  EXPECT_EQ(rrtmgp::uvvis_share({1000, 16000}), 0);
  EXPECT_EQ(rrtmgp::uvvis_share({16000, 22650}), 1);
  EXPECT_EQ(rrtmgp::uvvis_share({15000, 19000}), 0.75);

  auto const of_longwave = [&](rrtmgp::Angles angles) {
    return Testing::message_of([&] { rrtmgp::Longwave<Host>(k, GasSet::all(), angles); });
  };
  EXPECT_EQ(of_longwave({0}), "Longwave: number of angles is 0, expected 1 to 4");
  EXPECT_EQ(of_longwave({5}), "Longwave: number of angles is 5, expected 1 to 4");
  EXPECT_EQ(of_longwave({2, true}), "Longwave: number of optimal angles is 2, expected 1");
  auto without_fit = k;
  without_fit.angle_fit.clear();
  EXPECT_NO_THROW(rrtmgp::Longwave<Host>(without_fit, GasSet::all()));
  EXPECT_EQ(Testing::message_of([&] {
              rrtmgp::Longwave<Host>(without_fit, GasSet::all(), {1, true});
            }),
            "synthetic.nc: has no optimal_angle_fit, expected it for optimal angles");
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::Shortwave<Host>(k, GasSet::all()); }),
            "synthetic.nc: is of the longwave, expected a k-distribution of the shortwave");
  auto const shortwave = Testing::synthetic_k_distribution(false);
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::Longwave<Host>(shortwave, GasSet::all()); }),
            "synthetic.nc: is of the shortwave, expected a k-distribution of the longwave");

  auto const columns = Testing::columns_of_all_gases(2, 3, 1);
  HostArray<double***> const right("right", 2, 3, 36), wrong("wrong", 2, 3, 35);
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::compute_optical_depths(Host(), model, columns, right, wrong); }),
            "compute_optical_depths: planck_fraction has shape (2, 3, 35), expected (2, 3, 36)");
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::compute_optical_depths(Host(), model, columns, wrong, right); }),
            "compute_optical_depths: optical_depth has shape (2, 3, 35), expected (2, 3, 36)");
  auto few = make_columns<Host, double>(2, 3, 1);
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::compute_optical_depths(Host(), model, few, right, right); }),
            "compute_optical_depths: vmr has shape (2, 11, 3), expected (2, 19, 3)");
}

TEST(RrtmgpSolarSource, RefusesWhatMakesNoSun) {
  auto const k = Testing::synthetic_k_distribution(false);
  auto const message = [&](rrtmgp::SolarActivity const& activity) {
    return Testing::message_of([&] { rrtmgp::solar_source(k, activity); });
  };
  auto const weights = rrtmgp::solar_source(k, {.mg = 0.15, .sb = 400.});
  EXPECT_EQ(weights.quiet, 1);
  EXPECT_NEAR(weights.facular, 0.15 - 0.1495954, 1e-16);
  EXPECT_NEAR(weights.sunspot, 400 - 0.00066696, 1e-12);
  EXPECT_EQ(message({.total_irradiance = 0.}),
            "solar_source: total_irradiance = 0 W m-2, expected a positive finite number");
  EXPECT_EQ(message({.mg = std::nan("")}), "solar_source: mg = nan, expected a finite number");
  EXPECT_EQ(message({.sb = HUGE_VAL}), "solar_source: sb = inf, expected a finite number");
  EXPECT_NE(message({.total_irradiance = 1361., .sb = 1e9}).find("W m-2, expected more than 0"), std::string::npos);
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::solar_source(Testing::synthetic_k_distribution(true)); }),
            "synthetic.nc: is of the longwave, expected a k-distribution of the shortwave");
}

TEST(RrtmgpLevelTemperatures, AreInterpolated) {
  auto const columns = Testing::columns_of_all_gases(1, 3, 1);
  double const p[] = {900, 500, 100}, q[] = {1000, 700, 200, 0}, t[] = {290, 260, 220};
  for (int k = 0; k < 3; ++k) {
    columns.pressure_lay(0, k) = p[k];
    columns.temperature_lay(0, k) = t[k];
  }
  for (int k = 0; k < 4; ++k) columns.pressure_lev(0, k) = q[k];
  rrtmgp::interpolate_level_temperatures(columns);
  EXPECT_NEAR(columns.temperature_lev(0, 0), 297.5, 1e-12);
  EXPECT_NEAR(columns.temperature_lev(0, 1), (900 * 290. * 200 + 500 * 260. * 200) / (700 * 400), 1e-12);
  EXPECT_NEAR(columns.temperature_lev(0, 2), (500 * 260. * 100 + 100 * 220. * 300) / (200 * 400), 1e-12);
  EXPECT_NEAR(columns.temperature_lev(0, 3), 210, 1e-12);

  columns.pressure_lay(0, 1) = 900;
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::interpolate_level_temperatures(columns); }),
            "interpolate_level_temperatures: pressure_lay(0, 1) = 900 Pa, expected another one than that of the layer "
            "below");
  auto wrong = columns;
  wrong.temperature_lev = HostArray<double**>("wrong", 1, 3);
  EXPECT_EQ(Testing::message_of([&] { rrtmgp::interpolate_level_temperatures(wrong); }),
            "interpolate_level_temperatures: temperature_lev has shape (1, 3), expected (1, 4)");
  auto const single = Testing::columns_of_all_gases(1, 1, 1);
  single.temperature_lay(0, 0) = 250;
  rrtmgp::interpolate_level_temperatures(single);
  EXPECT_EQ(single.temperature_lev(0, 0), 250);
  EXPECT_EQ(single.temperature_lev(0, 1), 250);
}

// Each spoiled number is told by file, variable and index.
TEST(RrtmgpKDistribution, ThatCannotBeComputedWithIsRefused) {
  struct Spoiled {
    std::function<void(KDistribution&)> spoil;
    std::string message;
  };
  double const nan = std::nan("");
  std::vector<Spoiled> const longwave{
      {[](auto& k) { k.temperature.resize(1); }, "dimension temperature is 1, expected at least 2"},
      {[](auto& k) { k.pressure.resize(1); }, "dimension pressure is 1, expected at least 2"},
      {[](auto& k) { k.nmixing = 1; }, "dimension mixing_fraction is 1, expected at least 2"},
      {[](auto& k) { k.ngpoint = 0; }, "dimension gpt is 0, expected at least 1"},
      {[](auto& k) { k.bands.clear(); }, "dimension bnd is 0, expected at least 1"},
      {[](auto& k) { k.gases.clear(); }, "dimension absorber is 0, expected at least 1"},
      {[](auto& k) { k.nplanck = 1; }, "dimension temperature_Planck is 1, expected at least 2"},
      {[=](auto& k) { k.temperature[2] = nan; }, "temp_ref(2) = nan, expected a positive finite number"},
      {[](auto& k) { k.temperature[2] = 200; }, "temp_ref(2) = 200, expected more than 207.5, the number before"},
      {[](auto& k) { k.temperature[2] = 250; }, "temp_ref(2) = 250, expected 245: even steps"},
      {[](auto& k) { k.pressure[3] = -1; }, "press_ref(3) = -1, expected a positive finite number"},
      {[](auto& k) { k.pressure[1] = 2e5; }, "press_ref(1) = 200000, expected less than 110000, the number before"},
      {[](auto& k) { k.pressure[1] = 6e4; }, "press_ref(1) = 60000, expected 54624.4: even steps of the logarithm"},
      {[](auto& k) { k.tropopause_pressure = 10000; }, "press_ref_trop = 10000, expected one of press_ref"},
      {[=](auto& k) { k.tropopause_pressure = nan; }, "press_ref_trop = nan, expected one of press_ref"},
      {[](auto& k) { k.gases[2] = ""; }, "gas_names(2) = \"\", expected a name"},
      {[](auto& k) { k.gases[2] = "carbon_dioxide"; },
       "gas_names(4) = co2, expected another gas than carbon_dioxide, the name of number 2"},
      {[](auto& k) { k.gases[1] = "co"; }, "gas_names: holds o3 co so2 ch4 co2 n2o, expected h2o among them"},
      {[](auto& k) { k.identifiers[3].gas = "so3"; },
       "gas_minor(3) = \"so3\", expected one of gas_names: o3 h2o so2 ch4 co2 n2o"},
      {[](auto& k) { k.identifiers[3].identifier = ""; }, "identifier_minor(3) = \"\", expected a name"},
      {[](auto& k) { k.identifiers[3].identifier = "n2o"; },
       "identifier_minor(3) = \"n2o\", expected another name than that of number 2"},
      {[](auto& k) { k.bands[1].key[1][0] = 7; }, "key_species(1, 1, 0) = 7, expected 0 to 6"},
      {[](auto& k) { k.bands[0].key[0][1] = -1; }, "key_species(0, 0, 1) = -1, expected 0 to 6"},
      {[](auto& k) { k.bands[1].first_gpoint = 5; }, "bnd_limits_gpt(1, 0) = 5, expected 4, after the band before"},
      {[](auto& k) { k.bands[1].last_gpoint = 3; }, "bnd_limits_gpt(1, 1) = 3, expected 4 to 36"},
      {[](auto& k) { k.bands[4].last_gpoint = 37; }, "bnd_limits_gpt(4, 1) = 37, expected 31 to 36"},
      {[](auto& k) { k.bands[4].last_gpoint = 35; }, "bnd_limits_gpt(4, 1) = 35, expected 36, the number of g-points"},
      {[=](auto& k) { k.bands[2].wavenumber_low = nan; },
       "bnd_limits_wavenumber(2, 0) = nan, expected a finite number of at least 0"},
      {[](auto& k) { k.bands[2].wavenumber_high = 900; },
       "bnd_limits_wavenumber(2, 1) = 900, expected more than 900.5"},
      {[](auto& k) { k.vmr.pop_back(); }, "vmr_ref: has 69 values, expected 70 (5 x 7 x 2)"},
      {[](auto& k) { k.vmr[14 + 2 * 3 + 1] = -1e-9; },
       "vmr_ref(1, 3, 1) = -1e-09, expected a finite number of at least 0 that is not a missing value"},
      {[](auto& k) { k.vmr[14 + 2 * 5] = 0; },
       "vmr_ref(1, 5, 0) = 0, expected more than 0, of a key species of band 1"},
      {[](auto& k) { k.major.push_back(0); }, "kmajor: has 9361 values, expected 9360 (5 x 13 x 4 x 36)"},
      {[=](auto& k) { k.major[((2 * 13 + 3) * 4 + 1) * 36 + 35] = nan; },
       "kmajor(2, 3, 1, 35) = nan, expected a finite number of at least 0 that is not a missing value"},
      {[](auto& k) { k.minor[0].intervals[1].identifier = "h2o"; },
       "minor_gases_lower(1) = \"h2o\", expected one of identifier_minor"},
      {[](auto& k) { k.minor[1].intervals[1].scaling_gas = "h2o_self"; },
       "scaling_gas_upper(1) = \"h2o_self\", expected one of gas_names or nothing"},
      {[](auto& k) { k.minor[1].intervals[1].first_gpoint = 0; }, "minor_limits_gpt_upper(1, 0) = 0, expected 1 to 36"},
      {[](auto& k) { k.minor[0].intervals[4].last_gpoint = 31; },
       "minor_limits_gpt_lower(4, 1) = 31, expected 22 to 30, the rest of its band"},
      {[](auto& k) { k.minor[0].intervals[4].last_gpoint = 21; },
       "minor_limits_gpt_lower(4, 1) = 21, expected 22 to 30, the rest of its band"},
      {[](auto& k) { k.minor[0].intervals[4].scales_with_density = 2; },
       "minor_scales_with_density_lower(4) = 2, expected 0 or 1"},
      {[](auto& k) { k.minor[1].intervals[2].by_complement = -1; },
       "scale_by_complement_upper(2) = -1, expected 0 or 1"},
      {[](auto& k) { k.minor[0].intervals[4].start = 0; },
       "kminor_start_lower(4) = 0, expected 1 to 42, so that its 9 g-points lie within the 50 of contributors_lower"},
      {[](auto& k) { k.minor[0].intervals[4].start = 43; },
       "kminor_start_lower(4) = 43, expected 1 to 42, so that its 9 g-points lie within the 50 of contributors_lower"},
      {[=](auto& k) { k.minor[1].coefficients[(3 * 4 + 2) * 9 + 8] = nan; },
       "kminor_upper(3, 2, 8) = nan, expected a finite number that is not a missing value"},
      {[](auto& k) { k.minor[0].coefficients.clear(); }, "kminor_lower: has 0 values, expected 1000 (5 x 4 x 50)"},
      {[](auto& k) { k.planck[61 + 5] = -1; },
       "totplnk(1, 5) = -1, expected a finite number of at least 0 that is not a missing value"},
      {[](auto& k) { k.planck_fraction[36 + 1] = -0.1; },
       "plank_fraction(0, 0, 1, 1) = -0.1, expected a finite number of at least 0 that is not a missing value"},
      {[](auto& k) { k.planck[61 + 5] = 0; },
       "totplnk(1, 5) = 0, expected at least 2.2549937031587515, that of the temperature before"},
      {[](auto& k) { k.major[7] = -1e-22; },
       "kmajor(0, 0, 0, 7) = -1e-22, expected a finite number of at least 0 that is not a missing value"},
      {[](auto& k) { k.minor[0].coefficients[1] = 9.96920996838687e36; },
       "kminor_lower(0, 0, 1) = 9.96920996838687e+36, expected a finite number that is not a missing value"},
      {[=](auto& k) { k.angle_fit[3] = nan; },
       "optimal_angle_fit(1, 1) = nan, expected a finite number that is not a missing value"},
  };
  std::vector<Spoiled> const shortwave{
      {[=](auto& k) { k.rayleigh[0][36 * 4 + 2] = nan; },
       "rayl_lower(1, 0, 2) = nan, expected a finite number of at least 0 that is not a missing value"},
      {[](auto& k) { k.rayleigh[1][3] = -1e-27; },
       "rayl_upper(0, 0, 3) = -1e-27, expected a finite number of at least 0 that is not a missing value"},
      {[](auto& k) { k.solar_quiet[5] = -500; },
       "solar_source_quiet(5) = -500, expected a finite number of at least 0 that is not a missing value"},
      {[](auto& k) { k.rayleigh[1].pop_back(); }, "rayl_upper: has 719 values, expected 720 (5 x 4 x 36)"},
      {[=](auto& k) { k.solar_quiet[7] = nan; },
       "solar_source_quiet(7) = nan, expected a finite number of at least 0 that is not a missing value"},
      {[=](auto& k) { k.solar_facular[7] = nan; },
       "solar_source_facular(7) = nan, expected a finite number that is not a missing value"},
      {[=](auto& k) { k.solar_sunspot[7] = nan; },
       "solar_source_sunspot(7) = nan, expected a finite number that is not a missing value"},
      {[=](auto& k) { k.mg_default = nan; }, "mg_default = nan, expected a finite number that is not a missing value"},
      {[=](auto& k) { k.sb_default = nan; }, "sb_default = nan, expected a finite number that is not a missing value"},
  };
  for (bool const of_longwave : {true, false}) {
    EXPECT_NO_THROW(rrtmgp::check(Testing::synthetic_k_distribution(of_longwave)));
    for (auto const& [spoil, message] : of_longwave ? longwave : shortwave) {
      auto k = Testing::synthetic_k_distribution(of_longwave);
      spoil(k);
      EXPECT_EQ(Testing::message_of([&] { rrtmgp::check(k); }), "synthetic.nc: " + message);
    }
  }
}

}  // namespace
