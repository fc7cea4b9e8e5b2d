// SPDX-License-Identifier: BSD-3-Clause
// Arrays on a device: the bits of calls with arrays on the host.
#include <parhelion/monte_carlo/device_monte_carlo.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include "arrays_on_device.hpp"
#include "kokkos_manners.hpp"
#include "testing.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using monte_carlo::BoundaryType;
using monte_carlo::DeviceBox;
using monte_carlo::DeviceMonteCarlo;
using monte_carlo::HostResults;
using monte_carlo::Options;
using monte_carlo::Problem;
using monte_carlo::Spectrum;

// Numbers in [0, 1) without order, the same on every machine.
double scattered(std::size_t i) {
  double const x = 0.618033988749895 * static_cast<double>(i + 1);
  return x - std::floor(x);
}

/// A box that is periodic in y, with walls of different temperatures and reflectivities.
Problem small_box(Spectrum const& spectrum) {
  constexpr int nx = 9, ny = 4, nz = 16;
  Problem box;
  box.grid.faces = {monte_carlo::uniform_faces(nx, 1), monte_carlo::uniform_faces(ny, 0.5),
                    monte_carlo::stretched_faces(nz, 2, 1)};
  box.spectrum = spectrum;
  auto const cells = [&](auto& array, double lowest, double highest) {
    array = HostArray<double***>("parhelion::test", nx, ny, nz);
    for (std::size_t i = 0; i < array.size(); ++i) array.data()[i] = lowest + (highest - lowest) * scattered(i);
  };
  cells(box.temperature, 500, 1500);
  cells(box.mole_fraction, 0.2, 1);
  box.pressure = 9e4;
  box.boundaries[2].type = box.boundaries[3].type = BoundaryType::periodic;
  box.boundaries[0].temperature = 400;
  box.boundaries[1].temperature = 900;
  box.boundaries[1].emissivity = 0.75;
  auto& faces = box.boundaries[4].face_temperature;
  faces = HostArray<double**>("parhelion::test", nx, ny);
  for (std::size_t i = 0; i < faces.size(); ++i) faces.data()[i] = 300 + 500 * scattered(i);
  return box;
}

template <class Pair>
struct MonteCarloOfDevices : testing::Test {
  using Space = typename Pair::ExecutionSpace;
  static constexpr Precision precision =
      std::is_same_v<typename Pair::Real, float> ? Precision::float32 : Precision::float64;

  Options options{.rays = 64, .repetitions = 4, .seed = 7};
  Space space = another_instance<Space>();
  DeviceArrays<Space> memory;

  DeviceBox bring(Problem const& problem) {
    DeviceBox box;
    box.problem = problem;
    box.problem.temperature = box.problem.mole_fraction = {};
    box.temperature = memory.bring(array_ref(problem.temperature));
    box.mole_fraction = memory.bring(array_ref(problem.mole_fraction));
    for (std::size_t side = 0; side < 6; ++side) {
      box.problem.boundaries[side].face_temperature = {};
      box.face_temperature[side] = memory.bring(array_ref(problem.boundaries[side].face_temperature));
    }
    return box;
  }

  HostResults expected(Problem const& problem) const {
    monte_carlo::HostMonteCarloOptions host;
    host.space = Space::name();
    host.precision = precision;
    return monte_carlo::compute_sources(problem, options, host);
  }

  std::vector<ArrayRef> room(HostResults const& like) {
    std::vector<ArrayRef> results;
    for (auto const& array : array_refs(like)) results.push_back(memory.room(array));
    return results;
  }

  void expect_same(std::vector<ArrayRef> const& found, HostResults const& wanted) {
    std::size_t i = 0;
    HostResults::for_each_array(
        [&](ArrayDescription const& description, auto const& view) {
          auto const& array = found[i++];
          if (array.empty()) return;
          EXPECT_EQ(memory.values(array), entries_of(view)) << description.name;
          EXPECT_TRUE(memory.padding_is_untouched(array)) << description.name;
        },
        wanted);
  }
};
TYPED_TEST_SUITE(MonteCarloOfDevices, SpacesAndReals, PairName);

