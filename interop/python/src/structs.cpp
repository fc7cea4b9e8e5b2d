// SPDX-License-Identifier: BSD-3-Clause
#include "structs.hpp"

#include "array.hpp"

#include <pybind11/stl.h>

#include <limits>

namespace parhelion::python {

namespace py = pybind11;

#define PARHELION_MEMBER(name) member_of<decltype(Struct::name)>(#name, offsetof(Struct, name))
#define PARHELION_MEMBERS(Type, ...)               \
  template <>                                      \
  std::span<Member const> members<Type>() {        \
    using Struct = Type;                           \
    static constexpr Member all[] = {__VA_ARGS__}; \
    return all;                                    \
  }
#define M PARHELION_MEMBER

PARHELION_MEMBERS(parhelion_settings, M(device), M(device_by), M(threads))

PARHELION_MEMBERS(parhelion_longwave_options, M(space), M(precision), M(model), M(coefficients), M(vertical_order),
                  M(ncol), M(nlay), M(clouds), M(cloud_optical_depth), M(aerosol), M(clear), M(derivative), M(bands),
                  M(overlap), M(transmittance), M(extra_layer), M(checks), M(out_of_range), M(heat_capacity),
                  M(gravity), M(chunk), M(devices), M(cloud_optics), M(aerosol_optics), M(gases), M(level_temperatures),
                  M(angles), M(scattering), M(ice_roughness), M(droplet_scattering), M(ice_scattering),
                  M(cloud_averaging), M(incident_flux))
PARHELION_MEMBERS(parhelion_longwave_input, M(pressure_lay), M(pressure_lev), M(temperature_lay), M(temperature_lev),
                  M(temperature_sfc), M(emissivity_sfc), M(gases), M(aerosol), M(fraction), M(ice_path), M(liquid_path),
                  M(decorrelation_length), M(fraction_gpt), M(ice_path_gpt), M(liquid_path_gpt), M(optical_depth_gpt),
                  M(ice_size), M(liquid_size), M(cloud_input), M(ice_optics), M(liquid_optics), M(seed),
                  M(first_column), M(pressure_factor), M(path_factor), M(particle_size_factor), M(more_gases),
                  M(aerosol_type), M(aerosol_size), M(aerosol_mass), M(relative_humidity), M(incident_flux))
PARHELION_MEMBERS(parhelion_longwave_output, M(flux_up), M(flux_dn), M(heating_rate), M(flux_up_clear),
                  M(flux_dn_clear), M(heating_rate_clear), M(dflux_up_dt), M(dflux_up_clear_dt), M(flux_up_band),
                  M(flux_dn_band), M(surface_share))

PARHELION_MEMBERS(parhelion_shortwave_options, M(space), M(precision), M(vertical_order), M(coefficients), M(ncol),
                  M(nlay), M(clouds), M(cloud_optical_properties), M(aerosol_optical), M(aerosol_types), M(clear),
                  M(parts), M(bands), M(overlap), M(transmittance), M(two_stream), M(direct), M(band28_level),
                  M(checks), M(out_of_range), M(heat_capacity), M(gravity), M(chunk), M(devices), M(cloud_optics),
                  M(aerosol_optics), M(gases), M(model), M(level_temperatures), M(ice_roughness), M(droplet_scattering),
                  M(ice_scattering), M(cloud_averaging))
PARHELION_MEMBERS(parhelion_shortwave_input, M(pressure_lay), M(pressure_lev), M(temperature_lay), M(temperature_lev),
                  M(gases), M(cos_zenith), M(albedo_direct), M(albedo_diffuse), M(solar_weights), M(solar_band_factors),
                  M(aerosol_optical_depth), M(aerosol_single_scattering_albedo), M(aerosol_asymmetry), M(aerosol_550nm),
                  M(aerosol_input), M(fraction), M(ice_path), M(liquid_path), M(decorrelation_length), M(fraction_gpt),
                  M(ice_path_gpt), M(liquid_path_gpt), M(optical_depth_gpt), M(single_scattering_albedo_gpt),
                  M(asymmetry_gpt), M(forward_fraction_gpt), M(ice_size), M(liquid_size), M(cloud_input), M(ice_optics),
                  M(liquid_optics), M(seed), M(first_column), M(pressure_factor), M(path_factor),
                  M(particle_size_factor), M(sun), M(day_of_year), M(total_irradiance), M(distance_factor),
                  M(solar_indices), M(cycle_fraction), M(band_factors), M(more_gases), M(aerosol_type), M(aerosol_size),
                  M(aerosol_mass), M(relative_humidity))
PARHELION_MEMBERS(parhelion_shortwave_output, M(flux_up), M(flux_dn), M(flux_dn_direct), M(heating_rate),
                  M(flux_dn_uvvis), M(flux_dn_nir), M(flux_dn_direct_uvvis), M(flux_dn_direct_nir), M(flux_up_clear),
                  M(flux_dn_clear), M(flux_dn_direct_clear), M(heating_rate_clear), M(flux_dn_uvvis_clear),
                  M(flux_dn_nir_clear), M(flux_dn_direct_uvvis_clear), M(flux_dn_direct_nir_clear), M(flux_up_band),
                  M(flux_dn_band), M(flux_dn_direct_band))

PARHELION_MEMBERS(parhelion_adding_options, M(space), M(precision), M(vertical_order), M(chunk), M(devices))
PARHELION_MEMBERS(parhelion_adding_input, M(optical_depth), M(transmittance), M(planck), M(mu), M(weight),
                  M(planck_sfc), M(emissivity), M(specular_reflectivity), M(reflectivity), M(cosmic), M(cos_sun),
                  M(solar_irradiance), M(direct_reflectivity), M(single_scattering_albedo), M(phase), M(phase_forward),
                  M(phase_backward))
PARHELION_MEMBERS(parhelion_adding_output, M(toa), M(up), M(dn), M(up_emergent))

PARHELION_MEMBERS(parhelion_spectra_options, M(space), M(precision), M(control), M(tables), M(continua),
                  M(missing_tables_allowed), M(out_of_range), M(memory_limit), M(chunk), M(devices))
PARHELION_MEMBERS(parhelion_spectra_input, M(altitude), M(pressure), M(temperature), M(mole_fraction), M(extinction),
                  M(cloud_height), M(cloud_depth), M(cloud_extinction), M(surface_altitude), M(surface_pressure),
                  M(surface_temperature), M(surface_emissivity), M(time), M(observer_altitude), M(observer_longitude),
                  M(observer_latitude), M(view_point_altitude), M(view_point_longitude), M(view_point_latitude),
                  M(profile))
PARHELION_MEMBERS(parhelion_spectra_output, M(radiance), M(transmittance), M(npoint), M(tangent_altitude),
                  M(tangent_longitude), M(tangent_latitude))

PARHELION_MEMBERS(parhelion_monte_carlo_options, M(space), M(precision), M(gas), M(absorption), M(narrow_bands),
                  M(rays), M(repetitions), M(seed), M(ray_origin), M(out_of_range), M(target_error), M(max_repetitions),
                  M(directions), M(devices))
PARHELION_MEMBERS(parhelion_side, M(type), M(reflectivity), M(temperature), M(face_temperature))
PARHELION_MEMBERS(parhelion_monte_carlo_input, M(x), M(y), M(z), M(temperature), M(mole_fraction), M(pressure),
                  M(sides))
PARHELION_MEMBERS(parhelion_monte_carlo_output, M(q), M(q_error), M(incident), M(wall_flux), M(wall_flux_error),
                  M(q_plane_error_x), M(q_plane_error_y), M(q_plane_error_z), M(q_box_error))

#undef M

namespace {

[[noreturn]] void refuse(Member const& member, py::handle value, char const* expected) {
  throw py::value_error(std::string(member.name) + " = " + std::string(py::str(value)) + ", expected " + expected);
}

template <class T>
void set_integer(T& to, Member const& member, py::handle value, char const* expected) {
  if (PyIndex_Check(value.ptr()) == 0)
    throw py::type_error(std::string(member.name) + ": is " + std::string(py::str(py::type::of(value))) +
                         ", expected " + expected);
  auto const number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  if constexpr (std::is_signed_v<T>) {
    int overflow = 0;
    long long const found = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0 || found < std::numeric_limits<T>::min() || found > std::numeric_limits<T>::max())
      refuse(member, value, expected);
    to = static_cast<T>(found);
  } else {
    unsigned long long const found = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(member, value, expected);
    }
    if (found > std::numeric_limits<T>::max()) refuse(member, value, expected);
    to = static_cast<T>(found);
  }
}

