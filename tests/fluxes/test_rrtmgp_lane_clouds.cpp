// SPDX-License-Identifier: BSD-3-Clause
// Clouds with the optics of RRTMGP as kernels see them: drawn, with a mask, and of g-points.
#include "column_checks.hpp"
#include "rrtmgp/lane_clouds.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/subcolumns.hpp>

#include "synthetic_columns.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using namespace parhelion::fluxes::rrtmgp;
using fluxes::Clouds;
using fluxes::Columns;
using fluxes::HostClouds;
using fluxes::HostColumns;
using fluxes::Overlap;
using fluxes::ShortwaveClouds;
using fluxes::ShortwaveColumns;
using fluxes::Impl::delta_scaled;
using fluxes::Impl::LaneCloud;
using fluxes::Impl::LayerOptics;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int ncol = 3, nlay = 40;
/// Two bands of 5 and 18 g-points.
constexpr int ngpoint = 23, first_of_second = 5;
constexpr int width = 8;

template <class Pair>
struct RrtmgpLaneClouds : testing::Test {};
TYPED_TEST_SUITE(RrtmgpLaneClouds, SpacesAndReals, PairName);

CloudOptics made_up_optics(bool by_gpoint) {
  CloudOptics optics;
  optics.bands.wavenumbers = {100, 300, 300, 700};
  if (by_gpoint) optics.bands.gpoints = {1, first_of_second, first_of_second + 1, ngpoint};
  auto const n = static_cast<std::size_t>(by_gpoint ? ngpoint : 2);
  auto const table = [&](int nsize, double smallest, double largest) {
    ParticleTable result{.smallest = smallest,
                         .largest = largest,
                         .nsize = nsize,
                         .extinction = {},
                         .single_scattering = {},
                         .asymmetry = {}};
    for (std::size_t i = 0; i < n * static_cast<std::size_t>(nsize); ++i) {
      result.extinction.push_back(40 + 3 * double((7 * i) % 11));
      result.single_scattering.push_back(0.5 + 0.04 * double((5 * i) % 12));
      result.asymmetry.push_back(0.6 + 0.03 * double((3 * i) % 10));
    }
    return result;
  };
  optics.liquid = table(5, 2.5e-6, 21.5e-6);
  optics.ice = table(4, 10e-6, 180e-6);
  optics.nroughness = 1;
  return optics;
}

template <class To, class From>
void copy_to(To& to, From const& from, std::string const& label) {
  using Value = typename To::non_const_value_type;
  typename To::array_layout layout;
  for (std::size_t d = 0; d < To::rank(); ++d) layout.dimension[d] = from.extent(d);
  To const device(label, layout);
  auto const mirror = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < from.size(); ++i) mirror.data()[i] = static_cast<Value>(from.data()[i]);
  parhelion::assign_array(device, mirror);
  to = device;
}

/// The same columns or clouds in the memory of an execution space.
template <class Set, class HostSet>
Set on_device(HostSet const& from) {
  Set to{};
  Set::for_each_array(
      [](ArrayDescription const& description, auto& its, auto const& other) {
        if (other.size() > 0) copy_to(its, other, std::string(description.name));
      },
      to, from);
  return to;
}

template <class Set, class HostSet>
Set clouds_on_device(HostSet const& from) {
  auto to = on_device<Set>(from);
  to.overlap = from.overlap;
  to.seed = from.seed;
  to.first_column = from.first_column;
  return to;
}

using Mask = HostArray<std::uint8_t***>;

/// Which g-points are cloudy in clouds of layers.
template <class Space, class Real>
Mask drawn(HostClouds const& clouds, HostColumns const& columns) {
  Array<Real**, Space> fraction, correlation("correlation", ncol, nlay);
  copy_to(fraction, clouds.fraction, "fraction");
  Array<Real*, Space> const length("length", ncol);
  parhelion::assign_array(length, static_cast<Real>(fluxes::default_decorrelation_length));
  fluxes::overlap_correlation(Space(), on_device<Columns<Space, Real>>(columns), length, correlation);
  Array<std::uint8_t***, Space> const cloudy("cloudy", ncol, nlay, ngpoint);
  fluxes::draw_subcolumns(Space(), clouds.overlap, clouds.seed, clouds.first_column, fraction, correlation, cloudy);
  Kokkos::fence();
  auto const mirror = parhelion::host_copy(cloudy);
  Mask const result("cloudy", ncol, nlay, ngpoint);
  std::copy(mirror.data(), mirror.data() + mirror.size(), result.data());
  return result;
}

