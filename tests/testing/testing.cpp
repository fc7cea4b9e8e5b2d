// SPDX-License-Identifier: BSD-3-Clause
#include "testing.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <vector>

#include <unistd.h>

namespace parhelion::Testing {

namespace {

namespace fs = std::filesystem;

std::string environment(char const* name) {
  char const* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path data_folder() {
  return std::getenv("PARHELION_TEST_DATA") != nullptr ? environment("PARHELION_TEST_DATA") : PARHELION_TEST_DATA;
}

// Of scripts/get-data.sh. Taken before main, which hides it from what is tested.
fs::path const fetched_data = [] {
  fs::path const data = environment("XDG_DATA_HOME");
  return (data.is_absolute() ? data : fs::path(environment("HOME")) / ".local/share") / "parhelion";
}();

}  // namespace

std::string reference_data(std::string_view name) {
  auto const root = data_folder();
  std::vector<fs::path> places{fetched_data / fs::path(name).filename()};
  if (!root.empty()) places.insert(places.begin(), root / name);
  for (auto const& place : places) {
    std::error_code missing;
    if (fs::status(place, missing).type() == fs::file_type::not_found) continue;
    if (missing || ::access(place.c_str(), R_OK) != 0)
      throw std::runtime_error(place.string() + " is there and cannot be read");
    return place.string();
  }
  return {};
}

std::string require_reference_data(std::string_view name) {
  auto path = reference_data(name);
  if (!path.empty()) std::cout << "reference data " << name << " found: " << path << '\n';
  return path;
}

std::string missing_reference_data(std::string_view name) {
  auto const root = data_folder();
  return "reference data " + std::string(name) + " not found in " + (root.empty() ? "any folder" : root.string()) +
         "; PARHELION_TEST_DATA names the folder that holds them";
}

namespace {

struct Scratch {
  std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("parhelion-test-" + std::to_string(::getpid()));
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
};

}  // namespace

std::string scratch_folder() {
  static Scratch const scratch;
  auto const* const info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(info->test_suite_name()) + "." + info->name();
  for (char& c : name)
    if (c == '/') c = '-';
  auto const folder = scratch.root / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

}  // namespace parhelion::Testing
