// SPDX-License-Identifier: BSD-3-Clause
// Arrays on a device: the same bits as arrays on the host, in the order of the caller's stream, without a copy to the
// host.
#include "c_cases.hpp"

#include "kokkos_manners.hpp"
#include "testing.hpp"

#include <parhelion/core/device.hpp>

#include <gtest/gtest.h>

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
    std::vector<double> values;
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
    Kokkos::deep_copy(m_memory.back(), host);
    result.data = m_memory.back().data();
    return result;
  }

  /// The values of an array that bring() made, in a copy of the caller's.
  CallerArray fetch(parhelion_array const& array, CallerArray const& like) const {
    CallerArray result = like;
    for (auto const& memory : m_memory) {
      if (memory.data() != array.data) continue;
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
      result.for_each([&](Index const& i) {
        std::int64_t offset = 0;
        for (int d = 0; d < like.rank(); ++d) offset += i[static_cast<std::size_t>(d)] * array.stride[d];
        result.set(i, array.type == PARHELION_FLOAT64
                          ? host.data()[offset]
                          : static_cast<double>(reinterpret_cast<float const*>(host.data())[offset]));
      });
    }
    return result;
  }

 private:
  std::vector<Kokkos::View<double*, Space::memory_space>> m_memory;
};

/// Brings all arrays of a case to the device.
template <class Case>
void bring(Case& c, OnDevice& memory, int device) {
  for (auto const& [name, member] : members(c.input))
    if (auto const found = c.in.find(name); found != c.in.end()) *member = memory.bring(found->second, device);
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

int c_status(parhelion_longwave* object) { return parhelion_longwave_status(object); }
int c_status(parhelion_shortwave* object) { return parhelion_shortwave_status(object); }

template <class Case>
void expect_the_bits_of_host_arrays(Case c) {
  Space const stream = another_instance<Space>();
  void* const raw_stream = stream_of(stream);
  c.options.ncol = 3;  // several chunks
  typename Case::Handle* object = nullptr;
  ASSERT_EQ(c_create(&c.options, &object), 0) << last_error();
  c.describe();
  ASSERT_EQ(c_solve(object, &c.input, &c.output), 0) << last_error();
  auto const expected = c.out;

  OnDevice memory;
  bring(c, memory, device_of(stream));
  ASSERT_EQ(c_solve(object, &c.input, &c.output, raw_stream), 0) << last_error();
  MannersReport const manners =
      watch([&] { EXPECT_EQ(c_solve(object, &c.input, &c.output, raw_stream), 0) << last_error(); });
  EXPECT_EQ(manners.copies, std::vector<std::string>());
  EXPECT_EQ(manners.allocations, std::vector<std::string>());
  EXPECT_EQ(manners.fences, std::vector<std::string>());
  EXPECT_EQ(c_status(object), 0) << last_error();
  for (auto const& [name, member] : members(c.output)) {
    auto const found = expected.find(name);
    if (found == expected.end()) continue;
    auto const fetched = memory.fetch(*member, found->second);
    std::size_t different = 0;
    fetched.for_each([&](Index const& i) { different += fetched.value(i) != found->second.value(i) ? 1U : 0U; });
    EXPECT_EQ(different, 0U) << name;
  }
  EXPECT_EQ(c_destroy(object), 0);
}

TEST(CDevice, LongwaveGivesTheBitsOfHostArrays) {
  if (!has_device) GTEST_SKIP() << "this build computes on hosts only";
  for (auto const which : {CloudsOf::none, CloudsOf::layers, CloudsOf::gpoints}) {
    SCOPED_TRACE(static_cast<int>(which));
    expect_the_bits_of_host_arrays(longwave_case<double>(7, 9, coefficient_file(), which, Style{}));
    expect_the_bits_of_host_arrays(longwave_case<float>(7, 9, coefficient_file(), which, Style{}));
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
