// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks of longwave fluxes share: columns and clouds to solve, and what a solve is measured by.
#ifndef PARHELION_PERF_LONGWAVE_COLUMNS_HPP
#define PARHELION_PERF_LONGWAVE_COLUMNS_HPP

#include "rrtmg_lw/band_terms.hpp"

#include "machine.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/rrtmg_lw/gas_optics.hpp>
#include <parhelion/fluxes/simple/simple_spectral.hpp>
#include <parhelion/io/rrtmg_files.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <optional>
#include <tuple>
#include <utility>

namespace parhelion::Perf {

using namespace fluxes;

extern std::optional<Coefficients> coefficients;
extern bool tiny;

/// \brief Looks for the coefficients of RRTMG_LW and reads them.
/// \param otherwise begins the message where there are none, such as "perf_longwave: without RRTMG's gas optics: "
inline void read_coefficients(char const* otherwise) {
  try {
    coefficients.emplace(io::read_rrtmg_lw_data(io::find_rrtmg_lw_data(), record_values()));
  } catch (Error const& error) {
    std::cerr << otherwise << error.what() << '\n';
  }
}

/// Benchmarks of the ways to cut the work that are not the library's, for comparison.
void add_parallelism();

// A number in [0, 1) for each column and layer: humidity is random, so that no two columns take the same path.
inline double random_number(std::uint64_t key) {
  key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((key ^ (key >> 31U)) >> 11U) * 0x1p-53;
}

/// \brief What `make` makes, kept for the next call with the same key. Google Benchmark calls a benchmark several times
///        with the same sizes, and making its columns takes longer than solving them.
/// \param key  what the value depends on; every place that calls this keeps one value, that of its last key
/// \param make makes it
template <class Key, class Make>
auto kept(Key const& key, Make const& make) {
  static std::optional<std::pair<Key, decltype(make())>> last;
  static bool const cleared_at_the_end = (Kokkos::push_finalize_hook([] { last.reset(); }), true);
  static_cast<void>(cleared_at_the_end);
  if (!last || last->first != key) {
    last.reset();  // one at a time: they are large
    last.emplace(key, make());
  }
  return last->second;
}

/// Calls action(column) on all threads of the host.
template <class Action>
void for_each_column(int ncol, Action const& action) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for("perf_longwave::for_each_column", Kokkos::RangePolicy<Host>(0, ncol), action);
  Host().fence("perf_longwave::for_each_column");
}

template <class Space, class Real>
Columns<Space, Real> make_random_columns(int ncol, int nlay, ModelSizes const& sizes) {
  auto const device = make_columns<Space, Real>(ncol, nlay, sizes.nband, false, sizes);
  auto const p_lay = Kokkos::create_mirror_view(device.pressure_lay);
  auto const p_lev = Kokkos::create_mirror_view(device.pressure_lev);
  auto const t_lay = Kokkos::create_mirror_view(device.temperature_lay);
  auto const t_lev = Kokkos::create_mirror_view(device.temperature_lev);
  auto const t_sfc = Kokkos::create_mirror_view(device.temperature_sfc);
  auto const emis = Kokkos::create_mirror_view(device.emissivity_sfc);
  auto const ratio = Kokkos::create_mirror_view(device.vmr);
  for_each_column(ncol, [=](int c) {
    double const warm = 30 * random_number(3 * c + 1) - 20;
    double const surface = 96000 + 8000 * random_number(3 * c + 2);
    auto const temperature = [&](double p) {
      double const height = 7500 * std::log(surface / p);
      return height < 12000 ? 288 + warm - 0.0062 * height : std::fmin(213.6 + warm + 0.0015 * (height - 12000), 275);
    };
    for (int k = 0; k <= nlay; ++k) {
      double const p = surface * std::pow(10.0 / surface, std::pow(static_cast<double>(k) / nlay, 1.3));
      p_lev(c, k) = static_cast<Real>(p);
      t_lev(c, k) = static_cast<Real>(temperature(p));
    }
    for (int k = 0; k < nlay; ++k) {
      double const p = 0.5 * (static_cast<double>(p_lev(c, k)) + static_cast<double>(p_lev(c, k + 1)));
      p_lay(c, k) = static_cast<Real>(p);
      t_lay(c, k) = static_cast<Real>(temperature(p));
      double const humidity = random_number(1000003ULL * c + k);
      double const saturation = 611 * std::exp(17.3 * (temperature(p) - 273.16) / (temperature(p) - 35.9)) / p;
      for (int gas = 0; gas < sizes.ngas; ++gas) {
        double value = 0;
        switch (static_cast<Gas>(gas)) {
          case Gas::h2o:
            value = std::fmax(3e-6, std::fmin(0.04, humidity * saturation));
            break;
          case Gas::co2:
            value = 4.1e-4;
            break;
          case Gas::o3:
            value = 8e-6 * std::exp(-std::pow(std::log(p / 1000) / 1.3, 2)) + 3e-8;
            break;
          case Gas::n2o:
            value = 3.3e-7;
            break;
          case Gas::co:
            value = 1.2e-7;
            break;
          case Gas::ch4:
            value = 1.9e-6;
            break;
          case Gas::o2:
            value = 0.209;
            break;
          case Gas::ccl4:
            value = 8e-11;
            break;
          case Gas::cfc11:
            value = 2.3e-10;
            break;
          case Gas::cfc12:
            value = 5e-10;
            break;
          case Gas::cfc22:
            value = 2.4e-10;
            break;
          case Gas::n2:
            value = 0.781;
            break;
          case Gas::hfc143a:
            value = 2.5e-11;
            break;
          case Gas::hfc125:
            value = 3e-11;
            break;
          case Gas::hfc23:
            value = 3.3e-11;
            break;
          case Gas::hfc32:
            value = 2e-11;
            break;
          case Gas::hfc134a:
            value = 1e-10;
            break;
          case Gas::cf4:
            value = 8.7e-11;
            break;
          case Gas::no2:
            value = 1e-10;
            break;
        }
        ratio(c, gas, k) = static_cast<Real>(value);
      }
    }
    t_sfc(c) = static_cast<Real>(temperature(surface) + 1);
    for (int b = 0; b < sizes.nband; ++b) emis(c, b) = static_cast<Real>(0.95);
  });
  parhelion::assign_array(device.pressure_lay, p_lay);
  parhelion::assign_array(device.pressure_lev, p_lev);
  parhelion::assign_array(device.temperature_lay, t_lay);
  parhelion::assign_array(device.temperature_lev, t_lev);
  parhelion::assign_array(device.temperature_sfc, t_sfc);
  parhelion::assign_array(device.emissivity_sfc, emis);
  parhelion::assign_array(device.vmr, ratio);
  return device;
}

