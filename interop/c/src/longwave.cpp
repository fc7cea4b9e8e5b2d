// SPDX-License-Identifier: BSD-3-Clause
#include "common/coefficients.hpp"
#include "common/flux_solvers.hpp"

#include <parhelion/fluxes/device_longwave.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace parhelion::C {

namespace {

using namespace parhelion::fluxes;
using Host = Kokkos::DefaultHostExecutionSpace;

/// What calls of a Longwave have in common.
struct LongwaveOptions {
  parhelion_longwave_options given;
  HostLongwaveOptions host;
  FluxOptions common;
  std::shared_ptr<Coefficients const> coefficients;  ///< of RRTMG
  rrtmgp::Angles angles;
  rrtmgp::Scattering scattering;

  LongwaveOptions(char const* where, parhelion_longwave_options const& options) : given(options) {
    common = read_flux_options(where, true, given, host);
    auto const model = common.optics.model;
    bool const rrtmgp = model == io::GasOpticsModel::rrtmgp;
    if (given.cloud_optical_depth != 0 && given.clouds != PARHELION_CLOUDS_OF_GPOINTS)
      throw ArgumentError(where, "cloud_optical_depth is set, expected that only with PARHELION_CLOUDS_OF_GPOINTS");
    if (model == io::GasOpticsModel::simple && given.coefficients != nullptr)
      throw ArgumentError(where, "coefficients is given, expected NULL with the simple spectral model, which has none");
    angles = angles_of(where, given.angles);
    scattering = static_cast<rrtmgp::Scattering>(
        choice(where, "scattering", given.scattering, PARHELION_SCATTERING_NONE, PARHELION_SCATTERING_TWO_STREAM));
    for (auto const& [name, value] : {std::pair{"angles", given.angles}, {"scattering", given.scattering}})
      if (value != 0 && !rrtmgp)
        throw ArgumentError(where, fmt::format("{} = {}, expected 0 except with RRTMGP", name, value));
    if (given.angles != 0 && scattering == rrtmgp::Scattering::two_stream)
      throw ArgumentError(where, fmt::format("angles = {}, expected 0 with PARHELION_SCATTERING_TWO_STREAM, which has "
                                             "one angle",
                                             given.angles));
    host.transmittance = Impl::is_table(where, given.transmittance) ? Transmittance::table : Transmittance::exact;
    host.extra_layer = given.extra_layer != 0;
    host.incident_flux = given.incident_flux != 0;
    bool const derivative = given.derivative != 0;
    host.outputs = {.clear = given.clear != 0,
                    .derivative = derivative,
                    .bands = given.bands != 0,
                    .share = derivative && model == io::GasOpticsModel::ecckd};
    if (model == io::GasOpticsModel::rrtmg) coefficients = rrtmg_lw_coefficients(text_of(given.coefficients));
    Impl::set_model(where, data(), common);
    forget_texts(given);
  }

  /// Refers to the coefficients, or to the data of `common`.
  LongwaveData data() const {
    auto const& optics = common.optics;
    if (optics.ecckd) return {*optics.ecckd, optics.clouds.get()};
    if (optics.rrtmgp)
      return rrtmgp::LongwaveSetup{.k = optics.rrtmgp.get(),
                                   .gases = optics.offered,
                                   .angles = angles,
                                   .particles = optics.particles(),
                                   .scattering = scattering};
    if (coefficients) return *coefficients;
    return SimpleSpectralData();
  }

  static rrtmgp::Angles angles_of(char const* where, std::int32_t angles) {
    int const n = choice(where, "angles", angles, PARHELION_ANGLES_OPTIMAL, rrtmgp::Angles::most);
    return {.n = std::max(n, 1), .optimal = n == PARHELION_ANGLES_OPTIMAL};
  }

