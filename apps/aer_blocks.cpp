// SPDX-License-Identifier: BSD-3-Clause
#include "aer_netcdf.hpp"

#include "rrtmg_lw/band_descriptions.hpp"
#include "rrtmg_lw/reference_tables.hpp"

#include <algorithm>

namespace parhelion::Apps {

namespace {

using namespace fluxes::rrtmg_lw;
using fluxes::Gas;
using Kind = RecordArray::Kind;

// Sizes of the tables: temperatures around the reference one, of minor gases and of the two continua of water vapour,
// and pressures of the upper half, whose first is the last of the lower half.
constexpr std::size_t ntemperature_key = 5, ntemperature_minor = 19, ntemperature_self = 10, ntemperature_foreign = 4;
constexpr std::size_t npressure_upper = npressure_ref - npressure_lower + 1;

// The index of an absorber in the dimension of minor gases.
std::size_t absorber(Gas gas) {
  using enum Gas;
  constexpr std::array order{n2, ccl4, cfc11, cfc12, cfc22, h2o, co2, o3, n2o, co, ch4, o2};
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), gas) - order.begin());
}

Gas gas_of(MinorGas const& minor) {
  bool const nitrogen = minor.amount == MinorAmount::nitrogen || minor.amount == MinorAmount::broadening_over_density;
  return nitrogen ? Gas::n2 : minor.gas;
}

AerBlock block_of(std::size_t number, BandDescription const& band, RecordArray const& array) {
  // The first dimension is that of sets of g-points: the first one has 16.
  constexpr std::size_t set = 0, ng = ng_original;
  bool const lower = array.half == Half::lower;
  std::string const half = lower ? "LowerAtmos" : "UpperAtmos";
  auto const ratios = static_cast<std::size_t>(species_ratios(band, array.half));
  auto const& of_half = band.half(array.half);
  auto const index = static_cast<std::size_t>(array.index);
  switch (array.kind) {
    case Kind::planck_fraction:
      return {"PlanckFraction" + half, {set, number, 0, 0}, {1, 1, ratios, ng}};
    case Kind::key:
      return {"KeySpeciesAbsorptionCoefficients" + half,
              {set, number, 0, 0, 0, 0},
              {1, 1, ng, lower ? std::size_t(npressure_lower) : npressure_upper, ntemperature_key, ratios}};
    case Kind::minor:
      return {"AbsorptionCoefficients" + half,
              {set, number, absorber(gas_of(of_half.minors.at(index))), 0, 0, 0},
              {1, 1, 1, ng, ntemperature_minor, ratios}};
    case Kind::halocarbon:
      return {"AbsorptionCoefficientsLowerAtmos",
              {set, number, absorber(band.lower.halocarbons.at(index)), 0, 0, 0},
              {1, 1, 1, ng, 1, 1}};
    case Kind::self_continuum:
      return {"H20SelfAbsorptionCoefficients", {set, number, 0, 0}, {1, 1, ng, ntemperature_self}};
    case Kind::foreign_continuum:
      return {"H20ForeignAbsorptionCoefficients", {set, number, 0, 0}, {1, 1, ng, ntemperature_foreign}};
  }
  return {};
}

}  // namespace

std::array<std::vector<AerBlock>, 16> aer_blocks() {
  std::array<std::vector<AerBlock>, 16> blocks;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    auto const& band = band_descriptions()[b];
    for (auto const& array : band.record) blocks[b].push_back(block_of(b, band, array));
  }
  return blocks;
}

}  // namespace parhelion::Apps
