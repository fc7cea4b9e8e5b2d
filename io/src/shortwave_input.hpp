// SPDX-License-Identifier: BSD-3-Clause
// What the shortwave needs of a file beside pressure, temperature and gases: sun, albedo, aerosol and clouds.
#ifndef PARHELION_IO_SHORTWAVE_INPUT_HPP
#define PARHELION_IO_SHORTWAVE_INPUT_HPP

#include "radiation_fields.hpp"
#include "spectral_arrays.hpp"

#include <parhelion/io/radiation_files.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace parhelion::io::Impl {

/// Numbers of columns: attributes of the file, or variables, scalar or (column).
inline constexpr std::array shortwave_flag_variables{"iaer",       "inflgsw",       "iceflgsw",     "liqflgsw",
                                                     "isolvar",    "dyofyr",        "scon",         "adjes",
                                                     "solcycfrac", "has_indsolvar", "has_bndsolvar"};
/// Further variables of the shortwave alone in the column layout.
inline constexpr std::array shortwave_variables{"coszen",        "asdir",          "asdif",     "aldir",     "aldif",
                                                "albedo_direct", "albedo_diffuse", "indsolvar", "bndsolvar", "ecaer"};
/// Variables of the shortwave alone in the RFMIP layout.
inline constexpr std::array shortwave_rfmip_variables{"solar_zenith_angle", "surface_albedo", "total_solar_irradiance"};

/// Whether any value of an array is positive.
template <KokkosView View>
bool has_positive(View const& array) {
  return std::any_of(array.data(), array.data() + array.size(), [](double value) { return value > 0.; });
}

/// Refuses a file without a variable.
/// \param why the variable is needed, in the message
/// \throws parhelion::Error
void need(Hdf5File const& file, std::string const& name, std::string const& why);

/// Turns a field over the bands of the shortwave, its last dimension, from the order of the file to that of RRTMG_SW.
void to_original_order(Field& field, BandOrder order);

/// Whether a variable of a file in the column layout is the shortwave's alone.
bool is_shortwave_variable(std::string const& name);

/// How many values the variables of the shortwave have a layer, and the largest of them.
struct ShortwaveSizes {
  std::size_t values = 0;
  std::size_t largest = 0;
};

/// \brief Checks what a file in a layout of columns says of the variables of the shortwave, and reads flags only.
/// \throws parhelion::Error as read_radiation_input() does
ShortwaveSizes check_shortwave(Hdf5File const& file, RadiationOptions const& options, RadiationLayout layout,
                               Grid const& grid);

/// \brief Reads sun, albedo and RRTMG's aerosol of a file in a layout of columns, where pressure, temperature and gases
///        are there.
/// \throws parhelion::Error as read_radiation_input() does
void read_shortwave(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input);

/// The same for the clouds.
/// \param all     what is read
/// \param options those of clouds, which may differ from all.clouds
void read_shortwave_clouds(Hdf5File const& file, RadiationOptions const& all, CloudOptions const& options,
                           RadiationInput& input);

/// \brief Refuses aerosol over RRTMG's bands, or of its types, which other models do not have.
/// \throws parhelion::Error where there is any
void refuse_aerosol_of_rrtmg(Hdf5File const& file, RadiationOptions const& options);

/// \brief Reads sun and albedo of a file in the RFMIP layout.
/// \param nexpt experiments that are read
void read_shortwave_sites(Hdf5File const& file, RadiationOptions const& options, std::size_t nexpt,
                          RadiationInput& input);

/// Checks what such a file says of these variables.
void check_shortwave_sites(Hdf5File const& file, RadiationOptions const& options, std::size_t nsite);

/// \brief Refuses clouds or aerosol that only one of both ranges has, where both are asked for.
/// \throws parhelion::Error that says what is missing
void refuse_one_sided(Hdf5File const& file, RadiationOptions const& options, RadiationInput const& input);

}  // namespace parhelion::io::Impl

#endif
