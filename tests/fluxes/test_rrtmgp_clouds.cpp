// SPDX-License-Identifier: BSD-3-Clause
// Optics of clouds and aerosol of RRTMGP: against its own results, and on made-up tables with other dimensions.
#include "rrtmgp/particle_tables.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/rrtmgp_cloud_files.hpp>

#include "testing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using namespace parhelion::fluxes::rrtmgp;
using fluxes::Impl::delta_scaled;
using fluxes::Impl::LayerOptics;

double const not_a_number = std::nan("");

template <class Pair>
struct RrtmgpClouds : testing::Test {};
TYPED_TEST_SUITE(RrtmgpClouds, SpacesAndReals, PairName);

/// What a kernel finds: function(0), ..., function(n - 1).
template <class Space, class Real, class Function>
std::vector<LayerOptics<double>> in_kernel(int n, Function const& function) {
  Array<LayerOptics<Real>*, Space> const device("optics", n);
  Kokkos::parallel_for(
      "optics", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i) { device(i) = function(i); });
  auto const host = parhelion::host_copy(device);
  std::vector<LayerOptics<double>> result;
  for (int i = 0; i < n; ++i)
    result.push_back({double(host(i).absorption), double(host(i).scattering), double(host(i).asymmetric)});
  return result;
}

/// Clouds and aerosol of layers, one after the other, in the units of the tables.
struct Layers {
  std::vector<double> liquid_path, radius, ice_path, diameter;
  std::vector<double> type, size, mass, humidity;
  int n() const { return static_cast<int>(mass.size()); }
};

template <class Space, class Real>
Array<Real*, Space> to_device(std::vector<double> const& values) {
  Array<Real*, Space> const device("values", values.size());
  auto const host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<Real>(values[i]);
  parhelion::assign_array(device, host);
  return device;
}

/// Optical depths of the clouds of all layers and points; point after point in a layer.
template <class Space, class Real, bool scatters = true>
std::vector<LayerOptics<double>> clouds_of(Layers const& layers, CloudOptics const& optics, int roughness, bool scale) {
  auto const tables = make_cloud_tables<Space, Real>(Space(), optics, roughness);
  auto const liquid_path = to_device<Space, Real>(layers.liquid_path), radius = to_device<Space, Real>(layers.radius);
  auto const ice_path = to_device<Space, Real>(layers.ice_path), diameter = to_device<Space, Real>(layers.diameter);
  int const n = tables.npoint;
  return in_kernel<Space, Real>(
      static_cast<int>(layers.radius.size()) * n, KOKKOS_LAMBDA(int i) {
        int const k = i / n;
        auto const state = tables.state(liquid_path(k), radius(k), ice_path(k), diameter(k));
        auto const of = tables.template optics<scatters>(state, i % n);
        return scale ? delta_scaled(of) : of;
      });
}

