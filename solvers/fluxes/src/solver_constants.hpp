// SPDX-License-Identifier: BSD-3-Clause
// What the solvers of fluxes are made with, whatever the range: layers, heat capacity, gravity and optics of particles.
#ifndef PARHELION_FLUXES_SOLVER_CONSTANTS_HPP
#define PARHELION_FLUXES_SOLVER_CONSTANTS_HPP

#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/model_sizes.hpp>

#include <cstdint>

namespace parhelion::fluxes::Impl {

/// \param solver opens the message
/// \throws parhelion::Error for less than one layer, and for constants that are negative or not finite
void check_solver_constants(char const* solver, int nlay, double heat_capacity, double gravity);

/// \brief Refuses other numbers of emissivities of a column than the model takes.
/// \param where opens the message
/// \param ncol  columns
/// \param found emissivities of a column
/// \param sizes of the model
void expect_emissivities(char const* where, std::int64_t ncol, std::int64_t found, ModelSizes const& sizes);

/// The same for albedos.
void expect_albedos(char const* where, std::int64_t found, ModelSizes const& sizes);

/// Refuses particles of which the model was given no optics.
template <class Model>
void check_particles(char const* where, Model const& model, bool clouds, bool aerosol_types) {
  if constexpr (requires { model.has_clouds(); }) {
    if (clouds && !model.has_clouds()) throw Error(where, "there are clouds, of which the model was given no optics");
    if (aerosol_types && !model.has_aerosol())
      throw Error(where, "there is aerosol_type, of which the model was given no optics");
  } else if (aerosol_types) {
    throw Error(where, "there is aerosol_type, which only RRTMGP has");
  }
}

/// \brief Kelvins a day for a flux divergence of 1 W m-2 over 1 Pa.
/// \tparam Optics has the heat capacity and the gravity that hold where the tuning has 0
/// \param  tuning LongwaveTuning or ShortwaveTuning
template <class Optics, class Tuning>
double heating_factor(Tuning const& tuning) {
  double const heat_capacity = tuning.heat_capacity > 0 ? tuning.heat_capacity : Optics::heat_capacity;
  double const gravity = tuning.gravity > 0 ? tuning.gravity : Optics::gravity;
  return gravity * 86400 / heat_capacity;
}

}  // namespace parhelion::fluxes::Impl

#endif
