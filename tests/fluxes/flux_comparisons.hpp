// SPDX-License-Identifier: BSD-3-Clause
// Fluxes beside those of files and of other runs.
#ifndef PARHELION_TESTS_FLUX_COMPARISONS_HPP
#define PARHELION_TESTS_FLUX_COMPARISONS_HPP

#include "comparisons.hpp"
#include "plain_transfer.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion::Testing {

/// Options of a run in the space and the precision of a typed test.
template <class Pair, class Options>
Options options_of(Options options) {
  options.space = Pair::ExecutionSpace::name();
  options.precision = std::is_same_v<typename Pair::Real, float> ? Precision::float32 : Precision::float64;
  return options;
}

/// The largest of some differences, which a number that is not finite exceeds.
struct Largest {
  double value = 0;
  std::string where = {};

  void add(double mine, double expected, std::string const& place) {
    double const difference = std::abs(mine - expected);
    if (difference <= value) return;
    value = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    where = fmt::format("{}: {:.17g}, expected {:.17g}", place, mine, expected);
  }
};

/// Fills (column, layer, ...) from a variable that begins at the top.
template <class View>
void fill_from_top(View const& view, io::Hdf5File const& file, std::string const& name) {
  auto const values = file.read(name);
  ASSERT_EQ(values.size(), view.size()) << name;
  std::size_t const n = view.extent(1);
  for (std::size_t c = 0; c < view.extent(0); ++c)
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t const from = c * n + n - 1 - k;
      if constexpr (View::rank() == 2)
        view(c, k) = values[from];
      else
        for (std::size_t i = 0; i < view.extent(2); ++i) view(c, k, i) = values[from * view.extent(2) + i];
    }
}

/// Differences from a variable (column, level[, band]) that begins at the top, in the columns that `counts` says.
template <class View>
Largest largest_difference(
    View const& mine, io::Hdf5File const& file, std::string const& name,
    std::function<bool(int)> const& counts = [](int) { return true; }) {
  typename View::non_const_type const expected(name, mine.layout());
  fill_from_top(expected, file, name);
  Largest largest;
  std::size_t const row = mine.size() / mine.extent(0);
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (counts(static_cast<int>(i / row)))
      largest.add(mine.data()[i], expected.data()[i], fmt::format("{} of column {}, {}", name, i / row, i % row));
  return largest;
}

/// Expects differences of at most `most`, and tells the largest one.
inline void expect_largest(Largest const& largest, double most, std::string const& name) {
  EXPECT_LE(largest.value, most) << name << ": " << largest.where;
  testing::Test::RecordProperty(name, fmt::format("{:.2e}", largest.value));
}

/// The same arrays for the columns that column_of() names.
template <class Set>
Set columns_of(Set const& from, int n, std::function<int(int)> const& column_of) {
  Set to = from;
  Set::for_each_array(
      [&](ArrayDescription const&, auto const& source, auto& target) {
        using Target = std::decay_t<decltype(target)>;
        if (source.size() == 0) return;
        auto layout = source.layout();
        layout.dimension[0] = static_cast<std::size_t>(n);
        typename Target::non_const_type const copy("columns", layout);
        std::size_t const row = source.size() / source.extent(0);
        for (int c = 0; c < n; ++c)
          std::copy_n(source.data() + static_cast<std::size_t>(column_of(c)) * row, row,
                      copy.data() + static_cast<std::size_t>(c) * row);
        target = copy;
      },
      from, to);
  return to;
}

