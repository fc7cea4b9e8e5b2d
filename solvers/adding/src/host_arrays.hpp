// SPDX-License-Identifier: BSD-3-Clause
// Access by name to the arrays of calls from host memory, of any precision and strides.
#ifndef PARHELION_ADDING_SRC_HOST_ARRAYS_HPP
#define PARHELION_ADDING_SRC_HOST_ARRAYS_HPP

#include <parhelion/adding/host_adding.hpp>

#include <parhelion/core/arrays.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::adding::Impl {

std::vector<ArrayDescription> const& input_descriptions();
std::vector<ArrayDescription> const& result_descriptions();

/// The index of an array among its descriptions.
std::size_t position(std::vector<ArrayDescription> const& descriptions, std::string_view name);

/// A value in double precision.
inline double value(ConstArrayRef const& array, std::int64_t i, std::int64_t j = 0, std::int64_t k = 0,
                    std::int64_t l = 0) {
  std::int64_t const at = i * array.strides[0] + j * array.strides[1] + k * array.strides[2] + l * array.strides[3];
  switch (array.type) {
    case ValueType::float32:
      return static_cast<double>(static_cast<float const*>(array.data)[at]);
    case ValueType::float64:
      return static_cast<double const*>(array.data)[at];
    case ValueType::int32:
      return static_cast<double>(static_cast<int const*>(array.data)[at]);
  }
  return 0;
}

/// The largest value of a (profile) or (profile, layer) array, at least 0.
double largest(ConstArrayRef const& array);

/// Whether all values of such an array are 0.
inline bool all_zero(ConstArrayRef const& array) { return largest(array) == 0; }

/// The arrays of an input.
struct InputArrays {
  std::vector<ConstArrayRef> arrays;

  explicit InputArrays(HostAddingInput const& input) : arrays(input.arrays) {
    arrays.resize(input_descriptions().size());
  }

  ConstArrayRef& operator[](std::string_view name) { return arrays[position(input_descriptions(), name)]; }
  ConstArrayRef const& operator[](std::string_view name) const { return arrays[position(input_descriptions(), name)]; }

  std::int64_t nprofile() const { return (*this)["planck"].extents[0]; }
  std::int64_t nlay() const { return (*this)["planck"].extents[1]; }
  std::int64_t nangle() const { return (*this)["mu"].extents[1]; }
  std::int64_t nphase() const { return (*this)["phase_forward"].extents[1]; }
  bool scatters() const { return !(*this)["single_scattering_albedo"].empty(); }
  bool wants_derivative() const { return !(*this)["adjoint_toa"].empty(); }
  bool wants_tangent() const;
};

/// A description with the name that the caller uses for the array.
struct NamedDescription {
  std::string name;
  ArrayDescription description;

  NamedDescription(ArrayDescription const& described, ArrayNames const& names)
      : name(names(described.name)), description(described) {
    description.name = name;
    // The unit is chosen by the caller.
    if (description.unit.substr(0, 8) == "radiance") description.unit = {};
  }
  NamedDescription(NamedDescription const&) = delete;  // the description refers to the name
  NamedDescription& operator=(NamedDescription const&) = delete;
};

/// Counts layers and levels from the other end.
template <class Ref>
void reverse(std::vector<Ref>& arrays, std::vector<ArrayDescription> const& descriptions) {
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (int const d = descriptions[i].vertical(); d >= 0 && !arrays[i].empty()) arrays[i] = arrays[i].reversed(d);
}

/// \brief Checks which arrays exist, and their extents.
/// \throws parhelion::Error
void check_shapes(HostAddingInput const& input, std::string_view where, ArrayNames const& names);

}  // namespace parhelion::adding::Impl

#endif
