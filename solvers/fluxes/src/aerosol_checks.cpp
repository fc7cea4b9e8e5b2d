// SPDX-License-Identifier: BSD-3-Clause
#include "aerosol_checks.hpp"

#include <parhelion/core/error_kinds.hpp>
#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace parhelion::fluxes::Impl {

namespace {

/// A value of an array (column, layer).
template <class Value>
Value value_at(ConstArrayRef const& array, std::int64_t c, std::int64_t k) {
  return static_cast<Value const*>(array.data)[c * array.strides[0] + k * array.strides[1]];
}

/// Calls action(column, layer, type) for all aerosol types of a call.
template <class Action>
void for_each_aerosol_type(ColumnArrays const& input, Action const& action) {
  auto const& types = input.aerosol_type;
  if (types.empty()) return;
  for (std::int64_t c = 0; c < types.extents[0]; ++c)
    for (std::int64_t k = 0; k < types.extents[1]; ++k) action(c, k, value_at<int>(types, c, k));
}

/// Calls action(column, layer, size) for each size of dust and sea salt that is out of a range.
template <class Real, class Action>
void for_each_aerosol_size_outside(ColumnArrays const& input, SizeRange const& range, Action const& action) {
  for_each_aerosol_type(input, [&](std::int64_t c, std::int64_t k, int type) {
    if (type != static_cast<int>(rrtmgp::AerosolType::dust) && type != static_cast<int>(rrtmgp::AerosolType::sea_salt))
      return;
    if (auto const size = value_at<Real>(input.aerosol_size, c, k); !range.holds(static_cast<double>(size)))
      action(c, k, size);
  });
}

}  // namespace

void check_aerosol_input(char const* where, ShortwaveArrays const& input) {
  auto const& kinds = input.aerosol_input;
  if (kinds.empty()) return;
  for (std::int64_t c = 0; c < kinds.extents[0]; ++c) {
    int const kind = static_cast<int const*>(kinds.data)[c * kinds.strides[0]];
    auto const refuse = [&](char const* expected) {
      throw Error(where, fmt::format("aerosol_input({}) = {}, expected {}", c, kind, expected));
    };
    switch (static_cast<AerosolInput>(kind)) {
      case AerosolInput::none:
        break;
      case AerosolInput::types:
        if (input.aerosol_550nm.empty()) refuse("0 (none) or 10 (optical properties) where there is no aerosol_550nm");
        break;
      case AerosolInput::optical:
        if (input.aerosol_optical_depth.empty())
          refuse("0 (none) or 6 (types) where there is no aerosol_optical_depth");
        break;
      default:
        refuse("0 (none), 6 (types) or 10 (optical properties)");
    }
  }
}
void check_aerosol_input(char const* /*where*/, LongwaveArrays const& /*input*/) {}

void check_aerosol_types(char const* where, ColumnArrays const& input) {
  for_each_aerosol_type(input, [&](std::int64_t c, std::int64_t k, int type) {
    if (type < 0 || type > rrtmgp::naerosol_type)
      throw Error(where,
                  fmt::format("aerosol_type({}, {}) = {}, expected 0 (none) to {}", c, k, type, rrtmgp::naerosol_type));
  });
}

template <class Real>
std::size_t check_aerosol_sizes(char const* where, ColumnArrays const& input, SizeRange const& range, bool clips) {
  std::size_t n = 0;
  for_each_aerosol_size_outside<Real>(input, range, [&](std::int64_t c, std::int64_t k, Real size) {
    if (!clips || !std::isfinite(size))
      throw Error(where, fmt::format("aerosol_size({}, {}) = {:g} m, expected {:g} to {:g}", c, k, size, range.smallest,
                                     range.largest));
    ++n;
  });
  return n;
}

template <class Real>
Array<Real**, Host> clipped_aerosol_sizes(HostThreads const& threads, ColumnArrays const& input,
                                          SizeRange const& range) {
  Array<Real**, Host> const sizes(
      Kokkos::view_alloc(std::string("parhelion::fluxes::aerosol_size"), Kokkos::WithoutInitializing), input.ncol(),
      input.nlay());
  ArrayCopies copies;
  copies.add(input.aerosol_size, array_ref(sizes), {});
  copies.run(threads);
  for_each_aerosol_size_outside<Real>(input, range, [&](std::int64_t c, std::int64_t k, Real size) {
    sizes(c, k) = static_cast<Real>(static_cast<double>(size) < range.smallest ? range.smallest : range.largest);
  });
  return sizes;
}

void check_aerosol_parts(char const* where, ColumnArrays const& input) {
  bool const there = !input.aerosol_type.empty();
  if (there == input.aerosol_size.empty() || there == input.aerosol_mass.empty() ||
      there == input.relative_humidity.empty())
    throw ArgumentError(where,
                        "expected all of aerosol_type, aerosol_size, aerosol_mass and relative_humidity, or none");
}

#define PARHELION_IMPL_INSTANTIATE(REAL)                                                                    \
  template std::size_t check_aerosol_sizes<REAL>(char const*, ColumnArrays const&, SizeRange const&, bool); \
  template Array<REAL**, Host> clipped_aerosol_sizes<REAL>(HostThreads const&, ColumnArrays const&, SizeRange const&);
PARHELION_IMPL_INSTANTIATE(float)
PARHELION_IMPL_INSTANTIATE(double)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::fluxes::Impl