/// The same clouds with a mask.
HostClouds with_mask(HostClouds clouds, Mask const& mask) {
  HostArray<double***> const fraction("fraction_gpt", ncol, nlay, ngpoint);
  for (std::size_t i = 0; i < mask.size(); ++i) fraction.data()[i] = mask.data()[i];
  clouds.fraction = {};
  clouds.fraction_gpt = fraction;
  return clouds;
}

/// The same clouds with the water of each g-point, also where it is clear.
HostClouds with_paths(HostClouds clouds) {
  HostArray<double***> const ice("ice", ncol, nlay, ngpoint), liquid("liquid", ncol, nlay, ngpoint);
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k)
      for (int g = 0; g < ngpoint; ++g) {
        ice(c, k, g) = clouds.ice_path(c, k);
        liquid(c, k, g) = clouds.liquid_path(c, k);
      }
  clouds.ice_path = clouds.liquid_path = {};
  clouds.ice_path_gpt = ice;
  clouds.liquid_path_gpt = liquid;
  return clouds;
}

using Found = std::vector<LayerOptics<double>>;

/// As the kernel of the longwave asks: groups of lanes, from the top down.
template <class Space, class Real, bool scatters>
Found longwave(HostClouds const& host, HostColumns const& host_columns, CloudOptics const& optics) {
  auto const tables = make_cloud_tables<Space, Real>(Space(), optics, 1);
  auto const lanes = LaneClouds<Space, Real>::of(clouds_on_device<Clouds<Space, Real>>(host), tables);
  auto const columns = on_device<Columns<Space, Real>>(host_columns);
  Array<LayerOptics<Real>*, Space> const out("out", ncol * nlay * ngpoint);
  constexpr int ngroup = 1 + (ngpoint - first_of_second + width - 1) / width;
  Kokkos::parallel_for(
      "lanes", Kokkos::RangePolicy<Space>(0, ncol * ngroup), KOKKOS_LAMBDA(int i) {
        int const column = i / ngroup, number = i % ngroup;
        int const band = number == 0 ? 0 : 1;
        int const gpoint = number == 0 ? 0 : first_of_second + (number - 1) * width;
        int const end = number == 0 ? first_of_second : ngpoint;
        fluxes::Impl::LaneGroup group{};
        group.gpoint = gpoint;
        group.n = end - gpoint < width ? end - gpoint : width;
        std::uint32_t rank[width] = {};
        for (int k = nlay - 1; k >= 0; --k) {
          auto const cloud = lanes.layer(columns, column, k);
          LayerOptics<Real> found[width] = {};
          if (cloud.any) {
            if constexpr (scatters) {
              lanes.scattering_lanes(rank, cloud, lanes.scattering(column, k, band), column, k, group, found);
            } else {
              Real depth[width];
              lanes.optical_depths(rank, cloud, lanes.absorption(column, k, band), column, k, group, depth);
              for (int l = 0; l < width; ++l) found[l] = {depth[l], 0, 0};
            }
          }
          for (int l = 0; l < group.n; ++l) out((column * nlay + k) * ngpoint + gpoint + l) = found[l];
        }
      });
  auto const result = parhelion::host_copy(out);
  Found found;
  for (std::size_t i = 0; i < result.size(); ++i)
    found.push_back({double(result(i).absorption), double(result(i).scattering), double(result(i).asymmetric)});
  return found;
}

