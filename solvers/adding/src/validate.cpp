// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/host_adding.hpp>

#include <parhelion/core/error.hpp>

#include "checks.hpp"
#include "host_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parhelion::adding {

namespace Impl {

std::vector<ArrayDescription> const& input_descriptions() {
  static auto const descriptions = descriptions_of<AddingInput<Kokkos::DefaultHostExecutionSpace, double>>();
  return descriptions;
}

std::vector<ArrayDescription> const& result_descriptions() {
  static auto const descriptions = descriptions_of<AddingResult<Kokkos::DefaultHostExecutionSpace, double>>();
  return descriptions;
}

std::size_t position(std::vector<ArrayDescription> const& descriptions, std::string_view name) {
  auto const found = std::find_if(descriptions.begin(), descriptions.end(),
                                  [&](ArrayDescription const& description) { return description.name == name; });
  if (found == descriptions.end()) throw Error("adding", fmt::format("no array is called {}", name));
  return static_cast<std::size_t>(found - descriptions.begin());
}

double largest(ConstArrayRef const& array) {
  double most = 0;
  if (array.empty()) return most;
  std::int64_t const columns = array.rank > 1 ? array.extents[1] : 1;
  for (std::int64_t p = 0; p < array.extents[0]; ++p)
    for (std::int64_t k = 0; k < columns; ++k) most = std::max(most, value(array, p, k));
  return most;
}

bool InputArrays::wants_tangent() const {
  auto const& descriptions = input_descriptions();
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (!arrays[i].empty() && descriptions[i].name.substr(0, perturbation_prefix.size()) == perturbation_prefix)
      return true;
  return false;
}

std::vector<std::int64_t> result_extents(ArrayDescription const& description, HostAddingInput const& input,
                                         bool levels) {
  InputArrays const in(input);
  auto const base = base_name(description.name);
  bool wanted = false;
  if (base != description.name)
    wanted = in.wants_derivative() && !in[base].empty();
  else if (description.name == "tangent_toa")
    wanted = in.wants_tangent();
  else
    wanted = description.name == "up_emergent" || (levels && description.name != "toa");
  if (!wanted) return {};
  auto const sizes = dimensions(in.nprofile(), in.nlay(), in.nangle(), in.nphase());
  std::vector<std::int64_t> extents;
  for (int d = 0; d < description.rank(); ++d)
    extents.push_back(sizes[description.dimensions[static_cast<std::size_t>(d)]]);
  return extents;
}

void check_shapes(HostAddingInput const& input, std::string_view where, ArrayNames const& names) {
  auto const& descriptions = input_descriptions();
  if (!input.arrays.empty() && input.arrays.size() != descriptions.size())
    throw Error(where, fmt::format("{} arrays, expected {}", input.arrays.size(), descriptions.size()));
  InputArrays const in(input);
  if (in.nprofile() < 1 || in.nlay() < 1)
    throw Error(where, fmt::format("{} has shape ({}, {}), expected at least (1, 1)", names("planck"), in.nprofile(),
                                   in.nlay()));
  if (in.nangle() < 1)
    throw Error(where,
                fmt::format("{} has shape ({}, 0), expected at least one angle", names("mu"), in["mu"].extents[0]));
  if (in.scatters() && in.nphase() < 1)
    throw Error(where, fmt::format("{} is empty, expected at least one matrix", names("phase_forward")));
  for (auto const* const name : {"phase", "phase_forward", "phase_backward"})
    if (!in.scatters() && !in[name].empty())
      throw Error(where, fmt::format("{} is given, but {} is not", names(name), names("single_scattering_albedo")));
  for (auto const& [one, other] :
       {std::pair("transmittance", "optical_depth"), std::pair("specular_reflectivity", "reflectivity")})
    if (!in[one].empty() && !in[other].empty())
      throw Error(where, fmt::format("{} is given, but {} is, too", names(other), names(one)));
  Needs const needs{
      .transmittance = !in["transmittance"].empty(),
      .sun = !in["cos_sun"].empty() || !in["solar_irradiance"].empty() || !in["direct_reflectivity"].empty(),
      .scattering = in.scatters()};
  auto known = dimensions(in.nprofile(), in.nlay(), in.nangle(), in.nphase());
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    NamedDescription named(descriptions[i], names);
    auto const base = base_name(descriptions[i].name);
    // Any surface may have a perturbation of its reflectivity.
    if (base != descriptions[i].name && base != "reflectivity" && !in.arrays[i].empty() && in[base].empty())
      throw Error(where, fmt::format("{} is given, but the profiles have no {}", named.name, names(base)));
    named.description.optional = descriptions[i].optional && !needs(descriptions[i].name);
    check_extents(where, named.description, in.arrays[i], known);
  }
}

}  // namespace Impl