/// Expects that column `c` of `other` has the bits of column_of(c) of `one`, in all arrays of results.
template <class Set>
void expect_same_columns(
    Set const& one, Set const& other, std::string const& what,
    std::function<int(int)> const& column_of = [](int c) { return c; }) {
  Set::for_each_array(
      [&](ArrayDescription const& description, auto const& a, auto const& b) {
        ASSERT_EQ(a.size() == 0, b.size() == 0) << what << ": " << description.name;
        if (a.size() == 0) return;
        std::size_t const row = a.size() / a.extent(0);
        ASSERT_EQ(row, b.size() / b.extent(0)) << what << ": " << description.name;
        for (std::size_t c = 0; c < b.extent(0); ++c)
          EXPECT_TRUE(std::equal(b.data() + c * row, b.data() + (c + 1) * row,
                                 a.data() + static_cast<std::size_t>(column_of(static_cast<int>(c))) * row))
              << what << ": " << description.name << " of column " << c;
      },
      one, other);
}

/// Expects that the arrays of `some` have the bits of those of `all`, of which there may be more.
template <class Set>
void expect_part_of(Set const& all, Set const& some, std::string const& what) {
  Set::for_each_array(
      [&](ArrayDescription const& description, auto const& a, auto const& b) {
        if (b.size() > 0) {
          EXPECT_TRUE(same_bits(a, b)) << what << ": " << description.name;
        }
      },
      all, some);
}

/// Selections of the results of the shortwave, and what they are.
inline std::vector<std::pair<std::string, fluxes::ShortwaveOutputs>> selections_of_shortwave() {
  return {{"fluxes alone", {}},
          {"clear sky", {.clear = true}},
          {"parts", {.parts = true}},
          {"bands", {.bands = true}},
          {"clear sky and parts", {.clear = true, .parts = true}}};
}