/// As the kernel of the shortwave asks. Depths before scaling come in `unscaled`.
template <class Space, class Real>
Found shortwave(HostClouds const& host, HostColumns const& host_columns, CloudOptics const& optics,
                std::vector<double>& unscaled) {
  auto const tables = make_cloud_tables<Space, Real>(Space(), optics, 1);
  ShortwaveClouds<Space, Real> clouds;
  auto const same = clouds_on_device<Clouds<Space, Real>>(host);
  clouds.fraction = same.fraction;
  clouds.ice_path = same.ice_path;
  clouds.liquid_path = same.liquid_path;
  clouds.overlap = same.overlap;
  clouds.seed = same.seed;
  clouds.first_column = same.first_column;
  clouds.fraction_gpt = same.fraction_gpt;
  clouds.ice_path_gpt = same.ice_path_gpt;
  clouds.liquid_path_gpt = same.liquid_path_gpt;
  clouds.ice_size = same.ice_size;
  clouds.liquid_size = same.liquid_size;
  clouds.input = same.input;
  auto const lanes = ShortwaveLaneClouds<Space, Real>::of(clouds, tables);
  auto const columns = on_device<Columns<Space, Real>>(host_columns);
  Array<LaneCloud<Real>*, Space> const out("out", ncol * nlay * ngpoint);
  Kokkos::parallel_for(
      "lanes", Kokkos::RangePolicy<Space>(0, ncol), KOKKOS_LAMBDA(int column) {
        constexpr int words = (nlay + 31) / 32;
        fluxes::Impl::LayerCloudiness cloudiness[nlay] = {
#define PARHELION_TEN {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}
            PARHELION_TEN, PARHELION_TEN, PARHELION_TEN, PARHELION_TEN};
#undef PARHELION_TEN
        for (int k = 0; k < nlay; ++k)
          if (lanes.of_layers) cloudiness[k] = lanes.cloudiness(columns, column, k);
        for (int g = 0; g < ngpoint; ++g) {
          std::uint32_t const gpoint[1] = {static_cast<std::uint32_t>(g)};
          std::uint32_t mask[words] = {};
          if (lanes.of_layers) lanes.draw(cloudiness, nlay, column, gpoint, mask, 1);
          for (int k = 0; k < nlay; ++k) {
            LaneCloud<Real> found{0, {0, 0, 0}, 0};
            if (lanes.may_be_cloudy(cloudiness, k)) {
              auto const band = lanes.band(column, k, g < first_of_second ? 0 : 1);
              bool const is_drawn = (mask[k / 32] >> (k % 32) & 1U) != 0;
              if (!lanes.has_band_clouds(column))
                found = lanes.lane(band, column, k, g, is_drawn);
              else if (is_drawn)
                found = lanes.band_cloud(band);
            }
            out((column * nlay + k) * ngpoint + g) = found;
          }
        }
      });
  auto const result = parhelion::host_copy(out);
  Found found;
  unscaled.clear();
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto const of = result(i).optics;
    EXPECT_EQ(result(i).fraction, of.absorption + of.scattering > 0 ? 1 : 0);
    found.push_back({double(of.absorption), double(of.scattering), double(of.asymmetric)});
    unscaled.push_back(double(result(i).depth));
  }
  return found;
}

/// What the tables give for all layers and points.
template <class Space, class Real>
Found of_tables(HostClouds const& host, CloudOptics const& optics) {
  auto const tables = make_cloud_tables<Space, Real>(Space(), optics, 1);
  auto const clouds = clouds_on_device<Clouds<Space, Real>>(host);
  Array<LayerOptics<Real>*, Space> const out("out", ncol * nlay * ngpoint);
  Kokkos::parallel_for(
      "tables", Kokkos::RangePolicy<Space>(0, ncol * nlay * ngpoint), KOKKOS_LAMBDA(int i) {
        int const g = i % ngpoint, k = i / ngpoint % nlay, c = i / ngpoint / nlay;
        int const band = g < first_of_second ? 0 : 1;
        out(i) = tables.template optics<true>(tables.state(clouds.liquid_path(c, k), clouds.liquid_size(c, k),
                                                           clouds.ice_path(c, k), clouds.ice_size(c, k)),
                                              tables.by_gpoint ? g : band);
      });
  auto const result = parhelion::host_copy(out);
  Found found;
  for (std::size_t i = 0; i < result.size(); ++i)
    found.push_back({double(result(i).absorption), double(result(i).scattering), double(result(i).asymmetric)});
  return found;
}

/// Whether all are close, up to rounding.
template <class Real>
void expect_close(Found const& found, Found const& expected, Mask const& mask, bool scale, bool scatters,
                  std::string const& what) {
  double const tolerance = std::is_same_v<Real, float> ? 2e-6 : 1e-14;
  double worst = 0;
  std::size_t cloudy = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    LayerOptics<double> of{0, 0, 0};
    if (mask.data()[i] == 1) of = scale ? delta_scaled(expected[i]) : expected[i];
    if (!scatters) of.scattering = of.asymmetric = 0;
    double const depth = expected[i].absorption + expected[i].scattering + 1e-300;
    worst = std::max({worst, std::abs(found[i].absorption - of.absorption) / depth,
                      std::abs(found[i].scattering - of.scattering) / depth,
                      std::abs(found[i].asymmetric - of.asymmetric) / depth});
    if (of.absorption > 0) ++cloudy;
  }
  EXPECT_LT(worst, tolerance) << what;
  EXPECT_GT(cloudy, found.size() / 10) << what;
}

