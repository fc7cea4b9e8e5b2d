// SPDX-License-Identifier: BSD-3-Clause
#include "rrtmgp/host_tables.hpp"

#include "rrtmgp/layer_terms.hpp"

#include <parhelion/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace parhelion::fluxes::rrtmgp {

namespace {

/// \brief Places tables of rows beside each other.
///
/// Each table has the same number of g-points in all of its rows, which lie `stride` apart; tables with as many rows
/// share a block, where they fit.
class RowBlocks {
 public:
  /// \param stride    values from a row to the next one
  /// \param alignment first values of tables are multiples of this
  RowBlocks(int stride, int alignment) : m_stride(stride), m_alignment(alignment) {}

  /// \brief Makes room for a table.
  /// \return its first value; those of further rows follow `stride` apart
  int place(int rows, int width) {
    int const room = (width + m_alignment - 1) / m_alignment * m_alignment;
    for (auto& block : m_blocks)
      if (block.rows == rows && block.used + room <= m_stride) {
        int const first = block.first + block.used;
        block.used += room;
        return first;
      }
    std::size_t const first = m_size;
    m_size += static_cast<std::size_t>(rows) * static_cast<std::size_t>(m_stride);
    if (m_size > static_cast<std::size_t>(std::numeric_limits<int>::max()) - static_cast<std::size_t>(m_stride))
      throw Error("RRTMGP", "tables have more than 2^31 numbers, expected fewer");
    m_blocks.push_back({rows, static_cast<int>(first), room});
    return static_cast<int>(first);
  }

  /// Values of all blocks, and a row beyond them, which may be read and does not count.
  std::size_t size() const { return m_size + static_cast<std::size_t>(m_stride); }

 private:
  struct Block {
    int rows, first, used;
  };
  int m_stride;
  int m_alignment;
  std::size_t m_size = 0;
  std::vector<Block> m_blocks;
};

/// Fills HostTables.
class TableMaker {
 public:
  TableMaker(KDistribution const& k, SelectedGases const& selected, int alignment)
      : m_k(k), m_selected(selected), m_blocks(stride_of(k), alignment) {}

  HostTables make() {
    m_tables.stride = stride_of(m_k);
    set_axes();
    int const nt = m_k.ntemperature();
    m_tables.ratio.assign(static_cast<std::size_t>(m_k.nband() * nhalf * nt), 1);
    for (int b = 0; b < m_k.nband(); ++b) {
      auto const& band = m_k.bands[static_cast<std::size_t>(b)];
      BandRows<double> rows{};
      rows.ng = band.last_gpoint - band.first_gpoint + 1;
      rows.first_gpoint = band.first_gpoint - 1;
      int pairs = 0;
      for (int half = 0; half < nhalf; ++half) pairs = std::max(pairs, set_half(rows, b, half));
      m_tables.pairs.push_back(pairs);
      rows.solar_row = -1;
      if (!m_k.is_longwave()) {
        rows.solar_row = m_blocks.place(3, rows.ng);
        std::vector<double> const* const spectra[] = {&m_k.solar_quiet, &m_k.solar_facular, &m_k.solar_sunspot};
        for (int i = 0; i < 3; ++i)
          set_row(rows.solar_row, i, rows.ng,
                  [&](int g) { return (*spectra[i])[static_cast<std::size_t>(rows.first_gpoint + g)]; });
      }
      if (!m_k.angle_fit.empty()) {
        rows.angle_slope = m_k.angle_fit[static_cast<std::size_t>(2 * b)];
        rows.angle_intercept = m_k.angle_fit[static_cast<std::size_t>(2 * b + 1)];
      }
      m_tables.bands.push_back(rows);
    }
    m_tables.values.resize(m_blocks.size(), 0.);
    return std::move(m_tables);
  }

 private:
  /// The least multiple of what lanes are summed by that holds all g-points of any band.
  static int stride_of(KDistribution const& k) {
    constexpr int multiple = 16;
    int most = 1;
    for (auto const& band : k.bands) most = std::max(most, band.last_gpoint - band.first_gpoint + 1);
    return (most + multiple - 1) / multiple * multiple;
  }

