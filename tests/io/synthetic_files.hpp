// SPDX-License-Identifier: BSD-3-Clause
// Small input files for the tests of the readers, made to be damaged.
#ifndef PARHELION_TESTS_IO_SYNTHETIC_FILES_HPP
#define PARHELION_TESTS_IO_SYNTHETIC_FILES_HPP

#include "testing.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace parhelion::Testing {

enum class Stored { float64, float32_big_endian, int32, int8, fixed_text, variable_text, characters };

/// A dataset: numbers, or strings of which `shape` counts them.
struct Variable {
  std::vector<std::size_t> shape;
  std::vector<double> values;
  std::map<std::string, std::string> text_attributes = {};
  std::map<std::string, double> number_attributes = {};
  Stored stored = Stored::float64;
  std::vector<std::string> strings = {};
  bool written = true;

  double& operator()(std::size_t i, std::size_t j) { return values.at(i * shape.at(1) + j); }
  double& operator()(std::size_t i, std::size_t j, std::size_t k) {
    return values.at((i * shape.at(1) + j) * shape.at(2) + k);
  }
};

struct SyntheticFile {
  std::map<std::string, Variable> variables;  ///< by name, or path: groups are made where they are missing
  std::map<std::string, double> number_attributes = {};
  std::map<std::string, std::string> text_attributes = {};

  Variable& operator[](std::string const& name) { return variables.at(name); }
  void remove(std::string const& name) { variables.erase(variables.find(name)); }

  /// Reverses layers and levels of what has them: the last dimension, or the one before bands or g-points.
  void turn_upside_down();

  /// Writes the file and returns its name.
  std::string write(std::string const& path) const;
};

inline constexpr std::size_t ncol = 3, nlay = 4, nlev = 5, nexpt = 2, nsite = 3;

/// Column layout: 3 columns of 4 layers, hPa, surface first, emissivity of each band.
SyntheticFile column_file();

/// \brief Adds clouds of g-points to a column file, ramps like all else, in every third g-point.
///
/// inflglw, iceflglw, liqflglw: (2, 3, 1), (0, 1, 1), (2, 2, 0).
void add_gpoint_clouds(SyntheticFile& file);

/// Adds clouds of layers: ramps. Only the lowest layer of the first column is clear.
void add_layer_clouds(SyntheticFile& file);

/// Adds tauaer, a ramp.
void add_aerosol(SyntheticFile& file);

/// The same columns with what the shortwave needs, and nothing else.
SyntheticFile shortwave_file();

/// Adds coszen (0.5, -0.1, 1), asdir (0.1, 0.11, 0.12), aldir (0.3, ...), asdif (0.5, ...), aldif (0.7, ...).
void add_sun(SyntheticFile& file);

/// \brief Adds the shortwave's clouds of g-points: ramps, with fractions between 0 and 1.
///
/// inflgsw, iceflgsw, liqflgsw: (2, 3, 1), (0, 0, 0), (2, 1, 1).
/// \param prefix of names that the longwave has, too
void add_shortwave_gpoint_clouds(SyntheticFile& file, std::string const& prefix = "");

/// Adds tauaer, ssaaer, asmaer: ramps.
void add_shortwave_aerosol(SyntheticFile& file, std::string const& prefix = "");

/// RFMIP layout: 2 experiments, 3 sites, 4 layers, top first.
SyntheticFile rfmip_file();

/// Whether `text` holds `part`, for EXPECT_TRUE.
testing::AssertionResult has(std::string const& text, std::string const& part);

std::string read_bytes(std::string const& path);
void write_bytes(std::string const& path, std::string const& bytes);

/// What a shell command prints to both of its streams.
std::string output_of(std::string const& command);

/// Whether a shell command succeeds; what it prints is lost.
bool succeeds(std::string const& command);

/// Names of what is in a folder.
std::vector<std::string> list(std::string const& folder);

}  // namespace parhelion::Testing

#endif
