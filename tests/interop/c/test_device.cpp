// SPDX-License-Identifier: BSD-3-Clause
// Arrays on a device: the same bits as arrays on the host, in the order of the caller's stream, without a copy to the
// host.
#include "c_cases.hpp"

#include "kokkos_manners.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using Space = Kokkos::DefaultExecutionSpace;
constexpr bool has_device = !runs_on_host<Space>;

/// The stream of an instance on a CUDA device; null for others.
template <class Instance>
void* stream_of(Instance const& instance) {
  if constexpr (requires { instance.cuda_stream(); })
    return instance.cuda_stream();
  else
    return nullptr;
}

/// The memory of arrays on the device, and copies of the caller's arrays there.
class OnDevice {
 public:
  /// The same array on the device, with the first index fastest.
  parhelion_array bring(CallerArray const& array, int device) {
    parhelion_array result{};
    result.type = array.type();
    result.where = PARHELION_DEVICE;
    result.device = device;
    result.rank = array.rank();
    std::int64_t stride = 1;
    for (int d = 0; d < array.rank(); ++d) {
      result.extent[d] = array.extent(d);
      result.stride[d] = stride;
      stride *= array.extent(d);
    }
    m_memory.emplace_back("on_device", static_cast<std::size_t>(stride));
    auto const host = Kokkos::create_mirror_view(m_memory.back());
    array.for_each([&](Index const& i) {
      std::int64_t offset = 0;
      for (int d = 0; d < array.rank(); ++d) offset += i[static_cast<std::size_t>(d)] * result.stride[d];
      if (array.type() == PARHELION_FLOAT64)
        host.data()[offset] = array.value(i);
      else if (array.type() == PARHELION_FLOAT32)
        reinterpret_cast<float*>(host.data())[offset] = static_cast<float>(array.value(i));
      else
        reinterpret_cast<std::int32_t*>(host.data())[offset] = static_cast<std::int32_t>(array.value(i));
    });
    parhelion::assign_array(m_memory.back(), host);
    result.data = m_memory.back().data();
    return result;
  }

  /// The values of an array that bring() made, in a copy of the caller's.
  CallerArray fetch(parhelion_array const& array, CallerArray const& like) const {
    CallerArray result = like;
    for (auto const& memory : m_memory) {
      if (memory.data() != array.data) continue;
      auto const host = parhelion::host_copy(memory);
      result.for_each([&](Index const& i) {
        std::int64_t offset = 0;
        for (int d = 0; d < like.rank(); ++d) offset += i[static_cast<std::size_t>(d)] * array.stride[d];
        double value = 0;
        if (array.type == PARHELION_FLOAT64)
          value = host.data()[offset];
        else if (array.type == PARHELION_FLOAT32)
          value = static_cast<double>(reinterpret_cast<float const*>(host.data())[offset]);
        else
          value = reinterpret_cast<std::int32_t const*>(host.data())[offset];
        result.set(i, value);
      });
    }
    return result;
  }

 private:
  std::vector<Kokkos::View<double*, Space::memory_space>> m_memory;
};

/// Brings all arrays of a case to the device, but for those of a grid, which stay on the host.
template <class TheCase>
void bring(TheCase& c, OnDevice& memory, int device) {
  for (auto const& [name, member] : members(c.input))
    if (auto const found = c.in.find(name); found != c.in.end() && name != "x" && name != "y" && name != "z")
      *member = memory.bring(found->second, device);
  for (auto const& [name, member] : members(c.output))
    if (auto const found = c.out.find(name); found != c.out.end()) *member = memory.bring(found->second, device);
}

std::string const& coefficient_file() {
  static std::string const path = write_synthetic_coefficients(scratch_folder());
  return path;
}

std::string const& shortwave_file() {
  static std::string const path = write_synthetic_shortwave_coefficients(scratch_folder());
  return path;
}

std::string const& control_file() {
  static std::string const path = write_control(scratch_folder());
  return path;
}

