// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/gas_optics_data.hpp>

#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>
#include <parhelion/fluxes/rrtmg_lw/gas_optics.hpp>
#include <parhelion/fluxes/rrtmg_sw/bands.hpp>
#include <parhelion/fluxes/rrtmg_sw/gas_optics.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>
#include <parhelion/fluxes/simple/simple_spectral.hpp>

namespace parhelion::fluxes {

namespace {

template <class Bands>
std::vector<BandLimits> limits_of(Bands const& bands) {
  std::vector<BandLimits> limits;
  for (auto const& band : bands) limits.push_back({band.wavenumber_low, band.wavenumber_high});
  return limits;
}

struct Describe {
  ModelDescription operator()(std::monostate) const {
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
  ModelDescription operator()(ecckd::Definition const* definition) const { return ecckd::describe(*definition); }
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

}  // namespace

ModelDescription LongwaveData::description() const { return std::visit(Describe(), m_data); }
ModelDescription ShortwaveData::description() const { return std::visit(Describe(), m_data); }

}  // namespace parhelion::fluxes
