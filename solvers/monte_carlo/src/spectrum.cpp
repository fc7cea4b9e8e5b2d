// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/constants.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/planck.hpp>
#include <parhelion/monte_carlo/spectrum.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::monte_carlo {

namespace Impl {

// The interface of the kinds of spectra. Arguments have been checked.
class SpectralModel {
 public:
  SpectralModel(std::string name, int npoint, TemperatureRange range, Validity const& validity)
      : m_name(std::move(name)), m_npoint(npoint), m_range(range), m_validity(validity) {}
  virtual ~SpectralModel() = default;
  SpectralModel(SpectralModel const&) = delete;
  SpectralModel& operator=(SpectralModel const&) = delete;

  std::string const& name() const { return m_name; }
  int npoint() const { return m_npoint; }
  TemperatureRange range() const { return m_range; }
  Validity const& validity() const { return m_validity; }

  virtual double absorption(int s, double temperature) const = 0;
  virtual double source(int s, double temperature) const = 0;

  // All points at a temperature: the numbers of the two functions above.
  virtual void at(double temperature, double* absorptions, double* sources) const {
    for (int s = 0; s < m_npoint; ++s) {
      absorptions[s] = absorption(s, temperature);
      sources[s] = source(s, temperature);
    }
  }
  virtual void sources(double temperature, double* sources) const {
    for (int s = 0; s < m_npoint; ++s) sources[s] = source(s, temperature);
  }

  // The table of tabulate_within() that was made last.
  struct Kept {
    double t_low = 0, t_high = 0, tolerance = 0;
    int max_nodes = 0, nnode = 0;  // no nodes: none
    double absorption_error = 0, source_error = 0, emission_error = 0;
    std::vector<double> absorption, source;
  };
  std::shared_ptr<Kept const> kept() const {
    std::lock_guard const lock(m_mutex);
    return m_kept;
  }
  void keep(std::shared_ptr<Kept const> table) const {
    std::lock_guard const lock(m_mutex);
    m_kept = std::move(table);
  }

  virtual std::vector<double> band_centres() const { return {0}; }

  // Temperatures at which the absorption coefficient has a kink.
  virtual std::vector<double> corners() const { return {}; }

 private:
  std::string m_name;
  int m_npoint;
  TemperatureRange m_range;
  Validity m_validity;
  mutable std::mutex m_mutex;
  mutable std::shared_ptr<Kept const> m_kept;
};

}  // namespace Impl

namespace {

using Impl::SpectralModel;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr TemperatureRange any_temperature{0, infinite};

// The fourth power of temperature, and sums of it over rays, must not overflow in single precision.
constexpr ValidRange any_finite_temperature{0, 1e5};
constexpr ValidRange near_one_atmosphere{0.1 * reference_pressure, 10 * reference_pressure};
constexpr ValidRange fraction{0, 1};
constexpr ValidRange any_amount{0, infinite};

double black_radiance(double temperature) {
  double const square = temperature * temperature;
  return constants::stefan_boltzmann * std::numbers::inv_pi * square * square;
}

class Grey : public SpectralModel {
 public:
  explicit Grey(double absorption)
      : SpectralModel(fmt::format("grey, {} m-1", absorption), 1, any_temperature,
                      {any_finite_temperature, any_amount, fraction, any_finite_temperature}),
        m_absorption(absorption) {}

  double absorption(int, double) const override { return m_absorption; }
  double source(int, double temperature) const override { return black_radiance(temperature); }

 private:
  double m_absorption;
};

class NarrowBand : public SpectralModel {
 public:
  explicit NarrowBand(NarrowBandTable const& table)
      : SpectralModel(table.name.empty() ? "narrow bands" : table.name, table.nband() * table.ng(),
                      {table.temperature.front(), table.temperature.back()},
                      {{table.temperature.front(), table.temperature.back()},
                       near_one_atmosphere,
                       fraction,
                       any_finite_temperature}),
        m_table(table) {
    // A copy, so that the array of the caller is not shared.
    m_table.absorption =
        HostArray<double***>(Kokkos::view_alloc("parhelion::MonteCarlo::narrow_band", Kokkos::WithoutInitializing),
                             table.absorption.extent(0), table.absorption.extent(1), table.absorption.extent(2));
    std::copy(table.absorption.data(), table.absorption.data() + table.absorption.size(), m_table.absorption.data());
  }

