// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "fluxes_ranges.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <fmt/format.h>

#include <utility>

namespace parhelion::Apps {

namespace {

// Refuses files with content that the simple model does not support.
void refuse_for_simple(io::RadiationInput const& input) {
  std::string const unsupported = input.clouds.any()                       ? "clouds"
                                  : input.columns.aerosol.size() > 0       ? "aerosol (tauaer)"
                                  : input.derivative                       ? "idrv = 1, derivatives"
                                  : input.columns.incident_flux.size() > 0 ? "an incident flux"
                                                                           : "";
  if (!unsupported.empty()) throw Error(input.path, "has " + unsupported + ", expected none with --gas-optics simple");
}

class LongwaveRange : public SpectralRange {
 public:
  LongwaveRange(FluxesInput& input, fluxes::LongwaveData const& data, std::string file)
      : m_input(input), m_file(std::move(file)), m_data(data), m_model(data.description()) {}

  std::string name() const override { return "longwave"; }
  std::string model() const override { return m_model.name; }

  HostPlan plan() override {
    auto const& columns = atmosphere().columns;
    if (m_input.arguments.simple()) refuse_for_simple(atmosphere());
    return fluxes::plan_longwave(columns.ncol(), columns.nlay(), atmosphere().clouds, columns.aerosol.size() > 0,
                                 m_data, options());
  }

  std::size_t values_of_level() const override {
    auto const wanted = outputs();
    return 3 + (wanted.clear ? 3 : 0) + (wanted.derivative ? 2 : 0) + (wanted.share ? 1 : 0) +
           (wanted.bands ? 2 * static_cast<std::size_t>(m_model.sizes.nband) : 0);
  }

  void compute() override {
    if (!m_input.busy()) return;
    counting_from("column", atmosphere().sites.first, [&] {
      m_fluxes = fluxes::compute_longwave(atmosphere().columns, atmosphere().clouds, m_data, options(), &m_report);
    });
  }

  std::vector<PrintedFlux> printed() const override {
    return {{"outgoing", at_level(m_fluxes.flux_up, atmosphere().columns.nlay())},
            {"surface down", at_level(m_fluxes.flux_dn, 0)}};
  }

  void gather(bool results) override {
    if (results) gather_fluxes(atmosphere(), m_fluxes);
    gather_report(m_report);
  }

  void add_to(io::RadiationResult& result) override {
    // Files have both derivatives, even if there are no clouds.
    if (!atmosphere().has_clouds) m_fluxes.dflux_up_clear_dt = m_fluxes.dflux_up_dt;
    result.longwave = m_fluxes;
    if (!m_input.arguments.rrtmg()) result.longwave_bands = m_model.bands;
  }

  HostReport const& report() const override { return m_report; }
  int clipped() const override { return m_report.clipped.all(); }
  std::string describe_clipped() const override {
    auto const& clipped = m_report.clipped;
    return fmt::format("{} fractions, {} water paths, {} sizes, {} optical depths", clipped.fractions,
                       clipped.water_paths, clipped.sizes, clipped.optical_depths);
  }

  void describe(io::Attributes& attributes) const override {
    if (!m_file.empty()) attributes.emplace_back("coefficients", m_file);
    if (clipped() > 0) attributes.emplace_back("clipped_in_clouds", describe_clipped());
    auto const& arguments = m_input.arguments;
    if (arguments.model == GasOpticsModel::rrtmgp) {
      auto const scattering = arguments.scattering.value_or(LongwaveScattering::none);
      attributes.emplace_back("scattering", word_of(scatterings(), scattering));
      if (scattering != LongwaveScattering::two_stream)
        attributes.emplace_back("angles", word_of(angle_choices(), arguments.angles.value_or(1)));
    }
    if (arguments.extra_layer) attributes.emplace_back("extra_layer", "one layer up to 0.01 Pa, not in the output");
  }

 private:
  io::RadiationInput const& atmosphere() const { return m_input.atmosphere; }

  fluxes::FluxOutputs outputs() const {
    auto const& arguments = m_input.arguments;
    bool const derivative = arguments.derivative || atmosphere().derivative;
    // Files with cloud variables always get clear-sky results, even if they equal those of all sky.
    return {.clear = atmosphere().has_clouds,
            .derivative = derivative,
            .bands = arguments.bands,
            .share = derivative && arguments.model == GasOpticsModel::ecckd};
  }

  fluxes::HostLongwaveOptions options() const {
    auto const& arguments = m_input.arguments;
    return {.space = m_input.space,
            .precision = arguments.common.precision,
            .transmittance = arguments.transmittance,
            .chunk = arguments.common.chunk,
            .devices = arguments.common.devices_of_rank(),
            .extra_layer = arguments.extra_layer,
            .incident_flux = atmosphere().columns.incident_flux.size() > 0,
            .outputs = outputs(),
            .out_of_range = arguments.common.out_of_range,
            .progress = progress_of_range(m_input, name())};
  }

  FluxesInput& m_input;
  std::string m_file;
  fluxes::LongwaveData m_data;
  fluxes::ModelDescription m_model;
  fluxes::HostFluxes m_fluxes;
  fluxes::HostLongwaveReport m_report;
};

}  // namespace

std::unique_ptr<SpectralRange> make_longwave(FluxesInput& input, fluxes::LongwaveData const& data,
                                             std::string const& file) {
  return std::make_unique<LongwaveRange>(input, data, file);
}

}  // namespace parhelion::Apps