  void set_axes() {
    auto& axes = m_tables.axes;
    int const nt = m_k.ntemperature();
    int const np = m_k.nlevel();
    axes.ntemperature = nt;
    axes.first_temperature = m_k.temperature.front();
    axes.last_temperature = m_k.temperature.back();
    axes.temperature_step = (axes.last_temperature - axes.first_temperature) / (nt - 1);
    axes.npressure = np;
    axes.first_pressure = m_k.pressure.front();
    axes.ln_pressure_step = (std::log(m_k.pressure.back()) - std::log(m_k.pressure.front())) / (np - 1);
    axes.tropopause_pressure = std::exp(std::log(m_k.tropopause_pressure));
    auto const distance = [&](double p) { return std::abs(std::log(p / m_k.tropopause_pressure)); };
    int const tropopause =
        static_cast<int>(std::min_element(m_k.pressure.begin(), m_k.pressure.end(),
                                          [&](double a, double b) { return distance(a) < distance(b); }) -
                         m_k.pressure.begin());
    // A layer within rounding of the tropopause is of one half or the other, and takes the tables of that one.
    axes.last_below = std::max(tropopause - 1, 0);
    axes.first_above = std::min(tropopause, np - 2);
    axes.nmixing = m_k.nmixing;
    axes.nplanck = m_k.nplanck;
    axes.planck_step = m_k.nplanck > 1 ? (axes.last_temperature - axes.first_temperature) / (m_k.nplanck - 1) : 1;
  }

  template <class Value>
  void set_row(int first, int row, int ng, Value const& value) {
    std::size_t const at =
        static_cast<std::size_t>(first) + static_cast<std::size_t>(row) * static_cast<std::size_t>(m_tables.stride);
    if (m_tables.values.size() < at + static_cast<std::size_t>(ng)) m_tables.values.resize(m_blocks.size(), 0.);
    for (int g = 0; g < ng; ++g) m_tables.values[at + static_cast<std::size_t>(g)] = value(g);
  }

  /// \brief Places a table over (pressure, temperature, mixing).
  ///
  /// Of a single key species only the middle between its two equal parts is needed.
  /// \param value called with pressure, temperature, mixing and the g-point of the band
  template <class Value>
  int add(int npressure, bool two_keys, int ng, Value const& value) {
    int const nt = m_k.ntemperature();
    int const nmixing = two_keys ? m_k.nmixing : 1;
    int const first = m_blocks.place(npressure * nt * nmixing, ng);
    auto const middle = mixing_of(1., 1., m_k.nmixing);
    double const weight[2] = {middle.weight[0][0], middle.weight[1][0]};
    int const entry = middle.entry[0];
    for (int p = 0; p < npressure; ++p)
      for (int t = 0; t < nt; ++t)
        for (int m = 0; m < nmixing; ++m)
          set_row(first, (p * nt + t) * nmixing + m, ng, [&](int g) {
            if (two_keys) return value(p, t, m, g);
            double const here = weight[0] * value(p, t, entry, g);
            // Without this, what must not count would, if it is infinite, say.
            return weight[1] == 0 ? here : here + weight[1] * value(p, t, entry + 1, g);
          });
    return first;
  }

