// SPDX-License-Identifier: BSD-3-Clause
// What each g-point meets in the layers of a column, and fluxes from that in quadruple precision.
#ifndef PARHELION_TESTS_SHORTWAVE_LAYERS_HPP
#define PARHELION_TESTS_SHORTWAVE_LAYERS_HPP

#include "clouds/shortwave_lane_clouds.hpp"
#include "quad_two_stream.h"
#include "shortwave_cases.hpp"

#include <parhelion/fluxes/rrtmg_sw/bands.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace parhelion::Testing {

/// Optical depths of all layers as the solver's parts make them on the host in double. Clouds are those of g-points.
class ShortwaveLayers {
 public:
  using Optics = fluxes::Impl::LayerOptics<double>;
  using Cloud = fluxes::Impl::LaneCloud<double>;

  ShortwaveLayers(HostShortwaveInput input, fluxes::ShortwaveCoefficients const& coefficients)
      : m_input(std::move(input)) {
    ShortwaveHost const space;
    int const ncol = columns().ncol();
    fluxes::ShortwaveGasOptics<ShortwaveHost, double> const model(space, coefficients);
    using Field3 = Array<double***, ShortwaveHost>;
    absorption = Field3("absorption", ncol, columns().nlay(), fluxes::ngpt_sw);
    rayleigh = Field3("rayleigh", ncol, columns().nlay(), fluxes::ngpt_sw);
    solar_source = Array<double**, ShortwaveHost>("solar_source", ncol, fluxes::ngpt_sw);
    fluxes::compute_shortwave_gas_optics(space, model, columns(), absorption, rayleigh, solar_source);
    space.fence();
    m_clouds = {.clouds = m_input.clouds,
                .optics = fluxes::rrtmg_sw::make_cloud_scattering<ShortwaveHost, double>(space),
                .of_layers = false,
                .has_lengths = false};
    m_aerosol_types = fluxes::rrtmg_sw::make_aerosol_scattering<ShortwaveHost, double>(space);
    for (int b = 0; b < fluxes::nbnd_sw; ++b)
      m_band.insert(m_band.end(), static_cast<std::size_t>(fluxes::shortwave_bands()[std::size_t(b)].ng), b);
  }

  fluxes::ShortwaveColumns<ShortwaveHost, double> const& columns() const { return m_input.columns; }
  int band_of(int gpoint) const { return m_band[static_cast<std::size_t>(gpoint)]; }
  double mu0(int column) const { return std::max(columns().cos_zenith(column), 1e-10); }

  /// Flux that enters at the top.
  double incident(int column, int gpoint) const { return solar_source(column, gpoint) * mu0(column); }

  bool has_aerosol() const { return columns().aerosol_optical_depth.size() + columns().aerosol_550nm.size() > 0; }

  /// Before scaling.
  Optics aerosol(int column, int layer, int band) const {
    auto const& c = columns();
    int const input = c.aerosol_input.size() > 0   ? c.aerosol_input(column)
                      : c.aerosol_550nm.size() > 0 ? static_cast<int>(fluxes::AerosolInput::types)
                                                   : static_cast<int>(fluxes::AerosolInput::optical);
    if (input == static_cast<int>(fluxes::AerosolInput::types)) {
      auto const of = m_aerosol_types.of_types(Kokkos::subview(c.aerosol_550nm, column, layer, Kokkos::ALL), band);
      return {of.absorption, of.scattering, of.asymmetric_scattering};
    }
    if (input != static_cast<int>(fluxes::AerosolInput::optical)) return {0, 0, 0};
    double const depth = c.aerosol_optical_depth(column, layer, band);
    double const albedo = c.aerosol_single_scattering_albedo(column, layer, band);
    return {depth * (1 - albedo), depth * albedo, depth * albedo * c.aerosol_asymmetry(column, layer, band)};
  }

  bool has_clouds() const { return m_input.clouds.any(); }

  /// After scaling.
  Cloud cloud(int column, int layer, int gpoint) const {
    return m_clouds.lane(m_clouds.band(column, layer, band_of(gpoint)), column, layer, gpoint, false);
  }

