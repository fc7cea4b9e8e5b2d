// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_MODEL_HPP
#define PARHELION_EGA_MODEL_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/ega/emissivity_tables.hpp>
#include <parhelion/ega/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parhelion::ega {

/// \brief A piece of an emissivity curve, from one of its points to the next.
///
/// Curves begin at the origin. The last piece begins at the last point and does not end.
struct alignas(16) CurvePiece {
  /// The slope, d emissivity / d column density, and its inverse; or the two halves of the slope in double. In the last
  /// piece the halves of the rate of ln(1 - emissivity) over column density.
  float slope[2];
  float begin;  ///< emissivity at its first point [1]
  float end;    ///< emissivity at the next point [1]; 2 in the last piece

  KOKKOS_INLINE_FUNCTION double joint_slope() const {
    return Kokkos::bit_cast<double>(Kokkos::Array<float, 2>{slope[0], slope[1]});
  }
  KOKKOS_INLINE_FUNCTION void set_joint_slope(double value) {
    auto const halves = Kokkos::bit_cast<Kokkos::Array<float, 2>>(value);
    slope[0] = halves[0];
    slope[1] = halves[1];
  }
};

/// \brief Emissivity tables on a device.
///
/// Channels are divided into blocks of `lanes` channels. The curves of the channels of a block at the same pressure and
/// temperature are interleaved: piece i of lane l, and the column density where it begins, are at
/// first_piece + i * lanes + l.
template <KokkosExecutionSpace ExecutionSpace>
struct DeviceTables {
  int lanes = 0;             ///< channels of a block
  int max_temperatures = 0;  ///< largest number of temperatures at a pressure, in any grid
  bool shared_grids = true;  ///< whether the tables of a gas have the same grid in all channels of a block

  Array<CurvePiece const*, ExecutionSpace> piece;
  Array<float const*, ExecutionSpace> column_density;  ///< [molecules cm-2]; the largest number after the last point
  Array<std::int64_t const*, ExecutionSpace> first_piece;   ///< (curve)
  Array<int const**, ExecutionSpace> npoint;                ///< points of the table, without the origin, (curve, lane)
  Array<std::int64_t const**, ExecutionSpace> first_curve;  ///< (block, gas); curves of a gas: (pressure, temperature)
  Array<int const**, ExecutionSpace> grid;        ///< index of the grid of a table, (gas, channel); -1: no table
  Array<int const**, ExecutionSpace> block_grid;  ///< (block, gas); -1: no tables, -2: they differ

  // Grids, each shared by any number of tables.
  Array<int const*, ExecutionSpace> npressure;         ///< (grid)
  Array<double const**, ExecutionSpace> pressure;      ///< [Pa], ascending, (grid, pressure)
  Array<int const**, ExecutionSpace> ntemperature;     ///< (grid, pressure)
  Array<double const***, ExecutionSpace> temperature;  ///< [K], ascending, (grid, pressure, temperature)

  KOKKOS_INLINE_FUNCTION int nblock() const { return static_cast<int>(block_grid.extent(0)); }
  KOKKOS_INLINE_FUNCTION int ngas() const { return static_cast<int>(block_grid.extent(1)); }
};

/// Coefficients of a channel, in the order of Model::coefficients.
enum class ChannelCoefficient : int {
  co2_296,
  co2_260,
  co2_230,
  h2o_self_296,
  h2o_self_log,
  h2o_foreign,
  n2_strength,
  n2_beta,
  o2_strength,
  o2_beta,
  wavenumber,
  sun_radiance,
  cloud_weight,
  surface_weight
};
inline constexpr int channel_coefficients = static_cast<int>(ChannelCoefficient::surface_weight) + 1;

/// Indices of a channel, in the order of Model::indices.
enum class ChannelIndex : int { window, cloud_node, surface_node };
inline constexpr int channel_indices = static_cast<int>(ChannelIndex::surface_node) + 1;

/// \brief Everything that a forward calculation needs except atmosphere and rays, on a device: tables and coefficients
///        of a set of channels. Immutable.
///
/// Arrays over channels are padded to whole blocks of DeviceTables::lanes.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Model {
  ModelOptions options;
  int nchannel = 0;
  int co2 = -1;  ///< index of the gas with this continuum; -1: none
  int h2o = -1;
  bool collisions = false;  ///< whether the continua of N2 or O2 contribute to any channel
  DeviceTables<ExecutionSpace> tables;
  int nwindow = 0;   ///< least number of extinction profiles of an atmosphere
  int ncloud = 0;    ///< wavenumbers of the extinction of a cloud, if an atmosphere has one
  int nsurface = 0;  ///< wavenumbers of the emissivity of the surface, if an atmosphere has one
  Array<Real const**, ExecutionSpace> coefficients;  ///< (ChannelCoefficient, channel)
  Array<int const**, ExecutionSpace> indices;        ///< (ChannelIndex, channel)
  Array<Real const**, ExecutionSpace> source;        ///< Planck radiance over the filter, (temperature, channel)

  KOKKOS_INLINE_FUNCTION int ngas() const { return tables.ngas(); }
  KOKKOS_INLINE_FUNCTION int nblock() const { return tables.nblock(); }
  KOKKOS_INLINE_FUNCTION Real const& coefficient(ChannelCoefficient which, int channel) const {
    return coefficients(static_cast<int>(which), channel);
  }
  KOKKOS_INLINE_FUNCTION int const& index(ChannelIndex which, int channel) const {
    return indices(static_cast<int>(which), channel);
  }

  /// Device memory [bytes].
  std::size_t bytes() const;
};

/// \brief Copies the tables and coefficients of channels [first, last) to the device of an instance. Fences.
/// \param space   execution space instance
/// \param problem tables, continua and options
/// \param first   first channel
/// \param last    one past the last channel
/// \throws parhelion::Error as Problem::tables does, and when continuum tables are missing
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Model<ExecutionSpace, Real> make_model(ExecutionSpace const& space, Problem const& problem, int first, int last);

/// \brief The number of channels of a block on an execution space.
/// \param nchannel number of all channels
template <KokkosExecutionSpace ExecutionSpace>
int lanes_of(int nchannel);

}  // namespace parhelion::ega

#endif
