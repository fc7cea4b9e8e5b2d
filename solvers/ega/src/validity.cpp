// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/validity.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

namespace parhelion::ega {

namespace {

// A checked quantity: its name, the unit in messages, and that unit in SI units.
struct Variable {
  std::string name;
  char const* unit;
  double scale;
  ValidRange range;
};

// Checks the values of an array; those out of range are refused, or replaced if `replace` is set.
class RangeCheck {
 public:
  RangeCheck(OutOfRange what, OutOfRangeCounts& counts, std::string const& where)
      : m_what(what), m_counts(counts), m_where(where) {}

  // \param place function that describes the place of the i-th value
  // \param counts_at function that says whether the i-th value is used
  template <class View>
  void operator()(Variable const& variable, View& values, std::function<std::string(std::size_t)> const& place,
                  std::function<double(double)> const& extrapolated, std::function<bool(double)> const& is_used = {}) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      double const value = values.data()[i];
      if (variable.range.contains(value) || (is_used && !is_used(value))) continue;
      if (m_what == OutOfRange::refuse)
        throw Error(m_where, fmt::format("{}{} = {:.6g}{}, expected {:g} to {:g}{}", variable.name, place(i),
                                         value / variable.scale, variable.unit, variable.range.lowest / variable.scale,
                                         variable.range.highest / variable.scale, variable.unit));
      if (n++ == 0) copy(values);
      values.data()[i] = m_what == OutOfRange::clip ? variable.range.nearest(value) : extrapolated(value);
    }
    m_counts.emplace_back(variable.name, n);
  }

 private:
  // The caller's array stays as it is.
  template <class View>
  static void copy(View& values) {
    View const own(Kokkos::view_alloc(values.label(), Kokkos::WithoutInitializing), values.layout());
    std::copy_n(values.data(), values.size(), own.data());
    values = own;
  }

  OutOfRange m_what;
  OutOfRangeCounts& m_counts;
  std::string m_where;
};

}  // namespace

HostAtmosphere in_valid_range(HostAtmosphere const& atmosphere, OutOfRange what, OutOfRangeCounts& counts,
                              std::string const& where) {
  HostAtmosphere result = atmosphere;
  RangeCheck check(what, counts, where);
  ValidRanges const valid;
  auto const nlev = static_cast<std::size_t>(atmosphere.nlev());
  auto const of_profile = [&](std::size_t profile) {
    return atmosphere.nprofile() > 1 ? fmt::format(" of profile {}", profile) : std::string();
  };
  auto const at_level = [&](std::size_t profile, std::size_t level) {
    return fmt::format(" at level {} ({:g} km){}", level, atmosphere.altitude(profile, level) / 1000,
                       of_profile(profile));
  };
  auto const in_profile = [&](std::size_t i) { return at_level(i / nlev, i % nlev); };
  auto const on_surface = of_profile;
  auto const as_it_is = [](double value) { return value; };
  auto const is_given = [](double value) { return value > 0; };
  check({"temperature", " K", 1, valid.temperature}, result.temperature, in_profile, as_it_is);
  check({"pressure", " hPa", 100, valid.pressure}, result.pressure, in_profile, as_it_is);
  auto const ngas = static_cast<std::size_t>(atmosphere.ngas());
  check(
      {"mole_fraction", "", 1, valid.mole_fraction}, result.mole_fraction,
      [&](std::size_t i) {
        return fmt::format(" of {}{}", atmosphere.gases[i / nlev % ngas], at_level(i / nlev / ngas, i % nlev));
      },
      [](double value) { return value < 0 ? 0 : value; });
  if (!atmosphere.has_surface()) return result;
  check({"surface_temperature", " K", 1, valid.temperature}, result.surface_temperature, on_surface, as_it_is,
        is_given);
  check({"surface_pressure", " hPa", 100, valid.pressure}, result.surface_pressure, on_surface, as_it_is, is_given);
  return result;
}

}  // namespace parhelion::ega
