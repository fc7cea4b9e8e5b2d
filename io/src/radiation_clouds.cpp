// SPDX-License-Identifier: BSD-3-Clause
#include "radiation_clouds.hpp"

#include "plain_values.hpp"
#include "radiation_fields.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace parhelion::io::Impl {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using fluxes::CloudInput;
using fluxes::HostClouds;
using fluxes::IceOptics;
using fluxes::LiquidOptics;
using fluxes::Overlap;
using fluxes::SizeRange;

// --- flags -------------------------------------------------------------------------------------------------------

// A whole number for each column: of an attribute of the file, of a scalar variable, or of one (column).
struct Flag {
  std::string name;              // "inflglw" or "attribute inflglw"
  bool of_columns = false;       // whether each column has its own
  std::vector<int> values = {};  // of all columns of the file; empty where it has none

  bool there() const { return !values.empty(); }
  std::string at(std::size_t column) const { return of_columns ? fmt::format("{}({})", name, column) : name; }
};

std::vector<double> numbers_of_attribute(Hdf5File const& file, std::string const& name) {
  if (auto const numbers = file.number_attribute("", name)) return *numbers;
  auto const text = file.text_attribute("", name).value_or("");
  double number = 0.;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(file.path(), fmt::format("attribute {} = {}, expected a whole number", name, text));
  return {number};
}

Flag read_flag(Hdf5File const& file, std::string const& name, std::size_t ncol, bool (*valid)(double value),
               char const* expected) {
  Flag flag{name};
  std::vector<double> found;
  bool const attribute = file.number_attribute("", name) || file.text_attribute("", name);
  if (attribute && file.exists(name))
    throw Error(fmt::format("{}: {}", file.path(), name), "is a variable and an attribute, expected one of them");
  if (attribute) {
    flag.name = "attribute " + name;
    found = numbers_of_attribute(file, name);
    if (found.size() != 1)
      throw Error(file.path(), fmt::format("{} has {} values, expected 1", flag.name, found.size()));
  } else if (file.exists(name)) {
    auto const shape = file.shape(name);
    flag.of_columns = shape == Shape{ncol};
    if (!flag.of_columns && !shape.empty() && shape != Shape{1})
      refuse_shape(file, name, shape, fmt::format("() or (column) = ({})", ncol));
    refuse_packed(file, name, fmt::format("{}: {}", file.path(), name));
    found = file.read(name);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!valid(found[i]))
      throw Error(file.path(), fmt::format("{} = {:.10g}, expected {}", flag.at(i), found[i], expected));
  if (!found.empty()) flag.values.resize(ncol);
  for (std::size_t c = 0; c < flag.values.size(); ++c)
    flag.values[c] = static_cast<int>(found[flag.of_columns ? c : 0]);
  return flag;
}

bool is_whole(double value) { return std::abs(value) < 1e6 && value == std::floor(value); }

Flag read_icld(Hdf5File const& file, std::size_t ncol) {
  return read_flag(
      file, "icld", ncol, [](double flag) { return is_whole(flag) && flag >= -1. && flag <= 5.; },
      "0 (no clouds), 1 to 5 (an overlap), or -1 (left to the clouds themselves)");
}

// --- clouds ------------------------------------------------------------------------------------------------------

// Reads the variables of clouds.
struct Reader {
  Hdf5File const& file;
  CloudOptions const& options;
  bool top_first;
  std::size_t of_file;  // columns of the file
  ItemRange columns;    // those that are read
  std::size_t ncol;     // how many these are
  std::size_t nlay;
  std::vector<bool> clear;  // columns, of those that are read, whose clouds do not count
  Flag icld;

  // A flag of all columns of the file, and of one that is read.
  Flag flag(std::string const& name, bool (*valid)(double value), char const* expected) const {
    return read_flag(file, name, of_file, valid, expected);
  }
  int of_column(Flag const& flag, std::size_t c) const { return flag.values[columns.first + c]; }

  // Values of ignored columns are not checked, and become 0. Where clipping follows, every finite value is accepted.
  Field field(std::string const& name, Quantity const& quantity, Dimensions const& dimensions,
              std::vector<bool> const& ignored) const {
    return read_field(file, name, options.clip ? any_finite(quantity) : quantity, dimensions, {columns}, ignored);
  }

