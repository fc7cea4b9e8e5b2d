// SPDX-License-Identifier: BSD-3-Clause
// One variable of an atmosphere file: read, checked, and turned so that the surface comes first.
#ifndef PARHELION_IO_RADIATION_FIELDS_HPP
#define PARHELION_IO_RADIATION_FIELDS_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/io/hdf5.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::io::Impl {

using Shape = std::vector<std::size_t>;

/// A kind of quantity: which units and values a file may have for it.
struct Quantity {
  using Factor = std::optional<double> (*)(std::string const& unit);
  using Valid = bool (*)(double value);

  // Not constexpr: clang puts such constants on HIP devices, too, which cannot hold pointers to functions of the host.
  Quantity(Factor factor_, char const* units_, Valid valid_, char const* expected_, bool bare_ = false)
      : factor(factor_), units(units_), valid(valid_), expected(expected_), bare(bare_) {}

  Factor factor;         ///< to the unit of the solver, nothing for one not known
  char const* units;     ///< those that are known, for messages
  Valid valid;           ///< in the unit of the solver
  char const* expected;  ///< what is valid, for messages
  bool bare;             ///< whether the file may leave the attribute units out
};

extern Quantity const layer_pressure;
extern Quantity const level_pressure;  ///< may be 0: the highest interface may be the end of the atmosphere
extern Quantity const temperature;
extern Quantity const vmr;
extern Quantity const emissivity;
extern Quantity const weight;
extern Quantity const latitude;
extern Quantity const longitude;
extern Quantity const cloud_fraction;
extern Quantity const water_path;     ///< [kg m-2]
extern Quantity const optical_depth;  ///< vertical
extern Quantity const single_scattering_albedo;
extern Quantity const asymmetry;
extern Quantity const forward_fraction;
extern Quantity const albedo;
extern Quantity const cos_zenith;
extern Quantity const zenith_angle;      ///< [degree]
extern Quantity const wavenumber;        ///< [cm-1]
extern Quantity const solar_irradiance;  ///< [W m-2], may be 0
extern Quantity const solar_factor;      ///< of the distance of the sun, or of a band
extern Quantity const solar_index;       ///< any finite number
extern Quantity const cycle_fraction;
extern Quantity const cloud_mask;         ///< 0 or 1
extern Quantity const aerosol_type;       ///< a whole number from 0 to 7
extern Quantity const aerosol_mass;       ///< [kg m-2]
extern Quantity const relative_humidity;  ///< [1]
extern Quantity const particle_size;      ///< [m]; where a size counts, it must be in the range of the optics as well

/// The same quantity whose values need to be finite only.
Quantity any_finite(Quantity quantity);

/// A variable as it stands in the file. Checked values, in the unit of the file.
struct Field {
  std::string name;
  std::string unit;
  double factor = 1.;  ///< to the unit of the solver
  Shape shape;         ///< of what was read
  Shape first = {};    ///< indices in the file of what was read first; 0 where there are none
  std::vector<double> values;

  /// In the unit of the solver.
  double converted(std::size_t i) const { return values[i] * factor; }

  /// "tlay(3, 17)", as in the file.
  std::string at(std::size_t i) const;

  /// "-4 K"
  std::string value(std::size_t i) const;
};

/// The parts of the first dimensions that are read; other dimensions are read whole.
using Ranges = std::vector<ItemRange>;

/// Names and lengths of the dimensions that a variable must have: "(column, layer)" and {32, 51}.
struct Dimensions {
  char const* names;
  Shape shape;
};

/// "(3, 51)"
std::string describe(Shape const& shape);

/// \throws parhelion::Error that says which shape was found and which expected
[[noreturn]] void refuse_shape(Hdf5File const& file, std::string const& name, Shape const& found,
                               std::string const& expected);

/// \brief Checks what a file says of a variable, and reads none of its values.
/// \throws parhelion::Error as read_field() does
/// \return the variable without its values
Field check_field(Hdf5File const& file, std::string const& name, Quantity const& quantity,
                  Dimensions const& dimensions);

/// \brief Reads and checks a variable.
/// \param ranges  the part that is read
/// \param ignored entries of the first dimension of that part that count as 0 whatever they hold; none where empty
/// \throws parhelion::Error naming file, variable, index, value and what was expected
Field read_field(Hdf5File const& file, std::string const& name, Quantity const& quantity, Dimensions const& dimensions,
                 Ranges const& ranges = {}, std::vector<bool> const& ignored = {});

/// What to do with values outside the range of a model, and how many there were in each variable.
struct RangeCheck {
  OutOfRange what_then;
  OutOfRangeCounts counts = {};  ///< of all variables that were checked; numbers may be 0

  /// The range for read_field(), before that of the model is checked: values that will be clipped need only be finite.
  Quantity before(Quantity const& quantity) const {
    return what_then == OutOfRange::clip ? any_finite(quantity) : quantity;
  }

  /// \brief Refuses, clips or counts the values of a field.
  /// \param range_of callable (i): the ValidRange of value i, in the unit of the solver
  /// \throws parhelion::Error naming file, variable, index, value and range
  template <class RangeOf>
  void operator()(Hdf5File const& file, Field& field, RangeOf const& range_of) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      ValidRange const range = range_of(i);
      double const value = field.converted(i);
      if (range.contains(value)) continue;
      if (what_then == OutOfRange::refuse) refuse(file, field, i, range);
      if (what_then == OutOfRange::clip) field.values[i] = range.nearest(value) / field.factor;
      ++n;
    }
    counts.emplace_back(field.name, n);
  }

 private:
  [[noreturn]] static void refuse(Hdf5File const& file, Field const& field, std::size_t i, ValidRange const& range);
};

/// Copies (rows, levels) of a field to consecutive columns from `column` on, the surface first.
void copy_profiles(Field const& field, bool top_first, HostArray<double**> const& to, std::size_t column);

/// Copies (rows, layers, bands or g-points) of a field, the surface first.
void copy_spectra(Field const& field, bool top_first, HostArray<double***> const& to);

}  // namespace parhelion::io::Impl

#endif
