// SPDX-License-Identifier: BSD-3-Clause
#include "prepared_problem.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/lifetime.hpp>
#include <parhelion/ega/trial.hpp>

#include <utility>

namespace parhelion::ega {

PreparedProblem::~PreparedProblem() { leave_if_kokkos_is_gone(m_content); }

PreparedProblem::PreparedProblem(Problem problem, HostEgaOptions options) : m_content(std::make_shared<Content>()) {
  m_content->tables = problem.tables;
  m_content->problem = std::move(problem);
  m_content->problem.tables = cached(m_content->tables);
  m_content->options = std::move(options);
}

Problem const& PreparedProblem::problem() const { return m_content->problem; }

HostEgaOptions const& PreparedProblem::options() const { return m_content->options; }

bool PreparedProblem::loaded() const { return m_content->kept.models.has_value(); }

HostAtmosphere computed_atmosphere(Problem const& problem, HostAtmosphere const& atmosphere,
                                   HostObservation const& observation, OutOfRange what, OutOfRangeCounts& counts,
                                   std::string const& where) {
  Impl::validate_problem(problem, atmosphere, observation, where);
  return Impl::computed_atmosphere(problem, atmosphere, what, counts, where);
}

HostSpectra compute_trial_spectra(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                                  HostObservation const& observation, HostEgaReport& report) {
  auto& content = Impl::PreparedAccess::content(prepared);
  auto const hydrostatic = with_hydrostatic_pressure(content.problem, atmosphere);
  HostSpectra spectra;
  with_execution_space(content.options.space, [&](auto const& space) {
    spectra = Impl::spectra_of(space, Impl::Call{content.problem, hydrostatic, observation, content.options},
                               content.kept, report, Impl::Air::trial);
  });
  content.forget_tables();
  return spectra;
}

HostJacobian compute_trial_jacobian(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                                    HostObservation const& observation, ElementChoice const& choice,
                                    JacobianMethod method, HostEgaReport& report) {
  auto& content = Impl::PreparedAccess::content(prepared);
  auto const hydrostatic = with_hydrostatic_pressure(content.problem, atmosphere);
  HostJacobian jacobian;
  with_execution_space(content.options.space, [&](auto const& space) {
    jacobian = Impl::jacobian_of(space, Impl::Call{content.problem, hydrostatic, observation, content.options}, choice,
                                 method, content.kept, content.kept_in_double, report, Impl::Air::trial);
  });
  content.forget_tables();
  return jacobian;
}

}  // namespace parhelion::ega