/// The largest difference of fluxes of two runs.
template <class View>
double largest_difference(View const& a, View const& b) {
  double largest = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    double const difference = std::abs(a.data()[i] - b.data()[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

/// \brief Expects the same bits whatever columns are solved together, and however the work is divided.
/// \tparam Options HostLongwaveOptions or HostShortwaveOptions
/// \param solve    callable (columns, options): all outputs
template <class Options, class Set, class Solve>
void expect_same_however_divided(Set const& columns, Solve const& solve) {
  int const ncol = columns.ncol();
  auto const all = solve(columns, Options{});
  for (int const chunk : {1, 3}) {
    Options options;
    options.chunk = chunk;
    expect_same_columns(all, solve(columns, options), fmt::format("chunk {}", chunk));
  }
  for (int const layers : {1, 5, 17, 100}) {
    Options options;
    options.tuning.layers_per_block = layers;
    expect_same_columns(all, solve(columns, options), fmt::format("{} layers in a block", layers));
  }
  auto const other_way = [=](int c) { return ncol - 1 - c; };
  expect_same_columns(all, solve(columns_of(columns, ncol, other_way), Options{}), "columns the other way", other_way);
  auto const last = [=](int) { return ncol - 1; };
  expect_same_columns(all, solve(columns_of(columns, 1, last), Options{}), "a single column", last);
}

/// The same arrays in another memory.
template <class Space, class Set>
struct InSpace;
template <class Space, template <KokkosExecutionSpace, FloatingEntry, class> class Set, class Host, class Real,
          class Layout>
struct InSpace<Space, Set<Host, Real, Layout>> {
  using type = Set<Space, Real, Layout>;
};

/// \brief Fluxes from copies of the columns on a device.
/// \tparam Arrays  LongwaveArrays or ShortwaveArrays
/// \param  device  DeviceLongwave or DeviceShortwave
/// \param  results overwritten
template <class Arrays, class Space, class Device, class Set, class Results>
Results solve_on_device(Space const& space, Device& device, Set const& columns, Results const& results) {
  using Columns = typename InSpace<Space, Set>::type;
  using Fluxes = typename InSpace<Space, Results>::type;
  auto const there = make_device_arrays<Columns>(space, columns);
  auto const fluxes = make_device_arrays<Fluxes>(space, results);
  Arrays in;
  auto const ordered = in.in_order();
  std::size_t i = 0;
  Columns::for_each_array([&](ArrayDescription const&, auto const& view) { *ordered[i++] = array_ref(view); }, there);
  device.compute(space, in, array_refs(fluxes));
  EXPECT_TRUE(device.status(space).good());
  Results::for_each_array(
      [](ArrayDescription const&, auto const& to, auto const& from) {
        if (to.size() > 0) parhelion::assign_array(to, from);
      },
      results, fluxes);
  return results;
}

// --- beside plain evaluations -----------------------------------------------------------------------------------

/// The sum of a quantity over g-points at a level, each times weight(g).
template <class Weight>
double sum_over_gpoints(std::vector<PlainFluxes> const& gpoints, std::vector<double> PlainFluxes::*quantity,
                        std::size_t level, Weight const& weight) {
  double sum = 0;
  for (std::size_t g = 0; g < gpoints.size(); ++g) sum += weight(g) * (gpoints[g].*quantity)[level];
  return sum;
}

/// Adds the differences of a column's fluxes, and of those of bands where there are any.
/// \param band_of band of each g-point
inline void compare_longwave(Largest& largest, fluxes::HostFluxes const& mine, int c,
                             std::vector<PlainFluxes> const& gpoints, std::vector<int> const& band_of) {
  for (std::size_t k = 0; k < mine.flux_up.extent(1); ++k) {
    auto const one = [](std::size_t) { return 1.; };
    auto const place = [&](char const* what, std::size_t band) {
      return fmt::format("{} of column {}, level {} of {}, band {}", what, c, k, mine.flux_up.extent(1), band);
    };
    largest.add(mine.flux_up(c, k), sum_over_gpoints(gpoints, &PlainFluxes::up, k, one), place("flux_up", 0));
    largest.add(mine.flux_dn(c, k), sum_over_gpoints(gpoints, &PlainFluxes::down, k, one), place("flux_dn", 0));
    for (std::size_t b = 0; b < mine.flux_up_band.extent(2); ++b) {
      auto const of_band = [&](std::size_t g) { return band_of[g] == static_cast<int>(b) ? 1. : 0.; };
      largest.add(mine.flux_up_band(c, k, b), sum_over_gpoints(gpoints, &PlainFluxes::up, k, of_band),
                  place("flux_up_band", b));
      largest.add(mine.flux_dn_band(c, k, b), sum_over_gpoints(gpoints, &PlainFluxes::down, k, of_band),
                  place("flux_dn_band", b));
    }
  }
}

/// The same of the shortwave, with the parts of the spectrum.
/// \param uvvis_share of each g-point
inline void compare_shortwave(Largest& largest, fluxes::HostShortwaveFluxes const& mine, int c,
                              std::vector<PlainFluxes> const& gpoints, std::vector<int> const& band_of,
                              std::vector<double> const& uvvis_share) {
  for (std::size_t k = 0; k < mine.flux_up.extent(1); ++k) {
    auto const compare = [&](auto const& view, std::vector<double> PlainFluxes::*quantity, char const* what,
                             auto const& weight) {
      if (view.size() > 0)
        largest.add(view(c, k), sum_over_gpoints(gpoints, quantity, k, weight),
                    fmt::format("{} of column {}, level {} of {}", what, c, k, mine.flux_up.extent(1)));
    };
    auto const one = [](std::size_t) { return 1.; };
    auto const uvvis = [&](std::size_t g) { return uvvis_share[g]; };
    auto const nir = [&](std::size_t g) { return 1 - uvvis_share[g]; };
    compare(mine.flux_up, &PlainFluxes::up, "flux_up", one);
    compare(mine.flux_dn, &PlainFluxes::down, "flux_dn", one);
    compare(mine.flux_dn_direct, &PlainFluxes::direct, "flux_dn_direct", one);
    compare(mine.flux_dn_uvvis, &PlainFluxes::down, "flux_dn_uvvis", uvvis);
    compare(mine.flux_dn_nir, &PlainFluxes::down, "flux_dn_nir", nir);
    compare(mine.flux_dn_direct_uvvis, &PlainFluxes::direct, "flux_dn_direct_uvvis", uvvis);
    compare(mine.flux_dn_direct_nir, &PlainFluxes::direct, "flux_dn_direct_nir", nir);
    for (std::size_t b = 0; b < mine.flux_up_band.extent(2); ++b) {
      auto const of_band = [&](std::size_t g) { return band_of[g] == static_cast<int>(b) ? 1. : 0.; };
      auto const add = [&](double value, std::vector<double> PlainFluxes::*quantity, char const* what) {
        largest.add(value, sum_over_gpoints(gpoints, quantity, k, of_band),
                    fmt::format("{} of column {}, level {}, band {}", what, c, k, b));
      };
      add(mine.flux_up_band(c, k, b), &PlainFluxes::up, "flux_up_band");
      add(mine.flux_dn_band(c, k, b), &PlainFluxes::down, "flux_dn_band");
      add(mine.flux_dn_direct_band(c, k, b), &PlainFluxes::direct, "flux_dn_direct_band");
    }
  }
}

// --- what holds for any model -----------------------------------------------------------------------------------

/// Expects that heating rates are those of the fluxes, with 1004 J kg-1 K-1 and 9.80665 m s-2.
/// \param rounding of a flux [W m-2]
template <class Set, class Results>
void expect_heating_of_divergence(Set const& columns, Results const& f, double rounding) {
  for (int c = 0; c < columns.ncol(); ++c)
    for (int k = 0; k < columns.nlay(); ++k) {
      double const thickness = columns.pressure_lev(c, k) - columns.pressure_lev(c, k + 1);
      double const factor = 9.80665 * 86400 / 1004 / thickness;
      double const gained = (f.flux_dn(c, k + 1) - f.flux_up(c, k + 1)) - (f.flux_dn(c, k) - f.flux_up(c, k));
      EXPECT_NEAR(f.heating_rate(c, k), factor * gained, factor * (rounding + 1e-6 * std::abs(gained)))
          << "column " << c << ", layer " << k;
    }
}

/// Expects that the fluxes of bands, and of the parts of the spectrum, add up to those of all.
template <class Results>
void expect_sums(Results const& f, double rounding) {
  for (std::size_t c = 0; c < f.flux_up.extent(0); ++c)
    for (std::size_t k = 0; k < f.flux_up.extent(1); ++k) {
      auto const of_bands = [&](auto const& bands) {
        double sum = 0;
        for (std::size_t b = 0; b < bands.extent(2); ++b) sum += bands(c, k, b);
        return sum;
      };
      EXPECT_NEAR(of_bands(f.flux_up_band), f.flux_up(c, k), rounding);
      EXPECT_NEAR(of_bands(f.flux_dn_band), f.flux_dn(c, k), rounding);
      if constexpr (requires { f.flux_dn_uvvis; }) {
        EXPECT_NEAR(of_bands(f.flux_dn_direct_band), f.flux_dn_direct(c, k), rounding);
        EXPECT_NEAR(f.flux_dn_uvvis(c, k) + f.flux_dn_nir(c, k), f.flux_dn(c, k), rounding);
        EXPECT_NEAR(f.flux_dn_direct_uvvis(c, k) + f.flux_dn_direct_nir(c, k), f.flux_dn_direct(c, k), rounding);
      }
    }
}

/// Expects nothing but zeros in column `c` of all results.
template <class Set>
void expect_zero(Set const& fluxes, int c) {
  Set::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (view.size() == 0) return;
        std::size_t const row = view.size() / view.extent(0);
        for (std::size_t i = static_cast<std::size_t>(c) * row; i < static_cast<std::size_t>(c + 1) * row; ++i)
          EXPECT_EQ(view.data()[i], 0) << description.name;
      },
      fluxes);
}

}  // namespace parhelion::Testing

#endif
