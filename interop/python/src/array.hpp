// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_INTEROP_PYTHON_ARRAY_HPP
#define PARHELION_INTEROP_PYTHON_ARRAY_HPP

#include <parhelion.h>

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::python {

/// An array of a caller of Python, without a copy, and what keeps its memory.
class Array {
 public:
  /// \brief Looks at an array of NumPy, or at one that another library shows by DLPack or CUDA's array interface.
  /// \param name     of the argument, for messages
  /// \param object   the array
  /// \param integers whether entries have to be integers of 4 bytes instead of reals of 4 or 8
  /// \param written  whether the array is for results
  /// \param stream   of the call, to which arrays of a device are handed over
  /// \throws TypeError for what is no array or has entries of another type, ValueError for memory that parhelion_array
  ///         cannot describe
  Array(std::string const& name, pybind11::object const& object, bool integers, bool written, std::uintptr_t stream);

  parhelion_array const& get() const { return m_array; }
  std::vector<std::int64_t> shape() const { return {m_array.extent, m_array.extent + m_array.rank}; }
  bool on_device() const { return m_array.where == PARHELION_DEVICE; }
  /// The type of the entries as NumPy calls it.
  char const* type() const;
  /// The stream in whose order the array was made; none if its library said none or has handed it over.
  std::optional<std::uintptr_t> stream() const { return m_stream; }

  /// \brief Gives the array other extents: where it has none, or 1, an entry counts for all indices.
  /// \throws ValueError for more than 4 dimensions or other extents than that
  void spread(std::vector<std::int64_t> const& shape);

 private:
  void take_numpy(pybind11::object const& object, bool written);
  void take_dlpack(pybind11::object const& object, std::uintptr_t stream);
  void take_cuda_array_interface(pybind11::object const& object, bool written);
  /// \param shown gives the type as its library writes it, for a message
  template <class Shown>
  void set_type(char kind, std::size_t bytes, bool native, Shown&& shown);
  void set_rank(std::int64_t rank);
  void set_stride(int d, std::int64_t bytes);
  void set_data(void* data);

  [[noreturn]] void refuse_type(std::string const& message) const;
  [[noreturn]] void refuse_value(std::string const& message) const;

  std::string m_name;
  bool m_integers;
  parhelion_array m_array{};
  pybind11::object m_owner;
  std::optional<std::uintptr_t> m_stream;
};

/// The number of a stream as DLPack and CUDA's array interface write it, where 1 is the default one, or the pointer.
std::uintptr_t stream_of_protocol(std::uintptr_t number);

}  // namespace parhelion::python

#endif
