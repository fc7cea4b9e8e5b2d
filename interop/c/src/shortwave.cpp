// SPDX-License-Identifier: BSD-3-Clause
#include "common/coefficients.hpp"
#include "common/flux_solvers.hpp"

#include <parhelion/fluxes/device_shortwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::C {

namespace {

using namespace parhelion::fluxes;
using Host = Kokkos::DefaultHostExecutionSpace;

static_assert(PARHELION_SW_NBAND == nbnd_sw && PARHELION_SW_NGPOINT == ngpt_sw && PARHELION_SW_NAEROSOL == naerosol &&
              PARHELION_SW_NSPECTRUM == nsolar);

Band28Level band28_of(char const* where, int32_t level) {
  if (level != 0 && level != static_cast<int>(Band28Level::from_42) && level != static_cast<int>(Band28Level::from_58))
    throw ArgumentError(where, fmt::format("band28_level = {}, expected 42 or 58, or 0 for 42", level));
  return level == static_cast<int>(Band28Level::from_58) ? Band28Level::from_58 : Band28Level::from_42;
}

/// What calls of a Shortwave have in common.
struct ShortwaveOptions {
  parhelion_shortwave_options given;
  HostShortwaveOptions host;
  FluxOptions common;
  std::shared_ptr<ShortwaveCoefficients const> coefficients;  ///< of RRTMG

  ShortwaveOptions(char const* where, parhelion_shortwave_options const& options) : given(options) {
    common = read_flux_options(where, false, given, host);
    auto const model = common.optics.model;
    if (model == io::GasOpticsModel::simple)
      throw ArgumentError(where, "model = 1, expected another one, as the simple spectral model has no shortwave");
    if (given.cloud_optical_properties != 0 && given.clouds != PARHELION_CLOUDS_OF_GPOINTS)
      throw ArgumentError(where,
                          "cloud_optical_properties is set, expected that only with PARHELION_CLOUDS_OF_GPOINTS");
    host.tuning.transmittance =
        Impl::is_table(where, given.transmittance) ? Transmittance::table : Transmittance::exact;
    host.tuning.two_stream = static_cast<TwoStream>(
        choice(where, "two_stream", given.two_stream, PARHELION_TWO_STREAM_PIFM, PARHELION_TWO_STREAM_QUADRATURE));
    host.tuning.direct = static_cast<DirectBeam>(
        choice(where, "direct", given.direct, PARHELION_DIRECT_SCALED, PARHELION_DIRECT_UNSCALED));
    host.band28 = band28_of(where, given.band28_level);
    host.outputs = {.clear = given.clear != 0, .parts = given.parts != 0, .bands = given.bands != 0};
    if (model == io::GasOpticsModel::rrtmg) coefficients = rrtmg_sw_coefficients(text_of(given.coefficients));
    Impl::set_model(where, data(), common);
    common.total_irradiance = solar_irradiance(data());
    forget_texts(given);
  }

  /// Refers to the coefficients, or to the data of `common`.
  ShortwaveData data() const {
    if (common.optics.ecckd) return {*common.optics.ecckd, common.optics.clouds.get()};
    if (common.optics.rrtmgp)
      return rrtmgp::ShortwaveSetup{
          .k = common.optics.rrtmgp.get(), .gases = common.optics.offered, .particles = common.optics.particles()};
    return *coefficients;
  }

  AerosolArrays aerosol() const { return {given.aerosol_optical != 0, given.aerosol_types != 0}; }

  HostShortwaveClouds clouds_like() const {
    return clouds_of_calls<HostShortwaveClouds>(
        common, [&] { return make_shortwave_layer_clouds<Host, double>(1, common.nlay); },
        [&] {
          return make_shortwave_gpoint_clouds<Host, double>(1, common.nlay, given.cloud_optical_properties != 0);
        });
  }
};

/// What is particular to the shortwave, see FluxSolver.
struct ShortwaveKind {
  using Options = ShortwaveOptions;
  using GivenOptions = parhelion_shortwave_options;
  using Input = parhelion_shortwave_input;
  using Output = parhelion_shortwave_output;
  using Arrays = ShortwaveArrays;
  using Report = HostShortwaveReport;
  using HostSolver = HostShortwave<double>;

  static constexpr char const* name = "shortwave";

  template <class Space>
  static HostSolver host_solver(Space const& space, Options const& options) {
    return {space,          options.common.ncol, options.common.nlay, options.clouds_like(), options.aerosol(),
            options.data(), options.host};
  }

