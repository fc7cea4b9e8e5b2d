// SPDX-License-Identifier: BSD-3-Clause
#include "coefficients.hpp"
#include "errors.hpp"

#include "structs.hpp"

#include <parhelion/fluxes/ecckd/cloud_optics.hpp>
#include <parhelion/fluxes/gases.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/ecckd_files.hpp>
#include <parhelion/io/rrtmg_files.hpp>
#include <parhelion/io/rrtmgp_cloud_files.hpp>
#include <parhelion/io/rrtmgp_files.hpp>

#include <fmt/format.h>

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
      auto const made = std::make_shared<Coefficients const>(read(file));
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
                  [](std::string const& file) {
                    return fluxes::Coefficients(io::read_rrtmg_lw_data(file, fluxes::record_values()), file);
                  });
}

std::shared_ptr<fluxes::ShortwaveCoefficients const> rrtmg_sw_coefficients(std::string const& path) {
  static Kept<fluxes::ShortwaveCoefficients> kept;
  return kept.get(
      [&] { return find(path, "RRTMG_SW", io::find_rrtmg_sw_data); },
      [](std::string const& file) {
        return fluxes::ShortwaveCoefficients(
            io::read_rrtmg_sw_data(file, fluxes::shortwave_record_values(), fluxes::shortwave_record_integers()), file);
      });
}

namespace {

char const* word_of(bool longwave) { return longwave ? "longwave" : "shortwave"; }

std::shared_ptr<fluxes::ecckd::Definition const> ecckd_definition(std::string const& path, bool longwave) {
  static Kept<fluxes::ecckd::Definition> kept;
  return kept.get([&] { return io::find_ecckd_definition(longwave, path); }, io::read_ecckd_definition);
}

std::shared_ptr<fluxes::rrtmgp::KDistribution const> rrtmgp_gas_optics(std::string const& path, bool longwave) {
  static Kept<fluxes::rrtmgp::KDistribution> kept;
  return kept.get([&] { return io::find_rrtmgp_gas_optics(longwave, path); }, io::read_rrtmgp_gas_optics);
}

std::shared_ptr<fluxes::rrtmgp::CloudOptics const> rrtmgp_cloud_optics(std::string const& path) {
  static Kept<fluxes::rrtmgp::CloudOptics> kept;
  return kept.get([&] { return io::find_data_file("cloud optics of RRTMGP", path, {}, ""); },
                  io::read_rrtmgp_cloud_optics);
}

std::shared_ptr<fluxes::rrtmgp::AerosolOptics const> rrtmgp_aerosol_optics(std::string const& path) {
  static Kept<fluxes::rrtmgp::AerosolOptics> kept;
  return kept.get([&] { return io::find_data_file("aerosol optics of RRTMGP", path, {}, ""); },
                  io::read_rrtmgp_aerosol_optics);
}

std::shared_ptr<fluxes::ecckd::ScatteringTable const> ecckd_scattering(char const* what, std::string const& path) {
  static Kept<fluxes::ecckd::ScatteringTable> kept;
  return kept.get([&] { return io::find_data_file(what, path, {}, ""); }, io::read_ecckd_scattering);
}

/// The optics of clouds of a definition; none where no scattering files are given.
std::shared_ptr<fluxes::rrtmgp::CloudOptics const> ecckd_clouds(char const* where, GasOpticsOptions const& options,
                                                                fluxes::ecckd::Definition const& definition) {
  bool const droplets = !options.droplet_scattering.empty(), ice = !options.ice_scattering.empty();
  if (droplets != ice)
    throw ArgumentError(
        where, fmt::format("{} is given, expected {} with it", droplets ? "droplet_scattering" : "ice_scattering",
                           droplets ? "ice_scattering" : "droplet_scattering"));
  int const averaging = choice(where, "cloud_averaging", options.cloud_averaging, PARHELION_CLOUD_AVERAGING_THICK,
                               PARHELION_CLOUD_AVERAGING_THIN);
  if (!droplets && averaging != PARHELION_CLOUD_AVERAGING_THICK)
    throw ArgumentError(where, fmt::format("cloud_averaging = {}, expected 0 without droplet_scattering", averaging));
  if (!droplets) return nullptr;
  return reading([&] {
    return std::make_shared<fluxes::rrtmgp::CloudOptics const>(
        average_clouds(definition, *ecckd_scattering("scattering of droplets", options.droplet_scattering),
                       *ecckd_scattering("scattering of ice", options.ice_scattering),
                       averaging == PARHELION_CLOUD_AVERAGING_THIN ? fluxes::ecckd::CloudAveraging::thin
                                                                   : fluxes::ecckd::CloudAveraging::thick));
  });
}

void expect_range(std::string const& file, char const* what, bool is_longwave, bool longwave) {
  if (is_longwave != longwave)
    throw FileError(file, fmt::format("holds {} of the {}, expected that of the {}", what, word_of(is_longwave),
                                      word_of(longwave)));
}

/// The gases of a list of names.
fluxes::GasSet gases_of(char const* where, std::string const& names) {
  constexpr char const* separators = ", \t\n";
  fluxes::GasSet set;
  for (auto begin = names.find_first_not_of(separators); begin != std::string::npos;) {
    auto const end = names.find_first_of(separators, begin);
    auto const name = names.substr(begin, end == std::string::npos ? end : end - begin);
    auto const gas = fluxes::find_gas(name);
    if (!gas) throw ArgumentError(where, fmt::format("gases has \"{}\", expected names of gases such as h2o", name));
    set.insert(*gas);
    begin = names.find_first_not_of(separators, end);
  }
  return set;
}

io::GasOpticsModel model_of(char const* where, GasOpticsOptions const& options) {
  switch (choice(where, "model", options.model, PARHELION_GAS_OPTICS_OF_FILE, PARHELION_GAS_OPTICS_ECCKD)) {
    case PARHELION_GAS_OPTICS_SIMPLE:
      return io::GasOpticsModel::simple;
    case PARHELION_GAS_OPTICS_RRTMG:
      return io::GasOpticsModel::rrtmg;
    case PARHELION_GAS_OPTICS_RRTMGP:
      return io::GasOpticsModel::rrtmgp;
    case PARHELION_GAS_OPTICS_ECCKD:
      return io::GasOpticsModel::ecckd;
    default:
      // Where the file is missing, the reader of RRTMG says so.
      if (std::error_code unreadable;
          options.coefficients.empty() || !std::filesystem::is_regular_file(options.coefficients, unreadable))
        return io::GasOpticsModel::rrtmg;
      return reading([&] { return io::gas_optics_of_files({options.coefficients}); });
  }
}

}  // namespace