/// \brief Columns of random temperature and humidity, with all gases of a model. Not to be changed: they are kept.
/// \param sizes of the model
template <class Space, class Real>
Columns<Space, Real> random_columns(int ncol, int nlay, ModelSizes const& sizes = rrtmg_sizes) {
  return kept(std::tuple(ncol, nlay, sizes), [&] { return make_random_columns<Space, Real>(ncol, nlay, sizes); });
}

template <class Space, class Real>
Clouds<Space, Real> make_random_clouds(Columns<Space, Real> const& columns) {
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  auto const clouds = make_layer_clouds<Space, Real>(ncol, nlay);
  auto const p_lay = parhelion::host_copy(columns.pressure_lay);
  auto const fraction = Kokkos::create_mirror_view(clouds.fraction);
  auto const ice_path = Kokkos::create_mirror_view(clouds.ice_path);
  auto const liquid_path = Kokkos::create_mirror_view(clouds.liquid_path);
  auto const ice_size = Kokkos::create_mirror_view(clouds.ice_size);
  auto const liquid_size = Kokkos::create_mirror_view(clouds.liquid_size);
  for_each_column(ncol, [=](int c) {
    auto const random = [&](int which) { return random_number(7000003ULL * c + which); };
    for (int k = 0; k < nlay; ++k) {
      double const p = static_cast<double>(p_lay(c, k));
      double const bottom = 95000 - 25000 * random(1), top = bottom - 25000 * random(2);
      double const ice_bottom = 45000 - 15000 * random(3), ice_top = ice_bottom - 15000 * random(4);
      bool const water = c % 5 != 0 && p < bottom && p > top;
      bool const ice = c % 5 != 0 && p < ice_bottom && p > ice_top;
      fraction(c, k) = static_cast<Real>(water ? random(5) : ice ? random(6) : 0);
      liquid_path(c, k) = static_cast<Real>(water ? 5e-3 + 60e-3 * random(7) : 0);
      ice_path(c, k) = static_cast<Real>(ice ? 1e-3 + 20e-3 * random(8) : 0);
      liquid_size(c, k) = static_cast<Real>(5e-6 + 15e-6 * random(9));
      ice_size(c, k) = static_cast<Real>(20e-6 + 80e-6 * random(10));
    }
  });
  parhelion::assign_array(clouds.fraction, fraction);
  parhelion::assign_array(clouds.ice_path, ice_path);
  parhelion::assign_array(clouds.liquid_path, liquid_path);
  parhelion::assign_array(clouds.ice_size, ice_size);
  parhelion::assign_array(clouds.liquid_size, liquid_size);
  return clouds;
}

