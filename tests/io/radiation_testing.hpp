// SPDX-License-Identifier: BSD-3-Clause
// What the tests of atmosphere files share: files that are made up, read or refused, and comparisons.
#ifndef PARHELION_TESTS_IO_RADIATION_TESTING_HPP
#define PARHELION_TESTS_IO_RADIATION_TESTING_HPP

#include <parhelion/io/radiation_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace parhelion::Testing {

inline double const not_a_number = std::nan("");
inline double const infinity = std::numeric_limits<double>::infinity();
/// What refusal() gives for a file that is read.
inline std::string const nothing_refused = "(no file name) (no parhelion::Error)";

inline io::RadiationInput read(SyntheticFile const& file, io::RadiationOptions const& options = {}) {
  return io::read_radiation_input(file.write(scratch_folder() + "/in.nc"), options);
}

/// Message of the refusal of a file, which must begin with the file's name, without that name.
inline std::string refusal(SyntheticFile const& file, io::RadiationOptions const& options = {}) {
  auto const path = file.write(scratch_folder() + "/in.nc");
  auto const message = message_of([&] { io::read_radiation_input(path, options); });
  return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : "(no file name) " + message;
}

/// The same for a column or an RFMIP file that `damage` has changed.
template <class Damage>
std::string column_refusal(Damage const& damage, io::RadiationOptions const& options = {}) {
  auto file = column_file();
  damage(file);
  return refusal(file, options);
}

template <class Damage>
std::string rfmip_refusal(Damage const& damage, io::RadiationOptions const& options = {}) {
  auto file = rfmip_file();
  damage(file);
  return refusal(file, options);
}

template <class View>
std::vector<double> values_of(View const& view) {
  return {view.data(), view.data() + view.size()};
}

template <class View>
std::vector<int> flags_of(View const& view) {
  return {view.data(), view.data() + view.size()};
}

inline void expect_equal(fluxes::HostColumns const& a, fluxes::HostColumns const& b) {
  EXPECT_EQ(values_of(a.pressure_lay), values_of(b.pressure_lay));
  EXPECT_EQ(values_of(a.pressure_lev), values_of(b.pressure_lev));
  EXPECT_EQ(values_of(a.temperature_lay), values_of(b.temperature_lay));
  EXPECT_EQ(values_of(a.temperature_lev), values_of(b.temperature_lev));
  EXPECT_EQ(values_of(a.temperature_sfc), values_of(b.temperature_sfc));
  EXPECT_EQ(values_of(a.emissivity_sfc), values_of(b.emissivity_sfc));
  EXPECT_EQ(values_of(a.vmr), values_of(b.vmr));
}

/// Values in g m-2 or um, as clouds have them.
inline std::vector<double> in_si(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

/// Values of some columns, and 0 for the others.
inline std::vector<double> of_columns(std::vector<double> values, std::vector<bool> const& columns) {
  std::size_t const n = values.size() / columns.size();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!columns[i / n]) values[i] = 0.;
  return values;
}

}  // namespace parhelion::Testing

#endif
