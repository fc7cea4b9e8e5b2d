// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_RRTMG_IMPL_LANE_OPTICS_HPP
#define PARHELION_RRTMG_IMPL_LANE_OPTICS_HPP

#include <parhelion/rrtmg/impl/absorption_terms.hpp>
#include <parhelion/rrtmg/simple_spectral.hpp>

#include <parhelion/core/constants.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/planck.hpp>

#include <vector>

/// \file
/// The gas optics as the longwave kernel sees them. A lane is a g-point. Lanes of one group are neighbours that share
/// their absorption terms; `lanes_per_thread` of them make a group. LaneOptics<Model> gives
///
/// - State, Terms: what a layer needs for all lanes, and what it needs for the lanes of one set (a band);
/// - nset, nplanck: sets of terms, and intervals in which the Planck radiance is wanted;
/// - how Planck radiance and emissivity of a lane are found, and the diffusivity secant of a set.
namespace parhelion::rrtmg::Impl {

/// Lanes that one thread handles at a time: `first` is their position in the rows of set `set`, and `planck` the Planck
/// interval of all of them, or of the first where each lane has its own.
struct LaneGroup {
  int set;
  int first;
  int planck;
};

template <class Model>
struct LaneOptics;

template <class ExecutionSpace, class Real>
struct LaneOptics<GasOptics<ExecutionSpace, Real>> {
  using State = InterpolationState<Real>;
  using Terms = AbsorptionTerms<Real, max_absorption_terms>;
  static constexpr int nset = nbnd;
  static constexpr int nplanck = nbnd;
  static constexpr bool planck_interval_per_lane = false;
  static constexpr bool has_planck_fractions = true;
  static constexpr bool has_table = true;
  /// Degrees a day for a flux divergence of 1 W m-2 over 1 Pa.
  static constexpr double heating_factor = constants::gravity * 86400 / constants::heat_capacity;

  GasOptics<ExecutionSpace, Real> model;

  static std::vector<LaneGroup> groups() {
    constexpr int width = lanes_per_thread<ExecutionSpace, Real>;
    std::vector<LaneGroup> result;
    for (int b = 0; b < nbnd; ++b)
      for (int g = 0; g < bands()[b].ng(); g += width) result.push_back({b, g, b});
    return result;
  }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return model.values.data(); }

  KOKKOS_INLINE_FUNCTION void set_state(State& state, Columns<ExecutionSpace, Real> const& columns, int column,
                                        int layer) const {
    set_interpolation_state(state, model, columns, column, layer);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, int set, State const& state) const {
    Impl::set_terms(terms, model, set, state);
  }

  /// Planck radiance of a band [W m-2 sr-1], from the table; outside it the last interval is extrapolated.
  KOKKOS_INLINE_FUNCTION Real planck(int band, Real temperature) const {
    Real const position = temperature - 160;
    int const entry = clamp_index(position, 0, ntemperature_planck - 2);
    Real const fraction = position - static_cast<Real>(entry);
    Real const low = model.planck(entry, band);
    return low + fraction * (model.planck(entry + 1, band) - low);
  }

  KOKKOS_INLINE_FUNCTION int emissivity_band(int planck) const { return planck; }

  /// Water and moist air above one another: what the precipitable water is made of.
  struct WaterPath {
    Real water = 0;
    Real moist_air = 0;
    KOKKOS_INLINE_FUNCTION WaterPath& operator+=(WaterPath const& other) {
      water += other.water;
      moist_air += other.moist_air;
      return *this;
    }
  };

  KOKKOS_INLINE_FUNCTION WaterPath water_path(Columns<ExecutionSpace, Real> const& columns, int column,
                                              int layer) const {
    Real const ratio = columns.mole_ratio(column, static_cast<int>(Gas::h2o), layer);
    Real const dry = dry_column(columns.pressure_lev(column, layer) - columns.pressure_lev(column, layer + 1), ratio);
    return {dry * ratio, dry * (1 + ratio)};
  }