  /// Returns the most pairs.
  int set_half(BandRows<double>& rows, int b, int half) {
    auto const at_half = static_cast<std::size_t>(half);
    auto const& flavor =
        m_selected.flavors[static_cast<std::size_t>(m_selected.flavor_of_band[static_cast<std::size_t>(b)][at_half])];
    HalfRows& to = rows.half[half];
    to.key[0] = flavor[0];
    to.key[1] = flavor[1];
    bool const two_keys = flavor[0] != flavor[1];
    to.two_keys = two_keys ? 1 : 0;
    int const nt = m_k.ntemperature();
    auto const& axes = m_tables.axes;
    if (two_keys) {
      auto const& key = m_k.bands[static_cast<std::size_t>(b)].key[at_half];
      for (int t = 0; t < nt; ++t) {
        auto const reference = [&](int gas) {
          return m_k
              .vmr[(static_cast<std::size_t>(t) * (m_k.gases.size() + 1) + static_cast<std::size_t>(gas)) * nhalf +
                   at_half];
        };
        m_tables.ratio[static_cast<std::size_t>((b * nhalf + half) * nt + t)] = reference(key[0]) / reference(key[1]);
      }
    }

    int const first_pressure = half == lower ? 0 : axes.first_above + 1;
    int const npressure = half == lower ? axes.last_below + 2 : m_k.nlevel() - axes.first_above;
    auto const of_major = [&](std::vector<double> const& from, int p, int t, int m, int g) {
      auto const row =
          (static_cast<std::size_t>(t) * (m_k.pressure.size() + 1) + static_cast<std::size_t>(first_pressure + p)) *
              static_cast<std::size_t>(m_k.nmixing) +
          static_cast<std::size_t>(m);
      return from[row * static_cast<std::size_t>(m_k.ngpoint) + static_cast<std::size_t>(rows.first_gpoint + g)];
    };
    auto const of_minor = [&](std::vector<double> const& from, int n, int t, int m, int g) {
      auto const row = static_cast<std::size_t>(t * m_k.nmixing + m);
      return from[row * static_cast<std::size_t>(n) + static_cast<std::size_t>(g)];
    };

    bool absorbs = false;
    for (int p = 0; p < npressure && !absorbs; ++p)
      for (int t = 0; t < nt && !absorbs; ++t)
        for (int m = 0; m < m_k.nmixing && !absorbs; ++m)
          for (int g = 0; g < rows.ng && !absorbs; ++g) absorbs = of_major(m_k.major, p, t, m, g) != 0;
    to.key_row = !absorbs ? -1 : add(npressure, two_keys, rows.ng, [&](int p, int t, int m, int g) {
      return column_unit * of_major(m_k.major, p, t, m, g);
    });
    int pairs = absorbs ? (two_keys ? 4 : 2) : 0;
    if (m_k.is_longwave())
      to.second_row = add(npressure, two_keys, rows.ng,
                          [&](int p, int t, int m, int g) { return of_major(m_k.planck_fraction, p, t, m, g); });
    else
      to.second_row = add(1, two_keys, rows.ng, [&](int, int t, int m, int g) {
        return column_unit * of_minor(m_k.rayleigh[at_half], m_k.ngpoint, t, m, rows.first_gpoint + g);
      });

    to.first_minor = static_cast<int>(m_tables.minors.size());
    auto const& table = m_k.minor[at_half];
    for (auto const& minor : m_selected.minor[at_half]) {
      if (minor.band != b) continue;
      auto const& interval = table.intervals[static_cast<std::size_t>(minor.interval)];
      int const from = interval.first_gpoint - 1 - rows.first_gpoint;
      int const to_last = interval.last_gpoint - 1 - rows.first_gpoint;
      int const row = add(1, two_keys, rows.ng, [&](int, int t, int m, int g) {
        if (g < from || g > to_last) return 0.;
        return column_unit * of_minor(table.coefficients, table.ncontributor, t, m, interval.start - 1 + g - from);
      });
      m_tables.minors.push_back({.gas = minor.gas,
                                 .scaling_gas = minor.scales_with_density ? minor.scaling_gas : -1,
                                 .scales_with_density = minor.scales_with_density ? 1 : 0,
                                 .by_complement = minor.by_complement ? 1 : 0,
                                 .row = row});
      ++to.nminor;
      pairs += two_keys ? 2 : 1;
    }
    return pairs;
  }

  KDistribution const& m_k;
  SelectedGases const& m_selected;
  RowBlocks m_blocks;
  HostTables m_tables;
};

}  // namespace

HostTables host_tables(KDistribution const& k, SelectedGases const& selected, int alignment) {
  return TableMaker(k, selected, alignment).make();
}

}  // namespace parhelion::fluxes::rrtmgp