  void profiles(std::string const& name, Quantity const& quantity, HostArray<double**> const& to) const {
    if (file.exists(name))
      copy_profiles(field(name, quantity, {"(column, layer)", {of_file, nlay}}, clear), top_first, to, 0);
  }

  void spectra(std::string const& name, Quantity const& quantity, HostArray<double***> const& to,
               std::vector<bool> const& ignored) const {
    Dimensions const dimensions{"(column, layer, gpt)", {of_file, nlay, std::size_t(fluxes::ngpt)}};
    if (file.exists(name)) copy_spectra(field(name, quantity, dimensions, ignored), top_first, to);
  }

  // Refuses a file without a variable that others need. They would have no effect, as a missing variable counts as 0.
  void need(std::string const& name, std::string const& why) const {
    if (!file.exists(name)) throw Error(fmt::format("{}: {}", file.path(), name), "missing: " + why);
  }
};

template <std::size_t N>
std::string first_present(Hdf5File const& file, std::array<char const*, N> const& names) {
  auto const found = std::find_if(names.begin(), names.end(), [&](char const* name) { return file.exists(name); });
  return found == names.end() ? "" : *found;
}

// Sets the optics of particles to those of the file or of the options; where neither has any they stay as they are.
template <class Optics>
void read_optics(Reader const& reader, std::string const& name, Optics (*of_number)(int, std::string const&),
                 std::optional<Optics> const& wanted, HostArray<int*> const& to) {
  auto const flag = reader.flag(name, is_whole, "a whole number");
  if (flag.there() && wanted)
    throw Error(fmt::format("{}: {}", reader.file.path(), flag.name),
                "is in the file, but other particle optics were asked for");
  for (std::size_t c = 0; c < reader.ncol; ++c) {
    if (flag.there())
      to(c) = static_cast<int>(of_number(reader.of_column(flag, c),
                                         fmt::format("{}: {}", reader.file.path(), flag.at(reader.columns.first + c))));
    else if (wanted)
      to(c) = static_cast<int>(*wanted);
  }
}

// In the unit of the file.
std::string describe(SizeRange const& range, Field const& sizes) {
  double const smallest = range.smallest / sizes.factor;
  if (range.largest == std::numeric_limits<double>::max()) return fmt::format("{:g} {} or more", smallest, sizes.unit);
  return fmt::format("{:g} to {:g} {}", smallest, range.largest / sizes.factor, sizes.unit);
}

// Reads sizes and checks those that count, as fluxes::validate() does: where there is such water in a cloud.
template <class Counts, class RangeOf>
void read_sizes(Reader const& reader, std::vector<bool> const& ignored, std::string const& name, char const* flag,
                HostArray<double**> const& to, HostArray<int*> const& optics, Counts const& counts,
                RangeOf const& range_of) {
  std::optional<Field> sizes;
  if (reader.file.exists(name)) {
    sizes = reader.field(name, particle_size, {"(column, layer)", {reader.of_file, reader.nlay}}, ignored);
    copy_profiles(*sizes, reader.top_first, to, 0);
  }
  for (std::size_t i = 0; i < reader.ncol * reader.nlay; ++i) {
    std::size_t const c = i / reader.nlay, k = i % reader.nlay;  // k counts as the file does
    if (ignored[c] || !counts(c, reader.top_first ? reader.nlay - 1 - k : k)) continue;
    if (!sizes)
      throw Error(fmt::format("{}: {}", reader.file.path(), name),
                  fmt::format("missing: {} = {} needs sizes", flag, optics(c)));
    SizeRange const range = range_of(optics(c));
    if (!reader.options.clip && !range.holds(sizes->converted(i)))
      throw Error(reader.file.path(), fmt::format("{} = {}, expected {} with {} = {}", sizes->at(i), sizes->value(i),
                                                  describe(range, *sizes), flag, optics(c)));
  }
}