TYPED_TEST(RrtmgpLaneClouds, DrawnMaskedAndOfGPointsAreTheSame) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const columns = synthetic_columns(ncol, nlay, 1);
  for (bool const by_gpoint : {false, true})
    for (auto const overlap : {Overlap::random, Overlap::maximum_random, Overlap::maximum, Overlap::exponential,
                               Overlap::exponential_random}) {
      auto clouds = synthetic_clouds(ncol, nlay);
      clouds.overlap = overlap;
      clouds.first_column = 11;
      auto const optics = made_up_optics(by_gpoint);
      auto const mask = drawn<Space, Real>(clouds, columns);
      auto const masked = with_mask(clouds, mask);
      auto const of_gpoints = with_paths(masked);
      EXPECT_TRUE(masked.has_mask() && !clouds.has_mask() && !of_gpoints.has_mask());
      auto const expected = of_tables<Space, Real>(clouds, optics);
      auto const name = fluxes::name_of(overlap) + (by_gpoint ? ", by g-point, " : ", by band, ");
      struct Form {
        HostClouds const& clouds;
        char const* name;
      };
      for (auto const& [form, what] : {Form{clouds, "drawn"}, Form{masked, "masked"}, Form{of_gpoints, "g-points"}}) {
        std::vector<double> unscaled;
        expect_close<Real>(longwave<Space, Real, false>(form, columns, optics), expected, mask, false, false,
                           name + what);
        expect_close<Real>(longwave<Space, Real, true>(form, columns, optics), expected, mask, false, true,
                           name + what);
        expect_close<Real>(shortwave<Space, Real>(form, columns, optics, unscaled), expected, mask, true, true,
                           name + what);
        for (std::size_t i = 0; i < unscaled.size(); ++i) {
          double const depth = mask.data()[i] == 1 ? expected[i].absorption + expected[i].scattering : 0;
          ASSERT_NEAR(unscaled[i], depth, 2e-6 * depth) << name << what;
        }
      }
    }
}

// --- checks ------------------------------------------------------------------------------------------------------

/// Clouds of layers with a mask for the g-points of RRTMG_LW, of which every third is cloudy.
HostClouds masked_clouds() {
  auto clouds = synthetic_clouds(ncol, nlay);
  HostArray<double***> const fraction("fraction_gpt", ncol, nlay, fluxes::ngpt);
  for (std::size_t i = 0; i < fraction.size(); i += 3) fraction.data()[i] = 1;
  clouds.fraction = {};
  clouds.fraction_gpt = fraction;
  return clouds;
}

template <class Spoil>
std::string refusal(Spoil const& spoil) {
  auto clouds = masked_clouds();
  spoil(clouds);
  return message_of([&] { fluxes::validate(clouds, ncol, nlay); });
}

