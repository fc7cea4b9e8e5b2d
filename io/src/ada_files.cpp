// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/ada_files.hpp>

#include "plain_values.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

namespace parhelion::io {

namespace {

using adding::HostPerturbation;

using Shape = std::vector<std::size_t>;

std::string text(Shape const& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

// What a variable must look like: the names of its dimensions, for messages, and their lengths.
struct Dimensions {
  char const* names;
  Shape shape;
};

// A group that is being read, or only looked at: then shapes are checked and bytes are counted, and arrays stay empty.
class Reader {
 public:
  enum class Purpose { look, read };

  Reader(Hdf5File const& file, std::string const& group, Purpose purpose)
      : m_file(file), m_group(group), m_purpose(purpose) {}

  bool looks() const { return m_purpose == Purpose::look; }

  // Of all arrays that have been asked for, and of the one that is on its way from the file.
  std::size_t bytes() const { return m_bytes + m_largest; }

  bool has(std::string const& name) const { return m_file.exists(path(name)); }

  std::vector<std::string> variables(std::string const& group) const { return m_file.variables(path(group)); }

  // What messages about values open with.
  std::string where() const { return fmt::format("{}: {}", m_file.path(), m_group); }

  Shape shape(std::string const& name, std::size_t rank, char const* expected) const {
    if (!has(name)) throw Error(where(name), "missing");
    auto const found = m_file.shape(path(name));
    if (found.size() != rank || std::find(found.begin(), found.end(), 0U) != found.end())
      throw Error(where(name), fmt::format("has shape {}, expected {}, at least 1 of each", text(found), expected));
    return found;
  }

  template <class DataType>
  HostArray<DataType> read(std::string const& name, Dimensions const& dimensions) {
    if (!has(name)) throw Error(where(name), "missing");
    if (auto const found = m_file.shape(path(name)); found != dimensions.shape)
      throw Error(where(name),
                  fmt::format("has shape {}, expected {} = {}", text(found), dimensions.names, text(dimensions.shape)));
    auto const n =
        std::accumulate(dimensions.shape.begin(), dimensions.shape.end(), std::size_t(1), std::multiplies<>());
    m_bytes += n * sizeof(typename HostArray<DataType>::value_type);
    m_largest = std::max(m_largest, n * sizeof(double));
    if (looks()) return {};
    typename HostArray<DataType>::array_layout layout;
    std::copy(dimensions.shape.begin(), dimensions.shape.end(), layout.dimension);
    HostArray<DataType> const array(Kokkos::view_alloc("parhelion::io::ada", Kokkos::WithoutInitializing), layout);
    refuse_packed(m_file, path(name), where(name));
    auto const fills = fill_values(m_file, path(name));
    auto const values = m_file.read(path(name));
    std::copy(values.begin(), values.end(), array.data());
    expect_values(where(), array, name, "", "a finite number that is not a missing value",
                  [&](double x) { return std::find(fills.begin(), fills.end(), x) == fills.end(); });
    return array;
  }

  // The same, or an empty array where the variable is missing.
  template <class DataType>
  HostArray<DataType> read_if_there(std::string const& name, Dimensions const& dimensions) {
    return has(name) ? read<DataType>(name, dimensions) : HostArray<DataType>();
  }

 private:
  std::string path(std::string const& name) const { return m_group + "/" + name; }
  std::string where(std::string const& name) const { return fmt::format("{}: {}", where(), name); }

  Hdf5File const& m_file;
  std::string m_group;
  Purpose m_purpose;
  std::size_t m_bytes = 0;
  std::size_t m_largest = 0;
};

// The shapes of a group.
struct Shapes {
  Dimensions profile, layer, angle, reflectivity, phase;

  Shapes(std::size_t p, std::size_t l, std::size_t a)
      : profile{"(profile)", {p}},
        layer{"(profile, layer)", {p, l}},
        angle{"(profile, angle)", {p, a}},
        reflectivity{"(profile, angle, angle)", {p, a, a}},
        phase{"(profile, layer, angle, angle + 1)", {p, l, a, a + 1}} {}
};

// Which matrix the types of layers mean: type t is matrix t - 1, 0 is none.
HostArray<int**> read_types(Reader& reader, Dimensions const& layer, std::size_t ntype) {
  auto const types = reader.read<double**>("type", layer);
  if (reader.looks()) return {};
  HostArray<int**> const phase("parhelion::io::ada", types.extent(0), types.extent(1));
  for (std::size_t p = 0; p < phase.extent(0); ++p)
    for (std::size_t k = 0; k < phase.extent(1); ++k) {
      double const type = types(p, k);
      if (!(type >= 0 && type <= static_cast<double>(ntype)) || type != static_cast<int>(type))
        throw Error(reader.where(),
                    fmt::format("type({}, {}) = {}, expected a whole number from 0 to {}", p, k, type, ntype));
      phase(p, k) = static_cast<int>(type) - 1;
    }
  return phase;
}

// Layer k has matrix k.
HostArray<int**> matrices_of_layers(std::size_t nprofile, std::size_t nlay) {
  HostArray<int**> const phase("parhelion::io::ada", nprofile, nlay);
  for (std::size_t p = 0; p < nprofile; ++p)
    for (std::size_t k = 0; k < nlay; ++k) phase(p, k) = static_cast<int>(k);
  return phase;
}

// Returns whether the group scatters.
bool read_scattering(Reader& reader, Shapes& shapes, AdaGroup& group) {
  auto& profiles = group.profiles;
  bool const of_layers = reader.has("pff") || reader.has("pbb");
  group.types = reader.has("pff_types") || reader.has("pbb_types");
  if (of_layers && group.types)
    throw Error(reader.where(),
                "has phase matrices of layers (pff, pbb) and of types (pff_types, pbb_types), expected "
                "one of the two");
  if (!of_layers && !group.types) {
    auto const albedo = reader.read_if_there<double**>("ssa", shapes.layer);
    if (!reader.looks())
      expect_values(reader.where(), albedo, "ssa", "",
                    "0 in a group without phase matrices (pff and pbb, or pff_types and pbb_types)",
                    [](double x) { return x == 0; });
    return false;
  }
  profiles.single_scattering_albedo = reader.read<double**>("ssa", shapes.layer);
  if (group.types) {
    auto const ntype = reader.shape("pff_types", 4, "(profile, type, angle, angle + 1)")[1];
    shapes.phase.names = "(profile, type, angle, angle + 1)";
    shapes.phase.shape[1] = ntype;
    profiles.phase = read_types(reader, shapes.layer, ntype);
    group.names.phase_forward = "pff_types";
    group.names.phase_backward = "pbb_types";
  } else if (!reader.looks()) {
    profiles.phase = matrices_of_layers(shapes.layer.shape[0], shapes.layer.shape[1]);
  }
  profiles.phase_forward = reader.read<double****>(group.names.phase_forward, shapes.phase);
  profiles.phase_backward = reader.read<double****>(group.names.phase_backward, shapes.phase);
  return true;
}

HostPerturbation read_perturbation(Reader& reader, Shapes const& shapes, AdaGroup const& group, bool scatters) {
  auto const& names = group.names;
  auto const of = [&](std::string const& name) { return "tl_in/" + name; };
  auto const there = reader.variables("tl_in");
  if (there.empty())
    throw Error(reader.where(), "tl_in missing: it holds the perturbation of tangent-linear radiances");
  HostPerturbation result;
  result.optical_depth = reader.read_if_there<double**>(of(names.optical_depth), shapes.layer);
  result.planck = reader.read_if_there<double**>(of(names.planck), shapes.layer);
  result.planck_sfc = reader.read_if_there<double*>(of(names.planck_sfc), shapes.profile);
  result.emissivity = reader.read_if_there<double**>(of(names.emissivity), shapes.angle);
  result.reflectivity = reader.read_if_there<double***>(of(names.reflectivity), shapes.reflectivity);
  result.direct_reflectivity = reader.read_if_there<double**>(of(names.direct_reflectivity), shapes.angle);
  std::vector<std::string> known{names.optical_depth, names.planck,       names.planck_sfc,
                                 names.emissivity,    names.reflectivity, names.direct_reflectivity};
  if (scatters) {
    result.single_scattering_albedo = reader.read_if_there<double**>(of(names.single_scattering_albedo), shapes.layer);
    result.phase_forward = reader.read_if_there<double****>(of(names.phase_forward), shapes.phase);
    result.phase_backward = reader.read_if_there<double****>(of(names.phase_backward), shapes.phase);
    known.insert(known.end(), {names.single_scattering_albedo, names.phase_forward, names.phase_backward});
  }
  for (auto const& name : there)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(reader.where(),
                  fmt::format("{} cannot be honoured, expected perturbations of {}", of(name), fmt::join(known, ", ")));
  return result;
}

HostArray<double**> read_seed(Reader& reader, Shapes const& shapes) {
  if (reader.has("ad_in/rad_toa")) return reader.read<double**>("ad_in/rad_toa", shapes.angle);
  HostArray<double**> const seed("parhelion::io::ada", shapes.angle.shape[0], shapes.angle.shape[1]);
  for (std::size_t p = 0; p < seed.extent(0); ++p) seed(p, seed.extent(1) - 1) = 1.;
  return seed;
}

AdaGroup read_group(Hdf5File const& file, Reader& reader, std::string const& name, AdaOptions const& options) {
  if (!is_netcdf_name(name))
    throw Error(
        file.path(),
        fmt::format("group \"{}\" cannot be written to a result, expected a name that netCDF takes", valid_utf8(name)));
  AdaGroup group;
  group.name = name;
  group.names.where = reader.where();
  group.names.tangent = "tl_in/";
  group.names.adjoint = "ad_in/rad_toa";
  group.names.optical_depth = "od";
  group.names.planck = "planck_atm";
  group.names.single_scattering_albedo = "ssa";
  group.names.phase = "type";
  group.names.phase_forward = "pff";
  group.names.phase_backward = "pbb";

  auto const layers = reader.shape("od", 2, "(profile, layer)");
  auto const angles = reader.shape("mu", 2, "(profile, angle)");
  Shapes shapes(layers[0], layers[1], angles[1]);
  auto& profiles = group.profiles;
  profiles.order = adding::VerticalOrder::top_first;
  profiles.optical_depth = reader.read<double**>("od", shapes.layer);
  profiles.planck = reader.read<double**>("planck_atm", shapes.layer);
  profiles.mu = reader.read<double**>("mu", shapes.angle);
  profiles.planck_sfc = reader.read<double*>("planck_sfc", shapes.profile);
  profiles.emissivity = reader.read<double**>("emissivity", shapes.angle);
  profiles.reflectivity = reader.read<double***>("reflectivity", shapes.reflectivity);
  profiles.cosmic = reader.read_if_there<double*>("cosmic", shapes.profile);
  if (reader.has("cos_sun") || reader.has("solar_irradiance") || reader.has("direct_reflectivity")) {
    profiles.cos_sun = reader.read<double*>("cos_sun", shapes.profile);
    profiles.solar_irradiance = reader.read<double*>("solar_irradiance", shapes.profile);
    profiles.direct_reflectivity = reader.read<double**>("direct_reflectivity", shapes.angle);
  }
  bool const scatters = read_scattering(reader, shapes, group);
  if (scatters)
    profiles.weight = reader.read<double**>("weight", shapes.angle);
  else
    profiles.weight = reader.read_if_there<double**>("weight", shapes.angle);
  group.unit = file.text_attribute(name + "/planck_atm", "units").value_or("");
  if (!is_utf8(group.unit)) throw Error(reader.where() + ": planck_atm", "attribute units is not valid UTF-8");
  if (options.tangent) group.tangent = read_perturbation(reader, shapes, group, scatters);
  if (options.adjoint) group.adjoint = read_seed(reader, shapes);
  if (reader.looks()) return group;

  adding::validate(profiles, group.names);
  adding::HostAddingOptions sensitivities;
  if (group.tangent) sensitivities.tangent = &*group.tangent;
  sensitivities.adjoint = group.adjoint;
  adding::validate_options(profiles, sensitivities, group.names);
  return group;
}

}  // namespace

AdaInput read_ada_input(std::string const& path, AdaOptions const& options) {
  Hdf5File const file(path);
  auto const there = file.groups();
  if (there.empty()) throw Error(path, "has no groups, expected one or more groups of profiles");
  if (options.group != "all" && std::find(there.begin(), there.end(), options.group) == there.end())
    throw Error(
        path, fmt::format("group {} was asked for, expected all or one of {}", options.group, fmt::join(there, ", ")));
  AdaInput input;
  input.path = path;
  std::vector<std::string> wanted;
  for (auto const& name : there)
    if (options.group == "all" || options.group == name) wanted.push_back(name);
  // All shapes are compared, and all memory is counted, before anything is read.
  std::size_t bytes = 0;
  for (auto const& name : wanted) {
    Reader look(file, name, Reader::Purpose::look);
    read_group(file, look, name, options);
    bytes += look.bytes();
  }
  require_host_memory(path, bytes, wanted.size() > 1 ? "--group with one group at a time makes it fit" : "");
  for (auto const& name : wanted) {
    Reader reader(file, name, Reader::Purpose::read);
    input.groups.push_back(read_group(file, reader, name, options));
  }
  return input;
}

// --- writing -----------------------------------------------------------------------------------------------------

namespace {

constexpr char const* cosines = "mu";

// Writes the variables of a group; arrays that are empty have not been computed.
class GroupWriter {
 public:
  GroupWriter(NetcdfWriter& file, AdaGroup const& group) : m_file(file), m_group(group.name), m_unit(group.unit) {}