  double absorption(int s, double temperature) const override {
    int const band = s / m_table.ng();
    int const g = s % m_table.ng();
    auto const at = locate(m_table.temperature.data(), m_table.ntemperature(), temperature);
    double const value =
        linear(m_table.absorption(band, at.index, g), m_table.absorption(band, at.index + 1, g), at.weight);
    // Linear extrapolation may go below zero.
    return std::max(value, 0.);
  }

  double source(int s, double temperature) const override {
    int const band = s / m_table.ng();
    auto const g = static_cast<std::size_t>(s % m_table.ng());
    return m_table.width(band) * m_table.weight[g] *
           planck_radiance(m_table.band_centre[static_cast<std::size_t>(band)], temperature);
  }

  // The points of a band have one temperature and one value of Planck's function.
  void at(double temperature, double* absorptions, double* sources) const override {
    auto const place = locate(m_table.temperature.data(), m_table.ntemperature(), temperature);
    for (int band = 0, s = 0; band < m_table.nband(); ++band)
      for (int g = 0; g < m_table.ng(); ++g, ++s)
        absorptions[s] = std::max(linear(m_table.absorption(band, place.index, g),
                                         m_table.absorption(band, place.index + 1, g), place.weight),
                                  0.);
    this->sources(temperature, sources);
  }
  void sources(double temperature, double* sources) const override {
    for (int band = 0, s = 0; band < m_table.nband(); ++band) {
      double const planck = planck_radiance(m_table.band_centre[static_cast<std::size_t>(band)], temperature);
      for (int g = 0; g < m_table.ng(); ++g, ++s)
        sources[s] = m_table.width(band) * m_table.weight[static_cast<std::size_t>(g)] * planck;
    }
  }

  std::vector<double> band_centres() const override { return m_table.band_centre; }
  std::vector<double> corners() const override { return m_table.temperature; }

 private:
  NarrowBandTable m_table;
};

// Smith, Shen & Friedman (1982), table 1, ratio of the partial pressures of H2O and CO2 2: absorption coefficients
// [atm-1 m-1] and coefficients of T^0 .. T^3 [K^-j] of the shares.
struct GreyGas {
  double absorption;
  double share[4];
};
constexpr std::array<GreyGas, 3> grey_gases{{{0.4201, {6.508e-1, -5.551e-4, 3.029e-7, -5.353e-11}},
                                             {6.516, {-0.2504e-1, 6.112e-4, -3.882e-7, 6.528e-11}},
                                             {131.9, {2.718e-1, -3.118e-4, 1.221e-7, -1.612e-11}}}};
constexpr double grey_gases_lowest = 600;    // [K]
constexpr double grey_gases_highest = 2400;  // [K]

double share_of(GreyGas const& gas, double temperature) {
  double const t = std::clamp(temperature, grey_gases_lowest, grey_gases_highest);
  return gas.share[0] + t * (gas.share[1] + t * (gas.share[2] + t * gas.share[3]));
}

class WeightedSumOfGreyGases : public SpectralModel {
 public:
  WeightedSumOfGreyGases()
      : SpectralModel("weighted sum of grey gases, H2O and CO2 as 2 to 1, Smith et al. (1982)",
                      static_cast<int>(grey_gases.size()) + 1, any_temperature,
                      {{250, 3000}, near_one_atmosphere, fraction, any_finite_temperature}) {}

  double absorption(int s, double) const override {
    return s == 0 ? 0 : grey_gases[static_cast<std::size_t>(s) - 1].absorption;
  }

