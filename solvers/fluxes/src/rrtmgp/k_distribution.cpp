// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>

#include "missing_value.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace parhelion::fluxes::rrtmgp {

namespace {

// Axes are even to this share of a step.
constexpr double evenness = 0.01;

constexpr char const* half_names[nhalf] = {"lower", "upper"};

std::string of_half(char const* name, int half) { return fmt::format("{}_{}", name, half_names[half]); }

std::string index_text(std::vector<std::size_t> const& extents, std::size_t flat) {
  std::vector<std::size_t> index(extents.size());
  for (std::size_t d = extents.size(); d-- > 0; flat /= extents[d]) index[d] = flat % extents[d];
  return fmt::format("({})", fmt::join(index, ", "));
}

// The checks of one k-distribution.
class Checks {
 public:
  explicit Checks(KDistribution const& k) : m_k(k) {}

  void all() {
    sizes();
    axes();
    gases();
    bands();
    numbers("vmr_ref", m_k.vmr, {nt(), m_k.gases.size() + 1, nhalf}, 0);
    key_ratios();
    std::vector<std::size_t> const of_major{nt(), m_k.pressure.size() + 1, mixing(), gpoints()};
    numbers("kmajor", m_k.major, of_major, 0);
    for (int half = 0; half < nhalf; ++half) minor(half);
    if (m_k.is_longwave())
      longwave(of_major);
    else
      shortwave();
  }

 private:
  [[noreturn]] void refuse(std::string const& variable, std::string const& problem) const {
    throw Error(fmt::format("{}: {}", m_k.file, variable), problem);
  }

  // Refuses `variable`(index) = found.
  template <class Value>
  [[noreturn]] void refuse(std::string const& variable, std::string const& index, Value const& found,
                           std::string const& expected) const {
    throw Error(m_k.file, fmt::format("{}{} = {}, expected {}", variable, index, found, expected));
  }

  std::size_t nt() const { return m_k.temperature.size(); }
  std::size_t mixing() const { return static_cast<std::size_t>(m_k.nmixing); }
  std::size_t gpoints() const { return static_cast<std::size_t>(m_k.ngpoint); }

  void sizes() const {
    auto const at_least = [&](char const* dimension, std::size_t found, std::size_t least) {
      if (found < least)
        throw Error(m_k.file, fmt::format("dimension {} is {}, expected at least {}", dimension, found, least));
    };
    at_least("temperature", nt(), 2);
    at_least("pressure", m_k.pressure.size(), 2);
    at_least("mixing_fraction", static_cast<std::size_t>(std::max(m_k.nmixing, 0)), 2);
    at_least("gpt", static_cast<std::size_t>(std::max(m_k.ngpoint, 0)), 1);
    at_least("bnd", m_k.bands.size(), 1);
    at_least("absorber", m_k.gases.size(), 1);
    if (m_k.is_longwave()) at_least("temperature_Planck", static_cast<std::size_t>(std::max(m_k.nplanck, 0)), 2);
  }

  // Refuses numbers that are not finite or less than `least`, and another number of them.
  void numbers(std::string const& variable, std::vector<double> const& values, std::vector<std::size_t> const& extents,
               std::optional<double> least = {}) const {
    std::size_t expected = 1;
    for (std::size_t const extent : extents) expected *= extent;
    if (values.size() != expected)
      refuse(variable,
             fmt::format("has {} values, expected {} ({})", values.size(), expected, fmt::join(extents, " x ")));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(std::abs(values[i]) < fluxes::Impl::missing_from) || (least && values[i] < *least))
        refuse(variable, index_text(extents, i), values[i],
               fmt::format("a finite number{} that is not a missing value",
                           least ? fmt::format(" of at least {}", *least) : ""));
  }

  void number(char const* variable, double value) const {
    if (!(std::abs(value) < fluxes::Impl::missing_from))
      refuse(variable, "", value, "a finite number that is not a missing value");
  }

