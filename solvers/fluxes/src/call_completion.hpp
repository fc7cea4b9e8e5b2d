// SPDX-License-Identifier: BSD-3-Clause
// What a call leaves out and a driver completes: gases with a default, and temperatures at levels.
#ifndef PARHELION_FLUXES_CALL_COMPLETION_HPP
#define PARHELION_FLUXES_CALL_COMPLETION_HPP

#include "call_kinds.hpp"
#include "rrtmgp/level_interpolation.hpp"

#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/host_threads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion::fluxes::Impl {

/// What becomes of gases that a call does not give; all others count as 0.
struct AbsentGases {
  std::string model;                             ///< its name
  GasSet needed = {};                            ///< refused where they are absent
  std::vector<std::pair<Gas, double>> defaults;  ///< mole fractions of others
};

/// \brief Those of a model.
/// \param data LongwaveData or ShortwaveData
template <class Data>
AbsentGases absent_gases(Data const& data) {
  bool const of_zeros = std::visit(
      []<class Of>(Of const&) {
        return std::is_same_v<Of, SimpleSpectralData> || std::is_same_v<Of, Coefficients const*> ||
               std::is_same_v<Of, ShortwaveCoefficients const*>;
      },
      data.data());
  auto description = data.description();
  if (of_zeros) return {.model = description.name, .needed = {}, .defaults = {}};
  return {.model = description.name, .needed = description.required, .defaults = std::move(description.defaults)};
}

/// Refuses calls without gases that the model needs.
inline void refuse_absent_gases(char const* where, AbsentGases const& absent, ColumnArrays const& input) {
  if (!input.vmr.empty()) return;
  std::string missing;
  int n = 0;
  for (int gas = 0; gas < ngas_all; ++gas)
    if (absent.needed.contains(static_cast<Gas>(gas)) && input.gases[static_cast<std::size_t>(gas)].data == nullptr) {
      missing += n++ > 0 ? ", " : "";
      missing += name_of(static_cast<Gas>(gas));
    }
  if (n == 0) return;
  std::string const them = n == 1 ? "it" : "them";
  throw ArgumentError(where, fmt::format("{} {} absent, expected {}, as {} needs {}", missing, n == 1 ? "is" : "are",
                                         them, absent.model, them));
}

/// \brief Gives a call the gases that have a default and are absent.
/// \param values of the defaults in their order, in the memory of the call
/// \param type   of the values
inline void add_default_gases(AbsentGases const& absent, void const* values, ValueType type, ColumnArrays& input) {
  if (!input.vmr.empty()) return;
  std::size_t i = 0;
  for (auto const& [gas, fraction] : absent.defaults) {
    auto& array = input.gases[static_cast<std::size_t>(gas)];
    ConstArrayRef constant;
    constant.data = static_cast<std::byte const*>(values) + i++ * bytes_of(type);
    constant.type = type;
    constant.rank = 2;
    constant.extents = {input.ncol(), input.nlay()};
    if (array.data == nullptr) array = constant;
  }
}

/// \brief Refuses a call from whose arrays level temperatures cannot be interpolated.
template <class Arrays>
void check_layers_of_levels(char const* where, Arrays const& input) {
  if (input.temperature_lev.data != nullptr)
    throw ArgumentError(where, "temperature_lev is given, expected none, as level temperatures are interpolated");
  std::int64_t const ncol = input.ncol();
  std::int64_t const nlay = input.nlay();
  auto const check = [&](char const* name, ConstArrayRef const& array, std::int64_t layers) {
    if (array.data == nullptr || array.rank != 2 || array.extents[0] != ncol || array.extents[1] != layers)
      throw ShapeError(where, fmt::format("{} is absent or has another shape, expected ({}, {})", name, ncol, layers));
    if (array.type == ValueType::int32 || array.type != input.pressure_lay.type)
      throw ShapeError(where, fmt::format("{} has another type than pressure_lay, expected the same", name));
  };
  check("pressure_lay", input.pressure_lay, std::max<std::int64_t>(nlay, 1));
  check("pressure_lev", input.pressure_lev, nlay + 1);
  check("temperature_lay", input.temperature_lay, nlay);
}

