// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/retrieval/retrieve.hpp>

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/ega/trial.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace parhelion::retrieval {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Vector = std::vector<double>;

using ega::Element;
using ega::ElementChoice;
using ega::HostAtmosphere;
using ega::HostEgaOptions;
using ega::HostEgaReport;
using ega::HostJacobian;
using ega::HostObservation;
using ega::JacobianMethod;
using ega::PreparedProblem;
using ega::Problem;
using ega::Quantity;

// The begin of a message: the name of the input or, if it has none, that of the function.
std::string name_or(std::string const& name, std::string const& function) { return name.empty() ? function : name; }

template <class DataType>
HostArray<DataType> copy_of(HostArray<DataType> const& from) {
  HostArray<DataType> to(Kokkos::view_alloc(from.label(), Kokkos::WithoutInitializing), from.layout());
  std::copy_n(from.data(), from.size(), to.data());
  return to;
}

double& value_of(HostAtmosphere const& atmosphere, Element const& element) {
  switch (element.quantity) {
    case Quantity::pressure:
      return atmosphere.pressure(0, element.level);
    case Quantity::temperature:
      return atmosphere.temperature(0, element.level);
    case Quantity::mole_fraction:
      return atmosphere.mole_fraction(0, element.which, element.level);
    default:
      return atmosphere.extinction(0, element.which, element.level);
  }
}

std::string name_of(Element const& element) {
  switch (element.quantity) {
    case Quantity::pressure:
      return "pressure";
    case Quantity::temperature:
      return "temperature";
    case Quantity::mole_fraction:
      return fmt::format("mole_fraction({})", element.which);
    default:
      return fmt::format("extinction({})", element.which);
  }
}

// The squares of standard deviations must be finite, too.
bool is_deviation(double value) { return value > 0 && std::isnormal(value * value); }

bool of_one_profile(Element const& a, Element const& b) { return a.quantity == b.quantity && a.which == b.which; }

// Whether the model can compute a state with this value. Amounts may be negative even if values must be in range:
// radiances of thin paths are continued linearly.
bool is_physical(Quantity quantity, double value, bool in_range) {
  ega::ValidRanges const valid;
  if (!std::isfinite(value)) return false;
  switch (quantity) {
    case Quantity::pressure:
      return value > 0 && !(in_range && value > valid.pressure.highest);
    case Quantity::temperature:
      return value > 0 && !(in_range && !valid.temperature.contains(value));
    case Quantity::mole_fraction:
      return !(in_range && value > valid.mole_fraction.highest);
    default:
      return value >= 0;
  }
}

// The state vector, and the conversion between it and the atmosphere.
class State {
 public:
  State(RetrievalChoice const& choice, HostAtmosphere const& prior, std::string const& where)
      : m_prior(prior), m_elements(elements_of(choice.elements, prior)) {
    if (m_elements.empty()) throw Error(where, "no elements are chosen, expected at least one level of one quantity");
    std::vector<HostArray<double**>> blocks;
    for (std::size_t first = 0; first < m_elements.size();) {
      std::size_t last = first + 1;
      while (last < m_elements.size() && of_one_profile(m_elements[first], m_elements[last])) ++last;
      blocks.push_back(block(choice, first, last, where));
      first = last;
    }
    m_covariance = block_covariance(blocks);
    m_state = state_of(m_prior);
  }

  int size() const { return static_cast<int>(m_elements.size()); }
  std::vector<Element> const& elements() const { return m_elements; }
  Vector const& prior_values() const { return m_values; }
  Vector const& prior_state() const { return m_state; }
  HostArray<double**> const& prior_covariance() const { return m_covariance; }

  double value(int i, double state) const {
    switch (m_scale[i]) {
      case StateScale::absolute:
        return state;
      case StateScale::relative:
        return state * m_values[i];
      default:
        return std::exp(state);
    }
  }

  Vector state_of(HostAtmosphere const& a) const {
    Vector state;
    for (int i = 0; i < size(); ++i) {
      double const value = value_of(a, m_elements[i]);
      state.push_back(m_scale[i] == StateScale::absolute   ? value
                      : m_scale[i] == StateScale::relative ? value / m_values[i]
                                                           : std::log(value));
    }
    return state;
  }

  // Derivative of a value with respect to its element of the state.
  double slope(int i, double value) const {
    switch (m_scale[i]) {
      case StateScale::absolute:
        return 1;
      case StateScale::relative:
        return m_values[i];
      default:
        return value;
    }
  }

  bool physical(Vector const& state, bool in_range) const {
    for (int i = 0; i < size(); ++i)
      if (!is_physical(m_elements[i].quantity, value(i, state[i]), in_range)) return false;
    return true;
  }

  HostAtmosphere atmosphere(Vector const& state) const {
    HostAtmosphere a = m_prior;
    a.pressure = copy_of(a.pressure);
    a.temperature = copy_of(a.temperature);
    a.mole_fraction = copy_of(a.mole_fraction);
    a.extinction = copy_of(a.extinction);
    for (int i = 0; i < size(); ++i) value_of(a, m_elements[i]) = value(i, state[i]);
    return a;
  }

 private:
  static ProfilePrior const& prior_of(RetrievalChoice const& choice, Element const& element, std::string const& where) {
    auto const of_list = [&](std::vector<ProfilePrior> const& list) -> ProfilePrior const& {
      if (static_cast<std::size_t>(element.which) >= list.size())
        throw Error(where, fmt::format("{} is retrieved, but its prior errors are not given", name_of(element)));
      return list[element.which];
    };
    switch (element.quantity) {
      case Quantity::pressure:
        return choice.pressure;
      case Quantity::temperature:
        return choice.temperature;
      case Quantity::mole_fraction:
        return of_list(choice.mole_fraction);
      default:
        return of_list(choice.extinction);
    }
  }

  // Covariance of the elements [first, last), which are of one profile.
  HostArray<double**> block(RetrievalChoice const& choice, std::size_t first, std::size_t last,
                            std::string const& where) {
    auto const& prior = prior_of(choice, m_elements[first], where);
    std::string const name = name_of(m_elements[first]);
    auto const& deviations = prior.standard_deviation;
    auto const nlev = static_cast<std::size_t>(m_prior.nlev());
    if (deviations.size() != 1 && deviations.size() != nlev)
      throw Error(where, fmt::format("{}.standard_deviation has {} elements, expected 1 or those of the {} levels",
                                     name, deviations.size(), nlev));
    if (!std::isfinite(prior.correlation_length) || !(prior.correlation_length >= 0))
      throw Error(where, fmt::format("{}.correlation_length = {} m, expected a finite number >= 0", name,
                                     prior.correlation_length));
    Vector altitude;
    Vector deviation;
    for (std::size_t i = first; i < last; ++i) {
      int const level = m_elements[i].level;
      std::size_t const d = deviations.size() == 1 ? 0 : static_cast<std::size_t>(level);
      if (!is_deviation(deviations[d]))
        throw Error(where, fmt::format("{}.standard_deviation({}) = {}, expected a positive finite number", name, d,
                                       deviations[d]));
      double const value = value_of(m_prior, m_elements[i]);
      if (prior.scale != StateScale::absolute && !(value > 0))
        throw Error(where, fmt::format("{} at level {} is {} a priori, expected a positive value for fractions or a "
                                       "logarithm",
                                       name, level, value));
      altitude.push_back(m_prior.altitude(0, level));
      deviation.push_back(deviations[d]);
      m_scale.push_back(prior.scale);
      m_values.push_back(value);
    }
    check_correlation(name, altitude, prior.correlation_length, m_elements[first].level, where);
    return exponential_covariance(altitude, deviation, prior.correlation_length);
  }

  // Refuses levels that the covariance cannot distinguish, which would make it singular. `lowest` is the first level.
  static void check_correlation(std::string const& name, Vector const& altitude, double length, int lowest,
                                std::string const& where) {
    if (!(length > 0)) return;
    double const least = 10 * static_cast<double>(altitude.size()) * std::numeric_limits<double>::epsilon();
    for (std::size_t i = 1; i < altitude.size(); ++i)
      if (-std::expm1(-2 * (altitude[i] - altitude[i - 1]) / length) < least)
        throw Error(where,
                    fmt::format("{}.correlation_length = {} m, expected one that distinguishes levels {} and {}, "
                                "which are {} m apart",
                                name, length, lowest + static_cast<int>(i) - 1, lowest + static_cast<int>(i),
                                altitude[i] - altitude[i - 1]));
  }

  HostAtmosphere m_prior;
  std::vector<Element> m_elements;
  std::vector<StateScale> m_scale;
  Vector m_values;  // a priori
  Vector m_state;   // a priori
  HostArray<double**> m_covariance;
};

struct Used {
  int ray;
  int channel;
};

std::vector<Used> used_measurements(HostObservation const& observation, HostArray<double**> const& measured,
                                    HostArray<double**> const& noise, std::string const& where) {
  std::vector<Used> used;
  for (int r = 0; r < observation.nray(); ++r)
    for (int c = 0; c < static_cast<int>(measured.extent(1)); ++c) {
      double const y = measured(r, c);
      if (std::isnan(y) || (observation.masked.size() > 0 && observation.masked(r, c))) continue;
      if (std::isinf(y))
        throw Error(where, fmt::format("measured({}, {}) = {}, expected a finite number, or NaN for none", r, c, y));
      if (!is_deviation(noise(r, c)))
        throw Error(where, fmt::format("noise({}, {}) = {}, expected a positive finite number", r, c, noise(r, c)));
      used.push_back({r, c});
    }
  if (used.empty()) throw Error(where, "no measurement can be used: all are NaN or masked");
  return used;
}

Vector first_state(State const& state, HostAtmosphere const& prior, HostAtmosphere const& guess,
                   std::string const& where) {
  validate(guess, name_or(guess.name, where + ": first_guess"));
  for (auto const& [found, expected, name] :
       {std::tuple(guess.nprofile(), 1, "profiles"), std::tuple(guess.nlev(), prior.nlev(), "levels"),
        std::tuple(guess.ngas(), prior.ngas(), "gases"), std::tuple(guess.nwindow(), prior.nwindow(), "windows")})
    if (found != expected) throw Error(where, fmt::format("first_guess has {} {}, expected {}", found, name, expected));
  Vector const x = state.state_of(guess);
  for (int i = 0; i < state.size(); ++i)
    if (!std::isfinite(x[i]))
      throw Error(where, fmt::format("{} at level {} of the first guess has no logarithm", name_of(state.elements()[i]),
                                     state.elements()[i].level));
  return x;
}

// The forward model as a function of the state.
class Spectrum {
 public:
  Spectrum(PreparedProblem const& prepared, State const& state, HostObservation const& observation,
           std::vector<Used> const& used, ElementChoice const& choice, JacobianMethod method)
      : m_prepared(prepared),
        m_state(state),
        m_observation(observation),
        m_used(used),
        m_choice(choice),
        m_method(method) {}

  void operator()(Vector const& x, Vector& y, HostArray<double**> const* jacobian) {
    if (!m_state.physical(x, m_prepared.options().out_of_range == OutOfRange::refuse)) return;
    // The first trial step is almost always accepted, and the Jacobian is then needed at the same state: it is computed
    // at once, together with the spectra. Only after a rejected step spectra are computed alone.
    bool const again = x == m_last.state;
    if (!again) {
      bool const with_jacobian = jacobian != nullptr || m_asked_for_jacobian;
      auto const atmosphere = m_state.atmosphere(x);
      HostEgaReport report;
      m_last = {};
      if (with_jacobian) {
        auto result = derivatives_at(atmosphere, report);
        m_last.spectra = result.spectra.radiance;
        m_last.derivative = result.derivative;
      } else {
        m_last.spectra = compute_trial_spectra(m_prepared, atmosphere, m_observation, report).radiance;
      }
      m_last.state = x;
      count(report);
    }
    if (jacobian != nullptr && m_last.derivative.size() == 0) {
      HostEgaReport report;
      m_last.derivative = derivatives_at(m_state.atmosphere(x), report).derivative;
      count(report);
    }
    for (std::size_t i = 0; i < m_used.size(); ++i) y[i] = m_last.spectra(m_used[i].ray, m_used[i].channel);
    if (!m_begun) check_first(y);
    m_begun = true;
    if (jacobian != nullptr)
      for (int j = 0; j < m_state.size(); ++j) {
        double const slope = m_state.slope(j, m_state.value(j, x[j]));
        for (std::size_t i = 0; i < m_used.size(); ++i)
          (*jacobian)(i, j) = slope * m_last.derivative(m_used[i].ray, m_used[i].channel, j);
      }
    m_asked_for_jacobian = jacobian != nullptr;
  }

  double load_seconds() const { return m_load_seconds; }
  double solve_seconds() const { return m_solve_seconds; }

 private:
  // Trials may have values that input must not have, such as a negative mole fraction.
  HostJacobian derivatives_at(HostAtmosphere const& atmosphere, HostEgaReport& report) const {
    return compute_trial_jacobian(m_prepared, atmosphere, m_observation, m_choice, m_method, report);
  }

  // There is no descent direction from a state without spectrum.
  void check_first(Vector const& y) const {
    for (std::size_t i = 0; i < y.size(); ++i)
      if (!std::isfinite(y[i]))
        throw Error(name_or(m_prepared.problem().name, "retrieve"),
                    fmt::format("the model gives {} for ray {} in channel {} in the atmosphere where the "
                                "retrieval begins, expected a finite number",
                                y[i], m_used[i].ray, m_used[i].channel));
  }

  void count(HostEgaReport const& report) {
    if (report.done < static_cast<std::int64_t>(m_observation.nray()) * m_prepared.problem().nchannel())
      throw Error(name_or(m_prepared.problem().name, "retrieve"), "the caller stopped a forward calculation");
    m_load_seconds += report.load_seconds;
    m_solve_seconds += report.solve_seconds;
  }

  struct Result {
    Vector state;
    HostArray<double**> spectra;
    HostArray<double***> derivative;
  };

  PreparedProblem const& m_prepared;
  State const& m_state;
  HostObservation const& m_observation;
  std::vector<Used> const& m_used;
  ElementChoice const& m_choice;
  JacobianMethod m_method;
  Result m_last;
  bool m_asked_for_jacobian = true;
  bool m_begun = false;
  double m_load_seconds = 0;
  double m_solve_seconds = 0;
};

Vector errors_of(State const& state, HostArray<double**> const& covariance, Vector const& value) {
  Vector errors;
  for (int i = 0; i < state.size(); ++i)
    errors.push_back(std::abs(state.slope(i, value[i])) * std::sqrt(covariance(i, i)));
  return errors;
}

Vector responses_of(std::vector<Element> const& elements, HostArray<double**> const& kernel) {
  Vector sums(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (std::size_t j = 0; j < elements.size(); ++j)
      if (of_one_profile(elements[i], elements[j])) sums[i] += kernel(i, j);
  return sums;
}

}  // namespace

HostRetrieval retrieve(Problem const& problem, HostAtmosphere const& prior, HostObservation const& observation,
                       HostArray<double**> const& measured, HostArray<double**> const& noise,
                       RetrievalChoice const& choice, RetrievalOptions const& options,
                       HostEgaOptions const& ega_options) {
  return retrieve(PreparedProblem(problem, ega_options), prior, observation, measured, noise, choice, options);
}

HostRetrieval retrieve(PreparedProblem const& prepared, HostAtmosphere const& given_prior,
                       HostObservation const& observation, HostArray<double**> const& measured,
                       HostArray<double**> const& noise, RetrievalChoice const& choice,
                       RetrievalOptions const& options) {
  Kokkos::Timer const timer;
  if (options.jacobian == JacobianMethod::differences && prepared.options().precision == Precision::float32) {
    // Derivatives and radiances must belong to the same model: everything is in double.
    auto in_double = prepared.options();
    in_double.precision = Precision::float64;
    return retrieve(PreparedProblem(prepared.problem(), in_double), given_prior, observation, measured, noise, choice,
                    options);
  }
  Problem const& problem = prepared.problem();
  std::string const where = name_or(problem.name, "retrieve");
  HostRetrieval result;
  auto const prior = computed_atmosphere(problem, given_prior, observation, prepared.options().out_of_range,
                                         result.out_of_range, "retrieve");
  if (prior.nprofile() != 1)
    throw Error(where, fmt::format("the atmosphere has {} profiles, expected 1", prior.nprofile()));
  auto const nray = static_cast<std::size_t>(observation.nray());
  auto const nchannel = static_cast<std::size_t>(problem.nchannel());
  expect_shape(where, measured, "measured", {nray, nchannel});
  expect_shape(where, noise, "noise", {nray, nchannel});
  if (choice.elements.mole_fraction.size() > static_cast<std::size_t>(prior.ngas()) ||
      choice.elements.extinction.size() > static_cast<std::size_t>(prior.nwindow()))
    throw Error(where, fmt::format("elements of {} gases and {} windows, expected no more than {} and {}",
                                   choice.elements.mole_fraction.size(), choice.elements.extinction.size(),
                                   prior.ngas(), prior.nwindow()));
  auto const used = used_measurements(observation, measured, noise, where);
  State const state(choice, prior, where);

  OptimalEstimation estimation;
  estimation.prior = state.prior_state();
  estimation.prior_covariance = state.prior_covariance();
  for (auto const& [ray, channel] : used) {
    estimation.measurement.push_back(measured(ray, channel));
    estimation.measurement_variance.push_back(noise(ray, channel) * noise(ray, channel));
  }
  estimation.options = options.estimation;
  if (options.first_guess) estimation.first_guess = first_state(state, prior, *options.first_guess, where);
  Spectrum spectrum(prepared, state, observation, used, choice.elements, options.jacobian);
  estimation.forward = [&](Vector const& x, Vector& y, HostArray<double**> const* jacobian) {
    spectrum(x, y, jacobian);
  };

  result.estimate = estimate(estimation);
  auto const& found = result.estimate;
  result.atmosphere = with_hydrostatic_pressure(problem, state.atmosphere(found.state));
  result.elements = state.elements();
  result.prior = state.prior_values();
  for (auto const& element : result.elements) result.value.push_back(value_of(result.atmosphere, element));
  result.prior_error = errors_of(state, state.prior_covariance(), result.prior);
  result.total_error = errors_of(state, found.covariance, result.value);
  result.noise_error = errors_of(state, found.noise_covariance, result.value);
  result.smoothing_error = errors_of(state, found.smoothing_covariance, result.value);
  result.response = responses_of(result.elements, found.averaging_kernel);
  result.radiance = HostArray<double**>(
      Kokkos::view_alloc("parhelion::Retrieval::radiance", Kokkos::WithoutInitializing), nray, nchannel);
  std::fill_n(result.radiance.data(), result.radiance.size(), nan);
  for (std::size_t i = 0; i < used.size(); ++i) result.radiance(used[i].ray, used[i].channel) = found.measurement[i];
  result.measurements = static_cast<int>(used.size());
  auto const& cost = found.cost.back();
  result.chi_square = cost.total() / result.measurements;
  result.residual_chi_square = cost.measurement / (result.measurements - found.degrees_of_freedom);
  result.load_seconds = spectrum.load_seconds();
  result.solve_seconds = spectrum.solve_seconds();
  result.seconds = timer.seconds();
  return result;
}

}  // namespace parhelion::retrieval