  void axis(char const* variable, std::vector<double> const& values, bool increasing, bool logarithmic) const {
    auto const at = [&](std::size_t i) { return logarithmic ? std::log(values[i]) : values[i]; };
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(values[i] > 0) || !std::isfinite(values[i]))
        refuse(variable, index_text({values.size()}, i), values[i], "a positive finite number");
    for (std::size_t i = 1; i < values.size(); ++i)
      if (increasing ? values[i] <= values[i - 1] : values[i] >= values[i - 1])
        refuse(variable, index_text({values.size()}, i), values[i],
               fmt::format("{} than {}, the number before", increasing ? "more" : "less", values[i - 1]));
    double const step = (at(values.size() - 1) - at(0)) / static_cast<double>(values.size() - 1);
    for (std::size_t i = 1; i < values.size(); ++i)
      if (double const even = at(0) + static_cast<double>(i) * step; std::abs(at(i) - even) > evenness * std::abs(step))
        refuse(variable, index_text({values.size()}, i), values[i],
               fmt::format("{:.6g}: even steps{}", logarithmic ? std::exp(even) : even,
                           logarithmic ? " of the logarithm" : ""));
  }

  void axes() const {
    axis("temp_ref", m_k.temperature, true, false);
    axis("press_ref", m_k.pressure, false, true);
    double const found = m_k.tropopause_pressure;
    double const step =
        std::abs(std::log(m_k.pressure.back() / m_k.pressure.front())) / static_cast<double>(m_k.pressure.size() - 1);
    bool const there = found > 0 && std::any_of(m_k.pressure.begin(), m_k.pressure.end(), [&](double p) {
                         return std::abs(std::log(p / found)) <= evenness * step;
                       });
    if (!there) refuse("press_ref_trop", "", found, "one of press_ref");
  }

  void gases() const {
    std::size_t const n = m_k.gases.size();
    for (std::size_t i = 0; i < n; ++i) {
      auto const& name = m_k.gases[i];
      if (name.empty()) refuse("gas_names", index_text({n}, i), "\"\"", "a name");
      for (std::size_t j = 0; j < i; ++j) {
        auto const known = find_gas(name);
        if (name == m_k.gases[j] || (known && known == find_gas(m_k.gases[j])))
          refuse("gas_names", index_text({n}, i), name,
                 fmt::format("another gas than {}, the name of number {}", m_k.gases[j], j));
      }
    }
    if (!has_gas("h2o"))
      refuse("gas_names", fmt::format("holds {}, expected h2o among them", fmt::join(m_k.gases, " ")));
    std::size_t const m = m_k.identifiers.size();
    for (std::size_t i = 0; i < m; ++i) {
      auto const& [identifier, gas] = m_k.identifiers[i];
      if (!has_gas(gas))
        refuse("gas_minor", index_text({m}, i), quoted(gas), "one of gas_names: " + names_text(m_k.gases));
      if (identifier.empty()) refuse("identifier_minor", index_text({m}, i), "\"\"", "a name");
      for (std::size_t j = 0; j < i; ++j)
        if (identifier == m_k.identifiers[j].identifier)
          refuse("identifier_minor", index_text({m}, i), quoted(identifier),
                 fmt::format("another name than that of number {}", j));
    }
  }

  static std::string quoted(std::string const& text) { return fmt::format("\"{}\"", text); }
  static std::string names_text(std::vector<std::string> const& names) {
    return fmt::format("{}", fmt::join(names, " "));
  }

  bool has_gas(std::string const& name) const {
    return std::find(m_k.gases.begin(), m_k.gases.end(), name) != m_k.gases.end();
  }

  void bands() const {
    std::size_t const n = m_k.bands.size();
    int const ngas = static_cast<int>(m_k.gases.size());
    int next = 1;
    for (std::size_t b = 0; b < n; ++b) {
      auto const& band = m_k.bands[b];
      auto const index = [&](int i) { return fmt::format("({}, {})", b, i); };
      for (int half = 0; half < nhalf; ++half)
        for (int i = 0; i < 2; ++i)
          if (int const key = band.key[static_cast<std::size_t>(half)][static_cast<std::size_t>(i)];
              key < 0 || key > ngas)
            refuse("key_species", fmt::format("({}, {}, {})", b, half, i), key, fmt::format("0 to {}", ngas));
      if (band.first_gpoint != next)
        refuse("bnd_limits_gpt", index(0), band.first_gpoint, fmt::format("{}, after the band before", next));
      if (band.last_gpoint < band.first_gpoint || band.last_gpoint > m_k.ngpoint)
        refuse("bnd_limits_gpt", index(1), band.last_gpoint, fmt::format("{} to {}", band.first_gpoint, m_k.ngpoint));
      next = band.last_gpoint + 1;
      if (!std::isfinite(band.wavenumber_low) || band.wavenumber_low < 0)
        refuse("bnd_limits_wavenumber", index(0), band.wavenumber_low, "a finite number of at least 0");
      if (!std::isfinite(band.wavenumber_high) || band.wavenumber_high <= band.wavenumber_low)
        refuse("bnd_limits_wavenumber", index(1), band.wavenumber_high,
               fmt::format("more than {}", band.wavenumber_low));
    }
    if (next != m_k.ngpoint + 1)
      refuse("bnd_limits_gpt", fmt::format("({}, 1)", n - 1), next - 1,
             fmt::format("{}, the number of g-points", m_k.ngpoint));
  }

  // Key species are compared with their amounts in a reference atmosphere.
  void key_ratios() const {
    for (std::size_t b = 0; b < m_k.bands.size(); ++b)
      for (std::size_t half = 0; half < nhalf; ++half) {
        auto const& key = m_k.bands[b].key[half];
        if (key[0] == key[1]) continue;
        for (int const gas : key)
          for (std::size_t t = 0; t < nt(); ++t)
            if (double const ratio =
                    m_k.vmr[(t * (m_k.gases.size() + 1) + static_cast<std::size_t>(gas)) * nhalf + half];
                !(ratio > 0))
              refuse("vmr_ref", fmt::format("({}, {}, {})", t, gas, half), ratio,
                     fmt::format("more than 0, of a key species of band {}", b + 1));
      }
  }

  void minor(int half) const {
    auto const& minor_gases = m_k.minor[static_cast<std::size_t>(half)];
    auto const name = [&](char const* variable) { return of_half(variable, half); };
    std::size_t const n = minor_gases.intervals.size();
    for (std::size_t i = 0; i < n; ++i) {
      auto const& interval = minor_gases.intervals[i];
      auto const index = index_text({n}, i);
      auto const& known = m_k.identifiers;
      if (std::none_of(known.begin(), known.end(),
                       [&](auto const& one) { return one.identifier == interval.identifier; }))
        refuse(name("minor_gases"), index, quoted(interval.identifier), "one of identifier_minor");
      if (!interval.scaling_gas.empty() && !has_gas(interval.scaling_gas))
        refuse(name("scaling_gas"), index, quoted(interval.scaling_gas), "one of gas_names or nothing");
      if (interval.first_gpoint < 1 || interval.first_gpoint > m_k.ngpoint)
        refuse(name("minor_limits_gpt"), fmt::format("({}, 0)", i), interval.first_gpoint,
               fmt::format("1 to {}", m_k.ngpoint));
      auto const& band = *std::find_if(m_k.bands.begin(), m_k.bands.end(),
                                       [&](auto const& one) { return one.last_gpoint >= interval.first_gpoint; });
      if (interval.last_gpoint < interval.first_gpoint || interval.last_gpoint > band.last_gpoint)
        refuse(name("minor_limits_gpt"), fmt::format("({}, 1)", i), interval.last_gpoint,
               fmt::format("{} to {}, the rest of its band", interval.first_gpoint, band.last_gpoint));
      auto const flag = [&](char const* variable, int found) {
        if (found != 0 && found != 1) refuse(name(variable), index, found, "0 or 1");
      };
      flag("minor_scales_with_density", interval.scales_with_density);
      flag("scale_by_complement", interval.by_complement);
      int const last_start = minor_gases.ncontributor - (interval.last_gpoint - interval.first_gpoint);
      if (interval.start < 1 || interval.start > last_start)
        refuse(name("kminor_start"), index, interval.start,
               fmt::format("1 to {}, so that its {} g-points lie within the {} of {}", last_start,
                           interval.last_gpoint - interval.first_gpoint + 1, minor_gases.ncontributor,
                           name("contributors")));
    }
    numbers(name("kminor"), minor_gases.coefficients,
            {nt(), mixing(), static_cast<std::size_t>(std::max(minor_gases.ncontributor, 0))});
  }

  void longwave(std::vector<std::size_t> const& of_major) const {
    std::vector<std::size_t> const of_planck{m_k.bands.size(), static_cast<std::size_t>(m_k.nplanck)};
    numbers("totplnk", m_k.planck, of_planck, 0);
    for (std::size_t i = 1; i < m_k.planck.size(); ++i)
      if (double const colder = m_k.planck[i - 1]; i % of_planck[1] > 0 && m_k.planck[i] < colder)
        refuse("totplnk", index_text(of_planck, i), m_k.planck[i],
               fmt::format("at least {}, that of the temperature before", colder));
    // Levels take a geometric mean of them.
    numbers("plank_fraction", m_k.planck_fraction, of_major, 0);
    if (!m_k.angle_fit.empty()) numbers("optimal_angle_fit", m_k.angle_fit, {m_k.bands.size(), 2});
  }

  void shortwave() const {
    numbers("rayl_lower", m_k.rayleigh[lower], {nt(), mixing(), gpoints()}, 0);
    numbers("rayl_upper", m_k.rayleigh[upper], {nt(), mixing(), gpoints()}, 0);
    numbers("solar_source_quiet", m_k.solar_quiet, {gpoints()}, 0);
    numbers("solar_source_facular", m_k.solar_facular, {gpoints()});
    numbers("solar_source_sunspot", m_k.solar_sunspot, {gpoints()});
    number("mg_default", m_k.mg_default);
    number("sb_default", m_k.sb_default);
  }

  KDistribution const& m_k;
};

