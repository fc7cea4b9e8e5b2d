// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/gas_optics_data.hpp>

#include "sun_totals.hpp"

#include <parhelion/core/error_kinds.hpp>
#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>
#include <parhelion/fluxes/rrtmg_lw/gas_optics.hpp>
#include <parhelion/fluxes/rrtmg_sw/bands.hpp>
#include <parhelion/fluxes/rrtmg_sw/gas_optics.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>
#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>
#include <parhelion/fluxes/simple/simple_spectral.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace parhelion::fluxes {

namespace {

template <class Bands>
std::vector<BandLimits> limits_of(Bands const& bands) {
  std::vector<BandLimits> limits;
  for (auto const& band : bands) limits.push_back({band.wavenumber_low, band.wavenumber_high});
  return limits;
}

struct Describe {
  rrtmgp::CloudOptics const* ecckd_clouds;

  ModelDescription operator()(SimpleSpectralData) const {
    return {.name = "simple spectral model",
            .sizes = rrtmg_sizes,
            .validity = simple_validity,
            .bands = limits_of(bands()),
            .required = {Gas::h2o, Gas::co2},
            .defaults = {},
            .known = {Gas::h2o, Gas::co2}};
  }
  ModelDescription operator()(Coefficients const* /*coefficients*/) const {
    ModelDescription model{.name = "RRTMG_LW",
                           .sizes = rrtmg_sizes,
                           .validity = rrtmg_validity,
                           .bands = limits_of(bands()),
                           .required = {},
                           .defaults = {},
                           .known = {}};
    for (int gas = 0; gas < ngas; ++gas) model.known.insert(static_cast<Gas>(gas));
    model.required = model.known.without({Gas::co});
    return model;
  }
  ModelDescription operator()(ShortwaveCoefficients const* /*coefficients*/) const {
    GasSet const gases{Gas::h2o, Gas::co2, Gas::o3, Gas::ch4, Gas::o2};
    return {.name = "RRTMG_SW",
            .sizes = rrtmg_sw_sizes,
            .validity = rrtmg_sw_validity,
            .bands = limits_of(shortwave_bands()),
            .required = gases,
            .defaults = {},
            .known = gases};
  }
  ModelDescription operator()(ecckd::Definition const* definition) const {
    return ecckd::describe(*definition, ecckd_clouds);
  }
  ModelDescription operator()(rrtmgp::LongwaveSetup const& setup) const {
    auto model = rrtmgp::describe(*setup.k, setup.gases, setup.particles);
    model.angles = setup.angles.n;
    model.scatters = setup.scattering != rrtmgp::Scattering::none;
    return model;
  }
  ModelDescription operator()(rrtmgp::ShortwaveSetup const& setup) const {
    return rrtmgp::describe(*setup.k, setup.gases, setup.particles);
  }
};

/// At 1 au, where nobody says how bright the sun is [W m-2]: that of the calculations that ecCKD's definitions were
/// made from. Of the irradiances in a definition only the ratios count.
constexpr double irradiance_of_ecckd = 1361;

double total(rrtmgp::SolarWeights const& weights, rrtmgp::KDistribution const& k) {
  double sum = 0;
  for (std::size_t g = 0; g < k.solar_quiet.size(); ++g)
    sum +=
        weights.quiet * k.solar_quiet[g] + weights.facular * k.solar_facular[g] + weights.sunspot * k.solar_sunspot[g];
  return sum;
}

/// Irradiance of a sun at 1 au, and its weights for an irradiance of 1 W m-2.
struct Sun {
  double irradiance;
  std::array<double, nsolar> of_unit;
};

/// The sun of a model that has no options for it but, with RRTMGP, the indices.
struct SunOf {
  std::optional<std::array<double, 2>> indices;

  Sun operator()(ShortwaveCoefficients const* /*coefficients*/) const { return {}; }
  Sun operator()(ecckd::Definition const* /*definition*/) const { return {irradiance_of_ecckd, {1., 0., 0., 0.}}; }
  Sun operator()(rrtmgp::ShortwaveSetup const& setup) const {
    rrtmgp::SolarActivity activity;
    if (indices && !std::isnan((*indices)[0])) activity.mg = (*indices)[0];
    if (indices && !std::isnan((*indices)[1])) activity.sb = (*indices)[1];
    auto const weights = rrtmgp::solar_source(*setup.k, activity);
    double const sum = total(weights, *setup.k);
    if (!(sum > 0) || !std::isfinite(sum))
      throw Error("sun",
                  fmt::format("the spectrum of {} adds up to {} W m-2, expected more than 0", setup.k->file, sum));
    return {sum, {0., weights.quiet / sum, weights.facular / sum, weights.sunspot / sum}};
  }
};

}  // namespace

SolarSource solar_source(ShortwaveData const& data, SolarOptions const& options, std::string const& where) {
  if (std::holds_alternative<ShortwaveCoefficients const*>(data.data())) return solar_source(options, where);
  bool const rrtmgp = std::holds_alternative<rrtmgp::ShortwaveSetup>(data.data());
  bool const of_indices = options.variability == SolarVariability::indices;
  std::string const name = rrtmgp ? "RRTMGP" : "ecCKD";
  if (options.variability != SolarVariability::mean_cycle && !(rrtmgp && of_indices))
    throw ArgumentError(where,
                        fmt::format("sun = {}, expected {}, as {} has no other", static_cast<int>(options.variability),
                                    rrtmgp ? "0 or 2 (indices)" : "0", name));
  if (options.cycle_fraction || options.band_factors || (options.indices && !of_indices))
    throw ArgumentError(where, fmt::format("{} is given, expected none, as the sun of {} has no such option",
                                           options.cycle_fraction ? "cycle_fraction"
                                           : options.band_factors ? "band_factors"
                                                                  : "solar_indices",
                                           name));
  // What options mean without a spectrum: their checks, and the distance.
  auto plain = options;
  plain.variability = SolarVariability::kurucz_unscaled;
  plain.indices.reset();
  double const distance = solar_source(plain, where).weights[0];
  auto const sun = std::visit(SunOf{options.indices}, data.data());
  double const irradiance = options.total_irradiance > 0 ? options.total_irradiance : sun.irradiance;
  SolarSource source;
  source.band_factors.fill(1);
  for (std::size_t i = 0; i < sun.of_unit.size(); ++i) source.weights[i] = irradiance * distance * sun.of_unit[i];
  return source;
}

double solar_irradiance(ShortwaveData const& data) {
  if (std::holds_alternative<ShortwaveCoefficients const*>(data.data())) return mean_cycle_irradiance();
  return std::visit(SunOf{}, data.data()).irradiance;
}

ModelDescription LongwaveData::description() const { return std::visit(Describe{m_ecckd_clouds}, m_data); }
ModelDescription ShortwaveData::description() const { return std::visit(Describe{m_ecckd_clouds}, m_data); }

bool LongwaveData::has_cloud_optics() const {
  if (auto const* const setup = std::get_if<rrtmgp::LongwaveSetup>(&m_data)) return setup->particles.clouds != nullptr;
  return std::holds_alternative<Coefficients const*>(m_data) || m_ecckd_clouds != nullptr;
}

bool ShortwaveData::has_cloud_optics() const {
  if (auto const* const setup = std::get_if<rrtmgp::ShortwaveSetup>(&m_data)) return setup->particles.clouds != nullptr;
  return std::holds_alternative<ShortwaveCoefficients const*>(m_data) || m_ecckd_clouds != nullptr;
}

}  // namespace parhelion::fluxes
