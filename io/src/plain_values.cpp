// SPDX-License-Identifier: BSD-3-Clause
#include "plain_values.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace parhelion::io {

namespace {

// Bytes of the character that text begins with, 0 where it is not valid.
std::size_t first_character(std::string_view text) {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto const follows = [&](std::size_t i, unsigned lowest = 0x80, unsigned highest = 0xbf) {
    return byte(i) >= lowest && byte(i) <= highest;
  };
  unsigned const first = byte(0);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    auto const size = first_character(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void refuse_not_utf8(std::string const& where, std::string const& name, std::string_view text) {
  if (is_utf8(text)) return;
  std::string shown;
  for (char const c : text)
    shown += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  throw Error(where, fmt::format("{} = \"{}\", expected text in UTF-8", name, shown));
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    auto const size = first_character(text);
    result += size == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

bool is_netcdf_name(std::string_view text) {
  if (text.empty() || !is_utf8(text) || text.back() == ' ') return false;
  auto const opens = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
  };
  auto const forbidden = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/'; };
  return opens(static_cast<unsigned char>(text.front())) && std::none_of(text.begin(), text.end(), forbidden);
}

}  // namespace parhelion::io
