// SPDX-License-Identifier: BSD-3-Clause
// The reference cases of RRTMGP, and its formulas written down plainly.
#ifndef PARHELION_TESTS_RRTMGP_REFERENCE_HPP
#define PARHELION_TESTS_RRTMGP_REFERENCE_HPP

#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>
#include <parhelion/io/hdf5.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace parhelion::Testing {

using fluxes::rrtmgp::KDistribution;

/// Columns with all gases, of which none has any amount.
inline fluxes::HostColumns columns_of_all_gases(int ncol, int nlay, int nband) {
  auto columns = fluxes::make_columns<Kokkos::DefaultHostExecutionSpace, double>(ncol, nlay, nband);
  columns.vmr =
      HostArray<double***>("vmr", static_cast<std::size_t>(ncol), fluxes::ngas_all, static_cast<std::size_t>(nlay));
  return columns;
}

/// The gases that a case offers.
inline fluxes::GasSet gases_of_case(io::Hdf5File const& file) {
  fluxes::GasSet set;
  std::istringstream names(file.text_attribute("", "gases").value());
  for (std::string name; names >> name;) set.insert(fluxes::find_gas(name).value());
  return set;
}

/// The atmosphere of a case, with layer 0 next to the surface. Files begin at the top.
inline fluxes::HostColumns read_rrtmgp_columns(io::Hdf5File const& file) {
  auto const shape = file.shape("play");
  int const ncol = static_cast<int>(shape.at(0));
  int const nlay = static_cast<int>(shape.at(1));
  bool const longwave = file.exists("emissivity");
  int const nband = longwave ? static_cast<int>(file.shape("emissivity").at(1)) : 1;
  auto const columns = columns_of_all_gases(ncol, nlay, nband);
  auto const fill = [&](auto const& view, std::string const& name) {
    auto const values = file.read(name);
    int const n = static_cast<int>(view.extent(1));
    for (int c = 0; c < ncol; ++c)
      for (int k = 0; k < n; ++k) view(c, k) = values.at(static_cast<std::size_t>(c * n + n - 1 - k));
  };
  fill(columns.pressure_lay, "play");
  fill(columns.pressure_lev, "plev");
  fill(columns.temperature_lay, "tlay");
  if (longwave) {
    fill(columns.temperature_lev, "tlev");
    auto const skin = file.read("tsfc");
    auto const emissivity = file.read("emissivity");
    for (int c = 0; c < ncol; ++c) columns.temperature_sfc(c) = skin.at(static_cast<std::size_t>(c));
    for (std::size_t i = 0; i < emissivity.size(); ++i) columns.emissivity_sfc.data()[i] = emissivity[i];
  }
  for (int gas = 0; gas < fluxes::ngas_all; ++gas) {
    std::string const name = "vmr_" + std::string(fluxes::name_of(static_cast<fluxes::Gas>(gas)));
    if (file.exists(name)) fill(Kokkos::subview(columns.vmr, Kokkos::ALL, gas, Kokkos::ALL), name);
  }
  return columns;
}

/// \brief RRTMGP's formulas for one layer and g-point, with nothing but the file's own arrays and numbers.
///
/// Indices count from 1, as in the formulas.
class PlainRrtmgp {
 public:
  PlainRrtmgp(KDistribution const& k, fluxes::GasSet const& offered) : m_k(k), m_offered(offered) {}

  struct Layer {
    double pressure, temperature, thickness;
    std::vector<double> vmr;  // of each gas of the file
  };
  struct Result {
    double major = 0, absorption = 0, rayleigh = 0, fraction = 0;
  };