TYPED_TEST(MonteCarloOfDevices, GivesTheBitsOfHostArrays) {
  using Space = typename TestFixture::Space;
  for (auto const& spectrum : {Spectrum::grey(1.5), Spectrum::weighted_sum_of_grey_gases()}) {
    auto problem = small_box(spectrum);
    auto const expected = this->expected(problem);
    auto const box = this->bring(problem);
    auto const results = this->room(expected);
    DeviceMonteCarlo<Space> device(this->options, this->precision);
    device.compute(this->space, box, results);
    this->expect_same(results, expected);
    EXPECT_TRUE(device.status(this->space).good());
    EXPECT_GT(device.bytes(), 0U);

    // The same numbers again: nothing is made.
    auto const manners = watch([&] { device.compute(this->space, box, results); });
    EXPECT_EQ(manners.copies, std::vector<std::string>());
    EXPECT_EQ(manners.allocations, std::vector<std::string>());
    for (auto const& label : manners.labels) EXPECT_EQ(label.rfind("parhelion::", 0), 0U) << label;
    constexpr std::size_t questions = 4;  // the extremes of temperature, mole fraction and faces, and a mean
    EXPECT_LE(manners.fences.size(), 2 * questions);  // behind the kernel and behind the copy of its result
    this->expect_same(results, expected);

    // The box of a flow a step later: its values and their ranges are others, but nothing is made.
    for (std::size_t i = 0; i < problem.temperature.size(); ++i) {
      problem.temperature.data()[i] -= 0.3 + 4 * scattered(i);
      problem.mole_fraction.data()[i] -= 1e-4;
    }
    for (std::size_t i = 0; i < problem.boundaries[4].face_temperature.size(); ++i)
      problem.boundaries[4].face_temperature.data()[i] -= 0.2;
    auto const later = this->bring(problem);
    auto const of_later = watch([&] { device.compute(this->space, later, results); });
    EXPECT_EQ(of_later.allocations, std::vector<std::string>());
    this->expect_same(results, this->expected(problem));

    // Other values, other tables; the same tables and other values; fewer arrays.
    problem.temperature(1, 2, 3) = 1700;
    device.compute(this->space, this->bring(problem), results);
    this->expect_same(results, this->expected(problem));
    std::swap(problem.temperature(1, 2, 3), problem.temperature(4, 3, 2));
    std::swap(problem.mole_fraction(1, 2, 3), problem.mole_fraction(1, 2, 4));
    std::swap(problem.boundaries[4].face_temperature(1, 2), problem.boundaries[4].face_temperature(3, 1));
    device.compute(this->space, this->bring(problem), results);
    this->expect_same(results, this->expected(problem));
    problem.mole_fraction = {};
    problem.boundaries[4].face_temperature = {};
    auto some = results;
    for (std::size_t const i : {1, 4, 6, 7, 13}) some[i] = {};
    device.compute(this->space, this->bring(problem), some);
    this->expect_same(some, this->expected(problem));
  }
}

TYPED_TEST(MonteCarloOfDevices, CellsByThemselvesAndMeansOverThem) {
  this->options.ray_origin = monte_carlo::RayOrigin::volume;
  auto const problem = small_box(Spectrum::grey(1.5));
  auto const all = this->room(this->expected(problem));
  this->options.walls = false;
  auto const expected = this->expected(problem);
  auto results = this->room(expected);
  DeviceMonteCarlo<typename TestFixture::Space> device(this->options, this->precision);
  device.compute(this->space, this->bring(problem), results);
  this->expect_same(results, expected);
  // With walls.
  device.compute(this->space, this->bring(problem), all);
  this->options.walls = true;
  this->expect_same(all, this->expected(problem));
}

TYPED_TEST(MonteCarloOfDevices, ValuesOutOfRange) {
  using Space = typename TestFixture::Space;
  auto problem = small_box(Spectrum::weighted_sum_of_grey_gases());
  problem.temperature(0, 0, 0) = 3500;
  problem.boundaries[4].face_temperature(0, 0) = 2e5;
  auto const box = this->bring(problem);
  OutOfRangeCounts counts;
  auto const clipped = monte_carlo::in_range(problem, OutOfRange::clip, counts);
  auto const expected = this->expected(clipped);
  auto const results = this->room(expected);
  DeviceMonteCarlo<Space> clips(this->options, this->precision, OutOfRange::clip);
  clips.compute(this->space, box, results);
  this->expect_same(results, expected);

  DeviceMonteCarlo<Space> refuses(this->options, this->precision);
  auto const message = message_of([&] { refuses.compute(this->space, box, results); });
  EXPECT_NE(message.find("temperature from"), std::string::npos) << message;
  EXPECT_NE(message.find("3500 K, expected 250 to 3000 K"), std::string::npos) << message;

  problem.boundaries[4].face_temperature(0, 0) = 500;
  DeviceMonteCarlo<Space> extrapolates(this->options, this->precision, OutOfRange::extrapolate);
  extrapolates.compute(this->space, this->bring(problem), results);
  this->expect_same(results, this->expected(monte_carlo::in_range(problem, OutOfRange::extrapolate, counts)));

  // What is not finite is found out later.
  problem.temperature(0, 0, 0) = 1000;
  problem.temperature(0, 0, 5) = std::numeric_limits<double>::quiet_NaN();
  refuses.compute(this->space, this->bring(problem), results);
  EXPECT_FALSE(refuses.status(this->space).good());
  EXPECT_TRUE(refuses.status(this->space).good());
}

TYPED_TEST(MonteCarloOfDevices, BadInput) {
  auto const problem = small_box(Spectrum::grey(1.5));
  auto const results = this->room(monte_carlo::make_results(problem));
  DeviceMonteCarlo<typename TestFixture::Space> device(this->options, this->precision);
  auto const refusal = [&](DeviceBox const& box, std::vector<ArrayRef> const& to) {
    return message_of([&] { device.compute(this->space, box, to); });
  };
  auto box = this->bring(problem);
  box.temperature.extents[1] = 3;
  EXPECT_NE(refusal(box, results).find("temperature has shape (9, 3, 16), expected (9, 4, 16)"), std::string::npos);
  box = this->bring(problem);
  box.problem.pressure = -1;
  EXPECT_NE(refusal(box, results).find("pressure = -1 Pa"), std::string::npos);
  box = this->bring(problem);
  box.problem.boundaries[2].type = BoundaryType::wall;
  EXPECT_NE(refusal(box, results).find("periodic"), std::string::npos);
  box = this->bring(problem);
  box.face_temperature[2] = box.face_temperature[4];
  EXPECT_NE(refusal(box, results).find("periodic"), std::string::npos);
  auto none = results;
  none[0] = {};
  EXPECT_NE(refusal(this->bring(problem), none).find("q_radiative"), std::string::npos);
}

}  // namespace
