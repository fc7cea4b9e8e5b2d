// SPDX-License-Identifier: BSD-3-Clause
#include "prepared_problem.hpp"

#include <parhelion/core/lifetime.hpp>

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

bool PreparedProblem::loaded() const { return m_content->kept.model.has_value(); }

}  // namespace parhelion::ega