GasOptics gas_optics_of(char const* where, bool longwave, GasOpticsOptions const& options) {
  GasOptics optics;
  optics.model = model_of(where, options);
  bool const rrtmgp = optics.model == io::GasOpticsModel::rrtmgp;
  bool const ecckd = optics.model == io::GasOpticsModel::ecckd;
  auto const refuse_given = [&](bool given, char const* option, bool has, char const* only) {
    if (given && !has)
      throw ArgumentError(where, fmt::format("{} is given, expected that only with {}, not with {}", option, only,
                                             io::name_of(optics.model)));
  };
  refuse_given(!options.cloud_optics.empty(), "cloud_optics", rrtmgp, "RRTMGP");
  refuse_given(!options.aerosol_optics.empty(), "aerosol_optics", rrtmgp, "RRTMGP");
  refuse_given(options.ice_roughness != 0, "ice_roughness", rrtmgp, "RRTMGP");
  refuse_given(!options.droplet_scattering.empty(), "droplet_scattering", ecckd, "ecCKD");
  refuse_given(!options.ice_scattering.empty(), "ice_scattering", ecckd, "ecCKD");
  refuse_given(options.cloud_averaging != 0, "cloud_averaging", ecckd, "ecCKD");
  if (!options.gases.empty()) optics.offered = gases_of(where, options.gases);
  if (ecckd) {
    optics.ecckd = ecckd_definition(options.coefficients, longwave);
    expect_range(optics.ecckd->where, "an ecCKD definition", optics.ecckd->is_longwave, longwave);
    optics.clouds = ecckd_clouds(where, options, *optics.ecckd);
  }
  if (!rrtmgp) return optics;
  optics.rrtmgp = rrtmgp_gas_optics(options.coefficients, longwave);
  expect_range(optics.rrtmgp->file, "gas optics of RRTMGP", optics.rrtmgp->is_longwave(), longwave);
  if (!options.cloud_optics.empty()) optics.clouds = rrtmgp_cloud_optics(options.cloud_optics);
  if (!options.aerosol_optics.empty()) optics.aerosol = rrtmgp_aerosol_optics(options.aerosol_optics);
  if (options.ice_roughness != 0) {
    if (!optics.clouds)
      throw ArgumentError(where,
                          fmt::format("ice_roughness = {}, expected 0 without cloud_optics", options.ice_roughness));
    optics.ice_roughness = choice(where, "ice_roughness", options.ice_roughness, 1, optics.clouds->nroughness);
  }
  return optics;
}

}  // namespace parhelion::C
