// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>

#include "device_tables.hpp"
#include "lane_optics.hpp"
#include "rrtmgp/layer_terms.hpp"
#include "rrtmgp/particle_tables.hpp"
#include "rrtmgp/tables.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace parhelion::fluxes::rrtmgp {

namespace {

struct Quadrature {
  double cosine, weight;
};
constexpr Quadrature quadratures[Angles::most][Angles::most] = {
    {{0.6096748751, 1}},
    {{0.2509907356, 0.2300253764}, {0.7908473988, 0.7699746236}},
    {{0.1024922169, 0.0437820218}, {0.4417960320, 0.3875796738}, {0.8633751621, 0.5686383044}},
    {{0.0454586727, 0.0092068785},
     {0.2322334416, 0.1285704278},
     {0.5740198775, 0.4323381850},
     {0.9030775973, 0.4298845087}}};

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

/// The tables of a k-distribution for some gases, on the host.
struct HostTables {
  Axes<double> axes{};
  int stride = 0;
  std::vector<double> values;
  std::vector<BandRows<double>> bands;
  std::vector<MinorRows> minors;
  std::vector<int> pairs;     // (band): most
  std::vector<double> ratio;  // (band, half, temperature)
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
    for (int p = 0; p < npressure; ++p)
      for (int t = 0; t < nt; ++t)
        for (int m = 0; m < nmixing; ++m)
          set_row(first, (p * nt + t) * nmixing + m, ng, [&](int g) {
            if (two_keys) return value(p, t, m, g);
            double const here = middle.weight[0] * value(p, t, middle.entry, g);
            // Without this, what must not count would, if it is infinite, say.
            return middle.weight[1] == 0 ? here : here + middle.weight[1] * value(p, t, middle.entry + 1, g);
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

template <class Real>
BandRows<Real> convert(BandRows<double> const& from) {
  BandRows<Real> to{};
  for (int half = 0; half < nhalf; ++half) to.half[half] = from.half[half];
  to.ng = from.ng;
  to.first_gpoint = from.first_gpoint;
  to.solar_row = from.solar_row;
  to.angle_slope = static_cast<Real>(from.angle_slope);
  to.angle_intercept = static_cast<Real>(from.angle_intercept);
  return to;
}

template <class Real>
Axes<Real> convert(Axes<double> const& from) {
  return {.ntemperature = from.ntemperature,
          .first_temperature = static_cast<Real>(from.first_temperature),
          .temperature_step = static_cast<Real>(from.temperature_step),
          .last_temperature = static_cast<Real>(from.last_temperature),
          .npressure = from.npressure,
          .first_pressure = static_cast<Real>(from.first_pressure),
          .ln_pressure_step = static_cast<Real>(from.ln_pressure_step),
          .tropopause_pressure = static_cast<Real>(from.tropopause_pressure),
          .last_below = from.last_below,
          .first_above = from.first_above,
          .nmixing = from.nmixing,
          .nplanck = from.nplanck,
          .planck_step = static_cast<Real>(from.planck_step)};
}

Angles checked(Angles const& angles, KDistribution const& k) {
  if (angles.n < 1 || angles.n > Angles::most)
    throw Error("Longwave", fmt::format("number of angles is {}, expected 1 to {}", angles.n, int{Angles::most}));
  if (angles.optimal && angles.n != 1)
    throw Error("Longwave", fmt::format("number of optimal angles is {}, expected 1", angles.n));
  if (angles.optimal && k.angle_fit.empty())
    throw Error(k.file, "has no optimal_angle_fit, expected it for optimal angles");
  return angles;
}

}  // namespace

double Angles::cosine(int i) const { return quadratures[n - 1][i].cosine; }
double Angles::weight(int i) const { return quadratures[n - 1][i].weight; }

double uvvis_share(BandLimits const& band) {
  double const above = band.wavenumber_high - std::max(band.wavenumber_low, constants::uvvis_from);
  return std::max(above, 0.) / (band.wavenumber_high - band.wavenumber_low);
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Model<ExecutionSpace, Real>::Data {
  Tables<ExecutionSpace, Real> tables;
  CloudTables<ExecutionSpace, Real> clouds;
  AerosolTables<ExecutionSpace, Real> aerosol;
  bool has_clouds = false;
  bool has_aerosol = false;
  Validity validity;
  std::vector<Gas> gases;
  std::vector<BandLimits> bands;
  std::vector<int> gpoints;
  std::vector<int> pairs;
  int ngpoint;
};

namespace {

/// Layers must lie within the tables; levels may have any pressure.
Validity validity_of(KDistribution const& k, Particles const& particles) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Validity validity{.temperature = {k.temperature.front(), k.temperature.back()},
                    .pressure = {k.pressure.back(), k.pressure.front()},
                    .vmr = {0, infinity},
                    .low_pressure = 0,
                    .lowest_temperature = k.temperature.front(),
                    .level_pressure = ValidRange{0, infinity},
                    .particle_sizes = {}};
  if (particles.clouds == nullptr && particles.aerosol == nullptr) return validity;
  SizeRange const any{0, infinity};
  validity.particle_sizes = ParticleSizes{.liquid = any, .ice = any, .aerosol = any};
  if (particles.clouds != nullptr) {
    validity.particle_sizes->liquid = particles.clouds->liquid.sizes();
    validity.particle_sizes->ice = particles.clouds->ice.sizes();
  }
  if (particles.aerosol != nullptr) validity.particle_sizes->aerosol = particles.aerosol->sizes();
  return validity;
}

/// Refuses optics of particles that are not of the bands and g-points of the k-distribution.
void check_particles(KDistribution const& k, Particles const& particles) {
  SpectralBands bands;
  for (auto const& band : k.bands) {
    bands.wavenumbers.push_back(band.wavenumber_low);
    bands.wavenumbers.push_back(band.wavenumber_high);
    bands.gpoints.push_back(band.first_gpoint);
    bands.gpoints.push_back(band.last_gpoint);
  }
  if (particles.clouds != nullptr) expect_bands(particles.clouds->where, particles.clouds->bands, bands);
  if (particles.aerosol != nullptr) expect_bands(particles.aerosol->where, particles.aerosol->bands, bands);
}

}  // namespace

ModelDescription describe(KDistribution const& k, GasSet const& offered, Particles const& particles) {
  check(k);
  check_particles(k, particles);
  auto const selected = select_gases(k, offered);
  ModelDescription model{.name = "RRTMGP",
                         .sizes = {.ngas = ngas_all, .nband = k.nband(), .ngpoint = k.ngpoint},
                         .validity = validity_of(k, particles),
                         .bands = {},
                         .required = required_gases(k),
                         .defaults = {},
                         .known = {},
                         .gpoints = {}};
  for (auto const gas : selected.kept) model.known.insert(gas);
  for (auto const& band : k.bands) {
    model.bands.push_back({band.wavenumber_low, band.wavenumber_high});
    model.gpoints.push_back(band.last_gpoint - band.first_gpoint + 1);
  }
  return model;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Model<ExecutionSpace, Real>::Model(ExecutionSpace const& space, KDistribution const& k, GasSet const& offered,
                                   bool longwave, Particles const& particles) {
  check(k);
  if (k.is_longwave() != longwave)
    throw Error(k.file, fmt::format("is of the {}, expected a k-distribution of the {}",
                                    longwave ? "shortwave" : "longwave", longwave ? "longwave" : "shortwave"));
  auto const selected = select_gases(k, offered);
  auto const host = TableMaker(k, selected, Impl::vector_lanes<ExecutionSpace, Real>).make();
  auto const data = std::make_shared<Data>();
  auto& tables = data->tables;
  int const nband = k.nband();
  tables.axes = convert<Real>(host.axes);
  tables.nband = nband;
  tables.nkept = static_cast<int>(selected.kept.size());
  tables.stride = host.stride;
  auto const upload = [&]<class View, class Value>(View& to, char const* label, std::vector<Value> const& from) {
    to = Impl::to_device<View>(
        space, std::string("rrtmgp_") + label,
        [&](auto const& view) {
          for (std::size_t i = 0; i < from.size(); ++i)
            view(i) = static_cast<std::remove_cvref_t<decltype(view(0))>>(from[i]);
        },
        static_cast<int>(from.size()));
  };
  upload(tables.values, "values", host.values);
  std::vector<BandRows<Real>> bands;
  for (auto const& band : host.bands) bands.push_back(convert<Real>(band));
  upload(tables.bands, "bands", bands);
  upload(tables.minors, "minors", host.minors);
  upload(tables.gases, "gases", selected.kept);
  upload(tables.temperature, "temperature", k.temperature);
  upload(tables.ratio, "ratio", host.ratio);
  std::vector<double> planck(k.planck.size());
  for (int b = 0; b < nband; ++b)
    for (int t = 0; t < k.nplanck; ++t)
      planck[static_cast<std::size_t>(t * nband + b)] = k.planck[static_cast<std::size_t>(b * k.nplanck + t)];
  upload(tables.planck, "planck", planck);

  check_particles(k, particles);
  if (particles.clouds != nullptr)
    data->clouds = make_cloud_tables<ExecutionSpace, Real>(space, *particles.clouds, particles.ice_roughness);
  if (particles.aerosol != nullptr)
    data->aerosol = make_aerosol_tables<ExecutionSpace, Real>(space, *particles.aerosol);
  data->has_clouds = particles.clouds != nullptr;
  data->has_aerosol = particles.aerosol != nullptr;
  data->validity = validity_of(k, particles);
  data->gases = selected.kept;
  for (auto const& band : k.bands) {
    data->bands.push_back({band.wavenumber_low, band.wavenumber_high});
    data->gpoints.push_back(band.last_gpoint - band.first_gpoint + 1);
  }
  data->pairs = host.pairs;
  data->ngpoint = k.ngpoint;
  m_data = data;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ModelSizes Model<ExecutionSpace, Real>::sizes() const {
  return {.ngas = ngas_all, .nband = m_data->tables.nband, .ngpoint = m_data->ngpoint};
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Validity Model<ExecutionSpace, Real>::validity() const {
  return m_data->validity;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
CloudTables<ExecutionSpace, Real> const& Model<ExecutionSpace, Real>::cloud_tables() const {
  return m_data->clouds;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
AerosolTables<ExecutionSpace, Real> const& Model<ExecutionSpace, Real>::aerosol_tables() const {
  return m_data->aerosol;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
bool Model<ExecutionSpace, Real>::has_clouds() const {
  return m_data->has_clouds;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
bool Model<ExecutionSpace, Real>::has_aerosol() const {
  return m_data->has_aerosol;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
std::vector<Gas> const& Model<ExecutionSpace, Real>::gases() const {
  return m_data->gases;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
std::vector<BandLimits> const& Model<ExecutionSpace, Real>::bands() const {
  return m_data->bands;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
std::vector<int> const& Model<ExecutionSpace, Real>::gpoints() const {
  return m_data->gpoints;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
std::vector<int> const& Model<ExecutionSpace, Real>::pairs() const {
  return m_data->pairs;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Tables<ExecutionSpace, Real> const& Model<ExecutionSpace, Real>::tables() const {
  return m_data->tables;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Longwave<ExecutionSpace, Real>::Longwave(ExecutionSpace const& space, KDistribution const& k, GasSet const& offered,
                                         Angles angles, Particles const& particles, Scattering scattering)
    : Model<ExecutionSpace, Real>(space, k, offered, true, particles),
      m_angles(checked(angles, k)),
      m_scattering(scattering) {
  if (scattering == Scattering::two_stream && (angles.n > 1 || angles.optimal))
    throw Error("RRTMGP", fmt::format("has {} angles with two-stream scattering, expected 1 that is not optimal",
                                      angles.optimal ? "optimal" : fmt::format("{}", angles.n)));
}

namespace {

/// Sums of the terms of all layers and g-points: absorption, and the further sum.
template <int nsecond, class ExecutionSpace, class Real, class Model, class AnyColumns>
void sum_all_terms(ExecutionSpace const& space, Model const& model, AnyColumns const& columns,
                   Array<Real***, ExecutionSpace> const& absorption, char const* absorption_name,
                   Array<Real***, ExecutionSpace> const& second, char const* second_name) {
  constexpr char const* where = "compute_optical_depths";
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  int const ngpoint = model.sizes().ngpoint;
  auto const check = [&](auto const& view, char const* name, int n0, int n1, int n2) {
    if (static_cast<int>(view.extent(0)) != n0 || static_cast<int>(view.extent(1)) != n1 ||
        static_cast<int>(view.extent(2)) != n2)
      throw Error(where, fmt::format("{} has shape ({}, {}, {}), expected ({}, {}, {})", name, view.extent(0),
                                     view.extent(1), view.extent(2), n0, n1, n2));
  };
  check(columns.vmr, "vmr", ncol, ngas_all, nlay);
  check(absorption, absorption_name, ncol, nlay, ngpoint);
  check(second, second_name, ncol, nlay, ngpoint);

  using Terms = Impl::AbsorptionTerms<Real, 1, nsecond>;
  using Pair = typename Terms::Pair;
  auto const tables = model.tables();
  int const most = std::max(1, *std::max_element(model.pairs().begin(), model.pairs().end()));
  constexpr int layers_at_once = 4096;
  Array<Pair**, ExecutionSpace> const pairs(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::fluxes::rrtmgp_pairs")),
      std::min(layers_at_once, ncol * nlay), most);
  for (int begin = 0; begin < ncol * nlay; begin += layers_at_once) {
    Kokkos::parallel_for(
        "parhelion::fluxes::rrtmgp_optical_depths",
        Kokkos::RangePolicy<ExecutionSpace>(space, begin, std::min(begin + layers_at_once, ncol * nlay)),
        KOKKOS_LAMBDA(int index) {
          int const column = index / nlay;
          int const layer = index % nlay;
          State<Real> state;
          set_state(state, tables, columns, column, layer, layer);
          Terms terms;
          terms.pairs = &pairs(index - begin, 0);
          for (int band = 0; band < tables.nband; ++band) {
            set_terms(terms, tables, band, state);
            int const first = tables.bands(band).first_gpoint;
            for (int g = 0; g < tables.bands(band).ng; ++g) {
              Real const* const values = tables.values.data() + g;
              Real tau[1], further[1];
              Impl::sum_terms(terms, 0, values, tables.stride, tau);
              Impl::second_sum<0, nsecond>(terms, 0, values, tables.stride, further);
              absorption(column, layer, first + g) = tau[0];
              second(column, layer, first + g) = further[0];
            }
          }
        });
  }
  space.fence("parhelion::fluxes::rrtmgp::compute_optical_depths");
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Longwave<ExecutionSpace, Real> const& model,
                            Columns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& optical_depth,
                            Array<Real***, ExecutionSpace> const& planck_fraction) {
  sum_all_terms<4>(space, model, columns, optical_depth, "optical_depth", planck_fraction, "planck_fraction");
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Shortwave<ExecutionSpace, Real> const& model,
                            ShortwaveColumns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& absorption,
                            Array<Real***, ExecutionSpace> const& rayleigh) {
  sum_all_terms<2>(space, model, columns, absorption, "absorption", rayleigh, "rayleigh");
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                                 \
  template class Model<SPACE, REAL>;                                                                            \
  template class Longwave<SPACE, REAL>;                                                                         \
  template class Shortwave<SPACE, REAL>;                                                                        \
  template void compute_optical_depths(SPACE const&, Longwave<SPACE, REAL> const&, Columns<SPACE, REAL> const&, \
                                       Array<REAL***, SPACE> const&, Array<REAL***, SPACE> const&);             \
  template void compute_optical_depths(SPACE const&, Shortwave<SPACE, REAL> const&,                             \
                                       ShortwaveColumns<SPACE, REAL> const&, Array<REAL***, SPACE> const&,      \
                                       Array<REAL***, SPACE> const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes::rrtmgp