  double source(int s, double temperature) const override {
    double share = 1;
    if (s == 0) {
      for (auto const& gas : grey_gases) share -= share_of(gas, temperature);
    } else {
      share = share_of(grey_gases[static_cast<std::size_t>(s) - 1], temperature);
    }
    return share * black_radiance(temperature);
  }
};

// A spectrum that is extrapolated beyond its range of validity.
class Extrapolated : public SpectralModel {
 public:
  explicit Extrapolated(std::shared_ptr<SpectralModel const> model)
      : SpectralModel(model->name(), model->npoint(), {any_finite_temperature.lowest, any_finite_temperature.highest},
                      {any_finite_temperature, any_amount, any_amount, any_finite_temperature}),
        m_model(std::move(model)) {}

  double absorption(int s, double temperature) const override { return m_model->absorption(s, temperature); }
  double source(int s, double temperature) const override { return m_model->source(s, temperature); }
  void at(double temperature, double* absorptions, double* sources) const override {
    m_model->at(temperature, absorptions, sources);
  }
  void sources(double temperature, double* sources) const override { m_model->sources(temperature, sources); }
  std::vector<double> band_centres() const override { return m_model->band_centres(); }
  std::vector<double> corners() const override { return m_model->corners(); }

 private:
  std::shared_ptr<SpectralModel const> m_model;
};

void check_point(char const* where, SpectralModel const& model, int s) {
  if (s < 0 || s >= model.npoint())
    throw Error(where, fmt::format("s = {}, expected 0 to {}, the points of {}", s, model.npoint() - 1, model.name()));
}

void check_temperature(char const* where, char const* argument, SpectralModel const& model, double temperature) {
  auto const range = model.range();
  if (std::isfinite(temperature) && range.holds(temperature)) return;
  throw Error(where,
              std::isinf(range.highest)
                  ? fmt::format("{} = {} K, expected a finite number >= {} K", argument, temperature, range.lowest)
                  : fmt::format("{} = {} K, expected {} to {} K, the range of {}", argument, temperature, range.lowest,
                                range.highest, model.name()));
}

// The absolute errors of interpolation at one temperature.
struct Errors {
  double absorption = 0;
  double source = 0;
  double emission = 0;
};

Errors errors_at(SpectralModel const& model, Tabulated const& table, double temperature) {
  auto const at = locate_uniform(table.first, table.spacing, table.nnode(), temperature);
  Errors errors;
  double emission_off = 0;
  auto const npoint = static_cast<std::size_t>(model.npoint());
  std::vector<double> absorptions(npoint), sources(npoint);
  model.at(temperature, absorptions.data(), sources.data());
  for (int s = 0; s < model.npoint(); ++s) {
    double const absorption = absorptions[static_cast<std::size_t>(s)];
    double const source = sources[static_cast<std::size_t>(s)];
    double const absorption_here = linear(table.absorption(s, at.index), table.absorption(s, at.index + 1), at.weight);
    double const source_here = linear(table.source(s, at.index), table.source(s, at.index + 1), at.weight);
    errors.absorption = std::max(errors.absorption, std::abs(absorption_here - absorption));
    errors.source = std::max(errors.source, std::abs(source_here - source));
    emission_off += absorption_here * source_here - absorption * source;
  }
  errors.emission = std::abs(emission_off);
  return errors;
}

double largest_of(HostArray<double**> const& array) {
  return *std::max_element(array.data(), array.data() + array.size());
}

double largest_emission(Tabulated const& table) {
  double largest = 0;
  for (int i = 0; i < table.nnode(); ++i) {
    double emission = 0;
    for (int s = 0; s < table.npoint(); ++s) emission += table.absorption(s, i) * table.source(s, i);
    largest = std::max(largest, emission);
  }
  return largest;
}

void find_errors(SpectralModel const& model, Tabulated& table) {
  std::vector<double> temperatures;
  for (int i = 0; i + 1 < table.nnode(); ++i) temperatures.push_back(table.first + (i + 0.5) * table.spacing);
  double const last = table.first + (table.nnode() - 1) * table.spacing;
  for (double const corner : model.corners())
    if (corner > table.first && corner < last) temperatures.push_back(corner);

  Errors worst;
  for (double const temperature : temperatures) {
    auto const here = errors_at(model, table, temperature);
    worst.absorption = std::max(worst.absorption, here.absorption);
    worst.source = std::max(worst.source, here.source);
    worst.emission = std::max(worst.emission, here.emission);
  }
  // The relative error is 0 if all values are 0.
  auto const relative = [](double error, double largest) { return largest > 0 ? error / largest : 0; };
  table.absorption_error = relative(worst.absorption, largest_of(table.absorption));
  table.source_error = relative(worst.source, largest_of(table.source));
  table.emission_error = relative(worst.emission, largest_emission(table));
}

// In arrays of its own: the kept one has none of Kokkos, so that it may outlive it.
Tabulated copy_of(SpectralModel::Kept const& kept, int npoint) {
  Tabulated table;
  table.first = kept.t_low;
  table.spacing = (kept.t_high - kept.t_low) / (kept.nnode - 1);
  table.absorption_error = kept.absorption_error;
  table.source_error = kept.source_error;
  table.emission_error = kept.emission_error;
  auto const copy = [&](std::vector<double> const& values, char const* label) {
    HostArray<double**> const array(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), npoint,
                                    kept.nnode);
    std::copy(values.begin(), values.end(), array.data());
    return array;
  };
  table.absorption = copy(kept.absorption, "parhelion::MonteCarlo::absorption");
  table.source = copy(kept.source, "parhelion::MonteCarlo::source");
  return table;
}

}  // namespace

