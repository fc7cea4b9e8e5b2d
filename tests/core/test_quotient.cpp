// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/impl/quotient.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <cstddef>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Space>
struct Quotients : testing::Test {};
TYPED_TEST_SUITE(Quotients, Spaces, SpaceName);

// Quotient and rest of each dividend by each divisor, one after the other.
template <class Space>
std::vector<int> divided(std::vector<int> const& dividends, std::vector<int> const& divisors) {
  auto const from = on_device<Space>(dividends);
  auto const by = on_device<Space>(divisors);
  int const n = static_cast<int>(divisors.size());
  return evaluate<Space>(
      static_cast<int>(dividends.size()) * n * 2, KOKKOS_LAMBDA(int i)->int {
        parhelion::Impl::Quotient const q(from(i / (2 * n)), by(i / 2 % n));
        return i % 2 == 0 ? q.value : q.rest;
      });
}

TYPED_TEST(Quotients, AreThoseOfIntegers) {
  std::vector<int> divisors, dividends;
  for (int i = 1; i <= 40; ++i) divisors.push_back(i);
  for (int const i : {63, 64, 65, 127, 997, 1024, 65535, 65536, 999983, 1000000}) divisors.push_back(i);
  for (int i = 0; i <= 300; ++i) dividends.push_back(i);
  // Around multiples of all divisors, where an error of the quotient would show.
  for (int const divisor : divisors)
    for (int const multiple : {1000, 65536, 500000, 1000000})
      for (int const near : {-1, 0, 1}) {
        int const dividend = multiple / divisor * divisor + near;
        if (dividend >= 0 && dividend <= 1000000) dividends.push_back(dividend);
      }
  auto const found = divided<TypeParam>(dividends, divisors);
  std::size_t at = 0;
  for (int const dividend : dividends)
    for (int const divisor : divisors) {
      ASSERT_EQ(found.at(at++), dividend / divisor) << dividend << " / " << divisor;
      ASSERT_EQ(found.at(at++), dividend % divisor) << dividend << " / " << divisor;
    }
}

}  // namespace