std::string describe(KDistribution const& k, std::size_t band) {
  return fmt::format("band {} ({:g} to {:g} cm-1)", band + 1, k.bands[band].wavenumber_low,
                     k.bands[band].wavenumber_high);
}

// Calls action(gas, band) for each key species of each band; numbers of gases from 0.
template <class Action>
void for_each_key(KDistribution const& k, Action const& action) {
  for (std::size_t b = 0; b < k.bands.size(); ++b)
    for (auto const& key : k.bands[b].key)
      for (int const gas : key)
        if (gas > 0) action(static_cast<std::size_t>(gas - 1), b);
}

}  // namespace

void check(KDistribution const& k) { Checks(k).all(); }

GasSet known_gases(KDistribution const& k) {
  GasSet known;
  for (auto const& name : k.gases)
    if (auto const gas = find_gas(name)) known.insert(*gas);
  return known;
}

GasSet required_gases(KDistribution const& k) {
  GasSet required{Gas::h2o};
  for_each_key(k, [&](std::size_t number, std::size_t band) {
    auto const gas = find_gas(k.gases[number]);
    if (!gas)
      throw Error(k.file, fmt::format("{} is a key species of {}, expected a gas that parhelion knows", k.gases[number],
                                      describe(k, band)));
    required.insert(*gas);
  });
  return required;
}