// Sizes and optics, the same for both kinds of clouds.
// `has_ice(column, layer)` and `has_liquid(column, layer)` say where there is such water in a cloud; columns that are
// ignored are not asked.
template <class HasIce, class HasLiquid>
void read_particles(Reader const& reader, std::vector<bool> const& ignored, HostClouds const& clouds, char const* ice,
                    char const* liquid, HasIce const& has_ice, HasLiquid const& has_liquid) {
  read_optics(reader, "iceflglw", fluxes::ice_optics, reader.options.ice_optics, clouds.ice_optics);
  read_optics(reader, "liqflglw", fluxes::liquid_optics, reader.options.liquid_optics, clouds.liquid_optics);
  read_sizes(reader, ignored, ice, "iceflglw", clouds.ice_size, clouds.ice_optics, has_ice,
             [](int optics) { return fluxes::size_range(static_cast<IceOptics>(optics)); });
  read_sizes(
      reader, ignored, liquid, "liqflglw", clouds.liquid_size, clouds.liquid_optics,
      [&](std::size_t c, std::size_t k) {
        return clouds.liquid_optics(c) != static_cast<int>(LiquidOptics::all_bands) && has_liquid(c, k);
      },
      [](int optics) { return fluxes::size_range(static_cast<LiquidOptics>(optics)); });
}

HostClouds read_gpoint_clouds(Reader const& reader) {
  auto const inflglw = reader.flag(
      "inflglw", [](double flag) { return flag == 0. || flag == 2.; },
      "0 (optical depths) or 2 (water paths); 1 is not available with McICA in RRTMG_LW");
  if (!inflglw.there() && reader.file.exists("taucmcl"))
    reader.need("inflglw", "it says where taucmcl counts and where the water paths do");
  reader.need("cldfmcl", "other variables of clouds of g-points are there");

  // Columns whose optical depths are not used, and columns whose water paths are not used.
  std::vector<bool> not_by_depth = reader.clear, not_by_path = reader.clear;
  auto const by_depth = [&](std::size_t column) {
    return inflglw.there() && inflglw.values[column] == static_cast<int>(CloudInput::optical_depth);
  };
  for (std::size_t c = 0; c < reader.ncol; ++c) {
    (by_depth(reader.columns.first + c) ? not_by_path : not_by_depth)[c] = true;
  }
  // The arrays are the same in all parts of a file.
  bool optical_depths = false;
  for (std::size_t c = 0; c < reader.of_file; ++c)
    optical_depths = optical_depths || (by_depth(c) && !(reader.icld.there() && reader.icld.values[c] == 0));
  if (optical_depths) reader.need("taucmcl", "inflglw = 0 needs it");
  auto const clouds = fluxes::make_gpoint_clouds<Host, double>(static_cast<int>(reader.ncol),
                                                               static_cast<int>(reader.nlay), optical_depths);
  for (std::size_t c = 0; c < reader.ncol; ++c)
    if (!not_by_depth[c]) clouds.input(c) = static_cast<int>(CloudInput::optical_depth);
  reader.spectra("cldfmcl", cloud_fraction, clouds.fraction_gpt, reader.clear);
  reader.spectra("ciwpmcl", water_path, clouds.ice_path_gpt, not_by_path);
  reader.spectra("clwpmcl", water_path, clouds.liquid_path_gpt, not_by_path);
  if (optical_depths) reader.spectra("taucmcl", optical_depth, clouds.optical_depth_gpt, not_by_depth);

  auto const any_in_cloud = [&](HostArray<double***> const& path, std::size_t c, std::size_t k) {
    for (std::size_t g = 0; g < path.extent(2); ++g)
      if (clouds.fraction_gpt(c, k, g) >= 1. && path(c, k, g) > 0.) return true;
    return false;
  };
  read_particles(
      reader, not_by_path, clouds, "reicmcl", "relqmcl",
      [&](std::size_t c, std::size_t k) { return any_in_cloud(clouds.ice_path_gpt, c, k); },
      [&](std::size_t c, std::size_t k) { return any_in_cloud(clouds.liquid_path_gpt, c, k); });
  return clouds;
}

