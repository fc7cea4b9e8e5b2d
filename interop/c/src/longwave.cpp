// SPDX-License-Identifier: BSD-3-Clause
#include "common/coefficients.hpp"
#include "common/flux_solvers.hpp"

#include <parhelion/fluxes/device_longwave.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <memory>
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
  std::shared_ptr<Coefficients const> coefficients;

  LongwaveOptions(char const* where, parhelion_longwave_options const& options) : given(options) {
    bool const simple = choice(where, "model", given.model, PARHELION_RRTMG_LW, PARHELION_SIMPLE) == PARHELION_SIMPLE;
    common = read_flux_options(where, given, host);
    if (given.cloud_optical_depth != 0 && given.clouds != PARHELION_CLOUDS_OF_GPOINTS)
      throw ArgumentError(where, "cloud_optical_depth is set, expected that only with PARHELION_CLOUDS_OF_GPOINTS");
    if (simple && given.coefficients != nullptr)
      throw ArgumentError(where, "coefficients is given, expected NULL with PARHELION_SIMPLE, which has none");
    host.transmittance = Impl::is_table(where, given.transmittance) ? Transmittance::table : Transmittance::exact;
    host.extra_layer = given.extra_layer != 0;
    host.outputs = {.clear = given.clear != 0, .derivative = given.derivative != 0, .bands = given.bands != 0};
    if (!simple) coefficients = rrtmg_lw_coefficients(text_of(given.coefficients));
    given.space = given.coefficients = nullptr;  // they are the caller's
  }

  /// Clouds that have the arrays that calls may have.
  HostClouds clouds_like() const {
    HostClouds clouds;
    if (given.clouds == PARHELION_CLOUDS_OF_LAYERS) {
      clouds = make_layer_clouds<Host, double>(1, common.nlay);
      clouds.decorrelation_length = decltype(clouds.decorrelation_length)("parhelion::C::decorrelation_length", 1);
    }
    if (given.clouds == PARHELION_CLOUDS_OF_GPOINTS)
      clouds = make_gpoint_clouds<Host, double>(1, common.nlay, given.cloud_optical_depth != 0);
    return clouds;
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
    return {space,
            options.common.ncol,
            options.common.nlay,
            options.clouds_like(),
            options.given.aerosol != 0,
            options.coefficients.get(),
            options.host};
  }

  template <class Space>
  static DeviceLongwave<Space> device_driver(Space const& space, Options const& options) {
    return {space,
            options.common.ncol,
            options.common.nlay,
            options.clouds_like(),
            options.given.aerosol != 0,
            options.coefficients.get(),
            options.host};
  }

  static void read(char const* where, CallArrays& arrays, Options const& options, Input const& in, Output const& out,
                   Arrays& input, std::vector<ArrayRef>& fluxes) {
    ColumnReader reader(where, arrays, options.common, in.pressure_lay);
    read_columns(where, reader, in, input);
    input.temperature_lev = reader.required_field("temperature_lev", in.temperature_lev);
    input.temperature_sfc = reader.required_of_columns("temperature_sfc", in.temperature_sfc);
    input.emissivity_sfc = reader.required_of_bands("emissivity_sfc", in.emissivity_sfc);
    input.aerosol = reader.field("aerosol", in.aerosol);
    read_clouds(reader, in, options.common, input);
    check_clouds(where, reader, options.common, input);
    read_fluxes(where, arrays, options, out, fluxes);
    auto const& given = options.given;
    refuse_unless_made_for(where, !input.aerosol.empty(), "aerosol", given.aerosol != 0, "aerosol");
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
    writer.optional("surface_share", parhelion_array{});  // which the C interface does not have
    auto const& given = options.given;
    bool const clear = out.flux_up_clear.data != nullptr;
    bool const derivative = out.dflux_up_dt.data != nullptr;
    bool const bands = out.flux_up_band.data != nullptr;
    refuse_unless_made_for(where, clear, "flux_up_clear", given.clear != 0, "clear");
    refuse_unless_made_for(where, derivative, "dflux_up_dt", given.derivative != 0, "derivative");
    refuse_unless_made_for(where, bands, "flux_up_band", given.bands != 0, "bands");
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

int parhelion_longwave_destroy(parhelion_longwave* longwave) {
  return guarded([&] { C::destroy<LongwaveObject>("parhelion_longwave_destroy", longwave); });
}
