// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/model.hpp>

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/planck.hpp>
#include <parhelion/ega/jurassic_constants.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace parhelion::ega {

namespace {

template <class View>
std::size_t bytes_of(View const& view) {
  return view.size() * sizeof(typename View::value_type);
}

template <class View>
auto host_copy(View const& view) {
  return Kokkos::create_mirror_view(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), view);
}

// The distinct grids of pressures and temperatures of tables.
struct Grids {
  std::vector<EmissivityTable> grids;  // without points

  int add(EmissivityTable const& table) {
    for (std::size_t g = 0; g < grids.size(); ++g)
      if (grids[g].pressure_hPa == table.pressure_hPa && grids[g].first_temperature == table.first_temperature &&
          grids[g].temperature == table.temperature)
        return static_cast<int>(g);
    grids.push_back({table.pressure_hPa, table.first_temperature, table.temperature, {}, {}, {}});
    return static_cast<int>(grids.size()) - 1;
  }
};

// After the last point 1 - emissivity = exp(rate * column density).
double rate_beyond(float column_density, float emissivity, TableSlopes slopes) {
  double const left = slopes == TableSlopes::float32 ? static_cast<double>(1.F - emissivity) : 1. - double(emissivity);
  // A curve that reaches emissivity 1 stays there.
  return left > 0 ? std::log(left) / double(column_density) : -std::numeric_limits<float>::max();
}

constexpr float no_end = 2;

CurvePiece piece_between(float u0, float e0, float u1, float e1, TableSlopes slopes) {
  CurvePiece piece{{0, 0}, e0, e1};
  if (slopes == TableSlopes::float64) {
    piece.set_joint_slope((double(e1) - double(e0)) / (double(u1) - double(u0)));
  } else {
    piece.slope[0] = (e1 - e0) / (u1 - u0);
    piece.slope[1] = (u1 - u0) / (e1 - e0);
  }
  return piece;
}

CurvePiece last_piece(float column_density, float emissivity, TableSlopes slopes) {
  CurvePiece piece{{0, 0}, emissivity, no_end};
  piece.set_joint_slope(rate_beyond(column_density, emissivity, slopes));
  return piece;
}