  Result at(Layer const& layer, int g) const {
    int const nt = m_k.ntemperature();
    int const np = m_k.nlevel();
    double const first = m_k.temperature.front();
    double const dt = (m_k.temperature.back() - first) / (nt - 1);
    int const j = static_cast<int>((layer.temperature - (first - dt)) / dt);
    int const jt = std::clamp(j, 1, nt - 1);
    double const ft = (layer.temperature - m_k.temperature.at(static_cast<std::size_t>(j - 1))) / dt;
    double const d = (std::log(m_k.pressure.back()) - std::log(m_k.pressure.front())) / (np - 1);
    double const x = 1 + (std::log(layer.pressure) - std::log(m_k.pressure.front())) / d;
    int const jp = std::clamp(static_cast<int>(x), 1, np - 1);
    double const fp = x - jp;
    int const h = layer.pressure > std::exp(std::log(m_k.tropopause_pressure)) ? 0 : 1;

    int const h2o = number("h2o");
    double const w = vmr(layer, h2o);
    double const f = 1 / (1 + w);
    double const molar = (0.028964 + 0.018016 * w) * f;
    double const dry = 10 * layer.thickness * 6.02214076e23 * f / (1000 * molar * 100 * 9.80665);
    auto const column = [&](int gas) { return gas == 0 ? dry : vmr(layer, gas) * dry; };

    auto const& band = *std::find_if(m_k.bands.begin(), m_k.bands.end(),
                                     [&](auto const& one) { return one.first_gpoint <= g && g <= one.last_gpoint; });
    auto key = band.key[static_cast<std::size_t>(h)];
    if (key == std::array{0, 0}) key = {second_kept(), second_kept()};
    Result result;
    int const neta = m_k.nmixing;
    for (int i = 0; i < 2; ++i) {
      int const t = jt + i;
      double const wt = i == 0 ? 1 - ft : ft;
      double const r = reference(t, key[0], h) / reference(t, key[1], h);
      double const mix = column(key[0]) + r * column(key[1]);
      double const eta = mix > 2 * std::numeric_limits<double>::min() ? column(key[0]) / mix : 0.5;
      double const y = eta * (neta - 1);
      int const je = std::min(static_cast<int>(y) + 1, neta - 1);
      double const fe = y - static_cast<int>(y);
      auto const in_eta = [&](auto const& value) { return (1 - fe) * value(je) + fe * value(je + 1); };
      auto const in_both = [&](std::vector<double> const& table) {
        double sum = 0;
        for (int p = 0; p < 2; ++p)
          sum += (p == 0 ? 1 - fp : fp) * in_eta([&](int e) { return major(table, t, jp + h + p, e, g); });
        return sum;
      };
      result.major += wt * mix * in_both(m_k.major);
      if (m_k.is_longwave())
        result.fraction += wt * in_both(m_k.planck_fraction);
      else
        result.rayleigh += wt * (column(h2o) + dry) * in_eta([&](int e) {
                             return small(m_k.rayleigh[static_cast<std::size_t>(h)], m_k.ngpoint, t, e, g);
                           });
      auto const& minor = m_k.minor[static_cast<std::size_t>(h)];
      for (auto const& interval : minor.intervals) {
        if (g < interval.first_gpoint || g > interval.last_gpoint) continue;
        int const gas = gas_of(interval.identifier);
        if (!is_offered(gas)) continue;
        double s = column(gas);
        if (interval.scales_with_density == 1) {
          s *= 0.01 * layer.pressure / layer.temperature;
          int const scaling = interval.scaling_gas.empty() ? 0 : number(interval.scaling_gas);
          if (scaling > 0 && is_offered(scaling)) {
            double const share = (column(scaling) / dry) / (1 + column(h2o) / dry);
            s *= interval.by_complement == 1 ? 1 - share : share;
          }
        }
        result.absorption +=
            wt * s * in_eta([&](int e) {
              return small(minor.coefficients, minor.ncontributor, t, e, interval.start + g - interval.first_gpoint);
            });
      }
    }
    result.absorption += result.major;
    return result;
  }

  /// Planck radiance of band b, from 1.
  double planck(int b, double temperature) const {
    double const first = m_k.temperature.front();
    double const step = (m_k.temperature.back() - first) / (m_k.nplanck - 1);
    double const z = (temperature - first) / step;
    double const fraction = z - static_cast<int>(z);
    int const entry = std::clamp(static_cast<int>(z) + 1, 1, m_k.nplanck - 1);
    auto const at = [&](int i) { return m_k.planck.at(static_cast<std::size_t>((b - 1) * m_k.nplanck + i - 1)); };
    return at(entry) + fraction * (at(entry + 1) - at(entry));
  }

 private:
  int number(std::string const& name) const {
    return static_cast<int>(std::find(m_k.gases.begin(), m_k.gases.end(), name) - m_k.gases.begin()) + 1;
  }
  int gas_of(std::string const& identifier) const {
    for (auto const& one : m_k.identifiers)
      if (one.identifier == identifier) return number(one.gas);
    return 0;
  }
  bool is_offered(int gas) const {
    auto const known = fluxes::find_gas(m_k.gases.at(static_cast<std::size_t>(gas - 1)));
    return known && m_offered.contains(*known);
  }
  int second_kept() const {
    int n = 0;
    for (int gas = 1;; ++gas)
      if (is_offered(gas) && ++n == 2) return gas;
  }
  static double vmr(Layer const& layer, int gas) { return layer.vmr.at(static_cast<std::size_t>(gas - 1)); }
  double reference(int t, int gas, int h) const {
    auto const n = static_cast<int>(m_k.gases.size()) + 1;
    return m_k.vmr.at(static_cast<std::size_t>(((t - 1) * n + gas) * 2 + h));
  }
  double major(std::vector<double> const& table, int t, int p, int e, int g) const {
    return table.at(
        static_cast<std::size_t>((((t - 1) * (m_k.nlevel() + 1) + p - 1) * m_k.nmixing + e - 1) * m_k.ngpoint + g - 1));
  }
  double small(std::vector<double> const& table, int n, int t, int e, int at) const {
    return table.at(static_cast<std::size_t>(((t - 1) * m_k.nmixing + e - 1) * n + at - 1));
  }

  KDistribution const& m_k;
  fluxes::GasSet m_offered;
};

}  // namespace parhelion::Testing

#endif
