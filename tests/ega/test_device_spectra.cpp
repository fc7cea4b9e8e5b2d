// SPDX-License-Identifier: BSD-3-Clause
// Spectra from arrays on a device: the same as from arrays on the host.
#include <parhelion/core/copies.hpp>
#include <parhelion/ega/device_spectra.hpp>
#include <parhelion/ega/host_ega.hpp>

#include "arrays_on_device.hpp"
#include "kokkos_manners.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

constexpr int ngas = 2;
constexpr int nchannel = 12;

template <class P>
struct EgaDeviceSpectra : testing::Test {
  using Space = typename P::ExecutionSpace;
  using Host = Kokkos::DefaultHostExecutionSpace;

  static HostEgaOptions options() {
    return {.space = Space::name(),
            .precision = std::is_same_v<typename P::Real, float> ? Precision::float32 : Precision::float64};
  }

  Problem problem = small_problem(ngas, nchannel);
  HostAtmosphere atmosphere = small_atmosphere(problem.gases);
  HostObservation rays = joined({limb_rays({8e3, 12e3, 21e3, 24e3}), nadir_rays({0, 5})});
  Space space = another_instance<Space>();
  DeviceArrays<Space> memory;
  std::vector<ConstArrayRef> profiles, places;
  std::vector<ArrayRef> spectra;
  HostSpectra expected;

  void bring() {
    profiles.clear();
    places.clear();
    Atmosphere<Host>::for_each_array(
        [&](ArrayDescription const&, auto const& view) { profiles.push_back(memory.bring(array_ref(view))); },
        atmosphere);
    HostObservation::for_each_array(
        [&](ArrayDescription const&, auto const& view) { places.push_back(memory.bring(array_ref(view))); }, rays);
  }

  void make_room() {
    spectra.clear();
    for (auto const& array : array_refs(expected)) spectra.push_back(memory.room(array));
  }

  /// Computes on host and device.
  DeviceSpectra<Space> compute(HostEgaOptions const& with) {
    PreparedProblem const prepared(problem, with);
    expected = compute_spectra(prepared, atmosphere, rays);
    bring();
    make_room();
    DeviceSpectra<Space> device(PreparedProblem(problem, with));
    device.compute(space, profiles, places, spectra);
    return device;
  }

  /// \param rounding largest relative difference
  void expect_same(double rounding) {
    std::size_t i = 0;
    HostSpectra::for_each_array(
        [&](ArrayDescription const& description, auto const& view) {
          auto const& array = spectra[i++];
          if (array.empty()) return;
          auto const found = memory.values(array);
          auto const wanted = entries_of(view);
          EXPECT_TRUE(memory.padding_is_untouched(array)) << description.name;
          ASSERT_EQ(found.size(), wanted.size());
          // Coordinates may be 0.
          double const least = view.rank() == 1 ? 1 : 0;
          for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_NEAR(found[k], wanted[k], rounding * std::max(std::abs(wanted[k]), least))
                << description.name << " " << k;
        },
        expected);
  }
};

TYPED_TEST_SUITE(EgaDeviceSpectra, SpacesAndReals, PairName);

// Functions of the host and of the device may round in another way.
template <class Space>
constexpr double rounding = runs_on_host<Space> ? 0 : 1e-12;
// The same for pressures, with which rays are traced.
template <class Pair>
constexpr double rounding_of_paths = runs_on_host<typename Pair::ExecutionSpace>  ? 0
                                     : std::is_same_v<typename Pair::Real, float> ? 1e-5
                                                                                  : 1e-7;

TYPED_TEST(EgaDeviceSpectra, GivesTheBitsOfHostArrays) {
  for (bool const in_chunks : {false, true}) {
    auto options = this->options();
    if (in_chunks) options.chunk = 4;
    auto device = this->compute(options);
    expect_good_manners(watch([&] { device.compute(this->space, this->profiles, this->places, this->spectra); }),
                        this->space);
    EXPECT_TRUE(device.status(this->space).good());
    EXPECT_GT(device.bytes(), 0U);
    this->expect_same(0);

    // Results that nobody wants, and arrays whose values are 0.
    this->make_room();
    for (std::size_t const i : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) this->spectra[i] = {};
    // nvcc does not take the list in the loop itself.
    std::vector<HostArray<double*>> const zero{this->rays.time, this->rays.observer.longitude,
                                               this->rays.view_point.longitude};
    for (auto const& array : zero)
      for (std::size_t i = 0; i < array.size(); ++i) ASSERT_EQ(array(i), 0);
    this->profiles[4] = this->places[0] = this->places[2] = this->places[5] = {};
    device.compute(this->space, this->profiles, this->places, this->spectra);
    this->expect_same(0);
  }
}

