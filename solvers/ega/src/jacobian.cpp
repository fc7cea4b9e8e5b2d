// SPDX-License-Identifier: BSD-3-Clause
#include "host_forward.hpp"
#include "prepared_problem.hpp"
#include "solve_in_parts.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/ega/derivatives.hpp>
#include <parhelion/ega/model_constants.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace parhelion::ega {

namespace {

// The value that an element stands for.
double& value_of(HostAtmosphere const& atmosphere, int profile, Element const& element) {
  switch (element.quantity) {
    case Quantity::pressure:
      return atmosphere.pressure(profile, element.level);
    case Quantity::temperature:
      return atmosphere.temperature(profile, element.level);
    case Quantity::mixing_ratio:
      return atmosphere.mixing_ratio(profile, element.which, element.level);
    default:
      return atmosphere.extinction(profile, element.which, element.level);
  }
}

// How far an element is moved for a difference.
double step_of(Quantity quantity, double value) {
  switch (quantity) {
    case Quantity::pressure:
      return std::max(std::abs(0.01 * value), 1e-5);
    case Quantity::temperature:
      return 1;
    case Quantity::mixing_ratio:
      return std::max(std::abs(0.01 * value), 1e-15);
    default:
      return 1e-7;
  }
}

// The same rays once for each of `copies` profiles.
HostObservation repeat_rays(HostObservation const& observation, int copies) {
  int const nray = observation.nray();
  HostObservation all = make_observation(nray * copies);
  all.name = observation.name;
  all.profile = HostArray<int*>("parhelion::ega::profile", nray * copies);
  for (int copy = 0; copy < copies; ++copy) {
    std::pair<int, int> const to(copy * nray, (copy + 1) * nray);
    Kokkos::deep_copy(Kokkos::subview(all.time, to), observation.time);
    Kokkos::deep_copy(Kokkos::subview(all.observer, to, Kokkos::ALL), observation.observer);
    Kokkos::deep_copy(Kokkos::subview(all.view_point, to, Kokkos::ALL), observation.view_point);
    for (int r = 0; r < nray; ++r) all.profile(copy * nray + r) = copy;
  }
  return all;
}

// What the derivatives take on the host.
std::size_t jacobian_bytes(Problem const& problem, HostObservation const& observation,
                           std::vector<Element> const& elements) {
  return static_cast<std::size_t>(observation.nray()) * static_cast<std::size_t>(problem.nchannel()) * elements.size() *
         sizeof(double);
}

HostSpectra spectra_rows(HostSpectra const& all, int first, int last) {
  return {rows(all.radiance, first, last), rows(all.transmittance, first, last), rows(all.tangent, first, last),
          rows(all.points, first, last)};
}

// What rounding to single precision changes in a radiance is as large as a difference.
HostEgaOptions in_double(HostEgaOptions options) {
  options.precision = Precision::float64;
  return options;
}

void plan_differences(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                      std::vector<Element> const& elements, HostEgaOptions const& options, Impl::KeptModel& kept,
                      HostEgaReport& report) {
  std::size_t const copies = elements.size() + 1;
  std::size_t const rays = copies * static_cast<std::size_t>(observation.nray());
  if (rays > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(Impl::name_or(problem.name, "compute_jacobian"),
                fmt::format("{} elements for {} rays make {} rays, expected no more than {}: choose fewer, or analytic "
                            "derivatives",
                            elements.size(), observation.nray(), rays, std::numeric_limits<int>::max()));
  Impl::plan_forward(problem, atmosphere, static_cast<int>(rays), in_double(options), kept, report);
  auto const nlev = static_cast<std::size_t>(atmosphere.nlev());
  report.host_bytes +=
      jacobian_bytes(problem, observation, elements) +
      copies * nlev * sizeof(double) * static_cast<std::size_t>(6 + atmosphere.ngas() + atmosphere.nwindow()) +
      rays * (7 * sizeof(double) + sizeof(int));
}

HostJacobian by_differences(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, std::vector<Element> const& elements,
                            HostEgaOptions const& options, Impl::KeptModel& kept, HostEgaReport& report,
                            Impl::Air air) {
  int const n = static_cast<int>(elements.size());
  int const nray = observation.nray();
  // Profile 0 is as given, profile 1 + i has element i moved: all run at once.
  HostAtmosphere const all = repeat(atmosphere, n + 1);
  std::vector<double> steps;
  for (int i = 0; i < n; ++i) {
    double& value = value_of(all, i + 1, elements[i]);
    double const step = step_of(elements[i].quantity, value);
    value += step;
    steps.push_back(step);
  }
  if (problem.options.hydrostatic_reference) make_hydrostatic(all, *problem.options.hydrostatic_reference);
  HostSpectra const spectra =
      Impl::forward(problem, all, repeat_rays(observation, n + 1), in_double(options), kept, report);

  HostJacobian jacobian;
  jacobian.elements = elements;
  jacobian.derivative = HostArray<double***>("parhelion::ega::derivative", nray, problem.nchannel(), n);
  for (int i = 0; i <= n; ++i) {
    HostSpectra const moved = spectra_rows(spectra, i * nray, (i + 1) * nray);
    if (i == 0) {
      Impl::finish_spectra(problem, atmosphere, observation, moved, air);
      jacobian.spectra = moved;
      continue;
    }
    Impl::finish_moved_spectra(problem, observation, moved, air);
    for (int r = 0; r < nray; ++r)
      for (int c = 0; c < problem.nchannel(); ++c)
        jacobian.derivative(r, c, i - 1) = (moved.radiance(r, c) - jacobian.spectra.radiance(r, c)) / steps[i - 1];
  }
  return jacobian;
}

// Derivatives of one radiance by all levels, (row of DerivativeRow, level).
using Rows = HostArray<double**>;

// Pressures depend on one of them, temperatures and water vapour: what derivatives by pressure are goes to these.
void keep_balance(Impl::HydrostaticSlopes const& slopes, HostAtmosphere const& atmosphere, Rows const& rows) {
  int const nlev = atmosphere.nlev();
  // By the logarithms of the ratios of neighbouring pressures.
  std::vector<double> by_ratio(static_cast<std::size_t>(nlev - 1));
  double sum = 0;
  double beyond = 0;
  for (int l = nlev - 1; l > slopes.kept; --l) {
    beyond += rows(pressure_row, l) * atmosphere.pressure(0, l);
    by_ratio[l - 1] = beyond;
  }
  sum += beyond;
  beyond = 0;
  for (int l = 0; l < slopes.kept; ++l) {
    beyond += rows(pressure_row, l) * atmosphere.pressure(0, l);
    by_ratio[l] = -beyond;
  }
  sum += beyond;
  for (int l = 0; l < nlev; ++l)
    if (l != slopes.kept) rows(pressure_row, l) = 0;
  rows(pressure_row, slopes.kept) += sum / atmosphere.pressure(0, slopes.kept);
  for (int l = 0; l + 1 < nlev; ++l)
    for (int side = 0; side < 2; ++side) {
      rows(temperature_row, l + side) += by_ratio[l] * slopes.by_temperature[l][side];
      if (slopes.water >= 0)
        rows(mixing_ratio_row + slopes.water, l + side) += by_ratio[l] * slopes.by_mixing_ratio[l][side];
    }
}

double value_in(Rows const& rows, Element const& element, int window) {
  switch (element.quantity) {
    case Quantity::pressure:
      return rows(pressure_row, element.level);
    case Quantity::temperature:
      return rows(temperature_row, element.level);
    case Quantity::mixing_ratio:
      return rows(mixing_ratio_row + element.which, element.level);
    default:
      return element.which == window ? rows(rows.extent(0) - 1, element.level) : 0;
  }
}

// Derivatives of the radiances of pencil beams by all levels, and what the chosen elements make of them.
template <class Space, class Real>
class DerivativesPass {
 public:
  static constexpr char const* where = "compute_jacobian";
  using Results = Derivatives<Space, Real>;

  DerivativesPass(Problem const& problem, HostAtmosphere const& atmosphere, HostJacobian const& jacobian)
      : m_problem(problem),
        m_atmosphere(atmosphere),
        m_jacobian(jacobian),
        m_nrow(derivative_rows(problem.ngas())),
        m_nlev(atmosphere.nlev()),
        m_rows("parhelion::ega::rows", m_nrow, m_nlev) {
    if (problem.options.hydrostatic_reference)
      m_slopes = Impl::hydrostatic_slopes(atmosphere, 0, *problem.options.hydrostatic_reference);
  }

  // About a gigabyte of derivatives is on the device at a time.
  int chunk(HostEgaOptions const& options, int nray, int nchannel) const {
    std::size_t const most = std::max<std::size_t>(1, (std::size_t(1) << 30) / ray_bytes(nchannel));
    int const chunk = static_cast<int>(std::min<std::size_t>(most, static_cast<std::size_t>(nray)));
    return options.chunk > 0 ? std::min(options.chunk, chunk) : chunk;
  }
  std::size_t ray_bytes(int nchannel) const { return sizeof(Real) * nchannel * m_nrow * m_nlev; }
  static auto make_solver(Space const& space, ForwardCapacity const& capacity, int) {
    return AdjointModel<Space, Real>(space, capacity);
  }
  static std::size_t workspace_bytes(Space const&, ForwardCapacity const& capacity, int) {
    return AdjointModel<Space, Real>::workspace_bytes(capacity);
  }
  Results make_results(Space const& space, Impl::Part<Space, Real> const& part) const {
    return {
        Array<Real****, Space>(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::ega::derivatives"),
                               part.nray(), m_nrow, m_nlev, part.nchannel())};
  }
  static void solve(Space const& space, AdjointModel<Space, Real> const& solver, Impl::Part<Space, Real> const& part,
                    Results const& results) {
    solver.solve(space, part.model, part.atmosphere, part.observation, part.spectra, results);
  }
  void store(Impl::Part<Space, Real> const& part, Results const& results) const {
    auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results.radiance);
    auto const& elements = m_jacobian.elements;
    for (int r = 0; r < part.nray(); ++r)
      for (int c = 0; c < part.nchannel(); ++c) {
        int const channel = part.first_channel + c;
        for (int row = 0; row < m_nrow; ++row)
          for (int l = 0; l < m_nlev; ++l) m_rows(row, l) = static_cast<double>(on_host(r, row, l, c));
        if (m_problem.options.hydrostatic_reference) keep_balance(m_slopes, m_atmosphere, m_rows);
        for (std::size_t i = 0; i < elements.size(); ++i)
          m_jacobian.derivative(part.first_ray + r, channel, i) =
              value_in(m_rows, elements[i], m_problem.channels.window[channel]);
      }
  }

 private:
  Problem const& m_problem;
  HostAtmosphere const& m_atmosphere;
  HostJacobian const& m_jacobian;
  int m_nrow;
  int m_nlev;
  Impl::HydrostaticSlopes m_slopes;
  Rows m_rows;  // of one radiance
};

// Field of view, brightness temperature and mask, in place.
void finish_jacobian(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                     HostJacobian const& jacobian, Impl::Air air) {
  Impl::finish_spectra(problem, atmosphere, observation, jacobian.spectra, air);
  auto const& derivative = jacobian.derivative;
  int const nray = observation.nray();
  int const nchannel = problem.nchannel();
  int const n = static_cast<int>(jacobian.elements.size());
  // The field of view weights derivatives as radiances: each counts as a channel.
  HostArray<double**> const flat(derivative.data(), nray, nchannel * n);
  apply_field_of_view(problem.field_of_view, observation, {flat, flat, {}, {}}, observation.name);
  for (int r = 0; r < nray; ++r)
    for (int c = 0; c < nchannel; ++c) {
      double factor = 1;
      if (problem.options.brightness_temperature) {
        // Of T = c2 nu / ln(1 + c1 nu^3 / I); a masked one is NaN.
        double const nu = problem.channels.wavenumber[c];
        double const temperature = jacobian.spectra.radiance(r, c);
        double const exponential = std::exp(model::second_radiation * nu / temperature);
        double const radiance = model::first_radiation * nu * nu * nu / (exponential - 1);
        factor =
            temperature * temperature * (exponential - 1) / (model::second_radiation * nu * radiance * exponential);
      }
      bool const masked = observation.masked.size() > 0 && observation.masked(r, c);
      for (int i = 0; i < n; ++i) {
        double& value = derivative(r, c, i);
        // Where there is no radiance nothing changes it.
        if (value != 0) value *= factor;
        if (masked) value = std::numeric_limits<double>::quiet_NaN();
      }
    }
}

// Calls action(space, pass) with what the options ask for.
template <class Action>
void with_derivatives_pass(Problem const& problem, HostAtmosphere const& atmosphere, HostJacobian const& jacobian,
                           HostEgaOptions const& options, Action const& action) {
  with_execution_space(options.space, [&](auto const& space) {
    using Space = std::decay_t<decltype(space)>;
    if (options.precision == Precision::float32)
      action(space, DerivativesPass<Space, float>(problem, atmosphere, jacobian));
    else
      action(space, DerivativesPass<Space, double>(problem, atmosphere, jacobian));
  });
}

void plan_reverse(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                  std::vector<Element> const& elements, HostEgaOptions const& options, Impl::KeptModel& kept,
                  HostEgaReport& report) {
  with_derivatives_pass(problem, atmosphere, {}, options,
                        [&]<class Space, class Real>(Space const& space, DerivativesPass<Space, Real> const& pass) {
                          Impl::plan_parts<Space, Real>(space, problem, atmosphere, observation.nray(), options, kept,
                                                        pass, report);
                        });
  report.host_bytes +=
      Impl::spectra_bytes(observation.nray(), problem.nchannel()) + jacobian_bytes(problem, observation, elements);
}

HostJacobian in_reverse(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                        std::vector<Element> const& elements, HostEgaOptions const& options, Impl::KeptModel& kept,
                        HostEgaReport& report, Impl::Air air) {
  int const nray = observation.nray();
  int const nchannel = problem.nchannel();
  HostJacobian jacobian;
  jacobian.elements = elements;
  jacobian.spectra = Impl::make_spectra(nray, nchannel);
  jacobian.derivative =
      HostArray<double***>("parhelion::ega::derivative", nray, nchannel, static_cast<int>(elements.size()));
  with_derivatives_pass(problem, atmosphere, jacobian, options,
                        [&]<class Space, class Real>(Space const& space, DerivativesPass<Space, Real> const& pass) {
                          Impl::solve_in_parts<Space, Real>(space, problem, atmosphere, observation, options, kept,
                                                            pass, jacobian.spectra, report);
                        });
  finish_jacobian(problem, atmosphere, observation, jacobian, air);
  return jacobian;
}

// The elements of the first profile, of which there must be one, and of nothing else.
std::vector<Element> checked_elements(Problem const& problem, HostAtmosphere const& atmosphere,
                                      ElementChoice const& choice) {
  std::string const where = Impl::name_or(problem.name, "compute_jacobian");
  if (atmosphere.nprofile() != 1)
    throw Error(Impl::name_or(atmosphere.name, where),
                fmt::format("the atmosphere has {} profiles, expected 1", atmosphere.nprofile()));
  if (choice.mixing_ratio.size() > static_cast<std::size_t>(atmosphere.ngas()) ||
      choice.extinction.size() > static_cast<std::size_t>(atmosphere.nwindow()))
    throw Error(where, fmt::format("elements of {} gases and {} windows, expected no more than {} and {}",
                                   choice.mixing_ratio.size(), choice.extinction.size(), atmosphere.ngas(),
                                   atmosphere.nwindow()));
  auto const elements = elements_of(choice, atmosphere);
  if (elements.empty()) throw Error(where, "no elements are chosen, expected at least one level of one quantity");
  return elements;
}

void plan_by(JacobianMethod method, Problem const& problem, HostAtmosphere const& atmosphere,
             HostObservation const& observation, std::vector<Element> const& elements, HostEgaOptions const& options,
             Impl::KeptModel& kept, HostEgaReport& report) {
  auto const plan = method == JacobianMethod::analytic ? plan_reverse : plan_differences;
  plan(problem, atmosphere, observation, elements, options, kept, report);
}

HostJacobian checked_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaOptions const& options, Impl::KeptModel& kept, Impl::KeptModel& kept_in_double,
                              HostEgaReport* report) {
  Impl::validate_problem(problem, atmosphere, observation, "compute_jacobian");
  HostEgaReport own;
  auto& told = report != nullptr ? *report : own;
  told = {};
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, told.out_of_range, "compute_jacobian");
  return Impl::jacobian_of(problem, computed, observation, choice, method, options, kept, kept_in_double, told,
                           Impl::Air::given);
}

}  // namespace

std::vector<Element> elements_of(ElementChoice const& choice, HostAtmosphere const& atmosphere) {
  std::vector<Element> elements;
  auto const add = [&](Quantity quantity, int which, ElementRange const& range) {
    for (int level = 0; level < atmosphere.nlev(); ++level)
      if (atmosphere.altitude(0, level) >= range.lowest && atmosphere.altitude(0, level) <= range.highest)
        elements.push_back({quantity, which, level});
  };
  add(Quantity::pressure, 0, choice.pressure);
  add(Quantity::temperature, 0, choice.temperature);
  for (int g = 0; g < static_cast<int>(choice.mixing_ratio.size()); ++g)
    add(Quantity::mixing_ratio, g, choice.mixing_ratio[g]);
  for (int w = 0; w < static_cast<int>(choice.extinction.size()); ++w)
    add(Quantity::extinction, w, choice.extinction[w]);
  return elements;
}

HostJacobian Impl::jacobian_of(Problem const& problem, HostAtmosphere const& atmosphere,
                               HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                               HostEgaOptions const& options, KeptModel& kept, KeptModel& kept_in_double,
                               HostEgaReport& report, Air air) {
  Kokkos::Timer const total;
  auto const elements = checked_elements(problem, atmosphere, choice);
  bool const analytic = method == JacobianMethod::analytic;
  KeptModel& own = analytic || options.precision == Precision::float64 ? kept : kept_in_double;
  if (!own.cut) own.cut = kept.cut;  // does not depend on the precision
  plan_by(method, problem, atmosphere, observation, elements, options, own, report);
  if (options.before) options.before(report);
  auto const compute = analytic ? in_reverse : by_differences;
  auto const jacobian = compute(problem, atmosphere, observation, elements, options, own, report, air);
  report.total_seconds = total.seconds();
  return jacobian;
}

HostEgaReport plan_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                            HostEgaOptions const& options) {
  Impl::validate_problem(problem, atmosphere, observation, "compute_jacobian");
  HostEgaReport report;
  Impl::KeptModel kept;
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, report.out_of_range, "compute_jacobian");
  plan_by(method, problem, computed, observation, checked_elements(problem, computed, choice), options, kept, report);
  return report;
}

HostJacobian compute_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaOptions const& options, HostEgaReport* report) {
  Impl::KeptModel of_this_call;
  return checked_jacobian(problem, atmosphere, observation, choice, method, options, of_this_call, of_this_call,
                          report);
}

HostJacobian compute_jacobian(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaReport* report) {
  auto& content = Impl::PreparedAccess::content(prepared);
  auto const jacobian = checked_jacobian(content.problem, atmosphere, observation, choice, method, content.options,
                                         content.kept, content.kept_in_double, report);
  content.forget_tables();
  return jacobian;
}

}  // namespace parhelion::ega