template <class Space>
DeviceTables<Space> make_tables(Space const& space, std::vector<EmissivityTable>& tables, int ngas, int nchannel,
                                TableSlopes slopes, std::string const& where) {
  // tables: (gas, channel)
  int const lanes = lanes_of<Space>(nchannel);
  int const nblock = (nchannel + lanes - 1) / lanes;
  int const padded = nblock * lanes;
  auto const label = [&](char const* name) {
    return Kokkos::view_alloc(space, std::string("parhelion::ega::tables::") + name);
  };
  auto const table = [&](int gas, int channel) -> EmissivityTable& { return tables[gas * nchannel + channel]; };

  Grids grids;
  Array<int**, Space> const grid(label("grid"), ngas, padded);
  Array<int**, Space> const block_grid(label("block_grid"), nblock, ngas);
  auto const h_grid = host_copy(grid);
  auto const h_block_grid = host_copy(block_grid);
  for (int g = 0; g < ngas; ++g)
    for (int c = 0; c < padded; ++c) h_grid(g, c) = c < nchannel && !table(g, c).empty() ? grids.add(table(g, c)) : -1;
  bool shared_grids = true;
  for (int b = 0; b < nblock; ++b)
    for (int g = 0; g < ngas; ++g) {
      int common = -1;
      for (int c = b * lanes; c < (b + 1) * lanes; ++c)
        if (h_grid(g, c) >= 0) common = common == -1 || common == h_grid(g, c) ? h_grid(g, c) : -2;
      h_block_grid(b, g) = common;
      if (common == -2) shared_grids = false;
    }

  int max_pressures = 1;
  int max_temperatures = 1;
  for (auto const& one : grids.grids) {
    max_pressures = std::max(max_pressures, one.npressure());
    for (int p = 0; p < one.npressure(); ++p)
      max_temperatures =
          std::max(max_temperatures, static_cast<int>(one.first_temperature[p + 1] - one.first_temperature[p]));
  }
  int const ngrid = std::max(1, static_cast<int>(grids.grids.size()));
  Array<int*, Space> const npressure(label("npressure"), ngrid);
  Array<double**, Space> const pressure(label("pressure"), ngrid, max_pressures);
  Array<int**, Space> const ntemperature(label("ntemperature"), ngrid, max_pressures);
  Array<double***, Space> const temperature(label("temperature"), ngrid, max_pressures, max_temperatures);
  auto const h_npressure = host_copy(npressure);
  auto const h_pressure = host_copy(pressure);
  auto const h_ntemperature = host_copy(ntemperature);
  auto const h_temperature = host_copy(temperature);
  for (int g = 0; g < static_cast<int>(grids.grids.size()); ++g) {
    auto const& one = grids.grids[g];
    h_npressure(g) = one.npressure();
    for (int p = 0; p < one.npressure(); ++p) {
      h_pressure(g, p) = 100 * one.pressure_hPa[p];
      h_ntemperature(g, p) = static_cast<int>(one.first_temperature[p + 1] - one.first_temperature[p]);
      for (int t = 0; t < h_ntemperature(g, p); ++t)
        h_temperature(g, p, t) = one.temperature[one.first_temperature[p] + t];
    }
  }

  // At each pressure and temperature, curves are padded to the longest one of the block.
  std::int64_t const curves_of_gas = static_cast<std::int64_t>(max_pressures) * max_temperatures;
  Array<std::int64_t**, Space> const first_curve(label("first_curve"), nblock, ngas);
  auto const h_first_curve = host_copy(first_curve);
  std::int64_t ncurve = 0;
  for (int b = 0; b < nblock; ++b)
    for (int g = 0; g < ngas; ++g) {
      h_first_curve(b, g) = ncurve;
      if (h_block_grid(b, g) != -1) ncurve += curves_of_gas;
    }
  ncurve = std::max<std::int64_t>(ncurve, 1);
  Array<std::int64_t*, Space> const first_piece(label("first_piece"), ncurve);
  Array<int**, Space> const npoints(label("npoint"), ncurve, lanes);
  auto const h_first_piece = host_copy(first_piece);
  auto const h_npoints = host_copy(npoints);
  std::int64_t npiece = 0;
  // Calls action(curve on the device, lane, table, curve of the table) for all curves of a block and gas.
  auto const for_curves = [&](int b, int g, auto const& action) {
    for (int l = 0; l < lanes; ++l) {
      int const c = b * lanes + l;
      if (h_grid(g, c) < 0) continue;
      EmissivityTable const& one = table(g, c);
      for (int p = 0; p < one.npressure(); ++p)
        for (auto t = one.first_temperature[p]; t < one.first_temperature[p + 1]; ++t)
          action(h_first_curve(b, g) + p * max_temperatures + (t - one.first_temperature[p]), l, one, t);
    }
  };
  for (int b = 0; b < nblock; ++b)
    for (int g = 0; g < ngas; ++g) {
      if (h_block_grid(b, g) == -1) continue;
      std::int64_t const first = h_first_curve(b, g);
      for (auto c = first; c < first + curves_of_gas; ++c)
        for (int l = 0; l < lanes; ++l) h_npoints(c, l) = 0;
      for_curves(b, g, [&](std::int64_t curve, int lane, EmissivityTable const& one, std::int64_t from) {
        auto const npoint_of_curve = one.first_point[from + 1] - one.first_point[from];
        // GasPath stores indices of pieces in 16 bits.
        if (npoint_of_curve > 65000)
          throw Error(where,
                      fmt::format("a curve of gas {} has {} points, expected no more than 65000", g, npoint_of_curve));
        h_npoints(curve, lane) = static_cast<int>(npoint_of_curve);
      });
      for (auto c = first; c < first + curves_of_gas; ++c) {
        h_first_piece(c) = npiece;
        int most = 0;
        for (int l = 0; l < lanes; ++l) most = std::max(most, h_npoints(c, l));
        npiece += static_cast<std::int64_t>(most + 2) * lanes;  // with the origin and what is after the last point
      }
      // GasPath stores the places of curves in 32 bits.
      std::int64_t const pieces_of_gas = npiece - h_first_piece(first);
      if (pieces_of_gas > std::numeric_limits<std::uint32_t>::max())
        throw Error(where, fmt::format("the tables of gas {} have {} points in a block of {} channels, expected fewer "
                                       "than 4294967296",
                                       g, pieces_of_gas, lanes));
    }
  npiece = std::max<std::int64_t>(npiece, 1);
  auto const uninitialized = [&](char const* what) {
    return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::ega::tables::") + what);
  };
  Array<CurvePiece*, Space> const piece(uninitialized("piece"), npiece);
  Array<float*, Space> const column_density(uninitialized("column_density"), npiece);
  auto const h_piece = host_copy(piece);
  auto const h_column = host_copy(column_density);
  std::fill_n(h_piece.data(), h_piece.size(), CurvePiece{{0, 0}, no_end, no_end});
  std::fill_n(h_column.data(), h_column.size(), std::numeric_limits<float>::max());
  for (int b = 0; b < nblock; ++b)
    for (int g = 0; g < ngas; ++g) {
      if (h_block_grid(b, g) == -1) continue;
      // Channels without a table are not used, but a vector of channels may read their entries.
      for (auto c = h_first_curve(b, g); c < h_first_curve(b, g) + curves_of_gas; ++c)
        for (int l = 0; l < lanes; ++l) {
          h_piece(h_first_piece(c) + l) = {{0, 0}, 0, no_end};
          h_column(h_first_piece(c) + l) = 0;
        }
      for_curves(b, g, [&](std::int64_t curve, int lane, EmissivityTable const& one, std::int64_t from) {
        CurvePiece* const to = &h_piece(h_first_piece(curve) + lane);
        float* const to_column = &h_column(h_first_piece(curve) + lane);
        float u0 = 0;
        float e0 = 0;
        std::int64_t row = 0;
        for (auto i = one.first_point[from]; i < one.first_point[from + 1]; ++i, ++row) {
          float const u1 = one.column_density[i];
          float const e1 = one.emissivity[i];
          to[row * lanes] = piece_between(u0, e0, u1, e1, slopes);
          to_column[row * lanes] = u0;
          u0 = u1;
          e0 = e1;
        }
        to[row * lanes] = last_piece(u0, e0, slopes);
        to_column[row * lanes] = u0;
      });
    }

  auto const upload = [&](auto const& to, auto const& from) { copy_array(space, to, from); };
  upload(grid, h_grid);
  upload(block_grid, h_block_grid);
  upload(npressure, h_npressure);
  upload(pressure, h_pressure);
  upload(ntemperature, h_ntemperature);
  upload(temperature, h_temperature);
  upload(first_curve, h_first_curve);
  upload(first_piece, h_first_piece);
  upload(npoints, h_npoints);
  upload(piece, h_piece);
  upload(column_density, h_column);
  space.fence("parhelion::ega::make_tables");

  DeviceTables<Space> device;
  device.lanes = lanes;
  device.max_temperatures = max_temperatures;
  device.shared_grids = shared_grids;
  device.piece = piece;
  device.column_density = column_density;
  device.first_piece = first_piece;
  device.npoint = npoints;
  device.first_curve = first_curve;
  device.grid = grid;
  device.block_grid = block_grid;
  device.npressure = npressure;
  device.pressure = pressure;
  device.ntemperature = ntemperature;
  device.temperature = temperature;
  return device;
}

