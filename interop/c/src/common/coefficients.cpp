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
/// \param model RRTMG_LW or RRTMG_SW
std::string in_working_folder(std::string const& model) {
  std::error_code unreadable;
  for (char const* const end : {"_DATA.DBL", "_DATA_DBL", "_DATA"})
    if (fs::is_regular_file(model + end, unreadable)) return model + end;
  return {};
}

/// \param search io::find_rrtmg_lw_data or io::find_rrtmg_sw_data
std::string find(std::string const& path, std::string const& model, std::string (*search)(std::string const&)) {
  char const* const folders = std::getenv("PARHELION_DATA");
  bool const named = folders != nullptr && *folders != '\0';
  if (!path.empty() || named) {
    try {
      return search(path);
    } catch (Error const&) {
      auto const here = in_working_folder(model);
      if (!path.empty() || here.empty()) throw;
      return here;
    }
  }
  auto const here = in_working_folder(model);
  return here.empty() ? search({}) : here;
}

/// Coefficients of files, of which those of one file are kept while anybody uses them.
template <class Coefficients>
class Kept {
 public:
  /// \param find gives the name of the file
  /// \param read makes the coefficients of a file
  template <class Find, class Read>
  std::shared_ptr<Coefficients const> get(Find const& find_file, Read const& read) {
    std::scoped_lock const lock(m_mutex);
    return reading([&] {
      std::error_code unreadable;
      std::string const file = find_file();
      auto const key = fs::absolute(file, unreadable).string();
      if (auto known = m_kept[key].lock()) return known;
      auto const made = std::make_shared<Coefficients const>(read(file), file);
      m_kept[key] = made;
      return made;
    });
  }

 private:
  std::mutex m_mutex;
  std::map<std::string, std::weak_ptr<Coefficients const>> m_kept;
};

}  // namespace

std::shared_ptr<fluxes::Coefficients const> rrtmg_lw_coefficients(std::string const& path) {
  static Kept<fluxes::Coefficients> kept;
  return kept.get([&] { return find(path, "RRTMG_LW", io::find_rrtmg_lw_data); },
                  [](std::string const& file) { return io::read_rrtmg_lw_data(file, fluxes::record_values()); });
}

std::shared_ptr<fluxes::ShortwaveCoefficients const> rrtmg_sw_coefficients(std::string const& path) {
  static Kept<fluxes::ShortwaveCoefficients> kept;
  return kept.get([&] { return find(path, "RRTMG_SW", io::find_rrtmg_sw_data); },
                  [](std::string const& file) {
                    return io::read_rrtmg_sw_data(file, fluxes::shortwave_record_values(),
                                                  fluxes::shortwave_record_integers());
                  });
}

}  // namespace parhelion::C