TYPED_TEST(EgaDeviceSpectra, CloudAndSurface) {
  auto& a = this->atmosphere;
  auto const one = [](double value) {
    HostArray<double*> array("parhelion::test", 1);
    array(0) = value;
    return array;
  };
  this->problem.channels.cloud_wavenumber = {600, 900};
  this->problem.channels.surface_wavenumber = {600, 900};
  a.cloud_height = one(9e3);
  a.cloud_depth = one(500);
  a.cloud_extinction = HostArray<double**>("parhelion::test", 1, 2);
  parhelion::assign_array(a.cloud_extinction, 1e-5);
  a.surface_altitude = one(800);
  a.surface_pressure = one(0);
  a.surface_temperature = one(285);
  a.surface_emissivity = HostArray<double**>("parhelion::test", 1, 2);
  parhelion::assign_array(a.surface_emissivity, 0.95);
  (void)this->compute(this->options());
  this->expect_same(0);
}

TYPED_TEST(EgaDeviceSpectra, HydrostaticPressuresFieldsOfViewAndBrightnessTemperatures) {
  auto const plain = this->problem;
  this->rays = limb_rays({8e3, 12e3, 21e3, 24e3, 15e3, 18e3, 26e3});
  this->problem.options.hydrostatic_reference = 5e3;
  (void)this->compute(this->options());
  this->expect_same(rounding_of_paths<TypeParam>);

  this->problem = plain;
  this->problem.field_of_view = {.offset = {-1e3, 0, 500, 1e3}, .weight = {1, 3, 2, 1}};
  auto device = this->compute(this->options());
  this->expect_same(rounding<typename TestFixture::Space>);
  EXPECT_TRUE(device.status(this->space).good());

  this->problem.options.brightness_temperature = true;
  device = this->compute(this->options());
  this->expect_same(rounding<typename TestFixture::Space>);
  expect_good_manners(watch([&] { device.compute(this->space, this->profiles, this->places, this->spectra); }),
                      this->space);

  // A ray without neighbours.
  this->rays.time(3) = 100;
  this->bring();
  device.compute(this->space, this->profiles, this->places, this->spectra);
  EXPECT_EQ(device.status(this->space).first_not_finite, 3);
  EXPECT_TRUE(device.status(this->space).good());
  auto const radiance = this->memory.values(this->spectra[0]);
  for (std::size_t i = 0; i < radiance.size(); ++i) EXPECT_EQ(std::isnan(radiance[i]), i / nchannel == 3) << i;
}

TYPED_TEST(EgaDeviceSpectra, OtherExtentsAndBadInput) {
  using Space = typename TestFixture::Space;
  auto device = this->compute(this->options());
  // What a call with other extents finds out about the calls before it is not lost.
  this->atmosphere.temperature(0, 3) = std::numeric_limits<double>::quiet_NaN();
  this->bring();
  device.compute(this->space, this->profiles, this->places, this->spectra);
  this->atmosphere = small_atmosphere(this->problem.gases);
  this->rays = limb_rays({5e3, 30e3});
  this->expected = compute_spectra(this->problem, this->atmosphere, this->rays, this->options());
  this->bring();
  this->make_room();
  device.compute(this->space, this->profiles, this->places, this->spectra);
  this->expect_same(0);
  EXPECT_FALSE(device.status(this->space).good());
  EXPECT_TRUE(device.status(this->space).good());

  // An atmosphere that is much deeper.
  for (int l = 0; l < this->atmosphere.nlev(); ++l) this->atmosphere.altitude(0, l) *= 3;
  this->bring();
  device.compute(this->space, this->profiles, this->places, this->spectra);
  EXPECT_EQ(this->memory.values(this->spectra[2])[0], -1);
  EXPECT_FALSE(device.status(this->space).good());

  auto wrong = this->profiles;
  wrong[1].extents[1] -= 1;
  EXPECT_NE(message_of([&] { device.compute(this->space, wrong, this->places, this->spectra); }).find("pressure"),
            std::string::npos);
  auto options = this->options();
  HostEgaReport report;
  (void)compute_spectra(this->problem, small_atmosphere(this->problem.gases), this->rays, this->options(), &report);
  options.memory_limit = report.table_bytes / nchannel * 5;
  DeviceSpectra<Space> limited(PreparedProblem(this->problem, options));
  EXPECT_NE(message_of([&] {
              limited.compute(this->space, this->profiles, this->places, this->spectra);
            }).find("memory limit"),
            std::string::npos);
}

}  // namespace