// Locates a wavenumber among nodes; the weight is 0 if there is only one.
std::pair<int, double> node_of(std::vector<double> const& nodes, double wavenumber) {
  if (nodes.size() < 2) return {0, 0.};
  auto const at = locate(nodes.data(), static_cast<int>(nodes.size()), wavenumber);
  return {at.index, at.weight};
}

}  // namespace

template <KokkosExecutionSpace Space>
int lanes_of(int nchannel) {
  int const most = 32;
  if (runs_on_host<Space>) {
    int const pack = lanes_per_thread<Space, double>;
    if (nchannel < pack / 2) return nchannel;
    return std::min(most, (nchannel + pack - 1) / pack * pack);
  }
  int lanes = 1;
  while (lanes < nchannel && lanes < most) lanes *= 2;
  return lanes;
}

template <KokkosExecutionSpace Space, Floating Real>
std::size_t Model<Space, Real>::bytes() const {
  return bytes_of(tables.piece) + bytes_of(tables.column_density) + bytes_of(tables.first_piece) +
         bytes_of(tables.npoint) + bytes_of(tables.first_curve) + bytes_of(tables.grid) + bytes_of(tables.temperature) +
         bytes_of(tables.pressure) + bytes_of(coefficients) + bytes_of(indices) + bytes_of(source);
}