TEST(RrtmgpCloudInput, CloudsWithAMaskAreChecked) {
  std::string const accepted = "(no parhelion::Error)";
  EXPECT_EQ(refusal([](auto&) {}), accepted);
  EXPECT_EQ(refusal([](auto& c) { c.ice_path(1, 20) = -1e-3; }),
            "validate: ice_path(1, 20) = -0.001 kg m-2, expected a number of at least 0");
  EXPECT_EQ(refusal([](auto& c) { c.fraction_gpt(1, 2, 3) = 2; }),
            "validate: fraction_gpt(1, 2, 3) = 2, expected 0 to 1");
  EXPECT_EQ(refusal([](auto& c) { c.liquid_size(0, 3) = 61e-6; }),
            "validate: liquid_size(0, 3) = 6.1e-05 m, expected 2.5e-06 to 6e-05");
  EXPECT_EQ(refusal([](auto& c) {
              c.liquid_path(0, 3) = 0;
              c.liquid_size(0, 3) = 61e-6;
            }),
            accepted);
  EXPECT_EQ(refusal([](auto& c) { c.ice_path = HostArray<double**>("ice_path", ncol, nlay - 1); }),
            "validate: ice_path has shape (3, 39), expected (3, 40)");
  EXPECT_EQ(refusal([](auto& c) { c.liquid_path = {}; }), "validate: liquid_path has shape (0, 0), expected (3, 40)");
  HostArray<double***> const of_gpoints("of_gpoints", ncol, nlay, fluxes::ngpt);
  EXPECT_EQ(refusal([&](auto& c) { c.ice_path_gpt = of_gpoints; }),
            "validate: ice_path is there, expected none in clouds of g-points");
  EXPECT_EQ(refusal([&](auto& c) { c.liquid_path_gpt = of_gpoints; }),
            "validate: liquid_path_gpt is there, expected none in clouds of layers with a mask");
  EXPECT_EQ(refusal([&](auto& c) { c.optical_depth_gpt = of_gpoints; }),
            "validate: optical_depth_gpt is there, expected none in clouds of layers with a mask");
  EXPECT_EQ(refusal([&](auto& c) { c.decorrelation_length = HostArray<double*>("length", ncol); }),
            "validate: decorrelation_length is there, expected none in clouds of g-points");
  EXPECT_EQ(refusal([&](auto& c) { c.input(2) = 0; }),
            "validate: input(2) = 0, expected 2 (water paths) where there is no optical_depth_gpt");
}

TEST(RrtmgpCloudInput, SizesAreThoseOfTheModelsTables) {
  using Calls = fluxes::Impl::LongwaveCalls;
  using Any = fluxes::Impl::AnyClouds<Calls, double>;
  auto const clouds = masked_clouds();
  fluxes::Impl::CloudFactors const factors{
      .sizes = fluxes::ParticleSizes{.liquid = {2.5e-6, 21.5e-6}, .ice = {10e-6, 180e-6}, .aerosol = {1e-7, 1e-5}}};
  auto const message = [&] {
    return message_of(
        [&] { fluxes::Impl::validate_clouds<Calls, double>(HostThreads(), refer_to<Any>(clouds), ncol, factors); });
  };
  parhelion::assign_array(clouds.liquid_optics, 0);  // does not count
  EXPECT_EQ(message(), "(no parhelion::Error)");
  clouds.ice_size(1, 30) = 180e-6;  // more than Fu's 140 um
  EXPECT_EQ(message(), "(no parhelion::Error)");
  clouds.liquid_size(1, 0) = 22e-6;
  EXPECT_EQ(message(), "validate: liquid_size(1, 0) = 2.2e-05 m, expected 2.5e-06 to 2.15e-05");
}

// Columns with dust, sulfate and nothing.
HostColumns with_aerosol() {
  auto columns = synthetic_columns(ncol, nlay, 1);
  columns.aerosol_type = HostArray<int**>("type", ncol, nlay);
  columns.aerosol_size = HostArray<double**>("size", ncol, nlay);
  columns.aerosol_mass = HostArray<double**>("mass", ncol, nlay);
  columns.relative_humidity = HostArray<double**>("humidity", ncol, nlay);
  columns.aerosol_type(0, 1) = static_cast<int>(AerosolType::dust);
  columns.aerosol_size(0, 1) = 1e-6;
  columns.aerosol_mass(0, 1) = 1e-5;
  columns.aerosol_type(2, 3) = static_cast<int>(AerosolType::sulfate);
  columns.aerosol_mass(2, 3) = 1e-5;
  columns.relative_humidity(2, 3) = 1.1;
  return columns;
}

template <class Spoil>
std::string refusal_of_columns(Spoil const& spoil) {
  auto columns = with_aerosol();
  spoil(columns);
  return message_of([&] { fluxes::validate(columns); });
}

