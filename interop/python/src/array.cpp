// SPDX-License-Identifier: BSD-3-Clause
#include "array.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>

namespace parhelion::python {

namespace py = pybind11;

namespace {

// What an object of the protocol DLPack holds: its layout is that of versions 0.x, which every library still gives to
// those who ask for no other (https://dmlc.github.io/dlpack/latest/c_api.html).
namespace dlpack {

enum : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, rocm = 10, rocm_host = 11, cuda_managed = 13 };
enum : std::uint8_t { signed_integer = 0, unsigned_integer = 1, real = 2 };

struct Device {
  std::int32_t type, id;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;  // in entries; null for a contiguous array
  std::uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

constexpr char const* name = "dltensor";

}  // namespace dlpack

constexpr int max_dimensions = 4;

}  // namespace

template <class Shown>
void Array::set_type(char kind, std::size_t bytes, bool native, Shown&& shown) {
  bool const real = kind == 'f' && (bytes == 4 || bytes == 8);
  bool const integer = kind == 'i' && bytes == 4;
  if (!native || !(m_integers ? integer : real))
    refuse_type("has entries of type " + shown() + ", expected " + (m_integers ? "int32" : "float32 or float64"));
  m_array.type = integer ? PARHELION_INT32 : bytes == 4 ? PARHELION_FLOAT32 : PARHELION_FLOAT64;
}

// The legacy default stream is 1 there and a null pointer for CUDA.
std::uintptr_t stream_of_protocol(std::uintptr_t number) { return number == 1 ? 0 : number; }

Array::Array(std::string const& name, py::object const& object, bool integers, bool written, std::uintptr_t stream)
    : m_name(name), m_integers(integers) {
  if (py::isinstance<py::array>(object))
    take_numpy(object, written);
  else if (py::hasattr(object, "__dlpack__") && py::hasattr(object, "__dlpack_device__"))
    take_dlpack(object, stream);
  else if (py::hasattr(object, "__cuda_array_interface__"))
    try {
      take_cuda_array_interface(object, written);
    } catch (py::cast_error const&) {
      refuse_type("has a __cuda_array_interface__ with entries of other types than the protocol's");
    }
  else if (py::hasattr(object, "__array__") && !written)
    take_numpy(py::module_::import("numpy").attr("asarray")(object), written);
  else
    refuse_type("is " + std::string(py::str(py::type::of(object))) +
                ", expected an array of NumPy or of a library that offers DLPack");
}

char const* Array::type() const {
  return m_array.type == PARHELION_FLOAT64 ? "float64" : m_array.type == PARHELION_FLOAT32 ? "float32" : "int32";
}

void Array::take_numpy(py::object const& object, bool written) {
  auto const array = py::reinterpret_borrow<py::array>(object);
  // As attributes: in memory a type of NumPy 2 is another than one of NumPy 1, which pybind11 before 2.12 expects.
  auto const dtype = object.attr("dtype");
  auto const letter = [&](char const* name) { return dtype.attr(name).cast<std::string>().at(0); };
  char const order = letter("byteorder");
  set_type(letter("kind"), dtype.attr("itemsize").cast<std::size_t>(), order == '=' || order == '|',
           [&] { return std::string(py::str(dtype)); });
  set_rank(array.ndim());
  if (written && !array.writeable()) refuse_value("is read-only, expected an array that can be written");
  if ((array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) == 0)
    refuse_value("does not lie at addresses for its type; numpy.require(array, requirements=\"A\") copies it");
  for (int d = 0; d < m_array.rank; ++d) {
    m_array.extent[d] = array.shape(d);
    set_stride(d, array.strides(d));
  }
  m_array.where = PARHELION_HOST;
  set_data(const_cast<void*>(array.data()));
  m_owner = object;
}

void Array::take_dlpack(py::object const& object, std::uintptr_t stream) {
  auto const device = object.attr("__dlpack_device__")().cast<std::pair<int, int>>();
  auto const type = device.first;
  bool const host = type == dlpack::cpu || type == dlpack::cuda_host || type == dlpack::rocm_host;
  if (!host && type != dlpack::cuda && type != dlpack::rocm && type != dlpack::cuda_managed)
    refuse_type("is on a device of DLPack's type " + std::to_string(type) +
                ", expected one of the host, of CUDA or of ROCm");
  py::object capsule;
  try {
    if (host) {
      capsule = object.attr("__dlpack__")();
    } else {
      std::uintptr_t const default_stream = type == dlpack::rocm ? 0 : 1;
      capsule = object.attr("__dlpack__")(py::arg("stream") = stream == 0 ? default_stream : stream);
    }
  } catch (py::error_already_set& error) {
    // The protocol's way to say that an array has no form in it, such as one that is read only.
    if (!error.matches(PyExc_BufferError)) throw;
    refuse_type("is not exported by its __dlpack__: " + std::string(py::str(error.value())));
  }
  // It stays ours to free: a capsule that nobody has renamed frees its tensor with itself.
  auto* const managed = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), dlpack::name));
  if (managed == nullptr) throw py::error_already_set();
  auto const& tensor = managed->tensor;
  char const kind = tensor.code == dlpack::real ? 'f' : tensor.code == dlpack::signed_integer ? 'i' : '?';
  set_type(kind, tensor.bits / 8U, tensor.lanes == 1, [&] {
    return "DLPack's " + std::to_string(tensor.code) + " with " + std::to_string(tensor.bits) + " bits";
  });
  set_rank(tensor.rank);
  std::int64_t contiguous = 1;
  for (int d = m_array.rank - 1; d >= 0; --d) {
    m_array.extent[d] = tensor.shape[d];
    m_array.stride[d] = tensor.strides != nullptr ? tensor.strides[d] : contiguous;
    contiguous *= tensor.shape[d];
  }
  m_array.where = host ? PARHELION_HOST : PARHELION_DEVICE;
  m_array.device = host ? 0 : tensor.device.id;
  set_data(tensor.data == nullptr ? nullptr : static_cast<char*>(tensor.data) + tensor.byte_offset);
  m_owner = capsule;
}

