// SPDX-License-Identifier: BSD-3-Clause
#include "testing.hpp"

#include <cstdlib>
#include <filesystem>

#include <unistd.h>

namespace parhelion::Testing {

std::string reference_data(std::string_view name) {
  char const* const folder = std::getenv("PARHELION_TEST_DATA");
  std::filesystem::path const root = folder != nullptr ? folder : PARHELION_TEST_DATA;
  auto const path = root / name;
  return !root.empty() && std::filesystem::exists(path) ? path.string() : std::string();
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