SelectedGases select_gases(KDistribution const& k, GasSet const& offered) {
  if (auto missing = required_gases(k).without(offered); !missing.empty()) {
    std::vector<std::string> names;
    for_each_key(k, [&](std::size_t number, std::size_t band) {
      Gas const gas = *find_gas(k.gases[number]);
      if (!missing.contains(gas)) return;
      missing = missing.without({gas});
      names.push_back(fmt::format("{}, a key species of {}", k.gases[number], describe(k, band)));
    });
    if (missing.contains(Gas::h2o)) names.emplace_back("h2o, which moist air needs");
    throw Error(k.file, fmt::format("not offered: {}", fmt::join(names, "; ")));
  }

  SelectedGases selected;
  std::vector<int> number(k.gases.size() + 1, -1);  // of each gas of the file, from 1
  number[0] = 0;
  for (std::size_t i = 0; i < k.gases.size(); ++i)
    if (auto const gas = find_gas(k.gases[i]); gas && offered.contains(*gas)) {
      selected.kept.push_back(*gas);
      number[i + 1] = static_cast<int>(selected.kept.size());
    }
  auto const number_of = [&](std::string const& name) {
    auto const found = std::find(k.gases.begin(), k.gases.end(), name);
    return number[static_cast<std::size_t>(found - k.gases.begin()) + 1];
  };

  // A band without key species still needs a place between two for its other tables, and it takes that of equal parts.
  int const second = std::min(2, static_cast<int>(selected.kept.size()));
  for (auto const& band : k.bands) {
    auto& of_band = selected.flavor_of_band.emplace_back();
    for (std::size_t half = 0; half < nhalf; ++half) {
      auto const& key = band.key[half];
      std::array<int, 2> flavor{number[static_cast<std::size_t>(key[0])], number[static_cast<std::size_t>(key[1])]};
      if (flavor == std::array{0, 0}) flavor = {second, second};
      auto const found = std::find(selected.flavors.begin(), selected.flavors.end(), flavor);
      of_band[half] = static_cast<int>(found - selected.flavors.begin());
      if (found == selected.flavors.end()) selected.flavors.push_back(flavor);
    }
  }

  for (std::size_t half = 0; half < nhalf; ++half) {
    auto const& intervals = k.minor[half].intervals;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      auto const& interval = intervals[i];
      auto const identifier = std::find_if(k.identifiers.begin(), k.identifiers.end(),
                                           [&](auto const& one) { return one.identifier == interval.identifier; });
      int const gas = number_of(identifier->gas);
      if (gas < 0) continue;
      auto const band = std::find_if(k.bands.begin(), k.bands.end(),
                                     [&](auto const& one) { return one.last_gpoint >= interval.first_gpoint; });
      selected.minor[half].push_back(
          {.interval = static_cast<int>(i),
           .band = static_cast<int>(band - k.bands.begin()),
           .gas = gas,
           .scaling_gas = interval.scaling_gas.empty() ? -1 : number_of(interval.scaling_gas),
           .scales_with_density = interval.scales_with_density == 1,
           .by_complement = interval.by_complement == 1});
    }
  }
  return selected;
}