TEST(RrtmgpAerosolInput, AerosolByTypeIsChecked) {
  EXPECT_EQ(refusal_of_columns([](auto&) {}), "(no parhelion::Error)");
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.aerosol_type(1, 2) = 8; }),
            "validate: aerosol_type(1, 2) = 8, expected 0 (none) to 7");
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.aerosol_type(1, 2) = -1; }),
            "validate: aerosol_type(1, 2) = -1, expected 0 (none) to 7");
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.aerosol_mass(1, 2) = -1; }),
            "validate: aerosol_mass(1, 2) = -1 kg m-2, expected a number of at least 0");
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.relative_humidity(0, 1) = std::nan(""); }),
            "validate: relative_humidity(0, 1) = nan, expected a number of at least 0");
  std::string const parts =
      "validate: expected all of aerosol_type, aerosol_size, aerosol_mass and relative_humidity, or none";
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.aerosol_type = {}; }), parts);
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.aerosol_size = {}; }), parts);
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.aerosol_mass = {}; }), parts);
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.relative_humidity = {}; }), parts);
  EXPECT_EQ(refusal_of_columns([](auto& c) { c.aerosol_size = HostArray<double**>("size", ncol, nlay - 1); }),
            "validate: aerosol_size has shape (3, 39), expected (3, 40)");
}

TEST(RrtmgpAerosolInput, SizesAreThoseOfTheModelsTables) {
  using Calls = fluxes::Impl::LongwaveCalls;
  auto const columns = with_aerosol();
  fluxes::Validity validity{
      .temperature = {160, 355}, .pressure = {0, 1.1e5}, .vmr = {0, 1}, .low_pressure = 0, .lowest_temperature = 160};
  validity.particle_sizes =
      fluxes::ParticleSizes{.liquid = {2.5e-6, 21.5e-6}, .ice = {10e-6, 180e-6}, .aerosol = {1e-7, 1e-5}};
  fluxes::Impl::InputChecks<Calls> checks;
  auto const arrays = fluxes::arrays_of(columns, HostClouds());
  fluxes::HostLongwaveReport report;
  auto const message = [&] {
    return message_of([&] { checks.check(HostThreads(), arrays, validity, fluxes::rrtmg_sizes, {}, report); });
  };
  EXPECT_EQ(message(), "(no parhelion::Error)");
  columns.aerosol_size(0, 1) = 1.1e-5;
  EXPECT_EQ(message(), "validate: aerosol_size(0, 1) = 1.1e-05 m, expected 1e-07 to 1e-05");
  columns.aerosol_size(0, 1) = 1e-5;
  columns.aerosol_size(2, 3) = 1;  // sulfate has no sizes
  EXPECT_EQ(message(), "(no parhelion::Error)");
  columns.aerosol_size(0, 1) = 1.1e-5;
  fluxes::Impl::CheckOptions clip;
  clip.out_of_range = OutOfRange::clip;
  auto const used = checks.check(HostThreads(), arrays, validity, fluxes::rrtmg_sizes, clip, report);
  auto const size_of = [](ConstArrayRef const& sizes, std::int64_t c, std::int64_t k) {
    return static_cast<double const*>(sizes.data)[c * sizes.strides[0] + k * sizes.strides[1]];
  };
  EXPECT_EQ(size_of(used.aerosol_size, 0, 1), 1e-5);
  EXPECT_EQ(size_of(used.aerosol_size, 2, 3), 1);
  EXPECT_EQ(columns.aerosol_size(0, 1), 1.1e-5);
  ASSERT_EQ(report.out_of_range.size(), 1U);
  EXPECT_EQ(report.out_of_range[0], (std::pair<std::string, std::size_t>("aerosol_size", 1)));
  // With other values out of range, too.
  columns.temperature_sfc(1) = 400;
  auto const both = checks.check(HostThreads(), arrays, validity, fluxes::rrtmg_sizes, clip, report);
  EXPECT_EQ(size_of(both.aerosol_size, 0, 1), 1e-5);
  EXPECT_EQ(total(report.out_of_range), 2U);
  columns.temperature_sfc(1) = 300;
  // What is no number cannot be clipped, and to extrapolate there is nothing.
  columns.aerosol_size(0, 1) = std::nan("");
  EXPECT_NE(message_of([&] {
              checks.check(HostThreads(), arrays, validity, fluxes::rrtmg_sizes, clip, report);
            }).find("aerosol_size(0, 1) = nan m, expected 1e-07 to 1e-05"),
            std::string::npos);
  columns.aerosol_size(0, 1) = 1.1e-5;
  clip.out_of_range = OutOfRange::extrapolate;
  EXPECT_NE(message_of([&] {
              checks.check(HostThreads(), arrays, validity, fluxes::rrtmg_sizes, clip, report);
            }).find("aerosol_size(0, 1)"),
            std::string::npos);
}

}  // namespace