  void group(char const* name, char const* what) {
    m_file.group(fmt::format("{}/{}", m_group, name), {{"long_name", what}});
  }

  // In the unit of the radiances, or in `unit`.
  template <class View>
  void write(std::string const& name, std::vector<std::string> const& dimensions, View const& values,
             std::string const& long_name, char const* unit = nullptr) {
    if (values.size() == 0) return;
    Attributes attributes{{"long_name", long_name}};
    if (std::string const known = unit != nullptr ? unit : m_unit; !known.empty())
      attributes.emplace_back("units", known);
    else
      attributes.emplace_back("comment", "in the unit of planck_atm in the input, which has no attribute units");
    bool const of_angles = std::find(dimensions.begin(), dimensions.end(), "angle") != dimensions.end();
    if (of_angles && name != cosines) attributes.emplace_back("coordinates", cosines);
    m_file.variable(fmt::format("{}/{}", m_group, name), dimensions, std::span(values.data(), values.size()),
                    attributes);
  }

 private:
  NetcdfWriter& m_file;
  std::string m_group;
  std::string m_unit;
};

void write_derivatives(GroupWriter& writer, AdaGroup const& group, HostPerturbation const& by) {
  auto const& names = group.names;
  auto const write = [&](std::string const& name, std::vector<std::string> const& dimensions, auto const& values,
                         char const* unit = nullptr) {
    writer.write("ad_out/" + name, dimensions, values,
                 fmt::format("derivative of the weighted sum of upward radiances at the top by {}", name), unit);
  };
  std::vector<std::string> const matrices{"profile", group.types ? "type" : "layer", "angle", "angle_in_and_sun"};
  write(names.optical_depth, {"profile", "layer"}, by.optical_depth);
  write(names.planck, {"profile", "layer"}, by.planck, "1");
  write(names.planck_sfc, {"profile"}, by.planck_sfc, "1");
  write(names.emissivity, {"profile", "angle"}, by.emissivity);
  write(names.reflectivity, {"profile", "angle", "angle_in"}, by.reflectivity);
  write(names.direct_reflectivity, {"profile", "angle"}, by.direct_reflectivity);
  write(names.single_scattering_albedo, {"profile", "layer"}, by.single_scattering_albedo);
  write(names.phase_forward, matrices, by.phase_forward);
  write(names.phase_backward, matrices, by.phase_backward);
}

void write_group(NetcdfWriter& file, AdaGroup const& group, adding::HostRadiances const& result) {
  auto const& profiles = group.profiles;
  auto const size = [](int n) { return static_cast<std::size_t>(n); };
  file.group(group.name);
  file.dimension(group.name + "/profile", size(profiles.nprofile()));
  file.dimension(group.name + "/level", size(profiles.nlev()));
  file.dimension(group.name + "/angle", size(profiles.nangle()));
  bool const adjoint = result.adjoint.planck.size() > 0;
  if (adjoint) {
    file.dimension(group.name + "/layer", size(profiles.nlay()));
    file.dimension(group.name + "/angle_in", size(profiles.nangle()));
    if (profiles.scatters()) file.dimension(group.name + "/angle_in_and_sun", size(profiles.nangle()) + 1);
    if (group.types) file.dimension(group.name + "/type", size(profiles.nphase()));
  }

  GroupWriter writer(file, group);
  std::vector<std::string> const levels{"profile", "level", "angle"};
  writer.write(cosines, {"profile", "angle"}, profiles.mu, "cosine of the zenith angle", "1");
  writer.write("rad_up", levels, result.up_from_below,
               "upward radiance of what lies below the level, with no light from above but the sun's beam; at level 0 "
               "the upward radiance, with the sky's radiation");
  writer.write("full_up", levels, result.up, "upward radiance, positive upward");
  writer.write("full_dn", levels, result.dn, "downward radiance without the sun's direct beam, positive downward");
  if (result.tangent_toa.size() > 0) {
    writer.group("tl_out", "tangent-linear radiances");
    writer.write("tl_out/rad_toa", {"profile", "angle"}, result.tangent_toa,
                 "change of the upward radiance at the top by the perturbation tl_in, to first order");
  }
  if (adjoint) {
    writer.group("ad_out", "derivatives by the input");
    write_derivatives(writer, group, result.adjoint);
  }
}

}  // namespace

void write_ada_radiances(std::string const& path, AdaInput const& input,
                         std::vector<adding::HostRadiances> const& results, Provenance const& provenance) {
  if (results.size() != input.groups.size())
    throw Error("write_ada_radiances",
                fmt::format("{} results for {} groups, expected as many", results.size(), input.groups.size()));
  NetcdfWriter file(path);
  file.attributes(global_attributes(provenance, "index 0 is the highest layer and the top interface"));
  for (std::size_t i = 0; i < results.size(); ++i) write_group(file, input.groups[i], results[i]);
  file.commit();
}

}  // namespace parhelion::io
