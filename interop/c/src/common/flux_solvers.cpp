// SPDX-License-Identifier: BSD-3-Clause
#include "flux_solvers.hpp"

#include <parhelion/fluxes/cloud_optics.hpp>

namespace parhelion::C {

namespace {

constexpr int max_nlay = 10000;
constexpr int automatic_ncol = 1024;

}  // namespace

namespace Impl {

FluxOptions flux_options(char const* where, std::int32_t vertical_order, std::int32_t clouds, std::int64_t ncol,
                         std::int64_t nlay, std::int32_t overlap) {
  FluxOptions options;
  options.top_first = choice(where, "vertical_order", vertical_order, PARHELION_SURFACE_FIRST, PARHELION_TOP_FIRST) ==
                      PARHELION_TOP_FIRST;
  options.clouds = choice(where, "clouds", clouds, PARHELION_CLOUDS_NONE, PARHELION_CLOUDS_OF_GPOINTS);
  options.nlay = choice(where, "nlay", nlay, 1, max_nlay);
  options.ncol = choice(where, "ncol", ncol, 0, std::numeric_limits<int>::max());
  if (options.ncol == 0) options.ncol = automatic_ncol;
  int const which = choice(where, "overlap", overlap, PARHELION_OVERLAP_DEFAULT, PARHELION_OVERLAP_EXPONENTIAL_RANDOM);
  if (which != PARHELION_OVERLAP_DEFAULT) options.overlap = static_cast<fluxes::Overlap>(which);
  return options;
}

Checks checks_of(char const* where, std::int32_t value) {
  switch (choice(where, "checks", value, PARHELION_CHECK_REFUSE, PARHELION_CHECK_TRUST)) {
    case PARHELION_CHECK_CLIP:
      return Checks::clip;
    case PARHELION_CHECK_TRUST:
      return Checks::trust;
    default:
      return Checks::refuse;
  }
}

bool is_table(char const* where, std::int32_t transmittance) {
  return choice(where, "transmittance", transmittance, PARHELION_TRANSMITTANCE_EXACT, PARHELION_TRANSMITTANCE_TABLE) ==
         PARHELION_TRANSMITTANCE_TABLE;
}

void check_constants(char const* where, double heat_capacity, double gravity) {
  for (auto const& [name, value] : {std::pair{"heat_capacity", heat_capacity}, {"gravity", gravity}})
    if (!(value >= 0) || !std::isfinite(value))
      throw ArgumentError(where, fmt::format("{} = {}, expected a positive number, or 0 for the default", name, value));
}

}  // namespace Impl

std::array<char const*, PARHELION_NGAS> const gas_names{"h2o", "co2",  "o3",    "n2o",   "co",   "ch4",
                                                        "o2",  "ccl4", "cfc11", "cfc12", "cfc22"};
static_assert(PARHELION_NGAS == fluxes::ngas);

double factor_of(char const* where, char const* name, double given) {
  if (!(given >= 0) || !std::isfinite(given))
    throw ArgumentError(where, fmt::format("{} = {}, expected a positive number, or 0 for 1", name, given));
  return given == 0 ? 1 : given;
}

ColumnReader::ColumnReader(char const* where, CallArrays& arrays, FluxOptions const& options,
                           parhelion_array const& pressure_lay)
    : m_where(where), m_arrays(arrays), m_options(options) {
  auto const given = arrays.required_input("pressure_lay", pressure_lay);
  if (given.rank != 2 || given.empty() || given.extents[1] > options.nlay)
    throw ShapeError(m_where, fmt::format("pressure_lay has shape {}, expected (column, layer) with 1 to {} layers",
                                          shape_text(given), options.nlay));
  m_ncol = given.extents[0];
  m_pressure_lay = oriented(given);
}

ConstArrayRef ColumnReader::oriented(ConstArrayRef const& array) const {
  return m_options.top_first && array.rank > 1 ? array.reversed(1) : array;
}

ConstArrayRef ColumnReader::field(char const* name, parhelion_array const& array) {
  return oriented(spread_columns(m_arrays.input(name, array)));
}

ConstArrayRef ColumnReader::required_field(char const* name, parhelion_array const& array) {
  return oriented(spread_columns(m_arrays.required_input(name, array)));
}

ConstArrayRef ColumnReader::of_columns(char const* name, parhelion_array const& array, Entries entries) {
  return spread_columns(m_arrays.input(name, array, entries));
}

ConstArrayRef ColumnReader::required_of_columns(char const* name, parhelion_array const& array) {
  return spread_columns(m_arrays.required_input(name, array));
}

ConstArrayRef ColumnReader::required_of_bands(char const* name, parhelion_array const& array) {
  auto result = m_arrays.required_input(name, array);
  if (result.rank == 1) {
    result.rank = 2;
    result.extents[1] = 1;
    result.strides[1] = 0;
  }
  return spread_columns(result);
}

ConstArrayRef ColumnReader::constant(int const& value) const {
  ConstArrayRef array;
  array.data = &value;
  array.type = ValueType::int32;
  array.rank = 1;
  array.extents = {m_ncol};
  return array;
}

void check_clouds(char const* where, ColumnReader& reader, FluxOptions const& options, fluxes::ColumnArrays& input,
                  ConstArrayRef const& other_cloud) {
  std::array const of_layers{&input.fraction, &input.ice_path, &input.liquid_path};
  std::array const of_gpoints{&input.fraction_gpt, &input.ice_path_gpt, &input.liquid_path_gpt};
  std::array const of_both{&input.ice_size, &input.liquid_size};
  std::array<ConstArrayRef const*, 6> const others{&input.decorrelation_length, &input.optical_depth_gpt, &input.input,
                                                   &input.ice_optics,           &input.liquid_optics,     &other_cloud};
  auto const is_there = [](ConstArrayRef const* array) { return array->data != nullptr; };
  auto const all = [&](auto const& set) { return std::all_of(set.begin(), set.end(), is_there); };
  auto const any = [&](auto const& set) { return std::any_of(set.begin(), set.end(), is_there); };
  if (!any(of_layers) && !any(of_gpoints) && !any(of_both) && !any(others)) return;
  auto const refuse_unless = [&](bool good, char const* expected) {
    if (!good) throw ArgumentError(where, fmt::format("there are arrays of clouds, expected {}", expected));
  };
  refuse_unless(options.clouds != PARHELION_CLOUDS_NONE, "none, because the object was made without clouds");
  if (options.clouds == PARHELION_CLOUDS_OF_LAYERS)
    refuse_unless(all(of_layers) && all(of_both) && !any(of_gpoints),
                  "fraction, ice_path, liquid_path, ice_size and liquid_size among them, and none of g-points");
  else
    refuse_unless(all(of_gpoints) && all(of_both) && !any(of_layers),
                  "fraction_gpt, ice_path_gpt, liquid_path_gpt, ice_size and liquid_size among them, and none of "
                  "layers");
  if (reader.arrays().device()) return;  // the driver has them on the device
  auto const complete = [&](ConstArrayRef& array, int const& value) {
    if (array.data == nullptr) array = reader.constant(value);
  };
  static constexpr int water_path = static_cast<int>(fluxes::CloudInput::water_path);
  static constexpr int fu = static_cast<int>(fluxes::IceOptics::fu);
  static constexpr int hu_stamnes = static_cast<int>(fluxes::LiquidOptics::hu_stamnes);
  complete(input.input, water_path);
  complete(input.ice_optics, fu);
  complete(input.liquid_optics, hu_stamnes);
}

void refuse_unless_made_for(char const* where, bool given, char const* array, bool option, char const* name_of_option) {
  if (given && !option)
    throw ArgumentError(where, fmt::format("{} is given, expected none, because the object was made without {}", array,
                                           name_of_option));
}

}  // namespace parhelion::C