  template <class Space>
  static DeviceShortwave<Space> device_driver(Space const& space, Options const& options) {
    return {space,          options.common.ncol, options.common.nlay, options.clouds_like(), options.aerosol(),
            options.data(), options.host};
  }

  static void read(char const* where, CallArrays& arrays, Options const& options, Input const& in, Output const& out,
                   Arrays& input, std::vector<ArrayRef>& fluxes) {
    ColumnReader reader(where, arrays, options.common, in.pressure_lay, in.pressure_lev);
    read_columns(where, reader, in, input);
    if (options.common.model.uses_levels && !options.common.interpolates_levels)
      input.temperature_lev = reader.required_field("temperature_lev", in.temperature_lev);
    input.cos_zenith = reader.required_of_columns("cos_zenith", in.cos_zenith);
    input.albedo_direct = reader.required_of_bands("albedo_direct", in.albedo_direct);
    input.albedo_diffuse = reader.required_of_bands("albedo_diffuse", in.albedo_diffuse);
    read_sun(where, reader, options, in, input);
    read_aerosol(where, reader, options, in, input);
    read_clouds(reader, in, options.common, input);
    input.single_scattering_albedo_gpt = reader.field("single_scattering_albedo_gpt", in.single_scattering_albedo_gpt);
    input.asymmetry_gpt = reader.field("asymmetry_gpt", in.asymmetry_gpt);
    input.forward_fraction_gpt = reader.field("forward_fraction_gpt", in.forward_fraction_gpt);
    bool const optical = input.optical_depth_gpt.data != nullptr;
    for (auto const* array : {&input.single_scattering_albedo_gpt, &input.asymmetry_gpt, &input.forward_fraction_gpt})
      if ((array->data != nullptr) != optical)
        throw ArgumentError(where,
                            "expected all of optical_depth_gpt, single_scattering_albedo_gpt, asymmetry_gpt and "
                            "forward_fraction_gpt, or none");
    check_clouds(where, reader, options.common, input);
    refuse_unless_made_for(where, optical, "optical_depth_gpt", options.given.cloud_optical_properties != 0,
                           "cloud_optical_properties");
    read_fluxes(where, arrays, options, out, fluxes);
  }

  static void read_sun(char const* where, ColumnReader& reader, Options const& options, Input const& in,
                       Arrays& input) {
    input.solar_weights = reader.of_columns("solar_weights", in.solar_weights);
    input.solar_band_factors = reader.of_columns("solar_band_factors", in.solar_band_factors);
    if (input.solar_weights.data == nullptr) {
      static std::string const named(where);  // once, as calls do not allocate
      input.sun = solar_source(options.data(), sun_of(where, in), named);
      return;
    }
    bool const other_sun = in.sun != 0 || in.day_of_year != 0 || in.total_irradiance != 0 || in.distance_factor != 0 ||
                           in.solar_indices != nullptr || in.cycle_fraction != nullptr || in.band_factors != nullptr;
    if (other_sun)
      throw ArgumentError(where,
                          "solar_weights is given, expected sun, day_of_year, total_irradiance, distance_factor, "
                          "solar_indices, cycle_fraction and band_factors to be 0 or NULL");
  }

  static SolarOptions sun_of(char const* where, Input const& in) {
    SolarOptions sun;
    sun.variability = static_cast<SolarVariability>(
        choice(where, "sun", in.sun, PARHELION_SUN_KURUCZ_UNSCALED, PARHELION_SUN_SCALED_BANDS));
    sun.total_irradiance = in.total_irradiance;
    sun.distance_factor = factor_of(where, "distance_factor", in.distance_factor);
    sun.day_of_year = in.day_of_year;
    if (in.solar_indices != nullptr) sun.indices = {in.solar_indices[0], in.solar_indices[1]};
    if (in.cycle_fraction != nullptr) sun.cycle_fraction = *in.cycle_fraction;
    if (in.band_factors != nullptr) {
      sun.band_factors.emplace();
      std::copy_n(in.band_factors, sun.band_factors->size(), sun.band_factors->begin());
    }
    return sun;
  }

