// SPDX-License-Identifier: BSD-3-Clause
// The layouts of atmosphere files: what their variables are called, and how they are told apart.
#ifndef PARHELION_IO_RADIATION_LAYOUTS_HPP
#define PARHELION_IO_RADIATION_LAYOUTS_HPP

#include "radiation_fields.hpp"
#include "spectral_arrays.hpp"

#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/radiation_files.hpp>

#include <map>
#include <string>
#include <vector>

namespace parhelion::io::Impl {

/// The downward flux that enters at the top, in all layouts of columns: (column, gpt).
inline constexpr char const* incident_flux_variable = "incident_flux";

/// What a layout of columns calls its variables; nullptr where it has no such variable.
struct LayoutNames {
  char const* plev;        ///< (column, level)
  char const* play;        ///< (column, layer)
  char const* tlev;        ///< (column, level)
  char const* tlay;        ///< (column, layer)
  char const* tsfc;        ///< (column)
  char const* emissivity;  ///< (column), or (column, band)
  char const* cos_zenith;  ///< (column)
  char const* label;       ///< (column)
  char const* lat;         ///< (column)
  char const* lon;         ///< (column)
};

/// Of any layout but RFMIP's.
LayoutNames const& names_of(RadiationLayout layout);

/// \brief The layout of a file.
/// \throws parhelion::Error where it is none, or not one alone
RadiationLayout recognise(Hdf5File const& file);

/// The variables of gases that are read.
using GasVariables = std::map<fluxes::Gas, std::string>;

/// \brief Finds the gases that the gas optics ask for.
/// \throws parhelion::Error where one that is required is missing, or has two variables
GasVariables find_gases(Hdf5File const& file, RadiationLayout layout, RadiationOptions const& options);

/// \brief Refuses input that would change the result and that is not read.
/// \throws parhelion::Error
void refuse_unsupported(Hdf5File const& file, RadiationLayout layout, RadiationOptions const& options);

/// \brief How many values a property of the surface has for each column: one, or one for each band of the model; where
///        the file has it for intervals of wavenumber, one for each g-point.
///
/// Bands of a layout are those of one model, and no other one can use them.
/// \throws parhelion::Error where there are others
/// \param sizes of the model in the range of the property
std::size_t bands_of_surface(Hdf5File const& file, std::string const& name, RadiationLayout layout,
                             RadiationOptions const& options, std::size_t ncol, SpectralSizes const& sizes);

/// A property of the surface of the columns that are read, (column, one or bands); where the file has it for intervals
/// of wavenumber, (column, g-point).
Field read_surface(Hdf5File const& file, std::string const& name, Quantity const& quantity, ItemRange const& columns,
                   RadiationOptions const& options);

/// The columns and layers of a file, and the sizes of the model.
Grid grid_of(RadiationOptions const& options, std::size_t ncol, std::size_t nlay);
Grid grid_of(RadiationOptions const& options, RadiationInput const& input);

/// \brief Refuses a file that has a variable in whose place an option gives a value.
/// \param asked whether there is such an option
/// \param what  it gives: "an albedo"
void refuse_asked(Hdf5File const& file, std::string const& name, bool asked, char const* what);

}  // namespace parhelion::io::Impl

#endif