/// The same of aerosol in bands.
template <class Space, class Real, bool scatters = true>
std::vector<LayerOptics<double>> aerosol_of(Layers const& layers, AerosolOptics const& optics, bool scale) {
  auto const tables = make_aerosol_tables<Space, Real>(Space(), optics);
  auto const type = to_device<Space, Real>(layers.type), size = to_device<Space, Real>(layers.size);
  auto const mass = to_device<Space, Real>(layers.mass), humidity = to_device<Space, Real>(layers.humidity);
  int const n = tables.nband;
  return in_kernel<Space, Real>(
      layers.n() * n, KOKKOS_LAMBDA(int i) {
        int const k = i / n;
        auto const state = tables.state(static_cast<int>(type(k)), size(k), mass(k), humidity(k));
        auto const of = tables.template optics<scatters>(state, i % n);
        return scale ? delta_scaled(of) : of;
      });
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

/// The layers of the first columns of a case file.
Layers layers_of(io::Hdf5File const& file, std::size_t columns) {
  auto const read = [&](char const* name, double factor) { return times(file.read(name, 0, columns), factor); };
  return {.liquid_path = read("lwp", 1e-3),
          .radius = read("rel", 1e-6),
          .ice_path = read("iwp", 1e-3),
          .diameter = read("dei", 1e-6),
          .type = read("aerosol_type", 1),
          .size = read("aerosol_size", 1e-6),
          .mass = read("aerosol_mass", 1),
          .humidity = read("relative_humidity", 1)};
}

/// The largest difference from optical depth, albedo and asymmetry parameter of a file: relative in the depth, absolute
/// in albedo and asymmetry. These count where the file has a depth, or scattering.
double difference(std::vector<LayerOptics<double>> const& found, io::Hdf5File const& file, std::string const& prefix) {
  auto const tau = file.read(prefix + "_tau"), ssa = file.read(prefix + "_ssa"), g = file.read(prefix + "_g");
  EXPECT_EQ(found.size(), tau.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(found.size(), tau.size()); ++i) {
    double const depth = found[i].absorption + found[i].scattering;
    if (tau[i] == 0) {
      worst = std::max(worst, std::abs(depth));
      continue;
    }
    worst = std::max(worst, std::abs(depth / tau[i] - 1));
    worst = std::max(worst, std::abs(found[i].scattering / depth - ssa[i]));
    if (tau[i] * ssa[i] > 1e-14) worst = std::max(worst, std::abs(found[i].asymmetric / found[i].scattering - g[i]));
  }
  return worst;
}

TYPED_TEST(RrtmgpClouds, CaseFilesAreReproduced) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (std::string const name :
       {"case_allsky_a_lw", "case_allsky_gpt_a_lw", "case_allsky_a_sw", "case_allsky_gpt_a_sw"}) {
    PARHELION_REQUIRE_DATA(path, "rrtmgp/" + name + ".nc");
    SCOPED_TRACE(name);
    io::Hdf5File const file(path);
    bool const shortwave = name.ends_with("sw");
    auto const folder = path.substr(0, path.rfind('/') + 1);
    auto const clouds = io::read_rrtmgp_cloud_optics(folder + *file.text_attribute("", "cloud_optics"));
    auto const aerosol = io::read_rrtmgp_aerosol_optics(folder + *file.text_attribute("", "aerosol_optics"));
    int const roughness = static_cast<int>(file.number_attribute("", "ice_roughness")->front());
    EXPECT_EQ(clouds.by_gpoint(), name.find("gpt") != std::string::npos);

    // Depths are within roundings of the inputs, which sizes near the end of a step make some times larger.
    double const tolerance = std::is_same_v<Real, float> ? 2e-6 : 5e-15;
    auto const layers = layers_of(file, 4);
    EXPECT_LT(difference(clouds_of<Space, Real>(layers, clouds, roughness, false), file, "cloud"), tolerance);
    EXPECT_LT(difference(aerosol_of<Space, Real>(layers, aerosol, false), file, "aerosol"), tolerance);

    // All together in the first column. Gases scatter nothing in the longwave, and evenly in the shortwave.
    auto const first = layers_of(file, 1);
    auto const cloud_points = clouds_of<Space, Real>(first, clouds, roughness, shortwave);
    auto const aerosol_bands = aerosol_of<Space, Real>(first, aerosol, shortwave);
    auto const mask = file.read("cloud_mask", 0, 1);
    auto const tau = file.read("total_tau"), ssa = file.read("total_ssa"), g = file.read("total_g");
    PARHELION_REQUIRE_DATA(gases, "rrtmgp/" + *file.text_attribute("", "k_distribution"));
    io::Hdf5File const k_distribution(gases);
    auto const limits = k_distribution.read("bnd_limits_gpt");
    std::size_t const ngpoint = file.shape("total_tau")[2], nband = limits.size() / 2;
    std::size_t const nlay = file.shape("total_tau")[1];
    double worst = 0;
    for (std::size_t k = 0; k < nlay; ++k)
      for (std::size_t band = 0; band < nband; ++band)
        for (auto gpoint = static_cast<std::size_t>(limits[2 * band]) - 1;
             gpoint < static_cast<std::size_t>(limits[2 * band + 1]); ++gpoint) {
          std::size_t const i = k * ngpoint + gpoint;
          LayerOptics<double> sum = aerosol_bands[k * nband + band];
          if (mask[i] == 1) sum += clouds.by_gpoint() ? cloud_points[i] : cloud_points[k * nband + band];
          double const scattering = tau[i] * ssa[i];
          if (!shortwave) worst = std::max(worst, std::abs(sum.scattering - scattering) / (1e-6 + scattering));
          worst = std::max(worst, std::abs(sum.asymmetric - scattering * g[i]) / (1e-6 + scattering));
        }
    EXPECT_LT(worst, tolerance);
  }
}