  HostClouds clouds_like() const {
    return clouds_of_calls<HostClouds>(
        common, [&] { return make_layer_clouds<Host, double>(1, common.nlay); },
        [&] { return make_gpoint_clouds<Host, double>(1, common.nlay, given.cloud_optical_depth != 0); });
  }
};

/// What is particular to the longwave, see FluxSolver.
struct LongwaveKind {
  using Options = LongwaveOptions;
  using GivenOptions = parhelion_longwave_options;
  using Input = parhelion_longwave_input;
  using Output = parhelion_longwave_output;
  using Arrays = LongwaveArrays;
  using Report = HostLongwaveReport;
  using HostSolver = HostLongwave<double>;

  static constexpr char const* name = "longwave";

  template <class Space>
  static HostSolver host_solver(Space const& space, Options const& options) {
    return {space,          options.common.ncol, options.common.nlay, options.clouds_like(), options.given.aerosol != 0,
            options.data(), options.host};
  }

  template <class Space>
  static DeviceLongwave<Space> device_driver(Space const& space, Options const& options) {
    return {space,          options.common.ncol, options.common.nlay, options.clouds_like(), options.given.aerosol != 0,
            options.data(), options.host};
  }

  static void read(char const* where, CallArrays& arrays, Options const& options, Input const& in, Output const& out,
                   Arrays& input, std::vector<ArrayRef>& fluxes) {
    ColumnReader reader(where, arrays, options.common, in.pressure_lay, in.pressure_lev);
    read_columns(where, reader, in, input);
    if (!options.common.interpolates_levels)
      input.temperature_lev = reader.required_field("temperature_lev", in.temperature_lev);
    input.temperature_sfc = reader.required_of_columns("temperature_sfc", in.temperature_sfc);
    input.emissivity_sfc = reader.required_of_bands("emissivity_sfc", in.emissivity_sfc);
    input.aerosol = reader.field("aerosol", in.aerosol);
    input.incident_flux = reader.of_columns("incident_flux", in.incident_flux);
    read_clouds(reader, in, options.common, input);
    check_clouds(where, reader, options.common, input);
    read_fluxes(where, arrays, options, out, fluxes);
    auto const& given = options.given;
    refuse_unless_made_for(where, !input.aerosol.empty(), "aerosol", given.aerosol != 0, "aerosol");
    refuse_unless_made_for(where, !input.incident_flux.empty(), "incident_flux", given.incident_flux != 0,
                           "incident_flux");
    refuse_unless_made_for(where, !input.optical_depth_gpt.empty(), "optical_depth_gpt", given.cloud_optical_depth != 0,
                           "cloud_optical_depth");
  }

  static void read_fluxes(char const* where, CallArrays& arrays, Options const& options, Output const& out,
                          std::vector<ArrayRef>& fluxes) {
    // In the order of the descriptions of Fluxes.
    FluxWriter writer(arrays, options.common, fluxes);
    writer.required("flux_up", out.flux_up);
    writer.required("flux_dn", out.flux_dn);
    writer.required("heating_rate", out.heating_rate);
    writer.optional("flux_up_clear", out.flux_up_clear);
    writer.optional("flux_dn_clear", out.flux_dn_clear);
    writer.optional("heating_rate_clear", out.heating_rate_clear);
    writer.optional("dflux_up_dt", out.dflux_up_dt);
    writer.optional("dflux_up_clear_dt", out.dflux_up_clear_dt);
    writer.optional("flux_up_band", out.flux_up_band);
    writer.optional("flux_dn_band", out.flux_dn_band);
    writer.optional("surface_share", out.surface_share);
    auto const& given = options.given;
    bool const clear = out.flux_up_clear.data != nullptr;
    bool const derivative = out.dflux_up_dt.data != nullptr;
    bool const bands = out.flux_up_band.data != nullptr;
    refuse_unless_made_for(where, clear, "flux_up_clear", given.clear != 0, "clear");
    refuse_unless_made_for(where, derivative, "dflux_up_dt", given.derivative != 0, "derivative");
    refuse_unless_made_for(where, bands, "flux_up_band", given.bands != 0, "bands");
    if (out.surface_share.data != nullptr && !options.host.outputs.share)
      throw ArgumentError(where,
                          "surface_share is given, expected none, because the object was not made with ecCKD and "
                          "derivative");
    if (clear != (out.flux_dn_clear.data != nullptr) || clear != (out.heating_rate_clear.data != nullptr))
      throw ArgumentError(where, "expected all of flux_up_clear, flux_dn_clear and heating_rate_clear, or none");
    if ((out.dflux_up_clear_dt.data != nullptr) != (clear && derivative))
      throw ArgumentError(where,
                          "expected dflux_up_clear_dt where there are both flux_up_clear and dflux_up_dt, and "
                          "only there");
    if (bands != (out.flux_dn_band.data != nullptr))
      throw ArgumentError(where, "expected both of flux_up_band and flux_dn_band, or none");
  }
};

using LongwaveObject = FluxSolver<LongwaveKind>;

}  // namespace

}  // namespace parhelion::C

