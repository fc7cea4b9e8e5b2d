// SPDX-License-Identifier: BSD-3-Clause
#include "pressure_order.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace parhelion::fluxes::Impl {

template <class Real>
void check_pressure_order(char const* where, HostThreads const& threads, AnyField<Real> const& pressure_lay,
                          AnyField<Real> const& pressure_lev, double factor) {
  int const ncol = static_cast<int>(pressure_lay.extent(0));
  int const nlay = static_cast<int>(pressure_lay.extent(1));
  // The pressure of a layer may lie outside its own interfaces, as in the halves of a layer that was split.
  auto const below = [&](int c, int k) { return k == 0 ? pressure_lev(c, 0) : pressure_lay(c, k - 1); };
  auto const falls = [&](int c, int k) { return pressure_lev(c, k + 1) < pressure_lev(c, k); };
  auto const lies_within = [&](int c, int k) {
    return pressure_lay(c, k) <= below(c, k) && pressure_lay(c, k) >= pressure_lev(c, nlay);
  };
  // Blocks of columns, in the order in which they lie in memory.
  constexpr int block = 64;
  bool const columns_first = pressure_lev.stride(0) < pressure_lev.stride(1);
  std::atomic<int> worst = ncol;
  static std::string const label = "parhelion::fluxes::check_pressures";
  threads.for_each(label, static_cast<std::size_t>((ncol + block - 1) / block), [&](std::size_t b) {
    int const begin = static_cast<int>(b) * block;
    int const end = std::min(ncol, begin + block);
    std::array<std::uint8_t, block> good;
    good.fill(1);
    auto const look = [&](int c, int k) {
      good[static_cast<std::size_t>(c - begin)] &=
          static_cast<std::uint8_t>(falls(c, k)) & static_cast<std::uint8_t>(lies_within(c, k));
    };
    if (columns_first)
      for (int k = 0; k < nlay; ++k)
        for (int c = begin; c < end; ++c) look(c, k);
    else
      for (int c = begin; c < end; ++c)
        for (int k = 0; k < nlay; ++k) look(c, k);
    for (int c = begin; c < end; ++c) {
      if (good[static_cast<std::size_t>(c - begin)] != 0) continue;
      int first = worst;
      while (c < first && !worst.compare_exchange_weak(first, c)) {
      }
      return;
    }
  });
  int const c = worst;
  if (c >= ncol) return;
  auto const in_pascal = [factor](Real pressure) {
    return factor == 1 ? fmt::format("{}", pressure) : fmt::format("{}", factor * static_cast<double>(pressure));
  };
  for (int k = 0; k < nlay; ++k) {
    if (!falls(c, k))
      throw Error(where, fmt::format("pressure_lev({}, {}) = {} Pa, expected less than the {} Pa below", c, k + 1,
                                     in_pascal(pressure_lev(c, k + 1)), in_pascal(pressure_lev(c, k))));
    if (!lies_within(c, k))
      throw Error(where, fmt::format("pressure_lay({}, {}) = {} Pa, expected no more than the {} Pa below and no less "
                                     "than the {} Pa at the top",
                                     c, k, in_pascal(pressure_lay(c, k)), in_pascal(below(c, k)),
                                     in_pascal(pressure_lev(c, nlay))));
  }
}

template void check_pressure_order(char const*, HostThreads const&, AnyField<float> const&, AnyField<float> const&,
                                   double);
template void check_pressure_order(char const*, HostThreads const&, AnyField<double> const&, AnyField<double> const&,
                                   double);

}  // namespace parhelion::fluxes::Impl