Spectrum::Spectrum() : Spectrum(weighted_sum_of_grey_gases()) {}

Spectrum::Spectrum(std::shared_ptr<SpectralModel const> model) : m_model(std::move(model)) {}

Spectrum Spectrum::grey(double absorption) {
  if (!(absorption >= 0) || !std::isfinite(absorption))
    throw Error("Spectrum::grey", fmt::format("absorption = {} m-1, expected a finite number >= 0", absorption));
  return Spectrum(std::make_shared<Grey const>(absorption));
}

Spectrum Spectrum::narrow_band(NarrowBandTable const& table) {
  validate(table, "Spectrum::narrow_band");
  return Spectrum(std::make_shared<NarrowBand const>(table));
}

Spectrum Spectrum::weighted_sum_of_grey_gases() {
  static auto const model = std::make_shared<WeightedSumOfGreyGases const>();
  return Spectrum(model);
}

std::optional<Spectrum> Spectrum::from_name(std::string const& name) {
  if (name == weighted_sum_of_grey_gases().name()) return weighted_sum_of_grey_gases();
  constexpr std::string_view grey_prefix = "grey, ";
  if (!name.starts_with(grey_prefix)) return std::nullopt;
  double absorption = -1;
  std::from_chars(name.data() + grey_prefix.size(), name.data() + name.size(), absorption);
  if (!(absorption >= 0 && std::isfinite(absorption)) || name != grey(absorption).name()) return std::nullopt;
  return grey(absorption);
}

std::string const& Spectrum::name() const { return m_model->name(); }

int Spectrum::npoint() const { return m_model->npoint(); }

std::vector<double> Spectrum::band_centres() const { return m_model->band_centres(); }

TemperatureRange Spectrum::temperature_range() const { return m_model->range(); }

Validity const& Spectrum::validity() const { return m_model->validity(); }

Spectrum Spectrum::extrapolated() const { return Spectrum(std::make_shared<Extrapolated const>(m_model)); }

double Spectrum::absorption(int s, double temperature) const {
  constexpr char const* where = "Spectrum::absorption";
  check_point(where, *m_model, s);
  check_temperature(where, "temperature", *m_model, temperature);
  return m_model->absorption(s, temperature);
}

double Spectrum::source(int s, double temperature) const {
  constexpr char const* where = "Spectrum::source";
  check_point(where, *m_model, s);
  if (!(temperature >= 0) || !std::isfinite(temperature))
    throw Error(where, fmt::format("temperature = {} K, expected a finite number >= 0", temperature));
  return m_model->source(s, temperature);
}