// Clouds of layers as a model of the atmosphere has them: in a column one run of layers of water below 500 hPa and one
// of ice above, each of random place, depth and fraction; every fifth column is clear. Not to be changed: they are
// kept.
template <class Space, class Real>
Clouds<Space, Real> random_clouds(Columns<Space, Real> const& columns) {
  return kept(std::tuple(columns.ncol(), columns.nlay(), columns.pressure_lay.data()),
              [&] { return make_random_clouds(columns); });
}

/// \brief Clouds of g-points from those of layers: cloudy where the fraction is above a fixed number of the g-point.
/// \param optical_depth whether to have the array of optical depths, which is 0
inline Clouds<Kokkos::DefaultHostExecutionSpace, double> gpoint_clouds(
    Columns<Kokkos::DefaultHostExecutionSpace, double> const& columns, bool optical_depth) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const of_layers = random_clouds<Host, double>(columns);
  auto clouds = make_gpoint_clouds<Host, double>(columns.ncol(), columns.nlay(), optical_depth);
  clouds.ice_size = of_layers.ice_size;
  clouds.liquid_size = of_layers.liquid_size;
  for (int c = 0; c < columns.ncol(); ++c)
    for (int k = 0; k < columns.nlay(); ++k)
      for (int g = 0; g < ngpt; ++g) {
        clouds.fraction_gpt(c, k, g) = of_layers.fraction(c, k) > random_number(31ULL * g + 7) ? 1 : 0;
        clouds.ice_path_gpt(c, k, g) = of_layers.ice_path(c, k);
        clouds.liquid_path_gpt(c, k, g) = of_layers.liquid_path(c, k);
      }
  return clouds;
}

// Bytes that must move between the kernel and main memory: each input read once, each result written once. The
// coefficients, read by all columns, stay in the caches.
template <class Real>
double compulsory_bytes_per_column(int nlay) {
  int const nlev = nlay + 1;
  return static_cast<double>(sizeof(Real)) * (2 * nlay + 2 * nlev + 1 + nbnd + ngas * nlay + 2 * nlev + nlay);
}

// Operations for one g-point and layer beside its absorption terms: transmittance and source weight 30 (an exponential
// or a division counts as one), sources and layer maps 14, both sweeps 4 and their sums 2.
inline constexpr double transfer_operations = 50;

// Multiplications and additions of an average column of those that are solved.
template <class Real>
double operations_per_column(GasOptics<Kokkos::DefaultHostExecutionSpace, Real> const& model, int nlay) {
  constexpr int ncol = 16;
  auto const columns = make_random_columns<Kokkos::DefaultHostExecutionSpace, Real>(ncol, nlay, rrtmg_sizes);
  double operations = 0;
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) {
      rrtmg_lw::InterpolationState<Real> state;
      rrtmg_lw::set_interpolation_state(state, model.tables(), columns, c, k, k);
      for (int b = 0; b < nbnd; ++b) {
        using Terms = fluxes::Impl::AbsorptionTerms<Real>;
        typename Terms::Pack packs[Terms::packs(rrtmg_lw::max_absorption_pairs)];
        Terms terms;
        rrtmg_lw::set_terms(terms, packs, model.tables(), b, state);
        // Some have a row of no weight.
        int rows = 0;
        fluxes::Impl::PairList<Terms> const pairs(packs);
        for (int pair = 0; pair < terms.count + terms.more[0]; ++pair)
          for (int which : {0, 1}) rows += pairs.weight(which, pair)[0] != 0;
        operations += model.tables().bands(b).ng * (2.0 * rows + 3 + transfer_operations);
      }
    }
  return operations / ncol;
}

template <class Space, class Real>
double operations_per_column(GasOptics<Space, Real> const&, int nlay) {
  return kept(nlay, [&] {
    return operations_per_column(GasOptics<Kokkos::DefaultHostExecutionSpace, Real>(*coefficients), nlay);
  });
}

template <class Space, class Real>
double operations_per_column(SimpleSpectral<Space, Real> const&, int nlay) {
  return SimpleSpectral<Space, Real>::nwavenumber * nlay * (4 + transfer_operations);
}

/// Rate of `ncol` columns that took `seconds` in all of the state's iterations, and fractions of the machine's limits.
template <class Space, class Model>
void set_counters(benchmark::State& state, Space const& space, Model const& model, int ncol, int nlay, double seconds) {
  using Real = typename Model::value_type;
  double const rate = ncol * static_cast<double>(state.iterations()) / seconds;
  state.counters["columns/s"] = rate;
  set_work_counters(state, limits<Space, Real>(space, tiny), rate * compulsory_bytes_per_column<Real>(nlay),
                    rate * operations_per_column(model, nlay));
}

}  // namespace parhelion::Perf

#endif