TYPED_TEST(RrtmgpClouds, PublishedFilesAreRead) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  struct Expected {
    char const* name;
    int nband, npoint;
  };
  for (auto const& [name, nband, npoint] :
       {Expected{"lw-bnd", 16, 16}, Expected{"lw-g128", 16, 128}, Expected{"lw-g256", 16, 256},
        Expected{"sw-bnd", 14, 14}, Expected{"sw-g112", 14, 112}, Expected{"sw-g224", 14, 224}}) {
    PARHELION_REQUIRE_DATA(path, std::string("rrtmgp/rrtmgp-clouds-") + name + ".nc");
    auto const optics = io::read_rrtmgp_cloud_optics(path);
    EXPECT_EQ(optics.bands.nband(), nband) << name;
    EXPECT_EQ(optics.npoint(), npoint) << name;
    EXPECT_EQ(optics.by_gpoint(), npoint != nband) << name;
    EXPECT_EQ(optics.nroughness, 3) << name;
    EXPECT_TRUE(optics.liquid.sizes().holds(21.5e-6) && optics.ice.sizes().holds(180e-6)) << name;
    for (int roughness = 1; roughness <= 3; ++roughness)
      EXPECT_EQ((make_cloud_tables<Space, Real>(Space(), optics, roughness).npoint), npoint) << name;
  }
}

// --- made-up tables ----------------------------------------------------------------------------------------------

/// Properties of a made-up table, all different.
std::vector<double> ramp(std::size_t n, double first, double step) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = first + step * double((7 * i) % n);
  return values;
}

ParticleTable made_up_table(int nroughness, int npoint, int nsize, double smallest, double largest) {
  auto const n = static_cast<std::size_t>(nroughness * npoint * nsize);
  return {.smallest = smallest,
          .largest = largest,
          .nsize = nsize,
          .extinction = ramp(n, 20, 100. / double(n)),
          .single_scattering = ramp(n, 0.1, 0.89 / double(n)),
          .asymmetry = ramp(n, -0.2, 1.1 / double(n))};
}

/// Three bands, two roughnesses, 4 sizes of droplets and 2 of ice.
CloudOptics by_band() {
  return {.where = "made-up.nc",
          .bands = {.wavenumbers = {100, 300, 300, 700, 700, 1000}, .gpoints = {}},
          .liquid = made_up_table(1, 3, 4, 2e-6, 32e-6),
          .ice = made_up_table(2, 3, 2, 5e-6, 105e-6),
          .nroughness = 2};
}

/// The same with 2, 1 and 20 g-points.
CloudOptics by_gpoint() {
  auto optics = by_band();
  optics.bands.gpoints = {1, 2, 3, 3, 4, 23};
  optics.liquid = made_up_table(1, 23, 4, 2e-6, 32e-6);
  optics.ice = made_up_table(2, 23, 2, 5e-6, 105e-6);
  return optics;
}

/// Two bands, three bins, 4 humidities.
AerosolOptics aerosol_optics() {
  auto const table = [](std::size_t n, double first) {
    std::vector<double> values(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      values[3 * i] = 100 * (first + double((5 * i) % n) / double(n));
      values[3 * i + 1] = first + 0.5 * double((7 * i) % n) / double(n);
      values[3 * i + 2] = first * double((11 * i) % n) / double(n) - 0.1;
    }
    return values;
  };
  return {.where = "made-up.nc",
          .bands = {.wavenumbers = {100, 300, 300, 700}, .gpoints = {}},
          .bin_limits = {1e-7, 1.8e-6, 1.8e-6, 3e-6, 3e-6, 10e-6},
          .humidity = {0.1, 0.3, 0.8, 0.99},
          .dust = table(6, 0.1),
          .sea_salt = table(24, 0.2),
          .sulfate = table(8, 0.3),
          .black_carbon_hydrophilic = table(8, 0.4),
          .black_carbon_hydrophobic = table(2, 0.15),
          .organic_carbon_hydrophilic = table(8, 0.45),
          .organic_carbon_hydrophobic = table(2, 0.25)};
}

