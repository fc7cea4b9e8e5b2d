// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LANE_OPTICS_HPP
#define PARHELION_FLUXES_LANE_OPTICS_HPP

#include "absorption_terms.hpp"
#include "lane_group.hpp"

#include <parhelion/fluxes/simple_spectral.hpp>

#include <parhelion/core/constants.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/planck.hpp>

#include <algorithm>
#include <string>
#include <vector>

/// \file
/// The gas optics as the longwave kernel sees them. A lane is a g-point. Lanes of one group are neighbours that share
/// their absorption terms; a thread takes a group at a time. Terms are made for several layers at a time, which lie
/// side by side. LaneOptics<Model> gives
///
/// - width, layers: lanes of a group, and layers side by side; the groups of a set are neighbours;
/// - State, Terms: what layers need for all lanes, and what they need for the lanes of one set (a band);
/// - nset, nplanck: sets of terms, and intervals in which the Planck radiance is wanted;
/// - how Planck radiance and emissivity of a lane are found, and the diffusivity secant of a set.
namespace parhelion::fluxes::Impl {

/// A thread of a host fills the widest vectors with lanes of a group, or with layers.
template <class ExecutionSpace, class Real>
inline constexpr int vector_lanes = runs_on_host<ExecutionSpace> ? 64 / static_cast<int>(sizeof(Real)) : 1;

template <class Model>
struct LaneOptics;

template <class ExecutionSpace, class Real>
struct LaneOptics<GasOptics<ExecutionSpace, Real>> {
  static constexpr int width = vector_lanes<ExecutionSpace, Real>;
  static constexpr int layers = vector_lanes<ExecutionSpace, Real>;
  static constexpr int stride = row_stride;
  using State = InterpolationState<Real, layers>;
  using Terms = AbsorptionTerms<Real, layers>;
  static constexpr int nset = nbnd;
  static constexpr int nplanck = nbnd;
  static constexpr bool planck_interval_per_lane = false;
  static constexpr bool has_planck_fractions = true;
  static constexpr bool has_table = true;
  static constexpr bool has_clouds = true;
  /// Degrees a day for a flux divergence of 1 W m-2 over 1 Pa.
  static constexpr double heating_factor = constants::gravity * 86400 / constants::heat_capacity;

  GasOptics<ExecutionSpace, Real> model;
  /// Between these temperatures [K] the original's table of Planck radiances serves; its last intervals reach as far.
  Real table_from = static_cast<Real>(planck_table_lowest);
  Real table_to = static_cast<Real>(planck_table_highest);

  static std::vector<LaneGroup> groups() {
    std::vector<LaneGroup> result;
    int gpoint = 0;
    for (int b = 0; b < nbnd; ++b)
      for (int g = 0; g < bands()[b].ng(); g += width) {
        int const n = std::min(width, bands()[b].ng() - g);
        result.push_back({b, g, b, gpoint, n});
        gpoint += n;
      }
    // Threads that go in step have lists of similar length.
    std::stable_sort(result.begin(), result.end(),
                     [](LaneGroup const& a, LaneGroup const& b) { return pairs(a.set) < pairs(b.set); });
    return result;
  }

  /// Most pairs of rows that a set may have.
  static int pairs(int set) { return most_pairs(bands()[static_cast<std::size_t>(set)]); }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return model.values.data(); }

  /// Layers of one kind can have their terms made together.
  KOKKOS_INLINE_FUNCTION int kind(Columns<ExecutionSpace, Real> const& columns, int column, int layer) const {
    return is_upper(columns.pressure_lay(column, layer)) ? 1 : 0;
  }

  KOKKOS_INLINE_FUNCTION void set_state(State& state, Columns<ExecutionSpace, Real> const& columns, int column,
                                        int first, int last) const {
    set_interpolation_state(state, model, columns, column, first, last);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, int set, State const& state) const {
    Impl::set_terms(terms, model, set, state);
  }

  /// A temperature in the tables of Planck radiances, see PlanckRows; beyond them the last interval is extrapolated.
  struct AtTemperature {
    int entry;
    Real fraction;
  };
  KOKKOS_INLINE_FUNCTION AtTemperature at_temperature(Real temperature) const {
    bool const cold = temperature < table_from;
    int const last = cold                     ? PlanckRows::cold - 1
                     : temperature > table_to ? PlanckRows::warm - 2
                                              : ntemperature_planck - 2;
    Real const position = cold ? temperature * static_cast<Real>(PlanckRows::cold_per_kelvin)
                               : temperature - static_cast<Real>(planck_table_lowest);
    int const entry = clamped_index(position, 0, last);
    return {entry + (cold ? 0 : PlanckRows::cold), position - static_cast<Real>(entry)};
  }

  /// Planck radiance of a band [W m-2 sr-1].
  KOKKOS_INLINE_FUNCTION Real planck(int band, AtTemperature const& at) const {
    return interpolate(model.planck, band, at);
  }

