// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/gases.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>

namespace parhelion::fluxes {

namespace {

constexpr std::array<std::string_view, ngas_all> names{"h2o",   "co2",   "o3",      "n2o",   "co", "ch4",     "o2",
                                                       "ccl4",  "cfc11", "cfc12",   "cfc22", "n2", "hfc143a", "hfc125",
                                                       "hfc23", "hfc32", "hfc134a", "cf4",   "no2"};

constexpr std::array<std::pair<std::string_view, Gas>, 21> synonyms{{{"water_vapor", Gas::h2o},
                                                                     {"water_vapour", Gas::h2o},
                                                                     {"water", Gas::h2o},
                                                                     {"carbon_dioxide", Gas::co2},
                                                                     {"ozone", Gas::o3},
                                                                     {"nitrous_oxide", Gas::n2o},
                                                                     {"carbon_monoxide", Gas::co},
                                                                     {"methane", Gas::ch4},
                                                                     {"oxygen", Gas::o2},
                                                                     {"carbon_tetrachloride", Gas::ccl4},
                                                                     {"cfc-11", Gas::cfc11},
                                                                     {"cfc-12", Gas::cfc12},
                                                                     {"hcfc22", Gas::cfc22},
                                                                     {"hcfc-22", Gas::cfc22},
                                                                     {"nitrogen", Gas::n2},
                                                                     {"hfc-143a", Gas::hfc143a},
                                                                     {"hfc-125", Gas::hfc125},
                                                                     {"hfc-23", Gas::hfc23},
                                                                     {"hfc-32", Gas::hfc32},
                                                                     {"hfc-134a", Gas::hfc134a},
                                                                     {"nitrogen_dioxide", Gas::no2}}};

}  // namespace

std::string_view name_of(Gas gas) { return names.at(static_cast<std::size_t>(gas)); }

std::optional<Gas> find_gas(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  auto const* const found = std::find(names.begin(), names.end(), lower);
  if (found != names.end()) return static_cast<Gas>(found - names.begin());
  for (auto const& [synonym, gas] : synonyms)
    if (synonym == lower) return gas;
  return std::nullopt;
}

}  // namespace parhelion::fluxes