double between(std::vector<double> const& values, std::size_t first, double weight, std::size_t stride = 1) {
  return values[first] + weight * (values[first + stride] - values[first]);
}

/// By the rule: the sum over droplets and ice of path * extinction, and so on.
LayerOptics<double> expected_cloud(CloudOptics const& optics, int roughness, std::size_t point,
                                   std::array<double, 4> const& layer) {
  LayerOptics<double> sum{0, 0, 0};
  auto const add = [&](ParticleTable const& table, std::size_t row, double path, double size) {
    if (!(path > 0)) return;
    double const step = (table.largest - table.smallest) / (table.nsize - 1);
    double const place = (size - table.smallest) / step;
    int const index = std::min(static_cast<int>(std::floor(place)), table.nsize - 2);
    auto const at = row * static_cast<std::size_t>(table.nsize) + static_cast<std::size_t>(index);
    double const depth = path * between(table.extinction, at, place - index);
    double const albedo = between(table.single_scattering, at, place - index);
    sum += {depth * (1 - albedo), depth * albedo, depth * albedo * between(table.asymmetry, at, place - index)};
  };
  add(optics.liquid, point, layer[0], layer[1]);
  add(optics.ice, static_cast<std::size_t>((roughness - 1) * optics.npoint()) + point, layer[2], layer[3]);
  return sum;
}

void expect_close(LayerOptics<double> const& found, LayerOptics<double> const& expected, double tolerance) {
  double const scale = tolerance * (expected.absorption + expected.scattering);
  EXPECT_NEAR(found.absorption, expected.absorption, scale);
  EXPECT_NEAR(found.scattering, expected.scattering, scale);
  EXPECT_NEAR(found.asymmetric, expected.asymmetric, scale);
}

TYPED_TEST(RrtmgpClouds, TablesMayHaveOtherDimensions) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  double const tolerance = std::is_same_v<Real, float> ? 2e-6 : 1e-14;
  // Path and radius of droplets, path and diameter of ice: both, the ends of the tables, one of both, none.
  std::vector<std::array<double, 4>> const layers{{0.01, 7e-6, 0.02, 50e-6},      {0.1, 2e-6, 0.2, 5e-6},
                                                  {0.1, 32e-6, 0.2, 105e-6},      {0.03, 22e-6, 0, not_a_number},
                                                  {0, not_a_number, 0.04, 99e-6}, {0, not_a_number, 0, not_a_number}};
  Layers in;
  for (auto const& layer : layers) {
    in.liquid_path.push_back(layer[0]);
    in.radius.push_back(layer[1]);
    in.ice_path.push_back(layer[2]);
    in.diameter.push_back(layer[3]);
  }
  for (auto const& optics : {by_band(), by_gpoint()})
    for (int const roughness : {1, 2}) {
      auto const found = clouds_of<Space, Real>(in, optics, roughness, false);
      auto const absorbed = clouds_of<Space, Real, false>(in, optics, roughness, false);
      auto const n = static_cast<std::size_t>(optics.npoint());
      ASSERT_EQ(found.size(), layers.size() * n);
      for (std::size_t i = 0; i < found.size(); ++i) {
        SCOPED_TRACE(i);
        expect_close(found[i], expected_cloud(optics, roughness, i % n, layers[i / n]), tolerance);
        EXPECT_EQ(absorbed[i].absorption, found[i].absorption);
        EXPECT_EQ(absorbed[i].scattering, 0);
        EXPECT_EQ(absorbed[i].asymmetric, 0);
      }
    }
}

/// What the points behind the last have.
template <class Space, class Real>
std::vector<LayerOptics<double>> beyond(CloudTables<Space, Real> const& tables) {
  return in_kernel<Space, Real>(
      row_padding - 1, KOKKOS_LAMBDA(int i) {
        return tables.template optics<true>(tables.state(Real(1), Real(7e-6), Real(1), Real(50e-6)), tables.npoint + i);
      });
}