  static void read_aerosol(char const* where, ColumnReader& reader, Options const& options, Input const& in,
                           Arrays& input) {
    input.aerosol_optical_depth = reader.field("aerosol_optical_depth", in.aerosol_optical_depth);
    input.aerosol_single_scattering_albedo =
        reader.field("aerosol_single_scattering_albedo", in.aerosol_single_scattering_albedo);
    input.aerosol_asymmetry = reader.field("aerosol_asymmetry", in.aerosol_asymmetry);
    input.aerosol_550nm = reader.field("aerosol_550nm", in.aerosol_550nm);
    input.aerosol_input = reader.of_columns("aerosol_input", in.aerosol_input, Entries::integer);
    auto const& given = options.given;
    refuse_unless_made_for(where, !input.aerosol_optical_depth.empty(), "aerosol_optical_depth",
                           given.aerosol_optical != 0, "aerosol_optical");
    refuse_unless_made_for(where, !input.aerosol_550nm.empty(), "aerosol_550nm", given.aerosol_types != 0,
                           "aerosol_types");
  }

  static void read_fluxes(char const* where, CallArrays& arrays, Options const& options, Output const& out,
                          std::vector<ArrayRef>& fluxes) {
    // In the order of the descriptions of ShortwaveFluxes.
    FluxWriter writer(arrays, options.common, fluxes);
    writer.required("flux_up", out.flux_up);
    writer.required("flux_dn", out.flux_dn);
    writer.required("flux_dn_direct", out.flux_dn_direct);
    writer.required("heating_rate", out.heating_rate);
    // Adds arrays that are all there or not; whether they are.
    using Named = std::pair<char const*, parhelion_array const*>;
    auto const all_or_none = [&](std::initializer_list<Named> set) {
      bool const there = set.begin()->second->data != nullptr;
      for (auto const& [array_name, array] : set) {
        if ((array->data != nullptr) != there)
          throw ArgumentError(where, fmt::format("{} is {}, expected it with {}, and only with it", array_name,
                                                 there ? "absent" : "given", set.begin()->first));
        writer.optional(array_name, *array);
      }
      return there;
    };
    bool const parts = all_or_none({{"flux_dn_uvvis", &out.flux_dn_uvvis},
                                    {"flux_dn_nir", &out.flux_dn_nir},
                                    {"flux_dn_direct_uvvis", &out.flux_dn_direct_uvvis},
                                    {"flux_dn_direct_nir", &out.flux_dn_direct_nir}});
    bool const clear = all_or_none({{"flux_up_clear", &out.flux_up_clear},
                                    {"flux_dn_clear", &out.flux_dn_clear},
                                    {"flux_dn_direct_clear", &out.flux_dn_direct_clear},
                                    {"heating_rate_clear", &out.heating_rate_clear}});
    bool const clear_parts = all_or_none({{"flux_dn_uvvis_clear", &out.flux_dn_uvvis_clear},
                                          {"flux_dn_nir_clear", &out.flux_dn_nir_clear},
                                          {"flux_dn_direct_uvvis_clear", &out.flux_dn_direct_uvvis_clear},
                                          {"flux_dn_direct_nir_clear", &out.flux_dn_direct_nir_clear}});
    bool const bands = all_or_none({{"flux_up_band", &out.flux_up_band},
                                    {"flux_dn_band", &out.flux_dn_band},
                                    {"flux_dn_direct_band", &out.flux_dn_direct_band}});
    auto const& given = options.given;
    refuse_unless_made_for(where, parts, "flux_dn_uvvis", given.parts != 0, "parts");
    refuse_unless_made_for(where, clear, "flux_up_clear", given.clear != 0, "clear");
    refuse_unless_made_for(where, bands, "flux_up_band", given.bands != 0, "bands");
    if (clear_parts != (clear && parts))
      throw ArgumentError(where,
                          "expected flux_dn_uvvis_clear where there are both flux_up_clear and flux_dn_uvvis, and "
                          "only there");
  }
};

using ShortwaveObject = FluxSolver<ShortwaveKind>;

}  // namespace

}  // namespace parhelion::C

using namespace parhelion;
using C::guarded;
using C::ShortwaveObject;

int parhelion_shortwave_create(parhelion_shortwave_options const* options, parhelion_shortwave** shortwave) {
  return guarded([&] { C::create_flux_solver<ShortwaveObject>("parhelion_shortwave_create", options, shortwave); });
}

int parhelion_shortwave_bytes(parhelion_shortwave const* shortwave, size_t* host, size_t* device) {
  return guarded([&] {
    C::InUse<ShortwaveObject> const object("parhelion_shortwave_bytes", shortwave);
    object->bytes().tell(host, device);
  });
}

