// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/problem.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace parhelion::ega {

int find_gas(std::vector<std::string> const& gases, std::string const& name) {
  auto const same = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
  };
  auto const found = std::find_if(gases.begin(), gases.end(), [&](std::string const& gas) {
    return std::equal(gas.begin(), gas.end(), name.begin(), name.end(), same);
  });
  return found == gases.end() ? -1 : static_cast<int>(found - gases.begin());
}

TableProvider cached(TableProvider tables) {
  struct Memory {
    std::mutex mutex;
    std::map<std::pair<int, int>, EmissivityTable> tables;
  };
  if (!tables) return {};
  return [tables = std::move(tables), memory = std::make_shared<Memory>()](int gas, int channel) {
    std::lock_guard const lock(memory->mutex);
    auto const at = std::make_pair(gas, channel);
    auto found = memory->tables.find(at);
    if (found == memory->tables.end()) found = memory->tables.emplace(at, tables(gas, channel)).first;
    return found->second;
  };
}

}  // namespace parhelion::ega
