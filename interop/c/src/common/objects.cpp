// SPDX-License-Identifier: BSD-3-Clause
#include "objects.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace parhelion::C {

namespace {

/// All objects by their handles. It is never destroyed, as callers may destroy objects at the end of the process.
struct Registry {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Impl::Entry>> entries;
  std::uintptr_t next = handle_step;

  static constexpr std::uintptr_t handle_step = 16;
};

Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

[[noreturn]] void refuse_handle(char const* where, char const* kind, std::uintptr_t number, bool was_one) {
  if (number == 0) throw ArgumentError(where, fmt::format("{} is NULL, expected an object", kind));
  if (was_one) throw StateError(where, fmt::format("{} has been destroyed", kind));
  throw ArgumentError(where, fmt::format("{} is no object of parhelion_{}_create()", kind, kind));
}

std::shared_ptr<Impl::Entry> find(char const* where, char const* kind, void const* handle) {
  auto const number = reinterpret_cast<std::uintptr_t>(handle);
  auto& all = registry();
  std::scoped_lock const lock(all.mutex);
  auto const found = all.entries.find(number);
  if (found == all.entries.end())
    refuse_handle(where, kind, number, number < all.next && number % Registry::handle_step == 0);
  if (found->second->kind != kind)
    throw ArgumentError(where, fmt::format("{} is an object of parhelion_{}_create()", kind, found->second->kind));
  return found->second;
}

void mark_busy(char const* where, char const* kind, Impl::Entry& entry) {
  if (entry.busy.test_and_set())
    throw StateError(where, fmt::format("{} is in use by another thread, expected one call at a time", kind));
}

}  // namespace

namespace Impl {

void* add_object(char const* kind, std::unique_ptr<Object> object) {
  auto entry = std::make_shared<Entry>();
  entry->kind = kind;
  entry->object = std::move(object);
  auto& all = registry();
  std::scoped_lock const lock(all.mutex);
  std::uintptr_t const number = all.next;
  all.entries.emplace(number, std::move(entry));
  all.next += Registry::handle_step;
  return reinterpret_cast<void*>(number);
}

std::shared_ptr<Entry> occupy(char const* where, char const* kind, void const* handle) {
  auto entry = find(where, kind, handle);
  mark_busy(where, kind, *entry);
  if (entry->object == nullptr) {
    entry->busy.clear();
    throw StateError(where, fmt::format("{} has ended with Kokkos, which has been finalized", kind));
  }
  return entry;
}

void destroy_object(char const* where, char const* kind, void const* handle) {
  auto const entry = find(where, kind, handle);
  mark_busy(where, kind, *entry);  // for ever
  {
    auto& all = registry();
    std::scoped_lock const lock(all.mutex);
    all.entries.erase(reinterpret_cast<std::uintptr_t>(handle));
  }
  outside_parallel_regions([&] { entry->object.reset(); });
}

}  // namespace Impl

bool any_object_is_busy() {
  auto& all = registry();
  std::scoped_lock const lock(all.mutex);
  for (auto const& [number, entry] : all.entries) {
    if (entry->busy.test_and_set()) return true;
    entry->busy.clear();
  }
  return false;
}

void end_all_objects() noexcept {
  auto& all = registry();
  std::scoped_lock const lock(all.mutex);
  for (auto& [number, entry] : all.entries) entry->object.reset();
}

}  // namespace parhelion::C