// The overlap of the options, else that of icld, else maximum-random.
Overlap overlap_of_layers(Reader const& reader) {
  if (reader.options.overlap) return *reader.options.overlap;
  int found = 0;
  for (std::size_t c = 0; c < reader.icld.values.size(); ++c) {
    int const here = reader.icld.values[c];
    if (here < 1) continue;  // clear, or says nothing
    if (found != 0 && here != found)
      throw Error(reader.file.path(), fmt::format("{} = {} after {} in another column, expected one overlap for all",
                                                  reader.icld.at(c), here, found));
    found = here;
  }
  return found == 0 ? Overlap::maximum_random : static_cast<Overlap>(found);
}

// One for each column; empty where the overlap needs none.
HostArray<double*> decorrelation_lengths(Reader const& reader, Overlap overlap) {
  auto const& options = reader.options;
  bool const wanted = options.decorrelation_length || options.day;
  if (options.decorrelation_length && options.day)
    throw Error(reader.file.path(), "a decorrelation length and a day for one were asked for, expected one of them");
  if (!fluxes::is_exponential(overlap)) {
    if (wanted)
      throw Error(
          reader.file.path(),
          "a decorrelation length was asked for, expected an exponential or exponential-random overlap with it");
    return {};
  }
  double const length = options.decorrelation_length.value_or(fluxes::default_decorrelation_length);
  if (!(length > 0. && std::isfinite(length)))
    throw Error(reader.file.path(),
                fmt::format("a decorrelation length of {:g} m was asked for, expected a positive one", length));
  HostArray<double*> const lengths("parhelion::io::decorrelation_length", reader.ncol);
  Kokkos::deep_copy(lengths, length);
  if (options.day) {
    if (*options.day < 1 || *options.day > 366)
      throw Error(reader.file.path(), fmt::format("day {} was asked for, expected 1 to 366", *options.day));
    reader.need("lat", "decorrelation lengths of latitude were asked for");
    auto const lat = read_field(reader.file, "lat", latitude, {"(column)", {reader.of_file}}, {reader.columns});
    for (std::size_t c = 0; c < reader.ncol; ++c)
      lengths(c) = fluxes::decorrelation_length(lat.converted(c), *options.day);
  }
  return lengths;
}

HostClouds read_layer_clouds(Reader const& reader) {
  reader.flag(
      "inflglw", [](double flag) { return flag == 2.; }, "2: clouds of layers are given by their water paths");
  reader.need("cldfrac", "other variables of clouds of layers are there");
  auto clouds = fluxes::make_layer_clouds<Host, double>(static_cast<int>(reader.ncol), static_cast<int>(reader.nlay));
  clouds.overlap = overlap_of_layers(reader);
  clouds.seed = reader.options.seed.value_or(0);
  clouds.decorrelation_length = decorrelation_lengths(reader, clouds.overlap);
  reader.profiles("cldfrac", cloud_fraction, clouds.fraction);
  reader.profiles("ciwp", water_path, clouds.ice_path);
  reader.profiles("clwp", water_path, clouds.liquid_path);
  read_particles(
      reader, reader.clear, clouds, "rei", "rel",
      [&](std::size_t c, std::size_t k) { return clouds.fraction(c, k) > 0. && clouds.ice_path(c, k) > 0.; },
      [&](std::size_t c, std::size_t k) { return clouds.fraction(c, k) > 0. && clouds.liquid_path(c, k) > 0.; });
  return clouds;
}

// An option that only clouds of layers have; nullptr where none is set.
char const* wish_for_layers(CloudOptions const& options) {
  if (options.overlap) return "an overlap";
  if (options.seed) return "a seed";
  if (options.decorrelation_length || options.day) return "a decorrelation length";
  return nullptr;
}

char const* wish_for_clouds(CloudOptions const& options) {
  if (auto const wish = wish_for_layers(options)) return wish;
  if (options.ice_optics) return "optics of ice";
  if (options.liquid_optics) return "optics of droplets";
  return nullptr;
}

void refuse_wish(std::string const& path, char const* wish, std::string const& why) {
  if (wish != nullptr) throw Error(path, fmt::format("{} was asked for, but {}", wish, why));
}

}  // namespace

