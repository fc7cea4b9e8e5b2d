// SPDX-License-Identifier: BSD-3-Clause
#include "flux_solvers.hpp"

#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/ecckd/cloud_optics.hpp>

#include <fmt/ranges.h>

namespace parhelion::C {

namespace {

constexpr int max_nlay = 10000;
constexpr int automatic_ncol = 1024;

}  // namespace

namespace Impl {

void refuse_not_offered(char const* where, fluxes::GasSet const& gases) {
  if (gases.empty()) return;
  std::vector<std::string_view> names;
  for (int gas = 0; gas < fluxes::ngas_all; ++gas)
    if (gases.contains(static_cast<fluxes::Gas>(gas))) names.push_back(fluxes::name_of(static_cast<fluxes::Gas>(gas)));
  throw ArgumentError(where, fmt::format("gases lacks {}, expected all that the model needs", fmt::join(names, ", ")));
}

FluxOptions flux_options(char const* where, std::int32_t vertical_order, std::int32_t clouds, std::int64_t ncol,
                         std::int64_t nlay, std::int32_t overlap) {
  FluxOptions options;
  options.top_first = choice(where, "vertical_order", vertical_order, PARHELION_SURFACE_FIRST, PARHELION_TOP_FIRST) ==
                      PARHELION_TOP_FIRST;
  options.clouds = choice(where, "clouds", clouds, PARHELION_CLOUDS_NONE, PARHELION_CLOUDS_MASKED);
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

static_assert(PARHELION_NGAS == fluxes::ngas && PARHELION_NGAS_ALL == fluxes::ngas_all &&
              PARHELION_NO2 == static_cast<int>(fluxes::Gas::no2));

double factor_of(char const* where, char const* name, double given) {
  if (!(given >= 0) || !std::isfinite(given))
    throw ArgumentError(where, fmt::format("{} = {}, expected a positive number, or 0 for 1", name, given));
  return given == 0 ? 1 : given;
}

ColumnReader::ColumnReader(char const* where, CallArrays& arrays, FluxOptions const& options,
                           parhelion_array const& pressure_lay, parhelion_array const& pressure_lev)
    : m_where(where), m_arrays(arrays), m_options(options) {
  bool const of_levels = options.levels_suffice() && pressure_lay.data == nullptr;
  char const* const name = of_levels ? "pressure_lev" : "pressure_lay";
  int const more = of_levels ? 1 : 0;
  auto const given = arrays.required_input(name, of_levels ? pressure_lev : pressure_lay);
  if (given.rank != 2 || given.empty() || given.extents[1] > options.nlay + more || given.extents[1] < 1 + more)
    throw ShapeError(m_where, fmt::format("{} has shape {}, expected (column, {}) with 1 to {} layers", name,
                                          shape_text(given), of_levels ? "level" : "layer", options.nlay));
  m_ncol = given.extents[0];
  m_pressure_lay = of_levels ? layers_of_levels(oriented(given)) : oriented(given);
}

ConstArrayRef ColumnReader::layers_of_levels(ConstArrayRef const& levels) {
  return levels.rank == 2 && levels.extents[1] > 1 ? levels.part(1, 0, levels.extents[1] - 1) : levels;
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

ConstArrayRef ColumnReader::of_integers(char const* name, parhelion_array const& array) {
  return oriented(spread_columns(m_arrays.input(name, array, Entries::integer)));
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
  if (options.clouds == PARHELION_CLOUDS_MASKED)
    refuse_unless(input.fraction_gpt.data != nullptr && input.ice_path.data != nullptr &&
                      input.liquid_path.data != nullptr && all(of_both) && input.fraction.data == nullptr &&
                      input.ice_path_gpt.data == nullptr && input.liquid_path_gpt.data == nullptr,
                  "fraction_gpt, ice_path, liquid_path, ice_size and liquid_size among them, and neither fraction nor "
                  "paths of g-points");
  else if (options.clouds == PARHELION_CLOUDS_OF_LAYERS)
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

namespace {

int number_of(io::GasOpticsModel model) {
  switch (model) {
    case io::GasOpticsModel::simple:
      return PARHELION_GAS_OPTICS_SIMPLE;
    case io::GasOpticsModel::ecckd:
      return PARHELION_GAS_OPTICS_ECCKD;
    case io::GasOpticsModel::rrtmgp:
      return PARHELION_GAS_OPTICS_RRTMGP;
    default:
      return PARHELION_GAS_OPTICS_RRTMG;
  }
}

}  // namespace

void tell_model(char const* where, FluxOptions const& options, parhelion_model* model) {
  auto told = read_struct(where, "model", model);
  std::size_t const size = model->size;
  told = {};
  told.size = size;
  auto const& of = options.model;
  write_text(of.name, told.name, sizeof(told.name));
  told.gas_optics = number_of(options.optics.model);
  told.uses_levels = of.uses_levels ? 1 : 0;
  told.nband = of.sizes.nband;
  told.ngpoint = of.sizes.ngpoint;
  auto const tell = [](double* ends, ValidRange const& range) { ends[0] = range.lowest, ends[1] = range.highest; };
  tell(told.temperature, of.validity.temperature);
  tell(told.pressure, of.validity.pressure);
  tell(told.level_pressure, of.validity.pressure_of_levels());
  tell(told.mole_ratio, of.validity.vmr);
  told.low_pressure = of.validity.low_pressure;
  told.lowest_temperature = of.validity.lowest_temperature;
  auto const tell_sizes = [](double* ends, fluxes::SizeRange const& range) {
    ends[0] = range.smallest, ends[1] = range.largest;
  };
  auto const& optics = options.optics;
  if (optics.clouds) tell_sizes(told.liquid_size, optics.clouds->liquid.sizes());
  if (optics.clouds) tell_sizes(told.ice_size, optics.clouds->ice.sizes());
  if (optics.aerosol) tell_sizes(told.aerosol_size, optics.aerosol->sizes());
  told.total_irradiance = options.total_irradiance;
  std::memcpy(model, &told, std::min(size, sizeof(told)));
}

void tell_bands(char const* where, FluxOptions const& options, double* wavenumber_low, double* wavenumber_high) {
  if (wavenumber_low == nullptr || wavenumber_high == nullptr)
    throw ArgumentError(where, fmt::format("{} is NULL, expected room for {} numbers",
                                           wavenumber_low == nullptr ? "wavenumber_low" : "wavenumber_high",
                                           options.model.sizes.nband));
  for (std::size_t b = 0; b < options.model.bands.size(); ++b) {
    wavenumber_low[b] = options.model.bands[b].wavenumber_low;
    wavenumber_high[b] = options.model.bands[b].wavenumber_high;
  }
}

void tell_gas(char const* where, FluxOptions const& options, std::int32_t gas, std::int32_t* role,
              double* default_mole_ratio) {
  if (role == nullptr) throw ArgumentError(where, "role is NULL, expected where to put it");
  auto const which = static_cast<fluxes::Gas>(choice(where, "gas", gas, PARHELION_H2O, PARHELION_NO2));
  auto const& model = options.model;
  *role = model.required.contains(which) ? PARHELION_ROLE_REQUIRED
          : model.known.contains(which)  ? PARHELION_ROLE_OPTIONAL
                                         : PARHELION_ROLE_NONE;
  if (default_mole_ratio != nullptr) *default_mole_ratio = 0;
  for (auto const& [its, fraction] : model.defaults)
    if (its == which) {
      *role = PARHELION_ROLE_DEFAULT;
      if (default_mole_ratio != nullptr) *default_mole_ratio = fraction;
    }
}

void tell_missing(FluxOptions const& options, fluxes::GasSet const& given, char* text, std::size_t size,
                  std::int64_t* count) {
  auto const missing = options.model.required.without(given);
  std::vector<std::string_view> names;
  for (int gas = 0; gas < fluxes::ngas_all; ++gas)
    if (missing.contains(static_cast<fluxes::Gas>(gas)))
      names.push_back(fluxes::name_of(static_cast<fluxes::Gas>(gas)));
  write_text(fmt::format("{}", fmt::join(names, ", ")), text, size);
  if (count != nullptr) *count = static_cast<std::int64_t>(names.size());
}

void tell_interval_weights(char const* where, FluxOptions const& options, double const* between, std::int64_t nbetween,
                           double* weights) {
  if (!options.optics.ecckd)
    throw ArgumentError(
        where,
        fmt::format("the model is {}, expected ecCKD, as no other one takes surfaces of g-points", options.model.name));
  int const n = choice(where, "nbetween", nbetween, 0, std::numeric_limits<int>::max());
  if (weights == nullptr || (between == nullptr && n > 0))
    throw ArgumentError(where, fmt::format("{} is NULL, expected {}", weights == nullptr ? "weights" : "between",
                                           weights == nullptr ? "room for the weights" : "wavenumbers"));
  auto const found = fluxes::ecckd::interval_weights(*options.optics.ecckd, {between, between + n});
  std::copy(found.begin(), found.end(), weights);
}

}  // namespace parhelion::C

char const* parhelion_gas_name(int32_t gas) {
  if (gas < 0 || gas >= PARHELION_NGAS_ALL) return nullptr;
  return parhelion::fluxes::name_of(static_cast<parhelion::fluxes::Gas>(gas)).data();  // of a literal, which ends by 0
}

int parhelion_find_gas(char const* name, int32_t* gas) {
  using namespace parhelion;
  constexpr char const* where = "parhelion_find_gas";
  return C::guarded([&] {
    if (name == nullptr || gas == nullptr)
      throw ArgumentError(where, fmt::format("{} is NULL, expected {}", name == nullptr ? "name" : "gas",
                                             name == nullptr ? "a name" : "where to put the number"));
    auto const found = fluxes::find_gas(name);
    if (!found) throw ArgumentError(where, fmt::format("there is no gas \"{}\"", name));
    *gas = static_cast<int32_t>(*found);
  });
}