  double albedo(fluxes::ShortwaveColumns<ShortwaveHost, double>::View<double**> const& of, int column,
                int gpoint) const {
    int const band = band_of(gpoint);
    return of(column, of.extent(1) == 1 ? 0 : of.extent(1) == 2 ? (fluxes::is_uvvis(band) ? 0 : 1) : band);
  }

  /// The fluxes of all columns in quadruple precision; heating rates are not computed.
  fluxes::HostShortwaveFluxes in_quad(fluxes::ShortwaveTuning const& tuning, bool with_clouds) const {
    int const ncol = columns().ncol();
    int const nlay = columns().nlay();
    auto const result = fluxes::make_shortwave_fluxes<ShortwaveHost, double>(ncol, nlay);
    Kokkos::parallel_for("in_quad", Kokkos::RangePolicy<ShortwaveHost>(0, ncol), [&](int c) {
      auto const n = static_cast<std::size_t>(nlay);
      std::vector<double> gas(n), scattering(n), cloud_depth(n), fraction(n), up(n + 1), down(n + 1), direct(n + 1);
      std::vector<quad_optics> of_aerosol(n), of_cloud(n);
      std::vector<long double> sum(3 * (n + 1), 0);
      for (int g = 0; g < fluxes::ngpt_sw; ++g) {
        for (int k = 0; k < nlay; ++k) {
          auto const at = static_cast<std::size_t>(k);
          gas[at] = absorption(c, k, g);
          scattering[at] = rayleigh(c, k, g);
          Optics const particles = has_aerosol() ? aerosol(c, k, band_of(g)) : Optics{0, 0, 0};
          of_aerosol[at] = {particles.absorption, particles.scattering, particles.asymmetric};
          if (!with_clouds || !has_clouds()) continue;
          Cloud const here = cloud(c, k, g);
          of_cloud[at] = {here.optics.absorption, here.optics.scattering, here.optics.asymmetric};
          cloud_depth[at] = here.depth;
          fraction[at] = here.fraction;
        }
        quad_column const column{.nlay = nlay,
                                 .two_stream = static_cast<int>(tuning.two_stream),
                                 .unscaled_beam = tuning.direct == fluxes::DirectBeam::unscaled ? 1 : 0,
                                 .mu0 = mu0(c),
                                 .albedo_direct = albedo(columns().albedo_direct, c, g),
                                 .albedo_diffuse = albedo(columns().albedo_diffuse, c, g),
                                 .absorption = gas.data(),
                                 .rayleigh = scattering.data(),
                                 .aerosol = has_aerosol() ? of_aerosol.data() : nullptr,
                                 .cloud = with_clouds && has_clouds() ? of_cloud.data() : nullptr,
                                 .cloud_depth = cloud_depth.data(),
                                 .fraction = fraction.data()};
        quad_fluxes(&column, up.data(), down.data(), direct.data());
        // In exact mode nothing shines at night.
        long double const enters = columns().cos_zenith(c) > 0 ? incident(c, g) : 0;
        for (std::size_t k = 0; k <= n; ++k) {
          sum[3 * k] += enters * up[k];
          sum[3 * k + 1] += enters * down[k];
          sum[3 * k + 2] += enters * direct[k];
        }
      }
      for (std::size_t k = 0; k <= n; ++k) {
        result.flux_up(c, k) = static_cast<double>(sum[3 * k]);
        result.flux_dn(c, k) = static_cast<double>(sum[3 * k + 1]);
        result.flux_dn_direct(c, k) = static_cast<double>(sum[3 * k + 2]);
      }
    });
    ShortwaveHost().fence();
    return result;
  }

  Array<double***, ShortwaveHost> absorption;   ///< by gases
  Array<double***, ShortwaveHost> rayleigh;     ///< scattering by gases
  Array<double**, ShortwaveHost> solar_source;  ///< with the weights of the spectra and the factors of bands

 private:
  HostShortwaveInput m_input;
  fluxes::Impl::ShortwaveLaneClouds<ShortwaveHost, double> m_clouds;
  fluxes::Impl::AerosolScattering<ShortwaveHost, double> m_aerosol_types;
  std::vector<int> m_band;
};

}  // namespace parhelion::Testing

#endif