  /// Its derivative with respect to temperature [W m-2 sr-1 K-1].
  KOKKOS_INLINE_FUNCTION Real planck_derivative(int band, AtTemperature const& at) const {
    return interpolate(model.planck_derivative, band, at);
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
    Real const ratio = columns.vmr(column, static_cast<int>(Gas::h2o), layer);
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

 private:
  KOKKOS_INLINE_FUNCTION static Real interpolate(Array<Real const**, ExecutionSpace> const& table, int band,
                                                 AtTemperature const& at) {
    Real const* const row = table.data() + (at.entry * nbnd + band);
    return row[0] + at.fraction * (row[nbnd] - row[0]);
  }
};

template <class ExecutionSpace, class Real>
struct LaneOptics<SimpleSpectral<ExecutionSpace, Real>> {
  using Model = SimpleSpectral<ExecutionSpace, Real>;
  static constexpr int width = lanes_per_thread<ExecutionSpace, Real>;
  static constexpr int layers = 1;
  static constexpr int stride = Model::nlane;
  struct State {
    Real water, co2;  ///< [kg m-2], times p / p_ref
  };
  using Terms = AbsorptionTerms<Real>;
  static constexpr int nset = 1;
  static constexpr int nplanck = Model::nlane;
  static constexpr bool planck_interval_per_lane = true;
  static constexpr bool has_planck_fractions = false;
  static constexpr bool has_table = false;
  static constexpr bool has_clouds = false;
  static constexpr double heating_factor = parhelion::constants::standard_gravity * 86400 / Model::heat_capacity;

  Model model;

  static std::vector<LaneGroup> groups() {
    static_assert(Model::nlane % width == 0, "the padding must fill the last group");
    std::vector<LaneGroup> result;
    for (int first = 0; first < Model::nwavenumber; first += width)
      result.push_back({0, first, first, first, std::min(width, Model::nwavenumber - first)});
    return result;
  }

  static int pairs(int) { return 1; }

  KOKKOS_INLINE_FUNCTION Real const* values() const { return model.kappa.data(); }

  KOKKOS_INLINE_FUNCTION int kind(Columns<ExecutionSpace, Real> const&, int, int) const { return 0; }

  KOKKOS_INLINE_FUNCTION void set_state(State& state, Columns<ExecutionSpace, Real> const& columns, int column,
                                        int layer, int) const {
    constexpr Real water = static_cast<Real>(Model::molar_mass_water / Model::molar_mass_dry);
    constexpr Real co2 = static_cast<Real>(Model::molar_mass_co2 / Model::molar_mass_dry);
    Real const mass = (columns.pressure_lev(column, layer) - columns.pressure_lev(column, layer + 1)) /
                      static_cast<Real>(parhelion::constants::standard_gravity);
    Real const scaled = mass * (columns.pressure_lay(column, layer) / static_cast<Real>(Model::pressure_ref));
    state.water = water * scaled * columns.vmr(column, static_cast<int>(Gas::h2o), layer);
    state.co2 = co2 * scaled * columns.vmr(column, static_cast<int>(Gas::co2), layer);
  }

  KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, int, State const& state) const {
    terms.count = 1;
    terms.more[0] = 0;
    terms.depth[0] = 0;
    terms.pairs[0] = {{{state.water}, {state.co2}}, {0}};
  }

  using AtTemperature = Real;
  KOKKOS_INLINE_FUNCTION static AtTemperature at_temperature(Real temperature) { return temperature; }

  /// Planck radiance of the interval around a wavenumber [W m-2 sr-1].
  KOKKOS_INLINE_FUNCTION Real planck(int lane, Real temperature) const {
    return model.width(lane) * planck_radiance(model.wavenumber(lane), temperature);
  }

  /// Nobody asks for it.
  KOKKOS_INLINE_FUNCTION Real planck_derivative(int, Real) const { return 0; }

  KOKKOS_INLINE_FUNCTION int emissivity_band(int lane) const { return model.band(lane); }

  struct WaterPath {
    KOKKOS_INLINE_FUNCTION WaterPath& operator+=(WaterPath const&) { return *this; }
  };
  KOKKOS_INLINE_FUNCTION WaterPath water_path(Columns<ExecutionSpace, Real> const&, int, int) const { return {}; }
  KOKKOS_INLINE_FUNCTION Real secant(int, WaterPath const&, Real) const {
    return static_cast<Real>(Model::diffusivity);
  }
};

/// Brings what is known of the sets to the device of `space`. Fences.
template <class Optics, class ExecutionSpace>
SetTable<ExecutionSpace> make_set_table(ExecutionSpace const& space, std::vector<LaneGroup> const& groups) {
  constexpr int nset = Optics::nset;
  std::vector<int> first_lane(nset), lanes(nset), first_pair(nset), pairs(nset), order(nset);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    auto const set = static_cast<std::size_t>(groups[i].set);
    if (lanes[set] == 0) first_lane[set] = static_cast<int>(i) * Optics::width;
    lanes[set] += Optics::width;
  }
  SetTable<ExecutionSpace> table;
  for (int set = 0; set < nset; ++set) {
    auto const at = static_cast<std::size_t>(set);
    order[at] = set;
    pairs[at] = Optics::pairs(set);
    first_pair[at] = table.npair;
    table.npair += pairs[at];
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return pairs[static_cast<std::size_t>(a)] < pairs[static_cast<std::size_t>(b)];
  });
  auto const upload = [&](char const* label, std::vector<int> const& from) {
    Array<int*, ExecutionSpace> const to(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string(label)),
                                         from.size());
    Kokkos::deep_copy(space, to, HostArray<int const*>(from.data(), from.size()));
    space.fence("parhelion::fluxes::make_set_table");
    return to;
  };
  table.first_lane = upload("parhelion::fluxes::first_lane", first_lane);
  table.lanes = upload("parhelion::fluxes::lanes", lanes);
  table.first_pair = upload("parhelion::fluxes::first_pair", first_pair);
  table.pairs = upload("parhelion::fluxes::pairs", pairs);
  table.order = upload("parhelion::fluxes::order", order);
  return table;
}

}  // namespace parhelion::fluxes::Impl

#endif