/// \param questions how often a repeated call may wait for a number that it asks for
template <class TheCase>
void expect_the_bits_of_host_arrays(TheCase c, std::size_t questions = 0) {
  using Handle = typename TheCase::Handle;
  Space const stream = another_instance<Space>();
  void* const raw_stream = stream_of(stream);
  Handle* object = nullptr;
  ASSERT_EQ(c_create(&c.options, &object), 0) << last_error();
  c.describe();
  ASSERT_EQ(c_solve(object, &c.input, &c.output, nullptr), 0) << last_error();
  auto const expected = c.out;
  EXPECT_EQ(c_status(object), 0) << last_error();
  std::size_t bytes_before = 0, bytes_after = 0;
  EXPECT_EQ(c_bytes(object, nullptr, &bytes_before), 0);

  OnDevice memory;
  bring(c, memory, device_of(stream));
  ASSERT_EQ(c_solve(object, &c.input, &c.output, raw_stream), 0) << last_error();
  MannersReport const manners =
      watch([&] { EXPECT_EQ(c_solve(object, &c.input, &c.output, raw_stream), 0) << last_error(); });
  EXPECT_EQ(manners.copies, std::vector<std::string>());
  EXPECT_EQ(manners.allocations, std::vector<std::string>());
  // For each Kokkos may fence twice: behind the kernel and behind the copy of its result. Copies among arrays of the
  // host, such as those of a grid, fence the host's instance only.
  auto const of_device = std::count_if(manners.fences.begin(), manners.fences.end(), [](std::string const& fence) {
    return fence.find("array_copies") == std::string::npos;
  });
  EXPECT_LE(static_cast<std::size_t>(of_device), 2 * questions);
  EXPECT_EQ(c_status(object), 0) << last_error();
  EXPECT_EQ(c_bytes(object, nullptr, &bytes_after), 0);
  EXPECT_GT(bytes_after, bytes_before);
  for (auto const& [name, member] : members(c.output)) {
    auto const found = expected.find(name);
    if (found == expected.end()) continue;
    auto const fetched = memory.fetch(*member, found->second);
    std::size_t different = 0;
    fetched.for_each([&](Index const& i) { different += fetched.value(i) != found->second.value(i) ? 1U : 0U; });
    EXPECT_EQ(different, 0U) << name;
  }
  // On the default stream, which has to wait for the other one.
  EXPECT_EQ(c_solve(object, &c.input, &c.output, nullptr), 0) << last_error();
  EXPECT_EQ(c_status(object), 0) << last_error();
  EXPECT_EQ(c_destroy(object), 0);
}

TEST(CDevice, LongwaveGivesTheBitsOfHostArrays) {
  if (!has_device) GTEST_SKIP() << "this build computes on hosts only";
  for (auto const which : {CloudsOf::none, CloudsOf::layers, CloudsOf::gpoints}) {
    SCOPED_TRACE(static_cast<int>(which));
    auto in_double = longwave_case<double>(7, 9, coefficient_file(), which, Style{});
    auto in_float = longwave_case<float>(7, 9, coefficient_file(), which, Style{});
    in_double.options.ncol = in_float.options.ncol = 3;  // several chunks
    expect_the_bits_of_host_arrays(in_double);
    expect_the_bits_of_host_arrays(in_float);
  }
}

TEST(CDevice, ShortwaveGivesTheBitsOfHostArrays) {
  if (!has_device) GTEST_SKIP() << "this build computes on hosts only";
  for (auto const which : {CloudsOf::none, CloudsOf::layers, CloudsOf::gpoints})
    for (bool const one_sun : {false, true}) {
      SCOPED_TRACE(static_cast<int>(which));
      auto in_double = shortwave_case<double>(7, 9, shortwave_file(), which, Style{});
      auto in_float = shortwave_case<float>(7, 9, shortwave_file(), which, Style{});
      if (one_sun) {
        in_double.in.erase("solar_weights");
        in_float.in.erase("solar_weights");
      }
      expect_the_bits_of_host_arrays(in_double);
      expect_the_bits_of_host_arrays(in_float);
    }
}

TEST(CDevice, AddingGivesTheBitsOfHostArrays) {
  if (!has_device) GTEST_SKIP() << "this build computes on hosts only";
  for (bool const scatter : {false, true})
    for (bool const top_first : {false, true})
      for (auto const type : {PARHELION_FLOAT64, PARHELION_FLOAT32}) {
        auto profiles = sunny_profiles(11, 5, 3, scatter);
        if (top_first) profiles.order = adding::VerticalOrder::top_first;
        auto c = adding_case(profiles, {.type = type});
        c.options.chunk = 4;
        expect_the_bits_of_host_arrays(c);
        c.options.precision = PARHELION_FLOAT32;
        expect_the_bits_of_host_arrays(c);
      }
}

TEST(CDevice, AddingCallsOfOtherExtents) {
  if (!has_device) GTEST_SKIP() << "this build computes on hosts only";
  Space const space;
  parhelion_adding* object = nullptr;
  for (int const nprofile : {3, 9, 5}) {
    auto c = adding_case(sunny_profiles(nprofile, 6, 2, nprofile == 5), Style{});
    if (object == nullptr) {
      ASSERT_EQ(c_create(&c.options, &object), 0) << last_error();
    }
    OnDevice memory;
    bring(c, memory, device_of(space));
    EXPECT_EQ(c_solve(object, &c.input, &c.output, nullptr), 0) << last_error();
    EXPECT_EQ(c_status(object), 0) << last_error();
  }
  EXPECT_EQ(c_destroy(object), 0);
}