  /// Secant of the angle that stands for the hemisphere, from precipitable water.
  KOKKOS_INLINE_FUNCTION Real secant(int set, WaterPath const& path, Real pressure_sfc) const {
    DiffusivityFit const& fit = model.bands(set).diffusivity;
    Real const mass_fraction = static_cast<Real>(constants::molar_mass_water) * path.water /
                               (static_cast<Real>(constants::molar_mass_dry) * path.moist_air);
    Real const precipitable_cm = mass_fraction * pressure_sfc / static_cast<Real>(10 * constants::gravity);
    if (fit.b == 0) return static_cast<Real>(fit.a);
    Real const fitted =
        static_cast<Real>(fit.a) + static_cast<Real>(fit.b) * Kokkos::exp(static_cast<Real>(fit.c) * precipitable_cm);
    return Kokkos::fmin(Kokkos::fmax(fitted, static_cast<Real>(1.5)), static_cast<Real>(1.8));
  }
};

template <class ExecutionSpace, class Real>
struct LaneOptics<SimpleSpectral<ExecutionSpace, Real>> {
  using Model = SimpleSpectral<ExecutionSpace, Real>;
  struct State {
    Real water, co2;  ///< [kg m-2], times p / p_ref
  };
  using Terms = AbsorptionTerms<Real, Model::ngas_absorbing>;
  static constexpr int nset = 1;
  static constexpr int nplanck = Model::nlane;
  static constexpr bool planck_interval_per_lane = true;
  static constexpr bool has_planck_fractions = false;
  static constexpr bool has_table = false;
  static constexpr double heating_factor = parhelion::constants::standard_gravity * 86400 / Model::heat_capacity;

  Model model;

  static std::vector<LaneGroup> groups() {
    constexpr int width = lanes_per_thread<ExecutionSpace, Real>;
    static_assert(Model::nlane % width == 0, "the padding must fill the last group");
    std::vector<LaneGroup> result;
    for (int first = 0; first < Model::nwavenumber; first += width) result.push_back({0, first, first});
    return result;
  }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return model.kappa.data(); }

  KOKKOS_INLINE_FUNCTION void set_state(State& state, Columns<ExecutionSpace, Real> const& columns, int column,
                                        int layer) const {
    constexpr Real water = static_cast<Real>(Model::molar_mass_water / Model::molar_mass_dry);
    constexpr Real co2 = static_cast<Real>(Model::molar_mass_co2 / Model::molar_mass_dry);
    Real const mass = (columns.pressure_lev(column, layer) - columns.pressure_lev(column, layer + 1)) /
                      static_cast<Real>(parhelion::constants::standard_gravity);
    Real const scaled = mass * (columns.pressure_lay(column, layer) / static_cast<Real>(Model::pressure_ref));
    state.water = water * scaled * columns.mole_ratio(column, static_cast<int>(Gas::h2o), layer);
    state.co2 = co2 * scaled * columns.mole_ratio(column, static_cast<int>(Gas::co2), layer);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, int, State const& state) const {
    terms.count = 0;
    terms.add(state.water, 0);
    terms.add(state.co2, Model::nlane);
  }

  /// Planck radiance of the interval around a wavenumber [W m-2 sr-1].
  KOKKOS_INLINE_FUNCTION Real planck(int lane, Real temperature) const {
    return model.width(lane) * planck_radiance(model.wavenumber(lane), temperature);
  }

  KOKKOS_INLINE_FUNCTION int emissivity_band(int lane) const { return model.band(lane); }

  struct WaterPath {
    KOKKOS_INLINE_FUNCTION WaterPath& operator+=(WaterPath const&) { return *this; }
  };
  KOKKOS_INLINE_FUNCTION WaterPath water_path(Columns<ExecutionSpace, Real> const&, int, int) const { return {}; }
  KOKKOS_INLINE_FUNCTION Real secant(int, WaterPath const&, Real) const {
    return static_cast<Real>(Model::diffusivity);
  }
};

}  // namespace parhelion::rrtmg::Impl

#endif