TYPED_TEST(RrtmgpClouds, RowsGoOnForAWholeVector) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const tables = make_cloud_tables<Space, Real>(Space(), by_gpoint(), 1);
  EXPECT_GE(tables.liquid.rows.extent(1), 23U + row_padding - 1);
  EXPECT_EQ(tables.liquid.rows.extent(1) % row_padding, 0U);
  auto const found = beyond<Space, Real>(tables);
  for (auto const& of : found) EXPECT_EQ(of.absorption + of.scattering, 0);
}

TYPED_TEST(RrtmgpClouds, WeakAbsorptionKeepsItsDigits) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto optics = by_band();
  for (auto* const table : {&optics.liquid, &optics.ice})
    for (std::size_t i = 0; i < table->single_scattering.size(); ++i)
      table->single_scattering[i] = 1 - 1e-9 * double(i + 1);
  Layers in;
  in.liquid_path = {0.1};
  in.radius = {9e-6};
  in.ice_path = in.diameter = {0};
  double const tolerance = std::is_same_v<Real, float> ? 1e-6 : 1e-7;
  auto const found = clouds_of<Space, Real>(in, optics, 1, false);
  for (std::size_t band = 0; band < 3; ++band) {
    double const expected = expected_cloud(optics, 1, band, {0.1, 9e-6, 0, 0}).absorption;
    EXPECT_NEAR(found[band].absorption / expected, 1, tolerance);
  }
}

TYPED_TEST(RrtmgpClouds, AerosolByTypeSizeAndHumidity) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  double const tolerance = std::is_same_v<Real, float> ? 2e-6 : 1e-14;
  auto const optics = aerosol_optics();
  struct Case {
    int type;
    double size, humidity;
    std::vector<double> const* table;
    std::size_t entries, lower;  // of a band, and the first that counts
    double weight;
  };
  double const nan = not_a_number;
  std::vector<Case> const cases{
      {1, 0.1e-6, nan, &optics.dust, 3, 0, 0},
      {1, 1.7999e-6, 2, &optics.dust, 3, 0, 0},
      {1, 1.8e-6, 0.5, &optics.dust, 3, 1, 0},  // a limit between two bins belongs to the upper one
      {1, double(1.8F) * 1e-6, 0.5, &optics.dust, 3, 1, 0},
      {1, 3e-6, 0.5, &optics.dust, 3, 2, 0},
      {1, 10e-6, 0.5, &optics.dust, 3, 2, 0},
      {2, 1e-6, 0.2, &optics.sea_salt, 12, 0, 0.5},
      {2, 1.8e-6, 0.9, &optics.sea_salt, 12, 4 + 2, 0.1 / 0.19},
      {2, 9e-6, 0, &optics.sea_salt, 12, 8, 0},        // below the lowest humidity
      {2, 9e-6, 1.2, &optics.sea_salt, 12, 8 + 2, 1},  // above the highest
      {3, nan, 0.3, &optics.sulfate, 4, 1, 0},
      {4, nan, 0.55, &optics.black_carbon_hydrophilic, 4, 1, 0.5},
      {5, nan, nan, &optics.black_carbon_hydrophobic, 1, 0, 0},
      {6, nan, 0.99, &optics.organic_carbon_hydrophilic, 4, 2, 1},
      {7, nan, nan, &optics.organic_carbon_hydrophobic, 1, 0, 0},
      {0, nan, nan, nullptr, 0, 0, 0},
      {8, 1e-6, 0.5, nullptr, 0, 0, 0}};
  Layers in;
  double const mass = 1e-3;
  for (auto const& one : cases) {
    in.type.push_back(one.type);
    in.size.push_back(one.size);
    in.mass.push_back(mass);
    in.humidity.push_back(one.humidity);
  }
  auto const found = aerosol_of<Space, Real>(in, optics, false);
  auto const absorbed = aerosol_of<Space, Real, false>(in, optics, false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(i / 2);
    EXPECT_EQ(absorbed[i].absorption, found[i].absorption);
    EXPECT_EQ(absorbed[i].scattering, 0);
    auto const& one = cases[i / 2];
    if (one.table == nullptr) {
      EXPECT_EQ(found[i].absorption + found[i].scattering, 0);
      continue;
    }
    std::size_t const at = ((i % 2) * one.entries + one.lower) * 3;
    auto const of = [&](std::size_t which) {
      return one.weight == 0 ? (*one.table)[at + which] : between(*one.table, at + which, one.weight, 3);
    };
    double const depth = mass * of(0);
    // In float the weight in the narrow interval of high humidity has fewer digits.
    expect_close(found[i], {depth * (1 - of(1)), depth * of(1), depth * of(1) * of(2)}, tolerance);
  }
}

