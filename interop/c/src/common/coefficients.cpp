// SPDX-License-Identifier: BSD-3-Clause
#include "coefficients.hpp"
#include "errors.hpp"

#include <parhelion/io/rrtmg_files.hpp>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace parhelion::C {

namespace {

namespace fs = std::filesystem;

/// The file in the working folder, where models have it; empty where there is none.
std::string in_working_folder() {
  std::error_code unreadable;
  for (char const* const name : {"RRTMG_LW_DATA.DBL", "RRTMG_LW_DATA_DBL", "RRTMG_LW_DATA"})
    if (fs::is_regular_file(name, unreadable)) return name;
  return {};
}

std::string find(std::string const& path) {
  char const* const folders = std::getenv("PARHELION_DATA");
  bool const named = folders != nullptr && *folders != '\0';
  if (!path.empty() || named) {
    try {
      return io::find_rrtmg_lw_data(path);
    } catch (Error const&) {
      auto const here = in_working_folder();
      if (!path.empty() || here.empty()) throw;
      return here;
    }
  }
  auto const here = in_working_folder();
  return here.empty() ? io::find_rrtmg_lw_data() : here;
}

}  // namespace

std::shared_ptr<fluxes::Coefficients const> rrtmg_lw_coefficients(std::string const& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<fluxes::Coefficients const>> kept;
  std::scoped_lock const lock(mutex);
  return reading([&] {
    std::error_code unreadable;
    std::string const file = find(path);
    auto const key = fs::absolute(file, unreadable).string();
    if (auto known = kept[key].lock()) return known;
    auto const read =
        std::make_shared<fluxes::Coefficients const>(io::read_rrtmg_lw_data(file, fluxes::record_values()), file);
    kept[key] = read;
    return read;
  });
}

}  // namespace parhelion::C
