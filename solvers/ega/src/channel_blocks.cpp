// SPDX-License-Identifier: BSD-3-Clause
#include "host_forward.hpp"
#include "names.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/ega/model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace parhelion::ega::Impl {

namespace {

constexpr std::size_t default_memory_limit = std::size_t(16) << 30;

// Bytes of a channel.
struct ChannelBytes {
  std::size_t device;  // with all curves at a pressure and temperature padded to the longest
  std::size_t tables;  // as read
};

ChannelBytes channel_bytes(Problem const& problem, int channel) {
  ChannelBytes bytes{(source_temperatures + channel_coefficients + channel_indices) * sizeof(double), 0};
  for (int g = 0; g < problem.ngas(); ++g) {
    auto const table = problem.tables(g, channel);
    auto const curves = table.temperature.size();
    constexpr std::size_t of_piece = sizeof(CurvePiece) + sizeof(float);
    bytes.device += (table.npoint() + curves) * of_piece * 9 / 8 + curves * 2 * of_piece;
    bytes.tables += table.npoint() * 2 * sizeof(float) + curves * (sizeof(double) + sizeof(std::int64_t));
  }
  return bytes;
}

}  // namespace

ChannelCut cut_channels(Problem const& problem, HostEgaOptions const& options, int (*lanes)(int), bool on_host) {
  std::size_t const limit = options.memory_limit > 0 ? options.memory_limit
                            : on_host                ? std::min(default_memory_limit, available_host_memory() / 2)
                                                     : default_memory_limit;
  int const nchannel = problem.nchannel();
  // Channels differ. A sample gives an estimate without reading all tables twice.
  ChannelBytes largest{0, 0};
  int const samples = std::min(nchannel, std::max(3, nchannel / 32));
  for (int i = 0; i < samples; ++i) {
    auto const one =
        channel_bytes(problem, static_cast<int>(std::int64_t(i) * (nchannel - 1) / std::max(1, samples - 1)));
    largest = {std::max(largest.device, one.device), std::max(largest.tables, one.tables)};
  }
  // Lanes without a channel need as much memory as the others.
  auto const padded = [&](int n) { return (n + lanes(n) - 1) / lanes(n) * lanes(n); };
  auto const cut = [&](int n) {
    return ChannelCut{n, static_cast<std::size_t>(padded(n)) * largest.device,
                      on_host ? static_cast<std::size_t>(n) * largest.tables : 0,
                      on_host ? 0 : static_cast<std::size_t>(padded(n)) * largest.device + n * largest.tables};
  };
  auto const fits = [&](int n) { return cut(n).table_bytes + cut(n).loading_bytes <= limit; };
  int block = static_cast<int>(std::min<std::size_t>(limit / largest.device, static_cast<std::size_t>(nchannel)));
  while (block > 1 && !fits(block)) --block;
  if (block < 1 || !fits(block))
    throw Error(name_or(problem.name, "compute_spectra"),
                fmt::format("the tables of one channel take {} in memory, expected no more than the limit of {}",
                            bytes_text(cut(1).table_bytes + cut(1).loading_bytes), bytes_text(limit)));
  if (block < nchannel) {
    int full = block;
    while (padded(full) != full) --full;
    if (2 * full > block) block = full;
  }
  return cut(block);
}

}  // namespace parhelion::ega::Impl