void set(char* at, Member const& member, py::handle value, Kept& kept) {
  switch (member.kind) {
    case Member::Kind::array:
      *reinterpret_cast<parhelion_array*>(at) = value.cast<Array const&>().get();
      break;
    case Member::Kind::int32:
      set_integer(*reinterpret_cast<std::int32_t*>(at), member, value, "an integer of 32 bits");
      break;
    case Member::Kind::int64:
      set_integer(*reinterpret_cast<std::int64_t*>(at), member, value, "an integer of 64 bits");
      break;
    case Member::Kind::uint32:
      set_integer(*reinterpret_cast<std::uint32_t*>(at), member, value, "an integer from 0 to 2^32 - 1");
      break;
    case Member::Kind::uint64:
      set_integer(*reinterpret_cast<std::uint64_t*>(at), member, value, "an integer from 0 to 2^64 - 1");
      break;
    case Member::Kind::real: {
      double const found = PyFloat_AsDouble(value.ptr());
      if (found == -1. && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw py::type_error(std::string(member.name) + ": is " + std::string(py::str(py::type::of(value))) +
                             ", expected a number");
      }
      *reinterpret_cast<double*>(at) = found;
      break;
    }
    case Member::Kind::reals:
      kept.reals.push_back(value.cast<std::vector<double>>());
      *reinterpret_cast<double const**>(at) = kept.reals.back().data();
      break;
    case Member::Kind::text:
      kept.texts.push_back(value.cast<std::string>());
      if (kept.texts.back().find('\0') != std::string::npos) refuse(member, value, "a text without a byte of 0");
      *reinterpret_cast<char const**>(at) = kept.texts.back().c_str();
      break;
    case Member::Kind::side:
      fill(at, members<parhelion_side>(), value.cast<py::dict>(), kept);
      break;
  }
}

}  // namespace

void fill(void* object, std::span<Member const> all, py::dict const& values, Kept& kept) {
  for (auto const& member : all) {
    if (!values.contains(member.name)) continue;
    py::object const value = values[member.name];
    char* const at = static_cast<char*>(object) + member.offset;
    if (value.is_none()) continue;
    if (member.count == 0) {
      set(at, member, value, kept);
      continue;
    }
    auto const each = value.cast<py::sequence>();
    if (each.size() != member.count) refuse(member, value, "a value for each");
    for (std::size_t i = 0; i < member.count; ++i)
      if (!each[i].is_none()) set(at + i * member.stride, member, py::object(each[i]), kept);
  }
}

}  // namespace parhelion::python
