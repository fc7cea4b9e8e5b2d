// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "fluxes_ranges.hpp"

#include <parhelion/fluxes/host_shortwave.hpp>

#include <fmt/format.h>

#include <utility>

namespace parhelion::Apps {

namespace {

class ShortwaveRange : public SpectralRange {
 public:
  ShortwaveRange(FluxesInput& input, fluxes::ShortwaveData const& data, std::string file)
      : m_input(input), m_data(data), m_model(data.description()), m_file(std::move(file)) {}

  std::string name() const override { return "shortwave"; }
  std::string model() const override { return m_model.name; }

  HostPlan plan() override {
    auto const& columns = atmosphere().shortwave_columns;
    return fluxes::plan_shortwave(columns.ncol(), columns.nlay(), atmosphere().shortwave_clouds,
                                  fluxes::AerosolArrays(columns), m_data, options());
  }

  std::size_t values_of_level() const override {
    auto const wanted = outputs();
    std::size_t const of_one_sky = 4 + (wanted.parts ? 4 : 0);
    return of_one_sky * (wanted.clear ? 2 : 1) + (wanted.bands ? 3 * static_cast<std::size_t>(m_model.sizes.nband) : 0);
  }

  void compute() override {
    if (!m_input.busy()) return;
    counting_from("column", atmosphere().sites.first, [&] {
      m_fluxes = fluxes::compute_shortwave(atmosphere().shortwave_columns, atmosphere().shortwave_clouds, m_data,
                                           options(), &m_report);
    });
  }

  std::vector<PrintedFlux> printed() const override {
    int const top = atmosphere().columns.nlay();
    return {{"incoming", at_level(m_fluxes.flux_dn, top)},
            {"outgoing", at_level(m_fluxes.flux_up, top)},
            {"surface down", at_level(m_fluxes.flux_dn, 0)}};
  }

  void gather(bool results) override {
    if (results) gather_fluxes(atmosphere(), m_fluxes);
    gather_report(m_report);
  }

  void add_to(io::RadiationResult& result) override {
    result.shortwave = m_fluxes;
    if (!m_input.arguments.rrtmg()) result.shortwave_bands = m_model.bands;
  }

  HostReport const& report() const override { return m_report; }
  int clipped() const override { return m_report.clipped.all(); }
  std::string describe_clipped() const override {
    auto const& clipped = m_report.clipped;
    return fmt::format("{} fractions, {} water paths, {} sizes, {} optical depths, {} optical properties",
                       clipped.fractions, clipped.water_paths, clipped.sizes, clipped.optical_depths,
                       clipped.optical_properties);
  }

  void describe(io::Attributes& attributes) const override {
    auto const& arguments = m_input.arguments;
    attributes.emplace_back("sw_coefficients", m_file);
    if (clipped() > 0) attributes.emplace_back("sw_clipped_in_clouds", describe_clipped());
    if (!arguments.rrtmg()) return;
    if (arguments.sun) attributes.emplace_back("sun", word_of(suns(), *arguments.sun));
    attributes.emplace_back("direct_beam", word_of(direct_beams(), tuning().direct));
    attributes.emplace_back("band28_level", static_cast<int>(band28()));
    if (arguments.bands || arguments.band_order)
      attributes.emplace_back("sw_band_order", word_of(band_orders(), m_input.atmosphere.band_order));
  }

 private:
  io::RadiationInput const& atmosphere() const { return m_input.atmosphere; }
  fluxes::Band28Level band28() const { return m_input.arguments.band28_level.value_or(fluxes::Band28Level::from_42); }
  fluxes::ShortwaveTuning tuning() const {
    return {.transmittance = m_input.arguments.transmittance,
            .direct = m_input.arguments.direct.value_or(fluxes::DirectBeam::scaled)};
  }

  // Files with cloud variables always get clear-sky results, even if they equal those of all sky. RFMIP's layout has no
  // parts of the spectrum.
  fluxes::ShortwaveOutputs outputs() const {
    return {.clear = atmosphere().shortwave_has_clouds,
            .parts = atmosphere().layout != io::RadiationLayout::rfmip,
            .bands = m_input.arguments.bands};
  }

  fluxes::HostShortwaveOptions options() const {
    auto const& common = m_input.arguments.common;
    return {.space = m_input.space,
            .precision = common.precision,
            .chunk = common.chunk,
            .devices = common.devices_of_rank(),
            .outputs = outputs(),
            .out_of_range = common.out_of_range,
            .tuning = tuning(),
            .band28 = band28(),
            .progress = progress_of_range(m_input, name())};
  }

  FluxesInput& m_input;
  fluxes::ShortwaveData m_data;
  fluxes::ModelDescription m_model;
  std::string m_file;
  fluxes::HostShortwaveFluxes m_fluxes;
  fluxes::HostShortwaveReport m_report;
};

}  // namespace

std::unique_ptr<SpectralRange> make_shortwave(FluxesInput& input, fluxes::ShortwaveData const& data,
                                              std::string const& file) {
  return std::make_unique<ShortwaveRange>(input, data, file);
}

}  // namespace parhelion::Apps
