// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/ada_files.hpp>

#include "plain_values.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>
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
using Host = Kokkos::DefaultHostExecutionSpace;

using Shape = std::vector<std::size_t>;

// The dimension of phase matrices is that of types or of layers.
std::string file_dimension(std::string_view name, bool types) {
  return name == dimension::matrix ? (types ? "type" : "layer") : std::string(name);
}

std::string text(Shape const& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

// The expected dimensions of a variable: their names, for messages, and their lengths.
struct Layout {
  std::string names;
  Shape shape;
  ItemRange profiles;  // of the first dimension: the part that is read
};

// A group that is read, or only inspected: then shapes are checked, bytes are counted and arrays stay empty.
class Reader {
 public:
  enum class Purpose { look, read };

  Reader(Hdf5File const& file, std::string const& group, Purpose purpose)
      : m_file(file), m_group(group), m_purpose(purpose) {}

  bool looks() const { return m_purpose == Purpose::look; }

  // Of all arrays that were asked for, and of the largest of them once more, for the copy that reading makes.
  std::size_t bytes() const { return m_bytes + m_largest; }

  bool has(std::string const& name) const { return m_file.exists(path(name)); }

  std::vector<std::string> variables(std::string const& group) const { return m_file.variables(path(group)); }

  // The beginning of messages about values.
  std::string where() const { return fmt::format("{}: {}", m_file.path(), m_group); }

  Shape shape(std::string const& name, std::size_t rank, char const* expected) const {
    if (!has(name)) throw Error(where(name), "missing");
    auto const found = m_file.shape(path(name));
    if (found.size() != rank || std::find(found.begin(), found.end(), 0U) != found.end())
      throw Error(where(name), fmt::format("has shape {}, expected {}, at least 1 of each", text(found), expected));
    return found;
  }

  template <class DataType>
  HostArray<DataType> read(std::string const& name, Layout const& layout) {
    if (!has(name)) throw Error(where(name), "missing");
    if (auto const found = m_file.shape(path(name)); found != layout.shape)
      throw Error(where(name),
                  fmt::format("has shape {}, expected {} = {}", text(found), layout.names, text(layout.shape)));
    auto part = layout.shape;
    part.front() = layout.profiles.count;
    auto const n = std::accumulate(part.begin(), part.end(), std::size_t(1), std::multiplies<>());
    m_bytes += n * sizeof(typename HostArray<DataType>::value_type);
    m_largest = std::max(m_largest, n * sizeof(double));
    if (looks() || n == 0) return {};
    typename HostArray<DataType>::array_layout extents;
    std::copy(part.begin(), part.end(), extents.dimension);
    HostArray<DataType> const array(Kokkos::view_alloc("parhelion::io::ada", Kokkos::WithoutInitializing), extents);
    refuse_packed(m_file, path(name), where(name));
    auto const fills = fill_values(m_file, path(name));
    auto const values = m_file.read(path(name), std::vector{layout.profiles});
    std::copy(values.begin(), values.end(), array.data());
    expect_values(where(), array, name, "", "a finite number that is not a missing value",
                  [&](double x) { return std::find(fills.begin(), fills.end(), x) == fills.end(); });
    return array;
  }

  // The same, or an empty array where the variable is missing.
  template <class DataType>
  HostArray<DataType> read_if_there(std::string const& name, Layout const& layout) {
    return has(name) ? read<DataType>(name, layout) : HostArray<DataType>();
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

// How large the arrays of a group are.
struct Sizes {
  std::size_t nprofile, nlay, nangle;
  ItemRange range;  // the profiles that are read
  std::size_t nphase = 0;
  bool types = false;  // phase matrices are those of types, not of layers

  // The shape that a file has of an array, with the names that its readers know.
  Layout of(ArrayDescription const& description) const {
    std::vector<std::string> names;
    Layout layout;
    for (int d = 0; d < description.rank(); ++d) {
      std::string_view const name = description.dimensions[static_cast<std::size_t>(d)];
      if (name == dimension::angle_in)
        names.emplace_back("angle");
      else if (name == dimension::angle_in_and_sun)
        names.emplace_back("angle + 1");
      else
        names.push_back(file_dimension(name, types));
      layout.shape.push_back(name == dimension::profile            ? nprofile
                             : name == dimension::layer            ? nlay
                             : name == dimension::matrix           ? nphase
                             : name == dimension::angle_in_and_sun ? nangle + 1
                                                                   : nangle);
    }
    layout.names = fmt::format("({})", fmt::join(names, ", "));
    layout.profiles = range;
    return layout;
  }
};

// Which matrix the types of layers mean: type t is matrix t - 1, 0 is none.
HostArray<int**> read_types(Reader& reader, Layout const& layer, std::size_t ntype) {
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

// Which phase matrices the group has. Returns whether it scatters.
bool look_for_matrices(Reader& reader, Sizes& sizes, AdaGroup& group) {
  bool const of_layers = reader.has("pff") || reader.has("pbb");
  group.types = sizes.types = reader.has("pff_types") || reader.has("pbb_types");
  if (of_layers && group.types)
    throw Error(reader.where(),
                "has phase matrices of layers (pff, pbb) and of types (pff_types, pbb_types), expected "
                "one of the two");
  sizes.nphase = sizes.nlay;
  if (group.types) {
    sizes.nphase = reader.shape("pff_types", 4, "(profile, type, angle, angle + 1)")[1];
    group.names.others["phase_forward"] = "pff_types";
    group.names.others["phase_backward"] = "pbb_types";
  }
  return of_layers || group.types;
}

// Reads the arrays of profiles.
void read_profiles(Reader& reader, Sizes const& sizes, bool scatters, AdaGroup& group) {
  bool const sun = reader.has("cos_sun") || reader.has("solar_irradiance") || reader.has("direct_reflectivity");
  adding::Profiles<Host, double>::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& view) {
        auto const& name = description.name;
        // Files have optical depths, and specular reflectivity as a matrix.
        if (name == "transmittance" || name == "specular_reflectivity") return;
        bool const of_sun = name == "cos_sun" || name == "solar_irradiance" || name == "direct_reflectivity";
        bool const of_scattering = name == "single_scattering_albedo" || name.substr(0, 5) == "phase";
        if ((of_sun && !sun) || (of_scattering && !scatters)) return;
        bool const may_be_missing = name == "cosmic" || (name == "weight" && !scatters);
        Layout const layout = sizes.of(description);
        if constexpr (std::is_same_v<typename View::value_type, int>) {
          if (group.types)
            view = read_types(reader, layout, sizes.nphase);
          else if (!reader.looks())
            view = matrices_of_layers(sizes.range.count, sizes.nlay);
        } else if (may_be_missing) {
          view = reader.read_if_there<typename View::data_type>(group.names(name), layout);
        } else {
          view = reader.read<typename View::data_type>(group.names(name), layout);
        }
      },
      group.profiles);
  if (scatters) return;
  auto const albedo =
      reader.read_if_there<double**>("ssa", {"(profile, layer)", {sizes.nprofile, sizes.nlay}, sizes.range});
  if (reader.looks()) return;
  for (std::size_t i = 0; i < albedo.size(); ++i)
    if (albedo.data()[i] != 0)
      throw Error(reader.where(), fmt::format("ssa({}, {}) = {}, expected 0 in a group without phase matrices (pff and "
                                              "pbb, or pff_types and pbb_types)",
                                              i / sizes.nlay, i % sizes.nlay, albedo.data()[i]));
}

void read_perturbation(Reader& reader, Sizes const& sizes, bool scatters, AdaGroup& group) {
  auto const there = reader.variables("tl_in");
  if (there.empty())
    throw Error(reader.where(), "tl_in missing: it holds the perturbation of tangent-linear radiances");
  std::vector<std::string> known;
  HostPerturbation::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& view) {
        auto const base = description.name.substr(adding::perturbation_prefix.size());
        bool const of_scattering = base == "single_scattering_albedo" || base.substr(0, 5) == "phase";
        if (base == "transmittance" || (of_scattering && !scatters)) return;
        known.push_back(group.names(base));
        view = reader.read_if_there<typename View::data_type>(group.names(description.name), sizes.of(description));
      },
      group.tangent);
  for (auto const& name : there)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(reader.where(), fmt::format("tl_in/{} cannot be honoured, expected perturbations of {}", name,
                                              fmt::join(known, ", ")));
}