void refuse_cloud_options(std::string const& path, CloudOptions const& options, std::string const& why) {
  refuse_wish(path, wish_for_clouds(options), why);
  if (options.clip) refuse_wish(path, "clipping", why);
}

std::size_t check_clouds(Hdf5File const& file, std::size_t ncol, std::size_t nlay) {
  auto const icld = read_icld(file, ncol);
  auto const is_clear = [](int flag) { return flag == 0; };
  if (icld.there() && std::all_of(icld.values.begin(), icld.values.end(), is_clear)) return 0;
  std::size_t values = 0;
  Dimensions const layers{"(column, layer)", {ncol, nlay}},
      gpoints{"(column, layer, gpt)", {ncol, nlay, std::size_t(fluxes::ngpt)}};
  auto const check = [&](char const* name, Quantity const& quantity, Dimensions const& dimensions) {
    if (!file.exists(name)) return;
    check_field(file, name, quantity, dimensions);
    values += dimensions.shape.size() > 2 ? dimensions.shape.back() : 1;
  };
  check("cldfmcl", cloud_fraction, gpoints);
  check("ciwpmcl", water_path, gpoints);
  check("clwpmcl", water_path, gpoints);
  // Which columns count of this one, if any, flags say that are read with it.
  if (file.exists("taucmcl")) values += fluxes::ngpt;
  check("reicmcl", particle_size, layers);
  check("relqmcl", particle_size, layers);
  check("cldfrac", cloud_fraction, layers);
  check("ciwp", water_path, layers);
  check("clwp", water_path, layers);
  check("rei", particle_size, layers);
  check("rel", particle_size, layers);
  return values;
}

void read_clouds(Hdf5File const& file, CloudOptions const& options, RadiationInput& input) {
  auto const ncol = static_cast<std::size_t>(input.columns.ncol());
  auto const nlay = static_cast<std::size_t>(input.columns.nlay());
  auto const of_file = static_cast<std::size_t>(input.nsite_of_file);
  auto const idrv = read_flag(
      file, "idrv", of_file, [](double flag) { return flag == 0. || flag == 1.; }, "0 or 1");
  input.derivative = std::any_of(idrv.values.begin(), idrv.values.end(), [](int flag) { return flag != 0; });

  Reader reader{.file = file,
                .options = options,
                .top_first = input.top_first,
                .of_file = of_file,
                .columns = input.sites,
                .ncol = ncol,
                .nlay = nlay,
                .clear = std::vector<bool>(ncol, false),
                .icld = read_icld(file, of_file)};
  auto const gpoints = first_present(file, gpoint_variables);
  auto const layers = first_present(file, layer_variables);
  input.has_clouds = !gpoints.empty() || !layers.empty();
  bool all_clear = reader.icld.there();
  for (std::size_t c = 0; c < reader.icld.values.size(); ++c) {
    bool const clear = reader.icld.values[c] == 0;
    all_clear = all_clear && clear;
    if (c >= reader.columns.first && c < reader.columns.end()) reader.clear[c - reader.columns.first] = clear;
    if (reader.icld.values[c] > 0 && !input.has_clouds)
      throw Error(file.path(), fmt::format("{} = {}, but no clouds are there, expected one of {}, {}",
                                           reader.icld.at(c), reader.icld.values[c], fmt::join(gpoint_variables, ", "),
                                           fmt::join(layer_variables, ", ")));
  }
  if (layers.empty()) refuse_wish(file.path(), wish_for_layers(options), "the file has no clouds of layers");
  if (!input.has_clouds) refuse_wish(file.path(), wish_for_clouds(options), "the file has no clouds");
  if (!input.has_clouds || all_clear) return;
  if (!gpoints.empty() && !layers.empty())
    throw Error(file.path(),
                fmt::format("has clouds of g-points ({}) and of layers ({}), expected one of them", gpoints, layers));
  input.clouds = gpoints.empty() ? read_layer_clouds(reader) : read_gpoint_clouds(reader);
  input.clouds.first_column = static_cast<std::uint32_t>(input.sites.first);
}

}  // namespace parhelion::io::Impl