SolarWeights solar_source(KDistribution const& k, SolarActivity const& activity) {
  if (k.is_longwave()) throw Error(k.file, "is of the longwave, expected a k-distribution of the shortwave");
  // The indices of the quiet sun (Coddington et al. 2016).
  constexpr double mg_quiet = 0.1495954;
  constexpr double sb_quiet = 0.00066696;
  auto const finite = [](char const* name, double value) {
    if (!std::isfinite(value))
      throw Error("solar_source", fmt::format("{} = {}, expected a finite number", name, value));
    return value;
  };
  SolarWeights weights{1, finite("mg", activity.mg.value_or(k.mg_default)) - mg_quiet,
                       finite("sb", activity.sb.value_or(k.sb_default)) - sb_quiet};
  double total = 0;
  for (std::size_t g = 0; g < k.solar_quiet.size(); ++g)
    total +=
        weights.quiet * k.solar_quiet[g] + weights.facular * k.solar_facular[g] + weights.sunspot * k.solar_sunspot[g];
  if (!activity.total_irradiance) return weights;
  double const wanted = *activity.total_irradiance;
  if (!(wanted > 0) || !std::isfinite(wanted))
    throw Error("solar_source", fmt::format("total_irradiance = {} W m-2, expected a positive finite number", wanted));
  if (!(total > 0))
    throw Error("solar_source",
                fmt::format("the spectrum of {} adds up to {} W m-2, expected more than 0", k.file, total));
  double const factor = wanted / total;
  return {factor * weights.quiet, factor * weights.facular, factor * weights.sunspot};
}

}  // namespace parhelion::fluxes::rrtmgp