using namespace parhelion;
using C::guarded;
using C::LongwaveObject;

int parhelion_longwave_create(parhelion_longwave_options const* options, parhelion_longwave** longwave) {
  return guarded([&] { C::create_flux_solver<LongwaveObject>("parhelion_longwave_create", options, longwave); });
}

int parhelion_longwave_bytes(parhelion_longwave const* longwave, size_t* host, size_t* device) {
  return guarded([&] {
    C::InUse<LongwaveObject> const object("parhelion_longwave_bytes", longwave);
    object->bytes().tell(host, device);
  });
}

int parhelion_longwave_solve(parhelion_longwave* longwave, parhelion_longwave_input const* input,
                             parhelion_longwave_output const* output, void* stream) {
  return guarded(
      [&] { C::call_flux_solver<LongwaveObject>("parhelion_longwave_solve", longwave, input, output, stream); });
}

int parhelion_longwave_status(parhelion_longwave* longwave) {
  constexpr char const* where = "parhelion_longwave_status";
  return guarded([&] { C::InUse<LongwaveObject>(where, longwave)->status(where); });
}

int parhelion_longwave_counts(parhelion_longwave const* longwave, char* text, size_t size, int64_t* count) {
  return guarded([&] { C::tell_counts<LongwaveObject>("parhelion_longwave_counts", longwave, text, size, count); });
}

int parhelion_longwave_model(parhelion_longwave const* longwave, parhelion_model* model) {
  constexpr char const* where = "parhelion_longwave_model";
  return guarded([&] { C::tell_model(where, C::InUse<LongwaveObject>(where, longwave)->options().common, model); });
}

int parhelion_longwave_bands(parhelion_longwave const* longwave, double* wavenumber_low, double* wavenumber_high) {
  constexpr char const* where = "parhelion_longwave_bands";
  return guarded([&] {
    C::tell_bands(where, C::InUse<LongwaveObject>(where, longwave)->options().common, wavenumber_low, wavenumber_high);
  });
}

int parhelion_longwave_interval_weights(parhelion_longwave const* longwave, double const* between, int64_t nbetween,
                                        double* weights) {
  constexpr char const* where = "parhelion_longwave_interval_weights";
  return guarded([&] {
    C::tell_interval_weights(where, C::InUse<LongwaveObject>(where, longwave)->options().common, between, nbetween,
                             weights);
  });
}

int parhelion_longwave_gas(parhelion_longwave const* longwave, int32_t gas, int32_t* role, double* default_mole_ratio) {
  constexpr char const* where = "parhelion_longwave_gas";
  return guarded([&] {
    C::tell_gas(where, C::InUse<LongwaveObject>(where, longwave)->options().common, gas, role, default_mole_ratio);
  });
}

int parhelion_longwave_missing(parhelion_longwave const* longwave, parhelion_longwave_input const* input, char* text,
                               size_t size, int64_t* count) {
  constexpr char const* where = "parhelion_longwave_missing";
  return guarded([&] {
    auto const given = C::gases_given(C::read_struct(where, "input", input));
    C::tell_missing(C::InUse<LongwaveObject>(where, longwave)->options().common, given, text, size, count);
  });
}

int parhelion_longwave_destroy(parhelion_longwave* longwave) {
  return guarded([&] { C::destroy<LongwaveObject>("parhelion_longwave_destroy", longwave); });
}
