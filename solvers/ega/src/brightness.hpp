// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_BRIGHTNESS_HPP
#define PARHELION_EGA_BRIGHTNESS_HPP

#include <parhelion/ega/jurassic_constants.hpp>

#include <Kokkos_Core.hpp>

namespace parhelion::ega::Impl {

/// Brightness temperature [K] at a wavenumber [cm-1]; with the constants of the model.
KOKKOS_INLINE_FUNCTION double brightness_temperature(double wavenumber, double radiance) {
  return jurassic_constants::second_radiation * wavenumber /
         Kokkos::log1p(jurassic_constants::first_radiation * wavenumber * wavenumber * wavenumber / radiance);
}

}  // namespace parhelion::ega::Impl

#endif
