// SPDX-License-Identifier: BSD-3-Clause
// Reference cases of the adding solver as the tests use them: read from files that have the top first, turned over.
#ifndef PARHELION_TESTS_ADDING_REFERENCE_HPP
#define PARHELION_TESTS_ADDING_REFERENCE_HPP

#include <parhelion/adding/profiles.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/io/hdf5.hpp>

#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace parhelion::Testing {

/// Row-major numbers of a file and their extents.
struct Numbers {
  std::vector<double> values;
  std::vector<std::size_t> extents;

  /// Turns the second dimension over: layers or levels.
  Numbers flipped() const {
    Numbers result = *this;
    std::size_t inner = 1;
    for (std::size_t r = 2; r < extents.size(); ++r) inner *= extents[r];
    for (std::size_t p = 0; p < extents[0]; ++p)
      for (std::size_t k = 0; k < extents[1]; ++k)
        for (std::size_t i = 0; i < inner; ++i)
          result.values[(p * extents[1] + k) * inner + i] = values[(p * extents[1] + extents[1] - 1 - k) * inner + i];
    return result;
  }
};

class ReferenceGroup {
 public:
  ReferenceGroup(std::string const& path, std::string group) : m_file(path), m_group(std::move(group)) {}

  bool has(std::string const& name) const { return m_file.exists(m_group + "/" + name); }
  Numbers get(std::string const& name) const {
    std::string const path = m_group + "/" + name;
    return {m_file.read(path), m_file.shape(path)};
  }
  Numbers flipped(std::string const& name) const { return get(name).flipped(); }

 private:
  io::Hdf5File m_file;
  std::string m_group;
};

/// A device View of the numbers, whatever its layout.
template <class View>
View to_view(Numbers const& numbers, std::string const& label = "parhelion::test") {
  using Value = typename View::non_const_value_type;
  using Writable =
      Kokkos::View<typename View::non_const_data_type, typename View::array_layout, typename View::memory_space>;
  auto const n = [&](std::size_t r) { return r < View::rank() ? numbers.extents.at(r) : KOKKOS_IMPL_CTOR_DEFAULT_ARG; };
  Writable const view(label, n(0), n(1), n(2), n(3));
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t index = 0; index < numbers.values.size(); ++index) {
    std::size_t at[4] = {};
    std::size_t rest = index;
    for (std::size_t r = View::rank(); r-- > 0;) {
      at[r] = rest % numbers.extents[r];
      rest /= numbers.extents[r];
    }
    auto const value = static_cast<Value>(numbers.values[index]);
    if constexpr (View::rank() == 1) host(at[0]) = value;
    if constexpr (View::rank() == 2) host(at[0], at[1]) = value;
    if constexpr (View::rank() == 3) host(at[0], at[1], at[2]) = value;
    if constexpr (View::rank() == 4) host(at[0], at[1], at[2], at[3]) = value;
  }
  parhelion::assign_array(view, host);
  return view;
}

/// The numbers of a device View, row-major.
template <class View>
Numbers to_numbers(View const& view) {
  auto const host = parhelion::host_copy(view);
  Numbers numbers;
  std::size_t size = 1;
  for (std::size_t r = 0; r < View::rank(); ++r) {
    numbers.extents.push_back(view.extent(r));
    size *= view.extent(r);
  }
  for (std::size_t index = 0; index < size; ++index) {
    std::size_t at[4] = {};
    std::size_t rest = index;
    for (std::size_t r = View::rank(); r-- > 0;) {
      at[r] = rest % numbers.extents[r];
      rest /= numbers.extents[r];
    }
    if constexpr (View::rank() == 1) numbers.values.push_back(host(at[0]));
    if constexpr (View::rank() == 2) numbers.values.push_back(host(at[0], at[1]));
    if constexpr (View::rank() == 3) numbers.values.push_back(host(at[0], at[1], at[2]));
    if constexpr (View::rank() == 4) numbers.values.push_back(host(at[0], at[1], at[2], at[3]));
  }
  return numbers;
}

/// The profiles of a group with scattering, of either layout of phase matrices.
template <class ExecutionSpace, class Real>
adding::Profiles<ExecutionSpace, Real> scattering_profiles(ReferenceGroup const& group) {
  adding::Profiles<ExecutionSpace, Real> p;
  auto const fill = [&](auto& view, Numbers const& numbers) { view = to_view<std::decay_t<decltype(view)>>(numbers); };
  fill(p.optical_depth, group.flipped("od"));
  fill(p.planck, group.flipped("planck_atm"));
  fill(p.single_scattering_albedo, group.flipped("ssa"));
  fill(p.mu, group.get("mu"));
  fill(p.weight, group.get("weight"));
  fill(p.planck_sfc, group.get("planck_sfc"));
  fill(p.emissivity, group.get("emissivity"));
  fill(p.reflectivity, group.get("reflectivity"));
  fill(p.cosmic, group.get("cosmic"));
  fill(p.cos_sun, group.get("cos_sun"));
  fill(p.solar_irradiance, group.get("solar_irradiance"));
  fill(p.direct_reflectivity, group.get("direct_reflectivity"));
  if (group.has("pff_types")) {
    Numbers type = group.flipped("type");
    for (double& t : type.values) t -= 1;
    fill(p.phase, type);
    fill(p.phase_forward, group.get("pff_types"));
    fill(p.phase_backward, group.get("pbb_types"));
  } else {
    Numbers phase = group.get("od");
    for (std::size_t i = 0; i < phase.values.size(); ++i) phase.values[i] = static_cast<double>(i % phase.extents[1]);
    fill(p.phase, phase);
    fill(p.phase_forward, group.flipped("pff"));
    fill(p.phase_backward, group.flipped("pbb"));
  }
  return p;
}

/// The largest difference of two sets of numbers relative to `expected`, or to `least` where that is larger. Infinite
/// where something is not a number.
inline double largest_difference(Numbers const& found, Numbers const& expected, double least = 0) {
  if (found.values.size() != expected.values.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    double const difference = std::abs(found.values[i] - expected.values[i]);
    if (difference == 0) continue;
    double const relative = difference / std::max(std::abs(expected.values[i]), least);
    if (!(relative <= worst)) worst = std::isnan(relative) ? INFINITY : relative;
  }
  return worst;
}

inline double largest(Numbers const& numbers) {
  double most = 0;
  for (double const x : numbers.values) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace parhelion::Testing

#endif