// https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
void Array::take_cuda_array_interface(py::object const& object, bool written) {
  py::object const found = object.attr("__cuda_array_interface__");
  if (!py::isinstance<py::dict>(found)) refuse_type("has a __cuda_array_interface__ that is no dictionary");
  auto const interface = found.cast<py::dict>();
  for (auto const* key : {"shape", "typestr", "data"})
    if (!interface.contains(key)) refuse_type(std::string("has a __cuda_array_interface__ without ") + key);
  auto const text = interface["typestr"].cast<std::string>();
  std::size_t bytes = 0;
  for (std::size_t i = 2; i < text.size(); ++i)
    bytes = text[i] >= '0' && text[i] <= '9' && bytes < 1000 ? 10 * bytes + static_cast<std::size_t>(text[i] - '0') : 0;
  std::uint16_t const one = 1;
  char little = 0;
  std::memcpy(&little, &one, 1);
  bool const native = !text.empty() && (text[0] == '|' || text[0] == (little != 0 ? '<' : '>'));
  set_type(text.size() > 1 ? text[1] : '?', bytes, native, [&] { return text; });

  auto const shape = interface["shape"].cast<std::vector<std::int64_t>>();
  set_rank(static_cast<std::int64_t>(shape.size()));
  std::vector<std::int64_t> strides(shape.size());
  if (interface.contains("strides") && !interface["strides"].is_none()) {
    strides = interface["strides"].cast<std::vector<std::int64_t>>();
    if (strides.size() != shape.size()) refuse_type("has a __cuda_array_interface__ with strides of another rank");
  } else {
    std::uint64_t contiguous = bytes;  // may overflow where the extents are nonsense
    for (std::size_t d = shape.size(); d-- > 0; contiguous *= static_cast<std::uint64_t>(shape[d]))
      strides[d] = static_cast<std::int64_t>(contiguous);
  }
  for (int d = 0; d < m_array.rank; ++d) {
    m_array.extent[d] = shape[static_cast<std::size_t>(d)];
    set_stride(d, strides[static_cast<std::size_t>(d)]);
  }
  auto const data = interface["data"].cast<std::pair<std::uintptr_t, bool>>();
  if (written && data.second) refuse_value("is read-only, expected an array that can be written");
  if (interface.contains("stream") && !interface["stream"].is_none())
    m_stream = stream_of_protocol(interface["stream"].cast<std::uintptr_t>());
  m_array.where = PARHELION_DEVICE;
  m_array.device = 0;  // the protocol does not say which
  set_data(reinterpret_cast<void*>(data.first));
  m_owner = object;
}

void Array::set_rank(std::int64_t rank) {
  if (rank < 0 || rank > max_dimensions)
    refuse_value("has " + std::to_string(rank) + " dimensions, expected at most " + std::to_string(max_dimensions));
  m_array.rank = static_cast<std::int32_t>(rank);
}

void Array::set_stride(int d, std::int64_t bytes) {
  std::int64_t const entry = m_array.type == PARHELION_FLOAT64 ? 8 : 4;
  if (bytes % entry != 0)
    refuse_value("has a stride of " + std::to_string(bytes) + " bytes, expected a multiple of its entries' " +
                 std::to_string(entry));
  m_array.stride[d] = bytes / entry;
}

void Array::set_data(void* data) {
  for (int d = 0; d < m_array.rank; ++d)
    if (m_array.extent[d] < 1)
      refuse_value("has extent " + std::to_string(m_array.extent[d]) + " in dimension " + std::to_string(d) +
                   ", expected at least 1");
  if (data == nullptr) refuse_value("has no memory");
  m_array.data = data;
}

void Array::spread(std::vector<std::int64_t> const& shape) {
  auto const rank = static_cast<std::int64_t>(shape.size());
  if (rank > max_dimensions || rank < m_array.rank) refuse_value("cannot be spread to fewer dimensions");
  parhelion_array spread = m_array;
  spread.rank = static_cast<std::int32_t>(rank);
  auto const added = static_cast<int>(rank) - m_array.rank;
  for (int d = 0; d < spread.rank; ++d) {
    auto const wanted = shape[static_cast<std::size_t>(d)];
    bool const same = d >= added && m_array.extent[d - added] == wanted;
    if (!same && d >= added && m_array.extent[d - added] != 1) refuse_value("cannot be spread to other extents");
    spread.extent[d] = wanted;
    spread.stride[d] = same ? m_array.stride[d - added] : 0;
  }
  m_array = spread;
}

void Array::refuse_type(std::string const& message) const { throw py::type_error(m_name + ": " + message); }

void Array::refuse_value(std::string const& message) const { throw py::value_error(m_name + ": " + message); }

}  // namespace parhelion::python