std::vector<double> Spectrum::sources(double temperature) const {
  if (!(temperature >= 0) || !std::isfinite(temperature))
    throw Error("Spectrum::sources", fmt::format("temperature = {} K, expected a finite number >= 0", temperature));
  std::vector<double> all(static_cast<std::size_t>(npoint()));
  m_model->sources(temperature, all.data());
  return all;
}

double Spectrum::planck_mean(double temperature) const {
  constexpr char const* where = "Spectrum::planck_mean";
  check_temperature(where, "temperature", *m_model, temperature);
  if (!(temperature > 0))
    throw Error(where, fmt::format("temperature = {} K, expected a positive number", temperature));
  double sum = 0;
  for (int s = 0; s < npoint(); ++s) sum += m_model->absorption(s, temperature) * m_model->source(s, temperature);
  return sum / black_radiance(temperature);
}

Tabulated Spectrum::tabulate(double t_low, double t_high, int nnode) const {
  constexpr char const* where = "Spectrum::tabulate";
  check_temperature(where, "t_low", *m_model, t_low);
  check_temperature(where, "t_high", *m_model, t_high);
  if (!(t_low < t_high))
    throw Error(where, fmt::format("t_high = {} K, expected more than t_low = {} K", t_high, t_low));
  if (nnode < 2) throw Error(where, fmt::format("nnode = {}, expected at least 2", nnode));
  if (auto const kept = m_model->kept(); kept && kept->t_low == t_low && kept->t_high == t_high && kept->nnode == nnode)
    return copy_of(*kept, npoint());
  Tabulated table;
  table.first = t_low;
  table.spacing = (t_high - t_low) / (nnode - 1);
  table.absorption = HostArray<double**>("parhelion::MonteCarlo::absorption", npoint(), nnode);
  table.source = HostArray<double**>("parhelion::MonteCarlo::source", npoint(), nnode);
  // Several temperatures at a time: the tables have those of a point side by side.
  constexpr int block = 8;
  auto const n = static_cast<std::size_t>(npoint());
  std::vector<double> absorption(block * n), source(block * n);
  for (int first = 0; first < nnode; first += block) {
    int const last = std::min(first + block, nnode);
    for (int i = first; i < last; ++i) {
      // Rounding could move the last one out of the range.
      double const temperature = i == nnode - 1 ? t_high : t_low + i * table.spacing;
      auto const at = static_cast<std::size_t>(i - first) * n;
      m_model->at(temperature, absorption.data() + at, source.data() + at);
    }
    for (int s = 0; s < npoint(); ++s)
      for (int i = first; i < last; ++i) {
        auto const at = static_cast<std::size_t>(i - first) * n + static_cast<std::size_t>(s);
        table.absorption(s, i) = absorption[at];
        table.source(s, i) = source[at];
      }
  }
  find_errors(*m_model, table);
  return table;
}

Tabulated Spectrum::tabulate_within(double t_low, double t_high, double tolerance, int max_nodes) const {
  if (!(tolerance > 0))
    throw Error("Spectrum::tabulate_within", fmt::format("tolerance = {}, expected a positive number", tolerance));
  if (auto const kept = m_model->kept(); kept && kept->t_low == t_low && kept->t_high == t_high &&
                                         kept->tolerance == tolerance && kept->max_nodes == max_nodes)
    return copy_of(*kept, npoint());
  Tabulated table;
  int nodes = 129;
  for (;; nodes = 2 * nodes - 1) {
    table = tabulate(t_low, t_high, nodes);
    if ((table.source_error < tolerance && table.emission_error < tolerance) || nodes >= max_nodes) break;
  }
  auto kept = std::make_shared<SpectralModel::Kept>();
  *kept = {.t_low = t_low,
           .t_high = t_high,
           .tolerance = tolerance,
           .max_nodes = max_nodes,
           .nnode = nodes,
           .absorption_error = table.absorption_error,
           .source_error = table.source_error,
           .emission_error = table.emission_error,
           .absorption = {table.absorption.data(), table.absorption.data() + table.absorption.size()},
           .source = {table.source.data(), table.source.data() + table.source.size()}};
  m_model->keep(std::move(kept));
  return table;
}

}  // namespace parhelion::monte_carlo
