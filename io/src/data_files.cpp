// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/data_files.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

namespace parhelion::io {

namespace {

namespace fs = std::filesystem;

bool is_file(fs::path const& path) {
  std::error_code unreadable;
  return fs::is_regular_file(path, unreadable);
}

std::optional<fs::path> find_directly(fs::path const& folder, std::vector<std::string> const& names) {
  for (auto const& name : names)
    if (is_file(folder / name)) return folder / name;
  return std::nullopt;
}

std::optional<fs::path> find_in(fs::path const& folder, std::vector<std::string> const& names) {
  if (auto found = find_directly(folder, names)) return found;
  std::vector<fs::path> inner;
  std::error_code error;  // a folder that cannot be read holds nothing for us
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unreadable;
    if (entry->is_directory(unreadable)) inner.push_back(entry->path());
  }
  std::sort(inner.begin(), inner.end());
  for (auto const& each : inner)
    if (auto found = find_directly(each, names)) return found;
  return std::nullopt;
}

std::string environment(char const* name) {
  char const* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The folder into which scripts/get-data.sh downloads; empty where there is none. XDG says to ignore relative paths.
fs::path own_folder() {
  fs::path const data = environment("XDG_DATA_HOME");
  if (data.is_absolute()) return data / "parhelion";
  std::string const home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".local/share/parhelion";
}

// The data folder of the installation that this program lies in, which may have another prefix than it was built for,
// of that in which the shared library lies that this code is part of, and of that it was built for.
std::vector<fs::path> installed_folders() {
  std::vector<fs::path> folders;
  std::error_code unreadable;
  fs::path const program = fs::read_symlink("/proc/self/exe", unreadable);
  if (!unreadable) folders.push_back((program.parent_path() / PARHELION_DATA_FROM_PROGRAM).lexically_normal());
  auto const add = [&](fs::path const& folder) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  };
  Dl_info about;
  static char const in_this_library = 0;
  if (::dladdr(&in_this_library, &about) != 0 && about.dli_fname != nullptr) {
    fs::path const library = about.dli_fname;
    if (library.is_absolute() && library.filename().string().find(".so") != std::string::npos)
      add((library.parent_path() / PARHELION_DATA_FROM_LIBRARY).lexically_normal());
  }
  add(PARHELION_INSTALLED_DATA);
  return folders;
}

}  // namespace

std::string find_data_file(std::string const& what, std::string const& explicit_path,
                           std::vector<std::string> const& names, std::string const& advice) {
  if (!explicit_path.empty()) {
    // A FIFO is as good as a file.
    std::error_code unreadable;
    if (fs::exists(explicit_path, unreadable) && !fs::is_directory(explicit_path, unreadable)) return explicit_path;
    throw Error(explicit_path, fs::exists(explicit_path, unreadable) ? fmt::format("is not a file, expected {}", what)
                                                                     : fmt::format("no such file, expected {}", what));
  }

  std::vector<std::string> folders;
  std::istringstream list(environment("PARHELION_DATA"));
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.push_back(folder);
  bool const searched_variable = !folders.empty();
  if (auto const own = own_folder(); !own.empty()) folders.push_back(own);
  for (auto const& installed : installed_folders()) folders.push_back(installed);

  for (auto& folder : folders) {
    if (auto const found = find_in(folder, names)) return found->string();
    std::error_code unreadable;
    if (!fs::is_directory(folder, unreadable)) folder += " (no such folder)";
  }
  throw Error(what,
              fmt::format("{} not found in {} or one folder down{}; {}", fmt::join(names, " or "),
                          fmt::join(folders, ", "), searched_variable ? "" : "; PARHELION_DATA is not set", advice));
}

}  // namespace parhelion::io
