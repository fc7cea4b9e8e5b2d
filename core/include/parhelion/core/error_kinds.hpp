// SPDX-License-Identifier: BSD-3-Clause
// Errors of kinds that callers, such as interfaces to other languages, tell apart. Any other Error is about a value.
#ifndef PARHELION_CORE_ERROR_KINDS_HPP
#define PARHELION_CORE_ERROR_KINDS_HPP

#include <parhelion/core/error.hpp>

namespace parhelion {

/// An argument or option does not exist, is missing, or does not go together with others.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// The type, rank, extents or strides of an array.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// Kokkos, or an object, cannot be used now.
class StateError : public Error {
 public:
  using Error::Error;
};

/// There is no such execution space or device, or the device failed.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A file is missing or bad.
class FileError : public Error {
 public:
  using Error::Error;
};

/// Not enough memory.
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// A result is not finite.
class NotFiniteError : public Error {
 public:
  using Error::Error;
};

}  // namespace parhelion

#endif