namespace {

using Impl::InputArrays;
using Impl::value;

constexpr double weight_tolerance = 1e-10;  // weights are tables of constants or come from a few sums in double
constexpr double row_tolerance = 1e-6;      // matrices may have been stored in single precision

void check_weights(ConstArrayRef const& weight, std::string_view where, std::string const& name) {
  double const tolerance = weight.type == ValueType::float32 ? row_tolerance : weight_tolerance;
  for (std::int64_t p = 0; p < weight.extents[0]; ++p) {
    double sum = 0;
    for (std::int64_t i = 0; i < weight.extents[1]; ++i) sum += value(weight, p, i);
    if (std::abs(sum - 1) > tolerance)
      throw Error(where, fmt::format("{}({}): sums to {:.12g}, expected 1 within {:g}", name, p, sum, tolerance));
  }
}

void check_reflectivity(ConstArrayRef const& reflectivity, std::string_view where, std::string const& name) {
  for (std::int64_t p = 0; p < reflectivity.extents[0]; ++p)
    for (std::int64_t i = 0; i < reflectivity.extents[1]; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < reflectivity.extents[2]; ++j) sum += value(reflectivity, p, i, j);
      if (sum > 1 + row_tolerance)
        throw Error(where, fmt::format("{}({}, {}): row sums to {:.12g}, expected at most 1 within {:g}", name, p, i,
                                       sum, row_tolerance));
    }
}

void check_sun(InputArrays const& in, std::string_view where, ArrayNames const& names) {
  auto const& cos_sun = in["cos_sun"];
  for (std::int64_t p = 0; p < cos_sun.extents[0]; ++p) {
    double const x = value(cos_sun, p);
    if (value(in["solar_irradiance"], p) > 0 && !(x > 0 && x <= 1))
      throw Error(where, fmt::format("{}({}) = {}, expected more than 0 and at most 1 where {} is above 0",
                                     names("cos_sun"), p, x, names("solar_irradiance")));
  }
}

/// The phase matrices of a call; profiles may share theirs, and their weights.
class PhaseMatrices {
 public:
  explicit PhaseMatrices(InputArrays const& in)
      : m_in(in), m_forward(in["phase_forward"]), m_backward(in["phase_backward"]), m_weight(in["weight"]) {}

  void check(std::string_view where, ArrayNames const& names) const {
    std::int64_t const nphase = m_in.nphase();
    auto const& phase = m_in["phase"];
    auto const& albedo = m_in["single_scattering_albedo"];
    std::vector<bool> used;
    for (std::int64_t p = 0; p < m_in.nprofile(); ++p) {
      used.assign(static_cast<std::size_t>(nphase), false);
      for (std::int64_t k = 0; k < m_in.nlay(); ++k)
        if (double const m = value(phase, p, k); m >= 0 && value(albedo, p, k) > 0)
          used[static_cast<std::size_t>(m)] = true;
      for (std::int64_t m = 0; m < nphase; ++m) {
        if (!used[static_cast<std::size_t>(m)] || is_zero(p, m)) continue;
        for (std::int64_t i = 0; i < m_in.nangle(); ++i) {
          double const sum = row_sum(p, m, i);
          if (std::abs(sum - 1) > row_tolerance)
            throw Error(where,
                        fmt::format("{} + {}({}, {}, {}): row sums to {:.12g} with the weights, expected 1 "
                                    "within {:g}",
                                    names("phase_forward"), names("phase_backward"), p, m, i, sum, row_tolerance));
        }
      }
    }
  }

 private:
  static double of(ConstArrayRef const& array, std::int64_t p, std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) {
    return value(array, array.extents[0] == 1 ? 0 : p, i, j, k);
  }

  /// A layer with such phase matrices does not scatter.
  bool is_zero(std::int64_t p, std::int64_t m) const {
    for (std::int64_t i = 0; i < m_in.nangle(); ++i)
      for (std::int64_t j = 0; j <= m_in.nangle(); ++j)
        if (of(m_forward, p, m, i, j) != 0 || of(m_backward, p, m, i, j) != 0) return false;
    return true;
  }

  double row_sum(std::int64_t p, std::int64_t m, std::int64_t i) const {
    double sum = 0;
    for (std::int64_t j = 0; j < m_in.nangle(); ++j)
      sum += (of(m_forward, p, m, i, j) + of(m_backward, p, m, i, j)) * of(m_weight, p, j);
    return sum;
  }

  InputArrays const& m_in;
  ConstArrayRef m_forward, m_backward, m_weight;
};

}  // namespace

std::string ArrayNames::operator()(std::string_view described) const {
  if (auto const found = others.find(described); found != others.end()) return found->second;
  auto const base = Impl::base_name(described);
  if (base == described) return std::string(described);
  bool const is_derivative = described.substr(0, derivative_prefix.size()) == derivative_prefix;
  return (is_derivative ? derivative : perturbation) + (*this)(base);
}

void validate(HostAddingInput const& input, ArrayNames const& names) {
  std::string const where = names.where.empty() ? "validate" : names.where;
  Impl::check_shapes(input, where, names);
  InputArrays const in(input);
  auto const& descriptions = Impl::input_descriptions();
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    auto const& array = in.arrays[i];
    if (array.empty()) continue;
    Impl::NamedDescription named(descriptions[i], names);
    auto const name = descriptions[i].name;
    if (name == "phase") named.description.range.highest = static_cast<double>(in.nphase() - 1);
    check_values(where, named.description, array);
    if (name == "weight") check_weights(array, where, named.name);
    if (name == "reflectivity") check_reflectivity(array, where, named.name);
    if (name == "cos_sun") check_sun(in, where, names);
    if (name == "phase_backward") PhaseMatrices(in).check(where, names);
  }
}

}  // namespace parhelion::adding
