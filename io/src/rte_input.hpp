// SPDX-License-Identifier: BSD-3-Clause
// Clouds and aerosol in the layout of RTE+RRTMGP.
#ifndef PARHELION_IO_RTE_INPUT_HPP
#define PARHELION_IO_RTE_INPUT_HPP

#include "radiation_fields.hpp"
#include "spectral_arrays.hpp"

#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/radiation_files.hpp>

#include <cstddef>
#include <string>

namespace parhelion::io::Impl {

/// Whether a name is that of a variable of clouds or aerosol of this layout.
bool is_rte_variable(std::string const& name);

/// \brief Checks what a file says of these variables, and reads none of their values.
/// \return how many values they have a layer
/// \throws parhelion::Error as read_radiation_input() does
std::size_t check_rte_input(Hdf5File const& file, RadiationOptions const& options, Grid const& grid);

/// \brief Reads clouds of the ranges that are asked for, and aerosol, into an input whose columns and vertical order
///        are there.
///
/// Where there is a mask they are clouds of its g-points, otherwise overcast layers.
/// \param all     what is read
/// \param options those of clouds, which may differ from all.clouds
/// \param check   says what becomes of sizes of aerosol that are out of range, and counts them
/// \param input   receives them
/// \throws parhelion::Error as read_radiation_input() does
void read_rte_input(Hdf5File const& file, RadiationOptions const& all, CloudOptions const& options, RangeCheck& check,
                    RadiationInput& input);

}  // namespace parhelion::io::Impl

#endif