TYPED_TEST(RrtmgpClouds, OtherRoughnessesAreRefused) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const message = [](int roughness) {
    return message_of([&] { make_cloud_tables<Space, Real>(Space(), by_band(), roughness); });
  };
  EXPECT_EQ(message(0), "made-up.nc: the ice roughness 0 is asked for, expected 1 to 2");
  EXPECT_EQ(message(3), "made-up.nc: the ice roughness 3 is asked for, expected 1 to 2");
}

// --- checks ------------------------------------------------------------------------------------------------------

template <class Optics>
struct Damage {
  std::function<void(Optics&)> how;
  char const* message;
};

template <class Optics>
void expect_refused(Optics const& good, std::vector<Damage<Optics>> const& cases) {
  EXPECT_EQ(message_of([&] { check(good); }), "(no parhelion::Error)");
  for (auto const& [how, message] : cases) {
    Optics optics = good;
    how(optics);
    EXPECT_EQ(message_of([&] { check(optics); }), std::string("made-up.nc: ") + message);
  }
}

TEST(RrtmgpOpticsChecks, CloudOpticsThatCannotBeUsedAreRefused) {
  double const infinity = std::numeric_limits<double>::infinity();
  expect_refused<CloudOptics>(
      by_gpoint(),
      {{[](auto& o) { o.bands.wavenumbers.clear(); }, "bnd_limits_wavenumber has no band, expected at least one"},
       {[](auto& o) { o.bands.wavenumbers.push_back(1); }, "bnd_limits_wavenumber has 7 values, expected 6 = (3, 2)"},
       {[](auto& o) { o.bands.wavenumbers[2] = -300; },
        "bnd_limits_wavenumber(1, 0) = -300 cm-1, expected a number of at least 0"},
       {[](auto& o) { o.bands.wavenumbers[3] = 300; },
        "bnd_limits_wavenumber(1, 1) = 300 cm-1, expected more than the 300 cm-1 at which the band begins"},
       {[](auto& o) { o.bands.gpoints.pop_back(); }, "bnd_limits_gpt has 5 values, expected 6 = (3, 2)"},
       {[](auto& o) { o.bands.gpoints[0] = 0; }, "bnd_limits_gpt(0, 0) = 0, expected 1, the next g-point"},
       {[](auto& o) { o.bands.gpoints[2] = 4; }, "bnd_limits_gpt(1, 0) = 4, expected 3, the next g-point"},
       {[](auto& o) { o.bands.gpoints[3] = 2; },
        "bnd_limits_gpt(1, 1) = 2, expected at least 3, where the band begins"},
       {[](auto& o) { o.nroughness = 0; }, "extice has 0 roughnesses of ice, expected at least 1"},
       {[](auto& o) { o.liquid.smallest = 0; }, "radliq_lwr = 0 m, expected a positive number"},
       {[](auto& o) { o.liquid.largest = 2e-6; }, "radliq_upr = 2e-06 m, expected more than the 2e-06 m of radliq_lwr"},
       {[&](auto& o) { o.ice.largest = infinity; }, "diamice_upr = inf m, expected a positive number"},
       {[](auto& o) { o.ice.nsize = 1; }, "extice has 1 sizes, expected at least 2"},
       {[](auto& o) { o.ice.extinction.pop_back(); }, "extice has 91 values, expected 92 = (2, 23, 2)"},
       {[](auto& o) { o.liquid.extinction[5] = -1; }, "extliq(1, 1) = -1 m2 kg-1, expected a number of at least 0"},
       {[](auto& o) { o.ice.single_scattering[91] = 1.5; }, "ssaice(1, 22, 1) = 1.5, expected 0 to 1"},
       {[](auto& o) { o.liquid.asymmetry[0] = not_a_number; }, "asyliq(0, 0) = nan, expected -1 to 1"}});
}

