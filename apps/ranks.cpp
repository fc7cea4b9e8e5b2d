// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <new>
#include <system_error>

namespace parhelion::Apps {

std::string message_of(std::exception const& error) {
  if (auto const* const printing = dynamic_cast<std::system_error const*>(&error))
    return fmt::format("standard output cannot be written: {}", printing->code().message());
  if (dynamic_cast<std::bad_alloc const*>(&error) != nullptr) return "there is not enough memory";
  if (dynamic_cast<std::length_error const*>(&error) != nullptr)
    return "there is not enough memory: an array would be larger than any memory";
  return error.what();
}

Ranks::Ranks() { start(); }

Ranks::~Ranks() { finish(); }

std::vector<io::ItemRange> Ranks::ranges(std::size_t n) const {
  std::vector<io::ItemRange> all;
  for (int r = 0; r < m_size; ++r) all.push_back(io::Part{r, m_size}.of(n));
  return all;
}

void Ranks::collectively(std::function<void()> const& action) const {
  if (!several()) return action();
  std::exception_ptr own;
  std::string message;
  try {
    action();
  } catch (std::exception const& error) {
    own = std::current_exception();
    message = message_of(error);
  } catch (...) {
    own = std::current_exception();
    message = "an exception without a message";
  }
  int const failed = smallest(own ? m_rank : m_size);
  if (failed == m_size) return;
  broadcast(message, failed);
  m_all_failed = true;
  if (own && (failed == m_rank || !first())) std::rethrow_exception(own);
  throw OtherRankFailed(message);
}

void Ranks::write(io::FileSharing const* sharing, std::function<void()> const& action) const {
  if (sharing != nullptr) return action();
  collectively([&] {
    if (first()) action();
  });
}

void Ranks::send_items(void const* items, std::size_t size) const { send(items, size, 0); }

void Ranks::receive_items(void const* own, void* all, std::size_t bytes, std::vector<io::ItemRange> const& ranges,
                          std::size_t blocks) const {
  auto* const to = static_cast<char*>(all);
  std::size_t const of_block = ranges.back().end() * bytes;
  auto const place = [&](char const* from, io::ItemRange const& range) {
    for (std::size_t b = 0; b < blocks; ++b)
      std::memcpy(to + b * of_block + range.first * bytes, from + b * range.count * bytes, range.count * bytes);
  };
  place(static_cast<char const*>(own), ranges.front());
  std::vector<char> buffer;
  for (int r = 1; r < m_size; ++r) {
    auto const& range = ranges[static_cast<std::size_t>(r)];
    if (range.empty()) continue;
    if (blocks == 1) {
      receive(to + range.first * bytes, range.count * bytes, r);
      continue;
    }
    buffer.resize(blocks * range.count * bytes);
    receive(buffer.data(), buffer.size(), r);
    place(buffer.data(), range);
  }
}

Ranks const& ranks() {
  static Ranks const all;
  return all;
}

}  // namespace parhelion::Apps