TEST(CDevice, SpectraGiveTheBitsOfHostArrays) {
  if (!has_device) GTEST_SKIP() << "this build computes on hosts only";
  for (auto const precision : {PARHELION_FLOAT64, PARHELION_FLOAT32}) {
    auto c = spectra_case(control_file(), small_atmosphere({"CO2", "H2O"}), some_rays(), Style{});
    c.options.precision = precision;
    expect_the_bits_of_host_arrays(c);
    c.options.chunk = 3;
    expect_the_bits_of_host_arrays(c);
  }
}

TEST(CDevice, MonteCarloGivesTheBitsOfHostArrays) {
  if (!has_device) GTEST_SKIP() << "this build computes on hosts only";
  for (auto const precision : {PARHELION_FLOAT64, PARHELION_FLOAT32}) {
    auto c = monte_carlo_case(small_box(), Style{});
    c.options.precision = precision;
    // The ranges of temperature, mole fraction and one wall, and a mean.
    expect_the_bits_of_host_arrays(c, 4);
  }
}

TEST(CDevice, MonteCarloRefusesATargetAndAGridOnADevice) {
  if (!has_device) GTEST_SKIP() << "this build computes on hosts only";
  Space const space;
  auto c = monte_carlo_case(small_box(), Style{});
  OnDevice memory;
  c.describe();
  bring(c, memory, device_of(space));
  parhelion_monte_carlo* object = nullptr;
  c.options.target_error = 1;
  ASSERT_EQ(c_create(&c.options, &object), 0) << last_error();
  EXPECT_EQ(c_solve(object, &c.input, &c.output, nullptr), PARHELION_ERROR_DEVICE);
  EXPECT_NE(last_error().find("target_error"), std::string::npos) << last_error();
  EXPECT_EQ(c_destroy(object), 0);
  c.options.target_error = 0;
  ASSERT_EQ(c_create(&c.options, &object), 0) << last_error();
  c.input.x = memory.bring(c.in.at("x"), device_of(space));
  EXPECT_EQ(c_solve(object, &c.input, &c.output, nullptr), PARHELION_ERROR_DEVICE);
  EXPECT_NE(last_error().find("x is on device"), std::string::npos) << last_error();
  EXPECT_EQ(c_destroy(object), 0);
}

/// An object whose device arrays are refused, because it computes on the host, or because one of them is elsewhere.
template <class TheCase>
void expect_refusal(TheCase c, char const* array) {
  typename TheCase::Handle* object = nullptr;
  ASSERT_EQ(c_create(&c.options, &object), 0) << last_error();
  EXPECT_EQ(c_status(object), 0) << last_error();
  c.describe();
  for (auto const& [name, member] : members(c.input))
    if (name == array) member->where = PARHELION_DEVICE;
  EXPECT_EQ(c_solve(object, &c.input, &c.output, nullptr), PARHELION_ERROR_DEVICE);
  EXPECT_NE(last_error().find(array), std::string::npos) << last_error();
  EXPECT_EQ(c_destroy(object), 0);
  EXPECT_EQ(c_status(object), PARHELION_ERROR_STATE);
}

TEST(CDevice, EveryArrayIsWhereTheOthersAre) {
  expect_refusal(adding_case(sunny_profiles(3, 4, 2, false), Style{}), "emissivity");
  expect_refusal(spectra_case(control_file(), small_atmosphere({"CO2", "H2O"}), some_rays(), Style{}), "temperature");
  expect_refusal(monte_carlo_case(small_box(), Style{}), "mole_fraction");
}

TEST(CDevice, ArraysAreInOnePlace) {
  LongwaveCase c = longwave_case<double>(3, 4, coefficient_file(), CloudsOf::none, Style{});
  parhelion_longwave* object = nullptr;
  ASSERT_EQ(parhelion_longwave_create(&c.options, &object), 0) << last_error();
  c.describe();
  c.input.pressure_lev.where = PARHELION_DEVICE;
  EXPECT_EQ(parhelion_longwave_solve(object, &c.input, &c.output, nullptr), PARHELION_ERROR_DEVICE);
  EXPECT_NE(last_error().find("pressure_lev"), std::string::npos) << last_error();
  EXPECT_EQ(parhelion_longwave_destroy(object), 0);
}

}  // namespace
