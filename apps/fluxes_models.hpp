// SPDX-License-Identifier: BSD-3-Clause
// The gas optics of `parhelion fluxes`: the files that they are read from, and what they ask of an atmosphere.
#ifndef PARHELION_APPS_FLUXES_MODELS_HPP
#define PARHELION_APPS_FLUXES_MODELS_HPP

#include "fluxes_options.hpp"

#include <parhelion/fluxes/ecckd/definition.hpp>
#include <parhelion/fluxes/gas_optics_data.hpp>
#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>
#include <parhelion/fluxes/rrtmg_sw/coefficients.hpp>
#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>
#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>
#include <parhelion/io/provenance.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion::Apps {

/// \brief What the files of one range hold.
/// \tparam Rrtmg fluxes::Coefficients or fluxes::ShortwaveCoefficients
template <class Rrtmg>
struct RangeFiles {
  std::string file;  ///< of the gas optics; empty where there is none
  std::variant<std::monostate, Rrtmg, fluxes::ecckd::Definition, fluxes::rrtmgp::KDistribution> gases;
  // Of RRTMGP, and those of clouds of ecCKD, too, where they were given.
  std::optional<fluxes::rrtmgp::CloudOptics> clouds;
  std::optional<fluxes::rrtmgp::AerosolOptics> aerosol;

  bool there() const { return !file.empty(); }
};

/// A gas that a file does not have, and what the data of a model say of it.
struct DefaultGas {
  fluxes::Gas gas;
  double fraction;         ///< mole fraction
  std::string range = {};  ///< to which it applies: "shortwave"; empty: all that are computed
};

/// \brief The files of the ranges that are computed.
///
/// LongwaveData and ShortwaveData refer to what it holds.
class FluxesModels {
 public:
  FluxesModels() = default;

  /// \brief Reads the files that were given, of either range and in any order, and finds those that were not.
  /// \throws parhelion::Error where a file is not of the model, or not of a range that is computed
  explicit FluxesModels(FluxesArguments const& arguments);

  /// All files that were read.
  std::vector<std::string> files() const;
  std::string const& longwave_file() const { return m_longwave->file; }
  std::string const& shortwave_file() const { return m_shortwave->file; }

  /// Sets what ecCKD and RRTMGP ask of an atmosphere; for other models, options have it already.
  void ask(io::RadiationOptions& options) const;

  /// \brief Completes an atmosphere: sets gases that its file does not have to what the data of the model say of them,
  ///        and the weights of solar spectra.
  ///
  /// Each range takes those of its own data.
  /// \return those gases, with their mole fractions
  std::vector<DefaultGas> complete(io::RadiationInput& input) const;

  /// \brief Counts by quantity what lies beyond the tables of ecCKD, where their ends hold.
  /// \return the same quantities in the same order for any columns; none for other models
  OutOfRangeCounts beyond_tables(io::RadiationInput const& input) const;

  /// The data of a range that is computed.
  /// \param offered gases that the atmosphere has
  /// \throws parhelion::Error where data do not go together
  fluxes::LongwaveData longwave(std::vector<fluxes::Gas> const& offered) const;
  fluxes::ShortwaveData shortwave(std::vector<fluxes::Gas> const& offered) const;

  /// Adds what is said in the attributes of the result of optics beside those of gases.
  void describe(io::Attributes& attributes) const;

 private:
  void read_rrtmg(FluxesArguments const& arguments);
  void read_ecckd(FluxesArguments const& arguments);
  void read_ecckd_clouds(FluxesArguments const& arguments);
  void read_rrtmgp(FluxesArguments const& arguments);
  template <class Files, class Gases>
  void take(FluxesArguments const& arguments, Files& files, Gases gases, std::string const& file,
            std::string const& other);

  // On the heap, because what refers to them outlives a move.
  std::unique_ptr<RangeFiles<fluxes::Coefficients>> m_longwave = std::make_unique<RangeFiles<fluxes::Coefficients>>();
  std::unique_ptr<RangeFiles<fluxes::ShortwaveCoefficients>> m_shortwave =
      std::make_unique<RangeFiles<fluxes::ShortwaveCoefficients>>();
  std::vector<std::string> m_cloud_files, m_aerosol_files;
  std::string m_cloud_averaging;  ///< of ecCKD
  fluxes::rrtmgp::Angles m_angles;
  fluxes::rrtmgp::Scattering m_scattering = fluxes::rrtmgp::Scattering::none;
  int m_ice_roughness = fluxes::rrtmgp::default_ice_roughness;
};

/// \brief The model of a run: the one that was asked for, or that of the coefficient files; `rrtmg` without any.
/// \throws parhelion::Error where a file is of no known kind
GasOpticsModel gas_optics_of(FluxesArguments const& arguments);

}  // namespace parhelion::Apps

#endif