TEST(RrtmgpOpticsChecks, AerosolOpticsThatCannotBeUsedAreRefused) {
  expect_refused<AerosolOptics>(
      aerosol_optics(),
      {{[](auto& o) { o.bands.wavenumbers[1] = 50; },
        "bnd_limits_wavenumber(0, 1) = 50 cm-1, expected more than the 100 cm-1 at which the band begins"},
       {[](auto& o) {
          o.bands.gpoints = {1, 1, 2, 2};
        },
        "has g-points, expected properties by band"},
       {[](auto& o) { o.bin_limits.clear(); }, "merra_aero_bin_lims has no bin, expected at least one"},
       {[](auto& o) { o.bin_limits.pop_back(); }, "merra_aero_bin_lims has 5 values, expected 4 = (2, 2)"},
       {[](auto& o) { o.bin_limits[1] = 1e-8; },
        "merra_aero_bin_lims(0, 1) = 1e-08 m, expected more than the 1e-07 m at which the bin begins"},
       {[](auto& o) { o.bin_limits[2] = 1.9e-6; },
        "merra_aero_bin_lims(1, 0) = 1.9e-06 m, expected 1.8e-06 m, where the bin before it ends"},
       {[](auto& o) { o.humidity = {0.5}; }, "aero_rh has 1 humidities, expected at least 2"},
       {[](auto& o) { o.humidity[2] = -0.8; }, "aero_rh(2) = -0.8, expected a number of at least 0"},
       {[](auto& o) { o.humidity[2] = 0.3; }, "aero_rh(2) = 0.3, expected more than the 0.3 before it"},
       {[](auto& o) { o.dust.pop_back(); }, "aero_dust_tbl has 17 values, expected 18 = (2, 3, 3)"},
       {[](auto& o) { o.sea_salt[36] = -1; },
        "aero_salt_tbl(1, 0, 0, 0) = -1 m2 kg-1, expected a number of at least 0"},
       {[](auto& o) { o.sulfate[4] = 2; }, "aero_sulf_tbl(0, 1, 1) = 2, expected 0 to 1"},
       {[](auto& o) { o.black_carbon_hydrophilic[5] = -2; }, "aero_bcar_rh_tbl(0, 1, 2) = -2, expected -1 to 1"},
       {[](auto& o) { o.black_carbon_hydrophobic.clear(); }, "aero_bcar_tbl has 0 values, expected 6 = (2, 3)"},
       {[](auto& o) { o.organic_carbon_hydrophilic[0] = not_a_number; },
        "aero_ocar_rh_tbl(0, 0, 0) = nan m2 kg-1, expected a number of at least 0"},
       {[](auto& o) { o.organic_carbon_hydrophobic[5] = 1.01; }, "aero_ocar_tbl(1, 2) = 1.01, expected -1 to 1"}});
}

TEST(RrtmgpOpticsChecks, TablesBelongToTheBandsOfAKDistribution) {
  auto const bands = by_gpoint().bands;
  auto const message = [&](SpectralBands const& expected) {
    bool const same = same_bands(bands, expected);
    auto const refused = message_of([&] { expect_bands("made-up.nc", bands, expected); });
    EXPECT_EQ(same, refused == "(no parhelion::Error)");
    return refused;
  };
  EXPECT_EQ(message(bands), "(no parhelion::Error)");
  auto other = bands;
  other.wavenumbers[2] = other.wavenumbers[1] = 300.0001;  // single precision
  EXPECT_EQ(message(other), "(no parhelion::Error)");
  other.wavenumbers[3] = 720;
  EXPECT_EQ(message(other),
            "made-up.nc: bnd_limits_wavenumber(1) = 300 to 700 cm-1, expected 300 to 720 cm-1, the band of the gas "
            "optics");
  other = bands;
  other.gpoints[1] = 1;
  EXPECT_EQ(message(other), "made-up.nc: bnd_limits_gpt(0) = 1 to 2, expected 1 to 1, those of the gas optics");
  other = bands;
  other.wavenumbers.resize(4);
  EXPECT_EQ(message(other), "made-up.nc: has 3 bands, expected 2, those of the gas optics");
  // Tables by band do not care for g-points.
  EXPECT_TRUE(same_bands(by_band().bands, bands));
}

}  // namespace