HostArray<double**> read_seed(Reader& reader, Sizes const& sizes) {
  if (reader.has("ad_in/rad_toa"))
    return reader.read<double**>("ad_in/rad_toa", {"(profile, angle)", {sizes.nprofile, sizes.nangle}, sizes.range});
  HostArray<double**> const seed("parhelion::io::ada", sizes.range.count, sizes.nangle);
  for (std::size_t p = 0; p < seed.extent(0); ++p) seed(p, seed.extent(1) - 1) = 1.;
  return seed;
}

AdaGroup read_group(Hdf5File const& file, Reader& reader, std::string const& name, AdaOptions const& options,
                    bool from_first = false) {
  if (!is_netcdf_name(name))
    throw Error(
        file.path(),
        fmt::format("group \"{}\" cannot be written to a result, expected a name that netCDF takes", valid_utf8(name)));
  AdaGroup group;
  group.name = name;
  group.names.where = reader.where();
  group.names.perturbation = "tl_in/";
  group.names.others = {{"adjoint_toa", "ad_in/rad_toa"},
                        {"optical_depth", "od"},
                        {"planck", "planck_atm"},
                        {"single_scattering_albedo", "ssa"},
                        {"phase", "type"},
                        {"phase_forward", "pff"},
                        {"phase_backward", "pbb"}};

  auto const layers = reader.shape("od", 2, "(profile, layer)");
  auto const angles = reader.shape("mu", 2, "(profile, angle)");
  group.nprofile = layers[0];
  group.range = options.part.of(group.nprofile);
  if (from_first) group.range = {0, group.range.end()};
  Sizes sizes{.nprofile = layers[0], .nlay = layers[1], .nangle = angles[1], .range = group.range};
  group.profiles.order = adding::VerticalOrder::top_first;
  bool const scatters = look_for_matrices(reader, sizes, group);
  read_profiles(reader, sizes, scatters, group);
  group.unit = file.text_attribute(name + "/planck_atm", "units").value_or("");
  if (!is_utf8(group.unit)) throw Error(reader.where() + ": planck_atm", "attribute units is not valid UTF-8");
  if (options.tangent) read_perturbation(reader, sizes, scatters, group);
  if (options.adjoint) group.adjoint = read_seed(reader, sizes);
  if (!reader.looks() && !group.range.empty()) adding::validate(group.input(), group.names);
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
    try {
      input.groups.push_back(read_group(file, reader, name, options));
    } catch (Error const&) {
      // What is wrong is found again from the first profile on, so that the message has the indices of the file.
      if (options.part.index > 0) read_group(file, reader, name, options, true);
      throw;
    }
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

void write_derivatives(GroupWriter& writer, AdaGroup const& group, adding::HostRadiances const& result) {
  HostPerturbation::for_each_array_as<true>(
      [&](ArrayDescription const& description, auto const& values) {
        std::string const name = group.names(description.name.substr(adding::derivative_prefix.size()));
        std::vector<std::string> dimensions;
        for (int d = 0; d < description.rank(); ++d)
          dimensions.push_back(file_dimension(description.dimensions[static_cast<std::size_t>(d)], group.types));
        writer.write("ad_out/" + name, dimensions, values,
                     fmt::format("derivative of the weighted sum of upward radiances at the top by {}", name),
                     description.unit == "1" ? "1" : nullptr);
      },
      result.derivative);
}

// \param range profiles of this process, of `nprofile`
void write_group(NetcdfWriter& file, AdaGroup const& group, adding::HostRadiances const& result, ItemRange const& range,
                 std::size_t nprofile) {
  auto const& profiles = group.profiles;
  auto const size = [](int n) { return static_cast<std::size_t>(n); };
  file.group(group.name);
  file.dimension(group.name + "/profile", nprofile);
  file.share(group.name + "/profile", range);
  file.dimension(group.name + "/level", size(profiles.nlev()));
  file.dimension(group.name + "/angle", size(profiles.nangle()));
  bool const adjoint = result.derivative.planck.size() > 0;
  if (adjoint) {
    file.dimension(group.name + "/layer", size(profiles.nlay()));
    file.dimension(group.name + "/angle_in", size(profiles.nangle()));
    if (profiles.scatters()) file.dimension(group.name + "/angle_in_and_sun", size(profiles.nangle()) + 1);
    if (group.types) file.dimension(group.name + "/type", size(profiles.nphase()));
  }

  GroupWriter writer(file, group);
  std::vector<std::string> const levels{"profile", "level", "angle"};
  writer.write(cosines, {"profile", "angle"}, profiles.mu, "cosine of the zenith angle", "1");
  writer.write("rad_up", levels, result.radiances.up_emergent,
               "upward radiance of what lies below the level, with no light from above but the sun's beam; at level 0 "
               "the upward radiance, with the sky's radiation");
  writer.write("full_up", levels, result.radiances.up, "upward radiance, positive upward");
  writer.write("full_dn", levels, result.radiances.dn,
               "downward radiance without the sun's direct beam, positive downward");
  if (result.tangent_toa.size() > 0) {
    writer.group("tl_out", "tangent-linear radiances");
    writer.write("tl_out/rad_toa", {"profile", "angle"}, result.tangent_toa,
                 "change of the upward radiance at the top by the perturbation tl_in, to first order");
  }
  if (adjoint) {
    writer.group("ad_out", "derivatives by the input");
    write_derivatives(writer, group, result);
  }
}

}  // namespace

void write_ada_radiances(std::string const& path, AdaInput const& input,
                         std::vector<adding::HostRadiances> const& results, Provenance const& provenance,
                         FileSharing const* sharing) {
  write_netcdf(path, sharing, [&](NetcdfWriter& file) {
    if (results.size() != input.groups.size())
      throw Error("write_ada_radiances",
                  fmt::format("{} results for {} groups, expected as many", results.size(), input.groups.size()));
    file.attributes(global_attributes(provenance, "index 0 is the highest layer and the top interface"));
    for (std::size_t i = 0; i < results.size(); ++i) {
      auto const& group = input.groups[i];
      if (sharing == nullptr) {
        auto const nprofile = static_cast<std::size_t>(group.profiles.nprofile());
        write_group(file, group, results[i], {0, nprofile}, nprofile);
      } else if (!group.range.empty()) {
        write_group(file, group, results[i], group.range, group.nprofile);
      }
    }
  });
}

}  // namespace parhelion::io