int parhelion_shortwave_solve(parhelion_shortwave* shortwave, parhelion_shortwave_input const* input,
                              parhelion_shortwave_output const* output, void* stream) {
  return guarded(
      [&] { C::call_flux_solver<ShortwaveObject>("parhelion_shortwave_solve", shortwave, input, output, stream); });
}

int parhelion_shortwave_sun(parhelion_shortwave_input const* input, double* weights, double* band_factors) {
  constexpr char const* where = "parhelion_shortwave_sun";
  return guarded([&] {
    auto const in = C::read_struct(where, "input", input);
    if (weights == nullptr) throw ArgumentError(where, "weights is NULL, expected 4 numbers");
    auto const source = fluxes::solar_source(C::ShortwaveKind::sun_of(where, in), where);
    std::copy(source.weights.begin(), source.weights.end(), weights);
    if (band_factors != nullptr) std::copy(source.band_factors.begin(), source.band_factors.end(), band_factors);
  });
}

int parhelion_shortwave_sun_of(parhelion_shortwave const* shortwave, parhelion_shortwave_input const* input,
                               double* weights, double* band_factors) {
  constexpr char const* where = "parhelion_shortwave_sun_of";
  return guarded([&] {
    auto const in = C::read_struct(where, "input", input);
    if (weights == nullptr) throw ArgumentError(where, "weights is NULL, expected room for 4 numbers");
    C::InUse<ShortwaveObject> const object(where, shortwave);
    auto const source = fluxes::solar_source(object->options().data(), C::ShortwaveKind::sun_of(where, in), where);
    std::copy(source.weights.begin(), source.weights.end(), weights);
    if (band_factors != nullptr) std::copy(source.band_factors.begin(), source.band_factors.end(), band_factors);
  });
}

int parhelion_shortwave_model(parhelion_shortwave const* shortwave, parhelion_model* model) {
  constexpr char const* where = "parhelion_shortwave_model";
  return guarded([&] { C::tell_model(where, C::InUse<ShortwaveObject>(where, shortwave)->options().common, model); });
}

int parhelion_shortwave_bands(parhelion_shortwave const* shortwave, double* wavenumber_low, double* wavenumber_high) {
  constexpr char const* where = "parhelion_shortwave_bands";
  return guarded([&] {
    C::tell_bands(where, C::InUse<ShortwaveObject>(where, shortwave)->options().common, wavenumber_low,
                  wavenumber_high);
  });
}

int parhelion_shortwave_interval_weights(parhelion_shortwave const* shortwave, double const* between, int64_t nbetween,
                                         double* weights) {
  constexpr char const* where = "parhelion_shortwave_interval_weights";
  return guarded([&] {
    C::tell_interval_weights(where, C::InUse<ShortwaveObject>(where, shortwave)->options().common, between, nbetween,
                             weights);
  });
}

int parhelion_shortwave_gas(parhelion_shortwave const* shortwave, int32_t gas, int32_t* role,
                            double* default_mole_ratio) {
  constexpr char const* where = "parhelion_shortwave_gas";
  return guarded([&] {
    C::tell_gas(where, C::InUse<ShortwaveObject>(where, shortwave)->options().common, gas, role, default_mole_ratio);
  });
}

int parhelion_shortwave_missing(parhelion_shortwave const* shortwave, parhelion_shortwave_input const* input,
                                char* text, size_t size, int64_t* count) {
  constexpr char const* where = "parhelion_shortwave_missing";
  return guarded([&] {
    auto const given = C::gases_given(C::read_struct(where, "input", input));
    C::tell_missing(C::InUse<ShortwaveObject>(where, shortwave)->options().common, given, text, size, count);
  });
}

int parhelion_shortwave_status(parhelion_shortwave* shortwave) {
  constexpr char const* where = "parhelion_shortwave_status";
  return guarded([&] { C::InUse<ShortwaveObject>(where, shortwave)->status(where); });
}

int parhelion_shortwave_counts(parhelion_shortwave const* shortwave, char* text, size_t size, int64_t* count) {
  return guarded([&] { C::tell_counts<ShortwaveObject>("parhelion_shortwave_counts", shortwave, text, size, count); });
}

int parhelion_shortwave_destroy(parhelion_shortwave* shortwave) {
  return guarded([&] { C::destroy<ShortwaveObject>("parhelion_shortwave_destroy", shortwave); });
}