/// Level temperatures of calls with host arrays. It keeps its memory.
class LevelsOfHost {
 public:
  /// \brief Gives a call level temperatures, of the type of its other arrays.
  /// \throws parhelion::Error where they cannot be interpolated
  void interpolate(char const* where, HostThreads const& threads, ColumnArrays& input) {
    check_layers_of_levels(where, input);
    if (input.pressure_lay.type == ValueType::float32)
      interpolate(where, threads, input, m_floats);
    else
      interpolate(where, threads, input, m_doubles);
  }

 private:
  template <class Real>
  void interpolate(char const* where, HostThreads const& threads, ColumnArrays& input, std::vector<Real>& memory) {
    auto const nlev = static_cast<std::size_t>(input.nlay()) + 1;
    auto const ncol = static_cast<std::size_t>(input.ncol());
    if (memory.size() < ncol * nlev) memory.resize(ncol * nlev);
    int const nlay = input.nlay();
    auto const column_of = [](ConstArrayRef const& array, std::size_t c, double factor) {
      auto const* const first = static_cast<Real const*>(array.data) + static_cast<std::int64_t>(c) * array.strides[0];
      return rrtmgp::ColumnValues<Real>{first, static_cast<std::ptrdiff_t>(array.strides[1]), factor};
    };
    static std::string const label = "parhelion::fluxes::interpolate_levels";
    threads.for_each(label, ncol, [&](std::size_t c) {
      auto const p = column_of(input.pressure_lay, c, input.pressure_factor);
      auto const q = column_of(input.pressure_lev, c, input.pressure_factor);
      auto const t = column_of(input.temperature_lay, c, 1);
      for (std::size_t k = 0; k < nlev; ++k)
        memory[c * nlev + k] = static_cast<Real>(rrtmgp::level_temperature(p, q, t, nlay, static_cast<int>(k)));
    });
    for (std::size_t c = 0; c < ncol; ++c) {
      auto const p = column_of(input.pressure_lay, c, input.pressure_factor);
      for (int k = 1; k < nlay; ++k)
        if (p(k) == p(k - 1))
          throw Error(where, fmt::format("pressure_lay({}, {}) = {} Pa, expected another one than that of the "
                                         "layer below, as level temperatures are interpolated",
                                         c, k, p(k)));
    }
    auto& levels = input.temperature_lev;
    levels = {};
    levels.data = memory.data();
    levels.type = value_type_of<Real>();
    levels.rank = 2;
    levels.extents = {input.ncol(), static_cast<std::int64_t>(nlev)};
    levels.strides = {static_cast<std::int64_t>(nlev), 1};
  }

  std::vector<float> m_floats;
  std::vector<double> m_doubles;
};

/// Writes the level temperatures of columns on a device.
template <class Field>
struct InterpolateLevels {
  Field pressure_lay, pressure_lev, temperature_lay, temperature_lev;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    int const nlay = static_cast<int>(pressure_lay.extent(1));
    int const c = i / (nlay + 1);
    int const k = i % (nlay + 1);
    temperature_lev(c, k) = static_cast<typename Field::non_const_value_type>(
        rrtmgp::level_temperature(rrtmgp::column_values(pressure_lay, c), rrtmgp::column_values(pressure_lev, c),
                                  rrtmgp::column_values(temperature_lay, c), nlay, k));
  }
};

/// Enqueues the interpolation of the level temperatures of columns, which are copies of the caller's.
template <class ExecutionSpace, class Columns>
void interpolate_on_device(ExecutionSpace const& space, Columns const& columns) {
  using Field = std::decay_t<decltype(columns.pressure_lay)>;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>>;
  Kokkos::parallel_for(watched_label("parhelion::fluxes::interpolate_levels"),
                       light_weight(Policy(space, 0, static_cast<int>(columns.temperature_lev.size()))),
                       InterpolateLevels<Field>{columns.pressure_lay, columns.pressure_lev, columns.temperature_lay,
                                                columns.temperature_lev});
}

}  // namespace parhelion::fluxes::Impl

#endif
