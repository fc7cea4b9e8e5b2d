// SPDX-License-Identifier: BSD-3-Clause
// The objects behind the handles of callers, and their life time, which ends with Kokkos at the latest.
#ifndef PARHELION_C_OBJECTS_HPP
#define PARHELION_C_OBJECTS_HPP

#include "errors.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/process.hpp>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace parhelion::C {

/// What a handle stands for. It is destroyed before Kokkos ends.
class Object {
 public:
  Object() = default;
  virtual ~Object() = default;
  Object(Object const&) = delete;
  Object& operator=(Object const&) = delete;
};

/// \brief Initializes Kokkos with default settings if nobody has, and prepares for its end.
/// \throws StateError where Kokkos has been finalized
void require_running(char const* where);

/// The process is about to end from within a call, maybe while other threads are in theirs: Kokkos is left as it is.
void end_without_finalizing();

namespace Impl {

/// An entry of the list of all objects.
struct Entry {
  std::unique_ptr<Object> object;  ///< none after the end of Kokkos
  std::string kind;
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
};

void* add_object(char const* kind, std::unique_ptr<Object> object);

/// The entry of a handle, which is marked as busy.
std::shared_ptr<Entry> occupy(char const* where, char const* kind, void const* handle);

void destroy_object(char const* where, char const* kind, void const* handle);

}  // namespace Impl

/// Whether any object is in use by a call.
bool any_object_is_busy();

/// Destroys all objects; their handles stay.
void end_all_objects() noexcept;

/// \brief Gives an object a handle: a number that stands for this object for ever, so that a handle of a destroyed
///        object, and what was never a handle, is recognized.
/// \tparam Kind class of the object, with a `name` for messages
template <class Handle, class Kind>
Handle* handle_of(std::unique_ptr<Kind> object) {
  return static_cast<Handle*>(Impl::add_object(Kind::name, std::move(object)));
}

/// \brief The object of a handle, in use by this call alone.
template <class Kind>
class InUse {
 public:
  /// \throws ArgumentError where the handle is null or never was one of this kind; StateError where the object has been
  ///         destroyed, has ended with Kokkos, or is in use by another thread
  InUse(char const* where, void const* handle)
      : m_entry(Impl::occupy(where, Kind::name, handle)), m_object(static_cast<Kind*>(m_entry->object.get())) {}
  ~InUse() { m_entry->busy.clear(); }
  InUse(InUse const&) = delete;
  InUse& operator=(InUse const&) = delete;

  Kind& operator*() const { return *m_object; }
  Kind* operator->() const { return m_object; }

 private:
  std::shared_ptr<Impl::Entry> m_entry;
  Kind* m_object;
};

/// Destroys the object of a handle, if that is not null.
template <class Kind>
void destroy(char const* where, void const* handle) {
  if (handle != nullptr) Impl::destroy_object(where, Kind::name, handle);
}

/// \brief The execution-space instances with which an object computes.
///
/// Calls from outside of parallel regions of OpenMP get one with all threads, those from inside one of one thread, as
/// all threads of the caller are busy then. On a device both are the same.
class Instances {
 public:
  /// \param space its name, empty for the default one
  /// \throws DeviceError where this build does not have it
  explicit Instances(std::string const& space) : m_space(resolve_execution_space(space)) {}

  std::string const& space() const { return m_space; }

  /// \brief Calls action(instance, of_region), from where kernels can be launched.
  /// \param action    `of_region` is whether the instance is the one for parallel regions
  template <class Action>
  void with(Action const& action) {
    int const regions = parallel_regions();
    auto const call = [&] {
      KernelsInRegion const allowed;
      with_resolved_execution_space(m_space, [&]<class Space>(Space const&) {
        bool const of_region = runs_on_host<Space> && regions > 0;
        auto& instance = m_instances[of_region ? 1 : 0];
        if (!instance)
          outside_parallel_regions([&] { instance = std::make_shared<Space>(own_instance<Space>(of_region ? 1 : 0)); });
        action(*static_cast<Space const*>(instance.get()), of_region);
      });
    };
    // Kokkos can launch kernels from one level of regions, not from more.
    if (regions > 1)
      outside_parallel_regions(call);
    else
      call();
  }

 private:
  std::string m_space;
  std::shared_ptr<void> m_instances[2];
};

}  // namespace parhelion::C

#endif