template <KokkosExecutionSpace Space, Floating Real>
Model<Space, Real> make_model(Space const& space, Problem const& problem, int first, int last) {
  int const nchannel = last - first;
  int const ngas = problem.ngas();
  std::vector<EmissivityTable> tables(static_cast<std::size_t>(ngas) * nchannel);
  for (int c = 0; c < nchannel; ++c)
    for (int g = 0; g < ngas; ++g) {
      EmissivityTable& table = tables[g * nchannel + c];
      table = problem.tables(g, first + c);
      // Paths walk along curves that rise; along others they might never end.
      validate(table, fmt::format("{}: table of {} in channel {}", problem.name.empty() ? "make_model" : problem.name,
                                  problem.gases[static_cast<std::size_t>(g)], first + c));
    }

  Model<Space, Real> model;
  model.options = problem.options;
  model.nchannel = nchannel;
  for (int c = first; c < last; ++c) model.nwindow = std::max(model.nwindow, problem.channels.window[c] + 1);
  model.ncloud = static_cast<int>(problem.channels.cloud_wavenumber.size());
  model.nsurface = static_cast<int>(problem.channels.surface_wavenumber.size());
  model.tables = make_tables(space, tables, ngas, nchannel,
                             std::is_same_v<Real, float> ? TableSlopes::float32 : problem.options.table_slopes,
                             problem.name.empty() ? "make_model" : problem.name);
  tables.clear();
  int const padded = model.nblock() * model.tables.lanes;
  // Lanes without a channel have zeros.
  auto const label = [&](char const* name) {
    return Kokkos::view_alloc(space, std::string("parhelion::ega::") + name);
  };
  Array<Real**, Space> const coefficient(label("coefficients"), channel_coefficients, padded);
  Array<int**, Space> const indices(label("indices"), channel_indices, padded);
  Array<Real**, Space> const source(label("source"), source_temperatures, padded);
  auto const h_coefficient = Kokkos::create_mirror_view(coefficient);
  auto const h_indices = Kokkos::create_mirror_view(indices);
  auto const h_source = Kokkos::create_mirror_view(source);
  auto const& channels = problem.channels;
  bool any_co2 = false;
  bool any_h2o = false;
  ContinuumSwitches switches = problem.options.continua;
  int const co2 = find_gas(problem.gases, "CO2");
  int const h2o = find_gas(problem.gases, "H2O");
  switches.co2 = switches.co2 && co2 >= 0;
  switches.h2o = switches.h2o && h2o >= 0;
  for (int c = 0; c < nchannel; ++c) {
    double const nu = channels.wavenumber[first + c];
    auto const continua = continuum_coefficients(problem.continua, switches, nu, problem.name);
    auto const set = [&](ChannelCoefficient which, double value) {
      h_coefficient(static_cast<int>(which), c) = static_cast<Real>(value);
    };
    set(ChannelCoefficient::co2_296, continua.co2_296);
    set(ChannelCoefficient::co2_260, continua.co2_260);
    set(ChannelCoefficient::co2_230, continua.co2_230);
    set(ChannelCoefficient::h2o_self_296, continua.h2o_self_296);
    set(ChannelCoefficient::h2o_self_log, continua.h2o_self_log);
    set(ChannelCoefficient::h2o_foreign, continua.h2o_foreign);
    set(ChannelCoefficient::n2_strength, continua.n2_strength);
    set(ChannelCoefficient::n2_beta, continua.n2_beta);
    set(ChannelCoefficient::o2_strength, continua.o2_strength);
    set(ChannelCoefficient::o2_beta, continua.o2_beta);
    any_co2 = any_co2 || continua.co2_296 != 0 || continua.co2_260 != 0 || continua.co2_230 != 0;
    any_h2o = any_h2o || continua.h2o_self_296 != 0 || continua.h2o_foreign != 0;
    model.collisions = model.collisions || continua.n2_strength != 0 || continua.o2_strength != 0;
    set(ChannelCoefficient::wavenumber, nu);
    set(ChannelCoefficient::sun_radiance,
        jurassic_constants::sun_solid_angle / (2 * std::acos(-1.)) * jurassic_constants::first_radiation * nu * nu *
            nu / std::expm1(jurassic_constants::second_radiation * nu / jurassic_constants::sun_temperature));
    auto const cloud = node_of(channels.cloud_wavenumber, nu);
    auto const surface = node_of(channels.surface_wavenumber, nu);
    set(ChannelCoefficient::cloud_weight, cloud.second);
    set(ChannelCoefficient::surface_weight, surface.second);
    h_indices(static_cast<int>(ChannelIndex::window), c) = channels.window[first + c];
    h_indices(static_cast<int>(ChannelIndex::cloud_node), c) = cloud.first;
    h_indices(static_cast<int>(ChannelIndex::surface_node), c) = surface.first;
    auto const planck = source_table(channels.filter[first + c], problem.name);
    for (int t = 0; t < source_temperatures; ++t) h_source(t, c) = static_cast<Real>(planck[t]);
  }
  model.co2 = any_co2 ? co2 : -1;
  model.h2o = any_h2o ? h2o : -1;
  copy_array(space, coefficient, h_coefficient);
  copy_array(space, indices, h_indices);
  copy_array(space, source, h_source);
  space.fence("parhelion::ega::make_model");
  model.coefficients = coefficient;
  model.indices = indices;
  model.source = source;
  return model;
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)                                          \
  template int lanes_of<SPACE>(int);                                               \
  template struct Model<SPACE, float>;                                             \
  template struct Model<SPACE, double>;                                            \
  template Model<SPACE, float> make_model(SPACE const&, Problem const&, int, int); \
  template Model<SPACE, double> make_model(SPACE const&, Problem const&, int, int);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega
