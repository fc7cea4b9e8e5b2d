// SPDX-License-Identifier: BSD-3-Clause
#include "block_run.hpp"
#include "host_forward.hpp"
#include "names.hpp"
#include "prepared_problem.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/ega/derivatives.hpp>
#include <parhelion/ega/jurassic_constants.hpp>

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

constexpr char const* function = "compute_jacobian";

// The value of an element.
double& value_of(HostAtmosphere const& atmosphere, int profile, Element const& element) {
  switch (element.quantity) {
    case Quantity::pressure:
      return atmosphere.pressure(profile, element.level);
    case Quantity::temperature:
      return atmosphere.temperature(profile, element.level);
    case Quantity::mole_fraction:
      return atmosphere.mole_fraction(profile, element.which, element.level);
    default:
      return atmosphere.extinction(profile, element.which, element.level);
  }
}

// The perturbation of an element for a difference.
double step_of(Quantity quantity, double value) {
  switch (quantity) {
    case Quantity::pressure:
      return std::max(std::abs(0.01 * value), 1e-5);
    case Quantity::temperature:
      return 1;
    case Quantity::mole_fraction:
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
  for (int r = 0; r < nray * copies; ++r) all.profile(r) = r / nray;
  HostObservation::for_each_array(
      [&](ArrayDescription const& description, auto const& to, auto const& from) {
        if (description.name == "profile") return;
        for (std::size_t r = 0; r < to.extent(0); ++r) to(r) = from(r % from.extent(0));
      },
      all, observation);
  return all;
}

// Host memory of the derivatives [bytes].
std::size_t jacobian_bytes(Problem const& problem, HostObservation const& observation,
                           std::vector<Element> const& elements) {
  return static_cast<std::size_t>(observation.nray()) * static_cast<std::size_t>(problem.nchannel()) * elements.size() *
         sizeof(double);
}

// The spectra of rays [first, last).
HostSpectra spectra_rows(HostSpectra const& all, int first, int last) {
  HostSpectra part;
  std::pair<int, int> const range(first, last);
  HostSpectra::for_each_array(
      [&]<class View>(ArrayDescription const&, View& to, View const& from) {
        if constexpr (View::rank() == 1)
          to = Kokkos::subview(from, range);
        else
          to = Kokkos::subview(from, range, Kokkos::ALL);
      },
      part, all);
  return part;
}

// Rounding to single precision changes a radiance by as much as such a difference.
HostEgaOptions in_double(HostEgaOptions options) {
  options.precision = Precision::float64;
  return options;
}

template <class Space>
void plan_differences(Space const& space, Impl::Call const& call, std::vector<Element> const& elements,
                      Impl::KeptModel& kept, HostEgaReport& report) {
  auto const& [problem, atmosphere, observation, options] = call;
  std::size_t const copies = elements.size() + 1;
  std::size_t const rays = copies * static_cast<std::size_t>(observation.nray());
  if (rays > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(Impl::name_or(problem.name, function),
                fmt::format("{} elements for {} rays make {} rays, expected no more than {}: choose fewer, or analytic "
                            "derivatives",
                            elements.size(), observation.nray(), rays, std::numeric_limits<int>::max()));
  auto const options_in_double = in_double(options);
  Impl::plan_forward(space, Impl::Call{problem, atmosphere, observation, options_in_double}, static_cast<int>(copies),
                     kept, report);
  auto const nlev = static_cast<std::size_t>(atmosphere.nlev());
  report.plan.host_bytes +=
      jacobian_bytes(problem, observation, elements) +
      copies * nlev * sizeof(double) * static_cast<std::size_t>(6 + atmosphere.ngas() + atmosphere.nwindow()) +
      rays * (7 * sizeof(double) + sizeof(int));
}

template <class Space>
HostJacobian by_differences(Space const& space, Impl::Call const& call, std::vector<Element> const& elements,
                            Impl::KeptModel& kept, HostEgaReport& report, Impl::Air air) {
  auto const& [problem, atmosphere, observation, options] = call;
  int const n = static_cast<int>(elements.size());
  int const nray = observation.nray();
  // Profile 0 is the given one, profile 1 + i has element i perturbed. All are computed in one call.
  HostAtmosphere const all = repeat(atmosphere, n + 1);
  std::vector<double> steps;
  for (int i = 0; i < n; ++i) {
    double& value = value_of(all, i + 1, elements[i]);
    double const step = step_of(elements[i].quantity, value);
    value += step;
    steps.push_back(step);
  }
  if (problem.options.hydrostatic_reference) make_hydrostatic(all, *problem.options.hydrostatic_reference);
  auto const options_in_double = in_double(options);
  auto const rays = repeat_rays(observation, n + 1);
  Impl::Call const of_all{problem, all, rays, options_in_double};
  HostSpectra const spectra = Impl::forward(space, of_all, kept, report);
  if (Impl::was_stopped(of_all, report)) air = Impl::Air::trial;

  HostJacobian jacobian;
  jacobian.elements = elements;
  jacobian.derivative = HostArray<double***>("parhelion::ega::derivative", nray, problem.nchannel(), n);
  for (int i = 0; i <= n; ++i) {
    HostSpectra const moved = spectra_rows(spectra, i * nray, (i + 1) * nray);
    if (i == 0) {
      Impl::finish_spectra(HostThreads(space), problem, atmosphere, observation, moved, air);
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

// Derivatives of one radiance with respect to all levels, (row, level).
using Rows = HostArray<double**>;

// Hydrostatic pressures depend on one of them, on temperatures and on water vapour: applies the chain rule.
void apply_hydrostatic_constraint(Impl::HydrostaticSlopes const& slopes, HostAtmosphere const& atmosphere,
                                  Rows const& rows) {
  int const nlev = atmosphere.nlev();
  // Derivatives with respect to the logarithms of ratios of neighbouring pressures.
  std::vector<double> by_ratio(static_cast<std::size_t>(nlev - 1));
  double sum = 0;
  double beyond = 0;
  for (int l = nlev - 1; l > slopes.kept; --l) {
    beyond += rows(derivative_row::pressure, l) * atmosphere.pressure(0, l);
    by_ratio[l - 1] = beyond;
  }
  sum += beyond;
  beyond = 0;
  for (int l = 0; l < slopes.kept; ++l) {
    beyond += rows(derivative_row::pressure, l) * atmosphere.pressure(0, l);
    by_ratio[l] = -beyond;
  }
  sum += beyond;
  for (int l = 0; l < nlev; ++l)
    if (l != slopes.kept) rows(derivative_row::pressure, l) = 0;
  rows(derivative_row::pressure, slopes.kept) += sum / atmosphere.pressure(0, slopes.kept);
  for (int l = 0; l + 1 < nlev; ++l)
    for (int side = 0; side < 2; ++side) {
      rows(derivative_row::temperature, l + side) += by_ratio[l] * slopes.by_temperature[l][side];
      if (slopes.water >= 0)
        rows(derivative_row::first_gas + slopes.water, l + side) += by_ratio[l] * slopes.by_mole_fraction[l][side];
    }
}

double value_in(Rows const& rows, Element const& element, int window) {
  switch (element.quantity) {
    case Quantity::pressure:
      return rows(derivative_row::pressure, element.level);
    case Quantity::temperature:
      return rows(derivative_row::temperature, element.level);
    case Quantity::mole_fraction:
      return rows(derivative_row::first_gas + element.which, element.level);
    default:
      return element.which == window ? rows(rows.extent(0) - 1, element.level) : 0;
  }
}

// Derivatives with respect to the chosen elements from those with respect to all levels.
class ElementDerivatives {
 public:
  ElementDerivatives(Problem const& problem, HostAtmosphere const& atmosphere, HostJacobian const& jacobian)
      : m_problem(problem),
        m_atmosphere(atmosphere),
        m_jacobian(jacobian),
        m_rows("parhelion::ega::rows", derivative_row::count(problem.ngas()), atmosphere.nlev()) {
    if (problem.options.hydrostatic_reference)
      m_slopes = Impl::hydrostatic_slopes(atmosphere, 0, *problem.options.hydrostatic_reference);
  }

  /// \param derivative (ray, row, level, channel), from first_ray and first_channel on
  template <class Derivative>
  void take(Derivative const& derivative, int rays, int first_ray, int first_channel) const {
    auto const& elements = m_jacobian.elements;
    for (int r = 0; r < rays; ++r)
      for (int c = 0; c < derivative.extent_int(3); ++c) {
        int const channel = first_channel + c;
        for (int row = 0; row < m_rows.extent_int(0); ++row)
          for (int l = 0; l < m_rows.extent_int(1); ++l) m_rows(row, l) = static_cast<double>(derivative(r, row, l, c));
        if (m_problem.options.hydrostatic_reference) apply_hydrostatic_constraint(m_slopes, m_atmosphere, m_rows);
        for (std::size_t i = 0; i < elements.size(); ++i)
          m_jacobian.derivative(first_ray + r, channel, i) =
              value_in(m_rows, elements[i], m_problem.channels.window[channel]);
      }
  }

 private:
  Problem const& m_problem;
  HostAtmosphere const& m_atmosphere;
  HostJacobian const& m_jacobian;
  Impl::HydrostaticSlopes m_slopes;
  Rows m_rows;  // for one radiance
};

// Field of view, brightness temperature and mask, in place.
void finish_jacobian(HostThreads const& threads, Problem const& problem, HostAtmosphere const& atmosphere,
                     HostObservation const& observation, HostJacobian const& jacobian, Impl::Air air) {
  Impl::finish_spectra(threads, problem, atmosphere, observation, jacobian.spectra, air);
  auto const& derivative = jacobian.derivative;
  int const nray = observation.nray();
  int const nchannel = problem.nchannel();
  int const n = static_cast<int>(jacobian.elements.size());
  // The field of view averages derivatives like radiances: each is treated as a channel.
  HostArray<double**> const flat(derivative.data(), nray, nchannel * n);
  HostSpectra as_spectra;
  as_spectra.radiance = as_spectra.transmittance = flat;
  apply_field_of_view(problem.field_of_view, observation, as_spectra, observation.name);
  for (int r = 0; r < nray; ++r)
    for (int c = 0; c < nchannel; ++c) {
      double factor = 1;
      if (problem.options.brightness_temperature) {
        // Derivative of T = c2 nu / ln(1 + c1 nu^3 / I); NaN if masked.
        double const nu = problem.channels.wavenumber[c];
        double const temperature = jacobian.spectra.radiance(r, c);
        double const exponential = std::exp(jurassic_constants::second_radiation * nu / temperature);
        double const radiance = jurassic_constants::first_radiation * nu * nu * nu / (exponential - 1);
        factor = temperature * temperature * (exponential - 1) /
                 (jurassic_constants::second_radiation * nu * radiance * exponential);
      }
      bool const masked = observation.masked.size() > 0 && observation.masked(r, c);
      for (int i = 0; i < n; ++i) {
        double& value = derivative(r, c, i);
        // A radiance of 0 does not change.
        if (value != 0) value *= factor;
        if (masked) value = std::numeric_limits<double>::quiet_NaN();
      }
    }
}

// Calls action(run) with a BlockRun of the adjoint model in the precision of the options.
template <class Space, class Action>
void with_adjoint_run(Space const& space, Impl::Call const& call, Impl::KeptModel& kept, Action const& action) {
  auto const with_precision = [&]<class Real>(Real) {
    using S = AdjointModel<Space, Real>;
    // Derivatives with respect to all levels need much memory: chunks are limited even if the caller wants larger ones.
    Impl::BlockRun<S> run(
        space, call, kept,
        Impl::BlockSettings<S>{.function = function, .limits = {.items = 65536}, .limits_hold = true});
    action(run);
  };
  if (call.options.precision == Precision::float32)
    with_precision(float());
  else
    with_precision(double());
}

// Rays whose derivatives with respect to all levels are in host memory at a time: one chunk for each stream.
int slice_of(HostPlan const& plan) { return plan.chunk * plan.streams * plan.devices; }

template <class Space>
void plan_reverse(Space const& space, Impl::Call const& call, std::vector<Element> const& elements,
                  Impl::KeptModel& kept, HostEgaReport& report) {
  auto const& [problem, atmosphere, observation, options] = call;
  with_adjoint_run(space, call, kept, [&](auto& run) { run.plan(report); });
  std::size_t const value = options.precision == Precision::float32 ? sizeof(float) : sizeof(double);
  report.plan.host_bytes +=
      Impl::spectra_bytes(observation.nray(), problem.nchannel()) + jacobian_bytes(problem, observation, elements) +
      static_cast<std::size_t>(slice_of(report.plan)) * static_cast<std::size_t>(report.channels_per_block) *
          static_cast<std::size_t>(derivative_row::count(problem.ngas()) * atmosphere.nlev()) * value;
}

template <class Space>
HostJacobian in_reverse(Space const& space, Impl::Call const& call, std::vector<Element> const& elements,
                        Impl::KeptModel& kept, HostEgaReport& report, Impl::Air air) {
  Problem const& problem = call.problem;
  HostAtmosphere const& atmosphere = call.atmosphere;
  HostObservation const& observation = call.observation;
  int const nray = observation.nray();
  HostJacobian jacobian;
  jacobian.elements = elements;
  jacobian.spectra = Impl::unknown_spectra(HostThreads(space), nray, problem.nchannel());
  jacobian.derivative =
      HostArray<double***>("parhelion::ega::derivative", nray, problem.nchannel(), static_cast<int>(elements.size()));
  std::fill_n(jacobian.derivative.data(), jacobian.derivative.size(), std::numeric_limits<double>::quiet_NaN());
  ElementDerivatives const chosen(problem, atmosphere, jacobian);
  with_adjoint_run(space, call, kept, [&]<class S>(Impl::BlockRun<S>& run) {
    HostEgaReport planned;
    run.plan(planned);
    run.for_each_block(report, [&](HostDriver<S>& driver, int first, int last) {
      int const slice = slice_of(driver.plan());
      HostArray<typename S::value_type****> const all_levels(
          Kokkos::view_alloc("parhelion::ega::derivatives", Kokkos::WithoutInitializing), std::min(slice, nray),
          derivative_row::count(problem.ngas()), atmosphere.nlev(), last - first);
      auto const block = Impl::part_of(descriptions_of<HostSpectra>(), array_refs(jacobian.spectra), dimension::channel,
                                       first, last - first);
      for (int ray = 0; ray < nray; ray += slice) {
        int const count = std::min(slice, nray - ray);
        auto result = Impl::part_of(descriptions_of<HostSpectra>(), block, dimension::ray, ray, count);
        result.push_back(array_ref(all_levels).part(0, 0, count));
        auto const before = report.done;
        bool const go_on = run.solve(driver, ray, count, last - first, result,
                                     Kokkos::subview(jacobian.spectra.npoint, std::pair(ray, ray + count)), report);
        chosen.take(all_levels, static_cast<int>((report.done - before) / (last - first)), ray, first);
        if (!go_on) return;
      }
    });
  });
  finish_jacobian(HostThreads(space), problem, atmosphere, observation, jacobian,
                  Impl::was_stopped(call, report) ? Impl::Air::trial : air);
  return jacobian;
}

// Checks that there is one profile, and that elements are those of its quantities.
std::vector<Element> checked_elements(Problem const& problem, HostAtmosphere const& atmosphere,
                                      ElementChoice const& choice) {
  std::string const where = Impl::name_or(problem.name, function);
  if (atmosphere.nprofile() != 1)
    throw Error(Impl::name_or(atmosphere.name, where),
                fmt::format("the atmosphere has {} profiles, expected 1", atmosphere.nprofile()));
  if (choice.mole_fraction.size() > static_cast<std::size_t>(atmosphere.ngas()) ||
      choice.extinction.size() > static_cast<std::size_t>(atmosphere.nwindow()))
    throw Error(where, fmt::format("elements of {} gases and {} windows, expected no more than {} and {}",
                                   choice.mole_fraction.size(), choice.extinction.size(), atmosphere.ngas(),
                                   atmosphere.nwindow()));
  auto const elements = elements_of(choice, atmosphere);
  if (elements.empty()) throw Error(where, "no elements are chosen, expected at least one level of one quantity");
  return elements;
}

template <class Space>
void plan_by(Space const& space, JacobianMethod method, Impl::Call const& call, std::vector<Element> const& elements,
             Impl::KeptModel& kept, HostEgaReport& report) {
  if (method == JacobianMethod::analytic)
    plan_reverse(space, call, elements, kept, report);
  else
    plan_differences(space, call, elements, kept, report);
}

template <class Space>
HostJacobian checked_jacobian(Space const& space, Problem const& problem, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaOptions const& options, Impl::KeptModel& kept, Impl::KeptModel& kept_in_double,
                              HostEgaReport* report) {
  Impl::validate_problem(problem, atmosphere, observation, function);
  HostEgaReport own;
  auto& told = report != nullptr ? *report : own;
  told = {};
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, told.out_of_range, function);
  return Impl::jacobian_of(space, Impl::Call{problem, computed, observation, options}, choice, method, kept,
                           kept_in_double, told, Impl::Air::given);
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
  for (int g = 0; g < static_cast<int>(choice.mole_fraction.size()); ++g)
    add(Quantity::mole_fraction, g, choice.mole_fraction[g]);
  for (int w = 0; w < static_cast<int>(choice.extinction.size()); ++w)
    add(Quantity::extinction, w, choice.extinction[w]);
  return elements;
}

namespace Impl {

template <KokkosExecutionSpace Space>
HostJacobian jacobian_of(Space const& space, Call const& call, ElementChoice const& choice, JacobianMethod method,
                         KeptModel& kept, KeptModel& kept_in_double, HostEgaReport& report, Air air) {
  Kokkos::Timer const total;
  auto const elements = checked_elements(call.problem, call.atmosphere, choice);
  bool const analytic = method == JacobianMethod::analytic;
  KeptModel& own = analytic || call.options.precision == Precision::float64 ? kept : kept_in_double;
  if (!own.cut) own.cut = kept.cut;  // independent of the precision
  plan_by(space, method, call, elements, own, report);
  if (call.options.on_plan) call.options.on_plan(report);
  auto const jacobian = analytic ? in_reverse(space, call, elements, own, report, air)
                                 : by_differences(space, call, elements, own, report, air);
  report.total_seconds = total.seconds();
  return jacobian;
}

}  // namespace Impl

HostEgaReport plan_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                            HostEgaOptions const& options) {
  Impl::validate_problem(problem, atmosphere, observation, function);
  HostEgaReport report;
  Impl::KeptModel kept;
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, report.out_of_range, function);
  auto const elements = checked_elements(problem, computed, choice);
  with_execution_space(options.space, [&](auto const& space) {
    plan_by(space, method, Impl::Call{problem, computed, observation, options}, elements, kept, report);
  });
  return report;
}

HostJacobian compute_jacobian(Problem const& problem, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaOptions const& options, HostEgaReport* report) {
  Impl::KeptModel of_this_call;
  HostJacobian jacobian;
  with_execution_space(options.space, [&](auto const& space) {
    jacobian = checked_jacobian(space, problem, atmosphere, observation, choice, method, options, of_this_call,
                                of_this_call, report);
  });
  return jacobian;
}

HostJacobian compute_jacobian(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaReport* report) {
  HostJacobian jacobian;
  with_execution_space(prepared.options().space, [&](auto const& space) {
    jacobian = compute_jacobian(space, prepared, atmosphere, observation, choice, method, report);
  });
  return jacobian;
}

template <KokkosExecutionSpace Space>
HostJacobian compute_jacobian(Space const& space, PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                              HostObservation const& observation, ElementChoice const& choice, JacobianMethod method,
                              HostEgaReport* report) {
  auto& content = Impl::PreparedAccess::content(prepared);
  auto const jacobian = checked_jacobian(space, content.problem, atmosphere, observation, choice, method,
                                         content.options, content.kept, content.kept_in_double, report);
  content.forget_tables();
  return jacobian;
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)                                                                              \
  template HostJacobian compute_jacobian(SPACE const&, PreparedProblem const&, HostAtmosphere const&,                  \
                                         HostObservation const&, ElementChoice const&, JacobianMethod,                 \
                                         HostEgaReport*);                                                              \
  template HostJacobian Impl::jacobian_of(SPACE const&, Call const&, ElementChoice const&, JacobianMethod, KeptModel&, \
                                          KeptModel&, HostEgaReport&, Air);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega
